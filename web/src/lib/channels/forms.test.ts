// What is typed into the forms of platforms, and what is written of it.
import { describe, expect, it } from 'vitest';
import { accountSection, canLogOut, check, draftOf, emptyDraft, newAccountId, patchOf, removalOf, sectionOf } from './forms';
import { words } from '../../words/channels';

const TOKEN = `7000000001:${'A'.repeat(35)}`;
const HIDDEN = '__OPENCLAW_REDACTED__';
const telegram = (more = {}) => ({ ...emptyDraft('telegram'), token: TOKEN, ...more });
const irc = (more = {}) => ({ ...emptyDraft('irc'), host: 'irc.example', nick: 'homard', ...more });

describe('checking', () => {
  it('a token is needed unless one is kept', () => {
    expect(check(telegram({ token: '' }))).toEqual({ token: words.form.needed });
    expect(check(telegram({ token: '', kept: new Set(['token']) }))).toEqual({});
    expect(check(telegram({ token: 'hello' }))).toEqual({ token: words.form.badToken });
    expect(check(telegram({ token: '${TELEGRAM_BOT_TOKEN}' }))).toEqual({});
    expect(check(telegram())).toEqual({});
  });

  it('addresses are whole', () => {
    expect(check(telegram({ apiRoot: 'api.example', proxy: 'javascript:alert(1)' }))).toEqual({ apiRoot: words.form.badAddress, proxy: words.form.badAddress });
  });

  it('an IRC account needs a server and a nick that can be one', () => {
    expect(check(irc({ host: '', nick: '' }))).toEqual({ host: words.form.needed, nick: words.form.needed });
    expect(check(irc({ host: 'irc://x', nick: '1st', port: '70000', rooms: '#a b c', sasl: true }))).toEqual({
      host: words.form.badHost, nick: words.form.badNick, port: words.form.badPort, rooms: words.form.badRoom('#a b c'), saslPassword: words.form.needed,
    });
    expect(check(irc({ port: '6697', rooms: '#a key, b', sasl: true, saslPassword: 'x' }))).toEqual({});
  });

  it('a list of people must name somebody', () => {
    expect(check(telegram({ policy: 'allowlist', allow: ' , ' }))).toEqual({ allow: words.form.needed });
  });
});

describe('the section', () => {
  it('of a new bot has its token and what was typed', () => {
    expect(sectionOf(telegram({ name: ' Home ', apiRoot: 'http://x' }))).toEqual({ enabled: true, name: 'Home', dmPolicy: 'pairing', botToken: TOKEN, apiRoot: 'http://x', proxy: null });
  });

  it('leaves a secret alone that was not typed again', () => {
    expect(sectionOf(telegram({ token: '', kept: new Set(['token']) }))).not.toHaveProperty('botToken');
  });

  it('lets everybody in only with a list that says so', () => {
    expect(sectionOf(telegram({ policy: 'open' })).allowFrom).toEqual(['*']);
    expect(sectionOf(telegram({ policy: 'allowlist', allow: '7, 8' })).allowFrom).toEqual(['7', '8']);
  });

  it('of an IRC account names channels as servers do', () => {
    expect(sectionOf(irc({ rooms: 'den, #b key', port: '7000', sasl: true, saslPassword: 'p' }))).toMatchObject({
      host: 'irc.example', nick: 'homard', port: 7000, tls: true, channels: ['#den', '#b key'], sasl: { enabled: true, username: null, password: 'p' },
    });
    expect(sectionOf(irc())).not.toHaveProperty('sasl');
    expect(sectionOf(irc({ kept: new Set(['saslPassword']) })).sasl).toEqual({ enabled: false });
  });
});

describe('the form of an account that is there', () => {
  const config = { channels: { irc: { host: 'a', nick: 'n', sasl: { username: 'u', password: HIDDEN }, channels: ['#x'], accounts: { work: { host: 'b', tls: false, allowFrom: ['mia', 7] } } } } };

  it('shows what is written, but no secret', () => {
    const draft = draftOf(config, 'irc', 'work');
    expect(draft).toMatchObject({ account: 'work', host: 'b', nick: 'n', tls: false, rooms: '#x', sasl: true, saslUser: 'u', saslPassword: '', allow: 'mia, 7' });
    expect(draft.kept.has('saslPassword')).toBe(true);
    expect(JSON.stringify(draft)).not.toContain(HIDDEN);
  });

  it('reads an account as the gateway lays it over its platform', () => {
    expect(accountSection(config, 'irc', 'work')).toMatchObject({ host: 'b', nick: 'n' });
    expect(accountSection(undefined, 'irc', 'work')).toEqual({});
  });
});

describe('where it is written', () => {
  it('the first account is the section itself', () => {
    expect(newAccountId({}, 'telegram', [], 'x')).toBe('default');
    expect(patchOf({}, 'telegram', 'default', { botToken: 't' })).toEqual({ channels: { telegram: { botToken: 't' } } });
  });

  it('a second one is named after its name, and the first stays', () => {
    const config = { channels: { telegram: { botToken: HIDDEN } } };
    expect(newAccountId(config, 'telegram', ['default'], 'Für die Arbeit!')).toBe('f-r-die-arbeit');
    expect(newAccountId(config, 'telegram', ['default', 'second'], '')).toBe('second-2');
    expect(patchOf(config, 'telegram', 'work', { botToken: 't', proxy: null })).toEqual({ channels: { telegram: { accounts: { default: {}, work: { botToken: 't' } } } } });
  });

  it('another server never gets the password of the first', () => {
    const config = { channels: { irc: { host: 'a', nick: 'n', password: HIDDEN, sasl: { password: HIDDEN } } } };
    expect(patchOf(config, 'irc', 'work', { host: 'b' })).toEqual({ channels: { irc: { accounts: { default: {}, work: { host: 'b', password: '', sasl: { enabled: false } } } } } });
  });

  it('an account with values of its own keeps them in its own place', () => {
    const config = { channels: { telegram: { accounts: { default: { botToken: HIDDEN }, work: {} } } } };
    expect(patchOf(config, 'telegram', 'default', { name: null })).toEqual({ channels: { telegram: { enabled: true, accounts: { default: { name: null } } } } });
    expect(patchOf(config, 'telegram', 'work', { name: null })).toEqual({ channels: { telegram: { accounts: { work: { name: null } } } } });
  });

  it('nobody logs out of an account that would go on with the credentials of another', () => {
    const config = { channels: { telegram: { botToken: HIDDEN, accounts: { default: {}, work: {} } }, irc: { host: 'a' } } };
    expect([canLogOut(config, 'telegram', 'default'), canLogOut(config, 'telegram', 'work'), canLogOut({}, 'telegram', 'work'), canLogOut(config, 'irc', 'default')]).toEqual([true, false, true, false]);
  });

  it('the last account takes its platform with it', () => {
    expect(removalOf({ channels: { irc: { host: 'a' } } }, 'irc', 'default')).toEqual({ channels: { irc: null } });
    expect(removalOf({ channels: { irc: { accounts: { default: {}, work: {} } } } }, 'irc', 'work')).toEqual({ channels: { irc: { accounts: { work: null } } } });
  });
});
