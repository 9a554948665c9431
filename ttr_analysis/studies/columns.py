"""
The columns of the tables of a simulation and of the answers to questions: names, types, meanings and units.

Every table begins with `game`, the number of the game in its run. Rows are in the order
of games, and within a game in the order of events, so tables played in separate parts
can simply be concatenated. Columns of answers also define how they are computed from
rows of games.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, get_args

from ttr_analysis._words import listed
from ttr_analysis.cards import CARD_KINDS
from ttr_analysis.engine.kernel.numbering import words_of
from ttr_analysis.engine.layout import Phase
from ttr_analysis.engine.state import EndingName
from ttr_analysis.maps.model import GameMap
from ttr_analysis.studies.intervals import (
    ClusterSums,
    clustered_count,
    clustered_difference,
    clustered_mean,
    clustered_rate,
)

if TYPE_CHECKING:
    import pandas as pd


class Column(NamedTuple):
    """
    A column: its pandas type in memory and on disk, its meaning and its unit.

    "ticket", "route", "policy", "color", "ending", "phase" and "words" are categories;
    "numbers" are arrays of small integers. Users get the type that `wide_type` returns.
    Names and booleans have no unit.
    """

    dtype: str
    meaning: str
    unit: str = ""


ENDINGS: Final = get_args(EndingName)
PHASES: Final = [phase for phase in Phase if phase != Phase.OVER]

_GAME: Final = Column("int64", "number of the game in its run, from 0", "number")
_DEAL: Final = Column("int64", "number of the deal; games of one deal differ only in seating", "number")
_WHO: Final = {
    "seat": Column("int8", "seat in turn order, from 0; -1 for the neutral player", "number"),
    "player": Column("int8", "which of the given policies plays it, from 0; -1 for the neutral player", "number"),
}

GAMES: Final = {
    "game": _GAME,
    "deal": _DEAL,
    "rotation": Column("int8", "shift of the players: player p is at seat p - rotation", "seats"),
    "ending": Column("ending", f"why the game ended: {listed(ENDINGS, 'or')}"),
    "turns": Column("int32", "turns of all seats together", "turns"),
    "winners": Column("int8", "seats that won; more than one after a tie", "seats"),
}
SEATS: Final = {
    "game": _GAME,
    "deal": _DEAL,
    **_WHO,
    "policy": Column("policy", "name of the policy; equal policies share it, `player` distinguishes them"),
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
    "station_points": Column("int16", "points for unused stations", "points"),
    "tickets": Column("int16", "tickets kept", "tickets"),
    "completed": Column("int16", "tickets completed", "tickets"),
    "trail": Column("int16", "longest trail", "trains"),
    "trains_left": Column("int16", "trains not placed", "trains"),
    "cards_left": Column("int16", "cards in hand at the end", "cards"),
    "tokens_left": Column("int16", "value of the toll tokens left", "tokens"),
    "loans": Column("int16", "loans taken", "loans"),
    "stations": Column("int8", "stations built", "stations"),
    "turns": Column("int32", "turns taken", "turns"),
    "cards_drawn": Column("int32", "cards drawn from the pile, not counting the opening hand", "cards"),
    "cards_taken": Column("int32", "cards taken from the market", "cards"),
    "ticket_draws": Column("int32", "draws of tickets, not counting the opening deal", "draws"),
    "claims": Column("int32", "claims attempted", "claims"),
    "declined": Column("int32", "tunnels whose surcharge was not paid", "tunnels"),
    "passes": Column("int32", "passes", "passes"),
}
BONUS_COLUMNS: Final = {
    "longest_trail": "trail_bonus",
    "completed_tickets": "completed_bonus",
    "tokens": "tokens_bonus",
}
"""The column of seats for each kind of bonus, by its measure."""
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
        "Int8", "the destination that counted in the end, from 0, best first; missing if none", "number"
    ),
    "points": Column("int16", "final points; 0 if not kept", "points"),
    "trains_left": Column("int16", "the seat's trains left when it was offered", "trains"),
    "trains": Column(
        "Int16",
        "trains on the seat's shortest path to the destination that counted; missing if none "
        "did, or only with a station",
        "trains",
    ),
    "lost_to": Column(
        "route", "route after whose claim the trains left were too few; missing if completed, never lost or not kept"
    ),
}
ROUTES: Final = {
    "game": _GAME,
    **_WHO,
    "route": Column("route", "id of the route"),
    "turn": Column("int32", "turn of the seat, from 1; the round of the neutral player", "turn"),
    "cards": Column("int16", "cards paid, including a surcharge", "cards"),
    "locomotives": Column("int16", "locomotives among them", "cards"),
    "sets": Column("int8", "sets of cards paid in place of one card", "sets"),
    "surcharge": Column("int8", "surcharge of a tunnel", "cards"),
    "color": Column(
        "color", "color of most colored cards; locomotive if there are none; missing for the neutral player"
    ),
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
        "probability of paying the surcharge, given what the seat could see; a little too high once cards were "
        "shuffled again",
        "probability",
    ),
    "surcharge": Column("int8", "surcharge demanded", "cards"),
    "taken": Column("bool", "whether the tunnel was taken"),
}
DECISIONS: Final = {
    "game": _GAME,
    **_WHO,
    "policy": Column("policy", "name of the policy"),
    "step": Column("int32", "its step of the record, from 1: `state_at(step - 1)` is the state", "number"),
    "turn": Column("int32", "turn of the seat, from 1; 0 while opening tickets are chosen", "turn"),
    "phase": Column("phase", f"what to decide: {listed([phase.name for phase in PHASES], 'or')}"),
    "cards": Column("int16", "cards in hand, locomotives included", "cards"),
    "locomotives": Column("int16", "locomotives in hand", "cards"),
    "most_of_a_color": Column("int16", "most cards in hand of one color", "cards"),
    "trains": Column("int16", "trains left", "trains"),
    "points": Column("int16", "points so far, without tickets and bonuses", "points"),
    "tickets": Column("int16", "tickets held", "tickets"),
    "connected": Column("int16", "of these, tickets that its routes complete", "tickets"),
    "rival_trains": Column("int16", "fewest trains left of any other seat", "trains"),
    "rival_points": Column("int16", "most points so far of any other seat", "points"),
    "pile": Column("int16", "cards in the draw pile", "cards"),
    "is_last": Column("bool", "whether the last round has begun"),
    "n_legal": Column("int16", "legal actions", "actions"),
    "legal": Column("numbers", "the numbers of the legal actions; see `ttr.envs.action_words`"),
    "action": Column("int16", "number of the action chosen; -1 if the cards that it took are unknown"),
    "words": Column("words", "the same in words"),
    "final_points": Column("int16", "final score of the seat", "points"),
    "margin": Column("int16", "by how much it was ahead of the best other seat in the end", "points"),
    "won": Column("float32", "1 for the winner; winners of a tie share it", "share"),
}
"""Decisions: what the seat had, what it could do and did, and how the game ended for it."""
TABLES: Final[Mapping[str, Mapping[str, Column]]] = {
    "games": GAMES,
    "seats": SEATS,
    "tickets": TICKETS,
    "routes": ROUTES,
    "tunnels": TUNNELS,
}
"""The tables, by name."""
ALL_TABLES: Final[Mapping[str, Mapping[str, Column]]] = {**TABLES, "decisions": DECISIONS}
"""All tables, including the one that is stored only on request."""

_NARROW: Final = re.compile("^([iI])nt[0-9]+$")
_CATEGORIES: Final = ("ticket", "route", "policy", "color", "ending", "phase", "words")
_OF_THE_GAME: Final = ("points", "trains", "cards", "tokens", "turn", "points per card")
"""Units to show beside a table if a name does not include them; those of counts and shares are obvious."""


def units_of(columns: Mapping[str, Column]) -> dict[str, str]:
    """
    Return the units to show beside a table: those that the names of its columns do not include.

    >>> units_of(ROUTES)
    {'locomotives': 'cards', 'surcharge': 'cards', 'toll': 'tokens'}
    """
    return {
        name: column.unit
        for name, column in columns.items()
        if column.unit in _OF_THE_GAME and column.unit.removesuffix("s") not in name
    }


def categories(game_map: GameMap, policies: tuple[str, ...], *, decisions: bool = False) -> dict[str, list[str]]:
    """Return the values of each type of category, in a fixed order, so that parts fit together."""
    of_decisions = {"phase": [phase.name for phase in PHASES], "words": list(words_of(game_map))} if decisions else {}
    return {
        "ticket": [ticket.id for ticket in game_map.tickets],
        "route": [route.id for route in game_map.routes],
        "policy": list(dict.fromkeys(policies)),
        "color": list(CARD_KINDS),
        "ending": list(ENDINGS),
        **of_decisions,
    }


def category_types(values: Mapping[str, Sequence[str]]) -> dict[str, pd.CategoricalDtype]:
    """Return the pandas types of the categories with these values."""
    import pandas as pd

    return {name: pd.CategoricalDtype(list(some)) for name, some in values.items()}


def cell_type(dtype: str) -> str:
    """
    Return the numpy type of a column before it is put into a table.

    Categories are numbered; numbers that may be missing are then below 0.

    >>> cell_type("route"), cell_type("Int8"), cell_type("float32")
    ('int16', 'int8', 'float32')
    """
    return "int16" if dtype in (*_CATEGORIES, "numbers") else dtype.lower()


def wide_type(dtype: str) -> str:
    """
    Return the type of a column in the tables that users get: whole numbers have 64 bits, policies are text.

    Squares and sums of products of narrower numbers overflow silently.

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
    """Return rows of a table with the types of their categories; an unknown name raises a ValueError."""
    wanted = {
        column: types[dtype] for column, (dtype, *_) in ALL_TABLES[table].items() if dtype in types and column in frame
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

    columns = ALL_TABLES[table].items()
    made = {name: types.get(dtype, "object" if dtype == "numbers" else dtype) for name, (dtype, *_) in columns}
    return pd.DataFrame({name: pd.Series(dtype=dtype) for name, dtype in made.items()})


# -- figures: the columns of answers --------------------------------------------------------------------------------

Values: TypeAlias = "str | Callable[[pd.DataFrame], Any]"
"""A column, or what to compute from a frame."""

HIDDEN: Final = "_"
"""Figures whose names begin with this are only summed, as denominators of others."""
_IN_NAMES: Final = ("points", "cards", "turn", "tokens", "tickets", "share")
"""Units that names of figures contain."""
BONUSES: Final = tuple(BONUS_COLUMNS.values())
"""The columns of bonuses in the table of seats."""
FATES: Final = ("completed", "blocked", "out of trains", "out of time", "hopeless")
"""What can become of a ticket that was kept."""


class Figure(NamedTuple):
    """A column of an answer, and how it is computed."""

    meaning: str
    of: Values | None
    """What is summed over the rows; None if the question adds the column itself."""
    per: str = ""
    """The figure whose sum is the denominator; "" for a number of rows or things."""
    interval: Callable[[ClusterSums], Sequence[float]] | None = None
    ends: str | None = ""
    """Prefix of the names of the interval's ends: "" for the name of the figure, None for no prefix."""
    dtype: str = "float64"
    unit: str = ""
    """The unit, unless the name contains it."""

    def end_names(self, name: str) -> tuple[str, str]:
        """Return the names of the ends of the interval."""
        prefix = "" if self.ends is None else f"{self.ends or name}_"
        return f"{prefix}low", f"{prefix}high"


Figures: TypeAlias = Mapping[str, Figure]


def columns_of(figures: Figures) -> dict[str, Column]:
    """Return the columns of a table of figures."""
    columns = {}
    for name, figure in figures.items():
        if not name.startswith(HIDDEN):
            unit = figure.unit or next((unit for unit in _IN_NAMES if unit in name), "")
            columns[name] = Column(figure.dtype, figure.meaning, unit)
            if figure.interval:
                for end, column in zip(("low", "high"), figure.end_names(name), strict=True):
                    columns[column] = Column("float64", f"{end} end of the 95% interval of {name}", unit)
    return columns


# -- kinds of figures ------------------------------------------------------------------


def _ones(rows: pd.DataFrame) -> Any:  # noqa: ANN401 - a column
    return rows["game"].notna()


def count(meaning: str, of: Values = _ones, unit: str = "") -> Figure:
    """Return the figure for a count."""
    return Figure(meaning, of, dtype="int64", unit=unit)


def _ratio(meaning: str, of: Values, per: str, unit: str = "") -> Figure:
    """Return the figure of a mean, or another ratio, without an interval."""
    return Figure(meaning, of, per, unit=unit)


def mean(meaning: str, of: Values, per: str, ends: str = "", unit: str = "") -> Figure:
    """Return the figure of a mean with its interval."""
    return Figure(meaning, of, per, clustered_mean, ends, unit=unit)


def rate(meaning: str, of: Values, per: str, ends: str | None = "") -> Figure:
    """Return the figure of a share between 0 and 1 with its interval."""
    return Figure(meaning, of, per, clustered_rate, ends, unit="share")


def _added(meaning: str, dtype: str = "float64", unit: str = "") -> Figure:
    """Return a figure that the question adds itself."""
    return Figure(meaning, None, dtype=dtype, unit=unit)


def _hidden(of: Values = _ones) -> Figure:
    return count("", of)


# -- what is computed from rows --------------------------------------------------------


def ticket_points(seats: pd.DataFrame) -> pd.Series[Any]:
    """Return the points of tickets, gains and losses."""
    return seats["ticket_gain"] + seats["ticket_loss"]


def bonus_points(seats: pd.DataFrame) -> pd.Series[Any]:
    """Return the points of all bonuses."""
    return seats[list(BONUSES)].sum(axis=1)


def _is_completed(tickets: pd.DataFrame) -> pd.Series[Any]:
    return tickets["completed_turn"].notna()


def _has_path(tickets: pd.DataFrame) -> pd.Series[Any]:
    """Return which tickets the routes of the seat alone completed, without a station."""
    return tickets["trains"].notna()


def _is_taken(rows: pd.DataFrame) -> pd.Series[Any]:
    return rows["turn"].notna()


def _filled(column: str) -> Values:
    """Return a column with 0 where a value is missing."""
    return lambda rows: rows[column].fillna(0)


def _of_takers(column: str) -> Values:
    """Return a column with 0 where the seat did not take the route, or visit the city."""
    return lambda rows: rows[column].where(_is_taken(rows), 0)


def _elsewhere(column: str) -> Values:
    """Return the sum of a column over the other routes of a seat that took one."""
    return lambda rows: (rows[f"all_{column}"] - rows[column]).fillna(0)


def of_fate(fate: str) -> Figures:
    """Return the figures of the tickets with a fate."""

    def has_it(tickets: pd.DataFrame) -> pd.Series[Any]:
        return tickets["fate"] == fate

    return {
        "kept": count("tickets kept in all", unit="tickets"),
        "rate": rate("share of them with this fate", has_it, "kept", ends=None),
        "points": _ratio("mean points of these", lambda tickets: tickets["points"] * has_it(tickets), "_tickets"),
        "_tickets": _hidden(has_it),
    }


# -- the answers, by the name of the question ------------------------------------------

_SEATS: Final[Figures] = {
    "games": count("games", unit="games"),
    "win_rate": rate("share of wins; a win shared by k players counts 1/k", "won", "games", "win"),
    "points": mean("final points", "points", "games"),
    "points_sd": _added("standard deviation of the points"),
    "route_points": _ratio("points for routes", "route_points", "games"),
    "ticket_points": _ratio("points of tickets", ticket_points, "games"),
    "bonus": _ratio("points of bonuses", bonus_points, "games", "points"),
    "tickets": _ratio("tickets kept", "tickets", "games"),
    "completed": _ratio("tickets completed", "completed", "games", "tickets"),
    "turns": _ratio("turns taken", "turns", "games"),
    "_squares": _hidden(lambda seats: seats["points"].astype("float64") ** 2),
}
_TUNNELS: Final[Figures] = {
    "attempts": count("tunnels attempted", unit="tunnels"),
    "success_rate": rate("share of them taken", "taken", "attempts", "success"),
    "odds": _ratio("mean odds that they could be paid, from what the seat could see", "odds", "_judged", "probability"),
    "surcharge": _ratio("mean surcharge", "surcharge", "attempts", "cards"),
    "_judged": _hidden(lambda tunnels: tunnels["odds"].notna()),
}
_GAINS: Final = ("start", "route_points", "ticket_gain", *BONUSES, "station_points")

ANSWERS: Final[Mapping[str, Figures]] = {
    "win_rates": {"policy": _added("name of the policy", "policy"), **_SEATS},
    "seat_advantage": _SEATS,
    "win_differences": {
        "policy": _added("name of the policy", "policy"),
        "rival_policy": _added("name of the rival's policy", "policy"),
        "games": count("games", unit="games"),
        "win_difference": Figure("difference in win rate", "won_more", "games", clustered_difference, unit="share"),
        "points_difference": mean("difference in points", "points_more", "games"),
    },
    "point_sources": {
        "seats": count("seats", unit="seats"),
        "points": _ratio("final points", "points", "seats"),
        "start": _ratio("start score", "start", "seats", "points"),
        "routes": _ratio("points for routes", "route_points", "seats", "points"),
        "tickets_completed": _ratio("points of completed tickets", "ticket_gain", "seats", "points"),
        "tickets_missed": _ratio("points of the other tickets, 0 or less", "ticket_loss", "seats", "points"),
        "bonus": _ratio("points of bonuses", bonus_points, "seats", "points"),
        "loans": _ratio("points for loans, 0 or less", "loan_points", "seats", "points"),
        "stations": _ratio("points for unused stations", "station_points", "seats", "points"),
        "route_share": mean("share of routes in all points gained, losses not counted", "route_points", "_gained"),
        "ticket_share": mean("share of completed tickets in the same points", "ticket_gain", "_gained"),
        "_gained": _hidden(lambda seats: seats[list(_GAINS)].sum(axis=1)),
    },
    "bonus_effects": {
        "games": count("games", unit="games"),
        "points": _ratio("mean points for it of those who got any", "points", "_getters"),
        "winners": _ratio("mean points that winners got for it", "winners", "games", "points"),
        "decided": rate("share of games in which no winner would have had most points without it", "decided", "games"),
        "_getters": _hidden("getters"),
    },
    "loan_results": {
        "seats": count("seats", unit="seats"),
        "share": _added("share of the seats of the policy"),
        "tolls": _ratio("mean tolls paid", "tolls", "seats", "tokens"),
        "tokens_left": _ratio("mean value of the tokens left", "tokens_left", "seats"),
        "bonus": _ratio("mean bonus for tokens", "tokens_bonus", "seats", "points"),
        "loan_points": _ratio("mean points for loans, 0 or less", "loan_points", "seats"),
        "points": mean("mean final points", "points", "seats"),
        "win_rate": rate("share of wins", "won", "seats", "win"),
    },
    "tunnel_results": _TUNNELS,
    "tunnel_calibration": _TUNNELS,
    "opening_tickets": {
        "seats": count("seats", unit="seats"),
        "win_rate": rate("share of wins", "won", "seats", "win"),
        "points": mean("mean final points", "points", "seats"),
    },
    "ticket_results": {
        "offered": count("times offered", unit="times"),
        "keep_rate": _ratio("share of offers kept", "kept", "offered", "share"),
        "kept": count("times kept", "kept", "times"),
        "completion_rate": rate("share of those kept that were completed", _is_completed, "kept", "completion"),
        "net_points": mean("mean points when kept", "points", "kept", "net"),
        "completed_in": _ratio("mean turn of completion", _filled("completed_turn"), "_completed", "turn"),
        "way": _ratio("mean length of the path that completed it", _filled("trains"), "_paths", "trains"),
        "win_association": rate(
            "share of wins of those who kept it minus that of all",
            lambda tickets: tickets["won"] * tickets["kept"],
            "kept",
            "association",
        ),
        "_completed": _hidden(_is_completed),
        "_paths": _hidden(_has_path),
        "_gained": _hidden(lambda tickets: tickets["points"].clip(lower=0) * _has_path(tickets)),
    },
    "late_tickets": {
        "draws": count("draws of tickets; each also costs a turn", unit="draws"),
        "kept": _ratio("tickets kept per draw", "kept", "draws", "tickets"),
        "ready_rate": rate("share of those kept that were complete at once", "ready", "kept", "ready"),
        "completion_rate": rate("share of those kept that were completed", "done", "kept", "completion"),
        "points": mean("points that a draw brought in the end", "points", "draws"),
        "gain_rate": rate("share of draws that brought any", lambda draws: draws["points"] > 0, "draws", "gain"),
    },
    "ticket_fates": of_fate(""),
    "destination_results": {
        "points": _added("points of the destination; below 0 for none", "int64"),
        "kept": count("times that the ticket was kept", unit="times"),
        "rate": Figure(
            "share of these in which this destination counted", None, "", clustered_rate, ends=None, unit="share"
        ),
        "net_points": mean("mean points of the ticket as a whole", "points", "kept", "net"),
        "yield": _added("the same as a share of the points of its best destination", unit="share"),
    },
    "route_results": {
        "claim_rate": rate("share of games in which it was taken", _is_taken, "_games", "claim"),
        "turn": _ratio("mean turn of the claim", _filled("turn"), "_claims"),
        "cards": _ratio("mean cards paid", _filled("cards"), "_players"),
        "locomotives": _ratio("mean locomotives among them", _filled("locomotives"), "_players", "cards"),
        "win_association": rate(
            "share of wins of its owners minus that of all", _filled("won"), "_players", "association"
        ),
        "_games": _hidden(),
        "_claims": _hidden(_is_taken),
        "_players": _hidden(lambda rows: rows["seat"] >= 0),
    },
    "city_results": {
        "visit_rate": rate("share of seats with a route to it", _is_taken, "_seats", "visit"),
        "turn": _ratio("mean turn of the first", _filled("turn"), "_visits"),
        "win_association": rate(
            "share of wins of these minus that of all", _of_takers("won"), "_visits", "association"
        ),
        "_seats": _hidden(),
        "_visits": _hidden(_is_taken),
    },
    "route_lengths": {
        "claims": Figure("routes claimed by a seat in a game", "claims", "_seats", clustered_count, unit="routes"),
        "point_share": _added("share of its points for routes"),
        "train_share": _added("share of the trains it placed"),
        "cards": _ratio("cards paid per route", "cards", "claims"),
        "points_per_card": _ratio("points per card paid", "points", "cards", "points per card"),
        "_seats": _hidden(),
    },
    "longest_routes": {
        "seats": count("seats of the policy", unit="seats"),
        "claim_rate": rate("share of them that took it", _is_taken, "seats", "claim"),
        "turn": _ratio("mean turn of the claim", _of_takers("turn"), "_takers"),
        "cards": _ratio("mean cards paid", _of_takers("cards"), "_takers"),
        "sets": _ratio("mean sets among them", _of_takers("sets"), "_takers", "sets"),
        "points_per_card": mean("points per card paid for it", _of_takers("points"), "cards", unit="points per card"),
        "elsewhere": mean(
            "the same for their other routes", _elsewhere("points"), "_other_cards", unit="points per card"
        ),
        "win_rate": rate("share of wins of those who took it", _of_takers("won"), "_takers", "win"),
        "rest_win_rate": rate(
            "share of wins of the others", lambda rows: rows["won"] * rows["turn"].isna(), "_rest", "rest"
        ),
        "_takers": _hidden(_is_taken),
        "_rest": _hidden(lambda rows: rows["turn"].isna()),
        "_other_cards": _hidden(_elsewhere("cards")),
    },
    "blocking_routes": {
        "blocked": mean("tickets blocked per game", "blocked", "_games", unit="tickets"),
        "per_claim": _ratio("tickets blocked each time that it was taken", "blocked", "_claims", "tickets"),
        "worst_ticket": _added("the ticket that it blocked most often", "ticket"),
        "worst_count": _added("in how many games", "int64", "games"),
        "_games": _hidden(),
        "_claims": _hidden("claims"),
    },
}
