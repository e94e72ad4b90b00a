/** `postern audit`: every format gives the same report, identities need proof, and hostile logs do no harm. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { fetchRanges } from '../../audit/src/fetch-ranges.ts';
import { loadRanges, toKnownRanges } from '../../audit/src/range-files.ts';
import type { AuditReport } from '../../audit/src/report.ts';
import { logLine } from '../../kit/access-log.ts';
import { commandHere } from '../../kit/command.ts';
import { seeded } from '../../kit/random.ts';
import type { Fetched } from '../../src/lib/outgoing/get.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-audit-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function put(name: string, content: string | Uint8Array): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

const run = (...args: string[]) => commandHere(['audit', ...args], { cwd: folder });

async function audit(...args: string[]): Promise<AuditReport> {
  const { status, stdout, stderr } = await run(...args, '--json');
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as AuditReport;
}

const GPTBOT = 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0';

interface Line {
  ip: string;
  at: string;
  target: string;
  status: number;
  bytes: number;
  referrer: string;
  agent: string;
}
const LINES: Line[] = [
  {
    ip: '192.0.2.1',
    at: '2026-11-01T10:00:00Z',
    target: '/robots.txt',
    status: 200,
    bytes: 100,
    referrer: '-',
    agent: GPTBOT,
  },
  { ip: '192.0.2.1', at: '2026-11-01T10:00:01Z', target: '/a', status: 200, bytes: 1000, referrer: '-', agent: GPTBOT },
  { ip: '192.0.2.2', at: '2026-11-01T10:00:02Z', target: '/a', status: 304, bytes: 0, referrer: '-', agent: GPTBOT },
  {
    ip: '198.51.100.9',
    at: '2026-11-02T00:00:00Z',
    target: '/a?b=1',
    status: 404,
    bytes: 10,
    referrer: '-',
    agent: GPTBOT,
  },
  {
    ip: '203.0.113.7',
    at: '2026-11-02T01:00:00Z',
    target: '/a',
    status: 200,
    bytes: 1000,
    referrer: 'https://chatgpt.com/',
    agent: FIREFOX,
  },
  {
    ip: '203.0.113.8',
    at: '2026-11-02T02:00:00Z',
    target: '/a?utm_source=chatgpt.com',
    status: 503,
    bytes: 5,
    referrer: '-',
    agent: FIREFOX,
  },
];

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** In a zone that changes the day of the text. */
function clf(at: string): string {
  const local = new Date(Date.parse(at) - 5 * 3_600_000).toISOString();
  return `${local.slice(8, 10)}/${MONTHS[Number(local.slice(5, 7)) - 1]}/${local.slice(0, 4)}:${local.slice(11, 19)} -0500`;
}
const combined = (one: Line): string =>
  `${one.ip} - - [${clf(one.at)}] "GET ${one.target} HTTP/1.1" ${one.status} ${one.bytes} "${one.referrer}" "${one.agent}"`;
const path = (one: Line): string => one.target.split('?')[0] ?? '';
const query = (one: Line): string => one.target.split('?')[1] ?? '-';
const ms = (one: Line): number => Date.parse(one.at);
const encoded = (text: string): string => (text === '-' ? '-' : encodeURIComponent(text));

const FORMATS: Record<string, (one: Line) => string> = {
  combined,
  'combined of a virtual host with a user': (one) => combined(one).replace(' - - ', ' - a[b] c '),
  'combined with more fields': (one) => `${combined(one)} "203.0.113.1" 0.003 upstream=127.0.0.1:80`,
  'nginx JSON, ISO': (one) =>
    JSON.stringify({
      time_iso8601: one.at.replace('Z', '+00:00'),
      remote_addr: one.ip,
      request: `GET ${one.target} HTTP/2.0`,
      status: String(one.status),
      body_bytes_sent: String(one.bytes),
      http_referer: one.referrer,
      http_user_agent: one.agent,
    }),
  'nginx JSON, msec': (one) =>
    JSON.stringify({
      msec: (ms(one) / 1000).toFixed(3),
      remote_addr: one.ip,
      request_method: 'GET',
      request_uri: one.target,
      status: one.status,
      bytes_sent: one.bytes,
      http_referer: one.referrer === '-' ? '' : one.referrer,
      http_user_agent: one.agent,
    }),
  'nginx JSON, CLF': (one) =>
    JSON.stringify({
      time_local: clf(one.at),
      remote_addr: one.ip,
      uri: path(one),
      args: query(one),
      status: one.status,
      bytes: one.bytes,
      http_referer: one.referrer,
      http_user_agent: one.agent,
    }),
  ...Object.fromEntries(
    (
      [
        ['s', (at) => at / 1e3],
        ['ms', (at) => at],
        ['µs', (at) => at * 1e3],
        ['ns', (at) => at * 1e6],
        ['ISO', (at) => new Date(at).toISOString()],
      ] as [string, (at: number) => number | string][]
    ).map(([unit, toTime]) => [
      `Cloudflare Logpush, ${unit}`,
      (one: Line) =>
        JSON.stringify({
          ClientIP: one.ip,
          ClientRequestMethod: 'GET',
          ClientRequestURI: one.target,
          EdgeResponseStatus: one.status,
          EdgeResponseBytes: one.bytes,
          ClientRequestReferer: one.referrer,
          ClientRequestUserAgent: one.agent,
          EdgeStartTimestamp: toTime(ms(one)),
        }),
    ]),
  ),
  CloudFront: (one) =>
    JSON.stringify({
      date: one.at.slice(0, 10),
      time: one.at.slice(11, 19),
      'c-ip': one.ip,
      'cs-method': 'GET',
      'cs-uri-stem': path(one),
      'cs-uri-query': query(one),
      'sc-status': String(one.status),
      'sc-bytes': String(one.bytes),
      'cs(Referer)': one.referrer,
      'cs(User-Agent)': encoded(one.agent),
    }),
  Caddy: (one) =>
    JSON.stringify({
      level: 'info',
      ts: ms(one) / 1000,
      request: {
        remote_ip: one.ip,
        client_ip: one.ip,
        method: 'GET',
        uri: one.target,
        headers: { 'User-Agent': [one.agent], Referer: one.referrer === '-' ? undefined : [one.referrer] },
      },
      size: one.bytes,
      status: one.status,
    }),
};

describe('formats', () => {
  for (const [name, format] of Object.entries(FORMATS)) {
    test(name, async () => {
      const report = await audit(put('format.log', `${LINES.map(format).join('\n')}\n`));
      assert.deepEqual(report.unreadable, { count: 0, first: [] });
      assert.equal(report.lines, 6);
      assert.equal(report.from, '2026-11-01T10:00:00.000Z');
      assert.equal(report.to, '2026-11-02T02:00:00.000Z');
      assert.deepEqual([report.requests, report.bytes], [6, 2115]);
      const [gptbot, ...rest] = report.crawlers;
      assert.deepEqual(rest, []);
      assert.deepEqual(gptbot, {
        name: 'GPTBot',
        operator: 'OpenAI',
        purpose: 'training',
        outcome: 'unknown',
        requests: 4,
        bytes: 1110,
        statuses: { '2xx': 2, '3xx': 1, '4xx': 1, '5xx': 0, other: 0 },
        firstSeen: '2026-11-01T10:00:00.000Z',
        lastSeen: '2026-11-02T00:00:00.000Z',
        policy: null,
        urls: 3,
        urlsAtLeast: false,
        robotsTxt: 1,
        topPaths: [
          { path: '/a', requests: 3 },
          { path: '/robots.txt', requests: 1 },
        ],
      });
      assert.equal(report.others?.requests, 2);
      assert.deepEqual(report.others.statuses, { '2xx': 1, '3xx': 0, '4xx': 0, '5xx': 1, other: 0 });
      assert.deepEqual(report.operators, [{ operator: 'OpenAI', crawls: 4, referrals: 2, ratio: 2 }]);
      assert.deepEqual(report.days, [
        { date: '2026-11-01', requests: { training: 3 } },
        { date: '2026-11-02', requests: { training: 1, none: 2 } },
      ]);
    });
  }

  test('common, virtual hosts, escapes, other ends of lines, and a last line without one', async () => {
    const lines = [
      `192.0.2.1 - - [01/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 -`,
      `www.example.com:443 192.0.2.1 - - [01/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "${GPTBOT}"`,
      `192.0.2.1 - - [01/Nov/2026:10:00:00 +0000] "\\x16\\x03\\x01" 400 5 "-" "a \\"quoted\\" agent \\\\"`,
      `192.0.2.1 - - [01/Nov/2026:10:00:00 +0000] "GET /stra\\xC3\\x9Fe HTTP/1.1" 200 5 "-" "GPTBot"`,
      '',
      `2001:db8::1 - - [01/Nov/2026:10:00:00 +0000] "GET /straße HTTP/1.1" 200 5 "-" "GPTBot"`,
    ];
    const report = await audit(put('mixed.log', lines.join('\r\n')));
    assert.deepEqual(report.unreadable.first, []);
    assert.equal(report.lines, 6);
    assert.equal(report.requests, 5);
    assert.deepEqual(report.crawlers[0]?.topPaths, [
      { path: '/straße', requests: 2 },
      { path: 'www.example.com/a', requests: 1 },
    ]);
    assert.equal(report.others?.requests, 2);
  });

  test('gzip, several files, and standard input give what one file gives', async () => {
    const random = seeded(3);
    const lines = Array.from(
      { length: 20_000 },
      (_, i) => `${logLine(random, Date.UTC(2026, 10, 1) + i * 1000, 9_000)}\n`,
    );
    const whole = await audit(put('whole.log', lines.join('')), '--threads', '1');
    assert.equal(whole.requests, 20_000);
    const half = lines.slice(0, 9_999).join('');
    const rest = lines.slice(9_999).join('');
    // Members one after the other, as rotation scripts append them.
    const members = Buffer.concat([gzipSync(rest.slice(0, 1000)), gzipSync(rest.slice(1000))]);
    const split = await audit(put('half.log', half), put('rest.log.gz', members), '--threads', '3');
    const paths = (report: AuditReport) => report.crawlers.map(({ name, topPaths }) => [name, topPaths[0]]);
    const comparable = ({ files, crawlers, ...report }: AuditReport) => ({
      ...report,
      crawlers: crawlers.map((one) => ({ ...one, topPaths: one.topPaths.map(({ requests }) => requests) })),
    });
    assert.deepEqual(comparable(split), comparable(whole));
    assert.deepEqual(paths(split), paths(whole));
    const piped = spawnSync(process.execPath, ['bin/postern.js', 'audit', '-', '--json'], { input: lines.join('') });
    assert.equal(piped.status, 0, piped.stderr.toString());
    assert.deepEqual(comparable(JSON.parse(piped.stdout.toString()) as AuditReport), comparable(whole));
    // Counted by hand: every line of the log names at most one crawler.
    const names = lines.filter((line) => line.includes('GPTBot/1.2'));
    const urls = new Set(names.map((line) => line.split('"')[1]));
    const gptbot = whole.crawlers.find(({ name }) => name === 'GPTBot');
    assert.deepEqual([gptbot?.requests, gptbot?.urls], [names.length, urls.size]);
  });
});

describe('the visitor among forwarded addresses', () => {
  const REAL = '192.0.2.1';
  const OTHER = '203.0.113.50';
  const list = (): string =>
    put('gptbot.json', '{"prefixes": [{"ipv4Prefix": "192.0.2.0/24"}, {"ipv6Prefix": "2001:db8::/32"}]}');
  const asCombined = (field: string): string => combined({ ...(LINES[1] as Line), ip: field });
  const asJson = (fields: object): string =>
    JSON.stringify({
      time_iso8601: '2026-11-01T10:00:00Z',
      request: 'GET /a HTTP/1.1',
      status: 200,
      http_user_agent: GPTBOT,
      ...fields,
    });
  const outcomeOf = async (line: string, ...args: string[]) => {
    const report = await audit(put('chain.log', `${line}\n`), '--ranges', list(), ...args);
    assert.deepEqual(report.unreadable.first, [], line);
    return { outcome: report.crawlers[0]?.outcome, notes: report.notes.join(' ') };
  };
  const TRUSTED = ['--trusted-proxies', '203.0.113.0/24, 10.0.0.0/8'];

  for (const [field, outcome] of [
    [`${REAL}, 10.0.0.5`, 'verified'],
    [`${REAL},10.0.0.5`, 'verified'],
    [`${REAL}, ${OTHER}, 10.0.0.5`, 'verified'],
    [`198.51.100.9, ${REAL}, ${OTHER}`, 'verified'],
    [`${REAL}, 198.51.100.9, ${OTHER}`, 'forged'],
    [`198.51.100.9, ${OTHER}`, 'forged'],
    ['198.51.100.9', 'forged'],
    [`${REAL}:50123, ${OTHER}:443`, 'verified'],
    ['[2001:db8::9]:443, 10.0.0.5', 'verified'],
    ['[2001:db8::9], [::ffff:10.0.0.5]:80', 'verified'],
    ['2001:db8::9, 10.0.0.5', 'verified'],
    [`"${REAL}, 10.0.0.5"`, 'verified'],
    [`unknown, ${OTHER}`, 'unknown'],
    [`${REAL}, unknown, 10.0.0.5`, 'unknown'],
    ['-', 'unknown'],
    ['unknown', 'unknown'],
    [`www.example.com:443 ${REAL}, 10.0.0.5`, 'verified'],
    [`10.0.0.5 ${REAL}, ${OTHER}`, 'verified'],
  ] as const) {
    test(`${field}: ${outcome}`, async () => {
      assert.equal((await outcomeOf(asCombined(field), ...TRUSTED)).outcome, outcome);
      assert.equal((await outcomeOf(asCombined(field).replace(' - - ', ' - alice '), ...TRUSTED)).outcome, outcome);
    });
  }

  test('lines of JSON', async () => {
    for (const fields of [
      { remote_addr: `${REAL}, 10.0.0.5` },
      { remote_addr: '10.0.0.5', http_x_forwarded_for: REAL },
      { remote_addr: OTHER, http_x_forwarded_for: `198.51.100.9, ${REAL}:1234` },
      { http_x_forwarded_for: `${REAL}, 10.0.0.5` },
      { ClientIP: `[2001:db8::1]:443`, http_x_forwarded_for: '' },
      { 'c-ip': '10.0.0.5', 'x-forwarded-for': `${REAL},%20${OTHER}` },
      { 'c-ip': '10.0.0.5', 'x-forwarded-for': `${REAL}%2C%20${OTHER}` },
      { request: { remote_ip: '10.0.0.5', uri: '/a', headers: { 'User-Agent': [GPTBOT], 'X-Forwarded-For': [REAL] } } },
      {
        request: {
          remote_ip: '10.0.0.5',
          client_ip: REAL,
          uri: '/a',
          headers: { 'User-Agent': [GPTBOT], 'X-Forwarded-For': ['198.51.100.9'] },
        },
      },
    ]) {
      assert.equal((await outcomeOf(asJson(fields), ...TRUSTED)).outcome, 'verified', JSON.stringify(fields));
    }
    assert.equal(
      (await outcomeOf(asJson({ remote_addr: '198.51.100.9', http_x_forwarded_for: REAL }), ...TRUSTED)).outcome,
      'forged',
    );
  });

  test('without the option nobody is called forged who may stand behind a proxy, and a note says so', async () => {
    for (const [field, outcome, told] of [
      [`${REAL}, 10.0.0.5`, 'verified', false],
      [`198.51.100.9, 10.0.0.5`, 'forged', false],
      [`${REAL}, ${OTHER}`, 'unknown', true],
      [`198.51.100.9, ${OTHER}, 127.0.0.1`, 'unknown', true],
      [`198.51.100.9, ${REAL}`, 'verified', false],
      ['198.51.100.9, 198.51.100.9', 'forged', false],
      ['198.51.100.9', 'forged', false],
    ] as const) {
      const found = await outcomeOf(asCombined(field));
      assert.deepEqual(
        [found.outcome, /several addresses.*--trusted-proxies/.test(found.notes)],
        [outcome, told],
        field,
      );
    }
    const unread = await outcomeOf(asCombined('unknown'));
    assert.match(unread.notes, /The address cannot be read for 1 request/);
  });

  test('an address in doubt is none to a policy; a wrong range is refused', async () => {
    const policy = put(
      'by-address.json',
      JSON.stringify({
        name: 'A',
        rules: [{ action: 'allow', conditions: { ip: ['192.0.2.0/24', '203.0.113.0/24'] } }],
      }),
    );
    const log = put('doubt.log', `${asCombined(`${REAL}, ${OTHER}`)}\n`);
    assert.equal((await audit(log, '--policy', policy, '--ranges', list())).policy?.allowed, 0);
    assert.equal((await audit(log, '--policy', policy, ...TRUSTED)).policy?.allowed, 1);
    const bad = await run(log, '--trusted-proxies', '203.0.113.0/24,proxy');
    assert.equal(bad.status, 2);
    assert.match(bad.stderr, /--trusted-proxies: "proxy" is no address or range/);
  });
});

test('docs/audit.md does what it shows', () => {
  const here = mkdtempSync(join(folder, 'page-'));
  const page = readFileSync('docs/audit.md', 'utf8');
  const entry = join(process.cwd(), 'bin', 'postern.js');
  let printed = '';
  let compared = 0;
  for (const [, language, text = ''] of page.matchAll(/^```(\w+)\n([^]*?)^```$/gm)) {
    if (language === 'sh') {
      const script = `npx() { shift; "${process.execPath}" "${entry}" "$@"; }\n${text}`;
      const ran = spawnSync('sh', ['-ec', script], { cwd: here, encoding: 'utf8' });
      assert.equal(ran.status, 0, ran.stderr);
      printed = ran.stdout;
    } else if (!text.startsWith('curl') && !text.startsWith('npx')) {
      compared++;
      let from = 0;
      for (const line of text.split('\n').filter((one) => one !== '…')) {
        const at = printed.indexOf(line, from);
        assert.notEqual(at, -1, `${line}\n${printed}`);
        from = at + line.length;
      }
    }
  }
  assert.equal(compared, 4);
});

describe('identities', () => {
  const log = (): string => put('ids.log', `${LINES.map(combined).join('\n')}\n`);
  const outcomes = ({ crawlers }: AuditReport) => crawlers.map(({ outcome, requests }) => [outcome, requests]);

  test('a list proves who is in it, and who is not', async () => {
    const list = put(
      'gptbot.json',
      JSON.stringify({
        creationTime: '2026-11-01',
        prefixes: [{ ipv4Prefix: '192.0.2.0/24' }, { ipv6Prefix: '2001:db8::/32' }],
      }),
    );
    const expected = [
      ['verified', 3],
      ['forged', 1],
    ];
    assert.deepEqual(outcomes(await audit(log(), '--ranges', list)), expected);
    assert.deepEqual(outcomes(await audit(log(), '--ranges', `gptbot=${list}`)), expected);
    assert.deepEqual(
      outcomes(await audit(log(), '--ranges', `GPTBot=${put('feed.csv', '# a geofeed\n192.0.2.0/24,US,,,\n')}`)),
      expected,
    );
    const { operators, days } = await audit(log(), '--ranges', list);
    assert.equal(operators[0]?.crawls, 3, 'forged requests are not the operator’s');
    assert.deepEqual(days[1]?.requests, { forged: 1, none: 2 });
  });

  test('a folder has files with the names of lists and of crawlers; others are named', async () => {
    mkdirSync(join(folder, 'lists'));
    const inLists = (name: string, text: string) => put(join('lists', name), text);
    inLists('gptbot.json', '{"prefixes":[{"ipv4Prefix":"192.0.2.0/25"},{"ipv6Prefix":"2001:db8::/32"}]}');
    inLists('geofeed.csv', '# Meta\n198.51.100.0/24,US,,,\n');
    inLists('claudebot.txt', '203.0.113.0/24\n');
    inLists('applebot.csv', '203.0.113.9,US,,,\n');
    inLists('.hidden', '');
    inLists('README.md', 'no list');
    const agents = ['GPTBot/1', 'FacebookBot/1', 'Claude-User/1', 'Applebot/1'];
    const ips = ['192.0.2.1', '198.51.100.1', '203.0.113.9'];
    const lines = agents.flatMap((agent) => ips.map((ip) => combined({ ...(LINES[0] as Line), ip, agent })));
    const file = put('folder.log', `${lines.join('\n')}\n`);
    const page = join(folder, 'folder.html');
    const report = await audit(file, '--ranges', join(folder, 'lists'), '--html', page);
    const seen = report.crawlers.map(({ name, outcome, requests }) => `${name} ${outcome} ${requests}`).toSorted();
    assert.deepEqual(seen, [
      'Applebot forged 2',
      'Applebot verified 1',
      'Claude-User forged 2',
      'Claude-User verified 1',
      'FacebookBot forged 2',
      'FacebookBot verified 1',
      'GPTBot forged 2',
      'GPTBot verified 1',
    ]);
    assert.match(report.notes.join(), /No crawler and no list has the name of .*README\.md\./);
    assert.equal(report.lists.length, 4);
    assert.match(readFileSync(page, 'utf8'), /Addresses that verified them.*gptbot\.json.*GPTBot/s);
    const { stdout } = await run(file, '--ranges', join(folder, 'lists'));
    assert.match(stdout, /Verified with the addresses of .*gptbot\.json \(2 ranges\)/);
    inLists('ccbot.json', '{}');
    const broken = await run(file, '--ranges', join(folder, 'lists'));
    assert.equal(broken.status, 2);
    assert.match(broken.stderr, /ccbot\.json is no list of addresses/);
  });

  test('fetched lists: each once, but for what was given; what fails calls no crawler forged', async () => {
    const asked: string[] = [];
    const TEXTS: Record<string, string> = {
      'https://openai.com/gptbot.json': '{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}',
      'https://claude.com/crawling/bots.json': '{"prefixes":[{"ipv4Prefix":"203.0.113.0/24"}]}',
      'https://www.perplexity.ai/perplexitybot.json': '<html>blocked</html>',
      'https://developers.google.com/static/search/apis/ipranges/user-triggered-fetchers.json':
        '{"prefixes":[{"ipv6Prefix":"2001:db8::/32"}]}',
    };
    const get = async (url: string): Promise<Fetched> => {
      asked.push(url);
      const text = TEXTS[url];
      return text === undefined ? { error: 'It answered with HTTP 404.' } : { headers: {}, body: Buffer.from(text) };
    };
    const { given: before } = loadRanges([`bingbot=${put('bing.txt', '198.51.100.0/24')}`]);
    const { given, missed } = await fetchRanges({ get }, before);
    assert.equal(new Set(asked).size, asked.length);
    assert.ok(asked.length > 10);
    assert.ok(!asked.some((url) => url.includes('bingbot')), 'what was given is not fetched');
    assert.equal(given.length, 3);
    assert.equal(missed.length, asked.length - 3);
    assert.match(missed.find(({ source }) => source.includes('perplexitybot'))?.error ?? '', /neither JSON/);
    const known = toKnownRanges([...before, ...given]);
    assert.deepEqual(known.GPTBot, { ranges: ['192.0.2.0/24'], complete: true });
    assert.deepEqual(known['Claude-User'], known.ClaudeBot);
    assert.equal(known['FeedFetcher-Google']?.complete, false, 'its other list is missing');
    assert.equal(known.PerplexityBot, undefined);
  });

  test('without a list, or with the list of another, nothing is claimed', async () => {
    assert.deepEqual(outcomes(await audit(log())), [['unknown', 4]]);
    const other = put('bingbot.json', '{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}');
    assert.deepEqual(outcomes(await audit(log(), '--ranges', other)), [['unknown', 4]]);
  });

  test('one of two lists verifies, and fails nobody', async () => {
    const agent = 'FeedFetcher-Google; (+http://www.google.com/feedfetcher.html)';
    const feed = put(
      'feed.log',
      `${LINES.slice(0, 4)
        .map((one) => combined({ ...one, agent }))
        .join('\n')}\n`,
    );
    const half = put('user-triggered-fetchers.json', '{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}');
    const expected = [
      ['verified', 3],
      ['unknown', 1],
    ];
    assert.deepEqual(outcomes(await audit(feed, '--ranges', half)), expected);
    const rest = put('user-triggered-fetchers-google.json', '{"prefixes":[{"ipv4Prefix":"192.0.3.0/24"}]}');
    assert.deepEqual(outcomes(await audit(feed, '--ranges', half, '--ranges', rest)), [
      ['verified', 3],
      ['forged', 1],
    ]);
  });

  test('a list of one operator serves all crawlers that share it', async () => {
    const agents = ['ClaudeBot/1.0', 'Claude-User/1.0', 'Claude-SearchBot/1.0'];
    const file = put('claude.log', `${agents.map((agent) => combined({ ...(LINES[0] as Line), agent })).join('\n')}\n`);
    const list = put('bots.json', '{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}');
    for (const option of [list, `ClaudeBot=${list}`]) {
      assert.deepEqual(outcomes(await audit(file, '--ranges', option)), [
        ['verified', 1],
        ['verified', 1],
        ['verified', 1],
      ]);
    }
  });

  test('a host name in place of the address proves nothing', async () => {
    const file = put('host.log', `${combined({ ...(LINES[0] as Line), ip: 'crawl-1.openai.example' })}\n`);
    const list = put('gptbot.json', '{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}');
    assert.deepEqual(outcomes(await audit(file, '--ranges', list)), [['unknown', 1]]);
  });

  test('a log of a proxy’s addresses is pointed out', async () => {
    const list = put('gptbot.json', '{"prefixes":[{"ipv4Prefix":"10.0.0.0/8"}]}');
    assert.match((await audit(log(), '--ranges', list)).notes.join(), /addresses of visitors, not those of a proxy/);
  });

  test('faults of the options are explained', async () => {
    const faults: [string[], RegExp][] = [
      [[log(), '--ranges', put('mine.json', '{}')], /No crawler has a list named mine\.json/],
      [[log(), '--ranges', `GTPBot=${put('mine.json', '{}')}`], /did you mean GPTBot\?/],
      [
        [log(), '--ranges', `GPTBot=${put('mine.json', '{"prefixes":[{"ipv4Prefix":"192.0.2.0/33"}]}')}`],
        /is no list of addresses/,
      ],
      [[log(), '--ranges', 'GPTBot=absent.json'], /Cannot read absent\.json: it does not exist\./],
      [['absent.log'], /Cannot read absent\.log: it does not exist\./],
      [[folder], /is a folder/],
      [['https://example.com/access.log'], /download it first/],
      [[log(), '--html', join(folder, 'no', 'such', 'folder.html')], /Cannot write/],
    ];
    for (const [args, message] of faults) {
      const { status, stderr } = await run(...args);
      assert.equal(status, 2, stderr);
      assert.match(stderr, message);
    }
  });
});

describe('--policy', () => {
  test('shows what the policy would have answered, request by request', async () => {
    const rules = [
      { action: 'deny', conditions: { userAgent: 'GPTBot', time: { before: '2026-11-01T10:00:02Z' } } },
      { action: 'deny', conditions: { ip: '203.0.113.8' } },
      { action: 'allow', conditions: { contentId: '/a' }, rateLimit: { requests: 1, period: 'day' } },
    ];
    const policy = put('policy.json', JSON.stringify({ name: 'Mine', rules }));
    const report = await audit(put('policy.log', `${LINES.map(combined).join('\n')}\n`), '--policy', policy);
    assert.deepEqual(report.policy, { name: 'Mine', allowed: 3, denied: 2, free: 1, reasons: { policy_denied: 2 } });
    assert.deepEqual(report.crawlers[0]?.policy, { allowed: 2, denied: 1, free: 1 });
    assert.deepEqual(report.others?.policy, { allowed: 1, denied: 1, free: 0 });
  });

  test('leaves out the files for crawlers, which are never decided', async () => {
    const free = [
      '/robots.txt',
      '/robots.txt?v=2',
      '/%72obots.txt',
      '/license.xml',
      '/tdmrep.json',
      '/favicon.ico',
      '/.well-known/security.txt',
    ];
    // By some server, these are other pages.
    const decided = ['/robots.txt;x', '/robots.txt?p=7', '/x/robots.txt', '/.well-known/x.php/a', '/Robots.txt'];
    const lines = [...free, ...decided].map((target) => combined({ ...(LINES[0] as Line), target }));
    const posted = combined(LINES[0] as Line).replace('"GET ', '"POST ');
    const fields = { remote_addr: '192.0.2.1', time_iso8601: '2026-11-01T10:00:00Z', status: 200 };
    const json = ['GET', 'HEAD', 'POST'].map((request_method) =>
      JSON.stringify({ ...fields, request_method, request_uri: '/robots.txt' }),
    );
    const policy = put('closed.json', JSON.stringify({ name: 'Closed', rules: [] }));
    const file = put('free.log', `${[...lines, posted, ...json].join('\n')}\n`);
    const page = join(folder, 'free.html');
    const report = await audit(file, '--policy', policy, '--html', page);
    const denied = decided.length + 2;
    const counts = { allowed: 0, denied, free: free.length + 2 };
    assert.deepEqual(report.policy, { name: 'Closed', ...counts, reasons: { policy_denied: denied } });
    assert.match(readFileSync(page, 'utf8'), /Never decided: 9 requests of files for crawlers/);
    const { stdout } = await run(file, '--policy', policy);
    assert.match(stdout, /denied 7: .*\nNever decided: 9, of files for crawlers such as robots\.txt\n/);
    const all = JSON.stringify({ name: 'Closed', rules: [], collections: [{ name: 'All', paths: ['/'] }] });
    const byUrl = await audit(file, '--policy', put('closed-all.json', all));
    assert.equal(byUrl.policy?.free, counts.free);
  });

  test('knows whom the audit has verified', async () => {
    const rules = [
      { action: 'allow', conditions: { crawler: 'GPTBot', requesterVerified: true } },
      { action: 'allow', conditions: { crawler: 'GPTBot', crawlerVerified: true, requesterVerified: false } },
      { action: 'deny', conditions: { crawler: 'GPTBot' } },
      { action: 'allow', conditions: {} },
    ];
    const policy = put('verified.json', JSON.stringify({ name: 'Verified', rules }));
    const list = put('some.json', JSON.stringify({ prefixes: [{ ipv4Prefix: '192.0.2.1/32' }] }));
    const file = put('verified.log', `${LINES.map(combined).join('\n')}\n`);
    const { crawlers, others } = await audit(file, '--policy', policy, '--ranges', `GPTBot=${list}`);
    assert.deepEqual(
      crawlers.map((row) => [row.outcome, row.policy]),
      [
        ['verified', { allowed: 1, denied: 0, free: 1 }],
        ['forged', { allowed: 0, denied: 2, free: 0 }],
      ],
    );
    assert.deepEqual(others?.policy, { allowed: 2, denied: 0, free: 0 });
  });

  const COLLECTIONS = {
    name: 'News',
    rules: [
      { action: 'deny', conditions: { collection: 'col_01kb0000000000000000000000', crawlerPurpose: 'training' } },
      { action: 'deny', conditions: { host: 'shop.example.com', path: '/*?preview=' } },
      { action: 'deny', conditions: { contentType: 'article' } },
      { action: 'allow', conditions: { default: true } },
    ],
    collections: [
      { id: 'col_01kb0000000000000000000000', name: 'Premium', hosts: ['*.example.com'], paths: ['/premium/'] },
      { name: 'News', hosts: ['www.example.com'], paths: ['/news/', '/straße'] },
      { name: 'Shop', hosts: ['shop.example.com'] },
      { name: 'Papers', contentTypes: ['report'] },
    ],
  };
  /** A line, of a virtual host where one is given. */
  const at = (target: string, host?: string, agent = GPTBOT): string =>
    `${host === undefined ? '' : `${host}:443 `}${combined({ ...(LINES[0] as Line), target, agent })}\n`;

  test('decides by URL in the collections of the file, and says what is in none', async () => {
    const policy = put('collections.json', JSON.stringify(COLLECTIONS));
    const lines = [
      at('/news/today?x=1', 'www.example.com'),
      at('/stra\\xC3\\x9Fe', 'WWW.example.com'),
      // Of the collection that the rule names, by the longer pattern.
      at('/premium/a', 'www.example.com'),
      at('/premium/a', 'www.example.com', FIREFOX),
      at('/a?preview=1', 'shop.example.com'),
      at('/a', 'shop.example.com'),
      at('/elsewhere', 'www.example.com'),
      at('/news/today', 'example.org', FIREFOX),
      // Servers do not agree on these.
      at('/news/../premium/a', 'www.example.com'),
      at('/news/a%2fb', 'www.example.com'),
      // Some read it as /premium/a, and no reading allows it.
      at('/premium;x/a', 'www.example.com'),
      at('/news/today'),
    ];
    const file = put('sites.log', lines.join(''));
    const page = join(folder, 'sites.html');
    const report = await audit(file, '--policy', policy, '--html', page, '--threads', '2');
    const reasons = { policy_denied: 3 };
    assert.deepEqual(report.policy, { name: 'News', allowed: 4, denied: 3, notCovered: 5, free: 0, reasons });
    assert.deepEqual(report.crawlers[0]?.policy, { allowed: 3, denied: 3, notCovered: 4, free: 0 });
    assert.deepEqual(report.others?.policy, { allowed: 1, denied: 0, notCovered: 1, free: 0 });
    assert.match(report.notes.join(), /lack of a host in the log: 1 request\./);
    assert.match(readFileSync(page, 'utf8'), /Not covered: 5 requests in no collection/);
    const { stdout } = await run(file, '--policy', policy);
    assert.match(stdout, /denied +not covered/);
    assert.match(stdout, /would have allowed 4 and denied 3: .*\nNot covered: 5, in no collection of the file\n/);

    const named = await audit(file, '--policy', policy, '--host', 'www.example.com');
    assert.deepEqual(named.policy, { name: 'News', allowed: 5, denied: 3, notCovered: 4, free: 0, reasons });
    assert.doesNotMatch(named.notes.join(), /host/);
  });

  test('without collections, every request is an article whose host and path are known where the log has them', async () => {
    const rules = [
      { action: 'deny', conditions: { host: '*.example.com', contentType: 'article' } },
      { action: 'deny', conditions: { path: '/b/*$' } },
      { action: 'allow', conditions: { default: true } },
    ];
    const policy = put('places.json', JSON.stringify({ name: 'Places', rules }));
    const file = put(
      'places.log',
      at('/a', 'www.example.com') + at('/a', 'example.org') + at('/b/1') + at('/a') + at('/c/../b/1'),
    );
    const answers = async (...more: string[]) => (await audit(file, '--policy', policy, ...more)).policy;
    const reasons = (count: number) => ({ policy_denied: count });
    assert.deepEqual(await answers(), { name: 'Places', allowed: 3, denied: 2, free: 0, reasons: reasons(2) });
    const named = await answers('--host', 'm.example.com');
    assert.deepEqual(named, { name: 'Places', allowed: 2, denied: 3, free: 0, reasons: reasons(3) });
  });

  test('--host must be a host, and is for a policy', async () => {
    const policy = put('collections.json', JSON.stringify(COLLECTIONS));
    for (const args of [
      ['--host', 'www.example.com'],
      ['--policy', policy, '--host', 'https://www.example.com/'],
    ]) {
      const { status, stderr } = await run(put('some.log', ''), ...args);
      assert.equal(status, 2);
      assert.match(stderr, /--host (needs --policy|must be a host name)/);
    }
  });

  test('an invalid policy file ends it', async () => {
    const { status, stderr } = await run(put('some.log', ''), '--policy', put('broken.json', '{"name": "x"}'));
    assert.equal(status, 2);
    assert.match(stderr, /is not a valid policy file/);
  });
});

describe('programs that the directory does not name', () => {
  const line = (n: number, agent: string, target = `/p${n}`): string =>
    combined({
      ip: `198.51.${Math.floor(n / 250) % 250}.${n % 250}`,
      at: new Date(Date.UTC(2026, 10, 1) + n * 1000).toISOString(),
      target,
      status: 200,
      bytes: 10,
      referrer: '-',
      agent,
    });

  test('by requests, with pages, addresses, robots.txt and when they came', async () => {
    const lines = [
      line(0, 'Mozilla/5.0 (compatible; NewBot/1.0; +https://new.example)', '/robots.txt'),
      ...Array.from({ length: 20 }, (_, n) => line(n, 'newbot/2', `/a?${n}`)),
      line(30, 'other-bot'),
      line(31, GPTBOT),
      line(32, FIREFOX),
      line(33, '-'),
      line(34, '()'),
      line(35, '<b>x</b>'),
    ];
    const file = put('programs.log', lines.join('\n'));
    const { programs, programRequests } = await audit(file);
    assert.equal(programRequests, 24);
    assert.deepEqual(
      programs.map(({ program }) => program),
      ['newbot', 'b', 'other-bot'],
    );
    const { pages = 0, addresses, ...first } = programs[0] ?? {};
    // Few are counted nearly exactly: two of them may look the same.
    assert.ok(pages > 0 && pages <= 2 && Math.abs((addresses ?? 0) - 20) <= 4, `${pages} ${addresses}`);
    assert.deepEqual(first, {
      program: 'newbot',
      requests: 21,
      requestsAtLeast: false,
      robotsTxt: 1,
      firstSeen: '2026-11-01T00:00:00.000Z',
      lastSeen: '2026-11-01T00:00:19.000Z',
    });
    const page = join(folder, 'programs.html');
    const { stdout } = await run(file, '--html', page, '--top', '1');
    assert.match(stdout, /^24 requests of programs that the crawler directory does not name \(88\.9 %\)$/m);
    assert.match(stdout, /^newbot +21 +[12] +\d\d +1 +2026-11-01 +2026-11-01$/m);
    assert.match(stdout, /^2 more programs; see --top, --json or --html$/m);
    assert.match(readFileSync(page, 'utf8'), /<td>newbot<\/td><td class="n">21<\/td>/);
  });

  test('an address that may be a proxy’s, or is none, is not counted', async () => {
    const lines = [line(1, 'newbot'), line(2, 'newbot')].map((text) => text.replace(/^\S+/, 'unknown'));
    const { programs } = await audit(put('addressless.log', lines.join('\n')));
    assert.deepEqual([programs[0]?.requests, programs[0]?.addresses], [2, null]);
  });

  test('a flood of made-up names hides no real one, whenever it comes', async () => {
    const made = (n: number): string => line(n, `made-up-${n}/1.0`);
    const flood = Array.from({ length: 100_000 }, (_, n) => made(n));
    const real = (name: string): string[] => Array.from({ length: 750 }, (_, n) => line(n, `${name}/1.0`));
    const spread = flood.flatMap((text, n) => (n % 133 === 0 ? [text, line(n, 'spread/1.0')] : [text]));
    const file = put('flood.log', [...real('early'), ...spread, ...real('late')].join('\n'));
    for (const threads of ['1', '4']) {
      const { programs, programRequests } = await audit(file, '--threads', threads);
      assert.deepEqual([programRequests, programs.length], [102_252, 1_000]);
      const first = new Map(programs.slice(0, 3).map((one) => [one.program, one]));
      assert.deepEqual([...first.keys()].toSorted(), ['early', 'late', 'spread']);
      for (const { program, requests, requestsAtLeast } of first.values()) {
        const all = program === 'spread' ? 752 : 750;
        assert.ok(
          requests <= all && requests > all - 60 && (requests === all || requestsAtLeast),
          `${program}: ${requests}`,
        );
      }
    }
  });
});

describe('hostile logs', () => {
  const EVIL = '<script>alert(1)</script>\u001b]0;owned\u0007\u202e"\'&';

  test('nothing of a log reaches the terminal or the page as it is', async () => {
    const lines = [
      ...LINES.map(combined),
      `192.0.2.1 - - [01/Nov/2026:10:00:00 +0000] "GET /${EVIL.replaceAll('"', '\\"')} HTTP/1.1" 200 5 "-" "GPTBot"`,
      JSON.stringify({
        remote_addr: EVIL,
        time: 1_793_527_200,
        uri: `/${EVIL}`,
        host: EVIL,
        status: 200,
        http_user_agent: 'GPTBot',
      }),
      EVIL,
      `\u009b31m${EVIL}`,
    ];
    const page = join(folder, 'evil.html');
    const { status, stdout, stderr } = await run(put('evil.log', lines.join('\n')), '--html', page);
    assert.equal(status, 0);
    // oxlint-disable-next-line no-control-regex
    assert.doesNotMatch(stdout + stderr, /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
    const html = readFileSync(page, 'utf8');
    // oxlint-disable-next-line no-control-regex
    assert.doesNotMatch(html, /<script|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
    assert.match(html, /&lt;script&gt;alert\(1\)/);
    assert.doesNotMatch(html, /(src|href|action)=|url\(|@import/);
    assert.match(html, /default-src 'none'/);
  });

  test('lines of any length and kind are counted, and the first five shown', async () => {
    const good = `${combined(LINES[1] as Line)}\n`;
    const parts = [
      good,
      `${'x'.repeat(3 << 20)}\n`,
      good,
      `{"remote_addr":"${'y'.repeat(100_000)}"}\n`,
      '{"remote_addr":"192.0.2.1","status":200}\n',
      `${'['.repeat(10_000)}\n`,
      '\u0000\u0000\u0000\n',
      '[]\n',
      '192.0.2.1 - - [99/Zzz/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "-"\n',
      '192.0.2.1 - - [01/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 2x0 5 "-" "-"\n',
      `192.0.2.1 - - [01/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1\n`,
      good,
      'z'.repeat(2 << 20),
    ];
    const report = await audit(put('long.log', parts.join('')), '--threads', '2');
    assert.deepEqual([report.requests, report.lines, report.unreadable.count], [3, 13, 10]);
    assert.deepEqual(
      report.unreadable.first.map(({ line }) => line),
      [2, 4, 5, 6, 7],
    );
    for (const { text } of report.unreadable.first) assert.ok(text.length <= 201);
  });

  test('a file that unpacks to far more than a log is refused, and what came before stays', async () => {
    const bomb = gzipSync(Buffer.concat([Buffer.from(`${combined(LINES[1] as Line)}\n`), Buffer.alloc(200 << 20)]));
    const { status, stdout } = await run(put('bomb.gz', bomb), '--json');
    assert.equal(status, 1);
    const report = JSON.parse(stdout) as AuditReport;
    assert.match(report.faults[0]?.fault ?? '', /more than 250 times its size/);
    assert.equal(report.requests, 1);
  });

  test('a damaged file ends early, and is named', async () => {
    const packed = gzipSync(`${LINES.map(combined).join('\n')}\n`);
    const cut = put('cut.gz', packed.subarray(0, packed.length - 20));
    const { status, stdout } = await run(cut, put('fine.log', `${combined(LINES[1] as Line)}\n`));
    assert.equal(status, 1);
    assert.match(stdout, /cut\.gz ended early/);
  });

  test('a log of nothing', async () => {
    const report = await audit(put('empty.log', ''));
    assert.deepEqual([report.requests, report.lines, report.from], [0, 0, null]);
    const { stdout } = await run(put('empty.log', ''), '--html', join(folder, 'empty.html'));
    assert.match(stdout, /0 lines, no requests/);
  });
});
