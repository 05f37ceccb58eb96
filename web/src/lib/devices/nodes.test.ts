// Nodes and devices as the gateway lists them, and as people read them.
import { describe, expect, it } from 'vitest';
import { grouped, inOrder, missing, nameProblem, readDevices, readNodes, readQuestions, scopeTexts } from './nodes';
import { words } from '../../words/nodes';

describe('nodes', () => {
  it('are read with what may be used and how their machine is', () => {
    const [node] = readNodes({
      nodes: [
        {
          nodeId: 'n1',
          displayName: 'shed',
          platform: 'linux',
          clientId: 'node-host',
          connected: true,
          active: true,
          approvalState: 'approved',
          commands: ['system.run'],
          caps: [],
          permissions: { camera: false },
          hostStats: { cpuCount: 4, loadAverage: [1.5, 1, 1], memoryTotalBytes: 100, memoryFreeBytes: 25, diskTotalBytes: 10, diskAvailableBytes: 10, updatedAtMs: 7 },
        },
      ],
    });
    expect(node).toMatchObject({ name: 'shed', platform: 'Homard node · Linux', online: true, active: true, approval: 'approved', commands: ['system.run'], permissions: [['camera', false]] });
    expect(node?.stats).toEqual({ processors: 4, load: 1.5, memory: [75, 100], disk: [0, 10], at: 7 });
  });

  it('are shown with nonsense in them, and cut', () => {
    const [node] = readNodes({ nodes: [{ nodeId: 'n', displayName: 'x'.repeat(9000), commands: 'no', permissions: [], hostStats: { cpuCount: 'many' } }, { displayName: 'nobody' }, 5] });
    expect(node).toMatchObject({ commands: [], permissions: [], stats: undefined, online: false, approval: 'unapproved' });
    expect(node?.name.length).toBe(81);
    expect(readNodes(undefined)).toEqual([]);
  });

  it('that offer more say what is new', () => {
    const answer = {
      pending: [{ requestId: 'r', nodeId: 'n', commands: ['a.x', 'b.y'], requiredApproveScopes: ['operator.admin'], ts: 3 }, { nodeId: 'z' }],
      paired: [{ nodeId: 'n', commands: ['a.x'] }],
    };
    const [question, ...others] = readQuestions(answer);
    expect(question).toMatchObject({ id: 'r', name: words.nameless, needs: ['operator.admin'], since: 3 });
    expect([...(question?.fresh ?? [])]).toEqual(['b.y']);
    expect(others).toEqual([]);
    expect(readQuestions({ ...answer, paired: [] })[0]?.fresh.size).toBe(0);
  });

  it('have commands by what they are about, with the dangerous ones marked', () => {
    expect(grouped(['system.run', 'camera.snap', 'system.notify', 'odd'])).toEqual([
      {
        title: 'Programs and notifications',
        commands: [
          { name: 'system.notify', sensitive: false },
          { name: 'system.run', sensitive: true },
        ],
      },
      { title: 'Camera', commands: [{ name: 'camera.snap', sensitive: false }] },
      { title: 'odd', commands: [{ name: 'odd', sensitive: false }] },
    ]);
  });
});

describe('devices', () => {
  const row = (deviceId: string, more: Record<string, unknown> = {}) => ({ deviceId, roles: ['operator'], scopes: ['operator.read'], connected: false, tokens: [], ...more });

  it('are called as their owner does', () => {
    const names = readDevices({
      paired: [row('a', { operatorLabel: 'Desk', displayName: 'Chrome' }), row('b', { displayName: 'Chrome' }), row('c', { platform: 'web', clientId: 'openclaw-control-ui' }), row('d')],
    }).map((one) => one.name);
    expect(names).toEqual(['Desk', 'Chrome', 'Browser · Web page', words.nameless]);
  });

  it('come with this browser first, then those that are here', () => {
    const list = readDevices({ paired: [row('old', { lastSeenAtMs: 1 }), row('here', { connected: true }), row('own'), row('newer', { lastSeenAtMs: 2 })] });
    expect(inOrder(list, 'own').map((one) => one.id)).toEqual(['own', 'here', 'newer', 'old']);
  });

  it('have tokens without their bearers', () => {
    const [one] = readDevices({ paired: [row('a', { tokens: [{ role: 'operator', scopes: [], createdAtMs: 1, revokedAtMs: 5, token: 'secret' }] })] });
    expect(one?.tokens).toEqual([{ role: 'operator', scopes: [], madeAt: 1, renewedAt: undefined, usedAt: undefined, revoked: true }]);
  });

  it('rights are said in words, and everything says all', () => {
    expect(scopeTexts(['operator.read', 'operator.new'])).toEqual(['read chats and settings', 'operator.new']);
    expect(scopeTexts(['operator.read', 'operator.admin'])).toEqual(['do everything, as you can']);
  });
});

it('an administrator lacks nothing', () => {
  expect(missing(['operator.pairing', 'operator.write'], ['operator.pairing'])).toEqual(['operator.write']);
  expect(missing(['operator.write'], ['operator.admin'])).toEqual([]);
});

it('names are neither empty nor endless', () => {
  expect([nameProblem(' '), nameProblem('x'.repeat(65)), nameProblem('🦞'.repeat(64))]).toEqual([words.renameEmpty, words.renameLong, undefined]);
});
