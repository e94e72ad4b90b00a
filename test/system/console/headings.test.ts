/** Headings have no gaps between their levels, also where nothing is to be shown yet. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

const LEVELS = `[...document.querySelectorAll('h1, h2, h3, h4')].map(({ localName }) => Number(localName.slice(1)))`;

test('an empty list is a part of its page, and one in a panel a part of the panel', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key);
  const { page } = signed;
  for (const path of [
    '/decisions',
    '/demand',
    '/content',
    '/requesters',
    '/offers',
    '/sites',
    '/webhooks',
    '/requesters/a',
  ]) {
    await page.goto(`/console${path}`);
    await page.locator('.empty').first().waitFor();
    const levels = await page.evaluate<number[]>(LEVELS);
    assert.equal(levels[0], 1, path);
    for (const [i, level] of levels.entries()) assert.ok(level <= (levels[i - 1] ?? 0) + 1, `${path}: ${levels}`);
  }
  assert.deepEqual(signed.faults, []);
});
