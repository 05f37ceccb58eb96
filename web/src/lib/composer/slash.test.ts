// The slash palette.
import { describe, expect, it } from 'vitest';
import { choices, choicesIn, readCommands, typing } from './slash';

const commands = readCommands([
  { name: 'think', description: 'how hard to think', textAliases: ['/think', '/t'], acceptsArgs: true, args: [{ name: 'off|low|high', description: 'off|low|high' }] },
  { name: 'status', description: 'how things stand', textAliases: ['/status'], acceptsArgs: false },
  { name: 'stop', description: 'stop the run', textAliases: ['/stop'], acceptsArgs: false },
  { name: 'two words' },
  null,
]);
const fitting = (text: string): string[] => choices(typing(text, commands), commands).map((choice) => choice.label);

it('reads what the gateway lists and leaves odd things out', () => {
  expect(commands.map((command) => command.name)).toEqual(['status', 'stop', 'think']);
  expect(commands[2]?.args[0]?.choices).toEqual(['off', 'low', 'high']);
});

describe('what fits', () => {
  it('is found by name, other names and what it does', () => {
    expect(fitting('/')).toEqual(['/status', '/stop', '/think']);
    expect(fitting('/st')).toEqual(['/status', '/stop']);
    expect(fitting('/t')).toEqual(['/think', '/status', '/stop']);
    expect(fitting('/run')).toEqual(['/stop']);
    expect(fitting('/nothing')).toEqual([]);
  });

  it('offers the words that may follow', () => {
    expect(fitting('/think ')).toEqual(['off', 'low', 'high']);
    expect(fitting('/t l')).toEqual(['low']);
    expect(fitting('/think low')).toEqual([]);
    expect(choices(typing('/t h', commands), commands)[0]?.text).toBe('/think high');
  });

  it('is nothing inside ordinary text', () => {
    for (const text of ['', 'hello', 'see /etc/passwd', '/etc/passwd', '/status now', 'a\n/st']) expect(fitting(text)).toEqual([]);
  });
});

it('finds choices in a description', () => {
  expect(choicesIn('on|off')).toEqual(['on', 'off']);
  expect(choicesIn('[list|add|remove] [dm|group]')).toEqual(['list', 'add', 'remove']);
  expect(choicesIn('<id|#|all>')).toEqual([]);
  expect(choicesIn('[name|list|status]')).toEqual(['list', 'status']);
  expect(choicesIn('[message]')).toEqual([]);
});
