/** Forms that create: the answer is lost after the service has done its work, and the button is pressed again. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { made } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());
await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme' });

const MAYBE = 'It may have taken effect all the same. Press the button again: it takes effect only once.';

/** Lets the service answer POST requests to this path, and loses every answer until the returned function is called. */
async function loseAnswers(page: Page, path: string): Promise<() => Promise<void>> {
  await page.route(`**${path}`, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await route.fetch();
    return route.abort('connectionreset');
  });
  return () => page.unroute(`**${path}`);
}

const licenses = async () => (await postern.call('GET', '/v1/licenses?requesterId=acme')).body.data;

test('a license is created once, and a changed field creates another one', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key);
  const { page } = signed;
  const dialog = page.getByRole('dialog');
  const kind = dialog.getByRole('combobox', { name: 'Kind of license' });
  const create = dialog.getByRole('button', { name: 'Create license' });
  const fill = async (type: string) => {
    await page.goto('/console/licenses?new=1&requesterId=acme');
    await kind.fill(type);
    await page.keyboard.press('Escape');
    await dialog.getByText('Everything', { exact: true }).click();
    await dialog.getByRole('radio', { name: /^Free of charge/ }).check();
  };

  await fill('gold');
  let find = await loseAnswers(page, '/v1/licenses');
  await create.click();
  await dialog.getByText(MAYBE).waitFor();
  assert.equal((await licenses()).length, 1);
  await find();
  await create.click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal((await licenses()).length, 1);

  await fill('silver');
  find = await loseAnswers(page, '/v1/licenses');
  await create.click();
  await dialog.getByText(MAYBE).waitFor();
  await find();
  await kind.fill('bronze');
  await page.keyboard.press('Escape');
  await create.click();
  await dialog.waitFor({ state: 'detached' });
  assert.deepEqual(
    (await licenses()).map(({ type }: { type: string }) => type),
    ['bronze', 'silver', 'gold'],
  );
});

test('a key is created once, and shown', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key);
  const { page } = signed;
  const dialog = page.getByRole('dialog');
  await page.goto('/console/keys?new=1');
  await dialog.getByLabel('Name').fill('once');
  const find = await loseAnswers(page, '/v1/api-keys');
  await dialog.getByRole('button', { name: 'Create the key' }).click();
  await dialog.getByText(MAYBE).waitFor();
  await find();
  await dialog.getByRole('button', { name: 'Create the key' }).click();
  await dialog.getByText(/^svc_[ps]k_/).waitFor();
  const { data } = (await postern.call('GET', '/v1/api-keys')).body;
  assert.equal(data.filter(({ name }: { name: string }) => name === 'once').length, 1);
});

test('a partner asks for a license once', async () => {
  const { token } = await made(postern, '/v1/requesters/acme/tokens', { name: 'ours' });
  const context = await browser.newContext({ baseURL: postern.url });
  after(() => context.close());
  const page = await context.newPage();
  await page.goto('/partner');
  await page.getByLabel('Token', { exact: true }).fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Kind of license').fill('training');
  const find = await loseAnswers(page, '/v1/me/requests');
  await page.getByRole('button', { name: 'Send request' }).click();
  await page.getByText(MAYBE).waitFor();
  await find();
  await page.getByRole('button', { name: 'Send request' }).click();
  await page.getByText('The publisher has your request.').waitFor();
  assert.equal((await postern.call('GET', '/v1/license-requests')).body.data.length, 1);
});
