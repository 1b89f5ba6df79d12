#!/usr/bin/env python3
"""Linear systems and eigenvalues of Linkwork beside those of Exudyn, MuJoCo, Drake and python-control.

    python3 studies/linear_peers.py [--linkwork FILE] [--environment DIR] [--only NAME]

Makes an environment with the peers from PyPI (numpy, scipy, control, mujoco, exudyn, drake) unless DIR has one, builds the command with
cargo unless --linkwork names one, and prints a table. A peer that cannot be installed or fails is listed with the reason.

Four models: a double pendulum that hangs, with dampers; a quarter car; a tree of seven bodies in space (spatial_tree.py), as drawn and on its way; the vehicle of the
examples at rest, with its closed loops.

- Exudyn: mbs.ComputeODE2Eigenvalues(computeComplexEigenvalues=True) of the quarter car, and of the pendulum as a kinematic tree. Of the vehicle the same with a term that is
  missing there (exudyn_model.py).
- Drake: Linearize of a MultibodyPlant of the pendulum and of the tree.
- MuJoCo: the logarithm of the matrix of mjd_transitionFD over the time step, extrapolated to a step of zero, as a step is of first order.
- python-control: forced_response of the written A, B, C, D, against a run with the same small sine.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PEERS = ["numpy", "scipy", "control", "mujoco", "exudyn", "drake"]
import exudyn_model
import spatial_tree

G = 9.81

# lengths, masses, damping in the hinges
L1, L2, M1, M2, D1, D2 = 1.0, 0.7, 2.0, 1.5, 0.3, 0.2

PENDULUM = f"""
format = 1
[model]
name = "double pendulum"
dimension = 2
gravity = [0, -{G}]
[points]
O = [0, 0]
A = [0, -{L1}]
B = [0, -{L1 + L2}]
[bodies]
ground = {{ points = ["O"] }}
upper = {{ points = ["O", "A"], mass = {M1} }}
lower = {{ points = ["A", "B"], mass = {M2} }}
[inputs]
moment = {{ unit = "N m" }}
[couples]
first = {{ body = "upper", moment = "input.moment - {D1}*body.upper.wz + {D2}*(body.lower.wz - body.upper.wz)" }}
second = {{ body = "lower", moment = "-{D2}*(body.lower.wz - body.upper.wz)" }}
[measures]
tip = "point.B.x"
[simulation]
duration = 4
output_step = 0.01
tolerance = 1e-12
"""

# masses, stiffnesses, dampings of wheel and body
MW, MB, KT, KS, DS = 40.0, 350.0, 180000.0, 18000.0, 1500.0

QUARTER_CAR = f"""
format = 1
[model]
name = "quarter car"
dimension = 2
[points]
R = [0, 0]
W = [0, 0.3]
B = [0, 0.7]
[bodies]
ground = {{ points = ["R"] }}
wheel = {{ points = ["W"], mass = {MW}, com = "W", inertia = 1 }}
body = {{ points = ["B"], mass = {MB}, com = "B", inertia = 1 }}
[joints]
wheel_guide = {{ type = "prismatic", bodies = ["ground", "wheel"], at = ["R", "W"], axis = [0, 1] }}
body_guide = {{ type = "prismatic", bodies = ["ground", "body"], at = ["R", "B"], axis = [0, 1] }}
[springs]
tyre = {{ between = ["R", "W"], stiffness = {KT}, free_length = 0.3 }}
strut = {{ between = ["W", "B"], stiffness = {KS}, damping = {DS}, free_length = 0.4 }}
"""


def environment(folder):
    """The interpreter of an environment with the peers."""
    python = folder / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        for peer in PEERS:
            subprocess.run([python, "-m", "pip", "install", "-q", peer], check=False)
    return python


class Linkwork:
    def __init__(self, command, folder):
        self.command, self.folder = command, Path(folder)

    def run(self, *arguments):
        return subprocess.run([self.command, *arguments], check=True, capture_output=True, text=True, cwd=self.folder).stdout

    def model(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def eigenvalues(self, name, text):
        found = json.loads(self.run("modes", self.model(name, text), "--format", "json"))
        values = []
        for mode in found["modes"]:
            value = complex(*mode["eigenvalue"])
            values += [value] + ([value.conjugate()] if value.imag else [])
        return values

    def tree(self, moving):
        """A of the tree, coordinates and rates in the order of its links."""
        import numpy as np
        self.run("linearize", self.model("tree.toml", spatial_tree.linkwork(moving)), "-o", "tree.npz")
        found = np.load(self.folder / "tree.npz")
        names = list(found["states"])
        order = [names.index(f"joint.{link[0]}.{kind}") for kind in "qv" for link in spatial_tree.LINKS]
        return found["A"][np.ix_(order, order)]


def distance(ours, theirs):
    """The largest distance of an eigenvalue of ours that is not zero from the nearest of the peer, in parts of itself."""
    return max(min(abs(a - b) for b in theirs) / abs(a) for a in ours if a)


def matrix_distance(ours, theirs):
    """The largest distance of an entry, in parts of the largest."""
    import numpy as np
    return float(np.max(np.abs(ours - theirs)) / np.max(np.abs(ours)))


def of_exudyn(linkwork):
    import exudyn as exu
    from exudyn.itemInterface import (MarkerNodeCoordinate, Mass1D, Node1D, NodeGenericODE2, NodePointGround, ObjectConnectorCoordinateSpringDamper,
                                      ObjectKinematicTree)

    system = exu.SystemContainer()
    mbs = system.AddSystem()
    ground = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=mbs.AddNode(NodePointGround()), coordinate=0))
    markers = []
    for mass in (MW, MB):
        node = mbs.AddNode(Node1D(referenceCoordinates=[0]))
        mbs.AddObject(Mass1D(nodeNumber=node, mass=mass))
        markers.append(mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=node, coordinate=0)))
    mbs.AddObject(ObjectConnectorCoordinateSpringDamper(markerNumbers=[ground, markers[0]], stiffness=KT, damping=0))
    mbs.AddObject(ObjectConnectorCoordinateSpringDamper(markerNumbers=markers, stiffness=KS, damping=DS))
    mbs.Assemble()
    values, _ = mbs.ComputeODE2Eigenvalues(computeComplexEigenvalues=True, useAbsoluteValues=False)
    yield "Exudyn", "quarter car", distance(linkwork.eigenvalues("car.toml", QUARTER_CAR), list(values))

    import numpy as np
    mbs = system.AddSystem()
    inertia = lambda m, l: np.diag([m * l * l / 12, 1e-9, m * l * l / 12])
    node = mbs.AddNode(NodeGenericODE2(referenceCoordinates=[0, 0], initialCoordinates=[0, 0], initialCoordinates_t=[0, 0], numberOfODE2Coordinates=2))
    mbs.AddObject(ObjectKinematicTree(
        nodeNumber=node, jointTypes=[exu.JointType.RevoluteZ] * 2, linkParents=[-1, 0],
        jointTransformations=exu.Matrix3DList([np.eye(3)] * 2), jointOffsets=exu.Vector3DList([[0, 0, 0], [0, -L1, 0]]),
        linkInertiasCOM=exu.Matrix3DList([inertia(M1, L1), inertia(M2, L2)]),
        linkCOMs=exu.Vector3DList([[0, -L1 / 2, 0], [0, -L2 / 2, 0]]), linkMasses=[M1, M2], baseOffset=[0, 0, 0],
        gravity=[0, -G, 0], jointDControlVector=[D1, D2], jointPControlVector=[0, 0], jointPositionOffsetVector=[0, 0], jointVelocityOffsetVector=[0, 0]))
    mbs.Assemble()
    values, _ = mbs.ComputeODE2Eigenvalues(computeComplexEigenvalues=True, useAbsoluteValues=False)
    yield "Exudyn", "double pendulum", distance(linkwork.eigenvalues("pendulum.toml", PENDULUM), list(values))

    rest = linkwork.folder / "vehicle.toml"
    linkwork.run("equilibrium", str(ROOT / "examples/vehicle.toml"), "-o", str(rest))
    mbs = system.AddSystem()
    exudyn_model.build(mbs, rest.read_text(), [0, 0, -G])
    values, left = exudyn_model.eigenvalues(mbs)
    yield "Exudyn", "vehicle at rest, force that is left over there", left
    ours = linkwork.eigenvalues("vehicle.toml", rest.read_text())
    yield "Exudyn", f"vehicle, {sum(value != 0 for value in ours)} eigenvalues", distance(ours, list(values))


def of_drake(linkwork):
    import numpy as np
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.systems.framework import InputPortSelection, OutputPortSelection
    from pydrake.systems.primitives import Linearize

    def link(name, mass, length):
        i = mass * length * length / 12
        return (f'<link name="{name}"><inertial><origin xyz="0 0 {-length / 2}"/><mass value="{mass}"/>'
                f'<inertia ixx="{i}" iyy="{i}" izz="1e-6" ixy="0" ixz="0" iyz="0"/></inertial></link>')

    def joint(name, parent, child, z, damping):
        return (f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/><origin xyz="0 0 {z}"/>'
                f'<axis xyz="0 1 0"/><dynamics damping="{damping}"/></joint>')

    urdf = ('<robot name="p">' + link("upper", M1, L1) + link("lower", M2, L2)
            + joint("a", "world", "upper", 0, D1) + joint("b", "upper", "lower", -L1, D2) + "</robot>")
    plant = MultibodyPlant(time_step=0.0)
    Parser(plant).AddModelsFromString(urdf, "urdf")
    plant.mutable_gravity_field().set_gravity_vector([0, 0, -G])
    plant.Finalize()
    context = plant.CreateDefaultContext()
    plant.get_actuation_input_port().FixValue(context, np.zeros(plant.num_actuators()))
    plant.get_applied_generalized_force_input_port().FixValue(context, np.zeros(plant.num_velocities()))
    found = Linearize(plant, context, InputPortSelection.kNoInput, OutputPortSelection.kNoOutput, equilibrium_check_tolerance=1e-6)
    yield "Drake", "double pendulum", distance(linkwork.eigenvalues("pendulum.toml", PENDULUM), list(np.linalg.eigvals(found.A())))

    for moving in (False, True):
        plant = MultibodyPlant(time_step=0.0)
        Parser(plant).AddModelsFromString(spatial_tree.urdf(), "urdf")
        plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("ground"))
        plant.mutable_gravity_field().set_gravity_vector([0, 0, -G])
        plant.Finalize()
        context = plant.CreateDefaultContext()
        plant.get_actuation_input_port().FixValue(context, np.zeros(plant.num_actuators()))
        plant.get_applied_generalized_force_input_port().FixValue(context, np.zeros(plant.num_velocities()))
        joints = [plant.GetJointByName(link[0]) for link in spatial_tree.LINKS]
        q, v = np.zeros(plant.num_positions()), np.zeros(plant.num_velocities())
        for joint, (name, *_) in zip(joints, spatial_tree.LINKS):
            if moving:
                q[joint.position_start()], v[joint.velocity_start()] = spatial_tree.AT[name]
        plant.SetPositions(context, q)
        plant.SetVelocities(context, v)
        # an instant of a motion: no equilibrium, so no check of one
        found = Linearize(plant, context, InputPortSelection.kNoInput, OutputPortSelection.kNoOutput, equilibrium_check_tolerance=1e9)
        order = [joint.position_start() for joint in joints] + [len(q) + joint.velocity_start() for joint in joints]
        where = "on its way" if moving else "as drawn"
        yield "Drake", f"tree in space {where}, entries of A", matrix_distance(linkwork.tree(moving), found.A()[np.ix_(order, order)])


def of_mujoco(linkwork):
    import mujoco
    import numpy as np
    from scipy.linalg import logm

    def body(name, z, mass, length, damping, inner):
        i = mass * length * length / 12
        return (f'<body name="{name}" pos="0 0 {z}"><joint type="hinge" axis="0 1 0" damping="{damping}"/>'
                f'<inertial pos="0 0 {-length / 2}" mass="{mass}" diaginertia="{i} {i} 1e-6"/>{inner}</body>')

    xml = (f'<mujoco><option gravity="0 0 {-G}" integrator="Euler"><flag eulerdamp="disable"/></option><worldbody>'
           + body("upper", 0, M1, L1, D1, body("lower", -L1, M2, L2, D2, "")) + "</worldbody></mujoco>")
    def continuous(model, q, v):
        """A of the differential equation: the logarithm over the step, extrapolated from first order four times."""
        def with_step(h):
            model.opt.timestep = h
            data = mujoco.MjData(model)
            data.qpos[:], data.qvel[:] = q, v
            mujoco.mj_forward(model, data)
            a = np.zeros((2 * model.nv, 2 * model.nv))
            mujoco.mjd_transitionFD(model, data, 1e-6, True, a, None, None, None)
            return logm(a) / h

        table = [with_step(0.02 / 2**k) for k in range(5)]
        for order in range(1, 5):
            table = [(2**order * fine - coarse) / (2**order - 1) for coarse, fine in zip(table, table[1:])]
        return table[0]

    found = continuous(mujoco.MjModel.from_xml_string(xml), [0, 0], [0, 0])
    yield "MuJoCo", "double pendulum", distance(linkwork.eigenvalues("pendulum.toml", PENDULUM), list(np.linalg.eigvals(found)))

    for moving in (False, True):
        model = mujoco.MjModel.from_xml_string(spatial_tree.mjcf())
        at = [spatial_tree.AT[mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, i)] for i in range(model.njnt)]
        q, v = np.array(at).T if moving else np.zeros((2, model.nv))
        names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, i) for i in range(model.njnt)]
        places = [names.index(link[0]) for link in spatial_tree.LINKS]
        order = places + [model.nv + place for place in places]
        where = "on its way" if moving else "as drawn"
        found = continuous(model, q, v)[np.ix_(order, order)]
        yield "MuJoCo", f"tree in space {where}, entries of A", matrix_distance(linkwork.tree(moving), found)


def of_control(linkwork):
    import control
    import numpy as np

    amplitude, omega = 1e-3, 5.0
    model = linkwork.model("pendulum.toml", PENDULUM)
    linkwork.run("linearize", model, "-o", "linear.npz")
    linear = np.load(linkwork.folder / "linear.npz")
    system = control.ss(*(linear[name] for name in "ABCD"))
    # the same moment in the model itself: nothing is sampled
    shaken = PENDULUM.replace("input.moment -", f"{amplitude}*sin({omega}*t) -")
    linkwork.run("run", linkwork.model("shaken.toml", shaken), "-o", "out", "--no-report", "--quiet")
    with open(linkwork.folder / "out/results.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    t = np.array([float(row["t"]) for row in rows])
    tip = np.array([float(row["measure.tip"]) for row in rows])
    fine = np.linspace(t[0], t[-1], 20 * (len(t) - 1) + 1)
    answer = control.forced_response(system, fine, amplitude * np.sin(omega * fine)).outputs[::20]
    yield "python-control", "double pendulum, forced_response against a run", float(np.max(np.abs(answer - tip)) / np.max(np.abs(tip)))


def inner(command, only):
    """Within the environment: prints the table."""
    with tempfile.TemporaryDirectory() as folder:
        linkwork = Linkwork(command, folder)
        for name, compare in [("exudyn", of_exudyn), ("drake", of_drake), ("mujoco", of_mujoco), ("control", of_control)]:
            if only not in (None, name):
                continue
            try:
                for peer, what, off in compare(linkwork):
                    print(f"{peer:15} {what:50} {off:.1e}", flush=True)
            except Exception as error:
                reason = getattr(error, "stderr", None) or error
                print(f"{name:15} failed: {type(error).__name__}: {str(reason).strip().splitlines()[-1] if str(reason).strip() else ''}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--linkwork", type=Path)
    parser.add_argument("--environment", type=Path, default=ROOT / "target/linear-peers")
    parser.add_argument("--only")
    parser.add_argument("--inner", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    command = options.linkwork
    if command is None:
        subprocess.run(["cargo", "build", "--release", "-p", "linkwork-cli"], cwd=ROOT, check=True)
        command = ROOT / "target/release/linkwork"
    if options.inner:
        inner(command.resolve(), options.only)
        return
    python = environment(options.environment)
    only = ["--only", options.only] if options.only else []
    subprocess.run([python, __file__, "--inner", "--linkwork", command.resolve(), *only], check=True)


if __name__ == "__main__":
    main()
