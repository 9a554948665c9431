"""`GameRecorder`: record a game played on a real board, move by move."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import traitlets

from ttr_analysis._errors import GameError, RecordWarning, nearest
from ttr_analysis._words import listed, percent, with_names
from ttr_analysis.cards import CARD_KINDS
from ttr_analysis.engine.events import Chance, Event
from ttr_analysis.engine.layout import Phase
from ttr_analysis.engine.state import GameState
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap
from ttr_analysis.notation import NotationError
from ttr_analysis.notation.lexer import fold_text, headed, tells
from ttr_analysis.notation.session import Session
from ttr_analysis.records.positions import UNKNOWN
from ttr_analysis.records.record import Game, GameRecord
from ttr_analysis.widgets.base import MOST_LETTERS, MessageWidget, best_in_words, css, esm
from ttr_analysis.widgets.snapshot import Moments, fixed_facts, place_of

if TYPE_CHECKING:
    from ttr_analysis.studies.advice import Advice

PieceKind = Literal["route", "city", "market", "pile", "tickets", "card"]
"""What a click can add to a line."""

_BARE_DRAW: Final = re.compile(r"\bdraws?\s*$", re.IGNORECASE)
_MOST_CHOICES: Final = 40
_ADVICE_SECONDS: Final = 2.0


class GameRecorder(MessageWidget):
    """
    Record a game played on a real board, move by move, by clicking or by typing a line.

    Each line is checked as you type it, against the rules and what was seen before, and
    possible continuations are offered. `?` stands for anything unseen. See
    `ttr_analysis.notation` for the form of lines.

    Parameters
    ----------
    n_players
        Number of players; by default that of `players` or of the file, else the minimum.
    variant
        A variant of the rules; None for the map's own.
    seat
        The seat that keeps the record; what the others draw is then assumed to be unknown
        unless given.
    players
        Names of the players by seat, which can be used instead of seats in lines.
    path
        A file for saving the record after each line. An existing one is continued, with
        the same players.

    Attributes
    ----------
    record : GameRecord
        The game so far, a record like any other.
    state : GameState or None
        The state after the last line; None before the setup is complete.
    lines : tuple of str
        The lines entered.

    Raises
    ------
    GameError
        If the file has another variant, other players or another number of them, or there is
        no such seat.
    RecordError
        If the file is damaged, or belongs to another map.

    Examples
    --------
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
        return self._recording.session.record

    @property
    def state(self) -> GameState | None:
        """The state after the last line; None before the setup is complete."""
        return self._recording.session.state

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines entered, in canonical form."""
        return self._recording.session.lines

    def enter(self, line: str) -> str:
        """
        Enter a line.

        Returns
        -------
        line
            The line in canonical form; "" for a comment (a line that begins with #), which is
            ignored.

        Raises
        ------
        NotationError
            If it cannot be read or is impossible; nothing is entered then.
        OSError
            If the file cannot be written; the line is still entered.
        """
        try:
            return self._recording.enter(line)
        finally:
            self._show("", 0)

    def undo(self) -> str:
        """
        Take back the last line.

        Raises
        ------
        OSError
            If the file cannot be written; the line is still taken back.
        """
        try:
            return self._recording.undo()
        finally:
            self._show("", 0)

    def advise(self, seconds: float = 2.0) -> Advice:
        """
        Return the options of the seat to move, the value of each, and the reasons: see `ttr.studies.advise`.

        Raises
        ------
        GameError
            If the setup is not complete, the game is over, or the record does not show what
            the seat holds.
        """
        from ttr_analysis.studies.advice import advise

        self._recording.check_known()
        return advise(self.record, seconds=seconds)

    # -- internals --------------------------------------------------------------

    @traitlets.default("facts")
    def _first_facts(self) -> dict[str, Any]:
        return fixed_facts(self._recording.game.game_map, self._recording.names) | {"seat": self._recording.seat}

    @traitlets.default("now")
    def _first_now(self) -> dict[str, Any]:
        return self._recording.frame()

    @traitlets.default("answer")
    def _first_answer(self) -> dict[str, Any]:
        return self._answer("", 0)

    def _handle(self, message: object) -> None:
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

    def _report_fault(self, message: object, fault: str) -> None:
        match message:
            case {"do": "advise"}:
                self._set_advice(fault)
            case {"n": int(n), **rest}:
                text = rest.get("text")
                kept = text[:MOST_LETTERS] if isinstance(text, str) else ""
                nothing = {"problem": "", "at": 0, "ready": False, "meaning": "", "choices": []}
                self.set_trait("answer", {"n": n, "text": kept, "said": fault, "failed": True} | nothing)

    def _enter(self, text: str, n: int) -> None:
        """Enter a line, or several pasted ones, up to the first impossible one."""
        for line in [line for line in text.splitlines() if tells(line)] or [text]:
            self._do(partial(self._recording.enter, line), "entered", line, n)
            if self.answer["text"]:
                return

    def _do(self, change: Callable[[], str], done: str, text: str, n: int) -> None:
        """Make a change, and report the result; a line that cannot be entered stays in the input."""
        try:
            line = change()
        except NotationError:
            self.set_trait("answer", self._answer(text, n))
        except GameError as error:
            self.set_trait("answer", self._answer(text, n, str(error), failed=True))
        except OSError as error:
            self._show(f"The line was {done}, but the file cannot be written: {error}", n, failed=True)
        else:
            self._show(f"{done.capitalize()} {line}" if line else "Comment ignored", n)

    def _show_advice(self) -> None:
        """Compute the best action for the seat to move, or say why that is impossible."""
        self._set_advice()
        self.set_trait("busy", "Computing advice")
        try:
            advice = self.advise(_ADVICE_SECONDS)
        except (GameError, ValueError) as error:
            words, place = f"No advice: {error}", None
        else:
            who = self._recording.names[advice.view.seat] or f"P{advice.view.seat}"
            others = [f"{row['move']}, {percent(row['win'], None)}" for _, row in advice.table.iloc[1:3].iterrows()]
            rest = f". Next best: {'; '.join(others)}" if others else ""
            words, place = f"Best for {who}: {best_in_words(advice)}{rest}", place_of(advice.best)
        finally:
            self.set_trait("busy", "")
        self._set_advice(words, place)

    def _set_advice(self, words: str = "", place: dict[str, str] | None = None) -> None:
        self.set_trait("advised", {"words": words, "place": place})

    def _show(self, said: str, n: int, *, failed: bool = False) -> None:
        self._set_advice()  # old advice was for another moment
        self.set_trait("now", self._recording.frame())
        self.set_trait("answer", self._answer("", n, said, failed=failed))

    def _answer(self, text: str, n: int, said: str = "", *, failed: bool = False) -> dict[str, Any]:
        check = self._recording.check(text)
        choices = [[*choice] for choice in check.choices]
        outcome = {"n": n, "said": said, "failed": failed, "ready": check.is_ready}
        return check._asdict() | outcome | {"choices": choices}

    def __repr__(self) -> str:
        return f"<GameRecorder of {self.record!r}>"


# -- without a browser ---------------------------------------------------------------------------------------------


class Choice(NamedTuple):
    """A possible continuation."""

    text: str
    label: str
    card: str = ""


class Check(NamedTuple):
    """Feedback on a line before it is entered."""

    text: str
    problem: str
    at: int
    meaning: str
    choices: tuple[Choice, ...]

    @property
    def is_ready(self) -> bool:
        """Whether the line can be entered."""
        return not self.problem


class Recording:
    """
    A game that is entered line by line, checked as you type, and saved after each line.

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
                raise GameError(f"{self.path.name} has {header.n_players} players, not {n_players}")
            if players and tuple(players) != header.players:
                names = f"the players {', '.join(header.players)}" if header.players else "no player names"
                raise GameError(f"{self.path.name} has {names}, not {', '.join(map(str, players))}")
            self.session = Session.of(record)
        else:
            fewest = game_map.with_variant(variant).rules.players[0]
            game = Game(game_map, n_players or len(players) or fewest, variant)
            self.session = Session(game, players=players)
        self.game = self.session.game
        self._moments = Moments(self.game)
        if seat is not None and seat not in range(self.game.n_players):
            raise GameError(f"expected a seat from 0 to {self.game.n_players - 1}, got {seat!r}")
        self.seat = seat
        ends = [route.cities for route in game_map.routes]
        self._routes = {f"{a}-{b}" for a, b in ends} | {f"{b}-{a}" for a, b in ends}

    # -- content ----------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the players by seat; "" for a seat without a name."""
        return self.session.record.header.players or ("",) * self.game.n_players

    def check_known(self) -> None:
        """Raise a GameError unless a seat is to move and the record shows everything that it holds."""
        state = self.session.state
        if state is None:
            raise GameError("the setup is not complete")
        if state.is_over:
            raise GameError("the game is over")
        seat = state.acting
        has_all_cards = state.hands[seat].n_cards == state.n_hands[seat]
        if not has_all_cards or None in state.tickets[seat] or None in state.offers[seat]:
            raise GameError(f"some cards or tickets of {self.names[seat] or f'P{seat}'}, who is to move, are unknown")

    def frame(self) -> dict[str, Any]:
        """Return the view as plain data."""
        state = self.session.state
        return {
            "lines": list(self.session.lines),
            "moment": None if state is None else self._moments.whole(state, is_end=True),
        }

    # -- writing ------------------------------------------------------------------

    def check(self, text: str) -> Check:
        """Return feedback on a line without entering it."""
        try:
            _check_length(text)
            if _is_comment(text):
                return Check(text, "", len(text), "a comment, which is ignored", ())
            reading = self.session.read(text)
        except NotationError as error:
            text = text[:MOST_LETTERS]
            return Check(text, error.reason, error.at, "", self._choices(text, error))
        meaning = with_names(_meaning(reading.events), self.names)
        return Check(text, "", len(text), meaning, self._more(text))

    def enter(self, text: str) -> str:
        """Enter a line, and save the record; return the line in canonical form, "" for a comment, which is ignored."""
        _check_length(text)
        if _is_comment(text):
            return ""
        line = self.session.write(text).line
        self._save()
        return line

    def undo(self) -> str:
        """Take back the last line, save the record, and return that line."""
        line = self.session.undo()
        self._save()
        return line

    def pick(self, text: str, kind: PieceKind, value: str) -> str:
        """Return a line extended by a click; a new line if it cannot be extended."""
        piece = self._piece(kind, value)
        before = text.rstrip()
        if before and piece:
            for between in (", ", "; ", " ", " -> "):
                longer = f"{before.rstrip(';,')}{between}{piece}"
                fault = self._fault(longer)
                if fault is None or fault.is_illegal or fault.at >= len(longer):  # well-formed as far as it goes
                    return longer
        return piece if kind != "card" else text

    # -- internals ------------------------------------------------------------------

    def _save(self) -> None:
        if self.path is not None:
            self.session.record.save(self.path)

    def _piece(self, kind: PieceKind, value: str) -> str:
        """Return the text for a click; "" if there is nothing there."""
        state = self.session.state
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

    def _choices(self, text: str, error: NotationError) -> tuple[Choice, ...]:
        """Return the possible continuations at the point where a line is wrong or ends."""
        base, typed = text[: error.at], fold_text(text[error.at :])[0].strip()
        fitting = [choice for choice in error.choices if fold_text(choice)[0].strip().startswith(typed)]
        fitting = fitting or nearest(typed, error.choices, 8)
        if not typed:  # routes can be clicked on the board
            fitting = [choice for choice in fitting if choice not in self._routes]
        if not self._is_own():
            fitting.sort(key=lambda choice: not choice.endswith(UNKNOWN))
        ready = self._ready_lines() if not text.strip() else []
        longer = [Choice(_joined(base, choice), choice.strip(), _card(choice)) for choice in fitting]
        return tuple([choice for choice in (*ready, *longer) if choice.text != text][:_MOST_CHOICES])

    def _more(self, text: str) -> tuple[Choice, ...]:
        """Return how a valid line may continue: the card that was drawn, or the rest of a turn."""
        kinds = sorted((*CARD_KINDS, UNKNOWN), key=lambda kind: kind != UNKNOWN and not self._is_own())
        drawn = [Choice(_joined(text, kind), kind, kind) for kind in kinds if _BARE_DRAW.search(text)]
        fault = self._fault(f"{text}; ")
        if fault is not None and not fault.is_illegal and fault.at >= len(text):
            drawn += [Choice(_joined(f"{text}; ", more), more.strip()) for more in fault.choices[:4]]
        return tuple(drawn)

    def _is_own(self) -> bool:
        """Return whether the seat that keeps the record sees what comes next."""
        state = self.session.state
        return state is None or self.seat in (None, state.acting)

    def _ready_lines(self) -> list[Choice]:
        """Return complete lines that may come next, with unseen cards and tickets."""
        rules, state = self.game.game_map.rules, self.session.state
        if state is None:
            seats = range(self.game.n_players)
            lines = [
                headed(f"P{seat}: {line}", self.names)
                for seat in seats
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
        return [Choice(line, line) for line in lines if not self._fault(line)]

    def _fault(self, text: str) -> NotationError | None:
        """Return what is wrong with a line, or still missing."""
        try:
            self.session.read(text)
        except NotationError as error:
            return error
        return None


def _load(path: Path, game_map: GameMap, variant: str | None) -> GameRecord:
    """Return the record in a file to be continued."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RecordWarning)  # a truncated record is continued
        record = GameRecord.load(path, game_map)
    wanted = game_map.with_variant(variant).rules.variant if variant is not None else record.header.variant
    if record.header.variant != wanted:
        raise GameError(f"the variant of {path.name} is {record.header.variant or 'none'}, not {wanted or 'none'}")
    return record


def _is_comment(text: str) -> bool:
    return text.strip() != "" and not tells(text)


def _check_length(text: str) -> None:
    if len(text) > MOST_LETTERS:
        raise NotationError(f"expected a line of at most {MOST_LETTERS} characters, got {len(text)}", MOST_LETTERS - 1)


def _joined(base: str, choice: str) -> str:
    """Return a line extended by a choice."""
    if choice[:1] in (",", ";", "/") or not base:
        return base.rstrip() + choice
    return base + choice if base.endswith(" ") else f"{base} {choice}"


def _card(choice: str) -> str:
    """Return the kind of card that a choice adds; "" if it adds none, or more."""
    words = choice.replace("->", " ").replace(",", " ").split()
    last = words[-1] if words else ""
    is_card = last in (*CARD_KINDS, UNKNOWN) and len(words) <= 2  # noqa: PLR2004 - a clause and its card
    return last if is_card else ""


def _meaning(events: Iterable[Event]) -> str:
    """Return the meaning of a line in words, with the cards of a tunnel listed together."""
    parts: list[str] = []
    for is_turned, some in groupby(events, lambda e: isinstance(e, Chance) and e.kind == "card_revealed"):
        if is_turned:
            cards = [(e.card if isinstance(e, Chance) else None) or "an unknown card" for e in some]
            parts.append(f"the tunnel shows {listed(cards)}")
        else:
            parts.extend(map(str, some))
    return "; ".join(parts)
