"""Optimisation and fitting."""

from __future__ import annotations

import math
import os
import pickle
import signal
from pathlib import Path

import linkwork as lw
import numpy as np
import pytest
from linkwork import _native

SLIDER = """
format = 1
parameters = { r = "30 mm" }   # half of the stroke
points = { O = [0, 0], A = ["r", 0], B = ["r + 0.2", 0] }
bodies.ground = { points = ["O"] }
bodies.crank = { points = ["O", "A"], mass = 1 }
bodies.rod = { points = ["A", "B"], mass = 1 }
bodies.piston = { points = ["B"], mass = 1, com = "B", inertia = 1 }
joints.guide = { type = "prismatic", bodies = ["ground", "piston"], at = "B", axis = [1, 0] }
drivers.motor = { joint = "O", value = "2 * pi * t" }
simulation = { duration = 1, output_step = 0.02 }
[optimize]
over = "kinematics"
residuals = ["max(point.B.x) - min(point.B.x) - 80 mm"]
variables.r = { from = "10 mm", to = "60 mm" }
"""

FALL = """
format = 1
parameters.g = 9
model = { dimension = 2, gravity = [0, "-g"] }
points.B = [0, 0]
bodies.mass = { points = ["B"], mass = 2, com = "B", inertia = 1 }
simulation = { duration = 1, output_step = 0.1 }
[optimize]
variables = { g = { from = 1, to = 20 } }
"""


def test_stroke(tmp_path: Path) -> None:
    file = tmp_path / "slider.toml"
    file.write_text(SLIDER)
    found = lw.optimize(file, jobs=1)
    assert found.success and found.names == ("r",)
    assert abs(found.x[0] - 0.04) < 1e-9 and found.fun < 1e-18
    assert "# half of the stroke" in found.text and "<svg" in found.report
    lw.loads(found.text)


def test_fit(tmp_path: Path) -> None:
    (tmp_path / "fall.toml").write_text(FALL)
    rows = [f"{0.1 * k},{-0.5 * 9.81 * (0.1 * k) ** 2 + 1e-3 * math.sin(9 * k)}" for k in range(1, 10)]
    (tmp_path / "data.csv").write_text("t,y\n" + "\n".join(rows) + "\n")
    found = lw.fit(tmp_path / "fall.toml", tmp_path / "data.csv", {"y": "point.B.y"}, jobs=1)
    assert found.success and found.intervals[0, 0] < 9.81 < found.intervals[0, 1]
    assert found.standard_errors[0] < 0.01


def test_data_in_memory(tmp_path: Path) -> None:
    t = 0.1 * np.arange(1, 10)
    y = -0.5 * 9.81 * t**2 + 1e-3 * np.sin(9 * t)
    y[3] = np.nan  # nobody looked
    (tmp_path / "data.csv").write_text("t,y\n" + "\n".join(f"{a!r},{'' if np.isnan(b) else repr(float(b))}" for a, b in zip(t.tolist(), y, strict=True)))
    model = lw.loads(FALL)
    found = model.assemble().fit({"t": t, "point.B.y": y}, jobs=1)
    from_file = lw.fit(model, tmp_path / "data.csv", {"y": "point.B.y"}, jobs=1)
    np.testing.assert_allclose(found.x, from_file.x, rtol=1e-9)
    assert found.data["measurements"] == 8 and abs(found["x"][0] - 9.81) < 0.01
    assert lw.loads(found.text).assemble().simulate()["point.B.y"][-1] == pytest.approx(-0.5 * found.x[0], rel=1e-6)
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"time": t, "fallen": y, "note": ["x"] * 9})
    of_table = lw.fit(model, table, {"fallen": "point.B.y"}, time="time", variables={"g": (5, 15)}, jobs=1)
    np.testing.assert_allclose(of_table.x, found.x, rtol=1e-6)
    with pytest.raises(lw.InputError, match="did you mean `fallen`"):
        lw.fit(model, table, {"falen": "point.B.y"}, time="time")
    with pytest.raises(lw.InputError, match="no column `t` of times"):
        lw.fit(model, table)
    with pytest.raises(lw.InputError, match="no numbers"):
        lw.fit(model, table, {"note": "point.B.y"}, time="time")
    with pytest.raises(lw.InputError, match="has 2 values for 9 times"):
        lw.fit(model, {"t": t, "point.B.y": [1, 2]})
    with pytest.raises(lw.InputError, match="^data: the times ascend"):
        lw.fit(model, {"t": t[::-1], "point.B.y": y})


def slider(section: bool = False) -> lw.Model:
    """The slider, with its section or without."""
    return lw.loads(SLIDER if section else SLIDER.split("[optimize]")[0])


STROKE = "max(point.B.x) - min(point.B.x) - 80 mm"


def test_a_section_given_by_keywords() -> None:
    by_file = lw.optimize(slider(True), jobs=1)
    found = slider().assemble().optimize(over="kinematics", residuals=STROKE, variables={"r": ("10 mm", "60 mm")}, jobs=1)
    np.testing.assert_array_equal(found.x, by_file.x)
    assert (found.nfev, found.status, found.nit > 1) == (by_file.nfev, 0, True)
    assert "[optimize]" in by_file.text and "optimize" not in found.text and "# half of the stroke" in found.text
    assert lw.loads(found.text).optimize(over="kinematics", residuals=STROKE, variables={"r": {"within": "1 mm"}}, jobs=1).fun < 1e-18
    # results of SciPy are dictionaries, too
    assert found["x"] is found.x and {"x", "fun", "jac", "nfev", "nit", "success", "status", "message"} <= set(found) and "y" not in found
    # a key takes the place of that in the file; the other goal goes
    held = slider(True).optimize(minimize="-r", constraints=["max(point.B.x) - min(point.B.x) <= 100 mm"], jobs=1)
    assert held.x[0] == pytest.approx(0.05, abs=1e-7) and held.constraints == {"constraint_1": True}
    assert held.fun == pytest.approx(-0.05, abs=1e-7) and held.jac[0] == pytest.approx(-1)
    # a model that was built, and names and texts that TOML must quote
    document = slider().document
    built = lw.Model(document)
    assert built.optimize(over="kinematics", residuals=[STROKE], variables={"parameters.r": (0.01, np.float64(0.06))}, constraints={'"q" \\': "r <= 1 m"}, jobs=1).success


def test_settings_and_parameters_of_the_mechanism() -> None:
    # x = v t, to be 3 m in the end
    model = lw.loads("""
        format = 1
        parameters = { v = 1 }
        model = { dimension = 2, gravity = "none" }
        points.B = [0, 0]   # the beginning
        bodies.mass = { points = ["B"], mass = 2, com = "B", inertia = 1 }
        inputs = { wind = { unit = "N", default = 0 }, still = 0 }
        forces.wind = { body = "mass", at = "B", force = ["input.wind + input.still", 0] }
        initial.velocities.B = ["v", 0]
        simulation.duration = 1
    """)
    wanted = {"residuals": "final(point.B.x) - 3 m", "variables": {"v": (0, 10)}, "jobs": 1}
    assert lw.optimize(model, **wanted).x[0] == pytest.approx(3)
    longer = model.assemble(duration=2).optimize(**wanted)
    assert longer.x[0] == pytest.approx(1.5)
    # a best model that says all: what was given along is in it
    assert lw.loads(longer.text).assemble().simulate()["point.B.x"][-1] == pytest.approx(3)
    assert lw.optimize(model, duration=2, inputs={"wind": 1}, **wanted).x[0] == pytest.approx(1.0)  # x = v t + t² / 4
    assert model.assemble(inputs={"still": 2}).optimize(duration=2, **wanted).x[0] == pytest.approx(0.5)
    assert model.with_parameters(v=2).assemble().objective(**{**wanted, "jobs": 1}).x0[0] == 2
    with pytest.raises(lw.InputError, match="did you mean `duration`"):
        lw.optimize(model, duratoin=2, **wanted)
    with pytest.raises(lw.InputError, match="no input `storm`"):
        lw.optimize(model, inputs={"storm": 2}, **wanted)


def test_objective_for_scipy() -> None:
    scipy = pytest.importorskip("scipy.optimize")
    objective = slider(True).assemble().objective()
    assert objective.names == ("r",) and objective.bounds == [(0.01, 0.06)] and objective.x0 == [0.03]
    f, gradient = objective([0.03])
    # the stroke is twice the crank: f = (2 r - 0.08)²
    assert f == pytest.approx(4e-4) and gradient[0] == pytest.approx(4 * (0.06 - 0.08)) and objective.value([0.03]) == f
    here = objective.evaluate([0.03])
    assert here.residuals[0] == pytest.approx(-0.02) and here.jacobian[0, 0] == pytest.approx(2) and here.message == ""
    found = scipy.minimize(objective, objective.x0, jac=True, bounds=objective.bounds, method="L-BFGS-B", tol=1e-14)
    assert found.x[0] == pytest.approx(0.04, abs=1e-6)
    held = slider(True).assemble().objective(minimize="-r", constraints={"stroke": "max(point.B.x) - min(point.B.x) <= 100 mm"})
    found = scipy.minimize(held, held.x0, jac=True, bounds=held.bounds, constraints=held.constraints, method="SLSQP", tol=1e-12)
    assert found.success and found.x[0] == pytest.approx(0.05, abs=1e-7)
    assert lw.loads(held.text(found.x)).assemble().simulate()["point.B.x"].max() == pytest.approx(0.25, abs=1e-6)
    copied = pickle.loads(pickle.dumps(held))
    assert copied([0.02])[0] == held([0.02])[0] == -0.02
    with pytest.raises(lw.InputError, match="keep to the bounds"):
        objective([0.07])
    with pytest.raises(lw.InputError, match="2 values were given for 1"):
        objective([0.02, 0.02])


def test_where_a_mechanism_cannot_be_assembled() -> None:
    # a crank of 60 mm needs a rod longer than the 50 mm that it may be
    model = slider().set("points.B", ["r + 50 mm", 0])
    impossible = model.assemble().objective(over="kinematics", minimize="r", variables={"r": ("10 mm", "60 mm")})
    assert impossible([0.055])[0] == math.inf and np.isnan(impossible([0.055])[1]).all() and impossible.evaluate([0.055]).message
    assert impossible([0.02])[0] == 0.02
    # a search comes back from there, and takes a model that cannot be assembled
    found = model.set("parameters.r", "58 mm").optimize(over="kinematics", residuals=STROKE, variables={"r": ("10 mm", "60 mm")}, jobs=1)
    assert found.success and found.x[0] == pytest.approx(0.04, abs=1e-7)


def test_ctrl_c_gives_the_best_so_far(ctrl_c: None) -> None:
    model = lw.examples["pendulum"]
    given = [("simulation.duration", "5.0")], [], '{ residuals = ["final(joint.A.q) + 100"], variables = { "B.x" = { within = 0.1 } } }'
    seen = []

    def tell(done: float) -> None:
        seen.append(done)
        os.kill(os.getpid(), signal.SIGINT)

    summary, text, _, error = _native.optimize(model._native, given, runs=1_000_000, jobs=1, search_globally=True, progress=tell)
    assert isinstance(error, KeyboardInterrupt) and len(seen) <= 2
    assert '"end":"interrupted"' in summary and '"status":"failed"' in summary
    lw.loads(text)
    import threading

    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt) as caught:
        lw.optimize(model, duration=5, residuals="final(joint.A.q) + 100", variables={"B.x": {"within": 0.1}}, runs=1_000_000, jobs=1, search_globally=True)
    result = getattr(caught.value, "result")  # noqa: B009
    assert not result.success and result.status == 4 and "interrupted" in result.message and 0 < result.nfev < 1_000_000


def test_values_for_any_key(tmp_path: Path) -> None:
    file = tmp_path / "slider.toml"
    file.write_text(SLIDER)
    changed = lw.load(file, set={"r": "40 mm", "bodies.rod.mass": "2 kg", "simulation.duration": 2, "O": [0.0, 0]})
    assert changed.name == "slider" and changed.assemble().duration == 2 and changed.document["bodies"]["rod"]["mass"] == "2 kg"
    assert lw.loads(SLIDER, set={"r": 0.04}, r=0.02).parameters == {"r": 0.02}
    assert changed.assemble().objective().x0 == [0.04]
    with pytest.raises(lw.ModelError, match="unknown key `mas`"):
        lw.load(file, set={"bodies.rod.mas": 2})
    with pytest.raises(lw.ModelError, match="no parameter `k`"):
        lw.load(file, set={"k": 2})


def test_faults(tmp_path: Path) -> None:
    file = tmp_path / "slider.toml"
    file.write_text(SLIDER.replace("point.B.x) -", "point.X.x) -"))
    with pytest.raises(lw.ModelError, match="X"):
        lw.optimize(file)
    with pytest.raises(lw.MissingFileError):
        lw.optimize(tmp_path / "none.toml")
    with pytest.raises(lw.InputError, match=r"no section \[optimize\]"):
        lw.optimize(slider())
    with pytest.raises(lw.InputError, match="is no method"):
        lw.optimize(slider(True), method="magic")
    with pytest.raises(lw.InputError, match="either"):
        slider().optimize(minimize="r", residuals="r")
    with pytest.raises(lw.InputError, match="least and its largest"):
        slider().optimize(minimize="r", variables={"r": "60 mm"})  # type: ignore[dict-item]
    with pytest.raises(lw.ModelError, match="no number `rr`"):
        slider().optimize(minimize="r", variables={"rr": (1, 2)})
    with pytest.raises(lw.ModelError, match="outside its range"):
        slider().optimize(minimize="r", variables={"r": (1, 2)})
    with pytest.raises(lw.ModelError, match="unknown key"):
        slider().optimize(minimize="r", variables={"r": {"form": 1}})
    with pytest.raises(lw.InputError, match="finite"):
        slider().optimize(minimize="r", variables={"r": (0, math.inf)})
