"""Batches, sweeps, comparisons."""

from __future__ import annotations

import linkwork as lw
import numpy as np
import pytest


def pendulum() -> lw.Model:
    return (
        lw.Model.planar("rod")
        .parameter("l", 1.0)
        .points(A=[0, 0], B=["l", 0])
        .ground(["A"])
        .body("rod", ["A", "B"], mass=2)
        .input("torque", unit="N m")
        .actuator("motor", joint="A", torque="input.torque")
        .settings(duration=1, integrator="rk4", step=1e-3, output_step=0.1, formulation="recursive")
    )


COLUMNS = ["joint.A.q", "energy.total", "max(joint.A.v)", "min(joint.A.q)"]


def test_same_bits_as_runs_alone() -> None:
    lengths, torques = np.linspace(0.5, 1.5, 11), np.linspace(-3, 3, 11)
    for threads in (1, 2):
        batch = lw.Batch(pendulum(), threads=threads)
        result = batch.run(parameters={"l": lengths}, inputs={"torque": torques}, columns=COLUMNS)
        assert len(result) == 11 and result.finished.all() and list(result.status) == ["finished"] * 11
        for i, (length, torque) in enumerate(zip(lengths, torques, strict=True)):
            run = pendulum().with_parameters(l=length).assemble(inputs={"torque": torque}).simulate()
            assert result["joint.A.q"][i] == run["joint.A.q"][-1] and result["energy.total"][i] == run["energy.total"][-1]
            assert result["max(joint.A.v)"][i] == run["joint.A.v"].max() and result["min(joint.A.q)"][i] == run["joint.A.q"].min()


def test_starts_and_all_rows() -> None:
    mechanism = pendulum().assemble()
    batch = lw.Batch(mechanism)
    q, u = batch.start
    assert q.shape == u.shape == (1,) and "joint `A`" in batch.start_names[0][0]
    angles = np.linspace(-1, 1, 9)[:, None]
    result = batch.run(start=(angles, [[0.0]]), columns=["t", "joint.A.q"], rows="all")
    assert result.in_lanes == 8 and result["joint.A.q"].shape == (9, 11)
    with mechanism.simulation() as simulation:
        for i, angle in enumerate(angles):
            simulation.set_state(q=angle, u=[0.0])
            np.testing.assert_allclose(result["joint.A.q"][i, 0], simulation["joint.A.q"], atol=1e-12)


def test_what_goes_wrong_is_told_by_variant() -> None:
    result = lw.Batch(pendulum()).run(parameters={"l": [1.0, -1.0, 0.0, 2.0]}, columns=["joint.A.q"])
    assert list(result.status[[0, 3]]) == ["finished"] * 2 and result.status[2] == "refused"
    assert 2 in result.errors and np.isnan(result["joint.A.q"][2]) and np.isfinite(result["joint.A.q"][[0, 3]]).all()
    batch = lw.Batch(pendulum())
    for wrong in (
        lambda: batch.run(parameters={"l": [1.0, 2.0]}, inputs={"torque": [1.0, 2.0, 3.0]}),
        lambda: batch.run(columns=["no.such"]),
        lambda: batch.run(rows="some"),
        lambda: batch.run(count=2, columns=["t"])["joint.A.q"],
        lambda: batch.run(parameters={"l": [[1.0]]}),
    ):
        with pytest.raises(lw.Error):
            wrong()
    unknown = batch.run(parameters={"k": [1.0, 2.0]}, columns=["t"])
    assert list(unknown.status) == ["refused"] * 2


def test_sweeps() -> None:
    result = lw.sweep(pendulum(), {"l": [0.5, 1.0, 1.5]}, columns=["max(joint.A.v)"])
    assert len(result) == 3 and result["max(joint.A.v)"].shape == (3,)
    table = result.to_pandas()
    assert list(table.columns) == ["l", "max(joint.A.v)", "status"] and list(table["l"]) == [0.5, 1.0, 1.5]
    grid = lw.sweep(lw.examples["double-pendulum"], {"l1": [0.5, 0.6], "l2": [0.4, 0.5, 0.6]}, columns=["point.C.x"], duration=0.2)
    assert len(grid) == 6 and list(grid.varied["l2"]) == [0.4, 0.5, 0.6] * 2
    pairs = lw.sweep(lw.examples["double-pendulum"], {"l1": [0.5, 0.6], "l2": [0.4, 0.5]}, columns=["point.C.x"], duration=0.2, pairs=True)
    assert pairs["point.C.x"][1] == grid["point.C.x"][4]


def test_formulations_agree() -> None:
    comparison = lw.compare(lw.examples["four-bar"].assemble(duration=0.5))
    assert comparison.agrees and len([f for f in comparison.formulations if f["status"] != "refused"]) >= 6
