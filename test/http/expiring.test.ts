/** `license.expiring`: 30, 7 and 1 days before the end, once for each, over restarts and nodes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testPostgres } from '../../kit/postgres.ts';
import { startTestService, type TestService, testClock } from '../../kit/service.ts';
import { until } from '../../kit/until.ts';
import { made } from './given.ts';

const DAY_MS = 86_400_000;
const iso = (at: number): string => new Date(at).toISOString();

async function given(of: TestService, at: number, days: number | null) {
  const requesterId = `r-${Math.random()}`;
  await made(of, '/v1/requesters', { id: requesterId });
  const expiresAt = days === null ? null : iso(at + days * DAY_MS);
  return (await made(of, '/v1/licenses', { requesterId, type: 'reader', expiresAt })).id as string;
}
async function notices(of: TestService, id: string): Promise<number[]> {
  const { body } = await of.call('GET', `/v1/events?type=license.expiring&objectId=${id}&limit=100`);
  return body.data.map((event: any) => event.data.object.expiresInDays).toReversed();
}
/** Waits until the service has looked: a notice that is due now has been given. */
async function looked(of: TestService, clock: ReturnType<typeof testClock>) {
  const id = await given(of, clock.now() + 2, 1);
  clock.advance(2);
  await until('the probe', async () => (await notices(of, id)).length === 1);
}

test('comes 30, 7 and 1 days before the end, once each, also over restarts', async () => {
  const clock = testClock();
  await using own = await startTestService({ clock });
  const id = await given(own, clock.now(), 40);
  const end = clock.now() + 40 * DAY_MS;
  const told: number[] = [];
  for (const days of [30, 7, 1]) {
    clock.advance(end - days * DAY_MS - clock.now() - 3);
    await looked(own, clock);
    assert.deepEqual(await notices(own, id), told, `before ${days}`);
    clock.advance(1);
    told.push(days);
    await looked(own, clock);
    await own.restart();
    await looked(own, clock);
    assert.deepEqual(await notices(own, id), told);
  }
  const { body } = await own.call('GET', `/v1/events?type=license.expiring&objectId=${id}`);
  const { object, expiresAt, valid } = body.data[0].data.object;
  assert.deepEqual([object, expiresAt, valid], ['license', iso(end), true]);
  clock.advance(5 * DAY_MS);
  await looked(own, clock);
  // Events are kept for 30 days.
  const recent = (await notices(own, id)).filter((days) => days < 30);
  assert.deepEqual(recent, [7, 1]);
});

test('of those missed while the service was down only the last comes; after the end none', async () => {
  const clock = testClock();
  await using own = await startTestService({ clock });
  const late = await given(own, clock.now(), 40);
  const over = await given(own, clock.now(), 34);
  await own.service.close();
  clock.advance(35 * DAY_MS);
  await own.restart();
  await looked(own, clock);
  assert.deepEqual([await notices(own, late), await notices(own, over)], [[7], []]);
});

test('follows edits of the end; a revoked, short or endless license has none', async () => {
  const clock = testClock();
  await using own = await startTestService({ clock });
  const start = clock.now();
  const [moved, closer, revoked, short, endless] = [
    await given(own, start, 31),
    await given(own, start, 60),
    await given(own, start, 31),
    await given(own, start, 6),
    await given(own, start, null),
  ] as [string, string, string, string, string];
  await own.call('POST', `/v1/licenses/${revoked}/revoke`);
  clock.advance(1.5 * DAY_MS);
  await looked(own, clock);
  const patch = (id: string, body: object) => own.call('PATCH', `/v1/licenses/${id}`, { body });
  await patch(moved, { expiresAt: iso(clock.now() + 31 * DAY_MS) });
  await patch(closer, { expiresAt: iso(clock.now() + 20 * DAY_MS) });
  await patch(short, { features: ['a'] });
  clock.advance(3 * DAY_MS);
  await looked(own, clock);
  const all = async () => Promise.all([moved, closer, revoked, short, endless].map((id) => notices(own, id)));
  assert.deepEqual(await all(), [[30, 30], [], [], [], []]);
  clock.advance(11 * DAY_MS);
  await looked(own, clock);
  assert.deepEqual(await all(), [[30, 30], [7], [], [], []]);
});

test('a license of before the upgrade has the notice that it is past, and the later ones', async () => {
  const clock = testClock();
  await using own = await startTestService({ clock });
  const id = await given(own, clock.now(), 40);
  clock.advance(20 * DAY_MS);
  await looked(own, clock);
  assert.deepEqual(await notices(own, id), [30]);
  await own.tamper({ sql: `update licenses set expiring_due = 0 where id = '${await given(own, clock.now(), 25)}'` });
  const before = await given(own, clock.now(), 31);
  await own.tamper({ sql: `update licenses set expiring_due = 0, created_at = 1 where id = '${before}'` });
  clock.advance(2 * DAY_MS);
  await looked(own, clock);
  assert.deepEqual(await notices(own, before), [30]);
});

test('comes once over several nodes', async () => {
  const server = await testPostgres();
  await using database = await server.newDatabase();
  const clock = testClock();
  const env = { POSTERN_DATABASE_URL: database.url };
  await using first = await startTestService({ clock, env });
  await using second = await startTestService({ clock, env });
  second.key = first.key;
  const ids = await Promise.all(Array.from({ length: 5 }, () => given(first, clock.now(), 31)));
  clock.advance(2 * DAY_MS);
  await looked(first, clock);
  await first.service.close();
  clock.advance(23 * DAY_MS);
  const probe = ids[0] as string;
  await until(
    'the other node',
    async () => {
      const { body } = await second.call('GET', `/v1/events?type=license.expiring&objectId=${probe}`, {
        key: first.key,
      });
      return body.data.length === 2;
    },
    60_000,
  );
  for (const id of ids) {
    const { body } = await second.call('GET', `/v1/events?type=license.expiring&objectId=${id}`, { key: first.key });
    assert.deepEqual(
      body.data.map((event: any) => event.data.object.expiresInDays),
      [7, 30],
    );
  }
});
