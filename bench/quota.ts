/**
 * Measures what a quota costs a check beside a rate limit: durable checks of the same items by licensed requesters,
 * under one rule. Nothing is counted, or admissions under a limit, or units of a quota. Rounds take turns on one
 * server. The same on PostgreSQL, where the database's processor time is counted too.
 */
import { join } from 'node:path';
import { temporaryFolder } from '../kit/launch.ts';
import { startPostgres } from '../kit/postgres.ts';
import { seeded } from '../kit/random.ts';
import type { Rule } from '../src/rules/policy.ts';
import { type Contender, contender, measure } from './check.ts';
import { type Figure, median, medianRatio, type Part, type PartOptions } from './figure.ts';
import { itemAt } from './inputs.ts';
import { splitCores } from './machine.ts';
import { databaseClock } from './process.ts';
import { createPolicy, HEADERS, type Postern, startPostern, upsertItems } from './service.ts';

const ITEMS = 1_000;
const CHECKS = 10_000;
const REQUESTERS = 50;
const MOST = 1.1;
/** None is used up. */
const UNITS = 1_000_000_000;

const RULE: Rule = { action: 'allow', conditions: { licenseType: 'commercial' } };
const LIMITED: Rule = { ...RULE, rateLimit: { requests: 10_000_000, period: 'month', scope: 'requester' } };
const TERMS = {
  currency: 'EUR',
  timezone: 'Europe/Berlin',
  period: 'month',
  unit: 'decision',
  tiers: [{ upTo: null, unitPriceMicros: 1 }],
  quota: { units: UNITS, onExceed: 'deny' },
};

export const quotaPart: Part = {
  name: 'quota',
  about: 'One durable check over HTTP that uses a unit of a quota, or an admission under a rate limit',
  async run(options) {
    const cores = splitCores();
    return { figures: figuresOf(await measureOn({}, options)), notes: [cores.note, ...NOTES] };
  },
};

export const quotaPostgresPart: Part = {
  name: 'quota-postgres',
  about: `${quotaPart.about}, on PostgreSQL`,
  async run(options) {
    const cores = splitCores();
    const server = await startPostgres();
    await using database = await server.newDatabase();
    const databaseMs = await databaseClock(database.url);
    const contenders = await measureOn({ POSTERN_DATABASE_URL: database.url }, options, databaseMs);
    const note = `${cores.note} The database runs on both.`;
    return { figures: [...figuresOf(contenders), ...inDatabase(contenders)], notes: [note, ...NOTES] };
  },
};

const NOTES = [
  `${REQUESTERS} requesters, each with a license; a quota counts decisions, a limit the requester's checks.`,
  'Processor time counts all threads of the server; what else the machine does moves it least.',
];

type Contenders = readonly [Contender, Contender, Contender];

async function measureOn(
  env: Record<string, string>,
  options: PartOptions,
  databaseMs?: () => number,
): Promise<Contenders> {
  using dir = temporaryFolder();
  const cores = splitCores();
  await using postern = await startPostern({ dataDir: join(dir.path, 'data'), core: cores.server, env });
  const contenders = [
    await licensed(postern, 'plain', RULE, {}),
    await licensed(postern, 'limit', LIMITED, {}),
    await licensed(postern, 'quota', RULE, { terms: TERMS }),
  ] as const;
  if (databaseMs !== undefined) for (const one of contenders) one.databaseMs = databaseMs;
  await measure([...contenders], cores.load, options);
  return contenders;
}

async function licensed(postern: Postern, name: string, rule: Rule, terms: object): Promise<Contender> {
  const items = Array.from({ length: ITEMS }, (_, i) => itemAt(i, name));
  await upsertItems(postern, items, await createPolicy(postern, name, [rule]));
  for (let i = 0; i < REQUESTERS; i++) {
    const requesterId = `${name}_${i}`;
    await postern.post('/v1/requesters', { id: requesterId });
    await postern.post('/v1/licenses', { requesterId, type: 'commercial', ...terms });
  }
  const random = seeded(5);
  const bodies = Array.from({ length: CHECKS }, () =>
    JSON.stringify({
      contentId: random.pick(items).externalId,
      requesterId: `${name}_${random.int(0, REQUESTERS - 1)}`,
    }),
  );
  return contender(name, postern, { path: '/v1/access/check', headers: HEADERS, bodies });
}

function figuresOf([plain, limit, quota]: Contenders): Figure[] {
  const cpu = (one: Contender): number[] => one.results.map((result) => result.cpuUs);
  const beside = (what: string, one: Contender, name: string, other: Contender): Figure => ({
    what,
    value: median(cpu(one)),
    unit: 'µs',
    against: { what: name, value: median(cpu(other)), ratio: medianRatio(cpu(one), cpu(other)) },
  });
  const counted = beside('processor time of a check with a quota', quota, 'with a rate limit', limit);
  return [
    { ...counted, target: { text: `≤ ${MOST}`, met: (counted.against?.ratio ?? 0) <= MOST } },
    beside('processor time of a check with a quota', quota, 'with neither', plain),
    beside('processor time of a check with a rate limit', limit, 'with neither', plain),
  ];
}

function inDatabase([plain, limit, quota]: Contenders): Figure[] {
  const spent = (one: Contender): number[] => one.results.map((result) => result.databaseUs);
  const beside = (one: Contender, name: string, other: Contender): Figure => ({
    what: `processor time of a check with a ${one.name} in the database`,
    value: median(spent(one)),
    unit: 'µs',
    against: { what: name, value: median(spent(other)), ratio: medianRatio(spent(one), spent(other)) },
  });
  return [beside(quota, 'with a rate limit', limit), beside(limit, 'with neither', plain)];
}
