"""Win probabilities: what they are of, what they cannot know, and where they are known."""

from __future__ import annotations

from itertools import combinations
from operator import index
from typing import SupportsIndex

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from scripts.calibrate import COLUMNS, N_POSITIONS, Setting, positions
from tests.engine.conformance import Combination
from tests.engine.test_hidden_information import scrambled
from ttr_analysis import Game, GameError, GameRecord, GameState
from ttr_analysis.analysis.tickets.network import ForestSolver, trains_of
from ttr_analysis.engine.codes import CLAIM_ROUTE, DRAW_CARD, KEEP_TICKETS, PAY_TUNNEL, make_event
from ttr_analysis.engine.layout import AT_PILE, KEEP, NOBODY, TUNNEL_PHASE, TURN, State
from ttr_analysis.policies import Greedy, Planner, Planner2, Random
from ttr_analysis.policies.playout import Results
from ttr_analysis.policies.search.beliefs import alone_on, fill_needs
from ttr_analysis.policies.search.knowledge import PRIOR, Knowledge
from ttr_analysis.policies.search.rollouts import Rollouts, group_size
from ttr_analysis.policies.search.watching import Watcher
from ttr_analysis.studies import (
    Interrupted,
    route_gone,
    ticket_posterior,
    turning_points,
    win_curve,
    win_probability,
    winning,
)
from ttr_analysis.studies.winning import CURVE_COLUMNS, _lost_at, _rows, _turns_taken, chances_of, step_text, succession
from ttr_analysis.tables import MAX_TICKETS, game_tables

pytestmark = pytest.mark.compiled_only  # whole games, many times

FAST = (Greedy(), Random())
N_ROLLOUTS = 20
N_WORLDS = 150


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


@pytest.mark.parametrize("seat", [None, 0, 1])
def test_a_game_that_is_over_is_known_to_all(record: GameRecord, seat: int | None) -> None:
    for source in (record, record.states()[-1]):
        chances = win_probability(source, seat, n_rollouts=3)

        assert chances["win"].tolist() == [float(seat in record.winners) for seat in range(2)]
        assert chances["points"].tolist() == list(record.scores)
        assert (chances["win_low"] == chances["win_high"]).all()


def test_a_game_that_is_over_is_not_known_where_tickets_are_not() -> None:
    record = a_game("nordic").play([Random(), Random()], seed=7).watched_from(0, shown=False)
    chances = win_probability(record, n_rollouts=30, policies=[Greedy(), Greedy()])

    assert (chances["win_low"] < chances["win_high"]).all()
    assert chances["points_low"][1] < chances["points_high"][1]


def test_what_is_hidden_does_not_change_the_probability(record: GameRecord) -> None:
    rng = np.random.default_rng(7)
    tables = game_tables(record.map, 2)
    for step in (0, 1, 2, 5, 60):
        state = record.state_at(step)
        seat = state.acting
        other = GameState(record.map, 2, scrambled(state.packed.copy(), tables, seat, rng))
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
    table = Rollouts(record.map, 2, FAST)
    known = Watcher(record, 1).at(30)
    few, many = table.play(known, 5), table.play(known, 40)

    assert np.array_equal(few.points, many.points[:5])


def test_rollouts_in_a_row_have_the_same_tickets_and_cards_of_their_own(planned: GameRecord) -> None:
    known, table = Watcher(planned, 1).at(60), Rollouts(planned.map, 2)
    each = group_size(known)
    beliefs = table.believe(known)
    worlds = table.worlds_to_play(known, beliefs, 30, 3)
    assert np.array_equal(table.worlds_to_play(known, beliefs, 5, 7), worlds[4:9])  # wherever a part begins
    held, place = State.across(worlds, "held")[:, 0, : known.packed.n_held[0]], State.across(worlds, "ticket_at")
    hands = State.across(worlds, "hand")[:, 0]

    assert each == 3
    assert np.array_equal(held, held[::each].repeat(each, axis=0))
    assert len(np.unique(held, axis=0)) > 1
    assert (np.take_along_axis(place, held, axis=1) == 0).all()
    assert ((place == AT_PILE).sum(axis=1) == (place[0] == AT_PILE).sum()).all()
    assert (hands != hands[::each].repeat(each, axis=0)).any(axis=1).sum() > len(worlds) / 2


def test_planners_whom_nobody_named_have_styles_of_their_own(record: GameRecord) -> None:
    known = Watcher(record, 1).at(30)._replace(styled=PRIOR)
    table = Rollouts(record.map, 2)
    few, many = table.play(known, 5), table.play(known, 40)
    named = Rollouts(record.map, 2, ["Planner"] * 2).play(known, 40)

    assert np.array_equal(few.points, many.points[:5])
    assert 0 < (many.points == named.points).all(axis=1).sum() < 40
    tables = table, Rollouts(record.map, 2)
    ends = [played.follow(played.worlds(known, played.believe(known), 1)[0], 0)[0] for played in tables]
    assert np.array_equal(ends[0].cells, ends[1].cells)


@pytest.mark.parametrize(
    ("wrong", "error", "match"),
    [
        pytest.param({"seat": 2}, GameError, "seat from 0 to 1, got 2", id="seat"),
        pytest.param({"step": 9_999}, IndexError, "got 9999", id="step"),
        pytest.param({"n_rollouts": 0}, ValueError, "at least 1 rollout, got 0", id="rollouts"),
        pytest.param({"policies": [Greedy()]}, ValueError, "expected 2 policies", id="too few policies"),
        pytest.param({"policies": [Greedy(), object()]}, TypeError, "P1 must be played by", id="no policy"),
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
    with pytest.raises(ValueError, match="what P0 sees, not what P1 knows"):
        win_probability(view, 1)


# -- whole games -----------------------------------------------------------------------


def test_a_curve_has_each_step_and_is_what_each_position_says(record: GameRecord, curve: pd.DataFrame) -> None:
    assert curve["step"].tolist() == np.repeat(np.arange(len(record.steps)), 2).tolist()
    assert set(curve) == set(CURVE_COLUMNS)
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
    for _, of_seat in curve.groupby("seat"):
        assert of_seat["swing"].isna().tolist()[:2] == [True, False]
        until_over = of_seat.iloc[:-1]  # the last one is known, the others are estimates
        total = until_over["win"].iloc[0] + until_over["swing"].sum()
        assert total == pytest.approx(until_over["win"].iloc[-1])
        assert (of_seat["swing_low"].dropna() < of_seat["swing_high"].dropna()).all()


def test_an_interrupted_curve_ends_early(record: GameRecord, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stopping(Watcher):
        def at(self, step: SupportsIndex) -> Knowledge:
            if index(step) == 12:
                raise KeyboardInterrupt
            return super().at(step)

    monkeypatch.setattr(winning, "Watcher", Stopping)
    with pytest.warns(Interrupted, match="ends early"):
        found = win_curve(record, n_rollouts=2, policies=FAST, progress=False)

    assert 0 < found["step"].max() < 12


def a_curve_of(wins: dict[int, float], halves: dict[int, float], looker: int | str | None = None) -> pd.DataFrame:
    """Return a curve of two seats with given probabilities of the first, and half intervals of its swings."""
    rows: list[tuple[float | None, ...]] = []
    before: int | None = None
    for step, win in wins.items():
        swing = np.nan if before is None else win - wins[before]
        for seat, sign in ((0, 1), (1, -1)):
            half, chance = halves.get(step, 0.01), win if seat == 0 else 1 - win
            rows.append((step, seat, 1, chance, before, sign * swing, sign * swing - half, sign * swing + half))
        before = step
    columns = ["step", "seat", "acting", "win", "since", "swing", "swing_low", "swing_high"]
    curve = pd.DataFrame(rows, columns=columns).assign(rollouts=N_ROLLOUTS)
    curve.attrs = {} if looker is None else {"looker": looker}
    return curve


def test_turning_points_are_the_surest_swings(record: GameRecord) -> None:
    points = turning_points(record, a_curve_of({0: 0.5, 1: 0.9, 2: 0.3, 3: 0.31}, {1: 0.2}))

    assert points.index.tolist() == [2, 1]
    assert points["before"].round(2).tolist() == [0.9, 0.5]
    assert points["since"].tolist() == [1, 0]
    assert points["move"].str.startswith("keep").tolist()[1]


def test_turning_points_of_a_seat_are_told_as_it_saw_them(record: GameRecord) -> None:
    moves = {seat: turning_points(record, a_curve_of({1: 0.5, 2: 0.9}, {}, looker=seat))["move"][2] for seat in (0, 1)}
    of_nobody, of_all = (a_curve_of({1: 0.5, 2: 0.9}, {}, looker=looker) for looker in (None, "all"))

    assert moves == {0: "keep 2", 1: step_text(record, 2)}
    assert turning_points(record, of_nobody)["move"][2] == turning_points(record, of_all)["move"][2] == moves[1]


def test_a_swing_over_several_steps_is_of_all_of_them(record: GameRecord) -> None:
    points = turning_points(record, a_curve_of({0: 0.5, 7: 0.9}, {}))

    assert points["move"].tolist() == ["steps 1 to 7"]
    assert points["acting"].tolist() == [-1]


def test_intervals_of_turning_points_are_wide_enough_for_all_and_for_few_rollouts(record: GameRecord) -> None:
    """Four swings, two steps of two seats, each known from twenty rollouts and two more: Student's, not normal."""
    points = turning_points(record, a_curve_of({0: 0.5, 1: 0.8, 2: 0.2}, {}))
    student = stats.t(N_ROLLOUTS + 1)
    half = 0.01 * student.isf(0.025 / 4) / student.isf(0.025)

    assert (points["swing_high"] - points["swing"]).tolist() == pytest.approx([half, half])
    assert (points["swing"] - points["swing_low"]).tolist() == pytest.approx([half, half])


def test_noise_is_no_turning_point(record: GameRecord) -> None:
    """Of games in which nothing changes, few have any turning point."""
    rng = np.random.default_rng(7)
    n_found = 0
    for _ in range(12):
        won = np.eye(2)[rng.integers(2, size=(25, 60))]
        results = [Results(of_step, np.zeros((60, 2), dtype=np.int64)) for of_step in won]
        befores = [None, *enumerate(results)]
        rows = [row for step in range(25) for row in _rows(record, step, results[step], befores[step], is_known=False)]
        noise = pd.DataFrame(rows, columns=list(CURVE_COLUMNS))
        n_found += len(turning_points(record, noise)) > 0
    assert n_found <= 2


def test_a_curve_of_another_game_is_refused(record: GameRecord, curve: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="expected a curve of"):
        turning_points(record, curve.assign(step=curve["step"] + 1_000))


# -- what can be inferred --------------------------------------------------------------


@pytest.fixture(scope="module")
def planned() -> GameRecord:
    """Return a game of two planners."""
    return a_game("nordic").play([Planner2(), Planner2()], seed=3)


@pytest.fixture(scope="module")
def posterior(planned: GameRecord) -> pd.DataFrame:
    """Return what its second seat knows of the first one's tickets."""
    return ticket_posterior(planned, 0, seat=1, step=90, n_worlds=N_WORLDS)


def test_a_posterior_says_whose_tickets_and_who_looks(planned: GameRecord) -> None:
    assert ticket_posterior(planned, 0, seat=1, step=90, n_worlds=5).columns.name == "tickets of P0, as P1 sees it"
    assert ticket_posterior(planned, 0, step=90, n_worlds=5).columns.name == "tickets of P0"
    with pytest.raises(
        GameError, match="P0 knows its own tickets: `other` must be a different seat from the viewer, `seat`"
    ):
        ticket_posterior(planned, 0, seat=0, step=90)


def test_a_posterior_shares_out_the_tickets_of_a_seat(planned: GameRecord, posterior: pd.DataFrame) -> None:
    state = planned.state_at(90)
    own = {ticket.id for ticket in state.tickets[1] if ticket}

    assert posterior["probability"].sum() == pytest.approx(state.n_tickets[0])
    assert (posterior["uniform"] * len(posterior)).iloc[0] == pytest.approx(state.n_tickets[0])
    assert not own & set(posterior.index)
    assert (posterior["low"] <= posterior["probability"]).all()


def test_any_ticket_to_a_city_is_at_least_as_likely_as_each(planned: GameRecord, posterior: pd.DataFrame) -> None:
    city = str(posterior.index[0]).split("-")[0]

    found = ticket_posterior(planned, 0, seat=1, step=90, n_worlds=N_WORLDS, to=city.upper())

    whole, each = found.iloc[0], found.iloc[1:]
    assert whole.name == f"any ticket to {city}"
    assert list(each.index) == [ticket for ticket in posterior.index if city in str(ticket).split("-")]
    pd.testing.assert_frame_equal(each, posterior.loc[each.index], check_names=False)
    for column in ("probability", "uniform"):
        assert each[column].max() <= whole[column] + 1e-12 <= each[column].sum() + 2e-12


def test_claims_tell_tickets(planned: GameRecord) -> None:
    """Late in a game its holder's tickets are near the top; by chance they would be anywhere."""
    step = len(planned.steps) * 3 // 4
    posterior = ticket_posterior(planned, 0, seat=1, step=step, n_worlds=N_WORLDS)
    held = [ticket.id for ticket in planned.state_at(step).tickets[0] if ticket]
    logs = np.log(posterior["probability"].clip(lower=1e-3))

    assert logs[held].mean() > np.log(posterior["uniform"].iloc[0]) + 0.7


def test_a_posterior_takes_a_player_at_random_for_one(planned: GameRecord) -> None:
    step = len(planned.steps) * 3 // 4
    posterior = ticket_posterior(planned, 0, seat=1, step=step, n_worlds=400, policies=[Random(), Planner()])
    uniform = posterior["uniform"].iloc[0]
    error = np.sqrt(uniform * (1 - uniform) / 400)

    assert (posterior["probability"] - uniform).abs().max() < 5 * error
    with pytest.raises(ValueError, match="expected 2 policies"):
        ticket_posterior(planned, 0, seat=1, policies=[Planner()])


def test_a_ticket_that_a_seat_cannot_hold_is_not_in_its_posterior() -> None:
    """On a map on which discards become the pile: what lay face up then is nobody's who drew none since."""
    record = Game(Combination("nederland", "", 3).game_map, 3).play([Random()] * 3, 5)
    watcher = Watcher(record, 0)
    step = next(step for step in range(3, len(record.steps)) if watcher.at(step).excluded[2])
    barred = {record.map.tickets[ticket].id for ticket in watcher.at(step).excluded[2]}
    posterior = ticket_posterior(record, 2, seat=0, step=step, n_worlds=50)

    assert not barred & set(posterior.index)
    assert posterior["uniform"].sum() == pytest.approx(record.state_at(step).n_tickets[2])


def test_a_posterior_knows_that_a_seat_holds_at_most_one_ticket_of_a_deck_that_leaves() -> None:
    record = a_game("europe").play([Random(), Random()], seed=3)
    step = len(record.steps) // 2
    deck = {ticket.id: ticket.deck for ticket in record.map.tickets}
    drawn = ticket_posterior(record, 0, seat=1, step=step, n_worlds=400, policies=[Random(), Random()])

    of_deck = drawn.groupby(drawn.index.map(deck))["uniform"]
    assert drawn["uniform"].sum() == pytest.approx(record.state_at(step).n_tickets[0])
    assert (of_deck.min() == of_deck.max()).all()
    assert of_deck.sum()["long"] < 1
    assert of_deck.sum()["short"] > of_deck.sum()["long"]
    error = np.sqrt(drawn["uniform"] * (1 - drawn["uniform"]) / 400)
    assert (drawn["probability"] - drawn["uniform"]).abs().lt(5 * error).all()

    city = next(ticket for ticket in record.map.tickets if ticket.id == drawn.index[0]).origin.name
    found = ticket_posterior(record, 0, seat=1, step=step, n_worlds=400, policies=[Random(), Random()], to=city)
    whole, each = found.iloc[0], found.iloc[1:]
    assert each["uniform"].max() <= whole["uniform"] <= each["uniform"].sum() + 1e-12
    assert whole["uniform"] == pytest.approx(whole["probability"], abs=5 * (0.25 / 400) ** 0.5)


def test_who_sees_all_hands_knows_tickets(planned: GameRecord) -> None:
    posterior = ticket_posterior(planned, 0, step=90, n_worlds=5)
    held = {ticket.id for ticket in planned.state_at(90).tickets[0] if ticket}

    assert set(posterior.index) == held
    assert posterior[["probability", "uniform"]].min().tolist() == [1, 1]


def test_routes_of_a_player_at_random_say_nothing(planned: GameRecord) -> None:
    known = Watcher(planned, 1).at(140)
    as_planner, at_random = (
        Rollouts(planned.map, 2, [policy, Greedy()]).believe(known) for policy in (Planner(), Random())
    )

    assert at_random.weights[0].max() == at_random.weights[0].min() == 1
    assert as_planner.weights[0].max() > 10


def test_trains_and_what_two_tickets_share_are_those_of_the_exact_solver() -> None:
    game_map = Combination("nordic", "", 2).game_map
    solver, alone = ForestSolver(game_map), alone_on(game_map, 2)
    some = game_map.tickets[:7]
    costs = trains_of(solver.costs(some, np.arange(7)[:, None]))
    pairs = np.array(list(combinations(range(7), 2)))
    both = trains_of(solver.costs(some, pairs))
    need, shared = np.zeros(MAX_TICKETS, dtype=np.int64), np.zeros((MAX_TICKETS, MAX_TICKETS), dtype=np.int64)
    tables = game_tables(game_map, 2)
    fill_needs(tables, tables.length[: len(game_map.routes)], need, shared)

    assert alone.trains[:7].tolist() == need[:7].tolist() == costs.tolist()
    assert shared[tuple(pairs.T)].tolist() == (costs[pairs].sum(axis=1) - both).tolist()
    assert shared[tuple(pairs.T)].max() > 0


def a_position(phase: int = TURN, turn_seat: int = 0, pending: int = NOBODY) -> Knowledge:
    """Return what is known of a game on the Nordic map in which no route is taken."""
    state = State()
    state.phase, state.turn_seat, state.pending = phase, turn_seat, pending
    state.owner[:] = NOBODY
    return Knowledge(Combination("nordic", "", 2).game_map, 2, state, 0, (frozenset(), frozenset()), PRIOR)


def owned(known: Knowledge, owners: dict[int, int]) -> State:
    """Return a last state with these owners of routes."""
    state = known.packed.copy()
    for route, owner in owners.items():
        state.owner[route] = owner
    return state


def test_turns_are_counted_until_a_route_is_taken() -> None:
    claim = [(make_event(CLAIM_ROUTE, seat, route), 0) for route, seat in ((4, 1), (5, 0), (4, 1))]
    draw = [(make_event(DRAW_CARD, seat), 0) for seat in (0, 0, 1)]
    rows = np.array([claim[0], draw[0], draw[1], draw[2], claim[1], claim[2]])
    known = a_position()
    state = owned(known, {4: 1, 5: 0})

    taken = _turns_taken(known, state, rows, 0)

    assert taken == {4: 2, 5: 2}
    assert _lost_at(known.tables, state, taken, 0, 4) == (2, False)
    assert _lost_at(known.tables, state, taken, 0, 5) == (2, True)
    assert _lost_at(known.tables, state, taken, 0, 6) == (2, True), "the other track of its own route"
    assert _lost_at(known.tables, state, taken, 0, 9) is None


def test_whose_claim_closed_a_route_is_told_by_the_order_of_claims() -> None:
    """Where both tracks are open, a seat and another player may take one each in the same round."""
    game_map = Combination("nederland", "", 3).game_map
    players = [Greedy()] * 3
    known = Watcher(Game(game_map, 3).play(players, seed=7), 0).at(12)
    table = Rollouts(game_map, 3, players)
    n_own = n_ties = 0
    for number in range(25):
        state, rows = table.follow(table.worlds(known, table.believe(known), 1, number)[0], number)
        taken = _turns_taken(known, state, rows, 0)
        order = state.claimed[: state.n_claims].tolist()
        for route in taken:
            twin = int(known.tables.twin[route])
            tracks = [route, twin] if twin in taken and state.owner[twin] == 0 else [route]
            first = min(tracks, key=order.index)
            n_own += state.owner[first] == 0
            n_ties += len({taken[track] for track in tracks}) < len(tracks)
            assert _lost_at(known.tables, state, taken, 0, route) == (taken[first], state.owner[first] == 0)
    assert n_own > n_ties > 0


def test_a_tunnel_that_was_attempted_before_is_taken_when_it_is_paid() -> None:
    for turn, turns in ((0, 1), (1, 0)):
        known = a_position(TUNNEL_PHASE, turn, pending=9)
        rows = np.array([(make_event(PAY_TUNNEL, turn), 0)])

        assert _turns_taken(known, owned(known, {9: turn}), rows, 0) == {9: turns}


def test_the_turn_that_a_seat_is_in_counts() -> None:
    known = a_position(KEEP)
    rows = np.array([(KEEP_TICKETS, 1), (make_event(CLAIM_ROUTE, 1, 9), 0)])

    assert _turns_taken(known, owned(known, {9: 1}), rows, 0) == {9: 1}


def test_more_turns_endanger_routes_more(record: GameRecord) -> None:
    def chances(turns: int | None) -> pd.DataFrame:
        return route_gone(record, 1, step=20, turns=turns, n_rollouts=N_ROLLOUTS, policies=FAST).sort_index()

    soon, later, late, ever = (chances(turns) for turns in (1, 8, 10_000, None))
    assert (soon["gone"] <= later["gone"]).all()
    assert (later["gone"] <= ever["gone"]).all()
    assert soon["gone"].sum() < later["gone"].sum() < ever["gone"].sum()
    assert (ever["gone"] + ever["own"]).min() < 1 >= (ever["gone"] + ever["own"]).max()
    pd.testing.assert_frame_equal(late, ever)


@pytest.mark.parametrize("wrong", [{"turns": 0}, {"n_rollouts": 0}])
def test_no_turns_are_refused(record: GameRecord, wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least 1 rollout and 1 turn"):
        route_gone(record, 1, **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("n_seats", [2, 3, 4, 5])
@pytest.mark.parametrize("n", [1, 25, 200, 2_000])
def test_probabilities_follow_the_rule_of_succession_and_lie_in_their_intervals(n_seats: int, n: int) -> None:
    won = np.eye(n_seats)[np.zeros(n, dtype=np.int64)]
    chances = chances_of(Results(won, np.zeros((n, n_seats), dtype=np.int64)), is_known=False)

    assert chances["win"].tolist() == pytest.approx([(n + 1) / (n + n_seats)] + [1 / (n + n_seats)] * (n_seats - 1))
    assert (chances["win_low"] < chances["win"]).all()
    assert (chances["win"] < chances["win_high"]).all()


def test_rollouts_that_are_all_alike_count_once() -> None:
    won = np.eye(2)[np.random.default_rng(7).integers(2, size=40)]
    points = np.array([[90, 80]]) * won.astype(np.int64)
    once = chances_of(Results(won, points), is_known=False)
    thrice = chances_of(Results(won.repeat(3, axis=0), points.repeat(3, axis=0)), 3, is_known=False)

    widths = [
        chances.filter(like="high").to_numpy() - chances.filter(like="low").to_numpy() for chances in (once, thrice)
    ]
    assert widths[0] == pytest.approx(widths[1], rel=0.06)
    assert (widths[0] <= widths[1]).all()


@pytest.mark.parametrize("n_seats", [2, 3, 5])
@pytest.mark.parametrize("n", [40, 60, 200])
def test_intervals_hold_every_probability_as_often_as_they_say(n_seats: int, n: int) -> None:
    wins = np.arange(n + 1)
    _, low, high = np.array([succession(float(some), n, n_seats) for some in wins]).T
    assert (low[0], high[-1]) == (0, 1)

    for chance in np.linspace(0, 1, 101):
        held = stats.binom.pmf(wins, n, chance)[(low <= chance) & (chance <= high)].sum()
        assert held > (0.92 if 0.05 <= chance <= 0.95 else 0.88), chance


# -- how a curve is made ---------------------------------------------------------------


def test_one_processor_makes_the_same_curve(
    record: GameRecord, curve: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    alone = win_curve(record, n_rollouts=N_ROLLOUTS, policies=FAST, progress=False)

    pd.testing.assert_frame_equal(alone, curve)


def test_a_curve_of_a_seat_begins_unsure_and_ends_known(record: GameRecord) -> None:
    curve = win_curve(record, 1, steps=(0, 40, -1), n_rollouts=N_ROLLOUTS, policies=FAST, progress=False)
    last = curve[curve["step"] == len(record.steps) - 1]

    assert curve.attrs["looker"] == 1
    assert last["win"].tolist() == [float(seat in record.winners) for seat in range(2)]
    assert curve["since"].dropna().unique().tolist() == [0, 40]


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        pytest.param({"steps": ()}, "at least one step", id="no steps"),
        pytest.param({"n_rollouts": 0}, "at least 1 rollout, got 0", id="no rollouts"),
        pytest.param({"policies": [Greedy()]}, "expected 2 policies", id="too few policies"),
    ],
)
def test_curves_of_nothing_are_refused(record: GameRecord, wrong: dict[str, object], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        win_curve(record, progress=False, **wrong)  # type: ignore[arg-type]


def test_positions_of_the_calibration_are_of_all_seats_alike() -> None:
    """So that the luck of some seats cannot look like a bias: the shares of the win are 1 a game over its seats."""
    rows = pd.DataFrame(positions(Setting("usa", 3, 2), 0, 2, 2, 7), columns=COLUMNS)
    assert (rows.groupby(["game", "seat"]).size() == N_POSITIONS).all()
    assert len(rows) == 2 * 3 * N_POSITIONS
    assert rows["won"].mean() == pytest.approx(1 / 3)
