"""`GameStepper`: a game on the board, step by step, in the notebook or as a page of its own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, SupportsIndex

import anywidget
import traitlets

from ttr_analysis.engine.events import Move
from ttr_analysis.engine.state import GameState
from ttr_analysis.records.record import GameRecord
from ttr_analysis.widgets.base import css, esm, write_page
from ttr_analysis.widgets.snapshot import chance_data, game_data, review_data

if TYPE_CHECKING:
    import pandas as pd

    from ttr_analysis.studies.reviews import Review

_MODULE = esm("panels", "chart", "player", "review", "stepper")


class GameStepper(anywidget.AnyWidget):
    """
    Step through a game: board, hands, market, tickets and scores at each step.

    Buttons, a slider, Play, arrow keys, Home, End and space go from step to
    step; a click on a move goes there. All is drawn in the browser from data
    that is sent once.

    Parameters
    ----------
    record
        The game; cards and tickets that it does not know are shown as
        unknown.
    seat
        Show the game as this seat saw it; by default with all hands.
    step
        Where to begin: 0 is the set-up, -1 the end.
    win
        Win probabilities to show as a second chart, from `studies.win_curve`;
        of the same seat if one is given. Of a record that is already as a seat
        saw it, who looked is not checked.
    review
        What `studies.review` found: the moves that cost something are marked,
        in symbols and words, with what was better, and its win curve is shown
        if there is no other one. Of the same seat if one is given.

    Attributes
    ----------
    record : GameRecord
        The game as it is shown.
    step : int
        The step shown now. It follows what is done in the browser, and can be
        set.

    Raises
    ------
    GameError
        If there is no such seat, or the record breaks off before the game
        begins.
    IndexError
        If there is no such step.
    TypeError
        If `record` is no record, `win` no table, or `review` no review.
    ValueError
        If the win probabilities lack a column, they or the review are of
        another game, or may tell the seat more than it could know.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> game = ttr.Game(ttr.load_map("nordic"))
    >>> record = game.play([ttr.policies.Greedy(), ttr.policies.Random()], seed=7)
    >>> stepper = GameStepper(record)
    >>> stepper.step = 40
    >>> stepper.state == record.states()[40]
    True
    """

    _esm = _MODULE
    _css = css("panels", "chart", "review", "stepper")

    data: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)
    can_play = traitlets.Bool(default_value=False, read_only=True).tag(sync=True)
    # Sent back to the page, where it comes from, it would undo steps that the page has taken meanwhile.
    step = traitlets.Int(0).tag(sync=True, echo_update=False)

    def __init__(
        self,
        record: GameRecord,
        *,
        seat: int | None = None,
        step: SupportsIndex = 0,
        win: pd.DataFrame | None = None,
        review: Review | None = None,
    ) -> None:
        if not isinstance(record, GameRecord):
            raise TypeError(f"expected a GameRecord, as Game.play and GameRecord.load give it, got {record!r}")
        self.record = record if seat is None else record.watched_from(seat)
        data = game_data(self.record)
        if review is not None:
            data["review"] = review_data(review, record, seat)
            win = review.curve if win is None else win
        if win is not None:
            acting = [step[0].seat if isinstance(step[0], Move) else -1 for step in record.steps]
            data["win"] = chance_data(win, acting, record.header.n_players, seat)
        self.record.state_at(step)  # raises the error that names the steps there are
        super().__init__(data=data, step=range(self.n_steps)[step])

    @property
    def n_steps(self) -> int:
        """Number of steps, the set-up included."""
        return len(self.record.steps)

    @property
    def state(self) -> GameState:
        """The state of the game at the step shown now."""
        return self.record.state_at(self.step)

    def to_html(self, path: str | os.PathLike[str], *, before: str = "", styles: str = "") -> None:
        """
        Write the stepper as one page that opens from disk and needs no network.

        Parameters
        ----------
        path
            The file; an old one stays whole until the new one is.
        before
            HTML that stands before it, in which all names are escaped; a
            link to `#12` there shows that step.
        styles
            Its style sheet.

        Raises
        ------
        OSError
            If the file cannot be written.
        """
        values = {"data": self.data, "step": self.step}
        title, style = self.data["facts"]["title"], self._css + styles
        write_page(path, title=title, module=_MODULE, styles=style, values=values, before=before)

    @traitlets.validate("step")
    def _validate_step(self, proposal: dict[str, Any]) -> int:
        step: int = proposal["value"]
        if not 0 <= step < self.n_steps:
            raise traitlets.TraitError(f"the record has steps 0 to {self.n_steps - 1}, got {step}")
        return step

    def __repr__(self) -> str:
        return f"<GameStepper at step {self.step} of {self.record!r}>"
