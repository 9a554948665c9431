"""What hypothesis draws for payments: any kind of route, and cards of a few kinds."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.oracles.payment import Counts, make_route, spread
from ttr_analysis.cards import COLORS, GRAY, LOCOMOTIVE_INDEX
from ttr_analysis.maps.model import Route

GREEN, RED = COLORS.index("green"), COLORS.index("red")


@st.composite
def any_route(draw: st.DrawFn, max_length: int = 4) -> Route:
    """Draw any kind of route: plain or with symbols, with and without jokers and sets."""
    length = draw(st.integers(1, max_length))
    return make_route(
        length,
        draw(st.sampled_from([GRAY, "green"])),
        symbols=draw(st.integers(0, length)),
        jokers=draw(st.booleans()),
        swap_size=draw(st.sampled_from([0, 2, 3, 4])),
        swap_any=draw(st.booleans()),
    )


def some_cards(most: int = 4, kinds: tuple[int, ...] = (0, GREEN, RED, LOCOMOTIVE_INDEX)) -> st.SearchStrategy[Counts]:
    """Draw cards of a few kinds: others behave like them, and everything can be tried."""
    return st.fixed_dictionaries({kind: st.integers(0, most) for kind in kinds}).map(spread)
