// Writes a deflated copy beside every compressible file of dist, so the gateway
// never compresses at run time, and fails the build when the page outgrows its budget.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';

/** What a browser fetches before the chat can be used: the page, what it names, and nothing loaded later. */
const FIRST_LOAD_BYTES = 250 * 1024;
/** All pages together. */
const TOTAL_BYTES = 700 * 1024;
const COMPRESSIBLE = new Set(['.html', '.js', '.css', '.svg', '.json', '.webmanifest']);
const dist = fileURLToPath(new URL('../dist', import.meta.url));

const sizes = new Map();
const pack = promisify(deflate);
const paths = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && COMPRESSIBLE.has(extname(entry.name)))
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
await Promise.all(
  paths.map(async (path) => {
    const raw = readFileSync(path);
    const packed = await pack(raw, { level: 9, memLevel: 9 });
    if (packed.length < raw.length) writeFileSync(`${path}.z`, packed);
    sizes.set(relative(dist, path), Math.min(packed.length, raw.length));
  }),
);
const index = readFileSync(join(dist, 'index.html'), 'utf8');
const named = [...index.matchAll(/(?:src|href)="\.?\/?([^"#?]+)"/g)].map((match) => match[1]);
const sum = (names) => names.reduce((total, name) => total + (sizes.get(name) ?? 0), 0);
const first = sum(['index.html', ...new Set(named)]);
const total = sum([...sizes.keys()]);
const kB = (bytes) => `${(bytes / 1024).toFixed(1)} kB`;
console.log(`compressed: ${kB(first)} of ${kB(FIRST_LOAD_BYTES)} for the first load, ${kB(total)} of ${kB(TOTAL_BYTES)} in all`);
if (first > FIRST_LOAD_BYTES || total > TOTAL_BYTES) {
  console.error('the page is over its size budget');
  process.exit(1);
}
