"""Simbody, as the `opensim` wheel has it: calcAccelerationIgnoringConstraints of its matter subsystem, called from Python.

The wheel has no headers and its systems are OpenSim's, so this is an upper bound: a timed evaluation writes the coordinates anew, which drops all that
was computed; realises the stage `dynamics`, as Simbody asks for, which goes through every component of OpenSim's model; and solves with gravity as
forces on the bodies, told once for the state. Trees are built by OpenSim's joints, of which pins turn about z and sliders move along x.
"""

from protocol import Variant, serve  # isort: skip
import numpy as np
import opensim as osim

osim.Logger.setLevelString("off")
RATES = {"revolute": 1, "prismatic": 1, "spherical": 3, "floating": 6, "fixed": 0}
POSITIONS = {"revolute": 1, "prismatic": 1, "spherical": 4, "floating": 7, "fixed": 0}


def vec(x):
    return osim.Vec3(float(x[0]), float(x[1]), float(x[2]))


def quaternion(q):
    w, x, y, z = np.array(q) / np.linalg.norm(q)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def angles(r):
    """x, then y, then z, each about the turned axis."""
    y = np.arcsin(np.clip(r[0, 2], -1, 1))
    return np.array([np.arctan2(-r[1, 2], r[2, 2]), y, np.arctan2(-r[0, 1], r[0, 0])])


def frame_with(axis, column):
    a = np.array(axis, float)
    b = np.cross([0, 1, 0] if abs(a[1]) < 0.9 else [1, 0, 0], a)
    b /= np.linalg.norm(b)
    c = np.cross(a, b)
    return np.column_stack([b, c, a]) if column == 2 else np.column_stack([a, b, c])


def turn(axis, angle):
    half = angle / 2
    return quaternion([np.cos(half), *(np.sin(half) * np.array(axis))])


class Problem:
    def __init__(self, tree):
        self.tree = tree
        self.model = osim.Model()
        self.model.setGravity(osim.Vec3(0.0, 0.0, 0.0))
        self.bodies, self.joints = [], []
        kinds = {"revolute": osim.PinJoint, "prismatic": osim.SliderJoint, "spherical": osim.BallJoint}
        kinds |= {"floating": osim.FreeJoint, "fixed": osim.WeldJoint}
        for i, link in enumerate(tree["links"]):
            xx, yy, zz, xy, xz, yz = link["inertia"]
            body = osim.Body(f"b{i}", link["mass"], vec(link["com"]), osim.Inertia(xx, yy, zz, xy, xz, yz))
            self.model.addBody(body)
            parent = self.model.getGround() if link["parent"] < 0 else self.bodies[link["parent"]]
            kind = link["joint"]
            inner = frame_with(link["axis"], 2 if kind == "revolute" else 0) if kind in ("revolute", "prismatic") else np.eye(3)
            outer = np.array(link["rotation"]).reshape(3, 3) @ inner
            joint = kinds[kind](f"j{i}", parent, vec(link["translation"]), vec(angles(outer)), body, vec([0, 0, 0]), vec(angles(inner)))
            self.model.addJoint(joint)
            self.bodies.append(body)
            self.joints.append(joint)
        self.state = self.model.initSystem()
        self.matter = self.model.getMatterSubsystem()
        self.nu = self.state.getNU()
        self.at = self.places()

    def places(self):
        """Where the rates of each joint stand: by setting them one after the other."""
        found = []
        for joint in self.joints:
            mine = []
            for k in range(joint.numCoordinates()):
                coordinate = joint.get_coordinates(k)
                coordinate.setSpeedValue(self.state, 1.0)
                u = self.state.getU()
                mine.append(next(i for i in range(self.nu) if u.get(i) != 0.0))
                coordinate.setSpeedValue(self.state, 0.0)
            found.append(mine)
        return found

    def set(self, number):
        """Coordinates, rates and forces of a state, and each link's rotation and angular velocity."""
        state, q, v = self.tree["states"][number], 0, 0
        forces = np.zeros(self.nu)
        frames = []
        for i, (link, joint) in enumerate(zip(self.tree["links"], self.joints)):
            kind = link["joint"]
            qi, vi, fi = (state[n][a : a + c] for n, a, c in (("q", q, POSITIONS[kind]), ("v", v, RATES[kind]), ("tau", v, RATES[kind])))
            q, v = q + POSITIONS[kind], v + RATES[kind]
            base, at = frames[link["parent"]] if link["parent"] >= 0 else (np.eye(3), np.zeros(3))
            r, x = base @ np.array(link["rotation"]).reshape(3, 3), at + base @ np.array(link["translation"])
            if kind in ("revolute", "prismatic"):
                values, rates, effort = list(qi), list(vi), list(fi)
                if kind == "revolute":
                    r = r @ turn(link["axis"], qi[0])
                else:
                    x = x + r @ (np.array(link["axis"]) * qi[0])
            elif kind != "fixed":
                own = quaternion(qi[-4:])
                values, rates, effort = list(angles(own)), list(own @ np.array(vi[-3:])), list(own @ np.array(fi[-3:]))
                if kind == "floating":
                    x = x + r @ np.array(qi[:3])
                    values, rates, effort = values + list(qi[:3]), rates + list(own @ np.array(vi[:3])), effort + list(own @ np.array(fi[:3]))
                r = r @ own
            else:
                values, rates, effort = [], [], []
            for k, (value, rate, f) in enumerate(zip(values, rates, effort)):
                joint.get_coordinates(k).setValue(self.state, float(value), False)
                forces[self.at[i][k]] = f
                # the speeds of a ball are its angular velocity, whatever its angles are
                self.state.updU().set(self.at[i][k], float(rate))
            frames.append((r, x))
        self.mobility = osim.Vector(self.nu, 0.0)
        for k in range(self.nu):
            self.mobility.set(k, float(forces[k]))
        self.on_bodies = osim.VectorOfSpatialVec(len(self.bodies) + 1, osim.SpatialVec(osim.Vec3(0.0), osim.Vec3(0.0)))
        for link, body, (r, _) in zip(self.tree["links"], self.bodies, frames):
            weight = link["mass"] * np.array(self.tree["gravity"])
            moment = np.cross(r @ np.array(link["com"]), weight)
            self.on_bodies.set(int(body.getMobilizedBodyIndex()), osim.SpatialVec(vec(moment), vec(weight)))
        self.udot = osim.Vector(self.nu, 0.0)
        self.a = osim.VectorOfSpatialVec(len(self.bodies) + 1, osim.SpatialVec(osim.Vec3(0.0), osim.Vec3(0.0)))

    def solve(self):
        self.model.realizeDynamics(self.state)
        self.matter.calcAccelerationIgnoringConstraints(self.state, self.mobility, self.on_bodies, self.udot, self.a)

    def answer(self, number):
        self.set(number)
        self.solve()
        out, q, v = [], 0, 0
        state = self.tree["states"][number]
        for i, link in enumerate(self.tree["links"]):
            kind = link["joint"]
            qi, vi = state["q"][q : q + POSITIONS[kind]], np.array(state["v"][v : v + RATES[kind]])
            q, v = q + POSITIONS[kind], v + RATES[kind]
            given = np.array([self.udot.get(k) for k in self.at[i]])
            if kind in ("revolute", "prismatic"):
                out.append(given[0])
            elif kind != "fixed":
                own = quaternion(qi[-4:])
                turning = own.T @ given[:3]
                if kind == "floating":
                    out += list(own.T @ given[3:] - np.cross(vi[3:], vi[:3]))
                out += list(turning)
        return out


def load(tree):
    problem = Problem(tree)
    state = problem.state

    def work(k):
        problem.set(0)
        q = osim.Vector(state.getQ())
        for _ in range(k):
            state.setQ(q)  # drops everything that depends on coordinates
            problem.solve()

    return {"calls": Variant(problem.answer, work)}


serve(load)
