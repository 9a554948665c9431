/*
 * What a review says of the steps of a game (`ttr_analysis.widgets.snapshot.review_data`).
 *
 * makeReview(facts, found, win, nSteps) -> review
 *   review.mark(step)     the symbol of a step that cost something, null for any other
 *   review.words(step)    what is said of a step; "" if nothing is
 *   review.jumps          buttons to the next steps that are marked, for `makePlayer`
 *   review.track          the marks below the slider
 *   review.bar            how likely each seat is to win
 *   review.verdict        what is said of the step, and what was better
 *   review.set(step)      show a step; returns the place that would have been better, { route } or { city }, or null
 */

const SYMBOLS = { inaccuracy: "?!", mistake: "?", blunder: "??" };
const LABELS = { best: "The best move", good: "A good move", forced: "The only move" };

function lossWords({ label, loss: [value, low, high] }) {
  const percent = (share) => Math.max(0, Math.round(share));
  const name = label[0].toUpperCase() + label.slice(1);
  return `${name}: cost ${percent(value)}% of winning (${percent(low)} to ${percent(high)}%)`;
}

/* How likely each seat is to win: a part of the bar for each, with its number. */
function makeBar(facts, win) {
  const parts = facts.names.map((name, seat) => {
    const text = make("span");
    const part = make("span", { class: "ttr-share", "data-owner": seat }, make("b", { text: seat }), text);
    return { part, text };
  });
  const bar = make("div", { class: "ttr-bar", role: "img" }, ...parts.map(({ part }) => part));
  return {
    bar,
    set(step) {
      const shares = win.percent.map((values) => values[step]);
      bar.hidden = shares.includes(null);
      if (bar.hidden) return;
      const words = shares.map((share, seat) => `${seatName(facts, seat)} ${percentWords(share)}`);
      bar.setAttribute("aria-label", `Win probability: ${words.join(", ")}`);
      bar.title = words.join(", ");
      parts.forEach(({ part, text }, seat) => {
        part.style.flexGrow = shares[seat];
        setText(text, percentWords(shares[seat]));
      });
    },
  };
}

function makeReview(facts, found, win, nSteps) {
  const marked = Object.keys(found).map(Number).filter((step) => found[step].label in SYMBOLS);
  const mark = (step) => {
    const label = found[step]?.label;
    return label in SYMBOLS ? make("span", { class: "ttr-verdict-mark", "data-label": label, text: SYMBOLS[label] }) : null;
  };
  const words = (step) => {
    const one = found[step];
    if (!one) return "";
    return one.label in SYMBOLS ? lossWords(one) : LABELS[one.label];
  };
  const track = make("span", { class: "ttr-marks", "aria-hidden": "true" });
  for (const step of marked) {
    const place = mark(step);
    place.style.insetInlineStart = `${(100 * step) / Math.max(1, nSteps - 1)}%`;
    place.title = `${step}: ${words(step)}`;
    track.append(place);
  }
  const jumps = ["mistake", "blunder"].map((label) => ({
    label: [make("span", { class: "ttr-verdict-mark", "data-label": label, text: SYMBOLS[label] })],
    words: `next ${label}`,
    steps: marked.filter((step) => found[step].label === label),
    kind: "loss",
  }));
  const bar = makeBar(facts, win);
  const verdict = make("div", { class: "ttr-verdict ttr-panel", "aria-live": "polite" });
  return {
    mark,
    words,
    jumps,
    track,
    bar: bar.bar,
    verdict,
    set(step) {
      bar.set(step);
      const one = found[step];
      const symbol = mark(step);
      const better = one?.best
        ? [make("div", {}, "Better: ", make("b", { text: one.best }), one.reason ? ` – ${one.reason}` : "")]
        : [];
      const said = make("div", { class: "ttr-said" }, ...(symbol ? [symbol, " "] : []), words(step) || "Not judged");
      verdict.replaceChildren(said, ...better);
      return one?.place ?? null;
    },
  };
}
