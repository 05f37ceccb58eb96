// Pictures of chat platforms; one that has none here gets the usual one.
import type { IconName } from '../components/Icon.svelte';

const ICONS: Readonly<Record<string, IconName>> = { telegram: 'plane', irc: 'hash' };

export function platformIcon(channel: string): IconName {
  return ICONS[channel] ?? 'bubbles';
}
