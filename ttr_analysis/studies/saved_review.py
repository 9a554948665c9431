"""The decisions of a review, on disk while it is made."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from ttr_analysis import __version__
from ttr_analysis._decoding import write_atomically
from ttr_analysis.studies.judging import Decision


class SavedReview:
    """
    What has been judged, also on disk if there is a file for it; one with another key is refused.

    One of another version of this package is begun anew: its moves were judged in another way.
    """

    def __init__(self, path: str | os.PathLike[str] | None, key: Mapping[str, object]) -> None:
        self._path = None if path is None else Path(path).expanduser()
        self._key = {"version": __version__, **key}
        self.judged: dict[int, Decision] = {}
        self.again: dict[int, Decision] = {}
        if self._path is not None and self._path.exists():
            self._read(self._path)

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

    def _read(self, path: Path) -> None:
        try:
            data = json.loads(path.read_text("utf-8"))
            saved = data["review"]
            if saved.get("version") != __version__:
                return
            kept = [{one.step: one for one in map(Decision.from_data, data[name])} for name in ("judged", "again")]
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise ValueError(f"{path} is no review that was saved") from error
        if saved != self._key:
            raise ValueError(f"{path} is of another review: another game, seat, seed or number of rollouts")
        self.judged, self.again = kept

    def _write(self) -> None:
        if self._path is not None:
            kept = {name: list(map(asdict, getattr(self, name).values())) for name in ("judged", "again")}
            write_atomically(self._path, json.dumps({"review": self._key, **kept}))
