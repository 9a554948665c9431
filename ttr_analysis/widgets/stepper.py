"""`GameStepper`: step through a game on the board, in a notebook or on a page."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex

import anywidget
import numpy as np
import traitlets

from ttr_analysis._decoding import write_atomically
from ttr_analysis._words import isolate, percent
from ttr_analysis.engine.events import Move
from ttr_analysis.engine.state import GameState
from ttr_analysis.records.record import Game, GameRecord
from ttr_analysis.viz.svg import Values, seen_from, step_chart
from ttr_analysis.viz.words import tell
from ttr_analysis.widgets.base import Json, css, esm, page
from ttr_analysis.widgets.snapshot import Moment, Moments, fixed_facts, moved_cards, place_of

if TYPE_CHECKING:
    import pandas as pd

    from ttr_analysis.studies.reviews import Review

_MODULE = esm("panels", "chart", "player", "review", "stepper")


class GameStepper(anywidget.AnyWidget):
    """
    Step through a game: board, hands, market, tickets and scores at each step.

    Buttons, a slider, Play, the arrow keys, Home, End and space move between steps; so does a
    click on a move. The browser draws everything from data that is sent once.

    Parameters
    ----------
    record
        The game; unknown cards and tickets are marked as such.
    seat
        Show the game as this seat saw it; by default with all hands.
    step
        First step to show: 0 is the setup, -1 the end.
    win
        Win probabilities for a second chart, from `studies.win_curve`, for the same seat if
        one is given. If the record itself is one seat's view, the viewer of the curve is
        not checked.
    review
        From `studies.review`, for the same seat if one is given. Costly moves are marked
        with a symbol, a comment and the better move, and the review's win curve is shown
        unless `win` is given.

    Attributes
    ----------
    record : GameRecord
        The game as shown.
    step : int
        The current step; it follows the browser, and can be set.

    Raises
    ------
    GameError, IndexError
        If there is no such seat or step, or the record ends before the game begins.
    TypeError
        If `record` is not a record, `win` not a table, or `review` not a review.
    ValueError
        If the win probabilities lack a column, belong to another game, or could reveal
        hidden information; the same for the review.

    Examples
    --------
    >>> game = ttr.Game(ttr.load_map("nordic"))
    >>> record = game.play([ttr.policies.Greedy(), ttr.policies.Random()], seed=7)
    >>> stepper = GameStepper(record)
    >>> stepper.step = 40
    >>> stepper.state == record.states()[40]
    True
    """

    _esm = _MODULE
    _css = css("panels", "stepper")

    data: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)
    can_play = traitlets.Bool(default_value=False, read_only=True).tag(sync=True)
    # If echoed to the page that set it, it would undo steps taken meanwhile.
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
            raise TypeError(f"expected a GameRecord, as returned by Game.play and GameRecord.load, got {record!r}")
        self.record = record if seat is None else record.watched_from(seat)
        data = game_data(self.record)
        if review is not None:
            data["review"] = review_data(review, record, seat)
            win = review.curve if win is None and len(review.curve) else win
        if win is not None:
            data["win"] = chance_data(win, record, data["facts"]["names"], seat)
        self.record.state_at(step)  # raises the error for an unknown step
        super().__init__(data=data, step=range(self.n_steps)[step])

    @property
    def n_steps(self) -> int:
        """Number of steps, including the setup."""
        return len(self.record.steps)

    @property
    def state(self) -> GameState:
        """The state of the game at the current step."""
        return self.record.state_at(self.step)

    def to_html(self, path: str | os.PathLike[str], *, before: str = "", styles: str = "") -> None:
        """
        Write the stepper as a page that opens from disk and needs no network.

        Parameters
        ----------
        path
            The file; an existing one is replaced only once the new one is complete.
        before
            HTML to show above it, with names escaped; a link to `#12` shows that step.
        styles
            Style sheet for that HTML.
        """
        values = {"data": self.data, "step": self.step}
        title, style = self.data["facts"]["title"], self._css + styles
        text = page(title=title, module=_MODULE, styles=style, values=values, before=before)
        write_atomically(Path(path).expanduser(), text)

    @traitlets.validate("step")
    def _validate_step(self, proposal: dict[str, Any]) -> int:
        step: int = proposal["value"]
        if not 0 <= step < self.n_steps:
            raise traitlets.TraitError(f"the record has steps 0 to {self.n_steps - 1}, got {step}")
        return step

    def __repr__(self) -> str:
        return f"<GameStepper at step {self.step} of {self.record!r}>"


# -- the view of each step -----------------------------------------------------------------------------------------


def game_data(record: GameRecord) -> Json:
    """Return everything that the page needs to show a game, step by step, as plain data."""
    record.score()  # raises for a record that has not begun
    header, states = record.header, record.states()
    moments = Moments(Game(record.map, header.n_players))
    whole = [moments.whole(state, is_end=step == len(states) - 1) for step, state in enumerate(states)]
    facts = fixed_facts(record.map, header.players or header.policies or ("",) * header.n_players)
    about = [record.map.title if header.title else "", record.map.rules.variant.replace("_", " ")]
    about += [f"{header.n_players} players", header.date]
    facts["title"] = header.title or record.map.title
    facts |= {"about": ", ".join(isolate(part) for part in about if part), "note": header.note}
    points = [[moment["seats"][seat]["points"] for moment in whole] for seat in range(header.n_players)]
    return {
        "facts": facts,
        "moves": [
            [
                moved.seat,
                moved.text,
                moved_cards(moved),
                moved.route and moved.route.id,
                *([moved.stamp] if moved.stamp else []),
            ]
            for moved in tell(record)
        ],
        "moments": [whole[0], *(_difference(a, b) for a, b in pairwise(whole))],
        "points": {"field": "points-now", "heading": "Points for routes and tickets"}
        | {"svg": _chart("Points", facts["names"], points)},
    }


def _difference(before: Moment, after: Moment) -> Json:
    """Return what changed: owners (None if a route is free again), seats by number, and everything else."""
    change = _changed(before, after)
    if "owners" in change:
        old, new = before["owners"], after["owners"]
        freed = dict.fromkeys(route for route in old if route not in new)  # by a correction
        change["owners"] = {route: owner for route, owner in new.items() if old.get(route) != owner} | freed
    if "seats" in change:
        pairs = enumerate(zip(before["seats"], after["seats"], strict=True))
        change["seats"] = {str(seat): changed for seat, (old, new) in pairs if (changed := _changed(old, new))}
    return change


def _changed(before: Mapping[str, object], after: Mapping[str, object]) -> Json:
    return {key: value for key, value in after.items() if value != before[key]}


def _chart(about: str, names: Sequence[str], values: Sequence[Values], *, is_share: bool = False) -> str:
    """Return a chart whose label describes its end, which may be before the end of the game."""
    last = max((step for line in values for step, value in enumerate(line) if value is not None), default=0)
    ends = [line[last] for line in values]
    words = ["?" if end is None else percent(end) if is_share else str(end) for end in ends]
    until = "over the game" if last == len(values[0]) - 1 else f"up to step {last}"
    said = ", ".join(f"{name} {end}" for name, end in zip(names, words, strict=True))
    return step_chart(f"{about} {until}; it ends with {said}", names, values, is_share=is_share)


# -- win probabilities and reviews ---------------------------------------------------------------------------------


def chance_data(curve: pd.DataFrame, record: GameRecord, names: Sequence[str], seat: int | None = None) -> Json:
    """Return a win curve, ready for JSON; `percent` is None before its first step and after its last."""
    import pandas as pd

    if not isinstance(curve, pd.DataFrame):
        raise TypeError(f"expected a table of win probabilities, as returned by win_curve, got {curve!r}")
    needed = ["step", "seat", "win"]
    if missing := [column for column in needed if column not in curve]:
        raise ValueError(f"win probabilities need the columns {', '.join(needed)}; there is no {missing[0]!r}")
    _check_game(curve, record)
    viewer = curve.attrs.get("looker")
    if seat is not None and viewer != seat:
        unknown = "a table without a viewer in its attrs"
        seen = {None: unknown, "all": "all hands", "own": "each seat's own"}.get(viewer, f"P{viewer}")
        raise ValueError(f"a view of P{seat} needs win probabilities from win_curve(record, {seat}), got {seen}")
    by_step = curve.astype({"step": int}).pivot_table(index="step", columns="seat", values="win")
    # An interrupted curve ends early: later probabilities are unknown, and may be very different.
    filled = by_step.reindex(range(by_step.index.max() + 1)).ffill().reindex(range(len(record.steps)))
    shares = filled.astype(object).where(filled.notna(), None).to_numpy().T.tolist()
    return {
        "field": "win",
        "heading": f"Win probability{seen_from(viewer)}",
        "svg": _chart("Win probability", names, shares, is_share=True),
        # Not rounded: 0 and 100 mean that the game is decided.
        "percent": [[None if share is None else 100 * share for share in line] for line in shares],
    }


def _check_game(curve: pd.DataFrame, record: GameRecord) -> None:
    """Check, as far as possible, that a curve belongs to this game."""
    n_steps, n_seats = len(record.steps), record.header.n_players
    if set(curve["seat"]) != set(range(n_seats)) or not curve["step"].isin(range(n_steps)).all():
        raise ValueError(f"expected win probabilities for steps 0 to {n_steps - 1} and seats 0 to {n_seats - 1}")
    if not curve["win"].between(0, 1).all():
        raise ValueError("win probabilities must be between 0 and 1")
    if curve.duplicated(["step", "seat"]).any():
        raise ValueError("expected one win probability for each step and seat, got several: two curves in one table?")
    if "acting" in curve:
        acting = [step[0].seat if isinstance(step[0], Move) else -1 for step in record.steps]
        others = curve.loc[curve["acting"] != np.take(acting, curve["step"].astype(int)), "step"]
        if len(others):
            raise ValueError(
                f"the win probabilities belong to another game: at step {int(others.min())} another seat moved"
            )


_LABELS = {"best": "The best move", "good": "A good move", "forced": "The only move"}


def review_data(review: Review, record: GameRecord, seat: int | None = None) -> Json:
    """Return a review's verdict by step: `label`, `words`, and for bad moves `best`, `reason` and `place`."""
    from ttr_analysis.studies.reviews import Review

    if not isinstance(review, Review):
        raise TypeError(f"expected a review, as returned by studies.review, got {review!r}")
    if review.record != record:
        raise ValueError("the review belongs to another game")
    if seat is not None and review.seat != seat:
        seen = "all seats" if review.seat is None else f"P{review.seat}"
        raise ValueError(f"a view of P{seat} needs a review from review(record, {seat}), got one of {seen}")
    data: Json = {}
    for step, label in zip(review.table.index.tolist(), review.table["label"], strict=True):
        data[str(step)] = {"label": label, "words": _LABELS.get(label, "")}
        if label not in _LABELS:
            data[str(step)] |= {
                "words": f"{label.capitalize()}: {review.cost(step)}",
                "best": review.best_move(step),
                "reason": review.reason(step),
                "place": place_of(review.action(step)),
            }
    return data
