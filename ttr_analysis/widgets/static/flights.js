/*
 * Animates cards, tickets, trains and stations. The page already shows the result: copies fly over it, one step of the
 * game after the other, and catch no clicks. A key press or click on the table ends all flights; there are none if the
 * system asks for reduced motion.
 *
 * makeFlights(root, facts, board) -> show(before, now)      moments as `ttr_analysis.widgets.human_game` sends them
 */

const FLIGHT = 450; // milliseconds
const APART = 80; // between copies
const STAY = 700; // of cards that are turned over for a tunnel
const LATEST = 6000; // flights that would begin later are not shown

/* Return where the cards of a step fly, and which of them are turned over: [[kind, [boxes], isTurned]]. */
function cardFlights(before, { moment, moved, slots, log }, places, you) {
  const [seat, , route] = log.at(-1);
  const { pile, discards, track } = { pile: places.pile(), discards: places.discards(), track: places.track(route) };
  const [wasTried, isTried] = [before.tunnel !== null, moment.tunnel !== null];
  const hand = (kind) => places.hand(seat, kind);
  const turned = wasTried ? [track, discards] : isTried ? [pile, track] : [pile, track, discards];
  const ways = {
    drawn: (kind) => [pile, hand(kind)],
    taken: (kind) => [places.slot(slots[0]), hand(kind)],
    "laid down": (kind) => [hand(kind), isTried ? track : discards],
    paid: (kind) => [hand(kind), discards],
    "taken back": (kind) => [track, hand(kind)],
    ...(isTried && seat === you ? {} : { "turned over": () => turned }), // the person's are shown beside the route
  };
  const flights = ([what, cards]) => cards.map((kind) => [kind, ways[what](kind), what === "turned over" && !wasTried]);
  const filled = [...new Set(slots)].filter((slot) => moment.market[slot] !== null);
  const refills = filled.map((slot) => [moment.market[slot], [pile, places.slot(slot)], false]);
  return [...moved.filter(([what]) => what in ways).flatMap(flights), ...refills];
}

/* Draw the back of a ticket. */
function ticketBack() {
  const card = makeSvg("rect", { x: 1, y: 1, width: 42, height: 26, rx: 4 });
  const ends = [7, 37].map((cx) => makeSvg("circle", { cx, cy: 19, r: 3 }));
  return makeSvg("svg", { class: "ttr-ticket-back", viewBox: "0 0 44 28" }, card, makeSvg("path", { d: "M7 19Q22 0 37 19" }), ...ends);
}

/* Return where tickets fly, face down: drawn, kept (shown only for the person), or put back. */
function ticketFlights(before, { moment }, places, you) {
  const grown = (field) => Math.max(0, moment[field] - before[field]);
  return moment.seats.flatMap(({ offer, tickets }, seat) => {
    const was = before.seats[seat];
    const drawn = offer.length - was.offer.length;
    if (drawn === 0) return [];
    const copies = (n, from, to) => Array.from({ length: n }, () => [from(), to()]);
    const [held, hand] = [() => places.offer(seat), () => places.tickets(seat)];
    if (drawn > 0) return copies(drawn, places.ticketPile, held);
    return [
      ...copies(seat === you ? tickets.length - was.tickets.length : 0, held, hand),
      ...copies(grown("ticketPile"), held, places.ticketPile),
      ...copies(grown("ticketDiscards"), held, places.ticketDiscards),
    ];
  });
}

/* Return what is new on the board: [[field of its owner's panel, owner, place]]. */
function built(before, { owners, stations }) {
  const isNew = (old) => ([key]) => !Object.hasOwn(old, key);
  return [
    ...Object.entries(owners).filter(isNew(before.owners)).map(([route, owner]) => ["trains", owner, { route }]),
    ...Object.entries(stations).filter(isNew(before.stations)).map(([city, owner]) => ["stations", owner, { city }]),
  ];
}

function makeFlights(root, { sheet, seat: you }, board) {
  const sky = make("div", { class: "ttr-sky", "aria-hidden": "true" });
  const landings = new Set(); // functions that end the flights
  const isStill = matchMedia("(prefers-reduced-motion: reduce)");
  let free = 0; // when the next step may begin
  root.append(sky);

  const seen = (...selectors) => selectors.map((one) => root.querySelector(one)).find((one) => one?.checkVisibility());
  const box = (...selectors) => seen(...selectors)?.getBoundingClientRect();
  const panel = (owner) => (owner === "neutral" ? ".ttr-neutral" : `.ttr-seat[data-seat="${owner}"]`);
  const places = {
    pile: () => box(".ttr-piles button", ".ttr-table"),
    discards: () => box("[data-field=discards]", ".ttr-table"),
    slot: (slot) => box(`.ttr-market .ttr-card:nth-child(${slot + 1}) .ttr-face`),
    hand: (seat, kind) => box(`${panel(seat)} [data-card="${kind}"] .ttr-face`, `${panel(seat)} .ttr-hand`, panel(seat)),
    ticketPile: () => box(".ttr-piles button:last-child", ".ttr-table"),
    ticketDiscards: () => box("[data-field=ticketDiscards]", ".ttr-table"),
    offer: (seat) => (seat === you ? box(".ttr-t-keep", ".ttr-t-now") : box(panel(seat))),
    tickets: (seat) => box(`${panel(seat)} [data-field=tickets] li:last-child`, panel(seat)),
    pieces: (owner, field) => box(`${panel(owner)} [data-field=${field}]`, panel(owner)),
    track: (id) => id && board.group(id).querySelector(".ttr-hit").getBoundingClientRect(),
  };

  /* Let a copy fly from box to box after `wait` milliseconds; turned over, it stays at the second for a while. */
  function fly(copy, boxes, wait, { isTurned = false, scale = 1, aside = 0, onLanded = () => {} }) {
    const all = root.getBoundingClientRect();
    const frames = boxes.map(({ x, y, width, height }, k) => {
      const at = [x + width / 2 - all.x + (k === 1 ? aside : 0), y + height / 2 - all.y];
      const size = k ? "" : `scale(${scale}) rotateY(${isTurned ? 90 : 0}deg)`;
      return { transform: `translate(${at[0]}px, ${at[1]}px) translate(-50%, -50%) ${size}`, opacity: 1, easing: "ease-in-out" };
    });
    const duration = FLIGHT * (boxes.length - 1) + (isTurned ? STAY : 0);
    if (isTurned) {
      frames[1].offset = FLIGHT / duration;
      frames.splice(2, 0, { ...frames[1], offset: (FLIGHT + STAY) / duration });
    }
    sky.append(copy);
    const flight = copy.animate(frames, { duration, delay: wait });
    const land = () => {
      landings.delete(land);
      copy.remove();
      onLanded();
    };
    landings.add(land);
    flight.onfinish = land;
  }
  function landAll() {
    free = 0;
    [...landings].forEach((land) => land());
  }
  for (const kind of ["pointerdown", "keydown"]) root.addEventListener(kind, landAll, { capture: true });

  function launch(before, now) {
    let wait = Math.max(0, free - performance.now());
    if (wait > LATEST) return;
    const isWhole = ([, boxes]) => boxes.every(Boolean);
    const cards = cardFlights(before, now, places, you).filter(isWhole);
    const turned = cards.filter(([, , isTurned]) => isTurned);
    for (const flight of cards) {
      const [kind, boxes, isTurned] = flight;
      const aside = isTurned ? 30 * (turned.indexOf(flight) - (turned.length - 1) / 2) : 0;
      fly(cardFace(sheet, kind), boxes, wait, { isTurned, aside });
      wait += APART;
    }
    if (turned.length) wait += FLIGHT + STAY;
    for (const boxes of ticketFlights(before, now, places, you).filter((one) => one.every(Boolean))) {
      fly(ticketBack(), boxes, wait, {});
      wait += APART;
    }
    for (const [field, owner, place] of built(before, now.moment)) {
      const from = places.pieces(owner, field);
      if (!from) continue;
      const [copy, to] = board.lift(place);
      fly(copy, [from, to], wait, { scale: 0.3, onLanded: () => board.land(place) });
    }
    free = performance.now() + wait + FLIGHT;
  }
  return (before, now) => {
    const isShown = now.step === before.step + 1 && !isStill.matches && !document.hidden;
    if (isShown) requestAnimationFrame(() => root.checkVisibility() && launch(before.moment, now)); // after the layout
  };
}
