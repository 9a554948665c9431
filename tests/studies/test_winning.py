"""Win probabilities: what they are of, what they cannot know, and where they are known."""

from __future__ import annotations

from operator import index
from typing import SupportsIndex

import numpy as np
import pandas as pd
import pytest

from tests.engine.conformance import Combination
from tests.engine.test_hidden_information import scrambled
from ttr_analysis import Game, GameError, GameRecord, GameState
from ttr_analysis.engine.codes import CLAIM_ROUTE, DRAW_CARD, make_code
from ttr_analysis.engine.layout import OWNER, STATE_SIZE
from ttr_analysis.policies import Greedy, Planner, Random
from ttr_analysis.studies import Interrupted, route_gone, ticket_posterior, turning_points, win_curve, win_probability
from ttr_analysis.studies.winning import curve as curve_module
from ttr_analysis.studies.winning.beliefs import alone_on
from ttr_analysis.studies.winning.inference import _lost_at, _turns_taken
from ttr_analysis.studies.winning.knowledge import Knowledge, Watcher
from ttr_analysis.studies.winning.rollouts import Results, Table
from ttr_analysis.tables.games import game_tables

pytestmark = pytest.mark.compiled_only  # whole games, many times

FAST = (Greedy(), Random())
N_ROLLOUTS = 20


def a_game(name: str = "usa") -> Game:
    """Return a game of two."""
    return Game(Combination(name, "", 2).game_map, 2)


@pytest.fixture(scope="module")
def record() -> GameRecord:
    """Return a game between a good player and a bad one."""
    return a_game().play(list(FAST), seed=7)


@pytest.fixture(scope="module")
def curve(record: GameRecord) -> pd.DataFrame:
    """Return its curve."""
    return win_curve(record, n_rollouts=N_ROLLOUTS, policies=FAST, progress=False)


# -- one position ----------------------------------------------------------------------


def test_the_better_player_is_ahead_and_probabilities_share_the_win(record: GameRecord) -> None:
    chances = win_probability(record, 1, step=10, n_rollouts=N_ROLLOUTS, policies=FAST)

    assert chances["win"].sum() == pytest.approx(1)
    assert chances["win"][0] > 0.8
    assert (chances["win_low"] <= chances["win"]).all()
    assert (chances["win"] <= chances["win_high"]).all()
    assert chances["points"][0] > chances["points"][1]


def test_a_game_that_is_over_is_known(record: GameRecord) -> None:
    chances = win_probability(record, n_rollouts=3)

    assert chances["win"].tolist() == [float(seat in record.winners) for seat in range(2)]
    assert chances["points"].tolist() == list(record.scores)
    assert (chances["win_low"] == chances["win_high"]).all()


def test_what_is_hidden_does_not_change_the_probability(record: GameRecord) -> None:
    rng = np.random.default_rng(7)
    tables = game_tables(record.map, 2)
    for step in (0, 1, 2, 5, 60):
        state = record.state_at(step)
        seat = state.acting
        other = GameState(record.map, 2, scrambled(state.vector.copy(), tables, seat, rng))
        one, two = (win_probability(s, seat, n_rollouts=5, policies=FAST) for s in (state, other))

        assert other != state
        pd.testing.assert_frame_equal(one, two)


def test_a_view_a_state_and_a_record_say_the_same() -> None:
    """On a map on which what is not kept lies face up, a record tells no more than a state."""
    game = a_game("nederland")
    played = game.play(list(FAST), seed=7)
    state = played.state_at(50)

    from_state = win_probability(state, 1, n_rollouts=5, policies=FAST)
    pd.testing.assert_frame_equal(from_state, win_probability(game.view(state, 1), n_rollouts=5, policies=FAST))
    pd.testing.assert_frame_equal(from_state, win_probability(played, 1, step=50, n_rollouts=5, policies=FAST))
    assert not from_state.equals(win_probability(state, 1, n_rollouts=5, policies=FAST, seed=8))


def test_more_rollouts_begin_with_the_fewer(record: GameRecord) -> None:
    table = Table(record.map, 2, FAST)
    known = Watcher(record, 1).at(30)
    few, many = table.play(known, 5), table.play(known, 40)

    assert np.array_equal(few.points, many.points[:5])


@pytest.mark.parametrize(
    ("wrong", "error", "match"),
    [
        pytest.param({"seat": 2}, GameError, "seat from 0 to 1, got 2", id="seat"),
        pytest.param({"step": 9_999}, IndexError, "got 9999", id="step"),
        pytest.param({"n_rollouts": 0}, ValueError, "1 rollout or more, got 0", id="rollouts"),
        pytest.param({"policies": [Greedy()]}, ValueError, "expected 2 policies", id="too few policies"),
        pytest.param({"policies": ["Greedy"] * 2}, TypeError, "P0 is to be played by", id="no policy"),
    ],
)
def test_wrong_questions_are_refused(
    record: GameRecord, wrong: dict[str, object], error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match):
        win_probability(record, **wrong)  # type: ignore[arg-type]


def test_other_things_have_no_probability(record: GameRecord) -> None:
    with pytest.raises(TypeError, match="expected a GameRecord"):
        win_probability(record.dumps())  # type: ignore[arg-type]
    view = a_game().view(record.state_at(3), 0)
    with pytest.raises(ValueError, match="what P0 sees, which says nothing of what P1 knows"):
        win_probability(view, 1)


# -- whole games -----------------------------------------------------------------------


def test_a_curve_has_each_step_and_is_what_each_position_says(record: GameRecord, curve: pd.DataFrame) -> None:
    assert curve["step"].tolist() == np.repeat(np.arange(len(record.steps)), 2).tolist()
    assert set(curve) == set(curve_module.CURVE_COLUMNS)
    for step in (0, 25, len(record.steps) - 1):
        alone = win_probability(record, step=step, n_rollouts=N_ROLLOUTS, policies=FAST)
        of_step = curve[curve["step"] == step].set_index("seat")
        pd.testing.assert_frame_equal(of_step[list(alone)], alone, check_index_type=False)


def test_a_curve_of_some_steps_is_part_of_the_whole(record: GameRecord, curve: pd.DataFrame) -> None:
    some = win_curve(record, steps=(-1, 3, 30), n_rollouts=N_ROLLOUTS, policies=FAST, progress=False)

    assert some["step"].unique().tolist() == [3, 30, len(record.steps) - 1]
    wanted = curve[curve["step"].isin(some["step"])]
    assert some["win"].tolist() == wanted["win"].tolist()


def test_swings_add_up(curve: pd.DataFrame) -> None:
    of_seat = curve[curve["seat"] == 0]
    raw = N_ROLLOUTS / (N_ROLLOUTS + 2)  # the rule of succession draws probabilities together, but not swings
    last_but_end = of_seat.iloc[-2]

    assert of_seat["swing"].isna().tolist()[:2] == [True, False]
    total = raw * of_seat["swing"].iloc[1:-1].sum()
    assert of_seat["win"].iloc[0] + total == pytest.approx(last_but_end["win"])


def test_an_interrupted_curve_ends_early(record: GameRecord, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stopping(Watcher):
        def at(self, step: SupportsIndex) -> Knowledge:
            if index(step) == 12:
                raise KeyboardInterrupt
            return super().at(step)

    monkeypatch.setattr(curve_module, "Watcher", Stopping)
    with pytest.warns(Interrupted, match="ends early"):
        found = win_curve(record, n_rollouts=2, policies=FAST, progress=False)

    assert 0 < found["step"].max() < 12


def test_turning_points_are_the_surest_swings(record: GameRecord) -> None:
    rows = []
    wins = (0.5, 0.9, 0.3, 0.31)
    for step, win in enumerate(wins):
        swing = win - wins[step - 1] if step else np.nan
        half = 0.35 if step == 1 else 0.1
        rows += [(step, 0, 1, win, swing, swing - half, swing + half)]
        rows += [(step, 1, 1, 1 - win, -swing, -swing - half, -swing + half)]
    columns = ["step", "seat", "acting", "win", "swing", "swing_low", "swing_high"]
    points = turning_points(record, pd.DataFrame(rows, columns=columns))

    assert points.index.tolist() == [2, 1]
    assert points["before"].round(2).tolist() == [0.9, 0.5]
    assert points["move"].str.startswith("keep").tolist()[1]


def test_a_curve_of_another_game_is_refused(record: GameRecord, curve: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="the record steps 0 to"):
        turning_points(record, curve.assign(step=curve["step"] + 1_000))


# -- what can be inferred --------------------------------------------------------------


@pytest.fixture(scope="module")
def planned() -> GameRecord:
    """Return a game of two planners."""
    return a_game("nordic").play([Planner(), Planner()], seed=3)


def test_a_posterior_shares_out_the_tickets_of_a_seat(planned: GameRecord) -> None:
    state = planned.state_at(90)
    posterior = ticket_posterior(planned, 0, seat=1, step=90, n_worlds=400)
    own = {ticket.id for ticket in state.tickets[1] if ticket}

    assert posterior["probability"].sum() == pytest.approx(state.n_tickets[0])
    assert (posterior["uniform"] * len(posterior)).iloc[0] == pytest.approx(state.n_tickets[0])
    assert not own & set(posterior.index)
    assert (posterior["low"] <= posterior["probability"]).all()


def test_claims_tell_tickets(planned: GameRecord) -> None:
    """Late in a game its holder's tickets are near the top; by chance they would be anywhere."""
    step = len(planned.steps) * 3 // 4
    posterior = ticket_posterior(planned, 0, seat=1, step=step, n_worlds=400)
    held = [ticket.id for ticket in planned.state_at(step).tickets[0] if ticket]
    logs = np.log(posterior["probability"].clip(lower=1e-3))

    assert logs[held].mean() > np.log(posterior["uniform"].iloc[0]) + 0.7


def test_who_sees_all_hands_knows_tickets(planned: GameRecord) -> None:
    posterior = ticket_posterior(planned, 0, step=90, n_worlds=5)
    held = {ticket.id for ticket in planned.state_at(90).tickets[0] if ticket}

    assert set(posterior.index[posterior["probability"] == 1.0]) == held
    assert posterior["uniform"].max() == 0


def test_routes_of_two_tickets_in_common_are_those_of_a_tree() -> None:
    """The routes that two tickets save by being completed together, on an empty board, by the exact solver."""
    from ttr_analysis.analysis.tickets.solver import ForestSolver, trains_of

    game_map = Combination("nordic", "", 2).game_map
    solver, trains = ForestSolver(game_map), alone_on(game_map, 2).trains
    costs = trains_of(solver.costs(game_map.tickets[:7], np.arange(7)[:, None]))

    assert trains[:7].tolist() == costs.tolist()


def test_turns_are_counted_until_a_route_is_taken() -> None:
    claim = [(make_code(CLAIM_ROUTE, route) + 16 * seat, 0) for route, seat in ((4, 1), (5, 0), (4, 1))]
    draw = [(DRAW_CARD + 16 * seat, 0) for seat in (0, 0, 1)]
    rows = np.array([claim[0], draw[0], draw[1], draw[2], claim[1], claim[2]])
    state = np.full(STATE_SIZE, -1, dtype=np.int64)
    state[OWNER + 4], state[OWNER + 5] = 1, 0
    tables = game_tables(Combination("nordic", "", 2).game_map, 2)

    taken = _turns_taken(tables, state, rows, 0)

    assert taken == {4: 2, 5: 2}
    assert _lost_at(tables, state, taken, 0, 4) == (2, False)
    assert _lost_at(tables, state, taken, 0, 5) == (2, True)
    assert _lost_at(tables, state, taken, 0, 6) == (2, True), "the other track of its own route"
    assert _lost_at(tables, state, taken, 0, 9) == (np.inf, False)


def test_more_turns_endanger_routes_more(record: GameRecord) -> None:
    def gone(turns: int | None) -> pd.Series[float]:
        found = route_gone(record, 1, step=20, turns=turns, n_rollouts=N_ROLLOUTS, policies=FAST)
        return found["gone"].sort_index()

    soon, later, ever = gone(1), gone(8), gone(None)
    assert (soon <= later).all()
    assert (later <= ever).all()
    assert soon.sum() < later.sum() < ever.sum()


@pytest.mark.parametrize("wrong", [{"turns": 0}, {"n_rollouts": 0}])
def test_no_turns_are_refused(record: GameRecord, wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="1 rollout and 1 turn or more"):
        route_gone(record, 1, **wrong)  # type: ignore[arg-type]


def test_probabilities_follow_the_rule_of_succession() -> None:
    from ttr_analysis.studies.winning.probability import chances_of

    won = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]])
    chances = chances_of(Results(won, np.zeros((2, 3), dtype=np.int64)), is_over=False)

    assert chances["win"].tolist() == pytest.approx([2.5 / 5, 1.5 / 5, 1 / 5])
