"""
Games as lines of text, as you would write them down at a table: reading and writing.

Each line is a turn or part of one: first the acting seat, which may be omitted, then what
it does, and then the outcomes of chance:

=============================================================  ====================================================
line                                                           what happens
=============================================================  ====================================================
P0: hand blue, white, red, red                                 dealt to the seat that keeps the record
P1: hand 4                                                     four unknown cards
market red, locomotive, blue, green, white                     the first market, with every card that came to it
P0: tickets Bergen-Narvik, Oslo-Vaasa, Turku-Trondheim         offered; `tickets 3` if they are unknown
P0: keep Bergen-Narvik, Oslo-Vaasa                             `keep 2` of unknown ones, `keep all`
P1: draw blue, ?                                               two cards from the pile, the second one unknown
P1: draw 2                                                     two that nobody saw; `draw` for one
P0: take red -> green                                          a face-up card, and the card that takes its place
P0: take red/3 -> green; draw ?                                the red card in slot 3, not the first one; then a card
P1: Bergen-Oslo blue 4                                         a claim; `Bergen-Oslo/1` if the track is ambiguous
P0: Murmansk-Lieksa white 7, sets red 4, black 4               cards used singly, and cards of which 4 stand for one
P1: Turku-Tampere red 1 reveals red, blue, white; pays red 1   a tunnel, the cards turned over, the surcharge
P1: Turku-Tampere red 1 reveals red, blue, red; declines       the cards are taken back
P1: attempt Turku-Tampere/0 red reveals match, other           a tunnel whose cards, laid down and turned over, are
                                                               unknown; the later payment covers all of it
P0: tickets Oslo-Vaasa, ?, ?; keep Oslo-Vaasa                  a turn of tickets
P1: draw ?, ? neutral ticket Arnhem-Breda                      the round ends with a ticket of the neutral player
P0: neutral takes Arnhem-Breda/1                               the track that it gets
P1: pass
P0: shows Bergen-Narvik, Oslo-Vaasa                            at the end, tickets that were unknown
{"event":"correction","reason":"Bo moved twice","to_move":0}   as in a file: a correction, or a starting position
=============================================================  ====================================================

After any move, `->` lists all cards that go to the market, in slot order, even if it is
replaced. Shuffles are not written: they are implied. Case and accents of names do not
matter, and cards may be shortened to their first letters; `4 blue` equals `blue 4`, `?2`
equals `?, ?`, and the semicolon is optional. `record_lines` writes the canonical text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ttr_analysis._errors import GameError
from ttr_analysis.engine import codes
from ttr_analysis.engine.actions import Action
from ttr_analysis.engine.game import KernelGame
from ttr_analysis.engine.layout import State
from ttr_analysis.engine.state import GameState
from ttr_analysis.notation.lexer import NotationError, tells
from ttr_analysis.notation.parser import LineParser
from ttr_analysis.notation.writer import part_text, timeline_lines
from ttr_analysis.records.entries import Entry
from ttr_analysis.records.record import Game
from ttr_analysis.records.replay import Timeline

if TYPE_CHECKING:
    from ttr_analysis.records.record import GameRecord

__all__ = ["NotationError", "move_text", "read_game", "read_move", "record_lines"]


def read_move(text: str, game: Game, state: GameState, *, players: Sequence[str] = ()) -> Action:
    """
    Return the move on a line, without outcomes.

    Parameters
    ----------
    text
        The line: see the module.
    players
        Names of the players, which can be used instead of seats.

    Raises
    ------
    NotationError
        If it cannot be read, or the move is illegal; the message gives the character,
        what was expected and what was found.

    Examples
    --------
    >>> game = ttr.Game(ttr.load_map("nordic"))
    >>> state = game.new(seed=7)
    >>> for _ in range(2):
    ...     state = game.apply(state, game.legal_actions(state)[0])
    >>> print(read_move("honningsvag - kirkenes yell 1", game, state))
    Traceback (most recent call last):
        ...
    ttr_analysis.notation.lexer.NotationError: character 24:
    Honningsvåg-Kirkenes (green, 2): it takes at least 2 cards, got 1
    >>> print(read_move("take green", game, state))
    take the card in market slot 0
    """
    packed, vector = _packed(game), state.packed
    reader = LineParser(packed, vector, text, players=players, with_outcomes=False)
    reader.read()
    return packed.codec.decode(*reader.action, vector)


def move_text(action: Action, game: Game, state: GameState) -> str:
    """
    Return a legal move of the acting seat in notation, without seat or outcomes.

    Raises
    ------
    IllegalActionError
        If it is illegal.

    Examples
    --------
    >>> game = ttr.Game(ttr.load_map("nordic"))
    >>> state = game.new(seed=7)
    >>> move_text(game.legal_actions(state)[0], game, state)
    'keep Stockholm-Bergen, Bergen-København'
    """
    packed = _packed(game)
    vector = state.packed
    code, value = packed.encode(vector, action)
    return code_text(packed, vector, code, value)


def code_text(packed: KernelGame, vector: State, code: int, value: int) -> str:
    """Return a legal move, given as code and value, in notation."""
    entry = Entry.of(code, value)
    if entry.kind == codes.KEEP_TICKETS:
        kept = packed.codec.decode(code, value, vector)
        entry = entry._replace(value=0, tickets=tuple(map(packed.codec.ticket_index, kept.tickets)))  # type: ignore[union-attr]
    return part_text(packed, vector, [entry])


def record_lines(record: GameRecord, *, comments: bool = False) -> list[str]:
    r"""
    Return a record as lines: the setup, then one line per turn.

    Parameters
    ----------
    record
        Any record. A last move without outcomes is left out.
    comments
        Whether to add comments, which `read_game` skips: title, date and players, and
        the place of each turn in the source of the record.

    Examples
    --------
    >>> game = ttr.Game(ttr.load_map("nordic"))
    >>> record = game.play([ttr.policies.Greedy(), ttr.policies.Greedy()], seed=7)
    >>> lines = record_lines(record)
    >>> print(*lines[:3], *lines[7:10], sep="\n")
    P0: hand blue, white, yellow, purple
    P1: hand blue, locomotive, white, red
    market green, orange, white, purple, white
    P0: Aalborg-Göteborg purple 1, sets blue 1, white 1, yellow 1
    P1: Aalborg-Kristiansand red 1, locomotive 1
    P0: draw orange; take orange -> red
    >>> read_game(lines, game).entries == record.entries
    True
    """
    packed = KernelGame(record.map, record.header.n_players)
    timeline = Timeline.of(packed, record.entries)
    lines = list(timeline_lines(packed, timeline, record.entries))
    return list(_commented(record, lines)) if comments else [line for line, _ in lines]


def _commented(record: GameRecord, lines: Iterable[tuple[str, int]]) -> Iterator[str]:
    header = record.header
    yield from (f"# {text}" for text in (header.title, header.date, header.note) if text)
    yield from (f"# P{seat}: {name}" for seat, name in enumerate(header.players) if name)
    first = 0
    for line, end in lines:
        stamps = dict.fromkeys(str(entry.stamp) for entry in record.entries[first:end] if str(entry.stamp or ""))
        if stamps:
            yield f"# {'; '.join(stamps)}"
        yield line
        first = end


def read_game(lines: str | Iterable[str], game: Game, *, players: Sequence[str] = ()) -> GameRecord:
    """
    Return the record of a game written line by line.

    Parameters
    ----------
    lines
        The lines, or one string; blank lines and comments are skipped.
    game
        Map, variant and number of players.
    players
        Names of the players by seat, which can be used instead of seats.

    Raises
    ------
    GameError
        If a line cannot be read or is impossible; the message gives the line, the
        character, what was expected and what was found.

    Examples
    --------
    >>> text = '''
    ... # Friday, at our table
    ... Ida: hand red 2, blue, locomotive
    ... Bo: hand 4
    ... market red, blue, green, white, white
    ... '''
    >>> read_game(text, ttr.Game("nordic"), players=("Ida", "Bo"))
    <GameRecord nordic: Ida, Bo, 13 events, not begun>
    """
    from ttr_analysis.notation.session import Session

    _check_game(game)
    session = Session(game, players=players)
    for number, line in enumerate(lines.splitlines() if isinstance(lines, str) else lines, start=1):
        if tells(line):
            try:
                session.write(line)
            except NotationError as error:
                raise GameError(f"line {number}, {error}") from None
    return session.record


def _check_game(game: object) -> None:
    if not isinstance(game, Game):
        msg = f"expected a Game, such as ttr.Game(game_map, n_players=2), got {game!r}"
        raise TypeError(msg)


def _packed(game: Game) -> KernelGame:
    _check_game(game)
    return KernelGame(game.game_map, game.n_players)
