// Pages of a stored conversation stay one conversation.
import { describe, expect, it } from 'vitest';
import { StoredHistory } from './history';

const message = (seq: number) => ({ role: 'user', content: `${seq}`, __openclaw: { id: `e${seq}`, seq } });
const run = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => message(from + index));
const places = (history: StoredHistory) => history.messages().map((one) => (one as { __openclaw: { seq: number } }).__openclaw.seq);

/** Answers like the gateway: `all` messages, the newest `limit` after `offset`. */
const page = (all: number, limit: number, offset = 0) => {
  const end = all - offset;
  const from = Math.max(1, end - limit + 1);
  const hasMore = from > 1;
  return { sessionId: 's', messages: run(from, end), hasMore, nextOffset: hasMore ? offset + (end - from + 1) : null };
};

describe('what is held of a conversation', () => {
  it('grows upwards page by page without holes or doubles', () => {
    const history = new StoredHistory();
    history.adoptNewest(page(100, 10));
    while (history.hasMore) {
      const offset = history.olderOffset;
      history.adoptOlder(page(100, 30, offset), offset);
    }
    expect(places(history)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  });

  it('finds its place again when messages came meanwhile', () => {
    const history = new StoredHistory();
    history.adoptNewest(page(100, 20));
    history.adoptOlder(page(100, 20, history.olderOffset), 20);
    history.adoptNewest(page(115, 20));
    expect(places(history)[0]).toBe(65);
    expect(places(history).at(-1)).toBe(115);
    const offset = history.olderOffset;
    history.adoptOlder(page(115, 20, offset), offset);
    const all = places(history);
    expect(all).toEqual(Array.from({ length: all.length }, (_, index) => (all[0] ?? 0) + index));
  });

  it('lets go of what does not join the newest', () => {
    const history = new StoredHistory();
    history.adoptNewest(page(100, 20));
    history.adoptNewest(page(400, 20));
    expect(places(history)[0]).toBe(381);
    expect(history.hasMore).toBe(true);
  });

  it('lets go of everything when the session began anew', () => {
    const history = new StoredHistory();
    history.adoptNewest(page(100, 20));
    history.adoptNewest({ sessionId: 'other', messages: [message(1)], hasMore: false });
    expect(places(history)).toEqual([1]);
    expect(history.hasMore).toBe(false);
  });

  it('can be shortened and grown again', () => {
    const history = new StoredHistory();
    history.adoptNewest(page(100, 60));
    expect(history.trim(10)).toBe(true);
    expect(history.hasMore).toBe(true);
    const offset = history.olderOffset;
    history.adoptOlder(page(100, 20, offset), offset);
    const all = places(history);
    expect(all).toEqual(Array.from({ length: all.length }, (_, index) => (all[0] ?? 0) + index));
    expect(all.length).toBeGreaterThan(20);
  });

  it('stops asking when an answer brings nothing older', () => {
    const history = new StoredHistory();
    history.adoptNewest(page(100, 20));
    history.adoptOlder({ sessionId: 's', messages: [], hasMore: true }, 20);
    expect(history.hasMore).toBe(false);
  });

  it.each([[undefined], [[null, 3, 'x', {}]]])('takes %j without harm', (messages) => {
    const history = new StoredHistory();
    history.adoptNewest({ messages: messages as unknown[] | undefined });
    expect(history.messages()).toHaveLength(messages?.length ?? 0);
  });
});
