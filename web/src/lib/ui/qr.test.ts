// A code is drawn as it is, with light around it.
import { expect, it } from 'vitest';
import { QUIET, drawQr, pathOf } from './qr';

it('runs of dark modules become rectangles', () => {
  expect(
    pathOf(
      [
        [true, true, false, true],
        [false, false, false, false],
      ],
      0,
    ),
  ).toEqual({ size: 2, path: 'M0 0h2v1h-2zM3 0h1v1h-1z' });
});

it('a text becomes a code with its quiet zone', async () => {
  const { size, path } = await drawQr('eyJ1cmwiOiJ3czovLzE5Mi4xNjguMS4xMDoxODc4OSJ9'.repeat(4));
  expect((size - 2 * QUIET - 17) % 4).toBe(0);
  expect(path.startsWith(`M${QUIET} ${QUIET}h7v1h-7z`)).toBe(true);
});
