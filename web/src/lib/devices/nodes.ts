// Devices and nodes as the gateway lists them, read for people. What a device says of itself is its
// own claim and is shown as text, cut to a length that leaves room for the rest.
import { words } from '../../words/nodes';
import { type Fields, fieldsOf, numberOf, stringOf } from '../read';
import { strings } from '../strings';

const MAX_NAME = 80;
const MAX_TEXT = 400;
const MAX_LIST = 300;
export const MAX_LABEL = 64;

/** Commands that give the machine away; an administrator allows them. */
const SENSITIVE: ReadonlySet<string> = new Set([
  'browser.proxy',
  'browser.proxy.upload.v1',
  'fs.listDir',
  'system.execApprovals.get',
  'system.execApprovals.set',
  'system.run',
  'system.run.prepare',
  'system.which',
]);

export interface CommandView {
  name: string;
  sensitive: boolean;
}

export interface CommandGroup {
  title: string;
  commands: readonly CommandView[];
}

export interface HostStats {
  processors: number;
  load: number | undefined;
  /** Used and whole, in bytes. */
  memory: readonly [number, number] | undefined;
  disk: readonly [number, number] | undefined;
  at: number | undefined;
}

export interface NodeView {
  id: string;
  name: string;
  platform: string;
  version: string | undefined;
  program: string | undefined;
  model: string | undefined;
  address: string | undefined;
  online: boolean;
  active: boolean;
  approval: string;
  /** Commands that may be used. */
  commands: readonly string[];
  permissions: readonly (readonly [string, boolean])[];
  connectedAt: number | undefined;
  lastSeenAt: number | undefined;
  lastActiveAt: number | undefined;
  approvedAt: number | undefined;
  pathEnv: string | undefined;
  stats: HostStats | undefined;
}

export interface NodeQuestion {
  id: string;
  nodeId: string;
  name: string;
  platform: string;
  address: string | undefined;
  commands: readonly string[];
  /** Those that are not allowed yet. */
  fresh: ReadonlySet<string>;
  permissions: readonly (readonly [string, boolean])[];
  needs: readonly string[];
  since: number | undefined;
}

export interface TokenView {
  role: string;
  scopes: readonly string[];
  madeAt: number | undefined;
  renewedAt: number | undefined;
  usedAt: number | undefined;
  revoked: boolean;
}

export interface DeviceView {
  id: string;
  name: string;
  platform: string;
  address: string | undefined;
  online: boolean;
  roles: readonly string[];
  scopes: readonly string[];
  via: string | undefined;
  lastSeenAt: number | undefined;
  approvedAt: number | undefined;
  tokens: readonly TokenView[];
}

function cut(text: string | undefined, limit = MAX_NAME): string | undefined {
  const trimmed = text?.trim();
  if (!trimmed) return undefined;
  return trimmed.length > limit ? `${trimmed.slice(0, limit)}…` : trimmed;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value)
    ? value
        .filter((one) => typeof one === 'string')
        .slice(0, MAX_LIST)
        .map((one) => cut(one) ?? '')
    : [];
}

function permissionsOf(value: unknown): readonly (readonly [string, boolean])[] {
  return Object.entries(fieldsOf(value))
    .slice(0, MAX_LIST)
    .map(([name, granted]) => [cut(name) ?? '', granted === true] as const);
}

const PLATFORM_NAMES: Record<string, string> = {
  linux: 'Linux',
  macos: 'macOS',
  darwin: 'macOS',
  windows: 'Windows',
  win32: 'Windows',
  ios: 'iOS',
  ipados: 'iPadOS',
  android: 'Android',
  watchos: 'watchOS',
  web: 'Web page',
  cli: 'Command line',
};
const PROGRAM_NAMES: Record<string, string> = {
  'openclaw-control-ui': 'Browser',
  'gateway-client': 'Program',
  cli: 'Command line',
  'node-host': 'Homard node',
  'openclaw-ios': 'iPhone app',
  'openclaw-android': 'Android app',
  'openclaw-macos': 'Mac app',
};

/** What it is, in a few words: “iPhone · iOS”. */
function platformOf(fields: Fields): string {
  const platform = cut(stringOf(fields.platform), 40);
  const family = cut(stringOf(fields.deviceFamily), 40);
  const named = platform === undefined ? undefined : (PLATFORM_NAMES[platform.toLowerCase()] ?? platform);
  const program = cut(stringOf(fields.clientId), 40);
  const kind = family ?? (program === undefined ? undefined : (PROGRAM_NAMES[program] ?? program));
  return [kind, named].filter((one, index, all) => one && all.indexOf(one) === index).join(' · ');
}

function statsOf(value: unknown): HostStats | undefined {
  const fields = fieldsOf(value);
  const processors = numberOf(fields.cpuCount);
  if (processors === undefined) return undefined;
  const used = (total: unknown, free: unknown): readonly [number, number] | undefined => {
    const [whole, left] = [numberOf(total), numberOf(free)];
    return whole && left !== undefined ? [Math.max(0, whole - left), whole] : undefined;
  };
  return {
    processors,
    load: Array.isArray(fields.loadAverage) ? numberOf(fields.loadAverage[0]) : undefined,
    memory: used(fields.memoryTotalBytes, fields.memoryFreeBytes),
    disk: used(fields.diskTotalBytes, fields.diskAvailableBytes),
    at: numberOf(fields.updatedAtMs),
  };
}

export function readNode(value: unknown): NodeView | undefined {
  const fields = fieldsOf(value);
  const id = stringOf(fields.nodeId);
  if (!id) return undefined;
  return {
    id,
    name: cut(stringOf(fields.displayName)) ?? words.nameless,
    platform: platformOf(fields),
    version: cut(stringOf(fields.version), 40),
    program: cut(stringOf(fields.clientId), 40),
    model: cut(stringOf(fields.modelIdentifier), 40),
    address: cut(stringOf(fields.remoteIp), 60),
    online: fields.connected === true,
    active: fields.active === true,
    approval: stringOf(fields.approvalState) ?? 'unapproved',
    commands: texts(fields.commands),
    permissions: permissionsOf(fields.permissions),
    connectedAt: numberOf(fields.connectedAtMs),
    lastSeenAt: numberOf(fields.lastSeenAtMs) ?? numberOf(fields.lastConnectedAtMs),
    lastActiveAt: numberOf(fields.lastActiveAtMs),
    approvedAt: numberOf(fields.approvedAtMs),
    pathEnv: cut(stringOf(fields.pathEnv), MAX_TEXT),
    stats: statsOf(fields.hostStats),
  };
}

export function readNodes(answer: unknown): readonly NodeView[] {
  const { nodes } = fieldsOf(answer);
  return Array.isArray(nodes) ? nodes.flatMap((one) => readNode(one) ?? []) : [];
}

/** Questions about commands that wait for the owner, with what is new in each. */
export function readQuestions(answer: unknown): readonly NodeQuestion[] {
  const { pending, paired } = fieldsOf(answer);
  const known = new Map<string, ReadonlySet<string>>();
  for (const row of (Array.isArray(paired) ? paired : []).map(fieldsOf)) known.set(stringOf(row.nodeId) ?? '', new Set(texts(row.commands)));
  return (Array.isArray(pending) ? pending : []).map(fieldsOf).flatMap((row) => {
    const [id, nodeId] = [stringOf(row.requestId), stringOf(row.nodeId)];
    if (!id || !nodeId) return [];
    const commands = texts(row.commands);
    const allowed = known.get(nodeId) ?? new Set();
    return [
      {
        id,
        nodeId,
        name: cut(stringOf(row.displayName)) ?? words.nameless,
        platform: platformOf(row),
        address: cut(stringOf(row.remoteIp), 60),
        commands,
        fresh: new Set(allowed.size === 0 ? [] : commands.filter((one) => !allowed.has(one))),
        permissions: permissionsOf(row.permissions),
        needs: texts(row.requiredApproveScopes),
        since: numberOf(row.ts),
      },
    ];
  });
}

export function readDevices(answer: unknown): readonly DeviceView[] {
  const { paired } = fieldsOf(answer);
  return (Array.isArray(paired) ? paired : []).map(fieldsOf).flatMap((row) => {
    const id = stringOf(row.deviceId);
    if (!id) return [];
    const platform = platformOf(row);
    return [
      {
        id,
        name: cut(stringOf(row.operatorLabel)) ?? cut(stringOf(row.displayName)) ?? (platform || words.nameless),
        platform,
        address: cut(stringOf(row.remoteIp), 60),
        online: row.connected === true,
        roles: texts(row.roles),
        scopes: texts(row.scopes),
        via: stringOf(row.approvedVia),
        lastSeenAt: numberOf(row.lastSeenAtMs),
        approvedAt: numberOf(row.approvedAtMs),
        tokens: (Array.isArray(row.tokens) ? row.tokens : [])
          .map(fieldsOf)
          .map((token) => ({
            role: stringOf(token.role) ?? 'operator',
            scopes: texts(token.scopes),
            madeAt: numberOf(token.createdAtMs),
            renewedAt: numberOf(token.rotatedAtMs),
            usedAt: numberOf(token.lastUsedAtMs),
            revoked: numberOf(token.revokedAtMs) !== undefined,
          })),
      },
    ];
  });
}

/** This browser first, then those that are here, then by when they were last seen. */
export function inOrder(devices: readonly DeviceView[], own: string | undefined): readonly DeviceView[] {
  const rank = (device: DeviceView): number => (device.id === own ? 0 : device.online ? 1 : 2);
  return [...devices].sort((one, other) => rank(one) - rank(other) || (other.lastSeenAt ?? 0) - (one.lastSeenAt ?? 0));
}

/** What scopes mean to the person who granted them. The right to everything says all of it. */
export function scopeTexts(scopes: readonly string[]): readonly string[] {
  const known: Record<string, string> = strings.deviceScopes;
  if (scopes.includes('operator.admin')) return [strings.deviceScopes['operator.admin']];
  return scopes.map((scope) => known[scope] ?? scope);
}

/** Commands by what they are about, with those that matter most first; what is unknown stands under its own first word. */
export function grouped(commands: readonly string[]): readonly CommandGroup[] {
  const groups = new Map<string, CommandView[]>();
  for (const name of [...commands].sort()) {
    const kind = name.split('.')[0] ?? name;
    const title = words.commandKinds[kind] ?? kind;
    const there = groups.get(title) ?? [];
    there.push({ name, sensitive: SENSITIVE.has(name) });
    groups.set(title, there);
  }
  const hasSensitive = (group: CommandGroup): number => Number(group.commands.some((one) => one.sensitive));
  return [...groups].map(([title, list]) => ({ title, commands: list })).sort((one, other) => hasSensitive(other) - hasSensitive(one));
}

/** Which of the needed scopes a page does not have. */
export function missing(needs: readonly string[], has: readonly string[]): readonly string[] {
  return has.includes('operator.admin') ? [] : needs.filter((one) => !has.includes(one));
}

/** What is wrong with a name, in words. */
export function nameProblem(name: string): string | undefined {
  const trimmed = name.trim();
  if (!trimmed) return words.renameEmpty;
  return [...trimmed].length > MAX_LABEL ? words.renameLong : undefined;
}
