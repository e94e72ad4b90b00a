/** A license manager answers what partners ask for: by a license, or by a note. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { made } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

const { id: collectionId } = await made(postern, '/v1/collections', { name: 'News', hosts: ['news.example'] });
await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme AI' });
const { token } = await made(postern, '/v1/requesters/acme/tokens', { name: 'ours' });
const ask = async (body: object): Promise<string> =>
  (await postern.call('POST', '/v1/me/requests', { key: token, body })).body.id;
const answered = async (id: string) => (await postern.call('GET', `/v1/license-requests/${id}`)).body;

test('granting opens the form of a license with the kind that was asked for; the note reaches the partner', async () => {
  const id = await ask({ licenseType: 'training', collectionId, note: 'All articles since 2020.' });
  await using signed = await signedIn(browser, postern.url, postern.key, { viewport: { width: 1366, height: 900 } });
  const { page } = signed;
  await page.goto('/console/requests');
  const row = page.getByRole('row', { name: /Acme AI/ });
  await row.getByText('All articles since 2020.').waitFor();
  await row.getByRole('link', { name: 'News' }).waitFor();
  await row.getByRole('button', { name: 'Grant…' }).click();
  const dialog = page.getByRole('dialog');
  assert.equal(await dialog.getByRole('combobox', { name: 'Kind of license' }).inputValue(), 'training');
  await dialog.getByLabel('Note to the partner').fill('Welcome.');
  await dialog.getByRole('button', { name: 'Grant license' }).click();
  await page.getByRole('heading', { name: 'No open requests' }).waitFor();
  const { status, answer, licenseId } = await answered(id);
  assert.deepEqual([status, answer], ['granted', 'Welcome.']);
  const license = (await postern.call('GET', `/v1/licenses/${licenseId}`)).body;
  assert.deepEqual([license.requesterId, license.type, license.valid], ['acme', 'training', true]);
  await page.getByText('Granted', { exact: true }).click();
  await page
    .getByRole('row', { name: /Welcome\./ })
    .getByRole('link', { name: 'The license' })
    .click();
  await page.waitForURL(`**/console/licenses/${licenseId}`);
  assert.deepEqual(signed.faults, []);
});

test('declining takes a note, and creates no license', async () => {
  const id = await ask({ licenseType: 'resale' });
  await using signed = await signedIn(browser, postern.url, postern.key);
  const { page } = signed;
  await page.goto('/console/requests');
  await page
    .getByRole('row', { name: /resale/ })
    .getByRole('button', { name: 'Decline…' })
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Note to the partner').and(page.locator(':focus')).waitFor({ timeout: 5_000 });
  await page.keyboard.type('Not for resale.');
  await dialog.getByRole('button', { name: 'Decline', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  const { status, answer, licenseId } = await answered(id);
  assert.deepEqual([status, answer, licenseId], ['declined', 'Not for resale.', null]);
  assert.deepEqual(signed.faults, []);
});

test('who may only read sees the requests, and cannot answer them', async () => {
  await ask({ licenseType: 'research' });
  const body = { name: 'reads', type: 'secret', permissions: ['requesters:read'] };
  const { key } = await made(postern, '/v1/api-keys', body);
  await using signed = await signedIn(browser, postern.url, key);
  await signed.page.goto('/console/requests');
  const grant = signed.page.getByRole('row', { name: /research/ }).getByRole('button', { name: 'Grant…' });
  assert.equal(await grant.getAttribute('title'), 'You do not hold the permission requesters:write.');
});
