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
 * board.lift(place)            [copy of its trains or station, their box]; it looks free until `land(place)`
 * board.markBetter(place), board.markLast(id)      { route } or { city }, and a route; null for none
 * board.describe(id, words)    the tooltip and label of a route; null restores the map's own
 *
 * board.group(id)              the element of a route
 * makeZoomable(container, svg, view, onZoom)       lets fingers zoom and move it
 *
 * A route is <g class="ttr-route" data-route data-owner>, a city <g class="ttr-city" data-city>.
 */

const REACH = 24; // pixels

/* Return whether the board is wide, which decides the layout around it. */
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
  if (onRoute) {
    makeChoosable(svg, items(sheet.routes, routes), onRoute);
    svg.addEventListener("click", (event) => {
      const near = event.pointerType === "touch" && !event.target.closest(".is-choosable") ? nearest(groups, event) : null;
      if (near !== null) onRoute(near, event);
    });
  }
  if (onCity) makeChoosable(svg, items(sheet.cities, cities), onCity);
  const setTickets = ticketArcs(found("ticket"));
  return { svg, group: (id) => groups.get(id), ...routeChanges(routes, found("swap")), ...marks(routes, cities), setStations, setTickets };
}

/* Return the route that a finger has nearly hit, or null. */
function nearest(groups, { clientX, clientY }) {
  let [best, least] = [null, REACH];
  for (const [id, group] of groups) {
    const track = group.querySelector(".ttr-hit");
    const [length, matrix] = [track.getTotalLength(), track.getScreenCTM()];
    for (let k = 0; k <= 12; k += 1) {
      const { x, y } = track.getPointAtLength((k * length) / 12).matrixTransform(matrix);
      const away = Math.hypot(x - clientX, y - clientY);
      if (away < least) [best, least] = [id, away];
    }
  }
  return best;
}

/* Let two fingers or a double tap zoom a board, which one finger then moves. A double tap calls `onZoom()`. */
function makeZoomable(place, svg, [left, top, width, height], onZoom) {
  let [x, y, scale] = [0, 0, 1]; // of the visible part, as fractions of the board
  let before = null;
  let tapped = null;
  const back = makeButton("Whole board", () => zoom(1, [0.5, 0.5]), { class: "ttr-whole", hidden: true });
  place.append(back);
  function move(right, down) {
    x = Math.min(Math.max(0, x + right), 1 - 1 / scale);
    y = Math.min(Math.max(0, y + down), 1 - 1 / scale);
    svg.setAttribute("viewBox", [left + x * width, top + y * height, width / scale, height / scale].join(" "));
    back.hidden = scale === 1;
  }
  function zoom(wanted, [u, v]) {
    const old = scale;
    scale = Math.min(Math.max(1, wanted), 6);
    move(u * (1 / old - 1 / scale), v * (1 / old - 1 / scale));
  }
  function fingers(touches) {
    const box = svg.getBoundingClientRect();
    const [one, other] = [touches[0], touches[1] ?? touches[0]];
    const middle = [(one.clientX + other.clientX) / 2, (one.clientY + other.clientY) / 2];
    const apart = Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
    return { n: touches.length, apart, middle, at: [(middle[0] - box.left) / box.width, (middle[1] - box.top) / box.height] };
  }
  svg.addEventListener("touchstart", (event) => {
    if (event.touches.length > 1) event.preventDefault();
    before = fingers(event.touches);
  }, { passive: false });
  svg.addEventListener("touchmove", (event) => {
    if (event.touches.length === 1 && scale === 1) return;
    event.preventDefault();
    const now = fingers(event.touches);
    if (now.n === before.n) {
      if (now.n > 1) zoom((scale * now.apart) / before.apart, now.at);
      move((before.at[0] - now.at[0]) / scale, (before.at[1] - now.at[1]) / scale);
    }
    [before, tapped] = [now, null];
  }, { passive: false });
  // Captured before other listeners: the second tap of a double tap chooses nothing.
  place.addEventListener("touchend", (event) => {
    if (event.touches.length || event.changedTouches.length > 1) return;
    if (!svg.contains(event.target)) return void (tapped = null); // it was on something over the board
    const { middle, at } = fingers(event.changedTouches);
    const isSecond = tapped && event.timeStamp - tapped.time < 300 && Math.hypot(middle[0] - tapped.middle[0], middle[1] - tapped.middle[1]) < 30;
    tapped = isSecond ? null : { time: event.timeStamp, middle };
    if (!isSecond) return;
    event.preventDefault();
    onZoom();
    zoom(scale > 1 ? 1 : 3, at);
  }, { capture: true, passive: false });
}

/* Set the owner of the station in a city, if any; maps without stations have no house to color. */
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

/* Return functions that change the owner and description of routes. Labels of sets of cards are hidden under trains. */
function routeChanges(routes, swaps) {
  const paid = swaps.map((swap) => ({ swap, ids: JSON.parse(swap.dataset.routes) }));
  function setOwner({ group, numbers }, owner) {
    const now = owner === undefined ? "" : String(owner);
    if (group.dataset.owner === now) return;
    group.dataset.owner = numbers.dataset.owner = now;
    // One character per space: each has its own position in the lists x and y.
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

/* Return functions that mark routes and cities with classes, or move a copy of their pieces. */
function marks(routes, cities) {
  const mark = (things, name, wanted) => {
    const ids = new Set(wanted);
    for (const [id, { group, numbers, glow }] of things) {
      for (const part of [group, numbers, glow]) part?.classList.toggle(name, ids.has(id));
    }
  };
  const placed = ({ route, city }) => [route ? [route, routes.get(route)] : [city, cities.get(city)]];
  let last = null;
  return {
    close: (ids) => mark(routes, "is-closed", ids),
    lift(place) {
      const [[, { group, numbers }]] = placed(place);
      const piece = group.querySelector(".ttr-trains, .ttr-station");
      const [{ x, y, width, height }, to] = [piece.getBBox(), piece.getBoundingClientRect()];
      const scale = piece.getScreenCTM().a;
      const size = { width: scale * width, height: scale * height, viewBox: `${x} ${y} ${width} ${height}` };
      const owner = group.dataset.owner ?? piece.dataset.owner;
      const copies = [piece, ...(numbers ? [numbers] : [])].map((part) => part.cloneNode(true));
      mark(placed(place), "is-awaiting", Object.values(place));
      return [makeSvg("svg", { ...size, "data-owner": owner }, ...copies), to];
    },
    land: (place) => mark(placed(place), "is-awaiting", []),
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

/* Return a function that shows exactly the given tickets. */
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

/* Make elements choosable by mouse and keys; items: [[element, [x, y], words, value]]. Only one is a tab stop. */
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
    // The nearest one in a direction; distance to the side counts more.
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
