"""`Trainer`: find the best move in positions from games; those that you miss come back."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import traitlets

from ttr_analysis._decoding import write_atomically
from ttr_analysis._errors import GameError
from ttr_analysis._words import percent, with_names
from ttr_analysis.engine.actions import Action
from ttr_analysis.notation import NotationError
from ttr_analysis.studies.puzzles import Puzzle, watched
from ttr_analysis.studies.reviews import player_names
from ttr_analysis.viz.words import tell
from ttr_analysis.widgets.base import MOST_LETTERS, Json, SeatWidget, css, esm, move_in_words
from ttr_analysis.widgets.snapshot import Moments, Options, fixed_facts, place_of, table_frame

_BACK_AFTER: Final = 3
"""A missed puzzle comes back after this number of others."""


class Results:
    """
    The answers to each puzzle, kept in a file if there is one.

    >>> results = Results()
    >>> for key, is_right in [("a", True), ("b", False), ("c", True)]:
    ...     results.add(key, is_right=is_right)
    >>> results.in_order(["a", "b", "c", "d"])
    ['b', 'd', 'a', 'c']
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self._path = None if path is None else Path(path).expanduser()
        self._answers: dict[str, list[bool]] = {}
        if self._path is not None and self._path.exists():
            try:
                answers = json.loads(self._path.read_text("utf-8"))["answers"]
                self._answers = {str(key): [bool(one) for one in given] for key, given in answers.items() if given}
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                raise GameError(f"{self._path} does not contain training results") from error

    def add(self, key: str, *, is_right: bool) -> None:
        """Add an answer, and save all of them."""
        others = {other: given for other, given in self._answers.items() if other != key}
        answers = {**others, key: [*self._answers.get(key, []), is_right]}  # most recently answered puzzles come last
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path, json.dumps({"answers": answers}))
        self._answers = answers

    def solved(self, key: str) -> bool | None:
        """Return whether the latest answer to a puzzle was right; None without an answer."""
        given = self._answers.get(key)
        return given[-1] if given else None

    def in_order(self, keys: Sequence[str]) -> list[str]:
        """Return keys in the order in which to ask them: missed ones, new ones, then solved ones; oldest first."""
        asked = {key: number for number, key in enumerate(self._answers)}
        rank = {False: 0, None: 1, True: 2}
        return sorted(keys, key=lambda key: (rank[self.solved(key)], asked.get(key, -1)))


class Trainer(SeatWidget):
    """
    Find the best move in positions of real games, and see its value and the reason.

    You see the board, hand and tickets as the player saw them, and move as in `GameTable`. The
    trainer then shows the best move, its value and the reason, the value of your move, and the
    move played in the game. A position that you miss comes back after three others, and comes
    first in the next session.

    Parameters
    ----------
    puzzles
        From `studies.puzzles`, for your own games, or `studies.load_puzzles`.
    results
        A file for your answers; it need not exist yet.

    Attributes
    ----------
    puzzle : Puzzle
        The current puzzle.

    Raises
    ------
    GameError
        If the file does not contain training results.

    Examples
    --------
    >>> trainer = Trainer(ttr.studies.load_puzzles("usa"))
    >>> trainer.answer(trainer.puzzle.table.loc[1, "move"])
    True
    >>> trainer.next()
    >>> trainer
    <Trainer: 1 of 10 solved>
    """

    _esm = esm("panels", "turn", "trainer")
    _css = css("panels", "table", "trainer")

    answered = traitlets.Dict({}, read_only=True).tag(sync=True)
    tally = traitlets.Unicode("", read_only=True).tag(sync=True)

    def __init__(self, puzzles: Iterable[Puzzle], *, results: str | os.PathLike[str] | None = None) -> None:
        self._puzzles = {puzzle.key: puzzle for puzzle in puzzles}
        if not self._puzzles:
            raise ValueError("expected at least one puzzle")
        self._results = Results(results)
        self._queue = self._results.in_order(list(self._puzzles))
        self._n_shown = 1
        super().__init__()
        self.set_trait("tally", self._tally())

    @property
    def puzzle(self) -> Puzzle:
        """The current puzzle."""
        return self._puzzles[self._queue[0]]

    def answer(self, line: str) -> bool:
        """
        Answer with a move, and return whether it is the best.

        Parameters
        ----------
        line
            The move, such as "take red" or "Bergen-Oslo blue 4".

        Raises
        ------
        NotationError
            If the line cannot be read, or the move is illegal.
        GameError
            If the puzzle was already answered.
        """
        if self.answered:
            raise GameError("this puzzle is already answered; continue with the next one")
        action = self.puzzle.read(line)
        row = self.puzzle.find(action)
        is_right = row == 0
        self._results.add(self._queue[0], is_right=is_right)
        with self.hold_sync():
            self.set_trait("answered", self._verdict(action, line, row))
            self.set_trait("now", {**self.now, "options": None})
            self.set_trait("tally", self._tally())
        return is_right

    def next(self) -> None:
        """Show the next puzzle. An unanswered or missed one comes back after three others."""
        key = self._queue.pop(0)
        is_solved = bool(self.answered) and self._results.solved(key)
        self._queue.insert(len(self._queue) if is_solved else _BACK_AFTER, key)
        self._n_shown += 1
        self._say("")
        with self.hold_sync():  # so that the page is redrawn only once
            self.set_trait("answered", {})
            self.set_trait("facts", self._first_facts())
            self.set_trait("now", self._first_now())

    # -- the view -----------------------------------------------------------------------

    @traitlets.default("facts")
    def _first_facts(self) -> Json:
        puzzle = self.puzzle
        facts = fixed_facts(puzzle.record.map, player_names(puzzle.record))
        return facts | {"seat": puzzle.seat, "puzzle": self._n_shown}

    @traitlets.default("now")
    def _first_now(self) -> Json:
        puzzle, state = self.puzzle, self.puzzle.state
        moment = Moments(puzzle.game).seen_from(puzzle.view, state)
        shown = table_frame(moment, puzzle.view, list(tell(watched(puzzle.record, puzzle.step))))
        return {"step": self._n_shown, **shown, "options": self._options.data()}

    @property
    def _options(self) -> Options:
        return Options(self.puzzle.game, self.puzzle.state, self.puzzle.seat)

    def _verdict(self, action: Action, line: str, row: int | None) -> Json:
        """Return the comments on an answer: the best move first, and others worth comparing."""
        puzzle = self.puzzle
        again = None if row == 0 else "It will come back later."
        rows = [self._row("Best", 0), *([] if row == 0 else [self._row("You", row, action, line)])]
        played = None
        with suppress(NotationError):  # unknown, or with cards that the record does not show
            played = puzzle.read(puzzle.played)
        at = None if played is None else puzzle.find(played)
        is_shown = played is not None and (at == 0 or puzzle.counts_as(played, action))
        if puzzle.played and not is_shown:
            rows.append(self._row("In the game", at, played, puzzle.played))
        second = next((n for n, one in enumerate(puzzle.actions) if puzzle.find(one) != 0), None)
        if len(rows) == 1 and second is not None:
            rows.append(self._row("Second", second))
        heading = "That is the best move" if row == 0 else "Not the best move"
        return {"right": row == 0, "heading": heading, "rows": rows, "again": again, "place": place_of(puzzle.best)}

    def _row(self, who: str, row: int | None, action: Action | None = None, line: str = "") -> Json:
        """Return the comments on one move."""
        puzzle = self.puzzle
        if row is None:
            return {"who": who, "move": move_in_words(action, line), "win": "not measured", "cost": "", "why": ""}
        worth = puzzle.table.iloc[row]
        win, low, high = (percent(worth[name]) for name in ("win", "win_low", "win_high"))
        cost, least, most = (percent(max(0.0, worth[name])) for name in ("loss", "loss_low", "loss_high"))
        return {
            "who": who,
            "move": move_in_words(action or puzzle.actions[row], line or worth["move"]),
            "win": f"{win} to win ({low} to {high})",
            "cost": "" if row == 0 else f"costs {cost} ({least} to {most})",
            "why": with_names(worth["reason"], player_names(puzzle.record)),
        }

    def _tally(self) -> str:
        solved = [self._results.solved(key) for key in self._puzzles]
        missed = solved.count(False)
        return f"{solved.count(True)} of {len(solved)} solved" + (f", {missed} to come back" if missed else "")

    # -- messages -------------------------------------------------------------------------

    def _handle(self, message: object) -> None:
        match message:
            case {"do": "move", "step": self._n_shown, "line": str(line)} if len(line) <= MOST_LETTERS:
                try:
                    self.answer(line)
                except GameError as error:
                    self._say(error.reason if isinstance(error, NotationError) else str(error))
            case {"do": "next", "step": self._n_shown}:
                self.next()
            case {"do": "about", "route": str(route)}:
                self._say_about(route, self._options.about(route))
            case {"do": "why", **asked} if not self.answered:
                self._say(self._options.why(asked, player_names(self.puzzle.record)))

    def __repr__(self) -> str:
        return f"<Trainer: {self._tally()}>"
