// Values of a configuration: reading, changing and comparing places, and what to send so that one becomes another.
import { type Fields, isFields } from '../read';
import { type Path, pathText } from './schema';

export function valueAt(root: unknown, path: Path): unknown {
  let at = root;
  for (const step of path) {
    if (Array.isArray(at)) at = typeof step === 'number' ? at[step] : undefined;
    else if (isFields(at) && Object.hasOwn(at, step)) at = at[step];
    else return undefined;
  }
  return at;
}

/** A copy with one place changed; undefined takes it out, and what becomes empty by that goes too. */
export function withValue(root: unknown, path: Path, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const items = Array.isArray(root) ? [...root] : [];
    const inner = withValue(items[step], rest, value);
    if (inner === undefined) items.splice(step, 1);
    else items[step] = inner;
    return items;
  }
  const fields: Fields = isFields(root) ? { ...root } : {};
  const inner = withValue(fields[step], rest, value);
  const emptied = value === undefined && rest.length > 0 && isFields(inner) && Object.keys(inner).length === 0;
  if (inner === undefined || emptied) delete fields[step];
  else fields[step] = inner;
  return fields;
}

export function sameValue(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one)) return Array.isArray(other) && one.length === other.length && one.every((item, at) => sameValue(item, other[at]));
  if (!isFields(one) || !isFields(other)) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => Object.hasOwn(other, key) && sameValue(one[key], other[key]));
}

/** The places where two values differ: keys of objects, lists as a whole. */
export function changedPaths(before: unknown, after: unknown): (string | number)[][] {
  const found: (string | number)[][] = [];
  const walk = (one: unknown, other: unknown, path: (string | number)[]): void => {
    if (sameValue(one, other)) return;
    if (isFields(one) && isFields(other)) {
      for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) walk(one[key], other[key], [...path, key]);
    } else found.push(path);
  };
  walk(before, after, []);
  return found;
}

export interface Patch {
  patch: Fields;
  /** Lists that are meant as a whole. */
  replacePaths: string[];
}

/** A merge patch that makes `after` of `before`. */
export function patchBetween(before: unknown, after: unknown): Patch {
  const patch: Fields = {};
  const replacePaths: string[] = [];
  for (const path of changedPaths(before, after)) {
    const value = valueAt(after, path);
    let at = patch;
    for (const step of path.slice(0, -1)) {
      const inner = at[step];
      const next = isFields(inner) ? inner : {};
      at[step] = next;
      at = next;
    }
    const last = path.at(-1);
    if (last === undefined) continue;
    // An object in place of something else: what it replaces is gone, nothing of it may be merged.
    at[last] = value === undefined ? null : value;
    listsIn(value, path, replacePaths);
  }
  return { patch, replacePaths };
}

function listsIn(value: unknown, path: Path, found: string[]): void {
  if (Array.isArray(value)) found.push(pathText(path));
  else if (isFields(value)) for (const [key, inner] of Object.entries(value)) listsIn(inner, [...path, key], found);
}

/** My changes, made to what somebody else saved meanwhile; theirs stay where I changed nothing. */
export function rebased(base: unknown, mine: unknown, theirs: unknown): unknown {
  let value = theirs;
  for (const path of changedPaths(base, mine)) value = withValue(value, path, valueAt(mine, path));
  return value;
}

/** Places both changed, and not to the same. */
export function clashes(base: unknown, mine: unknown, theirs: unknown): string[] {
  const touched = changedPaths(base, theirs).map(pathText);
  return changedPaths(base, mine)
    .filter((path) => !sameValue(valueAt(mine, path), valueAt(theirs, path)))
    .map(pathText)
    .filter((mineAt) => touched.some((at) => at === mineAt || at.startsWith(`${mineAt}.`) || mineAt.startsWith(`${at}.`)));
}

export function pretty(value: unknown): string {
  return JSON.stringify(value ?? {}, null, 2);
}
