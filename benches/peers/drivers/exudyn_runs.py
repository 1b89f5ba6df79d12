"""Exudyn: whole runs with its implicit solvers, by the solver's own timer. Building the system and reading the rows are outside.

Rods are built in two ways, and the better one counts:

  points   one node per moving point, one ObjectGenericODE2 with the consistent mass matrix of all rods, ObjectConnectorDistance for each
           rod: the same equations as Linkwork's, the smallest ones that Exudyn can be given
  bodies   (in the plane) ObjectRigidBody2D and ObjectJointRevolute2D

The vehicle: ObjectRigidBody on Euler parameters or, as a second way, on a Lie-group node with rotation vectors; revolute and spherical joints;
ObjectConnectorSpringDamper. The tyre law is linear while the tyre stays compressed, which it does in this run (least force 1657 N), so each is
an ObjectConnectorCartesianSpringDamper from the road: no user function in Python is called.

Variants are named WAY-SOLVER-LINEAR-STEP: `alpha` is generalized-alpha with a spectral radius of 0.9 (the default), index 3; `trapezoidal` is
TrapezoidalIndex2; `dense` and `sparse` are linear solvers.
"""

from protocol import Variant, serve  # isort: skip
import sys

import numpy as np

sys.exudynFast = True
import exudyn as exu  # noqa: E402
import exudyn.itemInterface as ii  # noqa: E402
from exudyn.rigidBodyUtilities import RigidBodyInertia  # noqa: E402

SOLVERS = {"alpha": exu.DynamicSolverType.GeneralizedAlpha, "trapezoidal": exu.DynamicSolverType.TrapezoidalIndex2}
LINEAR = {"dense": exu.LinearSolverType.EXUdense, "sparse": exu.LinearSolverType.EigenSparse}
POSITION = exu.OutputVariableType.Position


def in_space(x):
    return list(x) + [0.0] * (3 - len(x))


def rods_as_points(mbs, model):
    planar = model["dimensions"] == 2
    d = model["dimensions"]
    fixed = set(model["fixed"])
    markers, nodes, number = [], [], {}
    for p, (x, v) in enumerate(zip(model["points"], model["velocities"])):
        if p in fixed:
            node = mbs.AddNode(ii.NodePointGround(referenceCoordinates=in_space(x)))
        else:
            kind = ii.NodePoint2D if planar else ii.NodePoint
            node = mbs.AddNode(kind(referenceCoordinates=x, initialVelocities=v))
            number[p] = len(nodes)
            nodes.append(node)
        markers.append(mbs.AddMarker(ii.MarkerNodePosition(nodeNumber=node)))
    entries, weight = {}, np.zeros(len(nodes))
    for a, b, m in model["rods"]:
        ends = [number[p] for p in (a, b) if p in number]
        for i in ends:
            weight[i] += m / 2
            for j in ends:
                entries[i, j] = entries.get((i, j), 0.0) + (m / 3 if i == j else m / 6)
    triplets = [[i * d + k, j * d + k, m] for (i, j), m in entries.items() for k in range(d)]
    mass = exu.MatrixContainer()
    mass.SetWithSparseMatrix(np.array(triplets), len(nodes) * d, len(nodes) * d, useDenseMatrix=len(nodes) * d < 20)
    mbs.AddObject(ii.ObjectGenericODE2(nodeNumbers=nodes, massMatrix=mass, forceVector=list(np.kron(weight, model["gravity"]))))
    for a, b, _ in model["rods"]:
        length = float(np.linalg.norm(np.subtract(model["points"][a], model["points"][b])))
        mbs.AddObject(ii.ObjectConnectorDistance(markerNumbers=[markers[a], markers[b]], distance=length))
    return [mbs.AddSensor(ii.SensorNode(nodeNumber=nodes[number[model["tip"]]], storeInternal=True, outputVariableType=POSITION))]


def rods_as_bodies(mbs, model):
    """Every point of the ground or of the first rod that holds it is the base of revolute joints to the other rods."""
    ground = mbs.AddObject(ii.ObjectGround())
    bases = {p: mbs.AddMarker(ii.MarkerBodyPosition(bodyNumber=ground, localPosition=in_space(model["points"][p]))) for p in model["fixed"]}
    tip = None
    for a, b, m in model["rods"]:
        xa, xb = np.array(model["points"][a], float), np.array(model["points"][b], float)
        va, vb = np.array(model["velocities"][a], float), np.array(model["velocities"][b], float)
        along = xb - xa
        length = float(np.linalg.norm(along))
        spin = float(along[0] * (vb - va)[1] - along[1] * (vb - va)[0]) / length**2
        centre, speed = (xa + xb) / 2, (va + vb) / 2
        node = mbs.AddNode(
            ii.NodeRigidBody2D(
                referenceCoordinates=[*centre, float(np.arctan2(along[1], along[0]))],
                initialCoordinates=[0.0] * 3,
                initialVelocities=[*speed, spin],
            )
        )
        body = mbs.AddObject(ii.ObjectRigidBody2D(mass=m, inertia=m * length**2 / 12, nodeNumber=node))
        mbs.AddLoad(ii.LoadMassProportional(markerNumber=mbs.AddMarker(ii.MarkerBodyMass(bodyNumber=body)), loadVector=in_space(model["gravity"])))
        for p, at in ((a, -length / 2), (b, length / 2)):
            marker = mbs.AddMarker(ii.MarkerBodyPosition(bodyNumber=body, localPosition=[at, 0.0, 0.0]))
            if p in bases:
                mbs.AddObject(ii.ObjectJointRevolute2D(markerNumbers=[bases[p], marker]))
            else:
                bases[p] = marker
            if p == model["tip"] and tip is None:
                tip = mbs.AddSensor(ii.SensorBody(bodyNumber=body, localPosition=[at, 0.0, 0.0], storeInternal=True, outputVariableType=POSITION))
    return [tip]


def frame_with_z(axis):
    z = np.array(axis, float)
    x = np.cross([0, 1, 0] if abs(z[1]) < 0.9 else [1, 0, 0], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def vehicle(mbs, model, node_type):
    points = {n: np.array(x) for n, x in model["points"].items()}
    bodies, home = {}, {}
    for name, b in model["bodies"].items():
        com = np.array(b["com"])
        inertia = RigidBodyInertia(mass=b["mass"], inertiaTensor=np.diag(b["inertia"]), com=[0, 0, 0])
        bodies[name] = (mbs.CreateRigidBody(referencePosition=com, inertia=inertia, gravity=model["gravity"], nodeType=node_type), com)
        for p in b["points"]:
            home.setdefault(p, []).append(name)

    def rigid(body, at):
        number, com = bodies[body]
        return mbs.AddMarker(ii.MarkerBodyRigid(bodyNumber=number, localPosition=list(at - com)))

    def position(body, at):
        number, com = bodies[body]
        return mbs.AddMarker(ii.MarkerBodyPosition(bodyNumber=number, localPosition=list(at - com)))

    held = set()
    for joint in model["joints"].values():
        a, b = joint["bodies"]
        at, turn = points[joint["at"]], frame_with_z(joint["axis"])
        held.add(joint["at"])
        mbs.AddObject(ii.ObjectJointRevoluteZ(markerNumbers=[rigid(a, at), rigid(b, at)], rotationMarker0=turn, rotationMarker1=turn))
    for p, owners in home.items():  # points that bodies share without a joint: balls
        if len(owners) == 2 and p not in held:
            mbs.AddObject(ii.ObjectJointSpherical(markerNumbers=[position(o, points[p]) for o in owners]))
    for s in model["springs"].values():
        ends = [position(home[p][0], points[p]) for p in s["between"]]
        mbs.AddObject(
            ii.ObjectConnectorSpringDamper(markerNumbers=ends, referenceLength=s["free_length"], stiffness=s["stiffness"], damping=s["damping"])
        )
    ground = mbs.AddObject(ii.ObjectGround())
    for t in model["tyres"].values():
        centre = points[t["centre"]]
        road = mbs.AddMarker(ii.MarkerBodyPosition(bodyNumber=ground, localPosition=[centre[0], centre[1], t["radius"]]))
        mbs.AddObject(
            ii.ObjectConnectorCartesianSpringDamper(
                markerNumbers=[road, position(t["body"], centre)], stiffness=[0, 0, t["stiffness"]], damping=[0, 0, t["damping"]]
            )
        )
    found = []
    for p in model["heights"]:
        number, com = bodies[home[p][0]]
        local = list(points[p] - com)
        found.append(mbs.AddSensor(ii.SensorBody(bodyNumber=number, localPosition=local, storeInternal=True, outputVariableType=POSITION)))
    return found


def settings(model, solver, linear, step):
    s = exu.SimulationSettings()
    t = s.timeIntegration
    t.solverType = SOLVERS[solver]
    t.endTime = model["duration"]
    t.numberOfSteps = round(model["duration"] / step)
    t.adaptiveStep = False
    t.verboseMode = 0
    t.newton.useModifiedNewton = True
    s.solution.file.write = False
    s.solution.sensors.writePeriod = model["duration"] / model["rows"]
    s.linearSolver.solverType = LINEAR[linear]
    s.linearSolver.reuseAnalyzedPattern = True
    s.parallel.numberOfThreads = 1
    return s


def load(model):
    ways = {}
    if model["kind"] == "rods":
        ways["points"] = rods_as_points
        if model["dimensions"] == 2:
            ways["bodies"] = rods_as_bodies
        steps = ("1e-2", "1e-3") if model["dimensions"] == 2 else ("1e-3", "1e-4")
    else:
        ways["quaternions"] = lambda mbs, m: vehicle(mbs, m, exu.NodeType.RotationEulerParameters)
        ways["lie"] = lambda mbs, m: vehicle(mbs, m, exu.NodeType.RotationRotationVector)
        steps = ("1e-2", "1e-3")
    container = exu.SystemContainer()

    def solve(way, solver, linear, step):
        container.Reset()
        mbs = container.AddSystem()
        sensors = ways[way](mbs, model)
        mbs.Assemble()
        s = settings(model, solver, linear, float(step))
        implicit = exu.MainSolverImplicitSecondOrder()
        if not implicit.SolveSystem(mbs, s):
            raise RuntimeError("the solver failed")
        return mbs, sensors, implicit.timer.total

    def variant(*choice):
        def answer(_):
            mbs, sensors, _ = solve(*choice)
            tables = [np.array(mbs.GetSensorStoredData(s)) for s in sensors]
            rows = []
            for i in range(model["rows"]):
                t = model["duration"] * (i + 1) / model["rows"]
                for table in tables:
                    row = table[np.argmin(abs(table[:, 0] - t))]
                    rows += [row[3]] if model["kind"] == "vehicle" else list(row[1 : 1 + model["dimensions"]])
            return rows

        return Variant(answer, lambda k: sum(solve(*choice)[2] for _ in range(k)))

    small = model["kind"] == "vehicle" or len(model["rods"]) < 60
    return {
        f"{way}-{solver}-{linear}-{step}": variant(way, solver, linear, step)
        for way in ways
        for solver in SOLVERS
        for linear in (("dense", "sparse") if small else ("sparse",))
        for step in steps
    }


serve(load)
