/**
 * The part of the WordPress plugin that needs no WordPress, beside the client's guard. Promise: both take the same
 * visitors for browsers, and answer the same decision in the same way.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import crawlerUserAgents from 'crawler-user-agents';
import { isBrowser } from '../../../client/src/edge/who.ts';
import { guard } from '../../../client/src/index.ts';
import { freePort } from '../../../kit/port.ts';
import { BROWSERS, PROGRAMS } from '../../../kit/user-agents.ts';
import { startNginx } from '../../../kit/web-server.ts';
import { configurationOf, visit } from '../../enforce/visiting.ts';

/** Runs PHP with the classes of the plugin; `$input` is the value, and what it returns comes back. */
function php<T>(code: string, input: unknown): T {
  const script = `require '${resolve('adapters/wordpress/core/load.php')}';
    $input = json_decode( stream_get_contents( STDIN ), true ); echo json_encode( ( function () use ( $input ) { ${code} } )() );`;
  const { stdout, stderr } = spawnSync('php', ['-d', 'display_errors=stderr', '-r', script], {
    input: JSON.stringify(input),
    encoding: 'utf8',
  });
  assert.equal(stderr, '');
  return JSON.parse(stdout) as T;
}

/** Returns the product names and the signs in a file that knows browsers. */
function agentWords(file: string): unknown[] {
  const text = readFileSync(file, 'utf8');
  const names = [...text.matchAll(/'((?:mozilla|samsungbrowser) [a-z ]+)'/g)].map(([, one = '']) => one.trim());
  return [names.join(' '), /compatible\|[^/~\\]+/.exec(text)?.[0]];
}

test('browsers and programs are those of the client', () => {
  const known = crawlerUserAgents.flatMap(({ instances }) => instances);
  const all = [...BROWSERS, ...PROGRAMS, ...known, `${BROWSERS[0]} GPTBot/1.2`, `${BROWSERS[0]} (compatible; X)`];
  const words = [agentWords('adapters/wordpress/core/who.php'), agentWords('client/src/edge/who.ts')];
  assert.deepEqual(words[0], words[1]);
  const found = php<boolean[]>(`return array_map( array( 'Postern\\Who', 'is_browser' ), $input );`, all);
  assert.deepEqual(
    all.filter((_, index) => found[index]),
    all.filter((one) => isBrowser(one)),
  );
});

test('nginx takes only browsers for browsers', async () => {
  const port = await freePort();
  const http = configurationOf('wordpress', 'nginx-http', {});
  await using server = await startNginx(
    port,
    `${http} server { listen 127.0.0.1:${port}; return 200 $postern_program; }`,
  );
  const ask = async (headers: Record<string, string>) => (await visit(server.url, '/', { headers })).text;
  for (const agent of PROGRAMS.filter((one) => /^[\x20-\x7e]+$/.test(one))) {
    assert.equal(await ask({ 'user-agent': agent }), '1', agent);
  }
  const copies = await Promise.all(BROWSERS.map((agent) => ask({ 'user-agent': agent })));
  // It is stricter: such as for a WebView, which gets its page from PHP.
  assert.ok(copies.filter((one) => one === '0').length >= BROWSERS.length / 2, copies.join());
  const agent = BROWSERS[0] as string;
  assert.equal(await ask({ 'user-agent': agent, 'signature-input': 'sig1=()' }), '1');
  assert.equal(await ask({ 'user-agent': agent, authorization: 'Bearer svc_rt_a' }), '1');
});

test('paths that are files for crawlers', () => {
  const free = [
    '/robots.txt',
    '/license.xml',
    '/tdmrep.json',
    '/favicon.ico',
    '/.well-known/x',
    '/%72obots.txt',
    '/robots.txt?v=2',
    '/favicon.ico?ver=6.5-x',
  ];
  const not =
    `/robots.txt/ /robots.txt; /robots.txt/../x /.well-known/../x /.well-known%2f..%2fx //robots.txt /x/robots.txt /robots.txt%00
    /.well-known/%2e%2e/x /.well-known/a//b /ROBOTS.TXT /.well-known/..;/x /robots%252etxt /.well-known/index.php/x /.well-known/x.php5/x /.well-known/..%20/x /robots.txt?p=7 /favicon.ico?v=2&p=7 /.well-known/x?rest_route=/ /robots.txt%0a /%ff/robots.txt`.split(
      /\s+/,
    );
  const code = `return array_map( fn( $path ) => ( new Postern\\Visit( array( 'REQUEST_METHOD' => 'GET', 'REQUEST_URI' => $path ) ) )->is_site_file(), $input );`;
  const found = php<boolean[]>(code, [...free, ...not]);
  assert.deepEqual(
    [...free, ...not].filter((_, index) => found[index]),
    free,
  );
});

test('the address of a visitor', () => {
  const proxies = ['10.0.0.0/8', '2001:db8::/32'];
  const cases: [object, object, object][] = [
    [{ REMOTE_ADDR: '192.0.2.1', HTTP_X_FORWARDED_FOR: '203.0.113.9' }, { proxy: 'none' }, { ip: '192.0.2.1' }],
    [
      { REMOTE_ADDR: '10.1.1.1', HTTP_X_FORWARDED_FOR: '1.1.1.1, 203.0.113.9, 10.2.2.2' },
      { proxy: 'custom', proxies },
      { ip: '203.0.113.9' },
    ],
    [
      { REMOTE_ADDR: '2001:db8::1', HTTP_X_FORWARDED_FOR: '[2001:4860::9]:443' },
      { proxy: 'custom', proxies },
      { ip: '2001:4860::9' },
    ],
    [
      { REMOTE_ADDR: '10.1.1.1', HTTP_X_FORWARDED_FOR: 'unknown' },
      { proxy: 'custom', proxies },
      { ipUnreadable: true },
    ],
    [{ REMOTE_ADDR: '10.1.1.1' }, { proxy: 'custom', proxies }, { ip: '10.1.1.1' }],
    [
      { REMOTE_ADDR: '173.245.48.9', HTTP_CF_CONNECTING_IP: '203.0.113.9', HTTP_CF_IPCOUNTRY: 'DE' },
      { proxy: 'cloudflare', proxies: [] },
      { ip: '203.0.113.9', country: 'DE' },
    ],
    [
      { REMOTE_ADDR: '173.245.48.9', HTTP_CF_CONNECTING_IP: '203.0.113.9', HTTP_CF_IPCOUNTRY: 'XX' },
      { proxy: 'cloudflare', proxies: [] },
      { ip: '203.0.113.9' },
    ],
    [
      { REMOTE_ADDR: '173.245.64.9', HTTP_CF_CONNECTING_IP: '203.0.113.9' },
      { proxy: 'cloudflare', proxies: [] },
      { ip: '173.245.64.9' },
    ],
    [
      { REMOTE_ADDR: '192.0.2.1', HTTP_X_POSTERN_PROXY: 's', HTTP_CLOUDFRONT_VIEWER_ADDRESS: '2001:4860::9:443' },
      { proxy: 'cloudfront', proxy_secret: 's' },
      { ip: '2001:4860::9' },
    ],
    [
      { REMOTE_ADDR: '192.0.2.1', HTTP_X_POSTERN_PROXY: '', HTTP_FASTLY_CLIENT_IP: '203.0.113.9' },
      { proxy: 'fastly', proxy_secret: '' },
      { ip: '192.0.2.1' },
    ],
  ];
  const code = `return array_map( fn( $one ) => Postern\\Address::context( new Postern\\Visit( $one[0] ), $one[1] ), $input );`;
  assert.deepEqual(
    php<object[]>(code, cases),
    cases.map(([, , expected]) => expected),
  );
});

const created = '2026-11-21T09:30:00.123Z';
const base = {
  id: 'dec_1',
  object: 'access_decision',
  permissions: ['read'],
  reason: null,
  requesterId: null,
  rateLimit: null,
  quota: null,
  enforced: true,
  message: 'No.',
  created,
};
const denied = { ...base, allowed: false, reason: 'no_license', permissions: [] };
const limit = { limit: 5, remaining: 0, period: 'minute', resetAt: '2026-11-21T09:30:42.500Z', retryAfter: 43 };
const offers = [
  {
    licenseType: 'crawling',
    unit: 'decision',
    unitPriceMicros: 5000,
    currency: 'USD',
    contact: 'a@b.example',
    url: 'https://a.example/license',
  },
];
const remedies = [
  { kind: 'license', licenseType: ['crawling'], licenseFeatures: ['x'], rule: 1, offers },
  { kind: 'wait', until: created },
  { kind: 'amend', licenseId: 'lic_1' },
  { kind: 'permission', permissions: ['read'] },
];
const ANSWERS: [string, number, object][] = [
  ['allowed', 200, { ...base, allowed: true, externalId: 'a' }],
  [
    'allowed with a limit and signals',
    200,
    {
      ...base,
      allowed: true,
      rateLimit: limit,
      signals: {
        headers: { link: '<https://a.example>; rel="license"', 'tdm-reservation': '1' },
        denialHeaders: {},
        licensingUrl: null,
      },
    },
  ],
  ['observed', 200, { ...denied, enforced: false }],
  ['no license', 200, denied],
  ['no license, known', 200, { ...denied, requesterId: 'a' }],
  [
    'offers',
    200,
    {
      ...denied,
      remedies,
      signals: {
        headers: {},
        denialHeaders: { link: '<https://s.example>; rel="license"' },
        licensingUrl: 'https://s.example/"<>',
      },
    },
  ],
  [
    'a license server',
    200,
    {
      ...denied,
      signals: {
        headers: {},
        denialHeaders: { link: '<https://s.example>', 'www-authenticate': 'License error="invalid_request"' },
        licensingUrl: null,
      },
    },
  ],
  ['limit', 200, { ...denied, reason: 'rate_limit_exceeded', rateLimit: limit }],
  [
    'quota',
    200,
    {
      ...denied,
      reason: 'quota_exceeded',
      quota: { units: 9, used: 9, remaining: 0, resetAt: '2026-12-01T00:00:00.000Z' },
    },
  ],
  [
    'quota for ever',
    200,
    { ...denied, reason: 'quota_exceeded', quota: { units: 9, used: 9, remaining: 0, resetAt: null } },
  ],
  ['a signature would help', 200, { ...denied, remedies: [{ kind: 'verification', verified: ['signature', 'ip'] }] }],
  ['a false claim', 200, { ...denied, spoofed: true, remedies: [{ kind: 'verification', verified: ['signature'] }] }],
  [
    'a file for crawlers',
    200,
    { ...denied, signals: { headers: {}, denialHeaders: {}, licensingUrl: null, free: true } },
  ],
  ['an invalid token', 400, { error: { code: 'invalid_token', message: 'It expired.', type: 'validation_error' } }],
  ['unknown content', 404, { error: { code: 'content_not_found', message: 'x', type: 'not_found_error' } }],
  ['an unclear URL', 400, { error: { code: 'ambiguous_content', message: 'x', type: 'validation_error' } }],
];

for (const [name, status, answer] of ANSWERS) {
  test(`the same answer as of the guard: ${name}`, async () => {
    for (const [accept, authorization] of [
      ['*/*', 'License x'],
      ['text/html,*/*;q=0.8', 'Bearer x'],
    ] as const) {
      const { check } = guard({
        url: 'http://postern.example',
        key: 'svc_sk_a',
        content: 'url',
        fetch: async () =>
          new Response(JSON.stringify(answer), { status, headers: { 'content-type': 'application/json' } }),
      });
      const url = 'https://www.example.com/tides';
      const { headers, ...expected } = await check(new Request(url, { headers: { accept, authorization } }));
      const code = `$visit = new Postern\\Visit( array( 'REQUEST_METHOD' => 'GET', 'REQUEST_URI' => '/tides', 'HTTP_AUTHORIZATION' => $input[2] ) );
        $verdict = Postern\\Verdict::from( $input[0], $visit, '${url}', 'deny' );
        return array( $verdict->allowed, $verdict->status, $verdict->headers, null === $verdict->problem ? null : Postern\\Page::body( $verdict->problem, $input[1] ) );`;
      const got = php<[boolean, number, Record<string, string>, [string, string] | null]>(code, [
        answer,
        accept,
        authorization,
      ]);
      assert.deepEqual(got.slice(0, 2), [expected.allowed, expected.status]);
      const { 'x-litespeed-cache-control': _, ...own } = Array.isArray(got[2]) ? {} : got[2];
      const { 'content-type': __, ...others } = headers;
      assert.deepEqual(own, others);
      assert.equal(got[3]?.[0], expected.body?.type);
      const isJson = expected.body?.type === 'application/problem+json';
      const read = (text: string | undefined): unknown =>
        isJson ? JSON.parse(text ?? '') : text?.replaceAll(/&#0?(\d+);/g, '&#$1;');
      const names = { '&lt;': '&#60;', '&gt;': '&#62;', '&quot;': '&#34;', '&amp;': '&#38;' };
      const page = got[3]?.[1].replaceAll(/&(?:lt|gt|quot|amp);/g, (named) => names[named as keyof typeof names]);
      assert.deepEqual(read(page), read(expected.body?.text));
    }
  });
}
