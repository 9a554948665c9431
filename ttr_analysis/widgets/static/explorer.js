/*
 * Tickets and the fewest trains for them. Python answers inputs with the network at once; the page requests the cost of
 * losing each route piece by piece while it is idle.
 */

const IDLE = 150; // milliseconds without a change before losses are asked for

function renderExplorer({ model, el }) {
  const facts = model.get("facts");
  const { root, live } = answerPage(el, "explorer", `Tickets and the fewest trains: ${facts.sheet.title}`);
  const words = new Map(facts.sheet.routes.map((route) => [route.id, route.words]));
  const box = make("div");
  const board = drawBoard(box, facts.sheet, {
    onRoute: (id, { shiftKey }) => takeRoute(model, tools.mode(shiftKey), id),
    onCity: (city) => journey.choose(city),
  });
  board.svg.style.setProperty("--ttr-dash", `${0.5 * facts.sheet.unit} ${0.25 * facts.sheet.unit}`);
  const tools = explorerTools(model, facts);
  const journey = ticketsFrom(model, facts, board);
  const taken = takenRoutes(model, facts);
  const picker = ticketPicker(model, facts);
  const network = networkPanel(model, facts);
  const losses = lossesPanel(model, facts, words, board);
  const beside = make("div", { class: "ttr-stack" }, network.element, losses.element);
  root.append(
    tools.element,
    live,
    make(
      "div",
      { class: `ttr-sides ttr-stack${isWide(facts.sheet) ? " is-wide" : ""}` },
      make("div", { class: "ttr-stack" }, box, journey.element, taken.element),
      make("div", { class: "ttr-stack" }, picker.element, beside),
    ),
  );
  root.addEventListener("keydown", ({ key }) => key === "Escape" && journey.choose(null));

  function showInputs() {
    picker.show();
    tools.show();
    taken.show();
  }

  function showAnswer() {
    const answer = model.get("answer");
    setText(live, answer.said);
    live.classList.toggle("is-bad", Boolean(answer.problem) || !answer.possible);
    showOnBoard(board, facts.sheet, words, answer);
    network.show(answer);
  }

  return stopAll(
    follow(model, ["tickets", "closed", "owned", "n_players"], showInputs),
    follow(model, ["answer"], showAnswer),
    follow(model, ["losses"], losses.show),
    losses.stop,
  );
}

/* Close or own a route, or reopen it if it already is closed or owned. */
function takeRoute(model, name, id) {
  const other = name === "owned" ? "closed" : "owned";
  const had = model.get("answer")[name]?.includes(id);
  const left = reopen(model, name, id);
  ask(model, { [name]: had ? left : [...left, id], [other]: reopen(model, other, id) });
}

/* Return the routes that stay taken when one reopens; if a track is closed because of its twin, both reopen. */
function reopen(model, name, id) {
  const pair = (route) => route.slice(0, route.lastIndexOf("/"));
  const listed = model.get(name);
  const byTwin = name === "closed" && !listed.includes(id) && model.get("answer").closed?.includes(id);
  return listed.filter((route) => (byTwin ? pair(route) !== pair(id) : route !== id));
}

function togglePick(model, facts, id) {
  const now = model.get("tickets");
  if (now.includes(id)) ask(model, { tickets: now.filter((ticket) => ticket !== id) });
  else if (now.length < facts.most_tickets) ask(model, { tickets: [...now, id] });
}

function showOnBoard(board, sheet, words, { routes = [], closed = [], owned = [], tickets = [] }) {
  board.close(closed);
  board.setOwners(Object.fromEntries(owned.map((id) => [id, 0])));
  board.highlight(routes);
  const states = [[routes, "in the network"], [closed, "closed"], [owned, "yours"]];
  const state = new Map(states.flatMap(([ids, what]) => ids.map((id) => [id, what])));
  for (const [id, plain] of words) board.describe(id, state.has(id) ? `${plain}: ${state.get(id)}` : null);
  const place = new Map(sheet.tickets.map(({ id }, k) => [id, k]));
  board.setTickets(tickets.map(({ id }) => ({ ticket: place.get(id) })));
}

/* Make the controls: what a click on a route does, the number of players, and a button to open all routes. */
function explorerTools(model, facts) {
  const group = `ttr-mode-${Math.random().toString(36).slice(2)}`;
  const radio = (value, words) => {
    const input = make("input", { type: "radio", name: group, value, checked: value === "closed" });
    return make("label", {}, input, make("span", { text: words }));
  };
  const what = "A click on a route (Shift-click does the other)";
  const modes = [radio("closed", "closes it"), radio("owned", "makes it yours")];
  const mode = make("div", { class: "ttr-row", role: "radiogroup", "aria-label": what }, what, ...modes);
  const sizes = facts.players.map((n) => ({ id: String(n), words: `${n} players` }));
  const setPlayers = (n) => ask(model, { n_players: n === "" ? null : Number(n) });
  const players = choice([{ id: "", words: "any number" }, ...sizes], setPlayers);
  const clear = makeButton("Open all routes", () => ask(model, { closed: [], owned: [] }));
  const asked = facts.players.length ? [labeled("Players", players)] : [];
  return {
    element: make("div", { class: "ttr-ask ttr-row" }, mode, ...asked, clear),
    mode(other) {
      const chosen = mode.querySelector("input:checked").value;
      return (chosen === "owned") !== other ? "owned" : "closed";
    },
    show() {
      players.value = String(model.get("n_players") ?? "");
      const isOpen = model.get("closed").length + model.get("owned").length === 0;
      keepFocus(clear.parentElement, () => (clear.disabled = isOpen));
    },
  };
}

/* List the tickets of a clicked city: a click on the second city, or on a button, picks one. */
function ticketsFrom(model, facts, board) {
  const element = make("div", { class: "ttr-journey ttr-row" });
  const joins = ({ ends: [origin, goals] }, a, b) =>
    (origin.includes(a) && goals.includes(b)) || (origin.includes(b) && goals.includes(a));
  let from = null;

  function pick(id) {
    togglePick(model, facts, id);
    show(null);
  }
  function show(city) {
    from = city;
    const leading = facts.tickets.filter(({ ends }) => ends.flat().includes(city));
    board.highlightCities(leading.flatMap(({ ends }) => ends.flat()).filter((goal) => goal !== city), "is-goal");
    board.highlightCities(city === null ? [] : [city], "is-lit");
    const hint = leading.length ? `From ${city}:` : `No ticket leads to ${city}.`;
    const buttons = leading.map(({ id, name, points }) =>
      makeButton(`${name} ${points}`, () => pick(id), { "aria-pressed": String(model.get("tickets").includes(id)) }),
    );
    const words = make("span", { text: city === null ? "Click two cities to pick a ticket." : hint });
    keepFocus(element, () => element.replaceChildren(words, ...buttons));
  }
  show(null);
  return {
    element,
    choose(city) {
      const joining = facts.tickets.filter((ticket) => from !== null && joins(ticket, from, city));
      // Of several copies, the first that is not picked yet.
      const next = joining.find(({ id }) => !model.get("tickets").includes(id)) ?? joining[0];
      if (next) pick(next.id);
      else show(city === from ? null : city);
    },
  };
}

/* List closed and owned routes as buttons that reopen them. */
function takenRoutes(model, facts) {
  const element = make("div", { class: "ttr-taken" });
  const line = ([name, words]) => {
    const buttons = model.get(name).map((id) => {
      const open = () => ask(model, { [name]: model.get(name).filter((route) => route !== id) });
      const look = { "data-key": id, "aria-label": `Reopen ${facts.names[id]}` };
      return makeButton(`${facts.names[id]} ✕`, open, look);
    });
    return buttons.length ? [make("p", { class: "ttr-row" }, make("span", { text: words }), ...buttons)] : [];
  };
  return {
    element,
    show() {
      const lines = [["closed", "Closed:"], ["owned", "Yours:"]].flatMap(line);
      keepFocus(element, () => element.replaceChildren(...lines));
    },
  };
}

/* List the tickets of the map with checkboxes, and a field that filters them. */
function ticketPicker(model, facts) {
  const find = "Find a ticket";
  const search = make("input", { type: "search", placeholder: find, "aria-label": find, oninput: () => narrow() });
  const items = facts.tickets.map(({ id, name, points, folded }) => {
    const box = make("input", { type: "checkbox", onchange: () => togglePick(model, facts, id) });
    const label = make("label", { class: "ttr-line" }, box, make("span", { text: name }), make("b", { text: points }));
    return { id, box, row: make("li", {}, label), texts: [name, points].map((text) => text.toLowerCase()), folded };
  });
  const heading = make("h4");
  const list = make("ul", { class: "ttr-plain ttr-picker", "aria-label": "Tickets" }, ...items.map(({ row }) => row));
  const none = makeButton("Clear", () => ask(model, { tickets: [] }));

  function narrow() {
    const wanted = search.value.trim().toLowerCase();
    const plain = wanted.normalize("NFKD").replace(/\p{M}/gu, "").replace(/ø/g, "o").replace(/[\s\u2010-\u2015-]+/g, " ");
    for (const { row, texts, folded } of items) {
      row.hidden = !folded.includes(plain) && !texts.some((text) => text.includes(wanted));
    }
  }
  return {
    element: make("div", { class: "ttr-panel" }, heading, make("div", { class: "ttr-ask ttr-row" }, search, none), list),
    show() {
      const now = new Set(model.get("tickets"));
      const full = now.size >= facts.most_tickets;
      setText(heading, `Tickets: ${now.size} picked${full ? " (the maximum)" : ""}`);
      keepFocus(none, () => (none.disabled = now.size === 0), search);
      for (const { id, box } of items) {
        box.checked = now.has(id);
        box.disabled = full && !now.has(id);
      }
    },
  };
}

/* Show the figures of the network, and the tickets picked. */
function networkPanel(model, facts) {
  const figures = make("ul", { class: "ttr-figures ttr-plain" });
  const { element: table, body } = answerTable("Selected tickets", ["Ticket", "Trains alone", "Points", "Drop"]);
  const element = make("div", { class: "ttr-panel" }, figures, table);
  const row = ({ id, name, alone, points, reaches }) => {
    const worth = reaches ? `${points} (${reaches})` : (points ?? "");
    const look = { class: "ttr-link", "data-key": id, "aria-label": `Drop ${name}` };
    const drop = makeButton("✕", () => togglePick(model, facts, id), look);
    return answerRow(name, [alone ?? "impossible", worth, drop]);
  };
  return {
    element,
    show({ problem, tickets = [], length, left, slack, points, toll, tokens, loans, n_tunnels, n_ferries }) {
      const borrowed = loans ? `, ${several(loans, "loan")}` : "";
      const shown = [
        ["trains", `${length} of ${left}`],
        ["to spare", slack],
        ["points", points],
        ...(tokens === null ? [] : [["toll", `${toll} of ${tokens}${borrowed}`]]),
        ...[["tunnels", n_tunnels], ["ferries", n_ferries]].filter(([, n]) => n > 0),
      ];
      const figure = ([what, n]) => make("li", {}, make("span", { class: "ttr-quiet", text: `${what} ` }), make("b", { text: n }));
      figures.replaceChildren(...(length === undefined ? [] : shown.map(figure)));
      keepFocus(element, () => {
        element.hidden = tickets.length === 0 || Boolean(problem);
        body.replaceChildren(...tickets.map(row));
      });
    },
  };
}

/* Show what losing each route would cost; unknown losses are requested while the page is idle. */
function lossesPanel(model, facts, words, board) {
  const { element: table, body } = answerTable("What losing a route costs", ["Route", "Trains", "Extra"]);
  const note = make("p", { class: "ttr-note ttr-quiet" });
  const element = make("div", { class: "ttr-panel" }, make("h4", { text: "If a route is lost" }), table, note);
  let timer = 0;

  const point = (ids) => board.highlight(ids, "is-pointed");
  function row({ route, trains, extra, breaks }) {
    const close = () => ask(model, { closed: [...model.get("closed"), route] });
    const look = { class: "ttr-link", "data-key": route, "aria-label": `Close ${words.get(route)}` };
    const name = makeButton(facts.names[route], close, look);
    name.addEventListener("focus", () => point([route]));
    name.addEventListener("blur", () => point([]));
    const more = trains === null ? "✗" : `${breaks ? "✗ " : ""}+${extra}`;
    const line = answerRow(name, [trains ?? "impossible", more]);
    line.classList.toggle("is-bad", breaks);
    line.addEventListener("mouseenter", () => point([route]));
    line.addEventListener("mouseleave", () => point([]));
    return line;
  }
  return {
    element,
    show() {
      const { rows, n_left } = model.get("losses");
      const harmless = rows.filter(({ extra }) => extra === 0).length;
      const sentences = [
        harmless ? `${several(harmless, "route")} can be lost at no cost.` : "",
        rows.some(({ breaks }) => breaks) ? "✗ (dashed on the board): the tickets could no longer be completed." : "",
      ];
      point([]);
      board.highlight(rows.filter(({ breaks }) => breaks).map(({ route }) => route), "is-neck");
      keepFocus(element, () => {
        element.hidden = rows.length + n_left === 0;
        body.replaceChildren(...rows.filter(({ extra }) => extra !== 0).map(row));
      });
      setText(note, n_left ? `${n_left} still to check …` : sentences.filter(Boolean).join(" "));
      clearTimeout(timer);
      if (n_left) timer = setTimeout(() => model.send({ ask: "losses" }), rows.length ? 0 : IDLE);
    },
    stop: () => clearTimeout(timer),
  };
}

export default { render: renderExplorer };
