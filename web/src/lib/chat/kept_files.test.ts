import { expect, it } from 'vitest';
import { addressOfKept } from './kept_files';

const answering = (answer: unknown, asked: [string, RequestInit | undefined][] = []): typeof fetch =>
  ((url: string, init?: RequestInit) => {
    asked.push([url, init]);
    return Promise.resolve(new Response(JSON.stringify(answer)));
  }) as typeof fetch;

it('a kept file is opened with a ticket, and the credential stays out of the address', async () => {
  const asked: [string, RequestInit | undefined][] = [];
  const address = await addressOfKept('/home/me/media/ab-a b.pdf', 'secret', answering({ available: true, mediaTicket: '1.x' }, asked));
  expect(address).toBe('/__openclaw__/assistant-media?source=%2Fhome%2Fme%2Fmedia%2Fab-a+b.pdf&mediaTicket=1.x');
  expect(asked).toEqual([['/__openclaw__/assistant-media?source=%2Fhome%2Fme%2Fmedia%2Fab-a+b.pdf&meta=1', { headers: { authorization: 'Bearer secret' } }]]);
});

it('a file that is gone is said to be', async () => {
  await expect(addressOfKept('/gone', undefined, answering({ available: false }))).rejects.toThrow('no longer kept');
});
