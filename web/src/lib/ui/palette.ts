// What the palette offers: acts, pages, chats, and messages that were found, the best fits first.
import { words } from '../../words/lists';
import type { IconName } from '../../components/Icon.svelte';
import type { App } from '../app.svelte';
import { fuzzyScore } from '../text/fuzzy';
import type { Found } from '../sessions/message_search.svelte';
import { CHAT, PAGE_GROUPS, SETUP } from '../pages';
import { install } from '../connection/pwa.svelte';
import { platformOf, sessionTitle } from '../sessions/list';
import { strings } from '../strings';
import { theme, THEMES } from './theme.svelte';
import type { SessionRow } from '../connection/wire';

const CHATS_MAX = 8;
const FOUND_MAX = 6;
const ACTS_MAX = 6;

export type PaletteSection = keyof typeof words.paletteSections;

export interface PaletteItem {
  id: string;
  section: PaletteSection;
  title: string;
  /** Said after the title, quietly. */
  hint?: string | undefined;
  icon: IconName;
  /** Other words it answers to. */
  also?: string;
  run: () => unknown;
}

const THEME_NAMES = { system: strings.themeSystem, light: strings.themeLight, dark: strings.themeDark };

export function acts(app: App): PaletteItem[] {
  const act = (id: string, icon: IconName, title: string, run: () => unknown, also = ''): PaletteItem => ({ id: `act:${id}`, section: 'acts', title, icon, run, also });
  const running = app.sessions.running.length;
  const waiting = app.requests.all.length;
  return [
    act('new', 'plus', words.actNewChat, () => app.newSession(), 'start conversation'),
    ...(waiting > 0 ? [act('requests', 'warning', words.actRequests, () => focusRequests(app), 'approve allow deny pairing')] : []),
    ...(running > 0 ? [act('stop', 'stop', words.actStopAll(running), () => app.stopAll(), 'abort cancel')] : []),
    act('unread', 'bell', words.actUnread, () => showList(app, { view: 'unread' }), 'filter new'),
    act('archived', 'archive', words.actArchived, () => showList(app, { view: 'archived' }), 'filter'),
    ...(app.sessions.unread.length > 0 ? [act('read', 'check', words.actReadAll, () => app.readAll(), 'unread')] : []),
    act('ended', 'refresh', words.actEnded, () => (app.overlay = 'ended'), 'undo trash deleted history'),
    ...THEMES.filter((choice) => choice !== theme.current).map((choice) =>
      act(`theme:${choice}`, choice === 'dark' ? 'moon' : choice === 'light' ? 'sun' : 'screen', words.actTheme(THEME_NAMES[choice]), () => theme.choose(choice), 'colour mode appearance'),
    ),
    app.notifier.on ? act('notify', 'bell', words.actNotifyOff, () => app.notifier.turnOff(), 'mute') : act('notify', 'bell', words.actNotify, () => app.notifier.turnOn(), 'alerts sound'),
    ...(install.available ? [act('install', 'download', words.actInstall, () => install.ask(), 'pwa app home screen')] : []),
    act('keys', 'lines', words.actKeys, () => (app.overlay = 'keys'), 'help hotkeys'),
    act('reload', 'refresh', words.actReload, () => location.reload(), 'refresh update'),
  ];
}

export function pages(app: App): PaletteItem[] {
  const page = (id: string, title: string, icon: IconName): PaletteItem => ({ id: `page:${id}`, section: 'pages', title, icon, run: () => openPage(app, id) });
  return [
    page(CHAT, strings.pages.chat, 'chat'),
    ...PAGE_GROUPS.flat().map((one) => page(one.id, one.title, one.icon)),
    { ...page(SETUP.id, words.actSetup, SETUP.icon), also: 'first run wizard provider key' },
  ];
}

export function openPage(app: App, id: string): void {
  if (id === CHAT) app.select(app.chat?.key ?? app.mainKey);
  else app.router.open(id);
}

function chats(app: App, rows: readonly SessionRow[]): PaletteItem[] {
  return rows.map((row) => ({
    id: `chat:${row.key}`,
    section: 'chats',
    title: sessionTitle(row),
    hint: platformOf(row),
    icon: platformOf(row) ? 'bubbles' : 'chat',
    also: row.category ?? '',
    run: () => app.select(row.key),
  }));
}

function messages(app: App, found: readonly Found[]): PaletteItem[] {
  return found
    .slice(0, FOUND_MAX)
    .map((one) => ({ id: `message:${one.id}`, section: 'messages', title: one.snippet, hint: one.title, icon: 'lines', run: () => app.select(one.sessionKey, one.messageId) }));
}

/** Everything that fits, section by section; without a query the likeliest of each. */
export function paletteItems(app: App, query: string, found: readonly Found[]): readonly PaletteItem[] {
  if (!query.trim()) return [...chats(app, app.sessions.rows.filter((row) => row.key !== app.chat?.key).slice(0, CHATS_MAX - 2)), ...acts(app).slice(0, ACTS_MAX), ...pages(app)];
  const fitting = (items: PaletteItem[], most: number): [number, PaletteItem[]] => {
    const scored = items.flatMap((item) => {
      const score = Math.max(fuzzyScore(item.title, query) ?? -1, (fuzzyScore(item.also ?? '', query) ?? -1) / 2);
      return score > 0 ? [{ score, item }] : [];
    });
    scored.sort((one, other) => other.score - one.score);
    return [scored[0]?.score ?? 0, scored.slice(0, most).map(({ item }) => item)];
  };
  const sections = [fitting(pages(app), ACTS_MAX), fitting(acts(app), ACTS_MAX), fitting(chats(app, app.sessions.rows), CHATS_MAX)];
  // The section with the best fit comes first; messages follow what is named so.
  sections.sort(([one], [other]) => other - one);
  return [...sections.flatMap(([, items]) => items), ...messages(app, found)];
}

export function focusRequests(app: App): void {
  app.requests.show();
  requestAnimationFrame(() => document.getElementById('requests')?.focus());
}

function showList(app: App, filter: { view: 'unread' | 'archived' }): void {
  openPage(app, CHAT);
  void app.sessions.setFilter(filter);
}

/** The chat before or after the one in view, as the list shows them. */
export function neighbour(rows: readonly SessionRow[], current: string | undefined, by: 1 | -1): string | undefined {
  const at = rows.findIndex((row) => row.key === current);
  if (at < 0) return (by > 0 ? rows[0] : rows.at(-1))?.key;
  return rows[at + by]?.key;
}
