/** The tasks of a license manager, done in a browser against a real service with the demo's catalog. */
import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { launchBrowser, type Signed, signedIn, signingIn } from '../../../kit/browser.ts';
import { startReceiver } from '../../../kit/receiver.ts';
import { startTestService } from '../../../kit/service.ts';
import { allowAll, check, item, made, makeItem } from '../../http/given.ts';
import { fillWithDemo } from './catalogue.ts';

const postern = await startTestService({ env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } });
after(() => postern[Symbol.asyncDispose]());
await fillWithDemo(postern, { items: 400, checks: 2_000 });
const browser = await launchBrowser();
after(() => browser.close());

let signed: Signed;
let page: Page;
beforeEach(signingIn(browser, postern, { width: 1366, height: 900 }, (now) => ({ page } = signed = now)));

const api = async (path: string) => (await postern.call('GET', path)).body;
const count = (n: number): string => new Intl.NumberFormat('en-GB').format(n);

describe('signing in', () => {
  test('by the form, to the page that was asked for, and out again', async () => {
    await signed.context.clearCookies();
    await page.goto('/console/policies?cursor=');
    await page.getByLabel('API key').fill('svc_sk_mistyped');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('its form or checksum is wrong').waitFor();
    await page.getByLabel('API key').fill(postern.key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Policies', level: 1 }).waitFor();
    const kept = await page.evaluate<string>(
      'JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])',
    );
    assert.ok(!kept.includes('svc_sk_') && !kept.includes('postern_console'), kept);
    await page.getByRole('button', { name: /First key/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Postern' }).waitFor();
    await page.reload();
    await page.getByLabel('API key').waitFor();
  });
});

describe('the overview', () => {
  test('shows the numbers of the API, to the unit, and the filters are in the address', async () => {
    const usage = await api('/v1/analytics/usage?period=7d');
    await page.goto('/console?period=7d');
    const { observed, ...totals } = usage.summary;
    assert.equal(observed.requests, 0);
    for (const [name, value] of Object.entries(totals)) {
      assert.equal(await page.locator(`[data-figure="${name}"]`).innerText(), count(value as number), name);
    }
    for (const { reason, count: times } of usage.byDenialReason) {
      assert.equal(await page.locator(`[data-reason="${reason}"]`).innerText(), count(times), reason);
    }
    const top = page.getByRole('region', { name: 'Top visitors' });
    await top.getByRole('link', { name: usage.topRequesters[0].name, exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Show the numbers' }).click();
    const today = usage.timeSeries.at(-1);
    const cells = await page
      .getByRole('table', { name: 'Decisions by bucket' })
      .locator('tbody tr')
      .first()
      .locator('td')
      .allInnerTexts();
    assert.deepEqual(cells.slice(1), [count(today.requests), count(today.allowed), count(today.denied)]);
    const { startDate, endDate } = usage.period;
    const demand = await api(`/v1/analytics/demand?from=${startDate}&to=${endDate}&reason=no_license&groupBy=who`);
    const wanting = page.getByRole('table', { name: 'Denied for want of a license' }).locator('tbody tr').first();
    assert.match(
      await wanting.innerText(),
      new RegExp(
        `${demand.data[0].who.kind === 'browsers' ? 'Browsers' : demand.data[0].who.name}[\\s\\S]*${count(demand.data[0].denied)}$`,
      ),
    );
  });

  test('asks few questions, and compares with the preceding period', async () => {
    const asked: string[] = [];
    page.on('request', (request) => {
      const path = request.url().slice(postern.url.length);
      if (/^\/(v1|console\/session)/.test(path)) asked.push(path);
    });
    await page.goto('/console?period=7d');
    const figure = page.locator('.total', { has: page.locator('[data-figure="totalRequests"]') });
    await figure.getByText('no data for the 7 days before').waitFor();
    await page.getByRole('region', { name: 'Top content' }).getByRole('img').first().waitFor();
    await page.waitForLoadState('networkidle');
    assert.ok(asked.length >= 3 && asked.length <= 7, asked.join('\n'));
  });

  test('looks closer where one drags, and the way back is the address before', async () => {
    await page.goto('/console?period=30d');
    const bars = page.locator('.bars svg').first();
    await bars.waitFor();
    const box = await bars.boundingBox();
    assert.ok(box !== null);
    await page.mouse.move(box.x + box.width * 0.7, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.99, box.y + 100, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/start=.*end=/);
    const shown = new URL(page.url()).searchParams;
    const part = await api(
      `/v1/analytics/usage?startDate=${shown.get('start')}&endDate=${shown.get('end')}&groupBy=day`,
    );
    assert.notEqual(part.summary.totalRequests, 0, 'the part ends with today');
    await page.getByText(count(part.summary.totalRequests), { exact: true }).first().waitFor();
    await page.goBack();
    await page.waitForURL(/period=30d/);
  });

  test('takes a calendar month, which the address holds', async () => {
    await page.goto('/console?period=7d&by=hour');
    await page.getByRole('button', { name: 'When: Month or span' }).click();
    await page.getByRole('button', { name: 'This month' }).click();
    await page.waitForURL(/start=.*end=/);
    const { searchParams } = new URL(page.url());
    const [start, end] = [searchParams.get('start') as string, searchParams.get('end') as string];
    assert.equal(searchParams.get('by'), null);
    assert.equal(new Date(start).getDate(), 1);
    assert.ok(Date.parse(start) <= Date.now() && Date.now() < Date.parse(end), page.url());
    const { summary } = await api(`/v1/analytics/usage?startDate=${start}&endDate=${end}`);
    await page.locator('[data-figure="totalRequests"]', { hasText: count(summary.totalRequests) }).waitFor();
    await page.getByRole('group', { name: 'View options' }).getByText('7 days').click();
    await page.waitForURL((url) => url.searchParams.get('start') === null);
  });

  test('gives the buckets as a file', async () => {
    await page.goto('/console?period=7d');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    const lines = (await (await download.createReadStream()).toArray()).join('').trim().split('\r\n');
    assert.equal(lines[0], 'date,requests,allowed,denied');
    assert.equal(lines.length, 8);
  });

  test('grows as decisions are made', async () => {
    await page.goto('/console');
    const { id } = await made(postern, '/v1/content', item({ title: 'Just now' }));
    await page.getByRole('heading', { name: 'Latest decisions' }).waitFor();
    await check(postern, { contentId: id, requesterId: 'newcomer' });
    await page.getByRole('region', { name: 'Latest decisions' }).getByRole('link', { name: 'Just now' }).waitFor();
  });
});

/** Returns a decision about a requester that a license would have turned; two rules may ask for different ones. */
async function findTurnable() {
  const { data } = await api('/v1/access/decisions?allowed=false&reason=no_license&limit=100');
  for (const decision of data) {
    const { requesterId, contentId, purpose, context, created: asOf } = decision;
    if (requesterId === null || purpose === null) continue;
    const body = { requesterId, contentId, purpose, context: context ?? {}, asOf, dryRun: true, explain: true };
    const explained = await postern.call('POST', '/v1/access/check', { body });
    if (explained.body.remedies?.length > 0) return decision;
  }
  throw new Error('The demo denied nobody for lack of a license that would have helped.');
}

test('finding out why a crawler was denied', async () => {
  const decision = await findTurnable();
  await page.goto('/console');
  await page.getByRole('link', { name: 'Decisions', exact: true }).click();
  await page.getByRole('combobox', { name: 'Partner or bot' }).fill(decision.requesterId);
  await page.getByRole('option', { name: decision.requesterId }).first().click();
  await page.waitForURL(/requesterId=/);
  await page.getByRole('combobox', { name: 'Reason' }).click();
  await page.getByRole('option', { name: 'No license' }).click();
  await page.waitForURL(/reason=no_license/);
  const wanted = await api(`/v1/access/decisions?requesterId=${decision.requesterId}&reason=no_license`);
  await page.locator(`[data-total="${wanted.totalCount}"]`).waitFor();
  await page.locator(`a[href*="${decision.id}"]`, { hasText: 'No license' }).click();
  await page.getByText('Decided again as of that time').waitFor();
  const decided = page.locator('.trace li.decided');
  await decided.waitFor();
  assert.match(await decided.innerText(), /decided/);
  await page.getByText('What would have turned it').waitFor();
  await page.locator('.facts a[href*="tab=versions"]').click();
  await page.getByRole('heading', { name: 'Versions' }).waitFor();
  assert.deepEqual(signed.faults, []);
});

test('writing a policy, trying it, seeing its impact, publishing it and going back', async () => {
  await page.goto('/console/policies');
  await page.getByRole('button', { name: 'New policy' }).click();
  await page.getByRole('button', { name: 'Use this one: Open access' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('House rules');
  await page.getByRole('button', { name: 'Create policy' }).click();
  await page.getByRole('heading', { name: 'House rules', level: 1 }).waitFor();
  const id = page.url().split('/').at(-1) as string;
  const essay = await made(postern, '/v1/content', item({ title: 'An essay on tides', policyId: id }));
  for (const [requesterId, purpose] of [
    ['a', 'reading'],
    ['b', 'training'],
    ['b', 'training'],
    ['c', 'search'],
  ]) {
    assert.equal((await check(postern, { contentId: essay.id, requesterId, purpose })).allowed, true);
  }

  // A rule by the form, put first by the keyboard.
  await page.getByRole('button', { name: 'Add a rule' }).click();
  const added = page.locator('.rule-card', { has: page.locator('[aria-expanded="true"]') });
  await added.getByText('Deny', { exact: true }).click();
  await added.getByRole('button', { name: 'Add a condition' }).click();
  await page.getByRole('menuitem', { name: /^Purpose/ }).click();
  await added.getByLabel('Purpose', { exact: true }).fill('training');
  await page.keyboard.press('Enter');
  await added.getByLabel('Message').fill('Training by agreement.');
  await page.getByText('Not published yet').waitFor();
  await page.getByRole('tab', { name: 'Try it' }).click();
  await page.getByRole('combobox', { name: 'Item' }).click();
  await page.getByRole('option', { name: /An essay on tides/ }).click();
  await page.getByLabel('Purpose').fill('training');
  await page.getByRole('button', { name: 'Decide' }).click();
  await page.locator('[data-outcome="policy_denied"]').waitFor();
  await page.getByText('Training by agreement.').first().waitFor();

  await page.getByRole('button', { name: 'Preview and publish' }).click();
  const figure = (name: string) => page.getByRole('dialog').locator(`[data-figure="${name}"]`);
  await figure('allowToDeny').waitFor();
  assert.equal(await figure('allowToDeny').innerText(), '2');
  assert.equal(await figure('unchanged').innerText(), '2');
  assert.equal((await api(`/v1/policies/${id}`)).version, 1, 'a preview changes nothing');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByText('version 2', { exact: true }).waitFor();
  assert.equal(
    (await check(postern, { contentId: essay.id, requesterId: 'b', purpose: 'training' })).message,
    'Training by agreement.',
  );

  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByText('Rule 1 added').waitFor();
  await page.getByRole('button', { name: /^Version 1/ }).click();
  await page.getByRole('button', { name: 'Roll back to this version' }).click();
  await page.getByRole('button', { name: 'Roll back', exact: true }).click();
  await page.getByText('version 3', { exact: true }).waitFor();
  assert.equal((await check(postern, { contentId: essay.id, requesterId: 'b', purpose: 'training' })).allowed, true);
  assert.deepEqual(signed.faults, []);
});

test('two who edit one policy do not overwrite each other', async () => {
  const policy = await made(postern, '/v1/policies', { name: 'Shared', rules: [] });
  await page.goto(`/console/policies/${policy.id}`);
  await page.getByRole('textbox', { name: 'Description' }).fill('mine');
  await page.getByRole('button', { name: 'Preview and publish' }).click();
  await page.getByRole('dialog').getByText('No item of this policy was asked for').waitFor();
  await postern.call('PATCH', `/v1/policies/${policy.id}`, { body: { description: 'theirs' } });
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByRole('dialog').getByRole('alert').last().waitFor();
  assert.equal((await api(`/v1/policies/${policy.id}`)).description, 'theirs');
});

test('importing 5,000 items of which 20 are bad', async () => {
  const bad = new Set(Array.from({ length: 20 }, (_, i) => 100 + i * 240));
  const rows = Array.from({ length: 5_000 }, (_, i) =>
    bad.has(i)
      ? `import-${i},"Item ${i}",painting,https://example.com/${i},x`
      : `import-${i},"Item, number ${i}",article,https://example.com/${i},import;n${i % 7}`,
  );
  const before = (await api('/v1/content')).totalCount;
  await page.goto('/console/content/import');
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose a file' }).click(),
  ]);
  await chooser.setFiles({
    name: 'items.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(['SKU,Headline,Kind,URL,Keywords', ...rows].join('\n')),
  });
  await page.getByText('4,980 good, 20 with a problem').waitFor();
  await page.getByText('"painting"').first().waitFor();
  await page.getByRole('button', { name: 'Import 4,980 items' }).click();
  await page.getByText('4,980 of 4,980 sent: 4,980 created, 0 updated, 20 failed.').waitFor({ timeout: 60_000 });
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Failures as CSV' }).click(),
  ]);
  const failed = (await (await download.createReadStream()).toArray()).join('').trim().split('\r\n');
  assert.equal(failed.length, 21);
  assert.match(failed[1] as string, /^101,import-100,/);
  assert.equal((await api('/v1/content')).totalCount, before + 4_980);
  const one = await api('/v1/content/import-7');
  assert.deepEqual([one.title, one.tags], ['Item, number 7', ['import', 'n0']]);
  assert.deepEqual(signed.faults, []);
});

test('what only the service can see of a bad row is reported too', async () => {
  const lines = [
    { externalId: 'nd-1', title: 'One', type: 'image', source: 'https://example.com/1', section: 'sea' },
    { externalId: 'nd-2', title: 'Two', type: 'image', source: 'https://example.com/2', policyId: 'pol_nowhere' },
  ];
  await page.goto('/console/content/import');
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose a file' }).click(),
  ]);
  await chooser.setFiles({
    name: 'items.ndjson',
    mimeType: 'application/x-ndjson',
    buffer: Buffer.from(lines.map((one) => JSON.stringify(one)).join('\n')),
  });
  await page.getByLabel('Keep the other columns as metadata').check();
  await page.getByRole('button', { name: 'Import 2 items' }).click();
  await page.getByText('2 of 2 sent: 1 created, 0 updated, 1 failed.').waitFor();
  await page.getByRole('table', { name: 'Failures' }).getByText('pol_nowhere').first().waitFor();
  assert.deepEqual((await api('/v1/content/nd-1')).metadata, { section: 'sea' });
});

test('an item is registered, edited, archived and deleted with its name typed', async () => {
  await page.goto('/console/content/new');
  await page.getByLabel('Title').fill('A map');
  await page.getByLabel('External id').fill('maps/of the sea 🌊');
  await page.getByLabel('Source').fill('https://example.com/map');
  await page.getByRole('button', { name: 'Create item' }).click();
  await page.getByRole('heading', { name: 'A map' }).waitFor();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('dialog').getByLabel('Title').fill('A chart');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'A chart', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'More to do with this item' }).click();
  await page.getByRole('menuitem', { name: 'Archive' }).click();
  await page.getByText('archived', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'More to do with this item' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  const erase = page.getByRole('button', { name: 'Delete for good' });
  assert.equal(await erase.isDisabled(), true);
  await page.getByLabel(/to continue/).fill('maps/of the sea 🌊');
  await erase.click();
  await page.getByRole('heading', { name: 'Content', level: 1 }).waitFor();
  assert.equal((await postern.call('GET', `/v1/content/${encodeURIComponent('maps/of the sea 🌊')}`)).status, 404);
});

test('licensing a requester, and the next check passes', async () => {
  const policy = await made(postern, '/v1/policies', {
    name: 'Licensed',
    rules: [{ action: 'allow', conditions: { licenseType: 'research' } }],
  });
  const essay = await made(postern, '/v1/content', item({ policyId: policy.id }));
  assert.equal((await check(postern, { contentId: essay.id, requesterId: 'uni:north/fjord' })).reason, 'no_license');
  await page.goto('/console/requesters/uni%3Anorth%2Ffjord');
  await page.getByText('Not in your list yet').waitFor();
  await page.getByRole('button', { name: 'Add it' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('University of Somewhere');
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('heading', { name: 'University of Somewhere' }).waitFor();
  await page.getByRole('button', { name: 'New license' }).first().click();
  await page.getByRole('dialog').getByRole('combobox', { name: 'Kind of license' }).fill('research');
  await page.getByRole('dialog').getByLabel('Last day').fill('2100-01-01');
  await page.getByRole('dialog').getByText('Everything', { exact: true }).click();
  await page
    .getByRole('dialog')
    .getByRole('radio', { name: /^Free of charge/ })
    .check();
  await page.getByRole('dialog').getByRole('button', { name: 'Create license' }).click();
  await page.locator('.license-line').getByText('research').waitFor();
  assert.equal((await check(postern, { contentId: essay.id, requesterId: 'uni:north/fjord' })).allowed, true);

  await page.getByRole('button', { name: 'More to do with the license research of uni:north/fjord' }).click();
  await page.getByRole('menuitem', { name: 'Revoke…' }).click();
  await page.getByRole('button', { name: 'Revoke for good' }).click();
  await page.locator('.license-line').getByText('revoked').waitFor();
  assert.equal((await check(postern, { contentId: essay.id, requesterId: 'uni:north/fjord' })).allowed, false);
});

test('a test key from its preset: it reads and checks, apart from what is live, and may not be given more', async () => {
  await page.goto('/console/keys');
  await page.getByRole('button', { name: 'Create a key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Integration');
  await page.getByRole('combobox', { name: 'Preset' }).click();
  await page.getByRole('option', { name: 'Test key: try an integration' }).click();
  assert.equal(await dialog.getByRole('checkbox', { name: 'Create, edit and delete content' }).isDisabled(), true);
  await dialog.getByRole('button', { name: 'Create the key' }).click();
  const key = await dialog.locator('.secret code').innerText();
  assert.match(key, /^svc_sk_test_/);
  await page.getByRole('button', { name: 'I have it' }).click();
  await page.getByRole('row', { name: /^Integration test/ }).waitFor();
  const { id: contentId } = await makeItem(postern, [allowAll]);
  const checked = await postern.call('POST', '/v1/access/check', { key, body: { contentId } });
  assert.deepEqual([checked.body.allowed, checked.body.mode], [true, 'test']);
  assert.equal((await postern.call('GET', `/v1/access/decisions?contentId=${contentId}`)).body.totalCount, 0);
  assert.equal((await postern.call('GET', '/v1/access/decisions?mode=test')).body.totalCount, 1);
});

test('creating a key, using it, revoking it', async () => {
  await page.goto('/console/keys');
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByLabel('Name').fill('Reporting');
  await page.getByRole('combobox', { name: 'Preset' }).click();
  await page.getByRole('option', { name: 'Reports only' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create the key' }).click();
  const key = await page.getByRole('dialog').locator('.secret code').innerText();
  await page.getByRole('button', { name: 'I have it' }).click();
  assert.equal((await postern.call('GET', '/v1/analytics/usage', { key })).status, 200);
  assert.equal((await postern.call('GET', '/v1/api-keys', { key })).status, 403);
  assert.ok(!(await page.content()).includes(key), 'it is shown once');

  // Who signs in with it sees what it may, and why not the rest.
  await using other = await signedIn(browser, postern.url, key);
  await other.page.goto('/console/content');
  await other.page.getByRole('heading', { name: 'Content', level: 1 }).waitFor();
  assert.equal(await other.page.getByRole('link', { name: 'API keys' }).count(), 0);
  assert.equal(
    await other.page.getByRole('button', { name: 'New item' }).getAttribute('title'),
    'You do not hold the permission content:write.',
  );
  await other.page.goto('/console/keys');
  await other.page.getByText('You do not hold the permission api_keys:manage.').waitFor();

  await page.getByRole('button', { name: 'More to do with the key Reporting' }).click();
  await page.getByRole('menuitem', { name: 'Revoke…' }).click();
  await page.getByLabel(/to continue/).fill('Reporting');
  await page.getByRole('button', { name: 'Revoke for good' }).click();
  await page.getByRole('table', { name: 'API keys' }).getByText('Reporting').waitFor({ state: 'detached' });
  assert.equal((await postern.call('GET', '/v1/analytics/usage', { key })).status, 401);
  await other.page.goto('/console/content');
  await other.page.getByLabel('API key').waitFor();
});

test('a webhook whose receiver fails, seen, mended and tried again', async () => {
  await using receiver = await startReceiver();
  receiver.status(500, {}, 'out of order');
  await page.goto('/console/webhooks');
  await page.getByRole('button', { name: 'Add a webhook' }).first().click();
  await page.getByLabel('Address').fill(`${receiver.url}/hook`);
  await page.getByRole('dialog').getByRole('button', { name: 'Add the webhook' }).click();
  assert.match(await page.locator('.secret code').innerText(), /^whsec_/);
  await page.getByRole('button', { name: 'I have it' }).click();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText(/^500 in/).waitFor();
  await page.getByText('No attempt has succeeded since').waitFor();
  await page.getByRole('button', { name: 'webhook.test', exact: true }).click();
  await page.getByRole('dialog').getByText('out of order').first().waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  receiver.status(200);
  await page.getByRole('button', { name: 'Retry webhook.test' }).click();
  await page.getByRole('table', { name: 'Deliveries' }).getByText('succeeded', { exact: true }).waitFor();
  assert.deepEqual(signed.faults, []);
});

test('the audit log tells what was done here, field by field', async () => {
  const policy = await made(postern, '/v1/policies', { name: 'Watched', rules: [] });
  await postern.call('PATCH', `/v1/policies/${policy.id}`, { body: { name: 'Watched closely' } });
  await page.goto(`/console/audit?object=${policy.id}`);
  await page.getByRole('button', { name: 'policy.updated' }).click();
  const change = page.getByRole('dialog');
  await change.getByText('"Watched"').waitFor();
  await change.getByText('"Watched closely"').waitFor();
});

test('by the keyboard alone: the palette, and rules put in another order', async () => {
  const policy = await made(postern, '/v1/policies', {
    name: 'Order of things',
    rules: [
      { action: 'deny', conditions: { country: 'DE' } },
      { action: 'allow', conditions: { country: 'FR' } },
    ],
  });
  await page.goto('/console/content');
  await page.getByRole('heading', { name: 'Content', level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByLabel('Search and go').fill('order of things');
  await page.getByText('Policy, version 1').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Order of things' }).waitFor();
  // At once, and a result further down.
  for (const [words, downs, title] of [
    ['audit log', 0, 'Audit log'],
    ['webhook', 1, 'Add a webhook'],
  ] as const) {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByLabel('Search and go').waitFor();
    await page.keyboard.type(words);
    for (let i = 0; i < downs; i++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole(downs === 0 ? 'heading' : 'dialog', { name: title }).waitFor();
  }
  await page.goto(`/console/policies/${policy.id}`);
  const handle = page.getByRole('button', { name: /^Move rule 1:/ });
  await handle.focus();
  await page.keyboard.press('Space');
  await page.waitForTimeout(150);
  await page.keyboard.press('ArrowDown');
  await page.waitForTimeout(150);
  await page.keyboard.press('Space');
  await page.getByText('Not published yet').waitFor();
  const first = page.locator('.rule-title').first();
  assert.match(await first.innerText(), /France/);
  await page.getByRole('button', { name: 'Move rule 2 up' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Not published yet').waitFor({ state: 'detached' });
  assert.equal((await api(`/v1/policies/${policy.id}`)).version, 1);
});

test('what a page asked for is copied as curl', async () => {
  await signed.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: postern.url });
  await page.goto('/console/content?type=image');
  await page.getByRole('table', { name: 'Content' }).waitFor();
  await page.getByRole('button', { name: 'Copy as curl' }).click();
  await page.getByRole('menuitem', { name: /GET \/v1\/content\?type=image/ }).click();
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  assert.match(
    copied,
    /^curl -sS 'http:\/\/127\.0\.0\.1:\d+\/v1\/content\?type=image&limit=25' \\\n {2}-H "Authorization: Bearer \$KEY"$/,
  );
});
