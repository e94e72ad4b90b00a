/** A refusal of the service is shown at the field of the form, by its label, and without words of the API. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { item, made } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());
await made(postern, '/v1/content', item({ externalId: 'taken' }));
await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme' });

interface Case {
  page: string;
  /** Texts by the labels of the fields. */
  typed: Record<string, string>;
  send: string;
  /** The label of the field at fault. */
  field: string;
  said: RegExp;
}

const cases: Record<string, Case> = {
  'an item with a taken id': {
    page: '/content/new',
    typed: { Title: 'Tides', 'External id': 'taken', Source: 'https://example.com/x' },
    send: 'Create item',
    field: 'External id',
    said: /^Another item has this external id\. Edit that item, or choose another id\.$/,
  },
  'a collection with a URL for a host': {
    page: '/collections/new',
    typed: { Name: 'News', Hosts: 'www.example.com\nhttps://example.com/' },
    send: 'Create collection',
    field: 'Hosts',
    said: /^“https:\/\/example\.com\/” must be a host/,
  },
  'a partner with a space in its id': {
    page: '/requesters?new=1',
    typed: { Name: 'Somebody', Id: 'a b' },
    send: 'Add',
    field: 'Id',
    said: /^Id must /,
  },
  'a partner with a taken id': {
    page: '/requesters?new=1',
    typed: { Name: 'Acme again', Id: 'acme' },
    send: 'Add',
    field: 'Id',
    said: /acme already exists/,
  },
  'a webhook at a private address': {
    page: '/webhooks?new=1',
    typed: { Address: 'http://example.com/hook' },
    send: 'Add the webhook',
    field: 'Address',
    said: /^Address must /,
  },
  'a key for something that is no address': {
    page: '/keys?new=1',
    typed: { Name: 'website', 'Only from addresses': 'here' },
    send: 'Create the key',
    field: 'Only from addresses',
    said: /^“here” must be an IPv4 or IPv6 address/,
  },
};

/** Returns the description that a screen reader reads with the field. */
async function describedAs(page: Page, field: Locator): Promise<string> {
  const ids = ((await field.getAttribute('aria-describedby')) ?? '').split(' ').filter((id) => id.endsWith('-error'));
  return (await Promise.all(ids.map((id) => page.locator(`[id="${id}"]`).innerText()))).join(' ');
}

for (const [name, { page: path, typed, send, field, said }] of Object.entries(cases)) {
  test(name, async () => {
    await using signed = await signedIn(browser, postern.url, postern.key);
    const { page } = signed;
    await page.goto(`/console${path}`);
    const find = (label: string) => page.locator('form').getByLabel(label).first();
    for (const [label, text] of Object.entries(typed)) await find(label).fill(text);
    await page.getByRole('button', { name: send, exact: true }).click();
    await page.locator('[aria-invalid="true"]').waitFor();
    assert.match(await describedAs(page, find(field)), said);
    assert.equal(await page.locator('form').getByRole('alert').count(), 0);
    assert.deepEqual(signed.faults, []);
  });
}
