"""The rules at a glance, and how the study was made."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from ttr_analysis import __version__
from ttr_analysis._words import counted, listed, number
from ttr_analysis.report.context import Context
from ttr_analysis.report.page import Block, Heading, Points, Section, Terms, Words, name
from ttr_analysis.rules.ruleset import BonusRules, RuleSet

UNOFFICIAL = (
    "This is an unofficial study by players for players. It is not affiliated with, endorsed by or approved by the "
    "publisher of Ticket to Ride, which owns that trademark."
)

_DEFINITIONS = (
    ("Length", "Car spaces of a route, which is the number of trains it takes."),
    (
        "Network",
        (
            "Routes that connect the ends of the given tickets. It need not be connected: the cheapest network is a "
            "minimum Steiner forest, computed exactly."
        ),
    ),
    ("Fewest trains", "Length of the cheapest network. No network uses both tracks of a double route."),
    (
        "Standard error",
        "The typical error of a mean over random deals: in about 95% of cases, the error is less than twice this.",
    ),
    ("Blind draws", "Cards drawn from a shuffled pile of all unseen cards."),
)


def rules_section(context: Context) -> Section:
    """Return the section on the rules."""
    game_map = context.game_map
    kinds = {route.kind for route in game_map.routes}
    items = rules_in_words(
        game_map.rules,
        ferries="ferry" in kinds,
        tunnels="tunnel" in kinds,
        doubles=any(game_map.twin(route) for route in game_map.routes),
    )
    low, high = game_map.rules.players
    bonuses = len(game_map.rules.bonus)
    players = f"{low} to {high} players" if high > low else f"{low} players"
    variants = f" and {counted(len(game_map.rules.variants), 'variant')}" if game_map.rules.variants else ""
    lead = (
        f"The numbers in this study assume these rules. The map is for {players} "
        f"and has {counted(bonuses, 'bonus', 'bonuses')} at the end{variants}. Numbers that depend on the number of "
        f"players are for {context.n_players}, unless stated otherwise."
    )
    blocks: list[Block] = [Terms(tuple(items))]
    decided = decisions(context.folder) if context.folder else []
    if decided:
        blocks += [
            Heading("Decisions"),
            Words("Where the printed rules leave room for interpretation, we chose:"),
            Terms(tuple(decided)),
        ]
    return Section("rules", "Rules at a glance", lead, tuple(blocks))


def method(context: Context) -> Section:
    """Return the section on how the study was made."""
    settings = context.settings
    varying = ["the CPU time of its games"] * bool(context.n_games)
    varying += ["a best score that is not proven, since its search is timed"] * (context.best is not None)
    lead = (
        "Numbers from random deals and from games are estimates; all others are exact. Random samples use seed "
        f"{settings.seed}, so the same command gives the same study"
        f"{f', except for {listed(varying)}' if varying else ''}."
    )
    blocks: list[Block] = [Terms(tuple(_versions(context))), Heading("Definitions"), Terms(_DEFINITIONS)]
    cited = sources(context.folder) if context.folder else []
    if cited:
        blocks += [Heading("Sources"), Points(tuple(cited))]
    blocks.append(Words(UNOFFICIAL))
    return Section("method", "How this was computed", lead, tuple(blocks))


def _versions(context: Context) -> list[tuple[str, str]]:
    used = ("numpy", "scipy", "networkx", "llvmlite", "pandas", "matplotlib")
    packages = [f"ttr-analysis {__version__}", *(f"{package} {version(package)}" for package in used)]
    game_map = context.game_map
    quick = " Quick study: fewer samples, and without the longest computations." if context.settings.quick else ""
    return [
        ("Map", f"{name(game_map.title)}, folder {name(game_map.name)}."),
        ("Seed", f"{context.settings.seed}; {number(context.n_deals)} random deals.{quick}"),
        ("Made with", ", ".join(packages) + "."),
    ]


# -- the rules of a map in words -----------------------------------------------------------------------------------

_KINDS = {"plain": "plain routes", "ferry": "ferries", "tunnel": "tunnels"}
_MEASURES = {
    "longest_trail": "longest continuous path (no route twice, cities may repeat)",
    "completed_tickets": "most completed tickets",
    "tokens": "most tokens left",
}
_TIES = {
    "completed_tickets": "more completed tickets",
    "longest_trail": "the longer continuous path",
    "fewest_stations": "fewer stations built",
    "path_bonus": "the bonus for the longest path",
}
_UNKEPT = {
    "removed": "leave the game",
    "under_pile": "go under the pile",
    "discard_pile": "go to a discard pile, shuffled when the pile is empty",
}


def rules_in_words(rules: RuleSet, *, ferries: bool, tunnels: bool, doubles: bool) -> list[tuple[str, str]]:
    """Return the rules at a glance as subjects and texts, without those about routes that the map lacks."""
    turned = counted(rules.tunnel.revealed, "card")
    items = [
        ("Players", _players(rules)),
        ("Train cards", _cards(rules)),
        ("Drawing cards", _drawing(rules)),
        ("Wild locomotives", _wild_locomotives(rules, ferries=ferries, tunnels=tunnels)),
        ("Ferries", _ferries(rules) if ferries else ""),
        ("Tunnels", f"{turned} turned over; each match costs one more card." if tunnels else ""),
        ("Double routes", _doubles(rules) if doubles else ""),
        ("Points for routes", ", ".join(f"length {length}: {points}" for length, points in rules.claims.points) + "."),
        ("Tickets", _tickets(rules)),
        ("Stations", _stations(rules)),
        ("Tolls", _tolls(rules)),
        ("Loans", _loans(rules)),
        *(("Bonus", _bonus(bonus)) for bonus in rules.bonus),
        ("Start scores", _start_scores(rules)),
        ("End of the game", _end(rules)),
        ("Ties for the win", _ties(rules)),
        ("Variants", listed(name(variant.variant) for variant in rules.variants)),
    ]
    return [(subject, words) for subject, words in items if words]


def _players(rules: RuleSet) -> str:
    low, high = rules.players
    return f"{f'{low} to {high}' if high > low else low}, {rules.trains.per_player} trains each."


def _start_scores(rules: RuleSet) -> str:
    scores = rules.scoring.start_scores
    return f"By seat: {', '.join(map(str, scores))}." if any(scores) else ""


def _end(rules: RuleSet) -> str:
    turns = rules.trains.last_turns
    last = "one more turn" if turns == 1 else f"{turns} more turns"
    return (
        f"When a player has {counted(rules.trains.last_round_at, 'train')} or fewer at the end of a turn, "
        f"every player takes {last}."
    )


def _cards(rules: RuleSet) -> str:
    cards = rules.cards
    return (
        f"{cards.per_color} of each of 8 colors and {counted(cards.locomotives, 'locomotive')}: "
        f"{rules.deck.n_cards} in all. Each player begins with {cards.opening_hand}."
    )


def _drawing(rules: RuleSet) -> str:
    market = rules.market
    costly = f"counts as {market.locomotive_cost} cards, and may not be taken after another card"
    cost = "counts as one card" if market.locomotive_cost == 1 else costly
    reset = (
        f"All face-up cards are replaced when {market.reset_at} of them are locomotives."
        if market.reset_at
        else "The face-up cards are never replaced all at once."
    )
    return (
        f"{counted(rules.cards.draws_per_turn, 'card')} a turn, from {market.size} face-up cards or blind. "
        f"A face-up locomotive {cost}. {reset}"
    )


def _wild_locomotives(rules: RuleSet, *, ferries: bool, tunnels: bool) -> str:
    there = ["plain", *(["ferry"] if ferries else []), *(["tunnel"] if tunnels else [])]
    kinds = [kind for kind in there if kind in rules.claims.locomotives_on]
    if kinds == there:
        return "On every route, for a card of any color."
    return f"On {listed(_KINDS[kind] for kind in kinds)} only." if kinds else "Nowhere."


def _ferries(rules: RuleSet) -> str:
    size = rules.claims.ferry_swap_size
    text = "Each locomotive symbol needs a locomotive."
    if size:
        where = "" if rules.claims.ferry_swap_fills == "any" else ", for a symbol only"
        text += f" Any {size} cards may replace a locomotive{where}."
    return text


def _doubles(rules: RuleSet) -> str:
    low, high = rules.players
    limit = rules.claims.double_routes_from
    if limit <= low:
        return "Both tracks are open with any number of players; no player may take both."
    if limit > high:
        return "The first claim closes the other track for everyone."
    return (
        f"With {limit} or more players, both tracks are open; with fewer, the first claim closes the other one. "
        "No player may take both."
    )


def _tickets(rules: RuleSet) -> str:
    tickets = rules.tickets
    by_deck = listed(f"{deck.opening_deal} {name(deck.name)}" for deck in tickets.decks)
    dealt = f"{tickets.opening_deal} ({by_deck})" if tickets.decks else f"{tickets.opening_deal}"
    gone = [name(deck.name) for deck in tickets.decks if deck.undealt == "removed"]
    first, later = tickets.unkept_at(opening=True), tickets.unkept_at(opening=False)
    unkept = (
        f"Those not kept {_UNKEPT[later]}."
        if first == later
        else f"Those not kept at the start {_UNKEPT[first]}; later ones {_UNKEPT[later]}."
    )
    return (
        f"At the start, {dealt} are dealt and at least {tickets.opening_keep} are kept; later, {tickets.draw} are "
        f"drawn and at least {tickets.keep} kept. {unkept}"
        + (f" Undealt {listed(gone)} tickets leave the game too." if gone else "")
    )


def _stations(rules: RuleSet) -> str:
    stations = rules.stations
    if not stations.number:
        return ""
    costs = [*map(str, stations.costs[: stations.number])]
    price = f"for {listed(costs)} cards of one color" if len(costs) > 1 else f"for {counted(stations.costs[0], 'card')}"
    lends_neutral = rules.neutral.trains > 0 and stations.lends_from == "anyone"
    whose = "another player or the neutral player" if lends_neutral else "another player"
    left = f" Each one not built scores {counted(stations.points_left, 'point')}." if stations.points_left else ""
    return (
        f"{stations.number} each, built {price}, one per city. At the end, each station lets its owner use one route "
        f"of {whose} that ends there: the best one for the owner's tickets.{left}"
    )


def _tolls(rules: RuleSet) -> str:
    money = rules.money
    if not money.tokens:
        return ""
    second = "the owner of the first" if money.second_track_pays == "owner" else "the bank"
    return (
        f"Each player has tokens worth {money.tokens}. The toll for the second track of a double route goes to "
        f"{second}, all other tolls to the bank."
    )


def _loans(rules: RuleSet) -> str:
    if not rules.money.tokens:
        return ""
    penalty = counted(rules.money.loan.penalty, "point")
    return f"A player who cannot pay the whole toll takes a loan, which costs {penalty} at the end."


def _bonus(bonus: BonusRules) -> str:
    who = ", among players without a loan" if bonus.requires == "no_loans" else ""
    if bonus.points_by_players:
        by = "; ".join(f"{n} players: {', '.join(map(str, points))}" for n, points in bonus.points_by_players)
        return f"For the {_MEASURES[bonus.measure]}{who}, by rank: {by}."
    points = ", ".join(map(str, bonus.points))
    return f"{points} points for the {_MEASURES[bonus.measure]}{who}. All tied players score."


def _ties(rules: RuleSet) -> str:
    breaks = [_TIES[tie] for tie in rules.scoring.tie_breaks]
    return (
        f"Decided by {', then '.join(breaks)}; players who are still tied share the win."
        if breaks
        else "The win is shared."
    )


# -- from the files of the map ---------------------------------------------------------

# The files may be untrusted: no two parts of a pattern can match the same characters, and searches are bounded, since
# a long line could otherwise take quadratic time.
_SETTING = re.compile(r"\s*+(?P<key>[\w.\"-]++)\s*+=\s*+(?P<value>[^#]*+)#\s*+(?P<comment>.*)")
_TABLE = re.compile(r"\s*+\[{1,2}+(?P<table>[^\[\]]++)\]")
_DECISION = re.compile(r"\bDecision(?P<how>[^:]{0,100}+):\s*+(?P<reason>.+)")
_LINK = re.compile(r"\[([^\[\]]{0,200}+)\]\(([^()\s]{0,300}+)\)")
_MAX_BYTES = 100_000


def decisions(folder: Path) -> list[tuple[str, str]]:
    """
    Return the settings of a map's `rules.toml` with a comment such as `# Decision: reason`, and the reasons.

    A comment on lines of its own is about the table that follows without a blank line, or else the table it is in.
    """
    found: list[tuple[str, str]] = []
    table = ""
    notes: list[list[str]] = []
    for line in [*_read(folder / "rules.toml").splitlines(), ""]:
        if line.lstrip().startswith("#"):
            comment = line.split("#", 1)[1].strip()
            if not notes or _DECISION.search(comment):
                notes.append([])
            notes[-1].append(comment)
            continue
        heading = _TABLE.match(line)
        if heading:
            table = heading["table"].strip()
        of_table = f"Variant {table.split('.')[1]}" if table.startswith("variants.") else table if heading else ""
        for note in notes:
            found += _decided(of_table or "Note", " ".join(note))
        notes = []
        setting = _SETTING.match(line)
        if setting:
            what = f"{table + '.' if table else ''}{setting['key']} = {setting['value'].strip()}"
            found += _decided(what, setting["comment"])
    return found


def _decided(what: str, comment: str) -> Iterator[tuple[str, str]]:
    """Yield a setting, or what else a comment is about, with the reason in the comment, if it has one."""
    decision = _DECISION.search(comment)
    if decision is not None:
        how = decision["how"].strip(" ,")
        reason = decision["reason"][0].upper() + decision["reason"][1:]
        yield name(what), name(f"{reason} {how.capitalize()}." if how else reason)


def sources(folder: Path) -> list[str]:
    """Return the points of a map's `SOURCES.md`, without markup."""
    points: list[str] = []
    for line in _read(folder / "SOURCES.md").splitlines():
        if line.startswith("- "):
            points.append(line[2:])
        elif line.startswith("  ") and points:
            points[-1] += " " + line.strip()
    return [name(re.sub(r"[*`]", "", _LINK.sub(r"\1 (\2)", point))) for point in points]


def _read(path: Path) -> str:
    try:
        return path.read_bytes()[:_MAX_BYTES].decode("utf-8", errors="replace")
    except OSError:
        return ""
