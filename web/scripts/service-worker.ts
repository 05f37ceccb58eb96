// Writes the service worker into the build: the file beside this one, with the names of this build's files.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

const SOURCE = new URL('./service-worker.js', import.meta.url);
/** Fetched along with the worker; everything else is kept when it is first used. */
const PUBLIC_FILES = ['favicon.svg', 'manifest.webmanifest', 'icons/icon-192.png'];

export function serviceWorker(): Plugin {
  return {
    name: 'homard-service-worker',
    apply: 'build',
    generateBundle(_options, bundle) {
      const first = new Set<string>();
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk' || !file.isEntry) continue;
        for (const name of [file.fileName, ...file.imports, ...(file.viteMetadata?.importedCss ?? [])]) first.add(name);
      }
      // Every file of the build, so that the worker is another whenever any of them is.
      const build = createHash('sha256').update(Object.keys(bundle).sort().join('\n')).digest('hex').slice(0, 12);
      const source = readFileSync(SOURCE, 'utf8')
        .replace("'__BUILD__'", JSON.stringify(build))
        .replace("'__FILES__'", JSON.stringify([...[...first].sort(), ...PUBLIC_FILES]));
      this.emitFile({ type: 'asset', fileName: 'sw.js', source });
    },
  };
}
