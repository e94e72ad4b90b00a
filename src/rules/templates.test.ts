/** Templates: each is listed, can be stored as it is, has no warnings, and does what its cases say, here and live. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pluck } from '../../kit/pluck.ts';
import { startTestService, type TestService } from '../../kit/service.ts';
import { assertError, assertStatus, item, made, makeKey, next } from '../../test/http/given.ts';
import { runCases } from '../cli/policies/cases.ts';
import { readPolicyFile } from '../cli/policies/policy-file.ts';
import { CRAWLER_PURPOSES } from './crawlers/crawler.ts';
import { CRAWLERS, findCrawler } from './crawlers/directory.ts';
import { lint } from './lint/lint.ts';
import { placeholderWords } from './placeholders.ts';
import { type PolicyTemplate, TEMPLATES, type TemplateCase } from './templates.ts';

const MOMENTS = ['2026-11-21T09:30:00Z', '2031-02-28T23:59:59Z', '2098-12-31T00:00:00Z'];

const policyOf = ({ name, description, rules, defaultAction }: PolicyTemplate) => ({
  name,
  description,
  rules,
  defaultAction,
});

/** Reads the template from a policy file. */
const asFile = (template: PolicyTemplate, format: 'json' | 'yaml') => {
  const { file, problems } = readPolicyFile(
    Buffer.from(JSON.stringify({ ...policyOf(template), cases: template.cases })),
    format,
  );
  assert.equal(problems, null, JSON.stringify(problems));
  assert.ok(file !== null);
  return file;
};

test('there is one for each of the six needs', () => {
  const ids = ['open_access', 'licensed_only', 'tiered', 'no_ai_training', 'ai_crawlers', 'embargo'];
  assert.deepEqual(pluck(TEMPLATES, 'id'), ids);
});

for (const template of TEMPLATES) {
  describe(template.id, () => {
    test('has no warnings', () => assert.deepEqual(lint(template.rules, template.defaultAction), []));
    test('does what its cases say, whenever they are run', () => {
      for (const moment of MOMENTS) {
        const results = runCases(asFile(template, 'json'), Date.parse(moment));
        assert.deepEqual(
          results.filter(({ passed }) => !passed),
          [],
        );
      }
      assert.ok(template.cases.length > 0);
    });
    test('is the same policy file in YAML, which JSON is a part of', () => {
      assert.deepEqual(asFile(template, 'yaml'), asFile(template, 'json'));
    });
    test('has a case for each of its rules, one that allows and one that denies', () => {
      const decided = new Set(template.cases.map(({ expect }) => expect.rule));
      for (const index of template.rules.keys()) assert.ok(decided.has(index), `rules[${index}]`);
      for (const allowed of [true, false]) assert.ok(template.cases.some(({ expect }) => expect.allowed === allowed));
    });
    test('says what it does, in words that can be stored with it', () => {
      assert.doesNotMatch(template.description, /[`[\]{}]|\bReplace\b|\badd\b/);
    });
    test('closes to all when its rules are taken away', () => assert.equal(template.defaultAction, 'deny'));
  });
}

test('what the publisher replaces in a template is named by its rule, counted from 1', () => {
  const words = TEMPLATES.flatMap(({ id, rules }) => placeholderWords(rules).map((one) => `${id}: ${one}`));
  assert.deepEqual(words, [
    'ai_crawlers: Rule 2 has the address licensing@example.com of the template: replace it with yours.',
    'embargo: Rule 2 has the release time of the template, 1 January 2100: replace it with yours.',
  ]);
});

test('an embargo whose moment was forgotten is closed', () => {
  const [embargo] = TEMPLATES.filter(({ id }) => id === 'embargo');
  const file = { ...asFile(embargo as PolicyTemplate, 'json') };
  file.cases = [{ name: 'today', check: {}, expect: { allowed: false, rule: 2 } }];
  assert.equal(runCases(file, Date.now())[0]?.passed, true);
});

/** The rule of the template that decides. */
const BY_PURPOSE = { training: 1, search: 2, user_fetch: 2, index: 2, preview: 2, monitoring: 2, other: 3 };

test('the template for AI crawlers decides about every crawler of the directory by its purpose', () => {
  const [template] = TEMPLATES.filter(({ id }) => id === 'ai_crawlers');
  const file = asFile(template as PolicyTemplate, 'json');
  const named = CRAWLERS.flatMap((crawler) => {
    const agent = crawler.userAgents.find((token) => findCrawler(token) === crawler);
    return agent === undefined ? [] : [{ purpose: crawler.purpose, agent }];
  });
  assert.deepEqual(new Set(pluck(named, 'purpose')), new Set(CRAWLER_PURPOSES));
  file.cases = named.map(({ purpose, agent }) => ({
    name: agent,
    check: { context: { userAgent: agent } },
    expect: { allowed: purpose !== 'training' && purpose !== 'other', rule: BY_PURPOSE[purpose] },
  }));
  assert.deepEqual(
    runCases(file, Date.now()).filter(({ passed }) => !passed),
    [],
  );
});

describe('GET /v1/policies/templates', () => {
  test('lists them in their order, in pages where asked', async () => {
    await using postern = await startTestService();
    const { body, text } = await postern.call('GET', '/v1/policies/templates');
    assert.deepEqual(body, {
      object: 'list',
      data: TEMPLATES,
      hasMore: false,
      totalCount: TEMPLATES.length,
      nextCursor: null,
    });
    assert.ok(text.includes(JSON.stringify(TEMPLATES[0])));
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const more: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = await postern.call('GET', `/v1/policies/templates?limit=2${more}`);
      assertStatus(page, 200);
      assert.equal(page.body.totalCount, TEMPLATES.length);
      seen.push(...page.body.data.map(({ id }: { id: string }) => id));
      cursor = page.body.nextCursor;
      assert.equal(page.body.hasMore, cursor !== null);
    }
    assert.deepEqual(
      seen,
      TEMPLATES.map(({ id }) => id),
    );
    assertError(await postern.call('GET', '/v1/policies/templates?cursor=eA'), 'invalid_cursor', 'cursor');
    assertError(await postern.call('GET', '/v1/policies/templates?limit=0'), 'invalid_request', 'limit');
    assertError(await postern.call('GET', '/v1/policies/templates?type=x'), 'invalid_request', 'type');
  });
  test('stands beside /v1/policies/{id} and asks for policies:read', async () => {
    await using postern = await startTestService();
    assert.equal((await postern.call('GET', '/v1/policies/pol_default')).body.id, 'pol_default');
    assertError(await postern.call('GET', '/v1/policies/template'), 'policy_not_found');
    const reader = await makeKey(postern, { permissions: ['policies:read'] });
    const checker = await makeKey(postern, { permissions: ['access:check'] });
    assertStatus(await postern.call('GET', '/v1/policies/templates', { key: reader }), 200);
    assertError(await postern.call('GET', '/v1/policies/templates', { key: checker }), 'insufficient_permissions');
  });
});

test('each case comes out the same on a running service', async () => {
  const moments = TEMPLATES.flatMap((template) =>
    template.cases.map((one) => ({ template, one, at: Date.parse((one.check.at as string) ?? MOMENTS[0]) })),
  ).toSorted((a, b) => a.at - b.at);
  let at = 0;
  await using postern = await startTestService({ clock: { now: () => at || Date.parse(MOMENTS[0] as string) } });
  const policies = new Map<string, string>();
  for (const template of TEMPLATES) {
    const { id, warnings = [] } = await made(postern, '/v1/policies', policyOf(template));
    assert.deepEqual(warnings, [], template.id);
    policies.set(template.id, id);
  }
  for (const { template, one, at: moment } of moments) {
    at = moment;
    const decision = await ask(postern, policies.get(template.id) as string, one);
    const { allowed, reason, permissions, rule } = one.expect;
    const what = `${template.id}: ${one.name}`;
    assert.equal(decision.allowed, allowed, what);
    if (reason !== undefined) assert.equal(decision.reason, reason, what);
    if (permissions !== undefined) assert.deepEqual(decision.permissions, permissions, what);
    if (rule !== undefined) assert.equal(decision.matchedRule?.index ?? null, rule, what);
  }
});

interface Given {
  content?: { type?: string; archived?: boolean };
  requesterId?: string;
  requester?: { suspended?: boolean };
  licenses?: object[];
  permission?: string;
  purpose?: string;
  context?: object;
}

/** Makes what the case says there is, then asks. */
async function ask(postern: TestService, policyId: string, { check }: TemplateCase) {
  const { content = {}, requester, licenses = [], permission, purpose, context, ...given } = check as Given;
  const { archived = false, ...fields } = content;
  const { id: contentId } = await made(postern, '/v1/content', item({ ...fields, policyId }));
  if (archived) {
    const answer = await postern.call('PATCH', `/v1/content/${contentId}`, { body: { status: 'archived' } });
    assertStatus(answer, 200);
  }
  let { requesterId } = given;
  if (requesterId !== undefined && requester !== undefined) {
    requesterId = `${requesterId}-${next()}`;
    const status = requester.suspended === true ? 'suspended' : 'active';
    await made(postern, '/v1/requesters', { id: requesterId, status });
    for (const license of licenses) await made(postern, '/v1/licenses', { requesterId, ...license });
  } else if (requester?.suspended === true) assert.fail('a case that this test cannot make');
  const body = { contentId, requesterId, permission, purpose, context };
  const answer = await postern.call('POST', '/v1/access/check', { body });
  assertStatus(answer, 200);
  return answer.body;
}
