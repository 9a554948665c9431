/* Find the best move in a position (`ttr_analysis.widgets.trainer`): the table of one puzzle, and a verdict. */

/* Make the verdict on an answer: each move with its value and the reason. `onNext()` asks for the next puzzle. */
function makeVerdict(onNext) {
  const heading = make("div", { class: "ttr-t-turn" });
  const rows = make("dl", { class: "ttr-v-rows" });
  const next = makeButton("Next", onNext, { class: "ttr-main", "data-key": "next" });
  const again = make("span", { class: "ttr-quiet" });
  const element = make(
    "section",
    { class: "ttr-verdict ttr-panel", "aria-label": "Verdict on your answer", hidden: true },
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

function showPuzzle(context) {
  const { model } = context;
  const facts = model.get("facts");
  const next = () => model.send({ do: "next", step: model.get("now").step });
  const verdict = makeVerdict(next);
  const tally = make("span", { class: "ttr-v-tally ttr-quiet", "aria-live": "polite" });
  const skip = makeButton("Skip", next);
  const { board, turn, keep, begin, stop } = showSeat(context, {
    label: "Train",
    head: [make("span", { class: "ttr-quiet", text: "Find the best move" }), tally, skip],
    side: (bar) => make("div", { class: "ttr-v-turn" }, bar, verdict.element),
  });

  function onAnswered() {
    if (model.get("facts") !== facts) return;
    const answered = model.get("answered");
    keep(() => {
      turn.bar.hidden = Boolean(answered.rows);
      skip.disabled = Boolean(answered.rows);
    });
    board.markBetter(answered.place ?? null);
    verdict.set(answered);
  }
  const onTally = () => setText(tally, model.get("tally"));

  const forget = listen(model, { answered: onAnswered, tally: onTally });
  begin();
  onAnswered();
  onTally();
  return stopAll(forget, stop);
}

const render = redrawing(showPuzzle);

export default { render };
