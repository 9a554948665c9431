"""The study of a map: one self-contained page, and its tables as CSV files."""

from ttr_analysis.report.context import Settings
from ttr_analysis.report.study import Study, run_study, write_study

__all__ = ["Settings", "Study", "run_study", "write_study"]
