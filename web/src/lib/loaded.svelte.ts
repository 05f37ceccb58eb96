// Something fetched from the gateway that a page shows: it knows whether it is being fetched,
// what went wrong, and fetches itself again after a reconnect, a gap or an event it depends on.
import type { App } from './app.svelte';

/** Reasons that come close together cause one fetch. */
const SOON_MS = 150;

export class Loaded<T> {
  value = $state.raw<T | undefined>();
  problem = $state<string | undefined>();
  loading = $state(false);
  #generation = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly fetch: () => Promise<T>,
    /** Events after which the value may be another. */
    private readonly events: readonly string[] = [],
  ) {}

  /** Call in an effect and return what it returns: fetches now, and again whenever needed, until the page is left. */
  follow(app: App): () => void {
    void this.refresh();
    const stop = app.listen((name) => {
      if (name === 'connected' || name === 'gap' || this.events.includes(name)) this.refreshSoon();
    });
    return () => {
      stop();
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#generation += 1;
    };
  }

  /** A stream of reasons does not hold the fetch back: the first one sets the time. */
  refreshSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.refresh();
    }, SOON_MS);
  }

  /** The newest fetch wins, whichever answer comes last. */
  async refresh(): Promise<void> {
    const generation = ++this.#generation;
    this.loading = true;
    try {
      const value = await this.fetch();
      if (generation !== this.#generation) return;
      this.value = value;
      this.problem = undefined;
    } catch (error) {
      if (generation !== this.#generation) return;
      this.problem = error instanceof Error ? error.message : String(error);
    } finally {
      if (generation === this.#generation) this.loading = false;
    }
  }
}
