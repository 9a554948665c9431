"""Exercises as they are graded: without answers the hidden tests fail, with the teacher's answers they pass."""

from __future__ import annotations

import json
import symtable
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ttr_analysis.teaching.editions import student_edition

FOLDER = Path(__file__).parents[2] / "notebooks"
TEACHERS = sorted((FOLDER / "solutions").glob("*.ipynb"))
KINDS = {(True, True), (True, False), (False, True)}
"""Of cells, by whether they have points and whether they are an answer: a text to grade, a check, an answer."""

Cell = dict[str, Any]


@pytest.fixture(params=TEACHERS, ids=lambda path: path.stem)
def teacher(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return each notebook with solutions in turn."""
    notebook: dict[str, Any] = json.loads(request.param.read_text(encoding="utf-8"))
    return notebook


def text_of(cell: Cell) -> str:
    return "".join(cell["source"])


def checks_of(cells: list[Cell]) -> dict[str, Cell]:
    """Return the cells that check an answer by running, by name."""
    known = [cell for cell in cells if "nbgrader" in cell["metadata"]]
    return {cell["id"]: cell for cell in known if not cell["metadata"]["nbgrader"]["solution"]}


def tables_of(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from tables_of(child)


def names_of(code: str) -> tuple[set[str], set[str]]:
    """Return the names that a cell defines, and those that it uses."""
    top, *inner = tables_of(symtable.symtable(code, "cell", "exec"))
    defined = {name.get_name() for name in top.get_symbols() if name.is_assigned() or name.is_imported()}
    used = {name.get_name() for name in top.get_symbols() if name.is_referenced()}
    return defined, used | {name.get_name() for table in inner for name in table.get_symbols() if name.is_global()}


def needed_for(checks: dict[str, Cell], cells: list[Cell]) -> list[Cell]:
    """Return the checks and the cells of code that define what they need, so that not all of a notebook runs."""
    kept, wanted = [], set[str]()
    for cell in reversed(cells):
        if cell["cell_type"] == "code":
            defined, used = names_of(text_of(checks.get(cell["id"], cell)))
            if cell["id"] in checks or defined & wanted:
                kept.append(cell)
                wanted |= used
    return kept[::-1]


def failures(cells: list[Cell], checks: dict[str, Cell]) -> list[str]:
    """Run cells, and for each check its hidden tests too; return the checks that fail."""
    failed, names = [], {"display": lambda _: None, "__name__": "__main__"}
    for cell in needed_for(checks, cells):
        exec(text_of(cell), names)  # noqa: S102 - cells of this project
        if check := checks.get(cell["id"]):
            try:
                exec(text_of(check), names)  # noqa: S102
            except Exception:  # noqa: BLE001 - whatever comes of answers that are missing
                failed.append(cell["id"])
    return failed


def test_hidden_tests_fail_without_answers_and_pass_with_them(
    teacher: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TTR_FAST", "1")
    student, checks = student_edition(teacher)["cells"], checks_of(teacher["cells"])

    assert list(checks_of(student)) == list(checks) != []
    assert failures(student, checks) == list(checks)
    assert failures(teacher["cells"], checks) == []


def test_every_answer_has_points(teacher: dict[str, Any]) -> None:
    graded = [(cell, cell["metadata"]["nbgrader"]) for cell in teacher["cells"] if "nbgrader" in cell["metadata"]]

    assert len({known["grade_id"] for _, known in graded}) == len(graded)
    for cell, known in graded:
        points = {"points"} if known["grade"] else set()
        assert (
            known.keys() == {"schema_version", "grade_id", "grade", "solution", "task", "locked", "cell_type"} | points
        )
        assert (known["schema_version"], known["task"], known["cell_type"]) == (3, False, cell["cell_type"])
        assert (known["grade"], known["solution"]) in KINDS
        assert known["locked"] is not known["solution"]
        assert not points or known["points"] > 0
    for cell in teacher["cells"]:
        if "solution" in cell["metadata"].get("tags", []):
            name = cell["metadata"]["nbgrader"]["grade_id"].removesuffix("-answer")
            assert cell["metadata"]["nbgrader"]["grade"] or f"{name}-check" in checks_of(teacher["cells"])


def test_students_see_no_hidden_tests(teacher: dict[str, Any]) -> None:
    text = json.dumps(student_edition(teacher))

    assert "HIDDEN TESTS" not in text
    assert "SOLUTION" not in text
