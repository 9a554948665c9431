"""Charts of what studies judge: ratings of players, prices of tickets. Tables in, artists out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib import rcParams

from ttr_analysis.viz.charts import AXIS_LABELS, chart_axes, finish_chart, label_dots
from ttr_analysis.viz.style import PLAYER_COLORS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

ROW_INCHES = 0.42
"""Height of a row with one player."""
DOT = PLAYER_COLORS[0]
ARROWS = {"at least": ">", "at most": "<"}
WORDS = {"at least": "above", "at most": "below"}
VERDICTS = {
    "": ("#8a8a8a", "o"),
    "pays too much": (PLAYER_COLORS[2], "^"),
    "pays too little": (PLAYER_COLORS[1], "v"),
}
"""Color and mark of what the games say of a ticket."""


def plot_ratings(table: pd.DataFrame, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """
    Draw ratings with their intervals, the best at the top.

    Parameters
    ----------
    table
        From `Tournament.table`: `rating`, `rating_low`, `rating_high` and
        `bound`, indexed by player. Of who never won, or never lost, only one
        end is known: a triangle stands there, and points to where the truth
        may lie.
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
    >>> import pandas as pd
    >>> columns = ["rating", "rating_low", "rating_high", "bound"]
    >>> table = pd.DataFrame([[90, 60, 120, ""], [-90, -120, -60, ""]], index=["Mine", "Random"], columns=columns)
    >>> [label.get_text() for label in plot_ratings(table).get_yticklabels()]
    ['Mine', 'Random']
    """
    ax = chart_axes(ax, (7.0, 1.2 + ROW_INCHES * len(table)))
    rows = np.arange(len(table))
    rating, low, high = (table[column].to_numpy(float) for column in ("rating", "rating_low", "rating_high"))
    ax.axvline(0, color=rcParams["grid.color"], linewidth=1, zorder=0)
    both, ends = (table["bound"] == "").to_numpy(), {"": rating, "at least": low, "at most": high}
    errors = [(rating - low)[both], (high - rating)[both]]
    ax.errorbar(rating[both], rows[both], xerr=errors, fmt="none", ecolor=DOT, capsize=4, gid="intervals")
    shown = rating.copy()
    for bound, known in ends.items():
        chosen = (table["bound"] == bound).to_numpy()
        shown[chosen] = known[chosen]
        ax.plot(shown[chosen], rows[chosen], ARROWS.get(bound, "o"), color=DOT, markersize=8, gid=f"rating {bound}")
    for x, row, bound in zip(shown, rows, table["bound"], strict=True):
        words = f"{WORDS.get(bound, '')} {x:+.0f}".strip().replace("-", "−")
        ax.annotate(words, (x, row), (0, 7), textcoords="offset points", ha="center", fontsize="small", gid="number")
    ax.set_yticks(rows, [str(name) for name in table.index], parse_math=False)
    ax.margins(x=0.09)
    ax.set(ylim=(len(table) - 0.5, -0.7), xlabel="rating (Elo points), with 95% intervals")
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return finish_chart(ax, "Ratings" if title is None else title)


def plot_ticket_worth(
    table: pd.DataFrame, ax: Axes | None = None, *, against: str = "points", title: str | None = None
) -> Axes:
    """
    Draw what it was worth to be dealt each ticket, with the names of those that pay too much or too little.

    On a map where all tickets pay what they take, all would lie on the line.

    Parameters
    ----------
    table
        From `Fairness.tickets`: `worth`, `worth_low`, `worth_high` and
        `verdict`, indexed by ticket.
    ax
        Axes to draw in; by default those of a new figure.
    against
        The column drawn across: `points` as printed, or `in_deal`, the trains
        that a ticket takes on top of the others of a deal.
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
    >>> columns = ["points", "worth", "worth_low", "worth_high", "verdict"]
    >>> rows = [[8, 5, 3, 7, "pays too much"], [21, 0, -3, 3, ""]]
    >>> ax = plot_ticket_worth(pd.DataFrame(rows, index=["Bergen-Oslo", "Oslo-Narvik"], columns=columns))
    >>> [text.get_text() for text in ax.texts if text.get_gid() == "label"]
    ['Bergen-Oslo']
    """
    ax = chart_axes(ax, (9.0, 6.0))
    x, y, low, high = (table[name].to_numpy(float) for name in (against, "worth", "worth_low", "worth_high"))
    ax.axhline(0, color=rcParams["text.color"], linewidth=1, zorder=0)
    for verdict, (color, mark) in VERDICTS.items():
        chosen = (table["verdict"] == verdict).to_numpy()
        if chosen.any():
            errors = [(y - low)[chosen], (high - y)[chosen]]
            label = verdict or "not to be told from fair"
            ax.errorbar(x[chosen], y[chosen], errors, fmt=mark, color=color, elinewidth=0.7, markersize=6, label=label)
    ax.margins(0.08, 0.06)
    ax.set(xlabel=AXIS_LABELS.get(against, against), ylabel="points more for who is dealt it, with 95% intervals")
    dots: dict[tuple[float, float], list[str]] = {}
    others = []
    for name, verdict, dot in zip(table.index, table["verdict"], zip(x.tolist(), y.tolist(), strict=True), strict=True):
        if verdict:
            dots.setdefault(dot, []).append(str(name))
        else:
            others.append(dot)
    finish_chart(ax, "What tickets are worth" if title is None else title, fontsize="small")
    label_dots(ax, dots, others)
    return ax
