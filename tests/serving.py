"""`ttr-analysis play`, or `train`, as a process, for tests that open its page or speak for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]


class Served:
    """
    A table that is served.

    Parameters
    ----------
    process
        The process.
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.address = self._said()
        self._said()

    def _said(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def kill(self) -> None:
        """End it at once, as a crash does."""
        self._process.kill()
        self._process.communicate()

    def stop(self) -> tuple[int, str, str]:
        """Press ctrl-c; return the exit code, what was said after the address, and what was complained of."""
        self._process.send_signal(signal.SIGINT)
        said, complaints = self._process.communicate(timeout=30)
        return self._process.returncode, said.strip(), complaints


@contextmanager
def served(*options: str, folder: Path, command: str = "play") -> Iterator[Served]:
    """Serve a table, or what another command shows, from a folder of its own."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    process = subprocess.Popen(
        [sys.executable, "-m", "ttr_analysis", command, "--no-browser", *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell lets what runs in its background ignore ctrl-c, and so would the table.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no thread is touched
    )
    try:
        yield Served(process)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
