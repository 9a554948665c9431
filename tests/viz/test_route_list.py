"""Answers made of routes show themselves in notebooks."""

from __future__ import annotations

import pickle
from dataclasses import replace
from html import unescape

import ttr_analysis as ttr
from tests.fixtures import renamed
from ttr_analysis import GameMap
from ttr_analysis._upward import render_html
from ttr_analysis.maps.model import first_equal, home_of
from ttr_analysis.viz.summaries import RouteAnswer


def test_every_answer_shows_a_row_for_each_route(any_map: GameMap) -> None:
    a, b = any_map.cities[0].name, any_map.cities[7].name
    answers: list[RouteAnswer] = [
        ttr.paths.shortest_path(any_map, a, b),
        ttr.paths.longest_trail(any_map, any_map.routes[:8]),
        ttr.structure.minimum_cut(any_map, a, b),
        ttr.structure.minimum_spanning_tree(any_map),
        ttr.tickets.cheapest_network(any_map, any_map.tickets[:2]),
    ]
    for answer in answers:
        html = render_html(answer)
        assert html.startswith("<svg")
        home = home_of(routes=answer.routes)  # this map, or one that another test made of it by adding routes
        assert home is not None
        assert html.count("<g opacity=") == len(home.routes) - len(answer.routes)
        assert html.count("<tr>") == len(answer.routes) + 1
        assert (">toll</bdi></th>" in html) == any(route.toll for route in answer.routes)


def test_a_map_in_use_shows_its_routes_however_many_were_made_since(nordic: GameMap, invented: GameMap) -> None:
    mine = nordic.with_routes({"city_a": "Oslo", "city_b": "Tallinn", "length": 3, "color": "red"})
    others = [pickle.loads(pickle.dumps(replace(invented, title=str(i)))) for i in range(70)]  # noqa: S301 - ours
    assert len(others) > (first_equal.cache_info().maxsize or 0)
    path = ttr.paths.shortest_path(mine, "Oslo", "Tallinn")
    assert path.routes == mine.routes[-1:]
    assert render_html(path).startswith("<svg")


def test_a_ticket_and_a_game_show_their_boards(any_map: GameMap) -> None:
    n_titles = render_html(any_map).count("<title>")
    assert n_titles == len(any_map.routes) + len(any_map.cities)
    for ticket in any_map.tickets[::6]:
        html = render_html(ticket)
        home = home_of(tickets=[ticket])
        assert home is not None
        assert html.count("<title>") == len(home.routes) + len(home.cities)
        assert str(ticket) in unescape(html)
    state = ttr.Game(any_map).new(seed=7)
    assert render_html(state).count("<tr>") == state.n_players + 1
    assert render_html(ttr.Game(any_map).view(state, 1)).count("<title>") == n_titles


def test_a_route_of_no_map_that_is_known_is_shown_in_a_table_alone() -> None:
    path = ttr.paths.shortest_path(ttr.load_map("nordic"), "Oslo", "Bergen")
    assert render_html(replace(path, routes=tuple(replace(route, length=77) for route in path.routes))).startswith(
        "<table>"
    )


def test_names_are_escaped(nordic: GameMap) -> None:
    hostile = renamed(nordic, {"Oslo": "<b>Oslo</b>"})
    html = render_html(ttr.paths.shortest_path(hostile, "<b>Oslo</b>", "Bergen"))
    assert "<b>Oslo" not in html
    assert "&lt;b&gt;Oslo&lt;/b&gt;" in html
