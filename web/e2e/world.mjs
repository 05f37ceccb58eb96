// A real gateway with a home of its own, a fake model beside it, and a browser that looks at it.
// Environment:
//   HOMARD_BIN     the program (default: target/debug/homard of this workspace)
//   FAKE_LLM_BIN   the fake model server (default: target/debug/fake_llm)
//   HOMARD_E2E_ROOT  a folder with a built page to serve instead of the one in the program
//   CHROMIUM       the browser (default /usr/bin/chromium)
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import { chromium } from 'playwright-core';

const TARGET = fileURLToPath(new URL('../../target/debug/', import.meta.url));
const HOMARD = process.env.HOMARD_BIN ?? join(TARGET, 'homard');
const FAKE_LLM = process.env.FAKE_LLM_BIN ?? join(TARGET, 'fake_llm');
export const TOKEN = 'token-of-the-browser-test';
export const RESULTS = fileURLToPath(new URL('../test-results', import.meta.url));
export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };
const PATIENCE_MS = 30_000;

/** Waits until `look` answers with something; every wait of these tests is on a condition, never on time. */
export async function until(what, look) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`looked ${PATIENCE_MS / 1000} s in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

let clipboardFree = Promise.resolve();

/** Copies and reads what was copied while no other flow does: the tabs of one browser share a clipboard. */
export function withClipboard(run) {
  const done = clipboardFree.then(run);
  clipboardFree = done.catch(() => undefined);
  return done;
}

/** What was started and must not outlive this process, however it ends. */
const children = new Set();
process.on('exit', () => children.forEach((child) => child.kill('SIGKILL')));

function begin(program, args, options) {
  const child = spawn(program, args, options);
  children.add(child.once('exit', () => children.delete(child)));
  return child;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/** The model: turns are scripted ahead, one per request; unscripted ones are numbered words. */
class FakeModel {
  async start() {
    this.port = await freePort();
    this.child = begin(FAKE_LLM, ['--port', String(this.port)], { stdio: 'ignore' });
    await until('the fake model', () =>
      fetch(`${this.url}/_ctl`).then(
        (answer) => answer.ok,
        () => false,
      ),
    );
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Adds turns: `{says, thinks?, calls?: [{name, arguments}]}`, `{fails: 500, body?}`, `{cutsAfter: n}`, `{stallsAfter: n}`. */
  async script(...turns) {
    const answer = await fetch(`${this.url}/_script`, { method: 'POST', body: JSON.stringify(turns) });
    if (!answer.ok) throw new Error(await answer.text());
  }

  /** Adds an answer of text. */
  says(text) {
    return this.script({ says: text });
  }

  /** For example `{chunks: 400, delayMs: 5}` for turns nobody scripted. */
  async settings(patch) {
    await fetch(`${this.url}/_ctl`, { method: 'POST', body: JSON.stringify(patch) });
  }

  stop() {
    this.child?.kill('SIGKILL');
  }
}

export class World {
  constructor(browser, { config = {}, bare = false } = {}) {
    this.browser = browser;
    this.extra = config;
    this.bare = bare;
    this.model = new FakeModel();
    this.complaints = [];
    /** What a step measured; told after its sentence. */
    this.notes = [];
  }

  async start() {
    this.home = mkdtempSync(join(tmpdir(), 'homard-e2e-'));
    this.state = join(this.home, 'state');
    mkdirSync(this.state, { recursive: true });
    await this.model.start();
    this.port = await freePort();
    this.writeConfig();
    await this.startGateway();
    this.context = await this.browser.newContext({ viewport: DESKTOP });
    this.page = await this.open(this.link());
    return this;
  }

  /** Without a model when the world is bare: then set-up is what the person meets. */
  writeConfig() {
    const provider = {
      baseUrl: `${this.model.url}/v1`,
      apiKey: 'test-key',
      api: 'openai-completions',
      models: [{ id: 'fake-1', name: 'Fake One', contextWindow: 128_000, maxTokens: 8_000, reasoning: true, input: ['text', 'image'], cost: { input: 3, output: 15, cacheRead: 0, cacheWrite: 0 } }],
    };
    const config = this.bare ? {} : { models: { providers: { fake: provider } }, agents: { defaults: { model: { primary: 'fake/fake-1' }, skipBootstrap: true } } };
    const gateway = { auth: { mode: 'token', token: TOKEN }, ...(process.env.HOMARD_E2E_ROOT ? { controlUi: { root: process.env.HOMARD_E2E_ROOT } } : {}) };
    writeFileSync(join(this.state, 'homard.json'), JSON.stringify(merge({ gateway, ...config }, this.extra), null, 2));
  }

  async startGateway() {
    const log = openSync(join(this.home, 'gateway.log'), 'a');
    this.child = begin(HOMARD, ['gateway'], {
      cwd: this.home,
      env: { PATH: process.env.PATH, HOME: this.home, HOMARD_STATE_DIR: this.state, HOMARD_GATEWAY_PORT: String(this.port), RUST_BACKTRACE: '1' },
      stdio: ['ignore', log, log],
    });
    await until('the gateway', () => {
      if (this.child.exitCode !== null) throw new Error(`the gateway ended:\n${this.log()}`);
      return fetch(`${this.base}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      );
    });
  }

  /** As a power cut would. */
  async kill() {
    const gone = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await gone;
  }

  get base() {
    return `http://127.0.0.1:${this.port}`;
  }

  link(query = '') {
    return `${this.base}/${query}#token=${TOKEN}`;
  }

  log() {
    return readFileSync(join(this.home, 'gateway.log'), 'utf8');
  }

  /** Another tab; whatever it complains about fails the flow. */
  async open(address, context = this.context) {
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('pageerror', (error) => this.complaints.push(`page error: ${error.stack ?? error.message}`));
    page.on('console', (message) => {
      // A killed gateway makes the browser itself complain; that is the test's doing.
      if (message.type() === 'error' && !/WebSocket connection|ERR_CONNECTION|ERR_FAILED/.test(message.text())) this.complaints.push(`console: ${message.text()}`);
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(this.base) && !/^(data|blob):/.test(request.url())) this.complaints.push(`foreign request: ${request.url()}`);
    });
    await page.goto(address);
    return page;
  }

  /** Goes to a page of the menu by its name. */
  async go(name) {
    await this.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();
    await this.page.getByTestId('page').waitFor();
  }

  /** Says something in the chat and waits for the answer to end. */
  async say(text) {
    const before = await this.page.getByTestId('user-message').count();
    await this.page.getByRole('textbox', { name: 'Message', exact: true }).fill(text);
    await this.page.keyboard.press('Enter');
    await this.page.getByTestId('user-message').nth(before).waitFor();
    await this.page.getByTestId('stop').waitFor({ state: 'detached' });
  }

  /** Asks the gateway directly, as another operator would. */
  async call(method, params = {}) {
    const child = spawn(HOMARD, ['gateway', 'call', method, '--params', JSON.stringify(params), '--url', `ws://127.0.0.1:${this.port}`, '--token', TOKEN, '--json'], {
      env: { PATH: process.env.PATH, HOME: this.home, HOMARD_STATE_DIR: this.state },
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (data) => (out += data));
    child.stderr.on('data', (data) => (err += data));
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`${method}: ${err || out}`);
    return JSON.parse(out);
  }

  /** Looks at the page in light and dark, on a desk and in a hand; `scripts/shots.mjs` makes the manual's pictures of it. */
  async shots(name) {
    mkdirSync(RESULTS, { recursive: true });
    for (const scheme of ['light', 'dark']) {
      await this.page.emulateMedia({ colorScheme: scheme });
      for (const [size, viewport] of [
        ['desktop', DESKTOP],
        ['phone', PHONE],
      ]) {
        await this.page.setViewportSize(viewport);
        const sideways = await this.page.evaluate(drawnTooWide);
        assert.ok(!sideways, `${name} scrolls sideways on the ${size}`);
        await this.page.screenshot({ path: join(RESULTS, `${name}-${size}-${scheme}.png`), animations: 'disabled' });
        await this.axe(`${name}, ${size}, ${scheme}`);
      }
    }
    await this.page.setViewportSize(DESKTOP);
    await this.page.emulateMedia({ colorScheme: 'light' });
  }

  /** Nothing an accessibility checker complains about. */
  async axe(what) {
    assert.deepEqual(await violations(this.page), [], what);
  }

  async stop() {
    await this.context?.close();
    this.child?.kill('SIGKILL');
    this.model.stop();
    rmSync(this.home, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Waits until what was asked of the page is drawn, without watching it glide there. */
export function drawn(page) {
  return page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    for (const animation of document.getAnimations()) if (Number.isFinite(animation.effect?.getComputedTiming().endTime)) animation.finish();
  });
}

/** In the browser: whether the page, once drawn at its size, is wider than the window. */
async function drawnTooWide() {
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return document.documentElement.scrollWidth > innerWidth;
}

/** What axe complains about, in words. Its answer about all that is right is long, so it is neither made nor fetched. */
export async function violations(page) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const found = await window.axe.run({ resultTypes: ['violations'] });
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`);
  });
}

function merge(one, other) {
  const all = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const both = value && all[key] && typeof value === 'object' && typeof all[key] === 'object' && !Array.isArray(value);
    all[key] = both ? merge(all[key], value) : value;
  }
  return all;
}

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
    ],
  });
}
