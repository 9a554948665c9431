"""From the TOML of a map's rules to a `RuleSet`, and back."""

from __future__ import annotations

import re
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from ttr_analysis._errors import Fault, nearest
from ttr_analysis.maps.reading import toml_line
from ttr_analysis.rules.ruleset import ClaimRules, Range, RuleSet, TicketRules

_MAX_TEXT = 200
_HUGE = 10**15
Conflict = tuple[tuple[str, ...], object, str]
"""A field that does not go together with another: its key, its value and what was expected."""

_MAX_VARIANTS = 20
_SLIP = 0.75
"""How alike a key is that was meant: a rule that is not there must not be taken for another."""
_SELF = {"variant", "variants"}
_NUMBER_TABLES = {"points", "points_by_players"}
"""Fields that map numbers to numbers: a variant replaces them whole."""


class _Decoder:
    """
    Decodes one file, collecting faults.

    A field's type says what is allowed: `Annotated[int, Range]`, `Literal`,
    tuples of them, tables as tuples of pairs, and nested dataclasses.
    """

    def __init__(self, file: str, content: str, faults: list[Fault]) -> None:
        self.file = file
        self.content = content
        self.faults = faults

    def fault(self, path: Sequence[str], value: object, expected: str) -> None:
        line = toml_line(self.content, path)
        self.faults.append(Fault(self.file, line, ".".join(path), _as_toml(value), expected))

    def conflicts(self, rules: RuleSet, path: tuple[str, ...]) -> None:
        """Add a fault for each field that does not go together with another."""
        for keys, value, expected in _conflicts(rules):
            self.fault((*path, *keys), value, expected)

    def table(self, cls: type[Any], data: object, path: tuple[str, ...]) -> Any:  # noqa: ANN401
        """Return an instance of a dataclass, or None."""
        if not isinstance(data, dict):
            self.fault(path, data, "expected a table")
            return None
        hints = _hints(cls)  # type: ignore[arg-type] # every class is hashable
        values: dict[str, Any] = {}
        for key, value in data.items():
            if key not in hints or key in _SELF:
                known = [name for name in hints if name not in _SELF]
                slip = nearest(key, known, alike=_SLIP)
                hint = f"expected {' or '.join(slip)}" if slip else f"no such rule; there are {', '.join(known)}"
                self.fault((*path, key), key, f"unknown key, {hint}")
            else:
                values[key] = self.value(hints[key], value, (*path, key))
        for field in fields(cls):
            if field.name not in data and field.default is MISSING and field.default_factory is MISSING:
                self.fault((*path, field.name), None, "expected this key")
        return None if None in values.values() or not _required(cls) <= values.keys() else cls(**values)

    def value(self, hint: Any, value: object, path: tuple[str, ...]) -> Any:  # noqa: ANN401
        """Return a value of the type `hint`, or None with a fault."""
        expected = _expected(hint, value)
        if expected is not None:
            self.fault(path, value, expected)
            return None
        if is_dataclass(hint):
            return self.table(hint, value, path)  # type: ignore[arg-type]
        if get_origin(hint) is tuple:
            return self.sequence(get_args(hint), value, path)
        return value

    def sequence(self, args: tuple[Any, ...], value: object, path: tuple[str, ...]) -> tuple[Any, ...] | None:
        """Return a tuple: of a list, or of the pairs of a table with whole numbers as keys."""
        if isinstance(value, dict):
            value_hint = get_args(args[0])[1]
            pairs = []
            for key, item in value.items():
                if not re.fullmatch(r"[1-9][0-9]{0,2}", key):
                    self.fault((*path, key), key, "expected a whole number as key")
                    return None
                pairs.append((int(key), self.value(value_hint, item, (*path, key))))
            items = [tuple(pair) for pair in sorted(pairs)]
            return None if any(item is None for _, item in items) else tuple(items)
        assert isinstance(value, list)  # noqa: S101 - `_expected` has looked
        hints = args[:1] * len(value) if args[-1] is ... else args
        tables = any(isinstance(item, dict) for item in value)
        decoded = tuple(
            self.value(hint, item, (*path, str(i)) if tables else path)
            for i, (hint, item) in enumerate(zip(hints, value, strict=True))
        )
        return None if None in decoded else decoded


def decode_rules(file: str, data: dict[str, Any], content: str, faults: list[Fault]) -> RuleSet | None:
    """
    Return the rule set of a map with its variants, or None with faults.

    Parameters
    ----------
    file, content
        Name and text of the file, for the faults.
    data
        Its decoded TOML.
    faults
        What is wrong is added here.
    """
    decoder = _Decoder(file, content, faults)
    before = len(faults)
    base = {key: value for key, value in data.items() if key != "variants"}
    rules: RuleSet | None = decoder.table(RuleSet, base, ())
    differences = data.get("variants", {})
    if not isinstance(differences, dict) or not all(isinstance(v, dict) for v in differences.values()):
        decoder.fault(("variants",), differences, "expected one table of differences for each variant")
        return None
    if rules is not None and len(faults) == before:
        decoder.conflicts(rules, ())
    if len(differences) > _MAX_VARIANTS:
        decoder.fault(("variants",), len(differences), f"expected at most {_MAX_VARIANTS} variants")
        return None
    variants: list[RuleSet] = []
    for name, difference in differences.items():
        # What a variant changes is decoded by itself first, so that its faults name its own lines;
        # and whole only if the map's own rules are right, whose faults it would repeat.
        decoder.table(RuleSet, {"title": "", **difference}, ("variants", name))
        if len(faults) == before:
            variant = decoder.table(RuleSet, _merge(base, difference), ())
            decoder.conflicts(variant, ("variants", name))
            variants.append(replace(variant, variant=name))
    return None if rules is None or len(faults) > before else replace(rules, variants=tuple(variants))


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


@cache  # each table of each variant asks for them, and to make them takes longer than all the rest
def _hints(cls: type[Any]) -> dict[str, Any]:
    return get_type_hints(cls, include_extras=True)


def _required(cls: type[Any]) -> frozenset[str]:
    return frozenset(f.name for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING)


def _expected(hint: Any, value: object) -> str | None:  # noqa: ANN401, PLR0911
    """Return what a value of type `hint` should have been, or None if it is one so far."""
    origin = get_origin(hint)
    if origin is Annotated:
        limits: Range = get_args(hint)[1]
        fits = isinstance(value, int) and not isinstance(value, bool) and limits.low <= value <= limits.high
        return None if fits else f"expected {limits}"
    if origin is Literal:
        allowed = get_args(hint)
        fits = any(value == item and type(value) is type(item) for item in allowed)
        return None if fits else f"expected {' or '.join(_as_toml(item) for item in allowed)}"
    if origin is tuple:
        args = get_args(hint)
        table = get_origin(args[0]) is tuple
        if table:
            return None if isinstance(value, dict) else "expected a table of numbers"
        if not isinstance(value, list) or len(value) > 100:  # noqa: PLR2004
            return "expected a list"
        return None if args[-1] is ... or len(value) == len(args) else f"expected a list of {len(args)}"
    if is_dataclass(hint):
        return None if isinstance(value, dict) else "expected a table"
    if hint is str:
        fits = isinstance(value, str) and 0 <= len(value) <= _MAX_TEXT and value.isprintable()
        return None if fits else f"expected a printable text of at most {_MAX_TEXT} characters"
    fits = isinstance(value, hint) and (hint is bool or not isinstance(value, bool))
    return None if fits else f"expected {'true or false' if hint is bool else 'a whole number'}"


def _as_toml(value: object) -> str:
    """Return a value roughly as it stands in the file."""
    match value:
        case bool():
            return str(value).lower()
        case list():
            return f"[{', '.join(_as_toml(item) for item in value[:20])}]"
        case dict():
            return "a table"
        case str():
            return f'"{value}"'
        case types.NoneType():
            return "nothing"
        case _:
            # Python refuses to print whole numbers of thousands of digits.
            return "a huge number" if isinstance(value, int) and abs(value) >= _HUGE else str(value)
