"""The command: what it prints, and how it ends."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.fixtures import BUILT_IN, INVENTED
from tests.notation.bga_writer import log_text, ticket_notes
from ttr_analysis import Game, GameRecord, SimulationResult, cli, load_map
from ttr_analysis.analysis.paths import shortest_path
from ttr_analysis.cli.common import as_file_name
from ttr_analysis.cli.maps import doubts
from ttr_analysis.policies import Planner
from ttr_analysis.report import study as study_module
from ttr_analysis.report.context import Context
from ttr_analysis.report.page import Section

QUICK = ["--quick", "--deals", "40", "--best", "0", "--games", "0", "--no-progress"]


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """Return a map folder with three faults."""
    folder = tmp_path / "broken"
    shutil.copytree(INVENTED, folder)
    routes = (folder / "routes.csv").read_text(encoding="utf-8")
    routes = routes.replace("Ærø Havn,Dunmore,0,2,blue", "Ærø Havn,Dunmoor,0,2,blue")
    (folder / "routes.csv").write_text(routes.replace("Hollow,0,1,yellow", "Hollow,0,-1,yellow"), encoding="utf-8")
    rules = (folder / "rules.toml").read_text(encoding="utf-8")
    (folder / "rules.toml").write_text(rules.replace("per_player = 30", 'per_player = "many"'), encoding="utf-8")
    return folder


def test_maps_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["maps"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == sorted(BUILT_IN)
    assert "81 routes" in next(line for line in lines if line.startswith("nordic"))


def test_a_sound_map_is_checked(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", str(INVENTED)]) == 0
    assert "no faults" in capsys.readouterr().out


def test_a_map_is_summed_up_and_doubts_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    load_map("usa").to_folder(tmp_path / "usa")
    assert cli.main(["check", str(tmp_path / "usa")]) == 0
    told = capsys.readouterr().out
    assert "  2-5 players with 45 trains each\n  36 cities, 100 tracks of 1 to 6 spaces" in told
    assert "warning" not in told

    usa = load_map("usa")
    on_end = [replace(city, y=-city.y) for city in usa.cities]
    on_end[1] = replace(on_end[1], x=on_end[0].x, y=on_end[0].y)
    again = replace(usa.tickets[0], id="again")
    doubted = list(doubts(replace(usa, cities=tuple(on_end), tickets=(*usa.tickets, again))))
    assert doubted == [
        "the map looks upside down: y grows upwards, as latitude does",
        f"{usa.cities[0].name} and {usa.cities[1].name} are at the same position",
        f"the tickets {usa.tickets[0].id} and again connect the same places",
    ]


def test_what_takes_more_trains_or_room_than_there_is_is_doubted() -> None:
    usa = load_map("usa")
    few = replace(usa.rules, trains=replace(usa.rules.trains, per_player=5))
    doubted = list(doubts(replace(usa, rules=few)))
    assert "Portland-Salt Lake City/0 has 6 spaces, and a player only 5 trains" in doubted
    trains = shortest_path(usa, "Seattle", "New York").length
    assert f"the ticket Seattle-New York takes {trains} trains, and a player has only 5" in doubted

    near = [
        replace(city, x=city.x / 30, y=city.y / 30) if city.name in {"Miami", "Atlanta"} else city
        for city in usa.cities
    ]
    (cramped,) = doubts(replace(usa, cities=tuple(near)))
    assert cramped == "Atlanta-Miami/0 have little room for their spaces: scripts/tune_positions.py finds positions"


@pytest.mark.parametrize("name", BUILT_IN)
def test_nothing_about_a_map_of_the_package_is_doubted(name: str) -> None:
    assert list(doubts(load_map(name))) == []


@pytest.mark.parametrize("command", [["check"], ["study", "--no-progress"]])
def test_all_faults_of_a_map_are_printed(command: list[str], broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*command, str(broken)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "3 faults" in captured.err
    for file in ("routes.csv, line 4", "routes.csv, line 15", "rules.toml"):
        assert file in captured.err


@pytest.mark.parametrize("command", ["check", "study"])
def test_an_unknown_map_is_answered_with_the_nearest(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([command, "nordik"]) == 2
    assert capsys.readouterr().err == "ttr-analysis: no map or map folder 'nordik'; did you mean nordic?\n"


@pytest.mark.parametrize(
    "wrong",
    [
        ["study"],
        ["study", "nordic", "--seed", "-1"],
        ["study", "nordic", "--deals", "1"],
        ["study", "nordic", "--deals", "many"],
        ["study", "nordic", "--games", "-1"],
        ["study", "nordic", "--games", "2000000"],
        ["study", "nordic", "--best", "nan"],
        ["study", "nordic", "--best", "-2"],
        ["play", "nordic", "--port", "abc"],
        ["play", "nordic", "--players", "2", "--seats", "Ida,Planner"],
        ["fly", "nordic"],
        [],
    ],
)
def test_wrong_arguments_are_refused(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(wrong) == 2
    assert (
        f"Usage: ttr-analysis{' ' + wrong[0] if wrong[:1] in (['study'], ['play']) else ''}" in capsys.readouterr().err
    )


def test_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("ttr-analysis 0.")
    module = [sys.executable, "-m", "ttr_analysis", "--version"]
    assert subprocess.run(module, capture_output=True, text=True, check=True).stdout == told


def test_a_study_says_where_it_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "deep" / "out"
    steps = [step for step in study_module.STEPS if step.title in {"board", "long routes", "ferries", "method"}]
    monkeypatch.setattr(study_module, "STEPS", tuple(steps))
    assert cli.main(["study", str(INVENTED), "--out", str(out), *QUICK]) == 0
    assert str(out / "report.html") in capsys.readouterr().out
    assert (out / "report.html").stat().st_size > 100_000
    assert len(list((out / "tables").glob("*.csv"))) > 1


def test_the_default_folder_is_named_after_the_map(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(study_module, "STEPS", study_module.STEPS[:1])
    assert cli.main(["study", "usa", *QUICK]) == 0
    assert (tmp_path / "studies" / "usa" / "report.html").is_file()
    assert capsys.readouterr().out.startswith(str(Path("studies", "usa", "report.html")))


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("in the way")
    assert cli.main(["study", "usa", "--out", str(tmp_path / "file"), *QUICK]) == 2
    message = capsys.readouterr().err
    assert message.startswith("ttr-analysis: cannot write the study to ")
    assert str(tmp_path / "file") in message


def test_an_interrupted_study_leaves_whole_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(_: Context) -> Section | None:
        raise KeyboardInterrupt

    steps = (study_module.STEPS[0], study_module.Step("stop", interrupt), *study_module.STEPS[1:])
    monkeypatch.setattr(study_module, "STEPS", steps)
    assert cli.main(["study", "usa", "--out", str(tmp_path), *QUICK]) == 130
    assert "interrupted" in capsys.readouterr().err
    assert not (tmp_path / "report.html").exists()
    assert sorted(path.name for path in (tmp_path / "tables").iterdir()) == [
        "routes_by_color.csv",
        "routes_by_length.csv",
    ]


@pytest.mark.parametrize("comes_out_as", [None, RuntimeError])
def test_an_interrupt_lost_in_a_callback_still_ends_the_study(
    comes_out_as: type[Exception] | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def lose(_: Context) -> Section | None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            if comes_out_as is not None:
                raise comes_out_as from None
        return None

    before = signal.getsignal(signal.SIGINT)
    steps = (study_module.STEPS[0], study_module.Step("stop", lose), *study_module.STEPS[1:])
    monkeypatch.setattr(study_module, "STEPS", steps)
    assert cli.main(["study", "usa", "--out", str(tmp_path), *QUICK]) == 130
    assert "interrupted" in capsys.readouterr().err
    assert not (tmp_path / "report.html").exists()
    assert signal.getsignal(signal.SIGINT) is before


def test_other_errors_are_not_taken_for_an_interrupt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Context) -> Section | None:
        msg = "a fault of ours"
        raise RuntimeError(msg)

    monkeypatch.setattr(study_module, "STEPS", (study_module.Step("fail", fail),))
    with pytest.raises(RuntimeError, match="a fault of ours"):
        cli.main(["study", "usa", "--out", str(tmp_path), *QUICK])


def test_a_console_without_the_letters_of_a_name_stops_nothing(broken: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    code = "import sys; from ttr_analysis.cli import main; sys.exit(main(sys.argv[1:]))"
    (broken / "cities.csv").write_text("name,lat,lon\n\u2212\u0141,1,1\n", encoding="utf-8")
    command = [sys.executable, "-c", code, "check", str(broken)]
    result = subprocess.run(command, capture_output=True, check=False, env=environment)

    assert result.returncode == 1
    assert b"Traceback" not in result.stderr


def test_the_command_starts_without_the_heavy_libraries() -> None:
    heavy = ("numpy", "pandas", "llvmlite", "scipy", "matplotlib")  # distances of a map need NetworkX
    script = (
        "import sys; from ttr_analysis.cli import main; code = main(['check', 'nordic']); "
        f"assert not {heavy!r} & sys.modules.keys(), sys.modules; sys.exit(code)"
    ).replace(f"{heavy!r} &", f"set({heavy!r}) &")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, env=os.environ)
    assert done.returncode == 0, done.stderr
    assert "no faults" in done.stdout


def test_a_log_is_imported_and_the_record_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = Game(load_map("usa"), n_players=2).play([Planner(), Planner()], seed=4)
    rng = np.random.default_rng(1)
    (tmp_path / "game.txt").write_text(log_text(record, rng), "utf-8")
    (tmp_path / "tickets.json").write_text(json.dumps(ticket_notes(record, rng)), "utf-8")

    code = cli.main(["import", str(tmp_path / "game.txt"), "--tickets", str(tmp_path / "tickets.json")])

    assert code == cli.DONE
    assert set(GameRecord.load(tmp_path / "game.jsonl").scores) == set(record.scores)
    assert "all equal to the record" in capsys.readouterr().out


def test_a_log_that_cannot_be_is_refused_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "game.txt"
    log.write_text("Ann keeps 2 destination(s)\nBo keeps 2 destination(s)\nAnn takes 1\nBo takes 2\n", "utf-8")

    assert cli.main(["import", str(log)]) == cli.FAULTS
    assert "line 4: it is Ann's turn, not Bo's" in capsys.readouterr().err
    assert not (tmp_path / "game.jsonl").exists()
    assert cli.main(["import", str(tmp_path / "none.txt")]) == cli.USAGE
    (tmp_path / "notes.json").write_text("[" * 100_000, "utf-8")
    assert cli.main(["import", str(log), "--tickets", str(tmp_path / "notes.json")]) == cli.FAULTS


def test_a_file_that_is_no_log_makes_no_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "recipe.txt"
    log.write_text("Move 1 :20:15:01\nTake three eggs.\n", "utf-8")

    assert cli.main(["import", str(log)]) == cli.FAULTS
    told = capsys.readouterr().err
    assert "line 2: expected the log of a game, but no line was understood, got Take three eggs." in told
    log.write_text("The train car deck has been reshuffled\n", "utf-8")
    assert cli.main(["import", str(log)]) == cli.FAULTS
    assert f"no move was understood in {log}, so no record was written" in capsys.readouterr().err
    assert not (tmp_path / "recipe.jsonl").exists()


def test_commands_and_maps_are_completed() -> None:
    def completed(words: str) -> list[str]:
        variables = {
            "_TTR_ANALYSIS_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(words.count(" ")),
        }
        command = [sys.executable, "-c", "from ttr_analysis.cli import main; main()"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | variables)
        return [line.partition(",")[2] for line in done.stdout.splitlines()]

    assert completed("ttr-analysis re") == ["review"]
    assert "nordic" in completed("ttr-analysis study n")
    assert "--practice" in completed("ttr-analysis play nordic --pr")


def test_a_score_is_compared_with_planners(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        cli.main(["percentile", "nordic", "300", "--players", "2", "--games", "20", "--against", "Greedy"]) == cli.DONE
    )
    assert "more than 100% of Greedy scored" in capsys.readouterr().out
    assert cli.main(["percentile", "nordic", "98", "--players", "5"]) == cli.USAGE
    assert "for 2 to 3 players" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("Ann", "Ann"),
        ("Ann/Bo: the <best>?", "Ann-Bo- the -best--"),
        ("CON", "-CON"),
        ("aux.", "aux-"),
        ("Com1.Ann", "-Com1.Ann"),
        ("lpt³ ", "lpt³-"),
        ("NUL .txt", "-NUL .txt"),
        ("conout$", "-conout$"),
        ("Connie", "Connie"),
        ("COM10", "COM10"),
        ("J. P. ", "J. P-"),
        ("...", "-"),
    ],
)
def test_every_system_accepts_the_file_of_a_player(name: str, file: str) -> None:
    assert as_file_name(name) == file
    assert as_file_name(file) == file


def test_a_folder_of_games_says_something(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Game("nordic").play(["Planner", "Greedy"], seed=7).save(tmp_path / "a.jsonl")
    (tmp_path / "b.jsonl").write_text("damaged")
    command = ["insights", str(tmp_path), "--player"]
    assert cli.main([*command, "Planner", "--minutes", "0"]) == cli.DONE
    captured = capsys.readouterr()
    assert "You won 100% of 1 game" in captured.out
    assert "not used: b.jsonl: " in captured.err
    assert (tmp_path / "insights-Planner" / "report.html").exists()
    assert cli.main([*command, "Zoe"]) == cli.FAULTS
    assert "Zoe is not among Planner, Greedy" in capsys.readouterr().err
    assert cli.main(["insights", str(tmp_path / "none"), "--player", "Zoe"]) == cli.USAGE


def test_a_position_and_a_record_are_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = {
        "map": "usa",
        "players": ["Ann", "Bo"],
        "owners": {"Boston-New York/0": "Ann", "Dallas-Little Rock": "Bo"},
    }
    path = tmp_path / "table.json"
    path.write_text(json.dumps(told | {"tickets": [["Boston-Miami"], []]}), "utf-8")
    assert cli.main(["score", str(path)]) == cli.DONE
    assert "P1 Bo (won): 12 points: 2 routes" in capsys.readouterr().out
    path.write_text(json.dumps(told | {"tickets": [1, 0]}), "utf-8")
    assert cli.main(["score", str(path)]) == cli.DONE
    assert "Who won depends on unknown tickets." in capsys.readouterr().out
    amid = {"to_move": "Bo", "hands": {"Ann": 3, "Bo": {"red": 2}}, "tickets": {"Ann": 1, "Bo": []}}
    path.write_text(json.dumps(told | amid), "utf-8")
    assert cli.main(["score", str(path)]) == cli.DONE
    assert "these are the points if it ended now, with all tickets in the file." in capsys.readouterr().out

    record = Game(load_map("usa"), n_players=2).play([Planner(), Planner()], seed=4)
    record.save(tmp_path / "game.jsonl")
    assert cli.main(["score", str(tmp_path / "game.jsonl")]) == cli.DONE
    out = capsys.readouterr().out
    assert f"P{record.winners[0]} Planner (won): {max(filter(None, record.scores))} points" in out


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("[]", "expected a JSON object, got list"),
        ("[" * 100_000, "expected a JSON object"),
        ('{"players":["A","B"]}', "map: expected the name of a map, got null"),
        ('{"map":"usa","players":["A","A"]}', "players: expected the names of the players, each once"),
        ('{"map":"usa","players":["A"]}', "players: USA is for 2 to 5 players, got 1"),
        ('{"map":"usa","players":["A","B"],"ownrs":{}}', "ownrs: unknown key, expected owners"),
        ('{"map":"usa","players":["A","B"],"tickets":{"C":[]}}', "tickets: no player 'C'; it is one of A, B"),
        ('{"format":"ttr-game"}', "line 1, version: expected this key"),
    ],
)
def test_a_position_that_cannot_be_is_refused(
    content: str, fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.json"
    path.write_text(content, "utf-8")

    assert cli.main(["score", str(path)]) == cli.FAULTS
    assert fault in capsys.readouterr().err
    assert cli.main(["score", str(tmp_path / "none.json")]) == cli.USAGE
    path.write_text('{"map":"atlantis","players":["A","B"]}', "utf-8")
    assert cli.main(["score", str(path)]) == cli.USAGE


@pytest.mark.compiled_only
def test_play_many_writes_decisions_and_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "games"
    for games in (2, 3):
        arguments = ["usa", "--players", "Greedy,Searcher:2", "--games", str(games), "--no-progress"]
        assert cli.main(["play-many", *arguments, "--out", str(out)]) == cli.DONE
    assert "3 games" in capsys.readouterr().out
    assert SimulationResult.load(out).decisions["game"].nunique() == 3
    assert cli.main(["play-many", "usa", "--players", "Greedy:3,Random", "--out", str(out)]) == cli.USAGE
    assert "Greedy:3" in capsys.readouterr().err
