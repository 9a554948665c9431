/*
 * Record a game played on a real board. Only Python understands a line (`ttr_analysis.widgets.recorder`): it is asked at
 * each change, and answers with errors and possible continuations.
 */

/*
 * Requests about the line in `input`; `onAnswer(answer)` gets the answers that still apply. A check may be sent at any
 * time, and its answer applies if it was the last request. Requests that may change the line (enter, undo, pick) are sent
 * one at a time, and their answers always apply.
 */
function makeAsking(input, { onSend, onAnswer }) {
  // All views of a recorder get all answers: each starts at a random number to recognize its own. Python itself uses 0.
  let asked = 1 + Math.floor(Math.random() * 2 ** 40);
  let answered = asked;
  let sent = { n: asked, what: "", text: "" }; // the last request that may change the line, and that line
  const queue = []; // more such requests, waiting for its answer
  let isStale = false; // the game has changed since the last answer
  let waiting = null;

  function say(what, more = {}) {
    clearTimeout(waiting); // the answer is a check as well
    asked += 1;
    if (what !== "check") sent = { n: asked, what, text: input.value };
    onSend({ do: what, n: asked, text: input.value, ...more });
  }
  function ask(...request) {
    queue.push(request);
    askNext();
  }
  function askNext() {
    if (queue.length && answered >= sent.n) say(...queue.shift());
  }
  function checkSoon() {
    clearTimeout(waiting);
    asked += 1; // requests on their way are about another line
    waiting = setTimeout(() => say("check"), 40);
  }
  function enter() {
    const onItsWay = queue.at(-1)?.[0] ?? (sent.n === asked && answered !== asked ? sent.what : "");
    if (onItsWay !== "enter") ask("enter"); // else it would be entered twice
  }
  function putLine(text) {
    // Keep what was typed meanwhile.
    if (input.value.startsWith(sent.text)) input.value = text + input.value.slice(sent.text.length);
    sent.text = text;
  }
  function show(answer) {
    isStale = false;
    onAnswer(answer);
  }
  function hear(answer) {
    const isLast = answer.n === asked;
    const mayChange = answer.n === sent.n;
    if (mayChange) putLine(answer.text);
    if (isLast || mayChange) {
      answered = answer.n;
      show(answer);
      if (!isLast) checkSoon(); // the line was edited meanwhile
    } else if (isStale && answered === asked) {
      checkSoon(); // another view, or Python, has entered a line
    }
    askNext();
  }
  function begin(answer) {
    putLine(answer.text);
    show(answer);
  }
  return {
    ask,
    enter,
    check: () => say("check"),
    checkSoon,
    begin,
    hear,
    setStale: () => (isStale = true),
    stop: () => clearTimeout(waiting),
  };
}

/* Make the suggestions; `onTake(text)` is called with the line chosen, and arrow keys lead back to `input`. */
function makeChoices(sheet, input, onTake) {
  const asGroup = { role: "group", "aria-label": "Suggestions" };
  const element = make("div", { class: "ttr-choices ttr-row ttr-r-choices", ...asGroup });
  element.addEventListener("keydown", (event) => {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    if (event.key === "Escape") input.focus();
    else if (!steps[event.key]) return;
    else {
      const all = [...element.children];
      (all[all.indexOf(document.activeElement) + steps[event.key]] ?? input).focus();
    }
    event.preventDefault();
  });
  function choice([text, label, card]) {
    const take = () => onTake(text);
    const button = card
      ? cardChip(sheet, card, { onClick: take, label: label.startsWith(",") ? `and ${card}` : label })
      : make("button", { type: "button", onclick: take }, make("bdi", { text: label }));
    button.dataset.key = text;
    return button;
  }
  return { element, set: (list) => element.replaceChildren(...list.map(choice)) };
}

/* Return an answer in words, and what kind of answer it is. */
function answerWords({ problem, at, text, failed, ready, said, meaning }) {
  // An incomplete line is not an error.
  const isWrong = Boolean(problem) && at < text.trimEnd().length;
  const hint = problem.replace(/^expected /, "Next: ").replace(/, got the end$/, "");
  const next = isWrong ? `Character ${at + 1}: ${problem}` : hint;
  const kind = failed || isWrong ? "problem" : ready ? "ready" : "";
  return { words: [said, ready ? `Ready: ${meaning}` : next].filter(Boolean).join(". "), kind, isWrong };
}

/* Make the advice for the seat to move: a button, and the answer from Python. */
function makeAdvice(onAsk) {
  const button = makeButton("Advice", onAsk);
  const said = make("div", { "aria-live": "polite" });
  return {
    element: make("div", { class: "ttr-line" }, button, said),
    set({ moment }, { words }, busy) {
      setText(said, busy ? `${busy} …` : words);
      button.disabled = Boolean(busy) || moment === null || moment.acting === null;
    },
  };
}

/* Make the input of the next line, with buttons, feedback and suggestions. */
function makeEntry(sheet, onSend, advice) {
  const names = { id: `ttr-line-${Math.random().toString(36).slice(2)}`, dir: "ltr", maxlength: 5000 };
  const off = { autocomplete: "off", autocapitalize: "off", spellcheck: "false" };
  const input = make("textarea", { rows: 3, ...names, ...off }); // room for a whole claim of a tunnel
  const asking = makeAsking(input, { onSend, onAnswer: show });
  const choices = makeChoices(sheet, input, type);
  const enter = makeButton("Enter", asking.enter, { class: "ttr-main" });
  const undo = makeButton("Undo", () => asking.ask("undo"));
  const clear = makeButton("Clear", () => type(""));
  const said = make("div", { class: "ttr-live ttr-r-said", "aria-live": "polite" });
  const label = make("label", { for: input.id }, make("b", { text: "Line" }));

  function type(text) {
    input.value = text;
    input.focus();
    asking.check();
  }
  function show(answer) {
    const { words, kind, isWrong } = answerWords(answer);
    enter.disabled = !answer.ready;
    input.setAttribute("aria-invalid", String(isWrong));
    said.dataset.kind = kind;
    setText(said, words);
    choices.set(answer.choices);
  }

  input.addEventListener("input", asking.checkSoon);
  input.addEventListener("keydown", (event) => {
    const choice = choices.element.firstChild;
    if (event.key === "Enter") asking.enter();
    else if (event.key === "ArrowDown" && choice) choice.focus();
    else if (event.key === "Escape") type("");
    else return;
    event.preventDefault();
  });
  input.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text");
    if (!/\n./.test(text)) return;
    event.preventDefault(); // several lines, each of which is entered
    asking.ask("enter", { text });
  });
  return {
    element: make(
      "section",
      { class: "ttr-r-entry ttr-panel", "aria-label": "The next line" },
      make("div", { class: "ttr-row" }, label, input, enter, clear, undo),
      said,
      choices.element,
      advice.element,
    ),
    input,
    asking,
    setUndo: (may) => (undo.disabled = !may),
  };
}

/* Make seats, market and board; `onPick(kind, value)` is called with what is chosen on them. */
function makeTable(facts, onPick) {
  const seats = seatPanels(facts);
  const market = marketPanel(facts, {
    onSlot: (slot) => onPick("market", slot),
    onPile: () => onPick("pile", ""),
    onTickets: () => onPick("tickets", ""),
  });
  const board = gameBoard(facts, { onRoute: (id) => onPick("route", id), onCity: (city) => onPick("city", city) });
  let before; // the moment shown before
  return {
    seats: seats.elements,
    market: market.element,
    board: board.element,
    showBetter: board.markBetter,
    set(moment) {
      for (const element of [...seats.elements, market.element]) element.hidden = moment === null;
      board.setOwners(moment?.owners ?? {});
      board.setStations(moment?.stations ?? {});
      if (moment === null) return;
      seats.set(moment, before);
      market.set(moment, before);
      before = moment;
      const over = moment.acting === null;
      market.allow({ slots: (slot) => !over && moment.market[slot] !== null, pile: !over, tickets: !over });
    },
  };
}

/* Return whose turn it is, or how the game ended, in words. */
function turnWords(facts, moment) {
  if (moment === null) return "Setting up the game";
  if (moment.acting !== null) return decisionWords(facts, moment);
  const points = moment.seats.map((seat, k) => `${facts.names[k]} ${seat.points ?? "?"}`);
  return `The game is over: ${points.join(", ")} points`;
}

function render({ model, el }) {
  const facts = model.get("facts");
  const keep = (change) => keepFocus(root, change, entry.input);

  const advice = makeAdvice(() => model.send({ do: "advise" }));
  const entry = makeEntry(facts.sheet, (message) => model.send(message), advice);
  const { asking } = entry;
  const table = makeTable(facts, (kind, value) => asking.ask("pick", { kind, value: String(value) }));
  const turn = make("span", { class: "ttr-quiet" });
  const lines = logList("Lines entered");
  const root = gameRoot(el, facts, {
    name: "recorder",
    label: "Record a game",
    head: [turn],
    board: table.board,
    side: [entry.element, table.market],
    seats: table.seats,
    log: lines,
  });

  const onAnswer = () => keep(() => asking.hear(model.get("answer")));
  const onAdvised = () =>
    keep(() => {
      const advised = model.get("advised");
      advice.set(model.get("now"), advised, model.get("busy"));
      table.showBetter(advised.place);
    });
  const onNow = () =>
    keep(() => {
      const now = model.get("now");
      asking.setStale();
      lines.set(now.lines.map((text) => [null, text]));
      entry.setUndo(now.lines.length > 0);
      setText(turn, turnWords(facts, now.moment));
      table.set(now.moment);
      onAdvised();
    });

  const forget = listen(model, { answer: onAnswer, now: onNow, advised: onAdvised, busy: onAdvised });
  onNow();
  asking.begin(model.get("answer"));
  return stopAll(forget, asking.stop, lines.stop);
}

export default { render };
