"""Tunnels: the surcharge, and how many spare cards to hold."""

from __future__ import annotations

from typing import Any

from ttr_analysis._words import counted, listed
from ttr_analysis.analysis import payments, tunnels
from ttr_analysis.cards import COLORS, GRAY, LOCOMOTIVE
from ttr_analysis.maps.model import Route
from ttr_analysis.report.context import Context, route_name
from ttr_analysis.report.document import Block, Picture, Section, number, percent
from ttr_analysis.report.files import make_table
from ttr_analysis.report.pictures import chart
from ttr_analysis.viz.charts import plot_tunnel_odds

_SAFE = 0.9
"""The odds that one calls safe."""

_IN_COLOR, _LOCOMOTIVES = "one color", "locomotives alone"


def section(context: Context) -> Section | None:
    """Return the section on tunnels, if there are any."""
    routes = [route for route in context.game_map.routes if route.tunnel]
    if not routes or context.game_map.rules.tunnel.revealed == 0:
        return None
    surcharges = _surcharges(context, routes)
    spare = _spare(context, routes)
    blocks: list[Block] = []
    if surcharges:
        blocks.append(_surcharge_chart(surcharges, context.game_map.rules.tunnel.revealed))
        blocks.append(make_table("tunnel_surcharges", "The surcharge, by what is held", surcharges))
    if spare:
        blocks.append(make_table("tunnel_spare_cards", "The odds to succeed, by spare cards", spare))
    blocks.append(make_table("tunnels", "The tunnels of the board", _all_tunnels(context, routes), n_shown=15))
    return Section("tunnels", "Tunnels", _lead(context, routes, spare), tuple(blocks))


def _lead(context: Context, routes: list[Route], spare: list[dict[str, Any]]) -> str:
    revealed = context.game_map.rules.tunnel.revealed
    lead = f"{counted(len(routes), 'tunnel')}, {counted(revealed, 'card')} turned over for each. "
    in_color = [row for row in spare if row["plays"] == _IN_COLOR]
    if not in_color:
        return lead + "The deck is too small to hold spare cards of one color."
    common = max(in_color, key=lambda row: row["n_tunnels"])
    odds = [common[f"s{n}"] for n in range(revealed + 1)]
    steps = listed(f"{percent(p)} of cases with {'no' if n == 0 else n}" for n, p in enumerate(odds[:3]))
    enough = next(n for n, p in enumerate(odds) if p >= _SAFE)
    return (
        f"{lead}A tunnel of length {common['length']}, paid in a color, succeeds in {steps} spare cards. "
        f"To succeed in nine of ten tries, hold {counted(enough or 'no', 'spare card')}."
    )


def _kinds(context: Context, route: Route) -> list[tuple[str, str]]:
    """Return what may be laid down for a tunnel: in words, and the kind of card."""
    color = COLORS[0] if route.color == GRAY else route.color
    kinds = [(_IN_COLOR, color)]
    if route.locomotives_allowed and context.game_map.rules.deck.locomotives:
        kinds.append((_LOCOMOTIVES, LOCOMOTIVE))
    return kinds


def _surcharges(context: Context, routes: list[Route]) -> list[dict[str, Any]]:
    deck = context.game_map.rules.deck
    revealed = context.game_map.rules.tunnel.revealed
    longest = max(route.length for route in routes)
    rows = []
    for word, kind in _kinds(context, max(routes, key=lambda route: route.locomotives_allowed)):
        matching = deck.locomotives + (deck[kind] if kind != LOCOMOTIVE else 0)
        for held in range(min(longest, deck[kind], deck.n_cards - revealed) + 1):
            odds = tunnels.surcharge_distribution(matching - held, deck.n_cards - held, revealed=revealed)
            mean = sum(k * p for k, p in enumerate(odds))
            rows.append({"plays": word, "held": held, **{f"p{k}": p for k, p in enumerate(odds)}, "mean": mean})
    return rows


def _spare(context: Context, routes: list[Route]) -> list[dict[str, Any]]:
    rules = context.game_map.rules
    revealed = rules.tunnel.revealed
    rows = []
    for length in sorted({route.length for route in routes}):
        same = [route for route in routes if route.length == length]
        for word, kind in _kinds(context, same[0]):
            if _can_be_held(context, kind, length + revealed):
                table = tunnels.spare_cards(same[0], plays=kind, revealed=revealed, deck=rules.deck)
                odds = {f"s{spare}": p for spare, p in table["probability"].items()}
                rows.append({"length": length, "plays": word, "n_tunnels": len(same), **odds})
    return rows


def _can_be_held(context: Context, kind: str, n_cards: int) -> bool:
    """Return whether one can hold so many cards of a kind, with enough others left to turn over."""
    rules = context.game_map.rules
    return n_cards <= rules.deck[kind] and rules.deck.n_cards - n_cards >= rules.tunnel.revealed


def _all_tunnels(context: Context, routes: list[Route]) -> list[dict[str, Any]]:
    rules = context.game_map.rules
    revealed = rules.tunnel.revealed
    rows = []
    for route in sorted(routes, key=lambda route: (-route.length, route.id)):
        row: dict[str, Any] = {
            "route": route_name(route),
            "color": route.color,
            "length": route.length,
            "points": route.points,
            "cards": float(payments.expected_cards(context.game_map, route)),
            "draws": payments.expected_draws(route, rules=rules).expected_cards.value,
        }
        _, kind = _kinds(context, route)[0]
        if _can_be_held(context, kind, route.length + revealed):
            odds = tunnels.spare_cards(route, revealed=revealed, deck=rules.deck)["probability"]
            spare = tunnels.spare_needed(route, _SAFE, revealed=revealed, deck=rules.deck)
            with_spare = payments.expected_draws(route, rules=rules, spare=spare)
            row |= {"p_none": odds[0], "spare": spare, "draws_spare": with_spare.expected_cards.value}
        rows.append(row)
    return rows


def _surcharge_chart(rows: list[dict[str, Any]], revealed: int) -> Picture:
    """Return the odds with the fewest and the most cards of a color held, and with locomotives alone."""
    in_color = [row for row in rows if row["plays"] == _IN_COLOR]
    chosen = [in_color[0], *in_color[-1:], *[row for row in rows if row["plays"] == _LOCOMOTIVES][-1:]]
    odds = {f"{row['plays']}, {row['held']} held": [row[f"p{k}"] for k in range(revealed + 1)] for row in chosen}
    first = rows[0]
    caption = (
        "How many cards a tunnel demands beyond its length, and how many spare ones are enough. Every card held is one "
        f"that cannot be turned over. With none held, {percent(first['p0'])} of tries cost nothing more, and the "
        f"surcharge is {number(first['mean'], 2)} cards on average."
    )
    alt = f"Bars and lines: the chance of each surcharge for {listed(odds)}. {caption}"
    return chart(lambda ax: plot_tunnel_odds(odds, ax, title=""), alt, caption, size=(8.0, 4.4))
