// How high a row probably is before it was ever drawn; a good guess keeps the scroll bar calm.
import type { Row } from './rows';

const LINE_PX = 25;
const LINE_CHARS = 88;
const BUBBLE_CHARS = 64;
const GUESS_MAX = 12_000;

export function guessHeight(row: Row | undefined): number {
  switch (row?.kind) {
    case 'day':
      return 48;
    case 'changes':
      return 56;
    case 'steps':
      return Math.min(row.items.length, 5) * 36 + 16;
    case 'said':
      return row.item.kind === 'user' ? lines(row.item.text, BUBBLE_CHARS, 3_000) + 62 + row.item.images.length * 200 : lines(row.item.text, LINE_CHARS, 40_000) + (row.closing ? 46 : 18);
    default:
      return 0;
  }
}

function lines(text: string, width: number, most: number): number {
  const length = Math.min(text.length, most);
  return Math.min(GUESS_MAX, Math.ceil(length / width) * LINE_PX);
}
