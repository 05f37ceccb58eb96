// The versions of a message, and quoting one. Pure.

export interface BranchFacts {
  leafEntryId: string;
  active: boolean;
  firstEntryId?: string | null;
  insteadEntryId?: string | null;
}

/** Which of the versions of a message is shown, and where its neighbours end. */
export interface Version {
  at: number;
  all: number;
  previous: string | undefined;
  next: string | undefined;
}

const QUOTE_LINES = 6;
const QUOTE_CHARS = 400;

/** The versions of the message at `entryId`; undefined when there is only one. */
export function versionAt(branches: readonly BranchFacts[], entryId: string | undefined): Version | undefined {
  if (!entryId) return undefined;
  // A version that was itself continued in several ways is one version; its newest end is where one goes.
  const others = new Map<string, { leaf: string; order: number }>();
  let here = branches.length;
  branches.forEach((branch, order) => {
    if (branch.active) here = order;
    else if (branch.insteadEntryId === entryId && branch.firstEntryId) others.set(branch.firstEntryId, { leaf: branch.leafEntryId, order });
  });
  if (others.size === 0) return undefined;
  const ends = [...others.values(), { leaf: '', order: here }].sort((a, b) => a.order - b.order);
  const at = ends.findIndex((end) => end.order === here);
  return { at: at + 1, all: ends.length, previous: ends[at - 1]?.leaf, next: ends[at + 1]?.leaf };
}

/** The beginning of a text as a Markdown quotation. */
export function quote(text: string): string {
  const lines = text.trim().slice(0, QUOTE_CHARS).split('\n');
  const cut = lines.length > QUOTE_LINES || text.trim().length > QUOTE_CHARS;
  const kept = lines.slice(0, QUOTE_LINES).map((line) => `> ${line}`.trimEnd());
  return (cut ? [...kept, '> …'] : kept).join('\n');
}
