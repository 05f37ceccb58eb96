// The memory of an agent for people: by day and by subject, found words, and lines in rendered texts.
import MarkdownIt from 'markdown-it';
import { monthAndYear, wholeDay } from '../text/moments';
import type { Methods } from '../connection/wire';

export type MemoryFile = Methods['memory.list']['result']['files'][number];
export type MemoryHit = Methods['memory.search']['result']['results'][number];

export const MAIN = 'MEMORY.md';
const DAY = /^memory\/(?:.*\/)?(\d{4})-(\d{2})-(\d{2})([^/]*)\.md$/i;

export interface Day {
  file: MemoryFile;
  /** Noon of that day, so that no zone makes another of it. */
  at: number;
  /** What stands in the name behind the day. */
  more: string;
}

export interface Shelf {
  main: MemoryFile | undefined;
  /** Newest first, by month. */
  months: { month: string; days: Day[] }[];
  /** By folder, then by name. */
  notes: MemoryFile[];
}

/** Files as a person looks for them. */
export function shelve(files: readonly MemoryFile[]): Shelf {
  const shelf: Shelf = { main: undefined, months: [], notes: [] };
  const days: Day[] = [];
  for (const file of files) {
    const day = dayOf(file.path);
    if (file.path === MAIN) shelf.main = file;
    else if (day) days.push({ file, ...day });
    else shelf.notes.push(file);
  }
  days.sort((one, other) => other.at - one.at || one.file.path.localeCompare(other.file.path));
  for (const day of days) {
    const month = monthAndYear(day.at);
    const last = shelf.months.at(-1);
    if (last?.month === month) last.days.push(day);
    else shelf.months.push({ month, days: [day] });
  }
  shelf.notes.sort((one, other) => one.path.localeCompare(other.path));
  return shelf;
}

function dayOf(path: string): { at: number; more: string } | undefined {
  const found = DAY.exec(path);
  if (!found) return undefined;
  const at = new Date(Number(found[1]), Number(found[2]) - 1, Number(found[3]), 12);
  if (at.getMonth() !== Number(found[2]) - 1) return undefined;
  return { at: at.getTime(), more: (found[4] ?? '').replace(/[-_]+/g, ' ').trim() };
}

/** What to call a file: its day, or its name without folder and ending. */
export function titleOf(path: string): string {
  const day = dayOf(path);
  if (day) {
    const date = wholeDay(day.at);
    return day.more ? `${date}, ${day.more}` : date;
  }
  return path === MAIN ? path : path.replace(/^memory\//, '').replace(/\.md$/i, '');
}

export interface Piece {
  text: string;
  found: boolean;
}

/** Enough for a passage; more would be an attack. */
const PIECES_MAX = 400;

/** A text cut where words were found, whatever their case. */
export function pieces(text: string, query: string): Piece[] {
  const words = wordsOf(query);
  if (words.length === 0) return [{ text, found: false }];
  const found = new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'giu');
  const cut: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(found)) {
    if (cut.length > PIECES_MAX) break;
    if (match.index > end) cut.push({ text: text.slice(end, match.index), found: false });
    cut.push({ text: match[0], found: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) cut.push({ text: text.slice(end), found: false });
  return cut;
}

/** Longest first, so that of two words of which one begins the other the whole is marked. */
export function wordsOf(query: string): string[] {
  return [...new Set(query.split(/\s+/).filter(Boolean))].sort((one, other) => other.length - one.length);
}

export interface Section {
  text: string;
  /** Its first and its last line, from 1. */
  first: number;
  last: number;
}

const parser = new MarkdownIt({ html: false, linkify: false, breaks: true });
/** Longer texts are one section: they are shown plain anyway. */
const SECTION_CHARS_MAX = 200_000;

/** A text in its top-level blocks, so that a line can be shown where it is. */
export function sections(text: string): Section[] {
  const lines = text.split('\n');
  const whole = [{ text, first: 1, last: lines.length }];
  if (text.length > SECTION_CHARS_MAX) return whole;
  const starts: number[] = [];
  for (const token of parser.parse(text, {})) {
    if (token.level === 0 && token.map && token.nesting >= 0) starts.push(token.map[0]);
  }
  if (starts.length === 0) return whole;
  return starts.map((start, index) => {
    // What stands before the first block belongs to it.
    const first = index === 0 ? 0 : start;
    const end = starts[index + 1] ?? lines.length;
    return { text: lines.slice(first, end).join('\n'), first: first + 1, last: end };
  });
}
