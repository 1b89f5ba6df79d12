"""Optimisation and fitting: the commands ``linkwork optimize`` and ``linkwork fit`` as functions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import Error

_COMMAND = [sys.executable, "-m", "linkwork"]


@dataclass(frozen=True)
class OptimizeResult:
    """What `optimize` found, with the names of ``scipy.optimize.OptimizeResult``."""

    x: NDArray[np.float64]
    """Values of the variables, SI units."""
    fun: float
    """The objective: the number to be minimised, or the sum of the squares of the residuals."""
    jac: NDArray[np.float64]
    """Its derivative by each variable."""
    nfev: int
    """Evaluations, those of differences included."""
    success: bool
    """Whether all constraints hold and the search ended by itself."""
    message: str
    """How it ended."""
    names: tuple[str, ...]
    """The names of the variables."""
    residuals: NDArray[np.float64] = field(repr=False)
    """The residuals of least squares."""
    limits: Mapping[str, float] = field(repr=False)
    """What limits the result, with the change of the objective for one per cent of relief."""
    text: str = field(repr=False)
    """The best model, as the text of a file with its comments kept: ``linkwork.loads(result.text)``."""
    report: str = field(repr=False)
    """The report page, as HTML."""


@dataclass(frozen=True)
class FitResult:
    """What `fit` found."""

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
    """The fitted model, as the text of a file with its comments kept."""
    report: str = field(repr=False)
    """The report page, as HTML."""


def optimize(
    file: str | os.PathLike[str],
    *,
    method: str = "auto",
    runs: int = 2000,
    seed: int = 1,
    jobs: int = 0,
    search_globally: bool = False,
) -> OptimizeResult:
    """Finds the best values for numbers of a model file, as its section ``[optimize]`` says.

    ``method`` is auto, least-squares, sqp or evolution; ``runs`` bounds the evaluations; ``search_globally`` starts from random points of the whole ranges. The same
    ``seed`` gives the same result, whatever ``jobs``, the number of threads.
    """
    options = ["--method", method, "--runs", str(runs), "--seed", str(seed), "--jobs", str(jobs)]
    if search_globally:
        options.append("--global")
    found, text, report = _run("optimize", file, options)
    return OptimizeResult(
        x=_numbers([variable["after"] for variable in found["variables"]]),
        fun=_number(found["objective"]),
        jac=_numbers(found["gradient"]),
        nfev=found["evaluations"],
        success=found["status"] == "found",
        message=found["message"],
        names=tuple(variable["name"] for variable in found["variables"]),
        residuals=_numbers(found["residuals"]),
        limits={limit["what"]: _number(limit["per_cent"]) for limit in found["limits"]},
        text=text,
        report=report,
    )


def fit(
    file: str | os.PathLike[str],
    data: str | os.PathLike[str],
    columns: Mapping[str, str] | None = None,
    *,
    time: str = "t",
    runs: int = 2000,
    jobs: int = 0,
) -> FitResult:
    """Finds the variables of a model file with which a run gives measurements best.

    ``data`` is a CSV or Parquet file with times in the column ``time``; ``columns`` says which quantity each of its columns measures, as ``{"angle": "joint.A.q"}``.
    """
    options = ["--data", os.fspath(data), "--time", time, "--runs", str(runs), "--jobs", str(jobs)]
    for column, quantity in (columns or {}).items():
        options += ["--map", f"{column}={quantity}"]
    found, text, report = _run("fit", file, options)
    estimates = found["estimates"]
    return FitResult(
        x=_numbers([one["value"] for one in estimates]),
        standard_errors=_numbers([one["standard_error"] for one in estimates]),
        intervals=np.array([[_number(x) for x in one["interval"]] for one in estimates]),
        correlation=np.array([[_number(x) for x in row] for row in found["correlation"]]),
        nfev=found["evaluations"],
        success=found["status"] == "found",
        message=found["message"],
        names=tuple(one["name"] for one in estimates),
        text=text,
        report=report,
    )


def _run(verb: str, file: str | os.PathLike[str], options: list[str]) -> tuple[dict[str, Any], str, str]:
    """Runs a verb; its summary, the model that it wrote, and its page."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "found"
        command = [*_COMMAND, verb, os.fspath(file), *options, "-o", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        summary = folder / "summary.json"
        if not summary.exists():
            raise Error(done.stderr.strip() or f"`linkwork {verb}` ended with exit code {done.returncode}")
        best = next(folder.glob("best.*"))
        page = (folder / "report.html").read_text(encoding="utf-8")
        return json.loads(summary.read_text(encoding="utf-8")), best.read_text(encoding="utf-8"), page


def _number(x: float | None) -> float:
    return float("nan") if x is None else float(x)


def _numbers(list_of: list[float | None]) -> NDArray[np.float64]:
    return np.array([_number(x) for x in list_of], dtype=np.float64)
