"""The charts: what is drawn, seen on the artists."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.text import Annotation, Text

from tests.fixtures import BUILT_IN, load
from tests.viz.artists import draw, legend
from ttr_analysis.analysis.waiting import Estimate, WaitingTime
from ttr_analysis.viz import plot_card_odds, plot_ticket_values, plot_tunnel_odds

if TYPE_CHECKING:
    from matplotlib.axes import Axes

THIRDS = (0.5, 0.25, 0.25)


def labels(ax: Axes) -> list[Annotation]:
    return [text for text in ax.texts if text.get_gid() == "label" and isinstance(text, Annotation)]


# -- tunnels ---------------------------------------------------------------------


def test_bars_are_the_distribution_and_the_line_adds_it_up() -> None:
    ax = plot_tunnel_odds(THIRDS)

    (bars,) = [c for c in ax.containers if isinstance(c, BarContainer)]
    assert [float(bar.get_height()) for bar in bars] == list(THIRDS)
    (line,) = ax.lines
    assert np.asarray(line.get_ydata()).tolist() == [0.5, 0.75, 1.0]
    assert legend(ax) == ["enough", "demanded"]


def test_estimates_get_bars_of_two_standard_errors() -> None:
    ax = plot_tunnel_odds({"exact": THIRDS, "simulated": [Estimate(0.5, 0.1, 25), Estimate(0.5, 0.1, 25)]})

    assert legend(ax) == ["exact", "simulated"]
    (errors,) = [c for c in ax.containers if isinstance(c, ErrorbarContainer)]
    (segments,) = errors.lines[2]
    assert [segment[:, 1].tolist() for segment in segments.get_segments()] == [
        pytest.approx([0.3, 0.7]),
        pytest.approx([0.3, 0.7]),
    ]


def test_bars_of_several_distributions_stand_beside_each_other() -> None:
    ax = plot_tunnel_odds(dict.fromkeys("abc", THIRDS))

    boxes = [(float(bar.get_x()), float(bar.get_x() + bar.get_width())) for c in ax.containers for bar in c]
    for (left, right), (other_left, other_right) in combinations(boxes, 2):
        assert right <= other_left + 1e-9 or other_right <= left + 1e-9


# -- cards -------------------------------------------------------------------------


@pytest.fixture
def waiting() -> WaitingTime:
    return WaitingTime(cards=(0.0, 0.0, 0.25, 0.25, 0.5), turns=(0.0, 0.25, 0.75))


def test_curves_add_up_the_waiting_time(waiting: WaitingTime) -> None:
    ax = plot_card_odds(waiting)
    curve, dots = ax.lines[:2]
    assert np.asarray(curve.get_ydata()).tolist() == [0.0, 0.25, 1.0]
    assert np.asarray(dots.get_xdata()).tolist() == [2, 2]

    by_cards = plot_card_odds(waiting, plt.subplots()[1], by="cards")
    curve, dots = by_cards.lines[:2]
    assert np.asarray(curve.get_ydata()).tolist() == [0.0, 0.0, 0.25, 0.5, 1.0]
    assert np.asarray(dots.get_xdata()).tolist() == [3, 4]
    assert by_cards.get_xlabel() == "cards drawn"


def test_cards_that_may_never_come_have_no_dot(waiting: WaitingTime) -> None:
    never = WaitingTime(cards=(0.0, 0.3), turns=(0.0, 0.3), never=0.7)
    ax = plot_card_odds({"sure": waiting, "never": never})
    assert [len(np.asarray(line.get_xdata())) for line in ax.lines[1:4:2]] == [2, 0]
    assert legend(ax) == ["sure", "never"]


def test_only_turns_and_cards_are_counted(waiting: WaitingTime) -> None:
    with pytest.raises(ValueError, match="'turns' or 'cards', got 'hours'"):
        plot_card_odds(waiting, by="hours")  # type: ignore[arg-type]


# -- tickets ---------------------------------------------------------------------------


def table_of(name: str) -> pd.DataFrame:
    """Return points and some number of trains per ticket of a map."""
    tickets = load(name).tickets
    trains = [1 + (7 * k) % 5 + ticket.points for k, ticket in enumerate(tickets)]
    return pd.DataFrame({"points": [t.points for t in tickets], "trains": trains}, index=[t.id for t in tickets])


@pytest.mark.parametrize(("name", "constrained"), [*zip(BUILT_IN, [True, False, True, False, True], strict=True)])
def test_labels_of_tickets_do_not_collide(name: str, *, constrained: bool) -> None:
    _, ax = plt.subplots(figsize=(9, 6.5), layout="constrained" if constrained else None)

    draw(plot_ticket_values(table_of(name), ax))

    boxes = [(text.get_text(), Text.get_window_extent(text)) for text in labels(ax)]
    shown = "".join("".join(text.split()) for text, _ in boxes)
    assert all("".join(ticket.id.split()) in shown for ticket in load(name).tickets)
    for (one, box), (other, box2) in combinations(boxes, 2):
        shared = box.intersection(box, box2)
        assert shared is None or min(shared.width, shared.height) < 0.5, (one, other)


def test_equal_tickets_share_a_dot() -> None:
    table = pd.DataFrame({"points": [5] * 12 + [9], "trains": [6] * 12 + [8]}, index=[f"ticket {k}" for k in range(13)])

    ax = plot_ticket_values(table)

    (dots,) = ax.collections
    assert np.asarray(dots.get_offsets()).tolist() == [[6, 5], [8, 9]]
    first, second = labels(ax)
    assert first.get_text().split("\n")[-1] == "and 5 more"
    assert second.get_text() == "ticket 12"


def test_other_columns_may_be_drawn() -> None:
    table = pd.DataFrame({"p": [5.0, np.nan], "t": [4, 3]}, index=["a", "b"])
    ax = plot_ticket_values(table, points="p", trains="t", title="$x$")
    assert [text.get_text() for text in labels(ax)] == ["a"]
    assert ax.get_title() == "$x$"
    assert not ax.title.get_parse_math()


def test_an_empty_table_gives_empty_axes() -> None:
    assert labels(plot_ticket_values(pd.DataFrame({"points": [], "trains": []}))) == []


@pytest.mark.parametrize("name", ["$x^2$", "<b>", "50 %"])
def test_names_are_shown_as_they_are(waiting: WaitingTime, name: str) -> None:
    table = pd.DataFrame({"points": [5], "trains": [4]}, index=[name])
    for ax in (plot_tunnel_odds({name: THIRDS}), plot_card_odds({name: waiting}), plot_ticket_values(table)):
        draw(ax)
        shown = [*labels(ax), *(ax.get_legend().get_texts() if ax.get_legend() else [])]  # type: ignore[union-attr]
        assert [text.get_text() for text in shown] == [name]
        assert not any(text.get_parse_math() for text in shown)
