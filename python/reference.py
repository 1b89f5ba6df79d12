"""Writes docs/python-api.md, the reference of the Python package, from the docstrings and signatures of its sources: ``python python/reference.py``."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "python-api.md"

GROUPS = [
    ("Models", "_model", ["load", "loads", "examples", "Model"]),
    ("Mechanisms", "_model", ["Mechanism"]),
    ("Runs", "_run", ["Run", "Summary", "Event", "Reaction", "Picture"]),
    ("Simulations", "_simulation", ["Simulation", "Port", "State", "Moved"]),
    ("Batches", "_batch", ["Batch", "BatchResult", "Simulations"]),
    ("Sweeps", "_sweep", ["sweep", "SweepFolder", "SweepStatus"]),
    ("Questions about mechanisms", "_analysis", []),
    ("Sensitivities", "_sensitivity", ["sensitivity", "Sensitivity", "Agreement"]),
    ("Optimisation", "_optimize", []),
    ("Environments", "gym", ["Environment", "VectorEnvironment"]),
    (
        "Exceptions",
        "_errors",
        ["Error", "ModelError", "Fault", "RunFailure", "InputError", "DerivativeError", "FileError", "MissingFileError", "InternalError"],
    ),
]
"""Headings, modules, and what is shown of them; an empty list shows all that has a docstring and no underscore."""

HEAD = """# Python: reference

Everything that `import linkwork as lw` offers, as the sources have it. [Python in 15 minutes](python.md) shows how it goes together.

<!-- written by python/reference.py -->
"""


def text(docstring: str | None) -> str:
    """A docstring as Markdown: examples become blocks of code."""
    if not docstring:
        return ""
    lines: list[str] = []
    code = False
    for line in docstring.replace("``", "`").splitlines():
        is_code = line.startswith((">>>", "...")) or (code and bool(line.strip()))
        if is_code != code:
            lines += ["```pycon"] if is_code else ["```"]
            code = is_code
        lines.append(line)
    if code:
        lines.append("```")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def signature(function: ast.FunctionDef, name: str) -> str:
    """How a function is called; what it is called on is left out."""
    arguments = function.args
    if arguments.args and arguments.args[0].arg in ("self", "cls"):
        arguments.args = arguments.args[1:]
    returns = f" -> {ast.unparse(function.returns)}" if function.returns and name != "__init__" else ""
    call = f"({ast.unparse(arguments)}){returns}"
    return call


def is_property(function: ast.FunctionDef) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "property" for d in function.decorator_list)


def attributes(body: list[ast.stmt]) -> Iterator[str]:
    """Attributes with a type, and what is said of them in the line below."""
    for statement, after in zip(body, [*body[1:], None], strict=True):
        name = ast.unparse(statement.target).removeprefix("self.") if isinstance(statement, ast.AnnAssign) else "_"
        if isinstance(statement, ast.AnnAssign) and not name.startswith("_"):
            said = ""
            if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str):
                said = ": " + after.value.value.replace("``", "`")
            yield f"- `{name}` (`{ast.unparse(statement.annotation)}`){said}\n"


def of_class(item: ast.ClassDef) -> Iterator[str]:
    bases = ", ".join(ast.unparse(base) for base in item.bases)
    yield f"### `{item.name}`\n"
    if bases and item.name != "Error":
        yield f"A `{bases}`.\n"
    yield text(ast.get_docstring(item))
    fields = list(attributes(item.body))
    functions = [node for node in item.body if isinstance(node, ast.FunctionDef)]
    for function in functions:
        if function.name == "__init__":
            fields += attributes(function.body)
    if fields:
        yield "".join(fields)
    for function in functions:
        said = text(ast.get_docstring(function))
        if function.name.startswith("_") and function.name != "__getitem__" and not (function.name == "__init__" and said):
            continue
        if is_property(function):
            kind = f" (`{ast.unparse(function.returns)}`)" if function.returns else ""
            yield f"- `{function.name}`{kind}: {said}"
            continue
        name = {"__init__": item.name, "__getitem__": f"{item.name.lower()}[...]"}.get(function.name, f"{function.name}")
        call = signature(function, function.name)
        if function.name == "__getitem__":
            yield f"#### `{name}`\n\n```python\n__getitem__{call}\n```\n"
        else:
            yield f"#### `{item.name}.{name}`\n\n```python\n{name}{call}\n```\n" if name != item.name else f"```python\n{name}{call}\n```\n"
        yield said


def page() -> str:
    parts = [HEAD]
    for heading, module, wanted in GROUPS:
        tree = ast.parse((ROOT / "python" / "linkwork" / f"{module}.py").read_text(encoding="utf-8"))
        parts.append(f"## {heading}\n")
        items = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
        names = wanted or [name for name, node in items.items() if not name.startswith("_") and ast.get_docstring(node)]
        for name in names:
            node = items.get(name)
            if node is None:
                place = next(i for i, n in enumerate(tree.body) if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == name)
                said = ast.literal_eval(tree.body[place + 1].value)  # type: ignore[attr-defined]
                parts.append(f"### `{name}`\n\n{text(said)}")
            elif isinstance(node, ast.ClassDef):
                parts.extend(of_class(node))
            else:
                said = text(ast.get_docstring(node))
                parts.append(f"### `{name}`\n\n```python\n{name}{signature(node, name)}\n```\n\n{said}")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(part for part in parts if part)).strip() + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(PAGE.read_text(encoding="utf-8") != page())
    PAGE.write_text(page(), encoding="utf-8")
