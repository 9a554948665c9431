"""What is seen and clicked on the board of a widget."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator

OWNERS = """root => Object.fromEntries([...root.querySelectorAll('.ttr-route:not([data-owner=""])')]
  .map(route => [route.dataset.route, route.dataset.owner]))"""

MIDDLE = """route => {
  const track = route.querySelector('.ttr-hit');
  route.scrollIntoView({block: 'center'});
  const {x, y} = track.getPointAtLength(0.4 * track.getTotalLength()).matrixTransform(track.getScreenCTM());
  return [x, y];
}"""


def owners(widget: Locator) -> dict[str, str]:
    """Return the owner of each route that has one."""
    found: dict[str, str] = widget.evaluate(OWNERS)
    return found


def route(widget: Locator, route_id: str) -> Locator:
    """Return a route."""
    return widget.locator(f'.ttr-route[data-route="{route_id}"]')


def click_route(widget: Locator, route_id: str) -> None:
    """Click on a route, at a point where cars lie."""
    x, y = route(widget, route_id).evaluate(MIDDLE)
    widget.page.mouse.click(x, y)
