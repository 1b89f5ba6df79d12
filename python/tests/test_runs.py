"""Runs: their numbers, their files, and how they end."""

from __future__ import annotations

import copy
import json
import os
import pickle
import signal
import threading
import time
from pathlib import Path

import linkwork as lw
import numpy as np
import pytest
from conftest import ROOT, command


@pytest.mark.parametrize("name", ["four-bar", "bouncing-ball", "four-bar-in-space"])
def test_same_bits_as_the_command(name: str, tmp_path: Path) -> None:
    """`results.csv` of the command, read back, has the bits of the columns; and `save` writes its bytes."""
    file = ROOT / "examples" / f"{name}.toml"
    assert command("run", str(file), "-o", "out", "--quiet", cwd=tmp_path).returncode == 0
    run = lw.load(file).simulate()
    with open(tmp_path / "out" / "results.csv") as csv:
        names = csv.readline().strip().split(",")
        table = np.array([[float(cell) if cell else np.nan for cell in line.strip("\n").split(",")] for line in csv])
    assert names == run.columns
    for i, name in enumerate(names):
        np.testing.assert_array_equal(run[name].view(np.uint64), np.ascontiguousarray(table[:, i]).view(np.uint64), name)
    run.save(tmp_path / "saved")
    for each in ("results.csv", "events.csv", "motion.lwm"):
        theirs, ours = tmp_path / "out" / each, tmp_path / "saved" / each
        assert theirs.exists() == ours.exists(), each
        assert not theirs.exists() or theirs.read_bytes() == ours.read_bytes(), each
    theirs, ours = (json.loads((tmp_path / of / "summary.json").read_text()) for of in ("out", "saved"))
    for summary in (theirs, ours):
        del summary["statistics"]["wall_seconds"]
    # a run in Python knows its model, and no file
    assert theirs.pop("model_file") == str(file)
    assert theirs == ours
    assert (tmp_path / "saved" / "report.html").stat().st_size > 100_000


def test_sections_of_beams_are_arrays(tmp_path: Path) -> None:
    """A cantilever at rest under a force at its tip has the moment F (L - s), and the folder has the table."""
    model = lw.loads("""
        format = 1
        model = { name = "cantilever" }
        points = { A = [0, 0], B = [2, 0] }
        bodies = { ground = { points = ["A"] } }
        forces = { f = { body = "beam/B", at = "B", force = [0, -1e-3] } }
        simulation = { duration = 2e-3, output_step = 1e-3, tolerance = 1e-6 }
        [beams.beam]
        from = "A"
        to = "B"
        clamp = ["ground", "none"]
        elements = 2
        axial_stiffness = 1e6
        bending_stiffness = 10.0
        mass_per_length = 1.0
    """)
    run = model.simulate()
    beam = run.beams["beam"]
    assert beam.positions.shape == (len(run), 5, 2) and beam.values.shape[2] == len(beam.columns)
    np.testing.assert_array_equal(beam.t, run.t)
    np.testing.assert_allclose(beam.s, [0, 0.5, 1, 1.5, 2], rtol=1e-12)
    np.testing.assert_array_equal(beam.positions[:, -1, 1], run["point.B.y"])
    np.testing.assert_allclose(beam["moment"], 10.0 * beam["curvature"], rtol=1e-9)
    assert beam.unit("moment") == "N m" and not beam["moment"].flags.writeable
    with pytest.raises(lw.InputError, match="did you mean `moment`"):
        beam["momment"]
    run.save(tmp_path)
    assert (tmp_path / "beams.csv").read_text().count("\n") == 1 + 5 * len(run)
    assert not lw.examples["pendulum"].simulate(duration=0.1).beams


def test_columns_are_views(four_bar: lw.Mechanism) -> None:
    run = four_bar.simulate(duration=0.5)
    column = run["joint.A.q"]
    assert np.shares_memory(column, run["joint.A.q"]) and np.shares_memory(column, run.values)
    assert np.shares_memory(run.position("P"), run["point.P.x"])
    assert column.flags.c_contiguous and not column.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        column[0] = 1.0
    with pytest.raises(ValueError, match="WRITEABLE"):
        column.flags.writeable = True
    del run
    assert np.isfinite(column).all()  # the view keeps the memory alive


def test_points_reactions_and_units(four_bar: lw.Mechanism) -> None:
    run = four_bar.simulate(duration=0.5)
    n = len(run)
    assert run.t.shape == (n,) and run.position("P").shape == (n, 2) == run.velocity("P").shape
    reaction = run.reaction("A")
    assert reaction.force.shape == (n, 2) and reaction.moment is None
    assert run.unit("joint.A.q") == "rad" and run.units["joint.A.force.x"] == "N"
    np.testing.assert_array_equal(run.position("P")[:, 1], run["point.P.y"])
    # B turns about A at a distance of 1 m: assembly and projection leave roundings
    np.testing.assert_allclose(np.hypot(*run.position("B").T), 1.0, atol=1e-9)
    spatial = lw.examples["four-bar-in-space"].simulate(duration=0.1)
    joint = next(name for name in spatial.columns if name.endswith(".moment.x")).split(".")[1]
    moment = spatial.reaction(joint).moment
    assert moment is not None and moment.shape == (len(spatial), 3)
    assert set(run.select("energy.*")) == {name for name in run.columns if name.startswith("energy.")}
    with pytest.raises(lw.InputError, match="did you mean `joint.A.q`"):
        run["joint.A.qq"]


def test_tables_of_other_packages(four_bar: lw.Mechanism) -> None:
    run = four_bar.simulate(duration=0.5)
    pandas = run.to_pandas()
    assert np.shares_memory(pandas.to_numpy(), run.values)
    table = run.to_arrow()
    assert table.schema.field("joint.A.q").metadata == {b"unit": b"rad"}
    for name in run.columns:
        for column in (pandas[name].to_numpy(), run.to_polars()[name].to_numpy(), table[name].to_numpy()):
            np.testing.assert_array_equal(column, run[name])


def test_pickles_and_copies(four_bar: lw.Mechanism) -> None:
    run = four_bar.simulate(duration=0.5)
    for mechanism in (pickle.loads(pickle.dumps(four_bar)), copy.deepcopy(four_bar), copy.copy(four_bar)):
        np.testing.assert_array_equal(mechanism.simulate(duration=0.5).values, run.values)
    for other in (pickle.loads(pickle.dumps(run)), copy.deepcopy(run)):
        np.testing.assert_array_equal(other.values, run.values)
        assert not other["t"].flags.writeable and other.summary.status == "finished" and other.report() == run.report()


def test_summary_and_events() -> None:
    run = lw.examples["bouncing-ball"].simulate()
    assert run.summary.status == "finished" and run.summary.rows == len(run)
    assert {event.kind for event in run.events} >= {"impact"}
    assert all(event.impulse > 0 for event in run.events if event.kind == "impact")


def test_a_failure_has_the_rows_so_far() -> None:
    """A rod that a driver pulls through its dead centre."""
    model = (
        lw.Model.planar("dead centre", gravity="none")
        .points(A=[0, 0], B=[1, 0], C=[2, 0.5])
        .ground(["A"])
        .body("first", ["A", "B"], mass=1)
        .body("second", ["B", "C"], mass=1)
        .driver("pull", point="C", component="x", value="2 + t")
        .driver("hold", point="C", component="y", value="0.5")
    )
    with pytest.raises(lw.RunFailure) as caught:
        model.simulate(duration=2)
    failure = caught.value
    assert failure.run is not None and failure.run.summary.status == "failed"
    assert 0 < failure.t < 0.2 and failure.code and failure.advice and f"[{failure.code}]" in str(failure)
    assert len(failure.run) > 0 and failure.run.t[-1] <= failure.t
    other = pickle.loads(pickle.dumps(failure))
    assert other.code == failure.code and len(other.run) == len(failure.run)


def test_inputs_over_time_as_of_the_command(pushed: lw.Model, tmp_path: Path) -> None:
    t, push = np.array([0.0, 0.5, 1.0]), np.array([4.0, -2.0, 0.0])
    run = pushed.assemble().simulate(inputs={"t": t, "push": push})
    # x = a t²/2 pieces: 4/2 for 0.5 s, then -2/2 for 0.5 s, then as fast as it is
    v1, x1 = 1.0, 0.25
    v2, x2 = v1 - 0.5, x1 + 0.5 * v1 - 0.125
    np.testing.assert_allclose(run["joint.rail.q"][-1], x2 + v2, rtol=1e-9)
    pushed.save(tmp_path / "cart.toml")
    (tmp_path / "push.csv").write_text("t,push\n0,4\n0.5,-2\n1,0\n")
    assert command("run", "cart.toml", "--input", "push.csv", "-o", "out", "-q", cwd=tmp_path).returncode == 0
    run.save(tmp_path / "saved")
    assert (tmp_path / "out" / "results.csv").read_bytes() == (tmp_path / "saved" / "results.csv").read_bytes()
    constant = pushed.simulate(inputs={"push": 4.0})
    np.testing.assert_allclose(constant["joint.rail.q"][-1], 4.0, rtol=1e-9)  # 4/2 · 2²/2
    for bad in ({"push": [1.0, 2.0]}, {"t": [0.0]}, {"t": [0.0, 1.0], "push": [1.0]}, {"pull": 3.0}, {"t": [1.0, 0.0], "push": [1.0, 2.0]}):
        with pytest.raises(lw.Error):
            pushed.simulate(inputs=bad)


def test_a_controller_sets_inputs(pushed: lw.Model) -> None:
    calls: list[float] = []

    def brake(t: float, y: np.ndarray, u: np.ndarray) -> None:
        calls.append(t)
        u[0] = 4.0 if t < 0.5 else -20.0 * y[0]

    run = pushed.assemble().simulate(controller=brake, every=0.01, observe=["joint.rail.v"])
    np.testing.assert_allclose(calls, np.arange(200) * 0.01, atol=1e-12)
    # after the push v decays by 1 - 20/2 · 0.01 in each period
    np.testing.assert_allclose(run["joint.rail.v"][-1], 1.0 * 0.9**150, rtol=1e-6)
    with pytest.raises(ZeroDivisionError) as caught:
        pushed.simulate(controller=lambda t, y, u: [1.0 / (1.0 - t)], every=0.25)
    assert caught.value.run.t[-1] == 1.0  # type: ignore[attr-defined]
    with pytest.raises(lw.InputError):
        pushed.simulate(controller=lambda t, y, u: [1.0, 2.0], every=0.25)
    with pytest.raises(lw.InputError):
        pushed.simulate(controller=brake)
    with pytest.raises(lw.InputError, match="no result column"):
        pushed.simulate(controller=brake, every=0.1, observe=["joint.rail.x"])


def test_a_controller_moves_joints() -> None:
    """A force along a joint that balances gravity leaves the rod level."""
    model = lw.Model.planar("rod").points(A=[0, 0], B=[1, 0]).ground(["A"]).body("rod", ["A", "B"], mass=2)
    run = model.simulate(duration=1, controller=lambda t, y, u: 9.81, every=0.1, actuate=["joint.A"])
    np.testing.assert_allclose(run["joint.A.q"], 0.0, atol=1e-9)
    assert run.summary.rows == len(run) == 101


LONG = {"duration": 1e5, "output_step": 10.0}


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_ends_a_run_and_keeps_its_rows(four_bar: lw.Mechanism) -> None:
    sent: list[float] = []

    def send() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(0.7, send).start()
    with pytest.raises(KeyboardInterrupt) as caught:
        four_bar.simulate(**LONG)
    # the engine looks every 50 ms; the rest is for machines that are busy
    assert time.monotonic() - sent[0] < 1.0
    run = caught.value.run  # type: ignore[attr-defined]
    assert run.summary.status == "stopped" and len(run) > 1 and np.isfinite(run["energy.total"]).all()


def test_others_use_python_while_a_run_goes_on(four_bar: lw.Mechanism) -> None:
    """While one thread simulates, another one gets on: the longest time that it had to wait is far below the time of the run."""
    took: list[float] = []

    def work() -> None:
        began = time.monotonic()
        four_bar.simulate(duration=300, output_step=1.0, record=False)
        took.append(time.monotonic() - began)

    thread = threading.Thread(target=work)
    thread.start()
    last, longest = time.monotonic(), 0.0
    while thread.is_alive():
        now = time.monotonic()
        longest, last = max(longest, now - last), now
    thread.join()
    assert longest < 0.5 * took[0], (longest, took)


def test_threads_have_the_same_bits(four_bar: lw.Mechanism) -> None:
    alone = four_bar.simulate(duration=2)
    runs: list[lw.Run] = []
    threads = [threading.Thread(target=lambda: runs.append(four_bar.simulate(duration=2))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(runs) == 3
    for run in runs:
        np.testing.assert_array_equal(run.values, alone.values)


def test_pictures(four_bar: lw.Mechanism, tmp_path: Path) -> None:
    run = four_bar.simulate(duration=0.5)
    page = run.report(tmp_path / "report.html")
    assert page == (tmp_path / "report.html").read_text(encoding="utf-8") and page.startswith("<!")
    shown = run._repr_html_()
    assert shown.startswith('<iframe srcdoc="') and "<script>" not in shown  # quoted: a page of its own
    plot = run.plot("energy.*", title="energies")
    assert plot.svg.startswith("<svg") and "energies" in plot.svg
    plot.save(tmp_path / "plot.png")
    run.picture(0.2, trace=["P"]).save(tmp_path / "still.png")
    for name in ("plot.png", "still.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
    run.animate(tmp_path / "moving.gif", trace=["P"], fps=10)
    run.animate(tmp_path / "moving.glb")
    assert (tmp_path / "moving.gif").read_bytes().startswith(b"GIF89a")
    assert (tmp_path / "moving.glb").read_bytes().startswith(b"glTF")
    film = run.animate(fps=5)
    assert film is not None and film.svg.startswith("<svg")
    unseen = four_bar.simulate(duration=0.1, record=False)
    assert "Run of" in unseen._repr_html_() and unseen.plot("energy.total").svg
    for wrong in (lambda: unseen.report(), lambda: run.plot("no.such"), lambda: run.plot(), lambda: run.animate(tmp_path / "a.mp4")):
        with pytest.raises(lw.InputError):
            wrong()


def test_progress_is_shown(four_bar: lw.Mechanism, capsys: pytest.CaptureFixture[str]) -> None:
    four_bar.simulate(duration=0.5, progress=True)
    assert "100 % of 0.5 s" in capsys.readouterr().err
