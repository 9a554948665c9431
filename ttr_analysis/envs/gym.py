"""Gymnasium environments: one seat against opponents, in one game or in many side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from ttr_analysis.envs.aec import Features, begin_game, features_space  # first: its error names the package to install

import gymnasium  # isort: skip
from gymnasium import spaces  # isort: skip
from gymnasium.vector.utils import batch_space  # isort: skip

from ttr_analysis.engine.layout import Ending
from ttr_analysis.engine.protocol import PolicyLike
from ttr_analysis.envs.batch import Batch, Reward
from ttr_analysis.envs.observing import Encoder
from ttr_analysis.envs.pictures import MODES, check_mode, picture
from ttr_analysis.maps.loading import MapLike

_SEEDS: Final = 1 << 31


def _batch(
    game_map: MapLike,
    n_games: int,
    opponents: Sequence[PolicyLike],
    seat: int,
    **how: Any,  # noqa: ANN401 - of a batch
) -> Batch:
    """Return games with opponents at all seats but one, which are renewed only on request."""
    if not 0 <= seat <= len(opponents):
        raise ValueError(f"expected a seat from 0 to {len(opponents)}, got {seat}")
    seated = [*opponents[:seat], None, *opponents[seat:]]
    return Batch(game_map, n_games, len(seated), opponents=seated, auto_reset=False, **how)


class Single(gymnasium.Env[Features, np.int64]):
    """
    A Gymnasium environment for one seat of a game against named opponents.

    `reset(seed=7)` begins game 0 of the run with that seed, the same as `Game.play`;
    `reset()` begins the next game. The mask of legal actions is `info["action_mask"]` and
    the result of `action_masks()`.

    Parameters
    ----------
    game_map
        The map, as the variant to play.
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

    metadata: dict[str, Any] = {"render_modes": [*MODES], "render_fps": 1}  # noqa: RUF012 - as its base says

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

    def render(self) -> Any:  # noqa: ANN401 - a text, an array, or nothing
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

    metadata: dict[str, Any] = {"autoreset_mode": gymnasium.vector.AutoresetMode.SAME_STEP}  # noqa: RUF012 - as its base says

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
