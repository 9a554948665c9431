"""Where cars, labels and tokens lie: on every map, and on maps made up to be difficult."""

from __future__ import annotations

import dataclasses
import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fixtures import BUILT_IN, load
from ttr_analysis import GameMap
from ttr_analysis.maps.model import City
from ttr_analysis.viz.geometry import BoardLayout, lay_out
from ttr_analysis.viz.placement import Car, arc_length, bezier, overlapping, point_at, sideways


def all_cars(layout: BoardLayout) -> list[Car]:
    return [car for track in layout.tracks.values() for car in track.cars]


def distance_to_line(point: tuple[float, float], line: tuple[tuple[float, float], ...]) -> float:
    """Return the distance of a point from a line: the nearest of many points on it."""
    dense = point_at(np.array(line), np.linspace(0, arc_length(np.array(line))[-1], 400))
    return float(np.hypot(*(dense - point).T).min())


def share_area(one: Car, other: Car) -> bool:
    """Return whether a point of one car, of a fine grid, lies well within the other: slow, and obviously right."""
    u, v = np.meshgrid(np.linspace(-0.5, 0.5, 31) * one.length, np.linspace(-0.5, 0.5, 31) * one.width)
    x = one.x + u * math.cos(one.angle) - v * math.sin(one.angle) - other.x
    y = one.y + u * math.sin(one.angle) + v * math.cos(one.angle) - other.y
    along_other = x * math.cos(other.angle) + y * math.sin(other.angle)
    across_other = y * math.cos(other.angle) - x * math.sin(other.angle)
    return bool(((abs(along_other) < 0.49 * other.length) & (abs(across_other) < 0.49 * other.width)).any())


def moved(game_map: GameMap, **positions: tuple[float, float]) -> GameMap:
    """Return the map with some cities elsewhere on the picture."""
    cities = [dataclasses.replace(c, x=positions[c.name][0], y=positions[c.name][1]) if c.name in positions else c
              for c in game_map.cities]  # fmt: skip
    return dataclasses.replace(game_map, cities=tuple(cities))


def test_every_space_is_one_car(any_map: GameMap) -> None:
    layout = lay_out(any_map)

    assert list(layout.tracks) == [route.id for route in any_map.routes]
    for route in any_map.routes:
        cars = layout.tracks[route.id].cars
        assert len(cars) == route.length
        assert sum(car.locomotive for car in cars) == route.locomotives


def test_cars_lie_on_their_track_between_its_cities(any_map: GameMap) -> None:
    layout = lay_out(any_map)

    for route in any_map.routes:
        track = layout.tracks[route.id]
        for car in track.cars:
            assert distance_to_line((car.x, car.y), track.line) < 0.1 * car.width
            for city in any_map.cities:
                assert math.dist((car.x, car.y), (city.x, city.y)) > layout.city_radius
        first, last = (any_map.city(name) for name in route.cities)
        reach = layout.city_radius + 0.5 * layout.unit
        assert math.dist((first.x, first.y), track.line[0]) < reach
        assert math.dist((last.x, last.y), track.line[-1]) < reach
        to_first = [math.dist((first.x, first.y), (car.x, car.y)) for car in track.cars]
        assert to_first[0] <= to_first[-1]


def test_no_two_cars_overlap(any_map: GameMap) -> None:
    cars = all_cars(lay_out(any_map))

    near = [(a, b) for a, b in combinations(cars, 2) if math.hypot(a.x - b.x, a.y - b.y) < a.length + b.length]

    assert len(near) > len(cars)
    assert [(a, b) for a, b in near if share_area(a, b) or share_area(b, a)] == []


def test_twins_stand_side_by_side(any_map: GameMap) -> None:
    layout = lay_out(any_map)
    for route in any_map.routes:
        twin = any_map.twin(route)
        if twin is not None and twin.length == route.length:
            pairs = zip(layout.tracks[route.id].cars, layout.tracks[twin.id].cars, strict=True)
            gaps = [min(math.dist((a.x, a.y), (b.x, b.y)) for b in layout.tracks[twin.id].cars) for a, _ in pairs]
            assert max(gaps) < 1.6 * layout.tracks[route.id].cars[0].width


@given(st.lists(st.tuples(*[st.floats(-3, 3)] * 2, st.floats(-1.5, 1.5), st.floats(1, 3)), min_size=2, max_size=6))
def test_overlapping_finds_what_a_fine_grid_finds(drawn: list[tuple[float, float, float, float]]) -> None:
    cars = [Car(x, y, angle, length, 0.9) for x, y, angle, length in drawn]
    found = set(overlapping(cars))

    for a, b in combinations(range(len(cars)), 2):
        # The grid misses overlaps finer than its mesh, so it may only find fewer.
        if share_area(cars[a], cars[b]) or share_area(cars[b], cars[a]):
            assert (a, b) in found
        grown = [Car(c.x, c.y, c.angle, 1.2 * c.length, 1.2 * c.width) for c in (cars[a], cars[b])]
        if (a, b) in found:
            assert share_area(*grown) or share_area(*grown[::-1])


@pytest.mark.parametrize("name", BUILT_IN)
def test_cars_look_like_cars(name: str) -> None:
    layout = lay_out(load(name))
    cars = all_cars(layout)

    assert {round(car.width, 6) for car in cars} == {round(cars[0].width, 6)}
    for car in cars:
        assert 1.5 < car.length / car.width < 3.2
        assert -math.pi / 2 < car.angle <= math.pi / 2


def test_labels_cover_no_dot_and_no_label(any_map: GameMap) -> None:
    layout = lay_out(any_map)

    for one, other in combinations(layout.labels, 2):
        left, bottom = max(one.box[0], other.box[0]), max(one.box[1], other.box[1])
        right, top = min(one.box[2], other.box[2]), min(one.box[3], other.box[3])
        assert left >= right or bottom >= top, (one.text, other.text)
    for label in layout.labels:
        for city in any_map.cities:
            x, y = np.clip(city.x, label.box[0], label.box[2]), np.clip(city.y, label.box[1], label.box[3])
            assert math.dist((x, y), (city.x, city.y)) > 0.9 * layout.city_radius, (label.text, city.name)


def test_a_fixed_label_stands_where_it_is_told(nordic: GameMap) -> None:
    for side, sign in {"W": -1, "E": 1}.items():
        cities = tuple(dataclasses.replace(city, label_at=side) for city in nordic.cities)
        for label in lay_out(dataclasses.replace(nordic, cities=cities)).labels:
            assert sign * (label.x - nordic.city(label.city).x) > 0


def test_tolls_say_their_toll_once_for_both_tracks(nederland: GameMap) -> None:
    tolls = lay_out(nederland).tolls

    assert len(tolls) == 53
    by_id = {route.id: route for route in nederland.routes}
    assert all(by_id[route].toll == int(token.text) for token in tolls for route in token.routes)
    assert sorted(route for token in tolls for route in token.routes) == sorted(by_id)


def test_swaps_are_told_by_the_route_not_by_its_name(nordic: GameMap) -> None:
    (token,) = lay_out(nordic).swaps
    assert (token.routes, token.text) == (("Lieksa-Murmansk/0",), "4:1")
    assert [token.text for token in lay_out(load("invented")).swaps] == ["4:1"]
    assert lay_out(load("usa")).swaps == ()


def test_border_points_point_outwards(switzerland: GameMap) -> None:
    exits = lay_out(switzerland).exits

    assert sorted(exits) == sorted(switzerland.border_points)
    assert {way.country for way in exits.values()} == {"Austria", "France", "Germany", "Italy"}
    assert math.sin(exits["Germany via Schaffhausen"].angle) > 0.5
    assert math.sin(exits["Italy via Lugano"].angle) < -0.5


def test_a_track_bows_around_a_city_in_its_way(nordic: GameMap) -> None:
    oslo, orebro = nordic.city("Oslo"), nordic.city("Örebro")
    between = ((oslo.x + orebro.x) / 2, (oslo.y + orebro.y) / 2)
    blocked = moved(nordic, Lillehammer=between)

    layout = lay_out(blocked)

    for track in (layout.tracks[route.id] for route in blocked.routes_between("Oslo", "Örebro")):
        for car in track.cars:
            assert math.dist((car.x, car.y), between) > layout.city_radius


def test_cities_upon_each_other_still_give_a_picture(nordic: GameMap) -> None:
    oslo = nordic.city("Oslo")
    layout = lay_out(moved(nordic, Göteborg=(oslo.x, oslo.y), Bergen=(oslo.x + 1e-6, oslo.y)))

    numbers = np.array([(car.x, car.y, car.angle, car.length, car.width) for car in all_cars(layout)])
    assert len(numbers) == 207
    assert np.isfinite(numbers).all()


def test_all_cities_in_one_place_still_give_a_picture(invented: GameMap) -> None:
    cities = tuple(dataclasses.replace(city, x=3.0, y=4.0) for city in invented.cities)

    layout = lay_out(dataclasses.replace(invented, cities=cities))

    assert np.isfinite([(car.x, car.y, car.length) for car in all_cars(layout)]).all()
    assert np.isfinite(layout.bounds).all()


def test_equal_maps_give_equal_pictures() -> None:
    lay_out.cache_clear()
    first = lay_out(load("nordic"))
    lay_out.cache_clear()
    assert lay_out(load("nordic")) == first


@settings(max_examples=60)
@given(
    st.tuples(*[st.floats(-50, 50)] * 4).filter(lambda p: math.dist(p[:2], p[2:]) > 1),
    st.floats(-0.4, 0.4),
    st.floats(-1, 1),
)
def test_sideways_keeps_its_distance(ends: tuple[float, float, float, float], bow: float, offset: float) -> None:
    start, end = np.array(ends[:2]), np.array(ends[2:])
    line = bezier(start, end, bow * math.dist(start, end))
    beside = sideways(line, 0.02 * offset * math.dist(start, end))

    gaps = np.hypot(*(beside - line).T)

    assert gaps == pytest.approx(abs(0.02 * offset) * math.dist(start, end), abs=1e-9)


def test_a_long_label_is_broken_and_nothing_of_it_lost(nordic: GameMap) -> None:
    long_name = "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch " * 2
    cities = list(nordic.cities)
    cities[0] = dataclasses.replace(cities[0], label=long_name.strip())

    label = lay_out(dataclasses.replace(nordic, cities=tuple(cities))).labels[0]

    assert "".join(label.text.split()) == "".join(long_name.split())
    assert max(map(len, label.text.split("\n"))) <= 30


def test_cities_are_values_of_the_cache_key(nordic: GameMap) -> None:
    shifted = tuple(City(c.name, c.label, c.lat, c.lon, c.x + 1000, c.y, c.country, c.label_at) for c in nordic.cities)
    assert lay_out(dataclasses.replace(nordic, cities=shifted)).bounds[0] > 900
