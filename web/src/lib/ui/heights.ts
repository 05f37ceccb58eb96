// Where each row of a long list stands: measured heights where they are known, guesses elsewhere.

export class Heights {
  #keys: string[] = [];
  #known = new Map<string, number>();
  #guesses: number[] = [];
  /** `#tops[i]` is where row `i` begins; one more for the end. */
  #tops = new Float64Array(1);
  #index = new Map<string, number>();
  #dirtyFrom = 0;

  get count(): number {
    return this.#keys.length;
  }

  /** Rows before `from` are the same as before. */
  setRows(rows: readonly { key: string }[], from: number, guess: (index: number) => number): void {
    const start = Math.min(from, this.#keys.length);
    for (let index = start; index < this.#keys.length; index += 1) this.#index.delete(this.#keys[index] ?? '');
    this.#keys.length = start;
    this.#guesses.length = start;
    for (let index = start; index < rows.length; index += 1) {
      const key = rows[index]?.key ?? '';
      this.#keys.push(key);
      this.#guesses.push(guess(index));
      this.#index.set(key, index);
    }
    this.#dirtyFrom = Math.min(this.#dirtyFrom, start);
  }

  /** Notes a measured height; tells whether anything moves. */
  measure(key: string, height: number): boolean {
    if (Math.abs((this.#known.get(key) ?? -1) - height) < 0.5) return false;
    this.#known.set(key, height);
    const index = this.#index.get(key);
    if (index === undefined) return false;
    this.#dirtyFrom = Math.min(this.#dirtyFrom, index);
    return true;
  }

  /** Another width: everything measured is only a guess now. */
  forget(): void {
    for (const [key, height] of this.#known) {
      const index = this.#index.get(key);
      if (index !== undefined) this.#guesses[index] = height;
    }
    this.#known.clear();
    this.#dirtyFrom = 0;
  }

  indexOf(key: string): number | undefined {
    return this.#index.get(key);
  }

  top(index: number): number {
    this.#settle();
    return this.#tops[Math.max(0, Math.min(index, this.#keys.length))] ?? 0;
  }

  get total(): number {
    return this.top(this.#keys.length);
  }

  /** The row in which `y` lies; the nearest when outside. */
  at(y: number): number {
    this.#settle();
    let low = 0;
    let high = this.#keys.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#tops[middle] ?? 0) <= y) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }

  #settle(): void {
    const { length } = this.#keys;
    if (this.#tops.length < length + 1) {
      const grown = new Float64Array(Math.ceil((length + 1) * 1.5));
      grown.set(this.#tops);
      this.#tops = grown;
    }
    for (let index = this.#dirtyFrom; index < length; index += 1) {
      const height = this.#known.get(this.#keys[index] ?? '') ?? this.#guesses[index] ?? 0;
      this.#tops[index + 1] = (this.#tops[index] ?? 0) + height;
    }
    this.#dirtyFrom = length;
  }
}
