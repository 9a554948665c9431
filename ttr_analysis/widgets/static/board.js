/*
 * The board, drawn by `ttr_analysis.viz.svg.live_sheet`; later changes only set attributes.
 *
 * drawBoard(container, sheet, {onRoute, onCity, label, isGame}) -> board
 *   onRoute(id, event), onCity(name, event): if given, routes or cities are buttons. Tab reaches one of them, and arrow
 *   keys lead to the next in that direction. In a game, free routes are paler unless they are marked as open.
 *
 * board.setOwners(owners)      {route id: seat or "neutral"}; all other routes are free
 * board.setStations(stations, nameOf)  {city: seat}; all other cities have none. nameOf(seat) is for the tooltip
 * board.setTickets(tickets)    [{ticket: index in sheet.tickets, owner, state}]; state: "done", "possible", "lost" or ""
 * board.close(ids), board.highlight(ids, name = "is-lit"), board.highlightCities(names, name)      exactly these
 * board.arrive(ids)            exactly these were just claimed, one after the other
 * board.markBetter(place), board.markLast(id)      { route } or { city }, and a route; null for none
 * board.describe(id, words)    the tooltip and label of a route; null restores the one of the map
 *
 * A route is <g class="ttr-route" data-route data-owner>, a city <g class="ttr-city" data-city>.
 */

/* Whether the board is broad, so that the other parts lie about it in another way. */
function isWide({ view: [, , width, height] }) {
  return width > 1.15 * height;
}

function drawBoard(container, sheet, { onRoute = null, onCity = null, label = sheet.about, isGame = false } = {}) {
  const page = make("template");
  page.innerHTML = sheet.svg; // by Python, which has escaped every name
  const svg = document.importNode(page.content.firstChild, true);
  svg.setAttribute("role", onRoute || onCity ? "group" : "img");
  svg.setAttribute("aria-label", label);
  svg.classList.toggle("is-game", isGame);
  const found = (kind) => [...svg.querySelectorAll(`.ttr-${kind}`)];
  const glows = new Map(found("glow").map((glow) => [glow.dataset.route, glow]));
  const groups = new Map(found("route").map((group) => [group.dataset.route, group]));
  const numbers = new Map(found("numbers").map((text) => [text.dataset.route, text]));
  const drawn = (route) => {
    const group = groups.get(route.id);
    const parts = { group, title: group.querySelector("title"), numbers: numbers.get(route.id), glow: glows.get(route.id) };
    return [route.id, { route, ...parts }];
  };
  const routes = new Map(sheet.routes.map(drawn));
  const cities = new Map(found("city").map((group) => [group.dataset.city, { group }]));
  const setStations = (stations, nameOf) => {
    for (const [city, { group }] of cities) setStation(group, city, Object.hasOwn(stations, city) ? stations[city] : undefined, nameOf);
  };
  container.append(svg);
  const items = (places, things) => places.map(({ id, at, words }) => [things.get(id).group, at, words, id]);
  if (onRoute) makeChoosable(svg, items(sheet.routes, routes), onRoute);
  if (onCity) makeChoosable(svg, items(sheet.cities, cities), onCity);
  const setTickets = ticketArcs(found("ticket"));
  return { svg, ...routeChanges(routes, found("swap")), ...marks(routes, cities), setStations, setTickets };
}

/* Whose station stands in a city, or nobody's; maps without stations have no house. */
function setStation(group, city, owner, nameOf) {
  const house = group.querySelector(".ttr-station");
  const now = owner === undefined ? "" : String(owner);
  if (!house || house.dataset.owner === now) return;
  house.dataset.owner = now;
  setText(house.querySelector("text"), now);
  const words = now ? `${city}: station of ${nameOf(owner)}` : city;
  setText(group.querySelector("title"), words);
  if (group.hasAttribute("aria-label")) group.setAttribute("aria-label", words);
}

/* What changes a route: its owner, and what it is in words. What else pays for it is not said upon trains. */
function routeChanges(routes, swaps) {
  const paid = swaps.map((swap) => ({ swap, ids: JSON.parse(swap.dataset.routes) }));
  function setOwner({ group, numbers }, owner) {
    const now = owner === undefined ? "" : String(owner);
    if (group.dataset.owner === now) return;
    group.dataset.owner = numbers.dataset.owner = now;
    // One character a space: each has its own place in the lists x and y.
    numbers.textContent = now.slice(0, 1).toUpperCase().repeat(numbers.getAttribute("x").split(" ").length);
  }
  return {
    setOwners(owners) {
      for (const [id, parts] of routes) setOwner(parts, owners[id]);
      for (const { swap, ids } of paid) {
        const isTaken = ids.every((id) => owners[id] !== undefined);
        swap.setAttribute("visibility", isTaken ? "hidden" : "visible");
      }
    },
    describe(id, words) {
      const { group, title, route } = routes.get(id);
      setText(title, words ?? route.words);
      if (group.hasAttribute("aria-label")) group.setAttribute("aria-label", words ?? route.words);
    },
  };
}

/* What gives classes to routes and cities, and takes them away. */
function marks(routes, cities) {
  const mark = (things, name, wanted) => {
    const ids = new Set(wanted);
    for (const [id, { group, numbers, glow }] of things) {
      for (const part of [group, numbers, glow]) part?.classList.toggle(name, ids.has(id));
    }
  };
  let last = null;
  return {
    close: (ids) => mark(routes, "is-closed", ids),
    arrive(ids) {
      mark(routes, "is-arriving", ids);
      ids.forEach((id, k) => {
        for (const part of [routes.get(id).group, routes.get(id).numbers]) part.style.setProperty("--ttr-rank", k);
      });
    },
    highlight: (ids, name = "is-lit") => mark(routes, name, ids),
    highlightCities: (names, name = "is-lit") => mark(cities, name, names),
    markBetter(place) {
      mark(routes, "is-better", place?.route ? [place.route] : []);
      mark(cities, "is-better", place?.city ? [place.city] : []);
    },
    markLast(id) {
      if (id === last) return;
      const changed = [last, id].filter((one) => one !== null).map((one) => [one, routes.get(one)]);
      mark(changed, "is-last", [id]);
      last = id;
    },
  };
}

/* What shows tickets. */
function ticketArcs(groups) {
  return (tickets) => {
    const wanted = new Map(tickets.map((ticket) => [ticket.ticket, ticket]));
    groups.forEach((group, at) => {
      group.style.display = wanted.has(at) ? "" : "none";
      if (!wanted.has(at)) return;
      const { owner = "", state = "" } = wanted.get(at);
      Object.assign(group.dataset, { owner, state });
    });
  };
}

/* Make elements choosable by mouse and keys: [[element, [x, y], words, value]]. One of them is a stop of Tab. */
function makeChoosable(svg, items, onChoose) {
  const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  let stop = items[0];
  const go = (item) => {
    stop[0].setAttribute("tabindex", "-1");
    stop = item;
    stop[0].setAttribute("tabindex", "0");
    stop[0].focus();
  };
  const next = ([, [x, y]], [right, down]) => {
    // The nearest one in a direction; what lies aside counts as farther.
    const away = ([, [u, v]]) => {
      const [ahead, aside] = [(u - x) * right + (v - y) * down, (u - x) * down + (v - y) * right];
      return ahead > 0 ? ahead + 2.5 * Math.abs(aside) : Infinity;
    };
    const nearest = items.reduce((best, item) => (away(item) < away(best) ? item : best));
    return Number.isFinite(away(nearest)) ? nearest : null;
  };
  for (const item of items) {
    const [element, , words, value] = item;
    fill(element, { role: "button", tabindex: item === stop ? "0" : "-1", "aria-label": words }, []);
    element.classList.add("is-choosable");
    element.addEventListener("click", (event) => onChoose(value, event));
    element.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") onChoose(value, event);
      else if (ways[event.key]) go(next(item, ways[event.key]) ?? item);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    element.addEventListener("focus", () => {
      if (stop !== item) go(item);
    });
  }
}
