/** Nothing is lost by one click or key: neither a secret that is shown once nor what was typed into a form. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { made } from '../../http/given.ts';

const postern = await startTestService({ env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } });
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());
await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme' });

interface Secret {
  page: string;
  /** The button that opens the form; absent where the page opens it. */
  open?: string;
  label: string;
  typed: string;
  create: string;
  secret: RegExp;
}

const secrets: Record<string, Secret> = {
  'an API key': { page: '/keys?new=1', label: 'Name', typed: 'site', create: 'Create the key', secret: /^svc_[ps]k_/ },
  'a sign-in link': {
    page: '/users?new=1',
    label: 'Name',
    typed: 'Ada',
    create: 'Create the link',
    secret: /#link=/,
  },
  'the secret of a webhook': {
    page: '/webhooks?new=1',
    label: 'Address',
    typed: 'http://127.0.0.1:9/',
    create: 'Add the webhook',
    secret: /^whsec_/,
  },
  'a token': {
    page: '/requesters/acme',
    open: 'Create a token',
    label: 'Name',
    typed: 'ours',
    create: 'Create the token',
    secret: /^svc_rt_/,
  },
};

for (const [name, { page: path, open, label, typed, create, secret }] of Object.entries(secrets)) {
  test(`${name} stays in sight until its button is pressed`, async () => {
    await using signed = await signedIn(browser, postern.url, postern.key);
    const { page } = signed;
    await page.goto(`/console${path}`);
    if (open !== undefined) await page.getByRole('button', { name: open }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: label }).fill(typed);
    await dialog.getByRole('button', { name: create }).click();
    const shown = dialog.locator('.secret code').filter({ hasText: secret });
    await shown.waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    // An Escape that closes does it before the next press is handled.
    await page.keyboard.press('Escape');
    assert.equal(await shown.isVisible(), true);
    await dialog.getByRole('button', { name: 'I have it' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(signed.faults, []);
  });
}

describe('a click beside a form in a dialog', () => {
  test('closes it untouched, and leaves it open once something was typed or chosen', async () => {
    await using signed = await signedIn(browser, postern.url, postern.key);
    const { page } = signed;
    const dialog = page.getByRole('dialog');
    const beside = () => page.mouse.click(5, 5);
    await page.goto('/console/licenses?new=1');
    await dialog.getByRole('combobox', { name: 'Partner' }).waitFor();
    await beside();
    await dialog.waitFor({ state: 'detached' });

    const touches: Record<string, () => Promise<void>> = {
      typed: () => dialog.getByRole('combobox', { name: 'Kind of license' }).fill('gold'),
      chosen: async () => {
        await dialog.getByRole('combobox', { name: 'Partner' }).click();
        await page.getByRole('option', { name: /^Acme/ }).click();
      },
      checked: () => dialog.getByText('Everything', { exact: true }).click(),
      pressed: () => dialog.getByRole('button', { name: 'No end' }).click(),
    };
    for (const [name, touch] of Object.entries(touches)) {
      await page.goto('/console/licenses?new=1');
      await touch();
      await beside();
      await beside();
      assert.equal(await dialog.getByRole('button', { name: 'Create license' }).isVisible(), true, name);
    }
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(signed.faults, []);
  });
});

test('a form that fills a page asks before a link leaves it, and not when it is sent', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key, { viewport: { width: 1366, height: 900 } });
  const { page } = signed;
  const asked: string[] = [];
  let answer: 'accept' | 'dismiss' = 'dismiss';
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    void dialog[answer]();
  });
  await page.goto('/console/content/new');
  const content = page.getByRole('navigation').getByRole('link', { name: 'Content', exact: true });
  await content.click();
  await page.waitForURL(/\/console\/content$/);
  assert.deepEqual(asked, []);

  await page.goto('/console/content/new');
  await page.getByLabel('Title').fill('Tides');
  await content.click();
  assert.deepEqual(asked, ['Leave this page? Your changes are not saved.']);
  assert.equal(await page.getByLabel('Title').inputValue(), 'Tides');
  await page.getByLabel('External id').fill('tides');
  await page.getByLabel('Source').fill('https://example.com/tides');
  await page.getByRole('button', { name: 'Create item' }).click();
  await page.waitForURL(/\/console\/content\/cnt_/);
  assert.equal(asked.length, 1);

  await page.goto('/console/collections/new');
  await page.getByLabel('Name').fill('News');
  answer = 'accept';
  await content.click();
  await page.waitForURL(/\/console\/content$/);
  assert.equal(asked.length, 2);
  assert.deepEqual(signed.faults, []);
});
