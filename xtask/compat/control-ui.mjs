// Drives the published page of OpenClaw in headless Chromium. The Homard gateway serves the page's files itself
// (`gateway.controlUi.root`), so its routes, types and policies are what the page meets. `cargo xtask compat` runs
// this and hands everything over in the environment.

import { pathToFileURL } from 'node:url';

const { CHROMIUM, PLAYWRIGHT, GATEWAY, GATEWAY_TOKEN, LAST_WORD } = process.env;
/** Pages to look at after the chat, in order; none unless the flow is about them. */
const PAGES = (process.env.PAGES ?? '').split(' ').filter(Boolean);
/** A page has asked for everything once its socket has been silent this long. */
const SILENCE = 700;

const { chromium } = await import(pathToFileURL(PLAYWRIGHT).href);
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
const problems = [];
const blocked = [];
let lastFrame = 0;
let failure = null;
let page;
try {
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.on('pageerror', (error) => problems.push(`page error: ${error.message}`));
  page.on('console', (line) => {
    if (line.type() === 'error') problems.push(`console: ${line.text()}`);
    if (line.text().includes('Content Security Policy')) blocked.push(line.text());
  });
  page.on('response', (answer) => {
    if (answer.status() >= 400) problems.push(`${answer.status()} ${answer.request().method()} ${answer.url()}`);
  });
  page.on('websocket', (socket) => {
    const asked = new Map();
    socket.on('framesent', ({ payload }) => {
      try { const frame = JSON.parse(payload); if (frame.type === 'req') asked.set(frame.id, frame.method); } catch {}
    });
    socket.on('framereceived', ({ payload }) => {
      lastFrame = Date.now();
      try {
        const frame = JSON.parse(payload);
        if (frame.type === 'res' && frame.ok === false) {
          problems.push(`${asked.get(frame.id)} was refused: ${frame.error?.message}`);
        }
      } catch {}
    });
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
  for (const path of PAGES) {
    const before = problems.length;
    lastFrame = Date.now();
    await page.goto(`http://${GATEWAY}${path}`);
    const shown = () => page.evaluate(() => document.body.innerText.trim().length);
    const begun = Date.now();
    while (Date.now() - begun < 15_000 && (Date.now() - lastFrame < SILENCE || (await shown()) === 0)) {
      await page.waitForTimeout(100);
    }
    if ((await shown()) === 0) throw new Error(`${path} stayed empty`);
    const broken = problems.slice(before).find((problem) => problem.startsWith('page error'));
    if (broken) throw new Error(`${path}: ${broken}`);
    for (const problem of new Set(problems.splice(before))) console.log(`${path}: ${problem}`);
  }
} catch (error) {
  failure = error.message.split('\n')[0];
  if (process.env.SCREENSHOT) await page?.screenshot({ path: process.env.SCREENSHOT }).catch(() => {});
}
await browser.close();
if (!failure && blocked.length) failure = `the policy blocked something: ${blocked[0]}`;
if (failure) {
  console.log(`the page did not chat: ${failure}`);
  for (const problem of new Set(problems)) console.log(problem);
  process.exit(1);
}
for (const problem of new Set(problems)) console.log(problem);
process.exit(0);
