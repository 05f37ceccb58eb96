// Times of the pages about channels and devices, in words that stay right while they are looked at.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The time now, moving while somebody looks at it. */
export class Clock {
  now = $state(Date.now());

  /** Call in an effect and return what it returns. */
  run(everyMs = SECOND): () => void {
    this.now = Date.now();
    const ticking = setInterval(() => (this.now = Date.now()), everyMs);
    return () => clearInterval(ticking);
  }
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** “3 minutes ago”, “yesterday”, “in 2 hours”. */
export function ago(at: number, now: number): string {
  const away = at - now;
  const size = Math.abs(away);
  // Clocks of two machines, and of one that ticks seldom, differ by a little.
  if (size < MINUTE) return 'just now';
  if (size < HOUR) return relative.format(Math.trunc(away / MINUTE), 'minute');
  if (size < DAY) return relative.format(Math.trunc(away / HOUR), 'hour');
  if (size < 30 * DAY) return relative.format(Math.trunc(away / DAY), 'day');
  return new Intl.DateTimeFormat('en', { dateStyle: 'medium' }).format(at);
}

export function exactly(at: number): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' }).format(at);
}

/** What is left, as a clock shows it: 9:05; from an hour on in words. */
export function leftUntil(at: number, now: number): string {
  const left = Math.max(0, at - now);
  if (left >= HOUR) {
    const minutes = Math.floor((left % HOUR) / MINUTE);
    return `${Math.floor(left / HOUR)} h${minutes > 0 ? ` ${minutes} min` : ''}`;
  }
  return `${Math.floor(left / MINUTE)}:${String(Math.floor((left % MINUTE) / SECOND)).padStart(2, '0')}`;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** A size as people say it. */
export function bytes(count: number): string {
  let [value, unit] = [count, 0];
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value >= 10 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}
