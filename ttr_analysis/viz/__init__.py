"""Pictures: boards and charts. Data and axes in, artists out; nothing here computes."""

from ttr_analysis.viz.board import plot_map

__all__ = ["plot_map"]
