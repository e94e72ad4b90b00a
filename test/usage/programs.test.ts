/**
 * Promise: programs are counted exactly, at most a thousand names a day, and the same after a rebuild. A flood of
 * made-up names hides none that asks often, also where the flood came first.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import { archive } from '../../src/decisions/history/archive/archive.ts';
import { openColumns } from '../../src/decisions/history/columns/columns.ts';
import type { VisitorsQuestion } from '../../src/decisions/history/columns/visitors.ts';
import { betweenSeqs, replaceInDecisions } from '../../src/decisions/history/retention/erase.ts';
import {
  ANSWER_WITHIN_MS,
  type Decided,
  onClickHouse,
  openColumnRecords,
  openPostgresRecords,
  openRecords,
} from './records.ts';

const DAY = 86_400_000;
const START = Date.UTC(2026, 5, 1);
const FLOOD = 20_000;

let seq = 0;
const ask = (userAgent: string | null | undefined, at: number): Decided => {
  const one: Decided = { seq: ++seq, at, contentNo: 0, requesterId: null, policyNo: 1, reason: 0 };
  return userAgent === undefined ? one : { ...one, userAgent };
};
const many = (count: number, userAgent: string | null | undefined, at: number): Decided[] =>
  Array.from({ length: count }, () => ask(userAgent, at));

const ENGINES = onClickHouse
  ? ([['ClickHouse', openColumnRecords]] as const)
  : ([
      ['SQLite', openRecords],
      ['PostgreSQL', openPostgresRecords],
    ] as const);
for (const [engine, openEngine] of ENGINES) {
  describe(engine, () => {
    const begin = async () => {
      const stack = new AsyncDisposableStack();
      const records = await openEngine();
      stack.defer(() => records.close());
      const archiveDir = `${records.columnsFile}-archive`;
      const open = () => openColumns({ ...records, archiveDir, answerWithinMs: ANSWER_WITHIN_MS });
      let columns = open();
      stack.defer(() => columns.close());
      const count = async (from = START, to = START + 30 * DAY): Promise<Map<string | null, number>> => {
        const query = { enforced: true, from, to, starts: [from], limit: 100_000, groupBy: 'program' } as const;
        const { groups = [] } = await columns.report(query);
        return new Map(groups.map(({ id, requests }) => [id, requests]));
      };
      const rebuild = async (): Promise<void> => {
        await columns.close();
        if (records.clickHouse === null) rmSync(records.columnsFile);
        else await records.db.atomic([{ sql: `delete from settings where name = 'clickhouse_columns'` }]);
        columns = open();
      };
      const visitors = (query: VisitorsQuestion) => columns.visitors(query);
      return {
        ...records,
        archiveDir,
        count,
        visitors,
        rebuild,
        [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
      };
    };

    test('who asks', async () => {
      await using given = await begin();
      const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0';
      await given.addDecisions([
        ...many(4, 'Mozilla/5.0 (compatible; FooBot/1.0; +https://foo.example)', START),
        ...many(3, 'FOOBOT', START),
        ...many(5, browser, START),
        ...many(2, '', START),
        ...many(1, undefined, START),
        ...many(6, null, START),
      ]);
      const expected = { foobot: 7, browsers: 5, 'no user agent': 3, null: 6 };
      assert.deepEqual(Object.fromEntries(await given.count()), expected);
      await given.rebuild();
      assert.deepEqual(Object.fromEntries(await given.count()), expected);
    });

    test('a flood is one group, and hides nobody', async () => {
      await using given = await begin();
      await given.addDecisions(many(2, 'first/1.0', START));
      const flood = Array.from({ length: FLOOD }, (_, n) => ask(`made-up-${n}/1.0`, START + n));
      for (let from = 0; from < FLOOD; from += 5_000) {
        await given.addDecisions(flood.slice(from, from + 5_000));
        await given.count();
      }
      // One that began before the flood, and two that begin after it.
      await given.addDecisions(many(3, 'first/1.0', START + FLOOD));
      await given.count();
      await given.addDecisions(many(40, 'often/2.0', START + FLOOD));
      await given.addDecisions([...many(1, 'twice', START + FLOOD), ...many(1, 'often/3.0', START + FLOOD + 1)]);
      await given.count();
      await given.addDecisions(many(1, 'twice/1', START + FLOOD + 2));
      const counted = await given.count();
      assert.deepEqual(
        ['first', 'often', 'twice'].map((name) => counted.get(name)),
        [5, 41, 2],
      );
      assert.equal(counted.size, 1_001);
      assert.equal(counted.get('other'), FLOOD - 997);
      // A name of one day is known on all others.
      await given.addDecisions([...many(1, 'often', START + 3 * DAY), ...many(1, 'later', START + 3 * DAY)]);
      assert.deepEqual(Object.fromEntries(await given.count(START + DAY)), { later: 1, often: 1 });
      const all = await given.count();
      await given.rebuild();
      assert.deepEqual(await given.count(), all);
    });

    test('visitors of a page add up, also where the programs of a flood are one of them', async () => {
      await using given = await begin();
      const page = 'site.example/a';
      const on = (decisions: Decided[]): Decided[] => decisions.map((one) => ({ ...one, url: `${page}?n=${one.seq}` }));
      const flood = Array.from({ length: 1_500 }, (_, n) => ask(`made-up-${n}`, START + (n % 2) * DAY));
      await given.addDecisions([
        ...on(flood),
        ...on(many(4, 'often/1', START + DAY)),
        ...many(6, 'often/1', START),
        ...on([{ ...ask('GPTBot', START), crawler: 'GPTBot', verified: 1 }]),
        ...on([{ ...ask('GPTBot', START), crawler: 'GPTBot', claimed: 'GPTBot', reason: 7 }]),
        ...on([{ ...ask('often/1', START + DAY), requesterId: 'partner' }]),
      ]);
      const starts = [START, START + DAY];
      const query = { enforced: true, from: START, to: START + 2 * DAY, starts, limit: 2_000, pages: 1 };
      const { unique, visitors } = await given.visitors(query);
      assert.equal(unique, visitors.length);
      const of = (id: string, proof?: string) =>
        visitors.find(({ visitor }) => visitor.id === id && (!('proof' in visitor) || visitor.proof === proof));
      const shown = (requests: number, trend: number[], onPage = requests, counts = {}) => {
        const own = { requests, allowed: requests, verified: 0, spoofed: 0, ...counts };
        return { ...own, trend, pages: [{ page, ...own, requests: onPage, allowed: Math.min(own.allowed, onPage) }] };
      };
      const bare = (one: ReturnType<typeof of>) => {
        const { visitor: _, ...counts } = one ?? { visitor: null };
        return counts;
      };
      assert.deepEqual(bare(of('often')), shown(10, [6, 4], 4));
      assert.deepEqual(bare(of('GPTBot', 'verified')), shown(1, [1, 0], 1, { verified: 1 }));
      assert.deepEqual(bare(of('GPTBot', 'spoofed')), shown(1, [1, 0], 1, { allowed: 0, spoofed: 1 }));
      assert.deepEqual(bare(of('partner')), shown(1, [0, 1]));
      // At most 752 names a day: those of the flood, `often` and `gptbot`.
      assert.equal(of('other'), undefined);
      await given.addDecisions(on(Array.from({ length: 300 }, (_, n) => ask(`more-${n}`, START))));
      const after = await given.visitors(query);
      const other = after.visitors.find(({ visitor }) => visitor.id === 'other');
      assert.deepEqual(bare(other), shown(52, [52, 0]));
      assert.equal(
        after.visitors.reduce((sum, one) => sum + one.requests, 0),
        1_500 + 300 + 13,
      );
    });

    test('erased inputs have no program, and nobody knows its name any more', async () => {
      await using given = await begin();
      await given.addDecisions([...many(2, 'old/1', START), ...many(3, 'both/1', START)]);
      const upTo = seq;
      await given.addDecisions(many(4, 'both/1', START + DAY));
      assert.equal((await given.count()).get('old'), 2);
      await given.db.atomic([
        { sql: `update decisions set inputs = '{"reduced":["context"]}' where seq <= $1`, params: [upTo] },
        { sql: `insert into settings (name, value) values ('inputs_erased_to', $1)`, params: [String(upTo)] },
      ]);
      const expected = { null: 5, both: 4 };
      assert.deepEqual(Object.fromEntries(await given.count()), expected);
      await given.rebuild();
      assert.deepEqual(Object.fromEntries(await given.count()), expected);
    });

    test('an erased requester has no program, whatever its inputs were, also once all is counted again', async () => {
      await using given = await begin();
      const { db } = given;
      const by = { requesterId: 'acme', pseudonym: 'erased_1' };
      const of = (own: Partial<Decided>, all: Decided[]): Decided[] => all.map((one) => ({ ...one, ...own }));
      const theirs = [
        ...of({ requesterId: 'acme' }, [...many(2, 'mine/1', START), ...many(3, undefined, START)]),
        ...of({ claimed: 'acme' }, [...many(4, 'mine/1', START), ...many(5, undefined, START)]),
      ];
      const others = [...many(6, 'mine/1', START), ...many(7, undefined, START)];
      await given.addDecisions([...theirs, ...others]);
      const upTo = seq;
      const [half] = theirs.slice(theirs.length / 2);
      // They sent nothing at all.
      await db.atomic([{ sql: `update decisions set inputs = null where inputs = '{"context":{}}'` }]);
      assert.deepEqual(Object.fromEntries(await given.count()), { mine: 12, 'no user agent': 15 });

      await db.atomic([
        {
          sql: `insert into erasures (id, pseudonym, requester_id, status, walked_seq, last_seq, decisions, created_at, updated_at)
            values ('era_1', 'erased_1', 'acme', 'decisions', 0, $1, 0, 1, 1)`,
          params: [upTo],
        },
        ...replaceInDecisions(db, betweenSeqs(0, half?.seq ?? 0), by),
      ]);
      // Before all of them are replaced.
      await given.rebuild();
      await given.count().catch(() => undefined);
      await db.atomic([
        ...replaceInDecisions(db, betweenSeqs(0, upTo), by),
        { sql: `update erasures set status = 'columns', walked_seq = $1`, params: [upTo] },
      ]);
      const expected = { null: 14, mine: 6, 'no user agent': 7 };
      assert.deepEqual(Object.fromEntries(await given.count()), expected);
      for (const step of [`status = 'columns'`, `status = 'done', requester_id = null`]) {
        await db.atomic([{ sql: `update erasures set ${step}` }]);
        await given.rebuild();
        assert.deepEqual(Object.fromEntries(await given.count()), expected, step);
      }
      await given.addDecisions(of({ requesterId: 'acme' }, many(1, 'mine/1', START)));
      const all = { ...expected, mine: 7 };
      assert.deepEqual(Object.fromEntries(await given.count()), all, 'a new requester');

      await db.atomic([
        {
          sql: `insert into policy_versions (policy_no, version, policy_id, name, rules, default_action, created_at)
            values (1, 1, 'pol_1', 'P', '[]', 'deny', 1) on conflict do nothing`,
        },
      ]);
      const now = START + 60 * DAY;
      const { decisions } = await archive({
        records: given.installation,
        before: START + DAY,
        to: given.archiveDir,
        now,
        say() {},
      });
      assert.ok(decisions > 0);
      await given.rebuild();
      assert.deepEqual(Object.fromEntries(await given.count()), all, 'archived');
    });
  });
}
