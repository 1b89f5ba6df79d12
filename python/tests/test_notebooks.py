"""Notebooks are those of the examples, and run; with nbclient in a kernel of Jupyter, else cell by cell."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import linkwork as lw
import pytest
from browser import PATIENCE, Browser, program
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


def shown_in_a_notebook(value: object) -> str:
    """A page as notebooks are shown in a browser, with a value that a cell ends with: made by nbconvert where it is there."""
    output = {"text/html": value._repr_html_(), "text/plain": repr(value)}  # type: ignore[attr-defined]
    try:
        import nbconvert
        import nbformat.v4 as v4
    except ImportError:
        return f"<!doctype html><div class='jp-OutputArea-output'>{output['text/html']}</div>"
    cell = v4.new_code_cell("run", outputs=[v4.new_output("execute_result", data=output, execution_count=1)])
    page, _ = nbconvert.HTMLExporter().from_notebook_node(v4.new_notebook(cells=[cell]))
    return str(page)


def test_a_notebook_shows_the_mechanism_moving(tmp_path: Path, four_bar: lw.Mechanism) -> None:
    program()
    page = tmp_path / "notebook.html"
    page.write_text(shown_in_a_notebook(four_bar.simulate(duration=2)), encoding="utf-8")
    inside = "document.querySelector('iframe').contentDocument"
    with Browser() as browser:
        browser.call("Page.navigate", url=page.as_uri())
        browser.wait_for(f"document.querySelector('iframe') && {inside} && {inside}.querySelector('#time') && 1")
        browser.evaluate("document.querySelector('iframe').scrollIntoView()")

        def clock() -> float:
            return float(browser.evaluate(f"{inside}.querySelector('#time').value"))

        # it plays by itself: the clock goes on, and so does the picture
        canvas = f"{inside}.querySelector('canvas')"
        browser.wait_for(f"{inside}.querySelector('#time').value > 0.05")
        place = json.loads(
            browser.evaluate(
                f"""(() => {{ const a = document.querySelector('iframe').getBoundingClientRect(), b = {canvas}.getBoundingClientRect();
                return JSON.stringify([a.x + b.x + scrollX, a.y + b.y + scrollY, b.width, b.height]); }})()"""
            )
        )

        def still() -> bytes:
            """The picture when it has come to rest: a little after the clock has stopped it is drawn again, finely."""
            last, end = b"", time.monotonic() + PATIENCE
            while (now := browser.picture(*place)) != last and time.monotonic() < end:
                last = now
                time.sleep(0.3)
            return now

        def play_or_pause() -> None:
            browser.evaluate(f"{inside}.querySelector('#play').click()")

        play_or_pause()
        before, stands = still(), clock()
        assert still() == before and clock() == stands
        play_or_pause()
        browser.wait_for(f"Math.abs({inside}.querySelector('#time').value - {stands}) > 0.2")
        play_or_pause()
        assert still() != before, "the clock goes on, and the picture does not"
