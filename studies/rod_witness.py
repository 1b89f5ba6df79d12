"""Writes crates/linkwork/tests/data/rods.json: tips of clamped elastic rods under a dead force, from their equations along the arc.

Run by hand, `python rod_witness.py`, with numpy and scipy. No finite elements: with the directors R (columns) of the section at arc length s, force F and moment m,

    (W1)  r' = R (e_1 + C_f^-1 R^t F),   R' = R [k_0 + C_m^-1 R^t m]x,   m' = -r' x F,   m(L) = 0

C_f = diag(EA, GA_2, GA_3), C_m = diag(GJ, EI_2, EI_3), k_0 the curvature as drawn. The three unknown components of m(0) are found by shooting with Newton's method over
increments of the force; the equations are integrated by an explicit method of order 8 to 1e-13. Own error of the tips: some 1e-10 of the length.

Cases:

- `arc`: 45 degrees of a circle of radius 100 with a square section of side 1, E = 1e7, nu = 0, and a force of 600 across its plane [bathe1979], for two torsion constants:
  the polar moment 1/6, and 0.1406 of Saint-Venant with the shear factor 5/6.
- `parabola`: the same with the numbers and the axis of the published converged solutions (BeamDyn, Kynema: kynema.github.io/kynema/testing/curved.html). Those programs draw the
  axis through three points of the arc, which makes it a parabola: it, and no other section constant, is what their tip differs by from that of the arc. `published` is the tip
  on that page, in the axes used here.
- `princeton`: the beam of the Princeton experiments with the constants of [bauchau2015]; `load` N at an `angle` from axis 2, the stiff way, to axis 3.
"""

import json
import pathlib

import numpy as np
from scipy.integrate import solve_ivp


def cross_matrix(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def far_end(m0, force, rod):
    """r, R, m at the end of the rod, for the moment at its clamp."""
    compliance = 1 / np.array(rod["stiffness"])
    speed, curvature = rod["axis"]

    def rates(x, y):
        turn, moment = y[3:12].reshape(3, 3), y[12:]
        along = turn @ (np.array([1, 0, 0]) + compliance[:3] * (turn.T @ force))
        bent = np.array([0, 0, curvature(x)]) + compliance[3:] * (turn.T @ moment)
        return speed(x) * np.concatenate([along, (turn @ cross_matrix(bent)).ravel(), -np.cross(along, force)])

    start = np.concatenate([np.zeros(3), np.array(rod["root"]).ravel(), m0])
    return solve_ivp(rates, (0, rod["span"]), start, method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]


def tip(force, rod, increments=20):
    """Where the end of a rod is under a force."""
    force = np.array(force, dtype=float)
    size = np.linalg.norm(force) * rod["span"]
    m0 = np.zeros(3)
    for part in np.linspace(1 / increments, 1, increments):
        for _ in range(30):
            left = far_end(m0, part * force, rod)[12:]
            if np.abs(left).max() < 1e-12 * size:
                break
            h = 1e-6 * size
            columns = [far_end(m0 + h * e, part * force, rod)[12:] - far_end(m0 - h * e, part * force, rod)[12:] for e in np.eye(3)]
            m0 = m0 - np.linalg.solve(np.array(columns).T / (2 * h), left)
    return far_end(m0, force, rod)[:3]


def plane_root(slope):
    c, s = 1 / np.hypot(1, slope), slope / np.hypot(1, slope)
    return [[c, -s, 0], [s, c, 0], [0, 0, 1]]


def arc(constants):
    return {"stiffness": constants, "axis": (lambda s: 1.0, lambda s: 0.01), "span": 25 * np.pi, "root": np.eye(3).tolist()}


def parabola(constants, points):
    """y = a x^2 + b x through (0, 0) and two points; over x."""
    (x1, y1), (x2, y2) = points
    a = (y2 / x2 - y1 / x1) / (x2 - x1)
    b = y1 / x1 - a * x1
    stretch = lambda x: np.hypot(1, 2 * a * x + b)
    axis = (stretch, lambda x: 2 * a / stretch(x) ** 3)
    return {"stiffness": constants, "axis": axis, "span": x2, "root": plane_root(b)}, (a, b)


def main():
    young, force = 1e7, [0, 0, 600]
    cases = []
    end = np.array([100 * np.sin(np.pi / 4), 100 * (1 - np.cos(np.pi / 4)), 0])
    for torsion, shear in [(1 / 6, 1), (0.1406, 5 / 6)]:
        stiffness = [young, shear * young / 2, shear * young / 2, torsion * young / 2, young / 12, young / 12]
        moved = tip(force, arc(stiffness)) - end
        cases.append({"case": "arc", "stiffness": stiffness, "force": force, "moved": moved.tolist()})
    # the published arc bends towards -y; here towards +y
    points = [(38.2683, 7.61205), (70.7107, 29.2893)]
    stiffness = [100e5, 41.6667e5, 41.6667e5, 8.333e5, 8.333e5, 8.333e5]
    rod, (a, b) = parabola(stiffness, points)
    moved = tip(force, rod) - np.array([*points[1], 0])
    published = [-23.6459716009048, -13.7208006040058, 53.5776450626989]
    cases.append({"case": "parabola", "stiffness": stiffness, "force": force, "coefficients": [a, b], "end": points[1][0], "moved": moved.tolist(), "published": published})
    length = 0.508
    stiffness = [2.842e6, 0.9401e6, 0.9060e6, 3.103, 2.429, 36.28]
    rod = {"stiffness": stiffness, "axis": (lambda s: 1.0, lambda s: 0.0), "span": length, "root": np.eye(3).tolist()}
    for load in [4.448, 8.896, 13.345]:
        for degrees in [0, 15, 30, 45, 60, 75, 90]:
            angle = np.radians(degrees)
            moved = tip([0, load * np.cos(angle), load * np.sin(angle)], rod) - np.array([length, 0, 0])
            cases.append({"case": "princeton", "stiffness": stiffness, "length": length, "load": load, "angle": degrees, "moved": moved.tolist()})
    data = pathlib.Path(__file__).parent.parent / "crates/linkwork/tests/data/rods.json"
    data.write_text("[\n" + ",\n".join("  " + json.dumps(case) for case in cases) + "\n]\n")
    for case in cases:
        print(case["case"], case.get("load", ""), case.get("angle", ""), case["moved"], case.get("published", ""))


if __name__ == "__main__":
    main()
