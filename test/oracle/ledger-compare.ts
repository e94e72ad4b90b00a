/** Compares the statements of a ledger with a second count over its decisions. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { findDifferences } from '../../src/cli/statements/verify.ts';
import type { Columns } from '../../src/decisions/history/columns/columns.ts';
import type { History } from '../../src/decisions/history/count.ts';
import { PublicIds } from '../../src/decisions/ledger/public-ids.ts';
import {
  type ComputeDeps,
  type Computed,
  computeOutside,
  computeStatements,
} from '../../src/reports/statements/compute.ts';
import { evidenceOf } from '../../src/reports/statements/evidence.ts';
import { findBilled } from '../../src/reports/statements/find.ts';
import type { Billed } from '../../src/reports/statements/statement.ts';
import { licenseUsage } from '../../src/reports/statements/usage.ts';
import type { Terms } from '../../src/rules/terms/terms.ts';
import type { Decided } from '../usage/records.ts';
import { bill } from './terms.ts';

/** Every statement ends within these years. */
const YEARS = { first: 2025 * 12, last: 2028 * 12 + 11 };
const [FROM, TO] = [Date.UTC(2025, 0, 1), Date.UTC(2029, 0, 1)];
export const NOW = Date.UTC(2029, 0, 1);
/** Parts of the time of a ledger. */
const PARTS = [2, 5, 8, 11].map((month) => ({ from: Date.UTC(2026, month, 1), to: Date.UTC(2026, month + 1, 1) }));

export interface Used extends Decided {
  deleted: boolean;
  /** The file of a URL without an item, by the rules of that time, from the second implementation. */
  ownFile: string | null;
}

export interface Expected {
  used: Used[];
  uncounted: number;
  terms: Terms;
}

/** The findings of a second count: by license, version and start of the period; and outside of all statements. */
export interface Count {
  statements: Map<string, Expected>;
  noTerms: number;
  noLicense: number;
  deleted: number;
  /** Units that licenses used of their quotas at some times. */
  quotas: { licenseId: string; at: number; used: number }[];
}

/** The purposes of the units, in the order of their use. */
export function unitsOf({ used, terms }: Pick<Expected, 'used' | 'terms'>): (string | null)[] {
  const seen = new Set<unknown>();
  return used
    .filter(({ contentNo, ownFile }) => {
      const content = contentNo === 0 ? ownFile : contentNo;
      const isUnit = terms.unit === 'decision' || !seen.has(content);
      seen.add(content);
      return isUnit;
    })
    .map(({ purpose }) => purpose ?? null);
}

/** The columns, whose failure fails the test: nothing is counted from the records instead. */
export function strict(columns: Columns): Columns {
  const failing = (cause: unknown): never => {
    throw new Error('the columns did not answer', { cause });
  };
  return {
    ...columns,
    licensedGroups: (query) => columns.licensedGroups(query).catch(failing),
    licensedCells: (query) => columns.licensedCells(query).catch(failing),
    unlicensed: (query) => columns.unlicensed(query).catch(failing),
  };
}

interface Sums extends Omit<Count, 'statements' | 'quotas'> {
  computed: readonly Computed[];
}

/** All of it is what usage counts as allowed, and the decisions of deleted items. */
async function compareUsage(columns: Columns, { computed, noLicense, noTerms, deleted }: Sums): Promise<void> {
  const billed = computed.map(
    ({ statement }) => statement.decisions + statement.uncounted.reduce((sum, { decisions }) => sum + decisions, 0),
  );
  const all = billed.reduce((sum, one) => sum + one, noLicense + noTerms);
  const { allowed } = await columns.report({ from: FROM, to: TO, starts: [FROM], limit: 1, enforced: true });
  assert.equal(allowed + deleted, all);
}

/** The evidence of a statement is enough to verify it, also after deletions, archives and retention. */
async function verifyAlone(deps: ComputeDeps, billed: Billed): Promise<void> {
  const [computed] = await computeStatements(deps, [billed], { from: 'records' });
  const { statement } = computed as Computed;
  const evidence = Readable.from(evidenceOf(deps, billed, undefined), { objectMode: false });
  const found = await findDifferences(statement, { decisions: Readable.from([]), evidence });
  assert.deepEqual([found.missing, found.differences], [0, []], billed.id);
  assert.equal(found.decisions + found.recorded.deleted + found.recorded.retention, statement.decisions);
}

/** Compares what is counted with the second count; returns the statements, and what is outside of parts of the time. */
export async function compare(
  counting: History,
  { statements: expected, noTerms, noLicense, deleted, quotas }: Count,
): Promise<unknown[]> {
  const deps = { ...counting, ids: new PublicIds('a secret', { live: 7, test: 8 }), now: () => NOW };
  const { contracts, billed } = await findBilled(deps.db, { period: YEARS }, NOW);
  const computed = await computeStatements(deps, billed);
  const rest = new Map(expected);
  for (const { statement } of computed) {
    const key = `${statement.licenseId} ${statement.termsVersion} ${Date.parse(statement.from)}`;
    const own = rest.get(key) ?? { used: [], uncounted: 0, terms: statement.terms };
    rest.delete(key);
    const units = unitsOf(own);
    const oracle = bill(own.terms, units);
    assert.equal(statement.total.amount, oracle.total, key);
    assert.deepEqual([statement.units, statement.decisions], [units.length, own.used.length], key);
    const uncounted = statement.uncounted.reduce((sum, { decisions }) => sum + decisions, 0);
    assert.equal(uncounted, own.uncounted, key);
    const nameOf = (purpose: string | null, tier: number): string => `${purpose} ${tier}`;
    assert.deepEqual(
      Object.fromEntries(
        statement.lines
          .filter(({ kind, units: n }) => kind === 'usage' && n !== 0)
          .map(({ purpose, tier, units: n, amount }) => [nameOf(purpose, (tier as number) - 1), [n, amount]]),
      ),
      Object.fromEntries(
        oracle.lines.map(({ purpose, tier, units: n, amount }) => [nameOf(purpose, tier), [n, amount]]),
      ),
      key,
    );
  }
  assert.deepEqual([...rest.keys()], []);
  assert.deepEqual(await computeOutside(deps, contracts, { from: FROM, to: TO }), { noLicense, noTerms, deleted });
  for (const { licenseId, at, used } of quotas) {
    const usage = await licenseUsage({ ...deps, now: () => at }, licenseId);
    assert.equal(usage.quota?.used, used, `the quota of ${licenseId} at ${at}`);
  }
  if (deps.columns === undefined) for (const one of billed) await verifyAlone(deps, one);
  else await compareUsage(deps.columns, { computed, noLicense, noTerms, deleted });
  const outside = [];
  for (const span of PARTS) outside.push(await computeOutside(deps, contracts, span));
  return [computed.map(({ statement }) => statement), outside];
}
