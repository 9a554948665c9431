"""`python -m ttr_analysis`: the command `ttr-analysis` when it is not on the shell's path."""

import sys

from ttr_analysis.cli import main

if __name__ == "__main__":
    sys.exit(main())
