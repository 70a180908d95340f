/** Help, history, team and agreement, in a dialog. */

import { read } from "./api.js";

const panel = document.getElementById("panel");
const shown = document.getElementById("shown");

const KEYS = [
  ["j k ↓ ↑", "next, previous line with text; with Shift the range grows"],
  ["Space", "keep or remove the line, or the range"],
  ["mouse", "drag over lines to keep or remove them; Shift-click: a range"],
  ["Home End", "first, last line with text"],
  ["x", "next line where you and the model differ, or people do"],
  ["Enter", "the page is done; go to the next"],
  ["n p", "next, previous page"],
  ["y", "keep what the model keeps on this page"],
  ["i", "set the page aside: nothing to train on"],
  ["u", "undo"],
  ["1 2 3 4", "colours: my labels, model, unexpected labels, differences"],
  ["h t a ?", "changes, team, agreement, this help"],
  ["Esc", "give up the range, close"],
];

const QUESTION = "Keep a line if somebody who came for this page’s subject, and reads it from a book, would miss it.";
const KEEP = [
  "the title, the lead, every paragraph and subheading of the text, a date line under the title",
  "lists, tables, code and fact boxes of the text, as wholes, and captions of its pictures",
  "of a recipe: for how many, how long, ingredients, steps, tips",
  "of a product: name, description, properties, sizes, its price once",
  "of a forum: the title and every post, short ones too",
  "of a page that is a list: its entries, with what is said of each",
];
const REMOVE = [
  "menus, search, log-in, cookie questions, advertisements, footers",
  "an author’s or photographer’s name on a line of its own, tags, share, print, ratings",
  "what leads elsewhere: related, most read, “Read also …”, teasers, page numbers",
  "readers’ comments below an article or product",
  "boxes of the site: opening hours, newsletter, about us",
  "text that has stood on the page before",
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

function made(name, text) {
  const node = document.createElement(name);
  node.textContent = text;
  return node;
}

function listed(title, items) {
  const box = document.createElement("div");
  const list = document.createElement("ul");
  list.append(...items.map((item) => made("li", item)));
  box.append(made("h3", title), list);
  return box;
}

/** What counts as main text, and the keys. */
export function showHelp() {
  const rules = document.createElement("div");
  rules.className = "columns";
  rules.append(listed("Keep", KEEP), listed("Remove", REMOVE));
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
  const rest = "A page without main text is done with nothing kept. Blank lines may have any label. "
    + "Only pages that are marked as done are exported.";
  open("What counts as main text", made("p", QUESTION), rules, made("p", rest), made("h3", "Keys"), table);
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

/** Fills a panel now and again while it is open, so that it follows what the others do. */
async function live(fill, every) {
  await fill();
  const again = setInterval(() => fill().catch(() => {}), every);
  panel.addEventListener("close", () => clearInterval(again), { once: true });
}

const kappaOf = (kappa) => (kappa === null ? "–" : kappa.toFixed(3));

/** How far everybody is, and how far each two agree. */
export async function showTeam(every) {
  const progress = document.createElement("table");
  progress.id = "team-progress";
  const agreed = document.createElement("table");
  agreed.id = "team-agreement";
  const fill = async () => {
    const found = await read("team");
    progress.replaceChildren();
    for (const one of found.progress) {
      const row = progress.insertRow();
      cell(row, one.annotator);
      const bar = document.createElement("progress");
      bar.value = one.done / (found.pages || 1);
      row.insertCell().append(bar);
      cell(row, `${one.done} of ${found.pages} done`, "figure");
      cell(row, `${one.begun} begun, not done`, "figure");
      cell(row, `${one.ignored} set aside`, "figure");
    }
    agreed.replaceChildren();
    for (const pair of found.agreement) {
      const row = agreed.insertRow();
      cell(row, `${pair.first} and ${pair.second}`);
      cell(row, `kappa ${kappaOf(pair.kappa)}`, "figure");
      cell(row, `${pair.pages} pages, ${pair.differing} of ${pair.lines} lines differ`, "figure");
    }
  };
  open("Team", progress, agreed);
  await live(fill, every);
}

/** Two annotators, their kappa, and the pages they differ on; a click on one begins to settle it. */
export async function showAgreement(names, me, settle, every) {
  const pickers = [0, 1].map((at) => {
    const made = document.createElement("select");
    made.append(...names.map((name) => new Option(name, name)));
    return made;
  });
  const mine = Math.max(0, names.indexOf(me));
  pickers[0].selectedIndex = mine;
  pickers[1].selectedIndex = names.findIndex((_, at) => at !== mine);
  if (names.length < 2) return open("Agreement", "It takes two who have labelled pages.");
  const words = document.createElement("p");
  words.id = "kappa";
  const table = document.createElement("table");
  const fill = async () => {
    const [first, second] = pickers.map((picker) => picker.value);
    const found = await read("agreement", { first, second });
    const kappa = found.kappa === null ? "not defined" : kappaOf(found.kappa);
    words.textContent = `Cohen’s kappa ${kappa}: ${found.pages} pages, ${found.lines} lines, ${found.differing} differ`;
    table.replaceChildren();
    for (const page of found.by_page) {
      const row = table.insertRow();
      cell(row, page.url);
      cell(row, `${page.differing} of ${page.lines}`, "figure");
      cell(row, kappaOf(page.kappa), "figure");
      const settled = document.createElement("button");
      settled.textContent = "settle";
      settled.addEventListener("click", () => { panel.close(); settle(page.digest, first, second); });
      row.insertCell().append(settled);
    }
  };
  for (const picker of pickers) picker.addEventListener("change", fill);
  const what = "Cohen’s kappa measures agreement: 1 where two always say the same, 0 where they agree no more than by chance.";
  open("Agreement", ...pickers, words, made("p", what), table);
  await live(fill, every);
}
