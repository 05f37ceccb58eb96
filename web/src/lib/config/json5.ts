// Reads JSON5 and remembers where everything stands, so that an error can be shown on its line.
import type { Path } from './schema';
import { pathText } from './schema';

export class Json5Error extends Error {
  constructor(
    message: string,
    /** Characters from the start. */
    readonly at: number,
  ) {
    super(message);
    this.name = 'Json5Error';
  }
}

export interface Json5Words {
  end: string;
  unexpected: (what: string) => string;
  expected: (what: string) => string;
  badEscape: string;
  openText: string;
  openComment: string;
  tooDeep: string;
  twice: (key: string) => string;
  after: string;
}

export interface Read {
  value: unknown;
  /** Where each place begins: its key, or the element itself. */
  places: Map<string, number>;
}

const DEPTH_MAX = 128;
const ESCAPES: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '0': '\0', '\n': '', '\u2028': '', '\u2029': '' };
const SPACE = /[\s\uFEFF]/;
const NAME_START = /[\p{ID_Start}$_]/u;
const NAME = /[$\u200c\u200d\p{ID_Continue}]/u;
const NUMBER = /[+-]?(?:Infinity|NaN|0[xX][\da-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)/y;

/** Throws a Json5Error that says where and why. */
export function parseJson5(text: string, words: Json5Words): Read {
  return new Reader(text, words).all();
}

class Reader {
  #at = 0;
  readonly #places = new Map<string, number>();

  constructor(
    private readonly text: string,
    private readonly words: Json5Words,
  ) {}

  all(): Read {
    const value = this.#value([], 0);
    this.#skip();
    if (this.#at < this.text.length) throw this.#error(this.words.after);
    return { value, places: this.#places };
  }

  #error(message: string, at = this.#at): Json5Error {
    return new Json5Error(message, Math.min(at, this.text.length));
  }

  #peek(): string {
    return this.text.charAt(this.#at);
  }

  #skip(): void {
    for (;;) {
      if (SPACE.test(this.#peek())) this.#at += 1;
      else if (this.text.startsWith('//', this.#at)) {
        const end = this.text.indexOf('\n', this.#at);
        this.#at = end < 0 ? this.text.length : end + 1;
      } else if (this.text.startsWith('/*', this.#at)) {
        const end = this.text.indexOf('*/', this.#at + 2);
        if (end < 0) throw this.#error(this.words.openComment);
        this.#at = end + 2;
      } else return;
    }
  }

  #value(path: Path, depth: number): unknown {
    this.#skip();
    if (depth > DEPTH_MAX) throw this.#error(this.words.tooDeep);
    const key = pathText(path);
    if (!this.#places.has(key)) this.#places.set(key, this.#at);
    const next = this.#peek();
    if (next === '') throw this.#error(this.words.end);
    if (next === '{') return this.#object(path, depth);
    if (next === '[') return this.#array(path, depth);
    if (next === '"' || next === "'") return this.#string();
    NUMBER.lastIndex = this.#at;
    const number = NUMBER.exec(this.text)?.[0];
    if (number) {
      this.#at += number.length;
      return numberFrom(number);
    }
    const word = this.#word();
    if (word === 'true') return true;
    if (word === 'false') return false;
    if (word === 'null') return null;
    throw this.#error(this.words.unexpected(word || next), this.#at - word.length);
  }

  #object(path: Path, depth: number): Record<string, unknown> {
    const fields: Record<string, unknown> = {};
    this.#at += 1;
    for (;;) {
      this.#skip();
      if (this.#peek() === '}') break;
      const from = this.#at;
      const key = this.#key();
      if (Object.hasOwn(fields, key)) throw this.#error(this.words.twice(key), from);
      const inner = [...path, key];
      this.#places.set(pathText(inner), from);
      this.#skip();
      if (this.#peek() !== ':') throw this.#error(this.words.expected(':'));
      this.#at += 1;
      // A key named __proto__ is a key like any other.
      Object.defineProperty(fields, key, { value: this.#value(inner, depth + 1), enumerable: true, configurable: true, writable: true });
      this.#skip();
      if (this.#peek() === ',') this.#at += 1;
      else if (this.#peek() !== '}') throw this.#error(this.#peek() === '' ? this.words.end : this.words.expected(', or }'));
    }
    this.#at += 1;
    return fields;
  }

  #array(path: Path, depth: number): unknown[] {
    const items: unknown[] = [];
    this.#at += 1;
    for (;;) {
      this.#skip();
      if (this.#peek() === ']') break;
      items.push(this.#value([...path, items.length], depth + 1));
      this.#skip();
      if (this.#peek() === ',') this.#at += 1;
      else if (this.#peek() !== ']') throw this.#error(this.#peek() === '' ? this.words.end : this.words.expected(', or ]'));
    }
    this.#at += 1;
    return items;
  }

  #key(): string {
    if (this.#peek() === '"' || this.#peek() === "'") return this.#string();
    const word = this.#word();
    if (word === '') throw this.#error(this.#peek() === '' ? this.words.end : this.words.unexpected(this.#peek()));
    return word;
  }

  #word(): string {
    const from = this.#at;
    if (!NAME_START.test(this.#peek())) return '';
    while (this.#peek() !== '' && NAME.test(this.#peek())) this.#at += 1;
    return this.text.slice(from, this.#at);
  }

  #string(): string {
    const quote = this.#peek();
    const from = this.#at;
    let out = '';
    this.#at += 1;
    for (;;) {
      const next = this.#peek();
      if (next === '' || next === '\n') throw this.#error(this.words.openText, from);
      this.#at += 1;
      if (next === quote) return out;
      if (next !== '\\') out += next;
      else out += this.#escape();
    }
  }

  #escape(): string {
    const next = this.#peek();
    this.#at += 1;
    const digits = next === 'u' ? 4 : next === 'x' ? 2 : 0;
    if (digits === 0) {
      if (next === '\r') {
        if (this.#peek() === '\n') this.#at += 1;
        return '';
      }
      return ESCAPES[next] ?? next;
    }
    const hex = this.text.slice(this.#at, this.#at + digits);
    if (!new RegExp(`^[\\da-fA-F]{${digits}}$`).test(hex)) throw this.#error(this.words.badEscape, this.#at - 2);
    this.#at += digits;
    return String.fromCharCode(Number.parseInt(hex, 16));
  }
}

function numberFrom(text: string): number {
  const negative = text.startsWith('-');
  const plain = text.replace(/^[+-]/, '');
  return negative ? -Number(plain) : Number(plain);
}

export interface LineColumn {
  line: number;
  column: number;
}

/** Both count from one. */
export function lineColumn(text: string, at: number): LineColumn {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  return { line, column: at - before.lastIndexOf('\n') };
}

/** The line a place stands on; of one that is not there, the line of what it would be in. */
export function lineOf(text: string, read: Read | undefined, path: Path): number | undefined {
  if (!read) return undefined;
  for (let length = path.length; length > 0; length -= 1) {
    const at = read.places.get(pathText(path.slice(0, length)));
    if (at !== undefined) return lineColumn(text, at).line;
  }
  return undefined;
}
