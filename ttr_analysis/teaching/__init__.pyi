from .checking import Verdict as Verdict
from .checking import check as check
from .checking import tasks as tasks
from .task import Step as Step
from .task import dijkstra_steps as dijkstra_steps
