// @vitest-environment jsdom
// Code gets colours and loses nothing.
import { describe, expect, it } from 'vitest';
import { CodePainter } from './code_painter';
import { languageOf, languageOfFile, type LineState, readLine } from './highlight';

function kinds(code: string, language: string): string[] {
  let state: LineState;
  return code.split('\n').flatMap((line) => {
    const read = readLine(line, languageOf(language), state);
    state = read.state;
    return read.tokens.filter((token) => token.kind !== 'plain').map((token) => `${token.kind}:${token.text}`);
  });
}

describe('a line of code', () => {
  it.each([
    ['rust', 'pub fn main() { let x = 42; } // done', ['keyword:pub', 'keyword:fn', 'name:main', 'keyword:let', 'number:42', 'comment:// done']],
    ['ts', 'const a: Foo = `x', ['keyword:const', 'type:Foo', 'string:`x']],
    ['python', "def f(a): # no\n  return 'x'", ['keyword:def', 'name:f', 'comment:# no', 'keyword:return', "string:'x'"]],
    ['json', '{"a": "b", "c": true}', ['name:"a"', 'string:"b"', 'name:"c"', 'keyword:true']],
    ['sql', 'SELECT 1 FROM t -- all', ['keyword:SELECT', 'number:1', 'keyword:FROM', 'comment:-- all']],
    ['diff', '+a\n-b\n c', ['added:+a', 'removed:-b']],
  ])('of %s is told apart', (language, code, expected) => {
    expect(kinds(code, language)).toEqual(expected);
  });

  it('goes on with what the line before left open', () => {
    expect(kinds('a /* x\ny */ b', 'c')).toEqual(['comment:/* x', 'comment:y */']);
  });

  it('never loses or adds a character', () => {
    const odd = ['"unended', "it's", '\\', '"a\\"', '/*', '*/', '```', '0x', '1..2', '\u202e<b>', '#', '$a', '日本語', '"'.repeat(50), `'\\`];
    for (const language of ['rust', 'ts', 'python', 'sh', 'json', 'yaml', 'css', 'html', 'sql', 'diff', 'nothing']) {
      let state: LineState;
      for (const line of odd) {
        const read = readLine(line, languageOf(language), state);
        expect(read.tokens.map((token) => token.text).join('')).toBe(line);
        state = read.state;
      }
    }
  });

  it('knows languages by many names, and no others', () => {
    expect([languageOf('TSX'), languageOfFile('a/b/Cargo.toml'), languageOfFile('Dockerfile')]).toEqual(['js', 'toml', 'shell']);
    for (const name of ['', 'constructor', '__proto__', 'klingon']) expect(languageOf(name)).toBeUndefined();
  });
});

describe('drawn code', () => {
  it('is the same whether it came at once or bit by bit, and never an element of its own', () => {
    const code = 'fn a() {\n  /* <img src=x onerror=alert(1)>\n  */ "<b>"\n}\n';
    const [whole, grown] = [document.createElement('code'), document.createElement('code')];
    new CodePainter(whole).paint(code, 'rust');
    const painter = new CodePainter(grown);
    for (let length = 1; length <= code.length; length += 1) painter.paint(code.slice(0, length), 'rust');
    expect(grown.innerHTML).toBe(whole.innerHTML);
    expect(grown.textContent).toBe(code);
    expect(grown.querySelector('img, b')).toBeNull();
  });

  it('can change its mind and its language', () => {
    const element = document.createElement('code');
    const painter = new CodePainter(element);
    painter.paint('let a', 'rust');
    painter.paint('let b\nlet c', 'rust');
    expect(element.textContent).toBe('let b\nlet c');
    painter.paint('let b\nlet c', 'unknown');
    expect(element.innerHTML).toBe('let b\nlet c');
    painter.paint('let b\nlet c = 1', 'ts');
    expect(element.textContent).toBe('let b\nlet c = 1');
    expect(element.querySelector('.t-keyword')).not.toBeNull();
  });
});
