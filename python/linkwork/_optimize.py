"""Optimisation and fitting of mechanisms."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._errors import InputError, did_you_mean
from ._model import Mechanism, Model, Number, _document, _keep, load
from ._progress import Progress
from ._toml import toml

if TYPE_CHECKING:
    import pandas

Values = Number | Sequence[Number]
"""A number, or one for each coordinate of a point."""
Range = tuple[Values, Values] | Mapping[str, Values]
"""How far a variable may change: its least and its largest value, or ``{"within": "20 mm"}``."""

STATUS = {"converged": 0, "spent": 1, "violated": 2, "impossible": 3, "interrupted": 4}


class _Fields:
    """Attributes as the keys of a dictionary, as results of SciPy have them."""

    def __getitem__(self, key: str) -> Any:
        if key not in self.keys():
            raise KeyError(key)
        return getattr(self, key)

    def __contains__(self, key: object) -> bool:
        return key in self.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def keys(self) -> list[str]:
        """The names of the attributes."""
        return [one.name for one in fields(self)]  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class OptimizeResult(_Fields):
    """What `optimize` found, with the names of ``scipy.optimize.OptimizeResult``; attributes are keys, too: ``found["x"]``."""

    x: NDArray[np.float64]
    """Values of the variables, SI units."""
    fun: float
    """The objective: the number to be minimised, or the sum of the squares of the residuals."""
    jac: NDArray[np.float64]
    """Its derivative by each variable."""
    nfev: int
    """Evaluations, those of differences included."""
    nit: int
    """Points that the solvers tried; those of differences are not among them."""
    success: bool
    """Whether all constraints hold and the search ended by itself."""
    status: int
    """Why it ended: 0 it converged, 1 the evaluations are spent, 2 not all constraints can be kept, 3 the mechanism cannot do what is asked, 4 it was interrupted."""
    message: str
    """How it ended, in words."""
    names: tuple[str, ...]
    """The names of the variables."""
    residuals: NDArray[np.float64] = field(repr=False)
    """The residuals of least squares."""
    constraints: Mapping[str, bool] = field(repr=False)
    """Which constraints hold."""
    limits: Mapping[str, float] = field(repr=False)
    """What limits the result, with the change of the objective for one per cent of relief."""
    text: str = field(repr=False)
    """The best model, as the text of a file: ``linkwork.loads(result.text)``. Comments are kept, unless settings or inputs were given that the model does not say."""
    report: str = field(repr=False)
    """The report page, as HTML."""
    data: dict[str, Any] = field(repr=False)
    """All that ``linkwork optimize --format json`` prints."""


@dataclass(frozen=True, eq=False)
class FitResult(_Fields):
    """What `fit` found; attributes are keys, too: ``found["x"]``."""

    x: NDArray[np.float64]
    """The estimates, SI units."""
    standard_errors: NDArray[np.float64]
    """Their standard errors; not a number where the data do not tell."""
    intervals: NDArray[np.float64]
    """Their 95 % confidence intervals, a row for each."""
    correlation: NDArray[np.float64]
    """Their correlations."""
    nfev: int
    """Evaluations, those of differences included."""
    success: bool
    """Whether the data tell all parameters and the search ended by itself."""
    message: str
    """How it ended."""
    names: tuple[str, ...]
    """The names of the parameters."""
    text: str = field(repr=False)
    """The fitted model, as the text of a file: ``linkwork.loads(result.text)``. Comments are kept, unless settings or inputs were given that the model does not say."""
    report: str = field(repr=False)
    """The report page, as HTML."""
    data: dict[str, Any] = field(repr=False)
    """All that ``linkwork fit --format json`` prints."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What an `Objective` computes at one point."""

    fun: float
    """The objective; infinite where the mechanism cannot do what is asked."""
    jac: NDArray[np.float64]
    """Its derivative by each variable, SI units; not a number where there is none."""
    residuals: NDArray[np.float64]
    """The residuals of least squares."""
    jacobian: NDArray[np.float64]
    """Their derivatives: a row for each residual, a column for each variable."""
    constraints: dict[str, float]
    """By how much the sides of each constraint differ, in parts of their size: not above zero where an inequality holds, zero where an equation holds."""
    constraint_jac: dict[str, NDArray[np.float64]]
    """Their derivatives by each variable."""
    message: str
    """Why there is no objective; empty if there is one."""


class Objective:
    """What the section ``[optimize]`` asks for, as a function for optimisers of other packages: ``f, gradient = objective(x)``.

    >>> import linkwork as lw
    >>> mechanism = lw.examples["straight-line"].assemble()
    >>> objective = mechanism.objective()
    >>> f, gradient = objective(objective.x0)
    >>> f > 0 and len(gradient) == len(objective.names)
    True

    Where the mechanism cannot be assembled or stops on its way, the objective is infinite. Values outside the bounds are refused.
    """

    def __init__(self, model: Mechanism | Model | str | os.PathLike[str], keywords: Mapping[str, Any], settings: Mapping[str, Any], jobs: int) -> None:
        self._made_of = (model, dict(keywords), dict(settings), jobs)
        said, given = _given(model, keywords, settings)
        self._native = _native.Objective(said._native, given, jobs)
        variables = self._native.variables()
        self._constraints = self._native.constraints()
        self._last: tuple[bytes, Evaluation] | None = None
        #: The names of the variables.
        self.names = tuple(name for name, *_ in variables)
        #: Their units, as words of SI.
        self.units = {name: unit for name, unit, *_ in variables}
        #: Their values in the model.
        self.x0: NDArray[np.float64] = np.array([x for _, _, x, _, _ in variables], dtype=np.float64)
        #: Their least and largest values, as ``scipy.optimize.minimize`` takes them.
        self.bounds = [(low, high) for *_, low, high in variables]

    def __reduce__(self) -> tuple[Any, ...]:
        return Objective, self._made_of

    def __repr__(self) -> str:
        return f"<Objective of {', '.join(self.names)}>"

    def __call__(self, x: ArrayLike) -> tuple[float, NDArray[np.float64]]:
        """The objective and its gradient: ``scipy.optimize.minimize(objective, objective.x0, jac=True, bounds=objective.bounds)``."""
        found = self.evaluate(x)
        return found.fun, found.jac

    def value(self, x: ArrayLike) -> float:
        """The objective alone, without derivatives."""
        f, *_ = self._native.evaluate(_list(x), False)
        return math.inf if math.isnan(f) else f

    def evaluate(self, x: ArrayLike) -> Evaluation:
        """Objective, residuals and constraints with their derivatives: exact where the mechanism is a planar linkage over kinematics, by differences else. The last point is remembered."""
        values = _list(x)
        key = np.array(values).tobytes()
        if self._last is not None and self._last[0] == key:
            return self._last[1]
        f, gradient, residuals, jacobian, constraints, gradients, why = self._native.evaluate(values, True)
        n, names = len(self.names), [name for name, _, _ in self._constraints]
        nothing = np.full(n, np.nan)
        found = Evaluation(
            fun=math.inf if math.isnan(f) else f,
            jac=np.array(gradient, dtype=np.float64) if gradient else nothing,
            residuals=np.array(residuals, dtype=np.float64),
            jacobian=np.array(jacobian, dtype=np.float64).reshape(-1, n),
            constraints=dict(zip(names, constraints, strict=True)),
            constraint_jac={name: np.array(gradients[k], dtype=np.float64) if gradients else nothing for k, name in enumerate(names)},
            message=why or "",
        )
        self._last = (key, found)
        return found

    @property
    def constraints(self) -> list[dict[str, Any]]:
        """The constraints as ``scipy.optimize.minimize`` takes them for SLSQP."""

        def of(name: str, is_equation: bool) -> dict[str, Any]:
            sign = 1.0 if is_equation else -1.0
            return {
                "type": "eq" if is_equation else "ineq",
                "fun": lambda x: sign * self.evaluate(x).constraints[name],
                "jac": lambda x: sign * self.evaluate(x).constraint_jac[name],
            }

        return [of(name, is_equation) for name, _, is_equation in self._constraints]

    def text(self, x: ArrayLike) -> str:
        """The model at values of the variables, as the text of a file."""
        return self._native.text_with(_list(x))


def optimize(
    model: Mechanism | Model | str | os.PathLike[str],
    *,
    minimize: str | None = None,
    residuals: str | Sequence[str] | None = None,
    variables: Mapping[str, Range] | None = None,
    constraints: Mapping[str, str] | Sequence[str] | None = None,
    paths: Mapping[str, Any] | None = None,
    over: str | None = None,
    method: str = "auto",
    runs: int = 2000,
    seed: int = 1,
    jobs: int = 0,
    search_globally: bool = False,
    progress: bool = False,
    **settings: Any,
) -> OptimizeResult:
    """Finds the best values for numbers of a model, as its section ``[optimize]`` says, or as it is said here.

    ``minimize`` is a number of a motion, such as ``"max(abs(joint.A.v))"``, ``residuals`` are several whose squares become small; ``variables`` says how far numbers of the model may
    change, ``constraints`` what must hold, ``over`` whether it is ``"kinematics"``, a ``"run"`` or an ``"equilibrium"``. What is given takes the place of that key of the section. ``settings`` are
    those of `Model.assemble`.

    >>> import linkwork as lw
    >>> found = lw.optimize(lw.examples["pendulum"], over="equilibrium", residuals="final(point.B.y) + 25 cm", variables={"B.x": ("10 cm", "50 cm")}, jobs=1)
    >>> round(found.x[0], 6)
    0.25

    ``method`` is auto, least-squares, sqp or evolution; ``runs`` bounds the evaluations; ``search_globally`` starts from random points of the whole ranges. The same ``seed`` gives the same
    result, whatever ``jobs``, the number of threads. Ctrl-C ends the search with `KeyboardInterrupt` after the evaluations under way; its attribute ``result`` is the best so far.
    """
    keywords = _keywords(minimize, residuals, variables, constraints, paths, over)
    said, given = _given(model, keywords, settings)
    with Progress(runs, progress, "evaluations") as bar:
        summary, text, report, error = _native.optimize(
            said._native, given, method=method, runs=runs, seed=seed, jobs=jobs, search_globally=search_globally, progress=bar.callback
        )
    data = json.loads(summary)
    found = OptimizeResult(
        x=_numbers([variable["after"] for variable in data["variables"]]),
        fun=_number(data["objective"]),
        jac=_numbers(data["gradient"]),
        nfev=data["evaluations"],
        nit=data["points"],
        success=data["status"] == "found",
        status=STATUS[data["end"]],
        message=data["message"],
        names=tuple(variable["name"] for variable in data["variables"]),
        residuals=_numbers(data["residuals"]),
        constraints={one["name"]: one["holds"] for one in data["constraints"]},
        limits={limit["what"]: _number(limit["per_cent"]) for limit in data["limits"]},
        text=text,
        report=report,
        data=data,
    )
    if error is not None:
        _keep(error, "result", found)
        raise error
    return found


def fit(
    model: Mechanism | Model | str | os.PathLike[str],
    data: str | os.PathLike[str] | Mapping[str, ArrayLike] | pandas.DataFrame,
    columns: Mapping[str, str] | None = None,
    *,
    variables: Mapping[str, Range] | None = None,
    time: str = "t",
    runs: int = 2000,
    jobs: int = 0,
    progress: bool = False,
    **settings: Any,
) -> FitResult:
    """Finds the values of variables with which a run gives measurements best, with 95 % confidence intervals.

    ``data`` has times in the column ``time`` and measurements in others: arrays by name, a table of pandas, or a CSV or Parquet file. ``columns`` says which quantity each of its columns
    measures, as ``{"angle": "joint.A.q"}``; without it every column is named for its quantity. What is not a number was not measured. ``variables`` are those of the section ``[optimize]``, unless
    they are given: see `optimize`, also for Ctrl-C.

    >>> import linkwork as lw, numpy as np
    >>> t = np.linspace(0.05, 1, 20)
    >>> y = -0.5 * 9.81 * t**2 + 1e-4 * np.sin(9 * t)
    >>> fall = lw.Model.planar("fall", gravity=[0, "-g"]).parameter("g", 9).point("B", [0, 0]).body("mass", ["B"], mass=1, com="B", inertia=1)
    >>> found = lw.fit(fall.settings(duration=1), {"t": t, "y": y}, {"y": "point.B.y"}, variables={"g": (1, 20)}, jobs=1)
    >>> bool(found.intervals[0, 0] < 9.81 < found.intervals[0, 1])
    True
    """
    keywords = {} if variables is None else {"variables": _ranges(variables)}
    said, given = _given(model, keywords, settings)
    t, measured = _measured(data, columns, time)
    with Progress(runs, progress, "evaluations") as bar:
        summary, text, report, error = _native.fit(said._native, given, t, measured, runs=runs, jobs=jobs, progress=bar.callback)
    told = json.loads(summary)
    estimates = told["estimates"]
    found = FitResult(
        x=_numbers([one["value"] for one in estimates]),
        standard_errors=_numbers([one["standard_error"] for one in estimates]),
        intervals=np.array([[_number(x) for x in one["interval"]] for one in estimates]),
        correlation=np.array([[_number(x) for x in row] for row in told["correlation"]]),
        nfev=told["evaluations"],
        success=told["status"] == "found",
        message=told["message"],
        names=tuple(one["name"] for one in estimates),
        text=text,
        report=report,
        data=told,
    )
    if error is not None:
        _keep(error, "result", found)
        raise error
    return found


Given = tuple[list[tuple[str, str]], list[tuple[str, float]], str | None]
SETTINGS = ("duration", "output_step", "tolerance", "step", "formulation", "integrator")


def _given(model: Mechanism | Model | str | os.PathLike[str], keywords: Mapping[str, Any], settings: Mapping[str, Any]) -> tuple[Model, Given]:
    """A model, and what is given along with it: settings, inputs, and the section ``[optimize]`` as TOML."""
    overrides: dict[str, Any] = {}
    inputs: dict[str, float] = {}
    if isinstance(model, Mechanism):
        said, overrides, inputs = model._model, dict(model._overrides), dict(model._inputs)
    else:
        said = model if isinstance(model, Model) else load(model)
    for key, value in settings.items():
        if key == "inputs":
            inputs |= {name: float(x) for name, x in (value or {}).items()}
        elif key not in SETTINGS:
            raise InputError(f"there is no setting `{key}`{did_you_mean(key, [*SETTINGS, 'inputs'])}")
        elif value is not None:
            overrides[key] = value
    values = [(f"simulation.{key}", value if isinstance(value, str) else repr(float(value))) for key, value in overrides.items()]
    for name in inputs:
        if name not in said.inputs:
            raise InputError(f"the model has no input `{name}`{did_you_mean(name, said.inputs)}")
    return said, (values, list(inputs.items()), _section(said, keywords))


def _section(model: Model, keywords: Mapping[str, Any]) -> str | None:
    """The section ``[optimize]`` of a model in which keywords have taken the place of its keys; nothing if there are none."""
    if not keywords:
        return None
    document = model._document if model._document is not None else _document(model._contents())
    section = dict(document.get("optimize", {}))
    if "minimize" in keywords or "residuals" in keywords:
        section.pop("minimize", None)
        section.pop("residuals", None)
    return toml(section | dict(keywords))


def _keywords(
    minimize: str | None,
    residuals: str | Sequence[str] | None,
    variables: Mapping[str, Range] | None,
    constraints: Mapping[str, str] | Sequence[str] | None,
    paths: Mapping[str, Any] | None,
    over: str | None,
) -> dict[str, Any]:
    """Keys of the section ``[optimize]``."""
    if minimize is not None and residuals is not None:
        raise InputError("give either `minimize` or `residuals`")
    if isinstance(constraints, str):
        constraints = [constraints]
    if constraints is not None and not isinstance(constraints, Mapping):
        constraints = {f"constraint_{k + 1}": text for k, text in enumerate(constraints)}
    if paths is not None:
        paths = {name: path if isinstance(path, Mapping) else {"points": path} for name, path in paths.items()}
    given = {
        "minimize": minimize,
        "residuals": [residuals] if isinstance(residuals, str) else residuals,
        "variables": None if variables is None else _ranges(variables),
        "constraints": constraints,
        "paths": paths,
        "over": over,
    }
    return {key: value for key, value in given.items() if value is not None}


def _ranges(variables: Mapping[str, Range]) -> dict[str, Any]:
    """Ranges as the file has them."""
    ranges: dict[str, Any] = {}
    for name, given in variables.items():
        if isinstance(given, Mapping):
            ranges[name] = {key.removesuffix("_"): value for key, value in given.items()}
        elif isinstance(given, str) or not isinstance(given, Sequence) or len(given) != 2:
            raise InputError(f"the range of `{name}` is {given!r}: give its least and its largest value, or {{'within': ...}}")
        else:
            ranges[name] = {"from": given[0], "to": given[1]}
    return ranges


def _measured(
    data: str | os.PathLike[str] | Mapping[str, ArrayLike] | pandas.DataFrame, columns: Mapping[str, str] | None, time: str
) -> tuple[NDArray[np.float64], list[tuple[str, str, NDArray[np.float64]]]]:
    """Times, and column, quantity and values of what was measured."""
    table: dict[str, ArrayLike]
    if isinstance(data, str | os.PathLike):
        table = dict(_native.measured(Path(data), None if columns is None else [time, *columns]))
    else:
        table = {str(name): data[name] for name in data.keys()}  # noqa: SIM118 - a table of pandas iterates otherwise
    if time not in table:
        raise InputError(f"the data have no column `{time}` of times{did_you_mean(time, table)}: name it with `time`")
    if columns is None:
        columns = {name: name for name in table if name != time}
    for name in columns:
        if name not in table:
            raise InputError(f"the data have no column `{name}`{did_you_mean(name, table)}")

    def array(name: str) -> NDArray[np.float64]:
        try:
            values = np.ascontiguousarray(table[name], dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(f"the column `{name}` has values that are no numbers") from None
        if values.ndim != 1:
            raise InputError(f"the column `{name}` is no list of numbers: it has {values.ndim} dimensions")
        return values

    return array(time), [(name, quantity, array(name)) for name, quantity in columns.items()]


def _list(x: ArrayLike) -> list[float]:
    values: list[float] = np.atleast_1d(np.asarray(x, dtype=np.float64)).tolist()
    return values


def _number(x: float | None) -> float:
    return float("nan") if x is None else float(x)


def _numbers(list_of: list[float | None]) -> NDArray[np.float64]:
    return np.array([_number(x) for x in list_of], dtype=np.float64)
