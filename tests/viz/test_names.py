"""Names that the package prints are names that it reads."""

from __future__ import annotations

import networkx as nx
import pytest

import ttr_analysis as ttr
from tests.fixtures import EVERY_MAP, load
from ttr_analysis import GameMap, load_map
from ttr_analysis._words import isolate
from ttr_analysis.maps import names as naming
from ttr_analysis.notation.lexer import names_of
from ttr_analysis.report.context import route_name, ticket_name
from ttr_analysis.report.page import plain
from ttr_analysis.viz.geometry import lay_out
from ttr_analysis.viz.scene import read_scene
from ttr_analysis.widgets.explorer import route_names, ticket_facts


def test_every_printed_name_of_a_city_is_read(any_map: GameMap) -> None:
    labels = {label.city: label.text.replace("\n", " ") for label in lay_out(any_map).labels}

    for city in any_map.cities:
        for text in (city.name, city.label, isolate(city.name), city.name.upper(), city.name.replace("-", "–")):
            assert any_map.city(text) is city
        assert any_map.city(city) is city
        if city.name not in any_map.border_points:  # whose labels are the names of countries
            assert any_map.city(labels[city.name]) is city
    for place in any_map.places:
        assert any_map.place(str(place)) is place


def test_every_printed_name_of_a_route_is_read(any_map: GameMap) -> None:
    listed = route_names(any_map)

    for route in any_map.routes:
        a, b = route.cities
        tracks = any_map.routes_between(a, b)
        for text in (naming.name_route(route), naming.describe_route(route), str(route)):
            assert route in any_map.resolve_routes([text])
            assert set(any_map.resolve_routes([text])) <= set(tracks)
        for text in (route.id, f"{b}–{a}/{route.track}", f"{route} track {route.track}", listed[route.id]):
            assert any_map.resolve_routes([text]) == (route,)
        for text in (plain(route_name(route)), f"{a} – {b}", f"{b} {a}", f"{a} to {b}", f"{a}-{b}".upper()):
            assert set(any_map.resolve_routes([text])) == set(tracks)
        if len({track.color for track in tracks}) == len(tracks):
            assert any_map.route(str(route)) is any_map.route(a, b, color=route.color) is route


def test_every_printed_name_of_a_ticket_is_read(any_map: GameMap) -> None:
    listed = {facts["id"]: facts["name"] for facts in ticket_facts(any_map)}

    for ticket in any_map.tickets:
        first = next(t for t in any_map.tickets if (t.origin, t.destinations) == (ticket.origin, ticket.destinations))
        for text in (naming.name_ticket(ticket), str(ticket), plain(ticket_name(ticket))):
            assert any_map.ticket(text) is first
        for text in (ticket.id, ticket.id.replace("-", " – "), ticket.id.casefold()):
            assert any_map.ticket(text) is ticket
        copies = sum(t.destinations == ticket.destinations and t.origin == ticket.origin for t in any_map.tickets)
        assert any_map.ticket(listed[ticket.id]) is (ticket if copies > 1 else first)
        if len(ticket.destinations) == 1:
            place = ticket.destinations[0][0]
            for text in (f"{place}–{ticket.origin}", f"{ticket.origin} {place}", f"{place} to {ticket.origin}"):
                assert any_map.ticket(text) is first


def test_edges_of_the_graph_are_names(any_map: GameMap) -> None:
    values: dict[tuple[str, str, int], float] = nx.edge_betweenness_centrality(any_map.graph)  # type: ignore[assignment] # of a multigraph

    found = read_scene(any_map, values=values).values

    assert found is not None
    assert set(found) == {route.id for route in any_map.routes}
    for (a, b, track), value in values.items():
        assert found[any_map.route((a, b, track)).id] == value
    assert read_scene(any_map, values=dict.fromkeys(nx.Graph(any_map.graph).edges, 1.0)).values == dict.fromkeys(
        found, 1
    )


def test_graphs_and_edges_with_data_name_routes(any_map: GameMap) -> None:
    tree: nx.MultiGraph[str] = nx.minimum_spanning_tree(any_map.graph, weight="length")  # type: ignore[assignment] # of a multigraph
    with_data = list(tree.edges(data=True))
    meant = any_map.resolve_routes([data["id"] for *_, data in with_data])

    # One track alone is edge 0 of a graph that someone else makes of it: its data tell which it is.
    made: nx.MultiGraph[str] = nx.MultiGraph(with_data)
    for named in (tree, made, with_data, tree.edges(keys=True, data=True), iter(tree.edges)):
        assert any_map.resolve_routes(named) == meant
    trail = ttr.paths.longest_trail(any_map, tree)
    assert trail == ttr.paths.longest_trail(any_map, meant)
    assert any_map.resolve_routes(any_map.simple_graph) == any_map.routes
    assert any_map.resolve_routes(any_map.simple_graph.edges(data=True)) == any_map.routes


def test_cities_in_a_row_are_told_how_to_name_the_routes_between_them(nordic: GameMap) -> None:
    way = nx.shortest_path(nordic.graph, "Oslo", "Narvik")
    told = (
        r"no route 'Oslo': it is a city; .*\[\('Oslo', 'Lillehammer'\)\].* zip\(path, path\[1:\]\) or nx.utils.pairwise"
    )
    for ask in (
        lambda: nordic.resolve_routes(way),
        lambda: nordic.resolve_routes([nordic.city(name) for name in way]),  # type: ignore[misc]
        lambda: nordic.resolve_routes([way]),  # type: ignore[list-item]
        lambda: read_scene(nordic, highlight=way),
        lambda: ttr.paths.longest_trail(nordic, way),
        lambda: ttr.paths.shortest_path(nordic, "Oslo", "Bergen", closed=way),
    ):
        with pytest.raises(LookupError, match=told):
            ask()

    along = {frozenset(route.cities) for route in nordic.resolve_routes(nx.utils.pairwise(way))}
    assert along == {frozenset(pair) for pair in nx.utils.pairwise(way)}
    # A city alone may be the beginning of a name.
    with pytest.raises(LookupError, match="no route 'Oslo'; did you mean Oslo-"):
        nordic.resolve_routes("Oslo")
    with pytest.raises(TypeError, match="expected routes, or names for them, got 5"):
        nordic.resolve_routes(5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("map_name", "text", "city"),
    [
        ("usa", "St. Louis", "Saint Louis"),
        ("usa", "st louis", "Saint Louis"),
        ("usa", "Sault St. Marie", "Sault Ste. Marie"),
        ("usa", "Sault St Marie", "Sault Ste. Marie"),
        ("usa", "Sault Sainte Marie", "Sault Ste. Marie"),
        ("usa", "Montreal", "Montréal"),
        ("switzerland", "Sankt Gallen", "St. Gallen"),
        ("switzerland", "La Chaux de Fonds", "La Chaux-de-Fonds"),
        ("nederland", "s Gravenhage", "'s-Gravenhage"),
    ],
)
def test_other_spellings_are_read(map_name: str, text: str, city: str) -> None:
    game_map = load(map_name)
    assert game_map.city(text).name == city
    for route in game_map.routes:
        if city in route.cities:
            other = route.other_end(city)
            assert set(game_map.resolve_routes([f"{text} - {other}"])) == set(game_map.routes_between(city, other))
            tracks = names_of(game_map).routes.thing(f"{other} – {text}")
            assert set(tracks) == set(game_map.routes_between(city, other))


@pytest.mark.parametrize("name", EVERY_MAP)
def test_no_two_things_of_a_map_have_one_name(name: str) -> None:
    game_map = load(name)
    assert {game_map.city(city.name.casefold()).name for city in game_map.cities} == {c.name for c in game_map.cities}
    assert len({any_route.id for route in game_map.routes for any_route in game_map.resolve_routes([route.id])}) == len(
        game_map.routes
    )


def test_a_map_is_known_by_its_name_wherever_one_is_taken(nordic: GameMap) -> None:
    assert load_map("Nordic") == load_map("Nordic Countries") == nordic
    assert ttr.paths.shortest_path("nordic", "Oslo", "Bergen") == ttr.paths.shortest_path(nordic, "Oslo", "Bergen")
    assert ttr.tickets.cheapest_network("nordic", ["Oslo – Vaasa 9"]).length == 9
    assert ttr.Game("nederland", variant="no_tolls").game_map.rules.variant == "no_tolls"
    assert len(ttr.structure.city_table("usa")) == 36
    with pytest.raises(LookupError, match="no map or map folder 'nordik'; did you mean nordic"):
        ttr.tickets.best_pairs("nordik")
    with pytest.raises(TypeError, match="expected a map, or the name of one, got 7"):
        ttr.tickets.best_pairs(7)  # type: ignore[arg-type]


def test_a_wrong_name_suggests_the_right_one(nordic: GameMap) -> None:
    for text, suggested in (
        ("København-Goteburg", "København-Göteborg"),
        ("Goteburg Kobenhavn", "Göteborg-København"),
        ("Oslo–Bergn", "Oslo-Bergen"),
    ):
        with pytest.raises(LookupError, match=f"no route '{text}'; did you mean {suggested}"):
            nordic.route(text)
    with pytest.raises(LookupError, match="no ticket 'Murmansk København 42'; did you mean Murmansk-København"):
        nordic.ticket("Murmansk København 42")
    with pytest.raises(LookupError, match=r"no route or city 'Bergn'; did you mean .*Bergen"):
        read_scene(nordic, values={"Bergn": 1.0})
