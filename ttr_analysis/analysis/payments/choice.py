"""All payments of a hand for a route, the cheapest of them, and the cost of a route."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm, prod
from typing import TYPE_CHECKING, Literal, NamedTuple, overload

import numpy as np

from ttr_analysis._compile import Ints
from ttr_analysis._errors import UnknownNameError
from ttr_analysis.analysis.payments.model import (
    Cards,
    Payment,
    as_array,
    as_counts,
    best_color,
    check_counts,
    colors_of,
    split,
)
from ttr_analysis.analysis.waiting import coefficient_of, polynomial
from ttr_analysis.cards import (
    CARD_KINDS,
    COLORS,
    LOCOMOTIVE,
    LOCOMOTIVE_INDEX,
    N_COLORS,
    N_KINDS,
    CardCounts,
    kind_name,
)
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.maps.model import Route, RouteLike
from ttr_analysis.rules import payment as rule
from ttr_analysis.rules.ruleset import RuleSet
from ttr_analysis.tables import spaces_of

if TYPE_CHECKING:
    import pandas as pd


Keep = Literal["cards", "locomotives"] | Sequence[str] | CardCounts | Mapping[str, int]
"""What to save in a payment: see `cheapest`."""


class PaymentOptions:
    """
    Every payment of a hand for a route, generated as you iterate.

    Each choice of cards appears once, sorted by number of cards and split as in
    `from_cards`. There may be millions; `n_options` counts them without listing.

    Parameters
    ----------
    route, hand
        Route of any map, and cards held.

    Examples
    --------
    >>> route = ttr.load_map("nordic").route("Murmansk", "Lieksa")
    >>> everything = PaymentOptions(route, CardCounts((4,) * 8 + (8,)))
    >>> everything
    <PaymentOptions: 344,088 payments for Lieksa-Murmansk (gray, 9)>
    >>> print(next(iter(everything)))
    4 purple, and 4 blue, 4 orange, 4 white, 4 green, 4 yellow in sets
    """

    def __init__(self, route: Route, hand: Cards) -> None:
        self.route = route
        self.hand = CardCounts.coerce(hand)
        self._spaces = spaces_of(route)

    @cached_property
    def n_options(self) -> int:
        """Number of payments."""
        held, payable = self.hand.counts[:N_COLORS], colors_of(self.route)
        total = 0
        for colored, _, own in self._splits():
            total += _count_choices(held, colored)
            if own > 0:
                total -= _count_choices([min(h, own - 1) if c in payable else h for c, h in enumerate(held)], colored)
        return total

    def __iter__(self) -> Iterator[Payment]:
        held, payable = self.hand.counts[:N_COLORS], colors_of(self.route)
        for colored, locomotives, own in self._splits():
            for colors in _choices(held, payable, colored, own):
                yield split(self.route, (*colors, locomotives))

    def __len__(self) -> int:
        return self.n_options

    def __repr__(self) -> str:
        return f"<PaymentOptions: {self.n_options:,} payments for {self.route}>"

    def _splits(self) -> Iterator[tuple[int, int, int]]:
        """Yield the color cards and locomotives laid down, and the cards that must be of one color outside sets."""
        spaces, length = self._spaces, self.route.length
        for n_sets in range(rule.most_sets(spaces) + 1):
            n_cards = length + (spaces.swap_size - 1) * n_sets
            low = rule.fewest_locomotives(spaces, n_sets)
            high = rule.most_locomotives(spaces, n_sets)
            for locomotives in range(low, min(self.hand.locomotives, n_cards) + 1):
                yield n_cards - locomotives, locomotives, length - n_sets - min(locomotives, high)


@overload
def options(route: Route, hand: Cards, sets: Literal["representative"] = ...) -> tuple[Payment, ...]: ...
@overload
def options(route: Route, hand: Cards, sets: Literal["all"]) -> PaymentOptions: ...
def options(
    route: Route, hand: Cards, sets: Literal["representative", "all"] = "representative"
) -> tuple[Payment, ...] | PaymentOptions:
    """
    Return the payments of a hand for a route.

    Parameters
    ----------
    route, hand
        Route of any map (a tunnel without surcharge), and cards held.
    sets
        "representative" gives one payment for each form, that is, for each color, number of
        color cards and number of locomotives outside sets; its sets use the cards that you
        have most of, locomotives last. "all" gives every choice of cards: see
        `PaymentOptions`.

    Returns
    -------
    options
        Sorted by number of cards, then of locomotives; empty if the hand cannot pay.

    Raises
    ------
    ValueError
        If `sets` is neither of the two.

    Examples
    --------
    A ferry of length 2 with one locomotive symbol:

    >>> ferry = ttr.load_map("nordic").route("Aalborg", "Kristiansand")
    >>> for payment in options(ferry, {"red": 1, "blue": 3, "locomotive": 1}):
    ...     print(payment)
    1 red, 1 locomotive
    1 red, and 3 blue in sets
    1 locomotive, and 3 blue in sets
    """
    hand = CardCounts.coerce(hand)
    if sets not in ("representative", "all"):
        raise ValueError(f"sets must be 'representative' or 'all', got {sets!r}")
    if sets == "all":
        return PaymentOptions(route, hand)
    rank = np.array([0] * N_COLORS + [1], dtype=np.int64)
    payments = _representatives(route, hand, rank, np.zeros(N_KINDS, dtype=np.int64))
    return tuple(sorted(payments, key=lambda p: (p.n_cards, p.cards.locomotives, -p.own)))


def cheapest(route: Route, hand: Cards, *, keep: Keep = "cards") -> Payment | None:
    """
    Return the cheapest payment, in a given order of preference.

    Parameters
    ----------
    route, hand
        Route of any map (a tunnel without surcharge), and cards held.
    keep
        What to save first; ties go to the color of which you hold most:

        - "cards": the number of cards, then locomotives;
        - "locomotives": locomotives, those in sets included, then cards;
        - kinds of card, most valuable first, then cards, then locomotives;
        - numbers of cards still needed (card counts or a mapping): uses as few of
          them as possible, then saves cards, then
          locomotives.

    Returns
    -------
    payment
        The best of all payments, including those that `options` does not list; None
        if the hand cannot pay.

    Raises
    ------
    UnknownNameError
        If `keep` names a kind of card that does not exist.

    Examples
    --------
    A ferry of length 2 with one locomotive symbol:

    >>> ferry = ttr.load_map("nordic").route("Aalborg", "Kristiansand")
    >>> hand = {"red": 1, "blue": 3, "green": 2, "locomotive": 1}
    >>> print(cheapest(ferry, hand))
    1 red, 1 locomotive
    >>> print(cheapest(ferry, hand, keep="locomotives"))
    1 red, and 2 blue, 1 green in sets
    >>> print(cheapest(ferry, hand, keep={"blue": 2, "locomotive": 1}))
    1 red, and 1 blue, 2 green in sets
    """
    hand = CardCounts.coerce(hand)
    order, wanted = _read_keep(keep)
    # Kinds to keep rank above the others, the most valuable highest; among the others, locomotives.
    rank = np.array([0] * N_COLORS + [1], dtype=np.int64)
    for i, kind in enumerate(reversed(order)):
        rank[CARD_KINDS.index(kind)] = 2 + i

    def cost(payment: Payment) -> tuple[int, ...]:
        cards = payment.cards
        n_needed_later = sum(max(0, min(w, h) - (h - c)) for w, h, c in zip(wanted, hand, cards, strict=True))
        held = hand[payment.color] if payment.color else 0
        return (n_needed_later, *(cards[kind] for kind in order), cards.n_cards, cards.locomotives, -held, -payment.own)

    payments = _representatives(route, hand, rank, np.array(wanted.counts, dtype=np.int64))
    return min(payments, key=cost, default=None)


def _representatives(route: Route, hand: CardCounts, rank: Ints, wanted: Ints) -> list[Payment]:
    """Return one payment for each form, with the sets filled by `rules.payment.fill_sets`."""
    spaces = spaces_of(route)
    singles = [(c, own) for c in colors_of(route) for own in range(1, min(spaces.plain, hand.counts[c]) + 1)]
    payments = []
    taken = np.zeros(N_KINDS, dtype=np.int64)
    for c, own in [(-1, 0), *singles]:
        for locomotives in range(min(hand.locomotives, route.length - own) + 1):
            n_sets = int(rule.form_sets(spaces, own, locomotives))
            n_taken = n_sets * route.swap_size
            if n_sets < 0 or n_taken > hand.n_cards - own - locomotives:
                continue
            left = as_array(hand)
            left[LOCOMOTIVE_INDEX] -= locomotives
            if own:
                left[c] -= own
            rule.fill_sets(left, n_taken, rank, wanted, taken)
            payments.append(Payment(COLORS[c] if own else None, own, locomotives, as_counts(taken)))
    return payments


def _read_keep(keep: Keep) -> tuple[tuple[str, ...], CardCounts]:
    if isinstance(keep, str):
        if keep == "cards":
            return (), CardCounts()
        if keep == "locomotives":
            return (LOCOMOTIVE,), CardCounts()
        raise UnknownNameError.among("order of payments", keep, ("cards", "locomotives"))
    if isinstance(keep, CardCounts | Mapping):
        return (), CardCounts.coerce(keep)
    return tuple(dict.fromkeys(kind_name("kind of card", kind) for kind in keep)), CardCounts()


def _count_choices(held: Sequence[int], n_cards: int) -> int:
    return coefficient_of(prod(polynomial([1] * (h + 1)) for h in held), n_cards)


def _choices(held: Sequence[int], payable: Sequence[int], n_cards: int, own: int) -> Iterator[tuple[int, ...]]:
    """Yield every choice of `n_cards` cards that has at least `own` of some allowed color."""

    def choose(c: int, left: int, found: bool) -> Iterator[tuple[int, ...]]:
        if c == len(held):
            yield ()
            return
        rest = sum(held[c + 1 :])
        later = max((min(held[other], left) for other in payable if other > c), default=0)
        for n in range(min(held[c], left), max(0, left - rest) - 1, -1):
            now = found or (c in payable and n >= own)
            if now or later >= own:
                for others in choose(c + 1, left - n, now):
                    yield (n, *others)

    if n_cards <= sum(held):
        yield from choose(0, n_cards, own == 0)


# -- what a route costs in cards -----------------------------------------------------------------------------------


def cards_needed(route: Route, *, own: int, locomotives: int = 0) -> int:
    """
    Return how many cards it takes to pay for a route, given the cards of its color and locomotives held.

    Cards that fill a space alone are used first; sets of any cards fill the
    other spaces, where the route allows them.

    Parameters
    ----------
    route
        Route of any map; a tunnel without surcharge.

    Returns
    -------
    n_cards
        Fewest cards of the payment, those of the sets included.

    Raises
    ------
    ValueError
        If a number is below 0, or no number of other cards would be enough.

    Examples
    --------
    On Lieksa-Murmansk, of length 9, any four cards can replace one:

    >>> route = ttr.load_map("nordic").route("Murmansk", "Lieksa")
    >>> cards_needed(route, own=7), cards_needed(route, own=12)
    (15, 9)
    """
    check_counts(own, locomotives)
    needed = int(rule.cards_needed(spaces_of(route), own, locomotives))
    if needed < 0:
        held = f"{own} of its color and {locomotives} locomotives"
        msg = f"{route} cannot be paid with {held}: sets of other cards cannot fill the rest"
        if not route.locomotives_allowed:
            msg += ", and locomotives are not wild on it"
        raise ValueError(msg)
    return needed


def cards_table(route: Route) -> pd.DataFrame:
    """
    Return the numbers of cards that pay for a route (a tunnel without surcharge), for any hand.

    Returns
    -------
    table
        One row for each possible number of color cards and locomotives used outside sets:
        `own` and `locomotives` (cards), `sets`, `set_cards` (cards in them) and `cards`
        (all cards laid down); the fewest cards first.

    Examples
    --------
    >>> ferry = ttr.load_map("nordic").route("Aalborg", "Kristiansand")
    >>> print(cards_table(ferry).to_string(index=False))
     own  locomotives  sets  set_cards  cards
       1            1     0          0      2
       0            2     0          0      2
       1            0     1          3      4
       0            1     1          3      4
       0            0     2          6      6
    """
    import pandas as pd

    spaces = spaces_of(route)
    rows = []
    for own in range(spaces.plain + 1):
        for locomotives in range(route.length - own + 1):
            n_sets = int(rule.form_sets(spaces, own, locomotives))
            if n_sets >= 0:
                in_sets = n_sets * route.swap_size
                rows.append((own, locomotives, n_sets, in_sets, own + locomotives + in_sets))
    table = pd.DataFrame(rows, columns=["own", "locomotives", "sets", "set_cards", "cards"])
    return table.sort_values(["cards", "locomotives"], ignore_index=True)


def color_table(route: Route, hand: Cards) -> pd.DataFrame:
    """
    Return the cost of a route (a tunnel without surcharge) in each color, with a given hand.

    Returns
    -------
    table
        Indexed by the colors that may pay, cheapest first: `own` (cards of that color
        held), `cards_needed` (fewest cards of the payment, with the locomotives held;
        missing if sets cannot help), `missing` (fewest additional cards, well chosen; 0 if
        the hand pays) and `can_pay`.

    Examples
    --------
    >>> route = ttr.load_map("nordic").route("Murmansk", "Lieksa")
    >>> print(color_table(route, {"green": 7, "red": 4, "blue": 4}).reset_index().head(2).to_string(index=False))
    color  own  cards_needed  missing  can_pay
    green    7            15        0     True
     blue    4            24        3    False
    """
    import pandas as pd

    hand = CardCounts.coerce(hand)
    spaces = spaces_of(route)
    rows = []
    for color in (COLORS[c] for c in colors_of(route)):
        own = hand[color]
        needed = int(rule.cards_needed(spaces, own, hand.locomotives))
        missing = int(rule.cards_missing(spaces, own, hand.locomotives, hand.n_cards))
        rows.append((color, own, needed if needed >= 0 else pd.NA, missing, missing == 0))
    table = pd.DataFrame(rows, columns=["color", "own", "cards_needed", "missing", "can_pay"])
    table = table.astype({"cards_needed": "Int64"}).set_index("color")
    return table.sort_values(["missing", "cards_needed", "own"], ascending=[True, True, False], kind="stable")


def cards_missing(route: Route, hand: Cards) -> int:
    """
    Return the fewest additional cards, well chosen, that a hand needs to pay for a route; 0 if it pays.

    Examples
    --------
    >>> cards_missing(ttr.load_map("nordic").route("Murmansk", "Lieksa"), {"green": 6, "red": 4})
    2
    """
    hand = CardCounts.coerce(hand)
    own = hand.counts[best_color(route, hand)]
    return int(rule.cards_missing(spaces_of(route), own, hand.locomotives, hand.n_cards))


def cheapest_color(route: Route, hand: Cards) -> str:
    """
    Return the color with the fewest `cards_missing` to pay for a route, then with the most cards held.

    Examples
    --------
    >>> cheapest_color(ttr.load_map("nordic").route("Murmansk", "Lieksa"), {"green": 4, "red": 6})
    'red'
    """
    return COLORS[best_color(route, CardCounts.coerce(hand))]


# -- what the cards and trains of a route would earn elsewhere -----------------------------------------------------


def expected_cards(game_map: MapLike, route: RouteLike) -> Fraction:
    """
    Return the mean number of cards for a route without sets: its length, plus the expected surcharge.

    Examples
    --------
    >>> nordic = ttr.load_map("nordic")
    >>> float(expected_cards(nordic, nordic.route("Oslo", "Bergen", color="red")))
    4.709090909090909
    """
    game_map = as_map(game_map)
    found = game_map.route(route)
    return found.length + expected_surcharge(game_map.rules, found)


def opportunity_cost(
    game_map: MapLike,
    route: Route,
    *,
    trains: int | None = None,
    closed: Iterable[RouteLike] = (),
    owned: Iterable[RouteLike] = (),
) -> pd.DataFrame:
    """
    Return what the trains, cards and turns of a route would earn elsewhere.

    Parameters
    ----------
    trains
        Trains to spend elsewhere; by default the route's length.
    closed, owned
        Routes that cannot be built instead: routes, ids or pairs of cities.

    Returns
    -------
    table
        One row for each form of payment, as in `cards_table`: `own`, `locomotives`,
        `cards`, `turns`, `points`, `points_per_card`, `points_per_train`,
        `points_per_turn`; `best_per_card`, `best_per_train` and `best_per_turn`
        are the highest of any single other route that the same trains and cards
        pay for; `same_cards` are the most points of several other routes with no
        more trains and cards, `same_turns` with no more trains and turns, and
        `same_cards_routes` and `same_turns_routes` name these routes.

    Raises
    ------
    UnknownNameError, ValueError
        If the route is not on the map, or `trains` is below 0.

    Notes
    -----
    Only points of routes count, not tickets or bonuses. A payment costs its cards,
    and for a tunnel the expected surcharge from a fresh deck; turns are cards
    divided by the draws of a turn, and one for each claim, fractions allowed. Cards
    of the right kinds are assumed, so no route elsewhere needs sets. Only one track
    of a double route is built. The routes elsewhere are chosen exactly, by dynamic
    programming. `ttr.studies.route_worth` shows what a route earns in games.

    Examples
    --------
    However it is paid, Lieksa-Murmansk earns more than nine trains elsewhere:

    >>> nordic = ttr.load_map("nordic")
    >>> table = opportunity_cost(nordic, nordic.route("Murmansk", "Lieksa"))
    >>> print(table[["own", "cards", "turns", "points", "same_cards", "same_turns"]].head(3).to_string(index=False))
     own  cards  turns  points  same_cards  same_turns
       9    9.0    5.5      27          19          16
       8   12.0    7.0      27          19          19
       7   15.0    8.5      27          19          19
    """
    import pandas as pd

    game_map = as_map(game_map)
    route = game_map.route(route)
    trains = route.length if trains is None else trains
    if trains < 0:
        raise ValueError(f"the number of trains must be 0 or more, got {trains}")
    taken = {r.id for r in game_map.resolve_routes(closed)}
    # Nobody claims both tracks of a double route.
    mine = {frozenset(r.cities) for r in (route, *game_map.resolve_routes(owned))}
    groups: dict[frozenset[str], list[_Item]] = {}
    for other in game_map.routes:
        ends = frozenset(other.cities)
        if other.id not in taken and ends not in mine:
            groups.setdefault(ends, []).append(_Item(other, expected_cards(game_map, other)))
    items = [item for group in groups.values() for item in group if item.route.length <= trains]
    draws = game_map.rules.cards.draws_per_turn
    forms = cards_table(route)
    costs = [int(n) + expected_surcharge(game_map.rules, route) for n in forms["cards"]]
    by_cards = _best_within(list(groups.values()), trains, costs, 0)
    # A claim takes a turn, the time of `draws` cards.
    by_turns = _best_within(list(groups.values()), trains, [cost + draws for cost in costs], draws)
    rows = []
    for form, cost, same_cards, same_turns in zip(forms.itertuples(), costs, by_cards, by_turns, strict=True):
        turns = cost / draws + 1
        payable = [item for item in items if item.cards <= cost]
        rows.append(
            {
                "own": form.own,
                "locomotives": form.locomotives,
                "cards": float(cost),
                "turns": float(turns),
                "points": route.points,
                "points_per_card": float(route.points / cost),
                "points_per_train": route.points / route.length,
                "points_per_turn": float(route.points / turns),
                "best_per_card": max((float(i.route.points / i.cards) for i in payable), default=0.0),
                "best_per_train": max((i.route.points / i.route.length for i in payable), default=0.0),
                "best_per_turn": max((float(i.route.points / (i.cards / draws + 1)) for i in payable), default=0.0),
                "same_cards": sum(r.points for r in same_cards),
                "same_turns": sum(r.points for r in same_turns),
                "same_cards_routes": ", ".join(map(str, same_cards)),
                "same_turns_routes": ", ".join(map(str, same_turns)),
            }
        )
    return pd.DataFrame(rows)


def expected_surcharge(rules: RuleSet, route: Route) -> Fraction:
    """Return the expected surcharge of a route from a fresh deck, paid in a color."""
    if not route.tunnel:
        return Fraction(0)
    n_cards = rules.deck.n_cards
    return Fraction(min(rules.tunnel.revealed, n_cards) * (rules.cards.per_color + rules.cards.locomotives), n_cards)


class _Item(NamedTuple):
    """A route that could be built instead, with its cards."""

    route: Route
    cards: Fraction


def _best_within(
    groups: Sequence[Sequence[_Item]], trains: int, budgets: Sequence[Fraction], per_claim: int
) -> list[tuple[Route, ...]]:
    """Return the routes with the most points for each budget, at most one per group; a claim costs `per_claim` more."""
    unit = lcm(*(item.cards.denominator for group in groups for item in group), *(b.denominator for b in budgets))
    limit = int(max(budgets) * unit)
    best = np.zeros((trains + 1, limit + 1), dtype=np.int64)
    choices = []
    for group in groups:
        before = best
        best = before.copy()
        choice = np.full(best.shape, -1, dtype=np.int8)
        for i, item in enumerate(group):
            n, cost = item.route.length, int((item.cards + per_claim) * unit)
            if n <= trains and cost <= limit:
                with_it = before[: trains + 1 - n, : limit + 1 - cost] + item.route.points
                better = with_it > best[n:, cost:]
                best[n:, cost:][better] = with_it[better]
                choice[n:, cost:][better] = i
        choices.append(choice)
    results = []
    for budget in budgets:
        t, left = trains, int(budget * unit)
        routes = []
        for group, choice in zip(reversed(groups), reversed(choices), strict=True):
            i = choice[t, left]
            if i >= 0:
                item = group[i]
                routes.append(item.route)
                t -= item.route.length
                left -= int((item.cards + per_claim) * unit)
        results.append(tuple(reversed(routes)))
    return results
