"""
Intervals of tables at sixty games: of a hundred, ninety-three or more hold what many more games say.

Rows that are 0 by definition, as the difference of the first from itself, are
left out. As few samples are played, what is refused is a coverage that is below
93% by more than twice its error.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

import ttr_analysis as ttr
from tests.fixtures import load
from ttr_analysis.policies import Greedy, Planner, Random
from ttr_analysis.studies import SimulationResult
from ttr_analysis.studies.columns import TABLES

if TYPE_CHECKING:
    import pandas as pd

S = ttr.studies
N_GAMES: Final = 60
N_PLAYED: Final = 24
N_SAMPLES: Final = 12
SEED: Final = 11
LEAST: Final = 0.93
INVENTED = load("invented")
TINY: Final = 1e-6
LONGEST = max(INVENTED.routes, key=lambda route: route.length)
DEAL = INVENTED.tickets[:3]
NAMES = ["Planner", "Greedy", "Random"]

QUESTIONS: Final[dict[str, Callable[[SimulationResult], pd.DataFrame]]] = {
    "blocking_routes": S.blocking_routes,
    "bonus_effects": S.bonus_effects,
    "city_results": lambda result: S.city_results(result, INVENTED),
    "destination_results": lambda result: S.destination_results(result, INVENTED),
    "late_tickets": S.late_tickets,
    "loan_results": S.loan_results,
    "longest_routes": lambda result: S.longest_routes(result, INVENTED),
    "opening_tickets": S.opening_tickets,
    "point_sources": S.point_sources,
    "route_lengths": lambda result: S.route_lengths(result, INVENTED),
    "route_results": S.route_results,
    "seat_advantage": S.seat_advantage,
    "ticket_fates": S.ticket_fates,
    "ticket_results": lambda result: S.ticket_results(result, game_map=INVENTED),
    "tunnel_calibration": S.tunnel_calibration,
    "tunnel_results": S.tunnel_results,
    "win_differences": S.win_differences,
    "win_rates": S.win_rates,
}


def part(whole: SimulationResult, first: int, n_games: int = N_GAMES) -> SimulationResult:
    """Return some games of a simulation as one of their own."""
    frames = {}
    for name in TABLES:
        table = whole.table(name)
        rows = table[table["game"].between(first, first + n_games - 1)]
        frames[name] = rows.assign(game=rows["game"] - first).reset_index(drop=True)
    return SimulationResult({**whole.meta, "n_games": n_games}, frames, None)


@pytest.fixture(scope="module")
def whole() -> SimulationResult:
    players = [Planner(), Planner(), Greedy()]
    return ttr.simulate(INVENTED, players, N_GAMES * N_PLAYED, SEED, progress=False)


@pytest.fixture(scope="module")
def samples(whole: SimulationResult) -> list[SimulationResult]:
    return [part(whole, number * N_GAMES) for number in range(N_SAMPLES)]


def intervals_of(table: pd.DataFrame) -> list[tuple[str, str, str]]:
    """Return the columns of each figure and of the ends of its interval, which stand side by side."""
    names = list(table.columns)
    return [(names[i - 1], low, names[i + 1]) for i, low in enumerate(names) if f"_{low}".endswith("_low")]


def check(truth: pd.DataFrame, found: list[pd.DataFrame]) -> None:
    """See that the intervals of tables hold what is true as often as they say."""
    asked = intervals_of(truth)
    assert asked
    assert truth.index.is_unique
    for figure, low, high in asked:
        held: list[bool] = []
        for table in found:
            true = truth[figure].reindex(table.index)
            is_sure = table[[figure, low, high]].eq(0).all(axis=1)
            known = table[low].notna() & true.notna() & ~is_sure
            inside = (table[low] - TINY <= true) & (true <= table[high] + TINY)
            held += inside[known].tolist()
        noise = 2 * np.sqrt(LEAST * (1 - LEAST) / len(held))
        assert np.mean(held) > LEAST - noise, (figure, np.mean(held), len(held))


@pytest.mark.compiled_only
@pytest.mark.parametrize("question", QUESTIONS)
def test_intervals_of_sixty_games_hold_the_truth(
    question: str, whole: SimulationResult, samples: list[SimulationResult]
) -> None:
    ask = QUESTIONS[question]
    check(ask(whole), [ask(sample) for sample in samples])


@cache
def middle() -> ttr.GameState:
    """Return the state in the middle of a game."""
    record = ttr.Game(INVENTED, n_players=3).play([Planner(), Planner(), Greedy()], seed=5)
    return record.state_at(len(record.steps) // 2)


PLAYED: Final[dict[str, Callable[[int, int], pd.DataFrame]]] = {
    "compare_strategies": lambda n, seed: S.compare_strategies(
        INVENTED, {"Planner": Planner(), "Greedy": Greedy()}, [Greedy(), Random()], n, seed, progress=False
    ),
    "route_worth": lambda n, seed: S.route_worth(INVENTED, LONGEST, own=[0, 3], n_games=n, seed=seed, progress=False),
    "which_to_keep": lambda n, seed: S.which_to_keep(INVENTED, DEAL, n_games=n, seed=seed, progress=False).set_index(
        "keep"
    ),
    "win_probability": lambda n, seed: S.win_probability(middle(), 0, n_rollouts=n, seed=seed),
}


@pytest.mark.compiled_only
@pytest.mark.parametrize("name", PLAYED)
def test_intervals_of_tables_that_play_their_own_games_hold_the_truth(name: str) -> None:
    ask = PLAYED[name]
    check(ask(N_GAMES * N_PLAYED, SEED), [ask(N_GAMES, SEED + 1 + number) for number in range(N_SAMPLES)])


@pytest.mark.compiled_only
def test_intervals_of_fairness_and_of_tournaments_hold_the_truth() -> None:
    """Sixty games of each number of players, and of each pair."""
    few, many = N_GAMES, N_GAMES * N_PLAYED
    fair, *judged = (
        S.fairness(INVENTED, n, seed=SEED + number, n_deals=1, progress=False)
        for number, n in enumerate((many, *[few] * N_SAMPLES))
    )
    for table in ("seats", "tickets"):
        check(getattr(fair, table), [getattr(one, table) for one in judged])
    played, *some = (
        S.tournament(INVENTED, NAMES, n, SEED + number, progress=False)
        for number, n in enumerate((many, *[few] * N_PLAYED))
    )
    for table in ("table", "pairs"):
        check(getattr(played, table), [getattr(one, table) for one in some])


@pytest.mark.compiled_only
def test_intervals_of_compared_simulations_hold_the_truth() -> None:
    results = {
        "planners": ttr.simulate(INVENTED, [Planner(), Planner(), Greedy()], N_GAMES * N_PLAYED, SEED, progress=False),
        "others": ttr.simulate(INVENTED, [Greedy(), Greedy(), Random()], N_GAMES * N_PLAYED, SEED, progress=False),
    }
    parts = [{name: part(results[name], at * N_GAMES) for name in results} for at in range(N_PLAYED)]
    check(S.compare_simulations(results), [S.compare_simulations(some) for some in parts])


@pytest.mark.compiled_only
def test_of_tickets_with_several_destinations_each_row_holds_the_truth() -> None:
    """Rare ones at twenty games: the best country may not have been seen, nor a failure."""
    game_map = load("switzerland")
    whole = ttr.simulate(game_map, [Planner(), Planner(), Greedy()], 1_200, SEED, progress=False)
    several = [ticket.id for ticket in game_map.tickets if len(ticket.destinations) > 1]
    truth = S.ticket_results(whole, game_map=game_map).loc[several, "net_points"]

    for n_games, n_samples in ((20, 16), (N_GAMES, 6)):
        samples = [part(whole, number * n_games, n_games) for number in range(n_samples)]
        tables = [S.ticket_results(sample, game_map=game_map).reindex(several) for sample in samples]
        known = np.array([table["kept"].fillna(0) > 0 for table in tables])
        held = np.array([table["net_low"].le(truth + TINY) & table["net_high"].ge(truth - TINY) for table in tables])
        noise = 2 * np.sqrt(LEAST * (1 - LEAST) / known.sum(axis=0))
        assert (known.sum(axis=0) >= len(samples) / 2).all()
        assert ((held & known).sum(axis=0) / known.sum(axis=0) > LEAST - noise).all(), n_games
        assert held[known].mean() > LEAST


WITHOUT_INTERVALS: Final = {"built_in", "findings", "from_records", "pays_from", "simulate", "worth_in_words"}
"""Or with those of tables that are tried."""
OF_INTERVALS: Final = {"mean_interval", "wilson"}
NOT_TRIED: Final = {
    *("advise", "player_results", "review"),
    *("beats", "difficulty_correlations", "route_gone", "ticket_difficulty", "ticket_posterior"),
    *("turning_points", "win_curve"),
}
"""Of single games, or of an interval that other tests try."""


def test_no_table_is_left_out() -> None:
    tried = {*QUESTIONS, *PLAYED, "compare_simulations", "fairness", "tournament"}
    functions = {name for name in dir(S) if isinstance(getattr(S, name), FunctionType)}
    assert functions == tried | WITHOUT_INTERVALS | OF_INTERVALS | NOT_TRIED
