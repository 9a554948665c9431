/*
 * Enter a game from the table. What a line means is known to Python alone (`ttr_analysis.widgets.notepad`): it is asked
 * as one types, and answers with what is wrong and with what may come next.
 */

function render({ model, el }) {
  const facts = model.get("facts");
  const { sheet } = facts;
  // Views of one recorder hear all answers: each begins somewhere else, and knows its own. 0 is for what Python did.
  let asked = 1 + Math.floor(Math.random() * 2 ** 40);
  let answered = asked;
  let sent = { n: asked, what: "", text: "" }; // asked last of all that may change the line, and with which line
  const due = []; // what may change the line as well, and waits for the answer to that
  let isStale = false; // the game has changed since the last answer
  const keep = (change) => () => keepFocus(root, change, input);

  // -- the line ----------------------------------------------------------------

  const input = make("input", {
    type: "text",
    id: `ttr-line-${Math.random().toString(36).slice(2)}`,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    maxlength: 5000,
    dir: "ltr",
  });
  const enter = make("button", { type: "button", class: "ttr-main", text: "Enter", onclick: enterLine });
  const undo = make("button", { type: "button", text: "Undo", onclick: () => ask("undo") });
  const clear = make("button", { type: "button", text: "Clear", onclick: () => type("") });
  const said = make("div", { class: "ttr-live ttr-r-said", "aria-live": "polite" });
  const asGroup = { role: "group", "aria-label": "What may come next" };
  const choices = make("div", { class: "ttr-p-choices ttr-r-choices", ...asGroup });
  const entry = make(
    "section",
    { class: "ttr-r-entry ttr-panel", "aria-label": "The next line" },
    make("div", { class: "ttr-r-line" }, make("label", { for: input.id, text: "Line" }), input, enter, clear, undo),
    said,
    choices,
  );

  let waiting = null;
  function say(what, more = {}) {
    clearTimeout(waiting); // the answer is a check as well
    asked += 1;
    if (what !== "check") sent = { n: asked, what, text: input.value };
    model.send({ do: what, n: asked, text: input.value, ...more });
  }
  function ask(what, more) {
    due.push([what, more]);
    askNext();
  }
  function askNext() {
    if (due.length && answered >= sent.n) say(...due.shift());
  }
  function checkSoon() {
    clearTimeout(waiting);
    asked += 1; // what is on its way is about another line
    waiting = setTimeout(() => say("check"), 40);
  }
  function enterLine() {
    const onItsWay = due.at(-1)?.[0] ?? (sent.n === asked && answered !== asked ? sent.what : "");
    if (onItsWay !== "enter") ask("enter"); // else it would be entered twice
  }
  function type(text) {
    input.value = text;
    input.focus();
    say("check");
  }
  const pick = (kind, value) => ask("pick", { kind, value: String(value) });

  input.addEventListener("input", checkSoon);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") enterLine();
    else if (event.key === "ArrowDown" && choices.firstChild) choices.firstChild.focus();
    else if (event.key === "Escape") type("");
    else return;
    event.preventDefault();
  });
  input.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text");
    if (!/\n./.test(text)) return;
    event.preventDefault(); // several lines, each of which is entered
    ask("enter", { text });
  });
  choices.addEventListener("keydown", (event) => {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    if (event.key === "Escape") input.focus();
    else if (!steps[event.key]) return;
    else {
      const all = [...choices.children];
      (all[all.indexOf(document.activeElement) + steps[event.key]] ?? input).focus();
    }
    event.preventDefault();
  });

  function showChoices(list) {
    choices.replaceChildren(
      ...list.map(([text, label, card]) => {
        const take = () => type(text);
        const choice = card
          ? cardChip(sheet, card, { onClick: take, label: label.startsWith(",") ? `and ${card}` : label })
          : make("button", { type: "button", onclick: take }, make("bdi", { text: label }));
        choice.dataset.key = text;
        return choice;
      }),
    );
  }

  function putLine(text) {
    // What was typed meanwhile stays: behind the new line, or instead of it.
    if (input.value.startsWith(sent.text)) input.value = text + input.value.slice(sent.text.length);
    sent.text = text;
  }

  const onAnswer = keep(() => {
    const answer = model.get("answer");
    const isLast = answer.n === asked;
    const mayChange = answer.n === sent.n;
    if (mayChange) putLine(answer.text);
    if (isLast || mayChange) {
      answered = answer.n;
      showAnswer(answer);
      if (!isLast) checkSoon(); // the line that was typed on
    } else if (isStale && answered === asked) {
      checkSoon(); // another view, or Python, has entered a line
    }
    askNext();
  });

  function showAnswer(answer) {
    isStale = false;
    enter.disabled = !answer.ready;
    // What ends too early is no slip: one goes on typing.
    const isWrong = Boolean(answer.problem) && answer.at < answer.text.trimEnd().length;
    input.setAttribute("aria-invalid", String(isWrong));
    const hint = answer.problem.replace(/^expected /, "Next: ").replace(/, got the end$/, "");
    const problem = isWrong ? `Character ${answer.at + 1}: ${answer.problem}` : hint;
    said.dataset.kind = answer.failed || isWrong ? "problem" : answer.ready ? "ready" : "";
    setText(said, [answer.said, answer.ready ? `Ready: ${answer.told}` : problem].filter(Boolean).join(". "));
    showChoices(answer.choices);
  }

  // -- the table -----------------------------------------------------------------

  const seats = facts.names.map((_, seat) => seatPanel(sheet, facts, seat, { you: seat === facts.seat }));
  const market = marketPanel(sheet, facts, {
    onSlot: (slot) => pick("market", slot),
    onPile: () => pick("pile", ""),
    onTickets: () => pick("tickets", ""),
  });
  const turn = make("span", { class: "ttr-p-quiet" });
  const lines = make("ol", { class: "ttr-p-log ttr-r-lines", tabindex: 0, "aria-label": "Lines entered" });
  // The list has no size before it is on the page.
  const observer = new ResizeObserver(() => (lines.scrollTop = lines.scrollHeight));
  observer.observe(lines);
  const place = make("div", { class: "ttr-place" });
  const label = `${sheet.about}: choose a route to claim it`;
  const board = drawBoard(place, sheet, { onRoute: (id) => pick("route", id), label });
  const panels = make("div", { class: "ttr-p-seats" }, ...seats.map((panel) => panel.element));

  let shown = [];
  function showLines(now) {
    let same = 0;
    while (same < now.length && now[same] === shown[same]) same += 1;
    while (lines.children.length > same) lines.lastChild.remove();
    lines.append(...now.slice(same).map((text) => make("li", {}, make("bdi", { dir: "ltr", text }))));
    shown = now;
    lines.scrollTop = lines.scrollHeight;
    undo.disabled = now.length === 0;
  }

  const onNow = keep(() => {
    const { table, lines: now, scores } = model.get("now");
    isStale = true;
    showLines(now);
    panels.hidden = market.element.hidden = table === null;
    const points = scores?.map((score, seat) => `P${seat} ${score ?? "?"}`).join(", ");
    const words = points && `The game is over: ${points} points`;
    setText(turn, table === null ? "The table is set up" : words || table.turn);
    board.setOwners(table === null ? {} : table.owners);
    if (table === null) return;
    table.seats.forEach((data, seat) => seats[seat].set(data, { acting: seat === table.acting }));
    const over = table.acting === null;
    market.set(table, { slots: (slot) => !over && table.market[slot] !== null, pile: !over, tickets: !over });
  });

  // -- together --------------------------------------------------------------------

  const root = make(
    "div",
    {
      class: "ttr ttr-recorder",
      "data-lm-suppress-shortcuts": "true",
      role: "region",
      "aria-label": `Record a game: ${facts.title}`,
    },
    make("header", { class: "ttr-p-top" }, make("h2", {}, make("bdi", { text: facts.title })), turn),
    make("div", { class: "ttr-p-bar" }, entry, market.element),
    panelBody(sheet, place, panels, "Lines entered", lines),
  );
  el.append(root);
  keepKeys(root);
  model.on("change:answer", onAnswer);
  model.on("change:now", onNow);
  onNow();
  putLine(model.get("answer").text);
  showAnswer(model.get("answer"));
  return () => {
    clearTimeout(waiting);
    observer.disconnect();
    model.off("change:answer", onAnswer);
    model.off("change:now", onNow);
  };
}

export default { render };
