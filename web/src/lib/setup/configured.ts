// Whether anything but the demo answers; apart from the set-up, because the chat asks it too.
import type { App } from '../app.svelte';

const DEMO = 'demo';

/** Asked of the gateway, because what it said at the start may be old. */
export async function hasModel(app: App): Promise<boolean> {
  const { models } = await app.request('models.list', { view: 'configured' });
  const answering = models.find((model) => model.tags.includes('default'));
  return answering !== undefined && answering.provider !== DEMO;
}
