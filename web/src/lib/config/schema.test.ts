// The schema as a form understands it, also a broken and a very large one.
import { describe, expect, it } from 'vitest';
import { words } from '../../words/config';
import { REDACTED, Schema, checkValue, everyKey, findKeys, parsePath, pathText, spoken, unveiled, veiled } from './schema';

const secret = {
  'x-secret': true,
  anyOf: [
    { type: 'string', 'x-secret': true },
    { type: 'object', properties: { id: { type: 'string' } } },
  ],
};
const root = {
  type: 'object',
  additionalProperties: false,
  properties: {
    gateway: { anyOf: [{ $ref: '#/$defs/Gateway' }, { type: 'null' }], description: 'The server.' },
    list: { type: ['array', 'null'], items: { $ref: '#/$defs/Self' } },
    providers: { type: 'object', additionalProperties: { $ref: '#/$defs/Gateway' } },
    channels: { type: ['object', 'null'], additionalProperties: true },
    odd: { description: 'Anything.' },
  },
  $defs: {
    Gateway: {
      type: 'object',
      additionalProperties: false,
      properties: {
        port: { type: ['integer', 'null'], minimum: 1, maximum: 65535, description: 'TCP port.\n\nDefault: `18789`.' },
        token: { anyOf: [secret, { type: 'null' }], description: 'Shared token.' },
        bind: { anyOf: [{ $ref: '#/$defs/Bind' }, { type: 'null' }] },
        level: { type: ['string', 'null'], enum: ['low', 'high'] },
        on: { type: ['boolean', 'null'] },
      },
    },
    Bind: {
      oneOf: [
        { const: 'loopback', type: 'string', description: 'Only here.' },
        { const: 'lan', type: 'string' },
      ],
    },
    Self: { type: 'object', properties: { inner: { $ref: '#/$defs/Self' }, name: { type: 'string' } } },
  },
};
const schema = new Schema(root);

describe('the schema as a form understands it', () => {
  it('follows references, takes "or nothing" away and splits the default from the help', () => {
    expect(schema.at(['gateway'])).toMatchObject({ kind: 'group', help: 'The server.' });
    expect(schema.at(['gateway', 'port'])).toMatchObject({ kind: 'number', whole: true, min: 1, max: 65535, help: 'TCP port.', fallback: '18789' });
    expect(schema.at(['gateway', 'token'])).toMatchObject({ kind: 'secret', help: 'Shared token.' });
    expect(schema.at(['gateway', 'bind'])).toMatchObject({
      kind: 'select',
      options: [
        { value: 'loopback', about: 'Only here.' },
        { value: 'lan', about: undefined },
      ],
    });
    expect(schema.at(['gateway', 'level'])).toMatchObject({ kind: 'select' });
    expect(schema.at(['providers', 'any', 'on'])).toMatchObject({ kind: 'switch' });
    expect(schema.at(['list', 0, 'name'])).toMatchObject({ kind: 'text' });
    expect(schema.at(['channels'])).toMatchObject({ kind: 'free' });
    expect(schema.at(['odd'])).toMatchObject({ kind: 'free' });
    expect(schema.at(['nothing', 'here'])).toBeUndefined();
  });

  it('survives a schema that is none', () => {
    for (const bad of [undefined, null, 3, [], { $ref: '#/$defs/None' }, { anyOf: 3 }]) expect(new Schema(bad).root.kind).toBe('free');
    const round = new Schema({ $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/A' } } });
    expect(round.root.kind).toBe('free');
  });

  it('lists every key once even where a shape holds itself', () => {
    const keys = everyKey(schema).map((found) => found.path.join('.'));
    expect(keys).toContain('providers.*.port');
    expect(keys).toContain('list.*.inner');
    expect(keys.length).toBeLessThan(40);
  });

  it('finds keys by name first, then by path, then by help', () => {
    const keys = everyKey(schema);
    expect(findKeys(keys, 'port', 5)[0]?.path).toEqual(['gateway', 'port']);
    expect(findKeys(keys, 'gateway token', 5)[0]?.path).toEqual(['gateway', 'token']);
    expect(findKeys(keys, 'shared', 5)[0]?.path).toEqual(['gateway', 'token']);
    expect(findKeys(keys, 'zebra', 5)).toEqual([]);
    expect(findKeys(keys, '  ', 5)).toEqual([]);
  });

  it('stays quick with twelve thousand keys', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 120 }, (_, at) => [
        `s${at}`,
        { type: 'object', properties: Object.fromEntries(Array.from({ length: 100 }, (__, key) => [`key${key}`, { type: 'string', description: `number ${key}` }])) },
      ]),
    );
    const large = new Schema({ type: 'object', properties });
    const keys = everyKey(large);
    expect(keys.length).toBe(12_120);
    expect(findKeys(keys, 's7 key42', 10)[0]?.path).toEqual(['s7', 'key42']);
  });

  it('says what is plainly wrong and nothing about secrets, variables and unknown land', () => {
    const check = (value: unknown): string[] => checkValue(schema, value, words.check).map((one) => `${pathText(one.path)}: ${one.message}`);
    expect(check({ gateway: { port: 70000, bind: 'moon', on: 'yes', nope: 1 }, channels: { x: { y: 1 } } })).toEqual([
      'gateway.port: must be at most 65535',
      'gateway.bind: must be one of: loopback, lan',
      'gateway.on: must be true or false',
      'gateway.nope: “nope” is not a setting Homard knows',
    ]);
    expect(check({ gateway: { port: '${PORT}', token: REDACTED, on: null }, list: [{ name: 'x' }] })).toEqual([]);
    expect(check({ list: {}, gateway: [] })).toEqual(['list: must be a list [ … ]', 'gateway: must be an object { … }']);
  });

  it('writes and reads places as the gateway does', () => {
    for (const path of [['a', 'b'], ['a', 0, 'b'], ['models', 'providers', 'a.b', 'x'], []]) expect(parsePath(pathText(path))).toEqual(path);
    expect(pathText(['a', 'b.c', 2])).toBe('a["b.c"][2]');
  });

  it('speaks keys as people do', () => {
    expect(spoken('maxConcurrent')).toBe('Max concurrent');
    expect(spoken('baseUrl')).toBe('Base URL');
    expect(spoken('tts')).toBe('TTS');
    expect(spoken('allowRealIpFallback')).toBe('Allow real IP fallback');
  });

  it('knows what has no effect yet from the gateway alone', () => {
    const schema = new Schema({
      type: 'object',
      properties: { browser: { anyOf: [{ $ref: '#/$defs/B' }, { type: 'null' }], 'x-inert': true }, tools: { type: 'object', properties: { a: { type: 'string' } } } },
      $defs: { B: { type: 'object', properties: { x: { type: 'boolean' } } } },
    });
    expect(schema.at(['browser'])?.inert).toBe(true);
    expect(schema.at(['tools', 'a'])?.inert).toBe(false);
  });

  it('shows people a veil in place of a secret, and takes it back', () => {
    expect(veiled(`{"k":"${REDACTED}"}`)).toBe('{"k":"••••••••"}');
    expect(unveiled(veiled(REDACTED))).toBe(REDACTED);
  });
});
