"""Flexible pendulum: Linkwork and Exudyn at equal error, in turn in one run.

    cargo bench -p linkwork --bench beams --no-run      # tells the path of the program
    python benches/beams/run.py PROGRAM [ROUNDS]

Needs exudyn (1.13.6) and numpy. A rod of 1 m, EA 1e4 N, GA 1e6 N, EI 1 N m2, 1 kg/m, hinged at one end, falls from the horizontal for 0.5 s; the error is that of its tip at the end, against
a run of Linkwork with 64 quadratic elements at 1e-9, from which the ANCF cable is 6e-4 m away however fine, since it has no rotary inertia. Every engine has its meshes and steps, and for each error that is asked for its fastest variant that meets it
counts, so the peer is chosen after the fact as ours is. Times are those of the solver alone: Exudyn's own timer, and `simulate` of an assembled mechanism; the best of all rounds.
"""

import itertools
import subprocess
import sys

sys.exudynFast = True
import exudyn as exu  # noqa: E402
import exudyn.itemInterface as eii  # noqa: E402
import numpy as np  # noqa: E402

AXIAL, SHEAR, BENDING, END = 1e4, 1e6, 1.0, 0.5
LINEAR = {"dense": exu.LinearSolverType.EXUdense, "sparse": exu.LinearSolverType.EigenSparse}


def shear_beam(mbs, elements):
    nodes = [mbs.AddNode(eii.NodeRigidBody2D(referenceCoordinates=[k / elements, 0, 0])) for k in range(elements + 1)]
    for a, b in zip(nodes, nodes[1:]):
        beam = eii.ObjectBeamGeometricallyExact2D(
            nodeNumbers=[a, b], length=1 / elements, massPerLength=1.0, crossSectionInertia=BENDING / AXIAL,
            axialStiffness=AXIAL, shearStiffness=SHEAR, bendingStiffness=BENDING,
        )
        marker = mbs.AddMarker(eii.MarkerBodyMass(bodyNumber=mbs.AddObject(beam)))
        mbs.AddLoad(eii.LoadMassProportional(markerNumber=marker, loadVector=[0, -9.81, 0]))
    return nodes


def cable(mbs, elements):
    nodes = [mbs.AddNode(eii.NodePoint2DSlope1(referenceCoordinates=[k / elements, 0, 1, 0])) for k in range(elements + 1)]
    for a, b in zip(nodes, nodes[1:]):
        beam = eii.ObjectANCFCable2D(nodeNumbers=[a, b], length=1 / elements, massPerLength=1.0, bendingStiffness=BENDING, axialStiffness=AXIAL)
        marker = mbs.AddMarker(eii.MarkerBodyMass(bodyNumber=mbs.AddObject(beam)))
        mbs.AddLoad(eii.LoadMassProportional(markerNumber=marker, loadVector=[0, -9.81, 0]))
    return nodes


def exudyn_run(kind, elements, step, linear):
    system = exu.SystemContainer()
    mbs = system.AddSystem()
    nodes = kind(mbs, elements)
    ground = mbs.AddMarker(eii.MarkerBodyPosition(bodyNumber=mbs.AddObject(eii.ObjectGround())))
    mbs.AddObject(eii.RevoluteJoint2D(markerNumbers=[ground, mbs.AddMarker(eii.MarkerNodePosition(nodeNumber=nodes[0]))]))
    mbs.Assemble()
    settings = exu.SimulationSettings()
    integration = settings.timeIntegration
    integration.numberOfSteps = round(END / step)
    integration.endTime = END
    integration.generalizedAlpha.spectralRadius = 0.9
    integration.newton.useModifiedNewton = True
    settings.solutionSettings.writeSolutionToFile = False
    settings.linearSolverType = LINEAR[linear]
    try:
        mbs.SolveDynamic(settings)
    except exu.SolverError:
        return None
    at = np.array(mbs.GetNodeOutput(nodes[-1], exu.OutputVariableType.Position))[:2]
    return at, mbs.sys["dynamicSolver"].timer.total


def linkwork_run(program, elements, order, integrator, fineness):
    command = [program, "run", str(elements), order, integrator, repr(fineness)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode:
        return None
    x, y, seconds, _ = answer.stdout.split()
    return np.array([float(x), float(y)]), float(seconds)


def main():
    program, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    steps = [5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4]
    variants = {}
    for elements, step, linear in itertools.product([4, 8, 16, 32, 64], steps, LINEAR):
        variants["Exudyn, geometrically exact beam", elements, step, linear] = lambda e=elements, s=step, n=linear: exudyn_run(shear_beam, e, s, n)
    for elements, step, linear in itertools.product([2, 4, 8, 16], steps, LINEAR):
        variants["Exudyn, ANCF cable", elements, step, linear] = lambda e=elements, s=step, n=linear: exudyn_run(cable, e, s, n)
    for elements, tolerance in itertools.product([1, 2, 4, 8], [1e-2, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 1e-6]):
        variants["Linkwork", elements, "esdirk4", tolerance] = lambda e=elements, f=tolerance: linkwork_run(program, e, "quadratic", "esdirk4", f)
    for elements, step in itertools.product([1, 2, 4, 8], [1e-2, *steps]):
        variants["Linkwork", elements, "index3", step] = lambda e=elements, f=step: linkwork_run(program, e, "quadratic", "index3", f)
    exact, _ = linkwork_run(program, 64, "quadratic", "esdirk4", 1e-9)
    theirs, _ = exudyn_run(cable, 32, 5e-5, "sparse")
    print(f"finest runs: ours {exact}, ANCF cable {theirs}, {np.linalg.norm(exact - theirs):.1e} m apart")
    best = {}
    for _ in range(rounds):
        for name, run in variants.items():
            found = run()
            if found is not None:
                error = np.linalg.norm(found[0] - exact)
                best[name] = (error, min(found[1], best.get(name, (0, np.inf))[1]))
    for wanted in [1e-2, 1e-3, 1e-4, 3e-5]:
        print(f"\nerror of the tip up to {wanted:.0e} m")
        fastest = {}
        for name, (error, seconds) in best.items():
            if error <= wanted and seconds < fastest.get(name[0], (np.inf,))[0]:
                fastest[name[0]] = (seconds, error, name[1:])
        ours = fastest.get("Linkwork", (np.nan,))[0]
        for engine, (seconds, error, variant) in fastest.items():
            print(f"  {engine:34} {1e3 * seconds:9.2f} ms  {seconds / ours:6.1f}  error {error:.1e}  {variant}")


if __name__ == "__main__":
    main()
