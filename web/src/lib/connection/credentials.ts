// Where this browser keeps what lets it in: the token from the link, and the device
// token the gateway issued. Both are kept per gateway address, and never leave it.
import { fieldsOf } from '../read';

const TOKEN_PREFIX = 'homard.token.';
const DEVICE_TOKEN_PREFIX = 'homard.device-token.';

/** A storage that may be refused (private windows, full disk): then things last as long as the page. */
function attempt<T>(work: () => T, otherwise: T): T {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

/**
 * Takes `#token=…` out of the address bar and returns it. The fragment never reaches a
 * server, and after this it is not in the history either.
 */
export function takeTokenFromFragment(location: Location, history: History): string | undefined {
  const fragment = new URLSearchParams(location.hash.replace(/^#/, ''));
  const token = fragment.get('token')?.trim();
  if (!fragment.has('token')) return undefined;
  fragment.delete('token');
  const rest = fragment.toString();
  history.replaceState(history.state, '', `${location.pathname}${location.search}${rest ? `#${rest}` : ''}`);
  return token || undefined;
}

/** What a link from a QR code brings: it lets this browser in once. */
export interface SetupLink {
  bootstrapToken: string;
  /** Whether it may also change settings. */
  full: boolean;
}

/** Takes `#setup=…` out of the address bar; a code that cannot be read is none. */
export function takeSetupFromFragment(location: Location, history: History): SetupLink | undefined {
  const fragment = new URLSearchParams(location.hash.replace(/^#/, ''));
  const code = fragment.get('setup')?.trim();
  if (code === undefined) return undefined;
  history.replaceState(history.state, '', `${location.pathname}${location.search}`);
  return attempt(() => {
    const { bootstrapToken } = fieldsOf(JSON.parse(atob(code.replace(/-/g, '+').replace(/_/g, '/'))));
    return typeof bootstrapToken === 'string' && bootstrapToken ? { bootstrapToken, full: fragment.get('access') === 'full' } : undefined;
  }, undefined);
}

/** The address of this page that lets another browser in. */
export function setupLink(gatewayUrl: string, code: string, access: string, path: string): string {
  const origin = gatewayUrl.replace(/^ws/, 'http').replace(/\/+$/, '');
  return `${origin}${path}#${new URLSearchParams({ setup: code, access }).toString()}`;
}

export class Credentials {
  #token: string | undefined;

  constructor(private readonly gatewayUrl: string) {}

  token(): string | undefined {
    const key = TOKEN_PREFIX + this.gatewayUrl;
    this.#token ??= attempt(() => sessionStorage.getItem(key) ?? localStorage.getItem(key) ?? undefined, undefined);
    return this.#token;
  }

  saveToken(token: string): void {
    const key = TOKEN_PREFIX + this.gatewayUrl;
    this.#token = token;
    attempt(() => sessionStorage.setItem(key, token), undefined);
    attempt(() => localStorage.setItem(key, token), undefined);
  }

  forgetToken(): void {
    const key = TOKEN_PREFIX + this.gatewayUrl;
    this.#token = undefined;
    attempt(() => sessionStorage.removeItem(key), undefined);
    attempt(() => localStorage.removeItem(key), undefined);
  }

  deviceToken(deviceId: string, role: string): string | undefined {
    return attempt(() => localStorage.getItem(this.#deviceKey(deviceId, role)) ?? undefined, undefined);
  }

  saveDeviceToken(deviceId: string, role: string, token: string): void {
    attempt(() => localStorage.setItem(this.#deviceKey(deviceId, role), token), undefined);
  }

  /** What the device's token is good for, where that is less than everything. */
  deviceScopes(deviceId: string, role: string): readonly string[] | undefined {
    const kept = attempt(() => localStorage.getItem(`${this.#deviceKey(deviceId, role)}|scopes`) ?? undefined, undefined);
    return kept?.split(' ');
  }

  saveDeviceScopes(deviceId: string, role: string, scopes: readonly string[]): void {
    attempt(() => localStorage.setItem(`${this.#deviceKey(deviceId, role)}|scopes`, scopes.join(' ')), undefined);
  }

  forgetDeviceToken(deviceId: string, role: string): void {
    attempt(() => localStorage.removeItem(this.#deviceKey(deviceId, role)), undefined);
  }

  #deviceKey(deviceId: string, role: string): string {
    return `${DEVICE_TOKEN_PREFIX}${this.gatewayUrl}|${deviceId}|${role}`;
  }
}
