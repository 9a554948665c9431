/*
 * Shared by the widgets that answer questions: inputs that follow the model, and counters for cards.
 *
 * follow(model, names, onChange) -> stop      calls `onChange` now and whenever one of the traits changes
 * answerPage(el, name, label) -> {root, live}      the frame of a widget, and a line that screen readers announce
 * choice(options, onChoose) -> <select>      options: [{id, words, group}]
 * cardTable(facts, rows, onChange) -> {element, set(name, counts), blame(kind), setUnseen(counts)}
 *   Counters, one column per kind of card. rows: [{name, words}]; onChange(name, counts by kind).
 * answerTable(caption, heads) -> {element, body}, answerRow(name, cells)
 * heldCards(sheet, kinds, held) -> element      chips for cards by kind
 */

function follow(model, names, onChange) {
  const stop = listen(model, Object.fromEntries(names.map((name) => [name, onChange])));
  onChange();
  return stop;
}

function ask(model, change) {
  for (const [name, value] of Object.entries(change)) model.set(name, value);
  model.save_changes();
}

function answerPage(el, name, label) {
  const root = makeRoot(el, { classes: `ttr-answers ttr-${name}`, label });
  return { root, live: make("p", { class: "ttr-live", "aria-live": "polite" }) };
}

function labeled(words, control) {
  return make("label", { class: "ttr-labeled ttr-line" }, make("span", { text: words }), control);
}

function choice(options, onChoose) {
  const select = make("select", { onchange: () => onChoose(select.value) });
  const groups = new Map();
  for (const { id, words, group = "" } of options) {
    if (group && !groups.has(group)) groups.set(group, select.appendChild(make("optgroup", { label: group })));
    (groups.get(group) ?? select).append(make("option", { value: id, text: words }));
  }
  return select;
}

function markInvalid(input, wrong) {
  if (wrong) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
}

/* Python rejects numbers that are too large, with a message; only whole numbers are sent. */
function isWhole({ value, validity }) {
  return !validity.badInput && /^\d{0,4}$/.test(value);
}

function answerTable(caption, heads) {
  const body = make("tbody");
  const head = make("tr", {}, ...heads.map((text) => make("th", { scope: "col", text })));
  const title = make("caption", { class: "ttr-unseen", text: caption });
  return { element: make("table", { class: "ttr-table" }, title, make("thead", {}, head), body), body };
}

/* Return a row of words, numbers or elements. */
function answerRow(name, cells) {
  const others = cells.map((cell) => make("td", { class: cell instanceof Element ? null : "is-number" }, cell));
  return make("tr", {}, make("th", { scope: "row" }, name), ...others);
}

function cardTable({ sheet, kinds, deck }, rows, onChange) {
  const inputs = new Map();
  const unseen = kinds.map(() => make("td"));
  const head = kinds.map((kind) => make("th", { scope: "col" }, cardChip(sheet, kind)));
  const body = rows.map(({ name, words }) => {
    const cells = kinds.map((kind, k) => {
      const limits = { type: "number", min: 0, max: deck[k], step: 1, inputmode: "numeric" };
      const input = make("input", { ...limits, "aria-label": `${words}: ${kind}`, oninput: () => changed(name) });
      input.addEventListener("blur", () => input.value === "" && isWhole(input) && (input.value = 0));
      return input;
    });
    inputs.set(name, cells);
    const th = make("th", { scope: "row", text: words });
    return make("tr", {}, th, ...cells.map((input) => make("td", {}, input)));
  });
  const foot = make("tr", { class: "ttr-quiet" }, make("th", { scope: "row", text: "Unseen" }), ...unseen);

  const mark = (input, wrong) => {
    input.classList.toggle("is-zero", Number(input.value) === 0);
    markInvalid(input, wrong);
  };
  function changed(name) {
    const cells = inputs.get(name);
    for (const input of cells) mark(input, !isWhole(input));
    if (!cells.every(isWhole)) return;
    const counts = kinds.map((kind, k) => [kind, Number(cells[k].value)]);
    onChange(name, Object.fromEntries(counts.filter(([, n]) => n > 0)));
  }

  return {
    element: make(
      "div",
      { class: "ttr-counters" },
      make("table", {}, make("thead", {}, make("tr", {}, make("td"), ...head)), make("tbody", {}, ...body, foot)),
    ),
    set(name, counts) {
      inputs.get(name).forEach((input, k) => {
        const n = counts[kinds[k]] ?? 0;
        // An empty field with the focus is being edited.
        const typing = input.value === "" && input.matches(":focus");
        if (Number(input.value) !== n || (input.value === "" && !typing)) input.value = n;
        mark(input, false);
      });
    },
    blame(kind) {
      for (const cells of inputs.values()) mark(cells[kinds.indexOf(kind)], true);
    },
    setUnseen(counts) {
      unseen.forEach((cell, k) => setText(cell, counts === null ? "–" : String(counts[kinds[k]] ?? 0)));
    },
  };
}

function heldCards(sheet, kinds, held) {
  const chips = kinds.filter((kind) => held[kind]).map((kind) => cardChip(sheet, kind, { count: held[kind] }));
  return make("span", {}, ...chips);
}
