// A device that speaks raw frames: an operator or a node of the test's own.
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { WebSocket } from 'ws';

const RAW_KEY_BYTES = 32;

export class Device {
  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    this.key = privateKey;
    this.raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-RAW_KEY_BYTES);
    this.id = createHash('sha256').update(this.raw).digest('hex');
    this.waiting = new Map();
    this.next = 0;
  }

  /** Connects; answers with the hello or throws the refusal. `changes` replaces fields of the usual connect. */
  async connect(port, auth, changes = {}) {
    this.socket = new WebSocket(`ws://127.0.0.1:${port}/`);
    this.closed = new Promise((resolve) => this.socket.on('close', (code) => resolve(code)));
    const challenge = new Promise((resolve, reject) => {
      this.socket.on('error', reject);
      this.socket.on('message', (data) => {
        const frame = JSON.parse(data);
        if (frame.event === 'connect.challenge') resolve(frame.payload);
        if (frame.type !== 'res') return;
        const { yes, no } = this.waiting.get(frame.id) ?? {};
        if (frame.ok) yes?.(frame.payload);
        else no?.(Object.assign(new Error(frame.error?.message), frame.error));
      });
    });
    const { nonce, ts } = await challenge;
    const params = {
      minProtocol: 3,
      maxProtocol: 4,
      client: { id: 'cli', mode: 'cli', version: '1', platform: 'linux', displayName: 'test' },
      role: 'operator',
      scopes: [],
      caps: [],
      auth,
      ...changes,
    };
    const { client, role, scopes } = params;
    const secret = auth.token ?? auth.deviceToken ?? auth.bootstrapToken ?? '';
    const low = (text = '') => text.trim().toLowerCase();
    const payload = ['v3', this.id, client.id, client.mode, role, scopes.join(','), ts, secret, nonce, low(client.platform), low(client.deviceFamily)].join('|');
    const signature = sign(null, Buffer.from(payload), this.key).toString('base64url');
    this.hello = await this.ask('connect', { ...params, device: { id: this.id, publicKey: this.raw.toString('base64url'), signature, signedAt: ts, nonce } });
    return this.hello;
  }

  /** As a machine that offers commands. */
  node(port, token, { name = 'shed', platform = 'linux', commands = ['system.notify'], family } = {}) {
    const client = { id: 'node-host', mode: 'node', version: '1.4.0', platform, displayName: name, ...(family ? { deviceFamily: family } : {}) };
    return this.connect(port, { token }, { client, role: 'node', caps: ['system'], commands, permissions: { camera: true, location: false } });
  }

  ask(method, params) {
    const id = String((this.next += 1));
    const answer = new Promise((yes, no) => this.waiting.set(id, { yes, no }));
    this.socket.send(JSON.stringify({ type: 'req', id, method, params }));
    return answer;
  }

  stop() {
    this.socket?.close();
  }
}
