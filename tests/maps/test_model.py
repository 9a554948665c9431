"""Looking things up, what-if maps, and maps written and read again."""

from __future__ import annotations

import csv
import os
import pickle
import unicodedata
from dataclasses import replace
from pathlib import Path

import networkx as nx
import pytest

import ttr_analysis as ttr
from tests.fixtures import EVERY_MAP, load, renamed
from ttr_analysis import GameMap, MapError
from ttr_analysis._errors import AmbiguousNameError, Fault, UnknownNameError
from ttr_analysis.maps.model import Place, Ticket
from ttr_analysis.notation.lexer import names_of


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("København", "København"),
        ("kobenhavn", "København"),
        ("KOBENHAVN", "København"),
        ("tromso", "Tromsø"),
        ("andalsnes", "Åndalsnes"),
        ("OREBRO", "Örebro"),
        (unicodedata.normalize("NFD", "Göteborg"), "Göteborg"),
        (unicodedata.normalize("NFC", "Göteborg"), "Göteborg"),
        (" mo  i rana ", "Mo i Rana"),
    ],
)
def test_cities_are_found_whatever_the_case_and_accents(nordic: GameMap, written: str, name: str) -> None:
    assert nordic.city(written).name == name


def test_a_wrong_city_is_answered_with_the_nearest(nordic: GameMap) -> None:
    with pytest.raises(UnknownNameError, match="no city 'Stokholm'; did you mean Stockholm"):
        nordic.city("Stokholm")


def test_an_ambiguous_route_lists_the_tracks(nordic: GameMap) -> None:
    with pytest.raises(AmbiguousNameError, match=r"Bergen-Oslo/0 \(blue, 4\) or Bergen-Oslo/1 \(red, 4\)\?"):
        nordic.route("Oslo", "Bergen")
    assert nordic.route("Oslo", "Bergen", color="red").id == "Bergen-Oslo/1"
    assert nordic.route("Oslo", "Bergen", track=0).color == "blue"
    assert nordic.route("bergen-oslo/1").color == "red"


def test_a_route_that_is_not_there_lists_what_is(nordic: GameMap) -> None:
    with pytest.raises(UnknownNameError, match="no route 'Oslo-Bergen Pink'; did you mean Bergen-Oslo"):
        nordic.route("Oslo", "Bergen", color="Pink")
    with pytest.raises(
        UnknownNameError, match="no route 'Tallinn-Oslo'; did you mean Tallinn-Helsinki or Tallinn-Stockholm"
    ):
        nordic.route("Tallinn", "Oslo")


def test_tickets_are_found_from_either_end(nordic: GameMap) -> None:
    ticket = nordic.ticket("København", "Murmansk")
    assert ticket is nordic.ticket("murmansk", "kobenhavn")
    assert ticket is nordic.ticket("København-Murmansk")
    with pytest.raises(
        UnknownNameError, match="no ticket 'Murmansk-Oslo'; did you mean Murmansk-København or Murmansk-Narvik"
    ):
        nordic.ticket("Murmansk", "Oslo")
    with pytest.raises(UnknownNameError, match="no ticket 'Vaasa'; did you mean Vaasa-Oslo or Vaasa-Tromsø"):
        nordic.resolve_tickets(("Vaasa", "Oslo"))


@pytest.mark.parametrize("name", ["europe", "nederland", "nordic", "switzerland", "usa"])
def test_what_a_city_is_also_called_names_it(name: str) -> None:
    game_map = load(name)
    others = {other: city for city in game_map.cities for other in city.also}
    assert len(others) > 3
    for other, city in others.items():
        assert game_map.city(other) is city
        assert game_map.place(other.upper()).name == city.name
    lines = names_of(game_map)
    assert all(lines.cities.thing(other) is city for other, city in others.items())


def test_routes_and_tickets_go_by_other_names_of_cities(europe: GameMap) -> None:
    assert [route.id for route in europe.resolve_routes(["Vienna-Budapest"])] == ["Budapest-Wien/0", "Budapest-Wien/1"]
    assert europe.route("Budapest \N{EN DASH} VIENNA white").id == "Budapest-Wien/1"
    assert europe.ticket("Ankara to Athens") is europe.ticket("Athens", "Angora") is europe.ticket("Athina-Angora")
    lines = names_of(europe)
    assert lines.routes.thing("Vienna-Budapest") == europe.routes_between("Wien", "Budapest")
    assert lines.tickets.thing("Ankara-Athens").id == "Athina-Angora"
    assert lines.cities.near("Vien")[0] == "Vienna"
    assert "Wien" not in lines.cities.near("Vien")
    assert len({lines.routes.thing(name) for name in lines.routes.near("Kiev-")}) == len(lines.routes.near("Kiev-"))
    with pytest.raises(UnknownNameError, match=r"no route 'Vienna-Ankara'; did you mean Wien-\w+, Wien-"):
        europe.route("Vienna-Ankara")
    with pytest.raises(UnknownNameError, match="no city 'Viena'; did you mean Vienna, Venezia or Athina"):
        europe.city("Viena")


def test_a_name_of_two_cities_is_of_neither(tmp_path: Path, nordic: GameMap) -> None:
    called = {"Oslo": ("Bergen", "Christiania", "Twin"), "Vaasa": ("Twin", "twin")}
    cities = tuple(replace(city, also=called.get(city.name, ())) for city in nordic.cities)
    replace(nordic, cities=cities).to_folder(tmp_path / "map")

    again = ttr.load_map(tmp_path / "map")

    assert again.city("Oslo").also == called["Oslo"]
    assert (again.city("bergen").name, again.city("christiania").name) == ("Bergen", "Oslo")
    with pytest.raises(UnknownNameError, match="no city 'Twin'"):
        again.city("Twin")


def test_country_tickets_are_found_by_origin_id_or_country(switzerland: GameMap) -> None:
    bern = switzerland.ticket("Bern-countries")
    assert switzerland.ticket("Bern") is bern
    assert switzerland.ticket("Bern", "Italy") is bern
    with pytest.raises(AmbiguousNameError, match="France-countries/0, France-countries/1"):
        switzerland.ticket("France", "Germany")


def test_routes_are_resolved_from_anything_that_names_them(nordic: GameMap) -> None:
    red = nordic.route("Bergen", "Oslo", color="red")
    resolved = nordic.resolve_routes([("oslo", "bergen"), red, "Lieksa-Murmansk/0"])
    assert [route.id for route in resolved] == ["Bergen-Oslo/0", "Bergen-Oslo/1", "Lieksa-Murmansk/0"]


def test_a_bare_pair_of_cities_is_not_taken_for_two_routes(nordic: GameMap) -> None:
    with pytest.raises(UnknownNameError, match=r"no route 'Oslo': it is a city; .* as \[\('Oslo', 'Bergen'\)\]"):
        nordic.resolve_routes(("Oslo", "Bergen"))
    with pytest.raises(TypeError, match="expected a Route, a route id or a pair of cities, got 7"):
        nordic.resolve_routes([7])  # type: ignore[list-item]


def test_changing_the_graph_changes_no_answer() -> None:
    nordic = ttr.load_map("nordic")  # not the one that other tests share
    before = nordic.route("Lieksa", "Murmansk").length
    nordic.graph.edges["Lieksa", "Murmansk", 0]["length"] = 1
    assert nordic.route("Lieksa", "Murmansk").length == before
    fewest = ttr.paths.shortest_path(nordic, "Lieksa", "Murmansk")
    assert fewest.length == 9
    with pytest.raises(nx.NetworkXError, match="Frozen graph"):
        nordic.graph.remove_node("Oslo")


def test_who_asks_for_a_country_as_a_city_is_told_how(switzerland: GameMap) -> None:
    for name in ("Germany", "germany"):
        with pytest.raises(
            UnknownNameError, match=f"no city '{name}': it is a country, which `place` finds; its "
        ) as told:
            switzerland.city(name)
        assert "Germany via Basel, " in str(told.value)
        assert told.value.candidates == switzerland.place("Germany").cities
    with pytest.raises(UnknownNameError, match="no city 'Bassel'; did you mean Basel"):
        switzerland.city("Bassel")


@pytest.mark.parametrize("name", ["Sweden", "Norway", "x"])
def test_a_map_that_is_not_alike_is_not_suggested(name: str) -> None:
    with pytest.raises(UnknownNameError, match=f"'{name}'; choose one of europe, nederland, nordic, switzerland, usa"):
        ttr.load_map(name)
    with pytest.raises(UnknownNameError, match="did you mean nederland"):
        ttr.load_map("netherlands")


def test_the_simple_graph_has_the_shortest_track_of_each_pair(any_map: GameMap) -> None:
    G = any_map.simple_graph
    pairs = {frozenset(route.cities) for route in any_map.routes}

    assert {frozenset(edge) for edge in G.edges} == pairs
    assert [*G.nodes(data=True)] == [*any_map.graph.nodes(data=True)]
    for a, b, data in G.edges(data=True):
        lengths = [route.length for route in any_map.routes_between(a, b)]
        assert data == {"length": min(lengths), "n_tracks": len(lengths), "n_spaces": sum(lengths)}
    distances = dict(nx.all_pairs_dijkstra_path_length(G, weight="length"))
    assert distances == ttr.paths.distance_matrix(any_map).to_dict()


def test_networkx_works_on_the_simple_graph(nordic: GameMap) -> None:
    G, a, b = nordic.simple_graph, "København", "Murmansk"

    assert 0 < nx.average_clustering(G) < 1
    assert nx.minimum_cut_value(G, a, b, capacity="n_tracks") == ttr.structure.minimum_cut(nordic, a, b).size
    assert len(nx.minimum_edge_cut(G, a, b)) == ttr.structure.minimum_cut(nordic, a, b, by="pairs").size
    with pytest.raises(nx.NetworkXError, match="Frozen graph"):
        G.remove_node("Oslo")


@pytest.mark.parametrize("name", EVERY_MAP)
def test_maps_of_the_same_facts_share_them_and_nothing_else(name: str) -> None:
    loaded, again = (load.__wrapped__(name) for _ in range(2))

    assert again == loaded
    assert again is not loaded
    assert again.routes is loaded.routes
    assert again.graph is not loaded.graph
    for rules in loaded.rules.variants:
        assert loaded.with_variant(rules.variant).tickets is again.with_variant(rules.variant).tickets


def test_a_route_with_another_fact_is_another_route(nordic: GameMap) -> None:
    route = nordic.route("Lieksa", "Murmansk")

    assert replace(route) == route
    assert hash(replace(route)) == hash(route)
    assert route != route.id
    for name, value in {"length": 8, "color": "red", "toll": 1, "tunnel": True, "points": 0, "id": "x"}.items():
        assert replace(route, **{name: value}) != route  # type: ignore[arg-type]


def test_maps_survive_a_folder(any_map: GameMap, tmp_path: Path) -> None:
    folder = tmp_path / any_map.name
    any_map.to_folder(folder)
    again = ttr.load_map(folder)
    assert again == any_map
    assert hash(again) == hash(any_map)
    again.to_folder(folder)
    assert sorted(path.name for path in folder.iterdir()) == [
        "cities.csv",
        "places.csv",
        *(["planner.toml"] if any_map.strategies else []),
        "routes.csv",
        "rules.toml",
        "tickets.csv",
    ]


def test_what_if_with_a_route_more(nordic: GameMap) -> None:
    more = nordic.with_routes({"city_a": "Oslo", "city_b": "Vaasa", "length": 4, "color": "gray", "locomotives": 1})
    route = more.route("Vaasa", "Oslo")
    assert (route.id, route.points, route.swap_size, route.locomotives_allowed) == ("Oslo-Vaasa/0", 7, 3, True)
    assert len(nordic.routes) + 1 == len(more.routes)
    second = more.with_routes({"city_a": "Oslo", "city_b": "Vaasa", "length": 2, "color": "red"})
    assert [r.track for r in second.routes_between("Oslo", "Vaasa")] == [0, 1]
    with pytest.raises(MapError, match="at most two tracks for Oslo-Vaasa"):
        second.with_routes({"city_a": "Oslo", "city_b": "Vaasa", "length": 2, "color": "red", "track": 1})


def test_sets_fill_symbols_only_where_a_locomotive_is_no_joker(tmp_path: Path) -> None:
    load("invented").to_folder(tmp_path / "map")
    rules = tmp_path / "map" / "rules.toml"
    text = rules.read_text(encoding="utf-8")
    assert '    "ferry",\n' in text
    rules.write_text(text.replace('    "ferry",\n', "", 1), encoding="utf-8")
    ferries = [route for route in ttr.load_map(tmp_path / "map").routes if route.kind == "ferry"]
    assert {(route.swap_size, route.swap_fills, route.locomotives_allowed) for route in ferries} == {
        (3, "symbols", False)
    }


def test_what_if_routes_are_checked_all_at_once(nordic: GameMap) -> None:
    with pytest.raises(MapError) as error:
        nordic.with_routes(
            {"city_a": "Oslo", "city_b": "Vaasa", "length": 8, "color": "gray"},
            {"city_a": "Oslo", "city_b": "Vaasa", "length": 2, "color": "brown", "tol": 3},
        )
    assert [(fault.file, fault.field) for fault in error.value.faults] == [
        ("new route 1", "length"),
        ("new route 2", "tol"),
        ("new route 2", "color"),
    ]


def test_what_if_without_routes(nordic: GameMap, tmp_path: Path) -> None:
    less = nordic.without([("Lieksa", "Murmansk"), "Bergen-Oslo/0"])
    assert len(less.routes) == len(nordic.routes) - 2
    (left,) = less.routes_between("Bergen", "Oslo")
    assert (left.color, left.track, left.id) == ("red", 0, "Bergen-Oslo/0")
    less.to_folder(tmp_path / "nordic")
    assert ttr.load_map(tmp_path / "nordic") == less
    with pytest.raises(MapError, match="expected a city joined to Aalborg by routes, got 'Murmansk'"):
        nordic.without([("Lieksa", "Murmansk"), ("Kirkenes", "Murmansk")])


def test_routes_of_another_map_are_not_taken_for_ones_of_this(nordic: GameMap) -> None:
    less = nordic.without(["Bergen-Oslo/0"])
    with pytest.raises(ValueError, match=r"route Bergen-Oslo/0 belongs to another map: Bergen-Oslo \(blue, 4\) there"):
        less.resolve_routes([nordic.route("Oslo", "Bergen", color="blue")])


def test_colors_are_taken_by_what_people_call_them(nordic: GameMap) -> None:
    for said, meant in (("pink", "purple"), ("grey", "gray"), ("Red", "red")):
        new = {"city_a": "Oslo", "city_b": "Vaasa", "length": 2, "color": said}
        assert nordic.with_routes(new).route("Oslo", "Vaasa").color == meant


def test_what_if_routes_given_as_routes_are_checked_too(nordic: GameMap) -> None:
    route = nordic.route("Lieksa", "Murmansk")
    less = nordic.without([route])
    assert set(less.with_routes(route).routes) == set(nordic.routes)
    for change in ({"color": "brown"}, {"points": 99}, {"locomotives_allowed": True}, {"id": "Bergen-Oslo/0"}):
        with pytest.raises(MapError):
            less.with_routes(replace(route, **change))


def test_without_a_double_route_the_neutral_player_has_no_pair_there() -> None:
    less = load("nederland").without([("Amsterdam", "Rotterdam"), "Breda-Rotterdam/0"])
    pairs = [ticket.neutral for ticket in less.tickets if ticket.neutral]
    assert len(pairs) == 35 - 3


def test_a_variant_of_a_map_follows_its_rules(any_map: GameMap, tmp_path: Path) -> None:
    assert any_map.with_variant(None) is any_map
    for rules in any_map.rules.variants:
        variant = any_map.with_variant(rules.variant)
        assert variant.rules == rules
        assert any(route.toll for route in variant.routes) == (rules.money.tokens > 0)
        variant.to_folder(tmp_path / rules.variant)
        again = ttr.load_map(tmp_path / rules.variant)
        assert (again.routes, again.tickets) == (variant.routes, variant.tickets)


def test_a_what_if_map_keeps_the_tickets_of_its_variants(tmp_path: Path) -> None:
    usa = load("usa").without(["Boston-New York/0"])
    assert len(usa.with_variant("mega").tickets) == 69
    usa.to_folder(tmp_path / "map")
    assert ttr.load_map(tmp_path / "map", variant="mega").tickets == load("usa").with_variant("mega").tickets
    few = replace(usa, tickets=usa.tickets[:20])
    assert few.with_variant("1910").tickets == few.tickets, "a user's own tickets are of every set"


def test_maps_and_errors_travel_to_other_processes() -> None:
    nordic = load.__wrapped__("nordic")
    assert hash(nordic) == hash(nordic)
    again = pickle.loads(pickle.dumps(nordic))  # noqa: S301 - our own
    assert again == nordic
    assert again.routes is nordic.routes
    assert "_hash" not in vars(again)
    errors = [
        UnknownNameError("city", "Olso", ["Oslo"]),
        UnknownNameError("city", "Norway", hint="it is a country"),
        AmbiguousNameError("route", "x", ["a", "b"]),
        MapError("x", [Fault("cities.csv", 2, "lat", "y", "expected a number")]),
    ]
    for error in errors:
        copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
        assert (type(copy), str(copy)) == (type(error), str(error))


def test_tables_have_a_row_for_each(any_map: GameMap) -> None:
    tables = any_map.tables
    assert len(tables.cities) == len(any_map.cities)
    assert len(tables.routes) == len(any_map.routes)
    assert tables.tickets["id"].nunique() == len(any_map.tickets)
    assert tables.cities["n_routes"].sum() == 2 * len(any_map.routes)
    assert set(tables.cities.loc[tables.cities["border_of"] != "", "name"]) == set(any_map.border_points)


@pytest.mark.parametrize(
    "sign", ["=", "\N{FULLWIDTH EQUALS SIGN}", "@", "\N{FULLWIDTH PLUS SIGN}", "\N{SMALL EQUALS SIGN}"]
)
def test_no_name_is_a_formula_in_an_export(nordic: GameMap, sign: str, tmp_path: Path) -> None:
    strange = renamed(nordic, {"Oslo": f"{sign}cmd()"})
    for kind in ("adjacency", "edges"):
        strange.export(tmp_path / kind, kind=kind)
        with (tmp_path / kind).open(encoding="utf-8", newline="") as file:
            cells = {cell for row in csv.reader(file) for cell in row if "cmd()" in cell}
        assert f"'{sign}cmd()" in cells
        assert not {cell for cell in cells if cell.startswith(sign)}


@pytest.mark.skipif(os.name == "nt", reason="Windows allows no line breaks in names")
def test_a_folder_may_have_any_name(nordic: GameMap, tmp_path: Path) -> None:
    nordic.to_folder(tmp_path / "two\nlines")
    game_map = ttr.load_map(tmp_path / "two\nlines")
    assert game_map.name == "two\N{REPLACEMENT CHARACTER}lines"
    record = ttr.Game(game_map).play(["random", "random"], seed=1)
    record.save(tmp_path / "game.jsonl")
    assert ttr.GameRecord.load(tmp_path / "game.jsonl", game_map) == record


def test_exports_are_read_again(any_map: GameMap, tmp_path: Path) -> None:
    any_map.export(tmp_path / "map.graphml")
    G = nx.read_graphml(tmp_path / "map.graphml", force_multigraph=True)
    assert G.number_of_edges() == len(any_map.routes)
    assert sum(attributes["length"] for attributes in dict(G.edges).values()) == sum(r.length for r in any_map.routes)
    any_map.export(tmp_path / "adjacency.csv", kind="adjacency")
    with (tmp_path / "adjacency.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    names = rows[0][1:]
    for row in rows[1:]:
        for name, field in zip(names, row[1:], strict=True):
            tracks = any_map.routes_between(row[0], name)
            assert field == (str(min(r.length for r in tracks)) if tracks else "")
    any_map.export(tmp_path / "edges.csv", kind="edges")
    assert len((tmp_path / "edges.csv").read_text(encoding="utf-8").splitlines()) == len(any_map.routes) + 1
    with pytest.raises(ValueError, match="kind must be one of graphml, adjacency, edges, got 'dot'"):
        any_map.export(tmp_path / "map.dot", kind="dot")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"expected a file that ends in .graphml for graphml, got 'board.gexf'"):
        any_map.export(tmp_path / "board.gexf")
    with pytest.raises(ValueError, match=r'for graphml, or use kind="adjacency" or kind="edges", got'):
        any_map.export(tmp_path / "board.csv")
    assert not [*tmp_path.glob("board.*")]


def test_reprs_tell_what_it_is(nordic: GameMap) -> None:
    assert repr(nordic) == "<GameMap 'nordic': 39 cities, 81 routes, 46 tickets, 2-3 players>"
    assert repr(nordic.rules) == "<RuleSet 'Nordic Countries': 2-3 players, 40 trains each, variants resets>"
    assert str(nordic.route("Lieksa", "Murmansk")) == "Lieksa-Murmansk (gray, 9)"
    assert repr(nordic.route("Lieksa", "Murmansk")) == "<Route Lieksa-Murmansk/0: 9 gray, 27 points>"
    assert repr(nordic.city("Oslo")) == "<City 'Oslo', Norway>"
    assert repr(nordic.ticket("Oslo", "Vaasa")) == "<Ticket Oslo-Vaasa: Oslo to Vaasa 9>"
    assert repr(load("switzerland").place("Austria")) == "<Place 'Austria': 3 border points>"
    assert str(nordic.ticket("Oslo", "Vaasa")) == "Oslo to Vaasa 9"


@pytest.mark.parametrize(
    ("origin", "destinations"),
    [
        pytest.param("Oslo", (("Bergen", 4),), id="names"),
        pytest.param(Place("Oslo", ("Oslo",)), (Place("Bergen", ("Bergen",)), 4), id="no brackets of its own"),
        pytest.param(Place("Oslo", ("Oslo",)), (), id="nowhere"),
    ],
)
def test_a_ticket_from_or_to_what_is_no_place_is_refused(origin: object, destinations: object) -> None:
    with pytest.raises(TypeError, match=r"a ticket needs places of a map, as in Ticket\("):
        Ticket("mine", origin, destinations)  # type: ignore[arg-type]
