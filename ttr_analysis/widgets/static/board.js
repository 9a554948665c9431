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
 * Every route is <g class="ttr-route" data-route data-owner>, every city <g class="ttr-city" data-city>.
 */

function drawBoard(container, sheet, { onRoute = null, onCity = null, label = sheet.about } = {}) {
  const { unit, colors } = sheet;
  const svg = makeSvg("svg", {
    class: "ttr-board",
    viewBox: sheet.view.join(" "),
    role: onRoute || onCity ? "group" : "img",
    "aria-label": label,
  });
  const layer = (name) => svg.appendChild(makeSvg("g", { class: `ttr-${name}` }));
  const path = (d, attributes) => (d ? [makeSvg("path", { d, ...attributes })] : []);

  const [x, y, width, height] = sheet.view;
  const ground = layer("ground");
  ground.append(makeSvg("rect", { x, y, width, height, fill: sheet.paper }));
  for (const { path: d, fill: inside, edge, dash } of sheet.layers) {
    const pen = { stroke: edge, "stroke-width": 0.03 * unit, "stroke-dasharray": dash || null };
    ground.append(...path(d, { fill: inside, ...pen }));
  }

  const glows = new Map();
  const routes = new Map();
  const [below, middle] = [layer("glows"), layer("routes")];
  const locomotive = sheet.cards.locomotive;
  for (const route of sheet.routes) {
    const look = sheet.cards[route.color];
    const glow = makeSvg("path", { d: route.track, class: "ttr-glow", "stroke-width": 0.74 * unit });
    const title = makeSvg("title", { text: route.words });
    const dash = route.ferry ? `${0.18 * unit} ${0.11 * unit}` : null;
    const bed = { fill: "none", stroke: route.ferry ? colors.ferry : colors.bed, "stroke-width": 0.05 * unit };
    const numbers = makeSvg("text", {
      class: "ttr-numbers",
      x: route.spots.map(([at]) => at).join(" "),
      y: route.spots.map(([, at]) => Math.round(at + 0.13 * unit)).join(" "),
      "font-size": 0.36 * unit,
      "text-anchor": "middle",
    });
    const group = makeSvg(
      "g",
      { class: "ttr-route", "data-route": route.id, "data-owner": "" },
      title,
      ...path(route.track, { ...bed, "stroke-dasharray": dash }),
      ...path(route.rock, { fill: colors.tunnel }),
      ...path(route.cars, { class: "ttr-cars", fill: look.fill, stroke: look.edge, "stroke-width": 0.03 * unit }),
      ...path(route.plates, { class: "ttr-symbol", fill: locomotive.fill }),
      ...path(route.locomotives, { class: "ttr-symbol", fill: locomotive.ink }),
      ...path(route.symbols, { class: "ttr-symbol", fill: look.ink }),
      ...path(route.trains, { class: "ttr-trains", "stroke-width": 0.045 * unit }),
      numbers,
      ...path(route.crosses, { class: "ttr-crosses", stroke: colors.closed, "stroke-width": 0.09 * unit }),
      makeSvg("path", { d: route.track, class: "ttr-hit", "stroke-width": 0.44 * unit }),
    );
    below.append(glow);
    middle.append(group);
    glows.set(route.id, glow);
    routes.set(route.id, { group, title, numbers, route });
  }

  const tokens = layer("tokens");
  for (const token of sheet.tokens) {
    const coin = token.kind === "toll";
    const size = (coin ? 0.28 : 0.36) * unit;
    const [across, high] = [(0.24 * token.text.length + 0.2) * unit, 0.5 * unit];
    const look = { fill: colors.home, stroke: colors.coin, "stroke-width": 0.04 * unit };
    const box = { x: token.x - across / 2, y: token.y - high / 2, width: across, height: high, rx: 0.1 * unit };
    const at = { x: token.x, y: token.y + 0.36 * size, "font-size": size, "text-anchor": "middle" };
    tokens.append(
      coin
        ? makeSvg("circle", { cx: token.x, cy: token.y, r: 0.19 * unit, ...look })
        : makeSvg("rect", { ...box, ...look }),
      makeSvg("text", { ...at, "font-weight": "bold", fill: colors.text, text: token.text }),
    );
  }

  const arcs = layer("tickets");
  const cities = new Map();
  const dots = layer("cities");
  for (const city of sheet.cities) {
    const rim = { fill: colors.city, stroke: colors.rim, "stroke-width": 0.08 * unit };
    const dot = city.arrow
      ? makeSvg("path", { d: city.arrow, fill: colors.quiet_text })
      : makeSvg("circle", { cx: city.x, cy: city.y, r: sheet.radius, ...rim });
    const title = makeSvg("title", { text: city.name });
    const group = makeSvg("g", { class: "ttr-city", "data-city": city.name }, title, dot);
    dots.append(group);
    cities.set(city.name, { group, city });
  }

  const labels = layer("labels");
  labels.setAttribute("font-size", sheet.label_size);
  labels.setAttribute("stroke-width", 0.3 * sheet.label_size);
  labels.setAttribute("stroke", colors.halo);
  for (const { city, x: at, lines, anchor } of sheet.labels) {
    const leaf = cities.get(city).city.arrow;
    const look = leaf
      ? { "font-style": "italic", fill: colors.quiet_text }
      : { "font-weight": "bold", fill: colors.text };
    for (const [line, text] of lines) {
      labels.append(makeSvg("text", { x: at, y: line, "text-anchor": anchor, ...look, text }));
    }
  }
  container.append(svg);

  if (onRoute) {
    const spot = ({ route }) => route.spots[Math.floor(route.spots.length / 2)];
    makeChoosable(svg, [...routes.values()].map((r) => [r.group, spot(r), r.route.words, r.route.id]), onRoute);
  }
  if (onCity) {
    const proper = [...cities.values()].filter(({ city }) => !city.arrow);
    makeChoosable(svg, proper.map(({ group, city }) => [group, [city.x, city.y], city.name, city.name]), onCity);
  }

  const drawn = new Map();
  let last = null;
  const mark = (elements, name, wanted) => {
    const set = new Set(wanted);
    for (const [id, element] of elements) element.classList.toggle(name, set.has(id));
  };
  const groups = (things) => [...things].map(([id, { group }]) => [id, group]);
  const board = {
    svg,
    setOwner(id, owner) {
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
    },
    setOwners(owners) {
      for (const id of routes.keys()) board.setOwner(id, owners[id]);
    },
    close(ids) {
      mark(groups(routes), "is-closed", ids);
    },
    highlight(ids, name = "is-lit") {
      const wanted = [...ids];
      mark(glows, name, wanted);
      mark(groups(routes), name, wanted);
    },
    highlightCities(names, name = "is-lit") {
      mark(groups(cities), name, names);
    },
    markLast(id) {
      if (id === last) return;
      for (const [route, on] of [[last, false], [id, true]]) {
        if (route === null) continue;
        glows.get(route).classList.toggle("is-last", on);
        routes.get(route).group.classList.toggle("is-last", on);
      }
      last = id;
    },
    describe(id, words) {
      const { group, title, route } = routes.get(id);
      setText(title, words ?? route.words);
      if (onRoute) group.setAttribute("aria-label", words ?? route.words);
    },
    setTickets(tickets) {
      const wanted = new Map(tickets.map((ticket) => [ticket.ticket, ticket]));
      for (const [at, group] of drawn) if (!wanted.has(at)) group.style.display = "none";
      for (const [at, { color = colors.highlight, state = "" }] of wanted) {
        if (!drawn.has(at)) drawn.set(at, arcs.appendChild(drawTicket(sheet, sheet.tickets[at], cities)));
        const group = drawn.get(at);
        group.style.display = "";
        group.style.setProperty("--ttr-ticket", color);
        group.dataset.state = state;
      }
    },
  };
  return board;
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
