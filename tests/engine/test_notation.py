"""Games as lines of text: both ways for every move, errors that say where, and a whole game from a table."""

from __future__ import annotations

import pickle
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.engine.goldens import golden_paths, golden_record
from tests.engine.positions import changed
from tests.engine.records import EACH_VARIANT, TABLES, Table, played
from tests.engine.walks import on_each_walk, some_states
from tests.fixtures import load, renamed
from ttr_analysis import Game, GameError, GameMap, GameRecord
from ttr_analysis.engine.actions import ClaimRoute, DrawFaceUp, KeepTickets
from ttr_analysis.notation import NotationError, move_text, read_game, read_move, record_lines
from ttr_analysis.notation.lexer import Lexer, Names, fold_text
from ttr_analysis.notation.session import Session
from ttr_analysis.policies import Greedy

GOLDENS = golden_paths()


def game_of(record: GameRecord) -> Game:
    """Return the game that a record is of."""
    return Game(record.map, record.header.n_players)


# -- both ways ------------------------------------------------------------------


@pytest.mark.parametrize("path", GOLDENS[::6], ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_golden_games_are_told_and_read(path: Path) -> None:
    record = golden_record(path)
    assert read_game(record_lines(record), game_of(record)).entries == record.entries


@pytest.mark.compiled_only
@pytest.mark.parametrize("path", GOLDENS[1::9], ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_watched_games_are_told_and_read(path: Path) -> None:
    record = golden_record(path).watched_from(GOLDENS.index(path) % 2)
    assert read_game(record_lines(record), game_of(record)).entries == record.entries


@pytest.mark.compiled_only
@pytest.mark.parametrize("table", EACH_VARIANT, ids=str)
def test_random_games_are_told_and_read(table: Table) -> None:
    record = played(table, "hoarding" if table.n_players % 2 else "even")
    assert read_game(record_lines(record), game_of(record)).entries == record.entries


@pytest.mark.compiled_only
@on_each_walk
def test_every_legal_move_is_told_and_read(name: str, variant: str | None) -> None:
    game, states = some_states(name, variant)
    for state in states[::4]:
        for action in game.legal_actions(state):
            back = read_move(move_text(action, game, state), game, state)
            if isinstance(action, DrawFaceUp) and isinstance(back, DrawFaceUp):
                assert back.slot == action.slot
            elif isinstance(action, ClaimRoute) and isinstance(back, ClaimRoute):
                assert back.payment.cards == action.payment.cards
                assert replace(back.route, id="", track=0) == replace(action.route, id="", track=0)
            elif isinstance(action, KeepTickets) and isinstance(back, KeepTickets):
                assert set(back.tickets) == set(action.tickets)
            else:
                assert back == action


# -- a game from a table ----------------------------------------------------------


def sloppy(line: str) -> str:
    """Return a line as somebody writes it who is in a hurry."""
    plain = unicodedata.normalize("NFD", line.lower())
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    for whole, short in (("locomotive", "loc"), ("purple", "p"), (" white", "  w"), ("->", " ->  "), ("ø", "o")):
        plain = plain.replace(whole, short)
    return plain.replace("-", "\N{EN DASH}").replace("\N{EN DASH}>", "->").removeprefix("p0: ")


def test_a_whole_game_with_unknown_hands_is_read_from_hurried_lines() -> None:
    record = played(Table("nordic", "", 2)).watched_from(0)
    lines = [sloppy(line) for line in record_lines(record)]
    told = read_game(["# a game at our table", "", *lines], game_of(record))
    assert told.entries == record.entries
    assert told.scores == record.scores


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("oslo-bergen 4 red", "Ida: Bergen-Oslo red 4 reveals"),
        ("claim OSLO \N{EN DASH} bergen red 4", "Ida: Bergen-Oslo red 4 reveals"),
        ("tunnel Bergen-Oslo/1 red 4", "Ida: Bergen-Oslo red 4 reveals"),
        ("Bergen-Oslo red 3 + loc", "Ida: Bergen-Oslo red 3, locomotive 1 reveals"),
        ("Bergen-Oslo red red red locomotives", "Ida: Bergen-Oslo red 3, locomotive 1 reveals"),
    ],
)
def test_a_claim_may_be_written_in_several_ways(typed: str, canonical: str) -> None:
    transcript = begun("red 9, locomotive 2")
    line = transcript.read(f"{typed} reveals blue blue blue").line
    assert line.startswith(canonical)


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("draw ?, red", "Ida: draw ?, red"),
        ("draws p 2", "Ida: draw purple, purple"),
        ("draw 2", "Ida: draw ?, ?"),
        ("ida: draw", "Ida: draw ?"),
        ("draw; draw", "Ida: draw ?, ?"),
        ("draw 1; take yellow -> red", "Ida: draw ?; take yellow -> red"),
        ("draw take yellow -> red", "Ida: draw ?; take yellow -> red"),
        ("take yellow -> red; draw", "Ida: take yellow -> red; draw ?"),
        ("draw ?2", "Ida: draw ?, ?"),
        ("draw 2 red", "Ida: draw red, red"),
        ("take yellow -> red; draw ?", "Ida: take yellow -> red; draw ?"),
        ("ida: take white/4 -> red", "Ida: take white/4 -> red"),
        ("take white/3 -> red", "Ida: take white -> red"),
        ("draw tickets 3; keep 2", "Ida: tickets 3; keep 2"),
        ("P0: tickets 3 keep 2", "Ida: tickets 3; keep 2"),
        (
            "tunnel Bergen-Oslo red 4 reveals blue red white pays red 1",
            "Ida: Bergen-Oslo red 4 reveals blue, red, white; pays red 1",
        ),
        ("Bergen-Oslo red 4 reveals blue 2 red declines", "Ida: Bergen-Oslo red 4 reveals blue, blue, red; declines"),
        ("take yellow -> red draw ?", "Ida: take yellow -> red; draw ?"),
        ("tickets ?, oslo-vaasa, ?; keep vaasa - oslo", "Ida: tickets ?, Oslo-Vaasa, ?; keep Oslo-Vaasa"),
        ("Murmansk-Lieksa red 9", "Ida: Lieksa-Murmansk red 9"),
        ("Murmansk-Lieksa red 8, set blue 4", "Ida: Lieksa-Murmansk red 8, sets blue 4"),
        ("Murmansk-Lieksa red 8 blue 4", "Ida: Lieksa-Murmansk red 8, sets blue 4"),
    ],
)
def test_lines_have_one_canonical_form(typed: str, canonical: str) -> None:
    assert begun("red 9, blue 4").read(typed).line == canonical


@pytest.mark.parametrize("draws", [1, 4, 5])
def test_as_many_cards_are_drawn_as_a_turn_has(draws: int) -> None:
    transcript = begun("", changed("nordic", cards={"draws_per_turn": draws}))
    assert transcript.read(f"draw {draws}").line == f"Ida: draw {', '.join('?' * draws)}"
    with pytest.raises(NotationError, match="Ida cannot draw that many cards"):
        transcript.read(f"draw {draws + 1}")


def begun(cards: str, game_map: GameMap | None = None) -> Session:
    """Return a game, on the Nordic map if no other is given, in which P0 was seen to draw some cards."""
    transcript = Session(Game(game_map or load("nordic")), players=["Ida", "Bo"])
    for line in (
        "Ida: hand 4",
        "Bo: hand ?, ?, ?, ?",
        "market blue, yellow, green, white, white",
        "tickets 5",
        "tickets ?, ?, ?, ?, ?",
        "keep 2",
        "keep 3",
    ):
        transcript.write(line)
    kinds = [kind for kind, _ in Lexer(cards).cards()] if cards else []
    for one, other in zip(kinds[::2], [*kinds, "?"][1::2], strict=False):
        transcript.write(f"Ida: draw {one}, {other}")
        transcript.write("Bo: draw 2 ?")
    return transcript


# -- errors -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "at", "reason"),
    [
        ("", 0, "expected draw, take, tickets or a route, got the end"),
        ("bergn-oslo red 4", 0, r"no city 'bergn'; did you mean Bergen"),
        ("oslo-kirkenes red 4", 0, "no route 'Oslo-Kirkenes'; did you mean Oslo-Aalborg"),
        ("hello", 0, "got hello"),
        ("P1: draw ?, ?", 0, "Ida acts now, not Bo"),
        ("P7: draw ?, ?", 0, "there is no P7 among the 2 players"),
        ("P1 draws", 0, "expected draw, .*, got P1 draws"),
        ("draw bleu", 5, r"expected a card or \?, got bleu; did you mean blue\?"),
        ("draw bl, ?", 5, "expected blue or black, got bl"),
        ("draw ?, ?, ?", 11, "Ida cannot draw that many cards"),
        ("draw ?, ?; draw ?", 11, "Bo acts now, not Ida"),
        ("draw 3", 5, "Ida cannot draw that many cards"),
        ("draw 0", 5, "expected at least one card to draw"),
        ("draw 999999999", 5, "Ida cannot draw that many cards"),
        ("draw 2, red", 6, r"expected a card or \?, got , red"),
        ("take red -> blue", 5, "no red card: the market shows blue, yellow, green, white, white"),
        ("take blue", 9, "expected -> ... .a card for market slot 0 comes next"),
        ("take blue -> red, red", 18, "too many outcomes: 1 belongs here"),
        ("Bergen-Oslo", 11, r"expected the cards for Bergen-Oslo \(blue, 4\), got the end"),
        ("Bergen-Oslo red 3", 12, r"Bergen-Oslo \(red, 4\): it takes exactly 4 cards, got 3"),
        ("Bergen-Oslo/2 red 4", 14, "expected Bergen-Oslo/0 or Bergen-Oslo/1"),
        ("Bergen-Oslo red 4", 17, "expected reveals ... .a card turned over for the tunnel comes next"),
        ("Bergen-Oslo red 4 reveals red", 29, "one more is needed: a card turned over"),
        ("Bergen-Oslo red 4 reveals red 3; pays red 2", 38, "the tunnel requires a surcharge of 3 cards"),
        ("Murmansk-Lieksa red 8, sets blue 3", 16, "11 cards are not 9 plus complete sets"),
        ("Murmansk-Lieksa red 7, blue 1, sets black 1", 16, "cards outside sets must be of one color"),
        ("tickets 2", 9, "one more is needed: a ticket offered to Ida"),
        ("tickets Oslo-Vasa, 2", 8, "expected a ticket or .*, got Oslo-Vasa, 2; did you mean Oslo-Vaasa"),
        ("tickets 3; keep 0", 17, "Ida must keep at least 1 ticket, got 0"),
        ("tickets 3; keep Oslo-Vaasa", 16, r"Oslo to Vaasa 9 is not offered; offered: \?"),
        ("keep 2", 0, "Ida must take its turn now; it cannot keep tickets"),
        ("pays red 1", 0, "it cannot pay for a tunnel"),
        ("neutral takes Bergen-Oslo", 0, "it cannot choose a track for the neutral player"),
        ("pass", 0, "Ida can do something else"),
        ("draw ? nonsense", 7, "expected the end of the line, got nonsense"),
        ("shows Oslo-Vaasa", 6, "tickets are shown only when the game is over"),
        ("draw 999999999999 red", 5, "Ida cannot draw that many cards"),
        ("draw \N{ARABIC LETTER ALEF}" * 50, 5, "expected a card or"),
    ],
)
def test_errors_say_where_and_what_was_expected(typed: str, at: int, reason: str) -> None:
    transcript = begun("red 9")
    with pytest.raises(NotationError, match=reason) as caught:
        transcript.read(typed)
    assert caught.value.at == at
    assert str(caught.value).startswith(f"character {at + 1}: ")
    assert len(str(caught.value)) < 400
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)  # noqa: S301 - made here


def test_a_line_of_a_whole_game_is_refused_with_its_number() -> None:
    with pytest.raises(GameError, match="line 3, character 10: expected blue or black, got bl"):
        read_game(["# our game", "P0: hand 4", "P1: hand bl"], Game(load("nordic")))


def test_a_game_is_read_from_one_text() -> None:
    text = "# our game\nP0: hand 4\r\n\nP1: hand 4\n"
    assert read_game(text, Game(load("nordic"))) == read_game(text.splitlines(), Game(load("nordic")))
    with pytest.raises(GameError, match="line 4, character 10: expected blue or black"):
        read_game(text.replace("P1: hand 4", "P1: hand bl"), Game(load("nordic")))


@pytest.mark.parametrize("read", [read_game, read_move])
def test_a_map_is_no_game(read: Callable[..., object]) -> None:
    with pytest.raises(TypeError, match=r"expected a Game, such as ttr.Game\(.*got 'nordic'"):
        read("draw 2", "nordic", *([None] if read is read_move else []))


def test_what_unknown_cards_make_impossible_is_refused() -> None:
    transcript = begun("locomotive 8")
    transcript.write("draw locomotive, locomotive")
    transcript.write("draw ?, ?")
    transcript.write("draw locomotive, locomotive")
    transcript.write("draw ?, ?")
    transcript.write("draw locomotive, locomotive")
    transcript.write("draw ?, ?")
    with pytest.raises(NotationError, match="the draw pile has no locomotive card"):
        transcript.write("draw locomotive, ?")


@pytest.mark.parametrize(("typed", "choice"), [("bergen-o", "Bergen-Oslo"), ("dr", "draw "), ("take ", "green")])
def test_errors_list_what_may_stand_there(typed: str, choice: str) -> None:
    with pytest.raises(NotationError) as caught:
        begun("red 9").read(typed)
    assert choice in caught.value.choices


def test_payments_are_among_the_choices() -> None:
    with pytest.raises(NotationError) as caught:
        begun("red 9").read("Bergen-Oslo")
    assert "red 4" in caught.value.choices


# -- transcripts --------------------------------------------------------------------


@pytest.mark.parametrize("table", [TABLES[0], TABLES[-1]], ids=str)
def test_a_transcript_goes_on_from_a_record_and_back(table: Table) -> None:
    record = played(table)
    transcript = Session.of(record)
    lines = transcript.lines
    assert transcript.record == record
    while transcript.lines:
        transcript.undo()
    assert transcript.state is None
    with pytest.raises(GameError, match="there is no line to take back"):
        transcript.undo()
    for line in lines:
        transcript.write(line)
    assert transcript.record.entries == record.entries
    assert transcript.lines == lines


def test_undo_gives_the_state_before() -> None:
    transcript = begun("red 3")
    before = transcript.state
    assert transcript.write("draw red, ?").line == transcript.undo()
    assert transcript.state == before
    assert GameRecord.loads(transcript.record.dumps()) == transcript.record


def test_lines_of_named_players_are_read_back() -> None:
    record = played(TABLES[0])
    record = replace(record, header=replace(record.header, players=("Zoë", "Bo: 2")[: record.header.n_players]))
    transcript = Session.of(record)
    assert {line.split(": ")[0] for line in transcript.lines if ": " in line} == {"Zoë", "Bo"}
    assert read_game(transcript.lines, game_of(record), players=record.header.players).entries == record.entries


@pytest.mark.parametrize(
    ("names", "heads"),
    [
        (("Ida", "Bo"), ["Ida: ", "Bo: "]),
        (("P1", "P0"), ["P0: ", "P1: "]),
        (("max", "MAX"), ["P0: ", "P1: "]),
        (("#1", "{x"), ["P0: ", "P1: "]),
        (("...", "-"), ["P0: ", "P1: "]),
        (("draw", "market"), ["draw: ", "market: "]),
    ],
)
def test_a_name_that_is_not_read_back_stands_in_no_line(names: tuple[str, ...], heads: list[str]) -> None:
    transcript = Session(Game(load("nordic")), players=names)
    lines = [transcript.write(line).line for line in ("P0: hand 4", "P1: hand 4")]
    assert lines == [f"{head}hand 4" for head in heads]
    assert read_game(lines, Game(load("nordic")), players=names).entries == transcript.entries


# -- names of strangers ---------------------------------------------------------------


STRANGE = ["draw; take", "a -> b", "red 4, blue", "P1: pass", "<script>", "שלום", "7", "x" * 200, '"', "ẞtraße"]


def test_strange_names_are_told_and_read() -> None:
    nordic = load("nordic")
    names = dict(zip((city.name for city in nordic.cities), STRANGE, strict=False))
    game = Game(renamed(nordic, names))
    record = game.play([Greedy(), Greedy()], seed=3)
    assert read_game(record_lines(record), game).entries == record.entries


def test_the_longest_name_is_found() -> None:
    names = Names([("Bergen-Oslo", 1), ("Bergen-Os", 2), ("Å-Bodø", 3)])
    assert names.longest("bergen oslo red", 0) == (11, 1)
    assert names.longest("bergen oslon red", 0) is None
    assert names.longest(fold_text("a - BODO")[0], 0) == (6, 3)
