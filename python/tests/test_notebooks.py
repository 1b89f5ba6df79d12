"""Notebooks are those of the examples, and run; with nbclient in a kernel of Jupyter, else cell by cell."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

FOLDER = ROOT / "python" / "notebooks"


def test_notebooks_are_up_to_date() -> None:
    assert subprocess.run([sys.executable, str(FOLDER / "make.py"), "--check"], check=False).returncode == 0


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.ipynb")), ids=lambda file: file.stem)
def test_notebooks_run(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [cell for cell in json.loads(file.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    monkeypatch.chdir(tmp_path)
    if os.environ.get("LINKWORK_PYTHON") != "wheel":
        names: dict[str, object] = {}
        for number, cell in enumerate(cells):
            exec(compile("".join(cell["source"]), f"{file.name}, cell {number}", "exec"), names)
        return
    import nbclient
    import nbformat

    notebook = nbformat.read(file, as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    last = notebook.cells[-1]
    if last.source == "run":  # the notebook shows the page
        assert "<iframe srcdoc=" in last.outputs[0].data["text/html"]
