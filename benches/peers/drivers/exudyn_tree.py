"""Exudyn: ObjectKinematicTree in steps of its explicit Euler solver, one evaluation of the dynamics each, by the solver's own timer.

Its joints turn or slide about x, y or z, so links are re-framed until z is the axis; fixed links are merged into their parents. It has no
spherical or floating joint in minimal coordinates: those models are refused.
"""

from protocol import Variant, serve  # isort: skip
import sys

import numpy as np

sys.exudynFast = True
import exudyn as exu  # noqa: E402
from exudyn.itemInterface import NodeGenericODE2, ObjectKinematicTree  # noqa: E402

STEP = 1e-9  # of the timed steps: the state stays where it is
ANSWER_STEP = 1e-12


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def to_axis(axis):
    """A rotation whose third column is `axis`."""
    z = np.array(axis) / np.linalg.norm(axis)
    x = np.cross([0, 1, 0] if abs(z[1]) < 0.9 else [1, 0, 0], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def matrix(j):
    return np.array([[j[0], j[3], j[4]], [j[3], j[1], j[5]], [j[4], j[5], j[2]]])


class Links:
    """The tree without its fixed links, in axes where every joint is one of Exudyn's."""

    def __init__(self, tree):
        self.types, self.parents, self.turns, self.offsets, self.masses, self.coms, self.inertias = [], [], [], [], [], [], []
        frames = []  # of each link of the file: (number here, rotation, translation) in that link's axes here
        for link in tree["links"]:
            r, t = np.array(link["rotation"]).reshape(3, 3), np.array(link["translation"], float)
            parent = -1
            if link["parent"] >= 0:
                parent, base, at = frames[link["parent"]]
                r, t = base @ r, at + base @ t
            kind, axis = link["joint"], link["axis"]
            mass, com, inertia = link["mass"], np.array(link["com"], float), matrix(link["inertia"])
            if kind == "fixed":
                if parent < 0:
                    raise RuntimeError("a link is fixed to the ground")
                frames.append((parent, r, t))
                self.add_mass(parent, mass, t + r @ com, r @ inertia @ r.T)
                continue
            if kind not in ("revolute", "prismatic"):
                raise RuntimeError(f"no {kind} joint in minimal coordinates")
            aligned = {(1, 0, 0): "X", (0, 1, 0): "Y", (0, 0, 1): "Z"}.get(tuple(axis))
            e = np.eye(3) if aligned else to_axis(axis)
            name = ("Revolute" if kind == "revolute" else "Prismatic") + (aligned or "Z")
            self.types.append(getattr(exu.JointType, name))
            self.parents.append(parent)
            self.turns.append(r @ e)
            self.offsets.append(t)
            self.masses.append(mass)
            self.coms.append(e.T @ com)
            self.inertias.append(e.T @ inertia @ e)
            frames.append((len(self.types) - 1, e.T, np.zeros(3)))

    def add_mass(self, i, mass, com, inertia):
        total = self.masses[i] + mass
        centre = (self.masses[i] * self.coms[i] + mass * com) / total
        for m, c in ((self.masses[i], self.coms[i]), (mass, com)):
            s = skew(c - centre)
            inertia = inertia - m * s @ s
        self.inertias[i] = self.inertias[i] + inertia
        self.masses[i], self.coms[i] = total, centre


def load(tree):
    links = Links(tree)
    n = len(links.types)
    container = exu.SystemContainer()

    def system(state):
        container.Reset()
        mbs = container.AddSystem()
        node = mbs.AddNode(
            NodeGenericODE2(
                referenceCoordinates=[0.0] * n, initialCoordinates=state["q"], initialCoordinates_t=state["v"], numberOfODE2Coordinates=n
            )
        )
        mbs.AddObject(
            ObjectKinematicTree(
                nodeNumber=node,
                jointTypes=links.types,
                linkParents=links.parents,
                jointTransformations=exu.Matrix3DList([np.array(t) for t in links.turns]),
                jointOffsets=exu.Vector3DList(links.offsets),
                linkInertiasCOM=exu.Matrix3DList(links.inertias),
                linkCOMs=exu.Vector3DList(links.coms),
                linkMasses=links.masses,
                gravity=tree["gravity"],
                jointForceVector=state["tau"],
            )
        )
        mbs.Assemble()
        return mbs

    def settings(k, step, end_accelerations, dense):
        s = exu.SimulationSettings()
        t = s.timeIntegration
        t.numberOfSteps, t.endTime = k, k * step
        t.adaptiveStep = t.automaticStepSize = False
        t.minimumStepSize = step / 10
        t.explicit.computeEndOfStepAccelerations = end_accelerations
        t.explicit.useLieGroupIntegration = False
        t.explicit.eliminateConstraints = False
        t.verboseMode = 0
        s.solution.file.write = False
        s.solution.sensors.active = False
        s.linearSolver.solverType = exu.LinearSolverType.EXUdense if dense else exu.LinearSolverType.EigenSparse
        return s

    def answer(dense):
        def of(state):
            mbs = system(tree["states"][state])
            mbs.SolveDynamic(settings(1, ANSWER_STEP, True, dense), solverType=exu.DynamicSolverType.ExplicitEuler)
            return mbs.systemData.GetODE2Coordinates_tt()

        return of

    def work(dense):
        def run(k):
            mbs = system(tree["states"][0])
            solver = exu.MainSolverExplicit()
            s = settings(k, STEP, False, dense)
            s.timeIntegration.solverType = exu.DynamicSolverType.ExplicitEuler
            if not solver.SolveSystem(mbs, s):
                raise RuntimeError("the solver failed")
            # the solver ends up to 1e-10 s early
            return solver.timer.total * k / (solver.it.currentStepIndex - 1)

        return run

    return {f"euler-{name}": Variant(answer(dense), work(dense)) for name, dense in (("dense", True), ("sparse", False))}


serve(load)
