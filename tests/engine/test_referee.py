"""The referee by itself: whole games at random, payments, legal moves, and records that it must refuse."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.conformance import some_combinations
from tests.fixtures import load
from tests.oracles import payment as filling
from tests.oracles.payment import make_route
from tests.oracles.referee import CURIOUS, EVEN, HOARDING, Referee, check_record, play_at_random, random_event
from tests.oracles.referee.driver import sample_moves
from tests.oracles.referee.due import Decision, Event
from tests.oracles.referee.payment import Cards, can_pay, n_sub_multisets, pays
from ttr_analysis.cards import CARD_KINDS, ROUTE_COLORS, CardCounts
from ttr_analysis.maps.model import GameMap

LIKES = {"even": EVEN, "hoarding": HOARDING, "curious": CURIOUS}


@pytest.mark.parametrize("likes", ["hoarding", "curious"])
@pytest.mark.parametrize("variant", ["", "no_tolls", "neutral"])
def test_a_game_with_scarce_cards_or_tickets(variant: str, likes: str) -> None:
    game_map = load("invented").with_variant(variant)
    n_players = game_map.rules.players[1]
    events = play_at_random(game_map, n_players, np.random.default_rng(0), likes=LIKES[likes])
    assert check_record(game_map, n_players, events).ending in {"trains", "passes"}


def test_random_games_visit_every_kind_of_event() -> None:
    seen: Counter[str] = Counter()
    for variant in ("", "neutral"):
        game_map = load("invented").with_variant(variant)
        n_players = game_map.rules.players[1]
        for likes in LIKES.values():
            events = play_at_random(game_map, n_players, np.random.default_rng(0), likes=likes)
            seen.update(event["event"] for event in events)
    assert {name for name, n in seen.items() if n} == {
        *("card_dealt", "card_drawn", "market_card", "card_revealed", "ticket_offered", "neutral_ticket"),
        *("draw_card", "draw_face_up", "claim_route", "pay_tunnel", "decline_tunnel", "draw_tickets"),
        *("keep_tickets", "choose_neutral_route", "build_station", "pass"),
        *("cards_shuffled", "tickets_shuffled", "market_replaced"),
    }


# -- payments ---------------------------------------------------------------------


def as_cards(counts: tuple[int, ...]) -> Cards:
    return Counter({kind: n for kind, n in zip(CARD_KINDS, counts, strict=True) if n})


@given(st.data())
def test_payments_equal_filling_the_spaces_one_by_one(data: st.DataObject) -> None:
    symbols = data.draw(st.integers(0, 2), label="symbols")
    swap_size = data.draw(st.sampled_from([0, 3, 4]), label="swap_size")
    route = make_route(
        symbols + data.draw(st.integers(symbols == 0, 3), label="plain"),
        data.draw(st.sampled_from(ROUTE_COLORS), label="color"),
        symbols=symbols,
        jokers=data.draw(st.booleans(), label="jokers"),
        swap_size=swap_size,
        swap_any=data.draw(st.booleans(), label="swap_any"),
    )
    most = 3 if swap_size else 4
    counts = data.draw(st.tuples(*[st.integers(0, most if k in {0, 7, 8} else 1) for k in range(9)]), label="cards")
    assert pays(route, as_cards(counts)) == filling.pays(route, counts)
    small = tuple(n if sum(counts[: k + 1]) <= 7 else 0 for k, n in enumerate(counts))
    assert can_pay(route, as_cards(small)) == filling.payable(route, small)


# -- legal moves ----------------------------------------------------------------------


@pytest.mark.parametrize(("name", "variant", "n_players"), some_combinations())
def test_sampled_moves_are_among_all_legal_ones(name: str, variant: str, n_players: int) -> None:
    game_map = load(name).with_variant(variant)
    referee = Referee(game_map, n_players)
    rng = np.random.default_rng(7)
    for _ in range(40):
        if isinstance(referee.due, Decision) and n_sub_multisets(referee.table.hands[referee.due.seat]) <= 24:
            sampled = sample_moves(referee.table, referee.due, rng)
            legal = referee.legal_moves()
            assert all(move in legal for move in sampled)
            assert {_form(move) for move in sampled} == {_form(move) for move in legal}
            assert all(referee.is_legal_move(move) for move in legal)
        referee.apply(random_event(referee, rng))
        if referee.due is None:
            break


def _form(move: Event) -> tuple[object, ...]:
    """Return a move without its cards."""
    tickets = tuple(move.get("tickets", ()))
    return move["event"], move.get("slot"), move.get("route"), tickets, move["event"] == "pay_tunnel"


# -- records that are wrong --------------------------------------------------------------


@pytest.fixture(scope="module")
def game() -> tuple[GameMap, list[Event]]:
    game_map = load("invented")
    return game_map, play_at_random(game_map, 3, np.random.default_rng(5))


def refused(game: tuple[GameMap, list[Event]], changed: list[Event], message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check_record(game[0], 3, changed)


def first(events: list[Event], name: str) -> int:
    return next(i for i, event in enumerate(events) if event["event"] == name)


def changed(events: list[Event], name: str, **fields: object) -> list[Event]:
    """Return events with the first one of a name changed."""
    at = first(events, name)
    return [*events[:at], {**events[at], **fields}, *events[at + 1 :]]


def without(events: list[Event], name: str) -> list[Event]:
    at = first(events, name)
    return [*events[:at], *events[at + 1 :]]


@pytest.mark.parametrize(
    "name",
    ["card_dealt", "market_card", "ticket_offered", "keep_tickets", "card_drawn", "card_revealed", "tickets_shuffled"],
)
def test_an_event_left_out_is_noticed(game: tuple[GameMap, list[Event]], name: str) -> None:
    refused(game, without(game[1], name), "event")


@pytest.mark.parametrize("name", ["cards_shuffled", "tickets_shuffled", "market_replaced", "draw_card"])
def test_an_event_too_many_is_noticed(game: tuple[GameMap, list[Event]], name: str) -> None:
    refused(game, [*game[1][:30], {"event": name}, *game[1][30:]], "event 30")


@pytest.mark.parametrize(
    ("name", "fields", "message"),
    [
        pytest.param("card_dealt", {"card": "gold"}, "cannot be turned up", id="no such card"),
        pytest.param("card_dealt", {"card": "?"}, "cannot be turned up", id="an unknown card"),
        pytest.param("card_dealt", {"seat": 1}, "is due", id="a card for another seat"),
        pytest.param("market_card", {"slot": 3}, "is due", id="another slot"),
        pytest.param("ticket_offered", {"ticket": "Here-There"}, "cannot be turned up", id="no such ticket"),
        pytest.param("keep_tickets", {"tickets": []}, "0 tickets kept", id="no ticket kept"),
        pytest.param("keep_tickets", {"tickets": ["Here-There"]}, "not some of", id="a ticket not offered"),
        pytest.param("keep_tickets", {"seat": 1}, "seat 0 decides", id="another seat"),
        pytest.param("draw_card", {"hand": 1}, "draw_card says", id="a field too many"),
        pytest.param("claim_route", {"route": "Here-There/0"}, "there is no route", id="no such route"),
        pytest.param("claim_route", {"cards": {}}, "do not pay", id="no cards"),
        pytest.param("claim_route", {"cards": {"red": -1}}, "no cards", id="less than no cards"),
        pytest.param("claim_route", {"cards": {"red": 12}}, "has", id="cards of others"),
        pytest.param("draw_face_up", {"slot": 5}, "no slot", id="no such slot"),
    ],
)
def test_a_changed_event_is_refused(
    game: tuple[GameMap, list[Event]], name: str, fields: dict[str, object], message: str
) -> None:
    refused(game, changed(game[1], name, **fields), message)


def test_a_record_that_breaks_off_is_refused(game: tuple[GameMap, list[Event]]) -> None:
    refused(game, game[1][:-1], "goes on")


def test_a_record_that_goes_on_after_the_end_is_refused(game: tuple[GameMap, list[Event]]) -> None:
    refused(game, [*game[1], {"event": "draw_card", "seat": 0}], "the game is over")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        pytest.param("pile", "cards instead of", id="a card is lost"),
        pytest.param("trains", "trains", id="a train is lost"),
        pytest.param("tokens", "the ledger says", id="a token is lost"),
        pytest.param("tickets", "tickets not in one place", id="a ticket is lost"),
        pytest.param("scores", "points", id="a point is lost"),
    ],
)
def test_what_is_lost_is_noticed(spoil: str, message: str) -> None:
    referee = Referee(load("invented"), 2)
    table = referee.table
    match spoil:
        case "pile":
            table.pile["red"] -= 1
        case "tickets":
            table.ticket_pile.pop()
        case _:
            getattr(table, spoil)[1] -= 1
    with pytest.raises(AssertionError, match=message):
        referee.conserved()


# -- scores ---------------------------------------------------------------------------


def test_the_deck_is_that_of_the_rules() -> None:
    assert Referee(load("nordic"), 2).table.pile.total() == CardCounts((12,) * 8 + (14,)).n_cards == 110
