/** A usage report as CSV: its groups if it has some, else its buckets. */
import { type CsvColumns, csvHead, csvLine } from '../../api/http/csv.ts';
import type { UsageReport } from './schema.ts';

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

const toCsv = <Row>(columns: CsvColumns<Row>, rows: readonly Row[]): string =>
  csvHead(columns) + rows.map((row) => csvLine(columns, row)).join('');
