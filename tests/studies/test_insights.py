"""What a player's games say: numbers as counted from the records, and the fault that was planted comes first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ttr_analysis as ttr
from tests.fixtures import load
from tests.notation.bga_writer import log_text
from tests.oracles.networks import trains_for
from tests.studies.test_reviews import judge_only
from ttr_analysis import Game, GameMap, GameRecord, UnknownNameError
from ttr_analysis.analysis.tickets.network import join_cities, reached_destinations
from ttr_analysis.engine.actions import AttemptTunnel, ClaimRoute, DrawTickets
from ttr_analysis.engine.events import Move
from ttr_analysis.engine.layout import Phase
from ttr_analysis.report.played import write_insights
from ttr_analysis.studies import Insights, Review, insights, judging, percentile, review, reviews
from ttr_analysis.studies.insights import GAME_COLUMNS, HABIT_COLUMNS, HABITS, PERCENTILE_COLUMNS
from ttr_analysis.studies.judging import Budget, Decision, Moment
from ttr_analysis.studies.losses import (
    BLOCKED,
    CLAIMING,
    DECISION_COLUMNS,
    DRAWING,
    DRAWS,
    LOSS_COLUMNS,
    OPENING,
    PLACES,
    _is_in_the_way,
    decisions_of,
    losses,
)

pytestmark = pytest.mark.compiled_only


def played(name: str, n_players: int, seat: int, seed: int) -> GameRecord:
    """Return a game of planners at whose table Ann sits."""
    record = Game(load(name), n_players).play(["Planner"] * n_players, seed=seed)
    players = tuple("Ann" if at == seat else f"Bo{at}" for at in range(n_players))
    return replace(record, header=replace(record.header, players=players, date=f"2026-03-{seed + 1:02d}"))


def keep_short(patch: pytest.MonkeyPatch) -> None:
    """Compare with few games, and review little of each in little time."""
    module = import_module("ttr_analysis.studies.insights")
    patch.setattr(module, "_PLANNERS", 20)
    patch.setattr(module, "_FEWEST_SECONDS", 0.1)
    patch.setattr(judging, "_LINE_WORLDS", 4)
    judge_only(patch, range(30, 40))


@pytest.fixture(autouse=True, scope="module")
def _short() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        keep_short(patch)
        yield


@pytest.fixture(scope="module")
def records() -> list[GameRecord]:
    tables = [("usa", 2), ("nordic", 3), ("usa", 4), ("switzerland", 3), ("usa", 2), ("europe", 2), ("nederland", 4)]
    return [played(name, n, i % n, i) for i, (name, n) in enumerate(tables)]


@pytest.fixture(scope="module")
def found(records: Sequence[GameRecord]) -> Insights:
    return insights(records, "Ann", minutes=0, progress=False)


def told(found: Insights, habit: str) -> list[float]:
    """Return what the player has of a habit, and the mean of the others, of each game in turn."""
    mine: Any = found.seats[found.seats["is_mine"]].set_index("game")[habit]
    others: Any = found.seats[~found.seats["is_mine"]].groupby("game")[habit].mean()
    return [*mine, *others]


def test_numbers_are_those_of_the_records(found: Insights, records: Sequence[GameRecord]) -> None:
    seat = [record.header.players.index("Ann") for record in records]
    tables: list[Any] = [record.score().table for record in records]
    for habit, column in (("points", "total"), ("route_points", "routes"), ("ticket_gain", "gained")):
        mine = [float(table.loc[own, column]) for own, table in zip(seat, tables, strict=True)]
        others = [table[column].drop(index=own).mean() for own, table in zip(seat, tables, strict=True)]
        assert told(found, habit) == pytest.approx([*mine, *others])
    assert list(found.games) == list(GAME_COLUMNS)
    assert found.games["won"].tolist() == [
        (own in r.winners) / len(r.winners) for own, r in zip(seat, records, strict=True)
    ]
    assert found.games["date"].tolist() == [record.header.date for record in records]
    for own, record, row in zip(seat, records, found.seats[found.seats["is_mine"]].to_dict("records"), strict=True):
        moves = [m for m in record.moves if m.seat == own]
        end = record.states()[-1]
        assert row["ticket_draws"] == sum(isinstance(m.action, DrawTickets) for m in moves)
        assert row["tunnels"] == sum(
            isinstance(m.action, ClaimRoute | AttemptTunnel) and m.action.route.tunnel for m in moves
        )
        lengths = [min(6, route.length) for route in end.routes_of(own)]
        assert [row[f"length_{n}"] for n in range(1, 7)] == [lengths.count(n) for n in range(1, 7)]
        assert row["trains_left"] == end.trains[own]
        first = next(
            step
            for step, events in enumerate(record.steps)
            if isinstance(events[0], Move)
            and events[0].seat == own
            and isinstance(events[0].action, ClaimRoute | AttemptTunnel)
        )
        assert row["first_hand"] >= record.state_at(first - 1).n_hands[own] - 0.5


def test_a_player_is_compared_with_the_others_at_the_same_table(found: Insights) -> None:
    habits = found.habits
    assert list(habits.index) == list(HABITS)
    assert list(habits) == list(HABIT_COLUMNS)
    n = len(found.games)
    for habit in ("points", "completed", "first_claim", "cards_left"):
        values = np.array(told(found, habit))
        differences = pd.Series(values[:n] - values[n:])
        row: Any = habits.loc[habit]
        assert row["difference"] == pytest.approx(differences.mean())
        assert row["difference_low"] < row["difference"] < row["difference_high"]
    sources: Any = found.sources
    assert sources.loc["Ann"].drop(columns="points").sum(axis=1).tolist() == pytest.approx(
        sources.loc["Ann", "points"].tolist()
    )


def faulty(place: str, aim: str, cost: float, n_games: int = 20) -> Insights:
    """Return insights of decisions that cost something in one part of the game, and by chance in the others."""
    rng = np.random.default_rng(7)
    rows = []
    for game in range(n_games):
        rows += [(game, 1, other, rng.normal(0, 0.05), False, other, rng.normal(0, 0.05), "") for other in PLACES]
        rows.append((game, 2, place, rng.normal(cost, 0.1), True, place, rng.normal(cost, 0.1), aim))
    record = played("usa", 2, 0, 1)
    whole = insights([record], "Ann", minutes=0, progress=False)
    reviews = dict.fromkeys(range(n_games), Review(record, 0, []))
    return replace(whole, decisions=pd.DataFrame(rows, columns=list(DECISION_COLUMNS)), reviews=reviews)


@pytest.mark.parametrize(
    ("place", "aim", "sentence"),
    [
        (DRAWS, "often", "You draw tickets too often"),
        (CLAIMING, "early", "You claim routes too early"),
        (BLOCKED, "late", "You do not react to routes that others take"),
        (OPENING, "few", "You keep too few opening tickets"),
        (DRAWING, "", "You draw the wrong cards"),
    ],
)
def test_the_fault_that_was_planted_is_told_first(place: str, aim: str, sentence: str) -> None:
    assert faulty(place, aim, 0.3).sentences[0].startswith(sentence)


def test_a_sound_player_is_not_accused() -> None:
    said = faulty(DRAWS, "often", 0.0).sentences
    assert said[0].startswith("No part of your play clearly costs 2 points")
    assert not any(one.startswith(("You draw", "You claim", "You keep", "You do not")) for one in said)


def test_what_costs_next_to_nothing_is_not_told() -> None:
    found = faulty(DRAWS, "often", 0.05, n_games=150)
    table: Any = found.losses
    assert 0.005 < table.loc[DRAWS, "behind_low"] < 0.02
    assert found.sentences[0].startswith("No part of your play clearly costs 2 points")


def test_losses_add_up_over_the_parts_of_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every fifth step: a loss is measured until it is clear, which takes time."""
    record = played("usa", 2, 0, 3)
    greedy = Game(load("usa"), 2).play(["Greedy", "Planner"], seed=3)
    for one, least in ((record, 0), (greedy, 5)):
        with monkeypatch.context() as patch:
            judge_only(patch, range(1, len(one.steps), 5))
            patch.setattr(reviews, "N_MOMENTS", 2)
            judged = review(one, 0, rollouts=8, progress=False)
        decisions = decisions_of([(0, judged)])
        table = losses(decisions, [0])
        assert list(table) == list(LOSS_COLUMNS)
        assert set(decisions["place"]) | set(decisions["planned_place"]) <= {*PLACES, ""}
        assert len(decisions) >= least
        firsts = [judged.first_measured(one.step) for one in judged.decisions if one.n_tried > 1]
        assert len(firsts) > least
        assert table["lost"].sum() == pytest.approx(
            sum(one.loss if one.is_clear else -one.skill[one.seat] for one in firsts)
        )
        assert table["behind"].sum() == pytest.approx(-sum(one.skill[0] for one in firsts))


def test_a_route_may_be_in_the_way_of_tickets_together_alone() -> None:
    states = Game(load("switzerland"), 2).play(["Planner", "Planner"], seed=102).states()
    found = 0
    for state in (one for one in states if one.phase is Phase.TURN):
        own = state.routes_of(state.acting)
        parts = join_cities(own)
        tickets = [one for one in state.tickets[state.acting] if one and not reached_destinations(one, parts)]
        taken = [route for route in state.claimed if route not in own]
        *alone, together = (
            trains_for(state.game_map, some, taken, own) != trains_for(state.game_map, some, owned=own)
            for some in (*([one] for one in tickets), tickets)
        )
        assert _is_in_the_way(state, state.acting, state.tickets[state.acting]) == (any(alone) or together)
        found += together and not any(alone)
    assert found


def test_reviews_are_kept_beside_the_games_and_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = Game(load("invented"), 2).play(["Planner", "Greedy"], seed=7)
    usa = played("usa", 2, 1, 2)
    usa.save(tmp_path / "b.jsonl")
    (tmp_path / "b.txt").write_text("a log that was imported: not read again")
    (tmp_path / "c.txt").write_text(log_text(usa, np.random.default_rng(1)), "utf-8")
    (tmp_path / "d.jsonl").write_text("not a record")
    (tmp_path / "e.txt").write_text("no log")
    record.save(tmp_path / "own-map.jsonl")
    first = insights(tmp_path, "Ann", minutes=0.05, progress=False)
    assert len(first.decisions) > 0

    def judge(_moment: Moment, _budget: Budget) -> Decision:
        raise AssertionError("judged once more")

    monkeypatch.setattr(Moment, "judge", judge)
    again = insights(tmp_path, "Ann", minutes=0.05, progress=False)

    pd.testing.assert_frame_equal(first.decisions, again.decisions)
    assert set(first.games["file"]) | set(first.left_out) == {"b.jsonl", "c.txt", "d.jsonl", "e.txt", "own-map.jsonl"}
    assert {"d.jsonl", "own-map.jsonl"} <= set(first.left_out)
    assert first.losses is not None
    write_insights(again, tmp_path / "page")
    page = (tmp_path / "page" / "report.html").read_text("utf-8")
    assert "Takeaways" in page
    assert "d.jsonl" in page
    assert (tmp_path / "page" / "tables" / "insights_losses.csv").exists()


def test_a_review_of_a_game_that_was_changed_is_made_anew(tmp_path: Path, records: Sequence[GameRecord]) -> None:
    records[0].save(tmp_path / "a.jsonl")
    before = insights(tmp_path, "Ann", minutes=0.001, progress=False)
    records[5].save(tmp_path / "a.jsonl")
    after = insights(tmp_path, "Ann", minutes=0.001, progress=False)
    assert before.reviews[0].record != after.reviews[0].record


def test_without_a_game_there_is_an_error(records: Sequence[GameRecord]) -> None:
    with pytest.raises(ValueError, match=r"no game of 'Zoe' can be used \(game 0: Zoe is not among Ann, Bo1"):
        insights(records, "Zoe", progress=False)


# -- how good a score is -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def scores() -> Any:  # noqa: ANN401 - as pandas has it
    """Return the scores of many other games."""
    return ttr.simulate("usa", ["Planner", "Planner"], 5_000, seed=99, progress=False).seats["points"]


@pytest.mark.parametrize("points", [60, 118])
def test_percentiles_are_those_of_five_thousand_other_games(points: int, scores: Any) -> None:  # noqa: ANN401
    truth = (scores < points).mean() + (scores == points).mean() / 2

    found: Any = percentile("usa", points, 2).loc["Planner"]

    width = found["percentile_high"] - found["percentile_low"]
    assert list(found.index) == list(PERCENTILE_COLUMNS)
    assert found["percentile_low"] - width / 4 <= truth <= found["percentile_high"] + width / 4
    assert found["games"] == 2_000
    assert found["median"] == pytest.approx(scores.median(), abs=1)


def test_more_points_beat_more_and_stated_players_differ(nordic: GameMap) -> None:
    table: Any = percentile(nordic, 80, 2, against=["Planner", "Greedy"], n_games=100)
    better: Any = percentile(nordic, 120, 2, against=["Planner", "Greedy"], n_games=100)

    assert list(table.index) == ["Planner", "Greedy"]
    assert better.loc["Planner", "percentile"] > table.loc["Planner", "percentile"]
    assert table.loc["Greedy", "percentile"] == better.loc["Greedy", "percentile"] == 1
    assert table["wins"].between(0, 1).all()


def test_what_would_have_won_is_counted_seat_by_seat(nordic: GameMap) -> None:
    scores = ttr.simulate(nordic, ["Planner"] * 3, 50, seed=7, progress=False).seats["points"].to_numpy().reshape(-1, 3)
    wins = [max(np.delete(game, seat)) < 100 for game in scores for seat in range(3)]

    assert percentile(nordic, 100, 3, n_games=50)["wins"].tolist() == pytest.approx([np.mean(wins)])


def test_wrong_arguments_are_refused(nordic: GameMap) -> None:
    with pytest.raises(ValueError, match="for 2 to 3 players, got 5"):
        percentile(nordic, 80, 5)
    with pytest.raises(ValueError, match="points must be a number, got nan"):
        percentile(nordic, float("nan"), 2)
    with pytest.raises(ValueError, match="n_games"):
        percentile(nordic, 80, 2, n_games=1)
    with pytest.raises(UnknownNameError, match="Planner"):
        percentile(nordic, 80, 2, against="Planer")
