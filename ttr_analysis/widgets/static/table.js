/*
 * Play a seat. The page knows what the seat may see and do (`ttr_analysis.widgets.sitting`), and nothing else: a move
 * goes to Python as a line of text, and what came of it comes back.
 */

const LOAN = "The toll is more than your tokens: you will take a loan.";
const DECISIONS = {
  KEEP_START: "choose your opening tickets",
  TURN: "it is your turn",
  SECOND_DRAW: "draw a further card",
  TUNNEL: "pay for the tunnel or decline",
  KEEP: "choose the tickets to keep",
  NEUTRAL: "choose a track for the neutral player",
};

/* A move as a button says it. */
function moveWords(line) {
  return line
    .replace(/^pays /, "Pay ")
    .replace(/^declines$/, "Decline and take the cards back")
    .replace(/^neutral takes (.*)$/, "Give $1 to the neutral player")
    .replace(/^pass$/, "Pass");
}

/* Tickets to choose from; `onChange(ids)` hears what would be kept, `onKeep(ids)` what is. */
function keepForm({ offer, fewest }, nameOf, onChange, onKeep) {
  const boxes = offer.map((id) => make("input", { type: "checkbox", value: id }));
  const kept = () => boxes.filter((box) => box.checked).map((box) => box.value);
  const done = make("button", { type: "button", class: "ttr-main", text: "Keep these", onclick: () => onKeep(kept()) });
  const update = () => {
    done.disabled = kept().length < fewest;
    onChange(kept());
  };
  boxes.forEach((box) => box.addEventListener("change", update));
  update();
  const labels = offer.map((id, i) => make("label", {}, boxes[i], make("bdi", { dir: "ltr", text: nameOf(id) })));
  const legend = make("legend", { text: `Keep at least ${fewest}` });
  return make("fieldset", { class: "ttr-t-keep" }, legend, ...labels, done);
}

/* Where cards stand in for one, those that are offered are a few of very many: any others can be typed. */
function otherCards(example, onPay) {
  const look = { placeholder: example, autocomplete: "off", spellcheck: "false" };
  const input = make("input", { type: "text", "aria-label": "Other cards", ...look });
  const pay = () => onPay(input.value);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") pay();
  });
  const other = make("button", { type: "button", text: "Pay with these cards", onclick: pay });
  return make("div", { class: "ttr-p-choices ttr-t-other" }, input, other);
}

/* What each seat got for what. */
function resultTable(sheet, names, { winners, seats }) {
  const ticket = ([which, points]) => ticketItem(sheet, which, [points < 0 ? "lost" : "done", null]);
  const rows = seats.map(({ total, parts, tickets }, seat) => {
    const name = make("bdi", { text: names[seat] });
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, playerMark(sheet, seat), " ", name, winners.includes(seat) ? " (won)" : ""),
      make("td", { class: "ttr-t-points", text: total }),
      make("td", { text: parts.map(([what, points]) => `${points} ${what}`).join(", ") }),
      make("td", {}, make("ul", { class: "ttr-p-tickets" }, ...tickets.map(ticket))),
    );
  });
  const head = ["seat", "points", "made of", "tickets"].map((text) => make("th", { scope: "col", text }));
  return make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
}

function render({ model, el }) {
  const facts = model.get("facts");
  const { sheet, seat: you } = facts;
  let now = null;
  let heard = null; // the step at which the person decided last
  let chosen = null; // the route for which a payment is chosen
  let sent = false;
  // Who has the focus on what goes away waits at what is said, before what can be done.
  const keep = (change) => () => keepFocus(root, change, bar);

  function move(line) {
    if (sent || !line) return;
    sent = true;
    setText(problem, "");
    showTurn();
    model.send({ do: "move", step: now.step, line });
  }

  // -- what is said --------------------------------------------------------------

  const turn = make("div", { class: "ttr-t-turn" });
  const live = make("div", { class: "ttr-live", "aria-live": "polite" });
  const problem = make("div", { class: "ttr-p-problem", role: "alert" });
  const again = make("button", {
    type: "button",
    hidden: true,
    text: "Try again",
    onclick: () => {
      sent = true;
      showTurn();
      model.send({ do: "go_on" });
    },
  });
  const actions = make("div", { class: "ttr-t-actions" });
  const said = [turn, live, problem, again, actions];
  const bar = make("section", { class: "ttr-t-now ttr-panel", "aria-label": "Your turn" }, ...said);

  function turnWords() {
    const { table, result, options } = now;
    const won = result?.winners.map((seat) => (seat === you ? "You" : seatName(facts, seat))).join(" and ");
    if (result) return won ? `${won} won` : "The game is over";
    return options ? `You: ${DECISIONS[table.phase]}` : table.turn;
  }

  /* All that was told since the person decided last, at once: who listens would miss what is overwritten. */
  function sayNews({ step, told }) {
    const news = told.slice(-Math.max(1, step - (heard ?? step)));
    heard = step;
    const words = news.map(([seat, text]) => (seat === null ? text : `P${seat} ${text}`)).join(". ");
    live.replaceChildren(words, make("span", { class: "ttr-unseen", text: `. ${turnWords()}` }));
  }

  const showTurn = keep(() => {
    const busy = model.get("busy") || (sent ? "The move is made" : "");
    turn.classList.toggle("ttr-t-busy", Boolean(busy));
    setText(turn, busy ? `${busy} …` : turnWords());
    const { table, options } = now;
    actions.inert = Boolean(busy);
    const may = options && !busy ? options : { draw: "", market: {}, tickets: "" };
    const slots = (slot) => Boolean(may.market[slot]);
    market.set(table, { slots, pile: Boolean(may.draw), tickets: Boolean(may.tickets) });
  });

  // -- what can be done -------------------------------------------------------------

  const button = (text, line) => {
    const words = make("bdi", { dir: "ltr", text });
    return make("button", { type: "button", "data-line": line, onclick: () => move(line) }, words);
  };

  const ticketNumber = new Map(sheet.tickets.map(({ id }, i) => [id, i]));
  const ticketWords = (id) => sheet.tickets[ticketNumber.get(id)].words;
  const chooseTickets = (offered) =>
    keepForm(
      offered,
      ticketWords,
      (ids) => showTickets(ids.map((id) => ticketNumber.get(id))),
      (ids) => move(`keep ${ids.join(", ") || 0}`),
    );

  function finish(result) {
    const open = () => {
      isStepping = true;
      if (view) showStepper();
      else model.send({ do: "stepper" });
    };
    const step = make("button", { type: "button", class: "ttr-main", text: "Step through it", onclick: open });
    return make("div", { class: "ttr-t-result" }, resultTable(sheet, facts.names, result), step);
  }

  function claimForm(id) {
    const { words } = sheet.routes.find((route) => route.id === id);
    const ways = now.options.claims[id];
    return make(
      "div",
      { class: "ttr-t-claim", role: "group", "aria-label": `Claim ${words}` },
      make("p", {}, "Claim ", make("bdi", { dir: "ltr", text: words }), " with"),
      now.options.loans.includes(id) ? make("p", { class: "ttr-p-problem", text: LOAN }) : "",
      make(
        "div",
        { class: "ttr-p-choices" },
        ...ways.map((payment) => button(payment, `${id} ${payment}`)),
        make("button", { type: "button", text: "Not now", onclick: () => choose(null) }),
      ),
      ways.some((payment) => payment.includes("sets ")) ? otherCards(ways[0], (cards) => move(`${id} ${cards}`)) : "",
    );
  }

  function choose(id) {
    chosen = id;
    board.highlight(id === null ? [] : [id]);
    showActions();
    actions.querySelector("button")?.focus();
  }

  const neutralTracks = ({ moves }) => moves.flatMap((line) => line.match(/^neutral takes (.*)$/)?.[1] ?? []);

  function onRoute(id) {
    if (!now.options || sent) return;
    const line = now.options.moves.find((text) => text === `neutral takes ${id}`);
    if (line) move(line);
    else if (now.options.claims[id]) choose(id);
    else model.send({ do: "why", step: now.step, route: id });
  }

  const showActions = keep(() => {
    const { options, result } = now;
    if (result) actions.replaceChildren(finish(result));
    else if (!options) actions.replaceChildren();
    else if (options.keep) actions.replaceChildren(chooseTickets(options.keep));
    else if (chosen !== null && options.claims[chosen]) actions.replaceChildren(claimForm(chosen));
    else {
      const n = Object.keys(options.claims).length;
      const which = n === 1 ? "the marked route" : `one of ${n} marked routes`;
      const hint = n ? `Choose ${which} on the board to claim it.` : "";
      const moves = options.moves.map((line) => button(moveWords(line), line));
      actions.replaceChildren(
        make("div", { class: "ttr-p-quiet", text: hint }),
        make("div", { class: "ttr-p-choices" }, ...moves),
      );
    }
  });

  // -- the table ----------------------------------------------------------------------

  const seats = facts.names.map((_, seat) => seatPanel(sheet, facts, seat, { you: seat === you }));
  const order = facts.names.map((_, i) => (you + i) % facts.names.length);
  const market = marketPanel(sheet, facts, {
    onSlot: (slot) => move(now.options?.market[slot]),
    onPile: () => move(now.options?.draw),
    onTickets: () => move(now.options?.tickets),
  });
  const log = make("ol", { class: "ttr-p-log", tabindex: 0, "aria-label": "What happened" });
  // The list has no size before it is on the page.
  const observer = new ResizeObserver(() => (log.scrollTop = log.scrollHeight));
  observer.observe(log);
  const place = make("div", { class: "ttr-place" });
  const board = drawBoard(place, sheet, { onRoute, label: `${sheet.about}: choose a route to claim it` });

  function showTickets(wanted) {
    const { color } = playerLook(sheet, you);
    board.setTickets(wanted.map((ticket) => ({ ticket, color, state: "" })));
  }
  function routeWords({ id, words }) {
    const owner = now.table.owners[id];
    if (owner === undefined) return now.options?.claims[id] ? `${words}: can be claimed` : null;
    return `${words}: taken by ${owner === "neutral" ? "the neutral player" : seatName(facts, owner)}`;
  }
  /* When the game is over, what a seat has is its final score, and its tickets lie open. */
  function atEnd(data, seat) {
    if (!now.result) return data;
    const { total, tickets: shown } = now.result.seats[seat];
    const status = shown.map(([, points]) => [points < 0 ? "lost" : "done", null]);
    return { ...data, score: total, tickets: shown.map(([ticket]) => ticket), status };
  }
  function showLog(told) {
    const mark = (seat) => (seat === null ? "" : playerMark(sheet, seat));
    log.replaceChildren(...told.map(([seat, text]) => make("li", {}, mark(seat), make("bdi", { dir: "ltr", text }))));
    log.scrollTop = log.scrollHeight;
  }

  function onNow() {
    now = model.get("now");
    sent = false;
    chosen = null;
    const { table, told, options, closed, result } = now;
    board.setOwners(table.owners);
    for (const route of sheet.routes) board.describe(route.id, routeWords(route));
    board.close(closed);
    board.highlight([]);
    board.highlight(options ? [...Object.keys(options.claims), ...neutralTracks(options)] : [], "is-open");
    board.markLast(told.at(-1)[2]);
    const { tickets: held, status } = table.seats[you];
    showTickets(held.filter((_, i) => status[i][0] === "possible"));
    table.seats.forEach((data, seat) => seats[seat].set(atEnd(data, seat), { acting: seat === table.acting }));
    if (options || result) sayNews(now);
    showLog(told);
    showTurn();
    showActions();
  }

  const onProblem = keep(() => {
    const { text, can_go_on: retry } = model.get("problem");
    setText(problem, text);
    again.hidden = !retry;
    if (text) sent = false;
    showTurn();
  });

  let view = null; // of the stepper
  let isStepping = false; // it was opened here, not in another view
  let gone = false;
  async function onStepping() {
    const id = model.get("stepping");
    if (!id || !model.widget_manager) return;
    const child = await model.widget_manager.get_model(id.replace("IPY_MODEL_", ""));
    const opened = await model.widget_manager.create_view(child);
    if (gone) return opened.remove();
    view?.remove();
    view = opened;
    stepping.replaceChildren(view.el);
    if (view.el.firstChild) showStepper();
    else drawn.observe(view.el, { childList: true });
  }
  const drawn = new MutationObserver(() => {
    drawn.disconnect();
    showStepper();
  });
  function showStepper() {
    if (!isStepping) return;
    view.el.scrollIntoView({ block: "nearest" });
    view.el.querySelector(".ttr").focus({ preventScroll: true });
  }

  // -- together -------------------------------------------------------------------------

  const stepping = make("div", { class: "ttr-t-stepping" });
  const panels = make("div", { class: "ttr-p-seats" }, ...order.map((seat) => seats[seat].element));
  const root = make(
    "div",
    {
      class: "ttr ttr-play",
      "data-lm-suppress-shortcuts": "true",
      role: "region",
      "aria-label": `Play: ${facts.title}`,
    },
    make("header", { class: "ttr-p-top" }, make("h2", {}, make("bdi", { text: facts.title }))),
    make("div", { class: "ttr-p-bar" }, bar, market.element),
    panelBody(sheet, place, panels, "What happened", log),
  );
  el.append(root, stepping);
  keepKeys(root, (event) => {
    if (event.key !== "Escape" || chosen === null) return false;
    choose(null);
    return true;
  });
  const listeners = { now: onNow, busy: showTurn, problem: onProblem, stepping: onStepping };
  for (const [name, listener] of Object.entries(listeners)) model.on(`change:${name}`, listener);
  onNow();
  onProblem();
  onStepping();
  return () => {
    gone = true;
    view?.remove();
    observer.disconnect();
    drawn.disconnect();
    for (const [name, listener] of Object.entries(listeners)) model.off(`change:${name}`, listener);
  };
}

export default { render };
