/** The tokens of a partner: created on its page, rotated and revoked; what proves it stands beside them. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { made } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

const identities = [{ kind: 'ip', ranges: ['192.0.2.0/24'] }];
await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme', identities });
const statusOf = async (key: string) => (await postern.call('GET', '/v1/me', { key })).status;

test('a token is shown once, opens the partner’s page, is rotated with a day of grace, and revoked', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key, { viewport: { width: 1366, height: 1000 } });
  const { page } = signed;
  await page.goto('/console/requesters/acme');
  await page.getByRole('region', { name: 'Proven by' }).getByText('192.0.2.0/24').waitFor();
  const tokens = page.getByRole('region', { name: 'Tokens' });
  await tokens.getByRole('heading', { name: 'No tokens' }).waitFor();
  await tokens.getByRole('button', { name: 'Create a token' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Production');
  await dialog.getByLabel('Last day').fill('2099-12-30');
  await page.keyboard.press('Enter');
  await dialog.getByText(`${postern.url}/partner`).waitFor();
  const secret = () => dialog.locator('.secret code').innerText();
  const first = await secret();
  assert.equal(await statusOf(first), 200);
  await dialog.getByRole('button', { name: 'I have it' }).click();
  const row = tokens.getByRole('row', { name: /Production/ });
  await row.getByText('30 Dec 2099').waitFor();
  assert.doesNotMatch(await page.content(), new RegExp(first));

  await row.getByRole('button', { name: 'More to do with the token Production' }).click();
  await page.getByRole('menuitem', { name: 'Rotate…' }).click();
  await dialog.getByRole('button', { name: 'Rotate' }).click();
  await dialog.getByText('Copy it now').waitFor();
  const second = await secret();
  assert.notEqual(second, first);
  assert.deepEqual([await statusOf(first), await statusOf(second)], [200, 200]);
  await dialog.getByRole('button', { name: 'I have it' }).click();
  await tokens
    .getByRole('row', { name: /Production/ })
    .nth(1)
    .waitFor();

  for (const left of [1, 0]) {
    await row.first().getByRole('button', { name: 'More to do with the token Production' }).click();
    await page.getByRole('menuitem', { name: 'Revoke…' }).click();
    await dialog.getByRole('button', { name: 'Revoke for good' }).click();
    await dialog.waitFor({ state: 'detached' });
    await tokens.locator('tbody tr').nth(left).waitFor({ state: 'detached' });
  }
  assert.deepEqual([await statusOf(first), await statusOf(second)], [401, 401]);
  assert.deepEqual(signed.faults, []);
});

test('who may not edit partners sees the tokens, and why none can be created', async () => {
  await made(postern, '/v1/requesters/acme/tokens', { name: 'Reading' });
  const permissions = ['requesters:read'];
  const { key } = await made(postern, '/v1/api-keys', { name: 'Viewer', type: 'secret', permissions });
  await using signed = await signedIn(browser, postern.url, key);
  const { page } = signed;
  await page.goto('/console/requesters/acme');
  const tokens = page.getByRole('region', { name: 'Tokens' });
  await tokens.getByRole('row', { name: /Reading/ }).waitFor();
  const create = tokens.getByRole('button', { name: 'Create a token' });
  assert.equal(await create.getAttribute('title'), 'You do not hold the permission requesters:write.');
  assert.deepEqual(signed.faults, []);
});
