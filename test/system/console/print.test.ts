/** The overview on paper: it says which days it is about, and has nothing to press. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { allowAll, check, made, makePolicy } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

test('a printed overview names its days and has no buttons', async () => {
  const { id: policyId } = await makePolicy(postern, [allowAll]);
  for (const mode of ['observe', 'enforce']) {
    const host = `${mode}.example`;
    await made(postern, '/v1/collections', { name: mode, hosts: [host], policyId, mode });
    await check(postern, { url: `https://${host}/a` });
  }
  await using signed = await signedIn(browser, postern.url, postern.key);
  const { page } = signed;
  await page.goto('/console');
  await page.getByRole('button', { name: 'Show these requests instead' }).waitFor();
  const span = page.getByText(/^\d+ \w+ \d{4}(, 00:00)? – \d+ \w+ \d{4}/).and(page.locator('p'));
  assert.equal(await span.isVisible(), false);
  await page.emulateMedia({ media: 'print' });
  assert.equal(await span.isVisible(), true);
  assert.deepEqual(await page.locator('.main').getByRole('button').allInnerTexts(), []);
  assert.deepEqual(signed.faults, []);
});
