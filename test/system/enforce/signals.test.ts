/** nginx and Caddy serve the files of a site as the pages set them up: from Postern, and from a folder. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { commandHere } from '../../../kit/command.ts';
import { startTestService } from '../../../kit/service.ts';
import { folderOf } from '../../../kit/web-server.ts';
import { configurationOf, visit } from '../../enforce/visiting.ts';
import { made, makeKey, makePolicy } from '../../http/given.ts';
import { SERVERS } from './servers.ts';

const postern = await startTestService();
let isClosed = false;
after(() => (isClosed ? undefined : postern[Symbol.asyncDispose]()));
const HOST = 'www.example.com';
const asked = new URL(postern.url).host;
const { id: policyId } = await makePolicy(postern, [{ action: 'deny', conditions: { crawler: ['GPTBot'] } }]);
const { id } = await made(postern, '/v1/collections', { name: 'C', hosts: [HOST], paths: ['/'], policyId });
await postern.call('PUT', `/v1/sites/${HOST}`, {
  body: { signals: { public: true, robots: 'replace', license: true, tdmrep: true } },
});
const key = await makeKey(postern, { permissions: ['access:check'] });
const site = folderOf({ 'index.html': 'page' });
const written = join(site, 'signals');
mkdirSync(written);
const env = { POSTERN_URL: postern.url, POSTERN_KEY: postern.key };
assert.equal((await commandHere(['signals', 'write', written, '--site', HOST], { env })).status, 0);

const FILES = [
  ['/robots.txt', 'robots.txt', /^text\/plain/],
  ['/license.xml', 'license.xml', /^application\/rsl\+xml/],
  ['/.well-known/tdmrep.json', 'tdmrep.json', /^application\/json/],
  [`/.well-known/tdm-policy/${id}.json`, `tdm-policy?collectionId=${id}`, /^application\/(ld\+)?json/],
] as const;
const bodies = new Map<string, string>();
for (const [, kind] of FILES) bodies.set(kind, (await postern.call('GET', `/v1/sites/${HOST}/signals/${kind}`)).text);

async function assertServed(url: string, isLive = true): Promise<void> {
  for (const [path, kind, type] of FILES) {
    // A credential of the visitor is none of Postern’s.
    const headers = { authorization: 'Bearer nonsense', 'user-agent': 'GPTBot/1.2' };
    const { status, text, headers: answered } = await visit(url, path, { headers });
    assert.equal(status, 200, `${path} ${text}`);
    assert.equal(text, bodies.get(kind), path);
    if (isLive) assert.match(String(answered['content-type']), type, path);
  }
}

const kept = join(folderOf({}), 'signals.conf');
writeFileSync(kept, configurationOf('nginx', 'nginx-kept', {}));
const cache = configurationOf('nginx', 'nginx-cache', { '/var/cache/nginx/signals': join(folderOf({}), 'signals') });
const files = configurationOf('nginx', 'nginx-files', { '/etc/nginx/postern-signals.conf': kept });
const changes = {
  nginx: {
    'upstream postern {': `${cache}upstream postern {`,
    '    location = /_postern {': `${files}    location = /_postern {`,
  },
  Caddy: { '\troute {': `${configurationOf('caddy', 'caddy-files', { '127.0.0.1:8080': asked })}\troute {` },
};

const folder = {
  Caddy: { '\troute {': `${configurationOf('caddy', 'caddy-folder', { '/srv/signals': written })}\troute {` },
};

test('from Postern, through Caddy, and from a folder', async () => {
  const [, start] = SERVERS[1];
  await using live = await start({ asked, key, site, changes: changes.Caddy });
  await assertServed(live.url);
  await using fixed = await start({ asked, key, site, changes: folder.Caddy });
  await assertServed(fixed.url);
});

test('from Postern, through nginx, which goes on when Postern is down', async () => {
  const [, start] = SERVERS[0];
  await using live = await start({ asked, key, site, changes: changes.nginx });
  await assertServed(live.url);
  isClosed = true;
  await postern[Symbol.asyncDispose]();
  await assertServed(live.url);
});
