/*
 * The review of the steps of a game (`ttr_analysis.widgets.stepper.review_data`).
 *
 * makeReview(facts, found, win, nSteps) -> review
 *   review.mark(step)     the symbol of a costly step, else null
 *   review.words(step)    the judgment of a step, or ""
 *   review.jumps, review.track      buttons to the marked steps and marks below the slider, for `makePlayer`
 *   review.bar, review.verdict      win probabilities; the judgment and the better move
 *   review.set(step)      shows a step; returns the better place, { route } or { city }, or null
 */

const SYMBOLS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

function verdictMark(label) {
  return make("span", { class: "ttr-mark ttr-verdict-mark", "data-label": label, text: SYMBOLS[label] });
}

/* Make the win probabilities, a short bar for each seat. */
function makeBar(facts, win) {
  const parts = facts.names.map((_, seat) => {
    const text = make("span");
    const part = make("span", { class: "ttr-share", "data-owner": seat }, make("b", { text: seat }), text);
    return { part, text };
  });
  const element = make("div", { class: "ttr-chances", role: "img" }, ...parts.map(({ part }) => part));
  return {
    element,
    set(step) {
      const shares = win.percent.map((values) => values[step]);
      element.hidden = shares.includes(null);
      if (element.hidden) return;
      const words = shares.map((share, seat) => `${facts.names[seat]} ${percentWords(share)}`).join(", ");
      element.setAttribute("aria-label", `Win probability: ${words}`);
      element.title = words;
      parts.forEach(({ part, text }, seat) => {
        part.style.setProperty("--ttr-percent", `${shares[seat]}%`);
        setText(text, percentWords(shares[seat]));
      });
    },
  };
}

function makeReview(facts, found, win, nSteps) {
  const marked = Object.keys(found).map(Number).filter((step) => found[step].label in SYMBOLS);
  const mark = (step) => (found[step]?.label in SYMBOLS ? verdictMark(found[step].label) : null);
  const words = (step) => found[step]?.words ?? "";
  const track = make("span", { class: "ttr-marks", "aria-hidden": "true" });
  for (const step of marked) {
    const place = make("span", { class: "ttr-tick", "data-label": found[step].label });
    place.style.insetInlineStart = `${(100 * step) / Math.max(1, nSteps - 1)}%`;
    place.title = `${step}: ${words(step)}`;
    track.append(place);
  }
  const jumps = ["mistake", "blunder"].map((label) => ({
    label: [verdictMark(label)],
    words: `next ${label}`,
    steps: marked.filter((step) => found[step].label === label),
    kind: "mistake",
  }));
  const bar = makeBar(facts, win);
  const verdict = make("div", { class: "ttr-verdict ttr-panel", "aria-live": "polite" });
  return {
    mark,
    words,
    jumps,
    track,
    bar: bar.element,
    verdict,
    set(step) {
      bar.set(step);
      const { best = "", reason = "", place = null } = found[step] ?? {};
      const better = ["Better: ", make("b", { text: best }), reason ? ` – ${reason}` : ""];
      verdict.replaceChildren(
        make("b", {}, mark(step) ?? "", " ", words(step) || "Not judged"),
        best ? make("div", {}, ...better) : "",
      );
      return place;
    },
  };
}
