// The set-up under way: the gateway's conversations (`wizard.*`) one question at a time, then pairing. Which questions there
// are, and what comes of the answers, is the gateway's.
import type { App } from '../app.svelte';
import { reason } from '../models/page.svelte';
import { FRESH, type Part, type Progress, after, readProgress, writeProgress } from './setup';
import type { Methods } from '../connection/wire';

type Turn = Methods['wizard.next']['result'];
export type Question = NonNullable<Turn['step']>;
export type PairingRequest = Methods['channels.pairing.list']['result']['requests'][number];

/** A model that is being loaded, or a platform, may take a while to answer. */
const PATIENCE_MS = 120_000;

export class Setup {
  progress = $state<Progress>(readProgress(localStorage));
  question = $state.raw<Question | undefined>();
  /** What is wrong with the last answer. */
  wrong = $state<string | undefined>();
  problem = $state<string | undefined>();
  busy = $state(false);
  paired = $state(false);

  constructor(private readonly app: App) {}

  /** Call in an effect and return what it returns: asks now, and again whenever the gateway is there again. */
  follow(): () => void {
    void this.#open();
    return this.app.listen((name) => {
      if (name === 'connected' && !this.busy) void this.#open();
    });
  }

  /** Takes the conversation up where it was left, or begins it. */
  async #open(): Promise<void> {
    const { part, session } = this.progress;
    if ((part !== 'setup' && part !== 'channels') || this.app.connection.kind !== 'ready') return;
    if (session !== undefined && (await this.#resume(session))) return;
    await this.#attempt(async () => {
      const begun = await this.app.request('wizard.start', { flow: part }, PATIENCE_MS);
      this.#change({ session: begun.sessionId });
      this.#take(begun);
    });
  }

  /** Whether there was such a conversation, and it still waits. */
  async #resume(sessionId: string): Promise<boolean> {
    try {
      const turn = await this.app.request('wizard.next', { sessionId });
      if (turn.done) return false;
      this.#take(turn);
      return true;
    } catch {
      return false;
    }
  }

  async answer(value: unknown): Promise<void> {
    const { question } = this;
    const { part, session } = this.progress;
    if (question === undefined || session === undefined) return;
    await this.#attempt(async () => {
      const answer = { stepId: question.id, value };
      const turn = await this.app.request('wizard.next', { sessionId: session, answer }, PATIENCE_MS);
      // The first thing asked about platforms is which.
      if (part === 'channels' && turn.error == null && question.type === 'select' && this.progress.channel === undefined && typeof value === 'string') {
        this.#change({ channel: value });
      }
      this.#take(turn);
      if (turn.done) await this.#end(turn);
    });
  }

  #take(turn: Turn): void {
    this.question = turn.step ?? undefined;
    this.wrong = turn.error ?? undefined;
  }

  async #end(turn: Turn): Promise<void> {
    const done = turn.status === 'done';
    if (turn.status === 'error') {
      // What was agreed could not be done: said, and asked anew.
      const { error } = turn;
      this.#change({ session: undefined });
      await this.#open();
      this.problem = error ?? undefined;
      return;
    }
    if (!done) this.#change({ channel: undefined });
    await this.#next(!done);
  }

  /** Goes past the part under way; what was not agreed to is not done. */
  async skip(): Promise<void> {
    const { session, part } = this.progress;
    if (session !== undefined && (part === 'setup' || part === 'channels')) {
      const left = await this.app.request('wizard.cancel', { sessionId: session }).catch(() => undefined);
      // Whoever leaves after the last yes is done.
      if (left?.status !== 'done') this.#change({ channel: undefined });
      await this.#next(left?.status !== 'done');
      return;
    }
    await this.#next(true);
  }

  /** The part is over. */
  next(): Promise<void> {
    return this.#next(false);
  }

  async #next(skips: boolean): Promise<void> {
    this.question = undefined;
    this.wrong = undefined;
    this.problem = undefined;
    this.#change(after(this.progress, skips));
    await this.#open();
  }

  /** Begins a part again, and what comes after it. */
  async go(part: Part): Promise<void> {
    const { session } = this.progress;
    if (session !== undefined) await this.app.request('wizard.cancel', { sessionId: session }).catch(() => undefined);
    this.question = undefined;
    this.paired = false;
    this.#change({ part, session: undefined, channel: undefined });
    await this.#open();
  }

  restart(): Promise<void> {
    this.#change({ ...FRESH });
    return this.go('setup');
  }

  #change(change: Partial<Progress>): void {
    this.progress = { ...this.progress, ...change };
    writeProgress(localStorage, this.progress);
  }

  /** Does something that may fail; true when it did not. */
  async #attempt(work: () => Promise<unknown>): Promise<boolean> {
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

  async requests(): Promise<PairingRequest[]> {
    return (await this.app.request('channels.pairing.list', { channel: this.progress.channel })).requests;
  }

  async approve(request: PairingRequest): Promise<void> {
    const { channel, accountId, requestId } = request;
    this.paired = await this.#attempt(() => this.app.request('channels.pairing.approve', { channel, accountId, requestId, notify: true, bootstrapCommandOwner: true }));
  }

  dismiss(request: PairingRequest): Promise<boolean> {
    const { channel, accountId, requestId } = request;
    return this.#attempt(() => this.app.request('channels.pairing.dismiss', { channel, accountId, requestId }));
  }
}
