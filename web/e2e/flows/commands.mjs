// Every command the palette offers is typed, and its answer stands in the conversation, also after a reload.
import assert from 'node:assert/strict';
import { until } from '../world.mjs';

const KEY = 'agent:main:main';
/** Commands that want words behind them. */
const WORDS = { steer: '1 look again', kill: 'all', send: 'on', approve: '0 deny', dock: 'telegram', skill: 'nothing-like-it', model: 'fake/fake-1', think: 'low' };
/** What is not answered: a skill is told to the model, and the gateway that restarts is looked at last. */
const APART = new Set(['skill', 'restart', 'new', 'reset']);

const field = (world) => world.page.getByRole('textbox', { name: 'Message', exact: true });
const shown = (world) => world.page.locator('[data-testid=assistant-message], [data-testid=run-error]');

async function type(world, text) {
  const before = await shown(world).count();
  await field(world).fill(text);
  await field(world).press('Escape');
  await field(world).press('Enter');
  await world.page.getByTestId('user-message').last().getByText(text, { exact: true }).waitFor();
  await until(`an answer to ${text}`, async () => (await shown(world).count()) === before + 1);
  assert.ok((await shown(world).last().innerText()).trim(), text);
  await world.page.getByTestId('stop').waitFor({ state: 'detached' });
}

let offered = [];
const line = (name) => `/${name}${WORDS[name] ? ` ${WORDS[name]}` : ''}`;

export const steps = [
  [
    'each command the palette offers is answered where it was typed',
    async (world) => {
      await world.say('hello');
      offered = (await world.call('commands.list', { includeArgs: true })).commands.map((command) => command.name);
      assert.ok(offered.length > 20, `${offered.length} commands`);
      for (const name of offered.filter((name) => !APART.has(name))) await type(world, line(name));
      world.notes.push(`${offered.length} commands`);
    },
  ],
  [
    'the answers are there after a reload, in their order, and in another tab',
    async (world) => {
      const before = await shown(world).allInnerTexts();
      await world.page.reload();
      await world.page.getByTestId('user-message').last().waitFor();
      await until('the same lines', async () => (await shown(world).count()) === before.length);
      const { messages } = await world.call('chat.history', { sessionKey: KEY });
      const asked = messages.filter((message) => message.role === 'user').map((message) => message.content);
      assert.deepEqual(
        asked.slice(1).map((text) => text.split(' ')[0]),
        offered.filter((name) => !APART.has(name)).map((name) => `/${name}`),
      );
    },
  ],
  [
    'a new conversation begins with the answer that says so',
    async (world) => {
      for (const name of ['new', 'reset']) {
        await field(world).fill(`/${name}`);
        await field(world).press('Escape');
        await field(world).press('Enter');
        await until('only the answer', async () => (await shown(world).count()) === 1 && /new conversation begins/.test(await shown(world).first().innerText()));
      }
      await world.shots('commands-answers');
    },
  ],
];
