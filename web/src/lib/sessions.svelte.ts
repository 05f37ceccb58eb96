// The list of sessions in the sidebar, kept fresh by events and refetched when in doubt.
import type { Gateway } from './gateway';
import { fieldsOf, isFields, stringOf } from './read';
import { strings } from './strings';
import type { SessionDefaults, SessionRow } from './wire';

const LIST_LIMIT = 200;
const REFRESH_DELAY_MS = 250;
const TITLE_MAX = 80;

export class Sessions {
  rows = $state.raw<readonly SessionRow[]>([]);
  defaults = $state.raw<SessionDefaults>({});
  loaded = $state(false);
  problem = $state<string | undefined>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly gateway: Pick<Gateway, 'request'>) {}

  row(key: string): SessionRow | undefined {
    return this.rows.find((row) => row.key === key);
  }

  async refresh(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      const list = await this.gateway.request('sessions.list', {
        limit: LIST_LIMIT,
        includeDerivedTitles: true,
        includeLastMessage: true,
      });
      this.rows = sorted((list.sessions ?? []).filter((row) => typeof row?.key === 'string'));
      this.defaults = list.defaults ?? {};
      this.loaded = true;
      this.problem = undefined;
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    }
  }

  refreshSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.refresh(), REFRESH_DELAY_MS);
  }

  onChanged(payload: unknown): void {
    const event = fieldsOf(payload);
    const key = stringOf(event.sessionKey);
    if (event.reason === 'delete' && key) {
      this.rows = this.rows.filter((row) => row.key !== key);
      return;
    }
    const known = key ? this.row(key) : undefined;
    // Rows in events may lack titles and previews; those come with the next list.
    if (known && isFields(event.session)) {
      const merged = { ...known, ...definedFields(event.session), key: known.key };
      this.rows = sorted(this.rows.map((row) => (row.key === known.key ? merged : row)));
    }
    this.refreshSoon();
  }

  async rename(key: string, label: string): Promise<void> {
    await this.gateway.request('sessions.patch', { key, label: label.trim() || null });
    await this.refresh();
  }

  async reset(key: string): Promise<void> {
    await this.gateway.request('sessions.reset', { key });
    await this.refresh();
  }

  async remove(key: string): Promise<void> {
    await this.gateway.request('sessions.delete', { key });
    this.rows = this.rows.filter((row) => row.key !== key);
    this.refreshSoon();
  }
}

/** What to call a session, from the best name it has. */
export function sessionTitle(row: SessionRow): string {
  const named = row.label || row.displayName || row.autoLabel;
  if (named) return named.slice(0, TITLE_MAX);
  if (row.isMain || row.key.endsWith(':main')) return strings.mainSession;
  const derived = row.derivedTitle || row.lastMessagePreview;
  if (derived) return derived.slice(0, TITLE_MAX);
  return row.key.split(':').slice(2).join(':') || row.key;
}

/** A preview is one line of plain text; Markdown's marks only clutter it. */
export function withoutMarks(text: string): string {
  return text.replace(/[*_`#>|]+/g, '').replace(/\s+/g, ' ').trim();
}

/** Whether a session answers to what was typed in the search field. */
export function matchesSearch(row: SessionRow, query: string): boolean {
  const wanted = query.trim().toLowerCase();
  if (!wanted) return true;
  return [sessionTitle(row), row.lastMessagePreview ?? '', row.key].some((text) => text.toLowerCase().includes(wanted));
}

function definedFields(fields: Record<string, unknown>): Partial<SessionRow> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

function sorted(rows: readonly SessionRow[]): readonly SessionRow[] {
  const rank = (row: SessionRow): number => (row.pinned ? 1 : 0);
  return rows.toSorted((a, b) => rank(b) - rank(a) || (b.updatedAt ?? 0) - (a.updatedAt ?? 0));
}
