// Everything that waits for a person's decision, as one stack: the most urgent kind first.
import type { Approval, Approvals } from './approvals.svelte';
import type { DeviceRequest, Devices } from '../devices/devices.svelte';
import type { NodeRequest, NodeRequests } from '../devices/node_requests.svelte';
import type { Stranger, Strangers } from '../channels/strangers.svelte';

export type Request =
  | { kind: 'approval'; id: string; asked: Approval }
  | { kind: 'device'; id: string; asked: DeviceRequest }
  | { kind: 'node'; id: string; asked: NodeRequest }
  | { kind: 'stranger'; id: string; asked: Stranger };

/** Nobody tells when a pairing request expires: what waits is asked for anew this often. */
const LOOK_MS = 30_000;

/** Pages that show requests of a kind among their own content. */
const SHOWN_BY: Partial<Record<string, readonly Request['kind'][]>> = { channels: ['stranger'], nodes: ['device', 'node'] };

export class Requests {
  /** Whether the person put the stack aside; a new request brings it back. */
  hidden = $state(false);
  #at = $state<string | undefined>();

  constructor(
    readonly approvals: Approvals,
    readonly devices: Devices,
    readonly nodes: NodeRequests,
    readonly strangers: Strangers,
    /** Which page is open. */
    private readonly page: () => string = () => '',
  ) {}

  get all(): readonly Request[] {
    return [
      ...this.approvals.pending.map((asked): Request => ({ kind: 'approval', id: asked.id, asked })),
      ...this.devices.pending.map((asked): Request => ({ kind: 'device', id: asked.id, asked })),
      ...this.nodes.pending.map((asked): Request => ({ kind: 'node', id: asked.id, asked })),
      ...this.strangers.pending.map((asked): Request => ({ kind: 'stranger', id: asked.id, asked })),
    ];
  }

  /** What the open page shows and asks itself is not asked a second time on top of it. */
  get stack(): readonly Request[] {
    const shown = SHOWN_BY[this.page()] ?? [];
    return this.all.filter((one) => !shown.includes(one.kind));
  }

  /** The one on top: the chosen one, else the first. */
  get current(): Request | undefined {
    return this.stack.find((one) => one.id === this.#at) ?? this.stack[0];
  }

  get place(): number {
    const current = this.current;
    return current ? this.stack.findIndex((one) => one.id === current.id) : 0;
  }

  /** Goes through the stack, around its ends. */
  step(by: number): void {
    const { stack: all } = this;
    if (all.length === 0) return;
    this.#at = all[(this.place + by + all.length) % all.length]?.id;
  }

  show(id?: string): void {
    this.hidden = false;
    if (id !== undefined) this.#at = id;
  }

  refresh(): void {
    void this.approvals.refresh();
    void this.devices.refresh();
    void this.nodes.refresh();
    void this.strangers.refresh();
  }

  /** Takes an event; tells whether it was about something that waits. */
  onEvent(name: string, payload: unknown): boolean {
    const before = new Set(this.all.map((one) => one.id));
    const taken = this.approvals.onEvent(name, payload) || this.devices.onEvent(name, payload) || this.nodes.onEvent(name, payload) || this.strangers.onEvent(name, payload);
    if (taken) {
      const fresh = this.all.find((one) => !before.has(one.id));
      if (fresh) {
        this.hidden = false;
        this.asked?.(fresh);
      }
    }
    return taken;
  }

  /** Told of each new request. */
  asked: ((request: Request) => void) | undefined;

  /** Looks now and then for what expired, while anything that can expire waits. Returns what ends it. */
  watch(): () => void {
    const timer = setInterval(() => {
      if (this.devices.pending.length > 0) void this.devices.refresh();
      if (this.strangers.pending.length > 0) void this.strangers.refresh();
    }, LOOK_MS);
    return () => clearInterval(timer);
  }
}
