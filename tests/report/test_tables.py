"""The tables of a study as files."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

import pandas as pd
import pytest

from ttr_analysis.report import page

COLUMNS = (
    page.Column("city", "City", "A city.", kind="text"),
    page.Column("cards", "Cards", "Cards needed.", digits=1),
    page.Column("odds", "Odds", "Probability.", kind="percent"),
)


def table(**columns: list[object]) -> page.Table:
    there = tuple(column for column in COLUMNS if column.key in columns)
    return page.Table("cards_by_city", "Cards by city", pd.DataFrame(columns), there)


@pytest.mark.parametrize(
    ("values", "is_shown"),
    [({"skill": [None, 0.0]}, True), ({"skill": [None, math.nan]}, False), ({}, False)],
)
def test_columns_that_may_be_blank_are_shown_if_a_value_is_known(
    values: dict[str, list[float | None]], *, is_shown: bool
) -> None:
    others = {key: [1, 2] for key in page.descriptions()["insights_games"] if key not in ("date", "skill", "luck")}
    columns = page.make_table("insights_games", "Games", pd.DataFrame({**others, **values})).columns
    assert ("skill" in [column.key for column in columns]) == is_shown


def test_a_table_without_a_listed_column_is_refused() -> None:
    with pytest.raises(KeyError, match="table bridges has no column route"):
        page.make_table("bridges", "Bridges", [{"n_tracks": 1}])
    with pytest.raises(KeyError, match=r"no table bridge in columns\.toml"):
        page.make_table("bridge", "Bridges", [{"n_tracks": 1}])
    with pytest.raises(KeyError, match="table bridges has no column route"):
        page.make_table("bridges", "Bridges", [])


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_columns_come_in_order() -> None:
    text = page.to_csv(table(odds=[0.25], city=["Oslo"], cards=[3]))
    assert rows_of(text) == [["city", "cards", "odds"], ["Oslo", "3", "0.25"]]


@pytest.mark.parametrize(
    "start",
    ["=1+1", "+1", "-1", "@A1", "\tx", "  =1+1", "\N{FULLWIDTH EQUALS SIGN}1"],
    ids=["equals", "plus", "minus", "at", "tab", "after blanks", "fullwidth"],
)
def test_no_text_becomes_a_formula(start: str) -> None:
    assert rows_of(page.to_csv(table(city=[start])))[1] == [f"'{start}"]


def test_negative_numbers_stay_numbers() -> None:
    assert rows_of(page.to_csv(table(cards=[-3])))[1] == ["-3"]


def test_what_is_unknown_is_an_empty_cell() -> None:
    assert rows_of(page.to_csv(table(city=[None, "Oslo"], cards=[1.5, math.nan])))[1:] == [["", "1.5"], ["Oslo", ""]]


def test_commas_quotes_and_line_breaks_survive() -> None:
    wild = 'Ærø, "Havn"\nתל אביב'
    assert rows_of(page.to_csv(table(city=[wild])))[1] == [wild]


def test_marks_of_names_are_for_the_page_only() -> None:
    assert rows_of(page.to_csv(table(city=[page.name("=Oslo")])))[1] == ["'=Oslo"]


def test_a_name_cannot_end_its_own_mark() -> None:
    assert page.plain(page.name("a\u2069b\u202ec")) == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c"


def test_readme_names_every_column_and_is_read_back(tmp_path: Path) -> None:
    text = page.describe_tables([table(city=["Oslo"], cards=[1])], "My <map>")
    assert "- `city`: A city." in text
    assert "- `cards`: Cards needed." in text
    assert "My \\<map>" in text
    (tmp_path / "README.md").write_text(text, encoding="utf-8")
    assert page.described_tables(tmp_path / "README.md") == ["cards_by_city"]
    assert page.described_tables(tmp_path / "none.md") == []


def test_files_are_replaced_whole(tmp_path: Path) -> None:
    page.write_tables(tmp_path, [table(city=["Oslo", "Bergen"])])
    page.write_tables(tmp_path, [table(city=["Oslo"])])
    assert [path.name for path in tmp_path.iterdir()] == ["cards_by_city.csv"]
    assert (tmp_path / "cards_by_city.csv").read_text(encoding="utf-8") == "city\nOslo\n"
