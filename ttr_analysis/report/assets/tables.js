// Sorting and shortening of tables. Without it every row is there, in the order of the study.
"use strict";
for (const table of document.querySelectorAll("figure.table table")) {
  const body = table.tBodies[0];
  const headings = [...table.tHead.rows[0].cells];
  const shown = Number(table.dataset.shown || 0);
  let showsAll = shown === 0;
  const shorten = () => [...body.rows].forEach((row, i) => { row.hidden = !showsAll && i >= shown; });

  const value = (row, column) => {
    const cell = row.cells[column];
    if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
    return cell.classList.contains("number") ? NaN : cell.textContent;
  };
  // Numbers begin with the largest, texts with the first; missing numbers stay last.
  const compare = (a, b, up) => {
    if (typeof a === "string" || typeof b === "string") return (up ? 1 : -1) * String(a).localeCompare(String(b));
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
    return up ? a - b : b - a;
  };
  headings.forEach((heading, column) => {
    heading.querySelector("button").addEventListener("click", () => {
      const before = heading.getAttribute("aria-sort");
      const up = before ? before === "descending" : heading.classList.contains("text");
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = [...body.rows];
      rows.sort((a, b) => compare(value(a, column), value(b, column), up));
      body.append(...rows);
      shorten();
    });
  });

  if (!showsAll) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "more";
    const label = () => {
      button.textContent = showsAll ? `Show the first ${shown}` : `Show all ${body.rows.length}`;
      button.setAttribute("aria-expanded", String(showsAll));
    };
    button.addEventListener("click", () => { showsAll = !showsAll; shorten(); label(); });
    table.parentElement.after(button);
    shorten();
    label();
  }
}

// On a small screen the contents would fill it: closed there at first.
if (matchMedia("(max-width: 70rem)").matches) document.querySelector("nav details").open = false;
