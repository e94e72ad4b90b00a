/** Fills a service with one record of each kind, as far as the forms allow: what the pages of the console show. */
import type { TestService } from '../../../kit/service.ts';
import { words } from '../../../kit/words.ts';
import { item, made } from '../../http/given.ts';
import { fillWithDemo } from './catalogue.ts';

/** Returns the records whose pages are looked at. */
export async function fillEverything(postern: TestService) {
  await fillWithDemo(postern, { items: 120, checks: 600 });
  // The demo has registered it.
  await postern.call('PATCH', '/v1/requesters/GPTBot', { body: { type: 'ai_crawler', metadata: { tier: 1 } } });
  for (const more of [
    { type: 'research', expiresAt: '2100-01-01T00:00:00Z' },
    { type: 'media', features: ['api'], scope: { tags: ['sea'] } },
  ]) {
    await made(postern, '/v1/licenses', { requesterId: 'GPTBot', ...more });
  }
  const billed = await made(postern, '/v1/licenses', {
    requesterId: 'GPTBot',
    type: 'commercial',
    terms: {
      reference: 'Contract 12',
      currency: 'EUR',
      timezone: 'Europe/Berlin',
      period: 'month',
      unit: 'decision',
      purposes: ['training'],
      tiers: [
        { upTo: 100, unitPriceMicros: 20_000 },
        { upTo: null, unitPriceMicros: 12_500 },
      ],
      minimumMicros: 25_000_000,
      flatMicros: 10_000_000,
      quota: { units: 500, onExceed: 'allow' },
      alerts: [0.5, 1],
    },
  });
  const { token } = await made(postern, '/v1/requesters/GPTBot/tokens', { name: 'ours' });
  for (const licenseType of ['training', 'search']) {
    const body = { licenseType, note: 'All articles since 2020, for our next model.' };
    const { id } = (await postern.call('POST', '/v1/me/requests', { key: token, body })).body;
    if (licenseType === 'search')
      await postern.call('POST', `/v1/license-requests/${id}/grant`, { body: { free: true, answer: 'Yes' } });
  }
  const [statement] = (await postern.call('GET', `/v1/statements?licenseId=${billed.id}`)).body.data;
  const site = await made(postern, '/v1/collections', {
    name: 'A site',
    hosts: ['news.example'],
    policyId: 'pol_default',
  });
  await postern.call('PUT', '/v1/sites/news.example', {
    body: { signals: { robotsBase: 'User-agent: *\nDisallow: /search\n', public: true }, contact: 'l@example.com' },
  });
  const everything = words(`
    licenseType licenseFeatures requesterId requesterTags purpose country ip userAgent contentTags
  `).map((key) => [key, key === 'country' ? ['DE'] : key === 'ip' ? ['192.0.2.0/24'] : ['x']]);
  const policy = await made(postern, '/v1/policies', {
    name: 'One of each',
    description: 'All kinds of conditions',
    rules: [
      {
        action: 'allow',
        conditions: {
          ...Object.fromEntries(everything),
          hasValidLicense: true,
          licenseExpiry: { after: 'now' },
          contentType: 'article',
          contentMetadata: { section: ['sea', 1] },
          time: { days: ['mon'], from: '09:00', to: '17:00' },
        },
        permissions: ['training'],
        rateLimit: { requests: 5, period: 'day' },
        message: 'Yes',
      },
      { action: 'deny', conditions: { country: 'DE' } },
      { action: 'allow', permissions: ['trainning'] },
    ],
  });
  await postern.call('PATCH', `/v1/policies/${policy.id}`, { body: { defaultAction: 'allow' } });
  await postern.call('PUT', `/v1/policies/${policy.id}/candidate`, { body: { rules: [], defaultAction: 'deny' } });
  const tried = await made(postern, '/v1/content', item({ policyId: policy.id, title: 'Asked for' }));
  await made(postern, '/v1/access/check', { contentId: tried.id }, 200);
  await made(postern, '/v1/users/links', { name: 'Ada Lovelace', role: 'licensing' });
  const webhook = await made(postern, '/v1/webhooks', {
    url: 'http://127.0.0.1:9/hook',
    events: ['*'],
    description: 'Nobody there',
  });
  await postern.call('POST', `/v1/webhooks/${webhook.id}/test`);
  const essay = await made(
    postern,
    '/v1/content',
    item({ title: 'An essay', tags: ['sea'], metadata: { section: 'sea' } }),
  );
  const collection = await made(postern, '/v1/collections', {
    name: 'One of each',
    description: 'All selectors',
    hosts: ['example.com', '*.example.com'],
    paths: [...Array.from({ length: 30 }, (_, i) => `/section-${i}/`), `/${'long'.repeat(120)}`, '/*.pdf$'],
    contentTypes: ['article', 'report'],
    contentTags: ['sea'],
    metadata: { team: 'news' },
  });
  for (const name of ['A twin', 'Another twin']) {
    await made(postern, '/v1/collections', { name, hosts: ['example.com'], paths: ['/a'], policyId: policy.id });
  }
  const [denied] = (await postern.call('GET', '/v1/access/decisions?allowed=false&limit=1')).body.data;
  return { denied, essay, collection, policy, site, billed, statement, webhook };
}
