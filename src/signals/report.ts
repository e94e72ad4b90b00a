/** Lists the statements of a site with the rules that they come from. Pure. */
import { cutPage, fromCursor, PAGE_DEFAULT } from '../db/page.ts';
import type { Contradiction } from './formats/read-back.ts';
import type { SignalsReport } from './schema.ts';
import type { Published } from './signals.ts';
import {
  type AudienceGroup,
  crawlAnswer,
  groupAudiences,
  spellPattern,
  type Table,
  type TableAnswer,
  type TableRow,
  useAnswer,
} from './table/table.ts';
import { USES } from './table/words.ts';

/** The number of statements on the pages before. */
const POSITION = /^[1-9]\d{0,6}$/;
const NAMES_MAX = 20;

/** Throws InvalidCursor. */
export function toReport(
  { table, cannotExpress, baseContradicts }: Published,
  contradictions: readonly Contradiction[],
  { limit = PAGE_DEFAULT, cursor }: { limit?: number; cursor?: string },
): SignalsReport {
  const { rows, host } = table;
  const groups = groupAudiences(table, USES);
  const start = cursor === undefined ? 0 : Number(fromCursor(cursor, POSITION));
  const page = cutPage(rows.slice(start, start + limit + 1), limit, rows.length, (last) =>
    String(rows.indexOf(last) + 1),
  );
  const { data, hasMore, totalCount, nextCursor } = page;
  return {
    object: 'signals_report',
    host,
    statements: data.map((row) => toStatement(table, groups, row)),
    hasMore,
    totalCount,
    nextCursor,
    cannotExpress: cannotExpress.map((one) => ({ ...one, about: [...one.about] })),
    contradictions: [...contradictions],
    baseContradicts: [...baseContradicts],
  };
}

const toStatement = (
  table: Table,
  groups: readonly AudienceGroup[],
  row: TableRow,
): SignalsReport['statements'][number] => ({
  pattern: spellPattern(row.pattern),
  free: row.cell.policyId === null,
  collectionId: row.collectionId,
  contentId: row.contentId,
  policyId: row.cell.policyId,
  policyVersion: row.cell.policyVersion,
  observed: row.observed,
  answers: groups.map(({ audience, audiences }) => ({
    crawlers: audiences.slice(0, NAMES_MAX).map((i) => table.audiences[i]?.token ?? ''),
    crawlerCount: audiences.length,
    access: toAnswer(crawlAnswer(row, audience)),
    uses: Object.fromEntries(USES.map((use) => [use, toAnswer(useAnswer(row, use, audience))])),
  })),
});

const toAnswer = ({ allowed, reason, rule, varies }: TableAnswer) => ({ allowed, reason, rule, varies: [...varies] });
