// Filters, sections and the window over a long list of chats.
import { describe, expect, it } from 'vitest';
import { type Filter, linesOf, NO_FILTER, passes, ROW_PX, SECTION_PX, sessionTime, sessionTitle, spoken, topOf, windowOf } from './list';
import type { SessionRow } from '../connection/wire';

const row = (key: string, more: Partial<SessionRow> = {}): SessionRow => ({ key, ...more });
const filter = (change: Partial<Filter>): Filter => ({ ...NO_FILTER, ...change });

describe('filters', () => {
  it.each<[Partial<SessionRow>, Partial<Filter>, boolean]>([
    [{}, {}, true],
    [{ archived: true }, {}, false],
    [{ archived: true }, { view: 'archived' }, true],
    [{}, { view: 'unread' }, false],
    [{ unread: true }, { view: 'unread' }, true],
    [{ hasActiveRun: true }, { view: 'running' }, true],
    [{ isBackground: true }, {}, false],
    [{ isBackground: true }, { place: 'background' }, true],
    [{ channel: 'webchat' }, { place: 'here' }, true],
    [{ channel: 'irc' }, { place: 'here' }, false],
    [{ channel: 'irc' }, { place: 'on:irc' }, true],
    [{ channel: 'telegram' }, { place: 'on:irc' }, false],
    [{ agentId: 'main' }, { agent: 'work' }, false],
    [{ category: 'Home' }, { group: 'Home' }, true],
    [{ label: 'Garden' }, { search: 'gard' }, true],
    [{ label: 'Garden' }, { search: 'tax' }, false],
  ])('%j with %j: %s', (fields, change, shown) => {
    expect(passes(row('agent:main:x', fields), filter(change))).toBe(shown);
  });

  it('settings that change do not move a chat', () => {
    expect(sessionTime(row('a', { updatedAt: 9, lastActivityAt: 5 }))).toBe(5);
  });
});

it('a chat on a platform is named by who is there, without the notes for the model', () => {
  const notes = 'Conversation info (untrusted metadata):\n```json\n{"message_id": "1"}\n```\n\nwhen does the boat leave?';
  expect(sessionTitle(row('agent:main:irc:direct:ann', { channel: 'irc', derivedTitle: notes }))).toBe('ann');
  expect(sessionTitle(row('agent:main:web-1', { derivedTitle: notes }))).toBe('when does the boat leave?');
  expect([spoken(notes.slice(0, 60)), spoken('plain ```code```'), spoken(null)]).toEqual(['', 'plain ```code```', '']);
});

describe('sections', () => {
  const rows = [row('p', { pinned: true }), row('a'), row('h', { category: 'Home' }), row('b')];

  it('pinned ones come first, then groups, then the rest', () => {
    const lines = linesOf(rows, ['Empty', 'Home'], new Set());
    expect(lines.map((line) => line.id)).toEqual(['pinned', 'p', 'group:Home', 'h', 'rest', 'a', 'b']);
  });

  it('a folded section keeps its count and hides its chats', () => {
    const lines = linesOf(rows, [], new Set(['rest']));
    expect(lines.at(-1)).toMatchObject({ id: 'rest', count: 2, folded: true });
  });

  it('a plain list has no headings', () => {
    expect(linesOf([row('a'), row('b')], [], new Set()).every((line) => line.kind === 'session')).toBe(true);
  });
});

describe('branches', () => {
  const fork = (key: string, of: string, more: Partial<SessionRow> = {}): SessionRow => row(key, { createdVia: 'fork', parentSessionKey: of, ...more });
  const shape = (rows: readonly SessionRow[]): string[] => linesOf(rows, [], new Set()).map((line) => (line.kind === 'session' && line.parent ? `${line.parent.key}>${line.id}` : line.id));

  it('stand under what they branched off, where their newest would stand', () => {
    expect(shape([row('x'), fork('b2', 'a'), row('y'), row('a'), fork('b1', 'a'), fork('c', 'b1')])).toEqual(['x', 'a', 'a>b2', 'a>b1', 'b1>c', 'y']);
  });

  it('stand by themselves where their parent is not shown, and nothing is lost in a circle', () => {
    expect(shape([fork('b', 'gone'), row('a')])).toEqual(['b', 'a']);
    expect(
      shape([fork('p', 'q'), fork('q', 'p'), fork('s', 's')])
        .map((id) => id.split('>').at(-1))
        .toSorted(),
    ).toEqual(['p', 'q', 's']);
  });

  it('are called after their parent until somebody names them', () => {
    const parent = row('a', { label: 'Garden' });
    expect(sessionTitle(fork('b', 'a', { derivedTitle: 'hello' }), parent)).toBe('Branch of Garden');
    expect(sessionTitle(fork('b', 'a', { label: 'Roses' }), parent)).toBe('Roses');
  });
});

describe('the window', () => {
  const lines = linesOf(
    Array.from({ length: 1000 }, (_, index) => row(`s${index}`, index === 0 ? { pinned: true } : {})),
    [],
    new Set(),
  );
  const whole = 1000 * ROW_PX + 2 * SECTION_PX;

  it.each([0, 10_000, whole])('draws few of a thousand at %i and stands for the others', (top) => {
    const { from, to, before, after } = windowOf(lines, top, 800);
    expect(to - from).toBeLessThan(50);
    const drawn = lines.slice(from, to).reduce((sum, line) => sum + (line.kind === 'section' ? SECTION_PX : ROW_PX), 0);
    expect(before + drawn + after).toBe(whole);
  });

  it('knows where a chat is', () => {
    expect(topOf(lines, 's1')).toBe(SECTION_PX + ROW_PX + SECTION_PX);
    expect(topOf(lines, 'nobody')).toBeUndefined();
    expect(windowOf([], 0, 500)).toEqual({ from: 0, to: 0, before: 0, after: 0 });
  });
});
