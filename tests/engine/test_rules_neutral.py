"""
The rules of the neutral player.

The rules, section 4, "Variant: neutral player", and 7. Rule book: Nederland, other
ways to play, the neutral player.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from tests.engine.positions import DRAW, PASS, TICKETS, Position, changed, drawn, face_up, neutral, offered
from tests.fixtures import load
from ttr_analysis import GameMap
from ttr_analysis.engine.codes import ActionFault
from ttr_analysis.engine.layout import AT_DISCARDS, NEUTRAL_OWNER, NOBODY, Phase

BLANK = "Amsterdam-Antwerpen"
"""A ticket without a pair."""
TICKET = "Antwerpen-Nijmegen"
"""Its pair is Breda-Rotterdam, of length 2 and toll 4."""
A, B = "Breda-Rotterdam/0", "Breda-Rotterdam/1"
TWICE = ("'s-Gravenhage-Liège", "Emmen-Lelystad")
"""Both have the pair Amsterdam-Rotterdam."""
C, D = "Amsterdam-Rotterdam/0", "Amsterdam-Rotterdam/1"
UNEQUAL = "Eksjö-Hollow"
"""A ticket of the invented map; the tracks of its pair have lengths 3 and 4, tolls 2 and 1."""
SHORT, LONG = "Ærø Havn-Brindle/0", "Ærø Havn-Brindle/1"


def new(game_map: str | GameMap = "nederland", *, turns: int = 11) -> Position:
    """Return a table of the variant before a turn of seat 1 that ends the sixth round."""
    return Position(game_map, variant="neutral").after_turns(turns)


def short_of_trains(left: int, name: str = "nederland") -> Position:
    """Return the same with few trains left to the neutral player."""
    return new(name).put("trains", left, NEUTRAL_OWNER)


def end_round(table: Position, ticket: str) -> Position:
    """Let seat 1 draw two cards; then this ticket is turned up for the neutral player."""
    return table.draws("red").do(DRAW, drawn("red"), neutral(ticket))


def neutral_trains(table: Position) -> int:
    return table.number("trains", NEUTRAL_OWNER)


# -- when its phase comes ------------------------------------------------------------


@pytest.mark.parametrize(
    "before",
    [
        *(pytest.param(partial(new, turns=2 * n_rounds - 1), id=f"round {n_rounds}") for n_rounds in range(1, 6)),
        pytest.param(lambda: new(turns=12), id="the first turn of a round"),
        pytest.param(lambda: Position("nederland").after_turns(11), id="another variant"),
        pytest.param(lambda: new().put("neutral_in", 0).own("neutral", C), id="it has left"),
        pytest.param(lambda: new(turns=13).put("last_left", 1), id="the last turn of the game"),
    ],
)
def test_no_phase_follows(before: Callable[[], Position]) -> None:
    assert before().draws("red", "red").events == ["card_drawn red"]


@pytest.mark.parametrize("n_rounds", [6, 7, 20])
def test_a_phase_follows_each_complete_round_from_the_sixth_on(n_rounds: int) -> None:
    table = end_round(new(turns=2 * n_rounds - 1), BLANK)

    assert table.events == ["card_drawn red", f"neutral_ticket {BLANK}"]


@pytest.mark.parametrize("turn", ["claim", "tickets", "locomotive"])
def test_a_phase_follows_a_turn_of_any_kind(turn: str) -> None:
    table = new().hand(1, red=1).market("locomotive", "red", "red", "blue", "blue")
    match turn:
        case "claim":
            table.claims("Arnhem-Nijmegen/0", neutral(BLANK), red=1)
        case "tickets":
            names = ["Antwerpen-Rotterdam", TICKET, *TWICE]
            table.do(TICKETS, offered(*names))
            table.do(table.keep(TICKET), neutral(BLANK))
        case _:
            table.do_by_chance(face_up(0))
    assert table.events[-1].startswith("neutral_ticket")


# -- what it does ------------------------------------------------------------------------


def test_the_ticket_goes_to_the_discards() -> None:
    for ticket in (BLANK, TICKET):
        table = end_round(new(), ticket)

        assert table.ticket_at(ticket) == AT_DISCARDS
        assert (table.number("n_ticket_pile"), table.number("n_ticket_discards")) == (43, 1)


@pytest.mark.parametrize(
    ("before", "ticket", "stays"),
    [
        pytest.param(new, BLANK, True, id="no pair"),
        pytest.param(lambda: new().own("neutral", C), TWICE[1], True, id="a pair that holds a neutral track"),
        pytest.param(lambda: new().own("neutral", A).own(1, B), TICKET, True, id="a neutral track and a player's"),
        pytest.param(lambda: new().own(0, A).own(1, B), TICKET, True, id="both tracks taken by players: no pair"),
        pytest.param(lambda: short_of_trains(0), BLANK, True, id="no trains, and no track to take"),
        pytest.param(lambda: short_of_trains(1), TICKET, False, id="tracks longer than its trains"),
        pytest.param(lambda: short_of_trains(1).own(0, A), TICKET, False, id="too few trains for the other track"),
        pytest.param(lambda: short_of_trains(3, "invented").own(0, SHORT), UNEQUAL, False, id="the longer one is left"),
    ],
)
def test_it_takes_nothing_and_leaves_only_if_it_must_take_a_track(
    before: Callable[[], Position],
    ticket: str,
    stays: bool,  # noqa: FBT001
) -> None:
    table = before()
    owners, tokens, trains = table.state.owner.copy(), table.numbers("tokens"), neutral_trains(table)
    end_round(table, ticket)

    assert np.array_equal(table.state.owner, owners)
    assert (table.numbers("tokens"), neutral_trains(table)) == (tokens, trains)
    assert table.ticket_at(ticket) == AT_DISCARDS
    assert (table.phase, table.seat) == (Phase.TURN, 0)
    assert (table.number("marker"), table.number("neutral_in")) == (1, stays)


def test_with_both_tracks_free_the_holder_chooses() -> None:
    table = end_round(new(), TICKET)

    assert (table.phase, table.seat) == (Phase.NEUTRAL, 1)
    assert table.legal() == [table.choose(A), table.choose(B)]
    assert table.fault(table.choose(C)) == ActionFault.NEUTRAL_ROUTE
    assert {table.fault(action) for action in (DRAW, TICKETS, PASS)} == {ActionFault.PHASE}


@pytest.mark.parametrize("track", [A, B])
def test_the_track_chosen_is_taken_and_the_marker_passed(track: str) -> None:
    table = end_round(new(), TICKET).chooses(track)

    assert {name: table.owner(name) for name in (A, B)} == {A: NOBODY, B: NOBODY} | {track: NEUTRAL_OWNER}
    assert neutral_trains(table) == 38
    assert table.number("marker") == 0
    assert (table.phase, table.seat) == (Phase.TURN, 0)


def test_the_marker_goes_on_to_the_next_seat_of_three() -> None:
    game_map = with_neutral()
    for_three = replace(game_map, rules=replace(game_map.rules, players=(2, 3)))
    table = end_round(Position(for_three, 3).after_turns(17), TICKET).chooses(A)

    assert table.number("marker") == 2


def test_choosing_is_outside_the_holders_turn() -> None:
    table = end_round(new().put("marker", 0), TICKET)

    assert (table.phase, table.seat) == (Phase.NEUTRAL, 0)
    table.chooses(A)
    assert (table.phase, table.seat) == (Phase.TURN, 0)
    assert table.number("marker") == 1


def test_the_holders_own_trains_money_and_points_are_not_touched() -> None:
    table = end_round(new(), TICKET).chooses(A)

    assert table.numbers("trains") == [40, 40]
    assert table.numbers("tokens") == [30, 30]
    assert table.numbers("score") == [0, 1]


@pytest.mark.parametrize("owner", [pytest.param(0, id="the other player"), pytest.param(1, id="the holder")])
@pytest.mark.parametrize(("taken", "other"), [(A, B), (B, A)])
def test_with_one_track_taken_it_takes_the_other_and_the_bank_pays(owner: int, taken: str, other: str) -> None:
    table = end_round(new().own(owner, taken), TICKET)

    assert table.owner(other) == NEUTRAL_OWNER
    assert table.numbers("tokens") == ([34, 30] if owner == 0 else [30, 34])
    assert table.number("marker") == 1
    assert (table.phase, table.seat) == (Phase.TURN, 0)


def test_a_player_with_a_loan_is_paid_too() -> None:
    table = end_round(new().own(0, A).put("loans", 1).put("tokens", 2), TICKET)

    assert table.number("tokens") == 6


def test_both_tickets_of_a_pair_named_twice() -> None:
    table = end_round(new(), TWICE[0]).chooses(D).draws("red", "red")
    end_round(table, TWICE[1])

    assert table.owner(C) == NOBODY
    assert table.ticket_at(TWICE[1]) == AT_DISCARDS


def test_a_player_may_claim_the_track_beside_it() -> None:
    table = end_round(new().hand(0, yellow=2), TICKET).chooses(A).claims(B, yellow=2)

    assert table.owner(B) == 0
    assert table.numbers("tokens") == [26, 30]


def test_its_track_is_taken_for_everyone() -> None:
    table = new().own("neutral", A).hand(1, purple=2)

    assert table.fault(table.claim(A, purple=2)) == ActionFault.TAKEN


# -- how it leaves -----------------------------------------------------------------------------


def test_trains_for_the_track_are_enough() -> None:
    table = end_round(short_of_trains(2).own(0, A), TICKET)

    assert table.number("neutral_in") == 1
    assert neutral_trains(table) == 0


def test_it_leaves_if_the_pile_is_empty_at_its_phase_and_then_the_discards_are_shuffled() -> None:
    table = new().ticket_discards(BLANK, TICKET).ticket_pile().own("neutral", C)
    table.draws("red", "red")

    assert table.events == ["card_drawn red", "tickets_shuffled"]
    assert table.number("neutral_in") == 0
    assert (table.number("n_ticket_pile"), table.number("n_ticket_discards")) == (2, 0)
    assert table.owner(C) == NEUTRAL_OWNER


def test_it_leaves_though_there_are_no_discards_to_shuffle() -> None:
    table = new().ticket_pile().draws("red", "red")

    assert table.number("neutral_in") == 0
    assert (table.phase, table.seat) == (Phase.TURN, 0)


def test_the_last_ticket_of_the_pile_is_still_turned_up() -> None:
    table = end_round(new().ticket_pile(TICKET), TICKET)

    assert table.phase == Phase.NEUTRAL
    assert table.number("neutral_in") == 1


@pytest.mark.parametrize(
    ("discards", "pile", "stays"),
    [
        pytest.param(TWICE, [BLANK, TICKET], False, id="more than the pile has"),
        pytest.param(TWICE, [], False, id="from an empty pile"),
        pytest.param(["Antwerpen-Rotterdam"], [BLANK, TICKET, *TWICE], True, id="just what the pile has"),
    ],
)
def test_it_leaves_when_a_player_draws(discards: Sequence[str], pile: Sequence[str], stays: bool) -> None:  # noqa: FBT001
    table = new(turns=4).ticket_discards(*discards).ticket_pile(*pile).do_by_chance(TICKETS)

    assert table.number("neutral_in") == stays


# -- tracks of different lengths ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("trains", "choices"),
    [
        pytest.param(4, [SHORT, LONG], id="both fit its trains"),
        pytest.param(3, [SHORT], id="decision: one fits, the only choice"),
        pytest.param(2, [], id="none fits: it leaves"),
    ],
)
def test_the_holder_chooses_among_the_tracks_that_fit(trains: int, choices: list[str]) -> None:
    table = end_round(short_of_trains(trains, "invented"), UNEQUAL)

    assert (table.phase == Phase.NEUTRAL) == (choices != [])
    assert table.number("neutral_in") == (choices != [])
    if choices:
        assert table.legal() == [table.choose(track) for track in choices]
    if trains == 3:
        assert table.fault(table.choose(LONG)) == ActionFault.NEUTRAL_ROUTE


def test_the_bank_pays_the_toll_of_the_track_that_it_takes() -> None:
    table = end_round(new("invented").own(0, SHORT), UNEQUAL)

    assert table.owner(LONG) == NEUTRAL_OWNER
    assert table.numbers("tokens") == [21, 20]


# -- the end of the game ------------------------------------------------------------------------


def test_it_never_sets_off_the_last_round() -> None:
    table = end_round(short_of_trains(2).own(0, A), TICKET)

    assert table.number("last_left") == -1


def test_a_phase_follows_in_the_final_round() -> None:
    table = new(turns=12).put("trains", 2).draws("red", "red")
    assert table.number("last_left") == 2
    end_round(table, TICKET)

    assert table.phase == Phase.NEUTRAL
    table.chooses(A).draws("red", "red")
    assert table.number("phase") == Phase.OVER


def with_neutral(**fields: object) -> GameMap:
    """Return the variant with some fields of its neutral player changed."""
    return changed(load("nederland").with_variant("neutral"), neutral=fields)


def test_a_phase_after_the_last_turn_where_the_rules_say_so() -> None:
    table = Position(with_neutral(after_last_turn=True)).after_turns(13).put("last_left", 1)
    end_round(table, TICKET)

    assert (table.phase, table.seat) == (Phase.NEUTRAL, 1)
    table.chooses(A)
    assert (table.number("phase"), table.owner(A)) == (Phase.OVER, NEUTRAL_OWNER)


@pytest.mark.parametrize("first_round", [1, 3, 9])
def test_from_which_round_it_plays(first_round: int) -> None:
    for n_rounds in (first_round - 1, first_round):
        if n_rounds:
            table = Position(with_neutral(first_round=first_round)).after_turns(2 * n_rounds - 1)
            table.do_by_chance(DRAW, DRAW)
            assert (len(table.events) == 2) == (n_rounds == first_round)


@pytest.mark.parametrize("seat", [0, 1])
def test_who_holds_its_marker_first(seat: int) -> None:
    assert Position(with_neutral(marker_seat=seat)).number("marker") == seat


def test_its_number_of_trains() -> None:
    assert neutral_trains(Position(with_neutral(trains=7))) == 7


def test_the_player_beside_is_paid_nothing_where_second_tracks_pay_the_bank() -> None:
    bank = changed(load("nederland").with_variant("neutral"), money={"second_track_pays": "bank"})
    table = end_round(Position(bank).after_turns(11).own(0, A), TICKET)

    assert table.owner(B) == NEUTRAL_OWNER
    assert table.numbers("tokens") == [30, 30]


def test_its_network_completes_no_tickets() -> None:
    table = new().tickets(0, "Breda-Haarlem").own("neutral", A)
    before = table.scores()

    assert table.own("neutral", "'s-Gravenhage-Rotterdam/0", "'s-Gravenhage-Haarlem/0").scores() == before
    assert before[0] == 35 - 12
