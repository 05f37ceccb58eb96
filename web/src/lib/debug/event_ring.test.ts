import { describe, expect, it } from 'vitest';
import { EVENTS_MAX, EVENT_TEXT_MAX, EventRing, TEXT_MAX } from './event_ring';

describe('the latest events', () => {
  it('are newest first, filtered by name, and counted', () => {
    const ring = new EventRing();
    ring.add('chat', { a: 1 }, 1);
    ring.add('tick', {}, 2);
    ring.add('chat', undefined, 3);
    expect(ring.list('').map(({ at }) => at)).toEqual([3, 2, 1]);
    expect(ring.list(' CHA').map(({ at }) => at)).toEqual([3, 1]);
    expect(ring.counts()).toEqual([
      ['chat', 2],
      ['tick', 1],
    ]);
    ring.clear();
    expect([ring.list('').length, ring.counts().length]).toEqual([0, 0]);
  });

  it('stay bounded in number and in size', () => {
    const ring = new EventRing();
    for (let n = 0; n < EVENTS_MAX + 50; n += 1) ring.add('e', n, n);
    expect([ring.list('').length, ring.list('')[0]?.at]).toEqual([EVENTS_MAX, EVENTS_MAX + 49]);
    const huge = 'x'.repeat(EVENT_TEXT_MAX * 2);
    for (let n = 0; n < 100; n += 1) ring.add('big', huge, n);
    const kept = ring.list('').reduce((all, event) => all + event.text.length, 0);
    expect(kept).toBeLessThanOrEqual(TEXT_MAX);
    expect(ring.list('')[0]?.size).toBe(EVENT_TEXT_MAX * 2 + 2);
  });

  it('takes what cannot be written', () => {
    const ring = new EventRing();
    const round: Record<string, unknown> = {};
    round.self = round;
    ring.add('odd', round, 1);
    expect(ring.list('')[0]?.text).toBe('');
  });
});
