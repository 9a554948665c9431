"""Records as the tables of a simulation: the same where all is known, and missing where it is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ttr_analysis as ttr
from tests.engine.records import TABLES, Table, played
from tests.fixtures import load
from tests.notation.bga_writer import log_text
from ttr_analysis.policies import Greedy, Planner, Random
from ttr_analysis.studies.columns import TABLES as COLUMNS
from ttr_analysis.studies.recorded import from_records

SEED = 7
MAPS = ["nordic", "nederland", "europe", "invented"]


def compared(frame: pd.DataFrame, *left_out: str) -> pd.DataFrame:
    """Return a table without what is told of players otherwise, and without the types of its columns."""
    some = frame.drop(columns=["player", "deal", "rotation", *left_out], errors="ignore").astype(object)
    return some.where(some.notna(), None)


def usa_records(*seeds: int, n_players: int = 2) -> list[ttr.GameRecord]:
    game = ttr.Game(load("usa"), n_players)
    return [game.play([Greedy(), Random()] * (n_players // 2), seed=seed) for seed in seeds]


@pytest.mark.parametrize("name", MAPS)
def test_records_of_a_simulation_give_its_tables(name: str) -> None:
    game_map, policies = load(name), [Greedy(), Planner(), Random()]
    result = ttr.simulate(game_map, policies, 3, SEED, progress=False)
    game = ttr.Game(game_map, 3)
    records = [game.play([policies[(seat + g) % 3] for seat in range(3)], SEED, 0) for g in range(3)]

    found = from_records(records)

    for table in COLUMNS:
        ours, theirs = found.table(table), result.table(table)
        pd.testing.assert_frame_equal(compared(ours), compared(theirs))
        same = [column for column in ours if column not in ("policy", "rotation")]
        assert ours[same].dtypes.equals(theirs[same].dtypes)
    assert found.games["deal"].tolist() == [0, 1, 2]
    assert found.games["rotation"].isna().all()
    names = [record.header.policies for record in records]
    assert found.seats["policy"].tolist() == [policy for seated in names for policy in seated]


@pytest.mark.parametrize(
    "table", [Table("usa", "", 2), Table("nordic", "", 3), Table("nederland", "neutral", 2)], ids=str
)
def test_what_a_watched_game_does_not_tell_is_missing_and_the_rest_is_right(table: Table) -> None:
    record = played(table)

    ours, whole = from_records([record.watched_from(0)]), from_records([record])

    pd.testing.assert_frame_equal(compared(ours.seats), compared(whole.seats))
    pd.testing.assert_frame_equal(compared(ours.routes), compared(whole.routes))
    pd.testing.assert_frame_equal(compared(ours.tunnels, "odds"), compared(whole.tunnels, "odds"))
    known = ours.tunnels["odds"].notna()
    assert known[ours.tunnels["seat"] == 0].all()
    assert (ours.tunnels["odds"] == whole.tunnels["odds"])[known].all()
    mine = ours.tickets[ours.tickets["seat"] == 0]
    pd.testing.assert_frame_equal(compared(mine), compared(whole.tickets[whole.tickets["seat"] == 0]))
    kept = [t[t["kept"]].sort_values(["seat", "ticket"], ignore_index=True) for t in (ours.tickets, whole.tickets)]
    unsure = ("offered", "trains_left", "completed_turn")
    pd.testing.assert_frame_equal(compared(kept[0], *unsure), compared(kept[1], *unsure))
    told = kept[0]["offered"].notna().to_numpy()
    pd.testing.assert_frame_equal(compared(kept[0][told]), compared(kept[1][told]))
    assert ours.tickets["offered"].isna().any() == (ours.tickets["trains_left"].isna().any())


@pytest.mark.parametrize("table", TABLES[::5], ids=str)
def test_logs_of_people_answer_questions(table: Table) -> None:
    record = played(table)
    read = ttr.read_bga(log_text(record, np.random.default_rng(7)), game_map=record.map)

    result = from_records([read, read])

    assert result.n_games == 2
    assert result.seats["policy"].tolist() == [*read.header.players] * 2
    rates = ttr.studies.win_rates(result).set_index("policy")
    for seat, name in enumerate(read.header.players):
        assert rates.loc[name, "points"] == read.scores[seat]
    assert len(ttr.studies.route_results(result)) == len(record.map.routes)
    ttr.studies.opening_tickets(result)
    ttr.studies.blocking_routes(result)
    if any(route.tunnel for route in record.map.routes):
        ttr.studies.tunnel_results(result)
        ttr.studies.tunnel_calibration(result)


def test_games_that_are_not_known_to_the_end_are_left_out_or_asked_for() -> None:
    whole, *_ = usa_records(1)
    cut = ttr.GameRecord(whole.header, whole.entries[:150], whole.map)
    unshown = whole.watched_from(0, shown=False)

    with pytest.warns(
        UserWarning, match=r"left out: 0, since they are not over and 2, since their winner is not known"
    ):
        result = from_records([cut, whole, unshown])
    assert result.games["game"].tolist() == [1]
    assert sorted(set(result.tickets["game"])) == [1]

    result = from_records([cut, whole, unshown], partial=True)
    assert result.games["ending"].isna().tolist() == [True, False, False]
    assert result.games["winners"].isna().tolist() == [True, False, True]
    seats = result.seats
    assert seats["points"].isna().tolist() == [True, True, False, False, False, True]
    assert seats["won"].isna().tolist() == [True, True, False, False, True, True]
    assert seats["route_points"].notna().all()
    unnamed = result.tickets[result.tickets["ticket"].isna()]
    assert set(unnamed["game"]) == {2}
    assert unnamed.loc[unnamed["kept"], "points"].isna().all()


def test_records_of_several_kinds_are_refused_and_told_apart() -> None:
    two, four = usa_records(1, 2), usa_records(1, n_players=4)

    with pytest.raises(ValueError, match=r"usa, 2 players: 2 records \(0, 2\); usa, 4 players: 1 record \(1\)"):
        from_records([two[0], four[0], two[1]])
    with pytest.raises(ValueError, match="expected at least one record"):
        from_records([])


def test_players_are_told_apart_wherever_they_sit(tmp_path: Path) -> None:
    one, two = usa_records(1, 2)
    named = [ttr.GameRecord.from_play(ttr.Game("usa"), [], None, one.events, players=["Ida", "Bo"])]
    named.append(ttr.GameRecord.from_play(ttr.Game("usa"), [], None, two.events, players=["Bo", "Bo"]))
    path = tmp_path / "game.jsonl"
    named[1].save(path)

    result = from_records([named[0], path])

    assert result.seats["policy"].tolist() == ["Ida", "Bo", "Bo", "Bo"]
    assert result.seats["player"].tolist() == [0, 1, 1, 2]
    assert repr(result) == "<SimulationResult usa: Ida, Bo, Bo, 2 games>"
    assert ttr.studies.win_differences(result)["games"].tolist() == [1, 1]
