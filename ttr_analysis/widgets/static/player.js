/*
 * The controls of anything with steps: buttons, slider, Play, speed, keys. It holds the current step.
 *
 * makePlayer({nSteps, jumps, track, onStep}) -> {element, step, go(step), keys(event), stop()}
 *   jumps: [{label, words, steps, kind}]: each button leads to the next of its steps; grouped by kind, such as "claim"
 *   track: an element below the slider, equally wide
 *   keys(event): handles the arrows, Home, End and space; returns whether it used the key
 */

const ICONS = {
  first: "M3 2h2v12H3zM14 2v12L6 8z",
  previous: "M12 2v12L4 8z",
  play: "M4 2v12l9-6z",
  pause: "M3 2h4v12H3zM9 2h4v12H9z",
  next: "M4 2v12l8-6z",
  last: "M11 2h2v12h-2zM2 2v12l8-6z",
};
const SPEEDS = [[2000, "2 s"], [1000, "1 s"], [500, "0.5 s"], [250, "0.25 s"], [100, "0.1 s"]];

function iconButton(name, words, onclick) {
  const icon = makeSvg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, makeSvg("path", { d: ICONS[name] }));
  return make("button", { type: "button", class: `ttr-${name}`, "aria-label": words, title: words, onclick }, icon);
}

function makeSpeed() {
  const words = "Time for each step";
  const options = SPEEDS.map(([pause, text]) => make("option", { value: pause, text, selected: pause === 500 }));
  return make("select", { "aria-label": words, title: words }, ...options);
}

/*
 * Call `tick` repeatedly until it returns false or is stopped. Each call comes from a timeout set in a frame's callback,
 * so it runs right after the frame was drawn and has all the time until the next. A hidden page draws none, and waits.
 */
function makeTimer(pause, tick, onChange) {
  let running = null; // identifies the current start, so that callbacks of earlier ones do nothing
  const stop = () => {
    running = null;
    onChange(false);
  };
  const start = () => {
    const mine = (running = {});
    // Steps are due at fixed times, so that small delays do not add up.
    let next = performance.now();
    const wait = () => {
      next = Math.max(next + pause(), performance.now());
      setTimeout(() => requestAnimationFrame(() => setTimeout(run)), next - performance.now());
    };
    const run = () => {
      if (running !== mine) return;
      if (!tick()) stop();
      else if (running === mine) wait(); // not stopped during the tick
    };
    wait();
    onChange(true);
  };
  return { start, stop, isRunning: () => running !== null };
}

function makePlayer({ nSteps, jumps = [], track = null, onStep }) {
  const last = nSteps - 1;
  const first = iconButton("first", "First step (Home)", () => player.go(0));
  const previous = iconButton("previous", "Previous step (left arrow)", () => player.go(player.step - 1));
  const play = iconButton("play", "Play (space)", () => (timer.isRunning() ? timer.stop() : start()));
  const next = iconButton("next", "Next step (right arrow)", () => player.go(player.step + 1));
  const end = iconButton("last", "Last step (End)", () => player.go(last));
  play.classList.add("ttr-main");
  const range = { type: "range", min: 0, max: last, step: 1 };
  const slider = make("input", { ...range, class: "ttr-slider", "aria-label": "Step" });
  slider.addEventListener("input", () => player.go(Number(slider.value)));
  const count = make("span", { class: "ttr-count ttr-quiet" });
  const speed = makeSpeed();
  speed.addEventListener("change", () => timer.isRunning() && timer.start());
  const jumpers = jumps.map(({ label, words, steps, kind }) => {
    const ahead = () => steps.find((step) => step > player.step);
    const names = { class: `ttr-jump-${kind}`, "aria-label": words, title: words };
    const element = make("button", { type: "button", ...names, onclick: () => player.go(ahead()) }, ...label);
    return { kind, element, update: () => (element.disabled = ahead() === undefined) };
  });
  const groups = [...new Set(jumps.map(({ kind }) => kind))].map((kind) => {
    const elements = jumpers.filter((one) => one.kind === kind).map((one) => one.element);
    return make("span", { class: "ttr-jumps ttr-group ttr-quiet" }, `next ${kind}`, ...elements);
  });

  const playOn = () => {
    show(player.step + 1);
    return player.step < last;
  };
  const timer = makeTimer(() => Number(speed.value), playOn, (runs) => {
    const words = runs ? "Pause (space)" : "Play (space)";
    play.querySelector("path").setAttribute("d", runs ? ICONS.pause : ICONS.play);
    play.setAttribute("aria-label", words);
    play.title = words;
  });
  function start() {
    if (player.step === last) show(0);
    timer.start();
  }
  function show(step) {
    const wanted = Math.min(last, Math.max(0, step));
    if (wanted === player.step) return;
    player.step = wanted;
    slider.value = wanted;
    slider.setAttribute("aria-valuetext", `step ${wanted} of ${last}`);
    setText(count, `${wanted} / ${last}`);
    first.disabled = previous.disabled = wanted === 0;
    next.disabled = end.disabled = wanted === last;
    for (const jumper of jumpers) jumper.update();
    // A disabled button loses the focus, and keys would no longer reach the player.
    if (element.querySelector(":disabled:focus")) slider.focus({ preventScroll: true });
    onStep(wanted);
  }
  function keys(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.tagName === "SELECT") return false;
    const [back, ahead] = [player.step - 1, player.step + 1];
    const ways = { ArrowLeft: back, ArrowUp: back, ArrowRight: ahead, ArrowDown: ahead, Home: 0, End: last };
    if (event.key in ways) player.go(ways[event.key]);
    else if (event.key === " " && event.target.tagName !== "BUTTON") play.click();
    else return false;
    return true;
  }
  const element = make(
    "div",
    { class: "ttr-controls ttr-row", role: "group", "aria-label": "Steps" },
    make("span", { class: "ttr-buttons ttr-group" }, first, previous, play, next, end),
    make("span", { class: "ttr-track" }, slider, ...(track ? [track] : [])),
    count,
    make("label", { class: "ttr-group ttr-quiet" }, "per step", speed),
    ...groups,
  );
  const player = { element, step: -1, keys, stop: timer.stop };
  player.go = (step) => {
    if (timer.isRunning()) timer.stop();
    if (step !== undefined) show(step);
  };
  return player;
}
