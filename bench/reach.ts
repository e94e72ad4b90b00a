/**
 * Measures a page of what a requester may have, among a million items that twenty policies share in turns: where all
 * of it is allowed, what one policy has, some items by their tags, few by
 * their metadata or their ids, and nothing. And a page of who may
 * have an item, among ten thousand requesters with a license each. Each page is the next one of its list. Not pinned.
 */
import { join } from 'node:path';
import { temporaryFolder } from '../kit/launch.ts';
import type { Rule } from '../src/rules/policy.ts';
import { type Figure, median, type Part, type PartOptions } from './figure.ts';
import { openStore } from './history.ts';
import { itemAt } from './inputs.ts';
import { type Postern, startPostern } from './service.ts';

const POLICIES = 20;
const LIMIT = 100;
const MOST_MS = 300;
const LICENSED = 10_000;

const allow = (conditions: Record<string, unknown>): Rule => ({ action: 'allow', conditions });

/** Each policy blocks one requester and knows others. Those that `few` may have are far apart. */
const rulesAt = (policy: number, items: number): Rule[] => [
  { action: 'deny', conditions: { requesterId: 'nothing' } },
  allow({ requesterId: 'all' }),
  ...(policy === 7 ? [allow({ requesterId: 'one' }), allow({ licenseType: 'enterprise' })] : []),
  allow({ requesterId: 'some', contentTags: 'open' }),
  allow({ requesterId: 'few', contentMetadata: { words: 1_234 } }),
  allow({
    requesterId: 'named',
    contentId: Array.from({ length: 10 }, (_, i) => itemAt(Math.floor((i * items) / 10)).externalId),
  }),
  allow({ contentTags: ['nowhere', 'never'], requesterType: 'ai_crawler', licenseType: 'enterprise' }),
];

const LISTS = {
  all: 'everything is allowed',
  one: 'the items of one policy are',
  some: 'two items of seven are, by a tag',
  few: 'one item of two thousand is, by its metadata',
  named: 'ten items are, by their ids',
  nothing: 'nothing is',
};

export const reachPart: Part = {
  name: 'reach',
  about: `a page of ${LIMIT} of what a requester may have, and of who may have an item`,
  async run(options) {
    const items = options.quick ? 20_000 : 1_000_000;
    using dir = temporaryFolder();
    const dataDir = join(dir.path, 'data');
    await fill(dataDir, items, options);
    await using postern = await startPostern({ dataDir });
    const figures: Figure[] = [];
    for (const [id, what] of Object.entries(LISTS)) {
      const path = `/v1/requesters/${id}/reach`;
      const { ms, cpu, pages, found } = await walk(postern, path, options.quick ? 3 : 20);
      options.say(`${what}: ${found} in ${pages} pages, at most ${Math.max(...ms).toFixed(0)} ms`);
      figures.push(...figuresOf(`a page among ${items.toLocaleString('en')} items where ${what}`, { ms, cpu }));
    }
    const { externalId } = itemAt(7);
    const readers = await walk(postern, `/v1/content/${externalId}/readers`, options.quick ? 3 : 20);
    figures.push(...figuresOf(`a page of readers among ${LICENSED.toLocaleString('en')} requesters`, readers));
    const notes = [
      'Where few of many items are allowed, a page ends after 2,000 decided ones, and may be empty: the list goes on.',
      'Processor time counts all threads of the service, median of the pages; the longest page is by the clock.',
      'The first page of a list reads policies and items that are not in memory.',
    ];
    return { figures, notes };
  },
};

const figuresOf = (what: string, { ms, cpu }: { ms: number[]; cpu: number[] }): Figure[] => {
  const most = Math.max(...ms);
  return [
    { what: `${what}: processor time`, value: median(cpu), unit: 'ms' },
    {
      what: `${what}: the longest`,
      value: most,
      unit: 'ms',
      target: { text: `≤ ${MOST_MS} ms`, met: most <= MOST_MS },
    },
  ];
};

async function fill(dataDir: string, items: number, { quick, say }: PartOptions): Promise<void> {
  const store = await openStore(dataDir);
  const began = performance.now();
  const ids: string[] = [];
  for (let i = 0; i < POLICIES; i++) ids.push(await store.addPolicy(`Policy ${i}`, rulesAt(i, items)));
  await store.addItems(items, ids[0] as string);
  const turns = ids.map((id, i) => `when ${i} then '${id}'`).join(' ');
  await store.db.atomic([
    { sql: `update content set policy_id = case (no - 1) % ${POLICIES} ${turns} end`, params: [] },
  ]);
  await store.addLicensed(quick ? 500 : LICENSED, 'enterprise', Date.now() - 1_000);
  await store.close();
  say(`${items} items written in ${((performance.now() - began) / 1000).toFixed(1)} s`);
}

/** Reads pages in turn, each as the next one of its list. */
async function walk(postern: Postern, path: string, most: number) {
  const ms: number[] = [];
  const cpu: number[] = [];
  let found = 0;
  let cursor: string | null = '';
  while (cursor !== null && ms.length < most) {
    const before = postern.cpuMs();
    const begun = performance.now();
    const query = `?limit=${LIMIT}${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const page: { data: object[]; nextCursor: string | null } = await postern.get(path + query);
    ms.push(performance.now() - begun);
    cpu.push(postern.cpuMs() - before);
    found += page.data.length;
    cursor = page.nextCursor;
  }
  return { ms, cpu, found, pages: ms.length };
}
