// Lines of the gateway's log: read, told apart, filtered and kept within bounds. Lines come redacted from the gateway.
import { isFields, stringOf } from '../read';

export const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type Level = (typeof LEVELS)[number];
/** Lines kept in the page; older ones go. */
export const LINES_MAX = 10_000;
/** A longer line is cut where it is shown; copies and downloads have all of it. */
export const SHOWN_MAX = 2_000;

export interface LogLine {
  /** Rising, never used twice: what the page calls this line. */
  id: number;
  raw: string;
  at: number | undefined;
  level: Level;
  subsystem: string;
  message: string;
  /** Everything else the line says. */
  fields: readonly (readonly [string, string])[];
}

const OWN = new Set(['time', 'level', 'subsystem', 'message']);
const ALIASES: Record<string, Level> = { warning: 'warn', err: 'error', critical: 'fatal', panic: 'fatal', notice: 'info' };

/** Reads a line of JSON; anything else is a message of its own. */
export function readLine(raw: string, id: number): LogLine {
  const parsed = parse(raw);
  if (!parsed) return { id, raw, at: undefined, level: 'info', subsystem: '', message: raw, fields: [] };
  const time = Date.parse(stringOf(parsed.time) ?? '');
  const fields = Object.entries(parsed)
    .filter(([name]) => !OWN.has(name))
    .map(([name, value]) => [name, typeof value === 'string' ? value : (JSON.stringify(value) ?? '')] as const);
  return { id, raw, at: Number.isNaN(time) ? undefined : time, level: levelOf(parsed.level), subsystem: stringOf(parsed.subsystem) ?? '', message: stringOf(parsed.message) ?? '', fields };
}

function parse(raw: string): Record<string, unknown> | undefined {
  if (!raw.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(raw);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function levelOf(value: unknown): Level {
  const word = (stringOf(value) ?? '').toLowerCase();
  return LEVELS.find((level) => level === word) ?? ALIASES[word] ?? 'info';
}

/** The lines kept, the oldest let go of. */
export function appended(lines: readonly LogLine[], more: readonly LogLine[]): readonly LogLine[] {
  if (more.length === 0) return lines;
  const all = lines.length + more.length;
  if (more.length >= LINES_MAX) return more.slice(-LINES_MAX);
  return all > LINES_MAX ? [...lines.slice(all - LINES_MAX), ...more] : [...lines, ...more];
}

export interface LogFilter {
  levels: ReadonlySet<Level>;
  /** Empty: all. */
  subsystem: string;
  /** Looked for as it is, whatever the case; with `matching` it is not looked at. */
  text: string;
  /** The lines a pattern matched, found elsewhere. */
  matching?: ReadonlySet<number> | undefined;
}

export function filtered(lines: readonly LogLine[], filter: LogFilter): readonly LogLine[] {
  const wanted = filter.text.trim().toLowerCase();
  const all = filter.levels.size === LEVELS.length && filter.subsystem === '' && filter.matching === undefined && wanted === '';
  if (all) return lines;
  return lines.filter(
    (line) =>
      filter.levels.has(line.level) &&
      (filter.subsystem === '' || line.subsystem === filter.subsystem || line.subsystem.startsWith(`${filter.subsystem}/`)) &&
      (filter.matching ? filter.matching.has(line.id) : wanted === '' || line.raw.toLowerCase().includes(wanted)),
  );
}

/** The parts of the program that spoke, and their rooms, sorted. */
export function subsystems(lines: readonly LogLine[]): string[] {
  const found = new Set<string>();
  for (const { subsystem } of lines) {
    if (subsystem === '') continue;
    found.add(subsystem);
    const room = subsystem.split('/')[0];
    if (room) found.add(room);
  }
  return [...found].toSorted();
}

/** How many lines each level has. */
export function levelCounts(lines: readonly LogLine[]): Record<Level, number> {
  const counts: Record<Level, number> = { trace: 0, debug: 0, info: 0, warn: 0, error: 0, fatal: 0 };
  for (const line of lines) counts[line.level] += 1;
  return counts;
}

/** A line's place in words: `14:57:35.440`. */
export function lineTime(at: number | undefined): string {
  if (at === undefined) return '';
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

export function cut(text: string): string {
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}
