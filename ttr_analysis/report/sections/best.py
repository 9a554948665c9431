"""The most points that the trains of one player can make."""

from __future__ import annotations

from typing import Any

from ttr_analysis.analysis.tickets import BestNetwork
from ttr_analysis.report.columns import drop_empty, drop_equal, make_table
from ttr_analysis.report.document import Picture, Section, count, name, several
from ttr_analysis.report.pictures import board
from ttr_analysis.report.workbench import Workbench, route_name, ticket_name
from ttr_analysis.viz.board import plot_map

_TITLE = "The best possible score"


def section(bench: Workbench) -> Section | None:
    """Return the section on the best network, unless it is left out."""
    if bench.best is None:
        return None
    best = bench.best.result()
    if not best.tickets:
        lead = f"No network was found in {best.seconds:.0f} seconds; {_limit(best)}."
        return Section("best", _TITLE, lead, ())
    lead = (
        f"Whoever could choose any tickets and were left alone would make {best.score} points with "
        f"{count(best.trains, 'train')}: {best.ticket_points} from {count(len(best.tickets), 'ticket')} and "
        f"{best.route_points} from {count(len(best.routes), 'route')}, bonuses aside. {_proof(best)}"
    )
    blocks = (
        _board(bench, best),
        make_table("best_network_tickets", "Its tickets", _tickets(best), n_shown=12),
        make_table("best_network_routes", "Its routes", _routes(best), n_shown=12),
    )
    return Section("best", _TITLE, lead, blocks)


def _proof(best: BestNetwork) -> str:
    if best.is_proven:
        return f"That is proven to be the most, of all networks {_scope(best)}."
    return f"It is the best found in {best.seconds:.0f} seconds; {_limit(best)}."


def _limit(best: BestNetwork) -> str:
    return f"it is proven that no network {_scope(best)} makes more than {count(best.bound, 'point')}"


def _scope(best: BestNetwork) -> str:
    return "whose completed tickets hang together" if best.scope == "one" else "of any shape"


def _board(bench: Workbench, best: BestNetwork) -> Picture:
    routes = several(route_name(route) for route in best.routes)
    return board(
        lambda ax: plot_map(bench.game_map, ax, highlight=best, title=""),
        bench.game_map,
        f"The board with these routes marked: {routes}.",
        f"The best network: {count(best.length, 'train')} in {count(len(best.routes), 'route')}.",
    )


def _tickets(best: BestNetwork) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for ticket, reached in zip(best.tickets, best.reached, strict=True):
        points = {place.name: n for place, n in ticket.destinations}
        rows.append(
            {
                "ticket": ticket_name(ticket),
                "points": ticket.score(reached),
                "destination": name(max(reached, key=points.__getitem__)) if len(points) > 1 else "",
            }
        )
    rows.sort(key=lambda row: -row["points"])
    return drop_empty(rows, "destination")


def _routes(best: BestNetwork) -> list[dict[str, Any]]:
    rows = [
        {
            "route": route_name(route),
            "color": route.color,
            "length": route.length,
            "kind": route.kind,
            "points": route.points,
            "toll": route.toll,
        }
        for route in sorted(best.routes, key=lambda route: (-route.length, route.id))
    ]
    return drop_equal(drop_empty(rows, "toll"), "kind")
