// One session as the page knows it: its history, the runs going on in it, and what was
// sent but not yet confirmed. Events move it forward; after any doubt (gap, reconnect,
// end of a run) it fetches the history again, which wins.
import { type Attached, dataUrl, canPreview, wireFile } from '../composer/attachments';
import { loadDraft, loadWaiting, saveDraft, saveWaiting } from '../composer/drafts';
import { type Gateway, GatewayError } from '../connection/gateway';
import { StoredHistory } from './history';
import { LiveRun, readTrouble, type Trouble } from './live_run';
import { type TurnUsage, turnUsage } from '../composer/meters';
import { type Pending, readPending, runOfSteered } from '../composer/queue';
import { fieldsOf, stringOf, textOf } from '../read';
import { strings } from '../strings';
import { errorId, type Item, itemsFromHistory, newTool, noteId, textId, thinkingId, toolId, type ToolItem, userId, userItem, type UserItem, withToolOutput } from './transcript';
import type { AgentEvent, ChatEvent, ChatHistoryResult, Methods, SessionMessageEvent } from '../connection/wire';

/** How many messages are asked for at first and after a change; and how many more when somebody scrolls up. */
const HISTORY_FIRST = 60;
const HISTORY_MORE = 400;
/** The most one answer may hold: for going far back at once. */
const HISTORY_FAR = 1000;
/** More than this is let go of while the newest are read, so that a page left open does not grow. */
const HISTORY_KEPT = 800;
/** Waits this long for more reasons to refetch before refetching. */
const REFRESH_DELAY_MS = 120;
/** How many finished runs are remembered, so that their stragglers revive nothing. */
const ENDED_MAX = 64;

export interface ModelFacts {
  provider: string | undefined;
  model: string | undefined;
}

/** What goes with a message besides its words. */
export interface Outgoing {
  files?: readonly Attached[];
  /** What becomes of it while a run is under way: `steer` goes to that run, else it waits its turn. */
  mode?: 'steer';
  replyToId?: string | undefined;
}

export interface ChatOptions {
  gateway: Pick<Gateway, 'request'>;
  /** Runs a screen update soon; deltas arriving before then are drawn together. */
  schedule?: (draw: () => void) => void;
  newRunId?: () => string;
}

/** Draws at the next frame, or soon when the page is hidden and has no frames. */
function nextFrame(draw: () => void): void {
  if (document.hidden) setTimeout(draw, 250);
  else requestAnimationFrame(draw);
}

export class ChatSession {
  items = $state.raw<readonly Item[]>([]);
  loading = $state(false);
  loaded = $state(false);
  problem = $state<string | undefined>();
  hasMore = $state(false);
  loadingEarlier = $state(false);
  model = $state.raw<ModelFacts>({ provider: undefined, model: undefined });
  tokens = $state.raw<{ used: number | undefined; limit: number | undefined }>({ used: undefined, limit: undefined });
  /** What the newest run is doing, while it runs and says nothing yet. */
  phase = $state<string | undefined>();
  /** Why it takes long, where a model failed and another attempt is made. */
  trouble = $state.raw<Trouble | undefined>();
  running = $state(false);
  stopping = $state(false);
  draft = $state('');
  /** Whether the newest messages are being read; then old ones need not be held. */
  atEnd = true;
  /** What was said while a run was under way and has not been begun. */
  pending = $state.raw<readonly Pending[]>([]);
  /** Whether the model can be shown pictures, where that is known. */
  modelSees = $state<boolean | undefined>();
  /** What the newest turn used. */
  turn = $state.raw<TurnUsage | undefined>();
  thinkingLevel = $state<string | undefined>();
  thinkingLevels = $state.raw<readonly unknown[] | undefined>();
  thinkingDefault = $state<string | undefined>();

  /** What goes with messages that are not acknowledged yet. */
  #outgoing = new Map<string, Outgoing>();
  #runs = new Map<string, LiveRun>();
  /** Runs that ended badly; the history may not hold what they said, so this page keeps it. */
  #broken = new Map<string, 'aborted' | 'error' | 'interrupted'>();
  #ended = new Set<string>();
  #drawn = new Set<string>();
  readonly #history = new StoredHistory();
  #fetching: Promise<void> | undefined;
  #earlier: Promise<boolean> | undefined;
  #again = false;
  #refreshTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly key: string,
    private readonly options: ChatOptions,
    /** A key made in this page: the gateway does not know it before the first message. */
    private readonly isNew = false,
  ) {
    this.draft = loadDraft(key);
    this.loaded = isNew;
    const waiting = loadWaiting(key);
    this.items = waiting.map(({ runId, text, at }) => ({ kind: 'user', id: userId(runId), runId, text, images: [], at, state: 'waiting' }));
  }

  setDraft(text: string): void {
    this.draft = text;
    saveDraft(this.key, text);
  }

  /** Sends a message. Its run id is also its idempotency key, so sending it again is harmless. */
  send(text: string, more: Outgoing = {}): void {
    const message = text.trim();
    const files = more.files ?? [];
    if (!message && files.length === 0) return;
    const runId = this.options.newRunId?.() ?? newId();
    this.#outgoing.set(runId, more);
    if (this.running) this.pending = [...this.pending, { runId, text: message, files: files.length, steer: more.mode === 'steer', own: true }];
    else this.#appendSent(runId, message);
    void this.#transmit(runId, message);
  }

  /** Tries a failed or waiting message again, under the same key. */
  resend(item: UserItem): void {
    if (item.runId && item.state !== 'sending') void this.#transmit(item.runId, item.text);
  }

  /** Takes back a message that waits; its words are handed over. False when it was begun meanwhile. */
  async takeBack(waiting: Pending): Promise<boolean> {
    const { aborted } = await this.options.gateway.request('chat.abort', { sessionKey: this.key, runId: waiting.runId });
    if (aborted) this.#unqueue(waiting.runId);
    else await this.refresh();
    return aborted;
  }

  /** The conversation went on from another place: what is known of runs that were left is forgotten. */
  async turned(): Promise<void> {
    this.#broken.clear();
    await this.refresh();
  }

  #appendSent(runId: string, text: string): void {
    const images = (this.#outgoing.get(runId)?.files ?? []).filter(canPreview).map(dataUrl);
    this.#append({ kind: 'user', id: userId(runId), runId, text, images, at: Date.now(), state: 'sending' });
  }

  /** A message that waited is begun, or gone. */
  #unqueue(runId: string | undefined): Pending | undefined {
    const waiting = this.pending.find((other) => other.runId === runId);
    if (waiting) this.pending = this.pending.filter((other) => other !== waiting);
    return waiting;
  }

  /** The run of a message that waited says something: from now on it is part of the conversation. */
  #begin(runId: string): void {
    const waiting = this.#unqueue(runId);
    if (!waiting || this.#find(userId(runId))) return;
    this.#appendSent(runId, waiting.text);
    this.#mark(runId, 'sent');
  }

  async abort(): Promise<void> {
    if (!this.running || this.stopping) return;
    this.stopping = true;
    // What waits is stopped as well; its words go back to where they were written.
    const words = this.pending.map((waiting) => waiting.text).filter(Boolean);
    if (words.length > 0) this.setDraft([this.draft.trim(), ...words].filter(Boolean).join('\n\n'));
    try {
      const result = await this.options.gateway.request('chat.abort', { sessionKey: this.key });
      // Nothing was running after all: the end was missed, so look.
      if (!result.aborted) await this.refresh();
    } catch {
      // The connection banner says what is wrong; the button can be pressed again.
    } finally {
      this.stopping = false;
    }
  }

  /** Connected, or connected again: fetch what happened and send what could not be sent. */
  async connected(): Promise<void> {
    if (!this.isNew || this.items.length > 0) await this.refresh();
    for (const item of this.items) {
      if (item.kind === 'user' && item.state === 'waiting') this.resend(item);
    }
  }

  /** Fetches the messages above those held; tells whether there were any. */
  loadEarlier(limit = HISTORY_MORE): Promise<boolean> {
    if (!this.hasMore) return Promise.resolve(false);
    this.#earlier ??= this.#fetchEarlier(limit).finally(() => (this.#earlier = undefined));
    return this.#earlier;
  }

  async #fetchEarlier(limit: number): Promise<boolean> {
    this.loadingEarlier = true;
    const offset = this.#history.olderOffset;
    try {
      const page = await this.options.gateway.request('chat.history', { sessionKey: this.key, limit, offset });
      // What was asked for may be another conversation by now.
      const found = this.#history.size > 0 && this.#history.adoptOlder(page, offset) > 0;
      this.#showStored();
      return found;
    } catch (error) {
      if (!(error instanceof GatewayError && error.isUnanswered)) this.problem = error instanceof Error ? error.message : String(error);
      return false;
    } finally {
      this.loadingEarlier = false;
    }
  }

  /** Goes back until a message is held; tells whether it was found. */
  async loadUntil(messageId: string): Promise<boolean> {
    while (!this.#history.holds(messageId)) {
      if (!(await this.loadEarlier(HISTORY_FAR))) return false;
    }
    return true;
  }

  #showStored(): void {
    this.items = this.#merged(itemsFromHistory(this.#history.messages(), new Set(this.#runs.keys())));
    this.hasMore = this.#history.hasMore;
  }

  /** Forgets everything shown: the session was reset under the same key. */
  clear(): void {
    this.#runs.clear();
    this.#broken.clear();
    this.#history.clear();
    this.items = [];
    this.#settleRunning();
  }

  refreshSoon(): void {
    clearTimeout(this.#refreshTimer);
    this.#refreshTimer = setTimeout(() => void this.refresh(), REFRESH_DELAY_MS);
  }

  /** Fetches the history; calls while one is under way share one more fetch after it. */
  refresh(): Promise<void> {
    clearTimeout(this.#refreshTimer);
    if (this.#fetching) {
      this.#again = true;
      return this.#fetching;
    }
    this.#fetching = this.#fetch().finally(() => {
      this.#fetching = undefined;
      if (this.#again) {
        this.#again = false;
        void this.refresh();
      }
    });
    return this.#fetching;
  }

  onChat(event: ChatEvent): void {
    if (this.#ended.has(event.runId)) return;
    if (event.state === 'status' || event.state === 'delta') this.#begin(event.runId);
    if (event.state === 'status') {
      this.#run(event.runId).phase = event.phase;
      this.#settleRunning();
    } else if (event.state === 'delta') {
      this.#onDelta(event);
    } else {
      this.#onEnd(event);
    }
  }

  onAgent(event: AgentEvent): void {
    const { runId, data } = event;
    if (this.#ended.has(runId) && data.phase !== 'result') return;
    switch (event.stream) {
      case 'tool':
        this.#onTool(runId, data, event.ts);
        break;
      case 'thinking':
        this.#onThinking(runId, data);
        break;
      case 'lifecycle':
        if (data.phase === 'model' && stringOf(data.model)) {
          this.model = { provider: stringOf(data.provider), model: stringOf(data.model) };
        } else if (data.phase === 'fallback' && this.#runs.has(runId)) {
          this.#run(runId).trouble = readTrouble(data, Date.now());
          this.#settleRunning();
        }
        break;
      case 'approval':
        if (this.#runs.has(runId)) this.#run(runId).phase = data.phase === 'requested' ? 'awaiting_approval' : undefined;
        this.#settleRunning();
        break;
      case 'compaction':
        if (this.#runs.has(runId)) this.#run(runId).phase = data.phase === 'start' ? 'compacting' : undefined;
        this.#settleRunning();
        if (data.phase === 'end') this.refreshSoon();
        break;
      default:
        break;
    }
  }

  onMessage(event: SessionMessageEvent): void {
    if (fieldsOf(event.message).role !== 'user') {
      if (this.#runs.size === 0) this.refreshSoon();
      return;
    }
    const item = userItem(event.message, `m:${event.messageId ?? newId()}`);
    this.#unqueue(item.runId ?? runOfSteered(event.message));
    const known = this.#find(item.id);
    if (known?.kind === 'user') this.#put({ ...known, state: 'sent' });
    else this.#append(item);
  }

  async #fetch(): Promise<void> {
    this.loading = true;
    const before = new Set([...this.#runs.values()].filter((run) => run.acknowledged).map((run) => run.runId));
    try {
      let history = await this.options.gateway.request('chat.history', { sessionKey: this.key, limit: HISTORY_FIRST });
      if (this.#history.leavesHole(history) || beginsAmidRun(history)) {
        history = await this.options.gateway.request('chat.history', { sessionKey: this.key, limit: HISTORY_FAR });
      }
      this.#adopt(history, before);
      this.problem = undefined;
      this.loaded = true;
    } catch (error) {
      if (error instanceof GatewayError && error.isUnanswered) return;
      if (this.isNew && this.items.length === 0) this.loaded = true;
      else this.problem = error instanceof Error ? error.message : String(error);
    } finally {
      this.loading = false;
    }
  }

  /** Takes a fetched history over. `before` are the runs known when it was asked for. */
  #adopt(history: ChatHistoryResult, before: ReadonlySet<string>): void {
    const info = history.sessionInfo ?? {};
    const active = new Set(info.activeRunIds ?? []);
    const flight = history.inFlightRun;
    if (flight?.runId) active.add(flight.runId);
    const unsure = info.hasActiveRun === true && active.size === 0;
    for (const runId of before) {
      if (active.has(runId) || unsure) continue;
      this.#runs.delete(runId);
      this.#broken.set(runId, 'interrupted');
    }
    for (const runId of active) this.#run(runId).acknowledged = true;
    this.#history.adoptNewest(history);
    if (this.atEnd && !this.loadingEarlier && this.#history.size > HISTORY_KEPT) this.#history.trim(HISTORY_FIRST * 3);
    const stored = itemsFromHistory(this.#history.messages(), new Set(this.#runs.keys()));
    if (flight?.runId && flight.text) this.#resume(flight.runId, flight.text, stored);
    this.items = this.#merged(stored);
    this.pending = readPending(history.pendingInputs, this.pending, new Set(stored.map((item) => item.id)));
    for (const runId of this.#runs.keys()) this.#drawText(runId);
    this.hasMore = this.#history.hasMore;
    this.#adoptFacts(history);
    this.#settleRunning();
  }

  #adoptFacts(history: ChatHistoryResult): void {
    const { sessionInfo: info, defaults } = history;
    this.model = { provider: info?.modelProvider ?? defaults?.modelProvider ?? undefined, model: info?.model ?? defaults?.model ?? undefined };
    this.thinkingLevel = history.thinkingLevel ?? undefined;
    this.thinkingLevels = defaults?.thinkingLevels ?? undefined;
    this.thinkingDefault = defaults?.thinkingDefault ?? undefined;
    this.turn = turnUsage(history.messages ?? []);
    this.tokens = { used: info?.totalTokens ?? undefined, limit: info?.contextTokens ?? defaults?.contextTokens ?? undefined };
  }

  #resume(runId: string, full: string, stored: readonly Item[]): void {
    const segments = stored.flatMap((item) => (item.kind === 'text' && item.runId === runId ? [item.text] : []));
    this.#run(runId).resume(full, segments);
  }

  /** History first, then what only this page knows: unsent messages and runs still going. */
  #merged(stored: readonly Item[]): readonly Item[] {
    const ids = new Set(stored.map((item) => item.id));
    const answered = new Set(stored.flatMap((item) => (item.kind === 'user' || !item.runId ? [] : [item.runId])));
    const shown = new Map(this.items.map((item) => [item.id, item]));
    const merged = stored.map((item) => {
      const known = shown.get(item.id);
      const newest = fresher(item, known);
      return known && sameItem(newest, known) ? known : newest;
    });
    for (const item of this.items) {
      if (ids.has(item.id)) continue;
      const live = this.#isLive(item.runId);
      if (item.kind === 'user') {
        if (live || item.state !== 'sent') merged.push(item);
      } else if (live) {
        merged.push(item);
      } else if (item.runId && (item.kind === 'error' || item.kind === 'note' || !answered.has(item.runId))) {
        const how = this.#broken.get(item.runId);
        if (how) insertAfterRun(merged, how === 'interrupted' ? interruptedItem(item) : settledItem(item));
      }
    }
    return merged;
  }

  #isLive(runId: string | undefined): boolean {
    return runId !== undefined && this.#runs.has(runId);
  }

  async #transmit(runId: string, message: string): Promise<void> {
    this.#ended.delete(runId);
    this.#mark(runId, 'sending');
    const run = this.#run(runId);
    this.#settleRunning();
    try {
      const answer = await this.options.gateway.request('chat.send', { sessionKey: this.key, message, idempotencyKey: runId, ...wireOf(this.#outgoing.get(runId)) });
      this.#outgoing.delete(runId);
      run.acknowledged = true;
      this.#mark(runId, 'sent');
      if (answer.status !== 'started' && answer.status !== 'in_flight') this.#finish(runId);
    } catch (error) {
      this.#runs.delete(runId);
      this.#settleRunning();
      const unanswered = error instanceof GatewayError && error.isUnanswered;
      const waiting = this.#unqueue(runId);
      if (waiting) this.#appendSent(runId, waiting.text);
      this.#mark(runId, unanswered ? 'waiting' : 'failed', error instanceof Error ? error.message : String(error));
    }
  }

  #mark(runId: string, state: UserItem['state'], error?: string): void {
    const item = this.#find(userId(runId));
    if (item?.kind !== 'user') return;
    const { error: _, ...rest } = item;
    this.#put(error === undefined ? { ...rest, state } : { ...rest, state, error });
    this.#keepWaiting();
  }

  /** Keeps what waits for the gateway over a reload; files are too large for that. */
  #keepWaiting(): void {
    const kept = this.items.flatMap((item) =>
      item.kind === 'user' && item.runId && item.state === 'waiting' && !this.#outgoing.get(item.runId)?.files?.length ? [{ runId: item.runId, text: item.text, at: item.at }] : [],
    );
    saveWaiting(this.key, kept);
  }

  #run(runId: string): LiveRun {
    const known = this.#runs.get(runId);
    if (known) return known;
    const run = new LiveRun(runId);
    this.#runs.set(runId, run);
    // Someone else started it (another tab, a channel): their words are in the history.
    if (!this.#find(userId(runId)) && !this.pending.some((waiting) => waiting.runId === runId)) {
      run.acknowledged = true;
      this.refreshSoon();
    }
    return run;
  }

  #onDelta(event: ChatEvent): void {
    const run = this.#run(event.runId);
    run.acknowledged = true;
    run.trouble = undefined;
    const whole = textOf(event.message?.content);
    if (whole) run.replace(whole);
    else if (event.replace) run.replace(event.deltaText ?? '');
    else run.append(event.deltaText ?? '');
    this.#endThought(run);
    if (this.#drawn.has(run.runId)) return;
    this.#drawn.add(run.runId);
    (this.options.schedule ?? nextFrame)(() => {
      if (this.#drawn.delete(run.runId)) this.#drawText(run.runId);
    });
  }

  #onEnd(event: ChatEvent): void {
    const { runId } = event;
    const whole = textOf(event.message?.content);
    if (this.#unqueue(runId)) {
      // Taken back, handed to the run under way, or stopped before it began: it has nothing to say here.
      this.#finish(runId);
      return;
    }
    if (whole || this.#runs.has(runId)) {
      const run = this.#run(runId);
      if (whole) run.replace(whole);
      this.#endThought(run);
      this.#drawText(runId, event.state === 'aborted' ? 'aborted' : undefined);
      if (event.state === 'aborted' && !run.current.trim()) {
        this.#append({ kind: 'note', id: noteId(runId), runId, text: strings.stopped });
      }
    }
    if (event.state === 'aborted' || event.state === 'error') this.#broken.set(runId, event.state);
    if (event.state === 'error') {
      this.#append({ kind: 'error', id: errorId(runId), runId, text: event.errorMessage ?? '' });
    }
    this.#finish(runId);
  }

  #finish(runId: string): void {
    this.#drawn.delete(runId);
    this.#runs.delete(runId);
    this.#ended.add(runId);
    for (const oldest of this.#ended) {
      if (this.#ended.size <= ENDED_MAX) break;
      this.#ended.delete(oldest);
    }
    this.items = this.items.map((item) => (item.runId === runId ? settledItem(item) : item));
    this.#settleRunning();
    this.refreshSoon();
  }

  #drawText(runId: string, ending?: 'aborted'): void {
    const run = this.#runs.get(runId);
    if (!run) return;
    const text = run.current;
    if (!text.trim()) return;
    const id = textId(runId, run.segment);
    const known = this.#find(id);
    const at = known?.kind === 'text' ? known.at : Date.now();
    const { model } = this.model;
    this.#append({ kind: 'text', id, runId, text, at, streaming: ending === undefined, ...(model ? { model } : {}), ...(ending ? { ending } : {}) });
    this.#settleRunning();
  }

  #onTool(runId: string, data: Record<string, unknown>, at: number | undefined): void {
    const callId = stringOf(data.toolCallId);
    if (!callId) return;
    const known = this.#find(toolId(callId));
    let tool: ToolItem = known?.kind === 'tool' ? known : newTool(callId, runId, stringOf(data.name) ?? 'tool');
    if (data.phase === 'result') {
      const duration = tool.startedAt !== undefined && at !== undefined ? at - tool.startedAt : undefined;
      tool = withToolOutput({ ...tool, durationMs: duration }, data.result);
      this.#append({ ...tool, state: data.isError === true ? 'failed' : 'done' });
      return;
    }
    const run = this.#run(runId);
    this.#drawText(runId);
    if (!known) {
      this.#endThought(run);
      run.seal();
    }
    if (data.phase === 'update') tool = withToolOutput(tool, data.partialResult);
    else tool = { ...tool, args: fieldsOf(data.args), startedAt: at };
    this.#append({ ...tool, state: 'running' });
  }

  #onThinking(runId: string, data: Record<string, unknown>): void {
    const run = this.#run(runId);
    const id = thinkingId(runId, run.thought);
    const known = this.#find(id);
    const sofar = known?.kind === 'thinking' ? known.text : '';
    const text = stringOf(data.text) ?? sofar + (stringOf(data.delta) ?? '');
    const startedAt = (known?.kind === 'thinking' ? known.startedAt : undefined) ?? Date.now();
    if (text.trim()) this.#append({ kind: 'thinking', id, runId, text, streaming: true, startedAt });
  }

  /** Words or a tool follow: the thought is complete, the next one is another. */
  #endThought(run: LiveRun): void {
    const known = this.#find(thinkingId(run.runId, run.thought));
    if (known?.kind !== 'thinking') return;
    const durationMs = known.startedAt === undefined ? undefined : Date.now() - known.startedAt;
    this.#put({ ...known, streaming: false, ...(durationMs === undefined ? {} : { durationMs }) });
    run.thought += 1;
  }

  #find(id: string): Item | undefined {
    // Live lines are at the end.
    return this.items.findLast((item) => item.id === id);
  }

  #put(item: Item): void {
    const index = this.items.findLastIndex((other) => other.id === item.id);
    if (index >= 0) this.items = this.items.with(index, item);
  }

  #append(item: Item): void {
    if (this.#find(item.id)) this.#put(item);
    else this.items = [...this.items, item];
  }

  #settleRunning(): void {
    const runs = [...this.#runs.values()];
    this.running = runs.length > 0;
    this.phase = runs.at(-1)?.phase;
    this.trouble = runs.at(-1)?.trouble;
  }
}

function wireOf(more: Outgoing | undefined): Pick<Methods['chat.send']['params'], 'attachments' | 'queueMode' | 'replyToId'> {
  return { ...(more?.files?.length ? { attachments: more.files.map(wireFile) } : {}), ...(more?.mode ? { queueMode: more.mode } : {}), ...(more?.replyToId ? { replyToId: more.replyToId } : {}) };
}

/** While a run goes on, the live copy of a line may be ahead of the stored one. */
function fresher(stored: Item, live: Item | undefined): Item {
  if (live?.kind === 'tool' && stored.kind === 'tool') {
    if (stored.state === 'unanswered' || stored.state === 'running') return live;
    return { ...stored, durationMs: live.durationMs ?? stored.durationMs };
  }
  if (live?.kind === 'thinking' && stored.kind === 'thinking' && live.durationMs !== undefined) return { ...stored, durationMs: live.durationMs };
  if (live?.kind === 'text' && stored.kind === 'text' && live.ending && !stored.ending) return { ...stored, ending: live.ending };
  return stored;
}

/** Whether a page shows a run that goes on but not what it answers: its lines could not be told to be its. */
function beginsAmidRun(history: ChatHistoryResult): boolean {
  const runs = history.inFlightRun?.runId ?? history.sessionInfo?.activeRunIds?.[0];
  return runs !== undefined && history.hasMore === true && !history.messages?.some((message) => fieldsOf(message).role === 'user');
}

/** Whether two copies of a line show the same; then the old one stays, and nothing is drawn again. */
function sameItem(one: Item, other: Item): boolean {
  const [left, right] = [Object.entries(one), other as unknown as Record<string, unknown>];
  if (left.length !== Object.keys(other).length) return false;
  return left.every(([name, value]) => value === right[name] || (typeof value === 'object' && sameSize(value, right[name])));
}

/** Input, pictures and files of a line never change once they are there. */
function sameSize(one: unknown, other: unknown): boolean {
  const both = typeof one === 'object' && typeof other === 'object' && one && other;
  return both ? Object.keys(one).length === Object.keys(other).length : one === other;
}

/** Puts a line below what its run has already, so that an old fragment does not sink to the end. */
function insertAfterRun(items: Item[], item: Item): void {
  const last = items.findLastIndex((other) => other.runId === item.runId);
  items.splice(last < 0 ? items.length : last + 1, 0, item);
}

function settledItem(item: Item): Item {
  if (item.kind === 'text' || item.kind === 'thinking') return { ...item, streaming: false };
  return item.kind === 'tool' && item.state === 'running' ? { ...item, state: 'unanswered' } : item;
}

function interruptedItem(item: Item): Item {
  const settled = settledItem(item);
  return settled.kind === 'text' ? { ...settled, ending: settled.ending ?? 'interrupted' } : settled;
}

function newId(): string {
  // randomUUID exists only on secure pages; this must also work over plain http at home.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
