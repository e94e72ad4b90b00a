/** Witnesses once more on PostgreSQL, and two nodes of a witness that are asked at once. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { testPostgres } from '../../../kit/postgres.ts';
import { startTestService } from '../../../kit/service.ts';
import { words } from '../../../kit/words.ts';
import { openSigner, proof } from '../../receipts/second.ts';
import { bodyOf, timeOf } from '../../receipts/second-witness.ts';
import { onPostgres } from './suites.ts';

await onPostgres(words('http/witness http/log-witnesses system/storage/witnesses'));

test('two nodes are asked for two heads at once: one of them is cosigned', async () => {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(await (await testPostgres()).newDatabase());
  const log = openSigner('races.example/log');
  const env = {
    POSTERN_DATABASE_URL: url,
    POSTERN_PUBLIC_URL: 'https://partner.example',
    POSTERN_WITNESS_LOGS: log.key,
  };
  const nodes = [stack.use(await startTestService({ env })), stack.use(await startTestService({ env }))];
  const keys = await Promise.all(nodes.map((node) => node.call('GET', '/witness/key', { key: null })));
  assert.equal(keys[0]?.text, keys[1]?.text);
  let kept: Buffer[] = [];
  for (let round = 0; round < 10; round++) {
    const heads = Array.from({ length: 6 }, () => [...kept, randomBytes(9)]);
    const answers = await Promise.all(
      heads.map(async (data, i) => {
        const hashes = kept.length === 0 ? [] : proof(kept.length, data);
        const lines = [
          `old ${kept.length}`,
          ...hashes.map((hash) => hash.toString('base64')),
          '',
          log.checkpoint(data),
        ];
        const node = nodes[i % 2] as (typeof nodes)[number];
        return node.call('POST', '/witness/add-checkpoint', { key: null, raw: lines.join('\n') });
      }),
    );
    const won = answers.flatMap(({ status }, i) => (status === 200 ? [i] : []));
    assert.equal(won.length, 1, answers.map(({ status, text }) => `${status} ${text}`).join());
    assert.ok(answers.every(({ status }) => status === 200 || status === 409));
    kept = heads[won[0] as number] as Buffer[];
    timeOf(answers[won[0] as number]?.text ?? '', bodyOf(log.checkpoint(kept)), keys[0]?.text.trim() ?? '');
  }
});
