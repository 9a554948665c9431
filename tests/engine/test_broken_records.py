"""Broken records: each is refused with the line and the reason."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.engine.records import Table, changed, played, short_text
from tests.fixtures import load
from ttr_analysis import GameMap, GameRecord, RecordError
from ttr_analysis.records import file
from ttr_analysis.records.file import as_json, fingerprint

HEADER = short_text().splitlines()[0]


def faults_of(text: str | bytes, game_map: GameMap | None = None) -> list[tuple[int, str]]:
    """Return line and message of each fault of a record."""
    with pytest.raises(RecordError) as caught:
        GameRecord.loads(text, game_map)
    return [(fault.line, str(fault).partition(": ")[2]) for fault in caught.value.faults]


def header(**changes: object) -> str:
    """Return the header of the short record with other values; None takes a key away."""
    data = {**json.loads(HEADER), **changes}
    return json.dumps({key: value for key, value in data.items() if value is not None})


def event(name: str, **keys: object) -> str:
    """Return the line of an event."""
    return as_json({"event": name, **keys})


# -- what a file may not hold -----------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "expected a JSON object, got a blank line", id="blank line"),
        pytest.param(
            '{"event":"pass"',
            'expected a JSON object (expecting \',\' delimiter at column 16), got {"event":"pass"',
            id="open",
        ),
        pytest.param("[1,2]", "expected a JSON object, got [1,2]", id="a list"),
        pytest.param("[" * 9_000, "expected a JSON object, got values nested too deeply", id="nested"),
        pytest.param('{"event":NaN}', "expected whole numbers, got NaN", id="no number"),
        pytest.param(event("draw_card", seat=0.0), "expected whole numbers, got 0.0", id="fraction"),
        pytest.param(
            '{"event":' + "1" * 5000 + "}",
            "expected numbers of a few digits, got a number of 5,000 digits",
            id="digits",
        ),
        pytest.param(
            '{"event":"draw_card","seat":0,"seat":1}', "expected each key once, got 2 of them", id="key twice"
        ),
        pytest.param(
            '{"event":"' + "a" * 30_000 + '"}',
            "expected at most 20,000 bytes on a line, got 30,012 bytes",
            id="long line",
        ),
        pytest.param(
            event("draw_cart", seat=0),
            "expected draw_card or draw_tickets or draw_face_up, got draw_cart",
            id="no such event",
        ),
        pytest.param('{"seat":0}', "expected one of draw_card, draw_face_up, ", id="no event"),
        pytest.param(event("draw_card"), "expected this key, got nothing", id="key missing"),
        pytest.param(
            event("draw_card", seat=0, x=1), "unknown key, expected event, seat, move, time, got x", id="unknown key"
        ),
        pytest.param(event("draw_card", seat=2), "expected a whole number from 0 to 1, got 2", id="no such seat"),
        pytest.param(
            event("draw_card", seat=True), "expected a whole number from 0 to 1, got true", id="a seat is no truth"
        ),
        pytest.param(
            event("draw_card", seat="0"), 'expected a whole number from 0 to 1, got "0"', id="a seat is no text"
        ),
        pytest.param(
            event("draw_face_up", seat=0, slot=5), "expected a whole number from 0 to 4, got 5", id="no such slot"
        ),
        pytest.param(event("card_drawn", seat=0, card="gren"), 'expected green or "?", got "gren"', id="no such card"),
        pytest.param(event("card_revealed", card="?"), ', which everyone sees, got "?"', id="unknown but seen"),
        pytest.param(
            event("card_revealed", card=["red"]), ', which everyone sees, got ["red"]', id="a card is no list"
        ),
        pytest.param(
            event("neutral_ticket", ticket="?"),
            'expected the id of a ticket of Nordic Countries, got "?"',
            id="unknown ticket",
        ),
        pytest.param(
            event("claim_route", seat=0, route="Oslo-Bergen/0", cards={"red": 1}),
            "or Bergen-Oslo/0, got ",
            id="no such route",
        ),
        pytest.param(
            event("claim_route", seat=0, route="Oulu-Tornio/0", cards={}),
            'expected counts by kind, such as {"red":2}, got {}',
            id="no cards",
        ),
        pytest.param(
            event("pay_tunnel", seat=0, cards={"red": 0}),
            "expected a whole number of red cards from 1 to 63, got 0",
            id="none of a kind",
        ),
        pytest.param(event("pay_tunnel", seat=0, cards={"pink": 1}), 'got "pink"', id="no such color"),
        pytest.param(
            event("keep_tickets", seat=0, tickets="Oslo-Vaasa"),
            'expected a list of tickets, got "Oslo-Vaasa"',
            id="no list",
        ),
        pytest.param(
            event("keep_tickets", seat=0, tickets=["Oslo-Vaasa", "Oslo-Vaasa"]),
            "expected each ticket once, got Oslo-Vaasa",
            id="ticket twice",
        ),
        pytest.param(
            event("tickets_shown", seat=0, tickets=["?"]),
            'expected the id of a ticket of Nordic Countries, got "?"',
            id="shown but unknown",
        ),
    ],
)
def test_a_line_that_is_no_event_is_refused(text: str, message: str) -> None:
    ((line, said),) = faults_of(changed(42, text))

    assert line == 42
    assert message in said


def test_bytes_that_are_no_text_are_refused() -> None:
    text = short_text().encode()
    at = text.index("ö".encode()) + 1

    assert faults_of(text[:at] + b"\xff" + text[at:]) == [(21, "expected UTF-8 text, got byte 0xc3")]


def test_all_faults_of_the_text_are_told_at_once() -> None:
    text = changed(30, '{"event":"card_revealed","card":"whte"}\n{"event":"pas","seat":0}\n\n{"event":"pass"')

    assert [line for line, _ in faults_of(text)] == [30, 31, 32, 33]


def test_after_a_hundred_faults_no_more_are_looked_for() -> None:
    faults = faults_of(HEADER + "\n{}" * 5_000 + "\n")

    assert len(faults) == file.MAX_FAULTS + 1
    assert faults[-1] == (0, "stopped after 100 faults")


def test_what_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "MAX_LINES", 40)
    assert faults_of(short_text()) == [(0, "expected at most 40 lines, got more")]
    monkeypatch.setattr(file, "MAX_BYTES", 1_000)
    assert faults_of(short_text()) == [(0, "expected at most 1,000 bytes, got more")]


# -- headers ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(header(format="chess"), 'expected "ttr-game", got "chess"', id="other format"),
        pytest.param(header(version=2), "expected 1: the record was written by a later version", id="later version"),
        pytest.param(header(version=0), "expected 1, got 0", id="no version"),
        pytest.param(header(map="mars"), "expected one of ", id="no such map"),
        pytest.param(header(map="../nordic"), "expected one of ", id="no folder"),
        pytest.param(
            header(variant="fast"),
            "no variant of Nordic Countries 'fast'; choose one of resets, got \"fast\"",
            id="no such variant",
        ),
        pytest.param(header(n_players=4), "Nordic Countries is for 2 to 3 players, got 4", id="too many players"),
        pytest.param(header(n_players=7), "expected a whole number from 2 to 6, got 7", id="too many seats"),
        pytest.param(header(n_players=None), "expected this key, got nothing", id="how many players?"),
        pytest.param(
            header(facts="0123"), f'expected "{fingerprint(load("nordic"))}": the facts of the map', id="other facts"
        ),
        pytest.param(header(seed=-1), "of 0 or more, of at most 400 digits, got -1", id="seed"),
        pytest.param(header(game=True), "expected a whole number of 0 or more, below 2**62", id="game"),
        pytest.param(
            header(policies=["Random"]), "expected 2 printable names of at most 200 characters, or none", id="policies"
        ),
        pytest.param(
            header(players=["Ann", 3]), "expected 2 printable names of at most 200 characters, or none", id="players"
        ),
        pytest.param(header(title="a\nb"), "expected printable text of at most 200 characters", id="title"),
        pytest.param(header(titel="x"), 'unknown key, expected title, got "titel"', id="unknown key"),
        pytest.param(event("draw_card", seat=0), "expected this key, got nothing", id="an event"),
        pytest.param("{", "expected a JSON object", id="no header"),
    ],
)
def test_a_wrong_header_is_refused(text: str, message: str) -> None:
    faults = faults_of(changed(1, text))

    assert {line for line, _ in faults} == {1}
    assert message in faults[0][1]


@pytest.mark.parametrize("text", ["", "\n", "{", '{"format":"ttr-ga'])
def test_without_a_header_nothing_is_read(text: str) -> None:
    assert [line for line, _ in faults_of(text)] == [1]


def test_where_the_map_is_not_known_the_events_are_still_looked_at() -> None:
    text = changed(1, header(map="mars")).replace('"slot":2}', '"slot":-2}')

    assert [line for line, _ in faults_of(text)] == [1, 32]


# -- what the rules do not allow -----------------------------------------------------


@pytest.mark.parametrize(
    ("line", "text", "at", "message"),
    [
        pytest.param(2, None, 5, "card_dealt of P0 belongs here", id="three cards dealt"),
        pytest.param(
            10, event("market_card", slot=1, card="green"), 10, "market_card in slot 0 belongs here", id="other slot"
        ),
        pytest.param(
            16,
            event("ticket_offered", seat=0, ticket="Bergen-Narvik"),
            16,
            "Bergen-Narvik is impossible here: it is in a seat's offer",
            id="ticket twice",
        ),
        pytest.param(24, None, 24, "ticket_offered of P1 must come first", id="a ticket is missing"),
        pytest.param(
            25,
            event("keep_tickets", seat=0, tickets=["Oslo-Vaasa"]),
            25,
            "P0 must keep at least 2 tickets, got 1",
            id="too few kept",
        ),
        pytest.param(
            25,
            event("keep_tickets", seat=0, tickets=["Oslo-Vaasa", "Aalborg-Umeå"]),
            25,
            "P0 is not offered Aalborg-Umeå, but Bergen-Narvik, ",
            id="another's ticket",
        ),
        pytest.param(
            25,
            event("keep_tickets", seat=0, tickets=["Oslo-Vaasa", "?"]),
            25,
            "P0 is not offered ?, but Bergen-Narvik, ",
            id="unknown but offered",
        ),
        pytest.param(
            26,
            event("draw_card", seat=1),
            26,
            "P1 must choose its opening tickets now; it cannot draw a card",
            id="too early",
        ),
        pytest.param(
            27,
            event("claim_route", seat=1, route="Lillehammer-Oslo/0", cards={"purple": 2}),
            27,
            "P0 acts now, not P1",
            id="not its turn",
        ),
        pytest.param(
            27,
            event("claim_route", seat=0, route="Lillehammer-Oslo/0", cards={"purple": 1, "orange": 1}),
            27,
            "Lillehammer-Oslo (purple, 2): cards must be purple, got 1 purple, 1 orange",
            id="other color",
        ),
        pytest.param(
            27,
            event("claim_route", seat=0, route="Imatra-Kuopio/0", cards={"purple": 1}),
            27,
            "it takes exactly 2 cards, got 1",
            id="too few cards",
        ),
        pytest.param(
            27,
            event("claim_route", seat=0, route="Bergen-Oslo/1", cards={"red": 4}),
            27,
            "P0 holds 0 of the 4 red cards",
            id="cards of nobody",
        ),
        pytest.param(27, event("pass", seat=0), 27, "P0 can do something else, so it may not pass", id="a pass"),
        pytest.param(28, None, 30, "card_revealed must come first", id="a revealed card is missing"),
        pytest.param(29, event("cards_shuffled"), 29, "card_revealed belongs here", id="no shuffle"),
        pytest.param(
            30,
            event("card_revealed", card="white") + "\n" + event("card_revealed", card="white"),
            31,
            "no card_revealed belongs here: P0 acts now",
            id="four revealed",
        ),
        pytest.param(28, event("card_revealed", card="blue"), 31, "P1 acts now, not P0", id="nothing to pay"),
        pytest.param(
            31,
            event("pay_tunnel", seat=0, cards={"orange": 1}),
            31,
            "the tunnel requires a surcharge of 1 card (purple or locomotives), got 1 orange",
            id="other surcharge",
        ),
        pytest.param(
            31,
            event("decline_tunnel", seat=0) + "\n" + event("card_drawn", seat=0, card="red"),
            32,
            "no card_drawn belongs here: P1 acts now",
            id="a card for nothing",
        ),
        pytest.param(33, None, 33, "market_card in slot 2 must come first", id="an empty slot"),
        pytest.param(
            34,
            event("draw_tickets", seat=1),
            34,
            "P1 must draw another card now; it cannot draw tickets",
            id="half a turn",
        ),
        pytest.param(
            37,
            event("ticket_offered", seat=0, ticket="Narvik-Tallinn"),
            37,
            "Narvik-Tallinn is impossible here: P1 holds it",
            id="held by another",
        ),
        pytest.param(
            38,
            event("ticket_offered", seat=0, ticket="Bergen-Narvik"),
            38,
            "Bergen-Narvik is impossible here: it is out of the game",
            id="removed",
        ),
        pytest.param(
            41,
            event("claim_route", seat=1, route="Lillehammer-Oslo/0", cards={"locomotive": 2}),
            41,
            "Lillehammer-Oslo (purple, 2) is taken by P0",
            id="taken",
        ),
        pytest.param(
            42,
            event("tickets_shown", seat=0, tickets=[]),
            42,
            "tickets are shown only when the game is over",
            id="shown too early",
        ),
        pytest.param(
            42,
            event("choose_neutral_route", seat=0, route="Oulu-Tornio/0"),
            42,
            "P0 must take its turn now; it cannot choose a track",
            id="no neutral player",
        ),
    ],
)
def test_an_event_against_the_rules_is_refused_where_it_stands(
    line: int, text: str | None, at: int, message: str
) -> None:
    ((found, said),) = faults_of(changed(line, text))

    assert found == at
    assert message in said


def test_only_the_first_event_against_the_rules_is_told() -> None:
    text = changed(27, '{"event":"pass","seat":0}').replace('"slot":2}', '"slot":3}')

    assert [line for line, _ in faults_of(text)] == [27]


def test_more_cards_than_there_are_is_refused() -> None:
    nordic = load("nordic")
    few = replace(nordic, rules=replace(nordic.rules, cards=replace(nordic.rules.cards, per_color=3)))
    text = changed(1, header(facts=fingerprint(few)))

    ((line, said),) = faults_of(text, few)

    assert (line, said.partition(",")[0]) == (28, "the draw pile has no purple card")


def test_after_the_end_nothing_comes() -> None:
    text = played(Table("nordic", "", 2)).dumps()
    n = len(text.splitlines())

    assert faults_of(text + '{"event":"draw_card","seat":0}\n')[0][0] == n + 1
    assert "the game is over" in faults_of(text + '{"event":"draw_card","seat":0}\n')[0][1]
    assert "no card_revealed belongs here" in faults_of(text + '{"event":"card_revealed","card":"red"}\n')[0][1]


# -- unknown cards and tickets ------------------------------------------------------------


def unknown(line: int, text: str, text_before: str = "") -> str:
    """Return the short record as P0 sees it, with another text on one line."""
    own = (text_before or GameRecord.loads(short_text()).watched_from(0).dumps()).splitlines()
    own[line - 1 : line] = text.split("\n")
    return "\n".join(own) + "\n"


@pytest.mark.parametrize(
    ("line", "text", "message"),
    [
        pytest.param(
            41,
            event("claim_route", seat=1, route="Kajaani-Lieksa/0", cards={"blue": 2}),
            "it takes exactly 1 cards, got 2",
            id="a wrong payment of unknown cards",
        ),
        pytest.param(
            41,
            event("claim_route", seat=1, route="Lieksa-Murmansk/0", cards={"green": 9}),
            "P1 holds 1 locomotive and 5 unknown cards, so it cannot play 9 green",
            id="too few unknown cards",
        ),
        pytest.param(
            26,
            event("keep_tickets", seat=1, tickets=["Aalborg-Umeå", "?"]),
            "P1 is not offered Aalborg-Umeå, but ?, ?, ?, ?, ?",
            id="a ticket that was not named",
        ),
        pytest.param(
            26,
            event("keep_tickets", seat=1, tickets=["?", "?", "?", "?", "?", "?"]),
            "P1 is not offered ?, but ?, ?, ?, ?, ?",
            id="more tickets than offered",
        ),
    ],
)
def test_what_can_be_checked_of_unknown_cards_and_tickets_is(line: int, text: str, message: str) -> None:
    ((found, said),) = faults_of(unknown(line, text))

    assert found == line
    assert message in said


def test_unknown_cards_cannot_be_what_all_have_seen_elsewhere() -> None:
    nordic = load("nordic")
    few = replace(nordic, rules=replace(nordic.rules, cards=replace(nordic.rules.cards, per_color=4)))
    text = GameRecord.loads(changed(1, header(facts=fingerprint(few))), few).watched_from(0).dumps()
    claim = '{"event":"claim_route","seat":1,"route":"Bergen-Stavanger/0","cards":{"purple":1,"locomotive":1}}'

    ((line, said),) = faults_of(unknown(41, claim, text), few)

    assert line == 41
    assert "P1 cannot hold 1 purple: it is known to hold 0, with only 0 more unseen" in said


def test_tickets_that_lie_face_up_must_be_named() -> None:
    record = played(Table("nederland", "", 2))
    text = record.watched_from(0).dumps()
    named = [
        i for i, line in enumerate(text.splitlines(), 1) if '"ticket_offered","seat":1' in line and "?" not in line
    ]
    own = text.splitlines()
    own[named[0] - 1] = '{"event":"ticket_offered","seat":1,"ticket":"?"}'

    line, said = faults_of("\n".join(own) + "\n")[0]

    assert '"keep_tickets","seat":1' in own[line - 1]
    assert "rejected tickets are face up: each must be named in the offer" in said


def shown(edit: str) -> str:
    """Return a watched game at whose end P1 shows what `edit` makes of its tickets."""
    *start, last = played(Table("nordic", "", 2)).watched_from(0).dumps().splitlines()
    data = json.loads(last)
    own = [ticket.id for ticket in played(Table("nordic", "", 2)).state_at(-1).tickets[0] if ticket]
    tickets = {"fewer": data["tickets"][1:], "another's": [own[0], *data["tickets"][1:]], "same": data["tickets"]}[edit]
    return "\n".join([*start, json.dumps({**data, "tickets": tickets})]) + "\n"


@pytest.mark.parametrize(
    ("edit", "message"), [("fewer", "tickets, not "), ("another's", "P1 cannot hold all these tickets: one is known")]
)
def test_tickets_shown_must_be_possible(edit: str, message: str) -> None:
    assert GameRecord.loads(shown("same")).is_complete
    assert message in faults_of(shown(edit))[0][1]
