// Schedule, Skills, Agents and Memory: what the assistant does by itself, can do, is, and knows.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DESKTOP, PHONE, until } from '../world.mjs';

const HOSTILE = '<img src=x onerror="document.title=\'owned\'">';
const BIN = mkdtempSync(join(tmpdir(), 'homard-e2e-bin-'));
process.on('exit', () => rmSync(BIN, { recursive: true, force: true }));

/** An installer that brings a program when it is asked for `tide-tools`, and fails otherwise. */
const BREW = `#!/bin/sh
echo "==> Fetching $2"
if [ "$2" = tide-tools ]; then printf '#!/bin/sh\\n' > "${BIN}/tidectl"; chmod +x "${BIN}/tidectl"; echo "==> Pouring $2"; exit 0; fi
echo "Error: no formula with the name $2"; exit 1
`;

export const options = {
  config: {
    tools: { exec: { pathPrepend: [BIN] } },
    models: { providers: { spare: { baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'test-key', api: 'openai-completions', models: [{ id: 'spare-1', name: 'Spare One', contextWindow: 32_000, maxTokens: 4_000 }] } } },
  },
};

function skill(world, name, head, text = '') {
  const file = join(world.state, 'skills', name, 'SKILL.md');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `---\nname: ${name}\n${head}\n---\n\n# ${name}\n${text}\n`);
}

async function workspace(world, id = 'main') {
  const { agents } = await world.call('agents.list');
  return agents.find((agent) => agent.id === id).workspace;
}

/** Nothing a name or a text says became a part of the page. */
async function harmless(world) {
  assert.equal(await world.page.locator('img[src="x"]').count(), 0);
  assert.notEqual(await world.page.title(), 'owned');
}

async function noSideways(world, what) {
  for (const viewport of [PHONE, { width: 2560, height: 1300 }, DESKTOP]) {
    await world.page.setViewportSize(viewport);
    assert.ok(await world.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${what} at ${viewport.width}`);
  }
}

const dialog = (world) => world.page.getByRole('dialog');
const nextRuns = (world) => world.page.getByTestId('next-runs').last().locator('time').evaluateAll((times) => times.map((time) => Date.parse(time.dateTime)));

/** The five moments a schedule shows, once they are told. */
async function five(world, fits = () => true) {
  return until('five runs', async () => {
    const runs = await nextRuns(world).catch(() => []);
    return runs.length === 5 && fits(runs) && runs;
  });
}

const schedule = [
  [
    'an empty schedule says what it is for',
    async (world) => {
      await world.go('Schedule');
      await world.page.getByRole('heading', { name: 'Nothing is scheduled' }).waitFor();
      await world.shots('schedule-empty');
    },
  ],
  [
    'the helper shows the next five runs while a schedule is chosen, and they are the gateway’s own',
    async (world) => {
      const { page } = world;
      await page.getByRole('button', { name: 'New job' }).click();
      await dialog(world).getByLabel('Name').fill('Morning digest');
      const day = 86_400_000;
      const daily = await five(world);
      assert.equal(daily[1] - daily[0], day);
      await dialog(world).getByText('Every so often').click();
      await dialog(world).getByLabel('Every', { exact: true }).fill('90');
      await five(world, (runs) => runs[1] - runs[0] === 90 * 60_000);
      await dialog(world).getByText('On weekdays').click();
      await dialog(world).getByText('Sat', { exact: true }).click();
      await five(world, (runs) => runs.every((at) => new Date(at).getUTCDay() !== 0));
      await dialog(world).getByText('Every month').click();
      await dialog(world).getByLabel('On day').selectOption('L');
      await five(world, (runs) => runs.every((at) => new Date(at + day).getUTCDate() === 1));
      await dialog(world).getByText('Once', { exact: true }).click();
      await until('one run', async () => (await nextRuns(world)).length === 1);
      await dialog(world).getByText('Cron expression').click();
      await dialog(world).getByLabel('Expression', { exact: true }).fill('nonsense');
      await dialog(world).getByText('is not a cron expression').waitFor();
      await dialog(world).getByLabel('Expression', { exact: true }).fill('0 * * * *');
      await dialog(world).getByText('moved by up to 5 minutes').waitFor();
      await dialog(world).getByLabel('Exactly at the full hour').check();
      await dialog(world).getByText('moved by up to').waitFor({ state: 'detached' });
      await dialog(world).getByLabel('Expression', { exact: true }).fill('30 8 * * 1-5');
      await dialog(world).getByLabel('Time zone').fill('Mars/Olympus');
      await dialog(world).getByText('is not a time zone').waitFor();
      await dialog(world).getByLabel('Time zone').fill('Asia/Tokyo');
      await five(world, (runs) => runs.every((at) => new Date(at).getUTCHours() === 23 && new Date(at).getUTCMinutes() === 30));
      await dialog(world).getByText('Times in Asia/Tokyo').waitFor();
    },
  ],
  [
    'a job that lacks something is not sent, and says what it lacks',
    async (world) => {
      await dialog(world).getByRole('button', { name: 'Create' }).click();
      await dialog(world).getByText('Write what it is about').waitFor();
      assert.equal((await world.call('cron.list', { includeDisabled: true })).total, 0);
      await dialog(world).getByLabel('What should it do?').fill('Sum up the mail of the last day and name what needs an answer.');
      await dialog(world).getByText('More settings').click();
      await dialog(world).getByLabel('Model', { exact: true }).selectOption('fake/fake-1');
      await dialog(world).getByLabel('Time limit in seconds').fill('120');
      await dialog(world).getByLabel('Tell me after').fill('3');
      await world.shots('schedule-form');
      await dialog(world).getByRole('button', { name: 'Create' }).click();
      await world.page.getByRole('heading', { level: 1, name: 'Morning digest' }).waitFor();
      const { jobs } = await world.call('cron.list', { includeDisabled: true });
      assert.equal(jobs.length, 1);
      assert.deepEqual([jobs[0].schedule.expr, jobs[0].schedule.tz, jobs[0].payload.model, jobs[0].payload.timeoutSeconds, jobs[0].failureAlert.after], ['30 8 * * 1-5', 'Asia/Tokyo', 'fake/fake-1', 120, 3]);
      const [first] = await five(world);
      assert.equal(first, (await world.call('cron.get', { id: jobs[0].id })).state.nextRunAtMs, 'what is shown is when it is due');
    },
  ],
  [
    'run now tells how it went, and the history links to its chat',
    async (world) => {
      const { page } = world;
      await world.model.says('Three letters need an answer: the harbour office, Anna, and the tax office.');
      await page.getByRole('button', { name: 'Run now' }).click();
      await page.getByText('It went well').waitFor();
      await page.getByTestId('runs').getByText('Three letters need an answer').waitFor();
      await world.model.script({ fails: 400, body: '{"error":{"message":"the model is out at sea"}}' });
      await page.getByRole('button', { name: 'Run now' }).click();
      await page.getByText('It failed:').waitFor();
      await page.getByTestId('runs').getByText('Failed', { exact: true }).waitFor();
      await world.shots('schedule-job');
      await page.getByTestId('runs').getByRole('listitem').filter({ hasText: 'Three letters' }).getByRole('button', { name: /Open the chat/ }).click();
      await page.getByText('Three letters need an answer').waitFor();
      await page.goBack();
    },
  ],
  [
    'a job is changed, switched off and on, and its switch follows others',
    async (world) => {
      const { page } = world;
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await dialog(world).getByLabel('Name').fill('Evening digest');
      await dialog(world).getByText('Every day', { exact: true }).click();
      await dialog(world).getByLabel('At', { exact: true }).fill('18:15');
      await dialog(world).getByText('More settings').click();
      await dialog(world).getByLabel('Time limit in seconds').fill('');
      await dialog(world).getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { level: 1, name: 'Evening digest' }).waitFor();
      const [job] = (await world.call('cron.list', { includeDisabled: true })).jobs;
      assert.deepEqual([job.schedule.expr, job.payload.timeoutSeconds ?? null, job.payload.model], ['15 18 * * *', null, 'fake/fake-1']);
      await page.getByRole('switch').click();
      await page.getByText('Off', { exact: true }).waitFor();
      await world.call('cron.update', { id: job.id, patch: { enabled: true } });
      await page.locator('[role=switch][aria-checked=true]').waitFor();
    },
  ],
  [
    'reminders, hostile names and enormous texts are listed harmlessly, and filtered',
    async (world) => {
      const { page } = world;
      await world.call('cron.add', { name: 'Tea', schedule: { kind: 'at', at: new Date(Date.now() + 7_200_000).toISOString() }, sessionTarget: 'main', wakeMode: 'now', payload: { kind: 'systemEvent', text: 'The tea is ready.' } });
      await world.call('cron.add', { name: `Harbour ${HOSTILE}`.slice(0, 200), enabled: false, schedule: { kind: 'every', everyMs: 5_400_000 }, sessionTarget: 'isolated', wakeMode: 'now', payload: { kind: 'agentTurn', message: `${HOSTILE}${'wave'.repeat(15_000)}` } });
      await page.getByRole('button', { name: 'All jobs' }).click();
      await page.getByRole('list', { name: 'Jobs' }).getByRole('listitem').nth(2).waitFor();
      await harmless(world);
      await noSideways(world, 'the list of jobs');
      await page.getByLabel('Search jobs').fill('tea');
      await until('one job', async () => (await page.getByRole('list', { name: 'Jobs' }).getByRole('listitem').count()) === 1);
      await page.getByLabel('Search jobs').fill('');
      await page.getByText('Failing', { exact: true }).click();
      await page.getByRole('link', { name: 'Evening digest' }).first().waitFor();
      await page.getByText('All', { exact: true }).click();
      await world.shots('schedule');
      await page.getByRole('link', { name: /Harbour/ }).first().click();
      await page.getByText('Show all').waitFor();
      await harmless(world);
      await noSideways(world, 'an enormous job');
    },
  ],
  [
    'a job is deleted after it was asked',
    async (world) => {
      const { page } = world;
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await dialog(world).getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await dialog(world).getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { level: 1, name: 'Schedule' }).waitFor();
      await page.getByRole('link', { name: /Harbour/ }).waitFor({ state: 'detached' });
      const { jobs } = await world.call('cron.list', { includeDisabled: true });
      assert.deepEqual(jobs.map(({ name }) => name).sort(), ['Evening digest', 'Tea']);
    },
  ],
];

const skills = [
  [
    'skills say whether they are ready and what they lack',
    async (world) => {
      const { page } = world;
      skill(world, 'tides', 'description: Tell the tides of a harbour, when somebody asks about water or boats.\nhomepage: https://example.org/tides\nmetadata: {"homard": {"emoji": "🌊", "primaryEnv": "TIDES_KEY", "requires": {"bins": ["tidectl"], "env": ["TIDES_KEY", "TIDES_HARBOUR"]}, "install": [{"id": "brew", "kind": "brew", "formula": "tide-tools", "bins": ["tidectl"], "label": "Install tide-tools with brew"}, {"id": "wrong", "kind": "brew", "formula": "no-such", "bins": ["tidectl"], "label": "Install something that is not there"}]}}');
      skill(world, 'sea-shanties', 'description: Sing.\nmetadata: {"homard": {"os": ["darwin"], "requires": {"config": ["tools.web.search.enabled"]}}}');
      skill(world, 'hostile', `description: '${HOSTILE.replaceAll("'", '')} ${'very long '.repeat(80)}'\nhomepage: 'javascript:alert(1)'`);
      mkdirSync(join(world.state, 'skills', 'broken'), { recursive: true });
      writeFileSync(join(world.state, 'skills', 'broken', 'SKILL.md'), 'no head at all');
      await world.go('Skills');
      const tides = page.getByTestId('skill').filter({ has: page.getByRole('heading', { name: 'tides' }) });
      await tides.getByText('The program tidectl is not installed.').waitFor();
      await tides.getByText('The variables TIDES_KEY, TIDES_HARBOUR are not set.').waitFor();
      await page.getByText('It works only on macOS.').waitFor();
      await page.getByText('It cannot be used').waitFor();
      await harmless(world);
      await noSideways(world, 'the skills');
      await page.getByLabel('Search skills').fill('shant');
      await until('one skill', async () => (await page.getByTestId('skill').count()) === 1);
      await page.getByLabel('Search skills').fill('');
      await page.getByText(/Ready \d/).click();
      await until('only ready ones', async () => (await page.getByTestId('skill').filter({ hasText: 'tidectl' }).count()) === 0);
      await page.getByText(/All \d/).click();
    },
  ],
  [
    'a key is written and never shown, and variables are set',
    async (world) => {
      const { page } = world;
      const tides = page.getByTestId('skill').filter({ has: page.getByRole('heading', { name: 'tides' }) });
      await tides.getByRole('button', { name: 'Details of tides' }).click();
      await tides.getByLabel('Key (TIDES_KEY)').fill('secret-of-the-sea');
      await tides.getByRole('button', { name: 'Save key' }).click();
      await tides.getByText('The key is saved.').waitFor();
      assert.equal(await tides.getByLabel('Key (TIDES_KEY)').inputValue(), '');
      assert.ok(!(await page.content()).includes('secret-of-the-sea'));
      await tides.getByLabel('Variable TIDES_HARBOUR').fill('Brest');
      await tides.getByRole('button', { name: 'Save', exact: true }).click();
      await tides.getByText('TIDES_HARBOUR is saved.').waitFor();
      const { skills: all } = await world.call('skills.status');
      assert.deepEqual(all.find(({ name }) => name === 'tides').missing.env, []);
    },
  ],
  [
    'programs are installed, and a failed installer says why',
    async (world) => {
      const { page } = world;
      writeFileSync(join(BIN, 'brew'), BREW);
      chmodSync(join(BIN, 'brew'), 0o755);
      const tides = page.getByTestId('skill').filter({ has: page.getByRole('heading', { name: 'tides' }) });
      await tides.getByRole('button', { name: 'Install something that is not there' }).click();
      await tides.getByText('Not installed: brew ended with code 1').waitFor();
      await tides.getByText('What the installer wrote').click();
      await tides.getByText('Error: no formula').waitFor();
      await world.shots('skills');
      await tides.getByRole('button', { name: 'Install tide-tools with brew' }).click();
      await tides.getByText('Ready', { exact: true }).waitFor();
      assert.ok(existsSync(join(BIN, 'tidectl')));
      await tides.getByRole('switch').click();
      await tides.getByText('Off', { exact: true }).waitFor();
      await tides.getByRole('switch').click();
      await tides.getByText('Ready', { exact: true }).waitFor();
    },
  ],
];

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
      await editor(world, 'SOUL.md').fill(`# Tone\n\nBe **brief** and kind.\n\n- Say where you know something from.\n- Ask before anything leaves the house.\n\n${HOSTILE}\n\n[x](javascript:alert(1))`);
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
      assert.deepEqual((await world.call('agents.list')).agents.map(({ id }) => id), ['main']);
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
      writeFileSync(join(folder, 'MEMORY.md'), '# About the house\n\n- The gate to the harbour is **blue**.\n- Anna waters the plants on Fridays.\n\n## Preferences\n\nShort answers, metric units, no small talk before nine.\n');
      for (const [day, text] of [['2026-11-16', '# Monday\n\nAnna asked for the tide tables of Brest.\n\n## Decisions\n\n| what | who |\n|---|---|\n| paint the gate | Anna |\n| order rope | us |\n'], ['2026-11-15', 'A quiet day. The tide was low at noon.'], ['2026-10-31', 'The boat was taken out of the water.']]) writeFileSync(join(folder, 'memory', `${day}.md`), text);
      writeFileSync(join(folder, 'memory', 'people', 'anna.md'), `# Anna\n\n${'A line about nothing in particular.\n\n'.repeat(80)}She likes the TIDE pool at Brest.\n\n${'More of the same.\n\n'.repeat(80)}`);
      writeFileSync(join(folder, 'memory', 'hostile.md'), `${HOSTILE}\n\n<script>document.title='owned'</script>\n\n${'unbroken'.repeat(4000)}`);
      await page.reload();
      await page.getByRole('button', { name: /MEMORY\.md/ }).first().waitFor();
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
      await page.getByTestId('hits').getByRole('button', { name: /people\/anna/ }).waitFor();
      await until('marks', async () => (await page.getByTestId('hits').locator('mark').count()) > 2);
      await page.getByTestId('hits').getByRole('button', { name: /people\/anna/ }).click();
      const line = page.getByTestId('note').getByText('She likes the TIDE pool');
      await line.waitFor();
      await until('the line in view', () => line.evaluate((element) => { const box = element.getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; }));
      await world.shots('memory-search');
      await page.getByLabel('Search the memory').fill('no such word anywhere');
      await page.getByText('Nothing found.').waitFor();
      await page.getByLabel('Search the memory').fill('');
    },
  ],
  [
    'MEMORY.md is edited where files are edited',
    async (world) => {
      const { page } = world;
      await page.getByRole('button', { name: /MEMORY\.md/ }).filter({ hasText: 'kB' }).or(page.getByRole('navigation', { name: 'Files of the memory' }).getByRole('button', { name: /MEMORY\.md/ })).first().click();
      await page.getByRole('button', { name: 'Edit in Agents' }).click();
      await until('the editor', async () => (await editor(world, 'MEMORY.md').inputValue()).startsWith('# About the house'));
    },
  ],
];

export const steps = [...schedule, ...skills, ...agents, ...memory];
