"""Sweeps over parameters: in memory, or in a folder that a cluster fills."""

from __future__ import annotations

import dataclasses
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike

from . import _native
from ._batch import Batch, BatchResult
from ._errors import InputError
from ._model import Mechanism, Model
from ._progress import Progress

if TYPE_CHECKING:
    import pandas
    import polars

Values = str | ArrayLike
"""Values of a parameter: numbers, or a text as the command has it: ``"0.3..0.9:61"``, ``"20..50 cm"``, ``"log 1e3..1e6"``, ``"normal(2 kg, 0.1 kg)"``."""

MOST_JOBS = 256
"""A sweep is cut into at most so many jobs for an executor, unless `jobs` says otherwise."""


def _text(name: str, values: Values) -> str:
    """A parameter with its values as the command has them; numbers keep all their digits."""
    if isinstance(values, str):
        return f"{name}={values}"
    numbers = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if numbers.ndim > 1 or not len(numbers):
        raise InputError(f"`{name}` needs a number, a list of numbers, or a text such as '0.3..0.9:61'")
    return f"{name}={','.join(repr(float(number)) for number in numbers)}"


@dataclasses.dataclass(frozen=True)
class _Job:
    """A sweep as other processes get it."""

    file: str
    text: bytes
    plan: dict[str, Any]
    folder: str
    threads: int
    retry_failed: bool

    def run(self, shard: str, progress: Callable[[float], None] | None = None) -> tuple[int, int, list[str]]:
        """Works on the cases of a shard."""
        sweep = _native.Sweep(self.file, self.text, **self.plan)
        return sweep.run(self.folder, shard, threads=self.threads, retry_failed=self.retry_failed, progress=progress)


@dataclasses.dataclass(frozen=True)
class SweepStatus:
    """How far a sweep is."""

    cases: int
    finished: int
    failed: int
    """Cases whose run could not go on."""
    refused: int
    """Cases whose values make the model impossible."""
    parts: int
    whole: int
    """Parts that are there."""
    damaged: tuple[str, ...]
    """What is wrong with parts that cannot be read."""

    @property
    def complete(self) -> bool:
        """Whether all parts are there and good."""
        return self.whole == self.parts and not self.damaged


class SweepFolder:
    """A folder with a sweep: ``plan.json`` and the cases in Parquet files of some thousand each, which everything that reads Parquet reads."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Opens the folder of a sweep, whoever began it: this package or ``linkwork sweep``."""
        self.path = Path(path)
        """Where it is."""
        self.messages: tuple[str, ...] = ()
        """What was wrong with the first cases that did not finish, of those that ran now."""
        self.status()  # a folder that holds no sweep is refused now

    def __repr__(self) -> str:
        status = self.status()
        return f"<SweepFolder {str(self.path)!r}: {status.finished} of {status.cases} cases finished, {status.whole} of {status.parts} parts>"

    def status(self) -> SweepStatus:
        """How far it is; it may be asked while others fill the folder."""
        said = json.loads(_native.sweep_status(self.path))
        return SweepStatus(**said | {"damaged": tuple(said["damaged"])})

    @property
    def parts(self) -> list[Path]:
        """The Parquet files that are there, in the order of their cases."""
        return sorted(self.path.glob("part-*.parquet"))

    def to_polars(self) -> polars.LazyFrame:
        """All cases: ``case``, parameters, results, ``status``, ``code``. Nothing is read before it is needed."""
        import polars

        return polars.scan_parquet(self.parts)

    def to_pandas(self) -> pandas.DataFrame:
        """All cases: ``case``, parameters, results, ``status``, ``code``."""
        import pandas

        return pandas.concat([pandas.read_parquet(part) for part in self.parts], ignore_index=True)

    def merge(self, file: str | os.PathLike[str] | None = None) -> Path:
        """Writes all cases into one table, ``.parquet`` or ``.csv``: the same bytes however the sweep was cut, interrupted or shared."""
        path = Path(file) if file is not None else self.path / "sweep.parquet"
        _native.sweep_merge(self.path, path)
        return path

    def indices(self) -> dict[str, dict[str, tuple[float, float]]]:
        """First-order and total sensitivity indices of each result by each parameter, of a sweep with ``sample="saltelli:N"``."""
        found: dict[str, dict[str, tuple[float, float]]] = {}
        for column, parameter, first, total in _native.sweep_indices(self.path):
            found.setdefault(column, {})[parameter] = (first, total)
        return found

    def page(self, file: str | os.PathLike[str] | None = None) -> Path:
        """Writes a page with histograms of the results and plots of them over the parameters."""
        path = Path(file) if file is not None else self.path / "sweep.html"
        path.write_text(_native.sweep_page(self.path), encoding="utf-8")
        return path


@overload
def sweep(
    model: Mechanism | Model,
    parameters: Mapping[str, Values],
    *,
    columns: Sequence[str],
    pairs: bool = False,
    sample: str | None = None,
    seed: int = 0,
    threads: int = 0,
    progress: bool = False,
    out: None = None,
    **settings: Any,
) -> BatchResult: ...


@overload
def sweep(
    model: Mechanism | Model,
    parameters: Mapping[str, Values],
    *,
    columns: Sequence[str] = (),
    pairs: bool = False,
    sample: str | None = None,
    seed: int = 0,
    threads: int = 0,
    progress: bool = False,
    out: str | os.PathLike[str],
    part_size: int = 1000,
    resume: bool = False,
    retry_failed: bool = False,
    lockstep: bool = False,
    executor: Any = None,
    jobs: int | None = None,
    **settings: Any,
) -> SweepFolder: ...


def sweep(
    model: Mechanism | Model,
    parameters: Mapping[str, Values],
    *,
    columns: Sequence[str] = (),
    pairs: bool = False,
    sample: str | None = None,
    seed: int = 0,
    threads: int = 0,
    progress: bool = False,
    out: str | os.PathLike[str] | None = None,
    part_size: int = 1000,
    resume: bool = False,
    retry_failed: bool = False,
    lockstep: bool = False,
    executor: Any = None,
    jobs: int | None = None,
    **settings: Any,
) -> BatchResult | SweepFolder:
    """Runs a model for many values of its parameters.

    Values are numbers, or texts as ``linkwork sweep --set`` has them. ``sample`` chooses the cases: ``"grid"``, all combinations; ``"pairs"``, the first values together, the
    second, and so on (or ``pairs=True``); ``"random:N"``, ``"latin:N"``, ``"sobol:N"`` and ``"saltelli:N"`` with ``seed``.

    >>> import linkwork as lw
    >>> result = lw.sweep(lw.examples["double-pendulum"], {"l1": [0.5, 0.6], "l2": "0.4..0.8:3"}, columns=["max(energy.kinetic)"], duration=1)
    >>> len(result)
    6

    With ``out`` the cases fill a folder part by part, in bounded memory: use it for a million cases, and for runs that take hours. Columns are then ``final(...)``, ``at(T, ...)``, ``max``,
    ``min``, ``mean``, ``rms`` and ``integral`` of result columns; none stands for the last values of all. ``resume`` goes on where a sweep was interrupted, ``retry_failed`` runs
    cases again that did not finish.

    ``executor`` shares the work: anything with ``submit``, such as ``concurrent.futures.ProcessPoolExecutor`` or ``dask.distributed.Client().get_executor()``, or with ``apply_async``,
    such as ``ray.util.multiprocessing.Pool``. The work is cut into ``jobs``, each with whole parts and one thread unless ``threads`` gives it more. All workers must see the folder. A case has the same
    bits wherever it runs.
    """
    if pairs and sample not in (None, "pairs"):
        raise InputError(f"`pairs` and sample={sample!r} are two plans: keep one of them")
    how = "pairs" if pairs else sample or "grid"
    mechanism = model if isinstance(model, Mechanism) else None
    said = mechanism._model if mechanism is not None else model
    assert isinstance(said, Model)
    if not parameters:
        raise InputError("give at least one parameter with its values")
    file = said._file if said._file.startswith("<") else os.path.abspath(said._file)
    text = said._contents()
    values = [_text(name, given) for name, given in parameters.items()]
    if out is None:
        if not columns:
            raise InputError("say in `columns` what is kept of each run")
        names, table = _native.plan_values(file, text, values, how, seed)
        varied = {name: table[:, place] for place, name in enumerate(names)}
        runner = mechanism._with(settings, {}) if mechanism is not None else said.assemble(**settings)
        return Batch(runner, threads=threads).run(parameters=varied, columns=columns, lockstep=lockstep, progress=progress)
    if said._parameters:
        given = ", ".join(said._parameters)
        raise InputError(f"the model has other values than its file for {given}: give them with the parameters of the sweep, since the folder keeps the file")
    if mechanism is not None and mechanism._inputs:
        raise InputError("the mechanism has constant inputs, which a folder does not keep: write them into the model")
    changed = (mechanism._overrides if mechanism is not None else {}) | {key: value for key, value in settings.items() if value is not None}
    plan = changed | {"set": values, "sample": how, "seed": seed, "columns": list(columns), "lockstep": lockstep}
    native = _native.Sweep(file, text, **plan)
    folder = os.path.abspath(os.fspath(out))
    parts, cases = native.begin(folder, part_size, resume or retry_failed)
    job = _Job(file, text, plan, folder, threads or (0 if executor is None else 1), retry_failed)
    with Progress(cases, progress, "cases") as bar:
        if executor is None:
            _, _, messages = native.run(folder, "1/1", threads=threads, retry_failed=retry_failed, progress=bar.callback)
        else:
            count = max(1, min(parts, MOST_JOBS if jobs is None else jobs))
            messages = _share(executor, job, count, bar.callback)
    done = SweepFolder(out)
    done.messages = tuple(messages)
    return done


def _share(executor: Any, job: _Job, count: int, tell: Callable[[float], None] | None) -> list[str]:
    """Lets an executor work on all shards; what was wrong with the first cases that did not finish."""
    shards = [f"{i + 1}/{count}" for i in range(count)]
    if hasattr(executor, "submit"):
        pending = [executor.submit(job.run, shard) for shard in shards]
        is_done, result = "done", "result"
    elif hasattr(executor, "apply_async"):
        pending = [executor.apply_async(job.run, (shard,)) for shard in shards]
        is_done, result = "ready", "get"
    else:
        raise InputError(f"{type(executor).__name__} is no executor: it has neither `submit` nor `apply_async`")
    messages: list[str] = []
    passed = 0
    try:
        while pending:
            done = [future for future in pending if getattr(future, is_done)()]
            pending = [future for future in pending if not any(future is other for other in done)]
            for future in done:
                cases, _, told = getattr(future, result)()
                passed += cases
                messages += told
            if tell is not None:
                tell(passed)
            if pending and not done:
                time.sleep(0.02)
    except BaseException:
        for future in pending:
            if hasattr(future, "cancel"):
                future.cancel()
        raise
    return messages[:10]
