"""Drake: whole runs of an open chain of rods in the plane by its Simulator with error control."""

from protocol import Variant, serve  # isort: skip
import time

import numpy as np
from pydrake.math import RigidTransform, RollPitchYaw
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import FixedOffsetFrame, RevoluteJoint, SpatialInertia, UnitInertia
from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator

METHODS = {"rk3": "runge_kutta3", "rk5": "runge_kutta5"}
TOLERANCES = ("1e-3", "1e-4", "1e-5", "1e-6", "1e-7", "1e-8", "1e-9")


def build(model):
    if model["kind"] != "rods" or not model.get("open"):
        raise RuntimeError("no closed loops in continuous time")
    plant = MultibodyPlant(time_step=0.0)
    plant.mutable_gravity_field().set_gravity_vector(np.array([*model["gravity"], 0.0]))
    points = np.array(model["points"], float)
    parent, turned, start = plant.world_frame(), 0.0, np.zeros(2)
    for i, (a, b, mass) in enumerate(model["rods"]):
        along = points[b] - points[a]
        length, angle = float(np.linalg.norm(along)), float(np.arctan2(along[1], along[0]))
        thin = length**2 / 12
        com = np.array([length / 2, 0, 0])
        body = plant.AddRigidBody(f"b{i}", SpatialInertia(mass, com, UnitInertia(thin / 2, thin, thin).ShiftFromCenterOfMass(com)))
        back = np.array([[np.cos(turned), np.sin(turned)], [-np.sin(turned), np.cos(turned)]])
        offset = RigidTransform(RollPitchYaw(0, 0, angle - turned), [*(back @ (points[a] - start)), 0])
        frame = plant.AddFrame(FixedOffsetFrame(f"f{i}", parent, offset))
        plant.AddJoint(RevoluteJoint(f"j{i}", frame, body.body_frame(), [0, 0, 1]))
        parent, turned, start = body.body_frame(), angle, points[a]
    plant.Finalize()
    return plant, parent, [length, 0, 0]


def load(model):
    plant, last, tip = build(model)

    def variant(method, tolerance):
        simulator = Simulator(plant, plant.CreateDefaultContext())
        ResetIntegratorFromFlags(simulator, METHODS[method], 0.1)
        integrator = simulator.get_mutable_integrator()
        integrator.set_fixed_step_mode(False)
        integrator.set_target_accuracy(float(tolerance))
        start = simulator.get_context().get_continuous_state_vector().CopyToVector()

        def run(rows):
            context = simulator.get_mutable_context()
            context.SetTime(0.0)
            context.SetContinuousState(start)
            simulator.Initialize()
            spent = 0.0
            for i in range(model["rows"]):
                begin = time.perf_counter()
                simulator.AdvanceTo(model["duration"] * (i + 1) / model["rows"])
                spent += time.perf_counter() - begin
                at = plant.CalcPointsPositions(context, last, tip, plant.world_frame()).ravel()
                rows += list(at[:2])
            return spent

        def answer(_):
            rows = []
            run(rows)
            return rows

        return Variant(answer, lambda k: sum(run([]) for _ in range(k)))

    return {f"{method}-{t}": variant(method, t) for method in METHODS for t in TOLERANCES}


serve(load)
