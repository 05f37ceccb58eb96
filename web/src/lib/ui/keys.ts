// Keyboard shortcuts: one table for what happens and for the list people are shown.
import { words } from '../../words/lists';
import { strings } from '../strings';

export type KeyGroup = keyof typeof words.keyGroups;

export interface Shortcut {
  id: string;
  group: KeyGroup;
  title: string;
  /** As people press it; `Mod` is Ctrl, or Command on a Mac. Two with a space are pressed one after the other. */
  keys: readonly string[];
}

/** The second key after `g`, by page. */
const GO: readonly [string, string, string][] = [
  ['c', 'chat', strings.pages.chat],
  ['o', 'overview', strings.pages.overview],
  ['u', 'usage', strings.pages.usage],
  ['l', 'logs', strings.pages.logs],
  ['h', 'channels', strings.pages.channels],
  ['d', 'nodes', strings.pages.nodes],
  ['s', 'cron', strings.pages.cron],
  ['k', 'skills', strings.pages.skills],
  ['a', 'agents', strings.pages.agents],
  ['m', 'models', strings.pages.models],
  ['y', 'memory', strings.pages.memory],
  ['e', 'config', strings.pages.config],
  ['b', 'debug', strings.pages.debug],
];

const titles = words.keys;

export const SHORTCUTS: readonly Shortcut[] = [
  { id: 'palette', group: 'anywhere', title: titles.palette, keys: ['Mod+K'] },
  { id: 'help', group: 'anywhere', title: titles.help, keys: ['?'] },
  { id: 'requests', group: 'anywhere', title: titles.requests, keys: ['Alt+R'] },
  { id: 'close', group: 'anywhere', title: titles.close, keys: ['Esc'] },
  { id: 'new', group: 'chats', title: titles.newChat, keys: ['Alt+N'] },
  { id: 'next', group: 'chats', title: titles.next, keys: ['Alt+↓', 'j'] },
  { id: 'previous', group: 'chats', title: titles.previous, keys: ['Alt+↑', 'k'] },
  { id: 'search', group: 'chats', title: titles.search, keys: ['/'] },
  { id: 'composer', group: 'chats', title: titles.composer, keys: ['i'] },
  { id: 'send', group: 'writing', title: titles.send, keys: ['Enter'] },
  { id: 'newline', group: 'writing', title: titles.newline, keys: ['Shift+Enter'] },
  ...GO.map(([key, page, title]): Shortcut => ({ id: `go:${page}`, group: 'go', title, keys: [`g ${key}`] })),
];

/** The page a `g` and this key lead to. */
const PAGE_OF = new Map(GO.map(([key, page]) => [key, page]));
/** Keys without a modifier, and what they do when nothing is being written. */
const PLAIN: Record<string, string> = { '?': 'help', '/': 'search', i: 'composer', j: 'next', k: 'previous' };
/** Physical keys, because Option writes other letters on a Mac. */
const WITH_ALT: Record<string, string> = { KeyN: 'new', KeyR: 'requests', ArrowDown: 'next', ArrowUp: 'previous' };

/** After this long the second key is a key of its own. */
const SEQUENCE_MS = 1_200;

export interface Pressed {
  key: string;
  code: string;
  altKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
  isComposing?: boolean;
}

/** Reads key presses, one after the other. */
export class Keys {
  #firstAt: number | undefined;

  /** What is meant, if anything. `writing`: whether letters belong to a field now. */
  read(event: Pressed, writing: boolean, now: number): string | undefined {
    const waited = this.#firstAt !== undefined && now - this.#firstAt < SEQUENCE_MS;
    this.#firstAt = undefined;
    if (event.isComposing) return undefined;
    const modified = event.metaKey || event.ctrlKey;
    if (modified && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') return 'palette';
    if (event.altKey && !modified && !event.shiftKey) return WITH_ALT[event.code];
    if (modified || event.altKey || writing) return undefined;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (waited) {
      const page = PAGE_OF.get(key);
      return page === undefined ? undefined : `go:${page}`;
    }
    if (key === 'g' && !event.shiftKey) {
      this.#firstAt = now;
      return undefined;
    }
    return PLAIN[key];
  }
}

const NOT_TEXT = new Set(['button', 'checkbox', 'radio', 'range', 'submit', 'reset', 'file', 'color', 'image']);

/** Whether letters typed here are text. */
export function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !NOT_TEXT.has(target.type);
}

export function isMac(platform: string): boolean {
  return /mac|iphone|ipad/i.test(platform);
}

/** The caps to draw for a shortcut. */
export function caps(keys: string, mac: boolean): readonly (readonly string[])[] {
  return keys.split(' ').map((stroke) => stroke.split('+').map((cap) => (cap === 'Mod' ? (mac ? '⌘' : 'Ctrl') : cap === 'Alt' && mac ? '⌥' : cap)));
}
