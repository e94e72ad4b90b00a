/** Signing in with the browser: by a link, through a real provider, by key; and what people and admins then see. */
import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startProvider } from '../../../kit/oidc.ts';
import { startTestService } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { made } from '../../http/given.ts';

const browser = await launchBrowser();
after(() => browser.close());
const provider = await startProvider();
after(() => provider[Symbol.asyncDispose]());
const postern = await startTestService({ env: provider.env });
after(() => postern[Symbol.asyncDispose]());
provider.register(postern.url);

beforeEach(() => {
  Object.assign(provider, { down: false, forge: false, tamper: undefined });
  provider.people.set('ada', { name: 'Ada Lovelace', email: 'ada@example.com', groups: ['heads'] });
  provider.people.set('vic', { name: 'Vic', groups: ['staff'] });
  provider.people.set('eve', { name: 'Eve', groups: [] });
});

/** Opens a page in a new browser. */
async function visit(path: string): Promise<Page> {
  const context = await browser.newContext({ baseURL: postern.url, reducedMotion: 'reduce' });
  after(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(path);
  return page;
}

const viaProvider = async (page: Page, login: string): Promise<void> => {
  await page.getByRole('button', { name: /^Sign in with 127\.0\.0\.1/ }).click();
  await page.getByLabel('Login').fill(login);
  await page.getByRole('button', { name: 'Go on' }).click();
};
const isAt = (page: Page, path: string) => page.waitForURL(postern.url + path);

describe('a link', () => {
  test('asks first, signs in once, and leaves no trace in the address', async () => {
    const { path } = await made(postern, '/v1/users/links', { name: 'Grace', role: 'editor' });
    const page = await visit(path);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: /^Grace/ }).waitFor();
    assert.ok(!page.url().includes('#'), page.url());
    await page.reload();
    await page.getByRole('button', { name: /^Grace/ }).waitFor();
    const other = await visit(path);
    await other.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.getByText('This link was used, replaced by a newer one, or has expired.').waitFor();
    await other.getByLabel('API key').waitFor();
  });

  test('that is pasted into a tab with the console open signs in, also over another session', async () => {
    const newLink = async (name: string, role: string) =>
      (await made(postern, '/v1/users/links', { name, role })).path as string;
    const press = async (page: Page) => {
      await page.getByText('You opened a link that signs you in, once.').waitFor();
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    };
    const page = await visit('/console');
    await page.getByLabel('API key').waitFor();
    const first = await newLink('Hedy', 'editor');
    await page.goto(first);
    await press(page);
    await page.getByRole('button', { name: /^Hedy/ }).waitFor();
    assert.equal(page.url(), `${postern.url}/console`);

    await page.goto(await newLink('Joan', 'admin'));
    await press(page);
    await page.getByRole('button', { name: /^Joan/ }).waitFor();
    assert.equal(page.url(), `${postern.url}/console`);

    // A link that was used leaves the session as it is, and says so.
    await page.goto(first);
    await press(page);
    await page.getByText('This link was used, replaced by a newer one, or has expired.').waitFor();
    await page.getByRole('button', { name: /^Joan/ }).waitFor();
    assert.equal(page.url(), `${postern.url}/console`);
  });
});

describe('the provider', () => {
  test('signs in, and the page that was asked for opens; signing out ends the session', async () => {
    const page = await visit('/console/content?q=sea');
    await viaProvider(page, 'ada');
    await isAt(page, '/console/content?q=sea');
    const account = page.getByRole('button', { name: /^Ada Lovelace/ });
    await account.click();
    await page.getByText('ada@example.com').waitFor();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Postern' }).waitFor();
    await page.goto('/console/content');
    await page.getByRole('heading', { name: 'Sign in to Postern' }).waitFor();
  });

  test('names a person without a role: the page says so', async () => {
    const page = await visit('/console');
    await viaProvider(page, 'eve');
    await page.getByText('have no role in Postern').waitFor();
  });

  test('that declines, or is down: the page says so, and a key still signs in', async () => {
    const page = await visit('/console');
    await viaProvider(page, 'refused');
    await page.getByText('The provider did not sign you in.').waitFor();
    provider.down = true;
    await postern.restart();
    const there = await visit(`${postern.url}/console`);
    await there.getByRole('button', { name: /^Sign in with/ }).click();
    await there.getByText('The sign-in provider cannot be reached.').waitFor();
    await there.getByLabel('API key').fill(postern.key);
    await there.getByRole('button', { name: 'Sign in', exact: true }).click();
    await there.getByRole('button', { name: /^First key/ }).waitFor();
    provider.down = false;
    provider.register(postern.url);
  });

  test('that stopped after a sign-in: the page says so instead of leading there, and a key still signs in', async () => {
    await using there = await startProvider();
    await using own = await startTestService({ env: there.env });
    there.people.set('ada', { name: 'Ada Lovelace', groups: ['heads'] });
    there.register(own.url);
    const first = await visit(`${own.url}/console`);
    await viaProvider(first, 'ada');
    await first.getByRole('button', { name: /^Ada Lovelace/ }).waitFor();
    await there.stop();
    await until('the service notices', async () => {
      const headers = { 'x-postern-console': '1' };
      return (await own.call('POST', '/console/oidc', { key: null, headers, body: {} })).status === 503;
    });
    const page = await visit(`${own.url}/console`);
    await page.getByRole('button', { name: /^Sign in with/ }).click();
    await page.getByText('The sign-in provider cannot be reached.').waitFor();
    assert.equal(page.url(), `${own.url}/console`);
    await page.getByLabel('API key').fill(own.key);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: /^First key/ }).waitFor();
    await first.reload();
    await first.getByRole('button', { name: /^Ada Lovelace/ }).waitFor();
  });
});

describe('an answer of the provider', () => {
  const FAILED = 'The answer of the provider could not be verified.';
  /** Tries to sign in in a new browser, with the answer changed. */
  const attempt = async (login: string): Promise<Page> => {
    const page = await visit('/console');
    await viaProvider(page, login);
    return page;
  };
  const isIn = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) }).waitFor();
  const shift = (seconds: number) => (claims: Record<string, unknown>) => ({
    ...claims,
    iat: Number(claims.iat) + seconds,
    exp: Number(claims.iat) + seconds + 10,
  });

  test('with new keys signs in, one with a key that it does not publish does not', async () => {
    await isIn(await attempt('ada'), 'Ada');
    provider.rotate();
    await isIn(await attempt('ada'), 'Ada');
    provider.forge = true;
    await (await attempt('ada')).getByText(FAILED).waitFor();
  });

  test('by a clock that is off by half a minute signs in, by five minutes not', async () => {
    provider.tamper = shift(-30);
    await isIn(await attempt('ada'), 'Ada');
    provider.tamper = shift(-300);
    await (await attempt('ada')).getByText(FAILED).waitFor();
  });

  test('for another audience does not sign in', async () => {
    provider.tamper = (claims) => ({ ...claims, aud: 'another-service' });
    await (await attempt('ada')).getByText(FAILED).waitFor();
  });

  test('that was used opens nothing, in this browser or in another', async () => {
    const page = await visit('/console');
    const answered = page.waitForRequest((request) => request.url().includes('/console/oidc/callback?'));
    await viaProvider(page, 'ada');
    const callback = (await answered).url();
    await isIn(page, 'Ada');
    await page.getByRole('button', { name: /^Ada/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Postern' }).waitFor();
    for (const one of [page, await visit('/console')]) {
      await one.goto(callback);
      await one.getByText('Signing in took too long or began in another browser.').waitFor();
      assert.equal(await one.getByRole('button', { name: /^Ada/ }).count(), 0);
    }
  });

  test('of another provider, to which a browser was led, does not sign in', async () => {
    await using other = await startProvider();
    other.people.set('ada', { name: 'Ada Lovelace', groups: ['heads'] });
    other.register(postern.url);
    const page = await visit('/console');
    await page.route(`${provider.issuer}/auth?**`, (route) => {
      const location = route.request().url().replace(provider.issuer, other.issuer);
      return route.fulfill({ status: 302, headers: { location } });
    });
    await viaProvider(page, 'ada');
    await page.getByText(FAILED).waitFor();
    assert.ok(other.asked('/auth') > 0, 'the other provider was asked');
  });

  test('without the role that a person had ends the open page too', async () => {
    const open = await attempt('vic');
    await isIn(open, 'Vic');
    provider.people.set('vic', { name: 'Vic', groups: [] });
    await (await attempt('vic')).getByText('have no role in Postern').waitFor();
    await open.reload();
    await open.getByRole('heading', { name: 'Sign in to Postern' }).waitFor();
  });
});

test('a viewer sees, and the page names what the role lacks', async () => {
  const page = await visit('/console/policies');
  await viaProvider(page, 'vic');
  await isAt(page, '/console/policies');
  await page.getByRole('button', { name: /^Vic/ }).waitFor();
  await page.getByRole('button', { name: 'New policy' }).first().waitFor();
  assert.equal(
    await page.getByRole('button', { name: 'New policy' }).first().getAttribute('title'),
    'You do not hold the permission policies:write.',
  );
  assert.equal(await page.getByRole('link', { name: 'Users' }).count(), 0);
  await page.goto('/console/users');
  await page.getByText('You do not hold the permission api_keys:manage.').waitFor();
});

test('the navigation of a viewer leads to pages that a viewer may open', async () => {
  const page = await visit('/console/content');
  await viaProvider(page, 'vic');
  await page.getByRole('button', { name: /^Vic/ }).waitFor();
  const refused: string[] = [];
  page.on('response', (answer) => {
    if (answer.status() === 403) refused.push(`${page.url()} ${answer.url()}`);
  });
  const navigation = page.getByRole('navigation', { name: 'Main' });
  const labels = await navigation.getByRole('link').allInnerTexts();
  assert.ok(labels.includes('Licenses') && !labels.includes('Statements'), labels.join());
  for (const name of labels) {
    await navigation.getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    await page.waitForLoadState('networkidle');
  }
  await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme GmbH' });
  await page.goto('/console/requesters');
  await page.getByRole('row', { name: /^Acme GmbH/ }).waitFor();
  assert.deepEqual(refused, []);
  await page.goto('/console/visitors');
  await page.getByText('It is not for viewers and public keys.').waitFor();
});

test('an admin sees on a policy who wrote each version', async () => {
  const page = await visit('/console');
  await viaProvider(page, 'ada');
  await page.getByRole('button', { name: /^Ada/ }).waitFor();
  const { id } = await made(postern, '/v1/policies', { name: 'Written by two', rules: [] });
  const status = await page.evaluate(async (path) => {
    const headers = { 'content-type': 'application/json', 'x-postern-console': '1' };
    return (await fetch(path, { method: 'PATCH', headers, body: '{"defaultAction":"allow"}' })).status;
  }, `/v1/policies/${id}`);
  assert.equal(status, 200);
  await page.goto(`/console/policies/${id}?tab=versions`);
  await page.getByText('Written by Ada Lovelace').waitFor();
  await page.goto(`/console/policies/${id}?tab=versions&version=1`);
  await page.getByText('Written by First key').waitFor();
});

test('an admin creates a link, reads the roles, suspends and reinstates; the audit log names everybody', async () => {
  const guest = await visit('/console/content');
  await viaProvider(guest, 'vic');
  await isAt(guest, '/console/content');
  await using signed = await signedIn(browser, postern.url, postern.key, { reducedMotion: 'reduce' });
  const { page, faults } = signed;
  await page.goto('/console/users');
  await page.getByRole('region', { name: 'Roles' }).getByText('requesters:write').waitFor();
  await page.getByRole('button', { name: 'Create a sign-in link' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Newcomer');
  await page.getByRole('button', { name: 'Create the link' }).click();
  await page.getByText('/console#link=').waitFor();
  await page.getByRole('button', { name: 'I have it' }).click();
  await page.getByRole('row', { name: /^Newcomer.*viewer.*by link.*never/ }).waitFor();

  await page.getByRole('button', { name: 'More to do with the user Vic' }).click();
  await page.getByRole('menuitem', { name: 'Suspend…' }).click();
  await page.getByRole('button', { name: 'Suspend', exact: true }).click();
  await page.getByRole('row', { name: /^Vic.*suspended/ }).waitFor();
  await guest.reload();
  await guest.getByRole('heading', { name: 'Sign in to Postern' }).waitFor();
  // Still signed in at the provider.
  await guest.getByRole('button', { name: /^Sign in with/ }).click();
  await guest.getByText('Your access to Postern is suspended.').waitFor();

  await page.getByRole('button', { name: 'More to do with the user Vic' }).click();
  await page.getByRole('menuitem', { name: 'Reinstate' }).click();
  await page.getByRole('row', { name: /^Vic.*active/ }).waitFor();
  await page.goto('/console/audit');
  await page
    .getByRole('row', { name: /user\.signed_in.*Vic/ })
    .first()
    .waitFor();
  assert.deepEqual(faults, []);
});
