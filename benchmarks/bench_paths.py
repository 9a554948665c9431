"""Speed of paths, longest trails and the structure of a map; naive search is the baseline."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import ttr_analysis as ttr
from benchmarks._timing import milliseconds
from tests.oracles.trails import Edge, grow_network
from ttr_analysis._compile import Flags, Ints, compiled
from ttr_analysis.analysis import paths, structure
from ttr_analysis.maps.loading import data_folder
from ttr_analysis.maps.model import GameMap
from ttr_analysis.rules.trails import MAX_STEPS, longest_trail, walked_trail
from ttr_analysis.tables import map_tables

N_NETWORKS = 1000
N_NAIVE = 100
TRAINS = 45


@compiled
def all_trails(city_a: Ints, city_b: Ints, length: Ints, n_cities: int, networks: Ints, trail: Flags) -> int:
    """Return the sum of the longest trails of many networks, the work that an engine does for them."""
    total = 0
    for i in range(networks.shape[0]):
        total += walked_trail(city_a, city_b, length, networks[i], 1, n_cities, MAX_STEPS, trail)
    return total


def walk_on(edges: Sequence[Edge]) -> int:
    """Return the longest trail by trying every walk from every city, as well as plain Python can."""
    at: dict[int, list[tuple[int, int, int]]] = {}
    for e, (a, b, length) in enumerate(edges):
        at.setdefault(a, []).append((1 << e, b, length))
        at.setdefault(b, []).append((1 << e, a, length))

    def walk(city: int, used: int) -> int:
        best = 0
        for bit, other, length in at[city]:
            if not used & bit:
                best = max(best, length + walk(other, used | bit))
        return best

    return max(walk(city, 0) for city in at)


def bench_trails(game_map: GameMap) -> str:
    """Return the time of the longest trail on random connected networks of 45 trains, and on the whole map."""
    tables = map_tables(game_map)
    rng = np.random.default_rng(1)
    networks = np.array([grow_network(game_map, TRAINS, rng) for _ in range(N_NETWORKS)])
    trail = np.zeros(tables.length.size, dtype=np.int8)
    edges = [(int(a), int(b), int(n)) for (a, b), n in zip(tables.ends, tables.length, strict=True)]
    city_a, city_b = np.ascontiguousarray(tables.ends.T)
    few = [[edge for edge, on in zip(edges, chosen, strict=True) if on] for chosen in networks[:N_NAIVE]]

    def trails_of(some: Flags) -> int:
        return all_trails(city_a, city_b, tables.length, len(game_map.cities), some.astype(np.int64), trail)

    fast = milliseconds(lambda: trails_of(networks), N_NETWORKS)
    naive = milliseconds(lambda: [walk_on(network) for network in few], N_NAIVE)
    whole = milliseconds(lambda: longest_trail(tables.ends, tables.length, np.ones_like(trail), trail))
    same = trails_of(networks[:N_NAIVE]) == sum(map(walk_on, few))
    slowest = max(
        milliseconds(lambda chosen=chosen: longest_trail(tables.ends, tables.length, chosen, trail))  # type: ignore[misc]
        for chosen in networks
    )
    return (
        f"longest trail, {N_NETWORKS:,} networks of {TRAINS} trains: {fast:.4f} ms mean, {slowest:.3f} max; "
        f"naive search {naive:.2f} ms ({naive / fast:.0f} times as long, {'equal' if same else 'DIFFERENT'}); "
        f"whole map {whole:.3f} ms"
    )


def bench_paths(game_map: GameMap) -> str:
    """Return the time of a shortest path and of all of them."""
    a, b = game_map.cities[0].name, game_map.cities[-1].name
    one = milliseconds(lambda: paths.shortest_path(game_map, a, b))
    cards = milliseconds(lambda: paths.shortest_path(game_map, a, b, "cards"))
    matrix = milliseconds(lambda: paths.distance_matrix(game_map))
    return f"shortest path {one:.2f} ms, by cards {cards:.2f} ms; distance matrix {matrix:.1f} ms"


def bench_structure(game_map: GameMap) -> str:
    """Return the time of the tables."""
    cities = milliseconds(lambda: structure.city_table(game_map))
    routes = milliseconds(lambda: structure.route_table(game_map))
    summary = milliseconds(lambda: structure.summary(game_map))
    return f"structure: cities {cities:.0f} ms, routes {routes:.0f} ms, summary {summary:.0f} ms"


def main() -> None:
    """Print the times for every map of the package."""
    for folder in sorted(data_folder().iterdir()):
        if (folder / "rules.toml").is_file():
            game_map = ttr.load_map(folder.name)
            for bench in (bench_trails, bench_paths, bench_structure):
                print(f"{folder.name}: {bench(game_map)}", flush=True)


if __name__ == "__main__":
    main()
