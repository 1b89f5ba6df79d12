"""Runs: the columns of their results, and what is made of them."""

from __future__ import annotations

import fnmatch
import html
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._errors import Fault, InputError, did_you_mean, faults_of

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Array = NDArray[np.float64]

Controller = Callable[[float, Array, Array], "Sequence[float] | Array | float | None"]
"""What sets inputs while a run goes by: ``controller(t, y, u)``."""


@dataclass(frozen=True)
class Reaction:
    """What a joint does to its second body, over time."""

    force: Array
    """(n, 2) in the plane, (n, 3) in space; N, world axes."""
    moment: Array | None
    """(n,) in the plane, (n, 3) in space; N m, about the joint's point there. ``None`` for joints that carry none."""


class BeamResults:
    """What a beam does, section by section: ``run.beams["blade"]``.

    ``beam["axial_force"]`` is an array with a row for each time and a column for each section. Forces and moments are in the axes of the section, of what is
    on the side of ``to`` (docs/results.md).
    """

    def __init__(self, name: str, names: Sequence[str], units: Sequence[str], times: Array, values: Array) -> None:
        self.name = name
        self.t = times
        """The times of the rows, s."""
        self._names, self._units, self._values = list(names), list(units), values

    def __repr__(self) -> str:
        rows, sections, _ = self._values.shape
        return f"<Beam {self.name!r}: {sections} sections, {rows} rows>"

    @property
    def columns(self) -> list[str]:
        """The names of its numbers."""
        return list(self._names)

    @property
    def values(self) -> Array:
        """All numbers: rows, sections, columns."""
        return self._values

    @property
    def s(self) -> Array:
        """How far the sections are from ``from`` along the beam as drawn, m."""
        return self._values[0, :, self._names.index("s")]

    @property
    def positions(self) -> Array:
        """(rows, sections, 2) in the plane, (rows, sections, 3) in space; m."""
        return self._vectors("")

    @property
    def velocities(self) -> Array:
        """Likewise, m/s."""
        return self._vectors("v")

    def _vectors(self, before: str) -> Array:
        places = [self._names.index(before + axis) for axis in "xyz" if before + axis in self._names]
        return self._values[:, :, places[0] : places[-1] + 1]

    def unit(self, name: str) -> str:
        """The unit of a column; empty if it has none."""
        return self._units[self._place(name)]

    def _place(self, name: str) -> int:
        if name not in self._names:
            raise InputError(f"sections of beams have no column `{name}`{did_you_mean(name, self._names)}")
        return self._names.index(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __getitem__(self, name: str) -> Array:
        return self._values[:, :, self._place(name)]


@dataclass(frozen=True)
class Event:
    """Something that happened: an impact, a lock, a change of topology, the condition that ended the run."""

    t: float
    kind: str
    name: str
    coordinate: int | None
    impulse: float
    unit: str
    energy: float
    """By how much the energy changed, J."""
    data: dict[str, Any] = field(repr=False, compare=False)
    """All that is known about it."""

    @classmethod
    def _of(cls, data: dict[str, Any]) -> Event:
        names = ("t", "kind", "name", "coordinate", "impulse", "unit", "energy")
        said: dict[str, Any] = {name: data[name] for name in names}
        return cls(**said, data=data)


@dataclass(frozen=True)
class Summary:
    """How a run went."""

    status: str
    """``finished``, ``stopped`` or ``failed``."""
    t: float
    """Time of the last row, s."""
    rows: int
    steps: int
    wall: float
    """What it took, s."""
    formulation: str
    integrator: str
    energy_drift: float
    """Energy that neither dampers nor couples account for, J."""
    relative_energy_drift: float
    """The same, of the energies at play."""
    constraint_residual: float
    """m"""
    remarks: tuple[str, ...]
    """What else is worth knowing."""
    warnings: tuple[Fault, ...] = field(repr=False)
    """What is doubtful about the model."""
    data: dict[str, Any] = field(repr=False)
    """All that ``summary.json`` holds."""

    @classmethod
    def _of(cls, data: dict[str, Any]) -> Summary:
        statistics, accuracy, settings = data["statistics"], data["accuracy"], data["settings"]
        return cls(
            status=data["status"],
            t=data["t"],
            rows=data["rows"],
            steps=statistics["steps"],
            wall=statistics["wall_seconds"],
            formulation=settings["formulation"],
            integrator=settings["integrator"],
            energy_drift=accuracy["energy_drift"],
            relative_energy_drift=accuracy["relative_energy_drift"],
            constraint_residual=accuracy["constraint_residual"],
            remarks=tuple(remark["message"] for remark in data["remarks"]),
            warnings=faults_of(data["warnings"]),
            data=data,
        )


class Picture:
    """A picture that a notebook shows, and that can be saved."""

    def __init__(self, draw: Callable[[str], bytes]) -> None:
        self._draw = draw
        self._svg = draw("svg").decode()

    @property
    def svg(self) -> str:
        """The picture as SVG."""
        return self._svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture: the ending of the file says how, `.svg` or `.png`."""
        kind = Path(path).suffix.lower().removeprefix(".")
        Path(path).write_bytes(self._svg.encode() if kind == "svg" else self._draw(kind))

    def _repr_svg_(self) -> str:
        return self._svg


class Run:
    """A motion that has been computed.

    ``run["joint.A.q"]`` is a result column: a read-only view on the memory of the run, without a copy. Columns are those of
    ``results.csv`` (docs/results.md); ``run.t`` is the time.

    >>> import linkwork as lw
    >>> run = lw.examples["pendulum"].simulate(duration=1)
    >>> run["energy.total"].shape == run.t.shape
    True
    >>> run.unit("energy.total")
    'J'
    """

    def __init__(self, values: Array, summary: dict[str, Any], files: dict[str, bytes]) -> None:
        self._values, self._files = values, files
        self.summary = Summary._of(summary)
        self._names = [str(column["name"]) for column in summary["columns"]]
        self._units = [str(column["unit"]) for column in summary["columns"]]
        self._places = {name: place for place, name in enumerate(self._names)}

    @classmethod
    def _of(cls, data: _native.RunData) -> Run:
        files = {"events.csv": data.events, "motion.lwm": data.motion, **dict(data.long)}
        kept = {name: bytes(contents) for name, contents in files.items() if contents is not None}
        return cls(data.values, json.loads(data.summary), kept)

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._values.flags.writeable = False

    def __repr__(self) -> str:
        summary = self.summary
        return (
            f"<Run of {summary.data['mechanism']['model']!r}: {summary.status} at t = {summary.t:g} s, {len(self)} rows, "
            f"{summary.steps} steps, energy drift {summary.relative_energy_drift:.1e}>"
        )

    # columns

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._names)

    @property
    def units(self) -> dict[str, str]:
        """The units of the columns."""
        return dict(zip(self._names, self._units, strict=True))

    @property
    def values(self) -> Array:
        """All numbers, a row for each column."""
        return self._values

    @property
    def t(self) -> Array:
        """The times of the rows, s."""
        return self["t"]

    def __len__(self) -> int:
        return int(self._values.shape[1])

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def keys(self) -> list[str]:
        """The names of the columns."""
        return self.columns

    def _place(self, name: str) -> int:
        place = self._places.get(name)
        if place is None:
            raise InputError(f"there is no result column `{name}`{did_you_mean(name, self._names)}")
        return place

    def __getitem__(self, name: str) -> Array:
        column: Array = self._values[self._place(name)]
        return column

    def unit(self, name: str) -> str:
        """The unit of a column; empty if it has none."""
        return self._units[self._place(name)]

    def select(self, *patterns: str) -> dict[str, Array]:
        """Columns by patterns: ``run.select("joint.*")``."""
        found: dict[str, Array] = {}
        for pattern in patterns:
            names = fnmatch.filter(self._names, pattern)
            for name in names or [self._names[self._place(pattern)]]:
                found[name] = self[name]
        return found

    @property
    def dimension(self) -> int:
        """2 in the plane, 3 in space."""
        return int(self.summary.data["mechanism"]["dimension"])

    def _vectors(self, what: str, components: Sequence[str]) -> Array:
        places = [self._place(f"{what}{component}") for component in components]
        if places == list(range(places[0], places[0] + len(places))):
            return self._values[places[0] : places[0] + len(places)].T
        return self._values[places].T

    def position(self, point: str) -> Array:
        """Positions of a named point, m: (n, 2) in the plane, (n, 3) in space."""
        return self._vectors(f"point.{point}.", "xyz"[: self.dimension])

    def velocity(self, point: str) -> Array:
        """Velocities of a named point, m/s."""
        return self._vectors(f"point.{point}.", ["vx", "vy", "vz"][: self.dimension])

    def reaction(self, joint: str) -> Reaction:
        """What a joint does to its second body."""
        name = f"joint.{joint}."
        force = self._vectors(f"{name}force.", "xyz"[: self.dimension])
        moment = None
        if self.dimension == 3 and f"{name}moment.x" in self:
            moment = self._vectors(f"{name}moment.", "xyz")
        elif self.dimension == 2 and f"{name}moment.z" in self:
            moment = self[f"{name}moment.z"]
        return Reaction(force, moment)

    @cached_property
    def beams(self) -> dict[str, BeamResults]:
        """The beams by their names, with places, forces and moments of all their sections."""
        if "beams.csv" not in self._files:
            return {}
        names, owners = _native.long_table(self._files["beams.csv"])
        told = next(table for table in self.summary.data["tables"] if table["file"] == "beams.csv")
        units = {column["name"]: column["unit"] for column in told["columns"]}
        found = {}
        for name, times, counts, lines in owners:
            values = lines.reshape(len(times), counts[0], len(names))
            found[name] = BeamResults(name, names, [units[column] for column in names], times, values)
        return found

    @property
    def events(self) -> list[Event]:
        """What happened on the way, in order; the first 10,000, and what ended the run."""
        return [Event._of(event) for event in self.summary.data["events"]]

    # tables of other packages

    def to_pandas(self) -> pandas.DataFrame:
        """The columns as a data frame of pandas, on the memory of the run."""
        import pandas

        return pandas.DataFrame(self._values.T, columns=pandas.Index(self._names), copy=False)

    def to_polars(self) -> polars.DataFrame:
        """The columns as a data frame of polars."""
        import polars

        return polars.DataFrame({name: self[name] for name in self._names})

    def to_arrow(self) -> pyarrow.Table:
        """The columns as a table of Arrow, on the memory of the run, with the units as metadata."""
        import pyarrow

        fields = [
            pyarrow.field(name, pyarrow.float64(), metadata={"unit": unit})
            for name, unit in zip(self._names, self._units, strict=True)
        ]
        return pyarrow.Table.from_arrays([pyarrow.array(column) for column in self._values], schema=pyarrow.schema(fields))

    # files and pictures

    def save(self, folder: str | os.PathLike[str], *, report: bool = True) -> None:
        """Writes the folder that ``linkwork run`` writes: results.csv, summary.json, events.csv, chains.csv, beams.csv, motion.lwm, report.html."""
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        summary = json.dumps(self.summary.data, indent=2, ensure_ascii=False) + "\n"
        contents = {
            "results.csv": _native.results_csv(self._names, np.ascontiguousarray(self._values)),
            "summary.json": summary.encode(),
            **self._files,
        }
        for name in ("events.csv", "chains.csv", "beams.csv", "motion.lwm", "report.html"):
            (place / name).unlink(missing_ok=True)
        for name, data in contents.items():
            _write(place / name, data)
        if report and "motion.lwm" in self._files:
            _write(place / "report.html", _native.report(place).encode())

    @contextmanager
    def _folder(self, needs_motion: bool = True) -> Iterator[Path]:
        """The folder of the run, for a moment."""
        if needs_motion and "motion.lwm" not in self._files:
            raise InputError("the motion was not recorded: leave out `record=False`")
        with tempfile.TemporaryDirectory(prefix="linkwork-") as name:
            self.save(name, report=False)
            yield Path(name)

    def report(self, path: str | os.PathLike[str] | None = None) -> str:
        """The page with the moving mechanism and its plots; written to a file if one is named."""
        with self._folder() as folder:
            page = _native.report(folder)
        if path is not None:
            _write(Path(path), page.encode())
        return page

    def _repr_html_(self) -> str:
        try:
            page = self.report()
        except InputError:
            return f"<pre>{html.escape(repr(self))}</pre>"
        # a page in a page: what VS Code and Colab show, too
        return (
            f'<iframe srcdoc="{html.escape(page, quote=True)}" style="width: 100%; height: 640px; border: 1px solid #ccc" '
            'title="report of the run"></iframe>'
        )

    def plot(
        self,
        *columns: str,
        x: str | None = None,
        title: str | None = None,
        start: float | None = None,
        end: float | None = None,
        size: tuple[float, float] | None = None,
    ) -> Picture:
        """Curves of columns, or of patterns such as ``"energy.*"``, over time or over the column ``x``; from and to a time, s; ``size`` in pixels."""
        if not columns:
            raise InputError('say which columns: run.plot("energy.*")')

        def draw(kind: str) -> bytes:
            with self._folder(needs_motion=False) as folder:
                wide = None if size is None else list(size)
                return bytes(
                    _native.plot([folder], list(columns), kind=kind, x=x, title=title, start=start, end=end, size=wide)
                )

        return Picture(draw)

    def picture(
        self,
        t: float = 0.0,
        *,
        trace: Sequence[str] = (),
        labels: bool = False,
        color: str | Sequence[str] = (),
        enlarge: float = 1.0,
    ) -> Picture:
        """The mechanism at a time, s, with the paths of the points in ``trace``.

        ``color`` is what the colours of beams and modal bodies show, such as ``"moment"``, ``"stress"`` or ``"none"`` (docs/plots-and-exports.md);
        ``enlarge`` makes deformations of modal bodies so many times as large.
        """
        colors = [color] if isinstance(color, str) else list(color)

        def draw(kind: str) -> bytes:
            with self._folder() as folder:
                return bytes(
                    _native.picture(
                        folder, t, kind=kind, traces=list(trace), labels=labels, colors=colors, enlarge=enlarge
                    )
                )

        return Picture(draw)

    def animate(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        fps: float | None = None,
        speed: float = 1.0,
        start: float | None = None,
        end: float | None = None,
        size: tuple[float, float] | None = None,
        trace: Sequence[str] = (),
        labels: bool = False,
        color: str | Sequence[str] = (),
        enlarge: float = 1.0,
    ) -> Picture | None:
        """The moving mechanism: written to a `.gif`, `.svg` or `.glb` file, or shown by the notebook.

        ``speed`` is in seconds of the motion to a second of the film; ``trace`` names points whose paths are drawn; ``color`` and ``enlarge`` are those of :meth:`picture`.
        """
        colors = [color] if isinstance(color, str) else list(color)
        kind = "svg" if path is None else Path(path).suffix.lower().removeprefix(".")
        pictures = fps if fps is not None else 20.0 if kind == "gif" else 15.0

        def draw(kind: str) -> bytes:
            if kind == "png":
                raise InputError("a moving picture is written as .svg, .gif or .glb; `picture` draws a single one")
            with self._folder() as folder:
                wide = None if size is None else list(size)
                film = _native.film(
                    folder,
                    kind,
                    fps=pictures,
                    speed=speed,
                    start=start,
                    end=end,
                    size=wide,
                    traces=list(trace),
                    labels=labels,
                    colors=colors,
                    enlarge=enlarge,
                )
            return bytes(film)

        if path is None:
            return Picture(draw)
        _write(Path(path), draw(kind))
        return None


def _write(path: Path, contents: bytes) -> None:
    """A file that is whole or not there."""
    file = tempfile.NamedTemporaryFile(dir=path.parent, prefix=".linkwork-", suffix=".part", delete=False)
    try:
        with file:
            file.write(contents)
        os.chmod(file.name, 0o644)
        os.replace(file.name, path)
    except BaseException:
        os.unlink(file.name)
        raise
