"""Questions about mechanisms: equilibria, linear systems, modes, poses, inverse dynamics."""

from __future__ import annotations

import math

import linkwork as lw
import numpy as np
import pytest

G = 9.81


def rod() -> lw.Model:
    """A uniform rod of 2 m and 3 kg on a pin, drawn level."""
    return (
        lw.Model.planar("rod", gravity="-y")
        .points(O=[0, 0], A=[2, 0])
        .ground(["O"])
        .body("rod", ["O", "A"], mass=3)
        .input("torque", unit="N m")
        .actuator("motor", joint="O", torque="input.torque")
        .measure("tip", "point.A.x")
        .settings(duration=2, output_step=0.01, tolerance=1e-11)
    )


def test_equilibrium() -> None:
    found = rod().assemble().equilibrium()
    assert found.stability == "stable" and not found.unstable
    assert found.joints["joint.O.q"] == pytest.approx(-math.pi / 2, abs=1e-9)
    np.testing.assert_allclose(found.moved["A"], [0, -2], atol=1e-9)
    assert found.model is not None
    run = found.model.simulate(duration=1)
    np.testing.assert_allclose(run.position("A"), np.tile([0, -2], (len(run.t), 1)), atol=1e-9)


def test_steady_motion() -> None:
    found = lw.examples["governor"].assemble().steady_motion()
    assert found.residual < 1e-8
    assert found.travelling == {"joint.bearing.v": pytest.approx(110 * 2 * math.pi / 60)}  # rpm


def test_linear_system_and_modes() -> None:
    mechanism = rod().assemble()
    linear = mechanism.linearize(at="equilibrium")
    square = 3 * G / 4  # 3 g / 2 l
    inertia = 3 * 2**2 / 3
    assert linear.states == ["joint.O.q", "joint.O.v"] and linear.inputs == ["input.torque"] and linear.outputs == ["measure.tip"]
    np.testing.assert_allclose(linear.A, [[0, 1], [-square, 0]], atol=1e-8)
    np.testing.assert_allclose(linear.B, [[0], [1 / inertia]], atol=1e-9)
    np.testing.assert_allclose(linear.C, [[2, 0]], atol=1e-9)
    assert linear.D.shape == (1, 1) and linear.units["joint.O.v"] == "rad/s"
    modes = mechanism.modes(at="equilibrium")
    assert len(modes) == 1 and modes[0].kind == "oscillating"
    assert modes[0].frequency == pytest.approx(math.sqrt(square) / (2 * math.pi), abs=1e-9)
    assert modes.eigenvalues[0] == pytest.approx(1j * math.sqrt(square), abs=1e-8)
    assert modes[0].bodies == {"rod": pytest.approx(1.0)}
    with pytest.raises(lw.InputError, match="neither a time"):
        mechanism.modes(at="midnight")
    with pytest.raises(lw.Error):
        mechanism.linearize(outputs=["no.such"])


def test_poses() -> None:
    arm = (
        lw.Model.planar("arm")
        .points(O=[0, 0], E=[1, 0], H=[1.8, 0])
        .ground(["O"])
        .body("upper", ["O", "E"], mass=1)
        .body("fore", ["E", "H"], mass=1)
        .assemble()
    )
    pose = arm.pose({"point.H": [0.9, 0.9]})
    assert pose.reached
    np.testing.assert_allclose(pose.points["H"], [0.9, 0.9], atol=1e-10)
    both = arm.poses({"point.H": [0.9, 0.9]}, starts=40)
    assert len(both) == 2
    cosine = (0.9**2 + 0.9**2 - 1 - 0.8**2) / (2 * 0.8)  # law of cosines
    assert sorted(pose.joints["E"][0] for pose in both) == pytest.approx([-math.acos(cosine), math.acos(cosine)], abs=1e-9)
    held = arm.pose({"point.H": [0.9, 0.9], "joint.E.q": ("in", 0, 180)}, weights={"point.H": 2})
    assert held.joints["E"][0] > 0
    far = arm.pose({"point.H": [3, 0]})
    assert not far.reached
    np.testing.assert_allclose(far.points["H"], [1.8, 0], atol=1e-5)
    with pytest.raises(lw.InputError):
        arm.pose({}, weights={"point.H": 1})


def test_inverse_of_a_run() -> None:
    """The torque that a run was given comes back."""
    run = rod().simulate(inputs={"torque": 5.0})
    found = rod().assemble().inverse(run.t, {"joint.O.q": run["joint.O.q"]}, cutoff=None)
    assert found.units == {"motor": "N m"} and found.multiplicity == 0 and found.residual is None
    # a spline of 5th degree, at its ends less
    np.testing.assert_allclose(found.forces["motor"][20:-20], 5, atol=1e-4)
    np.testing.assert_allclose(found.powers["motor"], found.forces["motor"] * found.rates["motor"])
    with pytest.raises(lw.Error):
        rod().assemble().inverse(run.t, {"joint.O.q": run["joint.O.q"][:-1]}, cutoff=None)


def test_control_reads_the_system() -> None:
    control = pytest.importorskip("control")
    system = rod().assemble().linearize(at="equilibrium").to_control()
    assert isinstance(system, control.StateSpace) and system.state_labels == ["joint_O_q", "joint_O_v"]
