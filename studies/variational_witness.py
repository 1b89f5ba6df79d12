#!/usr/bin/env python3
"""Derivatives of two motions by their parameters, from variational equations that share nothing with Linkwork.

    python3 studies/variational_witness.py > crates/linkwork/tests/data/variational.json

Needs numpy and scipy. The equations of motion are written down in minimal coordinates, y' = f(y, p); with them

    S' = f_y S + f_p

is integrated by scipy's DOP853 at a relative tolerance of 3e-14. f_y and f_p are complex-step derivatives of f, exact to rounding: f is analytic.

- A double pendulum of point masses, absolute angles from the vertical: by lengths, masses and initial rates.
- A four-bar linkage of uniform rods, angle of the crank: by the hardpoint C, the mass of the crank and its initial rate. The lengths of coupler and rocker
  follow from the drawing, as in Linkwork.
"""

import json
import sys

import numpy as np
from scipy.integrate import solve_ivp

G = 9.81
STEP = 1e-30


def double_pendulum(y, p):
    a1, a2, w1, w2 = y
    l1, l2, m1, m2 = p[:4]
    d = a1 - a2
    c, s = np.cos(d), np.sin(d)
    m11, m12, m22 = (m1 + m2) * l1 * l1, m2 * l1 * l2 * c, m2 * l2 * l2
    r1 = -m2 * l1 * l2 * s * w2 * w2 - (m1 + m2) * G * l1 * np.sin(a1)
    r2 = m2 * l1 * l2 * s * w1 * w1 - m2 * G * l2 * np.sin(a2)
    det = m11 * m22 - m12 * m12
    return np.array([w1, w2, (m22 * r1 - m12 * r2) / det, (m11 * r2 - m12 * r1) / det])


def double_pendulum_start(p):
    # drawn at 90 and 60 degrees from the vertical: the points move with the lengths
    return np.array([np.pi / 2 + 0 * p[0], np.pi / 3 + 0 * p[0], p[4], p[5]])


A, B, C, D = (0.0, 0.0), (0.0, 1.0), (2.0, 2.0), (2.0, 0.0)
CRANK, COUPLER, ROCKER = 1.0, 2.0, 1.5


def four_bar(y, p):
    """y: angle of the crank from the x axis, and its rate; p: C.x, C.y, mass of the crank, initial rate."""
    a, w = y
    cx, cy, m1 = p[:3]
    l1 = np.hypot(B[0] - A[0], B[1] - A[1])
    l2 = np.sqrt((cx - B[0]) ** 2 + (cy - B[1]) ** 2)
    l3 = np.sqrt((cx - D[0]) ** 2 + (cy - D[1]) ** 2)
    bx, by = A[0] + l1 * np.cos(a), A[1] + l1 * np.sin(a)
    # C is on circles about B and D, on the side on which it is drawn
    ex, ey = D[0] - bx, D[1] - by
    e2 = ex * ex + ey * ey
    along = (l2 * l2 - l3 * l3 + e2) / (2 * e2)
    off = np.sqrt(l2 * l2 / e2 - along * along)
    ux, uy = along * ex - off * ey, along * ey + off * ex  # from B to C
    vx, vy = ux - ex, uy - ey  # from D to C
    # rates for a unit rate of the crank: (B' - C') + ... closes as b + k2 J u = k3 J v with J a quarter turn
    bx1, by1 = -l1 * np.sin(a), l1 * np.cos(a)
    det = ux * vy - uy * vx
    # b1 + k2 (-uy, ux) - k3 (-vy, vx) = 0
    k2 = -(bx1 * vx + by1 * vy) / (-(uy * vx) + ux * vy)
    k3 = -(bx1 * ux + by1 * uy) / (-(uy * vx) + ux * vy)
    # once more: b2 - k2^2 u + k2' J u + k3^2 v - k3' J v = 0
    gx = -l1 * np.cos(a) - k2 * k2 * ux + k3 * k3 * vx
    gy = -l1 * np.sin(a) - k2 * k2 * uy + k3 * k3 * vy
    k2p = -(gx * vx + gy * vy) / det
    k3p = -(gx * ux + gy * uy) / det
    # kinetic energy J w^2 / 2: rods about their ends; the middle of the coupler moves with b1 + k2 J u / 2
    hx, hy = bx1 - 0.5 * k2 * uy, by1 + 0.5 * k2 * ux
    hx1 = -l1 * np.cos(a) - 0.5 * (k2p * uy + k2 * k2 * ux)
    hy1 = -l1 * np.sin(a) + 0.5 * (k2p * ux - k2 * k2 * uy)
    i1, i2, i3 = m1 * l1 * l1 / 3, COUPLER * l2 * l2 / 12, ROCKER * l3 * l3 / 3
    j = i1 + COUPLER * (hx * hx + hy * hy) + i2 * k2 * k2 + i3 * k3 * k3
    jp = 2 * (COUPLER * (hx * hx1 + hy * hy1) + i2 * k2 * k2p + i3 * k3 * k3p)
    vp = G * (0.5 * m1 * by1 + COUPLER * hy + 0.5 * ROCKER * k3 * vx)
    return np.array([w, -(0.5 * jp * w * w + vp) / j])


def four_bar_start(p):
    return np.array([np.pi / 2 + 0 * p[0], p[3]])


def derivatives(f, x):
    columns = []
    for k in range(len(x)):
        z = np.array(x, dtype=complex)
        z[k] += 1j * STEP
        columns.append(np.imag(f(z)) / STEP)
    return np.array(columns).T


def witness(name, f, start, p, end):
    p = np.array(p)
    y0 = np.real(start(p))
    n, m = len(y0), len(p)
    s0 = derivatives(start, p)

    def whole(_, z):
        y, s = z[:n], z[n:].reshape(n, m)
        fy = derivatives(lambda x: f(x, p), y)
        fp = derivatives(lambda x: f(np.array(y, dtype=complex), x), p)
        return np.concatenate([np.real(f(y, p)), (fy @ s + fp).ravel()])

    z0 = np.concatenate([y0, s0.ravel()])
    found = solve_ivp(whole, (0, end), z0, method="DOP853", rtol=3e-14, atol=1e-15)
    again = solve_ivp(whole, (0, end), z0, method="DOP853", rtol=1e-12, atol=1e-13)
    z = found.y[:, -1]
    off = np.max(np.abs(z - again.y[:, -1])) / np.max(np.abs(z))
    print(f"{name}: two tolerances agree to {off:.1e}", file=sys.stderr)
    return {"end": end, "y": list(z[:n] - y0 * np.array([1] * (n // 2) + [0] * (n // 2))), "s": (z[n:].reshape(n, m) - 0).tolist()}


print(
    json.dumps(
        {
            "double_pendulum": witness("double pendulum", double_pendulum, double_pendulum_start, [1.0, 0.7, 2.0, 1.5, 0.4, -0.6], 2.0),
            "four_bar": witness("four-bar", four_bar, four_bar_start, [C[0], C[1], CRANK, -3.0], 2.0),
        },
        indent=1,
    )
)
