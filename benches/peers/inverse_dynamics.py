"""Compares `linkwork inverse` with Pinocchio's `rnea` on a 7-axis arm, and redundant actuation with numpy's pseudo-inverse.

    pip install pin numpy scipy
    cargo build --release -p linkwork-cli
    python benches/peers/inverse_dynamics.py [path of the command]

The motion is sampled in a file. Linkwork puts a quintic spline through it; here scipy makes the same spline ("not a knot", k = 5) by itself, Pinocchio's recursive
Newton-Euler algorithm gives the torques for its values and derivatives, and the gradients of two linear actuators come from Pinocchio's Jacobians.
"""

import csv
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pinocchio as pin
from scipy.interpolate import make_interp_spline

COMMAND = sys.argv[1] if len(sys.argv) > 1 else "target/release/linkwork"
JOINTS = 7
rng = np.random.default_rng(7)


def unit(v):
    return v / np.linalg.norm(v)


points = np.cumsum(rng.uniform(-0.15, 0.35, size=(JOINTS + 1, 3)), axis=0)
axes = [unit(rng.normal(size=3)) for _ in range(JOINTS)]
masses = rng.uniform(1, 5, size=JOINTS)
centres = [points[i] + rng.uniform(-0.1, 0.2, size=3) for i in range(JOINTS)]
inertias = []
for _ in range(JOINTS):
    a, b, c = rng.uniform(0.02, 0.06, size=3)
    r = pin.Quaternion(unit(rng.normal(size=4))).toRotationMatrix()
    inertias.append(r @ np.diag([b + c, a + c, a + b]) @ r.T)
# linear actuators: (name, points, bodies that carry them: joint i moves body i)
anchors = {"U": (points[1] + [0.1, 0.2, 0.05], 0), "V": (points[3] + [-0.1, 0.1, 0.2], 2), "W": (points[5] + [0.2, 0, 0.1], 4)}
lines = {"s1": ("U", "V"), "s2": ("V", "W")}
weights = {f"joint.J{i}": 1.0 + 0.3 * i for i in range(JOINTS)} | {"s1": 0.01, "s2": 0.02}


def vector(v):
    return "[" + ", ".join(repr(float(x)) for x in v) + "]"


def model_file():
    text = "format = 1\n[model]\nname = \"arm\"\ndimension = 3\ngravity = [0, 0, -9.81]\n[points]\n"
    for i, p in enumerate(points):
        text += f"P{i} = {vector(p)}\n"
    for name, (p, _) in anchors.items():
        text += f"{name} = {vector(p)}\n"
    text += "[bodies]\nground = { points = [\"P0\"] }\n"
    for i in range(JOINTS):
        held = [f"P{i}", f"P{i + 1}"] + [name for name, (_, body) in anchors.items() if body == i]
        m = inertias[i]
        six = vector([m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]])
        names = ", ".join(f'"{name}"' for name in held)
        text += f"b{i} = {{ points = [{names}], mass = {float(masses[i])!r}, com = {vector(centres[i])}, inertia = {six} }}\n"
    text += "[joints]\n"
    for i in range(JOINTS):
        before = "ground" if i == 0 else f"b{i - 1}"
        text += f'J{i} = {{ type = "revolute", bodies = ["{before}", "b{i}"], at = "P{i}", axis = {vector(axes[i])} }}\n'
    text += "[actuators]\n"
    for name, (a, b) in lines.items():
        text += f'{name} = {{ between = ["{a}", "{b}"], force = 0 }}\n'
    return text


def pinocchio_model():
    model = pin.Model()
    model.gravity.linear = np.array([0, 0, -9.81])
    parent, at = 0, np.zeros(3)
    for i in range(JOINTS):
        joint = pin.JointModelRevoluteUnaligned(axes[i])
        parent = model.addJoint(parent, joint, pin.SE3(np.eye(3), points[i] - at), f"J{i}")
        model.appendBodyToJoint(parent, pin.Inertia(masses[i], centres[i] - points[i], inertias[i]), pin.SE3.Identity())
        at = points[i]
    for name, (p, body) in anchors.items():
        placement = pin.SE3(np.eye(3), p - points[body])
        model.addFrame(pin.Frame(name, body + 1, 0, placement, pin.FrameType.OP_FRAME))
    return model


def read(folder):
    with open(folder / "results.csv") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def linkwork(folder, out, *options):
    arguments = [COMMAND, "inverse", "arm.toml", "--motion", "motion.csv", "--cutoff", "none", "--no-report", "-o", out]
    subprocess.run([*arguments, *options], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return read(folder / out)


def main():
    t = np.linspace(0, 2, 201)
    size, speed, phase = rng.uniform(0.2, 0.9, JOINTS), rng.uniform(1, 4, JOINTS), rng.uniform(0, 6, JOINTS)
    q = size * np.sin(np.outer(t, speed) + phase)
    model = pinocchio_model()
    data = model.createData()
    splines = [make_interp_spline(t, q[:, i], k=5) for i in range(JOINTS)]
    v, a = (np.array([s.derivative(k)(t) for s in splines]).T for k in (1, 2))
    torques = np.array([pin.rnea(model, data, *row) for row in zip(q, v, a)])
    command = pathlib.Path(COMMAND)
    globals()["COMMAND"] = str(command.resolve()) if command.exists() else COMMAND
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "arm.toml").write_text(model_file())
        columns = [f"joint.J{i}.q" for i in range(JOINTS)]
        with open(folder / "motion.csv", "w") as file:
            file.write(",".join(["t", *columns]) + "\n")
            for time, row in zip(t, q):
                file.write(",".join(repr(float(x)) for x in [time, *row]) + "\n")
        joints = [f"joint.J{i}" for i in range(JOINTS)]
        mine = linkwork(folder, "unique", "--actuators", ",".join(joints))
        found = np.array([mine[f"actuator.{name}.torque"] for name in joints]).T
        error = np.abs(found - torques).max() / np.abs(torques).max()
        print(f"rnea, 7-axis arm, {len(t)} instants, torques up to {np.abs(torques).max():.1f} N m: {error:.1e} of the largest")
        told = ",".join(f"{name}={weight}" for name, weight in weights.items())
        more = linkwork(folder, "redundant", "--actuators", ",".join([*joints, *lines]), "--weights", told)
        worst, largest = 0.0, 0.0
        for k in range(len(t)):
            pin.forwardKinematics(model, data, q[k])
            pin.computeJointJacobians(model, data, q[k])
            pin.updateFramePlacements(model, data)
            gradient = []
            for first, second in lines.values():
                ids = [model.getFrameId(end) for end in (first, second)]
                along = unit(data.oMf[ids[1]].translation - data.oMf[ids[0]].translation)
                j = [pin.getFrameJacobian(model, data, i, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)[:3] for i in ids]
                gradient.append(along @ (j[1] - j[0]))
            b = np.hstack([np.eye(JOINTS), np.array(gradient).T])
            share = np.array([weights[name] ** -0.5 for name in [*joints, *lines]])
            forces = share * (np.linalg.pinv(b * share) @ torques[k])
            own = [more[f"actuator.{name}.torque"][k] for name in joints] + [more[f"actuator.{name}.force"][k] for name in lines]
            worst = max(worst, np.abs(forces - own).max())
            largest = max(largest, np.abs(forces).max())
        print(f"pinv, 9 actuators for 7 axes, forces up to {largest:.1f}: {worst / largest:.1e} of the largest")
        assert error < 1e-10 and worst / largest < 1e-10


main()
