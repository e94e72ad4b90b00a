/**
 * Removes what was fetched to verify an erased requester: published lists of addresses and keys of agents that only it
 * had named, and the changes of those lists.
 */

import type { Db, Step } from '../../db/db.ts';
import type { Replacement } from '../../decisions/history/retention/erase.ts';
import { normalizeAgent } from '../../requesters/signatures/agent.ts';
import { findIdentities } from '../../requesters/store.ts';
import { CRAWLERS } from '../../rules/crawlers/directory.ts';
import type { Identity } from '../../rules/crawlers/identity.ts';
import { spanConditions } from './walk.ts';

const pickLists = (identities: readonly Identity[]): string[] =>
  identities.flatMap((one) => ('list' in one ? [one.list] : []));
const pickAgents = (identities: readonly Identity[]): string[] =>
  identities.flatMap((one) => ('agent' in one ? [normalizeAgent(one.agent) ?? one.agent] : []));

/** Must run while the requester's history is whole: that says what it had named. */
export async function* identityWork(db: Db, by: Replacement): AsyncGenerator<() => Promise<void>> {
  const identities = await pastIdentities(db, by.requesterId);
  if (identities.length === 0) return;
  const others = [...CRAWLERS, ...(await findIdentities(db))].flatMap((one) => one.identities);
  const agents = new Set(pickAgents(identities)).difference(new Set(pickAgents(others)));
  const lists = new Set(pickLists(identities)).difference(new Set(pickLists(others)));
  yield () =>
    db.atomic([
      ...[...agents].map((agent) => ({ sql: 'delete from agent_keys where agent = $1', params: [agent] })),
      ...[...lists].map((url) => ({ sql: 'delete from identity_lists where url = $1', params: [url] })),
    ]);
  if (lists.size === 0) return;
  for (const span of await spanConditions(db, { table: 'changes', key: 'seq' }))
    yield () => scrubLists(db, span, lists, by);
}

async function pastIdentities(db: Db, id: string): Promise<Identity[]> {
  const rows = await db.read<{ record: string }>(
    `select record from history where owner_id = $1 and kind = 'requester' and record is not null`,
    [id],
  );
  return rows.flatMap(({ record }) => (JSON.parse(record) as { identities?: Identity[] }).identities ?? []);
}

/** The changes of a list are named by its address. */
async function scrubLists(db: Db, span: string, lists: ReadonlySet<string>, by: Replacement): Promise<void> {
  const rows = await db.read<{ id: string; object_id: string; object: string }>(
    `select changes.id, object_id, object from changes join change_data as d on d.id = changes.id
     where ${span} and kind like 'identity.%'`,
  );
  const steps = rows.filter((row) => lists.has(row.object_id)).flatMap((row) => listSteps(row.id, row.object, by));
  if (steps.length > 0) await db.atomic(steps);
}

const listSteps = (id: string, object: string, by: Replacement): Step[] => [
  { sql: 'update changes set object_id = $2 where id = $1', params: [id, by.pseudonym] },
  { sql: 'update events set object_id = $2 where id = $1', params: [id, by.pseudonym] },
  {
    sql: 'update change_data set object = $2, previous = null where id = $1',
    params: [id, JSON.stringify({ ...JSON.parse(object), id: by.pseudonym, url: by.pseudonym, error: null })],
  },
];
