// Sort and shorten tables, open folded sections, and save pictures. Without it, all content can still be unfolded.
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
  // The first click sorts numbers in descending order, text in ascending order; missing numbers stay last.
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
    table.closest(".frame").after(button);
    shorten();
    label();
  }
}

// On a small screen, the contents would fill the page, so they start closed.
if (matchMedia("(max-width: 70rem)").matches) document.querySelector("nav details").open = false;

// -- folding ------------------------------------------------------------------------------------------------------------

// Open a section when a link leads to it, and all of them for printing.
const folds = [...document.querySelectorAll("details.blocks")];
const unfold = () => {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  const fold = target.matches("section") ? target.querySelector("details.blocks") : target.closest("details.blocks");
  if (fold) { fold.open = true; target.scrollIntoView(); }
};
addEventListener("hashchange", unfold);
unfold();
let folded = [];
addEventListener("beforeprint", () => { folded = folds.filter((fold) => !fold.open); folded.forEach((fold) => { fold.open = true; }); });
addEventListener("afterprint", () => folded.forEach((fold) => { fold.open = false; }));

// -- tables wider than the page ------------------------------------------------------------------------------------------

for (const frame of document.querySelectorAll(".frame")) {
  const scroll = frame.querySelector(".scroll");
  const cue = document.createElement("p");
  cue.className = "cue";
  cue.textContent = "More columns: scroll sideways \u2192";
  frame.after(cue);
  const look = () => {
    const room = scroll.scrollWidth - scroll.clientWidth;
    frame.classList.toggle("more-left", scroll.scrollLeft > 1);
    frame.classList.toggle("more-right", scroll.scrollLeft < room - 1);
    cue.hidden = room <= 1;
  };
  scroll.addEventListener("scroll", look, { passive: true });
  new ResizeObserver(look).observe(scroll);
  look();
}

// -- saving pictures ---------------------------------------------------------------------------------------------------

// A drawing in the page takes its colors from the page, so they are copied too.
const standalone = (svg) => {
  const copy = svg.cloneNode(true);
  const box = svg.viewBox.baseVal;
  const look = getComputedStyle(svg);
  const size = svg.getBoundingClientRect();
  copy.setAttribute("width", size.width);
  copy.setAttribute("height", size.height);
  copy.style.color = look.color;
  copy.style.setProperty("--ttr-subject", look.getPropertyValue("--ttr-subject"));
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [key, value] of Object.entries({ x: box.x, y: box.y, width: box.width, height: box.height })) paper.setAttribute(key, value);
  paper.setAttribute("fill", getComputedStyle(document.documentElement).getPropertyValue("--card"));
  copy.prepend(paper);
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
};
const address = (shown) => (shown.matches("img") ? shown.currentSrc : standalone(shown));
const asPng = async (shown) => {
  const image = new Image();
  image.src = address(shown);
  await image.decode();
  const size = shown.getBoundingClientRect();
  const scale = Math.max(2, (image.naturalWidth || size.width) / size.width);
  const canvas = document.createElement("canvas");
  canvas.width = scale * size.width;
  canvas.height = scale * size.height;
  const pen = canvas.getContext("2d");
  pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--card");
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => { canvas.toBlob(done, "image/png"); });
};
const titled = (figure) => (figure.closest("section, li")?.querySelector("h2, h3")?.textContent || document.title).trim();
for (const figure of document.querySelectorAll("main figure:not(.table)")) {
  const shown = figure.querySelector("img, svg");
  if (!shown) continue;
  const tools = document.createElement("div");
  tools.className = "tools";
  const add = (word, act) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = word;
    button.setAttribute("aria-label", `${word}: picture of ${titled(figure)}`);
    button.addEventListener("click", async () => {
      try { await act(); button.textContent = "Done"; } catch { button.textContent = "Not supported here"; }
      setTimeout(() => { button.textContent = word; }, 2000);
    });
    tools.append(button);
  };
  add("Save", async () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await asPng(shown));
    link.download = `${titled(figure).replace(/[^\p{L}\p{N}]+/gu, "-")}.png`;
    link.click();
  });
  add("Copy", () => navigator.clipboard.write([new ClipboardItem({ "image/png": asPng(shown) })]));
  figure.append(tools);
}
