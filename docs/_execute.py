"""Run all notebooks of the site at once, as many as there are cores: Sphinx would run one after the other."""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

nbformat: Any = import_module("nbformat")  # without types

_SECONDS = 600
"""That a cell may take."""


def execute(notebooks: list[Path]) -> None:
    """Run notebooks and write them with what came of it; the first cell that fails ends it all."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context) as pool:
        for _ in pool.map(_execute, reversed(notebooks)):  # those that play most games come late, and take longest
            pass


def _execute(notebook: Path) -> None:
    book = nbformat.read(notebook, as_version=4)
    with tempfile.TemporaryDirectory() as folder:  # whatever a notebook writes
        try:
            NotebookClient(book, timeout=_SECONDS, resources={"metadata": {"path": folder}}).execute()
        except CellExecutionError:
            print(f"{notebook} fails", file=sys.stderr)  # the error tells only the cell
            raise
    nbformat.write(book, notebook)
