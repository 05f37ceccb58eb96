// The first run: nothing is configured, the demo answers, and a person sets Homard up in the page.
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
      await page.getByRole('heading', { name: 'Whose model should answer?' }).waitFor();
    },
  ],
  [
    'providers are offered as cards, others by search',
    async (world) => {
      const { page } = world;
      await page
        .getByTestId('provider-cards')
        .getByRole('button', { name: /Anthropic/ })
        .waitFor();
      await world.shots('setup-provider');
      await page.getByRole('button', { name: 'More providers' }).click();
      await page.getByRole('searchbox', { name: 'Search providers' }).fill('no such one');
      await page.getByText('No provider of that name.').waitFor();
      await page.getByRole('searchbox', { name: 'Search providers' }).fill('together');
      await page.getByRole('button', { name: /Together/ }).waitFor();
    },
  ],
  [
    'each step can be skipped and gone back to',
    async ({ page }) => {
      await page
        .getByTestId('provider-cards')
        .getByRole('button', { name: /Anthropic/ })
        .click();
      await page.getByRole('heading', { name: 'The key for Anthropic' }).waitFor();
      await page.getByRole('link', { name: /console\.anthropic\.com/ }).waitFor();
      await page.getByRole('button', { name: 'Back' }).click();
      await page.getByRole('heading', { name: 'Whose model should answer?' }).waitFor();
      await page.getByRole('button', { name: 'Skip', exact: true }).click();
      await page.getByRole('heading', { name: 'Where do you want to write?' }).waitFor();
      await page.getByRole('button', { name: 'Back' }).click();
      await page.getByRole('heading', { name: 'Whose model should answer?' }).waitFor();
      await page.getByRole('button', { name: 'Skip', exact: true }).click();
      await page
        .getByRole('navigation', { name: 'Steps' })
        .getByRole('button', { name: /Provider/ })
        .click();
    },
  ],
  [
    'an address where nothing answers and an Ollama that is not running are called that, and not ready',
    async (world) => {
      const { page } = world;
      await page.getByRole('button', { name: /Another address/ }).click();
      await page.getByLabel('Name').fill('dead');
      await page.getByLabel('Address').fill('http://127.0.0.1:9/v1');
      await page.getByRole('button', { name: 'Save and test' }).click();
      await page.getByTestId('probe-result').getByText('No answer', { exact: true }).waitFor();
      await page
        .getByTestId('probe-result')
        .getByText(/Nothing answers at this address/)
        .waitFor();
      await world.shots('setup-unreachable');
      await page.getByRole('button', { name: 'Back' }).click();
      await page.getByRole('button', { name: /^dead/ }).getByText('No answer').waitFor();
      assert.equal(await page.getByText('Ready to use').count(), 0);
      await page
        .getByTestId('provider-cards')
        .getByRole('button', { name: /Ollama/ })
        .click();
      await page.getByLabel('Address').fill('http://127.0.0.1:9');
      await page.getByRole('button', { name: 'Save and test' }).click();
      await page.getByTestId('probe-result').getByText('No answer', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Back' }).click();
      const { hash } = await world.call('config.get');
      await world.call('config.patch', { raw: JSON.stringify({ models: { providers: { dead: null, ollama: null } } }), baseHash: hash });
      await page.reload();
    },
  ],
  [
    'a server by its address: bad input is marked, a refused key is told what it means, a good one works',
    async (world) => {
      const { page } = world;
      await page.getByRole('button', { name: /Another address/ }).click();
      await page.getByRole('button', { name: 'Save and test' }).click();
      await page.getByText('An address begins with http:// or https://').waitFor();
      await page.getByLabel('Name').fill('workshop');
      await page.getByLabel('Address').fill(`${world.model.url}/v1`);
      await page.getByLabel('API key, if it asks for one').fill('sk-workshop-0123456789');
      await page.getByLabel('Models').fill('fake-1\nfake-2');
      await world.model.script({ fails: 401, body: JSON.stringify({ error: { message: 'no such key' } }) });
      await page.getByRole('button', { name: 'Save and test' }).click();
      await page.getByTestId('probe-result').getByText('Key refused').waitFor();
      await world.shots('setup-key-refused');
      assert.ok(!readFileSync(join(world.state, 'homard.json'), 'utf8').includes('sk-workshop'), 'the key is not in the file');
      assert.equal(await page.getByLabel('Address').inputValue(), `${world.model.url}/v1`, 'all of it can be corrected');
      await page.getByLabel('API key, if it asks for one').fill('sk-workshop-the-right-one');
      await world.model.says('OK');
      await page.getByRole('button', { name: 'Save and test' }).click();
      await page.getByTestId('probe-result').getByText('Works', { exact: true }).waitFor();
      await page.getByText('It works. You can go on.').waitFor();
      assert.ok(!(await page.content()).includes('sk-workshop-0123456789'));
    },
  ],
  [
    'a reload takes the set-up up where it was, and remembers no key',
    async ({ page }) => {
      await page.reload();
      await page.getByRole('heading', { name: /workshop/ }).waitFor();
      assert.ok(!(await page.evaluate(() => JSON.stringify(localStorage))).includes('sk-workshop'));
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('heading', { name: 'Which model answers?' }).waitFor();
    },
  ],
  [
    'the model is chosen and written',
    async (world) => {
      const { page } = world;
      await page.getByRole('radio', { name: /fake-2/ }).check();
      await world.shots('setup-model');
      await page.getByRole('button', { name: 'Use this model' }).click();
      await page.getByRole('heading', { name: 'Where do you want to write?' }).waitFor();
      assert.equal(onDisk(world).agents.defaults.model.primary, 'workshop/fake-2');
    },
  ],
  [
    'a Telegram token is tried: a wrong one is refused in words, a good one says who the bot is',
    async (world) => {
      const { page } = world;
      await telegram.start();
      const { hash } = await world.call('config.get');
      await world.call('config.patch', { raw: JSON.stringify({ channels: { telegram: { apiRoot: telegram.url, enabled: false } } }), baseHash: hash });
      await page.getByRole('button', { name: /Telegram/ }).click();
      await page.getByLabel('Bot token').fill('not a token');
      await page.getByText(/A bot token is a number/).waitFor();
      const reach = async (apiRoot) => {
        const { hash } = await world.call('config.get');
        await world.call('config.patch', { raw: JSON.stringify({ channels: { telegram: { apiRoot, enabled: false } } }), baseHash: hash });
      };
      await reach('http://127.0.0.1:9');
      await page.getByLabel('Bot token').fill(GOOD_TOKEN);
      await page.getByRole('button', { name: 'Connect', exact: true }).click();
      await page
        .getByTestId('channel-outcome')
        .getByText(/could not be reached/)
        .waitFor();
      assert.equal(onDisk(world).channels.telegram.enabled, false, 'it does not go on trying');
      await reach(telegram.url);
      await page.getByLabel('Bot token').fill(BAD_TOKEN);
      await page.getByRole('button', { name: 'Connect', exact: true }).click();
      await page
        .getByTestId('channel-outcome')
        .getByText(/did not accept it/)
        .waitFor();
      await page.getByLabel('Bot token').fill(GOOD_TOKEN);
      await page.getByRole('button', { name: 'Connect', exact: true }).click();
      await page.getByText('Connected as @my_homard_bot.').waitFor();
      await world.shots('setup-channel');
      assert.ok(!world.log().includes(GOOD_TOKEN));
      await page.getByRole('button', { name: 'Continue' }).click();
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
