/** Reads a table of CSV strictly: names in any order and spelling, and each fault with its line. */
import { CsvFault, type CsvRecord, columnKey, csvRecords } from './csv.ts';
import type { Problem } from './refined.ts';
import { nearest } from './text.ts';

/** The most problems of one answer. */
export const PROBLEMS_MAX = 20;
const RECORD_MAX = 64 << 10;
/** No table has so many columns. */
const CELLS_MAX = 100;

/** Faults of the table; nothing of it is used. */
export class UnreadableCsv extends Error {
  readonly problems: [Problem, ...Problem[]];
  constructor(problems: [Problem, ...Problem[]]) {
    super(problems[0].message);
    this.problems = problems;
  }
}

export const lineFault = (line: number, message: string): Problem => ({
  param: `line ${line}`,
  message: `Line ${line}: ${message}.`,
});

/** Yields the records, the heading first. Throws UnreadableCsv. */
export async function* tableRecords(text: string): AsyncGenerator<CsvRecord> {
  try {
    const options = { cellsMax: CELLS_MAX, recordMax: RECORD_MAX, strict: true };
    for await (const records of csvRecords(chunksOf(text), options)) yield* records;
  } catch (error) {
    throw error instanceof CsvFault ? new UnreadableCsv([lineFault(error.line, FAULTS[error.kind])]) : error;
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

/** Reads the heading. `spellings`: the columns by the keys of their names (`columnKey`). Throws UnreadableCsv. */
export function readHeading<Name extends string>(
  { cells, line }: CsvRecord,
  spellings: ReadonlyMap<string, Name>,
): Name[] {
  const names = [...new Set(spellings.values())];
  const columns = cells.map((cell) => {
    const name = spellings.get(columnKey(cell));
    if (name !== undefined) return name;
    const near = nearest(cell, names);
    const hint = near === undefined ? `known are ${names.join(', ')}` : `did you mean ${near}?`;
    throw new UnreadableCsv([lineFault(line, `"${cell.slice(0, 100)}" is no column; ${hint}`)]);
  });
  const twice = columns.find((name, i) => columns.indexOf(name) !== i);
  if (twice !== undefined) throw new UnreadableCsv([lineFault(line, `two columns are ${twice}`)]);
  return columns;
}
