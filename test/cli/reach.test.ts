/** `postern requesters reach`, `content readers` and `collections readers`: as a table, as CSV and as JSON. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { commandHere, type Ran } from '../../kit/command.ts';
import { startTestService } from '../../kit/service.ts';
import { item, made, makePolicy } from '../http/given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const { id: policyId } = await makePolicy(postern, [
  { action: 'deny', conditions: { purpose: 'training', countryNot: 'DE' } },
  { action: 'allow', conditions: { requesterTags: 'partner' }, permissions: ['training', 'preview_only'] },
  { action: 'allow', conditions: { contentTags: 'open' }, permissions: ['preview_only'] },
]);
const news = await made(postern, '/v1/collections', { name: 'News, all', paths: ['/news/'], policyId });
const items = Array.from({ length: 130 }, (_, i) =>
  item({ externalId: `n-${i}`, title: '=Tides', source: `https://e.example/news/${i}`, tags: i === 0 ? ['open'] : [] }),
);
await made(postern, '/v1/content/bulk-upsert', { items }, 200);
await made(postern, '/v1/requesters', { id: 'acme', name: 'Acme', tags: ['partner'] });
const run = (...args: string[]): Promise<Ran> =>
  commandHere(args, { env: { POSTERN_URL: postern.url, POSTERN_KEY: postern.key } });

async function done(...args: string[]): Promise<Ran> {
  const ran = await run(...args);
  assert.equal(ran.status, 0, ran.stderr);
  return ran;
}

test('what a requester may have: every page, and what was assumed', async () => {
  const { stdout, stderr } = await done('requesters', 'reach', 'acme');
  const lines = stdout.trimEnd().split('\n');
  assert.equal(lines.length, 132);
  assert.match(lines[0] as string, /^item +title +source +collection +permissions +license +depends on$/);
  assert.match(lines[1] as string, /^– +News, all +– +col_\w+… +training preview_… +– +country purpose$/);
  assert.match(
    stderr,
    /131 entries\.\nRules also ask for what was not given: contentTags \(unknown\), country \(unknown\)/,
  );
  const json = JSON.parse((await done('requesters', 'reach', 'acme', '--json', '--collection', news.id)).stdout);
  assert.equal(json.length, 131);
  assert.deepEqual(
    JSON.parse((await done('requesters', 'reach', 'acme', '--json', '--purpose', 'training')).stdout),
    [],
  );
  const other = await done('requesters', 'reach', 'acme', '--permission', 'redistribution');
  assert.match(other.stderr, /^0 entries\./);
});

test('CSV for a spreadsheet: quoted, and no formula', async () => {
  const { stdout } = await done('requesters', 'reach', 'acme', '--csv');
  const lines = stdout.split('\r\n');
  assert.equal(lines[0], 'item,title,source,collection,permissions,license,depends on');
  assert.equal(lines[1], `,"News, all",,${news.id},training preview_only,,country purpose`);
  assert.equal(lines[131], `n-0,'=Tides,https://e.example/news/0,${news.id},training preview_only,,country purpose`);
  assert.equal(lines.length, 133);
});

test('who may have an item, and who a collection', async () => {
  const open = await done('content', 'readers', 'n-0');
  assert.match(open.stdout, /^requester +name +permissions +license +depends on\nacme +Acme +training preview_only/);
  assert.match(open.stderr, /^1 entry\.\n/);
  assert.match(open.stderr, /Requests that name no requester may have it, too\.\n$/);
  const closed = await done('content', 'readers', 'n-1', '--csv');
  assert.equal(
    closed.stdout,
    'requester,name,permissions,license,depends on\r\nacme,Acme,training preview_only,,country purpose\r\n',
  );
  assert.doesNotMatch(closed.stderr, /no requester/);
  assert.match((await done('collections', 'readers', news.id)).stdout, /\nacme +Acme/);
  assert.equal((await run('content', 'readers', 'none')).status, 1);
});
