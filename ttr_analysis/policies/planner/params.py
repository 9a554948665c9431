"""The numbers of a planner's strategy, as compiled code gets them: see `policy.Planner`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ttr_analysis._compile import Record, float_cell

Floats = npt.NDArray[np.float64]


class Params(Record, dtype=np.float64):
    """The fields of `policy.Planner`, in its order."""

    train_price = float_cell()
    route_price = float_cell()
    point_weight = float_cell()
    tunnel_price = float_cell()
    symbol_price = float_cell()
    faith = float_cell()
    late_price = float_cell()
    cards_per_turn = float_cell()
    trains_per_claim = float_cell()
    extra_train_price = float_cell()
    extra_bar = float_cell()
    wanted_price = float_cell()
    spare_price = float_cell()
    locomotive_price = float_cell()
    breadth = float_cell()
    tunnel_odds = float_cell()
    ticket_bar = float_cell()
    ticket_trains = float_cell()
    ticket_turns = float_cell()
    token_spread = float_cell()
    trail_weight = float_cell()
    opening_bar = float_cell()
    plan_bar = float_cell()
    decline_bar = float_cell()
