/**
 * The invariant for RSL, TDMRep and Content-Usage: every crawler gets at the door each use that a reader finds
 * permitted. What is for sale is allowed with a license of the offered type.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { startTestService } from '../../kit/service.ts';
import { readStatements } from './compare.ts';
import { askDoor, type Question } from './door.ts';
import { become, CRAWLER_NAMES, EXAMPLES, HOST, URLS, urlsOf, type World, world } from './given.ts';
import { readAsSupertab, readContentUsage, readRsl, readTdmrep, validateRsl } from './readers.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const WORLDS = Number(process.env.POSTERN_SIGNAL_WORLDS ?? 3);
const TOKENS = ['*', ...CRAWLER_NAMES];
const ORIGIN = `https://${HOST}`;

/** Purposes of checks by the words of RSL. */
const PURPOSES: Record<string, string[]> = {
  'ai-train': ['training', 'fine_tuning'],
  'ai-input': ['grounding', 'rag', 'user_fetch'],
  'ai-index': ['ai_index'],
  search: ['search'],
};
const LABELS: Record<string, string> = { 'train-ai': 'ai-train', 'ai-use': 'ai-input', search: 'search' };
const MINED = ['ai-train', 'ai-input', 'ai-index'];

/** Offers of other prices, so that a reader knows which one it found. */
const OFFERS: Record<string, object> = {
  gold: { unitPriceMicros: 7_500, currency: 'USD', contact: 'gold@example.com' },
  press: { unitPriceMicros: 20_000_000, currency: 'EUR', unit: 'month', url: 'https://example.com/press?a=1&b="2"' },
};
const TYPES = new Map([
  ['0.0075', 'gold'],
  ['20.00', 'press'],
]);
for (const [type, body] of Object.entries(OFFERS)) {
  assert.equal((await postern.call('PUT', `/v1/offers/${type}`, { body })).status, 201);
}

const SIGNALS = { public: true, license: true, tdmrep: true, contentUsage: true, contentSignal: false };
const SITE = { contact: 'licensing@example.com', licensingUrl: 'https://example.com/licensing?a=1&b=2' };

async function putSite({ base, urls }: Pick<World, 'base' | 'urls'>): Promise<void> {
  const robots = base === null ? { robots: 'replace' } : { robots: 'augment', robotsBase: base };
  const answer = await postern.call('PUT', `/v1/sites/${HOST}`, {
    body: { ...SITE, signals: { ...SIGNALS, ...robots }, ...urlsOf({ urls }) },
  });
  assert.ok(answer.status < 300, answer.text);
}

const read = (kind: string) => postern.call('GET', `/v1/sites/${HOST}/signals/${kind}`, { key: null });

/** Statements by reader. */
const counts = new Map<string, number>();

/** Statements that something is permitted, with the license that they ask for. */
class Claims {
  readonly #byLicense = new Map<string, Map<string, { question: Question; by: string }>>();

  add(question: Question, by: string, type = ''): void {
    const name = type === '' ? by : `${by}, for sale`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    const claims = this.#byLicense.get(type) ?? new Map<string, { question: Question; by: string }>();
    claims.set(JSON.stringify(question), { question, by });
    this.#byLicense.set(type, claims);
  }

  async verify(shown: string): Promise<void> {
    for (const [type, claims] of this.#byLicense) {
      const all = [...claims.values()];
      const license = type === '' ? {} : { license: { type, features: [] } };
      const doors = await askDoor(
        postern,
        all.map(({ question }) => question),
        license,
      );
      for (const [i, { question, by }] of all.entries()) {
        if (doors[i] === false) assert.fail(`${by} permits ${JSON.stringify(question)} ${type}\n${shown}`);
      }
    }
  }
}

const asked = (word: string, url: string): Question[] =>
  TOKENS.flatMap((token) => [null, ...(PURPOSES[word] as string[])].map((purpose) => ({ url, token, purpose })));

interface Texts {
  /** null: not served. */
  rsl: string | null;
  tdmrep: string | null;
  robots: string;
}

function addRsl(claims: Claims, rsl: string): void {
  for (const [by, reader] of Object.entries({ RSL: readRsl(rsl), Supertab: readAsSupertab(rsl) })) {
    for (const url of URLS) {
      const found = reader(url);
      const type = found?.amount == null ? '' : TYPES.get(found.amount);
      assert.ok(type !== undefined, `${by} found ${found?.amount}`);
      for (const word of found?.permitted ?? []) for (const one of asked(word, url)) claims.add(one, by, type);
    }
  }
}

function addTdmrep(claims: Claims, tdmrep: string): void {
  for (const isPathAlone of [true, false]) {
    const isReserved = readTdmrep(tdmrep, isPathAlone);
    for (const url of URLS.filter((one) => isReserved(one) === false)) {
      for (const word of MINED) for (const one of asked(word, url)) claims.add(one, 'TDMRep');
    }
  }
}

/** Preferences are about what may be fetched. */
function addContentUsage(claims: Claims, robots: string): void {
  const { robots: groups } = readStatements(robots);
  const usage = readContentUsage(robots);
  for (const token of TOKENS) {
    for (const url of URLS.filter((one) => groups.isAllowed(ORIGIN + one, token) === true)) {
      const purposes = [...usage(token, url)].flatMap((label) => PURPOSES[LABELS[label] as string] as string[]);
      for (const purpose of purposes) claims.add({ url, token, purpose }, 'Content-Usage');
    }
  }
}

function claimsOf({ rsl, tdmrep, robots }: Texts): Claims {
  const claims = new Claims();
  if (rsl !== null) addRsl(claims, rsl);
  if (tdmrep !== null) addTdmrep(claims, tdmrep);
  addContentUsage(claims, robots);
  return claims;
}

const RIGHTS = ['full_access', 'training', 'fine_tuning'];
const licensed = (licenseType: string) => ({
  rules: [{ action: 'allow', conditions: { licenseType: [licenseType] }, permissions: RIGHTS }],
  defaultAction: 'deny' as const,
});
const open = { rules: [{ action: 'allow', conditions: {}, permissions: RIGHTS }], defaultAction: 'deny' as const };
const forMost = {
  ...open,
  rules: [{ action: 'deny', conditions: { crawler: ['CCBot'], purpose: ['search'] } }, ...open.rules],
};
const everywhere = { hosts: [HOST], paths: ['/'], policy: 0, mode: 'enforce' as const };
/** Worlds in which each format permits something, beside stricter places. */
const OWN = [
  { policies: [open, licensed('gold'), licensed('press')], paths: ['/news/', '/a$', '/shop?id='] },
  { policies: [licensed('gold'), open, open], paths: ['/*.pdf$', '/press/'] },
  { policies: [open, licensed('gold'), open], paths: ['/*.pdf$', '*/feed'] },
  { policies: [forMost, open, open], paths: ['/press/'] },
].map(({ policies, paths }) => ({
  policies,
  collections: [everywhere, { ...everywhere, paths, policy: 1 }],
  urls: null,
  base: null,
  item: null,
  items: [],
  registered: [],
})) as unknown as World[];
const ALL = [...EXAMPLES, ...OWN];

test('RSL, TDMRep and Content-Usage permit what checks allow', { timeout: 3_600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(world, async (given: World) => {
      await become(postern, given);
      await putSite(given);
      const [rsl, tdmrep, robots] = [await read('license.xml'), await read('tdmrep.json'), await read('robots.txt')];
      assert.equal(robots.status, 200, robots.text);
      if (rsl.status === 200) {
        assert.match(rsl.headers.get('content-type') ?? '', /^application\/rsl\+xml/);
        validateRsl(rsl.text);
      }
      const texts = {
        rsl: rsl.status === 200 ? rsl.text : null,
        tdmrep: tdmrep.status === 200 ? tdmrep.text : null,
        robots: robots.text,
      };
      const claims = claimsOf(texts);
      await claims.verify(Object.values(texts).join('\n'));
      const report = await postern.call('GET', `/v1/sites/${HOST}/signals/report?limit=1`);
      assert.deepEqual(report.body.contradictions, []);
    }),
    {
      numRuns: WORLDS + ALL.length,
      examples: ALL.map((one) => [one]),
      endOnFailure: process.env.POSTERN_SIGNAL_SHRINK === undefined,
    },
  );
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  console.log(`${total} statements`, Object.fromEntries(counts));
  assert.deepEqual([...counts.keys()].toSorted(), [
    'Content-Usage',
    'RSL',
    'RSL, for sale',
    'Supertab',
    'Supertab, for sale',
    'TDMRep',
  ]);
});
