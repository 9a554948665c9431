"""The page of a review: whole, escaped, and it resumes after an interrupt."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import ttr_analysis as ttr
from tests.fixtures import INVENTED, load
from tests.notation.bga_writer import log_text
from tests.studies.test_reviews import end_of, interrupt_judging
from ttr_analysis import Game, GameMap, GameRecord, cli
from ttr_analysis._words import counted
from ttr_analysis.report.review import _known, write_review
from ttr_analysis.studies import review, reviews
from ttr_analysis.studies.reviews import Review
from ttr_analysis.viz.style import BOARD

pytestmark = pytest.mark.compiled_only

EVIL = "<img src=x onerror=alert(1)>\"'&"


def named(game_map: GameMap, n_players: int = 2) -> GameRecord:
    """Return the end of a game of players with names that are no markup."""
    record = end_of(game_map, ["Greedy"] * n_players)
    names = tuple(f"{EVIL}{seat}" for seat in range(n_players))
    return replace(record, header=replace(record.header, players=names, title=EVIL))


def test_the_page_is_whole_on_every_map_and_names_are_no_markup(any_map: GameMap, tmp_path: Path) -> None:
    found = review(named(any_map), 0, rollouts=4, progress=False)

    write_review(found, tmp_path / "page.html")

    text = (tmp_path / "page.html").read_text("utf-8")
    assert "<img" not in text
    assert not re.search(r"(src|href)=['\"](?!#)", text)
    assert text.count('<section class="moment-of">') == len(found.moments())
    assert text.count('<main id="widget">') == 1


def test_names_are_no_markup_where_a_tie_is_told(nordic: GameMap, tmp_path: Path) -> None:
    owners = {"Boden-Kiruna/0": 0, "Göteborg-Oslo/0": 1, "Kajaani-Oulu/0": 1}  # 4 points each, on trails of 3 and 2
    end = Game(nordic, 2).position(owners=owners, tickets=[[], []], turns_left=0)
    record = GameRecord.from_position(end, players=(f"{EVIL}0", f"{EVIL}1"))
    assert EVIL in record.score().tie

    write_review(review(record, rollouts=2, progress=False), tmp_path / "page.html")

    assert "<img" not in (tmp_path / "page.html").read_text("utf-8")


def test_the_boards_of_a_move_show_stations_and_where_one_was_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = review(Game("europe").play(["Random", "Planner"], seed=3), 0, rollouts=2, progress=False)
    builds = found.table[found.table["move"].str.startswith("station ")].head(2)
    builds = builds.assign(since=builds.index, until=builds.index, reason="")
    monkeypatch.setattr(Review, "moments", lambda *_: builds)
    write_review(found, tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    sections = text.split('<section class="moment-of">')[1:]

    assert len(sections) == len(builds) > 1
    for step, seat, section in zip(builds.index, builds["seat"], sections, strict=True):
        assert f'<a href="#{step}">step {step}</a>' in section
        assert text.count(f'xlink:href="#{step}"') == 2  # the number on the curve, and the disk behind it
        before = found.record.state_at(step - 1)
        for points, trains in zip(before.scores, before.trains, strict=True):
            assert f"{counted(points, 'point')} and {counted(trains, 'train')}" in section
        played = section.split("</figure>")[0]
        [city] = found.record.state_at(step).stations.keys() - found.record.state_at(step - 1).stations.keys()
        assert f"<title>{city}: station of P{seat}</title>" in played
        assert played.count(f"fill='{BOARD.glow}'") == 1
        assert played.count(": station of P") == len(found.record.state_at(step).stations)


def test_the_command_writes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = tmp_path / "game.jsonl"
    named(load("invented")).save(game)
    command = ["review", str(game), "--map", str(INVENTED), "--minutes", "0.01", "--open-cards", "--no-progress"]

    assert cli.main([*command, "--seat", f"{EVIL}1", "--out", str(tmp_path / "page.html")]) == cli.DONE

    assert "reviewing for at most 0.01 minutes" in capsys.readouterr().out
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["game.jsonl", "page.html"]
    assert "<summary>With all cards open</summary>" in (tmp_path / "page.html").read_text("utf-8")
    assert cli.main([*command, "--seat", "7"]) == cli.USAGE
    assert "no seat '7'; they are 0 to 1" in capsys.readouterr().err
    assert cli.main(["review", str(tmp_path / "none.jsonl")]) == cli.USAGE
    (tmp_path / "game.html.part").write_text("{}")
    assert cli.main(command) == cli.FAULTS
    assert "is not a saved review" in capsys.readouterr().err


def test_an_interrupted_command_keeps_what_was_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = tmp_path / "game.jsonl"
    end_of(load("invented"), ["Greedy"] * 2).save(game)
    interrupt_judging(monkeypatch, after=8)

    command = ["review", str(game), "--map", str(INVENTED), "--minutes", "0.02", "--no-progress"]
    assert cli.main(command) == cli.INTERRUPTED

    assert "run the same command to resume" in capsys.readouterr().err
    assert (tmp_path / "game.html.part").exists()
    assert not (tmp_path / "game.html").exists()


@pytest.mark.parametrize("minutes", ["0", "-1", "x", "nan", "1e9"])
def test_wrong_times_are_refused(minutes: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["review", "game.jsonl", "--minutes", minutes]) == cli.USAGE
    assert "Invalid value for '--minutes'" in capsys.readouterr().err


def test_a_page_from_a_log_says_what_it_does_not_know(tmp_path: Path) -> None:
    """Which tickets came when, which decisions could not be judged, and that time was short; no luck beyond measure."""
    players = [ttr.policies.Planner(ticket_bar=-8.0, ticket_trains=8.0, ticket_turns=3.0)] * 2
    log = ttr.read_bga(log_text(Game("usa").play(players, seed=5), np.random.default_rng(3)), game_map="usa")
    late = partial(reviews._decisions_of, steps=range(len(log.steps) - 12, len(log.steps)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reviews, "_decisions_of", late)
        found = review(log, rollouts=4, progress=False)
        some = found.table.head(1).assign(since=0, until=0, reason="")
        patch.setattr(Review, "moments", lambda *_: some)
        write_review(found, tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8").split("Step through the game")[0]

    assert "kept which of the tickets shown at the end" in text
    assert "decisions could not be judged" in text
    assert "Cards that lay face up and were not taken are unknown" in text
    assert "too few rollouts to judge most decisions" in text
    n_unclear = int((found.summary()["luck_error"] > 0.25).sum())
    assert text.count("too few simulated games to tell their skill from luck") == n_unclear
    assert "??" not in text
    stamp = log.stamps[some.index[0]]
    assert stamp is not None
    assert f"(move {stamp.move} of the log)" in text


def test_luck_beyond_measure_is_no_finding() -> None:
    assert _known(0.82, 2.01) == "not clear"
    assert _known(-0.07, 0.1) == "−7 ± 10"
