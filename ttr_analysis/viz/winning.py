"""The chart of the win probabilities of a game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib import rcParams
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import offset_copy

from ttr_analysis._errors import _shorten
from ttr_analysis.viz.charts import chart_axes, finish_chart
from ttr_analysis.viz.style import PLAYER_COLORS, PLAYER_DASHES, ink_upon

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes

END_GAP = 0.07
"""Least distance of the names at the ends of lines, of the height."""
LONGEST_NAME = 18
"""Letters of a name; longer ones, which would leave the lines no room, are cut."""
LEAD_POINTS = 40
"""Length of the pieces of lines that lead to the names, in points: each of the dashes comes at least once."""


def plot_win_curve(
    curve: pd.DataFrame,
    ax: Axes | None = None,
    *,
    points: pd.DataFrame | None = None,
    players: Sequence[str] = (),
    title: str | None = None,
) -> Axes:
    """
    Draw how likely each seat was to win over a game.

    Bands are 95% intervals. The line of each seat has its color and its dashes, and leads to its name.

    Parameters
    ----------
    curve
        From `studies.win_curve`.
    ax
        Axes to draw in; by default those of a new figure.
    points
        From `studies.turning_points`: they are numbered on their lines, in
        their order.
    players
        Names of the players, seat by seat, to stand at the ends of the lines
        beside their seats; long ones are cut.
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
    >>> curve = pd.DataFrame({"step": [0, 0, 1, 1], "seat": [0, 1, 0, 1], "win": [0.5, 0.5, 0.8, 0.2]})
    >>> ax = plot_win_curve(curve.assign(win_low=curve["win"] - 0.1, win_high=curve["win"] + 0.1))
    >>> [line.get_ydata().tolist() for line in ax.lines]
    [[0.5, 0.8], [0.5, 0.2]]
    """
    ax = chart_axes(ax, (9.0, 4.2))
    ends: dict[int, float] = {}
    for seat in sorted(map(int, curve["seat"].unique())):
        rows, line = curve[curve["seat"] == seat], _line(seat)
        ax.plot(rows["step"], rows["win"], drawstyle="steps-post", **line)
        band = {"step": "post", "color": line["color"], "alpha": 0.18, "lw": 0}
        ax.fill_between(rows["step"], rows["win_low"], rows["win_high"], **band)
        ends[seat] = float(rows["win"].iloc[-1])
    first, last = int(curve["step"].min()), int(curve["step"].max())
    _name_ends(ax, last, ends, players)
    if points is not None:
        _number(ax, points)
    ax.set(
        xlabel="step of the game", ylabel="probability to win", ylim=(-0.02, 1.02), xlim=(first, max(last, first + 1))
    )
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    looker = curve.attrs.get("looker")
    view = {None: "", "all": ", with all hands in view"}.get(looker, f", from what P{looker} could know")
    return finish_chart(ax, f"Win probability{view}" if title is None else title, percent=True)


def _line(seat: int) -> dict[str, Any]:
    """Return how the line of a seat looks."""
    dashes = PLAYER_DASHES[seat % len(PLAYER_DASHES)]
    style = {"color": PLAYER_COLORS[seat % len(PLAYER_COLORS)], "lw": 1.8}
    return {**style, "linestyle": (0, dashes) if dashes else "-"}


def _name_ends(ax: Axes, last: int, ends: dict[int, float], players: Sequence[str]) -> None:
    """Lead each line on to the name of its seat: lines that end together part there, and show their dashes."""
    beside = offset_copy(ax.get_yaxis_transform(), ax.get_figure(root=True), x=LEAD_POINTS, units="points")
    literal: dict[str, Any] = {"parse_math": False, "usetex": False}  # a name may hold a dollar sign
    for seat, height in _apart(ends).items():
        line = _line(seat)
        lead = {"arrowstyle": "-", "shrinkA": 0, "shrinkB": 0, "relpos": (0, 0.5), **line}
        tag = {"boxstyle": "round,pad=0.2", "fc": line["color"], "ec": "none"}
        ax.annotate(
            _name(seat, players), (last, ends[seat]), (1, height), textcoords=beside, arrowprops=lead, bbox=tag,
            color=ink_upon(line["color"]), weight="bold", va="center", annotation_clip=False, **literal,
        )  # fmt: skip


def _name(seat: int, players: Sequence[str]) -> str:
    """Return what stands at the end of the line of a seat."""
    return f"P{seat} {_shorten(players[seat], LONGEST_NAME)}".rstrip() if seat < len(players) else f"P{seat}"


def _apart(ends: dict[int, float]) -> dict[int, float]:
    """Return heights for names at the ends of lines, from the lowest on, that keep apart."""
    heights: dict[int, float] = {}
    lowest = -1.0
    for seat in sorted(ends, key=ends.__getitem__):
        heights[seat] = lowest = max(ends[seat], lowest + END_GAP)
    over = max(0.0, lowest - 1.0)
    return {seat: height - over if height > 1.0 - END_GAP * len(ends) else height for seat, height in heights.items()}


def _number(ax: Axes, points: pd.DataFrame) -> None:
    """Put the numbers of turning points where these lead to."""
    places = zip(points.index, points["seat"], points["after"], strict=True)
    for rank, (step, seat, after) in enumerate(places, start=1):
        color = PLAYER_COLORS[int(seat) % len(PLAYER_COLORS)]
        box = {"boxstyle": "circle,pad=0.25", "fc": rcParams["axes.facecolor"], "ec": color, "lw": 1.4}
        at = (int(step), float(after))
        ax.annotate(str(rank), at, ha="center", va="center", fontsize=8, bbox=box, annotation_clip=False)
