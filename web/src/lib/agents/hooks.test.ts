import { describe, expect, it } from 'vitest';
import { readHook, stateOf, switchHook } from './hooks';

describe('hooks', () => {
  it('says why one does not run', () => {
    const of = (row: object) => stateOf(readHook({ name: 'n', ...row }));
    expect(of({})).toBe('ready');
    expect(of({ disabled: true })).toBe('off');
    expect(of({ disabled: true, missing: ['program `jq`'] })).toBe('needs');
    expect(of({ missing: ['x'], problem: 'torn' })).toBe('broken');
    expect(readHook('garbage')).toMatchObject({ name: '?', events: [], lastRun: undefined });
    expect(readHook({ name: 'n', lastRun: { event: 'agent:end', ok: false, error: 'no' } }).lastRun).toMatchObject({ event: 'agent:end', ok: false, error: 'no', output: '' });
  });

  it('switches hooks on with the first of them, and leaves the others alone', async () => {
    const asked: unknown[] = [];
    const request = async (method: string, params: unknown) => {
      asked.push([method, params]);
      return method === 'config.get' ? { parsed: {}, exists: true, hash: 'h' } : {};
    };
    const app = { request } as unknown as Parameters<typeof switchHook>[0];
    await switchHook(app, 'a.b', true);
    await switchHook(app, 'a.b', false);
    expect(asked[1]).toEqual(['config.patch', { raw: '{"hooks":{"internal":{"enabled":true,"entries":{"a.b":{"enabled":true}}}}}', baseHash: 'h' }]);
    expect(asked[3]).toEqual(['config.patch', { raw: '{"hooks":{"internal":{"entries":{"a.b":{"enabled":false}}}}}', baseHash: 'h' }]);
  });
});
