// The frame itself: every page of the menu opens, by click, by address and by the browser's back button.
import assert from 'node:assert/strict';
import { DESKTOP, PHONE, drawn } from '../world.mjs';

const PAGES = ['Overview', 'Usage', 'Logs', 'Channels', 'Devices', 'Schedule', 'Skills', 'Agents', 'Models', 'Memory', 'Settings', 'Debug'];

/** What a finger would miss: buttons, links and fields smaller than 40 px both ways count by their smaller side. */
const small = (page) =>
  page.evaluate(() => {
    const least = 40;
    const seen = [...document.querySelectorAll('button, select, input:not([type=checkbox]):not([type=radio]), [role=button]')].filter((one) =>
      one.checkVisibility({ visibilityProperty: true, opacityProperty: true }),
    );
    return seen
      .filter((one) => !one.closest('[inert], .sr-only') && !one.matches('.sr-only, .skip, .link, .shade, .head, [role=switch]'))
      .map((one) => ({ box: one.getBoundingClientRect(), one }))
      .filter(({ box }) => box.width > 0 && (box.height < least - 0.5 || box.width < least - 0.5))
      .map(
        ({ box, one }) =>
          `${one.tagName.toLowerCase()}.${one.className} "${(one.getAttribute('aria-label') ?? one.textContent).trim().slice(0, 30)}" ${Math.round(box.width)}x${Math.round(box.height)}`,
      );
  });

export const steps = [
  [
    'every page of the menu opens and has a heading',
    async (world) => {
      for (const name of PAGES) {
        await world.go(name);
        await world.page.getByRole('heading', { level: 1 }).waitFor();
      }
    },
  ],
  [
    'the address keeps the page over a reload, and back goes back',
    async (world) => {
      await world.go('Overview');
      await world.go('Schedule');
      assert.match(world.page.url(), /page=cron/);
      await world.page.reload();
      await world.page.getByTestId('page').waitFor();
      await world.page.goBack();
      await world.page.waitForURL(/page=overview/);
      await world.page.getByRole('link', { name: 'Chat', exact: true }).click();
      await world.page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
    },
  ],
  [
    'the book opens beside the page, and its pages lead to each other',
    async (world) => {
      const opened = world.page.context().waitForEvent('page');
      await world.page.getByRole('link', { name: 'Docs', exact: true }).click();
      const book = await opened;
      await book.getByRole('heading', { level: 1, name: 'Five minutes' }).waitFor();
      await book.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'IRC', exact: true }).click();
      await book.getByRole('heading', { level: 1, name: 'IRC' }).waitFor();
      assert.match(book.url(), /docs\/channels\/irc\.html$/);
      await book.close();
    },
  ],
  [
    'the scripted model answers in the chat',
    async (world) => {
      await world.model.says('The tide is out.');
      await world.say('how is the tide?');
      await world.page.getByText('The tide is out.').waitFor();
    },
  ],
  [
    'no page has anything an accessibility checker complains about, at a desk and in a hand',
    async (world) => {
      for (const name of PAGES) {
        await world.go(name);
        for (const size of [DESKTOP, PHONE]) {
          await world.page.setViewportSize(size);
          await drawn(world.page);
          await world.axe(`${name}, ${size.width}`);
        }
        await world.page.setViewportSize(DESKTOP);
      }
    },
  ],
  [
    'in a hand everything is large enough for a finger, and what is hidden cannot be reached',
    async (world) => {
      const { page } = world;
      const missed = {};
      for (const name of PAGES) {
        await page.setViewportSize(DESKTOP);
        await world.go(name);
        await page.setViewportSize(PHONE);
        await drawn(page);
        const found = await small(page);
        if (found.length > 0) missed[name] = found;
      }
      await page.setViewportSize(DESKTOP);
      await page.getByRole('link', { name: 'Chat', exact: true }).click();
      await page.setViewportSize(PHONE);
      await drawn(page);
      const found = await small(page);
      if (found.length > 0) missed.Chat = found;
      assert.deepEqual(missed, {});
      assert.ok(await page.locator('.side').evaluate((side) => side.inert));
      await page.getByRole('button', { name: 'Show chats' }).click();
      assert.ok(await page.locator('main').evaluate((main) => main.inert));
      await page.keyboard.press('Escape');
      await page.setViewportSize(DESKTOP);
    },
  ],
];
