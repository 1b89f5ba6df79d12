"""Drake: MultibodyPlant's forward dynamics in continuous time.

The wheel has no headers, so two loops are timed and the better one counts: evaluations of the time derivatives called from Python (set
the state, which drops the caches; evaluate), and steps of Drake's explicit Euler integrator inside its Simulator, one evaluation each,
so short that the state stays where it is.
"""

from protocol import Variant, serve  # isort: skip
import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    BallRpyJoint,
    FixedOffsetFrame,
    PrismaticJoint,
    QuaternionFloatingJoint,
    RevoluteJoint,
    SpatialInertia,
    UnitInertia,
    WeldJoint,
)
from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator

POSITIONS = {"revolute": 1, "prismatic": 1, "spherical": 4, "floating": 7, "fixed": 0}
RATES = {"revolute": 1, "prismatic": 1, "spherical": 3, "floating": 6, "fixed": 0}
STEP = 1e-12


def build(tree):
    plant = MultibodyPlant(time_step=0.0)
    plant.mutable_gravity_field().set_gravity_vector(np.array(tree["gravity"]))
    bodies, joints = [], []
    for i, link in enumerate(tree["links"]):
        m, com = link["mass"], np.array(link["com"])
        xx, yy, zz, xy, xz, yz = (x / m for x in link["inertia"])
        about_com = UnitInertia(xx, yy, zz, xy, xz, yz)
        spatial = SpatialInertia(m, com, about_com.ShiftFromCenterOfMass(com))
        body = plant.AddRigidBody(f"b{i}", spatial)
        parent = plant.world_body() if link["parent"] < 0 else bodies[link["parent"]]
        placement = RigidTransform(RotationMatrix(np.array(link["rotation"]).reshape(3, 3)), link["translation"])
        frame = plant.AddFrame(FixedOffsetFrame(f"f{i}", parent.body_frame(), placement))
        kind, name = link["joint"], f"j{i}"
        if kind == "revolute":
            joint = RevoluteJoint(name, frame, body.body_frame(), link["axis"])
        elif kind == "prismatic":
            joint = PrismaticJoint(name, frame, body.body_frame(), link["axis"])
        elif kind == "spherical":
            joint = BallRpyJoint(name, frame, body.body_frame())
        elif kind == "floating":
            joint = QuaternionFloatingJoint(name, frame, body.body_frame())
        else:
            joint = WeldJoint(name, frame, body.body_frame(), RigidTransform())
        joints.append(plant.AddJoint(joint))
        bodies.append(body)
    plant.Finalize()
    return plant, joints


class Problem:
    def __init__(self, tree):
        self.tree = tree
        self.plant, self.joints = build(tree)
        self.context = self.plant.CreateDefaultContext()
        self.states = [self.translate(s) for s in tree["states"]]

    def translate(self, state):
        """Ball joints: roll, pitch, yaw. Their rates and those of a floating body: world (or joint) axes, turning first."""
        q, v, f = np.zeros(self.plant.num_positions()), np.zeros(self.plant.num_velocities()), np.zeros(self.plant.num_velocities())
        iq = iv = 0
        for link, joint in zip(self.tree["links"], self.joints):
            kind = link["joint"]
            nq, nv = POSITIONS[kind], RATES[kind]
            qj, vj, fj = state["q"][iq : iq + nq], np.array(state["v"][iv : iv + nv]), np.array(state["tau"][iv : iv + nv])
            iq, iv = iq + nq, iv + nv
            if nv == 0:
                continue
            at, rate = joint.position_start(), joint.velocity_start()
            if kind in ("revolute", "prismatic"):
                q[at], v[rate], f[rate] = qj[0], vj[0], fj[0]
                continue
            turn = RotationMatrix(Quaternion(np.array(qj[-4:]) / np.linalg.norm(qj[-4:])))
            r = turn.matrix()
            if kind == "spherical":
                q[at : at + 3] = RollPitchYaw(turn).vector()
                v[rate : rate + 3], f[rate : rate + 3] = r @ vj, r @ fj
            else:
                q[at : at + 7] = list(qj[3:]) + list(qj[:3])
                v[rate : rate + 6] = np.concatenate([r @ vj[3:], r @ vj[:3]])
                f[rate : rate + 6] = np.concatenate([r @ fj[3:], r @ fj[:3]])
        return np.concatenate([q, v]), f

    def set(self, state):
        x, f = self.states[state]
        self.plant.get_applied_generalized_force_input_port().FixValue(self.context, f)
        self.context.SetContinuousState(x)

    def answer(self, state):
        self.set(state)
        given = self.plant.EvalTimeDerivatives(self.context).get_generalized_velocity().CopyToVector()
        out, iq = [], 0
        iv = 0
        for link, joint in zip(self.tree["links"], self.joints):
            kind = link["joint"]
            q, v = self.tree["states"][state]["q"][iq : iq + POSITIONS[kind]], self.tree["states"][state]["v"][iv : iv + RATES[kind]]
            iq, iv = iq + POSITIONS[kind], iv + RATES[kind]
            if kind == "fixed":
                continue
            at = joint.velocity_start()
            if kind in ("revolute", "prismatic"):
                out.append(given[at])
                continue
            r = RotationMatrix(Quaternion(np.array(q[-4:]) / np.linalg.norm(q[-4:]))).matrix()
            if kind == "spherical":
                out += list(r.T @ given[at : at + 3])
            else:
                out += list(r.T @ given[at + 3 : at + 6] - np.cross(v[3:], v[:3])) + list(r.T @ given[at : at + 3])
        return out


def load(tree):
    problem = Problem(tree)
    plant, context = problem.plant, problem.context

    def called(k):
        problem.set(0)
        x = problem.states[0][0]
        for _ in range(k):
            context.SetContinuousState(x)
            plant.EvalTimeDerivatives(context)

    def sweeps(k):
        states = [x for x, _ in problem.states]
        problem.set(0)
        for _ in range(k):
            for x in states:
                context.SetContinuousState(x)
                plant.EvalTimeDerivatives(context)

    simulator = Simulator(plant, plant.CreateDefaultContext())
    ResetIntegratorFromFlags(simulator, "explicit_euler", STEP)
    inside = simulator.get_mutable_context()
    x, f = problem.states[0]
    plant.get_applied_generalized_force_input_port().FixValue(inside, f)

    def integrated(k):
        inside.SetTime(0.0)
        inside.SetContinuousState(x)
        simulator.Initialize()
        before = simulator.get_integrator().get_num_steps_taken()
        simulator.AdvanceTo(k * STEP)
        done = simulator.get_integrator().get_num_steps_taken() - before
        if abs(done - k) > 1 + k // 100:
            raise RuntimeError(f"{done} steps instead of {k}")

    return {
        "derivatives": Variant(problem.answer, called, sweeps),
        "simulator": Variant(problem.answer, integrated),
    }


serve(load)
