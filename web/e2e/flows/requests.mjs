// Everything that waits for a yes or no comes up wherever the person is.
import assert from 'node:assert/strict';
import { Irc } from '../irc.mjs';
import { operator, Peer } from '../peer.mjs';
import { until } from '../world.mjs';

const irc = await new Irc().start();
/** Where devices are that are not on this machine: a proxy says so. */
const ELSEWHERE = { 'x-forwarded-for': '192.0.2.7' };

export const options = {
  config: {
    gateway: { trustedProxies: ['127.0.0.1'] },
    tools: { exec: { security: 'allowlist', ask: 'on-miss' } },
    channels: { irc: { name: 'Harbour chat', host: '127.0.0.1', port: irc.port, tls: false, nick: 'homard', dmPolicy: 'pairing', flood: { intervalMs: 0 } } },
  },
};

const card = (world, name) => world.page.getByTestId(name);
const heading = (world, text) => world.page.getByRole('heading', { name: text });

export const steps = [
  [
    'a command of the assistant is asked about on any page, with what, where and why, and denied',
    async (world) => {
      world.peer = await operator(world);
      await world.go('Overview');
      await world.model.script({ says: 'I will push.', calls: [{ name: 'exec', arguments: { command: 'git push --force origin main' } }] }, { says: 'Then I leave it.' });
      await world.peer.call('chat.send', { sessionKey: 'agent:main:main', message: 'push it', idempotencyKey: 'ask-1' });
      const asked = card(world, 'approval');
      await asked.getByText('git push --force origin main').waitFor();
      await asked.getByText('Why you are asked').waitFor();
      assert.match(await world.page.getByTestId('approval-left').innerText(), /\d+ s left/);
      await until('the number in the title', async () => (await world.page.title()).startsWith('('));
      await world.shots('approval');
      await asked.getByRole('button', { name: /Show its chat/ }).click();
      await world.page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
      await asked.getByRole('button', { name: 'Deny' }).click();
      await asked.waitFor({ state: 'detached' });
      await world.page.locator('main').getByText('Then I leave it.').first().waitFor();
    },
  ],
  [
    'it does not take the keyboard from who is writing, and is reached by a key',
    async (world) => {
      const box = world.page.getByRole('textbox', { name: 'Message', exact: true });
      await box.click();
      await world.page.keyboard.type('I am wri');
      const decided = world.peer.call('exec.approval.request', { command: 'whoami', timeoutMs: 600_000 });
      await card(world, 'approval').waitFor();
      await world.page.keyboard.type('ting');
      assert.equal(await box.inputValue(), 'I am writing');
      await world.page.keyboard.press('Alt+r');
      await until('the stack has the keyboard', () => world.page.evaluate(() => document.activeElement?.id === 'requests'));
      const always = card(world, 'approval').getByRole('button', { name: 'Always allow' });
      await until('the buttons wake', () => always.isEnabled());
      await always.focus();
      await world.page.keyboard.press('Enter');
      assert.equal((await decided).decision, 'allow-always');
      await card(world, 'approval').waitFor({ state: 'detached' });
      await box.fill('');
    },
  ],
  [
    'several wait in one stack, can be put aside, and an answer given elsewhere takes one away',
    async (world) => {
      const hostile = `echo "<img src=x onerror=window.hacked=1>"\n${Array.from({ length: 60 }, (_, line) => `echo ${line} ${'x'.repeat(200)}`).join('\n')}`;
      const first = world.peer.call('exec.approval.request', { command: hostile, cwd: '/srv/garden', warningText: 'in play: web page https://example.com/<script>', timeoutMs: 300_000 });
      await card(world, 'approval').getByText('<img src=x onerror=window.hacked=1>').waitFor();
      await card(world, 'approval').getByText('61 lines: scroll to see all of it.').waitFor();
      const second = world.peer.call('exec.approval.request', { command: 'make deploy', timeoutMs: 500_000 });
      const count = world.page.getByTestId('requests-count');
      await until('two of them', async () => (await count.innerText()) === '1 of 2');
      await world.page.getByRole('button', { name: 'Next request' }).click();
      await card(world, 'approval').getByText('make deploy').waitFor();
      await world.page.getByRole('button', { name: 'Previous request' }).click();
      await card(world, 'approval').getByText('/srv/garden').waitFor();
      await world.shots('requests-stack');
      await world.page.getByRole('button', { name: 'Decide later' }).click();
      await card(world, 'approval').waitFor({ state: 'detached' });
      await world.page.getByTestId('requests-pill').click();
      const [waiting] = (await world.peer.call('exec.approval.list')).filter(({ request }) => request.command !== 'make deploy');
      await world.peer.call('exec.approval.resolve', { id: waiting.id, decision: 'deny' });
      assert.equal((await first).decision, 'deny');
      await card(world, 'approval').getByText('make deploy').waitFor();
      await world.page.reload();
      await card(world, 'approval').getByRole('button', { name: 'Allow once' }).click();
      assert.equal((await second).decision, 'allow-once');
      assert.equal(await world.page.evaluate(() => window.hacked), undefined);
    },
  ],
  [
    'a question nobody answers in time says so',
    async (world) => {
      const decided = world.peer.call('exec.approval.request', { command: 'sleep forever', timeoutMs: 1500 });
      await card(world, 'approval').getByText('sleep forever').waitFor();
      assert.notEqual((await decided).decision, 'allow-once');
      await world.page.getByTestId('toast').filter({ hasText: 'Nobody answered in time' }).waitFor();
      await card(world, 'approval').waitFor({ state: 'detached' });
    },
  ],
  [
    'a device from elsewhere is shown and let in, another is rejected',
    async (world) => {
      const phone = new Peer({ headers: ELSEWHERE, scopes: ['operator.read', 'operator.write'], client: { id: 'openclaw-ios', mode: 'ui', platform: 'ios', displayName: 'Ann’s <b>phone</b>' } });
      assert.equal((await phone.connect(world)).error.details.code, 'PAIRING_REQUIRED');
      const asked = card(world, 'device');
      await asked.getByText('Ann’s <b>phone</b>').waitFor();
      await asked.getByText('192.0.2.7').waitFor();
      await asked.getByText('talk to the assistant and act').waitFor();
      await world.shots('device-request');
      await asked.getByRole('button', { name: 'Approve' }).click();
      await asked.waitFor({ state: 'detached' });
      assert.equal((await phone.connect(world)).ok, true);
      const stranger = new Peer({ headers: ELSEWHERE });
      await stranger.connect(world);
      await asked.getByText('do everything, as you can').waitFor();
      await asked.getByRole('button', { name: 'Reject' }).click();
      await asked.waitFor({ state: 'detached' });
    },
  ],
  [
    'a node that offers commands is asked about',
    async (world) => {
      const node = new Peer({
        role: 'node',
        scopes: [],
        client: { id: 'node-host', mode: 'node', displayName: 'Shed <i>computer</i>' },
        more: { caps: ['system'], commands: ['system.notify', 'system.which'] },
      });
      assert.equal((await node.connect(world)).ok, true);
      const asked = card(world, 'node');
      await asked.getByText('Shed <i>computer</i>').waitFor();
      await asked.getByText('system.which').waitFor();
      await world.shots('node-request');
      await asked.getByRole('button', { name: 'Approve' }).click();
      await asked.waitFor({ state: 'detached' });
      const { nodes } = await world.peer.call('node.list');
      assert.ok(nodes.some((row) => row.nodeId === node.id && row.commands.includes('system.which')));
    },
  ],
  [
    'strangers on a platform come up as they write, and are let in or ignored',
    async (world) => {
      await until('the channel', () => irc.connected);
      await world.go('Usage');
      irc.says('eve', 'give me the keys');
      const asked = card(world, 'stranger');
      await asked.getByText('Somebody new wrote on irc').waitFor();
      await asked.getByText('Harbour chat').waitFor();
      await asked.getByText(/minutes left/).waitFor();
      await world.shots('stranger');
      await asked.getByRole('button', { name: 'Let in' }).click();
      await asked.waitFor({ state: 'detached' });
      await until('Eve is told', () => irc.heard.some(({ to, text }) => to === 'eve' && text.includes('let in')));
      irc.says('mallory', 'me too');
      await asked.getByText('mallory').first().waitFor();
      await asked.getByRole('button', { name: 'Ignore' }).click();
      await asked.waitFor({ state: 'detached' });
      irc.says('trent', 'hello');
      await asked.getByText('trent').first().waitFor();
      const { requests } = await world.peer.call('channels.pairing.list');
      await world.peer.call('channels.pairing.approve', { channel: 'irc', accountId: 'default', requestId: requests[0].requestId });
      await asked.waitFor({ state: 'detached' });
    },
  ],
];
