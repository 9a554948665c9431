"""
What pays for a route: all payments of a hand, the cheapest, and what it costs.

Works for any route of any map: the route says which spaces it has, where
locomotives are jokers, and how many cards of any kind may stand in for one.
"""

from ttr_analysis.analysis.payments.choice import Keep, PaymentOptions, cheapest, options
from ttr_analysis.analysis.payments.cost import cards_missing, cards_needed, cards_table, cheapest_color, color_table
from ttr_analysis.analysis.payments.expected import expected_draws, simulate_draws
from ttr_analysis.analysis.payments.joint import can_pay_all, pay_all
from ttr_analysis.analysis.payments.model import (
    Cards,
    Payment,
    can_pay,
    from_cards,
    is_legal,
    why_illegal,
    why_not,
)
from ttr_analysis.analysis.payments.opportunity import expected_cards, opportunity_cost

__all__ = [
    "Cards",
    "Keep",
    "Payment",
    "PaymentOptions",
    "can_pay",
    "can_pay_all",
    "cards_missing",
    "cards_needed",
    "cards_table",
    "cheapest",
    "cheapest_color",
    "color_table",
    "expected_cards",
    "expected_draws",
    "from_cards",
    "is_legal",
    "opportunity_cost",
    "options",
    "pay_all",
    "simulate_draws",
    "why_illegal",
    "why_not",
]
