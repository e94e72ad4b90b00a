/** A list of addresses that shrank is accepted where it is shown: on the status page and beside the proofs. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService, testClock } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { made, makeKey } from '../../http/given.ts';
import { serveList } from '../../identities/opened.ts';

const DAY_MS = 86_400_000;
const clock = testClock();
const list = await serveList('203.0.113.0/24\n198.51.100.0/24\n192.0.2.0/24');
after(() => list[Symbol.asyncDispose]());
const env = { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true', POSTERN_CRAWLER_LISTS: 'false' };
const postern = await startTestService({ clock, env });
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());
const stored = async () => (await postern.call('GET', '/v1/identity-lists')).body.data[0];

test('it says what changes, and counts once it is accepted', async () => {
  await made(postern, '/v1/requesters', { id: 'bot', name: 'Their bot', identities: [{ kind: 'ip', list: list.url }] });
  await until('fetched', async () => (await stored())?.ranges === 3);
  list.text = '203.0.113.0/24';
  clock.advance(DAY_MS);
  await until('held', async () => (await stored()).held?.ranges === 1);

  const reader = await makeKey(postern, { permissions: ['requesters:read', 'policies:read'] });
  await using reading = await signedIn(browser, postern.url, reader);
  await reading.page.goto('/console/requesters/bot');
  const told = reading.page.getByText('A new list with 1 range is held back');
  await told.waitFor();
  assert.equal(await told.getByRole('button', { name: 'Accept…' }).getAttribute('aria-disabled'), 'true');

  await using signed = await signedIn(browser, postern.url, postern.key);
  const { page } = signed;
  await page.goto('/console/status');
  await page.getByText('A new list with 1 range is held back').waitFor();
  await page.goto('/console/requesters/bot');
  const button = page.getByRole('button', { name: 'Accept…' });
  await button.click();
  const dialog = page.getByRole('dialog', { name: 'Accept the new list?' });
  await dialog.getByText(`${list.url} shrank from 3 ranges to 1 range.`).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal((await stored()).ranges, 3);
  await button.click();
  await dialog.getByRole('button', { name: 'Accept list' }).click();
  await page.getByText('The list counts from now on: 1 range.').waitFor();
  await page.getByText('held back').waitFor({ state: 'detached' });
  const { ranges, held } = await stored();
  assert.deepEqual([ranges, held], [1, null]);
  assert.deepEqual([...signed.faults, ...reading.faults], []);
});
