"""Models, what they are made of, and mechanisms."""

from __future__ import annotations

import copy
import json
import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from . import _native
from ._errors import Fault, InputError, did_you_mean, faults_of
from ._progress import Progress

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from ._analysis import Equilibrium, Inverse, LinearSystem, Modes, Pose, SteadyMotion, Target
    from ._optimize import FitResult, Objective, OptimizeResult, Range
    from ._run import Controller, Run
    from ._sensitivity import Sensitivity
    from ._simulation import Simulation

Number = float | str
"""A number in SI units, or a text with a unit or an expression, as in a model file: ``"30 mm"``, ``"2 * l"``."""

MOST_ROWS = 1_000_000
"""Rows that a simulation without rows may seem to have."""

BUILT = "<python>"
"""The name of models that no file holds."""


def _plain(value: Any) -> Any:
    """Numbers and arrays of NumPy, paths and tuples as JSON has them."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise InputError(f"{value!r} cannot stand in a model: give numbers, texts, lists and dictionaries")


def _document(text: bytes) -> dict[str, Any]:
    """The contents of a model file that the engine has read already."""
    said = text.decode("utf-8-sig")
    document: dict[str, Any] = json.loads(said) if said.lstrip().startswith("{") else tomllib.loads(said)
    return document


def _keys(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Keys as the file spells them: ``from_`` is ``from``; what is ``None`` is left out."""
    return {key.removesuffix("_"): value for key, value in keys.items() if value is not None}


class Model:
    """A mechanism as its author describes it: what a model file holds.

    It comes from a file (`load`), from a text (`loads`), or is built here. The builder has a method for each section of the model file, with
    the keys of the model file's reference (docs/model-file.md); numbers are in SI units, and texts may have units and expressions as
    in the file. Each method changes the model and returns it.

    >>> import linkwork as lw
    >>> model = (
    ...     lw.Model.planar("pendulum")
    ...     .point("A", [0, 0])
    ...     .point("B", ["300 mm", 0])
    ...     .ground(["A"])
    ...     .body("rod", ["A", "B"], mass="200 g")
    ... )
    >>> model.assemble().dof
    1
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        """A model from the contents of a model file as dictionaries: ``{"format": 1, "points": {...}, ...}``."""
        self._document: dict[str, Any] | None = copy.deepcopy(dict(document))
        self._file, self._text = BUILT, b""
        self._parameters: dict[str, float] = {}
        self._read: _native.Model | None = None

    @classmethod
    def _of(cls, file: str, text: bytes, parameters: Mapping[str, float]) -> Model:
        """A model from a text."""
        model = cls.__new__(cls)
        model._document, model._file, model._text = None, file, bytes(text)
        model._parameters = {name: float(value) for name, value in parameters.items()}
        model._read = None
        model._native  # faults are raised now
        return model

    @classmethod
    def planar(cls, name: str, *, gravity: str | Sequence[Number] = "-y") -> Model:
        """An empty model in the plane: x to the right, y up."""
        return cls({"format": 1, "model": {"name": name, "dimension": 2, "gravity": gravity}})

    @classmethod
    def spatial(cls, name: str, *, gravity: str | Sequence[Number] = "-z") -> Model:
        """An empty model in space: z up."""
        return cls({"format": 1, "model": {"name": name, "dimension": 3, "gravity": gravity}})

    # what it is read from

    @property
    def _native(self) -> _native.Model:
        if self._read is None:
            given = list(self._parameters.items())
            self._read = _native.Model(self._file, self._contents(), given)
        return self._read

    def _contents(self) -> bytes:
        if self._document is None:
            return self._text
        try:
            return json.dumps(self._document, default=_plain, allow_nan=False, indent=1).encode()
        except ValueError as error:
            raise InputError(f"a number of the model is not finite: {error}") from None

    @property
    def document(self) -> dict[str, Any]:
        """The model as dictionaries, as the file has them. Changes of it change the model."""
        self._read = None
        if self._document is None:
            self._document = _document(self._text)
            folder = os.path.dirname(self._file)
            # files that it names stand beside the file it came from
            self._file = os.path.join(folder, BUILT + ".json") if folder else BUILT
        return self._document

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._native.name

    @property
    def inputs(self) -> list[str]:
        """The names of its inputs."""
        return self._native.inputs

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters that were given in place of those of the file."""
        return dict(self._parameters)

    def with_parameters(self, **parameters: float) -> Model:
        """The same model with other values for some of its ``[parameters]``.

        >>> import linkwork as lw
        >>> longer = lw.examples["double-pendulum"].with_parameters(l2=0.9)
        """
        other = self.copy()
        other._parameters |= {name: float(value) for name, value in parameters.items()}
        other._read = None
        other._native  # faults are raised now
        return other

    def copy(self) -> Model:
        """A copy, which changes by itself."""
        return copy.deepcopy(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Model:
        other = type(self).__new__(type(self))
        other.__setstate__(copy.deepcopy(self.__getstate__(), memo))
        return other

    def __copy__(self) -> Model:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_read": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self._parameters.items())
        where = "" if BUILT in self._file else f" from {self._file!r}"
        return f"<Model {self.name!r}{where}{given}>"

    def to_toml(self) -> str:
        """The model as a model file, which gives it back when it is read."""
        return self._native.to_toml()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model as a model file."""
        Path(path).write_text(self.to_toml(), encoding="utf-8")

    # what it becomes

    def assemble(
        self,
        *,
        duration: float | None = None,
        output_step: float | None = None,
        tolerance: float | None = None,
        step: float | None = None,
        formulation: str | None = None,
        integrator: str | None = None,
        inputs: Mapping[str, float] | None = None,
    ) -> Mechanism:
        """Checks and compiles the model; all faults are raised at once as a `ModelError`. Settings that are given replace those of the model."""
        given = {
            "duration": duration,
            "output_step": output_step,
            "tolerance": tolerance,
            "step": step,
            "formulation": formulation,
            "integrator": integrator,
        }
        overrides = {key: value for key, value in given.items() if value is not None}
        return Mechanism(self.copy(), overrides, dict(inputs or {}))

    def simulate(self, **options: Any) -> Run:
        """Assembles and simulates in one: `Mechanism.simulate` has the options."""
        return self.assemble().simulate(**options)

    def optimize(self, **options: Any) -> OptimizeResult:
        """Finds the best values for numbers of the model, also where it cannot be assembled as it stands: the function `optimize` says more."""
        from ._optimize import optimize

        return optimize(self, **options)

    def check(self) -> dict[str, Any]:
        """What the model is and what is doubtful about it: `Mechanism.check`. What is wrong with it is raised as a `ModelError`."""
        return self.assemble().check()

    # sections

    def set(self, path: str, value: Any) -> Model:
        """Sets one value, named by its path: ``model.set("bodies.crank.mass", 2)``."""
        *tables, key = path.split(".")
        place: Any = self.document
        for table in tables:
            place = place.setdefault(table, {})
            if not isinstance(place, dict):
                raise InputError(f"`{path}`: `{table}` is not a table")
        place[key] = value
        return self

    def add(self, section: str, name: str, value: Any) -> Model:
        """Adds an item to a section, under a name that it does not have yet."""
        items = self.document.setdefault(section, {})
        if not isinstance(items, dict):
            raise InputError(f"`{section}` is not a table")
        if name in items:
            raise InputError(f"`{section}.{name}` is there already; `set` changes it")
        items[name] = value
        return self

    def _add(self, section: str, name: str, keys: Mapping[str, Any]) -> Model:
        return self.add(section, name, _keys(keys))

    def parameter(self, name: str, value: Number) -> Model:
        """Names a value that expressions may use."""
        return self.add("parameters", name, value)

    def gravity(self, gravity: str | Sequence[Number]) -> Model:
        """Sets the acceleration of free fall, m/s²: a vector, ``"-y"``, ``"-z"`` or ``"none"``."""
        return self.set("model.gravity", gravity)

    def point(self, name: str, position: Sequence[Number]) -> Model:
        """Names a point of the mechanism as drawn, m."""
        return self.add("points", name, position)

    def points(self, **positions: Sequence[Number]) -> Model:
        """Names several points."""
        for name, position in positions.items():
            self.point(name, position)
        return self

    def ground(self, points: Sequence[str]) -> Model:
        """Says which points never move."""
        ground = self.document.setdefault("bodies", {}).setdefault("ground", {"points": []})
        ground["points"] = [*ground["points"], *points]
        return self

    def body(self, name: str, points: Sequence[str], **keys: Any) -> Model:
        """Adds a rigid body that holds points: ``mass``, ``shape``, ``com``, ``inertia``, ..."""
        return self._add("bodies", name, {"points": list(points), **keys})

    def joint(self, name: str, type: str, **keys: Any) -> Model:
        """Adds a joint that is more than a point shared by two bodies: ``bodies``, ``at``, ``axis``, ..."""
        return self._add("joints", name, {"type": type, **keys})

    def spring(self, name: str, **keys: Any) -> Model:
        """Adds a spring with damper between two points: ``between``, ``stiffness``, ``damping``, ``free_length``, ..."""
        return self._add("springs", name, keys)

    def torsion_spring(self, name: str, **keys: Any) -> Model:
        """Adds a torsion spring: ``joint`` or ``bodies``, ``stiffness``, ``damping``, ``free_angle``, ..."""
        return self._add("torsion_springs", name, keys)

    def bushing(self, name: str, **keys: Any) -> Model:
        """Adds an elastic bearing: ``bodies``, ``at``, ``stiffness``, ``damping``, ..."""
        return self._add("bushings", name, keys)

    def force(self, name: str, **keys: Any) -> Model:
        """Adds a force: ``body``, ``at``, ``force``, ``axes``."""
        return self._add("forces", name, keys)

    def couple(self, name: str, **keys: Any) -> Model:
        """Adds a couple: ``body``, ``moment``, ``axes``."""
        return self._add("couples", name, keys)

    def actuator(self, name: str, **keys: Any) -> Model:
        """Adds an actuator: ``joint``, ``between`` or ``body``, and ``force``, ``torque`` or ``controller``."""
        return self._add("actuators", name, keys)

    def motor(self, name: str, **keys: Any) -> Model:
        """Adds a motor: ``joint``, ``stall_torque``, ``no_load_speed``, ``gear``, ..."""
        return self._add("motors", name, keys)

    def drag(self, name: str, **keys: Any) -> Model:
        """Adds the drag of the air on a body."""
        return self._add("drags", name, keys)

    def thruster(self, name: str, **keys: Any) -> Model:
        """Adds a jet that pushes a body."""
        return self._add("thrusters", name, keys)

    def cable(self, name: str, **keys: Any) -> Model:
        """Adds a rope over pulleys: ``through``, ``pulleys``, ``stiffness`` or ``inextensible``, ..."""
        return self._add("cables", name, keys)

    def tyre(self, name: str, **keys: Any) -> Model:
        """Adds a wheel on the road."""
        return self._add("tyres", name, keys)

    def beam(self, name: str, **keys: Any) -> Model:
        """Adds an elastic beam: ``from_``, ``to``, ``section``, ``material``, ``clamp``, ``elements``, ..."""
        return self._add("beams", name, keys)

    def chain(self, name: str, **keys: Any) -> Model:
        """Adds a chain or rope with mass: ``from_``, ``to``, ``segments``, ``mass_per_length``, ..."""
        return self._add("chains", name, keys)

    def modal_body(self, name: str, **keys: Any) -> Model:
        """Adds a deformable body from finite elements: ``stiffness``, ``mass``, ``nodes``, ``interface``, ``modes``, ... The files are read where ``folder`` of the model says."""
        return self._add("modal_bodies", name, keys)

    def table(self, name: str, **keys: Any) -> Model:
        """Adds a curve that expressions call by its name: ``x`` and ``y``, or ``points``, or ``file``."""
        return self._add("tables", name, keys)

    def measure(self, name: str, value: Number, unit: str | None = None) -> Model:
        """Names a quantity that is computed during the run: an expression."""
        return self.add("measures", name, value if unit is None else {"value": value, "unit": unit})

    def input(self, name: str, default: Number = 0, **keys: Any) -> Model:
        """Adds a number that is set from outside while the mechanism moves: ``unit``, ``limits``, ``between``, ``filter``."""
        return self._add("inputs", name, {"default": default, **keys})

    def state(self, name: str, **keys: Any) -> Model:
        """Adds a number with a differential equation of its own: ``rate``, ``initial``, ..."""
        return self._add("states", name, keys)

    def coupling(self, name: str, **keys: Any) -> Model:
        """Couples coordinates of joints: ``joints``, ``ratio``, ..."""
        return self._add("couplings", name, keys)

    def driver(self, name: str, **keys: Any) -> Model:
        """Prescribes a motion: ``joint`` or ``point`` and ``component``, and ``value``, a function of the time ``t``."""
        return self._add("drivers", name, keys)

    def lock(self, name: str, **keys: Any) -> Model:
        """Locks a coordinate of a joint: ``joint``, ``from_``, ``until``, ``when``, ``release``."""
        return self._add("locks", name, keys)

    def impulse(self, name: str, **keys: Any) -> Model:
        """Adds a blow at a time: ``at``, ``point`` or ``body``, ``impulse``, ..."""
        return self._add("impulses", name, keys)

    def surface(self, name: str, type: str, **keys: Any) -> Model:
        """Adds a surface that contacts speak of."""
        return self._add("surfaces", name, {"type": type, **keys})

    def contact(self, name: str, **keys: Any) -> Model:
        """Lets surfaces touch each other: ``between`` or ``among``, ``friction``, ``restitution``."""
        return self._add("contacts", name, keys)

    def change(self, name: str, **keys: Any) -> Model:
        """Changes what the mechanism consists of while it runs: ``at`` or ``when``, and ``detach``, ``attach``, ``add``, ``remove``, ``cut``."""
        return self._add("changes", name, keys)

    def initial(
        self,
        *,
        joints: Mapping[str, Any] | None = None,
        velocities: Mapping[str, Sequence[Number]] | None = None,
        angular_velocities: Mapping[str, Any] | None = None,
    ) -> Model:
        """Sets initial coordinates of joints, velocities of points and angular velocities of bodies; the rest follows from the constraints."""
        given = {"joints": joints, "velocities": velocities, "angular_velocities": angular_velocities}
        for key, values in given.items():
            if values is not None:
                self.document.setdefault("initial", {}).setdefault(key, {}).update(values)
        return self

    def settings(self, **keys: Any) -> Model:
        """Sets how the model is simulated: ``duration``, ``output_step``, ``tolerance``, ``formulation``, ``integrator``, ``stop``, ..."""
        self.document.setdefault("simulation", {}).update(_keys(keys))
        return self

    def view(self, **keys: Any) -> Model:
        """Sets what pictures and pages show at first: ``camera``, ``azimuth``, ``elevation``, ``follow``, ``traces``, ``plots``, ``labels``, ``floor``."""
        self.document.setdefault("view", {}).update(_keys(keys))
        return self

    def look(self, name: str, **keys: Any) -> Model:
        """Says what a body looks like, apart from its mass: ``body``, ``file`` of a mesh, or ``type`` with its sizes, ``at``, ``color``, ..."""
        return self._add("looks", name, keys)

    def optimization(self, **keys: Any) -> Model:
        """Says what may change and what for: ``minimize`` or ``residuals``, ``over``, ``variables``, ``constraints``, ``paths``. Without ``minimize`` and ``residuals`` the variables are for `fit`."""
        self.document.setdefault("optimize", {}).update(_keys(keys))
        return self


#: Endings of the files of other programs.
FOREIGN = (".urdf", ".sdf", ".world", ".xml", ".mjcf")


def load(path: str | os.PathLike[str], *, set: Mapping[str, Any] | None = None, **parameters: float) -> Model:
    """Reads a model file, TOML or JSON, with other values for some of its ``[parameters]``; or a robot of another program (URDF, SDF), by its ending.

    ``set`` has other values for any keys, as ``linkwork run --set``: ``{"bodies.rod.mass": "2 kg", "C.x": 0.1, "simulation.integrator": "rk4"}``. What had to be assumed or changed of a robot
    is a warning."""
    file = os.fspath(path)
    if file.lower().endswith(FOREIGN):
        robot, notes = _native.imported(file)
        if notes:
            warnings.warn(f"{file}:\n{notes}", stacklevel=2)
        return _with_values(file, robot.encode(), set, parameters)
    try:
        text = Path(file).read_bytes()
    except OSError as error:
        from ._errors import file_error

        raise file_error(file, error.strerror or str(error), error.errno) from None
    return _with_values(file, text, set, parameters)


def _with_values(file: str, text: bytes, values: Mapping[str, Any] | None, parameters: Mapping[str, float]) -> Model:
    """A model from the contents of a file, with other values for some of its keys."""
    if not values:
        return Model._of(file, text, parameters)
    from ._toml import toml

    given = [(key, value if isinstance(value, str) else toml(value)) for key, value in values.items()]
    said, name = _native.with_values(file, text, given)
    document = json.loads(said)
    document.setdefault("model", {}).setdefault("name", name)
    folder = os.path.dirname(file)
    model = Model(document)
    # files that it names stand beside the file it came from
    model._file = os.path.join(folder, BUILT + ".json") if folder and not file.startswith("<") else BUILT
    model._parameters = {name: float(value) for name, value in parameters.items()}
    model._native  # faults are raised now
    return model


def loads(text: str | bytes, *, set: Mapping[str, Any] | None = None, **parameters: float) -> Model:
    """Reads a model from the contents of a model file, TOML or JSON, as `load` does.

    >>> import linkwork as lw
    >>> model = lw.loads('''
    ... format = 1
    ... model.gravity = "-y"
    ... points = { A = [0, 0], B = ["30 cm", 0] }
    ... bodies.ground = { points = ["A"] }
    ... bodies.pendulum = { points = ["A", "B"], mass = "200 g" }
    ... ''')
    """
    return _with_values("<text>", text.encode() if isinstance(text, str) else bytes(text), set, parameters)


class Examples(Mapping[str, Model]):
    """The examples that are built in: ``linkwork.examples["four-bar"]``."""

    def __init__(self) -> None:
        self._all = {name: (about, text) for name, about, text in _native.examples()}

    def __getitem__(self, name: str) -> Model:
        text = self.text(name)
        return Model._of(f"<{name}.toml>", text.encode(), {})

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def __repr__(self) -> str:
        return "\n".join(f"{name:24} {about}" for name, (about, _) in self._all.items())

    def text(self, name: str) -> str:
        """The model file of an example."""
        if name not in self._all:
            raise KeyError(f"there is no example `{name}`{did_you_mean(name, self._all)}")
        return self._all[name][1]


examples = Examples()
"""The examples that are built in, by name."""


class Mechanism:
    """A model that has been checked and compiled. It does not change, and many threads may run it at once."""

    def __init__(self, model: Model, overrides: Mapping[str, Any], inputs: Mapping[str, float]) -> None:
        self._model = model
        self._overrides = dict(overrides)
        self._inputs = {name: float(value) for name, value in inputs.items()}
        self._native = model._native.assemble(**self._overrides, inputs=list(self._inputs.items()))
        self._check: dict[str, Any] | None = None
        self._columns: tuple[list[str], list[str]] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Mechanism, (self._model, self._overrides, self._inputs)

    def __deepcopy__(self, memo: dict[int, Any]) -> Mechanism:
        return self  # it does not change

    def __copy__(self) -> Mechanism:
        return self

    def __repr__(self) -> str:
        return f"<Mechanism {self.name!r}: {self.dof} degrees of freedom, {len(self.bodies)} bodies, {len(self.joints)} joints>"

    def _with(self, overrides: Mapping[str, Any], inputs: Mapping[str, float]) -> Mechanism:
        """The same mechanism with other settings and constant inputs."""
        overrides = {key: value for key, value in overrides.items() if value is not None}
        if not overrides and not inputs:
            return self
        return Mechanism(self._model, self._overrides | overrides, self._inputs | dict(inputs))

    def _with_parameters(self, parameters: Mapping[str, float]) -> Mechanism:
        """The same mechanism with other values of its parameters."""
        return Mechanism(self._model.with_parameters(**parameters), self._overrides, self._inputs)

    @property
    def model(self) -> Model:
        """A copy of the model that it was made of."""
        return self._model.copy()

    @property
    def _data(self) -> dict[str, Any]:
        if self._check is None:
            self._check = json.loads(self._native.json())
        return self._check

    def check(self) -> dict[str, Any]:
        """What the mechanism is, as data: freedom, bodies, joints, assembly, redundant constraints, warnings. As text: ``print(mechanism.text)``."""
        return copy.deepcopy(self._data)

    @property
    def text(self) -> str:
        """What ``linkwork check`` prints."""
        return self._native.text()

    @property
    def warnings(self) -> tuple[Fault, ...]:
        """What is doubtful about the model."""
        return faults_of(self._data["warnings"])

    @property
    def name(self) -> str:
        """The name of the model."""
        return str(self._data["model"])

    @property
    def dof(self) -> int:
        """Degrees of freedom."""
        return int(self._data["degrees_of_freedom"])

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""
        return int(self._data["dimension"])

    @property
    def redundant(self) -> int:
        """How many constraints follow from the others."""
        return int(self._data["redundant_constraints"]["count"])

    @property
    def bodies(self) -> list[str]:
        """The names of the moving bodies."""
        return [str(body["name"]) for body in self._data["bodies"]]

    @property
    def joints(self) -> list[str]:
        """The names of the joints."""
        return [str(joint["name"]) for joint in self._data["joints"]]

    @property
    def inputs(self) -> list[str]:
        """The names of the inputs."""
        return [str(name) for name in self._data["inputs"]]

    @property
    def measures(self) -> list[str]:
        """The names of the measures."""
        return [str(name) for name in self._data["measures"]]

    def _named(self) -> tuple[list[str], list[str]]:
        if self._columns is None:
            self._columns = self._native.columns()
        return self._columns

    @property
    def columns(self) -> list[str]:
        """The names of the result columns."""
        return list(self._named()[0])

    @property
    def units(self) -> dict[str, str]:
        """The units of the result columns."""
        return dict(zip(*self._named(), strict=True))

    @property
    def variables(self) -> dict[str, tuple[float, str]]:
        """Value in SI units and unit of each number that stands in the model, by the name that `sensitivity` knows: parameters, coordinates of points, ``bodies.rod.mass``."""
        return {name: (value, unit) for name, value, unit in _native.variables(self._native, None)}

    @property
    def duration(self) -> float:
        """Simulated time, s."""
        return self._native.settings[0]

    def simulate(
        self,
        *,
        duration: float | None = None,
        output_step: float | None = None,
        tolerance: float | None = None,
        step: float | None = None,
        formulation: str | None = None,
        integrator: str | None = None,
        inputs: Mapping[str, ArrayLike] | None = None,
        controller: Controller | None = None,
        every: float | None = None,
        observe: Sequence[str] | None = None,
        actuate: Sequence[str] | None = None,
        record: bool = True,
        progress: bool = False,
    ) -> Run:
        """Runs the mechanism from the beginning to the end.

        Settings that are given replace those of the model. The lock of Python is free while the engine runs, so threads run at the same time.

        ``inputs`` gives inputs constant values, or with arrays and the key ``"t"`` values over time.

        ``controller`` is called as ``controller(t, y, u)`` at every multiple of ``every`` seconds: ``y`` has the result columns named by ``observe`` (all if left out), and it writes to ``u``,
        or returns, what is held until the next call: values of the inputs, or of what ``actuate`` names, such as ``"throttle"`` or ``"joint.A"`` (a force along the coordinate of a joint).

        Ctrl-C ends the run with `KeyboardInterrupt`; its attribute ``run`` is the run up to there. A motion that cannot go on is a `RunFailure`, which has it too.

        ``record=False`` leaves out what the animation needs. ``progress=True`` shows how far it is.
        """
        from ._run import Run

        settings = {
            "duration": duration,
            "output_step": output_step,
            "tolerance": tolerance,
            "step": step,
            "formulation": formulation,
            "integrator": integrator,
        }
        constant, schedule = _inputs(inputs or {})
        mechanism = self._with(settings, constant)
        options: dict[str, Any] = {}
        if schedule is not None:
            starts = {name: float(values[0]) for name, values in schedule.items() if name != "t" and schedule["t"][0] <= 0}
            mechanism = mechanism._with({}, starts)
            names = [name for name in schedule if name != "t"]
            table = np.column_stack([schedule[name] for name in names])
            options["schedule"] = (names, schedule["t"], np.ascontiguousarray(table))
        if controller is not None:
            if schedule is not None:
                raise InputError("give either a table of inputs or a controller")
            if every is None:
                raise InputError("say with `every` how often the controller is called, s")
            options["controller"], options["every"] = controller, float(every)
            options["reads"] = list(mechanism.columns if observe is None else observe)
            options["sets"] = list(mechanism.inputs if actuate is None else actuate)
            if not options["sets"]:
                raise InputError("the model has no inputs: say with `actuate` what the controller sets, such as `joint.A`")
        elif observe is not None or actuate is not None or every is not None:
            raise InputError("`every`, `observe` and `actuate` are for a `controller`")
        with Progress(mechanism.duration, progress) as bar:
            data = _native.simulate(mechanism._native, record=record, progress=bar.callback, **options)
        run = Run._of(data)
        if data.interrupted is not None:
            _keep(data.interrupted, "run", run)
            raise data.interrupted
        if data.failure is not None:
            data.failure.run = run
            data.failure.args = (*data.failure.args[:4], run)
            raise data.failure
        return run

    def equilibrium(self, *, at: float = 0.0) -> Equilibrium:
        """The static equilibrium next to the initial state, with time standing still ``at`` a time: where it rests, what it took, whether it is stable.

        >>> import linkwork as lw
        >>> lw.examples["pendulum"].assemble().equilibrium().stability
        'stable'
        """
        from ._analysis import equilibrium

        return equilibrium(self, at)

    def steady_motion(self, *, hold: Mapping[str, float] | None = None, at: float = 0.0) -> SteadyMotion:
        """A motion whose rates stay as they are: speeds of drivers, rates that ``[initial]`` gives and those in ``hold``, such as ``{"joint.spindle.v": 10}``, are held."""
        from ._analysis import steady_motion

        return steady_motion(self, at, hold or {})

    def linearize(
        self,
        *,
        at: float | str = 0.0,
        inputs: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
        formulation: str | None = None,
    ) -> LinearSystem:
        """The mechanism near a state as a linear system with named states: ``at`` a time up to which it runs, or ``"equilibrium"``, or ``"steady"``.

        Inputs are those of the model and outputs its measures, unless they are given; every result column can be an output.
        """
        from ._analysis import linearize

        return linearize(self, at, inputs, outputs, formulation)

    def modes(self, *, at: float | str = 0.0, formulation: str | None = None) -> Modes:
        """Eigenmodes near a state, as for `linearize`.

        >>> import linkwork as lw
        >>> modes = lw.examples["pendulum"].assemble().modes(at="equilibrium")
        >>> modes[0].kind
        'oscillating'
        """
        from ._analysis import modes

        return modes(self, at, formulation)

    def pose(self, targets: Mapping[str, Target], *, weights: Mapping[str, float] | None = None, at: float = 0.0) -> Pose:
        """Where the mechanism stands when quantities are what they should be, with loops closed and limits respected; the nearest pose if that cannot be.

        >>> import linkwork as lw
        >>> pose = lw.examples["four-bar"].assemble().pose({"joint.A.q": "40 deg"})
        >>> pose.reached
        True
        """
        from ._analysis import poses

        return poses(self, targets, weights or {}, False, 0, 1, at)[0]

    def poses(
        self,
        targets: Mapping[str, Target],
        *,
        weights: Mapping[str, float] | None = None,
        starts: int = 200,
        seed: int = 1,
        at: float = 0.0,
    ) -> list[Pose]:
        """All poses that meet the targets, as far as so many random starts find them; only the nearest one if they cannot be met."""
        from ._analysis import poses

        return poses(self, targets, weights or {}, True, starts, seed, at)

    def inverse(
        self,
        t: ArrayLike,
        motion: Mapping[str, ArrayLike],
        *,
        cutoff: float | None,
        actuators: Sequence[str] | None = None,
        weights: Mapping[str, float] | None = None,
        residuals: bool = False,
    ) -> Inverse:
        """Forces that actuators need for a motion: values of coordinates such as ``{"joint.A.q": angles}`` at the times ``t``.

        ``cutoff`` is the frequency in Hz below which measured data is kept; `None` takes the data as it is, with a spline through it. ``actuators`` are those of the model by default,
        or joints, as ``"joint.A"``. Where they could share the work in several ways, squares of forces times ``weights`` are least. Forces that nobody can supply are refused, or
        reported with ``residuals=True``.
        """
        from ._analysis import inverse

        return inverse(self, t, motion, cutoff, actuators, weights or {}, residuals)

    def sensitivity(
        self,
        of: str | Sequence[str],
        by: str | Sequence[str],
        *,
        method: str = "differences",
        check: bool = False,
        threads: int = 0,
        progress: bool = False,
        **settings: Any,
    ) -> Sensitivity:
        """Derivatives of results such as ``max(joint.A.v)`` by numbers of the model: the function `sensitivity` says more."""
        from ._sensitivity import sensitivity

        return sensitivity(self, of, by, method=method, check=check, threads=threads, progress=progress, **settings)

    def optimize(
        self,
        *,
        minimize: str | None = None,
        residuals: str | Sequence[str] | None = None,
        variables: Mapping[str, Range] | None = None,
        constraints: Mapping[str, str] | Sequence[str] | None = None,
        **options: Any,
    ) -> OptimizeResult:
        """Finds the best values for numbers of the model, as its section ``[optimize]`` says or as it is said here: the function `optimize` says more."""
        from ._optimize import optimize

        return optimize(self, minimize=minimize, residuals=residuals, variables=variables, constraints=constraints, **options)

    def fit(self, data: Any, columns: Mapping[str, str] | None = None, **options: Any) -> FitResult:
        """Finds the values of variables with which a run gives measurements best: the function `fit` says more."""
        from ._optimize import fit

        return fit(self, data, columns, **options)

    def objective(
        self,
        *,
        minimize: str | None = None,
        residuals: str | Sequence[str] | None = None,
        variables: Mapping[str, Range] | None = None,
        constraints: Mapping[str, str] | Sequence[str] | None = None,
        paths: Mapping[str, Any] | None = None,
        over: str | None = None,
        jobs: int = 1,
        **settings: Any,
    ) -> Objective:
        """What is to be optimised as a function for SciPy, Optuna and others: values of the variables to the objective and its gradient, with ``x0``, ``bounds`` and ``names``."""
        from ._optimize import Objective, _keywords

        return Objective(self, _keywords(minimize, residuals, variables, constraints, paths, over), settings, jobs)

    def simulation(self, *, duration: float | None = None, **settings: Any) -> Simulation:
        """A simulation that is stepped: ``with mechanism.simulation() as simulation: ...``. Settings are those of `simulate`.

        It ends at ``duration``; give it the longest time that you may need.
        """
        from ._simulation import Simulation

        inputs = settings.pop("inputs", None) or {}
        unknown = set(settings) - {"output_step", "tolerance", "step", "formulation", "integrator"}
        if unknown:
            raise InputError(f"a simulation has no setting {', '.join(sorted(unknown))}")
        constant, schedule = _inputs(inputs)
        if schedule is not None:
            raise InputError("a simulation that is stepped takes constant inputs")
        if duration is not None and settings.get("output_step") is None and duration > MOST_ROWS * self._native.settings[1]:
            settings["output_step"] = duration / MOST_ROWS  # no rows are kept, but a model may not ask for too many
        return Simulation(self._with({"duration": duration, **settings}, constant))


def _inputs(inputs: Mapping[str, ArrayLike]) -> tuple[dict[str, float], dict[str, np.ndarray[Any, np.dtype[np.float64]]] | None]:
    """Constant inputs, and those over time."""
    arrays = {name: np.array(values, dtype=np.float64) for name, values in inputs.items()}
    constant = {name: float(values) for name, values in arrays.items() if values.ndim == 0}
    varied = {name: values for name, values in arrays.items() if values.ndim > 0}
    if not varied:
        return constant, None
    if "t" not in varied:
        raise InputError('inputs over time need the key "t", their times')
    if len(varied) < 2:
        raise InputError('there is no input beside "t"')
    if any(values.ndim != 1 or len(values) != len(varied["t"]) for values in varied.values()) or not len(varied["t"]):
        raise InputError('inputs over time need a value for each time of "t"')
    return constant, varied


def _keep(error: BaseException, name: str, found: object) -> None:
    """Gives an exception what was found up to there."""
    try:
        setattr(error, name, found)
    except AttributeError:
        pass
