// Two platforms as a gateway tells them, for tests.
import { readPlatforms } from './platforms';

const secret = { anyOf: [{ $ref: '#/$defs/SecretText' }, { type: 'null' }] };
const $defs = { SecretText: { 'x-secret': true } };
const text = { type: ['string', 'null'] };

export const ANSWER = {
  platforms: [
    {
      id: 'heron',
      label: 'Heron',
      summary: 'a bot of yours',
      secrets: ['botToken', 'tokenFile'],
      schema: {
        type: 'object',
        $defs,
        'x-form': { steps: ['Write to @BotFather.'], people: 'Numbers.', handle: '@', refused: 'Send /token.' },
        properties: {
          botToken: { ...secret, title: 'Bot token', 'x-form': { needed: true, pattern: '^\\d{3,20}:[\\w-]{20,100}$', problem: 'No token.', instead: ['tokenFile'] } },
          tokenFile: text,
          apiRoot: { ...text, 'x-form': { more: true, pattern: '^https?://\\S+$', problem: 'No address.' } },
        },
      },
    },
    {
      id: 'harbour',
      label: 'Harbour',
      summary: 'a nick',
      secrets: ['password', 'passwordFile', 'nickserv.password', 'sasl.password', 'sasl.passwordFile'],
      schema: {
        type: 'object',
        $defs: {
          ...$defs,
          Sasl: { type: 'object', properties: { enabled: { type: 'boolean' }, username: { ...text, 'x-form': {} }, password: { ...secret, 'x-form': { needed: true, instead: ['passwordFile'] } } } },
        },
        'x-form': { named: 'nick', servers: true },
        properties: {
          host: { ...text, 'x-form': { needed: true, initial: 'harbour.libera.chat', pattern: '^[^\\s/]+$', problem: 'No host.' } },
          port: { type: ['integer', 'null'], minimum: 1, maximum: 65_535, 'x-form': { narrow: true, problem: 'No port.' } },
          tls: { type: ['boolean', 'null'], 'x-form': { initial: true } },
          nick: { ...text, 'x-form': { needed: true, pattern: '^(?![\\d-])[^\\s,:!@#]+$', problem: 'No nick.' } },
          channels: { type: ['array', 'null'], items: { type: 'string' }, 'x-form': { pattern: '^\\S+( \\S+)?$', problem: 'No channel.' } },
          password: { ...secret, 'x-form': { more: true, instead: ['passwordFile'] } },
          sasl: { anyOf: [{ $ref: '#/$defs/Sasl' }, { type: 'null' }], 'x-form': {} },
          flood: text,
        },
      },
    },
  ],
};

const [first, second] = readPlatforms(ANSWER);
if (!first || !second) throw new Error('the fixture cannot be read');
export const [heron, harbour] = [first, second];
