// How well a name fits what was typed: letters in order, better when they begin words or stand together.

const WORD_START = 8;
const TOGETHER = 5;
const PLAIN = 1;
const FIRST = 6;
/** Longer texts are not looked at to their end. */
const LOOKED_AT = 200;

/** More is better; nothing when it does not fit. Every word typed must be found. */
export function fuzzyScore(text: string, query: string): number | undefined {
  const typed = query.trim().toLowerCase().split(/\s+/).filter(Boolean);
  if (typed.length === 0) return 0;
  const where = text.slice(0, LOOKED_AT).toLowerCase();
  let sum = 0;
  for (const word of typed) {
    const score = wordScore(where, word);
    if (score === undefined) return undefined;
    sum += score;
  }
  // Of two that fit alike the shorter is meant.
  return sum - where.length / LOOKED_AT;
}

function wordScore(where: string, word: string): number | undefined {
  const at = where.indexOf(word);
  if (at >= 0) {
    const start = at === 0 ? FIRST + WORD_START : isStart(where, at) ? WORD_START : 0;
    return start + word.length * TOGETHER;
  }
  let [score, from, last] = [0, 0, -2];
  for (const letter of word) {
    const found = where.indexOf(letter, from);
    if (found < 0) return undefined;
    score += found === last + 1 ? TOGETHER - 1 : isStart(where, found) ? PLAIN + 2 : PLAIN;
    last = found;
    from = found + 1;
  }
  // Letters far apart in a long text are chance.
  return last - where.indexOf(word[0] ?? '') > word.length * 6 ? undefined : score;
}

function isStart(where: string, at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}]/u.test(where[at - 1] ?? '');
}
