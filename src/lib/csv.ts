/**
 * Reads CSV as spreadsheets and exports write it: separated by commas, semicolons or tabs, with any line ends, a byte
 * order mark, blank rows, and blank cells at the ends of rows. The first row is the heading; it says what separates
 * cells. Memory is bounded, time is linear, and the event loop turns between pieces.
 */
import { finished } from 'node:stream/promises';
import { type CsvError, type Info, Parser } from 'csv-parse';
import { fromCsvCell } from './csv-cell.ts';

export interface CsvRecord {
  /** The texts that `csvCell` was given. */
  cells: string[];
  /** Line on which the record begins, from 1. */
  line: number;
}

export interface CsvOptions {
  cellsMax: number;
  /** Bytes of one record. */
  recordMax: number;
  /** Refuses a quotation mark within a cell that is not doubled; otherwise it stands for itself. */
  strict: boolean;
}

/** A record that cannot be read, and ends the reading. */
export class CsvFault extends Error {
  /** Line on which the record begins. */
  readonly line: number;
  readonly kind: 'unclosed' | 'quote' | 'large';
  constructor(line: number, kind: CsvFault['kind'], cause: unknown) {
    super(`Line ${line}: ${kind}`, { cause });
    this.line = line;
    this.kind = kind;
  }
}

/** Yields the records that are not blank, those of a piece together. Throws CsvFault. */
export async function* csvRecords(chunks: AsyncIterable<string>, options: CsvOptions): AsyncGenerator<CsvRecord[]> {
  let reader: Reader | undefined;
  for await (const piece of pieces(chunks)) {
    reader ??= new Reader(piece.toString(), options);
    yield await reader.read(piece);
    await nextTurn();
  }
  if (reader !== undefined) yield await reader.end();
}

/** A piece is parsed in a millisecond or two. */
const PIECE_BYTES = 16 << 10;
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Cuts the text into pieces without its byte order mark. The first one has the heading, or much of it. */
async function* pieces(chunks: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let head: string | undefined = '';
  for await (const chunk of chunks) {
    if (head === undefined) yield* cut(chunk);
    else if (isHead((head += chunk))) {
      yield* cut(head.replace(/^\ufeff/, ''));
      head = undefined;
    }
  }
  if (head !== undefined) yield* cut(head.replace(/^\ufeff/, ''));
}

const isHead = (text: string): boolean => text.length >= PIECE_BYTES || /\S.*[\r\n][^]/.test(text);

function* cut(text: string): Generator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

/** Spreadsheets write and read this line before the heading. */
const SEPARATOR_LINE = /^"?sep=([,;\t])"?(?:\r\n|\r|\n|$)/i;

/** Returns the separator that is most frequent in the heading, outside of quotes. */
function detectSeparator(head: string): string {
  const line = /\S.*/.exec(head)?.[0].replaceAll(/"(?:[^"]|"")*"/g, '') ?? '';
  const count = (separator: string): number => line.split(separator).length;
  return [',', ';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best));
}

interface Parsed {
  record: string[];
  info: Pick<Info, 'empty_lines'>;
}

class Reader {
  readonly #parser: Parser;
  #parsed: Parsed[] = [];
  /** The line on which the next record begins, but for blank lines. */
  #line = 1;
  #blank = 0;
  /** Bytes before the heading. */
  #skip = 0;

  constructor(head: string, { cellsMax, recordMax, strict }: CsvOptions) {
    const told = SEPARATOR_LINE.exec(head);
    if (told !== null) {
      this.#skip = told[0].length;
      this.#line = 2;
    }
    this.#parser = new Parser({
      delimiter: told?.[1] ?? detectSeparator(head),
      record_delimiter: ['\r\n', '\n', '\r'],
      max_record_size: recordMax,
      relax_column_count: true,
      relax_quotes: !strict,
      skip_empty_lines: true,
      info: true,
      cast: (cell, { index }) => {
        if (index >= cellsMax) throw new TooManyCells();
        return fromCsvCell(cell);
      },
    });
    this.#parser.on('error', () => {});
    this.#parser.on('data', (parsed: Parsed) => this.#parsed.push(parsed));
  }

  async read(piece: Buffer): Promise<CsvRecord[]> {
    const bytes = piece.subarray(this.#skip);
    this.#skip = 0;
    const error = await new Promise<unknown>((resolve) => this.#parser.write(bytes, resolve));
    return this.#take(error);
  }

  async end(): Promise<CsvRecord[]> {
    this.#parser.end();
    return this.#take(await finished(this.#parser).catch((error: unknown) => error));
  }

  #take(error: unknown): CsvRecord[] {
    const parsed = this.#parsed;
    this.#parsed = [];
    const records = parsed.map(({ record, info }) => ({ cells: record, line: this.#lineOf(record, info) }));
    if (error !== undefined && error !== null) throw this.#faultOf(error);
    return records.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  }

  #lineOf(cells: readonly string[], { empty_lines }: Pick<Info, 'empty_lines'>): number {
    const line = this.#line + empty_lines - this.#blank;
    this.#blank = empty_lines;
    this.#line = line + 1 + cells.reduce((sum, cell) => sum + breaksIn(cell), 0);
    return line;
  }

  #faultOf(error: unknown): CsvFault {
    const line = this.#lineOf([], { empty_lines: this.#parser.info.empty_lines });
    if (error instanceof TooManyCells) return new CsvFault(line, 'large', error);
    const kind = KINDS[(error as CsvError).code];
    if (kind === undefined) throw error;
    return new CsvFault(line, kind, error);
  }
}

class TooManyCells extends Error {}

const KINDS: Partial<Record<string, CsvFault['kind']>> = {
  CSV_QUOTE_NOT_CLOSED: 'unclosed',
  CSV_INVALID_CLOSING_QUOTE: 'quote',
  INVALID_OPENING_QUOTE: 'quote',
  CSV_MAX_RECORD_SIZE: 'large',
};

const breaksIn = (cell: string): number => (/[\r\n]/.test(cell) ? cell.split(/\r\n|\r|\n/).length - 1 : 0);

/** A name of a column without case, spaces, dashes and underscores. */
export const columnKey = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]/g, '');

/** Drops blank cells at the end beyond this width, as spreadsheets write them. */
export function fitted(cells: readonly string[], width: number): readonly string[] {
  let end = cells.length;
  while (end > width && cells[end - 1]?.trim() === '') end--;
  return cells.slice(0, end);
}
