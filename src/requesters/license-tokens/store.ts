/** The keys of License tokens among the settings: one value, because a rotation replaces them together. */
import type { webcrypto } from 'node:crypto';
import type { Db, Step } from '../../db/db.ts';

/** A key as it is stored. */
export interface SigningKey {
  kid: string;
  /** With its private part. */
  jwk: webcrypto.JsonWebKey;
  createdAt: number;
  /** Signs from then on, until the next one does. */
  signsFrom: number;
}

const NAME = 'signing_keys';

/** Returns undefined before the first use. */
export async function readKeys(db: Db): Promise<SigningKey[] | undefined> {
  const [row] = await db.read<{ value: string }>(`select value from settings where name = '${NAME}'`);
  return row && (JSON.parse(row.value) as SigningKey[]);
}

export const insertFirstKeys = (keys: readonly SigningKey[]): Step => ({
  sql: `insert into settings (name, value) values ('${NAME}', $1) on conflict (name) do nothing`,
  params: [JSON.stringify(keys)],
});

/** A Conflict when they were rotated meanwhile. */
export const replaceKeys = (before: readonly SigningKey[], after: readonly SigningKey[]): Step => ({
  sql: `update settings set value = $2 where name = '${NAME}' and value = $1`,
  params: [JSON.stringify(before), JSON.stringify(after)],
  expect: 1,
});
