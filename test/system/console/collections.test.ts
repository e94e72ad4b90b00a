/** Collections in the console: create, edit, test an address, delete; and the crawler directory. */
import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { launchBrowser, type Signed, signedIn, signingIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { check, item, made, makePolicy } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const policy = await makePolicy(postern, [], { name: 'Licensed only' });
const browser = await launchBrowser();
after(() => browser.close());

let signed: Signed;
let page: Page;
beforeEach(signingIn(browser, postern, { width: 1366, height: 900 }, (now) => ({ page } = signed = now)));
const rows = (caption: string) => page.getByRole('table', { name: caption }).locator('tbody tr');
const region = (name: string) => page.getByRole('region', { name, exact: true });
const collections = async (q: string) => (await postern.call('GET', `/v1/collections?q=${q}`)).body.data;
const add = (name: string, body: object) => made(postern, '/v1/collections', { name, ...body });

describe('a collection', () => {
  test('is created from lines of hosts and paths; a line at fault is quoted', async () => {
    await page.goto('/console/collections');
    await page.getByText('No collections yet').waitFor();
    await page.getByRole('button', { name: 'Create one for the whole site' }).click();
    await page.getByLabel('Name').fill('The site');
    assert.equal(await page.getByLabel('Paths').inputValue(), '/');
    await page.getByLabel('Hosts').fill('www.example.com\n\n*.example.com\nhttps://example.com');
    await page.getByRole('button', { name: 'Create collection' }).click();
    await page.getByText(/^“https:\/\/example\.com” must/).waitFor();
    await page.getByLabel('Hosts').fill('www.example.com\n *.example.com ');
    await page.getByRole('button', { name: 'Create collection' }).click();
    await page.getByRole('heading', { name: 'The site', level: 1 }).waitFor();
    const [stored] = await collections('site');
    assert.deepEqual(
      [stored.hosts, stored.paths, stored.policyId],
      [['www.example.com', '*.example.com'], ['/'], null],
    );
    assert.deepEqual(signed.faults, []);
  });

  test('shows ties, its items and who edited it; an edit keeps what the form does not show', async () => {
    const { id } = await add('Premium', { hosts: ['www.example.com'], paths: ['/premium/'], metadata: { team: 'x' } });
    const twin = await add('Twin', { hosts: ['www.example.com'], paths: ['/premium/'] });
    await made(postern, '/v1/content', item({ title: 'Tides', source: 'https://www.example.com/premium/tides' }));
    await page.goto(`/console/collections/${id}`);
    await page.getByText('Can tie with 1 other collection').waitFor();
    await page.getByText(new RegExp(`"Twin" \\(${twin.id}\\).*this collection decides`)).waitFor();
    await region('Items').getByRole('link', { name: 'Tides' }).waitFor();
    await region('Changes').getByText('Version 1').waitFor();

    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit the collection' });
    await dialog.getByRole('combobox', { name: 'Policy' }).click();
    await page.getByRole('option', { name: 'Licensed only' }).click();
    await dialog.getByLabel('Paths').fill('/premium/\n/*.pdf$');
    await dialog.getByRole('combobox', { name: 'Mode' }).click();
    await page.getByRole('option', { name: /^Observe/ }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await region('Changes').getByText('Version 2').waitFor();
    const { body } = await postern.call('GET', `/v1/collections/${id}`);
    assert.deepEqual(
      [body.policyId, body.paths, body.hosts, body.metadata, body.mode],
      [policy.id, ['/premium/', '/*.pdf$'], ['www.example.com'], { team: 'x' }, 'observe'],
    );
    // Items say that they follow it, in lists and on their page.
    await region('Items').getByText('from the collection Premium').waitFor();
    await page.goto(`/console/content?collectionId=${id}`);
    await rows('Content').first().getByRole('link', { name: 'Licensed only' }).waitFor();
    await page.getByRole('link', { name: 'Tides' }).click();
    await region('Details').getByText('from the collection Premium').waitFor();
    await page.goto(`/console/policies/${policy.id}`);
    await page.getByRole('link', { name: '1 collection' }).click();
    await page.locator('[data-total="1"]').waitFor();
    assert.deepEqual(signed.faults, []);
  });

  test('an edit that somebody made meanwhile is not overwritten', async () => {
    const { id } = await add('Raced', { paths: ['/raced/'] });
    await page.goto(`/console/collections/${id}`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit the collection' });
    await dialog.getByLabel('Name').fill('Mine');
    await postern.call('PATCH', `/v1/collections/${id}`, { body: { name: 'Theirs' } });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').getByText('Close this, look at what is new, then edit again.').waitFor();
    assert.equal((await postern.call('GET', `/v1/collections/${id}`)).body.name, 'Theirs');
  });

  test('is deleted after a confirmation that says what follows', async () => {
    const { id } = await add('Doomed', { hosts: ['doomed.example'], paths: ['/'] });
    for (const n of [1, 2]) await made(postern, '/v1/content', item({ source: `https://doomed.example/${n}` }));
    await page.goto(`/console/collections/${id}`);
    await page.getByRole('button', { name: 'More to do with this collection' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete the collection?' });
    await dialog.getByText('Its 2 items and addresses fall in the next most specific collection').waitFor();
    await dialog.getByLabel('Type Doomed to continue').fill('Doomed');
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByRole('heading', { name: 'Collections', level: 1 }).waitFor();
    assert.deepEqual(await collections('doomed'), []);
    assert.deepEqual(signed.faults, []);
  });
});

describe('an address', () => {
  test('is tested: what decides, by which pattern, and what came second', async () => {
    const wide = await add('Wide', { hosts: ['*.tested.example'], paths: ['/'] });
    const narrow = await add('Narrow', { hosts: ['*.tested.example'], paths: ['/a/*b'], policyId: policy.id });
    await page.goto('/console/collections');
    await page.getByRole('link', { name: 'Test an address' }).click();
    await page.getByLabel('Address').fill(' https://www.tested.example/a/x/b?page=2#top ');
    await page.keyboard.press('Enter');
    await page.getByText('none is registered there').waitFor();
    assert.ok(new URL(page.url()).searchParams.has('url'));
    const facts = page.locator('dl.facts');
    assert.match(
      await facts.innerText(),
      /Collection\s+Narrow\s+Matched by\s+path\s+\/a\/\*b\s+host\s+\*\.tested\.example\s+Policy\s+Licensed only from the/,
    );
    assert.match(await rows('Less specific collections').first().innerText(), /Wide[\s\S]*\/[\s\S]*pattern is shorter/);
    await made(postern, '/v1/content', item({ title: 'Here', source: 'https://www.tested.example/a/x/b' }));
    await page.goto(`/console/collections/${wide.id}?url=https://www.tested.example/a/x/b`);
    await region('Test an address').getByRole('link', { name: 'Here' }).waitFor();
    await region('Test an address').getByText('this one').waitFor();
    await region('Test an address').getByRole('link', { name: narrow.name }).click();
    await page.getByRole('heading', { name: 'Narrow', level: 1 }).waitFor();
    assert.deepEqual(signed.faults, []);
  });

  test('is tested in the form, with what is typed and not saved', async () => {
    const wide = await add('Around', { hosts: ['*.typed.example'], paths: ['/'] });
    await page.goto('/console/collections/new');
    await page.getByLabel('Hosts').fill('www.typed.example');
    await page.getByLabel('Paths').fill('/news/');
    await page.getByLabel('Test an address').fill('https://www.typed.example/news/today');
    const facts = page.locator('form dl.facts');
    await facts.getByText('this one').waitFor();
    assert.match(await facts.innerText(), /Matched by\s+path\s+\/news\/\s+host\s+www\.typed\.example/);
    await page.getByLabel('Paths').fill('/premium/');
    await facts.getByText('does not match: none of its paths matches').waitFor();
    assert.match(await facts.innerText(), /Collection\s+Around/);
    await page.getByLabel('Paths').fill('premium');
    await page
      .locator('form')
      .getByRole('alert')
      .getByText(/`collection\.paths\[0\]`/)
      .waitFor();
    // A stored one is tried in its place. Enter tests, and does not save.
    await page.goto(`/console/collections/${wide.id}`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit the collection' });
    await dialog.getByLabel('Test an address').fill('https://www.typed.example/a');
    await page.keyboard.press('Enter');
    await dialog.getByText('this one').waitFor();
    await dialog.getByLabel('Hosts').fill('typed.example');
    await dialog.getByText('does not match: none of its hosts matches').waitFor();
    await dialog.getByText('none', { exact: true }).waitFor();
    assert.deepEqual((await postern.call('GET', `/v1/collections/${wide.id}`)).body.hosts, ['*.typed.example']);
    assert.equal((await collections('This')).length, 0);
    assert.deepEqual(signed.faults, []);
  });

  test('that nothing has leads to a collection or an item for it', async () => {
    await page.goto('/console/collections/match?url=https://new.example:8443/news/today');
    await page.getByRole('link', { name: 'Create a collection' }).click();
    await page.getByRole('heading', { name: 'New collection', level: 1 }).waitFor();
    assert.equal(await page.getByLabel('Hosts').inputValue(), 'new.example:8443');
    assert.equal(await page.getByLabel('Paths').inputValue(), '/news/');
    await page.goBack();
    await page.getByRole('link', { name: 'register an item' }).click();
    await page.getByRole('heading', { name: 'New item', level: 1 }).waitFor();
    assert.equal(await page.getByLabel('Source').inputValue(), 'https://new.example:8443/news/today');
  });

  test('that servers may read differently, or that several items have, is explained', async () => {
    await page.goto('/console/collections/match?url=https://www.example.com/a/../b');
    await page.getByRole('alert').getByText('Servers may read the host or the path').waitFor();
    const source = 'https://twice.example/a';
    for (const externalId of ['one', 'other']) await made(postern, '/v1/content', item({ externalId, source }));
    await page.goto(`/console/collections/match?url=${source}`);
    await page.getByText('Several items are registered at this address').waitFor();
    assert.deepEqual(signed.faults, []);
  });
});

test('a decision about an address leads to its collection', async () => {
  const { id } = await add('Decided', { hosts: ['decided.example'], paths: ['/'] });
  const { id: decisionId } = await check(postern, { url: 'https://decided.example/news' });
  await page.goto(`/console/decisions/${decisionId}`);
  await page.getByRole('link', { name: 'Decided', exact: true }).click();
  await page.waitForURL(new RegExp(`/collections/${id}$`));
  await page.getByRole('heading', { name: 'Decided', level: 1 }).waitFor();
  assert.deepEqual(signed.faults, []);
});

test('a collection shows what was asked for in it, and an observed one what would have been answered', async () => {
  const { id } = await add('Asked for', { hosts: ['asked.example'], mode: 'observe', policyId: policy.id });
  await check(postern, { url: 'https://asked.example/a', requesterId: 'curious' });
  await check(postern, { url: 'https://asked.example/b', requesterId: 'curious' });
  await page.goto(`/console/collections/${id}`);
  const over = region('Asked for in 30 days, and what would have been answered');
  await over.getByRole('img', { name: /^0 allowed and 2 denied/ }).waitFor();
  await region('Top visitors')
    .getByRole('row', { name: /curious.*2$/ })
    .waitFor();
  await region('Latest decisions').getByRole('link', { name: 'Show all' }).click();
  await page.waitForURL(new RegExp(`/decisions\\?collectionId=${id}$`));
  await page.locator('[data-total="2"]').waitFor();
  assert.deepEqual(signed.faults, []);
});

test('an observed collection is enforced on its page, once one has read what that denies', async () => {
  const { id } = await add('Tried', { hosts: ['tried.example'], mode: 'observe', policyId: policy.id });
  await check(postern, { url: 'https://tried.example/a' });
  await page.goto(`/console/collections/${id}`);
  await page.getByText('Decisions are recorded, and nothing is denied.').waitFor();
  await page.getByRole('button', { name: 'Enforce…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('In the last 30 days, 1 of 1 request would have been denied.').waitFor();
  await dialog.getByRole('button', { name: 'Enforce', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Decisions are recorded, and nothing is denied.').waitFor({ state: 'detached' });
  assert.equal((await postern.call('GET', `/v1/collections/${id}`)).body.mode, 'enforce');
  assert.deepEqual(signed.faults, []);
});

test('a record that does not exist has a heading, a way back, and the word id', async () => {
  await page.goto('/console/collections/The%20site');
  await page.getByRole('heading', { name: 'Not found', level: 1 }).waitFor();
  await page.getByText('There is no collection with the id "The site".').waitFor();
  await page.locator('.crumbs').getByRole('link', { name: 'Collections' }).click();
  await page.getByRole('heading', { name: 'Collections', level: 1 }).waitFor();
  assert.deepEqual(signed.faults, []);
});

test('a key that may only read sees collections and cannot change them', async () => {
  const { key } = await made(postern, '/v1/api-keys', {
    name: 'Narrow',
    type: 'secret',
    permissions: ['content:read'],
  });
  const { id } = await add('Seen', { paths: ['/seen/'] });
  await using other = await signedIn(browser, postern.url, key);
  await other.page.goto(`/console/collections/${id}`);
  await other.page.getByRole('heading', { name: 'Seen', level: 1 }).waitFor();
  const edit = other.page.getByRole('button', { name: 'Edit', exact: true });
  assert.equal(await edit.getAttribute('aria-disabled'), 'true');
  assert.equal(await other.page.getByRole('region', { name: 'Changes' }).count(), 0);
  assert.deepEqual(other.faults, []);
});

test('the crawler directory is searched and narrowed to a purpose', async () => {
  await page.goto('/console/crawlers');
  await page.locator('[data-total]').waitFor();
  assert.match(await rows('Crawlers').first().innerText(), /GPTBot[\s\S]*OpenAI[\s\S]*Training[\s\S]*its addresses/);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.waitForURL(/cursor=/);
  await page.getByLabel('Part of a name, an operator or a user agent').fill('openai');
  await page.waitForURL(/q=openai$/);
  await page.getByRole('combobox', { name: 'Purpose' }).click();
  await page.getByRole('option', { name: 'Fetching for a person' }).click();
  await page.locator('[data-total="1"]').waitFor();
  assert.match(await rows('Crawlers').first().innerText(), /ChatGPT-User/);
  assert.deepEqual(signed.faults, []);
});
