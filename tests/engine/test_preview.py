"""Whether any seat may claim any route, and what it would cost, before it is done."""

from __future__ import annotations

import numpy as np
import pytest

from tests.engine.positions import Position
from tests.engine.walks import state_of
from tests.fixtures import EVERY_MAP, load
from ttr_analysis import CardCounts, Game, GameError
from ttr_analysis.analysis.payments import Payment
from ttr_analysis.engine.actions import ClaimRoute, DrawCard, DrawFaceUp
from ttr_analysis.engine.layout import Phase
from ttr_analysis.policies import Random


@pytest.mark.parametrize("name", EVERY_MAP)
def test_the_preview_agrees_with_the_legal_actions_and_with_what_happens(name: str) -> None:
    game = Game(load(name))
    record = game.play([Random(), Random()], seed=5)
    for state in record.states()[10::15]:
        claims = [action for action in game.legal_actions(state) if isinstance(action, ClaimRoute)]
        open_now = {claim.route.id for claim in claims}
        for route in game.game_map.routes:
            preview = game.preview(state, route)
            assert preview.is_legal == (route.id in open_now)
            assert (preview.reason is None) == preview.is_legal
            if not preview.is_legal or route.tunnel:
                continue
            assert preview.payment is not None
            assert game.why_illegal(state, ClaimRoute(route, preview.payment)) is None
            assert preview.payment.n_cards == min(c.payment.n_cards for c in claims if c.route == route)


def test_tolls_and_loans_are_as_the_preview_says() -> None:
    game = Game(load("nederland"), 4)
    rng, state = np.random.default_rng(3), game.new(seed=3)
    to_owner, n_loans = 0, 0
    while not state.is_over:
        actions = game.legal_actions(state)
        for route in {action.route for action in actions if isinstance(action, ClaimRoute)}:
            preview = game.preview(state, route)
            assert preview.payment is not None
            after = game.apply(state, ClaimRoute(route, preview.payment))
            loans = tuple(b - a for a, b in zip(state.loans, after.loans, strict=True))
            got = tuple(b - a for a, b in zip(state.tokens, after.tokens, strict=True))
            assert sum(loans) == loans[preview.seat] == preview.takes_loan
            assert got[preview.seat] == (0 if preview.takes_loan else -route.toll)
            others = [seat for seat in range(game.n_players) if seat != preview.seat]
            assert [got[seat] for seat in others] == [route.toll * (seat == preview.payee) for seat in others]
            to_owner += preview.payee is not None
            n_loans += preview.takes_loan
        claims = [action for action in actions if isinstance(action, ClaimRoute)]
        state = game.apply(state, (claims or actions)[int(rng.integers(len(claims or actions)))])
    assert to_owner > 0
    assert n_loans > 0


def test_another_seat_is_asked_about_as_if_its_turn_began() -> None:
    table = Position("usa").hand(0, red=2).hand(1, blue=6)
    game, state = state_of(table)
    duluth = game.game_map.route("Duluth", "Helena")

    assert game.why_illegal(state, DrawCard(), seat=1) is None
    assert game.preview(state, duluth, seat=0).reason is not None
    assert "needs 6" in str(game.preview(state, duluth))
    told = str(game.preview(state, "Helena–Winnipeg", seat=1))
    assert told == "P1 may claim Helena-Winnipeg (blue, 4) with 4 blue for 7 points"
    assert state.acting == 0
    with pytest.raises(GameError, match="expected a seat from 0 to 1, got 2"):
        game.preview(state, duluth, seat=2)


def test_another_seat_may_take_a_locomotive_whatever_the_acting_seat_has_drawn() -> None:
    game, state = state_of(Position("usa").market("locomotive", "red", "red", "blue", "blue"))
    state = game.apply(state, DrawFaceUp(1))

    assert game.why_illegal(state, DrawFaceUp(0)) == "a face-up locomotive may only be the first card of a turn"
    assert game.why_illegal(state, DrawFaceUp(0), seat=1) is None


def test_while_opening_tickets_are_chosen_others_can_still_be_asked_about() -> None:
    game = Game("nordic")
    state = game.new(seed=7)
    assert state.phase is Phase.KEEP_START
    assert game.preview(state, "Lieksa-Murmansk", seat=0).reason is not None
    assert "needs" in str(game.preview(state, "Lieksa-Murmansk", seat=1))


def test_cards_that_would_not_do_in_any_hand_are_refused_for_that() -> None:
    table = Position("nordic").hand(0, green=9)
    game, state = state_of(table)
    route = game.game_map.route("Lieksa", "Murmansk")
    laid = Payment(None, 0, 0, CardCounts.of(green=8, locomotive=1))

    assert game.why_illegal(state, ClaimRoute(route, laid)) == (
        "Lieksa-Murmansk (gray, 9): locomotives are not wild on this route"
    )
