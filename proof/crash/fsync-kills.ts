/**
 * The service is killed exactly when it is about to have something written through to the disk: the Nth time, for each
 * N.
 */
import assert from 'node:assert/strict';
import { launch, launched, newTestKey, type Running, temporaryFolder } from '../../kit/launch.ts';
import { seeded } from '../../kit/random.ts';
import { until } from '../../kit/until.ts';
import { Book } from './book.ts';
import { killAtFsync } from './strace.ts';
import { type Found, Verifier } from './verify.ts';
import { runClient, setRound, setStage } from './workload.ts';

export interface FsyncKillFigures extends Found {
  starts: number;
  underLoad: number;
  answered: number;
}

/** More fsyncs than a first start makes; the run ends where a start is no longer hit. */
const FIRST_START_MAX = 60;
const CLIENTS = 8;

export async function runFsyncKills(options: {
  points: number;
  seed: number;
  tell?: (line: string) => void;
}): Promise<FsyncKillFigures> {
  const { points, seed, tell = () => {} } = options;
  const random = seeded(seed);
  using folder = temporaryFolder();
  const key = newTestKey();
  const start = (): Promise<Running> => launched({ dataDir: folder.path, key });
  let starts = 0;
  let underLoad = 0;
  let service = await start();
  try {
    const stage = await setStage(service);
    const book = new Book();
    const verifier = new Verifier(book, stage, folder.path);
    for (let when = 1; when <= points; when++) {
      const round = await setRound(service, stage, when);
      await service.end('SIGKILL');
      service = launch({ dataDir: folder.path, key, wrap: killAtFsync(when) });
      const ready = await service.ready.then(
        () => true,
        () => false,
      );
      if (ready) {
        let over = false;
        const running = service;
        const load = Promise.all(
          Array.from({ length: CLIENTS }, (_, i) =>
            runClient(running, book, seeded(random.int(0, 2 ** 31)), round, `${when}.${i}`, () => !over),
          ),
        );
        const end = await Promise.race([running.exited, load.then(() => running.exited)]);
        over = true;
        await load;
        assert.equal(end.signal, 'SIGKILL', running.output());
        underLoad++;
      } else {
        const end = await service.exited;
        assert.equal(end.signal, 'SIGKILL', service.output());
        starts++;
      }
      service = await start();
      await verifier.verify(service, random, round, when === points);
      if (when % 20 === 0) tell(`killed at the ${when}th fsync, ${book.answered} requests answered`);
    }
    return { starts, underLoad, answered: book.answered, ...verifier.found };
  } catch (error) {
    throw new Error(`with seed ${seed}: ${(error as Error).message}\n${service.output().slice(-2000)}`, {
      cause: error,
    });
  } finally {
    await service.end('SIGKILL');
  }
}

export async function runFirstStartKills(): Promise<{ chosenKey: number; ownKey: number }> {
  return { chosenKey: await killFirstStarts(false), ownKey: await killFirstStarts(true) };
}

/**
 * On an empty folder: after any broken first start, the next start yields a working service with a key that was
 * printed.
 */
async function killFirstStarts(ownKey: boolean): Promise<number> {
  const key = newTestKey();
  for (let when = 1; when <= FIRST_START_MAX; when++) {
    using folder = temporaryFolder();
    const first = launch({ dataDir: folder.path, key, ownKey, wrap: killAtFsync(when) });
    const ready = await first.ready.then(
      () => true,
      () => false,
    );
    const end = await first.end('SIGKILL');
    assert.equal(end.signal, 'SIGKILL', first.output());
    const second = launch({ dataDir: folder.path, key, ownKey });
    try {
      await second.ready;
      const told = (): Set<string> =>
        new Set(
          ownKey ? [...(first.output() + second.output()).matchAll(/svc_sk_\w{49}/g)].map(([text]) => text) : [key],
        );
      // A key that the first start printed may have been replaced by one that the second is about to print.
      await until(
        'a key that was printed works',
        async () => {
          let works = 0;
          for (const one of told()) works += await tryService(second, one);
          return works;
        },
        5_000,
        (works) => works > 0,
      );
    } catch (error) {
      throw new Error(`the first start was killed at fsync ${when}: ${(error as Error).message}`, { cause: error });
    } finally {
      await second.end('SIGKILL');
    }
    if (ready) return when - 1;
  }
  return FIRST_START_MAX;
}

/** 1 when the service lets this key in and is whole; 0 when it does not know the key. */
async function tryService(service: Running, key: string): Promise<0 | 1> {
  const headers = { authorization: `Bearer ${key}` };
  const keys = await service.ask('GET', '/v1/api-keys', { headers });
  if (keys.status === 401) return 0;
  assert.deepEqual([keys.status, keys.body.totalCount], [200, 1], keys.text);
  const policy = await service.ask('GET', '/v1/policies/pol_default', { headers });
  assert.deepEqual([policy.status, policy.body.version, policy.body.defaultAction], [200, 1, 'deny']);
  const item = { externalId: 'a', title: 'a', type: 'article', source: 'https://example.com' };
  assert.equal((await service.ask('POST', '/v1/content', { body: item, headers })).status, 201);
  const check = await service.ask('POST', '/v1/access/check', { body: { contentId: 'a' }, headers });
  assert.equal(check.body.recorded, true);
  return 1;
}
