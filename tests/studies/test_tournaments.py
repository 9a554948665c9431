"""Tournaments: ratings against an independent fit, and tables against the games themselves."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import logit

import ttr_analysis as ttr
from tests.fixtures import load
from tests.players import First, Here
from ttr_analysis._compile import Floats
from ttr_analysis._compile.calls import is_plain
from ttr_analysis._errors import UnknownNameError
from ttr_analysis.engine.protocol import policy_name
from ttr_analysis.policies import Greedy, Planner, Random
from ttr_analysis.studies import simulation
from ttr_analysis.studies.playing import Player
from ttr_analysis.studies.questions.results import win_differences
from ttr_analysis.studies.simulation import Interrupted
from ttr_analysis.studies.tournaments import ELO, Tournament, beats, built_in, fit_ratings, league, tournament
from ttr_analysis.viz.charts import plot_ratings

IS_COMPILED = not is_plain()
N_GAMES = 6 if IS_COMPILED else 4


# -- ratings ------------------------------------------------------------------------------


def meetings(strength: Floats, n_deals: int, rng: np.random.Generator) -> Floats:
    """Return one meeting of every two players in each deal, by the model itself."""
    n = len(strength)
    scores = np.zeros((n_deals, n, n))
    for i, j in combinations(range(n), 2):
        won = rng.random(n_deals) < 1 / (1 + np.exp(strength[j] - strength[i]))
        scores[:, i, j], scores[:, j, i] = won, ~won
    return scores


@pytest.mark.parametrize("n_players", [2, 3, 6])
def test_ratings_are_the_most_likely(n_players: int) -> None:
    rng = np.random.default_rng(n_players)
    scores = meetings(rng.normal(0, 1, n_players), 300, rng)
    wins = scores.sum(axis=0) + (1 - np.eye(n_players)) / 2

    def unlikelihood(strength: Floats) -> float:
        return float((wins * np.log1p(np.exp(strength[None, :] - strength[:, None]))).sum())

    expected = minimize(unlikelihood, np.zeros(n_players), method="BFGS", options={"gtol": 1e-9}).x
    assert fit_ratings(scores).elo == pytest.approx(ELO * (expected - expected[0]), abs=0.01)


@pytest.mark.parametrize("n_deals", [6, 30, 150])
@pytest.mark.parametrize(
    "rates", [[0.5, 0.001], [0.5, 0.01], [0.5, 0.5], [0.5, 0.99], [0.5, 0.7, 0.4, 0.2], [0.5, 0.6, 0.05, 0.001]]
)
def test_intervals_of_ratings_against_a_player_hold_the_truth(rates: list[float], n_deals: int) -> None:
    """Of deals of two games: in one of three, both end alike."""
    rng, truth = np.random.default_rng(7), ELO * logit(rates)
    held = np.zeros(len(rates))
    for _ in range(200):
        one, two = (meetings(logit(rates), n_deals, rng) for _ in range(2))
        is_alike = rng.random((n_deals, 1, 1)) < 1 / 3
        ratings = fit_ratings(one + np.where(is_alike, one, two))
        held += (ratings.low <= truth) & (truth <= ratings.high)

    assert held[0] == 200
    assert (held / 200 > 0.91).all(), held  # a coverage of 95% less 2.5 errors


def test_any_player_may_be_rated_zero() -> None:
    scores = meetings(np.array([0.5, 0.0, -0.5]), 100, np.random.default_rng(2))
    first, last = fit_ratings(scores), fit_ratings(scores, 2)

    assert last.elo == pytest.approx(first.elo - first.elo[2])
    assert last.elo[2] == last.low[2] == last.high[2] == 0
    assert (last.low[0], last.high[0]) == pytest.approx((-first.high[2], -first.low[2]))


def test_deals_that_repeat_make_intervals_wider() -> None:
    scores = meetings(np.array([0.5, -0.5]), 200, np.random.default_rng(1))
    once, thrice = fit_ratings(scores), fit_ratings(3 * scores)

    assert (thrice.high - thrice.low) == pytest.approx(once.high - once.low, rel=0.03)


def test_who_never_wins_is_rated_all_the_same() -> None:
    n = 1_000
    scores = np.zeros((n, 3, 3))
    scores[:, 0, 1] = scores[:, 0, 2] = 1
    scores[:, 1, 2] = 0.5
    scores[:, 2, 1] = 0.5
    ratings = fit_ratings(scores)

    assert ratings.bounds == ("", "at most", "at most")
    assert fit_ratings(scores, 1).bounds == ("at least", "", "")
    assert np.isfinite(ratings.elo).all()
    assert ratings.elo[0] - ratings.elo[1] == pytest.approx(400 * np.log10(2 * n + 1), abs=1)
    assert ratings.elo[1] == pytest.approx(ratings.elo[2])
    assert ratings.low[1] == -np.inf
    assert ratings.high[1] == pytest.approx(ELO * logit(1 - 0.025 ** (1 / (2 * n))), rel=0.15)


@pytest.mark.parametrize(
    ("wins", "expected"),
    [
        pytest.param([[0, 9], [0, 0]], ("", "at most"), id="one always won"),
        pytest.param([[0, 0, 9], [9, 0, 9], [0, 0, 0]], ("", "at least", "at most"), id="a ladder"),
        pytest.param(
            [[0, 5, 9, 9], [4, 0, 9, 9], [0, 0, 0, 5], [0, 0, 4, 0]], ("", "", "at most", "at most"), id="two groups"
        ),
        pytest.param([[0, 5, 9], [4, 0, 9], [0, 0, 0]], ("", "", "at most"), id="one who never won"),
    ],
)
def test_ratings_do_not_depend_on_the_order_of_players(wins: list[list[int]], expected: tuple[str, ...]) -> None:
    scores = np.array([wins], dtype=float)
    ratings = fit_ratings(scores)
    assert ratings.bounds == expected
    assert (ratings.low < ratings.elo)[1:].all()
    for order in permutations(range(len(wins))):
        other = fit_ratings(scores[:, order][:, :, order], order.index(0))
        assert other.elo == pytest.approx(ratings.elo[list(order)], abs=1e-6)
        assert other.low == pytest.approx(ratings.low[list(order)], abs=1e-6)
        assert other.bounds == tuple(expected[i] for i in order)


def test_who_never_met_is_not_compared() -> None:
    scores = np.zeros((1, 4, 4))
    scores[0, 0, 1] = scores[0, 2, 3] = 1
    with pytest.raises(ValueError, match="never met"):
        fit_ratings(scores)


# -- games --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found() -> Tournament:
    return tournament(load("invented"), [Random(), First(), Greedy(), Greedy()], N_GAMES, seed=7, progress=False)


def test_each_two_meet_as_simulated(found: Tournament) -> None:
    result = ttr.simulate(load("invented"), [Random(), Greedy()], N_GAMES, 7, progress=False)
    won = result.seats.groupby("policy", observed=True)["won"].sum()
    points = result.seats.pivot_table(index="game", columns="policy", values="points", observed=True)

    assert found.matrix.loc["Greedy 1", "Random"] == pytest.approx(won["Greedy"] / N_GAMES)
    pair = found.pairs.astype(float).xs("Random", level="other").loc["Greedy 1"]
    assert pair["games"] == N_GAMES
    assert pair["rate"] == pytest.approx(won["Greedy"] / N_GAMES)
    assert pair["margin"] == pytest.approx((points["Greedy"] - points["Random"]).mean())
    assert pair["low"] <= pair["rate"] <= pair["high"]


def test_the_table_ranks_all(found: Tournament) -> None:
    table = found.table

    assert set(table.index) == {"Random", "First", "Greedy 1", "Greedy 2"}
    assert table["rating"].is_monotonic_decreasing
    assert table.loc[found.reference, ["rating", "rating_low", "rating_high"]].eq(0).all()
    assert found.reference == "Random"
    assert (table["games"] == 3 * N_GAMES).all()
    assert table["win_rate"].sum() == pytest.approx(2)
    others = table.drop(index="Random")
    assert (others["rating_low"] < others["rating"]).all()
    assert (others["rating"] < others["rating_high"]).all()
    assert list(found.pairs.index) == list(combinations(table.index, 2))
    rates = found.matrix.fillna(0.5)
    assert (rates + rates.T).to_numpy() == pytest.approx(np.ones((4, 4)))


def test_equal_players_are_rated_equal() -> None:
    three = tournament(load("invented"), [Greedy(), Greedy(), Random()], 12, seed=4, n_players=3, progress=False)

    assert three.table.loc["Greedy 1", "rating"] == pytest.approx(three.table.loc["Greedy 2", "rating"])
    assert three.matrix.loc["Greedy 1", "Greedy 2"] == pytest.approx(0.5)


def test_of_more_than_two_each_pair_is_ranked_by_its_finish() -> None:
    players: dict[str, Player] = {"a": Greedy(), "b": Random(), "c": First()}
    three = tournament(load("usa"), players, 6, seed=3, n_players=3, progress=False)
    parts = []
    for order, games in (("abc", range(3)), ("acb", range(3, 6))):  # each with a deal of its own
        seats = ttr.simulate(load("usa"), [players[name] for name in order], 6, 3, progress=False).seats
        seats = seats[seats["game"].isin(games)]
        parts.append(seats.assign(name=[order[player] for player in seats["player"]], order=order))
    finish = pd.concat(parts).pivot_table(index=["order", "game"], columns="name", values="points")

    for one, other in combinations("abc", 2):
        ahead = (np.sign(finish[one] - finish[other]) + 1) / 2
        assert three.matrix.loc[one, other] == pytest.approx(ahead.mean())
    assert (three.table["games"] == 6).all()
    assert len(three._meetings.games) == 2


def test_a_verdict_and_the_difference_of_wins_are_as_sure() -> None:
    game_map, n_games = load("usa"), 60 if IS_COMPILED else 8
    found = beats(game_map, Planner(), [Planner(opening_bar=99)], n_games - 1, 7, progress=False).iloc[0]
    players = [Planner(), Planner(opening_bar=99)]
    difference = win_differences(ttr.simulate(game_map, players, n_games, 7, progress=False)).iloc[0]

    assert found["games"] == n_games  # rounded up to whole deals
    for mine, its in (("win_rate", ""), ("win_low", "_low"), ("win_high", "_high")):
        assert found[mine] == pytest.approx((1 + difference[f"win_difference{its}"]) / 2)
    above, below = found["win_low"] > 0.5, found["win_high"] < 0.5
    assert found["verdict"] == ("yes" if above else "no" if below else "too close to call")


def test_one_line_tells_whether_an_idea_beats_the_built_in_players() -> None:
    verdicts = beats(load("usa"), Greedy(), n_games=40 if IS_COMPILED else 10, progress=False)

    assert verdicts.index.tolist() == list(map(policy_name, built_in()))
    assert verdicts.loc["Random", "verdict"] == "yes"
    assert verdicts.loc["Planner", "verdict"] == "no"
    assert verdicts.loc["Greedy", "verdict"] == "too close to call"


def test_executors_make_no_difference(found: Tournament) -> None:
    there = tournament(
        load("invented"), [Random(), First(), Greedy(), Greedy()], N_GAMES, 7, executor=Here(), progress=False
    )
    pd.testing.assert_frame_equal(there.table, found.table)


def test_an_interrupt_counts_what_is_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "default_chunk", lambda _: 3)
    players: list[Player] = [Random(), Greedy(), Planner()]
    with pytest.warns(Interrupted):
        part = tournament(load("usa"), players, 6, executor=Here(interrupted=range(5, 99)), progress=False)
    assert sorted(part.pairs["games"]) == [3, 3, 6]
    with pytest.raises(KeyboardInterrupt):
        tournament(load("usa"), players, 6, executor=Here(interrupted=range(3, 99)), progress=False)


def test_a_league_is_a_tournament_with_a_reference_who_joins() -> None:
    found = league("usa", ["Random", "Greedy"], 4, 7, reference="planner", progress=False)
    same = tournament(load("usa"), ["Random", "Greedy", "Planner"], 4, 7, progress=False)

    assert found.reference == "Planner"
    pd.testing.assert_frame_equal(found.table, same.table)
    with pytest.raises(UnknownNameError, match="Nobody"):
        league("usa", ["Random", "Greedy"], 4, reference="Nobody", progress=False)


def test_no_two_players_have_one_name() -> None:
    class Copy(First):
        name = "First 1"

    found = tournament(load("invented"), [First(), First(), Copy()], 2, progress=False)

    assert sorted(found.table.index) == ["First 1", "First 2", "First 3"]


def test_it_shows_itself(found: Tournament) -> None:
    named = tournament(load("usa"), {"<b>": Random(), "Greedy": Greedy()}, 2, progress=False)

    assert "&lt;b&gt;" in named._repr_html_()
    assert "<b>" not in named._repr_html_()
    assert repr(found).startswith("<Tournament on invented, 2 players a game: Greedy ")


def test_bad_tournaments_are_refused() -> None:
    with pytest.raises(ValueError, match="a game of 3 players needs 3 policies, got 2"):
        tournament(load("usa"), [Random(), Greedy()], n_players=3, progress=False)
    with pytest.raises(ValueError, match="for 2 to 3 players, got 1"):
        tournament(load("nordic"), [Random(), Greedy()], n_players=1, progress=False)
    with pytest.raises(ValueError, match="the reference must be one of Random, Planner, got 'Greedy'"):
        tournament(load("usa"), [Random(), Planner()], reference="Greedy", progress=False)
    with pytest.raises(ValueError, match="n_games must be a whole number of 1 or more, got 0"):
        tournament(load("usa"), [Random(), Planner()], 0, progress=False)


def test_ratings_are_drawn_with_their_bounds() -> None:
    table = pd.DataFrame(
        {"rating": [300, 0, -300], "rating_low": [200, -50, -400], "rating_high": [400, 50, -200]},
        index=["$a$", "b", "c"],
    ).assign(bound=["at least", "", "at most"])
    ax = plot_ratings(table, title="Who is best")

    assert [label.get_text() for label in ax.get_yticklabels()] == ["$a$", "b", "c"]
    marks = {line.get_gid(): line for line in ax.lines if (line.get_gid() or "").startswith("rating")}
    assert [np.asarray(marks[f"rating {bound}"].get_xdata()).tolist() for bound in table["bound"]] == [
        [200],
        [0],
        [-200],
    ]
    assert [text.get_text() for text in ax.texts] == ["above +200", "0", "below −200"]
