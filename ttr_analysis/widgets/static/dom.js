/*
 * What every widget needs of a page. Text from maps and records is anybody's: it is set as text or as an attribute,
 * never as markup.
 *
 * make(tag, attributes, ...children) -> element; makeSvg the same for SVG.
 *   Attributes: "text" is the text within, "on..." a listener, false, null and undefined leave one out.
 * keepKeys(root, onKey): all keys pressed within `root` stay there; `onKey(event)` returns whether it used the key.
 * setText(element, text): changes the page only if the text is another one.
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

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function keepKeys(root, onKey = () => false) {
  root.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (!event.defaultPrevented && onKey(event)) event.preventDefault();
  });
  for (const kind of ["keyup", "keypress"]) root.addEventListener(kind, (event) => event.stopPropagation());
}
