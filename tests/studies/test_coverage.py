"""
Intervals of tables at sixty games: of a hundred, ninety-three or more hold what many more games say.

Rows that are 0 without doubt, as the difference of the first from itself, are
left out. As few samples are played, what is refused is a coverage that is below
93% by more than twice its error.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import ttr_analysis as ttr
from tests.fixtures import load
from tests.studies.test_reviews import end_of, judge_only
from ttr_analysis.policies import Greedy, Planner, Random
from ttr_analysis.policies.search.searcher import Search
from ttr_analysis.policies.search.watching import know
from ttr_analysis.studies import SimulationResult, reviews
from ttr_analysis.studies.columns import TABLES
from ttr_analysis.studies.judging import alone, ways
from ttr_analysis.studies.questions.board import MEASURES

S = ttr.studies
N_GAMES: Final = 60
N_PLAYED: Final = 16
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
    "ticket_difficulty": lambda result: S.ticket_difficulty(result, INVENTED),
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


COMPARED: Final[dict[str, Callable[[pd.DataFrame], pd.Series[float]]]] = {
    "win_difference": lambda truth: truth["win_rate"],
    "loss": lambda truth: -truth["win"],
}
"""Figures that are differences from one row of a table, and of what."""


def true_figures(truth: pd.DataFrame, table: pd.DataFrame, figure: str, low: str, high: str) -> pd.Series[float]:
    """Return what is true of the rows of a table; missing where many games say 0 for sure."""
    is_zero = table[[figure, low, high]].eq(0).all(axis=1)
    if figure in COMPARED and is_zero.sum() == 1:  # with this row, which in another table may be another one
        rates = COMPARED[figure](truth).reindex(table.index)
        differences: pd.Series[float] = (rates - rates[is_zero].iloc[0])[~is_zero].reindex(table.index)
        return differences
    figures: pd.Series[float] = truth[figure][truth[[figure, low, high]].ne(0).any(axis=1)].reindex(table.index)
    return figures


def noise(n: Any) -> Any:  # noqa: ANN401 - a number, or an array of them
    """Return how far a coverage of `LEAST`, found from so many intervals, may be below it once in 500 samples."""
    return LEAST - binom.ppf(1 / 500, n, LEAST) / n


def check(truth: pd.DataFrame, found: list[pd.DataFrame]) -> None:
    """See that the intervals of tables hold what is true as often as they say."""
    asked = intervals_of(truth)
    assert asked
    assert truth.index.is_unique
    for figure, low, high in asked:
        held: list[bool] = []
        for table in found:
            true = true_figures(truth, table, figure, low, high)
            known = table[low].notna() & true.notna()
            inside = (table[low] - TINY <= true) & (true <= table[high] + TINY)
            held += inside[known].tolist()
        assert np.mean(held) > LEAST - noise(len(held)), (figure, np.mean(held), len(held))


@pytest.mark.compiled_only
@pytest.mark.parametrize("question", QUESTIONS)
def test_intervals_of_sixty_games_hold_the_truth(
    question: str, whole: SimulationResult, samples: list[SimulationResult]
) -> None:
    ask = QUESTIONS[question]
    check(ask(whole), [ask(sample) for sample in samples])


@cache
def game() -> ttr.GameRecord:
    """Return a game."""
    return ttr.Game(INVENTED, n_players=3).play([Planner(), Planner(), Greedy()], seed=5)


@cache
def middle() -> ttr.GameState:
    """Return the state in the middle of it."""
    return game().state_at(len(game().steps) // 2)


def curve(n: int, seed: int, n_steps: int = 3, seat: int | None = 0) -> pd.DataFrame:
    """Return win probabilities after steps of the second half of a game."""
    record = game()
    steps = np.linspace(len(record.steps) // 2, len(record.steps) - 2, n_steps).astype(int).tolist()
    return S.win_curve(record, seat, steps=steps, n_rollouts=n, seed=seed, progress=False)


def turns(n: int, seed: int) -> pd.DataFrame:
    """Return the turning points of a game; if there are many rollouts, its swings as they are."""
    swings = curve(n, seed, 12, None)
    if n > N_GAMES:
        return swings.dropna(subset="swing").set_index(["step", "seat"])[["swing", "swing_low", "swing_high"]]
    return S.turning_points(game(), swings).reset_index().set_index(["step", "seat"])


PLAYED: Final[dict[str, Callable[[int, int], pd.DataFrame]]] = {
    "advise": lambda n, seed: S.advise(middle(), rollouts=8 * n, seed=seed).table.set_index("move"),
    "beats": lambda n, seed: S.beats(INVENTED, "Planner", n_games=n, seed=seed, progress=False),
    "compare_strategies": lambda n, seed: S.compare_strategies(
        INVENTED, {"Planner": Planner(), "Greedy": Greedy()}, [Greedy(), Random()], n, seed, progress=False
    ),
    "route_gone": lambda n, seed: S.route_gone(middle(), 0, turns=6, n_rollouts=n, seed=seed),
    "route_worth": lambda n, seed: S.route_worth(INVENTED, LONGEST, own=[0, 3], n_games=n, seed=seed, progress=False),
    "ticket_posterior": lambda n, seed: S.ticket_posterior(middle(), 1, 0, n_worlds=n, seed=seed),
    "turning_points": turns,
    "which_to_keep": lambda n, seed: S.which_to_keep(INVENTED, DEAL, n_games=n, seed=seed, progress=False).set_index(
        "keep"
    ),
    "win_curve": lambda n, seed: curve(n, seed).set_index(["step", "seat"]),
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
        for number, n in enumerate((many, *[few] * N_SAMPLES))
    )
    for table in ("table", "pairs"):
        check(getattr(played, table), [getattr(one, table) for one in some])


@pytest.mark.compiled_only
def test_intervals_of_compared_simulations_hold_the_truth() -> None:
    results = {
        "planners": ttr.simulate(INVENTED, [Planner(), Planner(), Greedy()], N_GAMES * N_PLAYED, SEED, progress=False),
        "others": ttr.simulate(INVENTED, [Greedy(), Greedy(), Random()], N_GAMES * N_PLAYED, SEED, progress=False),
    }
    parts = [{name: part(results[name], at * N_GAMES) for name in results} for at in range(N_SAMPLES)]
    truth, found = S.compare_simulations(results), [S.compare_simulations(some) for some in parts]
    check(truth, found)
    for rare in ("loans", "stations built"):
        check(truth.loc[[rare]], [table.loc[[rare]] for table in found])


@pytest.mark.compiled_only
def test_of_tickets_with_several_destinations_each_row_holds_the_truth() -> None:
    """Rare ones at twenty games: the best country may not have been seen, nor a failure."""
    game_map = load("switzerland")
    whole = ttr.simulate(game_map, [Planner(), Planner(), Greedy()], 600, SEED, progress=False)
    several = [ticket.id for ticket in game_map.tickets if len(ticket.destinations) > 1]
    truth = S.ticket_results(whole, game_map=game_map).loc[several, "net_points"]

    for n_games, n_samples in ((20, 12), (N_GAMES, 4)):
        samples = [part(whole, number * n_games, n_games) for number in range(n_samples)]
        tables = [S.ticket_results(sample, game_map=game_map).reindex(several) for sample in samples]
        known = np.array([table["kept"].fillna(0) > 0 for table in tables])
        held = np.array([table["net_low"].le(truth + TINY) & table["net_high"].ge(truth - TINY) for table in tables])
        assert (known.sum(axis=0) >= len(samples) / 2).all()
        assert ((held & known).sum(axis=0) / known.sum(axis=0) > LEAST - noise(known.sum(axis=0))).all(), n_games
        assert held[known].mean() > LEAST


@pytest.mark.compiled_only
def test_intervals_of_losses_in_a_review_hold_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best of a decision is found in other worlds than those that measure what it is better by."""
    record = ttr.Game(INVENTED, n_players=2).play([Planner(), Greedy()], SEED)
    judge_only(monkeypatch, range(0, len(record.steps), 2))
    monkeypatch.setattr(reviews, "N_MOMENTS", 0)  # those measured once more are known as well as the truth is here
    found = S.review(record, rollouts=2 * N_GAMES, progress=False)
    lost = [one for one in map(found.first_measured, found.table.index) if one.best != one.played]
    held = []
    for one in lost:
        known = know(record, one.seat, one.step - 1)
        lines = np.array([ways(one.played, one.best)[one.way], alone(one.best)])
        won = Search(known, SEED).results(lines, 4 * N_GAMES).won[:, :, known.viewer]
        held.append(one.loss_low <= (won[1] - won[0]).mean() <= one.loss_high)

    assert len(held) >= 30
    assert 0 < sum(one.way > 0 for one in lost) < len(lost)
    assert np.mean(held) > LEAST - noise(len(held))


class Summed(NamedTuple):
    """The summary of a review."""

    rows: pd.DataFrame

    def summary(self) -> pd.DataFrame:
        """Return it."""
        return self.rows


@pytest.mark.compiled_only
def test_intervals_of_players_over_many_games_hold_the_truth() -> None:
    """Of games drawn from some that stand for all."""
    records = [end_of(INVENTED, NAMES[:2], n_moves) for n_moves in range(30, 60, 5)]
    rng = np.random.default_rng(SEED)
    summaries = [S.review(record, rollouts=2, progress=False).summary() for record in records]
    # So few rollouts give no marks, of which nothing would be lost.
    all_of_them: list[Any] = [Summed(found.assign(lost=rng.exponential(0.3, len(found)))) for found in summaries]
    samples = [rng.integers(len(records), size=N_GAMES) for _ in range(2 * N_SAMPLES)]
    found = [S.player_results([all_of_them[i] for i in sample]) for sample in samples]
    check(S.player_results(all_of_them), found)


@pytest.mark.parametrize("n_tickets", [30, 60])
def test_intervals_of_correlations_hold_the_truth(n_tickets: int) -> None:
    """Of tickets drawn from all that there could be, of which the longer ones are completed less often."""
    rng = np.random.default_rng(SEED)
    truth, held = -0.6, []
    for _ in range(50 * N_SAMPLES):
        length, other = rng.normal(size=(2, n_tickets))
        rates = truth * length + np.sqrt(1 - truth**2) * other
        table = pd.DataFrame({"completion_rate": rates, **dict.fromkeys(MEASURES, length)})
        found = S.difficulty_correlations(table).loc["length"]
        held.append(found["low"] <= truth <= found["high"])

    assert np.mean(held) > LEAST


WITHOUT_INTERVALS: Final = {
    "built_in",
    "decisions",
    "findings",
    "from_records",
    "load_puzzles",
    "pays_from",
    "save_puzzles",
    "simulate",
    "worth_in_words",
}
"""Or with those of tables that are tried."""
OF_INTERVALS: Final = {"mean_interval", "rate_interval"}
OF_THEIR_OWN: Final = {
    *("compare_simulations", "difficulty_correlations", "fairness", "insights", "league", "percentile"),
    *("player_results", "puzzles", "review", "tournament"),
}
"""With tests of their own."""


def test_no_table_is_left_out() -> None:
    functions = {name for name in dir(S) if isinstance(getattr(S, name), FunctionType)}
    assert functions == {*QUESTIONS, *PLAYED, *OF_THEIR_OWN, *WITHOUT_INTERVALS, *OF_INTERVALS}
