// The page as an app: its service worker, word of a new version, and the browser's offer to install it.
import type { App } from '../app.svelte';

/** The event by which a browser offers to install; not in TypeScript's library. */
interface InstallEvent extends Event {
  prompt(): Promise<unknown>;
}

class Install {
  available = $state(false);
  #event: InstallEvent | undefined;

  listen(): void {
    addEventListener('beforeinstallprompt', (event) => {
      event.preventDefault();
      this.#event = event as InstallEvent;
      this.available = true;
    });
    addEventListener('appinstalled', () => {
      this.#event = undefined;
      this.available = false;
    });
  }

  async ask(): Promise<void> {
    await this.#event?.prompt();
    this.#event = undefined;
    this.available = false;
  }
}

export const install = new Install();

/** Registers the worker that keeps the page itself at hand, and says when a newer one came. */
export function keepAtHand(app: App): void {
  install.listen();
  if (!('serviceWorker' in navigator) || import.meta.env.DEV) return;
  navigator.serviceWorker.addEventListener('message', (event: MessageEvent) => {
    const address: unknown = (event.data as { open?: unknown } | null)?.open;
    if (typeof address === 'string') openAddress(app, address);
  });
  navigator.serviceWorker.register('./sw.js').then(
    (registration) => {
      const had = navigator.serviceWorker.controller !== null;
      registration.addEventListener('updatefound', () => {
        const coming = registration.installing;
        coming?.addEventListener('statechange', () => {
          if (had && coming.state === 'installed') app.offerReload();
        });
      });
      // A gateway that comes back may have brought another page.
      app.listen((name) => {
        if (name === 'connected') registration.update().catch(() => undefined);
      });
    },
    () => undefined,
  );
}

/** A notification was clicked. Only addresses of this page are followed. */
function openAddress(app: App, address: string): void {
  const url = new URL(address, location.href);
  if (url.origin !== location.origin) return;
  app.select(url.searchParams.get('session') ?? app.mainKey);
}
