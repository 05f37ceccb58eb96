// Which rows of a long list are in view when rows have different heights: a few are measured, the others are guessed.

export interface Slice {
  first: number;
  /** Behind the last. */
  end: number;
  /** Where the first row begins. */
  top: number;
  /** The height of the whole list. */
  total: number;
}

/** Rows beyond the edges that are kept, so that scrolling does not show gaps. */
const MARGIN_PX = 400;

export class RowWindow {
  #measured = new Map<number, number>();

  constructor(readonly guess: number) {}

  /** A row's true height; answers whether that is news. */
  measure(id: number, height: number): boolean {
    if (!(height > 0) || (this.#measured.get(id) ?? this.guess) === height) return false;
    if (height === this.guess) this.#measured.delete(id);
    else this.#measured.set(id, height);
    return true;
  }

  /** Another width or wrapping makes everything known wrong. */
  forget(): void {
    this.#measured.clear();
  }

  heightOf(id: number): number {
    return this.#measured.get(id) ?? this.guess;
  }

  /** The rows to draw for what is in view. */
  slice(ids: readonly number[], scrollTop: number, viewHeight: number): Slice {
    const from = scrollTop - MARGIN_PX;
    const until = scrollTop + viewHeight + MARGIN_PX;
    let [first, end, top, total] = [-1, ids.length, 0, 0];
    for (let index = 0; index < ids.length; index += 1) {
      const height = this.heightOf(ids[index] ?? -1);
      if (first === -1 && total + height > from) [first, top] = [index, total];
      if (end === ids.length && total > until) end = index;
      total += height;
    }
    if (first === -1) [first, top] = [ids.length, total];
    return { first, end: Math.max(first, end), top, total };
  }
}
