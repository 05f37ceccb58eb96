// What the pages about models share: who can be called, what they have, what was chosen, and asking them.
import { SvelteMap } from 'svelte/reactivity';
import type { App } from '../app.svelte';
import { Loaded } from '../loaded.svelte';
import { type Choice, type CustomProvider, type Probe, type Provider, choicePatch, customPatch, writtenProviders } from './models';
import { type Fields, fieldsOf } from '../read';

/** Shorter than the page waits for an answer to any request. */
const PROBE_MS = 12_000;

/** How often and how long apart it is looked whether a removed provider is gone. */
const GONE_LOOKS = 20;
const GONE_MS = 250;

export type Probing = { state: 'asking' } | { state: 'answered'; probe: Probe } | { state: 'failed'; problem: string };

export class ModelsRoom {
  readonly auth;
  readonly models;
  readonly config;
  readonly agents;
  readonly probes = new SvelteMap<string, Probing>();

  constructor(private readonly app: App) {
    this.auth = new Loaded(() => app.request('models.authStatus', {}));
    this.models = new Loaded(() => app.request('models.list', { view: 'all', includeDetails: true }));
    this.config = new Loaded(() => app.request('config.get', {}));
    this.agents = new Loaded(() => app.request('agents.list', {}));
  }

  follow(): () => void {
    const stops = [this.auth, this.models, this.config, this.agents].map((one) => one.follow(this.app));
    return () => stops.forEach((stop) => stop());
  }

  refresh(): Promise<unknown> {
    return Promise.all([this.auth.refresh(), this.models.refresh(), this.config.refresh(), this.agents.refresh()]);
  }

  async probe(provider: string): Promise<Probing> {
    this.probes.set(provider, { state: 'asking' });
    let found: Probing;
    try {
      found = { state: 'answered', probe: await this.app.request('models.probe', { provider, timeoutMs: PROBE_MS }) };
    } catch (error) {
      found = { state: 'failed', problem: reason(error) };
    }
    this.probes.set(provider, found);
    // One that was just added is known by now, and was not when the lists were read.
    if (!this.auth.value?.providers.some((one) => one.provider === provider)) await Promise.all([this.auth.refresh(), this.models.refresh()]);
    return found;
  }

  /** Writes a change into the configuration as it is now. */
  async patch(patch: Fields, replacePaths: string[] = []): Promise<void> {
    const { hash, exists } = await this.app.request('config.get', {});
    await this.app.request('config.patch', { raw: JSON.stringify(patch), replacePaths, ...(exists ? { baseHash: hash } : {}) });
    await this.refresh();
  }

  async choose(agent: string | undefined, choice: Choice | undefined): Promise<void> {
    const { patch, replacePaths } = choicePatch(this.config.value?.parsed, agent, choice);
    await this.patch(patch, replacePaths);
  }

  /** Keeps a key with the credentials; one that stood in the configuration in plain sight makes way for it. */
  async setKey(provider: string, apiKey: string): Promise<void> {
    await this.app.request('models.authSetApiKey', { provider, apiKey });
    const { parsed } = await this.app.request('config.get', {});
    if (fieldsOf(writtenProviders(parsed)[provider]).apiKey === undefined) await this.refresh();
    else await this.patch({ models: { providers: { [provider]: { apiKey: null } } } });
  }

  async forget(provider: string, profileId: string): Promise<void> {
    await this.app.request('models.authLogout', { provider, profileIds: [profileId] });
    this.probes.delete(provider);
    await this.refresh();
  }

  async addCustom(custom: CustomProvider): Promise<void> {
    await this.patch(customPatch(custom), [`models.providers.${custom.id}.models`]);
    this.probes.delete(custom.id);
    if (custom.key.trim() !== '') await this.setKey(custom.id, custom.key.trim());
  }

  /** Forgets a provider: what is written of it and its stored keys. */
  async remove(provider: Provider): Promise<void> {
    const ids = provider.profiles.map((profile) => profile.profileId);
    if (ids.length > 0) await this.app.request('models.authLogout', { provider: provider.provider, profileIds: ids });
    this.probes.delete(provider.provider);
    await this.patch({ models: { providers: { [provider.provider]: null } } });
    // The gateway takes the change in its own time, and says nothing when it has.
    for (let look = 0; look < GONE_LOOKS && this.auth.value?.providers.some((one) => one.provider === provider.provider); look += 1) {
      await new Promise((resolve) => setTimeout(resolve, GONE_MS));
      await this.refresh();
    }
  }
}

export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
