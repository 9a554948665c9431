"""The table of actions: what the rules, the codec and records are driven from."""

from __future__ import annotations

from typing import get_args

from ttr_analysis.engine import actions
from ttr_analysis.engine.actions.handler import Handler
from ttr_analysis.engine.actions.table import DUE, HANDLER_OF, HANDLERS
from ttr_analysis.engine.codes import FIRST_EVENT, KIND_MASK, N_ACTIONS, PASS, SHUFFLED
from ttr_analysis.engine.layout import Phase


def test_each_action_stands_at_its_kind() -> None:
    assert [handler.kind for handler in HANDLERS] == list(range(N_ACTIONS))
    assert N_ACTIONS <= FIRST_EVENT
    assert SHUFFLED <= KIND_MASK


def test_passing_comes_last() -> None:
    # It is listed if nothing else was.
    assert HANDLERS[-1].kind == PASS


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
