"""A short function is Python's own where Python calls it, and part of the machine code where that does."""

from __future__ import annotations

import inspect

import pytest

from ttr_analysis._compile import SubsetError, compiled, short
from ttr_analysis._compile.calls import is_plain
from ttr_analysis.engine.codes import ARGUMENT_SHIFT, argument_of, kind_of, make_event


@compiled
def argument_plus(code: int, n: int) -> int:
    """Call a short function from compiled code."""
    return argument_of(code) + n


def test_python_calls_the_function_itself() -> None:
    assert inspect.isfunction(kind_of)
    assert kind_of(make_event(5, 3, 80)) == 5


def test_compiled_code_takes_it_in() -> None:
    assert argument_plus(80 << ARGUMENT_SHIFT, 2) == 82


def test_what_it_may_hold_is_what_compiled_functions_may() -> None:
    @short
    def text(n: int) -> str:
        return f"{n}"

    @compiled
    def caller(n: int) -> int:
        text(n)
        return n

    assert text(3) == "3"
    if not is_plain():
        with pytest.raises(SubsetError, match="text"):
            caller(3)
