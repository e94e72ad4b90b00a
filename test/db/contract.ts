/**
 * The contract of every engine's `Db`, as one suite. An engine's test file passes a function that opens an empty store;
 * `again` opens the same store once more after it was closed.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  Conflict,
  type Db,
  DbError,
  ForeignKeyViolation,
  type Step,
  Unavailable,
  UniqueViolation,
} from '../../src/db/db.ts';

export interface OpenedDb extends AsyncDisposable {
  db: Db;
  /** Opens what was closed. */
  again(): Promise<Db>;
}

const TABLES: readonly Step[] = [
  { sql: 'create table things (name text primary key, amount bigint not null, note text, share double precision)' },
  { sql: 'create table parts (name text primary key, thing text not null references things (name))' },
];

const insert = (name: string, amount = 0): Step => ({
  sql: 'insert into things (name, amount) values ($1, $2)',
  params: [name, amount],
});
const add = (name: string, amount: number): Step => ({
  sql: 'update things set amount = amount + $2 where name = $1',
  params: [name, amount],
  expect: 1,
});

const count = async (db: Db, where = '1 = 1'): Promise<number> => {
  const [row] = await db.read<{ n: number }>(`select count(*) as n from things where ${where}`);
  return Number(row?.n);
};
const amountOf = async (db: Db, name: string): Promise<number | undefined> => {
  const [row] = await db.read<{ amount: number }>('select amount from things where name = $1', [name]);
  return row && Number(row.amount);
};

export function dbContract(name: string, open: () => Promise<OpenedDb>): void {
  async function opened(): Promise<OpenedDb> {
    const one = await open();
    for (const step of TABLES) await one.db.atomic([step]);
    return one;
  }

  describe(`Db contract: ${name}`, () => {
    test('values come back as they went in', async () => {
      await using store = await opened();
      const { db } = store;
      const text = 'ü 🦀 \u2028 \' " $1 ?1 \\ %';
      await db.atomic([
        {
          sql: 'insert into things (name, amount, note, share) values ($1, $2, $3, $4)',
          params: [text, Number.MAX_SAFE_INTEGER, null, 0.1],
        },
      ]);
      const [row] = await db.read('select name, amount, note, share from things where name = $1', [text]);
      assert.deepEqual({ ...row }, { name: text, amount: Number.MAX_SAFE_INTEGER, note: null, share: 0.1 });
      await db.atomic([{ sql: 'update things set amount = $1, note = $2', params: [-1, ''] }]);
      const [changed] = await db.read('select amount, note from things');
      assert.deepEqual({ ...changed }, { amount: -1, note: '' });
    });

    test('placeholders go by number, not by the order in which they appear, and may be repeated', async () => {
      await using store = await opened();
      await store.db.atomic([
        {
          sql: 'insert into things (note, amount, name) values ($3, $1, $2), ($3, $1 + 1, $4)',
          params: [7, 'a', 'noted', 'b'],
        },
      ]);
      const rows = await store.db.read(
        'select name, amount, note from things where note = $2 and name >= $1 order by name',
        ['a', 'noted'],
      );
      assert.deepEqual(
        rows.map((row) => ({ ...row })),
        [
          { name: 'a', amount: 7, note: 'noted' },
          { name: 'b', amount: 8, note: 'noted' },
        ],
      );
    });

    test('a transaction is all or nothing, wherever it fails', async () => {
      await using store = await opened();
      const { db } = store;
      await db.atomic([insert('there', 1)]);
      for (const at of [0, 1, 2, 3]) {
        const steps = [insert('a'), insert('b'), add('there', 5)];
        steps.splice(at, 0, insert('there'));
        await assert.rejects(db.atomic(steps), UniqueViolation);
        assert.equal(await count(db), 1);
        assert.equal(await amountOf(db, 'there'), 1);
      }
      await db.atomic([insert('a'), insert('b'), add('there', 5), add('there', 6)]);
      assert.equal(await count(db), 3);
      assert.equal(await amountOf(db, 'there'), 12);
    });

    test('work that is done again if lost is all or nothing, seen by the next read, and there after closing', async () => {
      await using store = await opened();
      const { db } = store;
      await Promise.all([db.atomicLater([insert('a', 1), insert('b')]), db.atomic([insert('c')])]);
      await db.atomicLater([add('a', 1)]);
      assert.deepEqual([await count(db), await amountOf(db, 'a')], [3, 2]);
      await assert.rejects(db.atomicLater([insert('d'), insert('a')]), UniqueViolation);
      await assert.rejects(db.atomicLater([insert('d'), add('nobody', 1)]), Conflict);
      assert.equal(await count(db), 3);
      await db.close();
      const again = await store.again();
      assert.equal(await amountOf(again, 'a'), 2);
      await again.close();
    });

    test('a transaction of no steps is one', async () => {
      await using store = await opened();
      await store.db.atomic([]);
      assert.equal(await count(store.db), 0);
    });

    test('a step sees what the steps before it wrote', async () => {
      await using store = await opened();
      await store.db.atomic([
        insert('a', 3),
        { sql: `insert into things (name, amount) select 'b', amount * 2 from things where name = 'a'`, expect: 1 },
        add('b', 1),
      ]);
      assert.equal(await amountOf(store.db, 'b'), 7);
    });

    test('an expectation that does not hold is a Conflict and leaves nothing', async () => {
      await using store = await opened();
      const { db } = store;
      await db.atomic([insert('a', 1), insert('b', 1), insert('c', 2)]);
      const touch = (amount: number, expect: number): Step => ({
        sql: 'update things set amount = amount + 100 where amount = $1',
        params: [amount],
        expect,
      });
      await assert.rejects(db.atomic([insert('d'), touch(1, 1)]), Conflict);
      await assert.rejects(db.atomic([insert('d'), touch(9, 1)]), Conflict);
      await assert.rejects(db.atomic([insert('d'), touch(2, 0)]), Conflict);
      assert.deepEqual([await count(db), await count(db, 'amount > 99')], [3, 0]);
      await db.atomic([touch(1, 2), touch(2, 1), touch(9, 0)]);
      assert.equal(await count(db, 'amount > 99'), 3);
    });

    test('errors have their classes', async () => {
      await using store = await opened();
      const { db } = store;
      await db.atomic([insert('a'), { sql: `insert into parts (name, thing) values ('p', 'a')` }]);
      await assert.rejects(db.atomic([insert('a')]), UniqueViolation);
      await assert.rejects(
        db.atomic([{ sql: `insert into parts (name, thing) values ('q', 'nowhere')` }]),
        ForeignKeyViolation,
      );
      await assert.rejects(db.atomic([{ sql: `delete from things where name = 'a'` }]), ForeignKeyViolation);
      assert.equal(await count(db), 1);
    });

    test('a fault of our own is an Error and none of the classes', async () => {
      await using store = await opened();
      const { db } = store;
      const ours = (error: unknown): boolean => error instanceof Error && !(error instanceof DbError);
      await assert.rejects(db.atomic([{ sql: 'insert into nowhere (a) values (1)' }]), ours);
      await assert.rejects(db.atomic([insert('half'), { sql: 'this is not SQL' }]), ours);
      await assert.rejects(db.read('select nothing from things'), ours);
      await assert.rejects(db.read('this is not SQL'), ours);
      await assert.rejects(db.atomic([{ sql: 'insert into things (name) values (null)' }]), ours);
      assert.equal(await count(db), 0);
    });

    test('a read that starts after the answer sees what was written', async () => {
      await using store = await opened();
      const { db } = store;
      await Promise.all(
        Array.from({ length: 50 }, async (_, lane) => {
          for (let i = 1; i <= 20; i++) {
            await db.atomic(i === 1 ? [insert(`lane ${lane}`, 1)] : [add(`lane ${lane}`, 1)]);
            assert.equal(await amountOf(db, `lane ${lane}`), i);
          }
        }),
      );
    });

    test('a read is of one moment', async () => {
      await using store = await opened();
      const { db } = store;
      await db.atomic([insert('a', 500), insert('b', 500)]);
      const moves = (async () => {
        for (let i = 0; i < 300; i++) await db.atomic([add('a', -1), add('b', 1)]);
      })();
      const looks = (async () => {
        for (let i = 0; i < 1000; i++) {
          const [row] = await db.read<{ total: number }>('select sum(amount) as total from things');
          assert.equal(Number(row?.total), 1000);
        }
      })();
      await Promise.all([moves, looks]);
      assert.deepEqual([await amountOf(db, 'a'), await amountOf(db, 'b')], [200, 800]);
    });

    test('one that fails takes nothing else with it, however many are committed together', async () => {
      await using store = await opened();
      const { db } = store;
      await db.atomic([insert('there', 0)]);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 2000 }, (_, i) => {
          if (i % 7 === 1) return db.atomic([insert(`lost ${i}`), add('there', 1000), insert('there')]);
          if (i % 7 === 2) return db.atomic([insert(`lost ${i}`), add('there', 1000), add('nobody', 1)]);
          if (i % 7 === 3) return db.atomic([insert(`lost ${i}`), add('there', 1000), { sql: 'not SQL' }]);
          return db.atomic([insert(`kept ${i}`), add('there', 1)]);
        }),
      );
      const kept = outcomes.filter((outcome, i) => {
        const failing = [1, 2, 3].includes(i % 7);
        assert.equal(outcome.status, failing ? 'rejected' : 'fulfilled', `request ${i}`);
        if (outcome.status === 'rejected') {
          assert.equal(outcome.reason instanceof UniqueViolation, i % 7 === 1);
          assert.equal(outcome.reason instanceof Conflict, i % 7 === 2);
        }
        return !failing;
      }).length;
      assert.equal(await count(db, `name like 'kept%'`), kept);
      assert.equal(await count(db, `name like 'lost%'`), 0);
      assert.equal(await amountOf(db, 'there'), kept);
    });

    test('thousands at once: each has its effect once', async () => {
      await using store = await opened();
      const { db } = store;
      await db.atomic([insert('sum', 0)]);
      const reads: Promise<unknown>[] = [];
      await Promise.all(
        Array.from({ length: 5000 }, (_, i) => {
          if (i % 10 === 0) reads.push(db.read('select amount from things'));
          return db.atomic([add('sum', i)]);
        }),
      );
      await Promise.all(reads);
      assert.equal(await amountOf(db, 'sum'), (4999 * 5000) / 2);
    });

    test('of many who expect the same state, one succeeds', async () => {
      await using store = await opened();
      const { db } = store;
      await db.atomic([insert('version', 1)]);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 64 }, (_, i) =>
          db.atomic([
            { sql: `update things set amount = amount + 1 where name = 'version' and amount = 1`, expect: 1 },
            insert(`by ${i}`),
          ]),
        ),
      );
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
      for (const one of outcomes) assert.ok(one.status === 'fulfilled' || one.reason instanceof Conflict);
      assert.deepEqual([await amountOf(db, 'version'), await count(db)], [2, 2]);
    });

    test('the queue has a bound: what is beyond it is Unavailable and without effect, the rest is done', async () => {
      await using store = await opened();
      const { db } = store;
      const outcomes = await Promise.allSettled(Array.from({ length: 40_000 }, (_, i) => db.atomic([insert(`n${i}`)])));
      const done = outcomes.filter(({ status }) => status === 'fulfilled').length;
      for (const one of outcomes) assert.ok(one.status === 'fulfilled' || one.reason instanceof Unavailable);
      assert.ok(done >= 1000 && done < outcomes.length, `${done} done`);
      assert.equal(await count(db), done);
      await db.atomic([insert('and on it goes')]);
      assert.equal(await count(db), done + 1);
    });

    test('close finishes what was asked; afterwards there is only Unavailable', async () => {
      await using store = await opened();
      const { db } = store;
      const asked = Array.from({ length: 2000 }, (_, i) => db.atomic([insert(`n${i}`)]));
      const read = db.read('select count(*) from things');
      const [, ...outcomes] = await Promise.all([db.close(), read, ...asked]);
      assert.equal(outcomes.length, 2001);
      await assert.rejects(db.atomic([insert('late')]), Unavailable);
      await assert.rejects(db.read('select 1'), Unavailable);
      const again = await store.again();
      assert.equal(await count(again), 2000);
      await again.close();
    });

    test('closing twice is closing once', { timeout: 5000 }, async () => {
      await using store = await opened();
      const { db } = store;
      const asked = db.atomic([insert('a')]);
      await Promise.all([db.close(), db.close(), asked]);
      await db.close();
    });

    test('what was written is there when the store is opened again', async () => {
      await using store = await opened();
      await store.db.atomic([insert('a', 1)]);
      await store.db.close();
      const again = await store.again();
      assert.equal(await amountOf(again, 'a'), 1);
      await again.atomic([add('a', 1)]);
      assert.equal(await amountOf(again, 'a'), 2);
      await again.close();
    });
  });
}
