"""
Tunnels: the surcharge, the odds of a claim, and spare cards.

What is in closed form is exact, in whole numbers until the last division; the
simulations carry their standard errors.
"""

from ttr_analysis.analysis.tunnels.odds import (
    ClaimOdds,
    best_payment,
    claim_odds,
    odds_table,
    pool_from_seen,
    spare_cards,
    spare_needed,
    surcharge_distribution,
)
from ttr_analysis.analysis.tunnels.simulation import (
    PathSimulation,
    simulate_claim,
    simulate_path,
    simulate_surcharges,
)

__all__ = [
    "ClaimOdds",
    "PathSimulation",
    "best_payment",
    "claim_odds",
    "odds_table",
    "pool_from_seen",
    "simulate_claim",
    "simulate_path",
    "simulate_surcharges",
    "spare_cards",
    "spare_needed",
    "surcharge_distribution",
]


def __dir__() -> list[str]:
    return __all__
