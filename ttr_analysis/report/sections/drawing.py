"""Drawing cards: how long it takes to gather them, and whether to take a face-up locomotive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib.ticker import MaxNLocator

from ttr_analysis._words import counted
from ttr_analysis.analysis import draws
from ttr_analysis.cards import COLORS, GRAY
from ttr_analysis.report.context import Context
from ttr_analysis.report.document import Block, Picture, Section, number, percent
from ttr_analysis.report.files import make_table, records
from ttr_analysis.report.pictures import chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class _Way(NamedTuple):
    """Which cards are gathered."""

    key: str
    words: str
    color: str
    locomotives: bool
    line: str


_WAYS = (
    _Way("color", "one color", COLORS[0], locomotives=False, line="#c5302c"),  # of a whole deck all are alike
    _Way("gray", "any one color", GRAY, locomotives=False, line="#8b867b"),
    _Way("color_locos", "one color, locomotives count", COLORS[0], locomotives=True, line="#e07b1f"),
    _Way("gray_locos", "any one color, locomotives count", GRAY, locomotives=True, line="#2f86c9"),
)


def section(context: Context) -> Section:
    """Return the section on drawing cards."""
    rules = context.game_map.rules
    rows, ways = _gather(context)
    blocks: list[Block] = [
        _chart(rows, ways),
        make_table("drawing_cards", "Blind draws to gather cards, from an empty hand", rows),
    ]
    typical = rows[min(4, len(rows)) - 1]
    means = {way: typical[f"{way.key}_cards"] for way in ways}
    fast, slow = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    lead = (
        f"To gather {counted(typical['n_cards'], 'card')} takes from {number(means[fast], 1)} blind draws "
        f"({fast.words}) to {number(means[slow], 1)} ({slow.words})."
    )
    if 0 < means[ways[1]] < float("inf"):
        ratio = means[ways[0]] / means[ways[1]]
        lead += f" A route that needs one given color waits {number(ratio, 1)} times as long as a gray one."
    if rules.deck.locomotives:
        words, more = _locomotive(context)
        lead += f" {words}"
        blocks += more
    return Section("drawing", "Drawing cards", lead, tuple(blocks))


def _gather(context: Context) -> tuple[list[dict[str, Any]], list[_Way]]:
    """Return a row for each number of cards up to the most that a route asks for, and the ways to gather them."""
    rules = context.game_map.rules
    longest = max(route.length - route.locomotives for route in context.game_map.routes)
    jokers = {route.locomotives_allowed and rules.deck.locomotives > 0 for route in context.game_map.routes}
    ways = [way for way in _WAYS if way.locomotives in jokers]
    rows = []
    for k in range(1, min(max(longest, 1), rules.cards.per_color) + 1):
        row: dict[str, Any] = {"n_cards": k}
        for way in ways:
            waiting = draws.draws_to_gather(k, way.color, locomotives=way.locomotives, rules=rules)
            row[f"{way.key}_cards"] = waiting.expected_cards.value
            row[f"{way.key}_turns_90"] = waiting.turns_quantile(0.9)
        rows.append(row)
    return rows, ways


def _locomotive(context: Context) -> tuple[str, list[Block]]:
    """Return what to do with a face-up locomotive: in words, and a table where it costs more than a card."""
    rules = context.game_map.rules
    routes = context.game_map.routes
    use = sum(route.locomotives_allowed or route.locomotives > 0 for route in routes) / len(routes)
    where = "on every route" if use == 1 else f"on {percent(use)} of the routes"
    if rules.market.locomotive_cost == 1:
        return f"A face-up locomotive costs no more than a blind card, and is of use {where}.", []
    rows = records(draws.locomotive_table(rules=rules).reset_index())
    words = f"A face-up locomotive, of use {where}, costs {counted(rules.market.locomotive_cost, 'draw')}: "
    blind = [row["colors"] for row in rows if row["better"] == "blind"]
    if blind:
        words += f"blind cards bring more from {counted(min(blind), 'useful color')} on."
    else:
        words += "it always brings more than the blind cards."
    return words, [make_table("locomotive_or_blind", "A face-up locomotive, or blind cards", rows)]


def _chart(rows: list[dict[str, Any]], ways: list[_Way]) -> Picture:
    cards = [row["n_cards"] for row in rows]

    def draw(ax: Axes) -> None:
        for way in ways:
            values = [row[f"{way.key}_cards"] for row in rows]
            style = "s--" if way.color == GRAY else "o-"
            ax.plot(cards, values, style, color=way.line, linewidth=2, label=way.words.capitalize())
        ax.set(xlabel="Cards to gather", ylabel="Expected blind draws")
        ax.set_ylim(bottom=0)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.grid(visible=True, linewidth=0.6)
        ax.legend(loc="upper left")

    last = rows[-1]
    values = "; ".join(f"{way.words}: {number(last[f'{way.key}_cards'], 1)}" for way in ways)
    caption = f"Expected blind draws from an empty hand. For {counted(last['n_cards'], 'card')}: {values}."
    return chart(draw, f"Rising lines. {caption}", caption, size=(8.0, 3.8))
