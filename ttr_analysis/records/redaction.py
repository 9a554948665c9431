"""What one seat can see of the events of a game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ttr_analysis.engine import codes
from ttr_analysis.engine.layout import UNKNOWN_CARD, UNKNOWN_TICKET, State
from ttr_analysis.records.entries import SHOWN, START, Entry
from ttr_analysis.records.positions import hidden
from ttr_analysis.rules.ruleset import TicketRules

_CARDS = (codes.CARD_DEALT, codes.CARD_DRAWN)


def seen_entries(entries: Sequence[Entry], seat: int, n_players: int, rules: TicketRules) -> Iterator[Entry]:
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
    rules
        Say whether tickets that others do not keep lie face up.
    """
    is_open = bool(entries) and entries[0].kind == START
    keeps = [at for at, entry in enumerate(entries) if entry.kind == codes.KEEP_TICKETS]
    if len(keeps) < n_players and not is_open:
        entries = entries[: min((at for at in keeps if entries[at].seat != seat), default=len(entries))]
    face_up = _face_up(entries, 0 if is_open else n_players, rules)
    for at, entry in enumerate(entries):
        if entry.position is not None:
            yield entry._replace(position=hidden(entry.position, seat))
        elif entry.seat == seat:
            yield entry
        elif entry.kind in _CARDS:
            yield entry._replace(value=UNKNOWN_CARD)
        elif entry.kind == codes.TICKET_OFFERED and at not in face_up:
            yield entry._replace(value=UNKNOWN_TICKET)
        elif entry.kind == codes.KEEP_TICKETS:
            yield entry._replace(tickets=(UNKNOWN_TICKET,) * len(entry.tickets))
        else:
            yield entry


def _face_up(entries: Sequence[Entry], n_openings: int, rules: TicketRules) -> frozenset[int]:
    """Return which offers of a ticket, by position, were not taken up and lie open; so many choices come first."""
    offered: dict[int, list[int]] = {}
    unkept: set[int] = set()
    n_keeps = 0
    for at, entry in enumerate(entries):
        if entry.kind == codes.TICKET_OFFERED:
            offered.setdefault(entry.seat, []).append(at)
        elif entry.kind == codes.KEEP_TICKETS:
            offers = offered.pop(entry.seat, [])
            if rules.unkept_at(opening=n_keeps < n_openings) == "discard_pile":
                unkept.update(offer for offer in offers if entries[offer].value not in entry.tickets)
            n_keeps += 1
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
