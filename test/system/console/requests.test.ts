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
  const asked = dialog.getByRole('region', { name: 'What was asked for' });
  for (const text of ['Acme AI', 'training', 'News', 'All articles since 2020.']) await asked.getByText(text).waitFor();
  await dialog.getByLabel('Note to the partner').fill('Welcome.');
  const submit = dialog.getByRole('button', { name: 'Grant license' });
  assert.equal(await submit.isDisabled(), true, 'nothing is granted without a price');
  await dialog.getByRole('radio', { name: /^Free/ }).check();
  await submit.click();
  await page.getByRole('heading', { name: 'No open requests' }).waitFor();
  const { status, answer, licenseId } = await answered(id);
  assert.deepEqual([status, answer], ['granted', 'Welcome.']);
  const license = (await postern.call('GET', `/v1/licenses/${licenseId}`)).body;
  assert.deepEqual([license.requesterId, license.type, license.valid], ['acme', 'training', true]);
  assert.deepEqual([license.scope, license.terms], [{ collectionIds: [collectionId] }, null]);
  const days = (Date.parse(license.expiresAt) - Date.parse(license.created)) / 86_400_000;
  assert.ok(days > 363 && days <= 366, 'the license ends after a year');
  await page.getByText('Granted', { exact: true }).click();
  await page
    .getByRole('row', { name: /Welcome\./ })
    .getByRole('link', { name: 'The license' })
    .click();
  await page.waitForURL(`**/console/licenses/${licenseId}`);
  assert.deepEqual(signed.faults, []);
});

test('granting for a collection shows it, covers nothing else, and widens only when told to', async () => {
  const rules = [{ action: 'allow', conditions: { hasValidLicense: true } }];
  const { id: policyId } = await made(postern, '/v1/policies', { name: 'Licensed', rules });
  const site = (name: string) =>
    made(postern, '/v1/collections', { name, hosts: [`${name.toLowerCase()}.example`], policyId });
  const [sold] = [await site('Sports'), await site('Weather')];
  await made(postern, '/v1/requesters', { id: 'globex', name: 'Globex' });
  const { token: key } = await made(postern, '/v1/requesters/globex/tokens', { name: 'ours' });
  const wish = { licenseType: 'news', collectionId: sold.id };
  const request = async (): Promise<string> =>
    (await postern.call('POST', '/v1/me/requests', { key, body: wish })).body.id;
  const allowed = () =>
    Promise.all(
      ['sports', 'weather'].map(async (name) => {
        const body = { url: `https://${name}.example/today`, requesterId: 'globex' };
        return (await postern.call('POST', '/v1/access/check', { body })).body.allowed;
      }),
    );
  await using signed = await signedIn(browser, postern.url, postern.key, { viewport: { width: 1366, height: 900 } });
  const { page } = signed;
  const open = async () => {
    await page.goto('/console/requests');
    await page
      .getByRole('row', { name: /Globex/ })
      .getByRole('button', { name: 'Grant…' })
      .click();
    return page.getByRole('dialog');
  };
  const first = await request();
  const dialog = await open();
  // The name is shown, and so are the other choices.
  await dialog.locator('.mantine-MultiSelect-pill', { hasText: 'Sports' }).waitFor();
  await dialog.getByRole('radio', { name: /^Terms/ }).check();
  await dialog.getByLabel('Your name of the contract').fill('Contract 12');
  assert.equal(await dialog.getByLabel('Each (EUR)').inputValue(), '', 'nobody chose a price');
  assert.equal(await dialog.getByRole('button', { name: 'Grant license' }).isDisabled(), true);
  await dialog.getByLabel('Each (EUR)').fill('0.02');
  await dialog.getByRole('button', { name: 'Grant license' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { licenseId } = await answered(first);
  const license = (await postern.call('GET', `/v1/licenses/${licenseId}`)).body;
  assert.deepEqual(license.scope, { collectionIds: [sold.id] });
  assert.equal(license.terms.reference, 'Contract 12');
  assert.deepEqual(license.terms.tiers, [{ upTo: null, unitPriceMicros: 20_000 }]);
  assert.deepEqual(await allowed(), [true, false]);

  // Without its collection, the form does not grant the catalog.
  const second = await request();
  const again = await open();
  await again.getByRole('radio', { name: /^Free/ }).check();
  await again
    .locator('.mantine-MultiSelect-pill', { hasText: 'Sports' })
    .getByRole('button', { includeHidden: true })
    .click();
  await again.getByText('Fill in at least one list').waitFor();
  assert.equal(await again.getByRole('button', { name: 'Grant license' }).isDisabled(), true);
  await again.getByText('Everything', { exact: true }).click();
  await again.getByRole('button', { name: 'Grant license' }).click();
  await again.waitFor({ state: 'detached' });
  const wide = (await answered(second)).licenseId;
  assert.equal((await postern.call('GET', `/v1/licenses/${wide}`)).body.scope, null);
  assert.deepEqual(await allowed(), [true, true]);

  // Editing something else of a license keeps what it covers, nothing included.
  await postern.call('PATCH', `/v1/licenses/${wide}`, { body: { scope: { collectionIds: [] } } });
  await page.goto(`/console/licenses/${wide}`);
  await page.getByRole('button', { name: /^More to do/ }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const edit = page.getByRole('dialog');
  await edit.getByLabel('Last day').fill('2099-12-31');
  await edit.getByRole('button', { name: 'Save' }).click();
  await edit.waitFor({ state: 'detached' });
  const kept = (await postern.call('GET', `/v1/licenses/${wide}`)).body;
  assert.deepEqual([kept.scope, kept.expiresAt === null], [{ collectionIds: [] }, false]);
  assert.deepEqual(signed.faults, []);
});

test('the price of the offer is filled in, and the first bill is that of the statement', async () => {
  const { id: archive } = await made(postern, '/v1/collections', { name: 'Archive', hosts: ['archive.example'] });
  const offer = (unit: string, unitPriceMicros: number, collection = '') =>
    postern.call('PUT', `/v1/offers/index${collection}`, {
      body: { unit, unitPriceMicros, currency: 'USD', contact: 'sales@archive.example' },
    });
  await offer('decision', 5_000);
  await offer('month', 31_000_000, `?collectionId=${archive}`);
  const id = await ask({ licenseType: 'index', collectionId: archive });
  await using signed = await signedIn(browser, postern.url, postern.key, {
    viewport: { width: 1366, height: 900 },
    timezoneId: 'UTC',
  });
  const { page } = signed;
  await page.goto('/console/requests');
  await page
    .getByRole('row', { name: /Archive/ })
    .getByRole('button', { name: 'Grant…' })
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Your offer: US$31.00 per month.').waitFor();
  await dialog.getByRole('radio', { name: /^Terms/ }).check();
  assert.equal(await dialog.getByLabel('Fee per month (USD)').inputValue(), '31.00');
  assert.equal(await dialog.getByLabel('Each (USD)').inputValue(), '0');
  await dialog.getByText('By days', { exact: true }).click();
  await dialog.getByLabel('With so many requests').fill('1000');
  const bill = dialog.locator('.first-bill');
  const readTotal = () => bill.locator('tfoot td').innerText();
  await bill.getByText(/by these days|a whole month/).waitFor();
  const shown = await readTotal();
  await dialog.getByRole('button', { name: 'Grant license' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { licenseId } = await answered(id);
  const [statement] = (await postern.call('GET', `/v1/statements?licenseId=${licenseId}`)).body.data;
  assert.equal(shown, `US$${statement.total.amount}`);
  assert.equal(statement.terms.prorate, true);

  // Elsewhere, the offer for everywhere counts.
  await ask({ licenseType: 'index' });
  await page.reload();
  await page.getByRole('row', { name: /index/ }).getByRole('button', { name: 'Grant…' }).click();
  await dialog.getByText('Your offer: US$0.005 per access.').waitFor();
  await dialog.getByRole('radio', { name: /^Terms/ }).check();
  assert.equal(await dialog.getByLabel('Each (USD)').inputValue(), '0.005');
  assert.deepEqual(signed.faults, []);
});

test('a new license shows what its partner asked for, and leads to the answer', async () => {
  await made(postern, '/v1/requesters', { id: 'initech', name: 'Initech' });
  const { token: key } = await made(postern, '/v1/requesters/initech/tokens', { name: 'ours' });
  await postern.call('POST', '/v1/me/requests', { key, body: { licenseType: 'training', note: 'Until spring.' } });
  await using signed = await signedIn(browser, postern.url, postern.key, { viewport: { width: 1366, height: 900 } });
  const { page } = signed;
  await page.goto('/console/licenses?new=1&requesterId=initech');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Until spring.').waitFor();
  await dialog.getByRole('link', { name: 'Answer 1 open request instead' }).click();
  await page.waitForURL('**/console/requests?requesterId=initech');
  await page.getByRole('row', { name: /Initech/ }).waitFor();
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
