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

test('the id of a record is never cut: the next command needs it whole', () => {
  const rows = [[id('stm'), 'a partner with a long name, and more', id('lic')]];
  const [, shown = ''] = table(narrow, ['id', 'requester', 'license'], rows).split('\n');
  assert.match(shown, new RegExp(`^${id('stm')}  a partner wi…  lic_\\w+…$`));
  assert.equal(shown.length, narrow.width);
});
