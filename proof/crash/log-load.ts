/** Clients whose decisions go into a log, and a witness of it; some of the requesters are erased meanwhile. */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Running } from '../../kit/launch.ts';
import { type Random, seeded } from '../../kit/random.ts';
import { until } from '../../kit/until.ts';
import { Witness } from './witness.ts';

export const LOG = { POSTERN_RECEIPTS: 'public', POSTERN_PUBLIC_URL: 'https://access.example.com' };
export const OFTEN = ['--import', new URL('./often-hack.ts', import.meta.url).href];

const CLIENTS = 4;
const REQUESTERS = 4;
const PROVEN_WITHIN_MS = 120_000;
/** Erasures wait for each other, and each compacts the columns, which yields to all other work. */
const ERASED_WITHIN_MS = 5_000;
const PROVING = 8;

interface Decided {
  id: string;
  requesterId: string;
}

export interface LogLoad {
  random: Random;
  /** Requesters to erase, one after the other. */
  erasures: number;
  /** Returns a node to ask; undefined while none may answer. */
  pick(): Running | undefined;
}

export async function startLogLoad(first: Running, { random, erasures, pick }: LogLoad) {
  const witness = new Witness(random);
  const decided: Decided[] = [];
  const erased = new Set<string>();
  let over = false;
  for (const externalId of ['a', 'b']) {
    const body = { externalId, title: externalId, type: 'article', source: `https://example.com/${externalId}` };
    assert.equal((await first.ask('POST', '/v1/content', { body })).status, 201);
  }

  /** Answers are lost with their node: such a decision is in the log, or is not. */
  async function once<T>(work: (node: Running) => Promise<T>): Promise<T | undefined> {
    const node = pick();
    if (node === undefined) return undefined;
    try {
      return await work(node);
    } catch (error) {
      if (error instanceof assert.AssertionError || !(error instanceof TypeError)) throw error;
      return undefined;
    }
  }

  async function client(own: Random): Promise<void> {
    while (!over) {
      const requesterId = `r${own.int(1, REQUESTERS)}`;
      const body = { contentId: own.pick(['a', 'b']), requesterId, context: { ip: '203.0.113.7' } };
      const answer = await once((node) => node.ask('POST', '/v1/access/check', { body }));
      if (answer?.status === 200) decided.push({ id: answer.body.id, requesterId });
      await pause(own.int(10, 60));
    }
  }

  /** A requester that exists for a few decisions. */
  async function erase(id: string, own: Random): Promise<void> {
    const repeat = async (path: string, body: object, done: (status: number) => boolean) => {
      for (;;) {
        const answer = await once((node) => node.ask('POST', path, { body }));
        if (answer !== undefined && done(answer.status)) return answer;
        if (over) return undefined;
        await pause(own.int(1, 60));
      }
    };
    // A first attempt may have had its effect.
    await repeat('/v1/requesters', { id, name: id }, (status) => status === 201 || status === 409);
    for (let i = own.int(2, 9); i > 0; i--) {
      const answer = await repeat('/v1/access/check', { contentId: 'a', requesterId: id }, (status) => status === 200);
      if (answer !== undefined) decided.push({ id: answer.body.id, requesterId: id });
    }
    await pause(own.int(0, 800));
    const asked = await repeat(`/v1/requesters/${id}/erase`, {}, (status) => status === 200 || status === 404);
    if (asked?.status === 200) erased.add(id);
  }

  async function eraseSome(own: Random): Promise<void> {
    for (let i = 0; i < erasures && !over; i++) await erase(`e${i}`, own);
  }

  async function watch(own: Random): Promise<void> {
    while (!over) {
      await once((node) => witness.look(node));
      const some = decided.length === 0 ? undefined : own.pick(decided);
      if (some !== undefined) await once((node) => witness.receipt(node, some.id));
      await pause(own.int(1, 60));
    }
  }

  const running = Promise.all([
    ...Array.from({ length: CLIENTS }, () => client(seeded(random.int(0, 2 ** 31)))),
    eraseSome(seeded(random.int(0, 2 ** 31))),
    watch(seeded(random.int(0, 2 ** 31))),
  ]);
  running.catch(() => {});
  return {
    /** Rejects with what a client or the witness was not to see. */
    failed: running.then(() => new Promise<never>(() => {})),
    decided: () => decided.length,
    stop(): void {
      over = true;
    },
    /** Every answered decision is in the log, which is one; what was erased is withheld. */
    async assertProven(node: Running) {
      over = true;
      await running;
      const left = [...decided];
      const prove = async (): Promise<void> => {
        for (let one = left.pop(); one !== undefined; one = left.pop()) {
          const { id, requesterId } = one;
          const isErased = erased.has(requesterId);
          await until(
            `${id} is proven`,
            () => witness.receipt(node, id),
            PROVEN_WITHIN_MS + erasures * ERASED_WITHIN_MS,
            // Sealed before it was erased, a decision names no requester; after that, the pseudonym.
            (found) => found !== undefined && !(isErased && found.requester?.requesterId === requesterId),
          );
        }
      };
      await Promise.all(Array.from({ length: PROVING }, prove));
      await witness.end(node);
      return { decisions: decided.length, erased: erased.size, ...witness.figures };
    },
  };
}
