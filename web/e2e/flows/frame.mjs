// The frame itself: every page of the menu opens, by click, by address and by the browser's back button.
import assert from 'node:assert/strict';

const PAGES = ['Overview', 'Usage', 'Logs', 'Channels', 'Devices', 'Schedule', 'Skills', 'Agents', 'Models', 'Memory', 'Settings', 'Debug'];

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
    'the scripted model answers in the chat',
    async (world) => {
      await world.model.says('The tide is out.');
      await world.say('how is the tide?');
      await world.page.getByText('The tide is out.').waitFor();
    },
  ],
];
