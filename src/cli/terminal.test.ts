/** Tables of the command: what shrinks where the terminal is narrow, and what never does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { table } from './terminal.ts';

const id = (prefix: string): string => `${prefix}_01m85beffjd6stm4hpjwrtwe8z`;
const narrow = { color: false, width: 60 };

test('texts shrink to the width of the terminal, the widest first', () => {
  const shown = table(narrow, ['site', 'note'], [['www.example.com', 'n'.repeat(80)]]);
  assert.deepEqual(shown.split('\n').slice(0, 2), [`site             note`, `www.example.com  ${'n'.repeat(42)}…`]);
});

test('a painted cell is painted whole, also where it is cut, and takes no more room', () => {
  const rows = [['a', { text: 'n'.repeat(80), style: 'red' as const }, 5]];
  const [plainHead, plainRow] = table(narrow, ['id', 'state', 'n'], rows).split('\n');
  const [, shown = ''] = table({ ...narrow, color: true }, ['id', 'state', 'n'], rows).split('\n');
  const colors = new RegExp(`${String.fromCodePoint(27)}\\[\\d+m`, 'g');
  assert.equal(shown.replaceAll(colors, ''), plainRow);
  assert.equal(shown.match(colors)?.length, 2);
  assert.equal(plainRow?.length, narrow.width);
  assert.equal(plainHead, `id  state${' '.repeat(50)}n`);
});

test('without a terminal nothing is cut', () => {
  const row = ['a'.repeat(300), 'b'.repeat(300)];
  assert.equal(table({ color: false, width: Infinity }, ['a', 'b'], [row]).split('\n')[1], row.join('  '));
});

test('the id of a record is never cut: the next command needs it whole', () => {
  const rows = [[id('stm'), 'a partner with a long name, and more', id('lic')]];
  const [, shown = ''] = table(narrow, ['id', 'requester', 'license'], rows).split('\n');
  assert.match(shown, new RegExp(`^${id('stm')}  a partner wi…  lic_\\w+…$`));
  assert.equal(shown.length, narrow.width);
});
