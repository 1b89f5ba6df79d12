"""The command ``linkwork``: ``python -m linkwork run four-bar.toml``."""

from __future__ import annotations

import signal
import sys

from . import _native


def main() -> int:
    """Runs the command with the arguments of the program; its exit code."""
    # the command has its own way to end on Ctrl-C, and a closed pipe is no reason for a traceback
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.command(["linkwork", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
