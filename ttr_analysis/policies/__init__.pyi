from .greedy import Greedy as Greedy
from .planner.policy import Planner as Planner
from .planner.policy import Planner1 as Planner1
from .playout import CompiledPolicy as CompiledPolicy
from .playout import Policy as Policy
from .playout import play_games as play_games
from .random import Random as Random
from .search.searcher import Searcher as Searcher
