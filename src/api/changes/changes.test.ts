/** Edits that are committed at the same time, on a store of their own. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { migrate } from '../../db/migrate.ts';
import { openSqlite } from '../../db/sqlite/db.ts';
import { SYSTEM } from './change.ts';
import { openChanges } from './changes.ts';

const NOW = Date.parse('2026-11-21T09:30:00Z');

test('events of a node have ids in the order of their commits, also beside a long bulk edit', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-changes-'));
  const db = await openSqlite(join(folder, 'postern.db'));
  try {
    await migrate(db, NOW);
    const changes = openChanges(db, { now: () => NOW });
    const commit = (lane: string, count: number) =>
      changes.commit(SYSTEM, lane, async () => ({
        steps: [],
        changes: Array.from({ length: count }, (_, n) => ({
          kind: 'requester.created' as const,
          id: `${lane}${n}`,
          object: {},
        })),
        status: 200,
        body: {},
      }));
    // Serializing a bulk edit yields to the other commits.
    await Promise.all([commit('bulk', 500), ...Array.from({ length: 5 }, (_, n) => commit(`one${n}`, 1))]);
    const ids = (await db.read<{ id: string }>('select id from events order by seq')).map(({ id }) => id);
    assert.equal(ids.length, 505);
    assert.deepEqual(ids, ids.toSorted());
  } finally {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
