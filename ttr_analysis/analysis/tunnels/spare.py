"""How many spare cards to hold before trying a tunnel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ttr_analysis._errors import UnknownNameError, nearest
from ttr_analysis.analysis.payments import Cards
from ttr_analysis.analysis.tunnels.odds import check_tunnel, exact_surcharge, known_cards, pool_from_seen
from ttr_analysis.cards import CARD_KINDS, COLORS, FULL_DECK, GRAY, LOCOMOTIVE, CardCounts, card_index
from ttr_analysis.maps.model import Route

if TYPE_CHECKING:
    import pandas as pd


def spare_cards(
    route: Route,
    *,
    plays: str | None = None,
    pool: Cards | None = None,
    n_pile: int | None = None,
    discards: Cards | None = None,
    revealed: int = 3,
    deck: CardCounts = FULL_DECK,
) -> pd.DataFrame:
    """
    Return the odds to claim a tunnel, by the number of spare cards held. Exact.

    Parameters
    ----------
    route
        A tunnel of any map.
    plays
        The color played, or "locomotive" for locomotives alone; the color of
        the route if not given.
    pool
        The cards that the draw pile may hold. If not given, the deck without
        the cards for the length and the spare cards, all of the kind played:
        nothing else is known.
    n_pile, discards, revealed
        As of `claim_odds`.
    deck
        All cards of the game: `game_map.rules.deck`.

    Returns
    -------
    table
        Indexed by `spare` (cards), 0 to `revealed`: `probability` that the
        claim succeeds, and `gain`, what the last of the spare cards adds.

    Raises
    ------
    ValueError
        If the route is no tunnel, or a color does not pay for it; if the
        color is wanted (a gray route with a pool given) and not said.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> table = spare_cards(ttr.load_map("nordic").route("Oslo", "Lillehammer"))
    >>> print(table.round(3).reset_index().to_string(index=False))
     spare  probability  gain
         0        0.467 0.467
         1        0.884 0.417
         2        0.992 0.108
         3        1.000 0.008
    """
    import pandas as pd

    check_tunnel(route)
    plays = _color_played(route, plays, symmetric=pool is None)
    thrown_before = CardCounts.coerce(discards or ())
    rows = []
    before = 0.0
    for spare in range(revealed + 1):
        held = CardCounts.coerce({plays: route.length + spare})
        if pool is None and not held + thrown_before <= deck:
            break  # nobody can hold so many
        seen = CardCounts.coerce(pool) if pool is not None else pool_from_seen(held, thrown_before, deck=deck)
        _, seen, n, thrown = known_cards(route, held, seen, n_pile, discards, revealed)
        p = float(sum(exact_surcharge(card_index(plays), seen, n, thrown, revealed)[: spare + 1]))
        rows.append((spare, p, p - before))
        before = p
    return pd.DataFrame(rows, columns=["spare", "probability", "gain"]).set_index("spare")


def spare_needed(
    route: Route,
    probability: float = 0.9,
    *,
    plays: str | None = None,
    pool: Cards | None = None,
    n_pile: int | None = None,
    discards: Cards | None = None,
    revealed: int = 3,
    deck: CardCounts = FULL_DECK,
) -> int:
    """
    Return how many spare cards to hold before trying a tunnel. Exact.

    Parameters
    ----------
    route
        A tunnel of any map.
    probability
        The odds wanted.
    plays, pool, n_pile, discards, revealed, deck
        As of `spare_cards`.

    Raises
    ------
    ValueError
        If `probability` is not between 0 and 1.

    Examples
    --------
    >>> import ttr_analysis as ttr
    >>> tunnel = ttr.load_map("nordic").route("Oslo", "Lillehammer")
    >>> spare_needed(tunnel), spare_needed(tunnel, plays="locomotive")
    (2, 1)
    """
    if not 0 <= probability <= 1:
        msg = f"a probability is from 0 to 1, got {probability}"
        raise ValueError(msg)
    table = spare_cards(route, plays=plays, pool=pool, n_pile=n_pile, discards=discards, revealed=revealed, deck=deck)
    return int((table["probability"] >= probability - 1e-12).to_numpy().argmax())


def _color_played(route: Route, plays: str | None, *, symmetric: bool) -> str:
    """Return the color played, checked against the route."""
    if plays is None:
        if route.color != GRAY:
            return route.color
        if symmetric:
            # Without any knowledge one color is as good as another.
            return COLORS[0]
        msg = f"{route} may be played in any color: say which with `plays`"
        raise ValueError(msg)
    if plays not in CARD_KINDS:
        raise UnknownNameError("kind of card", plays, nearest(str(plays), CARD_KINDS), CARD_KINDS)
    if plays != LOCOMOTIVE and route.color not in (GRAY, plays):
        msg = f"{route} is paid in {route.color} or locomotives, not in {plays}"
        raise ValueError(msg)
    if plays == LOCOMOTIVE and not route.locomotives_allowed:
        msg = f"{route} cannot be paid with locomotives alone: they are no jokers on it"
        raise ValueError(msg)
    return plays
