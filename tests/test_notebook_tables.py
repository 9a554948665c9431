"""Tables as a notebook shows them."""

import re
from copy import deepcopy
from time import process_time

import numpy as np
import pandas as pd
import pytest

from ttr_analysis._notebook import MOST_COLUMNS, as_table
from ttr_analysis.studies.columns import ANSWERS, TABLES, columns_of, units_of

LONG = "København-Murmansk, Kristiansand-Mo i Rana, Stavanger-Rovaniemi, Tampere-Kristiansand"


def shown(frame: pd.DataFrame) -> str:
    html = frame._repr_html_()  # type: ignore[operator] # missing from the pandas stubs
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


def test_an_interval_stands_beside_its_own_figure_alone() -> None:
    ends = {"win_low": [0.25], "win_high": [0.75]}
    frame = as_table(pd.DataFrame({"games": [20], "route_points": [30.5], "win_rate": [0.5], **ends}))

    assert headers(frame) == ["games", "route_points", "win_rate"]
    assert headers(frame[["route_points", *ends]]) == ["route_points", *ends]
    assert headers(as_table(frame[["games", *ends]])) == ["games", *ends]


@pytest.mark.parametrize(
    ("figure", "ends"),
    [("rate", ""), ("win", "win_"), ("net_points", "net_"), ("win_association", "association_"), ("gain", "gain_")],
)
def test_figures_of_all_names_keep_their_interval(figure: str, ends: str) -> None:
    frame = pd.DataFrame({"games": [9], figure: [1.5], f"{ends}low": [0.5], f"{ends}high": [2.5], "other": [1]})

    assert [name.split()[0] for name in headers(as_table(frame))] == ["games", figure, "other"]


def test_no_question_loses_an_interval() -> None:
    for figures in ANSWERS.values():
        frame = pd.DataFrame({name: [1.0] for name in columns_of(figures)})
        with pd.option_context("display.max_columns", None):
            assert not [name for name in headers(as_table(frame)) if name.endswith(("low", "high"))]


def test_a_whole_figure_shows_its_interval() -> None:
    frame = as_table(pd.DataFrame({"n": [3, 4], "n_low": [2.5, 3.5], "n_high": [3.5, 4.5]}))

    assert ">3.00 (2.50 to 3.50)</td>" in shown(frame)
    assert headers(frame.astype({"n": str})) == ["n", "n_low", "n_high"]


def test_what_the_reader_adds_or_selects_is_shown() -> None:
    frame = as_table(pd.DataFrame({f"c{i}": [i] for i in range(20)}), ["c7", "c5"])

    assert headers(frame.assign(mine=0)) == ["c7", "c5", "mine"]
    assert headers(frame.reset_index()) == ["index", "c7", "c5"]
    assert headers(frame[[f"c{i}" for i in range(15)]]) == [f"c{i}" for i in range(15)]
    with pd.option_context("display.max_columns", 15):
        assert headers(frame) == [f"c{i}" for i in range(15)]


def test_of_many_columns_those_that_matter_are_shown_and_the_others_named() -> None:
    frame = pd.DataFrame({f"c{i}": [i % 3] for i in range(20)})

    assert headers(as_table(frame, ["c7", "c5"])) == ["c7", "c5"]
    assert headers(as_table(frame)) == [f"c{i}" for i in range(20) if i % 3][:MOST_COLUMNS]
    assert "c19</p>" in shown(as_table(frame))
    assert len(headers(as_table(frame)[[f"c{i}" for i in range(MOST_COLUMNS)]])) == MOST_COLUMNS
    with pd.option_context("display.max_columns", None):
        assert len(headers(as_table(frame))) == 20


def test_print_shows_what_a_notebook_shows(capsys: pytest.CaptureFixture[str]) -> None:
    interval = {"rate": [0.25], "rate_low": [0.125], "rate_high": [0.5]}
    frame = as_table(pd.DataFrame({"keep": [LONG], **interval, **{f"c{i}": [1] for i in range(20)}}), ["keep", "rate"])

    print(frame)  # noqa: T201 - what is tested
    told = capsys.readouterr().out

    assert LONG in told
    assert "0.250 (0.125 to 0.500)" in told
    assert "..." not in told
    assert told.endswith(f"95% intervals in parentheses\ncolumns not shown: {', '.join(f'c{i}' for i in range(20))}\n")
    assert repr(frame) == repr(pd.DataFrame(frame))
    assert str(frame * 2) == repr(frame * 2)
    assert str(as_table(pd.DataFrame({"n": []}), why_empty="nobody played")) == "no rows: nobody played"


def test_long_tables_show_both_ends() -> None:
    html = shown(as_table(pd.DataFrame({"game": np.arange(10_000)})))

    assert "10,000 rows" in html
    assert "<td>0</td>" in html
    assert "<td>9999</td>" in html
    assert "<td>5000</td>" not in html


def test_rows_are_shown_once_however_few_are_wanted() -> None:
    frame = as_table(pd.DataFrame({"game": np.arange(7)}))

    with pd.option_context("display.max_rows", 5):
        cells = re.findall(r"<td>(\d)</td>", shown(frame))
    assert cells == ["0", "1", "5", "6"]


def test_pandas_may_be_told_to_show_no_html() -> None:
    with pd.option_context("display.notebook_repr_html", False):  # noqa: FBT003 - its own way
        assert as_table(pd.DataFrame({"game": [1]}))._repr_html_() is None


def test_long_tables_of_many_columns_are_shown_at_once() -> None:
    numbers, names = np.zeros(100_000, dtype=int), pd.Categorical(["Ann", "Bob"] * 50_000)
    frame = as_table(pd.DataFrame({**{f"c{i}": numbers for i in range(30)}, "who": names, "any": numbers + 1}))
    start = process_time()

    assert headers(frame) == ["who", "any"]
    assert process_time() - start < 0.5  # a second and more, once; a slow machine is no fault


@pytest.mark.parametrize(
    ("figures", "texts"),
    [
        ([0.004, 1234.5], ["0.004", "1234.500"]),
        ([0.0004, 0.0002], ["0.00040", "0.00020"]),
        ([0.25, 1e-9], ["0.250", "0.000"]),
        ([12.25, -0.04], ["12.25", "-0.04"]),
        ([-1e-17, 30.5], ["0.0", "30.5"]),
        ([3.0, 1200.0], ["3", "1200"]),
    ],
)
def test_decimals_tell_figures_from_nothing(figures: list[float], texts: list[str]) -> None:
    html = shown(as_table(pd.DataFrame({"figure": figures})))

    assert re.findall(r"<td[^>]*>([^<]*)</td>", html) == texts


def test_names_in_an_index_of_several_levels_are_not_broken() -> None:
    index = pd.MultiIndex.from_tuples([("Oslo-Vaasa", 0), ("Oslo-Vaasa", 1)], names=["ticket", "place"])

    assert re.search(
        r'<th rowspan="2"[^>]* style="white-space: nowrap">Oslo-Vaasa<',
        shown(as_table(pd.DataFrame({"n": [1, 2]}, index))),
    )


def test_what_is_computed_from_a_table_has_no_units() -> None:
    frame = as_table(pd.DataFrame({"seat": [0, 1, 1], "slack": [12, 30, 31], "net": [1.5, 2.5, 4.5]}))
    computed = [
        frame.groupby("seat").count(),
        frame.groupby("seat").mean(),
        frame.corr(),
        frame.describe(),
        frame.isna(),
        frame / 2,
        frame.pivot_table(index="seat", values="slack", aggfunc="count"),
    ]

    assert not [found for found in computed if "trains" in shown(found)]
    for same in (
        frame[["slack"]],
        frame[frame["seat"] == 1],
        frame.head(1),
        frame.sort_values("slack", ascending=False),
        frame.sort_index(ascending=False),
        frame.round(1),
    ):
        assert "slack" in headers(same)
        assert "trains (slack" in shown(same)


def test_units_follow_the_columns_and_the_data_stay() -> None:
    frame = pd.DataFrame({"turn": [7], "completed": [3], "slack": [12]})
    table = as_table(frame, units={"completed": "turn"})

    assert headers(table.iloc[:, 1:]) == ["completed", "slack"]
    assert "units: turn (completed), trains (slack)" in shown(table.iloc[:, 1:])
    assert [*table.columns] == ["turn", "completed", "slack"]
    assert table.equals(frame)
    assert headers(deepcopy(table)) == headers(table)


def test_every_header_can_be_typed_and_no_quantity_lacks_its_unit() -> None:
    for columns in (*TABLES.values(), *map(columns_of, ANSWERS.values())):
        units = units_of(columns)
        table = as_table(pd.DataFrame({name: [1] for name in columns}, index=pd.Index([0], name="trains")), units=units)
        with pd.option_context("display.max_columns", None):
            assert set(headers(table)) <= {*columns, "trains"}
        for name, column in columns.items():
            is_number = column.dtype.lower().startswith(("int", "float"))
            assert bool(column.unit) == is_number, name
            assert column.unit not in units.get(name, "") or column.unit not in name.split("_")


def test_columns_that_the_reader_selects_are_shown_one_by_one() -> None:
    table = as_table(pd.DataFrame({"games": [9], "win_rate": [0.5], "win_low": [0.25], "win_high": [0.75]}))

    assert headers(table) == ["games", "win_rate"]
    assert str(table[["win_rate", "win_low", "win_high"]]).split("\n")[0].split() == ["win_rate", "win_low", "win_high"]


def test_tables_of_the_readers_own_making_are_shown_as_pandas_does() -> None:
    table = as_table(pd.DataFrame({"a": [1, 1], "b": [2, 3]}))

    assert "<td>1</td>" in shown(table.T)
    assert "<td>5</td>" in shown(table.groupby("a").agg({"b": ["sum"]}))


def test_a_table_without_rows_says_why() -> None:
    some = as_table(pd.DataFrame({"n": [1]}), why_empty="no tunnel was attempted")
    assert "<p>no rows</p>" in shown(some[some["n"] > 1])
    assert "no rows: no tunnel was attempted" in shown(
        as_table(pd.DataFrame({"n": []}), why_empty="no tunnel was attempted")
    )
