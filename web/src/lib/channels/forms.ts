// Setting up an account: what is typed becomes a section of the configuration. A secret that is not
// typed again is not written, so it stays; it is never read back.
import { words } from '../../words/channels';
import { type Fields, fieldsOf, isFields, stringOf } from '../read';
import type { Platform, PlatformField } from './platforms';

export const DEFAULT_ACCOUNT = 'default';

const MAX_ACCOUNT_ID = 32;
/** A value that is looked up in the environment. */
const VARIABLE = /^\$\{\w+\}$/;

/** An account as it is filled in. */
export interface Draft {
  platform: Platform;
  /** The account to change; nothing for a new one. */
  account: string | undefined;
  name: string;
  policy: string;
  allow: string;
  /** By key of the platform's fields: whether a switch or a group is on, else what is typed. */
  values: Record<string, string | boolean>;
  /** Keys of secrets that are written already, so that their fields may stay empty. */
  kept: ReadonlySet<string>;
}

/** What is wrong, by key of a field; `allow` is the list of people. */
export type Problems = Partial<Record<string, string>>;

export function emptyDraft(platform: Platform): Draft {
  const values = Object.fromEntries(platform.fields.map((field) => [field.key, isSwitch(field) ? field.initial === true : String(field.initial ?? '')]));
  return { platform, account: undefined, name: '', policy: 'pairing', allow: '', values, kept: new Set() };
}

function isSwitch({ kind }: PlatformField): boolean {
  return kind === 'switch' || kind === 'group';
}

/** What a form asks for now: a group's fields only while it is on. */
export function askedFields({ platform, values }: Draft): readonly PlatformField[] {
  return platform.fields.filter(({ group }) => group === undefined || values[group] === true);
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
  const section = accountSection(config, platform.id, account);
  const at = (key: string): unknown => key.split('.').reduce<unknown>((value, step) => fieldsOf(value)[step], section);
  const draft = emptyDraft(platform);
  for (const field of platform.fields) {
    const value = at(field.key);
    if (field.kind === 'group') draft.values[field.key] = isFields(value) && value.enabled !== false;
    else if (field.kind === 'switch') draft.values[field.key] = typeof value === 'boolean' ? value : field.initial === true;
    else draft.values[field.key] = field.kind === 'secret' ? '' : textOf(value);
  }
  const isKept = ({ kind, key, instead }: PlatformField): boolean => kind === 'secret' && [key, ...instead].some((place) => Boolean(at(place)));
  return {
    ...draft,
    account,
    name: stringOf(section.name) ?? '',
    policy: stringOf(section.dmPolicy) ?? 'pairing',
    allow: textOf(section.allowFrom).replace(/^\*$/, ''),
    kept: new Set(platform.fields.filter(isKept).map(({ key }) => key)),
  };
}

function textOf(value: unknown): string {
  const all = Array.isArray(value) ? value : [value];
  return all.filter((one) => typeof one === 'string' || typeof one === 'number').join(', ');
}

function items(text: string): string[] {
  return text
    .split(/[,\n]/)
    .map((one) => one.trim())
    .filter(Boolean);
}

function typed(draft: Draft, field: PlatformField): string {
  const value = draft.values[field.key];
  return typeof value === 'string' ? value.trim() : '';
}

/** What is wrong with a draft, by field; nothing when it can be tried. */
export function check(draft: Draft): Problems {
  const problems: Problems = {};
  if (draft.policy === 'allowlist' && items(draft.allow).length === 0) problems.allow = words.form.needed;
  for (const field of askedFields(draft)) {
    const problem = problemOf(field, typed(draft, field), draft.kept.has(field.key));
    if (problem) problems[field.key] = problem;
  }
  return problems;
}

function problemOf(field: PlatformField, text: string, isKept: boolean): string | undefined {
  if (isSwitch(field) || VARIABLE.test(text)) return undefined;
  if (!text) return field.needed && !isKept ? words.form.needed : undefined;
  const problem = field.problem ?? words.form.bad;
  const fits = (one: string): boolean => field.pattern?.test(one) ?? true;
  if (field.kind === 'list') {
    const odd = items(text).find((one) => !fits(one));
    return odd === undefined ? undefined : words.form.badItem(odd, problem);
  }
  const isNumber = field.kind !== 'number' || (/^-?\d+$/.test(text) && Number(text) >= field.min && Number(text) <= field.max);
  return isNumber && fits(text) ? undefined : problem;
}

/** The section a draft becomes. `null` takes a key away; what is `undefined` stays as it is. */
export function sectionOf(draft: Draft): Fields {
  const allow = items(draft.allow);
  const section: Fields = {
    enabled: true,
    name: draft.name.trim() || null,
    dmPolicy: draft.policy,
    allowFrom: draft.policy === 'open' ? ['*'] : allow.length > 0 ? allow : draft.account === undefined ? undefined : null,
  };
  const { fields } = draft.platform;
  for (const field of fields.filter(({ group }) => group === undefined)) {
    if (field.kind !== 'group') section[field.key] = valueOf(draft, field);
    else if (draft.values[field.key] === true) {
      const inner = fields.filter(({ group }) => group === field.key).map((one) => [one.key.slice(field.key.length + 1), valueOf(draft, one)]);
      section[field.key] = defined({ enabled: true, ...Object.fromEntries(inner) });
    } else if ([...draft.kept].some((key) => key.startsWith(`${field.key}.`))) section[field.key] = { enabled: false };
  }
  return defined(section);
}

function valueOf(draft: Draft, field: PlatformField): unknown {
  const text = typed(draft, field);
  switch (field.kind) {
    case 'switch':
      return draft.values[field.key] === true || (field.initial === true ? false : null);
    case 'secret':
      return text || undefined;
    case 'number':
      return text ? (VARIABLE.test(text) ? text : Number(text)) : null;
    case 'list':
      return text ? items(text) : null;
    default:
      return text || null;
  }
}

function defined(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** An id for a new account of a platform: the usual one is free, or one made from its name. */
export function newAccountId(config: unknown, channel: string, taken: readonly string[], name: string): string {
  const written = Object.keys(fieldsOf(platformSection(config, channel).accounts));
  const all = new Set([...taken, ...written]);
  if (!all.has(DEFAULT_ACCOUNT)) return DEFAULT_ACCOUNT;
  const base =
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, MAX_ACCOUNT_ID) || 'second';
  let id = base;
  for (let next = 2; all.has(id); next += 1) id = `${base}-${next}`;
  return id;
}

/** What keeps a new account from using secrets of the others: it may be at another server. */
function shields(platform: Platform, present: Fields, section: Fields): Fields {
  const secrets = platform.servers ? platform.secrets.map((key) => key.split('.')) : [];
  const inherited = secrets.filter(([key = '']) => present[key] !== undefined && section[key] === undefined);
  return Object.fromEntries(inherited.map(([key = '', inner]) => [key, inner === undefined ? '' : { enabled: false }]));
}

/**
 * The patch that writes an account. The usual account is the platform's section itself; once others
 * stand beside it, it is named among them, or the gateway would let it go.
 */
export function patchOf(config: unknown, platform: Platform, account: string, section: Fields): Fields {
  const present = platformSection(config, platform.id);
  const accounts = fieldsOf(present.accounts);
  const channel = (value: Fields): Fields => ({ channels: { [platform.id]: value } });
  if (account === DEFAULT_ACCOUNT) {
    const own = fieldsOf(accounts[account]);
    const hasOwn = Object.keys(own).length > 0;
    return channel(hasOwn ? { enabled: true, accounts: { [account]: section } } : section);
  }
  const isNew = accounts[account] === undefined;
  const { accounts: _none, enabled: _on, ...rest } = present;
  const standsAlone = Object.keys(accounts).length === 0 && Object.keys(rest).length > 0;
  const written = Object.fromEntries(Object.entries({ ...(isNew ? shields(platform, present, section) : {}), ...section }).filter(([, value]) => !isNew || value !== null));
  return channel({ accounts: { ...(standsAlone ? { [DEFAULT_ACCOUNT]: {} } : {}), [account]: written } });
}

/**
 * Whether logging out leaves an account without credentials. Where the platform itself has some, an account of
 * another name would go on with those; and some platforms need none at all. Such accounts are removed instead.
 */
export function canLogOut(config: unknown, platform: Platform | undefined, account: string): boolean {
  const credential = platform?.fields.find(({ kind, needed, group }) => kind === 'secret' && needed && group === undefined);
  if (!platform || !credential) return false;
  const section = platformSection(config, platform.id);
  return account === DEFAULT_ACCOUNT || ![credential.key, ...credential.instead].some((key) => Boolean(section[key]));
}

/** The patch that takes an account out. */
export function removalOf(config: unknown, channel: string, account: string): Fields {
  const accounts = fieldsOf(platformSection(config, channel).accounts);
  const alone = Object.keys(accounts).every((one) => one === account);
  if (alone) return { channels: { [channel]: null } };
  return { channels: { [channel]: { accounts: { [account]: null } } } };
}
