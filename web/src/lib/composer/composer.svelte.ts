// What stands around the text of a chat's composer: files, what is replied to or edited, and the
// versions of the conversation. Kept beside the chat, so that it is still there when one comes back.
import type { App } from '../app.svelte';
import type { ChatSession } from '../chat/chat.svelte';
import { quote, versionAt, type Version } from '../chat/branches';
import type { Item, TextItem, UserItem } from '../chat/transcript';
import { noteUse } from './slash';
import { Tray } from './tray.svelte';
import type { Methods } from '../connection/wire';
import { words } from '../../words/composer';

type BranchRow = Methods['sessions.branches.list']['result']['branches'][number];
type Returned = Methods['sessions.rewind']['result'];

export interface ReplyTo {
  entryId: string | undefined;
  who: 'you' | 'assistant';
  text: string;
}

export interface Editing {
  entryId: string;
  /** Pictures of the message that go along. */
  images: readonly string[];
  /** What was being written before; it comes back when editing is given up. */
  before: string;
}

export class ComposerState {
  readonly tray = new Tray();
  reply = $state.raw<ReplyTo | undefined>();
  editing = $state.raw<Editing | undefined>();
  branches = $state.raw<readonly BranchRow[]>([]);
  /** Something that must end before the next thing is asked for. */
  busy = $state(false);
  problem = $state<string | undefined>();
  keepFiles = $state(true);
  #asked = false;

  constructor(private readonly chat: ChatSession) {}

  /** Sends what is written, with everything around it. */
  async submit(app: App, steer: boolean): Promise<void> {
    const { chat, tray } = this;
    const text = chat.draft.trim();
    if (this.busy || tray.reading > 0 || (!text && tray.isEmpty)) return;
    this.problem = undefined;
    if (this.editing) {
      await this.#submitEdit(app, this.editing, text);
      return;
    }
    const reply = this.reply;
    const message = reply ? [quote(reply.text), text].filter(Boolean).join('\n\n') : text;
    noteUse(localStorage, text);
    chat.setDraft('');
    this.reply = undefined;
    chat.send(message, { files: tray.take(), ...(steer ? { mode: 'steer' } : {}) });
  }

  startEdit(item: UserItem): void {
    if (!item.messageId) return;
    const before = this.editing ? this.editing.before : this.chat.draft;
    this.editing = { entryId: item.messageId, images: item.images, before };
    this.keepFiles = true;
    this.reply = undefined;
    this.chat.setDraft(item.text);
  }

  cancelEdit(): void {
    if (!this.editing) return;
    this.chat.setDraft(this.editing.before);
    this.editing = undefined;
  }

  startReply(item: UserItem | TextItem): void {
    this.cancelEdit();
    this.reply = { entryId: item.messageId, who: item.kind === 'user' ? 'you' : 'assistant', text: item.text };
  }

  /** Asks the question of an answer again. */
  retry(app: App, item: Item): Promise<void> {
    return this.#attempt(async () => {
      const question = this.questionOf(item);
      if (!question?.messageId) return;
      const returned = await app.request('sessions.rewind', { sessionKey: this.chat.key, entryId: question.messageId });
      await this.chat.turned();
      this.tray.put(filesOf(returned));
      this.chat.send(returned.editorText ?? question.text, { files: this.tray.take() });
    });
  }

  /** A new chat that begins as this one did: before a question, or after an answer. */
  fork(app: App, item: UserItem | TextItem): Promise<void> {
    return this.#attempt(async () => {
      if (!item.messageId) return;
      const forked = await app.request('sessions.fork', { sessionKey: this.chat.key, entryId: item.messageId });
      void app.sessions.refresh();
      app.select(forked.sessionKey);
      const there = app.chat;
      if (!there || there.key !== forked.sessionKey) return;
      if (forked.editorText) there.setDraft(forked.editorText);
      composerOf(there).tray.put(filesOf(forked));
    });
  }

  switchTo(app: App, leafEntryId: string): Promise<void> {
    return this.#attempt(async () => {
      await app.request('sessions.branches.switch', { sessionKey: this.chat.key, leafEntryId });
      await this.chat.turned();
      await this.loadBranches(app, true);
    });
  }

  /** The versions of the conversation; asked for once, and again while there are several. */
  async loadBranches(app: App, again = false): Promise<void> {
    if (this.#asked && !again && this.branches.length < 2) return;
    try {
      this.branches = (await app.request('sessions.branches.list', { sessionKey: this.chat.key })).branches ?? [];
      this.#asked = true;
    } catch {
      // Without them nothing is missing but the arrows; the next time may do.
    }
  }

  versionAt(item: Item): Version | undefined {
    return item.kind === 'user' || item.kind === 'text' ? versionAt(this.branches, item.messageId) : undefined;
  }

  questionOf(item: Item): UserItem | undefined {
    if (item.kind === 'user') return item;
    const { items } = this.chat;
    const at = items.findIndex((other) => other.id === item.id);
    const before = items.slice(0, Math.max(0, at)).findLast((other) => other.kind === 'user' && other.messageId !== undefined);
    return before?.kind === 'user' ? before : undefined;
  }

  async #submitEdit(app: App, editing: Editing, text: string): Promise<void> {
    await this.#attempt(async () => {
      const returned = await app.request('sessions.rewind', { sessionKey: this.chat.key, entryId: editing.entryId });
      if (this.keepFiles) this.tray.put(filesOf(returned));
      this.editing = undefined;
      this.chat.setDraft(editing.before);
      await this.chat.turned();
      this.chat.send(text, { files: this.tray.take() });
    });
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    this.problem = undefined;
    try {
      await work();
      this.#asked = false;
    } catch (error) {
      this.problem = words.actFailed(error instanceof Error ? error.message : String(error));
    } finally {
      this.busy = false;
    }
  }
}

function filesOf(returned: Returned): { mime: string; data: string; name: string | undefined }[] {
  return (returned.editorAttachments ?? []).map((file) => ({ mime: file.mimeType, data: file.data, name: file.fileName ?? undefined }));
}

const states = new WeakMap<ChatSession, ComposerState>();

export function composerOf(chat: ChatSession): ComposerState {
  let state = states.get(chat);
  if (!state) {
    state = new ComposerState(chat);
    states.set(chat, state);
  }
  return state;
}
