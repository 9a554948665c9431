"""Names that every example in a docstring may use without importing them."""

import numpy as np
import pytest

import ttr_analysis as ttr


@pytest.fixture(autouse=True, scope="session")
def _names_of_examples(doctest_namespace: dict[str, object]) -> None:
    doctest_namespace.update(np=np, ttr=ttr)
