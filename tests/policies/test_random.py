"""`Random`: every claim by route and form, and every other action, equally likely."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import comb, prod, sqrt
from typing import TypeVar

import numpy as np
import pytest

from tests.engine import conformance
from tests.engine.positions import Position, changed
from tests.fixtures import load
from tests.oracles.referee.payment import Cards, affordable, forms
from ttr_analysis._compile import Ints
from ttr_analysis.cards import CARD_KINDS
from ttr_analysis.engine.codes import CLAIM_ROUTE, DRAW_FACE_UP, NONE, argument_of, kind_of, make_action
from ttr_analysis.engine.kernel.claims import route_fault
from ttr_analysis.engine.kernel.step import list_actions, step
from ttr_analysis.engine.kernel.turns import new_game
from ttr_analysis.engine.layout import OVER, TURN, Phase, State
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies import Random
from ttr_analysis.rules.chance import KEY_SIZE, seed_key
from ttr_analysis.rules.ruleset import LoanRules
from ttr_analysis.tables import Tables, game_tables

N_DRAWS = 5_000 if conformance.IS_COMPILED else 600
N_ERRORS = 5.5
"""Standard errors by which a frequency may be off; some thousands of them are looked at."""
SEED = 7
COMBINATIONS = [c for c in conformance.every_combination() if c.n_players in c.game_map.rules.players]
"""Every map and variant, with the fewest and the most players."""

T = TypeVar("T")
Choice = tuple[int, int]
"""Code and value; the value of a claim with sets is left out."""


def fresh_memory(seed: int = SEED) -> Ints:
    return conformance.open_memories([Random()], seed_key(seed), 0)[0]


def hand_of(state: State, seat: int) -> Cards:
    hand = state.hand[seat].tolist()
    return Counter(dict(zip(CARD_KINDS, hand, strict=True)))


def forms_of(game_map: GameMap, route: int, hand: Cards) -> set[tuple[str, int, int]]:
    """Return the forms in which a hand pays for a route: color, color cards, locomotives."""
    found = game_map.routes[route]
    return {
        (form.color if form.own else "", form.own, form.locomotives)
        for form in forms(found)
        if affordable(found, form, hand)
    }


def expected_choices(game_map: GameMap, state: State, tables: Tables) -> dict[Choice, Fraction]:
    """Return the probability of each action, from the list of actions and the forms that the referee finds."""
    rows = np.zeros((5_000, 2), dtype=np.int64)
    listed = [(code, value) for code, value in rows[: list_actions(state, tables, rows)].tolist()]
    weights: dict[Choice, int] = {row: 1 for row in listed if kind_of(row[0]) != CLAIM_ROUTE}
    if state.phase == TURN:
        seat = int(state.seat)
        for route in range(len(game_map.routes)):
            if route_fault(state, tables, seat, route) == NONE:
                claims = [row for row in listed if row[0] == make_action(CLAIM_ROUTE, route)]
                n_forms = len(forms_of(game_map, route, hand_of(state, seat)))
                if game_map.routes[route].swap_size:
                    weights[make_action(CLAIM_ROUTE, route), 0] = n_forms
                else:
                    assert len(claims) == n_forms
                    weights |= dict.fromkeys(claims, 1)
    total = sum(weights.values())
    return {choice: Fraction(weight, total) for choice, weight in weights.items() if weight}


def drawn_choices(game_map: GameMap, state: State, tables: Tables, n: int) -> Counter[Choice]:
    """Return how often each action is chosen."""
    player, lore, memory = Random(), Random().lore(game_map, 2), fresh_memory()
    seat, counts = int(state.seat), Counter[Choice]()
    for _ in range(n):
        code, value = player.decide(state, tables, lore, seat, player.params, memory)
        has_sets = kind_of(code) == CLAIM_ROUTE and game_map.routes[argument_of(code)].swap_size > 0
        counts[int(code), 0 if has_sets else int(value)] += 1
    return counts


def assert_frequencies(counts: Counter[T], expected: dict[T, Fraction]) -> None:
    n = counts.total()
    assert set(counts) <= set(expected)
    for choice, odds in expected.items():
        tolerance = N_ERRORS * sqrt(n * odds * (1 - odds)) + 1
        assert abs(counts[choice] - n * odds) <= tolerance, (choice, counts[choice], float(n * odds))


# -- uniform --------------------------------------------------------------------------


def crowded_states(combination: conformance.Combination) -> Iterator[State]:
    """Yield for each phase the state of a game with most legal actions, but not so many that none is seen often."""
    tables = game_tables(combination.game_map, combination.n_players)
    rows = np.zeros((5_000, 2), dtype=np.int64)
    best: dict[int, tuple[int, State]] = {}
    for player in (conformance.UNIFORM, conformance.BUILDER):
        for state in map(
            State, conformance.play(combination, [player] * combination.n_players, SEED, 0, checked=False).states
        ):
            n = int(list_actions(state, tables, rows))
            if best.get(int(state.phase), (0, state))[0] < n < N_DRAWS / 20:
                best[int(state.phase)] = n, state
    for _, state in best.values():
        yield state


@pytest.mark.compiled_only
@pytest.mark.parametrize("combination", COMBINATIONS, ids=str)
def test_every_action_is_equally_likely(combination: conformance.Combination) -> None:
    tables = game_tables(combination.game_map, combination.n_players)
    phases = set()
    for state in crowded_states(combination):
        expected = expected_choices(combination.game_map, state, tables)
        assert_frequencies(drawn_choices(combination.game_map, state, tables, N_DRAWS), expected)
        phases.add(Phase(int(state.phase)))

    assert {Phase.KEEP_START, Phase.TURN, Phase.SECOND_DRAW, Phase.KEEP} <= phases
    assert (Phase.TUNNEL in phases) == any(route.tunnel for route in combination.game_map.routes)
    assert (Phase.NEUTRAL in phases) == (combination.variant == "neutral")


def set_next_number(memory: Ints, number: int, n: int) -> None:
    """Let the next random number below `n` be this one."""
    word = -(-number * 2**32 // n)  # the first output that is scaled to the number
    memory[:KEY_SIZE] = (0, 1, 2, (word >> 7) | (word << 25) & 0xFFFFFFFF)


CROWDED = [
    pytest.param(load("nordic"), 3, id="nordic"),
    pytest.param(load("switzerland"), 2, id="tunnels in every color"),
    pytest.param(changed("nordic", trains={"per_player": 12}), 2, id="few trains"),
    pytest.param(changed("nordic", claims={"ferry_swap_fills": "symbols"}), 2, id="sets for symbols only"),
    pytest.param(
        changed("nederland", money={"tokens": 9, "loan": LoanRules(penalty=50, limit=2)}), 3, id="two loans for all"
    ),
]


@pytest.mark.compiled_only
@pytest.mark.parametrize("begins_anew", [False, True], ids=["from the start", "in mid-game"])
@pytest.mark.parametrize(("game_map", "n_players"), CROWDED)
def test_every_random_number_is_another_choice(game_map: GameMap, n_players: int, begins_anew: bool) -> None:  # noqa: FBT001
    """All numbers below the number of choices, one after the other: each choice comes exactly as often as it should."""
    tables, player = game_tables(game_map, n_players), Random()
    lore = player.lore(game_map, n_players)
    memories = [fresh_memory(seat) for seat in range(n_players)]
    rng, state = np.random.default_rng(SEED), State()
    tape, rows, n_claims = np.zeros(4, dtype=np.int64), np.zeros((5_000, 2), dtype=np.int64), 0
    new_game(tables, seed_key(SEED), 0, state, tape)
    for step_number in range(400):
        n_listed, seat = int(list_actions(state, tables, rows)), int(state.seat)
        if state.phase == OVER:
            break
        if state.phase == TURN and n_listed < 400 and step_number % 3 == 0:
            expected = expected_choices(game_map, state, tables)
            n = max(odds.denominator for odds in expected.values())
            memory = fresh_memory() if begins_anew else memories[seat]
            found = Counter[Choice]()
            for number in range(n):
                set_next_number(memory, number, n)
                code, value = player.decide(state, tables, lore, seat, player.params, memory)
                has_sets = kind_of(code) == CLAIM_ROUTE and game_map.routes[argument_of(code)].swap_size > 0
                found[int(code), 0 if has_sets else int(value)] += 1
            assert {choice: Fraction(count, n) for choice, count in found.items()} == expected
            n_claims += sum(kind_of(code) == CLAIM_ROUTE for code, _ in expected)
        # Cards are drawn more often than not: hands grow.
        draws = [row for row in rows[:n_listed].tolist() if kind_of(row[0]) <= DRAW_FACE_UP]
        options = draws if draws and rng.random() < 0.5 else rows[:n_listed].tolist()
        code, value = options[int(rng.integers(len(options)))]
        step(state, tables, code, value, tape)
    assert n_claims > 50


def test_an_action_that_is_chosen_too_often_is_noticed() -> None:
    fair = {"draw": Fraction(1, 2), "claim": Fraction(1, 2)}
    assert_frequencies(Counter(draw=N_DRAWS // 2 + 20, claim=N_DRAWS // 2), fair)

    with pytest.raises(AssertionError):
        assert_frequencies(Counter(draw=int(0.7 * N_DRAWS), claim=int(0.3 * N_DRAWS)), fair)


# -- the cards of sets -----------------------------------------------------------------


def choices_of_cards(hand: Cards, n: int) -> Iterator[tuple[Cards, Fraction]]:
    """Yield every choice of so many cards and its probability, each card of the hand being equally likely."""
    for counts in product(*(range(hand[kind] + 1) for kind in CARD_KINDS)):
        if sum(counts) == n:
            ways = prod(comb(hand[kind], k) for kind, k in zip(CARD_KINDS, counts, strict=True))
            yield Counter(dict(zip(CARD_KINDS, counts, strict=True))), Fraction(ways, comb(hand.total(), n))


@pytest.mark.parametrize(
    ("route", "hand"),
    [
        pytest.param("Lieksa-Murmansk/0", {"green": 8, "red": 4, "white": 3, "locomotive": 2}, id="four for one"),
        pytest.param(
            "Kristiansand-Stavanger/1", {"orange": 3, "blue": 4, "locomotive": 2}, id="three for a locomotive"
        ),
    ],
)
def test_cards_of_sets_are_drawn_from_the_rest_of_the_hand(route: str, hand: dict[str, int]) -> None:
    table = Position("nordic").hand(0, **hand)
    found = next(r for r in table.map.routes if r.id == route)
    number = table.map.routes.index(found)
    table.own_all(*(r.id for r in table.map.routes if r.id[:-2] == found.id[:-2]))
    every_form = forms_of(table.map, number, Counter(hand))
    expected = Counter[int]()
    for color, own, locomotives in every_form:
        single = Counter({color: own}) + Counter(locomotive=locomotives)
        n_sets = found.length - own - locomotives
        for cards, odds in choices_of_cards(Counter(hand) - single, n_sets * found.swap_size):
            laid = cards + single
            expected[sum(laid[kind] << 6 * i for i, kind in enumerate(CARD_KINDS))] += odds  # type: ignore[assignment]

    player, lore, memory = Random(), Random().lore(table.map, 2), fresh_memory()
    counts = Counter[int]()
    for _ in range(N_DRAWS):
        code, value = player.decide(table.state, table.tables, lore, 0, player.params, memory)
        if kind_of(code) == CLAIM_ROUTE and argument_of(code) == number:
            counts[int(value)] += 1

    assert counts.total() > N_DRAWS / 10
    assert len(expected) > 5
    assert_frequencies(counts, {cards: Fraction(odds, len(every_form)) for cards, odds in expected.items()})


# -- legal, and forgetful ---------------------------------------------------------------


@pytest.mark.compiled_only
@pytest.mark.parametrize(
    "others",
    [(conformance.UNIFORM, conformance.COLLECTOR), (conformance.HOARDER, conformance.BUILDER)],
    ids=["collected", "hoarded"],
)
@pytest.mark.parametrize("combination", COMBINATIONS, ids=str)
def test_what_is_kept_in_memory_is_what_is_found_anew(
    combination: conformance.Combination, others: tuple[object, ...]
) -> None:
    # Open routes are counted as they are taken; a memory that begins here counts them all.
    game_map, n_players = combination.game_map, combination.n_players
    tables = game_tables(game_map, n_players)
    player, lore = Random(), Random().lore(game_map, n_players)
    seats = [others[seat % 2] for seat in range(n_players)]
    kept = [fresh_memory(seat) for seat in range(n_players)]
    for state in map(State, conformance.play(combination, seats, SEED, 1, checked=False).states):  # type: ignore[arg-type]
        if state.phase == OVER:
            break
        seat = int(state.seat)
        anew = fresh_memory()
        anew[:KEY_SIZE] = kept[seat][:KEY_SIZE]
        choice = player.decide(state, tables, lore, seat, player.params, kept[seat])

        assert choice == player.decide(state, tables, lore, seat, player.params, anew)
        conformance.check_action(state, tables, *choice)


def test_tickets_are_kept_in_every_legal_way() -> None:
    combination = conformance.Combination("nordic", "", 3)
    state = State(conformance.play(combination, [conformance.UNIFORM] * 3, SEED, 0, checked=False).states[0])
    tables = game_tables(combination.game_map, 3)
    counts = drawn_choices(combination.game_map, state, tables, N_DRAWS)

    assert state.n_offer[0] == 5
    assert {value for _, value in counts} == {kept for kept in range(32) if kept.bit_count() >= 2}
