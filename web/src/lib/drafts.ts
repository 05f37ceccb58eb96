// What was typed and not sent, kept per session so a reload or a lost connection
// never eats it.

const PREFIX = 'homard.draft.';

export function loadDraft(sessionKey: string): string {
  try {
    return localStorage.getItem(PREFIX + sessionKey) ?? '';
  } catch {
    return '';
  }
}

export function saveDraft(sessionKey: string, text: string): void {
  try {
    if (text) localStorage.setItem(PREFIX + sessionKey, text);
    else localStorage.removeItem(PREFIX + sessionKey);
  } catch {
    // Storage refused or full: the draft lasts as long as the page.
  }
}
