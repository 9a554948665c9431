/*
 * The turn of a seat: what it may do (`ttr_analysis.widgets.snapshot`), on the board and beside it. The page knows only
 * what the seat may see and do: a move goes to Python as a line of text, and the result comes back.
 *
 * showSeat({model, el}, {label, head, side, busyWith, onStep, onNow}) -> {root, board, turn, keep, begin, stop}
 *   The table of a seat. `head` is in the header, and `side(bar)` the first part beside the board; `busyWith()` returns
 *   what keeps Python busy, and `onStep()` steps through a finished game. `begin()` shows the first view;
 *   `onNow(now, before)` is called once a view is shown.
 * redrawing(show) -> render
 */

const NOTHING = { route: null, city: null };
const OPEN = ["possible", "borrowing"]; // statuses of the tickets shown on the board
const FIRST = 5; // payments that are offered at once

const LOAN = "The toll is more than your tokens: you will take a loan.";

/* Make the form for keeping tickets: `onChange(ids)` is called with those to show, `onKeep(ids)` with those kept. */
function keepForm({ offer, fewest }, nameOf, onChange, onKeep) {
  const boxes = offer.map((id) => make("input", { type: "checkbox", value: id }));
  const kept = () => boxes.filter((box) => box.checked).map((box) => box.value);
  const done = makeButton("Keep these", () => onKeep(kept()), { class: "ttr-main" });
  const update = () => {
    done.disabled = kept().length < fewest;
    onChange(kept());
  };
  boxes.forEach((box) => box.addEventListener("change", update));
  update();
  const label = (box) => {
    const look = () => onChange([box.value]);
    const listeners = { onpointerenter: look, onfocusin: look, onpointerleave: update, onfocusout: update };
    return make("label", { class: "ttr-line", ...listeners }, box, make("bdi", { dir: "ltr", text: nameOf(box.value) }));
  };
  const what = `Keep at least ${fewest}`;
  return make("div", { class: "ttr-t-keep", role: "group", "aria-label": what }, what, ...boxes.map(label), done);
}

/* Make an input for other payments: with sets of cards there are too many to list. */
function otherCards(example, onPay) {
  const look = { placeholder: example, autocomplete: "off", spellcheck: "false" };
  const input = make("input", { type: "text", "aria-label": "Other cards", ...look });
  const pay = () => onPay(input.value);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") pay();
  });
  const other = makeButton("Pay with these cards", pay);
  return make("div", { class: "ttr-choices ttr-row ttr-t-other" }, input, other);
}

/* Return whose turn it is, what the person must decide, or who won. */
function turnWords(facts, { moment, options }) {
  if (options) return ["Your turn", options.task].filter(Boolean).join(": ");
  if (moment.acting !== null) return decisionWords(facts, moment);
  const won = moment.winners.map((seat) => (seat === facts.seat ? "You" : facts.names[seat])).join(" and ");
  return won ? `${won} won` : "The game is over";
}

/* Make the bar: whose turn it is, news, errors, and the possible `actions`. */
function makeBar(facts, actions, onAgain) {
  const turn = make("div", { class: "ttr-t-turn" });
  const live = make("div", { class: "ttr-live ttr-quiet", "aria-live": "polite" });
  const problem = make("div", { class: "ttr-problem", role: "alert" });
  const again = makeButton("Try again", onAgain, { hidden: true });
  const said = make("div", { class: "ttr-advised", "aria-live": "polite", hidden: true });
  const parts = [turn, problem, again, actions, said, live]; // news last, so that it moves nothing
  let heard = null; // the step at which the person decided last
  return {
    element: make("section", { class: "ttr-t-now ttr-stack ttr-panel", "aria-label": "Your turn" }, ...parts),
    setTurn(now, busy) {
      turn.classList.toggle("ttr-t-busy", Boolean(busy));
      setText(turn, busy ? `${busy} …` : turnWords(facts, now));
    },
    /* Show everything since the person's last decision in one text: a screen reader would miss overwritten text. */
    setNews(now) {
      const news = now.log.slice(-Math.max(1, now.step - (heard ?? now.step)));
      heard = now.step;
      const words = news.map(([seat, text]) => (seat === null ? text : `${facts.names[seat]} ${text}`)).join(". ");
      live.replaceChildren(words, make("span", { class: "ttr-unseen", text: `. ${turnWords(facts, now)}` }));
    },
    /* Advice takes the place of the news. */
    setAdvice(words) {
      setText(said, words);
      said.hidden = !words;
    },
    setProblem: (text) => setText(problem, text),
    setAgain: (may) => (again.hidden = !may),
  };
}

/* Make the button of a payment: it shows the cards laid down, sets in parentheses; its accessible name says the same. */
function paymentButton({ sheet, kinds }, { line, cards, sets }, nHeld, onMove) {
  const chips = (of) => kinds.filter((kind) => of[kind]).map((kind) => cardChip(sheet, kind, { count: of[kind] }));
  const together = chips(sets);
  const unseen = (text) => make("span", { class: "ttr-unseen", text });
  const left = nHeld - sum([...Object.values(cards), ...Object.values(sets)]);
  const names = { class: "ttr-t-payment ttr-row", "data-line": line, "data-key": line };
  const button = makeButton("", () => onMove(line), names);
  button.append(
    unseen("Pay "),
    ...chips(cards),
    ...(together.length ? [unseen(" sets of "), "( ", ...together, ")"] : []),
    unseen("; cards: "),
    make("span", { class: "ttr-t-left ttr-quiet", text: `${left} left` }),
  );
  return button;
}

/* Make the rows of payments: a few, cheapest first, or with `isAll` all of them by color. */
function paymentRows(facts, payments, nHeld, { isAll, onMove, onAll }) {
  const button = (payment) => paymentButton(facts, payment, nHeld, onMove);
  if (!isAll || payments.length <= FIRST) {
    const more = makeButton(`Show all ${payments.length}`, onAll, { "data-key": "more" });
    return [
      make("div", { class: "ttr-t-payments ttr-stack" }, ...payments.slice(0, FIRST).map(button)),
      payments.length > FIRST ? more : "",
    ];
  }
  const colorOf = ({ cards }) => Object.keys(cards).find((kind) => kind !== "locomotive") ?? "locomotive";
  const groups = new Map(payments.map((payment) => [colorOf(payment), []]));
  for (const payment of payments) groups.get(colorOf(payment)).push(payment);
  const parts = [...groups].map(([color, group]) =>
    make("div", { class: "ttr-t-group", role: "group", "aria-label": `With ${color}` }, ...group.map(button)),
  );
  return [make("div", { class: "ttr-t-all" }, ...parts)];
}

function payForm(label, onLeave, ...parts) {
  const leave = makeButton("Not now", onLeave, { "data-key": "leave" });
  return make("div", { class: "ttr-t-claim ttr-stack", role: "group", "aria-label": label }, ...parts, leave);
}

/* Make the form with the ways to pay for a route. */
function claimForm(facts, { claims }, id, nHeld, { isAll, onMove, onAll, onLeave }) {
  const { words } = facts.sheet.routes.find((route) => route.id === id);
  const { payments, loan, sets } = claims[id];
  const typed = sets ? payments[0].line.slice(id.length + 1) : "";
  return payForm(
    `Claim ${words}`,
    onLeave,
    make("p", {}, "Claim ", make("bdi", { dir: "ltr", text: words }), " with"),
    loan ? make("p", { class: "ttr-problem", text: LOAN }) : "",
    sets ? make("p", { class: "ttr-quiet", text: sets }) : "",
    ...paymentRows(facts, payments, nHeld, { isAll, onMove, onAll }),
    sets && isAll ? otherCards(typed, (cards) => onMove(`${id} ${cards}`)) : "",
  );
}

/* List moves other than claims, with a note on claims. */
function moveList(facts, { claims, station, pays, moves }, nHeld, { isAll, onMove, onAll, onStation }) {
  const n = Object.keys(claims).length;
  const which = n === 1 ? "the highlighted route" : `one of the ${n} highlighted routes`;
  const button = ({ line, words }) =>
    make("button", { type: "button", "data-line": line, onclick: () => onMove(line) }, make("bdi", { dir: "ltr", text: words }));
  const build = () => makeButton(`Build a station (${stationCards(station)}) …`, () => onStation(""), { "data-key": "station" });
  return [
    n ? make("div", { class: "ttr-quiet", text: `Choose ${which} on the board to claim it.` }) : "",
    pays.length ? make("p", { text: "Pay for the tunnel with" }) : "",
    ...paymentRows(facts, pays, nHeld, { isAll, onMove, onAll }),
    make("div", { class: "ttr-choices ttr-row" }, station ? build() : "", ...moves.map(button)),
  ];
}

function stationCards({ payments: [{ cards }] }) {
  return several(sum(Object.values(cards)), "card");
}

/* Make the form for a station: where, and how to pay; `city` is "" at first. The list stays, so names can be typed. */
function stationForm(facts, { cities, payments }, city, nHeld, { isAll, onMove, onAll, onLeave, onCity }) {
  const options = cities.map((name) => make("option", { value: name, text: name, dir: "auto" }));
  const named = { "data-key": "city", "aria-label": "City of the station", onchange: () => set(list.value) };
  const list = make("select", named, make("option", { value: "", text: "choose a city" }), ...options);
  const where = make("span", { text: ", here or on the board" });
  const rows = make("div", { class: "ttr-stack" });
  function set(name) {
    onCity(name);
    where.hidden = name !== "";
    const build = (cards) => onMove(`station ${name} ${cards}`);
    rows.replaceChildren(...(name ? paymentRows(facts, payments, nHeld, { isAll, onMove: build, onAll }) : []));
  }
  list.value = city;
  set(city);
  return payForm("Build a station", onLeave, make("p", {}, "Build a station in ", list, where), rows);
}

/* Describe a city to the person. */
function cityWords(facts, city, { moment, options }) {
  if (Object.hasOwn(moment.stations, city)) return `${city}: ${ownerName(facts, moment.stations[city])}'s station.`;
  const can = options?.station ? `you can build a station here for ${stationCards(options.station)}` : "no station yet";
  return `${city}: ${can}.`;
}

/* Make the controls for moves beside the board. `keep(change)` changes the page and keeps the focus. */
function makeActions(facts, keep, board, { onMove, onStep }) {
  const { sheet } = facts;
  const element = make("div", { class: "ttr-t-actions ttr-stack" });
  const spot = make("div", { class: "ttr-t-actions ttr-t-spot ttr-panel ttr-stack", hidden: true });
  const places = new Map(sheet.tickets.map(({ id }, i) => [id, i]));
  let now = null;
  let chosen = NOTHING; // the route or city to pay for; the city is "" before it is chosen
  let isAll = false; // whether all payments are shown

  const chooseTickets = (offered) =>
    keepForm(
      offered,
      (id) => sheet.tickets[places.get(id)].words,
      (ids) => board.showTickets(ids.map((id) => places.get(id))),
      (ids) => onMove(`keep ${ids.join(", ") || 0}`),
    );
  const finish = () => makeButton("Step through it", onStep, { class: "ttr-main" });
  function content({ options, moment }) {
    if (moment.acting === null) return [finish()];
    if (!options) return [];
    if (options.keep) return [chooseTickets(options.keep)];
    const nHeld = sum(moment.seats[facts.seat].hand);
    const listeners = { isAll, onMove, onAll: showAll, onLeave: () => choose(NOTHING), onStation: build, onCity: moveTo };
    const { route, city } = chosen;
    if (route !== null && options.claims[route]) return [claimForm(facts, options, route, nHeld, listeners)];
    if (city !== null && options.station) return [stationForm(facts, options.station, city, nHeld, listeners)];
    return moveList(facts, options, nHeld, listeners);
  }
  const show = () =>
    keep(() => {
      const tunnel = now.options && now.moment.tunnel;
      const at = tunnel?.route ?? (now.options?.claims[chosen.route] ? chosen.route : null);
      const parts = content(now);
      element.replaceChildren(...(at === null ? parts : []));
      spot.replaceChildren(tunnel ? tunnelCards(facts, tunnel) : "", ...(at === null ? [] : parts));
      board.setSpot(spot, at);
    });
  const focusFirst = (kind) => (spot.hidden ? element : spot).querySelector(kind)?.focus({ preventScroll: true });
  function showAll() {
    isAll = true;
    show();
    focusFirst("button");
  }
  function choose(what) {
    const hasFocus = () => [element, spot].some((part) => part.contains(part.getRootNode().activeElement));
    const left = what === NOTHING && hasFocus() ? chosen.route : null;
    chosen = what;
    isAll = false;
    board.choose(what);
    show();
    if (left !== null) board.focus(left);
    else if (!hasFocus()) focusFirst(what.city === "" ? "select" : "button");
  }
  function moveTo(city) {
    chosen = { ...NOTHING, city };
    board.choose(chosen);
  }
  const build = (city) => choose({ ...NOTHING, city });
  return {
    element,
    setInert: (isInert) => (element.inert = spot.inert = isInert),
    build,
    claim: (route) => choose({ ...NOTHING, route }),
    leave: () => choose(NOTHING),
    isChosen: () => chosen !== NOTHING,
    set(next) {
      now = next;
      chosen = NOTHING;
      isAll = false;
      show();
    },
  };
}

/* Make the market, in which the cards that the person can take are buttons. */
function makeMarket(facts, onMove) {
  let options = null;
  const { element, set, allow } = marketPanel(facts, {
    onSlot: (slot) => onMove(options?.market[slot]),
    onPile: () => onMove(options?.draw),
    onTickets: () => onMove(options?.tickets),
  });
  return {
    element,
    set,
    allow(now, busy) {
      options = now.options;
      const may = options && !busy ? options : { draw: "", market: {}, tickets: "" };
      allow({ slots: (slot) => Boolean(may.market[slot]), pile: Boolean(may.draw), tickets: Boolean(may.tickets) });
    },
  };
}

/*
 * Make the person's turn: messages, possible moves, and the market. `busyWith()` returns what keeps Python busy.
 * `onSend(message)` is called with one move at a time: until it is answered, no other can be made.
 */
function makeTurn(facts, keep, board, { busyWith, onSend, onStep }) {
  let now = null;
  let sent = false;
  const actions = makeActions(facts, keep, board, { onMove: move, onStep });
  const bar = makeBar(facts, actions.element, () => send({ do: "go_on" }));
  const market = makeMarket(facts, move);

  const show = () =>
    keep(() => {
      const busy = busyWith() || (sent ? "Making the move" : "");
      bar.setTurn(now, busy);
      actions.setInert(Boolean(busy));
      market.allow(now, busy);
    });
  function send(message) {
    sent = true;
    show();
    onSend(message);
  }
  function move(line) {
    if (sent || !line) return;
    bar.setProblem("");
    send({ do: "move", step: now.step, line });
  }
  return {
    bar: bar.element,
    market: market.element,
    show,
    set(next, before) {
      now = next;
      sent = false;
      market.set(now.moment, before);
      if (now.options || now.moment.acting === null) bar.setNews(now);
      show();
      actions.set(now);
    },
    setAdvice: bar.setAdvice,
    leave: actions.leave,
    undo: () => send({ do: "undo", step: now.step }),
    setProblem: ({ text, can_retry: again }) =>
      keep(() => {
        bar.setProblem(text);
        bar.setAgain(again);
        if (text) sent = false;
        show();
      }),
    onRoute(id) {
      if (!now.options || sent) return;
      const given = now.options.moves.find(({ route }) => route === id);
      if (given) move(given.line);
      else if (now.options.claims[id]) actions.claim(id);
      else onSend({ do: "why", step: now.step, route: id });
    },
    onCity(city) {
      if (!now.options || sent) return;
      if (now.options.station?.cities.includes(city)) actions.build(city);
      else onSend({ do: "why", step: now.step, city });
    },
    onKey(event) {
      if (event.key !== "Escape" || !actions.isChosen()) return false;
      actions.leave();
      return true;
    },
  };
}

/* Make the board, with taken, closed and claimable routes and the person's tickets. */
function makeBoard(facts, { onRoute, onCity, onLook, onZoom }) {
  const { sheet, seat: you } = facts;
  const hint = routeHint(facts, onLook);
  const board = gameBoard(facts, { onRoute, onCity });
  makeZoomable(board.element, board.svg, sheet.view, onZoom);
  hint.watch(board.element); // not on the SVG, which would become focusable
  board.element.append(hint.element);

  const showTickets = (places) => board.setTickets(places.map((ticket) => ({ ticket, owner: you, state: "" })));
  function routeWords({ id, words }, { moment, options }) {
    if (id in moment.owners) return `${words}: taken by ${ownerName(facts, moment.owners[id])}`;
    return options?.claims[id] ? `${words}: can be claimed` : null;
  }
  const neutralTracks = ({ moves }) => moves.flatMap(({ route }) => route ?? []);
  return {
    ...board,
    showTickets,
    choose({ route, city }) {
      board.highlight(route === null ? [] : [route]);
      board.highlightCities(city ? [city] : []);
    },
    setAbout: hint.set,
    stop: hint.stop,
    set(now) {
      const { moment, log, options, closed } = now;
      const { owners } = moment;
      board.setOwners(owners);
      board.setStations(moment.stations);
      const words = new Map(sheet.routes.map((route) => [route.id, routeWords(route, now)]));
      for (const [id, text] of words) board.describe(id, text);
      hint.reset(words, (city) => cityWords(facts, city, now));
      board.close(closed);
      board.highlight([]);
      board.highlightCities([]);
      board.highlight(options ? [...Object.keys(options.claims), ...neutralTracks(options)] : [], "is-open");
      board.markLast(log.at(-1)[2]);
      const possible = moment.seats[you].tickets.filter(([, status]) => OPEN.includes(status));
      showTickets(possible.map(([ticket]) => ticket));
    },
  };
}

/* Show the cost of the route under the pointer or focus: `onLook(id)` asks Python. Answers last until the next move. */
function routeHint({ sheet, stations }, onLook) {
  const element = make("p", { class: "ttr-t-hint" });
  const verb = matchMedia("(hover: none)").matches ? "Tap" : "Point at";
  const idle = `${verb} a route${stations ? " or a city" : ""} to see what it costs.`;
  let ofCity = null; // describes a city
  let city = null;
  let words = new Map();
  let known = new Map();
  let looked = null;
  let waiting = null;
  const ofRoute = () => (looked === null ? idle : (known.get(looked) ?? words.get(looked) ?? ""));
  const show = () => setText(element, city === null ? ofRoute() : ofCity(city));
  function look(id, name = null) {
    looked = id;
    city = name;
    clearTimeout(waiting);
    if (id !== null && !known.has(id)) waiting = setTimeout(() => onLook(id), 120);
    show();
  }
  const routeOf = ({ target }) => target.closest?.(".ttr-route")?.dataset.route ?? null;
  const cityOf = ({ target }) => (stations && target.closest?.(".ttr-city")?.dataset.city) || null;
  const onPoint = (event) => look(routeOf(event), cityOf(event));
  return {
    element,
    watch(place) {
      for (const kind of ["pointerover", "focusin"]) place.addEventListener(kind, onPoint);
      place.addEventListener("pointerleave", () => look(null));
    },
    reset(now, cities) {
      ofCity = cities;
      words = new Map(sheet.routes.map((route) => [route.id, now.get(route.id) ?? route.words]));
      known = new Map();
      look(looked, city);
    },
    set(id, text) {
      known.set(id, text);
      show();
    },
    stop: () => clearTimeout(waiting),
  };
}

/* Show the table of a seat, for a game or a puzzle. */
function showSeat({ model, el }, { label, head, side = (bar) => bar, busyWith = () => "", onStep, onNow }) {
  const facts = model.get("facts");
  const onSend = (message) => model.send(message);
  // If the focused element disappears, and nothing replaces it, the focus moves to the bar of the turn.
  const keep = (change) => keepFocus(root, change, turn.bar);
  const board = makeBoard(facts, {
    onRoute: (id) => turn.onRoute(id),
    onCity: (city) => turn.onCity(city),
    onLook: (route) => onSend({ do: "about", route }),
    onZoom: () => turn.leave(),
  });
  const turn = makeTurn(facts, keep, board, { busyWith, onSend, onStep });
  const seats = seatPanels(facts, { first: facts.seat });
  const [own, ...others] = seats.elements;
  const log = logList("Log");
  const root = gameRoot(el, facts, {
    name: "play",
    label,
    onKey: turn.onKey,
    head,
    board: board.element,
    side: [side(turn.bar), turn.market, own],
    seats: others,
    log,
  });

  let before; // what was shown before
  function show() {
    if (model.get("facts") !== facts) return; // they belong to another game, which is redrawn
    const now = model.get("now");
    board.set(now);
    seats.set(now.moment, before?.moment);
    log.set(now.log);
    turn.set(now, before?.moment);
    onNow?.(now, before);
    before = now;
  }
  function onAbout() {
    const { route, step, words } = model.get("about");
    if (step === model.get("now").step) board.setAbout(route, words);
  }
  const onProblem = () => turn.setProblem(model.get("problem"));
  function begin() {
    show();
    onProblem();
  }
  const forget = listen(model, { now: show, about: onAbout, problem: onProblem });
  return { root, board, turn, keep, begin, stop: stopAll(forget, board.stop, log.stop) };
}

/* Redraw a widget when its facts change: `show(context)` draws it, and returns a function that stops it. */
function redrawing(show) {
  return (context) => {
    const { model, el } = context;
    let stop = show(context);
    function onFacts() {
      const hadFocus = el.contains(el.getRootNode().activeElement);
      stop();
      el.replaceChildren();
      stop = show(context);
      const first = el.querySelector(".ttr-t-now");
      first.tabIndex = -1;
      if (!hadFocus) return;
      first.focus({ preventScroll: true });
      el.querySelector(".ttr-head").scrollIntoView({ block: "nearest" }); // it may have begun far below
    }
    const forget = listen(model, { facts: onFacts });
    return stopAll(forget, () => stop());
  };
}
