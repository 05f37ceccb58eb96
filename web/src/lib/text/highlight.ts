// Colours for code: a small reader of lines that knows comments, strings, numbers and words of the
// common languages. It never fails and never makes HTML; unknown languages stay plain.

export type TokenKind = 'plain' | 'comment' | 'string' | 'number' | 'keyword' | 'name' | 'type' | 'added' | 'removed' | 'meta';
export interface Token {
  kind: TokenKind;
  text: string;
}
/** What a line leaves open for the next: the end of a comment or string, or nothing. */
export type LineState = { kind: 'comment' | 'string'; until: string } | undefined;

interface Language {
  line: readonly string[];
  block: readonly (readonly [string, string])[];
  /** Quotes that end with the line, and those that do not. */
  quotes: string;
  long: readonly string[];
  keywords: ReadonlySet<string>;
  /** Capitalised words are types. */
  types: boolean;
  ignoreCase?: boolean;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const C_LIKE = { line: ['//'], block: [['/*', '*/']], quotes: `"'`, long: [], types: true } as const;

const LANGUAGES: Record<string, Language> = {
  rust: {
    ...C_LIKE,
    quotes: '"',
    keywords: words(
      'as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while bool char str u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64 String Vec Option Result Some None Ok Err',
    ),
  },
  js: {
    ...C_LIKE,
    long: ['`'],
    keywords: words(
      'abstract as async await break case catch class const continue default delete do else enum export extends false finally for from function get if implements import in instanceof interface keyof let new null of private protected public readonly return satisfies set static super switch this throw true try type typeof undefined var void while yield string number boolean unknown never any',
    ),
  },
  python: {
    line: ['#'],
    block: [],
    quotes: `"'`,
    long: ['"""', "'''"],
    types: true,
    keywords: words(
      'and as assert async await break class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield print',
    ),
  },
  shell: {
    line: ['#'],
    block: [],
    quotes: `"'`,
    long: [],
    types: false,
    keywords: words('if then else elif fi for in do done while until case esac function return export local readonly set unset source alias exit echo cd sudo'),
  },
  go: {
    ...C_LIKE,
    long: ['`'],
    keywords: words(
      'break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var nil true false string int int64 error bool byte rune any make append len',
    ),
  },
  c: {
    ...C_LIKE,
    keywords: words(
      'auto bool break case catch char class const constexpr continue default delete do double else enum explicit extern false final float for friend if include define inline int long namespace new noexcept nullptr operator override private protected public return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while package import extends implements interface abstract synchronized throws super instanceof var val fun when object companion data sealed let func guard self nil string',
    ),
  },
  json: { line: ['//'], block: [['/*', '*/']], quotes: `"'`, long: [], types: false, keywords: words('true false null') },
  yaml: { line: ['#'], block: [], quotes: `"'`, long: [], types: false, keywords: words('true false null yes no on off') },
  toml: { line: ['#'], block: [], quotes: `"'`, long: ['"""', "'''"], types: false, keywords: words('true false') },
  sql: {
    line: ['--'],
    block: [['/*', '*/']],
    quotes: `'"`,
    long: [],
    types: false,
    ignoreCase: true,
    keywords: words(
      'select from where and or not null is in as on join left right inner outer full group by order limit offset insert into values update set delete create table index view drop alter add primary key foreign references default unique distinct having union all case when then else end exists between like asc desc with recursive count sum min max avg begin commit rollback',
    ),
  },
  css: { line: [], block: [['/*', '*/']], quotes: `"'`, long: [], types: false, keywords: words('important media supports keyframes import root hover focus not is where') },
  html: {
    line: [],
    block: [['<!--', '-->']],
    quotes: `"'`,
    long: [],
    types: false,
    keywords: words(
      'html head body div span script style link meta title p a img ul ol li table tr td th thead tbody form input button select option textarea label section article header footer main nav h1 h2 h3 h4 svg path template slot',
    ),
  },
  diff: { line: [], block: [], quotes: '', long: [], types: false, keywords: new Set() },
};

const ALIASES: Record<string, string> = {
  rs: 'rust',
  javascript: 'js',
  jsx: 'js',
  ts: 'js',
  typescript: 'js',
  tsx: 'js',
  mjs: 'js',
  svelte: 'html',
  vue: 'html',
  xml: 'html',
  svg: 'html',
  py: 'python',
  python3: 'python',
  sh: 'shell',
  bash: 'shell',
  zsh: 'shell',
  fish: 'shell',
  console: 'shell',
  dockerfile: 'shell',
  makefile: 'shell',
  ruby: 'python',
  rb: 'python',
  golang: 'go',
  cpp: 'c',
  'c++': 'c',
  h: 'c',
  hpp: 'c',
  java: 'c',
  kotlin: 'c',
  kt: 'c',
  swift: 'c',
  cs: 'c',
  csharp: 'c',
  php: 'c',
  scala: 'c',
  dart: 'c',
  zig: 'c',
  json5: 'json',
  jsonc: 'json',
  yml: 'yaml',
  ini: 'toml',
  conf: 'toml',
  cfg: 'toml',
  env: 'shell',
  scss: 'css',
  less: 'css',
  patch: 'diff',
  postgres: 'sql',
  sqlite: 'sql',
  mysql: 'sql',
};
const WORD = /[A-Za-z_$][\w$]*/y;
const NUMBER = /0[xob][\da-f_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:e[+-]?\d+)?[a-z%]*/iy;
/** Longer lines are machine output; colouring them helps nobody. */
const LINE_MAX = 2_000;

export function languageOf(name: string): string | undefined {
  const lower = name.toLowerCase();
  const known = ALIASES[lower] ?? lower;
  return Object.hasOwn(LANGUAGES, known) ? known : undefined;
}

/** The language of a file, by its name. */
export function languageOfFile(path: string): string | undefined {
  const name = path.split(/[\\/]/).at(-1) ?? '';
  return languageOf(name.includes('.') ? (name.split('.').at(-1) ?? '') : name);
}

/** Reads one line; `state` is what the line before left open. */
export function readLine(line: string, language: string | undefined, state: LineState): { tokens: Token[]; state: LineState } {
  const rules = language === undefined ? undefined : LANGUAGES[language];
  if (!rules || line.length > LINE_MAX) return { tokens: line ? [{ kind: 'plain', text: line }] : [], state };
  if (language === 'diff') return { tokens: [{ kind: diffKind(line), text: line }], state: undefined };
  return new LineReader(line, rules, language === 'json' || language === 'yaml' || language === 'toml' || language === 'css').read(state);
}

function diffKind(line: string): TokenKind {
  if (line.startsWith('@@') || line.startsWith('+++') || line.startsWith('---') || line.startsWith('diff ')) return 'meta';
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'plain';
}

class LineReader {
  #tokens: Token[] = [];
  #at = 0;

  constructor(
    private readonly line: string,
    private readonly rules: Language,
    /** Whether a word or string before a colon names something. */
    private readonly keyed: boolean,
  ) {}

  read(state: LineState): { tokens: Token[]; state: LineState } {
    let open = state;
    if (open) open = this.#rest(open, 0);
    while (!open && this.#at < this.line.length) open = this.#next();
    return { tokens: this.#tokens, state: open };
  }

  #next(): LineState {
    const { line, rules } = this;
    if (rules.line.some((mark) => line.startsWith(mark, this.#at) && !(mark === '#' && /\S/.test(line[this.#at - 1] ?? '')))) {
      this.#push('comment', line.length);
      return undefined;
    }
    const block = rules.block.find(([begin]) => line.startsWith(begin, this.#at));
    if (block) return this.#rest({ kind: 'comment', until: block[1] }, block[0].length);
    const long = rules.long.find((mark) => line.startsWith(mark, this.#at));
    if (long) return this.#rest({ kind: 'string', until: long }, long.length);
    const char = line[this.#at] ?? '';
    if (char && rules.quotes.includes(char)) this.#string(char);
    else if (/[A-Za-z_$]/.test(char)) this.#word();
    else if (/\d/.test(char)) this.#matched(NUMBER, 'number');
    else this.#push('plain', this.#at + 1);
    return undefined;
  }

  #rest(open: NonNullable<LineState>, skip: number): LineState {
    const end = this.line.indexOf(open.until, this.#at + skip);
    this.#push(open.kind, end < 0 ? this.line.length : end + open.until.length);
    return end < 0 ? open : undefined;
  }

  #string(quote: string): void {
    let end = this.#at + 1;
    while (end < this.line.length && this.line[end] !== quote) end += this.line[end] === '\\' ? 2 : 1;
    end = Math.min(end + 1, this.line.length);
    this.#push(this.keyed && /^\s*:/.test(this.line.slice(end)) ? 'name' : 'string', end);
  }

  #word(): void {
    WORD.lastIndex = this.#at;
    const word = WORD.exec(this.line)?.[0] ?? '';
    const end = this.#at + Math.max(1, word.length);
    const after = this.line.slice(end, end + 3);
    const known = this.rules.keywords.has(this.rules.ignoreCase ? word.toLowerCase() : word);
    if (this.keyed && /^[-\w.]*\s*[:=]/.test(this.line.slice(end))) this.#push('name', end);
    else if (known) this.#push('keyword', end);
    else if (after.startsWith('(') || after.startsWith('!(')) this.#push('name', end);
    else this.#push(this.rules.types && /^[A-Z][a-z]/.test(word) ? 'type' : 'plain', end);
  }

  #matched(pattern: RegExp, kind: TokenKind): void {
    pattern.lastIndex = this.#at;
    this.#push(kind, this.#at + Math.max(1, pattern.exec(this.line)?.[0].length ?? 1));
  }

  #push(kind: TokenKind, end: number): void {
    const text = this.line.slice(this.#at, end);
    const last = this.#tokens.at(-1);
    if (last?.kind === kind) last.text += text;
    else this.#tokens.push({ kind, text });
    this.#at = end;
  }
}
