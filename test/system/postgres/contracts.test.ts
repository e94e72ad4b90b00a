/**
 * Licenses as contracts, with two nodes that work on them at once: statements become final once, corrections are
 * credited once, no unit of a quota is given twice, and alerts fire once.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Answer } from '../../../kit/answer.ts';
import { testPostgres } from '../../../kit/postgres.ts';
import { startTestService, type TestService, testClock } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { assertError, assertStatus, item, PRICED } from '../../http/given.ts';

type Any = any;

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const folder = mkdtempSync(join(tmpdir(), 'postern-contracts-'));
stack.defer(() => rmSync(folder, { recursive: true, force: true }));
const database = stack.use(await (await testPostgres()).newDatabase());
const clock = testClock(Date.parse('2026-10-05T12:00:00Z'));
const env = { POSTERN_DATABASE_URL: database.url };
const here = stack.use(await startTestService({ dataDir: join(folder, 'here'), clock, env }));
const there = stack.use(await startTestService({ dataDir: join(folder, 'there'), clock, env }));
const nodes = [here, there];
const { key } = here;

const call = (node: TestService, request: string, body?: object): Promise<Answer> => {
  const [method, path] = request.split(' ') as [string, string];
  return node.call(method, path, { key, body });
};
async function must(node: TestService, request: string, body?: object): Promise<Any> {
  const answer = await call(node, request, body);
  assert.ok(answer.status < 300, `${request}: ${answer.text}`);
  return answer.body;
}

const policy = await must(here, 'POST /v1/policies', {
  name: 'p',
  rules: [{ action: 'allow', conditions: { hasValidLicense: true } }],
});
const { id: contentId } = await must(here, 'POST /v1/content', item({ policyId: policy.id }));

let count = 0;
async function newLicense(terms: object = PRICED): Promise<{ id: string; requesterId: string }> {
  const requesterId = `holder-${++count}`;
  await must(here, 'POST /v1/requesters', { id: requesterId });
  return must(here, 'POST /v1/licenses', { requesterId, type: 'commercial', terms });
}

/** Asks for so many units, on a node. Returns how many were allowed. */
async function use(node: TestService, requesterId: string, checks: number): Promise<number> {
  const body = { checks: Array.from({ length: checks }, () => ({ contentId, requesterId })) };
  const { data } = await must(node, 'POST /v1/access/check/batch', body);
  return data.filter(({ allowed }: Any) => allowed).length;
}

const statementOf = async (node: TestService, licenseId: string, period: string): Promise<Any> =>
  (await must(node, `GET /v1/statements?licenseId=${licenseId}&period=${period}`)).data[0];

const eventsOf = async (kind: string, licenseId: string): Promise<Any[]> =>
  (await must(there, `GET /v1/events?type=${kind}&limit=100`)).data
    .map(({ data }: Any) => data.object)
    .filter((object: Any) => object.licenseId === licenseId);

const finalize = (node: TestService, id: string): Promise<Answer> => call(node, `POST /v1/statements/${id}/finalize`);

test('the same month, made final on both nodes at once: one final statement, one event, equal answers', async () => {
  const licenses = [];
  for (let i = 0; i < 4; i++) {
    const license = await newLicense();
    for (const node of nodes) await use(node, license.requesterId, 3);
    licenses.push(license);
  }
  clock.advance(31 * 86_400_000);
  const open = await Promise.all(licenses.map(({ id }) => statementOf(there, id, '2026-10')));
  const answers = await Promise.all(
    open.map(({ id }) => Promise.all([...nodes, ...nodes].map((node) => finalize(node, id)))),
  );
  for (const [i, some] of answers.entries()) {
    const [first] = some as [Answer];
    assertStatus(first, 200);
    assert.deepEqual([first.body.status, first.body.units, first.body.total.amount], ['final', 6, '0.12']);
    for (const { text } of some) assert.equal(text, first.text);
    const { id, licenseId } = open[i];
    assert.deepEqual(await eventsOf('statement.finalized', licenseId), [first.body]);
    for (const node of nodes) assert.deepEqual((await call(node, `GET /v1/statements/${id}`)).body, first.body);
  }
});

test('late corrections: credited once, though both nodes make later statements final at once', async () => {
  const license = await newLicense();
  await use(here, license.requesterId, 5);
  const november = await statementOf(here, license.id, '2026-11');
  clock.advance(30 * 86_400_000);
  assertStatus(await finalize(here, november.id), 200);
  await use(there, license.requesterId, 2);
  // Decisions that should not have counted.
  await here.tamper({
    sql: `update decisions set enforced = 0
          where seq in (select seq from decisions where license_id = '${license.id}' order by seq limit 3)`,
  });
  const open = await statementOf(there, license.id, '2026-12');
  assert.deepEqual([open.lines.at(-1).kind, open.lines.at(-1).units, open.total.amount], ['correction', -3, '-0.02']);
  clock.advance(62 * 86_400_000);
  const [december, january] = [open, await statementOf(here, license.id, '2027-01')];
  assert.equal(january.lines.length, 0);
  const finals = await Promise.all([
    finalize(here, december.id),
    finalize(there, january.id),
    finalize(there, december.id),
  ]);
  const bodies: Any[] = finals.map((answer) => {
    assertStatus(answer, 200);
    return answer.body;
  });
  assert.deepEqual(bodies[2], bodies[0]);
  const february = await statementOf(here, license.id, '2027-02');
  const corrections = [bodies[0], bodies[1], february].flatMap(({ lines }) =>
    lines.filter(({ kind }: Any) => kind === 'correction'),
  );
  assert.deepEqual(
    corrections.map(({ statementId, units, amount }) => [statementId, units, amount]),
    [[november.id, -3, '-0.06']],
  );
});

test('more units given on one node while the other decides: all of them are given, none twice', async () => {
  const terms = (units: number) => ({ ...PRICED, quota: { units, onExceed: 'deny' } });
  const license = await newLicense(terms(20));
  let given = 0;
  let isOver = false;
  const asking = nodes.map(async (node) => {
    while (!isOver) {
      const allowed = await use(node, license.requesterId, 3);
      given += allowed;
      await turn();
    }
  });
  let units = 20;
  for (const more of [35, 61, 90]) {
    await until(`all ${units} units`, () => given === units || undefined);
    await must(there, `PATCH /v1/licenses/${license.id}`, { terms: terms(more), effective: 'now' });
    units = more;
  }
  await until('all units', () => given === units || undefined);
  // Fewer units than were used: both nodes refuse from then on.
  await must(here, `PATCH /v1/licenses/${license.id}`, { terms: terms(50), effective: 'now' });
  isOver = true;
  await Promise.all(asking);
  assert.equal(given, 90);
  for (const node of nodes) assert.equal(await use(node, license.requesterId, 4), 0);
  const { quota } = await must(there, `GET /v1/licenses/${license.id}/usage`);
  assert.deepEqual([quota.units, quota.used, quota.remaining], [50, 90, 0]);
});

test('terms that begin on one node while the other decides: every decision is counted once', async () => {
  const license = await newLicense(undefined);
  let given = 0;
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      given += await use(here, license.requesterId, 2);
      await turn();
    }
  })();
  await until('decisions', () => given > 10 || undefined);
  const UNITS = 400;
  await must(there, `PATCH /v1/licenses/${license.id}`, {
    terms: { ...PRICED, quota: { units: UNITS, onExceed: 'deny' } },
    effective: 'now',
  });
  const before = given;
  await until('more decisions', () => given > before + 50 || undefined);
  isOver = true;
  await asking;
  const { quota } = await must(there, `GET /v1/licenses/${license.id}/usage`);
  assert.equal(quota.used, given);
  // The rest of the units, on the node that did not know of them at first.
  let rest = 0;
  for (let allowed = 1; allowed > 0; rest += allowed) allowed = await use(here, license.requesterId, 7);
  assert.equal(given + rest, UNITS);
});

test('a license that ends on one node while the other decides: a second later it serves nowhere, and nothing is lost', async () => {
  const noTerms = async () => (await must(here, 'GET /v1/statements?period=2027-02')).outside.noTerms;
  const before = await noTerms();
  const license = await newLicense();
  let given = 0;
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      given += await use(there, license.requesterId, 2);
      await turn();
    }
  })();
  await until('decisions', () => given > 20 || undefined);
  await must(here, `POST /v1/licenses/${license.id}/revoke`);
  const begun = performance.now();
  await until('the end there', async () => (await use(there, license.requesterId, 1)) === 0 || undefined);
  assert.ok(performance.now() - begun < 3_000, `${performance.now() - begun} ms`);
  isOver = true;
  await asking;
  assert.equal(await use(there, license.requesterId, 3), 0);
  const statement = await statementOf(here, license.id, '2027-02');
  const { summary } = await must(here, `GET /v1/analytics/usage?requesterId=${license.requesterId}&period=all`);
  assert.equal(summary.allowed, statement.units + (await noTerms()) - before);
  clock.advance(1_000);
  assertError(await call(here, `GET /v1/licenses/${license.id}/usage`), 'statement_not_found');
});

test('both nodes use up a quota at once: each alert fires once', async () => {
  const license = await newLicense({ ...PRICED, quota: { units: 60, onExceed: 'deny' }, alerts: [0.1, 0.5, 0.8, 1] });
  const asking = async (node: TestService) => {
    for (let allowed = 1; allowed > 0; ) allowed = await use(node, license.requesterId, 3);
  };
  await Promise.all([asking(here), asking(there), asking(here), asking(there)]);
  const thresholds = (await eventsOf('license.threshold_reached', license.id)).map(({ threshold }) => threshold);
  assert.deepEqual(thresholds.toSorted(), [0.1, 0.5, 0.8, 1]);
  assert.equal((await eventsOf('license.quota_exceeded', license.id)).length, 1);
});
