"""A PettingZoo environment: one game in which every seat is an agent."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
except ImportError as error:
    raise ImportError('PettingZoo is needed here: pip install "ttr-analysis[rl]"') from error

from ttr_analysis.engine.layout import Ending
from ttr_analysis.engine.state import GameState
from ttr_analysis.envs.batch import Batch, Reward
from ttr_analysis.envs.observing import HIGHEST, Encoder
from ttr_analysis.envs.pictures import MODES, check_mode, picture
from ttr_analysis.maps.loading import MapLike

Features = npt.NDArray[np.float32]


class AEC(AECEnv[str, Features, int]):  # type: ignore[misc]
    """
    A PettingZoo environment for one game, in which agents act in turn.

    Agents are "player_0", "player_1" and so on. `info["action_mask"]` marks the
    acting agent's legal actions. `reset(seed)` begins game 0 of a run, the game that
    `Game.play` plays with that seed; `reset()` begins the next game.

    Parameters
    ----------
    game_map
        The map, as the variant to play.
    seed
        Seed of the run until `reset` gets another one.
    reward, encoder
        As for `Batch`.
    render_mode
        "svg" or "rgb_array": what `render` returns.

    Examples
    --------
    >>> env = ttr.envs.AEC("usa", seed=7)
    >>> env.reset()
    >>> for agent in env.agent_iter():
    ...     observation, reward, terminated, truncated, info = env.last()
    ...     over = terminated or truncated
    ...     env.step(None if over else int(np.flatnonzero(info["action_mask"])[0]))
    >>> env.game.ending
    'trains'
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "ticket_to_ride_v0",
        "render_modes": [*MODES],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        game_map: MapLike,
        n_players: int = 2,
        *,
        seed: int = 0,
        reward: Reward = "win",
        encoder: Encoder | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        check_mode(render_mode)
        self.render_mode = render_mode
        self._batch = Batch(game_map, 1, n_players, seed=seed, reward=reward, encoder=encoder, auto_reset=False)
        self.possible_agents = [f"player_{seat}" for seat in range(n_players)]
        self._actions = {agent: spaces.Discrete(self._batch.n_actions) for agent in self.possible_agents}
        self._observations: dict[str, spaces.Space[Any]] = {
            agent: features_space(self._batch, is_bounded=encoder is None) for agent in self.possible_agents
        }
        self._next_game = 0

    def action_space(self, agent: str) -> Any:  # noqa: ANN401 - a space
        """Return the space of action numbers, the same for each agent."""
        return self._actions[agent]

    def observation_space(self, agent: str) -> Any:  # noqa: ANN401 - a space
        """Return the space of observations, the same for each agent."""
        return self._observations[agent]

    @property
    def game(self) -> GameState:
        """The full state of the game, hidden cards included."""
        return self._batch.state(0)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """
        Begin a game.

        Parameters
        ----------
        seed
            Seed of a new run, starting at game 0; None continues with the next game.
        options
            `{"game": n}` starts game `n` of the run instead.
        """
        self._next_game = begin_game(self._batch, self._next_game, seed, options)
        self.agents = [*self.possible_agents]
        self.rewards: dict[str, float] = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards: dict[str, float] = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self._select(self._batch.seats[0])

    def _select(self, seat: int) -> None:
        """Let the agent at a seat act."""
        self.agent_selection = self.agents[seat]
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.infos[self.agent_selection] = {"action_mask": self._batch.mask()[0]}

    def observe(self, agent: str) -> Features:
        """Return what an agent sees now."""
        seat = self.possible_agents.index(agent)
        return np.asarray(self._batch.observe(seats=np.array([seat]))[0])

    def step(self, action: int | None) -> None:
        """
        Perform the acting agent's action; None once its game is over.

        Raises
        ------
        IllegalActionError
            If the action is illegal.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        rewards, done, seats = self._batch.step(np.array([-1 if action is None else action]))
        self.rewards = dict(zip(self.agents, rewards[0].tolist(), strict=True))
        self._select(seats[0])
        self._accumulate_rewards()
        if done[0]:
            is_cut = bool(self._batch.endings[0] == Ending.TRUNCATED)
            self.terminations = dict.fromkeys(self.agents, not is_cut)
            self.truncations = dict.fromkeys(self.agents, is_cut)
            self._deads_step_first()

    def render(self) -> Any:  # noqa: ANN401 - str, array or None
        """Return the board in the render mode."""
        return picture(self.game, self.render_mode)

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def begin_game(batch: Batch, following: int, seed: int | None, options: dict[str, Any] | None) -> int:
    """Begin the game given by the options, game 0 of a seed, or the `following` one; return the next game's number."""
    number: int = (options or {}).get("game", following if seed is None else 0)
    batch.reset(seed, first=number)
    return number + 1


def features_space(batch: Batch, *, is_bounded: bool) -> Any:  # noqa: ANN401 - a Box
    """Return the observation space of one seat; only the built-in encoder has bounds."""
    low, high = (0.0, HIGHEST) if is_bounded else (-np.inf, np.inf)
    return spaces.Box(low, high, (len(batch.features),), np.float32)
