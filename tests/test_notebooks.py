"""How notebooks are stored. That they run is shown by `run_notebooks.py`."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return each notebook in turn."""
    content: dict[str, Any] = json.loads(request.param.read_text(encoding="utf-8"))
    return content


def stored_results(notebook: dict[str, Any]) -> list[str]:
    """Return what a run has left behind in a notebook."""
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    left = [f"outputs of {cell['source'][:1]}" for cell in code if cell["outputs"]]
    left += [f"count of {cell['source'][:1]}" for cell in code if cell["execution_count"] is not None]
    left += [f"execution times of {cell['source'][:1]}" for cell in code if "execution" in cell["metadata"]]
    return left + [f"metadata {key}" for key in ("papermill", "widgets") if key in notebook["metadata"]]


def test_what_a_run_leaves_is_found() -> None:
    cell: dict[str, Any] = {
        "cell_type": "code",
        "source": ["1 + 1"],
        "outputs": [],
        "execution_count": None,
        "metadata": {},
    }

    assert stored_results({"cells": [cell], "metadata": {}}) == []
    assert stored_results({"cells": [{**cell, "outputs": [{}]}], "metadata": {}}) == ["outputs of ['1 + 1']"]
    assert stored_results({"cells": [{**cell, "execution_count": 1}], "metadata": {}}) == ["count of ['1 + 1']"]
    assert stored_results({"cells": [], "metadata": {"widgets": {}}}) == ["metadata widgets"]


def test_a_notebook_holds_no_results(notebook: dict[str, Any]) -> None:
    assert stored_results(notebook) == [], "clear them: .venv/bin/nbstripout notebooks/*.ipynb"


def test_a_notebook_opens_on_any_machine(notebook: dict[str, Any]) -> None:
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"


def test_a_notebook_begins_with_its_title(notebook: dict[str, Any]) -> None:
    first = notebook["cells"][0]

    assert first["cell_type"] == "markdown"
    assert "".join(first["source"]).startswith("# ")


def test_code_that_only_tells_is_folded_away(notebook: dict[str, Any]) -> None:
    code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code" and shows(cell)]

    assert [source for source in code if ends_in_words(source)] == []


def shows(cell: dict[str, Any]) -> bool:
    """Return whether the code of a cell is seen, in Jupyter or on the pages."""
    folded = cell["metadata"].get("jupyter", {}).get("source_hidden", False)
    return not (folded and "hide-input" in cell["metadata"].get("tags", []))


def ends_in_words(source: str) -> bool:
    """Return whether the last line of a cell makes a paragraph."""
    last = ast.parse(source).body[-1]
    return isinstance(last, ast.Expr) and ast.unparse(last).startswith("Markdown(")


def test_notebooks_are_numbered_in_reading_order() -> None:
    numbers = [int(path.name.partition("_")[0]) for path in NOTEBOOKS]

    assert numbers == list(range(1, len(NOTEBOOKS) + 1))
    assert len(numbers) >= 4
