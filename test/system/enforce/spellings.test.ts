/**
 * Files that only a collection protects, behind real nginx and Caddy with their pages' configurations: thousands of
 * spellings of their URLs deliver none of them, and the rest of the site is open. Also behind an application that reads
 * paths as loosely as any server does.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, describe, test } from 'node:test';
import { startTestService, type TestService } from '../../../kit/service.ts';
import { folderOf } from '../../../kit/web-server.ts';
import { words } from '../../../kit/words.ts';
import { visit } from '../../enforce/visiting.ts';
import { item, made, makePolicy } from '../../http/given.ts';
import { proxied, SERVERS, type Start } from './servers.ts';

const SECRET = 'the protected text';
const OPEN = 'open to all';
const AT_ONCE = 24;

const postern = await startTestService();
const closing = [() => postern[Symbol.asyncDispose]()];
after(async () => {
  for (const close of closing.toReversed()) await close();
});

/** Denied folders: by items, by collections and by rules. */
const FOLDERS = words('/item/ /v1.2/item/ /item.d/ /collection/ /exact-collection/ /rule/ /exact-rule/ /exact-rule.d/');
/** Names under which servers serve the page of a folder. */
const INDEX_NAMES = words('index.html index.htm index.php');

/** The open collection has the whole site: what is not recognized as protected would be delivered. */
async function publish(service: TestService): Promise<void> {
  const { id: open } = await makePolicy(service, [
    { action: 'deny', conditions: { path: ['/rule/', '/exact-rule/$', '/exact-rule.d/$'] } },
    { action: 'allow', conditions: {} },
  ]);
  const { id: closed } = await makePolicy(service, [{ action: 'deny', conditions: {} }]);
  await made(service, '/v1/collections', { name: 'Site', hosts: ['www.example.com'], paths: ['/'], policyId: open });
  const paths = ['/closed/', '/*.pdf$', '/collection/', '/exact-collection/$'];
  await made(service, '/v1/collections', { name: 'Closed', paths, policyId: closed });
  for (const folder of FOLDERS.filter((one) => one.includes('item'))) {
    await made(service, '/v1/content', item({ source: `https://www.example.com${folder}`, policyId: closed }));
  }
}
await publish(postern);

function filesOf(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(FOLDERS.flatMap((folder) => names.map((name) => [folder.slice(1) + name, SECRET])));
}
const site = folderOf({
  'index.html': OPEN,
  'open/page.html': OPEN,
  'open/tides;1.html': OPEN,
  'closed/index.html': SECRET,
  'closed/secret.html': SECRET,
  'closed/deep/secret.txt': SECRET,
  'open/report.pdf': SECRET,
  'text/index.txt': SECRET,
  ...filesOf(INDEX_NAMES),
});
/** The same on a file system that ignores case. */
const ignoringCase = folderOf(filesOf([...INDEX_NAMES, ...words('INDEX.HTML Index.html index.HTM')]));

/** An application that finds files as loosely as any server may: it decodes twice, resolves, merges and cuts. */
function isProtected(target: string): boolean {
  const path = target.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/[?#][^]*$/, '');
  const decoded = [path, once(path), once(once(path))];
  const cut = decoded.flatMap((one) => [one, one.replaceAll('\0', ''), one.replace(/[\0?#][^]*$/, '')]);
  const stripped = cut.map((one) => one.replaceAll('\\', '/')).flatMap((one) => [one, one.replaceAll(/;[^/]*/g, '')]);
  return stripped.map(resolved).some((one) => one.startsWith('/closed/') || one.endsWith('.pdf'));
}
const once = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));

function resolved(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split(/\/+/)) {
    if (segment === '..') segments.pop();
    else if (segment !== '.' && segment !== '') segments.push(segment);
  }
  return `/${segments.join('/')}${/\/\.{0,2}$/.test(path) ? '/' : ''}`;
}
const application = createServer((request, response) => response.end(isProtected(request.url ?? '') ? SECRET : OPEN));
await new Promise<void>((listening) => application.listen(0, '127.0.0.1', listening));
closing.push(async () => {
  application.closeAllConnections();
  application.close();
});
const APPLICATION = `127.0.0.1:${(application.address() as AddressInfo).port}`;

const PROTECTED = words('/closed/secret.html /closed/deep/secret.txt /closed/ /open/report.pdf');
const INSERTED = [
  ...words(`/ /./ /../ \\ %2f %2F %5c %252f %00 %20 %09 %0a %0d%0a ; %3b ;x=1 ? %3f %253f # %23 . .. %2e %2e%2e/ %252e
    ..;/ /..;/ ..%2f ..%5c ..\\ %c0%ae %c0%af %e0%80%af %ef%bc%8f %u002f %u2215 % %ff * + & ~ : @ , %c2%a0 %e2%80%8b`),
  '\0',
  '\t',
  ' ',
  '\r',
  'é',
];
const BEFORE = words(`
  /open/.. /open/%2e%2e /open/.%2e /open/..; /open/..;x=1 /open%2f.. /open/%252e%252e /open/page.html/../.. /. // / /open//..
  /%2e /open\\.. /open/page.html?/../.. /open/page.html%3f/../.. /open/page.html%00/../.. /open/page.html;/../.. ///
  /open/page.html#/../.. /open/x/../.. /x/.. /index.html/.. /%2e%2e /.. /../.. /open/./.. /;x /;/ /open/%c0%ae%c0%ae
  /open/%ef%bc%8e%ef%bc%8e /open/%uff0e%uff0e /open/..%00 /open/..%09 x: http: http:/ http:// http:/// x:http://a/..
  //www.example.com //other.example http://www.example.com http://www.example.com:80 http://www.example.com:81
  http://WWW.EXAMPLE.COM http://www.example.com. http://other.example HTTP://www.example.com https://www.example.com
  http://user@www.example.com http://www.example.com@other.example http://www.example.com/open/..
  http://www.example.com/open/%2e%2e http://www.example.com// http://[::1] ftp://www.example.com * ? ?/ # ; @ :80 .
`);
const AFTER = words(`
  / // /. /.. /./ /x/.. . .. %2e %20 %00 %00.html %00.txt %2500 %0a %3f %3fx %3f.html %253f ? ?? ?x=1 ?/../../open/page.html
  # %23 %23x ; ;x ;.html ;/ ;/../open/page.html ::$DATA ::$INDEX_ALLOCATION ~ .bak %c0%80 + %ff * \\ %5c /%2e%2e/secret.html
`);
const LONG = 'a'.repeat(3000);
const [FIRST = ''] = PROTECTED;

const insertedAt = (path: string, text: string): string[] =>
  Array.from(path, (_, i) => `${path.slice(0, i)}${text}${path.slice(i)}`);
const encodedAt = (path: string, toText: (code: string) => string): string[] =>
  Array.from(path, (character, i) => {
    const code = character.codePointAt(0)?.toString(16) ?? '';
    return `${path.slice(0, i)}${toText(code)}${path.slice(i + 1)}`;
  });

const TARGETS: readonly string[] = [
  ...new Set(
    PROTECTED.flatMap((path) => [
      path,
      ...INSERTED.flatMap((text) => insertedAt(path, text)),
      ...[
        (c: string) => `%${c}`,
        (c: string) => `%${c.toUpperCase()}`,
        (c: string) => `%25${c}`,
        (c: string) => `%u00${c}`,
      ].flatMap((toText) => encodedAt(path, toText)),
      ...BEFORE.flatMap((text) => [
        text + path,
        ...AFTER.map((end) => text + path + end).filter((_, i) => i % 8 === 0),
      ]),
      ...AFTER.map((text) => path + text),
      ...words(`/open/${LONG}/../..${path} /${LONG}/..${path} ${path}?${LONG} ${path};${LONG} ${path}/${LONG}/..`),
      `/open/${LONG.repeat(4)}/../..${path}`,
    ]),
  ),
];
const HOSTS = [
  ...words(`www.example.com WWW.Example.COM www.example.com. www.example.com:80 www.example.com:443 www.example.com:81
    www.example.com:0 www.example.com:99999 www.example.com: :80 other.example www.example.com,other.example 127.0.0.1
    user@www.example.com www.example.com/open www.example.com#x www.example.com?x [::1] ww%77.example.com xn--a www.example.com:+80
    www.example.com%00 www.example.com:81:80 .www.example.com www.example.com.. localhost`),
  '',
];

/** Spellings of the pages of the folders. */
const indexes = (names: readonly string[]): readonly string[] =>
  FOLDERS.flatMap((folder) =>
    names.flatMap((name) => {
      const plain = folder + name;
      const [stem = '', end = ''] = name.split('.');
      return [
        plain,
        ...[(code: string) => `%${code}`, (code: string) => `%${code.toUpperCase()}`].flatMap((toText) => [
          ...encodedAt(plain, toText),
          folder + [...name].map((letter) => toText(letter.charCodeAt(0).toString(16))).join(''),
        ]),
        ...words('/ // /./ /x/../ %2f %2F /%2e/ /. /;/ /;x/ /%3b/ \\ %5c').flatMap((text) => [
          folder.slice(0, -1) + text + name,
          text + plain.slice(1),
        ]),
        ...words(
          '? ?x ?x=1 ?/ # #/ / // /. /./ /.. /x/.. /x ; ;x ;/ %3b %3f %3fx %23 %23/ %00 %20 . %2e + \\ %5c %2f',
        ).map((text) => plain + text),
        `http://www.example.com${plain}`,
        `${folder}${stem}%2E${end}?x`,
        `${folder.slice(0, -1)}%2F${stem}%2e${end}`,
      ];
    }),
  );

/** Sends a request line as it stands and returns the whole answer; empty if the connection closed without one. */
function send(port: number, target: string, host: string, more = ''): Promise<string> {
  return new Promise((answer) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.setEncoding('latin1').setTimeout(20_000, () => socket.destroy(new Error('no answer')));
    socket.on('data', (chunk: string) => (text += chunk));
    socket.on('error', () => {});
    socket.on('close', () => answer(text));
    socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`);
  });
}

/** Returns the requests that were answered with protected text, and how many were answered with open text. */
async function deliver(url: string, requests: readonly (readonly [target: string, host: string, more?: string])[]) {
  const port = Number(new URL(url).port);
  const delivered: string[] = [];
  let opened = 0;
  const left = requests.values();
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (const [target, host, more] of left) {
      const text = await send(port, target, host, more);
      if (text.includes(SECRET)) delivered.push(`${target.slice(0, 200)} at ${host}`);
      if (text.includes(OPEN)) opened++;
    }
  });
  await Promise.all(workers);
  return { delivered, opened };
}

/** Without `origin`, the visitor chooses the host that Postern is asked for. */
const HOST_OF_VISITOR = {
  nginx: {
    '?origin=https://www.example.com': '',
    'proxy_set_header X-Original-URI': 'proxy_set_header X-Forwarded-Host $http_host;\nproxy_set_header X-Original-URI',
  },
  Caddy: { 'origin=https://www.example.com&': '' },
};

test('there are enough spellings, of which a loose server knows many', () => {
  assert.ok(TARGETS.length >= 2_000, `${TARGETS.length}`);
  assert.ok(TARGETS.filter(isProtected).length >= 1_000);
});

for (const [name, start] of SERVERS) {
  describe(name, async () => {
    const asked = new URL(postern.url).host;
    const begin = async (more: Partial<Start> = {}) => {
      const server = await start({ asked, key: postern.key, site, ...more });
      closing.push(() => server[Symbol.asyncDispose]());
      return server.url;
    };
    const files = await begin();
    const loose = await begin({ application: proxied(APPLICATION) });
    const anyHost = await begin({ changes: HOST_OF_VISITOR[name] });
    const spelled = TARGETS.map((target) => [target, 'www.example.com'] as const);
    const hosts = HOSTS.flatMap((host) =>
      [...PROTECTED, `http://www.example.com${FIRST}`, `http://${host}${FIRST}`].map(
        (target) => [target, host] as const,
      ),
    );
    const forged = words(
      'X-Original-URI X-Forwarded-Uri X-Forwarded-Host X-Forwarded-Port X-Rewrite-URL X-Postern-Options Forwarded',
    ).flatMap((header) =>
      words('/open/page.html www.example.com:81 other.example 443 unknown=allow origin=https://other.example').flatMap(
        (value) => PROTECTED.map((path) => [path, 'www.example.com', `${header}: ${value}\r\n`] as const),
      ),
    );

    test('delivers what the site has to give', async () => {
      for (const url of [files, anyHost]) {
        for (const path of ['/', '/open/page.html', '/open/page.html?x=1', '/open/%70age.html']) {
          const { status, text } = await visit(url, path);
          assert.deepEqual([status, text], [200, OPEN], path);
        }
        for (const path of PROTECTED) assert.equal((await visit(url, path)).status, 403, path);
      }
      assert.equal((await visit(loose, '/open/page.html')).text, OPEN);
    });

    test('no spelling of its index serves the page of a denied folder', async () => {
      await using ignoring = await startTestService();
      await ignoring.call('PUT', '/v1/sites/www.example.com', { body: { urls: { case: 'ignored' } } });
      await publish(ignoring);
      await using other = await start({ asked: new URL(ignoring.url).host, key: ignoring.key, site: ignoringCase });
      for (const [url, names] of [
        [files, INDEX_NAMES],
        [other.url, words('index.html INDEX.HTML Index.html index.HTM')],
      ] as const) {
        for (const folder of FOLDERS) assert.equal((await visit(url, folder)).status, 403, folder);
        const requests = indexes(names).map((target) => [target, 'www.example.com'] as const);
        assert.deepEqual((await deliver(url, requests)).delivered, []);
      }
    });

    test('a folder serves no file but index.html, which has no other address', async () => {
      const { status, text } = await visit(files, '/text/');
      assert.notEqual(status, 200, text);
      assert.equal((await visit(files, '/text/index.txt')).status, 200);
    });

    for (const [what, url] of [
      ['files', files],
      ['files, with the host of the visitor', anyHost],
      ['an application', loose],
    ] as const) {
      test(`no spelling delivers protected text: ${what}`, async () => {
        const { delivered } = await deliver(url, [...spelled, ...hosts, ...forged]);
        assert.deepEqual(delivered, []);
        const { opened } = await deliver(url, [['/open/page.html', 'www.example.com']]);
        assert.equal(opened, 1, 'the site is still open');
      });
    }
  });
}
