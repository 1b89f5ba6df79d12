"""Thousands of variants of a mechanism on all cores."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._errors import InputError, RunFailure
from ._model import Mechanism, Model
from ._progress import Progress
from ._run import Array
from ._simulation import Simulation

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

    def simulations(
        self,
        count: int,
        *,
        inputs: Sequence[str] = (),
        outputs: Sequence[str] = (),
        parameters: Mapping[str, ArrayLike] | None = None,
        start: tuple[ArrayLike, ArrayLike] | None = None,
    ) -> Simulations:
        """So many simulations that are stepped together, with live arrays for all of them: for control, learning, and games of many.

        ``inputs`` and ``outputs`` are named as in `Simulation.port`. ``parameters`` have a value for each simulation; ``start`` has coordinates and rates, (n, ·) each, as
        `Simulation.set_state` takes them.
        """
        if count < 1:
            raise InputError("there is at least one simulation")
        values = {name: np.asarray(given, dtype=np.float64) for name, given in (parameters or {}).items()}
        starts = None if start is None else [np.atleast_2d(np.asarray(part, dtype=np.float64)) for part in start]
        sizes = [array.shape[:1] for array in values.values()] + [part.shape[:1] for part in starts or ()]
        if any(size not in ((), (1,), (count,)) for size in sizes):
            raise InputError(f"parameters and starts have a value for each of the {count} simulations, or one for all")
        mechanisms = [self.mechanism] * count
        if values:
            table = {name: np.broadcast_to(array, (count,)) for name, array in values.items()}
            each = self.mechanism
            mechanisms = [each._with_parameters({name: float(column[i]) for name, column in table.items()}) for i in range(count)]
        many = Simulations(mechanisms, inputs, outputs, self.threads)
        if starts is not None:
            q, u = (np.broadcast_to(part, (count, part.shape[1])) for part in starts)
            for i, simulation in enumerate(many.simulations):
                simulation.set_state(q=q[i], u=u[i])
            many.read()
        return many


class Simulations:
    """Many simulations of one mechanism that are stepped together on all cores: `Batch.simulations` makes them.

    ``u`` (n, inputs) is what is set when they are advanced, ``y`` (n, outputs) what was read when they had been; both stay the same arrays. ``many["joint.A.q"]`` is a column of ``y``, a view.

    >>> import linkwork as lw, numpy as np
    >>> mechanism = lw.examples["double-pendulum"].assemble(duration=10, integrator="rk4", step=1e-3, formulation="recursive")
    >>> many = lw.Batch(mechanism).simulations(16, inputs=["joint.A"], outputs=["joint.A.q", "joint.A.v"])
    >>> angle, rate, torque = many["joint.A.q"], many["joint.A.v"], many.u[:, 0]
    >>> for _ in range(20):
    ...     torque[:] = np.linspace(-5, 5, 16) - rate
    ...     many.advance(1e-3)
    >>> bool(angle[0] < angle[15])
    True
    """

    def __init__(self, mechanisms: Sequence[Mechanism], inputs: Sequence[str], outputs: Sequence[str], threads: int) -> None:
        self.inputs, self.outputs, self.threads = list(inputs), list(outputs), threads
        self.u: Array = np.zeros((len(mechanisms), len(self.inputs)))
        """What is set when they are advanced, a row for each simulation."""
        self.y: Array = np.zeros((len(mechanisms), len(self.outputs)))
        """What was read last, a row for each simulation."""
        self.simulations: list[Simulation] = [mechanism.simulation() for mechanism in mechanisms]
        """The simulations, each as it is alone: for states, events, saving and going back."""
        rows = zip(self.simulations, self.u, self.y, strict=True)
        self._ports = [_native.Port(each._native, self.inputs, self.outputs, u, y) for each, u, y in rows]
        self.errors: dict[int, RunFailure] = {}
        """The failures, by simulation. Those are advanced no further."""
        self._words = np.full(len(mechanisms), "running", dtype="U8")
        self._going = list(range(len(mechanisms)))
        self._pace = (np.nan, 0.0, 0)
        self._now = self.simulations[0].t

    def __len__(self) -> int:
        return len(self.simulations)

    def __repr__(self) -> str:
        return f"<Simulations: {len(self)} of them, {len(self._going)} running>"

    def __getitem__(self, name: str) -> Array:
        if name not in self.outputs:
            raise InputError(f"`{name}` is not among the outputs: {', '.join(self.outputs)}")
        column: Array = self.y[:, self.outputs.index(name)]
        return column

    @property
    def t(self) -> Array:
        """The time of each, s."""
        return np.array([each.t for each in self.simulations])

    @property
    def status(self) -> NDArray[np.str_]:
        """``running``, ``finished`` or ``failed``, of each."""
        return self._words.copy()

    def advance_to(self, t: float) -> None:
        """Sets the inputs, takes all that are running to a time, s, and reads the outputs. What fails is told in `errors` and stays where it is."""
        going = self._going
        told = _native.advance_all([self._ports[i] for i in going], [t] * len(going), self.threads)
        ended = {i: word for i, word in zip(going, told, strict=True) if word is not None}
        for i, word in ended.items():
            if isinstance(word, RunFailure):
                self.errors[i] = word
            elif isinstance(word, Exception):
                raise word
            self._words[i] = "failed" if i in self.errors else "finished"
        self._now = t
        if ended:
            self._going = [i for i in going if i not in ended]

    def advance(self, dt: float) -> None:
        """As `advance_to`, for so many seconds. Equal steps, one after the other, end at multiples of their length."""
        length, began, steps = self._pace
        goes_on = length == dt and abs(self._now - (began + steps * dt)) <= 1e-9 * dt
        self._pace = (dt, began, steps + 1) if goes_on else (dt, self._now, 1)
        _, began, steps = self._pace
        self.advance_to(began + steps * dt)

    def read(self) -> None:
        """Reads the outputs, and looks who is running: after simulations were put into other states."""
        for i, (port, simulation) in enumerate(zip(self._ports, self.simulations, strict=True)):
            port.read()
            self._words[i] = "finished" if simulation.over else "running"
        self.errors.clear()
        self._going = [i for i, word in enumerate(self._words) if word == "running"]
        self._now = max((self.simulations[i].t for i in self._going), default=self._now)
