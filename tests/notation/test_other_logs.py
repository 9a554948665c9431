"""Logs as other tables may write them, or cut: read and told, or refused. Damaged ones are a subject of `fuzzing`."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from tests.engine.records import Table, played
from tests.fixtures import load
from tests.notation.bga_writer import log_text, ticket_notes
from ttr_analysis import Game, GameRecord, RecordError, RecordWarning, read_bga
from ttr_analysis.notation.bga_log import COLOR_CODES
from ttr_analysis.policies import Greedy
from ttr_analysis.tables import MAX_TICKETS


@cache
def whole(n_players: int) -> tuple[GameRecord, str]:
    record = Game("usa", n_players).play([Greedy()] * n_players, seed=3)
    return record, log_text(record, np.random.default_rng(5))


@pytest.mark.parametrize("end", ["\r\n", "\n\n", " \n", "\r"])
def test_ends_of_lines_do_not_matter(end: str) -> None:
    record, text = whole(3)

    read = read_bga(text.replace("\n", end))

    assert sorted(map(str, read.scores)) == sorted(map(str, record.scores))


def test_marks_of_a_page_do_not_matter() -> None:
    _, text = whole(3)
    players = read_bga(text).header.players
    marked = "\n".join(f'<div class="log"><b>{line}</b>&nbsp;<BR></div>' for line in text.splitlines())

    assert read_bga(marked).entries == read_bga(text).entries
    heart = re.sub(r"\bBo\b", "Bo <3 > Ann", text)
    assert read_bga(heart).header.players == tuple(name.replace("Bo", "Bo <3 > Ann") for name in players)


def test_cards_may_go_by_name() -> None:
    _, text = whole(3)

    def named(found: re.Match[str]) -> str:
        names = [COLOR_CODES[int(number)].replace("purple", "pink") for number in found[2].split(",")]
        return found[1] + ", ".join(names)

    told = re.sub(r"(?m)^(.* : |.* card\(s\) |\w+ takes )(\d(?:,\d)*)$", named, text)

    assert "pink" in told
    assert read_bga(told).entries == read_bga(text).entries


def test_a_talk_about_moves_is_no_move() -> None:
    _, text = whole(3)
    lines = text.splitlines()
    talk = [
        "Ann: Bo takes 3",
        "Ann : Bo takes 4",
        "Ann: Bo takes 5",
        "Bo: Ann passes",
        "move 3 trains, Bo!",
        "Move 7 :)",
    ]
    lines[60:60] = talk
    marked = [f"<p><b>{line.split()[0]}</b> {' '.join(line.split()[1:])}</p>" for line in lines]

    for read in (read_bga("\n".join(lines)), read_bga("\n".join(marked))):
        assert read.report is not None
        assert read.entries == read_bga(text).entries
        assert [number for number, _ in read.report.unread] == [61, 62, 63, 64, 65, 66]


def test_the_turns_of_who_left_are_skipped_and_that_is_a_correction() -> None:
    _, text = whole(3)
    moves = re.split(r"(?m)^(?=Move )", text)
    last = [k for k, move in enumerate(moves) if "\nBo " in move][-4]
    assert "claiming" in moves[last] or "takes" in moves[last]
    kept = [move for k, move in enumerate(moves[: last + 30]) if k < last or "\nBo " not in move]
    kept.insert(last, "Bo has quit the game (time out)\n")
    cut = "".join(kept).partition("Ann reveals")[0]

    read = read_bga(cut)

    assert read.corrections
    assert {correction.reason for _, correction in read.corrections} == {"Bo left the game"}
    assert "inferred: Bo left the game: skipped before line" in str(read.report)
    for other in ("Bo has not xx yet: he thinks about how to leave", "Bobby has quit", "Bo: I may have quit"):
        with pytest.raises(RecordError, match="it is Bo's turn, not"):
            read_bga(cut.replace("Bo has quit", other))


def test_a_line_may_follow_the_time_of_its_move() -> None:
    _, text = whole(2)

    assert read_bga(re.sub(r"(?m)^(Move \d+ :[\d:]+)\n", r"\1 ", text)).entries == read_bga(text).entries


def test_a_number_at_the_very_end_is_no_color() -> None:
    _, text = whole(2)
    hidden = list(re.finditer(r"takes [12](?= hidden)", text))[-1]
    log = read_bga(text[: hidden.end()])

    assert log.report is not None
    assert any(line.endswith(hidden.group()) for _, line in log.report.unread)


def test_a_game_that_ends_before_its_end_is_told() -> None:
    _, text = whole(2)
    cut = text[: text.index("Move 40 ")] + "End of game\n"

    read = read_bga(cut)

    assert not read.is_complete
    assert "unknown: why the game ended: under the rules it was not over" in str(read.report)


def test_the_newest_move_on_top_is_refused() -> None:
    _, text = whole(2)
    moves = re.split(r"(?m)^(?=Move )", text)

    with pytest.raises(RecordError, match="expected the oldest move first"):
        read_bga("".join(reversed(moves)))


def test_a_part_that_was_pasted_twice_is_reported() -> None:
    acts = ["Ann keeps 2 destination(s)", "Bo keeps 3 destination(s)", *["Bo takes 7"] * 2, *["Ann takes 7"] * 2]
    parts = [f"Move {number} :10:00:00\n{act}\n" for number, act in enumerate(acts, start=2)]
    once, twice = "".join(parts), "".join([*parts, *parts[2:]])

    assert "pasted twice" not in str(read_bga(once).report)
    assert "move 4 (line 14) follows move 7; a part may have been pasted twice" in str(read_bga(twice).report)


@pytest.mark.parametrize("n_players", [2, 3, 5])
def test_ties_for_the_longest_path_are_compared(n_players: int) -> None:
    record = played(Table("usa", "", n_players))
    text = log_text(record, np.random.default_rng(5))
    tied = re.findall(r"gains 10 points with longest continuous path : \d+ train cars", text)

    report = read_bga(text).report

    assert tied
    assert report is not None
    assert len(report.totals.query("what == 'bonus'")) == len(tied)
    assert report.disagreements.empty
    assert load("usa").rules.bonus[0].measure == "longest_trail"


# -- offers of tickets ------------------------------------------------------------------


def test_offers_are_sets_and_a_refusal_says_which_ticket_was_due() -> None:
    record, text = whole(2)
    notes = ticket_notes(record, np.random.default_rng(5))
    turned = {name: [(offered[::-1], kept[::-1]) for offered, kept in pairs] for name, pairs in notes.items()}

    one, other = (read_bga(text, tickets=of) for of in (notes, turned))

    assert [sorted(map(str, held)) for held in one.states()[-1].tickets] == [
        sorted(map(str, held)) for held in other.states()[-1].tickets
    ]
    assert one.scores == other.scores


def test_tickets_under_the_pile_come_in_turn_and_a_refusal_says_which_is_due() -> None:
    record = played(Table("usa", "", 2), "curious")
    lines = record.dumps().splitlines()
    for step, state in zip(record._timeline.steps[1:], record.states(), strict=False):
        packed, offered = state.packed, [k for k in range(step.first, step.end) if "ticket_offered" in lines[1 + k]]
        queue = [int(packed.queue[(packed.queue_head + i) % MAX_TICKETS]) for i in range(packed.n_queued)]
        turns = [int(packed.queued_at[(packed.queue_head + i) % MAX_TICKETS]) for i in range(packed.n_queued)]
        if offered and packed.n_ticket_pile == 0 and turns[0] == turns[1] < turns[-1]:
            break

    def with_first(ticket: int) -> str:
        first = lines[1 + offered[0]]
        wrong = re.sub(r'"ticket":"[^"]*"', f'"ticket":"{record.map.tickets[ticket].id}"', first)
        return "\n".join([*lines[: 1 + offered[0]], wrong, ""])

    with pytest.warns(RecordWarning, match="ends in the middle of a move"):
        assert len(GameRecord.loads(with_first(queue[1])).steps) > 3, "of one turn they come in any order"
    with pytest.raises(RecordError) as info:
        GameRecord.loads(with_first(queue[-1]))
    due, late = record.map.tickets[queue[0]].id, record.map.tickets[queue[-1]].id
    assert f"{late} is impossible here: {due} is on top" in str(info.value)
