// Accounts, strangers and undelivered messages as the gateway tells them, and as people read them.
import { describe, expect, it } from 'vitest';
import { connectionOf, fixFor, readAccounts, readLetters, readStrangers, stateOf, titled, toneOf } from './channels';
import { words } from '../../words/channels';

const row = (more: Record<string, unknown> = {}) => ({ accountId: 'default', enabled: true, configured: true, running: true, connected: true, healthState: 'healthy', dmPolicy: 'pairing', ...more });
const status = (rows: unknown[], more: Record<string, unknown> = {}) => ({
  channelOrder: ['telegram'], channelLabels: { telegram: 'Telegram' }, channelMeta: [{ id: 'telegram' }], channelAccounts: { telegram: rows }, channelDefaultAccountId: { telegram: 'default' }, statusIssues: [], ...more,
});

describe('the state of an account', () => {
  it.each([
    [row(), 'connected'],
    [row({ healthState: 'stale-socket' }), 'silent'],
    [row({ healthState: 'disconnected', connected: false }), 'connecting'],
    [row({ healthState: 'disconnected', connected: false, reconnectAttempts: 3 }), 'reconnecting'],
    [row({ healthState: 'not-running', running: false }), 'stopped'],
    [row({ healthState: 'not-running', running: false, lastError: 'Unauthorized' }), 'failed'],
    [row({ enabled: false, running: false, healthState: undefined }), 'off'],
    [row({ configured: false, running: false, healthState: undefined }), 'bare'],
    [row({ running: false, connected: false, healthState: undefined }), 'failed'],
    [row({ healthState: 'something-new' }), 'connected'],
  ])('%#: is told in a word', (fields, expected) => expect(stateOf(fields)).toBe(expected));

  it('is quiet, not dead, when nobody has written', () => {
    const [quiet] = readAccounts(status([row()]));
    expect([quiet?.about, toneOf(quiet?.state ?? 'failed')]).toEqual([words.about_quiet, 'good']);
    const [used] = readAccounts(status([row({ lastInboundAt: 5 })]));
    expect(used?.about).toBe(words.about_connected);
  });
});

describe('reading accounts', () => {
  it('names an account as its owner does, then as the platform does, then by its id', () => {
    const title = (more: Record<string, unknown>) => readAccounts(status([row(more)]))[0]?.title;
    expect(title({ name: 'Family bot', bot: { username: 'x_bot' } })).toBe('Family bot');
    expect(title({ bot: { username: 'x_bot' } })).toBe('@x_bot');
    expect(title({})).toBe(words.mainAccount);
    expect(title({ accountId: 'second' })).toBe('second');
  });

  it('keeps a probe, its advice and advice from the status apart from errors', () => {
    const [one] = readAccounts(status([row({ probe: { ok: true, elapsedMs: 12, bot: { username: 'x' }, advice: ['a'] }, lastProbeAt: 9 })], {
      statusIssues: [{ channel: 'telegram', accountId: 'default', kind: 'permissions', message: 'b' }, { channel: 'irc', accountId: 'default', kind: 'permissions', message: 'c' }],
    }));
    expect(one?.probe).toMatchObject({ ok: true, elapsedMs: 12, name: '@x', at: 9 });
    expect(one?.advice).toEqual(['A.', 'B.']);
  });

  it('an old error of an account that is well again is not shown', () => {
    expect(readAccounts(status([row({ lastError: 'timeout' })]))[0]?.error).toBeUndefined();
    const [failing] = readAccounts(status([row({ lastError: 'Unauthorized', running: false, healthState: 'not-running' })]));
    expect([failing?.error, failing?.fix]).toEqual(['Unauthorized', words.fixes.telegramToken]);
  });

  it('shows platforms it has never heard of, and nothing of nonsense', () => {
    const [one] = readAccounts({ channelOrder: ['pigeon'], channelAccounts: { pigeon: [row({ dmPolicy: 'whatever' })] }, channelMeta: [{ id: 'pigeon', login: 'qr' }] });
    expect([one?.platform, one?.policy, one?.scans]).toEqual(['pigeon', 'whatever', true]);
    for (const nonsense of [undefined, null, 7, [], { channelOrder: 3, channelAccounts: [] }, { channelAccounts: { telegram: 'x' } }]) expect(readAccounts(nonsense)).toEqual([]);
  });

  it('cuts texts of others', () => {
    const [one] = readAccounts(status([row({ name: 'n'.repeat(10_000), lastError: 'e'.repeat(10_000), healthState: 'not-running', running: false })]));
    expect([one?.title.length, one?.error?.length]).toEqual([81, 401]);
  });

  it('a login by code is offered only where the platform says so', () => {
    expect(readAccounts(status([row()]))[0]?.scans).toBe(false);
  });
});

describe('what to do about an error', () => {
  it.each([
    ['telegram', 'Conflict: terminated by other getUpdates request', 'conflict'],
    ['telegram', 'Unauthorized', 'telegramToken'],
    ['irc', 'SASL failed: Invalid password', 'sasl'],
    ['irc', 'the nick is in use', 'nick'],
    ['irc', 'invalid peer certificate', 'tls'],
    ['irc', 'You are banned from this server', 'banned'],
    ['telegram', 'Too Many Requests: retry after 3', 'slower'],
    ['irc', 'could not connect: connection refused', 'network'],
    ['irc', 'hm', 'other'],
  ] as const)('%s: %s', (channel, error, fix) => expect(fixFor(channel, error)).toBe(words.fixes[fix]));
});

describe('strangers', () => {
  const asked = (requestId: string, more: Record<string, unknown> = {}) => ({
    requestId, channel: 'telegram', accountId: 'default', senderId: '77', senderLabel: 'Mia', createdAt: '2026-01-01T10:00:00.000Z', expiresAt: '2026-01-01T11:00:00.000Z', ...more,
  });

  it('come oldest first, with their code and how long it works', () => {
    const list = readStrangers({ requests: [asked('B', { createdAt: '2026-01-01T10:05:00Z' }), asked('A')] });
    expect(list.map((one) => one.requestId)).toEqual(['A', 'B']);
    expect(list[0]).toMatchObject({ name: 'Mia', id: '77', from: 'Telegram', expiresAt: Date.UTC(2026, 0, 1, 11) });
  });

  it('without a name are called by their id, and without a code are nobody', () => {
    expect(readStrangers({ requests: [asked('A', { senderLabel: ' ' })] })[0]?.name).toBe('77');
    expect(readStrangers({ requests: [asked('', {}), null, 5, asked('A', { accountId: undefined })] })).toEqual([]);
    expect(readStrangers({ requests: [asked('A', { accountId: 'work', expiresAt: 'never' })] })[0]).toMatchObject({ from: 'Telegram (work)', expiresAt: undefined });
  });
});

it('undelivered messages say where, why and how often', () => {
  const [one, other] = readLetters({ letters: [{ key: 'k', channel: 'irc', accountId: 'libera', conversation: '#a', createdAt: 1, failedAt: 2, tries: 3, error: 'gone' }, {}] });
  expect(one).toMatchObject({ where: 'IRC (libera)', conversation: '#a', at: 2, tries: 3, why: 'gone' });
  expect(other?.why).toBe(words.letterNoReason);
});

it('how an account hears is read from what is written', () => {
  expect(connectionOf('telegram', {})).toBe(words.polling);
  expect(connectionOf('telegram', { webhookUrl: 'https://x' })).toBe(words.webhook);
  expect(connectionOf('irc', { host: 'irc.example', port: 6667, tls: false })).toBe('irc.example:6667, not encrypted');
  expect(connectionOf('pigeon', {})).toBeUndefined();
});

it('an account without a name is called by its nick', () => {
  const [bare, named] = [row(), row({ name: 'Mine' })].flatMap((one) => readAccounts(status([one])).map((account) => titled(account, { nick: 'homard' }).title));
  expect([bare, named]).toEqual(['homard', 'Mine']);
});
