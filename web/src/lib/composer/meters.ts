// How much a conversation holds and costs, from what the gateway says of it. Pure.
import { fieldsOf, numberOf } from '../read';

export interface TurnUsage {
  input: number;
  output: number;
  /** In dollars; undefined when no call had a price. */
  cost: number | undefined;
}

/** Above this share of its window a conversation is condensed soon. */
export const NEARLY_FULL = 0.8;

/** What the calls since the last question used. */
export function turnUsage(messages: readonly unknown[]): TurnUsage | undefined {
  const sum: TurnUsage = { input: 0, output: 0, cost: undefined };
  let calls = 0;
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = fieldsOf(messages[at]);
    if (message.role === 'user') break;
    if (message.role !== 'assistant') continue;
    const usage = fieldsOf(message.usage);
    const output = numberOf(usage.output);
    if (output === undefined) continue;
    calls += 1;
    sum.output += output;
    sum.input += (numberOf(usage.input) ?? 0) + (numberOf(usage.cacheRead) ?? 0) + (numberOf(usage.cacheWrite) ?? 0);
    const cost = numberOf(fieldsOf(usage.cost).total) ?? numberOf(usage.cost);
    if (cost !== undefined) sum.cost = (sum.cost ?? 0) + cost;
  }
  return calls > 0 ? sum : undefined;
}

/** How full the context is, from 0 to 1; undefined when nobody knows. */
export function fullness(used: number | undefined, limit: number | undefined): number | undefined {
  if (used === undefined || !limit || limit <= 0) return undefined;
  return Math.min(1, Math.max(0, used / limit));
}

/** Money with as many digits as tell something. */
export function money(dollars: number): string {
  if (dollars === 0) return '$0';
  if (dollars < 0.0001) return '< $0.0001';
  const digits = dollars < 0.01 ? 4 : dollars < 1 ? 3 : 2;
  return `$${dollars.toFixed(digits)}`;
}
