import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commandOf, failureOf, found, isHarsh, pretty, quoted, readParams, withoutSecrets } from './calls';
import { GatewayError } from '../connection/gateway';
import { methodNames, methodType, sample, template, withParameter } from './method_types';

const source = readFileSync('src/protocol.ts', 'utf8');

describe('calls by hand', () => {
  it('reads parameters or says why it cannot', () => {
    expect(readParams('')).toEqual({ params: {} });
    expect(readParams('{"a":1}')).toEqual({ params: { a: 1 } });
    for (const text of ['[1]', '7', 'null', '{', '"x"']) expect(readParams(text)).toHaveProperty('problem');
  });

  it('is a command that a shell cannot misread', () => {
    expect(commandOf('health', {})).toBe('homard gateway call health');
    expect(commandOf('chat.send', { text: "it's $(rm -rf /) `x`" })).toBe(`homard gateway call chat.send --params '{"text":"it'\\''s $(rm -rf /) \`x\`"}'`);
    expect(quoted('a b; c')).toBe("'a b; c'");
  });

  it('asks before what cannot be taken back', () => {
    for (const method of ['sessions.delete', 'config.set', 'cron.remove', 'device.token.revoke', 'gateway.restart.request', 'update.run']) expect(isHarsh(method)).toBe(true);
    for (const method of ['health', 'cron.runs', 'sessions.list', 'config.get', 'usage.runs', 'config.schema']) expect(isHarsh(method)).toBe(false);
  });

  it('shows no secret of a greeting', () => {
    expect(withoutSecrets({ auth: { deviceToken: 'abc', deviceTokens: [{ deviceToken: 'x' }] }, policy: { maxTokens: 5 } })).toEqual({
      auth: { deviceToken: '••••', deviceTokens: [{ deviceToken: '••••' }] },
      policy: { maxTokens: 5 },
    });
  });

  it('tells failures and finds methods', () => {
    expect(failureOf(new GatewayError('UNAVAILABLE', 'away', { x: 1 }))).toEqual({ code: 'UNAVAILABLE', message: 'away', details: { x: 1 } });
    expect(failureOf('odd')).toMatchObject({ message: 'odd' });
    expect(found(['sessions.list', 'list', 'x'], 'list')).toEqual(['list', 'sessions.list']);
    expect(pretty(undefined)).toBe('undefined');
  });
});

describe('what methods take', () => {
  it('is read from the generated types', () => {
    expect(methodNames(source).size).toBeGreaterThan(150);
    const tail = methodType(source, 'logs.tail');
    expect(tail?.parameters.map(({ name, optional }) => [name, optional])).toEqual([
      ['cursor', true],
      ['limit', true],
      ['maxBytes', true],
    ]);
    expect(methodType(source, 'never.was')).toBeUndefined();
  });

  it('makes something to start from', () => {
    const history = methodType(source, 'chat.history');
    expect(JSON.parse(template(history))).toHaveProperty('sessionKey', '');
    expect(template(undefined)).toBe('{}');
    expect(['Array<string>', 'number', 'boolean', '"a" | "b"', 'Thing'].map(sample)).toEqual([[], 0, false, 'a', {}]);
    expect(withParameter('{"a":1}', { name: 'b', optional: true, type: 'number', about: '' })).toBe('{\n  "a": 1,\n  "b": 0\n}');
    expect(withParameter('[]', { name: 'b', optional: true, type: 'number', about: '' })).toBeUndefined();
    expect(withParameter('{', { name: 'b', optional: true, type: 'number', about: '' })).toBeUndefined();
  });
});
