/** Computes statements: final ones as they were stored, the others from the decisions. */

import { countLicensed, type History } from '../../decisions/history/count.ts';
import { countOutside, type Unlicensed } from '../../decisions/history/outside.ts';
import { DecisionIds } from '../../decisions/ledger/decision-ids.ts';
import type { PublicIds } from '../../decisions/ledger/public-ids.ts';
import { toIso } from '../../lib/clock.ts';
import { toPartialPeriod } from '../../rules/terms/price.ts';
import { type BillingPeriodSpan, billingPeriodAt, billingPeriods } from '../../rules/terms/timeline.ts';
import { type Bill, type Correction, computeBill, toAmount } from './bill.ts';
import { type Correctable, findChanged, findCorrectable, findCorrection } from './corrections.ts';
import type { TallyIds } from './id-hash.ts';
import type { Billed, BilledContract, Statement } from './statement.ts';
import { type FinalStatement, findFinals } from './store.ts';
import type { Tallied, TallyOptions } from './tallied.ts';
import { Tally } from './tally.ts';

export interface ComputeDeps extends History {
  ids: PublicIds;
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
  ids: TallyIds;
  options: TallyOptions;
}

export interface ComputeOptions {
  /** Where periods that are not final are counted. */
  from?: 'records' | 'columns';
  /** Where the latest final period is counted again. Of earlier ones, only those that changed are. */
  recount?: 'records' | 'columns';
  /** Also builds the trees of lines. */
  trees?: boolean;
}

/** Returns the statements in the order of `billed`. */
export async function computeStatements(
  deps: ComputeDeps,
  billed: readonly Billed[],
  { from = 'columns', recount = 'records', trees = false }: ComputeOptions = {},
): Promise<Computed[]> {
  const finals = await findFinals(
    deps.db,
    billed.map(({ id }) => id),
  );
  const open = billed.filter(({ id }) => !finals.has(id));
  const jobs = new Map(open.map((one) => [one.id, toJob(deps, one, { trees })]));
  const onRecords = { ...deps, columns: undefined };
  await runJobs(from === 'records' ? onRecords : deps, [...jobs.values()]);
  const corrections = await computeCorrections(deps, open, recount);
  return billed.map((one) => {
    const final = finals.get(one.id);
    if (final !== undefined) return { statement: final.statement, ownMicros: final.ownMicros, isFinal: true };
    return toComputed(deps, one, (jobs.get(one.id) as Job).tally.result(), corrections.get(one.id) ?? []);
  });
}

/** Returns the corrections on each of these statements, by its id. */
async function computeCorrections(deps: ComputeDeps, open: readonly Billed[], recount: 'records' | 'columns') {
  const correctable = await findCorrectable(deps, open);
  const latest = new Set(recount === 'records' ? [...correctable.values()].flatMap((some) => some.at(-1) ?? []) : []);
  const rest = [...correctable.values()].flat().filter((one) => !latest.has(one));
  const recounts = new Map(
    [...latest, ...(await findChanged(deps, rest))].map((one) => [one, toRecount(deps.ids, one.final)]),
  );
  // Each time by itself: others may lie years back.
  for (const jobs of Map.groupBy(recounts.values(), ({ span }) => `${span.start} ${span.end}`).values()) {
    await runJobs(recount === 'records' ? { ...deps, columns: undefined } : deps, jobs);
  }
  const correct = (one: Correctable): Correction[] => {
    const correction = recounts.has(one) ? findCorrection(one, (recounts.get(one) as Job).tally.result()) : null;
    return correction === null ? [] : [correction];
  };
  return new Map([...correctable].map(([id, some]) => [id, some.flatMap(correct)]));
}

/** Returns the way of a decision to the root of its line; undefined where no line counts it. */
export async function provePath(deps: ComputeDeps, final: FinalStatement, id: string) {
  const ids = findSpelling(deps.ids, final);
  const decisionId = ids === deps.ids ? deps.ids.toPublic(id) : deps.ids.toPlain(id);
  const job = toRecount(ids, final, { prove: decisionId });
  await runJobs(deps, [job]);
  const path = await job.tally.findPath();
  const line = path && job.tally.result().lines.find((one) => one.purpose === path.purpose && one.tier === path.tier);
  return path && { ...path, decisionId, root: line?.root };
}

/** Statements that became final with ids that name their ledger keep those. */
export const findSpelling = (ids: PublicIds, final: FinalStatement | undefined): TallyIds =>
  final?.statement.lines.some(({ firstDecisionId: id }) => id !== null && ids.isPlain(id)) === true
    ? new DecisionIds(ids.ledgers.live)
    : ids;

const toJob = ({ ids }: ComputeDeps, { contract, span }: Billed, options: TallyOptions): Job => ({
  licenseId: contract.licenseId,
  span,
  tally: new Tally(span.terms, ids, options),
  ids,
  options,
});

const toRecount = (ids: TallyIds, { statement, from, to }: FinalStatement, options: TallyOptions = {}): Job => ({
  licenseId: statement.licenseId,
  span: { start: from, end: to, terms: statement.terms },
  tally: new Tally(statement.terms, ids, options),
  ids,
  options,
});

async function runJobs(deps: ComputeDeps, jobs: Job[]): Promise<void> {
  if (jobs.length === 0) return;
  const byLicense = Map.groupBy(jobs, ({ licenseId }) => licenseId);
  const query = {
    from: Math.min(...jobs.map(({ span }) => span.start)),
    to: Math.max(...jobs.map(({ span }) => span.end)),
    licenses: { only: [...byLicense.keys()] },
    contents: jobs.some(({ span }) => span.terms.unit === 'distinct_content'),
  };
  let last = '';
  let own: readonly Job[] = [];
  await countLicensed(deps, query, {
    begin() {
      for (const job of jobs) job.tally = new Tally(job.span.terms, job.ids, job.options);
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
    takeRun(licenseId, run) {
      for (const { span, tally } of byLicense.get(licenseId) ?? []) tally.addRun(run, span.start, span.end);
    },
  });
}

function toComputed(
  { now }: ComputeDeps,
  { id, contract, span }: Billed,
  tallied: Tallied,
  corrections: readonly Correction[],
): Computed {
  const bill: Bill = computeBill(span.terms, tallied, { share: span.share, corrections });
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
    partialPeriod: toPartialPeriod(span.terms, span.share),
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

export interface Outside extends Unlicensed {
  noTerms: number;
}

/** Counts allowed, enforced decisions of a time that no statement of `billed` contracts holds. */
export async function computeOutside(
  deps: ComputeDeps,
  contracts: readonly BilledContract[],
  { from, to }: { from: number; to: number },
): Promise<Outside> {
  const [whole, some] = partition(contracts, (contract) => isCovered(contract, from, to));
  const covers = new Map(some.map((contract) => [contract.licenseId, openCoverage(contract)]));
  let noTerms = 0;
  await countLicensed(
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
  return { ...(await countOutside(deps, { from, to })), noTerms };
}

function partition<T>(all: readonly T[], has: (one: T) => boolean): [T[], T[]] {
  const groups = Map.groupBy(all, has);
  return [groups.get(true) ?? [], groups.get(false) ?? []];
}

/** Returns whether statements of the contract cover all of a time. */
function isCovered({ segments, bounds, finals }: BilledContract, from: number, to: number): boolean {
  const computed = billingPeriods(segments, bounds, { since: from, until: to });
  const spans = [...computed, ...finals.map((final) => ({ start: final.from, end: final.to }))];
  let end = from;
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    if (span.start <= end) end = Math.max(end, span.end);
  }
  return end >= to;
}

/** Returns a function that returns whether a statement of the contract covers a time. */
function openCoverage({ segments, bounds, finals }: BilledContract): (at: number) => boolean {
  let known = { start: 0, end: 0, isBilled: false };
  return (at) => {
    if (at >= known.start && at < known.end) return known.isBilled;
    const final = finals.find((one) => one.from <= at && at < one.to);
    if (final !== undefined) {
      known = { start: final.from, end: final.to, isBilled: true };
      return true;
    }
    const span = billingPeriodAt(segments, at);
    if (span === undefined) return false;
    const { start, end } = span;
    const [billed] = billingPeriods(segments, bounds, { since: start, until: end });
    known = { start, end, isBilled: billed !== undefined };
    return known.isBilled;
  };
}
