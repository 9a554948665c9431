"""The job that checks indices checks those of the kernel too."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import ttr_analysis as ttr
from ttr_analysis.engine.kernel.cards import may_take
from ttr_analysis.engine.layout import State
from ttr_analysis.tables import game_tables

tables = game_tables(ttr.load_map("usa"), 2)
print(may_take(State(), tables, 0))
may_take(State(), tables, State.n_cells)
"""


def test_a_kernel_that_reads_out_of_range_raises(tmp_path: Path) -> None:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("TTR_")}

    result = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        check=False,
        env={**inherited, "TTR_CACHE_DIR": str(tmp_path), "TTR_CHECKS": "1"},
        text=True,
    )

    assert result.stdout == "True\n"
    assert result.returncode == 1
    assert "IndexError: index out of range in may_take" in result.stderr
