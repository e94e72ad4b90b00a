/** Queues: order, how much runs at once, bounds, and leaving before the turn has come. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atMost, keyed, serial } from './queue.ts';

/** Work that ends when the test says so, and the log of what began and ended. */
function works(log: string[]) {
  const ends = new Map<string, () => void>();
  const work = (name: string) => async (): Promise<string> => {
    log.push(`+${name}`);
    await new Promise<void>((resolve) => ends.set(name, resolve));
    log.push(`-${name}`);
    return name;
  };
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await new Promise(setImmediate);
  };
  return { work, end };
}

test('at most n pieces of work run at once, in the order of arrival', async () => {
  const log: string[] = [];
  const { work, end } = works(log);
  const queue = atMost(2);
  const all = Promise.all(['a', 'b', 'c', 'd'].map((name) => queue.run(work(name))));
  assert.deepEqual(log, ['+a', '+b']);
  await end('b');
  assert.deepEqual(log, ['+a', '+b', '-b', '+c']);
  await end('a');
  await end('c');
  await end('d');
  assert.deepEqual(await all, ['a', 'b', 'c', 'd']);
});

test('one piece of work that fails does not stop those behind it', async () => {
  const queue = serial();
  const failed = assert.rejects(
    queue.run(() => Promise.reject(new Error('broken'))),
    /broken/,
  );
  assert.equal(await queue.run(async () => 'done'), 'done');
  await failed;
});

test('a full queue refuses with the error of its bound', async () => {
  const { work, end } = works([]);
  const queue = atMost(1, { waiting: 1, full: () => new Error('full') });
  const running = queue.run(work('a'));
  const waiting = queue.run(work('b'));
  await assert.rejects(queue.run(work('c')), /full/);
  await end('a');
  await end('b');
  assert.deepEqual(await Promise.all([running, waiting]), ['a', 'b']);
});

test('what is aborted before its turn never begins; what has begun goes on', async () => {
  const log: string[] = [];
  const { work, end } = works(log);
  const queue = atMost(1, { waiting: 1, full: () => new Error('full') });
  const [first, second] = [new AbortController(), new AbortController()];
  const running = queue.run(work('a'), first.signal);
  const waiting = queue.run(work('b'), second.signal);
  first.abort(new Error('first'));
  second.abort(new Error('second'));
  await assert.rejects(waiting, /second/);
  await assert.rejects(queue.run(work('c'), second.signal), /second/);
  // The place of the one that left is free again.
  const next = queue.run(work('d'));
  await end('a');
  await end('d');
  assert.deepEqual([await running, await next], ['a', 'd']);
  assert.deepEqual(log, ['+a', '-a', '+d', '-d']);
});

test('idle settles when the last piece of work has ended', async () => {
  const log: string[] = [];
  const { work, end } = works(log);
  const queue = serial();
  await queue.idle();
  const all = [queue.run(work('a')), queue.run(work('b'))];
  const idle = queue.idle().then(() => log.push('idle'));
  await end('a');
  assert.ok(!log.includes('idle'));
  await end('b');
  await Promise.all([...all, idle]);
  assert.deepEqual(log, ['+a', '-a', '+b', '-b', 'idle']);
});

test('work on one key waits for the work before it, also if that failed; other keys do not', async () => {
  const log: string[] = [];
  const { work, end } = works(log);
  const run = keyed();
  const failing = assert.rejects(run('x', () => work('a')().then(() => Promise.reject(new Error('broken')))));
  const others = [run('x', work('b')), run('y', work('c'))];
  await new Promise(setImmediate);
  assert.deepEqual(log, ['+a', '+c']);
  await end('a');
  assert.deepEqual(log, ['+a', '+c', '-a', '+b']);
  await end('b');
  await end('c');
  await Promise.all([failing, ...others]);
});
