/*
 * Helpers for all widgets. Text from maps and records is untrusted: it is set as text or as an attribute, never
 * as markup.
 *
 * make(tag, attributes, ...children) -> element; makeSvg does the same for SVG, makeButton(text, onclick, attributes).
 *   Attributes: "text" is the text content, "on..." a listener; false, null and undefined are left out.
 * makeRoot(el, {classes, label, onKey, ...attributes}, ...children) -> element
 *   The frame of a widget. Key presses do not leave it; `onKey(event)` returns whether it used the key.
 * listen(model, {trait: listener}) -> stop;  stopAll(...stops) -> stop
 * keepFocus(part, change, region): changes `part`. If that removes, hides or disables the focused element, the focus moves
 *   to the element with the same `data-key`, else to the nearest key that is left, else to `region` (default: `part`),
 *   from where it returns once the element is usable again. Call it for every change that redraws or disables controls.
 */

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === "text") element.textContent = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function makeSvg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function makeButton(text, onclick, attributes = {}) {
  return make("button", { type: "button", text, onclick, ...attributes });
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function isLost(element) {
  return !element || element === document.body || element.closest(":disabled, [inert]") || !element.checkVisibility();
}

const heldBefore = new WeakMap(); // the element that had the focus before, by the region that has it now

function forgetHeld({ currentTarget: region }) {
  // Switching to another window does not move the focus.
  if (region.getRootNode().activeElement !== region) heldBefore.delete(region);
}

function keepFocus(part, change, region = part) {
  const page = part.getRootNode();
  const held = part.contains(page.activeElement) ? page.activeElement : null;
  const keyed = () => [...part.querySelectorAll("[data-key]")];
  const before = held?.dataset.key === undefined ? [] : keyed();
  const at = before.indexOf(held);
  change();
  const back = heldBefore.get(held);
  if (back && page.activeElement === held && !isLost(back)) back.focus({ preventScroll: true });
  if (!held || !isLost(page.activeElement)) return;
  const now = new Map(keyed().map((element) => [element.dataset.key, element]));
  const nearest = before.length ? [...before.slice(at), ...before.slice(0, at).reverse()] : [];
  const places = nearest.flatMap(({ dataset }) => now.get(dataset.key) ?? []);
  for (const place of [...places, region, part.closest(".ttr")]) {
    if (place.tabIndex < 0) place.tabIndex = -1;
    place.focus({ preventScroll: true });
    if (isLost(page.activeElement)) continue;
    if (place.tabIndex < 0) {
      heldBefore.set(place, held);
      place.addEventListener("blur", forgetHeld);
    }
    return;
  }
}

function makeRoot(el, { classes, label, onKey = () => false, ...attributes }, ...children) {
  const names = { class: `ttr ${classes}`, "data-lm-suppress-shortcuts": "true", role: "region", "aria-label": label };
  const root = make("div", { ...names, ...attributes }, ...children);
  root.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (!event.defaultPrevented && onKey(event)) event.preventDefault();
  });
  for (const kind of ["keyup", "keypress"]) root.addEventListener(kind, (event) => event.stopPropagation());
  el.append(root);
  return root;
}

function listen(model, listeners) {
  const entries = Object.entries(listeners);
  for (const [name, listener] of entries) model.on(`change:${name}`, listener);
  return () => entries.forEach(([name, listener]) => model.off(`change:${name}`, listener));
}

function stopAll(...stops) {
  return () => stops.forEach((stop) => stop());
}
