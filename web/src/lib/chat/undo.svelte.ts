// What runs of a conversation changed in files, and taking it back.
import type { App } from '../app.svelte';
import type { Methods } from '../connection/wire';

export type UndoRun = Methods['undo.list']['result']['runs'][number];

const RUNS_MAX = 50;

export class UndoBook {
  runs = $state.raw<ReadonlyMap<string, UndoRun>>(new Map());
  /** Runs that changed something a person may want back. */
  readonly undoable = $derived(new Set([...this.runs.values()].filter((run) => run.files.length > 0 && !run.undoes).map((run) => run.runId)));
  #generation = 0;

  constructor(
    private readonly app: Pick<App, 'request'>,
    private readonly key: string,
  ) {}

  /** A gateway that cannot undo, or may not for this person, offers nothing. */
  async refresh(): Promise<void> {
    const generation = ++this.#generation;
    try {
      const { runs } = await this.app.request('undo.list', { sessionKey: this.key, limit: RUNS_MAX });
      if (generation === this.#generation) this.runs = new Map(runs.map((run) => [run.runId, run]));
    } catch {
      if (generation === this.#generation && this.runs.size > 0) this.runs = new Map();
    }
  }

  /** Puts the files of a run back; answers with what happened in words, or throws with why not. */
  async undo(runId: string, force: boolean): Promise<{ undone: boolean; words: string }> {
    const answer = await this.app.request('undo.apply', { sessionKey: this.key, runId, force });
    await this.refresh();
    return { undone: answer.undone, words: answer.words };
  }
}
