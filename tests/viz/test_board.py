"""`plot_map`: what is drawn, seen on the artists."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from types import SimpleNamespace
from typing import TYPE_CHECKING

import matplotlib as mpl
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import Collection, PolyCollection
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.text import Text

from tests.fixtures import BUILT_IN, EVERY_MAP, load
from tests.viz.artists import draw, figure_of, legend, texts
from ttr_analysis import GameMap, UnknownNameError
from ttr_analysis.viz import plot_map
from ttr_analysis.viz.style import BOARD, CARD_STYLES, PLAYER_COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Bbox

CARD_RED = to_rgba(CARD_STYLES["red"].fill)
N_SPACES = {"nordic": 207, "switzerland": 205, "nederland": 306, "usa": 309, "europe": 300, "invented": 74}


def collection(ax: Axes, gid: str) -> Collection:
    (found,) = [c for c in ax.collections if c.get_gid() == gid]
    return found


def gids(ax: Axes) -> set[str]:
    return {gid for artist in ax.get_children() if (gid := artist.get_gid()) is not None}


def n_drawn(ax: Axes, gid: str) -> int:
    return sum(len(c.get_paths()) for c in ax.collections if c.get_gid() == gid)


@cache
def picture(game_map: GameMap) -> Axes:
    """Return a map drawn once, to be looked at and not changed."""
    return plot_map(game_map)


def labels(ax: Axes) -> list[Text]:
    return [text for text in ax.texts if text.get_gid() == "label"]


def drawn_colors(ax: Axes, gid: str) -> np.ndarray:
    return np.array(collection(ax, gid).get_facecolor(), dtype=float)


def faces(ax: Axes, game_map: GameMap, route: str) -> np.ndarray:
    """Return the colors of the cars of a route."""
    colors = drawn_colors(ax, "cars")
    first = 0
    for other in game_map.routes:
        if other.id == route:
            return colors[first : first + other.length]
        first += other.length
    raise AssertionError(route)


def drawn_boxes(ax: Axes) -> Iterator[tuple[str, Bbox]]:
    for text in labels(draw(ax)):
        yield text.get_text(), text.get_window_extent()


def test_cars_are_the_spaces_of_the_map(any_map: GameMap) -> None:
    ax = picture(any_map)

    assert n_drawn(ax, "cars") == N_SPACES[any_map.name] == sum(route.length for route in any_map.routes)
    assert n_drawn(ax, "tunnels") == sum(route.length for route in any_map.routes if route.tunnel)
    assert n_drawn(ax, "locomotives") == sum(route.locomotives for route in any_map.routes)
    assert n_drawn(ax, "cities") + n_drawn(ax, "exits") == len(any_map.cities)


def test_cars_have_the_color_of_their_route_and_its_symbol(any_map: GameMap) -> None:
    ax = picture(any_map)

    for route in any_map.routes:
        assert (faces(ax, any_map, route.id) == to_rgba(CARD_STYLES[route.color].fill)).all()
    colored = sum(route.length - route.locomotives for route in any_map.routes if route.color != "gray")
    assert n_drawn(ax, "symbols") == colored


def test_labels_name_every_city_and_country(any_map: GameMap) -> None:
    countries = [place.name for place in any_map.places if place.is_country for _ in place.cities]
    cities = [city.label for city in any_map.cities if city.name not in any_map.border_points]

    shown = [" ".join(text.get_text().split()) for text in labels(picture(any_map))]

    assert sorted(shown) == sorted([*cities, *countries])


def test_drawn_labels_cover_neither_each_other_nor_a_dot(any_map: GameMap) -> None:
    ax = picture(any_map)
    figure = figure_of(ax)
    before = figure.get_dpi()
    for dpi in (72, 200):
        figure.set_dpi(dpi)
        check_labels(ax)
    figure.set_dpi(before)


def check_labels(ax: Axes) -> None:
    """Check that the labels of a picture cover neither each other nor a dot."""
    boxes = list(drawn_boxes(ax))

    for (one, box), (other, box2) in combinations(boxes, 2):
        # The box of a text is as high as the tallest letter would be: a sliver of it is empty.
        shared = box.intersection(box, box2)
        assert shared is None or min(shared.width, shared.height) < 0.1 * box.height, (one, other)
    cities = collection(ax, "cities")
    assert isinstance(cities, PolyCollection)
    dots = [path.get_extents(ax.transData) for path in cities.get_paths()]
    for text, box in boxes:
        for dot in dots:
            shared = box.intersection(box, dot)
            assert shared is None or min(shared.width, shared.height) < 0.2 * dot.height, text


def test_everything_lies_within_the_axes(any_map: GameMap) -> None:
    ax = picture(any_map)

    for text, box in drawn_boxes(ax):
        frame = ax.get_window_extent()
        assert frame.x0 <= box.x0, text
        assert box.x1 <= frame.x1, text
        assert frame.y0 <= box.y0, text
        assert box.y1 <= frame.y1, text


def test_labels_grow_with_the_axes(nordic: GameMap) -> None:
    figure, (narrow, wide) = plt.subplots(1, 2, width_ratios=[1, 3], figsize=(12, 9))
    for ax in (narrow, wide):
        plot_map(nordic, ax)
    figure.draw_without_rendering()
    scale = wide.get_window_extent().width / narrow.get_window_extent().width

    sizes = [float(labels(ax)[0].get_fontsize()) for ax in (narrow, wide)]

    assert sizes[1] / sizes[0] == pytest.approx(scale, rel=1e-6)
    assert scale > 1.5


def test_it_draws_in_the_axes_given_and_nowhere_else(nordic: GameMap) -> None:
    figure, (left, right) = plt.subplots(1, 2)

    assert plot_map(nordic, right) is right
    assert not left.collections
    assert plt.get_fignums() == [figure.number]


def test_settings_of_matplotlib_are_left_alone(nordic: GameMap) -> None:
    before = mpl.rcParams.copy()
    plot_map(nordic, legend=True, values={"Oslo": 1})
    assert dict(mpl.rcParams) == dict(before)


# -- options ------------------------------------------------------------------------


def test_highlighted_routes_keep_their_color_and_the_others_fade(nordic: GameMap) -> None:
    ax = plot_map(nordic, highlight=["Bergen-Oslo/1", ("Lieksa", "Murmansk")])

    assert n_drawn(ax, "highlight") == 2
    red = to_rgba(CARD_STYLES["red"].fill)
    assert (faces(ax, nordic, "Bergen-Oslo/1") == red).all()
    assert not (faces(ax, nordic, "Norrköping-Stockholm/1") == red).all()
    assert ax.get_title() == "Nordic Countries: 2 routes highlighted"


@pytest.mark.parametrize(
    "routes",
    [
        pytest.param(lambda g: g.routes_between("Bergen", "Oslo"), id="routes"),
        pytest.param(lambda _: ["Bergen-Oslo/0", "Bergen-Oslo/1"], id="ids"),
        pytest.param(lambda _: [("oslo", "bergen")], id="a pair of cities"),
        pytest.param(lambda g: SimpleNamespace(routes=g.routes_between("Bergen", "Oslo")), id="a network"),
        pytest.param(lambda g: g.graph.edge_subgraph([("Bergen", "Oslo", 0), ("Bergen", "Oslo", 1)]), id="a graph"),
        pytest.param(lambda _: nx.Graph([("Oslo", "Bergen")]), id="a simple graph"),
    ],
)
def test_routes_may_be_named_in_every_way(nordic: GameMap, routes: object) -> None:
    named = routes(nordic)  # type: ignore[operator]
    ax = plot_map(nordic, highlight=named, closed=named, owned=named)

    assert n_drawn(ax, "highlight") == 2
    assert n_drawn(ax, "closed") == 2 * 8
    assert n_drawn(ax, "trains") == 8


def test_closed_routes_are_crossed_out_and_pale(nordic: GameMap) -> None:
    ax = plot_map(nordic, closed=[("Helsinki", "Stockholm")])

    assert n_drawn(ax, "closed") == 2 * 8
    assert (faces(ax, nordic, "Helsinki-Stockholm/1") != to_rgba(CARD_STYLES["yellow"].fill)).any(axis=1).all()
    assert (faces(ax, nordic, "Bergen-Oslo/0") == to_rgba(CARD_STYLES["blue"].fill)).all()


def test_owned_routes_bear_trains_in_the_color_of_their_player(nordic: GameMap) -> None:
    owned: dict[int | str, list[tuple[str, str]]] = {
        1: [("Oslo", "Bergen")],
        0: [("Lieksa", "Murmansk")],
        "Ada": [("Boden", "Tornio")],
    }
    ax = plot_map(nordic, owned=owned, legend=True)

    assert [tuple(color) for color in drawn_colors(ax, "trains")] == [
        *[to_rgba(PLAYER_COLORS[1])] * 8,
        *[to_rgba(PLAYER_COLORS[0])] * 9,
        to_rgba(PLAYER_COLORS[2]),
    ]
    assert legend(ax)[-3:] == ["seat 1", "seat 0", "Ada"]
    assert ax.get_title() == "Nordic Countries: 4 routes owned"


@pytest.mark.parametrize(
    ("names", "symbols"),
    [
        pytest.param(["P0: 98 points", "P1: 65 points", "P2: 70 points"], ["P0", "P1", "P2"], id="two characters"),
        pytest.param(["path 1", "path 2"], ["1", "2"], id="numbers, where names begin alike"),
        pytest.param(["Ida", "Bo"], ["I", "B"], id="one character"),
        pytest.param(["Ольга", "Bo"], ["1", "2"], id="numbers, where a font may lack a letter"),
        pytest.param(["anna", "aNton"], ["1", "2"], id="numbers, where only case differs"),
        pytest.param([0, "0th"], ["0", "0t"], id="one name is the beginning of another"),
        pytest.param([2, 0], ["2", "0"], id="seats"),
        pytest.param([""], ["1"], id="no name"),
    ],
)
def test_trains_of_players_are_told_apart_without_colors(
    nordic: GameMap, names: list[str | int], symbols: list[str]
) -> None:
    owned = {name: [route] for name, route in zip(names, nordic.routes, strict=False)}
    ax = plot_map(nordic, owned=owned, legend=True)

    explained = ax.get_legend()
    assert explained is not None
    assert [text.get_text() for text in explained.findobj(Text) if text.get_fontweight() == "bold"] == symbols
    upon = [artist for artist in ax.get_children() if artist.get_gid() == "train-symbols"]
    assert len(upon) == len(names)


def test_symbols_of_two_characters_lie_within_their_cars(any_map: GameMap) -> None:
    ax = plot_map(any_map, owned={"Mm": any_map.routes, "Ma": ()})

    trains = collection(ax, "trains").get_paths()
    (symbols,) = [artist for artist in ax.get_children() if artist.get_gid() == "train-symbols"]
    assert isinstance(symbols, PathPatch)
    letters = [Path(line) for line in symbols.get_path().to_polygons()]
    assert len(letters) == 2 * len(trains)
    for car, pair in zip(trains, zip(letters[::2], letters[1::2], strict=True), strict=True):
        assert all(car.contains_path(letter) for letter in pair)


def test_tickets_are_ringed_and_joined_with_their_points(nordic: GameMap) -> None:
    ax = plot_map(nordic, tickets=[("Murmansk", "København"), nordic.tickets[0]])

    assert texts(ax, "ticket-points") == ["24", str(nordic.tickets[0].points)]
    assert n_drawn(ax, "ticket-ends") == 4
    path = next(c for c in ax.collections if c.get_gid() == "ticket").get_paths()[0]
    arc = np.array(path.to_polygons(closed_only=False)[0])
    murmansk = nordic.city("Murmansk")
    assert np.hypot(*(arc[[0, -1]] - (murmansk.x, murmansk.y)).T).min() < 1e-9


def test_points_of_tickets_cover_no_name(any_map: GameMap) -> None:
    ax = draw(plot_map(any_map, tickets=any_map.tickets))  # boxes around text are placed as it is drawn

    badges = [text.get_bbox_patch() for text in ax.texts if text.get_gid() == "ticket-points"]
    boxes = [badge.get_window_extent() for badge in badges if badge is not None]
    assert len(boxes) >= len(any_map.tickets)
    names = [(label.get_text(), label.get_window_extent()) for label in labels(ax)]
    assert [(name, badge) for name, box in names for badge in boxes if box.overlaps(badge)] == []


def test_the_legend_names_tickets_in_colors_of_no_player(nordic: GameMap) -> None:
    tickets = ["Oslo-Vaasa", "Bergen-Narvik"]
    ax = plot_map(nordic, tickets=tickets, owned={0: ["Helsinki-Tallinn"], 2: ["Bergen-Oslo/0"]}, legend=True)

    assert {"ticket Oslo – Vaasa 9", "ticket Bergen – Narvik 16"} <= {*legend(ax)}
    colors = [tuple(np.array(c.get_edgecolor(), dtype=float)[0]) for c in ax.collections if c.get_gid() == "ticket"]
    assert len({*colors, to_rgba(PLAYER_COLORS[0]), to_rgba(PLAYER_COLORS[2])}) == 4
    assert "tickets, with their points" in legend(plot_map(nordic, tickets=nordic.tickets[:8], legend=True))


def test_what_else_pays_for_a_route_is_not_said_upon_trains(nordic: GameMap) -> None:
    free, taken = plot_map(nordic), plot_map(nordic, owned=["Murmansk-Lieksa"], legend=True)

    assert texts(free, "swap") == ["4:1"]
    assert texts(taken, "swap") == []
    assert "4:1" not in " ".join(legend(taken))


def test_a_country_ticket_is_joined_to_every_country_it_lists(switzerland: GameMap) -> None:
    ticket = next(t for t in switzerland.tickets if t.origin.name == "France")
    ax = plot_map(switzerland, tickets=[ticket])

    assert {*map(int, texts(ax, "ticket-points"))} == {points for _, points in ticket.destinations}


def test_routes_and_cities_bear_remarks(nordic: GameMap) -> None:
    route = nordic.route("Murmansk", "Lieksa")
    ax = plot_map(nordic, edge_labels={("Oslo", "Bergen"): 4, route: "x"}, city_labels={"Oslo": 0})

    remarks = {text.get_text(): text for text in ax.texts if text.get_gid() in {"edge-label", "city-label"}}
    assert set(remarks) == {"4", "x", "0"}
    city = nordic.city("Oslo")
    assert remarks["0"].get_position() == (city.x, city.y)
    ends = [(nordic.city(name).x, nordic.city(name).y) for name in route.cities]
    at = remarks["x"].get_position()
    assert math.dist(ends[0], at) + math.dist(at, ends[1]) < 1.3 * math.dist(*ends)
    with pytest.raises(UnknownNameError, match="Osli"):
        plot_map(nordic, city_labels={"Osli": 0})


def test_values_color_routes_and_cities_with_a_color_bar(nordic: GameMap) -> None:
    ax = plot_map(
        nordic,
        values={
            nordic.routes[0]: 1.0,
            ("Oslo", "Bergen"): 3.0,
            "Lieksa-Murmansk/0": 2.0,
            "Oslo": 3.0,
            "oulu": math.nan,
        },
        value_label="cars",
    )

    (bar,) = [other for other in figure_of(ax).axes if other is not ax]
    assert bar.get_ylabel() == "cars"
    assert bar.get_ylim() == (1.0, 3.0)
    low, high = to_rgba(mpl.colormaps["viridis"](0.0)), to_rgba(mpl.colormaps["viridis"](1.0))
    assert faces(ax, nordic, nordic.routes[0].id)[0] == pytest.approx(low, abs=0.01)
    assert faces(ax, nordic, "Bergen-Oslo/1")[0] == pytest.approx(high, abs=0.01)
    assert (faces(ax, nordic, "Boden-Tornio/0") == to_rgba(BOARD.no_value)).all()
    assert sum(tuple(color) != to_rgba(BOARD.city) for color in drawn_colors(ax, "cities")) == 2
    assert "symbols" not in gids(ax)


def test_values_of_cities_alone_leave_the_routes_their_colors_but_pale(nordic: GameMap) -> None:
    ax = plot_map(nordic, values={"Oslo": 1.0, "Bergen": 2.0})

    red, blue = (faces(ax, nordic, f"Bergen-Oslo/{track}")[0] for track in (1, 0))
    assert red[0] > red[2] > CARD_RED[2]
    assert blue[2] > blue[0]
    assert "symbols" in gids(ax)


def test_values_may_be_a_column_of_a_table(nordic: GameMap) -> None:
    lengths = pd.Series({route.id: route.length for route in nordic.routes})
    assert figure_of(plot_map(nordic, values=lengths)).axes[1].get_ylim() == (1, 9)


def test_a_saved_picture_holds_its_color_bar_whole(any_map: GameMap) -> None:
    with_legend = EVERY_MAP.index(any_map.name) % 2 > 0
    values = {route.id: rank / 7000 for rank, route in enumerate(any_map.routes)}
    ax = plot_map(any_map, values=values, value_label="share of shortest paths", legend=with_legend)
    figure = figure_of(ax)

    used, (width, height) = figure.get_tightbbox(), figure.get_size_inches()

    assert 0 <= used.x0 < used.x1 <= width
    assert 0 <= used.y0 < used.y1 <= height
    bar = figure.axes[1]
    low, high = bar.get_ylim()
    ticks = [float(tick) for tick in bar.get_yticks() if low <= tick <= high]
    told = [bar.yaxis.get_major_formatter()(tick) for tick in ticks]
    assert len(set(told)) == len(told) > 2
    # The board is as large as without one.
    plain = picture(any_map).get_window_extent()
    assert ax.get_window_extent().size == pytest.approx(plain.size)


def test_a_color_bar_beside_axes_that_are_given_leaves_the_figure_alone(nordic: GameMap) -> None:
    figure, ax = plt.subplots(figsize=(6, 5))
    plot_map(nordic, ax, values={"Oslo": 1.0, "Bergen": 2.0}, value_label="cars")

    assert tuple(figure.get_size_inches()) == (6, 5)
    bar = figure.axes[1]
    assert bar.get_ylabel() == "cars"
    assert bar.get_position().x0 > ax.get_position().x1


@pytest.mark.parametrize("values", [{}, {"Oslo": math.nan}, {"Oslo": math.inf, "Bergen": 1.0}, {"Oslo": 5.0}])
def test_odd_values_are_drawn_all_the_same(nordic: GameMap, values: dict[str, float]) -> None:
    draw(plot_map(nordic, values=values))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"highlight": [("Oslo", "Bergn")]}, "Bergen"),
        ({"closed": ["Bergen-Oslo/7"]}, "Bergen-Oslo/"),
        ({"owned": {0: [("Oslo", "Narvik")]}}, "Oslo"),
        ({"tickets": ["Nowhere"]}, "Nowhere"),
        ({"values": {"Oslp": 1.0}}, "Oslo"),
    ],
)
def test_a_wrong_name_is_answered_with_the_nearest(nordic: GameMap, options: dict[str, object], message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        plot_map(nordic, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, 2, 3], r"values: expected a dict or a pandas Series of numbers by route or city, got \[1, 2, 3\]"),
        (list(range(1000)), r"values: .* got \[0, 1, 2, .* …$"),
        (7.0, r"values: .* got 7.0$"),
        ({"Oslo": "a"}, "values: expected a number for Oslo, got 'a'"),
        ({("Oslo", "Bergen"): None}, "values: expected a number for Bergen-Oslo/0, got None"),
        ({"Oslo": 1.0, "Lieksa-Murmansk/0": [2.0]}, r"values: expected a number for Lieksa-Murmansk/0, got \[2.0\]"),
    ],
)
def test_values_that_are_no_numbers_are_refused_by_name(nordic: GameMap, values: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        plot_map(nordic, values=values)  # type: ignore[arg-type]


def test_the_legend_explains_what_occurs(any_map: GameMap) -> None:
    shown = " ".join(legend(plot_map(any_map, legend=True, highlight=any_map.routes[:1])))

    assert ("tunnel" in shown) == any(route.tunnel for route in any_map.routes)
    assert ("ferry" in shown) == any(route.locomotives for route in any_map.routes)
    assert ("toll" in shown) == any(route.toll for route in any_map.routes)
    assert ("4:1" in shown) == any(route.swap_size == 4 for route in any_map.routes)
    assert "highlighted" in shown


# -- names from strangers --------------------------------------------------------------


HOSTILE = ("$x^2$", r"$\frac{1}{0}", "<script>alert(1)</script>", "{0} %s \\n", "X" * 100, "a b " * 20, "ß€ Ω ≠")


def test_names_are_shown_as_they_are(nordic: GameMap) -> None:
    named = [dataclasses.replace(city, label=name) for city, name in zip(nordic.cities, HOSTILE, strict=False)]
    title = " ".join(HOSTILE)
    hostile = dataclasses.replace(nordic, title=title, cities=(*named, *nordic.cities[len(named) :]))
    owned = {name: [route] for name, route in zip(HOSTILE, nordic.routes, strict=False)}

    ax = draw(plot_map(hostile, owned=owned, values={"Oslo": 1.0}, value_label=title, legend=True))

    shown = ["".join(label.get_text().split()) for label in labels(ax)]
    assert shown[: len(HOSTILE)] == ["".join(name.split()) for name in HOSTILE]
    assert ax.get_title().startswith(title)
    shown_texts = [*ax.texts, ax.title, figure_of(ax).axes[1].yaxis.label, *ax.get_legend().get_texts()]  # type: ignore[union-attr]
    assert not any(text.get_parse_math() for text in shown_texts)


def test_a_map_without_background_or_positions_of_its_own_is_drawn() -> None:
    ax = plot_map(load("invented"), legend=True)

    assert "land" not in gids(ax)
    assert {"cars", "tunnels", "locomotives", "tolls", "swap", "exits"} <= gids(ax)


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_maps_lie_on_land(name: str) -> None:
    assert {"land", "home", "borders", "lakes"} <= gids(picture(load(name)))


def test_stations_stand_in_their_cities_in_the_color_of_their_player(europe: GameMap) -> None:
    ax = plot_map(europe, owned={"Ida": [("Paris", "Zürich")]}, stations={"wien": "Bo", "Paris": "Ida"}, legend=True)

    colors = [to_rgba(color) for color in (PLAYER_COLORS[1], PLAYER_COLORS[0])]
    houses = [artist for artist in ax.collections if artist.get_gid() == "stations"]
    for house, name, color in zip(houses, ("Wien", "Paris"), colors, strict=True):
        assert house.get_paths()[0].contains_point((europe.city(name).x, europe.city(name).y))
        assert tuple(np.array(house.get_facecolor())[0]) == color
    assert {"Ida", "Bo", "station"} <= {*legend(ax)}
    assert ax.get_title() == "Europe: 1 route owned, 2 stations"
    with pytest.raises(UnknownNameError, match="Wein"):
        plot_map(europe, stations={"Wein": 0})


# -- pictures for print --------------------------------------------------------------------------------------------


def names(ax: Axes) -> list[Text]:
    """Return the names of cities, drawn."""
    return [child for child in draw(ax).get_children() if isinstance(child, Text) and child.get_gid() == "label"]


@pytest.mark.parametrize(("name", "layout"), [("usa", "none"), ("nordic", "constrained"), ("europe", "tight")])
def test_names_have_the_size_that_is_asked_for_in_a_narrow_column(name: str, layout: str) -> None:
    game_map = load(name)
    _, ax = plt.subplots(figsize=(3.4, 2.6), layout=layout)
    written = names(plot_map(game_map, ax, font_size=6))
    assert {round(float(text.get_fontsize()), 1) for text in written} == {6.0}
    assert len(game_map.cities) / 3 < len(written) <= len(game_map.cities)
    boxes = [text.get_window_extent() for text in written]
    assert sum(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i]) <= 3  # widths are estimated


def test_names_follow_the_font_size_of_matplotlib() -> None:
    with plt.rc_context({"font.size": 8}):
        _, ax = plt.subplots(figsize=(3.4, 2.6))
        assert {round(float(text.get_fontsize()), 1) for text in names(plot_map(load("usa"), ax))} == {6.0}


@pytest.mark.parametrize("wrong", [0, -1, math.nan])
def test_a_font_size_that_is_none_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="font_size must be a number above 0"):
        plot_map(load("nordic"), font_size=wrong)


def test_a_legend_is_readable_on_a_dark_background(nordic: GameMap) -> None:
    with plt.style.context("dark_background"):
        ax = plot_map(nordic, tickets=nordic.tickets[:12], legend=True)
        explained = ax.get_legend()
        assert explained is not None
        ground = to_rgb(explained.get_frame().get_facecolor())
        inks = [*(text.get_color() for text in explained.get_texts()), explained.get_lines()[-1].get_color()]
        assert all(abs(sum(to_rgb(str(ink))) - sum(ground)) > 1.5 for ink in inks)
