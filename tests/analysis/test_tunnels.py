"""Tunnel odds against enumeration, published figures and simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ttr_analysis as ttr
from tests.fixtures import examples
from tests.oracles.payment import all_payments, make_route, spread
from tests.oracles.tunnel import enumerate_claims, enumerate_path, enumerate_surcharges
from ttr_analysis._errors import UnknownNameError
from ttr_analysis.analysis.payments import Payment
from ttr_analysis.cards import COLORS, FULL_DECK, LOCOMOTIVE_INDEX, CardCounts, card_index
from ttr_analysis.maps.model import GameMap, Route

GREEN, RED, BLUE = COLORS.index("green"), COLORS.index("red"), COLORS.index("blue")
KINDS = (GREEN, RED, LOCOMOTIVE_INDEX)


def counts(most: int, total: int) -> st.SearchStrategy[CardCounts]:
    few = st.tuples(*[st.integers(0, most)] * 3).filter(lambda c: sum(c) <= total)
    return few.map(lambda c: CardCounts(spread(dict(zip(KINDS, c, strict=True)))))


def best_odds(route: Route, hand: dict[str, int], pool: CardCounts | None = None) -> ttr.tunnels.ClaimOdds:
    odds = ttr.tunnels.best_payment(route, hand, pool=pool)
    assert odds is not None
    return odds


def test_one_route_of_a_path_is_told_as_one(nordic: GameMap) -> None:
    route, rng = nordic.route("Oslo", "Lillehammer"), np.random.default_rng(7)
    found = [ttr.tunnels.simulate_path([route] * n, {"purple": 6}, 50, rng, rules=nordic) for n in (1, 2)]
    assert [str(path).partition(":")[0] for path in found] == ["the route", "all 2 routes"]


# -- the pool ---------------------------------------------------------------


def test_without_a_pool_what_was_discarded_is_not_in_the_pile(nordic: GameMap) -> None:
    route, hand, discards = nordic.route("Oslo", "Lillehammer"), {"purple": 2}, {"purple": 6, "red": 10}
    pool = ttr.tunnels.pool_from_seen(hand, discards)

    assert ttr.tunnels.claim_odds(route, hand, discards=discards) == (
        ttr.tunnels.claim_odds(route, hand, pool=pool, discards=discards)
    )
    table = ttr.tunnels.spare_cards(route, discards=discards)
    assert table["probability"].iloc[0] == ttr.tunnels.claim_odds(route, hand, discards=discards)[0].probability


# -- the surcharge --------------------------------------------------------


@given(st.data())
def test_the_surcharge_equals_enumeration(data: st.DataObject) -> None:
    unseen = data.draw(st.integers(0, 12))
    matching = data.draw(st.integers(0, unseen))
    revealed = data.draw(st.integers(0, 4))

    distribution = ttr.tunnels.surcharge_distribution(matching, unseen, revealed=revealed)

    assert distribution == pytest.approx([float(p) for p in enumerate_surcharges(matching, unseen, revealed)])


@pytest.mark.parametrize(
    ("matching", "unseen", "expected"),
    [
        pytest.param(26, 110, (0.4415, 0.4200, 0.1265, 0.0120), id="full deck"),
        pytest.param(23, 107, (0.4801, 0.4039, 0.1071, 0.0089), id="holding three of the color"),
        pytest.param(12, 108, (0.6999, 0.2680, 0.0310, 0.0011), id="locomotives alone, holding two"),
        pytest.param(0, 50, (1, 0, 0, 0), id="nothing matches"),
        pytest.param(5, 5, (0, 0, 0, 1), id="every card matches"),
        pytest.param(1, 2, (0, 1, 0), id="only two cards are left"),
    ],
)
def test_published_and_edge_cases(matching: int, unseen: int, expected: tuple[float, ...]) -> None:
    assert ttr.tunnels.surcharge_distribution(matching, unseen) == pytest.approx(expected, abs=5e-5)


def test_more_matches_than_cards_is_refused() -> None:
    with pytest.raises(ValueError, match=r"between 0 and unseen \(3\), got 4"):
        ttr.tunnels.surcharge_distribution(4, 3)


# -- claims ---------------------------------------------------------------


@settings(max_examples=examples(40))
@given(st.data())
def test_claims_equal_every_order_of_pile_and_discards(data: st.DataObject) -> None:
    """For every payment of the hand: any size of the pile, with a reshuffle or too few cards, and discards unseen."""
    pool, discards = data.draw(counts(2, 5), label="pool"), data.draw(counts(2, 4), label="discards")
    hand = data.draw(counts(4, 12), label="hand")
    n_pile = data.draw(st.integers(0, pool.n_cards), label="n_pile")
    unseen = data.draw(st.integers(0, min(2, pool.n_cards - n_pile)), label="unseen")
    tunnel = make_route(data.draw(st.integers(1, 3)), data.draw(st.sampled_from(["green", "gray"])), tunnel=True)

    found = ttr.tunnels.claim_odds(tunnel, hand, pool=pool, n_pile=n_pile, discards=discards, unseen_discards=unseen)

    assert {o.payment.cards.counts for o in found} == all_payments(tunnel, hand.counts)
    assert [o.probability for o in found] == sorted((o.probability for o in found), reverse=True)
    for odds in found:
        left = hand - odds.payment.cards
        plays = odds.payment.color or "locomotive"
        spare = left[plays] + (left.locomotives if odds.payment.color else 0)
        exact, success = enumerate_claims(card_index(plays), spare, pool.counts, n_pile, discards.counts, 3, unseen)
        assert odds.spare == spare
        assert odds.probability == pytest.approx(float(success), abs=1e-12)
        assert [*odds.distribution, 0, 0, 0][:4] == pytest.approx([float(p) for p in exact])
        assert odds.expected_surcharge == pytest.approx(float(sum(k * p for k, p in enumerate(exact))))


def test_a_map_with_other_numbers_of_cards_turned_over() -> None:
    tunnel = make_route(2, "green", tunnel=True)
    pool = CardCounts.of(green=3, red=4)

    (odds,) = ttr.tunnels.claim_odds(tunnel, {"green": 3}, pool=pool, revealed=1)

    assert odds.distribution == pytest.approx((4 / 7, 3 / 7))
    assert odds.probability == 1


def test_locomotives_alone_can_be_the_better_choice() -> None:
    """Two green cards and two locomotives left over are worse than two locomotives and none, if the pile is green."""
    tunnel = make_route(2, "green", tunnel=True)
    pool = CardCounts.of(green=9, red=1)

    best = best_odds(tunnel, {"green": 2, "locomotive": 2}, pool)

    assert best.payment == Payment(None, 0, 2)
    assert best.probability == 1


def test_what_was_seen_changes_the_odds(nordic: GameMap) -> None:
    tunnel = nordic.route("Mo i Rana", "Trondheim", color="green")
    hand = {"green": 6, "locomotive": 1}
    market = ["green", "green", "locomotive", "red", "blue"]
    discards = {"green": 4, "locomotive": 9}
    fresh = best_odds(tunnel, hand)
    late = best_odds(tunnel, hand, ttr.tunnels.pool_from_seen(hand, market, discards))

    # 26 - 7 of 103 match at first; then all green cards and but 3 locomotives of 85 cards are left.
    assert fresh.distribution == ttr.tunnels.surcharge_distribution(19, 103)
    assert late.distribution == ttr.tunnels.surcharge_distribution(3, 85)
    assert late.probability > fresh.probability


def test_a_gray_tunnel_is_tried_in_every_color() -> None:
    tunnel = make_route(1, "gray", tunnel=True)

    found = ttr.tunnels.claim_odds(tunnel, {"red": 1, "green": 2, "locomotive": 1})

    assert [str(o.payment) for o in found] == ["1 green", "1 red", "1 locomotive"]
    assert found[0].spare == 2
    assert found[2].plays == "locomotive"


def test_a_hand_that_does_not_pay_has_no_odds() -> None:
    tunnel = make_route(3, "green", tunnel=True)

    assert ttr.tunnels.claim_odds(tunnel, {"green": 1, "red": 5}) == ()
    assert ttr.tunnels.best_payment(tunnel, {"green": 1, "red": 5}) is None
    assert ttr.tunnels.odds_table(()).empty


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param({"n_pile": 2}, "the pile has 2 cards, fewer than the 3 to turn over", id="discards not said"),
        pytest.param({"n_pile": 200}, "from 0 to 106, the cards of the pool, got 200", id="pile above pool"),
        pytest.param({"n_pile": -1}, "from 0 to 106, the cards of the pool, got -1", id="pile below 0"),
        pytest.param({"n_pile": 100, "unseen_discards": 7}, "6 cards outside the pile, got 7", id="unseen above pool"),
        pytest.param({"revealed": -1}, "turned over must be 0 or more, got -1", id="fewer than no cards"),
    ],
)
def test_bad_numbers_are_refused(changes: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ttr.tunnels.claim_odds(make_route(3, "green", tunnel=True), {"green": 4}, **changes)  # type: ignore[arg-type]


def test_a_route_that_is_no_tunnel_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Here-There \(green, 3\) is not a tunnel"):
        ttr.tunnels.claim_odds(make_route(3, "green"), {"green": 4})


def test_what_is_no_route_is_refused() -> None:
    name: Any = "Here-There/0"
    for asked in (
        lambda: ttr.tunnels.best_payment(name, {"green": 4}),
        lambda: ttr.tunnels.spare_needed(name),
        lambda: ttr.tunnels.claim_odds(name, {"green": 4}),
        lambda: ttr.payments.pay_all([name], {"green": 4}),
    ):
        with pytest.raises(TypeError, match=r"such as game_map.route\('Here-There/0'\): there is no map here"):
            asked()
    with pytest.raises(TypeError, match=r"such as game_map.route\('Oslo', 'Helsinki'\), got 7"):
        ttr.tunnels.spare_needed(7)  # type: ignore[arg-type]


def test_more_cards_seen_than_there_are_is_refused() -> None:
    with pytest.raises(ValueError, match="1 green too few"):
        ttr.tunnels.pool_from_seen({"green": 7}, {"green": 6})


# -- spare cards ----------------------------------------------------------


@pytest.mark.parametrize("plays", ["green", "locomotive"])
def test_spare_cards_agree_with_the_odds_of_a_hand(plays: str) -> None:
    tunnel = make_route(3, "green", tunnel=True)

    table = ttr.tunnels.spare_cards(tunnel, plays=plays)

    for spare, p in table["probability"].items():
        assert p == pytest.approx(best_odds(tunnel, {plays: 3 + int(str(spare))}).probability)
    assert table["gain"].sum() == pytest.approx(1)


def test_spare_cards_needed() -> None:
    """From .4801 / .4039 / .1071 / .0089: one spare card for 80%, two for 90%."""
    tunnel = make_route(3, "green", tunnel=True)
    pool = FULL_DECK - CardCounts.of(green=3)

    needed = [ttr.tunnels.spare_needed(tunnel, p, pool=pool) for p in (0, 0.48, 0.49, 0.8, 0.9, 0.999, 1)]

    assert needed == [0, 0, 1, 1, 2, 3, 3]


@pytest.mark.parametrize(("discarded", "highest"), [(10, "0.626"), (12, "0")])
def test_more_spare_cards_than_the_deck_has_are_refused(discarded: int, highest: str) -> None:
    tunnel = make_route(2, "purple", tunnel=True)

    with pytest.raises(ValueError, match=f"too few cards for a probability of 0.9: the highest is {highest}"):
        ttr.tunnels.spare_needed(tunnel, discards={"purple": discarded})


def test_the_color_of_a_gray_tunnel_is_asked_for() -> None:
    tunnel = make_route(2, "gray", tunnel=True)

    with pytest.raises(ValueError, match="may be paid in any color: choose one with `plays`"):
        ttr.tunnels.spare_cards(tunnel, pool=FULL_DECK)
    with pytest.raises(UnknownNameError, match="did you mean green"):
        ttr.tunnels.spare_cards(tunnel, plays="grean")
    with pytest.raises(ValueError, match="paid in green or locomotives, not in red"):
        ttr.tunnels.spare_cards(make_route(2, "green", tunnel=True), plays="red")
    with pytest.raises(ValueError, match="they are not wild on it"):
        ttr.tunnels.spare_cards(make_route(2, "green", tunnel=True, jokers=False), plays="locomotive")


# -- simulation -----------------------------------------------------------


@pytest.mark.parametrize("seed", range(50))
def test_simulated_claims_lie_near_the_exact_odds(seed: int) -> None:
    """Fifty hands and piles, a fifth of them through a reshuffle: within 4 standard errors."""
    rng = np.random.default_rng(seed)
    cards = np.repeat(np.arange(9), FULL_DECK.counts)
    rng.shuffle(cards)
    parts = np.split(cards, np.cumsum([12, 20, 60]))
    hand, discards, pool = (CardCounts(tuple(np.bincount(p, minlength=9).tolist())) for p in parts[:3])
    n_pile = int(rng.integers(0, 3)) if seed % 5 == 0 else int(rng.integers(3, 61))
    tunnel = make_route(int(rng.integers(1, 4)), "gray", tunnel=True)
    known = {"pool": pool, "n_pile": n_pile, "discards": discards}

    found = ttr.tunnels.claim_odds(tunnel, hand, **known)  # type: ignore[arg-type]
    odds = found[int(rng.integers(len(found)))]
    share = ttr.tunnels.simulate_claim(tunnel, odds.payment, hand, 4_000, rng, **known)  # type: ignore[arg-type]
    matching = pool[odds.plays] + (pool.locomotives if odds.payment.color else 0)
    shares = ttr.tunnels.simulate_surcharges(matching, pool.n_cards, 4_000, rng)
    exact = ttr.tunnels.surcharge_distribution(matching, pool.n_cards)

    assert abs(share.value - odds.probability) < 4 * share.standard_error
    assert all(abs(s.value - p) < 4 * s.standard_error for s, p in zip(shares, exact, strict=True))
    assert sum(s.value for s in shares) == pytest.approx(1)


def test_a_simulated_claim_checks_its_payment() -> None:
    tunnel = make_route(3, "green", tunnel=True)
    rng = np.random.default_rng(1)

    with pytest.raises(ValueError, match="takes exactly 3 cards, got 2"):
        ttr.tunnels.simulate_claim(tunnel, {"green": 2}, {"green": 4}, 10, rng)
    with pytest.raises(ValueError, match="1 green too few"):
        ttr.tunnels.simulate_claim(tunnel, {"green": 3}, {"green": 2}, 10, rng)
    with pytest.raises(ValueError, match="samples must be 1 or more, got 0"):
        ttr.tunnels.simulate_claim(tunnel, {"green": 3}, {"green": 3}, 0, rng)


# -- several in a row -----------------------------------------------------


@pytest.mark.compiled_only
@pytest.mark.parametrize(
    ("colors", "lengths", "hand", "pile", "discards", "revealed"),
    [
        pytest.param(["green", "red"], [1, 1], {GREEN: 2, RED: 2}, {GREEN: 2, RED: 2, 0: 2}, {}, 3, id="two tunnels"),
        pytest.param(
            ["green", "red"], [2, 1], {GREEN: 3, RED: 3}, {GREEN: 1, RED: 1, 8: 1, 0: 1}, {GREEN: 1}, 3, id="reshuffle"
        ),
        pytest.param(["green", "green"], [1, 1], {GREEN: 4}, {GREEN: 1, 0: 2}, {}, 3, id="one color twice"),
        pytest.param(["green", "red"], [1, 1], {GREEN: 2, RED: 2}, {8: 1}, {0: 1}, 3, id="two cards in both piles"),
        pytest.param(["red", "green"], [1, 2], {GREEN: 3, RED: 1}, {GREEN: 2, 0: 3}, {RED: 1}, 2, id="two revealed"),
        pytest.param(["red", "green"], [1, 2], {GREEN: 1, RED: 2}, {GREEN: 2, 0: 2}, {}, 2, id="the second cannot"),
    ],
)
def test_paths_lie_near_every_order_of_the_cards(
    colors: list[str],
    lengths: list[int],
    hand: dict[int, int],
    pile: dict[int, int],
    discards: dict[int, int],
    revealed: int,
) -> None:
    routes = [make_route(n, color, tunnel=True) for n, color in zip(lengths, colors, strict=True)]
    rules = ttr.load_map("nordic").rules
    rules = type(rules)("three tunnels", tunnel=type(rules.tunnel)(revealed=revealed))
    exact = enumerate_path(
        [COLORS.index(c) for c in colors], lengths, spread(hand), spread(pile), spread(discards), revealed
    )

    path = ttr.tunnels.simulate_path(
        routes,
        CardCounts(spread(hand)),
        6_000,
        np.random.default_rng(5),
        pool=CardCounts(spread(pile)),
        discards=CardCounts(spread(discards)),
        rules=rules,
    )

    for share, p in zip(path.n_claimed, exact, strict=True):
        assert abs(share.value - p) < 4 * share.standard_error
    assert path.success == path.n_claimed[-1]


def test_a_path_of_one_tunnel_has_the_odds_of_its_best_payment(nordic: GameMap) -> None:
    tunnel = nordic.route("Mo i Rana", "Trondheim", color="green")
    hand = {"green": 5, "locomotive": 1}
    best = best_odds(tunnel, hand)

    path = ttr.tunnels.simulate_path([tunnel], hand, 6_000, np.random.default_rng(2), rules=nordic.rules)

    assert abs(path.success.value - best.probability) < 4 * path.success.standard_error
    assert path.turns.value == 1
    assert path.table["surcharge"][0] == pytest.approx(best.expected_cards - 5, abs=4 * path.table["surcharge_se"][0])


def test_a_path_keeps_what_later_routes_want(nordic: GameMap) -> None:
    """A ferry and a tunnel: the ferry's symbol takes three others, as the tunnel needs the locomotive."""
    ferry = nordic.route("Aalborg", "Kristiansand")
    plain = make_route(2, "green", symbols=2, swap_size=0)
    rng = np.random.default_rng(3)

    path = ttr.tunnels.simulate_path([ferry, plain], {"red": 1, "blue": 3, "locomotive": 2}, 100, rng)

    assert path.success.value == 1
    assert path.cards.value == 6


def test_attempts_are_turns() -> None:
    """A tunnel that never succeeds is tried as often as allowed; the pile of matching cards goes round."""
    tunnel = make_route(1, "green", tunnel=True)
    rng = np.random.default_rng(4)

    path = ttr.tunnels.simulate_path([tunnel], {"green": 1}, 50, rng, pool={"green": 4}, attempts=5)

    assert path.success.value == 0
    assert path.turns.value == 5
    assert path.cards.value == 0


def test_when_the_pile_is_shuffled_matters() -> None:
    """
    One green card is the pile, one red card the discards, one card is turned over.

    Shuffled when wanted, the second tunnel meets the cards of the first; shuffled
    at once, only the red card.
    """
    base = ttr.load_map("usa").rules
    routes = [make_route(1, color, tunnel=True) for color in ("blue", "green")]
    hand = {"blue": 1, "green": 1}
    shares = []
    for reshuffle in ("when_needed", "at_once"):
        cards = type(base.cards)(reshuffle=reshuffle)
        rules = type(base)("one card", cards=cards, tunnel=type(base.tunnel)(revealed=1))
        path = ttr.tunnels.simulate_path(
            routes,
            hand,
            3_000,
            np.random.default_rng(6),
            pool={"green": 1},
            discards={"red": 1},
            rules=rules,
        )
        shares.append(path.success)

    # The new pile: red, blue and green, of which green matches; or red alone.
    assert abs(shares[0].value - 2 / 3) < 4 * shares[0].standard_error
    assert shares[1].value == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"attempts": 0}, "attempts must be 1 or more"), ({"n_pile": 500}, "n_pile must be from 0 to")],
)
def test_a_path_checks_its_numbers(changes: dict[str, int], message: str) -> None:
    tunnel = make_route(1, "green", tunnel=True)

    with pytest.raises(ValueError, match=message):
        ttr.tunnels.simulate_path([tunnel], {"green": 1}, 5, np.random.default_rng(1), **changes)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least one route"):
        ttr.tunnels.simulate_path([], {"green": 1}, 5, np.random.default_rng(1))


def test_discards_that_were_seen_are_not_in_the_pile(nordic: GameMap) -> None:
    lillehammer = nordic.route("Oslo", "Lillehammer")
    hand, discards = {"purple": 3}, {"purple": 9, "locomotive": 14}
    assert [odds.probability for odds in ttr.tunnels.claim_odds(lillehammer, hand, discards=discards)] == [1.0]
    table = ttr.tunnels.spare_cards(lillehammer, discards={"purple": 9, "locomotive": 14})
    # Of 12 purple cards 9 are gone: one spare is the most that anyone can hold, and then nothing matches any more.
    assert table.index.tolist() == [0, 1]
    assert table["probability"].tolist()[1] == 1.0
