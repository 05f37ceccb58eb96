// The sessions as the page knows them: pages of the gateway's list, narrowed by the filter in use,
// kept fresh by events and fetched anew when in doubt. Acts on one session are here, too.
import type { Gateway } from '../connection/gateway';
import { fieldsOf, isFields, stringOf } from '../read';
import { activityOf, type Filter, isBranch, isNarrow, NO_FILTER, passes, type PlaceFilter } from './list';
import type { SessionDefaults, SessionRow } from '../connection/wire';

export { matchesSearch, sessionTitle, withoutMarks } from './list';

/** Rows fetched at a time. */
const PAGE = 100;
/** The gateway gives no more at once. */
const MOST_AT_ONCE = 1000;
const PINNED_MAX = 100;
const REFRESH_DELAY_MS = 250;
/** More changed sessions than this are fetched as a list. */
const DESCRIBED_MAX = 6;
const WITH_WORDS = { includeDerivedTitles: true, includeLastMessage: true } as const;

export class Sessions {
  /** Of the filter in use, pinned ones first, then the latest. */
  rows = $state.raw<readonly SessionRow[]>([]);
  defaults = $state.raw<SessionDefaults>({});
  groups = $state.raw<readonly string[]>([]);
  filter = $state.raw<Filter>(NO_FILTER);
  loaded = $state(false);
  loading = $state(false);
  hasMore = $state(false);
  total = $state(0);
  problem = $state<string | undefined>();
  /** Every row seen, whatever the filter: names for chats that are not in the list. */
  #known = $state.raw<ReadonlyMap<string, SessionRow>>(new Map());
  #timer: ReturnType<typeof setTimeout> | undefined;
  #changed = new Set<string>();
  #all = false;
  #generation = 0;
  #offset = 0;
  #learned = false;

  constructor(private readonly gateway: Pick<Gateway, 'request'>) {}

  row(key: string): SessionRow | undefined {
    return this.#known.get(key);
  }

  /** What a branch was branched off, where that is known. */
  parentOf(row: SessionRow): SessionRow | undefined {
    return isBranch(row) ? this.row(row.parentSessionKey ?? '') : undefined;
  }

  /** What the person should still look at, in the chats known so far. */
  get unread(): readonly SessionRow[] {
    return [...this.#known.values()].filter((row) => row.unread && !row.archived && !row.isBackground);
  }

  get running(): readonly SessionRow[] {
    return [...this.#known.values()].filter((row) => row.hasActiveRun);
  }

  /** Platforms and agents that sessions were seen of, to choose from. */
  get channels(): readonly string[] {
    return distinct([...this.#known.values()].map((row) => row.channel));
  }

  get agents(): readonly string[] {
    return distinct([...this.#known.values()].map((row) => row.agentId));
  }

  async setFilter(change: Partial<Filter>): Promise<void> {
    this.filter = { ...this.filter, ...change };
    this.#offset = 0;
    await this.refresh();
  }

  /** Fetches as many as were shown; the newest fetch wins. */
  async refresh(): Promise<void> {
    clearTimeout(this.#timer);
    this.#changed.clear();
    this.#all = false;
    const generation = ++this.#generation;
    this.loading = true;
    const limit = Math.min(MOST_AT_ONCE, Math.max(PAGE, this.#offset));
    try {
      const asked = this.#asked();
      const [list, pinned] = await Promise.all([
        this.gateway.request('sessions.list', { ...asked, limit, offset: 0 }),
        this.gateway.request('sessions.list', { ...asked, limit: PINNED_MAX, pinned: true }),
      ]);
      if (generation !== this.#generation) return;
      const rows = readRows(list.sessions);
      this.#take([...readRows(pinned.sessions), ...rows], true);
      this.#offset = rows.length;
      this.hasMore = list.hasMore === true;
      this.total = typeof list.totalCount === 'number' ? list.totalCount : rows.length;
      this.defaults = list.defaults ?? {};
      this.loaded = true;
      this.problem = undefined;
      if (this.hasMore && !isNarrow(this.filter)) void this.#learnRest();
    } catch (error) {
      if (generation === this.#generation) this.problem = error instanceof Error ? error.message : String(error);
    } finally {
      if (generation === this.#generation) this.loading = false;
    }
  }

  /** Something may have been missed: what is counted over all chats is learnt anew. */
  async relearn(): Promise<void> {
    this.#learned = false;
    await this.refresh();
  }

  /** Rows beyond the list, to the last, for what is counted over all chats. Those of the list are newer and stay. */
  async #learnRest(): Promise<void> {
    if (this.#learned) return;
    this.#learned = true;
    try {
      for (let offset = this.#offset; ;) {
        const list = await this.gateway.request('sessions.list', { sortBy: 'activity', archived: false, excludeSystem: true, limit: MOST_AT_ONCE, offset });
        const rows = readRows(list.sessions);
        const shown = new Set(this.rows.map((row) => row.key));
        const known = new Map(this.#known);
        for (const row of rows) if (!shown.has(row.key) && !this.#changed.has(row.key)) known.set(row.key, { ...known.get(row.key), ...row });
        this.#known = known;
        offset += rows.length;
        if (list.hasMore !== true || rows.length === 0) return;
      }
    } catch {
      this.#learned = false;
    }
  }

  /** The next page: the list is scrolled to its end, or the filter left too few. */
  async more(): Promise<void> {
    if (!this.hasMore || this.loading) return;
    const generation = ++this.#generation;
    this.loading = true;
    try {
      const list = await this.gateway.request('sessions.list', { ...this.#asked(), limit: PAGE, offset: this.#offset });
      if (generation !== this.#generation) return;
      const rows = readRows(list.sessions);
      this.#offset += rows.length;
      this.hasMore = list.hasMore === true && rows.length > 0;
      this.#take(rows, false);
    } catch (error) {
      if (generation === this.#generation) this.problem = error instanceof Error ? error.message : String(error);
    } finally {
      if (generation === this.#generation) this.loading = false;
    }
  }

  async refreshGroups(): Promise<void> {
    try {
      const list = await this.gateway.request('sessions.groups.list', {});
      this.groups = (Array.isArray(list.groups) ? list.groups : []).flatMap((group) => stringOf(fieldsOf(group).name) ?? []);
    } catch {
      // A gateway without groups: nothing to sort into.
    }
  }

  refreshSoon(): void {
    this.#all = true;
    this.#later();
  }

  onChanged(payload: unknown): void {
    const event = fieldsOf(payload);
    const key = stringOf(event.sessionKey);
    if (!key) {
      this.refreshSoon();
      return;
    }
    if (event.reason === 'delete') {
      this.#forget(key);
      return;
    }
    const known = this.row(key);
    // Rows in events may lack titles and previews; those are asked for soon.
    if (known && isFields(event.session)) this.#take([{ ...known, ...definedFields(event.session), key }], false);
    this.touch(key);
  }

  /** Something happened in a session: its row is fetched soon. */
  touch(key: string): void {
    this.#changed.add(key);
    this.#later();
  }

  /** Asks for the row of a session that is looked at and not in the list. */
  async ensure(key: string): Promise<void> {
    if (!this.row(key)) await this.#describe([key]);
  }

  async rename(key: string, label: string): Promise<void> {
    await this.patch(key, { label: label.trim() || null });
  }

  /** Changes settings of one session: `pinned`, `archived`, `unread`, `category`, `label` … */
  async patch(key: string, settings: Record<string, unknown>): Promise<void> {
    await this.gateway.request('sessions.patch', { key, ...settings });
    await this.#describe([key]);
  }

  async reset(key: string): Promise<void> {
    await this.gateway.request('sessions.reset', { key });
    await this.#describe([key]);
  }

  async remove(key: string): Promise<void> {
    await this.gateway.request('sessions.delete', { key });
    this.#forget(key);
  }

  /** Brings back what was deleted or started over; without a transcript, the last one of this key. */
  async restore(key: string, sessionId?: string): Promise<void> {
    await this.gateway.request('sessions.restore', sessionId ? { sessionId } : { key });
    await this.#describe([key]);
  }

  async putGroup(name: string): Promise<void> {
    if (!this.groups.includes(name)) await this.gateway.request('sessions.groups.put', { names: [...this.groups, name] });
    await this.refreshGroups();
  }

  async renameGroup(name: string, to: string): Promise<void> {
    await this.gateway.request('sessions.groups.rename', { name, to });
    await Promise.all([this.refreshGroups(), this.refresh()]);
  }

  async removeGroup(name: string): Promise<void> {
    await this.gateway.request('sessions.groups.delete', { name });
    await Promise.all([this.refreshGroups(), this.refresh()]);
  }

  #asked(): Record<string, unknown> & { limit?: number } {
    const { view, agent, group, search, place } = this.filter;
    return {
      ...WITH_WORDS,
      sortBy: 'activity',
      archived: view === 'archived',
      ...(view === 'running' ? { activeOnly: true } : {}),
      ...(agent ? { agentId: agent } : {}),
      ...(group ? { group } : {}),
      ...(search.trim() ? { search: search.trim() } : {}),
      ...(place === undefined || place === 'here' ? { excludeSystem: true } : {}),
    };
  }

  #later(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const changed = [...this.#changed];
      if (this.#all || changed.length > DESCRIBED_MAX || !this.loaded) void this.refresh();
      else void this.#describe(changed);
    }, REFRESH_DELAY_MS);
  }

  async #describe(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.#changed.delete(key);
    try {
      const answers = await Promise.all(keys.map((key) => this.gateway.request('sessions.describe', { key, ...WITH_WORDS })));
      const rows = answers.flatMap((answer) => (isFields(answer) && isRow(answer.session) ? [answer.session as SessionRow] : []));
      if (rows.length > 0) this.#take(rows, false);
    } catch {
      // A gateway that describes none of them still lists them.
      await this.refresh();
    }
  }

  /** Adds or replaces rows; `whole` says that these are all there are. */
  #take(rows: readonly SessionRow[], whole: boolean): void {
    const known = new Map(this.#known);
    for (const row of rows) known.set(row.key, row);
    this.#known = known;
    const shown = new Map(whole ? [] : this.rows.map((row) => [row.key, row]));
    for (const row of rows) shown.set(row.key, row);
    this.rows = sorted([...shown.values()].filter((row) => passes(row, this.filter)));
  }

  #forget(key: string): void {
    const known = new Map(this.#known);
    known.delete(key);
    this.#known = known;
    this.rows = this.rows.filter((row) => row.key !== key);
  }
}

export { isNarrow, NO_FILTER, type Filter, type PlaceFilter };

function isRow(row: unknown): boolean {
  return typeof fieldsOf(row).key === 'string';
}

function readRows(list: unknown): SessionRow[] {
  return (Array.isArray(list) ? list : []).filter(isRow) as SessionRow[];
}

function distinct(values: readonly (string | null | undefined)[]): readonly string[] {
  return [...new Set(values.filter((value): value is string => typeof value === 'string' && value !== ''))].sort();
}

function definedFields(fields: Record<string, unknown>): Partial<SessionRow> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

function sorted(rows: readonly SessionRow[]): readonly SessionRow[] {
  const rank = (row: SessionRow): number => (row.pinned ? 1 : 0);
  // As the gateway sorts its pages: what nobody wrote in yet comes last.
  return rows.toSorted((a, b) => rank(b) - rank(a) || activityOf(b) - activityOf(a) || (b.updatedAt ?? 0) - (a.updatedAt ?? 0));
}
