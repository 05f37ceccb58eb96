// Logging in to a platform by scanning a code with its app: the gateway hands out codes, newer ones as
// they expire, and says when one was scanned.
import type { App } from '../app.svelte';
import { fieldsOf, stringOf } from '../read';

/** How long one question to the gateway may wait for a scan; below the page's own patience. */
const WAIT_MS = 20_000;
/** What the gateway may send as a code to be shown. */
const PICTURE = /^data:image\/png;base64,[A-Za-z0-9+/=]+$/;

export class QrLogin {
  kind = $state<'idle' | 'starting' | 'scan' | 'done' | 'failed'>('idle');
  picture = $state<string | undefined>();
  /** What the gateway says about it. */
  message = $state('');
  #round = 0;

  constructor(
    private readonly app: Pick<App, 'request'>,
    private readonly channel: string,
    private readonly accountId: string,
  ) {}

  /** Asks for a code and waits until it is scanned, or `stop` is called. */
  async start(force = false): Promise<void> {
    const round = ++this.#round;
    this.kind = 'starting';
    this.picture = undefined;
    const { channel, accountId } = this;
    try {
      let answer = fieldsOf(await this.app.request('web.login.start', { channel, accountId, force }));
      const sessionKey = stringOf(answer.sessionKey);
      while (round === this.#round) {
        this.message = stringOf(answer.message) ?? '';
        if (answer.connected === true) {
          this.kind = 'done';
          return;
        }
        const picture = stringOf(answer.qrDataUrl);
        if (picture !== undefined && PICTURE.test(picture)) this.picture = picture;
        if (this.picture === undefined) {
          this.kind = 'failed';
          return;
        }
        this.kind = 'scan';
        const wait = { channel, accountId, timeoutMs: WAIT_MS, currentQrDataUrl: this.picture, ...(sessionKey ? { sessionKey } : {}) };
        answer = fieldsOf(await this.app.request('web.login.wait', wait));
      }
    } catch (error) {
      if (round !== this.#round) return;
      this.message = error instanceof Error ? error.message : String(error);
      this.kind = 'failed';
    }
  }

  stop(): void {
    this.#round += 1;
  }
}
