/** The forms of addresses that proxies forward, and texts that must not pass for one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { findOrigin, forwardedBy, type Origin, readForwarded } from './forwarded.ts';
import { parseRange, type Range } from './ip-range.ts';

const TRUSTED = ['10.0.0.0/8', 'fd00::/8'].map((text) => parseRange(text) as Range);
const origin = (headers: Record<string, string | string[]>): Origin => findOrigin(forwardedBy(headers), TRUSTED);
const at = (address: string): Origin => ({ address });

const V4 = '203.0.113.9';
const V6 = '2001:db8::9';
const FORMS: [string, string][] = [
  ...[V4, `${V4}:50123`, `${V4}:0`, `"${V4}:50123"`, `"${V4}"`, `::ffff:${V4}`, `[::ffff:${V4}]:443`].map(
    (text): [string, string] => [text, V4],
  ),
  [`::ffff:${V4}:443`, V4],
  ['::ffff:cb00:7109', V4],
  ...[V6, `[${V6}]`, `[${V6}]:443`, `"[${V6}]:443"`, `"[${V6}]"`, `"${V6}"`].map((text): [string, string] => [
    text,
    V6,
  ]),
  ['fe80::9%eth0', 'fe80::9'],
  ['[fe80::9%eth0]:443', 'fe80::9'],
  ['[fe80::9%25en1]', 'fe80::9'],
  [`for=${V4}`, V4],
  [`For="${V4}:50123"`, V4],
  [`for="[${V6}]:443"`, V6],
  [`for=[${V6}]`, V6],
  [`for="[${V6}]:_http"`, V6],
  [`proto=https;for=${V4};by=10.0.0.1`, V4],
  [`for = ${V4} ; host="a.example"`, V4],
  [`for="203.0.113\\.9"`, V4],
];

test('every form of an address, with spaces around it', () => {
  for (const [text, address] of FORMS) {
    assert.equal(readForwarded(text), address, text);
    assert.deepEqual(origin({ 'x-forwarded-for': ` ${text}  ` }), at(address), text);
    if (/for/i.test(text)) assert.deepEqual(origin({ forwarded: text }), at(address), text);
  }
});

const UNREADABLE = [
  'unknown',
  '_hidden',
  '-',
  'localhost',
  'unix:',
  `${V4}:`,
  `${V4}:x`,
  `${V4}:123456`,
  `${V4}/32`,
  `${V4} 10.0.0.1`,
  `[${V4}]`,
  `[${V6}`,
  `${V6}]:443`,
  `[${V6}]443`,
  `[${V6}]:443:1`,
  `"${V4}`,
  `${V4}"`,
  `""${V4}""`,
  '010.0.0.1',
  '0xcb.0.113.9',
  '3405803785',
  '203.0.113',
  `for=`,
  'for="unknown"',
  'for=_hidden',
  'proto=https;by=10.0.0.1',
  `for=${V4};for=192.0.2.1`,
  `for=${V4};for`,
  `for=${V4};x="`,
  `xfor=${V4}`,
  `for=${V4} by=10.0.0.1`,
  `for==${V4}`,
  '%',
  '[]',
  '[]:443',
  '٢٠٣.0.113.9',
];

test('what is no address is none, and nothing before it counts', () => {
  for (const text of UNREADABLE) {
    assert.equal(readForwarded(text), undefined, text);
    assert.deepEqual(origin({ 'x-forwarded-for': `192.0.2.1, ${text}` }), { unreadable: text.trim() }, text);
  }
  for (const empty of ['192.0.2.1,', '192.0.2.1, ', ',', ', ,']) {
    assert.deepEqual(origin({ 'x-forwarded-for': empty }), { unreadable: '' }, empty);
  }
});

test('silence: no header, an empty one, and elements that tell no address', () => {
  for (const headers of [
    {},
    { 'x-forwarded-for': '' },
    { 'x-forwarded-for': ' ' },
    { forwarded: 'proto=https;host=a' },
  ])
    assert.equal(origin(headers as Record<string, string>), undefined);
});

test('the walk: from the right, past trusted proxies in any form, over several headers', () => {
  const chains: [string | string[], Origin][] = [
    [`${V4}, 10.0.0.1`, at(V4)],
    [`${V4}:50123, 10.0.0.1:80, "[fd00::1]:443"`, at(V4)],
    [`192.0.2.1, ${V4}:1, 10.0.0.1`, at(V4)],
    [`192.0.2.1, unknown, 10.0.0.1`, { unreadable: 'unknown' }],
    [[`192.0.2.1`, `${V4}:50123`], at(V4)],
    ['10.0.0.2, 10.0.0.1:80', at('10.0.0.2')],
  ];
  for (const [forwarded, expected] of chains) {
    assert.deepEqual(origin({ 'x-forwarded-for': forwarded }), expected);
    const elements = [forwarded]
      .flat()
      .map((line) => line.split(',').map((one) => (one.includes('"') ? `for=${one.trim()}` : `for="${one.trim()}"`)));
    const standard = elements.map((line) => line.join(', '));
    assert.deepEqual(
      origin({ forwarded: standard }),
      'unreadable' in (expected as object) ? { unreadable: 'for="unknown"' } : expected,
    );
  }
});

test('X-Forwarded-For counts before Forwarded, which visitors may send', () => {
  assert.deepEqual(origin({ 'x-forwarded-for': V4, forwarded: 'for=192.0.2.1' }), at(V4));
  assert.deepEqual(origin({ 'x-forwarded-for': 'unknown', forwarded: 'for=192.0.2.1' }), { unreadable: 'unknown' });
});

test('nothing that a visitor sends changes how the entry of the last proxy is read', () => {
  const said = fc.array(fc.constantFrom('"', '\\', ',', ';', 'for=', '192.0.2.1', ' ', 'x', '=', '[', ']', '%'), {
    maxLength: 8,
  });
  fc.assert(
    fc.property(said, fc.constantFrom(...FORMS), (parts, [text, address]) => {
      const before = parts.join('');
      assert.deepEqual(origin({ 'x-forwarded-for': `${before}, ${text}` }), at(address), before);
      const element = /for/i.test(text) ? text : `for="${text.replaceAll('"', '')}"`;
      assert.deepEqual(origin({ forwarded: `${before}, ${element}` }), at(address), before);
    }),
    { numRuns: 3_000 },
  );
});

test('an entry of any length is cut, and costs little', () => {
  const long = `${'1.'.repeat(100_000)}1`;
  const started = performance.now();
  assert.deepEqual(origin({ 'x-forwarded-for': long }), { unreadable: long.slice(0, 64) });
  assert.ok(performance.now() - started < 500);
});
