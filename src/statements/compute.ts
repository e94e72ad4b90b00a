/** Computes statements: final ones as they were stored, the others from the decisions. */
import { DecisionIds } from '../ledger/decision-ids.ts';
import { toIso } from '../lib/clock.ts';
import type { Terms } from '../terms/terms.ts';
import { type BillingPeriodSpan, billingPeriodAt, billingPeriods } from '../terms/timeline.ts';
import { type Bill, billOf, type Correction, toAmount } from './bill.ts';
import { countFast, countOutsideFast, type FastDeps } from './columns-counting.ts';
import { type Billed, billedOf, type Statement } from './statement.ts';
import { type FinalStatement, findFinalBefore, findFinals } from './store.ts';
import { type Tallied, Tally } from './tally.ts';

export interface ComputeDeps extends FastDeps {
  ledgerNo: number;
  now(): number;
}

export interface Computed {
  statement: Statement;
  ownMicros: bigint;
  isFinal: boolean;
}

/** Decisions to be counted together by some terms. */
interface Job {
  licenseId: string;
  span: Pick<BillingPeriodSpan, 'start' | 'end' | 'terms'>;
  tally: Tally;
}

/** Returns the statements in the order of `billed`. */
export async function computeStatements(
  deps: ComputeDeps,
  billed: readonly Billed[],
  { recount = 'records' }: { recount?: 'records' | 'columns' } = {},
): Promise<Computed[]> {
  const finals = await findFinals(
    deps.db,
    billed.map(({ id }) => id),
  );
  const open = billed.filter(({ id }) => !finals.has(id));
  const works = await Promise.all(
    open.map(async (one) => {
      const before = await findCorrected(deps, one);
      return { one, job: jobOf(deps, one), before, recounted: before && recountOf(deps, before) };
    }),
  );
  await runJobs(
    deps,
    works.map(({ job }) => job),
  );
  const recounts = works.flatMap(({ recounted }) => recounted ?? []);
  await runJobs(recount === 'records' ? { ...deps, columns: undefined } : deps, recounts);
  const computed = new Map(
    works.map(({ one, job, before, recounted }) => {
      // An amount in another currency cannot be a line of this statement.
      const sameCurrency = before?.statement.terms.currency === one.span.terms.currency;
      const correction = before && recounted && sameCurrency ? correctionOf(before, recounted.tally.result()) : null;
      return [one.id, toComputed(deps, one, job.tally.result(), correction)];
    }),
  );
  return billed.map(({ id }) => {
    const final = finals.get(id);
    if (final === undefined) return computed.get(id) as Computed;
    return { statement: final.statement, ownMicros: final.ownMicros, isFinal: true };
  });
}

/** Returns the final statement that this one corrects: it is the first after it. Later ones would correct it again. */
async function findCorrected({ db }: ComputeDeps, { contract, span }: Billed): Promise<FinalStatement | undefined> {
  const before = await findFinalBefore(db, contract.licenseId, span.start);
  const between = before === undefined ? [] : billedOf(contract, { since: before.to, until: span.start });
  return between.length === 0 ? before : undefined;
}

const newTally = ({ ledgerNo }: ComputeDeps, terms: Terms): Tally => new Tally(terms, new DecisionIds(ledgerNo));

const jobOf = (deps: ComputeDeps, { contract, span }: Billed): Job => ({
  licenseId: contract.licenseId,
  span,
  tally: newTally(deps, span.terms),
});

const recountOf = (deps: ComputeDeps, { statement, from, to }: FinalStatement): Job => ({
  licenseId: statement.licenseId,
  span: { start: from, end: to, terms: statement.terms },
  tally: newTally(deps, statement.terms),
});

async function runJobs(deps: ComputeDeps, jobs: Job[]): Promise<void> {
  if (jobs.length === 0) return;
  const byLicense = Map.groupBy(jobs, ({ licenseId }) => licenseId);
  const query = {
    from: Math.min(...jobs.map(({ span }) => span.start)),
    to: Math.max(...jobs.map(({ span }) => span.end)),
    licenses: { only: [...byLicense.keys()] },
  };
  const ids = new DecisionIds(deps.ledgerNo);
  let last = '';
  let own: readonly Job[] = [];
  await countFast(deps, query, {
    begin() {
      for (const job of jobs) job.tally = new Tally(job.span.terms, ids);
    },
    take(decision) {
      if (decision.licenseId !== last) {
        last = decision.licenseId;
        own = byLicense.get(last) ?? [];
      }
      for (const { span, tally } of own) {
        if (span.start <= decision.at && decision.at < span.end) tally.add(decision);
      }
    },
  });
}

/** Returns null where the period is counted as it was billed. */
function correctionOf({ statement, ownMicros }: FinalStatement, tallied: Tallied): Correction | null {
  const micros = billOf(statement.terms, tallied, null).ownMicros - ownMicros;
  const units = tallied.units - statement.units;
  const decisions = tallied.decisions - statement.decisions;
  return micros === 0n && units === 0 && decisions === 0
    ? null
    : { statementId: statement.id, units, decisions, micros };
}

function toComputed(
  { now }: ComputeDeps,
  { id, contract, span }: Billed,
  tallied: Tallied,
  correction: Correction | null,
): Computed {
  const bill: Bill = billOf(span.terms, tallied, correction);
  const from = toIso(span.start);
  const statement: Statement = {
    id,
    object: 'statement',
    status: now() < span.end ? 'running' : 'open',
    licenseId: contract.licenseId,
    requesterId: contract.requesterId,
    requesterName: contract.requesterName,
    period: span.label,
    from,
    to: toIso(span.end),
    termsVersion: span.version,
    terms: span.terms,
    units: tallied.units,
    decisions: tallied.decisions,
    lines: bill.lines,
    total: toAmount(bill.totalMicros, span.terms.currency),
    uncounted: tallied.uncounted,
    finalizedAt: null,
    created: from,
    updated: from,
  };
  return { statement, ownMicros: bill.ownMicros, isFinal: false };
}

export interface Outside {
  noLicense: number;
  noTerms: number;
}

/** Counts allowed, enforced decisions of a time that no statement of `billed` contracts holds. */
export async function computeOutside(
  deps: ComputeDeps,
  contracts: readonly Billed['contract'][],
  { from, to }: { from: number; to: number },
): Promise<Outside> {
  const [whole, some] = partition(contracts, (contract) => isCovered(contract, from, to));
  const covers = new Map(some.map((contract) => [contract.licenseId, coverageOf(contract)]));
  let noTerms = 0;
  await countFast(
    deps,
    { from, to, licenses: { except: whole.map(({ licenseId }) => licenseId) } },
    {
      begin() {
        noTerms = 0;
      },
      take({ licenseId, at }) {
        if (covers.get(licenseId)?.(at) !== true) noTerms += 1;
      },
    },
  );
  return { noLicense: await countOutsideFast(deps, { from, to }), noTerms };
}

function partition<T>(all: readonly T[], has: (one: T) => boolean): [T[], T[]] {
  const groups = Map.groupBy(all, has);
  return [groups.get(true) ?? [], groups.get(false) ?? []];
}

/** Returns whether statements of the contract cover all of a time. */
function isCovered({ segments, bounds }: Billed['contract'], from: number, to: number): boolean {
  let end = from;
  for (const span of billingPeriods(segments, bounds, { since: from, until: to })) {
    if (span.start <= end) end = Math.max(end, span.end);
  }
  return end >= to;
}

/** Returns a function that returns whether a statement of the contract covers a time. */
function coverageOf({ segments, bounds }: Billed['contract']): (at: number) => boolean {
  let known = { start: 0, end: 0, isBilled: false };
  return (at) => {
    if (at >= known.start && at < known.end) return known.isBilled;
    const span = billingPeriodAt(segments, at);
    if (span === undefined) return false;
    const { start, end } = span;
    const [billed] = billingPeriods(segments, bounds, { since: start, until: end });
    known = { start, end, isBilled: billed !== undefined };
    return known.isBilled;
  };
}
