"""Pictures: boards and charts. Data and axes in, artists out; nothing here computes."""

from ttr_analysis.viz.board import plot_map
from ttr_analysis.viz.charts import plot_card_odds, plot_ticket_values, plot_tunnel_odds

__all__ = ["plot_card_odds", "plot_map", "plot_ticket_values", "plot_tunnel_odds"]
