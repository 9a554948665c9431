"""What a planner remembers between its turns: which cell of its memory means what."""

from __future__ import annotations

from typing import Final

from ttr_analysis.cards import N_KINDS
from ttr_analysis.rules.chance import N_WORDS
from ttr_analysis.tables.games import MAX_CITIES, MAX_ROUTES, MAX_TICKETS

IS_AWAKE: Final = N_WORDS
"""0 before the first look at a game; the cells before are the seat's stream of chance."""
N_SEEN: Final = IS_AWAKE + 1
"""Claims that were looked at."""
N_TICKETS_PLANNED: Final = N_SEEN + 1
"""Tickets held when the plan was made."""
IS_STALE: Final = N_TICKETS_PLANNED + 1
"""1 if the plan must be made again."""
N_PLANNED: Final = IS_STALE + 1
"""Routes of the plan still to be claimed."""
GAIN_PLANNED: Final = N_PLANNED + 1
"""Points that the tickets of the plan are worth."""
LEFT_PLANNED: Final = GAIN_PLANNED + 1
"""Turns that were left when the plan was made."""

LABEL: Final = LEFT_PLANNED + 1
"""For each city a label, equal for cities that the seat's own routes join."""
PLAN: Final = LABEL + MAX_CITIES
"""The routes of the plan."""
IS_PLANNED: Final = PLAN + MAX_ROUTES
"""1 for each route of the plan."""
WAS_OFFERED: Final = IS_PLANNED + MAX_ROUTES
"""1 for each ticket that was offered to the seat."""
WANTED: Final = WAS_OFFERED + MAX_TICKETS
"""Cards of each kind that the plan wants."""
FREE: Final = WANTED + N_KINDS
"""Cards of the hand that the plan leaves free: see `demand.want_cards`."""
CARDS: Final = FREE + N_KINDS + 3
"""Room for hands of cards."""
MEMORY_SIZE: Final = CARDS + 3 * N_KINDS
