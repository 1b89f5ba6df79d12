"""Models of whole runs, as JSON: mechanisms of rods, and the vehicle of the examples; and what their motion is.

A model of rods holds

  dimensions, gravity, points, velocities, fixed[]     fixed: numbers of the points on the ground
  rods[]                                               [point, point, mass]: uniform, thin, no spin about their own line
  open                                                 whether they are an open chain, one after the other from the ground
  duration, rows                                       the places of `tip` (a number of a point) are asked for at `rows` equal times after 0

that of the vehicle holds what examples/vehicle.toml says, in numbers: points, bodies, joints, springs, tyres.
`reference` is the motion of the tip (of the heights, for the vehicle) at these times, from elsewhere: the closed form, an extrapolation method
written here, or the reference solution of the tests.
"""

import csv
import json
import math
import re
import tomllib
from pathlib import Path

import numpy as np

G = 9.81
ROOT = Path(__file__).resolve().parents[2]


def four_bars(loops):
    """N couplers on N + 1 upright rods of 1 m and 1 kg, hit so that Q moves with 1 m/s: through the flat position, where every loop could
    fold the other way. theta'' = k sin theta, k = 3 g (3 N + 1) / 2 (4 N + 1)."""
    points, velocities = [], []
    for i in range(loops + 1):
        points += [[i, 0.0], [i, 1.0]]
        velocities += [[0.0, 0.0], [1.0, 0.0]]
    rods = [[2 * i, 2 * i + 1, 1.0] for i in range(loops + 1)]
    rods += [[2 * i + 1, 2 * i + 3, 1.0] for i in range(loops)]
    k = 1.5 * G * (3 * loops + 1) / (4 * loops + 1)
    duration, rows = 10.0, 10

    def pendulum(_, y):
        return np.array([y[1], k * math.sin(y[0])])

    angles = extrapolated(pendulum, np.array([0.0, 1.0]), duration, rows, 50)
    reference = [[loops + math.sin(a), math.cos(a)] for a, _ in angles]
    return {
        "kind": "rods", "name": f"four-bars-{loops}", "title": f"{loops} four-bars", "dimensions": 2, "gravity": [0.0, -G],
        "points": points, "velocities": velocities, "fixed": [2 * i for i in range(loops + 1)], "rods": rods,
        "duration": duration, "rows": rows, "tip": 2 * loops + 1, "reference": reference,
        "truth": "closed form (one pendulum)", "bodies": len(rods),
    }  # fmt: skip


def ladder(cells):
    """Two rails of `cells` rods each between the ground and the ground, rungs between them: they hang through and swing in space."""
    points, fixed, rods = [], [], []
    for i in range(cells + 1):
        s = i / cells
        # 10 % of slack, rails and rungs of unequal lengths, no symmetry
        sag = 0.1 * cells * math.sin(math.pi * s)
        points.append([0.9 * 0.2 * i, 0.02 * math.sin(3.0 * i), -0.35 * sag])
        points.append([0.9 * 0.2 * i, 0.3 + 0.02 * math.cos(2.0 * i), -0.35 * sag + 0.05 * math.sin(1.7 * i)])
        if i in (0, cells):
            fixed += [2 * i, 2 * i + 1]
        else:
            rods.append([2 * i, 2 * i + 1, 0.1])
        if i > 0:
            rods += [[2 * i - 2, 2 * i, 0.1], [2 * i - 1, 2 * i + 1, 0.1]]
    model = {
        "kind": "rods", "name": f"ladder-{cells}", "title": f"ladder of {cells} cells, in space", "dimensions": 3, "gravity": [0.0, 0.0, -G],
        "points": points, "velocities": [[0.0] * 3] * len(points), "fixed": fixed, "rods": rods,
        "duration": 1.0, "rows": 10, "tip": 2 * (cells // 2), "bodies": len(rods),
        "truth": "extrapolation of order 16 in numpy, 100 steps",
    }  # fmt: skip
    model["reference"] = rod_motion(model, 100)
    return model


def pendulum(count):
    """Rods of 0.5 m and 1 kg in a row, let go level: an open chain, for peers without loops."""
    model = {
        "kind": "rods", "name": f"pendulum-{count}", "title": f"pendulum of {count} rods", "dimensions": 2, "gravity": [0.0, -G], "open": True,
        "points": [[0.5 * i, 0.0] for i in range(count + 1)], "velocities": [[0.0, 0.0]] * (count + 1), "fixed": [0],
        "rods": [[i, i + 1, 1.0] for i in range(count)], "duration": 2.0, "rows": 10, "tip": count, "bodies": count,
        "truth": "extrapolation of order 16 in numpy, 400 steps",
    }  # fmt: skip
    model["reference"] = rod_motion(model, 400)
    return model


def mass_and_rods(model):
    """Consistent masses of uniform rods, m/3 and m/6, over the points that move; rods as pairs of numbers among those, -1 on the ground."""
    moving = [p for p in range(len(model["points"])) if p not in set(model["fixed"])]
    number = {p: i for i, p in enumerate(moving)}
    mass = np.zeros((len(moving), len(moving)))
    force = np.zeros(len(moving))  # the mass that weighs at each point
    for a, b, m in model["rods"]:
        ends = [number.get(a, -1), number.get(b, -1)]
        for i in ends:
            for j in ends:
                if i >= 0 and j >= 0:
                    mass[i, j] += m / 3 if i == j else m / 6
            if i >= 0:
                force[i] += m / 2
    return moving, number, mass, force


def rod_motion(model, steps):
    """The tip at the rows' times: accelerations by dense Lagrange multipliers, extrapolated; no projection."""
    d = model["dimensions"]
    moving, number, mass, weight = mass_and_rods(model)
    n = len(moving)
    big = np.kron(mass, np.eye(d))
    applied = np.kron(weight, np.array(model["gravity"]))
    fixed = np.array(model["points"], float)
    rods = [(number.get(a, -1), number.get(b, -1), a, b) for a, b, _ in model["rods"]]
    matrix = np.zeros((n * d + len(rods),) * 2)
    matrix[: n * d, : n * d] = big

    def derivative(_, y):
        q, v = y[: n * d].reshape(n, d), y[n * d :].reshape(n, d)
        right = np.concatenate([applied, np.zeros(len(rods))])
        for k, (i, j, a, b) in enumerate(rods):
            difference = (q[i] if i >= 0 else fixed[a]) - (q[j] if j >= 0 else fixed[b])
            rate = (v[i] if i >= 0 else 0.0) - (v[j] if j >= 0 else 0.0)
            row = n * d + k
            for end, sign in ((i, 1.0), (j, -1.0)):
                if end >= 0:
                    matrix[row, end * d : end * d + d] = sign * difference
                    matrix[end * d : end * d + d, row] = sign * difference
            right[row] = -np.dot(rate, rate)
        return np.concatenate([y[n * d :], np.linalg.solve(matrix, right)[: n * d]])

    start = np.concatenate([fixed[moving].ravel(), np.array(model["velocities"], float)[moving].ravel()])
    rows = extrapolated(derivative, start, model["duration"], model["rows"], steps // model["rows"])
    tip = number[model["tip"]]
    return [list(y[tip * d : tip * d + d]) for y in rows]


def extrapolated(f, y, duration, rows, steps):
    """Gragg's midpoint rule with 2, 4, ..., 16 parts, extrapolated to order 16; `steps` between rows."""
    counts = [2 * i for i in range(1, 9)]
    h = duration / rows / steps
    found = []
    for row in range(rows):
        for step in range(steps):
            t = (row * steps + step) * h
            table = []
            first = f(t, y)
            for k, n in enumerate(counts):
                s = h / n
                before, now = y, y + s * first
                for i in range(1, n):
                    before, now = now, before + 2 * s * f(t + i * s, now)
                value = 0.5 * (now + before + s * f(t + h, now))
                line = [value]
                for j in range(1, k + 1):
                    ratio = (n / counts[k - j]) ** 2
                    line.append(line[j - 1] + (line[j - 1] - table[k - 1][j - 1]) / (ratio - 1))
                table.append(line)
            y = table[-1][-1]
        found.append(y.copy())
    return found


UNITS = {"kN s/m": 1e3, "kN/m": 1e3, "mm": 1e-3}


def vehicle():
    file = tomllib.loads((ROOT / "examples" / "vehicle.toml").read_text())

    def number(x, known):
        if not isinstance(x, str):
            return float(x)
        for unit, factor in UNITS.items():
            x = re.sub(rf"([0-9.]+) {unit}", lambda found: str(float(found[1]) * factor), x)
        return float(eval(x, {"__builtins__": {}}, known))  # the example's own short sums

    known = {}
    waiting = dict(file["parameters"])
    while waiting:
        for name in list(waiting):
            try:
                known[name] = number(waiting[name], known)
                del waiting[name]
            except NameError:
                pass
    points = {n: [number(x, known) for x in p] for n, p in file["points"].items()}
    bodies = {
        n: {
            "points": b["points"],
            "mass": b["mass"],
            "com": points[b["com"]] if isinstance(b["com"], str) else [number(x, known) for x in b["com"]],
            "inertia": b["inertia"],
        }
        for n, b in file["bodies"].items()
    }
    springs = {
        n: {"between": s["between"], **{k: number(s[k], known) for k in ("stiffness", "damping", "free_length")}}
        for n, s in file["springs"].items()
    }
    tyres = {
        n: {"body": t["body"], "centre": t["centre"], **{k: number(t[k], known) for k in ("radius", "stiffness", "damping")}}
        for n, t in file["tyres"].items()
    }
    duration, rows = float(file["simulation"]["duration"]), 10
    heights = ["z", "zw_lf", "zw_rf", "zw_lr", "zw_rr"]
    with open(ROOT / "crates" / "linkwork" / "tests" / "data" / "attia_vehicle.csv") as lines:
        table = {round(float(r["t"]), 9): [float(r[h]) for h in heights] for r in csv.DictReader(lines)}
    reference = [table[round(duration * (i + 1) / rows, 9)] for i in range(rows)]
    return {
        "kind": "vehicle", "name": "vehicle", "title": "vehicle, 16 degrees of freedom", "gravity": [0.0, 0.0, -G],
        "file": str(ROOT / "examples" / "vehicle.toml"), "points": points, "bodies": bodies, "joints": file["joints"],
        "springs": springs, "tyres": tyres, "duration": duration, "rows": rows,
        "heights": ["centre", "lf_wheel_centre", "rf_wheel_centre", "lr_wheel_centre", "rr_wheel_centre"],
        "reference": reference, "truth": "reference solution of the tests (absolute coordinates, tolerance 1e-12)",
    }  # fmt: skip


def all_runs():
    makers = {f"four-bars-{n}": (lambda n=n: four_bars(n)) for n in (2, 40, 400)}
    makers |= {f"ladder-{n}": (lambda n=n: ladder(n)) for n in (4, 20)}
    makers["pendulum-5"] = lambda: pendulum(5)
    makers["vehicle"] = vehicle
    return makers


def write(model, folder):
    file = folder / f"{model['name']}.json"
    file.write_text(json.dumps(model))
    return file
