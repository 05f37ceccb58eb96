// Patterns (regular expressions) over many lines that cannot hang the page: they run in a worker that is ended
// when they take too long.
import type { LogLine } from './logs';

const PATIENCE_MS = 1_500;
/** Characters of a line that are looked at. */
const LINE_MAX = 4_000;

/** Why a text is no pattern, or nothing. */
export function patternProblem(text: string): string | undefined {
  try {
    new RegExp(text, 'i');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The part of Worker that is used; tests bring their own. */
export interface Helper {
  onmessage: ((event: MessageEvent) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage(message: unknown): void;
  terminate(): void;
}

function startHelper(): Helper {
  return new Worker(new URL('./pattern.worker.ts', import.meta.url), { type: 'module' });
}

export class TooSlow extends Error {}

/** The ids of the lines a pattern matches; rejects with [`TooSlow`] when it does not come to an end. */
export function matching(pattern: string, lines: readonly LogLine[], start: () => Helper = startHelper): { found: Promise<Set<number>>; stop: () => void } {
  const helper = start();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    helper.terminate();
  };
  const found = new Promise<Set<number>>((resolve, reject) => {
    timer = setTimeout(() => reject(new TooSlow(pattern)), PATIENCE_MS);
    helper.onmessage = ({ data }) => resolve(new Set(Array.isArray(data) ? data : []));
    helper.onerror = (event) => reject(new Error(event.message || 'the pattern could not be tried'));
    helper.postMessage({ pattern, lines: lines.map(({ id, raw }) => [id, raw.slice(0, LINE_MAX)]) });
  }).finally(stop);
  return { found, stop };
}
