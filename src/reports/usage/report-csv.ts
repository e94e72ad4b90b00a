/** Reports as CSV: of usage, its groups if it has some, else its buckets; of visitors, a line for each page. */
import { type CsvColumns, csvHead, csvLine } from '../../api/http/csv.ts';
import type { UsageReport } from './schema.ts';
import type { VisitorsReport, Who } from './visitors-schema.ts';

const BUCKETS: CsvColumns<UsageReport['timeSeries'][number]> = [
  ['date', (row) => row.date],
  ['requests', (row) => row.requests],
  ['allowed', (row) => row.allowed],
  ['denied', (row) => row.denied],
];

const GROUPS: CsvColumns<NonNullable<UsageReport['groups']>[number]> = [
  ['id', (row) => row.id],
  ['name', (row) => row.name],
  ['policyVersion', (row) => row.policyVersion],
  ['ruleIndex', (row) => row.ruleIndex],
  ['requests', (row) => row.requests],
  ['allowed', (row) => row.allowed],
  ['denied', (row) => row.denied],
];

export const reportCsv = ({ groups, timeSeries }: Pick<UsageReport, 'groups' | 'timeSeries'>): string =>
  groups === undefined ? toCsv(BUCKETS, timeSeries) : toCsv(GROUPS, groups);

/** A visitor's requests for a page. */
type Visit = Who & VisitorsReport['pages'][number];

const toVisits = ({ visitors }: VisitorsReport): Visit[] =>
  visitors.flatMap(({ who, pages }) => pages.map((page) => ({ ...who, ...page })));

const VISITS: CsvColumns<Visit> = [
  ['kind', (row) => row.kind],
  ['id', (row) => row.id],
  ['name', (row) => row.name],
  ['proof', (row) => row.proof],
  ['page', (row) => row.page],
  ['requests', (row) => row.requests],
  ['allowed', (row) => row.allowed],
  ['denied', (row) => row.denied],
  ['verified', (row) => row.verified],
  ['spoofed', (row) => row.spoofed],
];

export const visitorsCsv = (report: VisitorsReport): string => toCsv(VISITS, toVisits(report));

const toCsv = <Row>(columns: CsvColumns<Row>, rows: readonly Row[]): string =>
  csvHead(columns) + rows.map((row) => csvLine(columns, row)).join('');
