// Drives the published page of OpenClaw in headless Chromium. The Homard gateway serves the page's files itself
// (`gateway.controlUi.root`), so its routes, types and policies are what the page meets. `cargo xtask compat` runs
// this and hands everything over in the environment; what the page asked for is written to the file `RECORD`.

import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Walk } from './walk.mjs';

const { CHROMIUM, PLAYWRIGHT, GATEWAY, GATEWAY_TOKEN, LAST_WORD, RECORD } = process.env;
/** Pages to walk through after the chat, with those their links lead to; none unless the flow is about them. */
const PAGES = (process.env.PAGES ?? '').split(' ').filter(Boolean);

const { chromium } = await import(pathToFileURL(PLAYWRIGHT).href);
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
const problems = [];
const blocked = [];
const outside = new Set();
let failure = null;
let page;
let walk;
try {
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  walk = new Walk(page, `http://${GATEWAY}`);
  page.on('console', (line) => {
    if (line.type() === 'error') problems.push(`console: ${line.text()}`);
    if (!line.text().includes('Content Security Policy')) return;
    // The page offers looks from a host on the internet; that a page which knows the token reaches no other host is meant.
    const host = /^(?:Connecting to|Fetch API cannot load) '?https:\/\/([^/']+)/.exec(line.text())?.[1];
    if (host && host !== GATEWAY) outside.add(host);
    else blocked.push(line.text());
  });
  page.on('response', (answer) => {
    if (answer.status() >= 400) problems.push(`${answer.status()} ${answer.request().method()} ${answer.url()}`);
  });
  await page.goto(`http://${GATEWAY}/chat?session=main#token=${GATEWAY_TOKEN}`);
  const box = page.locator('textarea, [contenteditable="true"]').first();
  await box.waitFor({ timeout: 45_000 });
  await page.waitForFunction(
    () => { const box = document.querySelector('textarea'); return !box || !box.disabled; }, null, { timeout: 30_000 },
  );
  await box.fill('hello from the page');
  await box.press('Enter');
  await page.getByText(LAST_WORD).first().waitFor({ timeout: 45_000 });
  const walked = new Set();
  for (const path of PAGES) {
    if (walked.has(path)) continue;
    walked.add(path);
    await walk.page(path);
    PAGES.push(...(await walk.links()));
  }
} catch (error) {
  failure = error.message.split('\n')[0];
  if (process.env.SCREENSHOT) await page?.screenshot({ path: process.env.SCREENSHOT }).catch(() => {});
}
await browser.close();
const asked = [...(walk?.asked ?? [])].sort();
if (RECORD) writeFileSync(RECORD, JSON.stringify(asked.map(([method, { where, refused }]) => ({ method, where, refused }))));
if (!failure && walk.broken.length) failure = walk.broken[0];
if (!failure && blocked.length) failure = `the policy blocked something: ${blocked[0]}`;
for (const host of outside) console.log(`the page asked for ${host}, which the policy does not let it reach`);
if (failure) {
  console.log(`the page did not work: ${failure}`);
  for (const [method, { refused }] of asked) if (refused) console.log(`${method} was refused: ${refused}`);
  for (const problem of new Set(problems)) console.log(problem);
}
process.exit(failure ? 1 : 0);
