// What the gateway says about accounts on chat platforms, read for people: how an account is in
// a word, what is wrong and what to do about it. Nothing here asks the gateway.
import { words } from '../../words/channels';
import { type Fields, fieldsOf, listOf, numberOf, stringOf, textsOf } from '../read';
import { type Platform, handled, sentence } from './platforms';

/** Longest piece of a text of others that is shown in one place. */
const MAX_SHOWN = 400;
const DEFAULT_ACCOUNT = 'default';

export type StateKind = keyof typeof words.states;
export type StateTone = 'good' | 'warn' | 'bad' | 'plain';

export interface ProbeView {
  ok: boolean;
  elapsedMs: number;
  name: string | undefined;
  error: string | undefined;
  advice: readonly string[];
  at: number | undefined;
}

export interface AccountView {
  /** Unique in the page. */
  key: string;
  channel: string;
  platform: string;
  account: string;
  /** What people call it: the owner's name for it, its name on the platform, or its id. */
  title: string;
  handle: string | undefined;
  isDefault: boolean;
  configured: boolean;
  running: boolean;
  state: StateKind;
  about: string;
  lastHeard: number | undefined;
  lastSaid: number | undefined;
  since: number | undefined;
  policy: string;
  error: string | undefined;
  fix: string | undefined;
  advice: readonly string[];
  probe: ProbeView | undefined;
  outbox: { waiting: number; oldestAt: number | undefined; failed: number; ambiguous: number };
  abilities: readonly string[];
  /** What its settings say that people want to see: where it is, how it hears. */
  details: readonly { label: string; text: string }[];
  /** Whether one logs in to it by scanning a code. */
  scans: boolean;
}

const TONES: Record<StateKind, StateTone> = { connected: 'good', connecting: 'warn', reconnecting: 'warn', silent: 'bad', stopped: 'plain', failed: 'bad', off: 'plain', bare: 'warn' };

export function toneOf(state: StateKind): StateTone {
  return TONES[state];
}

/** A text of others, short enough to be shown. */
export function shown(text: string, limit = MAX_SHOWN): string {
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}

function shownTexts(value: unknown): readonly string[] {
  return textsOf(value).map((one) => shown(one));
}

/** Every account of an answer of `channels.status`, in the gateway's order. */
export function readAccounts(status: unknown, platforms: readonly Platform[] = []): readonly AccountView[] {
  const { channelOrder, channelAccounts, channelLabels, channelMeta, channelDefaultAccountId, statusIssues } = fieldsOf(status);
  const accounts = fieldsOf(channelAccounts);
  const order = [...new Set([...listOf(channelOrder), ...Object.keys(accounts)])].filter((one) => typeof one === 'string');
  return order.flatMap((channel) => {
    const known = platforms.find((one) => one.id === channel);
    const platform = shown(stringOf(fieldsOf(channelLabels)[channel]) ?? known?.label ?? channel, 40);
    const meta =
      listOf(channelMeta)
        .map(fieldsOf)
        .find((one) => one.id === channel) ?? {};
    const usual = stringOf(fieldsOf(channelDefaultAccountId)[channel]) ?? DEFAULT_ACCOUNT;
    return listOf(accounts[channel]).map((row) => {
      const fields = fieldsOf(row);
      const account = stringOf(fields.accountId) ?? DEFAULT_ACCOUNT;
      const issues = listOf(statusIssues)
        .map(fieldsOf)
        .filter((one) => one.channel === channel && one.accountId === account);
      return readAccount({ channel, known, platform, account, isDefault: account === usual, scans: meta.login === 'qr', fields, issues });
    });
  });
}

interface Found {
  channel: string;
  known: Platform | undefined;
  platform: string;
  account: string;
  isDefault: boolean;
  scans: boolean;
  fields: Fields;
  issues: readonly Fields[];
}

function readAccount({ channel, known, platform, account, isDefault, scans, fields, issues }: Found): AccountView {
  const probe = readProbe(known, fields);
  const error = stringOf(fields.lastError)?.trim();
  const handle = handleOf(known, fields.bot) ?? probe?.name;
  const state = stateOf(fields);
  const outbox = fieldsOf(fields.outbox);
  const failing = error && !(state === 'connected' && fields.connected === true) ? error : undefined;
  const advised = issues.filter((one) => one.kind === 'permissions').map((one) => one.message);
  return {
    key: `${channel}/${account}`,
    channel,
    platform,
    account,
    title: shown(stringOf(fields.name)?.trim() || handle || (account === DEFAULT_ACCOUNT ? words.mainAccount : account), 80),
    handle,
    isDefault,
    configured: fields.configured === true,
    running: fields.running === true,
    state,
    about: aboutOf(state, fields),
    lastHeard: numberOf(fields.lastInboundAt),
    lastSaid: numberOf(fields.lastOutboundAt),
    since: numberOf(fields.lastStartAt),
    policy: words.policies[stringOf(fields.dmPolicy) ?? ''] ?? shown(stringOf(fields.dmPolicy) ?? '', 40),
    error: failing ? shown(failing) : undefined,
    fix: failing ? fixFor(known, failing) : undefined,
    advice: [...new Set([...(probe?.advice ?? []), ...shownTexts(advised).map(sentence)])],
    probe,
    outbox: { waiting: numberOf(outbox.waiting) ?? 0, oldestAt: numberOf(outbox.oldestAt), failed: numberOf(outbox.failed) ?? 0, ambiguous: numberOf(outbox.ambiguous) ?? 0 },
    abilities: abilitiesOf(fields.capabilities),
    details: readDetails(fields.details),
    scans,
  };
}

function readDetails(value: unknown): AccountView['details'] {
  return listOf(value)
    .map(fieldsOf)
    .flatMap(({ label, text }) => (typeof label === 'string' && typeof text === 'string' ? [{ label: shown(label, 40), text: shown(text) }] : []));
}

/** Our name as people on the platform write it. */
function handleOf(platform: Platform | undefined, bot: unknown): string | undefined {
  const name = stringOf(fieldsOf(bot).username)?.trim();
  return name ? shown(handled(platform, name), 80) : undefined;
}

function readProbe(platform: Platform | undefined, fields: Fields): ProbeView | undefined {
  if (fields.probe === undefined || fields.probe === null) return undefined;
  const probe = fieldsOf(fields.probe);
  return {
    ok: probe.ok === true,
    elapsedMs: numberOf(probe.elapsedMs) ?? 0,
    name: handleOf(platform, probe.bot),
    error: stringOf(probe.error) === undefined ? undefined : shown(stringOf(probe.error) ?? ''),
    advice: shownTexts(probe.advice).map(sentence),
    at: numberOf(fields.lastProbeAt),
  };
}

/** How an account is. Quiet is well; dead is when the platform itself is silent for too long. */
export function stateOf(fields: Fields): StateKind {
  if (fields.configured !== true) return 'bare';
  if (fields.enabled === false) return 'off';
  const error = stringOf(fields.lastError);
  switch (fields.healthState) {
    case 'healthy':
      return 'connected';
    case 'stale-socket':
      return 'silent';
    case 'disconnected':
      return (numberOf(fields.reconnectAttempts) ?? 0) > 0 ? 'reconnecting' : 'connecting';
    case 'not-running':
      return error ? 'failed' : 'stopped';
    default:
      // The gateway wants it to run and does not know it: it could not be made ready.
      if (fields.running === true) return fields.connected === true ? 'connected' : 'connecting';
      return 'failed';
  }
}

function aboutOf(state: StateKind, fields: Fields): string {
  switch (state) {
    case 'connected':
      return numberOf(fields.lastInboundAt) === undefined ? words.about_quiet : words.about_connected;
    case 'reconnecting':
      return words.about_reconnecting(numberOf(fields.reconnectAttempts) ?? 1);
    case 'failed':
      return fields.healthState === undefined ? words.about_unknown : words.about_failed;
    case 'connecting':
      return words.about_connecting;
    case 'silent':
      return words.about_silent;
    case 'stopped':
      return words.about_stopped;
    case 'off':
      return words.about_off;
    case 'bare':
      return words.about_bare;
  }
}

const FIXES: readonly [RegExp, keyof typeof words.fixes][] = [
  [/conflict|other getupdates|already (in use by|listening)/i, 'conflict'],
  [/sasl|password|nickserv/i, 'sasl'],
  [/nick/i, 'nick'],
  [/certificate|\btls\b|fingerprint/i, 'tls'],
  [/unauthori[sz]ed|\b401\b|token|credential|not found/i, 'token'],
  [/banned|k-?lined|g-?lined|denied/i, 'banned'],
  [/too many|flood|\b429\b|slow down|rate/i, 'slower'],
  [/reach|answer|connect|resolve|dns|network|timed? ?out|refused|closed|reset|gateway|\b50\d\b/i, 'network'],
];

/** What the owner can do about an error, in a sentence. */
export function fixFor(platform: Platform | undefined, error: string): string {
  const found = FIXES.find(([pattern]) => pattern.test(error))?.[1] ?? 'other';
  return (found === 'token' ? platform?.refused : undefined) ?? words.fixes[found];
}

function abilitiesOf(value: unknown): readonly string[] {
  const fields = fieldsOf(value);
  const limit = numberOf(fields.textLimit);
  const known = Object.entries(words.ability)
    .filter(([key]) => fields[key] === true)
    .map(([, word]) => word);
  const lists = ['chatTypes', 'media'].flatMap((key) => {
    const list = shownTexts(fields[key]);
    return list.length > 0 ? [`${words.ability[key]}: ${list.join(', ')}`] : [];
  });
  return [...lists, ...known, ...(limit ? [words.textLimit(limit)] : [])];
}

export interface StrangerView {
  key: string;
  requestId: string;
  channel: string;
  account: string;
  from: string;
  name: string;
  id: string;
  createdAt: number | undefined;
  expiresAt: number | undefined;
}

/** Who waits, oldest first; what they call themselves is their own claim. */
export function readStrangers(list: unknown, platforms: Record<string, string> = {}): readonly StrangerView[] {
  const rows = listOf(fieldsOf(list).requests)
    .map(fieldsOf)
    .flatMap((row) => {
      const [requestId, channel, account] = [stringOf(row.requestId), stringOf(row.channel), stringOf(row.accountId)];
      if (!requestId || !channel || !account) return [];
      const platform = platforms[channel] ?? channel;
      const label = stringOf(row.accountLabel) ?? (account === DEFAULT_ACCOUNT ? undefined : account);
      const id = stringOf(row.senderId) ?? '';
      return [
        {
          key: `${channel}/${account}/${requestId}`,
          requestId,
          channel,
          account,
          from: words.strangerFrom(shown(platform, 40), label === undefined ? undefined : shown(label, 40)),
          name: shown(stringOf(row.senderLabel)?.trim() || id, 80),
          id: shown(id, 80),
          createdAt: timeOf(row.createdAt),
          expiresAt: timeOf(row.expiresAt),
        },
      ];
    });
  return rows.sort((one, other) => (one.createdAt ?? 0) - (other.createdAt ?? 0));
}

function timeOf(value: unknown): number | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

export interface LetterView {
  key: string;
  where: string;
  conversation: string;
  at: number | undefined;
  tries: number;
  why: string;
}

/** What was given up, newest first. */
export function readLetters(answer: unknown, platforms: Record<string, string> = {}): readonly LetterView[] {
  return listOf(fieldsOf(answer).letters)
    .map(fieldsOf)
    .map((row, index) => {
      const channel = stringOf(row.channel) ?? '';
      const account = stringOf(row.accountId);
      return {
        key: `${index}:${stringOf(row.key) ?? ''}`,
        where: words.strangerFrom(shown(platforms[channel] ?? channel, 40), account === undefined || account === DEFAULT_ACCOUNT ? undefined : shown(account, 40)),
        conversation: shown(stringOf(row.conversation) ?? '', 120),
        at: numberOf(row.failedAt) ?? numberOf(row.createdAt),
        tries: numberOf(row.tries) ?? 0,
        why: shown(stringOf(row.error) ?? words.letterNoReason),
      };
    });
}

/** An account nobody has named is called as it calls itself on its platform, where that is written. */
export function titled(account: AccountView, section: Fields, platform: Platform | undefined): AccountView {
  const name = stringOf(section[platform?.named ?? ''])?.trim();
  return account.title === words.mainAccount && name ? { ...account, title: shown(name, 80) } : account;
}
