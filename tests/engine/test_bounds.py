"""The job that checks indices checks those of the kernel too."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import numpy as np
import ttr_analysis as ttr
from ttr_analysis.engine.kernel.cards import may_take
from ttr_analysis.engine.layout import STATE_SIZE
from ttr_analysis.tables.games import game_tables

tables = game_tables(ttr.load_map("usa"), 2)
print(may_take(np.zeros(STATE_SIZE, dtype=np.int64), tables, 0))
may_take(np.zeros(STATE_SIZE, dtype=np.int64), tables, STATE_SIZE)
"""


def test_a_kernel_that_reads_out_of_range_raises(tmp_path: Path) -> None:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "TTR_"))}

    result = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        check=False,
        env={**inherited, "TTR_CACHE_DIR": str(tmp_path), "NUMBA_BOUNDSCHECK": "1"},
        text=True,
    )

    assert result.stdout == "True\n"
    assert result.returncode == 1
    assert "IndexError: index is out of bounds" in result.stderr
