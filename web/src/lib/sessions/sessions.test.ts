// Names, search and times in the list of chats.
import { describe, expect, it, vi } from 'vitest';
import { matchesSearch, sessionTitle, Sessions, withoutMarks } from './sessions.svelte';
import { relativeTime } from '../text/moments';
import { short, took } from '../text/amounts';
import { argumentsText, toolSummary } from '../chat/tool_summary';
import type { SessionRow } from '../connection/wire';

it.each<[SessionRow, string]>([
  [{ key: 'agent:main:x', label: 'Named', derivedTitle: 'Derived' }, 'Named'],
  [{ key: 'agent:main:main', derivedTitle: 'Derived' }, 'Main chat'],
  [{ key: 'agent:main:x', derivedTitle: 'Derived' }, 'Derived'],
  [{ key: 'agent:main:telegram:direct:42' }, 'telegram:direct:42'],
  [{ key: 'global' }, 'global'],
])('%j is called %s', (row, title) => {
  expect(sessionTitle(row)).toBe(title);
});

it('search looks at names, previews and keys', () => {
  const row = { key: 'agent:main:telegram:1', label: 'Shopping', lastMessagePreview: 'Buy milk' };
  for (const query of ['shop', 'MILK', 'telegram', ' ']) expect(matchesSearch(row, query)).toBe(true);
  expect(matchesSearch(row, 'bread')).toBe(false);
});

it('a preview has no Markdown marks', () => {
  expect(withoutMarks('## **Hello**\n`you`')).toBe('Hello you');
});

describe('the list', () => {
  const rows = [
    { key: 'a', updatedAt: 1 },
    { key: 'b', updatedAt: 3 },
    { key: 'c', updatedAt: 2, pinned: true },
  ];
  const gateway = { request: (() => Promise.resolve({ count: 3, sessions: rows, defaults: { model: 'm' } })) as never };

  it('has pinned chats first, then the newest', async () => {
    const sessions = new Sessions(gateway);
    await sessions.refresh();
    expect(sessions.rows.map((row) => row.key)).toEqual(['c', 'b', 'a']);
  });

  it('forgets a deleted chat at once and takes new facts of a known one', async () => {
    const sessions = new Sessions(gateway);
    await sessions.refresh();
    sessions.onChanged({ sessionKey: 'b', reason: 'delete' });
    sessions.onChanged({ sessionKey: 'a', session: { key: 'a', updatedAt: 9, label: null, hasActiveRun: true } });
    expect(sessions.rows.map((row) => row.key)).toEqual(['c', 'a']);
    expect(sessions.row('a')).toMatchObject({ updatedAt: 9, hasActiveRun: true });
  });
});

it.each([
  [0, 'now'],
  [5 * 60_000, '5 min'],
  [3 * 3_600_000, '3 h'],
  [2 * 86_400_000, '2 days'],
])('%i ms ago is %s', (ago, said) => {
  const now = Date.UTC(2026, 5, 15);
  expect(relativeTime(now - ago, now)).toBe(said);
});

it('long durations and counts are shortened', () => {
  expect([took(80), took(1500), took(125_000)]).toEqual(['80 ms', '1.5 s', '2 min 5 s']);
  expect([short(950), short(12_345)]).toEqual(['950', '12.3K']);
});

it('a tool card says what the call is about', () => {
  expect(toolSummary({ timeout: 3, command: 'ls\n  -la' })).toBe('ls -la');
  expect(toolSummary({ other: 'x' })).toBe('x');
  expect(toolSummary({ n: 1 })).toBe('');
  expect(argumentsText({ command: 'ls' })).toBe('ls');
  expect(argumentsText({ path: 'a' })).toBe('{\n  "path": "a"\n}');
  expect(argumentsText({})).toBe('');
});

describe('a list of many', () => {
  const all = Array.from({ length: 250 }, (_, index) => ({ key: `agent:main:s${index}`, lastActivityAt: 1000 - index, pinned: index === 240 }));
  const request = (method: string, params: { limit?: number; offset?: number; pinned?: boolean; key?: string }): Promise<unknown> => {
    if (method === 'sessions.describe') return Promise.resolve({ session: { key: params.key, lastActivityAt: 5000, unread: true } });
    const rows = params.pinned ? all.filter((row) => row.pinned) : all;
    const from = params.offset ?? 0;
    const page = rows.slice(from, from + (params.limit ?? 100));
    return Promise.resolve({ sessions: page, totalCount: rows.length, hasMore: from + page.length < rows.length });
  };

  it('comes page by page, with the pinned ones from the start', async () => {
    const sessions = new Sessions({ request } as never);
    await sessions.refresh();
    expect([sessions.rows.length, sessions.rows[0]?.key, sessions.hasMore]).toEqual([101, 'agent:main:s240', true]);
    await sessions.more();
    await sessions.more();
    expect([sessions.rows.length, sessions.hasMore]).toEqual([250, false]);
  });

  it('counts what is unread to the last, and anew after something was missed', async () => {
    let unread = true;
    const many = Array.from({ length: 2_345 }, (_, index) => `agent:main:m${index}`);
    const ask = (_method: string, params: { limit?: number; offset?: number; pinned?: boolean }): Promise<unknown> => {
      const from = params.offset ?? 0;
      const page = params.pinned ? [] : many.slice(from, from + (params.limit ?? 100)).map((key) => ({ key, unread }));
      return Promise.resolve({ sessions: page, hasMore: !params.pinned && from + page.length < many.length });
    };
    const sessions = new Sessions({ request: ask } as never);
    await sessions.relearn();
    await vi.waitFor(() => expect(sessions.unread.length).toBe(2_345));
    unread = false;
    await sessions.relearn();
    await vi.waitFor(() => expect(sessions.unread.length).toBe(0));
  });

  it('fetches only what changed, and keeps the names of what the filter hides', async () => {
    vi.useFakeTimers();
    const sessions = new Sessions({ request } as never);
    await sessions.refresh();
    sessions.onChanged({ sessionKey: 'agent:main:s7', reason: 'send' });
    await vi.advanceTimersByTimeAsync(1000);
    expect(sessions.row('agent:main:s7')).toMatchObject({ unread: true, lastActivityAt: 5000 });
    expect(sessions.unread.map((row) => row.key)).toEqual(['agent:main:s7']);
    await sessions.setFilter({ view: 'unread' });
    expect(sessions.rows).toEqual([]);
    expect(sessions.row('agent:main:s9')).toBeDefined();
    vi.useRealTimers();
  });
});
