/** Decisions through services, and questions about them. */
import type { TestService } from '../../../kit/service.ts';
import { allowAll, assertStatus, check, item, made, makePolicy, PRICED } from '../../http/given.ts';

/** Decisions of many kinds, made by all nodes in turn. */
export async function decide(nodes: readonly TestService[]) {
  const [first] = nodes as [TestService];
  const licensed = await makePolicy(first, [
    { action: 'allow', conditions: { licenseType: 'training' } },
    { action: 'deny', conditions: { purpose: 'spam' } },
  ]);
  const open = await makePolicy(first, [allowAll]);
  const site = await made(first, '/v1/collections', { name: 'Site', hosts: ['www.example.com'], policyId: open.id });
  const articles = [];
  for (const type of ['article', 'report', 'article']) {
    articles.push(await made(first, '/v1/content', item({ type, policyId: licensed.id })));
  }
  for (const id of ['acme', 'globex']) await made(first, '/v1/requesters', { id, name: `${id} Inc.`, tags: ['eu'] });
  const license = await made(first, '/v1/licenses', { requesterId: 'acme', type: 'training', terms: PRICED });
  assertStatus(await first.call('PUT', `/v1/policies/${licensed.id}/candidate`, { body: { rules: [allowAll] } }), 201);
  for (let i = 0; i < 60; i++) {
    const node = nodes[i % nodes.length] as TestService;
    const userAgent = ['GPTBot/1.2', 'unnamed-tool/2', 'Mozilla/5.0 Firefox/132.0', undefined][i % 4];
    await check(node, {
      ...(i % 3 === 0
        ? { url: `https://www.example.com/news/${i % 5}?n=${i}` }
        : { contentId: articles[i % articles.length].id }),
      ...(i % 5 === 0 ? {} : { requesterId: ['acme', 'globex', `stranger-${i % 7}`][i % 3] }),
      ...(i % 4 === 0 ? {} : { purpose: ['training', 'spam', 'search'][i % 3] }),
      ...(userAgent === undefined ? {} : { context: { userAgent } }),
    });
  }
  return { policyId: licensed.id, licenseId: license.id, contentId: articles[0].id, collectionId: site.id };
}

/** Paths of questions about them; `month`: of the statements. */
export const toPaths = (ids: Awaited<ReturnType<typeof decide>>, month = new Date()): string[] =>
  [
    ...['hour', 'page', 'program', 'crawler', 'license', 'purpose', 'rule'].map(
      (by) => `usage?period=all&groupBy=${by}`,
    ),
    'usage?period=all&expand=trends',
    `usage?period=all&collectionId=${ids.collectionId}`,
    'usage?period=all&pagePrefix=https%3A%2F%2Fwww.example.com%2Fnews%2F',
    'visitors?period=all',
    'requesters',
    'requesters?q=st&sort=denied',
    'programs',
    ...['requester', 'who,purpose', 'crawler,licenseType'].map((by) => `demand?groupBy=${by}`),
  ]
    .map((path) => `/v1/analytics/${path}`)
    .concat(
      '/v1/attention',
      ...[
        'requesterId=acme',
        `contentId=${ids.contentId}`,
        'reason=no_license',
        'crawler=GPTBot',
        'program=unnamed-tool',
      ].map((filter) => `/v1/access/decisions?${filter}`),
      `/v1/policies/${ids.policyId}/candidate`,
      `/v1/content/${ids.contentId}`,
      `/v1/licenses/${ids.licenseId}/usage`,
      `/v1/statements?period=${month.toISOString().slice(0, 7)}`,
    );
