/*
 * Step through a game. All data comes at once (`ttr_analysis.widgets.snapshot`); from then on the page needs nobody.
 * Moments share what did not change, so that only what is another value is drawn again.
 */

// Milliseconds after the last step until it is saved; if steps do not end, after the first that was not saved. They are
// so many as a browser allows 100 changes of the address in 30 seconds.
const SAVE_AFTER = 300;
const SAVE_AT_LAST = 3000;

/* The table of moves; those whose steps are `claimed` stand out. Rows are equally high. */
function makeMoves(moves, claimed, review, onJump) {
  const names = ["step", "seat", "move"].map((text) => make("th", { scope: "col", text }));
  const caption = make("caption", { class: "ttr-unseen", text: "Moves: choose one to go there" });
  const table = make("table", {}, caption, make("thead", {}, make("tr", {}, ...names)));
  // In groups of a few rows: one in which nothing changes is not painted again.
  const GROUP = 16;
  let group = null;
  const rows = moves.map(([seat, text], step) => {
    const mark = review?.mark(step);
    const words = { title: mark ? `${text} (${review.words(step)})` : text };
    const jump = make("button", { type: "button", class: "ttr-jump", tabindex: -1, "data-step": step, ...words });
    jump.append(...(mark ? [mark, " "] : []), text);
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
  // A page at a time: to scroll is to paint all rows again.
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

/* The cards that a step moved, in groups with a word each. */
function cardsMoved(sheet, groups) {
  return groups.map(([what, kinds]) => {
    const counts = new Map();
    for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const chips = [...counts].map(([kind, count]) =>
      cardChip(sheet, kind, { count: count > 1 ? count : null }),
    );
    return make("span", { class: "ttr-moved" }, make("span", { text: what }), ...chips);
  });
}

/* Title, note, and the mark of the last round. */
function makeTop({ title, about, note }) {
  const left = lastRound();
  const element = make(
    "header",
    { class: "ttr-top" },
    make("h2", {}, make("bdi", { text: title })),
    make("span", { class: "ttr-about", text: about }),
    left.element,
    make("p", { class: "ttr-note", dir: "auto", text: note, hidden: !note }),
  );
  return { element, set: { left: left.set } };
}

/* What happened in words, the cards that it moved, what is due, and where it stood in the source if that is known. */
function makeNow(facts, isStamped) {
  const live = make("div", { class: "ttr-live", "aria-live": "polite" });
  const moved = make("div", { class: "ttr-cards" });
  const due = make("span", { class: "ttr-turn", "data-field": "turn" });
  const source = make("span", { class: "ttr-stamp", "data-field": "stamp", dir: "auto", hidden: !isStamped });
  return {
    element: make("div", { class: "ttr-now ttr-panel" }, live, moved, due, source),
    set(moment, [seat, text, cards, , stamp = ""]) {
      setText(live, seat === null ? text : `${seatName(facts, seat)} ${text}`);
      moved.replaceChildren(...cardsMoved(facts.sheet, cards));
      setText(due, dueWords(facts, moment));
      setText(source, stamp);
    },
  };
}

/* The board with the routes claimed so far, and the tickets of the seats that are to be shown. */
function makeBoard(facts) {
  const { sheet } = facts;
  const element = make("div", { class: "ttr-place" });
  const board = drawBoard(element, sheet, { isGame: true });
  const seats = new Set();
  const ticketsOf = (moment, seat) =>
    moment.seats[seat].tickets
      .filter(([ticket]) => ticket >= 0)
      .map(([ticket, state]) => ({ ticket, state, owner: seat }));
  return {
    element,
    markLast: board.markLast,
    markBuilt: (cities) => board.highlightCities(cities, "is-last"),
    markBetter: board.markBetter,
    showTickets(moment, seat = null, on = false) {
      if (seat === null && !seats.size) return;
      if (seat !== null) seats[on ? "add" : "delete"](seat);
      board.setTickets([...seats].flatMap((one) => ticketsOf(moment, one)));
    },
    set: {
      owners(owners) {
        board.setOwners(owners);
        const owned = ({ id, words }) => (id in owners ? `${words}: ${ownerName(facts, owners[id])}` : null);
        for (const route of sheet.routes) board.describe(route.id, owned(route));
      },
      stations: (stations) => board.setStations(stations, (seat) => ownerName(facts, seat)),
    },
  };
}

/* The cities in which a step has built a station; those of the first moment were there before. */
function newStations({ stations }, before) {
  return before ? Object.keys(stations).filter((city) => !Object.hasOwn(before.stations, city)) : [];
}

/* A probability, from percents, in words: only what is decided is 0% or 100%. */
function percentWords(value) {
  if (value > 0 && value < 1) return "<1%";
  if (value > 99 && value < 100) return ">99%";
  return `${Math.round(value)}%`;
}

/* A chart of all seats over the game; what it says of a step stands above it in words. */
function makeChart(facts, { name, field, heading, values, isPercent = false, onStep }) {
  const series = facts.names.map((name, seat) => ({
    ...facts.sheet.players[seat],
    label: name,
    symbol: String(seat),
    values: values[seat],
  }));
  const words = (seat, value) => `${seatName(facts, seat)} ${value === null ? "?" : isPercent ? percentWords(value) : value}`;
  const now = make("span", { "data-field": field });
  const title = make("div", { class: "ttr-heading" }, make("span", { text: heading }), now);
  const element = make("div", { class: "ttr-chart-place ttr-panel" }, title);
  // Win probabilities may end before the game does.
  const last = Math.max(0, ...values.map((of) => of.findLastIndex((value) => value !== null)));
  const until = last < values[0].length - 1 ? `up to step ${last}` : "over the game";
  const label = `${name} ${until}; it ends with ${values.map((of, seat) => words(seat, of[last])).join(", ")}`;
  const { setCursor } = drawChart(element, { label, series, onStep, isPercent });
  return {
    element,
    set(step) {
      setCursor(step);
      setText(now, values.map((of, seat) => words(seat, of[step])).join(", "));
    },
  };
}

/* The charts that there are: points, and win probabilities if they were sent. */
function makeCharts(facts, moments, win, onStep) {
  const points = {
    name: "Points",
    field: "points-now",
    heading: "Points for routes and tickets",
    values: facts.names.map((_, seat) => moments.map(({ seats }) => seats[seat].points)),
  };
  const chances = win && {
    name: "Win probability",
    field: "win",
    heading: `Win probability ${win.about}`.trim(),
    values: win.percent,
    isPercent: true,
  };
  return [points, chances].filter(Boolean).map((what) => makeChart(facts, { ...what, onStep }));
}

/* The steps at which a seat, or the neutral player, claims a route. */
function claimSteps(changes, who) {
  const isClaim = ({ owners = {} }) => Object.values(owners).includes(who);
  return changes.flatMap((change, step) => (isClaim(change) ? [step] : []));
}

function render({ model, el }) {
  const { facts, moves, win, review: found, moments: changes } = model.get("data");
  const moments = wholeMoments(changes);
  const seats = facts.names.map((_, seat) => seat);
  const go = (step) => player.go(step);

  const review = found ? makeReview(facts, found, win, moments.length) : null;
  const board = makeBoard(facts);
  const panels = seatPanels(facts, { onTickets: (who, on) => board.showTickets(moments[player.step], who, on) });
  const [top, now, table] = [makeTop(facts), makeNow(facts, moves.some((move) => move[4])), marketPanel(facts)];
  const claimed = new Map([...seats, "neutral"].map((owner) => [owner, claimSteps(changes, owner)]));
  const moveTable = makeMoves(moves, new Set([...claimed.values()].flat()), review, go);
  const charts = makeCharts(facts, moments, win, go);
  const jumps = seats.map((seat) => ({
    label: [playerMark(seat)],
    words: `${seat}: next claim of ${seatName(facts, seat)}`,
    steps: claimed.get(seat),
    kind: "claim",
  }));
  const player = makePlayer({
    nSteps: moments.length,
    jumps: [...jumps, ...(review?.jumps ?? [])],
    track: review?.track,
    onStep: show,
  });
  const draw = drawing({ ...board.set, ...top.set });
  const onPlay = () => model.send({ do: "play", step: player.step });
  const playOn = model.get("can_play") && make("button", { type: "button", text: "Play from here", onclick: onPlay });
  if (playOn) player.element.append(playOn);

  const root = make(
    "div",
    {
      class: isWide(facts.sheet) ? "ttr ttr-stepper is-wide" : "ttr ttr-stepper",
      "data-lm-suppress-shortcuts": "true",
      role: "region",
      tabindex: 0,
      "aria-label": `${facts.title}: step through it with the arrow keys`,
    },
    top.element,
    player.element,
    ...(review ? [review.bar] : []),
    now.element,
    ...(review ? [review.verdict] : []),
    make(
      "div",
      { class: "ttr-grid" },
      make("div", { class: "ttr-left" }, board.element, ...charts.map(({ element }) => element)),
      make("div", { class: "ttr-right" }, ...panels.elements, table.element),
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
    board.markBuilt(newStations(moment, before));
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

  el.append(root);
  keepKeys(root, player.keys);
  // JupyterLab tells also of steps taken here; to go there would end Play. A step from elsewhere is saved there.
  const onStep = () => {
    if (model.get("step") === player.step) return;
    forgetSave();
    go(model.get("step"));
  };
  model.on("change:step", onStep);
  onStep();
  return () => {
    player.stop();
    // Nothing can be sent to the kernel of a notebook that is closed.
    if (saving !== null && model.widget_manager?.kernel?.isDisposed === false) save();
    forgetSave();
    moveTable.stop();
    model.off("change:step", onStep);
  };
}

export default { render };
