// The configuration being edited: what is saved, what is wanted, and how the one becomes the other.
// A file somebody else changed in between is never overwritten unseen.
import type { App } from '../app.svelte';
import { changedPaths, clashes, patchBetween, pretty, rebased, sameValue, valueAt, withValue } from './value';
import { GatewayError } from '../connection/gateway';
import { isFields, stringOf } from '../read';
import { REDACTED, Schema, parsePath, pathText, type Path, type Problem } from './schema';
import type { Methods } from '../connection/wire';

export type Snapshot = Methods['config.get']['result'];
export type Written = Methods['config.patch']['result'];

/** What a save left behind for the person. */
export interface Saved {
  paths: string[];
  restart: boolean;
}

export interface Conflict {
  theirs: Snapshot;
  /** Places both changed. */
  both: string[];
}

const CONFLICT = /changed since last load/;
/** Keys asked about before a save; more say nothing anybody would read. */
const LOOKUPS_MAX = 24;

const forms = new WeakMap<App, ConfigForm>();

/** One for the whole visit: changes not saved yet survive a look at another page. */
export function configForm(app: App): ConfigForm {
  const known = forms.get(app);
  if (known) return known;
  let made: ConfigForm | undefined;
  // What is derived in it would end with the page that first asked for it.
  $effect.root(() => void (made = new ConfigForm(app)));
  const form = made ?? new ConfigForm(app);
  forms.set(app, form);
  return form;
}

export class ConfigForm {
  schema = $state.raw<Schema | undefined>();
  snapshot = $state.raw<Snapshot | undefined>();
  draft = $state.raw<unknown>({});
  loadProblem = $state<string | undefined>();
  saving = $state(false);
  /** What the gateway said about the last try. */
  problem = $state<string | undefined>();
  issues = $state.raw<Problem[]>([]);
  saved = $state.raw<Saved | undefined>();
  conflict = $state.raw<Conflict | undefined>();
  /** What was typed into the file and is not saved, and on top of which file. */
  typed = $state.raw<{ text: string; hash: string | undefined; value?: unknown } | undefined>();

  constructor(private readonly app: App) {}

  get base(): unknown {
    return this.snapshot?.parsed ?? {};
  }

  /** Where what is wanted differs from what is saved. */
  changes = $derived.by(() => changedPaths(this.base, this.draft));
  isChanged = $derived(this.changes.length > 0);
  changedTexts = $derived(this.changes.map(pathText));
  /** Whether the file is shown without its comments because it holds secrets. */
  hidesText = $derived.by(() => {
    const raw = this.snapshot?.raw;
    return raw === null || (raw?.includes(REDACTED) ?? false);
  });

  follow(): () => void {
    void this.load();
    return this.app.listen((name) => {
      if (name === 'connected' || name === 'gap') void this.load();
    });
  }

  /** Fetches both; changes not saved yet are kept on top of what is found. */
  async load(): Promise<void> {
    try {
      if (!this.schema) this.schema = new Schema((await this.app.request('config.schema', {})).schema);
      this.#adopt(await this.app.request('config.get', {}));
      this.loadProblem = undefined;
    } catch (error) {
      if (!this.snapshot) this.loadProblem = reason(error);
    }
  }

  #adopt(found: Snapshot): void {
    const before = this.snapshot;
    if (before && found.hash === before.hash) {
      this.snapshot = found;
      return;
    }
    if (before && this.isChanged) {
      this.conflict = { theirs: found, both: clashes(this.base, this.draft, found.parsed) };
      return;
    }
    this.snapshot = found;
    this.draft = found.parsed;
  }

  value(path: Path): unknown {
    return valueAt(this.draft, path);
  }

  /** What counts when nothing is set here. */
  inherited(path: Path): unknown {
    return valueAt(this.snapshot?.config, path);
  }

  set(path: Path, value: unknown): void {
    this.draft = withValue(this.draft, path, value);
    this.saved = undefined;
    const text = pathText(path);
    this.issues = this.issues.filter((issue) => pathText(issue.path) !== text);
  }

  /** Back to what is saved. */
  revert(path: Path): void {
    this.set(path, valueAt(this.base, path));
  }

  revertAll(): void {
    this.draft = this.base;
    this.issues = [];
    this.problem = undefined;
  }

  /** What the gateway said was about another text. */
  forgetProblems(): void {
    this.issues = [];
    this.problem = undefined;
    this.saved = undefined;
  }

  hasChanged(path: Path): boolean {
    return !sameValue(valueAt(this.base, path), valueAt(this.draft, path));
  }

  issueAt(path: Path): string | undefined {
    const text = pathText(path);
    return this.issues.find((issue) => pathText(issue.path) === text)?.message;
  }

  /** Which of the changes make the gateway restart; asked key by key. */
  async restarts(paths: readonly Path[]): Promise<string[]> {
    const asked = paths.slice(0, LOOKUPS_MAX).map(async (path) => {
      // A name the question does not allow is any name.
      const asking = path.map((step) => (/^[\w-]+$/.test(String(step)) ? String(step) : '*')).join('.');
      try {
        const answer = await this.app.request('config.schema.lookup', { path: asking });
        return answer.reloadKind === 'restart' ? pathText(path) : undefined;
      } catch {
        return undefined;
      }
    });
    return (await Promise.all(asked)).filter((path) => path !== undefined);
  }

  /** Saves what the form says; true when it is on disk. */
  save(): Promise<boolean> {
    const { patch, replacePaths } = patchBetween(this.base, this.draft);
    return this.#write(() => this.app.request('config.patch', { raw: JSON.stringify(patch), replacePaths, ...this.#hash() }));
  }

  /** Saves a whole text; comments of a file with secrets are kept by sending only what changed. */
  saveText(text: string, value: unknown): Promise<boolean> {
    this.draft = value;
    if (this.hidesText) return this.save();
    return this.#write(() => this.app.request('config.apply', { raw: text, ...this.#hash() }));
  }

  #hash(): { baseHash?: string } {
    return this.snapshot?.exists ? { baseHash: this.snapshot.hash } : {};
  }

  async #write(send: () => Promise<Written>): Promise<boolean> {
    this.saving = true;
    this.problem = undefined;
    this.issues = [];
    const paths = this.changedTexts;
    try {
      const written = await send();
      await this.#settle(written);
      this.saved = { paths: written.changedPaths ?? (written.noop ? [] : paths), restart: isFields(written.restart) };
      return true;
    } catch (error) {
      await this.#failed(error);
      return false;
    } finally {
      this.saving = false;
    }
  }

  /** Takes over what is on disk now; a restart may take the connection before it could be read. */
  async #settle(written: Written): Promise<void> {
    this.draft = written.config;
    if (this.snapshot) this.snapshot = { ...this.snapshot, exists: true, parsed: written.config };
    try {
      this.#adopt(await this.app.request('config.get', {}));
    } catch {
      if (this.snapshot) this.snapshot = { ...this.snapshot, hash: written.hash ?? this.snapshot.hash, raw: null };
    }
  }

  async #failed(error: unknown): Promise<void> {
    const words = reason(error);
    if (CONFLICT.test(words)) {
      await this.load();
      if (this.conflict) return;
    }
    this.problem = words;
    const details = error instanceof GatewayError && isFields(error.details) ? error.details : {};
    const listed: unknown[] = Array.isArray(details.issues) ? details.issues : [];
    this.issues = listed.filter(isFields).map((issue) => ({ path: parsePath(stringOf(issue.path) ?? ''), message: stringOf(issue.message) ?? '' }));
  }

  /** My changes on top of theirs. */
  keepMine(): void {
    const conflict = this.conflict;
    if (!conflict) return;
    this.draft = rebased(this.base, this.draft, conflict.theirs.parsed);
    this.snapshot = conflict.theirs;
    this.conflict = undefined;
  }

  takeTheirs(): void {
    const conflict = this.conflict;
    if (!conflict) return;
    this.snapshot = conflict.theirs;
    this.draft = conflict.theirs.parsed;
    this.conflict = undefined;
  }

  /** The text of the file. */
  get text(): string {
    return this.snapshot?.raw ?? pretty(this.base);
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
