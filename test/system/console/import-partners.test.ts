/** Partners from CSV: bad lines are named, a preview writes nothing, and the second press writes all. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { made } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());
const count = async (): Promise<number> => (await postern.call('GET', '/v1/requesters')).body.totalCount;

test('a table is chosen, mended, previewed and imported', async () => {
  await made(postern, '/v1/requesters', { id: 'library', name: 'Library', email: 'old@library.example' });
  await using signed = await signedIn(browser, postern.url, postern.key);
  const { page } = signed;
  await page.goto('/console/requesters');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const preview = dialog.getByRole('button', { name: 'Preview' });
  assert.equal(await preview.isDisabled(), true);
  const csv = 'id,name,email\nlibrary,,new@library.example\npress,Press,nobody\n';
  await dialog
    .locator('input[type=file]')
    .setInputFiles({ name: 'partners.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await preview.click();
  await dialog.getByRole('listitem').filter({ hasText: 'Line 3:' }).waitFor();
  assert.equal(await dialog.getByRole('listitem').count(), 1);

  await dialog.getByRole('textbox', { name: 'CSV' }).fill(csv.replace('nobody', 'press@press.example'));
  await preview.click();
  await dialog.getByText('1 to add, 1 to change, 0 as before. Nothing is written yet.').waitFor();
  await dialog.getByText('changes e-mail of library').waitFor();
  assert.equal(await count(), 1, 'a preview writes nothing');
  await dialog.getByRole('button', { name: 'Back' }).click();
  await preview.click();
  await dialog.getByRole('button', { name: 'Import 2 partners and bots' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Imported: 1 added, 1 changed, 0 as before.').waitFor();
  assert.equal(await count(), 2);
  assert.equal((await postern.call('GET', '/v1/requesters/library')).body.email, 'new@library.example');
  assert.deepEqual(signed.faults, []);
});

test('a partner that was added after the preview is not changed', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key);
  const { page } = signed;
  await page.goto('/console/requesters?import=1');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'CSV' }).fill('id,name,tags\nlate,Late,trusted\n');
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await dialog.getByText('1 to add').waitFor();
  await made(postern, '/v1/requesters', { id: 'late', name: 'Late' });
  await dialog.getByRole('button', { name: 'Import 1 partner or bot' }).click();
  await dialog.getByText('late is registered with another tags').waitFor();
  assert.deepEqual((await postern.call('GET', '/v1/requesters/late')).body.tags, []);
});

test('whoever may not write partners cannot import them', async () => {
  const { key } = await made(postern, '/v1/api-keys', {
    name: 'Reader',
    type: 'secret',
    permissions: ['requesters:read', 'policies:read'],
  });
  await using signed = await signedIn(browser, postern.url, key);
  await signed.page.goto('/console/requesters');
  const button = signed.page.getByRole('button', { name: 'Import', exact: true });
  await button.waitFor();
  assert.equal(await button.getAttribute('aria-disabled'), 'true');
});
