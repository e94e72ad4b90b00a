/** Small things that a person sees: a button shows its whole label, an error keeps its distance, samples can be run. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

test('the button that copies a new key is whole, and the sample has the whole key', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key, { viewport: { width: 390, height: 844 } });
  const { page } = signed;
  await page.goto('/console/keys?new=1');
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Whole');
  await page.getByRole('dialog').getByRole('button', { name: 'Create the key' }).click();
  const copy = page.getByRole('button', { name: 'Copy the key' });
  await copy.waitFor();
  // The icon, the four letters and their padding.
  const { width = 0 } = (await copy.boundingBox()) ?? {};
  assert.ok(width > 65, `${width} pixels`);
  assert.match(await page.locator('pre.json').innerText(), /Bearer svc_sk_[^…]+'$/);
});

test('the error of the sign-in is below its field, at a distance', async () => {
  const page = await browser.newPage({
    baseURL: postern.url,
    viewport: { width: 1440, height: 900 },
    colorScheme: 'dark',
  });
  await page.goto('/console');
  await page.getByLabel('API key').first().fill('svc_sk_wrong');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  const error = page.locator('.mantine-InputWrapper-error');
  await error.waitFor();
  const above = await page.locator('.mantine-PasswordInput-wrapper, .mantine-Input-wrapper').first().boundingBox();
  const below = await error.boundingBox();
  assert.ok(
    above !== null && below !== null && below.y >= above.y + above.height + 2,
    JSON.stringify({ above, below }),
  );

  await page.close();
});

test('what is typed while the palette opens is in its field', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key);
  const { page } = signed;
  await page.goto('/console');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('webh');
  const field = page.getByRole('dialog').getByRole('textbox', { name: 'Search and go' });
  await field.waitFor();
  assert.equal(await field.inputValue(), 'webh');
});

test('on a phone filters are behind one button, which counts them', async () => {
  const phone = { viewport: { width: 390, height: 844 } } as const;
  await using signed = await signedIn(browser, postern.url, postern.key, phone);
  const { page } = signed;
  await page.goto('/console/decisions?allowed=false');
  const outcome = page.getByRole('combobox', { name: 'Outcome' });
  const fold = page.getByRole('button', { name: 'Filters (1)' });
  await fold.waitFor();
  assert.equal(await outcome.isVisible(), false);
  await fold.click();
  assert.equal(await outcome.isVisible(), true);
});
