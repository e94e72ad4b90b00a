/** Edits while a batch is read, on a store of its own. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SYSTEM } from '../../api/changes/change.ts';
import { openChanges } from '../../api/changes/changes.ts';
import { Failure } from '../../api/errors.ts';
import { openCollections } from '../../content/collections/known.ts';
import { planCreate as planContent } from '../../content/edits.ts';
import type { Db } from '../../db/db.ts';
import { migrate } from '../../db/migrate.ts';
import { openSqlite } from '../../db/sqlite/db.ts';
import { newPolicy, planCreate, planUpdate } from '../../policies/edits.ts';
import { findPolicy } from '../../policies/store.ts';
import type { Rule } from '../../rules/policy.ts';
import { Snapshot } from './snapshot.ts';

const NOW = Date.parse('2026-11-21T09:30:00Z');
const asksMetadata = [{ action: 'deny', conditions: { contentMetadata: { tier: 'gold' } } }] as Rule[];

test('an item read before an edit that makes a rule ask for metadata is decided with its metadata', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-snapshot-'));
  const db = await openSqlite(join(folder, 'postern.db'));
  try {
    await migrate(db, NOW);
    const clock = { now: () => NOW };
    const changes = openChanges(db, clock);
    const collections = openCollections(db, changes);
    const policy = newPolicy({ name: 'Gold', rules: [] }, NOW);
    await changes.commit(SYSTEM, policy.id, async () => planCreate(policy));
    const item = {
      externalId: 'a',
      title: 'A',
      type: 'news',
      source: 'https://example.com/a',
      policyId: policy.id,
      metadata: { tier: 'gold' },
    };
    const edit = await planContent({ db, clock, collections }, item as never);
    await changes.commit(SYSTEM, 'a', async () => edit);

    const publish = async (): Promise<void> => {
      const before = await findPolicy(db, policy.id);
      assert.ok(before);
      await changes.commit(SYSTEM, policy.id, async () => planUpdate(before, { rules: asksMetadata }, NOW));
    };
    // The policy is edited while the requester of the first check is read, after the items and before the second check.
    let isEdited = false;
    const editing: Db = {
      ...db,
      read: async (sql, params) => {
        if (/from requesters/.test(sql) && !isEdited) {
          isEdited = true;
          await publish();
        }
        return db.read(sql, params);
      },
    };
    const asks = [
      { contentId: 'a', requesterId: 'bot' },
      { contentId: 'a', requesterId: 'bot' },
    ];
    const subjects = await new Snapshot(editing, changes, openCollections(editing, changes)).loadSubjects(asks);
    assert.ok(isEdited);
    for (const subject of subjects.values()) {
      assert.ok(!(subject instanceof Failure));
      if (subject.policy.version === 2) assert.deepEqual(subject.content?.metadata, { tier: 'gold' });
    }
    assert.equal(
      [...subjects.values()].some((one) => !(one instanceof Failure) && one.policy.version === 2),
      true,
    );
  } finally {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
