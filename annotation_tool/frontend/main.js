/** Puts the parts together: what is shown, the mouse, the keys. */

import { change } from "./api.js";
import { contested, figuresOf, lossOf, paintLine } from "./colours.js";
import { LineList } from "./lines.js";
import { askName } from "./name.js";
import { showAgreement, showHelp, showHistory, showTeam } from "./panels.js";
import { Session } from "./session.js";

const $ = (id) => document.getElementById(id);
const FILTERS = ["order", "status", "lang", "site", "words"];
const MODES = ["annotations", "predictions", "loss", "adjudication"];
const ANCHOR = "skord-line-";
const LIVE_MS = 3000; // between looks at what the others have done
const view = { mode: "annotations", threshold: null, current: 0, anchor: 0, dragged: null };

const session = new Session(show, (words) => {
  $("error").textContent = words;
  $("error").hidden = !words;
});
const list = new LineList($("lines"), (number, row) => paintLine(session.page, view, number, row));

// -- what is shown ---------------------------------------------------------------

function show() {
  const { page, queue, state, annotator } = session;
  if (!page) return;
  list.refresh();
  document.body.dataset.mode = view.mode;
  document.body.classList.toggle("ignored", page.is_ignored);
  for (const button of $("modes").children) {
    button.setAttribute("aria-checked", button.dataset.mode === view.mode);
  }
  $("who").textContent = annotator;
  $("accept").disabled = !page.probabilities;
  $("done").setAttribute("aria-pressed", page.is_done);
  $("ignore").setAttribute("aria-pressed", page.is_ignored);
  $("figures").textContent = figuresOf(page, view);
  const at = session.index;
  $("place").textContent = at < 0 ? `– of ${queue.length}` : `${at + 1} of ${queue.length}`;
  $("previous").disabled = at <= 0;
  $("next").disabled = at < 0 ? !queue.length : at >= queue.length - 1;
  counts();
  document.body.dataset.revision = page.revision;
  followCurrent();
}

function counts() {
  const { state, annotator } = session;
  const done = state.annotators[annotator] ?? 0;
  $("bar").value = done / (state.pages || 1);
  const others = Object.entries(state.annotators)
    .filter(([name]) => name !== annotator && name !== state.adjudicated)
    .map(([name, pages]) => `${name} ${pages}`);
  const mine = [`${done} of ${state.pages} done`];
  if (session.begun) mine.push(`${session.begun} begun`);
  $("count").textContent = [...mine, ...others].join(" · ");
  $("count").title = "Pages that are begun and not done are left out of an export unless it asks for them.";
}

/** The archived page shows the line at the cursor: its address says which, no script runs there. */
function followCurrent() {
  const { page } = session;
  if (!page.has_archived || !view.framed) return;
  const there = `/archived/${page.digest}#${ANCHOR}${view.current}`;
  if (view.there === there) return;
  view.there = there;
  $("archived").contentWindow.location.replace(there);
  document.body.dataset.followed = view.current;
}

async function open(digest) {
  await session.open(digest);
  const { page } = session;
  Object.assign(view, { current: 0, anchor: 0, dragged: null });
  list.show(page.text);
  history.replaceState(null, "", `#${digest}`);
  $("address").textContent = `${page.lang || "?"} · ${page.url}`;
  Object.assign(view, { framed: false, there: "" });
  $("archived").src = `/archived/${digest}`;
  $("archived").hidden = !page.has_archived;
  show();
  $("lines").focus();
  document.body.dataset.open = digest;
}

async function step(by) {
  const to = session.queue[session.index < 0 ? 0 : session.index + by];
  if (to) await open(to.digest);
}

function choices(select, counts) {
  const was = select.value;
  const options = Object.entries(counts).map(([name, n]) => new Option(`${name || "?"} (${n})`, name));
  select.replaceChildren(new Option("all", ""), ...options.filter((option) => option.value));
  select.value = was in counts ? was : "";
}

$("archived").addEventListener("load", () => {
  view.framed = true;
  if (session.page) followCurrent();
});

/** As somebody else, or at the first visit, whose name is asked for. */
async function as(name) {
  session.annotator = await askName(name, await session.look());
  localStorage.setItem("annotator", session.annotator);
  await load();
}

async function load() {
  if (!session.annotator) return;
  const filters = Object.fromEntries(FILTERS.map((name) => [name, $(name).value]));
  await session.load(filters);
  if (view.threshold === null) setThreshold(session.state.threshold);
  choices($("lang"), session.state.languages);
  choices($("site"), session.state.sites);
  const asked = location.hash.slice(1);
  const there = session.queue.some((entry) => entry.digest === asked);
  const first = there ? asked : session.queue[0]?.digest;
  if (first) await open(first);
  else if (session.page) show();
}

/** The same page as the settled one, with what both annotators said beside each line. */
async function settle(digest, first, second) {
  await change(`pages/${digest}/adjudication`, { first, second });
  session.annotator = session.state.adjudicated;
  location.hash = digest;
  view.mode = "adjudication";
  $("status").value = "all";
  await load();
  toNextStanding();
}

// -- lines -----------------------------------------------------------------------

function move(to, extend) {
  view.current = Math.min(Math.max(to, 0), session.page.text.length - 1);
  if (!extend) view.anchor = view.current;
  list.reveal(view.current);
  list.refresh();
  followCurrent();
}

/** The next line with text in a direction, or the same line where there is none. */
function visibleFrom(start, by) {
  const { text } = session.page;
  for (let n = start; n >= 0 && n < text.length; n += by) if (text[n].trim()) return n;
  return view.current;
}

function toggleRange() {
  const [first, last] = [view.anchor, view.current].sort((a, b) => a - b);
  session.label(first, last, !session.page.kept.has(view.current));
  move(view.current, false);
}

function standsOut(number) {
  const { page } = session;
  if (!page.text[number].trim()) return false;
  if (contested(page, number) && view.mode === "adjudication") return true;
  if (view.mode === "loss") return lossOf(page, number) > 1;
  const predicted = (page.probabilities?.[number] ?? 0) / 255 >= view.threshold;
  return view.mode !== "adjudication" && predicted !== page.kept.has(number);
}

function toNextStanding() {
  const { length } = session.page.text;
  for (let by = 1; by <= length; by++) {
    const number = (view.current + by) % length;
    if (standsOut(number)) return move(number, false);
  }
}

$("lines").addEventListener("pointerdown", (event) => {
  if (event.button !== 0 || !session.page || event.offsetX > $("lines").clientWidth) return;
  if (!event.target.closest(".line")) return;
  const number = list.under(event.clientY);
  if (event.shiftKey) {
    move(number, true);
    return toggleRange();
  }
  view.dragged = { first: number, last: number, keep: !session.page.kept.has(number) };
  move(number, false);
  // Movement and release are heard wherever they happen: over the archived page, which would
  // swallow them, and outside of the window.
  document.body.classList.add("dragging");
  $("lines").setPointerCapture(event.pointerId);
});
$("lines").addEventListener("pointermove", (event) => {
  if (!view.dragged) return;
  const box = $("lines").getBoundingClientRect();
  if (event.clientY < box.top + 20) $("lines").scrollTop -= 30;
  if (event.clientY > box.bottom - 20) $("lines").scrollTop += 30;
  view.dragged.last = list.under(event.clientY);
  list.refresh();
});
function release() {
  if (!view.dragged) return;
  const { first, last, keep } = view.dragged;
  view.dragged = null;
  document.body.classList.remove("dragging");
  view.current = view.anchor = last;
  followCurrent();
  session.label(Math.min(first, last), Math.max(first, last), keep);
}
$("lines").addEventListener("pointerup", release);
$("lines").addEventListener("lostpointercapture", release);

// -- keys and buttons ------------------------------------------------------------

function setMode(mode) {
  view.mode = mode;
  show();
}

/** What the others said is told to whoever is done, so it is asked for then. */
async function toggle(name) {
  const { digest } = session.page;
  await session.mark({ [name]: !session.page[name] });
  if (name === "is_done" && session.page.digest === digest) await session.open(digest);
  show();
}
/** All lines as predicted, at the threshold of the slider; one change, which one undo takes back. */
function accept() {
  const { page } = session;
  if (!page.probabilities) return;
  session.relabel(page.probabilities.map((p) => p / 255 >= view.threshold));
}
async function finish() {
  session.mark({ is_done: true });
  await step(1);
}
// What is shown there is asked of the server, so what is on its way must have arrived.
async function past() {
  await session.sent;
  await showHistory(session.page.digest, session.annotator);
}
async function agreement() {
  await session.sent;
  const names = Object.keys((await session.look()).annotators);
  await showAgreement(names, session.annotator, settle, LIVE_MS);
}
async function team() {
  await session.sent;
  await showTeam(LIVE_MS);
}
const down = (e) => move(visibleFrom(view.current + 1, 1), e.shiftKey);
const up = (e) => move(visibleFrom(view.current - 1, -1), e.shiftKey);

const DO = {
  j: down,
  k: up,
  arrowdown: down,
  arrowup: up,
  home: (e) => move(visibleFrom(0, 1), e.shiftKey),
  end: (e) => move(visibleFrom(session.page.text.length - 1, -1), e.shiftKey),
  " ": toggleRange,
  x: toNextStanding,
  n: () => step(1),
  p: () => step(-1),
  enter: finish,
  i: () => toggle("is_ignored"),
  u: () => session.undo(),
  y: accept,
  h: past,
  t: team,
  a: agreement,
  "?": showHelp,
  escape: () => {
    view.dragged = null;
    document.body.classList.remove("dragging");
    move(view.current, false);
  },
  ...Object.fromEntries(MODES.map((mode, at) => [`${at + 1}`, () => setMode(mode)])),
};

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, select, dialog, button");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !session.page) return;
  const act = DO[event.key.toLowerCase()];
  if (!act) return;
  event.preventDefault();
  act(event);
});

const CLICKS = {
  previous: () => step(-1), next: () => step(1), done: () => toggle("is_done"),
  ignore: () => toggle("is_ignored"), undo: () => session.undo(), history: past,
  accept, team, agreement, help: showHelp, who: () => as(""),
};
for (const [id, act] of Object.entries(CLICKS)) {
  $(id).addEventListener("click", async () => {
    if (session.page || id === "who") await act();
    if (!$("panel").open && !$("name").open) $("lines").focus();
  });
}
$("modes").addEventListener("click", (event) => {
  if (event.target.dataset.mode && session.page) setMode(event.target.dataset.mode);
  $("lines").focus();
});
function setThreshold(threshold) {
  view.threshold = threshold;
  $("threshold").querySelector("input").value = threshold;
  $("threshold").querySelector("output").textContent = threshold.toFixed(2);
}
$("threshold").addEventListener("input", (event) => {
  setThreshold(Number(event.target.value));
  if (session.page) show();
});
for (const id of FILTERS) $(id).addEventListener("change", load);
// A click into the archived page would take the keyboard with it.
window.addEventListener("blur", () => setTimeout(() => {
  if (document.activeElement === $("archived")) $("lines").focus();
}));

setInterval(async () => {
  if (!session.page || document.hidden) return;
  const mine = session.state.annotators[session.annotator];
  const { annotators } = await session.look().catch(() => session.state);
  session.state.annotators = { ...annotators, [session.annotator]: mine ?? 0 };
  counts();
}, LIVE_MS);

const given = new URLSearchParams(location.search).get("annotator");
as(given ?? localStorage.getItem("annotator") ?? "").catch((error) => session.onError(error.message));
