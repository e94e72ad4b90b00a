/** Spellings of one file are one unit of distinct content, wherever units are counted. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestService, testClock } from '../../kit/service.ts';
import { authorize } from '../enforce/asking.ts';
import { assertStatus, item, made, makePolicy, PRICED } from './given.ts';

const clock = testClock(Date.parse('2026-10-05T12:00:00Z'));
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());

const policy = await makePolicy(postern, [{ action: 'allow', conditions: { hasValidLicense: true } }]);
const DISTINCT = { ...PRICED, unit: 'distinct_content', quota: { units: 100, onExceed: 'deny' } };

let count = 0;
async function given(terms: object = DISTINCT) {
  const host = `h${++count}.example`;
  await made(postern, '/v1/collections', { name: host, hosts: [host, `${host}:8443`], policyId: policy.id });
  const { id: requesterId } = await made(postern, '/v1/requesters', { id: `r-${count}`, name: 'R' });
  const license = await made(postern, '/v1/licenses', { requesterId, type: 'x', terms });
  const { token } = await made(postern, `/v1/requesters/${requesterId}/tokens`, { name: 't' });
  const ask = async (path: string, at = host) => {
    clock.advance(1000);
    const answer = await postern.call('POST', '/v1/access/check', {
      body: { url: `https://${at}${path}`, requesterId },
    });
    assertStatus(answer, 200, path);
    return answer.body;
  };
  return { host, requesterId, license: license.id as string, token: token as string, ask };
}
type Given = Awaited<ReturnType<typeof given>>;

const get = async (path: string, key?: string, accept = 'application/json') => {
  const answer = await postern.call('GET', path, { headers: { accept }, ...(key === undefined ? {} : { key }) });
  assertStatus(answer, 200, path);
  return answer;
};
async function putUrls(host: string, urls: object): Promise<void> {
  const { status, text } = await postern.call('PUT', `/v1/sites/${host}`, { body: { urls } });
  assert.ok(status === 200 || status === 201, text);
}
const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Asserts that everything that counts units says so many; `used`: the answer to the last check. */
async function assertUnits({ license, requesterId, token }: Given, units: number, used?: number): Promise<void> {
  if (used !== undefined) assert.equal(used, units, 'the answer to the check');
  const { body: usage } = await get(`/v1/licenses/${license}/usage`);
  assert.deepEqual([usage.units, usage.quota.used], [units, units], 'the usage');
  const [statement] = (await get(`/v1/statements?period=2026-10&licenseId=${license}`)).body.data;
  assert.equal(statement.units, units, 'the statement');
  assert.equal((await get(`/v1/statements/${statement.id}`)).body.units, units);
  assert.equal((await get('/v1/me/statements?period=2026-10', token)).body.data[0].units, units, 'for the partner');
  const evidence = lines((await get(`/v1/statements/${statement.id}`, undefined, 'application/x-ndjson')).text);
  assert.equal(evidence.filter(({ unit }) => unit).length, units, 'the evidence');
  // A partner with the files alone counts the same.
  const nameOf = (one: any): string => one.contentId ?? one.file ?? one.url;
  assert.equal(new Set(evidence.map(nameOf)).size, units, 'the evidence, counted');
  const log = (await get(`/v1/access/decisions?requesterId=${requesterId}&limit=100`)).body.data;
  assert.equal(new Set(log.map(nameOf)).size, units, 'the log, counted');
}

describe('spellings of one file are one unit', () => {
  test('of the quota, the usage, the statement and the evidence', async () => {
    const own = await given();
    let last: any;
    for (const path of ['/p/', '/p', '/p/index.html', '/p/index.php', '/%70/']) last = await own.ask(path);
    await assertUnits(own, 1, last.quota.used);
    for (const path of ['/q', '/Q', '/a.pdf', '/', '/index.htm']) last = await own.ask(path);
    await assertUnits(own, 5, last.quota.used);
    const log = (await get(`/v1/access/decisions?requesterId=${own.requesterId}&limit=100`)).body.data;
    const found = log.map(({ url, file }: any) => [url, file]).toReversed();
    assert.deepEqual(found.slice(0, 3), [
      [`${own.host}/p/`, `${own.host}/p`],
      [`${own.host}/p`, undefined],
      [`${own.host}/p/index.html`, `${own.host}/p`],
    ]);
  });

  test('and are allowed when the quota is used up', async () => {
    const own = await given({ ...DISTINCT, quota: { units: 1, onExceed: 'deny' } });
    for (const path of ['/p/index.html', '/p', '/p/']) assert.equal((await own.ask(path)).allowed, true, path);
    assert.equal((await own.ask('/q')).reason, 'quota_exceeded');
    assert.equal((await own.ask('/p/index.htm')).allowed, true);
  });

  test('under the rules of the moment of the decision, also after a restart', async () => {
    const own = await given();
    for (const path of ['/a/', '/B', '/c/index.html']) await own.ask(path);
    await assertUnits(own, 3);
    await putUrls(own.host, { case: 'ignored', finalSlash: 'significant', index: ['main.html'] });
    // A final slash is another file now; `/B` was counted with its capital.
    for (const path of ['/A', '/a/', '/A/main.html', '/b', '/c/index.html']) await own.ask(path);
    await assertUnits(own, 6);
    await postern.restart();
    assert.equal((await own.ask('/a/MAIN.html')).quota.used, 6);
    await assertUnits(own, 6);
    await putUrls(own.host, { case: 'sensitive', finalSlash: 'ignored', index: ['index.html'] });
    assert.equal((await own.ask('/a/')).quota.used, 6);
    assert.equal((await own.ask('/D/')).quota.used, 7);
    await assertUnits(own, 7);
  });

  test('when a quota is counted again under other terms', async () => {
    const own = await given({ ...PRICED, quota: { units: 100, onExceed: 'deny' } });
    await putUrls(own.host, { case: 'ignored', finalSlash: 'ignored', index: ['index.html'] });
    for (const path of ['/P/', '/p', '/p/Index.html', '/q']) await own.ask(path);
    await putUrls(own.host, { case: 'sensitive', finalSlash: 'significant', index: [] });
    const changed = await postern.call('PATCH', `/v1/licenses/${own.license}`, {
      body: { terms: DISTINCT, effective: 'now' },
    });
    assertStatus(changed, 200);
    // Decisions of the last seconds are counted from their rows, then from the count.
    for (let i = 0; i < 8; i++) assert.equal((await own.ask('/p')).quota.used, 2);
  });

  test('of a URL with a port or capitals in its host', async () => {
    const own = await given();
    await own.ask('/p/', own.host.toUpperCase());
    await own.ask('/p');
    await own.ask('/p/', `${own.host}:443`);
    await assertUnits(own, 1, (await own.ask('/p')).quota.used);
    // A port that a collection names is another site.
    for (const path of ['/p/', '/p/index.html']) await own.ask(path, `${own.host}:8443`);
    await assertUnits(own, 2, (await own.ask('/p')).quota.used);
  });

  test('also where servers may read a URL in several ways', async () => {
    const own = await given();
    for (const path of ['/p', '/p;v=1', '/p/;v=1', '/p%3Bv=1']) await own.ask(path);
    await assertUnits(own, 1, (await own.ask('/p/index.html')).quota.used);
  });

  test('of an item, whether its id or its URL is asked for', async () => {
    const own = await given();
    const source = `https://${own.host}/item`;
    const { id } = await made(postern, '/v1/content', item({ policyId: policy.id, source }));
    for (const path of ['/item', '/item/', '/item/index.html']) await own.ask(path);
    const body = { contentId: id, requesterId: own.requesterId };
    const { quota } = (await postern.call('POST', '/v1/access/check', { body })).body;
    await assertUnits(own, 1, quota.used);
  });

  test('at the door of a proxy', async () => {
    const own = await given();
    for (const target of ['/p/', '/p', '/p/index.html']) {
      const headers = { 'x-forwarded-host': own.host, authorization: `Bearer ${own.token}` };
      assert.equal((await authorize(postern, target, { path: '/v1/authorize', headers })).status, 200);
      await own.ask(target);
    }
    await assertUnits(own, 1);
  });

  test('as a dry run foresees', async () => {
    const own = await given({ ...DISTINCT, quota: { units: 1, onExceed: 'deny' } });
    await own.ask('/p/');
    const body = { url: `https://${own.host}/p/index.html`, requesterId: own.requesterId, dryRun: true };
    assert.equal((await postern.call('POST', '/v1/access/check', { body })).body.allowed, true);
  });
});

test('a statement is reconciled by file', async () => {
  const own = await given();
  for (const path of ['/p/', '/p', '/q/index.html', '/r?x=1']) await own.ask(path);
  const [{ id }] = (await get(`/v1/statements?period=2026-10&licenseId=${own.license}`)).body.data;
  const csv = ['/p,1', '/p/index.html,1', '/q/,1', '/r/,1'].map((row) => `https://${own.host}${row}\n`).join('');
  const answer = await postern.call('POST', `/v1/statements/${id}/reconcile`, {
    raw: `url,count\n${csv}`,
    headers: { 'content-type': 'text/csv' },
  });
  assertStatus(answer, 200);
  assert.deepEqual([answer.body.agreed.decisions, answer.body.rows], [4, []]);
});

test('spellings of a denied file are one file of the demand', async () => {
  const own = await given();
  const body = { requesterId: (await made(postern, '/v1/requesters', { id: 'denied', name: 'D' })).id };
  for (const path of ['/p', '/p/', '/p/index.html', '/q']) {
    await postern.call('POST', '/v1/access/check', { body: { ...body, url: `https://${own.host}${path}` } });
  }
  clock.advance(60_000);
  const { data } = (await get('/v1/analytics/demand?requesterId=denied')).body;
  assert.equal(data[0].uniqueUrls, 2);
});
