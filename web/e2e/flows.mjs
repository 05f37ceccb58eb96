// Runs the flows beside this file, several at once in one browser, each in a world of its own:
//   node e2e/flows.mjs                    all
//   node e2e/flows.mjs schedule settings  these
// A flow that fails beside others is played once more, alone: what passes then is named at the end and does not fail the
// run, because a starved browser says nothing about the page; what fails twice does.
// A flow exports `steps`, a list of [sentence, async (world) => ...], and perhaps `options` of its world.
// Environment: HOMARD_E2E_JOBS  how many flows at once; and see world.mjs.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { RESULTS, World, launch } from './world.mjs';

/** One more than processors: a flow waits for its gateway half of the time. */
const JOBS = Number(process.env.HOMARD_E2E_JOBS) || availableParallelism() + 1;
/** These take longest and begin first, or one of them would run alone in the end. */
const LONG = new Set(['conversation', 'conversation_long', 'composer', 'watch', 'reach', 'lists']);
const LOG_LINES = 40;
const SLOW_STEPS = 10;
const folder = new URL('./flows/', import.meta.url);
const wanted = process.argv.slice(2);
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.mjs'))
  .map((file) => file.slice(0, -'.mjs'.length))
  .filter((name) => wanted.length === 0 || wanted.includes(name))
  .sort();
for (const name of wanted) if (!names.includes(name)) throw new Error(`there is no flow ${name} in e2e/flows`);
mkdirSync(RESULTS, { recursive: true });

const seconds = (from) => (performance.now() - from) / 1000;
const flows = await Promise.all(names.map(async (name) => ({ name, ...(await import(new URL(`${name}.mjs`, folder))) })));
const waiting = flows.toSorted((one, other) => Number(LONG.has(other.name)) - Number(LONG.has(one.name)) || other.steps.length - one.steps.length);
const took = [];
const browser = await launch();
const again = [];
const told = new Set();
let failed = 0;
await Promise.all(
  Array.from({ length: JOBS }, async () => {
    for (let flow = waiting.shift(); flow; flow = waiting.shift()) await run(flow, (why) => again.push({ flow, why }));
  }),
);
for (const { flow } of again) {
  await run(flow, (why) => {
    failed += 1;
    console.error(`FAIL  ${why}`);
  });
}
await browser.close();
console.log(`\nseconds per flow, ${JOBS} at once:\n${list(took.filter(({ step }) => !step))}`);
console.log(
  `the slowest steps:\n${list(
    took
      .filter(({ step }) => step)
      .toSorted((one, other) => other.took - one.took)
      .slice(0, SLOW_STEPS),
  )}`,
);
if (again.length > 0) console.log(`failed beside others, and were played again alone:\n${again.map(({ why }) => `  ${why.split('\n')[0]}`).join('\n')}`);
process.exit(failed === 0 ? 0 : 1);

async function run({ name, steps, options }, fails) {
  const begun = performance.now();
  const world = new World(browser, options);
  let at = 'the world begins';
  try {
    await world.start();
    for (const [sentence, act] of steps) {
      at = sentence;
      const from = performance.now();
      await act(world);
      took.push({ name: `${name}: ${sentence}`, step: true, took: seconds(from) });
      // A step that is played again is counted once.
      if (!told.has(`${name}: ${sentence}`)) console.log([`ok    ${name}: ${sentence}`, ...world.notes.splice(0).map((note) => `      ${note}`)].join('\n'));
      told.add(`${name}: ${sentence}`);
    }
    at = 'nothing was complained about';
    assert.deepEqual(world.complaints, []);
  } catch (error) {
    await world.page?.screenshot({ path: `${RESULTS}/failed-${name}.png` }).catch(() => undefined);
    const log = world.home ? world.log().split('\n').slice(-LOG_LINES) : [];
    const why = [`${name}: ${at}`, error instanceof Error ? error.stack : error, ...world.complaints, ...log].join('\n');
    // At once, so that another flow's lines do not come between.
    console.error(`went wrong: ${why}`);
    fails(why);
  } finally {
    await world.stop();
    took.push({ name, step: false, took: seconds(begun) });
  }
}

function list(rows) {
  return rows
    .toSorted((one, other) => other.took - one.took)
    .map((row) => `  ${row.took.toFixed(1).padStart(6)}  ${row.name}`)
    .join('\n');
}
