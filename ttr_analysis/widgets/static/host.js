/*
 * A page that shows a widget of a Python process on this machine (`ttr_analysis.widgets.server`), in place of Jupyter.
 * It mirrors the models in Python and sends back what the user does.
 */

const socket = new WebSocket(`ws://${location.host}/live${location.search}`);
const models = new Map();

/* Show a widget sent by Python, with its module and style sheet as strings. */
async function showWidget(model, el) {
  const style = document.createElement("style");
  style.textContent = model.get("_css");
  document.head.append(style);
  const address = URL.createObjectURL(new Blob([model.get("_esm")], { type: "text/javascript" }));
  const { default: widget } = await import(address);
  URL.revokeObjectURL(address);
  const stop = await widget.render({ model, el });
  return () => {
    stop?.();
    style.remove();
  };
}

/* The part of Jupyter's widget manager that a widget needs to show another one. */
const manager = {
  get_model: async (id) => models.get(id),
  async create_view(model) {
    const el = document.createElement("div");
    const stop = await showWidget(model, el);
    return {
      el,
      remove() {
        stop();
        el.remove();
      },
    };
  },
};

function takeState(id, state) {
  if (!models.has(id)) {
    const model = makeModel({}, (data) => socket.send(JSON.stringify({ id, data })));
    models.set(id, Object.assign(model, { widget_manager: manager }));
  }
  models.get(id).take(state);
}

async function begin({ root, states }) {
  for (const [id, state] of Object.entries(states)) takeState(id, state);
  const place = document.getElementById("widget");
  await showWidget(models.get(root), place);
  place.firstElementChild.focus({ preventScroll: true });
}

socket.addEventListener("message", ({ data }) => {
  const message = JSON.parse(data);
  if (message.root) begin(message);
  else takeState(message.id, message.state);
});
socket.addEventListener("close", () => {
  document.getElementById("gone").hidden = false;
  document.getElementById("widget").inert = true;
});
