// Writes a Brotli copy beside every compressible file of dist, so the gateway
// never compresses at run time, and fails the build when the page outgrows its budget.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

const BUDGET_BYTES = 150 * 1024;
const COMPRESSIBLE = new Set(['.html', '.js', '.css', '.svg', '.json', '.webmanifest']);
const dist = fileURLToPath(new URL('../dist', import.meta.url));

let total = 0;
for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath ?? entry.path, entry.name);
  if (!entry.isFile() || !COMPRESSIBLE.has(extname(path))) continue;
  const raw = readFileSync(path);
  const packed = brotliCompressSync(raw, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: raw.length } });
  if (packed.length < raw.length) writeFileSync(`${path}.br`, packed);
  total += Math.min(packed.length, raw.length);
}
console.log(`compressed total: ${(total / 1024).toFixed(1)} kB of ${BUDGET_BYTES / 1024} kB`);
if (total > BUDGET_BYTES) {
  console.error('the page is over its size budget');
  process.exit(1);
}
