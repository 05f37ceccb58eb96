// A schedule in a line.
import { words } from '../../words/cron';
import { dayAndTime, ownZone } from '../text/moments';
import { LAST_DAY, type Schedule, simple, UNITS, WEEK, WORKDAYS } from './schedule';

export function scheduleWords(schedule: Schedule, now: number): string {
  const say = words.say;
  switch (schedule.kind) {
    case 'every':
      return say.every(span(schedule.everyMs));
    case 'at': {
      const at = Date.parse(/([zZ]|[+-]\d\d:?\d\d)$/.test(schedule.at) ? schedule.at : `${schedule.at}Z`);
      return say.once(Number.isNaN(at) ? schedule.at : dayAndTime(at, now));
    }
    case 'cron': {
      const said = calendarWords(schedule.expr);
      // Times elsewhere are not the reader's own.
      return schedule.tz && schedule.tz !== ownZone() ? `${said} (${schedule.tz})` : said;
    }
    case 'on-exit':
      return say.onExit;
    default:
      return say.stream;
  }
}

function calendarWords(expr: string): string {
  const say = words.say;
  const known = simple(expr);
  const time = known?.time ?? '';
  if (known?.rhythm === 'daily') return say.daily(time);
  if (known?.rhythm === 'monthly') return known.day === LAST_DAY ? say.lastDay(time) : say.monthly(known.day ?? '', time);
  if (known?.rhythm === 'weekly') {
    const days = known.days ?? [];
    if (days.join() === WORKDAYS.join()) return say.weekdays(time);
    const names = WEEK.filter((day) => days.includes(day)).map((day) => (days.length > 2 ? words.dayShort[day] : words.dayNames[day]));
    return say.days(names.join(', '), time);
  }
  return say.cron(expr);
}

/** "30 minutes", "1 hour", "90 seconds". */
export function span(ms: number): string {
  for (const unit of ['days', 'hours', 'minutes'] as const) {
    const count = ms / UNITS[unit];
    if (Number.isInteger(count) && count > 0) return count === 1 ? unit.slice(0, -1) : `${count} ${unit}`;
  }
  return `${ms / 1000} seconds`;
}
