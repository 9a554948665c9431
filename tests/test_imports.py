"""The front of the package: light, complete, and the same for Python and for type checkers."""

import json
import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import ttr_analysis as ttr
from ttr_analysis import analysis, engine, envs, policies, studies, teaching, viz, widgets

HEAVY = {"llvmlite", "matplotlib", "networkx", "numpy", "pandas", "scipy"}
FRONTS = (ttr, analysis, analysis.payments, analysis.tickets, engine, envs, policies, studies, teaching, viz, widgets)
"""Modules that look their names up at the first use."""


def packages_loaded_by(code: str, folder: Path) -> set[str]:
    """Return the top-level packages that a fresh interpreter has loaded after running some code."""
    program = f"import json, sys\n{code}\nprint(json.dumps(sorted({{name.partition('.')[0] for name in sys.modules}})))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, cwd=folder, text=True)
    return set(json.loads(result.stdout.splitlines()[-1]))


def test_the_measurement_sees_what_is_loaded(tmp_path: Path) -> None:
    assert packages_loaded_by("import numpy", tmp_path) & HEAVY == {"numpy"}


def test_the_front_loads_nothing_heavy(tmp_path: Path) -> None:
    """The package, its names, a map, and the names of players."""
    code = """
import ttr_analysis as ttr
dir(ttr)
from ttr_analysis import load_map, GameMap, RuleSet, MapError, CardCounts
load_map("nordic")
dir(ttr.policies)
"""
    assert packages_loaded_by(code, tmp_path) & HEAVY == set()


@pytest.mark.parametrize(
    ("code", "needed"),
    [
        ("ttr.Game(m).play(['Greedy', 'Random']).scores, ttr.tickets.cheapest_network(m, m.tickets[:3])", {"llvmlite"}),
        ("m.graph", {"networkx"}),
    ],
    ids=["a game and a network", "the graph"],
)
def test_tables_and_graphs_are_loaded_where_one_is_asked_for(code: str, needed: set[str], tmp_path: Path) -> None:
    loaded = packages_loaded_by(f"import ttr_analysis as ttr; m = ttr.load_map('nordic'); {code}", tmp_path)

    assert loaded & HEAVY <= needed | {"numpy"}


def test_the_command_loads_little(tmp_path: Path) -> None:
    loaded = packages_loaded_by("from ttr_analysis.cli import main; assert main(['check', 'nordic']) == 0", tmp_path)

    assert loaded & HEAVY <= {"networkx"}  # for the distances of a map


def test_boards_and_the_odds_of_tunnels_are_shown_without_matplotlib_and_pandas(tmp_path: Path) -> None:
    code = """
import ttr_analysis as ttr
game = ttr.Game(ttr.load_map("nordic"))
record = ttr.GameRecord.from_play(game, [], 7, game.deal(seed=7)[1])
game.game_map._repr_html_(), record._repr_html_(), ttr.widgets.GameStepper(record)
odds = ttr.widgets.TunnelOdds(game.game_map)
odds.hand = {"green": 2}  # pays for nothing
odds.hand = {"green": 2, "red": 5}
"""
    assert not packages_loaded_by(code, tmp_path) & {"matplotlib", "pandas"}


@pytest.mark.parametrize(("module", "name"), [(module, name) for module in FRONTS for name in module.__all__])
def test_every_public_name_is_there(module: ModuleType, name: str) -> None:
    value = getattr(module, name)

    if isinstance(value, (type, FunctionType, ModuleType)):
        assert value.__name__.rpartition(".")[2] == name
    assert name in dir(module)


@pytest.mark.parametrize("module", FRONTS)
def test_completion_offers_no_module_of_others(module: ModuleType) -> None:
    others = [value for name, value in vars(module).items() if isinstance(value, ModuleType) and name[0] != "_"]

    assert {other.__name__.partition(".")[0] for other in others} <= {"ttr_analysis"}


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match=r"ttr_analysis.*load_mpa"):
        ttr.load_mpa  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match=r"ttr_analysis\.policies.*Gready"):
        policies.Gready  # type: ignore[attr-defined]  # noqa: B018
