// The page and its gateway: away, back, restarting, a wrong token, a browser nobody knows, frames that make no sense.
import assert from 'node:assert/strict';
import { operator } from '../peer.mjs';
import { TOKEN, until } from '../world.mjs';

const banner = (page) => page.getByTestId('connection-banner');
const box = (page) => page.getByRole('textbox', { name: 'Message', exact: true });
const connected = (page) => page.getByText('Connected', { exact: true }).waitFor();

/** A tab whose frames can be changed on their way. */
async function between(world, change) {
  const context = await world.browser.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: 'block' });
  const page = await context.newPage();
  await page.routeWebSocket(/.*/, (socket) => {
    const server = socket.connectToServer();
    page.inject = (text) => socket.send(text);
    socket.onMessage((message) => server.send(message));
    server.onMessage((message) => {
      const passed = change(String(message), socket);
      if (passed !== undefined) socket.send(passed);
    });
  });
  await page.goto(world.link());
  return { context, page };
}

export const steps = [
  [
    'the gateway dies in the middle of a draft: the page says so, keeps it and sends it when it is back',
    async (world) => {
      await connected(world.page);
      await world.model.says('Good morning.');
      await world.say('hello');
      await box(world.page).fill('half a thought');
      await world.kill();
      await banner(world.page).waitFor();
      assert.equal(await box(world.page).inputValue(), 'half a thought');
      await world.shots('offline');
      await box(world.page).fill('said in the dark');
      await world.page.keyboard.press('Enter');
      await world.page.getByText('Will be sent when the gateway is back.').waitFor();
      await world.model.says('Heard you.');
      await world.startGateway();
      await connected(world.page);
      await world.page.locator('main').getByText('Heard you.').first().waitFor();
      assert.equal(await world.page.getByTestId('user-message').filter({ hasText: 'said in the dark' }).count(), 1);
      await banner(world.page).waitFor({ state: 'detached' });
    },
  ],
  [
    'the page opens without its gateway, from what is at hand, and keeps no token',
    async (world) => {
      await until('the service worker', () => world.page.evaluate(async () => (await navigator.serviceWorker.ready).active?.state === 'activated'));
      await world.page.reload();
      await connected(world.page);
      const kept = await world.page.evaluate(async () => {
        const all = [];
        for (const name of await caches.keys()) for (const request of await (await caches.open(name)).keys()) all.push(request.url);
        return all;
      });
      assert.ok(kept.length > 3 && kept.every((url) => !url.includes('token') && !url.includes('?')), kept.join('\n'));
      await world.kill();
      const cold = await world.context.newPage();
      await cold.goto(`${world.base}/`);
      await cold.getByRole('heading', { name: 'Looking for your gateway' }).waitFor();
      await cold.getByText('homard gateway').waitFor();
      await world.startGateway();
      await cold.getByRole('button', { name: 'Try now' }).click();
      await connected(cold);
      await cold.close();
      await connected(world.page);
    },
  ],
  [
    'the page can be installed: manifest and icons are there, with their types',
    async (world) => {
      const manifest = await fetch(`${world.base}/manifest.webmanifest`);
      assert.match(manifest.headers.get('content-type') ?? '', /json/);
      const { icons, start_url } = await manifest.json();
      assert.equal(start_url, './');
      for (const icon of icons) {
        const answer = await fetch(new URL(icon.src, `${world.base}/`));
        assert.equal(answer.headers.get('content-type')?.split(';')[0], icon.type);
      }
      const worker = await fetch(`${world.base}/sw.js`);
      assert.match(worker.headers.get('content-type') ?? '', /javascript/);
      assert.match(worker.headers.get('cache-control') ?? '', /no-cache/);
    },
  ],
  [
    'a gateway that is asked to end says goodbye, and the page says that',
    async (world) => {
      await connected(world.page);
      world.child.kill('SIGTERM');
      await until('the end', () => world.child.exitCode !== null);
      await until('the reason', async () => (await banner(world.page).getAttribute('data-reason')) === 'stopped');
      await world.page.getByText('The gateway was stopped.').waitFor();
      await world.startGateway();
      await world.page.getByRole('button', { name: 'Try now' }).click();
      await connected(world.page);
    },
  ],
  [
    'a wrong token asks for the right one, and the address forgets it',
    async (world) => {
      const context = await world.browser.newContext({ viewport: { width: 1440, height: 900 } });
      const page = await context.newPage();
      await page.goto(`${world.base}/#token=wrong`);
      await page.getByText('The gateway did not accept this token.').waitFor();
      assert.ok(!page.url().includes('token'));
      const seen = world.page;
      world.page = page;
      await world.shots('sign-in');
      world.page = seen;
      await page.getByLabel('Gateway token').fill(TOKEN);
      await page.getByRole('button', { name: 'Connect' }).click();
      await connected(page);
      await context.close();
    },
  ],
  [
    'malformed frames change nothing, a lost event is made up for',
    async (world) => {
      const { context, page } = await between(world, (message) => message);
      await connected(page);
      for (const text of [
        '',
        'not json',
        '[]',
        'null',
        '42',
        '{"type":"event"}',
        '{"type":"event","event":7}',
        '{"type":"res","id":"nobody"}',
        '{"type":"event","event":"chat","payload":[]}',
        '{"type":"event","event":"chat","payload":{"sessionKey":1,"state":{}}}',
        '{"type":"event","event":"exec.approval.requested","payload":{"id":"x","request":null}}',
        '{"type":"event","event":"channels.pairing.requested","payload":"no"}',
        '{"type":"event","event":"sessions.changed","payload":{"session":{"key":3}}}',
        `{"type":"event","event":"node.pair.requested","payload":{"requestId":{},"commands":"x"}}`,
      ])
        page.inject(text);
      await world.model.says('Still here.');
      await box(page).fill('are you there?');
      await page.keyboard.press('Enter');
      await page.locator('main').getByText('Still here.').first().waitFor();
      const peer = await operator(world);
      const before = await page.evaluate(() => document.title);
      assert.ok(before);
      await peer.call('sessions.create', { key: 'agent:main:unheard', label: 'Nobody told the page' });
      page.inject('{"type":"event","event":"tick","payload":{},"seq":999999}');
      await page.getByText('Nobody told the page').first().waitFor();
      await peer.close();
      await context.close();
    },
  ],
  [
    'a browser nobody knows, another version and a refusal are each said in their own words',
    async (world) => {
      const refusals = [
        [{ code: 'NOT_PAIRED', message: 'pairing required', details: { code: 'PAIRING_REQUIRED', requestId: 'req-1', deviceId: 'ab'.repeat(32) } }, 'Approve this browser', 'pairing'],
        [{ code: 'INVALID_REQUEST', message: 'protocol 9 needed', details: { code: 'PROTOCOL_MISMATCH' } }, 'This page is out of date', 'version'],
        [{ code: 'INVALID_REQUEST', message: 'origin <b>not</b> allowed', details: { code: 'CONTROL_UI_ORIGIN_NOT_ALLOWED' } }, 'The gateway refused this page', 'refused'],
      ];
      for (const [error, title, name] of refusals) {
        const { context, page } = await between(world, (message) => {
          const frame = JSON.parse(message);
          return frame.type === 'res' ? JSON.stringify({ type: 'res', id: frame.id, ok: false, error }) : message;
        });
        await page.getByRole('heading', { name: title }).waitFor();
        const seen = world.page;
        world.page = page;
        await world.shots(`gate-${name}`);
        world.page = seen;
        await context.close();
      }
    },
  ],
  [
    'a gateway that hands over says so while it does',
    async (world) => {
      const { context, page } = await between(world, (message) => message);
      await connected(page);
      page.inject('{"type":"event","event":"gateway.suspension","payload":{"phase":"draining"}}');
      await page.getByTestId('suspension').getByText('about to restart').waitFor();
      page.inject('{"type":"event","event":"gateway.suspension","payload":{"phase":"prepared"}}');
      await page.getByTestId('suspension').getByText('hands over').waitFor();
      await context.close();
    },
  ],
];
