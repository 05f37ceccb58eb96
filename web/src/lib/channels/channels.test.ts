// Accounts, strangers and undelivered messages as the gateway tells them, and as people read them.
import { describe, expect, it } from 'vitest';
import { fixFor, readAccounts as read, readLetters, readStrangers, stateOf, titled, toneOf } from './channels';
import { words } from '../../words/channels';
import { harbour, heron } from './platforms.fixture';

const readAccounts = (status: unknown) => read(status, [heron, harbour]);

const row = (more: Record<string, unknown> = {}) => ({ accountId: 'default', enabled: true, configured: true, running: true, connected: true, healthState: 'healthy', dmPolicy: 'pairing', ...more });
const status = (rows: unknown[], more: Record<string, unknown> = {}) => ({
  channelOrder: ['heron'],
  channelLabels: { heron: 'Heron' },
  channelMeta: [{ id: 'heron' }],
  channelAccounts: { heron: rows },
  channelDefaultAccountId: { heron: 'default' },
  statusIssues: [],
  ...more,
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
    const [one] = readAccounts(
      status([row({ probe: { ok: true, elapsedMs: 12, bot: { username: 'x' }, advice: ['a'] }, lastProbeAt: 9 })], {
        statusIssues: [
          { channel: 'heron', accountId: 'default', kind: 'permissions', message: 'b' },
          { channel: 'harbour', accountId: 'default', kind: 'permissions', message: 'c' },
        ],
      }),
    );
    expect(one?.probe).toMatchObject({ ok: true, elapsedMs: 12, name: '@x', at: 9 });
    expect(one?.advice).toEqual(['A.', 'B.']);
  });

  it('an old error of an account that is well again is not shown', () => {
    expect(readAccounts(status([row({ lastError: 'timeout' })]))[0]?.error).toBeUndefined();
    const [failing] = readAccounts(status([row({ lastError: 'Unauthorized', running: false, healthState: 'not-running' })]));
    expect([failing?.error, failing?.fix]).toEqual(['Unauthorized', heron.refused]);
  });

  it('shows platforms it has never heard of, and nothing of nonsense', () => {
    const [one] = readAccounts({ channelOrder: ['pigeon'], channelAccounts: { pigeon: [row({ dmPolicy: 'whatever' })] }, channelMeta: [{ id: 'pigeon', login: 'qr' }] });
    expect([one?.platform, one?.policy, one?.scans]).toEqual(['pigeon', 'whatever', true]);
    for (const nonsense of [undefined, null, 7, [], { channelOrder: 3, channelAccounts: [] }, { channelAccounts: { heron: 'x' } }]) expect(readAccounts(nonsense)).toEqual([]);
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
    ['Conflict: terminated by other getUpdates request', 'conflict'],
    ['Unauthorized', 'token'],
    ['SASL failed: Invalid password', 'sasl'],
    ['the nick is in use', 'nick'],
    ['invalid peer certificate', 'tls'],
    ['You are banned from this server', 'banned'],
    ['Too Many Requests: retry after 3', 'slower'],
    ['could not connect: connection refused', 'network'],
    ['hm', 'other'],
  ] as const)('%s', (error, fix) => expect(fixFor(harbour, error)).toBe(words.fixes[fix]));

  it('a platform may say itself where new credentials come from', () => expect(fixFor(heron, 'Unauthorized')).toBe('Send /token.'));
});

describe('strangers', () => {
  const asked = (requestId: string, more: Record<string, unknown> = {}) => ({
    requestId,
    channel: 'heron',
    accountId: 'default',
    senderId: '77',
    senderLabel: 'Mia',
    createdAt: '2026-01-01T10:00:00.000Z',
    expiresAt: '2026-01-01T11:00:00.000Z',
    ...more,
  });

  it('come oldest first, with their code and how long it works', () => {
    const list = readStrangers({ requests: [asked('B', { createdAt: '2026-01-01T10:05:00Z' }), asked('A')] }, { heron: 'Heron' });
    expect(list.map((one) => one.requestId)).toEqual(['A', 'B']);
    expect(list[0]).toMatchObject({ name: 'Mia', id: '77', from: 'Heron', expiresAt: Date.UTC(2026, 0, 1, 11) });
  });

  it('without a name are called by their id, and without a code are nobody', () => {
    expect(readStrangers({ requests: [asked('A', { senderLabel: ' ' })] })[0]?.name).toBe('77');
    expect(readStrangers({ requests: [asked('', {}), null, 5, asked('A', { accountId: undefined })] })).toEqual([]);
    expect(readStrangers({ requests: [asked('A', { accountId: 'work', expiresAt: 'never' })] })[0]).toMatchObject({ from: 'heron (work)', expiresAt: undefined });
  });
});

it('undelivered messages say where, why and how often', () => {
  const [one, other] = readLetters(
    { letters: [{ key: 'k', channel: 'harbour', accountId: 'libera', conversation: '#a', createdAt: 1, failedAt: 2, tries: 3, error: 'gone' }, {}] },
    { harbour: 'Harbour' },
  );
  expect(one).toMatchObject({ where: 'Harbour (libera)', conversation: '#a', at: 2, tries: 3, why: 'gone' });
  expect(other?.why).toBe(words.letterNoReason);
});

it('what an adapter says of an account is shown, and nothing of nonsense', () => {
  const details = (value: unknown) => readAccounts(status([row({ details: value })]))[0]?.details;
  expect(details([{ label: 'Connection', text: 'harbour.example, encrypted' }, null])).toEqual([{ label: 'Connection', text: 'harbour.example, encrypted' }]);
  expect(details('x')).toEqual([]);
});

it('an account without a name is called by its nick', () => {
  const [bare, named] = [row(), row({ name: 'Mine' })].flatMap((one) => readAccounts(status([one])).map((account) => titled(account, { nick: 'homard' }, harbour).title));
  expect([bare, named]).toEqual(['homard', 'Mine']);
});
