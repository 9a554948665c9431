"""
A PettingZoo environment, in which every seat is an agent, and Gymnasium environments for one seat against opponents.

Gymnasium plays one game, or many side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final, Literal

import numpy as np
import numpy.typing as npt

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector.utils import batch_space
    from pettingzoo import AECEnv
except ImportError as error:
    raise ImportError('PettingZoo is needed here: pip install "ttr-analysis[rl]"') from error

from ttr_analysis.engine.layout import Ending
from ttr_analysis.engine.protocol import PolicyLike
from ttr_analysis.engine.state import GameState
from ttr_analysis.envs.batch import Batch, Reward
from ttr_analysis.envs.observing import HIGHEST, Encoder
from ttr_analysis.maps.loading import MapLike

Features = npt.NDArray[np.float32]

_SEEDS: Final = 1 << 31
MODES: Final = ("svg", "rgb_array")
"""Render modes: SVG text, or an array of RGB pixels."""


def check_mode(mode: str | None) -> None:
    """Raise a ValueError for an unknown render mode."""
    if mode is not None and mode not in MODES:
        raise ValueError(f"expected a render_mode of {' or '.join(map(repr, MODES))}, or None, got {mode!r}")


def picture(state: GameState, mode: str | None) -> str | npt.NDArray[np.uint8] | None:
    """Return the board of a state in a render mode; None for mode None."""
    from ttr_analysis.viz.board import map_pixels
    from ttr_analysis.viz.svg import map_svg

    if mode is None:
        return None
    if mode == "svg":
        return str(map_svg(state.game_map, state.owners, stations=state.stations))
    owned = {f"P{seat}": state.routes_of(seat) for seat in range(state.n_players)}
    owned |= {"neutral": state.routes_of("neutral")} if state.game_map.rules.neutral.trains else {}
    return map_pixels(state.game_map, owned=owned, stations={k: f"P{v}" for k, v in state.stations.items()})


def begin_game(batch: Batch, following: int, seed: int | None, options: dict[str, Any] | None) -> int:
    """Begin the game given by the options, game 0 of a seed, or the `following` one; return the next game's number."""
    number: int = (options or {}).get("game", following if seed is None else 0)
    batch.reset(seed, first=number)
    return number + 1


def features_space(batch: Batch, *, is_bounded: bool) -> Any:  # noqa: ANN401 - a Box
    """Return the observation space of one seat; only the built-in encoder has bounds."""
    low, high = (0.0, HIGHEST) if is_bounded else (-np.inf, np.inf)
    return spaces.Box(low, high, (len(batch.features),), np.float32)


# -- PettingZoo ----------------------------------------------------------------------------------------------------


class AEC(AECEnv[str, Features, int]):  # type: ignore[misc]
    """
    A PettingZoo environment for one game, in which agents act in turn.

    Agents are "player_0", "player_1" and so on. `info["action_mask"]` marks the
    acting agent's legal actions. `reset(seed)` begins game 0 of a run, the game that
    `Game.play` plays with that seed; `reset()` begins the next game.

    Parameters
    ----------
    game_map
        The map, in the variant to play.
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


# -- Gymnasium -----------------------------------------------------------------------------------------------------


def _batch(
    game_map: MapLike,
    n_games: int,
    opponents: Sequence[PolicyLike],
    seat: int,
    **how: Any,  # noqa: ANN401 - arguments of `Batch`
) -> Batch:
    """Return games with opponents at all seats but one; the next games start only on request."""
    if not 0 <= seat <= len(opponents):
        raise ValueError(f"expected a seat from 0 to {len(opponents)}, got {seat}")
    seated = [*opponents[:seat], None, *opponents[seat:]]
    return Batch(game_map, n_games, len(seated), opponents=seated, auto_reset=False, **how)


class Single(gymnasium.Env[Features, np.int64]):
    """
    A Gymnasium environment for one seat of a game against named opponents.

    `reset(seed=7)` begins game 0 of the run with that seed, the same as `Game.play`;
    `reset()` begins the next game, or at first game 0 of a random seed. The mask of legal
    actions is `info["action_mask"]` and the result of `action_masks()`.

    Parameters
    ----------
    game_map
        The map, in the variant to play.
    opponents
        Compiled policies at the other seats, or their names.
    on_illegal
        "random" replaces an illegal action by a random legal one and sets
        `info["illegal"]`; "raise" raises an `IllegalActionError`.
    reward, encoder
        As for `Batch`.
    render_mode
        "svg" or "rgb_array": what `render` returns.

    Examples
    --------
    >>> import gymnasium
    >>> env = gymnasium.make("ttr_analysis.envs.gym:TicketToRide-v0", game_map="usa", opponents=["Greedy"])
    >>> observation, info = env.reset(seed=7)
    >>> terminated = truncated = False
    >>> while not (terminated or truncated):
    ...     action = np.flatnonzero(info["action_mask"])[0]
    ...     observation, reward, terminated, truncated, info = env.step(action)
    >>> reward
    0.0
    """

    metadata: dict[str, Any] = {"render_modes": [*MODES], "render_fps": 1}  # noqa: RUF012 - annotated as in its base

    def __init__(
        self,
        game_map: MapLike = "nordic",
        opponents: Sequence[PolicyLike] = ("Greedy",),
        seat: int = 0,
        *,
        on_illegal: Literal["random", "raise"] = "random",
        reward: Reward = "win",
        encoder: Encoder | None = None,
        render_mode: str | None = None,
    ) -> None:
        check_mode(render_mode)
        if on_illegal not in ("random", "raise"):
            raise ValueError(f"expected on_illegal to be 'random' or 'raise', got {on_illegal!r}")
        self.render_mode = render_mode
        self._on_illegal, self._seat = on_illegal, seat
        self._batch = _batch(game_map, 1, opponents, seat, reward=reward, encoder=encoder)
        self.action_space = spaces.Discrete(self._batch.n_actions)
        self.observation_space: spaces.Space[Features] = features_space(self._batch, is_bounded=encoder is None)
        self._next_game = -1

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Features, dict[str, Any]]:
        """Begin a game; `options["game"]` is its number in the run."""
        super().reset(seed=seed)
        if seed is None and self._next_game < 0:
            seed = int(self.np_random.integers(_SEEDS))
        self._next_game = begin_game(self._batch, self._next_game, seed, options)
        return self._observed(), self._info(is_illegal=False)

    def step(self, action: Any) -> tuple[Features, float, bool, bool, dict[str, Any]]:  # noqa: ANN401 - a number
        """Perform an action, and let the opponents act until it is your turn again."""
        mask, index = self.action_masks(), int(action)
        is_illegal = not (0 <= index < len(mask) and mask[index])
        if is_illegal and self._on_illegal == "random" and mask.any():
            index = int(self.np_random.choice(np.flatnonzero(mask)))
        rewards, done, _ = self._batch.step(np.array([index]))
        is_cut = bool(self._batch.endings[0] == Ending.TRUNCATED)
        is_over = bool(done[0])
        info = self._info(is_illegal=is_illegal)
        return self._observed(), float(rewards[0, self._seat]), is_over and not is_cut, is_over and is_cut, info

    def action_masks(self) -> npt.NDArray[np.int8]:
        """Return 1 for each legal action, else 0."""
        return np.asarray(self._batch.mask()[0])

    def render(self) -> Any:  # noqa: ANN401 - str, array or None
        """Return the board in the render mode."""
        return picture(self._batch.state(0), self.render_mode)

    def _observed(self) -> Features:
        return np.asarray(self._batch.observe(seats=np.array([self._seat]))[0])

    def _info(self, *, is_illegal: bool) -> dict[str, Any]:
        return {"action_mask": self.action_masks(), "illegal": is_illegal}


class Vector(gymnasium.vector.VectorEnv[Features, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """
    A Gymnasium vector environment for one seat in many games, based on `Batch`.

    When a game ends, the next one starts at once; `infos["final_obs"]` has the last
    observation. Illegal actions raise errors.

    Parameters
    ----------
    num_envs
        Number of games.
    game_map, opponents, seat, reward, encoder
        As for `Single`.
    n_threads
        As for `Batch`.

    Examples
    --------
    >>> import gymnasium
    >>> envs = gymnasium.make_vec("ttr_analysis.envs.gym:TicketToRide-v0", num_envs=8, opponents=["Planner"])
    >>> observations, infos = envs.reset(seed=7)
    >>> actions = ttr.envs.random_actions(infos["action_mask"], np.random.default_rng(7))
    >>> observations, rewards, terminations, truncations, infos = envs.step(actions)
    >>> observations.shape[0], rewards.tolist()
    (8, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    """

    metadata: dict[str, Any] = {"autoreset_mode": gymnasium.vector.AutoresetMode.SAME_STEP}  # noqa: RUF012 - as in its base

    def __init__(
        self,
        num_envs: int = 1,
        game_map: MapLike = "nordic",
        opponents: Sequence[PolicyLike] = ("Greedy",),
        seat: int = 0,
        *,
        reward: Reward = "win",
        encoder: Encoder | None = None,
        n_threads: int = 1,
    ) -> None:
        self.num_envs, self._seat = num_envs, seat
        how: dict[str, Any] = {"reward": reward, "encoder": encoder, "n_threads": n_threads}
        self._batch = _batch(game_map, num_envs, opponents, seat, **how)
        self.single_action_space = spaces.Discrete(self._batch.n_actions)
        self.single_observation_space = features_space(self._batch, is_bounded=encoder is None)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Features, dict[str, Any]]:
        """Begin the first games of a run, by default with a random seed."""
        super().reset(seed=seed, options=options)
        self._batch.reset(int(self.np_random.integers(_SEEDS)) if seed is None else seed)
        return self._batch.observe(), {"action_mask": self._batch.mask()}

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[Features, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Perform an action in every game, and let the opponents act."""
        rewards, done, _ = self._batch.step(actions)
        is_cut = done & (self._batch.endings == Ending.TRUNCATED)
        infos: dict[str, Any] = {}
        if done.any():
            last = self._batch.observe(seats=np.full(self.num_envs, self._seat))
            final = np.full(self.num_envs, None, dtype=object)
            for slot in np.flatnonzero(done):
                final[slot] = last[slot]
            infos = {"final_obs": final, "_final_obs": done.copy()}
            self._batch.renew()
        infos["action_mask"] = self._batch.mask()
        return self._batch.observe(), rewards[:, self._seat], done & ~is_cut, is_cut, infos


gymnasium.register(
    "TicketToRide-v0",
    entry_point="ttr_analysis.envs.gym:Single",
    vector_entry_point="ttr_analysis.envs.gym:Vector",
)
