// The parts of the set-up and what is remembered of it over a reload. Never a key or a token: what was answered is kept
// by the gateway, whose conversation has a name.
import { fieldsOf, stringOf } from '../read';

/** The gateway's own conversations first, then what only this page shows. */
export const PARTS = ['setup', 'channels', 'pair', 'done'] as const;
export type Part = (typeof PARTS)[number];

export interface Progress {
  part: Part;
  /** The conversation under way. */
  session: string | undefined;
  /** A platform that was connected. */
  channel: string | undefined;
  /** Parts the person went past without doing them. */
  skipped: Part[];
}

const KEY = 'homard.setup';
export const FRESH: Progress = { part: 'setup', session: undefined, channel: undefined, skipped: [] };

export function isPart(text: unknown): text is Part {
  return PARTS.some((part) => part === text);
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export function readProgress(store: Store): Progress {
  try {
    const found = fieldsOf(JSON.parse(store.getItem(KEY) ?? '{}'));
    return {
      part: isPart(found.part) ? found.part : 'setup',
      session: stringOf(found.session),
      channel: stringOf(found.channel),
      skipped: Array.isArray(found.skipped) ? found.skipped.filter(isPart) : [],
    };
  } catch {
    return { ...FRESH };
  }
}

export function writeProgress(store: Store, progress: Progress): void {
  try {
    store.setItem(KEY, JSON.stringify(progress));
  } catch {
    // Without a place to remember it, a reload begins anew.
  }
}

/** One part further: without a platform there is nobody to be paired with. What is passed over counts as skipped. */
export function after(progress: Progress, skips: boolean): Progress {
  const next = PARTS[PARTS.indexOf(progress.part) + 1] ?? 'done';
  const part = next === 'pair' && progress.channel === undefined ? 'done' : next;
  const passed = PARTS.slice(PARTS.indexOf(progress.part) + 1, PARTS.indexOf(part));
  const skipped = new Set<Part>([...progress.skipped, ...passed, ...(skips ? [progress.part] : [])]);
  if (!skips) skipped.delete(progress.part);
  return { ...progress, part, session: undefined, skipped: PARTS.filter((one) => skipped.has(one)) };
}

/** A text cut where it names an address of the web, so that it can be followed. */
export function withAddresses(text: string): { text: string; href: string | undefined }[] {
  const parts = text.split(/(https:\/\/[^\s<>"]*[^\s<>".,;:!?)])/);
  return parts.map((part, index) => ({ text: part, href: index % 2 === 1 ? part : undefined })).filter((part) => part.text !== '');
}
