"""
Write the notebooks for students: those of `notebooks/solutions/` without the solutions, for `notebooks/`.

Run it after a change of a notebook with exercises: `python -m scripts.editions`. What solves an exercise has the tag
`solution` in the teacher's notebook, and leaves an empty cell to the student; what else is for teachers alone has the
tag `teacher`, and leaves nothing. `python -m scripts.editions course` does the same for `course/solutions/`. A test
holds the stored notebooks to this.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "notebooks"
TITLE = ": solutions"
"""How the title of a teacher's notebook ends, so that both can be told apart in a list."""
SOLUTION, TEACHER = TAGS = ("solution", "teacher")
"""Tags of cells that students do not get: where something is asked of them, and where nothing is."""
LONGEST_ID = 64  # of a cell, by the format of notebooks


def student_edition(notebook: dict[str, Any]) -> dict[str, Any]:
    """
    Return a notebook of a teacher as a student gets it.

    Raises
    ------
    ValueError
        If no cell has the tag of solutions, one has a tag that looks like it,
        a solution stands where nothing is asked before it, or two cells would
        have one name.
    """
    cells: list[dict[str, Any]] = notebook["cells"]
    _check_tags(cells)
    kept: list[dict[str, Any]] = []
    for is_hidden, run in groupby([_without_title(cells[0]), *cells[1:]], key=_is_hidden):
        if not is_hidden:
            kept += run
        elif solutions := [cell for cell in run if SOLUTION in _tags(cell)]:
            kept.append(_answer(kept, solutions))
    _check_names(kept)
    return {**notebook, "cells": kept}


def dumps(notebook: dict[str, Any]) -> str:
    """Return the text of a notebook as Jupyter writes it."""
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def _tags(cell: dict[str, Any]) -> set[str]:
    """Return the tags of a cell."""
    return set(cell["metadata"].get("tags", []))


def _is_hidden(cell: dict[str, Any]) -> bool:
    """Return whether students do not get a cell."""
    return not _tags(cell).isdisjoint(TAGS)


def _check_tags(cells: list[dict[str, Any]]) -> None:
    """Raise an error for tags by which a student would get what is for teachers."""
    tags = {tag for cell in cells for tag in _tags(cell)}
    if wrong := sorted(tag for tag in tags - set(TAGS) if tag.strip().lower().startswith(TAGS)):
        msg = f"students would see the cells tagged {', '.join(wrong)}: the tags are {' and '.join(TAGS)}"
        raise ValueError(msg)
    if SOLUTION not in tags:
        msg = f"no cell has the tag {SOLUTION}: give it to every cell that solves an exercise"
        raise ValueError(msg)


def _answer(before: list[dict[str, Any]], solutions: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the empty cell for what was asked in the cell before: code, unless all solutions are text."""
    if not before:
        msg = f"a solution needs an exercise before it, and this is the first cell: {_text(solutions[0])[:60]!r}"
        raise ValueError(msg)
    # Named after the exercise, an answer keeps its name whatever is changed around it; old notebooks have no names.
    name = before[-1].get("id", "")
    named = {"id": f"{name[: LONGEST_ID - len('-answer')]}-answer"} if name else {}
    if all(cell["cell_type"] == "markdown" for cell in solutions):
        return {"cell_type": "markdown", **named, "metadata": {}, "source": ["*Your answer*"]}
    blank: dict[str, Any] = {"cell_type": "code", "execution_count": None, **named, "metadata": {}, "outputs": []}
    return {**blank, "source": ["# Your answer"]}


def _check_names(cells: list[dict[str, Any]]) -> None:
    """Raise an error if two cells have one name, as where a teacher's cell is called like an answer."""
    if twice := [name for name, n in Counter(cell["id"] for cell in cells if "id" in cell).items() if n > 1]:
        msg = f"two cells would have the id {', '.join(twice)}: change that of one"
        raise ValueError(msg)


def _text(cell: dict[str, Any]) -> str:
    """Return the text of a cell, which a notebook may keep whole or in lines."""
    return "".join(cell["source"])


def _without_title(cell: dict[str, Any]) -> dict[str, Any]:
    """Return the first cell with the title of the student's notebook."""
    title, *rest = _text(cell).splitlines(keepends=True) or [""]
    return {**cell, "source": [title.replace(TITLE, ""), *rest]}


def main() -> None:
    """Write the students' notebooks."""
    parser = argparse.ArgumentParser(description="Write the students' notebooks.")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help="where; its teachers' are in solutions/")
    folder: Path = parser.parse_args().folder
    paths = sorted((folder / "solutions").glob("*.ipynb"))
    if not paths:
        parser.error(f"no notebook of a teacher in {folder / 'solutions'}")
    for path in paths:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        try:
            student = student_edition(notebook)
        except ValueError as error:
            parser.error(f"{path}: {error}")
        (folder / path.name).write_text(dumps(student), encoding="utf-8")
        print(folder / path.name)


if __name__ == "__main__":
    main()
