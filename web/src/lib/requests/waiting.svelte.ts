// What waits for a person's decision: told by events, fetched anew when in doubt. An answer is
// shown as given only when the gateway says so.
import { strings } from '../strings';

/** Ended ones remembered, so that a list fetched before their end does not revive them. */
const ENDED_MAX = 64;

export class Waiting<T extends { id: string }> {
  /** In the order they are shown. */
  pending = $state.raw<readonly T[]>([]);
  /** The one an answer is on its way for. */
  answering = $state<string | undefined>();
  problem = $state<string | undefined>();
  #ended = new Set<string>();

  /** Without an order they stay as they came. */
  constructor(private readonly order: (one: T, other: T) => number = () => 0) {}

  protected add(items: readonly T[]): void {
    const fresh = items.filter((one) => !this.#ended.has(one.id) && !this.pending.some((known) => known.id === one.id));
    if (fresh.length > 0) this.pending = [...this.pending, ...fresh].sort(this.order);
  }

  /** A list just fetched wins over what was believed. */
  protected replace(items: readonly T[]): void {
    this.pending = [];
    this.add(items);
  }

  protected end(id: string): void {
    this.#ended.add(id);
    for (const oldest of this.#ended) {
      if (this.#ended.size <= ENDED_MAX) break;
      this.#ended.delete(oldest);
    }
    this.pending = this.pending.filter((one) => one.id !== id);
    if (this.answering === undefined) this.problem = undefined;
  }

  /** Sends an answer, one at a time. `isOver` knows the errors that mean that nothing is left to answer. */
  protected async decide(item: T, send: () => Promise<unknown>, isOver: (error: unknown) => boolean): Promise<void> {
    if (this.answering) return;
    this.answering = item.id;
    this.problem = undefined;
    try {
      await send();
      this.end(item.id);
    } catch (error) {
      if (isOver(error)) this.end(item.id);
      else this.problem = strings.actionFailed(error instanceof Error ? error.message : String(error));
    } finally {
      this.answering = undefined;
    }
  }
}
