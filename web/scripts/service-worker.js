// Keeps the page itself at hand, so that it opens while the gateway is away and says so. It keeps nothing
// but the page's own files: never an answer of the gateway, never an address with what it carries.
const BUILD = '__BUILD__';
const FILES = '__FILES__';
const PREFIX = 'homard-page-';
const CACHE = PREFIX + BUILD;
/** The page of the last build may still be open and ask for its files. */
const CACHES_KEPT = 2;
const PAGE_WAIT_MS = 4000;
/** One name for the page, whatever the address says behind it. */
const PAGE = new URL('./', self.registration.scope).href;

self.addEventListener('install', (event) => {
  event.waitUntil(
    (async () => {
      const cache = await caches.open(CACHE);
      await cache.addAll([PAGE, ...FILES.map((name) => new URL(name, PAGE).href)].map((url) => new Request(url, { cache: 'no-cache' })));
      await self.skipWaiting();
    })(),
  );
});

self.addEventListener('activate', (event) => {
  event.waitUntil(
    (async () => {
      const ours = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE);
      await Promise.all(ours.slice(0, Math.max(0, ours.length - (CACHES_KEPT - 1))).map((name) => caches.delete(name)));
      await self.clients.claim();
    })(),
  );
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET') return;
  const url = new URL(request.url);
  if (url.origin !== location.origin || !url.href.startsWith(PAGE)) return;
  const name = url.pathname.slice(new URL(PAGE).pathname.length);
  if (request.mode === 'navigate') {
    if (name === '' || name === 'index.html') event.respondWith(page(request));
  } else if (name.startsWith('assets/') || name.startsWith('icons/') || name === 'favicon.svg') {
    event.respondWith(file(request, name));
  }
});

/** The gateway's page when it answers, else the one at hand. */
async function page(request) {
  const cache = await caches.open(CACHE);
  const fromGateway = fetch(request).then((answer) => {
    if (answer.ok && (answer.headers.get('content-type') ?? '').startsWith('text/html')) void cache.put(PAGE, answer.clone());
    return answer;
  });
  const late = new Promise((resolve) => setTimeout(resolve, PAGE_WAIT_MS));
  try {
    const answer = await Promise.race([fromGateway, late]);
    if (answer) return answer;
  } catch {
    // Not there: the one at hand will do.
  }
  return (await cache.match(PAGE)) ?? fromGateway;
}

/** Files whose names contain their hash never change; the others are looked for first. */
async function file(request, name) {
  const hashed = name.startsWith('assets/');
  const kept = await caches.match(request, { ignoreSearch: true });
  if (kept && hashed) return kept;
  try {
    const answer = await fetch(request);
    if (answer.ok && hashed) void (await caches.open(CACHE)).put(request, answer.clone());
    return answer;
  } catch (error) {
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const address = new URL(event.notification.data?.address ?? './', PAGE).href;
  event.waitUntil(
    (async () => {
      const [open] = await self.clients.matchAll({ type: 'window' });
      if (!open) return self.clients.openWindow(address);
      open.postMessage({ open: address });
      return open.focus();
    })(),
  );
});
