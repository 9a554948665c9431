from .costs import RouteCosts as RouteCosts
from .costs import TunnelOdds as TunnelOdds
from .explorer import TicketExplorer as TicketExplorer
from .recorder import GameRecorder as GameRecorder
from .stepper import GameStepper as GameStepper
from .table import GameTable as GameTable
from .trainer import Trainer as Trainer
