// A gateway small enough to read: it serves dist under the real content security policy,
// checks the device signature, and answers the few methods the page calls with a scripted
// assistant. The browser test runs against it when no real gateway is named.
import { createHash, createPublicKey, randomUUID, verify } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from 'ws';

const DIST = fileURLToPath(new URL('../dist', import.meta.url));
const CSP =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'; object-src 'none'";
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
const MAIN = 'agent:main:main';
const ED25519_SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

const SHOWCASE = `Here is what I know so far.

## A short tour

1. **Bold** and *quiet* words, \`inline code\` and a [link](https://example.com).
2. A list that goes on.

| File | Lines | Changed |
|:-----|------:|:-------:|
| main.rs | 120 | yes |
| lib.rs | 48 | no |

\`\`\`rust
fn main() {
    println!("bonjour");
}
\`\`\`

> Nothing here asks the network for anything.

<img src=x onerror="window.hacked=true"> ![remote](https://example.com/a.png)
`;

export class FakeGateway {
  constructor({ token = 'e2e-token', port = 0, provider = 'demo' } = {}) {
    this.token = token;
    this.port = port;
    this.provider = provider;
    this.sessions = new Map([[MAIN, { messages: [], updatedAt: Date.now() }]]);
    this.sockets = new Set();
    this.runs = new Map();
    this.finished = new Map();
    this.questions = new Map();
    this.devices = new Map();
    this.decided = [];
  }

  get url() {
    return `http://127.0.0.1:${this.port}/#token=${this.token}`;
  }

  async start() {
    this.http = createServer((request, response) => serve(request, response));
    this.wss = new WebSocketServer({ server: this.http });
    this.wss.on('connection', (socket) => this.#accept(socket));
    await new Promise((resolve) => this.http.listen(this.port, '127.0.0.1', resolve));
    this.port = this.http.address().port;
  }

  async stop() {
    for (const run of this.runs.values()) run.aborted = 'killed';
    this.runs.clear();
    for (const { socket } of this.sockets) socket.terminate();
    this.sockets.clear();
    this.wss.close();
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }

  /** Loses one event for everyone, as a slow socket would. */
  skipSequence() {
    for (const client of this.sockets) client.seq += 1;
  }

  #accept(socket) {
    const client = { socket, nonce: randomUUID(), seq: 0, ready: false };
    socket.on('close', () => this.sockets.delete(client));
    socket.on('message', (data) => this.#onFrame(client, JSON.parse(String(data))));
    send(socket, { type: 'event', event: 'connect.challenge', payload: { nonce: client.nonce, ts: Date.now() } });
  }

  #onFrame(client, frame) {
    const answer = (payload) => send(client.socket, { type: 'res', id: frame.id, ok: true, payload });
    const refuse = (code, message, details) => send(client.socket, { type: 'res', id: frame.id, ok: false, error: { code, message, details } });
    if (frame.method === 'connect') return this.#connect(client, frame.params, answer, refuse);
    if (!client.ready) return client.socket.close(1008);
    const method = this[`on_${frame.method.replaceAll('.', '_')}`];
    if (!method) return refuse('INVALID_REQUEST', `unknown method: ${frame.method}`);
    return answer(method.call(this, frame.params));
  }

  #connect(client, params, answer, refuse) {
    const { device, auth } = params;
    const raw = Buffer.from(device.publicKey, 'base64url');
    const key = createPublicKey({ key: Buffer.concat([ED25519_SPKI_PREFIX, raw]), format: 'der', type: 'spki' });
    const signed = [
      'v3',
      device.id,
      params.client.id,
      params.client.mode,
      params.role,
      params.scopes.join(','),
      device.signedAt,
      auth?.token ?? auth?.deviceToken ?? '',
      client.nonce,
      params.client.platform,
      params.client.deviceFamily ?? '',
    ].join('|');
    const genuine = createHash('sha256').update(raw).digest('hex') === device.id && device.nonce === client.nonce && verify(null, Buffer.from(signed), key, Buffer.from(device.signature, 'base64url'));
    if (!genuine) refuse('INVALID_REQUEST', 'device signature invalid', { code: 'DEVICE_AUTH_SIGNATURE_INVALID' });
    else if (!auth) refuse('INVALID_REQUEST', 'token missing', { code: 'AUTH_TOKEN_MISSING' });
    else if (auth.token !== this.token && auth.deviceToken !== `device-${device.id}`) {
      refuse('INVALID_REQUEST', 'token mismatch', { code: 'AUTH_TOKEN_MISMATCH', canRetryWithDeviceToken: false });
    } else {
      client.ready = true;
      this.sockets.add(client);
      answer({
        type: 'hello-ok',
        protocol: 4,
        server: { version: '0.2.0-fake', connId: randomUUID() },
        features: { methods: [], events: [] },
        snapshot: { sessionDefaults: { defaultAgentId: 'main', mainKey: 'main', mainSessionKey: MAIN } },
        auth: { role: 'operator', scopes: params.scopes, method: 'token', deviceToken: `device-${device.id}` },
        policy: { maxPayload: 26214400, maxBufferedBytes: 52428800, tickIntervalMs: 30000 },
      });
      return;
    }
    client.socket.close(1008);
  }

  broadcast(event, payload) {
    for (const client of this.sockets) {
      client.seq += 1;
      send(client.socket, { type: 'event', event, payload, seq: client.seq });
    }
  }

  #row(key) {
    const session = this.sessions.get(key);
    const first = session.messages.find((message) => message.role === 'user');
    const last = session.messages.at(-1);
    return {
      key,
      kind: 'direct',
      isMain: key === MAIN,
      label: session.label ?? null,
      derivedTitle: first ? textOf(first).slice(0, 60) : undefined,
      lastMessagePreview: last ? textOf(last).slice(0, 80) : undefined,
      updatedAt: session.updatedAt,
      hasActiveRun: this.runs.has(key),
      activeRunIds: this.runs.has(key) ? [this.runs.get(key).runId] : [],
      totalTokens: 1834,
      contextTokens: 200000,
      modelProvider: this.provider,
      model: 'demo-1',
    };
  }

  #defaults() {
    return { modelProvider: this.provider, model: 'demo-1', contextTokens: 200000 };
  }

  on_sessions_list() {
    const sessions = [...this.sessions.keys()].map((key) => this.#row(key));
    return { ts: Date.now(), path: 'fake', count: sessions.length, defaults: this.#defaults(), sessions };
  }

  on_sessions_subscribe() {
    return { subscribed: true };
  }

  on_sessions_patch({ key, label }) {
    this.sessions.get(key).label = label;
    this.broadcast('sessions.changed', { sessionKey: key, reason: 'patch', ts: Date.now() });
    return { ok: true, key };
  }

  on_sessions_reset({ key }) {
    this.sessions.set(key, { messages: [], updatedAt: Date.now() });
    return { ok: true, key };
  }

  on_sessions_delete({ key }) {
    this.sessions.delete(key);
    this.broadcast('sessions.changed', { sessionKey: key, reason: 'delete', ts: Date.now() });
    return { ok: true, key, deleted: true };
  }

  on_chat_history({ sessionKey, limit = 200 }) {
    const session = this.sessions.get(sessionKey) ?? { messages: [] };
    const run = this.runs.get(sessionKey);
    return {
      sessionKey,
      messages: session.messages.slice(-limit),
      pendingInputs: { items: [], total: 0 },
      hasMore: session.messages.length > limit,
      defaults: this.#defaults(),
      sessionInfo: this.sessions.has(sessionKey) ? this.#row(sessionKey) : {},
      ...(run ? { inFlightRun: { runId: run.runId, text: run.text } } : {}),
    };
  }

  on_exec_approval_list() {
    return [...this.questions.values()].map(({ asked }) => asked);
  }

  on_device_pair_list() {
    return { pending: [...this.devices.values()], paired: [] };
  }

  on_device_pair_approve({ requestId }) {
    return this.#decideDevice(requestId, 'approved');
  }

  on_device_pair_reject({ requestId }) {
    return this.#decideDevice(requestId, 'rejected');
  }

  #decideDevice(requestId, decision) {
    this.devices.delete(requestId);
    this.decided.push(decision);
    this.broadcast('device.pair.resolved', { requestId, deviceId: 'd', decision, ts: Date.now() });
    return { requestId };
  }

  /** A device on another machine asks to be let in. */
  knock(device) {
    const asked = { requestId: randomUUID(), deviceId: 'ab'.repeat(32), publicKey: 'k', role: 'operator', roles: ['operator'], silent: false, isRepair: false, ts: Date.now(), ...device };
    this.devices.set(asked.requestId, asked);
    this.broadcast('device.pair.requested', asked);
  }

  on_plugin_approval_list() {
    return [];
  }

  on_exec_approval_resolve({ id, decision }) {
    const question = this.questions.get(id);
    this.questions.delete(id);
    this.broadcast('exec.approval.resolved', { id, decision, resolvedBy: 'e2e', ts: Date.now(), terminalReason: 'user' });
    question?.answered(decision);
    return { ok: true };
  }

  /** Asks whoever looks at the page, and waits for the answer. */
  ask(request) {
    const [id, createdAtMs] = [randomUUID(), Date.now()];
    const asked = { approvalKind: 'exec', id, request: { host: 'gateway', ...request }, createdAtMs, expiresAtMs: createdAtMs + 120_000 };
    return new Promise((answered) => {
      this.questions.set(id, { asked, answered });
      this.broadcast('exec.approval.requested', asked);
    });
  }

  on_chat_abort({ sessionKey }) {
    const run = this.runs.get(sessionKey);
    if (run) run.aborted = 'rpc';
    return { ok: true, aborted: Boolean(run), runIds: run ? [run.runId] : [] };
  }

  on_chat_send({ sessionKey, message, idempotencyKey: runId }) {
    if (this.finished.has(runId)) return { runId, status: 'ok' };
    if (this.runs.get(sessionKey)?.runId === runId) return { runId, status: 'in_flight' };
    if (!this.sessions.has(sessionKey)) this.sessions.set(sessionKey, { messages: [], updatedAt: Date.now() });
    void this.#turn(sessionKey, message, runId);
    return { runId, status: 'started' };
  }

  async #turn(sessionKey, message, runId) {
    const run = { runId, sessionKey, text: '', seq: 0, aborted: undefined };
    this.runs.set(sessionKey, run);
    this.finished.set(runId, true);
    await pause(5);
    const user = { role: 'user', content: message, timestamp: Date.now(), idempotencyKey: `${runId}:user` };
    this.#store(run, user);
    this.broadcast('session.message', { sessionKey, message: user, messageId: randomUUID() });
    this.#chat(run, { state: 'status', phase: 'starting_model' });
    this.#agent(run, 'lifecycle', { phase: 'model', provider: this.provider, model: 'demo-1' });
    if (/files/.test(message)) await this.#useTool(run);
    else if (/long/.test(message))
      await this.#say(
        run,
        Array.from({ length: 400 }, (_, index) => `word${index} `),
      );
    else if (/ask first/.test(message)) await this.#askFirst(run);
    else if (/tour/.test(message)) {
      this.#agent(run, 'thinking', { text: 'The person wants the tour.', delta: '' });
      await this.#say(run, SHOWCASE.match(/[\s\S]{1,24}/g));
    } else if (/fail/.test(message)) run.error = 'the model is not available';
    else await this.#say(run, ['Hello! ', 'I am the **demo', '** assistant. ', 'Ask me anything.']);
    this.#end(run);
  }

  async #useTool(run) {
    await this.#say(run, ['Let me ', 'look.']);
    if (run.aborted) return;
    const toolCallId = `call_${randomUUID().slice(0, 8)}`;
    const args = { command: 'ls -la' };
    const output = 'total 8\n-rw-r--r-- 1 homard homard  64 README.md\n-rw-r--r-- 1 homard homard 120 notes.md';
    this.#agent(run, 'tool', { phase: 'start', name: 'exec', toolCallId, args });
    this.#store(run, {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Let me look.' },
        { type: 'toolCall', id: toolCallId, name: 'exec', arguments: args },
      ],
      timestamp: Date.now(),
      stopReason: 'toolUse',
    });
    await pause(60);
    this.#agent(run, 'tool', { phase: 'update', name: 'exec', toolCallId, partialResult: { content: [{ type: 'text', text: 'total 8\n' }] } });
    await pause(60);
    const result = { content: [{ type: 'text', text: output }], details: { exitCode: 0, durationMs: 120 } };
    this.#agent(run, 'tool', { phase: 'result', name: 'exec', toolCallId, isError: false, result });
    this.#store(run, { role: 'toolResult', toolCallId, toolName: 'exec', ...result, isError: false, timestamp: Date.now() });
    run.stored = run.text.length;
    run.text += '\n\n';
    await this.#say(run, ['There are two files: ', '`README.md` and ', '`notes.md`.']);
  }

  async #askFirst(run) {
    const toolCallId = `call_${randomUUID().slice(0, 8)}`;
    const command = 'git push --force origin main';
    this.#agent(run, 'tool', { phase: 'start', name: 'exec', toolCallId, args: { command } });
    this.#agent(run, 'approval', { phase: 'requested', status: 'pending', toolCallId });
    const decision = await this.ask({
      command,
      cwd: '/home/homard/projects/garden',
      resolvedPath: '/usr/bin/git',
      reasons: ['`git push` is not on the allowlist', 'in play: web page https://example.com/how-to-fix-everything'],
      allowedDecisions: ['allow-once', 'allow-always', 'deny'],
      sessionKey: run.sessionKey,
      runId: run.runId,
      toolCallId,
    });
    this.#agent(run, 'approval', { phase: 'resolved', status: decision === 'deny' ? 'denied' : 'approved', toolCallId });
    this.#agent(run, 'tool', { phase: 'result', name: 'exec', toolCallId, isError: decision === 'deny', result: { content: [{ type: 'text', text: decision }] } });
    await this.#say(run, [decision === 'deny' ? 'Then I leave it.' : 'Pushed it.']);
  }

  async #say(run, chunks) {
    for (const chunk of chunks) {
      if (run.aborted) return;
      run.text += chunk;
      this.#chat(run, { state: 'delta', deltaText: chunk, message: assistant(run.text) });
      await pause(25);
    }
  }

  #end(run) {
    if (run.aborted === 'killed') return;
    this.runs.delete(run.sessionKey);
    const rest = run.text.slice(run.stored ?? 0).trim();
    const stopReason = run.error ? 'error' : run.aborted ? 'aborted' : 'stop';
    if (rest || run.error) this.#store(run, { ...assistant(rest), stopReason, ...(run.error ? { errorMessage: run.error } : {}) });
    if (run.error) this.#chat(run, { state: 'error', errorMessage: run.error });
    else this.#chat(run, { state: run.aborted ? 'aborted' : 'final', stopReason: run.aborted ?? 'stop', message: assistant(run.text) });
    this.broadcast('sessions.changed', { sessionKey: run.sessionKey, ts: Date.now() });
  }

  #store(run, message) {
    const session = this.sessions.get(run.sessionKey);
    session.updatedAt = Date.now();
    session.messages.push({ ...message, __openclaw: { id: randomUUID(), runId: message.role === 'user' ? undefined : run.runId } });
  }

  #chat(run, fields) {
    run.seq += 1;
    this.broadcast('chat', { runId: run.runId, sessionKey: run.sessionKey, agentId: 'main', seq: run.seq, ...fields });
  }

  #agent(run, stream, data) {
    run.seq += 1;
    this.broadcast('agent', { runId: run.runId, sessionKey: run.sessionKey, agentId: 'main', seq: run.seq, ts: Date.now(), stream, data });
  }
}

const assistant = (text) => ({ role: 'assistant', content: [{ type: 'text', text }], timestamp: Date.now() });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const send = (socket, frame) => socket.send(JSON.stringify(frame));

function textOf({ content }) {
  return typeof content === 'string'
    ? content
    : content
        .map((block) => block.text ?? '')
        .join(' ')
        .trim();
}

function serve(request, response) {
  const path = normalize(new URL(request.url, 'http://x').pathname);
  const file = join(DIST, path);
  const found = path !== '/' && file.startsWith(DIST) && existsSync(file) ? file : join(DIST, 'index.html');
  response.writeHead(200, { 'content-type': TYPES[extname(found)] ?? 'application/octet-stream', 'content-security-policy': CSP });
  response.end(readFileSync(found));
}

// `node e2e/fake-gateway.mjs [port]` serves it for looking at by hand.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const gateway = new FakeGateway({ port: Number(process.argv[2] ?? 0) });
  await gateway.start();
  console.log(gateway.url);
}
