// @vitest-environment jsdom
// The device proof: the exact text that is signed, and that what is signed verifies.
import { webcrypto } from 'node:crypto';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { base64url, loadIdentity, signaturePayload } from './identity';

const facts = {
  deviceId: 'd1',
  clientId: 'openclaw-control-ui',
  clientMode: 'webchat',
  role: 'operator',
  scopes: ['operator.read', 'operator.write'],
  signedAtMs: 1700000000000,
  token: 'secret',
  nonce: 'n-1',
  platform: ' Web ',
  deviceFamily: '',
};

describe('the signed text', () => {
  it('has its eleven parts in order, platform trimmed and lower-cased', () => {
    expect(signaturePayload(facts)).toBe('v3|d1|openclaw-control-ui|webchat|operator|operator.read,operator.write|1700000000000|secret|n-1|web|');
  });

  it('lower-cases ASCII only', () => {
    expect(signaturePayload({ ...facts, platform: 'ÀB' })).toContain('|Àb|');
  });
});

describe('an identity without WebCrypto', () => {
  beforeEach(() => localStorage.clear());

  it('is kept, and signs what its public key verifies', async () => {
    vi.stubGlobal('crypto', { getRandomValues: webcrypto.getRandomValues.bind(webcrypto) });
    const identity = await loadIdentity();
    const again = await loadIdentity();
    vi.unstubAllGlobals();
    expect(again.id).toBe(identity.id);
    expect(identity.id).toMatch(/^[0-9a-f]{64}$/);

    const raw = Buffer.from(identity.publicKey, 'base64url');
    const signature = Buffer.from(await identity.sign('hello'), 'base64url');
    const key = await webcrypto.subtle.importKey('raw', raw, { name: 'Ed25519' }, true, ['verify']);
    expect(await webcrypto.subtle.verify({ name: 'Ed25519' }, key, signature, Buffer.from('hello'))).toBe(true);
    const digest = await webcrypto.subtle.digest('SHA-256', raw);
    expect(Buffer.from(digest).toString('hex')).toBe(identity.id);
  });
});

it('base64url has no padding and no unsafe letters', () => {
  expect(base64url(new Uint8Array([251, 255, 254, 1]))).toBe('-__-AQ');
});
