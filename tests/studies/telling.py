"""
What the record of a game tells: the facts of a simulation's tables, by other means.

States, scores and moves are read as a person would, ways are found by
NetworkX. Nothing here knows how the tables are made.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any, NoReturn

import networkx as nx
import pytest

import ttr_analysis as ttr
from ttr_analysis.engine.actions import ClaimRoute, DeclineTunnel, KeepTickets, PayTunnel
from ttr_analysis.engine.events import Move
from ttr_analysis.engine.protocol import PolicyLike
from ttr_analysis.studies import Interrupted, SimulationResult

Row = dict[str, Any]


class Interrupting(Executor):
    """Is interrupted before it plays anything."""

    def submit(self, *_: object, **__: object) -> NoReturn:
        raise KeyboardInterrupt


def no_games(game_map: ttr.GameMap, players: Sequence[PolicyLike], **options: Any) -> SimulationResult:  # noqa: ANN401
    """Return a simulation that was interrupted at once."""
    with pytest.warns(Interrupted):
        return ttr.simulate(game_map, players, 4, 7, executor=Interrupting(), progress=False, **options)


def told_routes(record: ttr.GameRecord) -> Iterator[Row]:
    """Yield the routes taken as the events of a record tell them."""
    states = record.states()
    owners: set[str] = set()
    rounds = 0
    for step, events in enumerate(record.steps):
        move, state = events[0], states[step]
        turn = states[step - 1].n_turns // record.header.n_players + 1 if step else 0
        if isinstance(move, Move) and isinstance(move.action, ClaimRoute):
            laid, rounds = move.action, turn
        for route in list(state.owners)[len(owners) :]:
            owner = state.owners[route]
            owners.add(route)
            if owner == "neutral":
                done = state.n_turns // record.header.n_players  # rounds: the neutral player comes between two
                yield {"seat": -1, "route": route, "turn": done, "cards": 0, "loans": 0, "surcharge": 0, "toll": 0}
                continue
            assert isinstance(move, Move)
            more = move.action.cards.n_cards if isinstance(move.action, PayTunnel) else 0
            loans = state.loans[move.seat] - states[step - 1].loans[move.seat]
            cards = laid.payment.cards.n_cards + more
            row = {"seat": move.seat, "route": route, "turn": rounds, "cards": cards, "loans": loans, "surcharge": more}
            has_tokens = record.map.rules.money.tokens > 0
            yield row | {"toll": laid.route.toll if has_tokens and not loans else 0}


def told_tickets(record: ttr.GameRecord) -> Iterator[Row]:
    """Yield the tickets offered, when the routes of a seat first joined their ends, and what counted in the end."""
    states, n = record.states(), record.header.n_players
    scored = [iter(score.tickets) for score in record.score()]
    owned = [ways(states[-1], seat, open_too=False) for seat in range(n)]
    claims = [k for k in range(1, len(states)) if len(states[k].claimed) > len(states[k - 1].claimed)]
    turns = turns_of_seats(record)
    for step, events in enumerate(record.steps):
        move = events[0]
        if not isinstance(move, Move) or not isinstance(move.action, KeepTickets):
            continue
        kept = Counter(ticket.id for ticket in move.action.tickets if ticket is not None)
        turn = 0 if step <= n else states[step - 1].n_turns // n + 1
        for ticket in states[step - 1].offers[move.seat]:
            assert ticket is not None
            is_kept = kept[ticket.id] > 0
            kept[ticket.id] -= is_kept
            row = {"seat": move.seat, "ticket": ticket.id, "offered": turn, "kept": bool(is_kept)}
            row |= {"completed_turn": None, "trains_left": states[step - 1].trains[move.seat], "trains": None}
            row |= {"points": 0, "reached": "", "destination": None}
            if is_kept:
                later = [step, *(k for k in claims if k > step)]
                first = next((k for k in later if is_joined(record, k, move.seat, ticket)), None)
                score = next(scored[move.seat])
                at_end = turns[move.seat] if score.reached else None  # stations join its ends when all is over
                row["completed_turn"] = at_end if first is None else turn_of(record, first)
                row |= {"points": score.points, "reached": score.reached}
                best_first = sorted(ticket.destinations, key=lambda pair: pair[1], reverse=True)
                for number, (place, points) in enumerate(best_first):
                    if place.name == score.reached:
                        assert points == score.points
                        row |= {"destination": number, "trains": fewest_trains(owned[move.seat], ticket, place.cities)}
            yield row


def ways(state: ttr.GameState, seat: int, *, open_too: bool) -> nx.Graph[str]:
    """Return the routes of a seat with their lengths, or those that are open too, and then its own cost nothing."""
    mine, taken, rules = {route.id for route in state.routes_of(seat)}, set(state.owners), state.game_map.rules
    graph: nx.Graph[str] = nx.Graph()
    for route in state.game_map.routes:
        twin = state.game_map.twin(route)
        is_closed = twin is not None and twin.id in taken - mine and not rules.both_tracks_open(state.n_players)
        if route.id in mine or (open_too and route.id not in taken and not is_closed):
            length = 0 if open_too and route.id in mine else route.length
            known = graph.get_edge_data(*route.cities, {"length": length})
            graph.add_edge(*route.cities, length=min(length, known["length"]))
    return graph


def fewest_trains(graph: nx.Graph[str], ticket: ttr.Ticket, ends: Iterable[str]) -> float | None:
    """Return the length of the shortest way from where a ticket begins to one of some cities."""
    starts = {city for city in ticket.origin.cities if city in graph}
    found = nx.multi_source_dijkstra_path_length(graph, starts, weight="length") if starts else {}
    return min((found[city] for city in ends if city in found), default=None)


def told_losses(record: ttr.GameRecord, tickets: list[tuple[int, ttr.Ticket]]) -> list[str | None]:
    """Return the route after whose claim a seat's trains first did not suffice for each ticket."""
    lost: list[str | None] = [None] * len(tickets)
    n_claimed = 0
    for state in record.states():
        if len(state.claimed) == n_claimed:
            continue
        n_claimed = len(state.claimed)
        graphs = {seat: ways(state, seat, open_too=True) for seat, _ in tickets}
        for i, (seat, ticket) in enumerate(tickets):
            ends = (city for place, _ in ticket.destinations for city in place.cities)
            needed = fewest_trains(graphs[seat], ticket, ends) if lost[i] is None else 0
            if needed is None or needed > state.trains[seat]:
                lost[i] = state.claimed[-1].id
    return lost


def turn_of(record: ttr.GameRecord, step: int) -> int:
    n = record.header.n_players
    return 0 if step <= n else record.states()[step - 1].n_turns // n + 1


def turns_of_seats(record: ttr.GameRecord) -> Counter[int | None]:
    """Return how many turns each seat had."""
    return Counter(a.turn for a, b in itertools.pairwise(record.states()) if b.n_turns > a.n_turns)


def is_joined(record: ttr.GameRecord, step: int, seat: int, ticket: ttr.Ticket) -> bool:
    graph = nx.Graph(route.cities for route in record.states()[step].routes_of(seat))
    ends = [city for place, _ in ticket.destinations for city in place.cities if city in graph]
    starts = [city for city in ticket.origin.cities if city in graph]
    return any(nx.has_path(graph, a, b) for a in starts for b in ends)


@dataclass(frozen=True)
class Told:
    """
    Games as their records tell them.

    Parameters
    ----------
    games, seats, tickets, routes, tunnels
        What happened, one row each, with the number of its game and deal. Rows of a seat have its policy too, what
        it won, and in `at` game and seat.
    """

    games: list[Row] = field(default_factory=list)
    seats: list[Row] = field(default_factory=list)
    tickets: list[Row] = field(default_factory=list)
    routes: list[Row] = field(default_factory=list)
    tunnels: list[Row] = field(default_factory=list)

    def add(self, record: ttr.GameRecord, deal: int, players: Sequence[int]) -> None:
        """Add the game of a record; `players` sit at its seats."""
        number = {"game": len(self.games), "deal": deal}
        self.games.append(number)
        routes, tickets = list(told_routes(record)), list(told_tickets(record))
        by_id = {ticket.id: ticket for ticket in record.map.tickets}
        lost = [row for row in tickets if row["kept"] and row["completed_turn"] is None]
        lost_to = told_losses(record, [(row["seat"], by_id[row["ticket"]]) for row in lost])
        for row, route in zip(lost, lost_to, strict=True):
            row["lost_to"] = route
        for row in tickets:
            row["fate"] = fate(row, routes) if row["kept"] else ""
        seats = list(told_seats(record, players, routes))
        for table, rows in (
            (self.seats, seats),
            (self.tickets, tickets),
            (self.routes, routes),
            (self.tunnels, told_tunnels(record)),
        ):
            for row in rows:
                seat = row["seat"]
                known = {what: seats[seat][what] for what in ("policy", "won")} if seat >= 0 else {"policy": "neutral"}
                table.append(row | number | known | {"at": (number["game"], seat)})


def fate(ticket: Row, routes: list[Row]) -> str:
    """Return what became of a ticket, from who took the route that it was lost to, and when."""
    if ticket["completed_turn"] is not None:
        return "completed"
    if ticket["lost_to"] is None:
        return "out of time"
    [claim] = [route for route in routes if route["route"] == ticket["lost_to"]]
    seat = 99 if claim["seat"] < 0 else claim["seat"]  # the neutral player comes after all others
    if (claim["turn"], seat) < (ticket["offered"], ticket["seat"]):
        return "hopeless"
    return "out of trains" if claim["seat"] == ticket["seat"] else "blocked"


def told_seats(record: ttr.GameRecord, players: Sequence[int], routes: list[Row]) -> Iterator[Row]:
    """Yield the scores with their parts, and what was paid."""
    turns = turns_of_seats(record)
    for seat, score in enumerate(record.score()):
        bonuses = {f"{bonus.measure}": bonus.points for bonus in score.bonuses}
        points = [ticket.points or 0 for ticket in score.tickets]
        yield {
            "seat": seat,
            "player": players[seat],
            "policy": record.header.policies[seat],
            "points": score.total,
            "won": (seat in record.winners) / len(record.winners),
            "routes": sum(route.points for route in score.routes),
            "ticket_gain": sum(p for p in points if p > 0),
            "ticket_loss": sum(p for p in points if p < 0),
            "bonuses": bonuses,
            "bonus": sum(bonuses.values()),
            "loans": score.n_loans,
            "loan_points": score.loan_points,
            "station_points": score.station_points,
            "tokens_left": score.tokens,
            "tickets": len(points),
            "completed": sum(ticket.reached != "" for ticket in score.tickets),
            "turns": turns[seat],
            "tolls": sum(row["toll"] for row in routes if row["seat"] == seat),
        }


def told_tunnels(record: ttr.GameRecord) -> Iterator[Row]:
    """Yield the tunnels attempted, and whether they were taken."""
    attempts: list[Row] = []
    for events in record.steps:
        if isinstance(events[0], Move):
            seat, action = events[0].seat, events[0].action
            if isinstance(action, ClaimRoute) and action.route.tunnel:
                attempts.append({"seat": seat, "route": action.route.id, "taken": True})
            elif isinstance(action, DeclineTunnel):
                attempts[-1]["taken"] = False
    yield from attempts
