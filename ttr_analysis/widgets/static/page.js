/* Show a widget on its own page. The address contains its step, so links above the widget can lead to steps. */

const values = JSON.parse(document.getElementById("values").textContent);
const stepAsked = () => (/^#\d+$/.test(location.hash) ? { step: Number(location.hash.slice(1)) } : {});
Object.assign(values, stepAsked());
const model = makeModel(values, () => history.replaceState(null, "", `#${values.step}`));
const place = document.getElementById("widget");
render({ model, el: place });
const first = place.firstElementChild;
if (!place.previousElementSibling) first.focus({ preventScroll: true });
else if ("step" in stepAsked()) place.scrollIntoView();
addEventListener("hashchange", () => {
  if (!("step" in stepAsked())) return;
  model.take(stepAsked());
  first.focus({ preventScroll: true });
  place.scrollIntoView();
});
