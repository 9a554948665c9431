from .checking import check as check
from .checking import tasks as tasks
from .graphs import Step as Step
from .graphs import dijkstra_steps as dijkstra_steps
from .verdict import Verdict as Verdict
