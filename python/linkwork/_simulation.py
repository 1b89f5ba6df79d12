"""Simulations that are stepped: controllers, games, co-simulation."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._errors import InputError, did_you_mean
from ._run import Array, Event

if TYPE_CHECKING:
    from ._model import Mechanism


@dataclass(frozen=True)
class State:
    """A state of a mechanism as plain data, in the coordinates of one formulation."""

    t: float
    """Time, s."""
    formulation: str
    q: Array
    """Coordinates, SI units."""
    u: Array
    """Rates, SI units; angular velocities in world axes."""
    auxiliary: Array
    """Counted turns, places on curves, inputs, the model's own states."""
    work: float
    """Work done so far by all that has no potential, J."""
    data: dict[str, Any] = field(repr=False, compare=False)
    """All of it, as JSON has it: joints, locks, limits and contacts too."""

    @classmethod
    def _of(cls, text: str) -> State:
        data = json.loads(text)
        q, u, auxiliary = (np.array(data[name], dtype=np.float64) for name in ("coordinates", "rates", "auxiliary"))
        return cls(data["t"], data["formulation"], q, u, auxiliary, data["work"], data)

    def replace(self, *, q: ArrayLike | None = None, u: ArrayLike | None = None, t: float | None = None) -> State:
        """The state with other coordinates, rates or time."""

        def as_array(values: ArrayLike | None, default: Array) -> Array:
            return default if values is None else np.array(values, dtype=np.float64)

        time = self.t if t is None else float(t)
        return dataclasses.replace(self, q=as_array(q, self.q), u=as_array(u, self.u), t=time)

    def _text(self) -> str:
        data = self.data | {"t": self.t, "work": self.work, "formulation": self.formulation}
        data |= {"coordinates": self.q.tolist(), "rates": self.u.tolist(), "auxiliary": self.auxiliary.tolist()}
        return json.dumps(data)


@dataclass(frozen=True)
class Moved:
    """How far a projection onto the constraints moved a state."""

    coordinates: float
    """The largest change of a coordinate, m or rad."""
    rates: float
    """The largest change of a rate, m/s or rad/s."""


class Settable(MutableMapping[str, float]):
    """What can be set while a simulation runs, by name."""

    def __init__(self, simulation: _native.Simulation, prefix: str, names: Sequence[str]) -> None:
        self._simulation, self._prefix, self._names = simulation, prefix, list(names)

    def __getitem__(self, name: str) -> float:
        return self._simulation.get(self._prefix + name)

    def __setitem__(self, name: str, value: float) -> None:
        self._simulation.set(self._prefix + name, float(value))

    def __delitem__(self, name: str) -> None:
        raise InputError("an input cannot be taken away; set it to zero")

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr({name: self[name] for name in self})


class Simulation:
    """A mechanism in motion, which the caller advances.

    >>> import linkwork as lw
    >>> mechanism = lw.examples["pendulum"].assemble(duration=10)
    >>> with mechanism.simulation() as simulation:
    ...     while simulation.t < 1:
    ...         simulation.forces["A"] = -2.0 * simulation["joint.A.v"]
    ...         _ = simulation.advance(0.01)
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self._native = _native.Simulation(mechanism._native)
        self._readers: dict[tuple[str, ...], _native.Port] = {}
        self.inputs: MutableMapping[str, float] = Settable(self._native, "input.", mechanism.inputs)
        """The inputs of the model, in their units. Setting one holds from now on."""
        self.forces: MutableMapping[str, float] = Settable(self._native, "joint.", mechanism.joints)
        """Forces (N) or torques (N m) along the coordinates of joints: ``forces["A"]``, ``forces["A.q2"]``. No result column shows them; their work counts."""

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        return None

    def __repr__(self) -> str:
        return f"<Simulation of {self.mechanism.name!r} at t = {self.t:g} s>"

    @property
    def t(self) -> float:
        """The time, s."""
        return self._native.t

    @property
    def over(self) -> bool:
        """Whether it has come to its end: to the duration, or by a condition."""
        return self._native.over

    @property
    def formulation(self) -> str:
        """The formulation at work."""
        return self._native.method[0]

    @property
    def integrator(self) -> str:
        """The integrator at work."""
        return self._native.method[1]

    def advance(self, dt: float) -> str:
        """Goes on for so many seconds: ``reached``, or ``finished`` where the simulation ends."""
        return self._native.advance_to(self._native.t + dt, False)

    def advance_to(self, t: float, *, to_event: bool = False) -> str:
        """Goes on to a time, s, and ends exactly there; with ``to_event`` where something happens before, and then says ``event``."""
        return self._native.advance_to(t, to_event)

    def step(self) -> str:
        """Makes one step of the method's own size: ``reached``, ``event`` or ``finished``."""
        return self._native.step()

    @property
    def y(self) -> Array:
        """All result columns as they are now, in the order of ``mechanism.columns``."""
        row: Array = self._native.row()
        return row

    def __getitem__(self, column: str) -> float:
        return float(self.read((column,))[0])

    def read(self, columns: Sequence[str]) -> Array:
        """Some result columns as they are now: nothing else is worked out. Angles and paths of joints, and their rates, cost least."""
        names = (columns,) if isinstance(columns, str) else tuple(columns)
        reader = self._readers.get(names)
        if reader is None:
            reader = self._readers[names] = self._open((), names)
        values: Array = reader.values()
        return values

    def port(self, inputs: Sequence[str] = (), outputs: Sequence[str] = ()) -> Port:
        """Arrays of inputs and outputs for control loops: the fastest way to step.

        Inputs are named as in ``inputs``, or ``joint.A`` for a force along a coordinate; outputs are result columns.
        """
        return Port(self._open(inputs, outputs))

    def _open(self, inputs: Sequence[str], outputs: Sequence[str]) -> _native.Port:
        known = self.mechanism.columns
        missing = next((name for name in outputs if name not in known), None)
        if missing is not None:
            raise InputError(f"there is no result column `{missing}`{did_you_mean(missing, known)}")
        return _native.Port(self._native, list(inputs), list(outputs))

    def wrench(self, body: str, force: Sequence[float] = (0, 0, 0), moment: Sequence[float] | float = (0, 0, 0)) -> None:
        """Sets a force (N) at the centre of mass of a body and a moment (N m) on it, world axes, from now on. In the plane a force has two components and a moment is a number."""
        moments = [0.0, 0.0, float(moment)] if isinstance(moment, int | float) else [float(m) for m in moment]
        forces = [float(f) for f in force]
        self._native.wrench(body, forces + [0.0] * (3 - len(forces)), moments)

    @property
    def state(self) -> State:
        """The state, as plain data."""
        return State._of(self._native.state())

    def set_state(self, state: State | None = None, *, q: ArrayLike | None = None, u: ArrayLike | None = None) -> Moved:
        """Goes to a state: one that was read, or the present one with other coordinates and rates. It is projected onto the constraints."""
        state = (state or self.state).replace(q=q, u=u)
        return Moved(*self._native.set_state(state._text()))

    def save(self) -> _native.Saved:
        """The simulation as it stands, for `restore`."""
        return self._native.save()

    def restore(self, saved: _native.Saved) -> None:
        """Goes back to where it was saved. What follows has the same bits."""
        self._native.restore(saved)

    def events(self) -> list[Event]:
        """What has happened since the last call."""
        return [Event._of(event) for event in json.loads(self._native.events())]


class Port:
    """Arrays of inputs and outputs: write to ``u``, call `advance`, read ``y``."""

    __slots__ = ("_native", "advance", "advance_to", "read", "u", "y")

    def __init__(self, native: _native.Port) -> None:
        self._native = native
        self.u: NDArray[np.float64] = native.u
        """What is set when the simulation is advanced, in the order of the names."""
        self.y: NDArray[np.float64] = native.y
        """What was read when it had been advanced."""
        self.advance = native.advance
        """Sets the inputs, goes on for so many seconds, and reads the outputs."""
        self.advance_to = native.advance_to
        """Sets the inputs, goes on to a time, s, and reads the outputs."""
        self.read = native.read
        """Reads the outputs."""



