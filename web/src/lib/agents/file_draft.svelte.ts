// A file of an agent's workspace while it is edited. Drafts outlive the page they are on: going to
// the chat and back loses nothing. Saving refuses to overwrite what somebody else wrote meanwhile.
import type { AgentFile } from './agents';
import type { App } from '../app.svelte';
import { GatewayError } from '../connection/gateway';
import { fieldsOf } from '../read';

const CONFLICT = 'agent_file_conflict';

export class FileDraft {
  /** As it is on the gateway. */
  saved = $state('');
  text = $state('');
  hash = $state<string | undefined>();
  missing = $state(true);
  updatedAt = $state<number | undefined>();
  loaded = $state(false);
  saving = $state(false);
  problem = $state<string | undefined>();
  /** What somebody else wrote, while it is asked what to do about it. */
  theirs = $state.raw<AgentFile | undefined>();

  constructor(
    readonly agentId: string,
    readonly name: string,
  ) {}

  get dirty(): boolean {
    return this.loaded && this.text !== this.saved;
  }

  /** Reads the file; what was changed here stays. */
  async load(app: App): Promise<void> {
    try {
      const { file } = await app.request('agents.files.get', { agentId: this.agentId, name: this.name });
      this.problem = undefined;
      if (!this.dirty) this.#take(file);
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    }
  }

  /** Whether it was saved; otherwise `theirs` or `problem` says why not. */
  async save(app: App, over?: AgentFile): Promise<boolean> {
    if (this.saving) return false;
    this.saving = true;
    const text = this.text;
    const expected = over ? over.hash : this.hash;
    try {
      const { file } = await app.request('agents.files.set', { agentId: this.agentId, name: this.name, content: text, ...(expected ? { expectedHash: expected } : {}) });
      this.theirs = undefined;
      this.problem = undefined;
      // What was typed while it was being saved stays to be saved.
      const typed = this.text;
      this.#take({ ...file, content: text });
      this.text = typed;
      return true;
    } catch (error) {
      if (error instanceof GatewayError && fieldsOf(error.details).type === CONFLICT) await this.#lookAtTheirs(app);
      else this.problem = error instanceof Error ? error.message : String(error);
      return false;
    } finally {
      this.saving = false;
    }
  }

  async #lookAtTheirs(app: App): Promise<void> {
    try {
      this.theirs = (await app.request('agents.files.get', { agentId: this.agentId, name: this.name })).file;
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    }
  }

  takeTheirs(): void {
    if (this.theirs) this.#take(this.theirs);
    this.theirs = undefined;
  }

  revert(): void {
    this.text = this.saved;
  }

  #take(file: AgentFile): void {
    this.saved = file.content ?? '';
    this.text = this.saved;
    this.hash = file.hash ?? undefined;
    this.missing = file.missing;
    this.updatedAt = file.updatedAtMs ?? undefined;
    this.loaded = true;
  }
}

/** Every file that was opened since the page was loaded. */
export class FileDrafts {
  // What is in a draft is watched, not which drafts there are: they are made as soon as they are asked for.
  #all = new Map<string, FileDraft>();

  of(agentId: string, name: string): FileDraft {
    const key = `${agentId} ${name}`;
    let draft = this.#all.get(key);
    if (!draft) {
      draft = new FileDraft(agentId, name);
      this.#all.set(key, draft);
    }
    return draft;
  }

  isDirty(agentId: string, name: string): boolean {
    return this.of(agentId, name).dirty;
  }

  get dirty(): FileDraft[] {
    return [...this.#all.values()].filter((draft) => draft.dirty);
  }
}

export const fileDrafts = new FileDrafts();
