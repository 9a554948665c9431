"""
Findings on a map: what a player would tell friends, each with its figure, how sure it is, and what a picture shows.

Plain data. The report, notebooks and widgets show these, so that one question
has one answer wherever it is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import pandas as pd

from ttr_analysis._display import render_html
from ttr_analysis._words import counted
from ttr_analysis.analysis import tunnels
from ttr_analysis.analysis.tickets import blocking_map, value_table
from ttr_analysis.analysis.waiting import Z_95
from ttr_analysis.cards import COLORS, GRAY
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap, Route
from ttr_analysis.policies import Planner
from ttr_analysis.studies.choices import route_worth
from ttr_analysis.studies.intervals import mean_interval
from ttr_analysis.studies.questions import seat_advantage, ticket_fates, ticket_results
from ttr_analysis.studies.questions.results import BONUSES
from ttr_analysis.studies.questions.tally import check_map, n_players
from ttr_analysis.studies.simulation import SimulationResult, simulate
from ttr_analysis.studies.wording import (
    FEWEST,
    Unit,
    in_words,
    interval_text,
    moment,
    number_text,
    pays_from,
    row_at,
    worth_in_words,
)

Drawing: TypeAlias = Literal["rows", "board"]
"""How the table of a finding is drawn: a row with its interval for each entry, or routes on the board."""

_SHOWN: Final = 5
"""Rows of a long table that a picture shows."""
_HURRY: Final = 0.25
"""Trains at stake from which a route is one to hurry for."""
_STEP: Final = 3
"""Between numbers of own cards from which a route is played out."""
_POSITIONS: Final = 400
"""Games in which they are looked for: more change no sentence."""


@dataclass(frozen=True)
class Finding:
    """
    Something that holds on a map, as data.

    Parameters
    ----------
    id
        What it is about, the same on every map: "long-route", say.
    title
        In three or four words.
    sentence
        What a player would tell friends, with the figure and its interval.
    figure, low, high
        The figure with its 95% interval; all three are the same if it is exact.
    unit
        What the figure counts.
    table
        What the picture shows: `figure`, `low` and `high` by name, or by the
        id of a route, and `is_told`, which marks what the sentence is about.
    picture
        How that is drawn.
    reference
        Where a line belongs in the picture: what chance alone gives, or no
        difference; None for nowhere.
    """

    id: str
    title: str
    sentence: str
    figure: float
    low: float
    high: float
    unit: Unit
    table: pd.DataFrame = field(repr=False, compare=False)
    picture: Drawing = "rows"
    reference: float | None = None

    @property
    def is_exact(self) -> bool:
        """Whether nothing about it is uncertain."""
        return self.low == self.figure == self.high

    @property
    def amount(self) -> str:
        """The figure alone, as people read it."""
        return in_words(self.figure, self.unit)


@dataclass(frozen=True)
class Findings(Sequence[Finding]):
    """
    The findings on a map, in the order in which to tell them.

    Parameters
    ----------
    game_map
        The map.
    items
        The findings.
    """

    game_map: GameMap
    items: tuple[Finding, ...]

    def __getitem__(self, which: int | str) -> Finding:  # type: ignore[override] # slices are of no use here
        """Return a finding by its place or its id."""
        if isinstance(which, str):
            found = {item.id: item for item in self.items}
            if which not in found:
                raise KeyError(f"there is no finding {which!r}; there are {', '.join(found)}")
            return found[which]
        return self.items[which]

    def __iter__(self) -> Iterator[Finding]:
        """Yield the findings."""
        return iter(self.items)

    def __len__(self) -> int:
        """Return their number."""
        return len(self.items)

    def __repr__(self) -> str:
        """Return the sentences, one a line."""
        return "\n".join(f"{item.title}: {item.sentence}" for item in self.items)

    def _repr_html_(self) -> str:
        return render_html(self)


@dataclass(frozen=True)
class Evidence:
    """
    What findings are drawn from.

    Parameters
    ----------
    game_map
        The map.
    values, losses
        From `ttr.tickets.value_table` and `ttr.tickets.blocking_map`.
    games
        Games between equal players; None if there are none.
    worth
        From `route_worth`, by the id of the route.
    """

    game_map: GameMap
    values: pd.DataFrame
    losses: pd.DataFrame
    games: SimulationResult | None = None
    worth: Mapping[str, pd.DataFrame] = field(default_factory=dict)


def findings(
    game_map: MapLike,
    games: SimulationResult | None = None,
    *,
    n_games: int = 1_000,
    n_deals: int = 1_000,
    seed: int = 7,
    progress: bool = True,
) -> Findings:
    """
    Return what a player would tell friends about a map, with figures and how sure they are.

    Parameters
    ----------
    game_map
        The map, as the variant that is played, or its name.
    games
        Games between equal players on it. None: between planners, three if the
        map is for so many.
    n_games
        How many to play if none are given.
    n_deals
        Random opening deals in which tickets are weighed.
    seed
        Of all chance.
    progress
        Whether to show progress bars.

    Returns
    -------
    findings
        In a notebook they show themselves with their pictures.

    Raises
    ------
    ValueError
        If the games are of another map, or a number is out of range.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> found = findings(ttr.load_map("usa"), n_games=60, n_deals=20, progress=False)
    >>> [item.id for item in found]  # in so few games no ticket is kept often enough to be judged
    ['hurry', 'seat', 'winners', 'fates']
    >>> found["hurry"].unit
    'trains'
    """
    game_map = as_map(game_map)
    low, high = game_map.rules.players
    if games is None:
        games = simulate(game_map, [Planner()] * max(low, min(3, high)), n_games, seed, progress=progress)
    check_map(games, game_map)
    return find(
        Evidence(
            game_map=game_map,
            values=value_table(game_map, n_deals=n_deals, seed=seed, progress=progress),
            losses=blocking_map(game_map, n_deals=max(2, n_deals // 5), seed=seed, progress=progress),
            games=games,
            worth=worth_of_long_routes(game_map, n_players(games), n_games, seed, progress=progress),
        )
    )


def long_routes(game_map: GameMap) -> tuple[Route, ...]:
    """
    Return the routes on which sets of any cards stand in for single ones, ferries aside; the dearest first.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> [route.id for route in long_routes(ttr.load_map("nordic"))]
    ['Lieksa-Murmansk/0']
    """
    routes = [route for route in game_map.routes if route.swap_size and not route.locomotives]
    return tuple(sorted(routes, key=lambda route: (-route.points, route.id)))


def worth_of_long_routes(
    game_map: GameMap, players: int, n_games: int, seed: int, *, progress: bool = True
) -> dict[str, pd.DataFrame]:
    """Return what each long route is worth, played out from some numbers of own cards, by its id."""
    return {
        route.id: route_worth(
            game_map,
            route,
            own=range(0, route.length, _STEP),
            n_games=min(n_games, _POSITIONS),
            n_players=players,
            seed=seed,
            progress=progress,
        )
        for route in long_routes(game_map)
    }


def find(evidence: Evidence) -> Findings:
    """
    Return the findings that evidence allows.

    Parameters
    ----------
    evidence
        What is known; without games, what only games tell is left out.
    """
    found = (about(evidence) for about in _ABOUT)
    return Findings(evidence.game_map, tuple(item for item in found if item is not None))


# -- tables of findings ----------------------------------------------------------------------------------------------


def _of_row(
    about: str,
    title: str,
    sentence: str,
    table: pd.DataFrame,
    told: object,
    *,
    unit: Unit,
    picture: Drawing = "rows",
    reference: float | None = None,
) -> Finding:
    """Return a finding whose figure and interval are those of a row of its table."""
    figure, low, high = table[["figure", "low", "high"]].loc[[told]].iloc[0].tolist()
    return Finding(about, title, sentence, figure, low, high, unit, _rows(table, [told]), picture, reference)


def _rows(table: pd.DataFrame, told: Sequence[object]) -> pd.DataFrame:
    """Return the rows of a picture, marked where the sentence speaks of them."""
    return table[["figure", "low", "high"]].assign(is_told=table.index.isin(list(told)))


# -- each finding --------------------------------------------------------------------------------------------------


def _paid_tickets(evidence: Evidence) -> pd.DataFrame:
    """Return what tickets brought for each of their trains when kept, the best first."""
    if evidence.games is None:
        return pd.DataFrame()
    found = ticket_results(evidence.games, evidence.values, evidence.game_map)
    found = found[(found["kept"] >= FEWEST) & (found["net_low"] < found["net_high"])]
    for name, column in (("figure", "net_points"), ("low", "net_low"), ("high", "net_high")):
        found[name] = found[column] / found["trains"]
    return found.sort_values("figure", ascending=False, kind="stable")


def _best_ticket(evidence: Evidence) -> Finding | None:
    paid = _paid_tickets(evidence)
    if len(paid) < 2:  # noqa: PLR2004 - a best and a worst
        return None
    best, next_one = row_at(paid, 0), row_at(paid, 1)
    sentence = (
        f"{best['name']} pays best: {in_words(best['figure'], 'points a train')} that it takes at least, failures "
        f"counted ({interval_text(best['low'], best['high'], 'points a train')}), or "
        f"{in_words(best['net_points'], 'points')} on average when kept."
    )
    if next_one["figure"] > best["low"]:
        sentence += f" {next_one['name']} is not clearly behind."
    return _of_row(
        "best-ticket",
        "The ticket that pays best",
        sentence,
        paid.head(_SHOWN),
        best["name"],
        unit="points a train",
    )


def _trap(evidence: Evidence) -> Finding | None:
    paid = _paid_tickets(evidence)
    if len(paid) < 2:  # noqa: PLR2004 - a best and a worst
        return None
    worst = row_at(paid, -1)
    ticket = evidence.game_map.ticket(str(worst["name"]))
    points = f"of its {ticket.points} points it brings" if len(ticket.destinations) == 1 else "it brings"
    sentence = (
        f"{worst['name']} {'is the trap' if worst['high'] < 0 else 'pays worst'}: {points} "
        f"{in_words(worst['net_points'], 'points')} on average, as it is completed in "
        f"{in_words(worst['completion_rate'], 'share')} of the cases when kept: "
        f"{in_words(worst['figure'], 'points a train')} "
        f"({interval_text(worst['low'], worst['high'], 'points a train')})."
    )
    return _of_row(
        "trap",
        "The ticket to leave",
        sentence,
        paid.tail(_SHOWN),
        worst["name"],
        unit="points a train",
    )


def _hurry(evidence: Evidence) -> Finding | None:
    """Return the route with most at stake: what its loss costs a deal, by how often somebody takes it."""
    game_map = evidence.game_map
    losses = evidence.losses.dropna(subset=["deal_mean"])
    # Where a claim closes the other track of a double route, both are lost.
    players = game_map.rules.players[0] if evidence.games is None else n_players(evidence.games)
    lost = "track" if game_map.rules.both_tracks_open(players) else "both"
    is_double = losses["route"].map(lambda route: game_map.twin(game_map.route(route)) is not None)
    losses = losses[(losses["lost"] == lost) | ~is_double].set_index("route")
    taken = _taken_routes(evidence, losses.index, both=lost == "both")
    table = losses.join(taken)
    table["figure"] = table["deal_mean"] * table["rate"]
    half = Z_95 * np.hypot(table["deal_se"] * table["rate"], table["deal_mean"] * table["rate_se"])
    table["low"], table["high"] = (table["figure"] - half).clip(lower=0), table["figure"] + half
    table = table.dropna(subset=["figure", "low"]).sort_values("figure", ascending=False, kind="stable")
    if table.empty or table["figure"].iloc[0] <= 0:
        return None
    worst = row_at(table, 0)
    route = game_map.route(str(worst["name"]))
    needs = f"{in_words(worst['deal_mean'], 'trains')} more for the tickets of an opening deal"
    if evidence.games is None:
        sentence = (
            f"Hurry for {'-'.join(route.cities)}: who loses it with {players} players needs {needs} on average "
            f"({interval_text(worst['low'], worst['high'], 'trains')}), {worst['deal_worst']:.0f} at worst."
        )
    else:
        start = "Hurry for" if worst["figure"] >= _HURRY else "No need to hurry, not even for"
        sentence = (
            f"{start} {'-'.join(route.cities)}, where most is at stake: with {players} players it is taken in "
            f"{in_words(worst['rate'], 'share')} of the games, in turn {worst['turn']:.0f} on average, and who loses "
            f"it needs {needs}. That makes {in_words(worst['figure'], 'trains')} a game "
            f"({interval_text(worst['low'], worst['high'], 'trains')})."
        )
    return _of_row(
        "hurry",
        "The route to hurry for",
        sentence,
        table,
        route.id,
        unit="trains",
        picture="board",
    )


def _taken_routes(evidence: Evidence, routes: pd.Index[Any], *, both: bool) -> pd.DataFrame:
    """
    Return in which share of the games routes are taken (`rate`, `rate_se`) and when (`turn`); always without games.

    With `both`, the claim of either track of a double route counts for the first.
    """
    if evidence.games is None:
        return pd.DataFrame({"rate": 1.0, "rate_se": 0.0, "turn": float("nan")}, index=routes)
    claims = evidence.games.routes[["game", "route", "turn"]].astype({"route": object})
    if both:
        tracks = {route.id: evidence.game_map.routes_between(*route.cities)[0].id for route in evidence.game_map.routes}
        claims["route"] = claims["route"].map(tracks)
    turns = claims.groupby(["route", "game"])["turn"].min().groupby(level="route").agg(["size", "mean"])
    n_games = evidence.games.n_games
    rate = (turns["size"] / n_games).reindex(routes).fillna(0.0)
    error = (rate * (1 - rate) / n_games) ** 0.5
    return pd.DataFrame({"rate": rate, "rate_se": error, "turn": turns["mean"].reindex(routes)})


def _long_route(evidence: Evidence) -> Finding | None:
    for route in long_routes(evidence.game_map):
        worth = evidence.worth.get(route.id)
        known = None if worth is None else worth[worth["positions"] >= FEWEST]
        if worth is None or known is None or known.empty:
            continue
        start = pays_from(worth)
        at = -1 if start is None else known.index.tolist().index(start)
        table = pd.DataFrame({"figure": known["gain"], "low": known["gain_low"], "high": known["gain_high"]})
        table.index = pd.Index([moment(row_at(known, i)) for i in range(len(known))])
        return _of_row(
            "long-route",
            f"Is {'-'.join(route.cities)} worth it?",
            worth_in_words(route, worth),
            table,
            table.index[at],
            unit="points",
            reference=0.0,
        )
    return None


def _seat(evidence: Evidence) -> Finding | None:
    if evidence.games is None:
        return None
    seats = seat_advantage(evidence.games)
    fair = 1 / len(seats)
    begins = row_at(seats, 0)
    is_clear = not begins["win_low"] <= fair <= begins["win_high"]
    seat = 0 if is_clear else int((seats["win_rate"] - fair).abs().to_numpy().argmax())
    table = seats.rename(columns={"win_rate": "figure", "win_low": "low", "win_high": "high"})
    table.index = pd.Index([f"Seat {n}{', who begins' if n == 0 else ''}" for n in range(len(seats))])
    row = row_at(table, seat)
    told, interval = number_text(row["figure"], "share"), interval_text(row["low"], row["high"], "share")
    games = f"{row['games']:,.0f} games between {len(seats)} equal players"
    if row["low"] <= fair <= row["high"]:
        sentence = (
            f"Where you sit does not matter as far as {games} can tell: no seat is clearly off "
            f"{in_words(fair, 'share')}; farthest is seat {seat} with {told} ({interval})."
        )
    else:
        who = "Who begins" if seat == 0 else f"Seat {seat}"
        more = "more" if row["figure"] > fair else "fewer"
        sentence = (
            f"{who} wins {told} of {games} ({interval}), {more} than an equal share of {in_words(fair, 'share')}."
        )
    return _of_row(
        "seat",
        "What a seat is worth",
        sentence,
        table,
        row["name"],
        unit="share",
        reference=fair,
    )


def _winners(evidence: Evidence) -> Finding | None:
    """Return by which points winners lead: over the games, which alone are independent."""
    if evidence.games is None:
        return None
    seats = evidence.games.seats
    parts = {
        "Routes": seats["route_points"],
        "Tickets": seats["ticket_gain"] + seats["ticket_loss"],
        "Bonuses": seats[list(BONUSES)].sum(axis=1),
        "Stations": seats["station_points"],
        "Loans": seats["loan_points"],
        "Starting scores": seats["start"],
    }
    won = seats["won"] > 0
    leads = {}
    for name, points in parts.items():
        lead = points[won].groupby(seats["game"]).mean() - points[~won].groupby(seats["game"]).mean()
        lead = lead.dropna()
        leads[name] = mean_interval(lead.sum(), (lead**2).sum(), len(lead))
    table = pd.DataFrame(leads, index=["figure", "low", "high"]).T
    table = table[(table["figure"] != 0) | (table["high"] > table["low"])]
    if len(table) < 2 or not table.notna().to_numpy().all():  # noqa: PLR2004 - something to compare
        return None
    table = table.sort_values("figure", ascending=False, kind="stable")
    whole, first, second = float(table["figure"].sum()), row_at(table, 0), row_at(table, 1)
    sentence = (
        f"{table.index[0]} win games: winners lead by {in_words(whole, 'points')}, of which "
        f"{in_words(first['figure'], 'points')} ({interval_text(first['low'], first['high'], 'points')}) are from "
        f"{table.index[0].lower()} and {number_text(second['figure'], 'points')} from {table.index[1].lower()}."
    )
    if first["low"] <= second["high"]:
        sentence = sentence.replace(f"{table.index[0]} win games: winners", "Winners")
    return _of_row(
        "winners",
        "Where winners gain",
        sentence,
        table,
        table.index[0],
        unit="points",
        reference=0.0,
    )


def _fates(evidence: Evidence) -> Finding | None:
    fates = pd.DataFrame() if evidence.games is None else ticket_fates(evidence.games)
    if fates.empty:
        return None
    policies = fates.index.get_level_values("policy")
    rows = fates.droplevel("policy")[policies == policies[0]]  # of equal players
    lost = rows[(rows.index != "completed") & (rows["rate"] > 0)]
    if lost.empty:
        return None
    lost = lost.rename(columns={"rate": "figure"}).sort_values("figure", ascending=False)
    lost.index = pd.Index([_CAUSES[str(fate)] for fate in lost.index])
    first, rates = row_at(lost, 0), rows["rate"].to_dict()
    failed = 1 - rates["completed"]
    share = "most of them" if first["low"] > failed / 2 else "above all"
    sentence = (
        f"Of the tickets kept {in_words(failed, 'share')} fail, {share} {lost.index[0]}: "
        f"{in_words(first['figure'], 'share')} ({interval_text(first['low'], first['high'], 'share')})"
    )
    blocked = _CAUSES["blocked"]
    if blocked in lost.index[1:]:
        sentence += f"; {blocked} {in_words(rates['blocked'], 'share')}"
    return _of_row(
        "fates",
        "Why tickets fail",
        f"{sentence}.",
        lost,
        lost.index[0],
        unit="share",
    )


_CAUSES: Final = {
    "blocked": "by the claim of another",
    "out of trains": "for want of trains",
    "out of time": "for want of time",
    "hopeless": "as they were lost when kept",
}


def _tunnel(evidence: Evidence) -> Finding | None:
    """Return the odds of the commonest tunnel by spare cards: exact."""
    game_map = evidence.game_map
    rules = game_map.rules
    routes = [route for route in game_map.routes if route.tunnel]
    revealed = rules.tunnel.revealed
    if not routes or not revealed:
        return None
    length = max({route.length for route in routes}, key=lambda n: sum(route.length == n for route in routes))
    route = next(route for route in routes if route.length == length)
    color = COLORS[0] if route.color == GRAY else route.color
    if length + revealed > rules.deck[color] or rules.deck.n_cards - length - revealed < revealed:
        return None
    odds = tunnels.spare_cards(route, plays=color, revealed=revealed, deck=rules.deck)["probability"]
    table = pd.DataFrame(dict.fromkeys(("figure", "low", "high"), odds))
    table.index = pd.Index([counted(n or "no", "spare card") for n in odds.index])
    one, none = float(odds.iloc[1]), float(odds.iloc[0])
    sentence = (
        f"One spare card makes a tunnel: of length {length}, the commonest, it succeeds in {in_words(one, 'share')} of "
        f"the tries with one spare card, in {in_words(none, 'share')} without (exact, from a fresh deck)."
    )
    rows = _rows(table, [table.index[1]])
    return Finding("tunnel", "What a tunnel asks", sentence, figure=one, low=one, high=one, unit="share", table=rows)


_ABOUT: Final[tuple[Callable[[Evidence], Finding | None], ...]] = (
    _best_ticket,
    _trap,
    _hurry,
    _long_route,
    _seat,
    _winners,
    _fates,
    _tunnel,
)
