"""What one seat can infer: which tickets the others hold, and how long a route will be free."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb
from typing import Final, SupportsIndex

import numpy as np
import pandas as pd

from ttr_analysis._arrays import Ints
from ttr_analysis._errors import GameError
from ttr_analysis._notebook import as_table
from ttr_analysis.engine.codes import (
    CHOOSE_NEUTRAL,
    CLAIM_ROUTE,
    FIRST_EVENT,
    KEEP_TICKETS,
    NEUTRAL_TICKET,
    argument_of,
    kind_of,
    seat_of,
)
from ttr_analysis.engine.layout import (
    AT_PILE,
    KEEP,
    NEUTRAL,
    NEUTRAL_OWNER,
    NOBODY,
    SECOND_DRAW,
    TUNNEL_PHASE,
    UNKNOWN_TICKET,
    State,
)
from ttr_analysis.engine.protocol import PolicyLike
from ttr_analysis.engine.state import fill_open, seat_number
from ttr_analysis.maps.model import CityLike, Place, Ticket
from ttr_analysis.policies.random import Random
from ttr_analysis.policies.search.beliefs import believe
from ttr_analysis.policies.search.knowledge import EVERYBODY, Knowledge, Source, know
from ttr_analysis.policies.search.rollouts import Rollouts
from ttr_analysis.studies.intervals import wilson
from ttr_analysis.studies.winning import DEFAULT_ROLLOUTS, DEFAULT_SEED
from ttr_analysis.tables import MAX_ROUTES, MAX_TICKETS, Tables

_BLOCK: Final = 200
"""Worlds that are in memory at once."""


def ticket_posterior(
    source: Source,
    other: int,
    seat: int | None = None,
    *,
    step: SupportsIndex = -1,
    to: CityLike | Place | None = None,
    n_worlds: int = 2_000,
    seed: int = DEFAULT_SEED,
    policies: Sequence[PolicyLike] | None = None,
) -> pd.DataFrame:
    """
    Return how likely another seat is to hold each ticket, from what one seat can know.

    Parameters
    ----------
    source, seat, step
        As in `win_probability`.
    other
        The seat that holds the tickets.
    to
        A city or country: the first row is then any ticket that names it.
    n_worlds
        Worlds to draw.
    seed
        Seed of the draws.
    policies
        Who plays, as in `win_probability`: routes of `Random` say nothing of
        its tickets.

    Returns
    -------
    posterior
        One row for each ticket that the other seat may hold (index `ticket`),
        most likely first: `probability` with its 95% interval from the number of
        worlds, `low` and `high`, and `uniform`, the probability if its routes
        showed nothing. A known ticket has 1. With `to`, the first row is `any
        ticket to` that place, and the others are tickets to it. The name of the
        columns says who holds the tickets, and who looks.

    Raises
    ------
    GameError
        If there is no such seat, or `seat` asks for its own tickets.
    TypeError, ValueError
        As `win_probability`, or if there are no worlds.

    Notes
    -----
    The constants of the model, `policies.search.beliefs.SOUND`, were fitted to
    games of planners; players unlike them keep other tickets: `docs/winning.md`
    shows the loss.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> game = ttr.Game(ttr.load_map("nordic"))
    >>> record = game.play([ttr.policies.Greedy(), ttr.policies.Random()], seed=7)
    >>> posterior = ticket_posterior(record, 0, seat=1, step=60, n_worlds=100)
    >>> round(float(posterior["probability"].sum()), 6) == record.state_at(60).n_tickets[0]
    True
    >>> ticket_posterior(record, 0, seat=1, step=60, n_worlds=100, to="Murmansk").index[0]
    'any ticket to Murmansk'
    """
    known = know(source, seat, step)
    other = seat_number(other, known.n_players)
    if known.viewer == other:
        raise GameError(f"P{other} knows its own tickets: `other` is whose are asked for, `seat` who looks")
    if n_worlds < 1:
        raise ValueError(f"expected 1 world or more, got {n_worlds}")
    table = Rollouts(known.game_map, known.n_players, policies, seed=seed)
    beliefs = table.believe(known)
    game_map = known.game_map
    whose = f"tickets of P{other}" + ("" if known.viewer == EVERYBODY else f", as P{known.viewer} sees it")
    named = np.zeros(MAX_TICKETS + 1, dtype=bool)
    named[: len(game_map.tickets)] = [to is None or _names(t, game_map.place(to)) for t in game_map.tickets]
    counts, n_any = np.zeros(MAX_TICKETS + 1, dtype=np.int64), 0
    for first in range(0, n_worlds, _BLOCK):
        for world in table.worlds(known, beliefs, min(_BLOCK, n_worlds - first), first):
            state = State(world)
            drawn = state.held[other, : state.n_held[other]]
            counts[drawn] += 1
            n_any += int(named[drawn].any())
    held = known.held(other)
    tickets = np.arange(len(game_map.tickets))
    is_free = (known.packed.ticket_at[: len(tickets)] == AT_PILE) & (UNKNOWN_TICKET in held)
    is_free &= ~np.isin(tickets, list(known.excluded[other]))
    possible = np.flatnonzero((is_free | np.isin(tickets, held)) & named[: len(tickets)])
    from_decks = _unknown_from_decks(known, table, other, n_worlds)
    deck = known.tables.ticket_deck[: len(tickets)]
    uniform = np.ones(len(tickets))
    for i in range(known.tables.n_decks):
        some = is_free & (deck == i)
        uniform[some] = from_decks[:, i].mean() / max(1, some.sum())
    rows = [(*wilson(counts[ticket], n_worlds), uniform[ticket]) for ticket in possible]
    names = pd.Index([game_map.tickets[ticket].id for ticket in possible], name="ticket")
    found = pd.DataFrame(rows, columns=["probability", "low", "high", "uniform"], index=names)
    found = found.sort_values("probability", ascending=False, kind="stable").rename_axis(columns=whose)
    if to is None:
        return as_table(found)
    none = np.full(len(from_decks), 0.0 if named[held].any() else 1.0)
    for i in range(known.tables.n_decks):
        some = is_free & (deck == i)
        n_free, n_named = int(some.sum()), int((some & named[: len(tickets)]).sum())
        none *= [comb(n_free - n_named, n) / max(1, comb(n_free, n)) for n in from_decks[:, i].tolist()]
    found.loc[f"any ticket to {game_map.place(to)}"] = (*wilson(n_any, n_worlds), 1 - none.mean())
    return as_table(found.iloc[np.roll(np.arange(len(found)), 1)])


def _unknown_from_decks(known: Knowledge, table: Rollouts, other: int, n_worlds: int) -> Ints:
    """
    Return how many unknown tickets of a seat may be from each deck, if its routes show nothing.

    There is a row for each equally likely case: one where there is one deck, else
    that of each of some worlds.
    """
    is_unknown = known.held(other) == UNKNOWN_TICKET
    n_decks = known.tables.n_decks
    if n_decks == 1:
        return np.array([[is_unknown.sum()]])
    blank = believe(known, [Random()] * known.n_players)
    from_decks = np.zeros((n_worlds, n_decks), dtype=np.int64)
    for first in range(0, n_worlds, _BLOCK):
        for i, world in enumerate(table.worlds(known, blank, min(_BLOCK, n_worlds - first), first), first):
            drawn = State(world).held[other, : len(is_unknown)][is_unknown]
            from_decks[i] = np.bincount(known.tables.ticket_deck[drawn], minlength=n_decks)
    return from_decks


def _names(ticket: Ticket, place: Place) -> bool:
    """Return whether a ticket begins or may end at a place, or at one of its border points."""
    cities = {city for end in (ticket.origin, *(end for end, _ in ticket.destinations)) for city in end.cities}
    return not cities.isdisjoint(place.cities)


def route_gone(
    source: Source,
    seat: int,
    *,
    step: SupportsIndex = -1,
    turns: int | None = None,
    n_rollouts: int = DEFAULT_ROLLOUTS,
    seed: int = DEFAULT_SEED,
    policies: Sequence[PolicyLike] | None = None,
) -> pd.DataFrame:
    """
    Return how likely each open route is to be lost to others, from what one seat can know.

    Parameters
    ----------
    source, seat, step
        As in `win_probability`.
    turns
        Within how many turns of the seat, the present one included; None for the
        whole game. With 1, before its next turn.
    n_rollouts, seed, policies
        As in `win_probability`.

    Returns
    -------
    chances
        One row for each route that is open to the seat (index `route`), most
        endangered first: `gone`, the probability that others close it to the
        seat, by taking it or the other track, with `gone_low` and `gone_high`,
        and `own`, that the seat does so first.

    Raises
    ------
    GameError
        If there is no such seat.
    ValueError
        If there are no rollouts, or no turns.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> game = ttr.Game(ttr.load_map("usa"))
    >>> players = [ttr.policies.Greedy(), ttr.policies.Greedy()]
    >>> record = game.play(players, seed=7)
    >>> chances = route_gone(record, 0, step=20, turns=5, n_rollouts=20, policies=players)
    >>> chances["gone"].between(0, 1).all(), len(chances) == len(game.view(record.state_at(20), 0).open_routes)
    (np.True_, True)
    """
    known = know(source, seat, step)
    seat = seat_number(seat, known.n_players)
    if n_rollouts < 1 or (turns is not None and turns < 1):
        raise ValueError(f"expected 1 rollout and 1 turn or more, got {n_rollouts} and {turns}")
    table = Rollouts(known.game_map, known.n_players, policies, seed=seed)
    beliefs = table.believe(known)
    is_open = np.zeros(MAX_ROUTES, dtype=np.int64)
    fill_open(known.packed, known.tables, seat, is_open)
    routes = np.flatnonzero(is_open)
    gone, own = np.zeros(len(routes)), np.zeros(len(routes))
    for number in range(n_rollouts):
        state, rows = table.follow(known, beliefs, number)
        taken = _turns_taken(known, state, rows, seat)
        for i, route in enumerate(routes):
            lost = _lost_at(known.tables, state, taken, seat, int(route))
            if lost is not None and (turns is None or lost[0] <= turns):
                own[i] += lost[1]
                gone[i] += not lost[1]
    found = pd.DataFrame(
        [(*wilson(n, n_rollouts), n_own / n_rollouts) for n, n_own in zip(gone, own, strict=True)],
        columns=["gone", "gone_low", "gone_high", "own"],
        index=pd.Index([known.game_map.routes[route].id for route in routes], name="route"),
    )
    return as_table(found.sort_values("gone", ascending=False, kind="stable"))


def _turns_taken(known: Knowledge, state: State, rows: Ints, seat: int) -> dict[int, int]:
    """Return after how many turns of a seat, the present one included, each route was taken since the position."""
    claimed: dict[int, int] = {}
    chosen: dict[int, int] = {}
    turned_up: dict[int, int] = {}
    if known.packed.phase == TUNNEL_PHASE:
        claimed[int(known.packed.pending)] = int(known.packed.turn_seat == seat)
    elif known.packed.phase == NEUTRAL:
        turned_up = dict.fromkeys(_tracks(known, known.packed.neutral_ticket), 0)
    for (code, value), turns in zip(rows.tolist(), _turns_begun(known, rows, seat), strict=True):
        kind, route = kind_of(code), argument_of(code)
        if kind == CLAIM_ROUTE:
            claimed[route] = turns  # of several attempts at a tunnel the last one took it
        elif kind == CHOOSE_NEUTRAL:
            chosen[route] = turns
        elif kind == NEUTRAL_TICKET:
            for track in _tracks(known, value):
                turned_up.setdefault(track, turns)
    neutral = {**turned_up, **chosen}
    is_new = (known.packed.owner == NOBODY) & (state.owner != NOBODY)
    return {
        route: (neutral if state.owner[route] == NEUTRAL_OWNER else claimed)[route]
        for route in np.flatnonzero(is_new).tolist()
    }


def _tracks(known: Knowledge, ticket: int) -> list[int]:
    """Return the tracks that the neutral player may get by a ticket, -1 where there is none."""
    return [int(known.tables.neutral_a[ticket]), int(known.tables.neutral_b[ticket])]


def _turns_begun(known: Knowledge, rows: Ints, seat: int) -> Iterator[int]:
    """Yield after each event how many turns a seat has begun, the present one included."""
    is_within = known.packed.phase in (SECOND_DRAW, TUNNEL_PHASE, KEEP)
    last = int(known.packed.turn_seat) if is_within else NOBODY
    turns = int(last == seat)
    for code in rows[:, 0].tolist():
        kind, who = kind_of(code), seat_of(code)
        if kind < FIRST_EVENT and kind not in (KEEP_TICKETS, CHOOSE_NEUTRAL) and who != last:
            turns += who == seat
            last = who
        yield turns


def _lost_at(tables: Tables, state: State, taken: dict[int, int], seat: int, route: int) -> tuple[int, bool] | None:
    """Return after how many turns a route was closed, and whether by the seat itself; None for never."""
    tracks = [route]
    twin = int(tables.twin[route])
    if twin in taken and (state.owner[twin] == seat or not tables.both_open):
        tracks.append(twin)
    times = [(taken[track], bool(state.owner[track] == seat)) for track in tracks if track in taken]
    # A round of turns is counted from the seat's own, so that of two tracks taken in one its own came first.
    return min(times, key=lambda lost: (lost[0], not lost[1]), default=None)
