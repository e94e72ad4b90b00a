/** The candidate of a policy in the console: tried from the editor, seen with its counts, published or discarded. */
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import type { Page } from 'playwright-core';
import { launchBrowser, type Signed, signedIn, signingIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { allowAll, check, item, made, makeKey } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

let signed: Signed;
let page: Page;
beforeEach(signingIn(browser, postern, { width: 1366, height: 900 }, (now) => ({ page } = signed = now)));

const figure = (name: string) => page.locator(`[data-candidate] [data-figure="${name}"]`);
const stored = async (id: string) => (await postern.call('GET', `/v1/policies/${id}`)).body;

test('a draft is tried beside the policy, its counts are shown, and it is published', async () => {
  const { id } = await made(postern, '/v1/policies', { name: 'Tried', rules: [allowAll] });
  const { id: contentId } = await made(postern, '/v1/content', item({ policyId: id, title: 'The item' }));
  await page.goto(`/console/policies/${id}?tab=candidate`);
  await page.getByRole('heading', { name: 'No candidate' }).waitFor();
  await page.getByRole('tab', { name: 'Rules' }).click();
  await page.getByRole('button', { name: 'Remove rule 1' }).click();
  await page.getByRole('button', { name: 'Try beside the policy' }).click();
  await page.getByText('No decisions yet').waitFor();
  await check(postern, { contentId, requesterId: 'acme' });
  await page.reload();
  await figure('newlyDenied').waitFor();
  assert.deepEqual([await figure('newlyDenied').textContent(), await figure('agreements').textContent()], ['1', '0']);
  await page.getByRole('table', { name: 'Items and URLs affected' }).getByRole('link', { name: 'The item' }).waitFor();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('heading', { name: 'No candidate' }).waitFor();
  const { version, rules } = await stored(id);
  assert.deepEqual([version, rules], [2, []]);
  assert.deepEqual(signed.faults, []);
});

test('a candidate that was replaced meanwhile is not published', async () => {
  const { id } = await made(postern, '/v1/policies', { name: 'Raced', rules: [allowAll] });
  await postern.call('PUT', `/v1/policies/${id}/candidate`, { body: { rules: [] } });
  await page.goto(`/console/policies/${id}?tab=candidate`);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await postern.call('PUT', `/v1/policies/${id}/candidate`, { body: { rules: [], defaultAction: 'allow' } });
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  assert.equal((await stored(id)).version, 1);
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Discard', exact: true }).click();
});

test('a key that may not analyze sees why there is nothing', async () => {
  const { id } = await made(postern, '/v1/policies', { name: 'Hidden', rules: [] });
  const key = await makeKey(postern, { permissions: ['policies:read', 'policies:write', 'content:read'] });
  await using other = await signedIn(browser, postern.url, key);
  await other.page.goto(`/console/policies/${id}?tab=candidate`);
  await other.page.getByText('No candidate is shown').waitFor();
});
