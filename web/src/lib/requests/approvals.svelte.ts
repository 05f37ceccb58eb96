// What the assistant may do only with the person's yes, wherever it was asked.
import type { ApprovalDecision } from '../../protocol';
import { type Gateway, GatewayError } from '../connection/gateway';
import { type Fields, fieldsOf, isFields, numberOf, stringOf } from '../read';
import { strings } from '../strings';
import { Waiting } from './waiting.svelte';

const KINDS = ['exec', 'plugin'] as const;
export type ApprovalKind = (typeof KINDS)[number];

export interface Approval {
  kind: ApprovalKind;
  id: string;
  tool: string;
  /** What would be done, whole. */
  what: string;
  cwd: string | undefined;
  program: string | undefined;
  /** Where it would run: `gateway`, `sandbox`, `node` … */
  host: string | undefined;
  agentId: string | undefined;
  /** Why the person is asked: the rule, and whose words are in play. */
  reasons: readonly string[];
  canAlways: boolean;
  sessionKey: string | undefined;
  /** By the clock of this page. */
  expiresAt: number;
}

export class Approvals extends Waiting<Approval> {
  constructor(private readonly gateway: Pick<Gateway, 'request'>) {
    super((one, other) => one.expiresAt - other.expiresAt);
  }

  /** Told of a question nobody answered in time. */
  onExpired: ((approval: Approval) => void) | undefined;

  /** Takes an event; tells whether it was about approvals. */
  onEvent(name: string, payload: unknown): boolean {
    const [kind, topic, what] = name.split('.');
    if (topic !== 'approval' || !isKind(kind)) return false;
    if (what === 'requested') {
      const approval = readApproval(kind, payload, Date.now());
      if (approval) this.add([approval]);
    } else if (what === 'resolved') {
      const { id, terminalReason } = fieldsOf(payload);
      const known = this.pending.find((one) => one.id === id);
      if (known && terminalReason === 'timeout') this.onExpired?.(known);
      if (typeof id === 'string') this.end(id);
    }
    return true;
  }

  /** Asks what waits now; the answer wins over what was believed. */
  async refresh(): Promise<void> {
    try {
      const [commands, others] = await Promise.all([this.gateway.request('exec.approval.list', {}), this.gateway.request('plugin.approval.list', {})]);
      const read = (kind: ApprovalKind, list: unknown): Approval[] => (Array.isArray(list) ? list : []).flatMap((one) => readApproval(kind, one) ?? []);
      const known = new Map(this.pending.map((approval) => [approval.id, approval]));
      this.replace([...read('exec', commands), ...read('plugin', others)].map((one) => known.get(one.id) ?? one));
    } catch {
      // A gateway without approvals, or a page that may not decide: nothing to show.
    }
  }

  async answer(approval: Approval, decision: ApprovalDecision): Promise<void> {
    const send = (): Promise<unknown> => this.gateway.request(`${approval.kind}.approval.resolve`, { id: approval.id, decision });
    await this.decide(approval, send, isOver);
  }
}

function isKind(kind: string | undefined): kind is ApprovalKind {
  return KINDS.some((known) => known === kind);
}

/** Somebody was faster, or it has expired: nothing is left to answer. */
function isOver(error: unknown): boolean {
  if (!(error instanceof GatewayError)) return false;
  return error.code === 'APPROVAL_NOT_FOUND' || fieldsOf(error.details).reason === 'APPROVAL_ALREADY_RESOLVED';
}

/** Reads a question. `heardAt` is when it was asked, by this page's clock, which may differ from the gateway's. */
export function readApproval(kind: ApprovalKind, value: unknown, heardAt?: number): Approval | undefined {
  const fields = fieldsOf(value);
  const request = fieldsOf(fields.request);
  const id = stringOf(fields.id);
  const what = kind === 'exec' ? stringOf(request.command) : (stringOf(request.detail) ?? stringOf(request.description) ?? stringOf(request.title));
  if (!id || !what || !isFields(fields.request)) return undefined;
  const expires = numberOf(fields.expiresAtMs) ?? 0;
  const created = numberOf(fields.createdAtMs) ?? expires;
  return {
    kind,
    id,
    tool: kind === 'exec' ? 'exec' : (stringOf(request.toolName) ?? strings.approvalSomeTool),
    what,
    cwd: stringOf(request.cwd),
    program: stringOf(request.resolvedPath),
    host: stringOf(request.host),
    agentId: stringOf(request.agentId),
    reasons: reasonsOf(request),
    canAlways: Array.isArray(request.allowedDecisions) && request.allowedDecisions.includes('allow-always'),
    sessionKey: stringOf(request.sessionKey),
    expiresAt: heardAt === undefined ? expires : heardAt + (expires - created),
  };
}

function reasonsOf(request: Fields): string[] {
  if (Array.isArray(request.reasons)) return request.reasons.filter((reason) => typeof reason === 'string');
  return (stringOf(request.warningText) ?? '').split('\n').filter((line) => line.trim());
}
