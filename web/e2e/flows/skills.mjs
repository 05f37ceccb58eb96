// Skills: what the assistant can do, and what is missing for it.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { HOSTILE, harmless, noSideways } from '../hostile.mjs';
import { until } from '../world.mjs';

const BIN = mkdtempSync(join(tmpdir(), 'homard-e2e-bin-'));
process.on('exit', () => rmSync(BIN, { recursive: true, force: true }));

/** An installer that brings a program when it is asked for `tide-tools`, and fails otherwise. */
const BREW = `#!/bin/sh
echo "==> Fetching $2"
if [ "$2" = tide-tools ]; then printf '#!/bin/sh\\n' > "${BIN}/tidectl"; chmod +x "${BIN}/tidectl"; echo "==> Pouring $2"; exit 0; fi
echo "Error: no formula with the name $2"; exit 1
`;

export const options = { config: { tools: { exec: { pathPrepend: [BIN] } } } };

function skill(world, name, head, text = '') {
  const file = join(world.state, 'skills', name, 'SKILL.md');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `---\nname: ${name}\n${head}\n---\n\n# ${name}\n${text}\n`);
}

function hook(world, name, head, handler) {
  const dir = join(world.state, 'hooks', name);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'HOOK.md'), `---\nname: ${name}\n${head}\n---\n`);
  writeFileSync(join(dir, 'handler'), handler);
  chmodSync(join(dir, 'handler'), 0o755);
}

export const steps = [
  [
    'skills say whether they are ready and what they lack',
    async (world) => {
      const { page } = world;
      skill(
        world,
        'tides',
        'description: Tell the tides of a harbour, when somebody asks about water or boats.\nhomepage: https://example.org/tides\nmetadata: {"homard": {"emoji": "🌊", "primaryEnv": "TIDES_KEY", "requires": {"bins": ["tidectl"], "env": ["TIDES_KEY", "TIDES_HARBOUR"]}, "install": [{"id": "brew", "kind": "brew", "formula": "tide-tools", "bins": ["tidectl"], "label": "Install tide-tools with brew"}, {"id": "wrong", "kind": "brew", "formula": "no-such", "bins": ["tidectl"], "label": "Install something that is not there"}]}}',
      );
      skill(world, 'sea-shanties', 'description: Sing.\nmetadata: {"homard": {"os": ["darwin"], "requires": {"config": ["tools.web.search.enabled"]}}}');
      skill(world, 'hostile', `description: '${HOSTILE.replaceAll("'", '')} ${'very long '.repeat(80)}'\nhomepage: 'javascript:alert(1)'`);
      mkdirSync(join(world.state, 'skills', 'broken'), { recursive: true });
      writeFileSync(join(world.state, 'skills', 'broken', 'SKILL.md'), 'no head at all');
      await world.go('Skills');
      const tides = page.getByTestId('skill').filter({ has: page.getByRole('heading', { name: 'tides' }) });
      await tides.getByText('The program tidectl is not installed.').waitFor();
      await tides.getByText('The variables TIDES_KEY, TIDES_HARBOUR are not set.').waitFor();
      await page.getByText('It works only on macOS.').waitFor();
      await page.getByText('It cannot be used').waitFor();
      await harmless(world);
      await noSideways(world, 'the skills');
      await page.getByLabel('Search skills').fill('shant');
      await until('one skill', async () => (await page.getByTestId('skill').count()) === 1);
      await page.getByLabel('Search skills').fill('');
      await page.getByText(/Ready \d/).click();
      await until('only ready ones', async () => (await page.getByTestId('skill').filter({ hasText: 'tidectl' }).count()) === 0);
      await page.getByText(/All \d/).click();
    },
  ],
  [
    'a key is written and never shown, and variables are set',
    async (world) => {
      const { page } = world;
      const tides = page.getByTestId('skill').filter({ has: page.getByRole('heading', { name: 'tides' }) });
      await tides.getByRole('button', { name: 'Details of tides' }).click();
      await tides.getByLabel('Key (TIDES_KEY)').fill('secret-of-the-sea');
      await tides.getByRole('button', { name: 'Save key' }).click();
      await tides.getByText('The key is saved.').waitFor();
      assert.equal(await tides.getByLabel('Key (TIDES_KEY)').inputValue(), '');
      assert.ok(!(await page.content()).includes('secret-of-the-sea'));
      await tides.getByLabel('Variable TIDES_HARBOUR').fill('Brest');
      await tides.getByRole('button', { name: 'Save', exact: true }).click();
      await tides.getByText('TIDES_HARBOUR is saved.').waitFor();
      const { skills: all } = await world.call('skills.status');
      assert.deepEqual(all.find(({ name }) => name === 'tides').missing.env, []);
    },
  ],
  [
    'programs are installed, and a failed installer says why',
    async (world) => {
      const { page } = world;
      writeFileSync(join(BIN, 'brew'), BREW);
      chmodSync(join(BIN, 'brew'), 0o755);
      const tides = page.getByTestId('skill').filter({ has: page.getByRole('heading', { name: 'tides' }) });
      await tides.getByRole('button', { name: 'Install something that is not there' }).click();
      await tides.getByText('Not installed: brew ended with code 1').waitFor();
      await tides.getByText('What the installer wrote').click();
      await tides.getByText('Error: no formula').waitFor();
      await world.shots('skills');
      await tides.getByRole('button', { name: 'Install tide-tools with brew' }).click();
      await tides.getByText('Ready', { exact: true }).waitFor();
      assert.ok(existsSync(join(BIN, 'tidectl')));
      await tides.getByRole('switch').click();
      await tides.getByText('Off', { exact: true }).waitFor();
      await tides.getByRole('switch').click();
      await tides.getByText('Ready', { exact: true }).waitFor();
    },
  ],
  [
    'hooks say whether they run and why not, are switched, and tell what came of them',
    async (world) => {
      const { page } = world;
      hook(world, 'greeter', 'description: Says hello.\nmetadata: {"openclaw": {"emoji": "👋", "events": ["agent:end"]}}', '#!/bin/sh\ncat > /dev/null\necho "hello from the greeter"\n');
      hook(world, 'poor', 'description: Wants much.\nmetadata: {"openclaw": {"events": ["agent:end"], "requires": {"bins": ["no-such-program"]}}}', '#!/bin/sh\n');
      hook(world, 'hostile', `description: '${HOSTILE.replaceAll("'", '')} ${'very long '.repeat(40)}'`, '#!/bin/sh\n');
      await world.go('Hooks');
      const of = (name) => page.getByTestId('hook').filter({ has: page.getByRole('heading', { name }) });
      await page.getByText('No hook runs: hooks are switched off.').waitFor();
      await of('poor').getByText('It needs: program `no-such-program`.').waitFor();
      await of('hostile').getByText('It cannot run: names no events').waitFor();
      await harmless(world);
      await noSideways(world, 'the hooks');
      await of('greeter').getByRole('switch').click();
      await of('greeter').getByText('Runs', { exact: true }).waitFor();
      await until('hooks are on', async () => (await world.call('hooks.status')).enabled);
      await of('greeter').getByRole('button', { name: 'Details of greeter' }).click();
      await of('greeter').getByText('It has not run since the gateway started.').waitFor();
      await world.shots('hooks');
    },
  ],
];
