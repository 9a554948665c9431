"""
The columns of the tables of a simulation: names, types, meanings and units.

Every table begins with `game`, the number of the game in its run; rows are in
the order of games, and within a game in the order in which things happened.
So tables of parts that were played apart can be put one below another.
`studies.figures` has the columns of the answers to questions.
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
        The pandas type in memory and on disk; "ticket", "route", "policy",
        "color" and "ending" are categories. Users get it as `wide_type` says.
    meaning
        What it means.
    unit
        Its unit; "" for names, and for what is true or false.
    """

    dtype: str
    meaning: str
    unit: str = ""


ENDINGS: Final = get_args(EndingName)

_GAME: Final = Column("int64", "number of the game in its run, from 0", "number")
_DEAL: Final = Column("int64", "number of the random numbers; games of one deal differ in who sits where", "number")
_WHO: Final = {
    "seat": Column("int8", "seat in the order of turns, from 0; -1 for the neutral player", "number"),
    "player": Column(
        "int8", "which of the given policies plays it, from 0, unique to each; -1 for the neutral player", "number"
    ),
}

GAMES: Final = {
    "game": _GAME,
    "deal": _DEAL,
    "rotation": Column("int8", "seats by which the players are shifted: player p is at seat p - rotation", "seats"),
    "ending": Column("ending", f"why it is over: {listed(ENDINGS, 'or')}"),
    "turns": Column("int32", "turns of all seats together", "turns"),
    "winners": Column("int8", "seats that won; more than one after a tie", "seats"),
}
SEATS: Final = {
    "game": _GAME,
    "deal": _DEAL,
    **_WHO,
    "policy": Column("policy", "name of the policy; players who play alike share it, and `player` tells them apart"),
    "points": Column("int16", "final score", "points"),
    "won": Column("float32", "1 for the winner; winners of a tie share it", "share"),
    "start": Column("int16", "start score", "points"),
    "route_points": Column("int16", "points for routes", "points"),
    "ticket_gain": Column("int16", "points of completed tickets", "points"),
    "ticket_loss": Column("int16", "points of the other tickets, 0 or less", "points"),
    "trail_bonus": Column("int16", "bonus for the longest trail", "points"),
    "completed_bonus": Column("int16", "bonus for completed tickets", "points"),
    "tokens_bonus": Column("int16", "bonus for toll tokens left", "points"),
    "loan_points": Column("int16", "points for loans, 0 or less", "points"),
    "station_points": Column("int16", "points for stations not built", "points"),
    "tickets": Column("int16", "tickets kept", "tickets"),
    "completed": Column("int16", "tickets completed", "tickets"),
    "trail": Column("int16", "longest trail", "trains"),
    "trains_left": Column("int16", "trains not placed", "trains"),
    "cards_left": Column("int16", "cards in hand at the end", "cards"),
    "tokens_left": Column("int16", "value of the toll tokens left", "tokens"),
    "loans": Column("int16", "loans taken", "loans"),
    "stations": Column("int8", "stations built", "stations"),
    "turns": Column("int32", "turns taken", "turns"),
    "cards_drawn": Column("int32", "cards drawn from the pile, those dealt at the start not counted", "cards"),
    "cards_taken": Column("int32", "cards taken from the market", "cards"),
    "ticket_draws": Column("int32", "draws of tickets, the deal at the start not counted", "draws"),
    "claims": Column("int32", "claims attempted", "claims"),
    "declined": Column("int32", "tunnels whose surcharge was not paid", "tunnels"),
    "passes": Column("int32", "passes", "passes"),
}
BONUS_COLUMNS: Final = {
    "longest_trail": "trail_bonus",
    "completed_tickets": "completed_bonus",
    "tokens": "tokens_bonus",
}
"""The column of seats for each kind of bonus, by what is compared."""
TICKETS: Final = {
    "game": _GAME,
    **_WHO,
    "ticket": Column("ticket", "id of the ticket"),
    "offered": Column("int32", "turn of the seat in which it was offered, 0 at the start", "turn"),
    "kept": Column("bool", "whether the seat kept it"),
    "completed_turn": Column(
        "Int32",
        "turn of the seat after which it was first complete, the last if only a station completes it; missing if never",
        "turn",
    ),
    "destination": Column(
        "Int8", "which of its destinations counted in the end, from 0, best first; missing if none", "number"
    ),
    "points": Column("int16", "what it scored in the end; 0 if not kept", "points"),
    "trains_left": Column("int16", "trains that the seat had left when it was offered", "trains"),
    "trains": Column(
        "Int16",
        "trains on the shortest path over the routes of the seat, to the destination that counted; missing if none "
        "did, or not without a station",
        "trains",
    ),
    "lost_to": Column(
        "route", "route after whose claim the trains left could not complete it; missing if they always could"
    ),
}
ROUTES: Final = {
    "game": _GAME,
    **_WHO,
    "route": Column("route", "id of the route"),
    "turn": Column("int32", "turn of the seat, from 1; the round of the neutral player", "turn"),
    "cards": Column("int16", "cards paid, a surcharge included", "cards"),
    "locomotives": Column("int16", "locomotives among them", "cards"),
    "sets": Column("int8", "sets of cards paid in place of one card", "sets"),
    "surcharge": Column("int8", "surcharge of a tunnel", "cards"),
    "color": Column("color", "color of most cards; locomotive if there are no others; missing for the neutral player"),
    "toll": Column("int16", "toll paid", "tokens"),
    "loans": Column("int16", "loans taken for it", "loans"),
}
TUNNELS: Final = {
    "game": _GAME,
    **_WHO,
    "route": Column("route", "id of the tunnel"),
    "turn": Column("int32", "turn of the seat, from 1", "turn"),
    "color": Column("color", "color in which it was attempted; locomotive for locomotives alone"),
    "locomotives": Column("int16", "locomotives played", "cards"),
    "odds": Column(
        "float32",
        "probability that the surcharge could be paid, from what the seat could see; a little too high once cards were "
        "shuffled again",
        "probability",
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

_NARROW: Final = re.compile("^([iI])nt[0-9]+$")
_CATEGORIES: Final = ("ticket", "route", "policy", "color", "ending")
_OF_THE_GAME: Final = ("points", "trains", "cards", "tokens", "turn", "points per card")
"""Units to show beside a table, where a name lacks them; those of counts and shares are plain."""


def units_of(columns: Mapping[str, Column]) -> dict[str, str]:
    """
    Return the units to show beside a table: those that the names of its columns lack.

    Examples
    --------
    >>> units_of(ROUTES)
    {'locomotives': 'cards', 'surcharge': 'cards', 'toll': 'tokens'}
    """
    return {
        name: column.unit
        for name, column in columns.items()
        if column.unit in _OF_THE_GAME and column.unit.removesuffix("s") not in name
    }


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
    Return the numpy type of a column before it is put into a table.

    Categories are numbered; numbers that may be missing are then below 0.

    Examples
    --------
    >>> cell_type("route"), cell_type("Int8"), cell_type("float32")
    ('int16', 'int8', 'float32')
    """
    return "int16" if dtype in _CATEGORIES else dtype.lower()


def wide_type(dtype: str) -> str:
    """
    Return the type of a column in the tables that users get: whole numbers have 64 bits, policies are text.

    Squares and sums of products of narrower numbers overflow silently: the
    square of 200 points does not fit into 16 bits.

    Examples
    --------
    >>> wide_type("int16"), wide_type("Int8"), wide_type("float32"), wide_type("route"), wide_type("policy")
    ('int64', 'Int64', 'float32', 'route', 'str')
    """
    return "str" if dtype == "policy" else _NARROW.sub(r"\1nt64", dtype)


def widened(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a copy of rows of a table with the `wide_type` of each column."""
    kept = {str(name): str(dtype) for name, dtype in frame.dtypes.items() if dtype.kind == "i"}
    if "policy" in frame:
        kept["policy"] = "policy"
    return frame.astype({name: wide_type(dtype) for name, dtype in kept.items()})


def with_types(table: str, frame: pd.DataFrame, types: Mapping[str, pd.CategoricalDtype]) -> pd.DataFrame:
    """
    Return rows of a table, with all columns or some, with the types of their categories from `category_types`.

    Raises
    ------
    ValueError
        If a name is not in its category: it would be lost.
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
