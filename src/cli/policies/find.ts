/** A policy of the service, by its id or by a name that only one has. */
import type { Answer, Connection } from '../connection.ts';
import { failed } from '../outcome.ts';
import { plain } from '../terminal.ts';

export const allPolicies = (connection: Connection): Promise<Answer[]> =>
  Array.fromAsync(connection.each('/v1/policies'));

/** By id, or by a name that only one has. */
export async function getPolicy(connection: Connection, name: string): Promise<Answer> {
  if (/^pol_\w+$/.test(name)) return connection.ask('GET', `/v1/policies/${name}`);
  const found = findPolicy(await allPolicies(connection), { name });
  if (found === undefined) throw failed(`There is no policy with the id or the name "${plain(name)}".`);
  return found;
}

/** Throws when several have the name. */
export function findPolicy(
  policies: readonly Answer[],
  { id, name }: { id?: string; name: string },
): Answer | undefined {
  if (id !== undefined) return policies.find((policy) => policy.id === id);
  const found = policies.filter((policy) => policy.name === name);
  if (found.length < 2) return found[0];
  throw failed(
    `${found.length} policies have the name "${plain(name)}": ${found.map((one) => one.id).join(', ')}. Say which by its id.`,
  );
}
