// Agents and Memory: who the assistant is, and what it knows.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOSTILE, harmless, noSideways } from '../hostile.mjs';
import { until } from '../world.mjs';

export const options = {
  config: {
    models: {
      providers: {
        spare: { baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'test-key', api: 'openai-completions', models: [{ id: 'spare-1', name: 'Spare One', contextWindow: 32_000, maxTokens: 4_000 }] },
      },
    },
  },
};

async function workspace(world, id = 'main') {
  const { agents } = await world.call('agents.list');
  return agents.find((agent) => agent.id === id).workspace;
}

const dialog = (world) => world.page.getByRole('dialog');
const editor = (world, name) => world.page.getByRole('textbox', { name: `Text of ${name}` });
const card = (world, title) => world.page.locator('section').filter({ has: world.page.getByRole('heading', { name: title, exact: true }) });

const agents = [
  [
    'an agent is made, refused in words when its name is taken, and renamed',
    async (world) => {
      const { page } = world;
      await world.go('Agents');
      await page.getByRole('button', { name: 'New agent' }).click();
      await dialog(world).getByRole('button', { name: 'Create' }).click();
      await dialog(world).getByText('Give it a name').waitFor();
      await dialog(world).getByLabel('Name').fill('main');
      await dialog(world).getByRole('button', { name: 'Create' }).click();
      await dialog(world).getByText('already exists').waitFor();
      await dialog(world).getByLabel('Name').fill('Harbour Office');
      await dialog(world).getByLabel('Emoji').fill('⚓');
      await world.shots('agents-create');
      await dialog(world).getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { level: 1, name: 'Harbour Office' }).waitFor();
      await page.getByLabel('Name').fill(`Harbour ${HOSTILE}`);
      await page.getByLabel('Picture or letters').fill('https://tracker.example/face.png');
      await card(world, 'Identity').getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved.', { exact: true }).waitFor();
      await harmless(world);
      await page.getByLabel('Name').fill('Harbour Desk');
      await page.getByLabel('Picture or letters').fill('');
      await card(world, 'Identity').getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Harbour Desk' }).waitFor();
    },
  ],
  [
    'its picture is made small and kept, and a file that is none is refused',
    async (world) => {
      const { page } = world;
      const picture = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
      await page.locator('input[type=file]').setInputFiles({ name: 'no.png', mimeType: 'image/png', buffer: Buffer.from('not a picture') });
      await page.getByText('not a picture that can be read').waitFor();
      await page.locator('input[type=file]').setInputFiles({ name: 'face.png', mimeType: 'image/png', buffer: picture });
      await page.getByRole('button', { name: 'Remove the picture' }).waitFor();
      await card(world, 'Identity').getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved.', { exact: true }).waitFor();
      const { agents: all } = await world.call('agents.list');
      assert.match(all.find(({ id }) => id === 'harbour-office').identity.avatar, /^data:image\//);
      await page.getByRole('button', { name: 'Remove the picture' }).click();
      await card(world, 'Identity').getByRole('button', { name: 'Save', exact: true }).click();
      await until('the sign again', async () => (await world.call('agents.list')).agents.find(({ id }) => id === 'harbour-office').identity.avatar === '');
    },
  ],
  [
    'its model and fallbacks are chosen',
    async (world) => {
      const { page } = world;
      await page.getByLabel('Model', { exact: true }).selectOption('spare/spare-1');
      await page.getByText('Own list').click();
      await page.getByLabel('Add a fallback').selectOption('fake/fake-1');
      await page.getByText('1. fake/fake-1').waitFor();
      await card(world, 'Model').getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('It counts from the next message on.').waitFor();
      const { agents: all } = await world.call('agents.list');
      assert.deepEqual(all.find(({ id }) => id === 'harbour-office').model, { primary: 'spare/spare-1', fallbacks: ['fake/fake-1'] });
    },
  ],
  [
    'a file is written, saved with Ctrl + S and shown as it reads',
    async (world) => {
      const { page } = world;
      await page.getByRole('link', { name: /SOUL\.md/ }).click();
      await editor(world, 'SOUL.md').fill(
        `# Tone\n\nBe **brief** and kind.\n\n- Say where you know something from.\n- Ask before anything leaves the house.\n\n${HOSTILE}\n\n[x](javascript:alert(1))`,
      );
      await page.getByText('Not saved yet').waitFor();
      await page.locator('.preview strong', { hasText: 'brief' }).waitFor();
      await harmless(world);
      await page.keyboard.press('Control+s');
      await page.getByText('Saved', { exact: true }).waitFor();
      assert.match(readFileSync(join(await workspace(world, 'harbour-office'), 'SOUL.md'), 'utf8'), /Be \*\*brief\*\*/);
      await world.shots('agents');
    },
  ],
  [
    'what somebody else wrote is not overwritten: both texts are shown',
    async (world) => {
      const { page } = world;
      const file = join(await workspace(world, 'harbour-office'), 'SOUL.md');
      await editor(world, 'SOUL.md').fill('# Tone\n\nBe mine.');
      writeFileSync(file, '# Tone\n\nBe theirs.');
      await page.keyboard.press('Control+s');
      await dialog(world).getByText('Be theirs.').waitFor();
      await dialog(world).getByText('Be mine.').waitFor();
      await world.shots('agents-conflict');
      await dialog(world).getByRole('button', { name: 'Go on editing' }).click();
      assert.equal(readFileSync(file, 'utf8'), '# Tone\n\nBe theirs.');
      await page.keyboard.press('Control+s');
      await dialog(world).getByRole('button', { name: 'Save mine over it' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      assert.equal(readFileSync(file, 'utf8'), '# Tone\n\nBe mine.');
      await editor(world, 'SOUL.md').fill('# Tone\n\nMine again.');
      writeFileSync(file, '# Tone\n\nTheirs again.');
      await page.keyboard.press('Control+s');
      await dialog(world).getByRole('button', { name: 'Take the file’s text' }).click();
      await until('their text', async () => (await editor(world, 'SOUL.md').inputValue()) === '# Tone\n\nTheirs again.');
    },
  ],
  [
    'who leaves with unsaved changes is told, and finds them again',
    async (world) => {
      const { page } = world;
      await editor(world, 'SOUL.md').fill('# Tone\n\nHalf a thought');
      await world.go('Skills');
      await page.getByText('Your changes of SOUL.md are not saved').waitFor();
      await page.getByRole('button', { name: 'Dismiss' }).click();
      await page.goBack();
      assert.equal(await editor(world, 'SOUL.md').inputValue(), '# Tone\n\nHalf a thought');
      const asked = page.waitForEvent('dialog');
      // Not `page.reload()`: it would wait for a page that does not come.
      void page.evaluate(() => location.reload()).catch(() => undefined);
      const warning = await asked;
      assert.equal(warning.type(), 'beforeunload');
      await warning.dismiss();
      await page.getByRole('button', { name: 'Discard changes' }).click();
      await dialog(world).getByRole('button', { name: 'Discard changes' }).click();
      await until('the saved text', async () => (await editor(world, 'SOUL.md').inputValue()) === '# Tone\n\nTheirs again.');
      await editor(world, 'SOUL.md').fill('x'.repeat(2 * 1024 * 1024 + 1));
      await page.getByText('larger than the 2 MiB').waitFor();
      await editor(world, 'SOUL.md').fill('# Tone\n\nTheirs again.');
    },
  ],
  [
    'the default agent stays; another goes after it was asked',
    async (world) => {
      const { page } = world;
      await page.getByRole('button', { name: 'All agents' }).click();
      await page.getByRole('link', { name: 'Harbour Desk' }).waitFor();
      await world.shots('agents-list');
      await page.getByRole('link', { name: /^main$/i }).click();
      assert.ok(await page.getByRole('button', { name: 'Delete agent' }).isDisabled());
      await page.getByRole('button', { name: 'All agents' }).click();
      await page.getByRole('link', { name: 'Harbour Desk' }).click();
      await page.getByRole('button', { name: 'Delete agent' }).click();
      await dialog(world).getByLabel('Move its workspace').check();
      await dialog(world).getByRole('button', { name: 'Delete agent' }).click();
      await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
      assert.deepEqual(
        (await world.call('agents.list')).agents.map(({ id }) => id),
        ['main'],
      );
      await page.getByRole('link', { name: 'Harbour Desk' }).waitFor({ state: 'detached' });
    },
  ],
];

const memory = [
  [
    'an empty memory says how it is filled',
    async (world) => {
      await world.go('Memory');
      await world.page.getByRole('heading', { name: 'Nothing is remembered yet' }).waitFor();
    },
  ],
  [
    'notes are listed by day and read as they were meant',
    async (world) => {
      const { page } = world;
      const folder = await workspace(world);
      mkdirSync(join(folder, 'memory', 'people'), { recursive: true });
      writeFileSync(
        join(folder, 'MEMORY.md'),
        '# About the house\n\n- The gate to the harbour is **blue**.\n- Anna waters the plants on Fridays.\n\n## Preferences\n\nShort answers, metric units, no small talk before nine.\n',
      );
      for (const [day, text] of [
        ['2026-11-16', '# Monday\n\nAnna asked for the tide tables of Brest.\n\n## Decisions\n\n| what | who |\n|---|---|\n| paint the gate | Anna |\n| order rope | us |\n'],
        ['2026-11-15', 'A quiet day. The tide was low at noon.'],
        ['2026-10-31', 'The boat was taken out of the water.'],
      ])
        writeFileSync(join(folder, 'memory', `${day}.md`), text);
      writeFileSync(
        join(folder, 'memory', 'people', 'anna.md'),
        `# Anna\n\n${'A line about nothing in particular.\n\n'.repeat(80)}She likes the TIDE pool at Brest.\n\n${'More of the same.\n\n'.repeat(80)}`,
      );
      writeFileSync(join(folder, 'memory', 'hostile.md'), `${HOSTILE}\n\n<script>document.title='owned'</script>\n\n${'unbroken'.repeat(4000)}`);
      await page.reload();
      await page
        .getByRole('button', { name: /MEMORY\.md/ })
        .first()
        .waitFor();
      await page.getByRole('heading', { name: 'October 2026' }).waitFor();
      await page.getByRole('button', { name: /Mon 16/ }).click();
      await page.getByTestId('note').getByRole('cell', { name: 'paint the gate' }).waitFor();
      await world.shots('memory');
      await page.getByRole('button', { name: /hostile/ }).click();
      await page.getByTestId('note').getByText('unbroken').waitFor();
      await harmless(world);
      await noSideways(world, 'a hostile note');
    },
  ],
  [
    'a search marks what it found and opens at the line',
    async (world) => {
      const { page } = world;
      await page.getByLabel('Search the memory').fill('tide brest');
      await page
        .getByTestId('hits')
        .getByRole('button', { name: /people\/anna/ })
        .waitFor();
      await until('marks', async () => (await page.getByTestId('hits').locator('mark').count()) > 2);
      await page
        .getByTestId('hits')
        .getByRole('button', { name: /people\/anna/ })
        .click();
      const line = page.getByTestId('note').getByText('She likes the TIDE pool');
      await line.waitFor();
      await until('the line in view', () =>
        line.evaluate((element) => {
          const box = element.getBoundingClientRect();
          return box.top >= 0 && box.bottom <= innerHeight;
        }),
      );
      await world.shots('memory-search');
      await page.getByTestId('why').filter({ hasText: 'Because of' }).first().waitFor();
      await page.getByLabel('Search the memory').fill('when was the boat taken out?');
      const hit = page.getByTestId('hits').getByRole('listitem').filter({ hasText: 'taken out of the water' });
      await hit.getByRole('button', { name: 'Forget' }).click();
      await page.getByText(/Forgotten in/).waitFor();
      await hit.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Undo' }).click();
      await hit.waitFor();
      await page.getByLabel('Search the memory').fill('qzx');
      await page.getByText('Nothing found.').waitFor();
      await page.getByLabel('Search the memory').fill('');
    },
  ],
  [
    'MEMORY.md is edited where files are edited',
    async (world) => {
      const { page } = world;
      await page
        .getByRole('button', { name: /MEMORY\.md/ })
        .filter({ hasText: 'kB' })
        .or(page.getByRole('navigation', { name: 'Files of the memory' }).getByRole('button', { name: /MEMORY\.md/ }))
        .first()
        .click();
      await page.getByRole('button', { name: 'Edit in Agents' }).click();
      await until('the editor', async () => (await editor(world, 'MEMORY.md').inputValue()).startsWith('# About the house'));
    },
  ],
];

export const steps = [...agents, ...memory];
