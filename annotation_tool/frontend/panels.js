/** History, agreement and keys, in a dialog. */

import { read } from "./api.js";

const panel = document.getElementById("panel");
const shown = document.getElementById("shown");

export const KEYS = [
  ["j k ↓ ↑", "next, previous line; with Shift the range grows"],
  ["Space", "keep or remove the line, or the range"],
  ["mouse", "drag over lines to keep or remove them; Shift-click: a range"],
  ["Home End", "first, last line"],
  ["x", "next line that stands out: differing, lossy, contested"],
  ["n p", "next, previous page"],
  ["Enter", "done, and to the next page"],
  ["i", "ignore the page: nothing to learn from"],
  ["u", "undo"],
  ["1 2 3 4", "annotations, predictions, loss, adjudication"],
  ["h a ?", "history, agreement, keys"],
  ["Esc", "drop the range, close"],
];

function cell(row, text, name = "") {
  const made = row.insertCell();
  made.textContent = text;
  made.className = name;
  return made;
}

function open(title, ...nodes) {
  const heading = document.createElement("h2");
  heading.textContent = title;
  shown.replaceChildren(heading, ...nodes);
  if (!panel.open) panel.showModal();
}

export function showKeys() {
  const table = document.createElement("table");
  for (const [keys, what] of KEYS) {
    const row = table.insertRow();
    const first = row.insertCell();
    for (const key of keys.split(" ")) {
      const made = document.createElement("kbd");
      made.textContent = key;
      first.append(made, " ");
    }
    cell(row, what);
  }
  open("Keys", table);
}

export async function showHistory(digest, annotator) {
  const table = document.createElement("table");
  for (const entry of await read(`pages/${digest}/history`, { annotator })) {
    const row = table.insertRow();
    row.className = entry.undone ? "undone" : "";
    cell(row, entry.at.replace("T", " ").replace("+00:00", " UTC"));
    cell(row, entry.what);
  }
  open(`What ${annotator} did here`, table);
}

/** Two annotators, their kappa, and the pages they differ on; a click on one begins to settle it. */
export async function showAgreement(names, settle) {
  const pickers = [0, 1].map((at) => {
    const made = document.createElement("select");
    made.append(...names.map((name) => new Option(name, name)));
    made.selectedIndex = Math.min(at, names.length - 1);
    return made;
  });
  const words = document.createElement("p");
  words.id = "kappa";
  const table = document.createElement("table");
  const fill = async () => {
    const [first, second] = pickers.map((picker) => picker.value);
    const found = await read("agreement", { first, second });
    const kappa = found.kappa === null ? "not defined" : found.kappa.toFixed(3);
    words.textContent = `Cohen’s kappa ${kappa}: ${found.pages} pages, ${found.lines} lines, ${found.differing} differ`;
    table.replaceChildren();
    for (const page of found.by_page) {
      const row = table.insertRow();
      cell(row, page.url);
      cell(row, `${page.differing} of ${page.lines}`, "figure");
      cell(row, page.kappa === null ? "–" : page.kappa.toFixed(3), "figure");
      const settled = document.createElement("button");
      settled.textContent = "settle";
      settled.addEventListener("click", () => { panel.close(); settle(page.digest, first, second); });
      row.insertCell().append(settled);
    }
  };
  for (const picker of pickers) picker.addEventListener("change", fill);
  open("Agreement", ...pickers, words, table);
  await fill();
}
