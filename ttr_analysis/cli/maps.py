"""Commands on maps: study, list, check and fit them, and run leagues and many games."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import dist, hypot
from operator import itemgetter
from pathlib import Path
from statistics import covariance, median
from typing import TYPE_CHECKING, Any

import click

from ttr_analysis._words import counted, listed, percent
from ttr_analysis.cli import common
from ttr_analysis.cli.common import commands

if TYPE_CHECKING:
    from ttr_analysis.maps.model import GameMap


@commands.command(epilog="Example: ttr-analysis study nordic --out my-study")
@common.map_argument
@click.option("--variant", metavar="NAME", help="Variant of the rules.")
@click.option("--out", type=common.FILE, help="Folder for report.html and tables/.  [default: studies/<map>]")
@common.number("--seed", type=common.NATURAL, default=7, help="Random seed.")
@common.number("--deals", type=click.IntRange(2, 1_000_000), default=5000, help="Number of random deals.")
@click.option("--quick", is_flag=True, help="Take fewer samples and skip the slowest parts.")
@common.number(
    "--best",
    type=common.Duration(0, 86_400),
    metavar="SECONDS",
    default=35.0,
    help="Time limit for proving which network is best; 0 skips this.",
)
@common.number("--games", type=click.IntRange(0, 1_000_000), default=1000, help="Games between planners; 0 skips them.")
@common.no_progress
def study(
    map_: str,
    variant: str | None,
    out: Path | None,
    *,
    seed: int,
    deals: int,
    games: int,
    best: float,
    quick: bool,
    no_progress: bool,
) -> None:
    """
    Write a study of a map as an HTML page.

    MAP is a built-in map (see the maps command) or a map folder. The page is
    self-contained; its tables are saved beside it as CSV files.
    """
    from ttr_analysis.maps.loading import find_folder, load_map

    game_map = load_map(map_, variant=variant)
    out = out or Path("studies", common.as_file_name("-".join(filter(None, [game_map.name or "map", variant]))))
    # Imported after the checks: the numeric libraries take a second to load.
    from ttr_analysis.report import Settings, write_study
    from ttr_analysis.report.study import PAGE, TABLES

    settings = Settings(seed=seed, n_deals=deals, quick=quick, best_seconds=best, n_games=games)
    kept = f"There is no {PAGE} yet; each table in {out / TABLES} is complete."
    with common.writing(f"cannot write the study to {out}"), common.Interrupt(f". {kept}") as interrupt:
        written = write_study(
            game_map, out, settings, folder=find_folder(map_), progress=not no_progress, before=interrupt.check
        )
    print(f"{out / PAGE}\n{out / TABLES}: {len(written.tables)} tables")


@commands.command()
def maps() -> None:
    """List the maps that come with the package."""
    from ttr_analysis.maps.loading import load_map, map_names

    for name in map_names():
        game_map = load_map(name)
        low, high = game_map.rules.players
        print(
            f"{name:<14}{game_map.title}: {low}-{high} players, {len(game_map.cities)} cities, "
            f"{len(game_map.routes)} routes, {len(game_map.tickets)} tickets"
        )


@commands.command()
@click.argument("folder", shell_complete=common.complete_map)
def check(folder: str) -> None:
    """
    Check a map folder and list any faults.

    FOLDER may also be a built-in map. Each fault is shown with its file, line and
    field, what was expected and what was found. If there are none, you get a summary,
    with warnings about probable mistakes.
    """
    from ttr_analysis.maps.loading import load_map

    game_map = load_map(folder)
    print(f"{game_map!r} has no faults.")
    for line in offers(game_map):
        print(f"  {line}")
    for line in doubts(game_map):
        print(f"warning: {line}")


@commands.command(epilog="Example: ttr-analysis fit my-map --players 3")
@common.map_argument
@click.option(
    "--players", type=common.SEATS, metavar="N", help="Fit only games with this many players.  [default: all]"
)
@click.option("--variant", metavar="NAME", help="Fit only this variant of the rules.  [default: all]")
@common.number("--rounds", type=common.NATURAL, default=80, help="Rounds of 4,500 to 9,000 games each.")
@common.number("--seed", type=common.NATURAL, default=0, help="Random seed.")
@common.no_progress
def fit(map_: str, players: int | None, variant: str | None, rounds: int, seed: int, *, no_progress: bool) -> None:
    """
    Fit Planner to a map: find the parameters that win most often.

    MAP is a built-in map (see the maps command) or a map folder. The parameters are
    written to planner.toml in its folder, and Planner uses them in every game on the
    map. Each number of players takes a few minutes on all cores. To resume, run the
    command again.
    """
    from ttr_analysis.maps.loading import find_folder, load_map

    folder = find_folder(map_)
    game_map = load_map(folder)
    from ttr_analysis.policies.planner.fitting import fit_folder, games_of

    games = [game for game in games_of(game_map) if variant in (None, game[0]) and players in (None, game[1])]
    if not games:
        size = "" if players is None else f" with {counted(players, 'player')}"
        rules = "" if variant is None else f" of the variant {variant!r}"
        raise click.UsageError(f"{game_map!r} has no games{rules}{size}.")
    with common.writing(f"cannot write to {folder}"), common.Interrupt(". Run the same command to resume."):
        for found in fit_folder(folder, games, rounds=rounds, seed=seed, progress=not no_progress):
            print(f"{found.variant or game_map.title}, {found.n_players} players: fitted", flush=True)
    print(folder / "planner.toml")


@commands.command(epilog="Example: ttr-analysis league nordic --players Planner,Racer,Greedy --games 500")
@common.map_argument
@click.option("--players", metavar="NAMES", help="Names of players, separated by commas.  [default: all compiled ones]")
@common.number(
    "--games", type=click.IntRange(1, 1_000_000), default=500, help="Games for each pair or group of players."
)
@click.option("--reference", default="Planner", show_default=True, help="The player whose rating is 0.")
@common.number("--seats", type=common.SEATS, default=2, help="Number of players in each game.")
@click.option("--variant", metavar="NAME", help="Variant of the rules.")
@common.number("--seed", type=common.NATURAL, default=0, help="Random seed.")
@common.no_progress
def league(
    map_: str,
    players: str | None,
    games: int,
    reference: str,
    seats: int,
    variant: str | None,
    seed: int,
    *,
    no_progress: bool,
) -> None:
    """
    Rate players in games against each other.

    MAP is a built-in map (see the maps command) or a map folder. Each pair,
    or larger group, plays the same deals from every seat. A lead of 400 rating points
    means odds of ten to one.
    """
    from ttr_analysis.maps.loading import load_map

    game_map = load_map(map_, variant=variant)
    from ttr_analysis import studies

    names = None if players is None else common.split_names(players)
    with common.errors_as(common.USAGE), common.Interrupt(" before every pair had met"):
        found = studies.league(
            game_map, names, games, seed, reference=reference, n_players=seats, progress=not no_progress
        )
    print(f"{game_map.title}, {seats} players a game, {games} games of each {'pair' if seats == 2 else 'set'}\n")  # noqa: PLR2004
    print(found.table.round({"rating": 0, "rating_low": 0, "rating_high": 0, "points": 1}).round(3).to_string())
    print("\nHow often the player in the row finished ahead of the player in the column:\n")
    print(found.matrix.round(3).to_string(na_rep="-"))


@commands.command(epilog="Example: ttr-analysis percentile usa 98 --players 4")
@common.map_argument
@click.argument("points", type=int)
@click.option("--players", type=common.SEATS, metavar="N", required=True, help="Number of players in the game.")
@click.option("--variant", metavar="NAME", help="Variant of the rules.")
@click.option("--against", default="Planner", show_default=True, help="Players to compare with, separated by commas.")
@common.number("--games", type=click.IntRange(2, 1_000_000), default=2_000, help="Games for each of these players.")
@common.number("--seed", type=common.NATURAL, default=7, help="Random seed.")
def percentile(map_: str, points: int, players: int, variant: str | None, against: str, games: int, seed: int) -> None:
    """
    Compare a score with the scores of computer players.

    MAP is a built-in map (see the maps command) or a map folder. POINTS is compared with
    the scores of computer players, each of which plays against copies of itself.
    """
    from ttr_analysis.maps.loading import load_map

    game_map = load_map(map_, variant=variant)
    from ttr_analysis import studies

    with common.errors_as(common.USAGE):
        found = studies.percentile(
            game_map, points, players, against=common.split_names(against), n_games=games, seed=seed
        )
    print(f"{game_map.title}, {players} players: {points} points")
    for name, row in found.iterrows():
        low, high = percent(row["percentile_low"]), percent(row["percentile_high"])
        print(
            f"  beat {percent(row['percentile'])} of {name}'s scores ({low} to {high}; {row['games']:,.0f} games) and "
            f"would have won {percent(row['wins'])} of games; median {row['median']:.0f}, "
            f"winners' mean {row['winners']:.0f}"
        )


@commands.command(epilog="Example: ttr-analysis play-many nordic --players Planner,Searcher:200 --out games")
@common.map_argument
@click.option("--players", metavar="NAMES", default="Planner,Planner", show_default=True, help="Names of players.")
@common.number("--games", type=click.IntRange(min=1), default=1000, help="Number of games.")
@click.option("--out", type=common.FILE, required=True, help="Folder for the tables.")
@click.option("--variant", metavar="NAME", help="Variant of the rules.")
@common.number("--seed", type=common.NATURAL, default=0, help="Random seed.")
@common.no_progress
def play_many(map_: str, out: Path, variant: str | None, *, no_progress: bool, **given: Any) -> None:  # noqa: ANN401
    """
    Play many games, and save all tables and decisions as Parquet.

    A number after Searcher sets its rollouts, as in Searcher:200. After an
    interruption, run the same command to resume.
    """
    from concurrent.futures import ThreadPoolExecutor as Threads

    from ttr_analysis.maps.loading import load_map
    from ttr_analysis.studies import simulate

    how: Any = {"out": out, "resume": True, "decisions": True, "progress": not no_progress}
    game_map, players = load_map(map_, variant=variant), common.split_names(given["players"])
    try:
        with Threads() as pool:  # compiled code runs on all cores
            result = simulate(game_map, players, given["games"], given["seed"], executor=pool, **how)
    except (OSError, ValueError) as error:
        raise click.UsageError(str(error)) from None
    if not result.is_complete:
        raise common.Stopped("interrupted. Run the same command to resume.", common.INTERRUPTED)
    print(f"{out}: {result.n_games:,} games")


# -- a summary of a map for its author, with warnings about probable mistakes ------------------------------------------

_NEAR = 0.5
"""Distance in board units; the dots of closer cities overlap."""
_CRAMPED = 0.4
"""Minimum room per space, relative to the median track; with less, a track does not fit between its cities."""


def offers(game_map: GameMap) -> list[str]:
    r"""
    Return lines that summarize the contents of a map.

    Examples
    --------
    >>> from ttr_analysis.maps.loading import load_map
    >>> print(*offers(load_map("nordic")), sep="\n")
    2-3 players with 40 trains each
    39 cities, 81 tracks of 1 to 9 spaces, 28 of them in double routes
    10 tunnels, 24 ferries
    46 tickets of 3 to 24 points
    variants: resets
    """
    rules, routes = game_map.rules, game_map.routes
    low, high = rules.players
    lengths, doubles = [route.length for route in routes], sum(game_map.twin(route) is not None for route in routes)
    points = [points for ticket in game_map.tickets for _, points in ticket.destinations]
    countries = sum(len(place.cities) > 1 for place in game_map.places)
    cities, tracks = counted(len(game_map.cities), "city", "cities"), counted(len(routes), "track")
    lines = [
        f"{low}-{high} players with {rules.trains.per_player} trains each",
        f"{cities}, {tracks} of {min(lengths)} to {max(lengths)} spaces, {doubles} of them in double routes",
    ]
    kinds = {
        "tunnel": sum(route.tunnel for route in routes),
        "ferry": sum(route.locomotives > 0 for route in routes),
        "track with a toll": sum(route.toll > 0 for route in routes),
        "country": countries,
    }
    plurals = {"ferry": "ferries", "track with a toll": "tracks with a toll", "country": "countries"}
    special = [counted(n, kind, plurals.get(kind, "")) for kind, n in kinds.items() if n]
    lines += [", ".join(special)] if special else []
    lines.append(f"{counted(len(game_map.tickets), 'ticket')} of {min(points)} to {max(points)} points")
    lines += [f"variants: {listed(variant.variant for variant in rules.variants)}"] if rules.variants else []
    return lines


def doubts(game_map: GameMap) -> Iterator[str]:
    """Yield warnings about probable mistakes."""
    yield from _doubts_of_the_picture(game_map)
    seen: dict[frozenset[str], str] = {}
    for ticket in game_map.tickets:
        if len(ticket.destinations) == 1:  # tickets to several countries are meant to be alike
            ends = frozenset({ticket.origin.name, ticket.destinations[0][0].name})
            if ends in seen:
                yield f"the tickets {seen[ends]} and {ticket.id} connect the same places"
            seen[ends] = ticket.id
    yield from _doubts_of_the_trains(game_map)


def _doubts_of_the_picture(game_map: GameMap) -> Iterator[str]:
    cities = game_map.cities
    if covariance([city.lat for city in cities], [city.y for city in cities]) < 0:
        yield "the map looks upside down: y grows upwards, as latitude does"
    for one, other in combinations(cities, 2):
        if hypot(one.x - other.x, one.y - other.y) < _NEAR:
            yield f"{one.name} and {other.name} are almost at the same position"
    at = {city.name: (city.x, city.y) for city in cities}
    room = {route.id: dist(at[route.cities[0]], at[route.cities[1]]) / route.length for route in game_map.routes}
    usual = median(room.values())
    cramped = [route for route, space in sorted(room.items(), key=itemgetter(1)) if space < _CRAMPED * usual]
    if cramped:
        others = f" and {counted(len(cramped) - 1, 'other')}" if len(cramped) > 1 else ""
        yield f"too little room for the spaces of {cramped[0]}{others}: scripts/tune_positions.py finds positions"


def _doubts_of_the_trains(game_map: GameMap) -> Iterator[str]:
    """Yield tracks and tickets that take more trains than a player has, in any variant."""
    import networkx as nx

    trains = min(rules.trains.per_player for rules in (game_map.rules, *game_map.rules.variants))
    for route in game_map.routes:
        if route.length > trains:
            yield f"{route.id} has {route.length} spaces, but a player has only {counted(trains, 'train')}"
    for ticket in game_map.tickets:
        distance = nx.multi_source_dijkstra_path_length(game_map.simple_graph, {*ticket.origin.cities}, weight="length")
        needed = min(distance[city] for place, _ in ticket.destinations for city in place.cities)
        if needed > trains:
            yield f"the ticket {ticket.id} takes {counted(int(needed), 'train')}, but a player has only {trains}"
