/**
 * A recorded URL is decided again as its check decided it: by what its host treats as one file, and under each reading.
 * The oracle is the service itself: the edit is made, the same checks are asked again, and compared with the preview.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService, testClock } from '../../kit/service.ts';
import { allowAll, assertStatus, item, made, makePolicy } from '../http/given.ts';

const clock = testClock();
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

type Any = any;

const DENY_ALL = { action: 'deny' };
const deny = (conditions: object) => ({ action: 'deny', conditions });
const allow = (conditions: object, more: object = {}) => ({ action: 'allow', conditions, ...more });

const collection = (policyId: string, body: object) =>
  made(postern, '/v1/collections', { name: 'C', policyId, ...body });
const putUrls = async (host: string, urls: object): Promise<void> => {
  const { status, text } = await postern.call('PUT', `/v1/sites/${host}`, { body: { urls } });
  assert.ok(status === 200 || status === 201, text);
};
const preview = (id: string, rules: readonly object[]) =>
  made(postern, `/v1/policies/${id}/impact`, { policy: { rules }, examples: 20 }, 200);
const ask = (check: object) => postern.call('POST', '/v1/access/check', { body: check });
const publish = async (id: string, rules: readonly object[]): Promise<void> =>
  assertStatus(await postern.call('PATCH', `/v1/policies/${id}`, { body: { rules } }), 200);

/** Returns whether a check is allowed; one that is refused for its readings is not. */
async function isAllowed(check: object): Promise<boolean> {
  const { status, body } = await ask({ ...check, dryRun: true });
  if (status === 200) return body.allowed;
  assert.equal(body.error.code, 'ambiguous_content');
  return false;
}

/** Records the checks that get a decision, and returns what each was that the policy decided. */
async function record(policyId: string, checks: readonly object[]): Promise<{ check: object; allowed: boolean }[]> {
  const recorded: { check: object; allowed: boolean }[] = [];
  for (const check of checks) {
    const { status, body } = await ask(check);
    if (status !== 200) assert.equal(body.error.code, 'ambiguous_content', JSON.stringify(check));
    else if (body.policyId === policyId) recorded.push({ check, allowed: body.allowed });
  }
  return recorded;
}

const countTurns = (turns: readonly [boolean, boolean][]) => ({
  allowToDeny: turns.filter(([was, is]) => was && !is).length,
  denyToAllow: turns.filter(([was, is]) => !was && is).length,
});

/** Previews rules for recorded checks, publishes them, asks again and compares. Returns the turns. */
async function assertForetold(policyId: string, rules: readonly object[], checks: readonly object[]) {
  const recorded = await record(policyId, checks);
  clock.advance(1000);
  const foretold: Any = await preview(policyId, rules);
  const put = await postern.call('PUT', `/v1/policies/${policyId}/candidate`, { body: { rules } });
  assert.ok(put.status === 200 || put.status === 201, put.text);
  for (const { check } of recorded) assertStatus(await ask(check), 200);
  const beside: Any = (await postern.call('GET', `/v1/policies/${policyId}/candidate`)).body;
  await publish(policyId, rules);
  const turns: [boolean, boolean][] = [];
  for (const { check, allowed } of recorded) turns.push([allowed, await isAllowed(check)]);
  const counted = countTurns(turns);
  assert.deepEqual(foretold.unknown, { decisions: 0, causes: [] });
  const { decisions, allowToDeny, denyToAllow } = foretold;
  assert.deepEqual({ decisions, allowToDeny, denyToAllow }, { decisions: recorded.length, ...counted });
  const { newlyDenied, newlyAllowed } = beside;
  assert.deepEqual(
    { newlyDenied, newlyAllowed },
    { newlyDenied: counted.allowToDeny, newlyAllowed: counted.denyToAllow },
  );
  return { ...counted, recorded };
}

const ODD = [
  '/shut/a',
  '/shut;v=1/a',
  '/shut%3Bx/a',
  '/shut/a;x',
  '/shut/a%3Fx=1',
  '/shut/a%23x',
  '/shut/a/',
  '/shut/a/index.html',
  '/index.php/shut/a',
  '/shut/index.php/a',
  '/shut./a',
  '/shut/a.',
  '/open/a',
  '/open;v/a',
  '/Shut/a',
  '/SHUT;x/A',
];
const urlsOf = (host: string): object[] =>
  [
    ...ODD.map((path) => `https://${host}${path}`),
    ...['', '.', ':8443'].map((end) => `https://${host}${end}/shut/a`),
  ].map((url) => ({ url }));

describe('rules that name a path', () => {
  test('turn every reading of a URL: from allowed to denied', async () => {
    const { id } = await makePolicy(postern, [allowAll]);
    await collection(id, { hosts: ['turn.example'] });
    const { allowToDeny } = await assertForetold(id, [deny({ path: '/shut/' }), allowAll], urlsOf('turn.example'));
    assert.ok(allowToDeny > 10, String(allowToDeny));
  });
  test('turn no URL of which one reading stays denied: from denied to allowed', async () => {
    const { id } = await makePolicy(postern, [DENY_ALL]);
    await collection(id, { hosts: ['back.example'] });
    const { denyToAllow } = await assertForetold(id, [allow({ path: '/shut/' })], urlsOf('back.example'));
    assert.ok(denyToAllow > 3, String(denyToAllow));
  });
  test('give readings other permissions or limits, so that the check is refused', async () => {
    const { id } = await makePolicy(postern, [allowAll]);
    await collection(id, { hosts: ['grants.example'] });
    const less = allow({ path: '/shut/' }, { permissions: ['preview_only'] });
    const { allowToDeny } = await assertForetold(id, [less, allowAll], urlsOf('grants.example'));
    assert.ok(allowToDeny > 3, String(allowToDeny));
  });
  test('and a host, which a port and a dot at its end do not pass', async () => {
    const { id } = await makePolicy(postern, [allowAll]);
    await collection(id, { paths: ['/ports/'] });
    const checks = ['ports.example', 'ports.example.', 'ports.example:8443', 'other.example:81'].map((host) => ({
      url: `https://${host}/ports/a`,
    }));
    const { allowToDeny } = await assertForetold(id, [deny({ host: 'ports.example' }), allowAll], checks);
    assert.equal(allowToDeny, 3);
  });
});

describe('readings of several policies', () => {
  test('are decided each by its own: none is allowed where another policy denies', async () => {
    const [own, other] = [(await makePolicy(postern, [DENY_ALL])).id, (await makePolicy(postern, [DENY_ALL])).id];
    await collection(own, { hosts: ['two.example'] });
    await collection(other, { hosts: ['two.example'], paths: ['/shut/'] });
    const checks = urlsOf('two.example');
    const { denyToAllow, recorded } = await assertForetold(own, [allowAll], checks);
    // `/index.php/shut/a` stays denied.
    assert.ok(denyToAllow > 0 && denyToAllow < recorded.length, `${denyToAllow} of ${recorded.length}`);
    const asked = recorded.map(({ check }) => check);
    const body = { policy: { rules: [allowAll] }, checks: asked };
    for (const [i, one] of ((await made(postern, '/v1/policies/simulate', body, 200)).data as Any[]).entries()) {
      assert.equal(one.allowed ?? false, await isAllowed(asked[i] as object), JSON.stringify(asked[i]));
    }
  });
  test('a reading that finds nothing does not allow', async () => {
    const { id } = await makePolicy(postern, [DENY_ALL]);
    await collection(id, { hosts: ['gone.example'], paths: ['/a;x'] });
    const checks = [{ url: 'https://gone.example/a;x' }];
    const { denyToAllow, recorded } = await assertForetold(id, [allowAll], checks);
    assert.deepEqual([denyToAllow, recorded.length], [0, 1]);
  });
  test('an item at one of them counts, as it was registered then', async () => {
    const { id } = await makePolicy(postern, [allowAll]);
    await collection(id, { hosts: ['items.example'] });
    await made(postern, '/v1/content', item({ policyId: id, source: 'https://items.example/book', tags: ['paid'] }));
    const checks = ['/book', '/book;v=1', '/other;v=1'].map((path) => ({ url: `https://items.example${path}` }));
    const { allowToDeny } = await assertForetold(id, [deny({ contentTags: 'paid' }), allowAll], checks);
    assert.equal(allowToDeny, 2);
  });
  test('an item at one of them that was edited since is not guessed', async () => {
    const { id } = await makePolicy(postern, [DENY_ALL]);
    await collection(id, { hosts: ['edited.example'] });
    const path = '/v1/content';
    const made1 = await made(postern, path, item({ policyId: id, source: 'https://edited.example/a%3Bx' }));
    await ask({ url: 'https://edited.example/a;x' });
    clock.advance(1000);
    assertStatus(await postern.call('PATCH', `${path}/${made1.id}`, { body: { tags: ['new'] } }), 200);
    const { unknown } = await preview(id, [allow({ contentTags: 'new' })]);
    assert.deepEqual(unknown, { decisions: 1, causes: [{ cause: 'item_edited', count: 1 }] });
  });
});

describe('what a host treats as one file', () => {
  const RULES = [deny({ path: ['/shut/a$', '/Shut/b$'] }), allowAll];
  const checks = (host: string) =>
    ['/SHUT/a', '/shut/A', '/shut/b', '/shut/a/', '/shut/a/index.html', '/shut/a/home.htm', '/open'].map((path) => ({
      url: `https://${host}${path}`,
    }));
  for (const [name, urls] of Object.entries({
    'the case of letters is ignored': { case: 'ignored' },
    'the final slash counts': { finalSlash: 'significant' },
    'a folder has another index': { index: ['home.htm'] },
    all: { case: 'ignored', finalSlash: 'significant', index: ['home.htm'] },
  })) {
    test(name, async () => {
      const host = `${Object.keys(urls).join('-').toLowerCase()}.example`;
      const { id } = await makePolicy(postern, [allowAll]);
      await collection(id, { hosts: [host] });
      await putUrls(host, urls);
      const { allowToDeny } = await assertForetold(id, RULES, [...checks(host), ...urlsOf(host)]);
      assert.ok(allowToDeny > 1);
    });
  }
  test('also for checks that name an item', async () => {
    const { id } = await makePolicy(postern, [allowAll]);
    await putUrls('byid.example', { case: 'ignored' });
    const { id: contentId } = await made(
      postern,
      '/v1/content',
      item({ policyId: id, source: 'https://byid.example/Shut/A' }),
    );
    assert.equal((await assertForetold(id, RULES, [{ contentId }])).allowToDeny, 1);
  });
  test('counts as it was: an edit since changes nothing of the past', async () => {
    const host = 'then.example';
    const { id } = await makePolicy(postern, [allowAll]);
    await collection(id, { hosts: [host] });
    const asked: { check: object; at: number; allowed: boolean }[] = [];
    for (const urls of [{ case: 'ignored' }, { finalSlash: 'significant' }, { index: ['home.htm'] }]) {
      await putUrls(host, { case: 'sensitive', finalSlash: 'ignored', index: ['index.html'], ...urls });
      clock.advance(1000);
      for (const one of await record(id, [...checks(host), ...urlsOf(host)])) asked.push({ ...one, at: clock.now() });
      clock.advance(1000);
    }
    assertStatus(await postern.call('DELETE', `/v1/sites/${host}`), 200);
    clock.advance(1000);
    const foretold: Any = await preview(id, RULES);
    const again = asked.map(({ check, at }) => ({ ...check, asOf: new Date(at).toISOString() }));
    const { data } = await made(postern, '/v1/policies/simulate', { policy: { rules: RULES }, checks: again }, 200);
    const turns = (data as Any[]).map((one, i): [boolean, boolean] => [
      asked[i]?.allowed === true,
      one.allowed === true,
    ]);
    const { decisions, unknown, allowToDeny, denyToAllow } = foretold;
    assert.deepEqual([decisions, unknown.decisions], [asked.length, 0]);
    assert.deepEqual({ allowToDeny, denyToAllow }, countTurns(turns));
    assert.ok(allowToDeny > 10, String(allowToDeny));
  });
});
