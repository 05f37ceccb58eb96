// Markdown to safe HTML, block by block. Raw HTML in the source stays text, nothing is
// loaded from elsewhere, and what the renderer makes is sanitised once more before it
// may touch the page.
import DOMPurify from 'dompurify';
import MarkdownIt from 'markdown-it';
import { strings } from './strings';

/** Longer texts are shown as they are: parsing them on every delta would stall typing. */
export const MAX_MARKDOWN_CHARS = 200_000;
const CACHE_MAX = 2_000;
const LINK_SCHEMES = /^(https?:|mailto:)/i;
const IMAGE_SOURCES = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/i;

const ALLOWED_TAGS = [
  'p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'strong', 'em', 's', 'a', 'code', 'pre', 'blockquote',
  'ul', 'ol', 'li', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'img', 'div', 'span', 'button',
];
const ALLOWED_ATTR = ['href', 'rel', 'target', 'src', 'alt', 'title', 'class', 'start', 'type', 'data-copy', 'aria-label'];

const markdown = makeMarkdown();
const purifier = makePurifier();
const cache = new Map<string, string>();

/**
 * Renders a text to one piece of HTML per top-level block. While a text streams only the
 * last pieces change, so the page keeps everything above them, selections included.
 */
export function renderBlocks(text: string): string[] {
  if (text.length > MAX_MARKDOWN_CHARS) return [`<pre class="plain">${markdown.utils.escapeHtml(text)}</pre>`];
  const env = {};
  const tokens = markdown.parse(text, env);
  const blocks: string[] = [];
  let start = 0;
  tokens.forEach((token, index) => {
    if (token.level !== 0 || token.nesting === 1) return;
    blocks.push(sanitised(markdown.renderer.render(tokens.slice(start, index + 1), markdown.options, env)));
    start = index + 1;
  });
  return blocks;
}

function sanitised(html: string): string {
  const known = cache.get(html);
  if (known !== undefined) return known;
  const clean = purifier.sanitize(html, { ALLOWED_TAGS, ALLOWED_ATTR, ALLOW_DATA_ATTR: false, ALLOW_ARIA_ATTR: false });
  if (cache.size >= CACHE_MAX) cache.clear();
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

  md.renderer.rules.fence = (tokens, index) => {
    const token = tokens[index];
    const language = token?.info.trim().split(/\s+/)[0] ?? '';
    return codeBlock(escapeHtml(token?.content ?? ''), escapeHtml(language.slice(0, 40)));
  };
  md.renderer.rules.code_block = (tokens, index) => codeBlock(escapeHtml(tokens[index]?.content ?? ''), '');

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

function codeBlock(code: string, language: string): string {
  const copy = `<button type="button" data-copy="code" aria-label="${strings.copyCode}">${strings.copy}</button>`;
  return `<div class="code"><div class="code-head"><span>${language}</span>${copy}</div><pre><code>${code}</code></pre></div>`;
}
