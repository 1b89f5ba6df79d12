#!/usr/bin/env python3
"""One sweep by threads, processes, Dask and Ray with four workers each, compared byte by byte; indices and points against SALib and scipy.

    pip install . "dask[distributed]" ray SALib scipy polars && python studies/sweep_executors.py

Prints a line for each executor: how long it took, and whether the merged table has the bytes of the sweep in this process alone.
"""

import concurrent.futures
import hashlib
import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import linkwork as lw
import numpy as np

WORKERS = 4
CASES = 4096
SETTINGS = {"duration": 0.5, "step": 1e-3, "integrator": "rk4"}


def sweep(folder: Path, executor: object | None) -> bytes:
    filled = lw.sweep(
        lw.examples["double-pendulum"],
        {"l2": "30..90 cm", "m2": "normal(1 kg, 50 g)"},
        sample=f"sobol:{CASES}",
        columns=["final(point.C.x)", "max(energy.kinetic)", "rms(joint.A.v)"],
        out=folder,
        part_size=64,
        executor=executor,
        **SETTINGS,
    )
    assert filled.status().complete, filled.status()
    return filled.merge().read_bytes()


@contextmanager
def with_dask() -> Iterator[object]:
    from dask.distributed import Client, LocalCluster

    with LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        yield client.get_executor()


@contextmanager
def with_ray() -> Iterator[object]:
    import ray
    from ray.util.multiprocessing import Pool

    ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False)
    pool = Pool(WORKERS)
    try:
        yield pool
    finally:
        pool.terminate()
        ray.shutdown()


def points_and_indices(folder: Path) -> None:
    from SALib.analyze import sobol
    from scipy.stats import qmc

    plan = lw.sweep(lw.examples["double-pendulum"], {"l2": "1..2", "m2": "1..2"}, sample="sobol:1024", columns=["t"], duration=1e-3)
    points = np.column_stack([plan.varied["l2"] - 1, plan.varied["m2"] - 1])
    print("Sobol points, largest difference from scipy:", np.abs(points - qmc.Sobol(2, scramble=False).random(1024)).max())

    ranges = {"l2": (0.55, 0.65), "m2": (0.9, 1.1)}
    texts = {name: f"{low}..{high}" for name, (low, high) in ranges.items()}
    filled = lw.sweep(lw.examples["double-pendulum"], texts, sample="saltelli:1024", columns=["max(energy.kinetic)"], out=folder, **SETTINGS)
    values = filled.to_polars().collect()["max(energy.kinetic)"].to_numpy()
    problem = {"num_vars": 2, "names": list(ranges), "bounds": [list(bounds) for bounds in ranges.values()]}
    theirs = sobol.analyze(problem, values, calc_second_order=False)
    ours = filled.indices()["max(energy.kinetic)"]
    first = [ours[name][0] for name in ranges]
    total = [ours[name][1] for name in ranges]
    print("indices, largest difference from SALib:", np.abs(first - theirs["S1"]).max(), np.abs(total - theirs["ST"]).max())


def main() -> None:
    makers: dict[str, Callable[[], object]] = {
        "threads": lambda: concurrent.futures.ThreadPoolExecutor(WORKERS),
        "processes": lambda: concurrent.futures.ProcessPoolExecutor(WORKERS, mp_context=multiprocessing.get_context("spawn")),
        "multiprocessing": lambda: multiprocessing.get_context("spawn").Pool(WORKERS),
        "dask": with_dask,
        "ray": with_ray,
    }
    with tempfile.TemporaryDirectory() as place:
        began = time.monotonic()
        alone = sweep(Path(place) / "alone", None)
        print(f"{'alone':<16} {time.monotonic() - began:6.1f} s  {hashlib.sha256(alone).hexdigest()[:16]}")
        for name, maker in makers.items():
            try:
                made = maker()
                with made as executor:  # type: ignore[attr-defined]
                    began = time.monotonic()
                    shared = sweep(Path(place) / name, executor)
            except ImportError as error:
                print(f"{name:<16} is not installed: {error}")
                continue
            print(f"{name:<16} {time.monotonic() - began:6.1f} s  {'the same bytes' if shared == alone else 'OTHER BYTES'}")
        points_and_indices(Path(place) / "indices")


if __name__ == "__main__":
    main()
