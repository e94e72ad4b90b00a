/**
 * Promise: each late difference of a final statement is credited once, on the first statement after it that is not
 * final yet and has its currency. Random sequences of late changes and of statements that become final, in any order,
 * beside a second implementation that keeps books of what was billed and credited.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Random, runSeed, seeded } from '../../kit/random.ts';
import { Parquet } from '../../src/decisions/history/archive/parquet.ts';
import { openColumns } from '../../src/decisions/history/columns/columns.ts';
import { PublicIds } from '../../src/decisions/ledger/public-ids.ts';
import { type ComputeDeps, computeStatements } from '../../src/reports/statements/compute.ts';
import { planFinalize } from '../../src/reports/statements/edits.ts';
import { findBilled } from '../../src/reports/statements/find.ts';
import { parsePeriod, type Statement } from '../../src/reports/statements/statement.ts';
import type { Terms } from '../../src/rules/terms/terms.ts';
import { openRecords, type Records } from '../usage/records.ts';
import { strict } from './ledger-compare.ts';
import { bill } from './terms.ts';

const NOW = Date.UTC(2027, 0, 1);
const LICENSE = `lic_0${'1'.repeat(25)}`;
const MONTHS = 7;
const STEPS = 10;
const SEQUENCES = Number(process.env.SEQUENCES ?? 6);

interface Used {
  seq: number;
  month: number;
  purpose: string;
  content: number;
  enforced: boolean;
}

/** Amounts in micros. */
interface Sum {
  units: number;
  decisions: number;
  micros: number;
}

/** The books: what each final statement billed, and what later ones credited. */
interface Book extends Sum {
  credited: Sum;
}

const micros = (amount: string): number => Math.round(Number(amount) * 1_000_000);

class Books {
  readonly terms: readonly Terms[];
  readonly used: readonly Used[];
  readonly finals = new Map<number, Book>();
  /** All that final statements say. */
  readonly billed = new Map<string, number>();

  constructor(terms: readonly Terms[], used: readonly Used[]) {
    this.terms = terms;
    this.used = used;
  }

  currencyOf = (month: number): string => (this.terms[month] as Terms).currency;

  own(month: number): Sum {
    const used = this.used.filter((one) => one.month === month && one.enforced);
    const terms = this.terms[month] as Terms;
    const isNew = new Set<number>();
    const units = used.filter(({ content }) => {
      if (terms.unit === 'decision') return true;
      const seen = isNew.has(content);
      isNew.add(content);
      return !seen;
    });
    const { total } = bill(
      terms,
      units.map(({ purpose }) => purpose),
    );
    return { units: units.length, decisions: used.length, micros: micros(total) };
  }

  /** The corrections of a month that is not final: by the month that they correct. */
  corrections(month: number): Map<number, Sum> {
    const found = new Map<number, Sum>();
    for (let before = month - 1; before >= 0; before--) {
      if (this.currencyOf(before) !== this.currencyOf(month)) continue;
      const final = this.finals.get(before);
      // Corrections of older ones are on that one.
      if (final === undefined) break;
      const now = this.own(before);
      const { credited } = final;
      const rest = {
        units: now.units - final.units - credited.units,
        decisions: now.decisions - final.decisions - credited.decisions,
        micros: now.micros - final.micros - credited.micros,
      };
      if (rest.units !== 0 || rest.decisions !== 0 || rest.micros !== 0) found.set(before, rest);
    }
    return found;
  }

  finalize(month: number): void {
    const corrections = this.corrections(month);
    const own = this.own(month);
    this.finals.set(month, { ...own, credited: { units: 0, decisions: 0, micros: 0 } });
    let total = own.micros;
    for (const [before, { units, decisions, micros: rest }] of corrections) {
      const { credited } = this.finals.get(before) as Book;
      credited.units += units;
      credited.decisions += decisions;
      credited.micros += rest;
      total += rest;
    }
    const currency = this.currencyOf(month);
    this.billed.set(currency, (this.billed.get(currency) ?? 0) + total);
  }
}

const newTerms = (random: Random): Terms => ({
  currency: random.pick(['EUR', 'EUR', 'USD']),
  timezone: 'UTC',
  period: 'month',
  unit: random.pick(['decision', 'distinct_content']),
  tiers: [
    { upTo: random.int(1, 4), unitPriceMicros: random.int(0, 20) * 5_000 },
    { upTo: null, unitPriceMicros: random.int(0, 20) * 2_500 },
  ],
  ...(random.chance(0.3) ? { minimumMicros: random.int(0, 10) * 10_000 } : {}),
});

async function write({ db, addContent, addDecisions }: Records, { terms, used }: Books): Promise<void> {
  await db.atomic([
    {
      sql: `insert into licenses (id, requester_id, type, features, status, metadata, created_at, updated_at)
            values ($1, 'r', 'x', '[]', 'active', '{}', 1, 1)`,
      params: [LICENSE],
    },
    ...terms.map((one, month) => ({
      sql: `insert into license_terms (license_id, requester_id, tail, version, at, from_at, terms)
            values ($1, 'r', $2, $3, 1, $4, $5)`,
      params: [LICENSE, LICENSE.slice(-16), month + 1, Date.UTC(2026, month, 1), JSON.stringify(one)],
    })),
  ]);
  await addContent(Array.from({ length: 4 }, (_, i) => ({ no: i + 1 })));
  await addDecisions(
    used.map(({ seq, month, purpose, content, enforced }) => ({
      seq,
      at: Date.UTC(2026, month, 2) + seq,
      contentNo: content,
      requesterId: 'r',
      policyNo: 1,
      reason: 0,
      licenseId: LICENSE,
      purpose,
      enforced,
    })),
  );
}

function newBooks(random: Random): Books {
  let terms = newTerms(random);
  const all = Array.from({ length: MONTHS }, () => (terms = random.chance(0.3) ? newTerms(random) : terms));
  const months = Array.from({ length: random.int(5, 40) }, () => random.int(0, MONTHS - 1)).toSorted((a, b) => a - b);
  return new Books(
    all,
    months.map((month, i) => ({
      seq: i + 1,
      month,
      purpose: random.pick(['search', 'training']),
      content: random.int(1, 4),
      enforced: random.chance(0.8),
    })),
  );
}

const monthOf = ({ from }: Statement): number => new Date(from).getUTCMonth();

/** Compares all statements of the year with the books. */
async function compare(deps: ComputeDeps, books: Books): Promise<void> {
  const { billed } = await findBilled(deps.db, { period: parsePeriod('2026') }, NOW);
  const computed = await computeStatements(deps, billed, deps.columns === undefined ? {} : { recount: 'columns' });
  for (const { statement } of computed) {
    const month = monthOf(statement);
    if (month >= MONTHS || statement.status === 'final') continue;
    const found = statement.lines.flatMap(({ kind, statementId, units, decisions, amountMicros }) =>
      kind === 'correction' ? [{ statementId, units, decisions, micros: amountMicros }] : [],
    );
    const idOf = (of: number) => computed.find((one) => monthOf(one.statement) === of)?.statement.id;
    const expected = [...books.corrections(month)]
      .toSorted(([a], [b]) => a - b)
      .map(([before, rest]) => ({ statementId: idOf(before), ...rest }));
    assert.deepEqual(found, expected, `the corrections of month ${month}`);
  }
}

async function finalize(deps: ComputeDeps, books: Books, month: number): Promise<void> {
  const { billed } = await findBilled(deps.db, { period: parsePeriod('2026') }, NOW);
  const { id } = billed.find(({ span }) => new Date(span.start).getUTCMonth() === month) as { id: string };
  const { steps } = await planFinalize(deps, id);
  await deps.db.atomic(steps);
  books.finalize(month);
}

async function play(random: Random): Promise<void> {
  const records = await openRecords();
  const parquet = new Parquet(null, 64);
  const deps = { db: records.db, parquet, ids: new PublicIds('a secret', { live: 7, test: 8 }), now: () => NOW };
  try {
    const books = newBooks(random);
    await write(records, books);
    // Decisions come late, as they do; or any are counted differently, which is found without the columns.
    const isGrowing = random.chance(0.5);
    const late = books.used.filter(({ enforced }) => !enforced);
    if (isGrowing && late.length === 0) return;
    for (let step = 0; step < STEPS; step++) {
      await change(random, { records, deps, books, late: isGrowing ? late : null });
      await compare(deps, books);
      if (isGrowing && random.chance(0.3)) await compareColumns(records, deps, books, step);
    }
    await settleAll(deps, books);
  } finally {
    parquet.close();
    await records.close();
  }
}

interface Game {
  records: Records;
  deps: ComputeDeps;
  books: Books;
  /** Decisions that come late; null: any may be counted differently. */
  late: readonly Used[] | null;
}

async function change(random: Random, { records, deps, books, late }: Game): Promise<void> {
  const left = Array.from({ length: MONTHS - 1 }, (_, i) => i).filter((month) => !books.finals.has(month));
  if (left.length > 0 && random.chance(0.5)) {
    await finalize(deps, books, random.pick(left));
    return;
  }
  const one = random.pick(late ?? books.used);
  one.enforced = late !== null || !one.enforced;
  const sql = `update decisions set enforced = ${one.enforced ? 1 : 0} where seq = ${one.seq}`;
  await records.db.atomic([{ sql }]);
}

/** All is final in the end: what was billed is what was used, except what changed after the last statement. */
async function settleAll(deps: ComputeDeps, books: Books): Promise<void> {
  for (let month = 0; month < MONTHS; month++) if (!books.finals.has(month)) await finalize(deps, books, month);
  const rows = await deps.db.read<{ body: string }>('select body from statements');
  const totals = new Map<string, number>();
  for (const { body } of rows) {
    const { total, terms } = JSON.parse(body) as Statement;
    totals.set(terms.currency, (totals.get(terms.currency) ?? 0) + (total.amountMicros ?? 0));
  }
  assert.deepEqual(totals, new Map([...books.billed].filter(([currency]) => totals.has(currency))));
  for (const currency of totals.keys()) assertBilled(books, currency, totals.get(currency) as number);
}

/** The last statement of a currency has all corrections, if it became final last. */
function assertBilled(books: Books, currency: string, total: number): void {
  const months = books.terms.flatMap((_, month) => (books.currencyOf(month) === currency ? [month] : []));
  if (months.at(-1) !== MONTHS - 1) return;
  assert.equal(
    total,
    months.reduce((sum, month) => sum + books.own(month).micros, 0),
  );
}

/** New columns: these do not see that a decision was changed, which only this test does. */
async function compareColumns(records: Records, deps: ComputeDeps, books: Books, step: number): Promise<void> {
  const columnsFile = join(records.columnsFile, '..', `columns-${step}.duckdb`);
  const columns = openColumns({ records: records.records, columnsFile });
  try {
    await compare({ ...deps, columns: strict(columns) }, books);
  } finally {
    await columns.close();
  }
}

test(`${SEQUENCES} sequences of late changes and final statements (SEED=${runSeed})`, async () => {
  for (let i = 0; i < SEQUENCES; i++) {
    try {
      await play(seeded(runSeed + i));
    } catch (cause) {
      throw new Error(`sequence ${i} of seed ${runSeed}: ${(cause as Error).message}`, { cause });
    }
  }
});
