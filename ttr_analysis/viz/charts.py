"""Charts: tunnel odds, card odds, ticket values. Results in, artists out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any, Literal, SupportsFloat, TypeAlias

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import rcParams
from matplotlib.ticker import MaxNLocator, PercentFormatter

from ttr_analysis.analysis.waiting import WaitingTime
from ttr_analysis.viz._labels import WantedLabel, place_labels
from ttr_analysis.viz.style import PLAYER_COLORS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

Distribution: TypeAlias = Sequence[SupportsFloat]
"""Probabilities of 0, 1, 2, ...: numbers, or estimates with a `standard_error`."""

SERIES_COLORS = tuple(color for color in PLAYER_COLORS if color != "#f0e442")
"""Okabe and Ito's colors without yellow, which is too pale for a line on white."""
BAR_SPAN = 0.8
"""Of the distance between two numbers of cards, what the bars take."""
QUANTILES = (0.5, 0.9)
AXIS_LABELS = {
    "points": "points",
    "most_points": "points of the best destination",
    "trains": "fewest trains",
    "with_one": "extra trains on top of another ticket",
    "with_two": "extra trains on top of two other tickets",
    "in_deal": "extra trains on top of the other tickets of a deal",
}
"""What the columns of a table of tickets are; others are named as they are."""
GUIDES = (0.5, 1.0, 1.5, 2.0, 3.0)
"""Points per train for which a line is drawn."""
LABEL_POINTS = 7.0
DOT_POINTS = 3.0
MOST_NAMES = 8
"""Beside one dot."""
REACHES = (0.3, 0.9, 1.8, 3.0, 4.5, 6.0, 8.0, 11.0)


def plot_tunnel_odds(
    odds: Distribution | Mapping[str, Distribution], ax: Axes | None = None, *, title: str | None = None
) -> Axes:
    """
    Draw how many cards a tunnel may demand, and how many spare cards suffice.

    Bars are the probability of each surcharge. The line adds them up: the
    probability that so many spare cards are enough.

    Parameters
    ----------
    odds
        `odds[k]`: the probability that exactly `k` more cards are demanded,
        as `surcharge_distribution` or `simulate_surcharges` return it; or
        several such distributions by name. Estimates get bars of two standard
        errors.
    ax
        Axes to draw in; by default those of a new figure.
    title
        What is seen.

    Returns
    -------
    ax
        The axes.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import ttr_analysis as ttr
    >>> ax = plot_tunnel_odds(ttr.tunnels.surcharge_distribution(26, 110))
    >>> [round(float(bar.get_height()), 3) for bar in ax.patches]
    [0.441, 0.42, 0.126, 0.012]
    """
    named = odds if isinstance(odds, Mapping) else {"": odds}
    ax = chart_axes(ax)
    width = BAR_SPAN / max(1, len(named))
    for rank, ((name, distribution), color) in enumerate(zip(named.items(), cycle(SERIES_COLORS), strict=False)):
        probabilities = np.array([float(p) for p in distribution])
        errors = np.array([float(getattr(p, "standard_error", 0.0)) for p in distribution])
        ks = np.arange(len(probabilities))
        at = ks + (rank - (len(named) - 1) / 2) * width
        ax.bar(at, probabilities, width, color=color, alpha=0.45, label=name or "demanded")
        if errors.any():
            ax.errorbar(
                at, probabilities, 2 * errors, fmt="none", ecolor=rcParams["text.color"], capsize=3, elinewidth=1
            )
        ax.plot(ks, np.minimum(1, np.cumsum(probabilities)), color=color, marker="o", label=None if name else "enough")
    ax.set(xlabel="cards demanded (bars), spare cards that are enough (lines)", ylabel="probability", ylim=(0, 1.02))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return finish_chart(ax, "Surcharge of a tunnel" if title is None else title, percent=True, loc="center right")


def plot_card_odds(
    waiting: WaitingTime | Mapping[str, WaitingTime],
    ax: Axes | None = None,
    *,
    by: Literal["turns", "cards"] = "turns",
    title: str | None = None,
) -> Axes:
    """
    Draw the chance to have gathered some cards by each turn, or by each card drawn.

    Dots mark when it passes one half and nine tenths.

    Parameters
    ----------
    waiting
        From `draws_to_gather` or `draws_for_routes`; or several of them by
        name.
    ax
        Axes to draw in; by default those of a new figure.
    by
        Whether time is told in turns of drawing, or in cards drawn.
    title
        What is seen.

    Returns
    -------
    ax
        The axes.

    Raises
    ------
    ValueError
        If `by` is neither.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import ttr_analysis as ttr
    >>> waiting = {f"{k} green": ttr.draws.draws_to_gather(k, "green") for k in (2, 4)}
    >>> ax = plot_card_odds(waiting)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['2 green', '4 green']
    """
    if by not in ("turns", "cards"):
        msg = f"by must be 'turns' or 'cards', got {by!r}"
        raise ValueError(msg)
    named = waiting if isinstance(waiting, Mapping) else {"": waiting}
    ax = chart_axes(ax)
    last = 1
    for (name, times), color in zip(named.items(), cycle(SERIES_COLORS), strict=False):
        done = np.cumsum(times.turns if by == "turns" else times.cards)
        ax.plot(np.arange(len(done)), done, color=color, drawstyle="steps-post", label=name)
        reached = [int(np.argmax(done >= share - 1e-12)) for share in QUANTILES if done[-1] >= share - 1e-12]
        ax.plot(reached, done[reached], color=color, marker="o", linestyle="none")
        last = max(last, int(np.argmax(done >= min(0.995, done[-1] - 1e-12))))
    ax.set(xlabel="turns of drawing" if by == "turns" else "cards drawn", ylabel="probability to have them")
    ax.set(xlim=(0, 1.02 * last), ylim=(0, 1.02))
    for share in QUANTILES:
        ax.axhline(share, color=rcParams["grid.color"], linewidth=0.8, zorder=0)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return finish_chart(ax, "Gathering cards" if title is None else title, percent=True)


def plot_ticket_values(
    table: pd.DataFrame,
    ax: Axes | None = None,
    *,
    points: str = "points",
    trains: str = "trains",
    title: str | None = None,
) -> Axes:
    """
    Draw the points of tickets against the trains that they take at least.

    Lines join equal points per train. Tickets with equal numbers share a dot.

    Parameters
    ----------
    table
        One row per ticket, indexed by what is to be written beside its dot:
        from `value_table`, say.
    ax
        Axes to draw in; by default those of a new figure.
    points, trains
        The columns with the points and with the trains: `in_deal`, say, for
        the extra trains on top of other tickets.
    title
        What is seen.

    Returns
    -------
    ax
        The axes.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("agg")
    >>> import pandas as pd
    >>> table = pd.DataFrame({"points": [8, 24], "trains": [10, 22]}, index=["Bergen-Oslo", "Oslo-Narvik"])
    >>> [text.get_text() for text in plot_ticket_values(table).texts if text.get_gid() == "label"]
    ['Bergen-Oslo', 'Oslo-Narvik']
    """
    ax = chart_axes(ax, (9.0, 6.5))
    dots: dict[tuple[float, float], list[str]] = {}
    for name, x, y in zip(table.index, table[trains], table[points], strict=True):
        if math.isfinite(x) and math.isfinite(y):
            dots.setdefault((float(x), float(y)), []).append(str(name))
    most_trains = max((x for x, _ in dots), default=1.0)
    most_points = max((y for _, y in dots), default=1.0)
    ax.set(
        xlim=(0, 1.18 * most_trains),
        ylim=(0, 1.08 * most_points),
        xlabel=AXIS_LABELS.get(trains, trains),
        ylabel=AXIS_LABELS.get(points, points),
    )
    _draw_guides(ax)
    x, y = np.array(list(dots)).reshape(-1, 2).T
    ax.scatter(x, y, s=(2 * DOT_POINTS) ** 2, c=y / np.maximum(x, 1), cmap="viridis", zorder=3, gid="tickets")
    label_dots(ax, dots)
    return finish_chart(ax, "Tickets" if title is None else title)


def _draw_guides(ax: Axes) -> None:
    """Draw lines of equal points per train, named near their ends."""
    right, top = ax.get_xlim()[1], ax.get_ylim()[1]
    for slope in GUIDES:
        x = min(right, top / slope)
        ax.plot([0, x], [0, slope * x], color=rcParams["grid.color"], linewidth=1, zorder=0)
        name: dict[str, Any] = {
            "color": rcParams["xtick.color"],
            "fontsize": "x-small",
            "ha": "right",
            "va": "center",
            "gid": "guide",
        }
        ax.text(0.985 * x, 0.985 * slope * x, f"{slope:g} a train ", zorder=0.5, **name)


def label_dots(
    ax: Axes, dots: Mapping[tuple[float, float], Sequence[str]], others: Sequence[tuple[float, float]] = ()
) -> None:
    """
    Write names beside dots, clear of each other; a line leads to those further away.

    Parameters
    ----------
    ax
        Axes whose limits are set.
    dots
        Names by where their dot lies, in data.
    others
        Other dots to keep clear of.
    """
    figure = ax.get_figure(root=True)
    if figure is None or not dots:
        return
    engine = figure.get_layout_engine()
    if engine is not None:
        # Labels are placed on paper, so the axes have to be where they will be.
        engine.execute(figure)
    to_points = 72 / figure.dpi
    paper = ax.transData.transform(np.array(list(dots))) * to_points
    wanted = [
        WantedLabel("", "\n".join(_first(names)), "", (float(x), float(y)))
        for names, (x, y) in zip(dots.values(), paper, strict=True)
    ]
    frame = [float(edge) * to_points for edge in ax.get_window_extent().extents]
    guides = [*others, *(text.get_position() for text in ax.texts if text.get_gid() == "guide")]
    spots = place_labels(
        wanted,
        cars=np.zeros((0, 2)),
        tokens=ax.transData.transform(np.array(guides, dtype=float).reshape(-1, 2)) * to_points,
        radius=DOT_POINTS,
        # A little larger than they are: blocks of names should not read as one.
        size=1.15 * LABEL_POINTS,
        reaches=REACHES,
        within=(frame[0], frame[1], frame[2], frame[3]),
    )
    for spot, dot, (x, y) in zip(spots, dots, paper, strict=True):
        away = math.hypot(spot.x - x, spot.y - y) > DOT_POINTS + 1.2 * LABEL_POINTS
        leader = {
            "arrowstyle": "-",
            "color": rcParams["xtick.color"],
            "linewidth": 0.7,
            "alpha": 0.7,
            "shrinkA": 0,
            "shrinkB": DOT_POINTS,
        }
        ax.annotate(
            spot.text, dot, (spot.x - x, spot.y - y), textcoords="offset points", ha=spot.align, va="center",
            linespacing=1.0, fontsize=LABEL_POINTS, parse_math=False, gid="label",
            arrowprops=leader if away else None,
        )  # fmt: skip


def _first(names: Sequence[str]) -> Sequence[str]:
    """Return names to be written beside one dot: not more than have room."""
    if len(names) <= MOST_NAMES:
        return names
    return [*names[: MOST_NAMES - 1], f"and {len(names) - MOST_NAMES + 1} more"]


# -- axes --------------------------------------------------------------------------


def chart_axes(ax: Axes | None, size: tuple[float, float] = (7.0, 4.2)) -> Axes:
    """Return the axes given, or those of a new figure of this size (inches)."""
    return plt.subplots(figsize=size, layout="constrained")[1] if ax is None else ax


def finish_chart(ax: Axes, title: str, *, percent: bool = False, **legend: Any) -> Axes:  # noqa: ANN401 - passed on
    """Set the title and what all charts have in common."""
    ax.set_title(title, parse_math=False)
    ax.spines[["top", "right"]].set_visible(False)
    if percent:
        ax.yaxis.set_major_formatter(PercentFormatter(1.0))
    handles, labels = ax.get_legend_handles_labels()
    if any(labels):
        for text in ax.legend(handles, labels, frameon=False, **legend).get_texts():
            text.set_parse_math(False)
    return ax
