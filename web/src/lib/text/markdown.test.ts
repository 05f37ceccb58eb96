// @vitest-environment jsdom
// Markdown is rendered, and nothing in it can act.
import { describe, expect, it } from 'vitest';
import { type Block, MarkdownStream, MAX_MARKDOWN_CHARS, renderBlocks } from './markdown';

const htmlOf = (block: Block): string => (block.kind === 'html' ? block.html : '');
const html = (text: string): string => renderBlocks(text).map(htmlOf).join('');

function dom(text: string): HTMLElement {
  const element = document.createElement('div');
  element.innerHTML = html(text);
  return element;
}

describe('rendering', () => {
  it('gives one piece per top-level block, and earlier pieces do not change as text grows', () => {
    const before = renderBlocks('# A\n\none\n\n- x\n- y');
    const after = renderBlocks('# A\n\none\n\n- x\n- y\n- z\n\nmore');
    expect(before).toHaveLength(3);
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
  });

  it('sets code apart, to be drawn with colours', () => {
    expect(renderBlocks('```rust\nlet a = "<b>";\n```')).toEqual([{ kind: 'code', code: 'let a = "<b>";', language: 'rust' }]);
  });

  it('makes code in a list with a copy button and its language', () => {
    const code = dom('- see\n\n  ```rust\n  let a = "<b>";\n  ```');
    expect(code.querySelector('button[data-copy]')).not.toBeNull();
    expect(code.querySelector('.code-head span')?.textContent).toBe('rust');
    expect(code.querySelector('pre')?.textContent).toBe('let a = "<b>";');
    expect(code.querySelector('.t-keyword')?.textContent).toBe('let');
  });

  it('makes boxes of tasks', () => {
    const list = dom('- [x] caught\n- [ ] cooked\n- [link](https://example.com)');
    expect(list.querySelectorAll('li.task')).toHaveLength(2);
    expect(list.querySelector('li.done .box')?.getAttribute('aria-label')).toBe('Done');
    expect(list.textContent).toContain('cooked');
    expect(list.textContent).not.toContain('[ ]');
  });

  it('aligns table cells by class', () => {
    expect(html('|a|\n|-:|\n|1|')).toContain('<td class="align-right">');
  });

  it('opens links apart and gives nothing away', () => {
    const link = dom('[x](https://example.com)').querySelector('a');
    expect(link?.rel).toContain('noopener');
    expect(link?.target).toBe('_blank');
  });

  it('shows an enormous text as it is, in pieces', () => {
    const enormous = '*'.repeat(MAX_MARKDOWN_CHARS + 1);
    const blocks = renderBlocks(enormous);
    expect(blocks.every((block) => block.kind === 'plain')).toBe(true);
    expect(blocks.map((block) => (block.kind === 'plain' ? block.text : '')).join('')).toBe(enormous);
  });
});

describe('a text that grows', () => {
  const story = `# A\n\none *two*\nthree\n\n- x\n  - y\n\n  z\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n\`\`\`js\nlet a;\n\n# no\n\`\`\`\n\n> q\n\nend\n\n1. a\n2. b\n\n***\n\nlast`;

  it('becomes what it would be at once', () => {
    const stream = new MarkdownStream();
    for (let length = 1; length <= story.length; length += 1) {
      const text = story.slice(0, length);
      expect(stream.update(text)).toEqual(renderBlocks(text));
    }
  });

  it('keeps the blocks above the last two as they are', () => {
    const stream = new MarkdownStream();
    const before = stream.update(story);
    const after = stream.update(`${story} and more`);
    expect(after.length).toBe(before.length);
    for (let index = 0; index < before.length - 2; index += 1) expect(after[index]).toBe(before[index]);
  });

  it('may become another', () => {
    const stream = new MarkdownStream();
    stream.update(story);
    expect(stream.update('other')).toEqual(renderBlocks('other'));
  });
});

describe('hostile text', () => {
  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<iframe src="https://example.com"></iframe>',
    '<svg/onload=alert(1)>',
    '<style>*{display:none}</style>',
    '<form action="https://example.com"><button>x</button></form>',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](data:text/html,<script>alert(1)</script>)',
    '[x](vbscript:x)',
    '![x](https://example.com/a.png)',
    '![x](//example.com/a.png)',
    '![x](data:image/svg+xml;base64,PHN2Zy8+)',
    '[x]: https://example.com/a.png\n\n![y][x]',
    '```"><img src=x onerror=alert(1)>\ncode\n```',
    '- ```"><img src=x onerror=alert(1)>\n  code\n  ```',
    '- [ ] <img src=x onerror=alert(1)>',
    '<https://example.com/"onmouseover="alert(1)>',
    '|<img src=x onerror=alert(1)>|\n|-|\n|<script>alert(1)</script>|',
  ])('%s does nothing and loads nothing', (text) => {
    const element = dom(text);
    expect(element.querySelector('script, iframe, svg, style, form, object, embed, link, meta, img')).toBeNull();
    for (const node of element.querySelectorAll('*')) {
      for (const { name, value } of node.attributes) {
        expect(name).not.toMatch(/^on|^style$/);
        if (name === 'href') expect(value).toMatch(/^(https?:|mailto:)/);
      }
    }
  });

  it('leaves pictures that are in the text itself', () => {
    expect(dom('![dot](data:image/png;base64,AAAA)').querySelector('img')?.alt).toBe('dot');
  });
});
