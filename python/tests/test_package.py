"""The package as a whole: documentation, types, stubs, the command."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import linkwork as lw
import pytest
from conftest import ROOT, command
from linkwork import _native

MODULES = ["linkwork", *(f"linkwork.{name}" for name in ("_analysis", "_batch", "_errors", "_model", "_run", "_sensitivity", "_simulation", "_sweep"))]


def blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def write_files(page: Path, folder: Path) -> None:
    """The files that a page builds up, as a reader has them in the end: blocks name their file in the first line, and `cp` copies one. What commands make is left out."""
    text = page.read_text(encoding="utf-8")
    for block in re.findall(r"^```(?:toml|xml|sh)\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        first = block.split("\n", 1)[0]
        if whole := re.fullmatch(r"# (\S+\.toml)|<!-- (\S+) -->", first):
            (folder / (whole[1] or whole[2])).write_text(block, encoding="utf-8")
        elif (added := re.fullmatch(r"# at the end of (\S+)", first)) and (folder / added[1]).is_file():
            with (folder / added[1]).open("a", encoding="utf-8") as file:
                file.write(block)
        elif (copied := re.fullmatch(r"cp (\S+) (\S+)", first)) and (folder / copied[1]).is_file():
            shutil.copy(folder / copied[1], folder / copied[2])


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/tutorials/robot-arm.md", "docs/how-to/robots.md", "docs/how-to/teaching.md"])
def test_programs_in_the_documentation_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a page in order, as one program: later ones use names of earlier ones."""
    pytest.importorskip("gymnasium")
    pytest.importorskip("pandas")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    write_files(ROOT / page, tmp_path)
    monkeypatch.chdir(tmp_path)
    programs = blocks(ROOT / page)
    assert programs, page
    names: dict[str, object] = {}
    for number, program in enumerate(programs):
        exec(compile(program, f"{page}, block {number + 1}", "exec"), names)


@pytest.mark.parametrize("example", sorted((ROOT / "python" / "examples").glob("*.py")), ids=lambda file: file.stem)
def test_examples_run(example: Path, tmp_path: Path) -> None:
    ran = subprocess.run([sys.executable, str(example)], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("module", MODULES)
def test_docstrings_hold(module: str) -> None:
    results = doctest.testmod(importlib.import_module(module))
    assert results.failed == 0


def test_reference_is_up_to_date() -> None:
    """`python python/reference.py` writes the page again."""
    ran = subprocess.run([sys.executable, str(ROOT / "python" / "reference.py"), "--check"], check=False)
    assert ran.returncode == 0, "run `python python/reference.py`"


def test_stubs_describe_the_module() -> None:
    """Every class, method and function of the module stands in the stub with the same arguments, and nothing else. `maturin generate-stubs` writes it again."""
    tree = ast.parse((ROOT / "python" / "linkwork" / "_native.pyi").read_text(encoding="utf-8"))

    def arguments(function: ast.FunctionDef) -> list[str]:
        given = function.args
        return [a.arg for a in [*given.posonlyargs, *given.args, *given.kwonlyargs] if a.arg not in ("self", "cls")]

    def of_object(thing: object) -> list[str] | None:
        try:
            return [name for name in inspect.signature(thing).parameters if name != "self"]  # type: ignore[arg-type]
        except (TypeError, ValueError):
            return None

    told: dict[str, list[str] | None] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            told[node.name] = arguments(node)
        if isinstance(node, ast.ClassDef):
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    is_property = any(ast.unparse(d) == "property" for d in member.decorator_list)
                    told[f"{node.name}.{member.name}"] = None if is_property else arguments(member)
    there: dict[str, list[str] | None] = {}
    for name, thing in vars(_native).items():
        if name.startswith("__"):
            continue
        if not isinstance(thing, type):
            there[name] = of_object(thing)
            continue
        for member, value in vars(thing).items():
            if member == "__new__":
                there[f"{name}.__new__"] = of_object(thing)
            elif not member.startswith("__"):
                there[f"{name}.{member}"] = of_object(value) if callable(value) else None
    constructors = [name for name in there if name.endswith("__new__")]
    for name in constructors:  # classes that Python cannot make have none
        if name not in told:
            del there[name]
    assert told == there


PROGRAM = """
import linkwork as lw
import numpy as np
from numpy.typing import NDArray

model: lw.Model = lw.load("four-bar.toml", l2=0.9)
mechanism = model.assemble(duration=2.0)
run: lw.Run = mechanism.simulate(progress=True)
angle: NDArray[np.float64] = run["joint.A.q"]
moment: NDArray[np.float64] | None = run.reaction("A").moment
names: list[str] = mechanism.columns

def brake(t: float, y: NDArray[np.float64], u: NDArray[np.float64]) -> None:
    u[0] = -y[0]

mechanism.simulate(controller=brake, every=1e-3, observe=["joint.A.v"], actuate=["joint.A"])
with mechanism.simulation() as simulation:
    simulation.inputs["throttle"] = 3.0
    state: lw.State = simulation.state
    port = simulation.port(["throttle"], ["joint.A.q"])
    port.u[0] = 1.0
    word: str = port.advance(0.01)
result = lw.Batch(mechanism).run(parameters={"l2": np.linspace(0.5, 1, 8)}, columns=["joint.A.q"])
values: NDArray[np.float64] = result["joint.A.q"]
memory: lw.BatchResult = lw.sweep(mechanism, {"l2": [0.5, 1.0]}, columns=["joint.A.q"])
derivative: float = lw.sensitivity(model, of=["final(joint.A.q)"], by=["l2"])["final(joint.A.q)", "l2"]
folder: lw.SweepFolder = lw.sweep(mechanism, {"l2": "0.5..1"}, sample="sobol:8", out="sweep")
try:
    lw.loads("")
except lw.ModelError as error:
    paths: list[str] = [fault.path for fault in error.faults]
except lw.RunFailure as failure:
    rows: lw.Run | None = failure.run
"""
"""A program that uses the package, with the types that it expects."""


def test_types_by_pyright(tmp_path: Path) -> None:
    """As the next one, with the checker of many editors."""
    pytest.importorskip("pyright")
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "wrong.py").write_text("import linkwork as lw\nlw.load(3)\n", encoding="utf-8")
    settings = {"include": ["."], "extraPaths": [str(ROOT / "python")], "typeCheckingMode": "strict"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    given = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson"]
    ran = subprocess.run(given, cwd=tmp_path, capture_output=True, text=True, check=False)
    told = json.loads(ran.stdout)["generalDiagnostics"]
    assert {Path(each["file"]).name for each in told if each["severity"] == "error"} == {"wrong.py"}, ran.stdout


def test_types_of_the_package_and_of_a_program(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    # "linkwork" is found where the tests run it from, with its types
    environment = os.environ | {"MYPYPATH": str(ROOT / "python")}
    given = [sys.executable, "-m", "mypy", "--strict", "--config-file", str(ROOT / "pyproject.toml"), str(program), str(ROOT / "python" / "linkwork")]
    ran = subprocess.run(given, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import linkwork as lw\nlw.load(3)\nlw.examples['a'].assemble(duration='1')\n")
    given[-2:] = [str(wrong)]
    ran = subprocess.run(given, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert "Found 2 errors" in ran.stdout, ran.stdout


def test_the_command_is_there(tmp_path: Path) -> None:
    assert command("--version", cwd=tmp_path).stdout.startswith("linkwork ")
    assert command("examples", "four-bar", cwd=tmp_path).stdout == lw.examples.text("four-bar")
    missing = command("run", "none.toml", cwd=tmp_path)
    assert missing.returncode == 2 and "none.toml" in missing.stderr and "Traceback" not in missing.stderr
    assert command("no-such-verb", cwd=tmp_path).returncode == 2


def test_every_name_is_there_and_documented() -> None:
    for name in lw.__all__:
        thing = getattr(lw, name)
        assert name in ("examples", "gym") or inspect.getdoc(thing), name
    with pytest.raises(AttributeError):
        lw.nothing  # noqa: B018
    assert re.fullmatch(r"\d+(\.\d+)*", lw.__version__)
