// Drives Chromium through the first chat. Environment:
//   HOMARD_E2E_URL          a running gateway's dashboard link, `#token=` included;
//                           without it the fake gateway beside this file is used
//   HOMARD_E2E_RESTART_CMD  a command that kills and restarts that gateway
//   HOMARD_E2E_LONG_PROMPT  what to say to get something long enough to stop
//   CHROMIUM                the browser (default /usr/bin/chromium)
import assert from 'node:assert/strict';
import { exec } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { FakeGateway } from './fake-gateway.mjs';
import { DESKTOP, RESULTS, drawn, launch, until, violations } from './world.mjs';

const ANSWER_MS = 30_000;
const PHONE = { width: 360, height: 740 };

const fake = process.env.HOMARD_E2E_URL ? undefined : new FakeGateway();
if (fake) {
  console.log('HOMARD_E2E_URL is not set: testing against the fake gateway');
  await fake.start();
}
const url = fake ? fake.url : process.env.HOMARD_E2E_URL;
const base = url.split('#')[0];
mkdirSync(RESULTS, { recursive: true });

const browser = await launch();
const context = await browser.newContext({ viewport: DESKTOP });
const complaints = [];
const page = await openPage(url);

const steps = [];
const step = (name, run) => steps.push({ name, run });
const skipped = (why) => `SKIPPED: ${why}`;

async function openPage(address) {
  const opened = await context.newPage();
  opened.setDefaultTimeout(ANSWER_MS);
  opened.on('pageerror', (error) => complaints.push(`page error: ${error.message}`));
  opened.on('console', (message) => {
    // A killed gateway makes the browser itself complain; that is the test's doing.
    if (message.type() === 'error' && !/WebSocket connection|ERR_CONNECTION/.test(message.text())) complaints.push(`console: ${message.text()}`);
  });
  opened.on('request', (request) => {
    if (!request.url().startsWith(base) && !request.url().startsWith('data:')) complaints.push(`foreign request: ${request.url()}`);
  });
  await opened.goto(address);
  return opened;
}

const answers = (on) => on.getByTestId('assistant-message');
const idle = (on) => on.getByTestId('stop').waitFor({ state: 'detached' });

async function say(on, text) {
  await on.getByRole('textbox', { name: 'Message' }).fill(text);
  await on.keyboard.press('Enter');
}

async function themed(scheme, name) {
  await page.getByRole('radio', { name: scheme }).click();
  await picture(name);
}

async function picture(name) {
  await drawn(page);
  await page.screenshot({ path: `${RESULTS}/${name}.png` });
}

step('the page opens signed in, and the token leaves the address bar', async () => {
  await page.getByText('Connected', { exact: true }).waitFor();
  assert.ok(!page.url().includes('token'), page.url());
});

step('a new chat answers "hello" as a stream', async () => {
  await page.getByRole('button', { name: 'New chat' }).first().click();
  await page.getByText('What can I do for you?').waitFor();
  await page.screenshot({ path: `${RESULTS}/empty.png` });
  await say(page, 'hello');
  await page.getByTestId('user-message').filter({ hasText: 'hello' }).waitFor();
  await answers(page).last().waitFor();
  await idle(page);
  assert.ok((await answers(page).last().innerText()).trim().length > 0);
});

step('"list the files here" shows a tool card that opens', async () => {
  await say(page, 'list the files here');
  const card = page.getByTestId('tool-card').last();
  await card.waitFor();
  await idle(page);
  await until('the tool is done', async () => (await card.getAttribute('data-state')) === 'done');
  await card.locator('summary').click();
  await card.getByText('Output').waitFor();
});

step('a long answer can be stopped', async () => {
  await say(page, process.env.HOMARD_E2E_LONG_PROMPT ?? 'write a long answer');
  // A model that answers quickly can be made to run something slow by the long prompt instead.
  await page.locator('[data-streaming="true"], [data-testid="tool-card"][data-state="running"]').first().waitFor();
  await page.getByTestId('stop').click();
  await idle(page);
  await page.getByText('Stopped.').last().waitFor();
});

step('a second tab sees the same stream', async () => {
  const second = await openPage(page.url());
  await second.getByText('Connected', { exact: true }).waitFor();
  await second.getByTestId('user-message').last().waitFor();
  await say(page, 'hello again');
  await second.getByTestId('user-message').filter({ hasText: 'hello again' }).waitFor();
  await idle(page);
  await idle(second);
  await until('the same words in both', async () => (await answers(second).last().innerText()) === (await answers(page).last().innerText()));
  await second.close();
});

step('a reload shows the history and keeps the draft', async () => {
  const before = await page.getByTestId('user-message').count();
  await page.getByRole('textbox', { name: 'Message' }).fill('half a thought');
  await page.reload();
  await page.getByTestId('user-message').last().waitFor();
  assert.equal(await page.getByTestId('user-message').count(), before);
  assert.ok((await page.getByTestId('tool-card').count()) > 0);
  assert.equal(await page.getByRole('textbox', { name: 'Message' }).inputValue(), 'half a thought');
  await page.getByRole('textbox', { name: 'Message' }).fill('');
});

step('the gateway dies and comes back, and the page with it', async () => {
  if (fake) {
    const port = fake.port;
    await fake.stop();
    await page.getByTestId('connection-banner').waitFor();
    await page.screenshot({ path: `${RESULTS}/offline.png` });
    await say(page, 'hello from the dark');
    await page.getByText('Will be sent when the gateway is back.').waitFor();
    fake.port = port;
    await fake.start();
  } else if (process.env.HOMARD_E2E_RESTART_CMD) {
    await promisify(exec)(process.env.HOMARD_E2E_RESTART_CMD);
  } else {
    return skipped('set HOMARD_E2E_RESTART_CMD to test reconnecting');
  }
  await page.getByText('Connected', { exact: true }).waitFor();
  const before = await page.getByTestId('user-message').count();
  await say(page, 'hello after the restart');
  await page.getByTestId('user-message').nth(before).waitFor();
  await idle(page);
  if (fake) assert.equal(await page.getByTestId('user-message').filter({ hasText: 'from the dark' }).count(), 1);
});

step('a lost event is repaired from the history', async () => {
  if (!fake) return skipped('needs the fake gateway');
  fake.sessions.get(new URL(page.url()).searchParams.get('session')).messages.push({ role: 'assistant', content: [{ type: 'text', text: 'written while nobody listened' }], timestamp: Date.now() });
  fake.skipSequence();
  fake.broadcast('tick', { ts: Date.now() });
  await page.getByText('written while nobody listened').waitFor();
});

step('hostile Markdown runs nothing and asks no one', async () => {
  if (!fake) return skipped('needs the fake gateway');
  await say(page, 'give me the tour');
  await page.getByRole('heading', { name: 'A short tour' }).waitFor();
  await idle(page);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator('.markdown img').count(), 0);
});

step('a failed run says so', async () => {
  if (!fake) return skipped('needs the fake gateway');
  await say(page, 'please fail');
  await page.getByTestId('run-error').waitFor();
  await idle(page);
});

step('a question comes up wherever the person is, and is answered there', async () => {
  if (!fake) return skipped('needs the fake gateway');
  await say(page, 'please ask first');
  const card = page.getByTestId('approval');
  await card.getByText('git push --force origin main').waitFor();
  await card.getByText('in play: web page https://example.com/how-to-fix-everything').waitFor();
  await page.getByText('Waiting for your approval').waitFor();
  await themed('Light', 'approval-light');
  await themed('Dark', 'approval-dark');
  await page.setViewportSize(PHONE);
  await picture('approval-phone-dark');
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page scrolls sideways');
  await page.setViewportSize(DESKTOP);
  assert.deepEqual(await violations(page), []);
  await page.reload();
  await card.getByRole('button', { name: 'Deny' }).click();
  await card.waitFor({ state: 'detached' });
  await page.getByText('Then I leave it.').last().waitFor();
  await idle(page);
});

step('a device that asks to be let in is shown, and approved or rejected', async () => {
  if (!fake) return skipped('needs the fake gateway');
  fake.knock({ displayName: 'Phone', platform: 'ios', clientId: 'openclaw-ios', scopes: ['operator.read', 'operator.write'], remoteIp: '192.0.2.7' });
  fake.knock({ displayName: 'Stranger', scopes: ['operator.admin'], remoteIp: '192.0.2.66' });
  const card = page.getByTestId('device');
  await card.getByText('Phone, openclaw-ios on ios').waitFor();
  await card.getByText('192.0.2.7').waitFor();
  await card.getByText('1 of 2').waitFor();
  await themed('Light', 'device-light');
  await themed('Dark', 'device-dark');
  assert.deepEqual(await violations(page), []);
  await card.getByRole('button', { name: 'Approve' }).click();
  await card.getByText('do everything, as you can').waitFor();
  await page.reload();
  await card.getByRole('button', { name: 'Reject' }).click();
  await card.waitFor({ state: 'detached' });
  assert.deepEqual(fake.decided, ['approved', 'rejected']);
});

step('an answer given elsewhere takes the question away, and a long one says so', async () => {
  if (!fake) return skipped('needs the fake gateway');
  const first = fake.ask({ command: Array.from({ length: 40 }, (_, line) => `echo ${line}`).join('\n'), allowedDecisions: ['allow-once', 'deny'], sessionKey: 'agent:main:main' });
  const second = fake.ask({ command: 'whoami', allowedDecisions: ['allow-once', 'deny'] });
  const card = page.getByTestId('approval');
  await card.getByText('40 lines: scroll to see all of it.').waitFor();
  await card.getByText('1 of 2').waitFor();
  assert.equal(await card.getByRole('button', { name: 'Always allow' }).count(), 0);
  await page.getByRole('radio', { name: 'Light' }).click();
  await page.setViewportSize(PHONE);
  await picture('approval-phone-light');
  await page.setViewportSize(DESKTOP);
  fake.on_exec_approval_resolve({ id: [...fake.questions.keys()][0], decision: 'deny' });
  assert.equal(await first, 'deny');
  await card.getByText('whoami').waitFor();
  await card.getByRole('button', { name: 'Allow once' }).click();
  assert.equal(await second, 'allow-once');
  await card.waitFor({ state: 'detached' });
});

step('it looks right in light and dark, on a desk and in a hand', async () => {
  await themed('Light', 'desktop-light');
  await themed('Dark', 'desktop-dark');
  await page.setViewportSize(PHONE);
  await picture('phone-dark');
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page scrolls sideways');
  await page.getByRole('button', { name: 'Show chats' }).click();
  await themed('Light', 'phone-light-chats');
  await page.getByRole('button', { name: 'Hide chats' }).first().click();
  await picture('phone-light');
  await page.setViewportSize(DESKTOP);
});

step('axe finds nothing to complain about, in light and in dark', async () => {
  for (const scheme of ['Dark', 'Light']) {
    await page.getByRole('radio', { name: scheme }).click();
    await drawn(page);
    assert.deepEqual(await violations(page), [], scheme);
  }
});

step('a chat can be renamed and deleted', async () => {
  const entry = page.locator('li', { has: page.locator('[aria-current="page"]') });
  await entry.hover();
  await entry.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByRole('textbox', { name: 'Name of this chat' }).fill('Renamed by the test');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Renamed by the test' }).waitFor();
  await entry.hover();
  await entry.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByTestId('session').filter({ hasText: 'Renamed by the test' }).waitFor({ state: 'detached' });
});

step('a wrong token asks for the right one', async () => {
  const stranger = await browser.newContext({ viewport: DESKTOP });
  const tab = await stranger.newPage();
  await tab.goto(`${base}#token=wrong`);
  await tab.getByText('The gateway did not accept this token.').waitFor();
  await tab.screenshot({ path: `${RESULTS}/sign-in.png` });
  await tab.getByLabel('Gateway token').fill(new URLSearchParams(url.split('#')[1]).get('token'));
  await tab.getByRole('button', { name: 'Connect' }).click();
  await tab.getByText('Connected', { exact: true }).waitFor();
  await stranger.close();
});

step('nothing was complained about', async () => {
  assert.deepEqual(complaints, []);
});

let failed = 0;
for (const { name, run } of steps) {
  try {
    const remark = await run();
    console.log(remark ? `----  ${name}: ${remark}` : `ok    ${name}`);
  } catch (error) {
    failed += 1;
    console.error(`FAIL  ${name}\n${error instanceof Error ? error.stack : error}`);
    await page.screenshot({ path: `${RESULTS}/failed-${failed}.png` });
    if (process.env.HOMARD_E2E_KEEP_GOING !== '1') break;
  }
}
await browser.close();
await fake?.stop();
process.exit(failed === 0 ? 0 : 1);
