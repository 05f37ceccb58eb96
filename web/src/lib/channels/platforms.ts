// The chat platforms there are. What a form asks for is read from the schema of each platform's section:
// whatever carries an `x-form` there, in its order; a schema without any is asked for as it is.
import { Schema, type Shape, spoken } from '../config/schema';
import { type Fields, fieldsOf, isFields, listOf, stringOf, textsOf } from '../read';

/** Kinds of values a form can ask for. */
export type FieldKind = Extract<Shape['kind'], 'text' | 'secret' | 'number' | 'switch' | 'select' | 'list' | 'group'>;
const KINDS: readonly string[] = ['text', 'secret', 'number', 'switch', 'select', 'list', 'group'] satisfies FieldKind[];

/** Something a form asks for. */
export interface PlatformField {
  /** Its place in the section: `nick`, `sasl.password`. */
  key: string;
  kind: FieldKind;
  label: string;
  help: string | undefined;
  example: string | undefined;
  /** What a new account begins with. */
  initial: unknown;
  pattern: RegExp | undefined;
  /** What is said of a value that does not fit. */
  problem: string | undefined;
  min: number;
  max: number;
  options: readonly string[];
  /** Other keys that may hold it. */
  instead: readonly string[];
  needed: boolean;
  /** Whether it stands behind "more settings". */
  more: boolean;
  narrow: boolean;
  /** The key of the group it is part of; asked for only while that is on. */
  group: string | undefined;
}

export interface Platform {
  id: string;
  label: string;
  about: string;
  /** Keys of its section that hold credentials. */
  secrets: readonly string[];
  fields: readonly PlatformField[];
  /** What is done on the platform first. */
  steps: readonly string[];
  /** How people are written in a list of those who may write. */
  people: string | undefined;
  /** What stands before our name as people there write it. */
  handle: string;
  /** The key that holds our name there. */
  named: string | undefined;
  /** What to do when the platform does not accept the credentials. */
  refused: string | undefined;
  /** Whether accounts may be at different servers; then one never gets the secrets of another. */
  servers: boolean;
}

/** The platforms of an answer of `channels.platforms`. */
export function readPlatforms(answer: unknown): readonly Platform[] {
  return listOf(fieldsOf(answer).platforms)
    .map(fieldsOf)
    .flatMap((found) => {
      const id = stringOf(found.id);
      if (!id) return [];
      const form = fieldsOf(fieldsOf(found.schema)['x-form']);
      return [
        {
          id,
          label: stringOf(found.label) ?? id,
          about: sentence(stringOf(found.summary) ?? ''),
          secrets: textsOf(found.secrets),
          fields: readFields(new Schema(found.schema)),
          steps: textsOf(form.steps),
          people: stringOf(form.people),
          handle: stringOf(form.handle) ?? '',
          named: stringOf(form.named),
          refused: stringOf(form.refused),
          servers: form.servers === true,
        },
      ];
    });
}

function readFields(schema: Schema): readonly PlatformField[] {
  const { root } = schema;
  if (root.kind !== 'group') return [];
  const isHinted = [...root.keys.values()].some((node) => isFields(node['x-form']));
  return [...root.keys].flatMap(([key, node]) => {
    const shape = schema.shape(node);
    if (isHinted) return isFields(node['x-form']) ? asked(schema, key, node, undefined) : [];
    const hint = { help: shape.help || undefined, more: shape.kind !== 'secret' };
    return shape.kind === 'group' ? [] : asked(schema, key, { ...node, 'x-form': hint }, undefined);
  });
}

/** A field and, of a group, those in it. */
function asked(schema: Schema, name: string, node: Fields, group: string | undefined): PlatformField[] {
  const shape = schema.shape(node);
  if (!isKind(shape.kind) || !isTyped(schema, shape) || (group !== undefined && shape.kind === 'group')) return [];
  const hint = fieldsOf(node['x-form']);
  const place = (one: string): string => (group === undefined ? one : `${group}.${one}`);
  const field: PlatformField = {
    key: place(name),
    kind: shape.kind,
    label: stringOf(node.title) ?? spoken(name),
    help: stringOf(hint.help),
    example: stringOf(hint.example),
    initial: hint.initial,
    pattern: patternOf(hint.pattern),
    problem: stringOf(hint.problem),
    min: shape.kind === 'number' ? (shape.min ?? -Infinity) : -Infinity,
    max: shape.kind === 'number' ? (shape.max ?? Infinity) : Infinity,
    options: shape.kind === 'select' ? shape.options.map((option) => String(option.value)) : [],
    instead: textsOf(hint.instead).map(place),
    needed: hint.needed === true,
    more: hint.more === true,
    narrow: hint.narrow === true,
    group,
  };
  if (shape.kind !== 'group') return [field];
  return [field, ...[...shape.keys].filter(([, inner]) => isFields(inner['x-form'])).flatMap(([key, inner]) => asked(schema, key, inner, name))];
}

/** Whether its values are texts when they are many or chosen; others belong into the settings. */
function isTyped(schema: Schema, shape: Shape): boolean {
  if (shape.kind === 'list') return schema.shape(shape.of).kind === 'text';
  return shape.kind !== 'select' || shape.options.every((option) => typeof option.value === 'string');
}

function isKind(kind: string): kind is FieldKind {
  return KINDS.includes(kind);
}

function patternOf(text: unknown): RegExp | undefined {
  try {
    return typeof text === 'string' ? new RegExp(text, 'u') : undefined;
  } catch {
    return undefined;
  }
}

/** A line of the gateway as a sentence of its own. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  return `${trimmed.charAt(0).toUpperCase()}${trimmed.slice(1)}${/[.!?…]$/.test(trimmed) ? '' : '.'}`;
}

/** Our name as people on the platform write it. */
export function handled(platform: Platform | undefined, name: string): string {
  const handle = platform?.handle ?? '';
  return name.startsWith(handle) ? name : `${handle}${name}`;
}
