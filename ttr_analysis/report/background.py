"""A long computation beside the others."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Generic, TypeVar

T = TypeVar("T")


class Background(Generic[T]):
    """
    The result of a function that runs in a thread of its own from now on.

    Of use where the function lets others run meanwhile, as the solver of
    integer programs does. The thread ends with the process, so that an
    interrupt need not wait for it.

    Parameters
    ----------
    function
        Computes the result.

    Examples
    --------
    >>> Background(lambda: 6 * 7).result()
    42
    """

    def __init__(self, function: Callable[[], T]) -> None:
        self._function = function
        self._results: list[T] = []
        self._faults: list[BaseException] = []
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._results.append(self._function())
        except BaseException as fault:  # noqa: BLE001 - raised again by `result`
            self._faults.append(fault)

    def result(self) -> T:
        """
        Wait for the result and return it, or raise what the function raised.

        The wait can be interrupted.
        """
        while self._thread.is_alive():
            self._thread.join(_SECONDS)
        for fault in self._faults:
            raise fault
        return self._results[0]


_SECONDS = 0.1
"""Between two looks: a wait without end would not notice an interrupt on every system."""
