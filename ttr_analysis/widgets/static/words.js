/*
 * Numbers in words.
 *
 * several(n, noun), percentWords(percent): only what is decided is 0% or 100%; sum(counts)
 */

function several(n, noun) {
  return `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
}

function percentWords(percent) {
  if (percent > 0 && percent < 1) return "<1%";
  if (percent > 99 && percent < 100) return ">99%";
  return `${Math.round(percent)}%`;
}

function sum(counts) {
  return counts.reduce((all, count) => all + count, 0);
}
