/** Statements as CSV: of one, a row for each line; of many, a row for each. */
import { type CsvColumns, csvHead, csvLine } from '../../api/http/csv.ts';
import type { StatementLine } from './bill.ts';
import type { Statement } from './statement.ts';

type Row = [statement: Statement, line: StatementLine];

const COLUMNS: CsvColumns<Row> = [
  ['statementId', ([one]) => one.id],
  ['status', ([one]) => one.status],
  ['licenseId', ([one]) => one.licenseId],
  ['reference', ([one]) => one.terms.reference],
  ['requesterId', ([one]) => one.requesterId],
  ['period', ([one]) => one.period],
  ['from', ([one]) => one.from],
  ['to', ([one]) => one.to],
  ['kind', ([, line]) => line.kind],
  ['purpose', ([, line]) => line.purpose],
  ['tier', ([, line]) => line.tier],
  ['units', ([, line]) => line.units],
  ['unitPriceMicros', ([, line]) => line.unitPriceMicros],
  ['amount', ([, line]) => line.amount],
  ['currency', ([one]) => one.terms.currency],
  ['decisions', ([, line]) => line.decisions],
  ['firstDecisionId', ([, line]) => line.firstDecisionId],
  ['lastDecisionId', ([, line]) => line.lastDecisionId],
  ['sha256', ([, line]) => line.sha256],
  ['deletedDecisions', ([, line]) => line.deleted?.decisions],
  ['deletedSha256', ([, line]) => line.deleted?.sha256],
  ['correctedStatementId', ([, line]) => line.statementId],
  ['days', ([one]) => one.partialPeriod?.days],
  ['daysOfPeriod', ([one]) => one.partialPeriod?.of],
  ['prorated', ([one]) => one.partialPeriod?.prorated],
];

const LIST_COLUMNS: CsvColumns<Statement> = [
  ['statementId', (one) => one.id],
  ['status', (one) => one.status],
  ['licenseId', (one) => one.licenseId],
  ['reference', (one) => one.terms.reference],
  ['requesterId', (one) => one.requesterId],
  ['requesterName', (one) => one.requesterName],
  ['period', (one) => one.period],
  ['from', (one) => one.from],
  ['to', (one) => one.to],
  ['timezone', (one) => one.terms.timezone],
  ['termsVersion', (one) => one.termsVersion],
  ['unit', (one) => one.terms.unit],
  ['units', (one) => one.units],
  ['decisions', (one) => one.decisions],
  ['uncountedDecisions', (one) => one.uncounted.reduce((sum, { decisions }) => sum + decisions, 0)],
  ['total', (one) => one.total.amount],
  ['currency', (one) => one.terms.currency],
  ['finalizedAt', (one) => one.finalizedAt],
  ['days', (one) => one.partialPeriod?.days],
  ['daysOfPeriod', (one) => one.partialPeriod?.of],
  ['prorated', (one) => one.partialPeriod?.prorated],
];

/** Yields the rows of all pages, one page in memory at a time. */
export async function* statementsCsv(pages: AsyncIterable<readonly Statement[]>): AsyncGenerator<string> {
  yield csvHead(LIST_COLUMNS);
  for await (const page of pages) yield page.map((one) => csvLine(LIST_COLUMNS, one)).join('');
}

export const statementCsv = (statement: Statement): string =>
  csvHead(COLUMNS) + statement.lines.map((line) => csvLine(COLUMNS, [statement, line])).join('');
