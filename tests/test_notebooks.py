"""How notebooks are stored. That they run is shown by `run_notebooks.py`."""

import ast
import base64
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from scripts import store_notebooks
from tests.fixtures import Command
from ttr_analysis import cli
from ttr_analysis.teaching.editions import dumps, student_edition

ROOT = Path(__file__).parents[1]
FOLDER, DOCS, README = ROOT / "notebooks", ROOT / "docs", ROOT / "README.md"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
TEACHERS = sorted((FOLDER / "solutions").glob("*.ipynb"))
MOST_LINES, MOST_HIDDEN = 15, 0.15
"""Of a cell, and of all lines of code those that are folded away: without checks, which make nothing that is seen."""


@pytest.fixture(params=[*NOTEBOOKS, *TEACHERS], ids=lambda path: f"{path.parent.name}-{path.stem}")
def notebook(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return each notebook in turn."""
    content: dict[str, Any] = json.loads(request.param.read_text(encoding="utf-8"))
    return content


def stored(*outputs: dict[str, Any]) -> dict[str, Any]:
    """Return a notebook of one cell as it was run and stored."""
    code = cell("sum", "code", "1 + 1")
    notebook: dict[str, Any] = {"cells": [code], "metadata": {}}
    return store_notebooks.store(notebook, {"cells": [{**code, "outputs": list(outputs)}]}, lambda _page: picture(400))


def picture(size: int) -> bytes:
    """Return a picture of noise, which no compression makes small."""
    file = io.BytesIO()
    Image.effect_noise((size, size), 64).save(file, format="png")
    return file.getvalue()


def shown(**data: str) -> dict[str, Any]:
    """Return the output of a cell by its kinds of text."""
    texts = {f"text/{kind}": text for kind, text in data.items()}
    return {"output_type": "execute_result", "execution_count": 7, "metadata": {}, "data": texts}


def test_stored_results_are_sound() -> None:
    wrong = {}
    for path in store_notebooks.notebooks():
        found = store_notebooks.faults(json.loads(path.read_text(encoding="utf-8")))
        if found:
            wrong[f"{path.parent.name}/{path.name}"] = found

    assert wrong == {}, "store the results: make notebooks"


ONCE_WRONG = {
    r"(?<!mean )share of (all )?shortest paths": "betweenness is a mean over pairs of a fraction of paths",
    r"\(why\?\)": "a question needs a solution: make it an exercise",
    r"Bergen and Stavanger and Murmansk": "the diameter is that of two pairs",
    r"NP-complete": "to find a longest path is NP-hard, as an optimization",
    r"no train too many in 88%": "that depends on how ties are broken",
    r"986,310": "three safe digits take an interval of 95%, not one standard error",
    r"every other card that you see": "a locomotive seen makes a tunnel safer",
    r"(eight|nine) (of|in|out of) ten games": "give the share",
    r"\b(inf|nan) (points|trains|cards)\b|(brings|costs) (inf|nan)\b": "a ticket that is free, or in no deal",
    r"betweenness_centrality\(\w+\.graph\b": "on the multigraph, parallel tracks count as many edges",
    r"makes the measure better": "the interval includes no difference",
}
ONCE_MISSING = {
    "01_the_map_as_a_graph": [
        "largest number of pairwise edge-disjoint paths",
        "NP-hard as an optimization problem",
        "averaged over all pairs of other cities",
        "counts as taking all 40 trains",
    ],
    "03_tunnel_odds": ["one of your color or a locomotive, makes the tunnel safer"],
}


def test_what_was_wrong_in_texts_stays_right() -> None:
    texts = {
        path.stem: "\n".join(shown_texts(json.loads(path.read_text(encoding="utf-8"))))
        for path in store_notebooks.notebooks()
    }
    pages = {path.name: path.read_text(encoding="utf-8") for path in [README, *DOCS.glob("*.md")]}
    said = [
        (name, why)
        for name, text in (texts | pages).items()
        for wrong, why in ONCE_WRONG.items()
        if re.search(wrong, text)
    ]

    assert said == []
    assert [part for name, parts in ONCE_MISSING.items() for part in parts if part not in texts[name]] == []


def shown_texts(notebook: dict[str, Any]) -> Iterator[str]:
    """Yield the texts of a notebook, and what its code shows as text."""
    for part in notebook["cells"]:
        if part["cell_type"] == "markdown":
            yield "".join(part["source"])
        for output in part.get("outputs", []):
            yield "".join(output.get("data", {}).get("text/plain", output.get("text", "")))


def test_results_of_changed_code_are_refused() -> None:
    notebook = stored(shown(plain="2"))
    assert store_notebooks.faults(notebook) == []

    notebook["cells"][0]["source"] = ["1 + 2"]
    assert store_notebooks.faults(notebook) == ["its code has changed since"]
    notebook["cells"][0]["execution_count"] = 4
    assert "its cells did not run in order" in store_notebooks.faults(notebook)
    assert store_notebooks.faults({**notebook, "metadata": {}}) == ["it has no results"]


@pytest.mark.parametrize(
    ("output", "fault"),
    [
        pytest.param({"output_type": "error", "ename": "KeyError"}, "the error KeyError", id="error"),
        pytest.param({"output_type": "stream", "name": "stderr", "text": "old"}, "the message 'old'", id="warning"),
        pytest.param(shown(plain="<f at 0x7f59f955d250>"), "differs by machine: '<f at 0x7f59f9", id="address"),
        pytest.param(shown(html="in /home/ann/games"), "differs by machine: 'in /home/ann", id="path"),
        pytest.param(shown(html="x" * 1_600_000), "bytes, more than 1,500,000", id="size"),
    ],
)
def test_results_that_nobody_should_see_are_refused(output: dict[str, Any], fault: str) -> None:
    (found,) = store_notebooks.faults(stored(output))

    assert fault in found


def test_a_widget_is_stored_as_a_small_picture_of_its_page() -> None:
    frame = '<iframe class="ttr-frame" src="../widgets/TunnelOdds-1.html"></iframe>'
    (output,) = stored(shown(html=frame, plain="<TunnelOdds: 44%>"))["cells"][0]["outputs"]

    assert output["data"].keys() == {"image/png", "text/plain"}
    assert output["execution_count"] == 1
    assert len(base64.b64decode(output["data"]["image/png"])) <= store_notebooks.MOST_PICTURE_BYTES


def test_pictures_keep_their_size_if_they_can() -> None:
    kept, smaller = (Image.open(io.BytesIO(store_notebooks.small(picture(size)))) for size in (200, 900))

    assert kept.size == (200, 200)
    assert smaller.width < 900


def test_what_a_run_leaves_by_chance_is_not_stored() -> None:
    compiling = {"output_type": "stream", "name": "stderr", "text": "ttr_analysis: compiling f, about 3 s; kept\n"}
    styled = shown(html='<table id="T_3fa9c">', plain="<Styler at 0x7f59f955d250>")
    notebook = stored(compiling, styled)

    assert store_notebooks.faults(notebook) == []
    assert [output["data"] for output in notebook["cells"][0]["outputs"]] == [{"text/html": ['<table id="T_3fa9c">']}]
    assert 'T_00001\\"' in store_notebooks.with_names_counted(json.dumps(notebook))


def test_a_notebook_opens_on_any_machine(notebook: dict[str, Any]) -> None:
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"


def test_a_notebook_begins_with_its_title(notebook: dict[str, Any]) -> None:
    first = notebook["cells"][0]

    assert first["cell_type"] == "markdown"
    assert "".join(first["source"]).startswith("# ")


def test_code_that_only_tells_is_folded_away(notebook: dict[str, Any]) -> None:
    code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code" and shows(cell)]

    assert [source for source in code if ends_in_words(source)] == []


def test_code_is_what_a_reader_would_type() -> None:
    wrong = {}
    for path in store_notebooks.notebooks():  # students' editions lack the answers
        cells = [c for c in store_notebooks.code_cells(json.loads(path.read_text(encoding="utf-8"))) if not is_check(c)]
        sources = {cell["id"]: "".join(cell["source"]) for cell in cells}
        n_lines = {name: source.count("\n") + 1 for name, source in sources.items()}
        n_hidden = sum(n_lines[cell["id"]] for cell in cells if not shows(cell))
        typed = [cell["id"] for cell in cells if not is_of_teacher(cell)]
        found = [f"{n_lines[name]} lines in {name!r}" for name in typed if n_lines[name] > MOST_LINES]
        found += [f"{name!r} makes a paragraph" for name, source in sources.items() if ends_in_words(source)]
        found += ["too much hidden"] * (n_hidden > MOST_HIDDEN * sum(n_lines.values()))
        if found:
            wrong[f"{path.parent.name}/{path.name}"] = found

    assert wrong == {}


def is_check(cell: dict[str, Any]) -> bool:
    """Return whether a cell only compares numbers with those of the text."""
    lines = ast.parse("".join(cell["source"])).body
    return "checks" in cell["metadata"].get("tags", []) and isinstance(lines[-1], ast.Assert)


def is_of_teacher(cell: dict[str, Any]) -> bool:
    """Return whether a cell solves an exercise, or checks that it is solved."""
    return "nbgrader" in cell["metadata"] or bool(
        {"solution", "teacher"}.intersection(cell["metadata"].get("tags", []))
    )


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
        assert (FOLDER / path.name).read_text(encoding="utf-8") == student, "write it: ttr-analysis editions"


def test_every_exercise_is_followed_by_an_empty_cell_and_for_teachers_by_a_solution() -> None:
    for teacher in TEACHERS:
        for path, follows in ((teacher, "-solution"), (FOLDER / teacher.name, "-answer")):
            cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
            asked = [i for i, cell in enumerate(cells) if "".join(cell["source"]).startswith("**Exercise")]

            assert len(asked) >= 3
            assert [cells[i + 1]["id"] for i in asked] == [cells[i]["id"] + follows for i in asked]


def test_results_have_the_number_of_their_cell(notebook: dict[str, Any]) -> None:
    for cell in store_notebooks.code_cells(notebook):
        assert {output.get("execution_count", cell["execution_count"]) for output in cell["outputs"]} <= {
            cell["execution_count"]
        }


def test_students_see_no_solution() -> None:
    for notebook in NOTEBOOKS:
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
            assert not {"solution", "teacher"}.intersection(cell["metadata"].get("tags", [])), cell["id"]
            if cell["id"].endswith("-answer"):
                assert {"# Your answer", "*Your answer*"}.intersection(line.strip() for line in cell["source"])


def cell(number: str, kind: str, source: str, *tags: str) -> dict[str, Any]:
    """Return a cell of a teacher's notebook."""
    results: dict[str, Any] = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, "id": number, "metadata": {"tags": list(tags)}, "source": [source], **results}


def answer(number: str) -> dict[str, Any]:
    """Return the cell in which a student answers with code."""
    return {**cell(number, "code", "# Your answer"), "metadata": {}}


TITLE = cell("title", "markdown", "# Graphs: solutions")
ASKED = cell("4f1c22ab", "markdown", "How many cities are there?")
SOLVED = cell("9d0e7a31", "code", "len(nordic.cities)", "solution")


def test_only_what_is_for_teachers_is_taken_away() -> None:
    told, helper = cell("told", "code", "x = 1", "hide-input"), cell("helper", "code", "y = 2", "teacher")
    more = cell("note", "markdown", "So.", "solution")

    title, *rest = student_edition({"cells": [TITLE, helper, told, ASKED, SOLVED, more], "nbformat": 4})["cells"]

    assert title["source"] == ["# Graphs"]
    assert rest == [told, ASKED, answer("4f1c22ab-answer")]


def test_what_a_solution_printed_is_taken_away_too() -> None:
    shown = {**SOLVED, "execution_count": 3, "outputs": [{"output_type": "stream", "name": "stdout", "text": ["39"]}]}

    assert student_edition({"cells": [TITLE, ASKED, shown]})["cells"][2] == answer("4f1c22ab-answer")


def test_a_solution_in_words_leaves_a_cell_for_words() -> None:
    why = cell("why", "markdown", "Because both ends of an edge count.", "solution")

    *_, last = student_edition({"cells": [TITLE, ASKED, why]})["cells"]

    assert last == {"cell_type": "markdown", "id": "4f1c22ab-answer", "metadata": {}, "source": ["*Your answer*"]}


def graded(number: str, source: str, *, solution: bool) -> dict[str, Any]:
    """Return a cell of code that nbgrader knows."""
    known = {"grade_id": f"{number}-known", "solution": solution, "grade": not solution, "locked": not solution}
    return {**cell(number, "code", source), "metadata": {"nbgrader": known}}


def test_what_is_between_marks_is_taken_away() -> None:
    body = "def f(G):\n    # BEGIN SOLUTION\n    return len(G)\n    # END SOLUTION\n\n\nx = f(G)"
    tests = "f(G)\n### BEGIN HIDDEN TESTS\nassert f(G) == 39\n### END HIDDEN TESTS"
    cells = [TITLE, graded("a", body, solution=True), ASKED, graded("b", "39", solution=True)]

    _, written, _, whole, check = student_edition({"cells": [*cells, graded("c", tests, solution=False)]})["cells"]

    assert "".join(written["source"]) == (
        'def f(G):\n    # Your answer\n    raise NotImplementedError("not written yet")\n\n\nx = f(G)'
    )
    assert (written["id"], written["metadata"]["nbgrader"]["solution"]) == ("a-known", True)
    assert whole["source"] == ["# Your answer"]
    assert (check["source"], check["metadata"]["editable"]) == (["f(G)"], False)


def test_a_part_of_a_text_is_replaced_by_a_text() -> None:
    why = {
        **graded("a", "Why?\n### BEGIN SOLUTION\nBecause.\n### END SOLUTION", solution=True),
        "cell_type": "markdown",
    }

    *_, last = student_edition({"cells": [TITLE, why]})["cells"]

    assert "".join(last["source"]) == "Why?\n*Your answer*"


def test_a_notebook_of_the_old_format_has_answers_without_names() -> None:
    nameless = [{key: value for key, value in part.items() if key != "id"} for part in (TITLE, ASKED, SOLVED)]

    *_, last = student_edition({"cells": nameless})["cells"]

    assert last == {key: value for key, value in answer("").items() if key != "id"}


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        pytest.param([TITLE, ASKED], "no cell has the tag solution", id="no solution"),
        pytest.param(
            [TITLE, ASKED, SOLVED, cell("e2", "code", "1", "Solutions")],
            "students would see the cells tagged Solutions: the tags are solution and teacher",
            id="a tag that looks like it",
        ),
        pytest.param(
            [TITLE, ASKED, SOLVED, cell("e2", "code", "1", "soluton"), cell("e3", "code", "1", "techer", "section")],
            "students would see the cells tagged soluton, techer: ",
            id="misspelled tags",
        ),
        pytest.param(
            [SOLVED, ASKED], "needs an exercise before it, and students get no earlier cell", id="nothing asked"
        ),
        pytest.param(
            [TITLE, ASKED, SOLVED, answer("4f1c22ab-answer")], "two cells would have the id 4f1c22ab-answer", id="names"
        ),
        pytest.param(
            [TITLE, SOLVED, graded("c", "f()\n# BEGIN HIDDEN TESTS\nassert f() == 39", solution=False)],
            "'BEGIN HIDDEN TESTS' has no partner in the cell",
            id="half a pair of marks",
        ),
        pytest.param(
            [TITLE, ASKED, SOLVED, cell("c", "code", "# BEGIN SOLUTION\n1\n# END SOLUTION")],
            "'BEGIN SOLUTION' is in a cell without nbgrader metadata",
            id="marks without metadata",
        ),
    ],
)
def test_an_edition_that_cannot_be_made_is_refused(cells: list[dict[str, Any]], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        student_edition({"cells": cells})


def test_editions_of_a_folder_of_ones_own(tmp_path: Path, command: Command) -> None:
    assert "no teacher's notebook in solutions" in command("editions .", code=cli.USAGE)

    mine = tmp_path / "solutions" / "12_mine.ipynb"
    mine.parent.mkdir()
    mine.write_text(dumps({"cells": [TITLE, ASKED, SOLVED]}), encoding="utf-8")
    command("editions .")

    written = json.loads((tmp_path / mine.name).read_text(encoding="utf-8"))
    assert written["cells"][2] == answer("4f1c22ab-answer")

    mine.write_text(dumps({"cells": [TITLE, ASKED]}), encoding="utf-8")
    assert "12_mine.ipynb: no cell has the tag solution" in command("editions .", code=cli.USAGE)
