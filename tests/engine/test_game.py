"""The facade: states as values, reasons in words, policies at their seats."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import cast

import numpy as np
import pytest

from tests.engine.positions import Position, changed, drawn, revealed
from tests.engine.walks import WALKS, some_states, whole_game
from tests.fixtures import load
from ttr_analysis import CardCounts, Game, GameError, GameMap, GameState, IllegalActionError, SeatView, UnknownNameError
from ttr_analysis.analysis.payments import Payment, from_cards
from ttr_analysis.engine.actions import (
    Action,
    ChooseNeutralRoute,
    ClaimRoute,
    DeclineTunnel,
    DrawCard,
    DrawFaceUp,
    DrawTickets,
    KeepTickets,
    LegalActions,
    Pass,
    PayTunnel,
)
from ttr_analysis.engine.events import Chance, ChanceKind, Move
from ttr_analysis.engine.kernel.legal import ActionFault
from ttr_analysis.engine.layout import (
    LOANS,
    N_OFFER,
    NEUTRAL_TICKET,
    OFFER,
    OVER,
    PHASE,
    SEAT,
    TOKENS,
    TRAINS,
    Phase,
)
from ttr_analysis.engine.protocol import CompiledPolicy, Policy
from ttr_analysis.engine.reasons import _TEXTS
from ttr_analysis.policies.greedy import Greedy
from ttr_analysis.policies.random import Random


def state_of(table: Position) -> tuple[Game, GameState]:
    """Return a position as a state, and its game."""
    game = Game(table.map, table.n_players)
    return game, GameState(table.map, table.n_players, table.state)


def why(table: Position, action: Action) -> str | None:
    """Return why an action is illegal in a position."""
    game, state = state_of(table)
    return game.why_illegal(state, action)


def claim(game_map: GameMap, route: str, **cards: int) -> ClaimRoute:
    """Return a claim with cards that need not pay for the route."""
    claimed = game_map.route(route)
    try:
        return ClaimRoute(claimed, from_cards(claimed, cards))
    except ValueError:
        return ClaimRoute(claimed, Payment(None, 0, 0, CardCounts.of(**cards)))


# -- games and states -----------------------------------------------------------


@pytest.mark.parametrize(("name", "variant"), WALKS)
def test_old_states_never_change(name: str, variant: str | None) -> None:
    game, states = some_states(name, variant)
    before = [state.vector for state in states]
    for state in states:
        for action in game.legal_actions(state)[:40]:
            assert game.apply(state, action) != state
        game.score(state)

    assert all(np.array_equal(vector, state.vector) for vector, state in zip(before, states, strict=True))


def test_what_follows_depends_on_state_and_action_alone() -> None:
    game, states = some_states("nordic", None)
    again = Game(load("nordic"))
    for state, other in zip(states, whole_game_states(again), strict=True):
        assert state == other
        assert hash(state) == hash(other)
        assert pickle.loads(pickle.dumps(state)) == state  # noqa: S301 - our own
        for action in game.legal_actions(state)[:5]:
            assert game.step(state, action) == again.step(other, action)


def whole_game_states(game: Game) -> Sequence[GameState]:
    """Return the states that `some_states` has, played anew."""
    some_states.cache_clear()
    return some_states(game.game_map.name, game.game_map.rules.variant or None, game.n_players)[1]


def test_seed_and_number_of_the_game_decide_what_is_dealt(nordic: GameMap) -> None:
    game = Game(nordic, 3)
    dealt = [game.new(seed, number) for seed in (0, 7) for number in (0, 1)]

    assert game.new(seed=7, game=1) == dealt[3]
    assert len(set(dealt)) == 4


def test_states_in_words(nordic: GameMap) -> None:
    game = Game(nordic, 2)
    state, dealt = game.deal(seed=7)

    assert repr(game) == "<Game nordic, 2 players>"
    assert repr(state) == "<GameState nordic, 2 players: P0 KEEP_START, turn 1, scores 0-0, trains 40-40>"
    assert (state.phase, state.seat, state.turn, state.n_turns) == (Phase.KEEP_START, 0, 0, 0)
    assert (state.is_over, state.is_last_round, state.turns_left, state.ending) == (False, False, None, None)
    assert [event.card for event in dealt if event.kind == "market_card"] == list(state.market)  # type: ignore[union-attr]
    assert [event.ticket for event in dealt if isinstance(event, Chance) and event.ticket] == [
        *state.offers[0],
        *state.offers[1],
    ]
    assert state.pile.n_cards == state.n_pile == 97
    assert (state.pending, state.marker, state.has_neutral, state.discards.n_cards) == (None, None, False, 0)


def test_a_game_that_is_over() -> None:
    *_, state = whole_game(Game(load("invented")), 7)

    assert (state.is_over, state.ending, state.turns_left, state.phase) == (True, "trains", 0, Phase.OVER)
    assert len(Game(load("invented")).legal_actions(state)) == 0
    assert "over (trains)" in repr(state)


def test_the_vector_of_a_state_cannot_be_written(nordic: GameMap) -> None:
    state = Game(nordic).new(seed=7)
    with pytest.raises(ValueError, match="read-only"):
        state.vector[0] = 1
    with pytest.raises(AttributeError):
        state.phase = Phase.OVER  # type: ignore[misc]
    with pytest.raises(GameError, match="vector of"):
        GameState(nordic, 2, np.zeros(3, dtype=np.int64))


def test_a_state_is_a_copy_of_its_vector(nordic: GameMap) -> None:
    vector = Game(nordic).new(seed=7).vector.copy()
    state = GameState(nordic, 2, vector)
    vector[PHASE] = OVER
    assert not state.is_over


@pytest.mark.parametrize(
    ("make", "error", "reason"),
    [
        (lambda m: Game(m, 4), GameError, "for 2 to 3 players, got 4"),
        (lambda m: Game(m, cast("int", 2.5)), GameError, "number of players is a whole number of 0 or more, got 2.5"),
        (lambda _: Game("nordic"), GameError, "a game is played on a map"),  # type: ignore[arg-type]
        (lambda m: Game(m, 2, "no_tols"), UnknownNameError, "no variant of Nordic Countries 'no_tols'"),
        (lambda m: Game(m).new(-1), ValueError, "a seed is a whole number"),
        (lambda m: Game(m).new(7, -1), GameError, "number of the game is a whole number"),
        (lambda m: Game(m).legal_actions(Game(m, 3).new(7)), GameError, "is no state of <Game nordic, 2 players>"),
        (lambda m: Game(m).view(7, 0), GameError, "expected a GameState"),  # type: ignore[arg-type]
        (lambda m: Game(m).apply(Game(load("usa")).new(7), DrawCard()), GameError, "is no state of"),
    ],
)
def test_wrong_questions(nordic: GameMap, make: Callable[[GameMap], object], error: type, reason: str) -> None:
    with pytest.raises(error, match=reason):
        make(nordic)


def test_games_are_values(nordic: GameMap) -> None:
    assert Game(nordic) == Game(nordic, 2)
    assert Game(nordic) != Game(nordic, 3)
    assert hash(Game(nordic)) == hash(Game(nordic))
    assert pickle.loads(pickle.dumps(Game(nordic, 3))) == Game(nordic, 3)  # noqa: S301 - our own
    nederland = load("nederland")
    assert Game(nederland, 2, "neutral") == Game(nederland.with_variant("neutral"), 2)
    assert repr(Game(nederland, 2, "neutral")) == "<Game nederland neutral, 2 players>"


# -- what is illegal, and why ---------------------------------------------------


def _over() -> Position:
    return Position("usa").put(PHASE, OVER)


def _offered() -> Position:
    table = Position("nordic").put(PHASE, Phase.KEEP_START).put(N_OFFER, 3)
    for i in range(3):
        table.put(OFFER + i, i)
    return table


def _tunnel(**hand: int) -> Position:
    table = Position("nordic").hand(0, blue=4, **hand)
    return table.do(table.claim("Bergen-Oslo/0", blue=4), revealed("blue", "red", "locomotive"))


def _locomotive_second() -> Position:
    table = Position("usa").market("locomotive", "red", "white", "white", "black")
    return table.do((0, 0), drawn("blue"))


def _empty_piles(game_map: str | GameMap) -> Position:
    return Position(game_map).market("red", "blue").pile()


def _neutral_phase() -> Position:
    table = Position("nederland", 2, "neutral")
    ticket = next(t for t in table.map.tickets if t.neutral == ("Amsterdam", "Rotterdam"))
    table.put(NEUTRAL_TICKET, table.map.tickets.index(ticket))
    return table.put(PHASE, Phase.NEUTRAL).put(SEAT, 1)


def _no_loans() -> Position:
    game_map = changed("nederland", money={"loan": load("nederland").rules.money.loan.__class__(penalty=5, limit=1)})
    return Position(game_map, 2).hand(0, red=4).put(TOKENS, 1).put(LOANS + 1, 1)


def _first(game_map: GameMap, *, toll: int) -> ClaimRoute:
    """Return a claim of a gray route with a toll, for red cards."""
    route = next(r for r in game_map.routes if r.toll == toll and r.length <= 4 and r.color in {"gray", "red"})
    return ClaimRoute(route, from_cards(route, {"red": route.length}))


CASES: list[tuple[ActionFault, Callable[[], Position], Callable[[GameMap], Action], str]] = [
    (ActionFault.OVER, _over, lambda _: DrawCard(), "the game is over"),
    (
        ActionFault.PHASE,
        _tunnel,
        lambda _: DrawCard(),
        "P0 must pay the surcharge or take its cards back now; it cannot",
    ),
    (
        ActionFault.PHASE,
        _offered,
        lambda _: DrawCard(),
        "P0 must choose its opening tickets now; it cannot draw a card",
    ),
    (
        ActionFault.PHASE,
        lambda: Position("usa"),
        lambda _: DeclineTunnel(),
        "P0 must take its turn now; it cannot decline",
    ),
    (ActionFault.PHASE, lambda: Position("usa"), lambda _: PayTunnel(CardCounts()), "cannot pay for a tunnel"),
    (
        ActionFault.PHASE,
        _locomotive_second,
        lambda _: DrawTickets(),
        "P0 must draw a further card now; it cannot draw tick",
    ),
    (
        ActionFault.PHASE,
        lambda: Position("usa"),
        lambda m: KeepTickets(m.tickets[:1]),
        "P0 must take its turn now; it cannot keep tickets",
    ),
    (ActionFault.NO_CARDS, lambda: _empty_piles("usa"), lambda _: DrawCard(), "draw pile and discard pile are empty"),
    (ActionFault.SLOT, lambda: Position("usa"), lambda _: DrawFaceUp(9), "there is no market slot 9: they are 0 to 4"),
    (ActionFault.SLOT, lambda: Position("usa"), lambda _: DrawFaceUp(-1), "there is no market slot -1"),
    (ActionFault.EMPTY_SLOT, lambda: _empty_piles("usa"), lambda _: DrawFaceUp(4), "no card lies in market slot 4"),
    (ActionFault.SECOND_LOCOMOTIVE, _locomotive_second, lambda _: DrawFaceUp(0), "locomotive may not be a later card"),
    (
        ActionFault.MARKET_CLOSED,
        lambda: _empty_piles(changed("usa", market={"open_without_piles": False})),
        lambda _: DrawFaceUp(0),
        "draw pile and discard pile are empty; face-up cards may then not be taken",
    ),
    (
        ActionFault.TAKEN,
        lambda: Position("nordic").own(1, "Bergen-Oslo/0"),
        lambda m: claim(m, "Bergen-Oslo/0", blue=4),
        r"Bergen-Oslo \(blue, 4\) is taken by P1",
    ),
    (
        ActionFault.TAKEN,
        lambda: Position("nederland", 2, "neutral").own("neutral", "Amsterdam-Rotterdam/0"),
        lambda m: ClaimRoute(m.route("Amsterdam-Rotterdam/0"), Payment(None, 0, 3)),
        "is taken by the neutral player",
    ),
    (
        ActionFault.TWIN_OWN,
        lambda: Position("nordic").own(0, "Bergen-Oslo/0"),
        lambda m: claim(m, "Bergen-Oslo/1", red=4),
        r"P0 has the other track of Bergen-Oslo \(red, 4\)",
    ),
    (
        ActionFault.TWIN_CLOSED,
        lambda: Position("nordic").own(1, "Bergen-Oslo/0"),
        lambda m: claim(m, "Bergen-Oslo/1", red=4),
        r"P1 has the other track of Bergen-Oslo \(red, 4\), which closes this one with 2 players",
    ),
    (
        ActionFault.TRAINS,
        lambda: Position("nordic", 3).after_turns(2).hand(2, green=9).put(TRAINS + 2, 3),
        lambda m: claim(m, "Lieksa-Murmansk/0", green=9),
        r"P2 has 3 trains, Lieksa-Murmansk \(gray, 9\) wants 9",
    ),
    (
        ActionFault.CARDS,
        lambda: Position("nordic").hand(0, blue=2),
        lambda m: claim(m, "Bergen-Oslo/0", blue=3, locomotive=1),
        "P0 holds 2 of the 3 blue, 0 of the 1 locomotive",
    ),
    (
        ActionFault.PAYMENT,
        lambda: Position("nordic").hand(0, red=4),
        lambda m: claim(m, "Bergen-Oslo/0", red=4),
        "cards must be blue, got 4 red",
    ),
    (
        ActionFault.LOANS,
        _no_loans,
        lambda m: _first(m, toll=2),
        "P0 has tokens worth 1, .* has a toll of 2, and no loan",
    ),
    (
        ActionFault.SURCHARGE,
        lambda: _tunnel(red=1, locomotive=1),
        lambda _: PayTunnel(CardCounts.of(red=1, locomotive=1)),
        r"the tunnel demands 2 more cards \(blue or locomotives\), got 1 red, 1 locomotive",
    ),
    (
        ActionFault.CARDS,
        lambda: _tunnel(locomotive=1),
        lambda _: PayTunnel(CardCounts.of(locomotive=2)),
        "P0 holds 1 of the 2 locomotive",
    ),
    (ActionFault.NO_TICKETS, lambda: Position("usa").ticket_pile(), lambda _: DrawTickets(), "no ticket is left"),
    (
        ActionFault.KEEP_FEW,
        _offered,
        lambda m: KeepTickets(m.tickets[:1]),
        "P0 must keep at least 2 tickets, got 1",
    ),
    (
        ActionFault.KEEP_OTHER,
        _offered,
        lambda m: KeepTickets(m.tickets[2:4]),
        f"{load('nordic').tickets[3]} is not offered",
    ),
    (
        ActionFault.NEUTRAL_ROUTE,
        _neutral_phase,
        lambda m: ChooseNeutralRoute(m.route("Breda-Rotterdam/0")),
        "the neutral player takes Amsterdam-Rotterdam .* or Amsterdam-Rotterdam .* now, got Breda-Rotterdam",
    ),
    (
        ActionFault.NOT_STUCK,
        lambda: Position("usa"),
        lambda _: Pass(),
        "P0 can do something else; who can may not pass",
    ),
]


@pytest.mark.parametrize(("fault", "position", "action", "reason"), CASES, ids=[case[0].name for case in CASES])
def test_every_fault_has_a_reason_in_words(
    fault: ActionFault, position: Callable[[], Position], action: Callable[[GameMap], Action], reason: str
) -> None:
    table = position()
    game, state = state_of(table)
    refused = action(table.map)

    assert fault != ActionFault.NONE
    assert not game.is_legal(state, refused)
    with pytest.raises(IllegalActionError, match=reason):
        game.apply(state, refused)
    assert refused not in game.legal_actions(state)


def test_no_fault_is_without_a_case() -> None:
    assert set(_TEXTS) == set(ActionFault) - {ActionFault.NONE}
    by_number = {ActionFault.ROUTE}  # a Route is always one of a map
    assert {case[0] for case in CASES} == set(ActionFault) - {ActionFault.NONE} - by_number


def test_a_tunnel_in_locomotives_wants_locomotives() -> None:
    table = Position("nordic").hand(0, locomotive=4, green=2)
    table.do(table.claim("Kristiansand-Stavanger/0", locomotive=2), revealed("green", "red", "locomotive"))

    reason = why(table, PayTunnel(CardCounts.of(green=1)))
    assert reason == "the tunnel demands 1 more card (locomotives), got 1 green"


def test_actions_of_another_map_get_a_reason_too() -> None:
    usa = load("usa")
    foreign = usa.routes[0]
    reason = why(Position("nordic"), ClaimRoute(foreign, from_cards(foreign, {"red": foreign.length})))
    assert reason == f"{foreign} is no route of {load('nordic').title}"
    no_action: object = 7
    assert why(Position("nordic"), no_action) == "expected an action such as DrawCard(), got 7"  # type: ignore[arg-type]


def test_every_choice_of_set_cards_is_legal() -> None:
    table = Position("nordic").hand(0, green=8, red=4, black=4)
    game, state = state_of(table)
    route = table.map.route("Lieksa", "Murmansk")
    listed = [a for a in game.legal_actions(state) if isinstance(a, ClaimRoute) and a.route == route]
    choices = [ClaimRoute(route, Payment("green", 7, 0, CardCounts.of(red=n, black=8 - n))) for n in range(4, 5)]
    choices += [ClaimRoute(route, Payment("green", 7, 0, CardCounts.of(green=1, red=n, black=7 - n))) for n in (3, 4)]

    assert len({claim.payment.cards for claim in listed}) == len(listed)
    assert all(game.is_legal(state, choice) for choice in choices)
    assert {game.apply(state, choice).hands[0] for choice in choices} == {
        CardCounts.of(green=8, red=4, black=4) - choice.payment.cards for choice in choices
    }


def test_a_split_that_does_not_hold_is_illegal() -> None:
    table = Position("nordic").hand(0, green=9)
    route = table.map.route("Lieksa", "Murmansk")
    split = ClaimRoute(route, Payment("green", 5, 0, CardCounts.of(green=4)))
    assert why(table, ClaimRoute(route, Payment("green", 9, 0))) is None
    assert why(table, split) is not None
    assert "not in the way given" in str(why(table, split))


# -- outcomes by script -----------------------------------------------------------


def test_a_step_follows_a_script() -> None:
    game, state = state_of(Position("usa").market("red", "blue", "green", "white", "black"))
    after, events = game.step(state, DrawFaceUp(2), [Chance("market_card", slot=2, card="yellow")])

    assert events == (Move(0, DrawFaceUp(2)), Chance("market_card", slot=2, card="yellow"))
    assert after.market == ("red", "blue", "yellow", "white", "black")
    assert after.hands[0] == CardCounts.of(green=1)


@pytest.mark.parametrize(("name", "variant"), WALKS)
def test_what_happened_at_random_happens_again_by_script(name: str, variant: str | None) -> None:
    game, states = some_states(name, variant)
    for state in states:
        for action in game.legal_actions(state)[:3]:
            after, (move, *outcomes) = game.step(state, action)
            scripted, again = game.step(state, action, [o for o in outcomes if isinstance(o, Chance)])

            assert move == Move(state.seat, action)
            assert again == (move, *outcomes)
            assert game.view(scripted, 0).vector.tolist() == game.view(after, 0).vector.tolist()


@pytest.mark.parametrize(
    ("outcomes", "reason"),
    [
        ([], "outcome 1 is missing: a card that P0 draws is due"),
        (
            [Chance("card_drawn", 1, card="red")],
            "outcome 1 does not fit: P1 draws red, where a card that P0 draws is due",
        ),
        ([Chance("card_revealed", card="red")], "red is turned over for the tunnel, where a card that P0 draws is due"),
        ([Chance("card_drawn", 0, card="pink")], "no kind of card 'pink'"),
        ([Chance("card_drawn", card="red")], "the seat of a card_drawn is a number from 0 to 5, got None"),
        ([Chance("market_card", card="red")], "the slot of a market_card is a number"),
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


def test_what_everybody_sees_must_be_known() -> None:
    game, state = state_of(Position("usa"))
    with pytest.raises(GameError, match="an unknown card comes to market slot 0, but all see that card"):
        game.step(state, DrawFaceUp(0), [Chance("market_card", slot=0)])
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
    long = nordic.route("Lieksa", "Murmansk")
    assert "P0 holds 0 of the 9 green" in str(game.why_illegal(known, ClaimRoute(long, Payment("green", 9, 0))))


def test_a_market_replaced_very_often_fits_on_the_tape() -> None:
    market = {"reset_at": 1, "max_resets": 100, "reset_needs_colored": 0}
    cards = {"per_color": 1, "locomotives": 40, "opening_hand": 0}
    game = Game(changed("usa", market=market, cards=cards))
    _, dealt = game.deal(seed=7)
    assert sum(isinstance(event, Chance) and event.kind == "market_replaced" for event in dealt) == 100


# -- policies ---------------------------------------------------------------------


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
        return (6, 0) if state[PHASE] == Phase.KEEP_START else (2 + 128 * 500, 0)


@pytest.mark.parametrize(("name", "variant"), WALKS)
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
    events = [game._play(policies, 7, 0) for policies in pairs]
    assert events[0][:23] == events[1][:23] == list(game.deal(7)[1])


def test_the_memory_of_a_compiled_policy_begins_with_its_stream_and_zeros(nordic: GameMap) -> None:
    seen: list[list[int]] = []

    class Looking(Random):
        def decide(self, state, tables, lore, seat, params, memory):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
            if len(seen) <= seat:
                seen.append(memory.tolist())
            return Random().decide(state, tables, lore, seat, params, memory)

    Game(nordic)._play([Looking(), Looking()], 7, 0)
    assert seen[0][:4] != seen[1][:4]
    assert not any(seen[0][4:])


@pytest.mark.parametrize(
    ("policies", "error", "reason"),
    [
        ([Random()], GameError, "a game of 2 players wants as many policies, got 1"),
        ([Random(), Random], GameError, "P1 is to be played by a policy, got the class Random: write brackets"),
        (
            [Random(), "Random"],
            GameError,
            "P1 is to be played by a policy, an object with a method `choose`, got 'Random'",
        ),
        (
            [Random(), Faulty(None)],
            IllegalActionError,
            "Faulty one at P1 in turn 1 chose what is illegal: expected an act",
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
            "Random at P0 in turn 1 chose what is illegal: P0 must keep at least 2",
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
            assert np.array_equal(actions._state, view.vector)
            return actions[int(rng.integers(len(actions)))]

    Game(nordic)._play([Cheat(), Greedy()], 7, 0)


def test_events_in_words(nordic: GameMap) -> None:
    ticket = nordic.tickets[0]
    kinds: dict[ChanceKind, str] = {
        "card_dealt": "P1 is dealt red",
        "card_drawn": "P1 draws red",
        "market_card": "red comes to market slot 2",
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
