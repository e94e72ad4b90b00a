/**
 * Clients for proofs in which no request may fail: checks, some of which claim a limit, edits and reads over
 * connections that are kept alive. They know what was answered, so that it can be compared with what is recorded.
 */
import assert from 'node:assert/strict';
import { Agent, request } from 'undici';
import type { Answer } from '../../kit/answer.ts';
import type { Running } from '../../kit/launch.ts';

/** The records of the clients: an item without a limit and an item with a limit that all clients share. */
export interface Stage {
  policyId: string;
  items: readonly string[];
}

export interface Answered {
  checks: number;
  edits: number;
  reads: number;
}

export interface Clients {
  answered: Answered;
  /** Requests that were answered otherwise than with 200, or not at all. */
  failures: string[];
  /** Waits for requests in flight. */
  stop(): Promise<void>;
  /** The newest edit of each is there; asked of a node, after `stop`. */
  assertEdits(node: Running): Promise<void>;
}

export interface ClientOptions {
  count: number;
  url: string;
  key: string;
  stage: Stage;
  /** Apart from other clients on the same stage. */
  name: string;
}

/** More than they can use up: what is refused would hide what is lost. */
const LIMIT = { requests: 1_000_000_000, period: 'hour', scope: 'global' } as const;

export async function setClientStage(node: Running): Promise<Stage> {
  const create = async (path: string, body: object): Promise<string> => {
    const reply = await node.ask('POST', path, { body });
    assert.equal(reply.status, 201, reply.text);
    return reply.body.id;
  };
  const items: string[] = [];
  let policyId = '';
  for (const [i, rule] of [{ action: 'allow' }, { action: 'allow', rateLimit: LIMIT }].entries()) {
    policyId = await create('/v1/policies', { name: `p${i}`, rules: [rule] });
    const item = { title: `i${i}`, type: 'article', source: `https://example.org/${i}`, externalId: `i${i}` };
    items.push(await create('/v1/content', { ...item, policyId }));
  }
  return { policyId, items };
}

export function startClients({ count, url, key, stage, name }: ClientOptions): Clients {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answered: Answered = { checks: 0, edits: 0, reads: 0 };
  const failures: string[] = [];
  const edited = new Map<string, { item: string; value: number }>();
  let over = false;
  const client = async (n: number): Promise<void> => {
    // One connection at a time, kept alive as the server allows, as clients do.
    const agent = new Agent({ connections: 1, pipelining: 1 });
    for (let i = 0; !over; i++) {
      const kind = i % 20 === 0 ? 'edits' : i % 7 === 0 ? 'reads' : 'checks';
      const item = stage.items[n % stage.items.length] as string;
      const [method, path, body]: [string, string, object | undefined] =
        kind === 'edits'
          ? ['PATCH', `/v1/content/${item}`, { metadata: { [`${name}${n}`]: i } }]
          : kind === 'reads'
            ? ['GET', i % 2 === 0 ? `/v1/policies/${stage.policyId}` : `/v1/content/${item}`, undefined]
            : ['POST', '/v1/access/check', { contentId: item, requesterId: `r${n}`, purpose: `${name}${n}.${i}` }];
      try {
        const reply = await request(url + path, {
          method: method as 'GET' | 'POST' | 'PATCH',
          headers,
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          dispatcher: agent,
        });
        const text = await reply.body.text();
        if (reply.statusCode === 200) {
          answered[kind]++;
          if (kind === 'edits') edited.set(`${name}${n}`, { item, value: i });
        } else failures.push(`${method} ${path}: ${reply.statusCode} ${text}`);
      } catch (error) {
        failures.push(`${method} ${path}: ${(error as Error).message}`);
      }
    }
    await agent.close();
  };
  const clients = Array.from({ length: count }, (_, n) => client(n));
  return {
    answered,
    failures,
    async stop() {
      over = true;
      await Promise.all(clients);
    },
    async assertEdits(node) {
      const found = new Map<string, Answer>();
      for (const item of stage.items) found.set(item, await node.ask('GET', `/v1/content/${item}`));
      for (const [field, { item, value }] of edited) {
        assert.equal(found.get(item)?.body.metadata[field], value, `the last edit of ${field} is there`);
      }
    },
  };
}

/** Every decision that was answered is counted, and no other; asked of a node, after `stop`. */
export async function assertCounted(node: Running, ...clients: readonly Clients[]): Promise<void> {
  const checks = clients.reduce((sum, { answered }) => sum + answered.checks, 0);
  const usage = await node.ask('GET', '/v1/analytics/usage?period=all');
  assert.equal(usage.body.summary.totalRequests, checks, 'as many decisions as answers');
}
