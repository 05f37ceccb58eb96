// What is typed into the forms of platforms, and what is written of it.
import { describe, expect, it } from 'vitest';
import { type Draft, accountSection, canLogOut, check, draftOf, emptyDraft, newAccountId, patchOf, removalOf, sectionOf } from './forms';
import { words } from '../../words/channels';
import { harbour, heron } from './platforms.fixture';
import type { Platform } from './platforms';

const TOKEN = `7000000001:${'A'.repeat(35)}`;
const HIDDEN = '__OPENCLAW_REDACTED__';
type Change = Partial<Draft> & { values?: Draft['values'] };
const filled = (platform: Platform, { values = {}, ...more }: Change, usual: Draft['values']): Draft => {
  const empty = emptyDraft(platform);
  return { ...empty, ...more, values: { ...empty.values, ...usual, ...values } };
};
const bot = (change: Change = {}) => filled(heron, change, { botToken: TOKEN });
const nick = (change: Change = {}) => filled(harbour, change, { host: 'harbour.example', nick: 'homard' });

describe('checking', () => {
  it('a token is needed unless one is kept', () => {
    expect(check(bot({ values: { botToken: '' } }))).toEqual({ botToken: words.form.needed });
    expect(check(bot({ values: { botToken: '' }, kept: new Set(['botToken']) }))).toEqual({});
    expect(check(bot({ values: { botToken: 'hello' } }))).toEqual({ botToken: 'No token.' });
    expect(check(bot({ values: { botToken: '${HERON_BOT_TOKEN}' } }))).toEqual({});
    expect(check(bot())).toEqual({});
  });

  it('what does not fit is told in the words of the platform', () => {
    expect(check(bot({ values: { apiRoot: 'api.example' } }))).toEqual({ apiRoot: 'No address.' });
    expect(check(nick({ values: { host: '', nick: '' } }))).toEqual({ host: words.form.needed, nick: words.form.needed });
    expect(check(nick({ values: { host: 'harbour://x', nick: '1st', port: '70000', channels: '#a b c', sasl: true } }))).toEqual({
      host: 'No host.',
      nick: 'No nick.',
      port: 'No port.',
      channels: words.form.badItem('#a b c', 'No channel.'),
      'sasl.password': words.form.needed,
    });
    expect(check(nick({ values: { port: '6697', channels: '#a key, b', sasl: true, 'sasl.password': 'x' } }))).toEqual({});
  });

  it('a list of people must name somebody', () => {
    expect(check(bot({ policy: 'allowlist', allow: ' , ' }))).toEqual({ allow: words.form.needed });
  });
});

describe('the section', () => {
  it('of a new bot has its token and what was typed', () => {
    expect(sectionOf(bot({ name: ' Home ', values: { apiRoot: 'http://x' } }))).toEqual({ enabled: true, name: 'Home', dmPolicy: 'pairing', botToken: TOKEN, apiRoot: 'http://x' });
    expect(sectionOf(bot()).apiRoot).toBeNull();
  });

  it('leaves a secret alone that was not typed again', () => {
    expect(sectionOf(bot({ values: { botToken: '' }, kept: new Set(['botToken']) }))).not.toHaveProperty('botToken');
  });

  it('lets everybody in only with a list that says so', () => {
    expect(sectionOf(bot({ policy: 'open' })).allowFrom).toEqual(['*']);
    expect(sectionOf(bot({ policy: 'allowlist', allow: '7, 8' })).allowFrom).toEqual(['7', '8']);
  });

  it('has numbers, switches, lists and groups as their schema wants them', () => {
    expect(sectionOf(nick({ values: { channels: 'den, #b key', port: '7000', sasl: true, 'sasl.password': 'p' } }))).toMatchObject({
      host: 'harbour.example',
      nick: 'homard',
      port: 7000,
      tls: true,
      channels: ['den', '#b key'],
      sasl: { enabled: true, username: null, password: 'p' },
    });
    expect(sectionOf(nick({ values: { tls: false } }))).toMatchObject({ tls: false, port: null, channels: null });
    expect(sectionOf(nick())).not.toHaveProperty('sasl');
    expect(sectionOf(nick({ kept: new Set(['sasl.password']) })).sasl).toEqual({ enabled: false });
  });
});

describe('the form of an account that is there', () => {
  const config = { channels: { harbour: { host: 'a', nick: 'n', sasl: { username: 'u', password: HIDDEN }, channels: ['#x'], accounts: { work: { host: 'b', tls: false, allowFrom: ['mia', 7] } } } } };

  it('shows what is written, but no secret', () => {
    const draft = draftOf(config, harbour, 'work');
    expect(draft).toMatchObject({ account: 'work', allow: 'mia, 7', values: { host: 'b', nick: 'n', tls: false, channels: '#x', sasl: true, 'sasl.username': 'u', 'sasl.password': '' } });
    expect(draft.kept.has('sasl.password')).toBe(true);
    expect(JSON.stringify(draft)).not.toContain(HIDDEN);
  });

  it('reads an account as the gateway lays it over its platform', () => {
    expect(accountSection(config, 'harbour', 'work')).toMatchObject({ host: 'b', nick: 'n' });
    expect(accountSection(undefined, 'harbour', 'work')).toEqual({});
  });
});

describe('where it is written', () => {
  it('the first account is the section itself', () => {
    expect(newAccountId({}, 'heron', [], 'x')).toBe('default');
    expect(patchOf({}, heron, 'default', { botToken: 't' })).toEqual({ channels: { heron: { botToken: 't' } } });
  });

  it('a second one is named after its name, and the first stays', () => {
    const config = { channels: { heron: { botToken: HIDDEN } } };
    expect(newAccountId(config, 'heron', ['default'], 'Für die Arbeit!')).toBe('f-r-die-arbeit');
    expect(newAccountId(config, 'heron', ['default', 'second'], '')).toBe('second-2');
    expect(patchOf(config, heron, 'work', { botToken: 't', proxy: null })).toEqual({ channels: { heron: { accounts: { default: {}, work: { botToken: 't' } } } } });
  });

  it('another server never gets the password of the first', () => {
    const config = { channels: { harbour: { host: 'a', nick: 'n', password: HIDDEN, sasl: { password: HIDDEN } } } };
    expect(patchOf(config, harbour, 'work', { host: 'b' })).toEqual({ channels: { harbour: { accounts: { default: {}, work: { host: 'b', password: '', sasl: { enabled: false } } } } } });
  });

  it('an account with values of its own keeps them in its own place', () => {
    const config = { channels: { heron: { accounts: { default: { botToken: HIDDEN }, work: {} } } } };
    expect(patchOf(config, heron, 'default', { name: null })).toEqual({ channels: { heron: { enabled: true, accounts: { default: { name: null } } } } });
    expect(patchOf(config, heron, 'work', { name: null })).toEqual({ channels: { heron: { accounts: { work: { name: null } } } } });
  });

  it('nobody logs out of an account that would go on with the credentials of another', () => {
    const config = { channels: { heron: { botToken: HIDDEN, accounts: { default: {}, work: {} } }, harbour: { host: 'a' } } };
    expect([
      canLogOut(config, heron, 'default'),
      canLogOut(config, heron, 'work'),
      canLogOut({}, heron, 'work'),
      canLogOut(config, harbour, 'default'),
      canLogOut(config, undefined, 'default'),
    ]).toEqual([true, false, true, false, false]);
  });

  it('the last account takes its platform with it', () => {
    expect(removalOf({ channels: { harbour: { host: 'a' } } }, 'harbour', 'default')).toEqual({ channels: { harbour: null } });
    expect(removalOf({ channels: { harbour: { accounts: { default: {}, work: {} } } } }, 'harbour', 'work')).toEqual({ channels: { harbour: { accounts: { work: null } } } });
  });
});
