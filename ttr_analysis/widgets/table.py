"""`GameTable`: play against policies, in a notebook or on a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain, count, cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, SupportsIndex

import traitlets
from ipywidgets import widget_serialization

from ttr_analysis._errors import GameError
from ttr_analysis._words import counted, listed
from ttr_analysis.engine.events import Move
from ttr_analysis.engine.protocol import BUILT_IN, PolicyLike
from ttr_analysis.maps.loading import MapLike, as_map
from ttr_analysis.records.record import Game, GameRecord
from ttr_analysis.widgets.base import SeatWidget, best_in_words, css, esm
from ttr_analysis.widgets.human_game import PERSON, HumanGame
from ttr_analysis.widgets.snapshot import ENDINGS, PHASES, fixed_facts, place_of

if TYPE_CHECKING:
    from ttr_analysis.studies.advice import Advice
    from ttr_analysis.studies.reviews import Review
    from ttr_analysis.widgets.stepper import GameStepper

_HINT_SECONDS: Final = 2.0
_REVIEW_SECONDS: Final = 60.0


class GameTable(SeatWidget):
    """
    Play a seat against policies. Only legal actions are offered; the browser gets only what the seat can see.

    Buttons draw cards and tickets. To claim a route, choose it on the board, and then a
    payment, cheapest first. To build a station, press its button or choose its city. Point
    at a route to see its cost. "Hint" shows the best move now, and "Judge my move" judges
    your last one, both from what the seat can see. A finished game can be reviewed.

    Parameters
    ----------
    game_map
        The map, or its name.
    policies
        The policies of the other seats, in seat order; a single one plays all of them. A
        built-in policy may be given by name.
    seat
        The person's seat; seat 0 begins.
    n_players
        Number of players; by default one per policy, and the person.
    variant
        A variant of the rules; None for the map's own.
    seed
        Random seed; None for a random one.
    name
        Name of the person, in the widget and in the record.
    practice
        Whether moves can be taken back; the same cards are then drawn again.
    saved
        A game to continue, with the same players and seed: see `from_record`.

    Attributes
    ----------
    record : GameRecord
        The game so far, including hidden information.
    is_over : bool
        Whether the game is over.
    failure : BaseException or None
        Error of the policy that is to move. It may reveal hidden information, so the page
        only shows that there is one.

    Raises
    ------
    GameError
        If the number of policies is wrong, one of them is not a policy, or there is no
        such seat.
    UnknownNameError
        If no built-in policy has the name.

    Notes
    -----
    Policies run in the Jupyter kernel, which is busy meanwhile; the widget shows whose turn it is.
    If one fails, the game does not change: fix the policy and press "Try again", or replace
    it with `replace_policy`.

    Examples
    --------
    >>> table = GameTable(ttr.load_map("nordic"), [ttr.policies.Greedy()], seed=7)
    >>> table.play("keep Stockholm-Bergen, Narvik-Murmansk")
    >>> table.play("take purple")
    >>> table
    <GameTable nordic: P0 Person, P1 Greedy; P0 draws another card>
    """

    _esm = esm("panels", "turn", "flights", "table")
    _css = css("panels", "table")

    busy = traitlets.Unicode("", read_only=True).tag(sync=True)
    advised = traitlets.Dict({"words": "", "place": None, "step": 0, "n": 0}, read_only=True).tag(sync=True)
    offered = traitlets.Bool(default_value=False, read_only=True).tag(sync=True)
    stepping = traitlets.Any(None, allow_none=True, read_only=True).tag(sync=True, **widget_serialization)

    def __init__(
        self,
        game_map: MapLike,
        policies: Sequence[PolicyLike] | PolicyLike = "Planner",
        seat: int = 0,
        n_players: int | None = None,
        variant: str | None = None,
        seed: int | None = None,
        *,
        name: str = PERSON,
        practice: bool = False,
        saved: GameRecord | None = None,
    ) -> None:
        self._map, self._name = as_map(game_map).with_variant(variant), name
        self._policies = _policies(policies, n_players)
        self._practice = self._wants_practice = practice
        self._n_games = 1
        self.failure: BaseException | None = None
        game = Game(self._map, len(self._policies) + 1)
        self._human_game = HumanGame(game, self._policies, seat, seed, name, saved=saved)
        super().__init__()
        self._let_others_play()

    # -- in Python ----------------------------------------------------------------

    @classmethod
    def from_record(cls, record: GameRecord, *, practice: bool = False) -> Self:
        """
        Return a table that continues a game at the end of its record, as if it had never stopped.

        Parameters
        ----------
        record
            A game of one person against built-in policies, such as `ttr-analysis play` saves.
            If it was itself continued from another game, new cards are drawn.
        practice
            As for a new table.

        Raises
        ------
        GameError
            Unless one person played against built-in policies.

        Examples
        --------
        >>> table = GameTable("nordic", "Greedy", seed=7)
        >>> table.play("keep all")
        >>> GameTable.from_record(table.record).now == table.now
        True
        """
        seat, name, policies = _seats_in(record)
        return cls(record.map, policies, seat, seed=record.header.seed, name=name, practice=practice, saved=record)

    def offer(self, saved: GameRecord, on_continue: Callable[[int], None]) -> None:
        """
        Offer in the browser to continue a saved game, until the person has moved.

        Parameters
        ----------
        saved
            The game, as for `from_record`.
        on_continue
            Called with the number of the game at this table (see `n_games`) before the game
            is continued.

        Examples
        --------
        >>> table = GameTable("nordic", "Greedy", seed=7)
        >>> table.play("keep all")
        >>> another = GameTable("nordic", "Greedy", seed=8)
        >>> another.offer(table.record, on_continue=lambda _: None)
        >>> another.offered
        True
        """
        self._offer = saved, on_continue
        self.set_trait("offered", True)  # noqa: FBT003 - a trait

    @property
    def record(self) -> GameRecord:
        """The game so far, with everything that happened."""
        return self._human_game.record

    @property
    def n_games(self) -> int:
        """Number of games started at this table."""
        return self._n_games

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self._human_game.is_over

    def play(self, line: str) -> None:
        """
        Make the person's move, and let the others play until it is the person's turn again.

        Parameters
        ----------
        line
            The move, such as "take red" or "Bergen-Oslo blue 4": see
            `ttr_analysis.notation`.

        Raises
        ------
        NotationError
            If the line cannot be read, or the move is illegal.
        GameError
            If it is not the person's turn.
        """
        self._human_game.move(line)
        self._let_others_play()

    def replace_policy(self, seat: int, policy: PolicyLike) -> None:
        """
        Let another policy play a seat from now on.

        Parameters
        ----------
        seat
            Any seat but the person's.
        policy
            The new policy.

        Raises
        ------
        GameError
            If `policy` is not a policy, or there is no such seat.
        """
        self._human_game.replace_policy(seat, policy)
        self._let_others_play()

    def undo(self) -> None:
        """
        Take back the person's last move and everything after it.

        Raises
        ------
        GameError
            If there is no move to take back, or the table is not for practice.
        """
        if not self._practice:
            raise GameError("moves can be taken back only at a table with practice=True")
        self._human_game.undo()
        self._let_others_play()

    def new_game(self, n_players: int | None = None, seat: int | None = None, seed: int | None = None) -> None:
        """
        Start another game at this table. The previous one is lost unless you kept its record.

        Parameters
        ----------
        n_players
            Number of players, with the policies repeated in turn; None for the same.
        seat
            The person's seat; None for the same seat.
        seed
            Random seed; None for a random one.

        Raises
        ------
        GameError
            If the map does not allow this number of players, or there is no such seat.
        """
        before = self._human_game
        game = Game(self._map, n_players or before.game.n_players)
        self._begin(HumanGame(game, self._others(game), before.seat if seat is None else seat, seed, self._name))

    def play_from(
        self, record: GameRecord, step: SupportsIndex = -1, seat: int | None = None, seed: int | None = None
    ) -> None:
        """
        Practice from a moment of a game: moves can be taken back, and the record does not change.

        Parameters
        ----------
        record
            The game; no card or ticket may be unknown at that step.
        step
            The step, as in `GameRecord.state_at`.
        seat
            The person's seat; None for the seat that decides there.
        seed
            Seed of the draws from there on; None for a random one.

        Raises
        ------
        GameError
            If the game is over at that step, cards or tickets are unknown, or there is no
            such seat.
        IndexError
            If there is no such step.

        Examples
        --------
        >>> record = ttr.Game("nordic").play(["Planner", "Greedy"], seed=7)
        >>> table = GameTable("nordic", "Planner")
        >>> table.play_from(record, step=40)
        >>> len(table.record.steps), table.record.events[:50] == record.events[:50]
        (41, True)
        """
        state = record.state_at(step)
        game = Game(record.map, record.header.n_players)
        sits = state.acting if seat is None else seat
        begun = (record, range(len(record.steps))[step])
        self._begin(HumanGame(game, self._others(game), sits or 0, seed, self._name, begun), practice=True)

    def _others(self, game: Game) -> list[PolicyLike]:
        """Return the policies of the other seats, repeated in turn if there are too few."""
        return [policy for policy, _ in zip(cycle(self._policies), range(game.n_players - 1), strict=False)]

    def _begin(self, human_game: HumanGame, *, practice: bool | None = None) -> None:
        self._human_game = human_game
        self._practice = self._wants_practice if practice is None else practice
        self._n_games += 1
        with self.hold_sync():  # so that the page is redrawn only once
            self.set_trait("facts", self._first_facts())
            self.set_trait("now", self._human_game.frame())
            self.set_trait("stepping", None)
        self._let_others_play()

    def stepper(self, review: Review | None = None) -> GameStepper:
        """
        Return a widget that steps through the game so far, from the seat's view until the game is over.

        Parameters
        ----------
        review
            A review to show, of the seat or, once the game is over, of all.
        """
        from ttr_analysis.widgets.stepper import GameStepper

        return GameStepper(self.record, seat=None if self.is_over else self._human_game.seat, review=review)

    def hint(self, seconds: float = 2.0) -> Advice:
        """
        Return the person's options, the value of each, and the reasons, judged from what the seat can see.

        Parameters
        ----------
        seconds
            Time to think.

        Raises
        ------
        GameError
            If it is not the person's turn.
        """
        from ttr_analysis.studies.advice import advise

        if not self._human_game.is_persons_turn:
            raise GameError("it is not your turn: there is nothing to choose")
        return advise(self.record, self._human_game.seat, seconds=seconds)

    def last_cost(self, seconds: float = 2.0) -> str:
        """
        Return the cost of the person's last move in words, from what the seat could see.

        This may differ from `hint`: as in `studies.review`, the judgment is made without the plan
        that `hint` follows, and assumes that the better move, or its plan, can still be made a turn later.

        Parameters
        ----------
        seconds
            Time to think.

        Raises
        ------
        GameError
            If the person has not moved yet.
        """
        from ttr_analysis.studies.reviews import judge_step

        record, seat = self.record, self._human_game.seat
        own = [step for step, (move, *_) in enumerate(record.steps) if isinstance(move, Move) and move.seat == seat]
        if not own:
            raise GameError("you have not moved yet")
        judged = judge_step(record, own[-1], seconds=seconds)
        return judged.verdict(own[-1]) if judged else "This move cannot be judged."

    # -- internals ------------------------------------------------------------------

    @traitlets.default("facts")
    def _first_facts(self) -> dict[str, Any]:
        human_game = self._human_game
        fewest, most = human_game.game.game_map.rules.players
        return fixed_facts(human_game.game.game_map, human_game.names) | {
            "seat": human_game.seat,
            "practice": self._practice,
            "players": list(range(fewest, most + 1)),
        }

    @traitlets.default("now")
    def _first_now(self) -> dict[str, Any]:
        return self._human_game.frame()

    def _handle(self, message: object) -> None:
        match message:
            case {"do": "go_on"}:
                self._let_others_play()
            case {"do": "undo", "step": int(step)}:
                if step == self._human_game.n_steps:
                    self._try(self.undo)
            case {"do": "new", "players": int(n_players), "seat": int(seat), "seed": int() | None as seed}:
                self._try(partial(self.new_game, n_players, seat, seed))
            case {"do": "continue"}:
                self._try(self._continue)
            case {"do": "stepper"} if self.is_over:
                self.set_trait("stepping", self.stepping or self._open_stepper())
            case {"do": "hint" | "cost" | "review" as what}:
                self._advise(what)
            case {"do": "about", "route": str(route)}:
                self._say_about(route, self._human_game.options.about(route))
            case {"do": "why", **asked}:
                self._say(self._human_game.why(asked))
            case _:
                self._act(message)

    def _act(self, message: object) -> None:
        """Make the move in a message."""
        problem = self._human_game.act(message)
        if problem:
            self._say(problem)
        else:
            self._let_others_play()

    def _continue(self) -> None:
        """Continue the game that was offered, unless the person has moved in the new one."""
        if not self.offered or self._human_game.can_undo:
            return
        saved, on_continue = self._offer
        seat, name, policies = _seats_in(saved)
        game = Game(saved.map, saved.header.n_players)
        human_game = HumanGame(game, policies, seat, saved.header.seed, name, saved=saved)
        self._map, self._policies, self._name = saved.map, policies, name
        on_continue(self._n_games + 1)
        self.set_trait("offered", False)  # noqa: FBT003 - a trait
        self._begin(human_game)

    def _advise(self, what: str) -> None:
        """Run a slow computation, and show meanwhile that Python is busy."""
        busy, show = {
            "hint": ("Computing a hint", self._show_hint),
            "cost": ("Judging your move", self._show_cost),
            "review": ("Reviewing the game", self._show_review),
        }[what]
        self._say("")
        self.set_trait("busy", busy)
        try:
            self._try(show)
        finally:
            self.set_trait("busy", "")

    def _show_hint(self) -> None:
        advice = self.hint(_HINT_SECONDS)
        self._show_advice(f"Best: {best_in_words(advice)}", place_of(advice.best))

    def _show_cost(self) -> None:
        self._show_advice(self.last_cost(_HINT_SECONDS))

    def _show_advice(self, words: str, place: dict[str, str] | None = None) -> None:
        self._n_said += 1
        self.set_trait("advised", {"words": words, "place": place, "step": self._human_game.n_steps, "n": self._n_said})

    def _show_review(self) -> None:
        from ttr_analysis.studies.reviews import review

        if not self.is_over:
            raise GameError("the game is not over yet, so it cannot be reviewed")
        found = review(self.record, seconds=_REVIEW_SECONDS, progress=False)
        moments = found.moments()
        own = moments[moments["seat"] == self._human_game.seat]
        if len(own):
            self._show_advice(f"Your costliest move: {found.verdict(own.index[0])}")
        else:
            self._show_advice("None of your moves clearly cost you anything.")
        self.set_trait("stepping", self._open_stepper(found))

    def _open_stepper(self, review: Review | None = None) -> GameStepper:
        """Return the stepper of a finished game, from which you can play on."""
        stepper, record, seat = self.stepper(review), self.record, self._human_game.seat

        def on_message(_stepper: object, message: object, _buffers: object) -> None:
            match message:
                case {"do": "play", "step": int(step)}:
                    self._try(partial(self.play_from, record, step, seat))

        stepper.set_trait("can_play", True)  # noqa: FBT003 - a trait
        stepper.on_msg(on_message)
        return stepper

    def _try(self, change: Callable[[], None]) -> None:
        """Carry out a message, or show why that is impossible."""
        try:
            change()
        except (GameError, IndexError) as error:
            self._say(str(error))

    def _report_fault(self, message: object, fault: str) -> None:  # noqa: ARG002 - whatever the message
        self._say(fault, can_retry=True)

    def _let_others_play(self) -> None:
        """Let policies play until the person must decide. An error is shown, and the game does not change."""
        human_game = self._human_game
        self.failure = None
        self._say("")
        try:
            while human_game.thinker:
                # Busy from before the first frame until after the last: the person can do nothing in between, and
                # key presses must not move the focus.
                self.set_trait("busy", f"{human_game.thinker} is thinking")
                self.set_trait("now", human_game.frame())
                human_game.let_play()
        except GameError as error:
            self.failure = error.__cause__
            self._say(str(error), can_retry=True)
        except KeyboardInterrupt:
            self._say(f"{human_game.thinker} was interrupted", can_retry=True)
        finally:
            try:
                self.set_trait("now", human_game.frame())
            finally:
                self.set_trait("busy", "")

    def __repr__(self) -> str:
        human_game = self._human_game
        who = ", ".join(f"P{seat} {name}" for seat, name in enumerate(human_game.names))
        state = human_game.state
        turn = ENDINGS[state.ending] if state.ending else f"P{state.acting} {PHASES[state.phase]}"
        return f"<GameTable {human_game.game.game_map.name}: {who}; {turn}>"


def _policies(given: Sequence[PolicyLike] | PolicyLike, n_players: int | None) -> list[PolicyLike]:
    if isinstance(given, Sequence) and not isinstance(given, str):
        if n_players is not None and len(given) != n_players - 1:
            raise GameError(
                f"{n_players} players need {counted(n_players - 1, 'policy', 'policies')} besides the person, got "
                f"{len(given)}"
            )
        return list(given)
    return [given] * ((n_players or 2) - 1)


def _seats_in(record: GameRecord) -> tuple[int, str, list[PolicyLike]]:
    """Return the person's seat and name in a saved game, and the other players."""
    return seats_of([name.rpartition(", then ")[2] for name in record.header.policies])


# -- on its own page: `ttr-analysis play` -------------------------------------------------------------------------


def seats_of(names: Sequence[str]) -> tuple[int, str, list[PolicyLike]]:
    """
    Return the person's seat and name, and the other players.

    >>> seats_of(["planner", "Ida", "Greedy"])
    (1, 'Ida', ['planner', 'Greedy'])
    """
    policies = {name.lower() for name in BUILT_IN}
    persons = [seat for seat, name in enumerate(names) if name.lower() not in policies]
    if len(persons) != 1:
        raise GameError(
            f"one seat must have your name, and the others the names of built-in policies ({', '.join(BUILT_IN)}); "
            f"got {listed(names[seat] for seat in persons) or 'none'}"
        )
    (seat,) = persons
    return seat, names[seat], [*names[:seat], *names[seat + 1 :]]


class GameFiles:
    """
    The files of the games at a table: one for each game, kept up to date.

    Existing files are not changed, except that of a game that is continued.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> files, table = GameFiles(folder / "mine.jsonl"), GameTable("nordic", "Greedy", seed=7)
    >>> files.update(table)                                     # no move yet: nothing to save
    >>> table.play("keep all")
    >>> files.update(table)
    >>> table.new_game(seed=8)
    >>> table.play("keep all")
    >>> files.update(table)
    >>> [path.name for path in files.paths]
    ['mine.jsonl', 'mine-2.jsonl']
    >>> ttr.GameRecord.load(files.paths[0]) == table.record
    False
    """

    def __init__(self, first: Path, *, continued: bool = False) -> None:
        self._first = first
        self._files: dict[int, Path] = {1: first} if continued else {}

    def keep(self, game: int, path: Path) -> None:
        """Save a game at a table in the file from which it is continued."""
        self._files[game] = path

    @property
    def paths(self) -> list[Path]:
        """The files written so far."""
        return list(self._files.values())

    def update(self, table: GameTable) -> None:
        """Save the game at a table, from the person's first move on."""
        game = table.n_games
        if table.now["undo"] and game not in self._files:
            self._files[game] = self._new_file()
        if game in self._files:
            table.record.save(self._files[game])

    def _new_file(self) -> Path:
        """Create an empty file, to reserve its name."""
        self._first.parent.mkdir(parents=True, exist_ok=True)
        numbered = (self._first.with_stem(f"{self._first.stem}-{number}") for number in count(2))
        for path in chain([self._first], numbered):
            try:
                path.open("x").close()
            except FileExistsError:
                continue
            break
        return path
