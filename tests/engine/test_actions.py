"""Actions in words and as numbers."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from tests.engine.walks import on_each_walk, some_states
from tests.fixtures import load
from ttr_analysis import CardCounts, Game, GameMap, IllegalActionError, payments
from ttr_analysis.analysis.payments import Payment
from ttr_analysis.cards import CARD_KINDS
from ttr_analysis.engine.actions import (
    Action,
    ChooseNeutralRoute,
    ClaimRoute,
    DeclineTunnel,
    DrawCard,
    DrawFaceUp,
    DrawTickets,
    KeepTickets,
    Pass,
    PayTunnel,
)
from ttr_analysis.engine.actions.table import Codec, codec_of
from ttr_analysis.engine.codes import argument_of, kind_of, make_event, packed, unpacked


@on_each_walk
def test_every_legal_action_has_its_own_numbers_and_they_give_it_back(name: str, variant: str | None) -> None:
    game, states = some_states(name, variant)
    codec = codec_of(game.game_map)
    for state in states:
        actions = game.legal_actions(state)
        pairs = [codec.encode(action, state.packed) for action in actions]

        assert len(set(pairs)) == len(pairs)
        assert [codec.decode(*pair, state.packed) for pair in pairs] == list(actions)
        assert all(game.why_illegal(state, action) is None for action in actions)


def test_what_was_decoded_once_is_found_again(nordic: GameMap) -> None:
    state = Game(nordic).new(seed=7).packed
    codec = codec_of(nordic)
    code, value = codec.encode(_claim(nordic, "Bergen-Oslo/1", red=4), state)

    assert codec.decode(code, value, state) is codec.decode(code, value, state)
    assert codec.decode(make_event(kind_of(code), 2, argument_of(code)), value, state) == codec.decode(
        code, value, state
    )  # the seat is not looked at
    assert codec_of(nordic) is codec
    assert Codec(nordic).decode(code, value, state) is codec.decode(code, value, state)  # a claim takes a while to make


def test_actions_in_words(nordic: GameMap) -> None:
    tunnel = nordic.route("Bergen", "Oslo", track=0)
    ticket = nordic.ticket("Bergen", "Narvik")
    texts: dict[Action, str] = {
        DrawCard(): "draw a card from the pile",
        DrawFaceUp(2): "take the card in market slot 2",
        _claim(nordic, "Bergen-Oslo/1", red=4): "claim Bergen-Oslo (red, 4) with 4 red",
        PayTunnel(CardCounts.of(red=1, locomotive=1)): "pay a surcharge of 1 red, 1 locomotive",
        DeclineTunnel(): "take back the cards for the tunnel",
        DrawTickets(): "draw tickets",
        KeepTickets((ticket, None)): "keep Bergen to Narvik 16; an unknown ticket",
        KeepTickets(()): "keep no ticket",
        ChooseNeutralRoute(tunnel): f"give {tunnel} to the neutral player",
        Pass(): "pass",
    }
    for action, text in texts.items():
        assert str(action) == text
        assert pickle.loads(pickle.dumps(action)) == action  # noqa: S301 - our own


def test_legal_actions_are_a_sequence() -> None:
    game, states = some_states("nordic", None)
    state = next(state for state in states if state.phase.name == "TURN")
    actions = game.legal_actions(state)

    assert list(actions) == [actions[i] for i in range(len(actions))]
    assert actions[1:3] == (actions[1], actions[2])
    assert actions[-1] == list(actions)[-1]
    assert actions[0] in actions
    assert Pass() not in actions
    assert DrawFaceUp(77) not in actions
    no_action: object = "draw"
    assert no_action not in actions
    assert actions.index(actions[2]) == 2
    assert repr(actions).startswith(f"<{len(actions)} legal actions: draw a card from the pile; take the card")
    with pytest.raises(IndexError):
        actions[len(actions)]


def test_a_claim_is_listed_by_its_cards_not_by_their_split() -> None:
    nordic = load("nordic")
    state = Game(nordic).new(seed=7).packed
    route = nordic.route("Lieksa", "Murmansk")
    one = ClaimRoute(route, Payment("green", 7, 0, CardCounts.of(red=4, green=4)))
    same = ClaimRoute(route, Payment("green", 7, 0, CardCounts.of(green=4, red=4)))
    assert codec_of(nordic).encode(one, state) == codec_of(nordic).encode(same, state)


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (None, "expected an action such as DrawCard"),
        (DrawCard, "expected an action such as DrawCard"),
        (DrawFaceUp("2"), "expected the number of a market slot, got '2'"),  # type: ignore[arg-type]
        (DrawFaceUp(1 << 60), "there is no market slot"),
        (ClaimRoute("Bergen-Oslo/1", Payment("red", 4, 0)), "expected a Route of .*, got 'Bergen-Oslo/1'"),  # type: ignore[arg-type]
        (PayTunnel({"red": 2}), "expected CardCounts such as"),  # type: ignore[arg-type]
        (PayTunnel(CardCounts.of(red=64)), "nobody can hold 64 red"),
        (KeepTickets(("Bergen-Narvik",)), "expected a Ticket of"),  # type: ignore[arg-type]
        (KeepTickets((None,)), "an unknown ticket is not offered"),
    ],
)
def test_what_has_no_numbers_is_refused(nordic: GameMap, action: Action, reason: str) -> None:
    with pytest.raises(IllegalActionError, match=reason):
        codec_of(nordic).encode(action, Game(nordic).new(seed=7).packed)


def test_routes_and_tickets_of_another_map_are_refused(nordic: GameMap) -> None:
    state = Game(nordic).new(seed=7).packed
    usa, nederland = load("usa"), load("nederland")
    foreign = usa.routes[0]
    with pytest.raises(IllegalActionError, match="is not a route on the map Nordic"):
        codec_of(nordic).encode(ChooseNeutralRoute(foreign), state)
    with pytest.raises(IllegalActionError, match="is not a ticket on the map Nordic"):
        codec_of(nordic).encode(KeepTickets((usa.tickets[0],)), state)
    with pytest.raises(IllegalActionError, match="expected a Payment for"):
        codec_of(nordic).encode(ClaimRoute(nordic.routes[0], CardCounts.of(red=2)), state)  # type: ignore[arg-type]
    with pytest.raises(IllegalActionError, match="belongs to another map or another variant of"):
        codec_of(nederland.with_variant("no_tolls")).encode(ChooseNeutralRoute(nederland.routes[0]), state)


def test_slots_of_numpy_are_slots(nordic: GameMap) -> None:
    state = Game(nordic).new(seed=7).packed
    assert codec_of(nordic).encode(DrawFaceUp(np.int64(3)), state) == codec_of(nordic).encode(DrawFaceUp(3), state)  # type: ignore[arg-type]


def test_tickets_kept_count_in_the_order_of_the_offer(nordic: GameMap) -> None:
    state = Game(nordic).new(seed=7)
    a, b, *_ = state.offers[0]
    codec = codec_of(nordic)

    assert codec.encode(KeepTickets((b, a)), state.packed) == codec.encode(KeepTickets((a, b)), state.packed)
    with pytest.raises(IllegalActionError, match="is kept twice"):
        codec.encode(KeepTickets((a, a)), state.packed)


def _claim(game_map: GameMap, route: str, **cards: int) -> ClaimRoute:
    claimed = game_map.route(route)
    return ClaimRoute(claimed, payments.from_cards(claimed, cards))


@pytest.mark.parametrize("kind", CARD_KINDS)
def test_as_many_cards_of_a_kind_as_rules_allow_fit_into_a_move(kind: str) -> None:
    cards = CardCounts.of(**{kind: 40})

    assert unpacked(packed(cards)) == cards
