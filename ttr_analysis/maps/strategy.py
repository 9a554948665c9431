"""A planner's strategy as part of a map: reading and writing its file `planner.toml`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Final, TypeAlias

from ttr_analysis._decoding import Amount, Decoder, FaultList, Keys, Range, shown
from ttr_analysis.maps.rules_file import key_line, read_toml
from ttr_analysis.rules.ruleset import RuleSet, Seats

STRATEGY_FILE: Final = "planner.toml"
DECIMALS: Final = 6
"""Decimal places of a parameter."""
_HEAD: Final = """\
# How Planner plays on this map, for each number of players: written by `ttr-analysis fit`.
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

    def refuse(keys: Keys, value: str, expected: str) -> None:
        faults.add(key_line(content, keys), ".".join(keys), value, expected)

    before = len(faults.faults)
    file: _File | None = Decoder(refuse).table(_File, data)
    if file is None or len(faults.faults) > before or rules is None:
        return ()
    _refuse_others(file.fitted, rules, refuse)
    return file.fitted


def _refuse_others(fitted: Sequence[Fitted], rules: RuleSet, refuse: Decoder.Refuse) -> None:
    """Refuse strategies for a variant or number of players that the map does not have, or repeated ones."""
    allowed = {known.variant: known.players for known in (rules, *rules.variants)}
    seen: set[tuple[str, int]] = set()
    for i, one in enumerate(fitted):
        keys = ("fitted", str(i))
        low, high = allowed.get(one.variant, (2, 6))
        if one.variant not in allowed:
            named = " or ".join(shown(name) for name in allowed if name) or "no variant"
            refuse((*keys, "variant"), shown(one.variant), f"expected {named}")
        elif one.n_players not in Range(low, high):
            refuse((*keys, "n_players"), shown(one.n_players), f"expected {Range(low, high)}")
        elif (one.variant, one.n_players) in seen:
            refuse((*keys, "n_players"), shown(one.n_players), "expected one strategy for each number of players")
        seen.add((one.variant, one.n_players))


def strategies_text(fitted: Iterable[Fitted]) -> str:
    """Return the text of the file."""
    import tomli_w

    tables = []
    for one in sorted(fitted, key=lambda one: (one.variant, one.n_players)):
        told = {"variant": one.variant} if one.variant else {}
        numbers = [(name, value) for name, value in asdict(one).items() if isinstance(value, float)]
        tables.append({**told, "n_players": one.n_players, **{name: round(value, DECIMALS) for name, value in numbers}})
    return _HEAD + tomli_w.dumps({"fitted": tables})


def strategy_for(fitted: Sequence[Fitted], variant: str, n_players: int) -> Fitted | None:
    """Return the strategy for a game, or for the most similar one: by variant first, then by players."""
    return min(
        fitted,
        key=lambda one: (one.variant != variant, one.variant != "", abs(one.n_players - n_players)),
        default=None,
    )
