"""`simulate`: the same tables however the work is cut, interrupted or killed."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ttr_analysis as ttr
from tests.fixtures import load
from tests.players import PLAYERS, SEED, First, Here, simulate
from tests.studies.telling import no_games
from ttr_analysis._compile.calls import is_plain
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.kernel.step import list_actions
from ttr_analysis.engine.protocol import CompiledPolicy
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies import Greedy, Planner, Random
from ttr_analysis.studies import Interrupted, SimulationResult, playing, simulation
from ttr_analysis.studies.columns import TABLES
from ttr_analysis.studies.parts import META, VERSION, PartFolder, run_of
from ttr_analysis.studies.playing import Player, names_apart

IS_COMPILED = not is_plain()


def assert_same(result: SimulationResult, expected: SimulationResult) -> None:
    for name in TABLES:
        pd.testing.assert_frame_equal(result.table(name), expected.table(name))


@pytest.fixture(scope="module")
def nordic_result() -> SimulationResult:
    return simulate(load("nordic"), 20)


def test_tables_have_the_columns_and_types_that_are_documented(nordic_result: SimulationResult) -> None:
    for name, columns in TABLES.items():
        table = nordic_result.table(name)
        assert list(table.columns) == list(columns)
        described = nordic_result.describe(name)
        assert list(described.index) == list(columns)
        for column, (dtype, meaning, _) in described.iterrows():
            assert meaning
            is_category = isinstance(table[column].dtype, pd.CategoricalDtype)
            assert is_category == (dtype in {"ticket", "route", "policy", "color", "ending"})
            assert is_category or table[column].dtype.name == dtype


@pytest.mark.parametrize("out", [None, "run"])
def test_what_is_computed_from_points_does_not_run_over(out: str | None, tmp_path: Path) -> None:
    result = simulate(load("nordic"), 20, out=out and tmp_path / out)
    points = result.seats["points"]
    exact = [int(value) for value in points]

    assert max(exact) > 13  # whose fourth power does not fit into 16 bits
    assert (points**4).sum() == sum(value**4 for value in exact)
    assert (points**2).mean() - points.mean() ** 2 == pytest.approx(points.var(ddof=0))
    for name in TABLES:
        for frame in (result.table(name), *result.iterate(name, list(TABLES[name])[1:])):
            narrow = [column for column, dtype in frame.dtypes.items() if dtype.kind == "i" and dtype.itemsize < 8]
            assert not narrow


# -- however the work is cut ---------------------------------------------------------------


@pytest.mark.parametrize("chunk_size", [1, 7, 1000])
def test_chunks_make_no_difference(nordic_result: SimulationResult, chunk_size: int, tmp_path: Path) -> None:
    assert_same(simulate(load("nordic"), 20, chunk_size=chunk_size), nordic_result)
    on_disk = simulate(load("nordic"), 20, chunk_size=chunk_size, out=tmp_path / "run")
    assert_same(on_disk, nordic_result)
    assert on_disk.n_games == 20
    assert on_disk.is_complete


@pytest.mark.parametrize("players", [PLAYERS[:3], (PLAYERS[0], First(), PLAYERS[1])], ids=["compiled", "in Python"])
def test_notes_that_fill_their_room_make_no_difference(
    players: Sequence[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = ttr.simulate(load("nordic"), players, 6, SEED, progress=False)
    monkeypatch.setattr(playing, "_NOTES_A_GAME", 0)  # room for one game, or two

    assert_same(ttr.simulate(load("nordic"), players, 6, SEED, progress=False), expected)


def test_compiled_players_are_counted_as_those_whose_games_are_followed(nordic_result: SimulationResult) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(playing, "is_compiled", lambda _: False)
        assert_same(simulate(load("nordic"), 20), nordic_result)


def test_tables_in_memory_are_read_in_parts(nordic_result: SimulationResult, monkeypatch: pytest.MonkeyPatch) -> None:
    wins = ttr.studies.win_rates(nordic_result)
    monkeypatch.setattr(simulation, "_READ_TOGETHER", 7)

    for name in TABLES:
        parts = list(nordic_result.iterate(name))
        for part, first in zip(parts, (0, 7, 14), strict=True):
            assert set(part["game"]) <= set(range(first, first + 7))
        pd.testing.assert_frame_equal(pd.concat(parts, ignore_index=True), nordic_result.table(name))
    pd.testing.assert_frame_equal(ttr.studies.win_rates(nordic_result), wins)


def test_tables_may_be_changed(nordic_result: SimulationResult) -> None:
    wins = ttr.studies.win_rates(nordic_result)
    for seats in (nordic_result.seats, nordic_result.table("seats", ["game", "won"]), *nordic_result.iterate("seats")):
        seats["won"] = 0.0
        seats.loc[:, "game"] += 1

    pd.testing.assert_frame_equal(ttr.studies.win_rates(nordic_result), wins)


def test_every_player_sits_everywhere_with_the_same_deals(nordic_result: SimulationResult) -> None:
    games, seats = nordic_result.games, nordic_result.seats
    assert (games["deal"] == games["game"] // 3).all()
    counts = seats[seats["game"] < 18].value_counts(["seat", "player"])
    assert set(counts) == {6}


class Stubborn:
    """Does what came first in its first game, and the reverse in all others."""

    def __init__(self) -> None:
        self.n_starts = 0

    def choose(self, view: ttr.SeatView, actions: Sequence[Action], rng: np.random.Generator) -> Action:  # noqa: ARG002
        self.n_starts += view.phase.name == "KEEP_START"
        return actions[0 if self.n_starts <= 1 else -1]


def test_a_policy_cannot_remember_other_games_or_seats() -> None:
    one = Stubborn()
    whole = ttr.simulate(load("invented"), [one, one], 4, SEED, progress=False)
    cut = ttr.simulate(load("invented"), [Stubborn(), Stubborn()], 4, SEED, chunk_size=1, progress=False)

    assert_same(cut, whole)
    assert one.n_starts == 0
    assert whole.games["deal"].tolist() == [0, 1, 2, 3]  # equal players


class Seeded(Stubborn):
    """Brings its own random numbers, of which each game gets the same ones."""

    def __init__(self) -> None:
        super().__init__()
        self.rng = np.random.default_rng(0)


@pytest.mark.parametrize(
    "play",
    [
        pytest.param(lambda: ttr.simulate(load("usa"), [Seeded(), Random()], 2, SEED, progress=False), id="simulate"),
        pytest.param(
            lambda: ttr.studies.tournament(load("usa"), [Seeded(), Random()], 2, progress=False), id="tournament"
        ),
        pytest.param(lambda: ttr.studies.beats(load("usa"), Seeded(), [Random()], 2, progress=False), id="beats"),
        pytest.param(
            lambda: ttr.studies.fairness(load("invented"), 2, policies=[Seeded(), Random()], n_deals=1, progress=False),
            id="fairness",
        ),
    ],
)
def test_who_brings_a_generator_is_warned(play: Callable[[], object]) -> None:
    with pytest.warns(UserWarning, match=r"Seeded holds a random generator \(rng\), which restarts") as warned:
        play()
    assert {warning.filename for warning in warned} == {__file__}


def test_players_of_one_name_are_told_apart() -> None:
    usa, planners = load("usa"), [Planner(), Planner(faith=1.0), Planner()]
    result = ttr.simulate(usa, planners, 3, SEED, progress=False)
    named = ttr.simulate(usa, {"a": planners[0], "b": planners[1]}, 2, SEED, progress=False)

    assert result.meta["policies"] == ["Planner 1", "Planner 2", "Planner 1"]
    assert result.seats.value_counts("policy").to_dict() == {"Planner 1": 6, "Planner 2": 3}
    assert set(named.seats["policy"]) == {"a", "b"}


class Named(First):
    """Is called "Planner 1", and holds what says neither yes nor no when compared."""

    name = "Planner 1"

    def __init__(self) -> None:
        self.weights = Unclear()


class Unclear:
    """What cannot be compared, as a tensor of several numbers."""

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("ambiguous")


def test_no_number_makes_a_name_that_another_has() -> None:
    players: list[Player] = [Planner(), Planner(faith=1.0), Named(), Planner()]

    assert names_apart(players) == ("Planner 2", "Planner 3", "Planner 1", "Planner 2")
    assert names_apart([Planner()] * 2, alike=lambda *_: False) == ("Planner 1", "Planner 2")


def test_players_that_cannot_be_compared_differ() -> None:
    one = Named()

    assert names_apart([one, Named()]) == ("Planner 1 1", "Planner 1 2")
    assert names_apart([one, one]) == ("Planner 1", "Planner 1")


@pytest.mark.parametrize(
    ("players", "deals"),
    [
        pytest.param([Greedy(), Greedy()], [0, 1, 2, 3, 4, 5], id="equal players"),
        pytest.param([Greedy(), Random()], [0, 0, 1, 1, 2, 2], id="two kinds"),
        pytest.param([Greedy(), Random(), Greedy(), Random()], [0, 0, 1, 1, 2, 2], id="two kinds, taking turns"),
        pytest.param([Greedy(), Greedy(), Random()], [0, 0, 0, 1, 1, 1], id="one that differs"),
    ],
)
def test_no_game_is_played_twice(players: list[CompiledPolicy], deals: list[int]) -> None:
    result = ttr.simulate(load("usa"), players, 6, SEED, progress=False)

    assert result.games["deal"].tolist() == deals
    seated = result.seats.groupby("game")["policy"].agg(tuple)
    assert len(set(zip(result.games["deal"], seated, strict=True))) == 6
    assert len(set(result.seats.groupby("game")["points"].agg(tuple))) == 6


def test_processes_make_no_difference(nordic_result: SimulationResult) -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert_same(simulate(load("nordic"), 20, chunk_size=7, executor=pool), nordic_result)

        class Mine:
            """Defined where processes cannot import it."""

            def choose(self, view: ttr.SeatView, actions: Sequence[Action], rng: np.random.Generator) -> Action:  # noqa: ARG002
                return actions[int(rng.integers(len(actions)))]

        usa, players = ttr.load_map("usa"), (Mine(), Greedy())
        there = ttr.simulate(usa, players, 4, SEED, executor=pool, chunk_size=1, progress=False)
    assert_same(there, ttr.simulate(usa, players, 4, SEED, progress=False))


@pytest.mark.compiled_only
def test_a_cluster_makes_no_difference(nordic_result: SimulationResult, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=str(tmp_path)
    )
    with cluster, distributed.Client(cluster) as client:
        there = simulate(load("nordic"), 20, chunk_size=7, executor=client.get_executor())
    assert_same(there, nordic_result)


def test_a_class_that_inherits_from_a_built_in_policy_plays_its_own_way(usa: GameMap) -> None:
    class Stubborn(Greedy):
        """Does what comes first."""

        def decide(self, *given: object) -> tuple[int, int]:
            actions = np.zeros((1, 2), dtype=np.int64)
            list_actions(given[0], given[1], actions)  # type: ignore[arg-type]
            return int(actions[0, 0]), int(actions[0, 1])

    stubborn, greedy = (
        ttr.simulate(usa, [player, Greedy()], 2, SEED, progress=False) for player in (Stubborn(), Greedy())
    )

    assert stubborn.seats["points"].tolist() != greedy.seats["points"].tolist()


# -- interrupted, killed, refused ------------------------------------------------------------


KILLED = """
import sys
import ttr_analysis as ttr
from ttr_analysis.policies import Greedy, Random
nordic, players = ttr.load_map("nordic"), [Greedy(), Random(), Random()]
ttr.simulate(nordic, players, 100_000, 7, out=sys.argv[1], chunk_size=2, progress=False)
"""


def test_a_run_that_is_killed_goes_on_where_it_was(nordic_result: SimulationResult, tmp_path: Path) -> None:
    out = tmp_path / "run"
    with subprocess.Popen([sys.executable, "-c", KILLED, str(out)]) as process:
        while len(list(out.glob("games-*"))) < 3:
            assert process.poll() is None
            time.sleep(0.05)
        process.kill()
    killed = SimulationResult.load(out)
    assert not killed.is_complete
    n = killed.n_games
    assert n >= 6
    for name in TABLES:  # every part is whole
        expected = nordic_result.table(name)
        found = killed.table(name)
        both = min(n, 20)
        pd.testing.assert_frame_equal(
            found[found["game"] < both].reset_index(drop=True), expected[expected["game"] < both].reset_index(drop=True)
        )
    (out / ".unfinished-of-a-killed-run").mkdir()

    meta = json.loads((out / META).read_text())
    gone_on = simulate(load("nordic"), n + 5, out=out, resume=True, chunk_size=1000)

    assert gone_on.n_games == n + 5
    assert_same(gone_on, simulate(load("nordic"), n + 5))
    assert not list(out.glob(".*"))
    assert meta["seed"] == SEED


class Interrupting:
    """Presses Ctrl-C in the third game."""

    n_games = 0  # of the class: a game gets a copy of the policy

    def choose(self, view: ttr.SeatView, actions: Sequence[Action], rng: np.random.Generator) -> Action:  # noqa: ARG002
        Interrupting.n_games += view.n_turns < 2 and view.phase.name == "KEEP_START"
        if Interrupting.n_games > 3:
            raise KeyboardInterrupt
        return actions[0]


@pytest.mark.parametrize("on_disk", [False, True], ids=["in memory", "on disk"])
def test_an_interrupt_keeps_what_is_done(on_disk: bool, tmp_path: Path) -> None:  # noqa: FBT001
    Interrupting.n_games = 0
    players, out = (Interrupting(), Greedy()), tmp_path / "run" if on_disk else None
    with pytest.warns(Interrupted):
        result = ttr.simulate(ttr.load_map("usa"), players, 10, SEED, chunk_size=1, out=out, progress=False)

    assert result.n_games == 3
    assert not result.is_complete
    assert "3 of 10 games" in repr(result)


@pytest.mark.parametrize("on_disk", [False, True], ids=["in memory", "on disk"])
def test_an_interrupt_loses_no_finished_chunk(nordic_result: SimulationResult, on_disk: bool, tmp_path: Path) -> None:  # noqa: FBT001
    out = tmp_path / "run" if on_disk else None
    with pytest.warns(Interrupted):
        result = simulate(load("nordic"), 20, chunk_size=3, executor=Here(interrupted={3}), n_waiting=5, out=out)

    assert result.games["game"].tolist() == [*range(6), *range(9, 15)]
    if out is not None:
        assert_same(simulate(load("nordic"), 20, out=out, resume=True), nordic_result)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EROFS], ids=["full", "read-only", "read-only disk"])
def test_what_cannot_be_written_leaves_the_old_parts(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "run"
    before = simulate(load("nordic"), 6, out=out)
    tables = {name: before.table(name) for name in TABLES}

    def refuse(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(pd.DataFrame, "to_parquet", refuse)
    with pytest.raises(OSError, match=r"cannot write games 6 to 8: .*; earlier parts are kept") as caught:
        simulate(load("nordic"), 9, out=out, resume=True)
    monkeypatch.undo()

    assert caught.value.errno == code
    after = SimulationResult.load(out)
    for name, table in tables.items():
        pd.testing.assert_frame_equal(after.table(name), table)
    assert not list(out.glob(".*"))


def test_a_disk_that_is_full_in_the_middle_of_a_file_leaves_no_half(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    out = tmp_path / "run"
    before = simulate(load("nordic"), 6, out=out)
    tables = {name: before.table(name) for name in TABLES}
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, old[1]))  # bytes in a file: some tables fit, others do not
    try:
        with pytest.raises(OSError, match=r"cannot write games 6 to 305: .*; earlier parts are kept"):
            simulate(load("nordic"), 306, out=out, resume=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)

    for name, table in tables.items():
        pd.testing.assert_frame_equal(SimulationResult.load(out).table(name), table)
    assert not list(out.glob(".*"))
    assert_same(simulate(load("nordic"), 9, out=out, resume=True), simulate(load("nordic"), 9))


def test_a_folder_that_nobody_may_write_into_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nordic: GameMap
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=r"cannot write to .*file"):
        simulate(load("nordic"), 3, out=tmp_path / "file")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "mkdir", refuse)  # not by rights, which mean nothing to root
    with pytest.raises(PermissionError, match=r"cannot write to .*run: Permission denied"):
        simulate(nordic, 3, out=tmp_path / "run")


def test_parts_are_for_all_who_may_read_the_folder(tmp_path: Path) -> None:
    simulate(load("nordic"), 3, out=tmp_path / "run")
    (tmp_path / "like").mkdir()

    [part] = (tmp_path / "run").glob("games-*")
    assert part.stat().st_mode == (tmp_path / "like").stat().st_mode


@pytest.mark.skipif(os.name == "nt", reason="Windows has no fcntl, so nothing is locked there")
def test_two_never_write_into_one_folder(tmp_path: Path) -> None:
    out = tmp_path / "run"
    simulate(load("nordic"), 3, out=out)
    meta = SimulationResult.load(out).meta
    with (
        PartFolder(out, run_of(meta)).opened(meta, resume=True),
        pytest.raises(BlockingIOError, match="another process is writing to"),
    ):
        simulate(load("nordic"), 6, out=out, resume=True)
    (out / "games-000000000002-000000000004").mkdir()
    with pytest.raises(ValueError, match="hold the same games"):
        SimulationResult.load(out).table("games")


def test_fewer_games_than_there_are_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "run"
    simulate(load("nordic"), 7, out=out)
    with pytest.raises(ValueError, match="already holds games up to 7, but only 3 were requested"):
        simulate(load("nordic"), 3, out=out, resume=True)
    assert SimulationResult.load(out).n_games == 7
    assert SimulationResult.load(out).is_complete


def test_a_folder_is_never_mixed_up(tmp_path: Path) -> None:
    out = tmp_path / "run"
    simulate(load("nordic"), 3, out=out)

    with pytest.raises(FileExistsError, match="resume=True"):
        simulate(load("nordic"), 3, out=out)
    with pytest.raises(ValueError, match=r"belongs to another simulation: map 'nordic' instead of 'usa'"):
        simulate(load("usa"), 3, out=out, resume=True)
    with pytest.raises(ValueError, match=r"seed 7 instead of 8"):
        ttr.simulate(load("nordic"), [Greedy(), Random(), Random()], 3, 8, out=out, resume=True, progress=False)
    old = json.loads((out / META).read_text())
    (out / META).write_text(json.dumps({**old, "version": 1}))
    with pytest.raises(ValueError, match=f"holds tables of version 1, not {VERSION}: simulate again"):
        SimulationResult.load(out)
    (out / META).write_text("[]")
    with pytest.raises(ValueError, match="is damaged: it has no valid description"):
        simulate(load("nordic"), 3, out=out, resume=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("dear")
    with pytest.raises(FileExistsError, match="holds something else"):
        simulate(load("nordic"), 3, out=tmp_path / "other")
    with pytest.raises(FileNotFoundError, match="no simulation"):
        SimulationResult.load(tmp_path / "other")


@pytest.mark.parametrize("name", ["usa", "nordic"])
def test_tables_have_the_same_types_wherever_they_lie(name: str, tmp_path: Path) -> None:
    here = simulate(load(name), 4)
    there = simulate(load(name), 4, out=tmp_path / "run", chunk_size=1)
    for table in TABLES:  # without tunnels on a map, no part has a color of one
        pd.testing.assert_frame_equal(there.table(table), here.table(table))
        part = next(iter(there.iterate(table)))
        assert part.dtypes.to_dict() == here.table(table).dtypes.to_dict()


def test_no_games_make_empty_tables(tmp_path: Path) -> None:
    players = [Greedy(), Random()]
    here, there = no_games(load("nordic"), players), no_games(load("nordic"), players, out=tmp_path / "run")

    for name, columns in TABLES.items():
        assert len(here.table(name)) == 0
        assert list(here.table(name).columns) == list(columns)
        pd.testing.assert_frame_equal(there.table(name), here.table(name))
        assert list(there.table(name, ["game"])) == ["game"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        pytest.param({"n_games": 0}, "n_games must be a whole number of 1 or more, got 0", id="games"),
        pytest.param({"n_games": 2.5}, "n_games must be a whole number of 1 or more, got 2.5", id="half a game"),
        pytest.param(
            {"n_games": 2, "n_waiting": 0}, "n_waiting must be a whole number of 1 or more, got 0", id="waiting"
        ),
        pytest.param(
            {"n_games": 2, "chunk_size": 0}, "chunk_size must be a whole number of 1 or more, got 0", id="chunk"
        ),
        pytest.param(
            {"n_games": 2, "patience": 0}, "patience must be a number of seconds above 0, or None", id="patience"
        ),
        pytest.param({"n_games": 2, "n_players": 5}, "for 2 to 3 players, got 5", id="players"),
    ],
)
def test_bad_numbers_are_refused(options: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        simulate(load("nordic"), **options)  # type: ignore[arg-type]


def test_players_of_one_name_are_told_apart_by_player() -> None:
    seats = simulate(load("nordic"), 6).seats

    assert seats.groupby("policy").size().to_dict() == {"Greedy": 6, "Random": 12}
    assert seats.groupby("player").size().to_dict() == {0: 6, 1: 6, 2: 6}
    assert seats.groupby("player")["policy"].nunique().eq(1).all()
    assert "`player` distinguishes them" in str(SimulationResult.describe("seats").loc["policy", "meaning"])


def test_seats_have_their_deal_and_what_is_filtered_has_no_other_policy(tmp_path: Path) -> None:
    for result in (simulate(load("nordic"), 6), simulate(load("nordic"), 6, out=tmp_path / "run")):
        seats = result.seats
        both = seats.merge(result.games, on="game", suffixes=("", "_of_game"))
        assert both["deal"].equals(both["deal_of_game"])
        greedy = seats[seats["policy"] == "Greedy"]
        assert greedy["policy"].value_counts().to_dict() == {"Greedy": 6}
        assert greedy.groupby("policy", observed=False).size().to_dict() == {"Greedy": 6}


def test_an_unknown_table_is_refused(nordic_result: SimulationResult) -> None:
    with pytest.raises(ValueError, match="there is no table 'cards'; choose one of games, seats"):
        nordic_result.table("cards")
