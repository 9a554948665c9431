"""Decisions of a review: what they are called, which belong together, what marks cost in the end, and keeping them."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, TypeVar

from ttr_analysis import __version__
from ttr_analysis._compile import Ints
from ttr_analysis._decoding import write_atomically
from ttr_analysis.engine import codes
from ttr_analysis.engine.codes import argument_of, kind_of
from ttr_analysis.maps.model import GameMap
from ttr_analysis.policies.search.searcher import Candidate
from ttr_analysis.studies.judging import BOUNDS, LEAST_LOSS, Decision

_SURELY: Final = LEAST_LOSS / 2
"""The low end of the interval that an inaccuracy needs."""
LABELS: Final = ("best", "good", "inaccuracy", "mistake", "blunder")
"""Labels of decisions with a choice."""
FORCED: Final = "forced"
"""Label of decisions without a choice."""
MOST_DOUBT: Final = 0.1
"""A mark may be wrong for this share of the tickets and cards that a seat may have held."""
_NARROW: Final = 0.06
"""A decision gets no mark if half the interval of its loss is wider."""


def label_of(decision: Decision) -> str:
    """
    Return the label of a decision, by the highest bound of `BOUNDS` that its loss, in whole percent, reaches.

    The low end of the interval must also reach the bound of the next milder label (if the
    record does not know everything that the seat saw, the midpoint of the two bounds);
    otherwise the decision gets the milder label. A decision is good if its loss may be next to
    nothing, if it was measured too imprecisely (among hundreds, some would look costly by
    chance), or if it may have been right with other tickets or cards.
    """
    if decision.n_tried == 1:
        return FORCED
    if decision.best == decision.played:
        return "best"
    is_clear = decision.loss_high - decision.loss_low <= 2 * _NARROW
    if not is_clear or decision.holds < 1 - MOST_DOUBT:
        return "good"
    milder = [*list(BOUNDS.values())[1:], _SURELY]
    for (label, bound), sure in zip(BOUNDS.items(), milder, strict=True):
        least = sure if decision.is_seen or sure == _SURELY else (sure + bound) / 2
        if round(decision.loss, 2) >= bound and decision.loss_low >= least:
            return label
    return "good"


def missed_ideas(
    decisions: Iterable[Decision], game_map: GameMap, market_at: Callable[[int], Ints]
) -> dict[tuple[int, object], list[Decision]]:
    """
    Return the decisions in which something else was best, in the order of the game, by seat and idea.

    Those that missed the same route, tunnel or station are one idea. So are those that
    missed a face-up card of one kind, or tickets, until the seat took such a card, or drew
    tickets. Any other decision is an idea of its own. `market_at` returns the face-up cards
    that the deciding seat saw at a step.
    """
    missed: dict[tuple[int, object], list[Decision]] = {}
    n_taken: Counter[tuple[int, int, int]] = Counter()

    def taken(one: Decision, action: Candidate) -> tuple[int, int, int]:
        kind = kind_of(action[0])
        return one.seat, kind, int(market_at(one.step)[argument_of(action[0])]) if kind == codes.DRAW_FACE_UP else 0

    for one in decisions:
        if one.n_tried > 1 and one.best != one.played:
            kind, at = kind_of(one.best[0]), argument_of(one.best[0])
            idea: object = one.step
            if kind in (codes.CLAIM_ROUTE, codes.ATTEMPT_TUNNEL):
                idea = game_map.routes[at].cities
            elif kind == codes.BUILD_STATION:
                idea = kind, at
            elif kind in (codes.DRAW_FACE_UP, codes.DRAW_TICKETS):
                what = taken(one, one.best)
                idea = *what, n_taken[what]
            missed.setdefault((one.seat, idea), []).append(one)
        n_taken[taken(one, one.played)] += 1
    return missed


def lost_for_good(marked: Iterable[Decision], result: float) -> float:
    """
    Return what the marks of a seat cost that did not come back, given its decisions with a mark in order.

    What one of them lost comes back to the extent that the seat's win probability rises
    before its next marked decision, or the end: because the chance was still open, by luck,
    or through the others. So two marks never count the same chance, and the sum is at most
    the highest probability that the seat had, less its `result`, the share of the win.
    """
    lost = after = 0.0
    for one in marked:
        lost = max(0.0, lost - max(0.0, one.chances[one.seat] + one.loss - after)) + one.loss
        after = one.chances[one.seat]
    return max(0.0, lost - max(0.0, result - after))


# -- decisions on disk while they are judged -----------------------------------------------------------------------

T = TypeVar("T")


class SavedWork:
    """
    Work on disk, if there is a file.

    `name` is what is saved, `key` identifies it; other versions of this package judge moves differently.
    """

    def __init__(self, path: str | os.PathLike[str] | None, name: str, key: Mapping[str, object]) -> None:
        self._path = None if path is None else Path(path).expanduser()
        self._name, self._key = name, {"version": __version__, **key}

    def read(self, parts: str, decode: Callable[[Any], T]) -> T | None:
        """Return the content, None if there is none of this version; refuse a file with another key of `parts`."""
        if self._path is None or not self._path.exists():
            return None
        try:
            data = json.loads(self._path.read_text("utf-8"))
            saved = data[self._name]
            if saved.get("version") != __version__:
                return None
            kept = decode(data)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise ValueError(f"{self._path} is not a saved {self._name}") from error
        if saved != self._key:
            raise ValueError(f"{self._path} belongs to another {self._name}: another {parts}")
        return kept

    def write(self, data: Mapping[str, object]) -> None:
        """Replace the content."""
        if self._path is not None:
            write_atomically(self._path, json.dumps({self._name: self._key, **data}))


class SavedReview:
    """The judged decisions, also on disk if there is a file; a file of another version is discarded."""

    def __init__(self, path: str | os.PathLike[str] | None, key: Mapping[str, object]) -> None:
        self._saved = SavedWork(path, "review", key)
        self.judged: dict[int, Decision] = {}
        self.again: dict[int, Decision] = {}
        if kept := self._saved.read("game, seat, seed or number of rollouts", _decoded):
            self.judged, self.again = kept

    @property
    def decisions(self) -> list[Decision]:
        """The decisions in order, with their latest measurements."""
        return [self.again.get(step, decision) for step, decision in sorted(self.judged.items())]

    def keep(self, step: int, decision: Decision) -> None:
        """Save a judged decision."""
        self.judged[step] = decision
        self.write()

    def keep_again(self, step: int, decision: Decision) -> None:
        """Save a decision that was measured again."""
        self.again[step] = decision
        self.write()

    def write(self) -> None:
        """Save all decisions; after an interrupt, this includes one that was kept, but not yet saved."""
        self._saved.write({name: list(map(asdict, getattr(self, name).values())) for name in ("judged", "again")})


def _decoded(data: Any) -> tuple[dict[int, Decision], dict[int, Decision]]:  # noqa: ANN401 - what a file holds
    judged, again = ({one.step: one for one in map(Decision.from_data, data[name])} for name in ("judged", "again"))
    return judged, again
