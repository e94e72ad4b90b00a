/** A presented token is resolved from memory, as fresh as an API key: created, expired, rotated, revoked, deleted. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { databaseSettings, dropDatabase, testClock } from '../../kit/service.ts';
import { SYSTEM } from '../../src/api/changes/change.ts';
import { openChanges } from '../../src/api/changes/changes.ts';
import { newCredential } from '../../src/lib/credential.ts';
import { planBudget } from '../../src/lib/memory.ts';
import { newRequester, planDelete, planCreate as planRequester } from '../../src/requesters/edits.ts';
import { findRequester } from '../../src/requesters/store.ts';
import { planCreate, planRevoke, planRotate } from '../../src/requesters/tokens/edits.ts';
import { findToken } from '../../src/requesters/tokens/store.ts';
import { openTokens, type Presented } from '../../src/requesters/tokens/tokens.ts';
import { readConfig } from '../../src/service/config.ts';
import { openRecords } from '../../src/service/records.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-tokens-'));
const config = readConfig({ POSTERN_DATA_DIR: folder, ...(await databaseSettings(folder)) });
const clock = testClock();
const { db } = await openRecords(config, clock, () => {}, planBudget(config.memoryMiB).storage);
const changes = openChanges(db, clock);
const tokens = openTokens(db, changes, clock);
after(async () => {
  await tokens.close();
  await db.close();
  await dropDatabase(folder);
  rmSync(folder, { recursive: true, force: true });
});

interface Made {
  id: string;
  token: string;
}

const commit = async (plan: Parameters<typeof changes.commit>[2]): Promise<Made> =>
  JSON.parse((await changes.commit(SYSTEM, 'r', plan)).text);
const register = (id: string) => commit(() => planRequester(db, newRequester({ id }, clock.now())));
const make = (id: string, expiresAt: number | null = null) =>
  commit(async () => planCreate(id, 'n', expiresAt, clock.now()));
const found = async (requesterId: string, id: string) => {
  const token = await findToken(db, requesterId, id);
  assert.ok(token !== undefined);
  return token;
};
const fault = async (text: string): Promise<string | null> => {
  const presented: Presented = await tokens.resolve(text);
  return 'fault' in presented ? presented.fault : null;
};

test('resolves to the requester, at once where it is in memory', async () => {
  await register('reader');
  const { id, token } = await make('reader');
  const known = { requesterId: 'reader', tokenId: id, until: null };
  assert.deepEqual(await tokens.resolve(token), known);
  assert.deepEqual(tokens.resolve(token), known, 'without a promise');
  assert.equal(tokens.lastUsedAt(id), clock.now());
});

test('what is no token is refused without a query', async () => {
  const { token } = await make('reader');
  const last = token.endsWith('0') ? '1' : '0';
  for (const text of [
    '',
    'x',
    token.slice(0, -1) + last,
    token.slice(0, -1),
    `${token}x`,
    ` ${token}`,
    token.replace('svc_rt_', 'svc_sk_'),
    newCredential('svc_sk_'),
    'a'.repeat(100_000),
  ]) {
    assert.deepEqual(tokens.resolve(text), { fault: 'malformed' }, text.slice(0, 70));
  }
  assert.equal(await fault(newCredential('svc_rt_')), 'unknown');
});

test('ends at the millisecond of its expiry', async () => {
  const { token } = await make('reader', clock.now() + 1000);
  clock.advance(999);
  assert.equal(await fault(token), null);
  clock.advance(1);
  assert.equal(await fault(token), 'expired');
});

test('a revocation counts from the next request on, also for what was in memory', async () => {
  const { id, token } = await make('reader');
  assert.equal(await fault(token), null);
  await commit(async () => planRevoke(await found('reader', id), clock.now()));
  assert.equal(await fault(token), 'revoked');
});

test('rotation: both work within the grace, then the new one alone', async () => {
  const old = await make('reader');
  assert.equal(await fault(old.token), null);
  const made = await commit(async () => planRotate(await found('reader', old.id), 5000, clock.now()));
  assert.notEqual(made.token, old.token);
  clock.advance(4999);
  assert.deepEqual([await fault(old.token), await fault(made.token)], [null, null]);
  clock.advance(1);
  assert.deepEqual([await fault(old.token), await fault(made.token)], ['expired', null]);
  const next = await commit(async () => planRotate(await found('reader', made.id), 0, clock.now()));
  assert.deepEqual([await fault(made.token), await fault(next.token)], ['revoked', null]);
});

test('a deleted requester takes its tokens along; one registered anew under its id has none of them', async () => {
  await register('leaver');
  const { token } = await make('leaver');
  assert.equal(await fault(token), null);
  const leaver = await findRequester(db, 'leaver');
  assert.ok(leaver !== undefined);
  await commit(() => planDelete(db, leaver, clock.now()));
  assert.equal(await fault(token), 'revoked');
  await register('leaver');
  assert.equal(await fault(token), 'revoked');
});

test('made-up tokens leave what is in memory there', async () => {
  const { token } = await make('reader');
  await tokens.resolve(token);
  for (let i = 0; i < 50; i++) assert.equal(await fault(newCredential('svc_rt_')), 'unknown');
  assert.ok(!(tokens.resolve(token) instanceof Promise));
});
