/** The tables `policies` and `policy_versions`; rows never leave this file. */
import { Conflict, type Db, type Row, type Step } from '../db/db.ts';
import { type Page, type PageQuery, readPage, SEQ_FORM } from '../db/page.ts';
import { inList, toList, Where } from '../db/query.ts';
import { type Action, DEFAULT_POLICY_ID, type Policy, type PolicyVersion, type Rule } from '../rules/policy.ts';

export interface VersionRow extends Row {
  no: number;
  id: string;
  version: number;
  name: string;
  description: string | null;
  rules: string;
  default_action: string;
}

interface PolicyRow extends VersionRow {
  is_default: number;
  created_at: number;
  updated_at: number;
}

const VERSION_COLUMNS =
  'v.policy_no as no, v.policy_id as id, v.version, v.name, v.description, v.rules, v.default_action';
const COLUMNS = `${VERSION_COLUMNS}, p.created_at, p.updated_at,
  case when p.id = (select value from settings where name = 'default_policy') then 1 else 0 end as is_default`;
const FROM = 'policies as p join policy_versions as v on v.policy_no = p.no and v.version = p.version';

/** Also for threads that read the rows on their own connection. */
export const toVersion = (row: VersionRow): PolicyVersion => ({
  no: row.no,
  id: row.id,
  version: row.version,
  name: row.name,
  description: row.description,
  rules: JSON.parse(row.rules) as Rule[],
  defaultAction: row.default_action as Action,
});

const toPolicy = (row: PolicyRow): Policy => ({
  ...toVersion(row),
  isDefault: row.is_default === 1,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export async function findPolicy(db: Db, id: string): Promise<Policy | undefined> {
  const [row] = await db.read<PolicyRow>(`select ${COLUMNS} from ${FROM} where p.id = $1`, [id]);
  return row && toPolicy(row);
}

/** Finds policies and returns them by id. */
export async function findPolicies(db: Db, ids: readonly string[]): Promise<Map<string, Policy>> {
  const found = await Promise.all([...new Set(ids)].map((id) => findPolicy(db, id)));
  return new Map(found.flatMap((policy) => (policy === undefined ? [] : [[policy.id, policy]])));
}

interface DatedVersionRow extends VersionRow {
  created_at: number;
}
const DATED_VERSION = `${VERSION_COLUMNS}, v.created_at`;
const toDatedVersion = (row: DatedVersionRow) => ({ ...toVersion(row), createdAt: row.created_at });

/** Also finds versions of deleted policies, because decisions refer to them. */
export async function findVersion(
  db: Db,
  no: number,
  version: number,
): Promise<(PolicyVersion & { createdAt: number }) | undefined> {
  const [row] = await db.read<DatedVersionRow>(
    `select ${DATED_VERSION} from policy_versions as v where v.policy_no = $1 and v.version = $2`,
    [no, version],
  );
  return row && toDatedVersion(row);
}

/** Finds the version that a policy had at `at` (epoch ms), also if it was deleted since; undefined before its first. */
export async function findVersionAt(db: Db, id: string, at: number): Promise<PolicyVersion | undefined> {
  const [row] = await db.read<DatedVersionRow>(
    `select ${DATED_VERSION} from policy_versions as v
     where v.policy_id = $1 and v.created_at <= $2 order by v.version desc limit 1`,
    [id, at],
  );
  return row && toVersion(row);
}

export const listVersions = (db: Db, policy: Policy, query: PageQuery) =>
  readPage<DatedVersionRow, PolicyVersion & { createdAt: number }>(
    db,
    {
      select: DATED_VERSION,
      from: 'policy_versions as v',
      where: new Where().and('v.policy_no = ?', policy.no),
      order: 'v.version',
      form: SEQ_FORM,
      toRecord: toDatedVersion,
    },
    query,
  );

/** Applies to content registered from now on. A Conflict when the policy was deleted. */
export const setDefaultPolicy = (id: string, at: number): Step[] => [
  {
    sql: `update settings set value = $1 where name = 'default_policy' and exists (select 1 from policies where id = $1)`,
    params: [id],
    expect: 1,
  },
  defaultSince(id, at),
];

/** Keeps the default policies of past times. */
const defaultSince = (id: string, at: number): Step => ({
  sql: 'insert into default_policies (policy_id, at) values ($1, $2)',
  params: [id, at],
});

export async function findDefaultPolicyIdAt(db: Db, at: number): Promise<string> {
  const sql = 'select policy_id as id from default_policies where at <= $1 order by no desc limit 1';
  const [row] = await db.read<{ id: string }>(sql, [at]);
  return row?.id ?? DEFAULT_POLICY_ID;
}

/** Finds the number in a policy's decisions; undefined for an id that was never used. */
export async function findPolicyNo(db: Db, id: string): Promise<number | undefined> {
  const [row] = await db.read<{ no: number }>(
    'select policy_no as no from policy_versions where policy_id = $1 limit 1',
    [id],
  );
  return row?.no;
}

/** Returns the ids of policies by their numbers in decisions, of deleted ones too. */
export async function findPolicyIds(db: Db, nos: readonly number[]): Promise<Map<number, string>> {
  if (nos.length === 0) return new Map();
  const sql = `select distinct policy_no as no, policy_id as id from policy_versions
    where ${inList(db.engine, 'policy_no', 'bigint')}`;
  const rows = await db.read<{ no: number; id: string }>(sql, [toList(nos)]);
  return new Map(rows.map(({ no, id }) => [no, id]));
}

export async function policyExists(db: Db, id: string): Promise<boolean> {
  return (await db.read('select 1 from policies where id = $1', [id])).length > 0;
}

export async function findDefaultPolicyId(db: Db): Promise<string> {
  const [row] = await db.read<{ value: string }>(`select value from settings where name = 'default_policy'`);
  return row?.value ?? DEFAULT_POLICY_ID;
}

export async function policyInUse(db: Db, id: string): Promise<boolean> {
  const sql = `select 1 where exists (select 1 from content where policy_id = $1)
               or exists (select 1 from collections where policy_id = $1)`;
  return (await db.read(sql, [id])).length > 0;
}

export const listPolicies = (db: Db, query: PageQuery): Promise<Page<Policy>> =>
  readPage<PolicyRow, Policy>(
    db,
    { select: COLUMNS, from: FROM, order: 'p.no', form: SEQ_FORM, toRecord: toPolicy },
    query,
  );

export const insertPolicy = (policy: Policy): Step[] => [
  {
    sql: 'insert into policies (id, version, created_at, updated_at) values ($1, $2, $3, $3)',
    params: [policy.id, policy.version, policy.createdAt],
  },
  insertVersion(policy),
];

/** A Conflict when another edit wrote this version first. */
export const updatePolicy = (policy: Policy): Step[] => [
  {
    sql: 'update policies set version = $2, updated_at = $3 where id = $1 and version = $2 - 1',
    params: [policy.id, policy.version, policy.updatedAt],
    expect: 1,
  },
  insertVersion(policy),
];

const insertVersion = (policy: Policy): Step => ({
  sql: `insert into policy_versions
          (policy_no, version, policy_id, name, description, rules, default_action, created_at)
        select no, $2, $1, $3, $4, $5, $6, $7 from policies where id = $1`,
  params: [
    policy.id,
    policy.version,
    policy.name,
    policy.description,
    JSON.stringify(policy.rules),
    policy.defaultAction,
    policy.updatedAt,
  ],
  expect: 1,
});

/** A Conflict when the policy was edited or assigned since it was read. */
export const deletePolicy = (policy: Policy): Step => ({
  sql: `delete from policies where id = $1 and version = $2
        and not exists (select 1 from content where policy_id = $1)
        and not exists (select 1 from collections where policy_id = $1)
        and not exists (select 1 from settings where name = 'default_policy' and value = $1)`,
  params: [policy.id, policy.version],
  expect: 1,
});

/** Creates the policy that every installation starts with. It denies everything. */
export async function ensureDefaultPolicy(db: Db, now: number): Promise<void> {
  if (await policyExists(db, DEFAULT_POLICY_ID)) return;
  const policy: Policy = {
    no: 0,
    id: DEFAULT_POLICY_ID,
    version: 1,
    name: 'Default policy',
    description: 'Applies to content without a policy of its own.',
    rules: [],
    defaultAction: 'deny',
    isDefault: true,
    createdAt: now,
    updatedAt: now,
  };
  const setting: Step = {
    sql: `insert into settings (name, value) values ('default_policy', $1) on conflict (name) do nothing`,
    params: [policy.id],
  };
  try {
    await db.atomic([setting, ...insertPolicy(policy), defaultSince(policy.id, now)]);
  } catch (error) {
    // Another node that starts at the same time may have created it.
    if (!(error instanceof Conflict) && !(await policyExists(db, DEFAULT_POLICY_ID))) throw error;
  }
}
