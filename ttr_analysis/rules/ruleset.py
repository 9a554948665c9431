"""
The rules of a map as typed data.

Every key of a map's `rules.toml` is a field here, whose type states the allowed
values. An omitted field takes the value of the base game, without bonuses, so
your own map states only its differences. A variant is a table of differences
from the map's own rules.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from ttr_analysis._decoding import Range
from ttr_analysis._errors import UnknownNameError
from ttr_analysis.cards import N_COLORS, CardCounts

RouteKind = Literal["plain", "ferry", "tunnel"]
"""The kinds of route: a ferry has locomotive symbols, a tunnel has a surcharge."""


Small = Annotated[int, Range(0, 20)]
Points = Annotated[int, Range(0, 999)]
Seats = Annotated[int, Range(2, 6)]


@dataclass(frozen=True, slots=True)
class CardRules:
    """
    The train cards and how they are drawn.

    Parameters
    ----------
    per_color, locomotives
        Cards of each of the eight colors, and locomotives, in the deck.
    opening_hand
        Cards dealt to each player.
    draws_per_turn
        Draws in a turn spent on drawing cards.
    reshuffle
        When the discards become the new draw pile: "when_needed" (a card is
        needed and the pile is empty) or "at_once" (as soon as the pile is empty).
    """

    per_color: Annotated[int, Range(1, 40)] = 12
    locomotives: Annotated[int, Range(0, 40)] = 14
    opening_hand: Small = 4
    draws_per_turn: Annotated[int, Range(1, 5)] = 2
    reshuffle: Literal["when_needed", "at_once"] = "when_needed"


@dataclass(frozen=True, slots=True)
class MarketRules:
    """
    The face-up cards.

    Parameters
    ----------
    locomotive_cost
        Draws that a face-up locomotive costs: 1 or 2. At 2, it cannot be the second
        card of a turn.
    reset_at
        Number of face-up locomotives at which all face-up cards are replaced; 0 for
        never.
    max_resets
        Maximum number of resets after one refill; after that the market stays as it is.
    reset_needs_full
        Whether a reset requires a card in every slot.
    reset_needs_colored
        Number of colored cards that a reset requires in the market, draw pile and
        discard pile together.
    open_without_piles
        Whether face-up cards can be taken when both piles are empty.
    """

    size: Annotated[int, Range(1, 10)] = 5
    locomotive_cost: Literal[1, 2] = 2
    reset_at: Annotated[int, Range(0, 10)] = 3
    max_resets: Annotated[int, Range(0, 1000)] = 100
    reset_needs_full: bool = True
    reset_needs_colored: Annotated[int, Range(0, 10)] = 3
    open_without_piles: bool = True


@dataclass(frozen=True, slots=True)
class TrainRules:
    """
    The plastic cars and the end of the game.

    Parameters
    ----------
    per_player
        Trains of each player at the start.
    last_round_at
        The last round begins when a player has this number of trains or fewer at the
        end of a turn.
    last_turns
        Turns that every player takes once the last round has begun.
    max_turns
        Total turns after which a game is cut off: it is scored at once and marked
        as truncated.
    """

    per_player: Annotated[int, Range(1, 100)] = 45
    last_round_at: Annotated[int, Range(0, 20)] = 2
    last_turns: Annotated[int, Range(1, 5)] = 1
    max_turns: Annotated[int, Range(10, 100_000)] = 2000


@dataclass(frozen=True, slots=True)
class ClaimRules:
    """
    Claiming routes.

    Parameters
    ----------
    points
        Points for a route by its length: pairs of length and points.
    locomotives_on
        Kinds of route on which locomotives are wild.
    double_routes_from
        Fewest players for which both tracks of a double route are open; with fewer,
        the first claim closes the other track for everyone.
    ferry_swap_size
        Cards of any kind that replace one locomotive on a ferry; 0 if not allowed. A
        route's own `swap_size` takes precedence.
    ferry_swap_fills
        The spaces of a ferry that such a set can fill: "any" (a locomotive symbol,
        or a color space where the locomotive would be wild) or "symbols" only.
    pass_rounds
        Number of full rounds of passes after which the game ends. A player can pass
        only if no other action is legal.
    """

    points: tuple[tuple[int, Points], ...] = ((1, 1), (2, 2), (3, 4), (4, 7), (5, 10), (6, 15))
    locomotives_on: tuple[RouteKind, ...] = ("plain", "ferry", "tunnel")
    double_routes_from: Annotated[int, Range(0, 7)] = 4
    ferry_swap_size: Annotated[int, Range(0, 9)] = 0
    ferry_swap_fills: Literal["any", "symbols"] = "any"
    pass_rounds: Annotated[int, Range(1, 5)] = 1


@dataclass(frozen=True, slots=True)
class TunnelRules:
    """
    Tunnels.

    Parameters
    ----------
    revealed
        Cards turned over for a tunnel, or fewer if the draw and discard piles hold
        fewer.
    """

    revealed: Annotated[int, Range(0, 9)] = 3


@dataclass(frozen=True, slots=True)
class DeckRules:
    """
    A separate deck of destination tickets.

    Parameters
    ----------
    name
        Name of the deck, the `deck` of its tickets.
    opening_deal
        Tickets that each player gets from it at the start.
    undealt
        Where the rest goes: to the "pile" for later draws, or "removed" from the game.
    """

    name: str
    opening_deal: Annotated[int, Range(0, 20)] = 0
    undealt: Literal["pile", "removed"] = "pile"


@dataclass(frozen=True, slots=True)
class TicketRules:
    """
    Destination tickets.

    Parameters
    ----------
    opening_deal, opening_keep
        Tickets dealt at the start, and how many of them to keep at least.
    draw, keep
        Tickets drawn in a turn, and how many of them to keep at least.
    unkept
        Where rejected tickets go: "removed" from the game, "under_pile", or to a
        face-up "discard_pile" that is shuffled when the pile is empty.
    opening_unkept
        The same for the opening deal; "" for the same place.
    decks
        The decks, if there are several at the start: each player is dealt from them
        in order, `opening_deal` tickets in total.
    set
        The set of tickets in play: tickets with this name in their `sets`, and
        tickets without sets.
    """

    opening_deal: Annotated[int, Range(1, 20)] = 3
    opening_keep: Annotated[int, Range(1, 20)] = 2
    draw: Annotated[int, Range(1, 20)] = 3
    keep: Annotated[int, Range(1, 20)] = 1
    unkept: Literal["removed", "under_pile", "discard_pile"] = "under_pile"
    opening_unkept: Literal["", "removed", "under_pile", "discard_pile"] = ""
    decks: tuple[DeckRules, ...] = ()
    set: str = "base"

    def n_dealt(self, deck: str) -> int:
        """
        Return the number of tickets from a deck that each player is dealt at the start.

        >>> TicketRules(opening_deal=4, decks=(DeckRules("long", 1), DeckRules("short", 3))).n_dealt("short")
        3
        >>> TicketRules(opening_deal=4).n_dealt("")
        4
        """
        return next((known.opening_deal for known in self.decks if known.name == deck), self.opening_deal)

    def unkept_at(self, *, opening: bool) -> Literal["removed", "under_pile", "discard_pile"]:
        """
        Return where rejected tickets go.

        >>> rules = TicketRules(opening_unkept="removed")
        >>> rules.unkept_at(opening=True), rules.unkept_at(opening=False)
        ('removed', 'under_pile')
        """
        return (self.opening_unkept or self.unkept) if opening else self.unkept


@dataclass(frozen=True, slots=True)
class BonusRules:
    """
    A bonus at the end of the game; tied players all get the points for their rank.

    Parameters
    ----------
    measure
        What is compared: "longest_trail" (trains), "completed_tickets" or "tokens"
        left.
    points
        Points by rank, best first, for any number of players.
    points_by_players
        Points by rank for each number of players, if they differ.
    requires
        Who takes part: "" for everyone, or players with "no_loans".
    """

    measure: Literal["longest_trail", "completed_tickets", "tokens"]
    points: tuple[Points, ...] = ()
    points_by_players: tuple[tuple[int, tuple[Points, ...]], ...] = ()
    requires: Literal["", "no_loans"] = ""

    def ranked_points(self, n_players: int) -> tuple[int, ...]:
        """
        Return the points by rank, best first, in a game of `n_players`.

        >>> BonusRules("tokens", points_by_players=((2, (35, 0)),)).ranked_points(2)
        (35, 0)
        """
        return dict(self.points_by_players).get(n_players, self.points)


@dataclass(frozen=True, slots=True)
class ScoringRules:
    """
    Scores and ties.

    Parameters
    ----------
    start_scores
        Points of each seat at the start; by default 0.
    tie_breaks
        Tie-breaks between equal scores, in order: "completed_tickets",
        "longest_trail", "fewest_stations" built, or "path_bonus", having won it.
        Players still tied share the win.
    zero_ties
        Whether players tied at zero get a bonus too.
    """

    start_scores: tuple[Points, ...] = ()
    tie_breaks: tuple[Literal["completed_tickets", "longest_trail", "fewest_stations", "path_bonus"], ...] = (
        "completed_tickets",
        "path_bonus",
    )
    zero_ties: bool = True


@dataclass(frozen=True, slots=True)
class LoanRules:
    """
    Loans, taken by a player whose tokens do not cover a toll.

    Parameters
    ----------
    penalty
        Points that each loan costs at the end.
    limit
        Number of loan cards; 0 for no limit.
    """

    penalty: Points = 5
    limit: Annotated[int, Range(0, 999)] = 0


@dataclass(frozen=True, slots=True)
class MoneyRules:
    """
    Toll tokens.

    Parameters
    ----------
    tokens
        Value of the tokens of each player at the start; 0 to play without tolls.
    second_track_pays
        Who gets the toll for the second track of a double route: the "owner" of the
        first track, or the "bank".
    """

    tokens: Points = 0
    second_track_pays: Literal["owner", "bank"] = "owner"
    loan: LoanRules = field(default_factory=LoanRules)


@dataclass(frozen=True, slots=True)
class NeutralRules:
    """
    A neutral player, which gets tracks named at the bottom of tickets.

    Parameters
    ----------
    trains
        Trains of the neutral player; 0 if there is none.
    first_round
        Its first phase comes after this round.
    marker_seat
        Seat that holds its marker first.
    after_last_turn
        Whether it has a phase after the last turn of the game.
    """

    trains: Annotated[int, Range(0, 100)] = 0
    first_round: Annotated[int, Range(1, 50)] = 6
    marker_seat: Annotated[int, Range(0, 5)] = 1
    after_last_turn: bool = False


@dataclass(frozen=True, slots=True)
class StationRules:
    """
    Stations in cities. At the end of the game, each borrows one route of another player.

    Parameters
    ----------
    number
        Stations of each player; 0 to play without stations.
    costs
        Cards of one color for the first station, the second and so on.
    points_left
        Points for each unused station.
    lends_from
        Whose routes a station can borrow: those of "anyone" else, including the
        neutral player, or only those of "players".
    """

    number: Annotated[int, Range(0, 3)] = 0
    costs: tuple[Annotated[int, Range(1, 12)], ...] = (1, 2, 3)
    points_left: Points = 4
    lends_from: Literal["anyone", "players"] = "anyone"


@dataclass(frozen=True, slots=True)
class RuleSet:
    """
    All rules of a map, or of one of its variants.

    Parameters
    ----------
    title
        Name of the map for display.
    players
        Fewest and most players.
    cards, market, trains, claims, tunnel, tickets, scoring, money, neutral, stations
        The rules by subject.
    bonus
        Bonuses at the end of the game.
    variant
        Name of the variant; "" for the map's own rules.

    Examples
    --------
    >>> rules = RuleSet("My map")
    >>> rules.trains.per_player, rules.points_for(4)
    (45, 7)
    """

    title: str
    players: tuple[Seats, Seats] = (2, 5)
    cards: CardRules = field(default_factory=CardRules)
    market: MarketRules = field(default_factory=MarketRules)
    trains: TrainRules = field(default_factory=TrainRules)
    claims: ClaimRules = field(default_factory=ClaimRules)
    tunnel: TunnelRules = field(default_factory=TunnelRules)
    tickets: TicketRules = field(default_factory=TicketRules)
    scoring: ScoringRules = field(default_factory=ScoringRules)
    bonus: tuple[BonusRules, ...] = ()
    money: MoneyRules = field(default_factory=MoneyRules)
    neutral: NeutralRules = field(default_factory=NeutralRules)
    stations: StationRules = field(default_factory=StationRules)
    variant: str = ""
    variants: tuple[RuleSet, ...] = ()

    @property
    def deck(self) -> CardCounts:
        """All train cards of the game."""
        return CardCounts((self.cards.per_color,) * N_COLORS + (self.cards.locomotives,))

    @property
    def full_title(self) -> str:
        """
        The title, with the name of the variant.

        Examples
        --------
        >>> RuleSet("USA", variant="big_cities").full_title
        'USA, big cities'
        """
        return f"{self.title}, {self.variant.replace('_', ' ')}" if self.variant else self.title

    def points_for(self, length: int) -> int:
        """
        Return the points for a route of this length.

        Raises
        ------
        ValueError
            If the rules have no points for that length.
        """
        for known, points in self.claims.points:
            if known == length:
                return points
        msg = f"{self.title} has no points for routes of length {length}, only {dict(self.claims.points)}"
        raise ValueError(msg)

    def toll_for(self, printed: int) -> int:
        """
        Return the toll of a route: the number printed on the board, or 0 in games without tokens.

        Examples
        --------
        >>> RuleSet("My map").toll_for(3), RuleSet("My map", money=MoneyRules(tokens=30)).toll_for(3)
        (0, 3)
        """
        return printed if self.money.tokens else 0

    def both_tracks_open(self, n_players: int) -> bool:
        """Return whether both tracks of a double route are open with `n_players`."""
        return n_players >= self.claims.double_routes_from

    def with_variant(self, name: str | None) -> RuleSet:
        """
        Return the rules of a variant, or these rules for None.

        Raises
        ------
        UnknownNameError
            If the map has no such variant.
        """
        if not name or name == self.variant:
            return self
        for rules in self.variants:
            if rules.variant == name:
                return rules
        names = [rules.variant for rules in self.variants]
        raise UnknownNameError.among(f"variant of {self.title}", name, names)

    def __repr__(self) -> str:
        """Return the title, the players and the variants."""
        low, high = self.players
        variant = f", variant {self.variant!r}" if self.variant else ""
        others = f", variants {', '.join(r.variant for r in self.variants)}" if self.variants else ""
        return f"<RuleSet {self.title!r}{variant}: {low}-{high} players, {self.trains.per_player} trains each{others}>"
