/** Finds a record of the service by its id, or by a name that no other record has. */
import type { Postern } from '../../../client/src/client.ts';
import type { Policy } from '../../../client/src/types.ts';
import { plain } from '../../lib/terminal-text.ts';
import { failed, misused } from '../outcome.ts';

export const listPolicies = (postern: Postern): Promise<Policy[]> =>
  Array.fromAsync(postern.listPolicies({ limit: 100 }));

export async function getPolicy(postern: Postern, name: string): Promise<Policy> {
  if (/^pol_\w+$/.test(name)) return postern.getPolicy(name);
  const found = findPolicy(await listPolicies(postern), { name });
  if (found === undefined) throw failed(`There is no policy with the id or the name "${plain(name)}".`);
  return found;
}

/** Throws when several policies have the name. */
export const findPolicy = (policies: readonly Policy[], wanted: { id?: string; name: string }): Policy | undefined =>
  findNamed(policies, wanted, 'policies');

/** Throws when several records have the name. */
export function findNamed<R extends { id: string; name: string }>(
  records: readonly R[],
  { id, name }: { id?: string; name: string },
  noun: 'policies' | 'collections',
): R | undefined {
  if (id !== undefined) return records.find((record) => record.id === id);
  const found = records.filter((record) => record.name === name);
  if (found.length < 2) return found[0];
  const ids = found.map((record) => record.id).join(', ');
  throw failed(`${found.length} ${noun} have the name "${plain(name)}": ${ids}. Use an id instead.`);
}

export function toVersion(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw misused(`A version is a whole number from 1, not "${plain(text)}".`);
  return Number(text);
}
