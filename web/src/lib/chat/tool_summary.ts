// One line that says what a tool call is about, and its input as people read it.

import { plainName } from '../read';

/** Fields that usually carry the point of a call, best first. */
const TELLING = ['command', 'path', 'file_path', 'url', 'query', 'pattern', 'message', 'text', 'action', 'name'];
const SUMMARY_MAX = 160;

export function toolSummary(args: Record<string, unknown>): string {
  const telling = TELLING.map((field) => args[field]).find((value) => typeof value === 'string' && value.trim());
  const any = telling ?? Object.values(args).find((value) => typeof value === 'string' && value.trim());
  return typeof any === 'string'
    ? plainName(any.slice(0, 4 * SUMMARY_MAX))
        .trim()
        .replace(/\s+/g, ' ')
        .slice(0, SUMMARY_MAX)
    : '';
}

export function argumentsText(args: Record<string, unknown>): string {
  const entries = Object.entries(args);
  if (entries.length === 0) return '';
  const only = entries[0];
  if (entries.length === 1 && only?.[0] === 'command' && typeof only[1] === 'string') return only[1];
  return JSON.stringify(args, null, 2);
}

/** The last thing a running tool printed, for one line. */
export function lastLine(output: string): string {
  const end = output.slice(-2 * SUMMARY_MAX).trimEnd();
  return end
    .slice(end.lastIndexOf('\n') + 1)
    .trim()
    .slice(-SUMMARY_MAX);
}
