"""The table of actions: what the rules, the codec and records are driven from."""

from __future__ import annotations

from typing import get_args

from tests.fixtures import load
from ttr_analysis import payments
from ttr_analysis.engine import actions
from ttr_analysis.engine.actions.handler import Handler
from ttr_analysis.engine.actions.table import DUE, HANDLER_OF, HANDLERS, Places, places_of
from ttr_analysis.engine.codes import ATTEMPT_TUNNEL, FIRST_EVENT, KIND_MASK, N_ACTIONS, PASS, SHUFFLED
from ttr_analysis.engine.layout import Phase


def test_each_action_stands_at_its_kind() -> None:
    assert [handler.kind for handler in HANDLERS] == list(range(N_ACTIONS))
    assert N_ACTIONS <= FIRST_EVENT
    assert SHUFFLED <= KIND_MASK


def test_passing_comes_last() -> None:
    # It is listed if nothing else was.
    assert [handler.kind for handler in HANDLERS[-2:]] == [PASS, ATTEMPT_TUNNEL]


def test_every_action_is_public_and_known_by_its_class() -> None:
    assert set(HANDLER_OF) == set(get_args(actions.Action))
    assert {handler.action.__name__ for handler in HANDLERS} < set(actions.__all__)


def test_names_and_verbs_are_told_apart() -> None:
    assert len({handler.name for handler in HANDLERS}) == len(HANDLERS)
    assert len({handler.verb for handler in HANDLERS}) == len(HANDLERS)


def test_something_is_due_until_the_game_is_over() -> None:
    assert {phase for phase, _ in DUE} == set(Phase) - {Phase.OVER}


def test_what_is_encoded_is_decoded() -> None:
    def is_whole(handler: Handler) -> bool:
        return (handler.decode is None) == (not handler.keys)

    assert all(map(is_whole, HANDLERS))


def test_places_are_those_that_the_seat_takes() -> None:
    europe = load("europe")
    route, city = europe.route("Dieppe", "London", track=0), europe.city("London")

    payment = payments.from_cards(route, {"locomotive": route.length})
    claim = actions.ClaimRoute(route, payment)
    assert places_of(claim) == Places((route,), ())
    assert places_of(actions.BuildStation(city, payment)) == Places((), (city,))
    others: list[actions.Action | None] = [None, actions.DrawCard(), actions.Pass(), actions.ChooseNeutralRoute(route)]
    assert [places_of(action) for action in others] == [Places()] * len(others)
