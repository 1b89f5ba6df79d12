"""Derivatives of results by numbers of the model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._errors import DerivativeError, InputError, did_you_mean
from ._model import Mechanism, Model
from ._progress import Progress

if TYPE_CHECKING:
    import pandas

METHODS = ("auto", "differences", "direct", "jets", "adjoint")
"""The ways to take derivatives."""

RUNS = 6
"""So many runs give a derivative by differences; more where they do not agree well."""


@dataclass(frozen=True)
class Agreement:
    """By how much derivatives differ that were taken in two ways."""

    difference: float
    """The largest difference, in parts of the largest derivative of its result, each times its number."""
    of: str
    """The result where it is."""
    by: str
    """The number where it is."""
    ways: tuple[str, str]
    """The ways that were compared."""


@dataclass(frozen=True)
class Sensitivity:
    """Derivatives of results by numbers of the model: ``found["max(joint.A.v)", "l2"]``, or as a matrix, ``found.derivatives``."""

    of: tuple[str, ...]
    """What the derivatives are taken of: the rows."""
    by: tuple[str, ...]
    """The numbers of the model: the columns. ``C`` has become ``C.x``, ``C.y``."""
    derivatives: NDArray[np.float64]
    """Derivatives, in the unit of the result per SI unit of the number."""
    errors: NDArray[np.float64] = field(repr=False)
    """Estimates of their errors; not a number but for ``method="differences"``, which alone has them."""
    values: NDArray[np.float64]
    """The results themselves."""
    at: NDArray[np.float64] = field(repr=False)
    """The values of the numbers, in SI units."""
    units: dict[str, str] = field(repr=False)
    """The units of results and numbers."""
    method: str
    """How the derivatives were taken; never ``"auto"``."""
    runs: int
    """How many runs it took."""
    agreement: Agreement | None = field(repr=False)
    """By how much two ways differ, if ``check`` was set."""
    data: dict[str, Any] = field(repr=False)
    """All that ``linkwork sensitivity --format json`` prints."""

    @classmethod
    def _of(cls, said: str) -> Sensitivity:
        data = json.loads(said)
        by = tuple(str(variable["name"]) for variable in data["variables"])
        results = data["results"]

        def matrix(what: str) -> NDArray[np.float64]:
            rows = [[np.nan if result["by"][name][what] is None else result["by"][name][what] for name in by] for result in results]
            return np.array(rows, dtype=np.float64).reshape(len(results), len(by))

        units = {str(one["name"]): str(one["unit"]) for one in data["variables"]} | {str(one["of"]): str(one["unit"]) for one in results}
        agreement = None
        if "check" in data:
            check = data["check"]
            difference = np.nan if check["difference"] is None else check["difference"]
            one, other = check["ways"]
            agreement = Agreement(float(difference), check["of"], check["by"], (one, other))
        return cls(
            of=tuple(str(result["of"]) for result in results),
            by=by,
            derivatives=matrix("derivative"),
            errors=matrix("error"),
            values=np.array([result["value"] for result in results], dtype=np.float64),
            at=np.array([variable["value"] for variable in data["variables"]], dtype=np.float64),
            units=units,
            method=str(data["method"]),
            runs=int(data["runs"]),
            agreement=agreement,
            data=data,
        )

    def _row(self, of: str) -> int:
        if of not in self.of:
            raise InputError(f"no derivatives were taken of `{of}`{did_you_mean(of, self.of)}")
        return self.of.index(of)

    def _column(self, by: str) -> int:
        if by not in self.by:
            raise InputError(f"no derivatives were taken by `{by}`{did_you_mean(by, self.by)}")
        return self.by.index(by)

    def __getitem__(self, key: tuple[str, str]) -> float:
        """The derivative of a result by a number: ``found[of, by]``."""
        if not isinstance(key, tuple) or len(key) != 2:
            raise InputError(f"write found[of, by], a result and a number, for {key!r}")
        of, by = key
        return float(self.derivatives[self._row(of), self._column(by)])

    def unit(self, of: str, by: str) -> str:
        """The unit of a derivative, such as ``"rad per m"``."""
        self._column(by)
        return str(self.data["results"][self._row(of)]["by"][by]["unit"])

    def to_pandas(self) -> pandas.DataFrame:
        """The derivatives: a row for each result, a column for each number."""
        import pandas

        return pandas.DataFrame(self.derivatives, index=pandas.Index(self.of, name="of"), columns=pandas.Index(self.by, name="by"))


def sensitivity(
    model: Mechanism | Model,
    of: str | Sequence[str],
    by: str | Sequence[str],
    *,
    method: str = "differences",
    check: bool = False,
    threads: int = 0,
    progress: bool = False,
    **settings: Any,
) -> Sensitivity:
    """How much results change when numbers of the model do: derivatives of whole runs, over loops and events.

    ``of`` names results: ``final(COLUMN)`` (or the column alone), ``at(TIME, COLUMN)``, ``max``, ``min``, ``mean``, ``rms`` and ``integral`` of a column, ``before(N, COLUMN)`` and
    ``after(N, COLUMN)`` the N-th event. ``by`` names numbers that stand in the model: a parameter, a point or its coordinate (``C``, ``C.x``), any number by its path
    (``bodies.rocker.mass``), or many (``points.*``); `Mechanism.variables` has them all. ``settings`` are those of `Model.assemble`.

    >>> import linkwork as lw
    >>> found = lw.sensitivity(lw.examples["pendulum"], of=["final(joint.A.q)"], by=["B.x", "bodies.rod.mass"], duration=0.5)
    >>> found.derivatives.shape
    (1, 2)
    >>> abs(found["final(joint.A.q)", "bodies.rod.mass"]) < 1e-9  # whatever its mass
    True

    ``method`` is ``"differences"`` of runs that repeat the steps and events of the nominal one, six for each number, with estimates of errors; ``"direct"``: the derivatives are integrated
    along with the motion; ``"jets"``: power series that carry them, exact to rounding; ``"adjoint"``: back from the results, for many numbers; or ``"auto"``: direct or adjoint, and differences where
    these refuse. ``check`` compares them with those of a second way, and raises a `DerivativeError` if they differ by more than 1e-6. That error, too, says where there is no derivative, because the least
    change makes other events, and where a way refuses. Ctrl-C ends differences between two runs.
    """
    if method not in METHODS:
        raise InputError(f"there is no method {method!r}: write {', '.join(map(repr, METHODS))}")
    mechanism = model.assemble(**settings) if isinstance(model, Model) else model._with(settings, {})
    of, by = ([names] if isinstance(names, str) else list(names) for names in (of, by))
    if not of or not by:
        raise InputError("say of what derivatives are taken, `of`, and by what, `by`")
    found = _native.variables(mechanism._native, by)
    differences = check or method == "differences"
    with Progress(RUNS * len(found), progress, "runs") as bar:
        tell = bar.callback if differences else None
        result = Sensitivity._of(
            _native.sensitivity(mechanism._native, of, by, method=method, check=check, threads=threads, progress=tell),
        )
    if check and not result.data["check"]["agrees"]:
        worst = result.agreement
        assert worst is not None
        raise DerivativeError(f"{' and '.join(worst.ways)} differ by {worst.difference:.1e} of the largest derivative of {worst.of}, by {worst.by}", result)
    return result
