"""What was best: advice for a position, and reviews of whole games, with what was skill and what was luck."""

from ttr_analysis.studies.reviews.advice import Advice, advise
from ttr_analysis.studies.reviews.whole_game import Review, player_results, review

__all__ = ["Advice", "Review", "advise", "player_results", "review"]
