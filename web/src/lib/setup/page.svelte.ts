// The set-up under way: which step, what was done, and the requests each step makes.
import type { App } from '../app.svelte';
import { type Draft, DEFAULT_ACCOUNT, patchOf, sectionOf } from '../channels/forms';
import { type Platform, handled, readPlatforms } from '../channels/platforms';
import { Loaded } from '../loaded.svelte';
import { isAddress } from '../models/models';
import { ModelsRoom, reason } from '../models/page.svelte';
import { fieldsOf, stringOf } from '../read';
import { FRESH, type Progress, type Step, after, previousStep, readProgress, writeProgress } from './setup';
import type { Methods } from '../connection/wire';

export type Login = Methods['models.authImport']['result']['found'][number];
export type PairingRequest = Methods['channels.pairing.list']['result']['requests'][number];

/** How connecting went: `refused` where the platform answered that it is not to be. */
export type Outcome = { ok: boolean; refused: boolean; text: string };

const LOOK_MS = 300;
/** How long a platform may take to come up after its token was written. */
const COME_UP_MS = 20_000;
const PROBE_MS = 8_000;
/** So often a platform may fail to answer after it was started. */
const ASKED_ENOUGH = 2;

export class Setup {
  progress = $state<Progress>(readProgress(localStorage));
  readonly room: ModelsRoom;
  readonly logins;
  readonly platforms;
  busy = $state(false);
  problem = $state<string | undefined>();
  /** How connecting a platform went. */
  connected = $state.raw<Outcome | undefined>();
  bot = $state<string | undefined>();
  paired = $state(false);

  constructor(private readonly app: App) {
    this.room = new ModelsRoom(app);
    this.logins = new Loaded(() => app.request('models.authImport', {}));
    this.platforms = new Loaded(async () => readPlatforms(await app.request('channels.platforms', {})));
  }

  follow(): () => void {
    const stops = [this.room.follow(), this.logins.follow(this.app), this.platforms.follow(this.app)];
    return () => stops.forEach((stop) => stop());
  }

  change(change: Partial<Progress>): void {
    this.progress = { ...this.progress, ...change };
    this.problem = undefined;
    writeProgress(localStorage, this.progress);
  }

  next(): void {
    this.change(after(this.progress, false));
  }

  skip(): void {
    // Without a provider there is neither a key nor a model to ask for.
    this.change(after(this.progress.step === 'provider' ? { ...this.progress, provider: undefined } : this.progress, true));
  }

  back(): void {
    this.change({ step: previousStep(this.progress) });
  }

  go(step: Step): void {
    this.change({ step });
  }

  restart(): void {
    this.connected = undefined;
    this.paired = false;
    this.change({ ...FRESH });
  }

  /** Does something that may fail; true when it did not. */
  async attempt(work: () => Promise<unknown>): Promise<boolean> {
    this.busy = true;
    this.problem = undefined;
    try {
      await work();
      return true;
    } catch (error) {
      this.problem = reason(error);
      return false;
    } finally {
      this.busy = false;
    }
  }

  async useKey(provider: string, key: string): Promise<void> {
    if (await this.attempt(() => this.room.setKey(provider, key))) await this.room.probe(provider);
  }

  async useServer(provider: string, address: string): Promise<void> {
    const own = isAddress(address) ? { baseUrl: address.trim() } : {};
    if (await this.attempt(() => this.room.patch({ models: { providers: { [provider]: own } } }))) await this.room.probe(provider);
  }

  async takeLogin(login: Login): Promise<void> {
    const taken = await this.attempt(async () => {
      await this.app.request('models.authImport', { program: login.program });
      await this.room.refresh();
    });
    if (taken) await this.room.probe(login.provider);
  }

  async useModel(model: string): Promise<void> {
    if (!(await this.attempt(() => this.room.choose(undefined, { primary: model, fallbacks: [] })))) return;
    this.change({ model });
    this.next();
  }

  /** The platform that was connected. */
  get platform(): Platform | undefined {
    return this.platforms.value?.find(({ id }) => id === this.progress.channel);
  }

  async connect(draft: Draft): Promise<void> {
    this.connected = undefined;
    const { platform } = draft;
    const before = await this.#account(platform, false).catch(() => ({}));
    // What is not asked for here stays as it is.
    const section = Object.fromEntries(Object.entries(sectionOf(draft)).filter(([, value]) => value !== null));
    const written = await this.attempt(async () => {
      const { parsed } = await this.app.request('config.get', {});
      await this.room.patch(patchOf(parsed, platform, DEFAULT_ACCOUNT, section));
    });
    if (!written) return;
    this.busy = true;
    try {
      const outcome = await this.#comeUp(platform, fieldsOf(before).lastStartAt);
      // What does not work is not left trying behind the person's back.
      if (!outcome.ok) await this.room.patch(patchOf((await this.app.request('config.get', {})).parsed, platform, DEFAULT_ACCOUNT, { enabled: false }));
      else this.change({ channel: platform.id });
      this.connected = outcome;
    } catch (error) {
      this.problem = reason(error);
    } finally {
      this.busy = false;
    }
  }

  /** The account as the gateway sees it now. */
  async #account({ id }: Platform, probe: boolean) {
    const status = await this.app.request('channels.status', { channel: id, probe, timeoutMs: PROBE_MS });
    return fieldsOf(status.channelAccounts[id]?.[0]);
  }

  /** Asks until the platform says who we are there, or what is wrong: with this token, not with the one before it. */
  async #comeUp(platform: Platform, startedBefore: unknown): Promise<Outcome> {
    const end = Date.now() + COME_UP_MS;
    let asked = 0;
    for (;;) {
      const account = await this.#account(platform, true);
      const probe = fieldsOf(account.probe);
      if (probe.ok === true) {
        const name = stringOf(fieldsOf(probe.bot).username);
        this.bot = name === undefined ? undefined : handled(platform, name);
        return { ok: true, refused: false, text: this.bot ?? '' };
      }
      // Until it was started anew, what is told is still of the token before; then it may need a moment.
      if (account.lastStartAt !== startedBefore && probe.ok === false) asked += 1;
      const said = stringOf(account.lastError) ?? stringOf(probe.error) ?? '';
      const failed = account.lastStartAt !== startedBefore && (typeof account.lastError === 'string' || asked > ASKED_ENOUGH);
      if (failed || Date.now() > end) return { ok: false, refused: failed && account.running === false, text: said };
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  async requests(): Promise<PairingRequest[]> {
    return (await this.app.request('channels.pairing.list', { channel: this.progress.channel })).requests;
  }

  async approve(request: PairingRequest): Promise<void> {
    const { channel, accountId, requestId } = request;
    this.paired = await this.attempt(() => this.app.request('channels.pairing.approve', { channel, accountId, requestId, notify: true, bootstrapCommandOwner: true }));
  }

  dismiss(request: PairingRequest): Promise<boolean> {
    const { channel, accountId, requestId } = request;
    return this.attempt(() => this.app.request('channels.pairing.dismiss', { channel, accountId, requestId }));
  }
}
