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
const userAgent = fc.string({
  unit: fc.oneof(letters, fc.constantFrom(' ', '-', '/', ';')),
  minLength: 1,
  maxLength: 18,
});
const edit = fc.record({ id: fc.integer({ min: 0, max: 9 }), texts: fc.array(text, { maxLength: 4 }) });

/** The longest of the texts that are whole tokens of the user agent says who it is; null: several do. */
function expected(registered: ReadonlyMap<string, readonly string[]>, agent: string): string | null | undefined {
  const inside = [...registered].flatMap(([id, texts]) =>
    texts
      .filter((one) => new RegExp(`(?<![ab-])${one}(?![ab-])`, 'i').test(agent))
      .map((one) => ({ id, length: one.length })),
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

test('registered crawlers are named where the directory finds them, and nowhere else', async () => {
  const names = ['NING', 'curl', 'Seekbot', 'Applebot', 'GPTBot', 'Claude-User'];
  const { requesters } = await made(postern, '/v1/crawlers/register', { names }, 200);
  type Row = Record<'crawler' | 'requesterId', string>;
  const ids = new Map<string, string>(requesters.map(({ crawler, requesterId }: Row) => [crawler, requesterId]));
  for (const agent of [
    'Seekbot/1.0',
    'DeepSeekBot/1.0',
    'Mozilla/5.0 (compatible; Applebot/0.1; +http://www.apple.com/go/applebot)',
    'Mozilla/5.0 (compatible; Applebot-Extended/0.1)',
    'curl/8.5.0',
    'Recurly Webhooks',
    'Spawning-AI',
    'Mozilla/5.0 (X11; Linux x86_64; rv:68.0) Gecko/20100101 Thunderbird/68.0 Lightning/68.0',
    'Claude-Users/1',
    'Mozilla/5.0 (compatible; Claude-User/1.0)',
    'Mozilla/5.0 (+https://x.example/gptbot)',
  ]) {
    const { headers } = await authorize(postern, '/a', { headers: { 'user-agent': agent } });
    const crawler = headers.get('x-postern-crawler') ?? '';
    assert.equal(headers.get('x-postern-requester'), ids.get(crawler) ?? '', agent);
  }
});
