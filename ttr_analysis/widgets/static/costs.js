/* Show what a route costs: Python gets the route and the hand, and answers with payments and missing cards. */

function renderCosts({ model, el }) {
  const facts = model.get("facts");
  const { root, live } = answerPage(el, "costs", `Route costs: ${facts.title}`);
  const group = ({ special }) => (special ? "Several cards can replace one" : "One card per space");
  const options = facts.routes.map((route) => ({ ...route, group: group(route) }));
  const routes = choice(options, (route) => ask(model, { route }));
  const counters = cardTable(facts, [{ name: "hand", words: "Your hand" }], (_, hand) => ask(model, { hand }));
  const clear = makeButton("Clear hand", () => ask(model, { hand: {} }));
  const [words, chart] = [make("div", { class: "ttr-panel" }), make("figure", { class: "ttr-panel" })];
  const answer = make("div", { class: "ttr-answer ttr-halves" }, words, chart);
  root.append(make("div", { class: "ttr-ask ttr-row" }, labeled("Route", routes), clear), counters.element, live, answer);

  function showInputs() {
    routes.value = model.get("route");
    counters.set("hand", model.get("hand"));
  }

  function showAnswer() {
    const found = model.get("answer");
    setText(live, found.said);
    live.classList.toggle("is-bad", Boolean(found.problem));
    showInputs();
    if (found.kind) counters.blame(found.kind);
    answer.hidden = Boolean(found.problem);
    counters.setUnseen(found.problem ? null : found.unseen);
    if (found.problem) return;
    words.replaceChildren(...paymentList(facts, found), ...waitingWords(found), colorTable(facts, found.colors));
    chart.replaceChildren(make("figcaption", { text: curveWords(found.curve) }), curveChart(facts.sheet, found.curve));
  }

  return stopAll(follow(model, ["route", "hand"], showInputs), follow(model, ["answer"], showAnswer));
}

function paymentList({ sheet, kinds }, { payments, n_payments, sparing }) {
  if (payments.length === 0) return [];
  const ways = n_payments === null ? "a great many ways" : several(n_payments, "way");
  const line = ({ held, n_cards, words }, note = "") =>
    make("li", { title: words }, heldCards(sheet, kinds, held), ` ${several(n_cards, "card")}${note}`);
  const lines = payments.slice(0, 4).map((payment) => line(payment));
  if (sparing) lines.push(line(sparing, ", fewest locomotives"));
  const heading = n_payments === 1 ? "The only way to pay" : `The cheapest of ${ways} to pay`;
  return [make("h4", { text: heading }), make("ul", { class: "ttr-plain" }, ...lines)];
}

function waitingWords({ draws, tunnel }) {
  return [draws, tunnel].filter(Boolean).map(({ said }) => make("p", { text: said }));
}

function colorTable({ sheet }, colors) {
  const heads = ["Color", "Held", "Cards needed", "Short"];
  const { element, body } = answerTable("Cards missing by color, fewest first", heads);
  const row = ({ color, own, cards, missing }) => {
    const name = make("span", {}, cardChip(sheet, color), make("span", { text: color }));
    const line = answerRow(name, [own, cards ?? "–", missing || "✓ pays"]);
    line.lastChild.classList.toggle("is-good", !missing);
    return line;
  };
  body.replaceChildren(...colors.map(row));
  return element;
}

function curveWords({ color, held, locomotives, said }) {
  const helped = `, with ${several(locomotives, "locomotive")}`;
  const formula = said ? `: ${said}` : "";
  return `Cards needed, by number of ${color} cards held${locomotives ? helped : ""}${formula}. You hold ${held}.`;
}

/* Draw bars: the cards of the color, with all others on top; the bar for the hand is framed. */
function curveChart(sheet, { color, held, points }) {
  const [width, height, foot, head] = [380, 220, 36, 20];
  const mine = Math.min(held, points.length - 1); // more cards than spaces do not help
  const step = (width - 8) / points.length;
  const scale = (height - foot - head) / Math.max(1, ...points.map(({ cards }) => cards ?? 0));
  const words = points.map(({ own, cards }) => `${own}: ${cards ?? "cannot be paid"}`).join(", ");
  const svg = makeSvg("svg", {
    class: "ttr-curve",
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": `Cards needed, by number of ${color} cards held. ${words}`,
  });
  const base = height - foot;
  const look = sheet.cards[color];
  for (const { own, cards } of points) {
    const at = 4 + (own + 0.5) * step;
    const bar = (n, from, attributes) => {
      const box = { x: at - 0.36 * step, y: base - (from + n) * scale, width: 0.72 * step, height: n * scale };
      return makeSvg("rect", { ...box, ...attributes });
    };
    const text = (y, words) => makeSvg("text", { x: at, y, "text-anchor": "middle", text: words });
    const part = makeSvg("g", { class: own === mine ? "is-held" : "" });
    if (cards !== null) {
      part.append(bar(own, 0, { fill: look.fill, stroke: look.edge }), bar(cards - own, own, { class: "ttr-others" }));
      if (own === mine) part.append(bar(cards, 0, { class: "ttr-frame" }));
    }
    part.append(text(base - (cards ?? 0) * scale - 6, cards ?? "✗"), text(base + 15, own === mine ? `▲ ${own}` : own));
    svg.append(part);
  }
  svg.append(makeSvg("text", { x: width / 2, y: height - 3, "text-anchor": "middle", text: `${color} cards in hand` }));
  return svg;
}

export default { render: renderCosts };
