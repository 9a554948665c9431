"""Numbers that say whether they are exact, and the time until some cards are gathered."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from numbers import Real
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

Z_95: Final = 1.959964
"""Standard errors on each side of a 95% interval, if the error is known."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """
    A number, exact or from a Monte Carlo simulation.

    Parameters
    ----------
    value
        The number.
    standard_error
        Standard error of the value; 0 if it is exact.
    n_samples
        Size of the simulation; 0 if the value is exact.
    is_share
        Whether it is the share of samples in which something happened.

    Notes
    -----
    It can be compared, rounded and formatted as its value can, and is a number
    to NumPy. Arithmetic would lose the error: compute with `value`. It equals
    a number only if it is exact; a number of NumPy on the left of `==` looks
    at the value alone. What is printed after ± is one standard error;
    `interval` reaches about two to each side.

    Examples
    --------
    >>> import ttr_analysis as ttr
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

        Notes
        -----
        The standard error is that of Agresti and Coull, who add two hits and
        two misses first: it does not vanish when every sample is a hit.
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
        The ends of its 95% interval; twice the value if it is exact.

        Of a share it is that of Agresti and Coull, which lies around the share
        with two hits and two misses more and ends at 0 and 1.
        """
        half = Z_95 * self.standard_error
        if not self.is_share:
            return self.value - half, self.value + half
        middle = (self.value * self.n_samples + 2) / (self.n_samples + 4)
        return max(0.0, middle - half), min(1.0, middle + half)

    # -- as a number --------------------------------------------------------

    def __float__(self) -> float:
        """Return the value."""
        return float(self.value)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """Return the value, as NumPy asks for it."""
        import numpy as np

        return np.array(self.value, dtype=dtype)

    def __round__(self, n_digits: int | None = None) -> float:
        """Return the rounded value."""
        return round(float(self.value), n_digits)

    def __format__(self, spec: str) -> str:
        """Return the value in a format; without one the value and how it was found."""
        return format(float(self.value), spec) if spec else str(self)

    def __eq__(self, other: object) -> bool:
        """Return whether all is the same; a number is the same as an exact value."""
        if isinstance(other, Estimate):
            return (self.value, self.standard_error, self.n_samples) == (
                other.value,
                other.standard_error,
                other.n_samples,
            )
        return self.is_exact and self.value == other if isinstance(other, Real) else NotImplemented

    def __hash__(self) -> int:
        """Return that of the value: a number may be equal."""
        return hash(self.value)

    def __lt__(self, other: Estimate | float) -> bool:
        """Return whether the value is below another."""
        return _compared(operator.lt, self, other)

    def __le__(self, other: Estimate | float) -> bool:
        """Return whether the value is not above another."""
        return _compared(operator.le, self, other)

    def __gt__(self, other: Estimate | float) -> bool:
        """Return whether the value is above another."""
        return _compared(operator.gt, self, other)

    def __ge__(self, other: Estimate | float) -> bool:
        """Return whether the value is not below another."""
        return _compared(operator.ge, self, other)

    def __str__(self) -> str:
        """Return the value and how it was found."""
        if self.is_exact:
            return f"{self.value:.4f} (exact)"
        return f"{self.value:.4f} ± {self.standard_error:.4f} (standard error, {self.n_samples:,} samples)"


def _compared(how: Callable[[float, float], bool], one: Estimate, other: object) -> bool:
    """Return how the value of an estimate compares with a number, or with another value."""
    return how(float(one), float(other)) if isinstance(other, Estimate | Real) else NotImplemented


@dataclass(frozen=True, slots=True)
class WaitingTime:
    """
    How long it takes until some cards are gathered.

    Parameters
    ----------
    cards
        `cards[n]`: the probability that exactly `n` cards must be drawn.
    turns
        `turns[n]`: the probability that exactly `n` turns of drawing are
        needed.
    never
        Probability that all the cards there are do not suffice.
    n_samples
        Size of the simulation; 0 if all probabilities are exact.

    Examples
    --------
    Four cards, one of them red, of which one is drawn a turn:

    >>> from fractions import Fraction
    >>> import ttr_analysis as ttr
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
        """
        Return the waiting time from the odds that it is not over yet.

        Parameters
        ----------
        unpaid
            `unpaid[n]`: probability that `n` cards do not suffice.
        draws_per_turn
            Cards drawn in a turn.
        """
        before = [Fraction(1), *unpaid]
        cards = [float(a - b) for a, b in zip(before, unpaid, strict=False)]
        turns = [0.0] * (-(-(len(cards) - 1) // draws_per_turn) + 1)
        for n, p in enumerate(cards):
            turns[-(-n // draws_per_turn)] += p
        return cls(tuple(cards), tuple(turns), float(unpaid[-1]))

    @classmethod
    def from_samples(cls, cards: Sequence[int], turns: Sequence[int]) -> WaitingTime:
        """
        Return the waiting time from simulated numbers of cards and turns.

        Parameters
        ----------
        cards, turns
            Of each sample; -1 where the cards never sufficed.
        """
        n = len(cards)
        never = sum(c < 0 for c in cards)
        return cls(_shares(cards, n), _shares(turns, n), never / n, n)

    @property
    def expected_cards(self) -> Estimate:
        """Mean number of cards to draw; infinite if they may never suffice."""
        return self._mean(self.cards)

    @property
    def expected_turns(self) -> Estimate:
        """Mean number of turns of drawing; infinite if the cards may never suffice."""
        return self._mean(self.turns)

    @property
    def variance(self) -> float:
        """Variance of the number of cards to draw, of samples that of a sample; nan if they may never suffice."""
        return self._variance(self.cards)

    @property
    def sd(self) -> float:
        """Standard deviation of the number of cards to draw."""
        return math.sqrt(self.variance)

    @property
    def turns_variance(self) -> float:
        """Variance of the number of turns of drawing, as `variance`."""
        return self._variance(self.turns)

    @property
    def turns_sd(self) -> float:
        """Standard deviation of the number of turns of drawing."""
        return math.sqrt(self.turns_variance)

    def within(self, n_cards: int) -> Estimate:
        """Return the probability that `n_cards` cards suffice."""
        return self._within(self.cards, n_cards)

    def within_turns(self, n_turns: int) -> Estimate:
        """Return the probability that `n_turns` turns of drawing suffice."""
        return self._within(self.turns, n_turns)

    def quantile(self, probability: float) -> int | None:
        """
        Return the fewest cards that suffice with at least some probability.

        Returns
        -------
        n_cards
            None if no number of cards does.

        Raises
        ------
        ValueError
            If `probability` is not above 0 and at most 1.
        """
        return _quantile(self.cards, probability)

    def turns_quantile(self, probability: float) -> int | None:
        """
        Return the fewest turns that suffice with at least some probability.

        Raises
        ------
        ValueError
            If `probability` is not above 0 and at most 1.
        """
        return _quantile(self.turns, probability)

    def _mean(self, distribution: tuple[float, ...]) -> Estimate:
        if self.never:
            return Estimate(math.inf, math.nan if self.n_samples else 0.0, self.n_samples)
        mean = _mean(distribution)
        if not self.n_samples:
            return Estimate(mean)
        spread = _spread(distribution)
        return Estimate(mean, math.sqrt(spread / max(1, self.n_samples - 1)), self.n_samples)

    def _variance(self, distribution: tuple[float, ...]) -> float:
        if self.never or self.n_samples == 1:
            return math.nan
        of_a_sample = self.n_samples / (self.n_samples - 1) if self.n_samples else 1.0
        return _spread(distribution) * of_a_sample

    def _within(self, distribution: tuple[float, ...], n: int) -> Estimate:
        if n < 0:
            msg = f"a number of cards or turns is 0 or more, got {n}"
            raise ValueError(msg)
        p = min(1.0, math.fsum(distribution[: n + 1]))
        return Estimate.of_share(round(p * self.n_samples), self.n_samples) if self.n_samples else Estimate(p)

    def table(self) -> pd.DataFrame:
        """
        Return the probabilities by the number of cards.

        Returns
        -------
        table
            Indexed by `cards`, the number drawn: `probability` that exactly so
            many are needed, and `within`, that they suffice; for a simulation
            also their standard errors `probability_se` and `within_se`.

        Examples
        --------
        >>> import ttr_analysis as ttr
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
        """Return the means in words."""
        return f"cards: {self.expected_cards}; turns: {self.expected_turns}"

    def __repr__(self) -> str:
        """Return the means; the probabilities are many."""
        return f"<WaitingTime: {self}>"


def _mean(distribution: tuple[float, ...]) -> float:
    return math.fsum(n * p for n, p in enumerate(distribution))


def _spread(distribution: tuple[float, ...]) -> float:
    """Return the mean square of the distance from the mean."""
    mean = _mean(distribution)
    return math.fsum((n - mean) ** 2 * p for n, p in enumerate(distribution))


def _shares(values: Sequence[int], n: int) -> tuple[float, ...]:
    counts = [0] * (max(values, default=-1) + 1)
    for value in values:
        if value >= 0:
            counts[value] += 1
    return tuple(count / n for count in counts)


def _quantile(distribution: tuple[float, ...], probability: float) -> int | None:
    if not 0 < probability <= 1:
        msg = f"a probability above 0 and at most 1 was expected, got {probability}"
        raise ValueError(msg)
    total = 0.0
    for n, p in enumerate(distribution):
        total += p
        # Sums of floats may fall short of 1 by rounding.
        if total >= probability - 1e-12:
            return n
    return None
