// Devices that ask to be let in. What a device says of itself is its own claim; where it asks from
// and what it wants is the gateway's word.
import { type Gateway, GatewayError } from '../connection/gateway';
import { fieldsOf, stringOf } from '../read';
import { strings } from '../strings';
import { Waiting } from '../requests/waiting.svelte';

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

export class Devices extends Waiting<DeviceRequest> {
  constructor(private readonly gateway: Pick<Gateway, 'request'>) {
    super();
  }

  /** Takes an event; tells whether it was about devices. */
  onEvent(name: string, payload: unknown): boolean {
    if (!name.startsWith('device.pair.')) return false;
    if (name === 'device.pair.requested') {
      const request = readRequest(payload);
      if (request) this.add([request]);
    } else if (name === 'device.pair.resolved') {
      const id = stringOf(fieldsOf(payload).requestId);
      if (id) this.end(id);
    }
    return true;
  }

  /** Asks what waits now; the answer wins over what was believed. */
  async refresh(): Promise<void> {
    try {
      const list = fieldsOf(await this.gateway.request('device.pair.list', {})).pending;
      this.replace((Array.isArray(list) ? list : []).flatMap((one) => readRequest(one) ?? []));
    } catch {
      // A gateway that pairs no devices, or a page that may not decide: nothing to show.
    }
  }

  async answer(request: DeviceRequest, decision: 'approve' | 'reject'): Promise<void> {
    await this.decide(request, () => this.gateway.request(`device.pair.${decision}`, { requestId: request.id }), isOver);
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
