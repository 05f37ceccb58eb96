// Files that go with a message.
import { describe, expect, it } from 'vitest';
import { base64Of, bytesOf, isShown, kindOf, limitsFrom, mimeOf, refusal, scaled } from './attachments';
import { bytes } from '../text/amounts';

const limits = limitsFrom({ maxPayload: 25 * 1024 * 1024, attachments: { maxBytes: 1000, maxImageBytes: 100 } });

describe('what a file is', () => {
  it('is what the browser says, unless it is plain text it has no word for', () => {
    expect(mimeOf('a.png', 'image/png')).toBe('image/png');
    expect(mimeOf('main.rs', '')).toBe('text/plain');
    expect(mimeOf('index.ts', 'video/mp2t')).toBe('text/plain');
    expect(mimeOf('note.webm', 'audio/webm;codecs=opus')).toBe('audio/webm');
    expect(mimeOf('x', '')).toBe('application/octet-stream');
  });

  it('is shown to the model or kept for its tools', () => {
    expect(['image/png', 'text/csv', 'application/pdf', 'application/json'].every(isShown)).toBe(true);
    expect(['image/svg+xml', 'audio/webm', 'application/zip'].some(isShown)).toBe(false);
    expect([kindOf('image/svg+xml'), kindOf('audio/ogg'), kindOf('text/plain')]).toEqual(['image', 'audio', 'file']);
  });
});

describe('whether it fits', () => {
  const file = (bytes: number, mime = 'application/zip') => ({ name: '<img src=x onerror=alert(1)>.zip', bytes, mime });

  it('is refused in words', () => {
    expect(refusal(file(0), [], limits)).toContain('is empty');
    expect(refusal(file(1001), [], limits)).toContain('larger than 1 kB');
    expect(refusal(file(101, 'image/png'), [], limits)).toContain('larger than 100 B');
    expect(
      refusal(
        file(10),
        Array.from({ length: 20 }, () => ({ bytes: 1 })),
        limits,
      ),
    ).toContain('At most 20');
    expect(refusal(file(900), [{ bytes: limits.maxTotalBytes }], limits)).toContain('together');
    expect(refusal(file(1000), [], limits)).toBeUndefined();
  });

  it('uses the usual limits when the gateway says none', () => {
    expect(limitsFrom(undefined).maxShownBytes).toBe(6_291_456);
    expect(limitsFrom({ attachments: { maxBytes: 'x' } }).maxBytes).toBe(19_464_192);
  });
});

it('makes large pictures smaller and leaves small ones', () => {
  expect(scaled(4800, 2400)).toEqual({ width: 2400, height: 1200 });
  expect(scaled(10, 24_000)).toEqual({ width: 1, height: 2400 });
  expect(scaled(800, 600)).toBeUndefined();
});

it('knows sizes', () => {
  expect([0, 999, 1500, 2_500_000].map(bytes)).toEqual(['0 B', '999 B', '1.5 kB', '2.5 MB']);
  expect(bytesOf('AAECAw==')).toBe(4);
});

it('encodes files of any size', async () => {
  const bytes = new Uint8Array(100_000).map((_, at) => at % 251);
  const data = await base64Of({ arrayBuffer: () => Promise.resolve(bytes.buffer) } as unknown as Blob);
  expect(bytesOf(data)).toBe(100_000);
  expect(atob(data).charCodeAt(777)).toBe(777 % 251);
});
