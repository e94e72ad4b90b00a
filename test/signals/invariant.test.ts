/**
 * The invariant: what an independent parser reads from robots.txt agrees with the service's own dry runs, for every
 * URL, crawler and purpose. Nothing that is denied at the door is allowed by the file.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { startTestService } from '../../kit/service.ts';
import { compare, readStatements } from './compare.ts';
import { become, EXAMPLES, HOST, type World, world } from './given.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());

const WORLDS = Number(process.env.POSTERN_SIGNAL_WORLDS ?? 3);

test('robots.txt says what checks answer', { timeout: 3_600_000 }, async () => {
  let statements = 0;
  let stricter = 0;
  await fc.assert(
    fc.asyncProperty(world, async (given: World) => {
      await become(postern, given);
      const { text, status } = await postern.call('GET', `/v1/sites/${HOST}/signals/robots.txt`, { key: null });
      assert.equal(status, 200, text);
      const report = await postern.call('GET', `/v1/sites/${HOST}/signals/report?limit=100`);
      if (given.base !== null) assert.ok(text.startsWith(given.base), 'the file of the site stays as it is');
      const said = readStatements(text);
      const found = await compare(postern, { given, said, text, report: report.body });
      // The independent parser goes first: it must see by itself what is wrong.
      assert.deepEqual(report.body.contradictions, []);
      statements += found.statements;
      stricter += found.stricter;
    }),
    {
      numRuns: WORLDS + EXAMPLES.length,
      examples: EXAMPLES.map((one) => [one]),
      endOnFailure: process.env.POSTERN_SIGNAL_SHRINK === undefined,
    },
  );
  console.log(`${statements} statements, ${stricter} more restrictive than the policies`);
  assert.ok(statements > WORLDS * 50);
});
