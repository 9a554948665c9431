"""Tickets and the fewest trains as a widget shows them: what the exact functions say, whatever is closed or owned."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from traitlets import TraitError

import ttr_analysis as ttr
from tests.fixtures import EVERY_MAP, load
from tests.report.hostile import write_hostile_map
from ttr_analysis.cards import CARD_KINDS
from ttr_analysis.widgets.base import QueryWidget
from ttr_analysis.widgets.costs import RouteCosts, TunnelOdds
from ttr_analysis.widgets.explorer import TicketExplorer

pytestmark = pytest.mark.compiled_only


def some_ids(rng: np.random.Generator, things: tuple[Any, ...], n: int) -> list[str]:
    """Return the ids of some routes or tickets."""
    return [things[i].id for i in rng.choice(len(things), n, replace=False)]


@pytest.mark.parametrize("n_players", [None, 2])
def test_answers_are_those_of_the_exact_functions(any_map: ttr.GameMap, n_players: int | None) -> None:
    rng = np.random.default_rng(7)
    widget = TicketExplorer(any_map)

    for _ in range(3):
        tickets = some_ids(rng, any_map.tickets, int(rng.integers(1, 5)))
        closed, owned = np.split(np.array(some_ids(rng, any_map.routes, 10)), [7])
        taken = {"closed": closed.tolist(), "owned": owned.tolist(), "n_players": n_players}
        widget.set_state({"tickets": tickets, **taken})

        answer = widget.answer
        feasibility = ttr.tickets.feasibility(any_map, tickets, **taken)
        assert answer["possible"] == feasibility.possible
        assert answer["left"] == feasibility.trains
        if feasibility.network is None:
            assert answer["routes"] == []
            assert "Cannot be completed" in answer["said"]
            continue
        assert answer["routes"] == [route.id for route in feasibility.routes]
        assert (answer["length"], answer["slack"]) == (feasibility.length, feasibility.slack)
        assert answer["points"] == feasibility.network.points
        assert answer["loans"] == feasibility.loans
        assert answer["toll"] in {feasibility.network.toll, None}
        assert [t["reaches"] for t in answer["tickets"] if t["reaches"]] == [
            destination
            for ticket, destination in zip(feasibility.tickets, feasibility.network.destinations, strict=True)
            if len(ticket.destinations) > 1
        ]


@pytest.mark.parametrize(("name", "n_players"), [*zip(EVERY_MAP, [None, 2, 2, None, 2, 2], strict=True)])
def test_losses_are_what_the_network_costs_without_each_route(name: str, n_players: int | None) -> None:
    game_map = load(name)
    rng = np.random.default_rng(3)
    tickets = some_ids(rng, game_map.tickets, 3)
    widget = TicketExplorer(game_map, tickets, n_players=n_players)

    found = {loss["route"]: loss["trains"] for loss in widget.find_losses()}

    assert sorted(found) == sorted(widget.answer["routes"])
    for route, trains in found.items():
        without = ttr.tickets.feasibility(game_map, tickets, closed=[route], n_players=n_players)
        assert trains == without.length
    assert [b.routes[0].id for b in ttr.tickets.feasibility(game_map, tickets, n_players=n_players).bottlenecks
            if b.n_claims == 1 and b.routes[0].id in found] == [
        loss["route"] for loss in widget.find_losses() if loss["breaks"]
    ]  # fmt: skip


def test_losses_come_piece_by_piece_as_the_browser_asks(nordic: ttr.GameMap) -> None:
    widget = TicketExplorer(nordic, ["København-Murmansk", "Bergen-Narvik"])
    n_routes = len(widget.answer["routes"])
    assert widget.losses == {"rows": [], "n_left": n_routes}

    n_messages = 0
    while widget.losses["n_left"]:
        widget._handle_custom_msg({"ask": "losses"}, [])
        n_messages += 1
        assert len(widget.losses["rows"]) + widget.losses["n_left"] == n_routes

    assert 1 <= n_messages <= n_routes
    trains = [loss["trains"] for loss in widget.losses["rows"]]
    assert trains == sorted(trains, reverse=True)


def test_a_change_begins_the_losses_anew(nordic: ttr.GameMap) -> None:
    widget = TicketExplorer(nordic, ["Narvik-Murmansk"])
    widget.find_losses()

    widget.n_players = 2  # the same network, but more is lost with each route

    assert widget.losses == {"rows": [], "n_left": len(widget.answer["routes"])}


@pytest.mark.parametrize(
    "message", [None, [], "losses", {"ask": "all"}, {"ask": ["losses"]}, {"ask": "losses", "n": 9}]
)
def test_other_messages_do_nothing(nordic: ttr.GameMap, message: object) -> None:
    widget = TicketExplorer(nordic, ["Narvik-Murmansk"])
    before = widget.losses

    widget._handle_custom_msg(message, [])

    assert widget.losses == before


def test_no_ticket_is_no_problem(any_map: ttr.GameMap) -> None:
    widget = TicketExplorer(any_map)

    assert widget.answer["problem"] == ""
    assert widget.answer["said"] == "Pick tickets from the list, or click two cities."
    assert widget.find_losses() == []


def test_tickets_that_are_cut_off_say_by_what(nordic: ttr.GameMap) -> None:
    widget = TicketExplorer(nordic, ["Narvik-Murmansk"])
    widget.closed = [("Kirkenes", "Murmansk"), ("Lieksa", "Murmansk"), ("Oslo", "Bergen")]

    assert not widget.answer["possible"]
    assert sorted(widget.answer["cut"]) == ["Kirkenes-Murmansk/0", "Lieksa-Murmansk/0"]
    assert widget.answer["said"].startswith("Cannot be completed: Narvik – Murmansk. Cut off by Kirkenes – Murmansk")
    widget.closed = []
    assert widget.answer["possible"]


def test_too_few_trains_are_said(nordic: ttr.GameMap) -> None:
    owned = [route for route in nordic.routes if route.length >= 5]
    widget = TicketExplorer(nordic, ["Bergen-Tornio", "Göteborg-Åndalsnes"], owned=owned)

    assert widget.answer["slack"] < 0
    assert "more than the" in widget.answer["said"]


def test_with_few_players_the_second_track_closes_too(nordic: ttr.GameMap) -> None:
    widget = TicketExplorer(nordic, closed=["Bergen-Oslo/0"])
    assert widget.answer["closed"] == ["Bergen-Oslo/0"]

    widget.n_players = 2

    assert widget.answer["closed"] == ["Bergen-Oslo/0", "Bergen-Oslo/1"]
    assert widget.closed == ["Bergen-Oslo/0"]


def test_eight_tickets_are_refused_with_a_sentence(nordic: ttr.GameMap) -> None:
    widget = TicketExplorer(nordic, nordic.tickets[:8])

    assert widget.answer["problem"] == "At most 7 tickets can be solved exactly at once, not 8."
    assert widget.find_losses() == []
    widget.tickets = widget.tickets[:2]
    assert widget.answer["problem"] == ""


def test_a_route_closed_and_owned_is_refused_with_a_sentence(nordic: ttr.GameMap) -> None:
    widget = TicketExplorer(nordic, closed=["Bergen-Oslo/0"])

    widget.owned = ["Bergen-Oslo/0"]

    assert widget.answer["problem"] == "A route is either closed or yours, not both: Bergen-Oslo/0."


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("tickets", ["Oslo-Atlantis"], "Atlantis"),
        ("tickets", "Bergen-Narvik", "a list of tickets"),
        ("tickets", [3], "got 3"),
        ("tickets", None, "a list of tickets"),
        ("closed", ["Bergen-Oslo/9"], "no route"),
        ("closed", {"Bergen-Oslo/0": 1}, "a list of routes"),
        ("owned", [["Oslo", "Atlantis"]], "Atlantis"),
        ("owned", [None], "got None"),
        ("n_players", 9, "from 2 to 3, or None, got 9"),
        ("n_players", "2", "got '2'"),
        ("n_players", True, "got True"),
    ],
)
def test_nonsense_from_the_browser_is_refused_and_changes_nothing(
    nordic: ttr.GameMap, name: str, value: object, words: str
) -> None:
    widget = TicketExplorer(nordic, ["Narvik-Murmansk"])
    before = (getattr(widget, name), widget.answer)

    with pytest.raises(TraitError, match=words):
        widget.set_state({name: value})

    assert (getattr(widget, name), widget.answer) == before


def test_tickets_and_routes_may_be_any_iterable(nordic: ttr.GameMap) -> None:
    widget = TicketExplorer(nordic, iter(["Narvik-Murmansk"]), closed={"Kirkenes-Murmansk/0"}, owned=iter(()))

    assert (widget.tickets, widget.closed, widget.owned) == (["Narvik-Murmansk"], ["Kirkenes-Murmansk/0"], [])


def test_tickets_of_another_map_are_refused(nordic: ttr.GameMap, switzerland: ttr.GameMap) -> None:
    with pytest.raises(TraitError, match="tickets"):
        TicketExplorer(nordic, switzerland.tickets[:1])


def test_copies_of_a_ticket_are_told_apart(any_map: ttr.GameMap) -> None:
    names = [ticket["name"] for ticket in TicketExplorer(any_map).facts["tickets"]]

    assert len(set(names)) == len(names) == len(any_map.tickets)


def test_players_are_asked_for_only_where_they_matter() -> None:
    assert TicketExplorer(ttr.load_map("nordic")).facts["players"] == [2, 3]
    one_track = ttr.load_map("nordic").without([route for route in ttr.load_map("nordic").routes if route.track])
    assert TicketExplorer(one_track).facts["players"] == []


@pytest.mark.parametrize(
    ("make", "things", "words"),
    [(TunnelOdds, "routes", "words"), (RouteCosts, "routes", "words"), (TicketExplorer, "tickets", "name")],
)
def test_what_is_sent_is_json_and_names_stay_text(
    make: Callable[[ttr.GameMap], QueryWidget], things: str, words: str, tmp_path: Path
) -> None:
    widget = make(ttr.load_map(write_hostile_map(tmp_path / "hostile")))
    if isinstance(widget, TicketExplorer):
        widget.tickets = widget.game_map.tickets[:2]
        widget.find_losses()

    facts, *_ = json.loads(json.dumps([widget.facts, widget.answer, getattr(widget, "losses", None)]))
    assert any("<script>" in thing[words] for thing in facts[things])
    assert facts.get("kinds", list(CARD_KINDS)) == list(CARD_KINDS)
