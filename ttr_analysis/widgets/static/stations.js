/*
 * Building a station at the table.
 *
 * stationButton(station, onStation) -> element: opens the form, for no city yet
 * stationForm(facts, station, city, nHeld, {isAll, onMove, onAll, onLeave, onCity}) -> element
 *   Where it stands and how it is paid; `city` is "" before one is chosen. `onCity(city)` hears which is; the list stays,
 *   so that who types a name there can type it to its end.
 * cityWords(facts, city, now): what a city is to who looks at it.
 */

function stationCards({ payments: [{ cards }] }) {
  return several(sum(Object.values(cards)), "card");
}

function stationButton(station, onStation) {
  const text = `Build a station (${stationCards(station)}) …`;
  return make("button", { type: "button", "data-key": "station", text, onclick: () => onStation("") });
}

function stationForm(facts, { cities, payments }, city, nHeld, { isAll, onMove, onAll, onLeave, onCity }) {
  const options = cities.map((name) => make("option", { value: name, text: name, dir: "auto" }));
  const named = { "data-key": "city", "aria-label": "City of the station", onchange: () => set(list.value) };
  const list = make("select", named, make("option", { value: "", text: "choose a city" }), ...options);
  const where = make("span", { text: ", here or on the board" });
  const rows = make("div", { class: "ttr-t-rows" });
  function set(name) {
    onCity(name);
    where.hidden = name !== "";
    const build = (cards) => onMove(`station ${name} ${cards}`);
    rows.replaceChildren(...(name ? paymentRows(facts, payments, nHeld, { isAll, onMove: build, onAll }) : []));
  }
  list.value = city;
  set(city);
  return make(
    "div",
    { class: "ttr-t-claim", role: "group", "aria-label": "Build a station" },
    make("p", {}, "Build a station in ", list, where),
    rows,
    make("button", { type: "button", "data-key": "leave", text: "Not now", onclick: onLeave }),
  );
}

function cityWords(facts, city, { moment, options }) {
  if (Object.hasOwn(moment.stations, city)) return `${city}: station of ${ownerName(facts, moment.stations[city])}.`;
  const can = options?.station ? `you can build a station here for ${stationCards(options.station)}` : "no station yet";
  return `${city}: ${can}.`;
}
