// A long list of which only what is near the eye is on the page. It keeps the reader's place: at the end
// while they read along, else at the row they look at, whatever grows, shrinks or comes in above it.
import { Heights } from './heights';

/** This close to the end counts as reading along. */
const NEAR_END_PX = 64;
/** How far beyond the visible part rows are drawn. */
const OVERSCAN_PX = 1_200;
/** A list of no more rows needs no window. */
const SHORT_ROWS = 100;
/** Scrolling by less draws nothing new. */
const STEP_PX = 200;
/** Where a row that was searched for comes to stand, as a part of the visible height. */
const REVEAL_AT = 0.3;

/** So much of the row in view stays in view. */
const LEFT_PX = 60;

/** After so many frames what was opened is drawn and measured. */
const FRAMES_HELD = 4;

export interface Slice {
  start: number;
  end: number;
  /** Room for what is not drawn, above and below. */
  before: number;
  after: number;
}

export interface Rows {
  rows: readonly { key: string; kind: string }[];
  changedFrom: number;
  guess: (index: number) => number;
  /** Whether nothing is missing above: then a short list is drawn whole, for the browser's own search and for selecting. */
  whole: boolean;
}

export class ListWindow {
  following = $state(true);
  viewport = $state(0);
  /** Moves when a height changed. */
  version = $state(0);
  #seenTop = $state(0);
  #heights = new Heights();
  #rows: Rows['rows'] = [];
  #scroller: HTMLElement | undefined;
  #list: HTMLElement | undefined;
  #anchor: { key: string; offset: number } | undefined;
  /** Whether the anchor was chosen, not come upon; until the person scrolls. */
  #pinned = false;
  /** Whether something was just opened or closed by hand. */
  #held = false;
  #lastTop = 0;
  #expected = -1;
  #width = 0;
  #observer: ResizeObserver | undefined;

  /** What to draw of `given`. Reads everything it depends on, so it can stand in a derived value. */
  slice(given: Rows): Slice {
    void this.version;
    if (given.rows !== this.#rows) {
      this.#heights.setRows(given.rows, given.changedFrom, given.guess);
      this.#rows = given.rows;
    }
    const heights = this.#heights;
    if (given.whole && heights.count <= SHORT_ROWS) return { start: 0, end: heights.count, before: 0, after: 0 };
    const top = this.following ? heights.total - this.viewport : this.#seenTop - (this.#list?.offsetTop ?? 0);
    const start = heights.at(top - OVERSCAN_PX);
    const end = heights.count === 0 ? 0 : heights.at(top + this.viewport + OVERSCAN_PX) + 1;
    return { start, end, before: heights.top(start), after: heights.total - heights.top(end) };
  }

  /** Watches the element that scrolls and the list in it. */
  attach(scroller: HTMLElement, list: HTMLElement): () => void {
    this.#scroller = scroller;
    this.#list = list;
    this.#observer = new ResizeObserver((entries) => this.#measured(entries));
    this.#observer.observe(scroller);
    for (const row of list.querySelectorAll('[data-row]')) this.#observer.observe(row);
    const unpin = (): void => {
      this.#pinned = false;
    };
    for (const name of ['wheel', 'touchstart', 'keydown', 'pointerdown']) scroller.addEventListener(name, unpin, { passive: true });
    return () => {
      this.#observer?.disconnect();
      this.#observer = undefined;
      for (const name of ['wheel', 'touchstart', 'keydown', 'pointerdown']) scroller.removeEventListener(name, unpin);
    };
  }

  /** For each row's element: it is measured as long as it is there. */
  readonly row = (element: HTMLElement): (() => void) => {
    this.#observer?.observe(element);
    return () => this.#observer?.unobserve(element);
  };

  #measured(entries: readonly ResizeObserverEntry[]): void {
    let moved = false;
    for (const { target, borderBoxSize, contentRect } of entries) {
      const height = borderBoxSize[0]?.blockSize ?? contentRect.height;
      if (target === this.#scroller) {
        if (this.#width > 0 && Math.abs(contentRect.width - this.#width) > 1) this.#heights.forget();
        this.#width = contentRect.width;
        if (this.viewport !== contentRect.height) this.viewport = contentRect.height;
        moved = true;
      } else if (target instanceof HTMLElement && target.dataset.row !== undefined) {
        moved = this.#heights.measure(target.dataset.row, height) || moved;
      }
    }
    if (moved) this.version += 1;
  }

  /** Only a person scrolls up; growing content never does. So up means "let me read". */
  readonly onscroll = (): void => {
    const scroller = this.#scroller;
    if (!scroller) return;
    const top = scroller.scrollTop;
    // What is being opened or closed moves the page, not the person.
    if (this.#held) return;
    const own = Math.abs(top - this.#expected) < 2;
    if (!own) {
      const fromEnd = scroller.scrollHeight - top - scroller.clientHeight;
      if (fromEnd < NEAR_END_PX) this.following = true;
      else if (top < this.#lastTop) this.following = false;
      this.#pinned = false;
    }
    this.#lastTop = top;
    if (!this.following && !this.#pinned) this.#remember(top);
    if (Math.abs(top - this.#seenTop) > STEP_PX) this.#seenTop = top;
  };

  /** Something is opened by hand: what was clicked stays where it is. */
  hold(): void {
    if (!this.#scroller) return;
    this.#held = true;
    afterFrames(FRAMES_HELD, () => this.#release());
    this.#remember(this.#scroller.scrollTop);
    this.#seenTop = this.#scroller.scrollTop;
    this.following = false;
  }

  /** After opening: whether the end is still in view. */
  #release(): void {
    const scroller = this.#scroller;
    this.#held = false;
    if (scroller && scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_END_PX) this.following = true;
  }

  #remember(scrollTop: number): void {
    const y = scrollTop - (this.#list?.offsetTop ?? 0);
    let index = this.#heights.at(y);
    // A day's line moves when older messages of the day come in.
    while (this.#rows[index]?.kind === 'day' && index + 1 < this.#rows.length) index += 1;
    const row = this.#rows[index];
    this.#anchor = row && { key: row.key, offset: this.#heights.top(index) - y };
  }

  /** Puts the reader back where they were; call after the page was drawn. */
  place(): void {
    const scroller = this.#scroller;
    if (!scroller) return;
    let wanted = scroller.scrollHeight - scroller.clientHeight;
    if (!this.following) {
      const index = this.#anchor && this.#heights.indexOf(this.#anchor.key);
      if (index === undefined || !this.#anchor) return;
      // A row that became smaller must not leave the reader somewhere below it.
      const height = this.#heights.top(index + 1) - this.#heights.top(index);
      const offset = Math.max(this.#anchor.offset, Math.min(0, LEFT_PX - height));
      wanted = (this.#list?.offsetTop ?? 0) + this.#heights.top(index) - offset;
    }
    wanted = Math.max(0, Math.round(wanted));
    if (Math.abs(scroller.scrollTop - wanted) < 1) return;
    this.#expected = wanted;
    scroller.scrollTop = wanted;
    this.#expected = scroller.scrollTop;
    this.#lastTop = scroller.scrollTop;
    if (Math.abs(scroller.scrollTop - this.#seenTop) > STEP_PX) this.#seenTop = scroller.scrollTop;
  }

  toEnd(): void {
    this.#pinned = false;
    this.following = true;
    this.version += 1;
  }

  /** Brings a row into view; tells whether there is such a row. */
  reveal(key: string): boolean {
    const index = this.#heights.indexOf(key);
    if (index === undefined) return false;
    this.#pinned = true;
    this.following = false;
    this.#anchor = { key, offset: this.viewport * REVEAL_AT };
    this.#seenTop = (this.#list?.offsetTop ?? 0) + this.#heights.top(index) - this.viewport * REVEAL_AT;
    this.version += 1;
    return true;
  }
}

function afterFrames(count: number, then: () => void): void {
  requestAnimationFrame(() => (count > 1 ? afterFrames(count - 1, then) : then()));
}
