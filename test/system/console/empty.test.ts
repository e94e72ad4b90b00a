/** Each page without records names the next step, and the step is one press away. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { made } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

test('an empty page leads on', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key, { viewport: { width: 1366, height: 900 } });
  const { page } = signed;
  const press = async (path: string, heading: string | RegExp, step: string, leads: string): Promise<void> => {
    await page.goto(`/console${path}`);
    const empty = page.locator('.empty').filter({ has: page.getByRole('heading', { name: heading }) });
    const button = empty.getByRole('button', { name: step }).or(empty.getByRole('link', { name: step }));
    await button.click();
    await page.waitForURL(`**/console${leads}`);
  };
  await press('/offers', 'Nothing is offered yet', 'Offer a license', '/offers?new=1');
  await press('/sites', 'No site is published', 'Publish a site', '/sites?new=1');
  await press('/collections', 'No collections yet', 'Create one for the whole site', '/collections/new?path=/');
  await press('/requests', 'No open requests', 'Choose a partner', '/requesters');
  await press('/licenses', 'No licenses yet', 'New license', '/licenses?new=1');
  await press('/statements', /^No statements in/, 'Create a license with terms', '/licenses?new=1');
  const { id: requesterId } = await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme AI' });
  const license = await made(postern, '/v1/licenses', { requesterId, type: 'training' });
  await press('/statements', /^No statements in/, 'Add terms to a license', `/licenses/${license.id}`);
  await page.getByRole('button', { name: 'Add terms' }).click();
  await page.getByRole('dialog', { name: 'Terms of the license' }).waitFor();
  assert.deepEqual(signed.faults, []);
});

test('a new partner and a new site have their first steps in the panels that are empty', async () => {
  await made(postern, '/v1/requesters', { id: 'globex', name: 'Globex' });
  await postern.call('PUT', '/v1/sites/empty.example', { body: { signals: { robots: 'replace' } } });
  await using signed = await signedIn(browser, postern.url, postern.key, { viewport: { width: 1366, height: 900 } });
  const { page } = signed;
  await page.goto('/console/requesters/globex');
  await page.getByText('"requesterId": "globex"').waitFor();
  await page.locator('.empty').getByRole('button', { name: 'Create a license' }).click();
  await page.getByRole('dialog', { name: 'New license for Globex' }).getByRole('button', { name: 'Cancel' }).click();
  await page.locator('.empty').getByRole('button', { name: 'Create a token' }).click();
  await page.getByRole('dialog', { name: 'Create a token for Globex' }).waitFor();
  await page.goto('/console/sites/empty.example');
  await page.locator('.empty').getByRole('button', { name: 'Check now' }).waitFor();
  assert.deepEqual(signed.faults, []);
});
