"""Cards: drawing, tunnels, ferries, and routes on which sets of cards replace single ones."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib.ticker import MaxNLocator

from ttr_analysis._words import counted, listed, number, percent
from ttr_analysis.analysis import draws, payments, tunnels
from ttr_analysis.analysis.waiting import WaitingTime
from ttr_analysis.cards import COLORS, GRAY, LOCOMOTIVE
from ttr_analysis.maps.model import Route
from ttr_analysis.report.context import Context, route_name
from ttr_analysis.report.page import Block, Picture, Section, chart, facts, finite, make_table, records
from ttr_analysis.studies.findings import worth_in_words
from ttr_analysis.viz.charts import plot_card_odds, plot_tunnel_odds

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class _Target(NamedTuple):
    """Which cards to collect."""

    key: str
    words: str
    color: str
    locomotives: bool
    line: str


_TARGETS = (
    _Target("color", "one color", COLORS[0], locomotives=False, line="#c5302c"),  # in a full deck all colors are alike
    _Target("gray", "any one color", GRAY, locomotives=False, line="#8b867b"),
    _Target("color_locos", "one color, locomotives count", COLORS[0], locomotives=True, line="#e07b1f"),
    _Target("gray_locos", "any one color, locomotives count", GRAY, locomotives=True, line="#2f86c9"),
)


def drawing_section(context: Context) -> Section:
    """Return the section on drawing cards."""
    rules = context.game_map.rules
    rows, targets = _gather(context)
    blocks: list[Block] = [
        _chart(rows, targets),
        make_table("drawing_cards", "Blind draws to gather cards, from an empty hand", rows),
    ]
    typical = rows[min(4, len(rows)) - 1]
    means = {target: typical[f"{target.key}_cards"] for target in targets}
    fast, slow = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    lead = (
        f"Gathering {counted(typical['n_cards'], 'card')} takes from {number(means[fast], 1)} blind draws "
        f"({fast.words}) to {number(means[slow], 1)} ({slow.words})."
    )
    if 0 < means[targets[1]] < float("inf"):
        ratio = means[targets[0]] / means[targets[1]]
        lead += f" Cards for a route of a given color take {number(ratio, 1)} times as many draws as for a gray one."
    if rules.deck.locomotives:
        words, more = _locomotive(context)
        lead += f" {words}"
        blocks += more
    return Section("drawing", "Drawing cards", lead, tuple(blocks))


def _gather(context: Context) -> tuple[list[dict[str, Any]], list[_Target]]:
    """Return a row for each number of cards up to the most that a route needs, and the targets."""
    rules = context.game_map.rules
    longest = max(route.length - route.locomotives for route in context.game_map.routes)
    jokers = {route.locomotives_allowed and rules.deck.locomotives > 0 for route in context.game_map.routes}
    targets = [target for target in _TARGETS if target.locomotives in jokers]
    rows = []
    for k in range(1, min(max(longest, 1), rules.cards.per_color) + 1):
        row: dict[str, Any] = {"n_cards": k}
        for target in targets:
            waiting = draws.draws_to_gather(k, target.color, locomotives=target.locomotives, rules=rules)
            row[f"{target.key}_cards"] = waiting.expected_cards.value
            row[f"{target.key}_turns_90"] = waiting.turns_quantile(0.9)
        rows.append(row)
    return rows, targets


def _locomotive(context: Context) -> tuple[str, list[Block]]:
    """Return advice on face-up locomotives in words, and a table if they cost more than a card."""
    rules = context.game_map.rules
    routes = context.game_map.routes
    use = sum(route.locomotives_allowed or route.locomotives > 0 for route in routes) / len(routes)
    where = "on every route" if use == 1 else f"on {percent(use)} of the routes"
    if rules.market.locomotive_cost == 1:
        return f"A face-up locomotive costs no more than a blind card, and can be used {where}.", []
    rows = records(draws.locomotive_table(rules=rules).reset_index())
    words = f"A face-up locomotive can be used {where} and costs {counted(rules.market.locomotive_cost, 'draw')}: "
    blind = [row["colors"] for row in rows if row["better"] == "blind"]
    if blind:
        words += f"with {counted(min(blind), 'useful color')} or more, blind cards are better."
    else:
        words += "it is always better than the blind cards."
    return words, [make_table("locomotive_or_blind", "A face-up locomotive, or blind cards", rows)]


def _chart(rows: list[dict[str, Any]], targets: list[_Target]) -> Picture:
    cards = [row["n_cards"] for row in rows]

    def draw(ax: Axes) -> None:
        for target in targets:
            values = [row[f"{target.key}_cards"] for row in rows]
            style = "s--" if target.color == GRAY else "o-"
            ax.plot(cards, values, style, color=target.line, linewidth=2, label=target.words.capitalize())
        ax.set(xlabel="Cards to gather", ylabel="Expected blind draws")
        ax.set_ylim(bottom=0)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.grid(visible=True, linewidth=0.6)
        ax.legend(loc="upper left")

    last = rows[-1]
    values = "; ".join(f"{target.words}: {number(last[f'{target.key}_cards'], 1)}" for target in targets)
    caption = f"Expected blind draws from an empty hand. For {counted(last['n_cards'], 'card')}: {values}."
    return chart(draw, f"Rising lines. {caption}", caption, size=(8.0, 3.8))


# -- long routes -------------------------------------------------------------------------------------------------------


def long_route_section(context: Context) -> Section | None:
    """Return the section on routes with sets of any cards, if the map has such a route other than a ferry."""
    routes = [route for route in context.game_map.routes if route.swap_size and not route.locomotives]
    if not routes:
        return None
    costs = {route.id: _costs(context, route) for route in routes}
    rows = [row for route in routes for row in costs[route.id]]
    blocks: list[Block] = [_waiting_chart(context, route) for route in routes]
    title = "Long routes with sets of cards"
    heading = "What they cost, by cards in hand"
    if len(routes) == 1:
        title, heading = f"{route_name(routes[0])}: is it worth it?", "What it costs, by cards in hand"
    note = "Points assume that you hold the right cards, here and elsewhere; tickets and bonuses are not counted."
    blocks.append(make_table("long_routes", heading, rows, note=note))
    blocks += _worth_tables(context, routes)
    lead = " ".join(_long_lead(context, route, costs[route.id]) for route in routes)
    return Section("long-routes", title, lead, tuple(blocks))


def _long_lead(context: Context, route: Route, rows: list[dict[str, Any]]) -> str:
    """Return the cost of a long route, and whether it is worth it."""
    none, most = rows[0], rows[-1]
    lead = (
        f"{route_name(route)} scores {route.points} points for {counted(route.length, 'train')}; any {route.swap_size} "
        f"cards can replace one. With {most['own']} cards of one color it takes {counted(most['cards'], 'card')}, "
        f"and with none {none['cards']}: each card of that color saves {route.swap_size - 1}. "
        f"Elsewhere, the same trains score at most {max(row['same_trains'] for row in rows)} points."
    )
    worth = context.worth.get(route.id)
    return lead if worth is None else f"{lead} {worth_in_words(route, worth)}"


def _worth_tables(context: Context, routes: list[Route]) -> list[Block]:
    """Return what games show about long routes, if there are games."""
    rows = []
    for route in routes:
        worth = context.worth.get(route.id)
        if worth is not None:
            shown = records(finite(worth.reset_index()))
            rows += [{"route": route_name(route), **row} for row in shown if row["positions"]]
    if not rows:
        return []
    note = (
        "From the first moment with these cards in hand, each game is played to the end three times with the "
        "same luck: drawing only for the route until it can be claimed; without the route; and with a free choice."
    )
    return [make_table("long_routes_played", "What going for it is worth, played out", rows, note=note)]


def _costs(context: Context, route: Route) -> list[dict[str, Any]]:
    """Return a row for each number of cards held, none first."""
    rules = context.game_map.rules
    by_trains = payments.opportunity_cost(context.game_map, route)["same_cards"]
    ways = records(payments.cards_table(route).assign(same_trains=by_trains))
    rows = []
    for way in sorted((way for way in ways if way["locomotives"] == 0), key=lambda way: way["own"]):
        row = {"route": route_name(route), **{key: way[key] for key in ("own", "cards", "set_cards")}}
        if way["own"] <= rules.cards.per_color:
            waiting = _waiting(context, route, way["own"])
            row["draws"] = waiting.expected_cards.value
            row["turns"] = waiting.expected_turns.value
            row["turns_90"] = waiting.turns_quantile(0.9)
        rows.append({**row, "points_per_card": route.points / way["cards"], "same_trains": way["same_trains"]})
    return rows


def _waiting(context: Context, route: Route, own: int) -> WaitingTime:
    """Return the waiting time with `own` cards of the route's color in hand, or of any one color if it is gray."""
    color = COLORS[0] if route.color == GRAY else route.color
    return payments.expected_draws(route, {color: own}, rules=context.game_map.rules)


def _waiting_chart(context: Context, route: Route) -> Picture:
    most = min(2 * route.length // 3, context.game_map.rules.cards.per_color)
    waits = {own: _waiting(context, route, own) for own in sorted({0, most // 2, most})}
    odds = {f"{counted(own, 'card')} of the color": wait for own, wait in waits.items()}
    starts, halves = listed(str(own) for own in waits), listed(str(wait.quantile(0.5)) for wait in waits.values())
    even = f"Starting with {starts} cards of the color, you have an even chance of having enough after {halves} draws."
    caption = f"How soon blind draws pay for {route_name(route)}. {even}"
    alt = f"Rising steps, one line for each number of cards held. {even}"
    return chart(lambda ax: plot_card_odds(odds, ax, by="cards", title=""), alt, caption, size=(8.0, 3.6))


# -- ferries --------------------------------------------------------------------------


def ferries(context: Context) -> Section | None:
    """Return the section on ferries, if there are any."""
    routes = sorted((route for route in context.game_map.routes if route.locomotives), key=_ferry_kind)
    if not routes:
        return None
    rows = [_ferry_row(context, list(group)) for _, group in groupby(routes, key=_ferry_kind)]
    common = max(rows, key=lambda row: row["n_routes"])
    symbols = sum(route.locomotives for route in routes)
    without = "cannot be paid without" if common["without"] is None else f"{common['without']} without"
    kind = "a gray one" if common["color"] == GRAY else "a colored one"
    lead = (
        f"The board has {counted(len(routes), 'ferry', 'ferries')}, with {counted(symbols, 'locomotive symbol')}. The "
        f"most common kind, {kind} with length {common['length']} and {counted(common['symbols'], 'symbol')}, takes "
        f"{counted(common['fewest'], 'card')} with locomotives and {without}. "
        f"Drawing blind from an empty hand, {_draws_for('it', common['draws'])}; "
        f"{_draws_for('a plain route of its length and color', common['plain_draws'])}."
    )
    note = "All other cards are in the draw pile; a gray ferry takes any one color."
    table = make_table("ferries", "What ferries cost", rows, note=note)
    return Section("ferries", "Ferries", lead, (table,))


def _draws_for(route: str, n_cards: float) -> str:
    if n_cards == float("inf"):
        return f"you cannot pay for {route} even with all cards"
    return f"you can pay for {route} after {counted(number(n_cards, 1), 'card')} on average"


def _ferry_kind(route: Route) -> tuple[bool, int, int, int, str, bool]:
    sets = (route.swap_size, route.swap_fills, route.locomotives_allowed)
    return route.color == GRAY, route.length, route.locomotives, *sets


def _ferry_row(context: Context, routes: list[Route]) -> dict[str, Any]:
    """Return what ferries of one kind cost."""
    rules = context.game_map.rules
    route = routes[0]
    jokers = "plain" in rules.claims.locomotives_on
    plain = replace(route, locomotives=0, swap_size=0, locomotives_allowed=jokers)
    fills = "any space" if route.swap_fills == "any" else "symbols only"
    without = [way["cards"] for way in records(payments.cards_table(route)) if way["locomotives"] == 0]
    return {
        "color": GRAY if route.color == GRAY else "one color",
        "length": route.length,
        "symbols": route.locomotives,
        "n_routes": len(routes),
        "fewest": route.length,
        "without": min(without, default=None),
        "draws": payments.expected_draws(route, rules=rules).expected_cards.value,
        "plain_draws": payments.expected_draws(plain, rules=rules).expected_cards.value,
        "sets": f"{route.swap_size} for one, {fills}" if route.swap_size else "none",
    }


# -- tunnels -----------------------------------------------------------------------------------------------------------


_SAFE = 0.9
"""The probability that counts as safe."""

_IN_COLOR, _LOCOMOTIVES = "one color", "locomotives alone"


def tunnel_section(context: Context) -> Section | None:
    """Return the section on tunnels, if there are any."""
    routes = [route for route in context.game_map.routes if route.tunnel]
    if not routes or context.game_map.rules.tunnel.revealed == 0:
        return None
    surcharges = _surcharges(context, routes)
    spare = _spare(context, routes)
    blocks: list[Block] = []
    if surcharges:
        blocks.append(_surcharge_chart(surcharges, context.game_map.rules.tunnel.revealed))
        blocks.append(make_table("tunnel_surcharges", "The surcharge, by cards held", surcharges))
    if spare:
        blocks.append(make_table("tunnel_spare_cards", "The odds of success, by spare cards", spare))
    blocks.append(make_table("tunnels", "All tunnels", _all_tunnels(context, routes), n_shown=15))
    return Section("tunnels", "Tunnels", _tunnel_lead(context, routes, spare), tuple(blocks))


def _tunnel_lead(context: Context, routes: list[Route], spare: list[dict[str, Any]]) -> str:
    revealed = context.game_map.rules.tunnel.revealed
    lead = f"The board has {counted(len(routes), 'tunnel')}; each attempt turns over {counted(revealed, 'card')}. "
    in_color = [row for row in spare if row["plays"] == _IN_COLOR]
    if not in_color:
        return lead + "The deck is too small to hold spare cards of one color."
    common = max(in_color, key=lambda row: row["n_tunnels"])
    odds = [common[f"s{n}"] for n in range(revealed + 1)]
    steps = listed(
        f"{percent(p)} of cases without a spare card" if n == 0 else f"{percent(p)} with {n}"
        for n, p in enumerate(odds[:3])
    )
    enough = next(n for n, p in enumerate(odds) if p >= _SAFE)
    return (
        f"{lead}A tunnel of length {common['length']}, paid for with cards of one color, succeeds in {steps}. "
        f"To succeed in nine of ten attempts, hold {counted(enough, 'spare card')}."
    )


def _kinds(context: Context, route: Route) -> list[tuple[str, str]]:
    """Return the ways to pay for a tunnel: in words, and the kind of card."""
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
    """Return whether this number of cards of a kind can be held, with enough others left to turn over."""
    rules = context.game_map.rules
    return n_cards <= rules.deck[kind] and rules.deck.n_cards - n_cards >= rules.tunnel.revealed


def _all_tunnels(context: Context, routes: list[Route]) -> list[dict[str, Any]]:
    rules = context.game_map.rules
    revealed = rules.tunnel.revealed
    rows = []
    for route in sorted(routes, key=lambda route: (-route.length, route.id)):
        row = {"route": route_name(route), **facts(route, "color", "length", "points")}
        row["cards"] = float(payments.expected_cards(context.game_map, route))
        plain = {"draws": payments.expected_draws(route, rules=rules).expected_cards.value}
        _, kind = _kinds(context, route)[0]
        if _can_be_held(context, kind, route.length + revealed):
            odds = tunnels.spare_cards(route, revealed=revealed, deck=rules.deck)["probability"]
            spare = tunnels.spare_needed(route, _SAFE, revealed=revealed, deck=rules.deck)
            with_spare = payments.expected_draws(route, rules=rules, spare=spare).expected_cards.value
            row |= {"p_none": odds[0], "spare": spare, **plain, "draws_spare": with_spare}
        rows.append(row | plain)
    return rows


def _surcharge_chart(rows: list[dict[str, Any]], revealed: int) -> Picture:
    """Return the odds with the fewest and the most cards of a color held, and with locomotives alone."""
    in_color = [row for row in rows if row["plays"] == _IN_COLOR]
    chosen = [in_color[0], *in_color[-1:], *[row for row in rows if row["plays"] == _LOCOMOTIVES][-1:]]
    odds = {f"{row['plays']}, {row['held']} held": [row[f"p{k}"] for k in range(revealed + 1)] for row in chosen}
    first = rows[0]
    caption = (
        "How many cards a tunnel costs beyond its length, and how many spare cards are enough. Cards in your hand "
        f"cannot be turned over. With none in hand, {percent(first['p0'])} of attempts cost nothing more, and "
        f"the surcharge is {number(first['mean'], 2)} cards on average."
    )
    held = listed(f"{row['plays']} with {row['held']} held" for row in chosen)
    alt = f"Bars and lines: the chance of each surcharge for {held}. {caption}"
    return chart(lambda ax: plot_tunnel_odds(odds, ax, title=""), alt, caption, size=(8.0, 4.4))
