"""
The engine, as the package `linkwork` uses it.
"""

from _typeshed import Incomplete, SupportsGetItem, SupportsLenAndGetItem
from os import PathLike
from typing import Any, SupportsFloat, SupportsIndex, final

__all__ = ["BatchData", "InverseData", "Mechanism", "Model", "Objective", "Port", "RunData", "Saved", "Simulation", "Sweep", "advance_all", "batch_start", "command", "compare", "equilibrium", "examples", "film", "fit", "imported", "inverse", "linearize", "measured", "modes", "optimize", "picture", "plan_values", "plot", "poses", "report", "results_csv", "run_batch", "schema", "sensitivity", "simulate", "steady_motion", "sweep_indices", "sweep_merge", "sweep_page", "sweep_status", "variables", "with_values"]

@final
class BatchData:
    """
    What a batch has left; variants come first in the arrays.
    """
    @property
    def columns(self, /) -> list[str]:
        """
        Names of the columns that were kept.
        """
    @property
    def errors(self, /) -> list[tuple[int, str, str]]:
        """
        Variant, code and message of what went wrong.
        """
    @property
    def in_lanes(self, /) -> int:
        """
        How many variants went through the registers side by side.
        """
    @property
    def last(self, /) -> Incomplete:
        """
        The last row of each variant; what has no row has no number (NaN).
        """
    @property
    def least(self, /) -> Incomplete | None:
        """
        Least and largest values over each run, if they were kept.
        """
    @property
    def most(self, /) -> Incomplete | None: ...
    @property
    def rows(self, /) -> Incomplete | None:
        """
        All rows, if they were kept; shorter runs are filled with NaN.
        """
    @property
    def status(self, /) -> Incomplete: ...
    @property
    def t(self, /) -> Incomplete:
        """
        When each run ended, s, and its status: 0 finished, 1 failed, 2 refused.
        """

@final
class InverseData:
    """
    What inverse dynamics has found.
    """
    @property
    def condition(self, /) -> tuple[float, float]:
        """
        The largest condition number on the way, and when.
        """
    @property
    def multiplicity(self, /) -> int:
        """
        How many ways there are to share the forces, less one.
        """
    @property
    def residual(self, /) -> tuple[float, float, str] | None:
        """
        What no actuator supplies: its size, time and rate.
        """
    @property
    def supplies(self, /) -> list[tuple[str, str, Incomplete, Incomplete, Incomplete]]:
        """
        Name and unit of each actuator, its forces, coordinates and rates.
        """
    @property
    def t(self, /) -> Incomplete:
        """
        Times, s.
        """

@final
class Mechanism:
    """
    A compiled mechanism.
    """
    def accept(self, /) -> None:
        """
        Refuses the mechanism if formulation or integrator cannot run it.
        """
    def columns(self, /) -> tuple[list[str], list[str]]:
        """
        Names and units of the result columns.
        """
    def json(self, /) -> str:
        """
        What the mechanism is, as JSON.
        """
    @property
    def settings(self, /) -> tuple[float, float, float]:
        """
        Duration, output step and tolerance.
        """
    def text(self, /) -> str:
        """
        What the mechanism is, for people.
        """

@final
class Model:
    """
    A model that has been read.
    """
    def __new__(cls, /, file: str, text: SupportsGetItem[int, SupportsIndex], parameters: SupportsGetItem[int, tuple[str, SupportsFloat | SupportsIndex]]) -> Model:
        """
        Reads a model from the contents of a file.
        """
    def assemble(self, /, *, duration: SupportsFloat | SupportsIndex | None = None, output_step: SupportsFloat | SupportsIndex | None = None, tolerance: SupportsFloat | SupportsIndex | None = None, step: SupportsFloat | SupportsIndex | None = None, formulation: str | None = None, integrator: str | None = None, inputs: SupportsGetItem[int, tuple[str, SupportsFloat | SupportsIndex]] = ...) -> Mechanism:
        """
        Checks and compiles the model, with other values for some settings and inputs.
        """
    @property
    def inputs(self, /) -> list[str]:
        """
        The names of the inputs.
        """
    @property
    def name(self, /) -> str:
        """
        The name of the model.
        """
    @property
    def settings(self, /) -> tuple[float, float, float]:
        """
        Duration, output step and tolerance.
        """
    def to_toml(self, /) -> str:
        """
        The model as a TOML file.
        """

@final
class Objective:
    """
    The numbers of an optimisation, for optimisers of others.
    """
    def __new__(cls, /, model: Model, given: tuple[SupportsGetItem[int, tuple[str, str]], SupportsGetItem[int, tuple[str, SupportsFloat | SupportsIndex]], str | None], jobs: SupportsIndex) -> Objective:
        """
        What the section `[optimize]` of a model says.
        """
    def constraints(self, /) -> list[tuple[str, str, bool]]:
        """
        Name, text and whether it is an equation, of each constraint.
        """
    def evaluate(self, /, x: SupportsGetItem[int, SupportsFloat | SupportsIndex], derivatives: bool) -> tuple[float, list[float], list[float], list[list[float]], list[float], list[list[float]], str | None]:
        """
        The numbers at values of the variables.
        """
    def text_with(self, /, x: SupportsGetItem[int, SupportsFloat | SupportsIndex]) -> str:
        """
        The model at values of the variables, as a file.
        """
    def variables(self, /) -> list[tuple[str, str, float, float, float]]:
        """
        Name, unit, value in the file, least and largest value of each variable.
        """

@final
class Port:
    """
    Arrays of inputs and outputs that a simulation reads and writes when it is advanced.
    """
    def __new__(cls, /, simulation: Simulation, inputs: SupportsGetItem[int, str], outputs: SupportsGetItem[int, str], u: Any | None = None, y: Any | None = None) -> Port:
        """
        Inputs and forces by name, and result columns; with arrays to be read and written, such as rows of larger ones, or new ones.
        """
    def advance(self, /, dt: SupportsFloat | SupportsIndex) -> str:
        """
        As `advance_to`, for so many seconds. Equal steps, one after the other, end at multiples of their length.
        """
    def advance_to(self, /, t: SupportsFloat | SupportsIndex) -> str:
        """
        Sets the inputs, goes on to a time, s, and reads the outputs.
        """
    def read(self, /) -> None:
        """
        Reads the outputs.
        """
    @property
    def u(self, /) -> Incomplete:
        """
        What is set when the simulation is advanced, in the order of the names.
        """
    def values(self, /) -> Incomplete:
        """
        The outputs as they are now, in an array of their own.
        """
    @property
    def y(self, /) -> Incomplete:
        """
        What was read when it had been advanced.
        """

@final
class RunData:
    """
    What a run has left.
    """
    @property
    def events(self, /) -> bytes | None:
        """
        `events.csv`, `motion.lwm`, and tables in long form by their files' names.
        """
    @property
    def failure(self, /) -> Any | None:
        """
        `RunFailure`, if the run failed.
        """
    @property
    def interrupted(self, /) -> Any | None:
        """
        What ended the run early: a signal, or an exception of a callable.
        """
    @property
    def long(self, /) -> list[tuple[str, bytes]]: ...
    @property
    def motion(self, /) -> bytes | None: ...
    @property
    def summary(self, /) -> str:
        """
        The summary, as JSON.
        """
    @property
    def values(self, /) -> Incomplete:
        """
        A row for each column: one piece of memory, which cannot be written to.
        """

@final
class Saved:
    """
    A simulation as it stood.
    """

@final
class Simulation:
    """
    A mechanism in motion.
    """
    def __new__(cls, /, mechanism: Mechanism) -> Simulation:
        """
        A simulation of a mechanism, from its initial state.
        """
    def advance_to(self, /, t: SupportsFloat | SupportsIndex, to_event: bool) -> str:
        """
        Goes on to a time, s: `reached`, `event` or `finished`.
        """
    def events(self, /) -> str:
        """
        What has happened since the last call, as JSON.
        """
    def get(self, /, name: str) -> float:
        """
        The value of an input, or of a force along a coordinate of a joint.
        """
    @property
    def method(self, /) -> tuple[str, str]:
        """
        Formulation and integrator at work.
        """
    @property
    def over(self, /) -> bool:
        """
        Whether the simulation is over.
        """
    def restore(self, /, saved: Saved) -> None:
        """
        Goes back to where it was saved.
        """
    def row(self, /) -> Incomplete:
        """
        All result columns as they are now.
        """
    def save(self, /) -> Saved:
        """
        Keeps the simulation as it stands.
        """
    def set(self, /, name: str, value: SupportsFloat | SupportsIndex) -> None:
        """
        Sets an input, in its unit, or a force along a coordinate of a joint, N or N m, from now on.
        """
    def set_state(self, /, state: str) -> tuple[float, float]:
        """
        Goes to a state, given as JSON; by how much coordinates and rates were moved to meet the constraints.
        """
    def state(self, /) -> str:
        """
        The state, as JSON.
        """
    def step(self, /) -> str:
        """
        One step of the method's own size.
        """
    @property
    def t(self, /) -> float:
        """
        The time, s.
        """
    def wrench(self, /, body: str, force: SupportsLenAndGetItem[SupportsFloat | SupportsIndex], moment: SupportsLenAndGetItem[SupportsFloat | SupportsIndex]) -> None:
        """
        Sets the force at the centre of mass of a body, N, and the moment on it, N m, in world axes.
        """

@final
class Sweep:
    """
    A model file, a plan, and what is kept of each run.
    """
    def __new__(cls, /, file: str, text: SupportsGetItem[int, SupportsIndex], *, set: SupportsGetItem[int, str], sample: str, seed: SupportsIndex, columns: SupportsGetItem[int, str], lockstep: bool = False, duration: SupportsFloat | SupportsIndex | None = None, output_step: SupportsFloat | SupportsIndex | None = None, tolerance: SupportsFloat | SupportsIndex | None = None, step: SupportsFloat | SupportsIndex | None = None, formulation: str | None = None, integrator: str | None = None) -> Sweep:
        """
        Reads model and plan; `set` has texts NAME=VALUES, as the command has them.
        """
    def begin(self, /, folder: str | PathLike[str], part_size: SupportsIndex, resume: bool) -> tuple[int, int]:
        """
        Begins the folder, or opens it where it holds this sweep; how many parts and cases there are.
        """
    def run(self, /, folder: str | PathLike[str], shard: str, *, threads: SupportsIndex = 0, retry_failed: bool = False, progress: Any | None = None) -> tuple[int, int, list[str]]:
        """
        Runs what is missing of a shard of the folder, `2/4` being the second of four: how many cases there are, how many of them did not finish, and what
        was wrong with the first of these.
        """

def advance_all(ports: SupportsGetItem[int, Port], times: SupportsGetItem[int, SupportsFloat | SupportsIndex], threads: SupportsIndex) -> list[Any | None]:
    """
    Advances many ports, each to a time of its own, s, on so many threads (0: all cores); of each what went wrong, or `finished` where its simulation is over.
    """

def batch_start(mechanism: Mechanism) -> tuple[list[float], list[float], list[str], list[str]]:
    """
    Coordinates and rates at the start in the formulation `recursive`, and what each is.
    """

def command(arguments: SupportsGetItem[int, str]) -> int:
    """
    Runs the command with its arguments, the first of which is its name; the exit code.
    """

def compare(mechanism: Mechanism) -> str:
    """
    Runs a mechanism in every formulation that applies; by how much they differ, as JSON.
    """

def equilibrium(mechanism: Mechanism, at: SupportsFloat | SupportsIndex) -> tuple[str, str | None]:
    """
    Static equilibrium with time standing still, as JSON, and the model that begins there, as TOML; nothing where no model file can say so.
    """

def examples() -> list[tuple[str, str, str]]:
    """
    The examples that are built in: name, what it shows, text.
    """

def film(folder: str | PathLike[str], kind: str, *, fps: SupportsFloat | SupportsIndex, speed: SupportsFloat | SupportsIndex, start: SupportsFloat | SupportsIndex | None = None, end: SupportsFloat | SupportsIndex | None = None, size: SupportsLenAndGetItem[SupportsFloat | SupportsIndex] | None = None, traces: SupportsGetItem[int, str] = ..., labels: bool = False, colors: SupportsGetItem[int, str] = ..., enlarge: SupportsFloat | SupportsIndex = 1.0) -> bytes:
    """
    The motion in a folder of results as a moving picture: `gif`, `svg`, or `glb` for 3D programs.
    """

def fit(model: Model, given: tuple[SupportsGetItem[int, tuple[str, str]], SupportsGetItem[int, tuple[str, SupportsFloat | SupportsIndex]], str | None], t: Incomplete, columns: SupportsGetItem[int, tuple[str, str, Incomplete]], *, runs: SupportsIndex = 2000, jobs: SupportsIndex = 0, progress: Any | None = None) -> tuple[str, str, str, Any | None]:
    """
    Finds the values of the variables with which a run gives measurements best: a list of column, quantity and values at the times.
    """

def imported(file: str | PathLike[str]) -> tuple[str, str]:
    """
    A robot of another program as a model file, and what was assumed or changed on the way, a line each.
    """

def inverse(mechanism: Mechanism, t: Incomplete, coordinates: SupportsGetItem[int, tuple[str, Incomplete]], cutoff: SupportsFloat | SupportsIndex | None, actuators: SupportsGetItem[int, str] | None, weights: SupportsGetItem[int, tuple[str, SupportsFloat | SupportsIndex]], residuals: bool) -> InverseData:
    """
    Forces of actuators along a motion: coordinates by name, with their values at the times.
    """

def linearize(mechanism: Mechanism, at: str, inputs: SupportsGetItem[int, str] | None, outputs: SupportsGetItem[int, str] | None, formulation: str | None) -> str:
    """
    A linear system at a state, as JSON.
    """

def measured(file: str | PathLike[str], names: SupportsGetItem[int, str] | None) -> list[tuple[str, list[float]]]:
    """
    The columns of a file with measurements, CSV or Parquet: names, and the values of those that are wanted.
    """

def modes(mechanism: Mechanism, at: str, formulation: str | None) -> str:
    """
    The eigenmodes at a state, as JSON.
    """

def optimize(model: Model, given: tuple[SupportsGetItem[int, tuple[str, str]], SupportsGetItem[int, tuple[str, SupportsFloat | SupportsIndex]], str | None], *, method: str = "auto", runs: SupportsIndex = 2000, seed: SupportsIndex = 1, jobs: SupportsIndex = 0, search_globally: bool = False, progress: Any | None = None) -> tuple[str, str, str, Any | None]:
    """
    Finds the best values of the variables that the section `[optimize]` names.
    """

def long_table(csv: SupportsGetItem[int, SupportsIndex]) -> tuple[list[str], list[tuple[str, Incomplete, list[int], Incomplete]]]:
    """
    A table in long form from its bytes: the names of the numbers, and what its lines belong to.
    """

def picture(folder: str | PathLike[str], at: SupportsFloat | SupportsIndex, *, kind: str = "png", size: SupportsLenAndGetItem[SupportsFloat | SupportsIndex] | None = None, traces: SupportsGetItem[int, str] = ..., labels: bool = False, colors: SupportsGetItem[int, str] = ..., enlarge: SupportsFloat | SupportsIndex = 1.0) -> bytes:
    """
    The motion in a folder of results at an instant: a picture as `svg` or `png`.
    """

def plan_values(file: str, text: SupportsGetItem[int, SupportsIndex], set: SupportsGetItem[int, str], sample: str, seed: SupportsIndex) -> tuple[list[str], Incomplete]:
    """
    The parameters of a plan and their values, a row for each case; `set` has texts NAME=VALUES, as the command has them.
    """

def plot(folders: SupportsGetItem[int, str | PathLike[str]], columns: SupportsGetItem[int, str], *, kind: str = "svg", x: str | None = None, title: str | None = None, start: SupportsFloat | SupportsIndex | None = None, end: SupportsFloat | SupportsIndex | None = None, size: SupportsLenAndGetItem[SupportsFloat | SupportsIndex] | None = None) -> bytes:
    """
    Curves of the columns of folders with results: a picture as `svg` or `png`.
    """

def poses(mechanism: Mechanism, targets: SupportsGetItem[int, tuple[str, SupportsFloat | SupportsIndex]], all: bool, starts: SupportsIndex, seed: SupportsIndex, at: SupportsFloat | SupportsIndex) -> str:
    """
    The pose that meets targets, or all poses that random starts find, as JSON.
    """

def report(folder: str | PathLike[str]) -> str:
    """
    The report page on a folder of results.
    """

def results_csv(names: SupportsGetItem[int, str], values: Incomplete) -> bytes:
    """
    The bytes of `results.csv`: a row of `values` for each name.
    """

def run_batch(mechanism: Mechanism, count: SupportsIndex, *, threads: SupportsIndex = 0, parameters: tuple[SupportsGetItem[int, str], Incomplete] | None = None, inputs: tuple[SupportsGetItem[int, str], Incomplete] | None = None, starts: tuple[Incomplete, Incomplete] | None = None, columns: SupportsGetItem[int, str] | None = None, all_rows: bool = False, extremes: bool = False, lockstep: bool = False, progress: Any | None = None) -> BatchData:
    """
    Runs so many variants of a mechanism; each table has a row for each.
    """

def schema() -> str:
    """
    The JSON schema of model files.
    """

def sensitivity(mechanism: Mechanism, of: SupportsGetItem[int, str], by: SupportsGetItem[int, str], *, method: str = "differences", check: bool = False, threads: SupportsIndex = 0, progress: Any | None = None) -> str:
    """
    Derivatives as JSON, in a way by its name; `check` compares them with those of another.
    """

def simulate(mechanism: Mechanism, *, record: bool = True, progress: Any | None = None, schedule: tuple[SupportsGetItem[int, str], Incomplete, Incomplete] | None = None, controller: Any | None = None, every: SupportsFloat | SupportsIndex = 0.0, reads: SupportsGetItem[int, str] = ..., sets: SupportsGetItem[int, str] = ...) -> RunData:
    """
    Runs a mechanism from the beginning to the end: with a table of inputs (`names`, `times`, and a row of values for each time), or with a controller.
    """

def steady_motion(mechanism: Mechanism, at: SupportsFloat | SupportsIndex, hold: SupportsGetItem[int, tuple[str, SupportsFloat | SupportsIndex]]) -> str:
    """
    A steady motion with rates that are held, as JSON.
    """

def sweep_indices(folder: str | PathLike[str]) -> list[tuple[str, str, float, float]]:
    """
    Sensitivity indices of a folder: column, parameter, first order, total.
    """

def sweep_merge(folder: str | PathLike[str], file: str | PathLike[str]) -> int:
    """
    Writes all cases of a folder into one table; how many there are.
    """

def sweep_page(folder: str | PathLike[str]) -> str:
    """
    The page of a folder: histograms and scatter plots.
    """

def sweep_status(folder: str | PathLike[str]) -> str:
    """
    How far the sweep of a folder is, as JSON.
    """

def variables(mechanism: Mechanism, by: SupportsGetItem[int, str] | None) -> list[tuple[str, float, str]]:
    """
    The numbers of a model by which derivatives can be taken, or those that names mean: name, value and unit.
    """

def with_values(file: str, text: SupportsGetItem[int, SupportsIndex], values: SupportsGetItem[int, tuple[str, str]]) -> tuple[str, str]:
    """
    The contents of a model file with other values for some of its keys, as the command has them behind `--set`: as JSON, with the name that the model has.
    """
