"""
Write the notebooks for students: those of `notebooks/solutions/` without the solutions, for `notebooks/`.

Run it after a change of a notebook with exercises: `python -m scripts.editions`. In a teacher's notebook what solves
an exercise has the tag `solution`. Code whose id ends in `-solution` leaves an empty cell to the student; the rest of
what is tagged goes. A test holds the stored notebooks to this.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "notebooks"
TEACHER = FOLDER / "solutions"
TITLE = ": solutions"
"""How the title of a teacher's notebook ends, so that both can be told apart in a list."""


def student_edition(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return a notebook of a teacher as a student gets it."""
    cells = [cell if index else _without_title(cell) for index, cell in enumerate(notebook["cells"])]
    kept = [_emptied(cell) if _is_solution(cell) else cell for cell in cells]
    return {**notebook, "cells": [cell for cell in kept if cell is not None]}


def dumps(notebook: dict[str, Any]) -> str:
    """Return the text of a notebook as Jupyter writes it."""
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def _is_solution(cell: dict[str, Any]) -> bool:
    """Return whether only teachers see a cell."""
    return "solution" in cell["metadata"].get("tags", [])


def _emptied(cell: dict[str, Any]) -> dict[str, Any] | None:
    """Return the cell in which a student answers, None where nothing is asked."""
    exercise, dash, kind = cell["id"].rpartition("-")
    if not dash or kind != "solution" or cell["cell_type"] != "code":
        return None
    return {**cell, "id": f"{exercise}-answer", "metadata": {}, "source": ["# Your answer"]}


def _without_title(cell: dict[str, Any]) -> dict[str, Any]:
    """Return the first cell with the title of the student's notebook."""
    title, *rest = cell["source"]
    return {**cell, "source": [title.replace(TITLE, ""), *rest]}


def main() -> None:
    """Write the students' notebooks."""
    for path in sorted(TEACHER.glob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        (FOLDER / path.name).write_text(dumps(student_edition(notebook)), encoding="utf-8")
        print(FOLDER / path.name)


if __name__ == "__main__":
    main()
