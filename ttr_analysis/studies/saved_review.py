"""Saved decisions of a review or search, on disk while they are judged."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from ttr_analysis import __version__
from ttr_analysis._decoding import write_atomically
from ttr_analysis.studies.judging import Decision

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
