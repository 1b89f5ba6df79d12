"""A control loop at 1 kHz from Python: the arm of seven axes, Linkwork against MuJoCo, in turn.

    pip install . mujoco drake && python benches/python/control_loop.py

All get the same arm and the same controller (torques from angles and rates). Linkwork and MuJoCo read and write arrays in place, Drake's ports copy. Slices of 200 steps take turns, and CPU time is measured; the best slice of
each counts, since what else the machine does only adds. MuJoCo runs its default method, semi-implicit Euler, with everything that the arm does not need switched off; Drake its discrete plant, whose steps are of that kind too; Linkwork
semi-implicit Euler as well, and RK4. Without Drake, or where it is not to be had, the others are compared.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import linkwork as lw
import mujoco
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "peers"))
import models  # noqa: E402

STEP, SLICE, ROUNDS = 1e-3, 200, 100
ARM = models.arm()
N = sum(link["joint"] == "revolute" for link in ARM["links"])  # a tool is fixed to the last one
STIFFNESS, DAMPING, AIM = 20.0, 1.0, 0.5


def of_linkwork(integrator: str) -> lw.Mechanism:
    model = lw.Model.spatial("arm of seven axes", gravity=ARM["gravity"])
    place, places = np.zeros(3), []
    for link in ARM["links"]:
        place = place + link["translation"]
        places.append(place)
    for i, at in enumerate(places):
        model.point(f"J{i}", at.tolist())
        model.point(f"K{i}", at.tolist())
    model.ground(["J0"])
    for i, link in enumerate(ARM["links"]):
        points = [f"K{i}"] + ([f"J{i + 1}"] if i + 1 < len(places) else [])
        xx, yy, zz, xy, xz, yz = link["inertia"]
        com = (places[i] + link["com"]).tolist()
        model.body(f"link{i}", points, mass=link["mass"], com=com, inertia=[xx, yy, zz, xy, xz, yz])
    for i, link in enumerate(ARM["links"]):
        bodies = ["ground" if i == 0 else f"link{i - 1}", f"link{i}"]
        axis = link["axis"] if link["joint"] == "revolute" else None
        model.joint(f"axis{i}", link["joint"], bodies=bodies, at=[f"J{i}", f"K{i}"], axis=axis)
    model.settings(formulation="recursive", integrator=integrator, step=STEP, duration=1e4, output_step=1.0)
    return model.assemble()


def of_mujoco() -> tuple[mujoco.MjModel, mujoco.MjData]:
    spec = mujoco.MjSpec()
    spec.option.gravity = ARM["gravity"]
    spec.option.timestep = STEP
    for flag in ("CONSTRAINT", "CONTACT", "EQUALITY", "LIMIT", "FRICTIONLOSS", "SENSOR", "WARMSTART"):
        bit = getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}", None)
        if bit is not None:
            spec.option.disableflags |= bit
    parent = spec.worldbody
    for link in ARM["links"]:
        parent = parent.add_body(pos=link["translation"], mass=link["mass"], ipos=link["com"], fullinertia=link["inertia"], explicitinertial=True)
        if link["joint"] == "revolute":
            parent.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=link["axis"])
    model = spec.compile()
    return model, mujoco.MjData(model)


def of_drake() -> tuple[Callable[[], float], Callable[[], np.ndarray]] | None:
    """A slice of Drake's loop and its angles, if Drake is there."""
    try:
        from pydrake.math import RigidTransform
        from pydrake.multibody.plant import MultibodyPlant
        from pydrake.multibody.tree import FixedOffsetFrame, RevoluteJoint, RotationalInertia, SpatialInertia, UnitInertia, WeldJoint
        from pydrake.systems.analysis import Simulator
    except ImportError:
        return None
    plant = MultibodyPlant(time_step=STEP)
    plant.mutable_gravity_field().set_gravity_vector(ARM["gravity"])
    parent = plant.world_body()
    for i, link in enumerate(ARM["links"]):
        mass, com = link["mass"], np.array(link["com"])
        xx, yy, zz, xy, xz, yz = (each / mass for each in link["inertia"])
        about_com = UnitInertia(RotationalInertia(Ixx=xx, Iyy=yy, Izz=zz, Ixy=xy, Ixz=xz, Iyz=yz))
        inertia = SpatialInertia(mass=mass, p_PScm_E=com, G_SP_E=about_com.ShiftFromCenterOfMass(com))
        body = plant.AddRigidBody(f"link{i}", inertia)
        frame = plant.AddFrame(FixedOffsetFrame(f"at{i}", parent.body_frame(), RigidTransform(link["translation"])))
        if link["joint"] == "revolute":
            plant.AddJoint(RevoluteJoint(f"axis{i}", frame, body.body_frame(), link["axis"]))
        else:
            plant.AddJoint(WeldJoint(f"axis{i}", frame, body.body_frame(), RigidTransform()))
        parent = body
    plant.Finalize()
    simulator = Simulator(plant)
    context = simulator.get_mutable_context()
    forces, steps = plant.get_applied_generalized_force_input_port(), 0
    forces.FixValue(context, np.zeros(N))
    simulator.Initialize()

    def slice_() -> float:
        nonlocal steps
        began = time.thread_time()
        set_force, read, advance = forces.FixValue, plant.GetPositionsAndVelocities, simulator.AdvanceTo
        for _ in range(SLICE):
            y = read(context)
            set_force(context, STIFFNESS * (AIM - y[:N]) - DAMPING * y[N:])
            steps += 1
            advance(steps * STEP)
        return (time.thread_time() - began) / SLICE

    return slice_, lambda: plant.GetPositions(context)


def main() -> None:
    model, data = of_mujoco()

    def mujoco_slice() -> float:
        began = time.thread_time()
        force, q, v, step = data.qfrc_applied, data.qpos, data.qvel, mujoco.mj_step
        for _ in range(SLICE):
            force[:] = STIFFNESS * (AIM - q) - DAMPING * v
            step(model, data)
        return (time.thread_time() - began) / SLICE

    def linkwork_slice(simulation: lw.Simulation):
        port = simulation.port([f"joint.axis{i}" for i in range(N)], [f"joint.axis{i}.{x}" for x in "qv" for i in range(N)])

        def slice_() -> float:
            began = time.thread_time()
            force, q, v, advance = port.u, port.y[:N], port.y[N:], port.advance
            for _ in range(SLICE):
                force[:] = STIFFNESS * (AIM - q) - DAMPING * v
                advance(STEP)
            return (time.thread_time() - began) / SLICE

        return slice_, port

    def controller_alone() -> float:
        force, q, v = np.zeros(N), np.zeros(N), np.zeros(N)
        began = time.thread_time()
        for _ in range(SLICE):
            force[:] = STIFFNESS * (AIM - q) - DAMPING * v
        return (time.thread_time() - began) / SLICE

    euler, port = linkwork_slice(of_linkwork("semi-implicit-euler").simulation())
    rk4, _ = linkwork_slice(of_linkwork("rk4").simulation())
    # is it the same arm? after a slice both are where the other one is, but for an error of first order
    mujoco_slice(), euler()
    drake = of_drake()
    angles = {"MuJoCo": data.qpos}
    if drake is not None:
        drake[0]()
        angles["Drake"] = drake[1]()
    for name, theirs in angles.items():
        gap = np.abs(port.y[:N] - theirs).max()
        print(f"after {SLICE * STEP} s the angles differ by {gap:.1e} rad of {np.abs(theirs).max():.2f} from those of {name}")
        assert gap < 1e-2
    best: dict[str, float] = {}
    participants = {"controller alone": controller_alone, "MuJoCo mj_step": mujoco_slice, "Linkwork, semi-implicit Euler": euler, "Linkwork, RK4": rk4}
    if drake is not None:
        participants["Drake AdvanceTo"] = drake[0]
    for _ in range(ROUNDS):
        for name, run in participants.items():
            best[name] = min(best.get(name, np.inf), run())
    for name, seconds in best.items():
        print(f"{name:32} {1e6 * seconds:7.2f} µs a step")


if __name__ == "__main__":
    main()
