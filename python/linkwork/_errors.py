"""Exceptions of the package; the engine calls the functions below to make them."""

from __future__ import annotations

import difflib
import errno
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._run import Run
    from ._sensitivity import Sensitivity


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a model, or a warning about it."""

    path: str
    """The item, as the model file spells it: ``bodies.coupler.mass``."""
    message: str
    help: str | None = None
    """What to do about it."""
    file: str | None = None
    line: int | None = None
    """Counted from 1."""
    column: int | None = None
    severity: str = "error"
    """``error`` or ``warning``."""
    code: str | None = None
    """A short name of the kind of warning, which ``linkwork explain`` knows."""

    def __str__(self) -> str:
        place = "" if self.file is None else f"{self.file}:{self.line}:{self.column}: "
        advice = "" if self.help is None else f" (help: {self.help})"
        return f"{place}{self.path}: {self.message}{advice}" if self.path else f"{place}{self.message}{advice}"


def faults_of(listed: Sequence[dict[str, Any]]) -> tuple[Fault, ...]:
    """Faults as the engine writes them in JSON. A model that was built in Python has no file."""
    faults = []
    for fault in listed:
        built = "<python>" in str(fault["file"])
        place: dict[str, Any] = {key: None if built else fault[key] for key in ("file", "line", "column")}
        said = {key: fault[key] for key in ("path", "message", "help", "severity", "code")}
        faults.append(Fault(**said, **place))
    return tuple(faults)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Names near one that is not there, as the end of a message."""
    near = difflib.get_close_matches(name, list(known), 3)
    return f"; did you mean {' or '.join(f'`{name}`' for name in near)}?" if near else ""


class Error(Exception):
    """Every exception of this package is one."""


class ModelError(Error):
    """A model has faults: all of them, each with its place."""

    faults: tuple[Fault, ...]

    def __init__(self, message: str, faults: tuple[Fault, ...] = ()) -> None:
        super().__init__(message, faults)
        self.faults = faults

    def __str__(self) -> str:
        return str(self.args[0])


class RunFailure(Error):
    """A motion cannot go on. What there is up to there is good."""

    code: str
    """A short name of the reason, which ``linkwork explain`` knows."""
    t: float
    """When, s."""
    message: str
    advice: str
    """What to do about it."""
    run: Run | None
    """The run up to there; ``None`` for a simulation that is stepped."""

    def __init__(self, code: str, t: float, message: str, advice: str, run: Run | None = None) -> None:
        super().__init__(code, t, message, advice, run)
        self.code, self.t, self.message, self.advice, self.run = code, t, message, advice, run

    def __str__(self) -> str:
        advice = f"; {self.advice}" if self.advice else ""
        return f"the run failed at t = {self.t:.6g} s: {self.message}{advice} [{self.code}]"


class InputError(Error, ValueError):
    """Something was asked for that cannot be: a name that is not there, a value that is not a number, a time in the past."""


class DerivativeError(Error, ArithmeticError):
    """There is no derivative, or it is not known well: the least change makes other events, or two ways to compute it differ."""

    result: Sensitivity | None
    """What was found, where two ways differ."""

    def __init__(self, message: str, result: Sensitivity | None = None) -> None:
        super().__init__(message, result)
        self.result = result

    def __str__(self) -> str:
        return str(self.args[0])


class FileError(Error, OSError):
    """A file cannot be read or written."""


class MissingFileError(FileError, FileNotFoundError):
    """A file is not there."""


class InternalError(Error):
    """A fault of Linkwork itself. Please report it."""


def model_error(text: str, faults: str) -> ModelError:
    listed = faults_of(json.loads(faults))
    if listed and all(fault.file is None for fault in listed):
        text = "\n".join(f"{fault.severity}: {fault}" for fault in listed)
    return ModelError(text, listed)


def run_failure(code: str, t: float, message: str, advice: str) -> RunFailure:
    return RunFailure(code, t, message, advice)


def input_error(message: str) -> InputError:
    return InputError(message)


def derivative_error(message: str) -> DerivativeError:
    return DerivativeError(message)


def file_error(file: str, message: str, number: int | None) -> FileError:
    kind = MissingFileError if number == errno.ENOENT else FileError
    return kind(number, message, file) if number is not None else kind(f"{file}: {message}")


def internal_error(message: str) -> InternalError:
    return InternalError(f"a fault of Linkwork itself, please report it: {message}")
