"""`ttr-analysis play`: a table in a page of its own, and a file for each game that is played at it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path

from ttr_analysis._errors import GameError
from ttr_analysis._words import listed
from ttr_analysis.engine.protocol import BUILT_IN, PolicyLike
from ttr_analysis.widgets.table import GameTable


def seats_of(names: Sequence[str]) -> tuple[int, str, list[PolicyLike]]:
    """
    Return where a person sits, what it is called, and who plays the other seats.

    Examples
    --------
    >>> seats_of(["planner", "Ida", "Greedy"])
    (1, 'Ida', ['planner', 'Greedy'])
    """
    policies = {name.lower() for name in BUILT_IN}
    persons = [seat for seat, name in enumerate(names) if name.lower() not in policies]
    if len(persons) != 1:
        raise GameError(
            f"one seat is yours, under any name but {listed(BUILT_IN)}, who play the others; "
            f"got {listed(names[seat] for seat in persons) or 'none'}"
        )
    (seat,) = persons
    return seat, names[seat], [*names[:seat], *names[seat + 1 :]]


class GameFiles:
    """
    The files of the games at a table: a new one for each, kept up to date, and never one that was there before.

    Examples
    --------
    >>> import tempfile
    >>> import ttr_analysis as ttr
    >>> folder = Path(tempfile.mkdtemp())
    >>> files, table = GameFiles(folder / "mine.jsonl"), GameTable("nordic", "Greedy", seed=7)
    >>> files.update(table)                                     # nobody has moved: nothing to keep
    >>> table.play("keep all")
    >>> files.update(table)
    >>> table.new_game(seed=8)
    >>> table.play("keep all")
    >>> files.update(table)
    >>> [path.name for path in files.paths]
    ['mine.jsonl', 'mine-2.jsonl']
    >>> ttr.GameRecord.load(files.paths[0]) == table.record
    False
    """

    def __init__(self, first: Path) -> None:
        self._first = first
        self._files: dict[int, Path] = {}
        self._saved = (0, 0)

    @property
    def paths(self) -> list[Path]:
        """The files written so far."""
        return list(self._files.values())

    def update(self, table: GameTable) -> None:
        """Save the game at a table, once the person has moved, if anything has happened since."""
        game, now = table.n_games, (table.n_games, table.now["step"])
        if now == self._saved or not (table.now["undo"] or game in self._files):
            return
        if game not in self._files:
            self._files[game] = self._new_file()
        table.record.save(self._files[game])
        self._saved = now

    def _new_file(self) -> Path:
        """Make a file, empty for the moment, so that nobody else takes its name."""
        self._first.parent.mkdir(parents=True, exist_ok=True)
        numbered = (self._first.with_stem(f"{self._first.stem}-{number}") for number in count(2))
        for path in chain([self._first], numbered):
            try:
                path.open("x").close()
            except FileExistsError:
                continue
            break
        return path
