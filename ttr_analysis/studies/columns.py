"""
The columns of the tables of a simulation, and of what is asked of them: names, types, meanings and units.

Every table begins with `game`, the number of the game in its run; rows are in
the order of games, and within a game in the order in which things happened.
Tables of parts that were played apart can therefore be put one below another.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, get_args

from ttr_analysis._words import listed
from ttr_analysis.cards import CARD_KINDS
from ttr_analysis.engine.state import EndingName
from ttr_analysis.maps.model import GameMap

if TYPE_CHECKING:
    import pandas as pd


class Column(NamedTuple):
    """
    A column.

    Parameters
    ----------
    dtype
        The pandas type in which it is kept, in memory and on disk; "ticket",
        "route", "policy", "color" and "ending" are categories. Whoever asks
        for a table gets it as `wide_type` says.
    meaning
        What it says.
    unit
        The unit, where the name does not tell it.
    """

    dtype: str
    meaning: str
    unit: str = ""


ENDINGS: Final = get_args(EndingName)

_WHO: Final = {
    "game": Column("int64", "number of the game in its run, from 0"),
    "seat": Column("int8", "seat in the order of turns, from 0; -1 for the neutral player"),
    "player": Column("int8", "which of the policies given plays it, from 0; -1 for the neutral player"),
}

GAMES: Final = {
    "game": _WHO["game"],
    "deal": Column("int64", "number of the random numbers; games of one deal differ in who sits where"),
    "rotation": Column("int8", "by how many seats the players are moved on: player p sits at seat p - rotation"),
    "ending": Column("ending", f"why it is over: {listed(ENDINGS, 'or')}"),
    "turns": Column("int32", "turns of all seats together"),
    "winners": Column("int8", "seats that won; more than one after a tie"),
}
SEATS: Final = {
    **_WHO,
    "policy": Column("policy", "name of the policy"),
    "points": Column("int16", "final score"),
    "won": Column("float32", "1 for the winner; winners of a tie share it"),
    "start": Column("int16", "start score", "points"),
    "route_points": Column("int16", "points for routes"),
    "ticket_gain": Column("int16", "what completed tickets brought", "points"),
    "ticket_loss": Column("int16", "what the other tickets cost, 0 or less", "points"),
    "trail_bonus": Column("int16", "bonus for the longest trail", "points"),
    "completed_bonus": Column("int16", "bonus for completed tickets", "points"),
    "tokens_bonus": Column("int16", "bonus for toll tokens left", "points"),
    "loan_points": Column("int16", "points for loans, 0 or less"),
    "station_points": Column("int16", "points for stations not built"),
    "tickets": Column("int16", "tickets kept"),
    "completed": Column("int16", "tickets completed"),
    "trail": Column("int16", "longest trail", "trains"),
    "trains_left": Column("int16", "trains not placed"),
    "cards_left": Column("int16", "cards in hand at the end"),
    "tokens_left": Column("int16", "value of the toll tokens left"),
    "loans": Column("int16", "loans taken"),
    "stations": Column("int8", "stations built"),
    "turns": Column("int32", "turns taken"),
    "cards_drawn": Column("int32", "cards drawn from the pile, not counting those dealt at the start"),
    "cards_taken": Column("int32", "cards taken from the market"),
    "ticket_draws": Column("int32", "times that tickets were drawn, not counting the deal at the start"),
    "claims": Column("int32", "claims attempted"),
    "declined": Column("int32", "tunnels whose surcharge was not paid"),
    "passes": Column("int32", "passes"),
}
BONUS_COLUMNS: Final = {
    "longest_trail": "trail_bonus",
    "completed_tickets": "completed_bonus",
    "tokens": "tokens_bonus",
}
"""The column of seats for each kind of bonus, by what is compared."""
TICKETS: Final = {
    **_WHO,
    "ticket": Column("ticket", "id of the ticket"),
    "offered": Column("int32", "turn of the seat in which it was offered, 0 at the start", "turn"),
    "kept": Column("bool", "whether the seat kept it"),
    "completed": Column(
        "Int32",
        "turn of the seat after which it was first complete, the last if only a station completes it; missing if never",
        "turn",
    ),
    "destination": Column("Int8", "which of its destinations counted in the end, from 0, best first; missing if none"),
    "points": Column("int16", "what it scored in the end; 0 if not kept"),
    "trains_left": Column("int16", "trains that the seat had left when it was offered"),
    "trains": Column(
        "Int16",
        "trains on the shortest way over the routes of the seat, to the destination that counted; missing if none did, "
        "or not without a station",
    ),
    "lost_to": Column(
        "route", "route by whose claim the trains left no longer sufficed to complete it; missing if they always did"
    ),
}
ROUTES: Final = {
    **_WHO,
    "route": Column("route", "id of the route"),
    "turn": Column("int32", "turn of the seat, from 1; the round of the neutral player"),
    "cards": Column("int16", "cards paid, a surcharge included"),
    "locomotives": Column("int16", "locomotives among them"),
    "sets": Column("int8", "sets of cards that stood in for one"),
    "surcharge": Column("int8", "surcharge of a tunnel", "cards"),
    "color": Column("color", "color of most cards; locomotive if there are no others; missing for the neutral player"),
    "toll": Column("int16", "toll paid", "tokens"),
    "loans": Column("int16", "loans taken for it"),
}
TUNNELS: Final = {
    **_WHO,
    "route": Column("route", "id of the tunnel"),
    "turn": Column("int32", "turn of the seat, from 1"),
    "color": Column("color", "color in which it was attempted; locomotive for locomotives alone"),
    "locomotives": Column("int16", "locomotives laid down"),
    "odds": Column(
        "float32",
        "probability that the surcharge could be paid, from what the seat could see; a little too high once cards were "
        "shuffled again",
    ),
    "surcharge": Column("int8", "surcharge demanded", "cards"),
    "taken": Column("bool", "whether the tunnel was taken"),
}
TABLES: Final[Mapping[str, Mapping[str, Column]]] = {
    "games": GAMES,
    "seats": SEATS,
    "tickets": TICKETS,
    "routes": ROUTES,
    "tunnels": TUNNELS,
}
"""The tables, by name."""
ANSWERS: Final[dict[str, Mapping[str, Column]]] = {}
"""The columns of the answer to each question of `studies.questions`, which fill this in, by its name."""

_NARROW: Final = re.compile("^([iI])nt[0-9]+$")
_CATEGORIES: Final = ("ticket", "route", "policy", "color", "ending")


def units_of(columns: Mapping[str, Column]) -> dict[str, str]:
    """
    Return the units of columns whose names do not tell them.

    Examples
    --------
    >>> units_of(ROUTES)
    {'surcharge': 'cards', 'toll': 'tokens'}
    """
    return {name: column.unit for name, column in columns.items() if column.unit}


def categories(game_map: GameMap, policies: tuple[str, ...]) -> dict[str, list[str]]:
    """
    Return the values of each type of category, in a fixed order, so that parts fit together.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> categories(ttr.load_map("nordic"), ("Random", "Random"))["policy"]
    ['Random']
    """
    return {
        "ticket": [ticket.id for ticket in game_map.tickets],
        "route": [route.id for route in game_map.routes],
        "policy": list(dict.fromkeys(policies)),
        "color": list(CARD_KINDS),
        "ending": list(ENDINGS),
    }


def category_types(values: Mapping[str, Sequence[str]]) -> dict[str, pd.CategoricalDtype]:
    """Return the pandas types of the categories with these values."""
    import pandas as pd

    return {name: pd.CategoricalDtype(list(some)) for name, some in values.items()}


def cell_type(dtype: str) -> str:
    """
    Return the numpy type in which a column is kept until it is put into a table.

    Parameters
    ----------
    dtype
        Its type, as a `Column` says; categories are numbered, and numbers that
        may be missing are then below 0.

    Examples
    --------
    >>> cell_type("route"), cell_type("Int8"), cell_type("float32")
    ('int16', 'int8', 'float32')
    """
    return "int16" if dtype in _CATEGORIES else dtype.lower()


def wide_type(dtype: str) -> str:
    """
    Return the type of a column in the tables that users get: whole numbers have 64 bits.

    Squares and sums of products of narrower ones run over without a word: of
    points of 200, say, the square does not fit into 16 bits.

    Parameters
    ----------
    dtype
        As a `Column` says.

    Examples
    --------
    >>> wide_type("int16"), wide_type("Int8"), wide_type("float32"), wide_type("route")
    ('int64', 'Int64', 'float32', 'route')
    """
    return _NARROW.sub(r"\1nt64", dtype)


def widened(frame: pd.DataFrame) -> pd.DataFrame:
    """Return rows of a table, of which all or some columns were kept narrow, with their `wide_type`; a copy."""
    kept = {name: str(dtype) for name, dtype in frame.dtypes.items() if dtype.kind == "i"}
    return frame.astype({name: wide_type(dtype) for name, dtype in kept.items()})


def with_types(table: str, frame: pd.DataFrame, types: Mapping[str, pd.CategoricalDtype]) -> pd.DataFrame:
    """
    Return rows of a table with the types of its categories, which those who have no row with one cannot know.

    Parameters
    ----------
    table
        Its name.
    frame
        The rows, with all columns or some.
    types
        From `category_types`.

    Raises
    ------
    ValueError
        If a name is none of those of its category: it would be lost.
    """
    wanted = {
        column: types[dtype] for column, (dtype, *_) in TABLES[table].items() if dtype in types and column in frame
    }
    for column, category in wanted.items():
        known = set(category.categories)
        unknown = [name for name in frame[column].dropna().unique() if name not in known]
        if unknown:
            raise ValueError(f"{column}: there is no {unknown[0]!r}")
    return frame.astype(wanted)


def no_rows(table: str, types: Mapping[str, pd.CategoricalDtype]) -> pd.DataFrame:
    """Return a table without rows, its columns typed."""
    import pandas as pd

    columns = TABLES[table].items()
    return pd.DataFrame({name: pd.Series(dtype=types.get(dtype, dtype)) for name, (dtype, *_) in columns})
