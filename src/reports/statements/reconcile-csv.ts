/** Reads the counts of a partner from CSV: names in any order and spelling, and each fault with its line. */
import { type CsvRecord, fitted } from '../../lib/csv.ts';
import { lineFault, PROBLEMS_MAX, readHeading, tableRecords, UnreadableCsv } from '../../lib/csv-table.ts';
import type { Problem } from '../../lib/refined.ts';

/** The counts of a day, an item or URL and a purpose; null where the file has no such column. */
export interface TheirCount {
  date: string | null;
  contentId: string | null;
  url: string | null;
  /** Empty: without a purpose. */
  purpose: string | null;
  count: number;
}

export type ColumnName = 'date' | 'contentId' | 'url' | 'purpose' | 'count';

/** Spellings of the names, as `columnKey` has them. */
const SPELLINGS = new Map<string, ColumnName>(
  Object.entries({
    date: 'date',
    day: 'date',
    contentid: 'contentId',
    externalid: 'contentId',
    content: 'contentId',
    url: 'url',
    uri: 'url',
    purpose: 'purpose',
    count: 'count',
    requests: 'count',
    units: 'count',
    decisions: 'count',
  }),
);

const COUNT_MAX = 1_000_000_000_000;

/** Reads the rows, and returns the columns. A long file leaves turns for others. Throws UnreadableCsv. */
export async function readCounts(
  text: string,
  isDay: (text: string) => boolean,
  take: (row: TheirCount) => void,
): Promise<ColumnName[]> {
  const problems: Problem[] = [];
  let columns: ColumnName[] | undefined;
  for await (const { cells, line } of tableRecords(text)) {
    if (columns === undefined) {
      columns = readColumns({ cells: [...fitted(cells, 0)], line });
      continue;
    }
    const row = toCount(columns, fitted(cells, columns.length), isDay);
    if (typeof row === 'string') problems.push(lineFault(line, row));
    else if (problems.length === 0) take(row);
    if (problems.length === PROBLEMS_MAX) break;
  }
  const [first, ...rest] = problems;
  if (first !== undefined) throw new UnreadableCsv([first, ...rest]);
  if (columns === undefined)
    throw new UnreadableCsv([lineFault(1, 'the file is empty; begin with a row of column names')]);
  return columns;
}

function readColumns(heading: CsvRecord): ColumnName[] {
  const columns = readHeading(heading, SPELLINGS);
  const { line } = heading;
  if (!columns.includes('count')) throw new UnreadableCsv([lineFault(line, 'the column count is missing')]);
  if (columns.length === 1)
    throw new UnreadableCsv([lineFault(line, 'a column date, contentId, url or purpose is missing')]);
  return columns;
}

/** Returns a row or its fault. */
function toCount(
  columns: readonly ColumnName[],
  cells: readonly string[],
  isDay: (text: string) => boolean,
): TheirCount | string {
  if (cells.length !== columns.length) return `${cells.length} cells in a table of ${columns.length} columns`;
  const cell = (name: ColumnName): string | null => {
    const at = columns.indexOf(name);
    return at === -1 ? null : (cells[at] as string).trim();
  };
  const [date, count] = [cell('date'), cell('count') as string];
  if (date !== null && !isDay(date)) return `\`date\` must be a day such as 2026-10-05, not ${quoted(date)}`;
  if (!isCount(count)) return `\`count\` must be a whole number, not ${quoted(count)}`;
  const place = readPlace(cell('contentId'), cell('url'));
  if (place === undefined) return 'a `contentId` or a `url` is missing';
  return { date, ...place, purpose: cell('purpose'), count: Number(count) };
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 40));
const isCount = (text: string): boolean => /^\d{1,13}$/.test(text) && Number(text) <= COUNT_MAX;

/** Returns undefined if there are such columns, and all are empty. */
function readPlace(contentId: string | null, url: string | null): Pick<TheirCount, 'contentId' | 'url'> | undefined {
  if (contentId !== null && contentId !== '') return { contentId, url: null };
  if (url !== null && url !== '') return { contentId: null, url };
  return contentId === null && url === null ? { contentId, url } : undefined;
}
