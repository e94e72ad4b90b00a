/** Checks by URL after random edits of items: each is answered as it is without anything in memory. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { runSeed, seeded } from '../../kit/random.ts';
import { startTestService } from '../../kit/service.ts';
import { item, made } from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const EDITS = 60;
const PATHS = ['/a', '/a;v=1', '/b', '/b?q=1', '/b?q=2', '/c%3Fd'];
const SOURCES = ['https://x.example', 'https://x.example:8080', 'https://y.example'].flatMap((host) =>
  PATHS.map((path) => host + path),
);
/** Items are found by an externalId that is the path, too. */
const EXTERNAL_IDS = ['a', '/a', 'b', '/b', 'c', 'd', 'e', 'f', 'g', 'h'];

/** Returns the item that decides about a URL, or why none does. */
async function decided(url: string): Promise<string> {
  const { status, body } = await postern.call('POST', '/v1/access/check', { body: { url, dryRun: true } });
  if (status === 200) return body.contentId as string;
  if (status === 404) return 'nothing';
  return (body.error.message as string).startsWith('Several items') ? 'several_items' : 'unreadable';
}

/** The same, without what checks have in memory. */
async function matched(url: string): Promise<string> {
  const { status, body } = await postern.call('GET', `/v1/collections/match?url=${encodeURIComponent(url)}`);
  if (status !== 200) return 'unreadable';
  return body.outcome === 'item' ? body.item.id : body.outcome;
}

test('an edit of an item counts for every address that it concerns', async (t) => {
  t.diagnostic(`seed ${runSeed} (again with SEED=${runSeed})`);
  const random = seeded(runSeed);
  const known = new Map<string, string>();
  const items = () =>
    Array.from({ length: random.int(1, 4) }, () =>
      item({ externalId: random.pick(EXTERNAL_IDS), source: random.pick(SOURCES) }),
    );
  let changed = 0;
  for (let edit = 0; edit < EDITS; edit++) {
    const externalId = encodeURIComponent(random.pick(EXTERNAL_IDS));
    const turn = random.int(1, 4);
    if (turn === 1) await made(postern, '/v1/content/bulk-upsert', { items: items() }, 200);
    else if (turn === 2) await postern.call('DELETE', `/v1/content/${externalId}`);
    else {
      const body = turn === 3 ? { source: random.pick(SOURCES) } : { status: random.pick(['active', 'archived']) };
      const { status } = await postern.call('PATCH', `/v1/content/${externalId}`, { body });
      assert.ok(status === 200 || status === 404, `${status}`);
    }
    const urls = [...SOURCES, 'https://z.example/a', 'https://z.example/b?q=3', 'https://x.example/b?q=3'];
    for (const url of urls) {
      const found = await decided(url);
      if (known.get(url) !== found) changed++;
      known.set(url, found);
      assert.equal(found, await matched(url), `seed ${runSeed}, edit ${edit}, ${url}`);
    }
  }
  assert.ok(changed > EDITS, `${changed} changed`);
});
