"""The decisions of a review or a search, on disk while they are judged."""

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
    """Return what identifies something saved: of another version, its moves were judged in another way."""
    return {"version": __version__, **key}


def read_saved(path: Path, name: str, key: Mapping[str, object], parts: str, decode: Callable[[Any], T]) -> T | None:
    """Return what a file holds; None if it is of another version. One of another key, which has `parts`, is refused."""
    try:
        data = json.loads(path.read_text("utf-8"))
        saved = data[name]
        if saved.get("version") != __version__:
            return None
        kept = decode(data)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is no {name} that was saved") from error
    if saved != key:
        raise ValueError(f"{path} is of another {name}: another {parts}")
    return kept


class SavedReview:
    """What has been judged, also on disk if there is a file for it; one of another version is begun anew."""

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
        """The decisions in order, as they were measured last."""
        return [self.again.get(step, decision) for step, decision in sorted(self.judged.items())]

    def keep(self, step: int, decision: Decision) -> None:
        """Keep a decision that was judged."""
        self.judged[step] = decision
        self._write()

    def keep_again(self, step: int, decision: Decision) -> None:
        """Keep a decision that was measured again."""
        self.again[step] = decision
        self._write()

    def _write(self) -> None:
        if self._path is not None:
            kept = {name: list(map(asdict, getattr(self, name).values())) for name in ("judged", "again")}
            write_atomically(self._path, json.dumps({"review": self._key, **kept}))


def _decoded(data: Any) -> tuple[dict[int, Decision], dict[int, Decision]]:  # noqa: ANN401 - what a file holds
    judged, again = ({one.step: one for one in map(Decision.from_data, data[name])} for name in ("judged", "again"))
    return judged, again
