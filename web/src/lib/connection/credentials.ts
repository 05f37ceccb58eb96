// Where this browser keeps what lets it in: the token from the link, and the device
// token the gateway issued. Both are kept per gateway address, and never leave it.

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

  forgetDeviceToken(deviceId: string, role: string): void {
    attempt(() => localStorage.removeItem(this.#deviceKey(deviceId, role)), undefined);
  }

  #deviceKey(deviceId: string, role: string): string {
    return `${DEVICE_TOKEN_PREFIX}${this.gatewayUrl}|${deviceId}|${role}`;
  }
}
