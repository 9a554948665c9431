"""Who will win: games played on from what one seat can know, the turning points of a game, and what can be inferred."""

from ttr_analysis.studies.winning.inference import route_gone, ticket_posterior
from ttr_analysis.studies.winning.probability import CURVE_COLUMNS, turning_points, win_curve, win_probability

__all__ = ["CURVE_COLUMNS", "route_gone", "ticket_posterior", "turning_points", "win_curve", "win_probability"]
