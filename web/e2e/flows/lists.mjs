// The list of chats, search across them, the palette and the keys.
import assert from 'node:assert/strict';
import { Irc } from '../irc.mjs';
import { operator } from '../peer.mjs';
import { until } from '../world.mjs';

const irc = await new Irc().start();
const HOSTILE = '<img src=x onerror="window.hacked=1"> "Tide" & co';
const MANY = 1200;

export const options = {
  config: {
    session: { dmScope: 'per-channel-peer' },
    channels: { irc: { host: '127.0.0.1', port: irc.port, tls: false, nick: 'homard', allowFrom: ['ann'], flood: { intervalMs: 0 } } },
    messages: { queue: { debounceMs: 0 } },
  },
};

const entries = (world) => world.page.getByTestId('session');
const entry = (world, name) => entries(world).filter({ hasText: name });
const toast = (world, text) => world.page.getByTestId('toast').filter({ hasText: text });
const section = (world, name) => world.page.getByRole('button', { name: new RegExp(`^${name} ?\\d+$`) });

async function menu(world, name, item) {
  const line = world.page.locator('li', { has: entry(world, name) });
  await line.hover();
  await line.getByRole('button', { name: /^Actions for/ }).click();
  await world.page.getByRole('menuitem', { name: item, exact: true }).click();
}

async function view(world, name) {
  await world.page.getByRole('radio', { name: new RegExp(`^${name}`) }).click();
}

async function palette(world, text) {
  await world.page.keyboard.press('Control+k');
  const box = world.page.getByRole('combobox', { name: 'Go to anything' });
  await box.fill(text);
  return box;
}

export const steps = [
  [
    'chats are begun, named by hand and by their first words, and listed',
    async (world) => {
      world.peer = await operator(world);
      await world.model.says('The tide turns at **six**.');
      await world.say('when does the tide turn?');
      for (const [name, answer] of [
        ['Garden plan', 'Plant the beans after the last frost.'],
        ['Holiday in Brittany', 'A lobster supper in Cancale is a must.'],
        ['Tax papers', 'The letter from the office asks for form 2042.'],
      ]) {
        await world.model.says(answer);
        await world.page.getByRole('button', { name: 'New chat' }).first().click();
        await world.say(`about: ${name}`);
        const current = world.page.locator('li', { has: world.page.locator('[aria-current="page"]') });
        await current.hover();
        await current.getByRole('button', { name: /^Actions for/ }).click();
        await world.page.getByRole('menuitem', { name: 'Rename' }).click();
        await world.page.getByRole('textbox', { name: 'Name of this chat' }).fill(name);
        await world.page.keyboard.press('Enter');
        await world.page.getByRole('heading', { name, exact: true }).waitFor();
      }
      await entry(world, 'Main chat').waitFor();
    },
  ],
  [
    'a hostile name is text, in the list and in the title',
    async (world) => {
      await world.model.says('Fine.');
      await world.page.getByRole('button', { name: 'New chat' }).first().click();
      await world.say('hello');
      const key = new URL(world.page.url()).searchParams.get('session');
      await world.peer.call('sessions.patch', { key, label: `${HOSTILE} ${'long '.repeat(80)}` });
      await entry(world, '<img src=x').waitFor();
      await world.page.getByRole('heading', { name: /<img src=x/ }).waitFor();
      assert.equal(await world.page.evaluate(() => window.hacked), undefined);
    },
  ],
  [
    'a chat that is answered elsewhere is unread until it is looked at, and the title counts it',
    async (world) => {
      await entry(world, 'Main chat').click();
      const { sessions } = await world.peer.call('sessions.list', {});
      world.garden = sessions.find((row) => row.label === 'Garden plan').key;
      await until(
        'everything read',
        async () => (await world.peer.call('sessions.describe', { key: world.garden })).session.unread === false || (await world.peer.call('sessions.patch', { key: world.garden, unread: false })).ok,
      );
      await world.model.says('Water them in the evening.');
      await world.peer.call('chat.send', { sessionKey: world.garden, message: 'and water?', idempotencyKey: 'elsewhere-1' });
      const line = world.page.locator('li', { has: entry(world, 'Garden plan') });
      await line.getByText('Unread').waitFor();
      await until('the number in the title', async () => /^\(\d+\) /.test(await world.page.title()));
      await view(world, 'Unread');
      await entry(world, 'Garden plan').click();
      await world.page.locator('main').getByText('Water them in the evening.').first().waitFor();
      await until('read', async () => !(await world.peer.call('sessions.describe', { key: world.garden })).session.unread);
      await view(world, 'All');
      await menu(world, 'Garden plan', 'Mark as unread');
      await entry(world, 'Main chat').click();
      await line.getByText('Unread').waitFor();
      await menu(world, 'Garden plan', 'Mark as read');
      await line.getByText('Unread').waitFor({ state: 'detached' });
    },
  ],
  [
    'a chat is pinned on top and let go',
    async (world) => {
      await menu(world, 'Tax papers', 'Pin');
      await section(world, 'Pinned').waitFor();
      assert.match(await entries(world).first().innerText(), /Tax papers/);
      await section(world, 'Pinned').click();
      await entry(world, 'Tax papers').waitFor({ state: 'detached' });
      await section(world, 'Pinned').click();
      await menu(world, 'Tax papers', 'Unpin');
      await section(world, 'Pinned').waitFor({ state: 'detached' });
      await menu(world, 'Tax papers', 'Pin');
    },
  ],
  [
    'chats are sorted into groups, which are renamed, used as a filter and dissolved',
    async (world) => {
      await menu(world, 'Garden plan', 'Move to group…');
      const dialog = world.page.getByRole('dialog');
      await dialog.getByLabel('New group…').check();
      await dialog.getByLabel('Name of the group', { exact: true }).fill('Home');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await section(world, 'Home').waitFor();
      await menu(world, 'Holiday in Brittany', 'Move to group…');
      await dialog.getByLabel('Home', { exact: true }).check();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await world.page.getByRole('button', { name: 'Home 2' }).waitFor();
      await world.page.getByRole('button', { name: 'Actions for the group Home' }).click();
      await world.page.getByRole('menuitem', { name: 'Rename group' }).click();
      await dialog.getByLabel('Name of the group', { exact: true }).fill('House and travel');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await section(world, 'House and travel').waitFor();
      await world.page.getByRole('button', { name: 'Filters', exact: true }).click();
      await world.page.getByLabel('Group', { exact: true }).selectOption('House and travel');
      await world.page.keyboard.press('Escape');
      await until('those two', async () => (await entries(world).count()) === 2);
      await world.page.getByRole('button', { name: 'Filters (in use)' }).click();
      await world.page.getByRole('button', { name: 'Clear filters' }).click();
      await world.page.keyboard.press('Escape');
      await entry(world, 'Main chat').waitFor();
      await world.page.getByRole('button', { name: 'Actions for the group House and travel' }).click();
      await world.page.getByRole('menuitem', { name: 'Dissolve group' }).click();
      await section(world, 'House and travel').waitFor({ state: 'detached' });
      await menu(world, 'Garden plan', 'Move to group…');
      await dialog.getByLabel('New group…').check();
      await dialog.getByLabel('Name of the group', { exact: true }).fill('House');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await section(world, 'House').waitFor();
    },
  ],
  [
    'a chat is archived, taken back, archived again and found in the archive',
    async (world) => {
      await menu(world, 'Holiday in Brittany', 'Archive');
      await entry(world, 'Holiday in Brittany').waitFor({ state: 'detached' });
      await toast(world, 'was archived').getByRole('button', { name: 'Undo' }).click();
      await entry(world, 'Holiday in Brittany').waitFor();
      await menu(world, 'Holiday in Brittany', 'Archive');
      await entry(world, 'Holiday in Brittany').waitFor({ state: 'detached' });
      await view(world, 'Archived');
      await entry(world, 'Holiday in Brittany').waitFor();
      await menu(world, 'Holiday in Brittany', 'Take out of the archive');
      await entry(world, 'Holiday in Brittany').waitFor({ state: 'detached' });
      await view(world, 'All');
      await entry(world, 'Holiday in Brittany').waitFor();
    },
  ],
  [
    'a deleted chat comes back by Undo and from the list of ended ones, a reset one too',
    async (world) => {
      await entry(world, 'Holiday in Brittany').click();
      await world.page.locator('main').getByText('A lobster supper').first().waitFor();
      await menu(world, 'Holiday in Brittany', 'Delete');
      await entry(world, 'Holiday in Brittany').waitFor({ state: 'detached' });
      await toast(world, 'was deleted').getByRole('button', { name: 'Undo' }).click();
      await entry(world, 'Holiday in Brittany').waitFor();
      await world.page.locator('main').getByText('A lobster supper').first().waitFor();
      await menu(world, 'Holiday in Brittany', 'Start over');
      await world.page.locator('main').getByText('A lobster supper').first().waitFor({ state: 'detached' });
      await toast(world, 'starts over').getByRole('button', { name: 'Undo' }).click();
      await world.page.locator('main').getByText('A lobster supper').first().waitFor();
      await menu(world, 'Holiday in Brittany', 'Delete');
      await entry(world, 'Holiday in Brittany').waitFor({ state: 'detached' });
      await world.page.getByRole('button', { name: 'Filters', exact: true }).click();
      await world.page.getByRole('button', { name: 'Deleted and reset chats…' }).click();
      const gone = world.page.getByTestId('ended').filter({ hasText: 'Holiday in Brittany' }).filter({ hasText: 'deleted' });
      await gone.waitFor();
      await world.shots('sessions-ended');
      await gone.getByRole('button', { name: 'Restore' }).click();
      await entry(world, 'Holiday in Brittany').waitFor();
      await world.page.keyboard.press('Escape');
    },
  ],
  [
    'a chat on a platform is shown with it, moves by itself, and is a filter',
    async (world) => {
      await until('the channel', () => irc.connected);
      await world.model.says('Bonjour Ann, the boat leaves at noon.');
      irc.says('ann', 'when does the boat leave?');
      const line = world.page.locator('li', { has: entries(world).filter({ hasText: 'irc' }) });
      await line.waitFor();
      await until('the answer on the platform', () => irc.heard.some(({ to, text }) => to === 'ann' && text.includes('boat leaves')));
      await line.getByTestId('session').click();
      await world.page.locator('main').getByText('the boat leaves at noon').first().waitFor();
      await world.model.says('Bring a coat.');
      irc.says('ann', 'anything to bring?');
      await world.page.locator('main').getByText('Bring a coat.').first().waitFor();
      await world.page.getByRole('button', { name: 'Filters', exact: true }).click();
      await world.page.getByLabel('Where', { exact: true }).selectOption('irc');
      await world.page.keyboard.press('Escape');
      await until('that one', async () => (await entries(world).count()) === 1);
      await world.page.getByRole('button', { name: 'Filters (in use)' }).click();
      await world.page.getByLabel('Where', { exact: true }).selectOption('');
      await world.page.keyboard.press('Escape');
      await entry(world, 'Main chat').waitFor();
    },
  ],
  [
    'search finds chats by name and messages by their words, and opens them there',
    async (world) => {
      const box = world.page.getByRole('searchbox', { name: 'Search chats and messages' });
      await box.fill('lobster');
      const found = world.page.getByTestId('found').filter({ hasText: 'lobster' });
      await found.first().waitFor();
      assert.equal(await found.first().locator('mark').first().innerText(), 'lobster');
      await world.shots('sessions-search');
      await found.first().click();
      await world.page.waitForURL(/message=/);
      await world.page.locator('main').getByText('A lobster supper').first().waitFor();
      await box.fill('garden');
      await entry(world, 'Garden plan').waitFor();
      await entry(world, 'Tax papers').waitFor({ state: 'detached' });
      await box.fill('<img onerror=');
      await world.page.getByText('No message says that.').first().waitFor();
      await box.press('Escape');
      await entry(world, 'Main chat').waitFor();
    },
  ],
  [
    'the palette finds pages, chats, acts and messages',
    async (world) => {
      await palette(world, 'sched');
      await world.page.keyboard.press('Enter');
      await world.page.waitForURL(/page=cron/);
      await palette(world, 'tax');
      await world.page
        .getByRole('option', { name: /Tax papers/ })
        .first()
        .click();
      await world.page.getByRole('heading', { name: 'Tax papers' }).waitFor();
      await palette(world, '2042');
      await world.page.getByRole('option', { name: /form 2042/ }).waitFor();
      await world.page.keyboard.press('Escape');
      const box = await palette(world, 'dark');
      await world.page.getByRole('option', { name: 'Theme: Dark' }).waitFor();
      await box.press('Enter');
      assert.equal(await world.page.evaluate(() => document.documentElement.dataset.theme), 'dark');
      await palette(world, 'theme system');
      await world.page.keyboard.press('Enter');
      await world.page.keyboard.press('Control+k');
      await world.page.getByRole('option').first().waitFor();
      await world.shots('palette');
      await world.page.keyboard.press('Escape');
    },
  ],
  [
    'keys lead everywhere and leave writing alone',
    async (world) => {
      const { page } = world;
      await page.getByRole('button', { name: 'Skip to the content' }).focus();
      await page.keyboard.press('Enter');
      assert.equal(await page.evaluate(() => document.activeElement?.id), 'main');
      await page.keyboard.press('g');
      await page.keyboard.press('o');
      await page.waitForURL(/page=overview/);
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      await world.shots('shortcuts');
      await page.keyboard.press('Escape');
      await page.keyboard.press('g');
      await page.keyboard.press('c');
      await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Skip to the content' }).focus();
      await page.keyboard.press('i');
      await until('the composer', () => page.evaluate(() => document.activeElement?.id === 'composer'));
      await page.keyboard.type('go? jk');
      assert.equal(await page.getByRole('textbox', { name: 'Message', exact: true }).inputValue(), 'go? jk');
      await page.getByRole('textbox', { name: 'Message', exact: true }).fill('');
      const first = await page.getByRole('heading', { level: 1 }).innerText();
      await page.keyboard.press('Alt+ArrowDown');
      await until('another chat', async () => (await page.getByRole('heading', { level: 1 }).innerText()) !== first);
      await page.keyboard.press('Alt+ArrowUp');
      await until('the chat before', async () => (await page.getByRole('heading', { level: 1 }).innerText()) === first);
      await page.keyboard.press('Alt+n');
      await page.getByText('What can I do for you?').waitFor();
      await until('the composer', () => page.evaluate(() => document.activeElement?.id === 'composer'));
      await page.getByRole('button', { name: 'Skip to the content' }).focus();
      await page.keyboard.press('/');
      await until('the search', () => page.evaluate(() => document.activeElement?.id === 'session-search'));
    },
  ],
  [
    'runs under way are marked and stopped together',
    async (world) => {
      await entry(world, 'Main chat').click();
      await world.model.script({ says: 'slowly '.repeat(30), stallsAfter: 3 });
      await world.peer.call('chat.send', { sessionKey: world.garden, message: 'think long', idempotencyKey: 'elsewhere-2' });
      await world.page
        .locator('li', { has: entry(world, 'Garden plan') })
        .getByText('Running')
        .waitFor();
      await view(world, 'Running');
      await until('only that', async () => (await entries(world).count()) === 1);
      await view(world, 'All');
      await palette(world, 'stop all');
      await world.page.keyboard.press('Enter');
      await toast(world, 'Stopped').waitFor();
      await world.page
        .locator('li', { has: entry(world, 'Garden plan') })
        .getByText('Running')
        .waitFor({ state: 'detached' });
    },
  ],
  [
    'who looks elsewhere is notified, when they asked for it',
    async (world) => {
      await world.page.evaluate(() => {
        window.told = [];
        window.Notification = class {
          static permission = 'default';
          static requestPermission() {
            this.permission = 'granted';
            return Promise.resolve('granted');
          }
          constructor(title, options) {
            window.told.push({ title, ...options });
            window.notice = this;
          }
          close() {}
        };
      });
      await world.page.getByRole('button', { name: 'Notifications and more' }).click();
      await world.page.getByRole('switch', { name: /^Notifications/ }).check();
      await world.shots('notifications');
      await world.page.keyboard.press('Escape');
      await entry(world, 'Main chat').click();
      await world.model.says('Use straw <b>mulch</b>.');
      await world.peer.call('chat.send', { sessionKey: world.garden, message: 'and mulch?', idempotencyKey: 'elsewhere-3' });
      await until('a notification', () => world.page.evaluate(() => window.told.length > 0));
      const [told] = await world.page.evaluate(() => window.told);
      assert.equal(told.title, 'Garden plan');
      assert.match(told.body, /Use straw <b>mulch<\/b>/);
      await world.page.evaluate(() => window.notice.onclick());
      await world.page.getByRole('heading', { name: 'Garden plan' }).waitFor();
    },
  ],
  [
    'the filters open, and the list looks right',
    async (world) => {
      await world.page.getByRole('button', { name: 'Filters', exact: true }).click();
      await world.page.screenshot({ path: 'test-results/filters.png' });
      await world.page.keyboard.press('Escape');
      await entry(world, 'Main chat').click();
      await world.shots('sessions');
      await world.page.setViewportSize({ width: 390, height: 844 });
      await world.page.getByRole('button', { name: 'Show chats' }).click();
      await world.page.locator('.drawer-open').waitFor();
      await world.shots('sessions-drawer');
      await world.page.keyboard.press('Escape');
      await world.page.setViewportSize({ width: 1440, height: 900 });
    },
  ],
  [
    'a thousand chats and more are all there, few of them are drawn',
    async (world) => {
      for (let from = 0; from < MANY; from += 50) {
        await Promise.all(Array.from({ length: 50 }, (_, index) => world.peer.call('sessions.create', { key: `agent:main:many-${from + index}`, label: `Chat number ${from + index}` })));
      }
      await world.page.reload();
      await entry(world, 'Main chat').waitFor();
      const list = world.page.getByRole('navigation', { name: 'Chats' });
      await until('the end of the list', async () => {
        await list.evaluate((element) => (element.scrollTop = element.scrollHeight));
        assert.ok((await entries(world).count()) < 60, 'only what is in sight is drawn');
        return list.evaluate((element) => element.scrollHeight > 1200 * 50);
      });
      await world.page.getByRole('searchbox').fill('number 777');
      await entry(world, 'Chat number 777').click();
      await world.page.getByRole('heading', { name: 'Chat number 777' }).waitFor();
    },
  ],
];
