/** Reads the requesters with identities, and their licenses, that the rules of a policy may go by. */
import type { Db } from '../../db/db.ts';
import { inList, toList } from '../../db/query.ts';
import type { Requester } from '../requester.ts';

const LICENSE_TYPES_MAX = 1000;

/** The parts of a requester with identities that rules may go by. */
export type VerifiableRequester = Pick<Requester, 'type' | 'tags' | 'metadata'>;

/** Returns requesters with identities, at most so many, with their metadata under these keys. */
export async function findVerifiable(
  db: Db,
  most: number,
  metadataKeys: readonly string[],
): Promise<VerifiableRequester[]> {
  const read = metadataKeys.length === 0 ? `'{}' as metadata` : 'metadata';
  const rows = await db.read<{ type: string | null; tags: string; metadata: string }>(
    `select type, tags, ${read} from requesters where identities <> '[]' order by id limit $1`,
    [most],
  );
  return rows.map(({ type, tags, metadata }) => ({
    type,
    tags: JSON.parse(tags) as string[],
    metadata: picked(JSON.parse(metadata) as Requester['metadata'], metadataKeys),
  }));
}

const picked = (metadata: Requester['metadata'], keys: readonly string[]): Requester['metadata'] =>
  Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(metadata, key) ? [[key, metadata[key]]] : [])));

/** Returns the types of licenses of these requesters that count now or later. */
export async function findLicenseTypes(db: Db, requesterIds: readonly string[], at: number): Promise<string[]> {
  if (requesterIds.length === 0) return [];
  const rows = await db.read<{ type: string }>(
    `select distinct type from licenses where ${inList(db.engine, 'requester_id', 'text')}
     and status = 'active' and (expires_at is null or expires_at > $2) limit ${LICENSE_TYPES_MAX}`,
    [toList(requesterIds), at],
  );
  return rows.map(({ type }) => type);
}
