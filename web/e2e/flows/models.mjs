// Models: credentials in words, a live test, who answers in which order, and adding a provider.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../world.mjs';

const HOSTILE = '<img src=x onerror="window.hacked=1">';
const SECRET = 'sk-very-secret-0123456789';

const cost = (input, output) => ({ input, output, cacheRead: 0, cacheWrite: 0 });

export const options = {
  config: {
    agents: {
      list: [
        { id: 'main', default: true },
        { id: 'scribe', name: 'Scribe' },
      ],
    },
    models: {
      providers: {
        harbour: {
          baseUrl: 'http://127.0.0.1:9/v1',
          apiKey: 'x',
          api: 'openai-completions',
          models: [
            { id: 'lantern-mini', name: 'Lantern Mini', contextWindow: 32_000, maxTokens: 4_000, cost: cost(0.15, 0.6) },
            { id: 'lantern-max', name: `Lantern ${HOSTILE}`, contextWindow: 1_000_000, maxTokens: 64_000, reasoning: true, input: ['text', 'image'], cost: cost(5, 25) },
          ],
        },
      },
    },
  },
};

const onDisk = (world) => JSON.parse(readFileSync(join(world.state, 'homard.json'), 'utf8'));
const provider = (world, name) => world.page.getByTestId('provider').filter({ hasText: name });

export const steps = [
  [
    'providers say where their key comes from, and never the key',
    async (world) => {
      await world.go('Models');
      await provider(world, 'fake').getByText('Key from the configuration file').waitFor();
      assert.ok(!(await world.page.content()).includes('test-key'));
      assert.equal(await world.page.evaluate(() => window.hacked), undefined);
    },
  ],
  [
    'a test says how fast, and a failed one what it means',
    async (world) => {
      await world.model.says('OK');
      await world.page.getByRole('button', { name: 'Test: fake' }).click();
      await provider(world, 'fake').getByText('Works', { exact: true }).waitFor();
      await provider(world, 'fake')
        .getByText(/fake\/fake-1 answered in/)
        .waitFor();
      await world.model.script({ fails: 401, body: JSON.stringify({ error: { message: `Incorrect key ${HOSTILE}` } }) });
      await world.page.getByRole('button', { name: 'Test: fake' }).click();
      await provider(world, 'fake').getByText('Key refused').waitFor();
      await provider(world, 'fake')
        .getByText(/does not accept this key/)
        .waitFor();
      await world.page.getByRole('button', { name: 'Test all' }).click();
      await provider(world, 'harbour')
        .getByTestId('probe-result')
        .getByText(/Failed|No answer/)
        .waitFor();
      await provider(world, 'fake').getByText('Works', { exact: true }).waitFor();
    },
  ],
  [
    'a key is stored, named, and forgotten when asked',
    async (world) => {
      const { page } = world;
      await page.getByRole('button', { name: 'Set a key: fake' }).click();
      await page.getByRole('dialog').getByLabel('API key').fill(`${SECRET} with spaces`);
      await page.getByRole('dialog').getByRole('button', { name: 'Save and test' }).click();
      await page
        .getByRole('dialog')
        .getByText(/a key is one word/)
        .waitFor();
      await page.getByRole('dialog').getByLabel('API key').fill(SECRET);
      await page.getByRole('dialog').getByRole('button', { name: 'Save and test' }).click();
      await page.getByRole('dialog').getByTestId('probe-result').getByText('Works', { exact: true }).first().waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
      await provider(world, 'fake').getByText('fake:default').first().waitFor();
      assert.ok(!(await page.content()).includes(SECRET));
      assert.ok(!world.log().includes(SECRET));
      await page.getByRole('button', { name: 'Remove fake:default' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('button', { name: 'Remove fake:default' }).waitFor({ state: 'detached' });
    },
  ],
  [
    'fallbacks are added, moved by keyboard, and saved',
    async (world) => {
      const { page } = world;
      const all = page.getByRole('region', { name: 'All agents' });
      await all.getByLabel('Add a model for All agents').fill('harbour/lantern-mini');
      await page.keyboard.press('Enter');
      await all.getByLabel('Add a model for All agents').fill('nobody/knows');
      await page.keyboard.press('Enter');
      await all.getByText('No provider lists this model').waitFor();
      await all.getByRole('listitem', { name: 'Fallback 2: nobody/knows' }).focus();
      await page.keyboard.press('Alt+ArrowUp');
      await all.getByRole('listitem', { name: 'Fallback 1: nobody/knows' }).waitFor();
      await all.getByRole('button', { name: 'Move nobody/knows down' }).click();
      await all.getByRole('button', { name: 'Save' }).click();
      await until('the choice on disk', () => onDisk(world).agents.defaults.model.fallbacks?.length === 2);
      assert.deepEqual(onDisk(world).agents.defaults.model, { primary: 'fake/fake-1', fallbacks: ['harbour/lantern-mini', 'nobody/knows'] });
      // Not "Save": it says "Saving…" until the page has read what was written, and the list is drawn anew then.
      await all.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' });
      await all.getByRole('button', { name: 'Remove nobody/knows' }).click();
      await all.getByRole('button', { name: 'Save' }).click();
      await until('one fallback on disk', () => onDisk(world).agents.defaults.model.fallbacks.length === 1);
    },
  ],
  [
    'an agent gets a choice of its own and gives it back',
    async (world) => {
      const { page } = world;
      const scribe = page.getByRole('region', { name: 'Scribe' });
      await scribe.getByRole('button', { name: 'Choose its own' }).click();
      await scribe.getByLabel('Add a model for Scribe').fill('harbour/lantern-max');
      await page.keyboard.press('Enter');
      await scribe.getByRole('button', { name: 'Save' }).click();
      await until('its choice on disk', () => onDisk(world).agents.list.find((one) => one.id === 'scribe').model?.primary === 'harbour/lantern-max');
      await scribe.getByRole('button', { name: 'Use the choice for all' }).waitFor();
    },
  ],
  [
    'the table is filtered, and a model is made the one that answers',
    async (world) => {
      const { page } = world;
      await page.getByRole('searchbox', { name: 'Filter models' }).fill('lantern');
      await page.getByText('2 models', { exact: true }).waitFor();
      await page.getByLabel('Can think').check();
      await page.getByText('1 model', { exact: true }).waitFor();
      await page.getByLabel('Can think').uncheck();
      await page.getByRole('cell', { name: '$0.15' }).waitFor();
      await page.getByRole('button', { name: 'Use Lantern Mini for all agents' }).click();
      await until('the new choice on disk', () => onDisk(world).agents.defaults.model.primary === 'harbour/lantern-mini');
      await page.getByRole('searchbox', { name: 'Filter models' }).fill('');
    },
  ],
  [
    'a provider is added by its address and tested at once',
    async (world) => {
      const { page } = world;
      await page.getByRole('button', { name: 'Add a provider' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Other address' }).click();
      await dialog.getByLabel('Name').fill('Bad Name');
      await dialog.getByLabel('Address').fill('javascript:alert(1)');
      await dialog.getByRole('button', { name: 'Add and test' }).click();
      await dialog.getByText('Small letters, digits, dots and dashes.').waitFor();
      await dialog.getByText('An address begins with http:// or https://').waitFor();
      await world.shots('models-add');
      await dialog.getByLabel('Name').fill('cellar');
      await dialog.getByLabel('Address').fill(`${world.model.url}/v1`);
      await dialog.getByLabel('Models').fill('fake-2');
      await world.model.says('OK');
      await dialog.getByRole('button', { name: 'Add and test' }).click();
      await dialog.getByTestId('probe-result').getByText('Works', { exact: true }).waitFor();
      await dialog.getByRole('button', { name: 'Close' }).click();
      await provider(world, 'cellar').waitFor();
      await page.getByText('cellar/fake-2').first().waitFor();
    },
  ],
  [
    'a provider is edited and removed where it stands',
    async (world) => {
      const { page } = world;
      await page.getByRole('button', { name: 'Edit cellar' }).click();
      const dialog = page.getByRole('dialog');
      assert.equal(await dialog.getByLabel('Address').inputValue(), `${world.model.url}/v1`);
      await dialog.getByLabel('Models', { exact: true }).fill('fake-2\nfake-3');
      await dialog.getByLabel('They can be shown pictures').check();
      await world.shots('models-edit');
      await world.model.says('OK');
      await dialog.getByRole('button', { name: 'Save and test' }).click();
      await dialog.getByTestId('probe-result').getByText('Works', { exact: true }).waitFor();
      const written = onDisk(world).models.providers.cellar.models;
      assert.deepEqual(
        written.map((model) => [model.id, model.input]),
        [
          ['fake-2', ['text', 'image']],
          ['fake-3', ['text', 'image']],
        ],
      );
      await dialog.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('button', { name: 'Remove: cellar' }).click();
      await dialog.getByRole('button', { name: 'Remove' }).click();
      await provider(world, 'cellar').waitFor({ state: 'detached' });
      assert.equal(onDisk(world).models.providers.cellar, undefined);
    },
  ],
  [
    'it all looks right',
    async (world) => {
      await world.page.getByRole('button', { name: 'Test all' }).click();
      await provider(world, 'fake').getByText('Works', { exact: true }).waitFor();
      await provider(world, 'harbour')
        .getByTestId('probe-result')
        .getByText(/Failed|No answer/)
        .waitFor();
      await world.shots('models');
    },
  ],
];
