"""Tasks on probability, solved exactly or by simulation with a standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from math import comb
from typing import Any, Final

import numpy as np

from ttr_analysis.analysis.tunnels import surcharge_distribution
from ttr_analysis.teaching.task import Case, Fault, Task, same_number, same_numbers

_LARGEST_PILE: Final = 7
_RESAMPLES: Final = 4000


def _small(*ranges: range, allowed: Callable[..., bool]) -> Iterator[Case]:
    """Yield the allowed combinations of integers from these ranges, smallest sums first."""
    found = [numbers for numbers in product(*ranges) if allowed(*numbers)]
    yield from (Case(numbers) for numbers in sorted(found, key=lambda numbers: (sum(numbers), numbers)))


def _surcharge_cases(_rng: np.random.Generator) -> Iterator[Case]:
    piles = range(_LARGEST_PILE + 1)
    yield from _small(piles, piles, range(1, 5), allowed=lambda matching, unseen, _: matching <= unseen)
    yield Case((26, 110, 3))


def _draws_cases(_rng: np.random.Generator) -> Iterator[Case]:
    piles = range(_LARGEST_PILE + 1)
    yield from _small(piles, piles, piles, allowed=lambda wanted, matching, unseen: wanted <= matching <= unseen)
    yield Case((9, 26, 110))


def _chain_cases(_rng: np.random.Generator) -> Iterator[Case]:
    piles = range(_LARGEST_PILE)
    yield from _small(
        piles, piles, range(1, 4), piles, allowed=lambda matching, unseen, _, n: matching <= unseen and n <= unseen
    )
    yield Case((26, 110, 9, 22))


def chain(matching: int, unseen: int, wanted: int, n_draws: int) -> list[float]:
    """Return the probabilities of holding 0, 1, ... wanted cards after some draws; the last is for all of them."""
    ways = [comb(matching, k) * comb(unseen - matching, n_draws - k) for k in range(n_draws + 1)]
    return [p / comb(unseen, n_draws) for p in [*(ways + [0] * wanted)[:wanted], sum(ways[wanted:])]]


def _values_cases(rng: np.random.Generator) -> Iterator[Case]:
    for n in (2, 2, 3, 3, 4, 6, 10, 100):
        yield Case((tuple(map(int, rng.integers(0, 4, n))),))


def _fewer_values(case: Case) -> Iterator[Case]:
    (values,) = case.arguments
    if len(values) > 2:  # noqa: PLR2004 - one value has no standard error
        yield from (Case(((*values[:i], *values[i + 1 :]),)) for i in range(len(values)))


def _call_with_source(function: Callable[..., Any], case: Case) -> Any:  # noqa: ANN401
    """Call the function with a source of values and the number of values to draw."""
    (values,) = case.arguments
    return function(iter([*values, *[99] * len(values)]).__next__, len(values))


def _judge_mean(case: Case, answer: tuple[float, float]) -> Fault | None:
    (values,) = case.arguments
    return same_numbers((np.mean(values), np.std(values, ddof=1) / len(values) ** 0.5), answer)


def _pairs_cases(rng: np.random.Generator) -> Iterator[Case]:
    for n in (2, 2, 3, 3, 4, 6, 10, 100):
        luck = rng.integers(0, 4, n)
        yield Case(tuple(tuple(map(int, luck + rng.integers(0, 3, n))) for _ in range(2)))


def _fewer_pairs(case: Case) -> Iterator[Case]:
    for one, other in zip(*(_fewer_values(Case((values,))) for values in case.arguments), strict=True):
        yield Case((*one.arguments, *other.arguments))


def _judge_pairs(case: Case, answer: tuple[float, float]) -> Fault | None:
    return _judge_mean(Case((np.subtract(*case.arguments),)), answer)


def _games_cases(rng: np.random.Generator) -> Iterator[Case]:
    for n, rate in ((1, 1.0), (4, 0.5), (25, 0.4), (100, 0.25), (400, 0.55)):
        wins = np.arange(n) < round(n * rate)
        yield Case((rng.permutation(wins).astype(np.int64), _RESAMPLES, int(rng.integers(1000))))


def _call_with_rng(function: Callable[..., Any], case: Case) -> Any:  # noqa: ANN401
    wins, n_resamples, seed = case.arguments
    return function(wins.copy(), n_resamples, np.random.default_rng(seed))


def _judge_interval(case: Case, answer: Iterable[float]) -> Fault | None:
    """Compare with the exact distribution of a resampled mean (binomial), within five standard errors at both ends."""
    from scipy.stats import binom

    wins, n_resamples, _ = case.arguments
    n, room = len(wins), 5 * (0.025 * 0.975 / n_resamples) ** 0.5
    low, high = answer
    for end, got, level in (("low", low, 0.025), ("high", high, 0.975)):
        least, most = (binom.ppf(p, n, wins.mean()) / n for p in (level - room, level + room))
        if not least - 1e-9 <= got <= most + 1e-9:
            between = f"{least:.3f}" if least == most else f"{least:.3f} to {most:.3f}"
            return Fault(f"{wins.sum()} wins in {n} games: expected a {end} end of {between}, got {got:.3f}")
    return None


TASKS: Final = {
    "surcharge": Task(
        "f(matching, unseen, revealed)",
        "the probabilities that 0, 1, 2, ... of the cards turned over match",
        _surcharge_cases,
        lambda case, answer: same_numbers(
            surcharge_distribution(*case.arguments[:2], revealed=case.arguments[2]), answer
        ),
    ),
    "expected_draws": Task(
        "f(wanted, matching, unseen)",
        "the mean number of blind draws until `wanted` matching cards are drawn",
        _draws_cases,
        lambda case, answer: same_number(case.arguments[0] * (case.arguments[2] + 1) / (case.arguments[1] + 1), answer),
    ),
    "card_chain": Task(
        "f(matching, unseen, wanted, n_draws)",
        "the probabilities of holding 0, 1, ..., `wanted` matching cards after the draws; the chain stays at `wanted`",
        _chain_cases,
        lambda case, answer: same_numbers(chain(*case.arguments), answer),
    ),
    "monte_carlo": Task(
        "f(draw, n)",
        "the mean of n numbers that `draw()` returns, and its standard error",
        _values_cases,
        _judge_mean,
        _fewer_values,
        _call_with_source,
    ),
    "bootstrap": Task(
        "f(wins, n_resamples, rng)",
        "the ends of the 95% bootstrap interval (percentiles) of a win rate; `wins` is an array of 0 and 1",
        _games_cases,
        _judge_interval,
        call=_call_with_rng,
    ),
    "paired": Task(
        "f(x, y)",
        "the mean of x - y and its standard error; `x[i]` and `y[i]` come from the same deal",
        _pairs_cases,
        _judge_pairs,
        _fewer_pairs,
    ),
}
