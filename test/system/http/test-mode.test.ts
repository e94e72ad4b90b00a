/**
 * Tests are apart. Three services run the same random edits at the same times: one with live checks and tests mixed,
 * one with the live checks alone, one with the tests alone, made by a live key. Everything live of the first is what
 * the second has, and every test is answered as the third answers it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Random, runSeed, seeded } from '../../../kit/random.ts';
import { startTestService, type TestService, testClock } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { item, made, makeKey } from '../../http/given.ts';

const STEPS = 160;
const BATCH_MAX = 6;
const LIVE_BOT = 'ClaudeBot/1.0';
const TESTED_BOT = 'GPTBot/1.2';

type Any = any;

const allow = (more: object = {}) => ({ action: 'allow', conditions: {}, ...more });
const limit = (requests: number, period: string, scope = 'requester') => ({ rateLimit: { requests, period, scope } });
const terms = (quota: object, unit = 'decision') => ({
  currency: 'EUR',
  timezone: 'UTC',
  period: 'month',
  unit,
  tiers: [{ upTo: null, unitPriceMicros: 1_000_000 }],
  quota,
  alerts: [0.5, 1],
});

/** A service with its clock, its keys and the names of its random ids. */
interface Side {
  postern: TestService;
  clock: ReturnType<typeof testClock>;
  live: string;
  tests: string;
  publicTests: string;
  token: string;
  licenses: string[];
  policies: string[];
  names: Map<string, string>;
}

async function startSide(mode: 'live' | 'test'): Promise<Side> {
  const clock = testClock(Date.parse('2026-11-02T08:00:00Z'));
  const postern = await startTestService({ clock, env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } });
  const names = new Map<string, string>();
  const name = async (path: string, body: object, as: string): Promise<Any> => {
    const record = await made(postern, path, body);
    names.set(record.id, as);
    return record;
  };
  const byLicense = await name(
    '/v1/policies',
    { name: 'licensed', rules: [{ ...allow(limit(40, 'day')), conditions: { hasValidLicense: true } }] },
    'pol-licensed',
  );
  const byRequester = await name(
    '/v1/policies',
    { name: 'limited', rules: [allow(limit(5, 'hour'))], defaultAction: 'deny' },
    'pol-requester',
  );
  const byContent = await name(
    '/v1/policies',
    { name: 'shared', rules: [allow(limit(4, 'day', 'content'))] },
    'pol-content',
  );
  const byCollection = await name(
    '/v1/policies',
    { name: 'pages', rules: [allow(limit(6, 'day', 'collection'))] },
    'pol-collection',
  );
  for (const [n, policy] of [byLicense, byLicense, byLicense, byRequester, byContent].entries()) {
    await name('/v1/content', item({ externalId: `item-${n}`, policyId: policy.id }), `cnt-${n}`);
  }
  const pages = { name: 'pages', hosts: ['pages.example'], policyId: byCollection.id };
  await name('/v1/collections', pages, 'col-pages');
  const seen = { name: 'observed', hosts: ['seen.example'], policyId: byRequester.id, mode: 'observe' };
  await name('/v1/collections', seen, 'col-observed');
  for (const id of ['acme', 'beta']) await made(postern, '/v1/requesters', { id, name: id });
  const identities = [{ kind: 'ip', ranges: ['192.0.2.0/24'] }];
  await made(postern, '/v1/requesters', { id: 'gamma', name: 'gamma', userAgents: ['GammaBot'], identities });
  const { token } = await made(postern, '/v1/requesters/acme/tokens', { name: 't' });
  const licenses: string[] = [];
  const license = async (requesterId: string, as: string, ofTerms: object): Promise<void> => {
    licenses.push((await name('/v1/licenses', { requesterId, type: 'gold', terms: ofTerms }, as)).id);
  };
  await license('acme', 'lic-decisions', terms({ units: 3, period: 'week', onExceed: 'deny' }));
  await license('acme', 'lic-second', terms({ units: 4, period: 'month', onExceed: 'deny' }));
  await license('gamma', 'lic-distinct', terms({ units: 1, period: 'month', onExceed: 'deny' }, 'distinct_content'));
  await license('beta', 'lic-open', terms({ units: 5, period: 'week', onExceed: 'allow' }));
  const candidate = { rules: [], defaultAction: 'deny' };
  await postern.call('PUT', `/v1/policies/${byContent.id}/candidate`, { body: candidate });
  // An unreachable endpoint: its subscription makes events of all decisions.
  await name('/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['*'] }, 'wh');
  const checks = { permissions: ['access:check'] };
  return {
    postern,
    clock,
    live: await makeKey(postern, checks),
    tests: await makeKey(postern, { ...checks, mode }),
    publicTests: await makeKey(postern, { ...checks, mode, type: 'public' }),
    token,
    licenses,
    policies: [byLicense.id, byRequester.id, byContent.id, byCollection.id],
    names,
  };
}

interface Step {
  kind: 'check' | 'batch' | 'authorize' | 'kept' | 'public' | 'edit' | 'restart';
  isTest: boolean;
  asks: object[];
  afterMs: number;
  n: number;
}

const TARGETS = [
  ...Array.from({ length: 5 }, (_, n) => ({ contentId: `item-${n}` })),
  { contentId: 'item-0' },
  { contentId: 'item-1' },
  { url: 'https://pages.example/a' },
  { url: 'https://pages.example/b' },
  { url: 'https://seen.example/c' },
  { url: 'https://nowhere.example/d' },
];

function anyAsk(random: Random, isTest: boolean): object {
  const requesterId = random.pick(['acme', 'acme', 'acme', 'beta', 'gamma', 'gamma', 'stranger', undefined]);
  const userAgent = random.pick([isTest ? TESTED_BOT : LIVE_BOT, 'Mozilla/5.0', undefined]);
  const isForged = requesterId === 'gamma' && random.chance(0.5);
  const context = isForged
    ? { userAgent: 'GammaBot/1', ip: '198.51.100.7' }
    : userAgent === undefined
      ? {}
      : { userAgent };
  return {
    ...random.pick(TARGETS),
    ...(requesterId === undefined ? {} : { requesterId }),
    ...(random.chance(0.3) ? { purpose: random.pick(['training', 'search']) } : {}),
    ...(random.chance(0.1) ? { dryRun: true } : {}),
    context,
  };
}

function stepsOf(random: Random): Step[] {
  const steps = Array.from({ length: STEPS }, (_, n) => {
    const isTest = random.chance(0.5);
    const kinds = ['check', 'check', 'check', 'batch', 'authorize', 'kept', ...(isTest ? ['public'] : [])] as const;
    const kind = n % 40 === 39 ? (n === 79 ? 'restart' : 'edit') : random.pick(kinds as readonly Step['kind'][]);
    const count = kind === 'batch' ? random.int(2, BATCH_MAX) : 1;
    const asks = Array.from({ length: count }, () => anyAsk(random, isTest));
    return { kind, isTest, asks, afterMs: random.int(0, 40 * 60_000), n };
  });
  return [...steps, ...lastSteps()];
}

/** The last steps use up quotas and limits, also where the random ones did not, and are a jump of denials each. */
const lastSteps = (): Step[] =>
  [true, false].map((isTest, i) => ({
    kind: 'batch',
    isTest,
    asks: [
      ...Array.from({ length: 10 }, () => ({ contentId: 'item-0', requesterId: 'acme' })),
      ...Array.from({ length: 8 }, () => ({ contentId: 'item-3' })),
      { contentId: 'item-0' },
      ...Array.from({ length: 40 }, () => ({ contentId: 'item-3', requesterId: 'newcomer' })),
    ],
    afterMs: 0,
    n: STEPS + i,
  }));

/** Sends a step; returns what was answered. */
async function send(side: Side, { kind, isTest, asks, n }: Step): Promise<Any> {
  const { postern } = side;
  const key = isTest ? side.tests : side.live;
  if (kind === 'restart') return postern.restart();
  if (kind === 'edit') return edit(side, n);
  if (kind === 'batch') {
    return (await postern.call('POST', '/v1/access/check/batch', { body: { checks: asks }, key })).body.data;
  }
  if (kind === 'authorize') {
    const headers = {
      'x-postern-key': key,
      authorization: `Bearer ${side.token}`,
      'x-forwarded-host': 'pages.example',
      'x-forwarded-uri': `/${n % 3}`,
    };
    const answer = await postern.call('GET', '/v1/authorize', { key: null, headers });
    const own = [...answer.headers].filter(([header]) => /^(x-postern|ratelimit|retry)/.test(header));
    return { status: answer.status, ...Object.fromEntries(own), id: answer.headers.get('x-postern-decision') };
  }
  const headers: Record<string, string> = kind === 'kept' ? { 'idempotency-key': `step-${n}` } : {};
  const sent = { body: asks[0], key: kind === 'public' ? side.publicTests : key, headers };
  const answer = await postern.call('POST', '/v1/access/check', sent);
  if (kind === 'kept') {
    const again = await postern.call('POST', '/v1/access/check', sent);
    if (answer.status === 200 && answer.body.recorded === true) assert.equal(again.text, answer.text);
  }
  return answer.body;
}

/** Edits that count anew: other terms, another limit, an item that is deleted. */
async function edit({ postern, licenses, policies }: Side, n: number): Promise<void> {
  const call = async (method: string, path: string, body?: object): Promise<void> => {
    const { status, text } = await postern.call(method, path, body === undefined ? {} : { body });
    assert.equal(status, 200, text);
  };
  if (n < 79) {
    const units = terms({ units: 5, period: 'month', onExceed: 'deny' });
    await call('PATCH', `/v1/licenses/${licenses[0]}`, { terms: units, effective: 'now' });
  } else if (n < 159) {
    await call('PATCH', `/v1/policies/${policies[1]}`, { rules: [allow(limit(7, 'hour'))] });
    await call('DELETE', '/v1/content/item-1');
  }
}

type Answers = Map<number, Any>;

/** Runs the steps of a side; returns the answers by step. */
async function run(side: Side, steps: readonly Step[], takes: (step: Step) => boolean): Promise<Answers> {
  const answers: Answers = new Map();
  for (const step of steps) {
    side.clock.advance(step.afterMs);
    if (step.kind !== 'edit' && step.kind !== 'restart' && !takes(step)) continue;
    const answer = await send(side, step);
    answers.set(step.n, answer);
    // A proxy's answer has the id in a header, and a batch has many.
    for (const [i, one] of [answer].flat().entries()) {
      if (typeof one?.id === 'string' && one.id !== '') side.names.set(one.id, `dec-${step.n}-${i}`);
    }
  }
  return answers;
}

const ID = /(?:cnt|pol|lic|col|dec|wh|key|req|tok|usr)_[0-9a-z]{26}/g;

/** Replaces what is random in an answer by the names of the side. */
function plain(value: unknown, { names, postern }: Side): unknown {
  const text = JSON.stringify(value)
    .replaceAll(ID, (id) => names.get(id) ?? id.slice(0, 4))
    .replaceAll(/(evt|stm|req)_[0-9a-z]{26}/g, '$1')
    .replaceAll(/"[0-9a-f]{64}"/g, '"hash"')
    .replaceAll(/svc_rt_\w+/g, 'token')
    .replaceAll(postern.url, 'url');
  return JSON.parse(text);
}

const REPORTS = [
  '/v1/access/decisions?mode=live&limit=100',
  '/v1/analytics/usage?period=30d',
  ...['day', 'collection', 'crawler', 'verified', 'license', 'purpose', 'permission', 'rule', 'enforced'].map(
    (by) => `/v1/analytics/usage?period=30d&groupBy=${by}`,
  ),
  '/v1/analytics/demand?period=30d',
  '/v1/analytics/requesters',
  '/v1/analytics/unregistered',
  '/v1/attention',
  '/v1/statements?period=2026-11',
  '/v1/content/item-0',
  '/v1/crawlers',
];
const OWN_REPORTS = [
  '/v1/me',
  '/v1/me/usage?period=30d',
  '/v1/me/licenses',
  '/v1/me/decisions?limit=100',
  '/v1/me/statements?period=2026-11',
];
const TABLES = ['decisions', 'deleted_decisions', 'limits', 'quota_contents', 'unregistered', 'daily_counts'];

async function eventsOf(side: Side): Promise<Any[]> {
  const events: Any[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await side.postern.call('GET', `/v1/events?limit=100${cursor}`);
    events.push(...body.data);
    if (!body.hasMore) break;
    cursor = `&cursor=${body.nextCursor}`;
  }
  return events;
}

const kindsOf = (events: readonly Any[]): Set<string> => new Set(events.map(({ type }) => type));

/** Everything that is live. */
async function liveOf(side: Side): Promise<Record<string, unknown>> {
  const { postern, licenses, policies, token } = side;
  const found: Record<string, unknown> = {};
  const ask = async (path: string, key = postern.key): Promise<void> => {
    const answer = await postern.call('GET', path, { key });
    assert.equal(answer.status, 200, `${path} ${answer.text}`);
    const { checkedAt: _, token: __, ...body } = answer.body;
    // Of the unreachable endpoint, which fails at its own pace.
    if (path === '/v1/attention') body.data = body.data.filter(({ subject }: Any) => subject.webhookId === undefined);
    found[path.replace(/_[0-9a-z]{26}/, (id) => side.names.get(path.match(ID)?.[0] ?? '') ?? id)] = plain(body, side);
  };
  for (const path of REPORTS) await ask(path);
  for (const path of OWN_REPORTS) await ask(path, token);
  for (const id of licenses) await ask(`/v1/licenses/${id}/usage`);
  await ask(`/v1/policies/${policies[2]}/candidate`);
  const events = (await eventsOf(side)).filter(({ type }) => !type.startsWith('api_key.') && type !== LOOKED_FOR);
  found.events = [...new Set(events.map((one) => JSON.stringify(plain(asTimeless(one), side))))].toSorted();
  return { ...found, ...(await tablesOf(side, '')) };
}

/** Looks count the day at which they happen to come. /v1/attention counts in the same way. */
const LOOKED_FOR = 'denials.jumped';

/** Announced in the background: how often, and of which decision, depends on the time. */
const BACKGROUND = new Set(['crawler.first_seen', 'requester.spoofed', 'policy.candidate_diverged']);

const asTimeless = ({ type, created, data }: Any): object =>
  BACKGROUND.has(type) ? { type, of: data.object.id } : { type, created, data };

async function tablesOf({ postern, names }: Side, prefix: string): Promise<Record<string, unknown>> {
  await until('the sweep', async () => (await postern.rowsOf('purges')).length === 0, 60_000);
  // The rest of the unregistered counts is written when the service stops.
  await postern.restart();
  const found: Record<string, unknown> = {};
  for (const table of TABLES.filter((name) => prefix === '' || !/unregistered|daily/.test(name))) {
    const rows = (await postern.rowsOf(prefix + table)) as Record<string, Any>[];
    found[table] = rows
      .map(({ seq: _, ...row }) => JSON.stringify(row).replaceAll(ID, (id) => names.get(id) ?? id.slice(0, 4)))
      // When a count was opened, in numbers of its own ledger.
      .map((row) => (row.includes('"q.') ? row.replace(/\[[^\]]*\]/, usedOf) : row))
      .toSorted();
  }
  return found;
}

/** Version, start and use of a count; see decisions/ledger/quota/quota. */
const usedOf = (state: string): string => JSON.stringify(JSON.parse(state.replaceAll('\\', '')).slice(0, 3));

/** Returns the log of a mode, as if it were live. */
async function logOf(side: Side, mode: 'live' | 'test'): Promise<unknown[]> {
  const { body } = await side.postern.call('GET', `/v1/access/decisions?limit=100&mode=${mode}`);
  return body.data.map(({ mode: own, ...one }: Any) => {
    assert.equal(own, mode === 'test' ? 'test' : undefined);
    return plain(one, side);
  });
}

const without = (answer: Any, ...fields: string[]): Any =>
  JSON.parse(JSON.stringify(answer ?? null), (field, value) => (fields.includes(field) ? undefined : value));

/** Compares the answers of a side with those of the side that had only its live checks, or only its tests. */
function compareAnswers(steps: readonly Step[], mixed: [Side, Answers], live: [Side, Answers], tests: [Side, Answers]) {
  for (const { n, isTest, kind } of steps) {
    if (kind === 'edit' || kind === 'restart') continue;
    const [side, alone] = isTest ? tests : live;
    const answer = mixed[1].get(n);
    const shown = plain(without(answer, 'mode', 'x-postern-mode', 'requestId'), mixed[0]);
    assert.deepEqual(shown, plain(without(alone.get(n), 'requestId'), side), `step ${n}`);
    for (const one of decisionsIn(answer)) assert.equal(one.mode, isTest ? 'test' : undefined);
  }
}

const decisionsIn = (answer: Any): Any[] => [answer].flat().filter(({ object }) => object === 'access_decision');

/** The steps are worth nothing unless live checks and tests both meet what counts. */
function requireVaried(steps: readonly Step[], answers: Answers): void {
  const found = new Set(
    steps.flatMap(({ n, isTest, kind }) =>
      kind === 'edit' || kind === 'restart'
        ? []
        : decisionsIn(answers.get(n)).map(({ reason }) => `${isTest ? 'test' : 'live'} ${reason}`),
    ),
  );
  for (const reason of ['null', 'rate_limit_exceeded', 'quota_exceeded', 'no_license']) {
    for (const mode of ['test', 'live']) assert.ok(found.has(`${mode} ${reason}`), `${mode} ${reason}`);
  }
}

test(`tests leave everything live as it is, and count from zero (seed ${runSeed})`, async () => {
  await using services = new AsyncDisposableStack();
  const [mixed, live, tests] = await Promise.all([startSide('test'), startSide('live'), startSide('live')]);
  for (const { postern } of [mixed, live, tests]) services.use(postern);
  const steps = stepsOf(seeded(runSeed));
  const answers = await run(mixed, steps, () => true);
  const ofLive = await run(live, steps, ({ isTest }) => !isTest);
  const ofTests = await run(tests, steps, ({ isTest }) => isTest);
  compareAnswers(steps, [mixed, answers], [live, ofLive], [tests, ofTests]);
  requireVaried(steps, answers);

  const wanted = ['crawler.first_seen', 'requester.spoofed', 'policy.candidate_diverged', 'license.threshold_reached'];
  for (const side of [live, mixed]) {
    await until('the events', async () => kindsOf(await eventsOf(side)).isSupersetOf(new Set(wanted)), 60_000);
  }
  const alone = await liveOf(live);
  assert.ok((alone['/v1/attention'] as Any).data.some(({ kind }: Any) => kind === 'denials'));
  for (const [what, found] of Object.entries(await liveOf(mixed))) assert.deepEqual(found, alone[what], what);
  assert.deepEqual(await logOf(mixed, 'test'), await logOf(tests, 'live'));
  const own = await tablesOf(tests, '');
  for (const [table, rows] of Object.entries(await tablesOf(mixed, 'test_'))) {
    assert.deepEqual(rows, own[table], table);
  }
});
