// What was typed and not sent, kept per session so a reload or a lost connection
// never eats it.

const PREFIX = 'homard.draft.';
/** Longer texts are not kept: writing them down at every key would make typing slow. */
const KEPT_MAX_CHARS = 200_000;

export function loadDraft(sessionKey: string): string {
  try {
    return localStorage.getItem(PREFIX + sessionKey) ?? '';
  } catch {
    return '';
  }
}

export function saveDraft(sessionKey: string, text: string): void {
  try {
    if (text.length > KEPT_MAX_CHARS) return;
    if (text) localStorage.setItem(PREFIX + sessionKey, text);
    else localStorage.removeItem(PREFIX + sessionKey);
  } catch {
    // Storage refused or full: the draft lasts as long as the page.
  }
}

const WAITING_PREFIX = 'homard.waiting.';
/** Most messages kept for a gateway that is away. */
const WAITING_MAX = 20;

/** A message that was sent while the gateway was away. It keeps its run's id, so that it is said once. */
export interface WaitingMessage {
  runId: string;
  text: string;
  at: number;
}

export function loadWaiting(sessionKey: string): WaitingMessage[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(WAITING_PREFIX + sessionKey) ?? '[]');
    if (!Array.isArray(kept)) return [];
    return kept.flatMap((entry: Partial<WaitingMessage> | null) =>
      typeof entry?.runId === 'string' && typeof entry.text === 'string' ? [{ runId: entry.runId, text: entry.text, at: Number(entry.at) || 0 }] : [],
    );
  } catch {
    return [];
  }
}

export function saveWaiting(sessionKey: string, messages: readonly WaitingMessage[]): void {
  try {
    if (messages.length > 0) localStorage.setItem(WAITING_PREFIX + sessionKey, JSON.stringify(messages.slice(-WAITING_MAX)));
    else localStorage.removeItem(WAITING_PREFIX + sessionKey);
  } catch {
    // Storage refused or full: they wait as long as the page.
  }
}
