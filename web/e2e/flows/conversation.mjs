// The conversation: how it looks, what its tools do, and what it keeps.
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { DAY, answered, chat, fromEnd, open, put, said, session, settled } from '../transcript.mjs';
import { TOKEN, until, withClipboard } from '../world.mjs';

export const options = { config: { tools: { exec: { security: 'full', ask: 'off' } } } };

const HOSTILE = '<img src=x onerror="window.hacked=true">';
const DOT = picture(240, 150).toString('base64');

/** A PNG of a red sun over the sea. */
function picture(width, height) {
  const rows = Array.from({ length: height }, (_, y) => {
    const pixels = Array.from({ length: width }, (_, x) => {
      if (y > height * 0.65) return [30, 90 + ((x * 7 + y * 3) % 20), 140];
      return Math.hypot(x - width / 2, y - height * 0.45) < height / 5 ? [200, 60, 40] : [250, 225 - (y >> 1), 190];
    });
    return Buffer.from([0, ...pixels.flat()]);
  });
  const chunk = (name, data) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length, 0);
    ends.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), chunk('IHDR', head), chunk('IDAT', deflateSync(Buffer.concat(rows))), chunk('IEND', Buffer.alloc(0))]);
}

const TOUR = `Here is what I found about the tides.

## At a glance

| Harbour | High water | Height | Note |
|:--|--:|--:|:--|
| Roscoff | 06:42 | 8.1 m | springs |
| Brest | 06:05 | 6.9 m | |
| Concarneau | 05:48 | 4.7 m | neaps on Thursday |

- [x] looked up the harbours
- [ ] ask for the wind

1. **Go early.** The \`high water\` is before seven.
2. Nested code:

   \`\`\`sh
   tide --port roscoff # today
   \`\`\`

\`\`\`rust
/// The height at a time, by the rule of twelfths.
fn height(low: f64, high: f64, hour: u8) -> f64 {
    let twelfths = [0, 1, 3, 6, 9, 11, 12];
    low + (high - low) * f64::from(twelfths[usize::from(hour)]) / 12.0
}
\`\`\`

> The sea waits for nobody.

See [the tables](https://example.com/tides).`;

const copied = (world) => world.page.evaluate(() => navigator.clipboard.readText());
const answers = (world) => world.page.getByTestId('assistant-message');

export const steps = [
  [
    'an answer in Markdown has a table, tasks, coloured code that copies, and links that give nothing away',
    async (world) => {
      await world.model.script({ says: TOUR });
      await world.say('What about the tides?');
      const answer = answers(world).last();
      await answer.getByRole('heading', { name: 'At a glance' }).waitFor();
      await answer.getByRole('cell', { name: '8.1 m' }).waitFor();
      await answer.getByRole('img', { name: 'Done' }).waitFor();
      assert.ok((await answer.locator('.t-keyword').count()) >= 2, 'code has colours');
      assert.equal(await answer.getByRole('link').getAttribute('rel'), 'noopener noreferrer nofollow');
      await world.context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await withClipboard(async () => {
        await answer.getByRole('button', { name: 'Copy code' }).last().click();
        await answer.getByText('Copied').waitFor();
        assert.match(await copied(world), /^\/\/\/ The height/);
        await answer.hover();
        await answer.getByText('fake-1').waitFor();
        await answer.getByRole('button', { name: 'Copy message' }).click();
        await until('the copied message', async () => (await copied(world)) === TOUR);
      });
      await world.shots('conversation-markdown');
    },
  ],
  [
    'tools of a run stand together; edits show what they change; the changes can be undone and brought back',
    async (world) => {
      await world.call('sessions.patch', { key: 'agent:main:main', reasoningLevel: 'stream' });
      await world.model.script(
        { thinks: 'First a file, then a change.', calls: [{ name: 'write', arguments: { path: 'tide.py', content: 'def height(hour):\n    low = 1.2\n    high = 8.1\n    return low\n' } }] },
        {
          calls: [
            { name: 'edit', arguments: { path: 'tide.py', oldText: '    return low\n', newText: '    # rule of twelfths\n    return low + (high - low) * [0, 1, 3, 6, 9, 11, 12][hour] / 12\n' } },
          ],
        },
        { calls: [{ name: 'exec', arguments: { command: 'printf "one\\ntwo\\n"; exit 3' } }] },
        { says: 'I wrote `tide.py`; the check still fails.' },
      );
      await world.say('Write it down, please.');
      const steps = world.page.getByTestId('steps').last();
      assert.equal(await steps.getByTestId('tool-card').count(), 3);
      const thought = steps.getByTestId('thinking');
      await thought.getByText(/^Thought for/).click();
      await thought.getByText('First a file, then a change.').waitFor();
      await thought.getByText(/^Thought for/).click();
      const edit = steps.getByTestId('tool-card').nth(1);
      await edit.locator('summary').getByText('+2', { exact: true }).waitFor();
      await edit.locator('summary').click();
      await edit.getByTestId('diff').getByText('# rule of twelfths').waitFor();
      assert.equal(await edit.locator('.line.added').count(), 2);
      assert.equal(await edit.locator('.line.removed').count(), 1);
      const exec = steps.getByTestId('tool-card').nth(2);
      await exec.getByText('exit 3', { exact: true }).waitFor();
      await exec.locator('summary').click();
      await exec.getByText('one\ntwo').waitFor();
      const changes = world.page.getByTestId('changes').last();
      await changes.getByText('1 file changed').waitFor();
      await world.shots('conversation-tools');
      await changes.getByRole('button', { name: 'View' }).click();
      assert.equal(await changes.getByTestId('diff').count(), 2);
      await changes.getByRole('button', { name: 'Undo' }).click();
      const dialog = world.page.getByRole('dialog');
      await dialog.getByText(/tide\.py/).waitFor();
      await world.shots('conversation-undo');
      await dialog.getByRole('button', { name: 'Put files back' }).click();
      await changes.getByText('Undone').waitFor();
      await changes.getByRole('button', { name: 'Redo' }).click();
      await world.page.getByRole('dialog').getByRole('button', { name: 'Bring back' }).click();
      await changes.getByRole('button', { name: 'Undo' }).waitFor();
    },
  ],
  [
    'a tool that runs shows what it prints, and many tools are folded',
    async (world) => {
      await world.model.script(
        ...Array.from({ length: 8 }, (_, index) => ({ calls: [{ name: 'exec', arguments: { command: `echo step ${index + 1}` } }] })),
        { calls: [{ name: 'exec', arguments: { command: 'echo waiting for the tide; while [ ! -e go ]; do sleep 0.1; done; echo gone' } }] },
        { says: 'All done.' },
      );
      await world.page.getByRole('textbox', { name: 'Message', exact: true }).fill('Do many things.');
      await world.page.keyboard.press('Enter');
      const line = world.page.getByTestId('live-line');
      await line.getByText('waiting for the tide').waitFor();
      const steps = world.page.getByTestId('steps').last();
      await steps.getByText('5 earlier steps').waitFor();
      await steps.getByTestId('tool-card').last().locator('summary').click();
      await world.shots('conversation-running');
      appendFileSync(join(world.state, 'workspace', 'go'), '');
      await answers(world).last().getByText('All done.').waitFor();
      await settled(world);
      await steps.getByRole('button', { name: /earlier steps/ }).click();
      assert.equal(await steps.getByTestId('tool-card').count(), 9);
    },
  ],
  [
    'a stopped and a failed run say so',
    async (world) => {
      await world.model.settings({ chunks: 4000, delayMs: 5 });
      await world.page.getByRole('textbox', { name: 'Message', exact: true }).fill('Go on for long.');
      await world.page.keyboard.press('Enter');
      await world.page.locator('[data-streaming="true"]').waitFor();
      await world.page.getByTestId('stop').click();
      await settled(world);
      await world.page.getByText('Stopped.').last().waitFor();
      await world.model.settings({ chunks: 8, delayMs: 0 });
      await world.model.script({ fails: 400, body: `{"error":{"message":"no ${HOSTILE}"}}` });
      await world.say('And now?');
      await world.page.getByTestId('run-error').last().waitFor();
    },
  ],
  [
    'what others say through a channel, files, pictures, days, compactions and endings are all told',
    async (world) => {
      const { key, file } = await session(world, 'rich');
      const now = Date.now();
      const kept = join(world.state, 'media', 'inbound', '0123456789abcdef-tide table.txt');
      mkdirSync(dirname(kept), { recursive: true });
      writeFileSync(kept, 'High water at 06:42.');
      const envelope = (text) => `Conversation info (untrusted metadata):\n\`\`\`json\n${JSON.stringify({ message_id: '1', sender: `Ada ${HOSTILE}` })}\n\`\`\`\n\n${text}`;
      put(file, [
        said('user', 'An old question.', now - 9 * DAY),
        answered('An old answer.', now - 9 * DAY + 5000),
        { at: now - 2 * DAY, kind: { type: 'compaction', summary: '## So far\n\nThe person asked about **tides**.', firstKeptEntryId: 'e0000000', tokensBefore: 84_210 } },
        said('user', envelope(`[media attached: ${kept} (text/plain)]\nIs this right? ${HOSTILE}`), now - DAY),
        {
          at: now - DAY + 1,
          kind: {
            type: 'message',
            message: {
              role: 'assistant',
              content: [
                { type: 'thinking', thinking: 'Let me look at the table first.' },
                { type: 'text', text: 'It is, except for the last line.' },
              ],
              api: 'x',
              provider: 'fake',
              model: 'fake-1',
              usage: {},
              stopReason: 'length',
              timestamp: now - DAY + 4000,
            },
          },
        },
        {
          at: now - 60_000,
          kind: {
            type: 'message',
            message: {
              role: 'user',
              content: [
                { type: 'text', text: 'Look at this.' },
                { type: 'image', data: DOT, mimeType: 'image/png' },
                { type: 'document', data: 'AAAA'.repeat(9000), mimeType: 'text/csv', name: 'heights ‮gpj.csv' },
              ],
              timestamp: now - 60_000,
            },
          },
        },
        {
          at: now - 59_000,
          kind: {
            type: 'message',
            message: {
              role: 'assistant',
              content: [{ type: 'toolCall', id: 'call-1', name: `read ${HOSTILE}`, arguments: { path: HOSTILE } }],
              api: 'x',
              provider: 'fake',
              model: 'fake-1',
              usage: {},
              stopReason: 'toolUse',
              timestamp: now - 59_000,
            },
          },
        },
        {
          at: now - 58_000,
          kind: {
            type: 'message',
            message: {
              role: 'toolResult',
              toolCallId: 'call-1',
              toolName: 'read',
              content: [
                { type: 'text', text: HOSTILE },
                { type: 'image', data: DOT, mimeType: 'image/png' },
              ],
              isError: false,
              timestamp: now - 57_500,
            },
          },
        },
        answered('A red dot, and a table.', now - 50_000),
        { at: now - 40_000, kind: { type: 'message', message: { role: 'nobody', what: 7 } } },
        {
          at: now - 40_000,
          kind: {
            type: 'message',
            message: {
              role: 'assistant',
              content: [],
              api: 'x',
              provider: 'fake',
              model: 'fake-1',
              usage: {},
              stopReason: 'error',
              errorMessage: 'the provider has no credit left',
              timestamp: now - 40_000,
            },
          },
        },
      ]);
      await open(world, key);
      await world.page.getByText('A red dot, and a table.').waitFor();
      await world.page.getByRole('heading', { name: 'Yesterday' }).waitFor();
      await world.page.getByRole('heading', { name: 'Today' }).waitFor();
      const mark = world.page.getByTestId('compaction');
      await mark.getByText('Condensed, 84.2K tokens before').waitFor();
      await mark.locator('summary').click();
      await mark.getByRole('heading', { name: 'So far' }).waitFor();
      await world.page.getByText(`Ada ${HOSTILE}`).waitFor();
      const beside = world.context.waitForEvent('page');
      await world.page.getByTestId('file-chip').getByRole('button', { name: 'tide table.txt', exact: true }).click();
      const opened = await beside;
      await opened.getByText('High water at 06:42.').waitFor();
      assert.ok(!opened.url().includes(TOKEN), 'the page’s own credential stands in no address');
      await opened.close();
      await world.page
        .getByTestId('file-chip')
        .getByText(/heights/)
        .waitFor();
      await world.page.getByText('Cut off: the answer reached the length limit.').waitFor();
      await world.page.getByTestId('run-error').getByText('no credit left').waitFor();
      await world.page.getByText('Thoughts', { exact: true }).click();
      await world.page.getByText('Let me look at the table first.').waitFor();
      await world.page.getByRole('button', { name: 'Enlarge: Attached image' }).click();
      await world.page.getByTestId('lightbox').waitFor();
      await world.page.keyboard.press('Escape');
      await world.page.getByTestId('lightbox').waitFor({ state: 'detached' });
      const card = world.page.getByTestId('tool-card').last();
      await card.locator('summary').click();
      await card.getByRole('button', { name: 'Enlarge: Picture from the tool' }).waitFor();
      await card.locator('summary').click();
      assert.equal(await world.page.evaluate(() => window.hacked), undefined);
      await world.shots('conversation-rich');
    },
  ],
  [
    'enormous and hostile messages are shown cut and do nothing',
    async (world) => {
      const { key, file } = await session(world, 'bad');
      const now = Date.now();
      put(file, [
        said('user', `${'very long words '.repeat(65_536)}THE END`, now - 5000),
        answered(`${'A paragraph of *many* words.\n\n'.repeat(36_000)}THE END`, now - 4000),
        answered(
          `[a](javascript:alert(1)) [b](data:text/html,x) ${HOSTILE} ![far](https://example.com/a.png) <script>window.hacked=true</script>\n\n‮ backwards ‬ and ${'W'.repeat(3000)}\n\n| ${'wide | '.repeat(40)}\n|${'-|'.repeat(40)}\n| ${'cell | '.repeat(40)}`,
          now - 3000,
        ),
        said('user', `${HOSTILE}‮`, now - 2000),
      ]);
      await open(world, key);
      const user = world.page.getByTestId('user-message').first();
      await world.page.getByText(HOSTILE).first().waitFor();
      await until('the first message', async () => {
        await chat(world).evaluate((box) => (box.scrollTop = 0));
        return user.getByText(/very long words/).isVisible();
      });
      assert.ok((await user.textContent()).length < 5_000, 'it is cut');
      await user.getByRole('button', { name: /Show all/ }).click();
      await until('more of it', async () => (await user.textContent()).length > 400_000);
      await user.getByRole('button', { name: /Read all of it/ }).click();
      await until('all of it', async () => (await user.textContent()).includes('THE END'));
      await user.getByRole('button', { name: 'Show less' }).click();
      await world.page.getByTestId('jump').click();
      await until('the end in view', async () => (await fromEnd(world)) < 3);
      assert.equal(await world.page.evaluate(() => window.hacked), undefined);
      const links = await world.page.locator('.markdown a[href]').evaluateAll((all) => all.map((one) => one.getAttribute('href')));
      assert.ok(
        links.every((href) => /^https?:/.test(href)),
        links.join(' '),
      );
      await world.shots('conversation-hostile');
    },
  ],
];
