"""The page of a review: whole, escaped, and it resumes after an interrupt."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ttr_analysis as ttr
from tests.fixtures import INVENTED, Command, load
from tests.notation.bga_writer import log_text
from tests.report.pages import read_page
from tests.studies.test_reviews import end_of, interrupt_judging, judge_only
from ttr_analysis import Game, GameMap, GameRecord, cli
from ttr_analysis._words import counted
from ttr_analysis.engine.actions import BuildStation, DrawCard
from ttr_analysis.engine.codes import CLAIM_ROUTE, DRAW_CARD, DRAW_TICKETS, kind_of, make_action
from ttr_analysis.engine.events import Move
from ttr_analysis.maps.names import name_route, name_ticket
from ttr_analysis.policies.search.watching import Watcher
from ttr_analysis.report.played import _known, _moment, _outlook, _table, _tickets, write_review
from ttr_analysis.studies import review
from ttr_analysis.studies.advice import Reasons
from ttr_analysis.studies.outlook import Row, Why
from ttr_analysis.studies.reviews import Review
from ttr_analysis.viz.style import BOARD

pytestmark = pytest.mark.compiled_only

EVIL = "<img src=x onerror=alert(1)>\"'&"


def named(game_map: GameMap, n_players: int = 2) -> GameRecord:
    """Return the end of a game of players with names that are no markup."""
    record = end_of(game_map, ["Greedy"] * n_players, 20)
    names = tuple(f"{EVIL}{seat}" for seat in range(n_players))
    return replace(record, header=replace(record.header, players=names, title=EVIL))


def test_the_page_is_whole_on_every_map_and_names_are_no_markup(
    any_map: GameMap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = review(named(any_map), 0, rollouts=4, progress=False)
    some = found.table.head(2)
    monkeypatch.setattr(
        Review,
        "moments",
        lambda *_: some.assign(since=some.index, until=some.index, times=1, reason=f"P1, {EVIL}, is ahead"),
    )

    write_review(found, tmp_path / "page.html")

    text = (tmp_path / "page.html").read_text("utf-8")
    assert "<img" not in text
    assert not re.search(r"(src|href)=['\"](?!#)", text)
    assert text.count('<section class="ttr-panel moment-of') == len(some) == 2
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
    record = Game("europe").play(["Random", "Planner"], seed=3)
    moves = {step: move.action for step, (move, *_) in enumerate(record.steps) if isinstance(move, Move)}
    judge_only(monkeypatch, [step for step, action in moves.items() if isinstance(action, BuildStation)])
    builds = (found := review(record, 0, rollouts=2, progress=False)).table.head(2)
    builds = builds.assign(since=builds.index, until=builds.index, times=1, reason="")
    monkeypatch.setattr(Review, "moments", lambda *_: builds)
    write_review(found, tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    sections = text.split('<section class="ttr-panel moment-of">')[1:]

    assert len(sections) == len(builds) > 1
    for step, seat, section in zip(builds.index, builds["seat"], sections, strict=True):
        assert f'<a href="#{step}">step {step}</a>' in section
        assert text.count(f'xlink:href="#{step}"') == 2  # the number on the curve, and the disk behind it
        before = found.record.state_at(step - 1)
        standings = {*zip(before.scores, before.trains, strict=True)}
        for points, trains in standings:
            assert (f"{counted(points, 'point')} and {counted(trains, 'train')}" in section) == (len(standings) > 1)
        played = section.split("</figure>")[0]
        [city] = found.record.state_at(step).stations.keys() - found.record.state_at(step - 1).stations.keys()
        assert f"<title>{city}: station of {record.header.policies[seat]}</title>" in played
        assert played.count(f"fill='{BOARD.glow}'") == 1
        assert played.count(": station of ") == len(found.record.state_at(step).stations)
        arcs = re.findall(f"stroke='{BOARD.text}'[^>]*stroke-dasharray", played)
        assert len(arcs) == len(Reasons(found.view(step)).open_tickets)
    assert arcs


def test_the_command_writes_a_page(tmp_path: Path, command: Command) -> None:
    named(load("invented")).save(tmp_path / "game.jsonl")
    options = ["--map", str(INVENTED), "--minutes", "0.01", "--open-cards", "--no-progress"]

    told = command("review game.jsonl --out page.html", *options, "--seat", f"{EVIL}1")

    assert "reviewing for at most 0.01 minutes" in told
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["game.jsonl", "page.html"]
    assert "<summary>With all hands visible</summary>" in (tmp_path / "page.html").read_text("utf-8")
    assert "no seat '7'; choose one of 0, 1" in command("review game.jsonl --seat 7", *options, code=cli.USAGE)
    (tmp_path / "game.html.part").write_text("{}")
    assert "is not a saved review" in command("review game.jsonl", *options, code=cli.FAULTS)


def test_an_interrupted_command_keeps_what_was_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    end_of(load("invented"), ["Greedy"] * 2).save(tmp_path / "game.jsonl")
    interrupt_judging(monkeypatch, after=8)

    said = command("review game.jsonl --minutes 0.02 --no-progress --map", str(INVENTED), code=cli.INTERRUPTED)

    assert "run the same command to resume" in said
    assert (tmp_path / "game.html.part").exists()
    assert not (tmp_path / "game.html").exists()


def test_a_page_from_a_log_says_what_it_does_not_know(tmp_path: Path) -> None:
    """Which tickets came when, which decisions could not be judged, and that time was short; no luck beyond measure."""
    players = [ttr.policies.Planner(ticket_bar=-8.0, ticket_trains=8.0, ticket_turns=3.0)] * 2
    log = ttr.read_bga(log_text(Game("usa").play(players, seed=5), np.random.default_rng(3)), game_map="usa")
    with pytest.MonkeyPatch.context() as patch:
        judge_only(patch, range(len(log.steps) - 12, len(log.steps)))
        found = review(log, rollouts=4, seed=1, progress=False)  # its few worlds differ, so that luck is hardly known
        some = found.table.head(1).assign(since=0, until=0, times=1, reason="")
        patch.setattr(Review, "moments", lambda *_: some)
        write_review(found, tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8").split("Step through the game")[0]

    assert text.index('<section class="ttr-panel moment-of') < text.index('<h2 id="not-known">')
    assert "kept each of the tickets revealed at the end" in text
    assert "decisions could not be judged" in text
    assert "Face-up cards that were not taken are unknown" in text
    assert "everything that the player saw, it must reach 7.5 for a blunder and 3.5 for a mistake." in text
    assert text.count("too few") == 1
    assert "There were too few simulated games to judge most decisions (about " in text
    assert (found.summary()["luck_error"] > 0.25).any()
    assert "and to tell skill from luck (about " in text
    assert "??" not in text
    stamp = log.stamps[some.index[0]]
    assert stamp is not None
    assert f"(move {stamp.move} of the log)" in text


def test_the_best_score_comes_first(tmp_path: Path) -> None:
    found = review(end_of(load("invented"), ["Random", "Planner", "Greedy"], 12), rollouts=2, progress=False)
    names = ("Ann", "Bo", "Cleo")
    found.record = replace(found.record, header=replace(found.record.header, players=names))

    write_review(found, tmp_path / "page.html")

    scores = found.record.scores
    ranked = sorted(zip(names, scores, strict=True), key=lambda one: -(one[1] or 0))
    text = (tmp_path / "page.html").read_text("utf-8").split("Step through the game")[0]
    words = read_page(text).words
    shown = ", ".join(f"{names.index(name)} {name} {points}" for name, points in ranked)
    assert f"{ranked[0][0]} won: {shown}." in words
    table = words[words.index("Skill and luck") :]
    assert [table.index(name) for name, _ in ranked] == sorted(table.index(name) for name in names)


def test_a_draw_is_shown_with_what_it_is_for_and_the_hand_with_unknown_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    """A card for a route has a board on which the route glows, free as it is; tickets have none."""
    record = Game("usa").play(["Planner", "Planner"], seed=7)
    judge_only(monkeypatch, range(21, len(record.steps), 4))
    found = review(record, 0, rollouts=2, progress=False)
    step = next(one.step for one in found.decisions if Reasons(found.view(one.step)).aim(DrawCard()))
    one = found._decisions[step]
    known = found.known(step)
    known.packed.n_hand[0] += 2

    def moment(best: int) -> dict[str, Any]:
        changed = Review(record, 0, [replace(one, best=(make_action(best, 0), 0), n_tried=3, loss_low=0.01)])
        row = changed.table.assign(since=step, until=step, times=1, reason="")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Review, "known", lambda *_: known)
            return _moment(changed, ["Ann", "Bo"], row, step)

    aim = Reasons(found.view(step)).aim(DrawCard())
    assert aim is not None
    *_, (caption, board) = moment(DRAW_CARD)["boards"]
    assert caption == f"Better: toward {name_route(aim)}"
    assert board.count(f"stroke='{BOARD.glow}'") == 1
    assert f"{aim.id}: Ann" not in board
    assert moment(DRAW_CARD)["hand"].endswith(" and 2 unknown cards")
    assert not [caption for caption, _ in moment(DRAW_TICKETS)["boards"] if caption.startswith("Better")]


def test_an_outlook_has_a_line_for_all_that_clearly_differs_and_names_are_no_markup() -> None:
    """Colors are told where they differ; a ticket that was kept after one move only has no share after the other."""
    often, seldom, none = np.tile([1.0, 1, 1, 0], 20), np.tile([1.0, 0, 0, 0], 20), np.array([])
    rows = [
        Row(0, "claims", "Bergen – Oslo", often, seldom, 3, ("blue", "red")),
        Row(0, "claims", "Oslo – Stockholm", often, seldom, 4, ("blue", "blue")),
        Row(0, "claims", "Oslo – Turku", often, often, 5, ("blue", "red")),
        Row(0, "completes", "Narvik – Tallinn", seldom, none, condition=", if it is held"),
        Row(1, "gets", "the longest path", seldom, often),
        Row(0, "scores", "points", 100 * often, 40 * seldom),
    ]

    shown = str(_outlook({"seat": 0, "win": 0.25, "loss": 0.5}, rows, ["Ann", EVIL]))

    words = read_page(shown).words
    assert "wins75%25% claims Bergen – Oslo75%, blue25%, red claims Oslo – Stockholm75%25% completes" in words
    assert "completes Narvik – Tallinn, if it is held25%– " in words
    assert words.endswith(f"{EVIL} gets the longest path25%75% scores (points)7510")
    assert "<img" not in shown
    assert not _outlook({}, [], [])
    assert "nothing else differs clearly" in _outlook({}, [rows[2]], [])


def test_a_marked_move_has_a_plan_an_outlook_and_names_that_are_no_markup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = Game("usa").play(["Planner", "Planner"], seed=7)
    judge_only(monkeypatch, range(41, len(record.steps), 3))
    record = replace(record, header=replace(record.header, players=(f"{EVIL}0", f"{EVIL}1")))
    found = review(record, 0, rollouts=2, progress=False)
    claims = [one for one in found.decisions if kind_of(one.played[0]) == CLAIM_ROUTE]
    draw = make_action(DRAW_CARD, 0), 0
    costly = partial(replace, best=draw, n_tried=3, lost=(0.3, -0.3), loss_low=0.25, loss_high=0.35)
    first, second, doubtful = map(costly, claims[:3])
    marked = Review(record, 0, [first, second, replace(doubtful, holds=0.5)])

    write_review(marked, tmp_path / "page.html")

    moments = marked.moments()
    text = (tmp_path / "page.html").read_text("utf-8")
    words = " ".join(re.sub("<[^>]+>", "", text.split("Step through the game")[0]).split())
    assert len(moments) == words.count("It was better to draw a card from the pile") == 2
    assert "1 move that seemed costly failed this test" in words
    plans = [marked.why(step).plan for step in moments.index]
    assert any(plans)
    for step, plan in zip(moments.index, plans, strict=True):
        assert all(name_route(route) in words for route, _ in plan)
        assert {row.what for row in marked.why(step).rows} == set(marked.outlook(step)["what"])
    assert "<img" not in text
    [other] = {one.step for one in found.decisions[:1]}
    assert not len(Review(record, 0, found.decisions[:1]).outlook(other))
    with pytest.raises(KeyError):
        marked.outlook(other)


def test_tickets_that_are_completed_more_often_are_the_first_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    record = Game("usa").play(["Planner", "Planner"], seed=7)
    judge_only(monkeypatch, range(41, 60))
    one = review(record, 0, rollouts=2, progress=False).decisions[0]
    found = Review(record, 0, [replace(one, n_tried=3, lost=(0.3, -0.3), loss_low=0.25, loss_high=0.35)])
    often, seldom = np.tile([1.0, 1, 1, 0], 20), np.tile([1.0, 0, 0, 0], 20)
    rows = (
        Row(0, "completes", "A – B", often, seldom),
        Row(0, "completes", "C – D", seldom, often),
        Row(1, "completes", "E – F", often, seldom),
    )
    monkeypatch.setattr(Review, "why", lambda *_: Why(reasons=("4 points",), rows=rows))

    write_review(found, tmp_path / "page.html")

    assert "Why: completes A – B more often; 4 points." in (tmp_path / "page.html").read_text("utf-8")


def test_a_choice_of_tickets_shows_the_offer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    record = Game("usa").play(["Planner", "Planner"], seed=7)
    judge_only(monkeypatch, [1])
    [one] = review(record, 0, rollouts=2, progress=False).decisions
    best = replace(one, best=(one.played[0], 7), n_tried=3, lost=(0.3, -0.3), loss_low=0.25, loss_high=0.35)
    played = one.played[1]
    assert played < 7

    write_review(Review(record, 0, [best]), tmp_path / "page.html")

    words = " ".join(re.sub("<[^>]+>", " ", (tmp_path / "page.html").read_text("utf-8")).split())
    offer = record.state_at(0).offers[0]
    lines = [f"{name_ticket(one)} kept {'kept' if played >> i & 1 else '–'}" for i, one in enumerate(offer) if one]
    assert f"Tickets offered better played {' '.join(lines)}" in words
    assert "0 points and 45 trains" not in words
    assert re.search("made 1 blunder in 1 decision; (part of )?what it cost (was lost for good|came back)", words)


def test_a_row_without_a_finding_is_left_out() -> None:
    record = end_of(load("invented"), ["Greedy", "Random"], 12)
    rows = review(record, rollouts=2, progress=False).summary().reset_index().to_dict("records")
    unclear, clear = ([row | {"luck_error": error, "skill_error": error} for row in rows] for error in (0.3, 0.1))

    whole, part = (_table(["Ann", "Bo"], some) for some in (clear, unclear))

    assert whole["is_split"]
    assert {"own moves", "luck"} <= whole["parts"].keys()
    assert not {"own moves", "luck"} & part["parts"].keys()
    assert "own moves" in str(whole["table"])
    assert not part["is_split"]
    assert not re.search("own moves|opponents' moves|luck|not clear", str(part["table"]))
    assert "not clear" in str(_table(["Ann", "Bo"], [clear[0], unclear[1]])["table"])


def test_uncertain_tickets_are_told_as_the_likeliest_hands() -> None:
    record = Game("usa").play(["Planner", "Planner"], seed=7)
    known = Watcher(record, 0).at(30)
    assert _tickets(known) == f"Tickets: {', '.join(name_ticket(record.map.tickets[i]) for i in sorted(known.held(0)))}"

    orders = [[0, 1, 2], [1, 0, 2], [0, 1, 3], [0, 2, 1], [2, 3, 0]]
    known.packed.n_held[0] = 2
    names = [name_ticket(ticket) for ticket in record.map.tickets[:4]]
    told = _tickets(known._replace(orders={0: np.array(orders)}))
    assert told == (
        f"Likely tickets, going by the routes: 60% {names[0]}, {names[1]}; 20% {names[0]}, {names[2]}; "
        f"20% {names[2]}, {names[3]}"
    )
    more = _tickets(known._replace(orders={0: np.array([*orders, [1, 3, 0]])}))
    assert more.endswith("; or others")


def test_luck_beyond_measure_is_no_finding() -> None:
    assert _known(0.82, 2.01) == "not clear"
    assert _known(-0.07, 0.1) == "−7 ± 10"
