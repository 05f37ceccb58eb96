// What a method takes, read from the text of the generated types: the same file the page is typed with, so that
// nothing is written twice. The text is fetched only when the debug page asks for it.

export interface Parameter {
  name: string;
  optional: boolean;
  type: string;
  about: string;
}

export interface MethodType {
  parameters: readonly Parameter[];
  /** The types' names; `unknown` where any shape will do. */
  takes: string;
  gives: string;
}

const METHOD = /^ {2}'([^']+)': \{ params: ([^;]+); result: (.+) \};$/gm;

/** Every method the types know, by name. */
export function methodNames(source: string): Map<string, { takes: string; gives: string }> {
  const found = new Map<string, { takes: string; gives: string }>();
  for (const [, name, takes, gives] of source.matchAll(METHOD)) if (name && takes && gives) found.set(name, { takes, gives });
  return found;
}

/** The text of one type, without the words before it. */
export function typeText(source: string, name: string): string {
  if (!/^\w+$/.test(name)) return '';
  const begin = source.indexOf(`export type ${name} = `);
  if (begin === -1) return '';
  const end = source.indexOf('\n\n', begin);
  return source.slice(begin, end === -1 ? undefined : end);
}

export function methodType(source: string, method: string): MethodType | undefined {
  const found = methodNames(source).get(method);
  if (!found) return undefined;
  const parameters = parametersOf(typeText(source, found.takes));
  return { ...found, parameters: parameters.map((one) => ({ ...one, type: plainType(source, one.type) })) };
}

/** What a name stands for that is only another name of a plain type, such as an id. */
function plainType(source: string, type: string): string {
  return /^export type \w+ = (string|number|boolean);/.exec(typeText(source, type))?.[1] ?? type;
}

/** The fields of a type that is one object; nested ones stay text. */
function parametersOf(text: string): Parameter[] {
  const found: Parameter[] = [];
  let about = '';
  for (const line of text.split('\n')) {
    const words = /^ {2}\/\*\* (.*) \*\/$/.exec(line);
    if (words) about = words[1] ?? '';
    const field = /^ {2}"([^"]+)"(\?)?: (.+?);?$/.exec(line);
    if (field?.[1] && field[3]) {
      found.push({ name: field[1], optional: field[2] === '?', type: field[3].replace(/ \| null$/, ''), about });
      about = '';
    }
  }
  return found;
}

/** Something of the right kind to start from. */
export function sample(type: string): unknown {
  const literal = /^"([^"]*)"/.exec(type);
  if (literal) return literal[1];
  if (type.startsWith('Array<') || type.endsWith('[]')) return [];
  if (type.startsWith('number')) return 0;
  if (type.startsWith('boolean')) return false;
  if (type.startsWith('string')) return '';
  return {};
}

/** Parameters to start from: what must be there. */
export function template(type: MethodType | undefined): string {
  const required = (type?.parameters ?? []).filter(({ optional }) => !optional);
  return JSON.stringify(Object.fromEntries(required.map(({ name, type: kind }) => [name, sample(kind)])), null, 2);
}

/** The parameters with one more; nothing when they are not an object now. */
export function withParameter(text: string, { name, type }: Parameter): string | undefined {
  try {
    const now: unknown = text.trim() === '' ? {} : JSON.parse(text);
    if (typeof now !== 'object' || now === null || Array.isArray(now)) return undefined;
    return JSON.stringify(name in now ? now : { ...now, [name]: sample(type) }, null, 2);
  } catch {
    return undefined;
  }
}
