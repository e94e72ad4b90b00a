/**
 * Over plain HTTP, except on localhost, browsers disable the features of secure contexts. The console and the API
 * reference still work, and a key that is shown once can be copied.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { launchBrowser } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
// A name that no browser takes for this machine.
const url = `http://postern.example:${new URL(postern.url).port}`;
const browser = await launchBrowser('--host-resolver-rules=MAP postern.example 127.0.0.1');
after(() => browser.close());

test('the API reference shows the operations', async () => {
  const page = await browser.newPage();
  const answer = await page.goto(`${url}/docs`);
  const policy = answer?.headers()['content-security-policy'] ?? '';
  assert.match(policy, /default-src 'self'/);
  assert.ok(!policy.includes('upgrade-insecure-requests'), policy);
  await page.locator('#operations-Access-checkAccess').waitFor();
  await page.close();
});

/** Opens a page with a session. */
async function signedInThere(path: string) {
  const context = await browser.newContext({ baseURL: url });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    // Ignores a header that only secure contexts honor, and refusals that the page reports itself.
    const expected = /^(Failed to load resource|The Cross-Origin-Opener-Policy header has been ignored)/;
    if (message.type() === 'error' && !expected.test(message.text())) faults.push(message.text());
  });
  await page.goto(`/console${path}`);
  await page.getByLabel('API key').fill(postern.key);
  await page.keyboard.press('Enter');
  return { page, faults, [Symbol.asyncDispose]: () => context.close() };
}

async function pageWithKey() {
  const signed = await signedInThere('/keys?new=1');
  const { page } = signed;
  await page.getByLabel('Name').fill('website');
  await page.getByRole('dialog').getByRole('button', { name: 'Create the key' }).click();
  const key = await page.getByRole('dialog').locator('.secret code').innerText();
  assert.equal(await page.evaluate('isSecureContext'), false, 'the test sees what it is for');
  return { ...signed, key };
}

test('a key that is shown once is copied', async () => {
  await using shown = await pageWithKey();
  const { page, key } = shown;
  await page.getByRole('button', { name: 'Copy the key' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  await page.getByRole('button', { name: 'I have it' }).click();
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByLabel('Name').focus();
  await page.keyboard.press('Control+V');
  assert.equal(await page.getByLabel('Name').inputValue(), key);
});

test('where the browser refuses, the page says so and selects the key', async () => {
  await using shown = await pageWithKey();
  const { page, key } = shown;
  await page.evaluate('document.execCommand = () => false');
  await page.getByRole('button', { name: 'Copy the key' }).click();
  await page.getByText('Nothing was copied').waitFor();
  assert.equal(await page.evaluate('getSelection().toString()'), key);
});

test('every page is there, without a fault', async () => {
  await using signed = await signedInThere('');
  await signed.page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  for (const path of ['/decisions', '/content', '/policies', '/requesters', '/licenses', '/audit', '/status']) {
    await signed.page.goto(`/console${path}`);
    await signed.page.locator('h1').waitFor();
  }
  assert.deepEqual(signed.faults, []);
});
