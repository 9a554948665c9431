"""
Charts of many games: rates with their intervals, tickets, tunnels, sources of points.

Each function draws on `ax`, by default new axes, and returns the axes; `title` replaces the default title.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import rcParams
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter

from ttr_analysis._compile import Floats
from ttr_analysis._words import percentage_points
from ttr_analysis.viz import charts
from ttr_analysis.viz.style import figure_of, ink_upon

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

ROW_INCHES = 0.4
"""Height of a row with a name."""
SOURCES = {
    "routes": ("routes", "#0072b2"),
    "tickets_completed": ("tickets completed", "#009e73"),
    "bonus": ("bonus", "#e69f00"),
    "start": ("at the start", "#b9b3a6"),
    "stations": ("stations left", "#56b4e9"),
    "tickets_missed": ("tickets missed", "#d55e00"),
    "loans": ("loans", "#cc79a7"),
}
"""Columns of sources of points, with labels and colors."""
FATES = {
    "completed": "#009e73",
    "blocked": "#d55e00",
    "out of trains": "#e69f00",
    "out of time": "#56b4e9",
    "hopeless": "#8a8a8a",
}
MOST_TRIALS_POINTS = 16.0
"""Diameter of the dot with the most attempts."""
FEWEST_TRIALS_POINTS = 5.0
SHARE_WRITTEN, POINTS_WRITTEN = 0.06, 5
"""The smallest share, and the fewest points, that are written on their part of a bar."""
NAMES_WRITTEN = 10
"""Number of tickets to name of each kind: those completed least often, and those with the most points."""
ENDS = {
    "rate": "",
    "win_association": "association_",
    "net_points": "net_",
    "rest_win_rate": "rest_",
    **{f"{name}_rate": f"{name}_" for name in ("win", "completion", "claim", "visit", "success", "ready", "gain")},
}
"""Prefix of `low` and `high`, if it is not the name of the figure."""
RATES = ("rate", "share")
"""Endings of column names that are shown in percent."""
DIFFERENCES = ("win_difference", "win_association")
"""Endings of column names for differences of shares."""
LATE_AXES = {"turn": "first turn of each group of draws", "trains_left": "fewest trains left in each group of draws"}
"""Axis labels for draws of tickets, by time of the draw."""
MANY_TRIALS = 20
"""Minimum number of attempts for a rate to be shown in full color."""


def plot_rates(
    table: pd.DataFrame,
    ax: Axes | None = None,
    *,
    value: str = "win_rate",
    reference: float | None = None,
    title: str | None = None,
) -> Axes:
    """
    Draw one figure for each row of a table with its 95% interval.

    Parameters
    ----------
    table
        From `win_rates`, `seat_advantage`, `compare_strategies` or another question. Rows
        with an index of players are labeled by the column `policy`, if there is one, else
        by the index.
    ax, title
        Axes to draw in, and their title. By default, the axes of a new figure, and the
        name of the column.
    value
        The column; its interval is in the columns with `low` and `high`, such as
        `win_low` for `win_rate`.
    reference
        Position of a reference line: the result of chance alone. By default, an equal
        share of the wins if the rows share them, 0 for a difference, else no line.

    Raises
    ------
    ValueError
        If the table has no such column, or no interval for it.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = {"win_rate": [0.7, 0.3], "win_low": [0.6, 0.2], "win_high": [0.8, 0.4]}
    >>> ax = plot_rates(pd.DataFrame(rows, index=["Mine", "Greedy"]))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Mine', 'Greedy']
    """
    low, high = _ends(table, value)
    ax = charts.chart_axes(ax, (7.0, 1.4 + ROW_INCHES * len(table)))
    if reference is None:
        reference = _by_chance(table, value)
    if reference is not None:
        charts.draw_line(ax, x=reference, linewidth=1.2, gid="reference")
    look: dict[str, Any] = {"fmt": "o", "color": charts.SERIES_COLORS[0], "elinewidth": 1.4, "is_flat": True}
    charts.draw_intervals(ax, np.arange(len(table)), table[value], table[low], table[high], **look)
    charts.name_rows(ax, _names(table))
    is_difference, what = value.endswith(DIFFERENCES), value.replace("_", " ")
    if value == "win_difference":
        what = "difference of win rates"
    ax.set(xlabel=f"{what}{' (percentage points)' if is_difference else ''}, with its 95% interval")
    if is_difference:
        ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: percentage_points(x, 1)))
    elif value.endswith(RATES):
        ax.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    if is_difference or value.endswith(RATES):
        ax.xaxis.set_major_locator(MaxNLocator(7, steps=[1, 2, 5, 10], min_n_ticks=3))
    return charts.finish_chart(ax, title, value.replace("_", " ").capitalize())


def plot_point_sources(table: pd.DataFrame, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """
    Draw the sources of points: bars to the right for gains, to the left for losses.

    Parameters
    ----------
    table
        From `point_sources`.

    Examples
    --------
    >>> players = [ttr.policies.Greedy(), ttr.policies.Random()]
    >>> result = ttr.simulate(ttr.load_map("usa"), players, n_games=10, seed=7, progress=False)
    >>> ax = plot_point_sources(ttr.studies.point_sources(result))
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['Greedy, won', 'Random, lost']
    """
    rows = table.iloc[::-1].sort_index(level="policy", sort_remaining=False, kind="stable")
    ax = charts.chart_axes(ax, (8.0, 1.6 + ROW_INCHES * len(rows)))
    parts = {name: (color, rows[column].to_numpy(float)) for column, (name, color) in SOURCES.items()}
    ends = _stack_bars(ax, len(rows), parts, lambda points: f"{points:.0f}" if abs(points) >= POINTS_WRITTEN else "")
    for y, (x, points) in enumerate(zip(ends, rows["points"], strict=True)):
        ax.annotate(f"= {points:.0f}", (x, y), (5, 0), textcoords="offset points", va="center", fontweight="bold")
    ax.margins(x=0.18)
    charts.draw_line(ax, x=0, color=rcParams["axes.edgecolor"], linewidth=0.8)
    charts.name_rows(ax, [f"{policy}, {'won' if won else 'lost'}" for policy, won in rows.index])
    ax.set(xlabel="mean points per seat")
    return charts.finish_chart(ax, title, "Where points come from", loc="upper left", bbox_to_anchor=(1.0, 1.0))


def plot_ticket_results(table: pd.DataFrame, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """
    Draw how often tickets were completed against the fewest trains that they take.

    Parameters
    ----------
    table
        From `ticket_results` with values. Colors are the mean points of a ticket,
        failures included.

    Returns
    -------
    ax
        The axes, with 95% intervals, and the names of the tickets completed least often
        or with the most points.

    Raises
    ------
    ValueError
        If the table was made without values.
    """
    if "trains" not in table:
        raise ValueError("ticket_results must be given the values of tickets: ticket_results(result, values)")
    ax = charts.chart_axes(ax, (9.5, 6.5))
    known = table[table["kept"] > 0]
    x, y = known["trains"].to_numpy(float), known["completion_rate"].to_numpy(float)
    quiet = {"ecolor": rcParams["xtick.color"], "alpha": 0.5, "capsize": None, "zorder": 1}
    charts.draw_intervals(ax, x, y, known["completion_low"], known["completion_high"], **quiet)
    most = float(known["net_points"].abs().max()) if len(known) else 1.0
    dots = ax.scatter(
        x,
        y,
        c=known["net_points"],
        cmap="PuOr",
        vmin=-most,
        vmax=most,
        s=45,
        edgecolors=rcParams["text.color"],
        linewidths=0.6,
        zorder=3,
    )
    floor = np.floor(10 * known["completion_low"].min() - 0.2) / 10 if len(known) else 0.0
    ax.set(xlim=(0, 1.15 * x.max(initial=1.0)), ylim=(max(-0.03, floor), 1.04))
    ax.set(xlabel="fewest trains", ylabel="share completed, of those kept")
    figure_of(ax).colorbar(dots, ax=ax, label="net points when kept", shrink=0.7, pad=0.01)
    named = {
        *known["completion_rate"].nsmallest(NAMES_WRITTEN).index,
        *known["net_points"].nlargest(NAMES_WRITTEN).index,
    }
    spots = list(zip(x.tolist(), y.tolist(), strict=True))
    chosen = {str(name): spot for name, spot in zip(known.index, spots, strict=True) if name in named}
    places = charts.grouped(chosen, chosen.values())
    charts.label_dots(ax, places, [spot for spot in spots if spot not in places])
    return charts.finish_chart(ax, title, "Tickets as played", percent=True)


def plot_ticket_fates(table: pd.DataFrame, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """
    Draw what became of the tickets kept.

    Parameters
    ----------
    table
        From `ticket_fates`.
    """
    rates = table["rate"].reset_index().pivot_table("rate", "policy", "fate", observed=True, sort=False)
    ax = charts.chart_axes(ax, (8.0, 1.5 + 1.2 * ROW_INCHES * len(rates)))
    parts = {fate: (color, rates[fate].to_numpy(float)) for fate, color in FATES.items() if fate in rates}
    _stack_bars(ax, len(rates), parts, lambda share: f"{share:.0%}" if share >= SHARE_WRITTEN else "")
    charts.name_rows(ax, [str(policy) for policy in rates.index])
    ax.set(xlim=(0, 1), xlabel="share of the tickets kept")
    ax.xaxis.set_major_formatter(PercentFormatter(1.0))
    return charts.finish_chart(ax, title, "What becomes of tickets", loc="upper left", bbox_to_anchor=(1.0, 1.0))


def plot_tunnel_success(table: pd.DataFrame, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """
    Draw how often tunnels succeeded against the odds of paying for them.

    Players who pay whenever they can are on the line; those who sometimes decline are below
    it.

    Parameters
    ----------
    table
        From `tunnel_calibration`. Dots grow with the attempts; those with few attempts
        are pale.
    """
    ax = charts.chart_axes(ax, (6.0, 5.2))
    ax.plot([0, 1], [0, 1], color=rcParams["grid.color"], linewidth=1.2, zorder=0)
    most = float(table["attempts"].max()) if len(table) else 1.0
    for policy, rows, color in _by_policy(table):
        is_many = rows["attempts"] >= MANY_TRIALS
        for some, alpha in ((rows[is_many], 0.8), (rows[~is_many], 0.25)):
            odds, rate = some["odds"].to_numpy(float), some["success_rate"].to_numpy(float)
            style: dict[str, Any] = {"color": color, "zorder": 2, "alpha": alpha}
            charts.draw_intervals(ax, odds, rate, some["success_low"], some["success_high"], capsize=2, **style)
            sizes = np.maximum(FEWEST_TRIALS_POINTS, MOST_TRIALS_POINTS * np.sqrt(some["attempts"] / most)) ** 2
            ax.scatter(odds, rate, s=sizes, edgecolors="white", linewidths=0.4, **style)
        ax.plot([], [], "o", color=color, label=policy)
    ax.plot([], [], " ", label=f"(dots grow with attempts;\npale: fewer than {MANY_TRIALS})")
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    ax.set(xlabel="odds that the surcharge can be paid", ylabel="share of attempts that succeed")
    ax.xaxis.set_major_formatter(PercentFormatter(1.0))
    return charts.finish_chart(ax, title, "Tunnels claimed, by their odds", percent=True, loc="upper left")


def plot_late_tickets(table: pd.DataFrame, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """
    Draw the points from drawing tickets, by time of the draw.

    Parameters
    ----------
    table
        From `late_tickets`. Numbers beside dots count draws.

    Returns
    -------
    ax
        The axes, with 95% intervals if there are at least two deals.
    """
    ax = charts.chart_axes(ax)
    charts.draw_line(ax, y=0, color=rcParams["axes.edgecolor"], linewidth=0.8)
    when = str(table.index.names[-1])
    for policy, rows, color in _by_policy(table):
        x, y = rows.index.get_level_values(when).to_numpy(float), rows["points"].to_numpy(float)
        look: dict[str, Any] = {"fmt": "o-", "color": color, "linewidth": 1, "label": policy}
        charts.draw_intervals(ax, x, y, rows["points_low"], rows["points_high"], **look)
        for spot, n in zip(zip(x, y, strict=True), rows["draws"], strict=True):
            ax.annotate(
                f"{n:,}", spot, (6, 5), textcoords="offset points", fontsize="x-small", color=rcParams["xtick.color"]
            )
    if when == "trains_left":
        ax.invert_xaxis()
    ax.set(
        xlabel=f"{LATE_AXES.get(when, when)} (numbers next to dots: draws)",
        ylabel="points that a draw earned",
    )
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:.0f}"))
    since = when.replace("_", " ")
    return charts.finish_chart(ax, title, f"Points from ticket draws, by {since}")


def plot_progress(games: pd.DataFrame, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """
    Draw how wins, skill and luck add up from game to game.

    Parameters
    ----------
    games
        From `Insights.games`, in the order to draw.

    Returns
    -------
    ax
        The axes, with wins beyond those of equal players and, if games were reviewed, the
        gains by the player's moves and by luck.

    Examples
    --------
    >>> records = [ttr.Game("usa").play(["Planner", "Greedy"], seed=seed) for seed in range(3)]
    >>> found = ttr.studies.insights(records, "Planner", minutes=0, progress=False)
    >>> plot_progress(found.games).get_lines()[-1].get_ydata().tolist()
    [0.0, 0.5, 1.0, 1.5]
    """
    ax = charts.chart_axes(ax, (8.0, 3.6))
    charts.draw_line(ax, y=0, color=rcParams["axes.edgecolor"], linewidth=0.8)
    lines = {"wins": games["won"] - 1 / games["players"], "own moves": games["skill"], "luck": games["luck"]}
    shown = {name: values for name, values in lines.items() if values.notna().any()}
    for (name, values), color in reversed(list(zip(shown.items(), charts.SERIES_COLORS, strict=False))):
        total = np.concatenate([[0.0], values.fillna(0.0).cumsum()])
        ax.plot(total, color=color, label=name, linewidth=2.4 if name == "wins" else 1.4)
    ax.set(xlabel="games", ylabel="wins beyond an equal share", xlim=(0, None))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return charts.finish_chart(ax, title, "Wins, skill and luck", loc="best")


def _by_policy(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame, str]]:
    """Yield the rows of each policy, with its name and a color."""
    groups = table.groupby(level="policy", observed=True, sort=False)
    for (policy, rows), color in zip(groups, cycle(charts.SERIES_COLORS), strict=False):
        yield str(policy), rows, color


def _stack_bars(
    ax: Axes, n_rows: int, parts: Mapping[str, tuple[str, Floats]], written: Callable[[float], str]
) -> Floats:
    """Draw the parts of each row as bars, by name with their colors, losses to the left; return the right ends."""
    ends = {1: np.zeros(n_rows), -1: np.zeros(n_rows)}
    for name, (color, values) in parts.items():
        if not values.any():
            continue
        side = 1 if values.sum() > 0 else -1
        bars = ax.barh(np.arange(n_rows), values, left=ends[side], height=0.62, color=color, label=name)
        texts = [written(value) for value in values]
        ax.bar_label(bars, texts, label_type="center", fontsize="small", color=ink_upon(color))
        ends[side] = ends[side] + values
    return ends[1]


def _ends(table: pd.DataFrame, value: str) -> tuple[str, str]:
    """Return the columns with the ends of a figure's interval."""
    short = ENDS.get(value, f"{value}_")
    ends = f"{short}low", f"{short}high"
    if value not in table or ends[0] not in table:
        known = [name for name in table.columns if f"{ENDS.get(name, f'{name}_')}low" in table]
        raise ValueError(f"the table has no figure {value!r} with an interval; it has {', '.join(known) or 'none'}")
    return ends


def _by_chance(table: pd.DataFrame, value: str) -> float | None:
    if "difference" in value or "association" in value:
        return 0.0
    is_shared = value == "win_rate" and len(table) and abs(table[value].sum() - 1) < 1e-6  # noqa: PLR2004
    return 1 / len(table) if is_shared else None


def _names(table: pd.DataFrame) -> list[str]:
    """Return the label of each row."""
    if table.index.name == "player" and "policy" in table:
        return [f"{policy} ({player})" for player, policy in table["policy"].items()]
    if table.index.name == "seat":
        return [f"seat {seat}" for seat in table.index]
    return [", ".join(map(str, key)) if isinstance(key, tuple) else str(key) for key in table.index]
