"""What examples in docstrings share: names that they need not import, and that their figures are closed."""

import sys
from collections.abc import Iterator

import numpy as np
import pytest

import ttr_analysis as ttr


@pytest.fixture(autouse=True, scope="session")
def _names_of_examples(doctest_namespace: dict[str, object]) -> None:
    doctest_namespace.update(np=np, ttr=ttr)


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
