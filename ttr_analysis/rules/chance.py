"""
Random streams that are the same compiled, as plain Python, and on every machine.

A stream is four 32-bit numbers in int64 cells, advanced by xoshiro128++ [1]_.
Nothing overflows int64, so plain Python draws the same numbers. A stream is keyed
by (seed, game, purpose), so draws from one never shift another. Streams of seats
have separate keys: otherwise a policy could compute the seed's key from its own
stream, and predict the cards.

References
----------
.. [1] Blackman, D. and Vigna, S. "Scrambled linear pseudorandom number
   generators". ACM Transactions on Mathematical Software 47 (2021).
"""

from __future__ import annotations

from hashlib import blake2b
from operator import index
from typing import Final, SupportsIndex

import numpy as np

from ttr_analysis._compile import Ints, compiled, quickly_compiled

KEY_SIZE: Final = 4
"""Numbers of 32 bits in a stream, and in the key from which streams are opened."""

TABLE_STREAM: Final = 0
"""Purpose of the stream that deals, draws and shuffles; that of a seat's policy is 1 + seat."""

_MASK: Final = 0xFFFFFFFF

# Odd numbers below 2**31, so that a product with 32 bits fits int64. The first is from Wellons' search for
# mixing functions of low bias, the second is the golden ratio's fraction.
_MIX_1: Final = 0x7FEB352D
_MIX_2: Final = 0x4F1BBCDD


def seed_key(seed: int) -> Ints:
    """
    Return the key of a seed, a whole number of 0 or more.

    >>> seed_key(7).size
    4
    """
    whole: object = seed
    if isinstance(whole, bool) or not isinstance(whole, SupportsIndex) or index(whole) < 0:
        msg = f"a seed must be a whole number of 0 or more, got {seed!r}"
        raise ValueError(msg)
    return np.random.SeedSequence(index(whole)).generate_state(KEY_SIZE).astype(np.int64)


def policy_key(seed: int, seat: int) -> Ints:
    """
    Return the key of the streams of the policy at a seat; it does not reveal the key of the seed.

    Anyone who guesses the seed can still compute both.

    >>> (policy_key(7, 0) == policy_key(7, 1)).any()
    np.False_
    """
    digest = blake2b(f"{index(seed)} {seat}".encode(), digest_size=4 * KEY_SIZE, person=b"policy").digest()
    return np.frombuffer(digest, dtype="<u4").astype(np.int64)


def run_keys(seed: int, n_seats: int) -> Ints:
    """Return the keys of a run of games, one row each: the table's, then those of the policy at each seat."""
    return np.array([seed_key(seed), *(policy_key(seed, seat) for seat in range(n_seats))])


def stream_from(rng: np.random.Generator) -> Ints:
    """
    Return a new stream for compiled code from a NumPy generator, which advances.

    >>> (stream_from(np.random.default_rng(7)) == stream_from(np.random.default_rng(7))).all()
    np.True_
    """
    stream = rng.integers(0, 2**32, KEY_SIZE, dtype=np.int64)
    stream[0] |= 1  # four zeros would stay zeros
    return stream


@quickly_compiled
def open_stream(key: Ints, game: int, purpose: int, stream: Ints) -> None:
    """
    Start the stream of a game (numbered below 2**62) for a purpose, `TABLE_STREAM` or 1 + seat.

    >>> stream = np.zeros(4, dtype=np.int64)
    >>> open_stream(seed_key(7), 0, TABLE_STREAM, stream)
    >>> [int(below(stream, 110)) for _ in range(5)] == [int(below(stream, 110)) for _ in range(5)]
    False
    """
    low = game & _MASK
    high = game >> 32
    for i in range(KEY_SIZE):
        word = _mixed(key[i] ^ _mixed(low + (i + 1) * 0x3504F333))
        word = _mixed(word ^ _mixed(high + 0x2545F491))
        stream[i] = _mixed(word ^ _mixed(purpose + 0x61C88647))
    stream[0] |= 1  # four zeros would stay zeros


@compiled
def _mixed(word: int) -> int:
    """Return 32 bits that each depend on all 32 bits of `word`, one to one."""
    word &= _MASK
    word = ((word ^ (word >> 16)) * _MIX_1) & _MASK
    word = ((word ^ (word >> 15)) * _MIX_2) & _MASK
    return word ^ (word >> 16)


@compiled
def below(stream: Ints, n: int) -> int:
    """
    Return a random number from 0 to n - 1, for n up to 2**31.

    The probabilities of two numbers differ by a factor of less than 1 + n / (2**32 - n).
    """
    s0 = stream[0]
    s1 = stream[1]
    s2 = stream[2] ^ s0
    s3 = stream[3] ^ s1
    total = (s0 + stream[3]) & _MASK
    number = ((((total << 7) & _MASK) | (total >> 25)) + s0) & _MASK
    stream[0] = s0 ^ s3
    stream[1] = s1 ^ s2
    stream[2] = s2 ^ ((s1 << 9) & _MASK)
    stream[3] = ((s3 << 11) & _MASK) | (s3 >> 21)
    return int((number * n) >> 32)
