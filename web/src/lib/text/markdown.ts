// Markdown to safe HTML, block by block. Raw HTML in the source stays text, nothing is
// loaded from elsewhere, and what the renderer makes is sanitised once more before it
// may touch the page.
import DOMPurify from 'dompurify';
import MarkdownIt, { type StateCore } from 'markdown-it';
import { words } from '../../words/conversation';
import { languageOf, readLine, type LineState } from './highlight';
import { strings } from '../strings';

/** Longer texts are shown as they are: parsing them on every delta would stall typing. */
export const MAX_MARKDOWN_CHARS = 200_000;
/** How much sanitised HTML is remembered, in characters, and the longest single piece. */
const CACHE_CHARS = 2_000_000;
const CACHE_PIECE = 20_000;
/** A text too long for Markdown is shown in pieces of about this size. */
const PLAIN_PIECE = 20_000;
/** Blocks at the end of a growing text that may still become something else. */
const UNSETTLED = 2;
const LINK_SCHEMES = /^(https?:|mailto:)/i;
const IMAGE_SOURCES = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/i;

const ALLOWED_TAGS = [
  'p',
  'br',
  'hr',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'strong',
  'em',
  's',
  'a',
  'code',
  'pre',
  'blockquote',
  'ul',
  'ol',
  'li',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
  'img',
  'div',
  'span',
  'button',
];
const ALLOWED_ATTR = ['href', 'rel', 'target', 'src', 'alt', 'title', 'class', 'start', 'type', 'data-copy', 'aria-label', 'role', 'dir'];

const markdown = makeMarkdown();
const purifier = makePurifier();
const cache = new Map<string, string>();
let cached = 0;

/** A piece of a rendered text: safe HTML, code to be coloured, or words as they are. */
export type Block = { kind: 'html'; html: string } | { kind: 'code'; code: string; language: string } | { kind: 'plain'; text: string };

/** Renders a text to one piece per top-level block. */
export function renderBlocks(text: string): Block[] {
  return text.length > MAX_MARKDOWN_CHARS ? plainBlocks(text) : parse(text).map((found) => found.block);
}

/**
 * Renders a text that grows. Only its last blocks are read again; those above them are the same
 * objects as before, so the page keeps everything it shows of them, selections included.
 */
export class MarkdownStream {
  #settled: Block[] = [];
  #settledText = '';

  update(whole: string): Block[] {
    const text = whole.includes('\r') ? whole.replace(/\r\n?/g, '\n') : whole;
    if (!text.startsWith(this.#settledText)) {
      this.#settled = [];
      this.#settledText = '';
    }
    const tail = text.slice(this.#settledText.length);
    // One block of this size is data, not prose.
    if (tail.length > MAX_MARKDOWN_CHARS) return [...this.#settled, ...plainBlocks(tail)];
    const found = parse(tail);
    const settle = found.length - UNSETTLED;
    if (settle > 0) {
      const end = lineStart(tail, found[settle]?.line ?? 0);
      this.#settledText += tail.slice(0, end);
      this.#settled = [...this.#settled, ...found.slice(0, settle).map((one) => one.block)];
    }
    return [...this.#settled, ...found.slice(Math.max(0, settle)).map((one) => one.block)];
  }
}

/** Every top-level block with the line it begins on. */
function parse(text: string): { block: Block; line: number }[] {
  const env = {};
  const tokens = markdown.parse(text, env);
  const found: { block: Block; line: number }[] = [];
  let start = 0;
  tokens.forEach((token, index) => {
    if (token.level !== 0 || token.nesting === 1) return;
    const line = tokens[start]?.map?.[0] ?? 0;
    if (token.type === 'fence' || token.type === 'code_block') {
      found.push({ block: { kind: 'code', code: token.content.replace(/\n$/, ''), language: languageName(token.info) }, line });
    } else {
      const html = sanitised(markdown.renderer.render(tokens.slice(start, index + 1), markdown.options, env));
      found.push({ block: { kind: 'html', html }, line });
    }
    start = index + 1;
  });
  return found;
}

function lineStart(text: string, line: number): number {
  let at = 0;
  for (let passed = 0; passed < line; passed += 1) at = text.indexOf('\n', at) + 1;
  return at;
}

function plainBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < text.length;) {
    const near = text.indexOf('\n', at + PLAIN_PIECE);
    const end = near < 0 || near > at + 2 * PLAIN_PIECE ? Math.min(text.length, at + PLAIN_PIECE) : near + 1;
    blocks.push({ kind: 'plain', text: text.slice(at, end) });
    at = end;
  }
  return blocks;
}

function languageName(info: string): string {
  return (info.trim().split(/[\s{,]+/)[0] ?? '').slice(0, 40);
}

function sanitised(html: string): string {
  const known = cache.get(html);
  if (known !== undefined) return known;
  const clean = purifier.sanitize(html, { ALLOWED_TAGS, ALLOWED_ATTR, ALLOW_DATA_ATTR: false, ALLOW_ARIA_ATTR: false });
  if (html.length > CACHE_PIECE) return clean;
  cached += html.length;
  if (cached > CACHE_CHARS) {
    cache.clear();
    cached = html.length;
  }
  cache.set(html, clean);
  return clean;
}

function makePurifier(): typeof DOMPurify {
  const instance = DOMPurify(window);
  instance.addHook('afterSanitizeAttributes', (node) => {
    if (node.tagName === 'IMG' && !IMAGE_SOURCES.test(node.getAttribute('src') ?? '')) node.remove();
    if (node.tagName === 'A') {
      if (!LINK_SCHEMES.test(node.getAttribute('href') ?? '')) node.removeAttribute('href');
      node.setAttribute('rel', 'noopener noreferrer nofollow');
      node.setAttribute('target', '_blank');
    }
  });
  return instance;
}

function makeMarkdown() {
  const md = new MarkdownIt({ html: false, linkify: true, breaks: true, typographer: false });
  md.validateLink = (url) => LINK_SCHEMES.test(url.trim()) || IMAGE_SOURCES.test(url.trim());
  const { escapeHtml } = md.utils;

  // Code inside lists and quotations; code at the top level is drawn by CodeBlock.
  md.renderer.rules.fence = (tokens, index) => codeBlock(tokens[index]?.content ?? '', languageName(tokens[index]?.info ?? ''), escapeHtml);
  md.renderer.rules.code_block = (tokens, index) => codeBlock(tokens[index]?.content ?? '', '', escapeHtml);
  md.core.ruler.push('tasks', markTasks);

  // A picture elsewhere would tell its server who reads this: only its name is shown, as a link.
  md.renderer.rules.image = (tokens, index) => {
    const token = tokens[index];
    const source = String(token?.attrGet('src') ?? '');
    const alt = escapeHtml(token?.content ?? '');
    if (IMAGE_SOURCES.test(source)) return `<img src="${escapeHtml(source)}" alt="${alt}">`;
    const label = escapeHtml(strings.imageLeftOut(token?.content ?? ''));
    return `<a class="left-out" href="${escapeHtml(source)}">${label}</a>`;
  };

  // Wide tables scroll in their own box, and alignment is a class because inline style is dropped.
  md.renderer.rules.table_open = () => '<div class="table"><table>';
  md.renderer.rules.table_close = () => '</table></div>';
  for (const cell of ['th_open', 'td_open'] as const) {
    md.renderer.rules[cell] = (tokens, index, options, _env, self) => {
      const token = tokens[index];
      const align = /text-align:(left|center|right)/.exec(String(token?.attrGet('style') ?? ''))?.[1];
      if (token && align) token.attrs = [['class', `align-${align}`]];
      return self.renderToken(tokens, index, options);
    };
  }
  return md;
}

/** `- [ ]` and `- [x]` become boxes. */
function markTasks(state: StateCore): void {
  state.tokens.forEach((token, index) => {
    const first = token.type === 'inline' ? token.children?.[0] : undefined;
    const mark = /^\[([ xX])\]\s/.exec(first?.type === 'text' ? first.content : '');
    if (!first || !mark || state.tokens[index - 2]?.type !== 'list_item_open') return;
    first.content = first.content.slice(mark[0].length);
    state.tokens[index - 2]?.attrJoin('class', mark[1] === ' ' ? 'task' : 'task done');
    const box = new state.Token('html_inline', '', 0);
    const [kind, label] = mark[1] === ' ' ? ['box', words.task] : ['box done', words.taskDone];
    box.content = `<span class="${kind}" role="img" aria-label="${label}"></span>`;
    token.children?.unshift(box);
  });
}

function codeBlock(code: string, name: string, escape: (text: string) => string): string {
  const language = languageOf(name);
  let state: LineState;
  const lines = code
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => {
      const read = readLine(line, language, state);
      state = read.state;
      return read.tokens.map(({ kind, text }) => (kind === 'plain' ? escape(text) : `<span class="t-${kind}">${escape(text)}</span>`)).join('');
    });
  const copy = `<button type="button" data-copy="code" aria-label="${strings.copyCode}">${strings.copy}</button>`;
  return `<div class="code"><div class="code-head"><span>${escape(name)}</span>${copy}</div><pre><code>${lines.join('\n')}</code></pre></div>`;
}
