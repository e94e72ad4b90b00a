/** The overview begins with what needs attention, and each row leads to the step to take. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { launchBrowser, signedIn } from '../../../kit/browser.ts';
import { startTestService } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { allowAll, check, item, made, makePolicy } from '../../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const browser = await launchBrowser();
after(() => browser.close());

const view = { viewport: { width: 1366, height: 900 } } as const;
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

test('what needs attention: the most severe first, each with its step; nothing when nothing does', async () => {
  await using signed = await signedIn(browser, postern.url, postern.key, view);
  const { page, faults } = signed;
  const panel = page.getByRole('region', { name: 'Needs attention' });
  const answered = page.waitForResponse(/\/v1\/attention$/);
  await page.goto('/console');
  await (await answered).finished();
  await page.getByText('Requests for your content appear here').waitFor();
  assert.equal(await panel.count(), 0);
  await page.getByRole('link', { name: 'Observe a site' }).click();
  assert.match(
    await page.getByRole('combobox', { name: 'Mode' }).inputValue(),
    /^Observe/,
    'the first step denies nothing',
  );

  await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme' });
  const license = await made(postern, '/v1/licenses', { requesterId: 'acme', type: 'press', expiresAt: inDays(20) });
  await made(postern, '/v1/licenses', { requesterId: 'acme', type: 'research', expiresAt: inDays(3) });
  const { token } = await made(postern, '/v1/requesters/acme/tokens', { name: 'ours' });
  await postern.call('POST', '/v1/me/requests', { key: token, body: { licenseType: 'training' } });
  const { id: policyId } = await makePolicy(postern, [allowAll]);
  const { id: contentId } = await made(postern, '/v1/content', item({ policyId }));
  for (const userAgent of ['GPTBot', 'CCBot', 'Bytespider'])
    await check(postern, { contentId, visitor: {}, context: { userAgent } });

  // New crawlers are recorded beside the decisions, not with them.
  await until('three new crawlers', async () => {
    const { data } = (await postern.call('GET', '/v1/attention')).body as { data: { kind: string }[] };
    return data.filter(({ kind }) => kind === 'crawler').length === 3;
  });
  await page.goto('/console');
  const rows = panel.getByRole('listitem');
  await rows.first().waitFor();
  const texts = await rows.allInnerTexts();
  assert.match(texts[0] ?? '', /^Urgent[\s\S]*research[\s\S]*ends in 3 days[\s\S]*Renew license$/);
  assert.match(texts[1] ?? '', /^Soon[\s\S]*press[\s\S]*ends in 20 days/);
  assert.match(texts[2] ?? '', /^Soon[\s\S]*Answer request$/);
  assert.match(texts[3] ?? '', /^New[\s\S]*3 crawlers came for the first time[\s\S]*See crawlers$/);
  assert.equal(texts.length, 4);
  await panel.getByRole('link', { name: 'Bytespider' }).waitFor();
  await rows.nth(1).getByRole('link', { name: 'Renew license' }).click();
  await page.waitForURL(new RegExp(`/licenses/${license.id}$`));
  await page.goBack();
  await panel.getByRole('link', { name: 'Answer request' }).click();
  await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor();
  assert.deepEqual(faults, []);
});
