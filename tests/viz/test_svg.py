"""Boards as SVG: the numbers of the layout that `plot_map` draws too, in whole numbers."""

from __future__ import annotations

import json
import math
import re
import xml.etree.ElementTree as ET
from itertools import accumulate

import numpy as np
import pytest

from tests.viz.test_style import contrast
from ttr_analysis import GameMap
from ttr_analysis.viz import plot_map
from ttr_analysis.viz.geometry import frame, lay_out, saw, train
from ttr_analysis.viz.style import BOARD, CARD_STYLES, NEUTRAL_COLOR, PLAYER_COLORS, ink_upon
from ttr_analysis.viz.svg import SCALE, drawing, live_sheet, map_svg


def read_path(path: str) -> list[list[tuple[float, float]]]:
    """Return the points of a path in board units, line by line."""
    lines = []
    for part in re.findall(r"M([^M]*)", path):
        start, _, steps = part.rstrip("z").partition("l")
        numbers = [int(number) for number in re.findall(r"-?\d+", f"{start} {steps}")]
        points = list(
            accumulate(zip(numbers[::2], numbers[1::2], strict=True), lambda a, b: (a[0] + b[0], a[1] + b[1]))
        )
        lines.append([(x / SCALE, -y / SCALE) for x, y in points])
    return lines


SVG = "{http://www.w3.org/2000/svg}"


def group(picture: str, name: str) -> list[ET.Element]:
    """Return the parts of a layer of a board."""
    (layer,) = (part for part in ET.fromstring(picture).iter(f"{SVG}g") if part.get("class") == f"ttr-{name}")  # noqa: S314 - our own
    return list(layer)


def arcs(game_map: GameMap) -> dict[str, list[tuple[tuple[float, float], float, str, int]]]:
    """Return where each ticket has its points, with the radius around them, the curve, and how many they are."""
    found = {}
    for ticket in group(live_sheet(game_map)["svg"], "tickets"):
        disks = [disk for disk in ticket.iter(f"{SVG}circle") if disk.get("class") == "ttr-points"]
        curves = [str(arc.get("d")) for arc in ticket.iter(f"{SVG}path") if arc.get("class") == "ttr-arc"]
        points = [int(text.text or "") for text in ticket.iter(f"{SVG}text")]
        found[str(ticket.get("data-ticket"))] = [
            (
                (float(disk.get("cx", "")) / SCALE, -float(disk.get("cy", "")) / SCALE),
                float(disk.get("r", "")) / SCALE,
                curve,
                n,
            )
            for disk, curve, n in zip(disks, curves, points, strict=True)
        ]
    return found


def test_cars_and_trains_lie_where_the_layout_has_them(any_map: GameMap) -> None:
    layout, board = lay_out(any_map), drawing(any_map)

    assert list(board.routes) == [route.id for route in any_map.routes]
    for route, drawn in zip(any_map.routes, board.routes.values(), strict=True):
        cars = layout.tracks[route.id].cars
        rounding = 0.51 / SCALE
        for car, x_y in zip(cars, drawn.spots, strict=True):
            assert x_y == pytest.approx((SCALE * car.x, -SCALE * car.y), abs=0.51)
        for shapes, lines in (
            ([car.corners() for car in cars], drawn.cars),
            ([train(car) for car in cars], drawn.trains),
        ):
            for shape, line in zip(shapes, read_path(lines), strict=True):
                assert np.array(line) == pytest.approx(np.array(shape), abs=rounding)
        rocks = read_path(drawn.rock)
        assert len(rocks) == (len(cars) if route.tunnel else 0)
        for car, line in zip(cars, rocks, strict=False):
            assert np.array(line)[0] == pytest.approx(np.array(saw(car, layout.unit))[0], abs=rounding)
        assert len(read_path(drawn.locomotives)) == len(read_path(drawn.plates)) == route.locomotives
        assert len(drawn.spots) == route.length


def test_cities_labels_and_tokens_lie_where_the_layout_has_them(any_map: GameMap) -> None:
    layout, sheet = lay_out(any_map), live_sheet(any_map)

    left, bottom, right, top = (SCALE * edge for edge in frame(layout))
    assert sheet["view"] == pytest.approx((left, -top, right - left, top - bottom), abs=1)
    for city, drawn in zip(any_map.cities, group(sheet["svg"], "cities"), strict=True):
        assert drawn.get("data-city") == city.name
        dot = drawn.find(f"{SVG}circle")
        assert (dot is None) == (city.name in any_map.border_points)
        if dot is not None:
            at = float(dot.get("cx", "nan")), float(dot.get("cy", "nan"))
            assert at == pytest.approx((SCALE * city.x, -SCALE * city.y), abs=0.51)
    lines = iter(group(sheet["svg"], "labels"))
    for label in layout.labels:
        shown = [next(lines) for _ in label.text.split("\n")]
        assert "\n".join(line.text or "" for line in shown) == label.text
        first, last = (-float(line.get("y", "nan")) for line in (shown[0], shown[-1]))
        assert SCALE * label.box[1] <= last <= first <= SCALE * label.box[3]
    assert next(lines, None) is None
    tokens = [
        text
        for token in group(sheet["svg"], "tokens")
        for text in ([token] if token.text else token.iter(f"{SVG}text"))
    ]
    assert [token.text for token in tokens] == [token.text for token in (*layout.tolls, *layout.swaps)]
    swaps = [json.loads(routes) for token in group(sheet["svg"], "tokens") if (routes := token.get("data-routes"))]
    assert swaps == [list(token.routes) for token in layout.swaps]


def test_a_ticket_joins_cities_of_its_places(any_map: GameMap) -> None:
    position = {(round(SCALE * city.x), round(-SCALE * city.y)): city.name for city in any_map.cities}

    assert list(arcs(any_map)) == [ticket.id for ticket in any_map.tickets]
    for ticket, drawn in zip(any_map.tickets, arcs(any_map).values(), strict=True):
        for (place, points), (spot, _, path, shown) in zip(ticket.destinations, drawn, strict=True):
            assert shown == points
            # The points are written upon the curve, which joins the cities.
            start, control, end = np.array([int(number) for number in re.findall(r"-?\d+", path)]).reshape(3, 2)
            assert position[tuple(start)] in ticket.origin.cities
            assert position[tuple(end)] in place.cities
            t = np.linspace(0.2, 0.8, 3001)[:, None]
            curve = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end
            assert np.hypot(*(curve - (SCALE * spot[0], -SCALE * spot[1])).T).min() < 2


def test_the_points_of_a_ticket_cover_no_name_and_no_city(any_map: GameMap) -> None:
    for ticket, drawn in arcs(any_map).items():
        for (x, y), radius, _, _ in drawn:
            for label in lay_out(any_map).labels:
                left, bottom, right, top = label.box
                away = math.hypot(max(left - x, 0, x - right), max(bottom - y, 0, y - top))
                assert away > 0.98 * radius, (ticket, label.city)
            for city in any_map.cities:
                assert math.dist((x, y), (city.x, city.y)) > radius, (ticket, city.name)


def test_all_pictures_have_the_points_of_a_ticket_in_one_place(any_map: GameMap) -> None:
    ticket = max(any_map.tickets, key=lambda ticket: len(ticket.destinations))
    ax = plot_map(any_map, tickets=[ticket])

    spots = [text.get_position() for text in ax.texts if text.get_gid() == "ticket-points"]
    assert np.array(spots) == pytest.approx(np.array([spot for spot, *_ in arcs(any_map)[ticket.id]]), abs=0.006)


def test_colors_are_those_of_the_pictures(any_map: GameMap) -> None:
    sheet = live_sheet(any_map)

    assert {name: look["fill"] for name, look in sheet["cards"].items()} == {n: s.fill for n, s in CARD_STYLES.items()}
    assert BOARD.glow in map_svg(any_map, highlight=any_map.routes[:1])


def test_it_is_small_and_plain(any_map: GameMap) -> None:
    text = json.dumps(live_sheet(any_map), ensure_ascii=False, separators=(",", ":"))

    assert len(text.encode()) < 260_000
    assert len(any_map.routes) == len(json.loads(text)["routes"])


@pytest.mark.parametrize("color", [*PLAYER_COLORS, NEUTRAL_COLOR])
def test_numbers_upon_trains_are_read_well(color: str) -> None:
    assert contrast(color, ink_upon(color)) >= 4.5


def test_few_names_are_those_of_what_stands_out_and_larger(any_map: GameMap) -> None:
    route = any_map.routes[0]
    usual, few = (
        map_svg(any_map, highlight=[route], few_names=is_few).split("ttr-labels")[1] for is_few in (False, True)
    )
    size, larger = (int(re.findall(r"font-size='(\d+)'", names)[0]) for names in (usual, few))

    assert larger > 2 * size
    labels = {any_map.city(city).label for city in route.cities}
    named = {label for label in {city.label for city in any_map.cities} if f">{label}<" in few}
    assert named
    assert named <= labels
    assert usual.count("<text") > few.count("<text")


def test_players_are_named_where_their_trains_are_described_and_nowhere_else(nordic: GameMap) -> None:
    board = map_svg(nordic, {"Bergen-Oslo/0": 1}, players=["P1", "<b>"])

    assert "Bergen-Oslo" not in board
    assert board.count(": &lt;b&gt;</title>") == 1
    assert "<b>" not in board


def test_what_else_pays_for_a_route_is_not_said_upon_trains(nordic: GameMap) -> None:
    assert ">4:1<" in map_svg(nordic)
    assert ">4:1<" not in map_svg(nordic, {"Lieksa-Murmansk/0": 0})
