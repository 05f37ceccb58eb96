// The pages that watch: overview, usage, logs and debug, against a gateway that has worked, failed and planned something.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { until, withClipboard } from '../world.mjs';
import { givePast } from '../watch_past.mjs';

const HOSTILE = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>';
const SLOW_LINE = `${'a'.repeat(60)}!`;

export const options = { config: { budgets: { gateway: { day: { usd: 1 }, month: { usd: 20, tokens: 1_000_000 } } } } };

function logFile(world) {
  const folder = join(world.state, 'logs');
  const name = readdirSync(folder)
    .filter((file) => file.endsWith('.log'))
    .sort()
    .at(-1);
  return join(folder, name);
}

/** Lines as the gateway writes them, in its own file: what a busy day leaves. */
function writeLines(world, amount, first = 0) {
  const subsystems = ['gateway/socket', 'relay/lane', 'models/failover', 'cron/clock', 'reach/telegram'];
  const levels = ['info', 'info', 'debug', 'info', 'warn'];
  const lines = Array.from({ length: amount }, (_, index) => {
    const n = first + index;
    return JSON.stringify({ time: new Date(Date.now() - 1_000).toISOString(), level: levels[n % 5], subsystem: subsystems[n % 5], message: `busy line ${n}`, conn: `c${n % 17}`, took_ms: n % 900 });
  });
  appendFileSync(logFile(world), `${lines.join('\n')}\n`);
}

function writeLine(world, fields) {
  appendFileSync(logFile(world), `${JSON.stringify({ time: new Date().toISOString(), level: 'info', subsystem: 'test/flow', ...fields })}\n`);
}

const copied = (world) => world.page.evaluate(() => navigator.clipboard.readText());
const lineCount = async (world) => Number((await world.page.getByTestId('log-count').innerText()).replaceAll(',', '').split(' ')[0]);
const pick = (world, name) => world.page.getByRole('radio', { name, exact: true }).check({ force: true });
const click = (world, name) => world.page.getByRole('button', { name, exact: true }).click();

export const steps = [
  [
    'a day of work is done: answers, a tool, a failure, a job and a chat with a hostile name',
    async (world) => {
      await world.context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await world.model.script(
        { says: 'Low tide is at six.' },
        { thinks: 'I should look.', calls: [{ name: 'read', arguments: { path: 'AGENTS.md' } }] },
        { says: 'Read it.' },
        { fails: 400, body: '{"error":{"message":"the tank is empty"}}' },
      );
      await world.say('when is low tide?');
      await world.say('read your notes');
      await world.say('and now fail');
      await world.page.getByRole('button', { name: 'New chat' }).first().click();
      await world.model.says('A second chat.');
      await world.say('hello from a second chat');
      const { sessions } = await world.call('sessions.list', {});
      world.hostile = sessions.find((session) => session.key.includes('web-')).key;
      await world.call('sessions.patch', { key: world.hostile, label: HOSTILE.slice(0, 60) });
      await world.call('cron.add', {
        name: 'Tide report',
        schedule: { kind: 'cron', expr: '0 7 * * *', tz: 'UTC' },
        sessionTarget: 'isolated',
        wakeMode: 'now',
        payload: { kind: 'agentTurn', message: 'Report the tide.' },
      });
      await world.call('cron.add', {
        name: 'Water the plants',
        schedule: { kind: 'every', everyMs: 5_400_000 },
        sessionTarget: 'isolated',
        wakeMode: 'now',
        payload: { kind: 'agentTurn', message: 'Remind me.' },
      });
      writeLine(world, { level: 'error', subsystem: 'reach/telegram', message: `the platform said ${HOSTILE}`, status: 502 });
    },
  ],
  [
    'the overview says how things are, what is planned, who is there and what went wrong',
    async (world) => {
      await world.go('Overview');
      const { page } = world;
      await page
        .getByTestId('health')
        .getByText(/All well|attention/)
        .waitFor();
      await page
        .getByTestId('tile-today')
        .getByText(/\$0\.\d+/)
        .first()
        .waitFor();
      await page.getByTestId('tile-today').getByText('of $1.00').waitFor();
      await page.getByText('Tide report').first().waitFor();
      await page.getByText('every 1 h 30 min').waitFor();
      await page.getByText('Chrome on Linux').first().waitFor();
      await page.getByText('Everything today').waitFor();
      await page.getByText('the platform said <img src=x').waitFor();
      assert.match(await page.title(), /^(\(\d+\) )?Overview · Homard$/);
      assert.equal(await page.locator('main img').count(), 0);
    },
  ],
  [
    'plots are drawn, told in words, and can be read as tables',
    async (world) => {
      const { page } = world;
      const plots = page.getByTestId('plots');
      await until('four plots', async () => (await plots.locator('canvas').count()) === 4);
      await plots.getByRole('img', { name: /^Plot of Turns: \d+ turns.*Highest: Turns/ }).waitFor();
      await click(world, 'Show Tokens as a table');
      const table = plots.getByRole('region', { name: 'Tokens' });
      await table.getByRole('columnheader', { name: 'Written' }).waitFor();
      assert.ok((await table.getByRole('row').count()) >= 2);
      await click(world, 'Show Tokens as a plot');
      await plots.locator('.u-over').nth(1).hover();
      await pick(world, '30 days');
      await until('the plots of a month', async () => (await plots.locator('canvas').count()) === 4);
      await pick(world, '24 hours');
    },
  ],
  [
    'a run under way is shown, and its chat is one click away',
    async (world) => {
      const { page } = world;
      await page.getByRole('link', { name: 'Chat', exact: true }).click();
      await page.getByRole('textbox', { name: 'Message', exact: true }).fill('take your time [[chunks=4000]] [[delay=40]]');
      await page.keyboard.press('Enter');
      await page.getByTestId('stop').waitFor();
      await world.go('Overview');
      await page.getByTestId('tile-running').getByText('1 run', { exact: true }).waitFor();
      await page
        .getByRole('button', { name: /^Open (?!the logs|channels|devices)/ })
        .first()
        .click();
      await page.getByTestId('stop').click();
      await page.getByTestId('stop').waitFor({ state: 'detached' });
    },
  ],
  [
    'usage adds up by day, model, chat, channel and agent, sorts, and opens the chat',
    async (world) => {
      await world.go('Usage');
      const { page } = world;
      await page
        .getByTestId('totals')
        .getByText(/\$0\.\d+/)
        .first()
        .waitFor();
      const table = page.getByTestId('usage-table');
      for (const [group, words] of [
        ['Model', 'fake-1'],
        ['Channel', 'This page and the command line'],
        ['Agent', 'main'],
        ['Day', /\w+ \d+ \w+/],
        ['Chat', '<img src=x'],
      ]) {
        await pick(world, group);
        await table.getByText(words).first().waitFor();
      }
      await table.getByRole('button', { name: 'Calls' }).click();
      await table.getByRole('columnheader', { name: 'Calls', exact: false }).and(page.locator('[aria-sort="descending"]')).waitFor();
      await table.getByRole('button', { name: 'Calls' }).click();
      await page.locator('[aria-sort="ascending"]').waitFor();
      await page
        .getByTestId('budgets')
        .getByText(/of \$20\.00/)
        .waitFor();
      await table.getByRole('button', { name: /Open the chat <img/ }).click();
      await page.getByText('A second chat.').waitFor();
      assert.match(page.url(), /session=/);
    },
  ],
  [
    'periods are chosen, wrong ones refused in words, and the table leaves as a file without formulas',
    async (world) => {
      const { page } = world;
      await world.call('sessions.patch', { key: world.hostile, label: '=HYPERLINK("http://evil.example","x")' });
      await world.go('Usage');
      for (const period of ['Today', '30 days', 'This month', '7 days']) {
        await pick(world, period);
        await page
          .getByTestId('totals')
          .getByText(/\$0\.\d+/)
          .first()
          .waitFor();
      }
      await pick(world, 'Custom');
      await page.getByLabel('From').fill('2031-01-02');
      await page.getByLabel('Until').fill('2031-01-01');
      await page.getByText('The first day is after the last.').waitFor();
      await page.getByLabel('From').fill('2020-01-01');
      await page.getByLabel('Until').fill('2020-01-07');
      await page.getByText('No model was asked in this time.').waitFor();
      await pick(world, '7 days');
      await pick(world, 'Chat');
      await page.getByTestId('usage-table').getByText('=HYPERLINK').waitFor();
      const [file] = await Promise.all([page.waitForEvent('download'), click(world, 'Export CSV')]);
      const text = readFileSync(await file.path(), 'utf8');
      assert.match(text, /^Chat,Provider,Key,costUsd/);
      assert.match(text, /"'=HYPERLINK/);
      assert.match(file.suggestedFilename(), /^homard-usage-session-.*\.csv$/);
    },
  ],
  [
    'the log is followed as it is written, and a line opens with all it says',
    async (world) => {
      await world.go('Logs');
      const { page } = world;
      const log = page.getByTestId('log');
      writeLine(world, { message: 'a line just written', device: 'lobster-1' });
      await log.getByText('a line just written').first().waitFor();
      await log.getByRole('button', { name: /a line just written/ }).click();
      await log.getByText('lobster-1').last().waitFor();
      await withClipboard(async () => {
        await log.getByRole('button', { name: 'Copy this line' }).click();
        await until('the copied line', async () => (await copied(world)).includes('"device":"lobster-1"'));
      });
    },
  ],
  [
    'filters narrow the log, and no pattern can hang the page',
    async (world) => {
      const { page } = world;
      const log = page.getByTestId('log');
      const find = page.getByRole('searchbox', { name: 'Find in the log' });
      writeLine(world, { message: SLOW_LINE, subsystem: 'test/slow' });
      await log.getByText(SLOW_LINE).first().waitFor();
      await find.fill('LOBSTER-1');
      await page.getByTestId('log-count').getByText(/^1 of/).waitFor();
      await find.fill('(a+)+$');
      await page.getByTestId('log-count').getByText(/^0 of/).waitFor();
      await page.getByLabel('Pattern').check();
      await page.getByText('This pattern takes too long').waitFor();
      await find.fill('(');
      await page.getByText('This is no pattern').waitFor();
      await find.fill('just.written|nothing-else');
      await page.getByTestId('log-count').getByText(/^1 of/).waitFor();
      await find.fill('no line says this');
      await click(world, 'Show everything');
      await page.getByRole('combobox', { name: 'Part' }).selectOption('test/slow');
      await page.getByTestId('log-count').getByText(/^1 of/).waitFor();
      await page.getByRole('combobox', { name: 'Part' }).selectOption('');
      for (const level of [/^Info/, /^Warning/]) await page.getByRole('group', { name: 'Levels' }).getByRole('button', { name: level }).click();
      await log.getByText('the platform said <img').first().waitFor();
      assert.equal(await log.getByText('a line just written').count(), 0);
      for (const level of [/^Info/, /^Warning/]) await page.getByRole('group', { name: 'Levels' }).getByRole('button', { name: level }).click();
    },
  ],
  [
    'pausing holds the log, and resuming brings what was missed',
    async (world) => {
      const { page } = world;
      await click(world, 'Pause');
      await page.getByText('Paused: new lines wait').waitFor();
      writeLine(world, { message: 'written while paused' });
      await click(world, 'Resume');
      await page.getByTestId('log').getByText('written while paused').first().waitFor();
    },
  ],
  [
    'ten thousand lines are kept, few are drawn, and they wrap, copy and leave as a file',
    async (world) => {
      const { page } = world;
      await page.getByLabel('Follow').check();
      for (let batch = 0; batch < 3; batch += 1) {
        writeLines(world, 4_000, batch * 4_000);
        await until(`batch ${batch}`, async () => (await lineCount(world)) >= Math.min(10_000, (batch + 1) * 4_000));
      }
      assert.equal(await lineCount(world), 10_000);
      const log = page.getByTestId('log');
      await log.getByText('busy line 11999', { exact: false }).first().waitFor();
      assert.ok((await log.getByRole('button').count()) < 150, 'only lines near the view are drawn');
      await log.evaluate((place) => (place.scrollTop = 0));
      await log
        .getByText(/busy line 20\d\d/)
        .first()
        .waitFor();
      await page.getByRole('button', { name: /Jump to the newest line/ }).click();
      await log.getByText('busy line 11999', { exact: false }).first().waitFor();
      writeLine(world, { level: 'warn', message: `enormous ${'word '.repeat(20_000)}end` });
      await page.getByLabel('Wrap').check();
      await log.getByText('enormous word', { exact: false }).first().waitFor();
      await page.getByLabel('Wrap').uncheck();
      await page.getByRole('searchbox', { name: 'Find in the log' }).fill('busy line 1199');
      await page
        .getByTestId('log-count')
        .getByText(/^10 of/)
        .waitFor();
      await withClipboard(async () => {
        await click(world, 'Copy');
        await click(world, 'Copied');
        assert.equal((await copied(world)).trim().split('\n').length, 10);
      });
      const [file] = await Promise.all([page.waitForEvent('download'), click(world, 'Download')]);
      assert.equal(
        readFileSync(await file.path(), 'utf8')
          .trim()
          .split('\n').length,
        10,
      );
      await page.getByRole('searchbox', { name: 'Find in the log' }).fill('');
    },
  ],
  [
    'any method can be called, with help for its parameters, and wrong ones are told',
    async (world) => {
      await world.go('Debug');
      const { page } = world;
      const find = page.getByRole('combobox', { name: 'Find a method' });
      await find.fill('usage.hours');
      await page.keyboard.press('Enter');
      await page.getByTestId('method').getByText('usage.hours').waitFor();
      await page.getByRole('button', { name: '+ hours', exact: true }).click();
      const params = page.getByLabel('Parameters (JSON)');
      assert.deepEqual(JSON.parse(await params.inputValue()), { hours: 0 });
      await click(world, 'Call');
      await page.getByTestId('outcome').getByText('Refused').waitFor();
      await page.getByText('INVALID_REQUEST').first().waitFor();
      await params.fill('{"hours": 2');
      await page.getByText('This is not JSON').waitFor();
      await params.fill('{"hours": 2}');
      await params.press('Control+Enter');
      await page.getByTestId('outcome').getByText('Answered').waitFor();
      await page.getByRole('region', { name: 'Answer' }).getByText('"inputTokens"').first().waitFor();
      await withClipboard(async () => {
        await click(world, 'Copy as a command');
        await until('the copied command', async () => (await copied(world)) === `homard gateway call usage.hours --params '{"hours":2}'`);
      });
      await find.fill('never.was');
      await page.keyboard.press('Enter');
      await page.getByText('does not announce this method').waitFor();
      await click(world, 'Call');
      await page.getByTestId('outcome').getByText('Refused').waitFor();
      assert.equal(await page.getByTestId('history').getByRole('listitem').count(), 3);
      await page.getByTestId('history').getByRole('button').last().click();
      await page.getByTestId('method').getByText('usage.hours').waitFor();
    },
  ],
  [
    'what cannot be taken back is asked for first',
    async (world) => {
      const { page } = world;
      await page.getByRole('combobox', { name: 'Find a method' }).fill('sessions.delete');
      await page.keyboard.press('Enter');
      await page.getByLabel('Parameters (JSON)').fill(JSON.stringify({ key: world.hostile }));
      await click(world, 'Call');
      await page.getByRole('dialog').getByText('Really call sessions.delete?').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      const { sessions } = await world.call('sessions.list', {});
      assert.ok(sessions.some((session) => session.key === world.hostile));
    },
  ],
  [
    'events are watched, filtered, opened and paused',
    async (world) => {
      const { page } = world;
      await pick(world, 'Events');
      await world.call('sessions.patch', { key: world.hostile, label: HOSTILE.slice(0, 60) });
      const events = page.getByTestId('events');
      await page.getByRole('searchbox', { name: 'Filter by name' }).fill('sessions.ch');
      await events.getByText('sessions.changed').first().waitFor();
      await events.getByRole('button').first().click();
      await events.getByRole('region', { name: 'sessions.changed' }).getByText('"sessionKey"').first().waitFor();
      await page.getByRole('searchbox', { name: 'Filter by name' }).fill('no such event');
      await page.getByText('No event has this in its name.').waitFor();
      await page.getByRole('searchbox', { name: 'Filter by name' }).fill('');
      await click(world, 'Pause');
      await page.getByText('Paused; what happens').waitFor();
      await click(world, 'Resume');
      await click(world, 'Clear');
      await page.getByText('No event yet.').waitFor();
    },
  ],
  [
    'the connection tells its facts and no secret',
    async (world) => {
      const { page } = world;
      await pick(world, 'Connection');
      const facts = page.getByTestId('facts');
      await facts.getByText('operator.admin').waitFor();
      await facts.getByText('agrees with this computer').waitFor();
      const hello = await page.getByRole('region', { name: 'What the gateway said at the beginning' }).innerText();
      assert.match(hello, /"features"/);
      const kept = await page.evaluate(() => Object.values(localStorage).join('\n'));
      for (const secret of kept.match(/[\w-]{32,}/g) ?? []) if (/oken/.test(kept)) assert.ok(!new RegExp(`"deviceToken": "${secret}`).test(hello));
      assert.doesNotMatch(hello, /"deviceToken": "[^•]/);
      await click(world, 'Reconnect');
      await facts.getByText('Connected', { exact: true }).waitFor();
    },
  ],
  [
    'a gateway that goes away and comes back is watched again',
    async (world) => {
      const { page } = world;
      await world.go('Logs');
      await until('lines', async () => (await lineCount(world)) > 100);
      await world.kill();
      await page.getByText('This could not be loaded').waitFor();
      await world.startGateway();
      await page.getByText('This could not be loaded').waitFor({ state: 'detached' });
      writeLine(world, { message: 'after the gap' });
      await page.getByTestId('log').getByText('after the gap').first().waitFor();
    },
  ],
  [
    'every page looks right in light and dark, on a desk and in a hand',
    async (world) => {
      const { page } = world;
      writeLine(world, { level: 'error', subsystem: 'models/failover', message: 'the provider answered 429: too many requests', provider: 'anthropic', retry_ms: 2_000 });
      await givePast(page);
      await page.getByTestId('log').getByText('429').first().waitFor();
      await page
        .getByTestId('log')
        .getByRole('button', { name: /answered 429/ })
        .first()
        .click();
      await page.getByTestId('log').getByText('retry_ms').last().waitFor();
      await world.shots('logs');
      await world.go('Overview');
      await until('plots', async () => (await page.getByTestId('plots').locator('canvas').count()) === 4);
      await page.getByText('Tide report').first().waitFor();
      await world.shots('overview');
      await page.getByTestId('page').evaluate((place) => place.scrollTo(0, place.scrollHeight));
      await world.shots('overview-below');
      await world.go('Usage');
      await pick(world, '30 days');
      await pick(world, 'Model');
      await page.getByTestId('usage-table').getByText('claude-opus-4').waitFor();
      await until('plots', async () => (await page.getByTestId('plots').locator('canvas').count()) === 2);
      await world.shots('usage');
      await pick(world, 'Chat');
      await page.getByTestId('page').evaluate((place) => place.scrollTo(0, place.scrollHeight));
      await world.shots('usage-below');
      await world.go('Debug');
      await page.getByRole('combobox', { name: 'Find a method' }).fill('cron.list');
      await page.keyboard.press('Enter');
      await click(world, 'Call');
      await page.getByTestId('outcome').getByText('Answered').waitFor();
      await world.shots('debug');
      await pick(world, 'Events');
      await world.call('sessions.patch', { key: world.hostile, label: 'Tax papers' });
      await page.getByTestId('events').getByText('sessions.changed').first().waitFor();
      await world.shots('debug-events');
      await pick(world, 'Connection');
      await page.getByTestId('facts').getByText('agrees with this computer').waitFor();
      await world.shots('debug-connection');
      assert.notEqual(await page.title(), 'owned');
    },
  ],
];
