"""How far a run is, for people."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType


class Progress:
    """A bar on standard error, which a terminal or a notebook shows."""

    WIDTH = 40

    def __init__(self, end: float, shown: bool, what: str = "s") -> None:
        self._end, self._shown, self._what = end, shown, what
        self._began = time.monotonic()

    @property
    def callback(self) -> Callable[[float], None] | None:
        """What the engine calls now and then."""
        return self._show if self._shown else None

    def _show(self, done: float) -> None:
        part = min(max(done / self._end, 0.0), 1.0) if self._end > 0 else 1.0
        full = round(part * self.WIDTH)
        passed = time.monotonic() - self._began
        left = f"{passed / part - passed:5.0f} s left" if part > 0 else ""
        bar = "━" * full + "─" * (self.WIDTH - full)
        print(f"\r{bar} {100 * part:3.0f} % of {self._end:g} {self._what} {left} ", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._shown:
            if kind is None:
                self._show(self._end)
            print(file=sys.stderr)
