/*
 * A small line chart over the steps of a game. It is drawn once; stepping moves the cursor only.
 *
 * drawChart(container, {label, series, onStep, isPercent}) -> {setCursor(step)}
 *   series: [{label, color, ink, dashes, symbol, values}], one value a step, null where there is none. After its last
 *     value each line leads to its symbol, so that those who do not see colors know whose dashes are whose.
 *   onStep(step): called when a step is clicked.
 *   isPercent: whether values go from 0 to 100%.
 */

const CHART = { width: 640, height: 150, left: 52, right: 70, top: 12, bottom: 18 };
const LINE = 2.4; // width of the lines; dashes are told in widths
const LEAD = 30; // length of what leads to a symbol

function niceStep(span) {
  const rough = Math.max(span, 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  return Math.max(1, [1, 2, 5, 10].find((k) => k * power >= rough) * power);
}

/* Places for the symbols at the ends of lines: those of lines that end close to each other keep apart. */
function placeEnds(ends) {
  const apart = 22; // a little more than a tag is high in the largest type
  ends.sort((one, other) => one.at - other.at);
  ends.forEach((end, k) => (end.at = k ? Math.max(end.at, ends[k - 1].at + apart) : end.at));
  let lowest = CHART.height - 12;
  for (const end of ends.reverse()) {
    end.at = Math.min(end.at, lowest);
    lowest = end.at - apart;
  }
}

/* A line with its dashes. A casing keeps pale colors apart from the page. */
function drawLine(d, { label, color, dashes }) {
  const dashed = { "stroke-dasharray": dashes.map((length) => (length * LINE).toFixed(1)).join(" ") || null };
  const curve = { d, class: "ttr-curve", stroke: color, "stroke-width": LINE, ...dashed };
  return [
    makeSvg("path", { d, class: "ttr-casing", "stroke-width": LINE + 1.2, ...dashed }),
    makeSvg("path", curve, makeSvg("title", { text: label })),
  ];
}

/* What leads from the end of a line to its symbol, on a tag of its color. */
function drawEnd({ u, v, at, look }) {
  const tag = makeSvg("rect", { y: "-0.65em", width: "2.3em", height: "1.3em", rx: 4, fill: look.color });
  const middle = { x: "1.15em", y: "0.36em", "text-anchor": "middle" };
  const symbol = makeSvg("text", { ...middle, class: "ttr-end", fill: look.ink, text: look.symbol });
  const place = { transform: `translate(${u + LEAD} ${at})` };
  return [...drawLine(`M${u} ${v}L${u + LEAD} ${at}`, look), makeSvg("g", place, tag, symbol)];
}

function drawChart(container, { label, series, onStep = null, isPercent = false }) {
  const { width, height, left, right, top, bottom } = CHART;
  const values = isPercent ? [0, 100] : series.flatMap((one) => one.values).filter((value) => value !== null);
  const tick = isPercent ? 25 : niceStep(Math.max(...values, 0) - Math.min(...values, 0));
  const low = Math.floor(Math.min(...values, 0) / tick) * tick;
  const high = Math.max(low + tick, Math.ceil(Math.max(...values, 0) / tick) * tick);
  const last = Math.max(...series.map((one) => one.values.length)) - 1;
  const x = (step) => left + ((width - left - right) * step) / Math.max(last, 1);
  const y = (value) => top + ((height - top - bottom) * (high - value)) / (high - low);

  const names = { class: "ttr-chart", role: "img", "aria-label": label };
  const svg = makeSvg("svg", { ...names, viewBox: `0 0 ${width} ${height}` });
  for (let value = low; value <= high; value += tick) {
    const at = { x1: left, x2: width - right, y1: y(value), y2: y(value) };
    svg.append(
      makeSvg("line", { ...at, class: value === 0 ? "ttr-axis" : "ttr-gridline" }),
      makeSvg("text", { x: left - 5, y: y(value) + 4, "text-anchor": "end", text: isPercent ? `${value}%` : value }),
    );
  }
  const ends = [];
  for (const { values: points, ...look } of series) {
    const known = points.map((value, step) => [step, value]).filter(([, value]) => value !== null);
    if (!known.length) continue;
    const at = known.map(([step, value]) => [x(step).toFixed(1), y(value).toFixed(1)]);
    svg.append(...drawLine(at.map(([u, v], k) => (k ? `H${u}V${v}` : `M${u} ${v}`)).join(""), look));
    const [u, v] = at[at.length - 1].map(Number);
    ends.push({ u, v, at: v, look });
  }
  placeEnds(ends);
  svg.append(...ends.flatMap(drawEnd));
  const cursor = makeSvg("line", { class: "ttr-cursor", x1: 0, x2: 0, y1: top, y2: height - bottom });
  svg.append(cursor);
  if (onStep) {
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      const share = (((event.clientX - box.left) / box.width) * width - left) / (width - left - right);
      onStep(Math.min(last, Math.max(0, Math.round(share * last))));
    });
  }
  container.append(svg);
  return {
    setCursor(step) {
      cursor.setAttribute("transform", `translate(${x(step).toFixed(1)})`);
    },
  };
}
