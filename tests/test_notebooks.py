"""How notebooks are stored. That they run is shown by `run_notebooks.py`."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from scripts.editions import dumps, student_edition

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
TEACHERS = sorted((FOLDER / "solutions").glob("*.ipynb"))


@pytest.fixture(params=[*NOTEBOOKS, *TEACHERS], ids=lambda path: f"{path.parent.name}-{path.stem}")
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
    *_, last = [None, *ast.parse(source).body]
    return isinstance(last, ast.Expr) and ast.unparse(last).startswith("Markdown(")


def test_notebooks_are_numbered_in_reading_order() -> None:
    numbers = [int(path.name.partition("_")[0]) for path in NOTEBOOKS]

    assert numbers == list(range(1, len(NOTEBOOKS) + 1))
    assert len(numbers) >= 4


def test_students_get_the_notebook_without_the_solutions() -> None:
    assert len(TEACHERS) >= 1
    for path in TEACHERS:
        student = dumps(student_edition(json.loads(path.read_text(encoding="utf-8"))))
        assert (FOLDER / path.name).read_text(encoding="utf-8") == student, "write it: python -m scripts.editions"


def test_every_exercise_is_followed_by_an_empty_cell_and_for_teachers_by_a_solution() -> None:
    for teacher in TEACHERS:
        for path, follows in ((teacher, "-solution"), (FOLDER / teacher.name, "-answer")):
            cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
            asked = [i for i, cell in enumerate(cells) if "".join(cell["source"]).startswith("**Exercise")]

            assert len(asked) >= 10
            assert [cells[i + 1]["id"] for i in asked] == [cells[i]["id"] + follows for i in asked]


def test_students_see_no_solution() -> None:
    for notebook in NOTEBOOKS:
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
            assert "solution" not in cell["metadata"].get("tags", []), cell["id"]
            if cell["id"].endswith("-answer"):
                assert cell["source"] == ["# Your answer"]


def test_only_what_solves_is_taken_away() -> None:
    def cell(number: str, kind: str, source: str, *tags: str) -> dict[str, Any]:
        return {"id": number, "cell_type": kind, "source": [source], "metadata": {"tags": list(tags)}}

    told, asked = cell("told", "code", "x = 1", "hide-input"), cell("e1", "markdown", "**Exercise 1.**")
    solved = [cell("e1-solution", "code", "x + 1", "solution"), cell("note", "markdown", "So.", "solution")]
    cells = [cell("title", "markdown", "# Graphs: solutions"), told, asked, *solved]

    title, *rest = student_edition({"cells": cells, "nbformat": 4})["cells"]

    assert title["source"] == ["# Graphs"]
    assert rest == [told, asked, {**solved[0], "id": "e1-answer", "metadata": {}, "source": ["# Your answer"]}]
