// Messages said while a run is under way: as the gateway lists them, and as this page sent them. Pure.
import { fieldsOf, stringOf } from '../read';
import { userId } from '../chat/transcript';

export interface Pending {
  runId: string;
  text: string;
  /** How many files go with it. */
  files: number;
  /** Whether it goes to the run under way instead of waiting for its end. */
  steer: boolean;
  /** Whether this page sent it. */
  own: boolean;
}

const STEER_SUFFIX = ':steer';

/** The run a message was sent as before the run under way took it. */
export function runOfSteered(message: unknown): string | undefined {
  const fields = fieldsOf(message);
  const key = stringOf(fields.idempotencyKey) ?? stringOf(fieldsOf(fields.__openclaw).idempotencyKey);
  return key?.endsWith(STEER_SUFFIX) ? key.slice(0, -STEER_SUFFIX.length) : undefined;
}

/** What waits according to a fetched history. What this page knows better about its own stays; what was sent and is not there yet, too. */
export function readPending(value: unknown, known: readonly Pending[], stored: ReadonlySet<string>): Pending[] {
  const list = fieldsOf(value).items;
  const listed = Array.isArray(list) ? list : [];
  const waiting: Pending[] = [];
  for (const entry of listed) {
    const { runId, text } = fieldsOf(entry);
    if (typeof runId !== 'string' || stored.has(userId(runId))) continue;
    const mine = known.find((other) => other.runId === runId);
    waiting.push(mine ?? { runId, text: stringOf(text) ?? '', files: 0, steer: false, own: false });
  }
  return waiting;
}
