// The slash palette: which commands fit what is typed, and what choosing one makes of it. Pure.
import { fieldsOf, stringOf } from '../read';

export interface Command {
  name: string;
  description: string;
  aliases: readonly string[];
  takesWords: boolean;
  args: readonly { name: string; description: string; choices: readonly string[] }[];
}

/** Commands as the gateway lists them; odd ones are left out. */
export function readCommands(list: readonly unknown[]): Command[] {
  const commands: Command[] = [];
  for (const entry of list) {
    const fields = fieldsOf(entry);
    const name = stringOf(fields.name);
    if (!name || /\s/.test(name)) continue;
    const aliases = Array.isArray(fields.textAliases) ? fields.textAliases.filter((alias): alias is string => typeof alias === 'string') : [];
    const args = Array.isArray(fields.args) ? fields.args.map(readArgument).filter((arg) => arg.name) : [];
    commands.push({
      name,
      description: stringOf(fields.description) ?? '',
      aliases: aliases.map((alias) => alias.replace(/^\//, '')).filter((alias) => alias !== name),
      takesWords: fields.acceptsArgs === true,
      args,
    });
  }
  return commands;
}

/** What most people want first, before anything was used. */
const COMMON = ['new', 'status', 'model', 'think', 'stop', 'compact', 'help', 'undo', 'context'];

/** The order of the palette: what was used most, then what is common, then by name. */
export function byUse(commands: readonly Command[], used: ReadonlyMap<string, number>): Command[] {
  const common = (name: string): number => (COMMON.includes(name) ? COMMON.indexOf(name) : COMMON.length);
  return commands.toSorted((a, b) => (used.get(b.name) ?? 0) - (used.get(a.name) ?? 0) || common(a.name) - common(b.name) || a.name.localeCompare(b.name));
}

const USED_KEY = 'homard.commands';

/** How often each command was sent from this browser. */
export function usedCommands(store: Pick<Storage, 'getItem'>): Map<string, number> {
  try {
    const kept = Object.entries(fieldsOf(JSON.parse(store.getItem(USED_KEY) ?? '{}')));
    return new Map(kept.flatMap(([name, count]) => (typeof count === 'number' ? [[name, count] as const] : [])));
  } catch {
    return new Map();
  }
}

/** Notes that a text was sent, if it is a command. */
export function noteUse(store: Pick<Storage, 'getItem' | 'setItem'>, text: string): void {
  const name = /^\/([a-z][\w-]*)/i.exec(text)?.[1]?.toLowerCase();
  if (!name) return;
  const used = usedCommands(store);
  used.set(name, (used.get(name) ?? 0) + 1);
  try {
    store.setItem(USED_KEY, JSON.stringify(Object.fromEntries(used)));
  } catch {
    // Without a place to remember it the order stays as it is.
  }
}

function readArgument(value: unknown): { name: string; description: string; choices: readonly string[] } {
  const fields = fieldsOf(value);
  const description = stringOf(fields.description) ?? '';
  const given = Array.isArray(fields.choices) ? fields.choices.filter((choice): choice is string => typeof choice === 'string') : undefined;
  return { name: stringOf(fields.name) ?? '', description, choices: given ?? choicesIn(description) };
}

/** Words in an argument's description that stand for something else. */
const PLACEHOLDERS = new Set(['name', 'id', 'value', 'path', '#']);

/** `on|off` or `[list|add] [id]` name the words that may come first. */
export function choicesIn(description: string): string[] {
  const shown = description.trim();
  if (shown.startsWith('<')) return [];
  const first = shown.replace(/^\[/, '').split(/[\s\]]/)[0] ?? '';
  if (!first.includes('|')) return [];
  return first.split('|').filter((word) => /^[a-z0-9:_-]+$/i.test(word) && !PLACEHOLDERS.has(word));
}

/** What the palette is about, or undefined when it has no business being open. */
export type Typing = { kind: 'name'; query: string } | { kind: 'words'; command: Command; query: string };

export function typing(text: string, commands: readonly Command[]): Typing | undefined {
  const name = /^\/([^\s/]*)$/.exec(text);
  if (name) return { kind: 'name', query: (name[1] ?? '').toLowerCase() };
  const words = /^\/(\S+)\s+([^\n]*)$/.exec(text);
  if (!words) return undefined;
  const command = find(commands, words[1] ?? '');
  const query = words[2] ?? '';
  return command && command.takesWords && !/\s/.test(query) ? { kind: 'words', command, query: query.toLowerCase() } : undefined;
}

export function find(commands: readonly Command[], name: string): Command | undefined {
  const wanted = name.toLowerCase();
  return commands.find((command) => command.name === wanted || command.aliases.includes(wanted));
}

/** One line of the palette. */
export interface Choice {
  /** What the text field then holds. */
  text: string;
  label: string;
  hint: string;
  help: string;
  /** Whether choosing it sends it at once: nothing can follow. */
  sends: boolean;
}

export function choices(what: Typing | undefined, commands: readonly Command[]): Choice[] {
  if (!what) return [];
  if (what.kind === 'words') {
    const all = what.command.args[0]?.choices ?? [];
    const fitting = all.filter((choice) => choice.toLowerCase().startsWith(what.query));
    // The word is there in full: Enter sends it.
    if (fitting.length === 1 && fitting[0]?.toLowerCase() === what.query) return [];
    return fitting.map((choice) => ({ text: `/${what.command.name} ${choice}`, label: choice, hint: '', help: '', sends: true }));
  }
  return ranked(commands, what.query).map((command) => ({
    text: command.takesWords ? `/${command.name} ` : `/${command.name}`,
    label: `/${command.name}`,
    hint: command.args.map((arg) => arg.description || arg.name).join(' '),
    help: command.description,
    sends: !command.takesWords,
  }));
}

/** Beginnings of names first, then of other names, then words of the description. */
function ranked(commands: readonly Command[], query: string): Command[] {
  const rank = (command: Command): number => {
    if (command.name.startsWith(query)) return 0;
    if (command.aliases.some((alias) => alias.startsWith(query))) return 1;
    if (command.name.includes(query)) return 2;
    return query.length > 1 && command.description.toLowerCase().includes(query) ? 3 : 4;
  };
  return commands
    .map((command) => ({ command, rank: rank(command) }))
    .filter((entry) => entry.rank < 4)
    .sort((a, b) => a.rank - b.rank)
    .map((entry) => entry.command);
}
