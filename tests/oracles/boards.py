"""Small boards made up at random, for comparisons with what can be enumerated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations

from hypothesis import strategies as st

from tests.oracles import payment
from ttr_analysis.maps.model import City, GameMap, Place, Route, Ticket
from ttr_analysis.rules.ruleset import RuleSet

Track = tuple[str, str, int, int]
"""Two cities, length and toll."""


def make_route(
    a: str,
    b: str,
    *,
    track: int = 0,
    length: int = 1,
    color: str = "gray",
    locomotives: int = 0,
    locomotives_allowed: bool = True,
    swap_size: int = 0,
    toll: int = 0,
) -> Route:
    """Return a route that is no tunnel."""
    route = payment.make_route(length, color, symbols=locomotives, jokers=locomotives_allowed, swap_size=swap_size)
    return replace(route, id=f"{a}-{b}/{track}", cities=(a, b), track=track, toll=toll, points=length)


def make_board(
    tracks: Iterable[Track],
    *,
    countries: Mapping[str, tuple[str, ...]] | None = None,
    tickets: tuple[Ticket, ...] = (),
    rules: RuleSet | None = None,
) -> GameMap:
    """Return a map of plain gray routes; the border points of countries are among its cities."""
    countries = countries or {}
    tracks = [(min(a, b), max(a, b), length, toll) for a, b, length, toll in tracks]
    names = sorted({city for a, b, _, _ in tracks for city in (a, b)})
    borders = {city for cities in countries.values() for city in cities}
    n_seen: Counter[tuple[str, str]] = Counter()
    routes = []
    for a, b, length, toll in tracks:
        track = n_seen[a, b]
        n_seen[a, b] += 1
        routes.append(make_route(a, b, track=track, length=length, toll=toll))
    return GameMap(
        name="board",
        title="Board",
        cities=tuple(City(name, name, 0, 0, i, i, "Here") for i, name in enumerate(names)),
        places=(
            *(Place(name, (name,)) for name in names if name not in borders),
            *(Place(name, cities) for name, cities in countries.items()),
        ),
        routes=tuple(routes),
        tickets=tickets,
        rules=rules or RuleSet("Board"),
    )


@st.composite
def boards(draw: st.DrawFn, max_cities: int = 6, max_extra: int = 5) -> GameMap:
    """Connected boards: a random tree and some more tracks, at most two between the same cities."""
    names = "ABCDEFGH"[: draw(st.integers(2, max_cities))]
    pairs = [(names[draw(st.integers(0, i - 1))], names[i]) for i in range(1, len(names))]
    allowed = sorted([pair for pair in combinations(names, 2) for _ in range(2 - (pair in pairs))])
    pairs += draw(
        st.lists(st.sampled_from(range(len(allowed))), max_size=max_extra, unique=True).map(
            lambda chosen: [allowed[i] for i in chosen]
        )
    )
    return make_board((a, b, draw(st.integers(1, 4)), draw(st.integers(0, 2))) for a, b in pairs)
