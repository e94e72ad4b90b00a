/** The law of the cache, over every interleaving of reads and changes; and over random longer ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cache } from './cache.ts';

type Step = () => void;

/** A store with one record, a cache over it, and what must hold between any two steps. */
function world() {
  const cache = new Cache<string, number>(10);
  let stored = 0;
  /** The version that every request must see: the last change whose listeners were notified. */
  let notified = 0;
  const check = (): void => {
    const cached = cache.get('record');
    assert.ok(cached === undefined || cached >= notified, `version ${cached} after the change to ${notified}`);
  };
  /** A read begins, finds a version, and hands it over some time later. */
  function reader(): Step[] {
    let keep: (key: string, value: number) => void = () => {};
    let found = 0;
    return [
      () =>
        void cache.read(async (given) => {
          keep = given;
        }),
      () => {
        found = stored;
      },
      () => keep('record', found),
    ];
  }
  /** A change is committed, and notified afterwards. */
  function writer(forget: () => void): Step[] {
    let version = 0;
    return [
      () => {
        version = ++stored;
      },
      () => {
        forget();
        notified = Math.max(notified, version);
      },
    ];
  }
  return { cache, check, reader, writer };
}

/** All orders in which the next steps of several actors can be taken, as lists of actors. */
function* interleavings(left: readonly number[]): Generator<number[]> {
  if (left.every((steps) => steps === 0)) yield [];
  for (const [actor, steps] of left.entries()) {
    if (steps === 0) continue;
    for (const rest of interleavings(left.with(actor, steps - 1))) yield [actor, ...rest];
  }
}

function play(order: readonly number[], actors: readonly Step[][], check: () => void): void {
  const next = actors.map(() => 0);
  for (const actor of order) {
    const at = next[actor] ?? 0;
    next[actor] = at + 1;
    actors[actor]?.[at]?.();
    check();
  }
}

test('no interleaving of two reads and two changes leaves a stale record', () => {
  let count = 0;
  for (const order of interleavings([3, 3, 2, 2])) {
    const { cache, check, reader, writer } = world();
    const actors = [reader(), reader(), writer(() => cache.delete('record')), writer(() => cache.clear())];
    play(order, actors, check);
    count++;
  }
  assert.equal(count, 25_200);
});

test('a record that did not change meanwhile is kept', () => {
  const { cache, check, reader, writer } = world();
  play([1, 1, 0, 0, 0], [reader(), writer(() => cache.delete('record'))], check);
  assert.equal(cache.get('record'), 1);
});
