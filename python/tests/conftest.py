"""What the tests share."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import linkwork as lw
import pytest

ROOT = Path(__file__).parents[2]

PUSHED = """
format = 1
model = { name = "mass on a rail", gravity = "none" }
points = { O = [0, 0], C = [0, 0] }
bodies.ground = { points = ["O"] }
bodies.cart = { points = ["C"], mass = 2, com = [0, 0], inertia = 1 }
joints.rail = { type = "prismatic", bodies = ["ground", "cart"], at = ["O", "C"], axis = [1, 0] }
inputs.push = { unit = "N", limits = [-40, 40] }
actuators.motor = { joint = "rail", force = "input.push" }
simulation.duration = 2
"""
"""A mass of 2 kg that an input pushes."""


@pytest.fixture
def pushed() -> lw.Model:
    return lw.loads(PUSHED)


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Python's own answer to Ctrl-C, also where the tests run in the background: a shell starts those with the signal ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def four_bar() -> lw.Mechanism:
    return lw.load(ROOT / "examples" / "four-bar.toml").assemble()


def command(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Runs the command of the package."""
    given = [sys.executable, "-m", "linkwork", *arguments]
    return subprocess.run(given, cwd=cwd, capture_output=True, text=True, timeout=120, check=False)
