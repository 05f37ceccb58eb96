// Draws the PNG icons of the installable page from public/favicon.svg, in a browser:
//   node scripts/icons.mjs
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const PUBLIC = fileURLToPath(new URL('../public/', import.meta.url));
const svg = readFileSync(`${PUBLIC}favicon.svg`, 'utf8');
const ground = /<rect[^>]*fill="(#[0-9a-f]+)"/.exec(svg)?.[1] ?? '#c8442f';
/** Name, size, and how much of the square the mark may fill: what is cut to a shape needs room around it. */
const ICONS = [
  ['icon-192', 192, 1],
  ['icon-512', 512, 1],
  ['maskable-512', 512, 0.8],
  ['apple-touch-180', 180, 0.9],
];

mkdirSync(`${PUBLIC}icons`, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
const page = await browser.newPage();
for (const [name, size, share] of ICONS) {
  await page.setViewportSize({ width: size, height: size });
  const inner = Math.round(size * share);
  const background = share < 1 ? ground : 'transparent';
  await page.setContent(
    `<style>body{margin:0;display:grid;place-items:center;width:${size}px;height:${size}px;background:${background}}svg{width:${inner}px;height:${inner}px;display:block}</style>${svg}`,
  );
  writeFileSync(`${PUBLIC}icons/${name}.png`, await page.screenshot({ omitBackground: true }));
}
await browser.close();
