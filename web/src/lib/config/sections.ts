// The order in which people look for settings; sections nobody sorted come last, so that a new one is never missing.
export type GroupId = 'assistant' | 'connections' | 'system' | 'more';

const ORDER: readonly (readonly [GroupId, readonly string[]])[] = [
  ['assistant', ['agents', 'models', 'budgets', 'tools', 'approvals', 'skills', 'memory', 'session', 'messages', 'commands', 'cron', 'tts']],
  ['connections', ['gateway', 'channels', 'bindings', 'hooks', 'discovery', 'nodeHost', 'browser', 'talk', 'web', 'mcp']],
  ['system', ['logging', 'diagnostics', 'env', 'secrets', 'auth', 'update', 'ui']],
];
/** Written by Homard itself. */
const HIDDEN = new Set(['$schema', 'meta', 'wizard']);

export interface SectionGroup {
  id: GroupId;
  sections: string[];
}

export function sectionGroups(keys: Iterable<string>): SectionGroup[] {
  const left = new Set([...keys].filter((key) => !HIDDEN.has(key)));
  const groups: SectionGroup[] = [];
  for (const [id, order] of ORDER) {
    const sections = order.filter((key) => left.delete(key));
    if (sections.length > 0) groups.push({ id, sections });
  }
  if (left.size > 0) groups.push({ id: 'more', sections: [...left].sort() });
  return groups;
}

/** How many values are written somewhere in this one. */
export function countLeaves(value: unknown): number {
  if (value === undefined) return 0;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 1;
  return Object.values(value).reduce((sum: number, inner) => sum + countLeaves(inner), 0);
}

/** A default as the form shows it. */
export function shownValue(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return undefined;
}
