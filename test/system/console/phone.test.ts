/** On a phone: sentences have the width of the screen, fields show what they hold, and all choices are in view. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { made } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());
const PHONE = { viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' } as const;

await made(postern, '/v1/collections', {
  name: 'News',
  hosts: ['news.example.com'],
  paths: ['/*.pdf$'],
  mode: 'observe',
});
await postern.call('PUT', '/v1/sites/news.example.com', { body: { contact: 'licensing@example.com' } });
await made(
  postern,
  '/v1/access/check',
  { url: 'https://news.example.com/reports/2026.pdf', context: { userAgent: 'Googlebot/2.1' } },
  200,
);

test('the latest decisions are read across the screen', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key, PHONE);
  const { page } = signed;
  await page.goto('/console?observed=true');
  const sentence = page.locator('.feed .what').first();
  await sentence.waitFor();
  const { width = 0 } = (await sentence.boundingBox()) ?? {};
  assert.ok(width > 250, `${width} pixels`);
  assert.deepEqual(signed.faults, []);
});

test('the editor of a policy shows the whole key of a condition on metadata', async () => {
  const policy = await made(postern, '/v1/policies', {
    name: 'Sections',
    rules: [{ action: 'deny', conditions: { contentMetadata: { section: ['sea', 1] } } }],
  });
  await using signed = await signedIn(browser, postern.url, postern.key, PHONE);
  const { page } = signed;
  await page.goto(`/console/policies/${policy.id}`);
  await page.locator('.rule-title').click();
  const key = page.getByLabel('Metadata key');
  assert.equal(await key.inputValue(), 'section');
  const { width = 0 } = (await key.boundingBox()) ?? {};
  assert.ok(width > 100, `${width} pixels`);
  assert.deepEqual(signed.faults, []);
});

test('the editor of a policy says how keys of attributes begin, and offers the first one', async () => {
  const policy = await made(postern, '/v1/policies', {
    name: 'Records',
    rules: [{ action: 'allow', conditions: { attributes: { 'subject.role': 'editor' } } }],
  });
  await using signed = await signedIn(browser, postern.url, postern.key, PHONE);
  const { page } = signed;
  await page.goto(`/console/policies/${policy.id}`);
  await page.locator('.rule-title').click();
  const key = page.getByLabel('Attribute key');
  assert.equal(await key.inputValue(), 'subject.role');
  const fault = page.getByText('Start with subject. or action. or resource.');
  for (const [text, faults] of [
    ['', 0],
    ['res', 0],
    ['resource.status', 0],
    ['role', 1],
  ] as const) {
    await key.fill(text);
    assert.equal(await fault.count(), faults, text);
  }
  await page.getByRole('button', { name: 'Remove condition Attribute' }).click();
  await page.getByRole('button', { name: 'Add a condition' }).click();
  await page.keyboard.type('Attribute');
  await page
    .getByRole('option', { name: /^Attribute/ })
    .or(page.getByRole('menuitem', { name: /^Attribute/ }))
    .first()
    .click();
  assert.equal(await key.getAttribute('placeholder'), 'subject.role');
  assert.deepEqual(signed.faults, []);
});

test('no choice on the page of a site is beyond the screen, and code is not in backticks', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key, PHONE);
  const { page } = signed;
  await page.goto('/console/sites/news.example.com');
  for (const label of ['Leave it alone', 'headers', 'tdm-policy']) {
    const choice = page.getByText(label, { exact: true }).first();
    await choice.waitFor();
    const { x = 0, width = 0 } = (await choice.boundingBox()) ?? {};
    assert.ok(x >= 0 && x + width < 375, `${label} ends at ${x + width}`);
  }
  const said = page.locator('.panel', { hasText: 'Cannot be said' });
  await said.locator('code').first().waitFor();
  assert.doesNotMatch(await said.innerText(), /`/);
  assert.deepEqual(signed.faults, []);
});

test('a list that a desktop sorts can be sorted', async () => {
  const source = 'https://www.example.com/a';
  const { id: contentId } = await made(postern, '/v1/content', {
    externalId: 'a',
    title: 'A',
    type: 'article',
    source,
  });
  for (const requesterId of ['often', 'often', 'lately'])
    await made(postern, '/v1/access/check', { contentId, requesterId }, 200);
  await using signed = await signedIn(browser, postern.url, postern.key, PHONE);
  const { page } = signed;
  await page.goto('/console/requesters');
  const first = (id: string) => page.locator('.list tbody tr:first-child td.lead', { hasText: id });
  await first('often').waitFor();
  let end = 0;
  for (const name of ['Requests', 'Denied', 'Last seen']) {
    const box = await page.locator('.list thead').getByRole('button', { name }).boundingBox();
    assert.ok(box !== null && box.x > end && box.x + box.width <= 375 && box.height >= 32, JSON.stringify(box));
    end = box.x + box.width;
  }
  await page.getByRole('button', { name: 'Last seen' }).click();
  await first('lately').waitFor();
  assert.equal(await page.locator('.list [aria-sort]').innerText(), 'Last seen');
  assert.deepEqual(signed.faults, []);
});
