"""Tables as a notebook shows them."""

import re
from copy import deepcopy

import numpy as np
import pandas as pd

from ttr_analysis._notebook import MOST_COLUMNS, as_table

LONG = "København-Murmansk, Kristiansand-Mo i Rana, Stavanger-Rovaniemi, Tampere-Kristiansand"


def shown(frame: pd.DataFrame) -> str:
    html = frame._repr_html_()  # type: ignore[operator] # the stubs of pandas leave it out
    assert isinstance(html, str)
    return html


def headers(frame: pd.DataFrame) -> list[str]:
    return re.findall(r"<th>([^<]+)</th>", shown(frame).split("<tbody>")[0])


def test_names_stay_whole_and_are_text() -> None:
    html = shown(as_table(pd.DataFrame({"keep": [LONG], "drop": ["<b>"]})))

    assert LONG in html
    assert "&lt;b&gt;" in html


def test_names_are_not_broken_but_lists_are() -> None:
    html = shown(as_table(pd.DataFrame({"keep": [LONG], "drop": ["Oslo-Vaasa"], "net": [7]})))

    assert '<td style="white-space: nowrap">Oslo-Vaasa</td>' in html
    assert f"<td>{LONG}</td>" in html
    assert "<td>7</td>" in html


def test_a_figure_and_its_interval_are_one_column() -> None:
    frame = as_table(pd.DataFrame({"rate": [0.25, np.nan], "low": [0.125, np.nan], "high": [0.5, np.nan], "n": [4, 0]}))

    assert headers(frame) == ["rate", "n"]
    assert ">0.250 (0.125 to 0.500)</td>" in shown(frame)
    assert "nan" not in shown(frame)


def test_of_many_columns_those_that_matter_are_shown_and_the_others_named() -> None:
    frame = pd.DataFrame({f"c{i}": [i % 3] for i in range(20)})

    assert headers(as_table(frame, ["c7", "c5"])) == ["c7", "c5"]
    assert headers(as_table(frame)) == [f"c{i}" for i in range(20) if i % 3][:MOST_COLUMNS]
    assert "c19</p>" in shown(as_table(frame))
    assert len(headers(as_table(frame)[[f"c{i}" for i in range(MOST_COLUMNS)]])) == MOST_COLUMNS
    with pd.option_context("display.max_columns", None):
        assert len(headers(as_table(frame))) == 20


def test_long_tables_show_both_ends() -> None:
    html = shown(as_table(pd.DataFrame({"game": np.arange(10_000)})))

    assert "10,000 rows" in html
    assert "<td>0</td>" in html
    assert "<td>9999</td>" in html
    assert "<td>5000</td>" not in html


def test_units_follow_the_columns_and_the_data_stay() -> None:
    frame = pd.DataFrame({"turn": [7], "completed": [3], "trail": [12]})
    table = as_table(frame, units={"completed": "turn"})

    assert headers(table.iloc[:, 1:]) == ["completed (turn)", "trail (trains)"]
    assert [*table.columns] == ["turn", "completed", "trail"]
    assert table.equals(frame)
    assert headers(deepcopy(table)) == headers(table)


def test_tables_of_the_readers_own_making_are_shown_as_pandas_does() -> None:
    table = as_table(pd.DataFrame({"a": [1, 1], "b": [2, 3]}))

    assert "<td>1</td>" in shown(table.T)
    assert "<td>5</td>" in shown(table.groupby("a").agg({"b": ["sum"]}))


def test_a_table_without_rows_says_why() -> None:
    assert "no rows: no tunnel was attempted" in shown(
        as_table(pd.DataFrame({"n": []}), why_empty="no tunnel was attempted")
    )
