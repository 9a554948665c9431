/*
 * Everything around the board at a moment of `ttr_analysis.widgets.snapshot`. `facts` are those of the game. Only
 * values that changed are redrawn.
 *
 * wholeMoments(changes) -> moments      the first change is a whole moment, the others hold differences
 * drawing(setters) -> set(values, before)      calls setters[key](values[key], before[key]) for each changed value
 * seatPanels(facts, {first, onTickets}) -> {elements, set(moment, before)}
 *   One panel per seat, starting at `first`. Cards that are new since the moment `before` are marked.
 *   onTickets(seat, isOn): if given, each panel has a button that shows its tickets on the board.
 * marketPanel(facts, {onSlot, onPile, onTickets}) -> {element, set(moment, before), allow({slots, pile, tickets})}
 *   With listeners, cards and piles are buttons; `allow` enables them.
 * logList(heading) -> {element, set(entries), stop()}      entries: [[seat or null, text]]; scrolled to the end
 * gameRoot(el, facts, {name, label, onKey, head, board, side, seats, log}) -> element
 *   The whole widget. `side` is beside the board, or below it in a narrow page, so the board never moves.
 */

const STATUS = {
  done: ["✓", "done"],
  possible: ["…", "possible"],
  borrowing: ["⌂", "possible with stations only"],
  lost: ["✗", "lost"],
  unknown: ["?", "unknown"],
};

function ownerName(facts, owner) {
  return owner === "neutral" ? "the neutral player" : facts.names[owner];
}

function decisionWords(facts, { acting, turn }) {
  return acting === null ? turn : `${facts.names[acting]} ${turn}`;
}

function wholeMoments(changes) {
  let now = changes[0];
  const isOwned = ([, owner]) => owner !== null; // null: a correction has freed it
  const withOwners = (owners) => Object.fromEntries(Object.entries({ ...now.owners, ...owners }).filter(isOwned));
  const apply = ({ owners, seats, ...rest }) => ({
    ...now,
    ...rest,
    owners: owners ? withOwners(owners) : now.owners,
    seats: seats ? now.seats.map((seat, k) => (seats[k] ? { ...seat, ...seats[k] } : seat)) : now.seats,
  });
  return [now, ...changes.slice(1).map((change) => (now = apply(change)))];
}

function drawing(setters) {
  const drawn = new Map();
  return (values, before = {}) => {
    for (const [key, set] of Object.entries(setters)) {
      // Setters that mark new things also depend on the moment before.
      const previous = set.length > 1 ? before[key] : undefined;
      const [value, marked] = drawn.get(key) ?? [];
      if (drawn.has(key) && value === values[key] && marked === previous) continue;
      set(values[key], previous);
      drawn.set(key, [values[key], previous]);
    }
  };
}

const SCORE = "As on the board's score track: points for routes so far. Tickets and bonuses count at the end.";

/* Make a fact of a seat or of the table: a name, and a value that tests find by `data-field`. */
function makeFact(field, name) {
  const value = make("b", { "data-field": field });
  const title = field === "score" ? SCORE : null;
  const element = make("span", { class: "ttr-fact", title }, make("span", { class: "ttr-quiet", text: `${name} ` }), value);
  return { element, set: (text) => setText(value, String(text)) };
}

function makeFacts(names) {
  const facts = Object.fromEntries(Object.entries(names).map(([field, name]) => [field, makeFact(field, name)]));
  const element = make("div", { class: "ttr-facts ttr-row" }, ...Object.values(facts).map((fact) => fact.element));
  return { element, ...facts };
}

// -- tickets ------------------------------------------------------------------------

function ticketItem(sheet, [ticket, status, trains]) {
  const [symbol, words] = STATUS[status] ?? ["", ""];
  const need = status === "possible" && trains ? `${trains} to go` : "";
  return make(
    "li",
    { "data-status": status, "data-ticket": sheet.tickets[ticket].id, title: need ? `${words}: ${need}` : words },
    symbol ? make("span", { class: "ttr-status", role: "img", "aria-label": words, text: symbol }) : "",
    make("bdi", { dir: "ltr", text: sheet.tickets[ticket].words }),
    // The space is outside, so that a line may break before what is still to go.
    ...(need ? [" ", make("span", { class: "ttr-need ttr-quiet", text: need })] : []),
  );
}

/* List tickets; unknown ones are counted. */
function ticketList(sheet, field) {
  const element = make("ul", { class: "ttr-tickets ttr-plain", "data-field": field });
  return {
    element,
    set(tickets) {
      const known = tickets.filter(([ticket]) => ticket >= 0);
      const n = tickets.length - known.length;
      const rest = n ? [make("li", { "data-ticket": "?", text: several(n, "unknown ticket") })] : [];
      element.replaceChildren(...known.map((one) => ticketItem(sheet, one)), ...rest);
    },
  };
}

/* Make the button that shows tickets on the board. */
function ticketToggle(name, onTickets) {
  const look = { class: "ttr-show", "aria-pressed": "false", "aria-label": `Show tickets of ${name} on the board` };
  const toggle = makeButton("show tickets", onclick, look);
  function onclick() {
    const pressed = toggle.getAttribute("aria-pressed") !== "true";
    toggle.setAttribute("aria-pressed", String(pressed));
    onTickets(pressed);
  }
  return toggle;
}

// -- seats ----------------------------------------------------------------------------

function pointsWords(parts) {
  const words = parts.map(([what, value], k) => {
    const sign = value === null ? "+ ? " : k === 0 ? `${value} ` : value < 0 ? `− ${-value} ` : `+ ${value} `;
    return `${sign}from ${what}`;
  });
  return words.join(" ");
}

function seatPanel(facts, seat, onTickets) {
  const { sheet, kinds } = facts;
  const name = facts.names[seat];
  const money = facts.money ? { tokens: "tokens", loans: "loans" } : {};
  const stations = facts.stations ? { stations: "stations left" } : {};
  const line = makeFacts({ trains: "trains", cards: "cards", score: "scored", ...money, ...stations });
  const won = make("span", { class: "ttr-won", text: "won", hidden: true });
  const points = make("b", { "data-field": "points" });
  const unit = make("span", {});
  const parts = make("span", { class: "ttr-quiet", "data-field": "parts" });
  const cardsOf = { role: "group", "aria-label": `Cards of ${name}` };
  const hand = make("div", { class: "ttr-hand", "data-field": "hand", ...cardsOf });
  const row = cardRow(hand, sheet, kinds);
  const held = ticketList(sheet, "tickets");
  const offered = ticketList(sheet, "offer");
  const offer = make("div", {}, make("span", { class: "ttr-quiet", text: "choosing from" }), offered.element);
  const stands = make("ul", { class: "ttr-plain ttr-row", "data-field": "built", "aria-label": `Stations of ${name}` });
  const heading = make("span", { class: "ttr-quiet", text: "stations" });
  const built = make("div", { class: "ttr-built ttr-row", hidden: true }, heading, stands);
  const toggle = onTickets && ticketToggle(name, (isOn) => onTickets(seat, isOn));
  const element = make(
    "section",
    { class: "ttr-seat ttr-panel", "data-seat": seat, "aria-label": name },
    make(
      "header",
      { class: "ttr-row" },
      playerMark(seat),
      make("bdi", { class: "ttr-name", title: name, text: name }),
      seat === facts.seat ? make("span", { class: "ttr-quiet", text: "you" }) : "",
      won,
      make("span", { class: "ttr-points-now" }, points, unit),
    ),
    make("div", { class: "ttr-line" }, parts, toggle ?? ""),
    line.element,
    hand,
    built,
    held.element,
    offer,
  );
  const set = drawing({
    hand: (counts, before) => {
      row.set(counts, counts[kinds.length]);
      line.cards.set(sum(counts));
      row.chips.forEach((chip, k) => chip.classList.toggle("is-new", before !== undefined && counts[k] > before[k]));
    },
    trains: line.trains.set,
    score: line.score.set,
    ...(facts.money ? { tokens: line.tokens.set, loans: line.loans.set } : {}),
    ...(facts.stations ? { stations: line.stations.set } : {}),
    built: (words) => {
      built.hidden = words.length === 0;
      stands.replaceChildren(...words.map((text) => make("li", {}, make("bdi", { dir: "auto", text }))));
    },
    points: (value) => {
      setText(points, value === null ? "?" : String(value));
      setText(unit, value === 1 ? " point" : " points");
    },
    parts: (list) => setText(parts, pointsWords(list)),
    tickets: (tickets) => {
      held.set(tickets);
      if (toggle) toggle.hidden = tickets.every(([ticket]) => ticket < 0);
    },
    offer: (tickets) => {
      offered.set(tickets.map((ticket) => [ticket, "", null]));
      offer.hidden = tickets.length === 0;
    },
  });
  return { element, set, setWon: (has) => (won.hidden = !has) };
}

function seatPanels(facts, { first = 0, onTickets = null } = {}) {
  const panels = facts.names.map((_, seat) => seatPanel(facts, seat, onTickets));
  const inOrder = [...panels.slice(first), ...panels.slice(0, first)].map((panel) => panel.element);
  return {
    elements: inOrder,
    set({ seats, acting, winners }, before) {
      panels.forEach(({ element, set, setWon }, seat) => {
        set(seats[seat], before?.seats[seat]);
        setWon(winners.includes(seat));
        element.classList.toggle("is-acting", seat === acting);
      });
    },
  };
}

// -- market and piles -------------------------------------------------------------------

function neutralWords(facts, { ticket, trains, marker }) {
  const { sheet } = facts;
  const name = ticket === null ? "none yet" : ticket < 0 ? "unknown" : sheet.tickets[ticket].words;
  return [
    playerMark("neutral"),
    ` neutral player: ${several(trains, "train")}, ticket `,
    make("bdi", { dir: "ltr", text: name }),
    marker === null ? "" : `, marker held by ${facts.names[marker]}`,
  ];
}

/* Show the face-up cards; with `onSlot`, they are buttons. */
function faceUpCards(facts, onSlot) {
  const chips = Array.from({ length: facts.slots }, (_, slot) =>
    cardChip(facts.sheet, null, { onClick: onSlot && (() => onSlot(slot)) }),
  );
  const named = { role: "group", "aria-label": "Market" };
  return {
    element: make("div", { class: "ttr-market ttr-row", "data-field": "market", ...named }, ...chips),
    set(kinds, before) {
      chips.forEach((chip, slot) => {
        const kind = kinds[slot] ?? null;
        chip.update({ kind });
        chip.classList.toggle("is-new", before !== undefined && before[slot] !== kind);
        if (!onSlot) return;
        const words = kind === null ? `slot ${slot}, empty` : `Take ${kind} from slot ${slot}`;
        chip.setAttribute("aria-label", words);
        chip.title = words;
      });
    },
    allow: (may) => chips.forEach((chip, slot) => (chip.disabled = !may(slot))),
  };
}

/* Make the piles as buttons for drawing from them. */
function pileButtons({ onPile, onTickets }) {
  const [pile, tickets] = [makeButton("", onPile), makeButton("", onTickets)];
  return {
    element: make("div", { class: "ttr-piles ttr-row" }, pile, tickets),
    pile: (n) => setText(pile, `Draw a card (${n} left)`),
    ticketPile: (n) => setText(tickets, `Draw tickets (${n} left)`),
    allow(may) {
      pile.disabled = !may.pile;
      tickets.disabled = !may.tickets;
    },
  };
}

function marketPanel(facts, listeners = null) {
  const faceUp = faceUpCards(facts, listeners?.onSlot ?? null);
  const buttons = listeners && pileButtons(listeners);
  const piles = buttons ? {} : { pile: "draw pile", ticketPile: "ticket pile" };
  const line = makeFacts({ ...piles, discarded: "discards", ticketDiscards: "ticket discards" });
  const discarded = { role: "group", "aria-label": "Discards" };
  const discards = make("div", { class: "ttr-hand", "data-field": "discards", ...discarded });
  const row = cardRow(discards, facts.sheet, facts.kinds);
  const neutral = make("div", { class: "ttr-neutral", "data-field": "neutral" });
  const element = make(
    "section",
    { class: "ttr-table ttr-panel", "aria-label": "Market and piles" },
    faceUp.element,
    buttons?.element ?? "",
    line.element,
    discards,
    neutral,
  );
  const set = drawing({
    market: faceUp.set,
    pile: buttons?.pile ?? line.pile.set,
    ticketPile: buttons?.ticketPile ?? line.ticketPile.set,
    ticketDiscards: line.ticketDiscards.set,
    discards: (counts) => {
      row.set(counts);
      line.discarded.set(sum(counts));
    },
    neutral: (now) => {
      neutral.hidden = now === null;
      if (now) neutral.replaceChildren(...neutralWords(facts, now));
    },
  });
  function allow(may) {
    faceUp.allow(may.slots);
    buttons.allow(may);
  }
  return { element, set, allow };
}

/* Show the cards turned over for a tunnel, and the surcharge. */
function tunnelCards(facts, { shown, surcharge }) {
  const cards = shown.flatMap((count, k) => Array.from({ length: count }, () => cardChip(facts.sheet, facts.kinds[k])));
  cards.forEach((card, k) => card.style.setProperty("--ttr-rank", k));
  const more = make("b", { text: `${several(surcharge, "more card")} to pay` });
  return make("div", { class: "ttr-tunnel ttr-row" }, "turned over", ...cards, more);
}

// -- the whole ------------------------------------------------------------------------------

function gameBoard(facts, { onRoute = null, onCity = null } = {}) {
  const { sheet, stations } = facts;
  const element = make("div", { class: "ttr-place" });
  const label = `${sheet.about}: choose a route to claim it${stations ? ", or a city for a station" : ""}`;
  const listeners = onRoute && { onRoute, onCity: stations ? onCity : null, label };
  const board = drawBoard(element, sheet, { ...listeners, isGame: true });
  const nameOf = (seat) => ownerName(facts, seat);
  /* Place a panel about a route beside it: below it, or above where there is more room. */
  function setSpot(spot, id) {
    spot.hidden = id === null;
    if (spot.parentNode !== element) element.append(spot);
    if (id === null) return;
    const [all, route] = [element, board.group(id)].map((part) => part.getBoundingClientRect());
    const isBelow = route.top + route.bottom < all.top + all.bottom;
    const left = Math.min(Math.max(0, (route.left + route.right) / 2 - all.left - spot.offsetWidth / 2), all.width - spot.offsetWidth);
    const [above, below] = [`${all.bottom - route.top + 12}px`, `${route.bottom - all.top + 12}px`];
    Object.assign(spot.style, { left: `${left}px`, top: isBelow ? below : "auto", bottom: isBelow ? "auto" : above });
  }
  const focus = (id) => board.group(id).focus({ preventScroll: true });
  return { ...board, element, setSpot, focus, setStations: (now) => board.setStations(now, nameOf) };
}

function logList(heading) {
  const list = make("ol", { class: "ttr-log ttr-plain", tabindex: 0, "aria-label": heading });
  const title = make("h3", { class: "ttr-quiet", text: heading });
  const toEnd = () => (list.scrollTop = list.scrollHeight);
  const observer = new ResizeObserver(toEnd); // it has no size before it is on the page
  observer.observe(list);
  const item = ([seat, text]) => {
    const mark = seat === null ? "" : playerMark(seat);
    return make("li", { class: "ttr-line" }, mark, make("bdi", { dir: "ltr", text }));
  };
  let shown = [];
  return {
    element: make("section", { class: "ttr-panel ttr-log-panel", "aria-label": heading }, title, list),
    stop: () => observer.disconnect(),
    set(entries) {
      let same = 0;
      while (same < entries.length && entries[same].join() === shown[same]?.join()) same += 1;
      while (list.children.length > same) list.lastChild.remove();
      list.append(...entries.slice(same).map(item));
      shown = entries;
      toEnd();
    },
  };
}

function gameRoot(el, facts, { name, label, onKey, head, board, side, seats, log }) {
  const { view } = facts.sheet;
  const title = make("h2", {}, make("bdi", { text: facts.title }));
  return makeRoot(
    el,
    { classes: gameClasses(facts, name), label: `${label}: ${facts.title}`, onKey },
    make("header", { class: "ttr-head ttr-row" }, title, ...head),
    make(
      "div",
      { class: "ttr-desk", style: `--ttr-aspect:${(view[2] / view[3]).toFixed(3)}` },
      make("div", { class: "ttr-side" }, ...side),
      board,
      make("div", { class: "ttr-rest" }, ...seats),
      log.element,
    ),
  );
}

function gameClasses({ sheet }, name) {
  return `ttr-game ttr-${name}${isWide(sheet) ? " is-wide" : ""}`;
}
