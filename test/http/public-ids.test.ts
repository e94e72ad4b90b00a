/**
 * Partners and visitors see decisions without a count: ids, cursors, statements and receipts say nothing of the
 * decisions about others, and the publisher finds a decision by either of its ids.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { verifyReceipt } from '../../client/src/receipt.ts';
import type { Answer } from '../../kit/answer.ts';
import { startTestService, type TestService, testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { findDifferences } from '../../src/cli/statements/verify.ts';
import { parseDecisionId } from '../../src/decisions/ledger/decision.ts';
import { assertError, assertStatus, check, item, made, makeKey, makePolicy, PRICED, readPublicId } from './given.ts';

const env = { POSTERN_RECEIPTS: 'public', POSTERN_PUBLIC_URL: 'https://access.example.com' };
const TIERS = {
  ...PRICED,
  tiers: [
    { upTo: 3, unitPriceMicros: 20_000 },
    { upTo: null, unitPriceMicros: 10_000 },
  ],
};

interface World {
  postern: TestService;
  clock: ReturnType<typeof testClock>;
  contentId: string;
  shutId: string;
  token: string;
  get(path: string, accept?: string): Promise<Answer>;
}

async function newWorld(): Promise<World> {
  const clock = testClock(Date.parse('2026-10-05T12:00:00Z'));
  const postern = await startTestService({ clock, env });
  after(() => postern[Symbol.asyncDispose]());
  const policy = await makePolicy(postern, [
    { action: 'allow', conditions: { hasValidLicense: true }, rateLimit: { requests: 900, period: 'day' } },
  ]);
  const source = 'https://news.example/a';
  const { id: contentId } = await made(postern, '/v1/content', item({ policyId: policy.id, source, externalId: 'a' }));
  const { id: shutId } = await made(
    postern,
    '/v1/content',
    item({ source: 'https://news.example/b', externalId: 'b' }),
  );
  for (const id of ['acme', 'other']) {
    await made(postern, '/v1/requesters', { id, name: id });
    await made(postern, '/v1/licenses', { requesterId: id, type: 'commercial', terms: PRICED });
  }
  const { token } = await made(postern, '/v1/requesters/acme/tokens', { name: 'ours' });
  const get = (path: string, accept = 'application/json') =>
    postern.call('GET', path, { key: token, headers: { accept } });
  return { postern, clock, contentId, shutId, token, get };
}

/** Checks of the same time, so that the order of their ids is not that of their numbers. */
async function checkTogether({ postern, contentId }: World, checks: readonly object[]): Promise<any[]> {
  const body = { checks: checks.map((one) => ({ contentId, requesterId: 'acme', ...one })) };
  const answer = await postern.call('POST', '/v1/access/check/batch', { body });
  assertStatus(answer, 200);
  return answer.body.data;
}

const proxied = ({ postern, contentId: _ }: World, path: string, query = '') =>
  postern.call('GET', `/v1/authorize?requesterHeader=x-who&origin=https://news.example${query}`, {
    key: null,
    headers: { 'x-postern-key': postern.key, 'x-forwarded-uri': path, 'x-who': 'acme' },
  });

/** All that a partner reads, and its visitors: bodies and headers. */
async function readAll(world: World): Promise<Record<string, string>> {
  const { get, clock } = world;
  const seen: Record<string, string> = {};
  const take = async (name: string, answer: Answer): Promise<any> => {
    assertStatus(answer, 200, name);
    const { date: _, ...headers } = Object.fromEntries(answer.headers);
    seen[name] = `${JSON.stringify(headers)}\n${answer.text}`;
    return answer.body;
  };
  for (const path of ['', '/licenses', '/usage?period=7d', '/usage?groupBy=purpose', '/requests', '/content?limit=1']) {
    await take(path, await get(`/v1/me${path}`));
  }
  const { data: licenses } = (await get('/v1/me/licenses')).body;
  await take('usage of a license', await get(`/v1/me/licenses/${licenses[0].id}/usage`));
  const first = await take('page', await get('/v1/me/decisions?limit=2'));
  await take('next page', await get(`/v1/me/decisions?limit=2&cursor=${first.nextCursor}`));
  await take('decision', await get(`/v1/me/decisions/${first.data[0].id}`));
  const { data: statements } = await take('statements', await get('/v1/me/statements'));
  await take('statements as CSV', await get('/v1/me/statements', 'text/csv'));
  for (const accept of ['application/json', 'text/csv', 'text/html', 'application/x-ndjson']) {
    await take(`statement as ${accept}`, await get(`/v1/me/statements/${statements[0].id}`, accept));
  }
  const proof = await until('a receipt', async () => {
    const answer = await get(`/v1/me/decisions/${first.data[0].id}/proof`);
    if (answer.status === 200) return answer.text;
    clock.advance(61_000);
    return undefined;
  });
  const keys = (await world.postern.call('GET', '/log/key', { key: null })).text;
  const { decision, requester, tree } = (await verifyReceipt(proof, keys)) as any;
  seen.receipt = JSON.stringify({ decision, requester, tree });
  return seen;
}

/** Ids and digests are of one installation: each is replaced by the place of its first mention. Times stay. */
function plain(text: string): string {
  const known = new Map<string, number>();
  return text.replaceAll(
    /\b([a-z]{3}_)([0-9a-z]{26})\b|\b[0-9a-f]{64}\b|"(?:requestId|nextCursor)":"[^"]+"|\breq_\w+|\bsvc_rt_\w+/g,
    (all, prefix?: string) => {
      const no = known.get(all) ?? known.size;
      known.set(all, no);
      return `${prefix ?? ''}#${no} of ${all.length}`;
    },
  );
}

test('a thousand decisions about another change nothing that a partner and its visitors see', async () => {
  const both: Record<string, string>[] = [];
  for (const theirs of [0, 1_000]) {
    const world = await newWorld();
    const { postern, clock, shutId } = world;
    await checkTogether(world, [{ purpose: 'training' }, { purpose: 'search' }]);
    for (let i = 0; i < theirs; i += 500) {
      await checkTogether(
        world,
        Array.from({ length: 500 }, () => ({ requesterId: 'other' })),
      );
    }
    clock.advance(1_000);
    await checkTogether(world, [{ purpose: 'training' }, { contentId: shutId }, {}]);
    const seen = await readAll(world);
    // No id names the ledger and the number in it.
    const rows = (await postern.rowsOf('decisions')) as { seq: number | string; requester_id: string }[];
    assert.equal(rows.length, 5 + theirs);
    const ledger = ((await postern.call('GET', '/v1/access/decisions?limit=1')).body.data[0].id as string).slice(
      14,
      20,
    );
    for (const [name, text] of Object.entries(seen)) assert.ok(!text.includes(ledger), name);
    both.push(seen);
  }
  const [quiet, busy] = both;
  assert.deepEqual(Object.keys(quiet ?? {}), Object.keys(busy ?? {}));
  const bare = (text: string): string => plain(text).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'T');
  for (const [name, text] of Object.entries(quiet ?? {})) assert.equal(bare(busy?.[name] ?? ''), bare(text), name);
});

const world = await newWorld();
const { postern, clock, contentId, get } = world;
const read = (id: string, key?: string) =>
  postern.call('GET', `/v1/access/decisions/${id}`, key === undefined ? {} : { key });

test('either id of a decision is found by the publisher, and by its partner alone', async () => {
  const { id } = await check(postern, { contentId, requesterId: 'acme' });
  const { id: theirs } = await check(postern, { contentId, requesterId: 'other' });
  const shown = await readPublicId(postern, id);
  assert.notEqual(shown, id);
  assert.equal(shown.slice(0, 14), id.slice(0, 14));
  assert.deepEqual((await read(shown)).body, (await read(id)).body);
  for (const one of [id, shown]) assert.equal((await get(`/v1/me/decisions/${one}`)).body.id, shown);
  const hidden = await readPublicId(postern, theirs);
  const forged = `${shown.slice(0, -1)}${shown.endsWith('0') ? '1' : '0'}`;
  for (const one of [theirs, hidden, forged, `dec_${'z'.repeat(26)}`]) {
    for (const path of [one, `${one}/proof`]) {
      const answer = await get(`/v1/me/decisions/${path}`);
      assertError(answer, 'decision_not_found');
      // The id as it was asked for, and no other.
      assert.deepEqual(answer.text.match(/dec_\w+/g), [one]);
    }
  }
  for (const path of [forged, `${forged}/proof`]) assertError(await read(path), 'decision_not_found');
});

test('the log exports both ids, and its public ids sort by time', async () => {
  const rows = (await postern.call('GET', '/v1/access/decisions', { headers: { accept: 'text/csv' } })).text.split(
    '\r\n',
  );
  const [head = [], ...lines] = rows.filter((line) => line !== '').map((line) => line.split(','));
  const [id, publicId] = ['id', 'publicId'].map((name) => head.indexOf(name));
  assert.ok(lines.length > 1);
  for (const line of lines)
    assert.equal(await readPublicId(postern, line[id as number] as string), line[publicId as number]);
});

test('a guard, and a check for a page, show visitors the public id; other checks answer the other', async () => {
  const isPublic = async (id: string, what: string) => {
    const { body } = await read(id);
    assert.equal(body.publicId, id, what);
    assert.notEqual(body.id, id, what);
  };
  await isPublic((await proxied(world, '/a')).headers.get('x-postern-decision') as string, 'allowed');
  const denied = await proxied(world, '/b', '&body=problem');
  assert.equal(denied.status, 403);
  const { decisionId } = JSON.parse(denied.text);
  assert.equal(denied.headers.get('x-postern-decision'), decisionId);
  await isPublic(decisionId, 'denied');
  const asked = { contentId, requesterId: 'acme', page: 'https://news.example/a' };
  await isPublic((await check(postern, asked)).id, 'page');
  // A visitor may send a longer URL than a page has.
  await isPublic((await check(postern, { ...asked, page: '' })).id, 'no page');
  const [one, other] = await checkTogether(world, [asked, { page: undefined }]);
  await isPublic(one.id, 'batch');
  assert.equal((await read(other.id)).body.id, other.id);
  assert.equal((await check(postern, { ...asked, dryRun: true })).id, null);
  const key = await makeKey(postern, { mode: 'test', permissions: ['access:check', 'analytics:read'] });
  const tried = await check(postern, asked, key);
  const { body } = await read(tried.id, key);
  assert.deepEqual([body.publicId, body.mode], [tried.id, 'test']);
  assert.equal((await get(`/v1/me/decisions/${tried.id}`)).body.id, tried.id);
  // An answer that was kept for repetitions is the same each time.
  const repeated = async (path: string, sent: object) => {
    const ask = () => postern.call('POST', path, { body: sent, headers: { 'idempotency-key': `a-page${path}` } });
    const [first, again] = [await ask(), await ask()];
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual(again.body, first.body);
    return first.body;
  };
  await isPublic((await repeated('/v1/access/check', asked)).id, 'page, with a key');
  const batch = { checks: [asked, { ...asked, page: undefined }, { page: 'https://news.example/a' }, null] };
  const { data } = await repeated('/v1/access/check/batch', batch);
  await isPublic(data[0].id, 'batch, with a key');
  assert.equal((await read(data[1].id)).body.id, data[1].id);
  assert.deepEqual(
    data.slice(2).map((refused: any) => Object.keys(refused)),
    [['error'], ['error']],
  );
});

test('a cursor of live decisions is none of test decisions', async () => {
  for (let i = 0; i < 2; i++) await check(postern, { contentId, requesterId: 'acme' });
  const { nextCursor } = (await get('/v1/me/decisions?limit=1')).body;
  assertStatus(await get(`/v1/me/decisions?limit=1&cursor=${nextCursor}`), 200);
  assertError(await get(`/v1/me/decisions?limit=1&mode=test&cursor=${nextCursor}`), 'invalid_cursor');
});

const sha256 = (ids: readonly string[]): string =>
  createHash('sha256')
    .update(ids.map((id) => `${id}\n`).join(''))
    .digest('hex');

/** The ids of each line, from the ids and purposes alone: units in the order of the ids, three in the first tier. */
function toLines(evidence: readonly { id: string; purpose: string }[]): Map<string, string[]> {
  const sorted = evidence.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const named = sorted.map(({ id, purpose }, i) => ({ id, name: `${purpose} ${i < 3 ? 1 : 2}` }));
  return new Map([...Map.groupBy(named, ({ name }) => name)].map(([name, some]) => [name, some.map(({ id }) => id)]));
}

async function readStatement(of: string) {
  const [statement] = (await postern.call('GET', `/v1/statements?requesterId=${of}`)).body.data;
  const { text } = await postern.call('GET', `/v1/statements/${statement.id}`, {
    headers: { accept: 'application/x-ndjson' },
  });
  const evidence = text.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line)));
  return { statement, text, evidence };
}

async function assertLines(of: string): Promise<any> {
  const { statement, text, evidence } = await readStatement(of);
  const lines = statement.lines.filter(({ kind }: any) => kind === 'usage');
  assert.deepEqual(
    Object.fromEntries(
      lines.map((line: any) => [
        `${line.purpose} ${line.tier}`,
        [line.firstDecisionId, line.lastDecisionId, line.decisions, line.sha256],
      ]),
    ),
    Object.fromEntries(
      [...toLines(evidence)].map(([name, ids]) => [name, [ids[0], ids.at(-1), ids.length, sha256(ids)]]),
    ),
  );
  const found = await findDifferences(statement, { decisions: Readable.from([text], { objectMode: false }) });
  assert.deepEqual(found.differences, []);
  return statement;
}

test('statements count in the order of the ids that the partner sees, also within a millisecond', async () => {
  await made(postern, '/v1/requesters', { id: 'crowd', name: 'Crowd' });
  await made(postern, '/v1/licenses', { requesterId: 'crowd', type: 'commercial', terms: TIERS });
  const checks = Array.from({ length: 40 }, (_, i) => ({
    requesterId: 'crowd',
    purpose: ['search', 'training'][i % 2],
  }));
  const decided = await checkTogether(world, checks);
  const shown = await Promise.all(decided.map(({ id }) => readPublicId(postern, id)));
  assert.notDeepEqual(shown.toSorted(), shown, 'their order is not that of their numbers');
  const statement = await assertLines('crowd');
  const { evidence } = await readStatement('crowd');
  assert.deepEqual(evidence.map(({ id }: any) => id).toSorted(), shown.toSorted());
  // The log of the publisher verifies it too.
  const { text } = await postern.call('GET', '/v1/access/decisions?requesterId=crowd', {
    headers: { accept: 'application/x-ndjson' },
  });
  const found = await findDifferences(statement, { decisions: Readable.from([text], { objectMode: false }) });
  assert.deepEqual([found.decisions, found.missing, found.differences], [40, 0, []]);
});

test('a statement that became final with ids of the log keeps them, and verifies', async () => {
  await made(postern, '/v1/requesters', { id: 'early', name: 'Early' });
  await made(postern, '/v1/licenses', { requesterId: 'early', type: 'commercial', terms: TIERS });
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) {
    clock.advance(1_000);
    ids.push((await check(postern, { contentId, requesterId: 'early', purpose: 'search' })).id);
  }
  const { statement: running } = await readStatement('early');
  clock.advance(Date.parse('2026-11-02T00:00:00Z') - clock.now());
  await made(postern, `/v1/statements/${running.id}/finalize`, undefined, 200);
  const { body: final } = await postern.call('GET', `/v1/statements/${running.id}`);
  // As an earlier version stored it.
  const [one, two] = [ids.slice(0, 3), ids.slice(3)];
  const lines = final.lines.map(({ root: _, ...line }: any) => {
    const own = { 1: one, 2: two }[line.tier as number];
    return own === undefined
      ? line
      : { ...line, firstDecisionId: own[0], lastDecisionId: own.at(-1), sha256: sha256(own) };
  });
  const body = JSON.stringify({ ...final, lines });
  await postern.tamper({ sql: 'update statements set body = $1 where id = $2', params: [body, running.id] });
  const kept = await postern.call('GET', `/v1/statements/${running.id}`);
  assert.deepEqual(kept.body.lines, lines);
  const evidence = await postern.call('GET', `/v1/statements/${running.id}`, {
    headers: { accept: 'application/x-ndjson' },
  });
  const log = await postern.call('GET', '/v1/access/decisions?requesterId=early', {
    headers: { accept: 'application/x-ndjson' },
  });
  for (const { text } of [evidence, log]) {
    const found = await findDifferences(kept.body, { decisions: Readable.from([text], { objectMode: false }) });
    assert.deepEqual([found.decisions, found.missing, found.differences], [5, 0, []]);
  }
  for (const id of ids) assert.ok(evidence.text.includes(id));
});

test('ids stay the same across a restart', async () => {
  const { id } = await check(postern, { contentId, requesterId: 'acme' });
  const shown = await readPublicId(postern, id);
  assert.notEqual(parseDecisionId(shown), undefined);
  await postern.restart();
  assert.equal(await readPublicId(postern, id), shown);
  assert.equal((await read(shown)).body.id, id);
});
