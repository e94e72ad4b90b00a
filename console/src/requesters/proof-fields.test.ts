import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Identity } from '../crawlers/types.ts';
import { changeProofs, findLine, NO_FIELDS, toFields, toIdentity } from './proof-fields.ts';

const dns: Identity = { kind: 'dns', suffixes: ['crawl.example.com', 'bots.example.com'] };
const ranges: Identity = { kind: 'ip', ranges: ['192.0.2.0/24', '2001:db8::/32'] };
const list: Identity = { kind: 'ip', list: 'https://example.com/bots.json' };
const signature: Identity = { kind: 'signature', agent: 'https://bot.example' };
const all = [dns, ranges, list, signature];

test('each kind of proof is the same after it went through the form', () => {
  for (const one of all) assert.deepEqual(toIdentity(toFields(one)), one);
});

test('addresses and host names are taken as they are pasted', () => {
  const pasted = ' 192.0.2.0/24,\n198.51.100.7 ; 192.0.2.0/24\r\n\n';
  assert.deepEqual(toIdentity({ ...NO_FIELDS, ranges: pasted }), {
    kind: 'ip',
    ranges: ['192.0.2.0/24', '198.51.100.7'],
  });
  const names = { ...NO_FIELDS, way: 'dns', dns: 'Crawl.Example.com' } as const;
  assert.deepEqual(toIdentity(names), { kind: 'dns', suffixes: ['crawl.example.com'] });
});

test('a proof is added, replaced and removed in the list as it is stored now', () => {
  assert.deepEqual(changeProofs([dns], { after: list }), [dns, list]);
  assert.deepEqual(changeProofs(all, { before: ranges, after: { kind: 'ip', ranges: ['192.0.2.7'] } }), [
    dns,
    { kind: 'ip', ranges: ['192.0.2.7'] },
    list,
    signature,
  ]);
  assert.deepEqual(changeProofs(all, { before: list }), [dns, ranges, signature]);
  assert.deepEqual(changeProofs(all, { before: list, after: list }), all);
});

test('a proof that is gone, or there twice, is refused', () => {
  assert.throws(() => changeProofs([dns], { before: list }), /in the meantime/);
  assert.throws(() => changeProofs([dns], { before: list, after: signature }), /in the meantime/);
  assert.throws(() => changeProofs(all, { after: list }), /already/);
  assert.throws(() => changeProofs(all, { before: dns, after: list }), /already/);
});

test('the line that was refused is quoted', () => {
  assert.equal(findLine('identities[4].ranges[1]', ranges), '2001:db8::/32');
  assert.equal(findLine('identities[0].suffixes[0]', dns), 'crawl.example.com');
  for (const param of ['identities', 'identities[1].list', undefined]) assert.equal(findLine(param, ranges), undefined);
});
