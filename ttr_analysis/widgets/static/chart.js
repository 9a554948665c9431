/*
 * A small line chart over the steps of a game. It is drawn once; stepping moves the cursor only.
 *
 * drawChart(container, {label, series, onStep, isPercent}) -> {setCursor(step)}
 *   series: [{label, color, symbol, values}], one value a step, null where there is none. Lines end in their symbols,
 *     each where its last value is.
 *   onStep(step): called when a step is clicked.
 *   isPercent: whether values go from 0 to 100%.
 */

const CHART = { width: 640, height: 150, left: 52, right: 32, top: 10, bottom: 18 };

function niceStep(span) {
  const rough = Math.max(span, 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  return Math.max(1, [1, 2, 5, 10].find((k) => k * power >= rough) * power);
}

/* Places for the symbols at the ends of lines: those of lines that end close to each other keep apart. */
function placeEnds(ends) {
  const apart = 15;
  ends.sort((one, other) => one.at - other.at);
  ends.forEach((end, k) => (end.at = k ? Math.max(end.at, ends[k - 1].at + apart) : end.at));
  let lowest = CHART.height - 6;
  for (const end of ends.reverse()) {
    end.at = Math.min(end.at, lowest);
    lowest = end.at - apart;
  }
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
  for (const { label: name, color, symbol, values: points } of series) {
    const known = points.map((value, step) => [step, value]).filter(([, value]) => value !== null);
    if (!known.length) continue;
    const at = known.map(([step, value]) => [x(step).toFixed(1), y(value).toFixed(1)]);
    const d = at.map(([u, v], k) => (k ? `H${u}V${v}` : `M${u} ${v}`)).join("");
    svg.append(
      makeSvg("path", { d, class: "ttr-casing" }),
      makeSvg("path", { d, class: "ttr-curve", stroke: color }, makeSvg("title", { text: name })),
    );
    const [end, value] = known[known.length - 1];
    ends.push({ x: x(end) + 5, at: y(value), symbol });
  }
  placeEnds(ends);
  for (const { x, at, symbol } of ends) svg.append(makeSvg("text", { x, y: at + 4, class: "ttr-end", text: symbol }));
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
