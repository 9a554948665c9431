"""What one seat can see of the events of a game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ttr_analysis.engine import codes
from ttr_analysis.engine.entries import SHOWN, Entry
from ttr_analysis.engine.layout import UNKNOWN_CARD, UNKNOWN_TICKET, State

_CARDS = (codes.CARD_DEALT, codes.CARD_DRAWN)


def seen_entries(entries: Sequence[Entry], seat: int, n_players: int, *, names_unkept: bool) -> Iterator[Entry]:
    """
    Yield the events of a game with what a seat cannot see unknown.

    How many opening tickets others keep shows when all have chosen: before,
    the events end with their first choice.

    Parameters
    ----------
    entries
        The events.
    seat
        Who watches.
    n_players
        Number of players.
    names_unkept
        Whether tickets that others do not keep lie face up.
    """
    keeps = [at for at, entry in enumerate(entries) if entry.kind == codes.KEEP_TICKETS]
    if len(keeps) < n_players:
        entries = entries[: min((at for at in keeps if entries[at].seat != seat), default=len(entries))]
    face_up = _unkept(entries) if names_unkept else frozenset()
    for at, entry in enumerate(entries):
        if entry.seat == seat:
            yield entry
        elif entry.kind in _CARDS:
            yield entry._replace(value=UNKNOWN_CARD)
        elif entry.kind == codes.TICKET_OFFERED and at not in face_up:
            yield entry._replace(value=UNKNOWN_TICKET)
        elif entry.kind == codes.KEEP_TICKETS:
            yield entry._replace(tickets=(UNKNOWN_TICKET,) * len(entry.tickets))
        else:
            yield entry


def _unkept(entries: Sequence[Entry]) -> frozenset[int]:
    """Return which offers of a ticket, by position, were not taken up."""
    offered: dict[int, list[int]] = {}
    unkept: set[int] = set()
    for at, entry in enumerate(entries):
        if entry.kind == codes.TICKET_OFFERED:
            offered.setdefault(entry.seat, []).append(at)
        elif entry.kind == codes.KEEP_TICKETS:
            offers = offered.pop(entry.seat, [])
            unkept.update(offer for offer in offers if entries[offer].value not in entry.tickets)
    return frozenset(unkept)


def shown_entries(entries: Sequence[Entry], state: State, others: Sequence[int]) -> Iterator[Entry]:
    """
    Yield what others show of their tickets at the end, if it is known and they have not yet.

    Parameters
    ----------
    entries
        The events.
    state
        The packed state at the end.
    others
        Who shows tickets.
    """
    already = {entry.seat for entry in entries if entry.kind == SHOWN}
    for seat in others:
        tickets = tuple(state.held[seat, : state.n_held[seat]].tolist())
        if tickets and seat not in already and UNKNOWN_TICKET not in tickets:
            yield Entry(SHOWN, seat, tickets=tickets)
