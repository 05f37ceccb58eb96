// When an answer does not come: what is retried and when, asking again, going on, and a gateway that is killed amid an answer.
import assert from 'node:assert/strict';
import { until } from '../world.mjs';

const field = (world) => world.page.getByRole('textbox', { name: 'Message', exact: true });
const ends = (world) => world.page.getByTestId('end-actions');
const answers = (world) => world.page.getByTestId('assistant-message');
const idle = (world) => world.page.getByTestId('stop').waitFor({ state: 'detached' });

async function write(world, text) {
  await field(world).fill(text);
  await field(world).press('Enter');
}

export const steps = [
  [
    'a model that fails is said to be tried again and when, and then answers',
    async (world) => {
      await world.model.script({ fails: 500, body: '{"error":{"message":"boiler"}}' }, { fails: 500 }, { fails: 500 }, { says: 'Here after all.' });
      await write(world, 'are you there?');
      await world.page.getByText(/fake\/fake-1 has trouble answering \(error 500\)\. Trying again/).waitFor();
      await world.page.getByTestId('again-in').waitFor();
      await world.shots('trouble-retrying');
      await answers(world).getByText('Here after all.').waitFor();
      await idle(world);
      assert.match(world.log(), /warn .*a model call failed/);
    },
  ],
  [
    'a failure offers to try again, and the question is asked once more',
    async (world) => {
      await world.model.script({ fails: 400, body: '{"error":{"message":"no such cable"}}' });
      await write(world, 'and now?');
      await world.page
        .getByTestId('run-error')
        .getByText(/no such cable/)
        .waitFor();
      await ends(world).getByRole('button', { name: 'Try again' }).waitFor();
      assert.equal(await ends(world).getByRole('button', { name: 'Continue' }).count(), 0, 'there is nothing to go on from');
      await world.shots('trouble-failed');
      await world.model.says('Now it works.');
      await ends(world).getByRole('button', { name: 'Try again' }).click();
      await answers(world).getByText('Now it works.').waitFor();
      await idle(world);
      assert.equal(await world.page.getByTestId('run-error').count(), 0);
      assert.equal(await ends(world).count(), 0);
    },
  ],
  [
    'after a stop the answer can go on, and the field has the focus',
    async (world) => {
      await write(world, 'tell me a lot [[chunks=20000]] [[delay=20]]');
      await answers(world).last().getByText('w5').waitFor();
      await world.page.getByTestId('stop').click();
      await idle(world);
      await answers(world).last().getByText('Stopped.').waitFor();
      await until('the focus', () => field(world).evaluate((area) => area === document.activeElement));
      await world.model.says('And on.');
      await ends(world).getByRole('button', { name: 'Continue' }).click();
      await answers(world).getByText('And on.').waitFor();
      await idle(world);
    },
  ],
  [
    'a killed gateway leaves what was said and that it was interrupted, in every tab and after a reload',
    async (world) => {
      const other = await world.open(world.link());
      await write(world, 'tell me everything [[chunks=20000]] [[delay=20]]');
      await answers(world).last().getByText('w120').waitFor();
      await world.kill();
      await world.startGateway();
      for (const page of [world.page, other]) {
        await page.getByText(/Interrupted: the gateway went away/).waitFor();
        await page.getByTestId('assistant-message').last().getByText('w5').waitFor();
      }
      await world.page.reload();
      await world.page.getByText(/Interrupted: the gateway went away/).waitFor();
      await answers(world).last().getByText('w5').waitFor();
      assert.equal(await world.page.getByText(/Interrupted: the gateway went away/).count(), 1);
      await ends(world).getByRole('button', { name: 'Continue' }).waitFor();
      await world.shots('trouble-interrupted');
      await other.close();
    },
  ],
  [
    'the overview does not call a stop a failure, and agrees with itself',
    async (world) => {
      await world.go('Overview');
      await world.page.getByTestId('health').getByText(/thing/).waitFor();
      await world.page.getByText('2 errors in the last hour.').waitFor();
      assert.equal(await world.page.getByText(/stopped: /).count(), 0);
      await world.shots('trouble-overview');
    },
  ],
];
