"""The sheet of a board: the same numbers as the layout that `plot_map` draws, in whole numbers and as text for SVG."""

from __future__ import annotations

import json
import math
import re
from itertools import accumulate

import numpy as np
import pytest

from ttr_analysis import GameMap
from ttr_analysis.viz import plot_map
from ttr_analysis.viz.geometry import frame, lay_out, saw, train
from ttr_analysis.viz.sheet import NUMBER_SIZE, SCALE, board_sheet
from ttr_analysis.viz.style import BOARD, CARD_STYLES, NEUTRAL_COLOR, PLAYER_COLORS, PLAYER_DASHES, ink_upon
from ttr_analysis.viz.svg import map_svg


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


def test_cars_and_trains_lie_where_the_layout_has_them(any_map: GameMap) -> None:
    layout, sheet = lay_out(any_map), board_sheet(any_map)

    assert [route["id"] for route in sheet["routes"]] == [route.id for route in any_map.routes]
    for route, drawn in zip(any_map.routes, sheet["routes"], strict=True):
        cars = layout.tracks[route.id].cars
        rounding = 0.51 / SCALE
        for car, x_y in zip(cars, drawn["spots"], strict=True):
            assert x_y == pytest.approx((SCALE * car.x, -SCALE * car.y), abs=0.51)
        for shapes, name in (([car.corners() for car in cars], "cars"), ([train(car) for car in cars], "trains")):
            for shape, line in zip(shapes, read_path(drawn[name]), strict=True):  # type: ignore[literal-required]
                assert np.array(line) == pytest.approx(np.array(shape), abs=rounding)
        rocks = read_path(drawn["rock"])
        assert len(rocks) == (len(cars) if route.tunnel else 0)
        for car, line in zip(cars, rocks, strict=False):
            assert np.array(line)[0] == pytest.approx(np.array(saw(car, layout.unit))[0], abs=rounding)
        assert len(read_path(drawn["locomotives"])) == len(read_path(drawn["plates"])) == route.locomotives
        assert drawn["length"] == len(drawn["spots"]) == route.length


def test_cities_labels_and_tokens_lie_where_the_layout_has_them(any_map: GameMap) -> None:
    layout, sheet = lay_out(any_map), board_sheet(any_map)

    left, bottom, right, top = (SCALE * edge for edge in frame(layout))
    assert sheet["view"] == pytest.approx((left, -top, right - left, top - bottom), abs=1)
    for city, drawn in zip(any_map.cities, sheet["cities"], strict=True):
        assert (drawn["name"], bool(drawn["arrow"])) == (city.name, city.name in any_map.border_points)
        assert (drawn["x"], drawn["y"]) == pytest.approx((SCALE * city.x, -SCALE * city.y), abs=0.51)
    for label, shown in zip(layout.labels, sheet["labels"], strict=True):
        assert [text for _, text in shown["lines"]] == label.text.split("\n")
        assert SCALE * label.box[1] <= -shown["lines"][-1][0] <= -shown["lines"][0][0] <= SCALE * label.box[3]
    tokens = [*layout.tolls, *layout.swaps]
    assert [(token["text"], token["routes"]) for token in sheet["tokens"]] == [(t.text, t.routes) for t in tokens]


def test_a_ticket_joins_cities_of_its_places(any_map: GameMap) -> None:
    sheet = board_sheet(any_map)

    for ticket, drawn in zip(any_map.tickets, sheet["tickets"], strict=True):
        assert drawn["id"] == ticket.id
        for (place, points), arc in zip(ticket.destinations, drawn["arcs"], strict=True):
            assert arc["points"] == points
            assert arc["cities"][0] in ticket.origin.cities
            assert arc["cities"][1] in place.cities
            # The points are written upon the curve, which joins the cities.
            numbers = [int(number) for number in re.findall(r"-?\d+", arc["path"])]
            start, control, end = np.array(numbers).reshape(3, 2)
            ends = [any_map.city(city) for city in arc["cities"]]
            assert [*start, *end] == pytest.approx([SCALE * n for c in ends for n in (c.x, -c.y)], abs=0.51)
            t = np.linspace(0.2, 0.8, 3001)[:, None]
            curve = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end
            assert np.hypot(*(curve - (arc["x"], arc["y"])).T).min() < 2


def test_the_points_of_a_ticket_cover_no_name_and_no_city(any_map: GameMap) -> None:
    layout = lay_out(any_map)
    radius = NUMBER_SIZE * layout.label_size

    for ticket in board_sheet(any_map)["tickets"]:
        for arc in ticket["arcs"]:
            x, y = arc["x"] / SCALE, -arc["y"] / SCALE
            for label in layout.labels:
                left, bottom, right, top = label.box
                away = math.hypot(max(left - x, 0, x - right), max(bottom - y, 0, y - top))
                assert away > 0.98 * radius, (ticket["words"], label.city)
            for city in any_map.cities:
                assert math.dist((x, y), (city.x, city.y)) > radius, (ticket["words"], city.name)


def test_pictures_and_sheets_have_the_points_of_a_ticket_in_one_place(any_map: GameMap) -> None:
    ticket = max(any_map.tickets, key=lambda ticket: len(ticket.destinations))
    ax = plot_map(any_map, tickets=[ticket])

    spots = [text.get_position() for text in ax.texts if text.get_gid() == "ticket-points"]
    (drawn,) = [one for one in board_sheet(any_map)["tickets"] if one["id"] == ticket.id]
    assert np.array(spots) == pytest.approx(np.array([(a["x"], -a["y"]) for a in drawn["arcs"]]) / SCALE, abs=0.006)


def test_colors_are_those_of_the_pictures(any_map: GameMap) -> None:
    sheet = board_sheet(any_map)

    assert {name: look["fill"] for name, look in sheet["cards"].items()} == {n: s.fill for n, s in CARD_STYLES.items()}
    assert [player["color"] for player in sheet["players"]] == list(PLAYER_COLORS)
    assert [player["dashes"] for player in sheet["players"][:5]] == list(PLAYER_DASHES)
    assert sheet["neutral"]["color"] == NEUTRAL_COLOR
    assert sheet["colors"]["glow"] == BOARD.glow


def test_it_is_small_and_plain(any_map: GameMap) -> None:
    text = json.dumps(board_sheet(any_map), ensure_ascii=False, separators=(",", ":"))

    assert len(text.encode()) < 140_000
    assert len(any_map.routes) == len(json.loads(text)["routes"])


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colors as WCAG 2 defines it."""

    def luminance(color: str) -> float:
        shares = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
        return sum(weight * share for weight, share in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("color", [*PLAYER_COLORS, NEUTRAL_COLOR])
def test_numbers_upon_trains_are_read_well(color: str) -> None:
    assert contrast(color, ink_upon(color)) >= 4.5


def test_what_else_pays_for_a_route_is_not_said_upon_trains(nordic: GameMap) -> None:
    assert ">4:1<" in map_svg(nordic)
    assert ">4:1<" not in map_svg(nordic, {"Lieksa-Murmansk/0": 0})
