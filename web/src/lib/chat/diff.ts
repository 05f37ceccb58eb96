// What an edit changes, as lines: from the tool's own diff where there is one, else from its input.
import { fieldsOf, plainName, stringOf } from '../read';
import type { ToolItem } from './transcript';

export interface DiffLine {
  kind: 'same' | 'added' | 'removed' | 'gap';
  text: string;
  /** Line numbers before and after, where they are known. */
  before?: number;
  after?: number;
}

export interface FileDiff {
  path: string;
  lines: DiffLine[];
  added: number;
  removed: number;
}

/** More lines than this of one call are not read. */
const LINES_MAX = 4_000;
const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** The files a call changes or would change; empty when it is no edit. */
export function diffsOf(tool: Pick<ToolItem, 'name' | 'args' | 'diff' | 'output'>): FileDiff[] {
  if (tool.diff) return unifiedDiffs(tool.diff);
  const args = fieldsOf(tool.args);
  const path = stringOf(args.path) ?? stringOf(args.file_path) ?? '';
  switch (tool.name) {
    case 'edit': {
      const old = stringOf(args.oldText) ?? stringOf(args.old_string) ?? stringOf(args.old_text);
      const fresh = stringOf(args.newText) ?? stringOf(args.new_string) ?? stringOf(args.new_text);
      return old === undefined && fresh === undefined ? [] : [replaced(path, old ?? '', fresh ?? '')];
    }
    case 'write': {
      const content = stringOf(args.content);
      return content === undefined ? [] : [written(path, content)];
    }
    case 'apply_patch':
      return patched(stringOf(args.input) ?? stringOf(args.patch) ?? '');
    default:
      return [];
  }
}

export function totals(diffs: readonly FileDiff[]): { added: number; removed: number } {
  return { added: diffs.reduce((sum, diff) => sum + diff.added, 0), removed: diffs.reduce((sum, diff) => sum + diff.removed, 0) };
}

/** Reads unified diffs of one or more files. */
export function unifiedDiffs(text: string): FileDiff[] {
  const files: FileDiff[] = [];
  let [before, after] = [0, 0];
  const lines = linesOf(text);
  lines.forEach((line, index) => {
    const opens = line.startsWith('--- ') && lines[index + 1]?.startsWith('+++ ');
    if (opens) return;
    if (line.startsWith('+++ ') && lines[index - 1]?.startsWith('--- ')) {
      files.push(empty(pathOf(line) === '/dev/null' ? pathOf(lines[index - 1] ?? '') : pathOf(line)));
      return;
    }
    const file = files.at(-1);
    if (!file) return;
    const hunk = HUNK.exec(line);
    if (hunk) {
      if (file.lines.length > 0) file.lines.push({ kind: 'gap', text: '' });
      [before, after] = [Number(hunk[1]), Number(hunk[2])];
    } else if (line.startsWith('+')) put(file, { kind: 'added', text: line.slice(1), after: after++ });
    else if (line.startsWith('-')) put(file, { kind: 'removed', text: line.slice(1), before: before++ });
    else if (line.startsWith(' ')) put(file, { kind: 'same', text: line.slice(1), before: before++, after: after++ });
    else if (line && !line.startsWith('\\')) put(file, { kind: 'gap', text: line });
  });
  return files;
}

function pathOf(header: string): string {
  return (
    header
      .slice(4)
      .split('\t')[0]
      ?.replace(/^[ab]\//, '') ?? ''
  );
}

function replaced(path: string, old: string, fresh: string): FileDiff {
  const [left, right] = [linesOf(old), linesOf(fresh)];
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head += 1;
  let tail = 0;
  while (tail < left.length - head && tail < right.length - head && left.at(-1 - tail) === right.at(-1 - tail)) tail += 1;
  const file = empty(path);
  for (const text of left.slice(0, head)) put(file, { kind: 'same', text });
  for (const text of left.slice(head, left.length - tail)) put(file, { kind: 'removed', text });
  for (const text of right.slice(head, right.length - tail)) put(file, { kind: 'added', text });
  for (const text of tail ? left.slice(-tail) : []) put(file, { kind: 'same', text });
  return file;
}

function written(path: string, content: string): FileDiff {
  const file = empty(path);
  linesOf(content).forEach((text, index) => put(file, { kind: 'added', text, after: index + 1 }));
  return file;
}

/** Reads the format of `apply_patch`. */
function patched(patch: string): FileDiff[] {
  const files: FileDiff[] = [];
  for (const line of linesOf(patch)) {
    const section = /^\*\*\* (?:Add|Update|Delete) File: (.*)$/.exec(line);
    const file = files.at(-1);
    if (section) files.push(empty(section[1]?.trim() ?? ''));
    else if (!file || line.startsWith('***')) continue;
    else if (line.startsWith('@@')) {
      if (file.lines.length > 0) file.lines.push({ kind: 'gap', text: '' });
    } else if (line.startsWith('+')) put(file, { kind: 'added', text: line.slice(1) });
    else if (line.startsWith('-')) put(file, { kind: 'removed', text: line.slice(1) });
    else put(file, { kind: 'same', text: line.slice(1) });
  }
  return files;
}

function empty(path: string): FileDiff {
  return { path: plainName(path), lines: [], added: 0, removed: 0 };
}

function put(file: FileDiff, line: DiffLine): void {
  if (line.kind === 'added') file.added += 1;
  if (line.kind === 'removed') file.removed += 1;
  if (file.lines.length < LINES_MAX) file.lines.push(line);
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
