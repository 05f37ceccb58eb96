// Texts of others that try to become a part of the page, and enormous ones that try to break its frame.
import assert from 'node:assert/strict';
import { DESKTOP, PHONE } from './world.mjs';

export const HOSTILE = '<img src=x onerror="document.title=\'owned\'">';

/** Nothing a name or a text says became a part of the page. */
export async function harmless(world) {
  assert.equal(await world.page.locator('img[src="x"]').count(), 0);
  assert.notEqual(await world.page.title(), 'owned');
}

export async function noSideways(world, what) {
  for (const viewport of [PHONE, { width: 2560, height: 1300 }, DESKTOP]) {
    await world.page.setViewportSize(viewport);
    assert.ok(await world.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${what} at ${viewport.width}`);
  }
}
