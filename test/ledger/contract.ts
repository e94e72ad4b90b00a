/**
 * The contract of every engine's `Ledger`, as one suite. An engine's test file passes a function that opens an empty
 * ledger. `again` opens one more on the same store, as a restart does, with or without closing the first.
 */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decision as decisionWith, entry } from '../../kit/entry.ts';
import { pluck } from '../../kit/pluck.ts';
import { runSeed, seeded } from '../../kit/random.ts';
import { until } from '../../kit/until.ts';
import { Conflict, type Db, Unavailable } from '../../src/db/db.ts';
import { countedSpan } from '../../src/decisions/history/counted.ts';
import { type Decision, type Draft, settle } from '../../src/decisions/ledger/decision.ts';
import { type Ledger, type LedgerReceipt, type Recorded, Stale } from '../../src/decisions/ledger/ledger.ts';
import { type Clock, monotonicMs } from '../../src/lib/clock.ts';
import type { Claim } from '../../src/rules/claim.ts';
import type { Limit } from '../../src/rules/limit.ts';
import { REASONS } from '../../src/rules/reason.ts';

export interface OpenedLedger {
  ledger: Ledger;
  db: Db;
}

export interface LedgerStore extends AsyncDisposable {
  open(clock?: Clock): Promise<OpenedLedger>;
  /** Blocks every other writer until it is disposed of. */
  hold(): Promise<AsyncDisposable>;
}

const DENIED_LIMIT = REASONS.rate_limit_exceeded.code;
const DENIED_POLICY = REASONS.policy_denied.code;

const limitOf = (requests: number, period: Limit['period'] = 'hour'): Limit => ({ requests, period });
const claim = (key: string, requests: number, period?: Limit['period']): Claim => ({
  key,
  limit: limitOf(requests, period),
});

function draft(limit: Limit | null = null): Draft {
  return { decision: decisionWith({ message: 'Ü "quoted" 🦀', externalId: 'a/b' }), limit, message: null };
}

interface DecisionRow extends Record<string, string | number | null> {
  seq: number;
  at: number;
  requester_id: string | null;
  reason: number;
  limit_remaining: number | null;
  limit_reset_at: number | null;
}

const rowsOf = async (db: Db): Promise<DecisionRow[]> => {
  const rows = await db.read<DecisionRow>('select * from decisions order by seq');
  return rows.map((row) => ({ ...row, seq: Number(row.seq), at: Number(row.at), reason: Number(row.reason) }));
};

const receiptsOf = (db: Db) => db.read<{ scope: string; status: number; body: string }>('select * from receipts');

const admitted = (recorded: readonly Recorded[]): boolean[] => recorded.map((one) => one.granted?.admitted === true);

/** A clock that a test moves, forward and back. */
function handClock(start = Date.parse('2026-11-21T09:30:00Z')): Clock & { at: number } {
  const clock = { at: start, now: () => clock.at };
  return clock;
}

function assertAscending(recorded: readonly Recorded[]): void {
  for (let i = 1; i < recorded.length; i++) {
    const [before, after] = [recorded[i - 1] as Recorded, recorded[i] as Recorded];
    assert.ok(before.seq < after.seq && before.id < after.id && before.at <= after.at, `${before.id} ${after.id}`);
  }
}

export function ledgerContract(name: string, empty: () => Promise<LedgerStore>): void {
  describe(`Ledger contract: ${name}`, () => {
    test('entries are recorded as they are, in the order in which they came', async () => {
      await using store = await empty();
      const { ledger, db } = await store.open();
      const answers = await Promise.all(
        Array.from({ length: 600 }, (_, i) =>
          ledger.record(
            Array.from({ length: (i % 4) + 1 }, (__, j) => entry({ requesterId: `${i}.${j}`, inputs: `{"n":${i}}` })),
          ),
        ),
      );
      const recorded = answers.flat();
      assertAscending(recorded);
      const rows = await rowsOf(db);
      assert.equal(rows.length, recorded.length);
      let place = 0;
      for (const [i, answer] of answers.entries()) {
        for (const j of answer.keys()) {
          const row = rows[place] as DecisionRow;
          assert.deepEqual([row.requester_id, row.inputs], [`${i}.${j}`, `{"n":${i}}`]);
          assert.deepEqual([row.seq, row.at], [recorded[place]?.seq, recorded[place]?.at]);
          place++;
        }
      }
    });

    test('every field of an entry comes back', async () => {
      await using store = await empty();
      const { ledger, db } = await store.open();
      const full = {
        contentNo: 2 ** 40,
        requesterId: 'a:b@c/d-e.f_g',
        policyNo: 7,
        policyVersion: 300,
        reason: DENIED_POLICY,
        ruleIndex: 99,
        rulePriority: -1_000_000_000,
        licenseId: 'lic_1',
        permission: 'index',
        purpose: 'ü 🦀',
        inputs: '{"context":{"country":"DE"}}',
        url: 'www.example.com/ü/?a=b',
        file: 'www.example.com/ü?a=b',
        collectionId: 'col_1',
        crawler: 'GPTBot',
        verified: 4,
        claimed: 'x"y',
        wanted: '["a"]',
        enforced: 0,
        candidate: '[1,7,null]',
      };
      const [one] = await ledger.record([entry(full)]);
      await ledger.record([entry({ requesterId: null })]);
      const [first, second] = await rowsOf(db);
      assert.deepEqual(first, {
        seq: one?.seq,
        at: one?.at,
        content_no: full.contentNo,
        requester_id: full.requesterId,
        policy_no: full.policyNo,
        policy_version: full.policyVersion,
        reason: full.reason,
        rule_index: full.ruleIndex,
        rule_priority: full.rulePriority,
        license_id: full.licenseId,
        limit_remaining: null,
        limit_reset_at: null,
        inputs: full.inputs,
        url: full.url,
        file: full.file,
        collection_id: full.collectionId,
        crawler: full.crawler,
        verified: full.verified,
        claimed: full.claimed,
        permission: full.permission,
        purpose: full.purpose,
        enforced: full.enforced,
        candidate: full.candidate,
        wanted: full.wanted,
        quota: null,
      });
      assert.deepEqual([second?.requester_id, second?.inputs, second?.rule_index], [null, null, null]);
    });

    test('what was answered is there for whoever asks the store next', async () => {
      await using store = await empty();
      const { ledger, db } = await store.open();
      await Promise.all(
        Array.from({ length: 200 }, async () => {
          const [one] = await ledger.record([entry()]);
          assert.equal((await db.read('select 1 from decisions where seq = $1', [one?.seq ?? 0])).length, 1);
        }),
      );
    });

    test('ids ascend and are unique over restarts, ends without a close and purges of the newest rows', async () => {
      await using store = await empty();
      const clock = handClock();
      const all: Recorded[] = [];
      for (let round = 0; round < 5; round++) {
        const { ledger, db } = await store.open(clock);
        for (let i = 0; i < 3; i++) all.push(...(await ledger.record([entry(), entry()])));
        if (round % 2 === 0)
          await db.atomic([{ sql: 'delete from decisions where seq > $1', params: [all[1]?.seq ?? 0] }]);
        if (round === 3) await ledger.close();
      }
      assertAscending(all);
      assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
    });

    test('a ledger keeps its number over restarts', async () => {
      await using store = await empty();
      const first = await store.open();
      const again = await store.open();
      assert.equal(first.ledger.ledgerNo, again.ledger.ledgerNo);
      await using other = await empty();
      assert.notEqual((await other.open()).ledger.ledgerNo, first.ledger.ledgerNo);
    });

    test('after a restart the clock does not read before the newest entry, so ids still sort by time', async () => {
      await using store = await empty();
      const clock = handClock();
      const first = await store.open(clock);
      const before = await first.ledger.record([entry()]);
      await first.ledger.close();
      clock.at -= 60_000;
      const { ledger } = await store.open(clock);
      assertAscending([...before, ...(await ledger.record([entry()]))]);
    });

    test('a clock set back over a restart gives no limit anew: the bound holds in recorded times', async () => {
      await using store = await empty();
      const clock = handClock();
      const record = async (ledger: Ledger) => (await ledger.record([entry({ claim: claim('k', 2, 'minute') })]))[0];
      const first = await store.open(clock);
      const times: number[] = [];
      for (let i = 0; i < 2; i++) times.push((await record(first.ledger))?.at ?? 0);
      await first.ledger.close();
      clock.at -= 30_000;
      const { ledger } = await store.open(clock);
      for (let i = 0; i < 200; i++) {
        clock.at += 1_000;
        const one = await record(ledger);
        if (one?.granted?.admitted === true) times.push(one.at);
      }
      for (const at of times) {
        const within = times.filter((time) => time >= at && time <= at + 60_000).length;
        assert.ok(within <= 2, `${within} of 2 a minute from ${new Date(at).toISOString()}`);
      }
    });

    test('decisions are found by their time, wherever the clock was set, also over a restart', async () => {
      await using store = await empty();
      const clock = handClock();
      const random = seeded(runSeed);
      let { ledger, db } = await store.open(clock);
      const times: number[] = [];
      for (let i = 0; i < 40; i++) {
        // An hour is the most that a restart makes up for.
        clock.at += random.pick([1, 1_000, 60_000, -30_000, 5 * 3_600_000, -4 * 3_600_000]);
        if (random.chance(0.2)) {
          await ledger.close();
          ({ ledger, db } = await store.open(clock));
        }
        const recorded = await Promise.all(
          Array.from({ length: random.int(1, 4) }, () => ledger.record([entry(), entry()])),
        );
        times.push(...recorded.flat().map(({ at }) => at));
      }
      assert.ok(
        times.some((at, i) => i > 0 && at < (times[i - 1] as number)),
        'time went back',
      );
      const rows = await rowsOf(db);
      for (let i = 0; i < 200; i++) {
        const [from = 0, to = 0] = [random.pick(times), random.pick(times) + random.int(0, 2)].toSorted(
          (a, b) => a - b,
        );
        const span = await countedSpan(db, from, to);
        const within = rows.filter(({ at }) => at >= from && at < to).map(({ seq }) => seq);
        const lost = within.filter((seq) => seq <= span.after || seq > span.last);
        assert.deepEqual(lost, [], `${from} ${to}`);
      }
    });

    test('claims of one flush share a limit, in order', async () => {
      await using store = await empty();
      const { ledger, db } = await store.open(handClock());
      const [batch, ...singles] = await Promise.all([
        ledger.record(Array.from({ length: 6 }, () => entry({ claim: claim('k', 9) }))),
        ...Array.from({ length: 6 }, () => ledger.record([entry({ claim: claim('k', 9) })])),
      ]);
      const recorded = [...batch, ...singles.flat()];
      assert.deepEqual(
        admitted(recorded),
        Array.from({ length: 12 }, (_, i) => i < 9),
      );
      assert.deepEqual(
        recorded.map((one) => one.granted?.remaining),
        [8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0],
      );
      const rows = await rowsOf(db);
      assert.deepEqual(
        rows.map((row) => row.reason),
        Array.from({ length: 12 }, (_, i) => (i < 9 ? 0 : DENIED_LIMIT)),
      );
      for (const [i, row] of rows.entries()) {
        assert.equal(row.limit_remaining, recorded[i]?.granted?.remaining);
        assert.equal(row.limit_reset_at, recorded[i]?.granted?.resetAt);
      }
    });

    test('thousands of claims at once: never more than the limit, and no allowance is lost', async () => {
      await using store = await empty();
      const { ledger } = await store.open(handClock());
      const answers = await Promise.all(
        Array.from({ length: 4000 }, (_, i) =>
          ledger.record([
            entry({ claim: claim(`small ${i % 3}`, 50) }),
            entry({ claim: claim('large', 5000) }),
            entry({ claim: claim('large', 5000) }),
          ]),
        ),
      );
      const count = (at: number) => answers.filter((answer) => answer[at]?.granted?.admitted === true).length;
      assert.deepEqual([count(0), count(1) + count(2)], [150, 5000]);
    });

    test('limits with other keys do not touch each other; a limit outlives edits of its number', async () => {
      await using store = await empty();
      const { ledger } = await store.open(handClock());
      const take = async (key: string, requests: number) => {
        const [one] = await ledger.record([entry({ claim: claim(key, requests) })]);
        return [one?.granted?.admitted, one?.granted?.remaining];
      };
      assert.deepEqual(await take('a', 2), [true, 1]);
      assert.deepEqual(await take('b', 2), [true, 1]);
      assert.deepEqual(await take('a', 1), [false, 0]);
      assert.deepEqual(await take('a', 3), [true, 1]);
      assert.deepEqual(await take("a' or 1=1 --\u0000", 1), [true, 0]);
    });

    test('a limit survives a restart', async () => {
      await using store = await empty();
      const clock = handClock();
      const first = await store.open(clock);
      await first.ledger.record(Array.from({ length: 120 }, () => entry({ claim: claim('k', 121) })));
      const { ledger } = await store.open(clock);
      const recorded = await ledger.record([1, 2].map(() => entry({ claim: claim('k', 121) })));
      assert.deepEqual(admitted(recorded), [true, false]);
    });

    test('a peek uses nothing and tells what a claim would be answered', async () => {
      await using store = await empty();
      const { ledger, db } = await store.open(handClock());
      const claims = [claim('a', 2), claim('b', 1), claim('a', 2)];
      for (let i = 0; i < 3; i++) {
        const seen = await ledger.peek(claims);
        assert.deepEqual(
          seen.map((one) => [one.admitted, one.remaining]),
          [
            [true, 2],
            [true, 1],
            [true, 2],
          ],
        );
      }
      await ledger.record([entry({ claim: claim('b', 1) }), entry({ claim: claim('a', 2) })]);
      const seen = await ledger.peek(claims);
      assert.deepEqual(
        seen.map((one) => [one.admitted, one.remaining]),
        [
          [true, 1],
          [false, 0],
          [true, 1],
        ],
      );
      assert.deepEqual(await ledger.peek([]), []);
      const uses = { ...claim('a', 2), uses: true };
      const inOrder = await ledger.peek([claim('a', 2), uses, claim('a', 2), claim('c', 1), uses, claim('a', 2)]);
      assert.deepEqual(
        inOrder.map((one) => [one.admitted, one.remaining]),
        [
          [true, 1],
          [true, 0],
          [false, 0],
          [true, 1],
          [false, 0],
          [false, 0],
        ],
      );
      assert.equal((await rowsOf(db)).length, 2);
      const recorded = await ledger.record([1, 2].map(() => entry({ claim: claim('a', 2) })));
      assert.deepEqual(admitted(recorded), [true, false]);
    });

    test('what the store held up for more than a second is not recorded but handed back; decided again it goes first', async () => {
      await using store = await empty();
      const { ledger, db } = await store.open();
      const readAt = monotonicMs();
      const grounds = { readAt };
      const held = await store.hold();
      const outcomes = Promise.allSettled([
        ledger.record([entry()], undefined, grounds),
        ledger.record([entry({ claim: claim('k', 1) })], undefined, grounds),
        ledger.record([entry(), entry()], { scope: 's', bodyHash: 'h', status: 200, parts: ['{}'] }, grounds),
      ]);
      // And half a second in which a transaction that began in time may wait for it.
      await until('more than a second', () => monotonicMs() > readAt + 1_600);
      await held[Symbol.asyncDispose]();
      for (const one of await outcomes) {
        assert.ok(one.status === 'rejected' && one.reason instanceof Stale, JSON.stringify(one));
        assert.ok(one.reason.since >= readAt);
      }
      assert.deepEqual([await rowsOf(db), await receiptsOf(db)], [[], []]);
      const since = readAt;
      const [others, [again]] = await Promise.all([
        Promise.all(Array.from({ length: 5 }, () => ledger.record([entry()], undefined, { readAt: monotonicMs() }))),
        ledger.record([entry({ claim: claim('k', 1) })], undefined, { readAt: monotonicMs(), since }),
      ]);
      assert.equal(again?.granted?.admitted, true);
      for (const [other] of others) assert.ok((again?.seq ?? 0) < (other?.seq ?? 0), 'it had waited already');
      assertAscending([again, ...others.flat()]);
    });

    test('what was decided more than a second ago is handed back at once; what waits for too long is refused', async () => {
      await using store = await empty();
      const { ledger, db } = await store.open();
      const now = monotonicMs();
      const record = (age: number, since?: number) =>
        ledger.record([entry()], undefined, { readAt: now - age, ...(since === undefined ? {} : { since }) });
      await assert.rejects(record(1_000), Stale);
      await assert.rejects(record(0, now - 10_001), Unavailable);
      assert.equal((await record(0)).length, 1);
      assert.equal((await ledger.record([entry()])).length, 1);
      assert.equal((await rowsOf(db)).length, 2);
    });

    describe('receipts', () => {
      const receipt = (scope: string, parts: LedgerReceipt['parts'] = ['{}']): LedgerReceipt => ({
        scope,
        bodyHash: 'h',
        status: 200,
        parts,
      });

      test('the body kept is the body answered, with the limits of its own entries', async () => {
        await using store = await empty();
        const { ledger, db } = await store.open();
        const limit = limitOf(2);
        const entries = [
          entry({ claim: { key: 'k', limit } }),
          entry({ reason: DENIED_POLICY }),
          entry({ claim: { key: 'k', limit } }),
          entry({ claim: { key: 'other', limit } }),
          entry({ claim: { key: 'k', limit } }),
        ];
        const drafts = entries.map(({ claim: wish }) => draft(wish?.limit ?? null));
        const parts: LedgerReceipt['parts'] = [
          '{"data":[',
          ...drafts.flatMap((one, i) => [...(i === 0 ? [] : [',']), { ...one, entry: i }]),
          ']}',
        ];
        // Other decisions on the same limit at the same time, before and after.
        const [, recorded] = await Promise.all([
          ledger.record([entry({ claim: { key: 'other', limit } })]),
          ledger.record(entries, receipt('s', parts)),
          ledger.record([entry({ claim: { key: 'k', limit } })]),
        ]);
        const answered = drafts.map((one, i) => JSON.stringify(settle(one, recorded[i] as Recorded)));
        const [kept] = await receiptsOf(db);
        assert.equal(kept?.body, `{"data":[${answered.join(',')}]}`);
        assert.deepEqual(
          answered.map((text) => (JSON.parse(text) as Decision).reason),
          [null, null, null, null, 'rate_limit_exceeded'],
        );
      });

      test('a second receipt of a scope is a Conflict; nothing of its entries stands and others are not harmed', async () => {
        await using store = await empty();
        const { ledger, db } = await store.open(handClock());
        const limited = () => entry({ claim: claim('k', 3) });
        await ledger.record([limited()], receipt('s'));
        const outcomes = await Promise.allSettled([
          ledger.record([limited()]),
          ledger.record([limited(), entry()], receipt('s')),
          ledger.record([limited()]),
          ledger.record([limited()], receipt('t')),
        ]);
        assert.deepEqual(pluck(outcomes, 'status'), ['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
        assert.ok((outcomes[1] as PromiseRejectedResult).reason instanceof Conflict);
        assert.equal((outcomes[2] as PromiseFulfilledResult<Recorded[]>).value[0]?.granted?.remaining, 0);
        assert.deepEqual(admitted((outcomes[3] as PromiseFulfilledResult<Recorded[]>).value), [false]);
        assert.equal((await rowsOf(db)).length, 4);
        assert.equal((await receiptsOf(db)).length, 2);
      });

      test('a flush that is attempted again keeps, answers and records the same: nothing of the first attempt', async () => {
        await using store = await empty();
        const { ledger, db } = await store.open();
        const limit = limitOf(1);
        const limited = () => entry({ claim: { key: 'k', limit } });
        const answered = draft(limit);
        await ledger.record([entry()], receipt('s'));
        // In one flush the first takes the only admission, and is found to be answered already; then each goes alone.
        const [first, second] = await Promise.allSettled([
          ledger.record([limited()], receipt('s')),
          ledger.record([limited()], receipt('t', [{ ...answered, entry: 0 }])),
        ]);
        assert.ok(first.status === 'rejected' && first.reason instanceof Conflict);
        const [recorded] = second.status === 'fulfilled' ? second.value : [];
        const decision = settle(answered, recorded as Recorded);
        const kept = (await receiptsOf(db)).find(({ scope }) => scope === 't');
        assert.deepEqual(JSON.parse(kept?.body ?? ''), decision);
        assert.deepEqual([decision.allowed, decision.reason, recorded?.granted?.admitted], [true, null, true]);
        assert.equal((await rowsOf(db)).at(-1)?.reason, 0);
      });

      test('of many with one scope at the same time, one is recorded', async () => {
        await using store = await empty();
        const { ledger, db } = await store.open();
        const outcomes = await Promise.allSettled(
          Array.from({ length: 20 }, () => ledger.record([entry({ claim: claim('k', 100) })], receipt('s'))),
        );
        assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
        assert.equal((await rowsOf(db)).length, 1);
        assert.equal((await ledger.peek([claim('k', 100)]))[0]?.remaining, 99);
      });

      test('after 24 hours a scope is free again', async () => {
        await using store = await empty();
        const clock = handClock();
        const { ledger, db } = await store.open(clock);
        const record = (word: string) => ledger.record([entry()], receipt('s', [word, { ...draft(), entry: 0 }]));
        await record('first');
        clock.at += 24 * 3_600_000 - 1;
        await assert.rejects(record('second'), Conflict);
        clock.at += 1;
        await record('third');
        const [kept, ...others] = await receiptsOf(db);
        assert.equal(others.length, 0);
        assert.match(kept?.body ?? '', /^third/);
      });
    });

    test('head is the newest place acknowledged, over restarts too', async () => {
      await using store = await empty();
      const first = await store.open();
      assert.equal(first.ledger.head(), 0);
      const under = first.ledger.record([entry(), entry()]);
      assert.equal(first.ledger.head(), 0);
      assert.equal(first.ledger.head(), 0);
      const recorded = await under;
      assert.equal(first.ledger.head(), recorded[1]?.seq);
      const last = (await Promise.all(Array.from({ length: 50 }, () => first.ledger.record([entry()])))).at(-1);
      assert.equal(first.ledger.head(), last?.[0]?.seq);
      const { ledger } = await store.open();
      assert.equal(ledger.head(), last?.[0]?.seq);
    });

    test('what waits has a bound: beyond it Unavailable, with nothing recorded; the rest is', async () => {
      await using store = await empty();
      const { ledger, db } = await store.open();
      const outcomes = await Promise.allSettled(
        Array.from({ length: 120 }, () => ledger.record(Array.from({ length: 1000 }, () => entry()))),
      );
      const done = outcomes.filter(({ status }) => status === 'fulfilled').length;
      for (const one of outcomes) assert.ok(one.status === 'fulfilled' || one.reason instanceof Unavailable);
      assert.ok(done >= 10 && done < 120, `${done} done`);
      const [row] = await db.read<{ n: number }>('select count(*) as n from decisions');
      assert.equal(Number(row?.n), done * 1000);
      assert.equal((await ledger.record([entry()])).length, 1);
    });

    test('close waits for what was asked', async () => {
      await using store = await empty();
      const { ledger, db } = await store.open();
      const asked = Array.from({ length: 300 }, () => ledger.record([entry()]));
      await ledger.close();
      assert.equal((await rowsOf(db)).length, 300);
      await Promise.all(asked);
    });

    test('when the store is gone a check is refused, not given', async () => {
      await using store = await empty();
      const { ledger, db } = await store.open();
      await ledger.record([entry()]);
      await db.close();
      await assert.rejects(ledger.record([entry()]), Unavailable);
      await assert.rejects(ledger.peek([claim('k', 1)]), Unavailable);
    });
  });
}
