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

from ttr_analysis.teaching.editions import student_edition

nbformat: Any = import_module("nbformat")  # without types

_SECONDS = 600
"""That a cell may take."""


def prepare_kernels(site: Path, folder: Path) -> None:
    """Let kernels add the pages of widgets to a site, and leave the settings of the user alone; see `_kernel.py`."""
    os.environ["PYTHONSTARTUP"] = str(Path(__file__).with_name("_kernel.py"))
    os.environ["TTR_SITE"] = str(site)
    profile = folder / "ipython" / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    # Kernels need not warn that they talk unencrypted.
    (profile / "ipython_kernel_config.py").write_text('c.IPKernelApp.log_level = "ERROR"\n', encoding="utf-8")
    os.environ["IPYTHONDIR"] = str(profile.parent)


def execute(notebooks: list[Path], n_processes: int | None = None) -> list[Path]:
    """
    Run notebooks and write them with their results; return those that fail, and print why.

    A student edition is the teacher's notebook without the solutions, which do not
    affect later cells. So only teachers' notebooks run, and students' editions are
    made of them with their results.
    """
    teachers = {path.name: path for path in notebooks if path.parent.name == "solutions"}
    students = [path for path in notebooks if path.name in teachers and path != teachers[path.name]]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(n_processes or os.cpu_count(), mp_context=context) as pool:
        # The largest first: mostly these take longest, and in the end no core waits for one of them.
        run = sorted(set(notebooks).difference(students), key=lambda path: path.stat().st_size, reverse=True)
        failed = [path for path, fault in zip(run, pool.map(_execute, run), strict=True) if fault]
    for path in students:
        nbformat.write(nbformat.from_dict(student_edition(nbformat.read(teachers[path.name], as_version=4))), path)
    return failed


def _execute(notebook: Path) -> bool:
    """Run a notebook and write it; return whether it fails."""
    book = nbformat.read(notebook, as_version=4)
    with tempfile.TemporaryDirectory() as folder:  # whatever a notebook writes
        resources = {"metadata": {"path": folder}}
        try:
            NotebookClient(book, timeout=_SECONDS, record_timing=False, resources=resources).execute()
        except CellExecutionError as error:
            print(f"{notebook} fails: {error}", file=sys.stderr)
            return True
    nbformat.write(book, notebook)
    return False
