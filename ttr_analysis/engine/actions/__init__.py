"""
What a seat can do, in the words of the game, and as the two numbers that the kernel takes.

An action does not say who acts: the state does. Each has a file of its own,
with its rules, its place in records and its words; `table` lists them.
"""

from ttr_analysis.engine.actions.build_station import BuildStation
from ttr_analysis.engine.actions.choose_neutral import ChooseNeutralRoute
from ttr_analysis.engine.actions.claim_route import ClaimRoute
from ttr_analysis.engine.actions.decline_tunnel import DeclineTunnel
from ttr_analysis.engine.actions.draw_card import DrawCard
from ttr_analysis.engine.actions.draw_face_up import DrawFaceUp
from ttr_analysis.engine.actions.draw_tickets import DrawTickets
from ttr_analysis.engine.actions.keep_tickets import KeepTickets
from ttr_analysis.engine.actions.pass_turn import Pass
from ttr_analysis.engine.actions.pay_tunnel import PayTunnel
from ttr_analysis.engine.actions.table import Action, LegalActions


def __dir__() -> list[str]:
    return __all__


__all__ = [
    "Action",
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
