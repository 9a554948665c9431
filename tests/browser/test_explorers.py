"""Explorers in a browser: what they show after a change is what the exact functions say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

import ttr_analysis as ttr
from tests.browser.board import click_route, route

if TYPE_CHECKING:
    from tests.browser.lab import Lab

SHOW = "import ttr_analysis as ttr\nttr.widgets."


def test_odds_follow_the_hand(lab: Lab, nordic: ttr.GameMap) -> None:
    widget = lab.show(f"{SHOW}TunnelOdds(ttr.load_map('nordic'), 'Lillehammer-Oslo/0', hand={{'purple': 2}})")

    for n_purple, n_locomotives in ((2, 1), (3, 1), (3, 2)):
        widget.get_by_label("Your hand: purple").fill(str(n_purple))
        widget.get_by_label("Your hand: locomotive").fill(str(n_locomotives))

        hand = {"purple": n_purple, "locomotive": n_locomotives}
        exact = ttr.tunnels.claim_odds(nordic.route("Lillehammer", "Oslo"), hand)
        expect(widget.locator(".ttr-live")).to_contain_text(f"With {n_purple} purple and {n_locomotives} locomotive")
        chances = [float(text.removesuffix("%")) for text in widget.locator("tbody .is-main").all_inner_texts()]
        assert chances == pytest.approx([100 * odds.probability for odds in exact], abs=0.5)


def test_cards_that_do_not_exist_are_refused_in_words(lab: Lab) -> None:
    widget = lab.show(f"{SHOW}TunnelOdds(ttr.load_map('nordic'))")

    widget.get_by_label("Your hand: purple").fill("13")

    expect(widget.locator(".ttr-live.is-bad")).to_contain_text("purple")
    expect(widget.get_by_label("Your hand: purple")).to_have_attribute("aria-invalid", "true")


def test_costs_follow_the_hand(lab: Lab, nordic: ttr.GameMap) -> None:
    widget = lab.show(f"{SHOW}RouteCosts(ttr.load_map('nordic'), hand={{'green': 7}})")
    lieksa = nordic.route("Murmansk", "Lieksa")

    for own in (8, 6):
        widget.get_by_label("Your hand: green").fill(str(own))

        green = widget.locator(".ttr-table tbody tr", has_text="green").locator(".is-number")
        expect(green.nth(0)).to_have_text(str(own))
        expect(green.nth(1)).to_have_text(str(ttr.payments.cards_needed(lieksa, own=own)))


def test_routes_are_opened_again_with_keys_alone(lab: Lab) -> None:
    closed = ["Bergen-Oslo/0", "Kirkenes-Murmansk/0"]
    widget = lab.show(f"{SHOW}TicketExplorer(ttr.load_map('nordic'), closed={closed})")
    buttons = widget.get_by_role("button", name="Reopen")
    buttons.first.focus()

    lab.page.keyboard.press("Enter")
    expect(buttons).to_have_count(1)
    expect(buttons).to_be_focused()
    lab.page.keyboard.press("Enter")
    expect(buttons).to_have_count(0)
    expect(widget.locator(".ttr-taken")).to_be_focused()


def test_networks_follow_tickets_and_closed_routes(lab: Lab, nordic: ttr.GameMap) -> None:
    widget = lab.show(f"{SHOW}TicketExplorer(ttr.load_map('nordic'), ['Narvik-Murmansk'])")
    trains = widget.locator(".ttr-figures b").first
    tickets = [nordic.ticket("Narvik", "Murmansk"), nordic.ticket("Bergen", "København")]

    expect(trains).to_have_text(f"{ttr.tickets.cheapest_network(nordic, tickets[:1]).length} of 40")
    widget.get_by_label("Bergen").and_(widget.get_by_label("København")).check()
    expect(trains).to_have_text(f"{ttr.tickets.cheapest_network(nordic, tickets).length} of 40")

    click_route(widget, "Kirkenes-Murmansk/0")
    around = ttr.tickets.cheapest_network(nordic, tickets, closed=[("Kirkenes", "Murmansk")])
    expect(trains).to_have_text(f"{around.length} of 40")
    assert "is-closed" in (route(widget, "Kirkenes-Murmansk/0").get_attribute("class") or "")
    lit = widget.locator(".ttr-route.is-lit").evaluate_all("routes => routes.map(route => route.dataset.route)")
    assert sum(found.length for found in nordic.resolve_routes(lit)) == around.length
