/** What the lines show in each mode, and the figures beside the modes. */

const LEAST = 1 / 510;

const probability = (page, number) =>
  page.probabilities ? page.probabilities[number] / 255 : null;

export function lossOf(page, number) {
  const p = probability(page, number);
  if (p === null) return 0;
  const clipped = Math.min(1 - LEAST, Math.max(LEAST, p));
  return -Math.log(page.kept.has(number) ? clipped : 1 - clipped);
}

/** Whether two annotators, both done, differ on a line. */
export function contested(page, number) {
  const said = Object.values(page.others).map((kept) => kept.has(number));
  return said.length > 1 && said.some((keep) => keep !== said[0]);
}

export function paintLine(page, view, number, row) {
  const p = probability(page, number);
  const keep = page.kept.has(number);
  const predicted = p !== null && p >= view.threshold;
  const blank = !page.text[number].trim();
  const [low, high] = [view.anchor, view.current].sort((a, b) => a - b);
  row.classList.toggle("keep", view.dragged ? dragged(view, number, keep) : keep);
  row.classList.toggle("blank", blank);
  row.classList.toggle("predicted", predicted);
  row.classList.toggle("differs", !blank && p !== null && predicted !== keep);
  row.classList.toggle("contested", contested(page, number));
  row.classList.toggle("current", number === view.current);
  row.classList.toggle("ranged", view.anchor !== view.current && number >= low && number <= high);
  row.style.setProperty("--loss", blank ? 0 : Math.min(0.6, lossOf(page, number) / 5).toFixed(2));
  row.children[2].textContent = blank ? "" : said(page, view, number, p);
}

function dragged(view, number, keep) {
  const { first, last, keep: to } = view.dragged;
  return number >= Math.min(first, last) && number <= Math.max(first, last) ? to : keep;
}

function said(page, view, number, p) {
  if (view.mode === "predictions" && p !== null) return p.toFixed(2);
  if (view.mode === "loss" && p !== null) return lossOf(page, number).toFixed(2);
  if (view.mode === "adjudication") {
    return Object.entries(page.others)
      .map(([name, kept]) => `${name} ${kept.has(number) ? "keep" : "–"}`).join(" · ");
  }
  return "";
}

/** One line about the page in the present mode. */
export function figuresOf(page, view) {
  const seen = page.text.flatMap((text, number) => (text.trim() ? [number] : []));
  const kept = seen.filter((number) => page.kept.has(number)).length;
  if (view.mode === "adjudication") {
    const open = seen.filter((number) => contested(page, number)).length;
    return `people differ on ${open} of ${seen.length} lines`;
  }
  if (!page.probabilities || view.mode === "annotations") return `${kept} of ${seen.length} lines kept`;
  if (view.mode === "loss") {
    const mean = seen.reduce((sum, number) => sum + lossOf(page, number), 0) / (seen.length || 1);
    return `unexpected on average: ${mean.toFixed(2)} (0: as the model says)`;
  }
  const predicted = seen.filter((number) => probability(page, number) >= view.threshold);
  const right = predicted.filter((number) => page.kept.has(number)).length;
  const f1 = predicted.length + kept ? (2 * right) / (predicted.length + kept) : 1;
  return `model keeps ${predicted.length}, you ${kept}; agreement (F1) ${f1.toFixed(2)}`;
}
