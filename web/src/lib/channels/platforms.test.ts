// What a form asks for is read from schemas.
import { describe, expect, it } from 'vitest';
import { ANSWER, harbour, heron } from './platforms.fixture';
import { handled, readPlatforms } from './platforms';

describe('platforms', () => {
  it('have the fields their schema marks, in its order, with groups before what is in them', () => {
    expect(heron.fields.map(({ key, kind, needed, more }) => [key, kind, needed, more])).toEqual([
      ['botToken', 'secret', true, false],
      ['apiRoot', 'text', false, true],
    ]);
    expect(harbour.fields.map(({ key, kind, group }) => [key, kind, group])).toEqual([
      ['host', 'text', undefined],
      ['port', 'number', undefined],
      ['tls', 'switch', undefined],
      ['nick', 'text', undefined],
      ['channels', 'list', undefined],
      ['password', 'secret', undefined],
      ['sasl', 'group', undefined],
      ['sasl.username', 'text', 'sasl'],
      ['sasl.password', 'secret', 'sasl'],
    ]);
    expect(harbour.fields.find(({ key }) => key === 'sasl.password')?.instead).toEqual(['sasl.passwordFile']);
  });

  it('say how they are called and how people there are written', () => {
    expect(heron).toMatchObject({ label: 'Heron', about: 'A bot of yours.', handle: '@', steps: ['Write to @BotFather.'], servers: false });
    expect([handled(heron, 'x_bot'), handled(heron, '@x_bot'), handled(harbour, 'x'), handled(undefined, 'x')]).toEqual(['@x_bot', '@x_bot', 'x', 'x']);
  });

  it('without marks are asked for whatever can be typed, secrets first in view', () => {
    const schema = {
      type: 'object',
      properties: {
        perch: { type: 'string', description: 'Where it sits.' },
        ring: { 'x-secret': true },
        loft: { type: 'object', properties: { a: { type: 'string' } } },
        any: {},
        eggs: { type: 'array', items: { type: 'object' } },
        legs: { enum: [1, 2] },
      },
    };
    const [pigeon] = readPlatforms({ platforms: [{ id: 'pigeon', schema }] });
    expect(pigeon).toMatchObject({ label: 'pigeon', secrets: [], steps: [], handle: '' });
    expect(pigeon?.fields.map(({ key, label, help, more }) => [key, label, help, more])).toEqual([
      ['perch', 'Perch', 'Where it sits.', true],
      ['ring', 'Ring', undefined, false],
    ]);
  });

  it('are none in nonsense', () => {
    for (const nonsense of [undefined, null, 7, [], { platforms: 3 }, { platforms: [null, {}, { id: '' }] }]) expect(readPlatforms(nonsense)).toEqual([]);
    expect(readPlatforms({ platforms: [{ id: 'x', schema: { type: 'object', properties: { a: { type: 'string', 'x-form': { pattern: '(' } } } } }] })[0]?.fields[0]?.pattern).toBeUndefined();
    expect(readPlatforms(ANSWER)).toHaveLength(2);
  });
});
