/** A requester of a fault test with its licenses: the acknowledged state, compared with the service and its file. */
import assert from 'node:assert/strict';
import type { DatabaseSync } from 'node:sqlite';
import type { Answer } from '../../kit/answer.ts';
import type { Running } from '../../kit/launch.ts';

export interface HeldLicense {
  /** Unique within the run: finds the license again when its id was never received. */
  type: string;
  features: string[];
  status: string;
}

export interface HolderState {
  name: string;
  licenses: HeldLicense[];
}

/** A requester that one client alone edits, with its licenses; in the next round, the client's successor. */
export interface Holder {
  id: string;
  /** The client's number within its round. */
  client: string;
  /** null: not there. */
  state: HolderState | null;
  /** The number of effective edits of the requester and its licenses. */
  edits: number;
  /** License ids by type. */
  licenseIds: Map<string, string>;
}

export const newHolder = (id: string, client: string): Holder => ({
  id,
  client,
  state: null,
  edits: 0,
  licenseIds: new Map(),
});

/** Counts an effective edit. */
export function becomes(holder: Holder, state: HolderState | null): void {
  holder.state = state;
  holder.edits++;
}

const byType = (a: HeldLicense, b: HeldLicense): number => (a.type < b.type ? -1 : 1);

/** Compares with the service's answer and stores the ids of its licenses. */
export async function readHolder(service: Running, holder: Holder): Promise<HolderState | null> {
  const requester = await service.ask('GET', `/v1/requesters/${encodeURIComponent(holder.id)}`);
  const list: Answer = await service.ask('GET', `/v1/licenses?limit=100&requesterId=${encodeURIComponent(holder.id)}`);
  assert.equal(list.status, 200, list.text);
  if (requester.status === 404) {
    assert.deepEqual(list.body.data, [], 'licences of a requester that is gone');
    return null;
  }
  assert.equal(requester.status, 200, requester.text);
  const licenses = (list.body.data as (HeldLicense & { id: string })[]).map(({ id, type, features, status }) => {
    holder.licenseIds.set(type, id);
    return { type, features, status };
  });
  return { name: requester.body.name as string, licenses: licenses.toSorted(byType) };
}

export const sorted = (state: HolderState | null): HolderState | null =>
  state === null ? null : { name: state.name, licenses: state.licenses.toSorted(byType) };

/**
 * Compares all of them with the file: the records as acknowledged, one change for each edit, and a history that ends
 * with the current state.
 */
export function checkHolders(file: DatabaseSync, holders: Iterable<Holder>): void {
  const all = <T>(sql: string): T[] => file.prepare(sql).all() as T[];
  const states = new Map<string, HolderState>();
  for (const { id, name } of all<{ id: string; name: string }>('select id, name from requesters')) {
    states.set(id, { name, licenses: [] });
  }
  const licenses = all<{ owner: string; type: string; features: string; status: string }>(
    'select requester_id as owner, type, features, status from licenses order by type',
  );
  for (const { owner, type, features, status } of licenses) {
    const state = states.get(owner);
    assert.ok(state !== undefined, `a licence of nobody: ${type}`);
    state.licenses.push({ type, features: JSON.parse(features) as string[], status });
  }
  const history = all<{ kind: string; owner: string; record: string }>(
    `select kind, owner_id as owner, record from history
     where seq in (select max(seq) from history group by kind, object_id) and record is not null`,
  );
  const newest = new Map<string, HolderState>();
  const stateIn = (id: string): HolderState => newest.getOrInsertComputed(id, () => ({ name: '', licenses: [] }));
  for (const { kind, owner, record } of history) {
    const { name, type, features, status } = JSON.parse(record) as HeldLicense & { name: string };
    if (kind === 'requester') stateIn(owner).name = name;
    else stateIn(owner).licenses.push({ type, features, status });
  }
  const twice = all(
    'select request_id, object_id from changes group by 1, 2 having count(*) > 1 and request_id is not null',
  );
  assert.deepEqual(twice, [], 'an edit that changed a record twice');
  // Deleting a requester deletes its licenses: changes of one request.
  const edits = new Map(
    all<{ owner: string; n: number }>(
      `select coalesce(owner_id, object_id) as owner, count(distinct request_id) as n from changes
       where kind like 'requester.%' or kind like 'license.%' group by 1`,
    ).map(({ owner, n }) => [owner, n]),
  );
  for (const holder of holders) {
    const told = sorted(holder.state);
    assert.deepEqual(sorted(states.get(holder.id) ?? null), told, `${holder.id} in the records`);
    assert.deepEqual(sorted(newest.get(holder.id) ?? null), told, `${holder.id} in the history`);
    assert.equal(edits.get(holder.id) ?? 0, holder.edits, `${holder.id}: changes`);
    states.delete(holder.id);
  }
  const others = [...states.keys()].filter((id) => !id.startsWith('quotas:'));
  assert.deepEqual(others, [], 'requesters that nobody asked for');
}
