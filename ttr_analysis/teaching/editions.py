"""
Write student editions of notebooks: copies of those in `solutions/`, without the solutions, in the parent folder.

In the teacher's notebook, cells with the tag `solution` solve an exercise and become an empty cell for the student;
cells with the tag `teacher` are removed. Cells with nbgrader metadata keep it; solutions lose the lines between
`### BEGIN SOLUTION` and `### END SOLUTION`, and tests lose those between the `HIDDEN TESTS` markers.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import count, groupby
from pathlib import Path
from typing import Any

import click

from ttr_analysis._decoding import write_atomically
from ttr_analysis._errors import nearest

TITLE = ": solutions"
"""Suffix of the title of a teacher's notebook, which distinguishes it from the student edition."""
SOLUTION, TEACHER = TAGS = ("solution", "teacher")
"""Tags of cells that students do not get: solutions of exercises, and notes for teachers."""
SOURCE_DIGEST = "source_digest"
"""The key of a digest of the code that gave the stored results; student editions have none."""
HIDDEN_TESTS = "HIDDEN TESTS"
_CUTOFF = 0.85  # a tag as similar to one of these is misspelled
_MARK = re.compile(r"(BEGIN|END) (SOLUTION|HIDDEN TESTS)")
STUB, TEXT_STUB = "# Your answer", "*Your answer*"
NOT_WRITTEN = 'raise NotImplementedError("not written yet")'
"""Added after the stub inside a function body, which must contain a statement."""
MAX_CELL_ID_LENGTH = 64  # set by the notebook format


def student_edition(notebook: dict[str, Any]) -> dict[str, Any]:
    """
    Return the student edition of a teacher's notebook.

    Raises
    ------
    ValueError
        If no cell has the tag `solution`, a tag looks like a misspelling of it, a
        solution comes before any exercise, a marker has no partner, or two cells would
        have the same id.
    """
    cells: list[dict[str, Any]] = notebook["cells"]
    _check_tags(cells)
    kept: list[dict[str, Any]] = []
    for is_hidden, run in groupby([_without_title(cells[0]), *cells[1:]], key=_is_hidden):
        if not is_hidden:
            kept += map(_released, run)
            continue
        solutions = [cell for cell in run if _is_solution(cell)]
        if graded := [cell for cell in solutions if _grading(cell)]:
            kept += map(_blanked, graded)
        elif solutions:
            kept.append(_answer(kept, solutions))
    _check_names(kept)
    metadata = {key: value for key, value in notebook.get("metadata", {}).items() if key != SOURCE_DIGEST}
    return {**notebook, "cells": _renumbered(kept), "metadata": metadata}


def dumps(notebook: dict[str, Any]) -> str:
    """Return the text of a notebook as Jupyter writes it."""
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def _tags(cell: dict[str, Any]) -> set[str]:
    return set(cell["metadata"].get("tags", []))


def _grading(cell: dict[str, Any]) -> dict[str, Any]:
    """Return a cell's nbgrader metadata: its points, and whether it is a solution or a test."""
    grading: dict[str, Any] = cell["metadata"].get("nbgrader", {})
    return grading


def _is_solution(cell: dict[str, Any]) -> bool:
    return SOLUTION in _tags(cell) or bool(_grading(cell).get("solution"))


def _is_hidden(cell: dict[str, Any]) -> bool:
    """Return whether a cell is changed or removed for students."""
    return TEACHER in _tags(cell) or _is_solution(cell)


def _check_tags(cells: list[dict[str, Any]]) -> None:
    """Raise an error for misspelled tags, which would show students cells meant for teachers."""
    tags = {tag for cell in cells for tag in _tags(cell)}
    meant = {tag for tag in tags if tag.strip().lower().startswith(TAGS) or nearest(tag.strip(), TAGS, cutoff=_CUTOFF)}
    if wrong := sorted(meant - set(TAGS)):
        raise ValueError(f"students would see the cells tagged {', '.join(wrong)}: the tags are {' and '.join(TAGS)}")
    if not any(map(_is_solution, cells)):
        raise ValueError(f"no cell has the tag {SOLUTION}: tag every cell that solves an exercise")


def _released(cell: dict[str, Any]) -> dict[str, Any]:
    """Return a cell without hidden tests; students cannot edit a cell that nbgrader locks."""
    if not _grading(cell):
        if cell["cell_type"] == "code" and (found := _MARK.search(_text(cell))):
            raise ValueError(f"{found[0]!r} is in a cell without nbgrader metadata: {_text(cell)[:60]!r}")
        return cell
    metadata = {**cell["metadata"], "deletable": False, "editable": not _grading(cell).get("locked", False)}
    return {**_cleared(cell), "metadata": metadata, "source": _without(HIDDEN_TESTS, _text(cell))}


def _cleared(cell: dict[str, Any]) -> dict[str, Any]:
    """Return a cell without outputs."""
    return cell if cell["cell_type"] == "markdown" else {**cell, "execution_count": None, "outputs": []}


def _blanked(cell: dict[str, Any]) -> dict[str, Any]:
    """Return a graded solution cell without the lines between the markers; its `grade_id` becomes its id."""
    grading, text = _grading(cell), _text(cell)
    if "grade_id" not in grading:
        raise ValueError(f"expected a grade_id in nbgrader's metadata of the cell {text[:60]!r}")
    stub = TEXT_STUB if cell["cell_type"] == "markdown" else STUB
    source = _without(SOLUTION.upper(), text, stub)
    if "".join(source) == text.rstrip("\n"):
        source = [stub]
    metadata = {"deletable": False, "nbgrader": grading}
    return {**_cleared(cell), "id": grading["grade_id"], "metadata": metadata, "source": source}


def _without(mark: str, text: str, *stub: str) -> list[str]:
    """Return the lines of `text`, with a stub in place of those between the markers."""

    def replaced(region: re.Match[str]) -> str:
        indent = region[1]
        return "".join(f"{indent}{line}\n" for line in (*stub, *[NOT_WRITTEN] * bool(indent and STUB in stub)))

    line = rf"^([ \t]*)#+ *{{}} {mark}\b[^\n]*\n?"
    left = re.sub(rf"{line.format('BEGIN')}.*?{line.format('END')}", replaced, text, flags=re.MULTILINE | re.DOTALL)
    if found := re.search(rf"(BEGIN|END) {mark}", left):
        raise ValueError(f"{found[0]!r} has no partner in the cell {text[:60]!r}")
    return left.rstrip("\n").splitlines(keepends=True)


def _answer(before: list[dict[str, Any]], solutions: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the empty answer cell of an exercise: code, unless all of its solutions are text."""
    if not before:
        raise ValueError(
            f"a solution needs an exercise before it, and students get no earlier cell: {_text(solutions[0])[:60]!r}"
        )
    # The id derives from the exercise's, so it does not change with other cells; cells of old notebooks have no id.
    name = before[-1].get("id", "")
    named = {"id": f"{name[: MAX_CELL_ID_LENGTH - len('-answer')]}-answer"} if name else {}
    if all(cell["cell_type"] == "markdown" for cell in solutions):
        return {"cell_type": "markdown", **named, "metadata": {}, "source": [TEXT_STUB]}
    blank: dict[str, Any] = {"cell_type": "code", "execution_count": None, **named, "metadata": {}, "outputs": []}
    return {**blank, "source": [STUB]}


def _renumbered(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Renumber the execution counts from 1, in the outputs too."""
    counts = count(1)
    return [_numbered(cell, next(counts)) if cell.get("execution_count") else cell for cell in cells]


def _numbered(cell: dict[str, Any], number: int) -> dict[str, Any]:
    counted = {"execution_count": number}
    outputs = [output | counted if "execution_count" in output else output for output in cell["outputs"]]
    return {**cell, **counted, "outputs": outputs}


def _check_names(cells: list[dict[str, Any]]) -> None:
    """Raise an error if two cells have the same id, such as a teacher's cell and an answer."""
    if twice := [name for name, n in Counter(cell["id"] for cell in cells if "id" in cell).items() if n > 1]:
        raise ValueError(f"two cells would have the id {', '.join(twice)}: rename one of them")


def _text(cell: dict[str, Any]) -> str:
    """Return the text of a cell, which notebooks store as one string or as lines."""
    return "".join(cell["source"])


def _without_title(cell: dict[str, Any]) -> dict[str, Any]:
    """Return the first cell with the title of the student edition."""
    title, *rest = _text(cell).splitlines(keepends=True) or [""]
    return {**cell, "source": [title.replace(TITLE, ""), *rest]}


def write_editions(folder: Path) -> list[Path]:
    """
    Write the student edition of each notebook in `folder/solutions` to `folder`, and return the files.

    Raises FileNotFoundError if there are no notebooks, and ValueError as in `student_edition`.
    """
    paths = sorted((folder / "solutions").glob("*.ipynb"))
    if not paths:
        raise FileNotFoundError(f"no teacher's notebook in {folder / 'solutions'}")
    editions = {}
    for path in paths:
        try:
            editions[folder / path.name] = dumps(student_edition(json.loads(path.read_text(encoding="utf-8"))))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
    for student, text in editions.items():
        write_atomically(student, text)
    return list(editions)


@click.command(epilog="Example: ttr-analysis editions course")
@click.argument("folder", type=click.Path(path_type=Path), default="notebooks")
def editions(folder: Path) -> None:
    """
    Write student editions of notebooks.

    Notebooks in FOLDER/solutions [default: notebooks/solutions] are written to FOLDER without their solutions. Cells
    tagged "teacher" are removed, and cells tagged "solution" are replaced by an empty cell.
    """
    try:
        click.echo("\n".join(map(str, write_editions(folder))))
    except (OSError, ValueError) as error:
        raise click.ClickException(str(error)) from error
