// @vitest-environment jsdom
// The token's way from the link into storage, and that gateways do not share it.
import { beforeEach, describe, expect, it } from 'vitest';
import { Credentials, setupLink, takeSetupFromFragment, takeTokenFromFragment } from './credentials';

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  history.replaceState(null, '', '/');
});

describe('the fragment', () => {
  it.each([
    ['/#token=abc', 'abc', '/'],
    ['/chat?session=x#token=a%20b', 'a b', '/chat?session=x'],
    ['/#token=abc&tab=2', 'abc', '/#tab=2'],
    ['/#token=', undefined, '/'],
    ['/#other=1', undefined, '/#other=1'],
    ['/', undefined, '/'],
  ])('%s gives %s and leaves %s', (address, token, left) => {
    history.replaceState(null, '', address);
    expect(takeTokenFromFragment(location, history)).toBe(token);
    expect(location.pathname + location.search + location.hash).toBe(left);
  });
});

it('a token belongs to one gateway and can be forgotten', () => {
  const here = new Credentials('ws://here/');
  here.saveToken('t');
  expect(new Credentials('ws://here/').token()).toBe('t');
  expect(new Credentials('ws://there/').token()).toBeUndefined();
  here.forgetToken();
  expect(new Credentials('ws://here/').token()).toBeUndefined();
});

it('a device token belongs to a gateway, a device and a role', () => {
  const here = new Credentials('ws://here/');
  here.saveDeviceToken('d', 'operator', 'x');
  expect(here.deviceToken('d', 'operator')).toBe('x');
  expect(here.deviceToken('d', 'node')).toBeUndefined();
  expect(here.deviceToken('e', 'operator')).toBeUndefined();
});

describe('a link from a QR code', () => {
  const encoded = btoa(JSON.stringify({ url: 'ws://10.0.0.2:1', bootstrapToken: 'b~?>', expiresAtMs: 1 }))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '');

  it('carries the code beside the page, and is taken out of the address', () => {
    const link = new URL(setupLink('ws://10.0.0.2:18789', encoded, 'limited', '/'));
    expect([link.origin, link.pathname]).toEqual(['http://10.0.0.2:18789', '/']);
    history.replaceState(null, '', link.pathname + link.hash);
    expect(takeSetupFromFragment(location, history)).toEqual({ bootstrapToken: 'b~?>', full: false });
    expect(location.hash).toBe('');
    expect(new URL(setupLink('wss://home.test/', encoded, 'full', '/chat/')).href).toMatch(/^https:\/\/home\.test\/chat\/#setup=.*access=full$/);
  });

  it.each(['/#setup=', '/#setup=nonsense', '/#setup=e30', '/#token=x'])('%s lets nobody in', (address) => {
    history.replaceState(null, '', address);
    expect(takeSetupFromFragment(location, history)).toBeUndefined();
  });
});
