"""Derivatives of results by numbers of the model."""

from __future__ import annotations

import math
import os
import signal

import linkwork as lw
import numpy as np
import pytest
from conftest import PUSHED

R, L, SPEED, END = 0.05, 0.16, 40.0, 0.1


def slider_crank() -> lw.Model:
    """A crank that turns evenly, with the piston at x = r cos φ + √(l² − r² sin² φ)."""
    return (
        lw.Model.planar("slider crank")
        .parameter("r", "50 mm")
        .parameter("l", "160 mm")
        .points(O=[0, 0], A=["r", 0], B=["r + l", 0])
        .ground(["O"])
        .body("crank", ["O", "A"], mass=0.5)
        .body("rod", ["A", "B"], mass=0.3)
        .body("piston", ["B"], mass=0.4, com=[0, 0], inertia=1)
        .joint("guide", "prismatic", bodies=["ground", "piston"], at=["O", "B"], axis=[1, 0])
        .driver("motor", joint="O", value=f"{SPEED} * t")
        .settings(duration=END, output_step=0.02, tolerance=1e-9)
    )


def of_the_piston(r: float, t: float) -> list[float]:
    """Derivatives of its place by r and l."""
    phi = SPEED * t
    root = math.sqrt(L**2 - (r * math.sin(phi)) ** 2)
    return [math.cos(phi) - r * math.sin(phi) ** 2 / root, L / root]


@pytest.mark.parametrize("method", ["differences", "direct", "jets", "adjoint", "auto"])
def test_slider_crank(method: str) -> None:
    model = slider_crank()
    of = ["point.B.x", "at(0.06, point.B.x)", "min(point.B.x)"]
    found = lw.sensitivity(model, of=of, by=["r", "l"], method=method, threads=1)
    expected = np.array([of_the_piston(R, END), of_the_piston(R, 0.06), [-1.0, 1.0]])  # least in the middle, at l − r
    np.testing.assert_allclose(found.derivatives, expected, atol=2e-8)
    assert found.of == tuple(of) and found.by == ("r", "l") and found.derivatives.shape == (3, 2)
    assert found["at(0.06, point.B.x)", "l"] == found.derivatives[1, 1]
    assert found.units == {"r": "m", "l": "m"} | dict.fromkeys(of, "m") and found.unit("point.B.x", "r") == "m per m"
    np.testing.assert_allclose(found.at, [R, L])
    assert found.values[2] == pytest.approx(L - R, abs=1e-9) and found.runs > 2
    assert found.method == ("direct" if method == "auto" else method)
    if method == "differences":
        assert (np.abs(found.derivatives - expected) < 1e-8 + 10 * found.errors).all()
    else:
        assert np.isnan(found.errors).all()


def test_other_values_of_parameters_settings_and_tables() -> None:
    pandas = pytest.importorskip("pandas")
    wide = slider_crank().with_parameters(r=0.06)
    found = wide.assemble(duration=0.06).sensitivity("final(point.B.x)", ["r", "l"], progress=False, threads=2)
    np.testing.assert_allclose(found.at, [0.06, L])
    np.testing.assert_allclose(found.derivatives, [of_the_piston(0.06, 0.06)], atol=2e-8)
    again = wide.assemble().sensitivity(["final(point.B.x)"], "r", duration=0.06, threads=1)
    assert again.derivatives[0, 0] == found.derivatives[0, 0]  # however many threads there are
    frame = found.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.loc["final(point.B.x)", "l"] == found["final(point.B.x)", "l"]


def test_constant_inputs() -> None:
    """x = F t² / 2 m."""
    model = lw.loads(PUSHED.replace('unit = "N",', 'unit = "N", default = 1,'))
    found = model.assemble().sensitivity("point.C.x", ["inputs.push.default", "bodies.cart.mass"])
    np.testing.assert_allclose(found.derivatives, [[1, -0.5]], atol=1e-8)
    pushed = model.assemble(inputs={"push": 3})
    assert pushed.sensitivity("point.C.x", "bodies.cart.mass").derivatives[0, 0] == pytest.approx(-1.5, abs=1e-8)
    with pytest.raises(lw.InputError, match=r"inputs\.push\.default.*another value"):
        pushed.sensitivity("point.C.x", "inputs.push.default")


def test_two_ways_are_compared(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pendulum = lw.examples["pendulum"].assemble(duration=0.5)
    found = pendulum.sensitivity("final(joint.A.q)", ["B", "bodies.rod.mass"], check=True, progress=True)
    assert found.by == ("B.x", "B.y", "bodies.rod.mass")
    assert found.agreement is not None and found.agreement.difference < 1e-6
    assert "100 % of 18 runs" in capsys.readouterr().err
    assert found.agreement.ways == ("differences", "direct")
    assert pendulum.variables["bodies.rod.mass"] == (1.0, "kg")
    # what does not agree is raised, with what was found
    from linkwork import _native

    said = _native.sensitivity(pendulum._native, ["joint.A.q"], ["B.x"], check=True)
    assert '"agrees":true' in said
    monkeypatch.setattr(_native, "sensitivity", lambda *_, **__: said.replace('"agrees":true', '"agrees":false'))
    with pytest.raises(lw.DerivativeError, match="differences and direct differ") as error:
        pendulum.sensitivity("joint.A.q", "B.x", check=True)
    assert error.value.result is not None and error.value.result.by == ("B.x",)


def test_grazing_contact_has_no_derivative() -> None:
    """A ball whose top just misses a ceiling: thrown a little faster, it bounces."""
    ball = lw.loads("""
        format = 1
        model = { dimension = 2, gravity = [0, -9.81] }
        parameters = { v = "sqrt(2 * 9.81 * 0.9)" }
        points = { C = [0, 0] }
        bodies.ball = { points = ["C"], mass = 0.5, shape = { type = "disc", radius = "10 cm" } }
        surfaces.ceiling = { type = "plane", at = [0, 1.0000000000001], normal = [0, -1] }
        contacts.top = { between = ["ball", "ceiling"], restitution = 0.5, friction = 0 }
        initial.velocities.C = [0, "v"]
        simulation = { duration = 0.8 }
    """)
    with pytest.raises(lw.DerivativeError, match=r"t = 0\.4.*top"):
        lw.sensitivity(ball, "point.C.y", "v")


def test_what_is_wrong_is_named() -> None:
    model = slider_crank()
    with pytest.raises(lw.InputError, match=r"did you mean `point\.B\.x`"):
        lw.sensitivity(model, "point.B.xx", "r")
    with pytest.raises(lw.InputError, match=r"from 0 to 0\.1 s"):
        lw.sensitivity(model, "at(7, point.B.x)", "r")
    with pytest.raises(lw.InputError, match="write before"):
        lw.sensitivity(model, "before(point.B.x)", "r")
    with pytest.raises(lw.InputError, match="no event of this number"):
        lw.sensitivity(model, "after(1, point.B.x)", "r")
    with pytest.raises(lw.InputError, match="no method 'both'"):
        lw.sensitivity(model, "point.B.x", "r", method="both")
    with pytest.raises(lw.InputError, match="by what"):
        lw.sensitivity(model, "point.B.x", [])
    with pytest.raises(lw.ModelError, match=r"did you mean `bodies\.rod\.mass`"):
        lw.sensitivity(model, "point.B.x", "bodies.rod.mas")
    with pytest.raises(lw.ModelError, match="no integrator"):
        lw.sensitivity(model, "point.B.x", "r", integrator="magic")
    found = lw.sensitivity(model, "point.B.x", "r", duration=0.02)
    with pytest.raises(lw.InputError, match="did you mean `r`"):
        found["point.B.x", "rr"]
    with pytest.raises(lw.InputError, match=r"did you mean `point\.B\.x`"):
        found["point.B.y", "r"]
    with pytest.raises(lw.InputError, match=r"write found\[of, by\]"):
        found["point.B.x"]  # type: ignore[index]


def test_ctrl_c_ends_it_between_runs(ctrl_c: None) -> None:
    pendulum = lw.examples["pendulum"].assemble(duration=10)
    done = []

    def tell(runs: float) -> None:
        done.append(runs)
        os.kill(os.getpid(), signal.SIGINT)

    from linkwork import _native

    with pytest.raises(KeyboardInterrupt):
        _native.sensitivity(pendulum._native, ["joint.A.q"], ["points.*", "bodies.rod.mass"], threads=1, progress=tell)
    assert len(done) <= 2
