// @vitest-environment jsdom
// A session's life: sending, streaming, tools, endings, gaps, reconnects.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChatSession } from './chat.svelte';
import { GatewayError } from '../connection/gateway';
import type { Item, UserItem } from './transcript';
import type { ChatEvent, ChatHistoryResult, MethodName } from '../connection/wire';

const KEY = 'agent:main:t';

/** A gateway that answers from a table; anything can be made to fail. */
class FakeGateway {
  calls: Array<{ method: MethodName; params: Record<string, unknown> }> = [];
  history: Partial<ChatHistoryResult> = {};
  send: () => Promise<unknown> = () => Promise.resolve({ runId: 'r1', status: 'started' });
  aborted = true;

  request = ((method: MethodName, params: Record<string, unknown>) => {
    this.calls.push({ method, params });
    if (method === 'chat.send') return this.send();
    if (method === 'chat.abort') return Promise.resolve({ ok: true, aborted: this.aborted, runIds: [] });
    return Promise.resolve({ sessionKey: KEY, messages: [], ...this.history });
  }) as never;

  of(method: MethodName): Array<Record<string, unknown>> {
    return this.calls.filter((call) => call.method === method).map((call) => call.params);
  }
}

let gateway: FakeGateway;
let chat: ChatSession;

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  gateway = new FakeGateway();
  let next = 0;
  chat = new ChatSession(KEY, { gateway, schedule: (draw) => draw(), newRunId: () => `r${++next}` });
});

afterEach(() => {
  vi.useRealTimers();
});

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);
const later = (): Promise<unknown> => vi.advanceTimersByTimeAsync(500);
const message = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }] });
const event = (fields: Partial<ChatEvent>): ChatEvent => ({ runId: 'r1', sessionKey: KEY, state: 'delta', ...fields });
const tool = (data: Record<string, unknown>) => chat.onAgent({ runId: 'r1', stream: 'tool', ts: 1000, data: { toolCallId: 'c1', name: 'exec', ...data } });
const shown = (): string[] => chat.items.map((item) => `${item.kind}:${'text' in item ? item.text : item.state}`);
const first = (): UserItem => chat.items[0] as UserItem;

async function started(): Promise<void> {
  chat.send('hi');
  await settle();
}

const storedUser = { role: 'user' as const, content: 'hi', timestamp: 1, idempotencyKey: 'r1:user' };
const storedAnswer = (text: string) => ({ role: 'assistant' as const, content: [{ type: 'text' as const, text }], timestamp: 2, __openclaw: { runId: 'r1' } });

describe('sending', () => {
  it('shows the message at once and uses the run id as its key', async () => {
    chat.send('  hi  ');
    expect(first()).toMatchObject({ text: 'hi', state: 'sending' });
    expect(chat.running).toBe(true);
    await settle();
    expect(first().state).toBe('sent');
    expect(gateway.of('chat.send')).toEqual([{ sessionKey: KEY, message: 'hi', idempotencyKey: 'r1' }]);
  });

  it('does not send nothing', () => {
    chat.send('  \n ');
    expect(chat.items).toHaveLength(0);
  });

  it('an unanswered message waits and is sent again under the same key after the reconnect', async () => {
    gateway.send = () => Promise.reject(new GatewayError('DISCONNECTED', 'gone'));
    await started();
    expect(first().state).toBe('waiting');
    expect(chat.running).toBe(false);
    gateway.send = () => Promise.resolve({ runId: 'r1', status: 'started' });
    await chat.connected();
    await settle();
    expect(first().state).toBe('sent');
    expect(gateway.of('chat.send').map((params) => params.idempotencyKey)).toEqual(['r1', 'r1']);
  });

  it('a message that did arrive before the connection broke is not sent again', async () => {
    gateway.send = () => Promise.reject(new GatewayError('DISCONNECTED', 'gone'));
    await started();
    gateway.history = { messages: [storedUser, storedAnswer('hello')] };
    await chat.connected();
    expect(gateway.of('chat.send')).toHaveLength(1);
    expect(shown()).toEqual(['user:hi', 'text:hello']);
  });

  it('a refused message says why and can be tried again', async () => {
    gateway.send = () => Promise.reject(new GatewayError('FORBIDDEN', 'missing scope'));
    await started();
    expect(first()).toMatchObject({ state: 'failed', error: 'missing scope' });
    gateway.send = () => Promise.resolve({ runId: 'r1', status: 'started' });
    chat.resend(first());
    await settle();
    expect(first().state).toBe('sent');
    expect(first().error).toBeUndefined();
  });
});

describe('a stream', () => {
  it('appends, replaces and is repaired by the whole text', async () => {
    await started();
    chat.onChat(event({ deltaText: 'He' }));
    chat.onChat(event({ deltaText: 'llo' }));
    expect(shown()[1]).toBe('text:Hello');
    chat.onChat(event({ deltaText: 'Bye', replace: true }));
    expect(shown()[1]).toBe('text:Bye');
    chat.onChat(event({ deltaText: '!', message: message('Bye, all!') }));
    expect(shown()[1]).toBe('text:Bye, all!');
    expect(chat.items[1]).toMatchObject({ streaming: true });
  });

  it('draws deltas that come together once', async () => {
    const draws: Array<() => void> = [];
    chat = new ChatSession(KEY, { gateway, schedule: (draw) => draws.push(draw), newRunId: () => 'r1' });
    await started();
    for (let index = 0; index < 200; index += 1) chat.onChat(event({ deltaText: 'x' }));
    expect(draws).toHaveLength(1);
    draws[0]?.();
    expect(shown()[1]).toBe(`text:${'x'.repeat(200)}`);
  });

  it('puts what is said after a tool below the tool', async () => {
    await started();
    chat.onChat(event({ deltaText: 'Looking.', message: message('Looking.') }));
    tool({ phase: 'start', args: { command: 'ls' } });
    tool({ phase: 'update', partialResult: { content: [{ type: 'text', text: 'a' }] } });
    expect(chat.items[2]).toMatchObject({ state: 'running', output: 'a', args: { command: 'ls' } });
    tool({ phase: 'result', isError: false, result: { content: [{ type: 'text', text: 'a b' }], details: { exitCode: 0, durationMs: 5 } } });
    chat.onChat(event({ deltaText: '\n\nTwo.', message: message('Looking.\n\nTwo.') }));
    expect(chat.items.map((item) => item.id)).toEqual(['u:r1', 'a:r1:0', 't:c1', 'a:r1:1']);
    expect(shown()).toEqual(['user:hi', 'text:Looking.', 'tool:done', 'text:Two.']);
  });

  it('keeps each thought apart from the words after it', async () => {
    await started();
    const think = (data: Record<string, unknown>) => chat.onAgent({ runId: 'r1', stream: 'thinking', data });
    think({ delta: 'h' });
    think({ delta: 'm' });
    chat.onChat(event({ deltaText: 'Yes.' }));
    think({ text: 'again' });
    expect(shown()).toEqual(['user:hi', 'thinking:hm', 'text:Yes.', 'thinking:again']);
  });
});

describe('an ending', () => {
  it('settles the text and fetches the stored conversation, which keeps the same ids', async () => {
    await started();
    chat.onChat(event({ deltaText: 'Hel' }));
    chat.onChat(event({ state: 'final', message: message('Hello') }));
    expect(chat.running).toBe(false);
    expect(chat.items[1]).toMatchObject({ text: 'Hello', streaming: false });
    const ids = chat.items.map((item) => item.id);
    gateway.history = { messages: [storedUser, storedAnswer('Hello')] };
    await later();
    expect(chat.items.map((item) => item.id)).toEqual(ids);
  });

  it('keeps what was said when stopped', async () => {
    await started();
    chat.onChat(event({ deltaText: 'Half' }));
    await chat.abort();
    chat.onChat(event({ state: 'aborted', message: message('Half an') }));
    expect(chat.items[1]).toMatchObject({ text: 'Half an', ending: 'aborted', streaming: false });
    expect(gateway.of('chat.abort')).toEqual([{ sessionKey: KEY }]);
  });

  it('says so when stopped before a word was said', async () => {
    await started();
    tool({ phase: 'start', args: {} });
    chat.onChat(event({ state: 'aborted' }));
    expect(shown()).toEqual(['user:hi', 'tool:unanswered', 'note:Stopped.']);
  });

  it('shows an error', async () => {
    await started();
    chat.onChat(event({ state: 'error', errorMessage: 'no credit' }));
    expect(shown()).toEqual(['user:hi', 'error:no credit']);
    expect(chat.running).toBe(false);
  });

  it('is not undone by stragglers', async () => {
    await started();
    chat.onChat(event({ state: 'aborted' }));
    tool({ phase: 'update', partialResult: 'x' });
    chat.onChat(event({ deltaText: 'late' }));
    expect(chat.running).toBe(false);
  });

  it('of a message steered into an older run leaves the older run going', async () => {
    await started();
    chat.onChat(event({ deltaText: 'Working' }));
    chat.send('faster');
    await settle();
    chat.onChat(event({ runId: 'r2', state: 'final' }));
    expect(chat.running).toBe(true);
    chat.onChat(event({ state: 'final', message: message('Working. Done.') }));
    expect(chat.running).toBe(false);
  });
});

describe('what others do', () => {
  it('a run started elsewhere is shown with its words, and once', async () => {
    chat.onMessage({ sessionKey: KEY, message: storedUser });
    chat.onChat(event({ deltaText: 'Hello' }));
    chat.onMessage({ sessionKey: KEY, message: storedUser });
    expect(shown()).toEqual(['user:hi', 'text:Hello']);
  });

  it('the echo of an own message is not shown twice', async () => {
    await started();
    chat.onMessage({ sessionKey: KEY, message: storedUser });
    expect(shown()).toEqual(['user:hi']);
  });
});

describe('recovery', () => {
  it('opens in the middle of a run and goes on from there', async () => {
    gateway.history = {
      messages: [
        storedUser,
        {
          ...storedAnswer('Looking.'),
          content: [
            { type: 'text', text: 'Looking.' },
            { type: 'toolCall', id: 'c1', name: 'exec', arguments: {} },
          ],
        },
      ],
      sessionInfo: { hasActiveRun: true, activeRunIds: ['r1'] },
      inFlightRun: { runId: 'r1', text: 'Looking.\n\nTwo fi' },
    };
    await chat.connected();
    expect(shown()).toEqual(['user:hi', 'text:Looking.', 'tool:running', 'text:Two fi']);
    chat.onChat(event({ deltaText: 'les.', message: message('Looking.\n\nTwo files.') }));
    expect(shown()[3]).toBe('text:Two files.');
    expect(chat.running).toBe(true);
  });

  it('a run whose end was missed is over after the reconnect', async () => {
    await started();
    chat.onChat(event({ deltaText: 'Hel' }));
    gateway.history = { messages: [storedUser, storedAnswer('Hello')], sessionInfo: { hasActiveRun: false } };
    await chat.connected();
    expect(chat.running).toBe(false);
    expect(shown()).toEqual(['user:hi', 'text:Hello']);
  });

  it('a half answer the gateway lost with its life is kept and marked', async () => {
    await started();
    chat.onChat(event({ deltaText: 'Half' }));
    gateway.history = { messages: [storedUser], sessionInfo: { hasActiveRun: false } };
    await chat.connected();
    expect(chat.items[1]).toMatchObject({ text: 'Half', ending: 'interrupted' });
    expect(chat.running).toBe(false);
  });

  it('what was said before a stop or an error stays, in its place, even if the gateway kept none of it', async () => {
    await started();
    chat.onChat(event({ deltaText: 'Half' }));
    chat.onChat(event({ state: 'aborted', message: message('Half') }));
    chat.send('again');
    await settle();
    chat.onChat(event({ runId: 'r2', state: 'error', errorMessage: 'no credit' }));
    gateway.history = { messages: [storedUser, { ...storedUser, content: 'again', idempotencyKey: 'r2:user' }] };
    await later();
    expect(shown()).toEqual(['user:hi', 'text:Half', 'user:again', 'error:no credit']);
    expect(chat.items[1]).toMatchObject({ ending: 'aborted' });
  });

  it('a history asked for before a message was sent does not end its run', async () => {
    const fetching = chat.refresh();
    chat.send('hi');
    await fetching;
    await settle();
    expect(chat.running).toBe(true);
    expect(shown()).toEqual(['user:hi']);
  });

  it('many reasons to look make one request', async () => {
    for (let index = 0; index < 10; index += 1) chat.refreshSoon();
    await later();
    expect(gateway.of('chat.history')).toHaveLength(1);
  });

  it('older pages stay above what is new, and a far message can be gone to', async () => {
    const stored = (seq: number) => ({ role: 'user' as const, content: `m${seq}`, timestamp: seq, __openclaw: { id: `e${seq}`, seq } });
    const pages = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => stored(from + index));
    gateway.history = { sessionId: 's', messages: pages(81, 100), hasMore: true, nextOffset: 20 };
    await chat.refresh();
    expect(chat.hasMore).toBe(true);
    gateway.history = { sessionId: 's', messages: pages(41, 84), hasMore: true, nextOffset: 60 };
    expect(await chat.loadEarlier()).toBe(true);
    expect(gateway.of('chat.history').at(-1)).toMatchObject({ offset: 16 });
    gateway.history = { sessionId: 's', messages: pages(1, 44), hasMore: false };
    expect(await chat.loadUntil('e7')).toBe(true);
    expect(shown()[0]).toBe('user:m1');
    expect(chat.items).toHaveLength(100);
    const kept = chat.items[50];
    gateway.history = { sessionId: 's', messages: pages(83, 102), hasMore: true, nextOffset: 20 };
    await chat.refresh();
    expect(chat.items).toHaveLength(102);
    expect(chat.items[50]).toBe(kept);
    expect(chat.hasMore).toBe(false);
    expect(await chat.loadUntil('gone')).toBe(false);
  });

  it('more that happened meanwhile than fits a page leaves no hole', async () => {
    const stored = (seq: number) => ({ role: 'user' as const, content: `m${seq}`, timestamp: seq, __openclaw: { id: `e${seq}`, seq } });
    gateway.history = { sessionId: 's', messages: [stored(1), stored(2)], hasMore: false };
    await chat.refresh();
    gateway.history = { sessionId: 's', messages: [stored(90)], hasMore: true, nextOffset: 1 };
    await chat.refresh();
    expect(gateway.of('chat.history').map((params) => params.limit)).toEqual([60, 60, 1000]);
  });

  it('a draft survives a reload', () => {
    chat.setDraft('half a thought');
    expect(new ChatSession(KEY, { gateway }).draft).toBe('half a thought');
  });
});

it('a run that waits for approval says so until somebody decided', async () => {
  await started();
  const approval = (phase: string) => chat.onAgent({ runId: 'r1', stream: 'approval', data: { phase } });
  approval('requested');
  expect(chat.phase).toBe('awaiting_approval');
  approval('resolved');
  expect(chat.phase).toBeUndefined();
});

it('any order of odd events leaves a list with unique ids', () => {
  const odd: Array<() => void> = [
    () => chat.onChat(event({})),
    () => chat.onChat(event({ state: 'final' })),
    () => chat.onChat(event({ deltaText: 'x', message: { content: 5 } })),
    () => tool({ phase: 'result' }),
    () => tool({ phase: 'start' }),
    () => chat.onAgent({ runId: 'r9', stream: 'thinking', data: {} }),
    () => chat.onAgent({ runId: 'r9', stream: '?', data: {} }),
    () => chat.onMessage({ sessionKey: KEY, message: {} as never }),
    () => chat.clear(),
  ];
  for (let round = 0; round < 200; round += 1) odd[(round * 7 + (round >> 2)) % odd.length]?.();
  const ids = chat.items.map((item: Item) => item.id);
  expect(new Set(ids).size).toBe(ids.length);
});

describe('saying more while a run is under way', () => {
  it('waits apart from the conversation until its turn comes', async () => {
    await started();
    chat.send('next');
    await settle();
    expect(chat.pending.map((waiting) => waiting.text)).toEqual(['next']);
    expect(shown()).toEqual(['user:hi']);
    chat.onChat(event({ runId: 'r2', state: 'status', phase: 'starting_model' }));
    expect(chat.pending).toEqual([]);
    expect(shown()).toEqual(['user:hi', 'user:next']);
  });

  it('goes to the run when it steers, and is taken back when it should', async () => {
    await started();
    chat.send('now', { mode: 'steer' });
    chat.send('later');
    await settle();
    expect(gateway.of('chat.send')[1]).toMatchObject({ message: 'now', queueMode: 'steer' });
    const [, later] = chat.pending;
    expect(later && (await chat.takeBack(later))).toBe(true);
    expect(gateway.of('chat.abort')[0]).toMatchObject({ runId: 'r3' });
    expect(chat.pending.map((waiting) => waiting.text)).toEqual(['now']);
  });

  it('gives the words back when everything is stopped', async () => {
    await started();
    chat.send('next');
    await settle();
    await chat.abort();
    expect(chat.draft).toBe('next');
  });
});

it('keeps what waits for the gateway over a reload, under the same key', async () => {
  gateway.send = () => Promise.reject(new GatewayError('DISCONNECTED', 'gone'));
  await started();
  expect(first().state).toBe('waiting');
  const again = new ChatSession(KEY, { gateway, schedule: (draw) => draw() });
  expect(again.items).toMatchObject([{ kind: 'user', text: 'hi', runId: 'r1', state: 'waiting' }]);
  gateway.send = () => Promise.resolve({ runId: 'r1', status: 'started' });
  await again.connected();
  await settle();
  expect(gateway.of('chat.send').map((sent) => sent.idempotencyKey)).toEqual(['r1', 'r1']);
});
