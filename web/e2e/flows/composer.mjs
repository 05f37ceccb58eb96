// The composer and the acts on messages: files, voice, queue and steer, versions, reply, commands, pickers, meters, drafts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { PHONE, DESKTOP, until } from '../world.mjs';

const model = (id, name, reasoning) => ({ id, name, contextWindow: 128_000, maxTokens: 8_000, reasoning, input: ['text', 'image'], cost: { input: 3, output: 15, cacheRead: 0, cacheWrite: 0 } });
export const options = {
  config: {
    models: {
      providers: {
        fake: { models: [model('fake-1', 'Fake One', true), model('fake-2', 'Fake <img src=x onerror=alert(1)> Two', true), { ...model('fake-blind', 'Fake Blind', false), input: ['text'] }] },
      },
    },
  },
};

/** An answer that takes until it is stopped. */
const LONG = '[[chunks=20000]] [[delay=20]]';
const HOSTILE = '<img src=x onerror=alert(1)>';
const KEY = 'agent:main:main';
const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

const field = (world) => world.page.getByRole('textbox', { name: 'Message', exact: true });
const files = (world) => world.page.getByTestId('attached-file');
const pending = (world) => world.page.getByTestId('pending');
const idle = (world) => world.page.getByTestId('stop').waitFor({ state: 'detached' });
const history = (world, sessionKey = KEY) => world.call('chat.history', { sessionKey });
const textOf = (message) => (typeof message.content === 'string' ? message.content : message.content.flatMap((block) => block.text ?? []).join(''));
const texts = async (world, key) => (await history(world, key)).messages.map(textOf);

const keyOf = (world) => new URL(world.page.url()).searchParams.get('session') ?? KEY;

/** An answer in the conversation; the list of chats may show the same words. */
const answer = (world, text) => world.page.getByTestId('assistant-message').filter({ hasText: text });

/** Writes and presses a key; the composer must not lose anything on the way. */
async function write(world, text, key = 'Enter') {
  await field(world).fill(text);
  await field(world).press(key);
}

/** A button of the actions of a message; `at` is its place among those of the same name, the last one by default. */
async function act(world, testId, index, name, at = -1) {
  const message = world.page.getByTestId(testId).nth(index);
  await message.scrollIntoViewIfNeeded();
  await message.hover();
  await world.page.getByRole('button', { name, exact: true }).nth(at).click();
}

/** Hands files to the page as a paste or a drop would. */
function hand(world, how, made) {
  return world.page.evaluate(
    async ([how, made]) => {
      const transfer = new DataTransfer();
      for (const { name, type, text, side } of made) {
        let body = text;
        if (side) {
          const canvas = document.createElement('canvas');
          [canvas.width, canvas.height] = side;
          const pen = canvas.getContext('2d');
          const colours = pen.createLinearGradient(0, 0, side[0], side[1]);
          colours.addColorStop(0, '#c8442f');
          colours.addColorStop(1, '#2f7d9f');
          pen.fillStyle = colours;
          pen.fillRect(0, 0, ...side);
          body = await new Promise((resolve) => canvas.toBlob(resolve, type));
        }
        transfer.items.add(new File([body], name, { type }));
      }
      const target = document.getElementById('composer');
      if (how === 'paste') target.dispatchEvent(new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true }));
      else target.dispatchEvent(new DragEvent(how, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    },
    [how, made],
  );
}

export const steps = [
  [
    'files are chosen, shown with name and size, removed, and reach the model',
    async (world) => {
      await world.page.getByTestId('file-input').setInputFiles([
        { name: 'pixel.png', mimeType: 'image/png', buffer: PIXEL },
        { name: `${HOSTILE}.rs`, mimeType: '', buffer: Buffer.from('fn main() {}') },
        { name: 'wrong.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b') },
      ]);
      await until('three files', async () => (await files(world).count()) === 3);
      await world.page.getByRole('button', { name: 'Remove wrong.csv' }).click();
      await until('two files', async () => (await files(world).count()) === 2);
      assert.match(await files(world).nth(1).innerText(), /<img src=x onerror=alert\(1\)>\.rs[\s\S]*12 B/);
      await world.model.says('A pixel and a program.');
      await write(world, 'what are these?');
      await answer(world, 'A pixel and a program.').last().waitFor();
      await idle(world);
      assert.equal(await files(world).count(), 0);
      const [question] = (await history(world)).messages;
      assert.deepEqual(
        question.content.map((block) => block.type),
        ['text', 'image', 'document'],
      );
      assert.equal(question.content[2].name, `${HOSTILE}.rs`);
    },
  ],
  [
    'pictures are pasted, large ones scaled down, and any file is dropped',
    async (world) => {
      await hand(world, 'paste', [{ name: 'image.png', type: 'image/png', side: [4800, 3200] }]);
      await files(world).getByText('scaled to 2400 × 1600').waitFor();
      await hand(world, 'dragenter', [{ name: 'a.zip', type: 'application/zip', text: 'PK' }]);
      await world.page.getByTestId('drop-zone').waitFor();
      await hand(world, 'drop', [{ name: 'archive.zip', type: 'application/zip', text: 'PK not really' }]);
      await files(world).getByText('kept for tools').waitFor();
      assert.equal(await world.page.getByTestId('drop-zone').count(), 0);
      await world.model.says('One picture, one archive.');
      await write(world, 'and these?');
      await answer(world, 'One picture, one archive.').last().waitFor();
      await idle(world);
      const kept = /\[media attached: (.*archive\.zip) \(application\/zip\)\]/.exec((await texts(world)).join('\n'));
      assert.equal(readFileSync(kept[1], 'utf8'), 'PK not really');
    },
  ],
  [
    'what is empty, too large or too much is refused in words',
    async (world) => {
      await hand(world, 'drop', [
        { name: 'nothing.bin', type: '', text: '' },
        { name: `${HOSTILE}.pdf`, type: 'application/pdf', text: 'x'.repeat(6_300_000) },
      ]);
      await world.page.getByText('“nothing.bin” is empty').waitFor();
      await world.page.getByText(`“${HOSTILE}.pdf” is larger than 6.3 MB`).waitFor();
      assert.equal(await files(world).count(), 0);
      await world.page.getByRole('button', { name: 'Dismiss' }).click();
    },
  ],
  [
    'nothing here understands speech, so no note is recorded; sound that is attached can be played',
    async (world) => {
      assert.equal(await world.page.getByRole('button', { name: 'Record a voice note' }).count(), 0);
      const tone = Buffer.concat([Buffer.from('RIFF$\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0@\x1f\0\0@\x1f\0\0\x01\0\x08\0data\0\0\0\0', 'latin1'), Buffer.alloc(800, 128)]);
      await world.page.getByTestId('file-input').setInputFiles([{ name: 'note.wav', mimeType: 'audio/wav', buffer: tone }]);
      await files(world).locator('audio').waitFor();
      await world.shots('composer-sound');
      await world.page.getByRole('button', { name: 'Remove note.wav' }).click();
    },
  ],
  [
    'pictures for a model that cannot see are said to be left out',
    async (world) => {
      await world.page.getByRole('button', { name: /^Model: / }).click();
      await world.page.getByRole('option', { name: /Fake Blind/ }).click();
      await world.page.getByRole('button', { name: /^Model: .*(Blind|fake-blind)/ }).waitFor();
      await world.page.getByTestId('file-input').setInputFiles([{ name: 'pixel.png', mimeType: 'image/png', buffer: PIXEL }]);
      await world.page
        .getByTestId('blind')
        .getByText(/left out/)
        .waitFor();
      await world.shots('composer-blind');
      await world.page.getByRole('button', { name: 'Remove pixel.png' }).click();
      await world.page.getByRole('button', { name: /^Model: / }).click();
      await world.page.getByRole('option', { name: /Fake One/ }).click();
      await world.page.getByRole('button', { name: /^Model: (fake-1|.*Fake One)/ }).waitFor();
    },
  ],
  [
    'what is written while a run is active waits, can be taken back, and steers when it should',
    async (world) => {
      await write(world, `tell me everything ${LONG}`);
      await world.page.getByTestId('assistant-message').last().getByText('w5').waitFor();
      await write(world, `first ${HOSTILE}`);
      await write(world, 'second');
      await until('two wait', async () => (await pending(world).count()) === 2);
      await write(world, 'look at the tide, too', 'Control+Enter');
      await pending(world).getByText('Told to the run under way').waitFor();
      await world.page.reload();
      await until('they wait after a reload', async () => (await pending(world).count()) === 3);
      await world.page.getByRole('button', { name: 'Take back: second' }).click();
      await until('one less', async () => (await pending(world).count()) === 2);
      await until('its words are in the field', async () => (await field(world).inputValue()) === 'second');
      await world.page.getByRole('button', { name: `Say it now: first ${HOSTILE}` }).click();
      await until('all steer', async () => (await pending(world).getByText('Told to the run under way').count()) >= 1);
      await field(world).fill('third, for later');
      await world.shots('composer-queue');
      await field(world).fill('');
    },
  ],
  [
    'Escape twice stops, and what waited comes back to be written',
    async (world) => {
      await write(world, 'after that');
      await pending(world).getByText('after that').waitFor();
      await field(world).press('Escape');
      await world.page.getByText('Press Esc again to stop').waitFor();
      assert.equal(await world.page.getByTestId('stop').count(), 1);
      await field(world).press('Escape');
      await idle(world);
      await until('the queue is empty', async () => (await pending(world).count()) === 0);
      await until('its words are in the field', async () => /after that/.test(await field(world).inputValue()));
      await field(world).fill('');
    },
  ],
  [
    'a queued message gets its turn when the run ends',
    async (world) => {
      await write(world, 'count slowly [[chunks=150]] [[delay=20]]');
      await world.page.getByTestId('assistant-message').last().getByText('w5').waitFor();
      await write(world, 'and then this [[chunks=3]]');
      await pending(world).getByText('and then this').waitFor();
      await world.page.getByTestId('user-message').last().getByText('and then this').waitFor();
      await idle(world);
      assert.equal(await pending(world).count(), 0);
      const said = await texts(world);
      assert.equal(said.at(-2), 'and then this [[chunks=3]]');
      assert.equal(said.filter((text) => text.startsWith('and then this')).length, 1);
    },
  ],
  [
    'up brings back what was said, down goes forward again',
    async (world) => {
      await field(world).press('ArrowUp');
      assert.equal(await field(world).inputValue(), 'and then this [[chunks=3]]');
      await field(world).press('ArrowUp');
      assert.match(await field(world).inputValue(), /^count slowly/);
      await field(world).press('ArrowDown');
      await field(world).press('ArrowDown');
      assert.equal(await field(world).inputValue(), '');
    },
  ],
  [
    'an answer is asked for again, a question edited, and every version is kept',
    async (world) => {
      await world.page.getByRole('button', { name: 'New chat' }).first().click();
      await world.model.says('Lobsters are blue.');
      await world.say('what colour are lobsters?');
      await world.model.says('Mostly dark blue, before they are cooked.');
      await act(world, 'assistant-message', -1, 'Ask again');
      await answer(world, 'Mostly dark blue').last().waitFor();
      await world.page.getByText('2 / 2').waitFor();
      await world.model.says('Crabs are red or brown.');
      await act(world, 'user-message', 0, 'Edit', 0);
      await world.page.getByTestId('editing').waitFor();
      assert.equal(await field(world).inputValue(), 'what colour are lobsters?');
      await field(world).press('Escape');
      await world.page.getByTestId('editing').waitFor({ state: 'detached' });
      assert.equal(await field(world).inputValue(), '');
      await act(world, 'user-message', 0, 'Edit', 0);
      await world.shots('composer-edit');
      await write(world, 'what colour are crabs?');
      await answer(world, 'Crabs are red or brown.').last().waitFor();
      await world.page.getByText('3 / 3').waitFor();
      await until('the old version is gone', async () => (await answer(world, 'Mostly dark blue').count()) === 0);
      await world.page.getByRole('button', { name: 'Previous version' }).click();
      await answer(world, 'Mostly dark blue').last().waitFor();
      await world.page.getByText('2 / 3').waitFor();
      await world.page.getByRole('button', { name: 'Previous version' }).click();
      await answer(world, 'Lobsters are blue.').last().waitFor();
      await world.page.getByText('1 / 3').waitFor();
      await world.page.reload();
      await world.page.getByText('1 / 3').waitFor();
    },
  ],
  [
    'a chat is branched off after an answer and before a question',
    async (world) => {
      await act(world, 'assistant-message', 0, 'Branch into a new chat', 1);
      await world.page.waitForURL(/dashboard/);
      await answer(world, 'Lobsters are blue.').last().waitFor();
      await until('the branch stands under its parent and is called after it', async () => {
        const titles = await world.page.getByTestId('session').locator('.title').allTextContents();
        const at = titles.findIndex((title) => title.startsWith('Branch of '));
        return at > 0 && titles[at] === `Branch of ${titles[at - 1]}`;
      });
      await world.shots('composer-branch');
      assert.equal(await field(world).inputValue(), '');
      await world.model.says('From krill and algae.');
      await world.say('why?');
      await answer(world, 'From krill and algae.').last().waitFor();
      await act(world, 'user-message', 1, 'Branch into a new chat', 2);
      await until('the question is in the composer', async () => (await field(world).inputValue()) === 'why?');
      await until('only what came before it', async () => (await world.page.getByTestId('user-message').count()) === 1);
      await field(world).fill('');
    },
  ],
  [
    'a message is replied to with a quotation',
    async (world) => {
      await act(world, 'assistant-message', 0, 'Reply', 1);
      await world.page.getByTestId('replying').getByText('Lobsters are blue.').waitFor();
      await world.page.getByRole('button', { name: 'Do not reply to it' }).click();
      await act(world, 'assistant-message', 0, 'Reply', 1);
      await world.shots('composer-reply');
      await world.model.says('All of them, nearly.');
      await write(world, 'all of them?');
      await answer(world, 'All of them, nearly.').last().waitFor();
      await idle(world);
      const key = keyOf(world);
      assert.ok((await texts(world, key)).includes('> Lobsters are blue.\n\nall of them?'));
    },
  ],
  [
    'a slash opens the commands: arrows, Tab, words that may follow, Escape, Enter',
    async (world) => {
      const palette = world.page.getByTestId('palette');
      await field(world).fill('/');
      await palette.getByRole('option', { name: /^\/status/ }).waitFor();
      await world.shots('composer-palette');
      await field(world).press('Escape');
      await palette.waitFor({ state: 'detached' });
      await field(world).fill('/thin');
      await palette.getByRole('option', { name: /^\/think/ }).waitFor();
      await field(world).press('Tab');
      assert.equal(await field(world).inputValue(), '/think ');
      await palette.getByRole('option', { name: 'medium' }).waitFor();
      await field(world).pressSequentially('hi');
      assert.equal(await palette.getByRole('option').count(), 1);
      await field(world).press('Enter');
      assert.equal(await field(world).inputValue(), '');
      await world.page.getByRole('button', { name: /^Thinking: high/i }).waitFor();
      await field(world).fill('/sta');
      await field(world).press('ArrowDown');
      await field(world).press('ArrowUp');
      assert.match(await field(world).getAttribute('aria-activedescendant'), /-0$/);
      await field(world).fill('/nonsense');
      assert.equal(await palette.count(), 0);
      await field(world).fill('');
    },
  ],
  [
    'the model and how hard it thinks are chosen beside the composer',
    async (world) => {
      await world.page.getByRole('button', { name: /^Model: (fake-1|Fake One)/ }).click();
      const filter = world.page.getByRole('combobox', { name: 'Filter models' });
      await world.page.getByRole('option', { name: /Fake One/ }).waitFor();
      await filter.fill('nothing like it');
      await world.page.getByText('No model fits.').waitFor();
      await filter.fill('two');
      await world.page.getByRole('option', { name: /Fake <img/ }).waitFor();
      await world.shots('composer-models');
      await filter.press('Enter');
      await world.page.getByRole('button', { name: /^Model: (fake-2|Fake <img)/ }).waitFor();
      const thinking = world.page.getByRole('button', { name: /^Thinking: / });
      await thinking.click();
      await world.page.getByRole('option', { name: /^low/i }).click();
      await world.page.getByRole('button', { name: /^Thinking: low/i }).waitFor();
      const key = keyOf(world);
      await until('the session has both', async () => {
        const { sessionInfo, thinkingLevel } = await history(world, key);
        return sessionInfo.model === 'fake-2' && thinkingLevel === 'low';
      });
      await world.page.reload();
      await world.page.getByRole('button', { name: /^Model: (fake-2|Fake <img)/ }).waitFor();
      await world.page.getByRole('button', { name: /^Thinking: low/i }).waitFor();
    },
  ],
  [
    'the meter tells context and cost, and condenses',
    async (world) => {
      await world.model.says('Yes.');
      await world.say('is that so?');
      await world.page.getByTestId('meter').getByText(/\$/).waitFor();
      await world.page.getByTestId('meter').click();
      const panel = world.page.getByRole('dialog', { name: 'Usage' });
      await panel.getByText(/ in · .* out · /).waitFor();
      await panel.getByText(/calls?\b/).waitFor();
      await world.shots('composer-meter');
      await panel.getByRole('button', { name: 'Condense now' }).click();
      await panel.getByText(/Condensed from|Nothing was condensed/).waitFor();
      await world.page.keyboard.press('Escape');
    },
  ],
  [
    'the draft outlives a reload and a gateway that dies; what is sent meanwhile is said once',
    async (world) => {
      await field(world).fill('half a thought');
      await world.page.reload();
      await until('the draft', async () => (await field(world).inputValue()) === 'half a thought');
      await world.kill();
      await world.page.getByText('Offline', { exact: true }).waitFor();
      await field(world).press('Enter');
      await field(world).press('Enter');
      await world.page.getByText('Will be sent when the gateway is back.').waitFor();
      await field(world).fill('and another');
      await world.model.says('Now whole.');
      await world.startGateway();
      await answer(world, 'Now whole.').last().waitFor();
      await idle(world);
      assert.equal(await field(world).inputValue(), 'and another');
      const key = keyOf(world);
      assert.equal((await texts(world, key)).filter((text) => text === 'half a thought').length, 1);
      await field(world).fill('');
    },
  ],
  [
    'an enormous text is written, sent and answered without sideways scrolling',
    async (world) => {
      await world.model.says('That was long.');
      // As a paste would: what Playwright types line by line takes the browser long.
      await field(world).evaluate((area, hostile) => {
        area.value = `${hostile} ${'x'.repeat(60_000)}\n${'lines\n'.repeat(2_000)}`;
        area.dispatchEvent(new InputEvent('input', { bubbles: true }));
      }, HOSTILE);
      await field(world).press('Enter');
      await answer(world, 'That was long.').last().waitFor();
      await idle(world);
      assert.ok(!(await world.page.evaluate(() => document.documentElement.scrollWidth > innerWidth)));
    },
  ],
  [
    'it looks well with files beside it',
    async (world) => {
      await world.page.getByRole('button', { name: 'New chat' }).first().click();
      await world.model.says('Let me have a look at both.');
      await world.say('I took some pictures at the harbour this morning.');
      await hand(world, 'paste', [{ name: 'harbour at dawn.jpg', type: 'image/jpeg', side: [1600, 1000] }]);
      await hand(world, 'drop', [
        { name: 'tide tables 2026.csv', type: 'text/csv', text: 'day,high,low\n'.repeat(900) },
        { name: `${HOSTILE}-${'a very long name '.repeat(8)}.zip`, type: 'application/zip', text: 'PK'.repeat(40_000) },
      ]);
      await until('three files', async () => (await files(world).count()) === 3);
      await field(world).fill('Which of these days has the lowest tide,\nand when should I be there?');
      await world.shots('composer-files');
      await world.page.setViewportSize(PHONE);
      await field(world).click();
      await world.page.setViewportSize(DESKTOP);
    },
  ],
];
