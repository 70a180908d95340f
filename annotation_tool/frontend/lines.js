/**
 * A list of thousands of lines of which only those in sight are in the document.
 *
 * A line's height is guessed from its length until it has been drawn, and measured then. What
 * is in sight stays in place when a guess above it proves wrong.
 */

const GUESS = 22;
const BEYOND = 400; // pixels drawn above and below what is in sight

export class LineList {
  /**
   * @param {HTMLElement} box scrolls
   * @param {(number: number, row: HTMLElement) => void} paint gives a row its classes and words
   */
  constructor(box, paint) {
    this.box = box;
    this.paint = paint;
    this.spacer = document.createElement("div");
    this.spacer.className = "spacer";
    box.append(this.spacer);
    this.rows = new Map();
    this.texts = [];
    box.addEventListener("scroll", () => this.draw(), { passive: true });
    // Only another width breaks lines elsewhere.
    new ResizeObserver(() => (box.clientWidth === this.width ? this.draw() : this.remeasure())).observe(box);
  }

  /** Shows other lines, from the top. */
  show(texts) {
    this.texts = texts;
    this.box.scrollTop = 0;
    this.remeasure();
  }

  remeasure() {
    this.width = this.box.clientWidth;
    const across = Math.max(20, (this.box.clientWidth - 120) / 7.2);
    this.heights = Float64Array.from(this.texts, (text) =>
      GUESS * Math.min(8, Math.max(1, Math.ceil(text.length / across))));
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    this.place();
    this.draw();
  }

  /** Where each line begins, in pixels. */
  place() {
    this.tops = new Float64Array(this.heights.length + 1);
    for (let n = 0; n < this.heights.length; n++) this.tops[n + 1] = this.tops[n] + this.heights[n];
    this.spacer.style.height = `${this.tops[this.heights.length]}px`;
  }

  /** The line at a height in the list. */
  at(top) {
    let low = 0, high = this.texts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.tops[middle] <= top) low = middle; else high = middle - 1;
    }
    return low;
  }

  /** The line under a point of the window; the nearest one where the point is outside. */
  under(clientY) {
    const box = this.box.getBoundingClientRect();
    const inside = Math.min(Math.max(clientY, box.top), box.bottom - 1);
    return this.at(inside - box.top + this.box.scrollTop);
  }

  draw() {
    if (!this.texts.length) return;
    const top = this.box.scrollTop;
    const first = this.at(top - BEYOND);
    const last = this.at(top + this.box.clientHeight + BEYOND);
    for (const [number, row] of this.rows) {
      if (number < first || number > last) {
        row.remove();
        this.rows.delete(number);
      }
    }
    const added = [];
    for (let number = first; number <= last; number++) {
      if (!this.rows.has(number)) added.push(this.make(number));
    }
    this.spacer.append(...added);
    if (added.length) this.settle(top);
  }

  make(number) {
    const row = document.createElement("div");
    row.className = "line";
    row.dataset.number = number;
    for (const name of ["number", "text", "said"]) {
      const part = document.createElement("span");
      part.className = name;
      row.append(part);
    }
    row.children[0].textContent = number + 1;
    row.children[1].textContent = this.texts[number];
    row.style.top = `${this.tops[number]}px`;
    this.paint(number, row);
    this.rows.set(number, row);
    return row;
  }

  /** Takes the heights that rows turned out to have. */
  settle(top) {
    const inSight = this.at(top);
    const before = this.tops[inSight];
    let wrong = false;
    const found = [...this.rows].map(([number, row]) => [number, row.getBoundingClientRect().height]);
    for (const [number, height] of found) {
      if (Math.abs(height - this.heights[number]) > 0.5) {
        this.heights[number] = height;
        wrong = true;
      }
    }
    if (!wrong) return;
    this.place();
    for (const [number, row] of this.rows) row.style.top = `${this.tops[number]}px`;
    if (this.tops[inSight] !== before) this.box.scrollTop = top + this.tops[inSight] - before;
    else this.draw();
  }

  /** Paints what is in sight again. */
  refresh() {
    for (const [number, row] of this.rows) this.paint(number, row);
    // What is said beside a line can break it elsewhere.
    if (this.texts.length) this.settle(this.box.scrollTop);
  }

  /** Scrolls so that a line is in sight. */
  reveal(number) {
    const top = this.tops[number], bottom = this.tops[number + 1];
    const height = this.box.clientHeight;
    if (top < this.box.scrollTop + 40) this.box.scrollTop = Math.max(0, top - 80);
    else if (bottom > this.box.scrollTop + height - 40) this.box.scrollTop = bottom - height + 80;
    this.draw();
  }
}
