"""
The rules of the set-up.

The rules, sections 1 to 5 and 7, "Set-up". Rule books: Nordic Countries, preparation;
Switzerland, destination tickets; Nederland, tickets and toll tokens, and the
variants without tolls and with a neutral player.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest

from tests.engine.positions import changed, face_up
from tests.fixtures import BUILT_IN, load
from ttr_analysis import GameMap
from ttr_analysis._compile import Ints
from ttr_analysis.cards import CARD_KINDS, COLORS, card_index
from ttr_analysis.engine import codes
from ttr_analysis.engine.codes import ActionFault, argument_of, kind_of, make_action, make_event, seat_of
from ttr_analysis.engine.kernel.step import action_fault, list_actions, step
from ttr_analysis.engine.kernel.turns import new_game
from ttr_analysis.engine.layout import AT_DISCARDS, AT_PILE, AT_QUEUE, AT_REMOVED, NEUTRAL_OWNER, NOBODY, Phase, State
from ttr_analysis.rules.chance import seed_key
from ttr_analysis.rules.ruleset import DeckRules
from ttr_analysis.tables import Tables, game_tables

SILENT = np.zeros(4, dtype=np.int64)


def start(game_map: GameMap, n_players: int, script: list[tuple[int, int]] | None = None) -> tuple[State, Tables, Ints]:
    """Return state, tables and tape of a new game; with a script of codes and values, chance is that."""
    tables = game_tables(game_map, n_players)
    state = State()
    tape = np.zeros(2000, dtype=np.int64)
    flat = [number for pair in script or [] for number in pair]
    tape[codes.TAPE_START : codes.TAPE_START + len(flat)] = flat
    tape[codes.READ_AT] = codes.TAPE_START
    tape[codes.READ_END] = codes.TAPE_START + len(flat) if script else 0
    tape[codes.WRITE_AT] = codes.TAPE_START + len(flat)
    tape[codes.WRITE_END] = tape.size
    new_game(tables, seed_key(7), 0, state, tape)
    assert not state.fault
    return state, tables, tape


def keep(state: State, tables: Tables, *numbers: int) -> None:
    """Keep the tickets of these numbers in the offer."""
    action = codes.KEEP_TICKETS, sum(1 << number for number in numbers)
    assert action_fault(state, tables, *action) == ActionFault.NONE
    step(state, tables, *action, SILENT.copy())


def offer_of(state: State, seat: int) -> list[int]:
    return [int(ticket) for ticket in state.offer[seat, : state.n_offer[seat]]]


each = pytest.mark.parametrize(("name", "n_players"), [(name, n) for name in BUILT_IN for n in (2, 3)])


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_deck_has_12_of_each_color_and_14_locomotives(name: str) -> None:
    assert load(name).rules.deck.counts == (12,) * len(COLORS) + (14,)
    assert load(name).rules.deck.n_cards == 110


@each
def test_each_seat_is_dealt_four_cards(name: str, n_players: int) -> None:
    state, _, _ = start(load(name), n_players)

    for seat in range(n_players):
        assert state.n_hand[seat] == state.hand[seat].sum() == 4


@each
def test_five_cards_lie_face_up(name: str, n_players: int) -> None:
    state, _, _ = start(load(name), n_players)

    assert (state.market[:5] != NOBODY).all()
    assert (state.market[5:10] == NOBODY).all()


@each
def test_the_other_cards_are_the_draw_pile(name: str, n_players: int) -> None:
    state, _, _ = start(load(name), n_players)

    assert state.n_pile + state.discards.sum() == 110 - 4 * n_players - 5


@pytest.mark.parametrize(
    ("name", "trains"), [("nordic", 40), ("switzerland", 40), ("nederland", 40), ("usa", 45)], ids=str
)
def test_each_seat_has_its_trains(name: str, trains: int) -> None:
    state, _, _ = start(load(name), 3)

    assert state.trains[:4].tolist() == [trains, trains, trains, 0]


@pytest.mark.parametrize(
    ("name", "variant", "scores"),
    [
        pytest.param("nordic", None, [0, 0, 0], id="Nordic, preparation: space 100 counts as 0"),
        pytest.param("switzerland", None, [0, 0, 0], id="Switzerland: 0 for all"),
        pytest.param("nederland", None, [0, 1, 2], id="Nederland, toll tokens: by seat"),
        pytest.param("nederland", None, [0, 1, 2, 3, 4], id="Nederland: five players"),
        pytest.param("nederland", "no_tolls", [0, 1, 2, 3, 4], id="Nederland without tolls: as with them"),
        pytest.param("usa", None, [0, 0, 0], id="USA: 0 for all"),
    ],
)
def test_scores_at_the_start(name: str, variant: str | None, scores: list[int]) -> None:
    state, _, _ = start(load(name).with_variant(variant), len(scores))

    assert state.score[: len(scores)].tolist() == scores


def test_tokens_worth_30_and_no_loan_in_nederland() -> None:
    state, _, _ = start(load("nederland"), 4)

    assert state.tokens[:5].tolist() == [30, 30, 30, 30, 0]
    assert state.loans[:5].tolist() == [0] * 5


def test_the_neutral_player_has_40_trains_and_seat_1_its_marker() -> None:
    state, _, _ = start(load("nederland").with_variant("neutral"), 2)

    assert state.trains[NEUTRAL_OWNER] == 40
    assert state.neutral_in == 1
    assert state.marker == 1


@pytest.mark.parametrize("name", BUILT_IN)
def test_there_is_no_neutral_player_but_in_its_variant(name: str) -> None:
    state, _, _ = start(load(name), 2)

    assert state.neutral_in == state.trains[NEUTRAL_OWNER] == 0


@pytest.mark.parametrize(
    ("name", "n_players"),
    [("nordic", (2, 3)), ("switzerland", (2, 3)), ("nederland", (2, 5)), ("usa", (2, 5))],
    ids=str,
)
def test_numbers_of_players(name: str, n_players: tuple[int, int]) -> None:
    fewest, most = n_players

    for n in range(fewest, most + 1):
        start(load(name), n)
    for n in (fewest - 1, most + 1):
        with pytest.raises(ValueError, match=f"{fewest} to {most} players, got {n}"):
            start(load(name), n)


def test_the_neutral_player_is_for_two_players() -> None:
    with pytest.raises(ValueError, match="2 to 2 players, got 3"):
        start(load("nederland").with_variant("neutral"), 3)


# -- tickets ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "n_tickets", "dealt", "fewest"),
    [
        pytest.param("nordic", 46, 5, 2, id="Nordic, preparation: 5, keep 2"),
        pytest.param("switzerland", 46, 5, 2, id="Switzerland, tickets: 5, keep 2"),
        pytest.param("nederland", 44, 5, 3, id="Nederland, tickets: 5, keep 3"),
        pytest.param("usa", 30, 3, 2, id="USA: 3, keep 2"),
    ],
)
def test_opening_tickets(name: str, n_tickets: int, dealt: int, fewest: int) -> None:
    game_map = load(name)
    state, tables, _ = start(game_map, 2)

    assert len(game_map.tickets) == n_tickets
    assert [len(offer_of(state, seat)) for seat in (0, 1)] == [dealt, dealt]
    assert state.n_ticket_pile == n_tickets - 2 * dealt
    for kept in range(1 << dealt):
        few = kept.bit_count() < fewest
        fault = action_fault(state, tables, codes.KEEP_TICKETS, kept)
        assert fault == (ActionFault.KEEP_FEW if few else ActionFault.NONE)
    out = np.zeros((100, 2), dtype=np.int64)
    n_listed = list_actions(state, tables, out)
    assert {int(kept) for kept in out[:n_listed, 1]} == {k for k in range(1 << dealt) if k.bit_count() >= fewest}


def decks_of(game_map: GameMap, tickets: Iterable[int]) -> list[str]:
    return [game_map.tickets[ticket].deck for ticket in tickets]


@pytest.mark.parametrize("n_players", [2, 5])
def test_everyone_is_dealt_one_long_ticket_and_three_short_ones_and_keeps_two(n_players: int) -> None:
    europe = load("europe")
    state, tables, _ = start(europe, n_players)

    for seat in range(n_players):
        assert decks_of(europe, offer_of(state, seat)) == ["long", "short", "short", "short"]
    for kept in range(1 << 4):
        fault = action_fault(state, tables, codes.KEEP_TICKETS, kept)
        assert fault == (ActionFault.KEEP_FEW if kept.bit_count() < 2 else ActionFault.NONE)


@pytest.mark.parametrize("n_players", [2, 5])
def test_long_tickets_not_dealt_and_all_opening_tickets_not_kept_leave_the_game(n_players: int) -> None:
    europe = load("europe")
    state, tables, _ = start(europe, n_players)
    is_out = [t for t in range(46) if state.ticket_at[t] == AT_REMOVED]
    assert decks_of(europe, is_out) == ["long"] * (6 - n_players)
    assert state.n_ticket_pile == 40 - 3 * n_players
    offers = [offer_of(state, seat) for seat in range(n_players)]
    for _ in range(n_players):
        keep(state, tables, 0, 2)

    assert {int(state.ticket_at[t]) for offer in offers for t in (offer[1], offer[3])} == {AT_REMOVED}
    assert state.n_queued == state.n_ticket_discards == 0
    assert set(decks_of(europe, np.flatnonzero(state.ticket_at == AT_PILE))) == {"short"}


def test_two_decks_in_one_pile() -> None:
    decks = (DeckRules("long", 2), DeckRules("short", 1))
    europe = changed("europe", tickets={"decks": decks, "opening_deal": 3, "opening_unkept": "under_pile"})
    state, tables, _ = start(europe, 2)

    assert [decks_of(europe, offer_of(state, seat)) for seat in (0, 1)] == [["long", "long", "short"]] * 2
    assert state.n_ticket_pile == 40
    keep(state, tables, 0, 1)
    assert state.n_queued == 1


def test_no_ticket_is_kept_that_is_not_offered() -> None:
    state, tables, _ = start(load("nordic"), 2)

    for kept in (-1, 0b100011):
        assert action_fault(state, tables, codes.KEEP_TICKETS, kept) == ActionFault.KEEP_OTHER


def test_all_are_dealt_tickets_before_anyone_chooses() -> None:
    state, tables, _ = start(load("nordic"), 3)
    dealt = [offer_of(state, seat) for seat in range(3)]

    assert state.phase == Phase.KEEP_START
    keep(state, tables, 0, 1)

    assert [offer_of(state, seat) for seat in range(3)] == [[], *dealt[1:]]


def test_opening_tickets_are_chosen_in_seat_order_and_then_seat_0_begins() -> None:
    state, tables, _ = start(load("nordic"), 3)
    order = []
    while state.phase == Phase.KEEP_START:
        order.append(int(state.seat))
        keep(state, tables, 0, 4)

    assert order == [0, 1, 2]
    assert (state.phase, state.seat) == (Phase.TURN, 0)
    assert state.n_held[:3].tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    ("name", "place"),
    [
        pytest.param("nordic", AT_REMOVED, id="Nordic, preparation: out of the game"),
        pytest.param("switzerland", AT_REMOVED, id="Switzerland, tickets: out of the game"),
        pytest.param("nederland", AT_DISCARDS, id="Nederland, tickets: face up on the discards"),
        pytest.param("usa", AT_QUEUE, id="USA: under the pile"),
    ],
)
def test_where_tickets_go_that_are_not_kept(name: str, place: int) -> None:
    state, tables, _ = start(load(name), 2)
    dealt = offer_of(state, 0)
    kept = [0, 1, 2][: 3 if name == "nederland" else 2]
    keep(state, tables, *kept)

    assert [int(state.ticket_at[dealt[i]]) for i in kept] == [0] * len(kept)
    assert {int(state.ticket_at[ticket]) for ticket in dealt[len(kept) :]} == {place}
    assert state.held[0, : len(kept)].tolist() == dealt[: len(kept)]


def test_returned_tickets_go_under_the_pile_seat_by_seat_in_the_order_offered() -> None:
    state, tables, _ = start(changed("usa", tickets={"opening_deal": 5}), 2)
    first, second = offer_of(state, 0), offer_of(state, 1)
    keep(state, tables, 1, 3)
    keep(state, tables, 0, 2)

    assert state.queue[:6].tolist() == [first[0], first[2], first[4], second[1], second[3], second[4]]


def test_a_small_ticket_pile_deals_what_there_is() -> None:
    usa = changed("usa", tickets={"opening_deal": 20, "opening_keep": 12})
    state, tables, _ = start(usa, 2)

    assert [len(offer_of(state, seat)) for seat in (0, 1)] == [20, 10]
    keep(state, tables, *range(12))
    assert action_fault(state, tables, codes.KEEP_TICKETS, (1 << 9) - 1) == ActionFault.KEEP_FEW
    assert action_fault(state, tables, codes.KEEP_TICKETS, (1 << 10) - 1) == ActionFault.NONE


def test_every_ticket_is_in_one_place_after_the_opening() -> None:
    state, tables, _ = start(load("usa"), 5)
    for _ in range(5):
        keep(state, tables, 0, 2)

    places = Counter(state.ticket_at.tolist())
    assert {place: n for place, n in places.items() if 0 <= place < 5} == dict.fromkeys(range(5), 2)
    assert places[AT_QUEUE] == 5


# -- the market -----------------------------------------------------------------


def opening_script(game_map: GameMap, market: list[str]) -> list[tuple[int, int]]:
    """Return a script for two players: no locomotives are dealt, these cards are turned up in turn."""
    hands = [(make_event(codes.CARD_DEALT, seat), kind) for seat in (0, 1) for kind in range(4)]
    slots = [(make_action(codes.MARKET_CARD, i % 5), card_index(card)) for i, card in enumerate(market)]
    n_dealt = game_map.rules.tickets.opening_deal
    return (
        hands
        + slots
        + [(make_event(codes.TICKET_OFFERED, seat), seat * n_dealt + i) for seat in (0, 1) for i in range(n_dealt)]
    )


THREE = ["locomotive", "red", "locomotive", "blue", "locomotive"]
NONE = ["red", "blue", "green", "white", "black"]


@pytest.mark.parametrize("name", ["switzerland", "nederland", "usa"])
def test_the_reset_check_runs_after_set_up(name: str) -> None:
    game_map = load(name)
    state, _, _ = start(game_map, 2, opening_script(game_map, THREE + NONE))

    assert [CARD_KINDS[card] for card in state.market[:5]] == NONE
    assert state.discards[card_index("locomotive")] == 3


def test_a_reset_at_set_up_may_be_followed_by_another() -> None:
    usa = load("usa")
    state, _, _ = start(usa, 2, opening_script(usa, THREE + THREE[::-1] + NONE))

    assert [CARD_KINDS[card] for card in state.market[:5]] == NONE
    assert state.discards.sum() == 10


def test_discards_of_the_set_up_belong_to_no_turn() -> None:
    usa = load("usa")
    state, _, _ = start(usa, 2, opening_script(usa, THREE + NONE))

    assert state.added_discards == 0


def test_nordic_has_no_reset_at_set_up() -> None:
    nordic = load("nordic")
    state, _, _ = start(nordic, 2, opening_script(nordic, ["locomotive"] * 5))

    assert [CARD_KINDS[card] for card in state.market[:5]] == ["locomotive"] * 5


def test_the_order_of_the_set_up_is_cards_then_market_then_tickets() -> None:
    _, _, tape = start(load("usa"), 3)
    written = tape[codes.TAPE_START : tape[codes.WRITE_AT]].reshape(-1, 2)
    dealt = [(kind_of(code), seat_of(code), argument_of(code)) for code, _ in written.tolist()]
    market = [kind for kind, _, _ in dealt if kind in (codes.MARKET_CARD, codes.SHUFFLED)]

    assert dealt[:12] == [(codes.CARD_DEALT, seat, 0) for seat in range(3) for _ in range(4)]
    assert dealt[12:17] == [(codes.MARKET_CARD, 0, slot) for slot in range(5)]
    assert dealt[12 + len(market) :] == [(codes.TICKET_OFFERED, seat, 0) for seat in range(3) for _ in range(3)]


def test_nothing_but_keeping_is_due_at_the_start() -> None:
    state, tables, _ = start(load("nordic"), 2)

    for action in [(codes.DRAW_CARD, 0), face_up(0), (codes.DRAW_TICKETS, 0), (codes.PASS, 0)]:
        assert action_fault(state, tables, *action) == ActionFault.PHASE
