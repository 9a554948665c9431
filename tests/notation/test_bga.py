"""Logs of Board Game Arena: simulated games of every map and number of players, written as such logs and read back."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import groupby

import numpy as np
import pytest

from tests.engine.records import TABLES, Table, played
from tests.fixtures import load
from tests.notation.bga_writer import NAMES, log_text, ticket_notes
from ttr_analysis import Game, GameRecord, RecordError, read_bga
from ttr_analysis.engine import actions
from ttr_analysis.engine.layout import Phase
from ttr_analysis.engine.state import Owner
from ttr_analysis.notation.bga_log import TicketNotes, find_map, read_log, tracks_of
from ttr_analysis.policies import Greedy, Planner


@cache
def usa_record() -> GameRecord:
    """Return a game of three on the map of most logs."""
    return Game(load("usa"), n_players=3).play([Planner()] * 3, seed=3)


@cache
def usa_log() -> str:
    """Return its log."""
    return log_text(usa_record(), np.random.default_rng(5))


def owned(record: GameRecord, seats: Mapping[Owner, Owner]) -> dict[Owner, Counter[tuple[str, str]]]:
    """Return which cities each owner joined, how often: of two gray tracks a log does not say which was taken."""
    last = record.states()[-1]
    return {seat: Counter(route.cities for route in last.routes_of(its)) for seat, its in seats.items()}


def logs() -> Iterator[tuple[Table, bool]]:
    """Yield each map and variant with the offers noted and without."""
    for _, tables in groupby(TABLES, key=lambda table: (table.name, table.variant)):
        first, *others = tables
        yield first, False
        yield (others or [first])[-1], True


@pytest.mark.parametrize(
    ("table", "noted"),
    [pytest.param(*log, id=f"{log[0]}, {'with the offers noted' if log[1] else 'the log alone'}") for log in logs()],
)
def test_a_game_comes_back_from_its_log(table: Table, *, noted: bool) -> None:
    record = played(table)
    rng = np.random.default_rng(7)
    text, notes = log_text(record, rng), ticket_notes(record, rng)

    read = read_bga(text, tickets=notes if noted else None, game_map=record.map)

    names = NAMES[: record.header.n_players]
    order = [read.header.players.index(name) for name in names]
    assert [read.scores[seat] for seat in order] == list(record.scores)
    assert {names.index(read.header.players[seat]) for seat in read.winners} == set(record.winners)
    seats = [*range(len(order)), "neutral"]
    mapped = {seat: seat if seat == "neutral" else order[seat] for seat in seats}
    last, end = read.states()[-1], record.states()[-1]
    assert last.stations == {city: order[seat] for city, seat in end.stations.items()}
    assert owned(read, mapped) == owned(record, {seat: seat for seat in seats})
    assert read.report is not None
    assert read.report.disagreements.empty
    assert not read.report.unread
    assert GameRecord.loads(read.dumps(), record.map).entries == read.entries
    if noted:
        held = [{ticket and ticket.id.partition("/")[0] for ticket in held} for held in read.states()[-1].tickets]
        assert [held[seat] for seat in order] == [
            {ticket and ticket.id.partition("/")[0] for ticket in held} for held in record.states()[-1].tickets
        ]


@pytest.mark.compiled_only
@pytest.mark.parametrize(
    ("name", "variant"),
    [("usa", "1910"), ("usa", "mega"), ("usa", "big_cities"), ("europe", "extended"), ("europe", "mega"), ("usa", "")],
)
def test_the_expansion_is_found_from_the_log(name: str, variant: str) -> None:
    record = Game(name, 4, variant or None).play([Planner()] * 4, seed=1)
    read = read_bga(log_text(record, np.random.default_rng(1)))

    assert (read.map.name, read.map.rules.variant) == (name, variant)
    assert sorted(read.scores) == sorted(record.scores)
    assert read.report is not None
    assert read.report.disagreements.empty
    assert (f"the variant is {variant}, because " in str(read.report)) == bool(variant)


def test_a_log_that_breaks_off_anywhere_loads() -> None:
    text = usa_log()
    for end in [*range(131, 900, 131), *range(900, len(text), 2_903)]:
        record = read_bga(text[:end])

        report = record.report
        assert report is not None
        assert len(report.unread) <= 2, "a line that is cut, and one that is told only with it"
        assert report.disagreements.query("what not in ('points for tickets', 'bonus')").empty
    assert record.header.players == read_bga(text).header.players


def test_a_figure_that_differs_from_the_record_is_named() -> None:
    wrong = usa_log().replace("Ann longest continuous path is 23 ", "Ann longest continuous path is 22 ")

    assert "1 different from the record\ndifferent: longest trail of Ann: 22 in the log, 23 in the record" in str(
        read_bga(wrong).report
    )


@pytest.mark.parametrize(
    "table", [Table("usa", "", 2), Table("nordic", "", 3), Table("nederland", "neutral", 2)], ids=str
)
def test_a_line_that_is_cut_tells_nothing(table: Table) -> None:
    record = played(table)
    text = log_text(record, np.random.default_rng(7))
    whole = read_bga(text, game_map=record.map).report
    ends = ("takes 1", "train car(s) : ", " with color ", "extra cards over", "lays ", "keeps 2 dest", "destination : ")
    assert whole is not None
    for found in list(re.finditer("|".join(map(re.escape, ends)), text))[9::18]:
        report = read_bga(text[: found.end() + found.start() % 4], game_map=record.map).report

        assert report is not None
        assert report.steps["line"].tolist() == whole.steps["line"].tolist()[: len(report.steps)]


def test_the_order_of_players_without_a_turn_is_unknown() -> None:
    turns = [found.start() for found in re.finditer(r"Move \d+", usa_log())][3:]

    assert "order of" not in str(read_bga(usa_log()).report)
    assert re.search(r"unknown: order of \w+, \w+ and \w+, who", str(read_bga(usa_log()[: turns[0]]).report))


def test_a_station_is_refused_where_it_cannot_be() -> None:
    record = Game("europe").play(["Random", "Greedy"], seed=1)
    text = log_text(record, np.random.default_rng(7))
    first, second = list(re.finditer(r"builds a Train Station on (.+) with", text))[:2]
    for city, reason in (("Wein", "did you mean Wien"), ("Nowhere", "no city"), (first[1], "has a station in")):
        wrong = f"{text[: second.start(1)]}{city}{text[second.end(1) :]}"
        with pytest.raises(RecordError, match=reason):
            read_bga(wrong, game_map=record.map)


def test_lines_of_one_move_come_in_any_order() -> None:
    text = usa_log()
    silent = re.sub(r"You completed .*\n", "", text)
    swapped = re.sub(r"(You take hidden.*\n)(.* hidden.*\n)", r"\2The train car deck has been reshuffled\n\1", text)
    told = re.sub(r"(\w+ keeps.*\n)(\w+ keeps.*\n)", r"\1You completed a new destination : A - B\n" * 2 + r"\2", text)
    stations = re.sub(r"(You completed .*)", r"\1 using station(s) : Atlanta, Dallas", text)

    assert swapped != text != told
    assert read_bga(swapped).entries == read_bga(text).entries
    assert read_bga(told).entries == read_bga(text).entries == read_bga(stations).entries != read_bga(silent).entries


def test_the_claim_of_a_free_tunnel_may_be_a_move_of_its_own() -> None:
    text = log_text(Game("nordic", 3).play(["Planner"] * 3, seed=2), np.random.default_rng(7))
    lines = r"((?:You completed .*\n)+)(.* tries to build a tunnel .*\n0 extra cards .*\n)"
    apart, n = re.subn(lines, r"\2Move 999 :00:00:00\n\1", text)

    assert n == 2
    assert [stamp and stamp.completed for stamp in read_bga(apart).stamps] == [
        stamp and stamp.completed for stamp in read_bga(text).stamps
    ]


def test_maps_are_loaded_once_for_many_logs() -> None:
    log = read_log(log_text(Game("usa", 2).play(["Greedy", "Greedy"], seed=7), np.random.default_rng(7)))
    found = find_map(log)
    assert found is not None
    assert found is find_map(log)


def test_a_turn_ends_after_one_card_where_only_locomotives_lie_face_up() -> None:
    """With an empty pile; a log tells neither."""
    players = [Planner() if (47 + seat) % 3 else Greedy() for seat in range(4)]
    record = Game("usa", 4).play(players, seed=947)

    read = read_bga(log_text(record, np.random.default_rng(7)))

    assert sorted(read.scores) == sorted(record.scores)
    assert "could draw no second card before line" in str(read.report)
    assert GameRecord.loads(read.dumps()).entries == read.entries
    state = next(state for state in record.states() if state.phase == Phase.SECOND_DRAW)
    assert not Game("usa", 4).is_legal(state, actions.Pass()), "where the market is known"


def test_points_tell_the_track_of_a_tunnel_paid_with_locomotives() -> None:
    claim = "Bo gains {} point(s) by claiming route from Mo i Rana to Trondheim with {} train car(s) : {}"
    for number, points, length in ((0, 10, 5), (1, 15, 6)):
        log = read_log(claim.format(points, length, ",".join("0" * length)), "")

        assert [route.id for route in tracks_of(log, load("nordic")).values()] == [f"Mo i Rana-Trondheim/{number}"]


def test_a_tunnel_paid_with_locomotives_is_not_on_the_track_that_is_tried_later() -> None:
    """Ann takes one of two tracks with a locomotive, which fits both; later Bo tries the purple one."""
    record = played(Table("nordic", "resets", 3), seed=1007)
    read = read_bga(log_text(record, np.random.default_rng(7)), game_map=record.map)

    order = [read.header.players.index(name) for name in NAMES[:3]]
    assert [read.scores[seat] for seat in order] == list(record.scores)
    assert read.states()[-1].owners["Kiruna-Narvik/1"] == order[0]


def test_a_tunnel_that_was_tried_in_vain_is_still_free() -> None:
    """Cleo tries one of two gray tunnels, Ann takes one, and Bo tries what is left."""
    record = played(Table("switzerland", "", 3), seed=1011)
    read = read_bga(log_text(record, np.random.default_rng(11)), game_map=record.map)

    order = [read.header.players.index(name) for name in NAMES[:3]]
    assert [read.scores[seat] for seat in order] == list(record.scores)


def test_a_refusal_calls_players_by_name() -> None:
    claims = re.findall(r"(\w+) gains .* claiming route (from (.*) to (.*)) with .*", usa_log())
    owner, route = next(claim[:2] for claim in claims if len(load("usa").routes_between(*claim[2:])) == 1)
    lines = usa_log().splitlines()
    at = next(i for i in range(len(lines) - 1, 0, -1) if " gains " in lines[i] and "route" in lines[i])
    lines[at] = f"{lines[at].partition(' ')[0]} tries to build a tunnel {route} with color 3"
    told = "1 extra cards over the 3 train car cards revealed from the deck are needed to claim the route"
    lines.insert(at + 1, told)

    with pytest.raises(RecordError, match=rf"is taken by {owner}, got"):
        read_bga("\n".join(lines))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        pytest.param("gains 1 point", "gains 2 point", "spaces and 1 points, got 1 cars and 2 points", id="points"),
        pytest.param("claiming route from ", "claiming route from New ", "a route on the map USA", id="a city"),
        pytest.param("Bo takes", "You takes", 'expected seat="..."', id="who looks on"),
        pytest.param("End of game", "Ann passes", "the game is over", id="a move too many"),
    ],
)
def test_what_cannot_be_is_refused(old: str, new: str, reason: str) -> None:
    text = usa_log()
    at = text.index(old)
    line = text[:at].count("\n") + 1

    with pytest.raises(RecordError) as info:
        read_bga(text[:at] + new + text[at + len(old) :])

    assert reason in str(info.value)
    assert f"line {line}:" in str(info.value)


def test_the_log_of_one_player_leaves_the_cards_of_others_unknown() -> None:
    record = usa_record()

    read = read_bga(log_text(record, np.random.default_rng(5), seer=1))

    assert Counter(read.scores) == Counter(record.scores)
    assert read.report is not None
    assert "cards drawn" in str(read.report)
    assert read.report.disagreements.empty


def test_lines_of_a_conversation_are_left_out_and_told() -> None:
    lines = usa_log().splitlines()
    lines[40:40] = ["Good luck! <b>have fun</b>", "x" * 5_000, "if nobody passes", "Ann: now Bo takes 3"]

    report = read_bga("\n".join(lines)).report

    assert report is not None
    assert [number for number, _ in report.unread] == [41, 42, 43, 44]
    assert "line 41 not understood: Good luck! have fun" in str(report)


def test_notes_that_do_not_fit_are_left_out_and_told() -> None:
    notes = ticket_notes(usa_record(), np.random.default_rng(5))
    notes["Ann"].insert(0, (["Dallas - New Yrok"], ["Dallas - New York"]))
    notes["Bo"].append((["Boston - Miami"], ["Boston - Miami"]))

    read = read_bga(usa_log(), tickets=notes)

    assert read.report is not None
    assert "noted for Ann but not in the log: keeping Dallas-New York" in str(read.report)
    assert "noted for Bo but not in the log: keeping Boston-Miami" in str(read.report)
    assert not any(ticket is None for held in read.states()[-1].tickets for ticket in held)
    with pytest.raises(RecordError, match="expected a player of the log"):
        read_bga(usa_log(), tickets={"Zoe": []})


def test_a_draw_that_nobody_noted_leaves_the_later_notes_in_place() -> None:
    record = played(Table("usa", "", 2), "curious")
    text = log_text(record, np.random.default_rng(7))
    notes = ticket_notes(record, np.random.default_rng(7))
    lines = [int(n) for n in re.findall(r"Move (\d+) .*\nAnn keeps", text)]
    assert len(notes["Ann"]) == len(lines) > 3
    selections = [
        {"offered": offered, "kept": kept, "moveNumber": move}
        for (offered, kept), move in zip(notes["Ann"], lines, strict=True)
    ]
    del selections[1]

    read = read_bga(text, tickets={"players": [{"playerName": "Ann", "destinationSelections": selections}]})

    assert read.report is not None
    assert "noted for" not in str(read.report)


def test_an_opening_that_was_noted_twice_is_left_out() -> None:
    notes = ticket_notes(usa_record(), np.random.default_rng(5))
    notes["Bo"][0] = notes["Ann"][0]

    read = read_bga(usa_log(), tickets=notes)

    assert read.report is not None
    assert "but not in the log" in str(read.report)
    assert "unknown: tickets kept" not in str(read.report), "they are shown at the end"


def test_what_only_the_record_shows_to_be_impossible_names_the_line_of_the_log() -> None:
    record = played(Table("nederland", "", 3))
    rng = np.random.default_rng(7)
    text, notes = log_text(record, rng)[:2_000], ticket_notes(record, rng)
    offered = notes["Ann"][0][0]
    notes["Bo"][0] = (offered, offered[: len(notes["Bo"][0][1])])

    with pytest.raises(RecordError, match=r"log, line \d+: rejected tickets are face up"):
        read_bga(text, tickets=notes, game_map=record.map)


@pytest.mark.parametrize(
    "notes",
    [
        {"Ann": 3},
        {"Ann": [1]},
        {"Ann": [(["Dallas - New York"],)]},
        {"Ann": [([1], [2])]},
        {"Ann": [("Dallas - New York", "Dallas - New York")]},
        {3: []},
        {"players": [{"playerName": 3, "destinationSelections": []}]},
        {"players": [{"playerName": "Ann", "destinationSelections": [{"offered": 3, "kept": 4}]}]},
        "Ann",
    ],
    ids=str,
)
def test_notes_of_another_form_are_refused(notes: TicketNotes) -> None:
    with pytest.raises(RecordError, match="tickets: expected"):
        read_bga(usa_log(), tickets=notes)


@pytest.mark.parametrize(
    ("notes", "expected"),
    [
        ({"Ann": [(["Dallas - New York"], ["Dallas - New York"])] * 101}, "at most 100 offers for Ann, got 101"),
        ({"Ann": [([f"Dalas - New York {n}" for n in range(501)], [])]}, "at most 500 names of tickets, got 501"),
    ],
    ids=["offers", "names"],
)
def test_more_notes_than_a_game_can_have_are_refused_at_once(notes: TicketNotes, expected: str) -> None:
    with pytest.raises(RecordError, match=f"tickets: expected {expected}"):
        read_bga(usa_log(), tickets=notes)


def test_a_name_with_many_hyphens_is_refused_at_once() -> None:
    text = usa_log()
    start = time.process_time()
    for name in (" - land" * 2_000, "a-" * 9_000):
        with pytest.raises(RecordError, match="expected a ticket for the map USA"):
            read_bga(text, tickets={"Ann": [([name], [name])]})
    assert time.process_time() - start < 1


def test_names_may_hold_anything_and_what_cannot_be_printed_is_left_out() -> None:
    names = {"Ann": "Ann takes 3", "Bo": "Ann", "Cleo": "\u200bto with : 1,2"}
    text = re.sub("Ann|Bo|Cleo", lambda name: names[name[0]], usa_log())

    read = read_bga("\ufeff" + text)

    assert set(read.header.players) == {"Ann takes 3", "Ann", "to with : 1,2"}
    assert Counter(read.scores) == Counter(usa_record().scores)
