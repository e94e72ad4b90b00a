/** Items of an older store keep their policies; those with a default policy have none of their own from then on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Step } from '../../src/db/db.ts';
import { migrate } from '../../src/db/migrate.ts';
import { MIGRATIONS } from '../../src/db/migrations/index.ts';
import { findDefaultPolicyIdAt } from '../../src/policies/store.ts';
import type { OpenedDb } from './contract.ts';

const item = (id: string, policyId: string): Step => ({
  sql: `insert into content (id, external_id, title, title_words, type, source, policy_id, metadata, tags, status, revision,
          created_at, updated_at)
        values ($1, $1, '', '', 'article', 'https://example.com/', $2, '{}', '[]', 'active', 1, 0, 0)`,
  params: [id, policyId],
});

export function ownPoliciesContract(engine: string, open: () => Promise<OpenedDb>): void {
  test(`${engine}: an item with a default policy follows collections after the migration, others do not`, async () => {
    await using store = await open();
    const { db } = store;
    await migrate(db, 0, { migrations: MIGRATIONS.slice(0, 2) });
    const setting = { sql: `insert into settings (name, value) values ('default_policy', 'pol_second')` };
    const items = ['pol_default', 'pol_second', 'pol_other'].map((id) => item(`of-${id}`, id));
    await db.atomic([setting, ...items]);
    await migrate(db, 1);
    const rows = await db.read('select id, policy_id, owns_policy, collection_id from content order by no');
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [
        { id: 'of-pol_default', policy_id: 'pol_default', owns_policy: 0, collection_id: null },
        { id: 'of-pol_second', policy_id: 'pol_second', owns_policy: 0, collection_id: null },
        { id: 'of-pol_other', policy_id: 'pol_other', owns_policy: 1, collection_id: null },
      ],
    );
    assert.equal(await findDefaultPolicyIdAt(db, 1), 'pol_second');
    // A node of the previous version that registers an item meanwhile gives it the policy it names.
    await db.atomic([item('late', 'pol_default')]);
    const [late] = await db.read<{ owns: number }>(`select owns_policy as owns from content where id = 'late'`);
    assert.equal(late?.owns, 1);
  });
}
