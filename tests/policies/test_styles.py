"""How somebody plays, told from what they did: planners are known for planners, and others soon for others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.records import EACH_VARIANT, TABLES, Table, played
from tests.engine.test_unknown_market import without_market
from tests.fixtures import load
from tests.notation.bga_writer import log_text
from ttr_analysis import Game, GameRecord, read_bga
from ttr_analysis.engine.actions import DrawCard, DrawFaceUp
from ttr_analysis.engine.events import Move
from ttr_analysis.engine.layout import Phase
from ttr_analysis.policies import Greedy, Planner, Planner1
from ttr_analysis.policies.search.knowledge import PRIOR, knowledge_of, planner_styles
from ttr_analysis.policies.search.rollouts import Rollouts
from ttr_analysis.policies.search.watching import Decisions, Watcher, style_chance, styled_share

pytestmark = pytest.mark.compiled_only

SLIPS = (Fraction(1, 1000), Fraction(1, 20))


@cache
def of_planners(table: Table) -> GameRecord:
    """Return a game between planners."""
    return Game(table.game_map, table.n_players).play([Planner()] * table.n_players, seed=7)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=60))
def test_the_chance_is_that_of_bayes_one_decision_after_the_other(decisions: list[tuple[bool, bool]]) -> None:
    styled, planner = Fraction(1, 4), Fraction(3, 4)
    done = [0, 0]
    for does_otherwise, is_guessed in decisions:
        # Krichevsky and Trofimov's estimator: what comes next where any share may be, and extreme ones rather.
        styled *= (done[does_otherwise] + Fraction(1, 2)) / (sum(done) + 1)
        slip = SLIPS[is_guessed]
        planner *= slip if does_otherwise else 1 - slip
        done[does_otherwise] += 1

    counts = Decisions(*(decisions.count((other, guessed)) for guessed in (False, True) for other in (False, True)))
    assert style_chance(counts) == pytest.approx(float(styled / (styled + planner)), rel=1e-9)


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_a_planner_always_does_what_a_planner_would_do(table: Table) -> None:
    record = of_planners(table)
    chances = [styled_share(record, range(table.n_players), step) for step in range(0, len(record.steps), 9)]

    assert chances[0] == PRIOR
    assert max(styled_share(record, [seat]) for seat in range(table.n_players)) < 0.06
    assert all(after < before for before, after in pairwise(chances))


@pytest.mark.parametrize("tables", EACH_VARIANT, ids=str)
def test_who_plays_otherwise_is_soon_found_out(tables: Table) -> None:
    record = played(tables)

    assert min(styled_share(record, [seat], len(record.steps) // 3) for seat in range(tables.n_players)) > 0.95


@pytest.mark.parametrize("policy", [Greedy(), Planner1(), Planner(route_price=2.0, plan_bar=3.0)], ids=str)
def test_each_seat_is_judged_by_its_own_decisions(policy: Greedy | Planner) -> None:
    game = Game(Table("nordic", "", 3).game_map, 3)
    record = game.play([Planner(), policy, Planner()], seed=7)
    one, other, third = (styled_share(record, [seat]) for seat in range(3))

    assert max(one, third) < 0.06
    assert other > 0.95
    assert styled_share(record, [0, 1, 2]) == pytest.approx((one + other + third) / 3)


def test_what_is_done_where_nothing_can_be_chosen_says_nothing() -> None:
    """Such as the answer to a tunnel that nobody can pay for."""
    record = played(Table("nordic", "", 2))
    session = Game(record.map, 2)
    forced = [
        step
        for step in range(1, len(record.steps))
        if isinstance(record.steps[step][0], Move) and len(session.legal_actions(record.state_at(step - 1))) == 1
    ]

    assert forced
    assert all(styled_share(record, [0, 1], step) == styled_share(record, [0, 1], step - 1) for step in forced)


@pytest.mark.parametrize("table", EACH_VARIANT, ids=str)
@pytest.mark.parametrize("looker", [0, 1])
def test_what_others_hide_changes_nothing(table: Table, looker: int) -> None:
    record = of_planners(table)
    watched = record.watched_from(looker, shown=False)

    assert Watcher(watched, looker).at(20).styled == Watcher(record, looker).at(20).styled
    assert styled_share(watched, [1 - looker]) == PRIOR


@pytest.mark.parametrize("table", EACH_VARIANT, ids=str)
def test_what_was_drawn_from_a_market_that_nobody_knows_says_nothing(table: Table) -> None:
    record = of_planners(table)
    unknown = without_market(record)
    seats = range(table.n_players)
    for step in range(1, len(unknown.steps), 3):
        move = unknown.steps[step][0]
        if isinstance(move, Move) and isinstance(move.action, DrawCard | DrawFaceUp):
            assert styled_share(unknown, seats, step) == styled_share(unknown, seats, step - 1)

    assert styled_share(unknown, seats) < 1 / 2
    assert styled_share(without_market(played(table)), seats) > 0.95


@pytest.mark.parametrize(("name", "n_players"), [("nordic", 3), ("usa", 4), ("europe", 3), ("switzerland", 2)])
def test_a_pasted_log_tells_how_its_players_play(name: str, n_players: int) -> None:
    """Tickets are known from the end, and claims tell though nobody knows the market."""
    game = Game(load(name), n_players)

    def said(policy: Greedy | Planner, seed: int) -> float:
        text = log_text(game.play([policy] * n_players, seed=seed), np.random.default_rng(5))
        return styled_share(read_bga(text, game_map=name), range(n_players))

    # Hardly anything is learned where it is in doubt which tickets came when; one game may mislead.
    assert np.mean([said(Planner(), seed) for seed in range(4, 12)]) < PRIOR + 0.05
    assert said(Greedy(), 4) > 0.99


@pytest.mark.parametrize("table", EACH_VARIANT, ids=str)
@pytest.mark.parametrize("play", [of_planners, played])
def test_a_record_that_begins_from_a_position_does_not_tell(table: Table, play: Callable[[Table], GameRecord]) -> None:
    """A planner keeps to a plan that such a record lacks, and often does otherwise than one who plans anew."""
    record = play(table)
    step = next(
        step for step in range(12 * table.n_players, len(record.steps)) if record.state_at(step).phase is Phase.TURN
    )
    written = sum(len(events) for events in record.steps[: step + 1])
    late = GameRecord.from_position(record.state_at(step))
    late = replace(late, entries=late.entries + record.entries[written:])
    assert len(late.steps) == len(record.steps) - step
    assert styled_share(late, range(table.n_players)) == PRIOR


def test_a_state_alone_does_not_tell() -> None:
    record = of_planners(Table("nordic", "", 2))
    state = record.state_at(40)

    assert knowledge_of(state, 0).styled == knowledge_of(state, None).styled == PRIOR
    assert Watcher(record, None).at(40).styled == styled_share(record, [0, 1])
    assert Watcher(record, 0).at(40).styled == styled_share(record, [0])


# -- those who play on -----------------------------------------------------------------


@pytest.mark.parametrize("share", [0.25, 1.0])
def test_so_many_of_those_who_play_on_have_a_style_of_their_own(share: float) -> None:
    game_map = load("nordic")
    planner = Planner().on(game_map, 3)
    styles = planner_styles(game_map, 3, share, np.random.default_rng(7))
    games = np.array([next(styles) for _ in range(400)])
    is_planner = (games == planner.params).all(axis=2)

    assert is_planner.mean(axis=0) == pytest.approx([1 - share] * 3, abs=0.06)
    others = games[~is_planner]
    assert len(np.unique(others, axis=0)) == len(others)
    is_told_apart = (Planner1().params == 0) & (planner.params > 0)
    is_first = (others[:, is_told_apart] == 0).all(axis=1)
    assert is_first.mean() == pytest.approx(1 / 2, abs=0.1)
    is_number = planner.params > 0
    off = np.log(others[~is_first][:, is_number] / planner.params[is_number])
    assert (off.mean(), off.std()) == pytest.approx((0, 0.4), abs=0.03)
    assert Planner(*others[0]).params.tolist() == others[0].tolist()


def test_rollouts_have_the_styles_that_are_known() -> None:
    record = of_planners(Table("nordic", "", 2))
    known, table = Watcher(record, 1).at(30), Rollouts(record.map, 2)
    named = Rollouts(record.map, 2, ["Planner"] * 2).play(known, 40)

    sure, unsure = (table.play(known._replace(styled=share), 40) for share in (0.0, 1.0))
    assert np.array_equal(sure.points, named.points)
    assert (unsure.points == named.points).all(axis=1).mean() < 1 / 4
