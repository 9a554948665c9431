"""A game that is entered from the table: what `GameRecorder` does, without a browser."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final, Literal

from ttr_analysis._errors import GameError, RecordWarning, nearest
from ttr_analysis._words import listed, with_names
from ttr_analysis.cards import CARD_KINDS
from ttr_analysis.engine.events import Chance, Event
from ttr_analysis.engine.layout import Phase
from ttr_analysis.engine.state import GameState
from ttr_analysis.maps.model import GameMap
from ttr_analysis.notation import NotationError
from ttr_analysis.notation.lexer import UNKNOWN, fold_text, tells
from ttr_analysis.notation.parser import headed
from ttr_analysis.notation.session import Session
from ttr_analysis.records.record import Game, GameRecord
from ttr_analysis.widgets.snapshot import Moments

PieceKind = Literal["route", "city", "market", "pile", "tickets", "card"]
"""What can be clicked to write a line with."""

_BARE_DRAW: Final = re.compile(r"\bdraws?\s*$", re.IGNORECASE)
_MOST_CHOICES: Final = 40
MOST_LETTERS: Final = 5_000


@dataclass(frozen=True, slots=True)
class Choice:
    """A text that may come next."""

    text: str
    label: str
    card: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """What is to be said of a line before it is entered."""

    text: str
    problem: str
    at: int
    told: str
    choices: tuple[Choice, ...]

    @property
    def is_ready(self) -> bool:
        """Whether the line can be entered."""
        return not self.problem


class Recording:
    """
    A game that is entered line by line, checked as it is typed, and saved after each line.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> recording = Recording(ttr.load_map("nordic"), players=("Ida", "Bo"), seat=0)
    >>> recording.check("Ida: hand red 2, bl").problem
    'expected blue or black, got bl'
    >>> [choice.text for choice in recording.check("Ida: hand red 2, bl").choices]
    ['Ida: hand red 2, blue', 'Ida: hand red 2, black']
    >>> recording.enter("hand red 2, blue, loc")
    'Ida: hand red, red, blue, locomotive'
    >>> recording.check("").choices[0].text
    'Bo: hand 4'
    """

    def __init__(
        self,
        game_map: GameMap,
        n_players: int | None = None,
        variant: str | None = None,
        seat: int | None = None,
        players: Sequence[str] = (),
        path: str | os.PathLike[str] | None = None,
    ) -> None:
        self.path = None if path is None else Path(path).expanduser()
        if self.path is not None and self.path.exists():
            record = _load(self.path, game_map, variant)
            header = record.header
            if n_players is not None and n_players != header.n_players:
                raise GameError(f"{self.path.name} is of {header.n_players} players, not of {n_players}")
            if players and tuple(players) != header.players:
                names = ", ".join(header.players) or "players without names"
                raise GameError(f"{self.path.name} is of {names}, not of {', '.join(map(str, players))}")
            self._session = Session.of(record)
        else:
            fewest = game_map.with_variant(variant).rules.players[0]
            game = Game(game_map, n_players or len(players) or fewest, variant)
            self._session = Session(game, players=players)
        self.game = self._session.game
        self._moments = Moments(self.game)
        if seat is not None and seat not in range(self.game.n_players):
            raise GameError(f"expected a seat from 0 to {self.game.n_players - 1}, got {seat!r}")
        self.seat = seat
        ends = [route.cities for route in game_map.routes]
        self._routes = {f"{a}-{b}" for a, b in ends} | {f"{b}-{a}" for a, b in ends}

    # -- what stands ------------------------------------------------------------

    @property
    def record(self) -> GameRecord:
        """The record of the game so far."""
        return self._session.record

    @property
    def state(self) -> GameState | None:
        """The state after the last line; None before the set-up is complete."""
        return self._session.state

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines entered."""
        return self._session.lines

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the players, seat by seat; "" for a seat without a name."""
        return self.record.header.players or ("",) * self.game.n_players

    def check_known(self) -> None:
        """
        Raise a `GameError` unless a seat is to move that can be advised.

        What a seat holds itself it knows: where the record does not, it cannot
        tell what is best for it.
        """
        state = self.state
        if state is None:
            raise GameError("the table is not set up yet")
        if state.is_over:
            raise GameError("the game is over")
        seat = state.acting
        has_all_cards = state.hands[seat].n_cards == state.n_hands[seat]
        if not has_all_cards or None in state.tickets[seat] or None in state.offers[seat]:
            raise GameError(f"it is for {self.names[seat] or f'P{seat}'} to move, and not all that it holds is known")

    def frame(self) -> dict[str, Any]:
        """Return what is to be shown, as plain data."""
        state = self.state
        return {
            "lines": list(self.lines),
            "moment": None if state is None else self._moments.whole(state, is_end=True),
        }

    # -- writing ------------------------------------------------------------------

    def check(self, text: str) -> Check:
        """Return what is to be said of a line, without entering it."""
        try:
            _check_length(text)
            if _is_comment(text):
                return Check(text, "", len(text), "a comment, which is left out", ())
            reading = self._session.read(text)
        except NotationError as error:
            text = text[:MOST_LETTERS]
            return Check(text, error.reason, error.at, "", self._choices(text, error))
        told = with_names(_told(reading.events), self.names)
        return Check(text, "", len(text), told, self._more(text))

    def enter(self, text: str) -> str:
        """
        Enter a line, and save the record if there is a file for it.

        Returns
        -------
        line
            The line in canonical form; "" for a comment, which is left out.
        """
        _check_length(text)
        if _is_comment(text):
            return ""
        line = self._session.write(text).line
        self._save()
        return line

    def undo(self) -> str:
        """
        Take the last line back, and save the record if there is a file for it.

        Returns
        -------
        line
            That line.
        """
        line = self._session.undo()
        self._save()
        return line

    def pick(self, text: str, kind: PieceKind, value: str) -> str:
        """Return a line to which was added what was clicked; begun anew where it cannot be added."""
        piece = self._piece(kind, value)
        before = text.rstrip()
        if before and piece:
            for between in (", ", "; ", " ", " -> "):
                longer = f"{before.rstrip(';,')}{between}{piece}"
                if self._is_readable(longer):
                    return longer
        return piece if kind != "card" else text

    # -- plumbing -------------------------------------------------------------------

    def _save(self) -> None:
        if self.path is not None:
            self.record.save(self.path)

    def _piece(self, kind: PieceKind, value: str) -> str:
        """Return what is written for a click; "" for what is not there."""
        state = self.state
        game_map = self.game.game_map
        if kind == "route":
            route = next((route for route in game_map.routes if route.id == value), None)
            if route is None:
                return ""
            name = "-".join(route.cities) if game_map.twin(route) is None else route.id
            return f"neutral takes {name}" if state is not None and state.phase is Phase.NEUTRAL else name
        if kind == "city":
            return f"station {value}" if value in {city.name for city in game_map.cities} else ""
        if kind == "market":
            market = () if state is None else state.market
            slot = int(value) if value.isdecimal() and int(value) < len(market) else -1
            card = market[slot] if slot >= 0 else None
            if card not in CARD_KINDS:
                return "take " if card else ""
            return f"take {card}" + (f"/{slot}" if card in market[:slot] else "")
        return {"pile": "draw", "tickets": "tickets", "card": value}[kind]

    def _is_readable(self, text: str) -> bool:
        """Return whether a line is well written as far as it goes."""
        try:
            self._session.read(text)
        except NotationError as error:
            return error.is_illegal or error.at >= len(text)
        return True

    def _choices(self, text: str, error: NotationError) -> tuple[Choice, ...]:
        """Return what may stand where a line is wrong or ends."""
        base, typed = text[: error.at], fold_text(text[error.at :])[0].strip()
        fitting = [choice for choice in error.choices if fold_text(choice)[0].strip().startswith(typed)]
        fitting = fitting or nearest(typed, error.choices, 8)
        if not typed:  # routes are on the board to be clicked
            fitting = [choice for choice in fitting if choice not in self._routes]
        if not self._is_own():
            fitting.sort(key=lambda choice: not choice.endswith(UNKNOWN))
        ready = self._ready_lines() if not text.strip() else []
        longer = [Choice(_joined(base, choice), choice.strip(), _card(choice)) for choice in fitting]
        return tuple([choice for choice in (*ready, *longer) if choice.text != text][:_MOST_CHOICES])

    def _more(self, text: str) -> tuple[Choice, ...]:
        """Return how a line that can be entered may go on: the card that was drawn, and a turn that is not over."""
        kinds = sorted((*CARD_KINDS, UNKNOWN), key=lambda kind: kind != UNKNOWN and not self._is_own())
        drawn = [Choice(_joined(text, kind), kind, kind) for kind in kinds if _BARE_DRAW.search(text)]
        try:
            self._session.read(f"{text}; ")
        except NotationError as error:
            if not error.is_illegal and error.at >= len(text):
                drawn += [Choice(_joined(f"{text}; ", more), more.strip()) for more in error.choices[:4]]
        return tuple(drawn)

    def _is_own(self) -> bool:
        """Return whether what comes next is seen by who keeps the record."""
        state = self.state
        return state is None or self.seat in (None, state.acting)

    def _ready_lines(self) -> list[Choice]:
        """Return whole lines that may come next: of cards and tickets that are not seen."""
        rules, state = self.game.game_map.rules, self._session.state
        if state is None:
            n_seats = range(self.game.n_players)
            lines = [
                headed(f"P{seat}: {line}", self.names)
                for seat in n_seats
                if seat != self.seat
                for line in (f"hand {rules.cards.opening_hand}", f"tickets {rules.tickets.opening_deal}")
            ]
        elif state.is_over:
            lines = []
        else:
            n_offered = state.n_offers[state.acting]
            lines = ["declines", "pass", "keep all"]
            if not self._is_own():
                lines += [f"keep {n}" for n in range(1, n_offered + 1)]
                lines += ["draw ?, ?", "draw ?"] if state.phase is Phase.TURN else ["draw ?"]
            lines = [headed(f"P{state.acting}: {line}", self.names) for line in lines]
        return [Choice(line, line) for line in lines if self._can_enter(line)]

    def _can_enter(self, text: str) -> bool:
        try:
            self._session.read(text)
        except NotationError:
            return False
        return True


def _load(path: Path, game_map: GameMap, variant: str | None) -> GameRecord:
    """Return the record in a file that is to be continued."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RecordWarning)  # one that breaks off is continued
        record = GameRecord.load(path, game_map)
    wanted = game_map.with_variant(variant).rules.variant if variant is not None else record.header.variant
    if record.header.variant != wanted:
        raise GameError(f"{path.name} is of {record.header.variant or 'no variant'}, not of {wanted or 'none'}")
    return record


def _is_comment(text: str) -> bool:
    return text.strip() != "" and not tells(text)


def _check_length(text: str) -> None:
    if len(text) > MOST_LETTERS:
        raise NotationError(f"expected a line of at most {MOST_LETTERS} characters, got {len(text)}", MOST_LETTERS - 1)


def _joined(base: str, choice: str) -> str:
    """Return a line with a choice added."""
    if choice[:1] in (",", ";", "/") or not base:
        return base.rstrip() + choice
    return base + choice if base.endswith(" ") else f"{base} {choice}"


def _card(choice: str) -> str:
    """Return the kind of card that a choice adds; "" if it adds none, or more."""
    words = choice.replace("->", " ").replace(",", " ").split()
    last = words[-1] if words else ""
    is_card = last in (*CARD_KINDS, UNKNOWN) and len(words) <= 2  # noqa: PLR2004 - a clause and its card
    return last if is_card else ""


def _told(events: Iterable[Event]) -> str:
    """Return what a line tells in words, the cards that a tunnel shows together."""
    parts: list[str] = []
    for is_turned, some in groupby(events, lambda e: isinstance(e, Chance) and e.kind == "card_revealed"):
        if is_turned:
            cards = [(e.card if isinstance(e, Chance) else None) or "an unknown card" for e in some]
            parts.append(f"the tunnel shows {listed(cards)}")
        else:
            parts.extend(map(str, some))
    return "; ".join(parts)
