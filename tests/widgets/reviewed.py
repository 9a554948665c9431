"""A review in which moves cost something, however well they were played."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from tests.fixtures import load
from ttr_analysis import Game
from ttr_analysis.studies import Review, review


@cache
def a_review() -> Review:
    """Return the review of a short game in which each move of P0 that is not the best is a mistake or a blunder."""
    record = Game(load("invented"), 2).play(["Random", "Greedy"], seed=7)
    found = review(record, 0, rollouts=2, progress=False)
    decisions = [
        one
        if one.best == one.played
        else replace(one, lost=(0.06 + 0.1 * (one.step % 2), 0.0), loss_low=0.05, loss_high=0.16)
        for one in map(found.first_measured, found.table.index)
    ]
    return Review(record, 0, decisions)
