// Runs the flows beside this file, each in a world of its own:
//   node e2e/flows.mjs              all
//   node e2e/flows.mjs cron config  these
// A flow exports `steps`, a list of [sentence, async (world) => ...], and perhaps `options` of its world.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { RESULTS, World, launch } from './world.mjs';

const LOG_LINES = 40;
const folder = new URL('./flows/', import.meta.url);
const wanted = process.argv.slice(2);
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.mjs'))
  .map((file) => file.slice(0, -'.mjs'.length))
  .filter((name) => wanted.length === 0 || wanted.includes(name))
  .sort();
for (const name of wanted) if (!names.includes(name)) throw new Error(`there is no flow ${name} in e2e/flows`);
mkdirSync(RESULTS, { recursive: true });

const browser = await launch();
let failed = 0;
for (const name of names) {
  const { steps, options } = await import(new URL(`${name}.mjs`, folder));
  const world = new World(browser, options);
  let at = 'the world begins';
  try {
    await world.start();
    for (const [sentence, run] of steps) {
      at = sentence;
      await run(world);
      console.log(`ok    ${name}: ${sentence}`);
    }
    at = 'nothing was complained about';
    assert.deepEqual(world.complaints, []);
  } catch (error) {
    failed += 1;
    console.error(`FAIL  ${name}: ${at}\n${error instanceof Error ? error.stack : error}`);
    if (world.complaints.length > 0) console.error(world.complaints.join('\n'));
    await world.page?.screenshot({ path: `${RESULTS}/failed-${name}.png` }).catch(() => undefined);
    if (world.home) console.error(world.log().split('\n').slice(-LOG_LINES).join('\n'));
  } finally {
    await world.stop();
  }
}
await browser.close();
process.exit(failed === 0 ? 0 : 1);
