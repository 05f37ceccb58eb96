// Markdown is rendered, and nothing in it can act.
import { describe, expect, it } from 'vitest';
import { MAX_MARKDOWN_CHARS, renderBlocks } from './markdown';

const html = (text: string): string => renderBlocks(text).join('');

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

  it('makes code with a copy button and its language', () => {
    const code = dom('```rust\nlet a = "<b>";\n```');
    expect(code.querySelector('button[data-copy]')).not.toBeNull();
    expect(code.querySelector('.code-head span')?.textContent).toBe('rust');
    expect(code.querySelector('pre')?.textContent).toBe('let a = "<b>";\n');
  });

  it('aligns table cells by class', () => {
    expect(html('|a|\n|-:|\n|1|')).toContain('<td class="align-right">');
  });

  it('opens links apart and gives nothing away', () => {
    const link = dom('[x](https://example.com)').querySelector('a');
    expect(link?.rel).toContain('noopener');
    expect(link?.target).toBe('_blank');
  });

  it('shows an enormous text as it is', () => {
    expect(renderBlocks('*'.repeat(MAX_MARKDOWN_CHARS + 1))).toHaveLength(1);
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
