// The conversation when it is long: nothing moves, typing stays quick, and its beginning is found.
import assert from 'node:assert/strict';
import { DAY, answered, chat, fromEnd, put, said, session, settled } from '../transcript.mjs';
import { until } from '../world.mjs';

const LONG = 10_000;

export const steps = [
  [
    'nothing moves under a reader who scrolled away, and the way back says how much is new',
    async (world) => {
      await world.page.getByRole('button', { name: 'New chat' }).first().click();
      await world.model.script({ says: Array.from({ length: 60 }, (_, index) => `Paragraph ${index} of a first answer.`).join('\n\n') });
      await world.say('Tell me a lot.');
      await until('the end in view', async () => (await fromEnd(world)) < 3);
      await world.model.settings({ chunks: 600, delayMs: 4 });
      await world.page.getByRole('textbox', { name: 'Message', exact: true }).fill('And more.');
      await world.page.keyboard.press('Enter');
      await world.page.locator('[data-streaming="true"]').waitFor();
      await until('the end in view', async () => (await fromEnd(world)) < 3);
      await chat(world).hover();
      await world.page.mouse.wheel(0, -1500);
      await world.page.getByTestId('jump').waitFor();
      const seen = chat(world).getByText(/^Paragraph \d+ of a first answer/);
      const [first] = await seen.all();
      const text = await first.textContent();
      const marked = chat(world).getByText(text, { exact: true });
      const before = (await marked.boundingBox()).y;
      await settled(world);
      assert.ok(Math.abs((await marked.boundingBox()).y - before) < 2, 'the paragraph stays where it is');
      await world.model.settings({ chunks: 8, delayMs: 0 });
      const key = new URL(world.page.url()).searchParams.get('session');
      await world.call('chat.inject', { sessionKey: key, message: 'A note from elsewhere.' });
      await world.page.getByTestId('jump').getByText('1 new message').waitFor();
      await world.shots('conversation-jump');
      await world.page.getByTestId('jump').click();
      await world.page.getByText('A note from elsewhere.').waitFor();
      await until('the end in view', async () => (await fromEnd(world)) < 3);
    },
  ],
  [
    'typing is not slowed down by a stream of two hundred pieces a second',
    async (world) => {
      await world.model.settings({ chunks: 8_000, delayMs: 5 });
      const box = world.page.getByRole('textbox', { name: 'Message', exact: true });
      await box.fill('Stream, please.');
      await world.page.keyboard.press('Enter');
      await world.page.locator('[data-streaming="true"]').waitFor();
      await world.page.evaluate(() => {
        window.__keys = [];
        document.addEventListener('keydown', () => {
          const at = performance.now();
          requestAnimationFrame(() => setTimeout(() => window.__keys.push(performance.now() - at)));
        });
      });
      await box.pressSequentially('a draft while it streams', { delay: 30 });
      const keys = (await world.page.evaluate(() => window.__keys)).sort((one, other) => one - other);
      world.notes.push(`a key is on the screen after ${keys[keys.length >> 1].toFixed(1)} ms (median), ${keys.at(-1).toFixed(1)} ms (worst)`);
      assert.equal(await box.inputValue(), 'a draft while it streams');
      await world.page.getByTestId('stop').click();
      await settled(world);
      await world.model.settings({ chunks: 800, delayMs: 5 });
      const cdp = await world.context.newCDPSession(world.page);
      const heap = async () => {
        await cdp.send('HeapProfiler.collectGarbage');
        return ((await cdp.send('Runtime.getHeapUsage')).usedSize / 1e6).toFixed(1);
      };
      const before = await heap();
      await box.fill('Stream once more, please.');
      await world.page.keyboard.press('Enter');
      await world.page.locator('[data-streaming="true"]').waitFor();
      await settled(world);
      world.notes.push(`memory of the page: ${before} MB before a long answer, ${await heap()} MB after it`);
      await cdp.detach();
      await box.fill('');
      await world.model.settings({ chunks: 8, delayMs: 0 });
    },
  ],
  [
    'a conversation of ten thousand messages opens at its end, goes back without a jump, and is searched to its beginning',
    async (world) => {
      const { key, file } = await session(world, 'long');
      const start = Date.now() - 40 * DAY;
      put(
        file,
        Array.from({ length: LONG }, (_, index) => {
          const at = start + index * ((39.9 * DAY) / LONG);
          if (index % 2 === 0) return said('user', index === 44 ? 'Where did the narwhal go?' : `Question ${index} about the tides, the wind and the boat.`, at);
          return answered(`Answer ${index}: **high water** at six.\n\n- item one\n- item two\n\n\`\`\`js\nconst tide = ${index};\n\`\`\``, at);
        }),
      );
      const { totalMessages } = await world.call('chat.history', { sessionKey: key, limit: 1 });
      assert.ok(totalMessages >= LONG, `${totalMessages} messages`);
      await world.page.getByRole('button', { name: 'New chat' }).first().click();
      await world.page.getByText('What can I do for you?').waitFor();
      // Another session of this page first, so that the opening alone is measured.
      await world.page.evaluate((wanted) => {
        history.pushState(null, '', `?session=${encodeURIComponent(wanted)}`);
        window.__from = performance.now();
        window.__opened = new Promise((done) => {
          const look = () => (document.body.textContent.includes('Answer 9999') ? requestAnimationFrame(() => done(performance.now() - window.__from)) : requestAnimationFrame(look));
          look();
        });
        dispatchEvent(new PopStateEvent('popstate'));
      }, key);
      const took = await world.page.evaluate(() => window.__opened);
      world.notes.push(`${LONG} messages are open after ${took.toFixed(0)} ms`);
      await until('the end in view', async () => (await fromEnd(world)) < 3);
      const held = () => world.page.evaluate(() => ({ rows: document.querySelectorAll('[data-row]').length, nodes: document.querySelectorAll('*').length }));
      world.notes.push(`on the page: ${JSON.stringify(await held())}`);
      assert.ok((await held()).rows < 120, 'only what is near the eye is on the page');
      await world.shots('conversation-long');

      await chat(world).hover();
      const oldest = () =>
        world.page.evaluate(() => Math.min(...[...document.querySelectorAll('[data-testid="user-message"]')].map((one) => Number(/Question (\d+)/.exec(one.textContent)?.[1] ?? Infinity))));
      for (let turn = 0; turn < 400 && (await oldest()) > 9_000; turn += 1) {
        await world.page.mouse.wheel(0, -3_000);
        await world.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      }
      assert.ok((await oldest()) <= 9_000, 'older pages come as one scrolls');
      assert.ok((await held()).rows < 120);

      const indexed = await until('the words to be indexed', () => world.call('sessions.search', { query: 'narwhal', sessionKeys: [key] }).then(({ results }) => results.length > 0));
      assert.ok(indexed);
      await world.page.keyboard.press('Control+f');
      const bar = world.page.getByTestId('find-bar');
      await bar.getByRole('textbox').fill('narwhal');
      await bar.getByText('1 of 1').waitFor();
      await bar.getByRole('textbox').press('Enter');
      await world.page.getByText('Where did the narwhal go?').waitFor();
      assert.ok(await world.page.getByText('Where did the narwhal go?').isVisible());
      await until('the words to be marked', () => world.page.evaluate(() => (CSS.highlights.get('found-now')?.size ?? 0) > 0));
      await world.shots('conversation-search');
      await bar.getByRole('textbox').fill('Question 50 about');
      await bar.getByText('1 of 1').waitFor();
      await bar.getByRole('textbox').fill('no such words');
      await bar.getByText('No matches').waitFor();
      await bar.getByRole('textbox').press('Escape');
      await bar.waitFor({ state: 'detached' });
      await world.page.getByTestId('jump').click();
      await world.page.getByText('Answer 9999').waitFor();
      await until('the end in view', async () => (await fromEnd(world)) < 3);
    },
  ],
  [
    'a link to a message of a session opens there',
    async (world) => {
      const { results } = await world.call('sessions.search', { query: 'narwhal' });
      await world.page.goto(`${world.base}/?session=${encodeURIComponent('agent:main:long')}&message=${results[0].messageId}`);
      await world.page.getByText('Where did the narwhal go?').waitFor();
    },
  ],
];
