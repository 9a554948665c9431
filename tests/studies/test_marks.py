"""Marks: which decisions are one idea, and what marks cost in the end."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fixtures import load
from tests.studies.test_reviews import judge_only
from ttr_analysis import Game, GameRecord
from ttr_analysis.engine.codes import ATTEMPT_TUNNEL, CLAIM_ROUTE, DRAW_CARD, DRAW_FACE_UP, KEEP_TICKETS, make_action
from ttr_analysis.engine.events import Move
from ttr_analysis.policies.search.searcher import Candidate, Search
from ttr_analysis.policies.search.watching import know
from ttr_analysis.studies import Review, judging, review, reviews
from ttr_analysis.studies.intervals import Interval
from ttr_analysis.studies.judging import (
    BOUNDS,
    Budget,
    Decision,
    Moment,
    alone,
    label_of,
    lost_for_good,
    missed_ideas,
    ways,
)

N_REVIEWS = 2 if os.environ.get("TTR_FAST") else 5
DRAW: Candidate = (make_action(DRAW_CARD, 0), 0)
KEEP: Candidate = (make_action(KEEP_TICKETS, 0), 1)
TAKE: Candidate = (make_action(DRAW_FACE_UP, 0), 0)


def decision(step: int, best: Candidate = DRAW, played: Candidate = TAKE, *, after: float, loss: float) -> Decision:
    """Return a decision of the first seat, as if it had been measured."""
    two = (0.0, 0.0)
    chances, lost = (after, 1 - after), (loss, -loss)
    return Decision(step, 0, played, best, DRAW, 3, 600, chances, lost, loss, loss, 1.0, 0.0, two, two, two, two)


def most_left(losses: Sequence[float], returned: Sequence[float]) -> float:
    """Oracle: what the marks from one on lost, less what came back after each; the most of these sums."""
    balance = [loss - back for loss, back in zip(losses, returned, strict=True)]
    return max(0.0, *(sum(balance[first:]) for first in range(len(balance))))


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=8), st.sampled_from([0.0, 0.5, 1.0]))
def test_no_seat_loses_more_than_it_had(curve: list[tuple[float, float]], result: float) -> None:
    moves = [(max(pair), min(pair)) for pair in curve]  # before and after a marked move
    marked = [decision(i, after=after, loss=before - after) for i, (before, after) in enumerate(moves)]

    lost = lost_for_good(marked, result)

    assert lost <= max([result, *(before for before, _ in moves)]) - result + 1e-9
    assert lost <= sum(one.loss for one in marked) + 1e-9
    following = [before for before, _ in moves[1:]] + [result]
    returned = [max(0.0, later - after) for (_, after), later in zip(moves, following, strict=bool(moves))]
    assert lost == pytest.approx(most_left([one.loss for one in marked], returned) if moves else 0.0)


@pytest.mark.parametrize(
    ("moves", "result", "lost"),
    [
        pytest.param([], 0, 0, id="no mark"),
        pytest.param([(0.8, 0.5)], 0, 0.3, id="a game that is lost"),
        pytest.param([(0.8, 0.5)], 1, 0, id="a game that is won all the same"),
        pytest.param([(0.8, 0.5), (0.8, 0.5), (0.8, 0.5)], 0, 0.3, id="one chance, missed as long as it was open"),
        pytest.param([(0.8, 0.5), (0.5, 0.4)], 0, 0.4, id="two chances"),
        pytest.param([(0.8, 0.5), (0.6, 0.4)], 0, 0.4, id="a part came back"),
        pytest.param([(0.8, 0.5), (0.3, 0.1)], 0, 0.5, id="what luck took besides is no loss"),
    ],
)
def test_what_came_back_is_not_lost(moves: list[tuple[float, float]], result: float, lost: float) -> None:
    marked = [decision(i, after=after, loss=before - after) for i, (before, after) in enumerate(moves)]
    assert lost_for_good(marked, result) == pytest.approx(lost)


def test_what_was_missed_several_times_is_one_idea() -> None:
    board = load("europe")
    tunnel = next(i for i, route in enumerate(board.routes) if route.tunnel)
    take = [(make_action(DRAW_FACE_UP, slot), 0) for slot in range(3)]
    markets = {step: np.array([1, 2, 1, 3, 3]) for step in range(20)} | {3: np.array([2, 1, 1, 3, 3])}
    best = {
        1: (make_action(ATTEMPT_TUNNEL, tunnel), 0),
        2: take[0],
        3: take[1],  # the same kind in another place
        5: take[2],
        6: (make_action(CLAIM_ROUTE, tunnel), 0),
        8: take[0],
        9: DRAW,
        10: DRAW,
    }
    made = [decision(step, one, take[2] if step == 6 else take[1], after=0.4, loss=0.1) for step, one in best.items()]
    made[2] = decision(3, take[1], take[0], after=0.4, loss=0.1)

    found = missed_ideas(made, board, markets.__getitem__).values()

    # In step 6 it takes a card of the kind, so that another one missed later is another idea.
    assert [[one.step for one in idea] for idea in found] == [[1, 6], [2, 3, 5], [8], [9], [10]]


def test_a_chance_that_was_let_pass_may_be_taken_later() -> None:
    claim = make_action(CLAIM_ROUTE, 3), 5

    assert ways(DRAW, claim) == (alone(DRAW), (*DRAW, *claim, 0), (*DRAW, *claim, 1))
    assert ways(DRAW, TAKE) == (alone(DRAW), (*DRAW, *TAKE, 0), (*DRAW, *TAKE, 1))
    assert ways(TAKE, DRAW) == (alone(TAKE), (*TAKE, *DRAW, 0), (*TAKE, *DRAW, 0))  # planners draw from the pile anyway
    assert ways(claim, claim) == (alone(claim),) * 3
    assert ways(KEEP, (KEEP[0], 3)) == (alone(KEEP),) * 3  # a plan for other tickets


def test_another_move_counts_as_the_best_only_if_it_is_clearly_better() -> None:
    one = decision(7, after=0.4, loss=0.1)
    unsure = replace(one, loss_low=0.0, loss_high=0.09)
    vague = replace(unsure, loss_high=0.12)

    assert one.believed() is one
    assert vague.believed() is vague
    assert label_of(vague) == "good"
    assert (unsure.believed().best, unsure.believed().lost) == (one.played, (0.0, 0.0))
    found = Review(played_out(0), 0, [unsure])
    assert found.decisions == (unsure.believed(),)
    assert found.first_measured(7) == unsure


@pytest.mark.parametrize(
    ("loss", "is_settled"),
    [
        pytest.param(Interval(0.01, -0.02, 0.04), True, id="no mistake"),
        pytest.param(Interval(-0.16, -0.34, 0.02), False, id="no mistake by the luck of a few worlds"),
        pytest.param(Interval(0.01, -0.04, 0.06), False, id="perhaps a mistake"),
        pytest.param(Interval(0.03, 0.005, 0.045), False, id="perhaps an inaccuracy"),
        pytest.param(Interval(0.06, 0.041, 0.079), True, id="precise"),
        pytest.param(Interval(0.12, 0.09, 0.15), False, id="perhaps a mistake, or a blunder"),
        pytest.param(Interval(0.15, 0.11, 0.18), True, id="surely a blunder"),
        pytest.param(Interval(0.2, 0.11, 0.29), False, id="a blunder, of any size"),
    ],
)
def test_a_loss_is_measured_until_it_is_precise(loss: Interval, *, is_settled: bool) -> None:
    assert judging._is_settled(loss) == is_settled


@pytest.mark.compiled_only
def test_a_loss_measured_again_holds_against_all_ways_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the same worlds: freely, with the better move's plan, and taking that move by the next turn."""
    record, n_later = played_out(0), 0
    judge_only(monkeypatch, range(0, len(record.steps), 3))
    monkeypatch.setattr(reviews, "N_MOMENTS", 0)  # they are measured again below
    found = review(record, 0, rollouts=16, progress=False)
    for one in map(found.first_measured, found.table.index):
        if one.best == one.played or not one.worlds:
            continue
        known = know(record, 0, one.step - 1)
        move = record.steps[one.step][0]
        assert isinstance(move, Move)
        again = Moment(known, one.step, move.action, 7).measure(one, Budget(20, None), None)
        search = Search(known, 7)
        search.n_worlds = 1 << 21
        of_each = [*ways(one.played, one.best), *ways(one.planned, one.best), alone(one.best)]
        won = search.results(np.array(of_each, dtype=np.int64), again.worlds).won[:, :, 0].mean(axis=1)
        of_played, of_planned, best = won[:3], won[3:6], won[6]

        assert again.chances[0] == pytest.approx(max(of_played))
        assert again.loss == pytest.approx(best - max(of_played))
        assert again.way == of_played.argmax()
        assert again.skill[0] == pytest.approx(max(of_played) - max(of_planned))
        n_later += again.way > 0
    assert n_later


@pytest.mark.parametrize("unknown", ["tickets", "cards"])
def test_a_loss_must_hold_with_what_the_seat_held(unknown: str) -> None:
    """In a real game, a claim lost 29% with half of the hands, and nothing with the true one: it was no blunder."""
    moment, rng, n_worlds = object.__new__(Moment), np.random.default_rng(7), 1200

    def holds(hands: list[int], loss_of: dict[int, float]) -> float:
        packed = SimpleNamespace(n_hand=[4], hand=np.array([[3 if hands and unknown == "cards" else 4]]))
        orders = {0: hands} if hands and unknown == "tickets" else {}
        moment._known = SimpleNamespace(viewer=0, orders=orders, packed=packed)  # type: ignore[assignment]
        held = np.array(hands or [0])[np.arange(n_worlds) % max(1, len(hands))]
        means = np.array([loss_of[hand] for hand in held])
        lost = (rng.random(n_worlds) < 0.3 + means / 2).astype(float) - (rng.random(n_worlds) < 0.3 - means / 2)
        search = SimpleNamespace(n_worlds=n_worlds, holdings=lambda *_: np.stack([held, np.zeros_like(held)], axis=1))
        return moment._holds(lost, search)  # type: ignore[arg-type]

    assert holds([0, 0, 0, 1, 1, 1, 1, 1], {0: 0.0, 1: 0.29}) < 0.9
    assert holds([0, 0, 0, 1, 1, 1, 1, 1], {0: 0.15, 1: 0.29}) > 0.98
    assert holds([0, 1, 2, 3, 4, 5, 6, 7], dict.fromkeys(range(8), 0.1)) > 0.95
    assert holds([], {0: 0.1}) == 1


def played_out(number: int) -> GameRecord:
    """Return a game against a planner that a poor player loses, or wins."""
    return Game(load("invented"), 2).play(["Random", "Planner"], seed=11, game=number)


@pytest.mark.compiled_only
def test_marks_of_reviews_cost_what_the_curve_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    n_marks = n_lost = 0
    for number in range(2, 2 + N_REVIEWS):
        record = played_out(number)
        with monkeypatch.context() as patch:
            patch.setattr(reviews, "N_MOMENTS", 4)
            found = review(record, number % 2, rollouts=50, seed=number, progress=False)
        summary = found.summary().iloc[0]
        curve = found.curve[found.curve["seat"] == found.seat]
        win, after = ([float(chance) for chance in curve[column]] for column in ("win", "after"))
        marked = [one for one in found.decisions if label_of(one) in BOUNDS]
        n_marks += len(marked)
        n_lost += summary["lost"] > 0

        for one in marked:
            assert win[one.step - 1] - after[one.step] == pytest.approx(one.loss)
        had = max((win[one.step - 1] for one in marked), default=0.0)
        assert summary["lost"] <= max(0.0, had - summary["result"]) + 1e-9
        assert summary["lost"] <= summary["cost"] + 1e-9
        assert 0 <= summary["shared"] <= summary[list(BOUNDS)].sum()
        assert summary["found"] - summary["lost"] == pytest.approx(summary["skill"])
    assert n_marks
    assert n_lost
