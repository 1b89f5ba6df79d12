"""Linkwork simulates mechanisms: linkages, robots, vehicles, ropes, contacts.

>>> import linkwork as lw
>>> run = lw.examples["double-pendulum"].assemble().simulate(duration=2)
>>> run.position("C").shape
(101, 2)

`load` and `loads` read models, `Model.planar` and `Model.spatial` build them. A `Model` is assembled into a `Mechanism`, which simulates whole
runs (`Mechanism.simulate`), is stepped (`Mechanism.simulation`), and runs in thousands of variants (`Batch`). Every exception is an `Error`.
"""

from importlib import import_module as _import_module
from importlib.metadata import PackageNotFoundError as _Missing
from importlib.metadata import version as _version
from types import ModuleType as _Module

from ._analysis import Comparison, Equilibrium, Inverse, LinearSystem, Mode, Modes, Pose, SteadyMotion, compare
from ._batch import Batch, BatchResult, Simulations
from ._errors import DerivativeError, Error, Fault, FileError, InputError, InternalError, MissingFileError, ModelError, RunFailure
from ._model import Mechanism, Model, examples, load, loads
from ._optimize import Evaluation, FitResult, Objective, OptimizeResult, fit, optimize
from ._run import Event, Picture, Reaction, Run, Summary
from ._sensitivity import Agreement, Sensitivity, sensitivity
from ._simulation import Simulation, State
from ._sweep import SweepFolder, SweepStatus, sweep

try:
    __version__ = _version("linkwork")
except _Missing:  # a checkout that is on the path and was not installed
    __version__ = "0"

def __getattr__(name: str) -> _Module:
    if name == "gym":  # gymnasium takes a while to import, and many have no use for it
        return _import_module("linkwork.gym")
    raise AttributeError(f"module 'linkwork' has no attribute {name!r}")


__all__ = [
    "Agreement",
    "Batch",
    "BatchResult",
    "Comparison",
    "DerivativeError",
    "Equilibrium",
    "Error",
    "Evaluation",
    "Event",
    "Fault",
    "FileError",
    "FitResult",
    "InputError",
    "InternalError",
    "Inverse",
    "LinearSystem",
    "Mechanism",
    "MissingFileError",
    "Mode",
    "Model",
    "ModelError",
    "Modes",
    "Objective",
    "OptimizeResult",
    "Picture",
    "Pose",
    "Reaction",
    "Run",
    "RunFailure",
    "Sensitivity",
    "Simulation",
    "Simulations",
    "State",
    "SteadyMotion",
    "Summary",
    "SweepFolder",
    "SweepStatus",
    "compare",
    "examples",
    "fit",
    "gym",
    "load",
    "loads",
    "optimize",
    "sensitivity",
    "sweep",
]
