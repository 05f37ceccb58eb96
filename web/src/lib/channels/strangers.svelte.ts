// People on chat platforms who wrote and are not known: they wait until somebody lets them in.
import { type Gateway, GatewayError } from '../connection/gateway';
import { fieldsOf, stringOf } from '../read';
import { Waiting } from '../requests/waiting.svelte';

export interface Stranger {
  /** Platform, account and code together; the code alone may be given twice. */
  id: string;
  code: string;
  channel: string;
  channelLabel: string;
  accountId: string;
  accountLabel: string | undefined;
  name: string;
  senderId: string;
  username: string | undefined;
  since: number | undefined;
  expiresAt: number | undefined;
  canTell: boolean;
}

export class Strangers extends Waiting<Stranger> {
  constructor(private readonly gateway: Pick<Gateway, 'request'>) {
    super();
  }

  /** Takes an event; tells whether it was about strangers. */
  onEvent(name: string, payload: unknown): boolean {
    if (!name.startsWith('channels.pairing.')) return false;
    if (name === 'channels.pairing.requested') {
      const stranger = readStranger(payload);
      if (stranger) this.add([stranger]);
    } else if (name === 'channels.pairing.resolved') {
      const id = idOf(fieldsOf(payload));
      if (id) this.end(id);
    }
    return true;
  }

  /** Asks who waits now; the answer wins over what was believed. */
  async refresh(): Promise<void> {
    try {
      const list = fieldsOf(await this.gateway.request('channels.pairing.list', {})).requests;
      this.replace((Array.isArray(list) ? list : []).flatMap((one) => readStranger(one) ?? []));
    } catch {
      // A gateway without chat platforms, or a page that may not decide: nothing to show.
    }
  }

  async answer(stranger: Stranger, decision: 'approve' | 'dismiss'): Promise<void> {
    const which = { channel: stranger.channel, accountId: stranger.accountId, requestId: stranger.code };
    const send = (): Promise<unknown> =>
      decision === 'approve' ? this.gateway.request('channels.pairing.approve', { ...which, notify: stranger.canTell }) : this.gateway.request('channels.pairing.dismiss', which);
    await this.decide(stranger, send, isOver);
  }
}

function isOver(error: unknown): boolean {
  return error instanceof GatewayError && error.message.includes('no longer exists');
}

function idOf(fields: Record<string, unknown>): string | undefined {
  const [code, channel, account] = [stringOf(fields.requestId), stringOf(fields.channel), stringOf(fields.accountId)];
  return code && channel && account ? `${channel}/${account}/${code}` : undefined;
}

export function readStranger(value: unknown): Stranger | undefined {
  const fields = fieldsOf(value);
  const id = idOf(fields);
  const senderId = stringOf(fields.senderId);
  if (!id || !senderId) return undefined;
  const time = (text: unknown): number | undefined => {
    const at = Date.parse(stringOf(text) ?? '');
    return Number.isFinite(at) ? at : undefined;
  };
  return {
    id,
    code: stringOf(fields.requestId) ?? '',
    channel: stringOf(fields.channel) ?? '',
    channelLabel: stringOf(fields.channelLabel) ?? stringOf(fields.channel) ?? '',
    accountId: stringOf(fields.accountId) ?? '',
    accountLabel: stringOf(fields.accountLabel),
    name: stringOf(fields.senderLabel) ?? senderId,
    senderId,
    username: stringOf(fieldsOf(fields.metadata).username),
    since: time(fields.createdAt),
    expiresAt: time(fields.expiresAt),
    canTell: fields.notifySupported === true,
  };
}
