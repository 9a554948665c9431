"""Reviews: sums that add up, poor moves found, and nothing lost when interrupted."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import ttr_analysis as ttr
from tests.fixtures import load
from tests.notation.bga_writer import log_text
from ttr_analysis import Game, GameMap, GameRecord, read_bga
from ttr_analysis.analysis.payments import Payment
from ttr_analysis.engine.actions import Action, ClaimRoute, DrawTickets, KeepTickets, Pass
from ttr_analysis.engine.actions.table import codec_of
from ttr_analysis.engine.codes import (
    DRAW_FACE_UP,
    DRAW_TICKETS,
    make_action,
)
from ttr_analysis.engine.events import Move
from ttr_analysis.engine.layout import Phase
from ttr_analysis.engine.state import SeatView
from ttr_analysis.policies import Planner2
from ttr_analysis.studies import player_results, review, reviews
from ttr_analysis.studies.judging import BOUNDS, LABELS, Budget, Decision, Moment, SavedWork, label_of
from ttr_analysis.studies.losses import decisions_of
from ttr_analysis.studies.reviews import REVIEW_COLUMNS, SUMMARY_COLUMNS, Review

pytestmark = pytest.mark.compiled_only

RED = Payment("red", 1, 0)


def played(game_map: GameMap, n_players: int = 2, seed: int = 7) -> GameRecord:
    """Return a game of planners."""
    return Game(game_map, n_players).play(["Planner"] * n_players, seed=seed)


def end_of(game_map: GameMap, policies: Sequence[str], n_moves: int = 40) -> GameRecord:
    """Return the end of a game as a record of its own: to review it takes a part of the time."""
    game = Game(game_map, len(policies))
    whole = game.play(policies, seed=7)
    last = range(len(whole.steps) - n_moves, len(whole.steps))
    start = next(state for state in map(whole.state_at, last) if state.phase is Phase.TURN)
    return game.play(policies, seed=7, start=start)


def judge_only(monkeypatch: pytest.MonkeyPatch, steps: Iterable[int]) -> None:
    """Let reviews judge some steps only, which takes a part of the time."""
    monkeypatch.setattr(reviews, "_decisions_of", partial(reviews._decisions_of, steps=steps))


def interrupt_judging(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Let the user interrupt what judges decisions, after so many of them."""
    judge, n_judged = Moment.judge, 0

    def interrupted(self: Moment, budget: Budget) -> Decision:
        nonlocal n_judged
        n_judged += 1
        if n_judged > after:
            signal.raise_signal(signal.SIGINT)  # as Ctrl-C does
        return judge(self, budget)

    monkeypatch.setattr(Moment, "judge", interrupted)


# -- reviews -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reviewed() -> Review:
    """Return the review of the end of a game of three, few rollouts long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reviews, "N_MOMENTS", 3)
        return review(end_of(load("invented"), ["Planner"] * 3, 120), rollouts=8, progress=False)


def test_reasons_name_the_policies_of_a_game_without_players(reviewed: Review) -> None:
    one = next(one for one in reviewed.decisions if one.worlds and one.seat == 0)
    clear = replace(
        one, n_tried=3, best=(make_action(DRAW_TICKETS, 0), 0), points=(9.0, 0, 0), points_error=(1.0, 1, 1)
    )

    said = Review(reviewed.record, 0, [clear]).reason(one.step)

    assert said.endswith("on average, Planner (P0) ends with 9 points more")


def test_skill_and_luck_add_up_to_the_result(reviewed: Review) -> None:
    summary = reviewed.summary()

    assert np.allclose(summary[["start", "skill", "others", "luck"]].sum(axis=1), summary["result"])
    result = [float(seat in reviewed.record.winners) / len(reviewed.record.winners) for seat in range(3)]
    assert summary["result"].tolist() == pytest.approx(result)
    assert np.allclose(summary["found"] - summary["lost"], summary["skill"])
    assert (summary["luck_error"] > summary["skill_error"]).all()


def test_the_curve_falls_by_what_a_move_cost(reviewed: Review) -> None:
    """From before each measured move to right after it."""
    win = reviewed.curve.pivot_table(index="step", columns="seat", values="win").to_numpy()
    after = reviewed.curve.pivot_table(index="step", columns="seat", values="after", dropna=False).to_numpy()
    measured = reviewed.table[reviewed.table["worlds"] > 0]
    for step, seat, loss, chance in measured[["seat", "loss", "win"]].itertuples():
        assert win[step - 1, seat] - after[step, seat] == pytest.approx(loss, abs=1e-9)
        assert after[step, seat] == pytest.approx(chance)
    assert [float(seat in reviewed.record.winners) for seat in range(3)] == win[-1].tolist()


def test_a_route_missed_time_after_time_is_told_once(reviewed: Review) -> None:
    """It counts once in the summary, too, with the most that it cost."""
    own = [one for one in reviewed._decisions.values() if one.seat == 0 and one.worlds][:4]
    codec, made = codec_of(reviewed.record.map), []
    routes = [route for route in reviewed.record.map.routes if route.color != "gray" and not route.tunnel]
    for one, route, loss in zip(own, (0, 1, 0, 0), (0.1, 0.3, 0.2, 0.15), strict=True):
        action = ClaimRoute(routes[route], Payment(routes[route].color, routes[route].length, 0))
        best = codec.encode(action, reviewed.record.state_at(one.step - 1).packed)
        made.append(replace(one, n_tried=3, best=best, lost=(loss, 0, 0), loss_low=loss - 0.05, loss_high=loss + 0.05))
    found = Review(reviewed.record, 0, made)
    moments, summary = found.moments(), found.summary().iloc[0]

    assert moments.index.tolist() == [made[1].step, made[2].step]
    assert moments["until"].tolist() == [made[1].step, made[3].step]
    assert moments["times"].tolist() == [1, 3]
    assert (summary["cost"], summary["blunder"]) == (pytest.approx(0.5), 2)


def test_tickets_that_were_not_drawn_time_after_time_are_told_once(reviewed: Review) -> None:
    own = [one for one in reviewed._decisions.values() if one.seat == 0 and one.worlds][:4]
    tickets = (make_action(DRAW_TICKETS, 0), 0)
    dear = partial(replace, n_tried=3, lost=(0.2, 0, 0), loss_low=0.18, loss_high=0.22, best=tickets)
    made = [dear(one) for one in own]
    made[1] = replace(own[1], played=tickets, best=tickets)

    moments = Review(reviewed.record, 0, made).moments()

    assert sorted(moments["until"] - moments["since"]) == [0, made[3].step - made[2].step]


def test_the_table_tells_of_every_decision(reviewed: Review) -> None:
    table, record = reviewed.table, reviewed.record

    assert list(table) == list(REVIEW_COLUMNS)
    assert list(reviewed.summary()) == list(SUMMARY_COLUMNS)
    assert table.index.tolist() == list(range(1, len(record.steps)))
    assert table["seat"].tolist() == [record.state_at(step - 1).acting for step in table.index]
    assert table["loss"].between(table["loss_low"], table["loss_high"]).all()
    assert (table.loc[table["move"] == table["best"], "loss"] == 0).all()
    assert set(table["label"]) <= {*LABELS, "forced"}
    game = Game(record.map, 3)
    for step in table.index[::10]:
        assert game.is_legal(record.state_at(step - 1), reviewed.action(step))


@pytest.mark.parametrize(
    ("chance", "loss", "ends", "said"),
    [
        (0.625, 0.2224, (0.181, 0.261), "cost 23 percentage points of win probability (18 to 26)"),  # 85% - 62%
        (0.625, 0.2224, (0.221, 0.224), "cost 23 percentage points of win probability (22 to 23)"),
        (0.5, -0.04, (-0.05, -0.03), "cost 0 percentage points of win probability (0 to 0)"),
    ],
)
def test_what_a_move_cost_is_the_difference_of_the_chances_as_shown(
    reviewed: Review, chance: float, loss: float, ends: tuple[float, float], said: str
) -> None:
    one = next(one for one in reviewed.decisions if one.worlds and one.seat == 0)
    changed = replace(one, chances=(chance, 0, 0), lost=(loss, 0, 0), loss_low=ends[0], loss_high=ends[1])

    assert Review(reviewed.record, 0, [changed]).cost(one.step) == said


def test_a_good_move_is_told_with_what_it_cost(reviewed: Review) -> None:
    table = reviewed.table
    good = table[table["label"] == "good"]
    step = int(good.index[0])
    words = reviewed.verdict(step)

    assert words.startswith(f"{reviewed.move(step)}: a good move, cost ")
    assert re.search(r"cost \d+ percentage points? of win probability \(\d+ to \d+\) against ", words)
    assert str(good.loc[step, "best"]) in words


def test_few_rollouts_blame_nobody_for_what_is_not_sure(reviewed: Review) -> None:
    dear = reviewed.table[reviewed.table["label"].isin(BOUNDS)]

    surely = {"blunder": 0.05, "mistake": 0.02, "inaccuracy": 0.01}
    assert all(low >= surely[label] for low, label in zip(dear["loss_low"], dear["label"], strict=True))
    assert all(loss >= BOUNDS[label] for loss, label in zip(dear["loss"], dear["label"], strict=True))
    assert (reviewed.moments()["loss_low"] > 0).all()


@pytest.mark.parametrize(
    ("loss", "loss_low", "label"),
    [
        (0.3, 0.25, "blunder"),
        (0.1, 0.05, "blunder"),
        (0.1, 0.049, "mistake"),
        (0.094, 0.09, "mistake"),
        (0.05, 0.02, "mistake"),
        (0.06, 0.019, "inaccuracy"),
        (0.02, 0.01, "inaccuracy"),
        (0.06, 0.009, "good"),
        (0.014, 0.01, "good"),
        (0.3, 0.2, "good"),
        (-0.1, -0.2, "good"),
    ],
)
def test_what_it_surely_cost_gives_a_move_its_name(loss: float, loss_low: float, label: str) -> None:
    one = Decision(
        1, 0, (1, 0), (2, 0), (2, 0), 5, 9, (0.5,), (loss,), loss_low, loss + 0.05, 1.0, 1, (0,), (0,), (0,), (0,)
    )

    assert label_of(one) == label
    assert label_of(replace(one, holds=0.8)) == "good"
    assert label_of(replace(one, best=one.played)) == "best"
    assert label_of(replace(one, n_tried=1)) == "forced"


@pytest.mark.parametrize(
    ("loss_low", "label"),
    [(0.076, "blunder"), (0.074, "mistake"), (0.036, "mistake"), (0.034, "inaccuracy"), (0.011, "inaccuracy")],
)
def test_where_cards_are_hidden_a_mark_must_be_surer(loss_low: float, label: str) -> None:
    one = Decision(1, 0, (1, 0), (2, 0), (2, 0), 5, 9, (0.5,), (0.11,), loss_low, 0.13, 1.0, 1, (0,), (0,), (0,), (0,))

    assert label_of(replace(one, is_seen=False)) == label


def test_every_map_is_reviewed(any_map: GameMap) -> None:
    found = review(end_of(any_map, ["Planner", "Planner"]), 0, rollouts=2, progress=False)

    assert set(found.table["seat"]) == {0}
    assert found.summary().index.tolist() == [0]
    assert np.allclose(found.summary()[["start", "skill", "others", "luck"]].sum(axis=1), found.summary()["result"])


def test_an_interrupted_review_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record, path = played(load("invented")), tmp_path / "review.json"
    monkeypatch.setattr(reviews, "N_MOMENTS", 0)
    whole = review(record, 0, rollouts=4, progress=False)
    with monkeypatch.context() as patch:
        interrupt_judging(patch, after=10)
        with pytest.warns(ttr.studies.Interrupted, match="the judged decisions are kept"):
            part = review(record, 0, rollouts=4, path=path, progress=False)

    assert 0 < len(part.table) <= 10
    told = part.table.columns.difference(["luck"])  # of the last decision, that goes to the end
    assert part.table[told].equals(whole.table.loc[part.table.index, told])
    assert len(json.loads(path.read_text())["judged"]) == len(part.table)
    assert review(record, 0, rollouts=4, path=path, progress=False).table.equals(whole.table)
    with pytest.raises(ValueError, match="belongs to another review"):
        review(record, 1, rollouts=4, path=path, progress=False)
    old = path.read_text().replace(f'"{ttr.__version__}"', '"0.8"')
    path.write_text(re.sub('"points": [-0-9.e]+', '"points": 99.0', old))
    assert review(record, 0, rollouts=4, path=path, progress=False).table.equals(whole.table)  # begun anew
    path.write_text("{}")
    with pytest.raises(ValueError, match="is not a saved review"):
        review(record, 0, rollouts=4, path=path, progress=False)


def test_an_interrupt_while_a_decision_is_saved_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, write, n_written = tmp_path / "review.json", SavedWork.write, 0

    def interrupted(self: SavedWork, data: dict[str, object]) -> None:
        nonlocal n_written
        n_written += 1
        if n_written == 4:
            raise KeyboardInterrupt
        write(self, data)

    monkeypatch.setattr(SavedWork, "write", interrupted)
    with pytest.warns(ttr.studies.Interrupted):
        part = review(played(load("invented")), 0, rollouts=4, path=path, progress=False)

    assert len(json.loads(path.read_text())["judged"]) == len(part.table) == 4


def test_what_may_be_a_mistake_is_measured_again_even_if_it_looks_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "review.json"
    monkeypatch.setattr(reviews, "N_MOMENTS", 100)
    review(end_of(load("invented"), ["Planner", "Planner"]), 0, rollouts=40, path=path, progress=False)
    saved = json.loads(path.read_text())
    again = {one["step"] for one in saved["again"]}
    doubtful = {one["step"]: one["lost"][0] for one in saved["judged"] if one["loss_high"] >= BOUNDS["mistake"]}

    assert doubtful.keys() <= again
    assert min(doubtful.values()) < BOUNDS["inaccuracy"]


def test_a_game_from_a_log_is_reviewed_with_its_unknown_cards(usa: GameMap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reviews, "N_MOMENTS", 2)
    record = ttr.read_bga(log_text(played(usa), np.random.default_rng(7), seer=1), seat="Bo")

    found = review(record, rollouts=2, progress=False)

    last = record.state_at(-1)
    assert "?" in record.state_at(20).market
    assert set(found.table["seat"]) == {0, 1}
    assert all(None not in last.tickets[seat] for seat in (0, 1))
    assert set(map(type, found.moments(3)["reason"])) <= {str}
    take = make_action(DRAW_FACE_UP, 0)
    proven = [
        replace(one, best=(take, 0), loss_low=0.1)
        for one in found.decisions
        if record.state_at(one.step - 1).market[0] == "?" != found.view(one.step).market[0] and one.played[0] != take
    ]
    assert len(proven) > 3
    assert all(move.startswith("take ") for move in Review(record, None, proven).table["best"])


def test_a_turn_of_a_log_that_ends_after_one_card_is_judged() -> None:
    """The pile is empty, and what lies face up is not known: a planner can only pass."""
    players = [ttr.policies.Planner() if (47 + seat) % 3 else ttr.policies.Greedy() for seat in range(4)]
    record = read_bga(log_text(Game("usa", 4).play(players, seed=947), np.random.default_rng(7)))
    at = [step for step, (move, *_) in enumerate(record.steps) if isinstance(move, Move) and move.action == Pass()]
    second = next(step for step in at if record.state_at(step - 1).phase is Phase.SECOND_DRAW)

    judged = reviews.judge_step(record, second, seconds=0.1)

    assert judged is not None
    assert judged.verdict(second) == "pass: the only move."


def test_players_over_many_games() -> None:
    records = [end_of(load("invented"), ["Greedy", "Planner"], n_moves) for n_moves in (10, 16)]

    results = player_results(review(record, rollouts=2, progress=False) for record in records)

    assert results["games"].to_dict() == {"Greedy": 2, "Planner": 2}
    assert results["result"].sum() == pytest.approx(1)
    assert results["luck"].between(results["luck_low"], results["luck_high"]).all()
    with pytest.raises(ValueError, match="at least one review"):
        player_results([])


class Blunderer:
    """A planner who once, late in the game, draws tickets and keeps those that cost most."""

    def __init__(self) -> None:
        self.planted: list[int] = []
        """The numbers of these two decisions."""
        self._n_decisions = 0

    def choose(self, view: SeatView, actions: Sequence[Action], rng: np.random.Generator) -> Action:
        """Return what a planner does, but for that one turn."""
        number, self._n_decisions = self._n_decisions, self._n_decisions + 1
        if not self.planted and view.trains[view.seat] <= 15 and DrawTickets() in actions:
            self.planted.append(number)
            return DrawTickets()
        if len(self.planted) == 1:
            self.planted.append(number)
            return max(actions, key=_stake)
        return Planner2().choose(view, actions, rng)


def _stake(action: Action) -> int:
    """Return the points of tickets that are kept."""
    assert isinstance(action, KeepTickets)
    return sum(max(points for _, points in ticket.destinations) for ticket in action.tickets if ticket is not None)


def test_a_planted_blunder_is_among_the_moments(nordic: GameMap, monkeypatch: pytest.MonkeyPatch) -> None:
    blunderer = Blunderer()
    record = Game(nordic).play(["Planner2", blunderer], seed=8)
    own = [step for step, (move, *_) in enumerate(record.steps) if isinstance(move, Move) and move.seat == 1]
    planted = [own[number] for number in blunderer.planted]

    judge_only(monkeypatch, range(planted[0] - 12, planted[1] + 1))
    monkeypatch.setattr(reviews, "N_MOMENTS", 1)
    moments = review(record, 1, rollouts=50, progress=False).moments(3)

    assert set(planted) & set(moments.index)
    assert moments.loc[moments.index.isin(planted), "label"].isin(["mistake", "blunder"]).any()


def test_codes_of_the_best_are_those_of_the_table(reviewed: Review) -> None:
    codec = codec_of(reviewed.record.map)
    for step in reviewed.table.index[:20]:
        before = reviewed.record.state_at(step - 1).packed
        code, value = codec.encode(reviewed.action(step), before)
        assert codec.decode(code, value, before) == reviewed.action(step)


def test_losses_are_summed_over_first_measurements(tmp_path: Path) -> None:
    """Decisions that seemed costly by chance are measured again: without their bad luck, the sum would be too high."""
    record, path = end_of(load("invented"), ["Greedy", "Planner"], 80), tmp_path / "one.review"
    found = review(record, 0, rollouts=20, path=path, progress=False)
    saved = json.loads(path.read_text("utf-8"))
    first = {one["step"]: one for one in saved["judged"]}
    assert saved["again"]

    assert any(found.first_measured(one.step) != one for one in found.decisions)
    skill = sum(one["skill"][0] for one in first.values())
    assert found.summary()["skill"].item() == pytest.approx(skill) != found.table["skill"].sum()
    parts = decisions_of([(0, found)])
    assert len(parts)
    for step, lost, behind in parts[["step", "lost", "behind"]].itertuples(index=False):
        assert behind == -first[step]["skill"][0]
        assert lost == (first[step]["lost"][0] if first[step]["is_clear"] else behind)
