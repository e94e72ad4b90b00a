/**
 * A store whose JSON has marked keys is plain JSON after the migration. Only keys change, never values or other rows.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Step } from '../../src/db/db.ts';
import { migrate } from '../../src/db/migrate.ts';
import { MIGRATIONS } from '../../src/db/migrations/index.ts';
import type { OpenedDb } from './contract.ts';

/** A stored text: `2026` marked, a client's own key that begins with the mark, and a value that looks like one. */
const MARKED =
  '{"b":1,"\ue0002026":{"\ue0007":[{"\ue0000":"\ue000x"}]},"\ue000\ue000own":"\\"\ue0001\\":","__proto__":{"\ue0001":2}}';
const PLAIN = '{"2026":{"7":[{"0":"\ue000x"}]},"b":1,"\ue000own":"\\"\ue0001\\":","__proto__":{"1":2}}';
/** Only its value has the character. */
const OTHER = '{"z":1,"a":"\ue000"}';

const row = (table: string, values: Record<string, string | number>): Step => ({
  sql: `insert into ${table} (${Object.keys(values).join(', ')})
        values (${Object.keys(values)
          .map((_, i) => `$${i + 1}`)
          .join(', ')})`,
  params: Object.values(values),
});
const dates = { created_at: 0, updated_at: 0 };

/** Rows of every table that keeps what clients wrote as JSON, as the version before wrote them. */
const rowsWith = (id: string, json: string): Step[] => [
  row('content', {
    id,
    external_id: id,
    title: '',
    title_words: '',
    type: 'article',
    source: '',
    policy_id: 'pol_default',
    metadata: json,
    tags: '[]',
    status: 'active',
    revision: 1,
    ...dates,
  }),
  row('requesters', {
    id,
    name: id,
    name_words: id,
    tags: '[]',
    user_agents: '[]',
    metadata: json,
    status: 'active',
    ...dates,
  }),
  row('licenses', {
    id,
    requester_id: id,
    type: 't',
    features: '[]',
    metadata: json,
    status: 'active',
    ...dates,
  }),
  row('webhooks', {
    id,
    url: '',
    events: '[]',
    metadata: json,
    status: 'active',
    secret: '',
    old_secrets: '[]',
    cursor: 0,
    ...dates,
  }),
  row('history', { kind: 'requester', object_id: id, owner_id: id, at: 0, record: `{"metadata":${json}}` }),
  row('policy_versions', {
    policy_no: id.length,
    version: 1,
    policy_id: id,
    name: id,
    rules: `[{"conditions":{"contentMetadata":${json}}}]`,
    default_action: 'deny',
    created_at: 0,
  }),
];

export function plainKeysContract(engine: string, open: () => Promise<OpenedDb>): void {
  test(`${engine}: stored JSON with marked keys becomes plain JSON, once`, async () => {
    await using store = await open();
    const { db } = store;
    await migrate(db, 0, { migrations: MIGRATIONS.slice(0, 1) });
    const policy = {
      sql: `insert into policies (id, version, created_at, updated_at) values ('pol_default', 1, 0, 0)`,
    };
    await db.atomic([policy, ...rowsWith('marked', MARKED), ...rowsWith('other', OTHER)]);
    // Never had marks of ours: the character is the client's own here.
    await db.atomic([row('change_data', { id: 'c', object: MARKED })]);
    await migrate(db, 1);
    const read = async (sql: string) => (await db.read<{ json: string }>(sql)).map(({ json }) => json);
    for (const table of ['content', 'requesters', 'licenses', 'webhooks']) {
      assert.deepEqual(await read(`select metadata as json from ${table} order by id`), [PLAIN, OTHER], table);
    }
    assert.deepEqual(await read('select record as json from history order by object_id'), [
      `{"metadata":${PLAIN}}`,
      `{"metadata":${OTHER}}`,
    ]);
    assert.deepEqual(await read('select rules as json from policy_versions order by policy_id'), [
      `[{"conditions":{"contentMetadata":${PLAIN}}}]`,
      `[{"conditions":{"contentMetadata":${OTHER}}}]`,
    ]);
    assert.deepEqual(await read('select object as json from change_data'), [MARKED]);
    // The key that a client began with the character stays as it is now.
    await migrate(db, 2);
    assert.deepEqual(await read(`select metadata as json from content where id = 'marked'`), [PLAIN]);
  });
}
