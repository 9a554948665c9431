/*
 * The controls of something that has steps: buttons, slider, Play, speed, keys. Which step it is, is kept here.
 *
 * makePlayer({nSteps, jumps, onStep}) -> {element, step, go(step), keys(event), stop()}
 *   jumps: [{label, words, steps}], a button each that goes on to the next of its steps.
 *   onStep(step): called whenever it is another one.
 *   keys(event): does what the arrows, Home, End and space ask for; returns whether it did.
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

function makePlayer({ nSteps, jumps = [], onStep }) {
  const last = nSteps - 1;
  let timer = null;
  const player = { step: -1 };

  const button = (name, words, onclick) => {
    const icon = makeSvg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, makeSvg("path", { d: ICONS[name] }));
    return make("button", { type: "button", class: `ttr-${name}`, "aria-label": words, title: words, onclick }, icon);
  };
  const first = button("first", "First step (Home)", () => player.go(0));
  const previous = button("previous", "Previous step (left arrow)", () => player.go(player.step - 1));
  const play = button("play", "", () => (timer ? player.stop() : start()));
  const next = button("next", "Next step (right arrow)", () => player.go(player.step + 1));
  const end = button("last", "Last step (End)", () => player.go(last));
  play.classList.add("ttr-main");
  const range = { type: "range", min: 0, max: last, step: 1 };
  const slider = make("input", { ...range, class: "ttr-slider", "aria-label": "Step" });
  slider.addEventListener("input", () => player.go(Number(slider.value)));
  const count = make("span", { class: "ttr-count" });
  const speed = make("select", { class: "ttr-speed", "aria-label": "Time for each step", title: "Time for each step" });
  for (const [pause, words] of SPEEDS) speed.append(make("option", { value: pause, text: words }));
  speed.value = "500";
  speed.addEventListener("change", () => timer && start());
  const jumpers = jumps.map(({ label, words, steps }) => {
    const ahead = () => steps.find((step) => step > player.step);
    const names = { class: "ttr-jump-claim", "aria-label": words, title: words };
    const element = make("button", { type: "button", ...names, onclick: () => player.go(ahead()) }, ...label);
    return { element, update: () => (element.disabled = ahead() === undefined) };
  });

  function showPlay() {
    play.querySelector("path").setAttribute("d", timer ? ICONS.pause : ICONS.play);
    const words = timer ? "Pause (space)" : "Play (space)";
    play.setAttribute("aria-label", words);
    play.title = words;
  }
  function start() {
    player.stop();
    if (player.step === last) player.go(0);
    // The next step is due at a time of its own, so that small delays do not add up.
    const pause = () => Number(speed.value);
    let due = performance.now() + pause();
    const tick = () => {
      player.go(player.step + 1, { playing: true });
      if (player.step === last) return player.stop();
      due = Math.max(due + pause(), performance.now());
      timer = setTimeout(tick, due - performance.now());
    };
    timer = setTimeout(tick, pause());
    showPlay();
  }
  player.stop = () => {
    clearTimeout(timer);
    timer = null;
    showPlay();
  };
  player.go = (step, { playing = false } = {}) => {
    if (!playing && timer) player.stop();
    const wanted = Math.min(last, Math.max(0, step ?? player.step));
    if (wanted === player.step) return;
    player.step = wanted;
    slider.value = wanted;
    slider.setAttribute("aria-valuetext", `step ${wanted} of ${last}`);
    setText(count, `${wanted} / ${last}`);
    first.disabled = previous.disabled = wanted === 0;
    next.disabled = end.disabled = wanted === last;
    for (const jumper of jumpers) jumper.update();
    // A button that is disabled lets go of the focus, and the keys would go elsewhere.
    if (player.element.querySelector(":disabled:focus")) slider.focus({ preventScroll: true });
    onStep(wanted);
  };
  player.keys = (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.tagName === "SELECT") return false;
    const [back, ahead] = [player.step - 1, player.step + 1];
    const ways = { ArrowLeft: back, ArrowUp: back, ArrowRight: ahead, ArrowDown: ahead, Home: 0, End: last };
    if (event.key in ways) player.go(ways[event.key]);
    else if (event.key === " " && event.target.tagName !== "BUTTON") play.click();
    else return false;
    return true;
  };
  const jumpButtons = jumpers.map(({ element }) => element);
  player.element = make(
    "div",
    { class: "ttr-controls", role: "group", "aria-label": "Steps" },
    make("span", { class: "ttr-buttons" }, first, previous, play, next, end),
    slider,
    count,
    make("label", { class: "ttr-field" }, make("span", { text: "each" }), speed),
    make("span", { class: "ttr-jumps", hidden: !jumps.length }, "next claim", ...jumpButtons),
  );
  showPlay();
  return player;
}
