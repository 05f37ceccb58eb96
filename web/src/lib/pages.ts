// Every page of the frame: one line each. A page is loaded when it is first looked at, so the
// chat does not wait for the others.
import type { Component } from 'svelte';
import type { IconName } from '../components/Icon.svelte';
import type { App } from './app.svelte';
import { strings } from './strings';

export type PageView = Component<{ app: App }>;

export interface PageEntry {
  id: string;
  title: string;
  icon: IconName;
  load: () => Promise<{ default: PageView }>;
}

const names = strings.pages;

/** In the order of the menu; groups are set apart. The chat itself is not among them. */
export const PAGE_GROUPS: readonly (readonly PageEntry[])[] = [
  [
    { id: 'overview', title: names.overview, icon: 'pulse', load: () => import('../pages/Overview.svelte') },
    { id: 'usage', title: names.usage, icon: 'coins', load: () => import('../pages/Usage.svelte') },
    { id: 'logs', title: names.logs, icon: 'lines', load: () => import('../pages/Logs.svelte') },
  ],
  [
    { id: 'channels', title: names.channels, icon: 'bubbles', load: () => import('../pages/Channels.svelte') },
    { id: 'nodes', title: names.nodes, icon: 'phone', load: () => import('../pages/Nodes.svelte') },
    { id: 'cron', title: names.cron, icon: 'clock', load: () => import('../pages/Cron.svelte') },
    { id: 'skills', title: names.skills, icon: 'spark', load: () => import('../pages/Skills.svelte') },
    { id: 'hooks', title: names.hooks, icon: 'branch', load: () => import('../pages/Hooks.svelte') },
    { id: 'agents', title: names.agents, icon: 'person', load: () => import('../pages/Agents.svelte') },
    { id: 'models', title: names.models, icon: 'chip', load: () => import('../pages/Models.svelte') },
    { id: 'memory', title: names.memory, icon: 'book', load: () => import('../pages/Memory.svelte') },
    { id: 'config', title: names.config, icon: 'sliders', load: () => import('../pages/Config.svelte') },
  ],
  [{ id: 'debug', title: names.debug, icon: 'bug', load: () => import('../pages/Debug.svelte') }],
];

export const PAGES: ReadonlyMap<string, PageEntry> = new Map(PAGE_GROUPS.flat().map((page) => [page.id, page]));
/** The page that is the conversation. */
export const CHAT = 'chat';
/** Set-up is a page without a place in the menu: it is opened when nothing is configured, or by a link. */
export const SETUP: PageEntry = { id: 'setup', title: names.setup, icon: 'spark', load: () => import('../pages/Setup.svelte') };

export function findPage(id: string | undefined): PageEntry | undefined {
  if (id === SETUP.id) return SETUP;
  return id === undefined ? undefined : PAGES.get(id);
}
