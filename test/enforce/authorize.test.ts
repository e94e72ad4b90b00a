/**
 * `/v1/authorize` answers 200 exactly when a check would allow, and records like a check. Every other request is
 * refused, in every spelling.
 */
import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { after, describe, test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { startTestService, testClock } from '../../kit/service.ts';
import { words } from '../../kit/words.ts';
import { assertError, bytes, item, made, makeKey, makePolicy } from '../http/given.ts';
import { assertRefused, authorize, decisions, ORIGIN, recorded, serve } from './asking.ts';

type Any = any;

const clock = testClock();
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

const OPEN = (await makePolicy(postern, [{ action: 'allow', conditions: {} }])).id;
const CLOSED = (await makePolicy(postern, [{ action: 'deny', conditions: {}, message: 'Nein,\r\nnicht für 100% €' }]))
  .id;
const LICENSED = (
  await makePolicy(postern, [
    { action: 'allow', conditions: { licenseType: 'site' }, rateLimit: { requests: 2, period: 'hour' } },
    { action: 'allow', conditions: { requesterId: 'paid' }, permissions: ['preview_only'] },
  ])
).id;
const SAYING = (await makePolicy(postern, [{ action: 'deny', conditions: {} }])).id;
await serve(postern, '/open', OPEN);
await serve(postern, '/saying', SAYING);
await serve(postern, '/closed', CLOSED);
await serve(postern, '/licensed', LICENSED);
await made(postern, '/v1/requesters', { id: 'crawler', userAgents: ['CrawlBot', 'crawlbot-images'] });
await made(postern, '/v1/licenses', { requesterId: 'crawler', type: 'site' });
await made(postern, '/v1/requesters', { id: 'late', userAgents: ['LateBot'] });
await made(postern, '/v1/licenses', { requesterId: 'late', type: 'site', expiresAt: '2026-11-21T09:00:00Z' });

const path = (more: string): string => `/v1/authorize?origin=${ORIGIN}&${more}`;

describe('the answer', () => {
  test('an allow is 200 with the decision in headers and no body', async () => {
    const answer = await authorize(postern, '/open', { headers: { 'user-agent': 'Mozilla/5.0 (CRAWLBOT/2.0)' } });
    assert.deepEqual([answer.status, answer.text], [200, '']);
    const decision = await recorded(postern, answer);
    const told = ['allowed', 'content', 'requester', 'policy', 'permissions'].map((name) =>
      answer.headers.get(`x-postern-${name}`),
    );
    assert.deepEqual(told, ['true', decision.contentId, 'crawler', OPEN, 'full_access']);
    assert.equal(answer.headers.get('x-postern-reason'), null);
    assert.equal(answer.headers.get('cache-control'), 'private');
    assert.match(answer.headers.get('vary') ?? '', /User-Agent/);
    assert.equal(decision.allowed, true);
    assert.equal(decision.requesterId, 'crawler');
  });

  test('a denial is 403 with the reason, whatever it is', async () => {
    for (const [target, agent, reason] of [
      ['/closed', 'x', 'policy_denied'],
      ['/licensed', 'x', 'no_license'],
      ['/licensed', 'LateBot', 'license_expired'],
    ] as const) {
      const answer = await authorize(postern, target, { headers: { 'user-agent': agent } });
      assert.deepEqual([answer.status, answer.text, answer.headers.get('x-postern-reason')], [403, '', reason]);
      assert.equal((await recorded(postern, answer)).reason, reason);
    }
  });

  test('a message that no header could carry is percent-encoded', async () => {
    const { headers } = await authorize(postern, '/closed');
    const sent = headers.get('x-postern-message') ?? '';
    assert.match(sent, /^[\x20-\x7e]+$/);
    assert.equal(decodeURIComponent(sent), 'Nein,\r\nnicht für 100% €');
    const html = headers.get('x-postern-message-html');
    assert.equal(html, 'Nein,&#13;&#10;nicht f&#252;r 100&#37; &#8364;');
  });

  test('what goes into a page is escaped, whatever the message holds, and only denials have it', async () => {
    const allowed = await authorize(postern, '/open');
    assert.equal(allowed.headers.get('x-postern-message-html'), null);
    let n = 0;
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }), async (message) => {
        const body = { rules: [{ action: 'deny', conditions: {}, message }] };
        // Text that cannot be stored is refused.
        if ((await postern.call('PATCH', `/v1/policies/${SAYING}`, { body })).status !== 200) return;
        n++;
        const html = (await authorize(postern, '/saying')).headers.get('x-postern-message-html') ?? '';
        assert.match(html, /^(?:[\w ,.:;!?()/@+-]|&#\d+;)*$/);
        const read = html.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
        // Spaces around a header's value are not the value's.
        assert.equal(read.trim(), message.trim());
      }),
      { numRuns: 60 },
    );
    assert.ok(n > 30, `${n} messages were stored`);
  });

  test('what is refused without a decision has a message for people', async () => {
    for (const target of ['/nothing', '/a/../b']) {
      const { headers } = await authorize(postern, target);
      assert.match(headers.get('x-postern-message') ?? '', /^\w.*\.$/, target);
      assert.equal(headers.get('x-postern-message-html'), headers.get('x-postern-message'), target);
    }
  });

  test('denyStatus lets 401 and 429 through, each only where it is named', async () => {
    const statusOf = async (denyStatus: string, agent: string) => {
      const answer = await authorize(postern, '/licensed', {
        path: path(`denyStatus=${denyStatus}`),
        headers: { 'user-agent': agent },
      });
      return answer.status;
    };
    assert.equal(await statusOf('401,402,429', 'nobody'), 401);
    assert.equal(await statusOf('402,429', 'nobody'), 403);
    // 402 takes an offer; see offers.test.
    assert.equal(await statusOf('401,402,429', 'LateBot'), 403);
    const unknown = await authorize(postern, '/closed', { path: path('denyStatus=401,402,429') });
    assert.equal(unknown.status, 403);
    const asked = await authorize(postern, '/licensed', { path: path('denyStatus=401') });
    assert.equal(asked.headers.get('www-authenticate'), 'Bearer');
    for (const wrong of ['', '200', '401,', '404', '401;402']) {
      assertError(
        await authorize(postern, '/open', { path: path(`denyStatus=${wrong}`) }),
        'invalid_request',
        'denyStatus',
      );
    }
  });

  test('a used-up limit is a denial that says when to come again, and 429 where that is let through', async () => {
    const ask = (query = '') =>
      authorize(postern, '/licensed', { path: path(query), headers: { 'user-agent': 'CrawlBot' } });
    for (const left of ['1', '0']) assert.equal((await ask()).headers.get('x-postern-remaining'), left);
    const limited = await ask();
    assert.deepEqual([limited.status, limited.headers.get('x-postern-reason')], [403, 'rate_limit_exceeded']);
    const wait = Number(limited.headers.get('retry-after'));
    assert.ok(wait > 0 && wait <= 3601, String(wait));
    assert.equal((await ask('denyStatus=429')).status, 429);
    clock.advance(wait * 1000);
    assert.equal((await ask()).status, 200);
  });

  test('permission and purpose are asked for as they are set up', async () => {
    const ask = (query: string) =>
      authorize(postern, '/licensed', { path: path(`requesterHeader=x-who&${query}`), headers: { 'x-who': 'paid' } });
    assert.equal((await ask('purpose=reading')).status, 200);
    const refused = await ask('permission=full_access&purpose=reading');
    assert.equal(refused.headers.get('x-postern-reason'), 'permission_not_granted');
    const decision = await recorded(postern, refused);
    assert.deepEqual([decision.permission, decision.purpose], ['full_access', 'reading']);
  });

  test('a public key asks without using anything up, as in any check', async () => {
    const key = await makeKey(postern, { type: 'public', permissions: ['access:check'] });
    const before = await decisions(postern);
    const answer = await authorize(postern, '/open', { headers: { 'x-postern-key': key } });
    assert.deepEqual([answer.status, answer.headers.get('x-postern-decision')], [200, '']);
    assert.equal(await decisions(postern), before);
  });
});

describe('any method, any body', () => {
  test('every method is answered alike', async () => {
    for (const method of METHODS.filter((one) => one !== 'CONNECT')) {
      const answer = await authorize(postern, '/open', { method });
      assert.deepEqual([answer.status, answer.text], [200, ''], method);
      assert.equal((await authorize(postern, '/closed', { method })).status, 403, method);
      const appended = await authorize(postern, null, {
        method,
        path: '/v1/authorize/closed',
        headers: { host: 'site.example' },
      });
      assert.deepEqual([appended.status, appended.headers.get('x-postern-reason')], [403, 'policy_denied'], method);
    }
  });

  test('a body is not looked at: its type, its size, whether it is JSON', async () => {
    for (const [type, body] of [
      ['application/json', '{"allowed": tru'],
      ['multipart/form-data; boundary=x', '--x\r\n'],
      ['nonsense', 'x'.repeat(3 * 1024 * 1024)],
    ] as const) {
      const headers = { 'content-type': type };
      assert.equal((await authorize(postern, '/open', { method: 'POST', headers, body })).status, 200, type);
      assert.equal((await authorize(postern, '/closed', { method: 'PUT', headers, body })).status, 403, type);
    }
  });

  test('Idempotency-Key is the visitor’s: a repeated request is another access', async () => {
    const before = await decisions(postern);
    for (const method of ['POST', 'POST', 'PATCH', 'GET']) {
      const answer = await authorize(postern, '/open', { method, headers: { 'idempotency-key': 'again' } });
      assert.deepEqual([answer.status, answer.headers.get('idempotent-replayed')], [200, null]);
    }
    assert.equal(await decisions(postern), before + 4);
  });
});

describe('which item', () => {
  test('by its source in any spelling of the same URL, with a query that no item has', async () => {
    const { id } = await serve(postern, '/h%C3%B6he/x%20y', OPEN);
    for (const target of [
      '/h%C3%B6he/x%20y',
      '/h%c3%b6he/%78%20y',
      '/h%C3%B6he/x%20y?utm_source=a&b',
      '/h%C3%B6he/x%20y?',
    ]) {
      const answer = await authorize(postern, target);
      assert.deepEqual([answer.status, answer.headers.get('x-postern-content')], [200, id], target);
    }
  });

  test('by X-Forwarded-Uri, -Host and -Proto', async () => {
    const ask = (headers: Record<string, string>, query = '') =>
      authorize(postern, null, { path: `/v1/authorize${query}`, headers: { 'x-forwarded-uri': '/open', ...headers } });
    assert.equal((await ask({ 'x-forwarded-host': 'site.example', 'x-forwarded-proto': 'https' })).status, 200);
    assert.equal((await ask({ 'x-forwarded-host': 'SITE.example:443', 'x-forwarded-proto': 'http' })).status, 200);
    assertRefused(await ask({ 'x-forwarded-host': 'other.example' }), 'content_not_found');
    assertRefused(await ask({}), 'content_not_found');
    assertRefused(await ask({ 'x-forwarded-host': 'site.example, other.example' }), 'unreadable_url');
    // Our own Host is not the site's.
    assertRefused(await ask({ host: 'site.example' }), 'content_not_found');
    assert.equal((await ask({ 'x-forwarded-host': 'other.example' }, `?origin=${ORIGIN}`)).status, 200);
  });

  test('by a whole URL in the header', async () => {
    const ask = (url: string, query = '') => authorize(postern, url, { path: `/v1/authorize${query}` });
    assert.equal((await ask('https://site.example/open?a=b')).status, 200);
    assert.equal((await ask('https://site.example/open', `?origin=${ORIGIN}`)).status, 200);
    assertRefused(await ask('https://other.example/open', `?origin=${ORIGIN}`), 'conflicting_urls');
    assertRefused(await ask('https://site.example/closed/../open'), 'unreadable_url');
    assertRefused(await ask('https://site.example\\@other.example/open'), 'unreadable_url');
    assertRefused(await ask('ftp://site.example/open'), 'unreadable_url');
  });

  test('by the path behind ours; the query there is the visitor’s and sets up nothing', async () => {
    const ask = (suffix: string, headers: Record<string, string> = {}) =>
      authorize(postern, null, { path: `/v1/authorize${suffix}`, headers: { host: 'site.example', ...headers } });
    assert.equal((await ask('/open')).status, 200);
    assert.equal((await ask('/open?denyStatus=200&unknown=allow&orign=x')).status, 200);
    assertRefused(await ask('/nothing?unknown=allow'), 'content_not_found');
    assert.equal((await ask('/licensed?denyStatus=401')).status, 403);
    const options = { 'x-postern-options': `origin=${ORIGIN}&denyStatus=401` };
    assert.equal((await ask('/licensed', { ...options, host: 'other.example' })).status, 401);
    assertError(await ask('/open', { 'x-postern-options': 'orign=x' }), 'invalid_request', 'orign');
    // The path is the proxy's; headers that a visitor may have sent do not change it.
    assert.equal((await ask('/closed', { 'x-original-uri': '/open', 'x-forwarded-uri': '/open' })).status, 403);
  });

  test('and the header that sets up appended paths means nothing elsewhere, which the answer says', async () => {
    const headers = { 'x-postern-options': 'unknown=allow' };
    const refused = await authorize(postern, '/nothing', { headers });
    assertRefused(refused, 'content_not_found');
    const open = await authorize(postern, '/open', { headers });
    const unset = await authorize(postern, '/open', { headers, path: '/v1/authorize?orign=x' });
    assert.deepEqual([open.status, unset.status], [200, 400]);
    for (const { headers: answered } of [refused, open, unset]) {
      assert.match(answered.get('x-postern-ignored') ?? '', /^X-Postern-Options; .* in the query$/);
    }
    const appended = await authorize(postern, null, { path: '/v1/authorize/open', headers });
    for (const { headers: answered } of [await authorize(postern, '/open'), appended]) {
      assert.equal(answered.get('x-postern-ignored'), null);
    }
  });

  test('by an externalId that is the path', async () => {
    await made(
      postern,
      '/v1/content',
      item({ externalId: 'by/id 1', source: 'https://cms.example/1', policyId: OPEN }),
    );
    await made(
      postern,
      '/v1/content',
      item({ externalId: '/by/path', source: 'https://cms.example/2', policyId: OPEN }),
    );
    assert.equal((await authorize(postern, '/by/id%201')).status, 200);
    assert.equal((await authorize(postern, '/by/id%201?q=1', { path: '/v1/authorize' })).status, 200);
    assert.equal((await authorize(postern, '/by/path')).status, 200);
    assert.equal((await authorize(postern, null, { path: '/v1/authorize/by/id%201' })).status, 200);
    assertRefused(await authorize(postern, '/BY/id%201'), 'content_not_found');
  });

  test('unknown content is refused, or let through where that is set up, and nothing is recorded', async () => {
    const before = await decisions(postern);
    assertRefused(await authorize(postern, '/nothing'), 'content_not_found');
    assertRefused(await authorize(postern, '/nothing', { path: path('unknown=deny') }), 'content_not_found');
    const answer = await authorize(postern, '/nothing', { path: path('unknown=allow') });
    const told = ['error', 'requester', 'decision'].map((name) => answer.headers.get(`x-postern-${name}`));
    assert.deepEqual([answer.status, ...told], [200, 'content_not_found', '', '']);
    assert.equal(await decisions(postern), before);
  });

  test('without a host, nothing is let through as unknown: the answer says what to set', async () => {
    const { status } = await authorize(postern, '/closed', { path: path('unknown=allow') });
    assert.equal(status, 403, 'its host denies the path');
    const empty = [{}, { 'x-forwarded-host': '' }, { host: 'site.example' }] as const;
    for (const target of ['/closed', '/nothing', '/closed?a=b', '/']) {
      for (const headers of empty) {
        const answer = await authorize(postern, target, { path: '/v1/authorize?unknown=allow', headers });
        assertError(answer, 'invalid_request', 'origin', target);
        assert.match(answer.body.error.message, /Set `origin`.*X-Forwarded-Host/);
        assertRefused(await authorize(postern, target, { path: '/v1/authorize', headers }), 'content_not_found');
      }
    }
    const ask = (target: string, host: string) =>
      authorize(postern, target, { path: '/v1/authorize?unknown=allow', headers: { 'x-forwarded-host': host } });
    assert.equal((await ask('/nothing', 'site.example')).status, 200);
    assert.equal((await ask('/closed', 'site.example')).status, 403);
    const whole = await authorize(postern, `${ORIGIN}/nothing`, { path: '/v1/authorize?unknown=allow' });
    assert.equal(whole.status, 200, 'the URL names the host');
  });

  test('what servers read differently is refused, also where unknown content is let through', async () => {
    for (const target of [
      ...words(`
      /open/../closed /closed/%2e%2e/open //open /open%2f /%2563losed /%25%36%33losed /open%25%32%66 /open#a /ope%
    `),
      '/open\\',
    ]) {
      assertRefused(await authorize(postern, target, { path: path('unknown=allow') }), 'unreadable_url', target);
    }
  });

  test('what was asked before changes no answer', async () => {
    const { id } = await serve(postern, '/primed', CLOSED);
    await serve(postern, '/primed?a', OPEN);
    await serve(postern, '/primed%3Fa', OPEN);
    const part = fc.constantFrom('?', '%3F', 'a');
    const target = fc.array(part, { maxLength: 3 }).map((parts) => `/primed${parts.join('')}`);
    const told = async (one: string) => {
      const answer = await authorize(postern, one, { path: path('unknown=allow') });
      return [answer.status, answer.headers.get('x-postern-content'), answer.headers.get('x-postern-error')];
    };
    let edits = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(target, { minLength: 2, maxLength: 8 }), async (targets) => {
        const answers = [];
        for (const one of targets) answers.push(await told(one));
        for (const [i, one] of targets.entries()) {
          // Look-ups are forgotten after an edit.
          await postern.call('PATCH', `/v1/content/${id}`, { body: { title: `Primed ${++edits}` } });
          assert.deepEqual(answers[i], await told(one), `${one} after ${targets.slice(0, i).join(' ')}`);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('no URL at all, or two different ones', async () => {
    assertRefused(await authorize(postern, null, { path: path('unknown=allow') }), 'no_url');
    const headers = { 'x-forwarded-uri': '/open' };
    assertRefused(await authorize(postern, '/closed', { headers }), 'conflicting_urls');
    assert.equal((await authorize(postern, '/open', { headers })).status, 200);
    assertRefused(
      await authorize(postern, null, { headers: { 'x-original-uri': ['/open', '/closed'] } }),
      'unreadable_url',
    );
  });

  test('two active items at one URL: none is chosen; an archived one stands back, and alone it is denied', async () => {
    const first = await serve(postern, '/twice', OPEN);
    const second = await serve(postern, '/twice', OPEN);
    assertRefused(await authorize(postern, '/twice', { path: path('unknown=allow') }), 'ambiguous_content');
    await postern.call('PATCH', `/v1/content/${first.id}`, { body: { status: 'archived' } });
    assert.equal((await authorize(postern, '/twice')).headers.get('x-postern-content'), second.id);
    await postern.call('DELETE', `/v1/content/${second.id}`);
    assert.equal((await authorize(postern, '/twice')).headers.get('x-postern-reason'), 'content_archived');
    await postern.call('PATCH', `/v1/content/${first.id}`, { body: { status: 'active', source: `${ORIGIN}/moved` } });
    assertRefused(await authorize(postern, '/twice'), 'content_not_found');
    assert.equal((await authorize(postern, '/moved')).status, 200);
  });

  test('where queries tell items apart, one has its item whatever else it has; one that no item has is refused', async () => {
    await serve(postern, '/item?id=1', OPEN);
    await serve(postern, '/item?id=2', CLOSED);
    await serve(postern, '/item', OPEN);
    assert.equal((await authorize(postern, '/item?id=1')).status, 200);
    assert.equal((await authorize(postern, '/item?id=2')).headers.get('x-postern-reason'), 'policy_denied');
    assert.equal((await authorize(postern, '/item')).status, 200);
    for (const target of ['/item?id=%32', '/item?id=2&x', '/item?x&id=2', '/item/?%69d=2', '/item?id=2&id=3']) {
      assert.equal((await authorize(postern, target)).headers.get('x-postern-reason'), 'policy_denied', target);
    }
    assert.equal((await authorize(postern, '/item?x=1&id=1')).status, 200);
    for (const target of ['/item?id=3', '/item?id=1&id=2', '/item?id=2&id=1', '/item?x']) {
      assertRefused(await authorize(postern, target, { path: path('unknown=allow') }), 'ambiguous_content', target);
    }
  });
});

describe('who asks', () => {
  const who = async (headers: Record<string, string>, query = '') => {
    const answer = await authorize(postern, '/open', { path: path(query), headers });
    return answer.headers.get('x-postern-requester') || (answer.headers.get('x-postern-error') ?? 'anonymous');
  };

  test('the longest text wins, in upper or lower case; nobody when none is in it', async () => {
    await made(postern, '/v1/requesters', { id: 'images', userAgents: ['CrawlBot-Image'] });
    assert.equal(await who({ 'user-agent': 'crawlbot/1' }), 'crawler');
    assert.equal(await who({ 'user-agent': 'x CRAWLBOT-IMAGE y' }), 'images');
    assert.equal(await who({ 'user-agent': 'crawlbot-images' }), 'crawler');
    assert.equal(await who({ 'user-agent': 'crawl bot' }), 'anonymous');
    assert.equal(await who({}), 'anonymous');
  });

  test('a text of several requesters says nothing, and is refused', async () => {
    await made(postern, '/v1/requesters', { id: 'twin-a', userAgents: ['TwinBot'] });
    assert.equal(await who({ 'user-agent': 'TwinBot' }), 'twin-a');
    await made(postern, '/v1/requesters', { id: 'twin-b', userAgents: ['twinbot'] });
    assert.equal(await who({ 'user-agent': 'TwinBot' }), 'ambiguous_requester');
    await postern.call('PATCH', '/v1/requesters/twin-a', { body: { userAgents: [] } });
    assert.equal(await who({ 'user-agent': 'TwinBot' }), 'twin-b');
    await postern.call('DELETE', '/v1/requesters/twin-b');
    assert.equal(await who({ 'user-agent': 'TwinBot' }), 'anonymous');
  });

  test('a text of several requesters refuses nobody where decisions are only observed', async () => {
    const { id: policyId } = await makePolicy(postern, [{ action: 'deny', conditions: {} }]);
    const collection = { name: 'Watched', paths: ['/watched/'], mode: 'observe', policyId };
    const { id: collectionId } = await made(postern, '/v1/collections', collection);
    const { id: shutId } = await made(postern, '/v1/collections', {
      ...collection,
      paths: ['/shut/'],
      mode: 'enforce',
    });
    for (const id of ['both-a', 'both-b']) await made(postern, '/v1/requesters', { id, userAgents: ['BothBot'] });
    const userAgent = 'BothBot/1';
    const at = (target: string) => ({ url: ORIGIN + target, context: { userAgent }, visitor: {} });
    const ask = (target: string) => authorize(postern, target, { headers: { 'user-agent': userAgent } });
    const seen = await ask('/watched/page');
    assert.deepEqual([seen.status, seen.headers.get('x-postern-would')], [200, 'deny']);
    const shut = await ask('/shut/page');
    assert.deepEqual([shut.status, shut.headers.get('x-postern-error')], [403, 'ambiguous_requester']);
    const one = await postern.call('POST', '/v1/access/check', { body: at('/watched/page') });
    assert.deepEqual([one.status, one.body.enforced, one.body.requesterId], [200, false, null]);
    assertError(await postern.call('POST', '/v1/access/check', { body: at('/shut/page') }), 'invalid_request');
    const both = { checks: [at('/watched/page'), at('/shut/page')] };
    const { data } = (await postern.call('POST', '/v1/access/check/batch', { body: both })).body;
    assert.deepEqual([data[0].enforced, data[1].error.code], [false, 'invalid_request']);
    const counted = async (id: string) =>
      (await postern.call('GET', `/v1/access/decisions?collectionId=${id}`)).body.data.length;
    assert.deepEqual([await counted(collectionId), await counted(shutId)], [3, 0]);
  });

  test('what is registered is known after a restart', async () => {
    await using other = await startTestService();
    const { id } = await makePolicy(other, [{ action: 'allow', conditions: {} }]);
    await serve(other, '/open', id);
    await made(other, '/v1/requesters', { id: 'kept', userAgents: ['KeptBot'] });
    await other.restart();
    const answer = await authorize(other, '/open', { headers: { 'user-agent': 'KeptBot' } });
    assert.equal(answer.headers.get('x-postern-requester'), 'kept');
  });

  test('a header says so only where it is set up, and then before the user agent', async () => {
    const headers = { 'x-who': 'paid', 'user-agent': 'CrawlBot' };
    assert.equal(await who(headers), 'crawler');
    assert.equal(await who(headers, 'requesterHeader=X-Who'), 'paid');
    assert.equal(await who({ 'user-agent': 'CrawlBot' }, 'requesterHeader=X-Who'), 'crawler');
    assert.equal(await who({ ...headers, 'x-who': '' }, 'requesterHeader=X-Who'), 'crawler');
    assert.equal(await who({ ...headers, 'x-who': 'two names' }, 'requesterHeader=X-Who'), 'invalid_requester');
    const twice = await authorize(postern, '/open', {
      path: path('requesterHeader=X-Who'),
      headers: { 'x-who': ['paid', 'crawler'] },
    });
    assertRefused(twice, 'invalid_requester');
    for (const name of ['Authorization', 'X-Postern-Key', 'a%20b', '']) {
      const answer = await authorize(postern, '/open', { path: path(`requesterHeader=${name}`) });
      assertError(answer, 'invalid_request', 'requesterHeader');
    }
  });

  test('a suspended requester is denied under its user agent', async () => {
    await made(postern, '/v1/requesters', { id: 'bad', userAgents: ['BadBot'], status: 'suspended' });
    const answer = await authorize(postern, '/open', { headers: { 'user-agent': 'BadBot/1' } });
    assert.equal(answer.headers.get('x-postern-reason'), 'requester_suspended');
  });

  test('a user agent too long for a check hides nobody: it is refused', async () => {
    const agent = `${'x'.repeat(8 * 1024)}BadBot`;
    assert.equal(await who({ 'user-agent': agent }), 'unreadable_user_agent');
    assert.equal(await who({ 'user-agent': 'x'.repeat(1024) }), 'anonymous');
  });

  test('8 KiB of other headers change nothing', async () => {
    assert.equal(await who({ cookie: `a=${'x'.repeat(8 * 1024)}`, 'user-agent': 'CrawlBot' }), 'crawler');
  });

  test('user agent and address are kept with the decision: the address is the last that was added', async () => {
    const ask = async (forwarded: string) => {
      const headers = { 'user-agent': 'Some/1', 'x-forwarded-for': forwarded };
      return (await recorded(postern, await authorize(postern, '/open', { headers }))).context;
    };
    assert.deepEqual(await ask('203.0.113.7'), { ip: '203.0.113.7', userAgent: 'Some/1' });
    assert.deepEqual(await ask('6.6.6.6, 203.0.113.7'), { ip: '203.0.113.7', userAgent: 'Some/1' });
    assert.deepEqual(await ask('203.0.113.7, unknown'), { userAgent: 'Some/1' });
  });

  test("the visitor's method is kept with the decision, where the proxy says it", async () => {
    const ask = async (headers: Record<string, string | string[]>, method = 'GET') =>
      ((await recorded(postern, await authorize(postern, '/open', { method, headers }))).context as Any)?.method;
    assert.equal(await ask({ 'x-original-method': 'HEAD' }), 'HEAD');
    assert.equal(await ask({ 'x-forwarded-method': 'POST' }), 'POST');
    assert.equal(await ask({ 'x-forwarded-method': 'HEAD', 'x-original-method': 'HEAD' }), 'HEAD');
    assert.equal(await ask({ 'x-forwarded-method': 'HEAD', 'x-original-method': 'GET' }), undefined, 'it says two');
    assert.equal(await ask({}, 'POST'), undefined, "that of the proxy's own request is not the visitor's");
    for (const odd of ['', 'X'.repeat(33), 'GET /', 'A,B', ['GET', 'HEAD']]) {
      assert.equal(await ask({ 'x-original-method': odd }), undefined, `no method: ${odd}`);
    }
  });

  test('a proxy that appends the path asks with the method of its visitor, whatever headers say', async () => {
    const headers = { 'x-forwarded-method': 'GET', 'x-postern-options': `origin=${ORIGIN}` };
    const answer = await authorize(postern, null, { method: 'HEAD', path: '/v1/authorize/open', headers });
    assert.equal(((await recorded(postern, answer)).context as Any).method, 'HEAD');
  });
});

describe('whose key', () => {
  test('ours is in X-Postern-Key; Authorization is not looked at', async () => {
    const ask = (headers: Record<string, string | string[]>) => authorize(postern, '/open', { headers });
    assertError(await ask({ 'x-postern-key': '', authorization: `Bearer ${postern.key}` }), 'missing_api_key');
    assertError(await ask({ 'x-postern-key': 'nonsense' }), 'invalid_api_key');
    assertError(await ask({ 'x-postern-key': [postern.key, postern.key] }), 'invalid_api_key');
    const other = await makeKey(postern, { permissions: ['content:read'] });
    assertError(await ask({ 'x-postern-key': other }), 'insufficient_permissions');
    assert.equal((await ask({ authorization: 'Bearer of the visitor' })).status, 200);
    // X-Postern-Key authenticates no other route.
    const answer = await postern.call('GET', '/v1/content', { key: null, headers: { 'x-postern-key': postern.key } });
    assertError(answer, 'missing_api_key');
  });

  test('a key for certain addresses works only from there', async () => {
    const key = await makeKey(postern, { permissions: ['access:check'], allowedIps: ['203.0.113.0/24'] });
    assertError(await authorize(postern, '/open', { headers: { 'x-postern-key': key } }), 'ip_not_allowed');
  });

  test('an option that is not known is refused, never passed over', async () => {
    assertError(await authorize(postern, '/open', { path: path('unknwon=deny') }), 'invalid_request', 'unknwon');
    assertError(
      await authorize(postern, '/open', { path: path('unknown=deny&unknown=allow') }),
      'invalid_request',
      'unknown',
    );
    for (const origin of [
      'https://bücher.example',
      'https://b%C3%BCcher.example',
      'site.example',
      'https://site.example/path',
      'https://a@site.example',
      'ftp://site.example',
    ]) {
      const answer = await authorize(postern, '/open', { path: `/v1/authorize?origin=${encodeURIComponent(origin)}` });
      assertError(answer, 'invalid_request', 'origin');
    }
  });
});

test('bytes that no client would send are refused', async () => {
  for (const [name, value] of [
    ['X-Original-URI', '/clos\xc3\xa9d'],
    ['X-Original-URI', '/open\t'],
    ['X-Original-URI', ' '],
  ] as const) {
    const text = `GET ${path('unknown=allow')} HTTP/1.1\r\nHost: x\r\nX-Postern-Key: ${postern.key}\r\n${name}: ${value}\r\nConnection: close\r\n\r\n`;
    const answer = await bytes(postern, Buffer.from(text, 'latin1'));
    if (value.trim() === '/open') assert.match(answer, /^HTTP\/1\.1 200 /);
    else assert.match(answer, /^HTTP\/1\.1 403 /, value);
  }
});
