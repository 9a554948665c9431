/* Step through a game. All data comes at once (`ttr_analysis.widgets.snapshot`), so the page works without Python. */

// Milliseconds until a step is saved, after the last and after the first unsaved one. Browsers allow 100 changes of the
// address in 30 seconds.
const SAVE_AFTER = 300;
const SAVE_AT_LAST = 3000;

/* Make the table of moves; those whose steps are in `claimed` stand out. All rows have the same height. */
function makeMoves(moves, claimed, review, onJump) {
  const names = ["step", "seat", "move"].map((text) => make("th", { scope: "col", text }));
  const caption = make("caption", { class: "ttr-unseen", text: "Moves: choose one to go there" });
  const table = make("table", {}, caption, make("thead", {}, make("tr", {}, ...names)));
  // In groups of a few rows: the browser does not repaint a group in which nothing changes.
  const GROUP = 16;
  let group = null;
  const rows = moves.map(([seat, text], step) => {
    const mark = review?.mark(step);
    const words = { title: mark ? `${text} (${review.words(step)})` : text };
    const names = { type: "button", class: "ttr-jump", tabindex: -1, "data-step": step };
    const jump = make("button", { ...names, ...words }, ...(mark ? [mark, " "] : []), text);
    const who = seat === null ? "" : playerMark(seat);
    const cells = [make("td", { text: step }), make("td", {}, who), make("td", {}, jump)];
    const row = make("tr", { class: claimed.has(step) ? "is-claim" : "" }, ...cells);
    if (step % GROUP === 0) group = table.appendChild(make("tbody"));
    group.append(row);
    return { row, jump };
  });
  table.addEventListener("click", (event) => {
    const jump = event.target.closest("tr")?.querySelector(".ttr-jump");
    if (jump) onJump(Number(jump.dataset.step));
  });
  const element = make("div", { class: "ttr-moves" }, table);
  const HEIGHT = 28;
  let current = null;
  // Scroll a page at a time, since scrolling repaints all rows.
  function reveal() {
    const [top, room] = [Number(current.jump.dataset.step) * HEIGHT, element.clientHeight - 2 * HEIGHT];
    if (top > element.scrollTop + room) element.scrollTop = top - HEIGHT;
    else if (top < element.scrollTop) element.scrollTop = top + HEIGHT - room;
  }
  const observer = new ResizeObserver(reveal); // it has no size before it is on the page
  observer.observe(element);
  return {
    element,
    set(step) {
      if (current) {
        current.row.removeAttribute("aria-current");
        current.jump.tabIndex = -1;
      }
      current = rows[step];
      current.row.setAttribute("aria-current", "step");
      current.jump.tabIndex = 0;
      reveal();
    },
    stop: () => observer.disconnect(),
  };
}

/* Show the cards that a step moved, in labeled groups. */
function cardsMoved(sheet, groups) {
  return groups.map(([what, kinds]) => {
    const counts = new Map();
    for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const chips = [...counts].map(([kind, n]) => cardChip(sheet, kind, { count: n > 1 ? n : null }));
    return make("span", { class: "ttr-moved" }, make("span", { class: "ttr-quiet", text: `${what} ` }), ...chips);
  });
}

/* Make the title, note, and mark of the last round. */
function makeTop({ title, about, note }) {
  const lastRound = make("span", { class: "ttr-last-round", "data-field": "left" });
  const element = make(
    "header",
    { class: "ttr-top ttr-row" },
    make("h2", {}, make("bdi", { text: title })),
    make("span", { class: "ttr-quiet", text: about }),
    lastRound,
    make("p", { class: "ttr-note ttr-quiet", dir: "auto", text: note, hidden: !note }),
  );
  function setLeft(left) {
    lastRound.hidden = left === null;
    setText(lastRound, left === null ? "" : `last round: ${several(left, "turn")} left`);
  }
  return { element, setLeft };
}

/* Show a step in words, the cards that moved, whose turn it is, and the place in the source if known. */
function makeNow(facts, isStamped) {
  const live = make("div", { class: "ttr-live", "aria-live": "polite" });
  const moved = make("div", { class: "ttr-hand" });
  const turn = make("span", { class: "ttr-quiet", "data-field": "turn" });
  const source = make("span", { class: "ttr-stamp ttr-quiet", "data-field": "stamp", dir: "auto", hidden: !isStamped });
  return {
    element: make("div", { class: "ttr-now ttr-panel" }, live, moved, turn, source),
    set(moment, [seat, text, cards, , stamp = ""]) {
      setText(live, seat === null ? text : `${facts.names[seat]} ${text}`);
      moved.replaceChildren(...cardsMoved(facts.sheet, cards));
      setText(turn, decisionWords(facts, moment));
      setText(source, stamp);
    },
  };
}

/* Make the board with the routes claimed so far, and the tickets of the selected seats. */
function makeBoard(facts) {
  const board = gameBoard(facts);
  const seats = new Set();
  const ticketsOf = (moment, seat) =>
    moment.seats[seat].tickets
      .filter(([ticket]) => ticket >= 0)
      .map(([ticket, state]) => ({ ticket, state, owner: seat }));
  return {
    ...board,
    showTickets(moment, seat = null, on = false) {
      if (seat === null && !seats.size) return;
      if (seat !== null) seats[on ? "add" : "delete"](seat);
      board.setTickets([...seats].flatMap((one) => ticketsOf(moment, one)));
    },
    setOwners(owners) {
      board.setOwners(owners);
      const owned = ({ id, words }) => (id in owners ? `${words}: ${ownerName(facts, owners[id])}` : null);
      for (const route of facts.sheet.routes) board.describe(route.id, owned(route));
    },
  };
}

/* Return the cities in which a step has built a station; those of the first moment were there before. */
function newStations({ stations }, before) {
  return before ? Object.keys(stations).filter((city) => !Object.hasOwn(before.stations, city)) : [];
}

/* Make a chart of all seats over the game, with the values at the current step above it. */
function makeChart(facts, { heading, field, svg }, valuesAt, onStep) {
  const now = make("span", { "data-field": field });
  const title = make("div", { class: "ttr-row" }, make("span", { class: "ttr-quiet", text: heading }), now);
  const element = make("div", { class: "ttr-chart-place ttr-panel" }, title);
  const { setCursor } = showChart(element, svg, onStep);
  return {
    element,
    set(step) {
      setCursor(step);
      setText(now, valuesAt(step).map((value, seat) => `${facts.names[seat]} ${value ?? "?"}`).join(", "));
    },
  };
}

/* Make the charts: points, and win probabilities if they were sent. */
function makeCharts(facts, moments, { points, win }, onStep) {
  const pointsAt = (step) => moments[step].seats.map((seat) => seat.points);
  const chancesAt = (step) => win.percent.map((of) => (of[step] === null ? null : percentWords(of[step])));
  return [
    makeChart(facts, points, pointsAt, onStep),
    ...(win ? [makeChart(facts, win, chancesAt, onStep)] : []),
  ];
}

/* Return the steps at which a seat, or the neutral player, claims a route. */
function claimSteps(changes, who) {
  const isClaim = ({ owners = {} }) => Object.values(owners).includes(who);
  return changes.flatMap((change, step) => (isClaim(change) ? [step] : []));
}

function render({ model, el }) {
  const data = model.get("data");
  const { facts, moves, win, review: found, moments: changes } = data;
  const moments = wholeMoments(changes);
  const seats = facts.names.map((_, seat) => seat);
  const go = (step) => player.go(step);

  const review = found ? makeReview(facts, found, win, moments.length) : null;
  const board = makeBoard(facts);
  const panels = seatPanels(facts, { onTickets: (who, on) => board.showTickets(moments[player.step], who, on) });
  const [top, now, table] = [makeTop(facts), makeNow(facts, moves.some((move) => move[4])), marketPanel(facts)];
  const claimed = new Map([...seats, "neutral"].map((owner) => [owner, claimSteps(changes, owner)]));
  const moveTable = makeMoves(moves, new Set([...claimed.values()].flat()), review, go);
  const charts = makeCharts(facts, moments, data, go);
  const jumps = seats.map((seat) => ({
    label: [playerMark(seat)],
    words: `${seat}: next claim by ${facts.names[seat]}`,
    steps: claimed.get(seat),
    kind: "claim",
  }));
  const player = makePlayer({
    nSteps: moments.length,
    jumps: [...jumps, ...(review?.jumps ?? [])],
    track: review?.track,
    onStep: show,
  });
  const draw = drawing({ owners: board.setOwners, stations: board.setStations, left: top.setLeft });
  const onPlay = () => model.send({ do: "play", step: player.step });
  const playOn = model.get("can_play") && makeButton("Play from here", onPlay);
  if (playOn) player.element.append(playOn);

  const root = makeRoot(
    el,
    {
      classes: gameClasses(facts, "stepper"),
      label: `${facts.title}: step through it with the arrow keys`,
      tabindex: 0,
      onKey: player.keys,
    },
    top.element,
    player.element,
    review?.bar ?? "",
    now.element,
    review?.verdict ?? "",
    make(
      "div",
      { class: "ttr-grid ttr-stack" },
      make("div", { class: "ttr-left ttr-stack" }, board.element, ...charts.map(({ element }) => element)),
      make("div", { class: "ttr-right ttr-stack" }, ...panels.elements, table.element),
      moveTable.element,
    ),
  );

  let saving = null;
  let unsaved = null; // since when
  function show(step) {
    const [moment, before] = [moments[step], moments[step - 1]];
    draw(moment);
    panels.set(moment, before);
    table.set(moment, before);
    now.set(moment, moves[step]);
    board.markLast(moves[step][3]);
    board.highlightCities(newStations(moment, before), "is-last");
    if (review) board.markBetter(review.set(step));
    board.showTickets(moment);
    charts.forEach((chart) => chart.set(step));
    moveTable.set(step);
    root.dataset.step = step;
    if (playOn) keepFocus(player.element, () => (playOn.disabled = moment.acting === null), root);
    if (model.get("step") === step) return;
    model.set("step", step);
    unsaved ??= performance.now();
    clearTimeout(saving);
    saving = setTimeout(save, Math.min(SAVE_AFTER, unsaved + SAVE_AT_LAST - performance.now()));
  }
  function forgetSave() {
    clearTimeout(saving);
    saving = unsaved = null;
  }
  function save() {
    forgetSave();
    model.save_changes();
  }
  // JupyterLab also reports steps taken here, and going there would stop Play. A step from elsewhere is saved there.
  function onStep() {
    if (model.get("step") === player.step) return;
    forgetSave();
    go(model.get("step"));
  }

  const stop = listen(model, { step: onStep });
  onStep();
  return () => {
    player.stop();
    // Nothing can be sent to the kernel of a closed notebook.
    if (saving !== null && model.widget_manager?.kernel?.isDisposed === false) save();
    forgetSave();
    moveTable.stop();
    stop();
  };
}

export default { render };
