/** A license manager enters a partner by name, a type that rules require, and inclusive days. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { made } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

await made(postern, '/v1/policies', {
  name: 'Terms',
  rules: [{ action: 'allow', conditions: { licenseType: ['enterprise', 'research'], licenseFeatures: ['api'] } }],
});
await made(postern, '/v1/requesters', { id: 'partner:acme', name: 'Acme Research' });
await made(postern, '/v1/requesters', { id: 'partner:other', name: 'Somebody Else' });
await made(postern, '/v1/requesters', { id: 'partner:dates', name: 'Dated' });

/** Chooses price and scope, which have no default. */
async function chooseFreeForEverything(dialog: Locator): Promise<void> {
  const submit = dialog.getByRole('button', { name: 'Create license' });
  assert.equal(await submit.isDisabled(), true);
  await dialog.getByText('Everything', { exact: true }).click();
  assert.equal(await submit.isDisabled(), true);
  await dialog.getByRole('radio', { name: /^Free of charge/ }).check();
}

const ofAcme = async () => (await postern.call('GET', '/v1/licenses?requesterId=partner:acme')).body.data;

describe('a new license', () => {
  test('is for a partner found by name, of a kind that rules ask for, to the end of its last day', async () => {
    for (const [timezoneId, expiresAt] of [
      ['Europe/Berlin', '2099-12-31T23:00:00.000Z'],
      ['America/Los_Angeles', '2100-01-01T08:00:00.000Z'],
    ] as const) {
      await using signed = await signedIn(browser, postern.url, postern.key, { timezoneId });
      const { page } = signed;
      await page.goto('/console/licenses?new=1');
      const dialog = page.getByRole('dialog');
      // The first field has the focus.
      await dialog
        .locator('input:focus')
        .and(dialog.getByRole('combobox', { name: 'Partner' }))
        .waitFor();
      await page.keyboard.type('acme');
      await page.getByRole('option', { name: /Acme Research/ }).click();
      await dialog.getByRole('combobox', { name: 'Kind of license' }).click();
      await page.getByRole('option', { name: 'enterprise' }).click();
      assert.equal(await dialog.getByText('No rule asks for').count(), 0);
      await dialog.getByLabel('Last day').fill('2099-12-31');
      await chooseFreeForEverything(dialog);
      await dialog.getByRole('button', { name: 'Create license' }).click();
      await dialog.waitFor({ state: 'detached' });
      const [license] = await ofAcme();
      assert.deepEqual([license.type, license.expiresAt], ['enterprise', expiresAt], timezoneId);
      const row = page.getByRole('row', { name: /Acme Research/ }).first();
      assert.match(await row.innerText(), /31 Dec 2099/);

      // Editing something else leaves the end as it is.
      await row.getByRole('button', { name: /^More to do/ }).click();
      await page.getByRole('menuitem', { name: 'Edit' }).click();
      assert.equal(await dialog.getByLabel('Last day').inputValue(), '2099-12-31');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      const [edited] = await ofAcme();
      assert.equal(edited.expiresAt, expiresAt);
      assert.deepEqual(signed.faults, []);
    }
  });

  test('of a kind that no rule asks for says so, and can be created all the same', async () => {
    await using signed = await signedIn(browser, postern.url, postern.key);
    const { page } = signed;
    await page.goto('/console/requesters/partner%3Aother');
    await page.getByRole('button', { name: 'New license' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Your rules ask for enterprise, research.').waitFor();
    await dialog.getByRole('combobox', { name: 'Kind of license' }).fill('enterprize');
    await dialog.getByText('No rule asks for the kind “enterprize”').waitFor();
    await dialog.getByRole('combobox', { name: 'Kind of license' }).fill('enterprise');
    await dialog.getByText('No rule asks for').waitFor({ state: 'detached' });
    await dialog.getByRole('combobox', { name: 'Kind of license' }).fill('enterprize');
    await page.keyboard.press('Escape');
    await dialog.getByLabel('Extras').fill('apis');
    await page.keyboard.press('Enter');
    await dialog.getByText('No rule asks for “apis”.').waitFor();
    await chooseFreeForEverything(dialog);
    await dialog.getByRole('button', { name: 'Create license' }).click();
    await page.locator('.license-line').getByText('enterprize').waitFor();
    assert.deepEqual(signed.faults, []);
  });

  test('takes the end of the year or a year as its term, and no term that ends before it begins', async () => {
    await using signed = await signedIn(browser, postern.url, postern.key, { timezoneId: 'Asia/Kathmandu' });
    const { page } = signed;
    await page.goto('/console/licenses?new=1&requesterId=partner:other');
    const dialog = page.getByRole('dialog');
    await dialog.locator('input[value="Somebody Else"]').waitFor();
    await dialog.getByLabel('First day').fill('2031-04-02');
    const last = dialog.getByLabel('Last day');
    assert.equal(await last.inputValue(), '2032-04-01', 'a year is proposed');
    await dialog.getByRole('button', { name: 'End of 2031' }).click();
    assert.equal(await last.inputValue(), '2031-12-31');
    await dialog.getByRole('button', { name: 'One year' }).click();
    assert.equal(await last.inputValue(), '2032-04-01');
    await dialog.getByRole('button', { name: 'No end' }).click();
    assert.equal(await last.inputValue(), '');
    await last.fill('2031-04-01');
    await dialog.getByText('The last day is before the first day.').waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Create license' }).isDisabled(), true);
    await last.fill('2031-04-02');
    await dialog.getByRole('combobox', { name: 'Kind of license' }).fill('research');
    await page.keyboard.press('Escape');
    await chooseFreeForEverything(dialog);
    await dialog.getByRole('button', { name: 'Create license' }).click();
    await dialog.waitFor({ state: 'detached' });
    const [license] = (await postern.call('GET', '/v1/licenses?requesterId=partner:other&type=research')).body.data;
    assert.deepEqual([license.startsAt, license.expiresAt], ['2031-04-01T18:15:00.000Z', '2031-04-02T18:15:00.000Z']);
    await page.getByText('The license is saved. It counts from 2 Apr 2031.').waitFor();
  });
});

test('a license that is saved says from when it counts, if it does', async () => {
  const licenses: Record<string, object> = {
    'It counts from the next check on.': {},
    'It counts from 31 Dec 2097.': { startsAt: '2097-12-31T00:00:00Z' },
    'It counts from 31 Dec 2097, 10:30.': { startsAt: '2097-12-31T10:30:00Z' },
    'It has ended: its last day was 5 May 2020.': { expiresAt: '2020-05-06T00:00:00Z' },
    'It is suspended: no check counts it until it is active again.': { status: 'suspended' },
  };
  await using signed = await signedIn(browser, postern.url, postern.key, { timezoneId: 'UTC' });
  const { page } = signed;
  for (const [words, more] of Object.entries(licenses)) {
    const { id } = await made(postern, '/v1/licenses', { requesterId: 'partner:dates', type: 'research', ...more });
    await page.goto(`/console/licenses/${id}`);
    const choose = async (action: string) => {
      await page.getByRole('button', { name: /^More to do/ }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await choose('Edit');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(`The license is saved. ${words}`).waitFor();
    if (words.includes('suspended')) continue;
    await choose('Suspend');
    await page.getByText('The license is suspended.').waitFor();
    await choose('Make active again');
    await page.getByText(`The license is active again. ${words}`).waitFor();
  }
  assert.deepEqual(signed.faults, []);
});

test('licenses are filtered by a partner found by its id, too', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key);
  const { page } = signed;
  await page.goto('/console/licenses');
  await page.getByRole('combobox', { name: 'Partner or bot' }).fill('partner:acme');
  await page.getByRole('option', { name: /Acme Research/ }).click();
  await page.waitForURL(/requesterId=partner%3Aacme/);
  await page.locator('[data-total="2"]').waitFor();
});
