// Puts the pictures of the manual (docs/ui) in their place: the flows take them
// (`npm run test:flows`, into test-results), and the browser makes them small.
//   node scripts/shots.mjs
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { launch } from '../e2e/world.mjs';

const QUALITY = 0.82;
const from = fileURLToPath(new URL('../test-results/', import.meta.url));
const to = fileURLToPath(new URL('../../docs/ui/', import.meta.url));
/** One view of every page, and the states people ask about. */
const VIEWS = [
  'conversation-markdown',
  'conversation-tools',
  'composer-queue',
  'composer-palette',
  'composer-models',
  'sessions',
  'sessions-search',
  'approval',
  'palette',
  'overview',
  'usage',
  'logs',
  'channels',
  'devices',
  'devices-code',
  'schedule',
  'schedule-form',
  'skills',
  'agents',
  'models',
  'memory',
  'settings-form',
  'settings-review',
  'debug',
  'setup-provider',
  'sign-in',
  'offline',
];

mkdirSync(to, { recursive: true });
const browser = await launch();
const page = await browser.newPage();
for (const view of VIEWS) {
  for (const size of ['desktop', 'phone']) {
    for (const scheme of ['light', 'dark']) {
      const name = `${view}-${size}-${scheme}`;
      const picture = `data:image/png;base64,${readFileSync(`${from}${name}.png`, 'base64')}`;
      const small = await page.evaluate(shrunk, [picture, QUALITY]);
      writeFileSync(`${to}${name}.webp`, Buffer.from(small.split(',')[1], 'base64'));
    }
  }
}
await browser.close();

/** In the browser: the picture as WebP. */
async function shrunk([picture, quality]) {
  const image = new Image();
  image.src = picture;
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
  canvas.getContext('2d').drawImage(image, 0, 0);
  return canvas.toDataURL('image/webp', quality);
}
