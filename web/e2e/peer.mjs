// Another client of the gateway, as a phone or a node is one: its own key, its own socket.
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import WebSocket from 'ws';
import { TOKEN } from './world.mjs';

export const OPERATOR_SCOPES = ['operator.admin', 'operator.read', 'operator.write', 'operator.approvals', 'operator.pairing'];

export class Peer {
  #waiting = new Map();
  #next = 1;

  constructor({ client = {}, role = 'operator', scopes = OPERATOR_SCOPES, headers = {}, more = {} } = {}) {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
    this.key = privateKey;
    this.raw = raw;
    this.id = createHash('sha256').update(raw).digest('hex');
    this.client = { id: 'cli', mode: 'cli', version: '0.0.0-e2e', platform: 'linux', ...client };
    Object.assign(this, { role, scopes, headers, more });
  }

  /** Connects; answers with the hello, or with the error it was refused with. */
  async connect(world) {
    this.socket = new WebSocket(`ws://127.0.0.1:${world.port}/`, { headers: this.headers });
    this.socket.on('message', (data) => this.#hear(JSON.parse(String(data))));
    this.socket.on('error', () => undefined);
    const challenge = await new Promise((resolve) => (this.challenged = resolve));
    const { nonce, ts: signedAt } = challenge;
    const words = ['v3', this.id, this.client.id, this.client.mode, this.role, this.scopes.join(','), signedAt, TOKEN, nonce, this.client.platform, this.client.deviceFamily ?? ''];
    const signature = sign(null, Buffer.from(words.join('|')), this.key).toString('base64url');
    const device = { id: this.id, publicKey: this.raw.toString('base64url'), signature, signedAt, nonce };
    const params = { minProtocol: 3, maxProtocol: 4, client: this.client, role: this.role, scopes: this.scopes, caps: [], auth: { token: TOKEN }, device, ...this.more };
    return this.#send('connect', params);
  }

  async call(method, params = {}) {
    const answer = await this.#send(method, params);
    if (!answer.ok) throw new Error(`${method}: ${answer.error?.message}`);
    return answer.payload;
  }

  async close() {
    const gone = once(this.socket, 'close');
    this.socket.close();
    await gone;
  }

  #send(method, params) {
    const id = `p${this.#next++}`;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.socket.send(JSON.stringify({ type: 'req', id, method, params }));
    });
  }

  #hear(frame) {
    if (frame.event === 'connect.challenge') this.challenged(frame.payload);
    if (frame.type !== 'res') return;
    this.#waiting.get(frame.id)?.(frame);
    this.#waiting.delete(frame.id);
  }
}

/** A second operator. */
export async function operator(world) {
  const peer = new Peer();
  const hello = await peer.connect(world);
  if (!hello.ok) throw new Error(hello.error?.message);
  return peer;
}
