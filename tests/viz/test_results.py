"""Charts of what many games say: what is drawn, seen on the artists."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.container import BarContainer

import ttr_analysis as ttr
from tests.fixtures import load
from tests.viz.artists import draw, legend
from ttr_analysis.policies import Greedy, Random
from ttr_analysis.viz import (
    plot_late_tickets,
    plot_point_sources,
    plot_rates,
    plot_ticket_fates,
    plot_ticket_results,
    plot_tunnel_success,
)
from ttr_analysis.viz.results import _ends

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ttr_analysis.studies import SimulationResult

S = ttr.studies


@pytest.fixture(scope="module")
def result() -> SimulationResult:
    return ttr.simulate(load("invented"), [Greedy(), Random(), Greedy()], 15, 7, progress=False)


def whiskers(ax: Axes) -> Any:  # noqa: ANN401 - an array of ends
    """Return the ends of all intervals."""
    lines = [c for c in ax.collections if isinstance(c, LineCollection)]
    return np.concatenate([np.array(line.get_segments()) for line in lines])


def test_rates_have_their_intervals_and_names(result: SimulationResult) -> None:
    rates = S.win_rates(result)
    ax = draw(plot_rates(rates))

    assert [label.get_text() for label in ax.get_yticklabels()] == ["Greedy (0)", "Random (1)", "Greedy (2)"]
    assert whiskers(ax)[:, :, 0] == pytest.approx(rates[["win_low", "win_high"]].to_numpy())
    [line] = [line for line in ax.lines if line.get_gid() == "reference"]
    assert np.asarray(line.get_xdata()).tolist() == pytest.approx([1 / 3, 1 / 3])
    assert ax.get_xlabel() == "win rate, with its 95% interval"


@pytest.mark.parametrize(
    ("question", "value", "reference"),
    [
        pytest.param(S.seat_advantage, "points", None, id="points"),
        pytest.param(S.win_differences, "win_difference", 0, id="a difference"),
        pytest.param(S.ticket_results, "completion_rate", None, id="tickets"),
        pytest.param(S.ticket_fates, "rate", None, id="fates"),
    ],
)
def test_any_figure_with_an_interval_can_be_drawn(
    question: Any,  # noqa: ANN401
    value: str,
    reference: float | None,
    result: SimulationResult,
) -> None:
    table = question(result)
    ax = draw(plot_rates(table, value=value))

    assert len(ax.get_yticklabels()) == len(table)
    lines = [np.asarray(line.get_xdata())[0] for line in ax.lines if line.get_gid() == "reference"]
    assert lines == ([] if reference is None else [reference])
    with pytest.raises(ValueError, match=f"has no figure 'luck' with an interval; it has .*{value}"):
        plot_rates(table, value="luck")


@pytest.mark.parametrize(
    ("question", "value"),
    [
        pytest.param(S.win_rates, "route_points", id="no interval, but points have one"),
        pytest.param(S.ticket_fates, "points", id="no interval, but the rate has one"),
        pytest.param(S.loan_results, "loan_points", id="no interval of loans"),
    ],
)
def test_no_figure_borrows_the_interval_of_another(
    question: Any,  # noqa: ANN401
    value: str,
    result: SimulationResult,
) -> None:
    with pytest.raises(ValueError, match=f"has no figure '{value}' with an interval"):
        plot_rates(question(result), value=value)


def test_every_interval_holds_its_figure(result: SimulationResult) -> None:
    game_map = load("invented")
    tables = [S.win_rates(result), S.ticket_results(result), S.route_results(result), S.late_tickets(result)]
    tables += [S.city_results(result, game_map), S.longest_routes(result, game_map), S.tunnel_results(result)]
    tables += [S.win_differences(result), S.point_sources(result), S.bonus_effects(result), S.blocking_routes(result)]
    drawn = 0
    for table in tables:
        for value in table.columns:
            with contextlib.suppress(ValueError):
                low, high = _ends(table, value)
                known = table[table[[low, value, high]].notna().all(axis=1)]
                assert ((known[low] <= known[value] + 1e-9) & (known[value] <= known[high] + 1e-9)).all(), value
                drawn += 1
    assert drawn >= 20


def test_names_are_shown_as_they_are() -> None:
    rows = {"win_rate": [0.5, 0.5], "win_low": [0.4, 0.4], "win_high": [0.6, 0.6]}
    ax = draw(plot_rates(pd.DataFrame(rows, index=["$x^2$", "<b>"]), title="$y$"))

    assert [label.get_text() for label in ax.get_yticklabels()] == ["$x^2$", "<b>"]
    assert not any(label.get_parse_math() for label in (*ax.get_yticklabels(), ax.title))


def test_points_add_up_to_both_sides(result: SimulationResult) -> None:
    sources = S.point_sources(result)
    ax = draw(plot_point_sources(sources))

    bars = [bar for container in ax.containers if isinstance(container, BarContainer) for bar in container]
    rows = {round(float(bar.get_y() + bar.get_height() / 2)) for bar in bars}
    for row in rows:
        total = sum(float(bar.get_width()) for bar in bars if round(float(bar.get_y() + bar.get_height() / 2)) == row)
        name = ax.get_yticklabels()[row].get_text()
        policy, _, won = name.partition(", ")
        assert total == pytest.approx(sources.loc[(policy, won == "won"), "points"])
    assert {"routes", "tickets completed", "tickets missed", "bonus", "at the start"} <= set(legend(ax))


def test_fates_fill_a_bar(result: SimulationResult) -> None:
    ax = draw(plot_ticket_fates(S.ticket_fates(result)))

    ends = [float(bar.get_x() + bar.get_width()) for c in ax.containers if isinstance(c, BarContainer) for bar in c]
    assert max(ends) == pytest.approx(1)
    assert "blocked" in legend(ax)


def test_tickets_stand_at_their_trains(result: SimulationResult) -> None:
    table = S.ticket_results(result, ttr.tickets.value_table(load("invented"), n_deals=10))
    ax = draw(plot_ticket_results(table))

    kept = table[table["kept"] > 0]
    [dots] = [c for c in ax.collections if isinstance(c, PathCollection)]
    assert np.asarray(dots.get_offsets()) == pytest.approx(kept[["trains", "completion_rate"]].to_numpy(float))
    assert np.asarray(dots.get_array()) == pytest.approx(kept["net_points"].to_numpy())
    with pytest.raises(ValueError, match=r"ticket_results\(result, values\)"):
        plot_ticket_results(S.ticket_results(result))


def test_tunnels_stand_at_their_odds(result: SimulationResult) -> None:
    table = S.tunnel_calibration(result, bins=5)
    ax = draw(plot_tunnel_success(table))

    dots = [c for c in ax.collections if isinstance(c, PathCollection)]
    found = sorted((*spot, c.get_alpha()) for c in dots for spot in np.asarray(c.get_offsets()).tolist())
    pale = table["attempts"] < 20
    wanted = [
        (row["odds"], row["success_rate"], 0.25 if few else 0.8)
        for few, (_, row) in zip(pale, table.iterrows(), strict=True)
    ]
    assert np.array(found) == pytest.approx(np.array(sorted(wanted)))
    assert pale.any()
    assert not pale.all()
    assert legend(ax) == ["Greedy", "Random", "(dots grow with attempts;\npale: fewer than 20)"]


def test_differences_of_shares_are_in_points_of_percent(result: SimulationResult) -> None:
    ax = draw(plot_rates(S.win_differences(result), value="win_difference"))

    assert ax.get_xlabel() == "difference of win rates (percentage points), with its 95% interval"
    assert [ax.xaxis.get_major_formatter()(x) for x in (-0.1, 0.0, 0.25)] == ["−10", "0", "+25"]


@pytest.mark.parametrize("by", ["turn", "trains_left"])
def test_draws_are_counted_beside_their_dots(by: Any, result: SimulationResult) -> None:  # noqa: ANN401
    table = S.late_tickets(result, by)
    ax = draw(plot_late_tickets(table))

    assert [int(text.get_text()) for text in ax.texts] == table["draws"].tolist()
    assert ax.xaxis_inverted() == (by == "trains_left")


def test_tables_without_rows_make_empty_charts(result: SimulationResult) -> None:
    draw(plot_rates(S.win_rates(result).head(0)))
    draw(plot_point_sources(S.point_sources(result).head(0)))
    draw(plot_ticket_fates(S.ticket_fates(result).head(0)))
    draw(plot_ticket_results(S.ticket_results(result).head(0).assign(trains=[])))
    draw(plot_tunnel_success(S.tunnel_calibration(result).head(0)))
    draw(plot_late_tickets(S.late_tickets(result).head(0)))
