"""Simulations on disk that were damaged, copied or mixed up: refused by the name of the part, or played again."""

from __future__ import annotations

import hashlib
import itertools
import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ttr_analysis as ttr
from tests.fixtures import load
from ttr_analysis.policies import Greedy, Random
from ttr_analysis.studies import SimulationResult
from ttr_analysis.studies.columns import TABLES
from ttr_analysis.studies.parts import META, SUMS

SEED = 7
FIRST, SECOND = "games-000000000000-000000000003", "games-000000000003-000000000006"


def simulate(out: Path | None, n_games: int = 6, seed: int = SEED) -> SimulationResult:
    players = (Greedy(), Random(), Random())
    return ttr.simulate(load("nordic"), players, n_games, seed, out=out, resume=True, chunk_size=3, progress=False)


def read_all(folder: Path) -> None:
    result = SimulationResult.load(folder)
    for name in TABLES:
        result.table(name)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return simulate(tmp_path_factory.mktemp("run") / "whole")._folder.path  # type: ignore[union-attr]


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "run"))


def test_no_flipped_bit_gives_other_values(run: Path) -> None:
    rng = np.random.default_rng(SEED)
    files = sorted(file for file in run.rglob("*") if file.is_file() and file.stat().st_size)
    assert len(files) == 1 + 2 * (len(TABLES) + 1)
    for file in files:
        content = file.read_bytes()
        for at in rng.integers(len(content), size=4).tolist():
            damaged = bytearray(content)
            damaged[at] ^= 1 << int(rng.integers(8))
            file.write_bytes(damaged)
            named = META if file.name == META else file.parent.name
            with pytest.raises(ValueError, match=rf"{named}|holds tables of version"):
                read_all(run)
        file.write_bytes(content)
    read_all(run)


@pytest.mark.parametrize(
    ("name", "how"),
    list(
        zip(
            [*(f"{table}.parquet" for table in TABLES), SUMS],
            itertools.cycle(["missing", "cut", "empty", "a folder"]),
            strict=False,
        )
    ),
)
def test_a_part_that_is_not_whole_is_named_and_played_again(name: str, how: str, run: Path) -> None:
    file = run / SECOND / name
    content = file.read_bytes()
    file.unlink()
    if how == "a folder":
        file.mkdir()
    elif how != "missing":
        file.write_bytes(content[: len(content) // 2] if how == "cut" else b"")
    with pytest.raises(ValueError, match=rf"{SECOND} in .* is damaged .*resume=True to play its games again"):
        read_all(run)
    again, expected = simulate(run), simulate(None)
    for table in TABLES:
        pd.testing.assert_frame_equal(again.table(table), expected.table(table))
    assert not list(run.glob(".*"))


def test_a_table_of_another_part_is_refused(run: Path) -> None:
    shutil.copy(run / FIRST / "seats.parquet", run / SECOND)
    with pytest.raises(ValueError, match=rf"{SECOND} in .* is damaged \(seats.parquet is not what was written\)"):
        SimulationResult.load(run).table("seats")


def test_a_part_of_other_games_is_refused(run: Path) -> None:
    shutil.rmtree(run / SECOND)
    shutil.copytree(run / FIRST, run / SECOND)
    for use in (read_all, simulate):
        with pytest.raises(ValueError, match=rf"{SECOND} in .* holds games 0 to 2: remove it"):
            use(run)


def test_a_part_of_another_simulation_is_refused(run: Path, tmp_path: Path) -> None:
    simulate(tmp_path / "other", seed=8)
    shutil.rmtree(run / SECOND)
    shutil.copytree(tmp_path / "other" / SECOND, run / SECOND)
    for use in (read_all, simulate):
        with pytest.raises(ValueError, match=rf"{SECOND} in .* belongs to another simulation: remove it"):
            use(run)


def test_a_part_without_games_is_refused(run: Path) -> None:
    (run / "games-000000000009-000000000007").mkdir()
    with pytest.raises(ValueError, match=r"games-000000000009-000000000007 in .* holds no games"):
        read_all(run)


@pytest.mark.parametrize("key", ["seed", "map", "categories", "policies", "n_games", "checksum"])
def test_what_was_simulated_is_not_to_be_edited(key: str, run: Path) -> None:
    meta = json.loads((run / META).read_text())
    for changed in ({**meta, key: 8}, {name: value for name, value in meta.items() if name != key}):
        (run / META).write_text(json.dumps(changed))
        with pytest.raises(ValueError, match=rf"{META} is damaged: it has no valid description"):
            SimulationResult.load(run)


def test_unknown_columns_are_refused_wherever_tables_lie(run: Path) -> None:
    for result in (SimulationResult.load(run), simulate(None)):
        with pytest.raises(ValueError, match=r"seats have no column 'pionts'; did you mean points"):
            result.table("seats", ["game", "pionts"])
        assert list(result.table("seats", ["points", "game"]).columns) == ["points", "game"]


def test_parts_of_tables_in_memory_may_be_changed() -> None:
    result = simulate(None)
    for columns in (None, ["game", "seat", "points"]):
        for part in result.iterate("seats", columns):
            part.loc[:, "points"] = 0
    assert result.table("seats")["points"].abs().sum() > 0


def sign(part: Path) -> None:
    """Write the checksums of a part anew, as somebody who means harm would."""
    sums = json.loads((part / SUMS).read_text())
    for name in sums["tables"]:
        content = (part / name).read_bytes()
        sums["tables"][name] = [len(content), hashlib.sha256(content).hexdigest()]
    (part / SUMS).write_text(json.dumps(sums))


def test_what_the_reader_of_parquet_says_is_told_on_one_line_that_can_be_printed(run: Path) -> None:
    file = run / SECOND / "games.parquet"
    content = bytearray(file.read_bytes())
    content[-40:-8] = b"\x1b" * 32
    file.write_bytes(content)
    sign(run / SECOND)
    with pytest.raises(ValueError, match=rf"{SECOND} in .* is damaged \(games.parquet cannot be read") as caught:
        read_all(run)
    assert str(caught.value).isprintable()


def test_names_that_the_simulation_does_not_have_are_refused(run: Path) -> None:
    file = run / SECOND / "seats.parquet"
    frame = pd.read_parquet(file)
    frame["policy"] = frame["policy"].astype(str).replace("Greedy", "Nobody")
    frame.to_parquet(file, index=False)
    sign(run / SECOND)
    with pytest.raises(ValueError, match=rf"{SECOND} in .* is damaged .*policy: there is no 'Nobody'"):
        read_all(run)
