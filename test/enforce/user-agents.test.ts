/**
 * Matching a user agent to its application: the service against a search of each registered text, over random
 * registrations, edits and deletions.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import * as fc from '../../kit/fast-check.ts';
import { startTestService } from '../../kit/service.ts';
import { allowAll, made } from '../http/given.ts';
import { authorize, serve } from './asking.ts';

const postern = await startTestService();
after(() => postern[Symbol.asyncDispose]());
const open = await made(postern, '/v1/policies', { name: 'open', rules: [allowAll] });
await serve(postern, '/a', open.id);

/** Few letters: texts are inside one another, begin alike, and are registered twice. */
const letters = fc.constantFrom('a', 'b', 'B', 'A');
const text = fc.string({ unit: letters, minLength: 3, maxLength: 6 });
const userAgent = fc.string({ unit: letters, minLength: 1, maxLength: 14 });
const edit = fc.record({ id: fc.integer({ min: 0, max: 9 }), texts: fc.array(text, { maxLength: 4 }) });

/** The longest of the texts that the user agent contains says who it is; null: several do. */
function expected(registered: ReadonlyMap<string, readonly string[]>, agent: string): string | null | undefined {
  const inside = [...registered].flatMap(([id, texts]) =>
    texts.filter((one) => agent.toLowerCase().includes(one.toLowerCase())).map((one) => ({ id, length: one.length })),
  );
  const longest = Math.max(0, ...inside.map(({ length }) => length));
  const ids = new Set(inside.filter(({ length }) => length === longest).map(({ id }) => id));
  return ids.size > 1 ? null : [...ids][0];
}

async function told(agent: string): Promise<string | null | undefined> {
  const answer = await authorize(postern, '/a', { headers: { 'user-agent': agent } });
  if (answer.headers.get('x-postern-error') === 'ambiguous_requester') return null;
  assert.equal(answer.status, 200);
  return answer.headers.get('x-postern-requester') || undefined;
}

test('the longest registered text says who it is, after any edits', async () => {
  const registered = new Map<string, readonly string[]>();
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { maxLength: 4 }), fc.array(userAgent, { maxLength: 6 }), async (edits, agents) => {
      for (const { id: number, texts } of edits) {
        const id = `r${number}`;
        const wasThere = registered.has(id);
        if (!wasThere) await made(postern, '/v1/requesters', { id, userAgents: texts });
        else if (texts.length === 0) await postern.call('DELETE', `/v1/requesters/${id}`);
        else await postern.call('PATCH', `/v1/requesters/${id}`, { body: { userAgents: texts } });
        if (wasThere && texts.length === 0) registered.delete(id);
        else registered.set(id, texts);
      }
      for (const agent of agents) assert.equal(await told(agent), expected(registered, agent), agent);
    }),
    { numRuns: 60, endOnFailure: true },
  );
});
