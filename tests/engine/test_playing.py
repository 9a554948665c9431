"""Policies at their seats, and outcomes of chance by script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.engine.positions import Position, changed
from tests.engine.walks import on_each_walk, some_states, state_of
from tests.fixtures import load
from ttr_analysis import CardCounts, Game, GameError, GameMap, GameState, IllegalActionError, SeatView
from ttr_analysis.analysis.payments import Payment, from_cards
from ttr_analysis.cards import COLORS
from ttr_analysis.engine.actions import Action, ClaimRoute, DrawCard, DrawFaceUp, DrawTickets, LegalActions
from ttr_analysis.engine.codes import CLAIM_ROUTE, KEEP_TICKETS, make_action
from ttr_analysis.engine.events import Chance, ChanceKind, Move
from ttr_analysis.engine.layout import Phase
from ttr_analysis.engine.protocol import CompiledPolicy, Policy
from ttr_analysis.policies import play_games
from ttr_analysis.policies.greedy import Greedy, choose_greedily
from ttr_analysis.policies.random import Random


class AtRandom:
    """A policy in Python."""

    def choose(self, view: SeatView, actions: Sequence[Action], rng: np.random.Generator) -> Action:
        assert view.seat == view.acting
        return actions[int(rng.integers(len(actions)))]


class Faulty:
    """A policy that chooses what it is told to."""

    name = "Faulty one"

    def __init__(self, action: object) -> None:
        self.action = action

    def choose(self, view: SeatView, actions: Sequence[Action], rng: np.random.Generator) -> Action:  # noqa: ARG002
        if isinstance(self.action, Exception):
            raise self.action
        return self.action  # type: ignore[return-value]


class Broken(Random):
    """A compiled policy that chooses what does not exist."""

    def decide(self, state, *_):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN002, ANN201
        return (KEEP_TICKETS, 0) if state.phase == Phase.KEEP_START else (make_action(CLAIM_ROUTE, 500), 0)


@on_each_walk
def test_policies_play_whole_games(name: str, variant: str | None) -> None:
    game = Game(load(name), 2, variant)
    record = game.play([AtRandom(), Random()], seed=7, game=3)

    assert record == game.play([AtRandom(), Random()], seed=7, game=3)
    last = record.states()[-1]
    assert last.is_over
    assert tuple(score.total for score in game.score(last).seats) == tuple(record.scores)


def test_a_policy_never_shifts_the_cards_of_the_table(nordic: GameMap) -> None:
    game = Game(nordic)
    pairs: list[list[Policy | CompiledPolicy]] = [[Random(), Greedy()], [Greedy(), AtRandom()]]
    dealt = [game.play(policies, 7).events[:23] for policies in pairs]
    assert dealt[0] == dealt[1] == game.deal(7)[1]


def test_the_memory_of_a_compiled_policy_begins_with_its_stream_and_zeros(nordic: GameMap) -> None:
    seen: list[list[int]] = []

    class Looking(Random):
        def decide(self, state, tables, lore, seat, params, memory):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
            if len(seen) <= seat:
                seen.append(memory.tolist())
            return Random().decide(state, tables, lore, seat, params, memory)

    Game(nordic).play([Looking(), Looking()], 7)
    assert seen[0][:4] != seen[1][:4]
    assert not any(seen[0][4:])


@pytest.mark.parametrize(
    ("policies", "error", "reason"),
    [
        ([Random()], GameError, "a game of 2 players needs 2 policies, got 1"),
        ([Random(), Random], GameError, "P1 must be played by a policy, got the class: write Random()"),
        (
            [Random(), 7],
            GameError,
            "P1 must be played by a policy, an object with a method `choose`, got 7",
        ),
        (
            [Random(), Faulty(None)],
            IllegalActionError,
            "Faulty one at P1 in turn 1 chose an illegal action: expected an act",
        ),
        (
            [Faulty(DrawCard()), Random()],
            IllegalActionError,
            "Faulty one at P0 in turn 1 .*: P0 must choose its opening",
        ),
        ([Random(), Faulty(KeyError("red"))], GameError, "Faulty one at P1 in turn 1 failed: KeyError: 'red'"),
        (
            [Broken(), Random()],
            IllegalActionError,
            "Random at P0 in turn 1 chose an illegal action: P0 must keep at least 2",
        ),
    ],
)
def test_policies_that_fail_are_named(nordic: GameMap, policies: list[AtRandom], error: type, reason: str) -> None:
    with pytest.raises(error, match=reason):
        Game(nordic).play(policies, seed=7)


def test_legal_actions_of_a_policy_hold_no_secrets(nordic: GameMap) -> None:
    class Cheat:
        def choose(self, view: SeatView, actions: Sequence[Action], rng: np.random.Generator) -> Action:
            assert isinstance(actions, LegalActions)
            assert np.array_equal(actions._state.cells, view.packed.cells)
            return actions[int(rng.integers(len(actions)))]

    Game(nordic).play([Cheat(), Greedy()], 7)


# -- outcomes by script -----------------------------------------------------------


def test_a_step_follows_a_script() -> None:
    game, state = state_of(Position("usa").market("red", "blue", "green", "white", "black"))
    after, events = game.step(state, DrawFaceUp(2), [Chance("market_card", slot=2, card="yellow")])

    assert events == (Move(0, DrawFaceUp(2)), Chance("market_card", slot=2, card="yellow"))
    assert after.market == ("red", "blue", "yellow", "white", "black")
    assert after.hands[0] == CardCounts.of(green=1)


@on_each_walk
def test_what_happened_at_random_happens_again_by_script(name: str, variant: str | None) -> None:
    game, states = some_states(name, variant)
    for state in states:
        for action in game.legal_actions(state)[:3]:
            after, (move, *outcomes) = game.step(state, action)
            scripted, again = game.step(state, action, [o for o in outcomes if isinstance(o, Chance)])

            assert move == Move(state.acting, action)
            assert again == (move, *outcomes)
            assert game.view(scripted, 0) == game.view(after, 0)


@pytest.mark.parametrize(
    ("outcomes", "reason"),
    [
        ([], "outcome 1 is missing: expected a card that P0 draws"),
        (
            [Chance("card_drawn", 1, card="red")],
            'outcome 1 does not fit: expected a card that P0 draws, got "P1 draws red"',
        ),
        (
            [Chance("card_revealed", card="red")],
            'expected a card that P0 draws, got "red is turned over for the tunnel"',
        ),
        ([Chance("card_drawn", 0, card="rosa")], "no kind of card 'rosa'"),
        ([Chance("card_drawn", card="red")], "the seat of a card_drawn must be from 0 to 5, got None"),
        ([Chance("market_card", card="red")], "the slot of a market_card must be"),
        ([Chance("card_sold", 0, card="red")], "no outcome of chance 'card_sold'"),  # type: ignore[arg-type]
        ([DrawCard()], "expected an outcome of chance, got DrawCard"),
        ([Chance("card_drawn", 0, card="red")] * 2, "outcome 2 is one too many: P0 draws red"),
        ([Chance("card_drawn", 0, card="blue")], "outcome 1 does not fit: P0 draws blue, but the draw pile has none"),
    ],
)
def test_outcomes_that_do_not_fit_are_named(outcomes: list[Chance], reason: str) -> None:
    game, state = state_of(Position("usa").market("red").pile(red=9))
    with pytest.raises(GameError, match=reason):
        game.step(state, DrawCard(), outcomes)


def test_a_script_that_ends_in_the_middle_of_a_new_market_is_named() -> None:
    """Three locomotives lie face up once more, with two cards that nobody knows."""
    game, state = state_of(Position("usa").market("locomotive", "locomotive", "red", "blue", "green"))
    outcomes = [Chance("market_card", slot=slot, card="locomotive") for slot in (2, 0, 1, 2)]
    with pytest.raises(GameError, match="outcome 5 is missing: expected a card for market slot 3"):
        game.step(state, DrawFaceUp(2), outcomes)


def test_what_decides_what_follows_must_be_known() -> None:
    game, state = state_of(Position("usa"))
    ticket = game.game_map.tickets[0]
    offers = [Chance("ticket_offered", 0, ticket=ticket)] * 3
    with pytest.raises(GameError, match=r"outcome 2 does not fit: .* but it cannot come from the ticket pile now"):
        game.step(state, DrawTickets(), offers)


def test_unknown_cards_get_their_names_when_they_are_played(nordic: GameMap) -> None:
    game = Game(nordic)
    state, dealt = game.deal(7)
    seen = [e if e.seat != 0 or e.kind != "card_dealt" else Chance(e.kind, 0) for e in dealt if isinstance(e, Chance)]
    known, events = game.deal(outcomes=seen)

    assert list(events) == seen
    assert (known.hands[0], known.n_hands[0]) == (CardCounts(), 4)
    assert known.hands[1] == state.hands[1]
    for _ in range(2):
        known = game.apply(known, game.legal_actions(known)[0])
    short = next(r for r in nordic.routes if r.length == 1 and r.kind == "plain")
    after, _ = game.step(known, ClaimRoute(short, from_cards(short, {short.color: 1})), None)
    assert after.owners == {short.id: 0}
    assert (after.hands[0], after.n_hands[0]) == (CardCounts(), 3)


def test_unknown_cards_do_not_pay_for_everything(nordic: GameMap) -> None:
    game = Game(nordic)
    dealt = [e for e in game.deal(7)[1] if isinstance(e, Chance)]
    known, _ = game.deal(outcomes=[replace(e, card=None) if e.kind == "card_dealt" else e for e in dealt])
    for _ in range(2):
        known = game.apply(known, game.legal_actions(known)[0])
    nine = ClaimRoute(nordic.route("Lieksa", "Murmansk"), Payment("green", 9, 0))
    assert game.why_illegal(known, nine) == "P0 holds no cards and 4 unknown cards, so it cannot play 9 green"

    vector = known.packed.copy()
    vector.draw_pile[COLORS.index("green")] = 1
    two = ClaimRoute(nordic.route("Oslo", "Örebro", color="green"), Payment("green", 2, 0))
    reason = "P0 cannot hold 2 green: it is known to hold 0, with only 1 more unseen"
    assert game.why_illegal(GameState(nordic, 2, vector), two) == reason


def test_a_market_replaced_very_often_fits_on_the_tape() -> None:
    market = {"reset_at": 1, "max_resets": 100, "reset_needs_colored": 0}
    cards = {"per_color": 1, "locomotives": 40, "opening_hand": 0}
    game = Game(changed("usa", market=market, cards=cards))
    _, dealt = game.deal(seed=7)
    assert sum(isinstance(event, Chance) and event.kind == "market_replaced" for event in dealt) == 100


def test_events_in_words(nordic: GameMap) -> None:
    ticket = nordic.tickets[0]
    kinds: dict[ChanceKind, str] = {
        "card_dealt": "P1 is dealt red",
        "card_drawn": "P1 draws red",
        "market_card": "red goes to market slot 2",
        "card_revealed": "red is turned over for the tunnel",
        "ticket_offered": f"P1 is offered {ticket}",
        "neutral_ticket": f"{ticket} is turned up for the neutral player",
        "cards_shuffled": "the discards become the draw pile",
        "tickets_shuffled": "the ticket discards become the ticket pile",
        "market_replaced": "the market is replaced",
    }
    for kind, text in kinds.items():
        assert str(Chance(kind, 1, 2, "red", ticket)) == text
    assert str(Move(1, DrawCard())) == "P1: draw a card from the pile"


def test_without_a_seed_it_is_0(nordic: GameMap) -> None:
    game = Game(nordic)

    assert game.play(["Random", "Random"]) == game.play(["Random", "Random"], seed=0)


def test_parameters_may_be_whole_numbers(nordic: GameMap) -> None:
    class Whole:
        name, memory_size, params = "Whole", 4, np.ones(1, dtype=np.int64)
        lore = staticmethod(Greedy().lore)
        chooser = decide = staticmethod(choose_greedily)

    whole: Any = Whole()
    rows = Game(nordic).play_rows([whole, whole], seed=7)

    assert np.array_equal(rows, Game(nordic).play_rows([Greedy(), Greedy()], seed=7))
    ends = [play_games(nordic, [player, player], 1, seed=7) for player in (whole, Greedy())]
    assert all(map(np.array_equal, *ends))
