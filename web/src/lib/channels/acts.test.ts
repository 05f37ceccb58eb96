// Accounts are tried before they are written, and nothing somebody else wrote is lost.
import { describe, expect, it } from 'vitest';
import { tryAccount, writeConfig } from './acts';
import { GatewayError } from '../connection/gateway';
import { words } from '../../words/channels';
import { harbour, heron } from './platforms.fixture';

const conflict = () => new GatewayError('INVALID_REQUEST', 'config changed since last load; read it again and repeat the change', undefined, false);

function gateway(answers: unknown[]) {
  const asked: [string, Record<string, unknown>][] = [];
  const request = ((method: string, params: Record<string, unknown>) => {
    asked.push([method, params]);
    const answer = answers.shift();
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  }) as never;
  return { app: { request }, asked };
}

describe('writing', () => {
  it('patches the file it has read', async () => {
    const { app, asked } = gateway([{ exists: true, hash: 'h1', parsed: { a: 1 } }, { ok: true }]);
    expect(await writeConfig(app, (now) => ({ seen: now }))).toEqual({ restarts: false });
    expect(asked[1]).toEqual(['config.patch', { raw: '{"seen":{"a":1}}', baseHash: 'h1' }]);
  });

  it('needs no hash where there is no file, and says when the gateway restarts', async () => {
    const { app, asked } = gateway([
      { exists: false, hash: '', parsed: {} },
      { ok: true, restart: { ok: true } },
    ]);
    expect(await writeConfig(app, () => ({}))).toEqual({ restarts: true });
    expect(asked[1]?.[1]).toEqual({ raw: '{}' });
  });

  it('reads again when somebody was faster, once', async () => {
    const again = gateway([{ exists: true, hash: 'h1', parsed: { n: 1 } }, conflict(), { exists: true, hash: 'h2', parsed: { n: 2 } }, { ok: true }]);
    await writeConfig(again.app, (now) => now as never);
    expect(again.asked[3]).toEqual(['config.patch', { raw: '{"n":2}', baseHash: 'h2' }]);
    const never = gateway([{ exists: true, hash: 'h1', parsed: {} }, conflict(), { exists: true, hash: 'h2', parsed: {} }, conflict()]);
    await expect(writeConfig(never.app, () => ({}))).rejects.toThrow(words.form.changed);
  });

  it('an invalid value is told as the gateway says it', async () => {
    const { app } = gateway([{ exists: true, hash: 'h', parsed: {} }, new GatewayError('INVALID_REQUEST', 'channels.harbour.port: 0 is no port', undefined, false)]);
    await expect(writeConfig(app, () => ({}))).rejects.toThrow('0 is no port');
  });
});

it('trying asks the platform and writes nothing', async () => {
  const { app, asked } = gateway([{ ok: true, elapsedMs: 3, username: 'x_bot', advice: ['a', 5] }]);
  expect(await tryAccount(app, heron, 'default', { botToken: 't' })).toEqual({ ok: true, name: '@x_bot', error: undefined, advice: ['a'] });
  expect(asked).toEqual([['channels.check', { channel: 'heron', accountId: 'default', section: { botToken: 't' } }]]);
  expect(await tryAccount(gateway([null]).app, harbour, 'default', {})).toMatchObject({ ok: false });
});
