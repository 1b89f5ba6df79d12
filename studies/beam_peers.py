"""Writes crates/linkwork/tests/data/exudyn_beams.json: bent beams and their motions as Exudyn computes them with elements of two nodes.

Run by hand, `python beam_peers.py`, with exudyn and numpy; made with Exudyn 1.13.6. Meshes are those of the tests that read the file, with linear elements.

- `princeton`: static tips of the Princeton beam [bauchau2015] by `ObjectBeamGeometricallyExact`, 32 elements; stiffness and loads as in rods.json.
- `pendulum`: a flexible rod of 1 m that is let go from the horizontal, hinged at one end, by `ObjectBeamGeometricallyExact2D`, 32 elements, EA 1e4 N, GA 4e3 N, EI 1 N m2, 1 kg/m.
- `slider`: a rigid massless crank of 0.15 m turns at 20 rad/s and drives a slider of 0.2 kg through a flexible coupler of 0.3 m, 32 elements, EA 2e5 N, GA 5e4 N, EI 0.6 N m2,
  0.2 kg/m, damped by 1e-3 s. Where the middle of the coupler is.

Motions are integrated by the trapezoidal rule of index 2, with two steps, and extrapolated: its error falls with the square of the step. How far the two are apart is printed.
"""

import json
import pathlib

import exudyn as exu
import exudyn.itemInterface as eii
import numpy as np

ELEMENTS = 32


def static_tip(stiffness, length, force, elements):
    system = exu.SystemContainer()
    mbs = system.AddSystem()
    section = exu.BeamSection()
    section.stiffnessMatrix = np.diag(stiffness)
    section.massPerLength = 1.0
    section.inertia = 1e-4 * np.eye(3)
    nodes = []
    for k in range(elements + 1):
        reference = [length * k / elements, 0, 0, 0, 0, 0]
        nodes.append(mbs.AddNode(eii.NodeRigidBodyRotVecLG(referenceCoordinates=reference)))
    for a, b in zip(nodes, nodes[1:]):
        mbs.AddObject(eii.ObjectBeamGeometricallyExact(nodeNumbers=[a, b], length=length / elements, sectionData=section))
    ground = mbs.AddMarker(eii.MarkerBodyRigid(bodyNumber=mbs.AddObject(eii.ObjectGround())))
    root = mbs.AddMarker(eii.MarkerNodeRigid(nodeNumber=nodes[0]))
    mbs.AddObject(eii.GenericJoint(markerNumbers=[ground, root], constrainedAxes=[1] * 6))
    end = mbs.AddMarker(eii.MarkerNodeRigid(nodeNumber=nodes[-1]))
    mbs.AddLoad(eii.LoadForceVector(markerNumber=end, loadVector=list(force)))
    mbs.Assemble()
    settings = exu.SimulationSettings()
    settings.staticSolver.numberOfLoadSteps = 20
    settings.staticSolver.newton.relativeTolerance = 1e-8
    settings.staticSolver.newton.absoluteTolerance = 1e-7
    settings.staticSolver.verboseMode = 0
    settings.solutionSettings.writeSolutionToFile = False
    mbs.SolveStatic(settings)
    moved = np.array(mbs.GetNodeOutput(nodes[-1], exu.OutputVariableType.Displacement))
    return moved.tolist()


def planar_beam(mbs, start, end, elements, stiffness, mass, damping, gyration):
    """Nodes of a straight beam in the plane."""
    start, end = np.array(start), np.array(end)
    length = np.linalg.norm(end - start)
    angle = np.arctan2(*(end - start)[1::-1])
    nodes = []
    for k in range(elements + 1):
        at = start + (end - start) * k / elements
        nodes.append(mbs.AddNode(eii.NodeRigidBody2D(referenceCoordinates=[at[0], at[1], angle])))
    axial, shear, bending = stiffness
    for a, b in zip(nodes, nodes[1:]):
        mbs.AddObject(
            eii.ObjectBeamGeometricallyExact2D(
                nodeNumbers=[a, b],
                length=length / elements,
                massPerLength=mass,
                crossSectionInertia=mass * gyration,
                axialStiffness=axial,
                shearStiffness=shear,
                bendingStiffness=bending,
                axialDamping=damping * axial,
                shearDamping=damping * shear,
                bendingDamping=damping * bending,
                # with orientations as drawn, so that strains are zero there
                includeReferenceRotations=False,
            )
        )
    return nodes


def run(mbs, node, times, step):
    settings = exu.SimulationSettings()
    integration = settings.timeIntegration
    integration.numberOfSteps = round(times[-1] / step)
    integration.endTime = times[-1]
    integration.generalizedAlpha.spectralRadius = 1.0
    integration.generalizedAlpha.useIndex2Constraints = True
    integration.generalizedAlpha.useNewmark = True
    integration.newton.relativeTolerance = 1e-10
    integration.newton.absoluteTolerance = 1e-12
    integration.newton.useModifiedNewton = False
    integration.verboseMode = 0
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = times[0]
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    sensor = mbs.AddSensor(eii.SensorNode(nodeNumber=node, storeInternal=True, outputVariableType=exu.OutputVariableType.Position))
    mbs.Assemble()
    mbs.SolveDynamic(settings)
    rows = mbs.GetSensorStoredData(sensor)
    return [rows[np.argmin(abs(rows[:, 0] - t)), 1:3].tolist() for t in times]


def pendulum(step, times):
    system = exu.SystemContainer()
    mbs = system.AddSystem()
    nodes = planar_beam(mbs, [0, 0], [1, 0], ELEMENTS, [1e4, 4e3, 1.0], 1.0, 0.0, 1e-4)
    for k, node in enumerate(nodes):
        weight = 9.81 / ELEMENTS * (0.5 if k in (0, ELEMENTS) else 1.0)
        mbs.AddLoad(eii.LoadForceVector(markerNumber=mbs.AddMarker(eii.MarkerNodePosition(nodeNumber=node)), loadVector=[0, -weight, 0]))
    ground = mbs.AddMarker(eii.MarkerBodyPosition(bodyNumber=mbs.AddObject(eii.ObjectGround())))
    root = mbs.AddMarker(eii.MarkerNodePosition(nodeNumber=nodes[0]))
    mbs.AddObject(eii.RevoluteJoint2D(markerNumbers=[ground, root]))
    return run(mbs, nodes[-1], times, step)


RAMP = 0.2


def crank_angle(t):
    """From rest to 20 rad/s within RAMP, without a jump of acceleration."""
    if t >= RAMP:
        return 20.0 * (t - RAMP / 2)
    p = t / RAMP
    return 20.0 * RAMP * (p * p * p - 0.5 * p**4)


def crank_rate(t):
    p = min(t / RAMP, 1.0)
    return 20.0 * (3 * p * p - 2 * p**3)


def slider(step, times):
    crank, length = 0.15, 0.3
    system = exu.SystemContainer()
    mbs = system.AddSystem()
    nodes = planar_beam(mbs, [crank, 0], [crank + length, 0], ELEMENTS, [2e5, 5e4, 0.6], 0.2, 1e-3, 3e-6)
    ground = mbs.AddObject(eii.ObjectGround())
    wheel = mbs.AddNode(eii.NodeRigidBody2D())
    body = mbs.AddObject(eii.ObjectRigidBody2D(physicsMass=0.1, physicsInertia=1e-3, nodeNumber=wheel))
    at = lambda b, place: mbs.AddMarker(eii.MarkerBodyPosition(bodyNumber=b, localPosition=place))
    of_node = lambda node: mbs.AddMarker(eii.MarkerNodePosition(nodeNumber=node))
    mbs.AddObject(eii.RevoluteJoint2D(markerNumbers=[at(ground, [0, 0, 0]), at(body, [0, 0, 0])]))
    mbs.AddObject(eii.RevoluteJoint2D(markerNumbers=[at(body, [crank, 0, 0]), of_node(nodes[0])]))
    still = mbs.AddMarker(eii.MarkerNodeCoordinate(nodeNumber=mbs.AddNode(eii.NodePointGround()), coordinate=0))
    angle = mbs.AddMarker(eii.MarkerNodeCoordinate(nodeNumber=wheel, coordinate=2))
    mbs.AddObject(
        eii.CoordinateConstraint(
            markerNumbers=[still, angle],
            offsetUserFunction=lambda mbs, t, item, offset: crank_angle(t),
            offsetUserFunction_t=lambda mbs, t, item, offset: crank_rate(t),
        )
    )
    block = mbs.AddNode(eii.NodePoint2D(referenceCoordinates=[crank + length, 0]))
    mbs.AddObject(eii.ObjectMassPoint2D(physicsMass=0.2, nodeNumber=block))
    mbs.AddObject(eii.RevoluteJoint2D(markerNumbers=[of_node(nodes[-1]), of_node(block)]))
    mbs.AddObject(eii.CoordinateConstraint(markerNumbers=[still, mbs.AddMarker(eii.MarkerNodeCoordinate(nodeNumber=block, coordinate=1))]))
    return run(mbs, nodes[ELEMENTS // 2], times, step)


def main():
    cases = []
    stiffness, length, load = [2.842e6, 0.9401e6, 0.9060e6, 3.103, 2.429, 36.28], 0.508, 13.345
    for degrees in (0, 15, 45, 75, 90):
        a = np.radians(degrees)
        moved = static_tip(stiffness, length, [0, load * np.cos(a), load * np.sin(a)], ELEMENTS)
        cases.append({"case": "princeton", "elements": ELEMENTS, "stiffness": stiffness, "length": length, "load": load, "angle": degrees, "moved": moved})
    for name, make, times, steps in [
        ("pendulum", pendulum, [0.1, 0.2, 0.3, 0.4, 0.5], [2e-4, 1e-4]),
        ("slider", slider, [0.1, 0.2, 0.3, 0.4, 0.5], [5e-5, 2.5e-5]),
    ]:
        rough, fine = (np.array(make(h, times)) for h in steps)
        print(name, "rough and fine steps differ by", abs(rough - fine).max())
        # the error of the rule falls with the square of the step
        cases.append({"case": name, "elements": ELEMENTS, "times": times, "places": (fine + (fine - rough) / 3).tolist()})
    lines = ",\n".join("  " + json.dumps(case) for case in cases)
    data = pathlib.Path(__file__).parent.parent / "crates/linkwork/tests/data/exudyn_beams.json"
    data.write_text(f'{{"engine": "exudyn {exu.config.Version()}", "cases": [\n{lines}\n]}}\n')
    print(data.read_text())


if __name__ == "__main__":
    main()
