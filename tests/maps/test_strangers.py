"""Files from strangers, made to cost time or to be more than text. Damaged ones are a subject of `fuzzing`."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ttr_analysis as ttr
from tests.fixtures import INVENTED, renamed
from ttr_analysis import MapError
from ttr_analysis._decoding import write_atomically

FILES = ("cities.csv", "places.csv", "routes.csv", "tickets.csv", "rules.toml")


def test_deeply_nested_rules_are_refused(tmp_path: Path) -> None:
    folder = shutil.copytree(INVENTED, tmp_path / "nested")
    (folder / "rules.toml").write_text("title = " + "[" * 4900 + "]" * 4900)
    with pytest.raises(MapError, match="expected TOML"):
        ttr.load_map(folder)


_DEEP = ".b" * 49
_RULES_AT_THE_LIMITS = {
    "dotted keys": "".join(f"a{i}{_DEEP} = 1\n" for i in range(460)),
    "headings": "".join(f"[a{i}{_DEEP}]\n" for i in range(460)),
    "keys of a deep table": f"[a{_DEEP}]\n" + "".join(f"{'b.' * 40}c{i} = 1\n" for i in range(490)),
    "inline tables": "x = [\n" + "{a.a.a.a={},b={},c={}},\n" * 4000 + "]",
    "numbers": "x = [\n" + "1,1,1,1,1,\n" * 9000 + "]",
    "spaces": ("a" + " " * 9_990 + "b\n") * 10,
    "lines": "\n" * 100_000,
}


_LOAD = """
import resource, sys, time
import ttr_analysis as ttr
ttr.load_map("nordic")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for folder in sys.argv[1:]:
    start = time.process_time()
    try:
        ttr.load_map(folder)
    except ttr.MapError:
        print(time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_rules_at_the_limits_take_neither_long_nor_much_memory(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    folders = [tmp_path / name for name in _RULES_AT_THE_LIMITS]
    for folder, rules in zip(folders, _RULES_AT_THE_LIMITS.values(), strict=True):
        shutil.copytree(INVENTED, folder)
        (folder / "rules.toml").write_text(rules[:100_000].rpartition("\n")[0])
    process = subprocess.run([sys.executable, "-c", _LOAD, *folders], capture_output=True, text=True, check=True)
    taken = [[float(figure) for figure in line.split()] for line in process.stdout.splitlines()]
    assert len(taken) == len(folders)
    assert max(seconds for seconds, _ in taken) < 1
    assert taken[-1][1] < 200_000  # kB


def test_markup_in_names_stays_text(nordic: ttr.GameMap, tmp_path: Path) -> None:
    name = "<script>alert(1)</script> & 'Oslo'"
    renamed(nordic, {"Oslo": name}).to_folder(tmp_path / "nordic")
    game_map = ttr.load_map(tmp_path / "nordic")
    assert game_map.city(name).country == "Norway"
    assert "<script>alert" not in game_map._repr_html_()


def test_a_file_gets_the_usual_mode_while_that_of_other_files_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "usual").touch()
    monkeypatch.setattr("os.umask", lambda _: pytest.fail("another thread's files would get this mode"))
    write_atomically(tmp_path / "table.csv", "new")
    assert (tmp_path / "table.csv").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "table.csv"
    write_atomically(path, "old")

    def full_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full_disk)
    with pytest.raises(OSError, match="No space left") as caught:
        write_atomically(path, "new")
    assert caught.value.filename == str(path)
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_thousand_misspelled_names_are_told_in_no_time(tmp_path: Path) -> None:
    folder = tmp_path / "alike"
    shutil.copytree(INVENTED, folder)
    names = [f"{n:02}{'abcdefghij' * 9}" for n in range(64)]
    (folder / "cities.csv").write_text("name,lat,lon\n" + "".join(f"{name},50,5\n" for name in names))
    rows = "".join(f"{n},{names[n % 64]}x{n},{names[n % 63]}y{n},5\n" for n in range(1_000))
    (folder / "tickets.csv").write_text("ticket,origin,destination,points\n" + rows)
    start = time.process_time()
    with pytest.raises(MapError, match=r"expected the name of a city") as caught:
        ttr.load_map(folder)
    assert time.process_time() - start < 1
    assert len(caught.value.faults) > 2_000
