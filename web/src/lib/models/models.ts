// Models and providers as the pages show them: states in tones, filters, and where a choice is written.
import type { Tone } from '../../kit/Badge.svelte';
import { type Fields, fieldsOf, isFields, stringOf } from '../read';
import type { Methods } from '../connection/wire';

export type AuthStatus = Methods['models.authStatus']['result'];
export type Provider = AuthStatus['providers'][number];
export type Capability = AuthStatus['providerCapabilities'][number];
export type Model = Methods['models.list']['result']['models'][number];
export type Probe = Methods['models.probe']['result'];

/** A model, and what is tried when it fails, in order. */
export interface Choice {
  primary: string;
  fallbacks: string[];
}

/** Built in, so that something answers before anything is set up. */
export const DEMO = 'demo';

export function statusTone(status: string): Tone {
  if (status === 'ok' || status === 'static') return 'plain';
  if (status === 'expiring' || status === 'cooldown') return 'warn';
  return status === 'missing' ? 'plain' : 'bad';
}

/** Whether something is there to call it with. */
export function hasKey(one: Provider): boolean {
  return one.status !== 'missing' && (one.profiles.length > 0 || one.apiKey?.source !== 'none');
}

export function probeTone(status: string): Tone {
  if (status === 'ok') return 'good';
  return status === 'rate_limit' || status === 'timeout' || status === 'no_model' ? 'warn' : 'bad';
}

/** Reads `"a/b"` or `{primary, fallbacks}`; undefined when nothing was chosen. */
export function choiceOf(value: unknown): Choice | undefined {
  if (typeof value === 'string') return { primary: value, fallbacks: [] };
  if (!isFields(value)) return undefined;
  const fallbacks = Array.isArray(value.fallbacks) ? value.fallbacks.filter((one) => typeof one === 'string') : [];
  const primary = stringOf(value.primary) ?? '';
  return primary === '' && fallbacks.length === 0 ? undefined : { primary, fallbacks };
}

export function chainOf(choice: Choice | undefined): string[] {
  return choice ? [choice.primary, ...choice.fallbacks].filter((model) => model !== '') : [];
}

export function choiceFrom(chain: readonly string[]): Choice | undefined {
  const [primary, ...fallbacks] = chain;
  return primary === undefined ? undefined : { primary, fallbacks };
}

export interface AgentChoice {
  /** Undefined for what every agent has unless it says otherwise. */
  agent: string | undefined;
  own: Choice | undefined;
}

/** What is written for everybody and for each agent. */
export function writtenChoices(config: unknown, agents: readonly string[]): AgentChoice[] {
  const section = fieldsOf(fieldsOf(config).agents);
  const entries = fieldsOf(section.entries);
  const list: unknown[] = Array.isArray(section.list) ? section.list : [];
  const own = (id: string): unknown => fieldsOf(entries[id] ?? list.find((one) => fieldsOf(one).id === id)).model;
  return [{ agent: undefined, own: choiceOf(fieldsOf(section.defaults).model) }, ...agents.map((agent) => ({ agent, own: choiceOf(own(agent)) }))];
}

/** The change to send; undefined takes an agent's own choice away. */
export function choicePatch(config: unknown, agent: string | undefined, choice: Choice | undefined): { patch: Fields; replacePaths: string[] } {
  const model = choice === undefined ? null : choice.fallbacks.length === 0 ? { primary: choice.primary, fallbacks: [] } : choice;
  if (agent === undefined) return { patch: { agents: { defaults: { model } } }, replacePaths: [] };
  const section = fieldsOf(fieldsOf(config).agents);
  if (isFields(fieldsOf(section.entries)[agent])) return { patch: { agents: { entries: { [agent]: { model } } } }, replacePaths: [] };
  return { patch: { agents: { list: [{ id: agent, model }] } }, replacePaths: [] };
}

/** Moves one place up (-1) or down (1); the same list when it cannot. */
export function moved<T>(items: readonly T[], at: number, by: number): T[] {
  const to = at + by;
  const next = [...items];
  if (to < 0 || to >= next.length) return next;
  next.splice(to, 0, ...next.splice(at, 1));
  return next;
}

export function reference(model: Pick<Model, 'provider' | 'id'>): string {
  return `${model.provider}/${model.id}`;
}

export interface ModelFilter {
  text: string;
  provider: string;
  usable: boolean;
  thinks: boolean;
  sees: boolean;
}

export function filterModels(models: readonly Model[], filter: ModelFilter): Model[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  return models.filter((model) => {
    const text = `${model.name} ${reference(model)}`.toLowerCase();
    return (
      words.every((word) => text.includes(word)) &&
      (filter.provider === '' || model.provider === filter.provider) &&
      (!filter.usable || model.available) &&
      (!filter.thinks || model.reasoning) &&
      (!filter.sees || model.input.includes('image'))
    );
  });
}

/** Dollars per million tokens as a person reads them. */
export function price(dollars: number): string {
  if (dollars === 0) return '$0';
  return `$${dollars < 1 ? String(Number(dollars.toPrecision(2))) : dollars.toFixed(2).replace(/\.?0+$/, '')}`;
}

/** What a custom provider is called in references: letters, digits, dots and dashes. */
export const PROVIDER_ID = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export interface CustomProvider {
  id: string;
  baseUrl: string;
  api: string;
  key: string;
  /** One per line. */
  models: string;
  /** Whether its models can be shown pictures. */
  sees: boolean;
  /** What is written of its models already, by id; undefined for one that is added. */
  known?: ReadonlyMap<string, Fields>;
}

export const NEW_PROVIDER: CustomProvider = { id: '', baseUrl: '', api: 'openai-completions', key: '', models: '', sees: false };

/** The providers the owner wrote into the configuration. */
export function writtenProviders(config: unknown): Fields {
  return fieldsOf(fieldsOf(fieldsOf(config).models).providers);
}

/** A written provider as its form shows it. The key stays where it is. */
export function editProvider(id: string, written: unknown): CustomProvider {
  const fields = fieldsOf(written);
  const listed = Array.isArray(fields.models) ? fields.models.map(fieldsOf) : [];
  const known = new Map(listed.flatMap((model) => (typeof model.id === 'string' ? [[model.id, model] as const] : [])));
  return { ...NEW_PROVIDER, id, baseUrl: stringOf(fields.baseUrl) ?? '', api: stringOf(fields.api) ?? NEW_PROVIDER.api, models: [...known.keys()].join('\n'), sees: seeing(listed), known };
}

function seeing(models: readonly Fields[]): boolean {
  return models.length > 0 && models.every((model) => Array.isArray(model.input) && model.input.includes('image'));
}

export function isAddress(text: string): boolean {
  try {
    const url = new URL(text);
    return url.protocol === 'http:' || url.protocol === 'https:';
  } catch {
    return false;
  }
}

export function customPatch(custom: CustomProvider): Fields {
  const sawBefore = seeing([...(custom.known?.values() ?? [])]);
  const input = custom.sees === sawBefore ? {} : { input: custom.sees ? ['text', 'image'] : ['text'] };
  const models = custom.models
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter(Boolean)
    .map((id) => ({ ...(custom.known?.get(id) ?? { id, name: id }), ...input }));
  return { models: { providers: { [custom.id]: { baseUrl: custom.baseUrl.trim(), api: custom.api, ...(models.length === 0 && !custom.known ? {} : { models }) } } } };
}
