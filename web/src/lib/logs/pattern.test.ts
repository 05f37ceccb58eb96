import { afterEach, describe, expect, it, vi } from 'vitest';
import { readLine } from './logs';
import { type Helper, TooSlow, matching, patternProblem } from './pattern';

class Fake implements Helper {
  onmessage: ((event: MessageEvent) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;
  asked: unknown;
  ended = false;
  postMessage(message: unknown): void {
    this.asked = message;
  }
  terminate(): void {
    this.ended = true;
  }
}

afterEach(() => void vi.useRealTimers());

describe('patterns', () => {
  it('says why a text is no pattern', () => {
    expect(patternProblem('a|b')).toBeUndefined();
    expect(patternProblem('(')).toBeDefined();
  });

  it('asks a helper and ends it when it has answered', async () => {
    const helper = new Fake();
    const { found } = matching('x', [readLine('x'.repeat(10_000), 7)], () => helper);
    expect((helper.asked as { lines: [number, string][] }).lines[0]?.[1].length).toBe(4_000);
    helper.onmessage?.({ data: [7] } as MessageEvent);
    expect(await found).toEqual(new Set([7]));
    expect(helper.ended).toBe(true);
  });

  it('gives up on a pattern that does not end', async () => {
    vi.useFakeTimers();
    const helper = new Fake();
    const { found } = matching('(a+)+$', [], () => helper);
    const outcome = expect(found).rejects.toBeInstanceOf(TooSlow);
    await vi.advanceTimersByTimeAsync(2_000);
    await outcome;
    expect(helper.ended).toBe(true);
  });
});
