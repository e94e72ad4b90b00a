/** Editing a policy loses nothing without a word: drafts, what a rule grants, and publishing beside a slow preview. */
import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { launchBrowser, type Signed, signedIn, signingIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { check, item, made } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

let signed: Signed;
let page: Page;
beforeEach(signingIn(browser, postern, { width: 1366, height: 900 }, (now) => ({ page } = signed = now)));

const stored = async (id: string) => (await postern.call('GET', `/v1/policies/${id}`)).body;
const open = async (id: string) => {
  await page.goto(`/console/policies/${id}`);
  await page.getByRole('heading', { name: 'Rules', exact: true }).waitFor();
};
const description = () => page.getByRole('textbox', { name: 'Description' });
const restored = () => page.getByText('Your draft was restored');
const publish = (name = 'Publish') => page.getByRole('dialog').getByRole('button', { name, exact: true });

describe('a draft', () => {
  test('survives leaving the page and loading it again, until it is discarded', async () => {
    const { id } = await made(postern, '/v1/policies', { name: 'Kept', description: 'old', rules: [] });
    await open(id);
    assert.equal(await restored().count(), 0);
    await description().fill('new');
    await page.getByText('Not published yet').waitFor();
    await page.getByRole('link', { name: 'Content', exact: true }).click();
    await page.getByRole('heading', { name: 'Content', level: 1 }).waitFor();
    await page.goBack();
    await restored().waitFor();
    assert.equal(await description().inputValue(), 'new');
    await page.reload();
    await restored().waitFor();
    assert.equal(await description().inputValue(), 'new');
    assert.equal((await stored(id)).version, 1);

    await page.goto('/console/policies');
    await page.getByRole('row', { name: /Kept/ }).getByText('unpublished draft').waitFor();
    await open(id);
    await page.getByRole('button', { name: 'Discard draft' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByText('Not published yet').waitFor({ state: 'detached' });
    assert.equal(await description().inputValue(), 'old');
    await page.reload();
    await page.getByRole('heading', { name: 'Rules', exact: true }).waitFor();
    assert.equal(await restored().count(), 0);
    assert.equal(await page.evaluate('Object.keys(localStorage).filter((name) => name.includes("draft")).length'), 0);
    assert.deepEqual(signed.faults, []);
  });

  test('is gone once it is published', async () => {
    const { id } = await made(postern, '/v1/policies', { name: 'Published', rules: [] });
    await open(id);
    await description().fill('new');
    await page.getByRole('button', { name: 'Preview and publish' }).click();
    await publish().click();
    await page.getByText('version 2', { exact: true }).waitFor();
    await page.getByText('Not published yet').waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('heading', { name: 'Rules', exact: true }).waitFor();
    assert.equal(await restored().count(), 0);
    assert.equal((await stored(id)).description, 'new');
  });

  test('of a version that is no longer in force says so, and is published only by choice', async () => {
    const { id } = await made(postern, '/v1/policies', { name: 'Raced', rules: [] });
    await open(id);
    await description().fill('mine');
    await postern.call('PATCH', `/v1/policies/${id}`, { body: { description: 'theirs' } });
    await page.reload();
    await page.getByText('Version 2 was published in the meantime').waitFor();
    assert.equal(await description().inputValue(), 'mine');
    assert.equal(await page.getByRole('button', { name: 'Preview and publish' }).isDisabled(), true);
    await page.getByRole('link', { name: 'See what changed' }).click();
    await page.getByText('Changes since').waitFor();
    await page.getByText('theirs').first().waitFor();
    await page.getByRole('button', { name: 'Keep my draft' }).click();
    await page.getByRole('button', { name: 'Preview and publish' }).click();
    await publish().click();
    await page.getByText('version 3', { exact: true }).waitFor();
    assert.equal((await stored(id)).description, 'mine');
  });

  test('is kept while another version is published under it', async () => {
    const { id } = await made(postern, '/v1/policies', { name: 'Refetched', rules: [] });
    await open(id);
    await description().fill('mine');
    await postern.call('PATCH', `/v1/policies/${id}`, { body: { description: 'theirs' } });
    await page.getByRole('button', { name: 'Preview and publish' }).click();
    await publish().click();
    await page.getByRole('dialog').getByText('Version 2 was published in the meantime').waitFor();
    await page.getByRole('button', { name: 'Not yet' }).click();
    assert.equal(await description().inputValue(), 'mine');
    await page.getByText('Your draft is based on version 1').waitFor();
  });

  test('of a policy that does not exist yet is kept too, and so is JSON that cannot be read', async () => {
    await page.goto('/console/policies/new');
    await page.getByRole('button', { name: 'Start empty: Empty' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Half written');
    await page.getByText('JSON', { exact: true }).click();
    await page.getByLabel('Rules as JSON').fill('[{"action": "deny"');
    assert.equal(await page.getByRole('button', { name: 'Create policy' }).isDisabled(), true);
    await page.goto('/console/policies/new');
    await restored().waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'Half written');
    assert.equal(await page.getByLabel('Rules as JSON').inputValue(), '[{"action": "deny"');
    await page.getByLabel('Rules as JSON').fill('[null]');
    await page.getByText('Rule 1: a rule is an object').waitFor();
    await page.getByLabel('Rules as JSON').fill('[{"action": "deny"}]');
    await page.getByRole('button', { name: 'Create policy' }).click();
    await page.getByRole('heading', { name: 'Half written', level: 1 }).waitFor();
    await page.getByText('This policy applies to no content yet').waitFor();
    await page.goto('/console/policies/new');
    await page.getByRole('button', { name: 'Start empty: Empty' }).waitFor();
    assert.deepEqual(signed.faults, []);
  });

  test('is for the key that wrote it alone', async () => {
    const { id } = await made(postern, '/v1/policies', { name: 'Private', rules: [] });
    await open(id);
    await description().fill('mine');
    await page.getByText('Not published yet').waitFor();
    const other = await made(postern, '/v1/api-keys', {
      name: 'Other',
      type: 'secret',
      permissions: ['policies:read', 'policies:write'],
    });
    await signed.context.clearCookies();
    const answer = await signed.context.request.post('/console/session', {
      headers: { 'x-postern-console': '1' },
      data: { key: other.key },
    });
    assert.equal(answer.status(), 201);
    await open(id);
    assert.equal(await description().inputValue(), '');
    assert.equal(await restored().count(), 0);
  });
});

describe('a rule turned from allow to deny', () => {
  const grant = { permissions: ['training'], rateLimit: { requests: 5, period: 'hour' } };

  test('drops what it granted, and gets it back when it is turned again', async () => {
    const { id } = await made(postern, '/v1/policies', { name: 'Turned', rules: [{ action: 'allow', ...grant }] });
    await open(id);
    await page.locator('.rule-title').click();
    const card = page.locator('.rule-card');
    await card.getByText('5 an hour').waitFor();
    await card.getByText('Deny', { exact: true }).click();
    await page.getByText('Not published yet').waitFor();
    assert.doesNotMatch(await card.locator('.words').innerText(), /hour/);
    await card.getByText('Allow', { exact: true }).click();
    assert.match(await card.locator('.words').innerText(), /granting training, 5 an hour/);
    await card.getByText('Deny', { exact: true }).click();
    await page.getByRole('button', { name: 'Preview and publish' }).click();
    await publish().click();
    await page.getByText('version 2', { exact: true }).waitFor();
    assert.deepEqual((await stored(id)).rules, [{ action: 'deny' }]);
  });

  test('elsewhere shows what it still carries, and how to remove it', async () => {
    const { id } = await made(postern, '/v1/policies', { name: 'Carried', rules: [{ action: 'deny', ...grant }] });
    await open(id);
    await page.locator('.rule-title').click();
    const carried = page.getByText('This rule also carries the permissions training and a limit of 5 an hour.');
    await carried.waitFor();
    await page.locator('.rule-body').getByRole('button', { name: 'Remove', exact: true }).click();
    await carried.waitFor({ state: 'detached' });
    await page.getByText('JSON', { exact: true }).click();
    assert.deepEqual(JSON.parse(await page.getByLabel('Rules as JSON').inputValue()), [{ action: 'deny' }]);
  });
});

describe('publishing', () => {
  /** Holds the answer of the preview back until it is let through. */
  async function slowPreview(): Promise<() => void> {
    const gate = Promise.withResolvers<void>();
    await page.route('**/impact', async (route) => {
      await gate.promise;
      await route.continue().catch(() => undefined);
    });
    return gate.resolve;
  }

  test('waits for the preview', async () => {
    const { id } = await made(postern, '/v1/policies', { name: 'Waiting', rules: [] });
    const essay = await made(postern, '/v1/content', item({ policyId: id }));
    await check(postern, { contentId: essay.id, requesterId: 'a' });
    const letThrough = await slowPreview();
    await open(id);
    await description().fill('new');
    await page.getByRole('button', { name: 'Preview and publish' }).click();
    await page.getByText('Deciding every recorded check again').waitFor();
    assert.equal(await publish().isDisabled(), true);
    letThrough();
    await page.locator('[data-figure="unchanged"]').waitFor();
    assert.equal(await publish('Publish without waiting').count(), 0);
    await publish().click();
    await page.getByText('version 2', { exact: true }).waitFor();
  });

  test('can be done without waiting for it', async () => {
    const { id } = await made(postern, '/v1/policies', { name: 'Hurried', rules: [] });
    await slowPreview();
    await open(id);
    await description().fill('new');
    await page.getByRole('button', { name: 'Preview and publish' }).click();
    await publish('Publish without waiting').click();
    await page.getByText('version 2', { exact: true }).waitFor();
    assert.equal((await stored(id)).description, 'new');
  });

  test('needs no preview where the key cannot have one, nor one that failed', async () => {
    const { key } = await made(postern, '/v1/api-keys', {
      name: 'Policies alone',
      type: 'secret',
      permissions: ['policies:read', 'policies:write'],
    });
    const { id } = await made(postern, '/v1/policies', { name: 'Narrow', rules: [] });
    await using narrow = await signedIn(browser, postern.url, key);
    await narrow.page.goto(`/console/policies/${id}`);
    await narrow.page.getByRole('textbox', { name: 'Description' }).fill('new');
    await narrow.page.getByRole('button', { name: 'Preview and publish' }).click();
    await narrow.page.getByText('No preview of the impact').waitFor();
    await narrow.page.getByRole('button', { name: 'Publish', exact: true }).click();
    await narrow.page.getByText('version 2', { exact: true }).waitFor();
    await narrow.page.getByRole('tab', { name: 'Try it' }).click();
    await narrow.page.getByText('You do not hold the permission content:read.').waitFor();
    assert.deepEqual(narrow.faults, []);

    await page.route('**/impact', (route) => route.fulfill({ status: 500, body: '{}' }));
    await open(id);
    await description().fill('newer');
    await page.getByRole('button', { name: 'Preview and publish' }).click();
    await page.getByText('The service failed').waitFor();
    await publish().click();
    await page.getByText('version 3', { exact: true }).waitFor();
  });
});
