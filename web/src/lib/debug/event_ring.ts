// The latest events, bounded in number and in size, whatever a gateway sends.
export const EVENTS_MAX = 1_000;
/** Characters kept of all events together. */
export const TEXT_MAX = 4_000_000;
/** Characters kept of one event. */
export const EVENT_TEXT_MAX = 100_000;

export interface SeenEvent {
  id: number;
  name: string;
  at: number;
  /** The payload as it came, perhaps cut. */
  text: string;
  /** How long it was before it was cut. */
  size: number;
}

function written(payload: unknown): string {
  try {
    return JSON.stringify(payload) ?? '';
  } catch {
    return '';
  }
}

export class EventRing {
  #events: SeenEvent[] = [];
  #kept = 0;
  #nextId = 1;
  #counts = new Map<string, number>();

  add(name: string, payload: unknown, at: number): void {
    const text = written(payload);
    const event = { id: this.#nextId++, name, at, text: text.slice(0, EVENT_TEXT_MAX), size: text.length };
    this.#events.push(event);
    this.#kept += event.text.length;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    let gone = 0;
    while (this.#events.length - gone > EVENTS_MAX || this.#kept > TEXT_MAX) {
      const oldest = this.#events[gone];
      if (!oldest) break;
      this.#kept -= oldest.text.length;
      gone += 1;
    }
    if (gone > 0) this.#events.splice(0, gone);
  }

  /** Newest first; `name` is looked for in names, empty is all. */
  list(name: string): SeenEvent[] {
    const wanted = name.trim().toLowerCase();
    const found = wanted === '' ? [...this.#events] : this.#events.filter((event) => event.name.toLowerCase().includes(wanted));
    return found.toReversed();
  }

  /** How often each was heard since the page was opened, the most frequent first. */
  counts(): [string, number][] {
    return [...this.#counts].toSorted((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
  }

  clear(): void {
    this.#events = [];
    this.#kept = 0;
    this.#counts.clear();
  }
}
