// @vitest-environment jsdom
// What surrounds the pages: fuzzy names, found messages, keys, notes, requests that wait, notifications.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fuzzyScore } from '../text/fuzzy';
import { caps, isWriting, Keys, type Pressed, SHORTCUTS } from './keys';
import { MessageSearch, pieces, readFound } from '../sessions/message_search.svelte';
import { NodeRequests, readNodeRequest } from '../devices/node_requests.svelte';
import { endOfRun, short, titleBadge } from './notify.svelte';
import { neighbour } from './palette';
import { Approvals } from '../requests/approvals.svelte';
import { Devices } from '../devices/devices.svelte';
import { Requests } from '../requests/requests.svelte';
import { readStranger, Strangers } from '../channels/strangers.svelte';
import { Toasts } from './toasts.svelte';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('fuzzy names', () => {
  it.each([
    ['Schedule', 'sched', true],
    ['Schedule', 'sdl', true],
    ['Settings', 'xyz', false],
    ['New chat', 'chat new', true],
    ['a'.repeat(100) + 'z', 'az', true],
    ['a' + ' '.repeat(150) + 'z', 'az', false],
    ['anything', '', true],
  ])('%s answers to %s: %s', (text, query, fits) => {
    expect(fuzzyScore(text, query) !== undefined).toBe(fits);
  });

  it('the beginning of a word is better than its middle, and the shorter name than the longer', () => {
    const score = (text: string): number => fuzzyScore(text, 'log') ?? -1;
    expect(score('Logs')).toBeGreaterThan(score('Catalog'));
    expect(score('Logs')).toBeGreaterThan(score('Logs of everything'));
  });
});

describe('found messages', () => {
  it('are read without trust', () => {
    const found = readFound({
      results: [{ sessionKey: 'agent:main:x', messageId: 'm1', role: 'user', timestamp: 5, snippet: 'a <b>' }, { sessionKey: 7 }, null],
      sessions: [{ key: 'agent:main:x', label: 'Named' }, 'no'],
    });
    expect(found).toMatchObject([{ title: 'Named', messageId: 'm1', snippet: 'a <b>', at: 5 }]);
    expect(readFound({ results: 'x', sessions: 3 })).toEqual([]);
  });

  it('have the words marked where they begin', () => {
    const marked = (text: string, query: string): string =>
      pieces(text, query)
        .map(({ text: part, hit }) => (hit ? `[${part}]` : part))
        .join('');
    expect(marked('A Lobster and lobsters, unlobster', 'lobster')).toBe('A [Lobster] and [lobster]s, unlobster');
    expect(marked('the exact words', '"exact words"')).toBe('the [exact] [words]');
    expect(marked('plain', '')).toBe('plain');
  });

  it('only the last question is answered', async () => {
    const request = vi.fn((_method: string, { query }: { query: string }) => Promise.resolve({ results: [{ sessionKey: 'agent:main:x', messageId: query, snippet: query }], sessions: [] }));
    const search = new MessageSearch({ request } as never);
    search.ask('first');
    search.ask('second');
    await vi.advanceTimersByTimeAsync(500);
    expect(request).toHaveBeenCalledTimes(1);
    expect(search.found.map((one) => one.messageId)).toEqual(['second']);
    search.ask('s');
    expect(search.found).toEqual([]);
  });
});

describe('keys', () => {
  const press = (key: string, more: Partial<Pressed> = {}): Pressed => ({ key, code: '', altKey: false, ctrlKey: false, metaKey: false, shiftKey: false, ...more });

  it.each<[Pressed, boolean, string | undefined]>([
    [press('k', { ctrlKey: true }), true, 'palette'],
    [press('K', { metaKey: true }), false, 'palette'],
    [press('?', { shiftKey: true }), false, 'help'],
    [press('?', { shiftKey: true }), true, undefined],
    [press('j'), false, 'next'],
    [press('j'), true, undefined],
    [press('˜', { altKey: true, code: 'KeyN' }), true, 'new'],
    [press('ArrowDown', { altKey: true, code: 'ArrowDown' }), true, 'next'],
    [press('c', { ctrlKey: true }), false, undefined],
    [press('k', { ctrlKey: true, isComposing: true }), false, undefined],
  ])('%j while writing %s means %s', (event, writing, meant) => {
    expect(new Keys().read(event, writing, 0)).toBe(meant);
  });

  it('two keys in a row lead to a page, unless one waits too long', () => {
    const keys = new Keys();
    expect(keys.read(press('g'), false, 0)).toBeUndefined();
    expect(keys.read(press('o'), false, 100)).toBe('go:overview');
    keys.read(press('g'), false, 0);
    expect(keys.read(press('o'), false, 9000)).toBeUndefined();
  });

  it('every shortcut has its own keys, drawn for the machine', () => {
    const all = SHORTCUTS.flatMap(({ keys }) => keys);
    expect(new Set(all).size).toBe(all.length);
    expect(caps('Mod+K', true)).toEqual([['⌘', 'K']]);
    expect(caps('g o', false)).toEqual([['g'], ['o']]);
  });

  it('letters belong to fields of text', () => {
    const input = (type: string): HTMLInputElement => Object.assign(document.createElement('input'), { type });
    expect([isWriting(input('text')), isWriting(document.createElement('textarea')), isWriting(input('checkbox')), isWriting(document.body)]).toEqual([true, true, false, false]);
  });
});

describe('notes', () => {
  it('go by themselves, but not while somebody looks', () => {
    const toasts = new Toasts();
    const id = toasts.show('deleted');
    toasts.hold(id);
    vi.advanceTimersByTime(60_000);
    expect(toasts.list).toHaveLength(1);
    toasts.resume(id);
    vi.advanceTimersByTime(60_000);
    expect(toasts.list).toEqual([]);
  });

  it('an act is done once, and few notes are kept', async () => {
    const toasts = new Toasts();
    const run = vi.fn();
    toasts.show('deleted', { act: { label: 'Undo', run } });
    const [toast] = toasts.list;
    if (toast) await toasts.run(toast);
    expect(run).toHaveBeenCalledTimes(1);
    expect(toasts.list).toEqual([]);
    for (let count = 0; count < 9; count += 1) toasts.show(String(count), { stays: true });
    expect(toasts.list.map(({ text }) => text)).toEqual(['5', '6', '7', '8']);
  });
});

describe('what waits', () => {
  const stranger = { requestId: 'AB', channel: 'irc', channelLabel: 'irc', accountId: 'default', senderId: 'eve', senderLabel: 'Eve', expiresAt: '2026-01-01T00:00:00Z', notifySupported: true };
  const node = { requestId: 'n1', nodeId: 'node', displayName: 'Shed', commands: ['a', 3], permissions: { camera: true, mic: false } };
  const asked = { id: 'a1', request: { command: 'ls', allowedDecisions: [] }, createdAtMs: 0, expiresAtMs: 60_000 };

  function stack(request = vi.fn(() => Promise.resolve({}))): Requests {
    const gateway = { request } as never;
    return new Requests(new Approvals(gateway), new Devices(gateway), new NodeRequests(gateway), new Strangers(gateway));
  }

  it('is one stack, approvals on top, and can be gone through', () => {
    const requests = stack();
    requests.onEvent('channels.pairing.requested', stranger);
    requests.onEvent('node.pair.requested', node);
    requests.onEvent('exec.approval.requested', asked);
    expect(requests.all.map((one) => one.kind)).toEqual(['approval', 'node', 'stranger']);
    expect(requests.current?.kind).toBe('approval');
    requests.step(-1);
    expect(requests.current?.kind).toBe('stranger');
    requests.onEvent('channels.pairing.resolved', { requestId: 'AB', channel: 'irc', accountId: 'default' });
    expect(requests.current?.kind).toBe('approval');
    requests.onEvent('node.pair.resolved', { requestId: '', nodeId: 'node' });
    expect(requests.all).toHaveLength(1);
    expect(requests.onEvent('chat', {})).toBe(false);
  });

  it('comes back when something new is asked, and tells of it once', () => {
    const requests = stack();
    const told = vi.fn();
    requests.asked = told;
    requests.onEvent('exec.approval.requested', asked);
    requests.hidden = true;
    requests.onEvent('exec.approval.requested', asked);
    expect(requests.hidden).toBe(true);
    requests.onEvent('node.pair.requested', node);
    expect(requests.hidden).toBe(false);
    expect(told).toHaveBeenCalledTimes(2);
  });

  it('tells when nobody answered in time', () => {
    const approvals = new Approvals({ request: vi.fn() } as never);
    const told = vi.fn();
    approvals.onExpired = told;
    approvals.onEvent('exec.approval.requested', asked);
    approvals.onEvent('exec.approval.resolved', { id: 'a1', terminalReason: 'timeout' });
    expect(told).toHaveBeenCalledWith(expect.objectContaining({ what: 'ls' }));
    expect(approvals.pending).toEqual([]);
  });

  it('is read without trust', () => {
    expect(readStranger(stranger)).toMatchObject({ id: 'irc/default/AB', name: 'Eve', canTell: true, since: undefined, expiresAt: Date.UTC(2026, 0, 1) });
    expect([readStranger(null), readStranger({ ...stranger, senderId: 7 }), readNodeRequest({ nodeId: 'x' })]).toEqual([undefined, undefined, undefined]);
    expect(readNodeRequest(node)).toMatchObject({ commands: ['a'], permissions: ['camera'] });
  });

  it('a stranger is answered at their account', async () => {
    const request = vi.fn(() => Promise.resolve({}));
    const strangers = new Strangers({ request } as never);
    strangers.onEvent('channels.pairing.requested', stranger);
    const [one] = strangers.pending;
    if (one) await strangers.answer(one, 'approve');
    expect(request).toHaveBeenCalledWith('channels.pairing.approve', { channel: 'irc', accountId: 'default', requestId: 'AB', notify: true });
    expect(strangers.pending).toEqual([]);
  });
});

it('notifications are short and say how a run ended', () => {
  expect(short('a\n b '.repeat(200)).length).toBeLessThanOrEqual(180);
  expect([endOfRun('final', 'Hi'), endOfRun('final', ''), endOfRun('error', ''), endOfRun('aborted', 'x'), endOfRun({}, '')]).toEqual(['Hi', 'Answered.', 'The run failed.', undefined, undefined]);
  expect([titleBadge(0), titleBadge(3), titleBadge(500)]).toEqual(['', '(3) ', '(99+) ']);
});

it('the next chat is the one below', () => {
  const rows = ['a', 'b', 'c'].map((key) => ({ key }));
  expect([neighbour(rows, 'a', 1), neighbour(rows, 'a', -1), neighbour(rows, 'x', 1), neighbour([], 'x', -1)]).toEqual(['b', undefined, 'a', undefined]);
});
