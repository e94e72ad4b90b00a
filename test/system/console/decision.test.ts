/** The page of a decision about a URL: why it was decided so, by whom, and whether it was enforced. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { check, item, made, makePolicy } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

const { id: policyId } = await makePolicy(postern, [
  { action: 'allow', conditions: { licenseType: 'press', requesterVerified: true } },
  { action: 'deny', conditions: { crawler: ['GPTBot'] } },
]);
await made(postern, '/v1/collections', { name: 'The site', hosts: ['site.example'], policyId, mode: 'observe' });
const identities = [{ kind: 'ip', ranges: ['192.0.2.0/24'] }];
await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme', identities });
await made(postern, '/v1/licenses', { requesterId: 'acme', type: 'press' });

test('a decision about a URL is explained, with what its visitor had proven', async () => {
  const url = 'https://site.example/a%20page?b=1';
  const allowed = await check(postern, { url, requesterId: 'acme', context: { ip: '192.0.2.7' } });
  assert.deepEqual([allowed.reason, allowed.verified], [null, 'ip']);
  await using signed = await signedIn(browser, postern.url, postern.key);
  const { page } = signed;
  await page.goto(`/console/decisions/${allowed.id}`);
  const why = page.getByRole('region', { name: 'Why' });
  await why.getByRole('listitem').filter({ hasText: 'Rule 1' }).getByText('decided', { exact: true }).waitFor();
  assert.equal(await why.getByRole('alert').count(), 0);
  const answer = page.getByRole('region', { name: 'Answer' });
  assert.match((await answer.getByRole('link', { name: 'press' }).getAttribute('href')) ?? '', /\/licenses\/lic_/);
  assert.deepEqual(signed.faults, []);
});

test('what it granted and what was left are said in words', async () => {
  const { id: limited } = await makePolicy(postern, [
    { action: 'allow', rateLimit: { requests: 100, period: 'hour' }, permissions: ['full_access', 'fine_tuning'] },
  ]);
  const { id: contentId } = await made(postern, '/v1/content', item({ policyId: limited }));
  const { id } = await check(postern, { contentId, requesterId: 'acme', permission: 'fine_tuning' });
  await using signed = await signedIn(browser, postern.url, postern.key);
  const { page } = signed;
  await page.goto(`/console/decisions/${id}`);
  const answer = page.getByRole('region', { name: 'Answer' });
  await answer.getByText('99 of 100 an hour were left').waitFor();
  assert.match(await answer.innerText(), /Granted\s+Full access\s*Fine-tuning/);
  assert.match(await page.getByRole('region', { name: 'Request' }).innerText(), /Right\s+Fine-tuning/);
  assert.deepEqual(signed.faults, []);
});

test('a denial that was only observed says so, in the log and on its page', async () => {
  await check(postern, { url: 'https://site.example/b', context: { userAgent: 'GPTBot/1.2' } });
  await using signed = await signedIn(browser, postern.url, postern.key);
  const { page } = signed;
  await page.goto('/console/decisions?allowed=false');
  const row = page.getByRole('row').filter({ hasText: 'site.example/b' });
  await row.getByText('only observed').waitFor();
  await row.getByRole('link', { name: 'site.example/b' }).click();
  await page.getByText('The collection only observes: the request was let through.').waitFor();
  const why = page.getByRole('region', { name: 'Why' });
  await why.getByRole('listitem').filter({ hasText: 'Rule 2' }).getByText('decided', { exact: true }).waitFor();
  assert.deepEqual(signed.faults, []);
});
