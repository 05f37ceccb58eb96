// Logging in by scanning: codes come, are replaced, and one is scanned.
import { describe, expect, it } from 'vitest';
import { QrLogin } from './login.svelte';

const PNG = 'data:image/png;base64,AAAA';
const NEXT = 'data:image/png;base64,BBBB';

function login(answers: unknown[]) {
  const asked: [string, Record<string, unknown>][] = [];
  const request = ((method: string, params: Record<string, unknown>) => {
    asked.push([method, params]);
    const answer = answers.shift();
    if (answer === undefined) return new Promise(() => undefined);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  }) as never;
  return { login: new QrLogin({ request }, 'heron', 'default'), asked };
}

describe('logging in', () => {
  it('shows codes as they change until one is scanned', async () => {
    const { login: one, asked } = login([
      { message: 'scan', qrDataUrl: PNG, sessionKey: 's' },
      { connected: false, message: 'newer', qrDataUrl: NEXT },
      { connected: true, message: 'welcome' },
    ]);
    await one.start();
    expect([one.kind, one.message]).toEqual(['done', 'welcome']);
    expect(asked.map(([method]) => method)).toEqual(['web.login.start', 'web.login.wait', 'web.login.wait']);
    expect(asked[2]?.[1]).toMatchObject({ channel: 'heron', accountId: 'default', sessionKey: 's', currentQrDataUrl: NEXT });
  });

  it('waits with the code in view', async () => {
    const { login: one } = login([{ message: 'scan', qrDataUrl: PNG }]);
    void one.start();
    await Promise.resolve();
    await Promise.resolve();
    expect([one.kind, one.picture]).toEqual(['scan', PNG]);
  });

  it('is done at once when it was logged in already', async () => {
    const { login: one } = login([{ message: 'here', connected: true }]);
    await one.start();
    expect(one.kind).toBe('done');
  });

  it.each([[{ message: 'no' }], [{ message: 'no', qrDataUrl: 'https://evil.example/x.png' }], [{ message: 'no', qrDataUrl: 'data:image/svg+xml;base64,AAAA' }], [new Error('no')]])(
    '%#: fails in words without a picture it may show',
    async (answer) => {
      const { login: one } = login([answer]);
      await one.start();
      expect([one.kind, one.message, one.picture]).toEqual(['failed', 'no', undefined]);
    },
  );

  it('says nothing more once it is stopped', async () => {
    const { login: one } = login([new Error('gone')]);
    const going = one.start();
    one.stop();
    await going;
    expect([one.kind, one.message]).toEqual(['starting', '']);
  });
});
