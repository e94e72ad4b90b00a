/**
 * Three nodes behind a plain TCP balancer are stopped and started again one after the other while clients work: no request
 * fails, and every one that was answered is recorded once.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { startBalancer } from './balancer.ts';
import { startTestCluster } from './nodes.ts';

const CLIENTS = 24;
const STOP_DELAY_SECONDS = 2;
const BETWEEN_MS = 1_000;

export async function runRolling({ rounds, tell = () => {} }: { rounds: number; tell?: (line: string) => void }) {
  await using cluster = await startTestCluster({
    clocks: [0, 0, 0],
    env: { POSTERN_STOP_DELAY: String(STOP_DELAY_SECONDS) },
  });
  const portOf = (i: number): number => Number(new URL(cluster.nodes[i]?.running.url() ?? '').port);
  const ports = (): number[] => cluster.nodes.map((_, i) => portOf(i));
  await using balancer = await startBalancer(ports());
  const [first] = cluster.nodes;
  const policy = await first?.running.ask('POST', '/v1/policies', {
    body: { name: 'p', rules: [{ action: 'allow' }] },
  });
  const item = {
    title: 'i',
    type: 'article',
    source: 'https://example.org/i',
    externalId: 'i',
    policyId: policy?.body.id,
  };
  const content = await first?.running.ask('POST', '/v1/content', { body: item });
  assert.equal(content?.status, 201, content?.text ?? '');

  const headers = { authorization: `Bearer ${cluster.key}`, 'content-type': 'application/json' };
  const answered = { checks: 0, edits: 0, reads: 0 };
  const failures: string[] = [];
  let over = false;
  const client = async (n: number): Promise<void> => {
    // One connection at a time, kept alive as the server allows, as clients do.
    const agent = new Agent({ connections: 1, pipelining: 1 });
    for (let i = 0; !over; i++) {
      const kind = i % 20 === 0 ? 'edits' : i % 7 === 0 ? 'reads' : 'checks';
      const [method, path, body]: [string, string, object | undefined] =
        kind === 'edits'
          ? ['PATCH', `/v1/content/${content?.body.id}`, { metadata: { [`c${n}`]: i } }]
          : kind === 'reads'
            ? ['GET', `/v1/policies/${policy?.body.id}`, undefined]
            : ['POST', '/v1/access/check', { contentId: 'i', requesterId: `r${n}`, purpose: `t${n}.${i}` }];
      try {
        const reply = await request(balancer.url + path, {
          method: method as 'GET' | 'POST' | 'PATCH',
          headers,
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          dispatcher: agent,
        });
        const text = await reply.body.text();
        if (reply.statusCode === 200) answered[kind as keyof typeof answered]++;
        else failures.push(`${method} ${path}: ${reply.statusCode} ${text}`);
      } catch (error) {
        failures.push(`${method} ${path}: ${(error as Error).message}`);
      }
    }
    await agent.close();
  };
  const clients = Array.from({ length: CLIENTS }, (_, n) => client(n));
  for (let round = 0; round < rounds; round++) {
    for (const node of cluster.nodes) {
      await pause(BETWEEN_MS);
      const { code, signal } = await node.running.end('SIGTERM');
      assert.equal(code, 0, `a stop that ended with ${code ?? signal}: ${node.running.output().slice(-1000)}`);
      await cluster.start(node);
      balancer.lead(ports());
    }
    tell(`round ${round + 1}: ${JSON.stringify(answered)}, ${failures.length} failed`);
  }
  await pause(BETWEEN_MS);
  over = true;
  await Promise.all(clients);
  assert.deepEqual(failures.slice(0, 5), [], `${failures.length} requests failed`);
  const usage = await first?.running.ask('GET', '/v1/analytics/usage?period=all');
  assert.equal(usage?.body.summary.totalRequests, answered.checks, 'as many decisions as answers');
  return { restarts: rounds * cluster.nodes.length, ...answered, failed: failures.length };
}
