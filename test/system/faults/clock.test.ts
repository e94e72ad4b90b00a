/**
 * A clock that is set while the service works: the machine's for embedded records, the database's for a cluster. Time
 * goes on, limits refill and keys expire; what was set forward by mistake and taken back is well again without a
 * restart.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { query, testPostgres } from '../../../kit/postgres.ts';
import { startTestService, type TestService } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { allowAll, item, made, makePolicy } from '../../http/given.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const YEAR = 365 * 24 * HOUR;

interface Machine extends AsyncDisposable {
  env: Record<string, string>;
  /** Moves the clock to so far from the right time. */
  set(offMs: number): Promise<void>;
}

const rightNow = Date.now;
after(() => {
  Date.now = rightNow;
});

async function thisMachine(): Promise<Machine> {
  return {
    env: {},
    async set(offMs) {
      Date.now = () => rightNow() + offMs;
    },
    async [Symbol.asyncDispose]() {
      Date.now = rightNow;
    },
  };
}

async function databaseMachine(): Promise<Machine> {
  const database = await (await testPostgres()).newDatabase();
  const name = new URL(database.url).pathname.slice(1);
  await query(
    database.url,
    `create schema fake;
     create table fake.clock (off bigint);
     insert into fake.clock values (0);
     create function fake.clock_timestamp() returns timestamptz language sql volatile
       as 'select pg_catalog.clock_timestamp() + (select off from fake.clock) * interval ''1 millisecond''';
     alter database ${name} set search_path = fake, pg_catalog, public`,
  );
  return {
    env: { POSTERN_DATABASE_URL: database.url },
    async set(offMs) {
      await query(database.url, `update fake.clock set off = ${offMs}`);
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

const check = async (postern: TestService, contentId: string) => {
  const { body } = await postern.call('POST', '/v1/access/check', { body: { contentId } });
  assert.equal(body.recorded, true);
  return { allowed: body.allowed as boolean, at: Date.parse(body.created), id: body.id as string };
};

const limited = (requests: number, period: string) => [{ ...allowAll, rateLimit: { requests, period } }];

async function given(postern: TestService, rules: unknown[]): Promise<string> {
  const policy = await makePolicy(postern, rules);
  return (await made(postern, '/v1/content', item({ policyId: policy.id }))).id;
}

const aheadMs = async (postern: TestService): Promise<number> => {
  const { text } = await postern.call('GET', '/metrics', { key: null });
  return Number(/^postern_clock_ahead_ms (\d+)/m.exec(text)?.[1]);
};

const said = (postern: TestService, words: RegExp): boolean => postern.logs.some((line) => words.test(line));

for (const [engine, machineOf] of [
  ['embedded', thisMachine],
  ['PostgreSQL', databaseMachine],
] as const) {
  describe(`${engine}: a clock that is set while the service works`, () => {
    for (const back of [10 * MINUTE, 2 * HOUR, YEAR]) {
      test(`back by ${back / MINUTE} minutes: time goes on, limits refill, keys expire, the operator is told`, async () => {
        await using machine = await machineOf();
        await using postern = await startTestService({ env: machine.env });
        const id = await given(postern, limited(1, 'second'));
        const key = await made(postern, '/v1/api-keys', {
          name: 'short',
          type: 'secret',
          permissions: ['content:read'],
          expiresAt: new Date(rightNow() + 4_000).toISOString(),
        });
        const first = await check(postern, id);
        assert.equal(first.allowed, true);
        await machine.set(-back);
        await until('the clock is found behind', async () => (await aheadMs(postern)) > back / 2);
        await until('the limit is free', async () => (await check(postern, id)).allowed);
        const times: number[] = [first.at];
        await until('the key has expired', async () => {
          times.push((await check(postern, id)).at);
          return (await postern.call('GET', '/v1/content', { key: key.key })).status === 401;
        });
        assert.deepEqual(
          times,
          times.toSorted((a, b) => a - b),
        );
        assert.ok(new Set(times).size > times.length / 4, 'each has its own time');
        assert.ok(Math.abs((times.at(-1) as number) - rightNow()) < 2_000);
        await until('a warning', () => said(postern, /was set back/));

        // It would be behind its newest entry; within an hour it goes on from there.
        await postern.restart();
        const next = await check(postern, id);
        const expected = back <= HOUR ? rightNow() : rightNow() - back;
        assert.ok(Math.abs(next.at - expected) < 5_000, `${next.at - expected} ms off`);
        if (back <= HOUR) assert.ok(next.at > (times.at(-1) as number));
      });
    }

    test('forward by a year and back: what comes then has the right time, without a restart', async () => {
      await using machine = await machineOf();
      await using postern = await startTestService({ env: machine.env });
      const second = await given(postern, limited(1, 'second'));
      const free = await given(postern, [allowAll]);
      await check(postern, second);
      await machine.set(YEAR);
      await until('the step is followed', async () => (await check(postern, free)).at > rightNow() + YEAR / 2);
      await until('a warning', () => said(postern, /was set forward/));
      const wrong = await check(postern, second);
      assert.equal(wrong.allowed, true);
      await machine.set(0);
      await until('the time is right', async () => Math.abs((await check(postern, free)).at - rightNow()) < 2_000);
      await until('a warning', () => said(postern, /was set back to where it was before/));
      await until('the limit is free', async () => (await check(postern, second)).allowed);
      const edited = await made(postern, '/v1/content', item());
      assert.ok(Math.abs(Date.parse(edited.created) - rightNow()) < 2_000);
      assert.ok((await aheadMs(postern)) < 1_000);
      // Both are found, by id and in the log.
      assert.equal((await postern.call('GET', `/v1/access/decisions/${wrong.id}`)).body.id, wrong.id);
      const { body: log } = await postern.call('GET', `/v1/access/decisions?contentId=${second}&allowed=true`);
      assert.ok(log.data.some((one: { id: string }) => one.id === wrong.id));
    });
  });
}
