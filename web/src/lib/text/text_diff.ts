// What differs between two texts, line by line, as a unified diff shows it.

export type DiffLine = { kind: 'same' | 'out' | 'in'; text: string; before: number | undefined; after: number | undefined };
export interface Hunk {
  lines: DiffLine[];
}

/** Lines of unchanged text around a change. */
const CONTEXT = 3;
/** Beyond this many changed lines on both sides the middle is shown as one replacement. */
const EXACT_MAX = 3_000;

export function diffLines(before: string, after: string): Hunk[] {
  return hunks(script(before.split('\n'), after.split('\n')));
}

/** How many lines came and went. */
export function tally(all: readonly Hunk[]): { out: number; in: number } {
  const count = { out: 0, in: 0 };
  for (const hunk of all) for (const line of hunk.lines) if (line.kind !== 'same') count[line.kind] += 1;
  return count;
}

function script(before: string[], after: string[]): DiffLine[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < before.length - head && tail < after.length - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const lines: DiffLine[] = [];
  const same = (one: number, other: number): void => void lines.push({ kind: 'same', text: before[one] ?? '', before: one + 1, after: other + 1 });
  for (let at = 0; at < head; at += 1) same(at, at);
  lines.push(...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail), head));
  for (let at = tail; at > 0; at -= 1) same(before.length - at, after.length - at);
  return lines;
}

/** The longest common subsequence; sizes here are those of a configuration. */
function middle(before: string[], after: string[], offset: number): DiffLine[] {
  const out = (at: number): DiffLine => ({ kind: 'out', text: before[at] ?? '', before: offset + at + 1, after: undefined });
  const into = (at: number): DiffLine => ({ kind: 'in', text: after[at] ?? '', before: undefined, after: offset + at + 1 });
  if (before.length * after.length > EXACT_MAX * EXACT_MAX) return [...before.map((_, at) => out(at)), ...after.map((_, at) => into(at))];
  const width = after.length + 1;
  const longest = new Uint32Array((before.length + 1) * width);
  const cell = (one: number, other: number): number => longest[one * width + other] ?? 0;
  for (let one = before.length - 1; one >= 0; one -= 1) {
    for (let other = after.length - 1; other >= 0; other -= 1) {
      longest[one * width + other] = before[one] === after[other] ? cell(one + 1, other + 1) + 1 : Math.max(cell(one + 1, other), cell(one, other + 1));
    }
  }
  const lines: DiffLine[] = [];
  let one = 0;
  let other = 0;
  while (one < before.length || other < after.length) {
    if (one < before.length && other < after.length && before[one] === after[other]) {
      lines.push({ kind: 'same', text: before[one] ?? '', before: offset + one + 1, after: offset + other + 1 });
      one += 1;
      other += 1;
    } else if (one < before.length && (other >= after.length || cell(one + 1, other) >= cell(one, other + 1))) lines.push(out(one++));
    else lines.push(into(other++));
  }
  return lines;
}

function hunks(lines: DiffLine[]): Hunk[] {
  const found: Hunk[] = [];
  let from = -1;
  let end = -1;
  lines.forEach((line, at) => {
    if (line.kind === 'same') return;
    if (from >= 0 && at - CONTEXT <= end) end = at + CONTEXT + 1;
    else {
      if (from >= 0) found.push({ lines: lines.slice(from, end) });
      from = Math.max(0, at - CONTEXT);
      end = at + CONTEXT + 1;
    }
  });
  if (from >= 0) found.push({ lines: lines.slice(from, end) });
  return found;
}
