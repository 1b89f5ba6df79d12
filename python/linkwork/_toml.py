"""Values as TOML, as they are given along with a model file."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from ._errors import InputError
from ._model import _plain


def toml(value: Any) -> str:
    """A value as TOML has it, in one line."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{toml(str(key))} = {toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        if not math.isfinite(value):
            raise InputError(f"{value} cannot stand in a model: numbers are finite")
        # those of NumPy have other names
        return repr(int(value) if isinstance(value, int) else float(value))
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    return toml(_plain(value))
