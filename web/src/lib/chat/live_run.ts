// The text of a run while it streams. The gateway sends one growing text per run,
// with tool use in between; this cuts it into the segments people see.
import { numberOf, stringOf } from '../read';

/** A model did not answer, and what is done about it. */
export interface Trouble {
  model: string;
  /** The HTTP status, where there was one. */
  status: number | undefined;
  /** The gateway's word for it: `overloaded`, `rate_limit`, `timeout` … */
  reason: string;
  /** `wait`, `next_model`, `next_profile`, `less_thinking` or `give_up`. */
  next: string;
  /** When it is tried again, by this page's clock. */
  againAt: number | undefined;
}

/** Reads what the gateway tells of a failed attempt. */
export function readTrouble(data: Record<string, unknown>, now: number): Trouble {
  const wait = numberOf(data.retryInMs);
  return {
    model: [stringOf(data.provider), stringOf(data.model)].filter(Boolean).join('/'),
    status: numberOf(data.status),
    reason: stringOf(data.reason) ?? '',
    next: stringOf(data.next) ?? '',
    againAt: wait === undefined ? undefined : now + wait,
  };
}

/** Where the run's text stands, and which part of it is the segment being written. */
export class LiveRun {
  /** Everything the run said so far. */
  text = '';
  segment = 0;
  thought = 0;
  phase: string | undefined;
  /** What went wrong on the way to an answer, until there is one. */
  trouble: Trouble | undefined;
  /** Whether the gateway has confirmed it knows this run. */
  acknowledged = false;
  #base = 0;

  constructor(readonly runId: string) {}

  /** The part of the text that belongs to the current segment. */
  get current(): string {
    return this.text.slice(this.#base).replace(/^\n+/, '');
  }

  append(delta: string): void {
    this.text += delta;
  }

  /**
   * Takes the whole text as the gateway knows it, repairing anything missed. A text that does
   * not begin with what is already settled is taken as the current segment alone.
   */
  replace(full: string): void {
    const settled = this.text.slice(0, this.#base);
    if (full.startsWith(settled)) this.text = full;
    else this.text = settled + full;
  }

  /** Ends the current segment: a tool is used, and what follows is a new paragraph below it. */
  seal(): void {
    if (!this.current.trim()) return;
    this.#base = this.text.length;
    this.segment += 1;
  }

  /** Starts over from stored segments and the run's full text, after a reload or a gap. */
  resume(full: string, stored: readonly string[]): void {
    let base = 0;
    for (const text of stored) {
      const trimmed = text.trim();
      const found = full.indexOf(trimmed, base);
      if (found >= 0) base = found + trimmed.length;
    }
    this.text = full;
    this.#base = base;
    this.segment = stored.length;
  }
}
