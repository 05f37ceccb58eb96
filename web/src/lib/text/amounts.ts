// Amounts as people read them: money, counts, shares, bytes and long times. Nothing here trusts its input to be finite.
import { weekdayAndDate } from './moments';

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const CENT = 0.01;
const NONE = '–';

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** Dollars: cents from a cent on, more digits below, so that a cheap call is not "$0.00". */
export function money(usd: number | undefined): string {
  if (usd === undefined || !Number.isFinite(usd)) return NONE;
  const sign = usd < 0 ? '−' : '';
  const amount = Math.abs(usd);
  if (amount === 0) return '$0.00';
  if (amount < 0.0001) return `${sign}<$0.0001`;
  if (amount < CENT) return `${sign}$${amount.toFixed(4)}`;
  if (amount >= 10_000) return `${sign}$${compact.format(amount)}`;
  return `${sign}$${amount.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

/** Dollars beside an axis: no more digits than tell its marks apart. */
export function axisMoney(usd: number): string {
  return usd >= 1_000 ? `$${compact.format(usd)}` : `$${Number(usd.toPrecision(2))}`;
}

/** Every digit, with separators. */
export function count(value: number | undefined): string {
  return value === undefined || !Number.isFinite(value) ? NONE : whole.format(value);
}

/** At most four characters or so: 12.3K. */
export function short(value: number | undefined): string {
  return value === undefined || !Number.isFinite(value) ? NONE : compact.format(value);
}

/** A share of one, in percent. */
export function percent(share: number | undefined): string {
  if (share === undefined || !Number.isFinite(share)) return NONE;
  const hundredths = share * 100;
  return hundredths > 0 && hundredths < 1 ? '<1 %' : `${Math.round(hundredths)} %`;
}

/** At most three digits and a unit, and no zero after the point: 1.5 kB, 16 GB. */
export function bytes(size: number | undefined): string {
  if (size === undefined || !Number.isFinite(size) || size < 0) return NONE;
  let amount = size;
  let unit = 0;
  // What would be rounded to a thousand is one of the next unit.
  while (amount >= 999.5 && unit < UNITS.length - 1) {
    amount /= 1000;
    unit += 1;
  }
  return `${Number(amount.toFixed(amount < 100 ? 1 : 0))} ${UNITS[unit]}`;
}

/** Milliseconds as short as an axis needs them. */
export function took(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms)) return NONE;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < MINUTE_MS) return `${Number((ms / 1000).toFixed(ms < 10_000 ? 1 : 0))} s`;
  return ms < HOUR_MS ? parts(Math.floor(ms / MINUTE_MS), 'min', Math.round((ms % MINUTE_MS) / 1000), 's') : span(ms);
}

/** A long time in its two largest parts: 3 d 4 h. */
export function span(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms) || ms < 0) return NONE;
  if (ms < MINUTE_MS) return `${Math.floor(ms / 1000)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < DAY_MS) return parts(Math.floor(ms / HOUR_MS), 'h', Math.floor((ms % HOUR_MS) / MINUTE_MS), 'min');
  return parts(Math.floor(ms / DAY_MS), 'd', Math.floor((ms % DAY_MS) / HOUR_MS), 'h');
}

function parts(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

/** `yyyy-mm-dd` of a moment, where the person is. */
export function dateOf(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** A `yyyy-mm-dd` as a day is said; anything else stays as it is. */
export function dayName(date: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return date;
  const at = new Date(`${date}T12:00:00`);
  return Number.isNaN(at.getTime()) ? date : weekdayAndDate(at.getTime());
}
