"""A model file of Linkwork in Exudyn, and its eigenvalues there.

`build` reads what the vehicle of the examples consists of: rigid bodies with numbers for points, mass, centre of mass and inertia, revolute joints, points that two
bodies share (balls), springs with dampers, radial tyres. `linkwork equilibrium MODEL -o FILE` writes such a file at rest.

mbs.ComputeODE2Eigenvalues projects mass, stiffness and damping into the null space of the constraints, but leaves out how the directions of the constraint forces change
with the coordinates: a pendulum on a hinge has the eigenvalue zero there. `eigenvalues` takes all matrices from Exudyn and adds that term:

    M q'' + D q' + (K + d(Cᵀ λ)/dq) q = 0,   C q = 0,   Cᵀ λ = f

C is Exudyn's constraint Jacobian, f its generalised force at the state; the derivatives are central differences of order six of Exudyn's own functions.
"""

import tomllib

import numpy as np


def number(value):
    """A number of a model file in SI units; only the units that the vehicle uses."""
    units = {"m": 1.0, "mm": 1e-3, "N/m": 1.0, "kN/m": 1e3, "N s/m": 1.0, "kN s/m": 1e3}
    if isinstance(value, (int, float)):
        return float(value)
    first, _, unit = value.partition(" ")
    return float(first) * units[unit]


class File:
    """A model file whose expressions are names of parameters at most."""

    def __init__(self, text):
        self.data = tomllib.loads(text)
        self.parameters = self.data.get("parameters", {})

    def number(self, value):
        return number(self.parameters.get(value, value) if isinstance(value, str) else value)

    def place(self, value):
        """A point by its name, or coordinates."""
        value = self.data["points"][value] if isinstance(value, str) else value
        return np.array([self.number(x) for x in value])


def build(mbs, text, gravity):
    """Adds the mechanism to a system of Exudyn."""
    import exudyn.itemInterface as items
    from exudyn.utilities import RigidBodyInertia

    file = File(text)
    data = file.data
    ground = mbs.CreateGround()
    numbers, centres, holders = {"ground": ground}, {"ground": np.zeros(3)}, {}
    for name, body in data["bodies"].items():
        for point in body["points"]:
            holders.setdefault(point, []).append(name)
        if name == "ground":
            continue
        centre = file.place(body["com"])
        entries = [file.number(x) for x in body["inertia"]]
        xx, yy, zz, xy, xz, yz = entries + [0.0] * (6 - len(entries))
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        centres[name] = centre
        numbers[name] = mbs.CreateRigidBody(
            referencePosition=centre, inertia=RigidBodyInertia(file.number(body["mass"]), tensor), gravity=list(gravity))
    # joints by name, then points that several bodies share and no joint is at
    taken = set()
    for joint in data["joints"].values():
        assert joint["type"] == "revolute", joint
        first, second = joint["bodies"]
        taken.add(joint["at"])
        axis = file.place(joint["axis"])
        mbs.CreateRevoluteJoint(
            itemNumbers=[numbers[first], numbers[second]], position=file.place(joint["at"]), axis=axis / np.linalg.norm(axis), useGlobalFrame=True)
    for point, bodies in holders.items():
        if point in taken:
            continue
        for body in bodies[1:]:
            place = file.place(point)
            local = [place - centres[name] for name in (bodies[0], body)]
            markers = [mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=numbers[name], localPosition=r)) for name, r in zip((bodies[0], body), local)]
            mbs.AddObject(items.ObjectJointSpherical(markerNumbers=markers))

    def marker(body, point):
        return mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=numbers[body], localPosition=file.place(point) - centres[body]))

    for spring in data.get("springs", {}).values():
        markers = [marker(holders[point][0], point) for point in spring["between"]]
        mbs.AddObject(items.ObjectConnectorSpringDamper(
            markerNumbers=markers, stiffness=file.number(spring["stiffness"]), damping=file.number(spring.get("damping", 0)),
            referenceLength=file.number(spring["free_length"])))
    # a radial tyre pushes the centre of its wheel up, by its height above the road z = 0
    for tyre in data.get("tyres", {}).values():
        centre = file.place(tyre["centre"])
        below = mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=ground, localPosition=[centre[0], centre[1], file.number(tyre["radius"])]))
        mbs.AddObject(items.ObjectConnectorCartesianSpringDamper(
            markerNumbers=[below, marker(tyre["body"], tyre["centre"])], stiffness=[0, 0, file.number(tyre["stiffness"])],
            damping=[0, 0, file.number(tyre.get("damping", 0))]))
    mbs.Assemble()


def derivative(function, at, set_to, step=1e-3):
    """Central differences of order six along each coordinate."""
    columns = []
    for i in range(len(at)):
        def value(k):
            moved = at.copy()
            moved[i] += k * step
            set_to(moved)
            return function()
        columns.append((45 * (value(1) - value(-1)) - 9 * (value(2) - value(-2)) + (value(3) - value(-3))) / (60 * step))
    set_to(at)
    return np.array(columns).T


def eigenvalues(mbs):
    """Eigenvalues at the state, and by how much forces and constraint forces miss each other there, in parts of the largest force."""
    import exudyn as exu
    from scipy.linalg import null_space

    settings = exu.SimulationSettings()
    settings.solutionSettings.writeSolutionToFile = False
    settings.staticSolver.verboseMode = 0
    solver = exu.MainSolverStatic()
    solver.InitializeSolver(mbs, settings)
    n, rows = solver.GetODE2size(), solver.GetAEsize()
    solver.ComputeMassMatrix(mbs)
    mass = np.array(solver.GetSystemMassMatrix())[:n, :n].copy()

    def jacobian(by_position, by_rate):
        solver.ComputeJacobianODE2RHS(mbs, scalarFactor_ODE2=by_position, scalarFactor_ODE2_t=by_rate, scalarFactor_ODE1=0)

    def constraints():
        jacobian(0, 0)
        solver.ComputeJacobianAE(mbs, scalarFactor_ODE2=1.0, scalarFactor_ODE2_t=0.0, scalarFactor_ODE1=0.0, velocityLevel=False)
        return np.array(solver.GetSystemJacobian())[n:n + rows, :n].copy()

    def forces():
        solver.ComputeODE2RHS(mbs)
        return np.array(solver.GetSystemResidual())[:n].copy()

    jacobian(0, -1)
    damping = np.array(solver.GetSystemJacobian())[:n, :n].copy()
    q = np.array(mbs.systemData.GetODE2Coordinates())
    force, c = forces(), constraints()
    multipliers = np.linalg.lstsq(c.T, force, rcond=None)[0]
    left = np.abs(force - c.T @ multipliers).max() / np.abs(force).max()
    stiffness = derivative(lambda: constraints().T @ multipliers - forces(), q, mbs.systemData.SetODE2Coordinates)
    free = null_space(c, rcond=1e-10)
    m, k, d = (free.T @ matrix @ free for matrix in (mass, stiffness, damping))
    a = np.block([[np.zeros_like(m), np.eye(len(m))], [-np.linalg.solve(m, k), -np.linalg.solve(m, d)]])
    return np.linalg.eigvals(a), left
