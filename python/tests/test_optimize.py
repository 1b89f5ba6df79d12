"""Optimisation and fitting."""

from __future__ import annotations

import math
from pathlib import Path

import linkwork as lw
import pytest

SLIDER = """
format = 1
parameters = { r = "30 mm" }   # half of the stroke
points = { O = [0, 0], A = ["r", 0], B = ["r + 0.2", 0] }
bodies.ground = { points = ["O"] }
bodies.crank = { points = ["O", "A"], mass = 1 }
bodies.rod = { points = ["A", "B"], mass = 1 }
bodies.piston = { points = ["B"], mass = 1, com = "B", inertia = 1 }
joints.guide = { type = "prismatic", bodies = ["ground", "piston"], at = "B", axis = [1, 0] }
drivers.motor = { joint = "O", value = "2 * pi * t" }
simulation = { duration = 1, output_step = 0.02 }
[optimize]
over = "kinematics"
residuals = ["max(point.B.x) - min(point.B.x) - 80 mm"]
variables.r = { from = "10 mm", to = "60 mm" }
"""

FALL = """
format = 1
parameters.g = 9
model = { dimension = 2, gravity = [0, "-g"] }
points.B = [0, 0]
bodies.mass = { points = ["B"], mass = 2, com = "B", inertia = 1 }
simulation = { duration = 1, output_step = 0.1 }
[optimize]
variables = { g = { from = 1, to = 20 } }
"""


def test_stroke(tmp_path: Path) -> None:
    file = tmp_path / "slider.toml"
    file.write_text(SLIDER)
    found = lw.optimize(file, jobs=1)
    assert found.success and found.names == ("r",)
    assert abs(found.x[0] - 0.04) < 1e-9 and found.fun < 1e-18
    assert "# half of the stroke" in found.text and "<svg" in found.report
    lw.loads(found.text)


def test_fit(tmp_path: Path) -> None:
    (tmp_path / "fall.toml").write_text(FALL)
    rows = [f"{0.1 * k},{-0.5 * 9.81 * (0.1 * k) ** 2 + 1e-3 * math.sin(9 * k)}" for k in range(1, 10)]
    (tmp_path / "data.csv").write_text("t,y\n" + "\n".join(rows) + "\n")
    found = lw.fit(tmp_path / "fall.toml", tmp_path / "data.csv", {"y": "point.B.y"}, jobs=1)
    assert found.success and found.intervals[0, 0] < 9.81 < found.intervals[0, 1]
    assert found.standard_errors[0] < 0.01


def test_faults(tmp_path: Path) -> None:
    file = tmp_path / "slider.toml"
    file.write_text(SLIDER.replace("point.B.x) -", "point.X.x) -"))
    with pytest.raises(lw.Error, match="X"):
        lw.optimize(file)
