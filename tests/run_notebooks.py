"""Every notebook runs from its first cell to its last: `make test-notebooks`, not part of the other passes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from scripts.store_notebooks import STYLER
from tests.fixtures import BUILT_IN, load
from tests.printed import text_of, unread_names

nbformat: Any = import_module("nbformat")  # without types

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.rglob("[0-9]*.ipynb"))
TEACHERS = sorted((FOLDER / "solutions").glob("*.ipynb"))

# A kernel and its imports take longer than many a notebook, so all share one, and each finds it without any names but
# those of its own folder and without pictures; `make docs` runs each in a kernel of its own. Pictures are drawn, but
# small and once, and what one notebook has loaded is not searched for garbage in the next.
FORGET = """import gc as _gc
import os as _os
import matplotlib.pyplot as _plt
_plt.close('all')
_plt.rcdefaults()
%matplotlib inline
%config InlineBackend.print_figure_kwargs = {{'bbox_inches': None}}
_plt.rcParams['figure.dpi'] = 25
_gc.freeze()
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


@pytest.fixture(scope="module")
def executed(kernel: Any, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Any]:  # noqa: ANN401
    """Return what runs a notebook, once however often it is asked for, and returns it with its results."""

    @cache
    def run_once(path: Path) -> Any:  # noqa: ANN401
        notebook = nbformat.read(path, as_version=4)
        run(kernel, notebook, tmp_path_factory.mktemp("notebook"))
        return notebook

    return run_once


def results(cell: Any) -> str:  # noqa: ANN401
    """Return what a cell shows, as text."""
    shown = [output.get("data", {"text/plain": output.get("text", "")}) for output in cell.get("outputs", [])]
    return "\n".join(data.get("text/markdown") or data.get("text/html") or data.get("text/plain", "") for data in shown)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_notebook_runs(executed: Callable[[Path], Any], path: Path) -> None:
    executed(path)


def test_names_in_notebooks_are_read_back(executed: Callable[[Path], Any]) -> None:
    game_maps = [load(name) for name in BUILT_IN]
    n_names = 0
    for path in NOTEBOOKS:
        text = "\n".join(text_of(results(cell)) for cell in executed(path).cells)
        n_found, unread = unread_names(text, game_maps, pairs=True)

        assert unread == [], path.stem
        n_names += n_found
    assert n_names > 200


@pytest.mark.parametrize("teacher", TEACHERS, ids=lambda path: path.stem)
def test_solutions_change_no_result_for_students(executed: Callable[[Path], Any], teacher: Path) -> None:
    editions = (executed(path).cells for path in (teacher, FOLDER / teacher.name))
    # Graded cells are right with the solutions, and wrong without them; pandas gives each table a random name.
    with_solutions, without = (
        {cell["id"]: STYLER.sub("", results(cell)) for cell in cells if "nbgrader" not in cell["metadata"]}
        for cells in editions
    )
    common = with_solutions.keys() & without.keys()

    assert len(common) > 20
    for name in common:
        assert with_solutions[name] == without[name], name


def test_a_notebook_knows_nothing_of_the_one_before(kernel: Any, tmp_path: Path) -> None:  # noqa: ANN401
    one, other = (nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)]) for code in ("x = 1", "x"))

    run(kernel, one, tmp_path)
    with pytest.raises(CellExecutionError, match="NameError"):
        run(kernel, other, tmp_path)
