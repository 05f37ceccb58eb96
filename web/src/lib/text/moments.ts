// Moments to come and gone, as people say them: near ones by distance, all of them exactly in a title. Every time and
// day of the page is written here, so that they look alike: 14:05, 16 Nov, whatever the browser would do by itself.
import { words } from '../../words/conversation';
import { strings } from '../strings';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** So near is now. */
const NOW = 5_000;
const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const SHORT_DAY = { day: 'numeric', month: 'short' } as const;
const LONG_DAY = { weekday: 'long', day: 'numeric', month: 'long' } as const;

/** The distance in the largest fitting unit: "5 min", "3 h", "2 days". */
export function distance(ms: number): string {
  const size = Math.abs(ms);
  if (size < MINUTE) return `${Math.max(1, Math.round(size / 1000))} s`;
  if (size < HOUR) return `${Math.round(size / MINUTE)} min`;
  if (size < 36 * HOUR) {
    const hours = Math.floor(size / HOUR);
    const minutes = Math.round((size % HOUR) / MINUTE);
    return hours < 6 && minutes > 0 && minutes < 60 ? `${hours} h ${minutes} min` : `${Math.round(size / HOUR)} h`;
  }
  const days = Math.round(size / DAY);
  if (days < 60) return `${days} days`;
  return days < 700 ? `${Math.round(days / 30.4)} months` : `${Math.round(days / 365.25)} years`;
}

/** "in 5 min", "3 h ago", "now": clocks of two machines differ by a little. */
export function fromNow(at: number | undefined, now: number): string {
  if (at === undefined || !isDate(at)) return '–';
  const ahead = at - now;
  if (Math.abs(ahead) < NOW) return 'now';
  return ahead > 0 ? `in ${distance(ahead)}` : `${distance(ahead)} ago`;
}

/** How long ago, short enough for a list; what is older than a week is a day. */
export function relativeTime(at: number, now: number): string {
  const ago = now - at;
  if (ago < MINUTE) return strings.justNow;
  return ago < 7 * DAY ? distance(ago) : format(at, undefined, { ...SHORT_DAY, ...yearOf(at, now) });
}

/** What a clock shows. */
export function clockTime(at: number): string {
  return format(at, undefined, CLOCK);
}

/** The day of something said, as a line between messages names it. */
export function dayName(at: number, now: number): string {
  const midnight = (time: number): number => new Date(time).setHours(0, 0, 0, 0);
  const days = Math.round((midnight(now) - midnight(at)) / DAY);
  if (days === 0) return words.today;
  if (days === 1) return words.yesterday;
  return format(at, undefined, { ...LONG_DAY, ...yearOf(at, now) });
}

/** A day and a time, without a year when it is this one. */
export function dayAndTime(at: number, now: number, zone?: string | undefined): string {
  if (!isDate(at)) return '–';
  return format(at, zone, { weekday: 'short', ...SHORT_DAY, ...CLOCK, ...yearOf(at, now, zone) });
}

/** A day of the week and a date, without the year. */
export function weekdayAndDate(at: number): string {
  return format(at, undefined, { weekday: 'short', ...SHORT_DAY });
}

/** A day in full. */
export function wholeDay(at: number): string {
  return format(at, undefined, { ...LONG_DAY, year: 'numeric' });
}

export function monthAndYear(at: number): string {
  return format(at, undefined, { month: 'long', year: 'numeric' });
}

/** A day within a month that is named elsewhere. */
export function dayOfMonth(at: number): string {
  return format(at, undefined, { weekday: 'short', day: 'numeric' });
}

/** A date alone. */
export function shortDate(at: number): string {
  return format(at, undefined, SHORT_DAY);
}

/** Everything about a moment, with its zone: for titles. */
export function exactly(at: number | undefined, zone?: string | undefined): string {
  if (at === undefined || !isDate(at)) return '';
  return format(at, zone, { ...LONG_DAY, year: 'numeric', ...CLOCK, second: '2-digit', timeZoneName: 'short' });
}

/** What is left, as a clock shows it: 9:05; from an hour on in words. */
export function leftUntil(at: number, now: number): string {
  const left = Math.max(0, at - now);
  if (left >= HOUR) {
    const minutes = Math.floor((left % HOUR) / MINUTE);
    return `${Math.floor(left / HOUR)} h${minutes > 0 ? ` ${minutes} min` : ''}`;
  }
  return `${Math.floor(left / MINUTE)}:${String(Math.floor((left % MINUTE) / 1000)).padStart(2, '0')}`;
}

/** The zone of this browser. */
export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
}

/** A name that this browser knows too; the gateway may know more. */
export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function isDate(at: number): boolean {
  return Number.isFinite(at) && Math.abs(at) <= 8.64e15;
}

/** The year, where it is not this one. */
function yearOf(at: number, now: number, zone?: string | undefined): { year?: 'numeric' } {
  const year = (moment: number): string => format(moment, zone, { year: 'numeric' });
  return year(at) === year(now) ? {} : { year: 'numeric' };
}

const formats = new Map<string, Intl.DateTimeFormat>();

function format(at: number, zone: string | undefined, options: Intl.DateTimeFormatOptions): string {
  const timeZone = zone !== undefined && isZone(zone) ? zone : undefined;
  const key = JSON.stringify([timeZone, options]);
  let known = formats.get(key);
  if (!known) {
    known = new Intl.DateTimeFormat('en-GB', { ...options, ...(timeZone ? { timeZone } : {}) });
    formats.set(key, known);
  }
  return known.format(at);
}
