"""Numbers that say whether they are exact, and the time until some cards are gathered."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


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

    Examples
    --------
    >>> print(Estimate(0.25))
    0.2500 (exact)
    >>> print(Estimate.of_share(2_500, 10_000))
    0.2500 +- 0.0043 (Monte Carlo, 10,000 samples)
    """

    value: float
    standard_error: float = 0.0
    n_samples: int = 0

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
        return cls(n_hits / n_samples, error, n_samples)

    @property
    def is_exact(self) -> bool:
        """Whether the value is exact."""
        return self.n_samples == 0

    def __float__(self) -> float:
        """Return the value."""
        return float(self.value)

    def __str__(self) -> str:
        """Return the value and how it was found."""
        if self.is_exact:
            return f"{self.value:.4f} (exact)"
        return f"{self.value:.4f} +- {self.standard_error:.4f} (Monte Carlo, {self.n_samples:,} samples)"


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

    >>> waiting = WaitingTime.from_unpaid([Fraction(1), Fraction(3, 4), Fraction(1, 2), Fraction(1, 4), Fraction(0)], 1)
    >>> waiting.expected_cards.value, waiting.quantile(0.5), waiting.within(3).value
    (2.5, 2, 0.75)
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
        mean = math.fsum(n * p for n, p in enumerate(distribution))
        if not self.n_samples:
            return Estimate(mean)
        variance = math.fsum((n - mean) ** 2 * p for n, p in enumerate(distribution))
        return Estimate(mean, math.sqrt(variance / max(1, self.n_samples - 1)), self.n_samples)

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
        >>> WaitingTime((0.0, 0.25, 0.75), (0.0, 1.0)).table()["within"].tolist()
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
