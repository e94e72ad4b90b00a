/**
 * The statements of a month: every license of 1,000, over millions of decisions that they allowed. Measured in the
 * process, on real records and columns, without HTTP: it is the work of `GET /v1/statements` over all its pages. Beside
 * it, the same from the records alone, as for a statement that is made final; both have to agree.
 */
import { join } from 'node:path';
import { temporaryFolder } from '../kit/launch.ts';
import type { SqliteDb } from '../src/db/sqlite/db.ts';
import { Parquet } from '../src/decisions/history/archive/parquet.ts';
import { openColumns } from '../src/decisions/history/columns/columns.ts';
import { PublicIds } from '../src/decisions/ledger/public-ids.ts';
import { type ComputeDeps, computeStatements } from '../src/reports/statements/compute.ts';
import { findBilled } from '../src/reports/statements/find.ts';
import { parsePeriod } from '../src/reports/statements/statement.ts';
import { type Figure, median, type Part, type PartOptions } from './figure.ts';
import { openStore } from './history.ts';
import { itemAt } from './inputs.ts';

const LICENSES = 1_000;
const MOST_S = 2;
const PERIOD = '2026-10';
const [FROM, TO] = [Date.UTC(2026, 9, 1), Date.UTC(2026, 10, 1)];
const NOW = Date.UTC(2026, 10, 22);
const ROWS_AT_ONCE = 500_000;
const ITEMS = 5_000;
const MOST = 10_000_000;
const CAUGHT_UP_WITHIN_MS = 900_000;

/** Terms of every license: the first thousand decisions cost more. */
export const TERMS = {
  currency: 'EUR',
  timezone: 'UTC',
  period: 'month',
  unit: 'decision',
  tiers: [
    { upTo: 1_000, unitPriceMicros: 20_000 },
    { upTo: null, unitPriceMicros: 12_500 },
  ],
};

export const statementsPart: Part = {
  name: 'statements',
  about: `the statements of a month, of ${LICENSES.toLocaleString('en')} licenses`,
  async run(options) {
    using dir = temporaryFolder();
    const store = await openStore(dir.path);
    const parquet = new Parquet(join(dir.path, 'archive'), 64);
    try {
      await addLicenses(store.db);
      await store.addItems(ITEMS, await store.addPolicy('Open', []), itemAt);
      const figures: Figure[] = [];
      let there = 0;
      for (const total of options.quick ? [100_000, 1_000_000] : [1_000_000, MOST]) {
        await addDecisions(store.db, there, total);
        there = total;
        figures.push(...(await measured({ db: store.db, parquet, dir: dir.path }, total, options)));
      }
      return { figures, notes: ['The processor time is that of all threads.'] };
    } finally {
      parquet.close();
      await store.close();
    }
  },
};

async function addLicenses(db: SqliteDb): Promise<void> {
  await db.atomic(
    Array.from({ length: LICENSES }, (_, i) => {
      const id = licenseId(i);
      return {
        sql: `insert into license_terms (license_id, requester_id, tail, version, at, from_at, terms)
              values ($1, $2, $3, 1, 1, 1, $4)`,
        params: [id, `r${i}`, id.slice(-16), JSON.stringify(TERMS)],
      };
    }),
  );
}

const licenseId = (i: number): string => `lic_0${String(i).padStart(25, '0')}`;

/** Adds the numbers up to `total`. The greatest run covers the month; one decision in ten is denied. */
async function addDecisions(db: SqliteDb, there: number, total: number): Promise<void> {
  for (let after = there; after < total; after += ROWS_AT_ONCE) {
    const last = Math.min(total, after + ROWS_AT_ONCE);
    await db.atomic([
      {
        sql: `with recursive n (seq) as (select ${after + 1} union all select seq + 1 from n where seq < ${last})
              insert into decisions (seq, at, content_no, requester_id, policy_no, policy_version, reason, license_id,
                purpose, enforced)
              select seq, ${FROM} + seq * ${(TO - FROM) / 1_000} / ${MOST / 1_000}, seq % ${ITEMS} + 1,
                'r' || (seq * 7919 % ${LICENSES}), 1, 1, iif(seq % 10 = 0, 7, 0),
                'lic_0' || substr('0000000000000000000000000' || (seq / 10 * 7919 % ${LICENSES}), -25),
                iif(seq % 3 = 0, 'training', 'search'), 1
              from n`,
      },
    ]);
  }
}

interface Given {
  db: SqliteDb;
  parquet: Parquet;
  dir: string;
}

async function measured({ db, parquet, dir }: Given, total: number, { quick, say }: PartOptions): Promise<Figure[]> {
  const deps = { db, parquet, ids: new PublicIds('a secret', { live: 7, test: 8 }), now: () => NOW };
  const columns = openColumns({
    records: join(dir, 'postern.db'),
    columnsFile: join(dir, 'columns.duckdb'),
    answerWithinMs: CAUGHT_UP_WITHIN_MS,
  });
  try {
    // The columns take the decisions over first: that is no part of a statement.
    await columns.bounds();
    const fast: Times = { cpu: [], wall: [] };
    const slow: Times = { cpu: [], wall: [] };
    for (let round = 0; round < (quick || total > 1_000_000 ? 2 : 3); round++) {
      const one = await timed(fast, { ...deps, columns }, total);
      say(`${total}: ${fast.cpu.at(-1)?.toFixed(2)} s of the processor, ${fast.wall.at(-1)?.toFixed(2)} s`);
      // Once: it takes long.
      if (round > 0) continue;
      const other = await timed(slow, deps, total);
      say(`${total}, records: ${slow.cpu.at(-1)?.toFixed(2)} s of the processor, ${slow.wall.at(-1)?.toFixed(2)} s`);
      if (JSON.stringify(one) !== JSON.stringify(other)) throw new Error('the columns and the records do not agree');
    }
    const size = `${total / 1_000_000} million decisions`;
    const value = median(fast.wall);
    const target = { text: `≤ ${MOST_S} s`, met: value <= MOST_S };
    return [
      { what: `statements over ${size}`, value, unit: 's', ...(total < MOST ? {} : { target }) },
      { what: `statements over ${size}, processor time`, value: median(fast.cpu), unit: 's' },
      { what: `the same from the records alone, processor time`, value: median(slow.cpu), unit: 's' },
    ];
  } finally {
    await columns.close();
  }
}

interface Times {
  cpu: number[];
  wall: number[];
}

/** Computes all statements of the month; returns what they say. */
async function timed({ cpu, wall }: Times, deps: ComputeDeps, total: number): Promise<unknown[]> {
  const before = process.cpuUsage();
  const begun = performance.now();
  const { billed } = await findBilled(deps.db, { period: parsePeriod(PERIOD) }, NOW);
  const computed = await computeStatements(deps, billed, { recount: 'columns' });
  const used = process.cpuUsage(before);
  cpu.push((used.user + used.system) / 1e6);
  wall.push((performance.now() - begun) / 1_000);
  const decisions = computed.reduce((sum, { statement }) => sum + statement.decisions, 0);
  if (computed.length !== LICENSES || decisions !== total - Math.floor(total / 10))
    throw new Error(`${computed.length} statements of ${decisions} decisions`);
  return computed.map(({ statement }) => statement);
}
