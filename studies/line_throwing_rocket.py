#!/usr/bin/env python3
"""The line-throwing rocket of Lu et al. (2014) beside the published simulation and test, and what moves its figures.

    python3 studies/line_throwing_rocket.py [-o DIR] [--linkwork FILE] [--jobs N] [--search N]

Builds the command with cargo unless --linkwork names one, runs examples/line-throwing-rocket.toml with other values of its
parameters, prints tables and writes them to DIR with two pictures. docs/line-throwing-rocket.md tells what they mean.
"""

import argparse
import csv
import itertools
import math
import os
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "studies"))
from plot import Plot  # noqa: E402

MODEL = ROOT / "examples/line-throwing-rocket.toml"

# table 1 and figure 6 of the paper: range, largest velocity, flight time, velocities at 1, 2, 3, 4 s
NAMES = ["range m", "vmax m/s", "time s", "v(1 s)", "v(2 s)", "v(3 s)", "v(4 s)"]
SIMULATION = [637.1, 206.6, 8.1, 158.7, 98.9, 70.3, 58.5]
TEST = [629.9, 199.5, 8.6, 154.3, 99.3, 73.8, 60.5]
BURN_TIME = 0.43

# thrust along the velocity, fixed at first as on a rail
ALONG_VELOCITY = {
    'direction = ["cos(angle)", "sin(angle)"]': 'direction = "velocity"\nlaunch_direction = ["cos(angle)", "sin(angle)"]\nlaunch_speed = 20'
}

# what is varied: name, parameters, replacements in the text
VARIANTS = [
    ("rocket Cd 0.3", {"rocket_cd": 0.3}, {}),
    ("rocket Cd 0.5", {"rocket_cd": 0.5}, {}),
    ("rope Ct 0", {"rope_tangential_drag": 0.0}, {}),
    ("rope Ct 0.010", {"rope_tangential_drag": 0.010}, {}),
    ("rope Ct 0.017", {"rope_tangential_drag": 0.017}, {}),
    ("rope Cn 0.1", {"rope_normal_drag": 0.1}, {}),
    ("rope Cn 1.1", {"rope_normal_drag": 1.1}, {}),
    ("launch mass 20 kg", {"launch_mass": 20.0}, {}),
    ("pick-up 0.5", {"pick_up": 0.5}, {}),
    ("pick-up 0.75", {"pick_up": 0.75}, {}),
    ("exit tension 10 N", {"exit_tension": 10.0}, {}),
    ("exit tension 30 N", {"exit_tension": 30.0}, {}),
    ("efficiency 0.98", {"efficiency": 0.98}, {}),
    ("angle 28 deg", {"angle": math.radians(28)}, {}),
    ("angle 29 deg", {"angle": math.radians(29)}, {}),
    ("angle 31 deg", {"angle": math.radians(31)}, {}),
    ("angle 32 deg", {"angle": math.radians(32)}, {}),
    ("thrust along velocity", {}, ALONG_VELOCITY),
    ("segment 2 m", {"segment": 2.0}, {}),
    ("segment 5 m", {"segment": 5.0}, {}),
    ("segment 10 m", {"segment": 10.0}, {}),
    ("segment 20 m", {"segment": 20.0}, {}),
]

# shapes of the rope are drawn at these times, s
SHAPES = [0.4, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0]


class Flight:
    """A run: rows of the rocket, its figures, and the rope at some times."""

    def __init__(self, command, parameters=None, replaced=None, shapes=()):
        text = MODEL.read_text()
        for old, new in (replaced or {}).items():
            if old not in text:
                raise SystemExit(f"the example no longer has `{old}`")
            text = text.replace(old, new)
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "rocket.toml").write_text(text)
            # the motor stops at a row
            line = [command, "run", folder / "rocket.toml", "-o", folder, "--quiet", "--output-step", "0.01"]
            for name, value in (parameters or {}).items():
                line += ["--set", f"{name}={value!r}"]
            done = subprocess.run([str(word) for word in line], capture_output=True, text=True)
            if done.returncode:
                raise SystemExit(f"the run with {parameters} failed:\n{done.stderr}")
            with (folder / "results.csv").open() as file:
                names = ["t", "point.nose.x", "point.nose.y", "measure.speed"]
                self.rows = [tuple(float(row[name]) for name in names) for row in csv.DictReader(file)]
            self.ropes = ropes(folder / "chains.csv", shapes) if shapes else {}
        landing, reach = self.rows[-1][0], self.rows[-1][1]
        if landing >= 12:
            raise SystemExit(f"with {parameters} it does not land within 12 s")
        fastest = max(row[3] for row in self.rows)
        self.figures = [reach, fastest, landing] + [self.speed(t) for t in (1, 2, 3, 4)]

    def speed(self, t):
        return next(row[3] for row in self.rows if abs(row[0] - t) < 1e-9)


def ropes(file, times):
    """Nodes by time: at these times, and at the end."""
    found, nodes = {}, []
    with file.open() as lines:
        for t, rows in itertools.groupby(csv.DictReader(lines), key=lambda row: float(row["t"])):
            nodes = [(float(row["x"]), float(row["y"])) for row in rows]
            if any(abs(time - t) < 1e-9 for time in times):
                found[t] = nodes
    found[t] = nodes
    return found


def percent(ours, theirs):
    return [100 * (a / b - 1) for a, b in zip(ours, theirs)]


def table(header, rows):
    """Markdown, and what goes into a file."""
    rule = ["---"] + ["---:"] * (len(header) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, rule, *rows])


def save(file, header, rows):
    with file.open("w", newline="") as out:
        csv.writer(out).writerows([header, *rows])


def published(ours, late):
    """Our figures beside the paper's."""
    ours_as = lambda values: [f"{value:.2f}" for value in values]
    number = lambda values: [f"{value:.1f}" for value in values]
    sign = lambda values: [f"{value:+.1f} %" for value in values]
    return [
        ["Linkwork", *ours_as(ours)],
        ["published test", *number(TEST)],
        ["published simulation", *number(SIMULATION)],
        ["Linkwork against the test", *sign(percent(ours, TEST))],
        ["Linkwork against the simulation", *sign(percent(ours, SIMULATION))],
        ["published simulation against the test", *sign(percent(SIMULATION, TEST))],
        ["Linkwork, velocities counted from burn-out", "", "", "", *ours_as(late)],
        ["… against the test", "", "", "", *sign(percent(late, TEST[3:]))],
    ]


def pictures(flight, folder):
    plot = Plot((0, 9.5), (0, 220), ("time, s", "velocity, m/s"), "Velocity of the rocket")
    plot.curve([(t, v) for t, _, _, v in flight.rows], "#1f5fa8", "Linkwork, segments of 1 m")
    peak = lambda value: [(BURN_TIME, value)]
    plot.marks(peak(TEST[1]) + list(zip((1, 2, 3, 4), TEST[3:])), "#c0392b", "published test")
    plot.marks(peak(SIMULATION[1]) + list(zip((1, 2, 3, 4), SIMULATION[3:])), "#2e7d32", "published simulation", square=True)
    plot.write(folder / "line-throwing-rocket-velocity.svg")
    plot = Plot((-20, 660), (-60, 250), ("down-range, m", "height, m"), "Path of the rocket, and the rope at some times", height=430)
    plot.line(*plot.place(-20, 0), *plot.place(660, 0), colour="#8d6e63")
    for t, nodes in sorted(flight.ropes.items()):
        plot.curve(nodes + [(0, 0)], "#e08a00", width=1.2)
        x, y = nodes[0]
        where = {"anchor": "end", "shift": (-8, -4 if t < 9 else 18)} if not 3.5 < t < 9 else {"shift": (8, -6)}
        plot.note(x, y, f"{t:.3g} s", **where)
    plot.curve([(x, y) for _, x, y, _ in flight.rows], "#1f5fa8")
    plot.marks([nodes[0] for nodes in flight.ropes.values()], "#1f5fa8")
    plot.marks([(TEST[0], 0)], "#c0392b")
    plot.marks([(SIMULATION[0], 0)], "#2e7d32", square=True)
    plot.legend = [
        ("curve", "#1f5fa8", "rocket", ""),
        ("curve", "#e08a00", "rope", ""),
        ("circle", "#c0392b", "range of the published test", ""),
        ("square", "#2e7d32", "range of the published simulation", ""),
    ]
    plot.write(folder / "line-throwing-rocket-path.svg")


# bounds of the search: any drag, tension, pick-up and thrust that could be meant
BOUNDS = {
    "rocket_cd": (0.0, 1.5),
    "rope_tangential_drag": (0.0, 0.04),
    "rope_normal_drag": (0.0, 1.2),
    "exit_tension": (0.0, 60.0),
    "pick_up": (0.5, 1.0),
    "efficiency": (0.9, 1.1),
    "angle": (math.radians(24), math.radians(36)),
    "launch_mass": (20.0, 22.33),
}


def search(command, target, count, fixed, jobs):
    """The smallest largest error, in percent, over all seven figures that differential evolution finds; segments of 10 m."""
    chance = random.Random(1)
    names = [name for name in BOUNDS if name not in fixed]

    def worst(place):
        values = {name: BOUNDS[name][0] + x * (BOUNDS[name][1] - BOUNDS[name][0]) for name, x in zip(names, place)}
        try:
            figures = Flight(command, {**values, **fixed, "segment": 10.0}).figures
        except (SystemExit, StopIteration):
            return math.inf, values, None
        errors = percent(figures, target)
        return max(map(abs, errors)), values, errors

    size = 4 * len(names)
    with ThreadPoolExecutor(jobs) as pool:
        places = [[chance.random() for _ in names] for _ in range(size)]
        found = list(pool.map(worst, places))
        for _ in range(max(count // size - 1, 0)):
            best = min(range(size), key=lambda i: found[i][0])
            trials = []
            for i in range(size):
                a, b = chance.sample([places[k] for k in range(size) if k != i], 2)
                trial = [
                    x + 0.7 * (x_best - x) + 0.6 * (x_a - x_b) if chance.random() < 0.9 else x
                    for x, x_best, x_a, x_b in zip(places[i], places[best], a, b)
                ]
                trials.append([min(max(x, 0.0), 1.0) for x in trial])
            for i, result in enumerate(pool.map(worst, trials)):
                if result[0] < found[i][0]:
                    places[i], found[i] = trials[i], result
    return min(found, key=lambda result: result[0])


def report_search(command, count, jobs):
    given = {"angle": math.radians(30)}
    for what, target, fixed in [
        ("simulation at 30 deg, momentum conserved", SIMULATION, {"pick_up": 1.0, **given}),
        ("simulation at any angle, momentum conserved", SIMULATION, {"pick_up": 1.0}),
        ("simulation at any angle and pick-up", SIMULATION, {}),
        ("test at 30 deg, momentum conserved", TEST, {"pick_up": 1.0, **given}),
        ("test at any angle, momentum conserved", TEST, {"pick_up": 1.0}),
    ]:
        error, values, errors = search(command, target, count, fixed, jobs)
        if "angle" in values:
            values["angle"] = math.degrees(values["angle"])
        print(f"\nClosest to the {what}: all within {error:.1f} %")
        print("  " + ", ".join(f"{name} {value:.4g}" for name, value in values.items()))
        print("  " + ", ".join(f"{name} {value:+.1f} %" for name, value in zip(NAMES, errors)))


def options():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("-o", "--output", type=Path, default=ROOT / "results/line-throwing-rocket-study", metavar="DIR", help="folder for tables and pictures")
    p.add_argument("--linkwork", type=Path, metavar="FILE", help="the command; default: built with cargo")
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="runs at a time; default: one per core")
    p.add_argument("--search", type=int, default=0, metavar="N", help="look for the parameters that come closest to the paper, with so many runs each; 1000 are some minutes")
    return p.parse_args()


def build():
    subprocess.run(["cargo", "build", "--release", "-p", "linkwork-cli"], cwd=ROOT, check=True)
    folder = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return folder / "release" / ("linkwork.exe" if os.name == "nt" else "linkwork")


def main():
    chosen = options()
    command = chosen.linkwork.resolve() if chosen.linkwork else build()
    folder = chosen.output
    folder.mkdir(parents=True, exist_ok=True)

    base = Flight(command, shapes=SHAPES)
    late = [base.speed(BURN_TIME + t) for t in (1, 2, 3, 4)]
    header, rows = ["", *NAMES], published(base.figures, late)
    print(table(header, rows))
    save(folder / "published.csv", header, rows)
    save(folder / "velocity.csv", ["t", "x", "y", "speed"], base.rows)
    pictures(base, folder)

    with ThreadPoolExecutor(chosen.jobs) as pool:
        flights = list(pool.map(lambda variant: Flight(command, variant[1], variant[2]), VARIANTS))
    rows = [["as above", *(f"{value:.2f}" for value in base.figures), f"{max(map(abs, percent(base.figures, TEST))):.1f} %"]]
    for (name, _, _), flight in zip(VARIANTS, flights):
        moved = [f"{value:+.2f} %" for value in percent(flight.figures, base.figures)]
        rows.append([name, *moved, f"{max(map(abs, percent(flight.figures, TEST))):.1f} %"])
    header = ["assumption", *NAMES, "largest error against the test"]
    print("\n" + table(header, rows))
    save(folder / "assumptions.csv", header, rows)
    if chosen.search:
        report_search(command, chosen.search, chosen.jobs)
    print(f"\ntables and pictures are in {folder}")


if __name__ == "__main__":
    main()
