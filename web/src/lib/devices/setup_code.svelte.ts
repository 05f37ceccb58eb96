// Adding a device: the gateway makes a code, the device shows it, and the page says so the moment it
// happens. A code works for ten minutes.
import { words } from '../../words/nodes';
import type { App } from '../app.svelte';
import { writeConfig } from '../channels/acts';
import { setupLink } from '../connection/credentials';
import { fieldsOf, numberOf, stringOf } from '../read';
import type { SetupProfile } from '../connection/wire';

export type SetupKind = keyof typeof words.setup.profiles;

export interface Code {
  setupId: string;
  text: string;
  /** The address a camera opens as a page, where that is wanted. */
  pageUrl: string | undefined;
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
  /** Whether no other device can find the gateway: it listens on its own machine alone. */
  alone = $state(false);
  /** What the device that came calls itself. */
  joinedName = $state('');

  constructor(private readonly app: Pick<App, 'request' | 'listen'>) {}

  async make(profile: SetupKind, address: string): Promise<void> {
    const publicUrl = address.trim();
    this.problem = addressProblem(publicUrl);
    if (this.problem !== undefined) return;
    this.kind = 'making';
    this.alone = false;
    try {
      const answer = fieldsOf(
        await this.app.request('device.pair.setupCode', {
          includeQr: false,
          ...(profile === 'full' || profile === 'browser' ? {} : { bootstrapProfile: profile as SetupProfile }),
          ...(profile === 'node' ? { joinUrl: true } : {}),
          ...(publicUrl ? { publicUrl } : {}),
        }),
      );
      const [text, access] = [stringOf(answer.setupCode) ?? '', stringOf(answer.access) ?? profile];
      const gatewayUrl = stringOf(answer.gatewayUrl) ?? '';
      this.code = {
        setupId: stringOf(answer.setupId) ?? '',
        text,
        pageUrl: profile === 'browser' ? setupLink(gatewayUrl, text, access, location.pathname) : undefined,
        joinUrl: stringOf(answer.joinUrl),
        gatewayUrl,
        access,
        downgraded: answer.accessDowngraded === true,
        expiresAt: numberOf(answer.expiresAtMs) ?? Date.now(),
      };
      this.kind = 'shown';
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.alone = /only bound to loopback/i.test(reason);
      this.problem = this.alone ? words.setup.addressNeeded : reason;
      this.kind = 'ask';
    }
  }

  /** Lets the gateway listen in the local network, and makes a code once it does. */
  async open(profile: SetupKind, address: string): Promise<void> {
    this.kind = 'making';
    this.problem = undefined;
    try {
      const back = this.#connected();
      const { restarts } = await writeConfig(this.app, () => ({ gateway: { bind: 'lan' } }));
      if (restarts) await back.done;
      back.stop();
      await this.make(profile, address);
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
      this.kind = 'ask';
    }
  }

  /** The gateway is there again after it went. */
  #connected(): { done: Promise<void>; stop: () => void } {
    let stop = (): void => undefined;
    const done = new Promise<void>((resolve) => {
      stop = this.app.listen((name) => name === 'connected' && resolve());
    });
    return { done, stop };
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
