"""A game of one person against policies: the logic of `GameTable`, without a browser."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from ttr_analysis._errors import GameError, IllegalActionError
from ttr_analysis._words import counted, seat_names
from ttr_analysis.engine.events import Event
from ttr_analysis.engine.game import KernelGame
from ttr_analysis.engine.layout import OVER, Phase, State
from ttr_analysis.engine.protocol import PolicyLike, SeatedChooser, find_policy, policy_name, seat_policy
from ttr_analysis.engine.state import GameState, SeatView, seat_number
from ttr_analysis.maps.names import name_ticket
from ttr_analysis.notation import NotationError, read_move
from ttr_analysis.records.entries import Entry, seen_event
from ttr_analysis.records.record import Game, GameRecord
from ttr_analysis.records.replay import SET_UP, Timeline
from ttr_analysis.viz.words import Narration, tell_step
from ttr_analysis.widgets.base import MOST_LETTERS
from ttr_analysis.widgets.snapshot import Moments, Options, moved_cards, table_frame

PERSON: Final = "Person"
"""Default name of the person."""


class HumanGame:
    """
    A game of one person against policies.

    `frame` has only what the person may know: it is made from the seat's view.

    >>> human_game = HumanGame(ttr.Game(ttr.load_map("nordic")), [ttr.policies.Greedy()], seed=7)
    >>> human_game.move("keep Stockholm-Bergen, Narvik-Murmansk")
    >>> print(human_game.thinker, "|", human_game.let_play())
    P1 Greedy | Greedy has chosen its opening tickets
    >>> human_game.act({"do": "move", "step": human_game.n_steps, "line": "take red"})
    'no red card: the market shows green, orange, white, purple, white'
    """

    def __init__(
        self,
        game: Game,
        policies: Sequence[PolicyLike],
        seat: int = 0,
        seed: int | None = None,
        name: str = PERSON,
        begun: tuple[GameRecord, int] | None = None,
        saved: GameRecord | None = None,
    ) -> None:
        seat = seat_number(seat, game.n_players)
        if len(policies) != game.n_players - 1:
            needed = counted(game.n_players - 1, "policy", "policies")
            raise GameError(
                f"a game of {game.n_players} players needs {needed} besides the person, got {len(policies)}"
            )
        if saved and saved.header.seed is None:  # continued from another game: new cards are drawn
            begun, saved = (saved, len(saved.steps) - 1), None
        self.game = game
        self.seat = seat
        self.seed = secrets.randbelow(1 << 31) if seed is None else seed
        self._packed = KernelGame(game.game_map, game.n_players)
        self._moments = Moments(game)
        others = [other for other in range(game.n_players) if other != seat]
        played = begun[0].header.policies if begun else ()
        self._names: list[list[str]] = [[one] for one in played] or [[] for _ in range(game.n_players)]
        self._add_name(seat, name)
        self._choosers: dict[int, SeatedChooser] = {}
        for other, policy in zip(others, policies, strict=True):
            self._seat_policy(other, policy)
        self._before: tuple[Entry, ...] = ()
        self._rows: list[tuple[int, int]] = []
        self._decisions: list[tuple[State, int, Timeline, int]] = []
        if begun:
            self._continue_from(*begun)
        else:
            self._deal()
        if saved:
            self._replay(saved)

    def _deal(self) -> None:
        self._vector, rows = self._packed.deal(self.seed, 0)
        self._rows += rows
        self._timeline = Timeline(self._packed)
        self._timeline.add_played(SET_UP, 0, rows, self._vector)
        self.narration = [self._narrate(self._packed.events(rows, self._vector), None, self.state)]

    def _continue_from(self, record: GameRecord, step: int) -> None:
        _, state = record.resume(step, seed=self.seed)
        if state.is_over:
            raise GameError("the game is over at that step: choose an earlier step")
        self._vector = state.packed
        self._timeline = record.timeline(step)
        steps = record.steps[: len(self._timeline.steps)]
        self._before = record.entries[: self._timeline.n_events]
        states = [None, *record.states()[: len(steps)]]
        self.narration = [
            self._narrate(events, before, after)
            for events, before, after in zip(steps, states, states[1:], strict=False)
        ]

    def _replay(self, record: GameRecord) -> None:
        """Replay the moves of a game with the same seed, so that its random events repeat."""
        for move in record.moves:
            if move.seat == self.seat:
                self._remember()
            with suppress(IllegalActionError):  # the cards differ
                self._apply(*self._packed.encode(self._vector, move.action))
        if self.record.entries != record.entries:
            raise GameError("the game cannot be continued: its seed now gives different cards")

    # -- the game ---------------------------------------------------------------

    @property
    def state(self) -> GameState:
        """The state, including hidden cards."""
        return GameState(self.game.game_map, self.game.n_players, self._vector)

    @property
    def names(self) -> tuple[str, ...]:
        """The player of each seat as named in records; if the seat changed players, all of them in order."""
        return tuple(", then ".join(names) for names in self._names)

    @property
    def record(self) -> GameRecord:
        """The record of the game so far."""
        game, timeline = self.game, self._timeline.copy()
        origin = (None, None) if self._before else (self.seed, 0)  # earlier events came from another seed
        return GameRecord.from_tape(
            game.game_map, game.n_players, self._rows, self.names, *origin, timeline=timeline, before=self._before
        )

    @property
    def n_steps(self) -> int:
        """Number of steps so far, including the setup."""
        return len(self._timeline.steps)

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return bool(self._vector.phase == OVER)

    @property
    def is_persons_turn(self) -> bool:
        """Whether it is the person's decision."""
        return not self.is_over and bool(self._vector.seat == self.seat)

    @property
    def thinker(self) -> str:
        """The policy whose decision it is, in words; "" if it is the person's."""
        seat = int(self._vector.seat)
        return "" if self.is_over or seat == self.seat else f"P{seat} {self._names[seat][-1]}"

    # -- playing ------------------------------------------------------------------

    def move(self, line: str) -> None:
        """Make the person's move."""
        if self.is_over:
            raise GameError("the game is over")
        if not self.is_persons_turn:
            raise GameError(f"it is not your turn: {self.thinker} is to move")
        action = read_move(line, self.game, self.state)
        self._remember()
        self._apply(*self._packed.encode(self._vector, action))

    def _remember(self) -> None:
        """Save the state of the game before the person moves."""
        self._decisions.append((self._vector, len(self._rows), self._timeline.copy(), len(self.narration)))

    @property
    def can_undo(self) -> bool:
        """Whether the person has made a move that can be taken back."""
        return bool(self._decisions)

    def undo(self) -> None:
        """Take back the person's last move and everything after it; random events stay the same."""
        if not self._decisions:
            raise GameError("there is no move to take back")
        self._vector, n_rows, self._timeline, n_narrated = self._decisions.pop()
        del self._rows[n_rows:], self.narration[n_narrated:]

    def let_play(self) -> Narration:
        """Let a policy make its move, and return it as the person sees it."""
        choose = self._choosers[int(self._vector.seat)]
        try:
            code, value = choose(self._vector)
        except IllegalActionError as error:
            raise GameError(f"{self.thinker} chose an illegal action") from error
        except GameError as error:
            raise GameError(f"{self.thinker} failed: {type(error.__cause__).__name__}") from error
        return self._apply(code, value)

    def replace_policy(self, seat: int, policy: PolicyLike) -> None:
        """Replace the policy of a seat from now on."""
        if seat not in self._choosers:
            raise GameError(f"expected a seat of a policy ({', '.join(map(str, self._choosers))}), got {seat!r}")
        self._seat_policy(seat, policy)

    def act(self, message: object) -> str:
        """Make the move that a message from the browser asks for; return what is wrong with it, or ""."""
        match message:
            case {"do": "move", "step": int(step), "line": str(line)} if len(line) <= MOST_LETTERS:
                if step != self.n_steps:
                    return "that move was for an earlier position; the game has moved on"
                try:
                    self.move(line)
                except GameError as error:
                    return error.reason if isinstance(error, NotationError) else str(error)
                return ""
        return "that message is not a move"

    @property
    def options(self) -> Options:
        """The person's legal actions."""
        return Options(self.game, self.state, self.seat)

    def why(self, what: Mapping[Any, object]) -> str:
        """Explain why the person cannot take the action in a message; "" if it is not their turn."""
        return self.options.why(what, self.names) if self.is_persons_turn else ""

    # -- what the person sees -------------------------------------------------------

    def frame(self) -> dict[str, Any]:
        """Return everything that the person may see now, as plain data."""
        view = SeatView(self.game.game_map, self.game.n_players, self._vector, self.seat)
        moment = self._moments.seen_from(view, self.state)
        return {
            "step": self.n_steps,
            **table_frame(moment, view, self.narration),
            "moved": moved_cards(self.narration[-1]),
            "slots": self.narration[-1].slots,
            "options": self.options.data() if self.is_persons_turn else None,
            "undo": self.can_undo,
        }

    # -- internals ------------------------------------------------------------------

    def _seat_policy(self, seat: int, policy: PolicyLike) -> None:
        player = find_policy(policy)
        self._choosers[seat] = seat_policy(self._packed, player, seat, self.seed, 0)
        self._add_name(seat, policy_name(player))

    def _add_name(self, seat: int, name: str) -> None:
        if self._names[seat][-1:] != [name]:
            self._names[seat].append(name)

    def _apply(self, code: int, value: int) -> Narration:
        before, state = self._vector, self.state
        self._vector, rows = self._packed.play_on(before, code, value)
        self._rows += rows
        self._timeline.add_played(code, value, rows, self._vector)
        step = self._narrate(self._packed.events(rows, before), state, self.state)
        self.narration.append(step)
        return step

    def _narrate(self, events: Sequence[Event], before: GameState | None, after: GameState) -> Narration:
        """Describe a step as the person sees it."""
        seen = [seen_event(event, self.seat, self.game.game_map) for event in events]
        step = tell_step(seen, before, after, seat_names(self.names))
        if before is None or step.seat in (None, self.seat):
            return step
        if before.phase is Phase.KEEP_START:
            return replace(step, text="has chosen its opening tickets")  # their number is still hidden
        named = [ticket for ticket in after.ticket_discards if ticket not in before.ticket_discards]
        if before.phase is Phase.KEEP and named:
            return replace(step, text=f"{step.text} face up: {'; '.join(map(name_ticket, named))}")
        return step
