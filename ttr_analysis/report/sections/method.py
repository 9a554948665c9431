"""The rules at a glance, and how the study was made."""

from __future__ import annotations

from importlib.metadata import version

from ttr_analysis import __version__
from ttr_analysis.report import rulewords
from ttr_analysis.report.document import Block, Heading, Points, Section, Words, count, name, number
from ttr_analysis.report.workbench import Workbench

UNOFFICIAL = (
    "This is an unofficial study by players for players. It is not affiliated with, endorsed by or approved by the "
    "publisher of Ticket to Ride, whose trademark that is."
)

_DEFINITIONS = (
    ("Length", "Car spaces of a route, which is the number of trains it takes."),
    (
        "Network",
        "Routes that join the ends of given tickets. It need not hang together: a Steiner forest, found exactly.",
    ),
    ("Fewest trains", "Length of the cheapest network. No network uses both tracks of a double route."),
    (
        "Standard error",
        "How much a mean over random deals strays from the true one: within twice of it in 95 of 100 cases.",
    ),
    ("Blind draws", "Cards from a shuffled pile that holds everything not seen."),
)


def rules(bench: Workbench) -> Section:
    """Return the section on the rules."""
    game_map = bench.game_map
    kinds = {route.kind for route in game_map.routes}
    items = rulewords.rules_in_words(
        game_map.rules,
        ferries="ferry" in kinds,
        tunnels="tunnel" in kinds,
        doubles=any(game_map.twin(route) for route in game_map.routes),
    )
    low, high = game_map.rules.players
    bonuses = len(game_map.rules.bonus)
    players = f"{low} to {high} players" if high > low else f"{low} players"
    variants = f" and {count(len(game_map.rules.variants), 'variant')}" if game_map.rules.variants else ""
    lead = (
        f"What the numbers of this study assume: the rules for {players}, "
        f"with {count(bonuses, 'bonus', 'bonuses')} at the end{variants}."
    )
    blocks: list[Block] = [Points(tuple(items))]
    decided = rulewords.decisions(bench.folder) if bench.folder else []
    if decided:
        blocks += [
            Heading("Decisions"),
            Words("Where the printed rules leave room, this was chosen:"),
            Points(tuple(decided)),
        ]
    return Section("rules", "Rules at a glance", lead, tuple(blocks))


def method(bench: Workbench) -> Section:
    """Return the section on how the study was made."""
    settings = bench.settings
    games = ", but for the time that its games took" if bench.n_games else ""
    lead = (
        f"Everything here is exact unless a standard error or an interval stands beside it. What is drawn at random "
        f"uses seed {settings.seed} and {number(bench.n_deals)} deals, so that the same command gives the same study"
        f"{games}."
    )
    blocks: list[Block] = [Points(tuple(_versions(bench))), Heading("Definitions"), Points(_DEFINITIONS)]
    cited = rulewords.sources(bench.folder) if bench.folder else []
    if cited:
        blocks += [Heading("Sources"), Points(tuple(cited))]
    blocks.append(Words(UNOFFICIAL))
    return Section("method", "How this was computed", lead, tuple(blocks))


def _versions(bench: Workbench) -> list[tuple[str, str]]:
    used = ("numpy", "scipy", "networkx", "llvmlite", "pandas", "matplotlib")
    packages = [f"ttr-analysis {__version__}", *(f"{package} {version(package)}" for package in used)]
    game_map = bench.game_map
    quick = " Quick study: fewer samples, and the longest computations left out." if bench.settings.quick else ""
    return [
        ("Map", f"{name(game_map.title)}, folder {name(game_map.name)}."),
        ("Seed", f"{bench.settings.seed}; {number(bench.n_deals)} random deals.{quick}"),
        ("Made with", ", ".join(packages) + "."),
    ]
