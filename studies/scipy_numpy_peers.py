#!/usr/bin/env python3
"""Equilibrium and inverse dynamics of Linkwork beside scipy and numpy.

    python3 studies/scipy_numpy_peers.py [--linkwork FILE] [--environment DIR]

Makes an environment with numpy and scipy from PyPI unless DIR has one, builds the command with cargo unless --linkwork names one, and prints a table.

- A four-bar with a spring: the angle of its crank from `linkwork equilibrium`, and from scipy.optimize.minimize of the potential.
- A five-bar with three motors for two freedoms: torques from `linkwork inverse`, and the least weighted squares from the pseudo-inverse by numpy, with equations of motion in
  absolute coordinates that are written here.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
G = 9.81

# four-bar: crank, coupler, rocker, distance of its pins; masses; a spring from the coupler's end to E
A, B, C, D = 0.3, 0.8, 0.6, 0.9
MASSES = (1.0, 2.0, 1.5)
STIFFNESS, FREE, E = 60.0, 0.4, (1.6, 0.2)

# five-bar: its points, masses of its rods, weights of the squares of its torques
PLACES = {"A": (0.0, 0.0), "B": (-0.5, 1.0), "C": (0.6, 2.0), "D": (1.7, 1.1), "E": (1.2, 0.0)}
RODS = [("ab", "A", "B", 1.0), ("bc", "B", "C", 2.0), ("cd", "C", "D", 1.5), ("de", "D", "E", 0.8)]
WEIGHTS = {"a": 1.0, "e": 4.0, "c": 0.3}


def closed(angle):
    """B and C of the four-bar for an angle of the crank, which may be complex."""
    import numpy as np
    b = A * np.cos(angle), A * np.sin(angle)
    dx, dy = D - b[0], -b[1]
    far = np.sqrt(dx * dx + dy * dy)
    along = (B * B - C * C + far * far) / (2 * far)
    across = np.sqrt(B * B - along * along)
    ux, uy = dx / far, dy / far
    return b, (b[0] + along * ux - across * uy, b[1] + along * uy + across * ux)


def potential(angle):
    import numpy as np
    b, c = closed(angle)
    crank, coupler, rocker = MASSES
    length = np.sqrt((c[0] - E[0]) ** 2 + (c[1] - E[1]) ** 2)
    return G * (crank * b[1] / 2 + coupler * (b[1] + c[1]) / 2 + rocker * c[1] / 2) + STIFFNESS / 2 * (length - FREE) ** 2


def four_bar(run, folder):
    import numpy as np
    from scipy.optimize import brentq, minimize

    b, c = closed(1.2)
    (folder / "four-bar.toml").write_text(f"""
format = 1
[model]
dimension = 2
gravity = "-y"
[points]
A = [0, 0]
B = [{b[0]}, {b[1]}]
C = [{c[0]}, {c[1]}]
D = [{D}, 0]
E = [{E[0]}, {E[1]}]
[bodies]
ground = {{ points = ["A", "D", "E"] }}
crank = {{ points = ["A", "B"], mass = {MASSES[0]} }}
coupler = {{ points = ["B", "C"], mass = {MASSES[1]} }}
rocker = {{ points = ["C", "D"], mass = {MASSES[2]} }}
[springs]
s = {{ between = ["C", "E"], stiffness = {STIFFNESS}, free_length = {FREE} }}
""")
    found = json.loads(run("equilibrium", "four-bar.toml", "--format", "json"))
    at = next(moved["after"] for moved in found["moved"] if moved["point"] == "B")
    # a step into the complex plane is a derivative without a difference
    slope = lambda x: np.array([potential(complex(x[0], 1e-30)).imag / 1e-30])
    least = minimize(lambda x: potential(x[0]), [1.2], jac=slope, method="BFGS", options={"gtol": 1e-12})
    # a minimum is known to the root of the rounding of the potential, its slope to rounding
    exact = brentq(lambda x: slope([x])[0], least.x[0] - 1e-3, least.x[0] + 1e-3, xtol=1e-15)
    yield "four-bar with a spring, angle of the crank", abs(np.arctan2(at[1], at[0]) - exact)


def five_bar(run, folder):
    import numpy as np

    points = "\n".join(f"{name} = [{x}, {y}]" for name, (x, y) in PLACES.items())
    bodies = "\n".join(f'{name} = {{ points = ["{p}", "{q}"], mass = {m} }}' for name, p, q, m in RODS)
    (folder / "five-bar.toml").write_text(f"""
format = 1
[model]
dimension = 2
gravity = "-y"
[points]
{points}
[bodies]
ground = {{ points = ["A", "E"] }}
{bodies}
[actuators]
a = {{ joint = "A", torque = 0 }}
e = {{ joint = "E", torque = 0 }}
c = {{ joint = "C", torque = 0 }}
""")
    times = np.linspace(0, 0.8, 401)
    angle = lambda t: (0.2 * np.sin(3 * t), 0.6 * np.cos(3 * t), -1.8 * np.sin(3 * t))
    other = lambda t: (0.3 * t * t, 0.6 * t, 0.6)
    with open(folder / "motion.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["t", "joint.A.q", "joint.E.q"])
        rows.writerows([repr(float(x)) for x in (t, angle(t)[0], other(t)[0])] for t in times)
    weights = ",".join(f"{name}={weight}" for name, weight in WEIGHTS.items())
    run("inverse", "five-bar.toml", "--motion", "motion.csv", "--cutoff", "none", "--weights", weights, "-o", "out", "--no-report")
    with open(folder / "out/results.csv", newline="") as file:
        results = list(csv.DictReader(file))

    # absolute coordinates: x, y, θ of each rod; (z, ż, z̈) of the loop from the two cranks
    lengths = [np.hypot(*np.subtract(PLACES[q], PLACES[p])) for _, p, q, _ in RODS]
    drawn = [np.arctan2(*np.subtract(PLACES[q], PLACES[p])[::-1]) for _, p, q, _ in RODS]
    mass = np.diag([x for (_, _, _, m), l in zip(RODS, lengths) for x in (m, m, m * l * l / 12)])
    half = lambda i, angles, end: end * lengths[i] / 2 * np.array([np.cos(angles[i]), np.sin(angles[i])])
    turn = lambda r: np.array([-r[1], r[0]])
    # pairs of rods and their ends that meet, the ground being None
    joints = [(None, 0, "A"), (0, 1, "B"), (1, 2, "C"), (2, 3, "D"), (3, None, "E")]

    def rows(angles, rates):
        """C and −Ċ q̇ of the joints."""
        c, bias = np.zeros((10, 12)), np.zeros(10)
        for k, (before, after, _) in enumerate(joints):
            for body, end, sign in ((before, 1, 1), (after, -1, -1)):
                if body is None:
                    continue
                r = half(body, angles, end)
                c[2 * k:2 * k + 2, 3 * body:3 * body + 2] += sign * np.eye(2)
                c[2 * k:2 * k + 2, 3 * body + 2] += sign * turn(r)
                bias[2 * k:2 * k + 2] += sign * rates[body] ** 2 * r
        return c, bias

    torque = np.zeros((12, 3))
    # a joint's torque acts on its second body, and the opposite on the first; of the pin E the first body is the ground
    for column, (joint, turned) in enumerate([("A", {0: 1}), ("E", {3: 1}), ("C", {1: -1, 2: 1})]):
        for body, sign in turned.items():
            torque[3 * body + 2, column] = sign
    worst = 0.0
    for k in range(20, len(times) - 20, 10):
        t = times[k]
        first, last = angle(t), other(t)
        # positions: rods bc and cd meet at C
        angles = [drawn[0] + first[0], drawn[1], drawn[2], drawn[3] + last[0]]
        b = np.array(PLACES["A"]) + lengths[0] * np.array([np.cos(angles[0]), np.sin(angles[0])])
        d = np.array(PLACES["E"]) - lengths[3] * np.array([np.cos(angles[3]), np.sin(angles[3])])
        far = d - b
        size = np.hypot(*far)
        along = (lengths[1] ** 2 - lengths[2] ** 2 + size**2) / (2 * size)
        c = b + along * far / size + np.sqrt(lengths[1] ** 2 - along**2) * turn(far / size)
        angles[1], angles[2] = np.arctan2(*(c - b)[::-1]), np.arctan2(*(d - c)[::-1])
        # rates and accelerations: the joints, and the two cranks as given
        cranks = np.zeros((2, 12))
        cranks[0, 2], cranks[1, 11] = 1, 1
        c0, _ = rows(angles, np.zeros(4))
        whole = np.vstack([c0, cranks])
        rates = np.linalg.solve(whole, np.concatenate([np.zeros(10), [first[1], last[1]]]))
        c1, bias = rows(angles, rates[2::3])
        acceleration = np.linalg.solve(whole, np.concatenate([bias, [first[2], last[2]]]))
        free = np.linalg.svd(c1)[2][10:].T
        weight = np.zeros(12)
        weight[1::3] = -G * np.diag(mass)[1::3]
        left = free.T @ (mass @ acceleration - weight)
        root = np.sqrt(np.array(list(WEIGHTS.values())))
        expected = np.linalg.pinv(free.T @ torque / root) @ left / root
        found = np.array([float(results[k][f"actuator.{name}.torque"]) for name in WEIGHTS])
        assert abs(float(results[k]["t"]) - t) < 1e-12
        worst = max(worst, np.max(np.abs(found - expected)) / np.max(np.abs(expected)))
    yield "five-bar with three motors, torques in parts of the largest", worst


def inner(command):
    """Within the environment: prints the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def run(*arguments):
            return subprocess.run([command, *arguments], check=True, capture_output=True, text=True, cwd=folder).stdout

        for compare in (four_bar, five_bar):
            for what, off in compare(run, folder):
                print(f"{what:64} {off:.1e}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--linkwork", type=Path)
    parser.add_argument("--environment", type=Path, default=ROOT / "target/scipy-numpy-peers")
    parser.add_argument("--inner", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    command = options.linkwork
    if command is None:
        subprocess.run(["cargo", "build", "--release", "-p", "linkwork-cli"], cwd=ROOT, check=True)
        command = ROOT / "target/release/linkwork"
    if options.inner:
        inner(command.resolve())
        return
    python = options.environment / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", options.environment], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "numpy", "scipy"], check=True)
    subprocess.run([python, __file__, "--inner", "--linkwork", command.resolve()], check=True)


if __name__ == "__main__":
    main()
