"""`GameRecorder`: a game from the table is entered move by move."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import traitlets

from ttr_analysis._errors import GameError
from ttr_analysis._words import percent
from ttr_analysis.engine.state import GameState
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.notation import NotationError
from ttr_analysis.notation.lexer import tells
from ttr_analysis.records.record import GameRecord
from ttr_analysis.widgets.base import MessageWidget, best_in_words, css, esm
from ttr_analysis.widgets.recording import MOST_LETTERS, Recording
from ttr_analysis.widgets.snapshot import fixed_facts, place_of

if TYPE_CHECKING:
    from ttr_analysis.studies.advice import Advice

_ADVICE_SECONDS: Final = 2.0


class GameRecorder(MessageWidget):
    """
    Enter a game from the table, move by move, by clicking or by typing a line.

    Each line is checked as it is typed, by the rules and by what was seen
    before; what may come next is offered. What nobody saw is `?`. See
    `ttr_analysis.notation` for what lines look like.

    Parameters
    ----------
    game_map
        The map, or its name.
    n_players
        Number of players; by default that of `players` or of the file, else
        the fewest.
    variant
        A variant of the rules; None for the map's own.
    seat
        Who keeps the record: what the others draw is then taken to be
        unknown, unless it is said.
    players
        Names of the players, seat by seat; each may stand for its seat in
        lines.
    path
        A file to which the record is saved after each line. One that exists
        is continued, by the same players.

    Attributes
    ----------
    record : GameRecord
        The game so far, a record like any other.
    state : GameState or None
        The state after the last line; None before the set-up is complete.
    lines : tuple of str
        The lines entered.

    Raises
    ------
    GameError
        If the file is of another variant, number of players or players, or
        there is no such seat.
    RecordError
        If the file is damaged, or of another map.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> recorder = GameRecorder(ttr.load_map("nordic"), players=("Ida", "Bo"), seat=0)
    >>> recorder.enter("Ida: hand red 2, blue, locomotive")
    'Ida: hand red, red, blue, locomotive'
    >>> recorder.enter("Bo: hand 4")
    'Bo: hand 4'
    >>> recorder.undo()
    'Bo: hand 4'
    >>> recorder.record
    <GameRecord nordic: Ida, Bo, 4 events, not begun>
    """

    _esm = esm("panels", "recorder")
    _css = css("panels", "recorder")

    answer = traitlets.Dict(read_only=True).tag(sync=True)
    busy = traitlets.Unicode("", read_only=True).tag(sync=True)
    advised: traitlets.Dict[str, Any] = traitlets.Dict({"words": "", "place": None}, read_only=True).tag(sync=True)

    def __init__(
        self,
        game_map: MapLike,
        n_players: int | None = None,
        variant: str | None = None,
        seat: int | None = None,
        players: Sequence[str] = (),
        path: str | os.PathLike[str] | None = None,
    ) -> None:
        game_map = as_map(game_map)
        self._recording = Recording(game_map, n_players, variant, seat, players, path)
        super().__init__()

    @property
    def record(self) -> GameRecord:
        """The game so far."""
        return self._recording.record

    @property
    def state(self) -> GameState | None:
        """The state after the last line; None before the set-up is complete."""
        return self._recording.state

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines entered, in canonical form."""
        return self._recording.lines

    def enter(self, line: str) -> str:
        """
        Enter a line.

        Parameters
        ----------
        line
            The line.

        Returns
        -------
        line
            The same in canonical form; "" for a comment, a line that begins
            with #, which is left out.

        Raises
        ------
        NotationError
            If it cannot be read or tells what cannot be; nothing is then
            entered.
        OSError
            If the file cannot be written; the line is entered.
        """
        try:
            return self._recording.enter(line)
        finally:
            self._show("", 0)

    def undo(self) -> str:
        """
        Take the last line back.

        Returns
        -------
        line
            That line.

        Raises
        ------
        GameError
            If there is none.
        OSError
            If the file cannot be written; the line is taken back.
        """
        try:
            return self._recording.undo()
        finally:
            self._show("", 0)

    def advise(self, seconds: float = 2.0) -> Advice:
        """
        Return what the seat to move may do, what each action is worth, and why: see `ttr.studies.advise`.

        Parameters
        ----------
        seconds
            Time for it.

        Raises
        ------
        GameError
            If the table is not set up yet, the game is over, or the record
            does not know what the seat holds.
        """
        from ttr_analysis.studies.advice import advise

        self._recording.check_known()
        return advise(self.record, seconds=seconds)

    # -- plumbing ---------------------------------------------------------------

    @traitlets.default("facts")
    def _first_facts(self) -> dict[str, Any]:
        return fixed_facts(self._recording.game.game_map, self._recording.names) | {"seat": self._recording.seat}

    @traitlets.default("now")
    def _first_now(self) -> dict[str, Any]:
        return self._recording.frame()

    @traitlets.default("answer")
    def _first_answer(self) -> dict[str, Any]:
        return self._answer("", 0)

    def _hear(self, message: object) -> None:
        match message:
            case {"do": "check", "n": int(n), "text": str(text)}:
                self.set_trait("answer", self._answer(text, n))
            case {
                "do": "pick",
                "n": int(n),
                "text": str(text),
                "kind": "route" | "city" | "market" | "pile" | "tickets" as kind,
                "value": str(value),
            }:
                self.set_trait("answer", self._answer(self._recording.pick(text, kind, value), n))
            case {"do": "enter", "n": int(n), "text": str(text)}:
                self._enter(text, n)
            case {"do": "undo", "n": int(n)}:
                self._do(self._recording.undo, "taken back", "", n)
            case {"do": "advise"}:
                self._show_advice()

    def _tell(self, message: object, fault: str) -> None:
        match message:
            case {"do": "advise"}:
                self._set_advice(fault)
            case {"n": int(n), **rest}:
                text = rest.get("text")
                kept = text[:MOST_LETTERS] if isinstance(text, str) else ""
                nothing = {"problem": "", "at": 0, "ready": False, "told": "", "choices": []}
                self.set_trait("answer", {"n": n, "text": kept, "said": fault, "failed": True} | nothing)

    def _enter(self, text: str, n: int) -> None:
        """Enter a line, or several that were pasted, up to the first one that cannot be."""
        for line in [line for line in text.splitlines() if tells(line)] or [text]:
            self._do(partial(self._recording.enter, line), "entered", line, n)
            if self.answer["text"]:
                return

    def _do(self, change: Callable[[], str], done: str, text: str, n: int) -> None:
        """Make a change, and say what came of it; what cannot be entered stays in the line."""
        try:
            line = change()
        except NotationError:
            self.set_trait("answer", self._answer(text, n))
        except GameError as error:
            self.set_trait("answer", self._answer(text, n, str(error), failed=True))
        except OSError as error:
            self._show(f"The line is {done}, but the file cannot be written: {error}", n, failed=True)
        else:
            self._show(f"{done.capitalize()} {line}" if line else "A comment is left out", n)

    def _show_advice(self) -> None:
        """Work out what is best for the seat to move, or say why that cannot be."""
        self._set_advice()
        self.set_trait("busy", "Advice is being worked out")
        try:
            advice = self.advise(_ADVICE_SECONDS)
        except (GameError, ValueError) as error:
            words, place = f"No advice: {error}", None
        else:
            who = self._recording.names[advice.view.seat] or f"P{advice.view.seat}"
            others = [f"{row['move']}, {percent(row['win'], None)}" for _, row in advice.table.iloc[1:3].iterrows()]
            rest = f". Else: {'; '.join(others)}" if others else ""
            words, place = f"Best for {who}: {best_in_words(advice)}{rest}", place_of(advice.best)
        finally:
            self.set_trait("busy", "")
        self._set_advice(words, place)

    def _set_advice(self, words: str = "", place: dict[str, str] | None = None) -> None:
        self.set_trait("advised", {"words": words, "place": place})

    def _show(self, said: str, n: int, *, failed: bool = False) -> None:
        self._set_advice()  # what was said was about another moment
        self.set_trait("now", self._recording.frame())
        self.set_trait("answer", self._answer("", n, said, failed=failed))

    def _answer(self, text: str, n: int, said: str = "", *, failed: bool = False) -> dict[str, Any]:
        check = self._recording.check(text)
        return {
            "n": n,
            "text": check.text,
            "problem": check.problem,
            "at": check.at,
            "ready": check.is_ready,
            "told": check.told,
            "said": said,
            "failed": failed,
            "choices": [[choice.text, choice.label, choice.card] for choice in check.choices],
        }

    def __repr__(self) -> str:
        return f"<GameRecorder of {self.record!r}>"
