// Names, search and times in the list of chats.
import { describe, expect, it } from 'vitest';
import { matchesSearch, sessionTitle, Sessions, withoutMarks } from './sessions.svelte';
import { duration, relativeTime, shortCount } from './time';
import { argumentsText, toolSummary } from './tool_summary';
import type { SessionRow } from './wire';

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
  [5 * 60_000, '5m'],
  [3 * 3_600_000, '3h'],
  [2 * 86_400_000, '2d'],
])('%i ms ago is %s', (ago, said) => {
  const now = Date.UTC(2026, 5, 15);
  expect(relativeTime(now - ago, now)).toBe(said);
});

it('long durations and counts are shortened', () => {
  expect([duration(80), duration(1500), duration(125_000)]).toEqual(['80 ms', '1.5 s', '2 min 5 s']);
  expect([shortCount(950), shortCount(12_345)]).toEqual(['950', '12.3K']);
});

it('a tool card says what the call is about', () => {
  expect(toolSummary({ timeout: 3, command: 'ls\n  -la' })).toBe('ls -la');
  expect(toolSummary({ other: 'x' })).toBe('x');
  expect(toolSummary({ n: 1 })).toBe('');
  expect(argumentsText({ command: 'ls' })).toBe('ls');
  expect(argumentsText({ path: 'a' })).toBe('{\n  "path": "a"\n}');
  expect(argumentsText({})).toBe('');
});
