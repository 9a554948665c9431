/* Show the odds of a tunnel: Python gets the hand, seen cards and pile, and answers with the odds of every payment. */

const HAND_ROWS = [
  { name: "hand", words: "Your hand" },
  { name: "seen", words: "Seen elsewhere" },
  { name: "discards", words: "Discarded" },
];

function renderOdds({ model, el }) {
  const facts = model.get("facts");
  const { root, live } = answerPage(el, "odds", `Tunnel odds: ${facts.title}`);
  const group = (at) => (at < facts.n_anywhere ? "Anywhere" : "On the board");
  const options = facts.routes.map((route, at) => ({ ...route, group: group(at) }));
  const routes = choice(options, (route) => ask(model, { route }));
  const pile = make("input", { type: "number", min: 0, step: 1, inputmode: "numeric", oninput: () => setPile() });
  const counters = cardTable(facts, HAND_ROWS, (name, counts) => ask(model, { [name]: counts }));
  const forget = makeButton("Clear seen cards", () => ask(model, { seen: {}, discards: {}, pile: null }));
  const heads = ["Lay down", "Spare", "Chance", "Cards turned over that match", "Total cards"];
  const { element: table, body } = answerTable("Payments, best first", heads);
  const note = make("p", { class: "ttr-note ttr-quiet" });
  const answer = make("div", { class: "ttr-answer" }, table, note);
  const controls = [labeled("Tunnel", routes), labeled("Cards in the pile", pile), forget];
  root.append(make("div", { class: "ttr-ask ttr-row" }, ...controls), counters.element, live, answer);

  function setPile() {
    markInvalid(pile, !isWhole(pile));
    if (isWhole(pile)) ask(model, { pile: pile.value === "" ? null : Number(pile.value) });
  }

  function showInputs() {
    routes.value = model.get("route");
    for (const { name } of HAND_ROWS) counters.set(name, model.get(name));
    const n = model.get("pile");
    const shown = pile.value === "" ? null : Number(pile.value);
    if (shown !== n) pile.value = n ?? "";
  }

  function showAnswer() {
    const found = model.get("answer");
    const { problem, payments = [], n_payments = 0 } = found;
    setText(live, found.said);
    live.classList.toggle("is-bad", Boolean(problem));
    showInputs();
    if (found.kind) counters.blame(found.kind);
    counters.setUnseen(problem ? null : found.unseen);
    pile.placeholder = problem ? "" : `all ${found.n_unseen}`;
    answer.hidden = Boolean(problem);
    const rows = payments.map((payment) => oddsRow(heldCards(facts.sheet, facts.kinds, payment.held), payment));
    body.replaceChildren(...rows, ...(found.bare ? [oddsRow(`${found.bare.color}, once you have enough cards`, found.bare)] : []));
    const others = n_payments - payments.length;
    const sentences = [
      found.reshuffled ? "The pile is too small: the discards are shuffled." : "",
      "Filled: you can pay. Hollow: the claim fails.",
      others > 0 ? `${several(others, "other payment")}, none of them better.` : "",
    ];
    setText(note, sentences.filter(Boolean).join(" "));
  }

  const inputs = [...HAND_ROWS.map(({ name }) => name), "route", "pile"];
  return stopAll(follow(model, inputs, showInputs), follow(model, ["answer"], showAnswer));
}

function oddsRow(name, { spare = 0, percent, odds, cards = 0 }) {
  const row = answerRow(name, [spare, percent, oddsBar(odds, spare), cards ? cards.toFixed(1) : "–"]);
  row.children[2].classList.add("is-main");
  return row;
}

/* Draw a bar with a part for each number of matching cards, hollow where the surcharge cannot be paid. */
function oddsBar(odds, spare) {
  const [width, height] = [420, 26];
  const words = odds.map((chance, k) => `${k} more: ${percentWords(100 * chance, 1)}`);
  const label = `Surcharge ${words.join(", ")}`;
  const svg = makeSvg("svg", { class: "ttr-surcharge", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  let x = 0;
  odds.forEach((chance, k) => {
    const across = chance * (width - 2);
    const text = across > 84 ? `+${k}: ${percentWords(100 * chance)}` : across > 26 ? `+${k}` : "";
    svg.append(
      makeSvg(
        "g",
        { class: k <= spare ? "is-paid" : null },
        makeSvg("title", { text: words[k] }),
        makeSvg("rect", { x: x + 1, y: 1, width: Math.max(0, across - 1), height: height - 2 }),
        makeSvg("text", { x: x + across / 2, y: 17.5, "text-anchor": "middle", text }),
      ),
    );
    x += across;
  });
  return svg;
}

export default { render: renderOdds };
