/**
 * Signing in through a real OpenID Connect provider. What the provider says decides who comes in and as what; what did
 * not come from it, or not for this browser, decides nothing.
 */
import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { startProvider, type TestProvider } from '../../kit/oidc.ts';
import { startTestService, testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { assertError, assertStatus } from '../http/given.ts';
import { begin, finish, OWN, passProvider, signIn, withSession } from './trip.ts';

const clock = testClock(Date.now());
const provider = await startProvider();
after(() => provider[Symbol.asyncDispose]());
const postern = await startTestService({ env: provider.env, clock });
after(() => postern[Symbol.asyncDispose]());
provider.register(postern.url);

beforeEach(() => {
  Object.assign(provider, { tamper: undefined, forge: false, down: false });
  provider.people.set('ada', { name: 'Ada Lovelace', email: 'ada@example.com', groups: ['staff', 'heads'] });
  provider.people.set('bob', { name: 'Bob', groups: ['staff'] });
  provider.people.set('eve', { name: 'Eve', groups: ['others'] });
});

/** The problem of the newest failed sign-in, from the log. */
const newestProblem = (): string => {
  const lines = postern.logs.map((line) => JSON.parse(line) as { problem?: string });
  return lines.findLast(({ problem }) => problem !== undefined)?.problem ?? '';
};

async function userNamed(name: string) {
  const { body } = await postern.call('GET', '/v1/users?limit=100');
  return body.data.find((one: { name: string }) => one.name === name);
}

describe('signing in', () => {
  test('makes a user of the person, with the role of the first group that fits, and opens the page', async () => {
    const { location, session = '' } = await signIn(postern, 'ada');
    assert.equal(location, '/console/content');
    const { body } = await withSession(postern, session, 'GET /console/session');
    assert.equal(body.key, null);
    assert.deepEqual(body.permissions, ['*']);
    const { id, lastSeen, created, updated, ...rest } = body.user;
    assert.match(id, /^usr_[0-9a-z]{26}$/);
    assert.deepEqual(rest, {
      object: 'user',
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      role: 'admin',
      status: 'active',
      issuer: provider.issuer,
    });
    assert.equal(lastSeen, created);
    assert.equal(updated, created);
    assert.equal((await withSession(postern, session, 'GET /v1/api-keys')).status, 200);
    const again = await signIn(postern, 'ada');
    const who = await withSession(postern, again.session ?? '', 'GET /console/session');
    assert.equal(who.body.user.id, id, 'the same person is the same user');
  });

  test('asks the provider with PKCE, a state and a nonce, for the right address', async () => {
    const { url, cookie } = await begin(postern);
    const asked = new URL(url);
    assert.equal(asked.origin, provider.issuer);
    const { state, nonce, code_challenge: challenge, ...rest } = Object.fromEntries(asked.searchParams);
    assert.deepEqual(rest, {
      response_type: 'code',
      client_id: 'postern',
      redirect_uri: `${postern.url}/console/oidc/callback`,
      scope: 'openid profile email groups',
      code_challenge_method: 'S256',
    });
    for (const one of [state, nonce, challenge]) assert.match(one ?? '', /^[\w-]{43}$/);
    assert.equal(new Set([state, nonce, challenge]).size, 3);
    for (const one of [state, nonce]) assert.ok(!cookie.includes(one ?? ''));
    const other = new URL((await begin(postern)).url).searchParams;
    assert.notEqual(other.get('state'), state);
  });

  test('the store and the log hold no token, and the audit log names the person', async () => {
    const { session = '' } = await signIn(postern, 'ada');
    const { body: item } = await withSession(postern, session, 'POST /v1/content', {
      externalId: `by-ada-${clock.now()}`,
      title: 'T',
      type: 'article',
      source: 'https://example.com/a',
    });
    const { id } = await userNamed('Ada Lovelace');
    const { body } = await postern.call('GET', `/v1/audit-log?actor=${id}`);
    const [newest, before] = body.data;
    assert.deepEqual([newest.kind, newest.target.id], ['content.created', item.id]);
    assert.deepEqual(newest.actor, { type: 'user', id, name: 'Ada Lovelace' });
    assert.deepEqual([before.kind, before.address], ['user.signed_in', '127.0.0.1']);
    const rows = JSON.stringify([await postern.rowsOf('sessions'), await postern.rowsOf('users')]);
    assert.ok(!rows.includes(session.split('=')[1] as string));
    assert.ok(!postern.logs.join('').includes('eyJ'), 'a token of the provider in the log');
  });

  test('a person without a role does not come in, nor does one whom the provider refuses', async () => {
    assert.deepEqual(await signIn(postern, 'eve'), { location: '/console?signIn=no_role', session: undefined });
    assert.equal(await userNamed('Eve'), undefined);
    assert.deepEqual(await signIn(postern, 'refused'), { location: '/console?signIn=refused', session: undefined });
  });

  test('only to pages of the console', async () => {
    for (const to of ['https://evil.example', '//evil.example', '/\\evil.example', '/consolex', '/console\\x', '']) {
      const { url, cookie } = await begin(postern, to);
      const { location } = await finish(postern, await passProvider(url, 'ada', postern.url), cookie);
      assert.equal(location, '/console', to);
    }
  });

  test('is not for other sites', async () => {
    for (const headers of [
      {},
      { ...OWN, origin: 'https://evil.example' },
      { ...OWN, 'sec-fetch-site': 'cross-site' },
    ]) {
      const answer = await postern.call('POST', '/console/oidc', { key: null, headers, body: {} });
      assert.equal(answer.status, 401);
      assert.equal(answer.headers.get('set-cookie'), null);
    }
  });
});

describe('an answer that does not count', () => {
  const refuses = async ([what, reason]: [string, string], callback: string, cookie: string, problem: RegExp) => {
    const { location, session } = await finish(postern, callback, cookie);
    assert.deepEqual([location, session], [`/console?signIn=${reason}`, undefined], `${what}: ${newestProblem()}`);
    assert.match(newestProblem(), problem, what);
  };

  test('in another browser, of another round trip, without a state, to another page', async () => {
    const { url, cookie } = await begin(postern);
    const callback = await passProvider(url, 'ada', postern.url);
    const other = await begin(postern);
    await refuses(['no cookie', 'expired'], callback, '', /no round trip/);
    await refuses(['another browser', 'expired'], callback, other.cookie, /state/);
    await refuses(['no state', 'expired'], callback.replace(/&state=[^&]*/, ''), cookie, /state/);
    const [name = '', token = ''] = cookie.split(/[=.]/);
    const text = Buffer.from(cookie.split('.')[1] as string, 'base64url').toString();
    const forged = Buffer.from(text.replace('/console/content', '/console/keys')).toString('base64url');
    await refuses(['a changed cookie', 'expired'], callback, `${name}=${token}.${forged}`, /state/);
  });

  test('after ten minutes', async () => {
    const later = testClock(Date.now());
    await using own = await startTestService({ env: provider.env, clock: later });
    provider.register(own.url);
    const [inTime, late] = [await begin(own), await begin(own)];
    later.advance(10 * 60_000 - 1);
    const callback = await passProvider(inTime.url, 'ada', own.url);
    assert.notEqual((await finish(own, callback, inTime.cookie)).session, undefined);
    later.advance(1);
    const { location } = await finish(own, await passProvider(late.url, 'ada', own.url), late.cookie);
    assert.equal(location, '/console?signIn=expired');
  });

  test('a code that was used, or is another one', async () => {
    const { url, cookie } = await begin(postern);
    const callback = await passProvider(url, 'ada', postern.url);
    await refuses(['an invented code', 'failed'], callback.replace(/code=[^&]*/, 'code=x'), cookie, /invalid_grant|./);
    assert.notEqual((await finish(postern, callback, cookie)).session, undefined);
    await refuses(['the same again', 'failed'], callback, cookie, /./);
    const mine = await begin(postern);
    const code = new URL(await passProvider(mine.url, 'bob', postern.url)).searchParams.get('code') ?? '';
    const theirs = await begin(postern);
    const injected = new URL(await passProvider(theirs.url, 'ada', postern.url));
    injected.searchParams.set('code', code);
    await refuses(['the code of another round trip', 'failed'], injected.href, theirs.cookie, /./);
  });

  test('of another provider', async () => {
    const { url, cookie } = await begin(postern);
    const callback = new URL(await passProvider(url, 'ada', postern.url));
    assert.equal(callback.searchParams.get('iss'), provider.issuer);
    callback.searchParams.set('iss', 'https://evil.example');
    await refuses(['its name', 'failed'], callback.href, cookie, /iss/);
    callback.searchParams.delete('iss');
    await refuses(['no name', 'failed'], callback.href, cookie, /iss/);
  });

  const tampered: [string, (claims: Record<string, unknown>) => Record<string, unknown>, RegExp][] = [
    ['for another audience', (claims) => ({ ...claims, aud: 'another-service' }), /aud/],
    ['for others, too, by another party', (claims) => ({ ...claims, aud: ['postern', 'x'], azp: 'x' }), /azp/],
    ['of another issuer', (claims) => ({ ...claims, iss: 'https://evil.example' }), /iss/],
    ['with another nonce', (claims) => ({ ...claims, nonce: 'another' }), /nonce/],
    ['without a nonce', ({ nonce: _, ...claims }) => claims, /nonce/],
    ['that has expired', (claims) => ({ ...claims, exp: Number(claims.exp) - 3600 }), /exp/],
    ['that is not valid yet', (claims) => ({ ...claims, nbf: Number(claims.iat) + 3600 }), /nbf/],
    ['without a subject', ({ sub: _, ...claims }) => claims, /sub/],
    ['with a subject that is none', (claims) => ({ ...claims, sub: 'a\u0000b' }), /subject/],
  ];
  for (const [what, tamper, problem] of tampered) {
    test(`a token ${what}`, async () => {
      const { url, cookie } = await begin(postern);
      const callback = await passProvider(url, 'ada', postern.url);
      provider.tamper = tamper;
      await refuses([what, 'failed'], callback, cookie, problem);
    });
  }

  test('a token that the provider did not sign', async () => {
    const { url, cookie } = await begin(postern);
    const callback = await passProvider(url, 'ada', postern.url);
    provider.forge = true;
    await refuses(['a forged token', 'failed'], callback, cookie, /signature/i);
  });
});

describe('a provider', () => {
  test('that replaces its keys: the next sign-in verifies with the new ones', async () => {
    assert.notEqual((await signIn(postern, 'bob')).session, undefined);
    for (let i = 0; i < 3; i++) {
      provider.rotate();
      assert.notEqual((await signIn(postern, 'bob')).session, undefined, newestProblem());
    }
  });

  test('whose clock is off by half a minute is trusted, by five minutes not', async () => {
    const shifted = (seconds: number) => (claims: Record<string, unknown>) => ({
      ...claims,
      iat: Number(claims.iat) + seconds,
      nbf: Number(claims.iat) + seconds,
      exp: Number(claims.iat) + seconds + 10,
    });
    for (const seconds of [-30, 30]) {
      provider.tamper = shifted(seconds);
      assert.notEqual((await signIn(postern, 'bob')).session, undefined, `${seconds} ${newestProblem()}`);
    }
    for (const seconds of [-300, 300]) {
      provider.tamper = shifted(seconds);
      assert.equal((await signIn(postern, 'bob')).location, '/console?signIn=failed', String(seconds));
    }
  });

  test('that is down: 503 at the start, a reason on the way back; keys still sign in', async () => {
    await using own = await startTestService({ env: provider.env });
    provider.register(own.url);
    const { url, cookie } = await begin(own);
    const callback = await passProvider(url, 'ada', own.url);
    provider.down = true;
    assert.equal((await finish(own, callback, cookie)).location, '/console?signIn=unavailable');
    await own.restart();
    const refused = await own.call('POST', '/console/oidc', { key: null, headers: OWN, body: {} });
    assert.equal(refused.status, 503);
    assert.match(refused.body.error.message, /key or a link/);
    const byKey = await own.call('POST', '/console/session', { key: null, headers: OWN, body: { key: own.key } });
    assert.equal(byKey.status, 201);
    provider.down = false;
    const back = await own.call('POST', '/console/oidc', { key: null, headers: OWN, body: {} });
    assert.equal(back.status, 200, back.text);
  });

  for (const [how, fail] of [
    ['stops', (one: TestProvider) => one.stop()],
    ['fails', (one: TestProvider) => Object.assign(one, { down: true })],
  ] as const) {
    test(`that ${how} after people signed in: within seconds nobody is led to it`, async () => {
      await using there = await startProvider();
      await using own = await startTestService({ env: there.env });
      there.people.set('ada', { name: 'Ada Lovelace', groups: ['heads'] });
      there.register(own.url);
      assert.notEqual((await signIn(own, 'ada')).session, undefined);
      await fail(there);
      const refused = await until('the sign-in says it', async () => {
        const answer = await own.call('POST', '/console/oidc', { key: null, headers: OWN, body: {} });
        return answer.status === 200 ? undefined : answer;
      });
      assertError(refused, 'service_unavailable');
      assert.match(refused.body.error.message, /key or a link/);
    });
  }

  test('that takes requests and never answers: each sign-in ends within its bound, and requests go on', {
    timeout: 40_000,
  }, async () => {
    await using there = await startProvider();
    await using own = await startTestService({ env: there.env });
    there.people.set('ada', { name: 'Ada Lovelace', groups: ['heads'] });
    there.register(own.url);
    const { url, cookie } = await begin(own);
    const callback = await passProvider(url, 'ada', own.url);
    there.silent = true;
    const asked = there.asked('/token');
    const ended = finish(own, callback, cookie);
    await until('the provider has the code', () => there.asked('/token') > asked);
    assertStatus(await own.call('GET', '/v1/content'), 200);
    assert.equal((await ended).location, '/console?signIn=unavailable');
    // What the provider published is too old by now.
    const refused = await own.call('POST', '/console/oidc', { key: null, headers: OWN, body: {} });
    assertError(refused, 'service_unavailable');
    assert.match(refused.body.error.message, /key or a link/);
  });

  test('is asked for its addresses once by many who begin together', async () => {
    await begin(postern);
    const before = provider.asked('/.well-known/openid-configuration');
    await Promise.all(Array.from({ length: 30 }, () => begin(postern)));
    assert.ok(provider.asked('/.well-known/openid-configuration') - before <= 1);
  });

  test('that keeps the groups out of its tokens is asked for them', async () => {
    await using slim = await startProvider({ slimTokens: true });
    await using own = await startTestService({ env: slim.env });
    slim.people.set('cat', { name: 'Cat', email: 'cat@example.com', groups: ['desk'] });
    slim.register(own.url);
    const { session = '' } = await signIn(own, 'cat');
    const { body } = await withSession(own, session, 'GET /console/session');
    assert.deepEqual([body.user.name, body.user.email, body.user.role], ['Cat', 'cat@example.com', 'editor']);
  });
});

describe('a role', () => {
  test('that the provider changes counts from the next sign-in, in all sessions', async () => {
    const { session: old = '' } = await signIn(postern, 'bob');
    assert.equal((await withSession(postern, old, 'GET /v1/users')).status, 403);
    provider.people.set('bob', { name: 'Robert', groups: ['heads'] });
    const { session: fresh = '' } = await signIn(postern, 'bob');
    for (const session of [old, fresh]) {
      const { body } = await withSession(postern, session, 'GET /console/session');
      assert.deepEqual([body.user.name, body.user.role], ['Robert', 'admin']);
    }
    const [entry] = (await postern.call('GET', '/v1/audit-log?kind=user.signed_in')).body.data;
    assert.deepEqual([entry.before.role, entry.after.role], ['viewer', 'admin']);
  });

  test('that is taken away ends all sessions with the next sign-in', async () => {
    const { session = '' } = await signIn(postern, 'bob');
    provider.people.set('bob', { name: 'Bob', groups: [] });
    assert.equal((await signIn(postern, 'bob')).location, '/console?signIn=no_role');
    assert.equal((await withSession(postern, session, 'GET /v1/content')).status, 401);
    assert.equal((await userNamed('Bob')).role, null);
    const [entry] = (await postern.call('GET', '/v1/audit-log?kind=user.role_lost')).body.data;
    assert.deepEqual([entry.before.role, entry.after.role, entry.actor.name], ['viewer', null, 'Bob']);
    provider.people.set('bob', { name: 'Bob', groups: ['sales'] });
    assert.notEqual((await signIn(postern, 'bob')).session, undefined);
    assert.equal((await userNamed('Bob')).role, 'licensing');
  });
});

test('signing out ends the session, and only that one', async () => {
  const [one, other] = [await signIn(postern, 'ada'), await signIn(postern, 'ada')];
  assert.equal((await withSession(postern, one.session ?? '', 'DELETE /console/session')).status, 200);
  assert.equal((await withSession(postern, one.session ?? '', 'GET /v1/content')).status, 401);
  assert.equal((await withSession(postern, other.session ?? '', 'GET /v1/content')).status, 200);
});

test('who is suspended does not come in through the provider', async () => {
  await signIn(postern, 'ada');
  const { id } = await userNamed('Ada Lovelace');
  await postern.call('POST', `/v1/users/${id}/suspend`);
  assert.deepEqual(await signIn(postern, 'ada'), { location: '/console?signIn=suspended', session: undefined });
  await postern.call('POST', `/v1/users/${id}/reinstate`);
  assert.notEqual((await signIn(postern, 'ada')).session, undefined);
});
