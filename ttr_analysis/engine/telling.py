"""A step of a game whose outcomes of chance are told one by one, as they are seen at a table."""

from __future__ import annotations

from collections.abc import Iterable

from ttr_analysis.engine import codes
from ttr_analysis.engine.codes import kind_of
from ttr_analysis.engine.entries import Entry
from ttr_analysis.engine.layout import State
from ttr_analysis.engine.misfit import is_secret_unknown, why_not
from ttr_analysis.engine.packed import PackedGame


class Telling:
    """
    A step whose outcomes are told one by one.

    Parameters
    ----------
    packed
        The game.
    before
        The packed state before the step; None for the set-up.
    code, value
        A legal action of the seat that acts; of no meaning for the set-up.
    told
        Outcomes told before, which fit.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> setup = Telling(PackedGame(ttr.load_map("nordic"), 2), None)
    >>> setup.due
    Entry(kind=32, seat=0, argument=0, value=0, tickets=())
    >>> setup.tell(3), setup.due.seat
    ('', 0)
    """

    def __init__(
        self,
        packed: PackedGame,
        before: State | None,
        code: int = 0,
        value: int = 0,
        told: Iterable[tuple[int, int]] = (),
    ) -> None:
        self._packed = packed
        self._before = before
        self._action = (code, value)
        self.script = list(told)
        self._after, self._rows = self._run(self.script)

    @property
    def due(self) -> Entry | None:
        """The outcome that comes next, its value yet unknown (0); None if the step is complete."""
        outcomes = _outcomes(self._rows)
        if len(outcomes) <= len(self.script):
            return None
        code = outcomes[len(self.script)][0]
        return Entry.of(code)

    def tell(self, value: int) -> str:
        """
        Tell the outcome that is due.

        Parameters
        ----------
        value
            Kind of card, or number of a ticket.

        Returns
        -------
        reason
            Why that cannot be; nothing is then told. "" if it can.
        """
        due = self.due
        assert due is not None  # noqa: S101 - who tells looks first
        row = (due.code, value)
        return "" if self._try(row) else why_not(*row)

    def tell_replaced(self, value: int) -> bool:
        """
        Tell the first card of a market that is replaced where unknown cards leave open whether it is.

        Parameters
        ----------
        value
            Kind of the card.

        Returns
        -------
        can_be
            Whether it may be replaced; if not, nothing is told.
        """
        return self._try((codes.MARKET_CARD, value))

    def _try(self, row: tuple[int, int]) -> bool:
        """Tell an outcome; return whether it can be."""
        after, rows = self._run([*self.script, row])
        told = _outcomes(rows)[: len(self.script) + 1]
        if told != [*self.script, row] or is_secret_unknown(*row):
            return False
        self.script.append(row)
        self._after, self._rows = after, rows
        return True

    @property
    def after(self) -> State:
        """The packed state after the step, if it is complete."""
        return self._after

    def entries(self) -> list[Entry]:
        """Return what has happened so far: the move, unless the step is the set-up, and the outcomes told."""
        n_left = len(self.script)
        entries = []
        for code, value in self._rows:
            if codes.CARD_DEALT <= kind_of(code) < codes.SHUFFLED:
                if n_left == 0:
                    break
                n_left -= 1
            entries.append(Entry.of(code, value))
        return entries

    def _run(self, script: list[tuple[int, int]]) -> tuple[State, list[tuple[int, int]]]:
        after, rows = self._packed.try_script(self._before, *self._action, script)
        after.stream[:] = 0  # what is told has no random numbers to come
        return after, rows


def _outcomes(rows: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the events that a script tells."""
    return [row for row in rows if codes.CARD_DEALT <= kind_of(row[0]) < codes.SHUFFLED]
