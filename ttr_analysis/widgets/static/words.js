/* Numbers in words. */

function several(n, noun) {
  return `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
}

/* Only certain outcomes are 0% or 100%. */
function percentWords(percent, digits = 0) {
  const least = 10 ** -digits;
  if (percent > 0 && percent < least) return `<${least}%`;
  if (percent > 100 - least && percent < 100) return `>${100 - least}%`;
  return `${percent.toFixed(digits)}%`;
}

function sum(counts) {
  return counts.reduce((all, count) => all + count, 0);
}
