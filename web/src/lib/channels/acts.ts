// What can be done with accounts: tried, written, taken out. Writing is a merge patch on the file as
// it was read; when somebody else was faster, it is read and tried once more.
import type { App } from '../app.svelte';
import { GatewayError } from '../connection/gateway';
import { type Fields, fieldsOf } from '../read';
import { words } from '../../words/channels';
import { type Platform, handled } from './platforms';

export type Asks = Pick<App, 'request'>;

export interface Written {
  restarts: boolean;
}

/** Whether the file was changed since it was read. */
export function isConflict(error: unknown): boolean {
  return error instanceof GatewayError && /changed since|re-run config\.get|base ?hash/i.test(error.message);
}

/** Writes a change of the configuration made from what is there now. */
export async function writeConfig(app: Asks, change: (config: unknown) => Fields): Promise<Written> {
  for (let last = false; ; last = true) {
    const found = await app.request('config.get', {});
    const raw = JSON.stringify(change(found.parsed));
    try {
      const done = await app.request('config.patch', { raw, ...(found.exists ? { baseHash: found.hash } : {}) });
      return { restarts: done.restart !== undefined && done.restart !== null };
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (last) throw new Error(words.form.changed);
    }
  }
}

export interface Tried {
  ok: boolean;
  name: string | undefined;
  error: string | undefined;
  advice: readonly string[];
}

/** Asks the platform whether an account would work, before anything is written. */
export async function tryAccount(app: Asks, platform: Platform, account: string, section: Fields): Promise<Tried> {
  const answer = fieldsOf(await app.request('channels.check', { channel: platform.id, accountId: account, section }));
  const name = typeof answer.username === 'string' && answer.username ? answer.username : undefined;
  return {
    ok: answer.ok === true,
    name: name && handled(platform, name),
    error: typeof answer.error === 'string' ? answer.error : undefined,
    advice: Array.isArray(answer.advice) ? answer.advice.filter((one) => typeof one === 'string') : [],
  };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
