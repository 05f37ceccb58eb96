// Schedule: what the assistant does by itself.
import assert from 'node:assert/strict';
import { HOSTILE, harmless, noSideways } from '../hostile.mjs';
import { until } from '../world.mjs';

const dialog = (world) => world.page.getByRole('dialog');
const nextRuns = (world) =>
  world.page
    .getByTestId('next-runs')
    .last()
    .locator('time')
    .evaluateAll((times) => times.map((time) => Date.parse(time.dateTime)));

/** The five moments a schedule shows, once they are told. */
async function five(world, fits = () => true) {
  return until('five runs', async () => {
    const runs = await nextRuns(world).catch(() => []);
    return runs.length === 5 && fits(runs) && runs;
  });
}

export const steps = [
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
      assert.deepEqual(
        [jobs[0].schedule.expr, jobs[0].schedule.tz, jobs[0].payload.model, jobs[0].payload.timeoutSeconds, jobs[0].failureAlert.after],
        ['30 8 * * 1-5', 'Asia/Tokyo', 'fake/fake-1', 120, 3],
      );
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
      await page
        .getByTestId('runs')
        .getByRole('listitem')
        .filter({ hasText: 'Three letters' })
        .getByRole('button', { name: /Open chat/ })
        .click();
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
      await world.call('cron.add', {
        name: 'Tea',
        schedule: { kind: 'at', at: new Date(Date.now() + 7_200_000).toISOString() },
        sessionTarget: 'main',
        wakeMode: 'now',
        payload: { kind: 'systemEvent', text: 'The tea is ready.' },
      });
      await world.call('cron.add', {
        name: `Harbour ${HOSTILE}`.slice(0, 200),
        enabled: false,
        schedule: { kind: 'every', everyMs: 5_400_000 },
        sessionTarget: 'isolated',
        wakeMode: 'now',
        payload: { kind: 'agentTurn', message: `${HOSTILE}${'wave'.repeat(15_000)}` },
      });
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
      await page
        .getByRole('link', { name: /Harbour/ })
        .first()
        .click();
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
  [
    'a result without a platform shows in the main chat, unread, and a reminder is not the person’s own words',
    async (world) => {
      const { page } = world;
      const result = page.getByTestId('assistant-message').filter({ hasText: 'High water at noon.' });
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Chat', exact: true }).click();
      await page.getByRole('button', { name: 'New chat' }).first().click();
      await world.model.says('High water at noon.');
      const job = await world.call('cron.add', {
        name: 'Tide digest',
        schedule: { kind: 'every', everyMs: 86_400_000 },
        sessionTarget: 'isolated',
        wakeMode: 'now',
        payload: { kind: 'agentTurn', message: 'the tides, please' },
        delivery: { mode: 'announce' },
      });
      await world.call('cron.run', { id: job.id, mode: 'force' });
      const main = page.getByTestId('session').filter({ hasText: 'Main chat' });
      await main.getByTitle('New messages').or(main.getByTitle('Unread')).waitFor();
      await main.click();
      await result.getByText('Tide digest').waitFor();
      await world.model.says('You wanted to water the plants.');
      await world.call('wake', { text: 'Water the plants', mode: 'now' });
      await page.getByTestId('event').getByText('Water the plants', { exact: true }).waitFor();
      assert.equal(
        await page
          .getByTestId('event')
          .getByText(/System:|T\d\d:/)
          .count(),
        0,
      );
      await page.getByText('You wanted to water the plants.').waitFor();
      await world.shots('schedule-in-chat');
    },
  ],
];
