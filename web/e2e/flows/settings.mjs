// Settings: the form made from the schema, the file itself, the review before saving, and other people's changes.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../world.mjs';

const HOSTILE = '<img src=x onerror="window.hacked=1">';

export const options = {
  config: {
    logging: { level: 'info' },
    messages: { ackReaction: '👀' },
    session: { typingMode: 'thinking' },
    agents: { list: [{ id: 'main', name: HOSTILE, default: true }] },
    tools: { deny: ['browser'] },
  },
};

const onDisk = (world) => JSON.parse(readFileSync(join(world.state, 'homard.json'), 'utf8'));

/** Reviews and saves what the form says. */
async function save(world) {
  const { page } = world;
  await page.getByRole('button', { name: 'Review changes' }).click();
  await page
    .getByRole('dialog')
    .getByText(/restart|at once/)
    .waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByTestId('saved').waitFor();
}

export const steps = [
  [
    'the sections are listed, and only the open one is made',
    async ({ page }) => {
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Settings', exact: true }).click();
      await page
        .getByRole('navigation', { name: 'Sections' })
        .getByRole('button', { name: /Gateway/ })
        .click();
      await page.getByRole('heading', { name: 'Gateway' }).waitFor();
      await page.getByLabel('Port', { exact: true }).waitFor();
      assert.match(page.url(), /section=gateway/);
      assert.ok((await page.locator('[data-path]').count()) < 60);
    },
  ],
  [
    'a search over all keys opens the section and the group around the key',
    async (world) => {
      const { page } = world;
      await page.getByRole('searchbox', { name: 'Search all settings' }).fill('rate limit attempts');
      await page.getByTestId('setting-results').getByText('gateway.auth.rateLimit.maxAttempts').click();
      await page.locator('[data-path="gateway.auth.rateLimit.maxAttempts"]').waitFor();
      await page.getByRole('searchbox', { name: 'Search all settings' }).fill('zzzz');
      await page.getByText('No setting matches.').waitFor();
      await page.getByRole('searchbox', { name: 'Search all settings' }).fill('heartbeat every');
      await page.getByTestId('setting-results').waitFor();
      await world.shots('settings-search');
      await page.getByRole('searchbox', { name: 'Search all settings' }).fill('');
    },
  ],
  [
    'a secret is said to be set, never shown, and replaced only when asked for',
    async ({ page }) => {
      const token = page.locator('[data-path="gateway.auth.token"]');
      await token.getByText('A value is set. It is never shown.').waitFor();
      assert.ok(!(await page.content()).includes('token-of-the-browser-test'));
      await token.getByRole('button', { name: 'Replace: Token' }).click();
      await token.getByLabel('New value of Token').fill('something else');
      await token.getByLabel('New value of Token').blur();
      await page.getByTestId('save-bar').waitFor();
      await token.getByRole('button', { name: 'Keep the old one' }).click();
      await page.getByTestId('save-bar').waitFor({ state: 'detached' });
    },
  ],
  [
    'a number out of its limits is marked, and the gateway has the last word',
    async ({ page }) => {
      await page.getByLabel('Channel health check minutes', { exact: true }).fill('-3');
      await page.getByLabel('Channel health check minutes', { exact: true }).blur();
      await page.getByText('must be at least 0').waitFor();
      await page.getByRole('button', { name: 'Review changes' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByTestId('save-problem').waitFor();
      await page.getByRole('button', { name: 'Discard' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
      await page.getByTestId('save-bar').waitFor({ state: 'detached' });
    },
  ],
  [
    'switches, selects, lists and maps change, are marked, can be undone, and are saved after a review',
    async (world) => {
      const { page } = world;
      await page.getByRole('button', { name: /^Logging/ }).click();
      await page.getByLabel('Level', { exact: true }).selectOption({ label: 'debug' });
      const level = page.locator('[data-path="logging.level"]');
      await level.getByText('Changed').waitFor();
      await level.getByRole('button', { name: 'Undo this change: Level' }).click();
      await page.getByTestId('save-bar').waitFor({ state: 'detached' });
      await page.getByLabel('Level', { exact: true }).selectOption({ label: 'debug' });
      await page.getByRole('button', { name: /^Tools/ }).click();
      await page.getByLabel('Add to Deny', { exact: true }).fill('canvas');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Move canvas up' }).click();
      await page
        .getByRole('button', { name: /^Budgets|^Env/ })
        .last()
        .click();
      await page.getByRole('button', { name: 'Review changes' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByTestId('diff').getByText('"level": "debug"').waitFor();
      await dialog.getByTestId('diff').getByText('"canvas"').waitFor();
      await dialog.getByText('Takes effect at once').waitFor();
      await world.shots('settings-review');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByTestId('saved').waitFor();
      assert.equal(onDisk(world).logging.level, 'debug');
      assert.deepEqual(onDisk(world).tools.deny, ['canvas', 'browser']);
      assert.equal(onDisk(world).gateway.auth.token, 'token-of-the-browser-test');
    },
  ],
  [
    'a value goes back to its default, and hostile names are only text',
    async (world) => {
      const { page } = world;
      await page.getByRole('button', { name: /^Logging/ }).click();
      await page.getByRole('button', { name: 'Use the default of Level' }).click();
      await save(world);
      assert.equal(onDisk(world).logging?.level, undefined);
      await page
        .getByRole('navigation', { name: 'Sections' })
        .getByRole('button', { name: /^Agents/ })
        .click();
      await page.locator('[data-path="agents.list"] .opener').first().click();
      await page.getByRole('button', { name: HOSTILE }).first().waitFor();
      assert.equal(await page.evaluate(() => window.hacked), undefined);
    },
  ],
  [
    'an entry of a map is added by name and edited in place',
    async (world) => {
      const { page } = world;
      await page
        .getByRole('navigation', { name: 'Sections' })
        .getByRole('button', { name: /^Models/ })
        .click();
      await page.locator('[data-path="models.providers"] > .head .opener').click();
      await page.getByLabel('Add to Providers: Name').fill('second');
      await page.getByRole('button', { name: 'Add to Providers', exact: true }).click();
      await page.locator('[data-path="models.providers.second"] > .head .opener').click();
      await page.locator('[data-path="models.providers.second.baseUrl"] input').fill(`${world.model.url}/v1`);
      await page.locator('[data-path="models.providers.second.baseUrl"] input').blur();
      await world.shots('settings-form');
      await save(world);
      assert.equal(onDisk(world).models.providers.second.baseUrl, `${world.model.url}/v1`);
      assert.equal(onDisk(world).models.providers.fake.apiKey, 'test-key');
    },
  ],
  [
    'somebody else’s change is shown, and both are kept',
    async (world) => {
      const { page } = world;
      await page.getByRole('button', { name: /^Messages/ }).click();
      await page.getByLabel('Ack reaction', { exact: true }).fill('🦞');
      await page.getByLabel('Ack reaction', { exact: true }).blur();
      const { hash } = await world.call('config.get');
      await world.call('config.patch', { raw: JSON.stringify({ logging: { level: 'warn' } }), baseHash: hash });
      await page.getByRole('button', { name: 'Review changes' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      const conflict = page.getByTestId('conflict');
      await conflict.getByText('"level": "warn"').waitFor();
      await conflict.getByText('Nothing you changed was touched.').waitFor();
      await world.shots('settings-conflict');
      await conflict.getByRole('button', { name: 'Keep mine on top of theirs' }).click();
      await save(world);
      assert.equal(onDisk(world).messages.ackReaction, '🦞');
      assert.equal(onDisk(world).logging.level, 'warn');
    },
  ],
  [
    'the file shows mistakes on their lines while typing, and keeps secrets',
    async (world) => {
      const { page } = world;
      await page.getByRole('button', { name: 'File', exact: true }).click();
      const editor = page.getByRole('textbox', { name: 'The configuration file as JSON5' });
      await editor.waitFor();
      await until('the text', async () => (await editor.inputValue()).includes('••••••••'));
      const text = await editor.inputValue();
      assert.ok(!text.includes('token-of-the-browser-test') && !text.includes('test-key'));
      await editor.fill(text.replace('"warn"', '"warn'));
      await page
        .getByTestId('mistakes')
        .getByText(/no closing quote/)
        .waitFor();
      assert.ok(await page.getByRole('button', { name: 'Review changes' }).isDisabled());
      await editor.fill(text.replace('"warn"', '"loud"').replace('"ackReaction"', '"nonsense": 1, "ackReaction"'));
      await page
        .getByTestId('mistakes')
        .getByText(/logging\.level/)
        .waitFor();
      await page
        .getByTestId('mistakes')
        .getByText(/not a setting Homard knows/)
        .waitFor();
      await page.getByTestId('mistakes').getByRole('button').first().click();
      await world.shots('settings-file');
      await page.getByRole('button', { name: 'Review changes' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByTestId('save-problem').waitFor();
      await editor.fill(text.replace('"warn"', '"error"'));
      await page.getByText('No mistakes found.').waitFor();
      await save(world);
      assert.equal(onDisk(world).logging.level, 'error');
      assert.equal(onDisk(world).models.providers.fake.apiKey, 'test-key');
    },
  ],
  [
    'what was typed into the file is there after a look at another page, and no marker of ours is shown',
    async (world) => {
      const { page } = world;
      const editor = page.getByRole('textbox', { name: 'Configuration file' });
      const before = await editor.inputValue();
      assert.ok(!before.includes('REDACTED'));
      await editor.fill(`${before}\n// half a thought`);
      await world.go('Usage');
      await page.getByRole('button', { name: /budgets/i }).click();
      await page.getByRole('heading', { name: 'Budgets', level: 2 }).waitFor();
      await page.getByRole('button', { name: 'File', exact: true }).click();
      assert.match(await editor.inputValue(), /half a thought/);
      await editor.fill(before);
      await page.getByRole('button', { name: 'Form', exact: true }).click();
    },
  ],
  [
    'parts that are not built yet say so, and show no "On"',
    async (world) => {
      const { page } = world;
      await page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Browser' }).click();
      await page
        .getByTestId('inert')
        .getByText(/not built yet/)
        .waitFor();
      assert.equal(await page.getByText(/^On\b/).count(), 0);
      await world.shots('settings-inert');
      await page.getByRole('button', { name: 'File', exact: true }).click();
    },
  ],
  [
    'enormous text in the editor is refused in words, not by hanging',
    async (world) => {
      const { page } = world;
      const editor = page.getByRole('textbox', { name: 'The configuration file as JSON5' });
      await editor.fill(`{ "x": "${'y'.repeat(300_000)}" `);
      await page
        .getByTestId('mistakes')
        .getByText(/ends too early/)
        .waitFor();
      await page.getByRole('button', { name: 'Discard' }).click();
    },
  ],
  [
    'a change that needs a restart says so first, and the page comes back after it',
    async (world) => {
      const { page } = world;
      await page.getByRole('button', { name: 'Form', exact: true }).click();
      await page
        .getByRole('navigation', { name: 'Sections' })
        .getByRole('button', { name: /^Gateway/ })
        .click();
      await page.locator('[data-path="gateway.controlUi"] > .head .opener').click();
      await page.locator('[data-path="gateway.controlUi"]').getByRole('switch').first().waitFor();
      await page.getByLabel('Allow real IP fallback', { exact: true }).check();
      await page.getByRole('button', { name: 'Review changes' }).click();
      await page.getByTestId('restart-notice').getByText('gateway.allowRealIpFallback').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await until('the file', () => onDisk(world).gateway.allowRealIpFallback === true);
      await page.getByTestId('saved').waitFor();
      await until('the gateway after its restart', () =>
        fetch(`${world.base}/readyz`).then(
          (answer) => answer.ok,
          () => false,
        ),
      );
      await world.page.getByTestId('connection-banner').waitFor({ state: 'detached' });
      assert.equal(await page.getByLabel('Allow real IP fallback', { exact: true }).isChecked(), true);
    },
  ],
  [
    'a file broken by hand is told, with what is wrong',
    async (world) => {
      const file = join(world.state, 'homard.json');
      const good = readFileSync(file, 'utf8');
      writeFileSync(file, good.replace('"logging"', '"loging"'));
      await world.page.reload();
      await world.page.getByText('The file on disk has mistakes').waitFor();
      await world.page
        .getByText(/loging/)
        .first()
        .waitFor();
      writeFileSync(file, good);
    },
  ],
];
