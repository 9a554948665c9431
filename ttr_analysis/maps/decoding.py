"""From the TOML of a map's rules to a `RuleSet`, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ttr_analysis._decoding import Decoder, FaultList, Path, shown
from ttr_analysis.maps.reading import toml_line
from ttr_analysis.rules.ruleset import ClaimRules, RuleSet, TicketRules

Conflict = tuple[tuple[str, ...], object, str]
"""A field that does not go together with another: its key, its value and what was expected."""

_MAX_VARIANTS = 20
_SELF = {"variant", "variants"}
_NUMBER_TABLES = {"points", "points_by_players"}
"""Fields that map numbers to numbers: a variant replaces them whole."""


def decode_rules(data: dict[str, Any], content: str, faults: FaultList) -> RuleSet | None:
    """Return the rule set of a map with its variants, from the data and the text of its file; or None with faults."""

    def refuse(path: Path, value: str, expected: str) -> None:
        faults.add(toml_line(content, path), ".".join(path), value, expected)

    def refuse_conflicts(rules: RuleSet, path: Path) -> None:
        for keys, value, expected in _conflicts(rules):
            refuse((*path, *keys), shown(value), expected)

    decoder = Decoder(refuse, _SELF)
    before = len(faults.faults)
    base = {key: value for key, value in data.items() if key != "variants"}
    rules: RuleSet | None = decoder.table(RuleSet, base)
    differences = data.get("variants", {})
    if not isinstance(differences, dict) or not all(isinstance(v, dict) for v in differences.values()):
        refuse(("variants",), shown(differences), "expected one table of differences for each variant")
        return None
    if rules is not None and len(faults.faults) == before:
        refuse_conflicts(rules, ())
    if len(differences) > _MAX_VARIANTS:
        refuse(("variants",), str(len(differences)), f"expected at most {_MAX_VARIANTS} variants")
        return None
    variants: list[RuleSet] = []
    for name, difference in differences.items():
        # A variant's differences are decoded by themselves first, so that faults name their lines; the whole
        # variant only if the map's own rules are right, whose faults it would repeat.
        decoder.table(RuleSet, {"title": "", **difference}, ("variants", name))
        if len(faults.faults) == before:
            variant = decoder.table(RuleSet, _merge(base, difference))
            refuse_conflicts(variant, ("variants", name))
            variants.append(replace(variant, variant=name))
    return None if rules is None or len(faults.faults) > before else replace(rules, variants=tuple(variants))


def _conflicts(rules: RuleSet) -> Iterator[Conflict]:
    """Yield each field that does not go together with another."""
    low, high = rules.players
    tickets, neutral = rules.tickets, rules.neutral
    if low > high:
        yield ("players",), [low, high], "expected the fewest players first"
    if tickets.opening_keep > tickets.opening_deal:
        expected = f"expected at most the {tickets.opening_deal} tickets dealt"
        yield ("tickets", "opening_keep"), tickets.opening_keep, expected
    if tickets.keep > tickets.draw:
        yield ("tickets", "keep"), tickets.keep, f"expected at most the {tickets.draw} tickets drawn"
    yield from _deck_conflicts(tickets)
    if len(rules.scoring.start_scores) not in {0, high}:
        expected = f"expected one score for each of {high} seats, or none"
        yield ("scoring", "start_scores"), list(rules.scoring.start_scores), expected
    if neutral.trains and (low, high) != (2, 2):
        yield ("neutral", "trains"), neutral.trains, "expected no neutral player but with players = [2, 2]"
    if neutral.trains and neutral.marker_seat >= high:
        yield ("neutral", "marker_seat"), neutral.marker_seat, f"expected a seat from 0 to {high - 1}"
    yield from _claim_conflicts(rules.claims)
    if len(rules.stations.costs) < rules.stations.number:
        costs = list(rules.stations.costs)
        yield ("stations", "costs"), costs, f"expected a cost for each of {rules.stations.number} stations"
    if rules.market.reset_at > rules.market.size:
        expected = f"expected at most the {rules.market.size} face-up cards"
        yield ("market", "reset_at"), rules.market.reset_at, expected
    yield from _bonus_conflicts(rules)


def _deck_conflicts(tickets: TicketRules) -> Iterator[Conflict]:
    names = [deck.name for deck in tickets.decks]
    for i, name in enumerate(names):
        if not name or name in names[:i]:
            yield ("tickets", "decks", str(i), "name"), name, "expected a name for each deck, each another"
    n_dealt = sum(deck.opening_deal for deck in tickets.decks)
    if names and n_dealt != tickets.opening_deal:
        yield ("tickets", "opening_deal"), tickets.opening_deal, f"expected the {n_dealt} that the decks deal together"


def _claim_conflicts(claims: ClaimRules) -> Iterator[Conflict]:
    if len(set(claims.locomotives_on)) < len(claims.locomotives_on):
        yield ("claims", "locomotives_on"), list(claims.locomotives_on), "expected each kind of route once"
    if claims.ferry_swap_size == 1:
        yield ("claims", "ferry_swap_size"), 1, "expected 0, or 2 or more cards in place of one"


def _bonus_conflicts(rules: RuleSet) -> Iterator[Conflict]:
    low, high = rules.players
    for i, bonus in enumerate(rules.bonus):
        without_points = [n for n in range(low, high + 1) if not bonus.ranked_points(n)]
        if without_points:
            expected = "expected points for every number of players"
            yield ("bonus", str(i)), f"none for {', '.join(map(str, without_points))}", expected
        if bonus.measure == "tokens" and not rules.money.tokens:
            yield ("bonus", str(i), "measure"), bonus.measure, "expected [money] tokens above 0 with this bonus"


def encode_rules(rules: RuleSet) -> dict[str, Any]:
    """
    Return the rules as TOML data, variants as differences.

    Decoding it again gives an equal rule set.
    """
    base = _encode(rules)
    variants = {variant.variant: _difference(base, _encode(variant)) for variant in rules.variants}
    return {**base, "variants": variants} if variants else base


def _encode(value: object) -> Any:  # noqa: ANN401
    if is_dataclass(value):
        return {
            field.name: _encode_field(field.name, getattr(value, field.name))
            for field in fields(value)
            if field.name not in _SELF
        }
    if isinstance(value, tuple):
        return [_encode(item) for item in value]
    return value


def _encode_field(name: str, value: object) -> Any:  # noqa: ANN401
    if name in _NUMBER_TABLES and isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return {str(key): _encode(item) for key, item in value}
    if name == "points_by_players":
        return {}
    return _encode(value)


def _difference(base: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of `other` whose values differ from those of `base`."""
    different: dict[str, Any] = {}
    for key, value in other.items():
        if base.get(key) == value:
            continue
        nested = isinstance(value, dict) and isinstance(base.get(key), dict) and key not in _NUMBER_TABLES
        different[key] = _difference(base[key], value) if nested else value
    return different


def _merge(base: Mapping[str, Any], difference: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` with the differences of a variant; lists and number tables are replaced whole."""
    merged = dict(base)
    for key, value in difference.items():
        old = merged.get(key)
        whole = key in _NUMBER_TABLES or not (isinstance(value, dict) and isinstance(old, dict))
        merged[key] = value if whole else _merge(old, value)  # type: ignore[arg-type]
    return merged
