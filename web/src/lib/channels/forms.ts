// Setting up an account: what is typed becomes a section of the configuration. A secret that is not
// typed again is not written, so it stays; it is never read back.
import { words } from '../../words/channels';
import { type Fields, fieldsOf, isFields, numberOf, stringOf } from '../read';

export const DEFAULT_ACCOUNT = 'default';
/** Platforms that have a form; others are set up in the settings. */
export const PLATFORMS = ['telegram', 'irc'] as const;
export type Platform = (typeof PLATFORMS)[number];

const MAX_ACCOUNT_ID = 32;
const MAX_PORT = 65_535;

/** Everything a form can hold; each platform uses its own part. */
export interface Draft {
  platform: Platform;
  /** The account to change; nothing for a new one. */
  account: string | undefined;
  name: string;
  policy: string;
  allow: string;
  token: string;
  apiRoot: string;
  proxy: string;
  host: string;
  port: string;
  tls: boolean;
  nick: string;
  rooms: string;
  sasl: boolean;
  saslUser: string;
  saslPassword: string;
  serverPassword: string;
  /** Secrets that are written already, so that their fields may stay empty. */
  kept: ReadonlySet<string>;
}

export type Problems = Partial<Record<keyof Draft, string>>;

export function isPlatform(name: string): name is Platform {
  return (PLATFORMS as readonly string[]).includes(name);
}

export function emptyDraft(platform: Platform): Draft {
  return {
    platform, account: undefined, name: '', policy: 'pairing', allow: '', token: '', apiRoot: '', proxy: '', host: platform === 'irc' ? 'irc.libera.chat' : '', port: '',
    tls: true, nick: '', rooms: '', sasl: false, saslUser: '', saslPassword: '', serverPassword: '', kept: new Set(),
  };
}

/** The platform's section of a configuration. */
export function platformSection(config: unknown, channel: string): Fields {
  return fieldsOf(fieldsOf(fieldsOf(config).channels)[channel]);
}

/** An account's values over its platform's, as the gateway lays them. */
export function accountSection(config: unknown, channel: string, account: string): Fields {
  const { accounts, ...section } = platformSection(config, channel);
  return { ...section, ...fieldsOf(fieldsOf(accounts)[account]) };
}

/** A form filled with what is written about an account. */
export function draftOf(config: unknown, platform: Platform, account: string): Draft {
  const section = accountSection(config, platform, account);
  const sasl = fieldsOf(section.sasl);
  const list = (value: unknown): string => (Array.isArray(value) ? value.filter((one) => typeof one === 'string' || typeof one === 'number').join(', ') : '');
  const kept = new Set<string>();
  if (section.botToken || section.tokenFile) kept.add('token');
  if (sasl.password || sasl.passwordFile) kept.add('saslPassword');
  if (section.password || section.passwordFile) kept.add('serverPassword');
  return {
    ...emptyDraft(platform),
    account,
    name: stringOf(section.name) ?? '',
    policy: stringOf(section.dmPolicy) ?? 'pairing',
    allow: list(section.allowFrom).replace(/^\*$/, ''),
    apiRoot: stringOf(section.apiRoot) ?? '',
    proxy: stringOf(section.proxy) ?? '',
    host: stringOf(section.host) ?? '',
    port: String(numberOf(section.port) ?? ''),
    tls: section.tls !== false,
    nick: stringOf(section.nick) ?? '',
    rooms: list(section.channels),
    sasl: isFields(section.sasl) && sasl.enabled !== false,
    saslUser: stringOf(sasl.username) ?? '',
    kept,
  };
}

function items(text: string): string[] {
  return text.split(/[,\n]/).map((one) => one.trim()).filter(Boolean);
}

/** What is wrong with a draft, by field; nothing when it can be tried. */
export function check(draft: Draft): Problems {
  const problems: Problems = {};
  const { form } = words;
  if (draft.policy === 'allowlist' && items(draft.allow).length === 0) problems.allow = form.needed;
  if (draft.platform === 'telegram') {
    const token = draft.token.trim();
    if (!token && !draft.kept.has('token')) problems.token = form.needed;
    else if (token && !/^\d{3,20}:[\w-]{20,100}$/.test(token) && !/^\$\{\w+\}$/.test(token)) problems.token = form.badToken;
    if (draft.apiRoot.trim() && !/^https?:\/\/\S+$/.test(draft.apiRoot.trim())) problems.apiRoot = form.badAddress;
    if (draft.proxy.trim() && !/^(https?|socks5h?):\/\/\S+$/.test(draft.proxy.trim())) problems.proxy = form.badAddress;
    return problems;
  }
  const [host, nick, port] = [draft.host.trim(), draft.nick.trim(), draft.port.trim()];
  if (!host) problems.host = form.needed;
  else if (/[\s/]/.test(host)) problems.host = form.badHost;
  if (!nick) problems.nick = form.needed;
  else if (/^[\d-]|[\s,:!@#]/.test(nick)) problems.nick = form.badNick;
  if (port && !(/^\d+$/.test(port) && Number(port) >= 1 && Number(port) <= MAX_PORT)) problems.port = form.badPort;
  const room = items(draft.rooms).find((one) => one.split(' ').length > 2);
  if (room) problems.rooms = form.badRoom(room);
  if (draft.sasl && !draft.saslPassword && !draft.kept.has('saslPassword')) problems.saslPassword = form.needed;
  return problems;
}

/** The section a draft becomes. `null` takes a key away; what is `undefined` stays as it is. */
export function sectionOf(draft: Draft): Fields {
  const text = (value: string): string | null => value.trim() || null;
  const secret = (value: string): string | undefined => (value.trim() ? value.trim() : undefined);
  const allow = items(draft.allow);
  const section: Fields = {
    enabled: true,
    name: text(draft.name),
    dmPolicy: draft.policy,
    allowFrom: draft.policy === 'open' ? ['*'] : allow.length > 0 ? allow : draft.account === undefined ? undefined : null,
  };
  if (draft.platform === 'telegram') {
    Object.assign(section, { botToken: secret(draft.token), apiRoot: text(draft.apiRoot), proxy: text(draft.proxy) });
  } else {
    const rooms = items(draft.rooms).map((one) => (/^[#&+!]/.test(one) ? one : `#${one}`));
    Object.assign(section, {
      host: draft.host.trim(),
      port: draft.port.trim() ? Number(draft.port) : null,
      tls: draft.tls,
      nick: draft.nick.trim(),
      channels: rooms.length > 0 ? rooms : null,
      password: secret(draft.serverPassword),
      sasl: draft.sasl ? defined({ enabled: true, username: text(draft.saslUser), password: secret(draft.saslPassword) }) : draft.kept.has('saslPassword') ? { enabled: false } : undefined,
    });
  }
  return defined(section);
}

function defined(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** An id for a new account of a platform: the usual one is free, or one made from its name. */
export function newAccountId(config: unknown, channel: string, taken: readonly string[], name: string): string {
  const written = Object.keys(fieldsOf(platformSection(config, channel).accounts));
  const all = new Set([...taken, ...written]);
  if (!all.has(DEFAULT_ACCOUNT)) return DEFAULT_ACCOUNT;
  const base = name.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, MAX_ACCOUNT_ID) || 'second';
  let id = base;
  for (let next = 2; all.has(id); next += 1) id = `${base}-${next}`;
  return id;
}

/** Secrets another account must not inherit: it may be at another server. */
const NOT_INHERITED: Record<string, unknown> = { sasl: { enabled: false }, nickserv: { enabled: false }, password: '', passwordFile: '' };

/**
 * The patch that writes an account. The usual account is the platform's section itself; once others
 * stand beside it, it is named among them, or the gateway would let it go.
 */
export function patchOf(config: unknown, platform: Platform, account: string, section: Fields): Fields {
  const present = platformSection(config, platform);
  const accounts = fieldsOf(present.accounts);
  const channel = (value: Fields): Fields => ({ channels: { [platform]: value } });
  if (account === DEFAULT_ACCOUNT) {
    const own = fieldsOf(accounts[account]);
    const hasOwn = Object.keys(own).length > 0;
    return channel(hasOwn ? { enabled: true, accounts: { [account]: section } } : section);
  }
  const isNew = accounts[account] === undefined;
  const shields = platform === 'irc' && isNew ? Object.fromEntries(Object.entries(NOT_INHERITED).filter(([key]) => present[key] !== undefined && section[key] === undefined)) : {};
  const { accounts: _none, enabled: _on, ...rest } = present;
  const standsAlone = Object.keys(accounts).length === 0 && Object.keys(rest).length > 0;
  const written = Object.fromEntries(Object.entries({ ...shields, ...section }).filter(([, value]) => !isNew || value !== null));
  return channel({ accounts: { ...(standsAlone ? { [DEFAULT_ACCOUNT]: {} } : {}), [account]: written } });
}

/**
 * Whether logging out leaves an account without credentials. Where the platform itself has some, an account of
 * another name would go on with those; and IRC needs none at all. Such accounts are removed instead.
 */
export function canLogOut(config: unknown, channel: string, account: string): boolean {
  if (channel === 'irc') return false;
  const section = platformSection(config, channel);
  return account === DEFAULT_ACCOUNT || !(section.botToken || section.tokenFile);
}

/** The patch that takes an account out. */
export function removalOf(config: unknown, channel: string, account: string): Fields {
  const accounts = fieldsOf(platformSection(config, channel).accounts);
  const alone = Object.keys(accounts).every((one) => one === account);
  if (alone) return { channels: { [channel]: null } };
  return { channels: { [channel]: { accounts: { [account]: null } } } };
}
