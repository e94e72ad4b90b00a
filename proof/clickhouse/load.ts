/**
 * Clients that ask for items and pages under several names, and one that reads reports meanwhile. A check whose answer
 * is lost is repeated with its Idempotency-Key, at any node, until it is answered: so each is one decision.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from '../../kit/answer.ts';
import { type Random, seeded } from '../../kit/random.ts';
import type { ClusterNode } from '../cluster/nodes.ts';
import type { Book } from './book.ts';
import type { Scene } from './scene.ts';

const CLIENTS = 2;
const BATCH_MAX = 30;
const PURPOSES = ['training', 'search', undefined];
const PAGES = 7;
/** User agents, and their names in reports. */
const AGENTS: readonly [sent: string | undefined, program: string][] = [
  ['GPTBot/1.2', 'gptbot'],
  ['unnamed-tool/2', 'unnamed-tool'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0', 'browsers'],
  [undefined, 'no user agent'],
];
const STRANGERS = 6;
const PRICED = {
  currency: 'EUR',
  timezone: 'UTC',
  period: 'month',
  unit: 'decision',
  tiers: [{ upTo: null, unitPriceMicros: 20_000 }],
};

export interface Stage {
  items: string[];
  holders: string[];
  policyId: string;
}

/** A requester that may be erased later. */
export interface Person {
  id: string;
  name: string;
  agent: string;
}

export async function make({ running }: ClusterNode, path: string, body: object): Promise<Answer['body']> {
  const answer = await running.ask('POST', path, { body });
  assert.equal(answer.status, 201, `${path}: ${answer.text}`);
  return answer.body;
}

export async function makeItem(node: ClusterNode, externalId: string, policyId: string): Promise<string> {
  const body = {
    externalId,
    title: externalId,
    type: 'article',
    source: `https://example.com/${externalId}`,
    policyId,
  };
  return (await make(node, '/v1/content', body)).id;
}

export async function setStage(node: ClusterNode): Promise<Stage> {
  const licensed = await make(node, '/v1/policies', {
    name: 'Licensed',
    rules: [
      { action: 'allow', conditions: { licenseType: 'training' } },
      { action: 'deny', conditions: { purpose: 'search' } },
    ],
  });
  const open = await make(node, '/v1/policies', { name: 'Open', rules: [{ action: 'allow', conditions: {} }] });
  await make(node, '/v1/collections', { name: 'Site', hosts: ['www.example.com'], policyId: open.id });
  const holders = ['acme', 'globex'];
  for (const id of holders) {
    await make(node, '/v1/requesters', { id, name: `${id} Inc.` });
    await make(node, '/v1/licenses', { requesterId: id, type: 'training', terms: PRICED });
  }
  const items: string[] = [];
  for (let i = 0; i < 5; i++) items.push(await makeItem(node, `i${i}`, i % 2 === 0 ? licensed.id : open.id));
  return { items, holders, policyId: licensed.id };
}

export interface Load {
  /** Rejects with what a client was not to see. */
  failed: Promise<never>;
  /** Returns when each check that was sent is answered. */
  end(): Promise<{ reports: number; refused: number }>;
}

interface LoadOptions {
  scene: Scene;
  book: Book;
  stage: Stage;
  people: readonly Person[];
  random: Random;
}

interface Sent {
  body: object;
  requesterId: string | null;
  contentId: string | null;
  page: string | null;
  purpose: string | null;
  program: string;
}

let keys = 0;

export function startLoad({ scene, book, stage, people, random }: LoadOptions): Load {
  let over = false;
  const figures = { reports: 0, refused: 0 };
  const { nodes } = scene;

  function draw(own: Random): Sent {
    const person = own.chance(0.15) ? people.at(-1) : undefined;
    const [agent, program] = own.pick(AGENTS);
    const requesterId = own.chance(0.2)
      ? null
      : own.pick([...stage.holders, ...stage.holders, `stranger-${own.int(1, STRANGERS)}`]);
    const contentId = own.chance(0.7) ? own.pick(stage.items) : null;
    const page = contentId === null ? `www.example.com/news/${own.int(1, PAGES)}` : null;
    const purpose = own.pick(PURPOSES);
    const sent = person === undefined ? { agent, program, requesterId } : asPerson(person);
    return {
      body: {
        ...(page === null ? { contentId } : { url: `https://${page}?n=${own.int(0, 99)}` }),
        ...(sent.requesterId === null ? {} : { requesterId: sent.requesterId }),
        ...(purpose === undefined ? {} : { purpose }),
        ...(sent.agent === undefined ? {} : { context: { userAgent: sent.agent } }),
      },
      requesterId: sent.requesterId,
      contentId,
      page,
      purpose: purpose ?? null,
      program: sent.program,
    };
  }

  async function client(own: Random): Promise<void> {
    while (!over) {
      const checks = Array.from({ length: own.int(1, BATCH_MAX) }, () => draw(own));
      const idempotencyKey = `load-${keys++}`;
      book.sent += checks.length;
      const body = { checks: checks.map((one) => one.body) };
      for (let answered = false; !answered; ) {
        const answer = await askAny(scene, own, '/v1/access/check/batch', { body, idempotencyKey });
        answered = answer?.status === 200;
        if (answered) note(book, checks, answer as Answer);
        else await pause(own.int(5, 50));
      }
      await pause(own.int(50, 700));
    }
  }

  /** A report includes all that was answered before it was asked for, and nothing that was not sent. */
  async function reader(own: Random): Promise<void> {
    while (!over) {
      await pause(own.int(50, 400));
      const node = own.pick(nodes.alive());
      if (node === undefined) continue;
      const least = book.all.length;
      const answer = await node.running.ask('GET', '/v1/analytics/usage?period=all').catch(() => undefined);
      if (answer?.status !== 200) {
        figures.refused += 1;
        continue;
      }
      figures.reports += 1;
      const { totalRequests } = answer.body.summary;
      assert.ok(totalRequests >= least, `${totalRequests} counted, ${least} were answered before`);
      assert.ok(totalRequests <= book.sent, `${totalRequests} counted, ${book.sent} were sent`);
    }
  }

  const running = Promise.all([
    ...Array.from({ length: CLIENTS }, () => client(seeded(random.int(0, 2 ** 31)))),
    reader(seeded(random.int(0, 2 ** 31))),
  ]);
  running.catch(() => {});
  return {
    failed: running.then(() => new Promise<never>(() => {})),
    async end() {
      over = true;
      await running;
      return figures;
    },
  };
}

const asPerson = ({ id, agent }: Person) => ({
  requesterId: id,
  agent: `${agent}/2.1`,
  program: agent.toLowerCase(),
});

/** Returns undefined where the answer was lost. */
async function askAny(
  { nodes }: Scene,
  own: Random,
  path: string,
  ask: { body: object; idempotencyKey: string },
): Promise<Answer | undefined> {
  const node = own.pick(nodes.alive());
  const answer = await node?.running.ask('POST', path, ask).catch(() => undefined);
  const isFit = answer === undefined || [200, 409, 503].includes(answer.status);
  assert.ok(isFit, `${path}: ${answer?.status} ${answer?.text.slice(0, 400)}`);
  return answer;
}

function note(book: Book, checks: readonly Sent[], { body }: Answer): void {
  assert.equal(body.data.length, checks.length);
  for (const [i, { requesterId, contentId, page, purpose, program }] of checks.entries()) {
    const { id, created, allowed, reason, licenseId, crawler } = body.data[i];
    const reported = allowed ? null : reason;
    book.all.push({
      id,
      created,
      allowed,
      reason: reported,
      licenseId,
      crawler,
      requesterId,
      contentId,
      page,
      purpose,
      program,
    });
  }
}
