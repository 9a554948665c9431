"""Train cards: the draw pile, the market, the hands, and moving cards between them."""

from __future__ import annotations

from ttr_analysis._compile import Ints, compiled, quickly_compiled
from ttr_analysis.cards import LOCOMOTIVE_INDEX, N_COLORS, N_KINDS
from ttr_analysis.engine import codes
from ttr_analysis.engine.codes import kind_of, make_event
from ttr_analysis.engine.layout import OLD_UNKNOWN_CARD, UNKNOWN_CARD, UNKNOWN_MATCH, State
from ttr_analysis.rules.chance import below
from ttr_analysis.rules.market import (
    EMPTY,
    count_cards,
    draws_for_face_up,
    has_too_many_locomotives,
    is_reset_due,
    kind_at,
    may_take_face_up,
    next_empty_slot,
    sweep_market,
)
from ttr_analysis.rules.tunnel import matching_cards
from ttr_analysis.tables import Tables, face_up_rules


@compiled
def has_cards(state: State) -> bool:
    """Return whether a card can be drawn, after a shuffle if needed."""
    if state.n_pile > 0:
        return True
    return bool(count_cards(state.discards) + state.n_swept > 0)


# -- the draw pile ------------------------------------------------------------


@compiled
def make_drawable(state: State, tables: Tables, tape: Ints) -> bool:
    """Shuffle the discards into a new pile if the pile is empty; return whether there is a card to draw."""
    if state.n_pile == 0:
        _shuffle_discards(state, tables, tape)
    return bool(state.n_pile > 0)


@compiled
def _shuffle_discards(state: State, tables: Tables, tape: Ints) -> None:
    """Make the discards the draw pile, which must be empty; everyone then knows what the pile may hold."""
    n = count_cards(state.discards) + state.n_swept
    if n == 0:
        return
    for kind in range(N_KINDS):
        state.pool[kind] = state.discards[kind] + most_swept(state, kind)
        state.draw_pile[kind] += state.discards[kind]
        state.discards[kind] = 0
    for slot in range(tables.market_size):
        if state.market[slot] == UNKNOWN_CARD:
            state.market[slot] = OLD_UNKNOWN_CARD
    state.n_pile = n
    state.n_swept = 0
    state.swept_match.fill(0)
    state.swept_other.fill(0)
    state.n_shuffles += 1
    for seat in range(tables.n_seats):
        state.old[seat] = _n_unknown(state, seat)
        state.blind[seat].fill(0)
    write_event(tape, make_event(codes.SHUFFLED, 0, codes.SHUFFLED_CARDS), 0)


@compiled
def most_swept(state: State, kind: int) -> int:
    """Return the maximum number of unknown discards that could be of this kind."""
    n = state.n_swept
    if n == 0:
        return 0
    for color in range(N_KINDS):
        matches = kind in (color, LOCOMOTIVE_INDEX)
        n -= state.swept_other[color] if matches else state.swept_match[color]
    return int(min(n, state.draw_pile[kind]))


@compiled
def _shuffle_if_at_once(state: State, tables: Tables, tape: Ints) -> None:
    if tables.shuffle_at_once and state.n_pile == 0:
        _shuffle_discards(state, tables, tape)


@compiled
def draw_unseen(state: State, tables: Tables, tape: Ints, seat: int, code: int) -> None:
    """Give a seat the top card of the draw pile, which must not be empty."""
    kind = next_card(state, tape, code)
    state.n_hand[seat] += 1
    if kind != UNKNOWN_CARD:
        state.hand[seat, kind] += 1
        state.blind[seat, kind] += 1
    _shuffle_if_at_once(state, tables, tape)


@compiled
def turn_over(state: State, tables: Tables, tape: Ints, code: int) -> int:
    """Turn over the top card of the draw pile, which must not be empty; return its kind."""
    kind = next_card(state, tape, code)
    if kind < UNKNOWN_CARD:
        state.pool[kind] -= 1
    _shuffle_if_at_once(state, tables, tape)
    return kind


# -- the market ---------------------------------------------------------------


@compiled
def fill_slot(state: State, tables: Tables, tape: Ints, slot: int) -> None:
    """Put the top card into a market slot, which stays empty if there is none."""
    state.market[slot] = EMPTY
    if make_drawable(state, tables, tape):
        n_shuffles = state.n_shuffles
        kind = turn_over(state, tables, tape, make_event(codes.MARKET_CARD, 0, slot))
        if kind == UNKNOWN_CARD and state.n_shuffles > n_shuffles:
            kind = OLD_UNKNOWN_CARD  # it was the last card, and the discards were shuffled at once
        state.market[slot] = kind


@compiled
def fill_market(state: State, tables: Tables, tape: Ints) -> None:
    """Fill the empty slots in order; if there were any, replace the market as often as the rules require."""
    if _fill_slots(state, tables, tape):
        reset_market(state, tables, tape)


@compiled
def _fill_slots(state: State, tables: Tables, tape: Ints) -> bool:
    market = state.market[: tables.market_size]
    slot = next_empty_slot(market, 0)
    is_refill = slot < market.size
    while slot < market.size:
        fill_slot(state, tables, tape, slot)
        slot = next_empty_slot(market, slot + 1)
    return bool(is_refill)


@compiled
def reset_market(state: State, tables: Tables, tape: Ints) -> None:
    """Replace all face-up cards, as often as the rules require after a refill."""
    n_resets = 0
    # After a fault, the market may contain an unknown card that is not counted in any pile.
    while not state.fault and _is_reset_due(state, tables, tape, n_resets):
        _sweep_unknown(state, tables)
        sweep_market(state.market[: tables.market_size], state.discards)
        state.added_discards = 1
        write_event(tape, make_event(codes.SHUFFLED, 0, codes.SHUFFLED_MARKET), 0)
        _fill_slots(state, tables, tape)
        n_resets += 1


@compiled
def _sweep_unknown(state: State, tables: Tables) -> None:
    """Discard the unknown cards of the market; if they must be locomotives for the reset, count them as such."""
    n_missing = tables.reset_at
    for slot in range(tables.market_size):
        n_missing -= state.market[slot] == LOCOMOTIVE_INDEX
    for slot in range(tables.market_size):
        if state.market[slot] < UNKNOWN_CARD:
            continue
        if n_missing > 0:
            identify_face_up(state, slot, LOCOMOTIVE_INDEX)
            n_missing -= 1
        else:
            state.market[slot] = EMPTY
            state.n_swept += 1


@compiled
def _is_reset_due(state: State, tables: Tables, tape: Ints, n_resets: int) -> bool:
    if not has_too_many_locomotives(state.market[: tables.market_size], tables.reset_at):
        # The usual case, in which the piles need not be counted.
        # If unknown cards may be locomotives, the record decides.
        return is_scripted(tape) and _may_have_too_many(state, tables) and is_next(tape, codes.MARKET_CARD)
    n_discarded = 0
    n_in_pile = 0
    for kind in range(N_COLORS):
        n_discarded += state.discards[kind]
        n_in_pile += state.draw_pile[kind]
    is_due = _is_due_with(state, tables, n_discarded + min(n_in_pile, state.n_pile + state.n_swept), n_resets)
    if is_due and is_scripted(tape):
        # Unknown cards count as being in the pile. If the reset is due only with them, the record decides.
        n_in_pile = max(0, state.n_pile - state.draw_pile[LOCOMOTIVE_INDEX])
        if not _is_due_with(state, tables, n_discarded + n_in_pile, n_resets):
            return is_next(tape, codes.MARKET_CARD)
    return is_due


@compiled
def _may_have_too_many(state: State, tables: Tables) -> bool:
    """Return whether enough face-up cards may be locomotives for a reset, counting unknown ones."""
    n_unknown = 0
    n_locomotives = 0
    for slot in range(tables.market_size):
        n_unknown += state.market[slot] >= UNKNOWN_CARD
        n_locomotives += state.market[slot] == LOCOMOTIVE_INDEX
    n_locomotives += min(n_unknown, state.draw_pile[LOCOMOTIVE_INDEX])
    return n_unknown > 0 and 0 < tables.reset_at <= n_locomotives


@compiled
def _is_due_with(state: State, tables: Tables, n_colored_in_piles: int, n_resets: int) -> bool:
    """Return whether the piles hold enough colored cards for a reset."""
    return is_reset_due(state.market[: tables.market_size], n_colored_in_piles, n_resets, face_up_rules(tables))


@compiled
def may_take(state: State, tables: Tables, slot: int) -> bool:
    """Return whether the known card in a slot may be taken now."""
    return state.market[slot] < UNKNOWN_CARD and may_take_kind(state, tables, state.market[slot])


@compiled
def may_take_kind(state: State, tables: Tables, kind: int) -> bool:
    """Return whether a face-up card of a kind may be taken now."""
    return may_take_face_up(kind, state.n_taken, has_cards(state), face_up_rules(tables))


@compiled
def can_draw(state: State, tables: Tables, known_only: bool = False) -> bool:
    """Return whether a card can be drawn now; with `known_only`, unknown face-up cards are ignored."""
    if has_cards(state):
        return True
    for slot in range(tables.market_size):
        if may_take(state, tables, slot) or (not known_only and may_take_kind(state, tables, state.market[slot])):
            return True
    return False


@quickly_compiled
def identify_face_up(state: State, slot: int, kind: int) -> None:
    """Reveal an unknown market card; it leaves the pool unless some face-up card may be from an old pile."""
    may_be_old = False
    for other in range(len(state.market)):
        may_be_old = may_be_old or state.market[other] == OLD_UNKNOWN_CARD
    if not may_be_old:
        state.pool[kind] -= 1
    state.draw_pile[kind] -= 1
    state.market[slot] = kind


@compiled
def take_face_up(state: State, tables: Tables, tape: Ints, seat: int, slot: int) -> int:
    """Give a seat the card in a slot and refill the slot; return the number of draws it cost."""
    kind = state.market[slot]
    state.n_hand[seat] += 1
    state.hand[seat, kind] += 1
    state.known[seat, kind] += 1
    fill_slot(state, tables, tape, slot)
    reset_market(state, tables, tape)
    return int(draws_for_face_up(kind, tables.locomotive_cost))


# -- hands --------------------------------------------------------------------


@compiled
def _n_unknown(state: State, seat: int) -> int:
    known = count_cards(state.known[seat])
    return int(state.n_hand[seat] - known)


@compiled
def unseen_cards(state: State, seat: int, kind: int) -> int:
    """Return how many cards of a kind the draw pile may hold, as far as a seat can know."""
    return int(max(0, state.pool[kind] - state.blind[seat, kind]))


@compiled
def play_cards(state: State, seat: int, cards: Ints) -> None:
    """Play cards from a hand; unknown ones leave the pool unless they may date from before the last shuffle."""
    n_played = 0
    for kind in range(N_KINDS):
        n = cards[kind]  # mostly 0, which changes nothing below
        state.hand[seat, kind] -= n
        unknown = max(0, n - state.known[seat, kind])
        state.known[seat, kind] -= n - unknown
        if state.old[seat] == 0:
            state.pool[kind] -= unknown
            state.blind[seat, kind] = max(0, state.blind[seat, kind] - unknown)
        n_played += n
    if state.n_shown[seat] > 0:
        n_matching = matching_cards(cards, state.shown_color[seat])
        state.n_shown[seat] = max(0, state.n_shown[seat] - n_matching)
    state.n_hand[seat] -= n_played
    state.old[seat] = min(state.old[seat], _n_unknown(state, seat))


@compiled
def take_back(state: State, seat: int, cards: Ints) -> None:
    """Put cards that everyone has seen back into a hand."""
    for kind in range(N_KINDS):
        state.hand[seat, kind] += cards[kind]
        state.known[seat, kind] += cards[kind]
        state.n_hand[seat] += cards[kind]


@compiled
def discard(state: State, tables: Tables, tape: Ints, cards: Ints) -> None:
    """Put cards on the discard pile."""
    for kind in range(N_KINDS):
        state.discards[kind] += cards[kind]
    state.added_discards = 1
    _shuffle_if_at_once(state, tables, tape)


# -- random events: all pass through here --------------------------------------------------------------------------


@compiled
def write_event(tape: Ints, code: int, value: int) -> None:
    """Write an event if there is room on the tape; count it either way."""
    at = tape[codes.WRITE_AT]
    if at + 2 <= tape[codes.WRITE_END]:
        tape[at] = code
        tape[at + 1] = value
    tape[codes.WRITE_AT] = at + 2


@compiled
def is_scripted(tape: Ints) -> bool:
    """Return whether outcomes are read from the tape."""
    return bool(tape[codes.READ_END] > 0)


@compiled
def read_outcome(state: State, tape: Ints, code: int) -> int:
    """Return the next outcome of the script; -1 and a fault if it is missing or of another kind."""
    at = tape[codes.READ_AT]
    if at >= tape[codes.READ_END] or tape[at] != code:
        state.fault = 1
        return -1
    tape[codes.READ_AT] = at + 2
    return int(tape[at + 1])


@compiled
def is_next(tape: Ints, code: int) -> bool:
    """Return whether this is the next outcome of the script."""
    at = tape[codes.READ_AT]
    return bool(at < tape[codes.READ_END] and tape[at] == code)


@compiled
def next_card(state: State, tape: Ints, code: int) -> int:
    """Take the next card of the draw pile, which must not be empty, writing event `code`; return its kind."""
    if is_scripted(tape):
        kind = _scripted_card(state, tape, code)
    else:
        kind = kind_at(state.draw_pile, below(state.stream, state.n_pile))
    if kind < UNKNOWN_CARD:
        state.draw_pile[kind] -= 1
    state.n_pile -= 1
    write_event(tape, code, kind)
    return kind


@compiled
def _scripted_card(state: State, tape: Ints, code: int) -> int:
    """Return the kind given by the script; a fault if the pile has none."""
    kind = read_outcome(state, tape, code)
    if kind == UNKNOWN_CARD or (kind == UNKNOWN_MATCH and kind_of(code) == codes.CARD_REVEALED):
        return kind
    if 0 <= kind < N_KINDS and state.draw_pile[kind] > 0:
        return kind
    state.fault = 1
    return UNKNOWN_CARD  # keeps all counts in range


@compiled
def random_below(state: State, n: int) -> int:
    """Return a random number from 0 to n - 1 from the state's random stream."""
    return below(state.stream, n)
