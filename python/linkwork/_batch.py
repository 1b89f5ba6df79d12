"""Thousands of variants of a mechanism on all cores."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._errors import InputError
from ._model import Mechanism, Model
from ._progress import Progress
from ._run import Array

if TYPE_CHECKING:
    import pandas

STATUS = np.array(["finished", "failed", "refused"])


class BatchResult:
    """What a batch has left. ``result["joint.A.q"]`` has a value for each variant: that of its last row, or with ``rows="all"`` all of them, (n, rows).

    What has no value, since its run failed, is not a number.
    """

    def __init__(self, data: _native.BatchData, asked: Sequence[str], varied: Mapping[str, Array]) -> None:
        self._data, self._asked = data, list(asked)
        self._places = {name: place for place, name in enumerate(data.columns)}
        self.varied = dict(varied)
        """The parameters and inputs of the variants."""
        self.t: Array = data.t
        """When each run ended, s."""
        self.status: NDArray[np.str_] = STATUS[data.status]
        """``finished``, ``failed`` or ``refused``, of each variant."""
        self.errors: dict[int, str] = {variant: f"{message} [{code}]" for variant, code, message in data.errors}
        """What went wrong, by variant."""
        self.in_lanes: int = data.in_lanes
        """How many variants went through the registers of the machine side by side."""

    @property
    def columns(self) -> list[str]:
        """What was asked for."""
        return list(self._asked)

    @property
    def finished(self) -> NDArray[np.bool_]:
        """Which variants came to their end."""
        finished: NDArray[np.bool_] = self._data.status == 0
        return finished

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return f"<BatchResult: {len(self)} variants, {int(self.finished.sum())} finished, {self.in_lanes} in lanes>"

    def __getitem__(self, name: str) -> Array:
        what, column = _reduction(name)
        place = self._places.get(column)
        if place is None:
            raise InputError(f"the batch kept no column `{column}`: it kept {', '.join(self._asked)}")
        table = {"last": self._data.last, "min": self._data.least, "max": self._data.most}[what]
        if what == "last" and self._data.rows is not None:
            rows: Array = self._data.rows[:, :, place]
            return rows
        if table is None:
            raise InputError(f"ask for `{name}` in `columns` of the batch")
        values: Array = table[:, place]
        return values

    def to_pandas(self) -> pandas.DataFrame:
        """Parameters, results and status, a row for each variant."""
        import pandas

        results = {name: self[name] for name in self._asked if self[name].ndim == 1}
        return pandas.DataFrame({**self.varied, **results, "status": self.status})


def _reduction(name: str) -> tuple[str, str]:
    found = re.fullmatch(r"(min|max)\((.*)\)", name)
    return (found[1], found[2]) if found else ("last", name)


class Batch:
    """Runs of many variants of a mechanism on all cores, outside the lock of Python. Each has the bits of its run alone.

    >>> import linkwork as lw, numpy as np
    >>> mechanism = lw.examples["double-pendulum"].assemble(duration=1)
    >>> result = lw.Batch(mechanism).run(parameters={"l2": np.linspace(0.5, 0.9, 16)}, columns=["point.C.x", "max(energy.kinetic)"])
    >>> result["point.C.x"].shape
    (16,)
    """

    def __init__(self, mechanism: Mechanism | Model, *, threads: int = 0) -> None:
        """Variants of a mechanism; ``threads=0`` takes all cores."""
        self.mechanism = mechanism.assemble() if isinstance(mechanism, Model) else mechanism
        self.threads = threads

    @property
    def start(self) -> tuple[Array, Array]:
        """Coordinates and rates of the mechanism at the start, in the order in which `run` takes those of variants."""
        q, u, _, _ = _native.batch_start(self.mechanism._native)
        return np.array(q), np.array(u)

    @property
    def start_names(self) -> tuple[list[str], list[str]]:
        """What each of these is."""
        _, _, q, u = _native.batch_start(self.mechanism._native)
        return q, u

    def run(
        self,
        *,
        parameters: Mapping[str, ArrayLike] | None = None,
        inputs: Mapping[str, ArrayLike] | None = None,
        start: tuple[ArrayLike, ArrayLike] | None = None,
        count: int | None = None,
        columns: Sequence[str] | None = None,
        rows: str = "last",
        lockstep: bool = False,
        progress: bool = False,
    ) -> BatchResult:
        """Runs the variants.

        ``parameters`` and ``inputs`` have a value for each variant, or one for all; ``start`` has coordinates and rates, (n, ·) each. ``columns`` names what is kept, the last row of it
        or with ``rows="all"`` all rows; ``"max(energy.kinetic)"`` and ``"min(...)"`` keep extremes. ``lockstep`` lets eight variants under error control share their steps: faster,
        within the tolerance, but not the bits of each alone.
        """
        if rows not in ("last", "all"):
            raise InputError('`rows` is "last" or "all"')
        tables = {"parameters": parameters or {}, "inputs": inputs or {}}
        arrays = {kind: {name: np.asarray(values, dtype=np.float64) for name, values in table.items()} for kind, table in tables.items()}
        starts = None if start is None else [np.atleast_2d(np.asarray(part, dtype=np.float64)) for part in start]
        lengths = {len(values) for table in arrays.values() for values in table.values() if values.ndim == 1}
        lengths |= {len(part) for part in starts or () if len(part) > 1}
        if any(values.ndim > 1 for table in arrays.values() for values in table.values()):
            raise InputError("a parameter has a number for each variant, in one dimension")
        if count is not None:
            lengths.add(count)
        if len(lengths) > 1:
            raise InputError(f"how many variants are there? There are arrays of {', '.join(map(str, sorted(lengths)))}")
        n = lengths.pop() if lengths else 1
        varied = {name: np.broadcast_to(values, (n,)) for table in arrays.values() for name, values in table.items()}

        def table(kind: str) -> tuple[list[str], Array] | None:
            names = list(arrays[kind])
            if not names:
                return None
            return names, np.ascontiguousarray(np.column_stack([np.broadcast_to(arrays[kind][name], (n,)) for name in names]))

        asked = self.mechanism.columns if columns is None else list(columns)
        kept = list(dict.fromkeys(_reduction(name)[1] for name in asked))
        q_and_u = None
        if starts is not None:
            q, u = (np.ascontiguousarray(np.broadcast_to(part, (n, part.shape[1]))) for part in starts)
            q_and_u = (q, u)
        with Progress(n, progress, "variants") as bar:
            data = _native.run_batch(
                self.mechanism._native,
                n,
                threads=self.threads,
                parameters=table("parameters"),
                inputs=table("inputs"),
                starts=q_and_u,
                columns=kept,
                all_rows=rows == "all",
                extremes=any(_reduction(name)[0] != "last" for name in asked),
                lockstep=lockstep,
                progress=bar.callback,
            )
        return BatchResult(data, asked, varied)
