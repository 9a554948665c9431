"""Paths found by walking every way."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ttr_analysis.maps.model import GameMap, Route


def all_simple_tracks(game_map: GameMap, a: str, b: str, closed: Collection[Route] = ()) -> Iterator[tuple[Route, ...]]:
    """Oracle: every way from `a` to `b` that passes no city twice, by tracks."""

    def walk(city: str, seen: tuple[str, ...], way: tuple[Route, ...]) -> Iterator[tuple[Route, ...]]:
        if city == b:
            yield way
            return
        for route in game_map.routes:
            if city in route.cities and route not in closed and route.other_end(city) not in seen:
                onward = route.other_end(city)
                yield from walk(onward, (*seen, onward), (*way, route))

    return walk(a, (a,), ())


def cities_on(way: tuple[Route, ...], start: str) -> tuple[str, ...]:
    """Return the cities of a way in order."""
    cities = [start]
    for route in way:
        cities.append(route.other_end(cities[-1]))
    return tuple(cities)


def is_joined(game_map: GameMap, a: str, b: str, without: Collection[Route]) -> bool:
    """Oracle: whether `b` can be reached from `a`."""
    reached, size = {a}, 0
    while len(reached) > size:
        size = len(reached)
        for route in game_map.routes:
            if route not in without and reached.intersection(route.cities):
                reached.update(route.cities)
    return b in reached
