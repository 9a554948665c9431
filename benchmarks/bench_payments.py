"""Speed of payments, tunnel odds and draws; trying everything is the baseline."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import numpy as np

import ttr_analysis as ttr
from tests.oracles.payment import all_payments
from ttr_analysis._compile import Ints, compiled
from ttr_analysis.analysis import draws, payments, tunnels
from ttr_analysis.cards import CardCounts
from ttr_analysis.maps.model import GameMap
from ttr_analysis.rules.payment import can_pay
from ttr_analysis.tables import Tables, game_tables, spaces_at

N_HANDS = 10_000
N_GAMES = 10_000


@compiled
def count_payable(hands: Ints, tables: Tables) -> int:
    """Return how many pairs of hand and route are payable, which an engine asks every turn."""
    n = 0
    for h in range(hands.shape[0]):
        for r in range(tables.n_routes):
            n += can_pay(hands[h], tables.color[r], spaces_at(tables, r))
    return n


def milliseconds(function: Callable[[], object]) -> float:
    """Return the best of three times, in ms, after a first call that compiles."""
    function()
    times = []
    for _ in range(3):
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return 1000 * min(times)


def bench_rule(game_map: GameMap) -> str:
    """Return the time to check whether random hands of 15 pay for every route, in one compiled loop."""
    tables = game_tables(game_map, game_map.rules.players[0])
    rng = np.random.default_rng(1)
    hands = rng.multivariate_hypergeometric(game_map.rules.deck.counts, 15, size=N_HANDS)
    ns = 1e6 * milliseconds(lambda: count_payable(hands, tables)) / (N_HANDS * tables.n_routes)
    return f"can_pay {ns:.0f} ns"


def bench_payments(game_map: GameMap) -> str:
    """Return the time of all answers about the longest route."""
    route = max(game_map.routes, key=lambda r: (r.swap_size, r.length))
    color = "green" if route.color == "gray" else route.color
    others = {"purple": 6, "black": 3, "locomotive": 3}
    small = CardCounts.coerce({**others, color: 6})
    everything = milliseconds(lambda: list(payments.options(route, small, sets="all")))
    start = perf_counter()
    naive = len(all_payments(route, small.counts))
    slow = 1000 * (perf_counter() - start)
    large = CardCounts((4,) * 8 + (8,))
    n_options = payments.options(route, large, sets="all").n_options
    count = milliseconds(lambda: payments.options(route, large, sets="all").n_options)
    forms = milliseconds(lambda: payments.options(route, large))
    best = milliseconds(lambda: payments.cheapest(route, large))
    waiting = milliseconds(lambda: payments.expected_draws(route, small, rules=game_map.rules))
    cost = milliseconds(lambda: payments.opportunity_cost(game_map, route))
    return (
        f"{route}: all payments of 18 cards {everything:.2f} ms ({naive:,}; trying everything {slow:.0f}); "
        f"{n_options:,} counted in {count:.2f}, {len(payments.options(route, large))} forms {forms:.1f}, "
        f"cheapest {best:.1f}; expected draws {waiting:.1f}; opportunity cost {cost:.0f}"
    )


def bench_tunnels(game_map: GameMap) -> str:
    """Return the time of exact odds and of simulations, where the map has tunnels."""
    routes = [r for r in game_map.routes if r.tunnel][:3]
    if not routes:
        return "no tunnels"
    hand = CardCounts((3,) * 8 + (3,))
    rng = np.random.default_rng(1)
    exact = milliseconds(lambda: tunnels.claim_odds(routes[0], hand))
    payment = tunnels.claim_odds(routes[0], hand)[0].payment
    claim = milliseconds(lambda: tunnels.simulate_claim(routes[0], payment, hand, N_GAMES, rng))
    path = milliseconds(lambda: tunnels.simulate_path(routes, hand, N_GAMES, rng, rules=game_map.rules))
    return f"claim odds {exact:.2f} ms; {N_GAMES:,} simulated claims {claim:.1f} ms, paths of 3 {path:.0f} ms"


def bench_draws(game_map: GameMap) -> str:
    """Return the time until several routes can be paid, exact and simulated."""
    simple = [r for r in game_map.routes if not r.swap_size]
    colored = [r for r in simple if r.color != "gray"][:3]
    gray = [r for r in simple if r.color == "gray"][:2]
    rng = np.random.default_rng(1)
    times = [
        milliseconds(lambda routes=routes: draws.draws_for_routes(routes, rules=game_map.rules))  # type: ignore[misc]
        for routes in (colored, [*colored, *gray[:1]], [*colored, *gray])
    ]
    simulated = milliseconds(
        lambda: draws.draws_for_routes(colored, rules=game_map.rules, method="monte_carlo", n=N_GAMES, rng=rng)
    )
    exact = " / ".join(f"{t:.0f}" for t in times)
    return f"draws for three colored routes and 0 / 1 / 2 gray ones {exact} ms; {N_GAMES:,} games {simulated:.0f} ms"


def main() -> None:
    """Print the times for every map of the package."""
    for name in ("nordic", "switzerland", "nederland", "usa"):
        game_map = ttr.load_map(name)
        for bench in (bench_rule, bench_payments, bench_tunnels, bench_draws):
            print(f"{name}: {bench(game_map)}", flush=True)


if __name__ == "__main__":
    main()
