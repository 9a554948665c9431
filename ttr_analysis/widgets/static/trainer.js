/* Find the best move in a position (`ttr_analysis.widgets.trainer`): the table of one puzzle, and what an answer is worth. */

/* What is said of an answer: each move with what it is worth, and why. `onNext()` asks for the next puzzle. */
function makeVerdict(onNext) {
  const heading = make("div", { class: "ttr-t-turn" });
  const rows = make("dl", { class: "ttr-v-rows" });
  const next = makeButton("Next", onNext, { class: "ttr-main", "data-key": "next" });
  const again = make("span", { class: "ttr-quiet" });
  const element = make(
    "section",
    { class: "ttr-verdict ttr-panel", "aria-label": "What your answer is worth", hidden: true },
    make("div", { class: "ttr-row" }, make("div", { "aria-live": "polite" }, heading, again), next),
    rows,
  );
  const row = ({ who, move, win, cost, why }) => [
    make("dt", { class: "ttr-quiet", text: who }),
    make(
      "dd",
      {},
      make("bdi", { class: "ttr-v-move", dir: "ltr", text: move }),
      make("span", { text: win }),
      cost ? make("span", { class: "ttr-v-cost", text: cost }) : "",
      why ? make("span", { class: "ttr-quiet", text: why }) : "",
    ),
  ];
  return {
    element,
    set({ right, heading: words, rows: moves, again: later }) {
      element.hidden = !moves;
      if (!moves) return;
      element.classList.toggle("is-right", right);
      setText(heading, `${right ? "✓" : "✗"} ${words}`);
      rows.replaceChildren(...moves.flatMap(row));
      setText(again, later ?? "");
      next.focus({ preventScroll: true });
      element.scrollIntoView({ block: "nearest" }); // on a phone it is below the board
    },
  };
}

function showPuzzle({ model, el }) {
  const facts = model.get("facts");
  const keep = (change) => keepFocus(root, change, turn.bar);
  const send = (message) => model.send(message);
  const next = () => send({ do: "next", step: model.get("now").step });
  const board = makeBoard(facts, {
    onRoute: (id) => turn.onRoute(id),
    onCity: (city) => turn.onCity(city),
    onLook: (route) => send({ do: "about", route }),
    onZoom: () => turn.leave(),
  });
  const turn = makeTurn(facts, keep, {
    busyWith: () => "",
    onSend: send,
    onChoose: board.choose,
    onTickets: board.showTickets,
    onSpot: board.setSpot,
    onBack: board.focus,
  });
  const verdict = makeVerdict(next);
  const seats = seatPanels(facts, { first: facts.seat });
  const [own, ...others] = seats.elements;
  const tally = make("span", { class: "ttr-v-tally ttr-quiet", "aria-live": "polite" });
  const skip = makeButton("Skip", next);
  const log = logList("What happened");
  const root = gameRoot(el, facts, {
    name: "play",
    label: "Train",
    onKey: turn.onKey,
    head: [make("span", { class: "ttr-quiet", text: "Find the best move" }), tally, skip],
    board: board.element,
    side: [make("div", { class: "ttr-v-turn" }, turn.bar, verdict.element), turn.market, own],
    seats: others,
    log,
  });

  function onNow() {
    if (model.get("facts") !== facts) return; // of another puzzle, which is drawn anew
    const now = model.get("now");
    board.set(now);
    seats.set(now.moment);
    log.set(now.log);
    turn.set(now);
  }
  function onAnswered() {
    if (model.get("facts") !== facts) return;
    const answered = model.get("answered");
    keep(() => {
      turn.bar.hidden = Boolean(answered.rows);
      skip.disabled = Boolean(answered.rows);
    });
    board.showBetter(answered.place ?? null);
    verdict.set(answered);
  }
  function onAbout() {
    const { route, step, words } = model.get("about");
    if (step === model.get("now").step) board.setAbout(route, words);
  }
  const onTally = () => setText(tally, model.get("tally"));
  const onProblem = () => turn.setProblem(model.get("problem"));
  const forget = listen(model, { now: onNow, answered: onAnswered, about: onAbout, tally: onTally, problem: onProblem });
  onNow();
  onAnswered();
  onTally();
  return stopAll(forget, board.stop, log.stop);
}

const render = redrawing(showPuzzle);

export default { render };
