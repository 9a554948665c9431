"""Read and write a map's `rules.toml`, and the strategies in its `planner.toml`, reporting all faults at once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

from ttr_analysis._decoding import Amount, Decoder, FaultList, Keys, Range, read_text, shown
from ttr_analysis.rules.ruleset import ClaimRules, RuleSet, Seats, TicketRules

_MAX_BYTES: Final = 150_000
"""TOML is read about fifty times more slowly than CSV, hence the limits."""
_MAX_LINE: Final = 10_000
_MAX_DOTS: Final = 50
"""Dots on a line: parsing a dotted key takes time and memory quadratic in its parts."""
_MAX_KEYS: Final = 5_000
"""Enough for the strategies of 20 variants with 2 to 6 players."""
_MAX_VARIANTS: Final = 20
_NO_KEYS: Final = frozenset({"variant", "variants"})
"""Fields of a rule set that are not keys in the file."""
_NUMBER_TABLES: Final = {"points", "points_by_players"}
"""Fields that map numbers to numbers; a variant replaces them as a whole."""

Conflict: TypeAlias = tuple[Keys, object, str]
"""A field that conflicts with another: its keys, its value and what was expected."""


def read_rules(path: Path, faults: FaultList) -> RuleSet | None:
    """Return the rule set in a file, with its variants, or None with faults."""
    found = read_toml(path, faults)
    return None if found is None else _decode(*found, faults)


def read_toml(path: Path, faults: FaultList) -> tuple[dict[str, Any], str] | None:
    """Return the data and the text of a TOML file, or None with faults."""
    content = read_text(path, faults, _MAX_BYTES)
    if content is None or not _is_short_enough(content, faults):
        return None
    try:
        return tomllib.loads(content), content
    except tomllib.TOMLDecodeError as error:
        match = re.search(r"\(at line (\d+)", str(error))
        line = int(match[1]) if match else content.count("\n") + 1
        faults.add(line, "", re.sub(r" \(at .*\)$", "", str(error)), "expected TOML")
    except ValueError:
        faults.add(0, "", "a number of thousands of digits", "expected TOML")
    except RecursionError:
        faults.add(0, "", "values nested too deeply", "expected TOML")
    return None


def _is_short_enough(content: str, faults: FaultList) -> bool:
    """Check the length of each line, its dots and the number of keys before parsing."""
    for line, source in enumerate(content.split("\n"), start=1):
        if len(source) > _MAX_LINE:
            faults.add(line, "", f"{len(source):,}", f"expected at most {_MAX_LINE:,} characters")
            return False
        # Dots in strings and comments count too, since only a parser could distinguish them.
        if source.count(".") > _MAX_DOTS:
            faults.add(line, "", f"{source.count('.'):,}", f"expected at most {_MAX_DOTS} dots")
            return False
    if len(_key_lines(content)) > _MAX_KEYS:
        faults.add(0, "", "more", f"expected at most {_MAX_KEYS:,} keys")
        return False
    return True


def _decode(data: dict[str, Any], content: str, faults: FaultList) -> RuleSet | None:
    """Return the rule set in the data of a file, or None with faults on the lines of its text."""

    def add_fault(keys: Keys, value: str, expected: str) -> None:
        faults.add(key_line(content, keys), ".".join(keys), value, expected)

    def add_conflicts(rules: RuleSet, variant: Keys) -> None:
        for keys, value, expected in _conflicts(rules):
            add_fault((*variant, *keys), shown(value), expected)

    decoder = Decoder(add_fault, _NO_KEYS)
    before = len(faults.faults)
    differences = data.pop("variants", {})
    rules: RuleSet | None = decoder.table(RuleSet, data)
    if not isinstance(differences, dict) or not all(isinstance(v, dict) for v in differences.values()):
        add_fault(("variants",), shown(differences), "expected one table of differences for each variant")
        return None
    if rules is not None and len(faults.faults) == before:
        add_conflicts(rules, ())
    if len(differences) > _MAX_VARIANTS:
        add_fault(("variants",), str(len(differences)), f"expected at most {_MAX_VARIANTS} variants")
        return None
    variants: list[RuleSet] = []
    for name, difference in differences.items():
        # Decode the differences alone first, so that faults point to their lines. The merged variant would
        # repeat them and those of the map's own rules, so it is decoded only if there are none so far.
        decoder.table(RuleSet, {"title": "", **difference}, ("variants", name))
        if len(faults.faults) == before:
            variant = decoder.table(RuleSet, _merge(data, difference))
            add_conflicts(variant, ("variants", name))
            variants.append(replace(variant, variant=name))
    return None if rules is None or len(faults.faults) > before else replace(rules, variants=tuple(variants))


def _merge(base: Mapping[str, Any], difference: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` with a variant's differences; lists and number tables are replaced as a whole."""
    merged = dict(base)
    for key, value in difference.items():
        old = merged.get(key)
        whole = key in _NUMBER_TABLES or not (isinstance(value, dict) and isinstance(old, dict))
        merged[key] = value if whole else _merge(old, value)  # type: ignore[arg-type]
    return merged


# -- lines of keys -------------------------------------------------------------------------------------------------


def key_line(content: str, keys: Sequence[str]) -> int:
    """Return the line of a key in a TOML file, or of its table; 0 if unknown."""
    lines = _key_lines(content)
    path = tuple(keys)
    return next((lines[path[:depth]] for depth in range(len(path), 0, -1) if path[:depth] in lines), 0)


@lru_cache(maxsize=4)
def _key_lines(content: str) -> dict[Keys, int]:
    """Return the line of each key and table of a TOML file; tables in arrays are numbered from 0."""
    lines: dict[Keys, int] = {}
    table: Keys = ()
    n_seen: dict[Keys, int] = {}
    for line, source in enumerate(content.splitlines(), start=1):
        stripped = source.strip()
        if stripped.startswith("[["):
            array = _split_key(stripped[2:].partition("]")[0])
            n_seen[array] = n_seen.get(array, -1) + 1
            path = table = (*array, str(n_seen[array]))
        elif stripped.startswith("["):
            path = table = _inside_array(_split_key(stripped[1:].partition("]")[0]), n_seen)
        else:
            key, equals, _ = stripped.partition("=")
            if not key or not equals or "#" in key or "[" in key:
                continue
            path = (*table, *_split_key(key))
        lines.setdefault(path, line)
    return lines


def _inside_array(table: Keys, n_seen: Mapping[Keys, int]) -> Keys:
    """Return the keys of a table, with the index of the array table that contains it."""
    for depth in range(len(table), 0, -1):
        if table[:depth] in n_seen:
            return (*table[:depth], str(n_seen[table[:depth]]), *table[depth:])
    return table


def _split_key(key: str) -> Keys:
    return tuple(part.strip().strip("\"'") for part in key.split("."))


# -- conflicts between fields --------------------------------------------------------------------------------------


def _conflicts(rules: RuleSet) -> Iterator[Conflict]:
    low, high = rules.players
    tickets, neutral = rules.tickets, rules.neutral
    if low > high:
        yield ("players",), [low, high], "expected the smaller number first"
    if tickets.opening_keep > tickets.opening_deal:
        expected = f"expected at most the {tickets.opening_deal} tickets dealt"
        yield ("tickets", "opening_keep"), tickets.opening_keep, expected
    if tickets.keep > tickets.draw:
        yield ("tickets", "keep"), tickets.keep, f"expected at most the {tickets.draw} tickets drawn"
    yield from _deck_conflicts(tickets)
    if len(rules.scoring.start_scores) not in {0, high}:
        expected = f"expected no scores, or one for each of {high} seats"
        yield ("scoring", "start_scores"), list(rules.scoring.start_scores), expected
    if neutral.trains and (low, high) != (2, 2):
        yield ("neutral", "trains"), neutral.trains, "expected 0: a neutral player requires players = [2, 2]"
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
            yield ("tickets", "decks", str(i), "name"), name, "expected a different name for each deck"
    n_dealt = sum(deck.opening_deal for deck in tickets.decks)
    if names and n_dealt != tickets.opening_deal:
        yield (
            ("tickets", "opening_deal"),
            tickets.opening_deal,
            f"expected {n_dealt}, the tickets that the decks deal in total",
        )


def _claim_conflicts(claims: ClaimRules) -> Iterator[Conflict]:
    if len(set(claims.locomotives_on)) < len(claims.locomotives_on):
        yield ("claims", "locomotives_on"), list(claims.locomotives_on), "expected each kind of route once"
    if claims.ferry_swap_size == 1:
        yield ("claims", "ferry_swap_size"), 1, "expected 0, or at least 2 cards to replace one"


def _bonus_conflicts(rules: RuleSet) -> Iterator[Conflict]:
    low, high = rules.players
    for i, bonus in enumerate(rules.bonus):
        without_points = [n for n in range(low, high + 1) if not bonus.ranked_points(n)]
        if without_points:
            expected = "expected points for every number of players"
            yield ("bonus", str(i)), f"none for {', '.join(map(str, without_points))}", expected
        if bonus.measure == "tokens" and not rules.money.tokens:
            yield ("bonus", str(i), "measure"), bonus.measure, "expected money.tokens above 0 for this bonus"


# -- writing -------------------------------------------------------------------------------------------------------


def rules_text(rules: RuleSet) -> str:
    """Return the text of the file, with variants as differences; reading it returns an equal rule set."""
    import tomli_w

    base = _encode(rules)
    variants = {variant.variant: _difference(base, _encode(variant)) for variant in rules.variants}
    return tomli_w.dumps({**base, "variants": variants} if variants else base)


def _encode(value: object, name: str = "") -> Any:  # noqa: ANN401
    """Return the value of field `name` as TOML data."""
    if is_dataclass(value):
        return {f.name: _encode(getattr(value, f.name), f.name) for f in fields(value) if f.name not in _NO_KEYS}
    if not isinstance(value, tuple):
        return value
    if name == "points_by_players" or (name in _NUMBER_TABLES and value and isinstance(value[0], tuple)):
        return {str(key): _encode(item) for key, item in value}
    return [_encode(item) for item in value]


def _difference(base: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of `other` whose values differ from those of `base`."""
    different: dict[str, Any] = {}
    for key, value in other.items():
        if base.get(key) == value:
            continue
        nested = isinstance(value, dict) and isinstance(base.get(key), dict) and key not in _NUMBER_TABLES
        different[key] = _difference(base[key], value) if nested else value
    return different


# -- how planners play on the map ----------------------------------------------------------------------------------

STRATEGY_FILE: Final = "planner.toml"
DECIMALS: Final = 6
"""Decimal places of a parameter."""
_HEAD: Final = """\
# How Planner plays on this map, by variant and number of players: written by `ttr-analysis fit`.
# The documentation of `ttr.policies.Planner` explains each number.

"""

NotNegative: TypeAlias = Annotated[float | None, Amount(0.0)]
Positive: TypeAlias = Annotated[float | None, Amount(0.0, is_above=True)]
Real: TypeAlias = Annotated[float | None, Amount()]


@dataclass(frozen=True, slots=True, repr=False)
class Strategy:
    """The parameters of `policies.Planner`, which documents them; None for the map's value."""

    train_price: NotNegative = None
    route_price: NotNegative = None
    point_weight: NotNegative = None
    tunnel_price: NotNegative = None
    symbol_price: NotNegative = None
    faith: NotNegative = None
    late_price: NotNegative = None
    cards_per_turn: Positive = None
    trains_per_claim: Positive = None
    extra_train_price: NotNegative = None
    extra_bar: NotNegative = None
    wanted_price: NotNegative = None
    spare_price: NotNegative = None
    locomotive_price: NotNegative = None
    breadth: NotNegative = None
    tunnel_odds: NotNegative = None
    ticket_bar: Real = None
    ticket_trains: NotNegative = None
    ticket_turns: NotNegative = None
    token_spread: Positive = None
    trail_weight: NotNegative = None
    opening_bar: Real = None
    plan_bar: NotNegative = None
    decline_bar: Real = None
    crowd_price: NotNegative = None
    crowd_part: NotNegative = None
    rush: NotNegative = None
    denial: NotNegative = None
    trail_step: NotNegative = None
    trail_join: NotNegative = None
    foresight: NotNegative = None
    bonus_pull: NotNegative = None
    seat_spread: NotNegative = None
    care: NotNegative = None
    late_cards: NotNegative = None
    hoard_cards: NotNegative = None
    hoard_turns: NotNegative = None
    hoard_danger: NotNegative = None
    least_part: NotNegative = None
    hand_part: NotNegative = None
    patience: NotNegative = None
    owner_price: NotNegative = None
    token_calm: NotNegative = None


NUMBERS: Final = tuple(field.name for field in fields(Strategy))
"""The parameters of a strategy, in order."""


@dataclass(frozen=True, slots=True, repr=False)
class Fitted(Strategy):
    """The parameters for games of `n_players` on a map, or on one of its variants."""

    n_players: Seats = 2
    variant: str = ""

    def __repr__(self) -> str:
        return f"<Fitted {self.variant or 'to the map'}, {self.n_players} players>"


@dataclass(frozen=True, slots=True)
class _File:
    fitted: tuple[Fitted, ...] = ()


def read_strategies(path: Path, rules: RuleSet | None, faults: FaultList) -> tuple[Fitted, ...]:
    """Return the strategies in a map's file, if it exists, adding faults for invalid ones."""
    found = read_toml(path, faults) if path.exists() else None
    if found is None:
        return ()
    data, content = found

    def add_fault(keys: Keys, value: str, expected: str) -> None:
        faults.add(key_line(content, keys), ".".join(keys), value, expected)

    before = len(faults.faults)
    file: _File | None = Decoder(add_fault).table(_File, data)
    if file is None or len(faults.faults) > before or rules is None:
        return ()
    _check_strategies(file.fitted, rules, add_fault)
    return file.fitted


def _check_strategies(fitted: Sequence[Fitted], rules: RuleSet, add_fault: Decoder.Refuse) -> None:
    """Add a fault for each strategy for an unknown variant or number of players, and for each repeated one."""
    allowed = {known.variant: known.players for known in (rules, *rules.variants)}
    seen: set[tuple[str, int]] = set()
    for i, strategy in enumerate(fitted):
        keys = ("fitted", str(i))
        low, high = allowed.get(strategy.variant, (2, 6))
        if strategy.variant not in allowed:
            named = " or ".join(shown(name) for name in allowed if name) or "no variant"
            add_fault((*keys, "variant"), shown(strategy.variant), f"expected {named}")
        elif strategy.n_players not in Range(low, high):
            add_fault((*keys, "n_players"), shown(strategy.n_players), f"expected {Range(low, high)}")
        elif (strategy.variant, strategy.n_players) in seen:
            expected = "expected one strategy for each number of players"
            add_fault((*keys, "n_players"), shown(strategy.n_players), expected)
        seen.add((strategy.variant, strategy.n_players))


def strategies_text(fitted: Iterable[Fitted]) -> str:
    """Return the text of the file."""
    import tomli_w

    tables = []
    for one in sorted(fitted, key=lambda one: (one.variant, one.n_players)):
        head = {"variant": one.variant} if one.variant else {}
        numbers = [(name, value) for name, value in asdict(one).items() if isinstance(value, float)]
        tables.append({**head, "n_players": one.n_players, **{name: round(value, DECIMALS) for name, value in numbers}})
    return _HEAD + tomli_w.dumps({"fitted": tables})


def strategy_for(fitted: Sequence[Fitted], variant: str, n_players: int) -> Fitted | None:
    """Return the strategy for a game, or for the most similar one: by variant first, then by players."""
    return min(
        fitted,
        key=lambda one: (one.variant != variant, one.variant != "", abs(one.n_players - n_players)),
        default=None,
    )
