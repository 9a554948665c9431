"""Settings of the whole suite. Fixtures are in `tests/fixtures.py`."""

import gc
import os
import sys

from hypothesis import settings

pytest_plugins = ["tests.fixtures"]

os.environ.setdefault("MPLBACKEND", "Agg")  # pictures need no display
# A grammar of addresses, which takes seconds to import, for checks that our notebooks do not need.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]

# "steady" tries the same examples in every run; `pytest --hypothesis-profile=search` looks for new ones.
settings.register_profile("steady", deadline=None, max_examples=50, derandomize=True, database=None)
settings.register_profile("search", deadline=None, max_examples=2_000, print_blob=True)
# Plain Python is slow, and the compiled pass tries the same laws on twice as many.
settings.register_profile("plain", settings.get_profile("steady"), max_examples=25)
settings.load_profile("plain" if os.environ.get("TTR_PLAIN", "") not in ("", "0") else "steady")


def pytest_collection_finish() -> None:
    """Leave the tests themselves out of each search for garbage, which takes a twentieth of the time."""
    gc.collect()
    gc.freeze()
