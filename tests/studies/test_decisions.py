"""The table of decisions agrees with records, wherever it comes from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import ttr_analysis as ttr
from tests.engine.conformance import Combination, every_combination
from tests.fixtures import load
from ttr_analysis import GameRecord
from ttr_analysis.engine.protocol import CompiledPolicy
from ttr_analysis.policies import Greedy, Planner, Random
from ttr_analysis.studies import SimulationResult, decisions
from ttr_analysis.studies.columns import DECISIONS

SEED = 7
PLAYERS: tuple[CompiledPolicy, ...] = (Planner(), Greedy(), Random(), Planner(), Random(), Greedy())
COMBINATIONS = [pytest.param(combination, id=str(combination)) for combination in every_combination()]


class Slow(Random):
    """A player in Python: by its own class, it is not compiled."""


def check(table: pd.DataFrame, record: GameRecord) -> None:
    """Raise an AssertionError unless the rows of a game are its decisions."""
    words = ttr.envs.action_words(record.map)
    moves = record.moves
    assert table["step"].tolist() == list(range(1, 1 + len(moves)))
    for row, move in zip(table.to_dict("records"), moves, strict=True):
        state = record.state_at(row["step"] - 1)
        assert (row["seat"], row["phase"]) == (move.seat, state.phase.name)
        assert row["legal"].tolist() == np.flatnonzero(ttr.envs.action_mask(state)).tolist()
        assert row["n_legal"] == len(row["legal"])
        assert row["action"] == ttr.envs.to_index(move.action, state)
        assert row["words"] == words[row["action"]]
        hand, others = state.hands[move.seat], [seat for seat in range(state.n_players) if seat != move.seat]
        assert (row["cards"], row["locomotives"]) == (sum(hand.counts), hand.locomotives)
        assert row["most_of_a_color"] == max(hand.counts[:-1])
        assert (row["trains"], row["tickets"]) == (state.trains[move.seat], len(state.tickets[move.seat]))
        assert row["rival_trains"] == min(state.trains[seat] for seat in others)
        assert row["final_points"] == record.scores[move.seat]
        assert row["margin"] == record.scores[move.seat] - max(record.scores[seat] for seat in others)
        assert row["won"] == (move.seat in record.winners) / len(record.winners)


@pytest.mark.parametrize("combination", COMBINATIONS[::3])
def test_decisions_are_those_of_the_records(combination: Combination) -> None:
    n = combination.n_players
    result = ttr.simulate(combination.game_map, PLAYERS[:n], 2, SEED, decisions=True, progress=False)
    deals = result.games["deal"]
    records = [
        ttr.Game(combination.game_map, n).play([PLAYERS[(seat + g) % n] for seat in range(n)], SEED, deals[g])
        for g in range(2)
    ]
    table = result.decisions
    assert list(table.columns) == list(DECISIONS)
    for g, record in enumerate(records):
        check(table[table["game"] == g], record)
    recorded = decisions(records)
    shared = [name for name in DECISIONS if name not in ("player", "policy")]
    pd.testing.assert_frame_equal(recorded[shared], table[shared])
    assert recorded["loss"].isna().all()


def test_players_in_python_are_noted_as_compiled_ones() -> None:
    game_map = load("nordic")
    compiled, in_python = [
        ttr.simulate(game_map, {"a": kind(), "b": Greedy()}, 3, SEED, decisions=True, progress=False).decisions
        for kind in (Random, Slow)
    ]
    pd.testing.assert_frame_equal(compiled, in_python)


def test_decisions_are_kept_on_disk_in_parts(tmp_path: Path) -> None:
    def play(n_games: int, out: Path | None) -> SimulationResult:
        players = ["Greedy", "Planner"]
        return ttr.simulate(
            "usa", players, n_games, SEED, out=out, decisions=True, resume=True, chunk_size=2, progress=False
        )

    play(3, tmp_path / "run")
    play(5, tmp_path / "run")
    result, whole = SimulationResult.load(tmp_path / "run"), play(5, None).decisions
    pd.testing.assert_frame_equal(result.decisions, whole)
    pd.testing.assert_frame_equal(pd.concat(result.iterate("decisions"), ignore_index=True), whole)
    files = sorted((tmp_path / "run").glob("*/decisions.parquet"))
    read = [pq.read_table(file).to_pydict()["legal"] for file in files]
    assert [legal for part in read for legal in part] == [legal.tolist() for legal in whole["legal"]]
    whole.to_parquet(tmp_path / "mine.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "mine.parquet"), pd.DataFrame(whole))

    with pytest.raises(ValueError, match="format 'ttr-simulation-decisions' instead of 'ttr-simulation'"):
        ttr.simulate("usa", ["Greedy", "Planner"], 5, SEED, out=tmp_path / "run", resume=True, progress=False)


def test_a_simulation_without_decisions_says_how_to_keep_them() -> None:
    result = ttr.simulate("usa", ["Greedy", "Random"], 2, SEED, progress=False)
    with pytest.raises(ValueError, match="decisions=True"):
        _ = result.decisions


def test_what_was_lost_is_there_where_it_was_judged() -> None:
    record = ttr.Game("usa").play(["Greedy", "Random"], SEED)
    review = ttr.studies.review(record, seat=1, rollouts=8, progress=False)
    table = decisions([record, review])
    judged = table[(table["game"] == 1) & (table["seat"] == 1)].set_index("step")["loss"].dropna()
    assert judged.tolist() == review.table["loss"].tolist()
    assert table.loc[table["game"] == 0, "loss"].isna().all()
