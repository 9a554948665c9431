/* A chart drawn by `ttr_analysis.viz.svg`; only its cursor moves. onStep(step) is called when a step is clicked. */

function showChart(container, text, onStep) {
  const page = make("template");
  page.innerHTML = text; // by Python, which has escaped every name
  const svg = document.importNode(page.content.firstChild, true);
  const [left, right, last] = svg.dataset.steps.split(" ").map(Number);
  const cursor = svg.querySelector(".ttr-cursor");
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
    onStep(Math.min(last, Math.max(0, Math.round((last * (at - left)) / (right - left)))));
  });
  container.append(svg);
  const across = (step) => left + ((right - left) * step) / Math.max(last, 1);
  return { setCursor: (step) => cursor.setAttribute("transform", `translate(${across(step).toFixed(1)})`) };
}
