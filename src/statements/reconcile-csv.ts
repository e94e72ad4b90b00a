/** Reads the counts of a partner from CSV, pure: names in any order and spelling, and each fault with its line. */
import type { Problem } from '../lib/refined.ts';
import { nearest } from '../lib/text.ts';

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

/** Spellings of the names, without case, spaces, dashes and underscores. */
const SPELLINGS: Record<string, ColumnName> = {
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
};

const PROBLEMS_MAX = 20;
const LINE_MAX = 10_000;
/** No table has so many columns. */
const CELLS_MAX = 100;
const COUNT_MAX = 1_000_000_000_000;

/** A fault of the file; nothing can be compared. */
export class Unreadable extends Error {
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

/** Reads the rows after `columns`. Yields undefined now and then: a long file leaves turns for others. */
export function* readCounts(
  text: string,
  isDay: (text: string) => boolean,
): Generator<TheirCount | undefined, ColumnName[]> {
  const problems: Problem[] = [];
  let columns: ColumnName[] | undefined;
  for (const { cells, line } of records(text.replace(/^\u{feff}/u, ''))) {
    if (cells.length === 1 && cells[0]?.trim() === '') {
      yield;
      continue;
    }
    if (columns === undefined) {
      columns = columnsOf(cells, line);
      continue;
    }
    const row = toCount(columns, cells, isDay);
    if (typeof row === 'string') problems.push(fault(line, row));
    else yield problems.length === 0 ? row : undefined;
    if (problems.length === PROBLEMS_MAX) break;
  }
  const [first, ...rest] = problems;
  if (first !== undefined) throw new Unreadable([first, ...rest]);
  if (columns === undefined) throw new Unreadable([fault(1, 'the file is empty; begin with a row of column names')]);
  return columns;
}

function columnsOf(cells: readonly string[], line: number): ColumnName[] {
  const columns = cells.map((cell) => {
    const name = SPELLINGS[cell.toLowerCase().replaceAll(/[\s_-]/g, '')];
    if (name !== undefined) return name;
    const near = nearest(cell, NAMES);
    const hint = near === undefined ? `known are ${NAMES.join(', ')}` : `did you mean ${near}?`;
    throw new Unreadable([fault(line, `"${cell.slice(0, 100)}" is no column; ${hint}`)]);
  });
  const twice = columns.find((name, i) => columns.indexOf(name) !== i);
  if (twice !== undefined) throw new Unreadable([fault(line, `two columns are ${twice}`)]);
  if (!columns.includes('count')) throw new Unreadable([fault(line, 'the column count is missing')]);
  if (columns.length === 1) throw new Unreadable([fault(line, 'a column date, contentId, url or purpose is missing')]);
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
  const place = placeOf(cell('contentId'), cell('url'));
  if (place === undefined) return 'a `contentId` or a `url` is missing';
  return { date, ...place, purpose: cell('purpose'), count: Number(count) };
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 40));
const isCount = (text: string): boolean => /^\d{1,13}$/.test(text) && Number(text) <= COUNT_MAX;

/** Returns undefined if there are such columns, and all are empty. */
function placeOf(contentId: string | null, url: string | null): Pick<TheirCount, 'contentId' | 'url'> | undefined {
  if (contentId !== null && contentId !== '') return { contentId, url: null };
  if (url !== null && url !== '') return { contentId: null, url };
  return contentId === null && url === null ? { contentId, url } : undefined;
}

interface CsvRecord {
  cells: string[];
  /** The line on which it begins, from 1. */
  line: number;
}

/** Splits CSV by RFC 4180. The first line says whether commas, semicolons or tabs separate cells. */
function* records(text: string): Generator<CsvRecord> {
  const head = text.slice(0, Math.max(0, text.search(/[\r\n]|$/)));
  const separator = [';', '\t'].find((one) => head.includes(one) && !head.includes(',')) ?? ',';
  let line = 1;
  let at = 0;
  while (at < text.length) {
    const begins = line;
    const cells: string[] = [];
    for (;;) {
      const { cell, next, lines } = cellAt(text, { at, separator, line });
      cells.push(cell);
      if (cells.length > CELLS_MAX) throw new Unreadable([fault(begins, `more than ${CELLS_MAX} cells`)]);
      line += lines;
      at = next;
      if (text[at] !== separator) break;
      at += 1;
    }
    if (text[at] === '\r') at += 1;
    if (text[at] === '\n') at += 1;
    line += 1;
    yield { cells, line: begins };
  }
}

interface Cell {
  cell: string;
  next: number;
  /** Line feeds within it. */
  lines: number;
}

interface Start {
  at: number;
  separator: string;
  line: number;
}

const endsCell = (char: string | undefined, separator: string): boolean =>
  char === undefined || char === separator || char === '\n' || char === '\r';

function cellAt(text: string, start: Start): Cell {
  const { at, separator, line } = start;
  if (text[at] === '"') return quotedAt(text, start);
  let next = at;
  while (!endsCell(text[next], separator)) next += 1;
  if (next - at > LINE_MAX) throw new Unreadable([fault(line, 'a cell is too long')]);
  return { cell: text.slice(at, next), next, lines: 0 };
}

function quotedAt(text: string, { at, separator, line }: Start): Cell {
  let next = at + 1;
  for (;;) {
    next = text.indexOf('"', next);
    if (next === -1 || next - at > LINE_MAX) throw new Unreadable([fault(line, 'a quotation mark is not closed')]);
    if (text[next + 1] !== '"') break;
    next += 2;
  }
  if (!endsCell(text[next + 1], separator)) {
    throw new Unreadable([fault(line, 'a quotation mark within a cell must be doubled')]);
  }
  const cell = text.slice(at + 1, next).replaceAll('""', '"');
  return { cell, next: next + 1, lines: cell.split('\n').length - 1 };
}
