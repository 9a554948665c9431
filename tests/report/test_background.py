"""A computation beside the others."""

from __future__ import annotations

import threading

import pytest

from ttr_analysis.report.context import Background


def test_it_runs_beside_the_caller() -> None:
    go, started = threading.Event(), threading.Event()

    def work() -> str:
        started.set()
        go.wait(10)
        return "done"

    background = Background(work)
    assert started.wait(10)
    go.set()
    assert background.result() == "done"
    assert background.result() == "done"


def test_one_begins_after_another_whatever_came_of_that_unless_all_has_ended() -> None:
    go, has_ended = threading.Event(), threading.Event()

    def fail() -> None:
        go.wait(10)
        raise LookupError

    first = Background(fail)
    second = Background(lambda: isinstance(first._future.exception(0), LookupError), first, has_ended)
    go.set()
    assert second.result()
    has_ended.set()
    third = Background(lambda: 3, second, has_ended)
    with pytest.raises(RuntimeError, match="canceled before it started"):
        third.result()


def test_a_fault_comes_out_where_the_result_is_wanted() -> None:
    def fail() -> None:
        msg = "no network"
        raise LookupError(msg)

    with pytest.raises(LookupError, match="no network"):
        Background(fail).result()
