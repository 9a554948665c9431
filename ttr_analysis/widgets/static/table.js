/* Play a seat: the table of one game, with hints, judgments and a review. */

/* Make the buttons for a hint, the cost of the last move, and a review at the end. */
function makeAdviser(send) {
  const ask = (kind, text) => makeButton(text, () => send({ do: kind }));
  const [hint, cost, review] = [ask("hint", "Hint"), ask("cost", "Judge my move"), ask("review", "Review")];
  return {
    buttons: [hint, cost, review],
    allow({ moment, options }, isBusy, isOffered) {
      const isOver = moment.acting === null;
      hint.hidden = isOver;
      cost.hidden = isOver || isOffered; // the offer takes its place, so that the board does not move
      review.hidden = !isOver;
      hint.disabled = isBusy || !options;
      cost.disabled = review.disabled = isBusy;
    },
  };
}

/* Show the stepper below, once the game is over. `onAsk()` asks Python to make it, and `set(id)` gets its model. */
function makeStepping(manager, onAsk) {
  const element = make("div", { class: "ttr-played-through" });
  let view = null;
  let isOpen = false; // whether it was opened here, not in another view
  let gone = false;
  const drawn = new MutationObserver(() => {
    drawn.disconnect();
    show();
  });
  function show() {
    if (!isOpen) return;
    view.el.scrollIntoView({ block: "nearest" });
    view.el.querySelector(".ttr").focus({ preventScroll: true });
  }
  return {
    element,
    open() {
      isOpen = true;
      if (!view) onAsk();
      else if (view.el.firstChild) show(); // else when it is drawn
    },
    /* Show the next stepper that is set. */
    await() {
      isOpen = true;
    },
    async set(id) {
      if (!id || !manager) return;
      const child = await manager.get_model(id.replace("IPY_MODEL_", ""));
      const opened = await manager.create_view(child);
      if (gone) return opened.remove();
      view?.remove();
      view = opened;
      element.replaceChildren(view.el);
      drawn.disconnect(); // from a view that has gone
      if (view.el.firstChild) show();
      else drawn.observe(view.el, { childList: true });
    },
    stop() {
      gone = true;
      view?.remove();
      drawn.disconnect();
    },
  };
}

/* Make the form for another game; it opens over the page, so nothing moves. */
function makeNewGame(facts, onNew) {
  const option = (value, text) => make("option", { value, text });
  const field = (words, control) => make("label", { class: "ttr-line" }, make("span", { text: words }), control);
  const players = make("select", {}, ...facts.players.map((n) => option(n, n)));
  const seat = make("select");
  const seed = make("input", { type: "number", min: 0, step: 1, placeholder: "random", inputmode: "numeric" });
  function setSeats() {
    const chosen = Math.min(Number(seat.value), players.value - 1);
    const seats = Array.from({ length: players.value }, (_, k) => option(k, k === 0 ? "0 (first)" : k));
    seat.replaceChildren(...seats);
    seat.value = chosen;
  }
  players.value = facts.names.length;
  players.addEventListener("change", setSeats);
  setSeats();
  seat.value = facts.seat;
  const start = makeButton("Start", begin, { class: "ttr-main" });
  function begin() {
    const wanted = seed.valueAsNumber;
    close(); // moves the focus, which would be lost with the hidden form
    onNew({ players: Number(players.value), seat: Number(seat.value), seed: wanted >= 0 ? Math.floor(wanted) : null });
  }
  function close() {
    element.querySelector("summary").focus({ preventScroll: true });
    element.open = false;
  }
  const fields = [field("Players", players), field("Your seat", seat), field("Seed", seed), start];
  const element = make(
    "details",
    { class: "ttr-t-new" },
    make("summary", { class: "ttr-button", text: "New game" }),
    make("div", { class: "ttr-panel" }, ...fields),
  );
  element.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && element.open) close();
  });
  return element;
}

/* Show the table of one game. */
function showGame(context) {
  const { model, el } = context;
  const facts = model.get("facts");
  const stepping = makeStepping(model.widget_manager, () => model.send({ do: "stepper" }));
  const newGame = makeNewGame(facts, (wanted) => model.send({ do: "new", ...wanted }));
  const last = makeButton("Continue saved game", () => model.send({ do: "continue" }));
  const isOffered = () => model.get("offered") && !model.get("now").undo; // until the person's first move
  const undo = makeButton("Undo", () => turn.undo());
  const adviser = makeAdviser((message) => {
    if (message.do === "review") stepping.await();
    model.send(message);
  });
  const { root, board, turn, keep, begin, stop } = showSeat(context, {
    label: "Play",
    head: [newGame, last, facts.practice ? undo : "", ...adviser.buttons],
    busyWith: () => model.get("busy"),
    onStep: stepping.open,
    onNow,
  });
  el.append(stepping.element);
  const flights = makeFlights(root, facts, board);

  function onNow(now, before) {
    keep(() => {
      undo.disabled = !now.undo;
      last.hidden = !isOffered();
    });
    if (before) flights(before, now);
    onBusy();
    onAdvised();
  }
  function onBusy() {
    turn.show();
    keep(() => adviser.allow(model.get("now"), Boolean(model.get("busy")), isOffered()));
  }
  function onAdvised() {
    const advised = model.get("advised");
    // Advice is shown until another move is made.
    const isNow = advised.step === model.get("now").step;
    turn.setAdvice(isNow ? advised.words : "");
    board.markBetter(isNow ? advised.place : null);
  }
  const onStepping = () => stepping.set(model.get("stepping"));

  const forget = listen(model, { busy: onBusy, stepping: onStepping, advised: onAdvised });
  begin();
  onStepping();
  return stopAll(forget, stop, stepping.stop);
}

const render = redrawing(showGame);

export default { render };
