/** A batch within its bounds is answered, also if it takes longer to decide than its grounds stay fresh. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestService } from '../../kit/service.ts';
import { item, made } from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const BATCH = '/v1/access/check/batch';
const FRESH_MS = 1_000;
const CHECKS = 1_000;

/** Makes an item whose policy has rules that never hold, and take long: a user agent that nearly matches each text. */
async function makeSlow(texts: number): Promise<string> {
  const userAgent = (rule: number) => Array.from({ length: texts }, (_, i) => `${'bot-'.repeat(12)}${rule}-${i}`);
  const rules = Array.from({ length: 100 }, (_, i) => ({ action: 'deny', conditions: { userAgent: userAgent(i) } }));
  const { id: policyId } = await made(postern, '/v1/policies', {
    name: `${texts} texts`,
    rules,
    defaultAction: 'allow',
  });
  return (await made(postern, '/v1/content', item({ policyId }))).id;
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

test('a batch that takes longer than its grounds stay fresh is answered and recorded', async (t) => {
  for (let texts = 50; texts <= 400; texts *= 2) {
    const contentId = await makeSlow(texts);
    const begun = performance.now();
    assert.equal((await ask(contentId, true)).status, 200);
    const took = performance.now() - begun;
    t.diagnostic(`${texts} texts a rule: ${Math.round(took)} ms`);
    const { status, body, text } = await ask(contentId, false);
    assert.equal(status, 200, text.slice(0, 300));
    assert.ok(body.data.every(({ allowed, recorded }: Record<string, boolean>) => allowed && recorded));
    if (took > FRESH_MS * 1.5) return;
  }
  assert.fail('no batch took long: make the rules slower');
});
