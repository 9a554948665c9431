"""Wherever a map is taken, its name is taken too."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from types import ModuleType
from typing import Any

import numpy as np

import ttr_analysis as ttr
from ttr_analysis import notation, widgets

FOLDERS = ("actions", "draws", "paths", "payments", "policies", "structure", "studies", "tickets", "tunnels", "viz")
PUBLIC: tuple[ModuleType, ...] = (ttr, notation, widgets, *(getattr(ttr, name) for name in FOLDERS))

# What the package makes: a map is given on, by itself.
MADE = {"GameRecord.from_tape", "GameState.__init__", "SeatView.__init__", "Tournament.__init__"}


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the public functions and methods with their names; not the constructors of results."""
    for module in PUBLIC:
        for name in module.__all__:
            value = getattr(module, name)
            if not inspect.isclass(value):
                yield from [(name, value)] if callable(value) else []
                continue
            own = {key for base in value.__mro__ if base.__module__.startswith("ttr_analysis") for key in vars(base)}
            for method in sorted(own - {"lore"}):  # which the package calls
                if not method.startswith("_") or (method == "__init__" and not is_dataclass(value)):
                    function = getattr(value, method, None)
                    yield from [(f"{name}.{method}", function)] if callable(function) else []


def maps_taken(function: Callable[..., Any]) -> list[str]:
    """Return the annotations of parameters that are maps."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # of C
        return []
    kinds = [str(one.annotation) for one in parameters]
    return [kind for kind in kinds if "GameMap" in kind or "MapLike" in kind]


def test_every_public_function_takes_a_map_by_its_name() -> None:
    taken = {name: maps_taken(function) for name, function in functions()}
    only_maps = {name for name, kinds in taken.items() if any("GameMap" in kind for kind in kinds)}
    assert only_maps - MADE == set()
    assert sum(any("MapLike" in kind for kind in kinds) for kinds in taken.values()) > 25


def test_names_are_as_good_as_maps(nordic: ttr.GameMap) -> None:
    few: dict[str, Any] = {"n_games": 2, "progress": False}
    deal = ["Oslo-Vaasa", "Oslo-Stockholm", "Narvik-Murmansk"]
    calls: list[Callable[[Any], Any]] = [
        lambda game_map: ttr.studies.which_to_keep(game_map, deal, **few),
        lambda game_map: ttr.studies.route_worth(game_map, "Murmansk-Lieksa", own=[6], **few),
        lambda game_map: ttr.payments.expected_cards(game_map, "Murmansk-Lieksa"),
    ]
    for call in calls:
        np.testing.assert_equal(np.asarray(call("nordic")), np.asarray(call(nordic)))
