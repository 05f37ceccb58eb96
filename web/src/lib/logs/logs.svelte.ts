// The log as it is written: the end of the file, then what is added, asked for again and again while the page is seen.
import type { App } from '../app.svelte';
import { type LogLine, appended, readLine } from './logs';

const POLL_MS = 1_000;
const FIRST_LINES = 5_000;
const MAX_BYTES = 1_000_000;

export class LogTail {
  lines = $state.raw<readonly LogLine[]>([]);
  loaded = $state(false);
  paused = $state(false);
  problem = $state<string | undefined>();
  file = $state('');
  /** Something was left out: there is more in the file than could be fetched. */
  skipped = $state(false);
  #cursor: number | undefined;
  #nextId = 0;
  #asking = false;

  constructor(private readonly app: App) {}

  follow(): () => void {
    void this.#ask();
    const timer = setInterval(() => {
      if (!this.paused && !document.hidden) void this.#ask();
    }, POLL_MS);
    const stop = this.app.listen((name) => {
      if (name === 'connected') void this.#ask();
    });
    return () => {
      clearInterval(timer);
      stop();
    };
  }

  /** Empties the page, not the file. */
  clear(): void {
    this.lines = [];
    this.skipped = false;
  }

  resume(): void {
    this.paused = false;
    void this.#ask();
  }

  retry(): void {
    void this.#ask();
  }

  async #ask(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    try {
      const cursor = this.#cursor;
      const answer = await this.app.request('logs.tail', { limit: FIRST_LINES, maxBytes: MAX_BYTES, ...(cursor === undefined ? {} : { cursor }) });
      this.problem = undefined;
      this.loaded = true;
      // A new day has a new file: what it says begins at its beginning.
      const another = this.file !== '' && answer.file !== this.file;
      this.file = answer.file;
      if (another && cursor !== undefined && cursor > 0 && !answer.reset) {
        this.#cursor = 0;
        return;
      }
      this.#cursor = answer.cursor;
      if (answer.truncated) this.skipped = true;
      const lines = Array.isArray(answer.lines) ? answer.lines : [];
      if (lines.length > 0)
        this.lines = appended(
          this.lines,
          lines.map((line) => readLine(String(line), this.#nextId++)),
        );
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    } finally {
      this.#asking = false;
    }
  }
}
