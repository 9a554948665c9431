"""What a planner remembers between its turns."""

from __future__ import annotations

from ttr_analysis._compile import Record, block, cell
from ttr_analysis.cards import N_KINDS
from ttr_analysis.rules.chance import N_WORDS
from ttr_analysis.tables.games import MAX_CITIES, MAX_ROUTES, MAX_TICKETS


class Memory(Record):
    """What a planner remembers of a game, and of its plan."""

    stream = block(N_WORDS)
    """The seat's stream of chance."""
    is_awake = cell()
    """0 before the first look at a game."""
    n_seen = cell()
    """Claims that were looked at."""
    n_tickets_planned = cell()
    """Tickets held when the plan was made."""
    is_stale = cell()
    """1 if the plan must be made again."""
    n_planned = cell()
    """Routes of the plan still to be claimed."""
    gain_planned = cell()
    """Points that the tickets of the plan are worth."""
    left_planned = cell()
    """Turns that were left when the plan was made."""
    label = block(MAX_CITIES)
    """For each city a label, equal for cities that the seat's own routes join."""
    plan = block(MAX_ROUTES)
    """The routes of the plan."""
    is_planned = block(MAX_ROUTES)
    """1 for each route of the plan."""
    was_offered = block(MAX_TICKETS)
    """1 for each ticket that was offered to the seat."""
    wanted = block(N_KINDS)
    """Cards of each kind that the plan wants."""
    free = block(N_KINDS + 3)
    """Cards of the hand that the plan leaves free: see `demand.want_cards`."""
    cards = block(3 * N_KINDS)
    """Room for hands of cards."""
