// Searching in one conversation: what is on the page, and through the gateway what is further up.
import type { App } from '../app.svelte';
import type { ChatSession } from './chat.svelte';
import { toolSummary } from './tool_summary';
import type { Item } from './transcript';

/** Waits for the person to finish typing before the gateway is asked. */
const ASK_MS = 250;
const OLDER_MAX = 25;
/** The gateway still reads old transcripts: it is asked again after this, so many times. */
const AGAIN_MS = 700;
const AGAIN_MAX = 30;

interface Hit {
  messageId: string;
  timestamp: number;
}

export class Finder {
  open = $state(false);
  query = $state('');
  looking = $state(false);
  /** Found by the gateway in messages that are not here. */
  #hits = $state.raw<readonly Hit[]>([]);
  /** Which match is looked at, counted from the oldest. */
  #at = $state(-1);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;
  #texts = new WeakMap<Item, string>();

  readonly needle = $derived(this.query.trim().toLowerCase());
  /** Items that hold the words, oldest first. */
  readonly matches = $derived.by(() => {
    if (!this.open || this.needle === '') return [];
    return this.chat.items.filter((item) => this.#textOf(item).includes(this.needle));
  });
  readonly older = $derived.by(() => {
    if (this.#hits.length === 0) return [];
    const here = new Set(this.chat.items.map((item) => ('messageId' in item ? item.messageId : undefined)));
    return this.#hits.filter((hit) => !here.has(hit.messageId));
  });
  readonly count = $derived(this.older.length + this.matches.length);
  readonly position = $derived(this.count === 0 ? 0 : Math.min(this.#at < 0 ? this.count : this.#at + 1, this.count));
  readonly current = $derived(this.matches[this.position - 1 - this.older.length]);

  constructor(
    private readonly app: Pick<App, 'request'>,
    private readonly chat: ChatSession,
  ) {}

  type(query: string): void {
    this.query = query;
    this.#at = -1;
    this.#hits = [];
    clearTimeout(this.#timer);
    this.looking = this.chat.hasMore && this.needle !== '';
    if (this.looking) this.#timer = setTimeout(() => void this.#ask(this.needle), ASK_MS);
  }

  close(): void {
    this.open = false;
    clearTimeout(this.#timer);
    this.looking = false;
  }

  /** Goes to an older (-1) or newer (1) match, loading up to it; answers with the item to show. */
  async step(by: 1 | -1): Promise<Item | undefined> {
    if (this.count === 0) return undefined;
    const next = (this.position - 1 + by + this.count) % this.count;
    const far = this.older[next];
    if (!far) {
      this.#at = next;
      return this.current;
    }
    this.looking = true;
    try {
      if (!(await this.chat.loadUntil(far.messageId))) {
        this.#hits = this.#hits.filter((hit) => hit !== far);
        return undefined;
      }
    } finally {
      this.looking = false;
    }
    // What was further up is here now; the words may stand in another part of the message.
    const item = this.chat.items.find((one) => 'messageId' in one && one.messageId === far.messageId);
    const index = item ? this.matches.indexOf(item) : -1;
    this.#at = index < 0 ? this.older.length : this.older.length + index;
    return item;
  }

  async #ask(query: string, turn = 0): Promise<void> {
    const asked = ++this.#asked;
    let again = false;
    try {
      const { results, indexing } = await this.app.request('sessions.search', { query, sessionKeys: [this.chat.key], limit: OLDER_MAX });
      if (asked === this.#asked && query === this.needle) {
        again = indexing === true && turn < AGAIN_MAX;
        const at = this.#at;
        const before = this.older.length;
        this.#hits = results.map(({ messageId, timestamp }) => ({ messageId, timestamp })).sort((one, other) => one.timestamp - other.timestamp);
        // The match looked at stays the same though older ones were found.
        if (at >= 0) this.#at = at + this.older.length - before;
      }
    } catch {
      // Only what is here can be searched, then.
    } finally {
      if (again) this.#timer = setTimeout(() => void this.#ask(query, turn + 1), AGAIN_MS);
      else if (asked === this.#asked) this.looking = false;
    }
  }

  #textOf(item: Item): string {
    const known = this.#texts.get(item);
    if (known !== undefined) return known;
    const text = (item.kind === 'tool' ? `${item.name} ${toolSummary(item.args)}` : item.kind === 'thinking' ? '' : item.text).toLowerCase();
    this.#texts.set(item, text);
    return text;
  }
}

/** Marks words on the page without touching it; browsers that cannot do that show only the message. */
export function highlight(root: HTMLElement, needle: string, current: string | undefined): void {
  if (typeof CSS === 'undefined' || !('highlights' in CSS)) return;
  const [found, now] = [new Highlight(), new Highlight()];
  if (needle) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent?.toLowerCase() ?? '';
      for (let at = text.indexOf(needle); at >= 0 && found.size < HIGHLIGHTS_MAX; at = text.indexOf(needle, at + needle.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + needle.length);
        const isCurrent = current !== undefined && node.parentElement?.closest<HTMLElement>('[data-row]')?.dataset.row === current;
        (isCurrent ? now : found).add(range);
      }
    }
  }
  CSS.highlights.set('found', found);
  CSS.highlights.set('found-now', now);
}

/** Where the words first stand beneath an element. */
export function firstMatch(root: HTMLElement, needle: string): Range | undefined {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const at = needle ? (node.textContent?.toLowerCase().indexOf(needle) ?? -1) : -1;
    if (at < 0) continue;
    const range = new Range();
    range.setStart(node, at);
    range.setEnd(node, at + needle.length);
    return range;
  }
  return undefined;
}

const HIGHLIGHTS_MAX = 1_000;

export function clearHighlight(): void {
  if (typeof CSS === 'undefined' || !('highlights' in CSS)) return;
  CSS.highlights.delete('found');
  CSS.highlights.delete('found-now');
}
