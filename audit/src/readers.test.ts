/** The readers of lines: any text and any JSON is read or refused, and none is slow. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { readRanges } from '../../src/requesters/identities/ranges.ts';
import { combinedReader } from './combined.ts';
import { openCounter } from './count.ts';
import { readJsonLine } from './json-line.ts';
import { referrals } from './referrals.ts';
import type { LoggedVisit } from './visit.ts';

function assertVisit(visit: LoggedVisit | undefined): void {
  if (visit === undefined) return;
  assert.equal(typeof visit.address, 'string');
  assert.ok(Number.isFinite(visit.at));
  assert.ok(Number.isInteger(visit.status) && visit.status >= 0 && visit.status <= 999);
  assert.ok(Number.isInteger(visit.bytes) && visit.bytes >= 0);
  for (const text of [visit.host, visit.target, visit.referrer, visit.userAgent]) {
    assert.ok(text === null || (typeof text === 'string' && text !== ''));
  }
}

describe('a target with a host, as a client may send it', () => {
  const agent = '"-" "GPTBot/1.2"';
  for (const [target, host, path] of [
    ['http://www.example.com/a?b', 'www.example.com', '/a?b'],
    ['HTTPS://www.example.com:8443', 'www.example.com:8443', '/'],
    ['http://www.example.com?b', 'www.example.com', '/?b'],
    ['/http://other.example/', null, '/http://other.example/'],
    ['*', null, '*'],
  ] as const) {
    test(target, () => {
      const line = combinedReader()(
        `192.0.2.1 - - [01/Nov/2026:06:12:03 +0000] "GET ${target} HTTP/1.1" 200 1 ${agent}`,
      );
      assert.deepEqual([line?.host, line?.target], [host, path]);
      const request = `GET ${target} HTTP/1.1`;
      const json = readJsonLine(
        JSON.stringify({ remote_addr: '192.0.2.1', time: '2026-11-01T00:00:00Z', status: 200, request }),
      );
      assert.deepEqual([json?.host, json?.target], [host, path]);
    });
  }
});

describe('any line', () => {
  const piece = fc.constantFrom(
    '"',
    '\\',
    '[',
    ']',
    ' ',
    '-',
    '\\x',
    '1.2.3.4',
    '[01/Nov/2026:10:00:00 +0000]',
    'GET / HTTP/1.1',
    '200',
    'a',
    '\u0000',
  );

  test('of text', () => {
    const read = combinedReader();
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 20 }), (pieces) =>
        assertVisit(read(pieces.join(''))),
      ),
      { numRuns: 5_000 },
    );
  });

  test('of JSON', () => {
    const names = [
      'remote_addr',
      'time',
      'date',
      'ts',
      'status',
      'request',
      'uri',
      'args',
      'host',
      'http_user_agent',
      'size',
      'headers',
      'User-Agent',
    ];
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(
          '192.0.2.1',
          '2026-11-01T10:00:00Z',
          'GET /a HTTP/1.1',
          '-',
          '',
          1_793_527_200,
          200,
          null,
          '%20%zz',
        ),
        fc.jsonValue(),
        fc.array(tie('any'), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom(...names), tie('any')),
      ),
    })).any;
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), value), (fields) =>
        assertVisit(readJsonLine(JSON.stringify(fields))),
      ),
      { numRuns: 500 },
    );
  });

  test('of bytes, in chunks of any size', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const counter = openCounter({ seed: 1, ranges: {}, trusted: null }, null);
        const { lines, unreadable } = counter.count(Buffer.from(bytes));
        assert.ok(unreadable <= lines && lines <= bytes.length);
      }),
      { numRuns: 300 },
    );
  });

  test('of hostile repetition, in the time of its length', () => {
    const read = combinedReader();
    const referralOf = referrals();
    const head = '192.0.2.1 - - [01/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5';
    const begun = process.cpuUsage();
    for (const text of ['\\', '\\"', '[', ':1', '.a', ' ', '://', '%20', 'www.', 'a@']) {
      const long = text.repeat(60_000 / text.length);
      for (const line of [long, `${long} ${head}`, `${head} "https://${long}/" "${long}"`, `${head} "-" "${long}"`]) {
        for (let i = 0; i < 10; i++) {
          const visit = read(line);
          referralOf(visit?.referrer ?? null, visit?.target ?? null);
        }
        openCounter({ seed: 1, ranges: {}, trusted: null }, null).count(Buffer.from(line));
      }
    }
    // 440 lines of 60 KB; anything that grows with the square of a line takes minutes.
    assert.ok(process.cpuUsage(begun).user < 20e6);
  });
});

test('lists of addresses in every form, and what is none', () => {
  const lists = [
    '{"creationTime":"…","prefixes":[{"ipv4Prefix":"192.0.2.0/24"},{"ipv6Prefix":"2001:db8::/32"}]}',
    '["192.0.2.0/24","2001:db8::/32"]',
    '192.0.2.0/24,DE,DE-BE,Berlin,\n2001:db8::/32,US,,,\n',
    '\ufeff# mine\r\n192.0.2.0/24\r\n\r\n2001:db8::/32 # more\r\n',
  ];
  for (const list of lists) assert.deepEqual(readRanges(list), ['192.0.2.0/24', '2001:db8::/32'], list);
  const others = [
    '',
    '{}',
    '[]',
    '{"prefixes":[{}]}',
    '{"prefixes":{}}',
    '<html>',
    '192.0.2.1/24',
    '10.0.0.0/8\nno',
    'null',
  ];
  for (const other of others) assert.equal(readRanges(other), undefined, other);
});

test('services that send readers, and hosts that only look like them', () => {
  const referralOf = referrals();
  const cases: [string | null, string | null, string | null][] = [
    ['https://chatgpt.com/', '/', 'OpenAI'],
    ['https://www.google.co.uk/search?q=a', '/', 'Google'],
    ['https://news.google.com/', '/', 'Google'],
    ['https://gemini.google.com/app', '/', 'Google'],
    ['https://WWW.PERPLEXITY.AI', '/', 'Perplexity'],
    ['android-app://com.google.android', '/', null],
    ['https://chatgpt.com.evil.example/', '/', null],
    ['https://notchatgpt.com/', '/', null],
    ['https://google.evil.example/', '/', null],
    [null, '/a?utm_source=chatgpt.com&b=1', 'OpenAI'],
    [null, '/a?utm_source=newsletter', null],
    ['https://www.example.com/', '/a?b=1&utm_source=perplexity.ai', 'Perplexity'],
    [null, null, null],
  ];
  for (const [referrer, target, operator] of cases)
    assert.equal(referralOf(referrer, target), operator, referrer ?? '');
});
