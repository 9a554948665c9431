"""Exact probabilities of draws, estimates with their errors, and waiting times for cards."""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from math import comb
from numbers import Real
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

Z_95: Final = 1.959964
"""Standard errors on each side of a 95% interval, if the error is known."""


_COEFFICIENT_BITS: Final = 512
"""Bits of a coefficient, enough for any number of ways to draw cards."""


# -- counting draws ------------------------------------------------------------------------------------------------


def hypergeometric(matching: int, unseen: int, n: int) -> list[Fraction]:
    """Return the probabilities that 0 to `n` of `n` cards drawn match."""
    return [Fraction(comb(matching, k) * comb(unseen - matching, n - k), comb(unseen, n)) for k in range(n + 1)]


def polynomial(coefficients: Sequence[int]) -> int:
    """Pack a polynomial into one integer, so that adding and multiplying integers does the same to polynomials."""
    return sum(coefficient << _COEFFICIENT_BITS * power for power, coefficient in enumerate(coefficients))


def ways_to_draw(n: int, most: int) -> int:
    """Return the number of ways to draw 0, 1, ..., `most` of `n` cards, as a packed polynomial."""
    return polynomial([comb(n, k) for k in range(min(n, most) + 1)])


def coefficients_of(packed: int, n: int) -> Iterator[int]:
    """Yield the first `n` coefficients of a packed polynomial."""
    return (coefficient_of(packed, power) for power in range(n))


def coefficient_of(packed: int, power: int) -> int:
    """Return one coefficient of a packed polynomial."""
    return packed >> _COEFFICIENT_BITS * power & ((1 << _COEFFICIENT_BITS) - 1)


# -- estimates -----------------------------------------------------------------------------------------------------


def check_samples(n: int) -> None:
    """Raise a ValueError unless `n` is at least 1."""
    if n < 1:
        raise ValueError(f"the number of samples must be 1 or more, got {n}")


@dataclass(frozen=True, slots=True)
class Estimate:
    """
    A number, exact or estimated by Monte Carlo simulation.

    Parameters
    ----------
    standard_error
        Standard error of the value; 0 if exact.
    n_samples
        Size of the simulation; 0 if exact.
    is_share
        Whether it is a share of samples.

    Notes
    -----
    You can compare, round and format it like its value, and NumPy treats it as a number;
    but compute with `value`, since arithmetic would lose the error. It equals a number only
    if it is exact, unless a NumPy number is on the left of `==`. The printed ± is one
    standard error; `interval` extends about two.

    Examples
    --------
    >>> print(ttr.draws.Estimate(0.25))
    0.2500 (exact)
    >>> share = ttr.draws.Estimate.of_share(2_500, 10_000)
    >>> print(share)
    0.2500 ± 0.0043 (standard error, 10,000 samples)
    >>> share < 0.3, round(share, 1), f"{share:.0%}", share.value + 1
    (True, 0.2, '25%', 1.25)
    >>> [round(end, 4) for end in share.interval]
    [0.2416, 0.2586]
    """

    value: float
    standard_error: float = 0.0
    n_samples: int = 0
    is_share: bool = field(default=False, repr=False)

    @classmethod
    def of_share(cls, n_hits: int, n_samples: int) -> Estimate:
        """
        Return the estimate of a probability from the share of hits.

        The standard error is Agresti and Coull's, who first add two hits and two
        misses: it does not vanish when every sample is a hit.
        """
        smoothed = (n_hits + 2) / (n_samples + 4)
        error = math.sqrt(smoothed * (1 - smoothed) / (n_samples + 4))
        return cls(n_hits / n_samples, error, n_samples, is_share=True)

    @property
    def is_exact(self) -> bool:
        """Whether the value is exact."""
        return self.n_samples == 0

    @property
    def interval(self) -> tuple[float, float]:
        """
        The 95% interval; for an exact value, both ends are the value.

        For a share it is Agresti and Coull's: centered on the share with two more
        hits and misses, and cut off at 0 and 1.
        """
        half = Z_95 * self.standard_error
        if not self.is_share:
            return self.value - half, self.value + half
        middle = (self.value * self.n_samples + 2) / (self.n_samples + 4)
        return max(0.0, middle - half), min(1.0, middle + half)

    # -- as a number --------------------------------------------------------

    def __float__(self) -> float:
        return float(self.value)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        import numpy as np

        return np.array(self.value, dtype=dtype)

    def __round__(self, n_digits: int | None = None) -> float:
        return round(float(self.value), n_digits)

    def __format__(self, spec: str) -> str:
        return format(float(self.value), spec) if spec else str(self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Estimate):
            mine, its = ((one.value, one.standard_error, one.n_samples) for one in (self, other))
            return mine == its
        return self.is_exact and self.value == other if isinstance(other, Real) else NotImplemented

    def __hash__(self) -> int:
        """Return the hash of the value, since it may equal a number."""
        return hash(self.value)

    def __lt__(self, other: Estimate | float) -> bool:
        return _compared(operator.lt, self, other)

    def __le__(self, other: Estimate | float) -> bool:
        return _compared(operator.le, self, other)

    def __gt__(self, other: Estimate | float) -> bool:
        return _compared(operator.gt, self, other)

    def __ge__(self, other: Estimate | float) -> bool:
        return _compared(operator.ge, self, other)

    def __str__(self) -> str:
        if self.is_exact:
            return f"{self.value:.4f} (exact)"
        return f"{self.value:.4f} ± {self.standard_error:.4f} (standard error, {self.n_samples:,} samples)"


def _compared(how: Callable[[float, float], bool], one: Estimate, other: object) -> bool:
    return how(float(one), float(other)) if isinstance(other, Estimate | Real) else NotImplemented


# -- waiting times -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WaitingTime:
    """
    How long it takes to collect some cards.

    Parameters
    ----------
    cards
        `cards[n]`: probability that exactly `n` cards must be drawn.
    turns
        `turns[n]`: probability of exactly `n` turns of drawing.
    never
        Probability that all available cards together are not enough.
    n_samples
        Size of the simulation; 0 if exact.

    Examples
    --------
    Four cards, one of them red, drawn one per turn:

    >>> from fractions import Fraction
    >>> unpaid = [Fraction(1), Fraction(3, 4), Fraction(1, 2), Fraction(1, 4), Fraction(0)]
    >>> waiting = ttr.draws.WaitingTime.from_unpaid(unpaid, 1)
    >>> waiting.expected_cards.value, waiting.quantile(0.5), waiting.within(3).value, waiting.variance
    (2.5, 2, 0.75, 1.25)
    """

    cards: tuple[float, ...]
    turns: tuple[float, ...]
    never: float = 0.0
    n_samples: int = 0

    @classmethod
    def from_unpaid(cls, unpaid: Sequence[Fraction], draws_per_turn: int) -> WaitingTime:
        """Return the waiting time if `unpaid[n]` is the probability that `n` cards are not enough."""
        before = [Fraction(1), *unpaid]
        cards = [float(a - b) for a, b in zip(before, unpaid, strict=False)]
        turns = [0.0] * (-(-(len(cards) - 1) // draws_per_turn) + 1)
        for n, p in enumerate(cards):
            turns[-(-n // draws_per_turn)] += p
        return cls(tuple(cards), tuple(turns), float(unpaid[-1]))

    @classmethod
    def from_samples(cls, cards: Sequence[int], turns: Sequence[int]) -> WaitingTime:
        """Return the waiting time from simulated numbers of cards and turns, -1 if the cards were never enough."""
        n = len(cards)
        never = sum(c < 0 for c in cards)
        return cls(_shares(cards, n), _shares(turns, n), never / n, n)

    @property
    def expected_cards(self) -> Estimate:
        """Mean number of cards to draw; infinite if they may never be enough."""
        return self._mean(self.cards)

    @property
    def expected_turns(self) -> Estimate:
        """Mean number of turns of drawing; infinite if the cards may never be enough."""
        return self._mean(self.turns)

    @property
    def variance(self) -> float:
        """Variance of the cards to draw (sample variance if simulated); nan for one sample, or if never enough."""
        return self._variance(self.cards)

    @property
    def sd(self) -> float:
        """Standard deviation of the number of cards to draw."""
        return math.sqrt(self.variance)

    @property
    def turns_variance(self) -> float:
        """Variance of the number of turns of drawing; see `variance`."""
        return self._variance(self.turns)

    @property
    def turns_sd(self) -> float:
        """Standard deviation of the number of turns of drawing."""
        return math.sqrt(self.turns_variance)

    def within(self, n_cards: int) -> Estimate:
        """Return the probability that `n_cards` cards are enough."""
        return self._within(self.cards, n_cards)

    def within_turns(self, n_turns: int) -> Estimate:
        """Return the probability that `n_turns` turns of drawing are enough."""
        return self._within(self.turns, n_turns)

    def quantile(self, probability: float) -> int | None:
        """Return the fewest cards that are enough with at least this probability, None if no number is."""
        return _quantile(self.cards, probability)

    def turns_quantile(self, probability: float) -> int | None:
        """Return the fewest turns that are enough with at least this probability, None if no number is."""
        return _quantile(self.turns, probability)

    def _mean(self, distribution: tuple[float, ...]) -> Estimate:
        if self.never:
            return Estimate(math.inf, math.nan if self.n_samples else 0.0, self.n_samples)
        error = math.sqrt(_spread(distribution) / max(1, self.n_samples - 1)) if self.n_samples else 0.0
        return Estimate(_mean(distribution), error, self.n_samples)

    def _variance(self, distribution: tuple[float, ...]) -> float:
        if self.never or self.n_samples == 1:
            return math.nan
        bessel_correction = self.n_samples / (self.n_samples - 1) if self.n_samples else 1.0
        return _spread(distribution) * bessel_correction

    def _within(self, distribution: tuple[float, ...], n: int) -> Estimate:
        if n < 0:
            raise ValueError(f"a number of cards or turns must be 0 or more, got {n}")
        p = min(1.0, math.fsum(distribution[: n + 1]))
        return Estimate.of_share(round(p * self.n_samples), self.n_samples) if self.n_samples else Estimate(p)

    def table(self) -> pd.DataFrame:
        """
        Return the probabilities by number of cards.

        Returns
        -------
        table
            Indexed by `cards`, the number drawn: `probability` of exactly this
            number, and `within`, that it is enough; for a simulation also their
            standard errors `probability_se` and `within_se`.

        Examples
        --------
        >>> ttr.draws.WaitingTime((0.0, 0.25, 0.75), (0.0, 1.0)).table()["within"].tolist()
        [0.0, 0.25, 1.0]
        """
        import pandas as pd

        columns = {"probability": list(self.cards), "within": list(accumulate(self.cards))}
        if self.n_samples:
            for name in ("probability", "within"):
                shares = [Estimate.of_share(round(p * self.n_samples), self.n_samples) for p in columns[name]]
                columns[f"{name}_se"] = [share.standard_error for share in shares]
        return pd.DataFrame(columns).rename_axis("cards")

    def __str__(self) -> str:
        return f"cards: {self.expected_cards}; turns: {self.expected_turns}"

    def __repr__(self) -> str:
        return f"<WaitingTime: {self}>"


def _mean(distribution: tuple[float, ...]) -> float:
    return math.fsum(n * p for n, p in enumerate(distribution))


def _spread(distribution: tuple[float, ...]) -> float:
    """Return the mean squared distance from the mean."""
    mean = _mean(distribution)
    return math.fsum((n - mean) ** 2 * p for n, p in enumerate(distribution))


def _shares(values: Sequence[int], n: int) -> tuple[float, ...]:
    counts = Counter(values)
    return tuple(counts[value] / n for value in range(max(values, default=-1) + 1))


def _quantile(distribution: tuple[float, ...], probability: float) -> int | None:
    if not 0 < probability <= 1:
        raise ValueError(f"expected a probability above 0 and at most 1, got {probability}")
    # Rounding may leave sums of floats below 1.
    return next((n for n, total in enumerate(accumulate(distribution)) if total >= probability - 1e-12), None)
