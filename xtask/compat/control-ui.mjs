// Drives the published page of OpenClaw in headless Chromium against a Homard gateway. `cargo xtask compat`
// runs it and hands everything over in the environment. It serves the page's files and passes everything else
// on, WebSocket included, so that the page sees one origin.

import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const { CHROMIUM, PLAYWRIGHT, CONTROL_UI, GATEWAY, GATEWAY_TOKEN, LAST_WORD } = process.env;
const [gatewayHost, gatewayPort] = GATEWAY.split(':');
const KINDS = {
  '.css': 'text/css', '.html': 'text/html', '.js': 'text/javascript', '.json': 'application/json',
  '.svg': 'image/svg+xml', '.png': 'image/png', '.woff2': 'font/woff2', '.webmanifest': 'application/manifest+json',
};

function pageFile(url) {
  const wanted = path.join(CONTROL_UI, path.normalize(decodeURIComponent(new URL(url, 'http://x').pathname)));
  if (!wanted.startsWith(CONTROL_UI)) return null;
  if (fs.existsSync(wanted) && fs.statSync(wanted).isFile()) return wanted;
  return null;
}

function sendFile(file, res) {
  res.writeHead(200, { 'content-type': KINDS[path.extname(file)] ?? 'application/octet-stream' });
  fs.createReadStream(file).pipe(res);
}

const server = http.createServer((req, res) => {
  const file = pageFile(req.url);
  if (file) return sendFile(file, res);
  if ((req.headers.accept ?? '').includes('text/html')) return sendFile(path.join(CONTROL_UI, 'index.html'), res);
  const onward = http.request(
    { host: gatewayHost, port: gatewayPort, path: req.url, method: req.method, headers: req.headers },
    (answer) => { res.writeHead(answer.statusCode, answer.headers); answer.pipe(res); },
  );
  onward.on('error', () => { res.writeHead(502); res.end(); });
  req.pipe(onward);
});
server.on('upgrade', (req, socket, head) => {
  const onward = net.connect(Number(gatewayPort), gatewayHost, () => {
    const lines = [`GET ${req.url} HTTP/1.1`];
    for (let i = 0; i < req.rawHeaders.length; i += 2) lines.push(`${req.rawHeaders[i]}: ${req.rawHeaders[i + 1]}`);
    onward.write(`${lines.join('\r\n')}\r\n\r\n`);
    onward.write(head);
    onward.pipe(socket);
    socket.pipe(onward);
  });
  onward.on('error', () => socket.destroy());
  socket.on('error', () => onward.destroy());
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));

const { chromium } = await import(pathToFileURL(PLAYWRIGHT).href);
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
const problems = [];
let failure = null;
let page;
try {
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.on('pageerror', (error) => problems.push(`page error: ${error.message}`));
  page.on('websocket', (socket) => {
    const asked = new Map();
    socket.on('framesent', ({ payload }) => {
      try { const frame = JSON.parse(payload); if (frame.type === 'req') asked.set(frame.id, frame.method); } catch {}
    });
    socket.on('framereceived', ({ payload }) => {
      try {
        const frame = JSON.parse(payload);
        if (frame.type === 'res' && frame.ok === false) {
          problems.push(`${asked.get(frame.id)} was refused: ${frame.error?.message}`);
        }
      } catch {}
    });
  });
  const { port } = server.address();
  await page.goto(`http://127.0.0.1:${port}/chat?session=main#token=${GATEWAY_TOKEN}`);
  const box = page.locator('textarea, [contenteditable="true"]').first();
  await box.waitFor({ timeout: 45_000 });
  await page.waitForFunction(
    () => { const box = document.querySelector('textarea'); return !box || !box.disabled; }, null, { timeout: 30_000 },
  );
  await box.fill('hello from the page');
  await box.press('Enter');
  await page.getByText(LAST_WORD).first().waitFor({ timeout: 45_000 });
} catch (error) {
  failure = error.message.split('\n')[0];
  if (process.env.SCREENSHOT) await page?.screenshot({ path: process.env.SCREENSHOT }).catch(() => {});
}
await browser.close();
server.closeAllConnections();
server.close();
if (failure) {
  console.log(`the page did not chat: ${failure}`);
  for (const problem of new Set(problems)) console.log(problem);
  process.exit(1);
}
for (const problem of new Set(problems)) console.log(problem);
process.exit(0);
