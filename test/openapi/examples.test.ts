/** The API reference: each request with a body has an example, which the service takes as it stands. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Command } from 'commander';
import { startTestService } from '../../kit/service.ts';
import { EXAMPLES } from '../../src/api/http/examples.ts';
import { COMMANDS, writeBody } from '../../src/api/http/samples.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { made } from '../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const { body: document } = await postern.call('GET', '/openapi.json', { key: null });

interface Described {
  operationId: string;
  tags: string[];
  security: Record<string, unknown>[];
  requestBody?: { content: Record<string, { example?: unknown }> };
}
const operations = Object.entries(document.paths as Record<string, Record<string, Described>>).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, one]) => ({ method: method.toUpperCase(), path, ...one })),
);
type Operation = (typeof operations)[number];
const byId = new Map(operations.map((one) => [one.operationId, one]));

test('each operation with a body has an example, and there are no others', () => {
  const withBody = operations.filter(({ requestBody }) => requestBody !== undefined);
  for (const { operationId, requestBody } of withBody) {
    for (const { example } of Object.values(requestBody?.content ?? {})) {
      assert.deepEqual(example, EXAMPLES[operationId], operationId);
      assert.notEqual(example, undefined, `${operationId} needs an example in src/api/http/examples.ts`);
    }
  }
  assert.deepEqual(Object.keys(EXAMPLES).toSorted(), withBody.map(({ operationId }) => operationId).toSorted());
});

test('each tag says what it is about', () => {
  const described = new Map(document.tags.map(({ name, description }: Record<string, string>) => [name, description]));
  for (const tag of new Set(operations.flatMap(({ tags }) => tags))) assert.match(described.get(tag) as string, /\.$/);
});

/** The last id with each prefix. */
const last = new Map<string, string>();
let token = '';
const id = (prefix: string): string => last.get(prefix) ?? assert.fail(`no ${prefix}`);

const PATHS: Record<string, () => string | Promise<string>> = {
  updatePolicy: () => `/v1/policies/${id('pol_')}`,
  rollbackPolicy: () => `/v1/policies/${id('pol_')}/rollback`,
  putPolicyCandidate: () => `/v1/policies/${id('pol_')}/candidate`,
  previewPolicyImpact: () => `/v1/policies/${id('pol_')}/impact`,
  updateContent: () => '/v1/content/tides',
  updateCollection: () => `/v1/collections/${id('col_')}`,
  putSite: () => '/v1/sites/www.example.com',
  putOffer: () => '/v1/offers/commercial',
  updateRequester: () => '/v1/requesters/university',
  createRequesterToken: () => '/v1/requesters/university/tokens',
  rotateRequesterToken: () => `/v1/requesters/university/tokens/${id('tok_')}/rotate`,
  async acceptIdentityList() {
    await postern.tamper({
      sql: `insert into identity_lists
              (url, texts, ranges, hash, fetched_at, attempted_at, failures, held_texts, held_ranges, held_hash, held_at)
            values ('https://openai.com/gptbot.json', '[]', 0, 'a', 1, ${Date.now()}, 0, '[]', 0, 'b', 1)`,
    });
    return '/v1/identity-lists/accept';
  },
  updateLicense: () => `/v1/licenses/${id('lic_')}`,
  async reconcileStatement() {
    const { body } = await postern.call('GET', `/v1/statements?licenseId=${id('lic_')}`);
    return `/v1/statements/${body.data[0].id}/reconcile`;
  },
  async checkOwnAccess() {
    token = (await made(postern, '/v1/requesters/university/tokens', { name: 'p' })).token;
    return '/v1/me/access';
  },
  grantLicenseRequest: () => `/v1/license-requests/${id('lrq_')}/grant`,
  async declineLicenseRequest() {
    const options = { key: token, body: { licenseType: 'commercial' } };
    const { body } = await postern.call('POST', '/v1/me/requests', options);
    return `/v1/license-requests/${body.id}/decline`;
  },
  rotateApiKey: () => `/v1/api-keys/${id('key_')}/rotate`,
  updateWebhook: () => `/v1/webhooks/${id('wh_')}`,
  eraseRequester: () => '/v1/requesters/university/erase',
};

async function send({ operationId, method, path, requestBody, security }: Operation, example: object | string) {
  const target = (await PATHS[operationId]?.()) ?? path;
  const [type = ''] = Object.keys(requestBody?.content ?? {});
  const raw = writeBody(type, example).replaceAll(/\b([a-z]{3}_)[0-9a-z]{26}\b/g, (_, prefix: string) => id(prefix));
  const key = security.some((one) => Object.hasOwn(one, 'requesterToken')) ? token : postern.key;
  return postern.call(method, target, { raw, key, headers: { 'content-type': type } });
}

test('the service takes each as it stands', async () => {
  for (const [operationId, example] of Object.entries(EXAMPLES)) {
    // Its client is no key, and the license that of a site: test/license-server has both.
    if (operationId === 'getLicenseToken') continue;
    const answer = await send(byId.get(operationId) ?? assert.fail(operationId), example);
    assert.ok(answer.status >= 200 && answer.status < 300, `${operationId}: ${answer.text}`);
    const found = /^([a-z]{2,3}_)[0-9a-z]{26}$/.exec(answer.body?.id ?? '');
    if (found !== null) last.set(found[1] as string, found[0]);
  }
});

test('the page has the name, the mark, and samples; nothing of it comes from elsewhere', async () => {
  const page = await postern.call('GET', '/docs/', { key: null });
  assert.match(page.text, /<title>Postern API<\/title>/);
  assert.match(page.text, /mark\.svg/);
  assert.doesNotMatch(page.headers.get('content-security-policy') ?? '', /https?:|\w\.\w/);
  const { body } = await postern.call('GET', '/docs/json', { key: null });
  const shown = body.paths['/v1/content'].post.description;
  assert.ok(shown.includes('curl -X POST "$POSTERN_URL/v1/content"'), shown);
  assert.ok(shown.includes(JSON.stringify(EXAMPLES.createContent)), shown);
  assert.ok(shown.includes('await postern.createContent({'), shown);
  assert.ok(body.paths['/v1/status'].get.description.includes('npx postern status'));
});

test('each command of the samples is one', () => {
  for (const [operationId, line] of Object.entries(COMMANDS)) {
    assert.ok(byId.has(operationId), operationId);
    const words = [...line.matchAll(/"[^"]*"|\S+/g)].map(([word]) => word.replaceAll('"', ''));
    let command: Command = buildProgram({
      terminal: { width: 100, env: {} } as never,
      serve: async () => undefined,
      ended: () => undefined,
    });
    for (const word of words) {
      const next = command.commands.find((one) => one.name() === word);
      if (next === undefined) break;
      command = next;
    }
    assert.equal(command.commands.length, 0, `there is no command ${line}`);
    const known = command.options.map(({ long }) => long);
    for (const word of words) if (word.startsWith('--')) assert.ok(known.includes(word), `${line}: ${word}`);
  }
});
