/**
 * Random ledgers with their statements: several licenses, terms edited within and between periods, zones whose clocks
 * change, deleted items, archived decisions. A second count over the decisions says what each statement has to bill.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Random, seeded } from '../../kit/random.ts';
import type { Db } from '../../src/db/db.ts';
import { archive } from '../../src/decisions/history/archive/archive.ts';
import { Parquet } from '../../src/decisions/history/archive/parquet.ts';
import { openColumns } from '../../src/decisions/history/columns/columns.ts';
import { keepDeleted } from '../../src/decisions/history/counted.ts';
import { countDeleted } from '../../src/decisions/history/deleted-counts.ts';
import { betweenSeqs, replaceInDecisions } from '../../src/decisions/history/retention/erase.ts';
import { dropCounts, eraseInputsBatch, retireBatch } from '../../src/decisions/history/retention/retire.ts';
import { type UrlRules, USUAL_URLS } from '../../src/lib/urls/spellings.ts';
import type { Terms } from '../../src/rules/terms/terms.ts';
import { openPostgresRecords, openRecords, type Records } from '../usage/records.ts';
import { newRules, newUrl } from './files.ts';
import { type Count, compare, type Expected, NOW, strict, type Used, unitsOf } from './ledger-compare.ts';
import { periodOf } from './terms.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 1, 20);
/** Clocks change in March, April, October and November. */
const LENGTH = 290 * DAY_MS;
const END = START + LENGTH;
const ITEMS = 6;
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Havana', 'Asia/Kathmandu'];
const PURPOSES = [null, 'training', 'search', 'inference'];

interface Version {
  version: number;
  from: number;
  terms: Terms | null;
}

interface Holder {
  licenseId: string;
  versions: Version[];
  /** Exclusive; null: it lasts. */
  expiresAt: number | null;
}

const BODY = '0123456789abcdefghjkmnpqrstvwxyz';
const newId = (random: Random): string => `lic_0${Array.from({ length: 25 }, () => random.pick([...BODY])).join('')}`;

const newQuota = (random: Random): Terms['quota'] => ({
  units: random.int(1, 30),
  ...(random.chance(0.8) ? { period: random.pick(['day', 'week', 'month', 'quarter', 'year']) } : {}),
  onExceed: 'allow',
});

/** The second count of quotas: from the start of the calendar period, also before the terms. */
function quotasOf(random: Random, holders: readonly Holder[], decisions: readonly Used[]): Count['quotas'] {
  return holders.flatMap((holder) => {
    const at = START + random.int(0, LENGTH);
    const terms = versionAt(holder, at)?.terms;
    if (!terms?.quota || (holder.expiresAt !== null && at >= holder.expiresAt)) return [];
    const [begins] = periodOf(terms.quota.period ?? terms.period, terms.timezone, at);
    const used = decisions.filter(
      (one) =>
        one.licenseId === holder.licenseId &&
        one.at >= begins &&
        one.at <= at &&
        one.reason === 0 &&
        one.enforced === true &&
        (terms.purposes === undefined || terms.purposes.includes(one.purpose ?? '')),
    );
    return [{ licenseId: holder.licenseId, at, used: unitsOf({ used, terms }).length }];
  });
}

function newTerms(random: Random): Terms {
  let upTo = 0;
  const tiers = Array.from({ length: random.int(1, 4) }, () => ({
    upTo: (upTo += random.int(1, 12)) as number | null,
    unitPriceMicros: random.pick([random.int(0, 20_000), random.int(0, 400) * 5_000, random.int(0, 30) * 500_000]),
  }));
  (tiers.at(-1) as { upTo: number | null }).upTo = null;
  return {
    currency: random.pick(['EUR', 'JPY', 'KWD', 'USD']),
    timezone: random.pick(ZONES),
    period: random.pick(['month', 'month', 'quarter', 'year'] as const),
    unit: random.pick(['decision', 'distinct_content'] as const),
    tiers,
    ...(random.chance(0.4) ? { purposes: ['training', 'search'] } : {}),
    ...(random.chance(0.4) ? { minimumMicros: random.int(0, 40) * random.pick([1, 500_000, 1_234_567]) } : {}),
    ...(random.chance(0.5) ? { quota: newQuota(random) } : {}),
    ...(random.chance(0.4) ? { flatMicros: random.int(0, 9) * random.pick([1, 500, 500_000]) } : {}),
  };
}

/** A license and its edits: of prices from the start of the running period, of anything from the next one. */
function newHolder(random: Random): Holder {
  const first = newTerms(random);
  const versions: Version[] = [
    { version: 1, from: START + random.int(0, 60) * DAY_MS + random.int(0, DAY_MS), terms: first },
  ];
  let inForce = first;
  let at = (versions[0] as Version).from;
  while (random.chance(0.6)) {
    at += random.int(1, 90) * DAY_MS;
    const [begins, ends] = periodOf(inForce.period, inForce.timezone, at);
    const next = newTerms(random);
    const { currency, timezone, period } = inForce;
    const version = versions.length + 1;
    if (random.chance(0.4)) versions.push({ version, from: begins, terms: { ...next, currency, timezone, period } });
    else versions.push({ version, from: ends, terms: random.chance(0.2) ? null : next });
    const newest = versions.at(-1) as Version;
    if (newest.terms === null) break;
    inForce = newest.terms;
    at = Math.max(at, newest.from);
  }
  return {
    licenseId: newId(random),
    versions,
    expiresAt: random.chance(0.3) ? END - random.int(0, 100) * DAY_MS : null,
  };
}

/** The terms at a time: the highest version whose time has come. */
const versionAt = ({ versions }: Holder, at: number): Version | undefined =>
  versions.filter(({ from }) => from <= at).at(-1);

const NO_URL = { url: null, file: null, ownFile: null };

function newDecisions(random: Random, holders: readonly Holder[]): Used[] {
  const gone = new Set([random.int(1, ITEMS), random.int(1, ITEMS)]);
  const times = Array.from({ length: random.int(20, 150) }, () => START + random.int(0, LENGTH)).toSorted(
    (a, b) => a - b,
  );
  // The rules of the host change in between.
  const rules = [random.pick([null, USUAL_URLS]), newRules(random), newRules(random)];
  return times.map((at, i) => {
    const holder = random.chance(0.7) ? random.pick(holders) : undefined;
    const valid = holder !== undefined && (holder.expiresAt === null || at < holder.expiresAt);
    const contentNo = random.int(0, ITEMS);
    return {
      seq: i + 1,
      at,
      contentNo,
      ...(contentNo === 0 ? newUrl(random, rules[Math.floor((3 * i) / times.length)] as UrlRules | null) : NO_URL),
      requesterId: 'r',
      policyNo: 1,
      reason: random.chance(0.9) ? 0 : 7,
      licenseId: valid ? holder.licenseId : random.chance(0.2) ? 'lic_without' : null,
      purpose: random.pick(PURPOSES),
      old: random.chance(0.1),
      enforced: random.chance(0.9),
      deleted: gone.has(contentNo),
    };
  });
}

/** The second count: what each statement holds, by license, version and start of the calendar period. */
function expectedOf(holders: readonly Holder[], decisions: readonly Used[], random: Random): Count {
  const statements = new Map<string, Expected>();
  let [noTerms, noLicense, deleted] = [0, 0, 0];
  for (const one of decisions.filter(({ reason, enforced }) => reason === 0 && enforced === true)) {
    const holder = holders.find(({ licenseId }) => licenseId === one.licenseId);
    const version = holder && versionAt(holder, one.at);
    if (one.deleted) deleted += 1;
    if (one.licenseId === null) noLicense += 1;
    else if (!version?.terms) noTerms += 1;
    else {
      const { terms } = version;
      const [begins] = periodOf(terms.period, terms.timezone, one.at);
      const key = `${one.licenseId} ${version.version} ${Math.max(begins, version.from)}`;
      const known = statements.get(key) ?? { used: [], uncounted: 0, terms };
      statements.set(key, known);
      if (terms.purposes === undefined || terms.purposes.includes(one.purpose ?? '')) known.used.push(one);
      else known.uncounted += 1;
    }
  }
  return { statements, noTerms, noLicense, deleted, quotas: quotasOf(random, holders, decisions) };
}

async function write(
  { db, addContent, addDecisions }: Records<Db>,
  holders: readonly Holder[],
  decisions: readonly Used[],
) {
  const steps = holders.flatMap(({ licenseId, versions, expiresAt }) => [
    {
      sql: `insert into licenses (id, requester_id, type, features, expires_at, status, metadata, created_at, updated_at)
            values ($1, 'r', 'x', '[]', $2, 'active', '{}', 1, 1)`,
      params: [licenseId, expiresAt],
    },
    ...versions.map(({ version, from, terms }) => ({
      sql: `insert into license_terms (license_id, requester_id, tail, version, at, from_at, terms)
            values ($1, 'r', $2, $3, 1, $4, $5)`,
      params: [licenseId, licenseId.slice(-16), version, from, terms === null ? null : JSON.stringify(terms)],
    })),
  ]);
  // The archive names the policy of each decision.
  const policy = {
    sql: `insert into policy_versions (policy_no, version, policy_id, name, rules, default_action, created_at)
          values (1, 1, 'pol_1', 'p', '[]', 'deny', 1)`,
  };
  await db.atomic([policy, ...steps]);
  await addContent(Array.from({ length: ITEMS }, (_, i) => ({ no: i + 1 })));
  await addDecisions(decisions);
}

/** Deletes items; some of their decisions are swept already. */
async function deleteItems(
  { db, deleteContent }: Records<Db>,
  decisions: readonly Used[],
  random: Random,
): Promise<void> {
  const nos = new Set(decisions.filter(({ deleted }) => deleted).map(({ contentNo }) => contentNo));
  for (const no of nos) {
    await deleteContent(no);
    if (random.chance(0.5)) continue;
    const where = `content_no = ${no}`;
    await db.atomic([
      keepDeleted(db.engine, where),
      countDeleted(where),
      { sql: `delete from decisions where ${where}` },
      { sql: `delete from purges where ${where}` },
      ...dropCounts(String(no)),
    ]);
  }
}

/** Retires the oldest decisions, and erases the inputs and the requester of others. */
async function age({ db }: Records<Db>, random: Random): Promise<void> {
  const before = START + random.int(0, LENGTH);
  while (random.chance(0.8) && (await eraseInputsBatch(db, before, random.int(1, 40))));
  if (random.chance(0.5)) {
    const erased = { requesterId: 'r', pseudonym: 'erased_1' };
    await db.atomic(replaceInDecisions(db, betweenSeqs(random.int(0, 60), Number.MAX_SAFE_INTEGER), erased));
  }
  while (random.chance(0.8) && (await retireBatch(db, before, random.int(1, 40))));
}

/** Checks one ledger; returns how many statements it had. */
async function checkLedger(
  random: Random,
  { archived, engine }: { archived: boolean; engine: Db['engine'] },
): Promise<{ statements: number; decisions: number }> {
  const records: Records<Db> = engine === 'sqlite' ? await openRecords() : await openPostgresRecords();
  const folder = join(records.columnsFile, '..', 'archive');
  mkdirSync(folder);
  const parquet = new Parquet(folder, 64);
  const columns = openColumns({ records: records.records, columnsFile: records.columnsFile, archiveDir: folder });
  try {
    const holders = Array.from({ length: random.int(1, 4) }, () => newHolder(random));
    const decisions = newDecisions(random, holders);
    await write(records, holders, decisions);
    // The columns follow what happens, or learn of it at once.
    if (random.chance(0.5)) await columns.bounds();
    const isDeletedFirst = random.chance(0.5);
    if (isDeletedFirst) await deleteItems(records, decisions, random);
    if (archived) {
      const before = START + random.int(0, LENGTH);
      await archive({ records: records.installation, before, to: folder, now: NOW, say: () => {} });
    }
    if (random.chance(0.5)) await age(records, random);
    if (!isDeletedFirst) await deleteItems(records, decisions, random);
    const expected = expectedOf(holders, decisions, random);
    const slow = await compare({ db: records.db, parquet }, expected);
    const fast = await compare(
      { db: records.db, parquet, columns: strict(columns), windowSize: random.int(1, 60) },
      expected,
    );
    assert.deepEqual(fast, slow);
    return { statements: holders.length, decisions: decisions.length };
  } finally {
    parquet.close();
    await columns.close();
    await records.close();
  }
}

export interface Run {
  ledgers: number;
  seed: number;
  /** Every so many of them is on PostgreSQL. */
  postgresEvery: number;
}

/** Checks so many ledgers; every fourth one is partly archived. */
export async function runLedgers({ ledgers, seed, postgresEvery }: Run) {
  const figures = { ledgers, decisions: 0, archived: 0 };
  for (let i = 0; i < ledgers; i++) {
    const isArchived = i % 4 === 3;
    const engine = i % postgresEvery === postgresEvery - 1 ? 'postgres' : 'sqlite';
    try {
      const { decisions } = await checkLedger(seeded(seed + i), { archived: isArchived, engine });
      figures.decisions += decisions;
      if (isArchived) figures.archived += 1;
    } catch (cause) {
      throw new Error(`ledger ${i} of seed ${seed}: ${(cause as Error).message}`, { cause });
    }
  }
  return figures;
}
