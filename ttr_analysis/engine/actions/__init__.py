"""
What a seat can do, in the words of the game, and as the two numbers that the kernel takes.

An action does not say who acts: the state does. Each has a section of its own
in the file of its family, with its rules, its place in records and its words;
`table` lists them.
"""

from ttr_analysis.engine.actions.attempting import AttemptTunnel
from ttr_analysis.engine.actions.building import (
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
