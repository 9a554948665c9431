"""Entering a game from the table: lines checked as they are typed, clicks, undo, files; and the widget's messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.engine.records import TABLES, Table, played
from tests.fixtures import EVERY_MAP, load
from tests.widgets.faults import FAULT, fail
from ttr_analysis import Game, GameError, GameMap, GameRecord, RecordError
from ttr_analysis.notation import NotationError, record_lines
from ttr_analysis.widgets.recorder import GameRecorder, PieceKind, Recording

MARKET = "market blue, yellow, green, white, white"
SET_UP = ("hand 4", "hand 4", MARKET, "tickets 5", "tickets 5", "keep 2", "keep 3")


@pytest.fixture
def pad(nordic: GameMap) -> Recording:
    """Return a game in which P0 is to move and P1 keeps the record."""
    pad = Recording(nordic, players=("Ida", "Bo"), seat=1)
    for line in SET_UP:
        pad.enter(line)
    return pad


@pytest.fixture
def recorder(nordic: GameMap) -> GameRecorder:
    """Return a recorder without a line."""
    return GameRecorder(nordic)


# -- whole games --------------------------------------------------------------------


@pytest.mark.compiled_only
@pytest.mark.parametrize(
    "table", [Table("nordic", "", 3), Table("nederland", "neutral", 2), Table("invented", "", 2)], ids=str
)
def test_a_watched_game_is_entered(table: Table, tmp_path: Path) -> None:
    record = played(table).watched_from(1)
    path = tmp_path / "game.jsonl"
    pad = Recording(record.map, table.n_players, seat=1, path=path)
    lines = record_lines(record)
    for line in lines:
        assert pad.check(line).is_ready
        pad.enter(line)
    assert pad.session.record.entries == record.entries
    assert GameRecord.load(path, record.map) == pad.session.record
    assert [seat["points"] for seat in pad.frame()["moment"]["seats"]] == list(record.scores)


def test_a_file_is_continued_wherever_it_ends(tmp_path: Path) -> None:
    record = played(TABLES[0]).watched_from(0)
    path = tmp_path / "game.jsonl"
    for line in record_lines(record)[:40]:
        pad = Recording(record.map, seat=0, path=path)
        pad.enter(line)
        json.dumps(pad.frame())
    again = Recording(record.map, path=path)
    assert again.session.record.entries == record.entries[: len(again.session.record.entries)]
    assert again.game == Game(record.map)


# -- files ----------------------------------------------------------------------------


def test_a_file_of_another_game_is_refused(nordic: GameMap, tmp_path: Path, nederland: GameMap) -> None:
    path = tmp_path / "game.jsonl"
    played(Table("nederland", "no_tolls", 2)).save(path)
    with pytest.raises(RecordError):
        Recording(nordic, path=path)
    with pytest.raises(GameError, match="has 2 players, not 3"):
        Recording(nederland, 3, path=path)
    with pytest.raises(GameError, match=r"the variant of game\.jsonl is no_tolls, not neutral"):
        Recording(nederland, variant="neutral", path=path)
    assert Recording(nederland, path=path).game.game_map.rules.variant == "no_tolls"
    with pytest.raises(GameError, match=r"game\.jsonl has no player names, not Ida, Bo"):
        Recording(nederland, players=("Ida", "Bo"), path=path)


def test_a_file_is_continued_by_its_players(nordic: GameMap, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    Recording(nordic, players=("Ida", "Bo", "Cy"), path=path).enter("Ida: hand 4")
    assert Recording(nordic, path=path).names == ("Ida", "Bo", "Cy")
    assert Recording(nordic, players=["Ida", "Bo", "Cy"], path=path).session.lines == ("Ida: hand 4",)
    for others in (("Bo", "Ida", "Cy"), ("Ida", "Bo")):
        with pytest.raises(GameError, match=rf"game\.jsonl has the players Ida, Bo, Cy, not {', '.join(others)}"):
            Recording(nordic, players=others, path=path)


def test_a_file_that_cannot_be_written_loses_no_line(nordic: GameMap, tmp_path: Path) -> None:
    recorder = GameRecorder(nordic, path=tmp_path / "no such folder" / "game.jsonl")
    for what, done, lines in (("enter", "entered", ("P0: hand 4",)), ("undo", "taken back", ())):
        recorder._handle({"do": what, "n": 1, "text": "hand 4"})
        assert recorder.answer["said"].startswith(f"The line was {done}, but the file cannot be written: ")
        assert recorder.answer["failed"]
        assert recorder.lines == lines


@pytest.mark.parametrize("seat", [2, -1, "0"])
def test_seats_are_checked(nordic: GameMap, seat: int) -> None:
    with pytest.raises(GameError, match="expected a seat from 0 to 1"):
        Recording(nordic, seat=seat)


# -- as one types -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "choice"),
    [
        ("", "Ida: draw ?, ?"),
        ("d", "draw "),
        ("take ", "take green"),
        ("take bl", "take blue"),
        ("take yellow", "take yellow -> blue"),
        ("Bergen-O", "Bergen-Oslo"),
        ("oslo-b", "Oslo-Bergen"),
        ("Göteborg-Oslo", "Göteborg-Oslo orange 2"),
        ("Bergen-Oslo/1 red 4", "Bergen-Oslo/1 red 4 reveals blue"),
        ("Bergen-Oslo/1 red 4 reveals blue", "Bergen-Oslo/1 red 4 reveals blue, red"),
        ("tickets 3; keep", "tickets 3; keep all"),
        ("draw ?", "draw ?; take "),
        ("draw", "draw red"),
        ("draw ", "draw ?"),
    ],
)
def test_what_may_come_next_is_offered(pad: Recording, typed: str, choice: str) -> None:
    offered = [offer.text for offer in pad.check(typed).choices]
    assert choice in offered


def test_the_first_choice_leads_through_a_whole_set_up(nordic: GameMap) -> None:
    pad = Recording(nordic, seat=0, players=("Ida", "Bo"))
    for _ in range(200):
        if len(pad.session.lines) == len(SET_UP):
            break
        text = ""
        while not pad.check(text).is_ready:
            text = pad.check(text).choices[0].text
        pad.enter(text)
    assert pad.session.lines[1] == "Bo: hand 4"
    assert pad.frame()["moment"]["turn"] == "is to move"


@pytest.mark.compiled_only
@pytest.mark.parametrize("name", EVERY_MAP)
def test_choices_lead_from_line_to_line(name: str) -> None:
    pad = Recording(load(name))
    for turn in range(16):
        text, before = "", set[str]()
        while not (check := pad.check(text)).is_ready and check.choices and text not in before:
            before.add(text)
            text = check.choices[turn % len(check.choices)].text
        if check.is_ready:
            pad.enter(text)
    assert len(pad.session.lines) > 12


def test_slips_are_answered_with_what_looks_like_them(pad: Recording) -> None:
    assert pad.check("Bergen-Olso").choices[0].text == "Bergen-Oslo"
    assert pad.check("take gren").choices[0].text == "take green"


def test_what_a_line_tells_is_said_before_it_is_entered(pad: Recording) -> None:
    check = pad.check("take green -> red")
    assert check.is_ready
    assert check.meaning == "Ida: take the card in market slot 2; red goes to market slot 2"
    assert len(pad.session.lines) == len(SET_UP)


def test_a_line_holds_a_claim_of_a_tunnel_with_all_that_follows(pad: Recording) -> None:
    line = "Bergen-Oslo red 2, locomotive 2 reveals blue, red, green; declines"
    meaning = pad.check(line).meaning
    assert "(red, 4) with 2 red, 2 locomotives; the tunnel shows blue, red and green; Ida: " in meaning, meaning
    assert pad.enter(line) == f"Ida: {line}"


def test_an_illegal_line_says_why(pad: Recording) -> None:
    check = pad.check("pass")
    assert (check.problem, check.at) == ("Ida can do something else, so it may not pass", 0)
    with pytest.raises(NotationError, match="so it may not pass"):
        pad.enter("pass")
    assert len(pad.session.lines) == len(SET_UP)


# -- clicks -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind", "value", "after"),
    [
        ("", "route", "Göteborg-Oslo/0", "Göteborg-Oslo"),
        ("", "route", "Bergen-Oslo/1", "Bergen-Oslo/1"),
        ("Göteborg-Oslo", "route", "Bergen-Oslo/1", "Bergen-Oslo/1"),
        ("nonsense", "market", "2", "take green"),
        ("", "market", "4", "take white/4"),
        ("draw red", "market", "2", "draw red; take green"),
        ("P0:", "market", "2", "P0: take green"),
        ("", "pile", "", "draw"),
        ("draw", "card", "red", "draw red"),
        ("draw", "pile", "", "draw; draw"),
        ("draw red", "card", "?", "draw red, ?"),
        ("draw red, red", "card", "red", "draw red, red, red"),
        ("take green", "card", "red", "take green -> red"),
        ("Bergen-Oslo/1", "card", "red", "Bergen-Oslo/1 red"),
        ("Bergen-Oslo/1 red", "card", "red", "Bergen-Oslo/1 red, red"),
        ("", "tickets", "", "tickets"),
        ("", "route", "no such route", ""),
        ("", "market", "99", ""),
        ("", "market", "x", ""),
    ],
)
def test_clicks_write_a_line(pad: Recording, text: str, kind: PieceKind, value: str, after: str) -> None:
    assert pad.pick(text, kind, value) == after


@pytest.fixture
def far_pad() -> Recording:
    """Return a game on Europe in which P0 is to move."""
    pad = Recording(load("europe"), players=("Ida", "Bo"))
    for line in ("hand red 3, blue", "hand 4", MARKET, "tickets 4", "tickets 4", "keep 2", "keep 2"):
        pad.enter(line)
    return pad


def test_a_station_is_typed_or_clicked(far_pad: Recording) -> None:
    assert "station " in [choice.text for choice in far_pad.check("").choices]
    assert "station Wien" in [choice.text for choice in far_pad.check("station Wi").choices]
    assert far_pad.pick("", "city", "Wien") == "station Wien"
    assert far_pad.pick("Ida:", "city", "Wien") == "Ida: station Wien"
    assert far_pad.pick("station Wien", "card", "red") == "station Wien red"
    assert far_pad.pick("", "city", "no such city") == ""
    check = far_pad.check("station Wien")
    assert check.problem == "expected the cards for a station in Wien, got the end"
    assert [choice.text for choice in check.choices][:2] == ["station Wien blue 1", "station Wien red 1"]
    check = far_pad.check("station Wien red 2")
    assert check.problem == "station 1 of Ida: it takes exactly 1 card, got 2"
    assert far_pad.check("station Wien red").meaning == "Ida: build a station in Wien with 1 red"
    far_pad.enter("station Wien red")
    moment = far_pad.frame()["moment"]
    assert moment["stations"] == {"Wien": 0}
    assert (moment["seats"][0]["stations"], moment["seats"][0]["built"]) == (2, ["Wien"])
    assert far_pad.check("station Wien blue").problem == "Ida has a station in Wien"


# -- the widget -------------------------------------------------------------------------


def test_the_widget_answers_messages(nordic: GameMap) -> None:
    recorder = GameRecorder(nordic, players=("Ida", "Bo"))
    recorder._handle({"do": "check", "n": 1, "text": "hand b"})
    assert (recorder.answer["n"], recorder.answer["ready"]) == (1, False)
    assert ["hand blue", "blue", "blue"] in recorder.answer["choices"]
    recorder._handle({"do": "enter", "n": 2, "text": "hand r"})
    assert recorder.answer["text"] == "hand r"
    assert recorder.lines == ()
    recorder._handle({"do": "enter", "n": 3, "text": "hand red 4"})
    assert recorder.answer["said"] == "Entered Ida: hand red, red, red, red"
    assert recorder.now["lines"] == ["Ida: hand red, red, red, red"]
    recorder._handle({"do": "pick", "n": 4, "text": "", "kind": "pile", "value": ""})
    assert recorder.answer["text"] == "draw"
    recorder._handle({"do": "undo", "n": 5})
    assert recorder.now["lines"] == []
    recorder._handle({"do": "undo", "n": 6})
    assert recorder.answer["said"] == "there is no line to take back"
    json.dumps([recorder.facts, recorder.now, recorder.answer])


def test_pasted_lines_are_entered_up_to_the_first_wrong_one(recorder: GameRecorder) -> None:
    recorder._handle({"do": "enter", "n": 1, "text": "\nhand 4\nhand 4\n\nmarket red, rad\nP0: tickets 5\n"})
    assert recorder.lines == ("P0: hand 4", "P1: hand 4")
    assert recorder.answer["text"] == "market red, rad"
    assert recorder.now["lines"] == list(recorder.lines)


def test_comments_are_left_out(nordic: GameMap) -> None:
    recorder = GameRecorder(nordic, 2)
    assert recorder.enter("# Friday, at our table") == ""
    assert recorder.lines == ()
    recorder._handle({"do": "check", "n": 1, "text": "# Friday"})
    assert (recorder.answer["meaning"], recorder.answer["ready"]) == ("a comment, which is ignored", True)
    recorder._handle({"do": "enter", "n": 2, "text": "# Friday"})
    assert (recorder.answer["said"], recorder.answer["text"], recorder.lines) == ("Comment ignored", "", ())
    recorder._handle({"do": "enter", "n": 3, "text": "# Friday\nhand 4\n\n  # and Bo\nhand 4"})
    assert len(recorder.lines) == 2


@pytest.mark.parametrize(
    "message",
    [
        None,
        7,
        [],
        {},
        {"do": "enter"},
        {"do": "enter", "n": 1, "text": 5},
        {"do": "enter", "n": "1", "text": "hand 4"},
        {"do": "pick", "n": 1, "text": "", "kind": "window", "value": ""},
        {"do": "eval", "n": 1, "text": "hand 4"},
    ],
)
def test_wrong_messages_change_nothing(recorder: GameRecorder, message: object) -> None:
    before = recorder.now, recorder.answer
    recorder._handle(message)
    assert (recorder.now, recorder.answer) == before


def test_the_browser_sets_nothing(recorder: GameRecorder) -> None:
    recorder.set_state({"now": {"lines": ["P0: hand red 4"]}, "facts": {}})
    assert recorder.now["lines"] == []
    assert recorder.facts["title"] == "Nordic Countries"


def test_a_line_of_any_length_is_answered(recorder: GameRecorder) -> None:
    recorder._handle({"do": "check", "n": 1, "text": "hand " + "red " * 100_000})
    assert not recorder.answer["ready"]
    assert len(json.dumps(recorder.answer)) < 30_000


def test_a_line_that_is_too_long_is_refused_whole(recorder: GameRecorder) -> None:
    line = f"hand 4{' ' * 5_000}red"
    with pytest.raises(NotationError, match="expected a line of at most 5000 characters, got 5009"):
        recorder.enter(line)
    recorder._handle({"do": "enter", "n": 1, "text": line})
    assert recorder.lines == ()
    assert recorder.answer["problem"] == "expected a line of at most 5000 characters, got 5009"


# -- advice -----------------------------------------------------------------------------


KNOWN = (
    "hand red 4",
    "hand 4",
    MARKET,
    "tickets Bergen-Narvik, Aalborg-Umeå, Oslo-Stavanger, Helsinki-Kirkenes, Göteborg-Oulu",
    "tickets 5",
    "keep Bergen-Narvik, Oslo-Stavanger",
    "keep 3",
)


@pytest.mark.compiled_only
def test_the_seat_to_move_is_advised(nordic: GameMap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ttr_analysis.widgets.recorder._ADVICE_SECONDS", 0.05)
    recorder = GameRecorder(nordic, players=("Ida", "Bo"), seat=0)
    for line in KNOWN:
        recorder.enter(line)
    shown: list[str] = []
    recorder.observe(lambda change: shown.append(change["new"]), "busy")

    recorder._on_message(recorder, {"do": "advise"}, [])
    assert shown == ["Computing advice", ""]
    assert recorder.advised["words"].startswith("Best for Ida: ")
    assert "% to win" in recorder.advised["words"]
    assert recorder.advise(0.05).view.seat == 0

    recorder.enter("draw blue, green")
    assert recorder.advised["words"] == "", "it was about another moment"
    recorder._on_message(recorder, {"do": "advise"}, [])
    assert recorder.advised["words"] == "No advice: some cards or tickets of Bo, who is to move, are unknown"


@pytest.mark.compiled_only
def test_there_is_no_advice_where_nobody_moves(recorder: GameRecorder) -> None:
    recorder._on_message(recorder, {"do": "advise"}, [])
    assert recorder.advised["words"] == "No advice: the setup is not complete"
    record = played(TABLES[0])
    for line in record_lines(record):
        recorder = GameRecorder(record.map, record.header.n_players) if not recorder.lines else recorder
        recorder.enter(line)
    with pytest.raises(GameError, match="the game is over"):
        recorder.advise()


def test_the_page_is_told_of_a_fault_in_advice(recorder: GameRecorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Recording, "check_known", fail)
    with pytest.raises(IndexError):
        recorder._on_message(recorder, {"do": "advise"}, [])
    assert recorder.busy == ""
    assert recorder.advised["words"].endswith(FAULT)


# -- faults of this package -------------------------------------------------------------


def test_no_number_of_cards_is_a_fault_of_the_program(nordic: GameMap) -> None:
    pad = Recording(nordic, seat=1)
    for line in (*SET_UP, ""):
        for text in ("draw red 0", "draw 0 red", "draw ? 0", "hand red 0", "market red 0", "pay red 0", "take red/0"):
            assert not pad.check(text).is_ready
        if line:
            pad.enter(line)
    check = pad.check("draw red 0")
    assert (check.problem, check.at) == ("expected at least one card to draw", 5)


@pytest.mark.parametrize("message", [{"do": "check", "n": 7, "text": "dr"}, {"do": "enter", "n": 7, "text": "dr"}])
def test_the_page_is_told_of_a_fault_in_python(
    recorder: GameRecorder, message: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(Recording, "check", fail)
        broken.setattr(Recording, "enter", fail)
        with pytest.raises(IndexError):
            recorder._on_message(recorder, message, [])
    answer = recorder.answer
    assert (answer["n"], answer["text"], answer["failed"], answer["ready"]) == (7, "dr", True, False)
    assert answer["said"].endswith(FAULT)
    recorder._on_message(recorder, {"do": "check", "n": 8, "text": "hand 4"}, [])
    assert recorder.answer["ready"]
