"""Makes the notebooks from the programs in python/examples: ``python python/notebooks/make.py``.

The docstring is the first cell; `# %%` begins a cell of code, and a comment right behind it is a cell of text. At the end each notebook shows its run, if it has one.
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
NAMES = ["four_bar_design", "suspension_study", "control_loop", "batch_with_plots"]


def cell(kind: str, number: int, text: str) -> dict[str, Any]:
    made: dict[str, Any] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": text.strip("\n").splitlines(keepends=True)}
    return made | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def notebook(name: str) -> str:
    text = (HERE.parent / "examples" / f"{name}.py").read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(text)) or ""
    title, _, rest = docstring.partition("\n")
    code = text.split('"""', 2)[2]
    cells = [cell("markdown", 0, f"# {title}\n{rest}")]
    for piece in code.split("\n# %%\n"):
        lines = piece.strip("\n").splitlines()
        said = []
        while lines and lines[0].startswith("# ") and cells[1:]:
            said.append(lines.pop(0).removeprefix("# "))
        if said:
            cells.append(cell("markdown", len(cells), "\n".join(said)))
        cells.append(cell("code", len(cells), "\n".join(lines)))
    if "run = " in code:
        cells.append(cell("markdown", len(cells), "The report of the run: play it, and choose what is plotted."))
        cells.append(cell("code", len(cells), "run"))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    made = {"cells": cells, "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for each in NAMES:
        file = HERE / f"{each}.ipynb"
        if "--check" in sys.argv and file.read_text(encoding="utf-8") != notebook(each):
            sys.exit(f"{file} is not what its example says: run python {__file__}")
        if "--check" not in sys.argv:
            file.write_text(notebook(each), encoding="utf-8")
