"""
Actions in the words of the game, and as the two numbers that the kernel uses.

An action does not name the seat that acts; the state does. Each action has its own
section in the file of its family, with its rules, its form in records and its messages;
`table` lists all actions.
"""

from ttr_analysis.engine.actions.building import (
    AttemptTunnel,
    BuildStation,
    ChooseNeutralRoute,
    ClaimRoute,
    DeclineTunnel,
    PayTunnel,
)
from ttr_analysis.engine.actions.drawing import DrawCard, DrawFaceUp, DrawTickets, KeepTickets
from ttr_analysis.engine.actions.table import Action, LegalActions, Pass


def __dir__() -> list[str]:
    return __all__


__all__ = [
    "Action",
    "AttemptTunnel",
    "BuildStation",
    "ChooseNeutralRoute",
    "ClaimRoute",
    "DeclineTunnel",
    "DrawCard",
    "DrawFaceUp",
    "DrawTickets",
    "KeepTickets",
    "LegalActions",
    "Pass",
    "PayTunnel",
]
