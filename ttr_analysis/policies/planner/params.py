"""Where the numbers of a planner's strategy stand in the vector that compiled code gets: see `policy.Planner`."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

TRAIN_PRICE: Final = 0
ROUTE_PRICE: Final = 1
POINT_WEIGHT: Final = 2
TUNNEL_PRICE: Final = 3
SYMBOL_PRICE: Final = 4
FAITH: Final = 5
LATE_PRICE: Final = 6
CARDS_PER_TURN: Final = 7
TRAINS_PER_CLAIM: Final = 8
EXTRA_TRAIN_PRICE: Final = 9
EXTRA_BAR: Final = 10
WANTED_PRICE: Final = 11
SPARE_PRICE: Final = 12
LOCOMOTIVE_PRICE: Final = 13
BREADTH: Final = 14
TUNNEL_ODDS: Final = 15
TICKET_BAR: Final = 16
TICKET_TRAINS: Final = 17
TICKET_TURNS: Final = 18
TOKEN_SPREAD: Final = 19
TRAIL_WEIGHT: Final = 20
OPENING_BAR: Final = 21
PLAN_BAR: Final = 22
DECLINE_BAR: Final = 23
