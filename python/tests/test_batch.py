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


def test_many_are_stepped_together() -> None:
    """Simulations side by side are those alone, bit by bit; their arrays stay the same and are written in place."""
    lengths, angles = np.linspace(0.5, 1.5, 7), np.linspace(-1, 1, 7)[:, None]
    start = (angles, [[0.5]])
    for threads in (1, 2):
        many = lw.Batch(pendulum(), threads=threads).simulations(
            7, inputs=["torque"], outputs=["joint.A.q", "energy.total"], parameters={"l": lengths}, start=start
        )
        u, y, angle = many.u, many.y, many["joint.A.q"]
        assert np.shares_memory(angle, y) and u.shape == (7, 1) and y.shape == (7, 2) and (many.t == 0).all()
        np.testing.assert_allclose(angle, angles[:, 0], atol=1e-12)
        for _ in range(100):
            many.u[:, 0] = -2.0 * angle
            many.advance(2e-3)
        assert many.u is u and many.y is y and (many.status == "running").all() and not many.errors
        for i, length in enumerate(lengths):
            alone = pendulum().with_parameters(l=length).assemble().simulation()
            alone.set_state(q=angles[i], u=[0.5])
            port = alone.port(["torque"], many.outputs)
            for _ in range(100):
                port.u[0] = -2.0 * port.y[0]
                port.advance(2e-3)
            np.testing.assert_array_equal(port.y, y[i])
        np.testing.assert_allclose(many.t, 0.2, rtol=1e-12)
        many.advance_to(1.0)
        assert list(many.status) == ["finished"] * 7 and "0 running" in repr(many)
        many.advance(0.1)  # nobody is left
    state = many.simulations[2].state
    many.simulations[2].set_state(state.replace(t=0.5))
    many.read()
    assert list(many.status) == ["finished"] * 2 + ["running"] + ["finished"] * 4
    many.advance(0.1)
    assert many.t[2] == pytest.approx(0.6)
    batch = lw.Batch(pendulum())
    for wrong in (
        lambda: batch.simulations(0),
        lambda: batch.simulations(3, parameters={"l": [1.0, 2.0]}),
        lambda: batch.simulations(3, outputs=["no.such"]),
        lambda: batch.simulations(3, inputs=["no.such"]),
        lambda: many["joint.A.v"],
        lambda: many.advance_to(0.1),
    ):
        with pytest.raises(lw.InputError):
            wrong()


def test_one_of_many_fails_alone() -> None:
    model = pendulum().measure("root", "sqrt(0.2 - joint.A.q)").settings(duration=5)
    many = lw.Batch(model).simulations(3, inputs=["torque"], outputs=["joint.A.q", "measure.root"])
    many.u[:, 0] = [0.0, 60.0, 0.0]
    for _ in range(20):
        many.advance(0.05)
    assert list(many.status) == ["running", "failed", "running"] and set(many.errors) == {1}
    assert isinstance(many.errors[1], lw.RunFailure) and many.t[1] < 1.0 == pytest.approx(many.t[0])
