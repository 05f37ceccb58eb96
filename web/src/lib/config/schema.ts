// The configuration's JSON Schema as a form understands it: one shape per place, made when it is
// looked at, because the whole tree is large and refers to itself.
import { type Fields, fieldsOf, isFields, numberOf, stringOf } from '../read';

/** What stands in for a secret in everything the gateway shows; sent back, it keeps the value. */
export const REDACTED = '__OPENCLAW_REDACTED__';

/** What people see in its place. */
export const VEIL = '••••••••';

/** A text for people, and back. */
export const veiled = (text: string): string => text.replaceAll(REDACTED, VEIL);
export const unveiled = (text: string): string => text.replaceAll(VEIL, REDACTED);

export type Path = readonly (string | number)[];

export interface Option {
  value: string | number | boolean;
  about: string | undefined;
}

interface Common {
  /** What it is for, without the default. */
  help: string;
  /** The default as the schema words it. */
  fallback: string | undefined;
  /** Whether it is known and has no effect yet: so says the gateway, and nobody else. */
  inert: boolean;
}

export type Shape = Common &
  (
    | { kind: 'switch' }
    | { kind: 'number'; whole: boolean; min: number | undefined; max: number | undefined }
    | { kind: 'text'; max: number | undefined }
    | { kind: 'secret' }
    | { kind: 'select'; options: readonly Option[] }
    | { kind: 'group'; keys: ReadonlyMap<string, Fields>; required: ReadonlySet<string>; open: boolean }
    | { kind: 'map'; of: Fields }
    | { kind: 'list'; of: Fields }
    | { kind: 'free' }
  );

const REFERENCE = '#/$defs/';
const MAX_REFERENCES = 16;
const DEFAULT_LINE = /\s*Default: `([^`]*)`\.?\s*$/;

export class Schema {
  readonly #root: Fields;
  readonly #defs: Fields;
  #shapes = new WeakMap<Fields, Shape>();

  constructor(root: unknown) {
    this.#root = fieldsOf(root);
    this.#defs = fieldsOf(this.#root.$defs);
  }

  get root(): Shape {
    return this.shape(this.#root);
  }

  shape(node: Fields): Shape {
    let shape = this.#shapes.get(node);
    if (!shape) {
      shape = this.#make(node);
      this.#shapes.set(node, shape);
    }
    return shape;
  }

  /** The shape of a place; undefined where the schema knows nothing. */
  at(path: Path): Shape | undefined {
    let shape: Shape | undefined = this.root;
    for (const step of path) {
      const node: Fields | undefined = shape && beneath(shape, step);
      if (!node) return undefined;
      shape = this.shape(node);
    }
    return shape;
  }

  /** Follows references and takes the alternative "nothing" away. */
  #resolved(node: Fields): { node: Fields; help: string | undefined } {
    let help = stringOf(node.description);
    let at = node;
    for (let count = 0; count < MAX_REFERENCES; count += 1) {
      const reference = stringOf(at.$ref);
      if (reference?.startsWith(REFERENCE)) {
        at = fieldsOf(this.#defs[reference.slice(REFERENCE.length)]);
      } else if (Array.isArray(at.anyOf) && at['x-secret'] !== true) {
        const choices = at.anyOf.filter(isFields).filter((choice) => choice.type !== 'null');
        const [only] = choices;
        if (choices.length !== 1 || !only) break;
        at = only;
      } else break;
      help ??= stringOf(at.description);
    }
    return { node: at, help };
  }

  #make(from: Fields): Shape {
    const { node, help: words = '' } = this.#resolved(from);
    const found = DEFAULT_LINE.exec(words);
    const common: Common = { help: words.replace(DEFAULT_LINE, '').trim(), fallback: found?.[1], inert: from['x-inert'] === true || node['x-inert'] === true };
    if (node['x-secret'] === true) return { ...common, kind: 'secret' };
    const options = optionsOf(node);
    if (options) return { ...common, kind: 'select', options };
    switch (typeOf(node)) {
      case 'boolean':
        return { ...common, kind: 'switch' };
      case 'integer':
      case 'number':
        return { ...common, kind: 'number', whole: typeOf(node) === 'integer', min: numberOf(node.minimum), max: numberOf(node.maximum) };
      case 'string':
        return { ...common, kind: 'text', max: numberOf(node.maxLength) };
      case 'array':
        return isFields(node.items) ? { ...common, kind: 'list', of: node.items } : { ...common, kind: 'free' };
      case 'object': {
        const keys = new Map(Object.entries(fieldsOf(node.properties)).filter((pair): pair is [string, Fields] => isFields(pair[1])));
        const any = node.additionalProperties;
        if (keys.size === 0 && isFields(any) && Object.keys(any).length > 0) return { ...common, kind: 'map', of: any };
        if (keys.size === 0) return { ...common, kind: 'free' };
        const required = new Set(Array.isArray(node.required) ? node.required.filter((key) => typeof key === 'string') : []);
        return { ...common, kind: 'group', keys, required, open: any !== false };
      }
      default:
        return { ...common, kind: 'free' };
    }
  }
}

function typeOf(node: Fields): string | undefined {
  if (typeof node.type === 'string') return node.type;
  if (!Array.isArray(node.type)) return undefined;
  const types = node.type.filter((type) => type !== 'null');
  return types.length === 1 ? stringOf(types[0]) : undefined;
}

function optionsOf(node: Fields): Option[] | undefined {
  const isValue = (value: unknown): value is Option['value'] => typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  if (Array.isArray(node.enum)) return node.enum.filter(isValue).map((value) => ({ value, about: undefined }));
  if (!Array.isArray(node.oneOf)) return undefined;
  const options: Option[] = [];
  for (const choice of node.oneOf.filter(isFields)) {
    if (choice.type === 'null') continue;
    if (isValue(choice.const)) options.push({ value: choice.const, about: stringOf(choice.description) });
    else if (Array.isArray(choice.enum)) options.push(...choice.enum.filter(isValue).map((value) => ({ value, about: stringOf(choice.description) })));
    else return undefined;
  }
  return options.length > 0 ? options : undefined;
}

function beneath(shape: Shape, step: string | number): Fields | undefined {
  if (shape.kind === 'group') return shape.keys.get(String(step));
  if (shape.kind === 'map') return shape.of;
  return shape.kind === 'list' && typeof step === 'number' ? shape.of : undefined;
}

/** `maxConcurrent` as people say it. */
export function spoken(key: string): string {
  const words = key
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[\s_-]+/)
    .filter(Boolean)
    .map((word) => KNOWN.get(word.toLowerCase()) ?? (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()));
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const KNOWN = new Map(
  ['API', 'URL', 'UI', 'ID', 'TTS', 'TLS', 'HTTP', 'MCP', 'ACP', 'DM', 'IP', 'CPU', 'JSON', 'SSRF', 'CLI', 'USD', 'PDF', 'TTL', 'QMD', 'IDs', 'OTel', 'mDNS'].map((word) => [word.toLowerCase(), word]),
);

/** A place as the gateway writes it. */
export function pathText(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (step === '' || /[.[\]"]/.test(step)) text += `["${step}"]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}

/** Reads a place as the gateway writes it. */
export function parsePath(text: string): (string | number)[] {
  const path: (string | number)[] = [];
  for (const [, index, quoted, key] of text.matchAll(/\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|([^.[\]]+)/g)) {
    if (index !== undefined) path.push(Number(index));
    else if (quoted !== undefined) path.push(quoted);
    else if (key !== undefined) path.push(key);
  }
  return path;
}

export interface Found {
  path: string[];
  /** What a search looks at, in small letters: the last key in both spellings, the whole path, the help. */
  name: string;
  dotted: string;
  help: string;
}

function foundAt(path: string[], help: string): Found {
  const last = path.at(-1) ?? '';
  return { path, name: `${last} ${spoken(last)}`.toLowerCase(), dotted: path.join('.').toLowerCase(), help: help.toLowerCase() };
}

const INDEX_DEPTH = 8;
const INDEX_MAX = 20_000;

/** Every key with a name, for searching; `*` stands for any name. A place that refers to itself is entered once. */
export function everyKey(schema: Schema): Found[] {
  const found: Found[] = [];
  const walk = (shape: Shape, path: string[], above: readonly Shape[]): void => {
    if (found.length >= INDEX_MAX || path.length >= INDEX_DEPTH || above.includes(shape)) return;
    const inner = [...above, shape];
    if (shape.kind === 'group') {
      for (const [key, node] of shape.keys) {
        const child = schema.shape(node);
        found.push(foundAt([...path, key], child.help));
        walk(child, [...path, key], inner);
      }
    } else if (shape.kind === 'map' || shape.kind === 'list') walk(schema.shape(shape.of), [...path, '*'], inner);
  };
  walk(schema.root, [], []);
  return found;
}

/** The keys that have every word of the question in their name, spoken name or help; better matches first. */
export function findKeys(all: readonly Found[], question: string, max: number): Found[] {
  const words = question.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const scored: { one: Found; score: number }[] = [];
  for (const one of all) {
    let score = one.path.length;
    const fits = words.every((word) => {
      if (one.name.includes(word)) score += one.name.startsWith(`${word} `) ? 0 : 2;
      else if (one.dotted.includes(word)) score += 10;
      else if (one.help.includes(word)) score += 30;
      else return false;
      return true;
    });
    if (fits) scored.push({ one, score });
  }
  return scored
    .sort((a, b) => a.score - b.score)
    .slice(0, max)
    .map(({ one }) => one);
}

export interface Problem {
  path: Path;
  message: string;
}

const PROBLEMS_MAX = 100;

/** What is plainly not what the schema asks for. The gateway has the last word; this is a hint while typing. */
export function checkValue(schema: Schema, value: unknown, words: CheckWords): Problem[] {
  const problems: Problem[] = [];
  const walk = (shape: Shape, at: unknown, path: Path): void => {
    if (problems.length >= PROBLEMS_MAX || at === null || at === undefined || at === REDACTED) return;
    const wrong = wrongness(shape, at, words);
    if (wrong) problems.push({ path, message: wrong });
    else if (shape.kind === 'list' && Array.isArray(at)) at.forEach((item, index) => walk(schema.shape(shape.of), item, [...path, index]));
    else if (shape.kind === 'map' && isFields(at)) for (const [key, inner] of Object.entries(at)) walk(schema.shape(shape.of), inner, [...path, key]);
    else if (shape.kind === 'group' && isFields(at)) {
      for (const [key, inner] of Object.entries(at)) {
        const node = shape.keys.get(key);
        if (node) walk(schema.shape(node), inner, [...path, key]);
        else if (!shape.open && !key.startsWith('$')) problems.push({ path: [...path, key], message: words.unknownKey(key) });
      }
    }
  };
  walk(schema.root, value, []);
  return problems;
}

export interface CheckWords {
  unknownKey: (key: string) => string;
  notSwitch: string;
  notNumber: string;
  notWhole: string;
  tooSmall: (min: number) => string;
  tooLarge: (max: number) => string;
  notText: string;
  notOption: (options: string) => string;
  notObject: string;
  notList: string;
}

export function wrongness(shape: Shape, value: unknown, words: CheckWords): string | undefined {
  // A reference to a variable may become anything.
  if (typeof value === 'string' && value.includes('${')) return undefined;
  switch (shape.kind) {
    case 'switch':
      return typeof value === 'boolean' ? undefined : words.notSwitch;
    case 'number':
      if (typeof value !== 'number') return words.notNumber;
      if (shape.whole && !Number.isInteger(value)) return words.notWhole;
      if (shape.min !== undefined && value < shape.min) return words.tooSmall(shape.min);
      return shape.max !== undefined && value > shape.max ? words.tooLarge(shape.max) : undefined;
    case 'text':
      return typeof value === 'string' ? undefined : words.notText;
    case 'select':
      return shape.options.some((option) => option.value === value) ? undefined : words.notOption(shape.options.map((option) => String(option.value)).join(', '));
    case 'group':
    case 'map':
      return isFields(value) ? undefined : words.notObject;
    case 'list':
      return Array.isArray(value) ? undefined : words.notList;
    default:
      return undefined;
  }
}
