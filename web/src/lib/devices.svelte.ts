// Devices that ask to be let in: told by events, fetched anew when in doubt. What a device says
// of itself is its own claim; where it asks from and what it wants is the gateway's word.
import { type Gateway, GatewayError } from './gateway';
import { fieldsOf, stringOf } from './read';
import { strings } from './strings';

/** Ended requests remembered, so that a list fetched before their end does not revive them. */
const ENDED_MAX = 64;

export interface DeviceRequest {
  id: string;
  deviceId: string;
  /** Its own name for itself, or its program's. */
  name: string;
  program: string | undefined;
  platform: string | undefined;
  role: string;
  scopes: readonly string[];
  /** Where it asks from: address, and the page if it is one. */
  from: string;
  /** Whether it may connect already and wants more. */
  wantsMore: boolean;
}

export class Devices {
  /** Oldest first. */
  pending = $state.raw<readonly DeviceRequest[]>([]);
  /** The request an answer is on its way for. */
  answering = $state<string | undefined>();
  problem = $state<string | undefined>();
  #ended = new Set<string>();

  constructor(private readonly gateway: Pick<Gateway, 'request'>) {}

  /** Takes an event; tells whether it was about devices. */
  onEvent(name: string, payload: unknown): boolean {
    if (!name.startsWith('device.pair.')) return false;
    if (name === 'device.pair.requested') {
      const request = readRequest(payload);
      if (request) this.#add([request]);
    } else if (name === 'device.pair.resolved') {
      const id = stringOf(fieldsOf(payload).requestId);
      if (id) this.#end(id);
    }
    return true;
  }

  /** Asks what waits now; the answer wins over what was believed. */
  async refresh(): Promise<void> {
    try {
      const list = fieldsOf(await this.gateway.request('device.pair.list', {})).pending;
      this.pending = [];
      this.#add((Array.isArray(list) ? list : []).flatMap((one) => readRequest(one) ?? []));
    } catch {
      // A gateway that pairs no devices, or a page that may not decide: nothing to show.
    }
  }

  async answer(request: DeviceRequest, decision: 'approve' | 'reject'): Promise<void> {
    if (this.answering) return;
    this.answering = request.id;
    this.problem = undefined;
    try {
      await this.gateway.request(`device.pair.${decision}`, { requestId: request.id });
      this.#end(request.id);
    } catch (error) {
      if (isOver(error)) this.#end(request.id);
      else this.problem = strings.actionFailed(error instanceof Error ? error.message : String(error));
    } finally {
      this.answering = undefined;
    }
  }

  #add(requests: readonly DeviceRequest[]): void {
    const fresh = requests.filter((one) => !this.#ended.has(one.id) && !this.pending.some((known) => known.id === one.id));
    if (fresh.length > 0) this.pending = [...this.pending, ...fresh];
  }

  #end(id: string): void {
    this.#ended.add(id);
    for (const oldest of this.#ended) {
      if (this.#ended.size <= ENDED_MAX) break;
      this.#ended.delete(oldest);
    }
    this.pending = this.pending.filter((one) => one.id !== id);
    if (this.answering === undefined) this.problem = undefined;
  }
}

/** Somebody was faster, the device asked for something else, or it has expired: nothing is left to answer. */
function isOver(error: unknown): boolean {
  return error instanceof GatewayError && error.message.includes('unknown requestId');
}

/** Reads a request; those nobody is to be asked about are none. */
export function readRequest(value: unknown): DeviceRequest | undefined {
  const fields = fieldsOf(value);
  const [id, deviceId] = [stringOf(fields.requestId), stringOf(fields.deviceId)];
  if (!id || !deviceId || fields.silent === true) return undefined;
  const program = stringOf(fields.clientId);
  const [address, page] = [stringOf(fields.remoteIp) ?? strings.deviceSomewhere, stringOf(fields.browserOrigin)];
  return {
    id,
    deviceId,
    name: stringOf(fields.displayName) ?? program ?? strings.deviceUnnamed,
    program,
    platform: stringOf(fields.platform),
    role: stringOf(fields.role) ?? 'operator',
    scopes: Array.isArray(fields.scopes) ? fields.scopes.filter((scope) => typeof scope === 'string') : [],
    from: page ? `${address} (${page})` : address,
    wantsMore: fields.isRepair === true,
  };
}

/** What a scope means to the person who grants it. */
export function scopeWords(request: DeviceRequest): readonly string[] {
  if (request.role !== 'operator') return [strings.deviceRole(request.role)];
  if (request.scopes.length === 0) return [strings.deviceNothing];
  const known: Record<string, string> = strings.deviceScopes;
  return request.scopes.map((scope) => known[scope] ?? scope);
}
