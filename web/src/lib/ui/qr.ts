// A QR code as one SVG path: each run of dark modules in a row is a rectangle.

/** Light modules around the code; readers want four. */
export const QUIET = 4;

export interface QrShape {
  /** Modules on a side, with the quiet zone. */
  size: number;
  path: string;
}

/** Draws modules that are known. */
export function pathOf(rows: readonly (readonly boolean[])[], quiet = QUIET): QrShape {
  let path = '';
  rows.forEach((row, y) => {
    for (let x = 0; x < row.length; x += 1) {
      if (!row[x]) continue;
      const from = x;
      while (row[x + 1]) x += 1;
      const width = x - from + 1;
      path += `M${from + quiet} ${y + quiet}h${width}v1h-${width}z`;
    }
  });
  return { size: rows.length + 2 * quiet, path };
}

/** The code of a text; the encoder is loaded when it is first needed. */
export async function drawQr(text: string): Promise<QrShape> {
  const { encode } = await import('uqr');
  return pathOf(encode(text, { ecc: 'L', border: 0 }).data);
}
