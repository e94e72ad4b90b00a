/** The proofs of a partner: added, edited and removed on its page, also while another user edits them. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { made } from '../../http/given.ts';
import { settled } from './looking.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

const identitiesOf = async (id: string): Promise<object[]> =>
  (await postern.call('GET', `/v1/requesters/${id}`)).body.identities;

const panelOf = (page: Page) => page.getByRole('region', { name: 'Proven by' });

async function choose(page: Page, way: string): Promise<void> {
  await page.getByRole('dialog').getByRole('combobox', { name: 'What proves it' }).click();
  await page.getByRole('option', { name: way }).click();
}

test('proofs of each kind are added, and the line at fault is quoted', async () => {
  await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme' });
  await using signed = await signedIn(browser, postern.url, postern.key);
  const { page, faults } = signed;
  await page.goto('/console/requesters/acme');
  const panel = panelOf(page);
  const dialog = page.getByRole('dialog');
  const add = panel.getByRole('button', { name: 'Add a proof' });
  await panel.getByRole('heading', { name: 'No other proof' }).waitFor();

  await add.click();
  const ranges = dialog.getByRole('textbox', { name: 'Addresses and ranges' });
  await ranges.fill('192.0.2.0/24\n198.51.100.9/24');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  assert.match(await dialog.getByRole('alert').innerText(), /^198\.51\.100\.9\/24 must be an IPv4 or IPv6 address/);
  await ranges.fill('192.0.2.0/24, 198.51.100.0/24');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await panel.getByText('198.51.100.0/24').waitFor();

  await add.click();
  await choose(page, 'A list of addresses that it publishes');
  await dialog.getByRole('textbox', { name: 'Address of the list' }).fill('http://acme.example/list.txt');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  assert.match(await dialog.getByRole('alert').innerText(), /^Address of the list must be an https URL/);
  await dialog.getByRole('textbox', { name: 'Address of the list' }).fill('https://acme.example/list.txt');
  await page.keyboard.press('Enter');
  await panel.getByText('https://acme.example/list.txt').waitFor();

  for (const [way, field, text] of [
    ['The host name of its address', 'Ends of its host names', 'Crawl.Acme.example'],
    ['Its signature', 'Signature agent', 'https://bot.acme.example'],
  ] as const) {
    await add.click();
    await choose(page, way);
    await dialog.getByRole('textbox', { name: field }).fill(text);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await panel.getByText(text.toLowerCase(), { exact: true }).waitFor();
  }
  assert.deepEqual(await identitiesOf('acme'), [
    { kind: 'ip', ranges: ['192.0.2.0/24', '198.51.100.0/24'] },
    { kind: 'ip', list: 'https://acme.example/list.txt' },
    { kind: 'dns', suffixes: ['crawl.acme.example'] },
    { kind: 'signature', agent: 'https://bot.acme.example' },
  ]);
  assert.deepEqual(faults, []);
});

test('a proof is edited and removed; edits of somebody else stay', async () => {
  const [mine, theirs] = [
    { kind: 'ip', ranges: ['192.0.2.0/24'] },
    { kind: 'dns', suffixes: ['bolt.example'] },
  ];
  await made(postern, '/v1/requesters', { id: 'bolt', name: 'Bolt', identities: [mine] });
  await using signed = await signedIn(browser, postern.url, postern.key);
  const { page, faults } = signed;
  await page.goto('/console/requesters/bolt');
  // What loads above it moves the menu away from under the pointer.
  await settled(page);
  const dialog = page.getByRole('dialog');
  const more = panelOf(page).getByRole('button', { name: 'More to do with the addresses 192.0.2.0/24' });
  await more.click();
  await page.getByRole('menuitem', { name: 'Edit…' }).click();
  await dialog.getByRole('textbox', { name: 'Addresses and ranges' }).fill('192.0.2.128/25');
  await postern.call('PATCH', '/v1/requesters/bolt', { body: { identities: [mine, theirs] } });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.deepEqual(await identitiesOf('bolt'), [{ kind: 'ip', ranges: ['192.0.2.128/25'] }, theirs]);

  await panelOf(page).getByRole('button', { name: 'More to do with the host names bolt.example' }).click();
  await page.getByRole('menuitem', { name: 'Remove…' }).click();
  await postern.call('PATCH', '/v1/requesters/bolt', { body: { identities: [mine] } });
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await dialog.getByRole('alert').getByText('changed or removed in the meantime').waitFor();
  assert.deepEqual(await identitiesOf('bolt'), [mine]);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.reload();
  await settled(page);
  await more.click();
  await page.getByRole('menuitem', { name: 'Remove…' }).click();
  await dialog.getByText('anybody can use this name').waitFor();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await panelOf(page).getByRole('heading', { name: 'No other proof' }).waitFor();
  assert.deepEqual(await identitiesOf('bolt'), []);
  assert.deepEqual(faults, []);
});
