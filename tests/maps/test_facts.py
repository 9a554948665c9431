"""The five boards hold what the printed ones hold."""

from __future__ import annotations

import hashlib
from collections import Counter

import networkx as nx
import pytest

import ttr_analysis as ttr
from ttr_analysis.cards import COLORS

BUILT_IN = ("nordic", "switzerland", "nederland", "usa", "europe")


@pytest.mark.parametrize(
    ("name", "counts", "trains", "players"),
    [
        ("nordic", (39, 81, 207, 46), 40, (2, 3)),
        ("switzerland", (51, 88, 205, 46), 40, (2, 3)),
        ("nederland", (30, 97, 306, 44), 40, (2, 5)),
        ("usa", (36, 100, 309, 30), 45, (2, 5)),
        ("europe", (47, 101, 300, 46), 45, (2, 5)),
    ],
)
def test_counts_of_the_printed_boards(
    name: str, counts: tuple[int, int, int, int], trains: int, players: tuple[int, int]
) -> None:
    game_map = ttr.load_map(name)
    n_spaces = sum(route.length for route in game_map.routes)
    assert (len(game_map.cities), len(game_map.routes), n_spaces, len(game_map.tickets)) == counts
    assert (game_map.rules.trains.per_player, game_map.rules.players) == (trains, players)
    assert game_map.rules.deck.n_cards == 110


@pytest.mark.parametrize("name", BUILT_IN)
def test_graph_has_every_track_and_attribute(name: str) -> None:
    game_map = ttr.load_map(name)
    G = game_map.graph
    assert G.number_of_nodes() == len(game_map.cities)
    assert G.number_of_edges() == len(game_map.routes)
    assert nx.is_connected(G)
    assert nx.is_frozen(G)
    edge_attributes = {
        *("id", "length", "color", "double", "tunnel", "ferry", "locomotives_allowed", "toll", "swap_size", "points"),
    }
    assert all(attributes.keys() == edge_attributes for _, _, attributes in G.edges(data=True))
    assert all(attributes.keys() == {"lat", "lon", "x", "y", "country"} for _, attributes in G.nodes(data=True))
    keys: dict[frozenset[str], set[int]] = {}
    for (a, b, key), attributes in dict(G.edges).items():
        keys.setdefault(frozenset((a, b)), set()).add(key)
        assert attributes["double"] == (G.number_of_edges(a, b) == 2)
    assert all(tracks in ({0}, {0, 1}) for tracks in keys.values())


def test_nordic_kinds_of_route(nordic: ttr.GameMap) -> None:
    assert Counter(route.kind for route in nordic.routes) == {"plain": 47, "tunnel": 10, "ferry": 24}
    assert sum(ticket.points for ticket in nordic.tickets) == 460
    lieksa = nordic.route("Murmansk", "Lieksa")
    assert (lieksa.length, lieksa.points, lieksa.swap_size, lieksa.swap_fills) == (9, 27, 4, "any")
    assert not lieksa.locomotives_allowed
    assert all(r.swap_size == (3 if r.kind == "ferry" else 0) for r in nordic.routes if r != lieksa)
    assert all(r.locomotives_allowed == (r.kind != "plain") for r in nordic.routes)


@pytest.mark.parametrize(
    ("a", "b", "kinds"),
    [
        ("Mo i Rana", "Trondheim", [("tunnel", 5, 0), ("ferry", 6, 2)]),
        ("Kristiansand", "Stavanger", [("tunnel", 2, 0), ("ferry", 3, 1)]),
        ("Helsinki", "Stockholm", [("ferry", 4, 2), ("ferry", 4, 1)]),
    ],
)
def test_nordic_double_routes_that_differ_in_kind(a: str, b: str, kinds: list[tuple[str, int, int]]) -> None:
    tracks = ttr.load_map("nordic").routes_between(a, b)
    assert [(r.kind, r.length, r.locomotives) for r in tracks] == kinds


def test_switzerland_border_points_are_dead_ends(switzerland: ttr.GameMap) -> None:
    countries = {p.name: len(p.cities) for p in switzerland.places if p.is_country}
    assert countries == {"Austria": 3, "France": 4, "Germany": 5, "Italy": 5}
    assert {switzerland.graph.degree(city) for city in switzerland.border_points} == {1}
    assert sum(len(ticket.destinations) > 1 for ticket in switzerland.tickets) == 12
    assert all(r.locomotives_allowed == r.tunnel for r in switzerland.routes)
    kreuzlingen = [r for r in switzerland.routes if any("Kreuzlingen (" in city for city in r.cities)]
    assert len(kreuzlingen) == 2
    assert all(switzerland.twin(route) is None for route in kreuzlingen)


def test_country_ticket_scores_the_best_country_or_loses_the_lowest() -> None:
    ticket = ttr.load_map("switzerland").ticket("Bern-countries")
    assert ticket.destinations[0][0].name == "Austria"
    assert {place.name: points for place, points in ticket.destinations} == {
        "Austria": 11,
        "France": 5,
        "Germany": 6,
        "Italy": 8,
    }
    assert (ticket.points, ticket.penalty) == (11, 5)
    assert ticket.score(["Italy", "France"]) == 8
    assert ticket.score([]) == -5


def test_nederland_tickets_and_tolls(nederland: ttr.GameMap) -> None:
    points = [ticket.points for ticket in nederland.tickets]
    assert sum(29 <= p <= 34 for p in points) == 6
    assert sum(17 <= p <= 26 for p in points) == 17
    pairs = Counter(frozenset(t.neutral) for t in nederland.tickets if t.neutral)
    assert sum(pairs.values()) == 35
    twice = {pair for pair, n in pairs.items() if n == 2}
    assert twice == {frozenset(("Amsterdam", "Rotterdam")), frozenset(("Antwerpen", "Rotterdam"))}
    assert all(len(nederland.routes_between(*pair)) == 2 for pair in pairs)
    assert {r.toll for r in nederland.routes_between("Breda", "Rotterdam")} == {4}
    assert {r.toll for r in nederland.routes} == {1, 2, 3, 4}
    assert sum(nederland.twin(r) is not None for r in nederland.routes) == 2 * 44
    one_gray = [r for r in nederland.routes if (t := nederland.twin(r)) and {r.color, t.color} > {"gray"}]
    assert {r.cities for r in one_gray} == {("Emden", "Lingen")}


def test_europe_routes_and_decks(europe: ttr.GameMap) -> None:
    assert len({frozenset(r.cities) for r in europe.routes}) == 90
    assert Counter(r.kind for r in europe.routes)["ferry"] == 13
    assert {r.locomotives for r in europe.routes if r.kind == "ferry"} == {1, 2}
    assert all(r.locomotives_allowed and r.swap_size == 0 for r in europe.routes)
    assert {r.length: r.points for r in europe.routes} == {1: 1, 2: 2, 3: 4, 4: 7, 6: 15, 8: 21}
    assert [r.cities for r in europe.routes if r.length == 8] == [("Petrograd", "Stockholm")]
    assert Counter(t.deck for t in europe.tickets) == {"long": 6, "short": 40}
    assert {t.id for t in europe.tickets if t.points >= 20} == {t.id for t in europe.tickets if t.deck == "long"}


def test_europe_as_a_graph() -> None:
    G = nx.Graph(ttr.load_map("europe").graph)
    assert (nx.radius(G), nx.diameter(G)) == (5, 9)
    between = nx.betweenness_centrality(G, weight="length")
    assert between["Frankfurt"] == pytest.approx(0.206094, abs=5e-7)
    assert between["Wien"] == pytest.approx(0.185461, abs=5e-7)


@pytest.mark.parametrize("name", BUILT_IN)
def test_each_color_has_about_as_many_spaces(name: str) -> None:
    spaces = Counter[str]()
    for route in ttr.load_map(name).routes:
        spaces[route.color] += route.length
    colored = [spaces[color] for color in COLORS]
    assert max(colored) <= 1.5 * min(colored)


def test_the_bonus_of_nederland_depends_on_the_number_of_players() -> None:
    [bonus] = ttr.load_map("nederland").rules.bonus
    points = {2: (35, 0), 3: (55, 35, 0), 4: (55, 35, 20, 0), 5: (55, 35, 20, 10, 0)}
    assert {n: bonus.ranked_points(n) for n in points} == points


def test_an_unknown_variant_is_answered_with_the_nearest() -> None:
    with pytest.raises(LookupError, match="no variant of Nederland 'neutrl'; did you mean neutral"):
        ttr.load_map("nederland").rules.with_variant("neutrl")


def test_both_tracks_are_open_from_a_number_of_players_on(any_map: ttr.GameMap) -> None:
    n_players = any_map.rules.claims.double_routes_from
    assert any_map.rules.both_tracks_open(n_players)
    assert not any_map.rules.both_tracks_open(n_players - 1)


def facts(game_map: ttr.GameMap) -> str:
    """Return all that the printed board and tickets say, and the positions of the cities, in one text."""
    cities = [(c.name, c.country, c.lat, c.lon) for c in game_map.cities]
    routes = [
        (r.id, r.length, r.color, r.tunnel, r.locomotives, r.locomotives_allowed, r.swap_size, r.swap_fills, r.toll)
        for r in game_map.routes
    ]
    tickets = [(t.id, t.origin.name, [(p.name, n) for p, n in t.destinations], t.neutral) for t in game_map.tickets]
    return "\n".join(map(str, [*cities, *routes, *tickets]))


@pytest.mark.parametrize(
    ("name", "digest", "ticket_points"),
    [
        ("nordic", "7e694615ecfa5d26", 460),
        ("switzerland", "13e0c5a09cee2059", 414),
        ("nederland", "4e3f4c2afa6ec889", 823),
        ("usa", "bedb877577ef9b18", 349),
        ("europe", "1ea89b20efa9af83", 444),
    ],
)
def test_no_fact_has_changed_unnoticed(name: str, digest: str, ticket_points: int) -> None:
    # Every row was compared with its sources; whoever corrects one gives the source in SOURCES.md and a new digest.
    game_map = ttr.load_map(name)
    assert sum(ticket.points for ticket in game_map.tickets) == ticket_points
    assert hashlib.sha256(facts(game_map).encode()).hexdigest()[:16] == digest
