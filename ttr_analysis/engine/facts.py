"""The fingerprint of a map: what a record says about the facts and rules by which its game was played."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields, is_dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

from ttr_analysis.maps.model import GameMap, Route, Ticket

_DIGITS: Final = 16
_NO_RULES: Final = {"title", "variants"}
"""Fields of a rule set that do not bear on a game."""
_SETS: Final = {"locomotives_on"}
"""Fields whose order means nothing."""


@lru_cache(maxsize=64)
def facts_hash(game_map: GameMap) -> str:
    """
    Return a fingerprint of the facts and rules of a map.

    Two maps share it if games on them are the same: positions, labels, titles
    and the order of routes and tickets do not matter. A rule at its default is
    left out, so that a rule that a later version adds, with what was done
    before as its default, changes no fingerprint.

    Parameters
    ----------
    game_map
        The map, with the rules of the variant that is played.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> nederland = ttr.load_map("nederland")
    >>> facts_hash(nederland) == facts_hash(nederland.with_variant("no_tolls"))
    False
    """
    facts = {
        "cities": sorted(city.name for city in game_map.cities),
        "countries": sorted([place.name, *sorted(place.cities)] for place in game_map.places if place.is_country),
        "routes": sorted(_route_facts(route) for route in game_map.routes),
        "tickets": sorted(_ticket_facts(ticket) for ticket in game_map.tickets),
        "rules": _rule_facts(game_map.rules),
    }
    text = json.dumps(facts, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()[:_DIGITS]


def _route_facts(route: Route) -> list[Any]:
    return [
        route.id,
        sorted(route.cities),
        route.length,
        route.color,
        route.tunnel,
        route.locomotives,
        route.locomotives_allowed,
        route.swap_size,
        route.swap_fills,
        route.toll,
        route.points,
    ]


def _ticket_facts(ticket: Ticket) -> list[Any]:
    goals = sorted([place.name, points] for place, points in ticket.destinations)
    return [ticket.id, ticket.origin.name, goals, sorted(ticket.neutral or ())]


def _rule_facts(rules: object) -> Any:  # noqa: ANN401
    """Return what differs from the defaults, as JSON holds it."""
    if is_dataclass(rules):
        different = {}
        for field in fields(rules):
            value = getattr(rules, field.name)
            default = field.default if field.default_factory is MISSING else field.default_factory()
            if field.name not in _NO_RULES and value != default:
                different[field.name] = _rule_facts(tuple(sorted(value)) if field.name in _SETS else value)
        return different
    if isinstance(rules, tuple):
        return [_rule_facts(item) for item in rules]
    return rules
