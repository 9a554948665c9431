from .costs import RouteCosts as RouteCosts
from .explorer import TicketExplorer as TicketExplorer
from .odds import TunnelOdds as TunnelOdds
from .recorder import GameRecorder as GameRecorder
from .stepper import GameStepper as GameStepper
from .table import GameTable as GameTable
from .trainer import Trainer as Trainer
