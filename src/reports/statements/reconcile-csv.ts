/** Reads the counts of a partner from CSV: names in any order and spelling, and each fault with its line. */
import { CsvFault, type CsvRecord, columnKey, csvRecords, fitted } from '../../lib/csv.ts';
import type { Problem } from '../../lib/refined.ts';
import { nearest } from '../../lib/text.ts';

/** The counts of a day, an item or URL and a purpose; null where the file has no such column. */
export interface TheirCount {
  date: string | null;
  contentId: string | null;
  url: string | null;
  /** Empty: without a purpose. */
  purpose: string | null;
  count: number;
}

const NAMES = ['date', 'contentId', 'url', 'purpose', 'count'] as const;
export type ColumnName = (typeof NAMES)[number];

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

const PROBLEMS_MAX = 20;
const RECORD_MAX = 64 << 10;
/** No table has so many columns. */
const CELLS_MAX = 100;
const COUNT_MAX = 1_000_000_000_000;

/** A fault of the file; nothing can be compared. */
export class UnreadableCsv extends Error {
  readonly problems: [Problem, ...Problem[]];
  constructor(problems: [Problem, ...Problem[]]) {
    super(problems[0].message);
    this.problems = problems;
  }
}

const fault = (line: number, message: string): Problem => ({
  param: `line ${line}`,
  message: `Line ${line}: ${message}.`,
});

/** Reads the rows, and returns the columns. A long file leaves turns for others. Throws Unreadable. */
export async function readCounts(
  text: string,
  isDay: (text: string) => boolean,
  take: (row: TheirCount) => void,
): Promise<ColumnName[]> {
  const problems: Problem[] = [];
  let columns: ColumnName[] | undefined;
  for await (const { cells, line } of rows(text)) {
    if (columns === undefined) {
      columns = readColumns(fitted(cells, 0), line);
      continue;
    }
    const row = toCount(columns, fitted(cells, columns.length), isDay);
    if (typeof row === 'string') problems.push(fault(line, row));
    else if (problems.length === 0) take(row);
    if (problems.length === PROBLEMS_MAX) break;
  }
  const [first, ...rest] = problems;
  if (first !== undefined) throw new UnreadableCsv([first, ...rest]);
  if (columns === undefined) throw new UnreadableCsv([fault(1, 'the file is empty; begin with a row of column names')]);
  return columns;
}

async function* rows(text: string): AsyncGenerator<CsvRecord> {
  try {
    const options = { cellsMax: CELLS_MAX, recordMax: RECORD_MAX, strict: true };
    for await (const records of csvRecords(chunksOf(text), options)) yield* records;
  } catch (error) {
    throw error instanceof CsvFault ? new UnreadableCsv([fault(error.line, FAULTS[error.kind])]) : error;
  }
}

async function* chunksOf(text: string): AsyncGenerator<string> {
  yield text;
}

const FAULTS: Record<CsvFault['kind'], string> = {
  unclosed: 'a quotation mark is not closed',
  quote: 'a quotation mark within a cell must be doubled',
  large: `the row is too long, or has more than ${CELLS_MAX} cells; a quotation mark may not be closed`,
};

function readColumns(cells: readonly string[], line: number): ColumnName[] {
  const columns = cells.map((cell) => {
    const name = SPELLINGS.get(columnKey(cell));
    if (name !== undefined) return name;
    const near = nearest(cell, NAMES);
    const hint = near === undefined ? `known are ${NAMES.join(', ')}` : `did you mean ${near}?`;
    throw new UnreadableCsv([fault(line, `"${cell.slice(0, 100)}" is no column; ${hint}`)]);
  });
  const twice = columns.find((name, i) => columns.indexOf(name) !== i);
  if (twice !== undefined) throw new UnreadableCsv([fault(line, `two columns are ${twice}`)]);
  if (!columns.includes('count')) throw new UnreadableCsv([fault(line, 'the column count is missing')]);
  if (columns.length === 1)
    throw new UnreadableCsv([fault(line, 'a column date, contentId, url or purpose is missing')]);
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
