/*
 * The model of a widget on a page without Jupyter. `say(data)` gets what Jupyter would get; `take(state)` sets values
 * from outside, all of them before it calls any listener.
 */

function makeModel(values, say) {
  const listeners = new Map();
  const heardBy = (event) => listeners.get(event) ?? [];
  let changed = {};
  return {
    get: (name) => values[name],
    set(name, value) {
      values[name] = changed[name] = value;
    },
    save_changes() {
      say({ method: "update", state: changed });
      changed = {};
    },
    send: (content) => say({ method: "custom", content }),
    on: (event, listener) => listeners.set(event, [...heardBy(event), listener]),
    off: (event, listener) => listeners.set(event, heardBy(event).filter((other) => other !== listener)),
    take(state) {
      Object.assign(values, state);
      for (const name of Object.keys(state)) heardBy(`change:${name}`).forEach((listener) => listener());
    },
  };
}
