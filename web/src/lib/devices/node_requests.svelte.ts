// Devices that would like to offer commands to the assistant: what they may be asked is the owner's decision.
import { type Gateway, GatewayError } from '../connection/gateway';
import { fieldsOf, isFields, stringOf } from '../read';
import { strings } from '../strings';
import { Waiting } from '../requests/waiting.svelte';

export interface NodeRequest {
  id: string;
  nodeId: string;
  name: string;
  platform: string | undefined;
  family: string | undefined;
  from: string;
  commands: readonly string[];
  caps: readonly string[];
  /** What its operating system lets it do. */
  permissions: readonly string[];
}

export class NodeRequests extends Waiting<NodeRequest> {
  constructor(private readonly gateway: Pick<Gateway, 'request'>) {
    super();
  }

  /** Takes an event; tells whether it was about nodes that ask. */
  onEvent(name: string, payload: unknown): boolean {
    if (!name.startsWith('node.pair.')) return false;
    if (name === 'node.pair.requested') {
      const request = readNodeRequest(payload);
      if (request) this.add([request]);
    } else if (name === 'node.pair.resolved') {
      const { requestId, nodeId } = fieldsOf(payload);
      const gone = this.pending.find((one) => one.id === requestId || one.nodeId === nodeId);
      if (gone) this.end(gone.id);
    }
    return true;
  }

  /** Asks what waits now; the answer wins over what was believed. */
  async refresh(): Promise<void> {
    try {
      const list = fieldsOf(await this.gateway.request('node.pair.list', {})).pending;
      this.replace((Array.isArray(list) ? list : []).flatMap((one) => readNodeRequest(one) ?? []));
    } catch {
      // A gateway without nodes, or a page that may not decide: nothing to show.
    }
  }

  async answer(request: NodeRequest, decision: 'approve' | 'reject'): Promise<void> {
    await this.decide(request, () => this.gateway.request(`node.pair.${decision}`, { requestId: request.id }), isOver);
  }
}

function isOver(error: unknown): boolean {
  return error instanceof GatewayError && /unknown requestId|unknown request|no longer/.test(error.message);
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

export function readNodeRequest(value: unknown): NodeRequest | undefined {
  const fields = fieldsOf(value);
  const [id, nodeId] = [stringOf(fields.requestId), stringOf(fields.nodeId)];
  if (!id || !nodeId) return undefined;
  const permissions = isFields(fields.permissions) ? Object.entries(fields.permissions) : [];
  return {
    id,
    nodeId,
    name: stringOf(fields.displayName) ?? strings.deviceUnnamed,
    platform: stringOf(fields.platform),
    family: stringOf(fields.deviceFamily),
    from: stringOf(fields.remoteIp) ?? strings.deviceSomewhere,
    commands: texts(fields.commands),
    caps: texts(fields.caps),
    permissions: permissions.filter(([, granted]) => granted === true).map(([name]) => name),
  };
}
