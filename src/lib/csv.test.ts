/** CSV: any text that is written is read again, and files of spreadsheets are read. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { CsvFault, type CsvOptions, csvRecords, fitted } from './csv.ts';
import { BYTE_ORDER_MARK, csvCell, csvRow, fromCsvCell } from './csv-cell.ts';

const LOOSE: CsvOptions = { cellsMax: 100, recordMax: 1 << 20, strict: false };

async function read(text: string, options: Partial<CsvOptions> = {}, size = text.length): Promise<string[][]> {
  return (await records(text, options, size)).map(({ cells }) => cells);
}

async function records(text: string, options: Partial<CsvOptions> = {}, size = text.length) {
  const letters = [...text];
  const pieces = (async function* () {
    for (let at = 0; at < letters.length; at += size) yield letters.slice(at, at + size).join('');
  })();
  return (await Array.fromAsync(csvRecords(pieces, { ...LOOSE, ...options }))).flat();
}

const HARD = [
  'a',
  '"',
  ',',
  ';',
  '\n',
  '\r',
  '\t',
  ' ',
  '=',
  "'",
  '+',
  '-',
  '@',
  '|',
  '\ufeff',
  'é',
  '😀',
  '＝',
  '1',
  '.',
];
const cell = fc.oneof(fc.string({ unit: fc.constantFrom(...HARD) }), fc.string({ unit: 'binary' }), fc.string());

describe('what is written is read again', () => {
  test('each cell by itself', () => {
    const unquoted = (text: string): string => (text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text);
    fc.assert(
      fc.property(cell, (text) => assert.equal(fromCsvCell(unquoted(csvCell(text))), text)),
      { numRuns: 5_000 },
    );
  });

  test('rows of any cells, however the text is cut into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, cell, cell), { minLength: 1 }),
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        async (rows, size, strict) => {
          // Lone surrogates are no text: UTF-8 cannot hold them.
          const whole = rows.map((row) => row.map((text) => text.toWellFormed()));
          const text = BYTE_ORDER_MARK + csvRow(['a', 'b', 'c']) + whole.map(csvRow).join('');
          const expected = whole.filter((row) => row.some((one) => one.trim() !== ''));
          assert.deepEqual(await read(text, { strict }, size), [['a', 'b', 'c'], ...expected]);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('numbers stay numbers, formulas become texts, and each has a cell of its own', () => {
    for (const [value, written] of [
      [-5, '-5'],
      ['-1.5', '-1.5'],
      ['=launch', "'=launch"],
      ["'=launch", "''=launch"],
      ["''=launch", "'''=launch"],
      ['@x', "'@x"],
      ["'@x", "''@x"],
      ['+1', "'+1"],
      ["'-1", "''-1"],
      ["'quoted'", "'quoted'"],
      ['\tx', '"\'\tx"'],
      ['\r', '"\'\r"'],
      ['＝1', "'＝1"],
      ['a;b', '"a;b"'],
      [null, ''],
    ] as const) {
      assert.equal(csvCell(value), written);
    }
  });
});

describe('what spreadsheets write is read', () => {
  for (const [name, text] of Object.entries({
    'commas and LF': 'a,b\n1,2\n3,4\n',
    'semicolons and CRLF': 'a;b\r\n1;2\r\n3;4\r\n',
    'tabs and CR': 'a\tb\r1\t2\r3\t4',
    'a byte order mark': '\ufeffa,b\n1,2\n3,4',
    'a byte order mark before quotes': '\ufeff"a","b"\n"1","2"\n"3","4"',
    'a line that names the separator': 'sep=;\r\na;b\r\n1;2\r\n3;4',
    'blank lines and rows': '\n\na,b\n\n,\n1,2\n , \n3,4\n,\n',
    'mixed ends of lines': 'a,b\r\n1,2\n3,4\r\n',
  })) {
    test(name, async () => {
      for (const size of [1, 2, text.length]) {
        assert.deepEqual(await read(text, {}, size), [
          ['a', 'b'],
          ['1', '2'],
          ['3', '4'],
        ]);
      }
    });
  }

  test('blank cells at the end are dropped, others are not', () => {
    assert.deepEqual(fitted(['1', '', '', ' '], 2), ['1', '']);
    assert.deepEqual(fitted(['1', '', '3', ' '], 2), ['1', '', '3']);
    assert.deepEqual(fitted(['1'], 2), ['1']);
  });

  test('a separator within quotes of the heading separates nothing', async () => {
    assert.deepEqual(await read('"a;b;c",d\n1;2,3\n'), [
      ['a;b;c', 'd'],
      ['1;2', '3'],
    ]);
  });

  test('one column needs no separator', async () => {
    assert.deepEqual(await read('a\n1\n2'), [['a'], ['1'], ['2']]);
    assert.deepEqual(await read(''), []);
    assert.deepEqual(await read('\ufeff\n\n'), []);
  });

  test('a quote within a cell stands for itself, or is refused', async () => {
    const text = 'a,b\n5" disk,x\n';
    assert.deepEqual(await read(text), [
      ['a', 'b'],
      ['5" disk', 'x'],
    ]);
    await assert.rejects(read(text, { strict: true }), { kind: 'quote', line: 2 });
  });
});

describe('lines', () => {
  test('of records with line breaks, behind blank lines', async () => {
    const text = '\r\na,b\r\n"1\r\n\n\r",2\r\n\r\n,\r\n3,4\n';
    assert.deepEqual(
      (await records(text, {}, 1)).map(({ line }) => line),
      [2, 3, 9],
    );
  });

  test('of faults', async () => {
    for (const [text, kind, line] of [
      ['a\n\n"b\nc\n', 'unclosed', 3],
      ['a,b\n"x\ny",1\n"c"d,1\n', 'quote', 4],
      [`a,b\n1,2\n${'x'.repeat(300)},2\n`, 'large', 3],
      [`a,b\n1,2\n${','.repeat(300)}\n`, 'large', 3],
    ] as const) {
      const promise = read(text, { strict: true, recordMax: 200 });
      await assert.rejects(
        promise,
        (error: unknown) => error instanceof CsvFault && error.line === line && error.kind === kind,
        text,
      );
    }
  });
});
