"""The board as SVG: well-formed, complete, small, and safe against names."""

from __future__ import annotations

import dataclasses
from xml.etree import ElementTree as ET

import pytest

from tests.fixtures import load, renamed
from ttr_analysis import GameMap
from ttr_analysis.viz.style import CARD_STYLES, PLAYER_COLORS
from ttr_analysis.viz.svg import live_sheet, map_svg

SVG = "{http://www.w3.org/2000/svg}"


def parse(game_map: GameMap) -> ET.Element:
    return ET.fromstring(map_svg(game_map))  # noqa: S314 - what is parsed was made here


def test_every_space_is_drawn_and_every_route_says_what_it_is(any_map: GameMap) -> None:
    routes = [group for group in parse(any_map).iter(f"{SVG}g") if group.find(f"{SVG}title") is not None]
    routes = [group for group in routes if group.get("class") != "ttr-city"]

    assert len(routes) == len(any_map.routes)
    for group, route in zip(routes, any_map.routes, strict=True):
        title = group.findtext(f"{SVG}title") or ""
        assert title.startswith(f"{route.cities[0]} – {route.cities[1]}, {route.length} {route.color}")
        assert ("tunnel" in title, "ferry" in title) == (route.tunnel, route.locomotives > 0)
        fill = CARD_STYLES[route.color].fill
        cars = next(path for path in group.iter(f"{SVG}path") if path.get("fill") == fill)
        assert (cars.get("d") or "").count("M") == route.length


def test_labels_name_every_city(any_map: GameMap) -> None:
    shown = " ".join(text.text or "" for text in parse(any_map).iter(f"{SVG}text"))
    for city in any_map.cities:
        if city.name not in any_map.border_points:
            assert all(word in shown for word in city.label.split())


def test_owned_routes_bear_the_number_of_their_seat(any_map: GameMap) -> None:
    one, two, *_ = any_map.routes
    svg = map_svg(any_map, {one.id: 1, two.id: "neutral"})

    titles = [title.text or "" for title in ET.fromstring(svg).iter(f"{SVG}title")]  # noqa: S314 - made here
    assert [title.rpartition(": ")[2] for title in titles if ": " in title] == ["P1", "neutral player"]
    assert f">{'1' * one.length}<" in svg
    assert f">{'N' * two.length}<" in svg


def test_it_is_small(any_map: GameMap) -> None:
    assert len(map_svg(any_map).encode()) < 300_000


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", "'\"><img src=x onerror=alert(1)>", "a & b", "]]>", "$x$"]
)
def test_names_stay_text(invented: GameMap, name: str) -> None:
    svg = parse(renamed(dataclasses.replace(invented, title=name), {invented.cities[0].name: name}))

    assert name in (svg.get("aria-label") or "")
    tags = {element.tag.removeprefix(SVG) for element in svg.iter()}
    assert tags == {"svg", "rect", "path", "g", "title", "circle", "text"}
    assert "".join(name.split()) in "".join("".join(text.text or "" for text in svg.iter(f"{SVG}text")).split())
    assert not any(key.startswith("on") for element in svg.iter() for key in element.keys())  # noqa: SIM118 - no mapping


def test_a_map_shows_itself_in_a_notebook(nordic: GameMap) -> None:
    assert nordic._repr_html_() == map_svg(nordic)


def test_stations_stand_in_their_cities_with_the_number_of_their_seat(europe: GameMap) -> None:
    picture = ET.fromstring(map_svg(europe, stations={"Wien": 2, "Paris": 0}))  # noqa: S314 - made here

    cities = [group for group in picture.iter(f"{SVG}g") if group.get("class") == "ttr-city"]
    houses = {group.findtext(f"{SVG}title"): group for group in cities if group.find(f"{SVG}text") is not None}
    assert houses.keys() == {"Paris: station of P0", "Wien: station of P2"}
    assert houses["Wien: station of P2"].findtext(f"{SVG}text") == "2"
    house = houses["Paris: station of P0"].find(f"{SVG}path")
    assert house is not None
    assert house.get("fill") == PLAYER_COLORS[0]


def test_a_board_that_is_alive_has_a_house_in_every_city_where_one_may_be_built() -> None:
    for name in ("europe", "usa", "invented"):
        game_map = load(name)
        n_houses = live_sheet(game_map)["svg"].count("class='ttr-station' data-owner=''")
        assert n_houses == (len(game_map.cities) if game_map.rules.stations.number else 0)
