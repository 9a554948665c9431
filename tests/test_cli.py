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

from tests.fixtures import BUILT_IN, INVENTED, Command
from tests.notation.bga_writer import log_text, ticket_notes
from ttr_analysis import Game, GameMap, GameRecord, SimulationResult, cli, load_map
from ttr_analysis.analysis.paths import shortest_path
from ttr_analysis.cli.common import as_file_name
from ttr_analysis.cli.maps import doubts
from ttr_analysis.policies import Planner
from ttr_analysis.report import study as study_module
from ttr_analysis.report.context import Context
from ttr_analysis.report.page import Section

QUICK = "--quick --deals 40 --best 0 --games 0 --no-progress"


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


def test_maps_are_listed(command: Command) -> None:
    lines = command("maps").splitlines()
    assert [line.split()[0] for line in lines] == sorted(BUILT_IN)
    assert "81 routes" in next(line for line in lines if line.startswith("nordic"))


def test_a_sound_map_is_checked(command: Command) -> None:
    assert "no faults" in command("check", str(INVENTED))


def test_a_map_is_summed_up_and_doubts_are_told(command: Command, usa: GameMap) -> None:
    load_map("usa").to_folder(Path("mine"))
    told = command("check mine")
    assert "  2-5 players with 45 trains each\n  36 cities, 100 tracks of 1 to 6 spaces" in told
    assert "warning" not in told

    on_end = [replace(city, y=-city.y) for city in usa.cities]
    on_end[1] = replace(on_end[1], x=on_end[0].x, y=on_end[0].y)
    again = replace(usa.tickets[0], id="again")
    doubted = list(doubts(replace(usa, cities=tuple(on_end), tickets=(*usa.tickets, again))))
    assert doubted == [
        "the map looks upside down: y grows upwards, as latitude does",
        f"{usa.cities[0].name} and {usa.cities[1].name} are almost at the same position",
        f"the tickets {usa.tickets[0].id} and again connect the same places",
    ]


def test_what_takes_more_trains_or_room_than_there_is_is_doubted(usa: GameMap) -> None:
    few = replace(usa.rules, trains=replace(usa.rules.trains, per_player=5))
    doubted = list(doubts(replace(usa, rules=few)))
    assert "Portland-Salt Lake City/0 has 6 spaces, but a player has only 5 trains" in doubted
    trains = shortest_path(usa, "Seattle", "New York").length
    assert f"the ticket Seattle-New York takes {trains} trains, but a player has only 5" in doubted

    near = [
        replace(city, x=city.x / 30, y=city.y / 30) if city.name in {"Miami", "Atlanta"} else city
        for city in usa.cities
    ]
    (cramped,) = doubts(replace(usa, cities=tuple(near)))
    assert cramped == "too little room for the spaces of Atlanta-Miami/0: scripts/tune_positions.py finds positions"


@pytest.mark.parametrize("name", BUILT_IN)
def test_nothing_about_a_map_of_the_package_is_doubted(name: str) -> None:
    assert list(doubts(load_map(name))) == []


@pytest.mark.parametrize("words", [["check"], ["study", "--no-progress"]])
def test_all_faults_of_a_map_are_printed(words: list[str], broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*words, str(broken)]) == cli.FAULTS
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "3 faults" in captured.err
    for file in ("routes.csv, line 4", "routes.csv, line 15", "rules.toml"):
        assert file in captured.err


@pytest.mark.parametrize("name", ["check", "study"])
def test_an_unknown_map_is_answered_with_the_nearest(name: str, command: Command) -> None:
    said = command(f"{name} nordik", code=cli.USAGE)
    assert said == "ttr-analysis: no map or map folder 'nordik'; did you mean nordic?\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "Usage: ttr-analysis"),
        ("fly nordic", "Usage: ttr-analysis"),
        ("study", "Usage: ttr-analysis study"),
        ("study nordic --seed -1", "Invalid value for '--seed'"),
        ("study nordic --deals 1", "Invalid value for '--deals'"),
        ("study nordic --deals many", "Invalid value for '--deals'"),
        ("study nordic --games -1", "Invalid value for '--games'"),
        ("study nordic --games 2000000", "Invalid value for '--games'"),
        ("study nordic --best nan", "Invalid value for '--best'"),
        ("study nordic --best -2", "Invalid value for '--best'"),
        ("play nordic --port abc", "Usage: ttr-analysis play"),
        ("play nordic --players 2 --seats Ida,Planner", "Usage: ttr-analysis play"),
        ("play nordic --no-browser --seats Ida,Bo", "one seat must have your name"),
        ("play nordic --no-browser --seats Planner,Greedy", "got none"),
        ("play nordic --no-browser --players 9", "players"),
        ("play nordic --no-browser --players 0", "Invalid value for '--players'"),
        ("league nordic --seats 0", "Invalid value for '--seats'"),
        ("play nordic --no-browser --variant no_such", "no_such"),
        ("review game.jsonl --minutes 0", "Invalid value for '--minutes'"),
        ("review game.jsonl --minutes -1", "Invalid value for '--minutes'"),
        ("review game.jsonl --minutes x", "Invalid value for '--minutes'"),
        ("review game.jsonl --minutes nan", "Invalid value for '--minutes'"),
        ("review game.jsonl --minutes 1e9", "Invalid value for '--minutes'"),
        ("review none.jsonl", "none.jsonl: No such file or directory"),
        ("import none.txt", "none.txt: No such file or directory"),
        ("insights none --player Zoe", "none: No such file or directory"),
        ("score none.json", "none.json: No such file or directory"),
        ("percentile nordic 98 --players 5", "for 2 to 3 players"),
        ("play-many usa --players Greedy:3,Random --out games", "Greedy:3"),
        ("train --no-browser games", "Give both FOLDER and --player, or neither"),
        ("train --no-browser --player Ann", "Give both FOLDER and --player, or neither"),
        ("train --no-browser --map nowhere", "no map or map folder 'nowhere'"),
        ("train --no-browser games --player Ann --map nowhere", "no map or map folder 'nowhere'"),
        ("train --no-browser nowhere --player Ann", "nowhere: No such file or directory"),
    ],
)
def test_wrong_arguments_are_refused(line: str, said: str, command: Command) -> None:
    assert said in command(line, code=cli.USAGE)


def test_version_is_told(command: Command) -> None:
    told = command("--version")
    assert told.startswith("ttr-analysis 0.")
    module = [sys.executable, "-m", "ttr_analysis", "--version"]
    assert subprocess.run(module, capture_output=True, text=True, check=True).stdout == told


def test_a_study_says_where_it_lies(monkeypatch: pytest.MonkeyPatch, command: Command) -> None:
    out = Path("deep", "out")
    steps = [step for step in study_module.STEPS if step.title in {"board", "long routes", "ferries", "method"}]
    monkeypatch.setattr(study_module, "STEPS", tuple(steps))
    assert str(out / "report.html") in command(f"study {QUICK} --out {out}", str(INVENTED))
    assert (out / "report.html").stat().st_size > 100_000
    assert len(list((out / "tables").glob("*.csv"))) > 1


def test_the_default_folder_is_named_after_the_map(monkeypatch: pytest.MonkeyPatch, command: Command) -> None:
    monkeypatch.setattr(study_module, "STEPS", study_module.STEPS[:1])
    report = Path("studies", "usa", "report.html")
    assert command(f"study usa {QUICK}").startswith(str(report))
    assert report.is_file()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, command: Command) -> None:
    (tmp_path / "file").write_text("in the way")
    message = command(f"study usa --out file {QUICK}", code=cli.USAGE)
    assert message.startswith("ttr-analysis: cannot write the study to file")


def test_an_interrupted_study_leaves_whole_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    def interrupt(_: Context) -> Section | None:
        raise KeyboardInterrupt

    steps = (study_module.STEPS[0], study_module.Step("stop", interrupt), *study_module.STEPS[1:])
    monkeypatch.setattr(study_module, "STEPS", steps)
    assert "interrupted" in command(f"study usa --out . {QUICK}", code=cli.INTERRUPTED)
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
    command: Command,
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
    assert "interrupted" in command(f"study usa --out . {QUICK}", code=cli.INTERRUPTED)
    assert not (tmp_path / "report.html").exists()
    assert signal.getsignal(signal.SIGINT) is before


def test_other_errors_are_not_taken_for_an_interrupt(monkeypatch: pytest.MonkeyPatch, command: Command) -> None:
    def fail(_: Context) -> Section | None:
        msg = "a fault of ours"
        raise RuntimeError(msg)

    monkeypatch.setattr(study_module, "STEPS", (study_module.Step("fail", fail),))
    with pytest.raises(RuntimeError, match="a fault of ours"):
        command(f"study usa --out . {QUICK}")


def test_a_console_without_the_letters_of_a_name_stops_nothing(broken: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    (broken / "cities.csv").write_text("name,lat,lon\n\u2212\u0141,1,1\n", encoding="utf-8")
    command = [sys.executable, "-m", "ttr_analysis", "check", str(broken)]
    result = subprocess.run(command, capture_output=True, check=False, env=environment)

    assert result.returncode == 1
    assert b"Traceback" not in result.stderr


def test_a_log_is_imported_and_the_record_saved(tmp_path: Path, command: Command) -> None:
    record = Game(load_map("usa"), n_players=2).play([Planner(), Planner()], seed=4)
    rng = np.random.default_rng(1)
    (tmp_path / "game.txt").write_text(log_text(record, rng), "utf-8")
    (tmp_path / "tickets.json").write_text(json.dumps(ticket_notes(record, rng)), "utf-8")

    assert "all equal to the record" in command("import game.txt --tickets tickets.json")
    assert set(GameRecord.load(tmp_path / "game.jsonl").scores) == set(record.scores)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_a_log_from_any_editor_is_imported(tmp_path: Path, command: Command, encoding: str) -> None:
    record = Game(load_map("europe"), n_players=2).play([Planner(), Planner()], seed=4)
    text = log_text(record, np.random.default_rng(1)).encode("cp1252", errors="replace").decode("cp1252")
    (tmp_path / "game.txt").write_bytes(text.encode(encoding))

    assert "all equal to the record" in command("import game.txt")


def test_a_log_that_breaks_off_is_imported_as_the_variant_that_was_played(tmp_path: Path, command: Command) -> None:
    (tmp_path / "game.txt").write_text(
        "Move 2 :10:00:00\nAnn keeps 3 destination(s)\nMove 3 :10:00:09\nBo keeps 3 destination(s)\n", "utf-8"
    )

    command("import game.txt --map usa --variant mega")
    assert GameRecord.load(tmp_path / "game.jsonl").map.rules.variant == "mega"
    assert "--variant needs --map" in command("import game.txt --variant mega", code=cli.USAGE)


def test_a_log_is_never_replaced(tmp_path: Path, command: Command) -> None:
    log = tmp_path / "game.jsonl"
    log.write_text("Ann keeps 2 destination(s)\n", "utf-8")

    assert "choose another file with --out" in command("import game.jsonl", code=cli.USAGE)
    assert log.read_text("utf-8") == "Ann keeps 2 destination(s)\n"
    assert "is a directory" in command("import .", code=cli.USAGE)


def test_a_log_that_cannot_be_is_refused_with_its_line(tmp_path: Path, command: Command) -> None:
    (tmp_path / "game.txt").write_text(
        "Ann keeps 2 destination(s)\nBo keeps 2 destination(s)\nAnn takes 1\nBo takes 2\n", "utf-8"
    )

    assert "line 4: it is Ann's turn, not Bo's" in command("import game.txt", code=cli.FAULTS)
    assert not (tmp_path / "game.jsonl").exists()
    (tmp_path / "notes.json").write_text("[" * 100_000, "utf-8")
    command("import game.txt --tickets notes.json", code=cli.FAULTS)


def test_a_file_that_is_no_log_makes_no_record(tmp_path: Path, command: Command) -> None:
    log = tmp_path / "recipe.txt"
    log.write_text("Move 1 :20:15:01\nTake three eggs.\n", "utf-8")

    told = command("import recipe.txt", code=cli.FAULTS)
    assert "line 2: expected the log of a game, but no line was understood, got Take three eggs." in told
    log.write_text("The train car deck has been reshuffled\n", "utf-8")
    told = command("import recipe.txt", code=cli.FAULTS)
    assert "no move was understood in recipe.txt, so no record was written" in told
    assert not (tmp_path / "recipe.jsonl").exists()


def test_commands_and_maps_are_completed() -> None:
    def completed(words: str) -> list[str]:
        variables = {
            "_TTR_ANALYSIS_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(words.count(" ")),
        }
        command = [sys.executable, "-m", "ttr_analysis"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | variables)
        return [line.partition(",")[2] for line in done.stdout.splitlines()]

    assert completed("ttr-analysis re") == ["review"]
    assert "nordic" in completed("ttr-analysis study n")
    assert "--practice" in completed("ttr-analysis play nordic --pr")


@pytest.mark.parametrize(
    ("option", "what"),
    [("--variant resits", "of the variant 'resits'"), ("--players 5", "with 5 players")],
)
def test_a_fit_of_no_game_is_refused(command: Command, option: str, what: str) -> None:
    assert f"has no games {what}." in command(f"fit nordic {option}", code=cli.USAGE)


def test_a_score_is_compared_with_planners(command: Command) -> None:
    told = command("percentile nordic 300 --players 2 --games 20 --against Greedy")
    assert "beat 100% of Greedy's scores" in told


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


def test_a_folder_of_games_says_something(tmp_path: Path, command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    Game("nordic").play(["Planner", "Greedy"], seed=7).save(tmp_path / "a.jsonl")
    (tmp_path / "b.jsonl").write_text("damaged")
    assert cli.main(["insights", ".", "--player", "Planner", "--minutes", "0"]) == cli.DONE
    captured = capsys.readouterr()
    assert "You won 100% of 1 game" in captured.out
    assert "not used: b.jsonl: " in captured.err
    assert (tmp_path / "insights-Planner" / "report.html").exists()
    assert "Zoe is not among Planner, Greedy" in command("insights . --player Zoe", code=cli.FAULTS)


def test_a_position_and_a_record_are_scored(tmp_path: Path, command: Command) -> None:
    told = {
        "map": "usa",
        "players": ["Ann", "Bo"],
        "owners": {"Boston-New York/0": "Ann", "Dallas-Little Rock": "Bo"},
    }
    path = tmp_path / "table.json"
    path.write_text(json.dumps(told | {"tickets": [["Boston-Miami"], []]}), "utf-8")
    assert "P1 Bo (won): 12 points: 2 routes" in command("score table.json")
    path.write_text(json.dumps(told | {"tickets": [1, 0]}), "utf-8")
    assert "Who won depends on unknown tickets." in command("score table.json")
    amid = {"to_move": "Bo", "hands": {"Ann": 3, "Bo": {"red": 2}}, "tickets": {"Ann": 1, "Bo": []}}
    path.write_text(json.dumps(told | amid), "utf-8")
    assert "these would be the scores if it ended now, with all tickets in the file." in command("score table.json")

    record = Game(load_map("usa"), n_players=2).play([Planner(), Planner()], seed=4)
    record.save(tmp_path / "game.jsonl")
    won = f"P{record.winners[0]} Planner (won): {max(filter(None, record.scores))} points"
    assert won in command("score game.jsonl")


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("[]", "expected a JSON object, got list"),
        ("[" * 100_000, "expected a JSON object"),
        ('{"players":["A","B"]}', "map: expected the name of a map, got null"),
        ('{"map":"usa","players":["A","A"]}', "players: expected the names of the players, each once"),
        ('{"map":"usa","players":["A"]}', "players: USA is for 2 to 5 players, got 1"),
        ('{"map":"usa","players":["A","B"],"ownrs":{}}', "ownrs: unknown key, expected owners"),
        ('{"map":"usa","players":["A","B"],"tickets":{"C":[]}}', "tickets: no player 'C'; choose one of A, B"),
        ('{"format":"ttr-game"}', "line 1, version: expected this key"),
    ],
)
def test_a_position_that_cannot_be_is_refused(content: str, fault: str, tmp_path: Path, command: Command) -> None:
    (tmp_path / "table.json").write_text(content, "utf-8")

    assert fault in command("score table.json", code=cli.FAULTS)


def test_a_position_on_an_unknown_map_is_refused(tmp_path: Path, command: Command) -> None:
    (tmp_path / "table.json").write_text('{"map":"atlantis","players":["A","B"]}', "utf-8")

    assert "no map or map folder 'atlantis'" in command("score table.json", code=cli.USAGE)


@pytest.mark.compiled_only
def test_play_many_writes_decisions_and_resumes(tmp_path: Path, command: Command) -> None:
    for games in (1, 2):
        told = command(f"play-many usa --players Greedy,Searcher:2 --games {games} --no-progress --out games")
        assert f"{games} game" in told
    assert SimulationResult.load(tmp_path / "games").decisions["game"].nunique() == 2
