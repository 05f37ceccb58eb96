// Conversations that were had before a flow began: lines are put into transcripts as if they had been said.
import { appendFileSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export const DAY = 86_400_000;

export const chat = (world) => world.page.getByRole('region', { name: 'Conversation' });
export const settled = (world) => world.page.getByTestId('stop').waitFor({ state: 'detached' });

/** A session of its own, with a transcript to which lines can be put as if they had been said. */
export async function session(world, name) {
  const key = `agent:main:${name}`;
  await world.call('sessions.create', { key });
  await world.call('chat.inject', { sessionKey: key, message: 'The beginning.' });
  const { sessionId } = await world.call('chat.history', { sessionKey: key });
  const folder = join(world.state, 'agents', 'main', 'sessions');
  const file = join(
    folder,
    readdirSync(folder).find((one) => one.startsWith(sessionId) && one.endsWith('.jsonl')),
  );
  return { key, file };
}

/** Puts entries at the end of a transcript file. */
export function put(file, entries) {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  let parentId = JSON.parse(lines.at(-1)).id;
  const text = entries.map((entry, index) => {
    const id = `e${index.toString(16).padStart(7, '0')}`;
    const line = JSON.stringify({ id, parentId, timestamp: new Date(entry.at ?? Date.now()).toISOString(), ...entry.kind });
    parentId = id;
    return line;
  });
  appendFileSync(file, `${text.join('\n')}\n`);
}

export const said = (role, text, at, more = {}) => ({ at, kind: { type: 'message', message: { role, content: [{ type: 'text', text }], timestamp: at, ...more } } });
export const answered = (text, at, more = {}) => said('assistant', text, at, { api: 'x', provider: 'fake', model: 'fake-1', usage: {}, stopReason: 'stop', ...more });

/** Goes to a session by its address. */
export const open = async (world, key) => {
  await world.page.goto(`${world.base}/?session=${encodeURIComponent(key)}`);
  await chat(world).waitFor();
};

/** How far the end of the conversation is from the bottom of its box. */
export const fromEnd = (world) => chat(world).evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
