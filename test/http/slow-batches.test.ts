/** A batch within its bounds is answered, also if it takes longer to decide than its grounds stay fresh. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { item, made } from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const BATCH = '/v1/access/check/batch';
const CHECKS = 1_000;
/**
 * Deciding takes some sixty turns, and what is left of it when decisions are kept some fifteen. As grounds stay fresh
 * for a second, the first attempt is far too late, and the second far from it.
 */
const TURN_MS = 30;
/** By then, the grounds are old. */
const SLOW_MS = 1_500;

/** Makes an item whose policy has rules that never hold, and take long: a user agent that nearly matches each text. */
async function makeSlow(): Promise<string> {
  const userAgent = (rule: number) => Array.from({ length: 50 }, (_, i) => `${'bot-'.repeat(12)}${rule}-${i}`);
  const rules = Array.from({ length: 100 }, (_, i) => ({ action: 'deny', conditions: { userAgent: userAgent(i) } }));
  const { id: policyId } = await made(postern, '/v1/policies', { name: 'Slow', rules, defaultAction: 'allow' });
  return (await made(postern, '/v1/content', item({ policyId }))).id;
}

/** Makes each turn of the event loop longer, as the work of others does: deciding so many checks takes many turns. */
function slowTurns(ms: number) {
  let isOver = false;
  let count = 0;
  const turn = (): void => {
    if (isOver) return;
    count++;
    for (const end = performance.now() + ms; performance.now() < end; );
    setImmediate(turn);
  };
  turn();
  return {
    count: () => count,
    [Symbol.dispose]: () => void (isOver = true),
  };
}

const ask = (contentId: string, dryRun: boolean) =>
  postern.call('POST', BATCH, {
    body: {
      checks: Array.from({ length: CHECKS }, (_, i) => ({
        contentId,
        requesterId: `r${i}`,
        dryRun,
        context: { userAgent: 'bot-'.repeat(125) + i },
      })),
    },
  });

test('a batch that takes longer than its grounds stay fresh is answered and recorded', async () => {
  const contentId = await makeSlow();
  // Reads what the others find in memory.
  assert.equal((await ask(contentId, true)).status, 200);
  using turns = slowTurns(TURN_MS);
  const begun = performance.now();
  assert.equal((await ask(contentId, true)).status, 200);
  assert.ok(performance.now() - begun > SLOW_MS, 'no batch took long: make the rules slower');
  assert.ok(turns.count() > 10);
  const { status, body, text } = await ask(contentId, false);
  assert.equal(status, 200, text.slice(0, 300));
  assert.ok(body.data.every(({ allowed, recorded }: Record<string, boolean>) => allowed && recorded));
});
