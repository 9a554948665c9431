/*
 * The table beside the board: market and piles, and a panel for each seat; of `ttr_analysis.widgets.snapshot`.
 *
 * seatPanels(sheet, facts, first = 0) -> {element, set({seats, acting})}
 *   A panel for each seat, from `first` on and around the table; that of `facts.seat` is yours.
 * marketPanel(sheet, facts, {onSlot, onPile, onTickets}) -> {element, set(table, {slots, pile, tickets})}
 *   Cards and piles that may be taken are buttons; the last argument says which are enabled.
 * logList(label, name = "") -> {element, toEnd(), stop()}
 *   A list to be filled, which shows its end when it gets its size, and when `toEnd` is called.
 * panelBody(sheet, board, seats, heading, list) -> element
 *   All together: the list with its heading lies beside the board, or under one that is wide.
 */

const TICKET_STATUS = { done: ["✓", "done"], possible: ["…", "possible"], lost: ["✗", "lost"] };

function seatName(facts, seat) {
  return facts.names[seat] ? `P${seat} ${facts.names[seat]}` : `P${seat}`;
}

function several(n, noun) {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

function countedCards(sheet, facts, counts) {
  return counts.flatMap((count, kind) => (count ? [cardChip(sheet, facts.kinds[kind], { count })] : []));
}

function ticketItem(sheet, ticket, [status, need] = []) {
  const [symbol, words] = TICKET_STATUS[status] ?? ["", ""];
  const togo = status === "possible" && need ? ` ${need} to go` : "";
  return make(
    "li",
    { "data-ticket": sheet.tickets[ticket].id, "data-status": status ?? null },
    words ? make("span", { class: "ttr-p-status", role: "img", "aria-label": words, text: symbol }) : "",
    make("bdi", { dir: "ltr", text: sheet.tickets[ticket].words }),
    togo ? make("span", { class: "ttr-p-quiet", text: togo }) : "",
  );
}

function seatPanel(sheet, facts, seat, { you = false } = {}) {
  const line = make("div", { class: "ttr-p-quiet", "data-field": "facts" });
  const hand = make("div", { class: "ttr-p-hand", role: "group", "aria-label": `Cards of ${seatName(facts, seat)}` });
  const row = cardRow(hand, sheet, facts.kinds);
  const list = make("ul", { class: "ttr-p-tickets", "data-field": "tickets" });
  const score = make("b", { "data-field": "score" });
  const name = facts.names[seat] || `P${seat}`;
  const element = make(
    "section",
    { class: "ttr-p-seat ttr-panel", "data-seat": seat, "aria-label": seatName(facts, seat) + (you ? ", you" : "") },
    make(
      "header",
      {},
      playerMark(sheet, seat),
      make("bdi", { class: "ttr-p-name", title: name, text: name }),
      you && name !== "You" ? make("span", { class: "ttr-p-you", text: "you" }) : "",
      make("span", { class: "ttr-p-score" }, score, " points"),
    ),
    line,
    hand,
    list,
  );
  return {
    element,
    set(data, { acting = false } = {}) {
      element.classList.toggle("is-acting", acting);
      setText(score, String(data.score));
      const n = data.hand.reduce((sum, count) => sum + count, 0);
      const loans = data.loans ? `, ${several(data.loans, "loan")}` : "";
      const money = facts.money ? `, ${data.tokens} in tokens${loans}` : "";
      setText(line, `${several(data.trains, "train")}, ${several(n, "card")}${money}`);
      row.set(data.hand, data.hand[facts.kinds.length]);
      const known = data.tickets.map((ticket, i) => [ticket, data.status?.[i]]).filter(([ticket]) => ticket >= 0);
      const n_unknown = data.tickets.length - known.length;
      list.replaceChildren(
        ...known.map(([ticket, status]) => ticketItem(sheet, ticket, status)),
        ...(n_unknown ? [make("li", { text: `${several(n_unknown, "ticket")} not known` })] : []),
      );
    },
  };
}

function seatPanels(sheet, facts, first = 0) {
  const panels = facts.names.map((_, seat) => seatPanel(sheet, facts, seat, { you: seat === facts.seat }));
  const inOrder = [...panels.slice(first), ...panels.slice(0, first)];
  return {
    element: make("div", { class: "ttr-p-seats" }, ...inOrder.map((panel) => panel.element)),
    set: ({ seats, acting }) => seats.forEach((data, seat) => panels[seat].set(data, { acting: seat === acting })),
  };
}

function logList(label, name = "") {
  const element = make("ol", { class: `ttr-p-log ${name}`.trim(), tabindex: 0, "aria-label": label });
  const toEnd = () => (element.scrollTop = element.scrollHeight);
  const observer = new ResizeObserver(toEnd); // it has no size before it is on the page
  observer.observe(element);
  return { element, toEnd, stop: () => observer.disconnect() };
}

function panelBody(sheet, board, seats, heading, list) {
  const head = make("h3", { class: "ttr-p-heading", text: heading });
  const panel = make("section", { class: "ttr-panel ttr-p-list", "aria-label": heading }, head, list);
  const sides = isWide(sheet) ? [[board, panel], [seats]] : [[board], [seats, panel]];
  return make("div", { class: "ttr-p-body" }, ...sides.map((parts) => make("div", {}, ...parts)));
}

function marketPanel(sheet, facts, { onSlot, onPile, onTickets }) {
  const chip = (_, slot) => cardChip(sheet, null, { onClick: () => onSlot(slot) });
  const slots = Array.from({ length: facts.slots }, chip);
  const pile = make("button", { type: "button", class: "ttr-p-pile", onclick: onPile });
  const tickets = make("button", { type: "button", class: "ttr-p-pile", onclick: onTickets });
  const rest = make("div", { class: "ttr-p-quiet", "data-field": "piles" });
  const tunnel = make("div", { class: "ttr-p-tunnel", hidden: true });
  const neutral = make("div", { class: "ttr-p-quiet", hidden: true });
  const market = make("div", { class: "ttr-p-market", role: "group", "aria-label": "Market" }, ...slots);
  const element = make(
    "section",
    { class: "ttr-p-table ttr-panel", "aria-label": "Market and piles" },
    market,
    make("div", { class: "ttr-p-piles" }, pile, tickets),
    rest,
    neutral,
    tunnel,
  );
  return {
    element,
    set(table, may) {
      slots.forEach((chip, slot) => {
        const kind = table.market[slot] ?? null;
        chip.update({ kind, disabled: !may.slots(slot) });
        const words = kind === null ? `slot ${slot}, empty` : `Take ${kind} from slot ${slot}`;
        chip.setAttribute("aria-label", words);
        chip.title = words;
      });
      setText(pile, `Draw a card (${table.pile} left)`);
      pile.disabled = !may.pile;
      setText(tickets, `Draw tickets (${table.ticketPile} left)`);
      tickets.disabled = !may.tickets;
      const left = table.left === null ? "" : `, last round: ${several(table.left, "turn")} left`;
      setText(rest, `${several(table.discards, "card")} discarded${left}`);
      neutral.hidden = table.neutral === null;
      if (table.neutral) {
        const { ticket, trains, marker } = table.neutral;
        const last = ticket === null ? "" : `, last ticket ${sheet.tickets[ticket].words}`;
        setText(neutral, `Neutral player: ${trains} trains${last}${marker === null ? "" : `, marker at P${marker}`}`);
      }
      tunnel.hidden = table.tunnel === null;
      if (table.tunnel) {
        const { route, laid, shown, surcharge } = table.tunnel;
        const words = sheet.routes.find(({ id }) => id === route).words;
        tunnel.replaceChildren(
          make("div", {}, "Tunnel ", make("bdi", { dir: "ltr", text: words })),
          make("div", {}, "laid down ", ...countedCards(sheet, facts, laid)),
          make("div", {}, "turned over ", ...countedCards(sheet, facts, shown), ` ${surcharge} more to pay`),
        );
      }
    },
  };
}
