"""Run all notebooks of the site in parallel, one per core; Sphinx would run them one after the other."""

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
    """
    Run notebooks and write them with their results; the first cell that fails stops everything.

    A student edition is the teacher's notebook without the solutions, which do not
    affect later cells. So only teachers' notebooks run, and students' get the
    results of the same cells.
    """
    teachers = {path.name: path for path in notebooks if path.parent.name == "solutions"}
    students = [path for path in notebooks if path.name in teachers and path != teachers[path.name]]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context) as pool:
        # The largest first: mostly these take longest, and in the end no core waits for one of them.
        run = sorted(set(notebooks).difference(students), key=lambda path: path.stat().st_size, reverse=True)
        for _ in pool.map(_execute, run):
            pass
    for path in students:
        _fill_in(path, nbformat.read(teachers[path.name], as_version=4))


def _execute(notebook: Path) -> None:
    book = nbformat.read(notebook, as_version=4)
    with tempfile.TemporaryDirectory() as folder:  # whatever a notebook writes
        try:
            NotebookClient(book, timeout=_SECONDS, resources={"metadata": {"path": folder}}).execute()
        except CellExecutionError:
            print(f"{notebook} fails", file=sys.stderr)  # the error tells only the cell
            raise
    nbformat.write(book, notebook)


def _fill_in(notebook: Path, executed: Any) -> None:  # noqa: ANN401
    """Copy the results of the same cells of another notebook."""
    book = nbformat.read(notebook, as_version=4)
    outputs = {cell["id"]: cell["outputs"] for cell in executed.cells if cell.cell_type == "code"}
    for cell in book.cells:
        if cell.cell_type == "code":
            cell["outputs"] = outputs.get(cell["id"], [])
    nbformat.write(book, notebook)
