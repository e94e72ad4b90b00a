/** A partner's page: limits as used, what decided each denial, and the user agents it is known by. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { check, item, made } from '../../http/given.ts';
import { settled } from './looking.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

const policy = await made(postern, '/v1/policies', {
  name: 'Metered',
  rules: [{ action: 'allow', rateLimit: { requests: 4, period: 'hour' } }],
});
const essay = await made(postern, '/v1/content', item({ policyId: policy.id }));
const old = await made(postern, '/v1/content', item({ policyId: policy.id }));
await postern.call('PATCH', `/v1/content/${old.id}`, { body: { status: 'archived' } });
await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme' });
await check(postern, { contentId: essay.id, requesterId: 'acme' });
assert.equal((await check(postern, { contentId: old.id, requesterId: 'acme' })).reason, 'content_archived');

test('a limit shows what is used of it, and an archived item was not denied by a rule', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key);
  const { page } = signed;
  await page.goto('/console/requesters/acme');
  const limits = page.getByRole('region', { name: 'Limits' });
  await limits.getByText('Used of each limit').waitFor();
  await limits.getByText('1 of 4 an hour used').waitFor();
  const [meter, bar] = await limits
    .locator('.meter')
    .evaluate((one) => [one.getBoundingClientRect().width, one.firstElementChild?.getBoundingClientRect().width ?? 0]);
  assert.ok(meter !== undefined && bar !== undefined && Math.abs(bar / meter - 0.25) < 0.02, `${bar} of ${meter}`);
  const denials = page.getByRole('region', { name: 'Latest denials' });
  await denials.getByText('the item is archived').waitFor();
  await denials.getByRole('link', { name: 'Item archived' }).click();
  await page.getByRole('heading', { name: 'Why' }).waitFor();
  await page.getByText('the item is archived').waitFor();
  assert.deepEqual(signed.faults, []);
});

test('a form that is open stays as it is when the page cannot be read again', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key);
  const { page } = signed;
  await page.clock.install();
  await page.goto('/console/requesters/acme');
  await settled(page);
  await page.getByRole('button', { name: 'New license' }).click();
  const kind = page.getByRole('dialog').getByRole('combobox', { name: 'Kind of license' });
  await kind.fill('training');
  await page.route('**/v1/requesters/acme', (route) => route.abort());
  // What was read is old by then, and is read again when its user comes back to the page.
  await page.clock.fastForward('01:00');
  await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
  await page.getByText('Cannot be loaded right now').first().waitFor();
  assert.equal(await kind.inputValue(), 'training');
  assert.deepEqual(signed.faults, []);
});

test('every way in which it was proven counts, also where most requests only claimed its name', async () => {
  await made(postern, '/v1/requesters', { id: 'proven' });
  for (const verified of [undefined, undefined, 'license', 'token']) {
    await check(postern, { contentId: old.id, requesterId: 'proven', ...(verified && { context: { verified } }) });
  }
  await using signed = await signedIn(browser, postern.url, postern.key);
  const { page } = signed;
  await page.goto('/console/requesters/proven');
  const figure = page.locator('.total', { hasText: 'Verified' });
  await figure.getByText('by a License token').or(figure.getByText('License token')).first().waitFor();
  assert.equal(await figure.locator('.value').innerText(), '2');
  assert.deepEqual(signed.faults, []);
});

test('a decision whose rules the key may not read says which permission is missing', async () => {
  const { key } = await made(postern, '/v1/api-keys', {
    name: 'Narrow',
    type: 'secret',
    permissions: ['analytics:read', 'access:check'],
  });
  const [denied] = (await postern.call('GET', '/v1/access/decisions?requesterId=acme&allowed=false')).body.data;
  await using signed = await signedIn(browser, postern.url, key);
  const { page } = signed;
  await page.route('**/v1/access/check', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), explanation: null } });
  });
  await page.goto(`/console/decisions/${denied.id}`);
  await page.getByText('You do not hold the permission policies:read.').waitFor();
  assert.deepEqual(signed.faults, []);
});

test('user agents are edited with commas in them, and too short ones are refused before they are sent', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key);
  const { page } = signed;
  await page.goto('/console/requesters/acme');
  await page.getByRole('button', { name: /^More to do with this/ }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog');
  const field = dialog.getByRole('combobox', { name: 'User agents' });
  await field.fill('AcmeBot (like, a browser)');
  await page.keyboard.press('Enter');
  await field.fill('ab');
  await page.keyboard.press('Enter');
  await dialog.getByText('“ab” must have 3 to 256 characters.').waitFor();
  assert.equal(await dialog.getByRole('button', { name: 'Save' }).isDisabled(), true);
  await field.press('Backspace');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('AcmeBot (like, a browser)').waitFor();
  const { userAgents } = (await postern.call('GET', '/v1/requesters/acme')).body;
  assert.deepEqual(userAgents, ['AcmeBot (like, a browser)']);
});

test('what is one is not called many', async () => {
  const { key } = await made(postern, '/v1/api-keys', { name: 'One', type: 'secret', permissions: ['policies:read'] });
  await using signed = await signedIn(browser, postern.url, key);
  await signed.page.goto(`/console/policies/${policy.id}?tab=versions`);
  await signed.page.getByText('Metered · 1 rule ·').waitFor();
  await signed.page.getByText('1 permission', { exact: true }).waitFor();
});

test('a partner is erased once its id is typed, and the status page has the progress', async () => {
  await made(postern, '/v1/requesters', { id: 'bolt', name: 'Bolt' });
  await check(postern, { contentId: essay.id, requesterId: 'bolt' });
  await using signed = await signedIn(browser, postern.url, postern.key);
  const { page } = signed;
  await page.goto('/console/requesters/bolt');
  await page.getByRole('button', { name: 'More to do with this partner or bot' }).click();
  await page.getByRole('menuitem', { name: 'Erase…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('This cannot be undone.').waitFor();
  const action = dialog.getByRole('button', { name: 'Erase for good' });
  assert.equal(await action.isEnabled(), false);
  await dialog.getByRole('textbox').fill('bolt');
  await action.click();
  await page.getByText('Bolt is being erased.').waitFor();
  assert.equal((await postern.call('GET', '/v1/requesters/bolt')).status, 404);
  await page.goto('/console/status');
  const privacy = page.getByRole('region', { name: 'Privacy' });
  await privacy.getByText('At work now').waitFor();
  await privacy.getByText('Nothing', { exact: true }).waitFor();
  // The past shows the pseudonym as what it is: not to be added, licensed or erased again.
  await page.goto('/console/requesters');
  const row = page.getByRole('row').filter({ hasText: 'Erased partner' });
  await row.getByText('erased', { exact: true }).waitFor();
  assert.equal(await row.getByRole('link', { name: /^Add/ }).count(), 0);
  await row.getByRole('link', { name: /^Erased partner/ }).click();
  await page.getByText('Who this was is no longer stored.').waitFor();
  for (const name of ['New license', 'Erase…', 'Add it']) {
    assert.equal(await page.getByRole('button', { name }).count(), 0, name);
  }
  assert.deepEqual(signed.faults, []);
});

test('a partner is added by its name first, with whom to write to and where bills go', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key, { viewport: { width: 390, height: 844 } });
  const { page } = signed;
  await page.goto('/console/requesters?new=1');
  const form = page.getByRole('dialog');
  const name = form.getByRole('textbox', { name: 'Name', exact: true });
  const id = form.getByRole('textbox', { name: 'Id', exact: true });
  const [first, second] = [await name.boundingBox(), await id.boundingBox()];
  assert.ok(first !== null && second !== null && first.y < second.y, JSON.stringify({ first, second }));
  await name.fill('Harbour Press');
  await id.fill('harbour');
  await form.getByRole('textbox', { name: 'Contact' }).fill('Jo Reyes');
  await form.getByRole('textbox', { name: 'Email' }).fill('jo@harbour.example');
  await form.getByRole('textbox', { name: 'Billing address' }).fill('1 Harbour Road\nSomewhere');
  await form.getByRole('button', { name: 'Add', exact: true }).click();
  const details = page.getByRole('region', { name: 'Details' });
  await details.getByRole('link', { name: 'jo@harbour.example' }).waitFor();
  assert.match(await details.innerText(), /Jo Reyes[^]*1 Harbour Road\nSomewhere/);
  const { contactName, email, billingAddress } = (await postern.call('GET', '/v1/requesters/harbour')).body;
  assert.deepEqual(
    [contactName, email, billingAddress],
    ['Jo Reyes', 'jo@harbour.example', '1 Harbour Road\nSomewhere'],
  );
  assert.deepEqual(signed.faults, []);
});
