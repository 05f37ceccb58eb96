// The slash palette.
import { describe, expect, it } from 'vitest';
import { byUse, choices, choicesIn, noteUse, readCommands, typing, usedCommands } from './slash';

const commands = readCommands([
  { name: 'think', description: 'how hard to think', textAliases: ['/think', '/t'], acceptsArgs: true, args: [{ name: 'off|low|high', description: 'off|low|high' }] },
  { name: 'status', description: 'how things stand', textAliases: ['/status'], acceptsArgs: false },
  { name: 'stop', description: 'stop the run', textAliases: ['/stop'], acceptsArgs: false },
  { name: 'two words' },
  null,
]);
const fitting = (text: string): string[] => choices(typing(text, commands), commands).map((choice) => choice.label);

it('reads what the gateway lists and leaves odd things out', () => {
  expect(commands.map((command) => command.name)).toEqual(['think', 'status', 'stop']);
  expect(commands[0]?.args[0]?.choices).toEqual(['off', 'low', 'high']);
});

describe('what fits', () => {
  it('is found by name, other names and what it does', () => {
    expect(fitting('/')).toEqual(['/think', '/status', '/stop']);
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

it('puts first what is used most, then what is common', () => {
  const names = (used: Map<string, number>): string[] => byUse(commands, used).map((command) => command.name);
  expect(names(new Map())).toEqual(['status', 'think', 'stop']);
  let kept = '{"stop":1,"x":"odd"}';
  const store = { getItem: () => kept, setItem: (_: string, value: string) => void (kept = value) };
  noteUse(store, '/stop now');
  noteUse(store, 'no /status');
  expect(names(usedCommands(store))).toEqual(['stop', 'status', 'think']);
  kept = '{';
  expect(usedCommands(store).size).toBe(0);
});

it('finds choices in a description', () => {
  expect(choicesIn('on|off')).toEqual(['on', 'off']);
  expect(choicesIn('[list|add|remove] [dm|group]')).toEqual(['list', 'add', 'remove']);
  expect(choicesIn('<id|#|all>')).toEqual([]);
  expect(choicesIn('[name|list|status]')).toEqual(['list', 'status']);
  expect(choicesIn('[message]')).toEqual([]);
});
