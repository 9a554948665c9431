"""The chart of win probabilities: its lines, its names, its turning points."""

from __future__ import annotations

from itertools import pairwise

import pandas as pd
import pytest
from matplotlib.colors import to_hex

from tests.viz.artists import draw
from ttr_analysis.viz import plot_win_curve


def a_curve(ends: tuple[float, ...], looker: int | str | None = "all") -> pd.DataFrame:
    """Return a curve of two steps in which all seats begin alike."""
    rows = [(step, s, win if step else 1 / len(ends)) for step in (0, 9) for s, win in enumerate(ends)]
    curve = pd.DataFrame(rows, columns=["step", "seat", "win"])
    curve.attrs["looker"] = looker
    return curve.assign(win_low=curve["win"] - 0.05, win_high=curve["win"] + 0.05)


def test_each_seat_has_its_line_and_its_name() -> None:
    ax = plot_win_curve(a_curve((0.7, 0.3)), players=["Ann", "Bo"])

    assert [line.get_ydata().tolist() for line in ax.lines] == [[0.5, 0.7], [0.5, 0.3]]  # type: ignore[union-attr]
    assert {text.get_text() for text in ax.texts} == {"Ann", "Bo"}
    assert ax.get_title() == "Win probability, with all hands in view"


def test_lines_and_names_differ_by_more_than_color() -> None:
    ax = plot_win_curve(a_curve((0.2,) * 5))

    assert len({str(line._unscaled_dash_pattern) for line in ax.lines}) == 5  # type: ignore[attr-defined]
    fills = [text.get_bbox_patch().get_facecolor() for text in ax.texts]  # type: ignore[union-attr]
    assert {to_hex(fill) for fill in fills} == {to_hex(line.get_color()) for line in ax.lines}


def test_each_line_leads_to_its_name() -> None:
    ax = plot_win_curve(a_curve((1.0, 0.0, 0.0)))
    drawn = {to_hex(line.get_color()): line.get_ydata()[-1] for line in ax.lines}  # type: ignore[index]

    leads = {to_hex(text.get_bbox_patch().get_facecolor()): text for text in ax.texts}  # type: ignore[union-attr]
    assert leads.keys() == drawn.keys()
    for color, text in leads.items():
        arrow = text.arrow_patch  # type: ignore[attr-defined]
        assert (to_hex(arrow.get_edgecolor()), text.xy) == (color, (9, drawn[color]))  # type: ignore[attr-defined]
    looks = {str(text.arrow_patch.get_linestyle()) for text in ax.texts}  # type: ignore[attr-defined]
    assert len(looks) == 3


def test_a_curve_of_one_step_is_drawn() -> None:
    curve = a_curve((0.7, 0.3))
    ax = draw(plot_win_curve(curve[curve["step"] == 9]))

    assert len(ax.texts) == 2


def test_names_of_strangers_are_set_as_they_are_and_leave_room() -> None:
    # As mathematics the first would raise, the second would leave the axes no room.
    ax = draw(plot_win_curve(a_curve((0.7, 0.2, 0.1)), players=[r"$\frac$", "W" * 200, "one\nline"]))

    names = [r"$\frac$", f"{'W' * 17}…", "one\N{REPLACEMENT CHARACTER}line"]
    assert sorted(text.get_text() for text in ax.texts) == names
    assert ax.get_window_extent().width > 0.5 * ax.figure.bbox.width


def test_the_title_says_who_looks() -> None:
    assert plot_win_curve(a_curve((0.7, 0.3), 1)).get_title() == "Win probability, from what P1 could know"
    assert plot_win_curve(a_curve((0.7, 0.3), None)).get_title() == "Win probability"


@pytest.mark.parametrize("ends", [(0.0, 0.0, 0.0, 1.0), (1.0, 0.99, 0.98), (0.5, 0.5, 0.5, 0.5, 0.5)])
def test_names_at_the_ends_keep_apart(ends: tuple[float, ...]) -> None:
    ax = plot_win_curve(a_curve(ends))
    heights = sorted(text.get_position()[1] for text in ax.texts)

    assert len(heights) == len(ends)
    assert min(b - a for a, b in pairwise(heights)) > 0.05
    assert heights[-1] <= 1.0


def test_turning_points_are_numbered_where_they_lead_to() -> None:
    points = pd.DataFrame({"seat": [1, 0], "after": [0.3, 0.6]}, index=pd.Index([9, 4], name="step"))
    ax = plot_win_curve(a_curve((0.7, 0.3)), points=points)

    numbered = {text.get_text(): text.xy for text in ax.texts if text.get_text().isdigit()}  # type: ignore[attr-defined]
    assert numbered == {"1": (9, 0.3), "2": (4, 0.6)}
