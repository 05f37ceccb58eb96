// How the page is built: one entry, hashed assets, nothing inlined that the
// content security policy would refuse.
import { readFileSync } from 'node:fs';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';
import { serviceWorker } from './scripts/service-worker';

const manifest = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8')) as { version: string };

export default defineConfig(({ mode }) => ({
  // Relative, so that the page works beneath gateway.controlUi.basePath.
  base: './',
  plugins: [svelte(), serviceWorker()],
  define: { __APP_VERSION__: JSON.stringify(manifest.version) },
  // Vitest must load Svelte's browser build, or runes would not react.
  resolve: mode === 'test' ? { conditions: ['browser'] } : {},
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    // scripts/compress.mjs says what matters.
    reportCompressedSize: false,
  },
  server: {
    // `npm run dev` talks to a gateway on its default port.
    proxy: { '^/$': { target: 'ws://127.0.0.1:18789', ws: true, bypass: (request) => (request.headers.upgrade ? undefined : request.url) } },
  },
  test: {
    // Those that need a document say so in their first line: making one for every file took longer than the tests.
    environment: 'node',
    include: ['src/**/*.test.ts'],
    // No module holds state that a test could see, so files share a worker; what a test replaced is put back for the next.
    pool: 'threads',
    isolate: false,
    restoreMocks: true,
    unstubGlobals: true,
  },
}));
