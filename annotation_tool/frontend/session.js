/** The queue, the page that is open, and the changes on their way. */

import { StaleError, change, read } from "./api.js";

export class Session {
  /** @param {() => void} changed called when there is something new to be seen
   *  @param {(words: string) => void} onError called with what went wrong, "" when it is over */
  constructor(changed, onError) {
    this.changed = changed;
    this.onError = onError;
    this.annotator = "";
    this.queue = [];
    this.page = null;
    this.state = null;
    this.sent = Promise.resolve();
  }

  get index() {
    return this.queue.findIndex((entry) => entry.digest === this.page?.digest);
  }

  /** What there is now, and who has done how much. */
  look() {
    return read("state");
  }

  async load(filters) {
    [this.state, this.queue] = await Promise.all([
      read("state"), read("queue", { annotator: this.annotator, ...filters })]);
  }

  async open(digest) {
    await this.sent;
    const page = await read(`pages/${digest}`, { annotator: this.annotator });
    page.kept = new Set(page.selected_lines);
    for (const name of Object.keys(page.others)) page.others[name] = new Set(page.others[name]);
    this.page = page;
  }

  /** Keeps or removes lines at once, and sends it. */
  label(first, last, keep) {
    const { kept } = this.page;
    for (let n = first; n <= last; n++) keep ? kept.add(n) : kept.delete(n);
    return this.send("labels", { changes: [{ first, last, keep }] });
  }

  /** All lines at once, by whether each is kept. */
  relabel(kept) {
    this.page.kept = new Set(kept.flatMap((keep, number) => (keep ? [number] : [])));
    const changes = [];
    kept.forEach((keep, number) => {
      const last = changes.at(-1);
      if (last?.keep === keep) last.last = number;
      else changes.push({ first: number, last: number, keep });
    });
    return this.send("labels", { changes });
  }

  mark(marks) {
    Object.assign(this.page, marks);
    return this.send("marks", marks);
  }

  undo() {
    return this.send("undo", {}, true);
  }

  /** One change after another: each is made on the revision that the last one led to. */
  send(what, body, adopt = false) {
    const { page, annotator } = this;
    this.changed();
    this.sent = this.sent.then(async () => {
      try {
        const path = `pages/${page.digest}/${what}`;
        const now = await change(path, { annotator, revision: page.revision, ...body });
        page.revision = now.revision;
        if (adopt) this.adopt(page, now);
        this.noted(page);
        this.onError("");
      } catch (error) {
        await this.recover(page, error);
      }
      this.changed();
    });
    return this.sent;
  }

  adopt(page, now) {
    page.kept = new Set(now.selected_lines);
    page.is_ignored = now.is_ignored;
    page.is_done = now.is_done;
    page.revision = now.revision;
  }

  /** The queue's row and the count follow what was saved. */
  noted(page) {
    const entry = this.queue.find((row) => row.digest === page.digest);
    if (!entry) return;
    const done = (this.state.annotators[this.annotator] ?? 0) + page.is_done - entry.is_done;
    this.state.annotators[this.annotator] = done;
    entry.is_done = page.is_done;
    entry.is_ignored = page.is_ignored;
    entry.is_begun = !page.is_done && !page.is_ignored;
  }

  /** Pages in the queue that are touched, and neither done nor set aside. */
  get begun() {
    return this.queue.filter((entry) => entry.is_begun).length;
  }

  /** Nothing on the screen may look saved that is not: what the server has is shown again. */
  async recover(page, error) {
    const why = error instanceof StaleError ? "changed in another window" : error.message;
    this.onError(`Not saved (${why}). Shown is what was saved last.`);
    try {
      this.adopt(page, await read(`pages/${page.digest}`, { annotator: this.annotator }));
    } catch {
      this.onError(`Not saved: the server does not answer (${why}).`);
    }
  }
}
