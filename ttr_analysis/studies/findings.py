"""Findings on a map that players would share, each with its figure and interval, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, isinf
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from ttr_analysis._upward import render_html
from ttr_analysis._words import counted, listed
from ttr_analysis.analysis import tunnels
from ttr_analysis.analysis.tickets import blocking_map, value_table
from ttr_analysis.analysis.waiting import Z_95
from ttr_analysis.cards import COLORS, GRAY
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import GameMap, Route
from ttr_analysis.policies import Planner
from ttr_analysis.studies.choices import route_worth
from ttr_analysis.studies.columns import bonus_points, ticket_points
from ttr_analysis.studies.intervals import FEWEST, Unit, in_words, interval_of_mean, interval_text, number_text, row_at
from ttr_analysis.studies.questions.board import ticket_fates, ticket_results
from ttr_analysis.studies.questions.results import seat_advantage
from ttr_analysis.studies.questions.tally import n_players, played_map
from ttr_analysis.studies.simulation import SimulationResult, simulate

Drawing: TypeAlias = Literal["rows", "board"]
"""How to draw a finding's table: rows with intervals, or routes on the board."""

_EMPTY: Final = (0, inf)
"""The state of `route_worth` at the start of every game."""
_SHOWN: Final = 5
"""Rows of a long table shown in a picture."""
_HURRY: Final = 0.25
"""Minimum number of trains at stake for a route to be urgent."""
_STEP: Final = 3
"""Step between the numbers of cards held that are played out."""
_MAX_WORTH_GAMES: Final = 400
"""Maximum number of games in which to value a long route."""


@dataclass(frozen=True)
class Finding:
    """
    A finding on a map, as data.

    Parameters
    ----------
    id
        Its kind, the same on every map, such as "long-route".
    title
        Three to five words.
    sentence
        The finding in plain words, with its figure and interval.
    figure, low, high
        The figure with its 95% interval; all equal if it is exact.
    table
        The data of the picture: `figure`, `low` and `high` by name, or by the id
        of a route, and `is_told`, which marks the subject of the sentence.
    picture
        How to draw the data.
    reference
        Value of the reference line, at chance or no difference; None for no line.
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
        """Whether the figure is exact."""
        return self.low == self.figure == self.high

    @property
    def amount(self) -> str:
        """The figure alone, formatted."""
        return in_words(self.figure, self.unit)


@dataclass(frozen=True)
class Findings(Sequence[Finding]):
    """The findings on a map, in reading order."""

    game_map: GameMap
    items: tuple[Finding, ...]

    def __getitem__(self, which: int | str) -> Finding:  # type: ignore[override] # slices are of no use here
        """Return a finding by position or id."""
        if isinstance(which, str):
            found = {item.id: item for item in self.items}
            if which not in found:
                raise KeyError(f"there is no finding {which!r}; choose one of {', '.join(found)}")
            return found[which]
        return self.items[which]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __repr__(self) -> str:
        return "\n".join(f"{item.title}: {item.sentence}" for item in self.items)

    _repr_html_ = render_html


@dataclass(frozen=True)
class Inputs:
    """The data behind findings: tables of the map, games between equal players, and `route_worth`."""

    game_map: GameMap
    values: pd.DataFrame
    losses: pd.DataFrame
    games: SimulationResult | None = None
    worth: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    @cached_property
    def ticket_payoffs(self) -> pd.DataFrame | None:
        """Mean points of kept tickets, best first; None if fewer than half of the tickets can be judged."""
        if self.games is None:
            return None
        found = ticket_results(self.games, self.values, self.game_map)
        found = found[(found["kept"] >= FEWEST) & (found["net_low"] < found["net_high"])]
        found[["figure", "low", "high"]] = found[["net_points", "net_low", "net_high"]].to_numpy()
        is_enough = len(found) > 1 and 2 * len(found) >= len(self.game_map.tickets)
        return found.sort_values("figure", ascending=False, kind="stable") if is_enough else None


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
    Return the findings on a map that players would share, with figures and intervals.

    Parameters
    ----------
    games
        Games between equal players on it. None: between planners, three if the
        map allows.
    n_deals
        Random opening deals in which to value tickets.

    Returns
    -------
    findings
        A notebook shows them with their pictures.

    Raises
    ------
    ValueError
        If the games are on another map, or a number is out of range.

    Examples
    --------
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
    played_map(games, game_map)
    return find(
        Inputs(
            game_map=game_map,
            values=value_table(game_map, n_deals=n_deals, seed=seed, progress=progress),
            losses=blocking_map(game_map, n_deals=max(2, n_deals // 5), seed=seed, progress=progress),
            games=games,
            worth=worth_of_long_routes(game_map, n_players(games), n_games, seed, progress=progress),
        )
    )


def long_routes(game_map: GameMap) -> tuple[Route, ...]:
    """Return the routes, other than ferries, where sets of any cards replace single cards, most points first."""
    routes = [route for route in game_map.routes if route.swap_size and not route.locomotives]
    return tuple(sorted(routes, key=lambda route: (-route.points, route.id)))


def worth_of_long_routes(
    game_map: GameMap, players: int, n_games: int, seed: int, *, progress: bool = True
) -> dict[str, pd.DataFrame]:
    """Return the value of each long route, by its id, from games played out."""
    return {
        route.id: route_worth(
            game_map,
            route,
            own=range(0, route.length, _STEP),
            n_games=min(n_games, _MAX_WORTH_GAMES),
            n_players=players,
            seed=seed,
            progress=progress,
        )
        for route in long_routes(game_map)
    }


def find(inputs: Inputs) -> Findings:
    """Return the findings that the inputs allow; without games, only those that need none."""
    found = []
    for name, (about, title, unit, picture) in _KINDS.items():
        item = about(inputs)
        if item is not None:
            table = item.table[["figure", "low", "high"]]
            figure, low, high = table.loc[[item.subject]].iloc[0].tolist()
            table = table.assign(is_told=table.index.isin([item.subject]))
            heading = title.format(item.subject_name)
            found.append(Finding(name, heading, item.sentence, figure, low, high, unit, table, picture, item.reference))
    return Findings(inputs.game_map, tuple(found))


class _Content(NamedTuple):
    """The content of a finding."""

    sentence: str
    table: pd.DataFrame
    """Columns `figure`, `low` and `high`."""
    subject: object
    """The row that the sentence is about."""
    reference: float | None = None
    subject_name: str = ""
    """The name in the title."""


class _Kind(NamedTuple):
    """A kind of finding."""

    about: Callable[[Inputs], _Content | None]
    title: str
    unit: Unit
    picture: Drawing = "rows"


# -- the findings --------------------------------------------------------------------------------------------------


def _best_ticket(inputs: Inputs) -> _Content | None:
    paid = inputs.ticket_payoffs
    if paid is None:
        return None
    best, next_one = row_at(paid, 0), row_at(paid, 1)
    sentence = (
        f"{_with_players(inputs)}{best['name']} pays best: a player who keeps it scores "
        f"{in_words(best['figure'], 'points')} with it on average, failures included "
        f"({interval_text(best['low'], best['high'], 'points')}), or "
        f"{number_text(best['net_per_train'], 'points a train')} points for each train of its shortest path."
    )
    if next_one["figure"] > best["low"]:
        sentence += f" {next_one['name']} is not clearly behind."
    return _Content(sentence, paid.head(_SHOWN), best["name"])


def _trap(inputs: Inputs) -> _Content | None:
    paid = inputs.ticket_payoffs
    if paid is None:
        return None
    # A cheap ticket brings little but takes few trains, so the ticket to avoid is the one that wastes trains.
    best, paid = row_at(paid, 0)["name"], paid.copy()
    paid[["figure", "low", "high"]] = paid[["figure", "low", "high"]].div(paid["trains"], axis=0)
    paid = paid.sort_values("figure", ascending=False, kind="stable")
    worst = row_at(paid, -1)
    if worst["name"] == best:
        return None
    ticket = inputs.game_map.ticket(str(worst["name"]))
    points = number_text(worst["net_points"], "points")
    if len(ticket.destinations) == 1:
        points = f"it is worth {ticket.points} points but scores only {points}"
    else:
        points = f"it scores only {counted(points, 'point')}"
    sentence = (
        f"{_with_players(inputs)}{worst['name']} {'is the trap' if worst['high'] < 0 else 'pays worst'}: {points} "
        f"on average, because players who keep it complete it in only {in_words(worst['completion_rate'], 'share')} "
        f"of games. That is {in_words(worst['figure'], 'points a train')} "
        f"({interval_text(worst['low'], worst['high'], 'points a train')})."
    )
    return _Content(sentence, paid.tail(_SHOWN), worst["name"])


def _with_players(inputs: Inputs) -> str:
    """Return the number of players in the games, as the beginning of a sentence."""
    return "" if inputs.games is None else f"With {n_players(inputs.games)} players, "


def _hurry(inputs: Inputs) -> _Content | None:
    """Return the route with the most at stake: the cost of losing it, times how often somebody else takes it."""
    game_map = inputs.game_map
    losses = inputs.losses.dropna(subset=["deal_mean"])
    # If a claim closes the other track of a double route, both are lost.
    players = game_map.rules.players[0] if inputs.games is None else n_players(inputs.games)
    lost = "track" if game_map.rules.both_tracks_open(players) else "both"
    is_double = losses["route"].map(lambda route: game_map.twin(game_map.route(route)) is not None)
    losses = losses[(losses["lost"] == lost) | ~is_double].set_index("route")
    taken = _taken_routes(inputs, losses.index, both=lost == "both")
    table = losses.join(taken)
    table["figure"] = table["deal_mean"] * table["rate"]
    half = Z_95 * np.hypot(table["deal_se"] * table["rate"], table["deal_mean"] * table["rate_se"])
    table["low"], table["high"] = (table["figure"] - half).clip(lower=0), table["figure"] + half
    table = table.dropna(subset=["figure", "low"]).sort_values("figure", ascending=False, kind="stable")
    if table.empty or table["figure"].iloc[0] <= 0:
        return None
    worst = row_at(table, 0)
    route = game_map.route(str(worst["name"]))
    costs = f"losing it adds {in_words(worst['deal_mean'], 'trains')} to the tickets of an opening deal"
    if inputs.games is None:
        sentence = (
            f"Claim {'-'.join(route.cities)} soon: with {players} players, {costs} on average "
            f"({interval_text(worst['low'], worst['high'], 'trains')}), and {worst['deal_worst']:.0f} at worst."
        )
    else:
        cities = "-".join(route.cities)
        start = f"Claim {cities} soon" if worst["figure"] >= _HURRY else f"No route is urgent, not even {cities}"
        sentence = (
            f"{start}: it is the route with the most at stake. With {players} players, somebody else takes it in "
            f"{in_words(worst['rate'], 'share')} of games, on turn {worst['turn']:.0f} on average, and {costs}. "
            f"That costs an average of {in_words(worst['figure'], 'trains')} a game "
            f"({interval_text(worst['low'], worst['high'], 'trains')})."
        )
    return _Content(sentence, table, route.id)


def _taken_routes(inputs: Inputs, routes: pd.Index[Any], *, both: bool) -> pd.DataFrame:
    """
    Return how often a player loses each route to somebody else (`rate`, `rate_se`), averaged over seats, and when.

    With `both`, either track counts.
    """
    if inputs.games is None:
        return pd.DataFrame({"rate": 1.0, "rate_se": 0.0, "turn": float("nan")}, index=routes)
    claims = inputs.games.routes[["game", "seat", "route", "turn"]].astype({"route": object})
    if both:
        tracks = {route.id: inputs.game_map.routes_between(*route.cities)[0].id for route in inputs.game_map.routes}
        claims["route"] = claims["route"].map(tracks)
    first = claims.sort_values("turn", kind="stable").drop_duplicates(["route", "game"])
    # Of n seats, the n - 1 others lose a route that one claims, and all lose one that the neutral player takes.
    losers = np.where(first["seat"] < 0, 1.0, 1 - 1 / n_players(inputs.games))
    sums = first.assign(losers=losers, squares=losers**2, turns=losers * first["turn"])
    sums = sums.groupby("route")[["losers", "squares", "turns"]].sum().reindex(routes)
    n_games = inputs.games.n_games
    rate, mean_square = (sums[column].fillna(0.0) / n_games for column in ("losers", "squares"))
    error = ((mean_square - rate**2).clip(lower=0) / n_games) ** 0.5
    return pd.DataFrame({"rate": rate, "rate_se": error, "turn": sums["turns"] / sums["losers"]})


def _long_route(inputs: Inputs) -> _Content | None:
    for route in long_routes(inputs.game_map):
        worth = inputs.worth.get(route.id)
        if worth is None or (worth["positions"] < FEWEST).all():
            continue
        known = worth[worth["positions"] >= FEWEST]
        start = pays_from(worth)
        at = -1 if start is None else known.index.tolist().index(start)
        table = pd.DataFrame({"figure": known["gain"], "low": known["gain_low"], "high": known["gain_high"]})
        table.index = pd.Index([moment(row_at(known, i)) for i in range(len(known))])
        return _Content(worth_in_words(route, worth), table, table.index[at], 0.0, "-".join(route.cities))
    return None


def _seat(inputs: Inputs) -> _Content | None:
    if inputs.games is None:
        return None
    seats = seat_advantage(inputs.games)
    fair = 1 / len(seats)
    begins = row_at(seats, 0)
    is_clear = not begins["win_low"] <= fair <= begins["win_high"]
    seat = 0 if is_clear else int((seats["win_rate"] - fair).abs().to_numpy().argmax())
    table = seats.rename(columns={"win_rate": "figure", "win_low": "low", "win_high": "high"})
    table.index = pd.Index([f"Seat {n}{', the first' if n == 0 else ''}" for n in range(len(seats))])
    row = row_at(table, seat)
    share, interval = number_text(row["figure"], "share"), interval_text(row["low"], row["high"], "share")
    games = f"{row['games']:,.0f} games between {len(seats)} identical players"
    if row["low"] <= fair <= row["high"]:
        sentence = (
            f"Where you sit makes no clear difference in {games}: no seat wins clearly more or less than "
            f"{in_words(fair, 'share')}; seat {seat} is the farthest from it, with {share} ({interval})."
        )
    else:
        who = "The first player" if seat == 0 else f"Seat {seat}"
        more = "more" if row["figure"] > fair else "less"
        sentence = (
            f"{who} wins {share} of {games} ({interval}), {more} than an equal share of {in_words(fair, 'share')}."
        )
    return _Content(sentence, table, row["name"], fair)


def _winners(inputs: Inputs) -> _Content | None:
    """Return the kinds of points by which winners lead; only games are independent."""
    if inputs.games is None:
        return None
    seats = inputs.games.seats
    parts = {
        "Routes": seats["route_points"],
        "Tickets": ticket_points(seats),
        "Bonuses": bonus_points(seats),
        "Stations": seats["station_points"],
        "Loans": seats["loan_points"],
        "Starting scores": seats["start"],
    }
    won = seats["won"] > 0
    leads = {}
    for name, points in parts.items():
        lead = points[won].groupby(seats["game"]).mean() - points[~won].groupby(seats["game"]).mean()
        leads[name] = interval_of_mean(lead.dropna())
    table = pd.DataFrame(leads, index=["figure", "low", "high"]).T
    table = table[(table["figure"] != 0) | (table["high"] > table["low"])]
    if len(table) < 2 or not table.notna().to_numpy().all():  # noqa: PLR2004 - something to compare
        return None
    table = table.sort_values("figure", ascending=False, kind="stable")
    whole, first, second = float(table["figure"].sum()), row_at(table, 0), row_at(table, 1)
    with_players = f" with {n_players(inputs.games)} players"
    sentence = (
        f"{table.index[0]} win games{with_players}: winners lead by {in_words(whole, 'points')}, of which "
        f"{in_words(first['figure'], 'points')} ({interval_text(first['low'], first['high'], 'points')}) come from "
        f"{table.index[0].lower()} and {number_text(second['figure'], 'points')} from {table.index[1].lower()}."
    )
    if first["low"] <= second["high"]:
        sentence = sentence.replace(f"{table.index[0]} win games{with_players}: winners", "Winners")
    return _Content(sentence, table, table.index[0], 0.0)


def _fates(inputs: Inputs) -> _Content | None:
    fates = pd.DataFrame() if inputs.games is None else ticket_fates(inputs.games)
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
    share = "mostly" if first["low"] > failed / 2 else "most often"
    sentence = (
        f"{_with_players(inputs)}{in_words(failed, 'share')} of the tickets kept fail, {share} {lost.index[0]}: "
        f"{in_words(first['figure'], 'share')} ({interval_text(first['low'], first['high'], 'share')})"
    )
    blocked = _CAUSES["blocked"]
    if blocked in lost.index[1:]:
        sentence += f"; {in_words(rates['blocked'], 'share')} fail {blocked}"
    return _Content(f"{sentence}.", lost, lost.index[0])


_CAUSES: Final = {
    "blocked": "because of another player's claim",
    "out of trains": "for lack of trains",
    "out of time": "for lack of time",
    "hopeless": "because they were already lost when kept",
}


def _tunnel(inputs: Inputs) -> _Content | None:
    """Return the exact odds of the most common tunnel by number of spare cards."""
    game_map = inputs.game_map
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
        f"One spare card makes a tunnel much safer: at length {length}, the most common length, a claim succeeds "
        f"in {in_words(one, 'share')} of cases with a spare card, and in {in_words(none, 'share')} without (exact, "
        "from a fresh deck)."
    )
    return _Content(sentence, table, table.index[1])


_KINDS: Final = {
    "best-ticket": _Kind(_best_ticket, "The ticket that pays best", "points"),
    "trap": _Kind(_trap, "The ticket to avoid", "points a train"),
    "hurry": _Kind(_hurry, "The route to claim first", "trains", "board"),
    "long-route": _Kind(_long_route, "Is {} worth it?", "points"),
    "seat": _Kind(_seat, "What a seat is worth", "share"),
    "winners": _Kind(_winners, "Where winners pull ahead", "points"),
    "fates": _Kind(_fates, "Why tickets fail", "share"),
    "tunnel": _Kind(_tunnel, "What a tunnel takes", "share"),
}
"""The kinds of findings by their ids, in the order of presentation."""


# -- whether a route is worth it, in words -------------------------------------------------------------------------


def pays_from(worth: pd.DataFrame) -> tuple[int, float] | None:
    """
    Return the moment from which going for a route pays: with as many cards or more, the gain is clearly above 0.

    Parameters
    ----------
    worth
        From `route_worth`.

    Returns
    -------
    moment
        Cards of one color and the limit on turns left, as in the index; if several limits
        pay, the largest. None if no number of cards that came up often clearly pays.
    """
    known = worth[worth["positions"] >= FEWEST]
    bounds = known.index.get_level_values("turns_left")
    for bound in sorted(set(bounds), reverse=True):
        own = None
        rows = known[bounds == bound].sort_index(ascending=False)
        for cards, low in zip(rows.index.get_level_values("own"), rows["gain_low"], strict=True):
            if not low > 0:
                break
            own = int(cards)
        if own is not None:
            return own, float(bound)
    return None


def worth_in_words(route: Route, worth: pd.DataFrame, own: int | None = None) -> str:
    """
    Return in words whether a route is worth it.

    Rows with fewer than 30 positions are left out; the text says so if `own` is None.

    Parameters
    ----------
    worth
        From `route_worth`.
    own
        Cards of one color in hand: only the row with that number, or the next lower one,
        with each limit of turns left. None: the moment from which it pays.
    """
    known = worth[worth["positions"] >= FEWEST]
    if own is not None:
        held = known.index.get_level_values("own")
        if (held <= own).any():
            return _at_hand(known[held == held[held <= own].max()])
    name = "-".join(route.cities)
    if own is not None or known.empty:
        return f"It is not clear whether {name} is worth it: the moment to go for it came up too rarely."
    start = pays_from(worth)
    if start is None:
        row = row_at(known, -1)
        verdict = "is not worth going for" if known["gain_high"].max() < 0 else "does not clearly pay"
        words = f"{name} {verdict}: with {moment(row)}, going for it {_gain(row)}."
    else:
        alike = known[known.index.get_level_values("turns_left") == start[1]]
        row, first = row_at(alike, alike.index.tolist().index(start)), row_at(alike, 0)
        words = f"Go for {name} with {moment(row, or_more=True)}: that {_gain(row)} compared with leaving it."
        if first["name"] != start and first["gain_high"] < 0:
            words += (
                f" {'From an empty hand' if first['name'] == _EMPTY else f'With {moment(first)}'}, it {_gain(first)}."
            )
    taken = in_words(row["free_claimed"], "share")
    words += f" A player with {moment(row)} who is free to choose takes it in {taken} of games."
    players = worth.attrs.get("n_players")
    table = f"All figures are for {players}-player games." if players else ""
    return " ".join(filter(None, (words, table, _left_out(worth))))


def _at_hand(rows: pd.DataFrame) -> str:
    first, *others = (row_at(rows, i) for i in reversed(range(len(rows))))
    words = f"Played out with {moment(first)}, going for it {_gain(first)} compared with leaving it."
    return " ".join([words, *(f"With {moment(row)}, it {_gain(row)}." for row in others)])


def moment(row: dict[str, Any], *, or_more: bool = False) -> str:
    """Describe the moment of a row of `route_worth`."""
    own, left = row["name"]
    in_time = "" if isinf(left) else f" and at most {counted(f'{left:g}', 'turn')} left"
    n_cards = f"{own} or more cards" if or_more else counted(own, "card")
    return f"{n_cards} of one color{in_time}"


def _left_out(worth: pd.DataFrame) -> str:
    """Return which rows are left out, and why; "" if none are."""
    rare = worth[worth["positions"] < FEWEST]
    rows = [row_at(rare, i) for i in range(len(rare))]
    moments = listed(f"{moment(row)} ({row['positions']:.0f})" for row in rows)
    return f"Moments that came up in fewer than {FEWEST} games are left out: {moments}." if rows else ""


def _gain(row: dict[str, Any]) -> str:
    is_gain = row["gain"] > 0
    ends = (row["gain_low"], row["gain_high"]) if is_gain else (-row["gain_high"], -row["gain_low"])
    amount = in_words(abs(row["gain"]), "points")
    return f"{'gains' if is_gain else 'costs'} {amount} ({interval_text(*ends, 'points')})"
