/**
 * A publisher and a partner, each with a Postern: the partner cosigns the publisher's log as its witness. Promise: once
 * the log was put back and goes on otherwise, the witness cosigns it no more, the publisher is warned, and a reader who
 * asks for the cosignature refuses its receipts.
 */
import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client } from 'pg';
import { verifyReceipt } from '../../../client/src/receipt.ts';
import { commandHere } from '../../../kit/command.ts';
import { temporaryFolder } from '../../../kit/launch.ts';
import { testPostgres } from '../../../kit/postgres.ts';
import { startTestService, type TestService, testClock, testEngine } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';
import { item, made } from '../../http/given.ts';
import { bodyOf, timeOf } from '../../receipts/second-witness.ts';

const LOG = {
  POSTERN_RECEIPTS: 'public',
  POSTERN_PUBLIC_URL: 'https://access.example.com',
  POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true',
};

interface Records {
  dataDir: string;
  env: Record<string, string>;
}

/** Opens the records of an installation, which can be copied while it does not run. */
async function openRecords(
  folder: string,
  stack: AsyncDisposableStack,
): Promise<{ settings: Records; copied: Records; copy(): Promise<void> }> {
  const dataDir = join(folder, 'data');
  if (testEngine() === 'sqlite') {
    const copyDir = join(folder, 'copy');
    return {
      settings: { dataDir, env: {} },
      copied: { dataDir: copyDir, env: {} },
      copy: async () => cpSync(dataDir, copyDir, { recursive: true }),
    };
  }
  const postgres = await testPostgres();
  const { url } = stack.use(await postgres.newDatabase());
  const name = new URL(url).pathname.slice(1);
  const sql = async (text: string): Promise<void> => {
    const client = new Client({ connectionString: postgres.urlOf('postgres') });
    await client.connect();
    await client.query(text).finally(() => client.end());
  };
  stack.defer(() => sql(`drop database if exists ${name}_copy with (force)`));
  return {
    settings: { dataDir, env: { POSTERN_DATABASE_URL: url } },
    copied: { dataDir: join(folder, 'copy'), env: { POSTERN_DATABASE_URL: postgres.urlOf(`${name}_copy`) } },
    copy: () => sql(`create database ${name}_copy template ${name}`),
  };
}

async function stage(stack: AsyncDisposableStack) {
  const folder = temporaryFolder();
  stack.defer(() => folder[Symbol.dispose]());
  const clock = testClock();
  const records = await openRecords(folder.path, stack);
  let key = '';
  const start = async ({ dataDir, env }: Records, more: Record<string, string> = {}) => {
    const service = await startTestService({ dataDir, clock, env: { ...LOG, ...env, ...more } });
    key = service.key === '' ? key : service.key;
    return service;
  };
  const text = async (at: TestService, path: string): Promise<string> =>
    (await at.call('GET', path, { key: null })).text;

  const first = await start(records.settings);
  const { id: contentId } = await made(first, '/v1/content', item());
  const logKey = await text(first, '/log/key');
  await first.service.close();
  const witness = stack.use(
    await startTestService({
      clock,
      env: { POSTERN_PUBLIC_URL: 'https://partner.example', POSTERN_WITNESS_LOGS: logKey },
    }),
  );
  const witnessKey = (await text(witness, '/witness/key')).trim();
  const withWitness = { POSTERN_LOG_WITNESSES: `${witnessKey} ${witness.url}/witness` };
  return {
    folder: folder.path,
    clock,
    records,
    logKey,
    witness,
    witnessKey,
    text,
    key: () => key,
    start: (settings: Records) => start(settings, withWitness),
    /** Decides, and waits for the receipt. */
    async decide(at: TestService, requesterId: string): Promise<string> {
      const { body } = await at.call('POST', '/v1/access/check', { key, body: { contentId, requesterId } });
      return this.receipt(at, body.id);
    },
    receipt: (at: TestService, id: string): Promise<string> =>
      until('a receipt', async () => {
        const answer = await at.call('GET', `/v1/access/decisions/${id}/proof`, { key });
        if (answer.status === 503) clock.advance(60_000);
        return answer.status === 200 ? answer.text : undefined;
      }),
    async status(at: TestService) {
      const [one] = (await at.call('GET', '/v1/status', { key })).body.witnesses;
      return one as { size: number; behind: number; forked: boolean; error: string | null };
    },
    /** Waits until the witness cosigned the newest checkpoint. */
    cosigned: (at: TestService) =>
      until('it is cosigned', async () => {
        const note = await text(at, '/log/checkpoint');
        return note.includes('— partner.example/witness ') ? note : undefined;
      }),
  };
}

test('a log that was put back under its name and key: the witness refuses it, and readers notice', async () => {
  await using stack = new AsyncDisposableStack();
  const at = await stage(stack);
  const files = { receipt: join(at.folder, 'receipt'), key: join(at.folder, 'key') };
  writeFileSync(files.key, at.logKey);
  const verify = (...more: string[]) => commandHere(['verify', files.receipt, '--public-key', files.key, ...more]);
  const doctor = async (publisher: TestService) =>
    commandHere(['doctor'], { env: { POSTERN_URL: publisher.url, POSTERN_KEY: at.key() } });

  const publisher = await at.start(at.records.settings);
  await at.decide(publisher, 'acme');
  const note = await at.cosigned(publisher);
  const line = note.trimEnd().split('\n').at(-1) as string;
  assert.equal(timeOf(line, bodyOf(note), at.witnessKey) <= at.clock.now() / 1000, true);
  await publisher.service.close();
  await at.records.copy();

  // The log goes on, and its witness with it.
  const going = await at.start(at.records.settings);
  for (const requesterId of ['acme', 'other', 'third']) await at.decide(going, requesterId);
  const later = await at.cosigned(going);
  const size = Number(later.split('\n')[1]);
  const fine = await at.status(going);
  assert.deepEqual([fine.size, fine.behind, fine.forked, fine.error], [size, 0, false, null]);
  const healthy = await doctor(going);
  assert.match(healthy.stdout, new RegExp(`✓ witness +partner\\.example/witness cosigned ${size} entries\n`));
  const { id } = (await going.call('GET', '/v1/access/decisions?limit=1', { key: at.key() })).body.data[0];
  writeFileSync(files.receipt, await at.receipt(going, id));
  const accepted = await verify('--witness', at.witnessKey);
  assert.equal(accepted.status, 0, accepted.stderr);
  assert.match(accepted.stdout, /^Cosigned: partner\.example\/witness at 20/m);
  await going.service.close();

  // The copy does not know what was published since. At first it is shorter than what the witness knows, then longer.
  const forked = await at.start(at.records.copied);
  stack.defer(() => forked.service.close());
  for (let entries = 0; entries <= size; ) {
    const text = await at.decide(forked, `forged${entries}`);
    entries = Number((await at.text(forked, '/log/checkpoint')).split('\n')[1]);
    writeFileSync(files.receipt, text);
    const state = await until('the fork is noticed', async () => {
      const found = await at.status(forked);
      return found.forked ? found : undefined;
    });
    assert.match(state.error ?? '', /by its name and key/);
    assert.doesNotMatch(await at.text(forked, '/log/checkpoint'), /partner\.example/);
    // Without the witness, nothing is wrong with the receipt.
    await verifyReceipt(text, at.logKey);
    assert.equal((await verify()).status, 0);
    const refused = await verify('--witness', at.witnessKey);
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /it lacks partner\.example\/witness/);
  }
  const warned = await doctor(forked);
  assert.equal(warned.status, 1);
  assert.match(warned.stdout, /✗ witness +partner\.example\/witness .*by its name and key/);
  const shown = await commandHere(['status'], { env: { POSTERN_URL: forked.url, POSTERN_KEY: at.key() } });
  assert.match(shown.stdout, /^Witness partner\.example\/witness FORKED: /m);
  assert.match(await at.text(forked, '/metrics'), /^postern_log_witnesses_forked 1$/m);
  assert.ok(forked.logs.some((entry) => entry.includes('a witness says that the log of receipts was forked')));
  const [followed] = (await at.witness.call('GET', '/v1/status')).body.witness.logs;
  assert.deepEqual([followed.origin, followed.size], ['access.example.com/log', size]);
});
