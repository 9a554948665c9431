"""Every notebook runs from its first cell to its last: `make test-notebooks`, not part of the other passes."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

nbformat: Any = import_module("nbformat")  # without types

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").rglob("[0-9]*.ipynb"))

# A kernel and its imports take longer than many a notebook, so all share one, and each finds it without any names but
# those of its own folder and without pictures; `make docs` runs each in a kernel of its own.
FORGET = """import os as _os
import matplotlib.pyplot as _plt
_plt.close('all')
_plt.rcdefaults()
%matplotlib inline
_os.chdir({folder!r})
%reset -f"""


@pytest.fixture(scope="module")
def kernel() -> Iterator[Any]:
    """Return a kernel that runs."""
    manager: Any = KernelManager(kernel_name="python3")
    manager.start_kernel()
    yield manager
    manager.shutdown_kernel(now=True)


def run(kernel: Any, notebook: Any, folder: Path) -> None:  # noqa: ANN401
    """Run a notebook in a folder; raise what a cell raises."""
    notebook.cells.insert(0, nbformat.v4.new_code_cell(FORGET.format(folder=str(folder))))
    client: Any = NotebookClient(notebook, km=kernel, timeout=600)
    try:
        client.execute()
    finally:
        client.kc.stop_channels()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_notebook_runs(kernel: Any, path: Path, tmp_path: Path) -> None:  # noqa: ANN401
    run(kernel, nbformat.read(path, as_version=4), tmp_path)


def test_a_notebook_knows_nothing_of_the_one_before(kernel: Any, tmp_path: Path) -> None:  # noqa: ANN401
    one, other = (nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)]) for code in ("x = 1", "x"))

    run(kernel, one, tmp_path)
    with pytest.raises(CellExecutionError, match="NameError"):
        run(kernel, other, tmp_path)
