/**
 * Applications that read headers as CGI does: WSGI (Python) and PHP, behind real nginx and Caddy with their pages'
 * configurations. They learn the requester from Postern alone, however a visitor spells a header.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { freePort } from '../../../kit/port.ts';
import { startTestService } from '../../../kit/service.ts';
import { folderOf, requireCommand, startServer } from '../../../kit/web-server.ts';
import { configurationOf, spellingsOf, visit } from '../../enforce/visiting.ts';
import { made, makePolicy } from '../../http/given.ts';
import { proxied, SERVERS, type Start } from './servers.ts';

const ORIGIN = 'https://www.example.com';
const NAME = 'x-postern-requester';

const postern = await startTestService();
const closing: (() => PromiseLike<void>)[] = [() => postern[Symbol.asyncDispose]()];
after(async () => {
  for (const close of closing.toReversed()) await close();
});
const { id: policyId } = await makePolicy(postern, [{ action: 'allow', conditions: {} }]);
await made(postern, '/v1/content', {
  externalId: 'app',
  title: 'App',
  type: 'article',
  source: `${ORIGIN}/index.php`,
  policyId,
});
await made(postern, '/v1/requesters', { id: 'known', userAgents: ['KnownBot'] });

/** Every header that the guide names, and those by which some applications find the URL. */
const OTHERS = [
  ...new Set(readFileSync('docs/enforce/README.md', 'utf8').match(/(?<=`)X-Postern-[A-Z][\w-]+(?=`)/g)),
  ...['Remaining', 'Reset', 'Collection', 'Policy'].map((name) => `X-Postern-${name}`),
  'X-Original-URI',
  'X-Original-URL',
  'X-Original-Method',
  'X-Rewrite-URL',
].map((name) => name.toLowerCase());

/** Both answer with every variable that names Postern, as JSON. */
const WSGI = `
import json, sys
from wsgiref.simple_server import make_server
def app(environ, start):
    start('200 OK', [('Content-Type', 'application/json'), ('CDN-Cache-Control', 'max-age=60'), ('Surrogate-Control', 'max-age=60')])
    return [json.dumps({k: v for k, v in environ.items() if any(n in k.lower() for n in ('postern', 'original', 'rewrite'))}).encode()]
make_server('127.0.0.1', int(sys.argv[1]), app).serve_forever()
`;
const PHP = `<?php
header('CDN-Cache-Control: max-age=60');
header('Surrogate-Control: max-age=60');
$seen = array_filter($_SERVER, fn($name) => preg_match('/postern|original|rewrite/i', $name), ARRAY_FILTER_USE_KEY);
echo json_encode((object) $seen);
`;

/** A folder of its own: disposing of a server removes it. */
async function wsgi(): Promise<NonNullable<Start['application']>> {
  requireCommand('python3', 'python3');
  const [port, folder] = [await freePort(), folderOf({ 'app.py': WSGI })];
  const server = await startServer('python3', [join(folder, 'app.py'), String(port)], { port, folder });
  closing.push(() => server[Symbol.asyncDispose]());
  return proxied(`127.0.0.1:${port}`);
}

async function php(): Promise<NonNullable<Start['application']>> {
  requireCommand('php-cgi', 'php-cgi');
  const [port, folder] = [await freePort(), folderOf({ 'index.php': PHP })];
  // It would end after 500 requests.
  const env = { PHP_FCGI_MAX_REQUESTS: '1000000' };
  const server = await startServer('php-cgi', ['-b', `127.0.0.1:${port}`], { port, folder, env });
  closing.push(() => server[Symbol.asyncDispose]());
  const fastcgi = configurationOf('nginx', 'nginx-fastcgi', {
    'include fastcgi_params;': 'include /etc/nginx/fastcgi_params;',
  });
  return {
    nginx: `root ${folder}; fastcgi_param SCRIPT_FILENAME ${folder}/index.php;\n${fastcgi}\nfastcgi_pass 127.0.0.1:${port};`,
    caddy: `root * ${folder}\nphp_fastcgi 127.0.0.1:${port}`,
  };
}

/** The name with each of what CGI reads as a hyphen, in some cases. */
const spellings = (name: string): string[] =>
  spellingsOf(name).flatMap((one) => [one.toUpperCase(), one.replace('postern', 'pOsTeRn')]);
const CONNECTIONS = [
  undefined,
  NAME,
  'close, X-Postern-Requester',
  'keep-alive,x-POSTERN-requester ,\tX_Postern_Requester',
  ['close', 'X-Postern-Requester', 'X-Postern-Requester'],
  'Upgrade, X-Postern-Requester, X-Postern-Decision',
];

for (const [kind, startApplication] of [
  ['a WSGI application', wsgi],
  ['PHP', php],
] as const) {
  describe(kind, async () => {
    const application = await startApplication();
    for (const [name, start] of SERVERS) {
      test(`sees behind ${name} who asks, and nobody else`, async (t) => {
        const site = folderOf({});
        const server = await start({ asked: new URL(postern.url).host, key: postern.key, site, application });
        t.after(() => server[Symbol.asyncDispose]());
        const seenBy = async (headers: Record<string, string | string[]>): Promise<Record<string, string>> => {
          const page = await visit(server.url, '/index.php', { headers });
          assert.equal(page.status, 200, `${JSON.stringify(headers)} ${page.text} ${server.log()}`);
          assert.deepEqual(
            [page.headers['cdn-cache-control'], page.headers['surrogate-control']],
            [undefined, undefined],
          );
          return JSON.parse(page.text);
        };
        const who = { known: 'KnownBot', '': 'Mozilla/5.0' };
        for (const [requester, userAgent] of Object.entries(who)) {
          for (const spelling of spellings(NAME)) {
            for (const connection of CONNECTIONS) {
              const sent = {
                'user-agent': userAgent,
                [spelling]: 'partner',
                ...(connection === undefined ? {} : { connection }),
              };
              const seen = await seenBy(sent);
              assert.equal(seen.HTTP_X_POSTERN_REQUESTER ?? '', requester, JSON.stringify(sent));
              assert.ok(!JSON.stringify(seen).includes('partner'), JSON.stringify([sent, seen]));
            }
          }
          for (const other of OTHERS.flatMap(spellingsOf)) {
            const seen = await seenBy({ 'user-agent': userAgent, [other]: 'partner' });
            assert.ok(!JSON.stringify(seen).includes('partner'), JSON.stringify([other, seen]));
          }
        }
      });
    }
  });
}
