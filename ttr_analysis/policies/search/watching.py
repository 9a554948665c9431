"""What a record shows to a viewer, and the odds that players have their own styles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from functools import cache, lru_cache
from math import log, log1p
from operator import index
from typing import Final, NamedTuple, SupportsIndex

import numpy as np
from scipy.special import betaln, expit, logit, logsumexp

from ttr_analysis._compile import Ints, quickly_compiled
from ttr_analysis.engine.codes import (
    ATTEMPT_TUNNEL,
    DRAW_CARD,
    DRAW_FACE_UP,
    FIRST_EVENT,
    KEEP_TICKETS,
    MARKET_CARD,
    NEUTRAL_TICKET,
    SHUFFLED,
    SHUFFLED_TICKETS,
    TICKET_OFFERED,
    kind_of,
)
from ttr_analysis.engine.kernel.cards import identify_face_up
from ttr_analysis.engine.kernel.step import has_choice
from ttr_analysis.engine.layout import (
    OVER,
    UNKNOWN_CARD,
    UNKNOWN_TICKET,
    State,
    has_unknown_tickets,
    n_unknown_cards,
    show_tickets,
)
from ttr_analysis.engine.state import GameState, SeatView, hide_secrets, seat_number
from ttr_analysis.policies.planner.policy import Planner
from ttr_analysis.policies.search.knowledge import EVERYBODY, PRIOR, Knowledge, Source, knowledge_of
from ttr_analysis.policies.search.shown import packed_steps, ticket_orders
from ttr_analysis.records.entries import CORRECTED, SHOWN, START
from ttr_analysis.records.record import GameRecord
from ttr_analysis.tables import UNKEPT_DISCARDED, Tables, game_tables


class Watcher:
    """Watches a record from one seat, or with all hands in view (None)."""

    def __init__(self, record: GameRecord, seat: int | None) -> None:
        self._record = record
        self._seat = None if seat is None else seat_number(seat, record.header.n_players)
        self._memories = [] if self._seat is None else _remember(record)
        self._styled = styled_share(record, range(record.header.n_players) if self._seat is None else [self._seat])

    def at(self, step: SupportsIndex) -> Knowledge:
        """Return what is known after a step of the record."""
        state = self._record.state_at(step)
        number = range(len(self._record.states()))[index(step)]
        if (taken := _next_taken(self._record)[number]) is not None:
            state = _with_card(state, *taken)
        known = knowledge_of(state, self._seat)._replace(styled=self._styled)
        known = self._with_shown(known)
        return known if known.viewer == EVERYBODY else known._replace(excluded=self._memories[number])

    def _with_shown(self, known: Knowledge) -> Knowledge:
        """Return what is known, with the tickets that the viewer, or everybody, has shown by the end of the record."""
        seats = [*range(known.n_players)] if known.viewer == EVERYBODY else [known.viewer]
        shown = {seat: orders for seat in seats if len(orders := ticket_orders(self._record, seat))}
        packed = known.packed.copy() if shown else known.packed
        for seat, orders in shown.items():
            show_tickets(packed, seat, orders[0])
        return known._replace(packed=packed, orders={seat: order for seat, order in shown.items() if len(order) > 1})


_Excluded = tuple[frozenset[int], ...]
"""For each seat, tickets that it cannot hold: they were face up before a shuffle, and it has drawn none since."""


def _remember(record: GameRecord) -> list[_Excluded]:
    """Return, for each step of a record, what everyone remembers that the state alone does not show."""
    n_players = record.header.n_players
    is_face_up = game_tables(record.map, n_players).unkept == UNKEPT_DISCARDED
    offers: dict[int, Counter[int]] = {seat: Counter() for seat in range(n_players)}
    face_up: set[int] = set()
    excluded = [frozenset[int]()] * n_players
    memories: list[_Excluded] = []
    for entry in record.entries:
        if entry.kind < FIRST_EVENT or entry.kind in (SHOWN, CORRECTED):
            memories.append(tuple(excluded))
        if entry.kind == TICKET_OFFERED:
            offers[entry.seat][entry.value] += 1
            excluded[entry.seat] = frozenset()
        elif entry.kind == NEUTRAL_TICKET:
            face_up.add(entry.value)
        elif entry.kind == KEEP_TICKETS:
            given_back = offers[entry.seat] - Counter(entry.tickets)
            offers[entry.seat] = Counter()
            face_up |= set(given_back) if is_face_up else set()
        elif entry.kind == SHUFFLED and entry.argument == SHUFFLED_TICKETS:
            excluded = [tickets | face_up - {UNKNOWN_TICKET} for tickets in excluded]
            face_up = set()
        elif entry.kind == CORRECTED and entry.position is not None and entry.position.tickets is not None:
            excluded = [frozenset()] * n_players
    return [*memories, tuple(excluded)]


@lru_cache(maxsize=2)
def _next_taken(record: GameRecord) -> list[tuple[int, int] | None]:
    """
    Return the market card (slot and kind) that the next draw from the market reveals, after each step.

    None if the record knows the card, or the market was refilled before the draw.
    """
    found: list[tuple[int, int] | None] = []
    revealed = None
    for step in reversed(record.timeline().steps):
        found.append(revealed)
        entries = record.entries[step.first : step.end]
        if any(entry.kind in (MARKET_CARD, CORRECTED) for entry in entries):
            revealed = None
        if entries[0].kind == DRAW_FACE_UP:
            revealed = (entries[0].argument, entries[0].value - 1) if entries[0].value else None
    return found[::-1]


def _with_card(state: GameState, slot: int, kind: int) -> GameState:
    """Return a state in which that market card is known."""
    packed = state.packed
    if packed.market[slot] >= UNKNOWN_CARD and packed.draw_pile[kind] > 0:
        identify_face_up(packed, slot, kind)
    return GameState(state.game_map, state.n_players, packed)


def know(source: Source, seat: int | None, step: SupportsIndex) -> Knowledge:
    """
    Return a seat's knowledge of a position.

    The viewer `seat` may be None: for a viewer of all hands, or for the seat of a view. `step` is
    a step of a record. Unlike a state or view, a record also shows which tickets were face up
    before a shuffle. With a view, any seat but its own raises a ValueError.
    """
    if isinstance(source, GameRecord):
        return Watcher(source, seat).at(step)
    if isinstance(source, SeatView):
        if seat not in (None, source.seat):
            raise ValueError(f"this is what P{source.seat} sees, not what P{seat} knows")
        return knowledge_of(source, source.seat)
    if isinstance(source, GameState):
        return knowledge_of(source, seat)
    raise TypeError(f"expected a GameRecord, a GameState or a SeatView, got {source!r}")


_SLIP: Final = 0.001
"""Probability that a planner's recorded decision is wrong."""
_GUESSED_SLIP: Final = 0.05
"""The same if the market is unknown in the record, and opening hands and the order of tickets are guesses."""


_N_ORDERS: Final = 8
"""Orders of tickets to try."""
_UNSEEN: Final = -1
"""Marks a decision that does not count."""
_LOOKED: Final = -2
"""Marks a decision at which a planner only updates its plan, whatever it decides."""


class Decisions(NamedTuple):
    """
    How often a player did what `Planner` would have done, and how often not.

    `guessed_alike` and `guessed_other` count decisions for which the market is unknown;
    the others, decisions for which everything that the player saw is known.
    """

    alike: int = 0
    other: int = 0
    guessed_alike: int = 0
    guessed_other: int = 0


@cache
def style_chance(decisions: Decisions, *others: Decisions) -> float:
    """
    Return the probability, after some decisions, that a player has its own style.

    `others` are alternative counts, equally likely in advance. A planner almost always does
    as expected; a record may be wrong. A player with its own style does so with an unknown
    probability (Jeffreys prior), so the likelihood of its decisions is a beta function (Gelman
    et al., "Bayesian Data Analysis", 3rd ed., 2013, sections 2.4 and 2.8).

    >>> [round(style_chance(Decisions(*counts)), 2) for counts in [(0, 0), (20, 0), (39, 1), (18, 2)]]
    [0.25, 0.04, 0.28, 0.99]
    """
    likelihoods = [_likelihoods(counts) for counts in (decisions, *others)]
    of_planner, of_others = (logsumexp(logs) for logs in zip(*likelihoods, strict=True))
    return float(expit(logit(PRIOR) + of_others - of_planner))


def _likelihoods(decisions: Decisions) -> tuple[float, float]:
    """Return the log likelihoods of decisions for a planner, and for a player with its own style."""
    alike, other, guessed_alike, guessed_other = decisions
    of_planner = alike * log1p(-_SLIP) + other * log(_SLIP)
    of_planner += guessed_alike * log1p(-_GUESSED_SLIP) + guessed_other * log(_GUESSED_SLIP)
    of_others = betaln(alike + guessed_alike + 0.5, other + guessed_other + 0.5) - betaln(0.5, 0.5)
    return of_planner, float(of_others)


def styled_share(record: GameRecord, seats: Collection[int], step: SupportsIndex = -1) -> float:
    """
    Return the share of players to give their own styles, judged by a viewer's decisions up to a step.

    It is one share for all, even if some are certainly planners, since a player with its own
    style need not be weaker. A record that begins from a position shows nothing: planners
    follow plans made earlier, and would plan differently from there.
    """
    number = range(len(record.states()))[index(step)]
    if record.entries[0].kind == START:
        return PRIOR
    made = [
        counts for seat in seats if any(map(any, counts := [totals[number] for totals in _decisions(record, seat)]))
    ]
    return float(np.mean([style_chance(*counts) for counts in made])) if made else PRIOR


@lru_cache(maxsize=8)
def _decisions(record: GameRecord, seat: int) -> list[list[Decisions]]:
    """Return a seat's decisions up to each step, if what it saw is known, for each possible order of its tickets."""
    orders = list(ticket_orders(record, seat)[:_N_ORDERS]) or [np.zeros(0, dtype=np.int64)]
    return [_decisions_by(record, seat, order) for order in orders]


def _decisions_by(record: GameRecord, seat: int, order: Ints) -> list[Decisions]:
    """Return the same for one order of its tickets."""
    tables = game_tables(record.map, record.header.n_players)
    planner, (states, moves) = Planner(), packed_steps(record)
    lore, memory = planner.lore(record.map, record.header.n_players), np.zeros(planner.memory_size, dtype=np.int64)
    params = planner.params
    acting, phase = State.across(states[:-1], "seat"), State.across(states[:-1], "phase")
    own = np.flatnonzero((acting == seat) & (phase != OVER) & (moves[1:, 0] >= 0))
    views, kind = states[own], np.empty(len(own), dtype=np.int64)
    _see_decisions(views, moves[own + 1, 0], tables, seat, order, kind)
    counts = np.zeros((len(states), 4), dtype=np.int64)
    for at in np.flatnonzero(kind != _UNSEEN).tolist():
        planned = planner.decide(State(views[at]), tables, lore, seat, params, memory)
        if kind[at] != _LOOKED:
            counts[own[at] + 1, kind[at] + (planned != tuple(moves[own[at] + 1].tolist()))] = 1
    return [Decisions(*row) for row in counts.cumsum(axis=0).tolist()]


@quickly_compiled
def _see_decisions(states: Ints, codes: Ints, tables: Tables, seat: int, order: Ints, kind: Ints) -> None:
    """Restrict states to what a seat saw; fill in the index into `Decisions` for each, or `_UNSEEN` or `_LOOKED`."""
    for i in range(len(states)):
        state = State(states[i])
        hide_secrets(state, tables, seat)
        show_tickets(state, seat, order)
        kind[i] = 0
        for slot in range(len(state.market)):
            if state.market[slot] >= UNKNOWN_CARD:
                kind[i] = 2
        # A seat that claims needed none of the unrecorded market cards; one that draws may have seen a better one.
        # Some cards of a tunnel attempt are unknown in the record.
        played = kind_of(codes[i])
        is_hidden = played == ATTEMPT_TUNNEL or (kind[i] > 0 and played in (DRAW_CARD, DRAW_FACE_UP))
        is_unknown = has_unknown_tickets(state, seat) or n_unknown_cards(state, seat) > 0
        if is_unknown or not has_choice(state, tables):
            kind[i] = _UNSEEN
        elif is_hidden:
            kind[i] = _LOOKED
