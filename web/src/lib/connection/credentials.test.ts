// @vitest-environment jsdom
// The token's way from the link into storage, and that gateways do not share it.
import { beforeEach, describe, expect, it } from 'vitest';
import { Credentials, takeTokenFromFragment } from './credentials';

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
