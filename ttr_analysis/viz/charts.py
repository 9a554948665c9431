"""
Charts of tunnels, cards, tickets, ratings and win probabilities.

Each function draws on `ax`, by default new axes, and returns the axes; `title` replaces the default title.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any, Literal, SupportsFloat, TypeAlias

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import rcParams
from matplotlib.ticker import MaxNLocator, PercentFormatter
from matplotlib.transforms import offset_copy

from ttr_analysis._errors import _shorten
from ttr_analysis._words import number, with_names
from ttr_analysis.analysis.waiting import WaitingTime
from ttr_analysis.viz.placement import WantedLabel, place_labels
from ttr_analysis.viz.style import PLAYER_COLORS, PLAYER_DASHES, figure_of, ink_upon
from ttr_analysis.viz.svg import seen_from, spread

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

Distribution: TypeAlias = Sequence[SupportsFloat]
"""Probabilities of 0, 1, 2, ...: numbers, or estimates with a `standard_error`."""

SERIES_COLORS = tuple(color for color in PLAYER_COLORS if color != "#f0e442")
"""The colors of players without yellow, which is too pale for lines on white."""
BAR_SPAN = 0.8
"""Width of bars, relative to the distance between two numbers of cards."""
QUANTILES = (0.5, 0.9)
AXIS_LABELS = {
    "points": "points",
    "most_points": "points of the best destination",
    "trains": "fewest trains",
    "with_one": "extra trains on top of another ticket",
    "with_two": "extra trains on top of two other tickets",
    "in_deal": "extra trains on top of the other tickets of a deal",
}
"""Axis labels for columns of tables of tickets; other columns are labeled by name."""
GUIDES = (0.5, 1.0, 1.5, 2.0, 3.0)
"""Ratios of points per train for which lines are drawn."""
LABEL_SHARE, NUMBER_SHARE = 0.7, 0.8
"""Size of names beside dots, and of numbers in circles, relative to Matplotlib's font size."""
DOT_POINTS = 3.0
MOST_NAMES = 8
"""Maximum number of names beside a dot."""
REACHES = (0.3, 0.9, 1.8, 3.0, 4.5, 6.0, 8.0, 11.0)


def plot_tunnel_odds(
    odds: Distribution | Mapping[str, Distribution], ax: Axes | None = None, *, title: str | None = None
) -> Axes:
    """
    Draw the probability of each tunnel surcharge, and of the spare cards being enough.

    Bars show the probability of each surcharge; the line shows the probability that this
    many spare cards are enough.

    Parameters
    ----------
    odds
        `odds[k]`: the probability of a surcharge of exactly `k` cards, from
        `surcharge_distribution` or `simulate_surcharges`; or several such distributions
        by name. Estimates get error bars of two standard errors.

    Examples
    --------
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
    ax.set(xlabel="extra cards (bars), spare cards held (lines)", ylabel="probability", ylim=(0, 1.02))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return finish_chart(ax, title, "Surcharge of a tunnel", percent=True, loc="center right")


def plot_card_odds(
    waiting: WaitingTime | Mapping[str, WaitingTime],
    ax: Axes | None = None,
    *,
    by: Literal["turns", "cards"] = "turns",
    title: str | None = None,
) -> Axes:
    """
    Draw the probability of having collected some cards by each turn, or by each card drawn.

    Dots mark one half and nine tenths.

    Parameters
    ----------
    waiting
        From `draws_to_gather` or `draws_for_routes`; or several results by name.
    by
        Unit of time: "turns" of drawing, or "cards" drawn.

    Raises
    ------
    ValueError
        If `by` is neither.

    Examples
    --------
    >>> waiting = {f"{k} green": ttr.draws.draws_to_gather(k, "green") for k in (2, 4)}
    >>> ax = plot_card_odds(waiting)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['2 green', '4 green']
    """
    if by not in ("turns", "cards"):
        raise ValueError(f"by must be 'turns' or 'cards', got {by!r}")
    named = waiting if isinstance(waiting, Mapping) else {"": waiting}
    ax = chart_axes(ax)
    last = 1
    for (name, times), color in zip(named.items(), cycle(SERIES_COLORS), strict=False):
        done = np.cumsum(times.turns if by == "turns" else times.cards)
        ax.plot(np.arange(len(done)), done, color=color, drawstyle="steps-post", label=name)
        reached = [int(np.argmax(done >= share - 1e-12)) for share in QUANTILES if done[-1] >= share - 1e-12]
        ax.plot(reached, done[reached], color=color, marker="o", linestyle="none")
        last = max(last, int(np.argmax(done >= min(0.995, done[-1] - 1e-12))))
    ax.set(xlabel="turns of drawing" if by == "turns" else "cards drawn", ylabel="probability of having them")
    ax.set(xlim=(0, 1.02 * last), ylim=(0, 1.02))
    for share in QUANTILES:
        draw_line(ax, y=share, linewidth=0.8)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return finish_chart(ax, title, "Collecting cards", percent=True)


def plot_ticket_values(
    table: pd.DataFrame,
    ax: Axes | None = None,
    *,
    points: str = "points",
    trains: str = "trains",
    shade: str | None = None,
    title: str | None = None,
) -> Axes:
    """
    Draw the points of tickets against the fewest trains that they take.

    Lines mark equal points per train. Tickets with equal numbers share a dot.

    Parameters
    ----------
    table
        One row per ticket, indexed by its label, such as from `value_table`.
    points, trains
        The columns with the points and with the trains, such as `in_deal` for the extra
        trains on top of other tickets.
    shade
        The column that shades the dots, lightest for the highest; by default points per
        train.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"points": [8, 24], "trains": [10, 22]}, index=["Bergen-Oslo", "Oslo-Narvik"])
    >>> [text.get_text() for text in plot_ticket_values(table).texts if text.get_gid() == "label"]
    ['Bergen-Oslo', 'Oslo-Narvik']
    """
    ax = chart_axes(ax, (9.0, 6.5))
    table = table[np.isfinite(table[[trains, points]].to_numpy(float)).all(axis=1)]
    rates = table[points] / np.maximum(table[trains], 1) if shade is None else table[shade]
    places = list(zip(table[trains].astype(float), table[points].astype(float), strict=True))
    dots, shades = grouped(map(str, table.index), places), dict(zip(places, rates.astype(float), strict=True))
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
    ax.scatter(
        x,
        y,
        s=(2 * DOT_POINTS) ** 2,
        c=list(shades.values()),
        cmap="viridis",
        zorder=3,
        gid="tickets",
        edgecolors=rcParams["xtick.color"],
        linewidths=0.6,
    )
    label_dots(ax, dots)
    return finish_chart(ax, title, "Tickets")


def _draw_guides(ax: Axes) -> None:
    """Draw lines of equal points per train, labeled near their ends."""
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
    """Write names beside dots without overlaps; a line connects those further away."""
    figure = figure_of(ax)
    if not dots:
        return
    engine = figure.get_layout_engine()
    if engine is not None:
        # Labels are placed in figure coordinates, so the axes must have their final position.
        engine.execute(figure)
    to_points = 72 / figure.dpi
    paper = ax.transData.transform(np.array(list(dots))) * to_points
    wanted = [
        WantedLabel("", "\n".join(_first(names)), "", (float(x), float(y)))
        for names, (x, y) in zip(dots.values(), paper, strict=True)
    ]
    frame = [float(edge) * to_points for edge in ax.get_window_extent().extents]
    guides = [*others, *(text.get_position() for text in ax.texts if text.get_gid() == "guide")]
    letters = LABEL_SHARE * rcParams["font.size"]
    spots = place_labels(
        wanted,
        cars=np.zeros((0, 2)),
        tokens=ax.transData.transform(np.array(guides, dtype=float).reshape(-1, 2)) * to_points,
        radius=DOT_POINTS,
        # Slightly enlarged, so that blocks of names stay separate.
        size=1.15 * letters,
        reaches=REACHES,
        within=(frame[0], frame[1], frame[2], frame[3]),
    )
    for spot, dot, (x, y) in zip(spots, dots, paper, strict=True):
        away = math.hypot(spot.x - x, spot.y - y) > DOT_POINTS + 1.2 * letters
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
            linespacing=1.0, fontsize=letters, parse_math=False, gid="label",
            arrowprops=leader if away else None,
        )  # fmt: skip


def _first(names: Sequence[str]) -> Sequence[str]:
    """Return the names to write beside one dot, as many as fit."""
    if len(names) <= MOST_NAMES:
        return names
    return [*names[: MOST_NAMES - 1], f"and {len(names) - MOST_NAMES + 1} more"]


# -- axes --------------------------------------------------------------------------


def chart_axes(ax: Axes | None, size: tuple[float, float] = (7.0, 4.2)) -> Axes:
    """Return the given axes, or those of a new figure of this size (inches)."""
    return plt.subplots(figsize=size, layout="constrained")[1] if ax is None else ax


def finish_chart(
    ax: Axes,
    title: str | None,
    default: str,
    *,
    percent: bool = False,
    **legend: Any,  # noqa: ANN401 - passed on
) -> Axes:
    """Set the title, or the default one, and the common properties of charts."""
    ax.set_title(default if title is None else title, parse_math=False)
    ax.spines[["top", "right"]].set_visible(False)
    if percent:
        ax.yaxis.set_major_formatter(PercentFormatter(1.0))
    handles, labels = ax.get_legend_handles_labels()
    if any(labels):
        for text in ax.legend(handles, labels, frameon=False, **legend).get_texts():
            text.set_parse_math(False)
    return ax


def draw_line(ax: Axes, x: float | None = None, y: float | None = None, **look: Any) -> None:  # noqa: ANN401 - passed on
    """Draw a thin line across the axes, behind everything else."""
    look = {"color": rcParams["grid.color"], "linewidth": 1, "zorder": 0, **look}
    if x is None:
        ax.axhline(y or 0.0, **look)
    else:
        ax.axvline(x, **look)


def draw_intervals(
    ax: Axes,
    across: ArrayLike,
    figures: ArrayLike,
    low: ArrayLike,
    high: ArrayLike,
    *,
    is_flat: bool = False,
    **look: Any,  # noqa: ANN401 - passed on
) -> None:
    """Draw figures with their intervals, vertically or horizontally; unknown ends are left out."""
    value = np.asarray(figures, dtype=float)
    ends = np.nan_to_num(np.maximum([value - np.asarray(low, dtype=float), np.asarray(high, dtype=float) - value], 0))
    look = {"fmt": "none", "capsize": 3, "elinewidth": 1.2, **look}
    if is_flat:
        ax.errorbar(value, across, xerr=ends, **look)
    else:
        ax.errorbar(across, value, yerr=ends, **look)


def name_rows(ax: Axes, names: Sequence[str]) -> None:
    """Write names beside rows, starting at the top."""
    ax.set_yticks(range(len(names)), names, parse_math=False)
    ax.set_ylim(max(1, len(names)) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)


def grouped(names: Iterable[str], places: Iterable[tuple[float, float]]) -> dict[tuple[float, float], list[str]]:
    """Return names by position, which several may share."""
    found: dict[tuple[float, float], list[str]] = {}
    for name, place in zip(names, places, strict=True):
        found.setdefault(place, []).append(name)
    return found


# -- charts of studies ---------------------------------------------------------------------------------------------

ROW_INCHES = 0.42
"""Height of a row, which shows one player."""
DOT = PLAYER_COLORS[0]
ARROWS = {"at least": ">", "at most": "<"}
WORDS = {"at least": "above", "at most": "below"}
VERDICTS = {
    "": ("#8a8a8a", "o"),
    "pays too much": (PLAYER_COLORS[2], "^"),
    "pays too little": (PLAYER_COLORS[1], "v"),
}
"""Color and marker of each verdict on a ticket."""


def plot_ratings(table: pd.DataFrame, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """
    Draw ratings with their intervals, best at the top.

    Parameters
    ----------
    table
        From `Tournament.table`: `rating`, `rating_low`, `rating_high` and `bound`,
        indexed by player. For a player who never won, or never lost, a triangle at the
        known end points toward the unknown one.

    Examples
    --------
    >>> import pandas as pd
    >>> columns = ["rating", "rating_low", "rating_high", "bound"]
    >>> table = pd.DataFrame([[90, 60, 120, ""], [-90, -120, -60, ""]], index=["Mine", "Random"], columns=columns)
    >>> [label.get_text() for label in plot_ratings(table).get_yticklabels()]
    ['Mine', 'Random']
    """
    ax = chart_axes(ax, (7.0, 1.2 + ROW_INCHES * len(table)))
    rows = np.arange(len(table))
    rating, low, high = (table[column].to_numpy(float) for column in ("rating", "rating_low", "rating_high"))
    draw_line(ax, x=0)
    both, ends = (table["bound"] == "").to_numpy(), {"": rating, "at least": low, "at most": high}
    look = {"ecolor": DOT, "capsize": 4, "elinewidth": None, "gid": "intervals"}
    draw_intervals(ax, rows[both], rating[both], low[both], high[both], is_flat=True, **look)
    shown = rating.copy()
    for bound, known in ends.items():
        chosen = (table["bound"] == bound).to_numpy()
        shown[chosen] = known[chosen]
        ax.plot(shown[chosen], rows[chosen], ARROWS.get(bound, "o"), color=DOT, markersize=8, gid=f"rating {bound}")
    for x, row, bound in zip(shown, rows, table["bound"], strict=True):
        words = f"{WORDS.get(bound, '')} {number(x, sign=True)}".strip()
        ax.annotate(words, (x, row), (0, 7), textcoords="offset points", ha="center", fontsize="small", gid="number")
    name_rows(ax, [str(name) for name in table.index])
    ax.margins(x=0.09)
    ax.set(ylim=(len(table) - 0.5, -0.7), xlabel="rating (Elo points), with 95% intervals")
    ax.spines["left"].set_visible(False)
    return finish_chart(ax, title, "Ratings")


def plot_ticket_worth(
    table: pd.DataFrame, ax: Axes | None = None, *, against: str = "points", title: str | None = None
) -> Axes:
    """
    Draw the value of being dealt each ticket, with labels for those that pay too much or too little.

    Parameters
    ----------
    table
        From `Fairness.tickets`: `worth`, `worth_low`, `worth_high` and
        `verdict`, indexed by ticket.
    against
        The column on the x axis: `points` as printed, or `in_deal`, the trains that a
        ticket takes on top of the others of a deal.

    Examples
    --------
    >>> import pandas as pd
    >>> columns = ["points", "worth", "worth_low", "worth_high", "verdict"]
    >>> rows = [[8, 5, 3, 7, "pays too much"], [21, 0, -3, 3, ""]]
    >>> ax = plot_ticket_worth(pd.DataFrame(rows, index=["Bergen-Oslo", "Oslo-Narvik"], columns=columns))
    >>> [text.get_text() for text in ax.texts if text.get_gid() == "label"]
    ['Bergen-Oslo']
    """
    ax = chart_axes(ax, (9.0, 6.0))
    x, y, low, high = (table[name].to_numpy(float) for name in (against, "worth", "worth_low", "worth_high"))
    draw_line(ax, y=0, color=rcParams["text.color"])
    for verdict, (color, mark) in VERDICTS.items():
        chosen = (table["verdict"] == verdict).to_numpy()
        if chosen.any():
            look: dict[str, Any] = {"fmt": mark, "color": color, "elinewidth": 0.7, "markersize": 6, "capsize": None}
            label = verdict or "not clearly unfair"
            draw_intervals(ax, x[chosen], y[chosen], low[chosen], high[chosen], label=label, **look)
    ax.margins(0.08, 0.06)
    ax.set(xlabel=AXIS_LABELS.get(against, against), ylabel="points gained by being dealt it, with 95% intervals")
    finish_chart(ax, title, "What tickets are worth", fontsize="small")
    dots = list(zip(x.tolist(), y.tolist(), strict=True))
    is_named = (table["verdict"] != "").tolist()
    named = {name: dot for name, dot, is_one in zip(map(str, table.index), dots, is_named, strict=True) if is_one}
    others = [dot for dot, is_one in zip(dots, is_named, strict=True) if not is_one]
    label_dots(ax, grouped(named, named.values()), others)
    return ax


# -- the win probabilities of a game -------------------------------------------------------------------------------

TAG_INCHES = 0.3
"""Minimum distance between names at the ends of lines."""
LONGEST_NAME = 18
"""Maximum length of a name, in characters; longer ones are cut to leave room for the lines."""
LEAD_POINTS = 24
"""Distance of the names from the ends of the lines, in points, enough to show every dash."""


def plot_win_curve(
    curve: pd.DataFrame,
    ax: Axes | None = None,
    *,
    points: pd.DataFrame | None = None,
    players: Sequence[str] = (),
    title: str | None = None,
) -> Axes:
    """
    Draw each seat's win probability over a game, with 95% intervals.

    Parameters
    ----------
    curve
        From `studies.win_curve`, or the `curve` of a review, which shows each move separately.
    points
        From `studies.turning_points`; numbered on the lines, in order.
    players
        Names of the players by seat, for the ends of the lines; long ones are cut.

    Examples
    --------
    >>> import pandas as pd
    >>> curve = pd.DataFrame({"step": [0, 0, 1, 1], "seat": [0, 1, 0, 1], "win": [0.5, 0.5, 0.8, 0.2]})
    >>> ax = plot_win_curve(curve.assign(win_low=curve["win"] - 0.1, win_high=curve["win"] + 0.1))
    >>> [line.get_ydata().tolist() for line in ax.lines]
    [[0.5, 0.8], [0.5, 0.2]]
    """
    ax = chart_axes(ax, (9.0, 4.2))
    ends: dict[int, float] = {}
    for seat in sorted(map(int, curve["seat"].unique())):
        rows, line = _with_own_moves(curve[curve["seat"] == seat]), _line(seat)
        ax.plot(rows["step"], rows["win"], drawstyle="steps-post", **line)
        band = {"step": "post", "color": line["color"], "alpha": 0.18, "lw": 0}
        ax.fill_between(rows["step"], rows["win_low"], rows["win_high"], **band)
        ends[seat] = float(rows["win"].iloc[-1])
    first, last = int(curve["step"].min()), int(curve["step"].max())
    _name_ends(ax, last, ends, players)
    if points is not None:
        _number_points(ax, points)
    ax.set(
        xlabel="step of the game",
        ylabel="probability of winning",
        ylim=(-0.02, 1.02),
        xlim=(first, max(last, first + 1)),
    )
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return finish_chart(ax, title, f"Win probability{seen_from(curve.attrs.get('looker'))}", percent=True)


def _with_own_moves(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a line of a review's curve with the probability right after each move, half a step before its end."""
    import pandas as pd

    if "after" not in rows:
        return rows
    moved = rows[rows["after"].notna()]
    ends = {end: moved["after"] + (moved[end] - moved["win"]) for end in ("win_low", "win_high")}
    moved = moved.assign(step=moved["step"] - 0.5, win=moved["after"], **ends)
    return pd.concat([rows, moved]).sort_values("step")


def _line(seat: int) -> dict[str, Any]:
    dashes = PLAYER_DASHES[seat % len(PLAYER_DASHES)]
    style = {"color": PLAYER_COLORS[seat % len(PLAYER_COLORS)], "lw": 1.8}
    return {**style, "linestyle": (0, dashes) if dashes else "-"}


def _name_ends(ax: Axes, last: int, ends: dict[int, float], players: Sequence[str]) -> None:
    """Connect each line to the name of its seat, so that lines with equal ends split up and show their dashes."""
    figure = figure_of(ax)
    beside = offset_copy(ax.get_yaxis_transform(), figure, x=LEAD_POINTS, units="points")
    names = [_shorten(name, LONGEST_NAME) for name in players]
    literal: dict[str, Any] = {"parse_math": False, "usetex": False}  # a name may hold a dollar sign
    for seat, height in spread(ends.items(), TAG_INCHES / figure.get_figheight(), most=1.0):
        line = _line(seat)
        color = line["color"]
        lead = {"arrowstyle": "-", "shrinkA": 0, "shrinkB": 0, "relpos": (0, 0.5), **line}
        tag = {"boxstyle": "round,pad=0.2", "fc": color, "ec": "none"}
        ax.annotate(
            with_names(f"P{seat}", names), (last, ends[seat]), (1, height), textcoords=beside, arrowprops=lead,
            bbox=tag, color=ink_upon(color), weight="bold", va="center", annotation_clip=False, **literal,
        )  # fmt: skip


def _number_points(ax: Axes, points: pd.DataFrame) -> None:
    """Write the numbers of turning points at their positions."""
    places = zip(points.index, points["seat"], points["after"], strict=True)
    for rank, (step, seat, after) in enumerate(places, start=1):
        color = PLAYER_COLORS[int(seat) % len(PLAYER_COLORS)]
        link = {"url": f"#{step}"}
        box = {"boxstyle": "circle,pad=0.25", "fc": rcParams["axes.facecolor"], "ec": color, "lw": 1.4, **link}
        look: dict[str, Any] = {
            "ha": "center",
            "va": "center",
            "fontsize": NUMBER_SHARE * rcParams["font.size"],
            "bbox": box,
            **link,
        }
        ax.annotate(str(rank), (int(step), float(after)), annotation_clip=False, **look)
