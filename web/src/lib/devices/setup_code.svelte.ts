// Adding a device: the gateway makes a code, the device shows it, and the page says so the moment it
// happens. A code works for ten minutes.
import { words } from '../../words/nodes';
import type { App } from '../app.svelte';
import { fieldsOf, numberOf, stringOf } from '../read';
import type { SetupProfile } from '../connection/wire';

export type SetupKind = keyof typeof words.setup.profiles;

export interface Code {
  setupId: string;
  text: string;
  joinUrl: string | undefined;
  gatewayUrl: string;
  access: string;
  downgraded: boolean;
  expiresAt: number;
}

/** How often the gateway is asked whether somebody came, beside its event. */
const LOOK_MS = 4_000;
const COMPLETED = 'device.pair.setup.completed';

export class SetupCode {
  kind = $state<'ask' | 'making' | 'shown' | 'joined'>('ask');
  code = $state.raw<Code | undefined>();
  problem = $state<string | undefined>();
  /** What the device that came calls itself. */
  joinedName = $state('');

  constructor(private readonly app: Pick<App, 'request' | 'listen'>) {}

  async make(profile: SetupKind, address: string): Promise<void> {
    const publicUrl = address.trim();
    this.problem = addressProblem(publicUrl);
    if (this.problem !== undefined) return;
    this.kind = 'making';
    try {
      const answer = fieldsOf(
        await this.app.request('device.pair.setupCode', {
          includeQr: false,
          ...(profile === 'full' ? {} : { bootstrapProfile: profile as SetupProfile }),
          ...(profile === 'node' ? { joinUrl: true } : {}),
          ...(publicUrl ? { publicUrl } : {}),
        }),
      );
      this.code = {
        setupId: stringOf(answer.setupId) ?? '',
        text: stringOf(answer.setupCode) ?? '',
        joinUrl: stringOf(answer.joinUrl),
        gatewayUrl: stringOf(answer.gatewayUrl) ?? '',
        access: stringOf(answer.access) ?? profile,
        downgraded: answer.accessDowngraded === true,
        expiresAt: numberOf(answer.expiresAtMs) ?? Date.now(),
      };
      this.kind = 'shown';
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.problem = /only bound to loopback|no address in a local network/i.test(reason) ? words.setup.addressNeeded : reason;
      this.kind = 'ask';
    }
  }

  back(): void {
    this.kind = 'ask';
    this.code = undefined;
    this.problem = undefined;
  }

  /** Waits for the device; call in an effect while a code is shown and return what it returns. */
  watch(): () => void {
    const setupId = this.code?.setupId;
    const take = (value: unknown): void => {
      const done = fieldsOf(value);
      if (done.setupId !== setupId || this.kind !== 'shown') return;
      this.joinedName = (stringOf(done.deviceName)?.trim() || words.nameless).slice(0, 80);
      this.kind = 'joined';
    };
    const stop = this.app.listen((name, payload) => {
      if (name === COMPLETED) take(payload);
    });
    const looking = setInterval(() => {
      if (setupId && this.kind === 'shown')
        this.app.request('device.pair.setupStatus', { setupId }).then(
          (answer) => take(answer.completion),
          () => undefined,
        );
    }, LOOK_MS);
    return () => {
      stop();
      clearInterval(looking);
    };
  }
}

export function addressProblem(address: string): string | undefined {
  return address === '' || /^(wss?|https?):\/\/[^\s/]+/.test(address) ? undefined : words.setup.addressBad;
}

/** The address to offer first: where this page itself found the gateway, unless that is its own machine. */
export function likelyAddress(location: Pick<Location, 'protocol' | 'host' | 'hostname'>): string {
  if (/^(localhost|127\..*|\[::1\]|.*\.localhost)$/.test(location.hostname)) return '';
  return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}`;
}

/** What makes a computer a node of this gateway. */
export function nodeCommand(address: string): string {
  return `homard node run --url ${address} --token <token>`;
}
