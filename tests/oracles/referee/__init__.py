"""
An independent referee: the second opinion on the engine, slow and obviously right.

It follows a record event by event and holds the whole game in plain lists and
counters. The rules in it are written from the rules of the game alone; from
the package it takes facts (`GameMap`, `RuleSet`), never a rule. All cards and
tickets must be known.
"""

from __future__ import annotations

from tests.oracles.referee.driver import CURIOUS, EVEN, HOARDING, play_at_random, random_event
from tests.oracles.referee.due import Decision, Event
from tests.oracles.referee.judging import Referee, check_record
from tests.oracles.referee.scoring import Final
from tests.oracles.referee.table import Table

__all__ = [
    "CURIOUS",
    "EVEN",
    "HOARDING",
    "Decision",
    "Event",
    "Final",
    "Referee",
    "Table",
    "check_record",
    "play_at_random",
    "random_event",
]
