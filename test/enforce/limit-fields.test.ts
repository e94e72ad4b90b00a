/** Limits in standard fields, and the bodies of denials that reach visitors. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { parseList } from 'structured-headers';
import { startTestService, testClock } from '../../kit/service.ts';
import { makePolicy } from '../http/given.ts';
import { authorize, serve } from './asking.ts';

const clock = testClock();
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

async function limited(path: string, requests: number, period: string) {
  const rules = [{ action: 'allow', conditions: {}, rateLimit: { requests, period } }];
  return serve(postern, path, (await makePolicy(postern, rules)).id);
}

/** Reads both fields with the parser of another project. */
function fieldsOf(headers: Headers) {
  const read = (name: string) => {
    const [[name_, parameters]] = parseList(headers.get(name) ?? '') as unknown as [[string, Map<string, number>]];
    return { name: name_, ...Object.fromEntries(parameters) };
  };
  return { policy: read('ratelimit-policy'), state: read('ratelimit') };
}

describe('RateLimit fields', () => {
  test('tell checks and proxies what is left, and 429 never asks to retry too early', async () => {
    const { id } = await limited('/hour', 2, 'hour');
    const body = { contentId: id, requesterId: 'r' };
    const first = await postern.call('POST', '/v1/access/check', { body });
    assert.deepEqual(fieldsOf(first.headers).policy, { name: 'access', q: 2, w: 3600 });
    const { created, rateLimit } = first.body;
    const left = Math.floor((Date.parse(rateLimit.resetAt) - Date.parse(created)) / 1000);
    assert.equal(left, 3600);
    assert.deepEqual(fieldsOf(first.headers).state, { name: 'access', r: 1, t: left });
    clock.advance(60_000);
    const path = '/v1/authorize?origin=https://site.example&requesterHeader=x-who&denyStatus=429';
    const ask = () => authorize(postern, '/hour', { path, headers: { 'x-who': 'r' } });
    assert.deepEqual(fieldsOf((await ask()).headers).state, { name: 'access', r: 0, t: left - 59 });
    const refused = await ask();
    assert.equal(refused.status, 429);
    const { state } = fieldsOf(refused.headers) as { state: { r?: number; t?: number } };
    assert.equal(state.r, 0);
    assert.ok(Number(refused.headers.get('retry-after')) >= Number(state.t));
  });

  test('name no time beyond the window, and a retry that is no earlier', async () => {
    for (const [period, w] of [
      ['second', 1],
      ['minute', 60],
      ['hour', 3600],
    ] as const) {
      await limited(`/in-a-${period}`, 2, period);
      const path = '/v1/authorize?origin=https://site.example&denyStatus=429&body=problem';
      for (let i = 0; i < 4; i++) {
        const answer = await authorize(postern, `/in-a-${period}`, { path });
        const { policy, state }: any = fieldsOf(answer.headers);
        assert.equal(policy.w, w);
        assert.ok(state.t >= 1 && state.t <= w, `${period}: t=${state.t}`);
        assert.equal(answer.status, i < 2 ? 200 : 429);
        if (i < 2) continue;
        assert.ok(Number(answer.headers.get('retry-after')) >= state.t);
        const { type, title, status, 'violated-policies': violated } = JSON.parse(answer.text);
        assert.deepEqual(
          [type, title, status, violated],
          ['https://iana.org/assignments/http-problem-types#quota-exceeded', 'Quota exceeded', 429, ['access']],
        );
      }
    }
  });

  test('name no length for a calendar period, and are absent without a limit', async () => {
    const { id } = await limited('/month', 5, 'month');
    const got = await postern.call('POST', '/v1/access/check', { body: { contentId: id } });
    assert.deepEqual(fieldsOf(got.headers).policy, { name: 'access', q: 5 });
    const open = await serve(postern, '/free', (await makePolicy(postern, [{ action: 'allow', conditions: {} }])).id);
    const free = await postern.call('POST', '/v1/access/check', { body: { contentId: open.id } });
    assert.deepEqual([free.headers.get('ratelimit'), free.headers.get('ratelimit-policy')], [null, null]);
  });
});

describe('the body of a denial', async () => {
  const rules = [{ action: 'allow', conditions: { licenseType: 'site' } }];
  const message = 'Ask <us> & "we" will help';
  const { id } = await makePolicy(postern, [...rules, { action: 'deny', conditions: { default: true }, message }]);
  await serve(postern, '/paid', id);
  const path = (more: string) => `/v1/authorize?origin=https://site.example&${more}`;

  test('is problem details with what would help, and nothing of the rules', async () => {
    const answer = await authorize(postern, '/paid', { path: path('body=problem&denyStatus=401') });
    assert.equal(answer.status, 401);
    assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/);
    const { decisionId, ...problem } = JSON.parse(answer.text);
    assert.equal(decisionId, answer.headers.get('x-postern-decision'));
    assert.deepEqual(problem, {
      title: 'Unauthorized',
      status: 401,
      detail: message,
      reason: 'no_license',
      remedies: [{ kind: 'license', licenseType: ['site'], licenseFeatures: [] }],
    });
  });

  test('is a page in which no text is markup', async () => {
    const answer = await authorize(postern, '/paid', { path: path('body=html') });
    assert.equal(answer.status, 403);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
    assert.ok(answer.text.includes('Ask &#60;us&#62; &#38; &#34;we&#34; will help'), answer.text);
    assert.ok(answer.text.includes('A license of the type site.'));
  });

  test('is recorded once, and there is none for what is allowed', async () => {
    const count = async () => (await postern.call('GET', '/v1/access/decisions?limit=1')).body.totalCount;
    const before = await count();
    await authorize(postern, '/paid', { path: path('body=problem') });
    assert.equal(await count(), before + 1);
    assert.equal((await authorize(postern, '/free', { path: path('body=problem') })).text, '');
  });

  test('is there for what nothing decides about', async () => {
    const answer = await authorize(postern, '/a/../b', { path: path('body=problem') });
    assert.equal(JSON.parse(answer.text).reason, 'unreadable_url');
    const unknown = await authorize(postern, '/none', { path: path('body=html') });
    assert.ok(unknown.text.includes('No content is registered at this address.'));
  });
});
