/**
 * Access is revoked through one node while another is stopped or cut off from the database. When that node resumes, it
 * refuses every request that it starts on a second later, whenever it was sent.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from '../../kit/answer.ts';
import type { Ask } from '../../kit/launch.ts';
import { startPostgres } from '../../kit/postgres.ts';
import { type Random, seeded } from '../../kit/random.ts';
import { startRelay } from '../../kit/relay.ts';
import { until } from '../../kit/until.ts';
import { type ClusterNode, startNodes } from '../cluster/nodes.ts';

const BOUND_MS = 1_000;
const BACK_WITHIN_MS = 10_000;
const ANSWER_WITHIN_MS = 15_000;
const KINDS = ['stop', 'cut', 'silence'] as const;
type Kind = (typeof KINDS)[number];
const CUTS = ['key', 'policy', 'licence', 'requester'] as const;

interface Options {
  rounds: number;
  seed: number;
  tell?: (line: string) => void;
}

export async function runInterruptions({ rounds, seed, tell = () => {} }: Options): Promise<object> {
  const random = seeded(seed);
  const server = await startPostgres();
  await using database = await server.newDatabase();
  await using relay = await startRelay(server.port);
  const other = database.url.replace(String(server.port), String(relay.port));
  const urlOf = (index: number) => (index === 0 ? database.url : other);
  await using cluster = await startNodes(database.url, { clocks: [0, 0], urlOf, housekeepingMayFail: true });
  const [here, there] = cluster.nodes as [ClusterNode, ClusterNode];
  const figures = { rounds: 0, asked: 0, refused: 0, stop: 0, cut: 0, silence: 0 };

  /** Through the node that works; the other may hold what an edit waits for. */
  async function must(method: string, path: string, body?: object): Promise<Answer['body']> {
    const ask = () => here.running.ask(method, path, body === undefined ? {} : { body });
    const reply = await until(`${method} ${path}`, ask, BACK_WITHIN_MS, ({ status }) => status !== 503);
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
    return reply.body;
  }

  const interrupt: Record<Kind, () => void> = {
    stop: () => void there.running.child.kill('SIGSTOP'),
    cut: relay.cut,
    silence: relay.silence,
  };
  const goOn: Record<Kind, () => void> = {
    stop: () => void there.running.child.kill('SIGCONT'),
    cut: () => relay.open(),
    silence: () => relay.open(),
  };

  async function round(n: number, kind: Kind, own: Random): Promise<void> {
    const requesterId = `r${n}`;
    const rules = [{ action: 'allow', conditions: { hasValidLicense: true } }];
    const { id: policyId } = await must('POST', '/v1/policies', { name: `p${n}`, rules });
    await must('POST', '/v1/requesters', { id: requesterId });
    const license = await must('POST', '/v1/licenses', { requesterId, type: 't' });
    const source = `https://example.org/${n}`;
    const item = await must('POST', '/v1/content', {
      externalId: `i${n}`,
      title: 'i',
      type: 'article',
      source,
      policyId,
    });
    const key = await must('POST', '/v1/api-keys', { name: 'k', type: 'secret' });
    const cuts: Record<(typeof CUTS)[number], () => Promise<unknown>> = {
      key: () => must('DELETE', `/v1/api-keys/${key.id}`),
      policy: () => must('PATCH', `/v1/policies/${policyId}`, { rules: [{ action: 'deny' }] }),
      licence: () => must('POST', `/v1/licenses/${license.id}/revoke`),
      requester: () => must('PATCH', `/v1/requesters/${requesterId}`, { status: 'suspended' }),
    };
    /** Returns whether the request passes, and whether it was answered other than with 503. */
    async function ask(): Promise<{ passed: boolean; answered: boolean }> {
      figures.asked++;
      const body = { contentId: item.id, requesterId, dryRun: own.chance(0.5) };
      const asked: Ask = { body, headers: { authorization: `Bearer ${key.key}` } };
      const reply = await Promise.race([
        there.running.ask('POST', '/v1/access/check', asked).catch(() => undefined),
        pause(ANSWER_WITHIN_MS, undefined, { ref: false }),
      ]);
      if (reply === undefined || reply.status === 503) return { passed: false, answered: false };
      assert.ok([200, 401].includes(reply.status), reply.text);
      const passed = reply.status === 200 && reply.body.allowed === true;
      if (!passed) figures.refused++;
      return { passed, answered: true };
    }
    await until('it passes there', ask, BACK_WITHIN_MS, ({ passed }) => passed);

    interrupt[kind]();
    // A stopped node takes up what it was sent only when it goes on; the others answer at once.
    const early = kind === 'stop' ? Array.from({ length: 5 }, ask) : [];
    const cut = own.pick(CUTS);
    await cuts[cut]();
    const cutAt = performance.now();
    const end = cutAt + BOUND_MS + own.int(50, 2_500);
    const meanwhile: { late: boolean; answer: ReturnType<typeof ask> }[] = [];
    while (performance.now() < end) {
      const late = kind === 'stop' || performance.now() - cutAt >= BOUND_MS;
      const answer = ask();
      // Awaited below: an early failure must not end the process.
      answer.catch(() => {});
      meanwhile.push({ late, answer });
      await pause(100);
    }
    goOn[kind]();
    for (const { passed } of await Promise.all(early)) assert.ok(!passed, `${kind}, ${cut}: sent before, it passed`);
    for (const { late, answer } of meanwhile) {
      const { passed } = await answer;
      assert.ok(!(passed && late), `${kind}, ${cut}: sent meanwhile, it passed`);
    }
    await until(`the node is back: ${kind}`, ask, BACK_WITHIN_MS, ({ passed, answered }) => {
      assert.ok(!passed, `${kind}, ${cut}: sent after it, it passed`);
      return answered;
    });
    figures.rounds++;
    figures[kind]++;
  }

  try {
    for (let n = 0; n < rounds; n++) {
      await round(n, KINDS[n % KINDS.length] as Kind, seeded(random.int(0, 2 ** 31)));
      if ((n + 1) % 10 === 0) tell(`${n + 1} of ${rounds}`);
    }
  } catch (error) {
    throw new Error(`with seed ${seed}: ${(error as Error).message}`, { cause: error });
  } finally {
    there.running.child.kill('SIGCONT');
  }
  return figures;
}
