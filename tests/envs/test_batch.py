"""Batches: the games of `Game.play`, whatever is played beside them; rewards, observations, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import ttr_analysis as ttr
from tests.engine.conformance import Combination, some_combinations
from tests.envs.encoders import peek, points_so_far
from tests.envs.numbered import by_number
from tests.fixtures import load
from ttr_analysis import GameError, IllegalActionError
from ttr_analysis._compile import Floats, Ints
from ttr_analysis.cards import CARD_KINDS
from ttr_analysis.envs import Batch, Encoder, random_actions, to_index
from ttr_analysis.envs.observing import HIGHEST

SEED = 2026
OPPONENTS = ("Planner", "Greedy", "Random", "OneStep")
COMBINATIONS = [pytest.param(combination, id=str(combination)) for combination in some_combinations(start=1)]
pytestmark = pytest.mark.compiled_only


@pytest.fixture(autouse=True)
def _no_batch_is_too_small_for_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ttr_analysis.envs.batch._SHARE", 1)


def known(state: ttr.GameState) -> ttr.GameState:
    """Return a state as records have it, without the random numbers to come."""
    packed = state.packed
    packed.stream[:] = 0
    return ttr.GameState(state.game_map, state.n_players, packed)


@pytest.mark.parametrize("combination", COMBINATIONS)
def test_games_are_those_of_play_event_by_event(combination: Combination) -> None:
    n, game = combination.n_players, ttr.Game(combination.game_map, combination.n_players)
    mine = len(str(combination)) % n
    others = [None if seat == mine else OPPONENTS[seat % len(OPPONENTS)] for seat in range(n)]
    batch = Batch(combination.game_map, 2, n, seed=SEED, opponents=others, n_threads=2)
    ours = by_number(combination)[0]
    seated = [ours if other is None else other for other in others]
    records = [game.play(seated, seed=SEED, game=number) for number in range(2)]
    decisions = [
        [pair for pair in zip(record.states(), record.moves, strict=False) if pair[1].seat == mine]
        for record in records
    ]
    at = [0, 0]
    while not all(batch.endings):
        slots = [slot for slot in range(2) if batch.numbers[slot] == slot]
        actions = random_actions(batch.mask(), np.random.default_rng(0))
        for slot in slots:
            state, move = decisions[slot][at[slot]]
            assert known(batch.state(slot)) == known(state)
            actions[slot] = to_index(move.action, state)
            at[slot] += 1
        rewards, done, seats = batch.step(actions)
        assert (seats == mine).all()
        for slot in slots:
            if done[slot]:
                assert at[slot] == len(decisions[slot])
                assert tuple(batch.final_scores[slot].tolist()) == records[slot].scores
                winners = records[slot].winners
                assert rewards[slot].tolist() == [(seat in winners) / len(winners) for seat in range(n)]
                assert batch.numbers[slot] == slot + 2
                assert batch.state(slot).n_turns == 0
            else:
                assert not rewards[slot].any()


def followed(batch: Batch, n_steps: int) -> tuple[Floats, Ints]:
    """Play random games in a batch; return all that was rewarded, by step, and the numbers of games at the end."""
    rng = np.random.default_rng(3)
    rewarded = [batch.step(random_actions(batch.mask(), rng))[0] for _ in range(n_steps)]
    return np.array(rewarded), batch.numbers


@pytest.mark.parametrize("name", ["nordic", "europe"])
def test_threads_change_nothing(name: str) -> None:
    one, three = (Batch(load(name), 7, 3, seed=SEED, n_threads=n) for n in (1, 3))
    rewards, numbers = followed(one, 500)
    others, again = followed(three, 500)

    assert np.array_equal(rewards, others)
    assert numbers.max() > 7
    assert np.array_equal(numbers, again)
    assert np.array_equal(one.observe(), three.observe())
    assert np.array_equal(one.mask(), three.mask())


def test_small_batches_stay_on_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()

    assert Batch("usa", 3, n_threads=2).n_threads == 1
    assert Batch("usa", 256, n_threads=3).n_threads == 2


def test_a_step_fills_in_what_is_then_seen() -> None:
    batch = Batch("usa", 5, seed=SEED, n_threads=2)
    observed, mask, rng = batch.observe(), batch.mask(), np.random.default_rng(2)
    for _ in range(300):
        batch.step(random_actions(mask, rng), observation=observed, mask=mask)
        assert np.array_equal(observed, batch.observe())
        assert np.array_equal(mask, batch.mask())
    with pytest.raises(ValueError, match="an array of int8"):
        batch.step(random_actions(mask, rng), mask=np.zeros((1, 1), dtype=np.int8))


def test_a_batch_begins_again_with_a_seed_or_at_a_game() -> None:
    batch = Batch("usa", 3, seed=SEED)
    states = [batch.state(slot) for slot in range(3)]
    followed(batch, 50)
    batch.reset()
    assert [batch.state(slot) for slot in range(3)] == states
    batch.reset(first=1)
    assert [batch.state(slot) for slot in range(2)] == states[1:]
    batch.reset(SEED + 1)
    assert batch.state(0) != states[0]


def test_a_margin_is_ahead_of_the_best_other_and_a_worth_pays_its_changes() -> None:
    margin, worth = (Batch("usa", 4, 3, seed=SEED, reward=reward) for reward in ("margin", points_so_far))
    margins, _ = followed(margin, 700)
    points, _ = followed(worth, 700)
    ends = np.argwhere(margins.any(axis=2))
    assert len(ends) >= 3
    for at, slot in ends:
        row = margins[at, slot]
        assert row.max() == -np.sort(row)[-2] or row.max() == 0
    first = {int(slot): int(at) for at, slot in ends[::-1]}
    for slot, at in first.items():
        gained = points[: at + 1, slot].sum(axis=0)
        assert (gained > 0).any()


def test_the_scores_now_are_those_of_the_game() -> None:
    batch = Batch("switzerland", 3, 3, seed=SEED)
    followed(batch, 60)
    game = ttr.Game(load("switzerland"), 3)
    for slot, scores in enumerate(batch.scores().tolist()):
        assert scores == [seat.total for seat in game.score(batch.state(slot)).seats]


@pytest.mark.parametrize("combination", COMBINATIONS)
def test_observations_are_in_range_and_named(combination: Combination) -> None:
    batch = Batch(combination.game_map, 3, combination.n_players, seed=SEED)
    assert len(set(batch.features)) == len(batch.features)
    assert batch.features == ttr.envs.features(combination.game_map, combination.n_players)
    rng, seen = np.random.default_rng(1), np.zeros(len(batch.features), dtype=np.float32)
    for _ in range(150):
        batch.step(random_actions(batch.mask(), rng))
        observed = batch.observe()
        assert ((observed >= 0) & (observed <= HIGHEST)).all()
        seen = np.maximum(seen, observed.max(axis=0))
    assert (seen > 0).mean() > 0.25, "of a hundred tickets a short game shows few"


def test_an_observation_says_what_its_seat_sees() -> None:
    batch = Batch("usa", 1, 3, seed=SEED)
    followed(batch, 90)
    state = batch.state(0)
    for seat in range(3):
        told = dict(zip(batch.features, batch.observe(seats=np.array([seat]))[0].tolist(), strict=True))
        view = ttr.Game("usa", 3).view(state, seat)
        hand = {kind: round(10 * told[f"hand: {kind}"]) for kind in CARD_KINDS}
        assert hand == {kind: view.hand[kind] for kind in CARD_KINDS}
        assert {key for key, value in told.items() if key.endswith(": open to me") and value} == {
            f"{route.id}: open to me" for route in view.open_routes
        }
        owners = {key.rpartition(": ")[0] for key, value in told.items() if key.endswith(": next 1") and value}
        assert owners == {route.id for route in view.routes_of((seat + 1) % 3)}
        mine = {key.rpartition(": ")[0] for key, value in told.items() if key.endswith(": mine") and value}
        assert mine == {ticket.id for ticket in view.tickets if ticket is not None}


def test_your_own_encoder_sees_what_its_seat_sees() -> None:
    batch = Batch("usa", 2, seed=SEED, encoder=Encoder(peek, lambda _map, _n: ["cards of the next"]))
    followed(batch, 20)
    assert batch.features == ("cards of the next",)
    assert not batch.observe().any()


def test_an_illegal_action_is_refused_and_nothing_happens() -> None:
    batch = Batch("nordic", 3, seed=SEED, n_threads=3)
    states = [batch.state(slot) for slot in range(3)]
    good = random_actions(batch.mask(), np.random.default_rng(0))
    for bad, said in ((0, r"action 0 \(draw a card from the pile\)"), (-1, "action -1"), (10**9, "action 1000000000")):
        with pytest.raises(IllegalActionError, match=f"P0 in slot 2 may not do this now: {said}"):
            batch.step(np.array([*good[:2], bad]))
    with pytest.raises(ValueError, match="one action for each of 3 games"):
        batch.step(good[:2])
    assert [batch.state(slot) for slot in range(3)] == states


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"n_games": 0}, ValueError, "n_games"),
        ({"n_players": 9}, ValueError, "players"),
        ({"opponents": ["Greedy"]}, GameError, "one opponent or None for each of 2 seats"),
        ({"opponents": ["Greedy", "Greedy"]}, GameError, "give None for one that you play"),
        ({"opponents": [None, "Searcher"]}, TypeError, "compiled policy"),
        ({"reward": "points"}, ValueError, "'win', 'margin' or a compiled function, got 'points'"),
        ({"n_threads": 0}, ValueError, "n_threads"),
    ],
)
def test_what_makes_no_batch_is_refused(given: dict[str, object], error: type[Exception], said: str) -> None:
    options: dict[str, object] = {"game_map": "usa", "n_games": 2, **given}
    with pytest.raises(error, match=said):
        Batch(**options)  # type: ignore[arg-type]


def test_arrays_that_do_not_fit_are_refused() -> None:
    batch = Batch("usa", 2, seed=SEED)
    with pytest.raises(ValueError, match="expected an array of float32 and shape"):
        batch.observe(np.zeros((2, 3), dtype=np.float32))
    with pytest.raises(ValueError, match="expected an array of int8 and shape"):
        batch.mask(np.zeros((2, batch.n_actions)))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a seat from 0 to 1 for each of 2 games"):
        batch.observe(seats=np.array([0, 2]))
