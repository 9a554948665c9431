"""Fixtures of every test: the maps that come with the package, and an invented one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import ttr_analysis as ttr
from ttr_analysis import GameMap, cli
from ttr_analysis._compile.calls import is_plain
from ttr_analysis.maps.model import City, Place, Route, Ticket

INVENTED = Path(__file__).parent / "invented"
"""A map with tunnels, ferries, tolls, a four-for-one route and countries at once, for up to 5 players."""

BUILT_IN = ("nordic", "switzerland", "nederland", "usa", "europe")
EVERY_MAP = (*BUILT_IN, "invented")


@cache
def load(name: str) -> GameMap:
    """Return a map by name, the invented one too; a map never changes, and all tests of a process share it."""
    return ttr.load_map(INVENTED if name == "invented" else name)


def examples(n: int) -> int:
    """Return on how many examples a law is tried: as plain Python, which is slow, on a quarter of them."""
    return -(-n // 4) if is_plain() else n


def short(game_map: GameMap, n_trains: int) -> GameMap:
    """Return a map on which games are short: each player has fewer trains."""
    return replace(game_map, rules=replace(game_map.rules, trains=replace(game_map.rules.trains, per_player=n_trains)))


def renamed(game_map: GameMap, names: Mapping[str, str]) -> GameMap:
    """Return a map with some cities and places under other names."""

    def place(old: Place) -> Place:
        return Place(names.get(old.name, old.name), tuple(names.get(city, city) for city in old.cities))

    def city(old: City) -> City:
        return replace(old, name=names.get(old.name, old.name), label=names.get(old.name, old.label))

    def pair(cities: tuple[str, str]) -> tuple[str, str]:
        a, b = cities
        return names.get(a, a), names.get(b, b)

    routes = []
    for route in game_map.routes:
        a, b = pair(route.cities)
        routes.append(replace(route, id=f"{a}-{b}/{route.track}", cities=(a, b)))
    tickets = []
    for number, ticket in enumerate(game_map.tickets):
        origin, neutral = place(ticket.origin), ticket.neutral and pair(ticket.neutral)
        goals = tuple((place(goal), points) for goal, points in ticket.destinations)
        name = f"{origin.name[:40]}-{number}"
        tickets.append(Ticket(name, origin, goals, neutral, ticket.deck))
    return replace(
        game_map,
        cities=tuple(map(city, game_map.cities)),
        places=tuple(map(place, game_map.places)),
        routes=tuple(routes),
        tickets=tuple(tickets),
    )


class Command:
    """`ttr-analysis` with arguments: the words of a line, then others as they are."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, line: str, *words: str, code: int = cli.DONE) -> str:
        """Check the exit code; return what was printed, or what was printed to stderr by a command that failed."""
        assert cli.main([*line.split(), *words]) == code
        printed = self._capsys.readouterr()
        return printed.err if code else printed.out


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Return the command, which runs in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    return Command(capsys)


@pytest.fixture(scope="session")
def nordic() -> GameMap:
    """Return the Nordic map."""
    return load("nordic")


@pytest.fixture(scope="session")
def switzerland() -> GameMap:
    """Return the Swiss map."""
    return load("switzerland")


@pytest.fixture(scope="session")
def nederland() -> GameMap:
    """Return the map of the Netherlands."""
    return load("nederland")


@pytest.fixture(scope="session")
def usa() -> GameMap:
    """Return the map of the USA."""
    return load("usa")


@pytest.fixture(scope="session")
def europe() -> GameMap:
    """Return the European map."""
    return load("europe")


@pytest.fixture(scope="session")
def invented() -> GameMap:
    """Return the invented map."""
    return load("invented")


@pytest.fixture(scope="session")
def murmansk_lieksa(nordic: GameMap) -> Route:
    """Return the longest Nordic route: nine gray spaces, any four cards for one."""
    return nordic.route("Murmansk", "Lieksa")


@pytest.fixture(scope="session", params=EVERY_MAP)
def any_map(request: pytest.FixtureRequest) -> GameMap:
    """Return each map in turn, the invented one too."""
    return load(request.param)
