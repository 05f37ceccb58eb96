// Calls made by hand on the debug page: read, said as a command, and kept while the page lives.
import { GatewayError } from '../connection/gateway';
import { isFields } from '../read';
import { words } from '../../words/debug';

/** Calls remembered. */
export const HISTORY_MAX = 50;
/** Characters of an answer that are shown at first. */
export const SHOWN_MAX = 60_000;

/** What is sent, or why it cannot be. */
export function readParams(text: string): { params: Record<string, unknown> } | { problem: string } {
  if (text.trim() === '') return { params: {} };
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? { params: value } : { problem: words.call.notObject };
  } catch (error) {
    return { problem: words.call.badJson(error instanceof Error ? error.message : String(error)) };
  }
}

/** One argument of a shell, whatever is in it. */
export function quoted(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The same call from a terminal. */
export function commandOf(method: string, params: Record<string, unknown>): string {
  const base = `homard gateway call ${quoted(method)}`;
  return Object.keys(params).length === 0 ? base : `${base} --params ${quoted(JSON.stringify(params))}`;
}

/** Names of methods that lose or change something for good. */
const HARSH = /(^|\.)(delete|remove|reset|revoke|reject|restart|clear|wipe|uninstall|run|apply|set|patch|stop|kill|logout|install|rotate|abort|forget|suspend)(\.|$)/i;

export function isHarsh(method: string): boolean {
  return HARSH.test(method);
}

export interface Failure {
  code: string;
  message: string;
  details: unknown;
}

export function failureOf(error: unknown): Failure {
  if (error instanceof GatewayError) return { code: error.code, message: error.message, details: error.details };
  return { code: 'ERROR', message: error instanceof Error ? error.message : String(error), details: undefined };
}

export function pretty(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? 'undefined';
  } catch {
    return String(value);
  }
}

const SECRET = /token|secret|password|apikey|signature|privatekey/i;
const HIDDEN = '••••';

/** A copy without what lets somebody in; counts and lists with such names stay. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, typeof inner === 'string' && SECRET.test(name) ? HIDDEN : withoutSecrets(inner)]));
}

/** Methods that answer to what was typed: those that begin with it first. */
export function found(methods: readonly string[], query: string): string[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return [...methods];
  const hits = methods.filter((method) => method.toLowerCase().includes(wanted));
  return hits.toSorted((a, b) => Number(b.toLowerCase().startsWith(wanted)) - Number(a.toLowerCase().startsWith(wanted)));
}
