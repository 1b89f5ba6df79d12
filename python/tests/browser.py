"""A browser that tests drive: Chromium without a window, told by a pipe what to do (the DevTools protocol)."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from types import TracebackType
from typing import Any

import pytest

PATIENCE = 120.0
"""Limit of a wait, s: far beyond what a busy machine takes."""


def program() -> str:
    """Where the browser is; without one the test is skipped, unless one is demanded."""
    names = [os.environ.get("CHROMIUM", "chromium"), "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        if os.environ.get("LINKWORK_BROWSER") == "required":
            pytest.fail("no browser: put Chromium on the PATH or name it in CHROMIUM")
        pytest.skip("no browser: put Chromium on the PATH or name it in CHROMIUM")
    return found


class Browser:
    """A page in a running browser."""

    def __init__(self, width: int = 1000, height: int = 900) -> None:
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        import fcntl  # there is none on Windows

        theirs, self._to = os.pipe()
        self._from, their_answers = os.pipe()
        # it reads what it is told at number 3 and answers at number 4: far from there, so that neither is overwritten
        far = [fcntl.fcntl(number, fcntl.F_DUPFD, 10) for number in (theirs, their_answers)]
        begin = "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"
        options = [
            "--headless", "--no-sandbox", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-extensions", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--remote-debugging-pipe",
            f"--window-size={width},{height}", f"--user-data-dir={self._folder.name}", "about:blank",
        ]  # fmt: skip
        told = [sys.executable, "-c", begin, *map(str, far), program(), *options]
        self._process = subprocess.Popen(told, pass_fds=far, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for number in (theirs, their_answers, *far):
            os.close(number)
        self._rest, self._number, self._session = b"", 0, ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)
        self._folder.cleanup()

    def call(self, method: str, **parameters: Any) -> Any:
        """Calls a method of the protocol."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self._rest:
                piece = os.read(self._from, 1 << 20)
                assert piece, "the browser has ended"
                self._rest += piece
            answer, self._rest = self._rest.split(b"\0", 1)
            told = json.loads(answer)
            if told.get("id") == self._number:
                assert "error" not in told, f"{method}: {told['error']}"
                return told["result"]

    def evaluate(self, expression: str) -> Any:
        """The value of an expression of JavaScript."""
        told = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    def wait_for(self, expression: str) -> Any:
        """Waits until an expression is true, and gives its value."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            value = self.evaluate(expression)
            if value:
                return value
            time.sleep(0.05)
        pytest.fail(f"`{expression}` does not come true")

    def picture(self, x: float, y: float, width: float, height: float) -> bytes:
        """The part of the page, as PNG."""
        clip = {"x": x, "y": y, "width": width, "height": height, "scale": 1}
        return base64.b64decode(self.call("Page.captureScreenshot", clip=clip)["data"])
