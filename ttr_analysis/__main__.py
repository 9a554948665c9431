"""`python -m ttr_analysis`: the command `ttr-analysis`, for when it is not on the PATH."""

import sys

from ttr_analysis.cli import main

if __name__ == "__main__":
    sys.exit(main())
