"""What somebody knows of a game, and worlds: whole states that agree with it, drawn at random."""

from __future__ import annotations

from operator import index
from typing import Final, NamedTuple, SupportsIndex

import numpy as np

from ttr_analysis._arrays import Ints
from ttr_analysis._compile import compiled
from ttr_analysis.analysis._counts import count_cards
from ttr_analysis.cards import N_KINDS
from ttr_analysis.engine.codes import (
    FIRST_EVENT,
    KEEP_TICKETS,
    NEUTRAL_TICKET,
    SHUFFLED,
    SHUFFLED_TICKETS,
    TICKET_OFFERED,
)
from ttr_analysis.engine.kernel.turns import new_game
from ttr_analysis.engine.layout import (
    KEEP_START,
    OLD_UNKNOWN_CARD,
    OVER,
    UNKNOWN_CARD,
    UNKNOWN_TICKET,
    State,
)
from ttr_analysis.engine.state import GameState, seat_number
from ttr_analysis.engine.view import SeatView, redact
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies.playout import NO_TAPE_CELLS, Players
from ttr_analysis.policies.search.styles import PRIOR, styled_share
from ttr_analysis.policies.search.unseen_tickets import Beliefs, count_opening, fill_kept, fill_tickets
from ttr_analysis.records.entries import CORRECTED, SHOWN, Entry
from ttr_analysis.records.record import GameRecord
from ttr_analysis.rules.chance import KEY_SIZE, TABLE_STREAM, below, open_stream
from ttr_analysis.rules.market import has_too_many_locomotives
from ttr_analysis.tables import MAX_TICKETS, UNKEPT_DISCARDED, Tables, game_tables

Source = GameRecord | GameState | SeatView
"""What a position is taken from."""


class Knowledge(NamedTuple):
    """
    What somebody knows of a game.

    Parameters
    ----------
    game_map
        The map, as the variant that is played.
    n_players
        Number of players, without the neutral one.
    packed
        The packed state with unknowns.
    looker
        The seat that knows it, or `EVERYBODY` who watches all hands.
    barred
        For each seat, tickets that it cannot hold, though they are not seen.
    styled
        Which share of the players, it seems, play otherwise than `Planner`.
    """

    game_map: GameMap
    n_players: int
    packed: State
    looker: int
    barred: tuple[frozenset[int], ...]
    styled: float

    @property
    def tables(self) -> Tables:
        """The map and its rules as one record."""
        return game_tables(self.game_map, self.n_players)

    @property
    def is_known(self) -> bool:
        """Whether the game is over and all tickets that score are known."""
        held = [self.held(seat) for seat in range(self.n_players)]
        return bool(self.packed.phase == OVER and UNKNOWN_TICKET not in np.concatenate(held))

    def held(self, seat: int) -> Ints:
        """Return the tickets of a seat, `UNKNOWN_TICKET` for one that is not known."""
        return self.packed.held[seat, : self.packed.n_held[seat]]


class Watcher:
    """
    Watches a record from one seat, or with all hands in view.

    Parameters
    ----------
    record
        The game.
    seat
        Who watches; None for somebody who sees all that the record knows.

    Raises
    ------
    GameError
        If there is no such seat.
    """

    def __init__(self, record: GameRecord, seat: int | None) -> None:
        self._record = record
        self._seat = None if seat is None else seat_number(seat, record.header.n_players)
        self._memories = [] if self._seat is None else _remember(record)
        self._styled = styled_share(record, range(record.header.n_players) if self._seat is None else [self._seat])

    def at(self, step: SupportsIndex) -> Knowledge:
        """Return what is known after a step of the record."""
        state = self._record.state_at(step)
        number = range(len(self._record.states()))[index(step)]
        known = knowledge_of(state, self._seat)._replace(styled=self._styled)
        return known if known.looker == EVERYBODY else known._replace(barred=self._memories[number])


_Barred = tuple[frozenset[int], ...]
"""For each seat, tickets that lay face up until a shuffle and that it cannot hold, as it has drawn none since."""


def _remember(record: GameRecord) -> list[_Barred]:
    """Return what everyone remembers after each step of a record, and a state alone does not tell."""
    desk = _TicketDesk(record)
    memories: list[_Barred] = []
    for entry in record.entries:
        if entry.kind < FIRST_EVENT or entry.kind in (SHOWN, CORRECTED):
            memories.append(desk.barred)
        desk.note(entry)
    return [*memories, desk.barred]


class _TicketDesk:
    """Follows the tickets that lie face up through a game."""

    def __init__(self, record: GameRecord) -> None:
        tables = game_tables(record.map, record.header.n_players)
        self._lies_open = tables.unkept == UNKEPT_DISCARDED
        self._offers: dict[int, list[int]] = {}
        self._face_up: set[int] = set()
        self._barred: list[frozenset[int]] = [frozenset()] * record.header.n_players

    @property
    def barred(self) -> _Barred:
        """What is remembered now."""
        return tuple(self._barred)

    def note(self, entry: Entry) -> None:
        """Take note of an event."""
        if entry.kind == TICKET_OFFERED:
            self._offers.setdefault(entry.seat, []).append(entry.value)
            self._barred[entry.seat] = frozenset()
        elif entry.kind == NEUTRAL_TICKET:
            self._lay_open(entry.value)
        elif entry.kind == KEEP_TICKETS:
            self._give_back(entry)
        elif entry.kind == SHUFFLED and entry.argument == SHUFFLED_TICKETS:
            self._barred = [barred | self._face_up for barred in self._barred]
            self._face_up = set()
        elif entry.kind == CORRECTED and entry.position is not None and entry.position.tickets is not None:
            self._barred = [frozenset()] * len(self._barred)

    def _give_back(self, entry: Entry) -> None:
        kept = list(entry.tickets)
        for ticket in self._offers.pop(entry.seat, []):
            if ticket in kept:
                kept.remove(ticket)
            elif self._lies_open:
                self._lay_open(ticket)

    def _lay_open(self, ticket: int) -> None:
        if ticket != UNKNOWN_TICKET:
            self._face_up.add(ticket)


def knowledge_of(state: GameState | SeatView, seat: int | None) -> Knowledge:
    """
    Return what a seat can see of a state, or all that is in the state.

    When a game is over all tickets are shown.
    """
    vector = state.packed
    barred = (frozenset[int](),) * state.n_players
    if seat is not None:
        seat = seat_number(seat, state.n_players)
    if seat is None or (state.is_over and isinstance(state, GameState)):
        return Knowledge(state.game_map, state.n_players, vector, EVERYBODY, barred, PRIOR)
    tables = game_tables(state.game_map, state.n_players)
    return Knowledge(state.game_map, state.n_players, redact(vector, tables, seat), seat, barred, PRIOR)


def know(source: Source, seat: int | None, step: SupportsIndex) -> Knowledge:
    """
    Return what a seat knows of a position.

    Parameters
    ----------
    source
        A record, a state, or what a seat sees of one. A record also tells
        which tickets lay face up until a shuffle.
    seat
        Who looks; None for somebody who sees all hands, or for the seat of
        the view.
    step
        Which step of the record; not asked for otherwise.

    Raises
    ------
    TypeError
        If the source is something else.
    ValueError
        If a view is to be seen from another seat.
    """
    if isinstance(source, GameRecord):
        return Watcher(source, seat).at(step)
    if isinstance(source, SeatView):
        if seat not in (None, source.seat):
            raise ValueError(f"this is what P{source.seat} sees, which says nothing of what P{seat} knows")
        return knowledge_of(source, source.seat)
    if isinstance(source, GameState):
        return knowledge_of(source, seat)
    raise TypeError(f"expected a GameRecord, a GameState or a SeatView, got {source!r}")


# -- worlds --------------------------------------------------------------------------------------------------------
#
# What is known is a packed state with unknowns, as a record that was watched
# from one seat has them: cards of hands that are missing from `HAND` lie in the
# draw pile, and tickets in hands, offers and under the pile are
# `UNKNOWN_TICKET`. A world fills them in. Cards that must be from before the
# last shuffle go to seats that may hold such cards; all others are dealt
# uniformly among the gaps and the pile, of which each order is as likely. (That
# is an approximation: what somebody has played says a little of what is left in
# the hand, and of how much of it is from before the shuffle.) The tickets of
# seats are drawn by Gibbs sampling, one given all others (Geman and Geman, IEEE
# Transactions on Pattern Analysis and Machine Intelligence 6 (1984), 721-741),
# from what can be believed of them: see `beliefs`.


EVERYBODY: Final = -1
"""In place of the seat that looks: nothing is known to one seat alone."""

_WORLD_STREAM: Final = 64
"""Purpose of the stream that fills worlds; those of the table and of policies are below."""
_N_MARKETS: Final = 100
"""How many markets are tried for one that would not have been replaced."""


@compiled
def fill_worlds(
    known: State,
    tables: Tables,
    beliefs: Beliefs,
    players: Players,
    looker: int,
    key: Ints,
    first: int,
    worlds: Ints,
) -> None:
    """
    Fill worlds that agree with what is known.

    Parameters
    ----------
    known
        The packed state with unknowns; not changed.
    tables
        The map, its rules and the number of players.
    beliefs
        How likely the tickets of each seat are.
    players
        Who plays; their memory is used.
    looker
        The seat whose knowledge it is, or `EVERYBODY`. While opening tickets
        are chosen, what the others are offered is filled in as well, and they
        have chosen none.
    key
        Words of the seed.
    first
        Number of the first world: each depends on what is known, the seed
        and its number alone.
    worlds
        Filled, one a row.
    """
    stream = np.empty(KEY_SIZE, dtype=np.int64)
    opening = State()
    tape = np.zeros(NO_TAPE_CELLS, dtype=np.int64)
    free = np.empty(MAX_TICKETS, dtype=np.int64)
    chances = np.empty(MAX_TICKETS, dtype=np.float64)
    kept = np.empty(tables.n_seats, dtype=np.float64)
    fill_kept(known, tables, looker, kept)
    is_any_chosen = False
    for seat in range(tables.n_seats):
        is_any_chosen = is_any_chosen or beliefs.chosen[seat] > 0.0
    for i in range(len(worlds)):
        state = State(worlds[i])
        state.cells[:] = known.cells
        open_stream(key, first + i, _WORLD_STREAM, stream)
        open_stream(key, first + i, TABLE_STREAM, state.stream)
        _fill_cards(state, tables, looker, stream)
        if state.phase == KEEP_START and looker != EVERYBODY:
            count_opening(state, tables, looker)
        if is_any_chosen:
            new_game(tables, stream, first + i, opening, tape)  # of numbers of its own: those of a key are mixed
        fill_tickets(state, tables, beliefs, players, opening, kept, stream, free, chances)


# -- cards ----------------------------------------------------------------------------


@compiled
def _fill_cards(state: State, tables: Tables, looker: int, stream: Ints) -> None:
    """Deal the cards that are not seen among the gaps in hands and the draw pile."""
    fresh = np.empty(N_KINDS, dtype=np.int64)
    stale = np.empty(N_KINDS, dtype=np.int64)
    n_seats = tables.n_seats
    drawer = _least_known(state, n_seats, looker)
    is_seen = True
    for slot in range(tables.market_size):
        is_seen = is_seen and state.market[slot] < UNKNOWN_CARD
    for kind in range(N_KINDS):
        unseen = tables.deck[kind] - state.discards[kind] - state.laid[kind]
        for slot in range(tables.market_size):
            unseen -= state.market[slot] == kind
        of_pool = state.pool[kind]
        for seat in range(n_seats):
            state.hand[seat, kind] = max(state.hand[seat, kind], state.known[seat, kind])
            unseen -= state.hand[seat, kind]
            of_pool -= state.blind[seat, kind]
        # Cards of the pool that were shown since are unseen no more; what is unseen but not in it is from before.
        fresh[kind] = min(unseen, of_pool)
        stale[kind] = unseen - fresh[kind]
        if is_seen:
            # The pool goes on counting cards that were shown, as drawn by somebody whose draws were not seen.
            state.blind[drawer, kind] += of_pool - fresh[kind]
        else:
            state.pool[kind] -= of_pool - fresh[kind]  # which without the market is no more than a bound
    _fill_face_up(state, tables, fresh, stale, stream)
    _deal_stale(state, n_seats, stale, stream)
    n_fresh = 0
    for kind in range(N_KINDS):
        n_fresh += fresh[kind] + stale[kind]  # of which none is left, unless what is known cannot be
        fresh[kind] += stale[kind]
    for seat in range(n_seats):
        for _ in range(n_missing(state, seat)):
            kind = _draw(fresh, n_fresh, stream)
            n_fresh -= 1
            state.hand[seat, kind] += 1
            state.blind[seat, kind] += 1
    for kind in range(N_KINDS):
        state.draw_pile[kind] = fresh[kind]


@compiled
def _fill_face_up(state: State, tables: Tables, fresh: Ints, stale: Ints, stream: Ints) -> None:
    """Put cards into the slots of the market, and on the discard pile, that a record does not know."""
    market = state.market[: tables.market_size]
    unknown = market.copy()
    pool = state.pool.copy()
    all_fresh = fresh.copy()
    all_stale = stale.copy()
    for _ in range(_N_MARKETS):
        state.pool[:] = pool
        fresh[:] = all_fresh
        stale[:] = all_stale
        for slot in range(tables.market_size):
            if unknown[slot] >= UNKNOWN_CARD:
                market[slot] = _draw_seen(state, fresh, stale, unknown[slot], stream)
        if not has_too_many_locomotives(market, tables.reset_at):
            break  # else it would have been replaced; where that could not be, the last one stays
    for _ in range(state.n_swept):
        state.discards[_draw_seen(state, fresh, stale, UNKNOWN_CARD, stream)] += 1
    state.n_swept = 0


@compiled
def _draw_seen(state: State, fresh: Ints, stale: Ints, unknown: int, stream: Ints) -> int:
    """Draw a card that everyone has seen, from before the last shuffle if it is an old one; return its kind."""
    n_fresh = count_cards(fresh)
    n_stale = count_cards(stale)
    if n_fresh == 0 or (unknown == OLD_UNKNOWN_CARD and n_stale > 0):
        return _draw(stale, n_stale, stream)
    kind = _draw(fresh, n_fresh, stream)
    state.pool[kind] -= 1
    return kind


@compiled
def _least_known(state: State, n_seats: int, looker: int) -> int:
    """Return the seat, not that of the looker, of whose hand most is not known."""
    found = 1 if looker == 0 else 0
    for seat in range(n_seats):
        if seat != looker and n_missing(state, seat) > n_missing(state, found):
            found = seat
    return found


@compiled
def _deal_stale(state: State, n_seats: int, stale: Ints, stream: Ints) -> None:
    """Deal the cards from before the last shuffle among the gaps in hands that may hold such cards."""
    n_stale = 0
    n_places = 0
    for kind in range(N_KINDS):
        n_stale += stale[kind]
    for seat in range(n_seats):
        n_places += min(state.old[seat], n_missing(state, seat))
    places = np.empty(n_places, dtype=np.int64)
    at = 0
    for seat in range(n_seats):
        for _ in range(min(state.old[seat], n_missing(state, seat))):
            places[at] = seat
            at += 1
    for _ in range(min(n_stale, n_places)):
        kind = _draw(stale, n_stale, stream)
        at = below(stream, n_places)
        state.hand[places[at], kind] += 1
        n_stale -= 1
        n_places -= 1
        places[at] = places[n_places]


@compiled
def n_missing(state: State, seat: int) -> int:
    """Return how many cards of a hand are not known."""
    n = state.n_hand[seat]
    for kind in range(N_KINDS):
        n -= state.hand[seat, kind]
    return int(n)


@compiled
def _draw(cards: Ints, n: int, stream: Ints) -> int:
    """Draw one of `n` cards, given as nine counts; return its kind."""
    left = below(stream, n)
    kind = 0
    while left >= cards[kind]:
        left -= cards[kind]
        kind += 1
    cards[kind] -= 1
    return kind
