/*
 * Step through a game. All data comes at once (`ttr_analysis.widgets.snapshot`); from then on the page needs nobody.
 * Frames share what did not change, so that only what is another value is drawn again.
 */

// Milliseconds after the last step until it is saved; if steps do not end, after the first that was not saved. They are
// so many as a browser allows 100 changes of the address in 30 seconds.
const SAVE_AFTER = 300;
const SAVE_AT_LAST = 3000;

const STATUS = {
  done: ["✓", "done"],
  possible: ["…", "possible"],
  lost: ["✗", "lost"],
  unknown: ["?", "unknown"],
};

function wholeFrames(differences) {
  let frame = {};
  return differences.map((difference) => (frame = { ...frame, ...difference }));
}

function ownerWords(game, owner) {
  return owner === "neutral" ? "the neutral player" : `P${owner} ${game.players[owner]}`.trim();
}

/* A fact of a seat or of the table: a name and a value that tests and readers find by `data-field`. */
function makeFact(field, name) {
  const value = make("b", { "data-field": field });
  const element = make("span", { class: "ttr-fact" }, make("span", { text: `${name} ` }), value);
  return { element, set: (text) => setText(value, String(text)) };
}

/* Tickets as a list; each says whether it is done, possible, lost or unknown. */
function makeTickets(sheet, field) {
  const list = make("ul", { class: "ttr-tickets", "data-field": field });
  const item = ([ticket, status, trains]) => {
    const [symbol, words] = STATUS[status] ?? ["", ""];
    const need = status === "possible" ? `${trains} to go` : "";
    const name = ticket < 0 ? "unknown ticket" : sheet.tickets[ticket].words;
    const id = ticket < 0 ? "?" : sheet.tickets[ticket].id;
    const title = need ? `${words}: ${trains} trains to go` : words;
    return make(
      "li",
      { "data-status": status, "data-ticket": id, title },
      symbol ? make("span", { class: "ttr-status", role: "img", "aria-label": words, text: symbol }) : "",
      make("bdi", { dir: "ltr", text: name }),
      // The space is outside, so that a line may break before what is still to go.
      ...(need ? [" ", make("span", { class: "ttr-need", text: need })] : []),
    );
  };
  return { element: list, set: (tickets) => list.replaceChildren(...tickets.map(item)) };
}

function makeSeat(sheet, game, seat, onTickets) {
  const facts = {
    trains: makeFact("trains", "trains"),
    cards: makeFact("cards", "cards"),
    score: makeFact("score", "track"),
    ...(game.money ? { tokens: makeFact("tokens", "tokens"), loans: makeFact("loans", "loans") } : {}),
  };
  const points = make("b", { "data-field": "points" });
  const parts = make("span", { class: "ttr-parts", "data-field": "parts" });
  const cardsOf = { role: "group", "aria-label": `Cards of P${seat}` };
  const hand = make("div", { class: "ttr-hand", "data-field": "hand", ...cardsOf });
  const row = cardRow(hand, sheet, game.kinds);
  const held = makeTickets(sheet, "tickets");
  const offered = makeTickets(sheet, "offer");
  const offer = make("div", { class: "ttr-offer" }, make("span", { text: "choosing from" }), offered.element);
  const name = game.players[seat];
  const toggle = make("button", {
    type: "button",
    class: "ttr-show",
    "aria-pressed": "false",
    "aria-label": `Show tickets of P${seat} on the board`,
    text: "show tickets",
    onclick: () => {
      const pressed = toggle.getAttribute("aria-pressed") !== "true";
      toggle.setAttribute("aria-pressed", String(pressed));
      onTickets(seat, pressed);
    },
  });
  const element = make(
    "section",
    { class: "ttr-seat ttr-panel", "data-seat": seat, "aria-label": ownerWords(game, seat) },
    make(
      "header",
      {},
      playerMark(sheet, seat),
      make("bdi", { class: "ttr-name", title: name || null, text: name || `P${seat}` }),
      make("span", { class: "ttr-won", text: "won", hidden: !game.winners.includes(seat) }),
      make("span", { class: "ttr-points-now" }, points, " points"),
    ),
    make("div", { class: "ttr-sum" }, parts, toggle),
    make("div", { class: "ttr-facts" }, ...Object.values(facts).map((fact) => fact.element)),
    hand,
    held.element,
    offer,
  );
  const set = {
    hand: (counts, before) => {
      row.set(counts, counts[game.kinds.length]);
      facts.cards.set(counts.reduce((sum, count) => sum + count, 0));
      hand.dataset.counts = counts.join(" ");
      row.chips.forEach((chip, k) => chip.classList.toggle("is-new", before !== undefined && counts[k] > before[k]));
    },
    trains: facts.trains.set,
    tokens: (value) => facts.tokens?.set(value),
    loans: (value) => facts.loans?.set(value),
    score: facts.score.set,
    points: (value) => setText(points, value === null ? "?" : String(value)),
    parts: (list) => {
      const words = list.map(([what, value], k) => {
        const sign = value === null ? "+ ? " : k === 0 ? `${value} ` : value < 0 ? `− ${-value} ` : `+ ${value} `;
        return `${sign}${what}`;
      });
      setText(parts, words.join(" "));
    },
    tickets: (tickets) => {
      held.set(tickets);
      toggle.hidden = tickets.every(([ticket]) => ticket < 0);
    },
    offer: (tickets) => {
      offered.set(tickets.map((ticket) => [ticket, "", null]));
      offer.hidden = tickets.length === 0;
    },
  };
  return { element, set };
}

function makeTable(sheet, game) {
  const market = make("div", { class: "ttr-market", "data-field": "market", role: "group", "aria-label": "Market" });
  const discarded = { role: "group", "aria-label": "Discards" };
  const discards = make("div", { class: "ttr-hand", "data-field": "discards", ...discarded });
  const row = cardRow(discards, sheet, game.kinds);
  const kindOf = (kind) => (kind === null ? null : game.kinds[kind] ?? "?");
  const chips = [];
  const facts = {
    pile: makeFact("pile", "draw pile"),
    discarded: makeFact("discarded", "discards"),
    ticketPile: makeFact("ticketPile", "ticket pile"),
    ticketDiscards: makeFact("ticketDiscards", "ticket discards"),
  };
  const neutral = make("div", { class: "ttr-neutral", "data-field": "neutral" });
  const element = make(
    "section",
    { class: "ttr-table ttr-panel", "aria-label": "Market and piles" },
    market,
    make("div", { class: "ttr-facts" }, ...Object.values(facts).map((fact) => fact.element)),
    discards,
    neutral,
  );
  const set = {
    market: (kinds, before) => {
      while (chips.length < kinds.length) {
        chips.push(cardChip(sheet, null));
        market.append(chips[chips.length - 1]);
      }
      kinds.forEach((kind, slot) => {
        chips[slot].update({ kind: kindOf(kind) });
        chips[slot].classList.toggle("is-new", before !== undefined && before[slot] !== kind);
      });
    },
    pile: facts.pile.set,
    ticketPile: facts.ticketPile.set,
    ticketDiscards: facts.ticketDiscards.set,
    discards: (counts) => {
      row.set(counts);
      facts.discarded.set(counts.reduce((sum, count) => sum + count, 0));
    },
    neutral: (now) => {
      neutral.hidden = now === null;
      if (now === null) return;
      const [ticket, trains, marker] = now;
      const name = ticket === null ? "none yet" : ticket < 0 ? "unknown" : sheet.tickets[ticket].words;
      neutral.replaceChildren(
        playerMark(sheet, "neutral"),
        ` neutral player: ${trains} trains, ticket `,
        make("bdi", { dir: "ltr", text: name }),
        marker === null ? "" : `, marker P${marker}`,
      );
    },
  };
  return { element, set };
}

/* The table of moves; those whose steps are `claimed` stand out. Rows are equally high. */
function makeMoves(sheet, moves, claimed, onJump) {
  const names = ["step", "seat", "move"].map((text) => make("th", { scope: "col", text }));
  const caption = make("caption", { class: "ttr-unseen", text: "Moves: choose one to go there" });
  const table = make("table", {}, caption, make("thead", {}, make("tr", {}, ...names)));
  // In groups of a few rows: one in which nothing changes is not painted again.
  const GROUP = 16;
  let group = null;
  const rows = moves.map(([seat, text], step) => {
    const words = { title: text, text };
    const jump = make("button", { type: "button", class: "ttr-jump", tabindex: -1, "data-step": step, ...words });
    const who = seat === null ? "" : playerMark(sheet, seat);
    const cells = [make("td", { text: step }), make("td", {}, who), make("td", {}, jump)];
    const row = make("tr", { class: claimed.has(step) ? "is-claim" : "" }, ...cells);
    if (step % GROUP === 0) group = table.appendChild(make("tbody"));
    group.append(row);
    return { row, jump };
  });
  table.addEventListener("click", (event) => {
    const jump = event.target.closest("tr")?.querySelector(".ttr-jump");
    if (jump) onJump(Number(jump.dataset.step));
  });
  const element = make("div", { class: "ttr-moves" }, table);
  const HEIGHT = 28;
  let current = null;
  // A page at a time: to scroll is to paint all rows again.
  function reveal() {
    const [top, room] = [Number(current.jump.dataset.step) * HEIGHT, element.clientHeight - 2 * HEIGHT];
    if (top > element.scrollTop + room) element.scrollTop = top - HEIGHT;
    else if (top < element.scrollTop) element.scrollTop = top + HEIGHT - room;
  }
  const observer = new ResizeObserver(reveal); // it has no size before it is on the page
  observer.observe(element);
  return {
    element,
    set(step) {
      if (current) {
        current.row.removeAttribute("aria-current");
        current.jump.tabIndex = -1;
      }
      current = rows[step];
      current.row.setAttribute("aria-current", "step");
      current.jump.tabIndex = 0;
      reveal();
    },
    stop: () => observer.disconnect(),
  };
}

/* The cards that a step moved, in groups with a word each. */
function cardsMoved(sheet, game, groups) {
  return groups.map(([what, kinds]) => {
    const counts = new Map();
    for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const chips = [...counts].map(([kind, count]) =>
      cardChip(sheet, game.kinds[kind] ?? "?", { count: count > 1 ? count : null }),
    );
    return make("span", { class: "ttr-moved" }, make("span", { text: what }), ...chips);
  });
}

/* Title, note, and the mark of the last round. */
function makeTop(game) {
  const lastRound = make("span", { class: "ttr-last", "data-field": "left" });
  const element = make(
    "header",
    { class: "ttr-top" },
    make("h2", {}, make("bdi", { text: game.title })),
    make("span", { class: "ttr-about", text: game.about }),
    lastRound,
    make("p", { class: "ttr-note", dir: "auto", text: game.note, hidden: !game.note }),
  );
  const left = (turns) => {
    lastRound.hidden = turns === null;
    setText(lastRound, turns === null ? "" : `last round: ${turns} turn${turns === 1 ? "" : "s"} left`);
  };
  return { element, set: { left } };
}

/* What happened in words, with the cards that it moved, and what is due. */
function makeNow(sheet, game) {
  const live = make("div", { class: "ttr-live", "aria-live": "polite" });
  const moved = make("div", { class: "ttr-cards" });
  const due = make("span", { class: "ttr-turn", "data-field": "turn" });
  return {
    element: make("div", { class: "ttr-now ttr-panel" }, live, moved, due),
    tell([seat, text, cards]) {
      setText(live, seat === null ? text : `P${seat} ${text}`);
      moved.replaceChildren(...cardsMoved(sheet, game, cards));
    },
    set: { turn: ([, words]) => setText(due, words) },
  };
}

/* The board with the routes claimed so far, and the tickets of the seats that are to be shown. */
function makeBoard(sheet, game, claims) {
  const element = make("div", { class: "ttr-place" });
  const board = drawBoard(element, sheet);
  const seats = new Set();
  let shown = 0;
  const claim = (at, isTaken) => {
    const [route, owner] = claims[at];
    const { id, words } = sheet.routes[route];
    board.setOwner(id, isTaken ? owner : null);
    board.describe(id, isTaken ? `${words}: ${ownerWords(game, owner)}` : null);
  };
  const ticketsOf = (frame, seat) =>
    frame[`tickets:${seat}`]
      .filter(([ticket]) => ticket >= 0)
      .map(([ticket, state]) => ({ ticket, state, color: playerLook(sheet, seat).color }));
  return {
    element,
    markLast: (route) => board.markLast(route === null ? null : sheet.routes[route].id),
    showTickets(frame, seat = null, on = false) {
      if (seat === null && !seats.size) return;
      if (seat !== null) seats[on ? "add" : "delete"](seat);
      board.setTickets([...seats].flatMap((one) => ticketsOf(frame, one)));
    },
    set: {
      claims(n) {
        while (shown < n) claim(shown++, true);
        while (shown > n) claim(--shown, false);
      },
    },
  };
}

/* A probability, from percents, in words: only what is decided is 0% or 100%. */
function percentWords(value) {
  if (value > 0 && value < 1) return "<1%";
  if (value > 99 && value < 100) return ">99%";
  return `${Math.round(value)}%`;
}

/* A chart of all seats over the game; what it says of a step stands above it in words. */
function makeChart(sheet, game, { name, field, heading, values, isPercent = false, onStep }) {
  const series = game.players.map((_, seat) => ({
    ...playerLook(sheet, seat),
    label: ownerWords(game, seat),
    symbol: `P${seat}`,
    values: values[seat],
  }));
  const words = (seat, value) => `P${seat} ${value === null ? "?" : isPercent ? percentWords(value) : value}`;
  const now = make("span", { "data-field": field });
  const title = make("div", { class: "ttr-heading" }, make("span", { text: heading }), now);
  const element = make("div", { class: "ttr-chart-place ttr-panel" }, title);
  // Win probabilities may end before the game does.
  const last = Math.max(0, ...values.map((of) => of.findLastIndex((value) => value !== null)));
  const until = last < values[0].length - 1 ? `up to step ${last}` : "over the game";
  const label = `${name} ${until}; it ends with ${values.map((of, seat) => words(seat, of[last])).join(", ")}`;
  const { setCursor } = drawChart(element, { label, series, onStep, isPercent });
  return {
    element,
    set(step) {
      setCursor(step);
      setText(now, values.map((of, seat) => words(seat, of[step])).join(", "));
    },
  };
}

/* The charts that there are: points, and win probabilities if they were sent. */
function makeCharts(sheet, game, frames, win, onStep) {
  const points = {
    name: "Points",
    field: "points-now",
    heading: "Points for routes and tickets",
    values: game.players.map((_, seat) => frames.map((frame) => frame[`points:${seat}`])),
  };
  const chances = win && {
    name: "Win probability",
    field: "win",
    heading: `Win probability ${win.about}`.trim(),
    values: win.percent,
    isPercent: true,
  };
  return [points, chances].filter(Boolean).map((what) => makeChart(sheet, game, { ...what, onStep }));
}

/* The steps at which a seat, or the neutral player, claims a route. */
function claimSteps(frames, claims, who) {
  const isClaim = (frame, step) =>
    claims.slice(step ? frames[step - 1].claims : 0, frame.claims).some(([, owner]) => owner === who);
  return frames.flatMap((frame, step) => (isClaim(frame, step) ? [step] : []));
}

/* What draws a frame: it calls those setters alone whose value is another one than the one drawn. */
function makeDrawing(setters) {
  const drawn = {};
  return (frame, before) => {
    for (const [key, set] of setters) {
      // What came new at this step is marked in hands and market, so that these depend on the step before as well.
      const previous = key.startsWith("hand:") || key === "market" ? before[key] : undefined;
      const [value, marked] = drawn[key] ?? [];
      if (key in drawn && value === frame[key] && marked === previous) continue;
      set(frame[key], previous);
      drawn[key] = [frame[key], previous];
    }
  };
}

function render({ model, el }) {
  const { sheet, game, claims, moves, win, frames: differences } = model.get("data");
  const frames = wholeFrames(differences);
  const seats = game.players.map((_, seat) => seat);
  const go = (step) => player.go(step);

  const board = makeBoard(sheet, game, claims);
  const panels = seats.map((seat) =>
    makeSeat(sheet, game, seat, (who, on) => board.showTickets(frames[player.step], who, on)),
  );
  const [top, now, table] = [makeTop(game), makeNow(sheet, game), makeTable(sheet, game)];
  const claimed = new Map([...seats, "neutral"].map((owner) => [owner, claimSteps(frames, claims, owner)]));
  const moveTable = makeMoves(sheet, moves, new Set([...claimed.values()].flat()), go);
  const charts = makeCharts(sheet, game, frames, win, go);
  const jumps = seats.map((seat) => ({
    label: [playerMark(sheet, seat)],
    words: `${seat}: next claim of ${ownerWords(game, seat)}`,
    steps: claimed.get(seat),
  }));
  const player = makePlayer({ nSteps: frames.length, jumps, onStep: show });
  const markActing = ([acting]) =>
    panels.forEach(({ element }, seat) => element.classList.toggle("is-acting", seat === acting));
  const draw = makeDrawing([
    ...[board, top, now, table].flatMap(({ set }) => Object.entries(set)),
    ...panels.flatMap(({ set }, seat) => Object.entries(set).map(([key, one]) => [`${key}:${seat}`, one])),
  ]);

  const root = make(
    "div",
    {
      class: isWide(sheet) ? "ttr ttr-stepper is-wide" : "ttr ttr-stepper",
      "data-lm-suppress-shortcuts": "true",
      role: "region",
      tabindex: 0,
      "aria-label": `${game.title}: step through it with the arrow keys`,
    },
    top.element,
    player.element,
    now.element,
    make(
      "div",
      { class: "ttr-grid" },
      make("div", { class: "ttr-left" }, board.element, ...charts.map(({ element }) => element)),
      make("div", { class: "ttr-right" }, ...panels.map(({ element }) => element), table.element),
      moveTable.element,
    ),
  );

  let saving = null;
  let unsaved = null; // since when
  function show(step) {
    draw(frames[step], frames[step - 1] ?? {});
    markActing(frames[step].turn);
    now.tell(moves[step]);
    board.markLast(moves[step][3]);
    board.showTickets(frames[step]);
    charts.forEach((chart) => chart.set(step));
    moveTable.set(step);
    root.dataset.step = step;
    root.classList.toggle("is-at-end", step === frames.length - 1);
    if (model.get("step") === step) return;
    model.set("step", step);
    unsaved ??= performance.now();
    clearTimeout(saving);
    saving = setTimeout(save, Math.min(SAVE_AFTER, unsaved + SAVE_AT_LAST - performance.now()));
  }
  function forgetSave() {
    clearTimeout(saving);
    saving = unsaved = null;
  }
  function save() {
    forgetSave();
    model.save_changes();
  }

  el.append(root);
  keepKeys(root, player.keys);
  // JupyterLab tells also of steps taken here; to go there would end Play. A step from elsewhere is saved there.
  const onStep = () => {
    if (model.get("step") === player.step) return;
    forgetSave();
    go(model.get("step"));
  };
  model.on("change:step", onStep);
  onStep();
  return () => {
    player.stop();
    // Nothing can be sent to the kernel of a notebook that is closed.
    if (saving !== null && model.widget_manager?.kernel?.isDisposed === false) save();
    forgetSave();
    moveTable.stop();
    model.off("change:step", onStep);
  };
}

export default { render };
