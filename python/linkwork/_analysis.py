"""Questions about a mechanism that are more than a run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._errors import InputError
from ._model import Mechanism, Model, loads

Target = float | Sequence[float] | tuple[str, float, float] | str
"""What a quantity should be in a pose: a number, a place, ``("in", low, high)``, or a text such as ``"30 deg"`` or ``"in [0, 90] deg"``."""


@dataclass(frozen=True)
class Comparison:
    """A mechanism in every formulation that applies."""

    agrees: bool
    """Whether they agree within what their tolerances allow."""
    verdict: str
    """What they say, for people."""
    reference: str
    """The formulation that the others are compared with."""
    formulations: list[dict[str, Any]] = field(repr=False)
    """Each with its status and how far it is from the reference."""
    data: dict[str, Any] = field(repr=False)
    """All that ``linkwork compare --format json`` prints."""


def compare(mechanism: Mechanism | Model) -> Comparison:
    """Runs a mechanism in every formulation that applies and says by how much they differ.

    >>> import linkwork as lw
    >>> lw.compare(lw.examples["pendulum"].assemble(duration=1)).agrees
    True
    """
    if isinstance(mechanism, Model):
        mechanism = mechanism.assemble()
    data = json.loads(_native.compare(mechanism._native))
    return Comparison(data["agrees"], data["verdict"], data["reference"], data["formulations"], data)


def _joints(data: Mapping[str, Any]) -> dict[str, float]:
    """Coordinates of joints by name, as in ``joint.A.q`` and ``joint.A.q2``."""
    number = {joint["joint"]: 0 for joint in data["joints"]}
    found = {}
    for joint in data["joints"]:
        number[joint["joint"]] += 1
        suffix = "" if number[joint["joint"]] == 1 else str(number[joint["joint"]])
        found[f"joint.{joint['joint']}.q{suffix}"] = float(joint["after"])
    return found


@dataclass(frozen=True)
class Equilibrium:
    """Where a mechanism rests: `Mechanism.equilibrium`."""

    stability: str
    """``"stable"``, ``"neutral"``, ``"unstable"``, or ``"held"`` where nothing can move."""
    unstable: list[dict[str, Any]]
    """Directions in which it leaves the place: what moves most, and ``omega_squared``, 1/s²."""
    free: list[dict[str, Any]]
    """Directions that nothing resists."""
    joints: dict[str, float]
    """Coordinates of the joints there, such as ``joints["joint.A.q"]``."""
    moved: dict[str, NDArray[np.float64]]
    """Where points are that have moved, m."""
    residual: float
    """The largest force that is left over, N."""
    model: Model | None = field(repr=False)
    """The model that begins there; `None` where no model file can say so."""
    data: dict[str, Any] = field(repr=False)
    """All that ``linkwork equilibrium --format json`` prints, reactions too."""

    @classmethod
    def _of(cls, found: tuple[str, str | None]) -> Equilibrium:
        data = json.loads(found[0])
        moved = {point["point"]: np.array(point["after"]) for point in data["moved"]}
        model = None if found[1] is None else loads(found[1])
        return cls(data["stability"], data["unstable"], data["free"], _joints(data), moved, data["residual"], model, data)


@dataclass(frozen=True)
class SteadyMotion:
    """A motion whose rates stay as they are: `Mechanism.steady_motion`."""

    joints: dict[str, float]
    """Coordinates of the joints, such as ``joints["joint.arm.q"]``."""
    held: dict[str, float]
    """Rates that are held."""
    forces: dict[str, float | None]
    """What keeps each of them, N or N m; `None` where it is not known."""
    travelling: dict[str, float]
    """Rates that go on and on while nothing depends on their positions, such as the speed of a driven shaft."""
    residual: float
    """The largest acceleration that is left."""
    data: dict[str, Any] = field(repr=False)
    """All that ``linkwork equilibrium --steady --format json`` prints."""

    @classmethod
    def _of(cls, found: str) -> SteadyMotion:
        data = json.loads(found)
        held = {rate["rate"]: float(rate["value"]) for rate in data["held"]}
        forces = {rate["rate"]: rate["force"] for rate in data["held"]}
        travelling = {rate["rate"]: float(rate["value"]) for rate in data["travelling"]}
        return cls(_joints(data), held, forces, travelling, data["residual"], data)


@dataclass(frozen=True)
class LinearSystem:
    """A mechanism near one of its states, x' = A x + B u, y = C x + D u: `Mechanism.linearize`."""

    A: NDArray[np.float64] = field(repr=False)
    """States by states."""
    B: NDArray[np.float64] = field(repr=False)
    """States by inputs."""
    C: NDArray[np.float64] = field(repr=False)
    """Outputs by states."""
    D: NDArray[np.float64] = field(repr=False)
    """Outputs by inputs."""
    states: list[str]
    """Names of the states, such as ``"joint.A.q"`` and ``"joint.A.v"``."""
    inputs: list[str]
    """Names of the inputs."""
    outputs: list[str]
    """Names of the outputs."""
    units: dict[str, str] = field(repr=False)
    """Units of all three."""
    t: float
    """The time of the state, s."""
    remarks: list[str]
    """What to know about these numbers: motion that is not steady, forces that are not smooth."""
    data: dict[str, Any] = field(repr=False)
    """All that ``linkwork linearize --format json`` prints."""

    @classmethod
    def _of(cls, found: str) -> LinearSystem:
        data = json.loads(found)
        states, inputs, outputs = ([str(quantity["name"]) for quantity in data[part]] for part in ("states", "inputs", "outputs"))
        units = {str(quantity["name"]): str(quantity["unit"]) for part in ("states", "inputs", "outputs") for quantity in data[part]}

        def matrix(name: str, rows: list[str], columns: list[str]) -> NDArray[np.float64]:
            return np.array(data[name], dtype=np.float64).reshape(len(rows), len(columns))

        a, b = matrix("A", states, states), matrix("B", states, inputs)
        c, d = matrix("C", outputs, states), matrix("D", outputs, inputs)
        return cls(a, b, c, d, states, inputs, outputs, units, data["t"], data["remarks"], data)

    def to_control(self) -> Any:
        """The same as a ``control.StateSpace`` of the package python-control, with all names; that package takes no dots in them, so ``joint.A.q`` is ``joint_A_q``."""
        states, inputs, outputs = ([name.replace(".", "_") for name in names] for names in (self.states, self.inputs, self.outputs))
        return import_module("control").ss(self.A, self.B, self.C, self.D, states=states, inputs=inputs, outputs=outputs)


@dataclass(frozen=True)
class Mode:
    """An eigenmode."""

    eigenvalue: complex
    """λ, 1/s."""
    kind: str
    """``"oscillating"``, ``"settling"``, ``"unstable"`` or ``"free"``."""
    frequency: float | None
    """Of the oscillation, Hz."""
    damping_ratio: float | None
    """Damping in parts of the critical one."""
    time_constant: float | None
    """Time in which it falls, or grows, by e, s."""
    bodies: dict[str, float] = field(repr=False)
    """Share of each body in the kinetic energy."""
    joints: dict[str, float] = field(repr=False)
    """Amplitude of each coordinate of a joint, the largest being one."""
    shape: NDArray[np.complex128] = field(repr=False)
    """The states."""


@dataclass(frozen=True)
class Modes:
    """The eigenmodes of a mechanism near a state, a sequence of `Mode`: `Mechanism.modes`."""

    modes: list[Mode]
    """The modes; of a pair of conjugate eigenvalues the one with a positive imaginary part."""
    states: Sequence[str]
    """Names of the states."""
    zeros: int
    """How many eigenvalues are zero: free motions."""
    remarks: Sequence[str]
    """What to know about these numbers."""

    @classmethod
    def _of(cls, found: str) -> Modes:
        data = json.loads(found)

        def mode(said: dict[str, Any]) -> Mode:
            parts = {part: {one["name"]: one["size"] for one in said[part]} for part in ("bodies", "joints")}
            shape = np.array([complex(*z) for z in said["shape"]])
            frequency, damping, time = (said[key] for key in ("frequency", "damping_ratio", "time_constant"))
            return Mode(complex(*said["eigenvalue"]), said["kind"], frequency, damping, time, parts["bodies"], parts["joints"], shape)

        states = [state["name"] for state in data["states"]]
        return cls([mode(said) for said in data["modes"]], states, data["zeros"], data["remarks"])

    @property
    def eigenvalues(self) -> NDArray[np.complex128]:
        """λ of all modes, 1/s."""
        return np.array([mode.eigenvalue for mode in self.modes], dtype=np.complex128)

    def __len__(self) -> int:
        return len(self.modes)

    def __getitem__(self, index: int) -> Mode:
        return self.modes[index]

    def __iter__(self) -> Iterator[Mode]:
        return iter(self.modes)


@dataclass(frozen=True)
class Pose:
    """Where a mechanism stands: `Mechanism.pose` and `Mechanism.poses`."""

    reached: bool
    """Whether all targets are met; if not, it is the nearest pose."""
    points: dict[str, NDArray[np.float64]]
    """Where the points are, m."""
    joints: dict[str, list[float]]
    """Coordinates of the joints."""
    targets: list[dict[str, Any]] = field(repr=False)
    """What was wanted, what it is, and how far off."""
    data: dict[str, Any] = field(repr=False)
    """All that ``linkwork pose --format json`` prints of it."""

    @classmethod
    def _of(cls, data: dict[str, Any]) -> Pose:
        points = {name: np.array(place) for name, place in data["points"].items()}
        return cls(data["reached"], points, data["joints"], data["targets"], data)


@dataclass(frozen=True)
class Inverse:
    """Forces that actuators need for a motion: `Mechanism.inverse`."""

    t: NDArray[np.float64] = field(repr=False)
    """Times, s."""
    forces: dict[str, NDArray[np.float64]] = field(repr=False)
    """Force or torque of each actuator at the times."""
    coordinates: dict[str, NDArray[np.float64]] = field(repr=False)
    """Coordinate of each actuator."""
    rates: dict[str, NDArray[np.float64]] = field(repr=False)
    """Rate of that coordinate."""
    units: dict[str, str]
    """``"N"`` or ``"N m"``."""
    multiplicity: int
    """In how many directions the actuators could share the work otherwise; 0: the forces are unique."""
    residual: tuple[float, float, str] | None
    """What no actuator supplies, with ``residuals=True``: the largest force, when, and along which rate."""

    @classmethod
    def _of(cls, found: _native.InverseData) -> Inverse:
        units = {name: unit for name, unit, *_ in found.supplies}
        forces = {name: force for name, _, force, _, _ in found.supplies}
        coordinates = {name: coordinate for name, _, _, coordinate, _ in found.supplies}
        rates = {name: rate for name, _, _, _, rate in found.supplies}
        return cls(found.t, forces, coordinates, rates, units, found.multiplicity, found.residual)

    @property
    def powers(self) -> dict[str, NDArray[np.float64]]:
        """Power of each actuator at the times, W."""
        return {name: force * self.rates[name] for name, force in self.forces.items()}


def equilibrium(mechanism: Mechanism, at: float) -> Equilibrium:
    return Equilibrium._of(_native.equilibrium(mechanism._native, float(at)))


def steady_motion(mechanism: Mechanism, at: float, hold: Mapping[str, float]) -> SteadyMotion:
    return SteadyMotion._of(_native.steady_motion(mechanism._native, float(at), [(name, float(value)) for name, value in hold.items()]))


def linearize(mechanism: Mechanism, at: float | str, inputs: Sequence[str] | None, outputs: Sequence[str] | None, formulation: str | None) -> LinearSystem:
    given, wanted = (None if names is None else list(names) for names in (inputs, outputs))
    return LinearSystem._of(_native.linearize(mechanism._native, _place(at), given, wanted, formulation))


def modes(mechanism: Mechanism, at: float | str, formulation: str | None) -> Modes:
    return Modes._of(_native.modes(mechanism._native, _place(at), formulation))


def poses(mechanism: Mechanism, targets: Mapping[str, Target], weights: Mapping[str, float], find_all: bool, starts: int, seed: int, at: float) -> list[Pose]:
    unknown = set(weights) - set(targets)
    if unknown:
        raise InputError(f"there is a weight for {', '.join(sorted(unknown))}, and no target")
    texts = [(_target(quantity, wanted), float(weights.get(quantity, 1.0))) for quantity, wanted in targets.items()]
    data = json.loads(_native.poses(mechanism._native, texts, find_all, starts, seed, float(at)))
    return [Pose._of(pose) for pose in data["poses"]]


def inverse(
    mechanism: Mechanism,
    t: ArrayLike,
    motion: Mapping[str, ArrayLike],
    cutoff: float | None,
    actuators: Sequence[str] | None,
    weights: Mapping[str, float],
    residuals: bool,
) -> Inverse:
    times = np.ascontiguousarray(t, dtype=np.float64)
    coordinates = [(name, np.ascontiguousarray(values, dtype=np.float64)) for name, values in motion.items()]
    if times.ndim != 1 or any(values.ndim != 1 for _, values in coordinates):
        raise InputError("times and coordinates of a motion have one dimension")
    named = None if actuators is None else list(actuators)
    shares = [(name, float(weight)) for name, weight in weights.items()]
    return Inverse._of(_native.inverse(mechanism._native, times, coordinates, cutoff, named, shares, residuals))


def _place(at: float | str) -> str:
    return at if isinstance(at, str) else repr(float(at))


def _target(quantity: str, wanted: Target) -> str:
    if isinstance(wanted, str):
        return f"{quantity} {wanted}" if wanted.startswith("in ") else f"{quantity} = {wanted}"
    if isinstance(wanted, tuple) and len(wanted) == 3 and wanted[0] == "in":
        return f"{quantity} in [{float(wanted[1])!r}, {float(wanted[2])!r}]"
    values = np.asarray(wanted, dtype=np.float64)
    if values.ndim == 0:
        return f"{quantity} = {float(values)!r}"
    return f"{quantity} = [{', '.join(repr(float(x)) for x in values)}]"
