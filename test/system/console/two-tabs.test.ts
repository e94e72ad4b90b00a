/**
 * Two people edit the same record in two tabs: the second one to save overwrites nothing, and reads what to do next.
 * The page behind an open form reads the record again when its tab comes to the front; that makes the form no newer.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { assertStatus, item, made } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

const TERMS = {
  currency: 'EUR',
  timezone: 'UTC',
  period: 'month',
  unit: 'decision',
  tiers: [{ upTo: null, unitPriceMicros: 1_000_000 }],
};
await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme' });
const { id: licenseId } = await made(postern, '/v1/licenses', { requesterId: 'acme', type: 'gold', terms: TERMS });
const { id: collectionId } = await made(postern, '/v1/collections', { name: 'Raced', hosts: ['raced.example'] });
const { id: contentId } = await made(postern, '/v1/content', item());
const OFFER = '/v1/offers/gold';
assertStatus(await postern.call('PUT', OFFER, { body: { contact: 'sales@example.com' } }), 201);

interface Case {
  api: string;
  page: string;
  method?: 'PUT';
  /** The buttons that open the form. */
  open: (string | RegExp)[];
  save: string;
  theirs: object;
  /** The text that the page shows of their edit. */
  shown: string;
}

const cases: Record<string, Case> = {
  'a partner or bot': {
    api: '/v1/requesters/acme',
    page: '/console/requesters/acme',
    open: [/^More to do/, 'Edit'],
    save: 'Save',
    theirs: { name: 'Theirs' },
    shown: 'Theirs',
  },
  'a license': {
    api: `/v1/licenses/${licenseId}`,
    page: `/console/licenses/${licenseId}`,
    open: [/^More to do/, 'Edit'],
    save: 'Save',
    theirs: { type: 'platinum' },
    shown: 'platinum',
  },
  terms: {
    api: `/v1/licenses/${licenseId}`,
    page: `/console/licenses/${licenseId}`,
    open: [/^Edit/],
    save: 'Save terms',
    theirs: { type: 'silver' },
    shown: 'silver',
  },
  'a collection': {
    api: `/v1/collections/${collectionId}`,
    page: `/console/collections/${collectionId}`,
    open: ['Edit'],
    save: 'Save',
    theirs: { name: 'Theirs too' },
    shown: 'Theirs too',
  },
  'an item': {
    api: `/v1/content/${contentId}`,
    page: `/console/content/${contentId}`,
    open: ['Edit'],
    save: 'Save',
    theirs: { title: 'Their title' },
    shown: 'Their title',
  },
  'an offer': {
    api: OFFER,
    page: '/console/offers',
    method: 'PUT',
    open: [/^More to do/, /^Edit/],
    save: 'Save',
    theirs: { contact: 'licenses@example.com' },
    shown: 'licenses@example.com',
  },
};

for (const [what, { api, method = 'PATCH', page: path, open, save, theirs, shown }] of Object.entries(cases)) {
  test(`${what}: an edit made meanwhile is kept, also when the tab has read it behind the form`, async () => {
    await using signed = await signedIn(browser, postern.url, postern.key);
    const { page } = signed;
    await page.goto(path);
    for (const name of open) {
      const named = { name, exact: typeof name === 'string' };
      await page.getByRole('button', named).or(page.getByRole('menuitem', named)).first().click();
    }
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: save }).waitFor();
    assertStatus(await postern.call(method, api, { body: theirs }), 200);
    // The tab comes to the front again, until the page behind shows the new state.
    const { text } = await postern.call('GET', api);
    const behind = page.getByText(shown).first();
    while (!(await behind.isVisible())) {
      await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
      await behind.waitFor({ timeout: 1_000 }).catch(() => undefined);
    }
    await dialog.getByRole('button', { name: save }).click();
    await dialog.getByRole('alert').getByText('Close this, look at what is new, then edit again.').waitFor();
    assert.equal((await postern.call('GET', api)).text, text);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText(shown).first().waitFor();
    assert.deepEqual(signed.faults, []);
  });
}
