// What a person opened in a conversation. Rows come and go as one scrolls; this stays.
import { SvelteMap, SvelteSet } from 'svelte/reactivity';

export class ViewState {
  readonly open = new SvelteSet<string>();
  /** What is shown whole though it is long. */
  readonly whole = new SvelteSet<string>();
  /** Messages the gateway had shortened, as it gave them when asked for all; and those it could not give. */
  readonly fetched = new SvelteMap<string, string>();
  readonly unavailable = new SvelteSet<string>();
  /** Opens a file that the gateway keeps. */
  readonly openKept: (source: string) => void;
  /** The picture that is looked at closely. */
  picture = $state.raw<{ source: string; label: string } | undefined>();

  constructor(openKept: (source: string) => void) {
    this.openKept = openKept;
  }

  set(id: string, isOpen: boolean): void {
    if (isOpen) this.open.add(id);
    else this.open.delete(id);
  }
}
