// A frame with a widget in it says how high it is.
window.addEventListener("message", ({ source, data }) => {
  for (const frame of document.querySelectorAll("iframe.ttr-frame")) {
    if (frame.contentWindow === source && data?.height > 0) frame.style.height = `${Math.ceil(data.height)}px`;
  }
});
