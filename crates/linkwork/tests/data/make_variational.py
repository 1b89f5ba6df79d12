#!/usr/bin/env python3
"""Derivatives of two motions by their parameters, from variational equations that share nothing with Linkwork.

    python3 crates/linkwork/tests/data/make_variational.py > crates/linkwork/tests/data/variational.json

Needs heyoka 7.13 and mpmath 1.4 (`pip install heyoka mpmath`). The equations of motion are written down in minimal coordinates, y' = f(y, p). heyoka's `var_ode_sys` derives and integrates

    S' = f_y S + f_p

by Taylor series, once in numbers of 128 bits, which is what is printed, and once in double precision. mpmath integrates the motion alone, by extrapolation in 40 digits, on numbers that carry
their derivatives. How far the three agree is told on standard error.

- A double pendulum of point masses, absolute angles from the vertical: by lengths, masses and initial rates.
- A four-bar linkage of uniform rods, angle of the crank: by the hardpoint C, the mass of the crank and its initial rate. The lengths of coupler and rocker
  follow from the drawing, as in Linkwork.
"""

import json
import sys
from fractions import Fraction

import heyoka as hy
import mpmath as mp

mp.mp.dps = 40
BITS = 128
G = Fraction("9.81")


class Heyoka:
    """Operations on expressions."""

    sin, cos, sqrt = staticmethod(hy.sin), staticmethod(hy.cos), staticmethod(hy.sqrt)

    def __init__(self, number):
        self.number = number


class Dual:
    """A number of many digits with its derivatives."""

    def __init__(self, x, d):
        self.x, self.d = x, d

    @staticmethod
    def of(value, like):
        return value if isinstance(value, Dual) else Dual(value, [mp.mpf(0)] * len(like.d))

    def _with(self, other, f, a, b):
        other = Dual.of(other, self)
        return Dual(f, [a * p + b * q for p, q in zip(self.d, other.d)])

    def __add__(self, o):
        o = Dual.of(o, self)
        return self._with(o, self.x + o.x, 1, 1)

    def __sub__(self, o):
        o = Dual.of(o, self)
        return self._with(o, self.x - o.x, 1, -1)

    def __mul__(self, o):
        o = Dual.of(o, self)
        return self._with(o, self.x * o.x, o.x, self.x)

    def __truediv__(self, o):
        o = Dual.of(o, self)
        return self._with(o, self.x / o.x, 1 / o.x, -self.x / o.x**2)

    def __neg__(self):
        return Dual(-self.x, [-p for p in self.d])

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, o):
        return -self + o

    def through(self, f, slope):
        return Dual(f, [slope * p for p in self.d])


class Digits:
    """Operations on numbers with derivatives."""

    number = staticmethod(lambda fraction: mp.mpf(fraction.numerator) / fraction.denominator)
    sin = staticmethod(lambda a: a.through(mp.sin(a.x), mp.cos(a.x)))
    cos = staticmethod(lambda a: a.through(mp.cos(a.x), -mp.sin(a.x)))
    sqrt = staticmethod(lambda a: a.through(mp.sqrt(a.x), 1 / (2 * mp.sqrt(a.x))))


def double_pendulum(m, y, p):
    a1, a2, w1, w2 = y
    l1, l2, m1, m2 = p[:4]
    g = m.number(G)
    d = a1 - a2
    c, s = m.cos(d), m.sin(d)
    m11, m12, m22 = (m1 + m2) * l1 * l1, m2 * l1 * l2 * c, m2 * l2 * l2
    r1 = -(m2 * l1 * l2 * s * w2 * w2) - (m1 + m2) * g * l1 * m.sin(a1)
    r2 = m2 * l1 * l2 * s * w1 * w1 - m2 * g * l2 * m.sin(a2)
    det = m11 * m22 - m12 * m12
    return [w1, w2, (m22 * r1 - m12 * r2) / det, (m11 * r2 - m12 * r1) / det]


B, D = (Fraction(0), Fraction(1)), (Fraction(2), Fraction(0))
COUPLER, ROCKER = Fraction(2), Fraction(3, 2)


def four_bar(m, y, p):
    """y: angle of the crank from the x axis, and its rate; p: C.x, C.y, mass of the crank, initial rate. A is the origin, the crank is 1 m long.

    No number is divided by here: heyoka would multiply by its inverse in double precision.
    """
    a, w = y
    cx, cy, m1 = p[:3]
    n = m.number
    half = n(Fraction(1, 2))
    l22 = (cx - n(B[0])) * (cx - n(B[0])) + (cy - n(B[1])) * (cy - n(B[1]))
    l33 = (cx - n(D[0])) * (cx - n(D[0])) + (cy - n(D[1])) * (cy - n(D[1]))
    bx, by = m.cos(a), m.sin(a)
    # C is on circles about B and D, on the side on which it is drawn
    ex, ey = n(D[0]) - bx, n(D[1]) - by
    e2 = ex * ex + ey * ey
    along = (l22 - l33 + e2) / (2 * e2)
    off = m.sqrt(l22 / e2 - along * along)
    ux, uy = along * ex - off * ey, along * ey + off * ex  # from B to C
    vx, vy = ux - ex, uy - ey  # from D to C
    # rates for a unit rate of the crank: it closes as b + k2 J u = k3 J v, with J a quarter turn
    bx1, by1 = -by, bx
    det = ux * vy - uy * vx
    k2 = -(bx1 * vx + by1 * vy) / det
    k3 = -(bx1 * ux + by1 * uy) / det
    # once more: b2 - k2^2 u + k2' J u + k3^2 v - k3' J v = 0
    gx = -bx - k2 * k2 * ux + k3 * k3 * vx
    gy = -by - k2 * k2 * uy + k3 * k3 * vy
    k2p = -(gx * vx + gy * vy) / det
    k3p = -(gx * ux + gy * uy) / det
    # kinetic energy J w^2 / 2: rods about their ends; the middle of the coupler moves with b1 + k2 J u / 2
    hx, hy_ = bx1 - half * k2 * uy, by1 + half * k2 * ux
    hx1 = -bx - half * (k2p * uy + k2 * k2 * ux)
    hy1 = -by + half * (k2p * ux - k2 * k2 * uy)
    i2, i3 = n(COUPLER / 12) * l22, n(ROCKER / 3) * l33
    j = n(Fraction(1, 3)) * m1 + n(COUPLER) * (hx * hx + hy_ * hy_) + i2 * k2 * k2 + i3 * k3 * k3
    jp = 2 * (n(COUPLER) * (hx * hx1 + hy_ * hy1) + i2 * k2 * k2p + i3 * k3 * k3p)
    vp = n(G) * (half * m1 * by1 + n(COUPLER) * hy_ + half * n(ROCKER) * k3 * vx)
    return [w, -(half * jp * w * w + vp) / j]


def by_heyoka(f, angles, rates, p, end, real):
    """The state and its derivatives by p at the end: `rates` are the numbers of p that are initial rates."""
    names = [f"y{i}" for i in range(2 * len(angles))]
    y = hy.make_vars(*names)
    number = (lambda x: hy.real(str(x), BITS)) if real else float
    exact = lambda fraction: number(mp.nstr(Digits.number(fraction), 40))
    m = Heyoka(lambda fraction: hy.expression(exact(fraction)))
    rhs = f(m, y, [hy.par[i] for i in range(len(p))])
    variational = hy.var_ode_sys(list(zip(y, rhs)), args=hy.var_args.vars | hy.var_args.params)
    p = [exact(x) for x in p]
    start = [number(mp.nstr(a, 40)) for a in angles] + [p[i] for i in rates]
    own = len(p) - len(rates)  # what is left are initial rates, the last of the numbers
    ta = hy.taylor_adaptive(variational, start, pars=p[:own], fp_type=hy.real if real else float, compact_mode=True)
    ta.propagate_until(number(end))
    state = [mp.mpf(str(x)) if real else mp.mpf(float(x)) for x in ta.state]
    n = len(y)
    s = [[None] * len(p) for _ in range(n)]
    for k in range(n, len(state)):
        component, by = ta.get_mindex(k)[0], ta.get_mindex(k)[1:].index(1)
        if by >= n:
            s[component][by - n] = state[k]
        elif by >= len(angles):
            s[component][rates[by - len(angles)]] = state[k]
    return state[:n], s


def by_extrapolation(f, angles, rates, p, end, steps):
    """The same by mpmath: Gragg's method, extrapolated."""
    k, n = len(p), len(angles)
    unit = lambda j: [mp.mpf(int(i == j)) for i in range(k)]
    p = [Dual(Digits.number(x), unit(j)) for j, x in enumerate(p)]
    y = [Dual(a, [mp.mpf(0)] * k) for a in angles] + [p[i] for i in rates]
    rhs = lambda y: f(Digits, y, p)
    big = mp.mpf(end) / steps
    plus = lambda a, c, b: [u + v * c for u, v in zip(a, b)]
    for _ in range(steps):
        table = []
        for row in range(1, 15):
            count = 2 * row
            h = big / count
            before, here = y, plus(y, h, rhs(y))
            for _ in range(count - 1):
                before, here = here, plus(before, 2 * h, rhs(here))
            end_ = [(a + b + c * h) * mp.mpf("0.5") for a, b, c in zip(before, here, rhs(here))]
            line = [end_]
            for q in range(1, row):
                ratio = (mp.mpf(row) / (row - q)) ** 2 - 1
                line.append([a + (a - b) * (1 / ratio) for a, b in zip(line[q - 1], table[-1][q - 1])])
            table.append(line)
        y = table[-1][-1]
    assert len(y) == 2 * n
    return [a.x for a in y], [a.d for a in y]


def witness(name, f, angles, rates, p, end, steps):
    y, s = by_heyoka(f, angles, rates, p, end, True)
    largest = max(abs(x) for row in s for x in row)
    off = lambda other: max(abs(a - b) for r, q in zip(s, other[1]) for a, b in zip(r, q)) / largest
    double = off(by_heyoka(f, angles, rates, p, end, False))
    digits = off(by_extrapolation(f, angles, rates, p, end, steps))
    print(f"{name}: heyoka in double precision {mp.nstr(double, 2)}, mpmath {mp.nstr(digits, 2)}", file=sys.stderr)
    turned = [a - b for a, b in zip(y, angles)]
    text = lambda x: mp.nstr(x, 25)
    return {"end": end, "y": [text(x) for x in turned + y[len(angles) :]], "s": [[text(x) for x in row] for row in s]}


def written(value, depth=1):
    """As JSON, with all digits of the numbers."""
    if isinstance(value, dict):
        inner = [f'{" " * depth}"{key}": {written(x, depth + 1)}' for key, x in value.items()]
        return "{\n" + ",\n".join(inner) + "\n" + " " * (depth - 1) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(written(x, depth + 1) for x in value) + "]"
    return value if isinstance(value, str) else json.dumps(value)


q = Fraction
pendulum = ([mp.pi / 2, mp.pi / 3], [4, 5], [q(1), q("0.7"), q(2), q("1.5"), q("0.4"), q("-0.6")])
linkage = ([mp.pi / 2], [3], [q(2), q(2), q(1), q(-3)])
print(
    written(
        {
            "double_pendulum": witness("double pendulum", double_pendulum, *pendulum, 2, 40),
            "four_bar": witness("four-bar", four_bar, *linkage, 2, 240),
        }
    )
)
