// The schedule helper: what a person chooses, as a schedule of the gateway, and back. When a
// schedule is due is never computed here: the gateway is asked (`cron.preview`).
import type { Methods } from '../connection/wire';
import { isZone, ownZone } from '../text/moments';

export type Schedule = Methods['cron.add']['params']['schedule'];
export type Rhythm = 'interval' | 'daily' | 'weekly' | 'monthly' | 'once' | 'cron';
export type Unit = 'minutes' | 'hours' | 'days';

export const RHYTHMS: readonly Rhythm[] = ['interval', 'daily', 'weekly', 'monthly', 'once', 'cron'];
export const UNITS: Readonly<Record<Unit, number>> = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };
/** Monday first; 0 is Sunday, as calendars of the gateway count. */
export const WEEK: readonly number[] = [1, 2, 3, 4, 5, 6, 0];
export const WORKDAYS: readonly number[] = [1, 2, 3, 4, 5];
/** The last day of a month, whichever it is. */
export const LAST_DAY = 'L';
const MAX_EVERY_MS = 10 * 366 * 86_400_000;

export interface ScheduleDraft {
  rhythm: Rhythm;
  every: number;
  unit: Unit;
  /** `HH:MM`. */
  time: string;
  days: number[];
  /** `1` … `31` or `L`. */
  day: string;
  /** `YYYY-MM-DD`. */
  date: string;
  expr: string;
  zone: string;
  /** Runs at the top of an hour are not moved. */
  exact: boolean;
}

/** What of a draft cannot be sent, by the field a person would change. */
export type ScheduleProblem = 'every' | 'time' | 'days' | 'day' | 'date' | 'expr' | 'zone';

export function newSchedule(now: number, zone = ownZone()): ScheduleDraft {
  const tomorrow = partsIn(zone, now + UNITS.days);
  return { rhythm: 'daily', every: 30, unit: 'minutes', time: '09:00', days: [...WORKDAYS], day: '1', date: tomorrow.date, expr: '0 9 * * 1-5', zone, exact: false };
}

/** The schedule a draft means, or what of it is wrong. */
export function toSchedule(draft: ScheduleDraft, before?: Schedule | undefined): { schedule: Schedule } | { problem: ScheduleProblem } {
  if (draft.rhythm === 'interval') return interval(draft, before);
  if (draft.rhythm === 'once') return once(draft);
  const zone = draft.zone.trim();
  if (zone === '') return { problem: 'zone' };
  const made = expression(draft);
  if ('problem' in made) return made;
  // How far a job may be moved stays as it was, unless a person says otherwise.
  const stagger = before?.kind === 'cron' && typeof before.staggerMs === 'number' && before.staggerMs > 0 ? before.staggerMs : undefined;
  const staggerMs = draft.exact ? 0 : stagger;
  return { schedule: { kind: 'cron', expr: made.expr, tz: zone, ...(staggerMs === undefined ? {} : { staggerMs }) } };
}

function interval(draft: ScheduleDraft, before: Schedule | undefined): { schedule: Schedule } | { problem: ScheduleProblem } {
  const everyMs = Math.round(draft.every * UNITS[draft.unit]);
  if (!Number.isFinite(everyMs) || everyMs < 1000 || everyMs > MAX_EVERY_MS) return { problem: 'every' };
  const anchor = before?.kind === 'every' && before.everyMs === everyMs ? before.anchorMs : undefined;
  return { schedule: { kind: 'every', everyMs, ...(typeof anchor === 'number' ? { anchorMs: anchor } : {}) } };
}

function once(draft: ScheduleDraft): { schedule: Schedule } | { problem: ScheduleProblem } {
  const time = readTime(draft.time);
  if (!time) return { problem: 'time' };
  if (!isZone(draft.zone.trim())) return { problem: 'zone' };
  const at = momentIn(draft.zone.trim(), draft.date, time.hour, time.minute);
  return at === undefined ? { problem: 'date' } : { schedule: { kind: 'at', at: new Date(at).toISOString() } };
}

function expression(draft: ScheduleDraft): { expr: string } | { problem: ScheduleProblem } {
  if (draft.rhythm === 'cron') {
    const expr = draft.expr.trim().replace(/\s+/g, ' ');
    return expr === '' ? { problem: 'expr' } : { expr };
  }
  const time = readTime(draft.time);
  if (!time) return { problem: 'time' };
  const at = `${time.minute} ${time.hour}`;
  if (draft.rhythm === 'daily') return { expr: `${at} * * *` };
  if (draft.rhythm === 'weekly') return draft.days.length === 0 ? { problem: 'days' } : { expr: `${at} * * ${daysExpression(draft.days)}` };
  const day = draft.day === LAST_DAY ? LAST_DAY : Number(draft.day);
  if (day !== LAST_DAY && !(Number.isInteger(day) && day >= 1 && day <= 31)) return { problem: 'day' };
  return { expr: `${at} ${day} * *` };
}

/** `1-5` for neighbours, `1,3` for others. */
function daysExpression(days: readonly number[]): string {
  const sorted = [...new Set(days)].sort((a, b) => a - b);
  const first = sorted[0] ?? 0;
  const last = sorted.at(-1) ?? 0;
  const neighbours = sorted.length > 2 && last - first === sorted.length - 1;
  return neighbours ? `${first}-${last}` : sorted.join(',');
}

/** A draft that means a schedule; what the helper has no words for is an expression. */
export function fromSchedule(schedule: Schedule, now: number): ScheduleDraft {
  const draft = newSchedule(now);
  if (schedule.kind === 'every') {
    const unit = (['days', 'hours', 'minutes'] as const).find((name) => schedule.everyMs % UNITS[name] === 0) ?? 'minutes';
    return { ...draft, rhythm: 'interval', every: schedule.everyMs / UNITS[unit], unit };
  }
  if (schedule.kind === 'at') {
    const at = Date.parse(/([zZ]|[+-]\d\d:?\d\d)$/.test(schedule.at) ? schedule.at : `${schedule.at}Z`);
    if (Number.isNaN(at)) return { ...draft, rhythm: 'once' };
    const parts = partsIn(draft.zone, at);
    return { ...draft, rhythm: 'once', date: parts.date, time: parts.time };
  }
  if (schedule.kind !== 'cron') return draft;
  const common = { ...draft, expr: schedule.expr, zone: schedule.tz || draft.zone, exact: schedule.staggerMs === 0 };
  return { ...common, ...(simple(schedule.expr) ?? { rhythm: 'cron' as const }) };
}

/** The helper's own words for an expression, where it has some. */
export function simple(expr: string): Partial<ScheduleDraft> | undefined {
  const found = /^(\d{1,2}) (\d{1,2}) (\*|L|\d{1,2}) \* (\S+)$/.exec(expr.trim());
  if (!found) return undefined;
  const [, minute = '', hour = '', day = '', weekday = ''] = found;
  if (Number(minute) > 59 || Number(hour) > 23) return undefined;
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (weekday === '*') return day === '*' ? { rhythm: 'daily', time } : { rhythm: 'monthly', time, day };
  const days = readDays(weekday);
  return day === '*' && days ? { rhythm: 'weekly', time, days } : undefined;
}

function readDays(text: string): number[] | undefined {
  const days = new Set<number>();
  for (const part of text.split(',')) {
    const found = /^([0-7])(?:-([0-7]))?$/.exec(part);
    if (!found) return undefined;
    const first = Number(found[1]);
    const last = found[2] === undefined ? first : Number(found[2]);
    if (last < first) return undefined;
    for (let day = first; day <= last; day += 1) days.add(day % 7);
  }
  return [...days].sort((a, b) => a - b);
}

function readTime(text: string): { hour: number; minute: number } | undefined {
  const found = /^(\d{1,2}):(\d{2})$/.exec(text.trim());
  const hour = Number(found?.[1] ?? Number.NaN);
  const minute = Number(found?.[2] ?? Number.NaN);
  return hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59 ? { hour, minute } : undefined;
}

/** What a clock on a wall of that zone shows. */
export function partsIn(zone: string, at: number): { date: string; time: string } {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: isZone(zone) ? zone : 'UTC', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return { date: `${parts.year}-${parts.month}-${parts.day}`, time: `${parts.hour}:${parts.minute}` };
}

/** The moment at which a clock of that zone shows this; a time that a change of clocks leaves out is the one after. */
export function momentIn(zone: string, date: string, hour: number, minute: number): number | undefined {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(date);
  if (!found) return undefined;
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])];
  const wall = Date.UTC(year, month - 1, day, hour, minute);
  if (new Date(wall).getUTCDate() !== day) return undefined;
  const wallOf = (at: number): number => {
    const parts = partsIn(zone, at);
    return Date.parse(`${parts.date}T${parts.time}:00Z`);
  };
  let at = wall;
  // Twice, because the first guess may lie beyond a change of clocks.
  for (let turn = 0; turn < 2; turn += 1) at += wall - wallOf(at);
  return at;
}
