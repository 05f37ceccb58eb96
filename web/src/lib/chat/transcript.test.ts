// How stored messages become what is shown.
import { describe, expect, it } from 'vitest';
import { itemsFromHistory } from './transcript';

const none = new Set<string>();
const user = { role: 'user', content: 'hi', timestamp: 1, idempotencyKey: 'r1:user' };

describe('a stored conversation', () => {
  it('shows words, thoughts and tools in order, under the ids the live view uses', () => {
    const items = itemsFromHistory(
      [
        user,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm' },
            { type: 'text', text: 'Looking.' },
            { type: 'toolCall', id: 'c1', name: 'exec', arguments: { command: 'ls' } },
          ],
          timestamp: 2,
          __openclaw: { runId: 'r1' },
        },
        { role: 'toolResult', toolCallId: 'c1', toolName: 'exec', content: [{ type: 'text', text: 'a' }], details: { exitCode: 0 }, isError: false, timestamp: 3 },
        { role: 'assistant', content: [{ type: 'text', text: 'Done.' }], stopReason: 'stop', timestamp: 4, __openclaw: { runId: 'r1' } },
      ],
      none,
    );
    expect(items.map((item) => item.id)).toEqual(['u:r1', 'k:r1:0', 'a:r1:0', 't:c1', 'a:r1:1']);
    expect(items[3]).toMatchObject({ state: 'done', output: 'a', exitCode: 0, args: { command: 'ls' } });
  });

  it('takes the run from the user message when the answer does not name it', () => {
    const items = itemsFromHistory([user, { role: 'assistant', content: 'plain' }], none);
    expect(items[1]).toMatchObject({ id: 'a:r1:0', text: 'plain' });
  });

  it('tells a tool that runs from one that was left without a result', () => {
    const call = { role: 'assistant', content: [{ type: 'toolCall', id: 'c', name: 'x', arguments: {} }] };
    expect(itemsFromHistory([user, call], new Set(['r1']))[1]).toMatchObject({ state: 'running' });
    expect(itemsFromHistory([user, call], none)[1]).toMatchObject({ state: 'unanswered' });
  });

  it('shows how a run ended badly', () => {
    const items = itemsFromHistory(
      [
        { role: 'assistant', content: [{ type: 'text', text: 'half' }], stopReason: 'aborted' },
        { role: 'assistant', content: [], stopReason: 'error', errorMessage: 'no credit' },
      ],
      none,
    );
    expect(items).toMatchObject([
      { kind: 'text', ending: 'aborted' },
      { kind: 'error', text: 'no credit' },
    ]);
  });

  it('never repeats an id, whatever the transcript says', () => {
    const items = itemsFromHistory([user, user, user], none);
    expect(new Set(items.map((item) => item.id)).size).toBe(3);
  });

  it.each([null, 7, 'text', [], {}, { role: 'user' }, { role: 'assistant', content: 3 }, { role: 'toolResult' }, { role: 'assistant', content: [null, { type: 'toolCall' }] }])(
    'is read without harm when a message is %j',
    (message) => {
      expect(() => itemsFromHistory([message], none)).not.toThrow();
    },
  );

  it('shows only pictures that are pictures', () => {
    const image = (mimeType: string, data: string) => ({ type: 'image', mimeType, data });
    const [item] = itemsFromHistory([{ role: 'user', content: [image('image/png', 'AAAA'), image('image/svg+xml', 'AAAA'), image('image/png', '"><script>')] }], none);
    expect(item).toMatchObject({ images: ['data:image/png;base64,AAAA'] });
  });

  it('says who wrote it, what came with it and which model answered', () => {
    const [item, answer] = itemsFromHistory(
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: '[media attached: 2 files]\n[media attached 1/2: /m/tide.pdf (application/pdf)]\n[media attached 2/2: /m/a b.txt]\nread this' },
            { type: 'document', data: 'AAAA', mimeType: 'text/csv', name: '<img src=x>.csv' },
          ],
          __openclaw: { id: 'e1', senderLabel: 'Ada (42)' },
        },
        { role: 'assistant', content: 'done', model: 'fake-1', provider: 'fake', __openclaw: { id: 'e2', truncated: true } },
      ],
      none,
    );
    expect(item).toMatchObject({ text: 'read this', sender: 'Ada (42)', messageId: 'e1' });
    expect(item).toMatchObject({ files: [{ name: 'tide.pdf', mimeType: 'application/pdf', kept: '/m/tide.pdf' }, { name: 'a b.txt' }, { name: '<img src=x>.csv', bytes: 3 }] });
    expect(answer).toMatchObject({ model: 'fake-1', messageId: 'e2', truncated: true });
  });

  it('names kept files as their sender did, not by what they are kept under', () => {
    const [item] = itemsFromHistory([{ role: 'user', content: '[media attached: 2 files]\n[media attached 1/2: /m/0123456789abcdef-tide.pdf]\n[media attached 2/2: /m/0123456789abcdef.ogg]' }], none);
    expect(item).toMatchObject({ files: [{ name: 'tide.pdf', kept: '/m/0123456789abcdef-tide.pdf' }, { name: 'File.ogg' }] });
  });

  it('marks where it was condensed', () => {
    const [item] = itemsFromHistory([{ role: 'system', content: [{ type: 'text', text: 'so far' }], timestamp: 5, __openclaw: { id: 'c', kind: 'compaction', tokensBefore: 9000 } }], none);
    expect(item).toEqual({ kind: 'compaction', id: 'p:c', runId: undefined, text: 'so far', at: 5, tokens: 9000 });
  });

  it('leaves the answers to the run into which something was said', () => {
    const items = itemsFromHistory([user, { role: 'user', content: 'faster', idempotencyKey: 'r2:steer' }, { role: 'assistant', content: 'ok' }], none);
    expect(items.map((item) => item.id)).toEqual(['u:r1', 'u:r2', 'a:r1:0']);
  });

  it('keeps the diff of an edit and how long it took', () => {
    const items = itemsFromHistory(
      [
        user,
        { role: 'assistant', content: [{ type: 'toolCall', id: 'c', name: 'edit', arguments: {} }], timestamp: 100 },
        { role: 'toolResult', toolCallId: 'c', toolName: 'edit', content: [], details: { diff: '--- a' }, timestamp: 350 },
      ],
      none,
    );
    expect(items[1]).toMatchObject({ diff: '--- a', durationMs: 250 });
  });

  it('shows a reminder as what happened, not as words of the person', () => {
    const [item] = itemsFromHistory([{ role: 'user', content: 'System: [2026-11-17T21:00:00.123Z] Water the plants', timestamp: 5, idempotencyKey: 'wake-1:user' }], new Set());
    expect(item).toMatchObject({ kind: 'user', event: true, text: 'Water the plants', runId: 'wake-1' });
    const [typed] = itemsFromHistory([{ role: 'user', content: 'System: [x] no', timestamp: 5 }], new Set());
    expect(typed).not.toHaveProperty('event');
  });

  it('keeps commands beside the conversation: they belong to no other run and have no versions', () => {
    const aside = { id: 'c', kind: 'aside', runId: 'r2' };
    const items = itemsFromHistory(
      [
        { role: 'user', content: 'go on', timestamp: 1, idempotencyKey: 'r1:user', __openclaw: { id: 'q' } },
        { role: 'user', content: '/status', timestamp: 2, idempotencyKey: 'r2:user', __openclaw: aside },
        { role: 'assistant', content: [{ type: 'text', text: 'fine' }], timestamp: 3, provider: 'openclaw', __openclaw: aside },
        { role: 'assistant', content: [{ type: 'text', text: 'done' }], timestamp: 4, __openclaw: { id: 'a' } },
      ],
      new Set(),
    );
    expect(items.map((item) => [item.runId, 'messageId' in item])).toEqual([
      ['r1', true],
      ['r2', false],
      ['r2', false],
      ['r1', true],
    ]);
  });

  it('tells interrupted from stopped, also when nothing had been said', () => {
    const cut = (errorMessage: string, text: string) => ({ role: 'assistant', content: text ? [{ type: 'text', text }] : [], stopReason: 'aborted', errorMessage, timestamp: 1 });
    const [half, none, stopped] = itemsFromHistory([cut('interrupted by a gateway restart', 'Half'), cut('interrupted by a gateway restart', ''), cut('stopped: user', 'Half')], new Set());
    expect(half).toMatchObject({ kind: 'text', ending: 'interrupted' });
    expect(none).toMatchObject({ kind: 'note' });
    expect(stopped).toMatchObject({ kind: 'text', ending: 'aborted' });
  });
});
