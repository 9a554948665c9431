/*
 * Train cards as chips: color, symbol and number, and the same in words.
 *
 * cardChip(sheet, kind, {count, onClick, label}) -> element with update({count, kind})
 *   `kind` is a color, "locomotive", "?" for an unknown card, or null for an empty slot. `count` null shows no number.
 *   With `onClick` it is a <button>, else a <span role="img">. `label` replaces the words "3 blue".
 * cardRow(container, sheet, kinds) -> {chips, set(counts, unknown = 0)}
 *   One chip per kind, hidden if its count is 0. `counts` is in the order of `kinds`.
 * playerMark(seat) -> element: the seat's color with its number; "neutral" for the neutral player.
 */

function playerMark(seat) {
  const symbol = seat === "neutral" ? "N" : seat;
  return make("span", { class: "ttr-mark", "data-owner": seat, "aria-hidden": "true", text: symbol });
}

function cardFace(sheet, kind) {
  const svg = makeSvg("svg", { class: "ttr-face", viewBox: "-62 -86 124 172", "aria-hidden": "true" });
  const look = sheet.cards[kind];
  const box = { x: -56, y: -80, width: 112, height: 160, rx: 14 };
  if (look) {
    svg.append(
      makeSvg("rect", { ...box, fill: look.fill, stroke: look.edge, "stroke-width": 8 }),
      makeSvg("path", { d: look.symbol, fill: look.ink, transform: "scale(.8)" }),
    );
  } else {
    svg.append(makeSvg("rect", { ...box, class: "ttr-back" }));
    if (kind === "?") svg.append(makeSvg("text", { class: "ttr-unknown", y: 34, "text-anchor": "middle", text: "?" }));
  }
  return svg;
}

function cardChip(sheet, kind, { count = null, onClick = null, label = null } = {}) {
  const number = make("span", { class: "ttr-number", "aria-hidden": "true" });
  const chip = onClick
    ? make("button", { type: "button", class: "ttr-card", onclick: onClick })
    : make("span", { role: "img", class: "ttr-card" });
  const shown = {};
  chip.update = (change) => {
    if ("kind" in change && change.kind !== shown.kind) {
      chip.replaceChildren(cardFace(sheet, change.kind), number);
      chip.dataset.card = change.kind ?? "";
    }
    Object.assign(shown, change);
    const what = { "?": "unknown", null: "empty" }[shown.kind] ?? shown.kind;
    const words = label ?? (shown.count === null ? what : `${shown.count} ${what}`);
    chip.setAttribute("aria-label", words);
    chip.title = words;
    chip.hidden = shown.count === 0 && !onClick;
    setText(number, shown.count === null ? "" : String(shown.count));
  };
  chip.update({ kind, count });
  return chip;
}

function cardRow(container, sheet, kinds) {
  const chips = kinds.map((kind) => cardChip(sheet, kind, { count: 0 }));
  const unknown = cardChip(sheet, "?", { count: 0 });
  container.append(...chips, unknown);
  return {
    chips,
    set(counts, n_unknown = 0) {
      chips.forEach((chip, k) => chip.update({ count: counts[k] }));
      unknown.update({ count: n_unknown });
    },
  };
}
