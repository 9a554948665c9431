"""Records: whole games saved, loaded, replayed, continued, and watched from one seat."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engine.conformance import UNIFORM, play
from tests.engine.records import (
    EACH_VARIANT,
    TABLES,
    TABLES_AND_MOODS,
    Table,
    cells_by_facade,
    changed,
    played,
    short_text,
    without_stream,
)
from tests.fixtures import INVENTED, load
from tests.oracles.referee import check_record
from tests.oracles.referee.driver import play_at_random
from ttr_analysis import Game, GameError, GameRecord, RecordError
from ttr_analysis.engine.actions import ClaimRoute
from ttr_analysis.engine.events import Chance, Event, TicketsShown
from ttr_analysis.engine.layout import Phase
from ttr_analysis.engine.state import redact
from ttr_analysis.records.file import fingerprint
from ttr_analysis.tables import game_tables

NORDIC = Table("nordic", "", 2)
SMALL = [Table("nordic", "", 2), Table("nederland", "neutral", 2), Table("usa", "", 2), Table("invented", "", 5)]

every_table = pytest.mark.parametrize("table", TABLES, ids=str)
some_tables = pytest.mark.parametrize("table", SMALL, ids=str)
every_table_and_mood = pytest.mark.parametrize(("table", "mood"), TABLES_AND_MOODS, ids=str)


def reloaded(record: GameRecord) -> GameRecord:
    return GameRecord.loads(record.dumps(), record.map)


def short() -> GameRecord:
    return GameRecord.loads(short_text())


# -- round trips ------------------------------------------------------------------


@every_table_and_mood
def test_a_game_is_the_same_when_its_text_is_read_again(table: Table, mood: str) -> None:
    record = played(table, mood)

    again = reloaded(record)

    assert again == record
    assert again.events == record.events
    assert again.dumps() == record.dumps()
    assert again.is_complete
    assert (again.scores, again.winners) == (record.scores, record.winners)
    # What play knows of its record is what following it finds.
    assert again._timeline.steps == record._timeline.steps
    assert list(again.states()) == list(record.states())


@some_tables
def test_the_replay_goes_through_the_states_of_the_game(table: Table) -> None:
    record = played(table)

    replayed = [without_stream(state) for state in record.states()]

    np.testing.assert_array_equal(record.timeline().vectors(), [state.packed.cells for state in record.states()])
    assert len(replayed) == len(record.steps) == 1 + len(record.moves)
    for ours, theirs in zip(replayed, cells_by_facade(record), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("table", EACH_VARIANT, ids=str)
def test_a_game_that_the_referee_played_is_a_record(table: Table) -> None:
    game_map = table.game_map
    events = play_at_random(game_map, table.n_players, np.random.default_rng(table.n_players))
    header = GameRecord.from_play(Game(game_map, table.n_players), [], None, []).dumps()

    record = GameRecord.loads(header + "".join(json.dumps(dict(event)) + "\n" for event in events), game_map)

    final = check_record(game_map, table.n_players, events)
    assert final.ending in {"trains", "passes"}
    assert final.winners
    assert all(final.scores[winner] == max(final.scores) for winner in final.winners)
    assert record.is_complete
    assert record.scores == tuple(final.scores)
    assert set(record.winners) == set(final.winners)


@every_table
def test_what_the_kernel_writes_is_a_record(table: Table) -> None:
    tape = play(table, [UNIFORM] * table.n_players, 5, 2, checked=False).tape

    record = GameRecord.from_tape(table.game_map, table.n_players, tape, seed=5, number=2)

    assert reloaded(record) == record
    assert (record.header.seed, record.header.game) == (5, 2)


def test_a_file_is_json_lines_with_one_event_a_line(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("an older one", encoding="utf-8")

    short().save(path)

    assert path.read_text(encoding="utf-8") == short_text()
    assert GameRecord.load(path) == short()
    assert [item.name for item in tmp_path.iterdir()] == ["game.jsonl"]


def test_two_games_that_differ_in_one_event_differ_in_one_line() -> None:
    other = GameRecord.loads(changed(43, '{"event":"card_drawn","seat":0,"card":"blue"}')).dumps().splitlines()

    differing = [i for i, (a, b) in enumerate(zip(short_text().splitlines(), other, strict=True), 1) if a != b]

    assert differing == [43]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        pytest.param(
            25, '{"tickets": ["Oslo-Vaasa", "Oslo-Stockholm"], "seat": 0, "event": "keep_tickets"}', id="order"
        ),
        pytest.param(28, '{"event":"card_revealed","card":"purple"}\r', id="line ends of another system"),
        pytest.param(24, '{"event":"ticket_offered","seat":1,"ticket":"\\u00d6rebro-Kuopio"}', id="escaped letters"),
    ],
)
def test_what_means_the_same_is_read_and_written_in_one_way(line: int, text: str) -> None:
    assert GameRecord.loads(changed(line, text)).dumps() == short_text()


def test_a_byte_order_mark_is_no_part_of_the_header() -> None:
    assert GameRecord.loads(b"\xef\xbb\xbf" + short_text().encode()) == short()


# -- what a record tells --------------------------------------------------------------


def test_a_record_tells_moves_and_chance_in_words() -> None:
    record = short()

    assert len(record.events) == 42
    assert [str(event) for event in record.steps[3]] == [
        "P0: claim Lillehammer-Oslo (purple, 2) with 2 purple",
        "purple is turned over for the tunnel",
        "red is turned over for the tunnel",
        "white is turned over for the tunnel",
    ]
    assert [type(move.action).__name__ for move in record.moves[:4]] == [
        "KeepTickets",
        "KeepTickets",
        "ClaimRoute",
        "PayTunnel",
    ]
    assert repr(record) == "<GameRecord nordic: 2 players, 42 events, not over, scores -8, -25 so far>"


def test_a_record_that_ends_before_the_game_has_scores_but_no_winner() -> None:
    record = short()

    assert not record.is_complete
    assert record.winners == ()
    assert record.scores == tuple(score.total for score in record.score())
    assert record.score()[0].route_points == 2


def test_players_title_and_note_are_kept() -> None:
    game = Game(load("nordic"))
    texts = {"title": 'The "final" <b>', "note": "שלום, é, \\"}

    record = GameRecord.from_play(game, ["A", "B\n"], 7, game.deal(7)[1], number=3, players=["Ann", "Bob"], **texts)

    assert reloaded(record).header == record.header
    assert record.header.players == ("Ann", "Bob")
    assert record.header.policies == ("A", "B\N{REPLACEMENT CHARACTER}")
    assert repr(record).startswith("<GameRecord nordic: Ann, Bob, seed 7, ")


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"title": "a\nb"}, "title of a record: expected printable text of at most 200 characters"),
        ({"note": "a" * 2001}, "note of a record: expected printable text of at most 2,000 characters"),
        ({"players": ["Ann"]}, "players of a record: expected 2 printable names"),
    ],
)
def test_texts_that_could_not_be_read_again_are_refused(texts: dict[str, Any], message: str) -> None:
    game = Game(load("nordic"))

    with pytest.raises(GameError, match=message):
        GameRecord.from_play(game, [], 7, [], **texts)


def test_a_record_survives_pickling_and_is_compared_by_what_it_says() -> None:
    record = played(NORDIC)

    copy = pickle.loads(pickle.dumps(record))  # noqa: S301 - our own

    assert copy == record
    assert hash(copy) == hash(record)
    assert copy.scores == record.scores
    assert copy != played(NORDIC, seed=8)


def test_an_impossible_record_says_so_when_it_is_asked() -> None:
    events = list(short().events)
    record = GameRecord.from_play(Game(load("nordic")), [], None, [*events[:25], events[39], *events[26:]])

    assert repr(record) == "<GameRecord nordic: 2 players, 42 events, impossible>"
    with pytest.raises(RecordError, match="record, line 27: P0 acts now, not P1"):
        record.states()


def test_events_that_cannot_be_written_are_refused() -> None:
    game = Game(load("nordic"))

    with pytest.raises(GameError, match="card_revealed needs a card"):
        GameRecord.from_play(game, [], None, [Chance("card_revealed")])
    with pytest.raises(GameError, match="expected a seat from 0 to 5, got 9"):
        GameRecord.from_play(game, [], None, [replace(short().moves[0], seat=9)])
    with pytest.raises(GameError, match="TicketsShown, StartPosition or Correction, got 3"):
        GameRecord.from_play(game, [], None, [3])  # type: ignore[list-item]


# -- states ---------------------------------------------------------------------------


def test_states_are_a_sequence() -> None:
    states = played(NORDIC).states()
    one_by_one = list(states)

    assert len(one_by_one) == len(states)
    assert states[0].phase is Phase.KEEP_START
    assert states[-1].is_over
    for at in (97, 3, 64, 63, 65, 31, 32, -1, 0):
        assert states[at] == one_by_one[at]
    assert list(states[5:50:9]) == one_by_one[5:50:9]
    assert list(states[::-1][:3]) == one_by_one[::-1][:3]
    assert repr(states[:3]) == "<3 states>"
    with pytest.raises(IndexError):
        states[len(states)]


def test_a_state_is_found_by_its_step() -> None:
    record = short()

    assert record.state_at(np.int64(3)).pending is not None
    assert record.state_at(-1) == record.states()[-1]
    with pytest.raises(IndexError, match=r"the record has steps 0 to 10, got 12"):
        record.state_at(12)


@some_tables
def test_a_game_can_be_continued_from_any_step(table: Table) -> None:
    record = played(table)
    rng = np.random.default_rng(2)

    for at in rng.integers(len(record.steps), size=3):
        game, state = record.resume(at, seed=99)
        before = without_stream(state)
        events: list[Event] = []
        while not state.is_over and len(events) < 400:
            actions = game.legal_actions(state)
            state, happened = game.step(state, actions[int(rng.integers(len(actions)))])
            events += happened
        so_far = [event for events in record.steps[: at + 1] for event in events]
        branch = GameRecord.from_play(game, [], None, [*so_far, *events])

        np.testing.assert_array_equal(before, without_stream(record.state_at(at)))
        np.testing.assert_array_equal(without_stream(branch.state_at(-1)), without_stream(state))


def test_the_seed_decides_what_chance_does_from_there_on() -> None:
    first, again, other = (play_on(short(), seed) for seed in (1, 1, 2))

    assert first == again
    assert first != other


def play_on(record: GameRecord, seed: int) -> list[object]:
    game, state = record.resume(-1, seed=seed)
    events: list[object] = []
    for _ in range(10):
        state, happened = game.step(state, game.legal_actions(state)[0])
        events += happened
    return events


# -- maps -------------------------------------------------------------------------------


def test_a_record_of_a_map_of_ones_own_wants_that_map(tmp_path: Path) -> None:
    record = played(Table("invented", "", 2))
    record.save(tmp_path / "game.jsonl")

    with pytest.raises(
        RecordError, match=r'line 1, map: expected one of .*usa; pass any other map as game_map, got "inv'
    ):
        GameRecord.load(tmp_path / "game.jsonl")
    assert GameRecord.load(tmp_path / "game.jsonl", load("invented")).map == load("invented")


def test_the_name_of_a_map_leads_to_no_folder() -> None:
    text = played(Table("invented", "", 2)).dumps().replace('"invented"', json.dumps(str(INVENTED)), 1)

    with pytest.raises(RecordError, match="line 1, map"):
        GameRecord.loads(text)


def test_a_map_with_other_facts_is_refused_with_both_fingerprints() -> None:
    nordic = load("nordic")
    other = nordic.without([("Oslo", "Helsinki")]) if nordic.routes_between("Oslo", "Helsinki") else nordic
    other = replace(other, tickets=other.tickets[:-1])

    with pytest.raises(
        RecordError, match=f'line 1, facts: expected "{fingerprint(other)}".*got "{fingerprint(nordic)}"'
    ):
        GameRecord.loads(short_text(), other)


def test_a_record_of_a_variant_is_loaded_with_the_map_or_the_variant() -> None:
    record = played(Table("nederland", "no_tolls", 2))

    assert GameRecord.loads(record.dumps(), load("nederland")).map == record.map
    assert GameRecord.loads(record.dumps(), record.map).map == record.map
    assert record.map.rules.variant == "no_tolls"
    with pytest.raises(RecordError, match=r"line 1, variant: no variant of Nederland 'no_tolls', got"):
        GameRecord.loads(record.dumps(), load("nederland").with_variant("neutral"))


def test_the_fingerprint_is_of_facts_and_rules_alone() -> None:
    nordic = load("nordic")
    redrawn = replace(
        nordic,
        title="Another title",
        cities=tuple(replace(city, x=0.0, label="?") for city in nordic.cities[::-1]),
        routes=nordic.routes[::-1],
        rules=replace(nordic.rules, title="Another title"),
    )
    longer = replace(nordic, routes=(replace(nordic.routes[0], length=3), *nordic.routes[1:]))
    stricter = replace(nordic, rules=replace(nordic.rules, tunnel=replace(nordic.rules.tunnel, revealed=4)))

    assert fingerprint(redrawn) == fingerprint(nordic)
    assert len({fingerprint(game_map) for game_map in (nordic, longer, stricter)}) == 3


# -- watched from one seat -----------------------------------------------------------------


@every_table_and_mood
def test_a_game_watched_from_any_seat_replays(table: Table, mood: str) -> None:
    record = played(table, mood)

    for seat in {0, table.n_players - 1} if mood == "even" else {table.n_players - 1}:
        watched = reloaded(record.watched_from(seat))

        assert len(watched.moves) == len(record.moves)
        assert (watched.scores, watched.winners) == (record.scores, record.winners)


@every_table
def test_a_watched_record_holds_what_the_seat_sees_and_nothing_else(table: Table) -> None:
    record = played(table)
    tables = game_tables(record.map, table.n_players)

    watched = record.watched_from(1)

    assert watched.header.seed is None
    for state, seen in zip(record.states(), watched.states(), strict=False):
        ours, theirs = (redact(s.packed, tables, 1) for s in (state, seen))
        for side in (ours, theirs):  # where unknown ones are
            side.draw_pile[:] = side.held[:] = side.ticket_at[:] = side.queue[:] = 0
        np.testing.assert_array_equal(ours.cells, theirs.cells)
        assert all(hand.n_cards == 0 or hand <= state.hands[other] for other, hand in enumerate(seen.hands))
    assert all(ticket is None for ticket in watched.state_at(2).tickets[0])
    for event in watched.events:
        if isinstance(event, Chance) and event.kind in ("card_dealt", "card_drawn"):
            assert (event.card is None) == (event.seat != 1)


def test_without_shown_tickets_the_scores_are_partly_unknown() -> None:
    record = played(NORDIC)

    watched = reloaded(record.watched_from(0, shown=False))

    assert watched.scores[1] is None
    assert watched.winners == ()
    assert watched.score()[1].n_unknown == len(record.state_at(-1).tickets[1])
    assert watched.score()[1].route_points == record.score()[1].route_points
    assert "scores ?, ?>" in repr(watched)


def test_tickets_shown_at_the_end_are_told() -> None:
    record = played(NORDIC)

    (shown,) = (event for event in record.watched_from(0).events if isinstance(event, TicketsShown))

    assert shown == TicketsShown(1, tuple(t for t in record.state_at(-1).tickets[1] if t is not None))
    assert record.watched_from(0).watched_from(0) == record.watched_from(0)


def test_a_game_with_unknown_cards_cannot_be_continued_at_random() -> None:
    watched = short().watched_from(0)

    with pytest.raises(GameError, match="cannot continue from a state with 4 unknown cards of P1"):
        watched.resume(0, seed=1)
    with pytest.raises(GameError, match=r"expected a seat from 0 to 1, got 2"):
        watched.watched_from(2)


def test_a_card_that_is_shown_is_known_from_then_on() -> None:
    watched = short().watched_from(0)

    before, after = watched.state_at(8), watched.state_at(9)

    assert before.n_hands[1] == 6
    assert before.hands[1].as_dict() == {"locomotive": 1}  # the one from the market
    assert after.n_hands[1] == 5
    assert after.hands[1] == before.hands[1]
    assert isinstance(watched.moves[8].action, ClaimRoute)
    assert after.pile.n_cards == after.n_pile + 4
    assert before.pile["blue"] - after.pile["blue"] == 1


@some_tables
def test_the_facade_makes_the_same_states_with_unknown_cards(table: Table) -> None:
    watched = played(table).watched_from(0, shown=False)

    for ours, theirs in zip(watched.states(), cells_by_facade(watched), strict=True):
        np.testing.assert_array_equal(without_stream(ours), theirs)


@pytest.mark.parametrize("chosen", [1, 2], ids=["one has chosen", "all have chosen"])
def test_what_others_keep_at_the_start_shows_when_all_have_chosen(chosen: int) -> None:
    """Unkept tickets lie face up in Nederland, but not before everyone has chosen."""
    text = played(Table("nederland", "", 2)).dumps()
    keeps = [i for i, line in enumerate(text.splitlines()) if '"keep_tickets"' in line]
    record = GameRecord.loads("".join(text.splitlines(keepends=True)[: keeps[chosen - 1] + 1]))

    watched = record.watched_from(1)

    others = [event for event in watched.events if isinstance(event, Chance) and event.kind == "ticket_offered"]
    named = [event for event in others if event.seat == 0 and event.ticket is not None]
    assert bool(named) == (chosen == 2)
    assert len(watched.steps) == (1 if chosen == 1 else 3)
