// Draws coloured code into an element, line by line. When code grows only its last line is drawn
// again. Text goes in as text: nothing in it can become an element.
import { languageOf, type LineState, readLine } from './highlight';

/** More than this is shown without colours. */
const PLAIN_CHARS = 150_000;

export class CodePainter {
  #code = '';
  #language: string | undefined;
  /** Where the last line begins, and what the lines before it left open. */
  #last = { at: 0, state: undefined as LineState };

  constructor(private readonly element: HTMLElement) {}

  paint(code: string, name: string): void {
    const language = languageOf(name);
    if (language === undefined || code.length > PLAIN_CHARS) {
      this.#plain(code);
      return;
    }
    if (language !== this.#language || !code.startsWith(this.#code.slice(0, this.#last.at)) || this.#code === '') this.#clear(language);
    else this.element.lastElementChild?.remove();
    const lines = code.slice(this.#last.at).split('\n');
    const fresh = document.createDocumentFragment();
    lines.forEach((line, index) => {
      const isLast = index === lines.length - 1;
      const read = readLine(line, language, this.#last.state);
      fresh.append(drawn(read.tokens, isLast));
      if (!isLast) this.#last = { at: this.#last.at + line.length + 1, state: read.state };
    });
    this.element.append(fresh);
    this.#code = code;
  }

  #plain(code: string): void {
    const node = this.element.firstChild;
    if (this.#language === undefined && node instanceof Text && code.startsWith(node.data)) node.appendData(code.slice(node.data.length));
    else this.element.textContent = code;
    this.#code = '';
    this.#language = undefined;
  }

  #clear(language: string): void {
    this.element.textContent = '';
    this.#language = language;
    this.#last = { at: 0, state: undefined };
  }
}

function drawn(tokens: ReturnType<typeof readLine>['tokens'], isLast: boolean): HTMLElement {
  const line = document.createElement('span');
  for (const { kind, text } of tokens) {
    if (kind === 'plain') {
      line.append(text);
      continue;
    }
    const token = document.createElement('span');
    token.className = `t-${kind}`;
    token.textContent = text;
    line.append(token);
  }
  if (!isLast) line.append('\n');
  return line;
}
