// Channels: accounts are added, tried, stopped and taken out; strangers are let in or not. Names and
// reasons of others are hostile.
import assert from 'node:assert/strict';
import { FakeTelegram } from '../telegram.mjs';
import { until } from '../world.mjs';

const HOSTILE = '<img src=x onerror="alert(1)">';
const MIA = 4_201;
const STRANGER = 666;

const telegram = new FakeTelegram();
const card = (world, name) => world.page.getByRole('region', { name });
const dialog = (world) => world.page.getByRole('dialog');
const seen = (place, text) => place.getByText(text).first().waitFor();
const press = (place, name) => place.getByRole('button', { name, exact: true }).click();

async function safe(world) {
  assert.equal(await world.page.locator('img[src="x"]').count(), 0, 'nothing of others became an element');
}

export const steps = [
  [
    'without a platform the page says what can be added',
    async (world) => {
      await telegram.start();
      await world.go('Channels');
      await seen(world.page, 'No chat platform is set up yet.');
      await seen(world.page, 'Web chat');
      await world.shots('channels-empty');
    },
  ],
  [
    'a bot is tried before it is written: a form says what is missing and what the platform says',
    async (world) => {
      await press(world.page, 'Add a channel');
      const form = dialog(world);
      await press(form, 'Test and save');
      await seen(form, 'This is needed.');
      const token = form.getByLabel('Bot token');
      await token.fill('hello');
      await press(form, 'Test');
      await seen(form, 'A bot token is a number');
      await token.fill(`7000000001:${'B'.repeat(35)}`);
      await form.getByText('More settings').click();
      await form.getByLabel('Bot API server').fill(telegram.url);
      await press(form, 'Test and save');
      await seen(form, 'Does not work');
      await form.getByRole('button', { name: 'Save without it working' }).waitFor();
      assert.deepEqual(Object.keys((await world.call('config.get')).parsed.channels ?? {}), [], 'nothing was written');
      await token.fill(telegram.token);
      await press(form, 'Test');
      await seen(form, `@${telegram.bot}`);
      await world.shots('channels-add');
      await press(form, 'Test and save');
      await form.waitFor({ state: 'detached' });
      await seen(card(world, `@${telegram.bot}`), 'Connected');
      assert.ok(!(await world.page.content()).includes(telegram.token), 'the token is not shown again');
    },
  ],
  [
    'an account is checked, stopped and started',
    async (world) => {
      const bot = card(world, 'Telegram:');
      await press(bot, 'Check');
      await seen(bot, 'Works: it answers as');
      await press(bot, 'Stop');
      await seen(bot, 'Stopped');
      await press(bot, 'Start');
      await seen(bot, 'Connected');
      await press(world.page, 'Check all');
      await seen(bot, 'Works: it answers as');
      await bot.getByText('What it can do').click();
      await seen(bot, 'reactions');
    },
  ],
  [
    'strangers appear with their code; one is dismissed, one is let in as the owner and told so',
    async (world) => {
      await telegram.order({ says: { user: STRANGER, text: 'let me in', name: HOSTILE } });
      await telegram.order({ says: { user: MIA, text: 'hello', name: 'Mia' } });
      const [bad, mia] = ['img src', 'Mia'].map((name) => world.page.getByTestId('stranger').filter({ hasText: name }));
      await bad.waitFor();
      await mia.waitFor();
      await safe(world);
      await world.shots('channels-strangers');
      await press(bad, 'Dismiss');
      await seen(world.page, 'was dismissed');
      await mia.getByLabel('This is me').check();
      await press(mia, 'Let in');
      await seen(world.page, 'Mia may write now and is the owner.');
      await until('the welcome', async () => (await telegram.order({ sent: true })).some((sent) => sent.chat === MIA && sent.text.includes('let in')));
      await world.model.says('Good morning, Mia.');
      await telegram.order({ says: { user: MIA, text: 'good morning' } });
      await until('the answer', async () => (await telegram.order({ sent: true })).some((sent) => sent.text === 'Good morning, Mia.'));
      await seen(card(world, 'Telegram:'), 'Listening and able to send.');
    },
  ],
  [
    'what could not be delivered is listed with its reason',
    async (world) => {
      await telegram.order({ closes: { chat: 99, why: 'bot was blocked by the user' } });
      await world.call('send', { to: 'telegram:99', message: 'are you there?', idempotencyKey: 'dead-1' }).catch(() => undefined);
      await world.page.getByTestId('letter').filter({ hasText: 'blocked' }).waitFor();
      await seen(card(world, 'Telegram:'), '1 not delivered');
      await safe(world);
    },
  ],
  [
    'an IRC account that cannot be reached is saved all the same, and says what to do',
    async (world) => {
      await world.page.getByRole('button', { name: /^IRC/ }).click();
      const form = dialog(world);
      await form.getByLabel('Server', { exact: true }).fill('127.0.0.1');
      await form.getByLabel('Port').fill('seven');
      await form.getByLabel('Encrypted connection').uncheck();
      await form.getByLabel('The nick is registered').check();
      await press(form, 'Test and save');
      await seen(form, 'A port is a number');
      await form.getByLabel('Port').fill('1');
      await form.getByLabel('Nick', { exact: true }).fill('homard');
      await form.getByLabel('Channels to join').fill('den, #lab');
      await form.getByLabel('Password', { exact: true }).fill('sesame-street');
      await world.shots('channels-add-irc');
      await press(form, 'Test and save');
      await seen(form, 'Does not work');
      await press(form, 'Save without it working');
      const irc = card(world, 'IRC:');
      await seen(irc, 'Last problem');
      await seen(irc, 'What to do');
      await seen(irc, '#den, #lab');
      assert.ok(!(await world.page.content()).includes('sesame-street'));
    },
  ],
  [
    'a second bot stands beside the first, fails in words, and is removed when asked',
    async (world) => {
      await press(world.page, 'Add a channel');
      const form = dialog(world);
      await form.getByText('Telegram', { exact: true }).click();
      await form.getByLabel('Bot token').fill(`7000000001:${'C'.repeat(35)}`);
      await form.getByLabel('Name', { exact: true }).fill('Work');
      await press(form, 'Test and save');
      await press(form, 'Save without it working');
      await form.waitFor({ state: 'detached' });
      const work = card(world, 'Telegram: Work');
      await seen(work, 'Not working');
      await seen(work, 'Telegram does not accept the token');
      await seen(card(world, `@${telegram.bot}`), 'Connected');
      await safe(world);
      await telegram.order({ says: { user: 7_001, text: 'is anybody there?', name: 'Jonas Weber' } });
      await world.page.getByTestId('stranger').filter({ hasText: 'Jonas' }).waitFor();
      await world.page.getByTestId('page').evaluate((page) => page.scrollTo(0, 0));
      await world.shots('channels');
      await work.evaluate((one) => one.scrollIntoView());
      await world.shots('channels-problems');
      await telegram.order({ closes: { chat: 98, why: `gone ${HOSTILE} ${'very '.repeat(200)}` } });
      await world.call('send', { to: 'telegram:98', message: 'are you there?', idempotencyKey: 'dead-2' }).catch(() => undefined);
      await world.page.getByTestId('letter').filter({ hasText: HOSTILE }).waitFor();
      await safe(world);
      await press(work, 'Remove');
      await press(dialog(world), 'Cancel');
      await press(work, 'Remove');
      await press(dialog(world), 'Remove');
      await work.waitFor({ state: 'detached' });
      await seen(card(world, `@${telegram.bot}`), 'Connected');
    },
  ],
  [
    'settings keep the token and change the rest',
    async (world) => {
      const bot = card(world, `@${telegram.bot}`);
      await press(bot, 'Settings');
      const form = dialog(world);
      assert.equal(await form.getByLabel('Bot token').inputValue(), '');
      await form.getByLabel('Who may write in private').selectOption('open');
      await seen(form, 'Everybody who finds it');
      await form.getByLabel('Who may write in private').selectOption('allowlist');
      await press(form, 'Test and save');
      await seen(form, 'This is needed.');
      await form.getByLabel('Who is on the list').fill(String(MIA));
      await press(form, 'Test and save');
      await form.waitFor({ state: 'detached' });
      await seen(bot, 'Only people on your list');
      await seen(bot, 'Connected');
    },
  ],
  [
    'the page keeps what it shows while the gateway is away, and goes on after',
    async (world) => {
      await world.kill();
      await seen(world.page, 'The gateway cannot be reached.');
      await world.startGateway();
      await seen(card(world, `@${telegram.bot}`), 'Connected');
    },
  ],
  [
    'a bot that is logged out has no token any more, and can be removed',
    async (world) => {
      const bot = card(world, `@${telegram.bot}`);
      await press(bot, 'Log out');
      await seen(dialog(world), 'its credentials are taken out');
      await press(dialog(world), 'Cancel');
      await press(bot, 'Log out');
      await press(dialog(world), 'Log out');
      const left = card(world, 'Telegram:');
      await seen(left, 'Not set up');
      assert.equal((await world.call('config.get')).parsed.channels.telegram.botToken, undefined);
      await press(left, 'Remove');
      await press(dialog(world), 'Remove');
      await left.waitFor({ state: 'detached' });
      await world.page.goto(world.link('?page=channels&add=irc'));
      await dialog(world).getByLabel('Nick', { exact: true }).waitFor();
      telegram.stop();
    },
  ],
];
