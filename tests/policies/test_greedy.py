"""`Greedy` against a plain copy of it in Python, written from its description."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tests.engine.conformance import BUILDER, COLLECTOR, HOARDER, Combination, Whim, every_combination, in_turn
from tests.engine.positions import Position
from tests.engine.walks import state_of
from tests.policies.choosing import choice
from ttr_analysis import Game, SeatView
from ttr_analysis.cards import LOCOMOTIVE
from ttr_analysis.engine.actions import (
    Action,
    BuildStation,
    ChooseNeutralRoute,
    ClaimRoute,
    DrawCard,
    DrawFaceUp,
    DrawTickets,
    KeepTickets,
    Pass,
    PayTunnel,
)
from ttr_analysis.policies import CompiledPolicy, Greedy, Policy, Random

SEED = 2026
COMBINATIONS = every_combination()


class PlainGreedy:
    """The same player as a policy in Python."""

    name = "Greedy"

    def choose(self, view: SeatView, actions: Sequence[Action], rng: np.random.Generator) -> Action:  # noqa: ARG002
        first = actions[0]
        if isinstance(first, KeepTickets):
            return self.keep(view, [action for action in actions if isinstance(action, KeepTickets)])
        if isinstance(first, ChooseNeutralRoute):
            return first
        if view.pending:
            pays = [action for action in actions if isinstance(action, PayTunnel)]
            return min(pays, key=lambda pay: pay.cards[LOCOMOTIVE]) if pays else actions[-1]
        claims = [action for action in actions if isinstance(action, ClaimRoute)]
        return self.claim(view, claims) if claims else self.draw(view, actions)

    def keep(self, view: SeatView, keeps: list[KeepTickets]) -> Action:
        fewest = min(len(keep.tickets) for keep in keeps)
        offer = [ticket for ticket in view.offer if ticket]
        kept = sorted(offer, key=lambda ticket: ticket.penalty)[:fewest]
        return next(keep for keep in keeps if set(keep.tickets) == set(kept))

    def claim(self, view: SeatView, claims: list[ClaimRoute]) -> Action:
        longest = max(claims, key=lambda claim: claim.route.length).route
        return min((claim for claim in claims if claim.route == longest), key=lambda claim: self.cost(view, claim))

    def cost(self, view: SeatView, claim: ClaimRoute) -> tuple[int, int, int]:
        payment = claim.payment
        held = view.hand[payment.color] if payment.color else 0
        return payment.n_cards, payment.locomotives, -held

    def draw(self, view: SeatView, actions: Sequence[Action]) -> Action:
        face_up = [action for action in actions if isinstance(action, DrawFaceUp)]
        takes_one = view.game_map.rules.market.locomotive_cost == 1
        wanted = [action for action in face_up if takes_one or view.market[action.slot] != LOCOMOTIVE]
        held = [view.hand[view.market[action.slot] or ""] for action in wanted]
        if wanted and max(held) > 0:
            return wanted[held.index(max(held))]
        others: list[Action] = [DrawCard(), *reversed(wanted), *reversed(face_up), DrawTickets()]
        others += [*[action for action in actions if isinstance(action, BuildStation)][:1], Pass()]
        return next(action for action in others if action in actions)


def events(game: Game, policies: list[Policy | CompiledPolicy], number: int) -> str:
    return game.play(policies, SEED, number).dumps()


@pytest.mark.parametrize(
    "combination",
    [pytest.param(c, id=str(c), marks=() if c.n_players == 2 else pytest.mark.compiled_only) for c in COMBINATIONS],
)
def test_the_copy_plays_the_same_games(combination: Combination) -> None:
    game = Game(combination.game_map, combination.n_players)
    copies = events(game, [PlainGreedy() for _ in range(combination.n_players)], 0)

    assert copies == events(game, [Greedy()] * combination.n_players, 0)


OTHERS: tuple[Whim | Random, ...] = (HOARDER, COLLECTOR, BUILDER, Random())
GAMES = [pytest.param(*game, id=f"{game[0]}-{game[1].name}") for game in in_turn(OTHERS)]


@pytest.mark.compiled_only
@pytest.mark.parametrize(("combination", "other"), GAMES)
def test_the_copy_plays_the_same_games_against_others(combination: Combination, other: CompiledPolicy) -> None:
    game = Game(combination.game_map, combination.n_players)
    others = [other] * (combination.n_players - 1)

    assert events(game, [PlainGreedy(), *others], 0) == events(game, [Greedy(), *others], 0)


# -- what it says of itself ------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "chosen"),
    [
        pytest.param(
            Position("usa").hand(0, red=5, blue=2, locomotive=2),
            "claim Miami-New Orleans (red, 6) with 5 red, 1 locomotive",
            id="the longest route, with the fewest locomotives",
        ),
        pytest.param(
            Position("usa").hand(0, red=2, blue=3, yellow=3).own_all("Calgary-Vancouver/0"),
            "claim Calgary-Vancouver (gray, 3) with 3 blue",
            id="the first color held most",
        ),
        pytest.param(
            Position("usa").hand(0, red=1, green=1).market("blue", "green", "red", "locomotive", "red").own_all(),
            "take the card in market slot 1",
            id="the first slot of a kind held most",
        ),
        pytest.param(
            Position("usa").hand(0, locomotive=2).market("blue", "green", "red", "locomotive", "red").own_all(),
            "draw a card from the pile",
            id="no locomotive that costs two draws",
        ),
        pytest.param(
            Position("usa").own_all().market("blue", "locomotive", "red", None, None).pile(),
            "take the card in market slot 2",
            id="the last slot where there is no pile and nothing of it is held",
        ),
        pytest.param(
            Position("usa").own_all().market("blue", None, None, None, "locomotive").pile(),
            "take the card in market slot 0",
            id="no locomotive that costs two draws while there is another card",
        ),
        pytest.param(
            Position("usa").own_all().market(None, None, None, None, None).pile(),
            "draw tickets",
            id="tickets where there is no card",
        ),
        pytest.param(
            Position("usa").own_all().market(None, None, None, None, None).ticket_pile().pile(),
            "pass",
            id="nothing where there is nothing",
        ),
    ],
)
def test_it_does_what_it_says(table: Position, chosen: str) -> None:
    game, state = state_of(table)
    action = choice(Greedy(), table)

    assert str(action) == chosen
    assert action == PlainGreedy().choose(game.view(state, 0), game.legal_actions(state), np.random.default_rng(0))
