"""Waiting for cards: closed forms, every order of small pools, and simulation."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ttr_analysis as ttr
from tests.fixtures import examples
from tests.oracles import strategies
from tests.oracles.draws import enumerate_draws
from tests.oracles.payment import Counts, make_route, pays_all, spread
from ttr_analysis._errors import UnknownNameError
from ttr_analysis.analysis.waiting import Estimate, WaitingTime
from ttr_analysis.cards import COLORS, FULL_DECK, LOCOMOTIVE_INDEX, CardCounts
from ttr_analysis.maps.model import GameMap, Route
from ttr_analysis.rules.ruleset import CardRules, MarketRules, RuleSet

GREEN, RED = strategies.GREEN, strategies.RED


def some_cards(most: int, total: int) -> st.SearchStrategy[Counts]:
    return strategies.some_cards(most).filter(lambda c: sum(c) <= total)


# -- one color, or any ----------------------------------------------------


# Witter & Lyford, "Applications of Graph Theory and Probability in the Board Game Ticket to Ride", FDG 2020.
@pytest.mark.parametrize("k", range(1, 13))
def test_the_published_means(k: int) -> None:
    alone = ttr.draws.draws_to_gather(k, "red").expected_cards
    helped = ttr.draws.draws_to_gather(k, "red", locomotives=True).expected_cards

    assert alone.value == pytest.approx(111 / 13 * k, rel=1e-12)
    assert helped.value == pytest.approx(111 / 27 * k, rel=1e-12)
    assert alone.is_exact
    assert ttr.draws.draws_to_gather(k, "locomotive").expected_cards.value == pytest.approx(111 / 15 * k)


@settings(max_examples=examples(60))
@given(some_cards(3, 6), some_cards(2, 4), st.sampled_from(["green", "gray", "locomotive"]), st.booleans(), st.data())
def test_gathering_equals_every_order_of_the_pool(
    pool: Counts,
    hand: Counts,
    color: str,
    locomotives: bool,  # noqa: FBT001
    data: st.DataObject,
) -> None:
    k = data.draw(st.integers(0, 5))

    def enough(cards: Counts) -> bool:
        helps = cards[LOCOMOTIVE_INDEX] if locomotives and color != "locomotive" else 0
        counts = {"green": [cards[GREEN]], "gray": list(cards[:8]), "locomotive": [cards[LOCOMOTIVE_INDEX]]}
        return max(counts[color]) + helps >= k

    exact = enumerate_draws(pool, hand, enough)
    waiting = ttr.draws.draws_to_gather(k, color, locomotives=locomotives, hand=CardCounts(hand), pool=CardCounts(pool))

    assert waiting.never == pytest.approx(float(exact.get(-1, 0)))
    for n, p in enumerate(waiting.cards):
        assert p == pytest.approx(float(exact.get(n, 0)))


def test_gray_is_never_slower_than_a_color() -> None:
    table = ttr.draws.gather_table(range(1, 7), hand={"red": 1})
    rows = table.set_index(["n_cards", "color", "locomotives"]).to_dict("index")

    for k in range(1, 7):
        for locomotives in (False, True):
            assert rows[k, "gray", locomotives]["cards"] <= rows[k, "red", locomotives]["cards"]
    assert (rows[1, "red", False]["cards"], rows[1, "red", False]["turns"]) == (0, 0)


def test_a_pool_may_not_hold_enough() -> None:
    waiting = ttr.draws.draws_to_gather(3, "red", pool={"red": 2, "green": 5})

    assert waiting.never == 1
    assert math.isinf(waiting.expected_cards.value)
    assert waiting.quantile(0.5) is None
    assert ttr.draws.gather_table([3], pool={"red": 2, "green": 2})["turns_90"].isna().all()


def test_bad_wishes_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean green, gray or red"):
        ttr.draws.draws_to_gather(3, "greey")
    with pytest.raises(ValueError, match="k must be 0 or more, got -1"):
        ttr.draws.draws_to_gather(-1, "red")
    with pytest.raises(ValueError, match="1 red too few"):
        ttr.draws.draws_to_gather(3, "red", hand={"red": 13})


# -- several routes -------------------------------------------------------


@st.composite
def plain_routes(draw: st.DrawFn) -> list[Route]:
    """Draw some routes without sets of cards."""
    routes = []
    for _ in range(draw(st.integers(0, 3))):
        length = draw(st.integers(1, 2))
        symbols = draw(st.integers(0, 1))
        routes.append(
            make_route(
                length, draw(st.sampled_from(["green", "red", "gray"])), symbols=symbols, jokers=draw(st.booleans())
            )
        )
    return routes


@settings(max_examples=examples(80))
@given(plain_routes(), some_cards(2, 5), some_cards(2, 6))
def test_several_routes_equal_every_order_of_the_pool(routes: list[Route], hand: Counts, pool: Counts) -> None:
    exact = enumerate_draws(pool, hand, lambda cards: pays_all(routes, cards))

    waiting = ttr.draws.draws_for_routes(routes, CardCounts(hand), pool=CardCounts(pool), method="exact")

    assert waiting.never == pytest.approx(float(exact.get(-1, 0)), abs=1e-12)
    for n, p in enumerate(waiting.cards):
        assert p == pytest.approx(float(exact.get(n, 0)), abs=1e-12)


def test_routes_with_sets_are_simulated(nordic: GameMap) -> None:
    """Against every order of a pool of six."""
    routes = [nordic.route("Aalborg", "Kristiansand"), make_route(2, "green", tunnel=True)]
    hand = spread({GREEN: 1, RED: 1})
    pool = spread({0: 3, GREEN: 1, LOCOMOTIVE_INDEX: 2})
    exact = enumerate_draws(pool, hand, lambda cards: pays_all(routes, cards))
    n_samples = examples(6_000)

    waiting = ttr.draws.draws_for_routes(
        routes, CardCounts(hand), pool=CardCounts(pool), rng=np.random.default_rng(1), n=n_samples
    )

    assert waiting.n_samples == n_samples
    for n, share in enumerate(waiting.cards):
        p = float(exact.get(n, 0))
        assert abs(share - p) < 4 * math.sqrt((p * (1 - p) + 1e-4) / n_samples)


@pytest.mark.compiled_only
@pytest.mark.parametrize("seed", range(50))
def test_simulated_draws_lie_near_the_exact_ones(seed: int, nordic: GameMap) -> None:
    """Fifty hands and sets of routes of a map, without sets of cards: within 4 standard errors."""
    rng = np.random.default_rng(seed)
    useful = [r for r in nordic.routes if r.swap_size == 0]
    colored = [r for r in useful if r.color != "gray"]
    gray = [r for r in useful if r.color == "gray"]
    routes = [colored[i] for i in rng.choice(len(colored), 2, replace=False)]
    routes += [gray[i] for i in rng.choice(len(gray), seed % 2, replace=False)]
    deck = np.repeat(np.arange(9), FULL_DECK.counts)
    hand = CardCounts(tuple(np.bincount(rng.choice(deck, 8, replace=False), minlength=9).tolist()))

    exact = ttr.draws.draws_for_routes(routes, hand, rules=nordic.rules, method="exact")
    found = ttr.draws.draws_for_routes(routes, hand, rules=nordic.rules, method="monte_carlo", n=1_000, rng=rng)

    for a, b in ((found.expected_cards, exact.expected_cards), (found.expected_turns, exact.expected_turns)):
        assert b.is_exact
        assert abs(a.value - b.value) < 4 * a.standard_error
    within = found.within(20)
    assert abs(within.value - exact.within(20).value) < 4 * within.standard_error


def test_one_route_is_exact_with_sets_too(nordic: GameMap) -> None:
    route = nordic.route("Murmansk", "Lieksa")

    assert ttr.draws.draws_for_routes([route], rules=nordic.rules) == ttr.payments.expected_draws(
        route, rules=nordic.rules
    )


def test_several_routes_take_longer_than_each_alone(any_map: GameMap) -> None:
    routes = [r for r in any_map.routes if r.color != "gray" and not r.swap_size][:2]
    waits = [ttr.draws.draws_for_routes([r], rules=any_map.rules).expected_cards.value for r in routes]

    both = ttr.draws.draws_for_routes(routes, rules=any_map.rules).expected_cards

    assert both.is_exact
    assert max(waits) < both.value


def test_a_simulation_wants_a_source_of_randomness(nordic: GameMap) -> None:
    ferries = [nordic.route("Aalborg", "Kristiansand"), nordic.route("Aalborg", "Oslo")]

    with pytest.raises(ttr.draws.TooManyStatesError, match=r"not counted exactly for several routes: .* `rng`"):
        ttr.draws.draws_for_routes(ferries)
    with pytest.raises(ttr.draws.TooManyStatesError):
        ttr.draws.draws_for_routes(ferries, method="exact", rng=np.random.default_rng(1))
    with pytest.raises(ValueError, match="source of randomness"):
        ttr.draws.draws_for_routes(ferries, method="monte_carlo")
    with pytest.raises(ValueError, match="'auto', 'exact' or 'monte_carlo', got 'fast'"):
        ttr.draws.draws_for_routes(ferries, method="fast")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="samples must be 1 or more"):
        ttr.draws.draws_for_routes(ferries, rng=np.random.default_rng(1), n=0)


# -- the face-up locomotive -----------------------------------------------


def test_two_blind_cards_win_from_four_colors() -> None:
    table = ttr.draws.locomotive_table()

    assert table["useful_share"].tolist() == pytest.approx([(12 * c + 14) / 110 for c in range(9)])
    assert table["better"].tolist() == ["locomotive"] * 4 + ["blind"] * 5


def test_where_it_costs_one_draw_a_useful_locomotive_is_taken(nordic: GameMap) -> None:
    table = ttr.draws.locomotive_table(rules=nordic.rules)

    assert table["better"].tolist() == ["locomotive"] * 8 + ["equal"]
    assert table["expected_blind"].tolist() == pytest.approx([(12 * c + 14) / 110 for c in range(9)])


def test_a_locomotive_that_is_no_use_is_left(nordic: GameMap) -> None:
    table = ttr.draws.locomotive_table(rules=nordic.rules, locomotive_useful=False)

    assert table["better"].tolist() == ["equal"] + ["blind"] * 8
    assert table["useful_share"].tolist() == pytest.approx([12 * c / 110 for c in range(9)])


def test_a_known_pool_changes_the_choice() -> None:
    pool = CardCounts.of(green=6, red=4, locomotive=2)

    choice = ttr.draws.locomotive_or_blind(["green"], pool=pool)

    assert choice.useful_share == pytest.approx(8 / 12)
    assert choice.better == "blind"
    # Both, one or none of two cards out of twelve, eight of them useful.
    assert choice.n_useful == pytest.approx([float(Fraction(w, 66)) for w in (6, 32, 28)])


@pytest.mark.parametrize(
    ("useful", "pool", "message"),
    [(9, None, "from 0 to 8, got 9"), (3, FULL_DECK, "give them by name"), (["red"], {}, "no blind card")],
)
def test_bad_choices_are_refused(useful: int | list[str], pool: CardCounts | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ttr.draws.locomotive_or_blind(useful, pool=pool)
    with pytest.raises(UnknownNameError, match="did you mean red"):
        ttr.draws.locomotive_or_blind(["redd"])


# -- which color to burn --------------------------------------------------


@settings(max_examples=examples(25))
@given(some_cards(3, 8), some_cards(2, 6), st.booleans())
def test_the_loss_is_what_the_wanted_routes_then_wait_longer(hand: Counts, pool: Counts, jokers: bool) -> None:  # noqa: FBT001
    gray = make_route(2, "gray", jokers=False)
    wanted = [make_route(2, "green", jokers=jokers), make_route(1, "red")]

    table = ttr.draws.which_color_to_burn(gray, CardCounts(hand), wanted, pool=CardCounts(pool))

    assert set(table.index) == {color for color in COLORS if hand[COLORS.index(color)] >= 2}
    assert table["draws"].is_monotonic_increasing

    def mean(cards: Counts) -> float:
        exact = enumerate_draws(pool, cards, lambda c: pays_all(wanted, c))
        return math.inf if -1 in exact else float(sum(n * p for n, p in exact.items()))

    before = mean(hand)
    for color, row in table.iterrows():
        left = tuple(n - 2 * (kind == COLORS.index(str(color))) for kind, n in enumerate(hand))
        assert row["draws"] == pytest.approx(mean(left))
        if math.isfinite(before):
            assert row["loss"] == pytest.approx(mean(left) - before)
        assert row["method"] == "exact"


@pytest.mark.compiled_only
def test_burning_is_simulated_with_common_cards(nordic: GameMap) -> None:
    """A ferry is wanted: no exact count for it and another route; differences are sharper than means."""
    gray = make_route(2, "gray", jokers=False)
    wanted = [nordic.route("Aalborg", "Kristiansand"), make_route(5, "green", jokers=False)]
    hand = {"red": 2, "blue": 2, "green": 3}

    table = ttr.draws.which_color_to_burn(gray, hand, wanted, rules=nordic.rules, rng=np.random.default_rng(1), n=500)

    assert table["method"].unique().tolist() == ["Monte Carlo"]
    assert table.index[-1] == "green"
    assert table.index[0] == "blue"
    blue = table.to_dict("index")["blue"]
    assert blue["loss_se"] < 0.2 * blue["draws_se"]
    simulated = ttr.draws.which_color_to_burn(
        gray, hand, wanted[1:], rules=nordic.rules, rng=np.random.default_rng(1), n=1_000, method="monte_carlo"
    )
    exact = ttr.draws.which_color_to_burn(gray, hand, wanted[1:], rules=nordic.rules).to_dict("index")
    for color, row in simulated.to_dict("index").items():
        assert abs(row["draws"] - exact[color]["draws"]) <= 4 * row["draws_se"]
        assert abs(row["loss"] - exact[color]["loss"]) <= 4 * row["loss_se"]
    with pytest.raises(ttr.draws.TooManyStatesError):
        ttr.draws.which_color_to_burn(gray, hand, wanted, rules=nordic.rules)


def test_locomotives_and_sets_burn_no_color() -> None:
    ferry = make_route(1, "gray", symbols=1, swap_size=3)

    table = ttr.draws.which_color_to_burn(ferry, {"red": 3, "blue": 1}, [make_route(2, "red")])

    assert table.index.tolist() == ["locomotive"]
    assert table["payment"].tolist() == ["1 blue, 2 red in sets"]


# -- results --------------------------------------------------------------


def test_turns_are_counted_by_the_draws_of_a_turn() -> None:
    rules = RuleSet("three a turn", cards=CardRules(draws_per_turn=3))

    waiting = ttr.draws.draws_to_gather(4, "red", pool={"red": 4}, rules=rules)

    assert (waiting.expected_cards.value, waiting.expected_turns.value) == (4, 2)
    assert waiting.turns == (0, 0, 1)


def test_a_waiting_time_answers_by_cards_and_by_turns() -> None:
    waiting = WaitingTime.from_samples([1, 3, -1, 3], [1, 2, -1, 2])

    assert waiting.never == 0.25
    assert waiting.within(2).value == 0.25
    assert waiting.within_turns(2).value == 0.75
    assert waiting.quantile(0.75) == 3
    assert waiting.turns_quantile(0.9) is None
    assert math.isnan(waiting.expected_cards.standard_error)
    with pytest.raises(ValueError, match="expected a probability above 0 and at most 1, got 0"):
        waiting.quantile(0)
    with pytest.raises(ValueError, match="0 or more, got -1"):
        waiting.within(-1)


def test_numbers_say_how_they_were_found() -> None:
    assert str(Estimate(0.5)) == "0.5000 (exact)"
    assert str(WaitingTime.from_samples([1, 2], [1, 1])) == (
        "cards: 1.5000 ± 0.5000 (standard error, 2 samples); turns: 1.0000 ± 0.0000 (standard error, 2 samples)"
    )
    table = WaitingTime.from_samples([1, 2, 2, -1], [1, 1, 1, -1]).table()
    assert table["within"].tolist() == [0, 0.25, 0.75]
    assert (table[["probability_se", "within_se"]] > 0).all(axis=None)
    assert repr(ttr.draws.draws_to_gather(1, "red", pool={"red": 1})) == (
        "<WaitingTime: cards: 1.0000 (exact); turns: 1.0000 (exact)>"
    )
    # A share of all samples is no certainty.
    assert Estimate.of_share(100, 100).standard_error > 0
    assert float(Estimate(0.25)) == 0.25


def test_an_estimate_is_a_number_to_compare_round_and_format() -> None:
    exact, simulated = Estimate(24.67), Estimate(24.67, 0.5, 100)
    for estimate in (exact, simulated):
        assert 3 < estimate < np.float64(30)
        assert 0.5 <= estimate <= 24.67
        assert estimate >= exact >= simulated
        assert not estimate > simulated
        assert np.isclose(estimate, 24.67)
        assert math.isclose(estimate, 24.67)
        assert np.asarray([estimate, estimate]).dtype == np.float64
        assert (round(estimate), round(estimate, 1)) == (25, 24.7)
        assert f"{estimate:.1f} {estimate:>6.2f}" == "24.7  24.67"
        assert f"{estimate}" == str(estimate)
        with pytest.raises(TypeError, match="not supported"):
            assert estimate < "3"  # type: ignore[operator]
    assert exact == 24.67
    assert hash(exact) == hash(24.67)
    assert simulated not in (24.67, exact)
    assert simulated == Estimate(24.67, 0.5, 100)
    assert min(Estimate(2.0), Estimate(1.0)).value == 1


@pytest.mark.parametrize("chance", [0.002, 0.05, 0.5, 0.99])
def test_the_interval_of_an_estimate_holds_the_truth_as_often_as_it_says(chance: float) -> None:
    rng = np.random.default_rng(7)
    shares = [Estimate.of_share(hits, 500).interval for hits in rng.binomial(500, chance, 2_000).tolist()]
    assert np.mean([low <= chance <= high for low, high in shares]) > 0.93
    assert all(0 <= low <= high <= 1 for low, high in shares)
    games = [WaitingTime.from_samples(n, n) for n in rng.binomial(9, chance, (300, 400)).tolist()]
    means = [game.expected_cards.interval for game in games]
    assert np.mean([low <= 9 * chance <= high for low, high in means]) > 0.9
    assert Estimate(chance).interval == (chance, chance)


def test_a_waiting_time_has_a_variance() -> None:
    exact = ttr.draws.draws_to_gather(3, "red")
    n, m, k = 110, 12, 3  # negative hypergeometric
    assert exact.variance == pytest.approx(k * (n - m) * (n + 1) * (m - k + 1) / ((m + 1) ** 2 * (m + 2)))
    assert exact.sd == pytest.approx(math.sqrt(exact.variance))
    samples = [2, 3, 3, 8]
    simulated = WaitingTime.from_samples(samples, [1, 2, 2, 4])
    assert simulated.variance == pytest.approx(np.var(samples, ddof=1))
    assert simulated.turns_sd == pytest.approx(np.std([1, 2, 2, 4], ddof=1))
    assert simulated.turns_variance == pytest.approx(simulated.turns_sd**2)
    assert math.isnan(WaitingTime.from_samples([1, -1], [1, -1]).sd)
    assert math.isnan(WaitingTime.from_samples([1], [1]).variance)


def test_a_map_with_another_deck(any_map: GameMap) -> None:
    deck = any_map.rules.deck
    n, m = deck.n_cards, deck["red"]

    assert ttr.draws.draws_to_gather(2, "red", rules=any_map.rules).expected_cards.value == pytest.approx(
        2 * (n + 1) / (m + 1)
    )
    small = RuleSet("small", cards=CardRules(per_color=3, locomotives=2), market=MarketRules(locomotive_cost=1))
    assert ttr.draws.draws_to_gather(2, "red", rules=small).expected_cards.value == pytest.approx(2 * 27 / 4)


def test_rules_are_taken_from_a_map(nordic: GameMap) -> None:
    route, hand = nordic.route("Murmansk", "Lieksa"), {"green": 4}
    tunnel = nordic.route("Oslo", "Lillehammer")
    for rules in (nordic, "nordic"):
        assert ttr.payments.expected_draws(route, hand, rules=rules).cards == (
            ttr.payments.expected_draws(route, hand, rules=nordic.rules).cards
        )
        assert ttr.draws.locomotive_or_blind(4, rules=rules).better == "locomotive"  # where it costs a single draw
        assert ttr.draws.draws_to_gather(2, "red", rules=rules).turns[1] > 0
        assert len(ttr.draws.gather_table([2], rules=rules)) == 4
        assert len(ttr.draws.locomotive_table(rules=rules)) == 9
        assert ttr.draws.draws_for_routes([tunnel, tunnel], rules=rules).expected_cards.is_exact
        assert len(ttr.draws.which_color_to_burn(tunnel, {"purple": 2}, [tunnel], rules=rules)) == 1
        rng = np.random.default_rng(1)
        assert ttr.payments.simulate_draws(tunnel, rng=rng, rules=rules, n=10).n_samples == 10
        assert ttr.tunnels.simulate_path([tunnel], {"purple": 3}, 10, rng, rules=rules).success.n_samples == 10
    with pytest.raises(TypeError, match="expected a map, or the name of one, got 3"):
        ttr.payments.expected_draws(route, rules=3)  # type: ignore[arg-type]


def test_locomotives_are_burned_where_the_color_is_wanted_for_another_route(nordic: GameMap) -> None:
    bergen = nordic.route("Oslo", "Bergen", color="red")
    wanted = [nordic.route("Kuopio", "Vaasa")]
    table = ttr.draws.which_color_to_burn(bergen, {"red": 4, "locomotive": 4}, wanted, rules=nordic.rules)
    assert table.index.tolist() == ["locomotive", "red"]
    assert table.to_dict("index")["locomotive"]["draws"] == 0


def test_many_gray_routes_are_refused_before_the_count_begins(nordic: GameMap) -> None:
    gray = [make_route(2, "gray", jokers=False)] * 5
    with pytest.raises(ttr.draws.TooManyStatesError, match="5 of them gray"):
        ttr.draws.draws_for_routes(gray, rules=nordic.rules)
    with pytest.raises(ttr.draws.TooManyStatesError, match="60 of them gray"):  # 2 ** 60 sets
        ttr.draws.draws_for_routes(gray * 12, rules=nordic.rules)


def test_a_wrong_method_or_number_of_samples_is_refused(nordic: GameMap) -> None:
    gray, wanted = make_route(1, "gray"), [make_route(2, "red"), make_route(2, "blue")]
    with pytest.raises(ValueError, match="method must be 'auto', 'exact' or 'monte_carlo', got 'monte carlo'"):
        ttr.draws.which_color_to_burn(gray, {"red": 1}, wanted, method="monte carlo")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="samples must be 1 or more, got 0"):
        ttr.draws.which_color_to_burn(
            gray, {"red": 1}, wanted, method="monte_carlo", n=0, rng=np.random.default_rng(7), rules=nordic.rules
        )
