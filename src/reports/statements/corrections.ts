/**
 * Late corrections: the differences between final statements and their periods as they are counted now. Promise: each
 * is credited once, on the first statement after it that is not final yet and has its currency.
 */
import { countByLicense, type History } from '../../decisions/history/count.ts';
import { toMicros } from '../../rules/terms/money.ts';
import { type Correction, computeBill } from './bill.ts';
import { type Billed, billedPeriods } from './statement.ts';
import { type FinalStatement, findLicenseFinals } from './store.ts';
import type { Tallied } from './tallied.ts';

type Difference = Omit<Correction, 'statementId'>;

/** A final statement, with the corrections of it that are on other final ones. */
export interface Correctable {
  final: FinalStatement;
  credited: Difference;
}

/** Returns the final statements that each of these has to correct, oldest first, by its id. */
export async function findCorrectable({ db }: History, open: readonly Billed[]): Promise<Map<string, Correctable[]>> {
  const ids = [...new Set(open.map(({ contract }) => contract.licenseId))];
  const finals = Map.groupBy(await findLicenseFinals(db, ids), ({ statement }) => statement.licenseId);
  return new Map(open.map((one) => [one.id, correctableBy(one, finals.get(one.contract.licenseId) ?? [])]));
}

function correctableBy({ contract, span }: Billed, finals: readonly FinalStatement[]): Correctable[] {
  const { currency } = span.terms;
  // An amount in another currency cannot be a line of this statement.
  const before = finals.filter(({ from, statement }) => from < span.start && statement.terms.currency === currency);
  const [oldest] = before;
  if (oldest === undefined) return [];
  const isFinal = new Set(finals.map(({ statement }) => statement.id));
  const between = billedPeriods(contract, { since: oldest.from, until: span.start });
  const open = between.filter((one) => one.span.terms.currency === currency && !isFinal.has(one.id));
  // What is before such a statement is corrected there.
  const since = Math.max(-Infinity, ...open.map((one) => one.span.start).filter((start) => start < span.start));
  return before.filter(({ from }) => from > since).map((final) => ({ final, credited: creditedOn(final, finals) }));
}

function creditedOn({ statement: { id } }: FinalStatement, finals: readonly FinalStatement[]): Difference {
  const sum: Difference = { units: 0, decisions: 0, micros: 0n };
  for (const { kind, statementId, units, decisions, amount } of finals.flatMap(({ statement }) => statement.lines)) {
    if (kind !== 'correction' || statementId !== id) continue;
    sum.units += units ?? 0;
    sum.decisions += decisions ?? 0;
    sum.micros += toMicros(amount);
  }
  return sum;
}

/** Returns null where the period is counted as it was billed and corrected. */
export function findCorrection({ final, credited }: Correctable, tallied: Tallied): Correction | null {
  const { statement, ownMicros } = final;
  const micros =
    computeBill(statement.terms, tallied, { share: statement.partialPeriod ?? null }).ownMicros -
    ownMicros -
    credited.micros;
  const units = tallied.units - statement.units - credited.units;
  const decisions = tallied.decisions - statement.decisions - credited.decisions;
  return micros === 0n && units === 0 && decisions === 0
    ? null
    : { statementId: statement.id, units, decisions, micros };
}

/**
 * Returns those whose periods may be counted differently now. Decisions are only added to a period: where there are as
 * many as when it became final, they are the same.
 */
export async function findChanged(deps: History, all: readonly Correctable[]): Promise<Correctable[]> {
  const changed: Correctable[] = [];
  for (const some of Map.groupBy(all, ({ final: { from, to } }) => `${from} ${to}`).values()) {
    changed.push(...(await changedIn(deps, some)));
  }
  return changed;
}

/** All are of the same time. */
async function changedIn(deps: History, some: Correctable[]): Promise<Correctable[]> {
  const [first] = some;
  if (first === undefined) return some;
  const { from, to } = first.final;
  const ids = some.map(({ final }) => final.statement.licenseId);
  const counts = await countByLicense(deps, { from, to }, ids);
  return some.filter(({ final: { statement } }) => {
    const { licenseId, decisions, uncounted } = statement;
    const billed = uncounted.reduce((sum, one) => sum + one.decisions, decisions);
    return counts === undefined || billed !== (counts.get(licenseId) ?? 0);
  });
}
