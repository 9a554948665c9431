/*
 * The board as SVG, from the sheet of `ttr_analysis.viz.sheet.board_sheet`. It is built once; everything later
 * changes attributes only.
 *
 * drawBoard(container, sheet, {onRoute, onCity, label}) -> board
 *   onRoute(id, event), onCity(name, event): if given, routes or cities can be clicked, and reached by Tab, arrow keys
 *   (the next one in that direction) and Enter or space. `label` names the picture.
 *
 * board.svg
 * board.setOwners(owners)      all at once: {route id: seat or "neutral"}; the others are free
 * board.setOwner(id, owner)    one; null frees it
 * board.close(ids)             exactly these are crossed out
 * board.highlight(ids, name)   exactly these have the class (default "is-lit": a glow)
 * board.highlightCities(names, name)
 * board.markLast(id)           the route that the last move was about; null for none
 * board.setTickets(tickets)    exactly these are drawn: [{ticket: place in sheet.tickets, color, state}]; `state`
 *                              ("done", "possible", "lost" or "") goes to data-state
 * board.describe(id, words)    what a route is, for the tooltip and for readers; words null: as on the map
 *
 * isWide(sheet): whether the board is broad, so that the other parts lie about it in another way.
 *
 * Every route is <g class="ttr-route" data-route data-owner>, every city <g class="ttr-city" data-city>.
 */

function isWide({ view: [, , width, height] }) {
  return width > 1.15 * height;
}

function drawBoard(container, sheet, { onRoute = null, onCity = null, label = sheet.about } = {}) {
  const routes = new Map(sheet.routes.map((route) => [route.id, drawRoute(sheet, route)]));
  const cities = new Map(sheet.cities.map((city) => [city.name, drawCity(sheet, city)]));
  const layer = (name, elements) => makeSvg("g", { class: `ttr-${name}` }, ...elements);
  const arcs = layer("tickets", []);
  const svg = makeSvg(
    "svg",
    {
      class: "ttr-board",
      viewBox: sheet.view.join(" "),
      role: onRoute || onCity ? "group" : "img",
      "aria-label": label,
    },
    layer("ground", drawGround(sheet)),
    layer("glows", [...routes.values()].map(({ glow }) => glow)),
    layer("routes", [...routes.values()].map(({ group }) => group)),
    layer("tokens", sheet.tokens.flatMap((token) => drawToken(sheet, token))),
    arcs,
    layer("cities", [...cities.values()].map(({ group }) => group)),
    drawLabels(sheet, cities),
  );
  container.append(svg);
  if (onRoute) {
    const middle = ({ spots }) => spots[Math.floor(spots.length / 2)];
    const items = [...routes.values()].map(({ group, route }) => [group, middle(route), route.words, route.id]);
    makeChoosable(svg, items, onRoute);
  }
  if (onCity) {
    const proper = [...cities.values()].filter(({ city }) => !city.arrow);
    makeChoosable(svg, proper.map(({ group, city }) => [group, [city.x, city.y], city.name, city.name]), onCity);
  }
  return { svg, ...routeChanges(sheet, routes), ...marks(routes, cities), setTickets: ticketArcs(sheet, arcs, cities) };
}

/* What changes a route: its owner, and what it is in words. */
function routeChanges(sheet, routes) {
  function setOwner(id, owner) {
    const { group, numbers, route } = routes.get(id);
    const now = owner === null || owner === undefined ? "" : String(owner);
    if (group.dataset.owner === now) return;
    group.dataset.owner = now;
    if (now === "") return;
    const { color, ink, symbol } = playerLook(sheet, owner);
    group.style.setProperty("--ttr-owner", color);
    group.style.setProperty("--ttr-owner-ink", ink);
    // One character a space: each has its own place in the lists x and y.
    numbers.textContent = symbol.slice(0, 1).repeat(route.spots.length);
  }
  return {
    setOwner,
    setOwners(owners) {
      for (const id of routes.keys()) setOwner(id, owners[id]);
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
    for (const [id, { group, glow }] of things) {
      group.classList.toggle(name, ids.has(id));
      glow?.classList.toggle(name, ids.has(id));
    }
  };
  let last = null;
  return {
    close: (ids) => mark(routes, "is-closed", ids),
    highlight: (ids, name = "is-lit") => mark(routes, name, ids),
    highlightCities: (names, name = "is-lit") => mark(cities, name, names),
    markLast(id) {
      if (id === last) return;
      const changed = [last, id].filter((one) => one !== null).map((one) => [one, routes.get(one)]);
      mark(changed, "is-last", [id]);
      last = id;
    },
  };
}

/* What shows tickets; the arcs of each are drawn when it is first shown. */
function ticketArcs(sheet, layer, cities) {
  const drawn = new Map();
  return (tickets) => {
    const wanted = new Map(tickets.map((ticket) => [ticket.ticket, ticket]));
    for (const [at, group] of drawn) if (!wanted.has(at)) group.style.display = "none";
    for (const [at, { color = sheet.colors.highlight, state = "" }] of wanted) {
      if (!drawn.has(at)) drawn.set(at, layer.appendChild(drawTicket(sheet, sheet.tickets[at], cities)));
      const group = drawn.get(at);
      group.style.display = "";
      group.style.setProperty("--ttr-ticket", color);
      group.dataset.state = state;
    }
  };
}

// -- the parts of the picture -----------------------------------------------------------

function drawPath(d, attributes) {
  return d ? [makeSvg("path", { d, ...attributes })] : [];
}

function drawGround({ view: [x, y, width, height], paper, layers, unit }) {
  const lines = layers.flatMap(({ path, fill: inside, edge, dash }) =>
    drawPath(path, { fill: inside, stroke: edge, "stroke-width": 0.03 * unit, "stroke-dasharray": dash || null }),
  );
  return [makeSvg("rect", { x, y, width, height, fill: paper }), ...lines];
}

function drawRoute({ unit, colors, cards }, route) {
  const [look, locomotive] = [cards[route.color], cards.locomotive];
  const dash = route.ferry ? `${0.18 * unit} ${0.11 * unit}` : null;
  const bed = { fill: "none", stroke: route.ferry ? colors.ferry : colors.bed, "stroke-width": 0.05 * unit };
  const title = makeSvg("title", { text: route.words });
  const numbers = makeSvg("text", {
    class: "ttr-numbers",
    x: route.spots.map(([x]) => x).join(" "),
    y: route.spots.map(([, y]) => Math.round(y + 0.13 * unit)).join(" "),
    "font-size": 0.36 * unit,
    "text-anchor": "middle",
  });
  const group = makeSvg(
    "g",
    { class: "ttr-route", "data-route": route.id, "data-owner": "" },
    title,
    ...drawPath(route.track, { ...bed, "stroke-dasharray": dash }),
    ...drawPath(route.rock, { fill: colors.tunnel }),
    ...drawPath(route.cars, { class: "ttr-cars", fill: look.fill, stroke: look.edge, "stroke-width": 0.03 * unit }),
    ...drawPath(route.plates, { class: "ttr-symbol", fill: locomotive.fill }),
    ...drawPath(route.locomotives, { class: "ttr-symbol", fill: locomotive.ink }),
    ...drawPath(route.symbols, { class: "ttr-symbol", fill: look.ink }),
    ...drawPath(route.trains, { class: "ttr-trains", "stroke-width": 0.045 * unit }),
    numbers,
    ...drawPath(route.crosses, { class: "ttr-crosses", stroke: colors.closed, "stroke-width": 0.09 * unit }),
    makeSvg("path", { d: route.track, class: "ttr-hit", "stroke-width": 0.44 * unit }),
  );
  const glow = makeSvg("path", { d: route.track, class: "ttr-glow", "stroke-width": 0.74 * unit });
  return { group, glow, title, numbers, route };
}

function drawToken({ unit, colors }, { kind, x, y, text }) {
  const coin = kind === "toll";
  const size = (coin ? 0.28 : 0.36) * unit;
  const [width, height] = [(0.24 * text.length + 0.2) * unit, 0.5 * unit];
  const look = { fill: colors.home, stroke: colors.coin, "stroke-width": 0.04 * unit };
  const box = { x: x - width / 2, y: y - height / 2, width, height, rx: 0.1 * unit };
  const at = { x, y: y + 0.36 * size, "font-size": size, "text-anchor": "middle" };
  return [
    coin ? makeSvg("circle", { cx: x, cy: y, r: 0.19 * unit, ...look }) : makeSvg("rect", { ...box, ...look }),
    makeSvg("text", { ...at, "font-weight": "bold", fill: colors.text, text }),
  ];
}

function drawCity({ unit, radius, colors }, city) {
  const rim = { fill: colors.city, stroke: colors.rim, "stroke-width": 0.08 * unit };
  const dot = city.arrow
    ? makeSvg("path", { d: city.arrow, fill: colors.quiet_text })
    : makeSvg("circle", { cx: city.x, cy: city.y, r: radius, ...rim });
  const title = makeSvg("title", { text: city.name });
  return { group: makeSvg("g", { class: "ttr-city", "data-city": city.name }, title, dot), city };
}

function drawLabels({ labels, label_size: size, colors }, cities) {
  const halo = { stroke: colors.halo, "stroke-width": 0.3 * size };
  const group = makeSvg("g", { class: "ttr-labels", "font-size": size, ...halo });
  for (const { city, x, lines, anchor } of labels) {
    const leaves = cities.get(city).city.arrow;
    const look = leaves
      ? { "font-style": "italic", fill: colors.quiet_text }
      : { "font-weight": "bold", fill: colors.text };
    group.append(...lines.map(([y, text]) => makeSvg("text", { x, y, "text-anchor": anchor, ...look, text })));
  }
  return group;
}

function drawTicket(sheet, ticket, cities) {
  const { unit, radius, label_size: size } = sheet;
  const group = makeSvg("g", { class: "ttr-ticket", "data-ticket": ticket.id });
  group.append(makeSvg("title", { text: ticket.words }));
  for (const { cities: ends, path: d, x, y, points } of ticket.arcs) {
    group.append(
      makeSvg("path", { d, class: "ttr-arc-rim", "stroke-width": 0.2 * unit }),
      makeSvg("path", { d, class: "ttr-arc", "stroke-width": 0.11 * unit }),
      ...ends.map((name) => {
        const { city } = cities.get(name);
        const ring = { class: "ttr-ring", r: 1.7 * radius, "stroke-width": 0.14 * unit };
        return makeSvg("circle", { cx: city.x, cy: city.y, ...ring });
      }),
      makeSvg("circle", { cx: x, cy: y, r: 0.95 * size, class: "ttr-points", "stroke-width": 0.08 * unit }),
      makeSvg("text", { x, y: y + 0.36 * size, "text-anchor": "middle", "font-size": size, text: points }),
    );
  }
  return group;
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
