// Devices: this browser, nodes that offer commands, and devices that join by a code; allowed, renamed
// and sent away. Names of others are hostile.
import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { Device } from '../device.mjs';
import { TOKEN, until } from '../world.mjs';

const HOSTILE = '<img src=x onerror="alert(1)">';
const PIXEL = ['system.notify', 'device.info', 'device.status', 'location.get', 'photos.latest', 'contacts.search', 'calendar.events', 'notifications.list'];
const SHED = ['system.notify', 'system.which', 'device.info', 'canvas.present', 'location.get'];

const shed = new Device();
const phone = new Device();
const pixel = new Device();
const dialog = (world) => world.page.getByRole('dialog');
const seen = (place, text) => place.getByText(text).first().waitFor();
const press = (place, name) => place.getByRole('button', { name, exact: true }).click();

async function safe(world) {
  assert.equal(await world.page.locator('img[src="x"]').count(), 0, 'nothing of others became an element');
}

export const steps = [
  [
    'the list of devices knows this browser, and warns before it is sent away',
    async (world) => {
      await world.go('Devices');
      await seen(world.page, 'None yet. A node is');
      const own = world.page.getByTestId('device').filter({ hasText: 'This browser' });
      await seen(own, 'do everything, as you can');
      await own.getByText('Access').click();
      await press(own, 'Remove');
      await seen(dialog(world), 'This is the browser you are using.');
      await press(dialog(world), 'Cancel');
      await press(own, 'Rename');
      await dialog(world).getByLabel('Name').fill('');
      await press(dialog(world), 'Save');
      await seen(dialog(world), 'Give it a name.');
      await dialog(world).getByLabel('Name').fill('Desk in the study');
      await press(dialog(world), 'Save');
      await seen(own, 'Desk in the study');
      await world.shots('devices-empty');
    },
  ],
  [
    'a node offers commands, is allowed, and tells how its machine is',
    async (world) => {
      await shed.node(world.port, TOKEN, { name: `shed ${HOSTILE}`, commands: SHED });
      const question = world.page.getByTestId('node-question');
      await seen(question, 'system.which');
      await seen(question, 'needs the right to do everything');
      await safe(world);
      await world.shots('devices-question');
      await press(question, 'Allow these commands');
      const node = world.page.getByTestId('node').filter({ hasText: 'shed' });
      await seen(node, 'commands may be used');
      await shed.ask('node.event', {
        event: 'node.host.stats',
        payload: { cpuCount: 4, loadAverage: [1.2, 1, 0.8], memoryTotalBytes: 16e9, memoryFreeBytes: 5e9, diskTotalBytes: 512e9, diskAvailableBytes: 30e9 },
      });
      await seen(node, '11 GB of 16 GB used');
      await press(node, 'Details');
      await seen(dialog(world), shed.id);
      await seen(dialog(world), 'location: no');
      await world.shots('devices-node');
      await dialog(world).locator('footer').getByRole('button', { name: 'Close' }).click();
      await press(node, 'Rename');
      await dialog(world).getByLabel('Name').fill('Garden shed');
      await press(dialog(world), 'Save');
      await world.page.getByTestId('node').filter({ hasText: 'Garden shed' }).waitFor();
    },
  ],
  [
    'a node that offers more is asked about again, and may be turned away',
    async (world) => {
      const gone = shed.closed;
      shed.stop();
      await gone;
      await shed.node(world.port, TOKEN, { commands: [...SHED, 'screen.snapshot', 'fs.listDir'] });
      const question = world.page.getByTestId('node-question');
      await seen(question, 'new');
      await press(question, 'Reject');
      await question.waitFor({ state: 'detached' });
      await seen(world.page, 'was turned away');
    },
  ],
  [
    'a device joins by its code while the page watches',
    async (world) => {
      await press(world.page, 'Add a device');
      const form = dialog(world);
      await press(form, 'Make a code');
      await seen(form, 'The gateway only listens on its own machine.');
      await form.getByLabel('Where the device finds').fill('my house');
      await press(form, 'Make a code');
      await seen(form, 'An address begins with wss://');
      await world.shots('devices-add');
      await seen(form, 'Every device in the networks this machine is in');
      await form.getByLabel('Where the device finds').fill(`ws://127.0.0.1:${world.port}`);
      await press(form, 'Make a code');
      await seen(form, 'Point the phone’s camera at this');
      await world.shots('devices-page-code');
      const link = await form.locator('code').first().textContent();
      assert.ok(link.startsWith(`http://127.0.0.1:${world.port}/#setup=`), link);
      const other = await world.browser.newContext({ viewport: { width: 390, height: 844 } });
      const tablet = await other.newPage();
      await tablet.goto(link);
      await tablet.getByRole('textbox', { name: 'Message' }).waitFor();
      assert.ok(!tablet.url().includes('setup='), 'the code is not kept in the address');
      await seen(form, 'has joined.');
      // What it was given lets it in again, without a question.
      await tablet.reload();
      await tablet.getByRole('textbox', { name: 'Message' }).waitFor();
      await other.close();
      await press(form, 'Done');
      await press(world.page, 'Add a device');
      await form.getByLabel('A machine that offers commands').check();
      await form.getByLabel('Where the device finds').fill(`ws://127.0.0.1:${world.port}`);
      await press(form, 'Make a code');
      await seen(form, '/j/');
      await seen(form, 'homard node run');
      await press(form, 'Change');
      await form.getByLabel('A device with limited rights').check();
      await press(form, 'Make a code');
      await form.getByTestId('qr').waitFor();
      await seen(form, 'Works for another');
      await world.shots('devices-code');
      const code = await form.locator('code').first().textContent();
      const { bootstrapToken } = JSON.parse(Buffer.from(code, 'base64url').toString());
      const client = { id: 'openclaw-ios', mode: 'ui', version: '1', platform: 'ios', deviceFamily: 'iPhone', displayName: `Mia’s phone ${HOSTILE}` };
      await phone.connect(world.port, { bootstrapToken }, { client, scopes: ['operator.read', 'operator.write'] });
      await seen(form, 'has joined.');
      await safe(world);
      await world.shots('devices-joined');
      await press(form, 'Done');
      const device = world.page.getByTestId('device').filter({ hasText: 'phone' });
      await seen(device, 'read chats and settings; talk to the assistant and act');
    },
  ],
  [
    'a device that asks for more is answered on the page',
    async (world) => {
      await phone.ask('device.scopes.requestUpgrade', { scopes: ['operator.read', 'operator.write', 'operator.approvals', 'operator.questions', 'operator.talk.secrets', 'operator.pairing'] });
      const question = world.page.getByTestId('device-question');
      await seen(question, 'asks for more rights');
      await seen(question, 'decide about devices');
      await press(question, 'Let it in');
      await question.waitFor({ state: 'detached' });
    },
  ],
  [
    'tokens are renewed and revoked when asked, and a device is removed',
    async (world) => {
      const device = world.page.getByTestId('device').filter({ hasText: 'phone' });
      await device.getByText('Access').click();
      await press(device, 'Renew token');
      await press(dialog(world), 'Renew token');
      await seen(world.page, 'has a new token.');
      assert.equal(await phone.closed, 4001);
      await seen(device, 'renewed');
      await press(device, 'Revoke token');
      await press(dialog(world), 'Cancel');
      await press(device, 'Revoke token');
      await press(dialog(world), 'Revoke token');
      await seen(device, 'Revoked');
      await press(device, 'Rename');
      await dialog(world).getByLabel('Name').fill('Mia’s old phone');
      await press(dialog(world), 'Save');
      await seen(device, 'Mia’s old phone');
      await pixel.node(world.port, TOKEN, { name: 'Pixel 9', platform: 'android', family: 'Android', commands: PIXEL });
      await press(world.page.getByTestId('node-question'), 'Allow these commands');
      await seen(world.page.getByTestId('node').filter({ hasText: 'Pixel 9' }), 'notifications.list');
      await world.page.locator('details').evaluateAll((all) => all.forEach((one) => (one.open = false)));
      await world.page.getByRole('button', { name: 'Dismiss' }).click();
      await world.page.getByTestId('page').evaluate((page) => page.scrollTo(0, 0));
      await world.shots('devices');
      await device.getByText('Access').click();
      await press(device, 'Remove');
      await press(dialog(world), 'Remove');
      await device.waitFor({ state: 'detached' });
    },
  ],
  [
    'a node is removed and its connection ends',
    async (world) => {
      const node = world.page.getByTestId('node').filter({ hasText: 'Garden shed' });
      await press(node, 'Remove');
      await press(dialog(world), 'Remove');
      await node.waitFor({ state: 'detached' });
      assert.equal(await shed.closed, 4001);
      pixel.stop();
    },
  ],
  [
    'one click opens the gateway to the network, with its warning, and the page comes back by itself',
    async (world) => {
      const answers = (host) =>
        fetch(`http://${host}:${world.port}/readyz`).then(
          (answer) => answer.ok,
          () => false,
        );
      const own = Object.values(networkInterfaces())
        .flat()
        .find((address) => !address.internal && address.family === 'IPv4')?.address;
      if (own) assert.equal(await answers(own), false, 'nobody else can reach it before');
      await press(world.page, 'Add a device');
      const form = dialog(world);
      await press(form, 'Make a code');
      await seen(form, 'without TLS what is said on the way can be read in that network');
      await press(form, 'Open it and make a code');
      // A machine in a private network gets its code; any other is told why a code would not be safe, or needs an address.
      const code = form.getByText('Point the phone’s camera at this').or(form.getByText('needs a secure address')).or(form.getByText('has no address in a local network'));
      await code.first().waitFor();
      assert.equal((await world.call('config.get')).parsed.gateway.bind, 'lan');
      if (own) await until('the gateway at its address in the network', () => answers(own));
      const shown = await form.getByText('Point the phone’s camera at this').count();
      world.notes.push(shown ? `a code for ${own}` : 'no code: this machine has no private address');
      await press(form, shown ? 'Close' : 'Cancel');
      await world.page.getByTestId('device').filter({ hasText: 'This browser' }).waitFor();
    },
  ],
];
