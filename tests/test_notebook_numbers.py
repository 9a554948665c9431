"""Numbers in the texts of notebooks are those that the checks expect."""

import copy
import json
import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from scripts.notebook_numbers import FORMULA, NO_PROSE, OUTSIDE, expected, wrong_numbers
from scripts.store_notebooks import notebooks

N_CHANGES, LEAST_FOUND = 200, 0.95
PLAYER = re.compile(r"\bP\d\b")
ADDRESS = re.compile(r"\]\([^)]*\)|\[(?:doi|arXiv):[^\]]*\]")


@cache
def read(path: Path) -> dict[str, Any]:
    """Return a notebook."""
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def cell(kind: str, source: str, *tags: str) -> dict[str, Any]:
    """Return a cell."""
    return {"cell_type": kind, "id": source[:9], "metadata": {"tags": list(tags)}, "source": [source]}


def wrong(text: str, check: str = "assert (found, share) == (1_234.5, 0.441)") -> list[str]:
    """Return what is wrong in a notebook with a text and a check in its first section, and results in the next."""
    cells = [
        cell("markdown", "# A map of 7 cities"),
        cell("code", "assert n_cities == 7", "checks"),
        cell("markdown", f"## The board\n\n{text}"),
        cell("code", check, "checks"),
        cell("markdown", "## Next"),
        cell("code", "assert size == 500", "checks"),
        cell("markdown", "The size is 500"),
    ]
    return wrong_numbers({"cells": cells})


def test_texts_quote_what_checks_expect() -> None:
    faults = {path.stem: wrong_numbers(read(path), path.stem) for path in notebooks()}

    assert {name: found for name, found in faults.items() if found} == {}
    assert OUTSIDE.keys() <= faults.keys()


def test_a_digit_changed_in_a_text_is_found() -> None:
    """What is not found has a number that another sentence of the section has, and is quoted twice."""
    digits = [(path, i, at) for path in notebooks() for i, at in places_of_digits(read(path))]
    rng = random.Random(7)  # noqa: S311 - no secret
    n_found = 0
    for path, i, at in rng.sample(digits, N_CHANGES):
        notebook = {**read(path), "cells": copy.copy(read(path)["cells"])}
        text = "".join(notebook["cells"][i]["source"])
        other = rng.choice([digit for digit in "0123456789" if digit != text[at]])
        notebook["cells"][i] = {**notebook["cells"][i], "source": [text[:at] + other + text[at + 1 :]]}
        n_found += wrong_numbers(notebook, path.stem) != []

    assert n_found >= LEAST_FOUND * N_CHANGES


def places_of_digits(notebook: dict[str, Any]) -> list[tuple[int, int]]:
    """Return the cells and places of digits in prose: not of code, formulas, addresses and names of players."""
    texts = [(i, "".join(c["source"])) for i, c in enumerate(notebook["cells"]) if c["cell_type"] == "markdown"]
    return [(i, at) for i, text in texts for at, letter in enumerate(without_other_digits(text)) if letter.isdigit()]


def without_other_digits(text: str) -> str:
    """Return a text of the same length with blanks for what is no prose."""
    for pattern in (NO_PROSE, FORMULA, PLAYER, ADDRESS):
        text = pattern.sub(lambda found: " " * len(found[0]), text)
    return text


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        pytest.param("It takes 1,234.5 trains, in 44.1% of 100 games", [], id="as checked"),
        pytest.param("It takes 1,234.5 trains, in 44% of games with 7 cities", [], id="rounded, and checked at first"),
        pytest.param("1,234.5 trains in `f(99)`, of [Feller 68](https://example.org/68), 44.1%", [], id="no prose"),
        pytest.param("1,234.5 trains of P1, or $0.441 \\cdot 500$", ["0.441"], id="a formula of numbers in code"),
        pytest.param("It takes 1,235.5 trains, in 44.1%", ["1,235.5", "1234.5"], id="another number"),
        pytest.param("It takes 1,234.5 trains, in 44.2%", ["44.2", "0.441"], id="another share"),
        pytest.param("It takes 1,234.5 or 44.1 trains", ["44.1", "0.441"], id="no share"),
        pytest.param("1,234.5, 44.1%; 500 below", ["500"], id="checked in another section"),
    ],
)
def test_a_number_needs_a_check_and_a_check_a_text(text: str, faults: list[str]) -> None:
    found = wrong(text)

    assert len(found) == len(faults)
    assert all(number in fault for number, fault in zip(faults, found, strict=True))


def test_what_is_counted_is_counted_from_one() -> None:
    assert wrong("1,234.5, 44.1%\n\n**Exercise 2.** Why?") == ["sections or exercises are not counted from 1: [2]"]


def test_a_check_expects_the_numbers_that_stand_alone_in_a_comparison() -> None:
    check = 'assert FAST or [n.round(2), len(x) - 3] == [0.5, -4, "6 of 7 games", True], "8 games"'

    assert sorted(expected(check)) == [0.5, 4, 6, 7]
    assert expected("assert np.isclose(f(9), 0.25)\nx = 5 == y\nassert sum(n > 1 for n in x) == 2 * 3") == [0.25]
    assert wrong("It has five", "assert n == 5") == []
