"""Questions about a mechanism that are more than a run."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from . import _native
from ._model import Mechanism, Model


@dataclass(frozen=True)
class Comparison:
    """A mechanism in every formulation that applies."""

    agrees: bool
    """Whether they agree within what their tolerances allow."""
    verdict: str
    """What they say, for people."""
    reference: str
    """The formulation that the others are compared with."""
    formulations: list[dict[str, Any]] = field(repr=False)
    """Each with its status and how far it is from the reference."""
    data: dict[str, Any] = field(repr=False)
    """All that ``linkwork compare --format json`` prints."""


def compare(mechanism: Mechanism | Model) -> Comparison:
    """Runs a mechanism in every formulation that applies and says by how much they differ.

    >>> import linkwork as lw
    >>> lw.compare(lw.examples["pendulum"].assemble(duration=1)).agrees
    True
    """
    if isinstance(mechanism, Model):
        mechanism = mechanism.assemble()
    data = json.loads(_native.compare(mechanism._native))
    return Comparison(data["agrees"], data["verdict"], data["reference"], data["formulations"], data)
