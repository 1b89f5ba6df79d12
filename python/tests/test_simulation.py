"""Simulations that are stepped."""

from __future__ import annotations

import os
import signal
import threading

import linkwork as lw
import numpy as np
import pytest


def pendulum() -> lw.Model:
    return lw.Model.planar("rod").points(A=[0, 0], B=[1, 0]).ground(["A"]).body("rod", ["A", "B"], mass=2)


def test_same_motion_in_pieces_of_equal_steps() -> None:
    settings = {"integrator": "rk4", "step": 1e-3, "duration": 1.0, "output_step": 0.1}
    mechanism = pendulum().assemble(**settings)
    run = mechanism.simulate()
    with mechanism.simulation() as simulation:
        for k in range(1, 11):
            assert simulation.advance_to(0.1 * k) == ("finished" if k == 10 else "reached")
            # rows are read off between steps, and the last step of a piece is cut: roundings
            np.testing.assert_allclose(simulation.y[1:], run.values[1:, k], rtol=1e-9, atol=1e-12)
        assert simulation.over


def test_inputs_and_forces(pushed: lw.Model) -> None:
    with pushed.assemble().simulation() as simulation:
        simulation.inputs["push"] = 4.0
        simulation.advance(0.5)
        assert simulation.inputs["push"] == 4.0 and list(simulation.inputs) == ["push"]
        simulation.inputs["push"] = 0.0
        simulation.forces["rail"] = -2.0
        simulation.advance(0.5)
        np.testing.assert_allclose(simulation["joint.rail.v"], 4 / 2 * 0.5 - 2 / 2 * 0.5, rtol=1e-9)
        simulation.forces["rail"] = 0.0
        simulation.wrench("cart", [6.0, 0.0])
        simulation.advance(0.5)
        np.testing.assert_allclose(simulation.read(["joint.rail.v"]), [0.5 + 6 / 2 * 0.5], rtol=1e-9)
        for wrong in (
            lambda: simulation.inputs.__setitem__("pull", 1.0),
            lambda: simulation.inputs.__setitem__("push", float("nan")),
            lambda: simulation.forces.__setitem__("wheel", 1.0),
            lambda: simulation.advance_to(0.1),
            lambda: simulation.advance(float("nan")),
            lambda: simulation["nothing"],
            lambda: simulation.port(["push"], ["nothing"]),
        ):
            with pytest.raises(lw.InputError):
                wrong()


def test_states_and_saving() -> None:
    with pendulum().assemble().simulation(formulation="recursive") as simulation:
        assert simulation.formulation == "recursive"
        simulation.advance(0.3)
        saved, state = simulation.save(), simulation.state
        simulation.advance(0.5)
        after = simulation.y
        simulation.restore(saved)
        simulation.advance(0.5)
        np.testing.assert_array_equal(simulation.y, after)
        moved = simulation.set_state(state)
        assert moved.coordinates < 1e-12 and simulation.t == state.t
        simulation.set_state(q=[0.25], u=[1.5])
        assert simulation["joint.A.q"] == pytest.approx(0.25, abs=1e-12) and simulation["joint.A.v"] == pytest.approx(1.5, abs=1e-12)
        for wrong in (state.replace(q=[1.0, 2.0]), state.replace(u=[float("nan")])):
            with pytest.raises(lw.Error):
                simulation.set_state(wrong)
        assert simulation.t == state.t


def test_ports_step_as_simulations_do(pushed: lw.Model) -> None:
    mechanism = pushed.assemble(integrator="rk4", step=1e-3)
    slow, fast = mechanism.simulation(), mechanism.simulation()
    port = fast.port(["push"], ["joint.rail.q", "joint.rail.v"])
    for k in range(1, 501):
        slow.inputs["push"] = port.u[0] = 3.0 - port.y[1]
        slow.advance_to(2e-3 * k)
        assert port.advance(2e-3) in ("reached", "finished")
    assert fast.t == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_array_equal(port.y, slow.read(["joint.rail.q", "joint.rail.v"]))


def test_events_on_the_way() -> None:
    with lw.examples["bouncing-ball"].assemble().simulation() as simulation:
        word = simulation.advance_to(3.0, to_event=True)
        assert word == "event" and simulation.t < 3.0
        (first, *_) = simulation.events()
        assert first.kind == "impact" and first.t == pytest.approx(simulation.t, abs=1e-9)
        assert simulation.events() == []


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_while_stepping() -> None:
    with pendulum().assemble().simulation(duration=1e6) as simulation:
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            simulation.advance_to(1e6)
        t = simulation.t
        assert 0 < t < 1e6
        simulation.advance(0.1)  # and on it goes
        assert simulation.t == pytest.approx(t + 0.1)


def test_threads_take_turns() -> None:
    simulation = pendulum().assemble().simulation(duration=100)
    threads = [threading.Thread(target=lambda: [simulation.step() for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert simulation.t > 0 and np.isfinite(simulation.y).all()


def test_ports_read_what_rows_show() -> None:
    """Angles that are read from the state are those of a row, whole turns included; other columns are its numbers."""
    mechanism = pendulum().assemble(formulation="recursive", integrator="rk4", step=1e-3, duration=10)
    angles, others = ["t", "joint.A.q", "joint.A.v"], ["point.B.x", "joint.A.force.y", "joint.A.q"]
    with mechanism.simulation() as simulation:
        quick, whole = simulation.port(["joint.A"], angles), simulation.port(outputs=others)
        quick.u[0] = 40.0
        for _ in range(20):
            for _ in range(25):
                quick.advance(4e-3)
            whole.read()
            row = dict(zip(mechanism.columns, simulation.y, strict=True))
            np.testing.assert_allclose(quick.y, [row[name] for name in angles], rtol=1e-12, atol=1e-12)
            np.testing.assert_array_equal(whole.y, [row[name] for name in others])
        assert quick.y[1] > 2 * np.pi
        kept = simulation.read(angles)
        assert not np.shares_memory(kept, simulation.read(angles)) and simulation["joint.A.q"] == kept[1]


def test_a_port_waits_for_the_thread_that_has_it() -> None:
    simulation = pendulum().assemble(integrator="rk4", step=1e-3, duration=100).simulation()
    port = simulation.port(["joint.A"], ["joint.A.q"])
    threads = [threading.Thread(target=lambda: [port.advance(1e-3) for _ in range(200)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert simulation.t == pytest.approx(0.8, abs=1e-9)
    with pytest.raises(lw.InputError, match="twice"):
        lw._native.advance_all([port._native, port._native], [0.9, 0.9], 1)
    port.advance(1e-3)  # and on it goes
    with pytest.raises(lw.InputError, match=r"no result column `joint\.A\.qq`; did you mean `joint\.A\.q`"):
        simulation["joint.A.qq"]
