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


def with_version(key: Mapping[str, object]) -> dict[str, object]:
    """Return the identity of saved work; other versions judge moves differently."""
    return {"version": __version__, **key}


def read_saved(path: Path, name: str, key: Mapping[str, object], parts: str, decode: Callable[[Any], T]) -> T | None:
    """Return the content of a file, None if of another version; refuse a file with another key of `parts`."""
    try:
        data = json.loads(path.read_text("utf-8"))
        saved = data[name]
        if saved.get("version") != __version__:
            return None
        kept = decode(data)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is not a saved {name}") from error
    if saved != key:
        raise ValueError(f"{path} belongs to another {name}: another {parts}")
    return kept


class SavedReview:
    """The judged decisions, also on disk if there is a file; a file of another version is discarded."""

    def __init__(self, path: str | os.PathLike[str] | None, key: Mapping[str, object]) -> None:
        self._path = None if path is None else Path(path).expanduser()
        self._key = with_version(key)
        self.judged: dict[int, Decision] = {}
        self.again: dict[int, Decision] = {}
        if self._path is not None and self._path.exists():
            kept = read_saved(self._path, "review", self._key, "game, seat, seed or number of rollouts", _decoded)
            self.judged, self.again = kept or ({}, {})

    @property
    def decisions(self) -> list[Decision]:
        """The decisions in order, with their latest measurements."""
        return [self.again.get(step, decision) for step, decision in sorted(self.judged.items())]

    def keep(self, step: int, decision: Decision) -> None:
        """Save a judged decision."""
        self.judged[step] = decision
        self._write()

    def keep_again(self, step: int, decision: Decision) -> None:
        """Save a decision that was measured again."""
        self.again[step] = decision
        self._write()

    def _write(self) -> None:
        if self._path is not None:
            kept = {name: list(map(asdict, getattr(self, name).values())) for name in ("judged", "again")}
            write_atomically(self._path, json.dumps({"review": self._key, **kept}))


def _decoded(data: Any) -> tuple[dict[int, Decision], dict[int, Decision]]:  # noqa: ANN401 - what a file holds
    judged, again = ({one.step: one for one in map(Decision.from_data, data[name])} for name in ("judged", "again"))
    return judged, again
