"""Sweeps in memory and in folders, alone and shared by executors."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import linkwork as lw
import numpy as np
import pytest

PENDULUM = lw.examples["double-pendulum"]
SHORT = {"duration": 0.1, "step": 1e-3, "integrator": "rk4"}
VARIED = {"l2": "0.3..0.9", "m2": "normal(1 kg, 50 g)"}
COLUMNS = ["final(point.C.x)", "max(energy.kinetic)"]


def filled(folder: Path, executor: Executor | object | None = None, **more: object) -> lw.SweepFolder:
    return lw.sweep(
        PENDULUM, VARIED, sample="sobol:64", columns=COLUMNS, out=folder, part_size=8, executor=executor, **SHORT, **more  # type: ignore[arg-type]
    )


def test_plans_in_memory() -> None:
    texts = lw.sweep(PENDULUM, {"l2": "40, 60, 80 cm", "m2": "1..2:2"}, columns=["point.C.x"], **SHORT)
    numbers = lw.sweep(PENDULUM, {"l2": [0.4, 0.6, 0.8], "m2": [1.0, 2.0]}, columns=["point.C.x"], **SHORT)
    assert list(texts.varied["l2"]) == [0.4, 0.4, 0.6, 0.6, 0.8, 0.8] and np.array_equal(texts["point.C.x"], numbers["point.C.x"])
    latin = lw.sweep(PENDULUM, VARIED, sample="latin:16", seed=3, columns=["point.C.x"], **SHORT)
    cells = np.floor((latin.varied["l2"] - 0.3) / 0.6 * 16)
    assert sorted(cells) == list(range(16)) and latin.finished.all()


def test_a_folder_has_the_bits_of_runs_alone(tmp_path: Path) -> None:
    folder = filled(tmp_path / "alone")
    status = folder.status()
    assert status.complete and (status.cases, status.finished, status.parts) == (64, 64, 8) and len(folder.parts) == 8
    cases = folder.to_pandas()
    assert cases.equals(folder.to_polars().collect().to_pandas())
    memory = lw.sweep(PENDULUM, VARIED, sample="sobol:64", columns=["point.C.x"], **SHORT)
    assert np.array_equal(cases["l2"], memory.varied["l2"]) and np.array_equal(cases["final(point.C.x)"], memory["point.C.x"])
    assert "finished" in repr(folder) and folder.page().read_text(encoding="utf-8").startswith("<!")


def with_threads() -> Executor:
    return ThreadPoolExecutor(2)


def with_processes() -> Executor:
    return ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))


def test_executors_give_the_same_bytes(tmp_path: Path) -> None:
    alone = filled(tmp_path / "alone").merge().read_bytes()
    makers: list[Callable[[], object]] = [with_threads, with_processes, lambda: multiprocessing.get_context("spawn").Pool(2)]
    for i, maker in enumerate(makers):
        executor = maker()
        with executor:  # type: ignore[attr-defined]
            shared = filled(tmp_path / str(i), executor, jobs=3)
        assert shared.status().complete and shared.merge().read_bytes() == alone


def test_going_on(tmp_path: Path) -> None:
    folder = filled(tmp_path / "sweep")
    before = folder.merge().read_bytes()
    with pytest.raises(lw.InputError, match="resume=True"):
        filled(tmp_path / "sweep")
    folder.parts[3].unlink()
    assert not folder.status().complete
    with pytest.raises(lw.InputError, match="missing"):
        folder.merge()
    assert filled(tmp_path / "sweep", resume=True).merge().read_bytes() == before
    with pytest.raises(lw.InputError, match="another sweep"):
        filled(tmp_path / "sweep", resume=True, seed=5)


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_keeps_whole_parts(tmp_path: Path) -> None:
    def send() -> None:
        """As soon as some parts are there, on a busy machine too."""
        while len(list((tmp_path / "stopped").glob("part-*.parquet"))) < 2:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=send, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        lw.sweep(PENDULUM, {"l2": "0.3..0.9"}, sample="sobol:65536", out=tmp_path / "stopped", part_size=1, threads=1, duration=20)
    status = lw.SweepFolder(tmp_path / "stopped").status()
    assert 0 < status.whole < 65536 and status.finished == status.whole and not status.damaged


def test_indices(tmp_path: Path) -> None:
    folder = lw.sweep(PENDULUM, {"l2": "0.55..0.65", "m2": "0.9..1.1"}, sample="saltelli:64", columns=["max(energy.kinetic)"], out=tmp_path / "s", **SHORT)
    indices = folder.indices()["max(energy.kinetic)"]
    assert set(indices) == {"l2", "m2"} and all(0 <= total <= 1.1 for _, total in indices.values())
    with pytest.raises(lw.InputError, match="saltelli"):
        filled(tmp_path / "other").indices()


def test_what_goes_wrong(tmp_path: Path) -> None:
    folder = lw.sweep(PENDULUM, {"m2": [0.5, -1.0, 0.7]}, columns=["final(point.C.x)"], out=tmp_path / "s", **SHORT)
    status = folder.status()
    assert (status.finished, status.refused) == (2, 1) and "case 1" in folder.messages[0]
    calls: list[Callable[[], object]] = [
        lambda: lw.sweep(PENDULUM, {"l2": "0.3..0.9"}, columns=["point.C.x"]),  # no number of values
        lambda: lw.sweep(PENDULUM, {"l2": "0.3..0.9"}, columns=["point.C.x"], sample="sobol"),
        lambda: lw.sweep(PENDULUM, {"l2": "0.3..0.9"}, columns=["point.C.x"], sample="sobol:4", pairs=True),
        lambda: lw.sweep(PENDULUM, {"l2": [[1.0]]}, columns=["point.C.x"]),
        lambda: lw.sweep(PENDULUM, {}, columns=["point.C.x"]),
        lambda: lw.sweep(PENDULUM, {"l2": 0.5}, columns=[]),
        lambda: lw.sweep(PENDULUM, {"l2": 0.5}, out=tmp_path / "e", executor=object(), **SHORT),
        lambda: lw.sweep(PENDULUM.with_parameters(m2=2), {"l2": 0.5}, out=tmp_path / "p", **SHORT),
        lambda: lw.SweepFolder(tmp_path),
    ]
    for call in calls:
        with pytest.raises(lw.InputError):
            call()
    with pytest.raises(lw.ModelError, match="no parameter"):
        lw.sweep(PENDULUM, {"nothing": [1.0]}, columns=["point.C.x"])
