// The part of a stored conversation this page holds: the newest messages, and older pages as far as
// somebody scrolled. Places in the transcript (`seq`) tell what belongs where, whatever came meanwhile.
import { fieldsOf, numberOf, stringOf } from '../read';
import type { ChatHistoryResult } from '../connection/wire';

/** Asked for twice at the seam of two pages, so that a message that came meanwhile leaves no hole. */
const SEAM = 4;

interface Kept {
  seq: number;
  id: string | undefined;
  message: unknown;
}

/** What an answer of `chat.history` says that matters here. */
export interface HistoryPage {
  sessionId?: string | null | undefined;
  messages?: readonly unknown[] | undefined;
  hasMore?: boolean | undefined;
  nextOffset?: number | null | undefined;
}

export class StoredHistory {
  hasMore = false;
  #sessionId: string | undefined;
  #kept: Kept[] = [];
  /** Where the oldest page ended, and how much was held then. */
  #end = { offset: 0, held: 0 };

  get size(): number {
    return this.#kept.length;
  }

  messages(): unknown[] {
    return this.#kept.map((kept) => kept.message);
  }

  holds(messageId: string): boolean {
    return this.#kept.some((kept) => kept.id === messageId);
  }

  /** Where the next older page begins, counted from the newest message. */
  get olderOffset(): number {
    return Math.max(0, this.#end.offset + (this.#kept.length - this.#end.held) - SEAM);
  }

  /** Whether between what is held and this newest page something is missing: more was said than fits a page. */
  leavesHole(page: HistoryPage): boolean {
    const [last, first] = [this.#kept.at(-1), read(page.messages)[0]];
    return last !== undefined && first !== undefined && page.hasMore === true && (page.sessionId ?? undefined) === this.#sessionId && first.seq > last.seq;
  }

  /** Takes the newest page over. Older pages stay when they join it. */
  adoptNewest(page: HistoryPage): void {
    const sessionId = page.sessionId ?? undefined;
    const fresh = read(page.messages);
    const first = fresh[0];
    const joint = first && this.#kept.findIndex((kept) => kept.seq === first.seq && kept.id === first.id);
    if (first && joint !== undefined && joint >= 0 && sessionId === this.#sessionId) {
      const held = this.#kept.length;
      this.#kept = [...this.#kept.slice(0, joint), ...fresh];
      // Nothing older than the joint is known: what the page says of its end is what counts.
      if (joint === 0) this.#setEnd(page, 0);
      else if (this.#kept.length < held) this.#end = { ...this.#end, offset: this.#end.offset - (held - this.#kept.length), held: this.#kept.length };
      return;
    }
    this.#sessionId = sessionId;
    this.#kept = fresh;
    this.#setEnd(page, 0);
  }

  /** Puts an older page above what is held; tells how many messages that were. */
  adoptOlder(page: HistoryPage, asked: number): number {
    const oldest = this.#kept[0]?.seq ?? Infinity;
    const older = read(page.messages).filter((kept) => kept.seq < oldest);
    this.#kept = [...older, ...this.#kept];
    this.#setEnd(page, asked);
    // An answer without anything new would be asked for again and again.
    if (older.length === 0) this.hasMore = false;
    return older.length;
  }

  /** Lets go of all but the newest, to be fetched again when wanted. */
  trim(count: number): boolean {
    if (this.#kept.length <= count) return false;
    const dropped = this.#kept.length - count;
    this.#end = { offset: this.#end.offset + (this.#kept.length - this.#end.held) - dropped, held: count };
    this.#kept = this.#kept.slice(-count);
    this.hasMore = true;
    return true;
  }

  clear(): void {
    this.#kept = [];
    this.#end = { offset: 0, held: 0 };
    this.hasMore = false;
  }

  #setEnd(page: HistoryPage, asked: number): void {
    this.hasMore = page.hasMore === true;
    this.#end = { offset: page.nextOffset ?? asked + (page.messages?.length ?? 0), held: this.#kept.length };
  }
}

/** Messages without a place get one that keeps their order; an odd gateway must not lose any. */
function read(messages: readonly unknown[] | undefined): Kept[] {
  let last = -1;
  return (messages ?? []).map((message) => {
    const meta = fieldsOf(fieldsOf(message).__openclaw);
    const seq = numberOf(meta.seq);
    last = seq !== undefined && seq > last ? seq : last + 0.001;
    return { seq: last, id: stringOf(meta.id), message };
  });
}

/** Whether a page shows a run that goes on but not what it answers: its lines could not be told to be its. */
export function beginsAmidRun(history: ChatHistoryResult): boolean {
  const runs = history.inFlightRun?.runId ?? history.sessionInfo?.activeRunIds?.[0];
  return runs !== undefined && history.hasMore === true && !history.messages?.some((message) => fieldsOf(message).role === 'user');
}
