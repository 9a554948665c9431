"""The examples of README.md and docs/ run and give what is said beside them, and their tables are the code's."""

import ast
import doctest
import pickle
import re
import shutil
import subprocess
import sys
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from ttr_analysis import envs, load_map, tables
from ttr_analysis.engine.actions.table import HANDLER_OF
from ttr_analysis.engine.layout import Phase
from ttr_analysis.maps.model import GameMap
from ttr_analysis.records.entries import _SHAPES

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
GAMES = (ROOT / "docs" / "games.md").read_text("utf-8")
NOTEBOOKS = (ROOT / "docs" / "notebooks.md").read_text("utf-8")
HOW = (ROOT / "docs" / "how.md").read_text("utf-8")
RULES = (ROOT / "docs" / "rules.md").read_text("utf-8")
PAGES = [page for page in sorted((ROOT / "docs").glob("*.md")) if "```pycon" in page.read_text("utf-8")]
# Without a grammar of addresses that takes seconds to import, for checks that notebooks do not need.
SPHINX = """
import sys
sys.modules["rfc3987_syntax"] = None
from sphinx.cmd.build import main
sys.exit(main(sys.argv[1:]))
"""
MAPS = ("nordic", "switzerland", "nederland", "usa", "europe")


def blocks(page: str, language: str) -> list[str]:
    """Return the code blocks of a page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)


def table(page: str, first: str) -> list[list[str]]:
    """Return the cells of the table whose head begins with a word."""
    rows = page.partition(f"\n| {first} |")[2].partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows]


def run(code: str, names: dict[str, Any]) -> list[tuple[str, str]]:
    """Run Python; return pairs of what an expression gives and what the comment beside it says before a colon."""
    said = []
    for statement in ast.parse(code).body:
        if isinstance(statement, ast.Expr):
            value = eval(compile(ast.Expression(statement.value), "<page>", "eval"), names)  # noqa: S307
            line = code.splitlines()[(statement.end_lineno or 0) - 1][statement.end_col_offset :]
            if match := re.match(r"\s+# ([-\d(][^:]*):", line):
                said.append((str(value), match[1]))
        else:
            exec(compile(ast.Module([statement], []), "<page>", "exec"), names)  # noqa: S102
    return said


def test_what_a_comment_says_is_found() -> None:
    assert run("x = 2\nx + 1   # 3: three\nx  # a number: 2\n(x, x)  # (2, 3): wrong", {}) == [
        ("3", "3"),
        ("(2, 2)", "(2, 3)"),
    ]


def test_the_code_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    said = [pair for block in blocks(README, "python") for pair in run(block, names)]

    assert len(said) >= 4
    assert [given for given, _ in said] == [wanted for _, wanted in said]
    assert README.count("\n") < 150


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_examples_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tests").symlink_to(ROOT / "tests")  # where a page takes a map from
    monkeypatch.chdir(tmp_path)  # where pages write
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    names: dict[str, Any] = {}
    text = page.read_text("utf-8")
    report: list[str] = []
    for block in blocks(text, "pycon"):
        line = text[: text.index(block)].count("\n")
        test = parser.get_doctest(block, names, page.name, str(page), line)
        runner.run(test, out=report.append, clear_globs=False)
        names = test.globs

    assert runner.tries > 0
    assert "".join(report) == ""


def test_every_question_has_a_short_answer() -> None:
    questions = re.findall(r"^### (.*?)\n(.*?)(?=^##|\Z)", HOW, flags=re.MULTILINE | re.DOTALL)
    answers = {question: blocks(text, "pycon") for question, text in questions}

    assert len(answers) == len(questions) >= 40
    for question, examples in answers.items():
        assert [1 <= len(doctest.DocTestParser().get_examples(block)) <= 4 for block in examples] == [True], question


def test_the_table_of_notebooks_names_all() -> None:
    named = [row[0].strip("`") for row in table(NOTEBOOKS, "notebook")]

    assert named == sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))


def test_the_table_of_boards_is_right() -> None:
    def facts(game_map: GameMap) -> list[int]:
        routes = game_map.routes
        return [
            len(game_map.cities) - len(game_map.border_points),
            len(game_map.border_points),
            len(routes),
            sum(route.tunnel for route in routes),
            sum(route.locomotives > 0 for route in routes),
            sum(route.toll > 0 for route in routes),
            len(game_map.tickets),
        ]

    columns = zip(*(map(int, row[1:]) for row in table(RULES, "what")), strict=True)
    assert [list(column) for column in columns] == [facts(load_map(name)) for name in MAPS]


def test_the_table_of_rules_is_right() -> None:
    def said(value: object) -> str:
        if isinstance(value, tuple):
            words = [getattr(part, "measure", None) or getattr(part, "variant", None) or str(part) for part in value]
            return ", ".join(words) or "none"
        return str(value)

    rows = table(RULES, "rule")
    assert len(rows) > 10
    for row in rows:
        field = attrgetter(row[0].strip("`"))
        values = [said(field(load_map(name).rules)) for name in MAPS]
        assert row[1:] == ([one.replace(", ", " to ") for one in values] if row[0] == "`players`" else values), row[0]


def test_the_table_of_expansions_is_right() -> None:
    bonuses = {"longest_trail": "longest path", "completed_tickets": "Globetrotter"}
    rows = table(RULES, "variant")
    assert len(rows) > len(MAPS)
    for row in rows:
        title, _, variant = row[0].partition(" ")
        game_map = load_map(title, variant=variant.strip("`") or None)
        tickets, bonus = game_map.rules.tickets, game_map.rules.bonus
        dealt = " and ".join(f"{deck.opening_deal} {deck.name}" for deck in tickets.decks) or tickets.opening_deal
        assert row[1:] == [
            str(len(game_map.tickets)),
            f"{dealt}, {tickets.opening_keep}",
            f"{tickets.draw}, {tickets.keep}",
            ", ".join(f"{bonuses[one.measure]} {one.points[0]}" for one in bonus) or "none",
        ], row[0]


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=shutil.ignore_patterns("_build", "notebooks"))
    for name in ("README.md", "data", "notebooks"):
        (tmp_path / name).symlink_to(ROOT / name)
    # Without running notebooks and the gallery, and without writing pages: `make docs` does that.
    options = ["--nitpicky", "--fail-on-warning", "--keep-going", "-b", "dummy", "-D", "nb_execution_mode=off"]

    build = [sys.executable, "-c", SPHINX, "--quiet", *options, "docs", "site"]
    result = subprocess.run(build, capture_output=True, check=False, cwd=tmp_path, text=True)

    assert result.stdout + result.stderr == ""
    assert result.returncode == 0
    index = pickle.loads((tmp_path / "site" / ".doctrees" / "api" / "index.doctree").read_bytes()).astext()  # noqa: S301
    for name in ("load_map", "GameRecord", "paths.shortest_path", "studies.win_curve", "widgets.GameStepper"):
        assert re.search(rf"^{name}\n\n[A-Z][^\n]+\.$", index, flags=re.MULTILINE), name


def test_the_table_of_phases_is_complete() -> None:
    rows = table(GAMES, "phase")
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row[2])}

    assert [row[0] for row in rows] == [f"`{phase.name}`" for phase in Phase]
    assert named == {kind.__name__ for kind in HANDLER_OF}


def test_the_table_of_events_is_complete() -> None:
    rows = table(GAMES, "event")

    assert {row[0]: row[1] for row in rows} == {
        f"`{name}`": ", ".join(f"`{key}`" for key in shape.keys) for name, shape in _SHAPES.items()
    }


def test_the_table_of_limits_is_right() -> None:
    assert [int(row[1]) for row in table(GAMES, "what")] == [
        tables.MAX_SEATS,
        tables.MAX_CITIES,
        tables.MAX_ROUTES,
        tables.MAX_TICKETS,
        tables.MAX_SLOTS,
        tables.MAX_OFFER,
        tables.MAX_BONUSES,
        tables.MAX_TIE_BREAKS,
        tables.MAX_GOALS,
    ]


def test_the_table_of_actions_is_right() -> None:
    rows = table((ROOT / "docs" / "training.md").read_text("utf-8"), "map")
    assert rows == [
        [load_map(name).title, str(len(envs.action_words(name))), str(len(envs.features(name, 2)))] for name in MAPS
    ]


def test_files_that_the_pages_name_exist() -> None:
    named = {
        name
        for page in (README, *(path.read_text("utf-8") for path in sorted((ROOT / "docs").rglob("*.md"))))
        for name in re.findall(r"\b((?:ttr_analysis|tests|scripts|docs|data|notebooks)/[\w/.]+\.\w+)", page)
    }

    assert len(named) >= 10
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_the_number_of_answers_is_the_same_everywhere() -> None:
    n = str(HOW.count("\n### "))

    for page in (README, (ROOT / "docs" / "index.md").read_text("utf-8")):
        assert re.findall(r"(\d+) questions", page) == [n]
