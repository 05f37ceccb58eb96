// The first run: nothing is configured, the demo answers, and a person sets Homard up in the page, which asks what the
// gateway's own set-up asks.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { until } from '../world.mjs';

const GOOD_TOKEN = '123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';
const BAD_TOKEN = '987654321:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';

export const options = { bare: true };

const onDisk = (world) => JSON.parse(readFileSync(join(world.state, 'homard.json'), 'utf8'));

/** As much of the Bot API as a bot needs to be met. */
class FakeTelegram {
  updates = [];
  sent = [];
  waiting = [];

  async start() {
    this.server = createServer((request, response) => void this.#answer(request, response)).listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    this.server.unref();
  }

  async #answer(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const [, token, method] = /^\/bot([^/]+)\/(\w+)/.exec(request.url) ?? [];
    const send = (status, body) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (token !== GOOD_TOKEN) return send(401, { ok: false, error_code: 401, description: 'Unauthorized' });
    const text = Buffer.concat(chunks).toString();
    if (method === 'getMe') return send(200, { ok: true, result: { id: 123456789, is_bot: true, first_name: 'Homard', username: 'my_homard_bot', can_join_groups: true } });
    if (method === 'getUpdates') {
      if (this.updates.length === 0)
        await new Promise((wake) => {
          this.waiting.push(wake);
          setTimeout(wake, 500).unref();
        });
      return send(200, { ok: true, result: this.updates.splice(0) });
    }
    if (method === 'sendMessage') {
      this.sent.push(text);
      return send(200, { ok: true, result: { message_id: 1000 + this.sent.length, date: 1_700_000_000, chat: { id: 77, type: 'private', first_name: 'Ada' }, text: 'x' } });
    }
    return send(200, { ok: true, result: true });
  }

  write(text) {
    const person = { id: 77, is_bot: false, first_name: 'Ada', username: 'ada' };
    this.updates.push({ update_id: 1, message: { message_id: 1, date: Math.floor(Date.now() / 1000), chat: { id: 77, type: 'private', first_name: 'Ada' }, from: person, text } });
    for (const wake of this.waiting.splice(0)) wake();
  }
}

const telegram = new FakeTelegram();

const heading = (page, name) => page.locator('h2', { hasText: name }).waitFor();
const option = (page, name) => page.getByTestId('setup-options').getByRole('button', { name });
const go = (page) => page.getByRole('button', { name: 'Continue' }).click();

async function type(page, question, text) {
  await page.getByTestId('setup-message').getByText(question).waitFor();
  await page.locator('form input').fill(text);
  await go(page);
}

export const steps = [
  [
    'a banner leads from the chat, where the demo answers, to the set-up; it can be put away',
    async (world) => {
      const { page } = world;
      await page.getByTestId('setup-banner').waitFor();
      await world.shots('setup-banner');
      await page.getByTestId('suggestions').getByRole('button', { name: 'what can you do?' }).click();
      await page
        .getByTestId('assistant-message')
        .getByText(/offline demo/)
        .first()
        .waitFor();
      await page.getByTestId('stop').waitFor({ state: 'detached' });
      await world.say('hello');
      await page.getByTestId('setup-banner').getByRole('button', { name: 'Set up' }).click();
      await page.getByText('Whose model should answer?').waitFor();
    },
  ],
  [
    'providers are offered as cards, all of them by search',
    async (world) => {
      const { page } = world;
      await option(page, /Anthropic/).waitFor();
      await world.shots('setup-provider');
      await page.getByRole('button', { name: 'Show all' }).click();
      await page.getByRole('searchbox', { name: 'Search' }).fill('no such one');
      await page.getByText('Nothing of that name.').waitFor();
      await page.getByRole('searchbox', { name: 'Search' }).fill('together');
      await option(page, /Together/).waitFor();
    },
  ],
  [
    'the whole part can be skipped and gone back to; a key is asked for hidden, and where to get one is said',
    async ({ page }) => {
      await page.getByRole('searchbox', { name: 'Search' }).fill('anthropic');
      await option(page, /^Anthropic/)
        .first()
        .click();
      await page.getByTestId('setup-message').getByText('The key of Anthropic').waitFor();
      await page.getByRole('link', { name: /console\.anthropic\.com/ }).waitFor();
      assert.equal(await page.locator('form input').getAttribute('type'), 'password');
      await page.getByRole('button', { name: 'Skip', exact: true }).click();
      await heading(page, 'Chat platform');
      await page
        .getByRole('navigation', { name: 'Steps' })
        .getByRole('button', { name: /Model and access/ })
        .click();
      await page.getByText('Whose model should answer?').waitFor();
    },
  ],
  [
    'a server by its address: bad input is marked, a refused key is told in the words of the provider, a good one works',
    async (world) => {
      const { page } = world;
      await page.getByRole('button', { name: 'Show all' }).click();
      await option(page, /Another server/).click();
      await type(page, 'Where does the server listen?', 'nowhere');
      await page.getByText('an address begins with http:// or https://').waitFor();
      await type(page, 'Where does the server listen?', `${world.model.url}/v1`);
      await option(page, /OpenAI/).click();
      await type(page, 'The key of', 'sk-workshop-0123456789');
      await world.model.script({ fails: 401, body: JSON.stringify({ error: { message: 'no such key' } }) });
      await type(page, 'Which model', 'fake-2');
      await heading(page, 'No answer');
      await page
        .getByTestId('setup-message')
        .getByText(/no such key/)
        .waitFor();
      await world.shots('setup-key-refused');
      assert.ok(!readFileSync(join(world.state, 'homard.json'), 'utf8').includes('sk-workshop'), 'nothing is written before the last yes');
      await option(page, /Another key/).click();
      await type(page, 'The key of', 'sk-workshop-the-right-one');
      await world.model.says('OK');
      await type(page, 'Which model', 'fake-2');
      await heading(page, 'Port');
      assert.ok(!(await page.content()).includes('sk-workshop-0123456789'));
    },
  ],
  [
    'a reload takes the set-up up where it was, and remembers no key',
    async ({ page }) => {
      await page.reload();
      await heading(page, 'Port');
      assert.ok(!(await page.evaluate(() => JSON.stringify(localStorage))).includes('sk-workshop'));
      await go(page);
      await option(page, /With a token/).click();
      await page
        .getByTestId('setup-message')
        .getByText(/fake-2 \(it answered in/)
        .waitFor();
    },
  ],
  [
    'what was agreed is written with the last yes',
    async (world) => {
      const { page } = world;
      await world.shots('setup-summary');
      await page.getByRole('button', { name: 'Yes', exact: true }).click();
      await heading(page, 'Chat platform');
      const written = readFileSync(join(world.state, 'homard.json'), 'utf8');
      assert.ok(/\/fake-2$/.test(onDisk(world).agents.defaults.model.primary));
      assert.ok(!written.includes('sk-workshop'), 'the key is not in the file');
    },
  ],
  [
    'a Telegram token is tried: a wrong one is refused in words, a good one says who the bot is',
    async (world) => {
      const { page } = world;
      await telegram.start();
      const { hash } = await world.call('config.get');
      await world.call('config.patch', { raw: JSON.stringify({ channels: { telegram: { apiRoot: telegram.url, enabled: false } } }), baseHash: hash });
      await page.reload();
      await option(page, /Telegram/).click();
      await page
        .getByTestId('setup-message')
        .getByText(/@BotFather/)
        .waitFor();
      await go(page);
      await type(page, 'Bot token', 'not a token');
      await page.getByText(/A bot token is a number/).waitFor();
      await type(page, 'Bot token', BAD_TOKEN);
      await page.getByRole('button', { name: 'No', exact: true }).click();
      await page
        .getByTestId('setup-message')
        .getByText(/Unauthorized/)
        .waitFor();
      await world.shots('setup-channel-refused');
      await option(page, /Bot token/).click();
      await type(page, 'Bot token', GOOD_TOKEN);
      await page
        .getByTestId('setup-message')
        .getByText(/this is @my_homard_bot/)
        .waitFor();
      await option(page, /let in/).click();
      await page.getByTestId('setup-message').getByText('Connect it?').waitFor();
      await page.getByRole('button', { name: 'Yes', exact: true }).click();
      await page
        .getByTestId('setup-message')
        .getByText(/is connected/)
        .waitFor();
      assert.ok(!world.log().includes(GOOD_TOKEN));
    },
  ],
  [
    'a test message goes to whom one names, and how that went is said',
    async (world) => {
      const { page } = world;
      await type(page, 'To whom shall it write a test message?', '77');
      await page.getByTestId('setup-message').getByText('The test message to 77 was sent.').waitFor();
      await world.shots('setup-channel');
      assert.ok(telegram.sent.some((text) => text.includes('Hello from Homard')));
      await go(page);
    },
  ],
  [
    'writing to the bot brings a code, and the person lets themselves in',
    async (world) => {
      const { page } = world;
      await page.getByText('Waiting for your message…').waitFor();
      telegram.write('hello, it is me');
      const request = page.getByTestId('pair-request');
      await request.waitFor();
      const code = await request.locator('.code').textContent();
      await until('the code in the chat', () => telegram.sent.some((text) => text.includes(code.trim())));
      await world.shots('setup-pair');
      await request.getByRole('button', { name: 'This is me: let me in' }).click();
      await page.getByText('You are paired.').first().waitFor();
      await page.getByRole('button', { name: 'Continue' }).click();
    },
  ],
  [
    'the end leads to the first message, answered by the chosen model, and the banner is gone',
    async (world) => {
      const { page } = world;
      await page.getByRole('heading', { name: 'All set' }).waitFor();
      await page.getByText('Telegram is connected.').waitFor();
      await world.shots('setup-done');
      await page.getByRole('button', { name: 'Say hello' }).click();
      await world.model.says('Good evening from the workshop.');
      await world.say('hello');
      await page.getByText('Good evening from the workshop.').waitFor();
      assert.equal(await page.getByTestId('setup-banner').count(), 0);
    },
  ],
];
